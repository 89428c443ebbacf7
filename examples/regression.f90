! regression [TABLE]: regression on a CSV file with intervals, all settings as recommended. 31 black cherry
! trees: girth in inches, height in feet, and the target, the volume of their timber in cubic feet.
program regression
  use, intrinsic :: iso_fortran_env, only: error_unit
  use nnpost
  implicit none
  type(nnp_table) :: model
  integer :: i, n, unit, status
  character(1000) :: path
  real(c_double) :: table(3, 1000), new(3, 2), mean(3), low(3), high(3)

  path = "trees.csv"
  if (command_argument_count() > 0) call get_command_argument(1, path)
  open (newunit=unit, file=path, status="old", action="read")
  read (unit, *) ! the names of the columns
  n = 0
  do
    read (unit, *, iostat=status) table(:, n + 1)
    if (status /= 0) exit
    n = n + 1
  end do

  call model%fit(transpose(table(1:2, :n)), table(3, :n), seed=1)
  new = reshape([real(c_double) :: 9, 13, 18, 70, 76, 82], [3, 2])
  call model%predict(new, mean)
  call model%interval(new, low, high, 0.9d0)
  if (model%status /= NNP_OK) print "(a)", model%message
  write (error_unit, "(a)") model%describe()  ! have the chains converged?
  do i = 1, 3
    print "(2(a, i0), 3(a, f0.1))", "girth ", nint(new(i, 1)), ", height ", nint(new(i, 2)), &
        ": volume ", mean(i), ", 90 % between ", low(i), " and ", high(i)
  end do
end program

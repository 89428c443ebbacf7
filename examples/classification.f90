! classification [TABLE]: classes of a CSV file with their probabilities. 150 irises of three species: length
! and width of sepals and petals in centimetres.
program classification
  use, intrinsic :: iso_fortran_env, only: error_unit
  use nnpost
  implicit none
  character(10), parameter :: names(3) = [character(10) :: "setosa", "versicolor", "virginica"]
  type(nnp_table) :: model
  integer :: i, k, n, unit, status
  integer(c_int32_t) :: labels(1000)
  character(1000) :: path
  character(10) :: name
  real(c_double) :: table(4, 1000), new(4, 3), p(3, 3)

  path = "iris.csv"
  if (command_argument_count() > 0) call get_command_argument(1, path)
  open (newunit=unit, file=path, status="old", action="read")
  read (unit, *) ! the names of the columns
  n = 0
  do
    read (unit, *, iostat=status) table(:, n + 1), name
    if (status /= 0) exit
    n = n + 1
    labels(n) = findloc(names, name, dim=1) - 1 ! 0, 1, 2
  end do

  call model%fit(transpose(table(:, :n)), labels(:n), hidden=[4], seed=1)
  new = reshape([5.0d0, 3.4d0, 1.5d0, 0.2d0, 5.9d0, 2.8d0, 4.3d0, 1.3d0, 6.0d0, 2.8d0, 4.9d0, 1.7d0], [4, 3])
  call model%probabilities(transpose(new), p) ! classes x rows
  if (model%status /= NNP_OK) print "(a)", model%message
  write (error_unit, "(a)") model%describe()  ! have the chains converged?
  do i = 1, 3
    print "(a, f3.1, a, f3.1, a, 2(a, f5.2, a), a, f5.2)", "petal ", new(3, i), " x ", new(4, i), ": ", &
        (trim(names(k)), p(k, i), ", ", k = 1, 2), trim(names(3)), p(3, i)
  end do
end program

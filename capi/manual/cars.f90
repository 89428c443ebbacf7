! Stopping distances of 50 cars of the 1920s against their speed: regression with intervals.
program cars
  use nnpost
  implicit none
  type(nnp_table) :: model
  integer :: i
  real(c_double) :: x(50, 1), new(3, 1), mean(3), low(3), high(3)
  real(c_double), parameter :: feet(50) = [real(c_double) :: 2, 10, 4, 22, 16, 10, 18, 26, 34, 17, 28, &
      14, 20, 24, 28, 26, 34, 34, 46, 26, 36, 60, 80, 20, 26, 54, 32, 40, 32, 40, 50, 42, 56, 76, 84, &
      36, 46, 68, 32, 48, 52, 56, 64, 66, 54, 70, 92, 93, 120, 85]
  x(:, 1) = [real(c_double) :: 4, 4, 7, 7, 8, 9, 10, 10, 10, 11, 11, 12, 12, 12, 12, 13, 13, 13, 13, &
      14, 14, 14, 14, 15, 15, 15, 16, 16, 17, 17, 17, 18, 18, 18, 18, 19, 19, 19, 20, 20, 20, 20, 20, &
      22, 23, 24, 24, 24, 24, 25]
  new(:, 1) = [5, 15, 25]

  call model%fit(x, feet, hidden=[8], seed=1)
  call model%predict(new, mean)
  call model%interval(new, low, high, 0.9d0)
  if (model%status /= NNP_OK) print "(a)", model%message
  do i = 1, 3
    print "(i2, a, f0.1, a, f0.1, a, f0.1)", int(new(i, 1)), " mph: ", mean(i), &
        " feet, 90 % between ", low(i), " and ", high(i)
  end do
end program

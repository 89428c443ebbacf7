! images: a convolutional network classifies bars. Images are 8 x 8 pixels with one bright bar,
! across, upright or from corner to corner, and noise.
program bars
  use nnpost
  implicit none
  type(nnp_net) :: net
  type(nnp_fit) :: fit
  real(c_double) :: x(300, 64), new_x(150, 64), p(3, 150)
  integer(c_int32_t) :: y(300), new_y(150)

  call images(0, x, y)
  call images(300, new_x, new_y)
  call net%create_image(1, 8, 8)
  call net%conv2d(4, [3, 3])
  call net%activation(NNP_RELU)
  call net%avgpool([2, 2])
  call net%dense(3)
  call net%head(NNP_ARGMAX)
  call fit%sample(net, x, y, chains=1, warmup=1000, draws=200, thin=5, seed=1)
  call fit%predict(new_x, p, NNP_PREDICT_PROBABILITIES) ! classes x rows
  if (fit%status /= NNP_OK) print "(a)", fit%message
  print "(2(i0, a))", 150, " new images: ", nint(100.0 * count(maxloc(p, dim=1) - 1 == new_y) / 150), &
      " % are classified correctly"

contains
  ! Images from number `first` on: a row of x holds an image line by line.
  subroutine images(first, x, y)
    integer, intent(in) :: first
    real(c_double), intent(out) :: x(:, :)
    integer(c_int32_t), intent(out) :: y(:)
    integer :: i, row, column, number, places(0:2)
    do i = 1, size(y)
      number = first + i - 1
      y(i) = modulo(number, 3)
      do row = 0, 7
        do column = 0, 7
          places = [row, column, modulo(row + column, 8)]
          x(i, row * 8 + column + 1) = merge(1, 0, places(y(i)) == modulo(number / 3, 8)) &
              + 2 * modulo(((number * 8 + row) * 8 + column + 1) * 0.7548776662466927d0, 1d0) - 1
        end do
      end do
    end do
  end subroutine
end program

! overhead.c in Fortran.
program overhead
  use nnpost
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  type(nnp_net), target :: net
  real(real64) :: x(400, 20), y(400), began, ended, best
  character(len=16) :: argument
  integer :: repeats, i
  call get_command_argument(1, argument)
  read (argument, *) repeats
  x = reshape(values(8000, 1), [400, 20])
  y = values(400, 2)
  call net%create(20)
  call net%dense(10)
  call net%activation(NNP_RELU)
  call net%dense(1)
  call net%head(NNP_GAUSSIAN)
  best = huge(best)
  do i = 1, repeats
    call cpu_time(began)
    call once()
    call cpu_time(ended)
    best = min(best, ended - began)
  end do
  print "(f0.6)", best

contains

  subroutine once()
    type(nnp_fit) :: fit
    call fit%sample(net, x, y, chains=1, warmup=0, draws=1000, seed=1)
    if (fit%status /= NNP_OK) stop 1
  end subroutine

  function values(count, seed) result(out)
    integer, intent(in) :: count, seed
    real(real64) :: out(count)
    integer(int64) :: state
    integer :: k
    state = seed
    do k = 1, count
      state = mod(state * 16807_int64, 2147483647_int64)
      out(k) = 2 * (real(state, real64) / 2147483647.0_real64) - 1
    end do
  end function
end program

! A callback: it follows a run, reads the chain, and stops it when nothing improves.
!
!     gfortran callback.f90 $(pkg-config --cflags --libs nnpost-fortran)
module watching
  use nnpost
  implicit none

  ! Passed to the callback along with the progress; the callback may change it.
  type :: watcher
    integer :: calls = 0
    real(c_double) :: best = -huge(1.0_c_double)
  end type

contains

  ! Stops after 200 steps without improvement.
  function watch(progress, user) result(stop_now)
    type(nnp_progress), intent(in) :: progress
    class(*), intent(inout) :: user
    logical :: stop_now
    type(nnp_error) :: err
    real(c_double), target :: now
    stop_now = .false.
    select type (user)
    type is (watcher)
      if (nnp_chain_log_density(progress%chain, c_loc(now), err) /= NNP_OK) return
      user%calls = user%calls + 1
      if (now > user%best) then
        user%best = now
        user%calls = 0
      end if
      stop_now = user%calls == 200
    end select
  end function
end module

program callback
  use watching
  implicit none
  type(nnp_net), target :: net
  type(nnp_data) :: data
  type(nnp_chain) :: chain
  type(watcher) :: seen
  real(c_double) :: x(100, 1)
  integer :: i, stat
  x(:, 1) = [(-2 + 4.0_c_double * i / 99, i = 0, 99)]
  call net%create(1)
  call net%dense(8)
  call net%activation(NNP_RELU)
  call net%dense(1)
  call net%head(NNP_GAUSSIAN)
  call data%create(100, 1, 1)
  call data%set_inputs(x)
  call data%set_targets(abs(x))
  call chain%create(net, data, NNP_GIBBS, NNP_INTERMEDIATE)
  call chain%start(NNP_START_PRIOR, seed=1, number=0)
  call chain%run(100000, watch, seen, stat)
  if (stat /= NNP_OK .and. stat /= NNP_STOPPED) then
    print "(a)", chain%message
    stop 1
  end if
  print "(a, i0, a, f0.1)", "stopped after ", chain%steps(), " steps, log density ", seen%best
end program

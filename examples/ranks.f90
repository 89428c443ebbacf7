! ranks: chains over many machines. Every rank makes the same calls; each chain is run by one of them, and all
! have all draws:
!
!     mpirun -n 4 ranks_fortran
!
! Build it against an installed copy with the flags of `pkg-config --cflags --libs nnpost-fortran nnpost_mpi`.
program ranks
  use nnpost
  use nnpost_mpi
  implicit none
  integer, parameter :: rows = 200
  type(nnp_comm) :: comm
  type(nnp_error) :: err
  type(nnp_net) :: net
  type(nnp_fit) :: fit
  real(c_double) :: x(rows, 2), y(rows)
  integer :: i

  if (nnp_mpi_world(comm, err) /= NNP_OK) error stop "MPI"
  x(:, 1) = [(4 * mod(i * 0.7548776662466927d0, 1d0) - 2, i = 1, rows)]
  x(:, 2) = [(4 * mod(i * 0.5698402909980532d0, 1d0) - 2, i = 1, rows)]
  y = abs(x(:, 1)) - x(:, 2) / 2
  call net%create(2)
  call net%dense(6)
  call net%activation(NNP_RELU)
  call net%dense(1)
  call net%head(NNP_GAUSSIAN)
  call net%set(NNP_NOISE, 1d-2)
  call fit%sample(net, x, y, chains=8, draws=200, warmup=0, thin=5, seed=1, comm=comm)
  if (fit%status /= NNP_OK) error stop "the fit"
  if (comm%rank == 0) print "(2(i0, a), f8.6)", size(fit%draws, 3), " chains, ", size(fit%draws, 2), &
      " draws each: mean square weight ", sum(fit%draws**2) / size(fit%draws)
  call nnp_mpi_free(comm)
end program

! Chains over many machines in Fortran:
!
!     mpirun -n 4 ranks_fortran
!
! Every rank makes the same calls; each chain is run by one of them, and all have all draws. Build it
! against an installed copy with the flags of `pkg-config --cflags --libs nnpost-fortran nnpost_mpi`.
program ranks
  use nnpost
  use nnpost_mpi
  implicit none
  integer, parameter :: rows = 500, inputs = 3
  type(nnp_comm) :: comm
  type(nnp_error) :: err
  type(nnp_net) :: net
  type(nnp_fit) :: fit
  real(c_double) :: x(rows, inputs), y(rows)
  integer :: i

  if (nnp_mpi_world(comm, err) /= NNP_OK) error stop "MPI"
  x = reshape([(cos(real(i, c_double)), i=1, rows*inputs)], [rows, inputs])
  y = abs(x(:, 1)) - x(:, 2)
  call net%create(inputs)
  call net%dense(6)
  call net%activation(NNP_RELU)
  call net%dense(1)
  call net%head(NNP_GAUSSIAN)
  call net%set(NNP_NOISE, 0.01_c_double)
  call fit%sample(net, x, y, chains=8, draws=100, comm=comm) ! this is all it takes
  if (fit%status /= NNP_OK) error stop "the fit"
  if (comm%rank == 0) print "(i0, a, i0, a)", size(fit%draws, 2), " draws of ", size(fit%draws, 3), " chains"
  call nnp_mpi_free(comm)
end program

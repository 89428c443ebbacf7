! Chains over ranks from Fortran: under mpirun every rank has the draws of a single process.
program ranks
  use nnpost
  use nnpost_mpi
  implicit none
  integer, parameter :: chain_count = 3, draw_count = 4
  real(c_double) :: alone(21, draw_count, chain_count), shared(21, draw_count, chain_count)
  type(nnp_comm) :: comm
  type(nnp_error) :: err
  type(nnp_folder) :: folder
  integer :: stat
  if (nnp_mpi_world(comm, err) /= NNP_OK) error stop "nnp_mpi_world"
  call fill(alone)
  call fill(shared, comm)
  if (any(transfer(alone, [0_c_int64_t]) /= transfer(shared, [0_c_int64_t]))) error stop "other draws"
  call folder%create("/dev/null/nnpost", 0, 2, stat=stat)
  if (stat /= NNP_E_COMM) error stop "a folder where none can be"
  if (comm%rank == 0) print "(a, i0, a)", "the same draws on ", comm%size, " ranks"
  call nnp_mpi_free(comm)

contains

  subroutine fill(draws, over)
    real(c_double), intent(out), contiguous, target :: draws(:, :, :)
    type(nnp_comm), intent(in), optional :: over
    type(nnp_net) :: net
    type(nnp_data) :: data
    type(nnp_chain) :: chains(chain_count)
    real(c_double) :: x(200, 3), y(200)
    integer :: i, c
    x = reshape([(cos(real(i, c_double)), i=1, 600)], [200, 3])
    y = abs(x(:, 1)) - x(:, 2)
    call net%create(3)
    call net%dense(4)
    call net%activation(NNP_RELU)
    call net%dense(1)
    call net%head(NNP_GAUSSIAN)
    call net%set(NNP_NOISE, 0.1_c_double)
    call data%create(200, 3, 1)
    call data%set_inputs(x)
    call data%set_targets(y)
    do c = 1, chain_count
      call chains(c)%create(net, data, NNP_GIBBS, NNP_INTERMEDIATE)
    end do
    call chains(1)%use_comm(over)
    call start_chains(chains, NNP_START_FIT, 3_c_int64_t)
    call run_chains(chains, 5)
    call sample_chains(chains, draws)
    if (chains(1)%status /= NNP_OK) error stop "chains"
  end subroutine
end program

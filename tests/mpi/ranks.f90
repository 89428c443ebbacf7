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
  call check_fit()
  call check_rows()
  call check_jobs()
  call folder%create("/dev/null/nnpost", 0, 2, stat=stat)
  if (stat /= NNP_E_COMM) error stop "a folder where none can be"
  if (comm%rank == 0) print "(a, i0, a)", "the same draws on ", comm%size, " ranks"
  call nnp_mpi_free(comm)

contains

  subroutine problem(net, x, y)
    type(nnp_net), intent(inout) :: net
    real(c_double), intent(out) :: x(:, :), y(:)
    integer :: i, j
    do j = 1, 3
      x(:, j) = [(cos(real(3*i + j, c_double)) + 0.001_c_double*i, i=1, size(x, 1))]
    end do
    y = abs(x(:, 1)) - x(:, 2)
    call net%create(3)
    call net%dense(4)
    call net%activation(NNP_RELU)
    call net%dense(1)
    call net%head(NNP_GAUSSIAN)
    call net%set(NNP_NOISE, 0.1_c_double)
  end subroutine

  logical function same(a, b)
    real(c_double), intent(in) :: a(:, :, :), b(:, :, :)
    same = all(transfer(a, [0_c_int64_t]) == transfer(b, [0_c_int64_t]))
  end function

  ! One call, chains shared out.
  subroutine check_fit()
    type(nnp_net) :: net
    type(nnp_fit) :: one, many
    real(c_double) :: x(200, 3), y(200)
    call problem(net, x, y)
    call one%sample(net, x, y, chains=3, draws=4, warmup=5)
    call many%sample(net, x, y, chains=3, draws=4, warmup=5, comm=comm)
    if (many%status /= NNP_OK) error stop "fit over ranks"
    if (.not. same(one%draws, many%draws)) error stop "a fit over ranks has other draws"
  end subroutine

  ! Each rank has rows of its own; all of them end with the draws of one that has all.
  subroutine check_rows()
    type(nnp_net) :: net
    type(nnp_fit) :: one, many
    type(nnp_rows) :: all_rows, part
    real(c_double) :: x(1000, 3), y(1000)
    integer :: first, last
    call problem(net, x, y)
    call split_rows(1000_c_int64_t, all_rows, blocks=8)
    call split_rows(1000_c_int64_t, part, comm, 8)
    first = int(part%first) + 1
    last = int(part%first + part%count)
    call one%sample(net, x, y, chains=1, draws=4, warmup=5, rows=all_rows)
    call many%sample(net, x(first:last, :), y(first:last), chains=1, draws=4, warmup=5, comm=comm, &
        rows=part)
    if (many%status /= NNP_OK) error stop "rows over ranks"
    if (.not. same(one%draws, many%draws)) error stop "rows over ranks have other draws"
  end subroutine

  ! Jobs that know nothing of each other, merged in another order.
  subroutine check_jobs()
    type(nnp_net) :: net
    type(nnp_fit) :: together, job
    type :: block_of_bytes
      character(kind=c_char), allocatable :: bytes(:)
    end type
    type(block_of_bytes), target :: blocks(3)
    type(nnp_saved) :: saves(3)
    real(c_double) :: x(200, 3), y(200), merged(21, 4, 3)
    integer :: c, failed
    call problem(net, x, y)
    call together%sample(net, x, y, chains=3, draws=4, warmup=5)
    do c = 1, 3
      call job%sample(net, x, y, chains=1, draws=4, warmup=5, number=c - 1)
      call job%chains(1)%save_draws(job%draws(:, :, 1), blocks(c)%bytes)
      saves(4 - c) = saved_block(blocks(c)%bytes)
    end do
    call merge_draws(saves, merged, failed)
    if (failed /= NNP_OK) error stop "merging"
    if (.not. same(together%draws, merged)) error stop "merged draws are others"
    saves(1) = saves(2)
    call merge_draws(saves, merged, failed)
    if (failed /= NNP_E_VALUE) error stop "a chain was merged twice"
  end subroutine

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

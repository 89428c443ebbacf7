! resume [FILE]: saves a chain to a file and continues from it, like a job that was ended and started again.
! The draws are the same as without the stop, bit for bit.
program resume
  use nnpost
  implicit none
  integer, parameter :: rows = 200, parameters = 25
  type(nnp_net) :: net
  type(nnp_data) :: data
  type(nnp_chain) :: first, second
  real(c_double) :: x(rows, 2), y(rows), whole(parameters, 200), parts(parameters, 200)
  character(kind=c_char), allocatable :: buffer(:)
  character(1000) :: path
  integer :: i, unit

  path = "resume.bin"
  if (command_argument_count() > 0) call get_command_argument(1, path)
  x(:, 1) = [(4 * mod(i * 0.7548776662466927d0, 1d0) - 2, i = 1, rows)]
  x(:, 2) = [(4 * mod(i * 0.5698402909980532d0, 1d0) - 2, i = 1, rows)]
  y = abs(x(:, 1)) - x(:, 2) / 2
  call net%create(2)
  call net%dense(6)
  call net%activation(NNP_RELU)
  call net%dense(1)
  call net%head(NNP_GAUSSIAN)
  call net%set(NNP_NOISE, 1d-2)
  call data%create(rows, 2, 1)
  call data%set_inputs(x)
  call data%set_targets(y)

  call first%create(net, data, NNP_GIBBS, NNP_INTERMEDIATE)
  call first%start(NNP_START_PRIOR, 1, 0)
  call first%sample(parts(:, :100), 5)
  allocate (buffer(first%save_bytes()))
  call first%save(buffer)
  open (newunit=unit, file=path, access="stream", form="unformatted", status="replace")
  write (unit) buffer
  close (unit)
  call first%start(NNP_START_PRIOR, 1, 0) ! again, without a stop
  call first%sample(whole, 5)

  call second%create(net, data, NNP_GIBBS, NNP_INTERMEDIATE) ! as in another session
  open (newunit=unit, file=path, access="stream", form="unformatted", status="old")
  read (unit) buffer
  close (unit)
  call second%restore(buffer)
  call second%sample(parts(:, 101:), 5)
  if (second%status /= NNP_OK) print "(a)", second%message
  print "(2a)", "the same draws after a restart: ", merge("yes", "no ", all(abs(whole - parts) <= 0))
end program

! threads: four chains side by side on several threads. Their number affects only the time.
program several_threads
  use nnpost
  implicit none
  integer, parameter :: rows = 200
  type(nnp_net) :: net
  type(nnp_fit) :: one, two
  real(c_double) :: x(rows, 2), y(rows)
  integer :: i

  x(:, 1) = [(4 * mod(i * 0.7548776662466927d0, 1d0) - 2, i = 1, rows)]
  x(:, 2) = [(4 * mod(i * 0.5698402909980532d0, 1d0) - 2, i = 1, rows)]
  y = abs(x(:, 1)) - x(:, 2) / 2
  call net%create(2)
  call net%dense(6)
  call net%activation(NNP_RELU)
  call net%dense(1)
  call net%head(NNP_GAUSSIAN)
  call net%set(NNP_NOISE, 1d-2)
  call one%sample(net, x, y, chains=4, draws=200, thin=5, seed=1, threads=1)
  call two%sample(net, x, y, chains=4, draws=200, thin=5, seed=1, threads=2)
  if (two%status /= NNP_OK) print "(a)", two%message
  print "(2a)", "the same draws on 1 thread and on 2: ", merge("yes", "no ", all(abs(one%draws - two%draws) <= 0))
end program

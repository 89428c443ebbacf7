! quickstart: 8 relu units learn |x| from 100 points, sampled by Gibbs; what do they say at x = 1?
program quickstart
  use nnpost
  implicit none
  type(nnp_net) :: net
  type(nnp_fit) :: fit
  integer :: i
  real(c_double) :: x(100, 1), at(1, 1) = 1, mean(1, 1), sd(1, 1)
  x(:, 1) = [(-2 + 4.0d0 * i / 99, i = 0, 99)]
  call net%create(1)
  call net%dense(8)
  call net%activation(NNP_RELU)
  call net%dense(1)
  call net%head(NNP_GAUSSIAN)
  call net%set(NNP_NOISE, 1d-3)
  call fit%sample(net, x, abs(x), chains=1, draws=1000, warmup=5000, thin=10, seed=1)
  call fit%predict(at, mean)
  call fit%predict(at, sd, NNP_PREDICT_SD)
  if (fit%status /= NNP_OK) print "(a)", fit%message
  print "(a, f5.3, a, f5.3)", "y(1) = ", mean, " +- ", sd
end program

# quickstart: 8 relu units learn |x| from 100 points, sampled by Gibbs; what do they say at x = 1?
library(nnpost)

x <- -2 + 4 * (0:99) / 99
y <- abs(x) # to be learned
net <- nn_input(1) |> nn_dense(8) |> nn_relu() |> nn_dense(1) |> nn_gaussian()
net <- nn_set(net, noise = 1e-3)
fit <- nn_sample(net, x, y, chains = 1, draws = 1000, warmup = 5000, thin = 10, seed = 1)
mean <- predict(fit, 1)
sd <- predict(fit, 1, type = "sd")
cat(sprintf("y(1) = %.3f +- %.3f\n", mean, sd))

# threads: four chains side by side on several threads. Their number affects only the time.
library(nnpost)

i <- 1:200
x <- 4 * (outer(i, c(0.7548776662466927, 0.5698402909980532)) %% 1) - 2
y <- abs(x[, 1]) - x[, 2] / 2
net <- nn_input(2) |> nn_dense(6) |> nn_relu() |> nn_dense(1) |> nn_gaussian()
net <- nn_set(net, noise = 1e-2)
run <- function(threads) nn_sample(net, x, y, chains = 4, draws = 200, thin = 5, seed = 1, threads = threads)
same <- identical(run(1)$draws, run(2)$draws)
cat("the same draws on 1 thread and on 2:", if (same) "yes" else "no", "\n")

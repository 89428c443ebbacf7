# resume [FILE]: saves a fit to a file and continues from it, like a job that was ended and started again.
# The draws are the same as without the stop, bit for bit.
library(nnpost)

path <- c(commandArgs(trailingOnly = TRUE), "resume.bin")[1]
i <- 1:200
x <- 4 * (outer(i, c(0.7548776662466927, 0.5698402909980532)) %% 1) - 2
y <- abs(x[, 1]) - x[, 2] / 2
net <- nn_input(2) |> nn_dense(6) |> nn_relu() |> nn_dense(1) |> nn_gaussian()
net <- nn_set(net, noise = 1e-2)
run <- function(draws) nn_sample(net, x, y, chains = 2, draws = draws, warmup = 0, thin = 5,
                                 start = "prior", seed = 1)

saveRDS(run(100), path)

fit <- update(readRDS(path), draws = 100) # in another session
same <- identical(fit$draws, run(200)$draws)
cat("the same draws after a restart:", if (same) "yes" else "no", "\n")

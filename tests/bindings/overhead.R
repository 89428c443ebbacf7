# overhead.c in R.
library(nnpost)

values <- function(count, seed) {
  out <- numeric(count)
  for (i in seq_len(count)) {
    seed <- (seed * 16807) %% 2147483647
    out[i] <- 2 * (seed / 2147483647) - 1
  }
  out
}

x <- matrix(values(8000, 1), 400)
y <- values(400, 2)
net <- nn_input(20) |> nn_dense(10) |> nn_relu() |> nn_dense(1) |> nn_gaussian()

clock <- function() sum(proc.time()[1:2]) # in steps of a millisecond
once <- function() {
  began <- clock()
  nn_sample(net, x, y, chains = 1, warmup = 0, draws = 1000, seed = 1, threads = 1)
  clock() - began
}
cat(sprintf("%.6f\n", min(replicate(as.integer(commandArgs(TRUE)[1]), once()))))

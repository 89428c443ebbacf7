# evidence: how many hidden units do the data support? Replica exchange samples the posterior of each network
# by chains on a ladder from the prior up to it, and finds the evidence log p(y | X) on the way. The
# network with the highest evidence explains the data best.
library(nnpost)

i <- 1:60
x <- 4 * (outer(i, c(0.7548776662466927, 0.5698402909980532)) %% 1) - 2
y <- abs(x[, 1]) - x[, 2] / 2
for (hidden in 1:4) {
  net <- nn_input(2) |> nn_dense(hidden) |> nn_relu() |> nn_dense(1) |> nn_gaussian()
  fit <- nn_exchange(nn_set(net, noise = 1e-2), x, y, exchanges = 1, replicas = 30, draws = 2000, seed = 1)
  found <- nn_evidence(fit)
  cat(sprintf("%d units: log evidence %.1f +- %.1f\n", hidden, found[["log_evidence"]], found[["error"]]))
}

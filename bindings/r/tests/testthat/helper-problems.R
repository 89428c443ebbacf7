# Small problems, and fits that several tests look at.

options(nnpost.threads = 1)

wave <- function(count, phase = 0) sin(seq_len(count) * 1.7 + phase) # no pattern, no generator

regression_x <- matrix(wave(80), 40, dimnames = list(NULL, c("a", "b")))
regression_y <- abs(regression_x[, 1]) - 0.5 * regression_x[, 2] + 0.05 * wave(40, 1)
regression_net <- nn_input(2) |> nn_dense(4) |> nn_relu() |> nn_dense(1) |> nn_gaussian() |>
  nn_set(noise = 0.05)
class_y <- factor(c("low", "mid", "high")[1 + (wave(40, 2) > -0.5) + (regression_x[, 1] > 0.3)],
                  c("low", "mid", "high"))
class_net <- nn_input(2) |> nn_dense(4) |> nn_relu() |> nn_dense(3) |> nn_argmax()
binary_net <- nn_input(2) |> nn_dense(3) |> nn_relu() |> nn_dense(1) |> nn_sign_head()

small_fit <- function(net = regression_net, y = regression_y, ..., x = regression_x, chains = 2,
                      draws = 20, warmup = 20, seed = 1) {
  nn_sample(net, x, y, ..., chains = chains, draws = draws, warmup = warmup, seed = seed)
}

live <- function() sum(.Call(nnpost:::nnr_live))

# A fit of a few draws, without its warning that chains disagree.
unjudged <- function(fit) suppressWarnings(fit, classes = "nnpost_not_converged")

# Keeping less than all draws.

x <- matrix(sin(1.7 * seq_len(180)), 60)
y <- abs(x[, 1]) + 0.1 * cos(seq_len(60))
at <- matrix(cos(seq_len(36)), 12)
net <- nn_input(3) |> nn_dense(5) |> nn_relu() |> nn_dense(1) |> nn_gaussian() |> nn_set(noise = 0.1)
fitted_so <- function(...) nn_sample(net, x, y, chains = 2, draws = 12, warmup = 20, seed = 3, ...)
full <- fitted_so()

test_that("what is kept has the bits of kept parameters", {
  kept <- fitted_so(keep = c("functions", "log_lik", "mean", "predictions", "moments"), at = at)
  expect_s3_class(kept, "nnkept")
  expect_identical(kept$kept$functions, nnpost:::function_draws(full))
  expect_identical(log_lik(kept)[1:12, ], log_lik(full, seed = 1)[1:12, ])
  expect_identical(kept$kept$predictions[1:12, , 1], predict(full, at, "draws", seed = 1)[1:12, ])
  expect_equal(kept$moments[, "mean"], apply(full$draws, 1, mean))
  expect_equal(kept$moments[, "variance"], apply(full$draws, 1, function(v) var(as.vector(v))))
  expect_equal(predict(kept), colMeans(kept$kept$mean[, , 1]))
  expect_equal(predict(kept, "sd"), apply(kept$kept$predictions[, , 1], 2, sd))
  expect_equal(predict(kept, probs = 0.3, type = "interval")[, 1],
               apply(kept$kept$predictions[, , 1], 2, quantile, 0.3, names = FALSE))
  expect_identical(colnames(predict(kept, "interval")), c("fit", "lwr", "upr"))
  expect_output(print(kept), "kept: functions, log_lik")
  expect_identical(rownames(summary(kept))[1], "log_lik")
  expect_identical(unserialize(serialize(kept, NULL)), kept)
})

test_that("draws in a file are those in memory", {
  path <- tempfile()
  fit <- fitted_so(file = path)
  expect_identical(dim(fit$draws), dim(full$draws))
  expect_true(all(fit$draws == full$draws))
  expect_identical(predict(fit, at), predict(full, at))
  changed <- fit$draws
  changed[1] <- 5
  expect_identical(fit$draws[1], full$draws[1])
  expect_identical(unserialize(serialize(fit, NULL))$draws[, , ], full$draws[, , ])
  expect_error(update(fit), class = "NNP_E_UNSUPPORTED")
  expect_error(fitted_so(file = path), "exists", class = "NNP_E_FILE")
  expect_error(fitted_so(file = 3), "a path")
})

test_that("gradient samplers keep statistics of their steps", {
  so <- function(...) nn_sample(net, x, y, "nuts", "classical", chains = 2, draws = 6, warmup = 20,
                                thin = 2, seed = 3, ...)
  expect_identical(so(keep = "functions")$stats, so()$stats)
  expect_identical(so(file = tempfile())$stats, so()$stats)
})

test_that("one call keeps predictions at given rows", {
  rows <- data.frame(speed = c(5, 10, 20))
  so <- function(...)
    unjudged(nnpost(dist ~ speed, cars, hidden = 4, chains = 2, draws = 20, warmup = 40, seed = 1,
                    quiet = TRUE, stacking = FALSE, posterior = "classical", ...))
  kept <- so(keep = rows)
  expect_equal(predict(kept), predict(so(), rows))
  expect_equal(kept$kept$log_lik, log_lik(so()))
  flowers <- unjudged(nnpost(Species ~ ., iris, hidden = 4, chains = 2, draws = 10, warmup = 30,
                             seed = 1, quiet = TRUE, keep = iris[c(1, 71, 134), ]))
  expect_equal(unname(rowSums(predict(flowers))), rep(1, 3))
  expect_identical(levels(predict(flowers, "class")), levels(iris$Species))
  expect_error(predict(flowers, "sd"), "was not kept", class = "NNP_E_UNSUPPORTED")
})

test_that("bad input is refused, large draws are told of", {
  expect_error(fitted_so(keep = "nothing"), "nothing", class = "NNP_E_ENUM")
  expect_error(fitted_so(at = at), "keep was not given")
  expect_error(fitted_so(keep = "mean", at = at[, 1:2]), class = "nnpost_error")
  expect_error(fitted_so(keep = "mean", at = replace(at, 1, NA)), "NA")
  expect_error(fitted_so(keep = "scales"), "learns none", class = "NNP_E_UNSUPPORTED")
  expect_error(fitted_so(keep = "probabilities"), "no classes", class = "NNP_E_UNSUPPORTED")
  wide <- nn_input(3) |> nn_dense(2000) |> nn_relu() |> nn_dense(1) |> nn_gaussian()
  told <- tryCatch(nn_sample(wide, x, y, chains = 40, draws = 5000, seed = 1),
                   nnpost_memory = conditionMessage)
  expect_match(told, "take 16.0 GB: keep less of them \\(keep\\)")
})

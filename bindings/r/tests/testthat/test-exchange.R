exchange_fit <- function(...) {
  nn_exchange(regression_net, regression_x, regression_y, draws = 30, replicas = 8, rounds = 3,
              first_round = 10, seed = 1, ...)
}

test_that("an exchange is a fit, and goes on", {
  fit <- exchange_fit(thin = 2)
  expect_s3_class(fit, c("nn_exchange", "nnfit"), exact = TRUE)
  expect_equal(dim(fit$draws), c(17, 30, 2))
  expect_equal(length(predict(fit, regression_x)), 40)
  expect_output(print(fit), "restarts arrived.*log p\\(y \\| x\\)")
  evidence <- nn_evidence(fit)
  expect_named(evidence, c("log_evidence", "error"))
  expect_true(all(is.finite(evidence)))
  ladder <- as.data.frame(fit)
  one <- ladder[ladder$exchange == 1, ]
  expect_equal(range(one$power), c(0, 1))
  expect_true(all(diff(one$power) > 0) && all(diff(one$barrier) >= 0))
  levels <- fit$exchanges[[1]]$levels
  expect_equal(dim(levels), c(nrow(one), 60))
  expect_true(all(apply(levels, 2, sort) == seq_len(nrow(one)) - 1))
  expect_identical(exchange_fit(thin = 2, threads = 1)$draws, fit$draws)

  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  more <- update(readRDS(file), draws = 10)
  expect_equal(dim(more$draws), c(17, 40, 2))
  expect_identical(update(fit, 10)$draws, more$draws)
  expect_error(update(fit, iterations = 3), "iterations: update\\(\\) has no such argument")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off(), add = TRUE)
  expect_silent(plot(fit))
  expect_silent(plot(fit, "trace"))
})

test_that("an exchange takes formulas, ladders and other samplers", {
  frame <- data.frame(y = regression_y, regression_x)
  fit <- nn_exchange(regression_net, y ~ ., data = frame, exchanges = 1, draws = 5,
                     ladder = c(0, 0.01, 0.2, 1), seed = 1)
  expect_equal(as.data.frame(fit)$power, c(0, 0.01, 0.2, 1))
  expect_error(nn_exchange(regression_net, regression_x, regression_y, ladder = c(0, 0.5, 0.5, 1)),
               class = "NNP_E_VALUE")
  expect_error(nn_exchange(regression_net, regression_x, regression_y, replicas = 1), "replicas")
  hmc <- exchange_fit(sampler = "hmc", posterior = "classical", exchanges = 1, leapfrogs = 5)
  expect_equal(dim(hmc$draws), c(17, 30, 1))
  expect_error(nn_evidence(small_fit()), "nn_exchange")
})

fit <- small_fit(draws = 50)
rows <- regression_x[1:6, ]

test_that("mean, sd and intervals are those of the draws", {
  draws <- predict(fit, rows, type = "draws", noise = "forward")
  expect_equal(dim(draws), c(100, 6))
  expect_equal(predict(fit, rows, noise = "forward"), colMeans(draws))
  expect_equal(predict(fit, rows, type = "sd", noise = "forward"), apply(draws, 2, sd))
  interval <- predict(fit, rows, type = "interval", level = 0.8, noise = FALSE)
  expect_equal(colnames(interval), c("fit", "lwr", "upr"))
  expect_equal(interval[, "lwr"], apply(draws, 2, quantile, 0.1, names = FALSE))
  expect_equal(interval[, "upr"], apply(draws, 2, quantile, 0.9, names = FALSE))
})

test_that("outputs are what the weights say", {
  w <- fit$draws[, 3, 2]
  hidden <- pmax(rows %*% matrix(w[1:8], 2) + rep(w[9:12], each = 6), 0)
  expect_equal(predict(fit, rows, type = "draws", noise = "forward")[53, ], as.vector(hidden %*% w[13:16] + w[17]))
})

test_that("noise widens, and is the same for the same seed", {
  narrow <- predict(fit, rows, type = "interval", noise = "forward")
  wide <- predict(fit, rows, type = "interval")
  expect_true(all(wide[, "upr"] - wide[, "lwr"] > narrow[, "upr"] - narrow[, "lwr"]))
  expect_identical(wide, predict(fit, rows, type = "interval"))
  expect_false(identical(wide, predict(fit, rows, type = "interval", seed = 9)))
  expect_equal(dim(predict(fit, rows, type = "draws", draws = 10)), c(10, 6))
})

test_that("predictions are those of the fitted model", {
  # dense, dense: y is Gaussian with mean f and variance D2 + D1 |w|^2 given a draw
  net <- nn_input(2) |> nn_dense(3, noise = 0.3) |> nn_dense(1, noise = 1e-4) |> nn_gaussian()
  deep <- small_fit(net, draws = 100, chains = 2)
  w <- deep$draws
  dim(w) <- c(dim(w)[1], 200)
  variance <- 1e-4 + 0.3 * colSums(w[10:12, ]^2)
  f <- predict(deep, type = "draws", noise = "forward")
  exact <- dnorm(rep(regression_y, each = 200), f, sqrt(variance), log = TRUE)
  expect_equal(log_lik(deep), matrix(exact, 200), tolerance = 1e-10)
  density <- colMeans(exp(matrix(exact, 200)))
  expect_equal(nn_score(deep)[["log_score"]], mean(log(density)), tolerance = 1e-10)
  expect_lt(nn_score(deep, noise = "forward")[["log_score"]], -2)
  spread <- sqrt(mean(variance) + apply(f, 2, function(v) mean((v - mean(v))^2)))
  expect_equal(predict(deep, type = "sd"), spread, tolerance = 0.1)
  interval <- predict(deep, type = "interval", level = 0.8)
  inside <- vapply(1:40, function(i) mean(pnorm(interval[i, "upr"], f[, i], sqrt(variance)) -
                                           pnorm(interval[i, "lwr"], f[, i], sqrt(variance))), 0)
  expect_true(all(abs(inside - 0.8) < 0.06))
})

test_that("the log likelihood is one row a draw, and serves WAIC", {
  values <- log_lik(fit)
  expect_equal(dim(values), c(100, 40))
  named <- rows
  rownames(named) <- letters[1:6]
  expect_equal(colnames(log_lik(fit, named, regression_y[1:6])), letters[1:6])
  expect_identical(dim(log_lik(fit, draws = 10)), c(10L, 40L))
  lppd <- log(colMeans(exp(values)))
  waic <- sum(lppd - apply(values, 2, var))
  expect_true(is.finite(waic) && waic < sum(lppd))
  expect_equal(sum(lppd) / 40, nn_score(fit)[["log_score"]], tolerance = 0.02)
  expect_error(log_lik(fit, rows), "only one of newdata and y")
  expect_error(log_lik(fit, drwas = 1), "drwas: .*did you mean draws")
})

test_that("the classical posterior of classes is Bayes, as glm has it", {
  x <- cbind(a = wave(200), b = sin(seq_len(200)^2))
  y <- factor(ifelse(x[, 1] - 0.7 * x[, 2] + 1.5 * cos(seq_len(200)^3) > 0.2, "yes", "no"))
  net <- nn_input(2) |> nn_dense(1, lambda_w = 1e-6, lambda_b = 1e-6) |> nn_sign_head()
  bayes <- nn_sample(net, x, y, "nuts", "classical", chains = 2, draws = 1000, seed = 1)
  likelihood <- glm(y ~ x, family = binomial)
  found <- summary(bayes, "parameters")$table # weights, then the bias
  expect_equal(found$mean, unname(coef(likelihood))[c(2, 3, 1)], tolerance = 0.1)
  expect_equal(found$sd, unname(sqrt(diag(vcov(likelihood))))[c(2, 3, 1)], tolerance = 0.1)
  expect_equal(nn_temperature(net), 1)
  expect_no_match(capture.output(print(bayes))[1], "temperature")
  cold <- nn_set(net, noise = 0.01)
  expect_equal(nn_temperature(cold), 0.02)
  cold <- nn_sample(cold, x, y, "nuts", "classical", chains = 1, draws = 20, seed = 1)
  expect_output(print(cold), "classical, temperature 0.02")
})

test_that("fitted and residuals are of the training rows", {
  expect_equal(fitted(fit), predict(fit, regression_x))
  expect_equal(residuals(fit), regression_y - fitted(fit))
  expect_equal(nn_score(fit)[["mse"]], mean(residuals(fit)^2))
  expect_equal(nn_score(fit, rows, regression_y[1:6])[["mse"]], mean(residuals(fit)[1:6]^2))
  expect_error(nn_score(fit, rows), "only one of newdata and y")
})

test_that("classes have probabilities, and names", {
  classes <- small_fit(class_net, class_y)
  p <- predict(classes, rows)
  expect_equal(colnames(p), levels(class_y))
  expect_equal(rowSums(p), rep(1, 6))
  best <- predict(classes, rows, type = "class")
  expect_equal(levels(best), levels(class_y))
  expect_equal(as.character(best), levels(class_y)[max.col(p)])
  expect_equal(nn_score(classes)[["accuracy"]], mean(predict(classes, type = "class") == class_y))
  expect_equal(rowSums(residuals(classes)), rep(0, 40))
  expect_error(nn_score(classes, rows, rep("other", 6)), "no class of the fit")
  expect_equal(dim(predict(classes, rows, type = "draws")), c(40, 6, 3))
  two <- small_fit(binary_net, factor(ifelse(regression_y > 0, "yes", "no")))
  expect_equal(rowSums(predict(two, rows)), rep(1, 6))
  expect_equal(colnames(predict(two, rows)), c("no", "yes"))
  expect_gt(nn_score(two)[["accuracy"]], 0.6)
  expect_error(predict(fit, type = "class"), class = "NNP_E_UNSUPPORTED")
})

test_that("probabilities of the classical posterior are of softmax", {
  classical <- small_fit(class_net, class_y, sampler = "hmc", posterior = "classical")
  scores <- predict(classical, rows, type = "draws")
  softmax <- exp(scores) / as.vector(apply(exp(scores), 1:2, sum))
  expect_equal(predict(classical, rows), apply(softmax, 2:3, mean))
  p <- predict(classical)[cbind(1:40, as.integer(class_y))]
  expect_equal(nn_score(classical)[["log_score"]], mean(log(p)))
})

test_that("several outputs keep their order", {
  net <- nn_input(2) |> nn_dense(3) |> nn_relu() |> nn_dense(2) |> nn_gaussian()
  both <- small_fit(net, cbind(u = regression_y, v = 1 - regression_y))
  interval <- predict(both, rows, type = "interval")
  expect_equal(dim(interval), c(6, 3, 2))
  expect_equal(interval[, "fit", "v"], predict(both, rows)[, "v"])
  draws <- predict(both, rows, type = "draws", noise = "forward")
  expect_equal(apply(draws, 2:3, mean), predict(both, rows, noise = "forward"))
  expect_equal(colnames(residuals(both)), c("u", "v"))
})

test_that("heavy tails: an outlier moves a Student-t fit little, and scores are t densities", {
  x <- matrix(wave(60), 60)
  y <- replace(2 * x[, 1] + 0.1 * wave(60, 1), 60, 30)
  line <- nn_input(1) |> nn_dense(1, lambda_w = 0.01, lambda_b = 0.01)
  fits <- lapply(list(nn_gaussian(line, noise = 0.01), nn_student_t(line, 3, noise = 0.01)),
                 small_fit, y, x = x, draws = 200)
  off <- vapply(fits, function(fit) sqrt(mean((fitted(fit) - 2 * x[, 1])[-60]^2)), 0)
  expect_gt(off[1], 0.3)
  expect_lt(off[2], 0.1)
  f <- predict(fits[[2]], type = "draws", noise = "forward")
  density <- dt((rep(y, each = nrow(f)) - f) / 0.1, 3) / 0.1
  expect_equal(nn_score(fits[[2]])[["log_score"]], mean(log(colMeans(density))))
  wide <- predict(fits[[2]], x[1:5, , drop = FALSE], type = "interval")
  expect_true(all(wide[, "upr"] - wide[, "lwr"] > 2 * 2 * 0.1)) # qt(0.975, 3) = 3.2
})

test_that("row names are kept and mistakes told", {
  named <- rows
  rownames(named) <- letters[1:6]
  expect_named(predict(fit, named), letters[1:6])
  expect_error(predict(fit, rows[, 1]), class = "NNP_E_SHAPE")
  expect_error(predict(fit, rows, type = "interval", level = 2), "between 0 and 1")
  expect_error(predict(fit, rows, tpye = "mean"), "tpye: predict.*did you mean type")
  expect_error(predict(fit, replace(rows, 1, Inf)), class = "NNP_E_NOT_FINITE")
})

test_that("missing inputs have missing predictions", {
  holed <- replace(rows, 2, NA) # row 2, column a
  rownames(holed) <- letters[1:6]
  mean <- predict(fit, holed)
  expect_equal(which(is.na(mean)), c(b = 2L))
  expect_equal(unname(mean[-2]), predict(fit, rows)[-2])
  interval <- predict(fit, holed, type = "interval", noise = FALSE)
  expect_equal(rownames(interval), letters[1:6])
  expect_true(all(is.na(interval["b", ])) && !anyNA(interval[-2, ]))
  draws <- predict(fit, holed, type = "draws")
  expect_true(all(is.na(draws[, "b"])) && !anyNA(draws[, -2]))
  classes <- small_fit(class_net, class_y)
  expect_true(is.na(predict(classes, holed, type = "class")[2]))
  expect_equal(dim(predict(classes, holed, type = "draws")), c(40, 6, 3))
  expect_error(predict(fit, rows * NA), "every row")
})

test_that("rows that were left out come back as the formula interface says", {
  frame <- data.frame(regression_x, y = regression_y, u = regression_y^2)
  frame$a[3] <- NA
  fit <- function(...) nn_sample(regression_net, y ~ a + b, data = frame, ..., chains = 1,
                                 draws = 5, warmup = 5, seed = 1)
  omitted <- fit()
  excluded <- fit(na.action = na.exclude)
  expect_equal(nobs(excluded), 39)
  for (f in list(predict, fitted, residuals)) {
    expect_length(f(omitted), 39)
    expect_length(f(excluded), 40)
    expect_equal(unname(which(is.na(f(excluded)))), 3)
  }
  expect_equal(dim(predict(excluded, type = "interval")), c(40, 3))
  expect_equal(dim(predict(excluded, type = "draws")), c(5, 40))
  expect_true(all(is.na(predict(excluded, type = "draws")[, 3])))
  pdf(NULL)
  on.exit(dev.off())
  expect_identical(plot(excluded, "predictive"), excluded)
})

test_that("new data of another type are refused", {
  frame <- data.frame(regression_x, y = regression_y)
  fit <- nn_sample(regression_net, y ~ a + b, data = frame, chains = 1, draws = 5, warmup = 5)
  expect_error(predict(fit, data.frame(a = "x", b = 1)), "was fitted with type")
})

test_that("columns of new data are found by name", {
  swapped <- rows[, c("b", "a")]
  expect_identical(predict(fit, swapped), predict(fit, rows))
  expect_identical(unname(predict(fit, data.frame(more = 1, swapped))), predict(fit, rows))
  expect_error(predict(fit, data.frame(a = 1, c = 2)), "no column b")
  expect_identical(predict(fit, unname(rows)), predict(fit, rows)) # by place
  expect_identical(fit$call[[1]], quote(nn_sample))
})

test_that("Ctrl-C ends predictions, scores and log likelihoods", {
  skip_on_cran()
  skip_on_os("windows")
  fit <- small_fit()
  many <- matrix(wave(2e5), ncol = ncol(regression_x))
  rung <- function(code) {
    system(sprintf("(sleep 0.3; kill -INT %d) &", Sys.getpid()))
    tryCatch(code, nn_interrupted = identity)
  }
  expect_s3_class(rung(predict(fit, many, type = "sd", passes = 10000)), "nn_interrupted")
  expect_s3_class(rung(log_lik(fit, passes = 1e6)), "nn_interrupted")
  expect_s3_class(rung(posterior_epred(fit, many, passes = 10000)), "nn_interrupted")
})

test_that("predictions do not depend on threads", {
  fit <- small_fit()
  many <- matrix(wave(2000), ncol = ncol(regression_x))
  asked <- function(threads) {
    before <- options(nnpost.threads = threads)
    on.exit(options(before))
    list(predict(fit, many, type = "interval"), predict(fit, many, type = "draws"), log_lik(fit),
         nn_score(fit))
  }
  expect_identical(asked(3), asked(1))
})

test_that("columns that new rows lack are named", {
  fit <- unjudged(nnpost(regression_x, regression_y, hidden = 2, chains = 2, draws = 10, warmup = 10,
                         seed = 1, quiet = TRUE))
  expect_error(predict(fit, regression_x[1:3, "a", drop = FALSE]),
               "newdata: it has no column b, expected the columns of x: a, b", class = "NNP_E_SHAPE")
  expect_error(predict(fit, unname(regression_x[1:3, 1, drop = FALSE])),
               "newdata: it has 1 columns without names, expected the columns of x: a, b")
  expect_equal(predict(fit, unname(regression_x)), predict(fit, regression_x))
  bare <- unjudged(nnpost(unname(regression_x), regression_y, hidden = 2, chains = 2, draws = 10,
                          warmup = 10, seed = 1, quiet = TRUE))
  expect_error(predict(bare, regression_x[1:3, 1, drop = FALSE]),
               "newdata: it has 1 columns, expected as many as x: 2", class = "NNP_E_SHAPE")
})

# What users of brms, rstanarm, loo and broom type.

frame <- data.frame(regression_x, y = regression_y, group = gl(2, 20, labels = c("p", "q")))
line <- nn_input() |> nn_dense(1) |> nn_gaussian() |> nn_set(noise = 0.05)
fit <- nn_sample(line, y ~ a + b, data = frame, chains = 2, draws = 200, seed = 1)
rough <- small_fit(draws = 50) # hidden noise
classes <- small_fit(class_net, class_y)
soft <- small_fit(class_net, class_y, sampler = "hmc", posterior = "classical")
two <- small_fit(binary_net, factor(ifelse(regression_y > 0, "yes", "no")))
gradient <- small_fit(sampler = "nuts", posterior = "classical")

test_that("expected values are the means of the draws", {
  means <- posterior_epred(fit)
  expect_equal(dim(means), c(400, 40))
  expect_equal(means, posterior_linpred(fit))
  expect_equal(colMeans(means), fitted(fit))
  expect_equal(dim(posterior_epred(fit, frame[1:3, ], ndraws = 10)), c(10, 3))
  # hidden noise: the mean of relu(z + noise) is above relu(z)
  exact <- function(w) { # of one draw, by the mean of a rectified normal
    z <- regression_x %*% matrix(w[1:8], 2) + rep(w[9:12], each = 40)
    s <- sqrt(0.05)
    as.vector((z * pnorm(z / s) + s * dnorm(z / s)) %*% w[13:16] + w[17])
  }
  found <- posterior_epred(rough, passes = 2000, ndraws = 1)
  expect_lt(max(abs(found[1, ] - exact(rough$draws[, 1, 1]))), 0.015)
  expect_gt(max(abs(posterior_linpred(rough, ndraws = 1)[1, ] - exact(rough$draws[, 1, 1]))), 0.03)
})

test_that("classes have probabilities by draw, and draws of classes", {
  p <- posterior_epred(classes)
  expect_equal(dim(p), c(40, 40, 3))
  expect_equal(dimnames(p)[[3]], levels(class_y))
  expect_equal(apply(p, 1:2, sum), matrix(1, 40, 40), ignore_attr = TRUE)
  expect_equal(apply(posterior_epred(soft), 2:3, mean), predict(soft))
  expect_equal(dim(posterior_epred(two)), c(40, 40))
  expect_equal(colMeans(posterior_epred(two)), unname(predict(two)[, "yes"]), tolerance = 0.05)
  for (one in list(classes, soft)) {
    drawn <- posterior_predict(one)
    expect_true(all(drawn %in% 1:3))
    expect_equal(attr(drawn, "levels"), levels(class_y))
    share <- vapply(1:3, function(k) mean(drawn == k), 0)
    expect_equal(share, unname(colMeans(predict(one))), tolerance = 0.05)
    expect_identical(drawn, posterior_predict(one))
  }
  expect_setequal(posterior_predict(two), 0:1)
  set.seed(1)
  before <- .Random.seed
  posterior_predict(soft)
  expect_identical(.Random.seed, before) # R's own generator stays where it is
})

test_that("draws of what will be observed are those of predict()", {
  expect_identical(posterior_predict(fit, frame[1:3, ]), predict(fit, frame[1:3, ], type = "draws"))
  expect_equal(dim(posterior_predict(fit, ndraws = 7)), c(7, 40))
  expect_equal(colnames(predictive_interval(fit, prob = 0.8)), c("10%", "90%"))
  expect_equal(unname(predictive_interval(fit, prob = 0.8)),
               unname(predict(fit, type = "interval", level = 0.8)[, -1]))
})

test_that("predict() speaks as predict.lm() and predict.glm() do", {
  inside <- predict(fit, frame[1:5, ], interval = "confidence", level = 0.8)
  means <- posterior_epred(fit, frame[1:5, ])
  expect_equal(inside[, "fit"], colMeans(means))
  expect_equal(unname(inside[, -1]), unname(t(apply(means, 2, quantile, c(0.1, 0.9)))))
  expect_equal(predict(fit, frame[1:5, ], interval = "prediction", level = 0.8),
               predict(fit, frame[1:5, ], type = "interval", level = 0.8))
  with_error <- predict(fit, frame[1:5, ], se.fit = TRUE)
  expect_named(with_error, c("fit", "se.fit", "residual.scale"))
  expect_equal(with_error$se.fit, apply(means, 2, sd))
  expect_equal(with_error$residual.scale, sigma(fit))
  expect_equal(predict(fit, type = "response"), predict(fit))
  expect_equal(colnames(predict(fit, probs = c(0.025, 0.5))), c("2.5%", "50.0%"))
  expect_equal(unname(predict(fit, probs = 0.1)[, 1]),
               unname(predict(fit, type = "interval", level = 0.8)[, "lwr"]))
  expect_equal(predict(two, type = "response"), predict(two)[, "yes"])
  expect_equal(dim(predict(classes, interval = "confidence")), c(40, 3, 3))
  expect_error(predict(classes, interval = "prediction"),
               "interval: a class has no prediction interval, expected \"confidence\"")
  expect_error(predict(fit, type = "sd", interval = "confidence"), "mean or response")
  expect_error(predict(fit, probs = 2), "probs: 2, expected")
  # against lm: many rows, a straight line, and priors that do not matter
  broad <- nn_input() |> nn_dense(1, lambda_w = 1e-6, lambda_b = 1e-6) |> nn_gaussian() |>
    nn_learn("noise", layer = 1)
  set.seed(1)
  straight <- data.frame(a = wave(200))
  straight$y <- 1 + 2 * straight$a + rnorm(200, sd = 0.3)
  ours <- nn_sample(broad, y ~ a, data = straight, chains = 2, draws = 2000, seed = 1)
  theirs <- lm(y ~ a, data = straight)
  at <- straight[c(1, 50, 100), ]
  for (interval in c("confidence", "prediction"))
    expect_equal(predict(ours, at, interval = interval), predict(theirs, at, interval = interval),
                 tolerance = 0.02)
  expect_equal(predict(ours, at, se.fit = TRUE)$se.fit, predict(theirs, at, se.fit = TRUE)$se.fit,
               tolerance = 0.1)
  expect_equal(sigma(ours), sigma(theirs), tolerance = 0.05)
})

test_that("no rows have no predictions", {
  none <- frame[0, ]
  expect_length(predict(fit, none), 0)
  expect_equal(dim(predict(fit, none, type = "interval")), c(0, 3))
  expect_equal(dim(predict(fit, none, interval = "confidence")), c(0, 3))
  expect_equal(dim(predict(fit, none, type = "draws")), c(400, 0))
  expect_equal(dim(posterior_predict(fit, none)), c(400, 0))
  expect_equal(dim(posterior_epred(fit, none)), c(400, 0))
  expect_equal(dim(predict(classes, regression_x[0, ])), c(0, 3))
  expect_length(predict(classes, regression_x[0, ], type = "class"), 0)
  expect_error(nn_score(fit, none), "no rows")
})

test_that("rows with missing values do not count in scores", {
  holed <- frame
  holed$a[3] <- NA
  holed$y[5] <- NA
  expect_equal(nn_score(fit, holed), nn_score(fit, frame[-c(3, 5), ]))
  pointwise <- log_lik(fit, holed)
  expect_equal(unname(which(is.na(colSums(pointwise)))), c(3, 5))
  expect_equal(pointwise[, -c(3, 5)], log_lik(fit, frame)[, -c(3, 5)])
  expect_error(nn_score(fit, transform(frame, y = NA_real_)), "every row has an NA")
  excluded <- nn_sample(line, y ~ a + b, data = holed, na.action = na.exclude, chains = 1,
                        draws = 10, seed = 1)
  expect_equal(dim(log_lik(excluded)), c(10, 38))
  expect_length(nn_score(excluded), 2)
})

test_that("leave-one-out cross-validation is that of loo", {
  skip_if_not_installed("loo")
  found <- suppressWarnings(loo(fit))
  pointwise <- log_lik(fit)
  theirs <- suppressWarnings(loo::loo(pointwise, r_eff = loo::relative_eff(
    exp(pointwise), chain_id = rep(1:2, each = 200))))
  expect_equal(found$estimates, theirs$estimates)
  expect_equal(suppressWarnings(loo::loo(fit))$estimates, theirs$estimates)
  expect_equal(suppressWarnings(waic(fit))$estimates,
               suppressWarnings(loo::waic(pointwise))$estimates)
  # by hand: the rows left out in turn of a straight line with known noise
  left_out <- sum(vapply(1:40, function(i) {
    w <- c(2, 2) # lambda of weights and bias: the fan-in
    X <- cbind(regression_x, 1)[-i, ]
    P <- crossprod(X) / 0.05 + diag(2, 3)
    new <- c(regression_x[i, ], 1)
    m <- solve(P, crossprod(X, regression_y[-i]) / 0.05)
    dnorm(regression_y[i], sum(new * m), sqrt(0.05 + sum(new * solve(P, new))), log = TRUE)
  }, 0))
  expect_equal(found$estimates[["elpd_loo", "Estimate"]], left_out, tolerance = 0.02)
  smaller <- suppressWarnings(loo(update(fit, . ~ . - b)))
  compared <- loo::loo_compare(found, smaller)
  expect_equal(rownames(compared)[1], "fit")
  expect_equal(dim(suppressWarnings(loo(fit, ndraws = 50))$pointwise)[1], 40)
})

test_that("objects of other classes go to the packages they are of", {
  skip_if_not_installed("loo")
  pointwise <- log_lik(fit)
  expect_equal(suppressWarnings(waic(pointwise))$estimates,
               suppressWarnings(loo::waic(pointwise))$estimates)
  error <- tryCatch(pp_check(1), error = conditionMessage)
  expect_match(error, "pp_check|no applicable method")
})

test_that("registered with other packages", {
  theirs <- "rstantools" # not among the packages this one suggests
  skip_if_not(nnpost:::has_package(theirs), theirs)
  for (name in c("posterior_predict", "posterior_epred", "log_lik"))
    expect_identical(getExportedValue(theirs, name)(fit), getExportedValue("nnpost", name)(fit))
})

test_that("posterior counts draws", {
  skip_if_not_installed("posterior")
  expect_equal(posterior::ndraws(fit), 400)
  expect_equal(posterior::nchains(fit), 2)
  expect_equal(posterior::niterations(fit), 200)
  expect_equal(posterior::variables(fit), c("W1[1,1]", "W1[1,2]", "b1[1]"))
  expect_equal(posterior::nvariables(fit), 3)
})

test_that("tables of a fit, as broom has them", {
  skip_if_not_installed("generics")
  terms <- as.data.frame(generics::tidy(fit, "parameters", conf.int = TRUE, conf.level = 0.9))
  expect_equal(terms$term, c("W1[1,1]", "W1[1,2]", "b1[1]"))
  expect_equal(terms$conf.low, summary(fit, "parameters")$table$q5)
  expect_equal(generics::tidy(fit)$term[1], "log_lik")
  one <- generics::glance(fit)
  expect_equal(nrow(one), 1)
  expect_equal(one$nobs, 40)
  expect_equal(one$sigma, sigma(fit))
  more <- as.data.frame(generics::augment(fit, interval = "prediction"))
  expect_equal(more$.fitted, unname(fitted(fit)))
  expect_equal(more$.resid, unname(residuals(fit)))
  expect_true(all(more$.lower < more$.upper))
  expect_equal(more$y, frame$y)
  new <- generics::augment(fit, newdata = frame[1:3, c("a", "b")])
  expect_equal(dim(new), c(3, 4))
  classified <- generics::augment(classes)
  expect_equal(classified$.pred_class, unname(predict(classes, type = "class")))
  expect_equal(classified$.pred_mid, unname(predict(classes)[, "mid"]))
})

test_that("the noise is found wherever it is", {
  # the variance of new targets is that of their expected values, and noise
  total <- function(fit) {
    spread <- apply(posterior_epred(fit, passes = 512), 2, var)
    sqrt(mean(predict(fit, type = "sd", passes = 512)^2 - spread))
  }
  tied <- small_fit(nn_learn_tied(regression_net, c(0.5, 0.5, 2)))
  noisy <- small_fit()
  for (one in list(noisy, tied)) expect_equal(sigma(one), total(one), tolerance = 0.05)
  expect_gt(sigma(noisy), 1.1 * sqrt(0.05))
  expect_equal(sigma(fit), sqrt(0.05))
  gap <- data.frame(a = 1:40 / 20, y = sin(1:40 / 10))
  gap$a[3] <- NA
  left_out <- nn_sample(nn_input(1) |> nn_dense(4) |> nn_relu() |> nn_dense(1) |> nn_gaussian() |>
                          nn_set(noise = 0.05), y ~ a, data = gap, na.action = na.exclude,
                        chains = 2, draws = 40, warmup = 40, seed = 1)
  expect_true(is.finite(sigma(left_out)))
  last <- small_fit(regression_net, sampler = "nuts", posterior = "classical")
  expect_equal(sigma(last), sqrt(0.05))
  expect_error(sigma(classes), "classes have no residual noise")
  both <- small_fit(nn_input(2) |> nn_dense(2, noise = 0.1) |> nn_gaussian(),
                    cbind(u = regression_y, v = regression_y))
  expect_equal(sigma(both), c(u = sqrt(0.1), v = sqrt(0.1)))
})

test_that("data are simulated as simulate.lm() does", {
  sets <- simulate(fit, 3, seed = 5)
  expect_equal(names(sets), paste0("sim_", 1:3))
  expect_equal(nrow(sets), 40)
  expect_identical(sets, simulate(fit, 3, seed = 5))
  set.seed(2)
  one <- simulate(fit)
  set.seed(2)
  expect_identical(one, simulate(fit))
  expect_equal(levels(simulate(classes)$sim_1), levels(class_y))
  expect_equal(levels(simulate(two)$sim_1), c("no", "yes"))
  spread <- simulate(fit, 400, seed = 1)
  expect_equal(mean(apply(spread, 1, sd)), mean(predict(fit, type = "sd")), tolerance = 0.1)
})

test_that("what a fit was made of", {
  expect_equal(model.matrix(fit), regression_x, ignore_attr = TRUE)
  expect_equal(colnames(model.matrix(fit)), c("a", "b"))
  expect_equal(names(model.frame(fit)), c("y", "a", "b"))
  expect_equal(formula(fit), y ~ a + b, ignore_attr = TRUE)
  expect_equal(dim(as.data.frame(fit)), c(400, 3))
  expect_equal(as.data.frame(fit)$`b1[1]`, as.vector(fit$draws["b1[1]", , ]))
  expect_error(formula(rough), "made from a matrix")
})

test_that("what has no meaning says so", {
  for (f in list(coef, vcov, confint, logLik, AIC, deviance, df.residual))
    expect_error(f(fit), class = "NNP_E_UNSUPPORTED")
  expect_error(coef(fit), "data do not determine")
  expect_error(AIC(fit), "loo\\(fit\\)")
})

test_that("parameters of the sampler are those bayesplot draws", {
  table <- nuts_params(gradient)
  expect_equal(names(table), c("Chain", "Iteration", "Parameter", "Value"))
  expect_equal(dim(table), c(6 * 2 * 20, 4))
  depths <- subset(table, Parameter == "treedepth__" & Chain == 2)
  expect_equal(depths$Value, unname(gradient$stats["depth", , 2]))
  expect_equal(log_posterior(gradient)$Value[21], gradient$stats[["log_density", 1, 2]])
  expect_error(nuts_params(fit), "gibbs")
})

test_that("a fit is made again with another formula or other arguments", {
  smaller <- update(fit, . ~ . - b)
  expect_equal(colnames(smaller$x), "a")
  expect_equal(dim(smaller$draws), c(2, 200, 2))
  expect_identical(smaller$draws,
                   nn_sample(line, y ~ a, data = frame, chains = 2, draws = 200, seed = 1)$draws)
  other <- update(fit, chains = 3, draws = 10)
  expect_equal(dim(other$draws)[2:3], c(10, 3))
  expect_equal(update(fit, formula. = . ~ . + group, evaluate = FALSE)$x, y ~ a + b + group,
               ignore_attr = TRUE)
  expect_error(update(rough, . ~ . - b), "made from a matrix")
  expect_error(update(fit, chians = 3), "did you mean chains")
  expect_error(update(fit, iter = 3), "did you mean draws")
})

test_that("arguments that are not known are named", {
  expect_error(predict(fit, newdta = frame), "newdta: predict\\(\\).*did you mean newdata\\?")
  expect_error(posterior_predict(fit, nndraws = 3), "did you mean ndraws")
  expect_error(predict(fit, frame, "mean", 0.9, "fitted", NULL, 1, 0, "none", FALSE, NULL, 3),
               "without a name")
  expect_error(nn_sample(line, y ~ a, dta = frame), "did you mean data")
  expect_error(fitted(fit, tpye = 1), "fitted\\(\\) has no such argument")
})

test_that("weights count rows", {
  weights <- rep(c(1, 3, 0, 2), 10)
  weighted <- nn_sample(line, y ~ a + b, data = frame, weights = weights, chains = 1, draws = 50,
                        seed = 1)
  repeated <- nn_sample(line, y ~ a + b, data = frame[rep(1:40, weights), ], chains = 1, draws = 50,
                        seed = 1)
  expect_identical(weighted$draws, repeated$draws)
  expect_identical(update(weighted, 5)$draws, update(repeated, 5)$draws)
  expect_length(fitted(weighted), 40)
  expect_equal(weights(weighted), weights)
  expect_equal(sum(log_lik(weighted)[1, ]), sum(log_lik(repeated)[1, ]))
  expect_error(nn_sample(line, y ~ a, data = frame, weights = rep(0.5, 40)),
               "weights: row 1 has 0.5, expected whole numbers", class = "NNP_E_UNSUPPORTED")
  expect_error(nn_sample(line, y ~ a, data = frame, weights = rep(0, 40)), "all are 0")
  labelled <- nn_sample(class_net, regression_x, class_y, weights = rep(2, 40), chains = 1,
                        draws = 5, seed = 1)
  expect_identical(labelled$draws,
                   nn_sample(class_net, regression_x[rep(1:40, each = 2), ],
                             rep(class_y, each = 2), chains = 1, draws = 5, seed = 1)$draws)
})

test_that("an offset is taken off and put back", {
  shifted <- transform(frame, y = y + 100 * b, shift = 100 * b)
  with_offset <- nn_sample(line, y ~ a + offset(shift), data = shifted, chains = 1, draws = 50,
                           seed = 1)
  without <- nn_sample(line, y ~ a, data = transform(shifted, y = y - shift), chains = 1,
                       draws = 50, seed = 1)
  expect_equal(with_offset$draws, without$draws, tolerance = 1e-6)
  expect_equal(fitted(with_offset), fitted(without) + shifted$shift, tolerance = 1e-6)
  expect_equal(predict(with_offset, shifted[1:4, ]), fitted(with_offset)[1:4])
  expect_equal(log_lik(with_offset), log_lik(without), tolerance = 1e-6)
  expect_equal(posterior_epred(with_offset), posterior_linpred(with_offset))
  expect_equal(nn_score(with_offset)[["mse"]], mean(residuals(with_offset)^2))
  argument <- nn_sample(line, y ~ a, data = shifted, offset = shift, chains = 1, draws = 50,
                        seed = 1)
  expect_identical(argument$draws, with_offset$draws)
  expect_equal(predict(argument, shifted[1:4, ]), fitted(with_offset)[1:4])
  expect_error(nn_sample(class_net, class_y ~ a + b + offset(b), data = frame), "no offset for classes")
})

test_that("effects of groups are refused, not made a constant", {
  expect_error(nn_sample(line, y ~ a + (1 | group), data = frame), "the term \\(1 \\| group\\)",
               class = "NNP_E_UNSUPPORTED")
  expect_error(nn_sample(line, y ~ a + (a || group), data = frame), "give groups as a factor")
  expect_s3_class(nn_sample(line, y ~ a + I(a > 0 | b > 0), data = frame, chains = 1, draws = 2),
                  "nnfit")
})

test_that("levels the fit has not seen are named", {
  grouped <- nn_sample(line, y ~ a + group, data = frame, chains = 1, draws = 5, seed = 1)
  new <- transform(frame[1:3, ], group = c("p", "r", "q"))
  expect_error(predict(grouped, new), "row 2, column group is \"r\", expected a level of the fit: p, q",
               class = "NNP_E_LABEL")
})

test_that("inputs far from order 1 get a warning", {
  large <- transform(frame, b = 1000 + b)
  expect_warning(nn_sample(line, y ~ a + b, data = large, chains = 1, draws = 2),
                 "x, column b: values of the order of 1000", class = "nnpost_unscaled")
  expect_warning(nn_sample(line, y ~ a, data = transform(frame, y = 1e-4 * y), chains = 1,
                           draws = 2), "^y: values", class = "nnpost_unscaled")
  expect_silent(nn_sample(line, y ~ a + b, data = frame, chains = 1, draws = 2))
})

# The one call.

# nnpost() with small numbers, and subset and weights evaluated where they belong. Of the classical
# posterior, whose layers below the last have no noise: predictions are then exact functions of draws.
quick <- function(...) {
  call <- match.call()
  call[[1L]] <- quote(nnpost)
  small <- list(draws = 60, warmup = 60, chains = 2, seed = 1, quiet = TRUE, posterior = "classical")
  told <- !is.null(call$quiet)
  for (name in setdiff(names(small), names(call))) call[[name]] <- small[[name]]
  if (told) eval(call, parent.frame()) else unjudged(eval(call, parent.frame()))
}
frame <- data.frame(a = 1000 + 50 * wave(60), b = 0.001 * wave(60, 1),
                    g = factor(rep_len(c("u", "v", "w"), 60)))
frame$y <- 5e4 + 1e4 * tanh((frame$a - 1000) / 50) + 2e3 * (frame$g == "v") + 500 * wave(60, 2)
frame$z <- frame$y / 1e6
frame$kind <- factor(c("low", "mid", "high")[1 + (frame$y > 4.6e4) + (frame$y > 5.4e4)],
                     c("low", "mid", "high"))
frame$up <- factor(ifelse(frame$y > 5e4, "yes", "no"))
inputs <- y ~ a + b + g
fit <- quick(inputs, data = frame, hidden = 8)

test_that("a formula and data are enough, in the units they have", {
  expect_s3_class(fit, "nnfit")
  expect_equal(dim(fit$draws)[2:3], c(60, 2))
  expect_equal(fit$sampler, "nuts")
  expect_equal(fit$posterior, "classical")
  expect_lt(sqrt(mean(residuals(fit)^2)), 1500)
  expect_gt(cor(fitted(fit), frame$y), 0.98)
  expect_gt(sigma(fit), 100)
  expect_lt(sigma(fit), 2000)
})

test_that("a small table is sampled by Gibbs, and what is said brings the rest with it", {
  said <- function(...) {
    fit <- unjudged(nnpost(inputs, data = frame, hidden = 4, chains = 2, draws = 100, warmup = 200,
                           thin = 2, seed = 1, quiet = TRUE, ...))
    expect_gt(cor(fitted(fit), frame$y), 0.95)
    c(fit$sampler, fit$posterior)
  }
  expect_equal(said(), c("gibbs", "intermediate"))
  expect_equal(said(activation = "tanh"), c("nuts", "classical"))
  expect_equal(said(sampler = "nuts"), c("nuts", "classical"))
  expect_equal(said(posterior = "classical"), c("nuts", "classical"))
})

test_that("scaling by hand gives the same in every prediction", {
  x <- model.matrix(inputs, frame)[, -1]
  unit <- function(v) (v - mean(v)) / sqrt(mean((v - mean(v))^2))
  scale_y <- sqrt(mean((frame$y - mean(frame$y))^2))
  by_hand <- nn_sample(fit$net, apply(x, 2, unit), unit(frame$y), "nuts", "classical", chains = 2,
                       draws = 60, warmup = 60, seed = 1)
  expect_equal(fit$scaling$x$center, unname(colMeans(x)), ignore_attr = TRUE)
  expect_equal(fit$scaling$y$scale, scale_y)
  own <- fit
  own$chain_weights <- NULL
  own$draws <- by_hand$draws # rounding makes other draws in the end
  back <- function(v) mean(frame$y) + scale_y * v
  same <- function(a, b) expect_equal(a, b, ignore_attr = TRUE, tolerance = 1e-8)
  same(fitted(own), back(fitted(by_hand)))
  same(predict(own, type = "sd"), scale_y * predict(by_hand, type = "sd"))
  same(predict(own, type = "interval"), back(predict(by_hand, type = "interval")))
  same(predict(own, interval = "confidence"), back(predict(by_hand, interval = "confidence")))
  same(predict(own, probs = c(0.1, 0.7)), back(predict(by_hand, probs = c(0.1, 0.7))))
  same(predict(own, se.fit = TRUE)$se.fit, scale_y * predict(by_hand, se.fit = TRUE)$se.fit)
  same(posterior_predict(own), back(posterior_predict(by_hand)))
  same(posterior_epred(own), back(posterior_epred(by_hand)))
  same(log_lik(own), log_lik(by_hand) - log(scale_y))
  same(sigma(own), scale_y * sigma(by_hand))
  same(residuals(own), scale_y * residuals(by_hand))
  same(nn_score(own)[["mse"]], scale_y^2 * nn_score(by_hand)[["mse"]])
  same(nn_score(own)[["log_score"]], nn_score(by_hand)[["log_score"]] - log(scale_y))
  same(predict(own, frame[7:9, ]), fitted(own)[7:9])
  values <- nnpost:::function_draws(own, 4)
  theirs <- nnpost:::function_draws(by_hand, 4)
  same(values["log_lik", , ], theirs["log_lik", , ] - log(scale_y))
  same(values[2:5, , ], back(theirs[2:5, , ]))
  expect_identical(unjudged(update(fit, 5, quiet = TRUE))$draws[, 1:60, ], fit$draws)
})

test_that("two classes, several classes and several responses", {
  two <- quick(up ~ a + b + g, data = frame, hidden = 8)
  expect_equal(two$net$head, "sign")
  expect_equal(colnames(predict(two)), c("no", "yes"))
  expect_gt(nn_score(two)[["accuracy"]], 0.9)
  logical <- quick(up == "yes" ~ a + b + g, data = frame, hidden = 8)
  expect_equal(colnames(predict(logical)), c("FALSE", "TRUE"))
  several <- quick(kind ~ a + b + g, data = frame, hidden = 8)
  expect_equal(several$net$head, "argmax")
  expect_gt(nn_score(several)[["accuracy"]], 0.85)
  x <- several$scaling$x
  z <- (model.matrix(inputs, frame)[, -1] - rep(x$center, each = 60)) / rep(x$scale, each = 60)
  own <- predict(nn_sample(several$net, z %*% x$matrix, frame$kind, "nuts", "classical", chains = 2,
                           draws = 60, warmup = 60, seed = 1))
  expect_equal(predict(several), own, ignore_attr = TRUE, tolerance = 0.05)
  expect_null(quick(kind ~ a + b + g, data = frame, hidden = 8, ard = TRUE)$scaling$x$matrix)
  expect_null(quick(kind ~ a + b + g, data = frame, net = several$net)$scaling$x$matrix)
  times <- rep(1:2, 30)
  weighted <- quick(kind ~ a + b + g, data = frame, hidden = 8, weights = times)
  repeated <- quick(kind ~ a + b + g, data = frame[rep(1:60, times), ], hidden = 8)
  expect_equal(weighted$scaling, repeated$scaling, tolerance = 1e-8)
  both <- quick(cbind(y, z) ~ a + b + g, data = frame, hidden = 8)
  expect_equal(dim(predict(both)), c(60, 2))
  expect_equal(colnames(predict(both)), c("y", "z"))
  expect_equal(predict(both)[, "y"] / 1e6, predict(both)[, "z"], tolerance = 0.05)
  expect_equal(unname(sigma(both)["y"] / sigma(both)["z"]), 1e6, tolerance = 1e-6)
  expect_equal(nn_score(both)[["mse"]], mean(residuals(both)^2))
  expect_equal(dim(posterior_epred(both, frame[1:3, ]))[2:3], c(3, 2))
  interval <- predict(both, type = "interval")
  expect_true(mean(frame$z > interval[, "lwr", "z"] & frame$z < interval[, "upr", "z"]) > 0.85)
})

test_that("everything can be said", {
  relevant <- quick(inputs, data = frame, hidden = c(4, 3), activation = "relu", ard = TRUE,
                    precisions = TRUE, chains = 1)
  expect_setequal(nn_learned(relevant$net)$what, c("noise", "lambda_w", "lambda_b", "ard"))
  expect_true(any(grepl("lambda_w1[4]", dimnames(relevant$draws)[[1]], fixed = TRUE)))
  varying <- quick(inputs, data = frame, hidden = 4, noise = "varying", chains = 1)
  expect_equal(varying$net$head, "location_scale")
  expect_equal(relevant$net$head, "gaussian")
  expect_error(quick(inputs, data = frame, noise = "none"), "one of constant, varying")
  expect_error(sigma(varying), "depends on the input")
  expect_length(predict(varying, type = "sd"), 60)

  both <- quick(cbind(y, z) ~ a + b, data = frame, hidden = 4, noise = "varying", chains = 1)
  sds <- predict(both, frame[1:7, ], type = "sd")
  expect_equal(dim(sds), c(7, 2))
  expect_true(all(sds > 0))
  expect_equal(dim(residuals(both)), c(60, 2))
  expect_equal(ncol(log_lik(both)), 60)
  own <- nn_input() |> nn_dense(5) |> nn_relu() |> nn_dense(1) |> nn_gaussian() |> nn_learn_tied()
  gibbs <- quick(inputs, data = frame, net = own, posterior = NULL)
  expect_equal(c(gibbs$sampler, gibbs$posterior), c("gibbs", "intermediate"))
  expect_gt(cor(fitted(gibbs), frame$y), 0.9)
  matrix <- quick(as.matrix(frame[c("a", "b")]), frame$y, hidden = 8)
  expect_equal(predict(matrix, as.matrix(frame[1:3, c("b", "a")])), fitted(matrix)[1:3],
               ignore_attr = TRUE)
  raw <- suppressWarnings(quick(y ~ b, data = transform(frame, y = y / 1e5), hidden = 2,
                                scale = FALSE))
  expect_null(raw$scaling)
  expect_error(quick(inputs, data = frame, hiden = 3), "did you mean hidden")
  expect_error(quick(inputs, data = frame, hidden = 2.5), "whole numbers")
  expect_error(quick(inputs, data = frame, sampler = "metropolis"), "one of gibbs")
})

test_that("missing values, subset, weights and offset work as in lm()", {
  holed <- transform(frame, a = replace(a, 3, NA), y = replace(y, 4, NA))
  excluded <- quick(inputs, data = holed, hidden = 2, subset = 1:50, na.action = na.exclude)
  expect_equal(nobs(excluded), 48)
  expect_output(print(excluded), "response are scaled internally.*2 rows with missing values")
  expect_equal(unname(which(is.na(fitted(excluded)))), 3:4)
  expect_equal(sum(is.na(predict(excluded, holed))), 1)
  times <- rep(c(1, 2, 0, 1), 15)
  weighted <- quick(y ~ a + b + g, data = frame, hidden = 2, weights = times)
  repeated <- quick(inputs, data = frame[rep(1:60, times), ], hidden = 2)
  expect_equal(weighted$scaling, repeated$scaling, tolerance = 1e-8)
  weighted$draws <- repeated$draws
  expect_equal(sum(log_lik(weighted)[1, ]), sum(log_lik(repeated)[1, ]))
  shifted <- transform(frame, y = y + 1e6 * b, shift = 1e6 * b)
  with_offset <- quick(y ~ a + g + offset(shift), data = shifted, hidden = 2)
  without <- quick(y ~ a + g, data = frame, hidden = 2)
  expect_equal(with_offset$scaling$y, without$scaling$y, tolerance = 1e-8)
  with_offset$draws <- without$draws
  expect_equal(predict(with_offset, shifted[1:5, ]) - shifted$shift[1:5],
               predict(without, frame[1:5, ]))
  expect_equal(log_lik(with_offset), log_lik(without))
  smaller <- unjudged(update(fit, . ~ . - g))
  expect_equal(colnames(model.matrix(smaller)), c("a", "b"))
})

test_that("network and recipe are the library's", {
  net <- nn_recommended(3, rows = 60)
  expect_equal(nn_learned(net)[c("layer", "what", "shape", "mean")],
               nn_learned(nn_recommended(3, 1, "gaussian", 16, "relu", "intermediate"))[
                 c("layer", "what", "shape", "mean")])
  expect_setequal(nn_learned(net)$what, c("noise", "lambda_w", "lambda_b"))
  large <- nn_learned(nn_recommended(3, rows = 2000))
  expect_true(all(large$shape[large$what != "noise"] == 3))
  expect_equal(nn_recommended(3, head = NULL, rows = 5000)$head, "location_scale")
  expect_equal(nn_recommended(3, head = NULL, rows = 60), net)
  noisy <- nn_recommended(3, head = NULL, posterior = "intermediate", rows = 5000)
  expect_equal(c(noisy$head, nn_recommend(noisy, 5000)$sampler), c("gaussian", "gibbs"))
  recipe <- nn_recommend(net, 60)
  whole <- nnpost(y ~ a + b + g, data = frame, chains = 1, draws = 1, warmup = 5, seed = 1,
                  quiet = TRUE)
  expect_equal(whole$net, nn_recommended(4, rows = 60))
  expect_equal(c(whole$sampler, whole$posterior, whole$start),
               c(recipe$sampler, recipe$posterior, recipe$start))
  tied <- nn_recommended(3, activation = "relu", posterior = "intermediate")
  expect_equal(nn_recommend(tied, 100)$sampler, "gibbs")
  expect_true(length(unique(nn_learned(tied)$first[nn_learned(tied)$what == "noise"])) == 1)
  classes <- nn_recommended(3, 4, "argmax", hidden = 5, ard = TRUE)
  expect_equal(nn_learned(classes)$what, c("ard", "lambda_w"))
  fixed <- nnpost(y ~ a, data = frame, hidden = 2, precisions = FALSE, chains = 1, draws = 1,
                  warmup = 5, seed = 1, quiet = TRUE)
  expect_equal(unique(nn_learned(fixed$net)$what), "noise")
  expect_error(nn_recommended(3, hidden = rep(1, 17)), "at most 16 layers")
  expect_error(nn_recommended(0), "features")
  expect_error(nn_recommended(3, head = "softmax"), "one of")
  expect_error(nn_recommend(nn_input(2), 10), class = "NNP_E_NO_LAYERS")
})

test_that("update() judges and weighs chains again", {
  short <- suppressWarnings(nnpost(inputs, data = frame, hidden = 8, activation = "tanh", chains = 2,
                                   draws = 8, warmup = 20, seed = 1, quiet = TRUE))
  expect_false(is.null(short$chain_weights)) # they disagree after 8 draws
  expect_null(unjudged(nnpost(inputs, data = frame, hidden = 8, activation = "tanh", chains = 2,
                              draws = 8, warmup = 20, seed = 1, quiet = TRUE,
                              stacking = FALSE))$chain_weights)
  short$chain_weights <- c(1, 0)
  same <- unjudged(update(short, 1, quiet = TRUE))
  expect_equal(as.vector(same$chain_weights), c(0.5, 0.5), tolerance = 0.1) # too short to be told apart
  expect_gt(attr(same$chain_weights, "unreliable"), 0)
  line <- nn_input() |> nn_dense(1) |> nn_gaussian() |> nn_learn_tied()
  agreed <- nnpost(inputs, data = frame, net = line, chains = 2, draws = 500, warmup = 100, seed = 1,
                   quiet = TRUE)
  expect_null(agreed$chain_weights)
  agreed$chain_weights <- c(1, 0)
  expect_null(update(agreed, 10, quiet = TRUE)$chain_weights)
})

test_that("a stop keeps what there is", {
  enough <- function(told) told$phase == "sampling" && told$step >= 12
  expect_warning(some <- quick(inputs, data = frame, hidden = 4, chains = 1, draws = 500,
                               callback = enough), "interrupted: [0-9]+ of 500 draws")
  expect_true(some$interrupted)
  expect_gt(cor(fitted(some), frame$y), 0.9)
  expect_equal(dim(unjudged(update(some, 5, quiet = TRUE))$draws)[2], dim(some$draws)[2] + 5)
})

test_that("one line says whether it converged", {
  expect_warning(quick(inputs, data = frame, hidden = 4, draws = 5, warmup = 5, quiet = FALSE),
                 "^nnpost: .*update\\(fit\\)", class = "nnpost_not_converged")
  line <- nn_input() |> nn_dense(1) |> nn_gaussian() |> nn_learn_tied()
  expect_message(quick(inputs, data = frame, net = line, draws = 1000, quiet = FALSE),
                 "^nnpost: converged \\(R-hat up to")
  expect_silent(quick(inputs, data = frame, net = line, draws = 1000, quiet = TRUE))
  expect_warning(quick(inputs, data = frame, hidden = 4, draws = 5, warmup = 5, quiet = TRUE),
                 "not converged", class = "nnpost_not_converged")
})

test_that("chains that are worth less count less", {
  lost <- small_fit(draws = 100)
  lost$draws[, , 2] <- 0 # a chain that predicts 0 everywhere
  worth <- nn_stack(lost)
  expect_equal(sum(worth), 1)
  expect_gt(worth[1], 0.8) # the prior speaks for the other one
  good <- small_fit(draws = 100, chains = 1)
  weighted <- lost
  weighted$chain_weights <- c(1, 0)
  expect_equal(predict(weighted), predict(good), tolerance = 1e-6)
  expect_equal(posterior_epred(weighted), posterior_epred(good))
  expect_equal(dim(posterior_predict(weighted)), c(100, 40))
  expect_equal(nn_score(weighted), nn_score(good), tolerance = 1e-6)
  expect_equal(dim(log_lik(weighted)), c(200, 40)) # every draw by itself
  weighted$chain_weights <- c(2, 1) / 3
  shares <- predict(weighted, noise = "forward")
  expect_equal(shares, predict(good, noise = "forward") * 2 / 3, tolerance = 0.02)
  expect_output(print(weighted), "chains are weighted by stacking: 0.67 0.33")
  expect_error(nn_stack(3), "what nn_sample")
})

test_that("the data that come with R are fitted, in one call", {
  skip_on_cran()
  found <- nnpost(dist ~ speed, data = cars, hidden = 8, seed = 1, quiet = TRUE)
  expect_match(summary(found)$verdict, "^converged")
  straight <- lm(dist ~ speed, data = cars)
  expect_lt(nn_score(found)[["mse"]], 1.05 * mean(residuals(straight)^2))
  covered <- predict(found, interval = "prediction", level = 0.9)
  expect_true(abs(mean(cars$dist > covered[, "lwr"] & cars$dist < covered[, "upr"]) - 0.9) < 0.1)
})

test_that("bad tables are refused, and the column is named", {
  fails <- function(code, text, class = "nnpost_error")
    expect_error(suppressWarnings(code), text, class = class)
  text <- transform(frame, kind = as.character(kind), a2 = a)
  fails(quick(kind ~ a, data = text), "kind: it is of type character \\(\"(low|mid|high)\"\\)")
  fails(quick(kind ~ a, data = transform(frame, kind = factor("low"))),
        "kind: every row is of class \"low\"", class = "NNP_E_LABEL")
  fails(quick(y ~ a, data = transform(frame, y = 3)), "y: every value is 3")
  fails(quick(y ~ a + g, data = transform(frame, g = factor("u"))), "column g is \"u\" in every row")
  fails(quick(y ~ a, data = transform(frame, a = replace(a, 2, Inf))), "column a is Inf",
        class = "NNP_E_NOT_FINITE")
  fails(quick(y ~ a, data = transform(frame, y = replace(y, 2, -Inf))), "^y: row .2. is -Inf")
  fails(quick(as.matrix(frame["a"]) * NaN, frame$y), "x: row 1, column a is NaN")
  fails(quick(y ~ a, data = frame[0, ]), "it has no rows", class = "NNP_E_SIZE")
  fails(quick(y ~ a + b, data = transform(frame, b = NA_real_)), "column b is NA in every row")
  fails(quick(y ~ a, data = frame, subset = a > 1e9), "no row is complete")
  fails(quick(~ a, data = frame), "no response")
  fails(quick(as.matrix(frame["a"])), "y: it is missing")
  fails(quick(as.matrix(frame["a"]), frame$y[-1]), "as many as rows: 60")
  fails(quick(y ~ a, data = frame, weights = b), "weights: row 1 has")
  fails(quick(up ~ a + offset(b), data = frame), "no offset for classes")
  fails(quick(y ~ a + (1 | g), data = frame), "the term \\(1 \\| g\\)")
  fails(quick(matrix(0, 2, 1e6), c(1, 2)), "with 1000000 columns .* GB", class = "NNP_E_SIZE")
  wide <- as.data.frame(matrix(0, 2, 20001))
  fails(quick(V1 ~ ., data = wide), "at most 20000 with a formula")
  grouped <- transform(frame[1:3, ], g = c("u", "x", "v"))
  expect_error(predict(fit, grouped), "row 2, column g is \"x\", expected a level of the fit: u, v, w")
})

test_that("what a network can live with is told", {
  told <- function(text, code) {
    found <- NULL
    made <- withCallingHandlers(code, nnpost_hint = function(w) {
      found <<- c(found, conditionMessage(w))
      invokeRestart("muffleWarning")
    })
    expect_match(found, text, all = FALSE)
    made
  }
  least <- function(...) {
    call <- match.call()
    call[[1L]] <- quick
    eval(as.call(c(as.list(call), hidden = 2, draws = 5, warmup = 5, chains = 1)), parent.frame())
  }
  constant <- told("column b: every value is 7; it is ignored",
                   least(y ~ a + b, data = transform(frame, b = 7)))
  expect_equal(predict(constant, data.frame(a = 1010, b = 7)),
               predict(constant, data.frame(a = 1010, b = 1e9)))
  told("column c: a linear combination",
       least(y ~ a + b + c, data = transform(frame, c = a + 1000 * b)))
  told("5 rows and 8 columns", least(matrix(wave(40), 5), wave(5)))
  told("only 0 and 1", least(flag ~ a, data = transform(frame, flag = as.numeric(up == "yes"))))
  told("no row is of class \"none\", which is left out",
       least(kind ~ a, data = transform(frame, kind = factor(kind, c(levels(kind), "none")))))
})

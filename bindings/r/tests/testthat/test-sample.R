test_that("draws are [parameter, draw, chain] with names", {
  fit <- small_fit(draws = 7, chains = 3)
  expect_equal(dim(fit$draws), c(17, 7, 3))
  expect_equal(dimnames(fit$draws)[[1]], nn_parameters(regression_net))
  expect_output(print(fit), "gibbs: 3 chains, 7 draws of each; seed 1")
  expect_equal(nobs(fit), 40)
})

test_that("the seed alone determines the draws", {
  expect_identical(small_fit()$draws, small_fit(threads = 2)$draws)
  expect_false(identical(small_fit()$draws, small_fit(seed = 2)$draws))
  expect_identical(small_fit(chains = 1)$draws[, , 1], small_fit(chains = 2)$draws[, , 1])
  set.seed(4)
  first <- small_fit(seed = NULL)
  set.seed(4)
  expect_identical(small_fit(seed = NULL)$draws, first$draws)
  expect_false(identical(small_fit(seed = NULL)$draws, first$draws))
  expect_identical(small_fit(thin = 2, draws = 5)$draws, small_fit(draws = 10)$draws[, 2 * 1:5, ])
  expect_error(small_fit(seed = -1), "seed")
  expect_error(small_fit(seed = 0.5), "whole number")
})

test_that("a formula gives what its model matrix gives", {
  data <- data.frame(regression_x, y = regression_y, kind = gl(2, 20, labels = c("p", "q")))
  by_formula <- nn_sample(regression_net, y ~ a + b, data = data, chains = 2, draws = 20,
                          warmup = 20, seed = 1)
  expect_identical(unname(by_formula$draws), unname(small_fit()$draws))
  expect_equal(predict(by_formula, data[3:5, ]), predict(by_formula)[3:5])
  net <- nn_input() |> nn_dense(2) |> nn_relu() |> nn_dense(1) |> nn_gaussian()
  factors <- nn_sample(net, y ~ poly(a, 2) + kind, data = data, subset = a > -0.9, chains = 1,
                       draws = 5, warmup = 5)
  expect_equal(summary(factors$net)$shapes[[1]], 3)
  kept <- which(data$a > -0.9)
  expect_equal(unname(predict(factors, data[kept[1:4], ])), unname(predict(factors)[1:4]))
  holed <- replace(data, 2, replace(data$b, 7, NA))
  excluded <- nn_sample(net, y ~ b, data = holed, na.action = na.exclude, chains = 1, draws = 5,
                        warmup = 5)
  expect_equal(nobs(excluded), 39)
  expect_length(residuals(excluded), 40)
  expect_true(is.na(residuals(excluded)[7]))
  expect_error(predict(by_formula, regression_x), "a data frame")
})

test_that("inputs may be vectors, data frames, integers or arrays", {
  net <- nn_input(1) |> nn_dense(2) |> nn_relu() |> nn_dense(1) |> nn_gaussian()
  x <- 1:10
  expect_identical(small_fit(net, x / 2, x = x)$draws, small_fit(net, x / 2, x = cbind(x))$draws)
  expect_identical(small_fit(x = as.data.frame(regression_x))$draws, small_fit()$draws)
  image_net <- nn_input(c(2, 3, 2)) |> nn_conv2d(1, 2) |> nn_relu() |> nn_dense(1) |> nn_gaussian()
  x <- array(wave(5 * 12), c(5, 2, 3, 2))
  width_first <- matrix(aperm(x, c(1, 3, 2, 4)), 5)
  expect_identical(small_fit(image_net, wave(5), x = x)$draws,
                   small_fit(image_net, wave(5), x = width_first)$draws)
  expect_error(small_fit(x = data.frame(a = letters)), "dummy variables")
})

test_that("several outputs, classes and two classes are sampled", {
  net <- nn_input(2) |> nn_dense(3) |> nn_relu() |> nn_dense(2) |> nn_gaussian()
  both <- small_fit(net, cbind(u = regression_y, v = -regression_y))
  expect_equal(colnames(predict(both)), c("u", "v"))
  classes <- small_fit(class_net, class_y)
  expect_equal(classes$levels, levels(class_y))
  expect_identical(small_fit(class_net, as.character(class_y))$levels, sort(levels(class_y)))
  two <- small_fit(binary_net, regression_y > 0)
  expect_equal(two$levels, c("FALSE", "TRUE"))
})

test_that("every sampler runs, with its own options and statistics", {
  for (sampler in c("hmc", "mala", "nuts")) for (posterior in c("intermediate", "classical")) {
    fit <- small_fit(sampler = sampler, posterior = posterior, warmup = 30, draws = 6, thin = 2)
    expect_equal(dim(fit$stats), c(7, 6, 2))
    acceptance <- fit$stats["acceptance", , ]
    expect_true(all(acceptance >= 0 & acceptance <= 1))
    expect_true(all(fit$stats["step_size", , ] > 0))
  }
  fit <- small_fit(sampler = "hmc", posterior = "classical", warmup = 0, leapfrogs = 3,
                   step_size = 1e-3)
  expect_true(all(fit$stats["leapfrogs", , ] == 3))
  expect_true(all(fit$stats["step_size", , ] == 1e-3))
  expect_null(small_fit()$stats)
  plain <- small_fit()$draws
  expect_false(identical(small_fit(relax = -0.9)$draws, plain))
  deep <- nn_input(2) |> nn_dense(3) |> nn_relu() |> nn_dense(3) |> nn_relu() |> nn_dense(1) |>
    nn_gaussian()
  expect_false(identical(small_fit(deep, schedule = "parallel")$draws, small_fit(deep)$draws))
  expect_false(identical(small_fit(deep, schedule = "backward")$draws, small_fit(deep)$draws))
  expect_false(identical(small_fit(moves = "plain")$draws, plain))
  expect_identical(small_fit(moves = "automatic")$draws, plain)
  expect_identical(small_fit(relax = -0.9, moves = "plain")$draws,
                   small_fit(moves = "plain", relax = -0.9)$draws)
  expect_false(identical(small_fit(relax = -0.9, moves = "plain")$draws,
                         small_fit(moves = "plain")$draws))
  expect_error(small_fit(schedule = "sideways"), "one of sequential, parallel, backward")
  expect_error(small_fit(leapfrogs = 3), class = "NNP_E_OPTION")
  expect_error(small_fit(leapfrog = 3), "did you mean leapfrogs", class = "NNP_E_OPTION")
  expect_error(small_fit(chians = 3), "did you mean chains")
  expect_error(small_fit(relax = 2), class = "NNP_E_VALUE")
  expect_error(small_fit(posterior = "classical"), class = "NNP_E_UNSUPPORTED")
})

test_that("chains start where they are told to", {
  zero <- small_fit(start = "zero")
  expect_false(identical(zero$draws, small_fit()$draws))
  weights <- wave(17)
  given <- small_fit(start = weights, sampler = "mala", posterior = "classical", warmup = 0,
                     step_size = 1e-12, draws = 1)
  expect_equal(unname(given$draws[, 1, 1]), weights, tolerance = 1e-4)
  own <- small_fit(start = cbind(weights, -weights), sampler = "mala", posterior = "classical",
                   warmup = 0, step_size = 1e-12, draws = 1)
  expect_equal(unname(own$draws[, 1, 2]), -weights, tolerance = 1e-4)
  expect_error(small_fit(start = 1:3), "17 parameters")
  expect_error(small_fit(start = "nowhere"), "one of zero, prior, small")
  expect_false(identical(small_fit(anneal = c(1, 10))$draws, small_fit()$draws))
  expect_error(small_fit(anneal = 1), "steps")
})

test_that("bad data are refused with a sentence", {
  expect_error(small_fit(x = replace(regression_x, 3, NaN)), class = "NNP_E_NOT_FINITE")
  expect_error(small_fit(y = replace(regression_y, 3, NA)), class = "NNP_E_NOT_FINITE")
  expect_error(small_fit(y = regression_y[-1]), "39 rows.*as many as x, which has 40",
               class = "NNP_E_SHAPE")
  expect_error(small_fit(y = cbind(regression_y, 1)), class = "NNP_E_SHAPE")
  expect_error(small_fit(x = regression_x[, 1]), class = "NNP_E_SHAPE")
  expect_error(small_fit(y = class_y), "nn_argmax")
  expect_error(small_fit(class_net, replace(class_y, 3, NA)), "row 3", class = "NNP_E_LABEL")
  expect_error(small_fit(class_net, gl(4, 10)), "4 classes", class = "NNP_E_LABEL")
  expect_error(small_fit(binary_net, class_y), "3 classes", class = "NNP_E_LABEL")
  expect_error(small_fit(x = regression_x[0, ]), "no rows", class = "NNP_E_SIZE")
  expect_error(small_fit(x = letters), "numbers")
  expect_error(nn_sample(regression_net, regression_x), "y")
  expect_error(small_fit(nn_input(2) |> nn_dense(1)), class = "NNP_E_NO_HEAD")
  expect_error(small_fit(nn_input(2) |> nn_dense(2) |> nn_tanh() |> nn_dense(1) |> nn_gaussian()),
               class = "NNP_E_UNSUPPORTED")
  expect_error(small_fit(chains = 0), "chains")
  expect_error(small_fit(thin = 0), "thin")
  expect_error(small_fit(threads = 1000), "threads")
})

test_that("nothing of the library is left behind", {
  gc()
  before <- live()
  fit <- small_fit(threads = 2)
  try(small_fit(relax = 2), silent = TRUE)
  predict(fit)
  try(predict(fit, matrix(0, 2, 3)), silent = TRUE)
  summary(fit)
  gc()
  expect_equal(live(), before)
})

test_that("column-major data reach the library without a copy", {
  skip_if_not(capabilities("profmem"))
  x <- matrix(wave(2e5), 1e5)
  y <- wave(1e5)
  net <- nn_input(2) |> nn_dense(1) |> nn_gaussian()
  small_fit(net, y, x = x, draws = 1, warmup = 0, chains = 1)
  tracemem(x)
  tracemem(y)
  copies <- capture.output(small_fit(net, y, x = x, draws = 1, warmup = 0, chains = 1)[0])
  untracemem(x)
  untracemem(y)
  expect_false(any(grepl("tracemem", copies)))
})

test_that("images are arrays [row, height, width, channel]", {
  images <- array(wave(10 * 4 * 3 * 2), c(10, 4, 3, 2))
  net <- nn_input(c(4, 3, 2)) |> nn_conv2d(1, c(2, 3)) |> nn_relu() |> nn_dense(1) |> nn_gaussian()
  fit <- nn_sample(net, images, wave(10, 1), chains = 1, draws = 1, warmup = 1, seed = 1)
  w <- fit$draws[, 1, 1]
  kernel <- function(channel, row, column) w[[sprintf("W1[1,%d,%d,%d]", channel, row, column)]]
  hidden <- sapply(1:3, function(top) {
    sum <- w[["b1[1]"]]
    for (channel in 1:2) for (row in 1:2) for (column in 1:3)
      sum <- sum + kernel(channel, row, column) * images[, top + row - 1, column, channel]
    pmax(sum, 0)
  })
  by_hand <- as.vector(hidden %*% w[c("W2[1,1]", "W2[1,2]", "W2[1,3]")] + w[["b2[1]"]])
  expect_equal(predict(fit, images, noise = "forward"), by_hand)
  grey <- nn_input(c(4, 3)) |> nn_conv2d(1, c(2, 3)) |> nn_dense(1) |> nn_gaussian()
  expect_s3_class(nn_sample(grey, images[, , , 1], wave(10, 1), chains = 1, draws = 2, warmup = 1),
                  "nnfit")
  expect_error(nn_sample(net, array(0, rep(2, 5)), 1:2), "height, width, channel")
})

test_that("what is refused is told in R's own counting", {
  expect_error(small_fit(x = replace(regression_x, 43, NA)), "x: row 3, column 2 is NA",
               class = "NNP_E_NOT_FINITE")
  expect_error(small_fit(y = replace(regression_y, 5, Inf)), "y: row 5, column 1 is Inf")
  frame <- data.frame(regression_x, y = regression_y)
  expect_error(nn_exchange(regression_net, y ~ a + offset(b), frame), "offset")
  expect_error(nn_multistart(regression_net, y ~ a + offset(b), frame), "offset")
  expect_error(nn_sample(regression_net, y ~ 1, frame), "no inputs")
  expect_error(nn_sample(regression_net, ~ a, frame), "missing")
  expect_error(nn_sample(regression_net, regression_x), "missing", class = "NNP_E_NO_DATA")
  expect_error(small_fit(draws = 2.5), "draws: 2.5, expected a whole number from 1 to 2\\^53")
})

test_that("a teacher labels rows, and its chain starts there", {
  teacher <- nn_teacher(regression_net, regression_x, seed = 3)
  expect_length(teacher$y, 40)
  expect_length(teacher$sites, 40 * 8)
  expect_named(teacher$parameters, nn_parameters(regression_net))
  expect_identical(teacher, nn_teacher(regression_net, regression_x, seed = 3))
  other <- nn_teacher(regression_net, regression_x, noise = 2, seed = 3)
  expect_false(identical(teacher$y, other$y))
  clean <- nn_teacher(regression_net, regression_x, noise = 0, seed = 3)
  w <- clean$parameters
  hidden <- pmax(regression_x %*% matrix(w[1:8], 2) + rep(w[9:12], each = 40), 0)
  expect_equal(clean$y, as.vector(hidden %*% w[13:16] + w[17]))
  expect_output(print(teacher), "A teacher")
  fit <- small_fit(y = teacher$y, start = teacher, sampler = "mala", warmup = 0, draws = 1,
                   step_size = 1e-14)
  expect_equal(fit$draws[, 1, 1], teacher$parameters, tolerance = 1e-4)
})

test_that("a teacher of other rows or layers is refused", {
  teacher <- nn_teacher(regression_net, regression_x[1:10, ], seed = 3)
  expect_error(small_fit(start = teacher), "teacher of other rows", class = "NNP_E_SHAPE")
  other <- nn_input(2) |> nn_dense(4) |> nn_abs() |> nn_dense(1) |> nn_gaussian()
  teacher <- nn_teacher(other, regression_x, seed = 3)
  expect_error(small_fit(start = teacher), class = "nnpost_error")
  # its own priors made it, whatever those of the chain are
  teacher <- nn_teacher(nn_set(regression_net, lambda_w = 50), regression_x, seed = 3)
  fit <- small_fit(y = teacher$y, start = teacher, sampler = "mala", warmup = 0, draws = 1,
                   step_size = 1e-14)
  expect_equal(fit$draws[, 1, 1], teacher$parameters, tolerance = 1e-4)
})

test_that("teachers make classes", {
  teacher <- nn_teacher(class_net, regression_x, seed = 3)
  expect_s3_class(teacher$y, "factor")
  expect_equal(nlevels(teacher$y), 3)
  scores <- matrix(tail(teacher$sites, 40 * 3), 3)
  expect_equal(as.integer(teacher$y), apply(scores, 2, which.max))
  two <- nn_teacher(binary_net, regression_x, seed = 3)
  expect_equal(levels(two$y), c("-1", "1"))
  expect_equal(ifelse(two$y == "1", 1, -1), sign(tail(two$sites, 40)))
  expect_s3_class(small_fit(class_net, teacher$y, start = teacher, draws = 2, warmup = 0), "nnfit")
})

test_that("the study reaches verdicts", {
  run <- function(threads) {
    nn_thermalization(regression_net, regression_x, regression_x, steps = 5000, seed = 2,
                      starts = c(cold = "zero", warm = "prior"), threads = threads,
                      study = list(stop = 0, sampling = "log"))
  }
  study <- run(1)
  report <- as.data.frame(study)
  expect_equal(report$start, c("cold", "warm"))
  expect_true(all(report$verdict == "thermalized"))
  expect_true(all(report$because == "merged"))
  expect_output(print(study), "cold +thermalized at t = ")
  expect_named(study$series, c("teacher", "cold", "warm"))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_invisible(plot(study))
  expect_identical(run(2)$series, study$series)
})

test_that("chains that start far away with nothing to move them do not thermalize", {
  study <- nn_thermalization(regression_net, 300, 100, starts = "zero", steps = 400, seed = 1,
                             sampler = "mala", step_size = 1e-12)
  expect_false(any(study$report$verdict == "thermalized"))
})

test_that("mistakes are told", {
  expect_error(nn_thermalization(regression_net, 10, 10, study = list(speed = 1)),
               "speed: study has no such argument")
  expect_error(nn_thermalization(regression_net, 10, 10, study = list(sampling = "odd")),
               "sampling: .*expected one of log, even")
  expect_error(nn_thermalization(regression_net, 10, 10, study = list("function" = 1)), "function")
  expect_error(nn_thermalization(nn_input(2) |> nn_dense(1), 10, 10), class = "NNP_E_NO_HEAD")
  expect_error(nn_thermalization(nn_input() |> nn_dense(1) |> nn_gaussian(), 10, 10), "a matrix")
})

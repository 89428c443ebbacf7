test_that("a multistart ranks its chains, and the best goes on", {
  multistart <- nn_multistart(regression_net, regression_x, regression_y, steps = 1200, chains = 3,
                              seed = 1)
  report <- as.data.frame(multistart)
  expect_equal(sort(report$rank), 1:3)
  expect_equal(report$rank[multistart$best], 1L)
  expect_equal(which.min(report$error), multistart$best)
  expect_equal(sum(report$steps), 1200)
  expect_named(multistart$parameters, nn_parameters(regression_net))
  expect_output(print(multistart), "rank +chain +start +error +steps")

  fit <- update(multistart, draws = 30, thin = 2)
  expect_s3_class(fit, "nnfit")
  expect_equal(dim(fit$draws), c(17, 30, 1))
  expect_equal(fit$warmup, report$steps[multistart$best])
  expect_identical(update(multistart, 10, 2)$draws, fit$draws[, 1:10, , drop = FALSE])
  expect_equal(length(predict(fit, regression_x)), 40)
  expect_error(update(multistart, iterations = 3), "iterations: update\\(\\) has no such argument")

  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(multistart, file)
  expect_identical(update(readRDS(file), 30, 2)$draws, fit$draws)
  several <- small_fit(start = multistart$parameters, warmup = 0)
  expect_equal(dim(several$draws), c(17, 20, 2))
})

test_that("a multistart takes formulas, classes and options", {
  frame <- data.frame(y = class_y, regression_x)
  multistart <- nn_multistart(class_net, y ~ a + b, data = frame, steps = 400, chains = 2,
                              share = 1, anneal_from = 2, zero_starts = 0, seed = 1)
  expect_true(all(multistart$report$start == "annealed"))
  expect_equal(multistart$report$steps, c(200, 200))
  fit <- update(multistart, 10)
  expect_equal(dim(predict(fit, frame[1:3, ])), c(3, 3))
  expect_error(nn_multistart(class_net, regression_x, class_y, steps = 400, share = 2),
               class = "NNP_E_VALUE")
  expect_error(nn_multistart(class_net, regression_x, class_y, steps = 1.5), "steps")
  expect_error(nn_multistart(class_net, regression_x, class_y, steps = 400, share = "half"),
               "one number")
  expect_error(nn_multistart(class_net, regression_x, class_y, steps = 400, sahre = 1),
               "did you mean share")
})

test_that("a twin tells whether a chain is stuck", {
  fit <- small_fit(draws = 200, warmup = 500)
  twin <- nn_twin(fit, steps = 400, seed = 2)
  expect_equal(as.data.frame(twin)$chain, 1:2)
  expect_equal(dim(twin$series[[2]]$twin)[2], 2)
  expect_match(twin$report$text, "its twin in equilibrium has", all = TRUE)
  expect_output(print(twin), "chain 2: training error")
  expect_identical(nn_twin(fit, steps = 400, chains = 2, seed = 2)$series[[1]], twin$series[[2]])
  expect_identical(nn_twin(fit, steps = 400, seed = 2, threads = 2)$series, twin$series)
  pdf(NULL)
  on.exit(dev.off())
  expect_identical(plot(twin), twin)
  expect_error(nn_twin(fit, chains = 3), "numbers from 1 to 2")
  expect_error(nn_twin(fit, steps = 10), class = "NNP_E_SIZE")
  expect_error(nn_twin(fit, noise = NA), "TRUE or FALSE")
  expect_error(nn_twin(3), "what nn_sample")
  expect_error(nn_twin(small_fit(sampler = "hmc")), class = "NNP_E_UNSUPPORTED")
  # a plane cannot explain squares by its little noise; another wave is a plane without any
  plane <- nn_input(2) |> nn_dense(1) |> nn_gaussian() |> nn_set(noise = 0.01)
  verdicts <- function(y) nn_twin(small_fit(plane, y), steps = 400, seed = 1)$report$verdict
  expect_equal(as.character(verdicts(3 * wave(40, 2)^2)), c("stuck", "stuck"))
  expect_equal(as.character(verdicts(wave(40, 2))), c("below", "below"))
  # only what is near agrees
  apart <- do.call(rbind, lapply(1:8, function(seed)
    nn_twin(small_fit(chains = 1, draws = 1, seed = seed), steps = 100, seed = seed)$report))
  far <- abs(apart$distance) > 2
  expect_true(any(far))
  expect_false(any(grepl("they agree", apart$text[far])))
})

test_that("Ctrl-C ends a multistart and twins", {
  skip_on_cran()
  rung <- function(code) {
    system(sprintf("(sleep 0.5; kill -INT %d) &", Sys.getpid()))
    tryCatch(code, nn_interrupted = identity)
  }
  fit <- small_fit()
  expect_s3_class(rung(nn_multistart(regression_net, regression_x, regression_y, steps = 1e10)),
                  "nn_interrupted")
  expect_s3_class(rung(nn_twin(fit, steps = 1e10)), "nn_interrupted")
  # once there is a best one, it is kept
  expect_warning(found <- rung(nn_multistart(regression_net, regression_x, regression_y, chains = 2,
                                        steps = 1e10, share = 1e-7)), "has not made all")
  expect_equal(dim(update(found, 5)$draws), c(17, 5, 1))
})

test_that("moves are counted, and go on with the chain", {
  fit <- small_fit(relax = -0.9, unit_moves = 1)
  moves <- nn_moves(fit)
  steps <- with(moves, tapply(tried * (move %in% c("plain", "relaxed")), chain, sum))
  expect_equal(as.vector(steps), c(40, 40))
  expect_true(all(moves$moved <= moves$tried))
  again <- nn_moves(update(fit, 20))
  expect_equal(sum(again$tried[again$move %in% c("plain", "relaxed")]), 120)
  plain <- nn_moves(small_fit(moves = "plain"))
  expect_equal(sum(plain$tried[plain$move != "plain"]), 0)
  expect_error(nn_moves(small_fit(sampler = "nuts")), class = "NNP_E_UNSUPPORTED")
})

test_that("another ABI of the compiled code is refused, another version is not", {
  need_abi <- getFromNamespace("need_abi", "nnpost")
  abi <- getFromNamespace("NNP_ABI_VERSION", "nnpost")
  expect_silent(need_abi(list(version = "9.9.9", abi = abi)))
  expect_error(need_abi(list(version = "9.9.9", abi = abi + 1L)), "9.9.9, has ABI 1, expected 0")
})

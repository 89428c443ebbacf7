whole <- small_fit(draws = 30)

test_that("a fit goes on as one longer run would", {
  first <- small_fit(draws = 12)
  expect_identical(update(first, 18)$draws, whole$draws)
  expect_identical(update(first, 18)$draws, whole$draws) # the first stays as it was
  expect_identical(update(update(first, 10), 8)$draws, whole$draws)
  expect_identical(update(first, 18, append = FALSE)$draws, whole$draws[, 13:30, ])
  expect_equal(dim(update(first)$draws)[2], 24)
  expect_error(update(first, iterations = 3), "iterations: nn_sample\\(\\) has no such argument")
})

test_that("saved and read, it predicts and goes on", {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  for (sampler in c("gibbs", "nuts")) {
    one <- small_fit(sampler = sampler, draws = 12)
    saveRDS(one, file)
    read <- readRDS(file)
    expect_identical(predict(read, regression_x), predict(one, regression_x))
    longer <- small_fit(sampler = sampler, draws = 30)
    expect_identical(update(read, 18)$draws, longer$draws)
    expect_identical(update(read, 18)$stats, longer$stats)
  }
})

test_that("another session can go on", {
  skip_on_cran()
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(small_fit(draws = 12), file)
  code <- sprintf("library(nnpost, lib.loc = '%s'); saveRDS(update(readRDS('%s'), 18), '%s')",
                  dirname(getNamespaceInfo("nnpost", "path")), file, file)
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", "-e", shQuote(code)))
  expect_identical(readRDS(file)$draws, whole$draws)
})

test_that("damaged or foreign states are refused", {
  fit <- small_fit()
  fit$saves[[2]][1000] <- xor(fit$saves[[2]][1000], as.raw(1))
  expect_error(update(fit, 5), class = "NNP_E_SAVE_CORRUPTED")
  fit <- small_fit()
  fit$y <- fit$y + 1
  expect_error(update(fit, 5), class = "NNP_E_SAVE_DATA")
})

test_that("a callback sees the steps and may stop", {
  seen <- list()
  fit <- small_fit(chains = 1, warmup = 4, draws = 3, callback = function(told) {
    seen[[length(seen) + 1]] <<- told
    FALSE
  })
  phases <- vapply(seen, `[[`, "", "phase")
  before <- sum(phases == "start") # steps of the descent to weights that fit
  expect_gt(before, 0)
  expect_equal(phases, rep(c("start", "warm-up", "sampling"), c(before, 4, 3)))
  expect_equal(vapply(seen[before + 1:4], `[[`, 0, "step"), 1:4)
  steps <- 0
  stop_at_7 <- function(told) told$phase == "sampling" && (steps <<- steps + 1) >= 7
  expect_warning(short <- small_fit(chains = 1, thin = 2, callback = stop_at_7),
                 "interrupted: 3 of 20 draws")
  expect_equal(dim(short$draws)[2], 3)
  expect_output(print(short), "interrupted: 17 draws are left")
  expect_identical(update(short)$draws, small_fit(chains = 1, thin = 2)$draws)
  expect_error(small_fit(callback = function(told) TRUE), class = "nn_interrupted")
  expect_error(small_fit(callback = function(told) stop("of my own")), "of my own")
  expect_error(small_fit(warmup = 0, callback = function(told) stop("of my own")), "of my own")
  expect_error(small_fit(callback = function(told) invokeRestart("abort")),
               class = "nn_interrupted")
})

test_that("Ctrl-C keeps the draws, and they are the right ones", {
  skip_on_cran()
  skip_on_os("windows")
  # the signal is sent once the phase has begun, so that it cannot come too early
  interrupt_in <- function(phase) {
    sent <- FALSE
    function(told) {
      if (!sent && told$phase == phase) {
        sent <<- TRUE
        system(sprintf("(sleep 0.2; kill -INT %d) &", Sys.getpid()))
      }
      FALSE
    }
  }
  expect_warning(fit <- small_fit(chains = 3, threads = 2, draws = 1e6, warmup = 10,
                                  callback = interrupt_in("sampling")), "interrupted")
  done <- dim(fit$draws)[2]
  expect_gt(done, 0)
  expect_lt(done, 1e6)
  expect_equal(fit$left, 1e6 - done)
  ahead <- small_fit(chains = 3, draws = done + 5, warmup = 10)
  expect_identical(update(fit, 5)$draws, ahead$draws)
  expect_error(small_fit(warmup = 1e9, callback = interrupt_in("warm-up")), "during the warm-up",
               class = "nn_interrupted")
})

test_that("a progress bar goes to the end", {
  bar <- capture.output(fit <- small_fit(progress = TRUE), type = "message")
  expect_match(paste(bar, collapse = ""), "^.(start .*)?sampling.*100% in ")
  # one bar, which gets to its end once and never jumps there; a run that lasts on any machine
  slow <- function(chain, step, steps, seconds) {
    Sys.sleep(0.01)
    FALSE
  }
  long <- capture.output(small_fit(progress = TRUE, draws = 60, warmup = 60, callback = slow),
                         type = "message")
  shares <- regmatches(long, gregexpr("[0-9]+%", long))
  shares <- as.numeric(sub("%", "", unlist(shares)))
  expect_false(is.unsorted(shares))
  expect_equal(sum(shares == 100), 1)
  expect_match(paste(long, collapse = ""), "[0-9] s left")
})

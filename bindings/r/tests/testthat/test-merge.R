# Fits of workers that know nothing of each other.

problem <- function() {
  x <- matrix(cos(seq_len(120)), 40)
  net <- nn_input(3) |> nn_dense(3) |> nn_relu() |> nn_dense(1) |> nn_gaussian() |>
    nn_set(noise = 0.1)
  list(net = net, x = x, y = abs(x[, 1]) - x[, 2])
}

job <- function(number, p = problem(), ...) {
  nn_sample(p$net, p$x, p$y, chains = 1, draws = 6, warmup = 5, seed = 3, number = number,
            threads = 1, progress = FALSE, ...)
}

test_that("merged fits are the fit of one process", {
  p <- problem()
  together <- nn_sample(p$net, p$x, p$y, chains = 3, draws = 6, warmup = 5, seed = 3, threads = 1,
                        progress = FALSE)
  fits <- if (.Platform$OS.type == "unix") parallel::mclapply(c(2, 0, 1), job, mc.cores = 2) else
    lapply(c(2, 0, 1), job)
  merged <- nn_merge(fits)
  expect_identical(merged$draws, together$draws)
  expect_identical(merged$saves, together$saves)
  expect_identical(summary(merged)$parameters, summary(together)$parameters)
  expect_identical(predict(merged, p$x), predict(together, p$x))
  expect_identical(update(merged, draws = 2, progress = FALSE)$draws,
                   update(together, draws = 2, progress = FALSE)$draws)
  expect_identical(nn_merge(fits[[1]], fits[[2]], draws = 2)$draws[, , 1],
                   together$draws[, 5:6, 1])
})

test_that("statistics of gradient samplers are merged, too", {
  p <- problem()
  together <- nn_sample(p$net, p$x, p$y, "nuts", "classical", chains = 2, draws = 6, warmup = 30,
                        seed = 3, threads = 1, progress = FALSE)
  fits <- lapply(1:0, function(number) {
    nn_sample(p$net, p$x, p$y, "nuts", "classical", chains = 1, draws = 6, warmup = 30, seed = 3,
              number = number, threads = 1, progress = FALSE)
  })
  expect_identical(nn_merge(fits)$stats, together$stats)
})

test_that("what does not belong together is refused", {
  p <- problem()
  first <- job(0)
  expect_error(nn_merge(first, job(0)), "have the same draws")
  q <- p
  q$y <- q$y + 1
  expect_error(nn_merge(first, job(1, q)), "other data")
  wider <- p
  wider$net <- nn_input(3) |> nn_dense(4) |> nn_relu() |> nn_dense(1) |> nn_gaussian()
  expect_error(nn_merge(first, job(1, wider)), "different numbers of parameters")
  expect_error(nn_merge(first, 3), "fits of nn_sample")
  expect_error(nn_merge(list()), "one or more")
  expect_error(job(-1), "number")
})

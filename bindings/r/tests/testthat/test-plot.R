fit <- small_fit(draws = 60, warmup = 100)
frame <- data.frame(regression_x, y = regression_y)
line <- nn_input(2) |> nn_dense(1) |> nn_gaussian() |> nn_set(noise = 0.05)
by_formula <- nn_sample(line, y ~ a + b, data = frame, chains = 1, draws = 60, seed = 1)
classes <- small_fit(class_net, class_y)
two <- small_fit(binary_net, factor(ifelse(regression_y > 0, "yes", "no")))

# What base graphics were asked for, by the names of C's functions.
recorded <- function(code) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  grDevices::dev.control("enable")
  code
  calls <- grDevices::recordPlot()[[1L]]
  vapply(calls, function(call) call[[2L]][[1L]]$name, "")
}

test_that("the user's own title and limits win", {
  for (which in c("trace", "predictive", "calibration", "thermalization"))
    expect_error(recorded(plot(fit, which, main = "mine", ylim = c(-3, 3))), NA)
  study <- nn_thermalization(regression_net, 60, 20, starts = "zero", steps = 200, seed = 1)
  expect_error(recorded(plot(study, main = "mine", xlab = "time")), NA)
  expect_error(recorded(plot(nn_twin(fit, steps = 100, seed = 1), main = "mine")), NA)
})

test_that("what the figure says can be had for new data", {
  expect_error(recorded(plot(by_formula, newdata = frame[1:9, ])), NA)
  expect_error(recorded(plot(by_formula, newdata = frame[1:9, c("a", "b")])), NA) # no response
  expect_error(recorded(plot(fit, "predictive", newdata = regression_x[1:9, ])), NA)
  expect_error(recorded(plot(fit, "calibration", newdata = regression_x[1:9, ],
                             y = regression_y[1:9])), NA)
  expect_error(recorded(plot(fit, "calibration", newdata = regression_x[1:9, ])), "no response")
  holed <- transform(frame, a = replace(a, 2, NA), y = replace(y, 3, NA))
  expect_error(recorded(plot(by_formula, c("predictive", "calibration"), newdata = holed)), NA)
})

test_that("chains have a legend, which lies outside of the data", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  before <- graphics::par("mar")
  plot(fit)
  plot(fit, "thermalization")
  expect_equal(graphics::par("mar"), before)
  room <- nnpost:::legend_room(c("chain 1", "chain 2"))
  graphics::plot(1:10, 1:10)
  box <- nnpost:::legend_above(room, c("chain 1", "chain 2"), col = 1:2, lty = 1)
  expect_gte(box$rect$top - box$rect$h, graphics::par("usr")[4] - 1e-9)
  expect_lte(graphics::grconvertY(box$rect$top, to = "ndc"), 1)
})

test_that("calibration counts each row once", {
  ranks <- nnpost:::predictive_ranks(by_formula, nnpost:::observed_rows(by_formula, NULL, NULL))
  expect_length(ranks, 40)
  drawn <- posterior_predict(by_formula)
  expect_equal(ranks, unname(colMeans(drawn <= rep(regression_y, each = nrow(drawn)))))
  for (one in list(classes, two)) expect_error(recorded(plot(one, "calibration")), NA)
})

test_that("posterior predictive checks are drawn", {
  for (type in c("dens_overlay", "ecdf_overlay", "stat"))
    expect_error(recorded(pp_check(fit, type, main = type)), NA)
  expect_error(recorded(pp_check(by_formula, newdata = frame[1:20, ], ndraws = 5)), NA)
  expect_error(recorded(pp_check(classes)), NA)
  expect_error(recorded(pp_check(two)), NA)
  expect_error(recorded(pp_check(fit, newdata = regression_x)), "no response")
  skip_if(nnpost:::has_package("bayesplot"))
  expect_error(pp_check(fit, "violin"), "dens_overlay, ecdf_overlay, stat")
})

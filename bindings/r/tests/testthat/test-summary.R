fit <- small_fit(draws = 60, warmup = 100)

test_that("statistics are those of the package posterior", {
  skip_if_not_installed("posterior")
  table <- summary(fit, "parameters")$table
  theirs <- posterior::summarise_draws(posterior::as_draws_array(fit), "mean", "sd",
    ~quantile(.x, c(0.05, 0.95)), mcse = posterior::mcse_mean, posterior::ess_bulk,
    posterior::ess_tail, posterior::rhat)
  expect_equal(row.names(table), theirs$variable)
  for (i in seq_along(table))
    expect_equal(table[[i]], as.numeric(theirs[[i + 1]]), tolerance = 1e-10)
})

test_that("draws go to posterior and coda as they are", {
  expect_equal(as.array(fit)[7, 2, "b1[2]"], fit$draws["b1[2]", 7, 2])
  expect_equal(as.matrix(fit)[67, "b1[2]"], fit$draws["b1[2]", 7, 2])
  expect_true("log_score" %in% dimnames(as.array(fit, "function", rows = 3))[[3]])
  skip_if_not_installed("posterior")
  skip_if_not_installed("coda")
  array <- posterior::as_draws_array(fit)
  expect_s3_class(array, "draws_array")
  expect_equal(as.vector(array[7, 2, "b1[2]"]), fit$draws[["b1[2]", 7, 2]])
  frame <- posterior::as_draws_df(fit)
  expect_s3_class(frame, "draws_df")
  expect_equal(frame[["b1[2]"]][67], fit$draws[["b1[2]", 7, 2]])
  expect_s3_class(posterior::as_draws(fit), "draws_array")
  expect_equal(dim(posterior::as_draws_matrix(fit)), c(120, 17))
  chains <- coda::as.mcmc(fit)
  expect_s3_class(chains, "mcmc.list")
  expect_equal(chains[[2]][7, "b1[2]"], fit$draws["b1[2]", 7, 2])
  expect_equal(start(chains), 101)
  expect_s3_class(coda::as.mcmc(small_fit(chains = 1)), "mcmc")
})

test_that("function draws are predictions and log scores of each draw", {
  values <- nnpost:::function_draws(fit, 4)
  expect_equal(values[-1, 3, 2], predict(fit, regression_x[c(1, 14, 27, 40), ], noise = "forward",
                                         type = "draws")[63, ], ignore_attr = TRUE)
  expect_equal(values["log_score", , 2], rowMeans(log_lik(fit, passes = 4)[61:120, ]),
               ignore_attr = TRUE)
})

test_that("the verdict says no when it should", {
  long <- nn_sample(nn_input(2) |> nn_dense(1) |> nn_gaussian() |> nn_set(noise = 0.05),
                    regression_x, regression_y, draws = 1000, warmup = 100, seed = 1)
  expect_match(summary(long)$verdict, "^no sign of trouble")
  stuck <- long
  stuck$draws[, , 1] <- stuck$draws[, , 1] + 1
  expect_match(summary(stuck)$verdict, "^not converged")
  expect_match(summary(small_fit(draws = 3))$verdict, "^undecided")
  few <- long
  few$draws <- few$draws[, 1:60, , drop = FALSE]
  expect_no_match(summary(few)$verdict, "no sign of trouble")
})

test_that("tables show every number with its own digits", {
  shown <- nnpost:::format_table(data.frame(mean = c(-36.4321, 0.0421), ess_bulk = 1:2,
                                            ess_tail = 1:2, rhat = c(1, 1.5)), 3)
  expect_equal(trimws(shown$mean), c("-36.4", "0.0421"))
})

test_that("it prints", {
  expect_output(print(summary(fit)), "gibbs: 2 chains, 60 draws of each.*log_score.*Verdict: ")
  nuts <- small_fit(sampler = "nuts", posterior = "classical", warmup = 50)
  s <- summary(nuts)
  expect_length(s$acceptance, 2)
  expect_output(print(s), "acceptance: .*divergent steps: ")
  expect_equal(summary(fit)$acceptance, c(1, 1))
})

test_that("figures are drawn", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_invisible(plot(fit))
  plot(fit, variables = c("W1[1,1]", "b2[1]"))
  plot(fit, c("predictive", "thermalization"))
  plot(small_fit(class_net, class_y), "predictive")
  expect_error(plot(fit, variables = "W9"), "nn_parameters")
})

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
  expect_true("log_lik" %in% dimnames(as.array(fit, "function", rows = 3))[[3]])
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

test_that("function draws are predictions and log likelihoods of each draw", {
  values <- nnpost:::function_draws(fit, 4)
  expect_equal(rownames(values), c("log_lik", "f[1]", "f[13]", "f[26]", "f[40]"))
  # hidden noise is the same for every draw; without it both are exact
  line <- nn_sample(nn_input(2) |> nn_dense(1) |> nn_gaussian() |> nn_set(noise = 0.05),
                    regression_x[1:30, ], regression_y[1:30], draws = 10, chains = 2, seed = 1)
  values <- nnpost:::function_draws(line, 3)
  expect_equal(values["log_lik", , 2], rowMeans(log_lik(line)[11:20, ]), ignore_attr = TRUE)
  expect_equal(t(values[-1, , 1]), predict(line, noise = "forward", type = "draws")[1:10, c(1, 15, 30)],
               ignore_attr = TRUE)
  classes <- nnpost:::function_draws(small_fit(class_net, class_y), 2)
  expect_equal(rownames(classes)[2:7], paste0("p[", rep(c(1, 40), each = 3), ",", 1:3, "]"))
  expect_equal(colSums(classes[2:4, , 1]), rep(1, 20))
})

test_that("the verdict says no when it should", {
  long <- nn_sample(nn_input(2) |> nn_dense(1) |> nn_gaussian() |> nn_set(noise = 0.05),
                    regression_x, regression_y, draws = 1000, warmup = 100, seed = 1)
  expect_match(summary(long)$verdict, "^converged \\(R-hat up to 1.00")
  expect_output(print(long), "Verdict: converged \\(R-hat")
  stuck <- long
  stuck$draws[, , 1] <- stuck$draws[, , 1] + 1
  expect_match(summary(stuck)$verdict, "^not converged: .*largest for ")
  expect_match(summary(small_fit(draws = 3))$verdict, "^undecided")
  few <- long
  few$draws <- few$draws[, 1:60, , drop = FALSE]
  expect_no_match(summary(few)$verdict, "^converged")
  expect_match(summary(long, "parameters")$verdict, "^converged")
})

test_that("tables show every number with its own digits", {
  shown <- nnpost:::format_table(data.frame(mean = c(-36.4321, 0.0421), ess_bulk = 1:2,
                                            ess_tail = 1:2, rhat = c(1, 1.5)), 3)
  expect_equal(trimws(shown$mean), c("-36.4", "0.0421"))
})

test_that("it prints", {
  scaled <- summary(small_fit(nn_learn(regression_net, "lambda_w", layer = "W1"), draws = 60))
  expect_output(print(scaled, rows = 4), "log_lik.*lambda_w1.*more: print\\(summary\\(fit\\), rows = ")
  expect_error(summary(fit, foo = 1), "foo: summary\\(\\) has no such argument")
  expect_output(print(summary(fit)), "gibbs: 2 chains, 60 draws of each.*log_lik.*Verdict: ")
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

test_that("a classical fit is printed without what does not enter", {
  printed <- function(net, y, ...) capture.output(print(small_fit(net, y, ...)))
  classical <- printed(class_net, class_y, sampler = "nuts", posterior = "classical")
  expect_false(any(grepl("latents|bytes|0\\.01", classical)))
  expect_match(classical, "dense +W1 .* - +", all = FALSE)
  expect_match(classical, "dense +W2 .* 0\\.5 ", all = FALSE)
  numbers <- printed(regression_net, regression_y, sampler = "nuts", posterior = "classical")
  expect_match(numbers, "dense +W1 .* - +", all = FALSE)
  expect_match(numbers, "dense +W2 .* 0\\.05 ", all = FALSE)
  expect_match(printed(regression_net, regression_y), "latents", all = FALSE)
})

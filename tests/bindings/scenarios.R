# scenarios.R FILE: what tests/bindings/scenarios.txt asks of every language, through the package.
suppressPackageStartupMessages(library(nnpost))
options(nnpost.threads = 1)
out <- file(commandArgs(TRUE)[1], "w")
tests <- failures <- 0

scenario <- function(name, code) {
  tests <<- tests + 1
  failed <- tryCatch({
    values <- code()
    if (is.double(values)) writeLines(paste(name, paste(hex(values), collapse = " ")), out)
    NULL
  }, error = function(e) conditionMessage(e))
  if (is.null(failed)) return(cat(name, ": PASS\n", sep = ""))
  failures <<- failures + 1
  cat(name, ": FAIL ", failed, "\n", sep = "")
}

hex <- function(values) {
  bytes <- matrix(as.character(writeBin(as.vector(values), raw(), endian = "big")), 8)
  apply(bytes, 2, paste, collapse = "")
}

expect <- function(condition) {
  if (!isTRUE(condition)) stop(deparse(substitute(condition)))
}

# The condition an expression ends with, of a class.
condition_of <- function(code, class = "error") {
  found <- tryCatch(code, condition = identity)
  if (!inherits(found, class)) stop("expected a condition of class ", class)
  found
}

values <- function(count, seed) {
  out <- numeric(count)
  for (i in seq_len(count)) {
    seed <- (seed * 16807) %% 2147483647
    out[i] <- 2 * (seed / 2147483647) - 1
  }
  out
}

ROWS <- 60
x <- matrix(values(ROWS * 3, 1), ROWS)
hidden <- nn_input(3) |> nn_dense(4) |> nn_relu()
classes <- factor(floor(1.5 * (values(ROWS, 3) + 1)), 0:2)
problem <- function(net, x, y) list(net = nn_set(net, noise = 0.1), x = x, y = y)
regression <- problem(hidden |> nn_dense(1) |> nn_gaussian(), x, values(ROWS, 2))
classification <- problem(hidden |> nn_dense(3) |> nn_argmax(), x, classes)
binary <- problem(hidden |> nn_dense(1) |> nn_sign_head(), x,
                  factor(ifelse(values(ROWS, 4) >= 0, 1, -1), c(-1, 1)))
cnn <- problem(nn_input(c(6, 6)) |> nn_conv2d(2, 3) |> nn_avgpool(2) |> nn_relu() |> nn_dense(3) |>
                 nn_argmax(), matrix(values(ROWS * 36, 5), ROWS), classes)

standard <- function(p, sampler = "gibbs", ..., draws = 5, thin = 2) {
  nn_sample(p$net, p$x, p$y, sampler, ..., seed = 11, chains = 2,
            warmup = if (sampler == "gibbs") 10 else 30, draws = draws, thin = thin)
}
one_chain <- function(seed, draws, ...) {
  nn_sample(regression$net, x, regression$y, seed = seed, chains = 1, draws = draws,
            start = "prior", ...)
}

scenario("regression", function() {
  fit <- standard(regression)
  c(fit$draws, predict(fit, seed = 1))
})
scenario("classes", function() {
  fit <- standard(classification)
  c(fit$draws, t(predict(fit, seed = 1)))
})
scenario("binary", function() {
  fit <- standard(binary)
  c(fit$draws, predict(fit, seed = 1)[, "1"])
})
scenario("student_t", function() {
  net <- hidden |> nn_dense(1) |> nn_student_t(freedom = 3)
  expect(any(grepl("freedom 3", capture.output(print(net)))))
  condition_of(hidden |> nn_dense(1) |> nn_student_t(freedom = -1), "NNP_E_VALUE")
  fit <- standard(problem(net, x, regression$y))
  c(fit$draws, predict(fit, seed = 1))
})
scenario("learning", function() {
  net <- regression$net |> nn_learn_tied() |> nn_learn("ard", layer = 1, shape = 2, mean = 5) |>
    nn_learn("lambda_w", layer = "W2")
  expect(identical(tail(nn_parameters(net), 1), "lambda_w2") && length(nn_parameters(net)) == 26)
  ard <- nn_learned(net)[2, ]
  expect(ard$what == "ard" && ard$shape == 2 && ard$mean == 5 && ard$first == 23 && ard$count == 3)
  expect(!any(nn_learned(nn_fix(net, "ard", 1))$what == "ard"))
  condition_of(nn_learn_tied(net, c(1, 0, 1)), "NNP_E_VALUE")
  fit <- standard(list(net = net, x = x, y = regression$y))
  expect("lambda_w1[3]" %in% dimnames(fit$draws)$parameter)
  c(fit$draws)
})
scenario("location_scale", function() {
  net <- hidden |> nn_dense(2) |> nn_location_scale()
  condition_of(standard(problem(net, x, regression$y)), "NNP_E_UNSUPPORTED")
  fit <- standard(problem(net, x, regression$y), "hmc", posterior = "classical", leapfrogs = 5)
  c(fit$draws, predict(fit))
})
scenario("descent", function() {
  nn_sample(regression$net, x, regression$y, seed = 11, chains = 1, draws = 5, warmup = 0)$draws
})
scenario("cnn", function() {
  fit <- standard(cnn)
  c(fit$draws, t(predict(fit, seed = 1)))
})
scenario("fitted", function() {
  fit <- standard(regression) # a network is a value: the fit has its own
  quantiles <- function(noise) {
    inner <- asNamespace("nnpost")
    inner$library_predict(fit, inner$as_inputs(x), NNP_PREDICT_QUANTILES, 3,
                          how = inner$how_to(fit, noise, 1), levels = c(0.1, 0.5, 0.9))
  }
  NNP_PREDICT_QUANTILES <- asNamespace("nnpost")$NNP_PREDICT_QUANTILES
  wide <- predict(fit, type = "interval", level = 0.8, seed = 1)
  narrow <- predict(fit, type = "interval", level = 0.8, noise = "forward")
  expect(all(wide[, "upr"] - wide[, "lwr"] > narrow[, "upr"] - narrow[, "lwr"]))
  expect(identical(wide[, "upr"], matrix(quantiles("fitted"), 3)[3, ]))
  scores <- c(nn_score(fit, seed = 1)[["log_score"]], nn_score(fit, noise = "forward")[["log_score"]])
  expect(scores[1] > scores[2])
  each <- log_lik(fit, seed = 1)
  expect(identical(dim(each), c(10L, 60L)))
  expect(identical(log_lik(fit, x, regression$y, seed = 1), each))
  condition_of(predict(fit, noise = "loud"), "NNP_E_VALUE")
  expect(nn_temperature(classification$net) == 0.2)
  expect(nn_temperature(nn_input(3) |> nn_dense(3) |> nn_argmax()) == 1)
  c(predict(fit, type = "sd", seed = 1), quantiles("fitted"), predict(fit, noise = "forward"),
    predict(fit, type = "sd", noise = "forward"), scores, t(each))
})
scenario("kept", function() {
  found <- standard(regression, keep = c("functions", "log_lik", "mean", "predictions", "moments"))
  draws <- standard(regression)$draws
  path <- tempfile()
  expect(all(standard(regression, file = path)$draws == draws))
  inner <- asNamespace("nnpost")
  expect(all(inner$with_net(regression$net, NULL, function(net)
    .Call(inner$nnr_draws_file, path, net, NULL)) == draws))
  condition_of(standard(regression, file = path), "NNP_E_FILE")
  unlink(path)
  kept <- found$kept
  c(kept$functions, t(kept$log_lik), aperm(kept$mean), aperm(kept$predictions),
    found$moments[, c("mean", "variance")])
})
# R's one call standardizes columns itself, since rows may have weights, and differs in the last bits: it
# is given columns as the other languages standardize them, in the library's order of operations.
standardized <- function(v) {
  n <- length(v)
  largest <- max(abs(v))
  first <- Reduce(`+`, v / largest) / n
  delta <- v / largest - first
  rest <- Reduce(`+`, delta) / n
  (v - largest * (first + rest)) / (largest * sqrt(Reduce(`+`, delta * delta) / n - rest * rest))
}
scenario("table", function() {
  scaled <- apply(x * rep(c(1, 1024, 1), each = ROWS), 2, standardized)
  changed <- function(labels)
    .Call(nnpost:::nnr_transform, scaled, .Call(nnpost:::nnr_recommend_transform, scaled, labels))
  one_call <- function(y, x = scaled) {
    fit <- suppressWarnings(nnpost(x, y, hidden = 3, chains = 2, warmup = 10, draws = 5, thin = 2,
                                   seed = 11, scale = FALSE, quiet = TRUE))
    c(fit$draws, fit$chain_weights)
  }
  unname(c(one_call(standardized(64 * regression$y)),
           one_call(classes, changed(as.integer(classes) - 1L)),
           one_call(binary$y, changed(2L * as.integer(factor(binary$y)) - 3L))))
})
scenario("layers", function() {
  padded <- nn_input(c(6, 6)) |> nn_conv2d(2, 3, padding = c(2, 1)) |> nn_avgpool(2) |> nn_relu() |>
    nn_dense(3) |> nn_argmax()
  most <- nn_input(c(6, 6)) |> nn_conv2d(2, 3, padding = 1) |> nn_maxpool(2) |> nn_tanh() |>
    nn_dense(3) |> nn_argmax()
  fits <- lapply(list(padded, most), function(net) {
    expect(nn_find_layer(net, "W2") == 4)
    p <- problem(net, cnn$x, classes)
    p$net <- nn_set(p$net, noise = 0.5, layer = "W2")
    expect(identical(p$net, nn_set(problem(net, cnn$x, classes)$net, noise = 0.5, layer = 4)))
    p
  })
  condition_of(nn_find_layer(most, "W3"), "NNP_E_OPTION")
  condition_of(nn_input(c(6, 6)) |> nn_conv2d(2, 3, padding = 3), "NNP_E_VALUE")
  condition_of(standard(fits[[2]]), "NNP_E_UNSUPPORTED")
  c(standard(fits[[1]])$draws,
    standard(fits[[2]], "hmc", posterior = "classical", leapfrogs = 5)$draws)
})
scenario("gibbs", function() {
  fit <- standard(regression, relax = -0.9, unit_moves = 1, scale_moves = 1)
  moves <- subset(nn_moves(fit), chain == 1)
  expect(sum(moves$tried[moves$move %in% c("plain", "relaxed")]) == 20)
  c(fit$draws, rbind(moves$tried, moves$moved))
})
scenario("hmc", function() {
  as.vector(standard(regression, "hmc", posterior = "classical", leapfrogs = 5)$draws)
})
scenario("mala", function() as.vector(standard(regression, "mala")$draws))
scenario("nuts", function() {
  as.vector(standard(regression, "nuts", posterior = "classical")$draws)
})
scenario("teacher", function() {
  teacher <- nn_teacher(regression$net, x, seed = 5)
  fit <- nn_sample(teacher$net, teacher$x, teacher$y, start = teacher, seed = 5, chains = 1,
                   warmup = 0, draws = 5)
  # labels of a teacher are read back, too
  class_teacher <- nn_teacher(classification$net, x, seed = 5, noise = 0)
  scores <- predict(nn_sample(class_teacher$net, x, class_teacher$y, chains = 1, warmup = 0,
                              draws = 1, start = class_teacher$parameters, seed = 1),
                    type = "draws")
  expect(identical(levels(class_teacher$y), c("1", "2", "3")) && length(scores) == 3 * ROWS)
  unname(c(teacher$parameters, teacher$sites, teacher$y, fit$draws))
})
scenario("study", function() {
  found <- nn_thermalization(regression$net, x, x, starts = "zero", seed = 5, steps = 600,
                             study = list(stop = 0, rhat_block = 0))
  expect(any(grepl("thermalized|undecided", capture.output(print(found)))))
  unname(found$series$zero$test[, "value"])
})
scenario("multistart", function() {
  multistart <- nn_multistart(regression$net, x, regression$y, steps = 3000, chains = 3, seed = 11)
  expect(any(grepl("rank", capture.output(print(multistart)))))
  expect(multistart$report$rank[multistart$best] == 1)
  with(multistart$report, unname(c(rbind(error, rank, steps), multistart$parameters)))
})
scenario("exchange", function() {
  fit <- nn_exchange(regression$net, x, regression$y, exchanges = 1, draws = 5, thin = 2,
                     replicas = 6, rounds = 3, first_round = 10, seed = 11)
  one <- fit$exchanges[[1]]
  expect(any(grepl("log evidence", capture.output(print(fit)))))
  again <- nn_exchange(regression$net, x, regression$y, exchanges = 1, draws = 1, thin = 2,
                       replicas = 6, rounds = 3, first_round = 10, seed = 11)
  expect(identical(update(again, 4)$draws, fit$draws))
  condition_of(nn_exchange(regression$net, x, regression$y, ladder = c(0, 0.5, 0.5, 1)), "NNP_E_VALUE")
  unname(c(fit$draws, one$ladder$power, one$summary[c("barrier", "log_evidence")], one$levels))
})

scenario("twin", function() {
  found <- nn_twin(one_chain(11, 1, warmup = 9), steps = 200, seed = 5)
  expect(grepl("its twin in equilibrium", found$report$text))
  expect(!is.na(found$report$verdict))
  unname(c(found$series[[1]]$chain[, "value"], found$series[[1]]$twin[, "value"]))
})
scenario("calibration", function() {
  ranks <- nn_sbc_ranks(nn_teacher(regression$net, x, seed = 5)$parameters, standard(regression))
  sbc <- nn_sbc(ranks, 10, bins = 11)
  draws <- standard(regression, draws = 40, thin = 1)$draws
  moments <- nn_geweke(draws, mean = rep(0, 21), second_moment = rep(1, 21))
  both <- nn_geweke(draws[, , 1], draws[, , 2])
  unname(c(ranks, sbc$counts, sbc$p_value, t(moments$z), moments$p_value, t(both$z), both$p_value))
})
scenario("resume", function() {
  file <- tempfile(fileext = ".rds")
  saveRDS(one_chain(11, 1, warmup = 9), file)
  first <- update(readRDS(file), 5, append = FALSE)
  expect(identical(first$draws, update(readRDS(file), 5, append = FALSE)$draws))
  expect(identical(as.vector(first$draws), as.vector(one_chain(11, 5, warmup = 10)$draws)))
  as.vector(first$draws)
})
scenario("bad_input", function() {
  e <- condition_of(nn_set(regression$net, noise = -1), "NNP_E_VALUE")
  expect(conditionMessage(e) == "noise = -1: expected a positive, finite number")
  holed <- replace(x, 8, NaN)
  condition_of(nn_sample(regression$net, holed, regression$y), "NNP_E_NOT_FINITE")
  condition_of(nn_sample(classification$net, x, factor(rep_len(1:4, ROWS))), "NNP_E_LABEL")
  condition_of(nn_sample(regression$net, x, regression$y[-1]), "NNP_E_SHAPE")
  condition_of(nn_sample(hidden, x, regression$y), "NNP_E_NO_HEAD")
  TRUE
})
scenario("cancel", function() {
  at_7 <- function(phase) function(told) told$phase == phase && told$step == 7
  condition_of(one_chain(11, 5, warmup = 100, callback = at_7("warm-up")), "nn_interrupted")
  steps <- 0 # a run is made in slices, and steps are told slice by slice
  count_to_7 <- function(told) told$phase == "sampling" && (steps <<- steps + 1) == 7
  fit <- suppressWarnings(one_chain(11, 50, warmup = 7, thin = 2, callback = count_to_7))
  expect(dim(fit$draws)[2] == 3)
  expect(identical(update(fit, 2)$draws, one_chain(11, 5, warmup = 7, thin = 2)$draws))
  e <- condition_of(one_chain(11, 5, callback = function(told) stop("from the callback")))
  expect(conditionMessage(e) == "from the callback")
  TRUE
})
scenario("seeds", function() {
  draws <- function(seed) one_chain(seed, 5, warmup = 0)$draws
  expect(!identical(draws(11), draws(12)))
  expect(identical(draws(11), draws(11)))
  two <- nn_sample(regression$net, x, regression$y, seed = 11, chains = 2, draws = 5, warmup = 0,
                   start = "prior")
  expect(identical(two$draws[, , 1], draws(11)[, , 1]))
  expect(!identical(two$draws[, , 1], two$draws[, , 2]))
  as.vector(draws(9007199254740991))
})
scenario("threads", function() {
  draws <- function(threads) standard(regression, threads = threads)$draws
  expect(identical(draws(1), draws(2)))
  TRUE
})
scenario("diagnostics", function() {
  fit <- standard(regression, draws = 40, thin = 1)
  table <- summary(fit, "parameters", probabilities = 0.9)$table
  c(table$rhat, table$ess_bulk, table$ess_tail, table$mcse, table$q90)
})
scenario("converged", function() {
  fit <- standard(regression, draws = 40, thin = 1)
  inner <- asNamespace("nnpost")
  values <- inner$function_draws(fit)
  expect(identical(rownames(values)[1:2], c("log_lik", "f[1]")))
  told <- .Call(inner$nnr_convergence, values, as.double(dim(values)))
  expect(told$verdict > inner$NNP_CONVERGED)
  expect(any(grepl(told$text, capture.output(print(fit)), fixed = TRUE)))
  expect(startsWith(summary(fit)$verdict, told$text))
  c(values, told$rhat, told$ess_bulk, told$ess_tail)
})
scenario("large", function() {
  info <- summary(nn_input(2^31) |> nn_dense(2))
  expect(info$parameters == 4294967298)
  expect(prod(info$shapes[, 1]) == 2^31)
  for (inputs in c(2147483653, 2^40, 2^60)) condition_of(nn_input(inputs), "nnpost_error")
  condition_of(one_chain(11, 2^62))
  condition_of(one_chain(11, 2^50, warmup = 0))
  TRUE
})

resident <- function() {
  as.numeric(strsplit(readLines("/proc/self/statm"), " ")[[1]][2]) * 4096
}
scenario("memory", function() {
  inner <- asNamespace("nnpost")
  inputs <- inner$as_inputs(x)
  targets <- inner$numeric_targets(regression$y, 1)
  round <- function() {
    net <- inner$build_net(regression$net)
    data <- inner$build_data(inputs, targets, 1)
    chain <- .Call(inner$nnr_chain, net, data, inner$NNP_GIBBS, inner$NNP_INTERMEDIATE, NULL)
    .Call(inner$nnr_chain_start, chain, inner$NNP_START_PRIOR, 1, 0)
    .Call(inner$nnr_predict, net, data, numeric(21), c(1, ROWS), inner$NNP_PREDICT_MEAN,
          list(inner$NNP_INTERMEDIATE, inner$NNP_FITTED, 1, 0, 1, NULL),
          NULL)
    for (handle in list(chain, data, net)) .Call(inner$nnr_free, handle)
  }
  for (i in 1:11000) {
    round()
    if (i == 1000) before <- resident()
  }
  expect(resident() - before < 2^23)
  # and without freeing: the garbage collector does it
  for (i in 1:100) inner$build_data(inputs, targets, 1)
  gc()
  expect(all(.Call(inner$nnr_live) == 0))
  TRUE
})

close(out)
cat(tests, "Tests", failures, "Failures 0 Ignored\n")
quit(status = as.integer(failures > 0))

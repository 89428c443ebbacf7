# What a fit tells about itself.

# Statistics of values[quantity, draw, chain], one row a quantity, as posterior defines them.
summarize <- function(values, probabilities = c(0.05, 0.95)) {
  size <- as.double(dim(values))
  statistic <- function(kind, probability = 0.5) {
    .Call(nnr_statistic, values, size, kind, probability)
  }
  quantiles <- vapply(probabilities, function(p) statistic(NNP_STAT_QUANTILE, p),
                      numeric(size[1L]))
  quantiles <- matrix(quantiles, size[1L])
  colnames(quantiles) <- paste0("q", 100 * probabilities)
  data.frame(mean = statistic(NNP_STAT_MEAN), sd = statistic(NNP_STAT_SD), quantiles,
             mcse = statistic(NNP_STAT_MCSE_MEAN), ess_bulk = statistic(NNP_STAT_ESS_BULK),
             ess_tail = statistic(NNP_STAT_ESS_TAIL), rhat = statistic(NNP_STAT_RHAT),
             row.names = dimnames(values)[[1L]])
}

# The function a network computes is what the data determine. Weights are not: hidden units may
# change places, so chains that agree about every prediction may disagree about every weight. So
# convergence is judged by predictions: the log score of the training data (of up to 200 rows of it)
# and the outputs at up to `rows` of these rows.
function_draws <- function(fit, rows = 20) {
  inputs <- as_inputs(fit$x)
  spread <- function(most) unique(round(seq(1, inputs$n, length.out = min(most, inputs$n))))
  some <- spread(200)
  few <- spread(rows)
  extent <- dim(fit$draws)
  pick <- function(i) as_inputs(matrix(fit$x, inputs$n)[i, , drop = FALSE])
  y <- if (is.matrix(fit$y)) fit$y[some, , drop = FALSE] else fit$y[some]
  score <- with_observed(fit, list(inputs = pick(some), y = y), function(net, data) {
    .Call(nnr_log_lik, net, data, fit$draws, as.double(c(extent[2L] * extent[3L], length(some))),
          how_to(fit, passes = 4))
  })
  score <- colMeans(matrix(score, length(some)))
  outputs <- library_predict(fit, pick(few), NNP_PREDICT_DRAWS, fit$outputs,
                             how = how_to(fit, "forward"))
  names <- if (fit$outputs == 1) paste0("f[", few, "]") else
    paste0("f[", rep(few, each = fit$outputs), ",", seq_len(fit$outputs), "]")
  values <- rbind(score, matrix(outputs, length(names)))
  array(values, c(1L + length(names), extent[2:3]), list(c("log_score", names), NULL, NULL))
}

summary.nnfit <- function(object, what = c("function", "parameters"), rows = 20,
                          probabilities = c(0.05, 0.95), ...) {
  what <- match.arg(what)
  values <- if (what == "function") function_draws(object, rows) else object$draws
  enough <- dim(values)[2L] >= 4
  table <- if (enough) summarize(values, probabilities) else NULL
  structure(list(
    call = object$call, net = object$net, sampler = object$sampler, posterior = object$posterior,
    n = nobs(object), draws = dim(object$draws)[2L], chains = object$chains, thin = object$thin,
    warmup = object$warmup, what = what, table = table, acceptance = acceptance(object),
    divergences = divergences(object), verdict = verdict(table, object, what)
  ), class = "summary.nnfit")
}

# A classical posterior of classes that is not that of Bayes has a temperature.
posterior_name <- function(fit) {
  temperature <- if (fit$posterior == "classical") nn_temperature(fit$net) else 1
  if (temperature == 1) fit$posterior else
    sprintf("%s, temperature %.4g", fit$posterior, temperature)
}

# Gibbs draws from exact conditionals: every one is accepted.
acceptance <- function(fit) {
  if (is.null(fit$stats)) rep(1, fit$chains) else
    apply(fit$stats["acceptance", , , drop = FALSE], 3, mean)
}

divergences <- function(fit) if (is.null(fit$stats)) 0 else sum(fit$stats["divergent", , ])

# Such statistics can only say no: chains that are all stuck in one place pass them.
verdict <- function(table, fit, what) {
  if (is.null(table)) return("undecided: fewer than 4 draws")
  rhat <- suppressWarnings(max(table$rhat, na.rm = TRUE))
  ess <- suppressWarnings(min(table$ess_bulk, table$ess_tail, na.rm = TRUE))
  if (!is.finite(rhat) && rhat < 0) return("undecided: nothing moved, or too few draws")
  told <- sprintf("(largest R-hat %.3f, smallest ESS %.0f)", rhat, ess)
  split <- if (divergences(fit) > 0)
    sprintf("; %.0f divergent steps: try a smaller step size or a larger target", divergences(fit))
  about <- if (what == "function") "predictions" else "parameters"
  few <- !is.finite(ess) || ess < 100 * fit$chains
  said <- if (rhat > 1.05) paste("not converged: chains disagree about", about) else
    if (rhat > 1.01) paste("doubtful: chains do not quite agree about", about) else
      if (few) "chains agree, but draws are few: run longer" else
        paste("no sign of trouble: chains agree about", about)
  paste0(said, " ", told, split)
}

print.summary.nnfit <- function(x, digits = 3, rows = 12, ...) {
  cat("Posterior of a neural network (", posterior_name(x), "), ", x$n, " rows\n", sep = "")
  cat(x$sampler, ": ", x$chains, if (x$chains == 1) " chain, " else " chains, ", x$draws,
      " draws of each", if (x$thin > 1) paste0(", every ", x$thin, " steps"), ", after ", x$warmup,
      " steps of warm-up\n", sep = "")
  if (x$sampler != "gibbs")
    cat("acceptance: ", paste(format(x$acceptance, digits = 3), collapse = " "),
        "; divergent steps: ", x$divergences, "\n", sep = "")
  if (!is.null(x$table)) {
    cat("\n")
    shown <- utils_head(x$table, rows)
    print(format_table(shown, digits))
    if (nrow(x$table) > rows) cat("... and", nrow(x$table) - rows, "more\n")
  }
  cat("\nVerdict: ", x$verdict, "\n", sep = "")
  invisible(x)
}

utils_head <- function(table, rows) table[seq_len(min(rows, nrow(table))), , drop = FALSE]

format_table <- function(table, digits) {
  each <- function(column) vapply(signif(column, digits), format, "", digits = digits)
  out <- as.data.frame(lapply(table, each), row.names = row.names(table))
  out$ess_bulk <- format(round(table$ess_bulk))
  out$ess_tail <- format(round(table$ess_tail))
  out$rhat <- format(round(table$rhat, 3), nsmall = 3)
  out
}

print.nnfit <- function(x, ...) {
  extent <- dim(x$draws)
  cat("Posterior of a neural network (", posterior_name(x), ")\n", sep = "")
  cat(format(x$net, nobs(x)))
  cat(x$sampler, ": ", extent[3L], if (extent[3L] == 1) " chain, " else " chains, ", extent[2L],
      " draws of each", if (x$thin > 1) paste0(", every ", x$thin, " steps"), "; seed ",
      format(x$seed, scientific = FALSE), "\n", sep = "")
  if (x$left > 0)
    cat("interrupted:", format(x$left, scientific = FALSE), "draws are left; update() goes on\n")
  cat("summary() judges convergence; predict() predicts\n")
  invisible(x)
}

# ---- Other packages -----------------------------------------------------------------------------

chosen_draws <- function(x, variables, rows) {
  if (match.arg(variables, c("parameters", "function")) == "parameters") x$draws else
    function_draws(x, rows)
}

# [draw, chain, variable]
as.array.nnfit <- function(x, variables = "parameters", rows = 20, ...) {
  values <- aperm(chosen_draws(x, variables, rows), c(2, 3, 1))
  dimnames(values) <- list(iteration = NULL, chain = NULL, variable = dimnames(values)[[3L]])
  values
}

# Draws of all chains, one below the other.
as.matrix.nnfit <- function(x, variables = "parameters", rows = 20, ...) {
  values <- chosen_draws(x, variables, rows)
  extent <- dim(values)
  t(matrix(values, extent[1L], dimnames = list(dimnames(values)[[1L]], NULL)))
}

as_draws.nnfit <- function(x, ...) as_draws_array.nnfit(x, ...)

as_draws_array.nnfit <- function(x, variables = "parameters", rows = 20, ...) {
  posterior::as_draws_array(as.array.nnfit(x, variables, rows))
}

as_draws_df.nnfit <- function(x, ...) posterior::as_draws_df(as_draws_array.nnfit(x, ...))
as_draws_matrix.nnfit <- function(x, ...) posterior::as_draws_matrix(as_draws_array.nnfit(x, ...))

as.mcmc.list.nnfit <- function(x, variables = "parameters", rows = 20, ...) {
  values <- chosen_draws(x, variables, rows)
  first <- x$warmup + x$thin
  coda::mcmc.list(lapply(seq_len(dim(values)[3L]), function(c) {
    one <- array(values[, , c], dim(values)[1:2], list(dimnames(values)[[1L]], NULL))
    coda::mcmc(t(one), start = first, thin = x$thin)
  }))
}

# One chain is an mcmc object, several are an mcmc.list.
as.mcmc.nnfit <- function(x, ...) {
  chains <- as.mcmc.list.nnfit(x, ...)
  if (length(chains) == 1L) chains[[1L]] else chains
}

# Summaries of a fit.

# Statistics of values[quantity, draw, chain], one row per quantity, as defined in posterior.
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

# Data determine the function a network computes, but not its weights: hidden units may swap
# places, so chains that agree about every prediction may disagree about every weight. So
# convergence is judged by the log likelihood of up to 32 training rows, predictions at up to `rows`
# of them (outputs, or probabilities of classes) and learned scales: [function, draw, chain].
function_draws <- function(fit, rows = 16) {
  rows <- need_count(rows, "rows", 1, 32)
  extent <- dim(fit$draws)
  found <- with_observed(fit, observed_rows(fit, NULL, NULL), function(net, data) {
    .Call(nnr_functions, net, data, fit$draws, as.double(c(extent[2L] * extent[3L], rows)),
          how_to(fit, seed = 1))
  })
  values <- array(found$values, c(length(found$names), extent[2:3]), list(found$names, NULL, NULL))
  function_units(fit, values)
}

# Predictions f[row] or f[row,output] and log likelihoods in the units of the response.
function_units <- function(fit, values) {
  names <- dimnames(values)[[1L]]
  values["log_lik", , ] <- values["log_lik", , ] + log_unit(fit)
  place <- regmatches(names, regexec("^f\\[([0-9]+)(,([0-9]+))?\\]$", names))
  for (i in which(lengths(place) > 0L)) {
    row <- as.integer(place[[i]][2L])
    output <- if (nzchar(place[[i]][4L])) as.integer(place[[i]][4L]) else 1L
    scaling <- fit$scaling$y
    if (!is.null(scaling))
      values[i, , ] <- scaling$center[[output]] + scaling$scale[[output]] * values[i, , ]
    if (!is.null(fit$offset)) values[i, , ] <- values[i, , ] + fit$offset[row]
  }
  values
}

summary.nnfit <- function(object, what = c("function", "parameters"), rows = 16,
                          probabilities = c(0.05, 0.95), ...) {
  no_others(..., of = "summary", known = names(formals(summary.nnfit)))
  what <- one_of(what)
  values <- if (what == "function") function_draws(object, rows) else object$draws
  enough <- dim(values)[2L] >= 4
  table <- if (enough) summarize(values, probabilities) else NULL
  structure(list(
    call = object$call, net = object$net, sampler = object$sampler, posterior = object$posterior,
    n = nobs(object), draws = dim(object$draws)[2L], chains = object$chains, thin = object$thin,
    warmup = object$warmup, what = what, table = table, acceptance = acceptance(object),
    divergences = divergences(object), verdict = verdict(values, object)
  ), class = "summary.nnfit")
}

# A classical posterior of classes other than the Bayes posterior has a temperature.
posterior_name <- function(fit) {
  temperature <- if (fit$posterior == "classical") nn_temperature(fit$net) else 1
  if (temperature == 1) fit$posterior else
    sprintf("%s, temperature %.4g", fit$posterior, temperature)
}

# Gibbs draws from exact conditionals, so every draw is accepted.
acceptance <- function(fit) {
  if (is.null(fit$stats)) rep(1, fit$chains) else
    apply(fit$stats["acceptance", , , drop = FALSE], 3, mean)
}

divergences <- function(fit) if (is.null(fit$stats)) 0 else sum(fit$stats["divergent", , ])

convergence <- function(values) .Call(nnr_convergence, values, as.double(dim(values)))

# A sentence on whether the chains have converged, judged by values[quantity, draw, chain]. Such
# statistics are one-sided: chains that are all stuck in one place pass them.
verdict <- function(values, fit) {
  found <- convergence(values)
  worst <- if (!is.na(found$rhat) && found$rhat > 1.01)
    paste0("; largest for ", dimnames(values)[[1L]][found$worst])
  split <- if (divergences(fit) > 0)
    sprintf("; %.0f divergent steps: a larger target helps, such as target = 0.95", divergences(fit))
  paste0(found$text, worst, split)
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
    shown <- shown_rows(x, rows)
    print(format_table(x$table[shown, , drop = FALSE], digits))
    if (length(shown) < nrow(x$table))
      cat("... and ", nrow(x$table) - length(shown), " more: print(summary(fit), rows = ",
          nrow(x$table), ")\n", sep = "")
  }
  cat("\nVerdict: ", x$verdict, "\n", sep = "")
  invisible(x)
}

# The first rows, and of functions also learned scales, which come last.
shown_rows <- function(x, rows) {
  names <- row.names(x$table)
  scales <- if (x$what == "function") which(!grepl("^(log_lik|[fp]\\[)", names))
  scales <- utils::head(scales, rows %/% 2)
  sort(union(utils::head(setdiff(seq_along(names), scales), rows - length(scales)), scales))
}

format_table <- function(table, digits) {
  each <- function(column) vapply(signif(column, digits), format, "", digits = digits)
  out <- as.data.frame(lapply(table, each), row.names = row.names(table))
  out$ess_bulk <- format(round(table$ess_bulk))
  out$ess_tail <- format(round(table$ess_tail))
  out$rhat <- format(round(table$rhat, 3), nsmall = 3)
  out
}

# The table of layers, of the posterior that was sampled. The classical one has no latents, and no noise of
# layers below the last; classes have D = 1/2 there unless it was set, and heads with a noise of their own
# have none.
fit_table_text <- function(fit) {
  text <- format(fit$net, nobs(fit))
  if (fit$posterior != "classical" || is.null(fit$net$input)) return(text)
  lines <- strsplit(text, "\n", fixed = TRUE)[[1L]]
  end <- function(name) regexpr(paste0(name, "( |$)"), lines[1L]) + nchar(name) - 1L
  field <- function(line) substr(line, end("bytes") + 1L, end("noise"))
  noisy <- which(grepl("[^ ]", field(lines)))[-1L] # below the header
  for (i in noisy) {
    value <- "-"
    if (i == max(noisy) && fit$net$head != "location_scale")
      value <- if (is_classifier(fit)) format(nn_temperature(fit$net) / 2) else field(lines[i])
    substr(lines[i], end("bytes") + 1L, end("noise")) <-
      formatC(trimws(value), width = end("noise") - end("bytes"))
  }
  lines <- paste0(substr(lines, 1L, end("parameters")), substring(lines, end("bytes") + 1L))
  paste0(paste(lines, collapse = "\n"), "\n")
}

print.nnfit <- function(x, ...) {
  extent <- dim(x$draws)
  cat("Posterior of a neural network (", posterior_name(x), ")\n", sep = "")
  cat(fit_table_text(x))
  cat(x$sampler, ": ", extent[3L], if (extent[3L] == 1) " chain, " else " chains, ", extent[2L],
      " draws of each", if (x$thin > 1) paste0(", every ", x$thin, " steps"), "; seed ",
      format(x$seed, scientific = FALSE), "\n", sep = "")
  if (!is.null(x$scaling))
    cat(if (is.null(x$scaling$y)) "inputs are" else "inputs and response are", "scaled internally\n")
  if (!is.null(x$na.action))
    cat(length(x$na.action), if (length(x$na.action) == 1L) "row with missing values was left out\n" else
      "rows with missing values were left out\n")
  if (x$left > 0)
    cat("interrupted:", format(x$left, scientific = FALSE), "draws are left; update(fit) makes them\n")
  cat("Verdict: ", verdict(function_draws(x), x), chains_worth(x), "\n", sep = "")
  invisible(x)
}

# ---- Other packages -----------------------------------------------------------------------------

chosen_draws <- function(x, variables, rows) {
  if (one_of(variables, c("parameters", "function")) == "parameters") x$draws else
    function_draws(x, rows)
}

# [draw, chain, variable]
as.array.nnfit <- function(x, variables = "parameters", rows = 16, ...) {
  values <- aperm(chosen_draws(x, variables, rows), c(2, 3, 1))
  dimnames(values) <- list(iteration = NULL, chain = NULL, variable = dimnames(values)[[3L]])
  values
}

# Draws of all chains, one below the other.
as.matrix.nnfit <- function(x, variables = "parameters", rows = 16, ...) {
  values <- chosen_draws(x, variables, rows)
  extent <- dim(values)
  t(matrix(values, extent[1L], dimnames = list(dimnames(values)[[1L]], NULL)))
}

as_draws.nnfit <- function(x, ...) as_draws_array.nnfit(x, ...)

as_draws_array.nnfit <- function(x, variables = "parameters", rows = 16, ...) {
  posterior::as_draws_array(as.array.nnfit(x, variables, rows))
}

as_draws_df.nnfit <- function(x, ...) posterior::as_draws_df(as_draws_array.nnfit(x, ...))
as_draws_matrix.nnfit <- function(x, ...) posterior::as_draws_matrix(as_draws_array.nnfit(x, ...))

as.mcmc.list.nnfit <- function(x, variables = "parameters", rows = 16, ...) {
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

# Predictions.

# Draws of all chains as the library takes them: the array itself, or every so many.
draws_for <- function(fit, draws) {
  total <- dim(fit$draws)[2L] * dim(fit$draws)[3L]
  if (is.null(draws) || draws >= total) return(list(values = fit$draws, count = total))
  kept <- unique(round(seq(1, total, length.out = need_count(draws, "draws"))))
  values <- fit$draws
  dim(values) <- c(dim(values)[1L], total)
  list(values = values[, kept, drop = FALSE], count = length(kept))
}

# The model that was fitted, or its forward pass without noise.
noise_of <- function(noise) {
  if (is.logical(noise) && length(noise) == 1L && !is.na(noise))
    noise <- if (noise) "fitted" else "forward"
  constant(noise, list(fitted = NNP_FITTED, forward = NNP_FORWARD), "noise")
}

# How predictions are made, for C: posterior, noise, seed, passes.
how_to <- function(fit, noise = "fitted", seed = NULL, passes = 0) {
  list(posteriors[[fit$posterior]], noise_of(noise), if (is.null(seed)) fit$seed else seed,
       need_count(passes, "passes", 0, 2^20))
}

# What the library returns is [..., output, row] with `inner` numbers an output.
library_predict <- function(fit, inputs, kind, inner, draws = NULL, how = how_to(fit),
                            levels = NULL) {
  used <- draws_for(fit, draws)
  if (kind == NNP_PREDICT_DRAWS) inner <- inner * used$count
  size <- as.double(c(used$count, inner * inputs$n))
  with_net(fit$net, NULL, function(net) with_data(inputs, NULL, 0, function(data) {
    .Call(nnr_predict, net, data, used$values, size, kind, how, levels)
  }))
}

is_classifier <- function(fit) !has_targets(fit$net)

predict.nnfit <- function(object, newdata = NULL,
                          type = c("mean", "interval", "sd", "probabilities", "class", "draws"),
                          level = 0.95, noise = c("fitted", "forward"), draws = NULL, seed = NULL,
                          passes = 0, ...) {
  type <- if (missing(type)) (if (is_classifier(object)) "probabilities" else "mean") else
    match.arg(type)
  if (...length())
    bad("...", "arguments predict() does not have",
        "newdata, type, level, noise, draws, seed or passes")
  if (type %in% c("probabilities", "class") && !is_classifier(object))
    bad("type", describe(type), "mean, interval, sd or draws for a head with numbers as targets",
        "NNP_E_UNSUPPORTED")
  how <- how_to(object, if (missing(noise)) "fitted" else noise, seed, passes)
  inputs <- new_inputs(object, newdata)
  rows <- rows_of(object, newdata)
  if (is.null(newdata))
    return(padded(predict_rows(object, inputs, rows, type, level, draws, how), object, type))
  if (!anyNA(inputs$x)) return(predict_rows(object, inputs, rows, type, level, draws, how))
  # rows with missing inputs have missing predictions
  x <- matrix(inputs$x, inputs$n)
  known <- !is.na(rowSums(x))
  if (!any(known)) bad("newdata", "every row has an NA", "at least one without", "NNP_E_NOT_FINITE")
  found <- predict_rows(object, as_inputs(x[known, , drop = FALSE], "newdata"), rows[known], type,
                        level, draws, how)
  spread_rows(found, replace(rep(NA_integer_, inputs$n), known, seq_len(sum(known))), rows, type)
}

# Rows as many as `at` has, where it tells which of those found, and NA elsewhere.
spread_rows <- function(found, at, rows, type) {
  if (is.null(dim(found))) return(stats::setNames(found[at], rows))
  axis <- if (type == "draws") 2L else 1L
  index <- c(list(found), rep(list(TRUE), length(dim(found))), list(drop = FALSE))
  index[[1L + axis]] <- at
  out <- do.call(`[`, index)
  names <- dimnames(out)
  if (!is.null(names)) {
    names[axis] <- list(rows)
    dimnames(out) <- names
  }
  out
}

# Rows that na.exclude left out of the fit have missing predictions.
padded <- function(found, fit, type) {
  if (!inherits(fit$na.action, "exclude")) return(found)
  if (type != "draws" && length(dim(found)) < 3L) return(stats::napredict(fit$na.action, found))
  n <- NROW(fit$y) + length(fit$na.action)
  at <- replace(rep(NA_integer_, n), -fit$na.action, seq_len(NROW(fit$y)))
  rows <- rows_of(fit, NULL)
  if (!is.null(rows)) rows <- replace(rows[at], fit$na.action, names(fit$na.action))
  spread_rows(found, at, rows, type)
}

predict_rows <- function(object, inputs, rows, type, level, draws, how) {
  labels <- list(rows, outputs_of(object))
  switch(type,
    mean = by_row(library_predict(object, inputs, NNP_PREDICT_MEAN, object$outputs, draws, how),
                  object$outputs, labels),
    sd = by_row(library_predict(object, inputs, NNP_PREDICT_SD, object$outputs, draws, how),
                object$outputs, labels),
    interval = predict_interval(object, inputs, level, draws, how, labels),
    probabilities = predict_probabilities(object, inputs, draws, how, labels),
    class = predict_class(object, inputs, draws, how, labels),
    draws = predict_draws(object, inputs, draws, how, labels)
  )
}

# Mean or probabilities of the rows of the fit.
fitted_rows <- function(fit) {
  predict_rows(fit, as_inputs(fit$x), rows_of(fit, NULL),
               if (is_classifier(fit)) "probabilities" else "mean", 0.95, NULL, how_to(fit))
}

rows_of <- function(fit, newdata) {
  rows <- if (is.null(newdata)) fit$x else newdata
  if (is.data.frame(rows)) row.names(rows) else if (is.null(dim(rows))) names(rows) else
    dimnames(rows)[[1L]]
}

outputs_of <- function(fit) {
  if (fit$net$head == "argmax") {
    spare <- seq_len(fit$outputs)[-seq_along(fit$levels)]
    c(fit$levels, if (length(spare)) paste0("class", spare))
  } else if (is.matrix(fit$y)) {
    colnames(fit$y)
  }
}

# [output, row] to [row, output], or to a vector if there is one output.
by_row <- function(values, outputs, labels) {
  if (outputs == 1) return(stats::setNames(values, labels[[1L]]))
  dim(values) <- c(outputs, length(values) / outputs)
  values <- t(values)
  dimnames(values) <- labels
  values
}

# As predict.lm: fit, lwr, upr; with several outputs an array [row, bound, output].
predict_interval <- function(fit, inputs, level, draws, how, labels) {
  if (!is.numeric(level) || length(level) != 1L || is.na(level) || level <= 0 || level >= 1)
    bad("level", describe(level), "a number between 0 and 1")
  levels <- c((1 - level) / 2, (1 + level) / 2)
  mean <- library_predict(fit, inputs, NNP_PREDICT_MEAN, fit$outputs, draws, how)
  bounds <- library_predict(fit, inputs, NNP_PREDICT_QUANTILES, 2 * fit$outputs, draws, how,
                            levels)
  dim(bounds) <- c(2, fit$outputs, inputs$n)
  all <- array(0, c(inputs$n, 3, fit$outputs),
               list(labels[[1L]], c("fit", "lwr", "upr"), labels[[2L]]))
  all[, 1L, ] <- t(matrix(mean, fit$outputs))
  all[, 2:3, ] <- aperm(bounds, c(3, 1, 2))
  if (fit$outputs == 1) array(all, dim(all)[1:2], dimnames(all)[1:2]) else all
}

predict_probabilities <- function(fit, inputs, draws, how, labels) {
  if (fit$net$head == "argmax")
    return(by_row(library_predict(fit, inputs, NNP_PREDICT_PROBABILITIES, fit$outputs, draws, how),
                  fit$outputs, labels))
  second <- library_predict(fit, inputs, NNP_PREDICT_PROBABILITIES, 1, draws, how)
  matrix(c(1 - second, second), ncol = 2L, dimnames = list(labels[[1L]], fit$levels))
}

predict_class <- function(fit, inputs, draws, how, labels) {
  probabilities <- predict_probabilities(fit, inputs, draws, how, labels)
  best <- max.col(probabilities, ties.method = "first")
  stats::setNames(factor(colnames(probabilities)[best], colnames(probabilities)), labels[[1L]])
}

# [draw, row, output]; [draw, row] if there is one output.
predict_draws <- function(fit, inputs, draws, how, labels) {
  values <- library_predict(fit, inputs, NNP_PREDICT_DRAWS, fit$outputs, draws, how)
  count <- length(values) / (fit$outputs * inputs$n)
  if (fit$outputs == 1) {
    dim(values) <- c(inputs$n, count)
    values <- t(values)
    if (!is.null(labels[[1L]])) colnames(values) <- labels[[1L]]
    return(values)
  }
  dim(values) <- c(fit$outputs, inputs$n, count)
  values <- aperm(values, c(3, 2, 1))
  dimnames(values) <- list(NULL, labels[[1L]], labels[[2L]])
  values
}

fitted.nnfit <- function(object, ...) stats::napredict(object$na.action, fitted_rows(object))

# Regression: y - fitted. Classes: 1 for the class observed, 0 for others, minus the probability.
residuals.nnfit <- function(object, ...) {
  fitted <- fitted_rows(object)
  if (!is_classifier(object)) {
    left <- object$y - fitted
    if (is.matrix(left) && object$outputs == 1) left <- left[, 1L]
    return(stats::naresid(object$na.action, left))
  }
  observed <- outer(as.character(object$y), colnames(fitted), `==`)
  dimnames(observed) <- dimnames(fitted)
  stats::naresid(object$na.action, observed - fitted)
}

nobs.nnfit <- function(object, ...) NROW(object$y)

# Rows to be compared with, of the fit unless given: list(inputs, y).
observed_rows <- function(fit, newdata, y) {
  if (is.null(newdata) != is.null(y) && is.null(fit$terms))
    bad("y", "newdata and y belong together", "both or none")
  if (is.null(y)) y <- if (is.null(newdata)) fit$y else stats::model.response(
    stats::model.frame(fit$terms, newdata, na.action = stats::na.pass, xlev = fit$xlevels))
  list(inputs = new_inputs(fit, newdata), y = y)
}

# code(net, data) with handles of a fit's network and of rows to be compared with.
with_observed <- function(fit, rows, code) {
  with_net(fit$net, NULL, function(net)
    with_data(rows$inputs, as_targets_of(fit, rows$y), fit$outputs, function(data)
      code(net, data)))
}

# How good predictions are: mean squared error or accuracy, and the log predictive density.
nn_score <- function(fit, newdata = NULL, y = NULL, draws = NULL, noise = c("fitted", "forward"),
                     seed = NULL, passes = 0) {
  need_fit(fit)
  rows <- observed_rows(fit, newdata, y)
  used <- draws_for(fit, draws)
  how <- how_to(fit, if (missing(noise)) "fitted" else noise, seed, passes)
  kinds <- c(if (is_classifier(fit)) c(accuracy = NNP_SCORE_ACCURACY) else c(mse = NNP_SCORE_MSE),
             log_score = NNP_SCORE_LOG)
  with_observed(fit, rows, function(net, data) {
    vapply(kinds, function(kind)
      .Call(nnr_score, net, data, used$values, as.double(used$count), kind, how), 0)
  })
}

# The pointwise log likelihood, one row for each draw (all of the first chain, then of the second,
# ...) and one column for each row of data, as rstantools and loo have it.
log_lik <- function(object, ...) UseMethod("log_lik")

log_lik.nnfit <- function(object, newdata = NULL, y = NULL, draws = NULL, seed = NULL, passes = 0,
                          ...) {
  if (...length())
    bad("...", "arguments log_lik() does not have", "newdata, y, draws, seed or passes")
  rows <- observed_rows(object, newdata, y)
  used <- draws_for(object, draws)
  values <- with_observed(object, rows, function(net, data) {
    .Call(nnr_log_lik, net, data, used$values, as.double(c(used$count, rows$inputs$n)),
          how_to(object, "fitted", seed, passes))
  })
  values <- t(matrix(values, rows$inputs$n))
  names <- rows_of(object, newdata)
  if (!is.null(names)) colnames(values) <- names
  values
}

# Predictions.

# Draws of all chains for the library: the whole array, or evenly spaced draws; for weighted
# chains a number proportional to the weights, unless every draw is used separately.
draws_for <- function(fit, draws, weighted = TRUE) {
  if (weighted && !is.null(fit$chain_weights)) fit$draws <- stacked_draws(fit)
  total <- dim(fit$draws)[2L] * dim(fit$draws)[3L]
  if (is.null(draws) || draws >= total) return(list(values = fit$draws, count = total))
  kept <- unique(round(seq(1, total, length.out = need_count(draws, "draws"))))
  values <- fit$draws
  dim(values) <- c(dim(values)[1L], total)
  list(values = values[, kept, drop = FALSE], count = length(kept))
}

# All draws of the chain with the largest weight, and an evenly spaced share of the others.
stacked_draws <- function(fit) {
  extent <- dim(fit$draws)
  counts <- round(extent[2L] * fit$chain_weights / max(fit$chain_weights))
  chosen <- unlist(lapply(seq_len(extent[3L]), function(c)
    (c - 1) * extent[2L] + unique(round(seq(1, extent[2L], length.out = counts[c])))))
  draws <- matrix(fit$draws, extent[1L])[, chosen, drop = FALSE]
  array(draws, c(dim(draws), 1L))
}

# The fitted model, or its forward pass without noise.
noise_of <- function(noise) {
  if (is.logical(noise) && length(noise) == 1L && !is.na(noise))
    noise <- if (noise) "fitted" else "forward"
  constant(noise, list(fitted = NNP_FITTED, forward = NNP_FORWARD), "noise")
}

# How predictions are made, for C: posterior, noise, seed, passes, threads, and the label of a
# progress bar that appears if it takes long.
how_to <- function(fit, noise = "fitted", seed = NULL, passes = 0) {
  list(posteriors[[fit$posterior]], noise_of(noise), if (is.null(seed)) fit$seed else seed,
       need_count(passes, "passes", 0, 2^20), default_threads(),
       if (interactive()) "predict ")
}

# The library returns [..., output, row] with `inner` numbers per output.
library_predict <- function(fit, inputs, kind, inner, draws = NULL, how = how_to(fit),
                            levels = NULL) {
  used <- draws_for(fit, draws)
  if (kind == NNP_PREDICT_DRAWS) inner <- inner * used$count
  size <- as.double(c(used$count, inner * inputs$n))
  values <- with_rows(fit, inputs, function(net, data)
    .Call(nnr_predict, net, data, used$values, size, kind, how, levels))
  if (is_classifier(fit)) return(values)
  own_units(fit, values, inputs$offset, max(1L, length(levels)), kind == NNP_PREDICT_SD)
}

# code(net, data) with handles of a fit's network and of rows without targets.
with_rows <- function(fit, inputs, code) {
  with_net(fit$net, NULL, function(net)
    with_data(network_inputs(fit, inputs), NULL, 0, function(data) code(net, data)))
}

is_classifier <- function(fit) !has_targets(fit$net)

predict.nnfit <- function(object, newdata = NULL,
                          type = c("mean", "interval", "sd", "probabilities", "class", "draws",
                                   "response"),
                          level = 0.95, noise = c("fitted", "forward"), draws = NULL, seed = NULL,
                          passes = 0, interval = c("none", "confidence", "prediction"),
                          se.fit = FALSE, probs = NULL, ...) {
  no_others(..., of = "predict", known = names(formals(predict.nnfit)))
  type <- if (missing(type)) (if (is_classifier(object)) "probabilities" else "mean") else
    one_of(type)
  interval <- one_of(interval)
  if (type %in% c("probabilities", "class") && !is_classifier(object))
    bad("type", describe(type),
        "mean, response, interval, sd or draws for a head with numbers as targets",
        "NNP_E_UNSUPPORTED")
  how <- how_to(object, if (missing(noise)) "fitted" else noise, seed, passes)
  ask <- function(code) over_rows(object, newdata, if (type == "draws") 2L else 1L, code)
  found <- if (interval != "none" || !is.null(probs)) {
    if (!type %in% c("mean", "response", "interval", "probabilities"))
      bad("type", describe(type), "mean or response with interval and probs", "NNP_E_UNSUPPORTED")
    if (is_classifier(object) && interval == "prediction")
      bad("interval", "a class has no prediction interval",
          '"confidence", for intervals of the probabilities', "NNP_E_UNSUPPORTED")
    if (is_classifier(object)) interval <- "confidence"
    need_level(level)
    ask(function(inputs, rows)
      interval_rows(object, inputs, rows, interval, level, probs, draws, how))
  } else {
    ask(function(inputs, rows) predict_rows(object, inputs, rows, type, level, draws, how))
  }
  if (!isTRUE(se.fit)) return(found)
  spread <- over_rows(object, newdata, 1L, function(inputs, rows)
    shrink(epred_rows(object, inputs, rows, draws, how), stats::sd))
  list(fit = found, se.fit = spread, residual.scale = noise_sd(object))
}

# found(inputs, rows) of the complete rows of newdata, and NA for the others. The result has its
# rows along `axis`.
over_rows <- function(fit, newdata, axis, found) {
  inputs <- new_inputs(fit, newdata)
  rows <- rows_of(fit, newdata)
  if (is.null(newdata)) return(padded(found(inputs, rows), fit, axis))
  if (inputs$n == 0L) { # of one row that is known none is kept
    one <- as_inputs(matrix(as_inputs(fit$x)$x, NROW(fit$x))[1L, , drop = FALSE])
    one$offset <- fit$offset[1L]
    return(spread_rows(found(one, NULL), integer(), if (!is.null(rows)) character(), axis))
  }
  if (!anyNA(inputs$x) && !anyNA(inputs$offset)) return(found(inputs, rows))
  known <- complete_rows(inputs)
  if (!any(known)) bad("newdata", "every row has an NA", "at least one without", "NNP_E_NOT_FINITE")
  at <- replace(rep(NA_integer_, inputs$n), known, seq_len(sum(known)))
  spread_rows(found(some_rows(inputs, known), rows[known]), at, rows, axis)
}

complete_rows <- function(inputs) {
  known <- !is.na(rowSums(matrix(inputs$x, inputs$n)))
  if (is.null(inputs$offset)) known else known & !is.na(inputs$offset)
}

some_rows <- function(inputs, which) {
  some <- as_inputs(matrix(inputs$x, inputs$n)[which, , drop = FALSE], "newdata")
  some$offset <- inputs$offset[which]
  some
}

# One row per entry of `at`, which is the index of a row that was found, or NA.
spread_rows <- function(found, at, rows, axis) {
  if (is.null(dim(found))) return(stats::setNames(found[at], rows))
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
padded <- function(found, fit, axis) {
  if (!inherits(fit$na.action, "exclude")) return(found)
  n <- NROW(fit$y) + length(fit$na.action)
  at <- replace(rep(NA_integer_, n), -fit$na.action, seq_len(NROW(fit$y)))
  rows <- rows_of(fit, NULL)
  if (!is.null(rows)) rows <- replace(rows[at], fit$na.action, names(fit$na.action))
  spread_rows(found, at, rows, axis)
}

# Quantiles of new observations, or of the last site, [row, quantile, output].
target_quantiles <- function(fit, inputs, quantiles, draws, how) {
  values <- library_predict(fit, inputs, NNP_PREDICT_QUANTILES, length(quantiles) * fit$outputs,
                            draws, how, quantiles)
  dim(values) <- c(length(quantiles), fit$outputs, inputs$n)
  aperm(values, c(3L, 1L, 2L))
}

# Quantiles of the expected values of draws, [row, quantile, output or class].
mean_quantiles <- function(means, quantiles) {
  if (length(dim(means)) == 2L) dim(means) <- c(dim(means), 1L)
  values <- apply(means, 2:3, stats::quantile, quantiles, names = FALSE)
  dim(values) <- c(length(quantiles), dim(means)[-1L])
  aperm(values, c(2L, 1L, 3L))
}

# As predict.lm: fit, lwr, upr; with several outputs or classes an array [row, bound, output].
# Requested quantiles are returned without the mean.
interval_rows <- function(fit, inputs, rows, interval, level, probs, draws, how) {
  quantiles <- if (is.null(probs)) c((1 - level) / 2, (1 + level) / 2) else need_probs(probs)
  columns <- if (interval == "confidence") class_names(fit) else outputs_of(fit)
  if (interval == "confidence") {
    means <- epred_rows(fit, inputs, rows, draws, how)
    bounds <- mean_quantiles(means, quantiles)
    centre <- shrink(means, mean)
  } else {
    bounds <- target_quantiles(fit, inputs, quantiles, draws, how)
    centre <- if (is.null(probs))
      t(matrix(library_predict(fit, inputs, NNP_PREDICT_MEAN, fit$outputs, draws, how),
               fit$outputs))
  }
  if (is.null(probs)) {
    all <- array(0, dim(bounds) + c(0, 1, 0), list(rows, c("fit", "lwr", "upr"), columns))
    all[, 1L, ] <- centre
    all[, -1L, ] <- bounds
  } else {
    all <- array(bounds, dim(bounds), list(rows, quantile_names(probs), columns))
  }
  if (dim(all)[3L] == 1L) array(all, dim(all)[1:2], dimnames(all)[1:2]) else all
}

# A statistic over draws, the first axis.
shrink <- function(values, f, ...) apply(values, seq_along(dim(values))[-1L], f, ...)

need_level <- function(level, argument = "level") {
  if (!is.numeric(level) || length(level) != 1L || is.na(level) || level <= 0 || level >= 1)
    bad(argument, describe(level), "a number between 0 and 1")
  level
}

need_probs <- function(probs) {
  if (!is.numeric(probs) || !length(probs) %in% 1:64 || anyNA(probs) || any(probs < 0 | probs > 1))
    bad("probs", describe(probs), "1 to 64 numbers from 0 to 1")
  as.double(probs)
}

quantile_names <- function(probs) paste0(format(100 * probs, trim = TRUE, digits = 7), "%")

predict_rows <- function(object, inputs, rows, type, level, draws, how) {
  labels <- list(rows, outputs_of(object))
  switch(type,
    mean = by_row(library_predict(object, inputs, NNP_PREDICT_MEAN, object$outputs, draws, how),
                  object$outputs, labels),
    sd = by_row(library_predict(object, inputs, NNP_PREDICT_SD, object$outputs, draws, how),
                object$outputs, labels),
    interval = interval_rows(object, inputs, rows, "prediction", need_level(level), NULL, draws,
                             how),
    probabilities = predict_probabilities(object, inputs, draws, how, labels),
    class = predict_class(object, inputs, draws, how, labels),
    response = predict_response(object, inputs, draws, how, labels),
    draws = predict_draws(object, inputs, draws, how, labels)
  )
}

# Mean or probabilities of the rows of the fit.
fitted_rows <- function(fit) {
  predict_rows(fit, new_inputs(fit, NULL), rows_of(fit, NULL),
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

# Classes as probabilities have them: two of a sign head, too.
class_names <- function(fit) if (fit$net$head == "sign") fit$levels else outputs_of(fit)

# [output, row] to [row, output], or to a vector if there is one output.
by_row <- function(values, outputs, labels) {
  if (outputs == 1) return(stats::setNames(values, labels[[1L]]))
  dim(values) <- c(outputs, length(values) / outputs)
  values <- t(values)
  dimnames(values) <- labels
  values
}

predict_probabilities <- function(fit, inputs, draws, how, labels) {
  if (fit$net$head == "argmax")
    return(by_row(library_predict(fit, inputs, NNP_PREDICT_PROBABILITIES, fit$outputs, draws, how),
                  fit$outputs, labels))
  second <- library_predict(fit, inputs, NNP_PREDICT_PROBABILITIES, 1, draws, how)
  matrix(c(1 - second, second), ncol = 2L, dimnames = list(labels[[1L]], fit$levels))
}

# As predict.glm(): the mean, the probability of the second of two classes, or of every class.
predict_response <- function(fit, inputs, draws, how, labels) {
  if (!is_classifier(fit))
    return(by_row(library_predict(fit, inputs, NNP_PREDICT_MEAN, fit$outputs, draws, how),
                  fit$outputs, labels))
  found <- predict_probabilities(fit, inputs, draws, how, labels)
  if (ncol(found) == 2L) found[, 2L] else found
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

fitted.nnfit <- function(object, ...) {
  no_others(..., of = "fitted", known = "object")
  stats::napredict(object$na.action, fitted_rows(object))
}

# Regression: y - fitted, or that in predictive standard deviations. Classes: 1 for the class
# observed, 0 for others, minus the probability.
residuals.nnfit <- function(object, type = c("response", "pearson"), ...) {
  no_others(..., of = "residuals", known = c("object", "type"))
  type <- one_of(type)
  fitted <- fitted_rows(object)
  if (!is_classifier(object)) {
    left <- object$y - fitted
    if (type == "pearson")
      left <- left / predict_rows(object, new_inputs(object, NULL), NULL, "sd", 0.5, NULL,
                                  how_to(object))
    if (is.matrix(left) && object$outputs == 1) left <- left[, 1L]
    return(stats::naresid(object$na.action, left))
  }
  observed <- outer(as.character(object$y), colnames(fitted), `==`)
  dimnames(observed) <- dimnames(fitted)
  left <- observed - fitted
  if (type == "pearson") left <- left / sqrt(fitted * (1 - fitted))
  stats::naresid(object$na.action, left)
}

nobs.nnfit <- function(object, ...) NROW(object$y)

# Rows to be compared with, of the fit unless given: list(inputs, y).
observed_rows <- function(fit, newdata, y) {
  if (is.null(newdata) != is.null(y) && is.null(fit$terms))
    bad("y", "only one of newdata and y was given", "both or neither")
  inputs <- new_inputs(fit, newdata)
  if (inputs$n == 0L) bad("newdata", "it has no rows", "at least one", "NNP_E_SIZE")
  if (is.null(y)) y <- if (is.null(newdata)) fit$y else stats::model.response(
    stats::model.frame(fit$terms, newdata, na.action = stats::na.pass, xlev = fit$xlevels))
  list(inputs = inputs, y = y)
}

# Which of them have no missing value, and those.
complete_observed <- function(rows) {
  y <- rows$y
  if (is.data.frame(y)) y <- as.matrix(y)
  seen <- if (is.matrix(y)) !apply(is.na(y), 1L, any) else !is.na(y)
  if (length(seen) != rows$inputs$n) return(list(known = TRUE, rows = rows)) # the library tells
  known <- complete_rows(rows$inputs) & seen
  if (all(known)) return(list(known = TRUE, rows = rows))
  if (!any(known)) bad("newdata", "every row has an NA", "at least one without", "NNP_E_NOT_FINITE")
  list(known = known, rows = list(inputs = some_rows(rows$inputs, known),
                                  y = if (is.matrix(y)) y[known, , drop = FALSE] else y[known]))
}

# code(net, data) with handles of a fit's network and of rows to be compared with.
with_observed <- function(fit, rows, code) {
  targets <- network_targets(fit, as_targets_of(fit, rows$y), rows$inputs$offset)
  with_net(fit$net, NULL, function(net)
    with_data(network_inputs(fit, rows$inputs), targets, fit$outputs, function(data)
      code(net, data)))
}

# Scores of predictions: mean squared error or accuracy, and the log predictive density. Rows with
# missing values do not count.
nn_score <- function(fit, newdata = NULL, y = NULL, draws = NULL, noise = c("fitted", "forward"),
                     seed = NULL, passes = 0) {
  need_fit(fit)
  rows <- complete_observed(observed_rows(fit, newdata, y))$rows
  used <- draws_for(fit, draws)
  how <- how_to(fit, if (missing(noise)) "fitted" else noise, seed, passes)
  kinds <- c(if (is_classifier(fit)) c(accuracy = NNP_SCORE_ACCURACY) else c(mse = NNP_SCORE_MSE),
             log_score = NNP_SCORE_LOG)
  found <- with_observed(fit, rows, function(net, data) {
    vapply(kinds, function(kind)
      .Call(nnr_score, net, data, used$values, as.double(used$count), kind, how), 0)
  })
  if (!is.null(fit$scaling$y)) {
    mean <- library_predict(fit, rows$inputs, NNP_PREDICT_MEAN, fit$outputs, draws, how)
    found[["mse"]] <- mean((as.vector(t(as.matrix(rows$y))) - mean)^2)
    found[["log_score"]] <- found[["log_score"]] + log_unit(fit)
  }
  found
}

# The pointwise log likelihood, one row for each draw (all of the first chain, then of the second,
# ...) and one column for each row of data, the format of rstantools and loo.
log_lik.nnfit <- function(object, newdata = NULL, y = NULL, draws = NULL, seed = NULL, passes = 0,
                          ndraws = NULL, ...) {
  no_others(..., of = "log_lik", known = names(formals(log_lik.nnfit)))
  if (!is.null(ndraws)) draws <- ndraws
  rows <- observed_rows(object, newdata, y)
  whole <- complete_observed(rows)
  used <- draws_for(object, draws, weighted = FALSE)
  count <- whole$rows$inputs$n
  values <- with_observed(object, whole$rows, function(net, data) {
    .Call(nnr_log_lik, net, data, used$values, as.double(c(used$count, count)),
          how_to(object, "fitted", seed, passes))
  })
  values <- t(matrix(values, count)) + log_unit(object)
  if (is.null(newdata) && !is.null(object$weights))
    values <- values * rep(object$weights, each = nrow(values))
  names <- rows_of(object, newdata)
  if (!is.null(names)) colnames(values) <- names[whole$known]
  if (isTRUE(whole$known)) return(values)
  at <- replace(rep(NA_integer_, rows$inputs$n), whole$known, seq_len(count))
  spread_rows(values, at, names, 2L)
}

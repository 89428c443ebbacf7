# Figures, with base graphics.

chain_colours <- function(count) grDevices::hcl.colors(max(count, 3L), "Dark 3")[seq_len(count)]

plot.nnfit <- function(x, which = c("trace", "predictive", "thermalization"), variables = NULL,
                       level = 0.9, ask = FALSE, ...) {
  which <- match.arg(which, several.ok = !missing(which))
  if (missing(which)) which <- "trace"
  if (ask) {
    before <- grDevices::devAskNewPage(TRUE)
    on.exit(grDevices::devAskNewPage(before))
  }
  for (kind in which)
    switch(kind,
      trace = plot_trace(x, variables, ...),
      predictive = plot_predictive(x, level, ...),
      thermalization = plot_settling(x, ...)
    )
  invisible(x)
}

# Traces of the log likelihood and some outputs, or of the parameters that are named.
plot_trace <- function(fit, variables, ...) {
  values <- if (is.null(variables)) function_draws(fit, 3) else fit$draws
  if (is.null(variables)) variables <- utils_first(dimnames(values)[[1L]], 4L)
  unknown <- setdiff(variables, dimnames(values)[[1L]])
  if (length(unknown)) bad("variables", describe(unknown[1]), "names of nn_parameters()")
  old <- graphics::par(mfrow = grDevices::n2mfrow(length(variables)), mar = c(4, 4, 2, 1))
  on.exit(graphics::par(old))
  for (variable in variables) {
    one <- matrix(values[variable, , ], dim(values)[2L])
    graphics::matplot(seq_len(nrow(one)), one, type = "l", lty = 1,
                      col = chain_colours(ncol(one)), xlab = "draw", ylab = "", main = variable,
                      ...)
  }
}

utils_first <- function(x, count) x[seq_len(min(count, length(x)))]

# Regression: observations against predictions with their intervals. Classes: how often events that
# are given a probability happen.
plot_predictive <- function(fit, level, ...) {
  if (is_classifier(fit)) return(plot_reliability(fit, ...))
  interval <- predict_rows(fit, as_inputs(fit$x), NULL, "interval", level, NULL, how_to(fit))
  if (fit$outputs > 1) interval <- interval[, , 1L]
  y <- if (is.matrix(fit$y)) fit$y[, 1L] else fit$y
  inside <- y >= interval[, "lwr"] & y <= interval[, "upr"]
  graphics::plot(interval[, "fit"], y, type = "n", xlab = "prediction", ylab = "observation",
                 ylim = range(y, interval[, -1L]),
                 main = sprintf("%.0f%% of the observations are inside %.0f%% intervals",
                                100 * mean(inside), 100 * level), ...)
  graphics::segments(interval[, "fit"], interval[, "lwr"], interval[, "fit"], interval[, "upr"],
                     col = "grey70")
  graphics::points(interval[, "fit"], y, pch = 20, col = ifelse(inside, "black", "firebrick"))
  graphics::abline(0, 1, lty = 2)
}

plot_reliability <- function(fit, bins = 10, ...) {
  p <- fitted_rows(fit)
  happened <- outer(as.character(fit$y), colnames(p), `==`)
  bin <- cut(as.vector(p), seq(0, 1, length.out = bins + 1), include.lowest = TRUE)
  share <- as.vector(table(bin)) / length(p) # large points are of many predictions
  graphics::plot(tapply(as.vector(p), bin, mean), tapply(as.vector(happened), bin, mean),
                 cex = 0.7 + 2 * sqrt(share),
                 xlim = c(0, 1), ylim = c(0, 1), xlab = "probability given",
                 ylab = "share observed", type = "b", pch = 20,
                 main = "reliability of class probabilities", ...)
  graphics::abline(0, 1, lty = 2)
}

# The log likelihood along the chains, and when each became stationary.
plot_settling <- function(fit, ...) {
  values <- function_draws(fit, 1)["log_lik", , , drop = FALSE]
  values <- matrix(values, dim(values)[2L])
  times <- fit$warmup + fit$thin * seq_len(nrow(values))
  colours <- chain_colours(ncol(values))
  graphics::matplot(times, values, type = "l", lty = 1, col = colours, xlab = "step",
                    ylab = "log likelihood of training rows", main = "when chains became stationary",
                    ...)
  for (c in seq_len(ncol(values))) {
    settled <- .Call(nnr_stationarity, as.double(times), values[, c], NNP_SCALE_LINEAR)
    if (settled$found) graphics::abline(v = settled$time, col = colours[c], lty = 2)
  }
}

plot.nn_thermalization <- function(x, ...) {
  series <- lapply(x$series, function(s) s$test[s$test[, "time"] > 0, , drop = FALSE])
  all <- do.call(rbind, series)
  positive <- all(all[, "value"] > 0)
  colours <- c("black", chain_colours(nrow(x$report)))
  graphics::plot(range(all[, "time"]), range(all[, "value"]), type = "n",
                 log = if (positive) "xy" else "x", xlab = "step", ylab = "test error", ...)
  for (i in rev(seq_along(series)))
    graphics::lines(series[[i]][, "time"], series[[i]][, "value"], col = colours[i])
  times <- x$report$teacher_student
  graphics::abline(v = times[!is.nan(times)], col = colours[-1L][!is.nan(times)], lty = 2)
  graphics::legend("topright", c("teacher", paste0(x$report$start, ": ", x$report$verdict)),
                   col = colours, lty = 1, bty = "n")
  invisible(x)
}

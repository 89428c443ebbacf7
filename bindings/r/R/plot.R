# Figures, with base graphics.

chain_colours <- function(count) grDevices::hcl.colors(max(count, 3L), "Dark 3")[seq_len(count)]

# Calls f with its own arguments, unless the user gave others.
draw <- function(f, own, given) do.call(f, c(given, own[setdiff(names(own), names(given))]))

# Space above a figure for a legend that hides nothing: how many columns and lines it takes. Call
# it before the figure is drawn; the caller restores par().
legend_room <- function(labels, title = TRUE) {
  width <- graphics::par("cin")[1L] * (0.75 * max(nchar(labels)) + 4)
  columns <- min(length(labels), max(1, floor(graphics::par("pin")[1L] / width)))
  lines <- ceiling(length(labels) / columns)
  margins <- graphics::par("mar")
  margins[3L] <- lines + if (title) 2.5 else 1
  graphics::par(mar = margins)
  list(columns = columns, lines = lines)
}

legend_above <- function(room, labels, ...) {
  graphics::legend(graphics::grconvertX(0, "npc"), graphics::grconvertY(1, "npc"), labels, ...,
                   yjust = 0, xpd = NA, bty = "n", ncol = room$columns, cex = 0.9)
}

# Legend of chains for several panels, above all of them.
chain_legend <- function(colours) {
  graphics::legend(graphics::grconvertX(0.5, "ndc"), graphics::grconvertY(1, "ndc"),
                   paste("chain", seq_along(colours)), col = colours, lty = 1, xjust = 0.5,
                   yjust = 1, xpd = NA, bty = "n", horiz = length(colours) <= 8,
                   ncol = if (length(colours) > 8) 8 else 1, cex = 0.9)
}

plot.nnfit <- function(x, which = c("trace", "predictive", "calibration", "thermalization"),
                       variables = NULL, level = 0.9, ask = FALSE, newdata = NULL, y = NULL, ...) {
  which <- match.arg(which, several.ok = !missing(which))
  if (missing(which)) which <- if (is.null(newdata)) "trace" else "predictive"
  need_level(level)
  if (ask) {
    before <- grDevices::devAskNewPage(TRUE)
    on.exit(grDevices::devAskNewPage(before))
  }
  for (kind in which)
    switch(kind,
      trace = plot_trace(x, variables, ...),
      predictive = plot_predictive(x, level, newdata, y, ...),
      calibration = plot_calibration(x, level, newdata, y, ...),
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
  colours <- chain_colours(dim(values)[3L])
  several <- length(colours) > 1L
  old <- graphics::par(mfrow = grDevices::n2mfrow(length(variables)), mar = c(4, 4, 2, 1),
                       oma = c(0, 0, if (several) 1.5 else 0, 0))
  on.exit(graphics::par(old))
  for (variable in variables) {
    one <- matrix(values[variable, , ], dim(values)[2L])
    draw(graphics::matplot,
         list(x = seq_len(nrow(one)), y = one, type = "l", lty = 1, col = colours, xlab = "draw",
              ylab = "", main = variable), list(...))
  }
  if (several) chain_legend(colours)
}

utils_first <- function(x, count) x[seq_len(min(count, length(x)))]

# Rows of new data, or of the fit, that are complete, with what was observed; y is NULL if it was
# not.
seen_rows <- function(fit, newdata, y) {
  response <- if (!is.null(newdata) && !is.null(fit$terms)) all.vars(stats::formula(fit)[[2L]])
  unseen <- !is.null(newdata) && is.null(y) &&
    (is.null(fit$terms) || !all(response %in% names(newdata)))
  if (!unseen) return(complete_observed(observed_rows(fit, newdata, y))$rows)
  inputs <- new_inputs(fit, newdata)
  if (inputs$n == 0L) bad("newdata", "it has no rows", "at least one", "NNP_E_SIZE")
  list(inputs = some_rows(inputs, complete_rows(inputs)), y = NULL)
}

first_column <- function(values) if (is.null(dim(values))) values else as.vector(values[, 1L])

# Numbers: observations against predictions with their intervals; intervals alone, in the order of
# the rows, if nothing was observed. Classes: the probability of the class that was observed.
plot_predictive <- function(fit, level, newdata, y, ...) {
  if (is_classifier(fit)) return(plot_calibration(fit, level, newdata, y, ...))
  rows <- seen_rows(fit, newdata, y)
  interval <- predict_rows(fit, rows$inputs, NULL, "interval", level, NULL, how_to(fit))
  if (fit$outputs > 1) interval <- interval[, , 1L]
  seen <- !is.null(rows$y)
  y <- if (seen) first_column(rows$y) else interval[, "fit"]
  inside <- y >= interval[, "lwr"] & y <= interval[, "upr"]
  at <- if (seen) interval[, "fit"] else seq_along(y)
  title <- if (seen) sprintf("%.0f%% of the observations are inside %.0f%% intervals",
                             100 * mean(inside), 100 * level) else
    sprintf("predictions with %.0f%% intervals", 100 * level)
  draw(graphics::plot, list(x = at, y = y, type = "n", xlab = if (seen) "prediction" else "row",
                            ylab = if (seen) "observation" else "prediction",
                            ylim = range(y, interval[, -1L]), main = title), list(...))
  graphics::segments(at, interval[, "lwr"], at, interval[, "upr"], col = "grey70")
  graphics::points(at, y, pch = 20, col = ifelse(inside, "black", "firebrick"))
  if (seen) graphics::abline(0, 1, lty = 2)
}

# Numbers: where observations lie in their predictive distributions, which is uniform if predictions
# are calibrated. Classes: how often what was given a probability happened. With the band that
# `level` of calibrated predictions stay in at each point.
plot_calibration <- function(fit, level, newdata, y, ...) {
  rows <- seen_rows(fit, newdata, y)
  if (is.null(rows$y)) bad("newdata", "it has no response", "the observed response, or y")
  rows$name <- if (is.null(newdata)) "training rows" else "rows"
  if (is_classifier(fit)) plot_reliability(fit, rows, level, ...) else
    plot_ranks(fit, rows, level, ...)
}

# The share of predictive draws below each observation, once for each row (and output).
predictive_ranks <- function(fit, rows, draws = 1000) {
  found <- predict_draws(fit, rows$inputs, draws, how_to(fit), list(NULL, NULL))
  y <- rep(as.vector(as.matrix(rows$y)), each = dim(found)[1L])
  colMeans(matrix(found <= y, dim(found)[1L]))
}

plot_ranks <- function(fit, rows, level, ...) {
  ranks <- sort(predictive_ranks(fit, rows))
  n <- length(ranks)
  at <- seq(0, 1, length.out = 101)
  lower <- stats::qbinom((1 - level) / 2, n, at) / n
  upper <- stats::qbinom((1 + level) / 2, n, at) / n
  draw(graphics::plot, list(x = 0:1, y = 0:1, type = "n", xlab = "predicted probability",
                            ylab = "share of observations below",
                            main = sprintf("calibration of %d %s, with the %.0f%% band",
                                           rows$inputs$n, rows$name, 100 * level)), list(...))
  graphics::polygon(c(at, rev(at)), c(lower, rev(upper)), border = NA, col = "grey88")
  graphics::abline(0, 1, lty = 2)
  graphics::lines(c(0, ranks, 1), c(0, seq_len(n) / n, 1), type = "s")
}

# Each row once: two classes by the probability of the second, more by that of the most probable.
plot_reliability <- function(fit, rows, level, bins = 10, ...) {
  p <- predict_rows(fit, rows$inputs, NULL, "probabilities", level, NULL, how_to(fit))
  best <- if (ncol(p) == 2L) rep(2L, nrow(p)) else max.col(p, "first")
  given <- p[cbind(seq_len(nrow(p)), best)]
  happened <- as.character(rows$y) == colnames(p)[best]
  bin <- cut(given, seq(0, 1, length.out = bins + 1), include.lowest = TRUE)
  count <- as.vector(table(bin))
  kept <- count > 0
  mean_given <- as.vector(tapply(given, bin, mean))[kept]
  share <- as.vector(tapply(happened, bin, mean))[kept]
  count <- count[kept]
  what <- if (ncol(p) == 2L) paste("of", colnames(p)[2L]) else "of the most probable class"
  draw(graphics::plot, list(x = 0:1, y = 0:1, type = "n", xlab = paste("probability", what),
                            ylab = "share observed",
                            main = sprintf("calibration of %d %s, with the %.0f%% band", nrow(p),
                                           rows$name, 100 * level)), list(...))
  graphics::segments(mean_given, stats::qbinom((1 - level) / 2, count, mean_given) / count,
                     mean_given, stats::qbinom((1 + level) / 2, count, mean_given) / count,
                     lwd = 6, col = "grey85", lend = 1)
  graphics::abline(0, 1, lty = 2)
  # large points are of many rows
  graphics::points(mean_given, share, pch = 20,
                   cex = 0.7 + 2 * sqrt(count / sum(count)))
}

# The log likelihood along the chains, and when each became stationary.
plot_settling <- function(fit, ...) {
  values <- function_draws(fit, 1)["log_lik", , , drop = FALSE]
  values <- matrix(values, dim(values)[2L])
  times <- fit$warmup + fit$thin * seq_len(nrow(values))
  colours <- chain_colours(ncol(values))
  labels <- paste("chain", seq_along(colours))
  old <- graphics::par(mar = graphics::par("mar"))
  on.exit(graphics::par(old))
  room <- legend_room(labels)
  draw(graphics::matplot,
       list(x = times, y = values, type = "l", lty = 1, col = colours, xlab = "step",
            ylab = "log likelihood of training rows", main = "when chains became stationary"),
       list(...))
  for (c in seq_len(ncol(values))) {
    settled <- .Call(nnr_stationarity, as.double(times), values[, c], NNP_SCALE_LINEAR)
    if (settled$found) graphics::abline(v = settled$time, col = colours[c], lty = 2)
  }
  legend_above(room, labels, col = colours, lty = 1)
}

plot.nn_thermalization <- function(x, ...) {
  series <- lapply(x$series, function(s) s$test[s$test[, "time"] > 0, , drop = FALSE])
  all <- do.call(rbind, series)
  positive <- all(all[, "value"] > 0)
  colours <- c("black", chain_colours(nrow(x$report)))
  labels <- c("teacher", paste0(x$report$start, ": ", x$report$verdict))
  old <- graphics::par(mar = graphics::par("mar"))
  on.exit(graphics::par(old))
  room <- legend_room(labels, "main" %in% ...names())
  draw(graphics::plot, list(x = range(all[, "time"]), y = range(all[, "value"]), type = "n",
                            log = if (positive) "xy" else "x", xlab = "step", ylab = "test error"),
       list(...))
  for (i in rev(seq_along(series)))
    graphics::lines(series[[i]][, "time"], series[[i]][, "value"], col = colours[i])
  times <- x$report$teacher_student
  graphics::abline(v = times[!is.nan(times)], col = colours[-1L][!is.nan(times)], lty = 2)
  legend_above(room, labels, col = colours, lty = 1)
  invisible(x)
}

# ---- Posterior predictive checks ----------------------------------------------------------------

# Observations next to data simulated from draws. Figures of these names are our own; any other is
# made by bayesplot's ppc_<type>().
pp_check.nnfit <- function(object, type = NULL, ndraws = NULL, newdata = NULL, y = NULL,
                           stat = "mean", seed = NULL, ...) {
  if (is.null(type)) type <- if (is_classifier(object)) "bars" else "dens_overlay"
  if (!is.character(type) || length(type) != 1L) bad("type", describe(type), "a name")
  own <- if (is_classifier(object)) list(bars = pp_bars) else
    list(dens_overlay = pp_density, ecdf_overlay = pp_ecdf, stat = pp_stat)
  if (is.null(ndraws)) ndraws <- if (grepl("overlay", type)) 50 else 1000
  rows <- seen_rows(object, newdata, y)
  if (is.null(rows$y)) bad("newdata", "it has no response", "the observed response, or y")
  seen <- if (is_classifier(object)) match(as.character(rows$y), class_names(object)) else
    first_column(rows$y)
  how <- how_to(object, "fitted", seed)
  made <- if (is_classifier(object))
    class_draws(object, rows$inputs, NULL, ndraws, how) + (object$net$head == "sign") else
    predict_draws(object, rows$inputs, ndraws, how, list(NULL, NULL))
  if (length(dim(made)) == 3L) made <- matrix(made[, , 1L], nrow(made))
  if (type %in% names(own)) {
    own[[type]](object, seen, made, stat, ...)
    return(invisible(object))
  }
  if (!has_package("bayesplot"))
    bad("type", describe(type), paste("one of", paste(names(own), collapse = ", "),
                                      "or the package bayesplot installed"))
  found <- get0(paste0("ppc_", type), asNamespace("bayesplot"), mode = "function")
  if (is.null(found)) bad("type", describe(type), "the name of a ppc_ function of bayesplot")
  found(seen, made, ...)
}

pp_colours <- c(seen = "black", made = "steelblue")

pp_frame <- function(x, y, xlab, ylab, given, colours = pp_colours, lwd = c(2, 1)) {
  labels <- c("observed", "replicated")
  old <- graphics::par(mar = graphics::par("mar"))
  room <- legend_room(labels, "main" %in% names(given))
  draw(graphics::plot, list(x = x, y = y, type = "n", xlab = xlab, ylab = ylab), given)
  legend_above(room, labels, col = colours, lty = 1, lwd = lwd)
  old
}

pp_density <- function(fit, seen, made, stat, ...) {
  all <- apply(made, 1L, stats::density)
  own <- stats::density(seen)
  top <- max(own$y, vapply(all, function(d) max(d$y), 0))
  wide <- range(own$x, vapply(all, function(d) range(d$x), c(0, 0)))
  old <- pp_frame(wide, c(0, top), "response", "density", list(...))
  on.exit(graphics::par(old))
  for (one in all)
    graphics::lines(one, col = grDevices::adjustcolor(pp_colours[["made"]], 0.35))
  graphics::lines(own, lwd = 2)
}

pp_ecdf <- function(fit, seen, made, stat, ...) {
  old <- pp_frame(range(seen, made), 0:1, "response", "share below", list(...))
  on.exit(graphics::par(old))
  step <- function(values, ...) graphics::lines(sort(values), seq_along(values) / length(values),
                                                type = "s", ...)
  for (i in seq_len(nrow(made)))
    step(made[i, ], col = grDevices::adjustcolor(pp_colours[["made"]], 0.35))
  step(seen, lwd = 2)
}

pp_stat <- function(fit, seen, made, stat, ...) {
  f <- match.fun(stat)
  name <- if (is.character(stat)) stat else "statistic"
  drawn <- apply(made, 1L, f)
  bars <- graphics::hist(drawn, breaks = 30, plot = FALSE)
  old <- pp_frame(range(bars$breaks, f(seen)), c(0, max(bars$counts)), name, "draws", list(...))
  on.exit(graphics::par(old))
  graphics::rect(bars$breaks[-length(bars$breaks)], 0, bars$breaks[-1L], bars$counts,
                 col = grDevices::adjustcolor(pp_colours[["made"]], 0.35), border = "white")
  graphics::abline(v = f(seen), lwd = 2)
}

# How many rows of each class, with 90 % of the draws.
pp_bars <- function(fit, seen, made, stat, ...) {
  classes <- class_names(fit)
  count <- tabulate(seen, length(classes))
  drawn <- apply(made, 1L, tabulate, length(classes))
  bounds <- apply(drawn, 1L, stats::quantile, c(0.05, 0.5, 0.95), names = FALSE)
  at <- seq_along(classes)
  old <- pp_frame(range(at) + c(-0.5, 0.5), c(0, max(count, bounds)), "", "rows",
                  c(list(...), list(xaxt = "n")), c("grey70", pp_colours[["made"]]), c(8, 2))
  on.exit(graphics::par(old))
  graphics::axis(1, at, classes)
  graphics::rect(at - 0.35, 0, at + 0.35, count, col = "grey70", border = NA)
  graphics::segments(at, bounds[1L, ], at, bounds[3L, ], lwd = 2, col = pp_colours[["made"]])
  graphics::points(at, bounds[2L, ], pch = 19, col = pp_colours[["made"]])
}

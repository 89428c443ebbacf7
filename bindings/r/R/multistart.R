# For real data, without a teacher: several starts of which the best continues, and twins that
# show whether a chain is stuck. Also counts of the extra moves of Gibbs chains.

# ---- Multistart ---------------------------------------------------------------------------------

nn_multistart <- function(net, x, ...) UseMethod("nn_multistart", x)

nn_multistart.formula <- function(net, x, data, subset, na.action, ...) {
  call <- match.call()
  call[[1L]] <- quote(nn_multistart)
  model <- no_offset(model_of(match.call(expand.dots = FALSE), parent.frame(), "nn_multistart"),
                     "nn_multistart():")
  multistart <- nn_multistart.default(net, model$x, model$y, ...)
  multistart$fit <- with_model(multistart$fit, model)
  multistart$fit$call <- multistart$call <- call
  multistart
}

nn_multistart.default <- function(net, x, y, steps = 100000, chains = 4, share = NULL,
                             anneal_from = NULL, zero_starts = NULL, seed = NULL, threads = NULL,
                             progress = interactive(), ...) {
  call <- match.call()
  call[[1L]] <- quote(nn_multistart)
  steps <- need_count(steps, "steps")
  options <- option_matrix(list(steps = steps, share = share, anneal_from = anneal_from,
                                zero_starts = zero_starts), multistart_options, "...")
  fit <- new_fit(call, net, x, if (!missing(y)) y, "gibbs", "intermediate", chains, seed,
                 sampler_options(list(...), "gibbs", 0, arguments_of("nn_multistart")))
  found <- with_chains(fit, threads, function(handles, net) {
    for (chain in handles) set_options(chain, fit$options)
    found <- .Call(nnr_multistart, handles, options, fit$seed, fit$parameters,
                   watcher(progress, NULL)$how("multistart"))
    if (!is.null(found)) names(found$parameters) <- .Call(nnr_net_names, net)
    found
  })
  multistart_result(found, fit, steps, call)
}

multistart_result <- function(found, fit, steps, call) {
  if (is.null(found)) interrupted("interrupted before all attempts were over")
  if (found$stopped)
    warning("interrupted: the best chain has not made all of its steps", call. = FALSE)
  report <- data.frame(chain = seq_len(ncol(found$reports)),
                       start = ifelse(found$reports[4L, ] == 1, "annealed", "zero"),
                       error = found$reports[1L, ], rank = as.integer(found$reports[2L, ]),
                       steps = found$reports[3L, ])
  fit$chains <- 1
  fit$saves <- list(found$save)
  fit$warmup <- report$steps[found$best]
  fit$left <- 0
  structure(list(report = report, best = found$best, parameters = found$parameters, steps = steps,
                 seed = fit$seed, fit = fit, call = call), class = "nn_multistart")
}

print.nn_multistart <- function(x, ...) {
  cat("Multistart: ", nrow(x$report), " chains, ", format(x$steps, scientific = FALSE),
      " steps in all; seed ", format(x$seed, scientific = FALSE), "\n\n", sep = "")
  shown <- x$report[order(x$report$rank), c("rank", "chain", "start", "error", "steps")]
  print(shown, row.names = FALSE, digits = 4)
  cat("\nupdate() samples from chain ", x$best, ", which fits best\n", sep = "")
  invisible(x)
}

as.data.frame.nn_multistart <- function(x, row.names = NULL, optional = FALSE, ...) x$report

# Continues the best chain: a fit of one chain.
update.nn_multistart <- function(object, draws = 1000, thin = 1, threads = NULL,
                            progress = interactive(), callback = NULL, ...) {
  no_others(..., of = "update", known = names(formals(update.nn_multistart)))
  fit <- object$fit
  fit$thin <- need_count(thin, "thin", 1, 2^20)
  run_chains(fit, need_count(draws, "draws"), threads, watcher(progress, callback),
             restore_chains)
}

# ---- Twins --------------------------------------------------------------------------------------

nn_twin <- function(fit, steps = 5000, chains = seq_len(fit$chains), noise = TRUE, seed = NULL,
                    threads = NULL, progress = interactive()) {
  need_fit(fit)
  steps <- need_count(steps, "steps")
  if (!isTRUE(noise) && !isFALSE(noise)) bad("noise", describe(noise), "TRUE or FALSE")
  if (!length(chains) || !all(chains %in% seq_len(fit$chains)))
    bad("chains", describe(chains), paste("numbers from 1 to", fit$chains))
  if (is.null(seed)) seed <- default_seed()
  found <- lapply(chains, function(c) {
    one <- fit
    one$chains <- 1
    one$saves <- fit$saves[c]
    with_chains(one, threads, function(handles, net) {
      restore_chains(one, handles)
      found <- .Call(nnr_twin, handles[[1L]], steps, noise, seed,
                     watcher(progress, NULL)$how(paste("chain", c)))
      if (is.null(found)) interrupted("interrupted before there was a verdict")
      found
    })
  })
  twin_result(found, chains, steps, seed, match.call())
}

twin_result <- function(found, chains, steps, seed, call) {
  numbers <- vapply(found, `[[`, numeric(length(verdict_columns)), "verdict")
  rownames(numbers) <- verdict_columns
  verdict <- ifelse(numbers["verdict", ] == NNP_THERMALIZED, "agrees",
                    ifelse(numbers["verdict", ] == NNP_UNDECIDED, "undecided",
                           ifelse(numbers["distance", ] > 0, "stuck", "below")))
  report <- data.frame(chain = chains,
                       verdict = factor(verdict, c("agrees", "undecided", "stuck", "below")),
                       error = numbers["level", ], twin = numbers["informed_level", ],
                       distance = numbers["distance", ],
                       text = vapply(found, `[[`, "", "text"))
  named <- function(one) lapply(one[c("chain", "twin")], name_series)
  structure(list(report = report, series = lapply(found, named), steps = steps, seed = seed,
                 call = call), class = "nn_twin")
}

name_series <- function(series) {
  colnames(series) <- c("time", "value")
  series
}

print.nn_twin <- function(x, ...) {
  cat("Are chains stuck? Each beside a twin in equilibrium, for ",
      format(x$steps, scientific = FALSE), " steps:\n", sep = "")
  cat(strwrap(paste0("chain ", x$report$chain, ": ", x$report$text), exdent = 2), sep = "\n")
  invisible(x)
}

as.data.frame.nn_twin <- function(x, row.names = NULL, optional = FALSE, ...) x$report

plot.nn_twin <- function(x, ...) {
  all <- do.call(rbind, unlist(x$series, recursive = FALSE))
  all <- all[all[, "time"] > 0, , drop = FALSE]
  colours <- chain_colours(length(x$series))
  pale <- grDevices::adjustcolor(colours, 0.4)
  labels <- c(paste0("chain ", x$report$chain, ": ", x$report$verdict),
              paste("twin of chain", x$report$chain))
  old <- graphics::par(mar = graphics::par("mar"))
  on.exit(graphics::par(old))
  room <- legend_room(labels, "main" %in% ...names())
  draw(graphics::plot, list(x = range(all[, "time"]), y = range(all[, "value"]), type = "n",
                            log = if (all(all[, "value"] > 0)) "xy" else "x", xlab = "step",
                            ylab = "training error"), list(...))
  for (i in seq_along(x$series)) {
    graphics::lines(x$series[[i]]$twin, col = pale[i])
    graphics::lines(x$series[[i]]$chain, col = colours[i])
  }
  legend_above(room, labels, col = c(colours, pale), lty = 1)
  invisible(x)
}

# ---- Moves --------------------------------------------------------------------------------------

# A row for each kind of move and chain.
nn_moves <- function(fit) {
  need_fit(fit)
  if (is.null(fit$moves))
    bad("fit", paste("its sampler is", fit$sampler), "a Gibbs chain; others have fit$stats",
        "NNP_E_UNSUPPORTED")
  kinds <- names(move_kinds)
  counts <- t(matrix(fit$moves, 3L))
  data.frame(chain = rep(seq_len(dim(fit$moves)[3L]), each = length(kinds)),
             move = factor(kinds, kinds), tried = counts[, 1L], moved = counts[, 2L],
             evaluations = counts[, 3L])
}

need_fit <- function(fit) {
  if (!inherits(fit, "nnfit"))
    bad("fit", paste("it is of class", class(fit)[1]), "what nn_sample() returns")
}

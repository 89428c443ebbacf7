# Replica exchange: chains from the prior to the posterior that swap, and the evidence.

nn_exchange <- function(net, x, ...) UseMethod("nn_exchange", x)

nn_exchange.formula <- function(net, x, data, subset, na.action, ...) {
  call <- match.call()
  call[[1L]] <- quote(nn_exchange)
  model <- no_offset(model_of(match.call(expand.dots = FALSE), parent.frame(), "nn_exchange"),
                     "nn_exchange():")
  fit <- nn_exchange.default(net, model$x, model$y, ...)
  fit$call <- call
  with_model(fit, model)
}

nn_exchange.default <- function(net, x, y, sampler = c("gibbs", "nuts", "hmc", "mala"),
                                posterior = c("intermediate", "classical"), exchanges = 2,
                                draws = 1000, thin = 1, replicas = NULL, ladder = NULL,
                                start = "fit", rounds = 6, first_round = 20, steps = 1,
                                seed = NULL, threads = NULL, progress = interactive(), ...) {
  call <- match.call()
  call[[1L]] <- quote(nn_exchange)
  sampler <- one_of(sampler)
  posterior <- one_of(posterior)
  fit <- new_fit(call, net, x, if (!missing(y)) y, sampler, posterior, 1, seed,
                 sampler_options(list(...), sampler, 0, arguments_of("nn_exchange")))
  fit$thin <- need_count(thin, "thin", 1, 2^20)
  fit$start <- start
  fit$tuning <- list(rounds = need_count(rounds, "rounds", 0, 30), steps = need_count(steps, "steps"),
                     first_round = need_count(first_round, "first_round", 2, 1e9))
  if (!is.null(ladder)) {
    fit$tuning$rounds <- 0
    replicas <- length(ladder)
  }
  exchanges <- need_count(exchanges, "exchanges", 1, 1000)
  draws <- need_count(draws, "draws")
  fit$replicas <- if (is.null(replicas)) find_replicas(fit, threads, progress)
                  else need_count(replicas, "replicas", 2, 4096)
  found <- lapply(seq_len(exchanges), function(i) {
    label <- paste("exchange", i)
    run_exchange(fit, i, draws, threads, progress, label, as.double(ladder), NULL)
  })
  exchange_result(fit, found, draws)
}

# One exchange: number 1 from the prior, the others from `start`.
run_exchange <- function(fit, number, draws, threads, progress, label, ladder, saved) {
  one <- fit
  one$chains <- fit$replicas
  one$seed <- fit$seed + number - 1
  with_chains(one, threads, function(handles, net) {
    for (chain in handles) set_options(chain, fit$options)
    target <- is.null(saved) && number > 1 && !identical(fit$start, "prior")
    if (target) start_chain(handles[[length(handles)]], one, 1, NULL)
    options <- option_matrix(fit$tuning, exchange_options, "...")
    sweeps <- fit$tuning$first_round * (2^fit$tuning$rounds - 1)
    from <- if (target) NNP_EXCHANGE_FROM_TARGET else NNP_EXCHANGE_FROM_PRIOR
    found <- .Call(nnr_exchange, handles, options,
                   list(c(from, draws, fit$thin, fit$parameters, sweeps), one$seed), ladder, saved,
                   watcher(progress, NULL)$how(label))
    if (is.null(found)) interrupted("interrupted before the first draw")
    names(found$summary) <- exchange_columns
    found$levels <- matrix(found$levels, found$summary[["replicas"]])
    found$ladder <- data.frame(level = seq_len(ncol(found$ladder)) - 1, power = found$ladder[1L, ],
                               swaps = found$ladder[2L, ], barrier = found$ladder[3L, ])
    found$names <- .Call(nnr_net_names, net)
    found
  })
}

exchange_columns <- c("replicas", "wanted", "sweeps", "restarts", "round_trips",
                      "expected_restarts", "barrier", "least_swaps", "mean_swaps", "log_evidence",
                      "evidence_error", "verdict")

# The number of replicas, 2 Lambda + 1, found by short tunings with more and more chains until
# they suffice.
find_replicas <- function(fit, threads, progress, most = 256) {
  fit$tuning$rounds <- 4
  count <- 16
  repeat {
    fit$replicas <- count
    found <- run_exchange(fit, 1, 0, threads, progress, "replicas", numeric(), NULL)
    wanted <- found$summary[["wanted"]]
    if (wanted <= count || count == most) return(min(ceiling(1.1 * wanted), most))
    count <- min(2 * count, most)
  }
}

exchange_result <- function(fit, found, draws) {
  done <- min(vapply(found, `[[`, 0, "done"))
  if (done < draws)
    warning("interrupted: ", done, " of ", format(draws, scientific = FALSE),
            " draws of each exchange were made; update(fit) makes the rest", call. = FALSE)
  fit$chains <- length(found)
  fit$interrupted <- done < draws
  fit$left <- draws - done
  all <- vapply(found, `[[`, numeric(fit$parameters * draws), "draws")
  fit$draws <- shaped(all, c(fit$parameters, draws, length(found)), done)
  dimnames(fit$draws) <- list(parameter = found[[1L]]$names, draw = NULL, chain = NULL)
  fit$saves <- lapply(found, `[[`, "target")
  fit$exchanges <- lapply(found, `[`, c("ladder", "levels", "summary", "text", "save"))
  structure(fit, class = c("nn_exchange", "nnfit"))
}

# The evidence: the mean over exchanges, with an error at least as large as their disagreement
# suggests.
nn_evidence <- function(fit) {
  if (!inherits(fit, "nn_exchange"))
    bad("fit", paste("it is of class", class(fit)[1]), "what nn_exchange() returns")
  summaries <- vapply(fit$exchanges, function(one) one$summary[c("log_evidence", "evidence_error")],
                      numeric(2))
  count <- ncol(summaries)
  own <- sqrt(sum(summaries[2L, ]^2)) / count
  between <- if (count > 1) stats::sd(summaries[1L, ]) / sqrt(count) else 0
  c(log_evidence = mean(summaries[1L, ]), error = max(own, between))
}

print.nn_exchange <- function(x, ...) {
  NextMethod()
  for (one in x$exchanges) cat("\n", one$text, sep = "")
  evidence <- nn_evidence(x)
  cat(sprintf("\nlog p(y | x) = %.6g, standard error %.2g\n", evidence[[1L]], evidence[[2L]]))
  invisible(x)
}

# One row for each level of each exchange.
as.data.frame.nn_exchange <- function(x, row.names = NULL, optional = FALSE, ...) {
  do.call(rbind, lapply(seq_along(x$exchanges),
                        function(i) cbind(exchange = i, x$exchanges[[i]]$ladder)))
}

# Continues the exchanges.
update.nn_exchange <- function(object, draws = NULL, append = TRUE, threads = NULL,
                               progress = interactive(), ...) {
  no_others(..., of = "update", known = names(formals(update.nn_exchange)))
  if (is.null(draws)) draws <- if (object$left > 0) object$left else dim(object$draws)[2L]
  draws <- need_count(draws, "draws")
  found <- lapply(seq_along(object$exchanges), function(i)
    run_exchange(object, i, draws, threads, progress, paste("exchange", i), numeric(),
                 object$exchanges[[i]]$save))
  fit <- exchange_result(object, found, draws)
  if (append) fit$draws <- bind_draws(object$draws, fit$draws)
  fit
}

# The index process and the barrier of one exchange; or what plot.nnfit() draws.
plot.nn_exchange <- function(x, which = c("exchange", "trace", "predictive", "calibration",
                                       "thermalization"),
                             exchange = 1, replicas = 6, ...) {
  which <- one_of(which)
  if (which != "exchange") {
    class(x) <- "nnfit"
    return(graphics::plot(x, which, ...))
  }
  one <- x$exchanges[[need_count(exchange, "exchange", 1, length(x$exchanges))]]
  old <- graphics::par(mfrow = c(1, 2), mar = c(4, 4, 2, 1))
  on.exit(graphics::par(old))
  levels <- t(one$levels)
  graphics::matplot(levels, type = "l", lty = 1, lwd = 0.4, col = "grey88", xlab = "sweep",
                    ylab = "level", main = "index process: prior (0) to posterior")
  shown <- unique(round(seq(1, ncol(levels), length.out = replicas)))
  graphics::matlines(levels[, shown, drop = FALSE], lty = 1, lwd = 1.2,
                     col = chain_colours(length(shown)))
  ladder <- one$ladder[-1L, ]
  graphics::plot(ladder$power, ladder$barrier, log = "x", type = "o", pch = 20,
                 xlab = expression("power of the likelihood, " * beta),
                 ylab = expression(Lambda(beta)), main = "communication barrier")
  graphics::grid()
  invisible(x)
}

# Is a sampler right? Simulation-based calibration and Geweke's joint test.

# Draws as the library takes them, [quantity, draw, chain]: those of a fit, or an array.
draws_array <- function(draws, argument) {
  if (inherits(draws, "nnfit")) draws <- draws$draws
  if (!is.numeric(draws) || !length(dim(draws)) %in% 2:3)
    bad(argument, describe(draws), "a fit, or numbers as [quantity, draw, chain]", "NNP_E_SHAPE")
  if (!is.double(draws)) storage.mode(draws) <- "double"
  extent <- dim(draws)
  list(values = draws, size = as.double(c(extent, 1)[1:3]), names = dimnames(draws)[[1L]])
}

nn_sbc_ranks <- function(truth, draws, ties = NULL) {
  where <- draws_array(draws, "draws")
  ranks <- .Call(nnr_sbc_ranks, as.double(truth), where$values, where$size,
                 if (!is.null(ties)) as.double(ties))
  stats::setNames(ranks, where$names)
}

# ranks[quantity, replication]; a vector is one quantity.
nn_sbc <- function(ranks, max_rank, bins = min(20, max_rank + 1)) {
  if (is.null(dim(ranks))) ranks <- matrix(ranks, 1L)
  if (!is.numeric(ranks) || !all(is.finite(ranks)) || any(ranks != floor(ranks)))
    bad("ranks", describe(ranks), "whole numbers as [quantity, replication]")
  storage.mode(ranks) <- "double"
  max_rank <- need_count(max_rank, "max_rank")
  bins <- need_count(bins, "bins")
  found <- .Call(nnr_sbc_histogram, ranks, as.double(dim(ranks)), max_rank, bins)
  structure(list(counts = matrix(found$counts, bins, dimnames = list(NULL, rownames(ranks))),
                 p_value = stats::setNames(found$p_value, rownames(ranks)), max_rank = max_rank,
                 replications = ncol(ranks)), class = "nn_sbc")
}

print.nn_sbc <- function(x, digits = 3, ...) {
  quantities <- length(x$p_value)
  least <- min(x$p_value)
  cat("Simulation-based calibration: ", x$replications, " replications, ", quantities,
      if (quantities == 1) " quantity" else " quantities", "\n", sep = "")
  cat("smallest p-value of uniform ranks: ", format(least, digits = digits),
      if (quantities > 1) paste0(" (", format(min(1, least * quantities), digits = digits),
                                 " after Bonferroni)"), "\n", sep = "")
  invisible(x)
}

# Histograms of ranks, with the band that contains 99 in 100 bars of a correct sampler.
plot.nn_sbc <- function(x, which = NULL, ...) {
  if (is.null(which)) which <- seq_len(min(9L, ncol(x$counts)))
  titles <- colnames(x$counts)
  if (is.null(titles)) titles <- paste("quantity", seq_len(ncol(x$counts)))
  names(titles) <- titles
  old <- graphics::par(mfrow = grDevices::n2mfrow(length(which)), mar = c(4, 4, 2, 1))
  on.exit(graphics::par(old))
  bins <- nrow(x$counts)
  band <- stats::qbinom(c(0.005, 0.995), x$replications, 1 / bins)
  for (q in which) {
    at <- draw(graphics::barplot,
               list(height = x$counts[, q], ylim = c(0, max(x$counts[, q], band)), space = 0,
                    main = titles[[q]], xlab = "rank", ylab = "count"), list(...))
    graphics::rect(min(at) - 0.5, band[1L], max(at) + 0.5, band[2L], border = NA,
                   col = grDevices::adjustcolor("steelblue", 0.3))
  }
  invisible(x)
}

nn_geweke <- function(alternating, prior = NULL, mean = NULL, second_moment = NULL) {
  left <- draws_array(alternating, "alternating")
  if (is.null(prior) && (is.null(mean) || is.null(second_moment)))
    bad("prior", "it is missing", "draws of the prior, or its mean and second_moment")
  right <- if (!is.null(prior)) draws_array(prior, "prior")
  found <- .Call(nnr_geweke, left$values, left$size, right$values, right$size,
                 list(as.double(mean), as.double(second_moment)))
  z <- t(matrix(found$z, 2L, dimnames = list(c("mean", "second_moment"), left$names)))
  structure(list(z = z, p_value = found$p_value), class = "nn_geweke")
}

print.nn_geweke <- function(x, digits = 3, ...) {
  worst <- which(abs(x$z) == max(abs(x$z)), arr.ind = TRUE)[1L, ]
  name <- if (is.null(rownames(x$z))) worst[[1L]] else rownames(x$z)[worst[[1L]]]
  cat("Geweke's joint test of ", nrow(x$z), " quantities\n", sep = "")
  cat("largest |z|: ", format(max(abs(x$z)), digits = digits), " (", colnames(x$z)[worst[[2L]]],
      " of ", name, "), p = ", format(x$p_value, digits = digits), " after Bonferroni\n", sep = "")
  invisible(x)
}

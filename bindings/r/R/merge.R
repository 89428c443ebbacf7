# Merges fits of workers that do not communicate.

# Chains are merged in the order of their numbers, whatever the order of the fits. The library
# identifies them: their blocks record network, posterior, data and chain.
nn_merge <- function(..., draws = NULL) {
  fits <- list(...)
  if (length(fits) == 1L && !inherits(fits[[1L]], "nnfit")) fits <- fits[[1L]]
  if (!length(fits)) bad("...", "no fits", "one or more", "NNP_E_SIZE")
  for (fit in fits) if (!inherits(fit, "nnfit") || inherits(fit, "nn_exchange") || is.null(fit$saves))
    bad("...", describe(fit), "fits of nn_sample() or nnpost()")
  each <- min(vapply(fits, function(fit) dim(fit$draws)[2L], 0))
  if (!is.null(draws)) each <- need_count(draws, "draws", 1, each)
  blocks <- unlist(lapply(fits, draws_blocks), recursive = FALSE)
  merged <- .Call(nnr_draws_merge, blocks, c(fits[[1L]]$parameters, each))
  chains <- unlist(lapply(fits, function(fit) lapply(seq_len(fit$chains), chain_of, fit = fit)),
                   recursive = FALSE)
  order <- places(merged, chains, each)
  fit <- fits[[1L]]
  fit$chains <- length(chains)
  fit$draws <- array(merged, c(fit$parameters, each, fit$chains), dimnames(fit$draws))
  fit$saves <- lapply(chains[order], `[[`, "save")
  fit$stats <- bind_chains(chains[order], "stats", each)
  fit$moves <- bind_chains(chains[order], "moves")
  fit$number <- NULL
  fit$left <- 0
  fit$interrupted <- FALSE
  if (any(!vapply(fits, function(other) is.null(other$chain_weights), NA)))
    fit$chain_weights <- nn_stack(fit)
  fit
}

# One raw vector for each chain of a fit.
draws_blocks <- function(fit) {
  with_chains(fit, 1, function(chains, net) {
    for (chain in chains) set_options(chain, fit$options)
    restore_chains(fit, chains)
    lapply(seq_along(chains), function(c) {
      .Call(nnr_draws_save, chains[[c]], as.double(fit$draws[, , c]), dim(fit$draws)[2L])
    })
  })
}

chain_of <- function(c, fit) {
  part <- function(values) if (!is.null(values)) values[, , c, drop = FALSE]
  list(draws = fit$draws[, , c], save = fit$saves[[c]], stats = part(fit$stats),
       moves = part(fit$moves))
}

# Which chain is where in the merged draws.
places <- function(merged, chains, each) {
  size <- length(merged) / length(chains)
  left <- seq_along(chains)
  out <- integer(length(chains))
  for (c in seq_along(chains)) {
    here <- merged[(c - 1) * size + seq_len(size)]
    for (i in left) {
      own <- as.matrix(chains[[i]]$draws)
      if (identical(as.double(own)[length(own) - size + seq_len(size)], here)) break
    }
    out[c] <- i
    left <- setdiff(left, i)
  }
  out
}

# Arrays [what, draw, chain], the last `each` draws of every chain.
bind_chains <- function(chains, name, each = NULL) {
  parts <- lapply(chains, `[[`, name)
  if (any(vapply(parts, is.null, NA))) return(NULL)
  if (!is.null(each)) parts <- lapply(parts, function(part) {
    part[, dim(part)[2L] - each + seq_len(each), , drop = FALSE]
  })
  array(unlist(parts), c(dim(parts[[1L]])[1:2], length(parts)), dimnames(parts[[1L]]))
}

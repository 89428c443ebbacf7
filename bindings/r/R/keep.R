# Keeping less than all draws: functions of them, their moments, or a file.

# What can be kept of every draw, and at which rows: those of the fit, or those of `at`.
keep_kinds <- list(
  scales = NNP_KEEP_SCALES, functions = NNP_KEEP_FUNCTIONS, log_lik = NNP_KEEP_LOG_LIK,
  mean = NNP_KEEP_MEAN, probabilities = NNP_KEEP_PROBABILITIES,
  predictions = NNP_KEEP_PREDICTIONS, moments = NNP_KEEP_PARAMETERS)
keep_at <- c("mean", "probabilities", "predictions")

# fit with what is to be kept, and the file for its draws. `model`: the model of a formula.
with_keep <- function(fit, keep, at, file, model = NULL) {
  if (!is.null(file) && (!is.character(file) || length(file) != 1L || is.na(file)))
    bad("file", describe(file), "a path")
  fit$file <- if (!is.null(file)) path.expand(file)
  if (is.null(keep) && is.null(at)) return(fit)
  if (is.null(keep)) bad("at", "keep was not given", "keep = c(\"mean\", \"predictions\") or the like")
  unknown <- setdiff(keep, names(keep_kinds))
  if (!is.character(keep) || length(unknown))
    bad("keep", describe(c(unknown, keep)[1L]), paste("some of", paste(names(keep_kinds), collapse = ", ")),
        "NNP_E_ENUM")
  fit$keep <- list(names = unique(keep), rows = rows_of(fit, at))
  fit$keep$inputs <- new_inputs(if (is.null(model)) fit else with_model(fit, model), at)
  if (fit$keep$inputs$n == 0L || any(!complete_rows(fit$keep$inputs)))
    bad("at", "it has no row, or an NA", "complete rows", "NNP_E_NOT_FINITE")
  fit
}

# Warns if draws take more memory than a fit should use by default.
advise <- function(fit, draws) {
  if (!is.null(fit$keep) || !is.null(fit$file)) return()
  text <- with_net(fit$net, NULL, function(net)
    .Call(nnr_draws_advice, net, fit$chains, draws))
  if (nzchar(text))
    warning(warningCondition(text, class = "nnpost_memory", call = users_call()))
}

# Draws of chains that are not kept completely in memory: a fit whose draws are in a file, or an
# object of class nnkept.
sampled_kept <- function(fit, draws, chains, net, watch) {
  kept <- fit$keep$names
  if (!is.null(fit$file)) kept <- unique(c("moments", kept)) # the file is for the first
  handles <- list()
  on.exit(for (handle in handles) .Call(nnr_free, handle))
  rows <- observed_rows(fit, NULL, NULL)
  if (length(intersect(kept, c("functions", "log_lik"))))
    handles$training <- build_data(network_inputs(fit, rows$inputs),
                                   network_targets(fit, as_targets_of(fit, rows$y),
                                                   rows$inputs$offset), fit$outputs)
  if (length(intersect(kept, keep_at)))
    handles$at <- build_data(network_inputs(fit, fit$keep$inputs), NULL, 0)
  data <- lapply(kept, function(name) {
    if (name %in% keep_at) handles$at else if (name %in% c("functions", "log_lik")) handles$training
  })
  result <- .Call(nnr_keep, chains, as.double(c(draws, fit$thin)), fit$sampler != "gibbs",
                  watch$how("sampling"),
                  list(net, as.integer(unlist(keep_kinds[kept])), data, how_to(fit, seed = 1)[1:4],
                       fit$file))
  watch$failed()
  if (result$done == 0) interrupted("interrupted before the first draw")
  fit$interrupted <- result$done < draws
  if (fit$interrupted)
    warning("interrupted: ", result$done, " of ", format(draws, scientific = FALSE),
            " draws of each chain were made", call. = FALSE)
  if (!is.null(result$stats))
    fit$stats <- array(result$stats, c(length(step_statistics), draws, fit$chains),
                       list(statistic = step_statistics, draw = NULL, chain = NULL))[
                         , seq_len(result$done), , drop = FALSE]
  fit$moves <- result$moves
  fit$saves <- result$saves
  fit$left <- 0
  names <- .Call(nnr_net_names, net)
  if (!is.null(fit$file))
    fit$draws <- .Call(nnr_draws_file, fit$file, net,
                       list(parameter = names, draw = NULL, chain = NULL))
  if (is.null(fit$keep)) return(fit)
  if ("moments" %in% fit$keep$names)
    fit$moments <- structure(result$moments, dimnames = list(names, c("mean", "variance", "rhat")))
  values <- stats::setNames(result$values, kept)
  fit$kept <- lapply(stats::setNames(nm = setdiff(fit$keep$names, "moments")), function(name)
    kept_values(fit, name, values[[name]], draws, result$done, names))
  if (is.null(fit$file)) class(fit) <- "nnkept"
  fit
}

# Converts values [value, draw, chain] to this package's formats, in the units of the response.
kept_values <- function(fit, name, values, draws, done, names) {
  values <- shaped(values, c(length(values) / (draws * fit$chains), draws, fit$chains), done)
  if (name == "scales") {
    dimnames(values)[[1L]] <- utils_tail(names, dim(values)[1L])
    return(values)
  }
  if (name == "functions") {
    found <- with_observed(fit, observed_rows(fit, NULL, NULL), function(net, data)
      .Call(nnr_functions, net, data, numeric(), c(0, 16), how_to(fit, seed = 1)))
    dimnames(values) <- list(found$names, NULL, NULL)
    return(function_units(fit, values))
  }
  total <- done * fit$chains
  if (name == "log_lik") {
    out <- t(matrix(values, ncol = total)) + log_unit(fit)
    if (!is.null(fit$weights)) out <- out * rep(fit$weights, each = total)
    colnames(out) <- rows_of(fit, NULL)
    return(out)
  }
  inputs <- fit$keep$inputs
  if (name != "probabilities") values <- own_units(fit, values, inputs$offset)
  outputs <- length(values) / (inputs$n * total)
  out <- aperm(array(values, c(outputs, inputs$n, total)), c(3L, 2L, 1L))
  if (name == "probabilities" && fit$net$head == "sign")
    out <- array(c(1 - out, out), c(total, inputs$n, 2L))
  labels <- list(NULL, fit$keep$rows,
                 if (name == "probabilities") class_names(fit) else outputs_of(fit))
  if (any(lengths(labels) > 0L)) dimnames(out) <- labels
  out
}

utils_tail <- function(x, n) x[seq_len(n) + length(x) - n]

# Weights of all draws, which sum to 1.
kept_weights <- function(fit) {
  chains <- if (is.null(fit$chain_weights)) rep(1, fit$chains) else as.vector(fit$chain_weights)
  draws <- kept_draws(fit)
  rep(chains / sum(chains) / draws, each = draws)
}

kept_draws <- function(fit) {
  for (name in names(fit$kept))
    return(if (name %in% c("scales", "functions")) dim(fit$kept[[name]])[2L] else
      dim(fit$kept[[name]])[1L] / fit$chains)
  NA
}

need_kept <- function(fit, name) {
  if (is.null(fit$kept[[name]]))
    bad("object", paste0(dQuote(name, FALSE), " was not kept"),
        paste0("keep = \"", name, "\" when it was sampled; there is: ",
               paste(names(fit$kept), collapse = ", ")), "NNP_E_UNSUPPORTED")
  fit$kept[[name]]
}

# Type 7 quantiles of weighted values: neighbours are separated by the mean of their weights.
weighted_quantile <- function(values, weights, probs) {
  order <- order(values)
  share <- weights[order]
  at <- c(0, cumsum(share[-length(share)] + share[-1L]))
  if (length(values) == 1L) return(rep(values, length(probs)))
  stats::approx(at, values[order], probs * at[length(at)], ties = "ordered", rule = 2)$y
}

predict.nnkept <- function(object, type = c("mean", "interval", "sd", "probabilities", "class",
                                            "draws"),
                           level = 0.95, probs = NULL, ...) {
  no_others(..., of = "predict", known = names(formals(predict.nnkept)))
  classes <- is_classifier(object)
  type <- if (missing(type)) (if (classes) "probabilities" else "mean") else one_of(type)
  weights <- kept_weights(object)
  average <- function(values) apply(values, 2:3, function(v) sum(weights * v))
  drop_one <- function(found) if (ncol(found) == 1L) found[, 1L] else found
  if (type %in% c("probabilities", "class")) {
    found <- average(need_kept(object, "probabilities"))
    if (type == "probabilities") return(found)
    best <- max.col(found, ties.method = "first")
    return(stats::setNames(factor(colnames(found)[best], colnames(found)), rownames(found)))
  }
  if (type == "mean") return(drop_one(average(need_kept(object, "mean"))))
  values <- need_kept(object, "predictions")
  if (type == "draws") return(if (dim(values)[3L] == 1L) values[, , 1L] else values)
  if (type == "sd")
    return(drop_one(apply(values, 2:3, function(v)
      sqrt(sum(weights * (v - sum(weights * v))^2) / (1 - sum(weights^2))))))
  quantiles <- if (is.null(probs)) c((1 - need_level(level)) / 2, (1 + level) / 2) else
    need_probs(probs)
  bounds <- apply(values, 2:3, weighted_quantile, weights, quantiles)
  bounds <- aperm(array(bounds, c(length(quantiles), dim(values)[-1L])), c(2L, 1L, 3L))
  if (is.null(probs)) {
    all <- array(0, dim(bounds) + c(0, 1, 0))
    all[, 1L, ] <- average(need_kept(object, "mean"))
    all[, -1L, ] <- bounds
    bounds <- all
  }
  dimnames(bounds) <- list(dimnames(values)[[2L]],
                           if (is.null(probs)) c("fit", "lwr", "upr") else quantile_names(probs),
                           dimnames(values)[[3L]])
  if (dim(bounds)[3L] == 1L) array(bounds, dim(bounds)[1:2], dimnames(bounds)[1:2]) else bounds
}

log_lik.nnkept <- function(object, ...) {
  no_others(..., of = "log_lik", known = "object")
  need_kept(object, "log_lik")
}

loo.nnkept <- function(x, ..., cores = getOption("mc.cores", 1)) {
  need_package("loo", "loo()")
  pointwise <- log_lik.nnkept(x)
  likelihood <- exp(pointwise - rep(apply(pointwise, 2L, max), each = nrow(pointwise)))
  chain <- rep(seq_len(x$chains), each = nrow(pointwise) / x$chains)
  efficiency <- loo::relative_eff(likelihood, chain_id = chain, cores = cores)
  efficiency[is.na(efficiency)] <- 1
  loo::loo(pointwise, r_eff = efficiency, cores = cores, ...)
}

nobs.nnkept <- function(object, ...) NROW(object$y)

summary.nnkept <- function(object, probabilities = c(0.05, 0.95), ...) {
  summarize(need_kept(object, "functions"), probabilities)
}

print.nnkept <- function(x, ...) {
  cat("Posterior of a neural network (", posterior_name(x), "), parameters of draws not kept\n",
      sep = "")
  cat(fit_table_text(x))
  cat(x$sampler, ": ", x$chains, if (x$chains == 1) " chain, " else " chains, ", kept_draws(x),
      " draws of each; seed ", format(x$seed, scientific = FALSE), "\n", sep = "")
  cat("kept: ", paste(x$keep$names, collapse = ", "),
      if (length(intersect(x$keep$names, keep_at))) paste(" at", x$keep$inputs$n, "rows"), "\n",
      sep = "")
  if (!is.null(x$kept$functions))
    cat("Verdict: ", verdict(x$kept$functions, x), chains_worth(x), "\n", sep = "")
  invisible(x)
}

# The one call: from a formula and data to a fit, with defaults for everything else.

nnpost <- function(x, ...) UseMethod("nnpost")

nnpost.formula <- function(formula, data, hidden = NULL, ..., subset, na.action, weights, offset) {
  call <- match.call()
  call[[1L]] <- quote(nnpost)
  name <- if (length(formula) == 3L) deparse1(formula[[2L]]) else
    bad("formula", "it has no response", "one on the left of ~", "NNP_E_NO_DATA")
  if (!missing(data)) need_table(formula, data)
  model <- model_of(match.call(expand.dots = FALSE), parent.frame(), "nnpost",
                    if (missing(data)) NULL else data)
  fit <- fit_table(call, with_terms(model), model$y, name, hidden = hidden, ..., weights = model$weights,
                   offset = model$offset)
  with_model(fit, model)
}

nnpost.default <- function(x, y, hidden = NULL, ..., weights = NULL, offset = NULL) {
  call <- match.call()
  call[[1L]] <- quote(nnpost)
  if (missing(y)) bad("y", "it is missing", "a response, one for each row", "NNP_E_NO_DATA")
  if (is.data.frame(x)) x <- data.matrix_strict(x, "x")
  fit_table(call, x, y, "y", hidden = hidden, ..., weights = weights, offset = offset)
}

# All choices are arguments here; NULL: the recommended one.
fit_table <- function(call, x, y, name, hidden = NULL, activation = NULL,
                      noise = NULL, precisions = TRUE, ard = FALSE,
                      scale = TRUE, net = NULL,
                      sampler = NULL, posterior = NULL, chains = NULL, draws = NULL, warmup = NULL,
                      thin = NULL, start = NULL, seed = NULL, weights = NULL, offset = NULL,
                      stacking = TRUE, threads = NULL, progress = interactive(), callback = NULL,
                      quiet = FALSE, number = 0, keep = NULL, file = NULL, ...) {
  model <- attr(x, "nnpost_model")
  if (!is.null(model)) attr(x, "nnpost_model") <- NULL
  response <- as_response(y, name)
  inputs <- as_inputs(x)
  if (NROW(response$y) != inputs$n)
    bad(name, paste("it has", NROW(response$y), "values"), paste("as many as rows:", inputs$n),
        "NNP_E_SHAPE")
  need_finite(inputs$x, "x", colnames(x))
  if (response$kind == "numbers") need_finite(response$y, name, colnames(response$y))
  weights <- need_weights(weights, inputs$n)
  rows <- if (is.null(weights)) inputs$n else sum(weights)
  recommended <- is.null(net)
  if (recommended) {
    if (is.null(posterior) && !is.null(sampler)) posterior <- posterior_of(sampler)
    net <- table_network(inputs$features, response, rows, hidden, activation, noise,
                         posterior, precisions, ard)
  }
  chosen <- recipe_for(net, rows, list(sampler = sampler, posterior = posterior, chains = chains,
                                       draws = draws, warmup = warmup, thin = thin, start = start,
                                       options = list(...)))
  fit <- new_fit(call, net, inputs$x, response$y, chosen$sampler, chosen$posterior, chosen$chains,
                 seed, sampler_options(chosen$options, chosen$sampler, chosen$warmup,
                                       arguments_of("nnpost")), weights, offset)
  if (is.null(keep) && is.null(file)) need_memory(fit, chosen$draws)
  look_at_inputs(inputs, colnames(x))
  if (!isTRUE(scale) && !isFALSE(scale)) bad("scale", describe(scale), "TRUE or FALSE")
  if (!isTRUE(stacking) && !isFALSE(stacking)) bad("stacking", describe(stacking), "TRUE or FALSE")
  if (scale) fit$scaling <- table_scaling(fit, name, recommended && !ard)
  fit$thin <- chosen$thin
  fit$warmup <- chosen$warmup
  fit$start <- chosen$start
  fit$number <- need_count(number, "number", 0)
  fit$stacking <- stacking
  if (is.character(keep)) bad("keep", describe(keep), "rows to predict")
  what <- c("functions", "scales", "log_lik",
            if (is_classifier(fit)) "probabilities" else c("mean", "predictions"))
  if (!nrow(nn_learned(fit$net))) what <- setdiff(what, "scales")
  fit <- with_keep(fit, if (!is.null(keep)) what, keep, file, model)
  advise(fit, chosen$draws)
  judged(run_chains(fit, chosen$draws, threads, watcher(progress, callback), start_chains), quiet)
}

# Weights chains only if they disagree; then reports convergence.
judged <- function(fit, quiet) {
  fit$chain_weights <- NULL
  if (fit$interrupted) return(fit)
  kept <- inherits(fit, "nnkept")
  values <- if (kept) fit$kept$functions else function_draws(fit)
  found <- convergence(values)
  if (fit$stacking && found$verdict == NNP_NOT_CONVERGED && fit$chains > 1)
    fit$chain_weights <- if (kept)
      .Call(nnr_stack_chains, t(fit$kept$log_lik), as.double(c(nobs(fit), dim(values)[2:3]))) else
      nn_stack(fit)
  # quiet = TRUE omits good news only
  if (!quiet || found$verdict %in% c(NNP_DOUBTFUL, NNP_NOT_CONVERGED))
    tell_verdict(fit, values, found$verdict)
  fit
}

# The posterior that a sampler is meant for.
posterior_of <- function(sampler)
  if (identical(sampler, "gibbs")) "intermediate" else "classical"

# The recommended recipe, with the user's settings replacing its own.
recipe_for <- function(net, rows, said) {
  if (is.null(said$posterior) && identical(said$sampler, "gibbs")) said$posterior <- "intermediate"
  if (!is.null(said$sampler)) constant(said$sampler, samplers, "sampler")
  own <- nn_recommend(net, rows, said$posterior)
  options <- own$options
  if (!is.null(said$sampler) && said$sampler != own$sampler) options <- list()
  for (name in names(said)) if (!is.null(said[[name]])) own[[name]] <- said[[name]]
  own$options <- c(own$options, options[setdiff(names(options), names(own$options))])
  own$draws <- need_count(own$draws, "draws")
  own$thin <- need_count(own$thin, "thin", 1, 2^20)
  own$warmup <- need_count(own$warmup, "warmup", 0)
  own$chains <- need_count(own$chains, "chains")
  own
}

heads_of_noise <- c(constant = "gaussian", varying = "location_scale")

# The recommended network for a response. Precisions that are not learned are fixed at their
# hyperpriors' means.
table_network <- function(features, response, rows, hidden, activation, noise, posterior, precisions,
                          ard) {
  head <- switch(response$kind, two = "sign", classes = "argmax",
                 numbers = if (!is.null(noise)) heads_of_noise[[one_of(noise, names(heads_of_noise))]])
  net <- nn_recommended(features, response$outputs, head, hidden, activation, posterior, ard, rows)
  if (!isTRUE(precisions) && !isFALSE(precisions))
    bad("precisions", describe(precisions), "TRUE or FALSE")
  if (precisions) net else nn_fix(nn_fix(net, "lambda_w"), "lambda_b")
}

# ---- What can be wrong with a table -------------------------------------------------------------

# Formulas of very many columns take R hours.
need_table <- function(formula, data) {
  if (!is.list(data) && !is.environment(data))
    bad("data", paste("it is of class", class(data)[1L]), "a data frame")
  if (is.data.frame(data) && nrow(data) == 0L) bad("data", "it has no rows", "at least one",
                                                   "NNP_E_SIZE")
  if (is.data.frame(data) && ncol(data) > 20000 && "." %in% all.names(formula))
    bad("data", paste("it has", ncol(data), "columns"),
        "at most 20000 with a formula: nnpost(as.matrix(x), y)", "NNP_E_SIZE")
}

# list(kind, y, outputs): numbers, two classes, or several.
as_response <- function(y, name) {
  if (is.data.frame(y)) y <- data.matrix_strict(y, name)
  if (is.character(y))
    bad(name, paste0("it is of type character (", describe(as.vector(y)[1L]), ")"),
        paste0("numbers, or classes as a factor: factor(", name, ")"))
  if (is.logical(y)) y <- factor(y, c(FALSE, TRUE))
  if (is.factor(y)) return(class_response(y, name))
  if (!is.numeric(y))
    bad(name, paste("it is of class", class(y)[1L]), "numbers, a factor or TRUE and FALSE")
  storage.mode(y) <- "double"
  columns <- as.matrix(y)
  for (j in seq_len(ncol(columns))) {
    seen <- unique(columns[, j])
    if (length(seen) < 2L && nrow(columns) > 0L)
      bad(name, paste0(if (ncol(columns) > 1L) paste0("column ", column_name(columns, j), ": "),
                       "every value is ", format(seen)), "a response that varies")
    if (length(seen) == 2L && all(seen %in% 0:1))
      warning(warningCondition(
        paste0(name, ": only 0 and 1, treated as numbers; for classes use factor(", name, ")"),
        class = "nnpost_hint", call = users_call()))
  }
  list(kind = "numbers", y = y, outputs = ncol(columns))
}

class_response <- function(y, name) {
  seen <- levels(droplevels(y))
  if (length(seen) < 2L)
    bad(name, if (length(seen)) paste("every row is of class", describe(seen)) else "no class",
        "at least two classes", "NNP_E_LABEL")
  unseen <- setdiff(levels(y), seen)
  if (length(unseen))
    warning(warningCondition(
      paste0(name, ": no row is of class ", paste(dQuote(unseen, FALSE), collapse = ", "),
             ", which is left out"), class = "nnpost_hint", call = users_call()))
  y <- droplevels(y)
  if (length(seen) == 2L) list(kind = "two", y = y, outputs = 1) else
    list(kind = "classes", y = y, outputs = length(seen))
}

column_name <- function(x, j) if (is.null(colnames(x))) j else colnames(x)[j]

need_finite <- function(x, argument, names) {
  x <- as.matrix(x)
  first <- which(!is.finite(x))[1L]
  if (is.na(first)) return()
  row <- (first - 1L) %% nrow(x) + 1L
  column <- (first - 1L) %/% nrow(x) + 1L
  bad(argument, paste0("row ", if (is.null(rownames(x))) row else describe(rownames(x)[row]),
                       if (ncol(x) > 1L || !is.null(names))
                         paste0(", column ", if (is.null(names)) column else names[column]),
                       " is ", x[first]), "finite numbers", "NNP_E_NOT_FINITE")
}

# Draws are kept whole.
need_memory <- function(fit, draws, most = getOption("nnpost.max_bytes", 8 * 2^30)) {
  bytes <- 8 * fit$parameters * draws * fit$chains
  if (bytes > most)
    bad("x", paste0("with ", NCOL(fit$x), " columns the network has ",
                    format(fit$parameters, big.mark = ",", scientific = FALSE),
                    " parameters, whose draws take ", format(round(bytes / 2^30)), " GB"),
        paste0("at most ", format(most / 2^30, digits = 3), " GB (option nnpost.max_bytes): fewer ",
               "columns, hidden units or draws; or keep = rows to predict at; or file = a path"),
        "NNP_E_SIZE")
}

# Hints about things the network can handle, but the user should know.
look_at_inputs <- function(inputs, names) {
  say <- function(...) warning(warningCondition(paste0(...), class = "nnpost_hint",
                                                call = users_call()))
  x <- matrix(inputs$x, inputs$n)
  label <- function(j) if (is.null(names)) j else names[j]
  constant <- which(apply(x, 2L, function(v) all(v == v[1L])))
  if (length(constant))
    say("x, column ", label(constant[1L]), ": every value is ", format(x[1L, constant[1L]]),
        if (length(constant) > 1L) paste0(" (and ", length(constant) - 1L, " more such columns)"),
        "; it is ignored")
  rest <- setdiff(seq_len(ncol(x)), constant)
  if (inputs$n <= length(rest))
    say("x: ", inputs$n, " rows and ", length(rest), " columns: the prior has much influence; ",
        "ard = TRUE finds the columns that matter")
  else if (inputs$n * length(rest)^2 <= 1e9 && length(rest) > 1L) {
    found <- qr(scale(x[, rest, drop = FALSE]), tol = 1e-9)
    if (found$rank < length(rest))
      say("x, column ", label(rest[found$pivot[found$rank + 1L]]),
          ": a linear combination of other columns; predictions are not affected")
  }
}

# ---- Scaling ------------------------------------------------------------------------------------

# Means and standard deviations (denominator n) of columns, with rows weighted.
centers_of <- function(values, weights) {
  values <- matrix(values, NROW(values))
  w <- if (is.null(weights)) rep(1, nrow(values)) else weights
  center <- colSums(values * w) / sum(w)
  scale <- sqrt(colSums((values - rep(center, each = nrow(values)))^2 * w) / sum(w))
  list(center = center, scale = scale)
}

# Constant columns become 0 for all new rows too: their scale is infinite. change: of the inputs of
# classes, by a matrix.
table_scaling <- function(fit, name, change) {
  x <- centers_of(fit$x, fit$weights)
  x$scale[x$scale <= 1e-12 * abs(x$center)] <- Inf
  if (is_classifier(fit)) {
    fit$scaling <- list(x = x)
    if (change) x$matrix <- class_matrix(fit)
    return(list(x = x))
  }
  y <- centers_of(if (is.null(fit$offset)) fit$y else fit$y - fit$offset, fit$weights)
  if (any(y$scale == 0)) bad(name, "all rows of positive weight have the same value",
                             "a response that varies")
  list(x = x, y = y)
}

# The change that is recommended for inputs of classes, from training rows that are scaled, or NULL.
class_matrix <- function(fit) {
  inputs <- network_inputs(fit, as_inputs(fit$x))
  labels <- as_targets_of(fit, fit$y)$labels
  at <- if (is.null(fit$weights)) seq_len(inputs$n) else rep(seq_len(inputs$n), fit$weights)
  .Call(nnr_recommend_transform, matrix(inputs$x, inputs$n)[at, , drop = FALSE],
        as.integer(labels)[at])
}

# Weights of chains, for the line that reports convergence.
chains_worth <- function(fit) {
  if (!is.null(fit$chain_weights))
    paste0("; chains are weighted by stacking: ",
           paste(format(round(as.vector(fit$chain_weights), 2)), collapse = " "))
}

# ---- The verdict --------------------------------------------------------------------------------

tell_verdict <- function(fit, values, kind) {
  text <- paste0("nnpost: ", verdict(values, fit), chains_worth(fit))
  if (kind == NNP_CONVERGED) return(message(text))
  help <- if (kind == NNP_FEW_DRAWS) "update(fit) makes more draws" else
    "update(fit) runs the chains longer"
  warning(warningCondition(paste0(text, "; ", help), class = "nnpost_not_converged",
                           call = users_call()))
}

# Functions that users of brms, rstanarm, loo and broom expect of a fit.

# ---- Draws of predictions -----------------------------------------------------------------------

# Expected values per draw: [draw, row], [draw, row, output] or, for classes, their probabilities
# [draw, row, class]. The noise of hidden layers is integrated out by 16 passes per draw by default.
epred_rows <- function(fit, inputs, rows, draws, how) {
  used <- draws_for(fit, draws)
  kind <- if (is_classifier(fit)) NNP_PREDICT_PROBABILITIES else NNP_PREDICT_MEAN
  values <- with_rows(fit, inputs, function(net, data)
    .Call(nnr_epred, net, data, used$values, as.double(c(used$count, fit$outputs * inputs$n)), kind,
          how))
  if (!is_classifier(fit)) values <- own_units(fit, values, inputs$offset)
  values <- aperm(array(values, c(fit$outputs, inputs$n, used$count)), c(3L, 2L, 1L))
  if (fit$net$head == "sign") values <- array(c(1 - values, values), c(dim(values)[1:2], 2L))
  if (dim(values)[3L] == 1L)
    return(matrix(values, used$count, dimnames = if (!is.null(rows)) list(NULL, rows)))
  dimnames(values) <- list(NULL, rows, class_names(fit))
  values
}

posterior_epred.nnfit <- function(object, newdata = NULL, ndraws = NULL, draws = ndraws,
                                  seed = NULL, passes = 0, ...) {
  no_others(..., of = "posterior_epred", known = names(formals(posterior_epred.nnfit)))
  how <- how_to(object, "fitted", seed, passes)
  found <- over_rows(object, newdata, 2L, function(inputs, rows)
    epred_rows(object, inputs, rows, draws, how))
  if (object$net$head == "sign") second_class(found) else found
}

# [draw, row] of [draw, row, class].
second_class <- function(values) {
  matrix(values[, , 2L], dim(values)[1L],
         dimnames = if (!is.null(dimnames(values)[[2L]])) dimnames(values)[1:2])
}

# Outputs of the forward pass; for classes their scores, or probabilities if transformed.
posterior_linpred.nnfit <- function(object, transform = FALSE, newdata = NULL, ndraws = NULL,
                                    draws = ndraws, ...) {
  no_others(..., of = "posterior_linpred", known = names(formals(posterior_linpred.nnfit)))
  if (isTRUE(transform)) return(posterior_epred.nnfit(object, newdata, draws = draws))
  predict.nnfit(object, newdata, "draws", noise = "forward", draws = draws)
}

# Predicted observations: numbers; for two classes 0 and 1 (the second); for more their numbers.
posterior_predict.nnfit <- function(object, newdata = NULL, ndraws = NULL, draws = ndraws,
                                    seed = NULL, ...) {
  no_others(..., of = "posterior_predict", known = names(formals(posterior_predict.nnfit)))
  if (!is_classifier(object))
    return(predict.nnfit(object, newdata, "draws", draws = draws, seed = seed))
  how <- how_to(object, "fitted", seed)
  found <- over_rows(object, newdata, 2L, function(inputs, rows)
    class_draws(object, inputs, rows, draws, how))
  structure(found, levels = class_names(object))
}

# Classes are drawn by softmax for the classical posterior, otherwise from noisy scores.
class_draws <- function(fit, inputs, rows, draws, how) {
  if (fit$posterior == "classical") {
    p <- epred_rows(fit, inputs, rows, draws, how)
    classes <- with_seed(how[[3L]], drawn_classes(p))
    if (fit$net$head == "sign") classes <- classes - 1L
  } else {
    scores <- predict_draws(fit, inputs, draws, how, list(rows, NULL))
    classes <- if (fit$net$head == "sign") (scores > 0) + 0L else
      shrink_last(scores, function(score) max.col(score, "first"))
  }
  dimnames(classes) <- if (!is.null(rows)) list(NULL, rows)
  classes
}

# p[draw, row, class] to classes [draw, row], one uniform number for each.
drawn_classes <- function(p) {
  u <- matrix(stats::runif(prod(dim(p)[1:2])), dim(p)[1L])
  below <- matrix(0, dim(p)[1L], dim(p)[2L])
  classes <- matrix(1L, dim(p)[1L], dim(p)[2L])
  for (k in seq_len(dim(p)[3L] - 1L)) {
    below <- below + p[, , k]
    classes <- classes + (u > below)
  }
  storage.mode(classes) <- "integer"
  classes
}

shrink_last <- function(values, f) {
  extent <- dim(values)
  matrix(f(matrix(values, ncol = extent[3L])), extent[1L])
}

# Runs code with R's generator at a seed, and restores the generator afterwards.
with_seed <- function(seed, code) {
  before <- get0(".Random.seed", globalenv(), inherits = FALSE)
  on.exit(if (is.null(before)) rm(".Random.seed", envir = globalenv()) else
    assign(".Random.seed", before, envir = globalenv()))
  set.seed(seed %% .Machine$integer.max)
  code
}

predictive_interval.nnfit <- function(object, prob = 0.9, newdata = NULL, draws = NULL, seed = NULL,
                                      ...) {
  no_others(..., of = "predictive_interval", known = names(formals(predictive_interval.nnfit)))
  need_level(prob, "prob")
  predict.nnfit(object, newdata, draws = draws, seed = seed,
                probs = c((1 - prob) / 2, (1 + prob) / 2))
}

simulate.nnfit <- function(object, nsim = 1, seed = NULL, ...) {
  no_others(..., of = "simulate", known = c("object", "nsim", "seed"))
  nsim <- need_count(nsim, "nsim")
  if (is.null(get0(".Random.seed", globalenv(), inherits = FALSE))) stats::runif(1)
  state <- if (is.null(seed)) get(".Random.seed", globalenv()) else
    structure(seed, kind = as.list(RNGkind()))
  made <- function() {
    if (!is.null(object$chain_weights)) object$draws <- stacked_draws(object)
    object$chain_weights <- NULL
    total <- dim(object$draws)[2L] * dim(object$draws)[3L]
    at <- sample.int(total, nsim, replace = nsim > total)
    draws <- matrix(object$draws, dim(object$draws)[1L])[, at, drop = FALSE]
    object$draws <- array(draws, c(dim(draws), 1L))
    posterior_predict.nnfit(object, seed = default_seed())
  }
  found <- if (is.null(seed)) made() else with_seed(need_count(seed, "seed", 0), made())
  out <- lapply(seq_len(nsim), function(i) simulated(object, found, i))
  names(out) <- paste0("sim_", seq_len(nsim))
  rows <- rows_of(object, NULL)
  structure(out, class = "data.frame", seed = state,
            row.names = if (is.null(rows)) seq_len(NROW(object$y)) else rows)
}

simulated <- function(fit, found, i) {
  if (length(dim(found)) == 3L) return(matrix(found[i, , ], dim(found)[2L],
                                              dimnames = list(NULL, outputs_of(fit))))
  one <- unname(found[i, ])
  if (!is_classifier(fit)) return(one)
  if (fit$net$head == "sign") one <- one + 1L
  factor(class_names(fit)[one], class_names(fit))
}

# ---- Leave-one-out cross-validation -------------------------------------------------------------

# The chain of each draw in use.
chain_of_draws <- function(fit, draws) {
  ids <- rep(seq_len(dim(fit$draws)[3L]), each = dim(fit$draws)[2L])
  if (is.null(draws) || draws >= length(ids)) ids else
    ids[unique(round(seq(1, length(ids), length.out = draws)))]
}

loo.nnfit <- function(x, ..., ndraws = NULL, draws = ndraws, seed = NULL, passes = 0,
                      cores = getOption("mc.cores", 1)) {
  need_package("loo", "loo()")
  name <- deparse1(substitute(x))
  pointwise <- log_lik.nnfit(x, draws = draws, seed = seed, passes = passes)
  likelihood <- exp(pointwise - rep(apply(pointwise, 2L, max), each = nrow(pointwise)))
  efficiency <- loo::relative_eff(likelihood, chain_id = chain_of_draws(x, draws), cores = cores)
  efficiency[is.na(efficiency)] <- 1
  found <- loo::loo(pointwise, r_eff = efficiency, cores = cores, ...)
  attr(found, "model_name") <- name
  found
}

waic.nnfit <- function(x, ..., ndraws = NULL, draws = ndraws, seed = NULL, passes = 0) {
  need_package("loo", "waic()")
  name <- deparse1(substitute(x))
  found <- loo::waic(log_lik.nnfit(x, draws = draws, seed = seed, passes = passes), ...)
  attr(found, "model_name") <- name
  found
}

# Stacking weights of chains in different modes, with which their mixture best predicts rows that
# were left out. They sum to 1.
nn_stack <- function(fit, seed = NULL, passes = 0) {
  need_fit(fit)
  extent <- dim(fit$draws)[2:3]
  pointwise <- t(log_lik.nnfit(fit, seed = seed, passes = passes))
  .Call(nnr_stack_chains, pointwise, as.double(c(nrow(pointwise), extent)))
}

# ---- The noise ----------------------------------------------------------------------------------

# Standard deviations of the last layer's noise, [draw, output] in the units of the response; one
# row if it is fixed. NULL for heads that have none.
noise_draws <- function(fit) {
  if (is_classifier(fit) || fit$net$head == "location_scale") return(NULL)
  last <- layer_count(fit$net)
  learned <- nn_learned(fit$net)
  at <- learned$first[learned$layer == last & learned$what == "noise"]
  variance <- if (length(at)) {
    tied <- Filter(function(step) step[1L] == TIED, fit$net$properties)
    multiples <- if (length(tied)) tied[[length(tied)]][-(1:3)]
    as.vector(fit$draws[at[1L], , ]) * if (length(multiples)) multiples[last] else 1
  } else {
    with_net(fit$net, NULL, function(net) .Call(nnr_net_get, net, last, NNP_NOISE))
  }
  scale <- if (is.null(fit$scaling$y)) rep(1, fit$outputs) else fit$scaling$y$scale
  matrix(sqrt(variance) %o% scale, ncol = fit$outputs, dimnames = list(NULL, outputs_of(fit)))
}

# Noise of hidden layers counts: what is drawn for a row, less its expected value, which is a mean
# over `passes` draws of that noise.
total_noise <- function(fit, last, passes = 64) {
  draws <- max(20, min(200, 20000 %/% nobs(fit)))
  drawn <- posterior_predict.nnfit(fit, draws = draws, seed = 1)
  square <- (drawn - posterior_epred.nnfit(fit, draws = draws, seed = 2, passes = passes))^2
  square <- if (length(dim(square)) == 3L) apply(square, 3L, mean, na.rm = TRUE) else
    mean(square, na.rm = TRUE) # rows that the fit left out are missing
  own <- colMeans(last^2)
  sqrt(own + pmax(0, square - own) / (1 + 1 / passes))
}

noise_sd <- function(fit) {
  last <- noise_draws(fit)
  if (is.null(last)) return(NA_real_)
  hidden <- fit$posterior == "intermediate" && layer_count(fit$net) > 1L
  found <- if (hidden && fit$net$head == "gaussian") total_noise(fit, last) else
    apply(last, 2L, stats::median)
  if (length(found) == 1L) unname(found) else found
}

sigma.nnfit <- function(object, ...) {
  no_others(..., of = "sigma", known = "object")
  if (is_classifier(object))
    instead_of("sigma()", "classes have no residual noise", "predict(fit), their probabilities")
  if (object$net$head == "location_scale")
    instead_of("sigma()", "the noise depends on the input", "predict(fit, type = \"sd\")")
  noise_sd(object)
}

# ---- The model of a fit -------------------------------------------------------------------------

model.frame.nnfit <- function(formula, ...) {
  if (is.null(formula$model))
    bad("formula", "the fit was made from a matrix", "a fit by a formula", "NNP_E_UNSUPPORTED")
  formula$model
}

# Inputs of the network, in the units they were given in: no intercept, as layers have biases.
model.matrix.nnfit <- function(object, ...) {
  no_others(..., of = "model.matrix", known = "object")
  if (is.matrix(object$x)) object$x else as.matrix(object$x)
}

# ---- What has no meaning ------------------------------------------------------------------------

instead_of <- function(what, why, use)
  nn_raise("NNP_E_UNSUPPORTED", paste0(what, ": ", why, "; use ", use))
no_meaning <- function(what, use)
  instead_of(what, "data do not determine the weights of a network, since hidden units can change places",
             use)
coef.nnfit <- function(object, ...)
  no_meaning("coef()", "predict(fit), or as.matrix(fit) for draws of the weights")
vcov.nnfit <- function(object, ...)
  no_meaning("vcov()", "predict(fit, se.fit = TRUE), or var(as.matrix(fit))")
confint.nnfit <- function(object, parm, level = 0.95, ...)
  no_meaning("confint()", "predict(fit, interval = \"confidence\")")
logLik.nnfit <- function(object, ...)
  instead_of("logLik()", "a posterior has no maximum likelihood and no degrees of freedom",
             "loo(fit), waic(fit) or nn_evidence() to compare models")
deviance.nnfit <- function(object, ...)
  instead_of("deviance()", "a posterior has no maximum likelihood", "loo(fit) or nn_score(fit)")
df.residual.nnfit <- function(object, ...)
  instead_of("df.residual()", "a posterior has no degrees of freedom", "p_loo of loo(fit)")

# ---- broom --------------------------------------------------------------------------------------

# A data frame that prints as a tibble if that package is loaded.
as_tidy <- function(table) {
  structure(table, row.names = seq_len(nrow(table)), class = c("tbl_df", "tbl", "data.frame"))
}

tidy.nnfit <- function(x, what = c("function", "parameters"), conf.int = FALSE, conf.level = 0.95,
                       rows = 16, ...) {
  no_others(..., of = "tidy", known = names(formals(tidy.nnfit)))
  what <- one_of(what)
  need_level(conf.level, "conf.level")
  values <- if (what == "function") function_draws(x, rows) else x$draws
  table <- summarize(values, c((1 - conf.level) / 2, (1 + conf.level) / 2))
  out <- data.frame(term = row.names(table), estimate = table$mean, std.error = table$sd)
  if (isTRUE(conf.int)) out <- data.frame(out, conf.low = table[[3L]], conf.high = table[[4L]])
  as_tidy(data.frame(out, rhat = table$rhat, ess = table$ess_bulk))
}

glance.nnfit <- function(x, ...) {
  no_others(..., of = "glance", known = "x")
  found <- convergence(function_draws(x))
  sd <- noise_sd(x)
  as_tidy(data.frame(nobs = nobs(x), sigma = if (length(sd) == 1L) sd else NA_real_,
                     chains = dim(x$draws)[3L], draws = dim(x$draws)[2L] * dim(x$draws)[3L],
                     parameters = x$parameters, rhat = found$rhat, ess_bulk = found$ess_bulk,
                     ess_tail = found$ess_tail, converged = found$verdict == NNP_CONVERGED,
                     divergences = divergences(x)))
}

augment.nnfit <- function(x, data = NULL, newdata = NULL, interval = c("none", "confidence",
                                                                       "prediction"),
                          level = 0.95, ...) {
  no_others(..., of = "augment", known = names(formals(augment.nnfit)))
  interval <- one_of(interval)
  seen <- if (!is.null(newdata)) newdata else if (!is.null(data)) data else
    if (is.null(x$model)) data.frame(model.matrix.nnfit(x), .response = I(x$y)) else x$model
  rows <- newdata
  if (is.null(newdata) && nrow(seen) != nobs(x)) rows <- seen # rows the fit left out
  out <- data.frame(.rownames = row.names(seen), as.data.frame(seen), check.names = FALSE)
  if (is.null(attr(seen, "row.names")) || is.integer(attr(seen, "row.names"))) out$.rownames <- NULL
  as_tidy(if (is_classifier(x)) augment_classes(x, out, rows) else
    augment_numbers(x, out, rows, interval, level))
}

augment_classes <- function(fit, out, rows) {
  p <- predict.nnfit(fit, rows, "probabilities")
  out$.pred_class <- unname(predict.nnfit(fit, rows, "class"))
  for (name in colnames(p)) out[[paste0(".pred_", name)]] <- unname(p[, name])
  out
}

augment_numbers <- function(fit, out, rows, interval, level) {
  if (fit$outputs > 1)
    bad("x", paste("it has", fit$outputs, "responses"), "one for augment()", "NNP_E_UNSUPPORTED")
  found <- predict.nnfit(fit, rows, se.fit = TRUE)
  out$.fitted <- unname(found$fit)
  out$.se.fit <- unname(found$se.fit)
  if (interval != "none") {
    bounds <- predict.nnfit(fit, rows, interval = interval, level = level)
    out$.lower <- unname(bounds[, "lwr"])
    out$.upper <- unname(bounds[, "upr"])
  }
  if (is.null(rows)) out$.resid <- as.vector(fit$y) - out$.fitted
  out
}

# ---- bayesplot and posterior --------------------------------------------------------------------

# In bayesplot's format: one row for each parameter of the sampler, draw and chain.
nuts_params.nnfit <- function(object, pars = NULL, ...) {
  if (is.null(object$stats))
    bad("object", paste("its sampler is", object$sampler), "one that follows gradients",
        "NNP_E_UNSUPPORTED")
  known <- c(accept_stat__ = "acceptance", stepsize__ = "step_size", treedepth__ = "depth",
             n_leapfrog__ = "leapfrogs", divergent__ = "divergent", energy__ = "energy")
  if (is.null(pars)) pars <- names(known)
  unknown <- setdiff(pars, names(known))
  if (length(unknown)) bad("pars", describe(unknown[1L]), paste(names(known), collapse = ", "))
  extent <- dim(object$stats)[2:3]
  values <- lapply(pars, function(name) as.vector(object$stats[known[[name]], , ]))
  data.frame(Chain = rep(rep(seq_len(extent[2L]), each = extent[1L]), length(pars)),
             Iteration = rep(seq_len(extent[1L]), extent[2L] * length(pars)),
             Parameter = factor(rep(pars, each = prod(extent)), pars), Value = unlist(values))
}

log_posterior.nnfit <- function(object, ...) {
  if (is.null(object$stats))
    bad("object", paste("its sampler is", object$sampler), "one that follows gradients",
        "NNP_E_UNSUPPORTED")
  extent <- dim(object$stats)[2:3]
  data.frame(Chain = rep(seq_len(extent[2L]), each = extent[1L]),
             Iteration = rep(seq_len(extent[1L]), extent[2L]),
             Value = as.vector(object$stats["log_density", , ]))
}

ndraws.nnfit <- function(x) dim(x$draws)[2L] * dim(x$draws)[3L]
nchains.nnfit <- function(x) dim(x$draws)[3L]
niterations.nnfit <- function(x) dim(x$draws)[2L]
nvariables.nnfit <- function(x, ...) dim(x$draws)[1L]
variables.nnfit <- function(x, ...) dimnames(x$draws)[[1L]]

as.data.frame.nnfit <- function(x, row.names = NULL, optional = FALSE, variables = "parameters",
                                rows = 16, ...) {
  as.data.frame(as.matrix.nnfit(x, variables, rows), row.names = row.names, optional = TRUE)
}

# Sampling.

nn_sample <- function(net, x, ...) UseMethod("nn_sample", x)

nn_sample.formula <- function(net, x, data, subset, na.action, weights, offset, ...) {
  call <- match.call()
  call[[1L]] <- quote(nn_sample)
  model <- model_of(match.call(expand.dots = FALSE), parent.frame(), "nn_sample")
  fit <- nn_sample.default(net, with_terms(model), model$y, ..., weights = model$weights,
                           offset = model$offset)
  fit$call <- call
  with_model(fit, model)
}

# Evaluates a formula: the call of a method with arguments x or formula, data, subset, na.action,
# weights and offset (those without weights and offset have no such columns) of the generic `maker`.
model_of <- function(call, where, maker, data = NULL) {
  unknown <- setdiff(names(call$...), c("", arguments_of(maker)))
  if (length(unknown)) # model.frame() would miss what was misspelt
    bad_argument(unknown[1L], paste0(maker, "()"), arguments_of(maker), "NNP_E_OPTION")
  kept <- c("x", "formula", "data", "subset", "na.action", "weights", "offset")
  call <- call[c(1L, match(kept, names(call), 0L))]
  names(call)[names(call) == "x"] <- "formula"
  no_groups(stats::terms(stats::as.formula(eval(call$formula, where)), allowDotAsName = TRUE))
  call[[1L]] <- quote(stats::model.frame)
  frame <- eval(call, where)
  terms <- attr(frame, "terms")
  if (nrow(frame) == 0L) {
    lacking <- names(data)[vapply(as.list(data), function(column) all(is.na(column)), NA)]
    bad("data", "no row is complete", if (length(lacking))
      paste0("at least one: column ", lacking[1L], " is NA in every row") else
      "at least one, without NA and within subset", "NNP_E_SIZE")
  }
  varied_factors(frame, terms)
  inputs <- model_inputs(terms, frame)
  if (ncol(inputs$x) == 0L)
    bad("formula", "it has no inputs", "at least one term besides the intercept", "NNP_E_SIZE")
  list(x = inputs$x, y = stats::model.response(frame), terms = terms, model = frame,
       xlevels = stats::.getXlevels(terms, frame), contrasts = inputs$contrasts,
       na.action = attr(frame, "na.action"), weights = stats::model.weights(frame),
       offset = stats::model.offset(frame))
}

# model.matrix() does not name a factor that has one level only.
varied_factors <- function(frame, terms) {
  for (name in setdiff(names(frame), if (attr(terms, "response") > 0) names(frame)[1L])) {
    column <- frame[[name]]
    if ((is.factor(column) || is.character(column)) && length(unique(column)) < 2L)
      bad("data", paste0("column ", name, " is ", describe(as.character(column[1L])),
                         " in every row"), "a factor with two levels or more, or none",
          "NNP_E_LABEL")
  }
}

# (1 | g) is an effect of groups elsewhere, and a logical constant to model.matrix().
no_groups <- function(terms) {
  for (term in as.list(attr(terms, "variables"))[-1L])
    if (is.call(term) && (identical(term[[1L]], quote(`|`)) || identical(term[[1L]], quote(`||`))))
      bad("formula", paste0("it has the term (", deparse1(term), ")"),
          paste0("terms without |; give groups as a factor: ", deparse1(term[[3L]])),
          "NNP_E_UNSUPPORTED")
}

no_offset <- function(model, what) {
  if (!is.null(model$offset))
    bad("formula", "it has an offset", paste("none in", what, "subtract it from the response"),
        "NNP_E_UNSUPPORTED")
  model
}

with_model <- function(fit, model) {
  for (name in c("terms", "model", "xlevels", "contrasts", "na.action"))
    fit[[name]] <- model[[name]]
  fit
}

nn_sample.default <- function(net, x, y, sampler = c("gibbs", "nuts", "hmc", "mala"),
                              posterior = c("intermediate", "classical"), chains = 4,
                              draws = 1000, warmup = draws * thin, thin = 1, start = "fit",
                              seed = NULL, anneal = NULL, threads = NULL,
                              progress = interactive(), callback = NULL, weights = NULL,
                              offset = NULL, number = 0, keep = NULL, at = NULL, file = NULL,
                              ...) {
  call <- match.call()
  call[[1L]] <- quote(nn_sample)
  model <- attr(x, "nnpost_model")
  if (!is.null(model)) attr(x, "nnpost_model") <- NULL
  draws <- need_count(draws, "draws")
  thin <- need_count(thin, "thin", 1, 2^20)
  warmup <- need_count(warmup, "warmup", 0)
  sampler <- one_of(sampler)
  posterior <- one_of(posterior)
  fit <- new_fit(call, net, x, if (!missing(y)) y, sampler, posterior, chains, seed,
                 sampler_options(list(...), sampler, warmup, arguments_of("nn_sample")), weights,
                 offset)
  warn_unscaled(fit$x, "x", colnames(fit$x))
  if (is.numeric(fit$y))
    warn_unscaled(if (is.null(fit$offset)) fit$y else fit$y - fit$offset, "y", colnames(fit$y))
  fit$thin <- thin
  fit$warmup <- warmup
  fit$start <- start
  fit$anneal <- anneal
  fit$number <- need_count(number, "number", 0)
  fit <- with_keep(fit, keep, at, file, model)
  advise(fit, draws)
  run_chains(fit, draws, threads, watcher(progress, callback), start_chains)
}

# The inputs of a formula, with what is needed for new rows later.
with_terms <- function(model) {
  structure(model$x, nnpost_model = model[c("terms", "model", "xlevels", "contrasts", "na.action")])
}

# A fit without draws.
new_fit <- function(call, net, x, y, sampler, posterior, chains, seed, options, weights = NULL,
                    offset = NULL) {
  need_net(net)
  inputs <- as_inputs(x)
  if (is.null(net$head))
    nn_raise("NNP_E_NO_HEAD", paste("net: it has no head, expected nn_gaussian(), nn_student_t(),",
                                    "nn_location_scale(), nn_argmax() or nn_sign_head() at its end"))
  net <- complete(net, inputs)
  info <- net_info(net)
  targets <- as_targets(y, net, info$outputs)
  weights <- need_weights(weights, inputs$n)
  rows <- if (is.null(weights)) inputs$n else sum(weights)
  structure(list(
    call = call, net = net, sampler = sampler, posterior = posterior, x = inputs$x, y = targets$y,
    levels = targets$levels, outputs = info$outputs, parameters = info$parameters,
    weights = weights, offset = need_offset(offset, inputs$n, net), latents = rows * info$latents,
    chains = need_count(chains, "chains"), thin = 1, warmup = 0,
    seed = if (is.null(seed)) default_seed() else seed, start = "prior", options = options
  ), class = "nnfit")
}

# Options of the chain by name; those of gradient samplers include the length of the warm-up.
# `others` are arguments of the caller that a user may have misspelt.
sampler_options <- function(options, sampler, warmup, others = NULL) {
  known <- setdiff(names(chain_options), "warmup")
  unknown <- setdiff(names(options), known)
  if (length(options) && (is.null(names(options)) || length(unknown)))
    bad_argument(c(unknown, "")[1L], "the sampler", c(known, others), "NNP_E_OPTION")
  moves <- list(plain = NNP_MOVES_PLAIN, automatic = NNP_MOVES_AUTOMATIC)
  schedules <- list(sequential = NNP_SEQUENTIAL, parallel = NNP_PARALLEL,
                    backward = NNP_BACKWARD)
  if (is.character(options$schedule))
    options$schedule <- constant(options$schedule, schedules, "schedule")
  if (is.character(options$blas))
    options$blas <- constant(options$blas, list(automatic = NNP_BLAS_AUTOMATIC, none = NNP_BLAS_NONE,
                                                all = NNP_BLAS_ALL, whole = NNP_BLAS_WHOLE), "blas")
  if (is.character(options$moves))
    options$moves <- constant(options$moves, moves, "moves")
  # `moves` sets several others: those given by name come after it
  options <- options[order(names(options) != "moves")]
  if (sampler != "gibbs" && warmup > 0) options$warmup <- warmup
  options
}

# Makes network, data, threads and chains of a fit for code(chains, net), and frees them.
with_chains <- function(fit, threads, code) {
  handles <- list()
  on.exit(for (handle in rev(handles)) .Call(nnr_free, handle))
  own <- function(handle) {
    handles[[length(handles) + 1L]] <<- handle
    handle
  }
  threads <- if (is.null(threads)) default_threads() else need_count(threads, "threads", 1, 256)
  if (fit$chains > 1) threads <- min(threads, fit$chains)
  net <- own(build_net(fit$net))
  data <- own(training_data(fit))
  pool <- own(.Call(nnr_pool, threads))
  chains <- lapply(seq_len(fit$chains), function(c) {
    own(.Call(nnr_chain, net, data, samplers[[fit$sampler]], posteriors[[fit$posterior]], pool))
  })
  code(chains, net)
}

set_options <- function(chain, options) {
  for (name in names(options))
    .Call(nnr_chain_set, chain, chain_options[[name]], options[[name]])
}

# Makes the objects, runs `begin(fit, chains, watch, draws)` and draws; returns the fit with them.
run_chains <- function(fit, draws, threads, watch, begin) {
  with_chains(fit, threads, function(chains, net) {
    begin(fit, chains, watch, draws)
    watch$failed()
    if (is.null(fit$keep) && is.null(fit$file))
      sampled(fit, draws, chains, .Call(nnr_net_names, net), watch) else
      sampled_kept(fit, draws, chains, net, watch)
  })
}

sampled <- function(fit, draws, chains, names, watch) {
  result <- .Call(nnr_sample, chains, c(draws, fit$thin, fit$parameters), fit$sampler != "gibbs",
                  watch$how("sampling"))
  watch$failed()
  if (result$done == 0) interrupted("interrupted before the first draw")
  fit$interrupted <- result$done < draws
  if (fit$interrupted)
    warning("interrupted: ", result$done, " of ", format(draws, scientific = FALSE),
            " draws of each chain were made; update(fit) makes the rest", call. = FALSE)
  fit$draws <- shaped(result$draws, c(fit$parameters, draws, fit$chains), result$done)
  dimnames(fit$draws) <- list(parameter = names, draw = NULL, chain = NULL)
  if (!is.null(result$stats)) {
    fit$stats <- shaped(result$stats, c(length(step_statistics), draws, fit$chains), result$done)
    dimnames(fit$stats) <- list(statistic = step_statistics, draw = NULL, chain = NULL)
  }
  fit$moves <- result$moves
  fit$saves <- result$saves
  fit$left <- draws - result$done
  fit
}

# As nnr_sample keeps them.
step_statistics <- c("log_density", "energy", "acceptance", "step_size", "depth", "leapfrogs",
                     "divergent")

shaped <- function(values, dim, done) {
  dim(values) <- dim
  if (done < dim[2L]) values[, seq_len(done), , drop = FALSE] else values
}

# How a run is watched: how(phase) for C, and failed() to pass on an error of the user's callback.
# A run that was planned, by the steps of all chains in start, warm-up and sampling, has one bar over all
# of them, which shows how long the rest will take.
watcher <- function(progress, callback) {
  error <- NULL
  phase <- NULL
  plan <- NULL
  guarded <- function(chain, step, steps, seconds) {
    told <- list(phase = phase, chain = chain, step = step, steps = steps, seconds = seconds)
    tryCatch(isTRUE(callback(told)), error = function(e) {
      error <<- e
      TRUE
    }, interrupt = function(e) TRUE)
  }
  if (!is.null(callback)) callback <- match.fun(callback)
  list(
    how = function(name) {
      phase <<- name
      list(if (progress) format(name, width = 8), if (!is.null(callback)) guarded, plan,
           match(name, c("start", "warm-up", "sampling")) + NNP_PHASE_START - 1L)
    },
    # C changes it where it lies: nobody else has it
    plan = function(steps) plan <<- as.double(c(steps, numeric(6L), .Call(nnr_clock))),
    failed = function() if (!is.null(error)) stop(error)
  )
}

start_chains <- function(fit, chains, watch, draws) {
  teacher <- NULL
  if (inherits(fit$start, "nn_teacher")) {
    teacher <- rebuild_teacher(fit$start)
    on.exit(.Call(nnr_free, teacher))
  }
  for (chain in chains) set_options(chain, fit$options)
  watch$plan(c(if (identical(fit$start, "fit")) 3000 else 0, fit$warmup, draws * fit$thin) *
               length(chains))
  first <- if (is.null(fit$number)) 0 else fit$number
  if (is.character(fit$start) && first == 0) {
    start <- constant(fit$start, starts, "start")
    if (!.Call(nnr_start, chains, start, fit$seed, watch$how("start"))) {
      watch$failed()
      interrupted("interrupted before the warm-up: there are no draws yet")
    }
  }
  for (c in seq_along(chains)) {
    if (!is.character(fit$start) || first > 0)
      start_chain(chains[[c]], fit, c, teacher, first + c - 1)
    if (!is.null(fit$anneal)) {
      if (!is.numeric(fit$anneal) || length(fit$anneal) != 2L)
        bad("anneal", describe(fit$anneal), "c(initial noise, steps)")
      .Call(nnr_chain_anneal, chains[[c]], fit$anneal[1], fit$anneal[2])
    }
  }
  if (fit$warmup == 0 || .Call(nnr_run, chains, fit$warmup, watch$how("warm-up"))) return()
  watch$failed()
  interrupted("interrupted during the warm-up: there are no draws yet")
}

# start: a name, parameters (one column for each chain, or the same for all), or a teacher.
start_chain <- function(chain, fit, c, teacher, number = c - 1) {
  start <- fit$start
  if (!is.null(teacher)) {
    if (!length(start$sites) %in% c(0, fit$latents))
      bad("start", "it is a teacher of other rows", "the one that made y", "NNP_E_SHAPE")
    .Call(nnr_chain_start_teacher, chain, teacher, start$sites, fit$seed, number)
  } else if (is.numeric(start)) {
    columns <- length(start) / fit$parameters
    if (!columns %in% c(1, fit$chains))
      bad("start", paste("it has", length(start), "values"),
          paste(fit$parameters, "parameters, or as many for each chain"), "NNP_E_SHAPE")
    first <- if (columns == 1) 0 else (c - 1) * fit$parameters
    .Call(nnr_chain_start_weights, chain, as.double(start[first + seq_len(fit$parameters)]), 1L,
          fit$seed, number)
  } else {
    .Call(nnr_chain_start, chain, constant(start, starts, "start"), fit$seed, number)
  }
}

# Continues the chains. Nothing is kept alive between calls: chains are restored from what was saved,
# so this works on a fit that was read from a file, and twice on the same one. With a new formula, or
# arguments of the call that made the fit, the fit is made again.
update.nnfit <- function(object, draws = NULL, append = TRUE, threads = NULL,
                         progress = interactive(), callback = NULL, quiet = FALSE, ...,
                         evaluate = TRUE) {
  if (inherits(draws, "formula") || ...length()) {
    call <- changed_call(object, match.call(expand.dots = FALSE), draws, parent.frame())
    return(if (evaluate) eval(call, parent.frame()) else call)
  }
  if (!is.null(object$file))
    bad("object", "its draws are in a file, which is full", "another fit with a file of its own",
        "NNP_E_UNSUPPORTED")
  if (is.null(draws)) draws <- if (object$left > 0) object$left else dim(object$draws)[2L]
  draws <- need_count(draws, "draws")
  fit <- run_chains(object, draws, threads, watcher(progress, callback), restore_chains)
  if (append) {
    fit$draws <- bind_draws(object$draws, fit$draws)
    if (!is.null(fit$stats)) fit$stats <- bind_draws(object$stats, fit$stats)
  }
  if (!is.null(object$stacking)) return(judged(fit, quiet)) # of nnpost(), which weighs chains itself
  if (!is.null(object$chain_weights)) fit$chain_weights <- nn_stack(fit)
  fit
}

# The call of a fit with the arguments of a call of update() in their places; `draws` may be a
# formula, in which . is the one of the fit.
changed_call <- function(fit, update, draws, where) {
  call <- fit$call
  if (is.null(call))
    bad("object", "it does not know the call that made it", "a fit of nnpost() or nn_sample()")
  maker <- deparse1(call[[1L]])
  changes <- as.list(update$...)
  for (name in c("threads", "progress", "callback", "quiet")) changes[[name]] <- update[[name]]
  if (inherits(draws, "formula")) changes$formula. <- draws else changes$draws <- update$draws
  if (!is.null(changes$formula.)) {
    if (is.null(fit$terms))
      bad("formula", "the fit was made from a matrix", "a fit by a formula", "NNP_E_UNSUPPORTED")
    place <- if (is.null(call$formula)) "x" else "formula"
    call[[place]] <- stats::update.formula(stats::formula(fit),
                                          eval(changes$formula., where))
    changes$formula. <- NULL
  }
  known <- arguments_of(maker)
  for (name in c(names(changes), if (length(changes) && is.null(names(changes))) "")) {
    if (!name %in% known) bad_argument(name, paste0(maker, "()"), known)
    call[name] <- list(changes[[name]])
  }
  call
}

# All arguments a maker of fits takes, of all of its methods and of samplers.
arguments_of <- function(maker) {
  methods <- paste0(maker, c("", ".default", ".formula"))
  if (maker == "nnpost") methods <- c(methods, "fit_table")
  methods <- methods[vapply(methods, exists, NA, envir = topenv(), mode = "function")]
  found <- lapply(methods, function(method) names(formals(get(method, topenv()))))
  setdiff(unique(c(unlist(found), names(chain_options))), c("...", "call", "name"))
}

formula.nnfit <- function(x, ...) {
  if (is.null(x$terms))
    bad("x", "the fit was made from a matrix", "a fit by a formula", "NNP_E_UNSUPPORTED")
  stats::formula(x$terms)
}

restore_chains <- function(fit, chains, watch = NULL, draws = 0) {
  if (!is.null(watch)) watch$plan(c(0, 0, draws * fit$thin * length(chains)))
  for (c in seq_along(chains)) .Call(nnr_chain_restore, chains[[c]], fit$saves[[c]])
}

bind_draws <- function(a, b) {
  dim_a <- dim(a)
  dim_b <- dim(b)
  both <- array(0, c(dim_a[1L], dim_a[2L] + dim_b[2L], dim_a[3L]), dimnames(a))
  both[, seq_len(dim_a[2L]), ] <- a
  both[, dim_a[2L] + seq_len(dim_b[2L]), ] <- b
  both
}

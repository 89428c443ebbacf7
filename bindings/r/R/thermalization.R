# Teachers, and whether chains thermalize.

# A network drawn from the prior labels x: a problem whose posterior has one draw that is known.
nn_teacher <- function(net, x, posterior = c("intermediate", "classical"), noise = 1,
                       seed = NULL) {
  posterior <- one_of(posterior)
  inputs <- as_inputs(x)
  net <- complete(net, inputs)
  info <- net_info(net)
  teacher <- structure(list(
    net = net, x = inputs$x, y = NULL, parameters = NULL, sites = NULL, posterior = posterior,
    noise = need_count(noise, "noise", 0), seed = if (is.null(seed)) default_seed() else seed
  ), class = "nn_teacher")
  handle <- build_net(net)
  on.exit(.Call(nnr_free, handle))
  labeller <- build_teacher(teacher, handle)
  on.exit(.Call(nnr_free, labeller), add = TRUE)
  teacher$parameters <- .Call(nnr_teacher_parameters, labeller, info$parameters)
  names(teacher$parameters) <- .Call(nnr_net_names, handle)
  with_data(inputs, blank_targets(net, inputs, info), info$outputs, function(data) {
    teacher$sites <<- label_rows(labeller, data, teacher, inputs, info)
    teacher$y <<- read_labels(data, net, inputs, info)
  })
  teacher
}

build_teacher <- function(teacher, net) {
  .Call(nnr_teacher, net, posteriors[[teacher$posterior]], teacher$seed, 0)
}

# Makes the teacher again, from its network and its parameters.
rebuild_teacher <- function(teacher) {
  with_net(teacher$net, NULL, function(net) {
    handle <- build_teacher(teacher, net)
    count <- .Call(nnr_net_info, net)$parameters
    .Call(nnr_teacher_set_parameters, handle, as.double(teacher$parameters), count)
    handle
  })
}

# Room for targets; labels always have some.
blank_targets <- function(net, inputs, info) {
  if (has_targets(net))
    list(y = matrix(0, inputs$n, info$outputs), n = inputs$n, labels = NULL)
}

# Labels the rows; returns the sites that made the labels, if there are any.
label_rows <- function(labeller, data, teacher, inputs, info) {
  latents <- if (teacher$posterior == "intermediate" && teacher$noise > 0 && info$latents > 0)
    inputs$n * info$latents
  .Call(nnr_teacher_label, labeller, data, teacher$noise, latents)
}

read_labels <- function(data, net, inputs, info) {
  if (has_targets(net)) {
    y <- .Call(nnr_data_targets, data, inputs$n, info$outputs)
    return(if (info$outputs == 1) y else matrix(y, inputs$n))
  }
  labels <- .Call(nnr_data_labels, data, inputs$n)
  if (net$head == "argmax") factor(labels + 1L, seq_len(info$outputs)) else factor(labels, c(-1, 1))
}

print.nn_teacher <- function(x, ...) {
  cat("A teacher: a network with parameters from the prior, and its labels for ", NROW(x$y),
      " rows", if (x$noise == 0) ", without noise", "; seed ",
      format(x$seed, scientific = FALSE), "\n", sep = "")
  cat(format(x$net, NROW(x$y)))
  invisible(x)
}

# Chains from several starts beside one that starts on the teacher: do they merge?
nn_thermalization <- function(net, x = 500, x_test = 500, starts = c("zero", "prior"),
                              sampler = c("gibbs", "nuts", "hmc", "mala"),
                              posterior = c("intermediate", "classical"), steps = NULL,
                              seconds = NULL, warmup = 0, seed = NULL, threads = NULL,
                              progress = interactive(), study = list(), ...) {
  sampler <- one_of(sampler)
  posterior <- one_of(posterior)
  if (is.null(steps) && is.null(seconds)) steps <- 10000
  inputs <- as_inputs(random_inputs(net, x, "x"))
  net <- complete(net, inputs)
  test <- as_inputs(random_inputs(net, x_test, "x_test"), "x_test")
  if (is.null(seed)) seed <- default_seed()
  handles <- list()
  on.exit(for (handle in rev(handles)) .Call(nnr_free, handle))
  own <- function(handle) {
    handles[[length(handles) + 1L]] <<- handle
    handle
  }
  teacher <- structure(list(net = net, posterior = posterior, noise = 1, seed = seed),
                       class = "nn_teacher")
  info <- net_info(net)
  handle <- own(build_net(net))
  labeller <- own(build_teacher(teacher, handle))
  data <- own(build_data(inputs, blank_targets(net, inputs, info), info$outputs))
  test_data <- own(build_data(test, blank_targets(net, test, info), info$outputs))
  teacher$sites <- label_rows(labeller, data, teacher, inputs, info)
  .Call(nnr_teacher_label, labeller, test_data, 0, NULL)
  count <- 1L + length(starts)
  if (is.null(threads)) threads <- default_threads()
  pool <- own(.Call(nnr_pool, min(need_count(threads, "threads", 1, 256), count)))
  fit <- list(seed = seed, parameters = info$parameters, latents = inputs$n * info$latents,
              chains = count, start = "zero",
              options = sampler_options(list(...), sampler, warmup))
  chains <- lapply(seq_len(count), function(c) {
    own(.Call(nnr_chain, handle, data, samplers[[sampler]], posteriors[[posterior]], pool))
  })
  for (c in seq_len(count)) {
    set_options(chains[[c]], fit$options)
    fit$start <- if (c == 1L) teacher else starts[[c - 1L]]
    start_chain(chains[[c]], fit, c, if (c == 1L) labeller)
  }
  found <- .Call(nnr_study, chains, test_data, 4096, study_matrix(study, steps, seconds),
                 watcher(progress, NULL)$how("thermalization"))
  study_result(found, starts, match.call(), seed)
}

# A number means that many rows of standard normal inputs.
random_inputs <- function(net, x, argument) {
  if (!is_count(x) || !is.null(dim(x))) return(x)
  if (is.null(net$input))
    bad(argument, "the network does not know its number of inputs",
        "a matrix, or nn_input(features)")
  matrix(stats::rnorm(x * prod(net$input)), x)
}

study_matrix <- function(study, steps, seconds) {
  named <- list(sampling = list(log = NNP_SAMPLING_LOG, even = NNP_SAMPLING_EVEN),
                "function" = list(mse = NNP_SCORE_MSE, accuracy = NNP_SCORE_ACCURACY, log = NNP_SCORE_LOG))
  for (name in intersect(names(study), names(named)))
    if (is.character(study[[name]])) study[[name]] <- constant(study[[name]], named[[name]], name)
  option_matrix(c(study, list(steps = steps, seconds = seconds)), study_options, "study")
}

# As verdict_numbers of the compiled code has them.
verdict_columns <- c("verdict", "because", "time", "level", "distance", "informed_level",
                     "informed_spread")

study_result <- function(found, starts, call, seed) {
  columns <- c(verdict_columns, "teacher_student", "stationarity", "gradient", "rhat")
  report <- as.data.frame(t(matrix(found$reports, length(columns), dimnames = list(columns))))
  report$verdict <- factor(report$verdict, c(NNP_UNDECIDED, NNP_THERMALIZED, NNP_NOT_THERMALIZED),
                           c("undecided", "thermalized", "not thermalized"))
  report$because <- names(reasons)[match(report$because, unlist(reasons))]
  names <- if (is.null(names(starts))) make.unique(as.character(starts), " ") else names(starts)
  report <- cbind(start = names, report, text = found$texts)
  named <- function(series) lapply(series, name_series)
  structure(list(report = report, series = stats::setNames(lapply(found$series, named),
                                                           c("teacher", names)),
                 steps = found$steps, seconds = found$seconds, seed = seed, call = call,
                 ended = c("not", "verdicts", "steps", "seconds", "interrupted")[found$ended - NNP_ENDED_NOT + 1L]),
            class = "nn_thermalization")
}

print.nn_thermalization <- function(x, ...) {
  cat("Do chains thermalize? A chain that starts on the teacher shows where the posterior is.\n")
  why <- switch(x$ended, verdicts = "all verdicts are in", steps = "the budget of steps is used up",
                seconds = "the time is up", interrupted = "interrupted", "it failed")
  cat(format(x$steps, scientific = FALSE), " steps of each chain in ",
      format(x$seconds, digits = 3), " s: ", why, "\n\n", sep = "")
  time <- function(t) ifelse(is.nan(t), "-", format(t, digits = 4, scientific = FALSE))
  r <- x$report
  print(data.frame(start = r$start, teacher = time(r$teacher_student),
                   stationarity = time(r$stationarity), rhat = time(r$rhat),
                   gradient = time(r$gradient)),
        row.names = FALSE)
  cat("\n", paste0(format(r$start), "  ", r$text, "\n"), sep = "")
  invisible(x)
}

as.data.frame.nn_thermalization <- function(x, row.names = NULL, optional = FALSE, ...) x$report

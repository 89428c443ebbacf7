# Loading, errors, and small helpers.

.onLoad <- function(libname, pkgname) {
  need_abi(.Call(nnr_versions))
}

# Versions may differ, the ABI may not.
need_abi <- function(library) {
  if (library$abi != NNP_ABI_VERSION)
    stop("the compiled code, of nnpost ", library$version, ", has ABI ", library$abi, ", expected ",
         NNP_ABI_VERSION, ": install the package again")
}

.onUnload <- function(libpath) {
  gc() # finalizers are code of the library
  library.dynam.unload("nnpost", libpath)
}

# Called from C. The condition has the name of the status as its class, so that it can be caught.
nn_raise <- function(status, message) {
  stop(errorCondition(message, class = c(status, "nnpost_error"), call = users_call()))
}

# The call to this package that the user made.
users_call <- function() {
  for (i in seq_len(sys.nframe()))
    if (identical(topenv(environment(sys.function(i))), topenv())) return(sys.call(i))
  NULL
}

interrupted <- function(message) {
  stop(errorCondition(message, class = "nn_interrupted", call = users_call()))
}

# bad("x", "it has 3 columns", "4"): an error in the library's style.
bad <- function(argument, found, expected, status = "NNP_E_VALUE") {
  nn_raise(status, paste0(argument, ": ", found, ", expected ", expected))
}

# What other packages call it.
foreign_names <- c(iter = "draws", n_iter = "draws", samples = "draws", burnin = "warmup",
                   tune = "warmup", cores = "threads", n_jobs = "threads", random_state = "seed",
                   layers = "hidden", units = "hidden", size = "hidden", adapt_delta = "target",
                   family = "head")

# The known name a user may have meant, or NULL: what other packages call so, an abbreviation, or at
# most two letters, or a third of them, wrong.
nearest <- function(name, known) {
  known <- setdiff(known, "...")
  if (!length(known) || is.na(name) || !nzchar(name)) return(NULL)
  if (isTRUE(foreign_names[name] %in% known)) return(foreign_names[[name]])
  begins <- known[startsWith(known, name)]
  if (length(begins)) return(begins[1L])
  distance <- utils::adist(name, known, ignore.case = TRUE)[1L, ]
  if (min(distance) <= max(if (nchar(name) < 4L) 1 else 2, nchar(name) %/% 3))
    known[which.min(distance)]
}

# Stops at an unknown argument, naming it and the one that may have been meant.
bad_argument <- function(name, what, known, status = "NNP_E_VALUE") {
  if (is.null(name) || is.na(name) || !nzchar(name))
    nn_raise(status, paste0("an argument without a name: ", what, " has no place for it, expected ",
                            paste(known, collapse = ", ")))
  meant <- nearest(name, known)
  nn_raise(status, paste0(name, ": ", what, " has no such argument, ", if (is.null(meant))
    paste("expected", paste(known, collapse = ", ")) else paste0("did you mean ", meant, "?")))
}

# For methods that have `...` only because their generic does: the method's own arguments are
# known.
no_others <- function(..., of, known) {
  if (...length() == 0L) return()
  names <- ...names()
  bad_argument(if (is.null(names)) "" else names[1L], paste0(of, "()"), setdiff(known, "..."))
}

# As match.arg, with an error in the library's style.
one_of <- function(value, choices) {
  argument <- deparse1(substitute(value))
  if (missing(choices)) {
    caller <- sys.parent()
    choices <- eval(formals(sys.function(caller))[[argument]], sys.frame(caller))
  }
  if (identical(value, choices)) return(choices[1L])
  at <- if (is.character(value) && length(value) == 1L) pmatch(value, choices)
  if (length(at) && !is.na(at)) return(choices[at])
  bad(argument, describe(value), paste("one of", paste(choices, collapse = ", ")))
}

# The number behind a name: constant("relu", "NNP_", "activation").
constant <- function(name, table, argument) {
  if (!is.character(name) || length(name) != 1L || is.na(name) || !name %in% names(table))
    bad(argument, describe(name), paste("one of", paste(names(table), collapse = ", ")))
  table[[name]]
}

describe <- function(value) {
  text <- paste(deparse(value, width.cutoff = 60L), collapse = " ")
  if (nchar(text) > 60) paste0(substr(text, 1, 57), "...") else text
}

is_count <- function(value, least = 1) {
  is.numeric(value) && length(value) == 1L && is.finite(value) && value >= least &&
    value == floor(value)
}

need_count <- function(value, argument, least = 1, most = 2^53) {
  if (!is_count(value, least) || value > most)
    bad(argument, describe(value),
        paste("a whole number from", least, "to", if (most == 2^53) "2^53" else format(most)))
  as.double(value)
}

activations <- list(
  identity = NNP_IDENTITY, relu = NNP_RELU, leaky_relu = NNP_LEAKY_RELU, abs = NNP_ABS,
  sign = NNP_SIGN, hard_tanh = NNP_HARD_TANH, tanh = NNP_TANH, softplus = NNP_SOFTPLUS,
  gelu = NNP_GELU
)
heads <- list(
  gaussian = NNP_GAUSSIAN, argmax = NNP_ARGMAX, sign = NNP_SIGN_HEAD, student_t = NNP_STUDENT_T,
  location_scale = NNP_LOCATION_SCALE
)
has_targets <- function(net) !is.null(net$head) && !.Call(nnr_head_labels, heads[[net$head]])
properties <- list(
  noise = NNP_NOISE, lambda_w = NNP_LAMBDA_W, lambda_b = NNP_LAMBDA_B, bias = NNP_BIAS,
  slope = NNP_SLOPE, collapse = NNP_COLLAPSE, freedom = NNP_FREEDOM
)
samplers <- list(gibbs = NNP_GIBBS, hmc = NNP_HMC, mala = NNP_MALA, nuts = NNP_NUTS)
posteriors <- list(intermediate = NNP_INTERMEDIATE, classical = NNP_CLASSICAL)
starts <- list(zero = NNP_START_ZERO, prior = NNP_START_PRIOR, small = NNP_START_SMALL,
               fit = NNP_START_FIT)

# All constants PREFIX*, as list(name = number) with what follows the prefix in small letters.
constants_like <- function(prefix, where = topenv()) {
  found <- grep(paste0("^", prefix), ls(where), value = TRUE)
  values <- mget(found, envir = where)
  names(values) <- tolower(substring(found, nchar(prefix) + 1L))
  values[order(unlist(values))]
}
chain_options <- constants_like("NNP_OPTION_", environment())
study_options <- constants_like("NNP_STUDY_", environment())
multistart_options <- constants_like("NNP_MULTISTART_", environment())
exchange_options <- list(replicas = NNP_EXCHANGE_REPLICAS, rounds = NNP_EXCHANGE_ROUNDS,
                         first_round = NNP_EXCHANGE_FIRST_ROUND, steps = NNP_EXCHANGE_STEPS)
move_kinds <- constants_like("NNP_MOVE_", environment())
move_kinds <- move_kinds[names(move_kinds) != "kinds"]
reasons <- constants_like("NNP_BECAUSE_", environment())

nn_build_info <- function() {
  lines <- strsplit(.Call(nnr_build_info), "\n")[[1]]
  parts <- regmatches(lines, regexpr(": ", lines), invert = TRUE)
  structure(vapply(parts, `[`, "", 2L), names = vapply(parts, `[`, "", 1L), class = "nn_build_info")
}

print.nn_build_info <- function(x, ...) {
  cat(paste0(format(paste0(names(x), ":")), " ", unclass(x), "\n"), sep = "")
  invisible(x)
}

# Numbers of options by name for C, one column each. NULL keeps the default.
option_matrix <- function(values, known, argument) {
  values <- values[!vapply(values, is.null, NA)]
  unknown <- setdiff(names(values), names(known))
  if (length(unknown) || is.null(names(values)))
    bad_argument(c(unknown, "")[1L], argument, names(known), "NNP_E_OPTION")
  for (name in names(values))
    if (!is.numeric(values[[name]]) || length(values[[name]]) != 1L || is.na(values[[name]]))
      bad(name, describe(values[[name]]), "one number")
  vapply(names(values), function(name) as.double(c(known[[name]], values[[name]])), c(0, 0))
}

# Default number of threads.
default_threads <- function() {
  threads <- getOption("nnpost.threads", getOption("mc.cores"))
  if (is.null(threads)) threads <- .Call(nnr_processors)
  limit <- tolower(Sys.getenv("_R_CHECK_LIMIT_CORES_"))
  if (nzchar(limit) && limit != "false") threads <- min(threads, 2L)
  max(1, min(threads, 256))
}

default_seed <- function() as.double(sample.int(.Machine$integer.max, 1L))

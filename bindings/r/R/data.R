# Converts R's matrices, arrays, data frames and factors for the library.

# Inputs without copying, with their number of rows and features. Only non-doubles are converted.
as_inputs <- function(x, argument = "x", empty = FALSE) {
  if (is.data.frame(x)) x <- data.matrix_strict(x, argument)
  if (!is.numeric(x) && !is.logical(x))
    bad(argument, paste("it is of type", typeof(x)), "numbers")
  if (!is.double(x)) storage.mode(x) <- "double"
  if (length(dim(x)) > 2L) x <- image_rows(x, argument)
  # a vector is a column: one feature
  n <- if (is.null(dim(x))) length(x) else dim(x)[1L]
  if (n == 0L && !empty) bad(argument, "it has no rows", "at least one", "NNP_E_SIZE")
  list(x = x, n = n, features = if (n > 0L) length(x) / n else ncol(x))
}

# [row, height, width, channel] to a matrix in the library's order, the width fastest.
image_rows <- function(x, argument) {
  extent <- dim(x)
  if (length(extent) > 4L)
    bad(argument, paste("it has", length(extent), "dimensions"),
        "a matrix, or an array [row, height, width, channel]", "NNP_E_SHAPE")
  names <- dimnames(x)[[1L]]
  x <- aperm(x, c(1L, 3L, 2L, if (length(extent) == 4L) 4L))
  matrix(x, extent[1L], dimnames = if (!is.null(names)) list(names, NULL))
}

data.matrix_strict <- function(x, argument) {
  odd <- names(x)[!vapply(x, function(column) is.numeric(column) || is.logical(column), NA)]
  if (length(odd))
    bad(argument, paste0("its column ", odd[1], " is not numeric"),
        "numbers; the formula interface makes dummy variables of factors")
  as.matrix(x)
}

# Targets of a head that has them, or labels with their levels.
as_targets <- function(y, net, outputs) {
  if (is.null(y)) bad("y", "it is missing", "targets or labels, one for each row", "NNP_E_NO_DATA")
  if (has_targets(net)) return(numeric_targets(y, outputs))
  switch(net$head, argmax = class_labels(y, outputs), sign = two_labels(y))
}

numeric_targets <- function(y, outputs) {
  if (is.data.frame(y)) y <- data.matrix_strict(y, "y")
  if (is.factor(y) || is.character(y))
    bad("y", "it has classes",
        "numbers; networks for classes end with nn_argmax() or nn_sign_head()")
  if (!is.numeric(y) && !is.logical(y)) bad("y", paste("it is of type", typeof(y)), "numbers")
  if (!is.double(y)) storage.mode(y) <- "double"
  columns <- if (is.null(dim(y))) 1 else ncol(y)
  if (columns != outputs)
    bad("y", paste("it has", columns, "columns"), paste("one for each of the", outputs, "targets"),
        "NNP_E_SHAPE")
  list(y = y, n = NROW(y), labels = NULL, levels = NULL)
}

class_labels <- function(y, outputs, levels = NULL) {
  y <- as_factor(y, levels)
  if (nlevels(y) > outputs)
    bad("y", paste("it has", nlevels(y), "classes"),
        paste("no more than the", outputs, "outputs of the network"), "NNP_E_LABEL")
  list(y = y, n = length(y), labels = as.integer(y) - 1L, levels = levels(y))
}

two_labels <- function(y, levels = NULL) {
  y <- as_factor(y, levels)
  if (nlevels(y) != 2L)
    bad("y", paste("it has", nlevels(y), "classes"), "two for nn_sign_head()", "NNP_E_LABEL")
  list(y = y, n = length(y), labels = 2L * as.integer(y) - 3L, levels = levels(y))
}

as_factor <- function(y, levels) {
  if (is.matrix(y) && ncol(y) == 1L) y <- y[, 1L]
  if (!is.null(dim(y))) bad("y", "it has several columns", "a factor", "NNP_E_SHAPE")
  if (is.numeric(y) && any(y != floor(y), na.rm = TRUE))
    bad("y", "it has values that are not whole", "a factor", "NNP_E_LABEL")
  if (!is.null(levels)) y <- factor(as.character(y), levels)
  if (!is.factor(y)) y <- factor(y)
  if (anyNA(y))
    bad("y", paste0("row ", which(is.na(y))[1], " has no class",
                    if (!is.null(levels)) " of the fit"),
        "a class in every row", "NNP_E_LABEL")
  y
}

# Labels of new rows, using the levels of a fit.
as_targets_of <- function(fit, y) {
  if (has_targets(fit$net)) return(numeric_targets(y, fit$outputs))
  switch(fit$net$head,
    argmax = class_labels(y, fit$outputs, fit$levels),
    sign = two_labels(y, fit$levels)
  )
}

# with_data(inputs, targets, outputs, code(handle)); targets may be NULL
with_data <- function(inputs, targets, outputs, code) {
  handle <- build_data(inputs, targets, outputs)
  on.exit(.Call(nnr_free, handle))
  code(handle)
}

build_data <- function(inputs, targets, outputs) {
  if (!is.null(targets) && targets$n != inputs$n)
    bad("y", paste("it has", targets$n, "rows"), paste("as many as x, which has", inputs$n),
        "NNP_E_SHAPE")
  numbers <- !is.null(targets) && is.null(targets$labels)
  tryCatch(
    .Call(nnr_data, as.double(c(inputs$n, inputs$features, if (numbers) outputs else 0)),
          inputs$x, if (numbers) targets$y, targets$labels),
    NNP_E_NOT_FINITE = function(e) {
      not_finite(inputs$x, "x")
      not_finite(targets$y, "y")
      stop(e)
    }
  )
}

# The library counts rows and columns from 0, R from 1.
not_finite <- function(values, argument) {
  first <- which(!is.finite(values))[1L]
  if (is.na(first)) return()
  n <- NROW(values)
  bad(argument, paste0("row ", (first - 1) %% n + 1, ", column ", (first - 1) %/% n + 1, " is ",
                       values[first]), "a finite number", "NNP_E_NOT_FINITE")
}

# ---- Units, offsets and weights -----------------------------------------------------------------

# A fit may scale its inputs and its response (fit$scaling), have an offset, and count rows more
# than once (fit$weights). The network sees (x - center) / scale, for classes times a matrix
# (scaling$x$matrix), and (y - offset - center) / scale.

network_inputs <- function(fit, inputs) {
  scaling <- fit$scaling$x
  if (is.null(scaling)) return(inputs)
  each <- function(values) rep(unname(values), each = inputs$n)
  inputs$x <- (inputs$x - each(scaling$center)) / each(scaling$scale)
  if (!is.null(scaling$matrix))
    inputs$x <- .Call(nnr_transform, matrix(inputs$x, inputs$n), scaling$matrix)
  inputs
}

network_targets <- function(fit, targets, offset) {
  if (!is.null(targets$labels)) return(targets)
  if (!is.null(offset)) targets$y <- targets$y - offset # the same for every column
  scaling <- fit$scaling$y
  if (is.null(scaling)) return(targets)
  each <- function(values) rep(unname(values), each = targets$n)
  targets$y <- (targets$y - each(scaling$center)) / each(scaling$scale)
  targets
}

# The rows chains are run on, repeated according to their weights.
training_data <- function(fit) {
  inputs <- network_inputs(fit, as_inputs(fit$x))
  targets <- network_targets(fit, as_targets_of(fit, fit$y), fit$offset)
  if (!is.null(fit$weights)) {
    at <- rep(seq_len(inputs$n), fit$weights)
    inputs <- list(x = matrix(inputs$x, inputs$n)[at, , drop = FALSE], n = length(at),
                   features = inputs$features)
    targets$n <- length(at)
    if (is.null(targets$labels)) targets$y <- as.matrix(targets$y)[at, , drop = FALSE] else
      targets$labels <- targets$labels[at]
  }
  build_data(inputs, targets, fit$outputs)
}

# Predictions values[level, output, row, ...] in the units of the response.
own_units <- function(fit, values, offset, levels = 1L, spread = FALSE) {
  scaling <- fit$scaling$y
  if (!is.null(scaling)) {
    values <- values * rep(unname(scaling$scale), each = levels)
    if (!spread) values <- values + rep(unname(scaling$center), each = levels)
  }
  if (is.null(offset) || spread) values else values + rep(offset, each = levels * fit$outputs)
}

# What is added to a log density for the units of the response.
log_unit <- function(fit) if (is.null(fit$scaling$y)) 0 else -sum(log(fit$scaling$y$scale))

# Weights count identical observations, so they must be whole. Any other power of a likelihood
# does not correspond to data.
need_weights <- function(weights, n) {
  if (is.null(weights)) return(NULL)
  if (!is.numeric(weights) || length(weights) != n)
    bad("weights", describe(weights), paste(n, "numbers, one for each row"), "NNP_E_SHAPE")
  odd <- which(is.na(weights) | weights < 0 | weights != floor(weights) | weights > 2^31)[1L]
  if (!is.na(odd))
    bad("weights", paste("row", odd, "has", weights[odd]),
        paste("whole numbers: how many observations a row stands for; other weights are not",
              "supported"), "NNP_E_UNSUPPORTED")
  if (sum(weights) == 0) bad("weights", "all are 0", "at least one that is not", "NNP_E_SIZE")
  if (all(weights == 1)) NULL else as.double(weights)
}

need_offset <- function(offset, n, net) {
  if (is.null(offset)) return(NULL)
  if (!has_targets(net))
    bad("offset", paste("the head is", net$head), "no offset for classes", "NNP_E_UNSUPPORTED")
  if (!is.numeric(offset) || length(offset) != n || !all(is.finite(offset)))
    bad("offset", describe(offset), paste(n, "finite numbers, one for each row"), "NNP_E_SHAPE")
  as.double(offset)
}

# The default priors suit inputs and targets of order 1.
warn_unscaled <- function(values, argument, labels = NULL) {
  values <- matrix(values, NROW(values))
  size <- sqrt(colMeans(values^2))
  if (!all(is.finite(size))) return() # for the library to refuse
  worst <- which.max(size)
  if (!length(worst) || (size[worst] <= 10 && (size[worst] >= 0.01 || size[worst] == 0))) return()
  name <- if (ncol(values) == 1L) argument else
    paste0(argument, ", column ", if (is.null(labels)) worst else labels[worst])
  warning(warningCondition(
    paste0(name, ": values of the order of ", format(size[worst], digits = 2), ", but the ",
           "default priors are made for values near 1: scale them, as scale() and nnpost() do"),
    class = "nnpost_unscaled", call = users_call()))
}

# ---- The formula interface ----------------------------------------------------------------------

model_inputs <- function(terms, frame, contrasts = NULL) {
  x <- stats::model.matrix(terms, frame, contrasts.arg = contrasts)
  used <- attr(x, "contrasts")
  x <- x[, colnames(x) != "(Intercept)", drop = FALSE] # layers have biases
  list(x = x, contrasts = used)
}

# Columns by name, if the fit has names and the new data have all of them.
named_columns <- function(fit, newdata) {
  wanted <- colnames(fit$x)
  if (is.null(wanted) || length(dim(newdata)) != 2L) return(newdata)
  lacking <- setdiff(wanted, colnames(newdata))
  if (!length(lacking)) return(newdata[, wanted, drop = FALSE])
  # A matrix with other names, or none, is taken by position if it is as wide.
  if (is.data.frame(newdata) || ncol(newdata) != length(wanted) || any(wanted %in% colnames(newdata)))
    bad("newdata", if (is.null(colnames(newdata)))
      paste("it has", ncol(newdata), "columns without names") else paste("it has no column", lacking[1L]),
      paste("the columns of x:", paste(wanted, collapse = ", ")), "NNP_E_SHAPE")
  newdata
}

# Inputs of new rows, prepared as for the fit, and their offset.
new_inputs <- function(fit, newdata) {
  if (is.null(newdata)) return(c(as_inputs(fit$x), list(offset = fit$offset)))
  if (NROW(newdata) == 0L)
    return(list(x = matrix(0, 0L, NCOL(fit$x)), n = 0L, features = NCOL(fit$x)))
  if (is.null(fit$terms)) {
    if (!is.null(fit$offset))
      bad("newdata", "the fit has an offset without a formula", "a fit by a formula with offset()",
          "NNP_E_UNSUPPORTED")
    inputs <- as_inputs(named_columns(fit, newdata), "newdata")
    features <- as_inputs(fit$x)$features
    if (inputs$features != features)
      bad("newdata", paste("it has", inputs$features, "columns"), paste("as many as x:", features),
          "NNP_E_SHAPE")
    return(inputs)
  }
  if (!is.data.frame(newdata))
    bad("newdata", paste("it is of class", class(newdata)[1]),
        "a data frame, as the fit was made by a formula")
  terms <- stats::delete.response(fit$terms)
  known_levels(fit, newdata)
  frame <- stats::model.frame(terms, newdata, na.action = stats::na.pass, xlev = fit$xlevels)
  if (!is.null(classes <- attr(terms, "dataClasses"))) stats::.checkMFClasses(classes, frame)
  inputs <- as_inputs(model_inputs(terms, frame, fit$contrasts)$x, "newdata")
  if (!is.null(fit$offset)) inputs$offset <- new_offset(fit, terms, frame, newdata)
  inputs
}

# offset() terms of the formula, and the argument of that name.
new_offset <- function(fit, terms, frame, newdata) {
  offset <- stats::model.offset(frame)
  if (!is.null(fit$call$offset)) {
    own <- eval(fit$call$offset, newdata, environment(terms))
    offset <- if (is.null(offset)) own else offset + own
  }
  if (length(offset) != nrow(newdata))
    bad("newdata", paste("its offset has", length(offset), "values"),
        paste0(nrow(newdata), ", one for each row"), "NNP_E_SHAPE")
  as.double(offset)
}

# Stops at the first level the fit has not seen.
known_levels <- function(fit, newdata) {
  for (name in intersect(names(fit$xlevels), names(newdata))) {
    values <- as.character(newdata[[name]])
    new <- setdiff(values[!is.na(values)], fit$xlevels[[name]])
    if (length(new))
      bad("newdata", paste0("row ", match(new[1L], values), ", column ", name, " is ",
                            describe(new[1L])),
          paste("a level of the fit:", paste(fit$xlevels[[name]], collapse = ", ")), "NNP_E_LABEL")
  }
}

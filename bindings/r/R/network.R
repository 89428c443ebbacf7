# Describing networks. A network is a plain list: it can be saved, compared and changed, and every
# step of a pipe gives a new one. The library builds and checks it each time.

DENSE <- 1
ACTIVATION <- 2
CONV2D <- 3
AVGPOOL <- 4
IMAGE <- 5 # no layer: only a new shape of the last site
MAXPOOL <- 6

# Steps applied to a network once it has its layers and its head, in this order: c(SET, layer,
# property, value), c(LEARN, layer, property, shape, mean), c(TIED, shape, mean, multiples) or
# c(FIX, layer, property).
SET <- 1
LEARN <- 2
TIED <- 3
FIX <- 4

nn_input <- function(features = NULL) {
  if (is.null(features)) return(new_net(NULL))
  if (!is.numeric(features) || !length(features) %in% 1:3)
    bad("features", describe(features), "a number, c(height, width) or c(height, width, channels)")
  # channels, height, width
  if (length(features) == 2L) features <- c(features, 1)
  checked(new_net(as.double(if (length(features) == 3L) features[c(3, 1, 2)] else features)))
}

new_net <- function(input) {
  structure(list(input = input, layers = list(), head = NULL,
                 properties = list()), class = "nn_net")
}

need_net <- function(net) {
  if (!inherits(net, "nn_net"))
    bad("net", paste("it is of class", class(net)[1]), "a network that begins with nn_input()")
}

# A network without a number of inputs gets that of the data.
complete <- function(net, inputs) {
  need_net(net)
  if (!is.null(net$input)) return(net)
  net$input <- as.double(inputs$features)
  checked(net)
}

# Builds it once, so that the library can check it. Without a number of inputs it has as many as
# its first image needs, or 1: sizes after the first dense layer do not depend on it.
checked <- function(net) {
  kinds <- vapply(net$layers, `[`, 0, 1L)
  if (!is.null(net$input)) {
    .Call(nnr_free, build_net(net))
  } else if (any(kinds %in% c(DENSE, IMAGE))) {
    first <- net$layers[[which(kinds %in% c(DENSE, IMAGE))[1L]]]
    .Call(nnr_free, build_net(net, if (first[1L] == IMAGE) prod(first[-1L]) else 1))
  }
  net
}

build_net <- function(net, inputs = NULL) {
  need_net(net)
  input <- if (is.null(net$input)) as.double(inputs) else net$input
  if (!length(input))
    bad("net", "its number of inputs is not known yet", "nn_input(features) with a number")
  head <- if (is.null(net$head)) NULL else heads[[net$head]]
  .Call(nnr_net, input, net$layers, head, net$properties)
}

# with_net(net, code(handle)): the handle is freed whatever happens.
with_net <- function(net, inputs, code) {
  handle <- build_net(net, inputs)
  on.exit(.Call(nnr_free, handle))
  code(handle)
}

# `more`: arguments that may be 0.
add_layer <- function(net, layer, ..., more = NULL) {
  need_net(net)
  for (value in layer[-1])
    if (!is_count(value)) bad("net", describe(value), "whole numbers from 1 as sizes of layers")
  layer <- c(layer, more)
  if (!is.null(net$head))
    nn_raise("NNP_E_HEAD_MISPLACED", paste0("net: it ends with its ", net$head,
                                            " head, expected layers before the head"))
  net$layers <- c(net$layers, list(as.double(layer)))
  set_properties(net, layer_count(net), list(...))
}

layer_count <- function(net) sum(vapply(net$layers, `[`, 0, 1L) != IMAGE)

set_properties <- function(net, layer, values) {
  values <- values[!vapply(values, is.null, NA)]
  for (name in names(values)) {
    value <- values[[name]]
    if (!(is.numeric(value) || is.logical(value)) || length(value) != 1L || is.na(value))
      bad(name, describe(value), "one number")
    net$properties <- c(net$properties, list(c(SET, layer, properties[[name]], value)))
  }
  checked(net)
}

nn_dense <- function(net, units, noise = NULL, lambda_w = NULL, lambda_b = NULL, bias = NULL) {
  add_layer(net, c(DENSE, units), bias = bias, noise = noise, lambda_w = lambda_w,
            lambda_b = lambda_b)
}

nn_conv2d <- function(net, filters, size, stride = 1, padding = 0, noise = NULL, lambda_w = NULL,
                      lambda_b = NULL, bias = NULL) {
  zeros <- vapply(rep_len(padding, 2L), need_count, 0, argument = "padding", least = 0)
  add_layer(net, c(CONV2D, filters, rep_len(size, 2L), rep_len(stride, 2L)), bias = bias,
            noise = noise, lambda_w = lambda_w, lambda_b = lambda_b, more = zeros)
}

nn_avgpool <- function(net, size, noise = NULL, collapse = NULL) {
  add_layer(net, c(AVGPOOL, rep_len(size, 2L)), noise = noise, collapse = collapse)
}

nn_maxpool <- function(net, size, noise = NULL) {
  add_layer(net, c(MAXPOOL, rep_len(size, 2L)), noise = noise)
}

nn_reshape <- function(net, height, width, channels = 1) {
  add_layer(net, c(IMAGE, channels, height, width))
}

nn_activation <- function(net, kind, noise = NULL, slope = NULL) {
  add_layer(net, c(ACTIVATION, constant(kind, activations, "kind")), noise = noise, slope = slope)
}

nn_identity <- function(net, noise = NULL) nn_activation(net, "identity", noise)
nn_relu <- function(net, noise = NULL) nn_activation(net, "relu", noise)
nn_leaky_relu <- function(net, slope = NULL, noise = NULL) {
  nn_activation(net, "leaky_relu", noise, slope)
}
nn_abs <- function(net, noise = NULL) nn_activation(net, "abs", noise)
nn_sign <- function(net, noise = NULL) nn_activation(net, "sign", noise)
nn_hard_tanh <- function(net, noise = NULL) nn_activation(net, "hard_tanh", noise)
nn_tanh <- function(net, noise = NULL) nn_activation(net, "tanh", noise)
nn_softplus <- function(net, noise = NULL) nn_activation(net, "softplus", noise)
nn_gelu <- function(net, noise = NULL) nn_activation(net, "gelu", noise)

add_head <- function(net, head, noise) {
  need_net(net)
  if (!is.null(net$head))
    nn_raise("NNP_E_SECOND_HEAD", paste0("head: the network already has the ", net$head,
                                         " head, expected one"))
  net$head <- head
  set_properties(net, layer_count(net), list(noise = noise))
}

nn_gaussian <- function(net, noise = NULL) add_head(net, "gaussian", noise)
nn_student_t <- function(net, freedom = 4, noise = NULL) {
  set_properties(add_head(net, "student_t", noise), NNP_HEAD, list(freedom = freedom))
}
nn_location_scale <- function(net) add_head(net, "location_scale", NULL)

nn_argmax <- function(net, noise = NULL) add_head(net, "argmax", noise)
nn_sign_head <- function(net, noise = NULL) add_head(net, "sign", noise)

nn_set <- function(net, ..., layer = NULL) {
  need_net(net)
  values <- list(...)
  # padding changes shapes: it is an argument of nn_conv2d
  known <- setdiff(names(properties), c("padding_y", "padding_x"))
  unknown <- setdiff(names(values), known)
  if (is.null(names(values)) || length(unknown)) bad_argument(c(unknown, "")[1L], "nn_set()", known)
  if (is.null(layer)) layer <- NNP_ALL_LAYERS
  if (is.character(layer)) layer <- nn_find_layer(net, layer)
  of_head <- names(values) == "freedom"
  for (k in if (all(of_head)) NULL else layer)
    net <- set_properties(net, need_count(k, "layer", 0), values[!of_head])
  if (any(of_head)) net <- set_properties(net, NNP_HEAD, values[of_head])
  net
}

learnable <- c("noise", "lambda_w", "lambda_b", "ard")

# Layers by number or by the names of their weights; NULL: all.
layer_numbers <- function(net, layer) {
  if (is.null(layer)) return(NNP_ALL_LAYERS)
  if (is.character(layer)) layer <- nn_find_layer(net, layer)
  vapply(layer, need_count, 0, argument = "layer", least = 1)
}

property_number <- function(what) {
  if (!is.character(what) || length(what) != 1L || !what %in% learnable)
    bad("what", describe(what), paste("one of", paste(learnable, collapse = ", ")))
  if (what == "ard") NNP_ARD else properties[[what]]
}

one_number <- function(value, name) {
  if (!is.numeric(value) || length(value) != 1L) bad(name, describe(value), "one number")
  as.double(value)
}

add_step <- function(net, step) {
  net$properties <- c(net$properties, list(as.double(step)))
  checked(net)
}

nn_learn <- function(net, what, layer = NULL, shape = 0, mean = 0) {
  need_net(net)
  number <- property_number(what)
  for (k in layer_numbers(net, layer))
    net <- add_step(net, c(LEARN, k, number, one_number(shape, "shape"), one_number(mean, "mean")))
  net
}

nn_learn_tied <- function(net, multiples = NULL, shape = 0, mean = 0) {
  need_net(net)
  if (!is.null(multiples) && (!is.numeric(multiples) || length(multiples) != layer_count(net)))
    bad("multiples", describe(multiples), paste(layer_count(net), "numbers, one for each layer"))
  add_step(net, c(TIED, one_number(shape, "shape"), one_number(mean, "mean"), multiples))
}

nn_fix <- function(net, what, layer = NULL) {
  need_net(net)
  number <- property_number(what)
  for (k in layer_numbers(net, layer)) net <- add_step(net, c(FIX, k, number))
  net
}

# One row for each learned scale of a layer.
nn_learned <- function(net) {
  with_net(net, NULL, function(handle)
    learned_scales(handle, .Call(nnr_net_info, handle)$layers))
}

learned_scales <- function(handle, layers) {
  rows <- list(data.frame(layer = numeric(), what = character(), shape = numeric(),
                          mean = numeric(), first = numeric(), count = numeric()))
  for (k in seq_len(layers)) for (what in learnable) {
    found <- .Call(nnr_net_learned, handle, k, property_number(what))
    if (!is.null(found))
      rows <- c(rows, list(data.frame(layer = k, what = what, shape = found[1], mean = found[2],
                                      first = found[3] + 1, count = found[4])))
  }
  do.call(rbind, rows)
}

nn_find_layer <- function(net, name) {
  if (!is.character(name) || !length(name) || anyNA(name))
    bad("name", describe(name), "names of weights or biases, such as \"W2\"")
  # names do not depend on the number of inputs
  with_net(net, 1, function(handle)
    vapply(name, function(one) .Call(nnr_net_find, handle, one), 0, USE.NAMES = FALSE))
}

# Temperature of the classical posterior: for classes 1 unless the noise D of the last layer was
# set, else 2D.
nn_temperature <- function(net) {
  # it does not depend on the number of inputs
  with_net(net, 1, function(handle) .Call(nnr_net_temperature, handle))
}

# Layers, parameters, outputs, latents per row and shapes.
net_info <- function(net, inputs = NULL) {
  with_net(net, inputs, function(handle) .Call(nnr_net_info, handle))
}

nn_parameters <- function(net) with_net(net, NULL, function(handle) .Call(nnr_net_names, handle))

format.nn_net <- function(x, n = 1, ...) {
  if (!is.null(x$input))
    return(with_net(x, NULL, function(handle) .Call(nnr_net_print, handle, n)))
  paste0("a network of ", layer_count(x), " layers",
         if (!is.null(x$head)) paste0(" and the ", x$head, " head"),
         ", for as many inputs as the data will have\n")
}

print.nn_net <- function(x, n = 1, ...) {
  cat(format(x, n, ...))
  invisible(x)
}

# Numbers of a network, known without building it in memory.
summary.nn_net <- function(object, ...) {
  info <- net_info(object)
  rownames(info$shapes) <- c("channels", "height", "width")
  colnames(info$shapes) <- paste0("site", seq_len(ncol(info$shapes)) - 1L)
  info
}

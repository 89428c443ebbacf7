# What the library recommends for tables of data: one network and one recipe for all languages.

# A network of dense layers for standardized data, with the scales that the library learns. head NULL:
# the recommended one for numbers.
nn_recommended <- function(features, outputs = 1, head = "gaussian", hidden = NULL,
                           activation = NULL, posterior = NULL, ard = FALSE, rows = 0) {
  features <- need_count(features, "features", 1)
  outputs <- need_count(outputs, "outputs", 1)
  rows <- need_count(rows, "rows", 0)
  if (!is.null(hidden) && (!is.numeric(hidden) || !all(vapply(hidden, is_count, NA))))
    bad("hidden", describe(hidden), "whole numbers: the units of each hidden layer")
  if (!isTRUE(ard) && !isFALSE(ard)) bad("ard", describe(ard), "TRUE or FALSE")
  kind <- if (is.null(head)) 0 else constant(head, heads, "head")
  model <- .Call(nnr_model, c(features, outputs, kind, rows),
                 if (!is.null(hidden)) as.double(hidden),
                 if (!is.null(activation)) constant(activation, activations, "activation"),
                 if (!is.null(posterior)) constant(posterior, posteriors, "posterior"), ard)
  on.exit(.Call(nnr_free, model$net))
  described(model, features, names(heads)[match(model$head, unlist(heads))])
}

# That network in R's representation: layers, and steps that set what is learned or fixed.
described <- function(model, features, head) {
  info <- .Call(nnr_net_info, model$net)
  net <- nn_input(features)
  for (units in model$hidden)
    net$layers <- c(net$layers, list(c(DENSE, units), c(ACTIVATION, model$activation)))
  net$layers <- c(net$layers, list(c(DENSE, prod(info$shapes[, ncol(info$shapes)]))))
  net$head <- head
  scales <- learned_scales(model$net, info$layers)
  noise <- scales[scales$what == "noise", ]
  if (nrow(noise) > 1L) { # one for all layers
    values <- vapply(seq_len(info$layers),
                     function(k) .Call(nnr_net_get, model$net, k, NNP_NOISE), numeric(1))
    multiples <- signif(values / values[info$layers], 12)
    net$properties <- list(c(TIED, noise$shape[1L], noise$mean[1L], multiples))
    scales <- scales[scales$what != "noise", ]
  }
  for (i in seq_len(nrow(scales))) {
    learn <- c(LEARN, scales$layer[i], property_number(scales$what[i]), scales$shape[i],
               scales$mean[i])
    net$properties <- c(net$properties, list(learn))
  }
  for (k in seq(1L, info$layers, 2L)) # precisions of biases that are fixed
    if (!any(scales$layer == k & scales$what == "lambda_b")) {
      fixed <- c(SET, k, NNP_LAMBDA_B, .Call(nnr_net_get, model$net, k, NNP_LAMBDA_B))
      net$properties <- c(net$properties, list(fixed))
    }
  checked(net)
}

# How to sample a network on this number of rows: list(sampler, posterior, start, chains, warmup,
# draws, thin, options), for nn_sample().
nn_recommend <- function(net, rows, posterior = NULL) {
  need_net(net)
  rows <- need_count(rows, "rows", 1)
  wanted <- if (is.null(posterior)) 0 else constant(posterior, posteriors, "posterior")
  recipe <- with_net(net, 1, function(handle) .Call(nnr_recommend, handle, rows, wanted))
  named <- function(number, table) names(table)[match(number, unlist(table))]
  recipe$sampler <- named(recipe$sampler, samplers)
  recipe$posterior <- named(recipe$posterior, posteriors)
  recipe$start <- named(recipe$start, starts)
  options <- recipe$options
  recipe$options <- stats::setNames(as.list(options[2L, ]), named(options[1L, ], chain_options))
  recipe
}

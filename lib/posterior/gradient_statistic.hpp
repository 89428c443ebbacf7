// The gradient statistic U of a layer: the gradient of the log density, averaged over the layer's
// weights, times the layer's noise. Its mean under the posterior is zero.
#pragma once

#include "lib/posterior/state.hpp"

namespace nnp {

// Number of doubles gradient_statistic needs for any layer of the network.
int64_t gradient_work_size(const Net &net);

// The index of layer `number` of the description in a network that may have fewer layers (see
// net_collapsed).
int64_t find_layer(const Net &net, int64_t number);
// Fails unless `number` is a layer of the description with weights.
Status check_gradient_layer(const Net &described, int64_t number, Error *err);

// U = D mean_{a,i} dlogP/dW_{a,i} of layer k, which has weights; intermediate noise posterior.
double gradient_statistic(State &state, int64_t k, double *work);

}  // namespace nnp

// The score statistic U of a layer: the gradient of the log density, averaged over the layer's
// weights, times the layer's noise. Its mean under the posterior is zero.
#pragma once

#include "lib/posterior/state.hpp"

namespace nnp {

// Doubles score_statistic needs for any layer of the network.
int64_t score_work_size(const Net &net);

// Where layer `number` of the description is in a network that may have fewer layers (see
// net_merged).
int64_t find_layer(const Net &net, int64_t number);
// A layer of the description that has weights?
Status check_score_layer(const Net &described, int64_t number, Error *err);

// U = D mean_{a,i} dlogP/dW_{a,i} of layer k, which has weights; intermediate noise posterior.
double score_statistic(State &state, int64_t k, double *work);

}  // namespace nnp

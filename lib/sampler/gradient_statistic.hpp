// The gradient statistic of a chain, whichever posterior it samples.
#pragma once

#include "lib/sampler/chain.hpp"

namespace nnp {

// U of layer k, which must have weights. work: gradient_work_size doubles.
double chain_gradient_statistic(Chain &chain, int64_t k, double *work);

}  // namespace nnp

// Describes saved draws in terms of the C API.
#pragma once

#include "capi/nnpost.h"
#include "lib/sampler/save_draws.hpp"

namespace nnp {

nnp_saved_draws saved_draws_of(const DrawsHeader &header);

}  // namespace nnp

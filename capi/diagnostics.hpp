// Options and findings of the thermalization test as they go through the C API.
#pragma once

#include "capi/nnpost.h"
#include "lib/diagnostics/criteria.hpp"

namespace nnp {

// Null leaves the defaults.
Status read_options(const nnp_thermalization_options *from, ThermalizationOptions *to, Error *err);
void write_verdict(const Thermalization &from, nnp_verdict *to);
void write_criteria(const CriteriaTimes &from, nnp_criteria_times *to);

}  // namespace nnp

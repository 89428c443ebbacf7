// Shared by the diagnostics of the C API: the caller's draws and workspaces, options and results of
// the thermalization test.
#pragma once

#include "capi/nnpost_diagnostics.h"
#include "lib/diagnostics/criteria.hpp"
#include "lib/diagnostics/sample.hpp"

namespace nnp {

// Draws in place; every chain must have at least `least`.
Status need_draws(const nnp_draws *draws, const char *name, int64_t least, Error *err);
SampleTable table_of(const nnp_draws &draws);
// The caller's workspace. SIZE_MAX bytes means more than memory can address.
Status need_work(const void *memory, size_t bytes, size_t needed, Error *err);
Status tell_bytes(size_t needed, size_t *bytes, Error *err);

// Null keeps the defaults.
Status read_options(const nnp_thermalization_options *from, ThermalizationOptions *to, Error *err);
void write_verdict(const Thermalization &from, nnp_verdict *to);
void write_criteria(const CriteriaTimes &from, nnp_criteria_times *to);

}  // namespace nnp

// Cross-validation and stacking of the C API.
#include <cmath>

#include "capi/common.hpp"
#include "capi/diagnostics.hpp"
#include "capi/nnpost_diagnostics.h"
#include "lib/diagnostics/loo.hpp"
#include "lib/diagnostics/stacking.hpp"

using namespace nnp;

namespace {

template <class Layout>
size_t bytes_of(Layout layout) {
  Arena counter;
  layout(counter);
  return counter.overflowed() ? SIZE_MAX : counter.used();
}

size_t loo_bytes(const SampleTable &table) {
  return bytes_of([&](Arena &arena) { loo_layout(arena, table.draws * table.chains); });
}

size_t stacking_bytes(int64_t rows, int64_t models) {
  return bytes_of([&](Arena &arena) { stacking_layout(arena, rows, models); });
}

size_t stack_chains_bytes(const SampleTable &table) {
  return bytes_of([&](Arena &arena) { chain_stacking_layout(arena, table); });
}

Status need_efficiency(const double *efficiency, int64_t rows, Error *e) {
  for (int64_t i = 0; efficiency && i < rows; ++i)
    if (!(efficiency[i] > 0) || !std::isfinite(efficiency[i]))
      return fail(e, Status::bad_value,
                  "efficiency: entry %lld is %g, expected a positive, finite number", ll(i),
                  efficiency[i]);
  return Status::ok;
}

Status need_elpd(const double *elpd, int64_t rows, int64_t models, Error *e) {
  for (int64_t i = 0; i < rows * models; ++i)
    if (!std::isfinite(elpd[i]))
      return fail(e, Status::not_finite,
                  "elpd: row %lld of model %lld is %g, expected a finite number", ll(i % rows),
                  ll(i / rows), elpd[i]);
  return Status::ok;
}

void write(const LooReport &from, nnp_loo_summary *to) {
  *to = nnp_loo_summary{};
  to->elpd = from.elpd;
  to->elpd_error = from.elpd_error;
  to->p_loo = from.p_loo;
  to->p_loo_error = from.p_loo_error;
  to->largest_k = from.largest_k;
  to->k_limit = from.k_limit;
  to->unreliable = from.unreliable;
}

void write(const StackingReport &from, nnp_stacking_summary *to) {
  *to = nnp_stacking_summary{};
  to->elpd = from.elpd;
  to->elpd_error = from.elpd_error;
  to->gap = from.gap;
  to->iterations = from.iterations;
}

}  // namespace

int32_t nnp_loo_bytes(const nnp_draws *log_lik, size_t *bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_draws(log_lik, "log_lik", 1, e));
    NNP_TRY(need(bytes, "bytes", e));
    return tell_bytes(loo_bytes(table_of(*log_lik)), bytes, e);
  });
}

int32_t nnp_loo(const nnp_draws *log_lik, const double *efficiency, double *elpd, double *pareto_k,
                nnp_loo_summary *out, void *memory, size_t bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_draws(log_lik, "log_lik", 1, e));
    NNP_TRY(need_efficiency(efficiency, log_lik->quantities, e));
    NNP_TRY(need(out, "out", e));
    const SampleTable table = table_of(*log_lik);
    NNP_TRY(need_work(memory, bytes, loo_bytes(table), e));
    Arena arena(memory, bytes);
    const LooWork work = loo_layout(arena, table.draws * table.chains);
    LooReport found;
    NNP_TRY(compute_loo(table, efficiency, work, elpd, pareto_k, &found, e));
    write(found, out);
    return Status::ok;
  });
}

int32_t nnp_stacking_bytes(int64_t rows, int64_t models, size_t *bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_size(rows, 1, max_size, "rows", e));
    NNP_TRY(need_size(models, 1, max_size, "models", e));
    NNP_TRY(need(bytes, "bytes", e));
    return tell_bytes(stacking_bytes(rows, models), bytes, e);
  });
}

int32_t nnp_stacking(const double *elpd, int64_t rows, int64_t models, double *weights,
                     nnp_stacking_summary *out, void *memory, size_t bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(elpd, "elpd", e));
    NNP_TRY(need_size(rows, 1, max_size, "rows", e));
    NNP_TRY(need_size(models, 1, max_size, "models", e));
    NNP_TRY(need(weights, "weights", e));
    NNP_TRY(need(out, "out", e));
    NNP_TRY(need_work(memory, bytes, stacking_bytes(rows, models), e));
    NNP_TRY(need_elpd(elpd, rows, models, e));
    Arena arena(memory, bytes);
    StackingReport found;
    compute_stacking({elpd, rows, models}, stacking_layout(arena, rows, models), weights, &found);
    write(found, out);
    return Status::ok;
  });
}

int32_t nnp_stack_chains_bytes(const nnp_draws *log_lik, size_t *bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_draws(log_lik, "log_lik", 1, e));
    NNP_TRY(need(bytes, "bytes", e));
    return tell_bytes(stack_chains_bytes(table_of(*log_lik)), bytes, e);
  });
}

int32_t nnp_stack_chains(const nnp_draws *log_lik, double *weights, nnp_stacking_summary *out,
                         void *memory, size_t bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_draws(log_lik, "log_lik", 1, e));
    NNP_TRY(need(weights, "weights", e));
    NNP_TRY(need(out, "out", e));
    const SampleTable table = table_of(*log_lik);
    NNP_TRY(need_work(memory, bytes, stack_chains_bytes(table), e));
    Arena arena(memory, bytes);
    const ChainStackingWork work = chain_stacking_layout(arena, table);
    ChainStackingReport found;
    NNP_TRY(stack_chains(table, work, weights, &found, e));
    write(found.mixture, out);
    out->largest_k = found.largest_k;
    out->k_limit = found.k_limit;
    out->unreliable = found.unreliable;
    return Status::ok;
  });
}

// Diagnostics of the C API: statistics of samples, thermalization, calibration.
#include <cmath>
#include <cstdio>
#include <type_traits>

#include "capi/diagnostics.hpp"
#include "capi/families.hpp"
#include "lib/diagnostics/block_rhat.hpp"
#include "lib/diagnostics/convergence.hpp"
#include "lib/diagnostics/criteria.hpp"
#include "lib/diagnostics/geweke.hpp"
#include "lib/diagnostics/rhat.hpp"
#include "lib/diagnostics/sbc.hpp"
#include "lib/diagnostics/statistics.hpp"
#include "lib/diagnostics/thermalization.hpp"

using namespace nnp;

namespace {

// ---- what comes in --------------------------------------------------------------------------

// Adds the distance that a stride reaches on either side of the first value; false if it exceeds
// int64_t.
bool add_span(int64_t stride, int64_t count, int64_t *low, int64_t *high) {
  int64_t span = 0;
  int64_t *side = stride < 0 ? low : high;
  return !__builtin_mul_overflow(stride, count - 1, &span) &&
         !__builtin_add_overflow(*side, span, side);
}

Status need_series(const nnp_series *series, const char *name, Error *e) {
  char field[48];
  NNP_TRY(need(series, name, e));
  NNP_TRY(need_unused(series->reserved, 4, name, e));
  std::snprintf(field, sizeof field, "%s->count", name);
  NNP_TRY(need_size(series->count, 1, max_size, field, e));
  std::snprintf(field, sizeof field, "%s->values", name);
  return need(series->values, field, e);
}

TimeSeries series_of(const nnp_series &s) {
  return {s.times, s.values, s.count};
}

Status need_positive(double value, const char *name, Error *e) {
  if (value > 0 && std::isfinite(value)) return Status::ok;
  return fail(e, Status::bad_value, "%s = %g: expected a positive, finite number", name, value);
}

// ---- what goes out --------------------------------------------------------------------------

void write(const Settling &from, nnp_settling *to) {
  *to = nnp_settling{};
  to->found = from.found;
  to->scale = number_of(from.scale);
  to->time = from.time;
  to->level = from.level;
  to->spread = from.spread;
  to->error = from.error;
  to->autocorrelation_time = from.autocorrelation_time;
}

static_assert(sizeof(BlockRhat) == 6 * sizeof(double) && std::is_standard_layout_v<BlockRhat>,
              "a block of R-hat is six numbers");

}  // namespace

namespace nnp {

// No value may be further away than memory reaches, nor may there be more values than memory holds:
// draws can share an address only if a stride is 0.
Status need_draws(const nnp_draws *draws, const char *name, int64_t least, Error *e) {
  char field[48];
  NNP_TRY(need(draws, name, e));
  const nnp_draws &d = *draws;
  std::snprintf(field, sizeof field, "%s->values", name);
  NNP_TRY(need(d.values, field, e));
  NNP_TRY(need_unused(d.reserved, 4, name, e));
  std::snprintf(field, sizeof field, "%s->quantities", name);
  NNP_TRY(need_size(d.quantities, 1, max_size, field, e));
  std::snprintf(field, sizeof field, "%s->draws", name);
  NNP_TRY(need_size(d.draws, least, max_size, field, e));
  std::snprintf(field, sizeof field, "%s->chains", name);
  NNP_TRY(need_size(d.chains, 1, max_size, field, e));
  int64_t low = 0, high = 0, span = 0, count = 0;
  if (add_span(d.quantity_stride, d.quantities, &low, &high) &&
      add_span(d.draw_stride, d.draws, &low, &high) &&
      add_span(d.chain_stride, d.chains, &low, &high) &&
      !__builtin_sub_overflow(high, low, &span) &&
      span <= INT64_MAX / static_cast<int64_t>(sizeof(double)) &&
      !__builtin_mul_overflow(d.quantities, d.draws, &count) &&
      !__builtin_mul_overflow(count, d.chains, &count))
    return Status::ok;
  return fail(e, Status::size_overflow,
              "%s: %lld quantities, %lld draws and %lld chains with strides %lld, %lld and %lld "
              "exceed the address space",
              name, ll(d.quantities), ll(d.draws), ll(d.chains), ll(d.quantity_stride),
              ll(d.draw_stride), ll(d.chain_stride));
}

SampleTable table_of(const nnp_draws &d) {
  return {d.values,          d.quantities,  d.draws,       d.chains,
          d.quantity_stride, d.draw_stride, d.chain_stride};
}

// Checks that the caller's workspace is large enough, and aligned.
Status need_work(const void *memory, size_t bytes, size_t needed, Error *e) {
  NNP_TRY(need(memory, "memory", e));
  if (needed == SIZE_MAX)
    return fail(e, Status::size_overflow,
                "draws: the workspace would need more bytes than memory can address");
  if (reinterpret_cast<uintptr_t>(memory) % alignof(double) != 0)
    return fail(e, Status::memory_misaligned, "memory: it is at %p, expected a multiple of %zu",
                memory, alignof(double));
  if (bytes < needed)
    return fail(e, Status::memory_too_small, "bytes = %zu: expected at least %zu", bytes, needed);
  return Status::ok;
}

Status tell_bytes(size_t needed, size_t *bytes, Error *e) {
  if (needed == SIZE_MAX)
    return fail(e, Status::size_overflow,
                "draws: the workspace would need more bytes than memory can address");
  *bytes = needed;
  return Status::ok;
}

Status read_options(const nnp_thermalization_options *from, ThermalizationOptions *to, Error *e) {
  if (!from) return Status::ok;
  Scale scale = Scale::automatic;
  NNP_TRY(take(from->scale, "options->scale", &scale, e));
  NNP_TRY(need_unused(&from->reserved_int, 1, "options", e));
  NNP_TRY(need_unused(from->reserved, 8, "options", e));
  NNP_TRY(need_positive(from->block_tolerance, "options->block_tolerance", e));
  NNP_TRY(need_positive(from->block_z, "options->block_z", e));
  NNP_TRY(need_positive(from->level_tolerance, "options->level_tolerance", e));
  NNP_TRY(need_positive(from->z, "options->z", e));
  NNP_TRY(need_positive(from->resolution, "options->resolution", e));
  if (!(from->merged_fraction >= 0 && from->merged_fraction < 1))
    return fail(e, Status::bad_value, "options->merged_fraction = %g: expected 0 or more, below 1",
                from->merged_fraction);
  *to = {scale,   from->block_tolerance, from->block_z,        from->level_tolerance,
         from->z, from->resolution,      from->merged_fraction};
  return Status::ok;
}

void write_verdict(const Thermalization &from, nnp_verdict *to) {
  *to = nnp_verdict{};
  to->verdict = number_of(from.verdict);
  to->because = number_of(from.reason);
  to->scale = number_of(from.scale);
  to->time = from.time;
  to->level = from.level;
  to->distance = from.distance;
  to->distance_error = from.distance_error;
  to->independent = from.independent;
  to->informed_time = from.informed_time;
  to->informed_level = from.informed_level;
  to->informed_spread = from.informed_spread;
  to->informed_error = from.informed_error;
  to->informed_autocorrelation_time = from.informed_autocorrelation_time;
}

void write_criteria(const CriteriaTimes &from, nnp_criteria_times *to) {
  to->teacher_student = from.teacher_student;
  to->stationarity = from.stationarity;
  to->gradient = from.gradient;
  to->rhat = from.rhat;
  write_verdict(from.verdict, &to->verdict);
}

}  // namespace nnp

// ---- statistics of a sample -----------------------------------------------------------------

int32_t nnp_draws_init(nnp_draws *draws, const double *values, int64_t quantities, int64_t count,
                       int64_t chains, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(draws, "draws", e));
    nnp_draws made = {values, quantities, count, chains, 1, quantities, 0, {}};
    if (__builtin_mul_overflow(quantities, count, &made.chain_stride))
      made.chain_stride = INT64_MAX;  // refused later, like the number itself
    NNP_TRY(need_draws(&made, "draws", 1, e));
    *draws = made;
    return Status::ok;
  });
}

const char *nnp_statistic_name(int32_t statistic) {
  Statistic which = Statistic::rhat;
  const bool known = take(statistic, "statistic", &which, nullptr) == Status::ok;
  return known ? statistic_name(which) : "unknown";
}

int32_t nnp_statistic_bytes(const nnp_draws *draws, size_t *bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_draws(draws, "draws", 1, e));
    NNP_TRY(need(bytes, "bytes", e));
    return tell_bytes(statistic_bytes(draws->draws, draws->chains), bytes, e);
  });
}

int32_t nnp_statistic(const nnp_draws *draws, int32_t statistic, double probability, double *out,
                      void *memory, size_t bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_draws(draws, "draws", 4, e));
    NNP_TRY(need(out, "out", e));
    Statistic which = Statistic::rhat;
    NNP_TRY(take(statistic, "statistic", &which, e));
    NNP_TRY(need_work(memory, bytes, statistic_bytes(draws->draws, draws->chains), e));
    Arena arena(memory, bytes);
    const StatisticWork work = statistic_layout(arena, draws->draws, draws->chains);
    return compute_statistic(table_of(*draws), which, probability, work, out, e);
  });
}

int32_t nnp_nested_rhat(const nnp_draws *draws, const int64_t *groups, double *out, void *memory,
                        size_t bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_draws(draws, "draws", 1, e));
    NNP_TRY(need(groups, "groups", e));
    NNP_TRY(need(out, "out", e));
    NNP_TRY(need_work(memory, bytes, statistic_bytes(draws->draws, draws->chains), e));
    Arena arena(memory, bytes);
    const StatisticWork work = statistic_layout(arena, draws->draws, draws->chains);
    return compute_nested_rhat(table_of(*draws), groups, work, out, e);
  });
}

int32_t nnp_convergence_bytes(const nnp_draws *functions, size_t *bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_draws(functions, "functions", 1, e));
    NNP_TRY(need(bytes, "bytes", e));
    return tell_bytes(convergence_bytes(table_of(*functions)), bytes, e);
  });
}

int32_t nnp_convergence_of(const nnp_draws *functions, nnp_convergence *out, void *memory,
                           size_t bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_draws(functions, "functions", 1, e));
    NNP_TRY(need(out, "out", e));
    const SampleTable table = table_of(*functions);
    NNP_TRY(need_work(memory, bytes, convergence_bytes(table), e));
    ConvergenceReport found;
    NNP_TRY(judge_convergence(table, memory, bytes, &found, e));
    *out = nnp_convergence{};
    out->verdict = number_of(found.verdict);
    out->rhat = found.rhat;
    out->ess_bulk = found.ess_bulk;
    out->ess_tail = found.ess_tail;
    out->ess_needed = found.ess_needed;
    out->worst = found.worst;
    return Status::ok;
  });
}

int32_t nnp_convergence_text(const nnp_convergence *convergence, char *buffer, size_t size,
                             nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(convergence, "convergence", e));
    NNP_TRY(need(buffer, "buffer", e));
    const nnp_convergence &c = *convergence;
    Convergence verdict = Convergence::undecided;
    NNP_TRY(take(c.verdict, "convergence->verdict", &verdict, e));
    const ConvergenceReport report = {verdict,    c.rhat,       c.ess_bulk,
                                      c.ess_tail, c.ess_needed, c.worst};
    const size_t needed = convergence_text(report, buffer, size);
    if (needed < size) return Status::ok;
    return fail(e, Status::buffer_too_small, "size = %zu: expected at least %zu", size, needed + 1);
  });
}

int32_t nnp_block_rhat_bytes(const nnp_draws *psi, int64_t length, int64_t *blocks, size_t *bytes,
                             nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_draws(psi, "psi", 2, e));
    NNP_TRY(need_size(psi->chains, 2, max_size, "psi->chains", e));
    NNP_TRY(need_size(length, 2, psi->draws, "length", e));
    NNP_TRY(need(blocks, "blocks", e));
    NNP_TRY(need(bytes, "bytes", e));
    *blocks = block_count(psi->draws, length);
    return tell_bytes(block_rhat_bytes(psi->quantities), bytes, e);
  });
}

int32_t nnp_block_rhat(const nnp_draws *psi, const double *times, int64_t length, double *out,
                       void *memory, size_t bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_draws(psi, "psi", 2, e));
    NNP_TRY(need_size(psi->chains, 2, max_size, "psi->chains", e));
    NNP_TRY(need(out, "out", e));
    NNP_TRY(need_work(memory, bytes, block_rhat_bytes(psi->quantities), e));
    return block_rhat(table_of(*psi), times, length, static_cast<double *>(memory),
                      reinterpret_cast<BlockRhat *>(out), e);
  });
}

// ---- thermalization -------------------------------------------------------------------------

int32_t nnp_thermalization_bytes(size_t *bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(bytes, "bytes", e));
    return tell_bytes(thermalization_bytes(), bytes, e);
  });
}

int32_t nnp_thermalization_defaults(nnp_thermalization_options *options, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(options, "options", e));
    const ThermalizationOptions initial;
    *options = nnp_thermalization_options{};
    options->scale = number_of(initial.scale);
    options->block_tolerance = initial.block_tolerance;
    options->block_z = initial.block_z;
    options->level_tolerance = initial.level_tolerance;
    options->z = initial.z;
    options->resolution = initial.resolution;
    options->merged_fraction = initial.merged_fraction;
    return Status::ok;
  });
}

int32_t nnp_thermalization(const nnp_series *informed, const nnp_series *others, int64_t count,
                           const nnp_thermalization_options *options, nnp_verdict *out,
                           void *memory, size_t bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    ThermalizationOptions chosen;
    NNP_TRY(need_series(informed, "informed", e));
    NNP_TRY(need_size(count, 1, max_size, "count", e));
    NNP_TRY(need(others, "others", e));
    NNP_TRY(need(out, "out", e));
    NNP_TRY(read_options(options, &chosen, e));
    NNP_TRY(need_work(memory, bytes, thermalization_bytes(), e));
    ScaleChoice choice;  // one scale for all chains, so that their levels can be compared
    for (int64_t k = -1; k < count; ++k) {
      char name[40];
      const nnp_series *series = k < 0 ? informed : others + k;
      std::snprintf(name, sizeof name, k < 0 ? "informed" : "others[%lld]", ll(k));
      NNP_TRY(need_series(series, name, e));
      NNP_TRY(check_series(series_of(*series), name, e));
      NNP_TRY(check_scale(series_of(*series), chosen.scale, name, e));
      choice.look_at(series_of(*series));
    }
    if (chosen.scale == Scale::automatic) chosen.scale = choice.scale();
    const LevelWork work = level_work(memory, bytes);
    for (int64_t k = 0; k < count; ++k) {
      Thermalization found;
      const TimeSeries other = series_of(others[k]);
      NNP_TRY(decide_thermalization(series_of(*informed), &other, 1, chosen, work, &found, e));
      write_verdict(found, out + k);
    }
    return Status::ok;
  });
}

int32_t nnp_verdict_text(const nnp_verdict *verdict, char *buffer, size_t size, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(verdict, "verdict", e));
    NNP_TRY(need(buffer, "buffer", e));
    const char *const undecided[] = {"too few samples", "the informed chain is not stationary yet",
                                     "it is still moving", "it has merged only lately",
                                     "too few independent values"};
    const nnp_verdict &v = *verdict;
    Verdict found = Verdict::undecided;
    Reason because = Reason::merged;
    NNP_TRY(take(v.verdict, "verdict->verdict", &found, e));
    if (found == Verdict::undecided) NNP_TRY(take(v.because, "verdict->because", &because, e));
    int length = 0;
    if (found == Verdict::thermalized)
      length = std::snprintf(buffer, size, "thermalized at t = %.3g (level %.3g, %.2g sd from %s)",
                             v.time, v.level, std::fabs(v.distance), "the informed one");
    else if (found == Verdict::not_thermalized)
      length = std::snprintf(buffer, size, "not thermalized (stuck at level %.3g, %.3g sd away)",
                             v.level, std::fabs(v.distance));
    else if (because >= Reason::too_short)
      length =
          std::snprintf(buffer, size, "undecided: run longer (%s)",
                        undecided[static_cast<int>(because) - static_cast<int>(Reason::too_short)]);
    else
      return fail(e, Status::bad_enum,
                  "verdict->because = %d: expected a reason to be undecided, "
                  "NNP_BECAUSE_TOO_SHORT to NNP_BECAUSE_TOO_FEW",
                  static_cast<int>(v.because));
    if (length < 0 || static_cast<size_t>(length) >= size)
      return fail(e, Status::buffer_too_small, "size = %zu: expected at least %d", size,
                  length + 1);
    return Status::ok;
  });
}

int32_t nnp_stationarity(const nnp_series *series, int32_t scale, nnp_settling *out, void *memory,
                         size_t bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_series(series, "series", e));
    Scale by = Scale::automatic;
    NNP_TRY(take(scale, "scale", &by, e));
    NNP_TRY(need(out, "out", e));
    NNP_TRY(need_work(memory, bytes, thermalization_bytes(), e));
    NNP_TRY(check_series(series_of(*series), "series", e));
    NNP_TRY(check_scale(series_of(*series), by, "series", e));
    write(stationarity(series_of(*series), by, level_work(memory, bytes)), out);
    return Status::ok;
  });
}

int32_t nnp_gradient_settling(const nnp_series *gradient, nnp_settling *out, void *memory,
                              size_t bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_series(gradient, "gradient", e));
    NNP_TRY(need(out, "out", e));
    NNP_TRY(need_work(memory, bytes, thermalization_bytes(), e));
    NNP_TRY(check_series(series_of(*gradient), "gradient", e));
    write(gradient_about_zero(series_of(*gradient), level_work(memory, bytes)), out);
    return Status::ok;
  });
}

int32_t nnp_rhat_settling(const nnp_series *rhat, double limit, nnp_settling *out, void *memory,
                          size_t bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_series(rhat, "rhat", e));
    NNP_TRY(need_positive(limit, "limit", e));
    NNP_TRY(need(out, "out", e));
    NNP_TRY(need_work(memory, bytes, thermalization_bytes(), e));
    NNP_TRY(check_times(series_of(*rhat), "rhat", e));
    write(rhat_settled(series_of(*rhat), limit, level_work(memory, bytes)), out);
    return Status::ok;
  });
}

int32_t nnp_criteria(const nnp_criteria_series *series, const nnp_thermalization_options *options,
                     double rhat_limit, nnp_criteria_times *out, void *memory, size_t bytes,
                     nnp_error *err) {
  return guarded(err, [&](Error *e) {
    ThermalizationOptions chosen;
    NNP_TRY(need(series, "series", e));
    NNP_TRY(need_series(&series->informed, "series->informed", e));
    NNP_TRY(need_series(&series->other, "series->other", e));
    if (series->gradient.count != 0) NNP_TRY(need_series(&series->gradient, "series->gradient", e));
    if (series->rhat.count != 0) NNP_TRY(need_series(&series->rhat, "series->rhat", e));
    NNP_TRY(read_options(options, &chosen, e));
    NNP_TRY(need_positive(rhat_limit, "rhat_limit", e));
    NNP_TRY(need(out, "out", e));
    NNP_TRY(need_work(memory, bytes, thermalization_bytes(), e));
    CriteriaTimes times = {};
    const CriteriaSeries all = {series_of(series->informed), series_of(series->other),
                                series_of(series->gradient), series_of(series->rhat)};
    NNP_TRY(compare_criteria(all, chosen, rhat_limit, level_work(memory, bytes), &times, e));
    write_criteria(times, out);
    return Status::ok;
  });
}

// ---- calibration ----------------------------------------------------------------------------

int32_t nnp_sbc_ranks(const double *truth, const nnp_draws *posterior, const double *ties,
                      int64_t *ranks, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(truth, "truth", e));
    NNP_TRY(need_draws(posterior, "posterior", 1, e));
    NNP_TRY(need(ranks, "ranks", e));
    return sbc_ranks(truth, table_of(*posterior), ties, ranks, e);
  });
}

int32_t nnp_sbc_histogram(const int64_t *ranks, int64_t quantities, int64_t replications,
                          int64_t max_rank, int64_t bins, int64_t *counts, double *p_values,
                          nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(ranks, "ranks", e));
    NNP_TRY(need_size(quantities, 1, max_size, "quantities", e));
    NNP_TRY(need_size(replications, 1, max_size, "replications", e));
    NNP_TRY(need_size(max_rank, 1, max_size, "max_rank", e));
    NNP_TRY(need_size(bins, 2, 1 << 20, "bins", e));
    NNP_TRY(need(counts, "counts", e));
    for (int64_t q = 0; q < quantities; ++q) {
      int64_t *own = counts + q * bins;
      NNP_TRY(sbc_histogram(ranks + q, replications, quantities, max_rank, bins, own, e));
      if (p_values) p_values[q] = sbc_pvalue(own, bins, max_rank);
    }
    return Status::ok;
  });
}

int32_t nnp_geweke_bytes(const nnp_draws *alternating, const nnp_draws *prior, size_t *bytes,
                         nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_draws(alternating, "alternating", 6, e));
    if (prior) NNP_TRY(need_draws(prior, "prior", 6, e));
    NNP_TRY(need(bytes, "bytes", e));
    return tell_bytes(
        geweke_bytes(table_of(*alternating), prior ? table_of(*prior) : SampleTable{}), bytes, e);
  });
}

int32_t nnp_geweke_draws(const nnp_draws *alternating, const nnp_draws *prior, double *z,
                         double *p_value, void *memory, size_t bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_draws(alternating, "alternating", 6, e));
    NNP_TRY(need_draws(prior, "prior", 6, e));
    NNP_TRY(need(z, "z", e));
    const SampleTable a = table_of(*alternating), b = table_of(*prior);
    NNP_TRY(need_work(memory, bytes, geweke_bytes(a, b), e));
    Arena arena(memory, bytes);
    NNP_TRY(geweke_against_draws(a, b, geweke_layout(arena, a, b), z, e));
    if (p_value) *p_value = geweke_pvalue(z, 2 * a.quantities);
    return Status::ok;
  });
}

int32_t nnp_geweke_moments(const nnp_draws *alternating, const double *mean,
                           const double *second_moment, double *z, double *p_value, void *memory,
                           size_t bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_draws(alternating, "alternating", 6, e));
    NNP_TRY(need(mean, "mean", e));
    NNP_TRY(need(second_moment, "second_moment", e));
    NNP_TRY(need(z, "z", e));
    const SampleTable a = table_of(*alternating);
    NNP_TRY(need_work(memory, bytes, geweke_bytes(a, SampleTable{}), e));
    Arena arena(memory, bytes);
    NNP_TRY(geweke_against_moments(a, mean, second_moment, geweke_layout(arena, a, SampleTable{}),
                                   z, e));
    if (p_value) *p_value = geweke_pvalue(z, 2 * a.quantities);
    return Status::ok;
  });
}

// Multistarts and twins of the C API.
#include "lib/study/multistart.hpp"
#include "lib/base/text.hpp"

#include <cmath>
#include <limits>

#include "capi/diagnostics.hpp"
#include "capi/families.hpp"
#include "lib/study/twin.hpp"

namespace nnp {

struct MultistartObject {
  Multistart *multistart;
};

struct TwinObject {
  Twin *twin;
};

// A run of a multistart or a twin, and its progress callback.
template <class What>
struct WatchedRun {
  const What *what;
  nnp_multistart_callback callback;
  void *user;
};

static MultistartObject *unwrap(nnp_multistart *multistart) {
  return reinterpret_cast<MultistartObject *>(multistart);
}
static const MultistartObject *unwrap(const nnp_multistart *multistart) {
  return reinterpret_cast<const MultistartObject *>(multistart);
}
static TwinObject *unwrap(nnp_twin *twin) {
  return reinterpret_cast<TwinObject *>(twin);
}
static const TwinObject *unwrap(const nnp_twin *twin) {
  return reinterpret_cast<const TwinObject *>(twin);
}

}  // namespace nnp

using namespace nnp;

namespace {

// A chain and its twin are said to agree up to this many standard deviations of the twin's error.
constexpr double agreeing_distance = 2;

StudyMember member_of(nnp_chain *chain) {
  ChainObject &object = *unwrap(chain);
  return object.member();
}

bool same_network(const Net &a, const Net &b) {
  return a.param_count() == b.param_count();
}

Status check_new(const void *out, const char *name, nnp_chain *const *chains, int64_t count,
                 Error *e) {
  NNP_TRY(need(out, name, e));
  return check_group({chains, count, 1, same_network, "a multistart"}, e);
}

auto layout_for(nnp_multistart **multistart, nnp_chain *const *chains, int64_t count) {
  return [=](Arena &arena) {
    MultistartObject *object = arena.take<MultistartObject>(1);
    StudyMember *members = arena.take<StudyMember>(count);
    for (int64_t c = 0; c < count && members; ++c) members[c] = member_of(chains[c]);
    Multistart *made = multistart_layout(arena, members, count);
    if (!object) return;
    *object = MultistartObject{made};
    *multistart = reinterpret_cast<nnp_multistart *>(object);
  };
}

auto layout_for(nnp_twin **twin, nnp_chain *chain) {
  return [=](Arena &arena) {
    TwinObject *object = arena.take<TwinObject>(1);
    Twin *made = twin_layout(arena, member_of(chain));
    if (!object) return;
    *object = TwinObject{made};
    *twin = reinterpret_cast<nnp_twin *>(object);
  };
}

Status check_twin(const void *out, const char *name, const nnp_chain *chain, Error *e) {
  NNP_TRY(need(out, name, e));
  NNP_TRY(need(chain, "chain", e));
  NNP_TRY(need_own_rows(chain, "a twin", e));
  return twin_check(*unwrap(chain)->chain, e);
}

// ---- progress --------------------------------------------------------------------------------

int32_t multistart_progress(void *context) {
  const auto &run = *static_cast<const WatchedRun<Multistart> *>(context);
  const Multistart &t = *run.what;
  nnp_multistart_progress state = {};
  state.steps = static_cast<int64_t>(t.option(MultistartOption::steps));
  state.best = t.best;
  for (int64_t c = 0; c < t.count; ++c)
    state.done += (t.best < 0 ? t.tracks[c] : t.attempts[c].track).lane.steps_done();
  return run.callback(&state, run.user);
}

int32_t twin_progress(void *context) {
  const auto &run = *static_cast<const WatchedRun<Twin> *>(context);
  nnp_multistart_progress state = {};
  state.best = -1;
  for (const Track &track : run.what->tracks) {
    state.done += track.lane.steps_done();
    state.steps += track.lane.goal;
  }
  return run.callback(&state, run.user);
}

// ---- reports ---------------------------------------------------------------------------------

Status check_over(const nnp_multistart *multistart, Error *e) {
  NNP_TRY(need(multistart, "multistart", e));
  if (unwrap(multistart)->multistart->best >= 0) return Status::ok;
  return fail(e, Status::not_started,
              "multistart: it has not run, expected nnp_multistart_run first");
}

Status check_decided(const nnp_twin *twin, Error *e) {
  NNP_TRY(need(twin, "twin", e));
  if (unwrap(twin)->twin->decided) return Status::ok;
  return fail(e, Status::not_started,
              "twin: it has not finished a run, expected nnp_twin_run first");
}

nnp_attempt report_of(const Attempt &t) {
  nnp_attempt out = {};
  out.error = t.rank > 0 ? t.error : std::numeric_limits<double>::quiet_NaN();
  out.rank = t.rank;
  out.steps = t.track.lane.done;
  out.annealed = t.annealed ? 1 : 0;
  return out;
}

const char *start_name(const Attempt &t) {
  return t.annealed ? "annealed" : "zero";
}

}  // namespace

// ---- multistart ------------------------------------------------------------------------------

int32_t nnp_multistart_create(nnp_multistart **multistart, nnp_chain *const *chains,
                              int64_t chain_count, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_new(multistart, "multistart", chains, chain_count, e));
    return build_on_heap(layout_for(multistart, chains, chain_count), e);
  });
}

void nnp_multistart_free(nnp_multistart *multistart) {
  nnp::free_block(multistart);
}

int32_t nnp_multistart_bytes(nnp_chain *const *chains, int64_t chain_count, size_t *bytes,
                             nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_new(bytes, "bytes", chains, chain_count, e));
    return count_bytes(layout_for(nullptr, chains, chain_count), bytes, e);
  });
}

int32_t nnp_multistart_init(nnp_multistart **multistart, void *memory, size_t bytes,
                            nnp_chain *const *chains, int64_t chain_count, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_new(multistart, "multistart", chains, chain_count, e));
    return build_in(memory, bytes, layout_for(multistart, chains, chain_count), e);
  });
}

int32_t nnp_multistart_set(nnp_multistart *multistart, int32_t option, double value,
                           nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(multistart, "multistart", e));
    MultistartOption which = MultistartOption::steps;
    NNP_TRY(take(option, "option", &which, e));
    return multistart_set(*unwrap(multistart)->multistart, which, value, e);
  });
}

int32_t nnp_multistart_get(const nnp_multistart *multistart, int32_t option, double *value,
                           nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(multistart, "multistart", e));
    MultistartOption which = MultistartOption::steps;
    NNP_TRY(take(option, "option", &which, e));
    NNP_TRY(need(value, "value", e));
    *value = unwrap(multistart)->multistart->option(which);
    return Status::ok;
  });
}

int32_t nnp_multistart_run(nnp_multistart *multistart, uint64_t seed,
                           nnp_multistart_callback callback, void *user, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(multistart, "multistart", e));
    Multistart &what = *unwrap(multistart)->multistart;
    WatchedRun<Multistart> run = {&what, callback, user};
    TrackHooks hooks;
    hooks.progress = callback ? multistart_progress : nullptr;
    hooks.context = &run;
    return multistart_run(what, seed, hooks, e);
  });
}

int32_t nnp_multistart_report(const nnp_multistart *multistart, int64_t chain, nnp_attempt *out,
                              nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(multistart, "multistart", e));
    NNP_TRY(need(out, "out", e));
    const Multistart &t = *unwrap(multistart)->multistart;
    NNP_TRY(need_index(chain, 0, t.count - 1, "chain", e));
    *out = report_of(t.attempts[chain]);
    return Status::ok;
  });
}

int32_t nnp_multistart_best(const nnp_multistart *multistart, int64_t *chain, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_over(multistart, e));
    NNP_TRY(need(chain, "chain", e));
    *chain = unwrap(multistart)->multistart->best;
    return Status::ok;
  });
}

int32_t nnp_multistart_print(const nnp_multistart *multistart, char *buffer, size_t size,
                             nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_over(multistart, e));
    NNP_TRY(need(buffer, "buffer", e));
    const Multistart &t = *unwrap(multistart)->multistart;
    Text text = {buffer, size, 0};
    text.add("%4s %6s %7s %15s %12s\n", "rank", "chain", "start", "training error", "steps");
    for (int64_t i = 0; i < t.count; ++i) {
      const Attempt &one = t.attempts[t.order[i]];
      text.add("%4lld %6lld %7s %15.4g %12lld\n", ll(one.rank), ll(t.order[i]), start_name(one),
               one.error, ll(one.track.lane.done));
    }
    return text.finish(e);
  });
}

// ---- twins -------------------------------------------------------------------------------------

int32_t nnp_twin_create(nnp_twin **twin, nnp_chain *chain, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_twin(twin, "twin", chain, e));
    return build_on_heap(layout_for(twin, chain), e);
  });
}

void nnp_twin_free(nnp_twin *twin) {
  nnp::free_block(twin);
}

int32_t nnp_twin_bytes(nnp_chain *chain, size_t *bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_twin(bytes, "bytes", chain, e));
    return count_bytes(layout_for(nullptr, chain), bytes, e);
  });
}

int32_t nnp_twin_init(nnp_twin **twin, void *memory, size_t bytes, nnp_chain *chain,
                      nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_twin(twin, "twin", chain, e));
    return build_in(memory, bytes, layout_for(twin, chain), e);
  });
}

int32_t nnp_twin_run(nnp_twin *twin, int64_t steps, int32_t noisy, uint64_t seed,
                     nnp_multistart_callback callback, void *user, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(twin, "twin", e));
    Twin &what = *unwrap(twin)->twin;
    Status given = need_size(steps, 64, max_size, "steps", e);
    if (given == Status::ok) given = need_flag(noisy, "noisy", e);
    NNP_TRY(refuse(what.tracks[0].member.chain->comm, given, e));
    WatchedRun<Twin> run = {&what, callback, user};
    TrackHooks hooks;
    hooks.progress = callback ? twin_progress : nullptr;
    hooks.context = &run;
    return twin_run(what, steps, noisy == 1, seed, hooks, e);
  });
}

int32_t nnp_twin_report(const nnp_twin *twin, nnp_verdict *out, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_decided(twin, e));
    NNP_TRY(need(out, "out", e));
    write_verdict(unwrap(twin)->twin->found, out);
    return Status::ok;
  });
}

int32_t nnp_twin_text(const nnp_twin *twin, char *buffer, size_t size, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_decided(twin, e));
    NNP_TRY(need(buffer, "buffer", e));
    const Thermalization &found = unwrap(twin)->twin->found;
    const double distance = std::fabs(found.distance);
    Text text = {buffer, size, 0};
    text.add("training error %.3g, its twin in equilibrium has %.3g: ", found.level,
             found.informed_level);
    if (found.verdict == Verdict::thermalized && distance <= agreeing_distance)
      text.add("they agree (%.2g sd apart), no sign of being stuck", distance);
    else if (found.verdict == Verdict::thermalized)
      text.add(
          "%.2g sd apart, within chance and the effect of other labels: no sign of being stuck",
          distance);
    else if (found.verdict == Verdict::undecided)
      text.add("undecided (%.2g sd apart), run longer", distance);
    else if (found.distance > 0)
      text.add("stuck %.3g sd above, weights that fit better exist: start elsewhere", distance);
    else
      text.add("%.3g sd below, the labels have less noise than the model says", distance);
    return text.finish(e);
  });
}

int32_t nnp_twin_series(const nnp_twin *twin, int64_t which, nnp_series *out, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(twin, "twin", e));
    NNP_TRY(need_index(which, 0, 1, "which", e));
    NNP_TRY(need(out, "out", e));
    const TimeSeries series = unwrap(twin)->twin->tracks[which].series();
    *out = {series.t, series.x, series.n, {}};
    return Status::ok;
  });
}

// Thermalization studies of the C API.
#include "lib/study/study.hpp"
#include "lib/base/text.hpp"

#include <cmath>

#include "capi/diagnostics.hpp"
#include "capi/families.hpp"

namespace nnp {

struct StudyObject {
  Study *study;
  nnp_chain **chains;
  nnp_test_function function;
  void *function_user;
};

// A run of a study, and its progress callback.
struct StudyRun {
  StudyObject *object;
  nnp_study_callback callback;
  void *user;
};

static StudyObject *unwrap(nnp_study *study) {
  return reinterpret_cast<StudyObject *>(study);
}
static const StudyObject *unwrap(const nnp_study *study) {
  return reinterpret_cast<const StudyObject *>(study);
}

}  // namespace nnp

using namespace nnp;

namespace {

StudyMember member_of(nnp_chain *chain) {
  ChainObject &object = *unwrap(chain);
  return object.member();
}

constexpr int64_t most_chains = 4096;

Status check_new(const void *out, const char *name, nnp_chain *const *chains, int64_t count,
                 const nnp_data *test, int64_t capacity, Error *e) {
  NNP_TRY(need(out, name, e));
  NNP_TRY(need(chains, "chains", e));
  NNP_TRY(need_size(count, 2, most_chains, "chain_count", e));
  NNP_TRY(need_size(capacity, fewest_study_samples, max_size, "capacity", e));
  for (int64_t c = 0; c < count; ++c) NNP_TRY(need(chains[c], "chains: an entry", e));
  for (int64_t c = 0; c < count; ++c) NNP_TRY(need_own_rows(chains[c], "a study", e));
  for (int64_t c = 0; c < count; ++c)
    for (int64_t other = 0; other < c; ++other)
      if (chains[c] == chains[other])
        return fail(e, Status::bad_value, "chains: entries %lld and %lld are the same chain",
                    ll(other), ll(c));
  for (int64_t c = 0; c < count; ++c)
    NNP_TRY(study_check(member_of(chains[0]), member_of(chains[c]), c, unwrap(test), e));
  return Status::ok;
}

auto layout_for(nnp_study **study, nnp_chain *const *chains, int64_t count, const nnp_data *test,
                int64_t capacity) {
  return [=](Arena &arena) {
    StudyObject *object = arena.take<StudyObject>(1);
    StudyMember *members = arena.take<StudyMember>(count);
    nnp_chain **own = arena.take<nnp_chain *>(count);
    for (int64_t c = 0; c < count && own; ++c) {
      own[c] = chains[c];
      members[c] = member_of(chains[c]);
    }
    const int64_t outputs = unwrap(chains[0])->chain->state.net.targets();
    Study *made = study_layout(arena, members, count, unwrap(test), outputs, capacity);
    if (!object) return;
    *object = StudyObject{made, own, nullptr, nullptr};
    *study = reinterpret_cast<nnp_study *>(object);
  };
}

// ---- callbacks from the core -----------------------------------------------------------------

Status measure(void *context, int64_t chain, double *value, Error *e) {
  const StudyObject &object = *static_cast<const StudyRun *>(context)->object;
  const int32_t status = object.function(object.chains[chain], value, object.function_user);
  if (status == NNP_OK) return Status::ok;
  return fail(e, static_cast<Status>(status),
              "function: it returned %d for chain %lld after %lld steps", static_cast<int>(status),
              ll(chain), ll(object.study->chains[chain].lane.done));
}

double share_of(const Study &s) {
  const double steps = s.option(StudyOption::steps), seconds = s.option(StudyOption::seconds);
  const double done = static_cast<double>(study_progress(s));
  const double of_steps = steps > 0 ? done / steps : 0;
  const double of_seconds = seconds > 0 ? s.seconds / seconds : 0;
  return std::fmin(1, std::fmax(of_steps, of_seconds));
}

nnp_study_progress state_of(const Study &s) {
  nnp_study_progress state = {};
  state.steps = study_progress(s);
  state.samples = s.samples;
  state.blocks = s.rhat.count;
  state.decided = study_decided(s);
  state.share = share_of(s);
  state.seconds = s.seconds;
  state.ended = number_of(s.ended);
  return state;
}

int32_t progress(void *context) {
  const StudyRun &run = *static_cast<const StudyRun *>(context);
  const nnp_study_progress state = state_of(*run.object->study);
  return run.callback(reinterpret_cast<const nnp_study *>(run.object), &state, run.user);
}

// ---- checks ----------------------------------------------------------------------------------

Status check_not_begun(const nnp_study *study, const char *what, Error *e) {
  NNP_TRY(need(study, "study", e));
  if (!unwrap(study)->study->begun) return Status::ok;
  return fail(e, Status::bad_option,
              "%s: the study has begun, expected to be set before its first run", what);
}

Status check_chain(const nnp_study *study, int64_t chain, int64_t least, Error *e) {
  NNP_TRY(need(study, "study", e));
  return need_index(chain, least, unwrap(study)->study->chain_count - 1, "chain", e);
}

// ---- the table -------------------------------------------------------------------------------

void add_time(Text &text, double time) {
  if (std::isnan(time))
    text.add(" %15s", "-");
  else
    text.add(" %15.3g", time);
}

void add_row(Text &text, const Study &s, int64_t c) {
  nnp_criteria_times times;
  char verdict[200];
  write_criteria(s.chains[c].report, &times);
  nnp_verdict_text(&times.verdict, verdict, sizeof verdict, nullptr);
  text.add("%5lld", ll(c));
  add_time(text, times.teacher_student);
  add_time(text, times.stationarity);
  add_time(text, times.gradient);
  add_time(text, times.rhat);
  text.add("  %s\n", verdict);
}

}  // namespace

int32_t nnp_study_create(nnp_study **study, nnp_chain *const *chains, int64_t chain_count,
                         const nnp_data *test, int64_t capacity, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_new(study, "study", chains, chain_count, test, capacity, e));
    return build_on_heap(layout_for(study, chains, chain_count, test, capacity), e);
  });
}

void nnp_study_free(nnp_study *study) {
  nnp::free_block(study);
}

int32_t nnp_study_bytes(nnp_chain *const *chains, int64_t chain_count, const nnp_data *test,
                        int64_t capacity, size_t *bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_new(bytes, "bytes", chains, chain_count, test, capacity, e));
    return count_bytes(layout_for(nullptr, chains, chain_count, test, capacity), bytes, e);
  });
}

int32_t nnp_study_init(nnp_study **study, void *memory, size_t bytes, nnp_chain *const *chains,
                       int64_t chain_count, const nnp_data *test, int64_t capacity,
                       nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_new(study, "study", chains, chain_count, test, capacity, e));
    return build_in(memory, bytes, layout_for(study, chains, chain_count, test, capacity), e);
  });
}

int32_t nnp_study_set(nnp_study *study, int32_t option, double value, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(study, "study", e));
    StudyOption which = StudyOption::steps;
    NNP_TRY(take(option, "option", &which, e));
    NNP_TRY(take_value(values_of(which), *study_option_row(which), value, &value, e));
    return study_set(*unwrap(study)->study, which, value, e);
  });
}

int32_t nnp_study_get(const nnp_study *study, int32_t option, double *value, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(study, "study", e));
    NNP_TRY(need(value, "value", e));
    StudyOption which = StudyOption::steps;
    NNP_TRY(take(option, "option", &which, e));
    *value = value_of(values_of(which), unwrap(study)->study->option(which));
    return Status::ok;
  });
}

int32_t nnp_study_option_info(int32_t option, const char **name, double *low, double *high,
                              double *initial, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    StudyOption which = StudyOption::steps;
    NNP_TRY(take(option, "option", &which, e));
    tell_option(*study_option_row(which), values_of(which), name, low, high, initial);
    return Status::ok;
  });
}

int32_t nnp_study_thermalization(nnp_study *study, const nnp_thermalization_options *options,
                                 nnp_error *err) {
  return guarded(err, [&](Error *e) {
    ThermalizationOptions chosen;
    NNP_TRY(need(study, "study", e));
    NNP_TRY(study_check_idle(*unwrap(study)->study, "options", e));
    NNP_TRY(read_options(options, &chosen, e));
    unwrap(study)->study->thermalization = chosen;
    return Status::ok;
  });
}

int32_t nnp_study_partner(nnp_study *study, int64_t chain, int64_t partner, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_not_begun(study, "partner", e));
    NNP_TRY(check_chain(study, chain, 0, e));
    NNP_TRY(need_index(partner, 0, unwrap(study)->study->chain_count - 1, "partner", e));
    if (chain == partner)
      return fail(e, Status::bad_value, "partner = %lld: expected another chain", ll(partner));
    unwrap(study)->study->chains[chain].partner = partner;
    return Status::ok;
  });
}

int32_t nnp_study_function(nnp_study *study, nnp_test_function function, void *user,
                           nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_not_begun(study, "function", e));
    unwrap(study)->function = function;
    unwrap(study)->function_user = user;
    unwrap(study)->study->own_function = function != nullptr;
    return Status::ok;
  });
}

int32_t nnp_study_run(nnp_study *study, nnp_study_callback callback, void *user, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(study, "study", e));
    StudyRun run = {unwrap(study), callback, user};
    StudyHooks hooks;
    hooks.measure = measure;
    hooks.progress = callback ? progress : nullptr;
    hooks.context = &run;
    return study_run(*run.object->study, hooks, e);
  });
}

int32_t nnp_study_state(const nnp_study *study, nnp_study_progress *state, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(study, "study", e));
    NNP_TRY(need(state, "state", e));
    *state = state_of(*unwrap(study)->study);
    return Status::ok;
  });
}

int32_t nnp_study_report(const nnp_study *study, int64_t chain, nnp_criteria_times *out,
                         nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_chain(study, chain, 1, e));
    NNP_TRY(need(out, "out", e));
    write_criteria(unwrap(study)->study->chains[chain].report, out);
    return Status::ok;
  });
}

int32_t nnp_study_series(const nnp_study *study, int64_t chain, int32_t which, nnp_series *out,
                         nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_chain(study, chain, 0, e));
    NNP_TRY(need(out, "out", e));
    const Study &s = *unwrap(study)->study;
    const StudyChain &c = s.chains[chain];
    StudySeries series = StudySeries::test;
    NNP_TRY(take(which, "which", &series, e));
    if (series == StudySeries::test)
      *out = {s.times, c.values, s.samples, {}};
    else if (series == StudySeries::gradient)
      *out = {s.times, c.gradients, s.with_gradient ? s.samples : 0, {}};
    else
      *out = {s.rhat.times, s.rhat.row(chain, which - NNP_SERIES_RHAT), s.rhat.count, {}};
    return Status::ok;
  });
}

int32_t nnp_study_print(const nnp_study *study, char *buffer, size_t size, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(study, "study", e));
    NNP_TRY(need(buffer, "buffer", e));
    const Study &s = *unwrap(study)->study;
    Text text = {buffer, size, 0};
    text.add("%5s %15s %15s %15s %15s\n", "chain", "teacher-student", "stationarity", "gradient U",
             "R-hat");
    for (int64_t c = 1; c < s.chain_count; ++c) add_row(text, s, c);
    return text.finish(e);
  });
}

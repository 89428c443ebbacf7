#include "lib/study/study.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/clock.hpp"
#include "lib/base/functions.hpp"
#include "lib/posterior/gradient_statistic.hpp"
#include "lib/sampler/gradient_statistic.hpp"
#include "lib/sampler/save.hpp"

namespace nnp {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

constexpr OptionRow rows[study_option_count + 1] = {
    OptionRow{},
    named("steps").from(0).to(9e15).initially(0).whole_numbers(),
    named("seconds").from(0).to(1e9).initially(0),
    named("stop").from(0).to(1).initially(1).whole_numbers(),
    named("patience").from(1).to(1e6).initially(1.5),
    named("sampling").from(1).to(2).initially(1).whole_numbers(),
    named("every").from(1).to(1e12).initially(1).whole_numbers(),
    named("function").from(0).to(3).initially(0).whole_numbers(),
    named("gradient_layer").from(0).to(1e6).initially(1).whole_numbers(),
    named("rhat_every").from(0).to(1e12).initially(0).whole_numbers(),
    named("rhat_block").from(0).to(1e6).initially(50).whole_numbers(),
    named("rhat_limit").from(1).to(1e6).initially(2),
};

int64_t whole(double value) {
  return static_cast<int64_t>(value);
}

// True for options that shape the series. The budget and the stopping rule may change between runs.
bool fixed_once_begun(StudyOption option) {
  return option >= StudyOption::sampling && option != StudyOption::rhat_limit;
}

// ---- one chain -----------------------------------------------------------------------------

enum class Function : int32_t { automatic = 0, mse = 1, error = 2, log_loss = 3 };

Function function_for(const Study &s, const Net &net) {
  const Function asked = static_cast<Function>(whole(s.option(StudyOption::function)));
  if (asked != Function::automatic) return asked;
  switch (ops_of(net.head)->test_score) {
    case Score::mse:
      return Function::mse;
    case Score::accuracy:
      return Function::error;
    case Score::log_score:
      break;
  }
  return Function::log_loss;
}

double mean_squared_error(const Data &test, const double *outputs, int64_t width) {
  double sum = 0;
  for (int64_t i = 0; i < test.n(); ++i)
    for (int64_t j = 0; j < width; ++j) {
      const double error = *outputs++ - test.y[test.tiling.at(width, i, j)];
      sum += error * error;
    }
  return sum / static_cast<double>(test.n() * width);
}

// The most probable class is the one with the largest mean, since all scores have the same noise.
double test_error(const Data &test, const double *outputs, int64_t width, const HeadOps &head) {
  int64_t wrong = 0;
  for (int64_t i = 0; i < test.n(); ++i, outputs += width) {
    const ConstTile row = {outputs, 1, width, 1};
    wrong += head.label_of(row, 0) == test.labels[i] ? 0 : 1;
  }
  return static_cast<double>(wrong) / static_cast<double>(test.n());
}

// Minus the log score of a class whose probability underflows to 0.
constexpr double impossible = 1000;

Status log_loss(const Study &s, StudyChain &c, const Draws &draw, double *value, Error *err) {
  const Status status = score(c.member.predicting(), *s.test, draw, Score::log_score, value, err);
  if (status == Status::ok) *value = std::isinf(*value) ? impossible : -*value;
  return status;
}

Status predict_test(const Study &s, StudyChain &c, Error *err) {
  const Draws draw = {c.member.chain->state.params, 1};
  return predict(c.member.predicting(), *s.test, draw, Prediction::mean, c.outputs, err);
}

Status measure_test(const Study &s, StudyChain &c, double *value, Error *err) {
  const Net &net = c.member.chain->state.net;
  const Function function = function_for(s, net);
  if (function == Function::log_loss)
    return log_loss(s, c, {c.member.chain->state.params, 1}, value, err);
  const Status status = predict_test(s, c, err);
  if (status != Status::ok) return status;
  *value = function == Function::mse
               ? mean_squared_error(*s.test, c.outputs, net.targets())
               : test_error(*s.test, c.outputs, net.outputs(), *ops_of(net.head));
  return status;
}

Status take_sample(const Study &s, const StudyHooks &hooks, int64_t index, Error *err) {
  StudyChain &c = s.chains[index];
  double value = nan;
  const Status status = s.own_function ? hooks.measure(hooks.context, index, &value, err)
                                       : measure_test(s, c, &value, err);
  if (status != Status::ok) return status;
  if (!std::isfinite(value))
    return fail(err, Status::not_finite,
                "chain %lld: its test function is %g after %lld steps, expected a finite number",
                ll(index), value, ll(c.lane.done));
  c.values[c.samples] = value;
  if (s.with_gradient) {
    const int64_t layer = whole(s.option(StudyOption::gradient_layer));
    c.gradients[c.samples] = chain_gradient_statistic(
        *c.member.chain, find_layer(c.member.chain->state.net, layer), c.member.gradient_work);
    if (!std::isfinite(c.gradients[c.samples]))
      return fail(
          err, Status::not_finite,
          "chain %lld: its gradient statistic is %g after %lld steps, expected a finite number",
          ll(index), c.gradients[c.samples], ll(c.lane.done));
  }
  __atomic_store_n(&c.samples, c.samples + 1, __ATOMIC_RELEASE);
  return Status::ok;
}

Status measure_outputs(const Study &s, StudyChain &c, Error *err) {
  const Status status = predict_test(s, c, err);
  if (status == Status::ok) add_measurement(c.moments, c.outputs, s.points);
  return status;
}

Status measure(const Study &s, const StudyHooks &hooks, int64_t index, Error *err) {
  StudyChain &c = s.chains[index];
  const bool outputs_due = s.rhat_every > 0 && c.lane.done > 0 && c.lane.done % s.rhat_every == 0;
  Status status = Status::ok;
  if (c.samples < s.planned && s.times[c.samples] == static_cast<double>(c.lane.done))
    status = take_sample(s, hooks, index, err);
  if (outputs_due && status == Status::ok) status = measure_outputs(s, c, err);
  return status;
}

const Comm &comm_of(const Study &study) {
  return study.chains[0].member.chain->comm;
}

// ---- a part of the run -----------------------------------------------------------------------

// One call of study_run.
struct Session {
  Study *study;
  const StudyHooks *hooks;
  double seconds_before, began, deadline;
};

double seconds_of(const Session &session) {
  return session.seconds_before + seconds_now() - session.began;
}

Lane &lane_of(void *context, int64_t index) {
  return static_cast<Session *>(context)->study->chains[index].lane;
}

Status measure_after_step(void *context, int64_t index, Error *err) {
  const Session &session = *static_cast<const Session *>(context);
  return measure(*session.study, *session.hooks, index, err);
}

int32_t report(void *context, int64_t) {
  const Session &session = *static_cast<const Session *>(context);
  session.study->seconds = seconds_of(session);
  return session.hooks->progress(session.hooks->context);
}

// Sends what a chain's rank has measured since ranks last exchanged measurements.
Status share(void *context, int64_t index, Carrier &carrier, Error *err) {
  const Study &s = *static_cast<const Session *>(context)->study;
  StudyChain &c = s.chains[index];
  Status status = carrier.tell(c.samples, err);
  const size_t first = static_cast<size_t>(std::min(s.samples, c.samples));
  const size_t bytes = static_cast<size_t>(c.samples) * sizeof(double) - first * sizeof(double);
  if (status == Status::ok) status = carrier.bring(c.values + first, bytes, err);
  if (status == Status::ok && s.with_gradient)
    status = carrier.bring(c.gradients + first, bytes, err);
  if (status != Status::ok || s.rhat_every == 0) return status;
  const size_t moments = static_cast<size_t>(s.points) * sizeof(double);
  status = carrier.bring(c.moments.count, err);
  if (status == Status::ok) status = carrier.bring(c.moments.mean, moments, err);
  return status == Status::ok ? carrier.bring(c.moments.squares, moments, err) : status;
}

RunHooks hooks_of(Session &session) {
  RunHooks hooks;
  hooks.lane = lane_of;
  hooks.stepped = measure_after_step;
  hooks.progress = session.hooks->progress ? report : nullptr;
  hooks.context = &session;
  hooks.deadline = session.deadline;
  hooks.comm = &comm_of(*session.study);
  hooks.share = share;
  hooks.share_chains = false;
  return hooks;
}

// Chains are sent once per run: between parts of the run only measurements are.
Status share_chains(Session &session, Error *err) {
  RunHooks hooks = hooks_of(session);
  hooks.share = nullptr;
  hooks.share_chains = true;
  for (int64_t c = 0; c < session.study->chain_count; ++c)
    session.study->chains[c].lane.recorded_before = session.study->chains[c].recorded_before;
  return share_lanes(session.study->chain_count, hooks, err);
}

// Takes the first sample, at the start. Every rank does so for all chains.
Status measure_starts(Session &session, Error *err) {
  Study &s = *session.study;
  Status status = Status::ok;
  bool any = false;
  for (int64_t c = 0; c < s.chain_count && status == Status::ok; ++c) {
    StudyChain &chain = s.chains[c];
    if (chain.samples > 0) continue;
    any = true;
    status = chain.lane.status = measure(s, *session.hooks, c, err);
    if (status != Status::ok && err) chain.lane.error = *err;
  }
  return any ? comm_agree(comm_of(s), Common{}, status, err) : Status::ok;
}

// Runs all chains to the end of this part of the run.
Status run_stretch(Session &session, RunEnd *end, Error *err) {
  Study &s = *session.study;
  const Status status = measure_starts(session, err);
  if (status != Status::ok) return status;
  for (int64_t c = 0; c < s.chain_count; ++c) s.chains[c].lane.goal = s.stretch_end;
  return run_lanes(s.chain_count, hooks_of(session), end, err);
}

// ---- between parts of the run ----------------------------------------------------------------

void keep_samples(const SampleTimes &schedule, const double *times, double *values, int64_t count) {
  int64_t kept = 0;
  for (int64_t i = 0; i < count; ++i)
    if (schedule.sampled(whole(times[i]))) values[kept++] = values[i];
}

// Only if all chains have all planned samples.
void thin_samples(Study &s) {
  s.schedule.coarsen();
  for (int64_t c = 0; c < s.chain_count; ++c) {
    keep_samples(s.schedule, s.times, s.chains[c].values, s.samples);
    keep_samples(s.schedule, s.times, s.chains[c].gradients, s.samples);
  }
  int64_t kept = 0;
  for (int64_t i = 0; i < s.samples; ++i)
    if (s.schedule.sampled(whole(s.times[i]))) s.times[kept++] = s.times[i];
  s.samples = s.planned = kept;
  for (int64_t c = 0; c < s.chain_count; ++c) s.chains[c].samples = kept;
}

int64_t block_steps(const Study &s) {
  return s.rhat_every * whole(s.option(StudyOption::rhat_block));
}

int64_t steps_allowed(const Study &s) {
  const int64_t budget = whole(s.option(StudyOption::steps));
  return budget > 0 ? budget : std::numeric_limits<int64_t>::max();
}

// Plans the next part of the run: up to the next decision, the end of the block or of the budget,
// or as long as there is room for samples.
void plan_stretch(Study &s) {
  int64_t end = std::max(s.step, std::min(steps_allowed(s), s.next_decision));
  if (s.rhat_every > 0) end = std::min(end, (s.step / block_steps(s) + 1) * block_steps(s));
  if (s.planned == s.capacity) thin_samples(s);
  int64_t t = s.schedule.next(s.step);
  for (; t <= end && s.planned < s.capacity; t = s.schedule.next(t))
    s.times[s.planned++] = static_cast<double>(t);
  s.stretch_end = t <= end ? whole(s.times[s.planned - 1]) : end;
}

void close_block(Study &s) {
  const double measurements = s.option(StudyOption::rhat_block);
  const double time =
      static_cast<double>(s.step) - 0.5 * (measurements - 1) * static_cast<double>(s.rhat_every);
  for (int64_t c = 0; c < s.chain_count; ++c)
    s.blocks[c] = pair_rhat(s.chains[c].moments, s.chains[s.chains[c].partner].moments, s.points,
                            time, s.point_work);
  for (int64_t c = 0; c < s.chain_count; ++c) {
    PointMoments &moments = s.chains[c].moments;
    std::fill_n(moments.mean, s.points, 0.0);
    std::fill_n(moments.squares, s.points, 0.0);
    moments.count = 0;
  }
  rhat_series_add(s.rhat, s.blocks);
}

// Publishes the samples and steps that all chains have.
void publish(Study &s) {
  s.step = s.chains[0].lane.done;
  s.samples = s.chains[0].samples;
  for (int64_t c = 1; c < s.chain_count; ++c) {
    s.step = std::min(s.step, s.chains[c].lane.done);
    s.samples = std::min(s.samples, s.chains[c].samples);
  }
}

// ---- verdicts --------------------------------------------------------------------------------

// The part of a series after a time; all of it if no verdict was postponed.
TimeSeries part_behind(const Study &s, double time, const TimeSeries &all) {
  if (s.counted_from == 0) return all;
  const int64_t first = std::upper_bound(all.t, all.t + all.n, time) - all.t;
  return {all.t + first, all.x + first, all.n - first};
}

TimeSeries counted(const Study &s, const double *values) {
  return part_behind(s, static_cast<double>(s.counted_from), {s.times, values, s.samples});
}

TimeSeries values_of(const Study &s, int64_t c) {
  return counted(s, s.chains[c].values);
}

// R-hat entries whose measurements all count.
TimeSeries rhat_of(const Study &s, int64_t c) {
  const double measurements = static_cast<double>(s.rhat.each) * s.option(StudyOption::rhat_block);
  const double before = 0.5 * (measurements - 1) * static_cast<double>(s.rhat_every);
  return part_behind(s, static_cast<double>(s.counted_from) + before,
                     {s.rhat.times, s.rhat.row(c, 0), s.rhat.count});
}

// All chains share one scale, so that their levels can be compared.
ThermalizationOptions thermalization_options(const Study &s) {
  ThermalizationOptions options = s.thermalization;
  if (options.scale != Scale::automatic) return options;
  ScaleChoice choice;
  for (int64_t c = 0; c < s.chain_count; ++c) choice.look_at(values_of(s, c));
  options.scale = choice.scale();
  return options;
}

Status decide(Study &s, Error *err) {
  s.next_decision = s.step + std::max<int64_t>(s.step / 10, fewest_samples);
  if (values_of(s, 0).n < fewest_samples || s.decided_at == s.step) return Status::ok;
  s.decided_at = s.step;
  const ThermalizationOptions options = thermalization_options(s);
  for (int64_t c = 1; c < s.chain_count; ++c) {
    StudyChain &chain = s.chains[c];
    const TimeSeries none = {nullptr, nullptr, 0};
    const CriteriaSeries series = {values_of(s, 0), values_of(s, c),
                                   s.with_gradient ? counted(s, chain.gradients) : none,
                                   rhat_of(s, c)};
    const Verdict before = chain.report.verdict.verdict;
    const Status status = compare_criteria(series, options, s.option(StudyOption::rhat_limit),
                                           s.level, &chain.report, err);
    if (status != Status::ok) return status;
    if (chain.report.verdict.verdict != before) chain.standing_since = s.step;
  }
  return Status::ok;
}

// A verdict that is repeated often enough will be wrong once while series are short, so a run never
// stops itself on fewer samples than this.
constexpr int64_t fewest_to_stop = 200;

// How much a run must grow before a verdict is final. Plateaus can end late, so "stuck" must hold
// for much longer than "merged".
double growth_asked(const Study &s, Verdict verdict) {
  const double patience = s.option(StudyOption::patience);
  return verdict == Verdict::not_thermalized ? fn::pow(patience, 8) : patience;
}

// True if all verdicts are in and have held while the run grew by the factor `patience`.
bool settled(const Study &s) {
  if (study_decided(s) < s.chain_count - 1 || values_of(s, 0).n < fewest_to_stop) return false;
  const double grown = static_cast<double>(s.step - s.counted_from);
  for (int64_t c = 1; c < s.chain_count; ++c) {
    const double since = static_cast<double>(s.chains[c].standing_since - s.counted_from);
    if (grown < growth_asked(s, s.chains[c].report.verdict.verdict) * since) return false;
  }
  return true;
}

// ---- start and end ---------------------------------------------------------------------------

Status check_function(const Study &s, const Net &net, Error *err) {
  const HeadOps &head = *ops_of(net.head);
  const Function function = function_for(s, net);
  if (function == Function::mse && !head.has_mse)
    return fail(
        err, Status::unsupported,
        "function = 1 (mse): head %s has labels, expected a head with targets such as gaussian",
        head.name);
  if (function == Function::error && !head.has_accuracy)
    return fail(
        err, Status::unsupported,
        "function = 2 (error): head %s has targets, expected a head with labels such as argmax",
        head.name);
  return net_check_targets(net, *s.test, err);
}

const char *posterior_name(const Chain &chain) {
  return chain.posterior == PosteriorKind::classical ? "classical" : "intermediate";
}

// Fails unless both have the same data object, or one with the same content.
Status check_same_data(const StudyMember &first, const StudyMember &member, int64_t index,
                       Error *err) {
  const State &a = first.chain->state, &b = member.chain->state;
  if (a.data == b.data || data_fingerprint(a) == data_fingerprint(b)) return Status::ok;
  return fail(err, Status::unsupported,
              "chains: chain %lld has different training data from chain 0, expected the same",
              ll(index));
}

// Steps until a chain samples its posterior with a kernel that no longer changes.
int64_t steps_to_settle(const Chain &chain) {
  return std::max(chain_warmup_left(chain), chain_annealing_left(chain));
}

Status check_warmup(const Study &s, int64_t c, Error *err) {
  const int64_t left = steps_to_settle(*s.chains[c].member.chain),
                end = s.chains[c].lane.done + left;
  if (left == 0 || end <= steps_allowed(s)) return Status::ok;
  return fail(
      err, Status::bad_value,
      "steps = %lld: the warm-up or annealing of chain %lld ends at step %lld of the study, "
      "expected at least as many",
      ll(steps_allowed(s)), ll(c), ll(end));
}

Status check_chain(const Study &s, int64_t c, Error *err) {
  const StudyChain &chain = s.chains[c];
  if (chain.lane.status != Status::ok) {
    if (err) *err = chain.lane.error;
    return chain.lane.status;
  }
  if (!chain.member.chain->started)
    return fail(err, Status::not_started,
                "chain %lld: it has no start yet, expected nnp_chain_start first", ll(c));
  const Net &net = chain.member.chain->state.net;
  Status status = chain_check_data(*chain.member.chain, err);
  if (status == Status::ok) status = check_same_data(s.chains[0].member, chain.member, c, err);
  if (status == Status::ok) status = check_warmup(s, c, err);
  if (status == Status::ok && !s.own_function) status = check_function(s, net, err);
  const int64_t layer = whole(s.option(StudyOption::gradient_layer));
  if (status != Status::ok || layer == 0) return status;
  return check_gradient_layer(chain.member.predictor->net, layer, err);
}

Status check_run(const Study &s, Error *err) {
  if (s.option(StudyOption::steps) == 0 && s.option(StudyOption::seconds) == 0)
    return fail(err, Status::bad_value,
                "steps = 0 and seconds = 0: expected a budget, one of them at least");
  if (!s.test && !s.own_function)
    return fail(err, Status::no_targets,
                "study: it has neither test data nor a test function, expected one of them");
  for (int64_t c = 0; c < s.chain_count; ++c) {
    const Status status = check_chain(s, c, err);
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

// Steps between measurements; by default chosen to give a hundred blocks.
int64_t measurement_stride(const Study &s) {
  const double block = s.option(StudyOption::rhat_block), asked = s.option(StudyOption::rhat_every);
  if (!s.test || block == 0) return 0;
  if (asked > 0) return whole(asked);
  const double steps = s.option(StudyOption::steps);
  return steps > 0 ? std::max<int64_t>(whole(steps / (100 * block)), 1) : 20;
}

void forget_verdict(StudyChain &chain) {
  chain.report = CriteriaTimes{};
  chain.report.teacher_student = chain.report.stationarity = nan;
  chain.report.gradient = chain.report.rhat = nan;
  chain.standing_since = 0;
}

// Ignores what chains do while they warm up or anneal, since those are not samples of the
// posterior. If a chain does so again, earlier verdicts are discarded too.
void put_off_verdicts(Study &s) {
  for (int64_t c = 0; c < s.chain_count; ++c) {
    const int64_t left = steps_to_settle(*s.chains[c].member.chain);
    const int64_t end = s.chains[c].lane.done + left;
    if (left == 0 || end <= s.counted_from) continue;
    s.counted_from = end;
    for (int64_t k = 0; k < s.chain_count; ++k) forget_verdict(s.chains[k]);
  }
}

void begin(Study &s) {
  s.begun = true;
  s.schedule = SampleTimes::of(static_cast<Sampling>(whole(s.option(StudyOption::sampling))),
                               whole(s.option(StudyOption::every)), s.capacity);
  s.rhat_every = measurement_stride(s);
  s.next_decision = fewest_samples;
  s.times[0] = 0;
  s.planned = 1;
  s.with_gradient = s.option(StudyOption::gradient_layer) > 0;
}

// Checks that all ranks run the same study, at the same point.
Status agree(const Study &s, Status local, Error *err) {
  const Comm &comm = comm_of(s);
  if (comm.alone()) return local;
  CommonChains common(comm);
  for (int64_t c = 0; c < s.chain_count; ++c) {
    common.add(*s.chains[c].member.chain, true);
    common.with(s.chains[c].lane.done).with(s.chains[c].samples).with(s.chains[c].partner);
  }
  if (s.test)
    common.common.data = hash_value(common.common.data,
                                    data_fingerprint(*s.test, s.chains[0].member.chain->state.net));
  common.common.options = hash_bytes(common.common.options, s.options, sizeof s.options);
  common.with(RankCall::study).with(s.chain_count).with(s.capacity).with(s.own_function);
  return comm_agree(comm, common.common, local, err);
}

// Updates what all chains have at the end of a part of the run; true if the study ends too.
bool conclude_stretch(Study &s, Status *status, Error *err) {
  publish(s);
  if (s.rhat_every > 0 && s.chains[0].moments.count == whole(s.option(StudyOption::rhat_block)))
    close_block(s);
  if (s.step >= s.next_decision || s.step >= steps_allowed(s)) *status = decide(s, err);
  if (*status != Status::ok) return true;
  if (s.option(StudyOption::stop) == 1 && settled(s))
    s.ended = Ended::verdicts;
  else if (s.step >= steps_allowed(s))
    s.ended = Ended::steps;
  else
    return false;
  return true;
}

Status run_stretches(Session &session, Error *err) {
  Study &s = *session.study;
  Status status = Status::ok;
  while (status == Status::ok) {
    if (study_progress(s) == s.stretch_end && s.samples > 0) plan_stretch(s);
    RunEnd end = RunEnd::complete;
    status = run_stretch(session, &end, err);
    const bool complete = status == Status::ok && study_progress(s) == s.stretch_end;
    if (complete && conclude_stretch(s, &status, err)) return status;
    if (status != Status::ok || end == RunEnd::complete) continue;
    s.ended = end == RunEnd::stopped ? Ended::stopped : Ended::seconds;
    return end == RunEnd::stopped ? stopped_by_callback(err) : Status::ok;
  }
  return status;
}

}  // namespace

const OptionRow *study_option_row(StudyOption option) {
  const int32_t number = static_cast<int32_t>(option);
  return number >= 1 && number <= study_option_count ? rows + number : nullptr;
}

Status study_check_idle(const Study &study, const char *what, Error *err) {
  if (!study.running) return Status::ok;
  return fail(err, Status::unsupported, "%s: the study is running, expected to be set between runs",
              what);
}

Status study_set(Study &study, StudyOption option, double value, Error *err) {
  const OptionRow *row = study_option_row(option);
  if (!row)
    return fail(err, Status::bad_enum, "option = %d: expected 1 to %d", static_cast<int>(option),
                static_cast<int>(study_option_count));
  Status status = option_value_check(*row, value, err);
  if (status == Status::ok) status = study_check_idle(study, row->name, err);
  if (status != Status::ok) return status;
  if (option == StudyOption::rhat_block && value == 1)
    return fail(err, Status::bad_value, "rhat_block = 1: expected 0 (no R-hat) or at least 2");
  if (study.begun && fixed_once_begun(option))
    return fail(err, Status::bad_option,
                "%s: the study has begun, expected to be set before its first run", row->name);
  study.options[static_cast<int32_t>(option)] = value;
  return Status::ok;
}

Status study_check(const StudyMember &first, const StudyMember &member, int64_t index,
                   const Data *test, Error *err) {
  const Net &net = member.chain->state.net, &leader = first.chain->state.net;
  if (net.outputs() != leader.outputs())
    return fail(err, Status::bad_shape, "chains: chain %lld has %lld outputs, chain 0 has %lld",
                ll(index), ll(net.outputs()), ll(leader.outputs()));
  if (member.chain->posterior != first.chain->posterior)
    return fail(err, Status::unsupported,
                "chains: chain %lld samples the %s posterior, chain 0 the %s one: their levels "
                "differ, expected one posterior",
                ll(index), posterior_name(*member.chain), posterior_name(*first.chain));
  if (net.head.kind != leader.head.kind)
    return fail(err, Status::unsupported, "chains: chain %lld has head %s, chain 0 has %s",
                ll(index), ops_of(net.head)->name, ops_of(leader.head)->name);
  if (!same_head(net.head, leader.head))
    return fail(
        err, Status::unsupported,
        "chains: chain %lld has head %s with different properties from chain 0, expected the same",
        ll(index), ops_of(net.head)->name);
  const Status status = check_same_data(first, member, index, err);
  return status == Status::ok && test ? net_check_inputs(net, *test, err) : status;
}

Study *study_layout(Arena &arena, const StudyMember *members, int64_t count, const Data *test,
                    int64_t outputs, int64_t capacity) {
  Study *made = arena.take<Study>(1);
  Study s;
  s.chain_count = count;
  s.capacity = capacity;
  s.test = test;
  s.points = test ? test->n() * outputs : 0;
  for (int32_t i = 0; i <= study_option_count; ++i) s.options[i] = rows[i].initial;
  s.times = arena.take<double>(capacity);
  s.rhat = rhat_series_layout(arena, count, capacity);
  s.blocks = arena.take<BlockRhat>(count);
  s.point_work = arena.take<double>(s.points);
  unsigned char *level = arena.take<unsigned char>(static_cast<int64_t>(level_bytes()));
  if (level) s.level = level_work(level, level_bytes());
  s.chains = arena.take<StudyChain>(count);
  for (int64_t c = 0; c < count; ++c) {
    StudyChain chain;
    if (members) chain.member = members[c];
    chain.lane.chain = chain.member.chain;
    chain.partner = c == 0 ? 1 : 0;
    chain.values = arena.take<double>(capacity);
    chain.gradients = arena.take<double>(capacity);
    chain.outputs = arena.take<double>(s.points);
    chain.moments.mean = arena.take<double>(s.points);
    chain.moments.squares = arena.take<double>(s.points);
    forget_verdict(chain);
    if (s.chains) s.chains[c] = chain;
  }
  if (made) *made = s;
  return made;
}

int64_t study_decided(const Study &study) {
  int64_t decided = 0;
  for (int64_t c = 1; c < study.chain_count; ++c)
    decided += study.chains[c].report.verdict.verdict != Verdict::undecided;
  return decided;
}

int64_t study_progress(const Study &study) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int64_t c = 0; c < study.chain_count; ++c)
    least = std::min(least, study.chains[c].lane.steps_done());
  return least;
}

Status study_run(Study &study, const StudyHooks &hooks, Error *err) {
  ChainHold hold(study.chain_count,
                 [&](int64_t c) -> Chain & { return *study.chains[c].member.chain; });
  Status status = hold.take(err);
  if (status == Status::ok) status = check_run(study, err);
  status = agree(study, status, err);
  if (status != Status::ok) return status;
  if (!study.begun) begin(study);
  put_off_verdicts(study);
  const double began = seconds_now(), budget = study.option(StudyOption::seconds);
  const double deadline = budget > 0 ? began + budget - study.seconds : HUGE_VAL;
  Session session = {&study, &hooks, study.seconds, began, deadline};
  for (int64_t c = 0; c < study.chain_count; ++c)
    study.chains[c].recorded_before = study.chains[c].member.chain->record.steps;
  study.running = true;
  Status result = run_stretches(session, err);
  if (result != Status::comm_failed && result != Status::ranks_disagree) {
    const Status shared = share_chains(session, result == Status::ok ? err : nullptr);
    if (result == Status::ok) result = shared;
  }
  study.running = false;
  publish(study);
  study.seconds = seconds_of(session);
  const Status decided = decide(study, result == Status::ok ? err : nullptr);
  return result == Status::ok ? decided : result;
}

}  // namespace nnp

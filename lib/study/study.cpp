#include "lib/study/study.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>

#include "lib/posterior/score.hpp"
#include "lib/sampler/save.hpp"
#include "lib/sampler/score.hpp"

namespace nnp {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

const OptionRow rows[study_option_count + 1] = {
    {nullptr, 0, 0, 0, false},        {"steps", 0, 9e15, 0, true},
    {"seconds", 0, 1e9, 0, false},    {"stop", 0, 1, 1, true},
    {"patience", 1, 1e6, 1.5, false}, {"sampling", 1, 2, 1, true},
    {"every", 1, 1e12, 1, true},      {"function", 0, 3, 0, true},
    {"score_layer", 0, 1e6, 1, true}, {"rhat_every", 0, 1e12, 0, true},
    {"rhat_block", 0, 1e6, 50, true}, {"rhat_limit", 1, 1e6, 2, false},
};

long long ll(int64_t value) {
  return static_cast<long long>(value);
}

int64_t whole(double value) {
  return static_cast<int64_t>(value);
}

double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Options that shape the series; the budget and when to stop may change between runs.
bool fixed_once_begun(StudyOption option) {
  return option >= StudyOption::sampling && option != StudyOption::rhat_limit;
}

// ---- one chain -----------------------------------------------------------------------------

enum class Function : int32_t { automatic = 0, mse = 1, error = 2, log_loss = 3 };

Function function_for(const Study &s, const Net &net) {
  const Function asked = static_cast<Function>(whole(s.option(StudyOption::function)));
  if (asked != Function::automatic) return asked;
  return ops_of(net.head)->observed ? Function::mse : Function::error;
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

// The most probable class is that of the largest mean: all scores have the same noise.
double test_error(const Data &test, const double *outputs, int64_t width, HeadKind head) {
  int64_t wrong = 0;
  for (int64_t i = 0; i < test.n(); ++i, outputs += width) {
    const double *best = std::max_element(outputs, outputs + width);
    const int64_t guess = head == HeadKind::sign ? (outputs[0] >= 0 ? 1 : -1) : best - outputs;
    wrong += guess == test.labels[i] ? 0 : 1;
  }
  return static_cast<double>(wrong) / static_cast<double>(test.n());
}

// Minus the log score. A class whose probability is below the smallest double counts as this much.
constexpr double impossible = 1000;

Status log_loss(const Study &s, StudyChain &c, const Draws &draw, double *value, Error *err) {
  const Status status = score(*c.member.predictor, *s.test, draw, Score::log_score, value, err);
  if (status == Status::ok) *value = std::isinf(*value) ? impossible : -*value;
  return status;
}

Status predict_test(const Study &s, StudyChain &c, Error *err) {
  const Draws draw = {c.member.chain->state.params, 1};
  return predict(*c.member.predictor, *s.test, draw, Prediction::mean, c.outputs, err);
}

Status measure_test(const Study &s, StudyChain &c, double *value, Error *err) {
  const Net &net = c.member.chain->state.net;
  const Function function = function_for(s, net);
  if (function == Function::log_loss)
    return log_loss(s, c, {c.member.chain->state.params, 1}, value, err);
  const Status status = predict_test(s, c, err);
  if (status != Status::ok) return status;
  *value = function == Function::mse ? mean_squared_error(*s.test, c.outputs, net.outputs())
                                     : test_error(*s.test, c.outputs, net.outputs(), net.head);
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
                ll(index), value, ll(c.done));
  c.values[c.samples] = value;
  if (s.with_score) {
    const int64_t layer = whole(s.option(StudyOption::score_layer));
    c.scores[c.samples] = chain_score_statistic(
        *c.member.chain, find_layer(c.member.chain->state.net, layer), c.member.score_work);
    if (!std::isfinite(c.scores[c.samples]))
      return fail(
          err, Status::not_finite,
          "chain %lld: its score statistic is %g after %lld steps, expected a finite number",
          ll(index), c.scores[c.samples], ll(c.done));
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
  const bool outputs_due = s.rhat_every > 0 && c.done > 0 && c.done % s.rhat_every == 0;
  Status status = Status::ok;
  if (c.samples < s.planned && s.times[c.samples] == static_cast<double>(c.done))
    status = take_sample(s, hooks, index, err);
  if (outputs_due && status == Status::ok) status = measure_outputs(s, c, err);
  return status;
}

// ---- a stretch of the run --------------------------------------------------------------------

struct Run {
  Study *study;
  const StudyHooks *hooks;
  double seconds_before, began, deadline;
  std::thread::id caller;
  int32_t stop, late;  // set by one thread, read by all
};

double seconds_of(const Run &run) {
  return run.seconds_before + now() - run.began;
}

// Only the caller's thread reports.
void report(Run &run) {
  if (!run.hooks->progress || std::this_thread::get_id() != run.caller) return;
  run.study->seconds = seconds_of(run);
  if (run.hooks->progress(run.hooks->context)) __atomic_store_n(&run.stop, 1, __ATOMIC_RELAXED);
}

void report_while_waiting(void *argument) {
  report(*static_cast<Run *>(argument));
}

bool told_to_stop(const Run &run) {
  return __atomic_load_n(&run.stop, __ATOMIC_RELAXED) ||
         __atomic_load_n(&run.late, __ATOMIC_RELAXED);
}

void run_chain(void *argument, int64_t index) {
  Run &run = *static_cast<Run *>(argument);
  const Study &s = *run.study;
  StudyChain &c = s.chains[index];
  if (c.samples == 0) c.status = measure(s, *run.hooks, index, &c.error);
  while (c.done < s.stretch_end && c.status == Status::ok && !told_to_stop(run)) {
    c.status = chain_step(*c.member.chain, &c.error);
    if (c.status != Status::ok) return;
    __atomic_store_n(&c.done, c.done + 1, __ATOMIC_RELAXED);
    c.status = measure(s, *run.hooks, index, &c.error);
    if (now() > run.deadline) __atomic_store_n(&run.late, 1, __ATOMIC_RELAXED);
    report(run);
  }
}

// ---- between stretches -----------------------------------------------------------------------

void keep_samples(const SampleTimes &schedule, const double *times, double *values, int64_t count) {
  int64_t kept = 0;
  for (int64_t i = 0; i < count; ++i)
    if (schedule.sampled(whole(times[i]))) values[kept++] = values[i];
}

// Only where all chains have all planned samples.
void thin_samples(Study &s) {
  s.schedule.coarsen();
  for (int64_t c = 0; c < s.chain_count; ++c) {
    keep_samples(s.schedule, s.times, s.chains[c].values, s.samples);
    keep_samples(s.schedule, s.times, s.chains[c].scores, s.samples);
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

// To the next decision, the end of the block or of the budget, or as far as there is room for
// samples.
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

// Samples and steps that all chains have.
void publish(Study &s) {
  s.step = s.chains[0].done;
  s.samples = s.chains[0].samples;
  for (int64_t c = 1; c < s.chain_count; ++c) {
    s.step = std::min(s.step, s.chains[c].done);
    s.samples = std::min(s.samples, s.chains[c].samples);
  }
}

// ---- verdicts --------------------------------------------------------------------------------

// The part of a series behind a time; all of it if nothing has been put off.
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

// Entries whose measurements all count.
TimeSeries rhat_of(const Study &s, int64_t c) {
  const double measurements = static_cast<double>(s.rhat.each) * s.option(StudyOption::rhat_block);
  const double before = 0.5 * (measurements - 1) * static_cast<double>(s.rhat_every);
  return part_behind(s, static_cast<double>(s.counted_from) + before,
                     {s.rhat.times, s.rhat.row(c, 0), s.rhat.count});
}

// One scale for all, so that their levels can be compared.
ThermalizationOptions merge_options(const Study &s) {
  ThermalizationOptions options = s.merge;
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
  const ThermalizationOptions options = merge_options(s);
  for (int64_t c = 1; c < s.chain_count; ++c) {
    StudyChain &chain = s.chains[c];
    const TimeSeries none = {nullptr, nullptr, 0};
    const CriteriaSeries series = {values_of(s, 0), values_of(s, c),
                                   s.with_score ? counted(s, chain.scores) : none, rhat_of(s, c)};
    const Verdict before = chain.report.verdict.verdict;
    const Status status = compare_criteria(series, options, s.option(StudyOption::rhat_limit),
                                           s.level, &chain.report, err);
    if (status != Status::ok) return status;
    if (chain.report.verdict.verdict != before) chain.standing_since = s.step;
  }
  return Status::ok;
}

// A verdict asked for again and again is sure to err once while the series are short: a run does
// not stop itself on fewer samples than these.
constexpr int64_t fewest_to_stop = 200;

// How much a run must grow for a verdict to be final. Plateaus end late: that a chain is stuck has
// to stand for much longer than that it has merged.
double growth_asked(const Study &s, Verdict verdict) {
  const double patience = s.option(StudyOption::patience);
  return verdict == Verdict::not_thermalized ? std::pow(patience, 8) : patience;
}

// All verdicts are in, and have stood while the run grew by the factor of patience.
bool settled(const Study &s) {
  if (study_decided(s) < s.chain_count - 1 || values_of(s, 0).n < fewest_to_stop) return false;
  const double grown = static_cast<double>(s.step - s.counted_from);
  for (int64_t c = 1; c < s.chain_count; ++c) {
    const double since = static_cast<double>(s.chains[c].standing_since - s.counted_from);
    if (grown < growth_asked(s, s.chains[c].report.verdict.verdict) * since) return false;
  }
  return true;
}

// ---- beginning and end -----------------------------------------------------------------------

Status check_function(const Study &s, const Net &net, Error *err) {
  const bool regression = ops_of(net.head)->observed;
  const Function function = function_for(s, net);
  if (function == Function::mse && !regression)
    return fail(err, Status::unsupported, "function = 1 (mse): expected head gaussian");
  if (function == Function::error && regression)
    return fail(err, Status::unsupported, "function = 2 (error): expected head argmax or sign");
  return net_check_targets(net, *s.test, err);
}

const char *posterior_name(const Chain &chain) {
  return chain.posterior == PosteriorKind::classical ? "classical" : "intermediate";
}

// The same object, or one of the same content.
Status check_same_data(const StudyMember &first, const StudyMember &member, int64_t index,
                       Error *err) {
  const State &a = first.chain->state, &b = member.chain->state;
  if (a.data == b.data || data_fingerprint(a) == data_fingerprint(b)) return Status::ok;
  return fail(err, Status::unsupported,
              "chains: chain %lld has other training data than chain 0, expected the same",
              ll(index));
}

// Steps until a chain samples its posterior, by a kernel that no longer changes.
int64_t steps_to_settle(const Chain &chain) {
  return std::max(chain_warmup_left(chain), chain_cooling_left(chain));
}

Status check_warmup(const Study &s, int64_t c, Error *err) {
  const int64_t left = steps_to_settle(*s.chains[c].member.chain), end = s.chains[c].done + left;
  if (left == 0 || end <= steps_allowed(s)) return Status::ok;
  return fail(err, Status::bad_value,
              "steps = %lld: the warm-up or cooling of chain %lld ends at step %lld of the study, "
              "expected at least as many",
              ll(steps_allowed(s)), ll(c), ll(end));
}

Status check_chain(const Study &s, int64_t c, Error *err) {
  const StudyChain &chain = s.chains[c];
  if (chain.status != Status::ok) {
    if (err) *err = chain.error;
    return chain.status;
  }
  if (!chain.member.chain->started)
    return fail(err, Status::not_started,
                "chain %lld: it has no start yet, expected nnp_chain_start first", ll(c));
  const Net &net = chain.member.chain->state.net;
  Status status = chain_check_data(*chain.member.chain, err);
  if (status == Status::ok) status = check_same_data(s.chains[0].member, chain.member, c, err);
  if (status == Status::ok) status = check_warmup(s, c, err);
  if (status == Status::ok && !s.own_function) status = check_function(s, net, err);
  const int64_t layer = whole(s.option(StudyOption::score_layer));
  if (status != Status::ok || layer == 0) return status;
  return check_score_layer(chain.member.predictor->net, layer, err);
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

// As many steps between measurements as give a hundred blocks, if it is left to us.
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
  chain.report.score = chain.report.rhat = nan;
  chain.standing_since = 0;
}

// What chains do while they warm up or cool is no sample of the posterior: what was found before is
// void too, where a chain does so again.
void put_off_verdicts(Study &s) {
  for (int64_t c = 0; c < s.chain_count; ++c) {
    const int64_t left = steps_to_settle(*s.chains[c].member.chain);
    const int64_t end = s.chains[c].done + left;
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
  s.with_score = s.option(StudyOption::score_layer) > 0;
}

Status first_failure(const Study &s, Error *err) {
  for (int64_t c = 0; c < s.chain_count; ++c) {
    const StudyChain &chain = s.chains[c];
    if (chain.status == Status::ok) continue;
    if (err) *err = chain.error;
    return chain.status;
  }
  return Status::ok;
}

// What all chains have at the end of a stretch; true if the study is at its end too.
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

Status run_stretches(Run &run, Pool *pool, Error *err) {
  Study &s = *run.study;
  Status status = Status::ok;
  while (status == Status::ok) {
    if (study_progress(s) == s.stretch_end && s.samples > 0) plan_stretch(s);
    pool_run(pool, s.chain_count, run_chain, &run, report_while_waiting);
    status = first_failure(s, err);
    const bool complete = status == Status::ok && study_progress(s) == s.stretch_end;
    if (complete && conclude_stretch(s, &status, err)) return status;
    if (status == Status::ok && told_to_stop(run)) {
      s.ended = run.stop ? Ended::stopped : Ended::seconds;
      return run.stop ? fail(err, Status::stopped, "callback: it asked to stop") : Status::ok;
    }
  }
  return status;
}

}  // namespace

const OptionRow *study_option_row(StudyOption option) {
  const int32_t number = static_cast<int32_t>(option);
  return number >= 1 && number <= study_option_count ? rows + number : nullptr;
}

Status study_set(Study &study, StudyOption option, double value, Error *err) {
  const OptionRow *row = study_option_row(option);
  if (!row)
    return fail(err, Status::bad_enum, "option = %d: expected 1 to %d", static_cast<int>(option),
                static_cast<int>(study_option_count));
  const Status status = option_value_check(*row, value, err);
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
  if (net.head != leader.head)
    return fail(err, Status::unsupported, "chains: chain %lld has head %s, chain 0 has %s",
                ll(index), ops_of(net.head)->name, ops_of(leader.head)->name);
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
    chain.partner = c == 0 ? 1 : 0;
    chain.values = arena.take<double>(capacity);
    chain.scores = arena.take<double>(capacity);
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
    least = std::min(least, __atomic_load_n(&study.chains[c].done, __ATOMIC_RELAXED));
  return least;
}

// The pool works on chains: within a chain the rows are left to its thread.
Status study_run(Study &study, const StudyHooks &hooks, Error *err) {
  const Status status = check_run(study, err);
  if (status != Status::ok) return status;
  if (!study.begun) begin(study);
  put_off_verdicts(study);
  const double began = now(), budget = study.option(StudyOption::seconds);
  Run run = {&study, &hooks, study.seconds, began, 0, std::this_thread::get_id(), 0, 0};
  run.deadline = budget > 0 ? began + budget - study.seconds : HUGE_VAL;
  Pool *pool = study.chains[0].member.chain->state.pool;
  for (int64_t c = 0; c < study.chain_count; ++c)
    std::swap(study.chains[c].pool, study.chains[c].member.chain->state.pool);
  Status result = run_stretches(run, pool, err);
  for (int64_t c = 0; c < study.chain_count && result == Status::ok; ++c)
    result = chain_check_end(*study.chains[c].member.chain, study.chains[c].done, err);
  for (int64_t c = 0; c < study.chain_count; ++c)
    std::swap(study.chains[c].pool, study.chains[c].member.chain->state.pool);
  publish(study);
  study.seconds = seconds_of(run);
  const Status decided = decide(study, result == Status::ok ? err : nullptr);
  return result == Status::ok ? decided : result;
}

}  // namespace nnp

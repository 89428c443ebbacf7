#include "lib/study/tries.hpp"

#include <algorithm>
#include <cmath>

#include "lib/teacher/start.hpp"

namespace nnp {

namespace {

constexpr int64_t samples_of_try = 64;

constexpr OptionRow rows[tries_option_count + 1] = {
    OptionRow{},
    named("steps").from(0).to(9e15).initially(0).whole_numbers(),
    named("share").from(0).to(1).initially(0.5),
    named("cool_from").from(0).to(1e100).initially(0),
    named("zero_starts").from(0).to(4096).initially(1).whole_numbers(),
};

int64_t whole(double value) {
  return static_cast<int64_t>(value);
}

double noise_to_cool_from(const Tries &tries) {
  const double asked = tries.option(TriesOption::cool_from);
  if (asked > 0) return asked;
  const State &state = tries.tries[0].track.member.chain->state;
  return ops_of(state.net.head)->noise_to_cool_from(*state.data);
}

double least_noise(const Net &net) {
  double least = INFINITY;
  for (int64_t k = 1; k <= net.depth; ++k) least = std::min(least, net.layer(k).final_noise);
  return least;
}

// All from zero, which a chain that cools leaves at once. Three quarters of a try are cooling.
Status start(Tries &tries, int64_t c, uint64_t seed, int64_t steps, Error *err) {
  Try &t = tries.tries[c];
  Chain &chain = *t.track.member.chain;
  const double from = noise_to_cool_from(tries);
  Status status = chain_check_data(chain, err);
  if (status != Status::ok) return status;
  chain_begin_start(chain, seed, static_cast<uint64_t>(c));
  start_zero(chain.state);
  status = chain_started(chain, err);
  if (status != Status::ok) return status;
  const bool from_zero =
      tries.count > 1 && c >= 1 && c <= whole(tries.option(TriesOption::zero_starts));
  t.cooled = !from_zero && from > least_noise(chain.state.net) && steps >= 4;
  t.error = 0;
  t.rank = 0;
  t.track.lane.done = 0;
  return t.cooled ? chain_cool(chain, from, steps * 3 / 4, err) : Status::ok;
}

void rank(Tries &tries) {
  for (int64_t c = 0; c < tries.count; ++c) {
    const Track &track = tries.tracks[c];
    double sum = 0;
    for (int64_t i = 0; i < track.samples; ++i) sum += track.values[i];
    tries.tries[c].track = track;
    tries.tries[c].error = sum / static_cast<double>(track.samples);
    tries.order[c] = c;
  }
  std::sort(tries.order, tries.order + tries.count, [&tries](int64_t a, int64_t b) {
    const double left = tries.tries[a].error, right = tries.tries[b].error;
    return left < right || (left == right && a < b);
  });
  for (int64_t i = 0; i < tries.count; ++i) tries.tries[tries.order[i]].rank = i + 1;
  tries.best = tries.order[0];
}

}  // namespace

const OptionRow *tries_option_row(TriesOption option) {
  const int32_t number = static_cast<int32_t>(option);
  return number >= 1 && number <= tries_option_count ? rows + number : nullptr;
}

Status tries_set(Tries &tries, TriesOption option, double value, Error *err) {
  const OptionRow *row = tries_option_row(option);
  if (!row)
    return fail(err, Status::bad_enum, "option = %d: expected 1 to %d", static_cast<int>(option),
                static_cast<int>(tries_option_count));
  const Status status = option_value_check(*row, value, err);
  if (status != Status::ok) return status;
  if (tries.running)
    return fail(err, Status::unsupported,
                "%s: the tries are running, expected to be set between runs", row->name);
  tries.options[static_cast<int32_t>(option)] = value;
  return Status::ok;
}

Tries *tries_layout(Arena &arena, const StudyMember *members, int64_t count) {
  Tries *made = arena.take<Tries>(1);
  Tries t;
  t.count = count;
  for (int32_t i = 0; i <= tries_option_count; ++i) t.options[i] = rows[i].initial;
  t.tries = arena.take<Try>(count);
  t.tracks = arena.take<Track>(count);
  t.order = arena.take<int64_t>(count);
  for (int64_t c = 0; c < count; ++c) {
    Try one;
    if (members) one.track.member = members[c];
    track_layout(arena, samples_of_try, one.track);
    if (t.tries) t.tries[c] = one;
  }
  if (made) *made = t;
  return made;
}

namespace {

// Tries of `each` steps, then the rest of the budget for the best one.
Status run_all(Tries &tries, uint64_t seed, int64_t each, const TrackHooks &hooks, Error *err) {
  tries.best = -1;
  Status status = Status::ok;
  for (int64_t c = 0; c < tries.count && status == Status::ok; ++c) {
    status = start(tries, c, seed, each, err);
    track_plan(tries.tries[c].track, each, each / 4);
    tries.tracks[c] = tries.tries[c].track;
  }
  if (status == Status::ok) status = run_tracks(tries.tracks, tries.count, hooks, err);
  if (status != Status::ok) return status;
  rank(tries);
  Track &best = tries.tries[tries.best].track;
  const int64_t left = whole(tries.option(TriesOption::steps)) - each * tries.count;
  if (left <= 0) return Status::ok;
  track_plan(best, left, std::max<int64_t>(left / 4, 1));
  return run_tracks(&best, 1, hooks, err);
}

}  // namespace

Status tries_run(Tries &tries, uint64_t seed, const TrackHooks &hooks, Error *err) {
  const double budget = tries.option(TriesOption::steps);
  const double share = tries.count > 1 ? tries.option(TriesOption::share) : 1;
  const int64_t each = whole(budget * share / static_cast<double>(tries.count));
  if (each < samples_of_try)
    return fail(err, Status::bad_value,
                "steps = %g: a share of %g is %lld steps for each of %lld tries, expected at least "
                "%lld",
                budget, share, static_cast<long long>(each), static_cast<long long>(tries.count),
                static_cast<long long>(samples_of_try));
  ChainHold hold(tries.count,
                 [&](int64_t c) -> Chain & { return *tries.tries[c].track.member.chain; });
  Status status = hold.take(err);
  if (status != Status::ok) return status;
  tries.running = true;
  status = run_all(tries, seed, each, hooks, err);
  tries.running = false;
  return status;
}

}  // namespace nnp

#include "lib/study/multistart.hpp"

#include <algorithm>
#include <cmath>

#include "lib/teacher/start.hpp"

namespace nnp {

namespace {

constexpr int64_t samples_of_try = 64;

constexpr OptionRow rows[multistart_option_count + 1] = {
    OptionRow{},
    named("steps").from(0).to(9e15).initially(0).whole_numbers(),
    named("share").from(0).to(1).initially(0.5),
    named("anneal_from").from(0).to(1e100).initially(0),
    named("zero_starts").from(0).to(4096).initially(1).whole_numbers(),
};

int64_t whole(double value) {
  return static_cast<int64_t>(value);
}

double noise_to_anneal_from(const Multistart &multistart) {
  const double asked = multistart.option(MultistartOption::anneal_from);
  if (asked > 0) return asked;
  const State &state = multistart.attempts[0].track.member.chain->state;
  return ops_of(state.net.head)->noise_to_anneal_from(*state.data);
}

double least_noise(const Net &net) {
  double least = INFINITY;
  for (int64_t k = 1; k <= net.depth; ++k) least = std::min(least, net.layer(k).final_noise);
  return least;
}

// Starts from zero, which an annealed chain leaves at once. Three quarters of an attempt are
// annealed.
Status start(Multistart &multistart, int64_t c, uint64_t seed, int64_t steps, Error *err) {
  Attempt &t = multistart.attempts[c];
  Chain &chain = *t.track.member.chain;
  const double from = noise_to_anneal_from(multistart);
  Status status = chain_check_data(chain, err);
  if (status != Status::ok) return status;
  chain_begin_start(chain, seed, static_cast<uint64_t>(c));
  start_zero(chain.state);
  status = chain_started(chain, err);
  if (status != Status::ok) return status;
  const bool from_zero = multistart.count > 1 && c >= 1 &&
                         c <= whole(multistart.option(MultistartOption::zero_starts));
  t.annealed = !from_zero && from > least_noise(chain.state.net) && steps >= 4;
  t.error = 0;
  t.rank = 0;
  t.track.lane.done = 0;
  return t.annealed ? chain_anneal(chain, from, steps * 3 / 4, err) : Status::ok;
}

void rank(Multistart &multistart) {
  for (int64_t c = 0; c < multistart.count; ++c) {
    const Track &track = multistart.tracks[c];
    double sum = 0;
    for (int64_t i = 0; i < track.samples; ++i) sum += track.values[i];
    multistart.attempts[c].track = track;
    multistart.attempts[c].error = sum / static_cast<double>(track.samples);
    multistart.order[c] = c;
  }
  std::sort(
      multistart.order, multistart.order + multistart.count, [&multistart](int64_t a, int64_t b) {
        const double left = multistart.attempts[a].error, right = multistart.attempts[b].error;
        return left < right || (left == right && a < b);
      });
  for (int64_t i = 0; i < multistart.count; ++i)
    multistart.attempts[multistart.order[i]].rank = i + 1;
  multistart.best = multistart.order[0];
}

}  // namespace

const OptionRow *multistart_option_row(MultistartOption option) {
  const int32_t number = static_cast<int32_t>(option);
  return number >= 1 && number <= multistart_option_count ? rows + number : nullptr;
}

Status multistart_set(Multistart &multistart, MultistartOption option, double value, Error *err) {
  const OptionRow *row = multistart_option_row(option);
  if (!row)
    return fail(err, Status::bad_enum, "option = %d: expected 1 to %d", static_cast<int>(option),
                static_cast<int>(multistart_option_count));
  const Status status = option_value_check(*row, value, err);
  if (status != Status::ok) return status;
  if (multistart.running)
    return fail(err, Status::unsupported,
                "%s: the multistart is running, expected to be set between runs", row->name);
  multistart.options[static_cast<int32_t>(option)] = value;
  return Status::ok;
}

Multistart *multistart_layout(Arena &arena, const StudyMember *members, int64_t count) {
  Multistart *made = arena.take<Multistart>(1);
  Multistart t;
  t.count = count;
  for (int32_t i = 0; i <= multistart_option_count; ++i) t.options[i] = rows[i].initial;
  t.attempts = arena.take<Attempt>(count);
  t.tracks = arena.take<Track>(count);
  t.order = arena.take<int64_t>(count);
  for (int64_t c = 0; c < count; ++c) {
    Attempt one;
    if (members) one.track.member = members[c];
    track_layout(arena, samples_of_try, one.track);
    if (t.attempts) t.attempts[c] = one;
  }
  if (made) *made = t;
  return made;
}

namespace {

const Comm &comm_of(const Multistart &multistart) {
  return multistart.attempts[0].track.member.chain->comm;
}

// Checks that all ranks run the same multistart. Chains are started anew, so their state does not
// matter.
Status agree(const Multistart &multistart, uint64_t seed, Status local, Error *err) {
  const Comm &comm = comm_of(multistart);
  if (comm.alone()) return local;
  CommonChains common(comm);
  for (int64_t c = 0; c < multistart.count; ++c)
    common.add(*multistart.attempts[c].track.member.chain, false);
  common.common.options =
      hash_bytes(common.common.options, multistart.options, sizeof multistart.options);
  common.common.start = hash_value(common.common.start, seed);
  common.with(RankCall::multistart).with(multistart.count);
  return comm_agree(comm, common.common, local, err);
}

// Runs `each` steps of every chain, then spends the rest of the budget on the best one.
Status run_all(Multistart &multistart, uint64_t seed, int64_t each, const TrackHooks &hooks,
               Error *err) {
  const Comm &comm = comm_of(multistart);
  multistart.best = -1;
  Status status = Status::ok;
  for (int64_t c = 0; c < multistart.count && status == Status::ok; ++c) {
    status = start(multistart, c, seed, each, err);
    track_plan(multistart.attempts[c].track, each, each / 4);
    multistart.tracks[c] = multistart.attempts[c].track;
  }
  if (status == Status::ok)
    status = run_tracks(multistart.tracks, multistart.count, comm, hooks, err);
  if (status != Status::ok) return status;
  rank(multistart);
  Track &best = multistart.attempts[multistart.best].track;
  const int64_t left = whole(multistart.option(MultistartOption::steps)) - each * multistart.count;
  if (left <= 0) return Status::ok;
  track_plan(best, left, std::max<int64_t>(left / 4, 1));
  return run_tracks(&best, 1, comm, hooks, err);
}

}  // namespace

namespace {

Status check_budget(const Multistart &multistart, int64_t each, double share, Error *err) {
  if (each >= samples_of_try) return Status::ok;
  return fail(
      err, Status::bad_value,
      "steps = %g: a share of %g is %lld steps for each of %lld attempts, expected at least "
      "%lld",
      multistart.option(MultistartOption::steps), share, static_cast<long long>(each),
      static_cast<long long>(multistart.count), static_cast<long long>(samples_of_try));
}

}  // namespace

Status multistart_run(Multistart &multistart, uint64_t seed, const TrackHooks &hooks, Error *err) {
  const double budget = multistart.option(MultistartOption::steps);
  const double share = multistart.count > 1 ? multistart.option(MultistartOption::share) : 1;
  const int64_t each = whole(budget * share / static_cast<double>(multistart.count));
  ChainHold hold(multistart.count,
                 [&](int64_t c) -> Chain & { return *multistart.attempts[c].track.member.chain; });
  Status status = check_budget(multistart, each, share, err);
  if (status == Status::ok) status = hold.take(err);
  status = agree(multistart, seed, status, err);
  if (status != Status::ok) return status;
  multistart.running = true;
  status = run_all(multistart, seed, each, hooks, err);
  multistart.running = false;
  return status;
}

}  // namespace nnp

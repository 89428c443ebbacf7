#include "lib/study/twin.hpp"

#include <cmath>
#include <cstring>

#include "lib/network/scales.hpp"
#include "lib/teacher/start.hpp"

namespace nnp {

namespace {

// Labels the twin's data using the weights of the chain.
Status make_labels(Twin &twin, bool noisy, uint64_t seed, Error *err) {
  const Chain &original = *twin.tracks[0].member.chain;
  use_engine(*twin.teacher, original.state);
  teacher_set(*twin.teacher, original.state.params);
  twin.teacher->seed = seed;
  twin.teacher->number = 0;
  return teacher_label(*twin.teacher, twin.data, noisy ? 1 : 0, twin.sites, err);
}

// Starts the twin. With noise, its sites are those that made the labels; otherwise they are drawn.
Status start(Twin &twin, bool noisy, uint64_t seed, Error *err) {
  const Chain &original = *twin.tracks[0].member.chain;
  Chain &chain = *twin.tracks[1].member.chain;
  State &state = chain.state;
  chain.options = original.options;
  use_engine(state, original.state);
  const Status status = chain_check_data(chain, err);
  if (status != Status::ok) return status;
  chain_begin_start(chain, seed, 1);
  std::memcpy(state.params, original.state.params,
              static_cast<size_t>(state.net.param_count()) * sizeof(double));
  take_scales(state.net, state.params);
  const double *sites = twin.sites;
  for (int64_t k = 1; k <= state.last_latent && noisy; ++k) {
    scatter_rows(state.tiling, sites, state.net.site_width(k), state.latents[k]);
    sites += state.net.site_width(k) * state.tiling.n;
  }
  if (!noisy) fill_sites(state, true);
  return chain_started(chain, err);
}

// The level of the training error depends slightly on the weights that made the labels, so a
// difference within the spread of the errors is not significant.
ThermalizationOptions tolerant() {
  ThermalizationOptions options;
  options.block_tolerance = 2.5;
  options.level_tolerance = 2;
  options.resolution = 4;
  return options;
}

// True if the difference is within the variation due to noise: other labels from the same weights
// would have a different error.
bool within_noise(const Twin &twin) {
  const State &state = twin.tracks[0].member.chain->state;
  const Net &net = state.net;
  const double allowed =
      4 * ops_of(net.head)->training_spread(net.head, state.tiling.n, net.outputs(),
                                            twin.found.informed_level);
  return std::fabs(twin.found.level - twin.found.informed_level) < allowed;
}

}  // namespace

Status twin_check(const Chain &chain, Error *err) {
  // A second chain that starts in equilibrium would leave it while it tunes itself.
  const SamplerOps &ops = *ops_of(chain.sampler);
  if (!ops.follows_gradients) return Status::ok;
  char names[80] = "";
  Text wanted = {names, sizeof names, 0};
  add_sampler_names(wanted, [](const SamplerOps &row) { return !row.follows_gradients; });
  return fail(err, Status::unsupported, "chain: its sampler is %s, expected %s", ops.name, names);
}

Twin *twin_layout(Arena &arena, const StudyMember &original) {
  const Chain &chain = *original.chain;
  const Data &data = *chain.state.data;
  const Net &net = original.predictor->net;
  Twin *made = arena.take<Twin>(1);
  Twin twin;
  twin.data = data;
  twin.data.y = arena.take<double>(data.tiling.size(data.outputs));
  twin.data.labels = arena.take<int32_t>(data.tiling.size(1));
  twin.teacher = teacher_layout(arena, net);
  twin.sites = arena.take<double>(chain.state.net.latent_width(), data.n());
  unsigned char *level = arena.take<unsigned char>(static_cast<int64_t>(level_bytes()));
  if (level) twin.level = level_work(level, level_bytes());
  for (Track &track : twin.tracks) track_layout(arena, samples_of_twin, track);
  if (made) *made = twin;
  const Data &labelled = made ? made->data : data;
  StudyMember second;
  second.chain = chain_layout(arena, net, labelled, chain.sampler, chain.posterior);
  second.predictor = predictor_layout(arena, net, 1);
  if (!made) return nullptr;
  made->tracks[0].member = original;
  made->tracks[1].member = second;
  made->teacher->noise_in_all = chain.posterior == PosteriorKind::intermediate;
  return made;
}

namespace {

Status check_original(const Twin &twin, Error *err) {
  Chain &original = *twin.tracks[0].member.chain;
  if (!original.started)
    return fail(err, Status::not_started, "chain: it has no start yet, expected a chain that ran");
  if (chain_annealing_left(original) > 0)
    return fail(err, Status::unsupported, "chain: it is still annealing, for %lld steps",
                static_cast<long long>(chain_annealing_left(original)));
  return chain_check_data(original, err);
}

// Checks that all ranks run the same twin.
Status agree(const Twin &twin, int64_t steps, bool noisy, uint64_t seed, Status local, Error *err) {
  Chain &original = *twin.tracks[0].member.chain;
  if (original.comm.alone()) return local;
  CommonChains common(original.comm);
  common.add(original, true);
  common.with(RankCall::twin).with(steps).with(noisy).with(seed);
  return comm_agree(original.comm, common.common, local, err);
}

}  // namespace

Status twin_run(Twin &twin, int64_t steps, bool noisy, uint64_t seed, const TrackHooks &hooks,
                Error *err) {
  const Comm &comm = twin.tracks[0].member.chain->comm;
  ChainHold hold(2, [&](int64_t c) -> Chain & { return *twin.tracks[c].member.chain; });
  Status status = hold.take(err);
  const bool held = status == Status::ok;
  if (held) status = check_original(twin, err);
  status = agree(twin, steps, noisy, seed, status, err);
  if (held && status != Status::comm_failed) twin.decided = false;
  if (status != Status::ok) return status;
  status = make_labels(twin, noisy, seed, err);
  if (status == Status::ok) status = start(twin, noisy, seed, err);
  for (Track &track : twin.tracks) {
    track.lane.done = 0;
    track_plan(track, steps, steps);
  }
  if (status == Status::ok) status = run_tracks(twin.tracks, 2, comm, hooks, err);
  if (status != Status::ok) return status;
  const TimeSeries other = twin.tracks[0].series();
  status = decide_thermalization(twin.tracks[1].series(), &other, 1, tolerant(), twin.level,
                                 &twin.found, err);
  twin.decided = status == Status::ok;
  if (noisy && twin.found.reason == Reason::stuck && within_noise(twin)) {
    twin.found.verdict = Verdict::thermalized;
    twin.found.reason = Reason::merged;
  }
  return status;
}

}  // namespace nnp

#include "lib/study/keep.hpp"

#include <algorithm>
#include <cstring>

#include "lib/base/sizes.hpp"
#include "lib/base/text.hpp"
#include "lib/posterior/job.hpp"
#include "lib/posterior/passes.hpp"

namespace nnp {

// A quantity that can be kept: how many values it has, and how they are computed.
struct KeepOps {
  const char *name = nullptr;
  bool predicted = false;  // needs a predictor and rows
  bool scored = false;     // needs their targets or labels
  // carries: the noise continues from one draw to the next. shared: rows share it.
  bool carries = false, shared = false;
  Status (*check)(const KeepPlan &plan, Error *err) = nullptr;
  int64_t (*width)(const Net &net, const KeepPlan &plan) = nullptr;
  // Index of the values among the parameters; null: they are computed by `make`.
  int64_t (*first)(const Net &net) = nullptr;
  Status (*make)(Predictor &p, const KeepPlan &plan, const Draws &draw, double *out,
                 Error *err) = nullptr;
};

namespace {

// ---- the quantities --------------------------------------------------------------------------

Status check_none(const KeepPlan &, Error *) {
  return Status::ok;
}

template <Prediction kind>
Status check_predicted(const KeepPlan &plan, Error *err) {
  return check_prediction(*plan.how, {nullptr, 1}, kind, err);
}

template <Prediction kind>
int64_t predicted_width(const Net &, const KeepPlan &plan) {
  return prediction_size(*plan.how, *plan.data, {nullptr, 1}, kind);
}

template <Prediction kind>
Status make_predicted(Predictor &p, const KeepPlan &plan, const Draws &draw, double *out,
                      Error *err) {
  return predict(p, *plan.data, draw, kind, out, err);
}

template <Prediction kind>
constexpr KeepOps predicted(const char *name) {
  KeepOps ops;
  ops.name = name;
  ops.predicted = true;
  ops.check = check_predicted<kind>;
  ops.width = predicted_width<kind>;
  ops.make = make_predicted<kind>;
  return ops;
}

constexpr KeepOps parameters_ops() {
  KeepOps ops;
  ops.name = "parameters";
  ops.check = check_none;
  ops.width = [](const Net &net, const KeepPlan &) { return net.param_count(); };
  ops.first = [](const Net &) { return int64_t{0}; };
  return ops;
}

constexpr KeepOps scales_ops() {
  KeepOps ops;
  ops.name = "scales";
  ops.check = check_none;
  ops.width = [](const Net &net, const KeepPlan &) {
    return net.param_count() - net.weight_params();
  };
  ops.first = [](const Net &net) { return net.weight_params(); };
  return ops;
}

constexpr KeepOps functions_ops() {
  KeepOps ops;
  ops.name = "functions";
  ops.predicted = true;
  ops.scored = true;
  ops.check = [](const KeepPlan &plan, Error *err) {
    return check_functions(*plan.how, *plan.data, plan.rows, err);
  };
  ops.width = [](const Net &, const KeepPlan &plan) {
    return function_count(*plan.how, *plan.data, plan.rows);
  };
  ops.make = [](Predictor &p, const KeepPlan &plan, const Draws &draw, double *out, Error *err) {
    return functions_of(p, *plan.data, draw, plan.rows, out, err);
  };
  return ops;
}

constexpr KeepOps predictions_ops() {
  KeepOps ops = predicted<Prediction::draws>("predictions");
  ops.carries = true;
  return ops;
}

constexpr KeepOps log_lik_ops() {
  KeepOps ops;
  ops.name = "log_lik";
  ops.predicted = true;
  ops.scored = true;
  ops.carries = true;
  ops.shared = true;
  ops.check = check_none;
  ops.width = [](const Net &, const KeepPlan &plan) { return plan.data->n(); };
  ops.make = [](Predictor &p, const KeepPlan &plan, const Draws &draw, double *out, Error *err) {
    return log_lik(p, *plan.data, draw, out, err);
  };
  return ops;
}

constexpr KeepOps of_parameters = parameters_ops();
constexpr KeepOps of_scales = scales_ops();
constexpr KeepOps of_functions = functions_ops();
constexpr KeepOps of_mean = predicted<Prediction::mean>("mean");
constexpr KeepOps of_probabilities = predicted<Prediction::probabilities>("probabilities");
constexpr KeepOps of_predictions = predictions_ops();
constexpr KeepOps of_log_lik = log_lik_ops();

}  // namespace

const KeepOps *ops_of(Keep what) {
  switch (what) {
    case Keep::parameters:
      return &of_parameters;
    case Keep::scales:
      return &of_scales;
    case Keep::functions:
      return &of_functions;
    case Keep::mean:
      return &of_mean;
    case Keep::probabilities:
      return &of_probabilities;
    case Keep::predictions:
      return &of_predictions;
    case Keep::log_lik:
      return &of_log_lik;
  }
  return nullptr;
}

namespace {

// ---- checks ----------------------------------------------------------------------------------

Status check_rows(const Net &net, const KeepPlan &plan, const KeepOps &ops, Error *err) {
  if (!plan.how)
    return fail(err, Status::null_argument,
                "predictor: it is NULL, expected one with the settings of predictions");
  if (!plan.data) return fail(err, Status::null_argument, "data: it is NULL, expected rows");
  if (net_fingerprint(plan.how->net) != net_fingerprint(net))
    return fail(err, Status::bad_shape,
                "predictor: it is of another network, expected that of the keeper");
  Status status = net_check_inputs(net, *plan.data, err);
  if (status == Status::ok && ops.scored) status = net_check_targets(net, *plan.data, err);
  return status == Status::ok ? ops.check(plan, err) : status;
}

// Turns the message of another check into one about quantity `index`.
Status blame_plan(const KeepOps &ops, int64_t index, const Error &why, Error *err) {
  return fail(err, why.status, "kept: number %lld (%s): %.180s", ll(index), ops.name, why.message);
}

// ---- memory ----------------------------------------------------------------------------------

// Copies a predictor's settings without its draws: every draw is predicted separately.
Predictor *copy_settings(Arena &arena, const Net &net, const Predictor &from) {
  Predictor *to = arena.take<Predictor>(1);
  double *mean = arena.take<double>(from.net.outputs());
  double *sd = arena.take<double>(from.net.outputs());
  if (!to) return nullptr;
  *to = Predictor{};
  follow(*to, from);
  to->net = net;
  to->weights = nullptr;
  to->weight_count = 0;
  to->unit_mean = mean;
  to->unit_sd = sd;
  if (from.has_units) {
    std::copy_n(from.unit_mean, from.net.targets(), mean);
    std::copy_n(from.unit_sd, from.net.targets(), sd);
  }
  return to;
}

// Chain c uses the noise of a predictor whose seed is larger by c.
void begin_streams(const Kept &kept, int64_t chains) {
  const Tiling &tiling = kept.plan.data->tiling;
  Predictor p;
  for (int64_t c = 0; c < chains; ++c) {
    p.seed = kept.plan.how->seed + static_cast<uint64_t>(c);
    for (int64_t t = 0; t < tiling.tiles; ++t)
      kept.streams[c * tiling.tiles + t] =
          noise_source(p, tiling.tile_offset + t, kept.ops->shared).stream;
  }
}

void lay_out(Arena &arena, const Net &net, const KeepPlan &plan, int64_t chains, Kept *out) {
  Kept kept;
  kept.plan = plan;
  kept.ops = ops_of(plan.what);
  kept.width = kept_width(net, plan);
  if (kept.ops->predicted) kept.plan.how = copy_settings(arena, net, *plan.how);
  if (kept.ops->carries) {
    kept.streams = arena.take<Stream>(plan.data->tiling.tiles, chains);
    kept.next_streams = arena.take<Stream>(plan.data->tiling.tiles, chains);
  }
  if (plan.moments && !kept.ops->first) kept.scratch = arena.take<double>(kept.width, chains);
  if (plan.moments) {
    kept.mean = arena.take<double>(kept.width, chains);
    kept.square = arena.take<double>(kept.width, chains);
  }
  kept.stored = arena.take<int64_t>(chains);
  kept.began = arena.take<int64_t>(chains);
  if (!out) return;
  *out = kept;
  if (kept.streams) begin_streams(kept, chains);
}

// ---- taking a draw ---------------------------------------------------------------------------

// Where to write this draw's values: the caller's memory if they are stored, else the scratch.
double *room_for(const Kept &kept, int64_t chain) {
  return kept.values ? kept.place(chain, kept.stored[chain]) : kept.scratch + chain * kept.width;
}

const double *values_of(const Keeper &keeper, const Kept &kept, int64_t chain,
                        const double *params) {
  return kept.ops->first ? params + kept.ops->first(keeper.net) : room_for(kept, chain);
}

// Advances the noise after a draw; a draw that fails leaves it unchanged.
void carry_noise(const Kept &kept, int64_t chain, Predictor &p) {
  p.carried = p.carries_on = nullptr;
  if (!kept.streams) return;
  const int64_t tiles = kept.plan.data->tiling.tiles;
  p.carried = kept.streams + chain * tiles;
  p.carries_on = kept.next_streams + chain * tiles;
  std::copy_n(p.carried, tiles, p.carries_on);
}

Status make_values(const Keeper &keeper, const Kept &kept, int64_t chain, const double *params,
                   Error *err) {
  if (kept.ops->first) return Status::ok;
  Predictor &p = *keeper.predictors[chain];
  follow(p, *kept.plan.how);
  carry_noise(kept, chain, p);
  return kept.ops->make(p, kept.plan, {params, 1}, room_for(kept, chain), err);
}

void commit(const Keeper &keeper, Kept &kept, int64_t chain, const double *params) {
  const double *values = values_of(keeper, kept, chain, params);
  if (kept.streams) {
    const int64_t tiles = kept.plan.data->tiling.tiles;
    std::copy_n(kept.next_streams + chain * tiles, tiles, kept.streams + chain * tiles);
  }
  if (kept.mean) {
    Moments moments = kept_moments(kept, keeper.seen, chain);
    moments_add(moments, values, kept.width);
  }
  if (!kept.values) return;
  if (kept.ops->first && kept.width > 0)
    std::memcpy(room_for(kept, chain), values, static_cast<size_t>(kept.width) * sizeof(double));
  ++kept.stored[chain];
}

Status bring_values(const Kept &kept, int64_t chain, Carrier &carrier, Error *err) {
  Status status = carrier.bring(kept.stored[chain], err);
  const int64_t made = kept.stored[chain] - kept.began[chain];
  if (status != Status::ok || !kept.values || made <= 0) return status;
  return carrier.bring(kept.place(chain, kept.began[chain]),
                       static_cast<size_t>(made * kept.width) * sizeof(double), err);
}

Status bring_kept(const Kept &kept, int64_t chain, Carrier &carrier, Error *err) {
  const size_t width = static_cast<size_t>(kept.width) * sizeof(double);
  Status status = bring_values(kept, chain, carrier, err);
  if (status == Status::ok && kept.mean)
    status = carrier.bring(kept.mean + chain * kept.width, width, err);
  if (status == Status::ok && kept.mean)
    status = carrier.bring(kept.square + chain * kept.width, width, err);
  if (status != Status::ok || !kept.streams) return status;
  const int64_t tiles = kept.plan.data->tiling.tiles;
  return carrier.bring(kept.streams + chain * tiles, static_cast<size_t>(tiles) * sizeof(Stream),
                       err);
}

// Changes the last layer's noise for a moment: the keeper has its own copy of the layers.
void take_fingerprints(Keeper &keeper) {
  keeper.intermediate = net_fingerprint(net_collapsed(keeper.net));
  Layer &last = keeper.net.layers[keeper.net.depth - 1];
  const double noise = last.final_noise;
  last.final_noise = net_classical_noise(keeper.net);
  keeper.classical = net_fingerprint(keeper.net);
  last.final_noise = noise;
}

}  // namespace

size_t draws_advice(const Net &net, int64_t chains, int64_t draws, char *buffer, size_t size) {
  Text out = {buffer, size, 0};
  if (size > 0) buffer[0] = 0;
  const double bytes = static_cast<double>(net.param_count()) * static_cast<double>(chains) *
                       static_cast<double>(draws) * sizeof(double);
  if (bytes > modest_bytes)
    out.add(
        "draws of %lld parameters, %lld of each of %lld chains, take %.1f GB: keep less of them "
        "(keep), write them to a file (file), or make fewer (draws)",
        ll(net.param_count()), ll(draws), ll(chains), bytes / 1e9);
  return out.length;
}

Status check_plan(const Net &net, const KeepPlan &plan, int64_t index, Error *err) {
  const KeepOps *ops = ops_of(plan.what);
  if (!ops)
    return fail(err, Status::bad_enum, "kept: number %lld is %d, expected one of NNP_KEEP_…",
                ll(index), static_cast<int>(plan.what));
  Error why = {};
  const Status status = ops->predicted ? check_rows(net, plan, *ops, &why) : Status::ok;
  if (status != Status::ok) return blame_plan(*ops, index, why, err);
  if (kept_width(net, plan) > 0) return Status::ok;
  return fail(err, Status::unsupported,
              "kept: number %lld (%s): the network learns none, expected nnp_net_learn first",
              ll(index), ops->name);
}

int64_t kept_width(const Net &net, const KeepPlan &plan) {
  return ops_of(plan.what)->width(net, plan);
}

Keeper *keeper_layout(Arena &arena, const Net &net, const KeepPlan *plans, int64_t count,
                      int64_t chains) {
  Keeper *out = arena.take<Keeper>(1);
  Keeper keeper;
  keeper.net = net_copy(arena, net);
  keeper.count = count;
  keeper.chains = chains;
  keeper.kept = arena.take<Kept>(count);
  keeper.seen = arena.take<int64_t>(chains);
  bool predicts = false;
  for (int64_t i = 0; i < count; ++i) {
    lay_out(arena, keeper.net, plans[i], chains, keeper.kept ? keeper.kept + i : nullptr);
    predicts = predicts || ops_of(plans[i].what)->predicted;
  }
  if (predicts) keeper.predictors = arena.take<Predictor *>(chains);
  for (int64_t c = 0; predicts && c < chains; ++c) {
    Predictor *own = predictor_layout(arena, net, 1, 1);
    if (keeper.predictors) keeper.predictors[c] = own;
  }
  if (!out) return nullptr;
  take_fingerprints(keeper);
  *out = keeper;
  return out;
}

void keeper_store(Kept &kept, double *values, int64_t capacity, int64_t chains) {
  kept.values = values;
  kept.capacity = values ? capacity : 0;
  std::fill_n(kept.stored, chains, 0);
}

Status keeper_check(const Keeper &keeper, int64_t draws, Error *err) {
  for (int64_t i = 0; i < keeper.count; ++i) {
    const Kept &kept = keeper.kept[i];
    if (!kept.values && !kept.mean)
      return fail(err, Status::bad_value,
                  "keeper: number %lld (%s) has neither moments nor memory for values, expected "
                  "nnp_keeper_store first",
                  ll(i), kept.ops->name);
    for (int64_t c = 0; c < keeper.chains && kept.values; ++c)
      if (draws > kept.capacity - kept.stored[c])
        return fail(err, Status::buffer_too_small,
                    "count = %lld: number %lld of the keeper (%s) has room for %lld draws of chain "
                    "%lld, %lld of them taken",
                    ll(draws), ll(i), kept.ops->name, ll(kept.capacity), ll(c), ll(kept.stored[c]));
  }
  return Status::ok;
}

void keeper_begin(Keeper &keeper) {
  for (int64_t i = 0; i < keeper.count; ++i)
    std::copy_n(keeper.kept[i].stored, keeper.chains, keeper.kept[i].began);
}

Status keeper_make(const Keeper &keeper, int64_t chain, const double *params, Error *err) {
  for (int64_t i = 0; i < keeper.count; ++i) {
    Error why = {};
    const Status status = make_values(keeper, keeper.kept[i], chain, params, &why);
    if (status != Status::ok)
      return fail(err, status, "keeper: %s of draw %lld, chain %lld: %.170s",
                  keeper.kept[i].ops->name, ll(keeper.seen[chain]), ll(chain), why.message);
  }
  return Status::ok;
}

void keeper_take(Keeper &keeper, int64_t chain, const double *params) {
  for (int64_t i = 0; i < keeper.count; ++i) commit(keeper, keeper.kept[i], chain, params);
  ++keeper.seen[chain];
}

Status keeper_share(Keeper &keeper, int64_t chain, Carrier &carrier, Error *err) {
  Status status = carrier.bring(keeper.seen[chain], err);
  for (int64_t i = 0; i < keeper.count && status == Status::ok; ++i)
    status = bring_kept(keeper.kept[i], chain, carrier, err);
  return status;
}

Moments kept_moments(const Kept &kept, const int64_t *seen, int64_t chain) {
  return {kept.mean + chain * kept.width, kept.square + chain * kept.width, seen[chain]};
}

Moments merge_chains(const Keeper &keeper, const Kept &kept, int64_t value, double *mean,
                     double *square) {
  *mean = *square = 0;
  Moments all = {mean, square, 0};
  for (int64_t c = 0; c < keeper.chains; ++c) {
    Moments chain = kept_moments(kept, keeper.seen, c);
    chain.mean += value;
    chain.square += value;
    moments_merge(all, chain, 1);
  }
  return all;
}

}  // namespace nnp

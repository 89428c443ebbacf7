// Chains of the C API: making, starting, reading and saving them.
#include <cmath>
#include <limits>

#include "capi/families.hpp"
#include "lib/base/text.hpp"
#include "lib/network/scales.hpp"
#include "lib/posterior/gradient.hpp"
#include "lib/posterior/gradient_statistic.hpp"
#include "lib/posterior/intermediate.hpp"
#include "lib/sampler/gradient_sampler.hpp"
#include "lib/sampler/gradient_statistic.hpp"
#include "lib/sampler/save.hpp"
#include "lib/sampler/save_rows.hpp"
#include "lib/teacher/start.hpp"

using namespace nnp;

namespace {

// What a chain is made of: the caller's constants, and their values inside the library.
struct Method {
  SamplerKind sampler = SamplerKind::gibbs;
  PosteriorKind posterior = PosteriorKind::intermediate;
};

Status take_method(int32_t sampler, int32_t posterior, Method *method, Error *e) {
  NNP_TRY(take(sampler, "sampler", &method->sampler, e));
  return take(posterior, "posterior", &method->posterior, e);
}

auto layout_for(nnp_chain **chain, const nnp_net *net, const nnp_data *data, const Method &method) {
  return [=](Arena &arena) {
    ChainObject *object = arena.take<ChainObject>(1);
    Chain *made =
        chain_layout(arena, *unwrap(net), *unwrap(data), method.sampler, method.posterior);
    Predictor *predictor = predictor_layout(arena, *unwrap(net), 1);
    double *gradient_work = arena.take<double>(gradient_work_size(*unwrap(net)));
    Descent *descent = descent_layout(arena, *unwrap(net), unwrap(data)->tiling);
    if (!object) return;
    predictor->classical = method.posterior == PosteriorKind::classical;
    *object = ChainObject{made, predictor, gradient_work, descent, Lane{}, 0, 0};
    *chain = reinterpret_cast<nnp_chain *>(object);
  };
}

// NULL arguments are reported before wrong numbers.
Status check_new(const void *out, const char *name, const nnp_net *net, const nnp_data *data,
                 int32_t sampler, int32_t posterior, Method *taken, Error *e) {
  NNP_TRY(need(out, name, e));
  NNP_TRY(need(net, "net", e));
  NNP_TRY(need(data, "data", e));
  NNP_TRY(take_method(sampler, posterior, taken, e));
  const Method &method = *taken;
  NNP_TRY(chain_check(*unwrap(net), *unwrap(data), method.sampler, method.posterior, e));
  if (!overflows(layout_for(nullptr, net, data, method))) return Status::ok;
  return fail(e, Status::size_overflow,
              "net: a chain of its %lld parameters and of %lld rows with %lld latents each would "
              "need more bytes than memory can address",
              ll(unwrap(net)->param_count()), ll(unwrap(data)->n()),
              ll(unwrap(net)->latent_width()));
}

// If rows are spread over ranks, all of them make the chain, from the same network.
Status agree_on_chain(const nnp_net *net, const nnp_data *data, int32_t sampler, int32_t posterior,
                      Status local, Error *e) {
  if (!data || !unwrap(data)->rows || unwrap(data)->rows->comm.alone()) return local;
  const Comm &comm = unwrap(data)->rows->comm;
  Common common;
  common.version = comm.version;
  if (local == Status::ok) common.network = net_fingerprint(*unwrap(net));
  common.network = hash_value(hash_value(common.network, sampler), posterior);
  return comm_agree(comm, common, local, e);
}

Status need_finite(const double *values, int64_t count, const char *name, Error *e) {
  for (int64_t i = 0; i < count; ++i)
    if (!std::isfinite(values[i]))
      return fail(e, Status::not_finite, "%s: entry %lld is %g, expected a finite number", name,
                  ll(i), values[i]);
  return Status::ok;
}

// For calls that also use the targets or labels, which may have changed since.
Status check_started_on_data(nnp_chain *chain, Error *e) {
  NNP_TRY(need_started(chain, e));
  return chain_check_data(*unwrap(chain)->chain, e);
}

// -infinity is allowed: it is the density of scores that contradict their labels.
Status check_term(double value, const char *name, Error *e) {
  if (value < std::numeric_limits<double>::infinity()) return Status::ok;
  return fail(e, Status::numeric, "%s: it exceeds double precision (%g)", name, value);
}

Status need_gradient_sampler(const nnp_chain *chain, const char *lacks, Error *e) {
  const SamplerOps &ops = *ops_of(unwrap(chain)->chain->sampler);
  if (ops.follows_gradients) return Status::ok;
  char names[80] = "";
  Text wanted = {names, sizeof names, 0};
  add_sampler_names(wanted, [](const SamplerOps &row) { return row.follows_gradients; });
  return fail(e, Status::unsupported, "chain: sampler %s %s, expected %s", ops.name, lacks, names);
}

void copy_params(const void *params, State &state) {
  std::memcpy(state.params, params, static_cast<size_t>(state.net.param_count()) * sizeof(double));
}

Status check_parameters(const Net &net, const double *parameters, Error *e) {
  NNP_TRY(need(parameters, "parameters", e));
  NNP_TRY(need_finite(parameters, net.param_count(), "parameters", e));
  return check_scales(
      net, [parameters](int64_t i) { return parameters[i]; }, "parameters", Status::bad_value, e);
}

// The scores of a given state must agree with the labels; checked before anything is changed.
Status check_scores(const State &state, const double *sites, Error *e) {
  const HeadOps &head = *ops_of(state.net.head);
  if (!head.latent) return Status::ok;
  const int64_t width = state.net.outputs();
  const double *scores = sites + (state.net.latent_width() - width) * state.tiling.n;
  for (int64_t i = 0; i < state.tiling.n; ++i) {
    const double *given = scores + i * width;
    // One row as a tile of one row: its scores are ld = 1 apart.
    const ConstTile tile = {given, 1, width, 1};
    if (head.feasible(state.data->labels + i, tile, 0)) continue;
    return fail(e, Status::infeasible, "sites: the scores of row %lld contradict its label %d",
                ll(i), static_cast<int>(state.data->labels[i]));
  }
  return Status::ok;
}

// The paper's start of HMC and MALA.
constexpr double small_sd = 1e-4;

Draws current_draw(const ChainObject &object) {
  return {object.chain->state.params, 1};
}

}  // namespace

int32_t nnp_chain_create(nnp_chain **chain, const nnp_net *net, const nnp_data *data,
                         int32_t sampler, int32_t posterior, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    nnp_chain *made = nullptr;
    const auto build = [&] {
      Method method;
      NNP_TRY(check_new(chain, "chain", net, data, sampler, posterior, &method, e));
      return build_on_heap(layout_for(&made, net, data, method), e);
    };
    const Status status = agree_on_chain(net, data, sampler, posterior, build(), e);
    if (status == Status::ok)
      *chain = made;
    else
      nnp::free_block(made);
    return status;
  });
}

void nnp_chain_free(nnp_chain *chain) {
  nnp::free_block(chain);
}

int32_t nnp_chain_bytes(const nnp_net *net, const nnp_data *data, int32_t sampler,
                        int32_t posterior, size_t *bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    Method method;
    NNP_TRY(check_new(bytes, "bytes", net, data, sampler, posterior, &method, e));
    return count_bytes(layout_for(nullptr, net, data, method), bytes, e);
  });
}

int32_t nnp_chain_init(nnp_chain **chain, void *memory, size_t bytes, const nnp_net *net,
                       const nnp_data *data, int32_t sampler, int32_t posterior, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    nnp_chain *made = nullptr;
    const auto build = [&] {
      Method method;
      NNP_TRY(check_new(chain, "chain", net, data, sampler, posterior, &method, e));
      return build_in(memory, bytes, layout_for(&made, net, data, method), e);
    };
    NNP_TRY(agree_on_chain(net, data, sampler, posterior, build(), e));
    *chain = made;
    return Status::ok;
  });
}

static Status need_moves(const nnp_chain *chain, Error *e) {
  NNP_TRY(need(chain, "chain", e));
  const SamplerOps &ops = *ops_of(unwrap(chain)->chain->sampler);
  if (ops.set_moves) return Status::ok;
  return fail(e, Status::unsupported, "chain: its sampler is %s, which has no extra moves",
              ops.name);
}

int32_t nnp_chain_set(nnp_chain *chain, int32_t option, double value, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_free(chain, e));
    Chain &inner = *unwrap(chain)->chain;
    Option which = Option::simd;
    NNP_TRY(take(option, "option", &which, e));
    if (has_option(inner.sampler, which))
      NNP_TRY(take_value(values_of(which), *option_row(which), value, &value, e));
    return chain_set(inner, which, value, e);
  });
}

int32_t nnp_chain_get(const nnp_chain *chain, int32_t option, double *value, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(chain, "chain", e));
    NNP_TRY(need(value, "value", e));
    Option which = Option::simd;
    NNP_TRY(take(option, "option", &which, e));
    *value = value_of(values_of(which), unwrap(chain)->chain->options[which]);
    return Status::ok;
  });
}

int32_t nnp_option_info(int32_t option, const char **name, double *low, double *high,
                        double *initial, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    Option which = Option::simd;
    NNP_TRY(take(option, "option", &which, e));
    tell_option(*option_row(which), values_of(which), name, low, high, initial);
    return Status::ok;
  });
}

int32_t nnp_chain_use_pool(nnp_chain *chain, nnp_pool *pool, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_free(chain, e));
    unwrap(chain)->chain->state.pool = unwrap(pool);
    return Status::ok;
  });
}

Status nnp::check_group(const ChainGroup &group, Error *e) {
  constexpr int64_t most_chains = 4096;
  NNP_TRY(need(group.chains, "chains", e));
  NNP_TRY(need_size(group.count, group.least, most_chains, "chain_count", e));
  for (int64_t c = 0; c < group.count; ++c) {
    NNP_TRY(need(group.chains[c], "chains: an entry", e));
    NNP_TRY(need_own_rows(group.chains[c], group.what, e));
    const Chain &first = *unwrap(group.chains[0])->chain, &other = *unwrap(group.chains[c])->chain;
    if (first.state.data != other.state.data || first.sampler != other.sampler ||
        first.posterior != other.posterior || !group.same_network(first.state.net, other.state.net))
      return fail(e, Status::bad_shape,
                  "chains: entry %lld has another network, data, sampler or posterior than entry 0",
                  ll(c));
    NNP_TRY(need_new_chain(group.chains, c, e));
  }
  return Status::ok;
}

Status nnp::check_start(nnp_chain *chain, Start start, Error *e) {
  NNP_TRY(need_free(chain, e));
  if (start == Start::fit) NNP_TRY(engine_check(unwrap(chain)->chain->state, e));
  return chain_check_data(*unwrap(chain)->chain, e);
}

Status nnp::begin_start(nnp_chain *chain, Start start, uint64_t seed, uint64_t number, Error *e) {
  NNP_TRY(check_start(chain, start, e));
  State &state = unwrap(chain)->chain->state;
  chain_begin_start(*unwrap(chain)->chain, seed, number);
  if (start == Start::zero) {
    start_zero(state);
  } else if (start == Start::small) {
    start_small(state, small_sd);
  } else if (start == Start::fit) {
    can_descend(chain) ? start_modest(state) : start_zero(state);
  } else {
    draw_prior_params(state);
    fill_sites(state, true);
  }
  return chain_started(*unwrap(chain)->chain, e);
}

int32_t nnp_chain_start(nnp_chain *chain, int32_t start, uint64_t seed, uint64_t number,
                        nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(chain, "chain", e));
    Start how = Start::zero;
    Status checked = take(start, "start", &how, e);
    if (checked == Status::ok) checked = check_start(chain, how, e);
    NNP_TRY(agree_on_start(&chain, 1, {how, seed, number}, checked, e));
    const Status begun = begin_start(chain, how, seed, number, e);
    if (how != Start::fit || !can_descend(chain)) return begun;
    return descend_chains(&chain, 1, {0, true, begun}, nullptr, nullptr, e);
  });
}

namespace nnp {

Status start_from_weights(nnp_chain *chain, const GivenParams &given, bool noisy, uint64_t seed,
                          uint64_t number, Error *e) {
  NNP_TRY(need_free(chain, e));
  NNP_TRY(agree_on_rows(chain, seed, number, chain_check_data(*unwrap(chain)->chain, e), e));
  State &state = unwrap(chain)->chain->state;
  chain_begin_start(*unwrap(chain)->chain, seed, number);
  given.put(given.source, state);
  take_scales(state.net, state.params);
  fill_sites(state, noisy);
  return chain_started(*unwrap(chain)->chain, e);
}

Status start_from_state(nnp_chain *chain, const GivenParams &given, const double *sites,
                        uint64_t seed, uint64_t number, Error *e) {
  NNP_TRY(need_free(chain, e));
  State &state = unwrap(chain)->chain->state;
  const int64_t width = state.with_latents ? state.net.latent_width() : 0;
  const int64_t latents = width * state.tiling.n;
  const auto check = [&] {
    if (latents > 0) NNP_TRY(need(sites, "sites", e));
    NNP_TRY(chain_check_data(*unwrap(chain)->chain, e));
    NNP_TRY(need_finite(sites, latents, "sites", e));
    return state.last_latent == state.net.depth ? check_scores(state, sites, e) : Status::ok;
  };
  NNP_TRY(agree_on_rows(chain, seed, number, check(), e));
  chain_begin_start(*unwrap(chain)->chain, seed, number);
  given.put(given.source, state);
  take_scales(state.net, state.params);
  for (int64_t k = 1; k <= state.last_latent; ++k) {
    scatter_rows(state.tiling, sites, state.net.site_width(k), state.latents[k]);
    sites += state.net.site_width(k) * state.tiling.n;
  }
  return chain_started(*unwrap(chain)->chain, e);
}

}  // namespace nnp

// Rows over ranks: checks that all ranks were given the same parameters.
static Status agree_on_parameters(const nnp_chain *chain, const double *parameters, int32_t noisy,
                                  Status local, Error *e) {
  const State &state = unwrap(chain)->chain->state;
  if (!state.rows() || state.rows()->comm.alone()) return local;
  Common common;
  common.version = state.rows()->comm.version;
  common.call = hash_value(hash_start, noisy);
  if (local == Status::ok)
    common.start = hash_bytes(hash_start, parameters,
                              static_cast<size_t>(state.net.param_count()) * sizeof(double));
  return comm_agree(state.rows()->comm, common, local, e);
}

int32_t nnp_chain_start_weights(nnp_chain *chain, const double *parameters, int32_t noisy,
                                uint64_t seed, uint64_t number, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_free(chain, e));
    const auto check = [&] {
      NNP_TRY(need_flag(noisy, "noisy", e));
      return check_parameters(unwrap(chain)->chain->state.net, parameters, e);
    };
    NNP_TRY(agree_on_parameters(chain, parameters, noisy, check(), e));
    return start_from_weights(chain, {copy_params, parameters}, noisy == 1, seed, number, e);
  });
}

int32_t nnp_chain_start_state(nnp_chain *chain, const double *parameters, const double *sites,
                              uint64_t seed, uint64_t number, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_free(chain, e));
    NNP_TRY(agree_on_parameters(
        chain, parameters, 0, check_parameters(unwrap(chain)->chain->state.net, parameters, e), e));
    return start_from_state(chain, {copy_params, parameters}, sites, seed, number, e);
  });
}

int32_t nnp_chain_anneal(nnp_chain *chain, double from, int64_t steps, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_free(chain, e));
    NNP_TRY(need_started(chain, e));
    NNP_TRY(need_size(steps, 1, max_size, "steps", e));
    return chain_anneal(*unwrap(chain)->chain, from, steps, e);
  });
}

int32_t nnp_chain_annealing(const nnp_chain *chain, int64_t *steps, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_started(chain, e));
    NNP_TRY(need(steps, "steps", e));
    *steps = chain_annealing_left(*unwrap(chain)->chain);
    return Status::ok;
  });
}

int32_t nnp_chain_steps(const nnp_chain *chain, int64_t *steps, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(chain, "chain", e));
    NNP_TRY(need(steps, "steps", e));
    *steps = unwrap(chain)->chain->steps;
    return Status::ok;
  });
}

int32_t nnp_chain_parameters(const nnp_chain *chain, double *parameters, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_started(chain, e));
    NNP_TRY(need(parameters, "parameters", e));
    const State &state = unwrap(chain)->chain->state;
    std::memcpy(parameters, state.params,
                static_cast<size_t>(state.net.param_count()) * sizeof(double));
    return Status::ok;
  });
}

int32_t nnp_chain_site(const nnp_chain *chain, int64_t site, double *values, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_started(chain, e));
    NNP_TRY(need(values, "values", e));
    const State &state = unwrap(chain)->chain->state;
    NNP_TRY(need_index(site, 1, state.net.described_depth(), "site", e));
    if (!state.with_latents)
      return fail(e, Status::unsupported,
                  "site = %lld: the classical posterior has parameters only, no sites", ll(site));
    const int64_t k = state.net.find_site(site);
    if (k == 0)
      return fail(e, Status::unsupported,
                  "site = %lld: it is integrated out, expected a site that is sampled or "
                  "NNP_COLLAPSE = 0 on layer %lld",
                  ll(site), ll(site + 1));
    gather_rows(state.tiling, state.site(k), state.site_columns(k), values);
    return Status::ok;
  });
}

int32_t nnp_chain_terms(nnp_chain *chain, double *log_noise, double *log_prior, double *residuals,
                        nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(meet_over_rows(chain, check_started_on_data(chain, e), e));
    const State &state = unwrap(chain)->chain->state;
    log_density_terms(unwrap(chain)->chain->state, log_noise, log_prior, residuals);
    NNP_TRY(check_sums(chain, e));
    for (int64_t k = 0; k < state.net.described_depth(); ++k) {
      if (log_noise) NNP_TRY(check_term(log_noise[k], "log_noise", e));
      if (log_prior) NNP_TRY(check_term(log_prior[k], "log_prior", e));
      if (residuals) NNP_TRY(check_term(residuals[k], "residuals", e));
    }
    return Status::ok;
  });
}

int32_t nnp_chain_log_density(nnp_chain *chain, double *value, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    const Status given = need(value, "value", e);
    NNP_TRY(
        meet_over_rows(chain, given == Status::ok ? check_started_on_data(chain, e) : given, e));
    const double found = log_density(unwrap(chain)->chain->state);
    NNP_TRY(check_sums(chain, e));
    NNP_TRY(check_term(found, "log density", e));
    *value = found;
    return Status::ok;
  });
}

int32_t nnp_chain_gradient_statistic(nnp_chain *chain, int64_t layer, double *value,
                                     nnp_error *err) {
  return guarded(err, [&](Error *e) {
    const auto check = [&] {
      NNP_TRY(check_started_on_data(chain, e));
      NNP_TRY(need(value, "value", e));
      return check_gradient_layer(unwrap(chain)->predictor->net, layer, e);
    };
    NNP_TRY(meet_over_rows(chain, check(), e));
    ChainObject &object = *unwrap(chain);
    const int64_t k = find_layer(object.chain->state.net, layer);
    const double found = chain_gradient_statistic(*object.chain, k, object.gradient_work);
    NNP_TRY(check_sums(chain, e));
    if (!std::isfinite(found))
      return fail(e, Status::numeric,
                  "layer = %lld: its gradient statistic exceeds double precision", ll(layer));
    *value = found;
    return Status::ok;
  });
}

int32_t nnp_chain_moves(const nnp_chain *chain, int32_t move, nnp_move_count *count,
                        nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_moves(chain, e));
    NNP_TRY(need(count, "count", e));
    Move kind = Move::plain_step;
    NNP_TRY(take(move, "move", &kind, e));
    const MoveCount &made = unwrap(chain)->chain->moves[static_cast<int32_t>(kind) - 1];
    *count = {made.tried, made.moved, made.evaluations, {}};
    return Status::ok;
  });
}

int32_t nnp_chain_print(const nnp_chain *chain, char *buffer, size_t size, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_moves(chain, e));
    NNP_TRY(need(buffer, "buffer", e));
    const Chain &c = *unwrap(chain)->chain;
    Text text = {buffer, size, 0};
    text.add("%lld steps, %lld of annealing left\n", ll(c.steps), ll(chain_annealing_left(c)));
    text.add("%-24s %12s %12s %12s\n", "move", "tried", "moved", "evaluations");
    for (int32_t i = 0; i < move_kinds; ++i) {
      const MoveCount &made = c.moves[i];
      if (made.tried > 0)
        text.add("%-24s %12lld %12lld %12lld\n", move_name(static_cast<Move>(i + 1)),
                 ll(made.tried), ll(made.moved), ll(made.evaluations));
    }
    return text.finish(e);
  });
}

int32_t nnp_chain_probit_draws(const nnp_chain *chain, int64_t *exact, int64_t *scanned,
                               nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_started(chain, e));
    NNP_TRY(need(exact, "exact", e));
    NNP_TRY(need(scanned, "scanned", e));
    const State &state = unwrap(chain)->chain->state;
    *exact = *scanned = 0;
    for (int64_t b = 0; b < state.tiling.blocks; ++b) {
      *exact += state.blocks[b].counts.exact;
      *scanned += state.blocks[b].counts.scanned;
    }
    return Status::ok;
  });
}

int32_t nnp_chain_statistic(const nnp_chain *chain, int32_t statistic, double *value,
                            nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_started(chain, e));
    NNP_TRY(need(value, "value", e));
    NNP_TRY(need_gradient_sampler(chain, "has no statistics", e));
    StepStatistic which = StepStatistic::energy;
    NNP_TRY(take(statistic, "statistic", &which, e));
    *value = unwrap(chain)->chain->statistics[which];
    return Status::ok;
  });
}

int32_t nnp_chain_record(nnp_chain *chain, double *values, int64_t capacity, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(chain, "chain", e));
    NNP_TRY(need_gradient_sampler(chain, "has no statistics", e));
    if (values) NNP_TRY(need_size(capacity, 1, max_size, "capacity", e));
    unwrap(chain)->chain->record = {values, capacity, 0};
    return Status::ok;
  });
}

int32_t nnp_chain_recorded(const nnp_chain *chain, int64_t *steps, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(chain, "chain", e));
    NNP_TRY(need(steps, "steps", e));
    *steps = unwrap(chain)->chain->record.steps;
    return Status::ok;
  });
}

int32_t nnp_chain_variables(const nnp_chain *chain, int64_t *variables, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(chain, "chain", e));
    NNP_TRY(need(variables, "variables", e));
    *variables = unwrap(chain)->chain->state.variables();
    return Status::ok;
  });
}

int32_t nnp_chain_set_scales(nnp_chain *chain, const double *variances, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_free(chain, e));
    NNP_TRY(need_gradient_sampler(chain, "has no scales", e));
    Chain &inner = *unwrap(chain)->chain;
    for (int64_t i = 0; variances && i < inner.state.variables(); ++i)
      if (!(variances[i] > 0) || !std::isfinite(variances[i]))
        return fail(e, Status::bad_value,
                    "variances: entry %lld is %g, expected a positive, finite number", ll(i),
                    variances[i]);
    gradient_set_scales(inner, variances);
    inner.prepared = false;
    return Status::ok;
  });
}

int32_t nnp_chain_scales(const nnp_chain *chain, double *variances, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_started(chain, e));
    NNP_TRY(need(variances, "variances", e));
    NNP_TRY(need_gradient_sampler(chain, "has no scales", e));
    gradient_scales(*unwrap(chain)->chain, variances);
    return Status::ok;
  });
}

int32_t nnp_chain_predict(nnp_chain *chain, const nnp_data *data, double *outputs, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_started(chain, e));
    NNP_TRY(need(data, "data", e));
    NNP_TRY(need(outputs, "outputs", e));
    const ChainObject &object = *unwrap(chain);
    return predict(object.member().predicting(), *unwrap(data), current_draw(object),
                   Prediction::mean, outputs, e);
  });
}

int32_t nnp_chain_score(nnp_chain *chain, const nnp_data *data, int32_t score_kind, double *value,
                        nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_started(chain, e));
    NNP_TRY(need(data, "data", e));
    NNP_TRY(need(value, "value", e));
    const ChainObject &object = *unwrap(chain);
    Score kind = Score::mse;
    NNP_TRY(take(score_kind, "score", &kind, e));
    return score_of(object.member().predicting(), *unwrap(data), current_draw(object), kind, value,
                    e);
  });
}

static size_t saved_size(const Chain &chain) {
  return chain.state.rows() ? save_rows_size(chain) : save_size(chain);
}

int32_t nnp_chain_save_bytes(const nnp_chain *chain, size_t *bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(chain, "chain", e));
    NNP_TRY(need(bytes, "bytes", e));
    *bytes = saved_size(*unwrap(chain)->chain);
    return Status::ok;
  });
}

int32_t nnp_chain_save(const nnp_chain *chain, void *buffer, size_t size, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_started(chain, e));
    NNP_TRY(need(buffer, "buffer", e));
    const Chain &inner = *unwrap(chain)->chain;
    const size_t needed = saved_size(inner);
    if (size < needed)
      return fail(e, Status::buffer_too_small, "size = %zu: expected at least %zu", size, needed);
    return inner.state.rows() ? save_rows(inner, buffer, e) : save_chain(inner, buffer, e);
  });
}

int32_t nnp_chain_restore(nnp_chain *chain, const void *buffer, size_t size, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_free(chain, e));
    Chain &inner = *unwrap(chain)->chain;
    if (inner.state.rows()) {
      const SavedPart part = {buffer, size};
      return restore_rows(inner, &part, 1, need(buffer, "buffer", e), e);
    }
    NNP_TRY(need(buffer, "buffer", e));
    NNP_TRY(chain_check_data(inner, e));
    return restore_chain(inner, buffer, size, e);
  });
}

static Status check_parts(const nnp_saved *parts, int64_t count, Error *e) {
  NNP_TRY(need(parts, "saves", e));
  NNP_TRY(need_index(count, 1, max_ranks, "count", e));
  for (int64_t i = 0; i < count; ++i) NNP_TRY(need(parts[i].buffer, "saves: a buffer", e));
  return Status::ok;
}

int32_t nnp_chain_restore_rows(nnp_chain *chain, const nnp_saved *saves, int64_t count,
                               nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_free(chain, e));
    Chain &inner = *unwrap(chain)->chain;
    if (!inner.state.rows())
      return fail(e, Status::unsupported,
                  "chain: its rows are not spread over ranks, expected nnp_chain_restore, or data "
                  "made by nnp_data_create_rows");
    static_assert(sizeof(SavedPart) == sizeof(nnp_saved), "the same fields");
    return restore_rows(inner, reinterpret_cast<const SavedPart *>(saves), count,
                        check_parts(saves, count, e), e);
  });
}

int32_t nnp_saved_rows(const void *buffer, size_t size, nnp_rows *rows, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(buffer, "buffer", e));
    NNP_TRY(need(rows, "rows", e));
    SavedRows found;
    NNP_TRY(read_saved_rows({buffer, size}, &found, e));
    *rows = {found.total, found.first, found.count, found.blocks, {}};
    return Status::ok;
  });
}

// Keepers: store quantities of draws instead of all their parameters.
#include "capi/keep.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "capi/families.hpp"
#include "lib/base/sizes.hpp"

using namespace nnp;

namespace {

constexpr int64_t most_chains = 1 << 20;

// The plan of a quantity whose constant has been checked.
KeepPlan plan_of(const nnp_kept &kept) {
  KeepPlan plan;
  take(kept.what, "kept.what", &plan.what, nullptr);
  plan.moments = kept.moments != 0;
  plan.how = kept.predictor ? unwrap(kept.predictor) : nullptr;
  plan.data = kept.data ? unwrap(kept.data) : nullptr;
  plan.rows = kept.rows;
  return plan;
}

struct Plans {
  KeepPlan list[max_kept];
};

Plans plans_of(const nnp_kept *kept, int64_t count) {
  Plans plans;
  for (int64_t i = 0; i < count; ++i) plans.list[i] = plan_of(kept[i]);
  return plans;
}

auto layout_for(nnp_keeper **keeper, const nnp_net *net, const nnp_kept *kept, int64_t count,
                int64_t chains) {
  return [=](Arena &arena) {
    const Plans plans = plans_of(kept, count);
    KeeperObject *object = arena.take<KeeperObject>(1);
    Keeper *made = keeper_layout(arena, *unwrap(net), plans.list, count, chains);
    if (!object) return;
    *object = KeeperObject{};
    object->keeper = made;
    *keeper = reinterpret_cast<nnp_keeper *>(object);
  };
}

Status check_one(const nnp_net *net, const nnp_kept &kept, int64_t index, Error *e) {
  Keep what = Keep::parameters;
  char name[40];
  std::snprintf(name, sizeof name, "kept[%lld].what", ll(index));
  NNP_TRY(take(kept.what, name, &what, e));
  NNP_TRY(need_flag(kept.moments, "kept: moments", e));
  NNP_TRY(need_unused(kept.reserved, 4, "kept", e));
  if (kept.what != NNP_KEEP_FUNCTIONS && kept.rows != 0)
    return fail(e, Status::bad_value, "kept: number %lld has rows = %lld, expected 0", ll(index),
                ll(kept.rows));
  return check_plan(*unwrap(net), plan_of(kept), index, e);
}

Status check_new(const void *out, const char *name, const nnp_net *net, const nnp_kept *kept,
                 int64_t count, int64_t chains, Error *e) {
  NNP_TRY(need(out, name, e));
  NNP_TRY(need(net, "net", e));
  NNP_TRY(net_check_complete(*unwrap(net), e));
  NNP_TRY(need(kept, "kept", e));
  NNP_TRY(need_index(count, 1, max_kept, "kept_count", e));
  NNP_TRY(need_index(chains, 1, most_chains, "chain_count", e));
  for (int64_t i = 0; i < count; ++i) NNP_TRY(check_one(net, kept[i], i, e));
  return Status::ok;
}

// Fails if a run holds the keeper.
Status need_idle(const nnp_keeper *keeper, int64_t index, Error *e) {
  NNP_TRY(need_kept(keeper, index, e));
  if (!__atomic_load_n(&unwrap(keeper)->held, __ATOMIC_ACQUIRE)) return Status::ok;
  return fail(e, Status::unsupported, "keeper: a run is using it, expected that run to be over");
}

Status need_moments(const nnp_keeper *keeper, int64_t index, int64_t chain, Error *e) {
  NNP_TRY(need_idle(keeper, index, e));
  const Keeper &inner = *unwrap(keeper)->keeper;
  NNP_TRY(need_index(chain, NNP_ALL_CHAINS, inner.chains - 1, "chain", e));
  if (!inner.kept[index].mean)
    return fail(e, Status::unsupported,
                "index = %lld: its moments are not kept, expected a quantity with moments = 1",
                ll(index));
  int64_t draws = 0;
  for (int64_t c = 0; c < inner.chains; ++c)
    if (chain == NNP_ALL_CHAINS || chain == c) draws += inner.seen[c];
  if (draws > 0) return Status::ok;
  return fail(e, Status::bad_size, "keeper: it has no draws yet, expected nnp_chains_keep first");
}

void write_moments(const Moments &moments, int64_t width, double *variance) {
  for (int64_t i = 0; i < width && variance; ++i)
    variance[i] =
        moments.count > 1 ? moments.square[i] / static_cast<double>(moments.count - 1) : NAN;
}

void write_rhat(const Keeper &keeper, const Kept &kept, double *rhat) {
  const int64_t draws = keeper.seen[0];
  const bool even = std::all_of(keeper.seen, keeper.seen + keeper.chains,
                                [draws](int64_t seen) { return seen == draws; });
  for (int64_t i = 0; i < kept.width; ++i)
    rhat[i] =
        even ? moments_rhat(kept.mean + i, kept.square + i, kept.width, keeper.chains, draws) : NAN;
}

void write_merged(const Keeper &keeper, const Kept &kept, double *mean, double *variance) {
  for (int64_t i = 0; i < kept.width; ++i) {
    double square = 0;
    const Moments all = merge_chains(keeper, kept, i, mean + i, &square);
    write_moments(all, 1, variance ? variance + i : nullptr);
  }
}

Status check_file(const KeeperObject &keeper, int64_t index, nnp_chain *const *chains,
                  int64_t chain_count, Error *e) {
  const Comm &comm = unwrap(chains[0])->chain->comm;
  if (!comm.alone())
    return fail(e, Status::unsupported,
                "keeper: number %lld goes to a file, expected memory if ranks share chains",
                ll(index));
  for (int64_t i = 0; i < index; ++i)
    if (keeper.files[i] == keeper.files[index])
      return fail(e, Status::unsupported,
                  "keeper: numbers %lld and %lld go to the same file, expected one for each", ll(i),
                  ll(index));
  for (int64_t c = 0; c < chain_count; ++c) {
    const int64_t there = last_record(*keeper.files[index], c).draws;
    const int64_t known = keeper.keeper->kept[index].stored[c];
    if (there != known)
      return fail(e, Status::unsupported,
                  "keeper: the file of number %lld has %lld draws of chain %lld, expected %lld: "
                  "another keeper has written it meanwhile",
                  ll(index), ll(there), ll(c), ll(known));
    NNP_TRY(check_file_chain(*keeper.files[index], c, *unwrap(chains[c])->chain, e));
  }
  return Status::ok;
}

}  // namespace

Status nnp::need_kept(const nnp_keeper *keeper, int64_t index, Error *e) {
  NNP_TRY(need(keeper, "keeper", e));
  return need_index(index, 0, unwrap(keeper)->keeper->count - 1, "index", e);
}

Status nnp::check_keeper(const KeeperObject &object, nnp_chain *const *chains, int64_t chain_count,
                         int64_t draws, Error *e) {
  const Keeper &keeper = *object.keeper;
  if (chain_count != keeper.chains)
    return fail(e, Status::bad_size, "chain_count = %lld: the keeper is made for %lld chains",
                ll(chain_count), ll(keeper.chains));
  for (int64_t c = 0; c < chain_count; ++c) {
    const Chain &chain = *unwrap(chains[c])->chain;
    const bool classical = chain.posterior == PosteriorKind::classical;
    if (net_fingerprint(chain.state.net) != (classical ? keeper.classical : keeper.intermediate))
      return fail(e, Status::bad_shape,
                  "chains: chain %lld has another network than the one the keeper is made for",
                  ll(c));
  }
  NNP_TRY(keeper_check(keeper, draws, e));
  for (int64_t i = 0; i < keeper.count; ++i)
    if (object.files[i]) NNP_TRY(check_file(object, i, chains, chain_count, e));
  return Status::ok;
}

void nnp::begin_keeping(KeeperObject &object, nnp_chain *const *chains) {
  keeper_begin(*object.keeper);
  for (int64_t i = 0; i < object.keeper->count; ++i)
    for (int64_t c = 0; c < object.keeper->chains && object.files[i]; ++c)
      file_begin(*object.files[i], c, *unwrap(chains[c])->chain);
}

Status nnp::keep_draw(KeeperObject &object, int64_t index, const Chain &chain, Error *e) {
  const Status made = keeper_make(*object.keeper, index, chain.state.params, e);
  NNP_TRY(rows_agree(chain.state.rows(), made, e));
  keeper_take(*object.keeper, index, chain.state.params);
  for (int64_t i = 0; i < object.keeper->count; ++i)
    if (object.files[i]) file_count(*object.files[i], index, chain);
  return Status::ok;
}

int32_t nnp_draws_advice(const nnp_net *net, int64_t chains, int64_t draws, char *buffer,
                         size_t size, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    NNP_TRY(need_index(chains, 1, most_chains, "chains", e));
    NNP_TRY(need_index(draws, 1, max_size, "draws", e));
    NNP_TRY(need(buffer, "buffer", e));
    const size_t needed = draws_advice(*unwrap(net), chains, draws, buffer, size);
    if (needed < size) return Status::ok;
    return fail(e, Status::buffer_too_small, "size = %zu: expected at least %zu", size, needed + 1);
  });
}

int32_t nnp_keeper_create(nnp_keeper **keeper, const nnp_net *net, const nnp_kept *kept,
                          int64_t kept_count, int64_t chain_count, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_new(keeper, "keeper", net, kept, kept_count, chain_count, e));
    return build_on_heap(layout_for(keeper, net, kept, kept_count, chain_count), e);
  });
}

void nnp_keeper_free(nnp_keeper *keeper) {
  nnp::free_block(keeper);
}

int32_t nnp_keeper_bytes(const nnp_net *net, const nnp_kept *kept, int64_t kept_count,
                         int64_t chain_count, size_t *bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_new(bytes, "bytes", net, kept, kept_count, chain_count, e));
    return count_bytes(layout_for(nullptr, net, kept, kept_count, chain_count), bytes, e);
  });
}

int32_t nnp_keeper_init(nnp_keeper **keeper, void *memory, size_t bytes, const nnp_net *net,
                        const nnp_kept *kept, int64_t kept_count, int64_t chain_count,
                        nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_new(keeper, "keeper", net, kept, kept_count, chain_count, e));
    return build_in(memory, bytes, layout_for(keeper, net, kept, kept_count, chain_count), e);
  });
}

int32_t nnp_keeper_width(const nnp_keeper *keeper, int64_t index, int64_t *width, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_kept(keeper, index, e));
    NNP_TRY(need(width, "width", e));
    *width = unwrap(keeper)->keeper->kept[index].width;
    return Status::ok;
  });
}

int32_t nnp_keeper_store(nnp_keeper *keeper, int64_t index, double *values, int64_t capacity,
                         nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_idle(keeper, index, e));
    Keeper &inner = *unwrap(keeper)->keeper;
    Kept &kept = inner.kept[index];
    if (values) NNP_TRY(need_draws(capacity, kept.width, inner.chains, "capacity", e));
    unwrap(keeper)->files[index] = nullptr;
    keeper_store(kept, values, capacity, inner.chains);
    return Status::ok;
  });
}

int32_t nnp_keeper_file(nnp_keeper *keeper, int64_t index, nnp_draws_file *file, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_idle(keeper, index, e));
    NNP_TRY(need(file, "file", e));
    Keeper &inner = *unwrap(keeper)->keeper;
    Kept &kept = inner.kept[index];
    const FileHeader &header = unwrap(file)->header;
    if (!unwrap(file)->writable)
      return fail(e, Status::unsupported,
                  "file: it was opened to be read, expected one made by nnp_draws_file_create");
    if (header.what != static_cast<int32_t>(kept.plan.what) || header.values != kept.width ||
        header.chains != inner.chains || header.network != net_fingerprint(inner.net))
      return fail(
          e, Status::bad_shape,
          "file: it is made for %lld values of %lld chains or for another quantity, expected "
          "%lld values of %lld",
          ll(header.values), ll(header.chains), ll(kept.width), ll(inner.chains));
    unwrap(keeper)->files[index] = unwrap(file);
    keeper_store(kept, unwrap(file)->values(0), header.capacity, inner.chains);
    for (int64_t c = 0; c < inner.chains; ++c) kept.stored[c] = last_record(*unwrap(file), c).draws;
    return Status::ok;
  });
}

int32_t nnp_keeper_stored(const nnp_keeper *keeper, int64_t index, int64_t chain, int64_t *draws,
                          nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_idle(keeper, index, e));
    const Keeper &inner = *unwrap(keeper)->keeper;
    NNP_TRY(need_index(chain, 0, inner.chains - 1, "chain", e));
    NNP_TRY(need(draws, "draws", e));
    *draws = inner.kept[index].stored[chain];
    return Status::ok;
  });
}

int32_t nnp_keeper_moments(const nnp_keeper *keeper, int64_t index, int64_t chain, double *mean,
                           double *variance, double *rhat, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_moments(keeper, index, chain, e));
    NNP_TRY(need(mean, "mean", e));
    const Keeper &inner = *unwrap(keeper)->keeper;
    const Kept &kept = inner.kept[index];
    if (chain == NNP_ALL_CHAINS) {
      write_merged(inner, kept, mean, variance);
      if (rhat) write_rhat(inner, kept, rhat);
      return Status::ok;
    }
    if (rhat)
      return fail(e, Status::unsupported,
                  "rhat: it is not NULL for chain %lld, expected NNP_ALL_CHAINS for R-hat",
                  ll(chain));
    const Moments own = kept_moments(kept, inner.seen, chain);
    std::copy_n(own.mean, kept.width, mean);
    write_moments(own, kept.width, variance);
    return Status::ok;
  });
}

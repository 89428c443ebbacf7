#include "lib/sampler/share.hpp"

#include "lib/network/scales.hpp"
#include "lib/sampler/save.hpp"

namespace nnp {

namespace {

// Hashes the streams of all blocks, which every rank has.
uint64_t hash_streams(uint64_t hash, const State &state) {
  for (int64_t b = 0; b < state.tiling.blocks && !state.rows(); ++b)
    hash = hash_bytes(hash, &state.blocks[b].stream, sizeof(Stream));
  if (state.net.scale_count > 0) hash = hash_bytes(hash, &state.scale_stream, sizeof(Stream));
  return hash_bytes(hash, state.layer_streams,
                    static_cast<size_t>(state.net.depth) * sizeof(Stream));
}

uint64_t hash_parameters(uint64_t hash, const State &state) {
  return hash_bytes(hash, state.params,
                    static_cast<size_t>(state.net.param_count()) * sizeof(double));
}

uint64_t hash_engine(uint64_t hash, const State &state) {
  hash = hash_value(hash, static_cast<int32_t>(state.level));
  hash = hash_value(hash, static_cast<int32_t>(state.provider));
  return state.provider == Provider::own ? hash : hash_value(hash, blas_fingerprint());
}

// The fingerprint of the data, which all chains of a group share. The data are large, so they are
// hashed again only when they have changed. If rows are spread over ranks, the number of calls that
// set data, equal on all ranks, takes its place.
uint64_t known_fingerprint(Chain &chain) {
  if (chain.state.rows()) {
    const Data &data = *chain.state.data;
    return hash_value(hash_value(hash_start, data.total()), data.version);
  }
  if (chain.hashed_version != chain.state.data->version || chain.data_hash == 0) {
    chain.data_hash = data_fingerprint(chain.state);
    chain.hashed_version = chain.state.data->version;
  }
  return chain.data_hash;
}

// Values that are not part of the saved pieces.
struct Rest {
  int64_t steps, recorded;
  int64_t started;
};

// Recomputes everything that depends on received values, as after a restore. The temperature is
// kept: all ranks have it.
void received(Chain &chain) {
  Net &net = chain.state.net;
  for (int64_t k = 0; k < net.depth && net.temperature == 1; ++k)
    net.layers[k].noise = net.layers[k].final_noise;
  take_scales(net, chain.state.params);
  if (net.temperature == 1) chain_apply_annealing(chain);
  chain_replaced(chain);
  chain.prepared = false;
  chain.data_version = chain.state.data->version;
}

struct Sharing {
  Carrier *carrier;
  Status status;
  Error *err;
};

void share_piece(void *context, void *memory, size_t bytes) {
  Sharing &sharing = *static_cast<Sharing *>(context);
  if (sharing.status != Status::ok) return;
  sharing.status = sharing.carrier->bring(memory, bytes, sharing.err);
}

Status share_record(Carrier &carrier, Record &record, int64_t from, Error *err) {
  if (!record.values || record.steps <= from) return Status::ok;
  return carrier.bring(
      record.values + from * step_statistic_count,
      static_cast<size_t>((record.steps - from) * step_statistic_count) * sizeof(double), err);
}

}  // namespace

void CommonChains::add(Chain &chain, bool standing) {
  const State &state = chain.state;
  common.network = hash_value(common.network, net_fingerprint(state.net));
  common.network = hash_value(common.network, static_cast<int32_t>(chain.sampler));
  common.network = hash_value(common.network, static_cast<int32_t>(chain.posterior));
  if (state.data != data) common.data = hash_value(common.data, known_fingerprint(chain));
  data = state.data;
  common.engine = hash_engine(common.engine, state);
  common.options = hash_bytes(common.options, chain.options.values, sizeof chain.options.values);
  common.options = hash_value(common.options, chain.record.values ? chain.record.capacity : 0);
  common.options = hash_value(common.options, chain.record.steps);
  if (!standing) return;
  common.start = hash_value(common.start, static_cast<int32_t>(chain.started));
  if (!chain.started) return;
  common.start = hash_value(common.start, chain.steps);
  common.start = hash_value(common.start, chain.annealing.steps);
  common.start = hash_value(common.start, chain.annealing.from);
  common.start = hash_parameters(hash_streams(common.start, state), state);
}

Status share_chain(Carrier &carrier, Chain &chain, int64_t recorded, Error *err) {
  Rest rest = {chain.steps, chain.record.steps, chain.started};
  Sharing sharing = {&carrier, carrier.tell(rest, err), err};
  visit_saved(chain, share_piece, &sharing);
  if (sharing.status != Status::ok) return sharing.status;
  chain.steps = rest.steps;
  chain.record.steps = rest.recorded;
  chain.started = rest.started != 0;
  const Status status = share_record(carrier, chain.record, recorded, err);
  if (carrier.root != carrier.comm.rank) received(chain);
  return status;
}

Status agree_on_results(const Carrier &carrier, const char *what, int64_t index, Error *err) {
  Common common;
  common.version = carrier.comm.version;
  common.results = carrier.brought;
  Status local = Status::ok;
  if (!carrier.same())
    local =
        fail(err, Status::ranks_disagree,
             "comm: rank %d has different results of %s %lld from rank %d, expected the same bits: "
             "check that all ranks have the same input",
             static_cast<int>(carrier.comm.rank), what, ll(index), static_cast<int>(carrier.root));
  return comm_agree(carrier.comm, common, local, err);
}

}  // namespace nnp

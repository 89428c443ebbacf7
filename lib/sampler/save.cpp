#include "lib/sampler/save.hpp"

#include <cstring>

#include "lib/base/hash.hpp"
#include "lib/network/columns.hpp"
#include "lib/network/scales.hpp"
#include "lib/sampler/block.hpp"
#include "lib/sampler/saved.hpp"

namespace nnp {

namespace {

constexpr char magic[8] = {'n', 'n', 'p', 'c', 'h', 'a', 'i', 'n'};
constexpr uint32_t format_version = 6;

struct SaveHeader {
  char magic[8];
  uint32_t version, byte_order;
  uint64_t size;     // of the whole block
  uint64_t network;  // fingerprint
  uint64_t data;     // fingerprint
  int32_t sampler, posterior;
  int64_t steps;
  int32_t started;
  int32_t simd;       // the level in force, never Simd::best
  int32_t provider;   // of dense work
  uint32_t blas;      // its fingerprint; 0 if our own kernels did all dense work
  uint64_t checksum;  // of the header with this field 0, then of all that follows it
};
static_assert(sizeof(SaveHeader) == 80, "a header must not contain padding");

uint64_t hash_site(uint64_t hash, const Tiling &tiling, const double *site, int64_t width) {
  for (int64_t t = 0; t < tiling.tiles; ++t) {
    const ConstTile tile = tiling.tile(site, width, t);
    for (int64_t j = 0; j < width; ++j)
      hash = hash_bytes(hash, tile.col(j), static_cast<size_t>(tile.rows) * sizeof(double));
  }
  return hash;
}

// Packed inputs are unpacked by the portable kernels: others may fuse shift + scale * k, and then
// the last bits would depend on the SIMD level.
uint64_t hash_inputs(uint64_t hash, const Data &data) {
  if (!data.packing.tiles) return hash_site(hash, data.tiling, data.x, data.features);
  const Kernels &kernels = *kernels_of(Simd::portable, Provider::own);
  for (int64_t t = 0; t < data.tiling.tiles; ++t)
    in_columns(data.inputs(t), kernels, [&](ConstTile columns, int64_t) {
      for (int64_t j = 0; j < columns.width; ++j)
        hash = hash_bytes(hash, columns.col(j), static_cast<size_t>(columns.rows) * sizeof(double));
    });
  return hash;
}

}  // namespace

uint64_t data_fingerprint(const Data &data, const Net &net) {
  const int64_t sizes[] = {data.n(), data.features};
  uint64_t hash = hash_bytes(hash_start, sizes, sizeof sizes);
  hash = hash_inputs(hash, data);
  if (ops_of(net.head)->target == TargetKind::targets)
    return hash_site(hash, data.tiling, data.y, data.outputs);
  return hash_bytes(hash, data.labels, static_cast<size_t>(data.n()) * sizeof(int32_t));
}

uint64_t data_fingerprint(const State &state) {
  return data_fingerprint(*state.data, state.net);
}

namespace {

// The list of pieces of a state, used to count, write, check and read them: calls piece(part,
// index, memory, bytes), with the index that check_part expects.
template <class Piece>
void for_each_piece(const Chain &chain, Piece piece) {
  const State &s = chain.state;
  piece(Part::parameters, 0, s.params, static_cast<size_t>(s.net.param_count()) * sizeof(double));
  piece(Part::options, 0, chain.options.values, sizeof chain.options.values);
  piece(Part::annealing, 0, &chain.annealing, sizeof chain.annealing);
  piece(Part::moves, 0, chain.moves, sizeof chain.moves);
  const int64_t rows = s.tiling.tiles * s.tiling.ld;
  for (int64_t k = 1; k <= s.last_latent; ++k)
    piece(Part::site, k, s.latents[k],
          static_cast<size_t>(rows * s.net.site_width(k)) * sizeof(double));
  for (int64_t b = 0; b < s.tiling.blocks; ++b) {
    piece(Part::stream, b, &s.blocks[b].stream, sizeof(Stream));
    piece(Part::counts, b, &s.blocks[b].counts, sizeof(HeadCounts));
  }
  piece(Part::layer_streams, 0, s.layer_streams, static_cast<size_t>(s.net.depth) * sizeof(Stream));
  if (s.net.scale_count > 0) piece(Part::scale_stream, 0, &s.scale_stream, sizeof(Stream));
  if (!ops_of(chain.sampler)->saved) return;
  piece(Part::statistics, 0, chain.statistics.values, sizeof chain.statistics.values);
  SavedPiece pieces[max_saved_pieces];
  const int count = ops_of(chain.sampler)->saved(chain, pieces);
  for (int i = 0; i < count; ++i) piece(Part::sampler, i, pieces[i].memory, pieces[i].bytes);
}

// Identifies the BLAS, on which the bits of the draws depend.
uint32_t fingerprint_of(Provider provider) {
  if (provider == Provider::own) return 0;
  const uint64_t all = blas_fingerprint();
  return static_cast<uint32_t>(all ^ (all >> 32));
}

SaveHeader header_of(const Chain &chain) {
  SaveHeader header = {};
  std::memcpy(header.magic, magic, sizeof magic);
  header.version = format_version;
  header.byte_order = block_byte_order;
  header.size = save_size(chain);
  header.network = net_fingerprint(chain.state.net);
  header.data = data_fingerprint(chain.state);
  header.sampler = static_cast<int32_t>(chain.sampler);
  header.posterior = static_cast<int32_t>(chain.posterior);
  header.steps = chain.steps;
  header.started = chain.started;
  const SavedEngine engine = saved_engine(chain.state);
  header.simd = engine.simd;
  header.provider = engine.provider;
  header.blas = engine.blas;
  return header;
}

// Fails if a block does not belong to this chain.
Status check_owner(const SaveHeader &found, const SaveHeader &mine, Error *err) {
  if (found.network != mine.network || found.sampler != mine.sampler ||
      found.posterior != mine.posterior)
    return fail(err, Status::save_other_network,
                "buffer: saved with another network, sampler or posterior than this chain's");
  if (found.data != mine.data)
    return fail(err, Status::save_other_data, "buffer: saved with other data than this chain's");
  if (found.size != mine.size)
    return fail(err, Status::save_corrupted, "buffer: its length is %llu, expected %llu",
                static_cast<unsigned long long>(found.size),
                static_cast<unsigned long long>(mine.size));
  return Status::ok;
}

}  // namespace

SavedEngine saved_engine(const State &state) {
  return {static_cast<int32_t>(state.level), static_cast<int32_t>(state.provider),
          fingerprint_of(state.provider)};
}

Status check_progress(int32_t started, int64_t steps, Error *err) {
  if (started != 1)
    return fail(err, Status::save_corrupted, "buffer: its start flag is %d, expected 1",
                static_cast<int>(started));
  if (steps >= 0 && steps <= max_steps) return Status::ok;
  return fail(err, Status::save_corrupted, "buffer: it has made %lld steps, expected 0 to %lld",
              static_cast<long long>(steps), static_cast<long long>(max_steps));
}

Status check_engine(const SavedEngine &found, Error *err) {
  if (found.simd < static_cast<int32_t>(Simd::portable) ||
      found.simd > static_cast<int32_t>(Simd::neon))
    return fail(err, Status::save_corrupted, "buffer: saved with simd = %d, expected 1 to 4",
                static_cast<int>(found.simd));
  if (found.provider < static_cast<int32_t>(Provider::own) ||
      found.provider > static_cast<int32_t>(Provider::whole))
    return fail(err, Status::save_corrupted, "buffer: saved with provider %d, expected 1 to 4",
                static_cast<int>(found.provider));
  const Provider provider = static_cast<Provider>(found.provider);
  const bool runs = simd_runs(static_cast<Simd>(found.simd));
  if (runs && provider == Provider::own) return Status::ok;
  if (runs && !blas_present())
    return fail(err, Status::unsupported,
                "buffer: saved with dense work done by BLAS, which this build does not have; "
                "NNP_OPTION_BLAS = NNP_BLAS_NONE before saving makes chains that need none");
  if (runs && found.blas != fingerprint_of(provider))
    return fail(err, Status::unsupported,
                "buffer: saved with another BLAS than this one (OpenBLAS core %s); "
                "NNP_OPTION_BLAS = NNP_BLAS_NONE before saving makes chains that need none",
                blas_core_name());
  if (runs) return engine_check(engine_of(static_cast<Simd>(found.simd), provider), err);
  return fail(err, Status::unsupported,
              "buffer: saved with simd = %d, a level this machine or this build does not have; "
              "NNP_OPTION_SIMD = 1 before saving makes chains that any machine can continue",
              static_cast<int>(found.simd));
}

namespace {

// Checks everything that follows the header, in place.
Status check_pieces(const Chain &chain, const SaveHeader &header, const unsigned char *in,
                    Error *err) {
  SavedChain saved = {header.steps,
                      static_cast<Simd>(header.simd),
                      static_cast<Provider>(header.provider),
                      0,
                      {},
                      {}};
  Status status = Status::ok;
  for_each_piece(chain, [&](Part part, int64_t index, const void *, size_t bytes) {
    if (status == Status::ok) status = check_part(chain, part, index, in, saved, err);
    in += bytes;
  });
  const auto check = ops_of(chain.sampler)->check_saved;
  return status == Status::ok && check ? check(chain, saved, err) : status;
}

}  // namespace

void write_scores(const State &state, int64_t first, int64_t last, unsigned char *out) {
  const int64_t m = state.net.depth, width = state.net.site_width(m);
  const size_t bytes = static_cast<size_t>(state.tiling.ld * width) * sizeof(double);
  for (int64_t t = first; t < last; ++t, out += bytes) {
    const Tile from = state.latent_tile(m, t);
    const Tile copy = {state.blocks[0].scratch[0], from.rows, width, from.ld};
    std::memcpy(copy.data, from.data, bytes);
    ops_of(state.net.head)->make_feasible(state.labels(t), copy);
    std::memcpy(out, copy.data, bytes);
  }
}

Status check_state(const Chain &chain, int64_t steps, const SavedEngine &engine, Error *err) {
  SavedChain saved = {
      steps, static_cast<Simd>(engine.simd), static_cast<Provider>(engine.provider), 0, {}, {}};
  Status status = Status::ok;
  for_each_piece(chain, [&](Part part, int64_t index, const void *memory, size_t) {
    if (status == Status::ok)
      status =
          check_part(chain, part, index, static_cast<const unsigned char *>(memory), saved, err);
  });
  const auto check = ops_of(chain.sampler)->check_saved;
  return status == Status::ok && check ? check(chain, saved, err) : status;
}

void adopt(Chain &chain, int64_t steps, const SavedEngine &engine) {
  for_each_unused(chain.state, [&](int64_t i) { chain.state.params[i] = 0; });
  use_engine(chain.state,
             engine_of(static_cast<Simd>(engine.simd), static_cast<Provider>(engine.provider)));
  chain.steps = steps;
  chain.started = true;
  chain.prepared = false;
  chain.data_version = chain.state.data->version;
  for (int64_t k = 0; k < chain.state.net.depth; ++k)
    chain.state.net.layers[k].noise = chain.state.net.layers[k].final_noise;
  take_scales(chain.state.net, chain.state.params);
  chain_apply_annealing(chain);
}

void visit_saved(Chain &chain, void (*visit)(void *context, void *memory, size_t bytes),
                 void *context) {
  for_each_piece(chain, [&](Part, int64_t, const void *piece, size_t bytes) {
    visit(context, const_cast<void *>(piece), bytes);
  });
}

size_t save_size(const Chain &chain) {
  size_t size = sizeof(SaveHeader);
  for_each_piece(chain, [&size](Part, int64_t, const void *, size_t bytes) { size += bytes; });
  return size;
}

Status save_chain(const Chain &chain, void *buffer, Error *err) {
  const State &state = chain.state;
  if (chain.checked_version != state.data->version) {
    const Status status = net_check_targets(state.net, *state.data, err);
    if (status != Status::ok) return status;
  }
  unsigned char *start = static_cast<unsigned char *>(buffer);
  unsigned char *out = start + sizeof(SaveHeader);
  for_each_piece(chain, [&](Part part, int64_t index, const void *piece, size_t bytes) {
    if (part == Part::site && index == state.net.depth)
      write_scores(state, 0, state.tiling.tiles, out);
    else
      std::memcpy(out, piece, bytes);
    out += bytes;
  });
  seal_block(header_of(chain), start);
  return Status::ok;
}

Status restore_chain(Chain &chain, const void *buffer, size_t size, Error *err) {
  const unsigned char *start = static_cast<const unsigned char *>(buffer);
  SaveHeader header;
  Status status = read_block({"chain", magic, format_version}, start, size, &header, err);
  if (status == Status::ok) status = check_owner(header, header_of(chain), err);
  const unsigned char *in = start + sizeof header;
  const SavedEngine engine = {header.simd, header.provider, header.blas};
  if (status == Status::ok) status = check_progress(header.started, header.steps, err);
  if (status == Status::ok) status = check_engine(engine, err);
  if (status == Status::ok) status = chain_check_data(chain, err);
  if (status == Status::ok) status = check_pieces(chain, header, in, err);
  if (status != Status::ok) return status;
  for_each_piece(chain, [&in](Part, int64_t, const void *piece, size_t bytes) {
    std::memcpy(const_cast<void *>(piece), in, bytes);
    in += bytes;
  });
  adopt(chain, header.steps, engine);
  return Status::ok;
}

}  // namespace nnp

#include "lib/sampler/save_rows.hpp"

#include <cstring>

#include "lib/base/hash.hpp"
#include "lib/sampler/block.hpp"
#include "lib/sampler/saved.hpp"

namespace nnp {

namespace {

constexpr char magic[8] = {'n', 'n', 'p', '_', 'r', 'o', 'w', 's'};
constexpr uint32_t format_version = 1;
constexpr BlockKind kind = {"chain's rows", magic, format_version};

struct RowsHeader {
  char magic[8];
  uint32_t version, byte_order;
  uint64_t size;     // of the whole block
  uint64_t network;  // fingerprint
  uint64_t common;   // hash of what all ranks share
  int64_t total, all_blocks;
  int64_t first_block, blocks;
  int64_t steps;
  int32_t sampler, posterior;
  int32_t started, simd;
  int32_t provider;
  uint32_t blas;
  uint64_t checksum;
};
static_assert(sizeof(RowsHeader) == 112, "a header must not contain padding");

// Index at which sites start in a position.
int64_t sites_begin(const State &state) {
  return state.last_latent > 0 ? state.latents[1] - state.params : state.position_size;
}

size_t doubles(int64_t count) {
  return static_cast<size_t>(count) * sizeof(double);
}

// Calls piece(memory, bytes) for everything that every rank has.
template <class Piece>
void for_each_common(const Chain &chain, Piece piece) {
  const State &s = chain.state;
  piece(static_cast<void *>(s.params), doubles(s.net.param_count()));
  piece(const_cast<double *>(chain.options.values), sizeof chain.options.values);
  piece(const_cast<Annealing *>(&chain.annealing), sizeof chain.annealing);
  piece(const_cast<MoveCount *>(chain.moves), sizeof chain.moves);
  piece(static_cast<void *>(s.layer_streams), static_cast<size_t>(s.net.depth) * sizeof(Stream));
  piece(const_cast<Stream *>(&s.scale_stream), sizeof(Stream));
  if (!ops_of(chain.sampler)->saved) return;
  piece(const_cast<double *>(chain.statistics.values), sizeof chain.statistics.values);
  SavedPiece own[max_saved_pieces];
  const int count = ops_of(chain.sampler)->saved(chain, own);
  for (int i = 0; i < count; ++i)
    piece(own[i].memory, own[i].position ? doubles(sites_begin(s)) : own[i].bytes);
}

// Calls piece(memory, bytes, site) for everything that belongs to block b of this rank; `site` is
// the number of a site of the state, else 0.
template <class Piece>
void for_each_of_block(const Chain &chain, int64_t b, Piece piece) {
  const State &s = chain.state;
  const int64_t first = s.tiling.first_tile(b), tiles = s.tiling.last_tile(b) - first;
  piece(static_cast<void *>(&s.blocks[b].stream), sizeof(Stream), 0);
  piece(static_cast<void *>(&s.blocks[b].counts), sizeof(HeadCounts), 0);
  const auto sites_of = [&](double *position, bool own) {
    for (int64_t k = 1; k <= s.last_latent; ++k) {
      const int64_t tile = s.tiling.ld * s.net.site_width(k);
      piece(static_cast<void *>(s.latent(k, position) + first * tile), doubles(tiles * tile),
            own ? k : 0);
    }
  };
  sites_of(s.params, true);
  SavedPiece pieces[max_saved_pieces];
  const auto saved = ops_of(chain.sampler)->saved;
  const int count = saved ? saved(chain, pieces) : 0;
  for (int i = 0; i < count; ++i)
    if (pieces[i].position) sites_of(static_cast<double *>(pieces[i].memory), false);
}

size_t common_size(const Chain &chain) {
  size_t size = 0;
  for_each_common(chain, [&](void *, size_t bytes) { size += bytes; });
  return size;
}

// Size of a saved block of rows with this many tiles, including its data fingerprint.
size_t block_size(const Chain &chain, int64_t tiles) {
  const State &s = chain.state;
  SavedPiece pieces[max_saved_pieces];
  const auto saved = ops_of(chain.sampler)->saved;
  const int count = saved ? saved(chain, pieces) : 0;
  int64_t width = 0, vectors = 1;
  for (int64_t k = 1; k <= s.last_latent; ++k) width += s.net.site_width(k);
  for (int i = 0; i < count; ++i) vectors += pieces[i].position ? 1 : 0;
  return sizeof(uint64_t) + sizeof(Stream) + sizeof(HeadCounts) +
         doubles(tiles * s.tiling.ld * width * vectors);
}

int64_t tiles_of(const Tiling &all, int64_t block) {
  return (block + 1) * all.all_tiles / all.all_blocks - block * all.all_tiles / all.all_blocks;
}

uint64_t hash_tiles(uint64_t hash, const Tiling &tiling, const double *site, int64_t width,
                    int64_t b) {
  for (int64_t t = tiling.first_tile(b); t < tiling.last_tile(b); ++t) {
    const ConstTile tile = tiling.tile(site, width, t);
    for (int64_t j = 0; j < width; ++j) hash = hash_bytes(hash, tile.col(j), doubles(tile.rows));
  }
  return hash;
}

// Fingerprint of the data of block b.
uint64_t data_of_block(const State &state, int64_t b) {
  const Data &data = *state.data;
  const Tiling &tiling = state.tiling;
  const uint64_t hash = hash_tiles(hash_start, tiling, data.x, data.features, b);
  if (ops_of(state.net.head)->target == TargetKind::targets)
    return hash_tiles(hash, tiling, data.y, data.outputs, b);
  const int64_t first = tiling.first_tile(b) * tiling.ld;
  const int64_t last = std::min(tiling.last_tile(b) * tiling.ld, tiling.n);
  return hash_bytes(hash, data.labels + first, static_cast<size_t>(last - first) * sizeof(int32_t));
}

RowsHeader header_of(const Chain &chain) {
  const State &state = chain.state;
  RowsHeader header = {};
  std::memcpy(header.magic, magic, sizeof magic);
  header.version = format_version;
  header.byte_order = block_byte_order;
  header.size = save_rows_size(chain);
  header.network = net_fingerprint(state.net);
  header.common = hash_start;
  for_each_common(chain, [&](void *memory, size_t bytes) {
    header.common = hash_bytes(header.common, memory, bytes);
  });
  header.total = state.tiling.total;
  header.all_blocks = state.tiling.all_blocks;
  header.first_block = state.tiling.block_offset;
  header.blocks = state.tiling.blocks;
  header.steps = chain.steps;
  header.sampler = static_cast<int32_t>(chain.sampler);
  header.posterior = static_cast<int32_t>(chain.posterior);
  header.started = chain.started;
  const SavedEngine engine = saved_engine(state);
  header.simd = engine.simd;
  header.provider = engine.provider;
  header.blas = engine.blas;
  return header;
}

SavedEngine engine_of(const RowsHeader &header) {
  return {header.simd, header.provider, header.blas};
}

// Fails if a save does not belong to the chain, or to the same moment as the first one.
Status check_header(const Chain &chain, const RowsHeader &found, const RowsHeader &first,
                    Error *err) {
  const Tiling &tiling = chain.state.tiling;
  if (found.network != net_fingerprint(chain.state.net) ||
      found.sampler != static_cast<int32_t>(chain.sampler) ||
      found.posterior != static_cast<int32_t>(chain.posterior))
    return fail(err, Status::save_other_network,
                "buffer: saved with another network, sampler or posterior than this chain's");
  if (found.total != tiling.total || found.all_blocks != tiling.all_blocks)
    return fail(err, Status::save_other_data,
                "buffer: saved on %lld rows in %lld blocks, expected %lld rows in %lld blocks",
                ll(found.total), ll(found.all_blocks), ll(tiling.total), ll(tiling.all_blocks));
  const bool inside = found.first_block >= 0 && found.blocks >= 1 &&
                      found.blocks <= tiling.all_blocks &&
                      found.first_block <= tiling.all_blocks - found.blocks;
  size_t size = sizeof found + common_size(chain);
  for (int64_t b = 0; inside && b < found.blocks; ++b)
    size += block_size(chain, tiles_of(tiling, found.first_block + b));
  if (!inside || size != found.size)
    return fail(err, Status::save_corrupted, "buffer: its length is %llu, expected %llu",
                static_cast<unsigned long long>(found.size), static_cast<unsigned long long>(size));
  if (found.steps != first.steps || found.common != first.common)
    return fail(
        err, Status::bad_value,
        "buffers: one was saved after %lld steps and another after %lld, or in another run, "
        "expected saves of the same moment",
        ll(first.steps), ll(found.steps));
  const Status status = check_progress(found.started, found.steps, err);
  return status == Status::ok ? check_engine(engine_of(found), err) : status;
}

Status read_headers(const Chain &chain, const SavedPart *parts, int64_t count, RowsHeader *first,
                    Error *err) {
  for (int64_t i = 0; i < count; ++i) {
    RowsHeader header = {};
    Status status = read_block(kind, parts[i].buffer, parts[i].size, &header, err);
    if (i == 0) *first = header;
    if (status == Status::ok) status = check_header(chain, header, *first, err);
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

// The first byte of block number `block` (among all blocks) in the saves, or null.
const unsigned char *find_block(const Chain &chain, const SavedPart *parts, int64_t count,
                                int64_t block) {
  for (int64_t i = 0; i < count; ++i) {
    RowsHeader header = {};
    std::memcpy(&header, parts[i].buffer, sizeof header);
    if (block < header.first_block || block >= header.first_block + header.blocks) continue;
    const unsigned char *at =
        static_cast<const unsigned char *>(parts[i].buffer) + sizeof header + common_size(chain);
    for (int64_t b = header.first_block; b < block; ++b)
      at += block_size(chain, tiles_of(chain.state.tiling, b));
    return at;
  }
  return nullptr;
}

// Fails unless all rows of this rank are in the saves, with the same data.
Status check_blocks(const Chain &chain, const SavedPart *parts, int64_t count, Error *err) {
  const Tiling &tiling = chain.state.tiling;
  for (int64_t b = 0; b < tiling.blocks; ++b) {
    const int64_t block = tiling.block_offset + b;
    const unsigned char *at = find_block(chain, parts, count, block);
    if (!at)
      return fail(
          err, Status::bad_value,
          "buffers: none of %lld has rows %lld to %lld, expected the saves of all ranks that "
          "had rows of this one",
          ll(count), ll(tiling.row_of_block(block)), ll(tiling.row_of_block(block + 1) - 1));
    if (saved_value<uint64_t>(at, 0) != data_of_block(chain.state, b))
      return fail(err, Status::save_other_data,
                  "buffer: saved with other data than this chain's, in rows %lld to %lld",
                  ll(tiling.row_of_block(block)), ll(tiling.row_of_block(block + 1) - 1));
  }
  return Status::ok;
}

void bring(const Chain &chain, const SavedPart *parts, int64_t count) {
  const unsigned char *in =
      static_cast<const unsigned char *>(parts[0].buffer) + sizeof(RowsHeader);
  for_each_common(chain, [&in](void *memory, size_t bytes) {
    std::memcpy(memory, in, bytes);
    in += bytes;
  });
  for (int64_t b = 0; b < chain.state.tiling.blocks; ++b) {
    in = find_block(chain, parts, count, chain.state.tiling.block_offset + b) + sizeof(uint64_t);
    for_each_of_block(chain, b, [&in](void *memory, size_t bytes, int64_t) {
      std::memcpy(memory, in, bytes);
      in += bytes;
    });
  }
}

// Values that must agree between ranks before they continue.
Common common_of(const Chain &chain, const RowsHeader &first) {
  Common common;
  common.version = chain.state.rows()->comm.version;
  common.network = first.network;
  common.start = hash_value(hash_value(hash_start, first.common), first.steps);
  common.engine = hash_value(hash_value(hash_start, first.simd), first.provider);
  return common;
}

}  // namespace

size_t save_rows_size(const Chain &chain) {
  const Tiling &tiling = chain.state.tiling;
  size_t size = sizeof(RowsHeader) + common_size(chain);
  for (int64_t b = 0; b < tiling.blocks; ++b)
    size += block_size(chain, tiling.last_tile(b) - tiling.first_tile(b));
  return size;
}

Status save_rows(const Chain &chain, void *buffer, Error *err) {
  const State &state = chain.state;
  if (chain.checked_version != state.data->version) {
    const Status status = net_check_targets(state.net, *state.data, err);
    if (status != Status::ok) return status;
  }
  unsigned char *start = static_cast<unsigned char *>(buffer), *out = start + sizeof(RowsHeader);
  for_each_common(chain, [&out](void *memory, size_t bytes) {
    std::memcpy(out, memory, bytes);
    out += bytes;
  });
  for (int64_t b = 0; b < state.tiling.blocks; ++b) {
    const uint64_t data = data_of_block(state, b);
    std::memcpy(out, &data, sizeof data);
    out += sizeof data;
    for_each_of_block(chain, b, [&](void *memory, size_t bytes, int64_t site) {
      if (site == state.net.depth)
        write_scores(state, state.tiling.first_tile(b), state.tiling.last_tile(b), out);
      else
        std::memcpy(out, memory, bytes);
      out += bytes;
    });
  }
  seal_block(header_of(chain), start);
  return Status::ok;
}

Status restore_rows(Chain &chain, const SavedPart *parts, int64_t count, Status local, Error *err) {
  const Comm &comm = chain.state.rows()->comm;
  RowsHeader first = {};
  if (local == Status::ok) local = chain_check_data(chain, err);
  if (local == Status::ok) local = read_headers(chain, parts, count, &first, err);
  if (local == Status::ok) local = check_blocks(chain, parts, count, err);
  // Up to here the chain is unchanged.
  Status status = comm_agree(comm, common_of(chain, first), local, err);
  if (status != Status::ok) return status;
  bring(chain, parts, count);
  chain.started = false;
  status = comm_agree(comm, Common{}, check_state(chain, first.steps, engine_of(first), err), err);
  if (status == Status::ok) adopt(chain, first.steps, engine_of(first));
  return status;
}

Status read_saved_rows(const SavedPart &part, SavedRows *rows, Error *err) {
  RowsHeader header = {};
  const Status status = read_block(kind, part.buffer, part.size, &header, err);
  if (status != Status::ok) return status;
  const Tiling all = Tiling::in_blocks(header.total, header.all_blocks);
  const bool inside = header.total >= 1 && header.all_blocks == all.all_blocks &&
                      header.first_block >= 0 && header.blocks >= 1 &&
                      header.first_block <= all.all_blocks - header.blocks;
  if (!inside)
    return fail(err, Status::save_corrupted, "buffer: its rows are not those of any rank");
  const int64_t from = all.row_of_block(header.first_block);
  *rows = {header.total, from, all.row_of_block(header.first_block + header.blocks) - from,
           header.all_blocks};
  return Status::ok;
}

}  // namespace nnp

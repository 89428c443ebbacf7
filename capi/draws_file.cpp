// Draws in mapped files.
#include "capi/draws_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "capi/draws.hpp"
#include "capi/families.hpp"
#include "capi/keep.hpp"
#include "lib/base/sizes.hpp"
#include "lib/sampler/block.hpp"

using namespace nnp;

namespace {

constexpr char magic[8] = {'n', 'n', 'p', 'd', 'r', 'a', 'w', 's'};
constexpr uint32_t format_version = 2;
constexpr int64_t page = 4096;
constexpr int64_t most_chains = 1 << 20;

uint64_t checksum_of(FileHeader header) {
  header.checksum = 0;
  return hash_bytes(hash_start, &header, sizeof header);
}

// Records of a chain: a new draw is counted in one of them while the other is still valid.
unsigned char *record(const DrawsFile &file, int64_t chain, int64_t draws) {
  return file.mapping.start + sizeof(FileHeader) +
         static_cast<size_t>(2 * chain + draws % 2) * sizeof(DrawsHeader);
}

// A record's checksum, its last word, is written last and read first.
constexpr size_t checksum_at = offsetof(DrawsHeader, checksum);
static_assert(checksum_at + sizeof(uint64_t) == sizeof(DrawsHeader), "its last word");

DrawsHeader read_record(const DrawsFile &file, int64_t chain, int64_t slot) {
  const unsigned char *at = record(file, chain, slot);
  DrawsHeader header;
  header.checksum =
      __atomic_load_n(reinterpret_cast<const uint64_t *>(at + checksum_at), __ATOMIC_ACQUIRE);
  std::memcpy(&header, at, checksum_at);
  return header;
}

bool is_possible(const DrawsFile &file, const DrawsHeader &record, int64_t slot) {
  return is_record(record) && record.parameters == file.header.values && record.draws >= 0 &&
         record.draws <= file.header.capacity && record.draws % 2 == slot &&
         record.size == draws_block_size(record) && has_kinds(record);
}

// The values of a draw, then the record that counts it, then its checksum: neither compiler nor
// processor may change this order.
void write_record(DrawsFile &file, int64_t chain, DrawsHeader header) {
  seal_record(header);
  unsigned char *at = record(file, chain, header.draws);
  std::memcpy(at, &header, checksum_at);
  __atomic_store_n(reinterpret_cast<uint64_t *>(at + checksum_at), header.checksum,
                   __ATOMIC_RELEASE);
}

int64_t values_offset(int64_t chains) {
  const int64_t records = times(chains, 2 * int64_t{sizeof(DrawsHeader)});
  return plus(plus(records, sizeof(FileHeader)), page - 1) / page * page;
}

int64_t file_size(int64_t values, int64_t capacity, int64_t chains) {
  const int64_t all = times(times(times(values, capacity), chains), sizeof(double));
  return plus(values_offset(chains), all);
}

FileHeader new_header(const Keeper &keeper, const Kept &kept, int64_t capacity) {
  FileHeader header = {};
  std::memcpy(header.magic, magic, sizeof magic);
  header.version = format_version;
  header.byte_order = block_byte_order;
  header.network = net_fingerprint(keeper.net);
  header.values = kept.width;
  header.capacity = capacity;
  header.chains = keeper.chains;
  header.offset = static_cast<uint64_t>(values_offset(keeper.chains));
  header.size = static_cast<uint64_t>(file_size(kept.width, capacity, keeper.chains));
  header.what = static_cast<int32_t>(kept.plan.what);
  header.checksum = checksum_of(header);
  return header;
}

// ---- reading ---------------------------------------------------------------------------------

bool is_possible(const FileHeader &header) {
  if (header.values < 1 || header.values > max_size || header.capacity < 1 ||
      header.capacity > max_size || header.chains < 1 || header.chains > most_chains ||
      !ops_of(static_cast<Keep>(header.what)))
    return false;
  const int64_t size = file_size(header.values, header.capacity, header.chains);
  return size < INT64_MAX && header.size == static_cast<uint64_t>(size) &&
         header.offset == static_cast<uint64_t>(values_offset(header.chains));
}

Status check_header(const DrawsFile &file, const char *path, Error *e) {
  const FileHeader &header = file.header;
  if (std::memcmp(header.magic, magic, sizeof magic) != 0)
    return fail(e, Status::save_corrupted,
                "path = %.120s: its first bytes are not those of a file of draws", path);
  if (header.byte_order != block_byte_order || header.version != format_version)
    return fail(
        e, Status::save_version,
        "path = %.120s: written in format %u, expected format %u in this machine's byte order",
        path, static_cast<unsigned>(header.version), static_cast<unsigned>(format_version));
  if (checksum_of(header) != header.checksum || !is_possible(header))
    return fail(e, Status::save_corrupted,
                "path = %.120s: the checksum of its header does not agree with its content", path);
  if (file.mapping.size >= header.size) return Status::ok;
  return fail(e, Status::save_truncated, "path = %.120s: it has %zu bytes, expected %llu", path,
              file.mapping.size, static_cast<unsigned long long>(header.size));
}

Status read_header(DrawsFile &file, const char *path, Error *e) {
  if (file.mapping.size < sizeof file.header)
    return fail(e, Status::save_truncated, "path = %.120s: it has %zu bytes, expected at least %zu",
                path, file.mapping.size, sizeof file.header);
  std::memcpy(&file.header, file.mapping.start, sizeof file.header);
  return check_header(file, path, e);
}

Status check_values(const DrawsFile &file, int64_t chain, int64_t draws, Error *e) {
  const double *values = file.values(chain);
  for (int64_t i = 0; i < draws * file.header.values; ++i)
    if (!std::isfinite(values[i]))
      return fail(e, Status::save_corrupted,
                  "path: value %lld of draw %lld, chain %lld is %g, expected a finite number",
                  ll(i % file.header.values), ll(i / file.header.values), ll(chain), values[i]);
  return Status::ok;
}

// After an aborted run, a chain's draws may be counted in one record or in both.
Status check_chain(const DrawsFile &file, int64_t chain, Error *e) {
  const DrawsHeader last = last_record(file, chain);
  const size_t bytes = static_cast<size_t>(last.draws * file.header.values) * sizeof(double);
  if (hash_bytes(hash_start, file.values(chain), bytes) != last.content)
    return fail(e, Status::save_corrupted,
                "path: the checksum of chain %lld does not agree with its %lld draws", ll(chain),
                ll(last.draws));
  return check_values(file, chain, last.draws, e);
}

Status check_opened(DrawsFile &file, const char *path, const nnp_net *net, Error *e) {
  NNP_TRY(read_header(file, path, e));
  if (net && net_fingerprint(*unwrap(net)) != file.header.network)
    return fail(e, Status::save_other_network,
                "path = %.120s: its draws belong to another network than `net`", path);
  for (int64_t c = 0; c < file.header.chains; ++c) NNP_TRY(check_chain(file, c, e));
  return Status::ok;
}

Status need_file_chain(const nnp_draws_file *file, int64_t chain, Error *e) {
  NNP_TRY(need(file, "file", e));
  return need_index(chain, 0, unwrap(file)->header.chains - 1, "chain", e);
}

Status need_parameters(const nnp_draws_file *file, int64_t chain, DrawsHeader *found, Error *e) {
  NNP_TRY(need_file_chain(file, chain, e));
  const Keep what = static_cast<Keep>(unwrap(file)->header.what);
  if (what != Keep::parameters)
    return fail(e, Status::unsupported,
                "file: it has what = %d, expected NNP_KEEP_PARAMETERS (%d) to merge",
                static_cast<int>(number_of(what)), static_cast<int>(NNP_KEEP_PARAMETERS));
  *found = last_record(*unwrap(file), chain);
  if (found->draws > 0) return Status::ok;
  return fail(e, Status::bad_size, "chain = %lld: it has no draws yet, expected some", ll(chain));
}

// Allocates it together with a copy of its path.
DrawsFile *take_file(const char *path) {
  const size_t length = std::strlen(path) + 1;
  DrawsFile *file = static_cast<DrawsFile *>(take_block(sizeof(DrawsFile) + length));
  if (!file) return nullptr;
  *file = DrawsFile{};
  file->path = static_cast<const char *>(std::memcpy(file + 1, path, length));
  return file;
}

bool has_draws(const DrawsFile &file) {
  for (int64_t c = 0; c < file.header.chains; ++c)
    if (last_record(file, c).draws > 0) return true;
  return false;
}

// Returns an opened file, or frees it on failure.
Status hand_out(DrawsFile *made, Status status, nnp_draws_file **file) {
  if (status == Status::ok) {
    *file = reinterpret_cast<nnp_draws_file *>(made);
    return status;
  }
  if (made) unmap(made->mapping);
  nnp::free_block(made);
  return status;
}

Status no_memory(Error *e) {
  return fail(e, Status::out_of_memory, "memory: the system has no block of %zu bytes",
              sizeof(DrawsFile));
}

Status make_file(DrawsFile &made, const char *path, const FileHeader &header, Error *e) {
  NNP_TRY(map_new_file(path, header.size, &made.mapping, e));
  made.header = header;
  made.writable = true;
  std::memcpy(made.mapping.start, &header, sizeof header);
  return Status::ok;
}

}  // namespace

DrawsHeader nnp::last_record(const DrawsFile &file, int64_t chain) {
  DrawsHeader last = {};
  last.content = hash_start;
  for (int64_t slot = 0; slot < 2; ++slot) {
    const DrawsHeader found = read_record(file, chain, slot);
    if (is_possible(file, found, slot) && found.draws >= last.draws) last = found;
  }
  return last;
}

Status nnp::check_file_chain(const DrawsFile &file, int64_t index, const Chain &chain, Error *e) {
  const DrawsHeader last = last_record(file, index);
  const DrawsHeader own = draws_header(chain, file.header.values, last.draws, last.content);
  if (last.draws == 0 || (own.network == last.network && own.data == last.data &&
                          own.number == last.number && own.posterior == last.posterior))
    return Status::ok;
  return fail(e, Status::bad_value,
              "chains: the file has draws of another chain than number %lld, expected the chain "
              "that wrote it",
              ll(index));
}

void nnp::file_begin(DrawsFile &file, int64_t index, const Chain &chain) {
  const DrawsHeader last = last_record(file, index);
  if (last.draws == 0)
    write_record(file, index, draws_header(chain, file.header.values, 0, hash_start));
}

void nnp::file_count(DrawsFile &file, int64_t index, const Chain &chain) {
  DrawsHeader header = last_record(file, index);
  const size_t bytes = static_cast<size_t>(file.header.values) * sizeof(double);
  const double *draw = file.values(index) + header.draws * file.header.values;
  header.content = hash_bytes(header.content, draw, bytes);
  header.steps = chain.steps;
  ++header.draws;
  header.size += bytes;
  write_record(file, index, header);
}

int32_t nnp_draws_file_create(nnp_draws_file **file, const char *path, const nnp_keeper *keeper,
                              int64_t index, int64_t capacity, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(file, "file", e));
    NNP_TRY(need(path, "path", e));
    NNP_TRY(need_kept(keeper, index, e));
    NNP_TRY(need_size(capacity, 1, max_size, "capacity", e));
    const Keeper &inner = *unwrap(keeper)->keeper;
    const Kept &kept = inner.kept[index];
    if (file_size(kept.width, capacity, inner.chains) == INT64_MAX)
      return fail(e, Status::size_overflow,
                  "capacity = %lld: with %lld values per draw more bytes than a file can have",
                  ll(capacity), ll(kept.width));
    DrawsFile *made = take_file(path);
    if (!made) return no_memory(e);
    return hand_out(made, make_file(*made, path, new_header(inner, kept, capacity), e), file);
  });
}

int32_t nnp_draws_file_open(nnp_draws_file **file, const char *path, const nnp_net *net,
                            nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(file, "file", e));
    NNP_TRY(need(path, "path", e));
    DrawsFile *made = take_file(path);
    if (!made) return no_memory(e);
    Status status = map_file(path, &made->mapping, e);
    if (status == Status::ok) status = check_opened(*made, path, net, e);
    return hand_out(made, status, file);
  });
}

void nnp_draws_file_free(nnp_draws_file *file) {
  if (!file) return;
  DrawsFile &made = *unwrap(file);
  if (made.writable && !has_draws(made))
    unmap_and_remove(made.mapping, made.path);
  else
    unmap(made.mapping);
  nnp::free_block(file);
}

int32_t nnp_draws_file_info(const nnp_draws_file *file, int32_t *what, int64_t *capacity,
                            int64_t *chains, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(file, "file", e));
    const FileHeader &header = unwrap(file)->header;
    if (what) *what = number_of(static_cast<Keep>(header.what));
    if (capacity) *capacity = header.capacity;
    if (chains) *chains = header.chains;
    return Status::ok;
  });
}

int32_t nnp_draws_file_chain(const nnp_draws_file *file, int64_t chain, nnp_saved_draws *out,
                             nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_file_chain(file, chain, e));
    NNP_TRY(need(out, "out", e));
    *out = saved_draws_of(last_record(*unwrap(file), chain));
    return Status::ok;
  });
}

int32_t nnp_draws_file_view(const nnp_draws_file *file, nnp_draws *out, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(file, "file", e));
    NNP_TRY(need(out, "out", e));
    const FileHeader &header = unwrap(file)->header;
    int64_t draws = header.capacity;
    for (int64_t c = 0; c < header.chains; ++c)
      draws = std::min(draws, last_record(*unwrap(file), c).draws);
    if (draws == 0)
      return fail(e, Status::bad_size,
                  "file: not every chain has draws yet, expected some of each");
    *out = {unwrap(file)->values(0),
            header.values,
            draws,
            header.chains,
            1,
            header.values,
            header.values * header.capacity,
            {}};
    return Status::ok;
  });
}

int32_t nnp_draws_file_save_bytes(const nnp_draws_file *file, int64_t chain, size_t *bytes,
                                  nnp_error *err) {
  return guarded(err, [&](Error *e) {
    DrawsHeader header;
    NNP_TRY(need_parameters(file, chain, &header, e));
    NNP_TRY(need(bytes, "bytes", e));
    *bytes = draws_block_size(header);
    return Status::ok;
  });
}

int32_t nnp_draws_file_save(const nnp_draws_file *file, int64_t chain, void *buffer, size_t size,
                            nnp_error *err) {
  return guarded(err, [&](Error *e) {
    DrawsHeader header;
    NNP_TRY(need_parameters(file, chain, &header, e));
    NNP_TRY(need(buffer, "buffer", e));
    const size_t needed = draws_block_size(header);
    if (size < needed)
      return fail(e, Status::buffer_too_small, "size = %zu: expected at least %zu", size, needed);
    write_draws(header, unwrap(file)->values(chain), buffer);
    return Status::ok;
  });
}

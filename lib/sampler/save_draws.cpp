#include "lib/sampler/save_draws.hpp"

#include <cmath>
#include <cstring>

#include "lib/base/hash.hpp"
#include "lib/base/sizes.hpp"
#include "lib/sampler/block.hpp"
#include "lib/sampler/save.hpp"
#include "lib/sampler/saved.hpp"

namespace nnp {

namespace {

constexpr char magic[8] = {'n', 'n', 'p', 'd', 'r', 'a', 'w', 's'};
constexpr uint32_t format_version = 1;

size_t doubles(int64_t count) {
  return static_cast<size_t>(count) * sizeof(double);
}

}  // namespace

size_t save_draws_size(const Net &net, int64_t count) {
  return sizeof(DrawsHeader) + doubles(net.param_count() * count);
}

DrawsHeader draws_header(const Chain &chain, int64_t values, int64_t count, uint64_t content) {
  const State &state = chain.state;
  DrawsHeader header = {};
  std::memcpy(header.magic, magic, sizeof magic);
  header.version = format_version;
  header.byte_order = block_byte_order;
  header.size = sizeof header + doubles(values * count);
  header.network = net_fingerprint(state.net);
  header.data = state.rows() ? 0 : data_fingerprint(state);
  header.number = state.layer_streams[0].chain();
  header.steps = chain.steps;
  header.parameters = values;
  header.draws = count;
  header.sampler = static_cast<int32_t>(chain.sampler);
  header.posterior = static_cast<int32_t>(chain.posterior);
  header.content = content;
  return header;
}

size_t draws_block_size(const DrawsHeader &header) {
  return sizeof header + doubles(header.parameters * header.draws);
}

void write_draws(const DrawsHeader &header, const void *draws, void *buffer) {
  unsigned char *start = static_cast<unsigned char *>(buffer);
  std::memcpy(start + sizeof header, draws, doubles(header.parameters * header.draws));
  seal_block(header, start);
}

void save_draws(const Chain &chain, const double *draws, int64_t count, void *buffer) {
  const int64_t values = chain.state.net.param_count();
  const uint64_t content = hash_bytes(hash_start, draws, doubles(values * count));
  write_draws(draws_header(chain, values, count, content), draws, buffer);
}

void seal_record(DrawsHeader &header) {
  header.checksum = 0;
  header.checksum = hash_bytes(hash_start, &header, sizeof header);
}

bool is_record(const DrawsHeader &header) {
  DrawsHeader copy = header;
  seal_record(copy);
  return copy.checksum == header.checksum && header.version == format_version &&
         header.byte_order == block_byte_order &&
         std::memcmp(header.magic, magic, sizeof magic) == 0;
}

bool has_kinds(const DrawsHeader &header) {
  const int32_t posterior = header.posterior;
  return ops_of(static_cast<SamplerKind>(header.sampler)) &&
         posterior >= static_cast<int32_t>(PosteriorKind::intermediate) &&
         posterior <= static_cast<int32_t>(PosteriorKind::classical);
}

Status read_draws(const void *buffer, size_t size, DrawsHeader *header, Error *err) {
  const Status status =
      read_block({"chain's draws", magic, format_version}, buffer, size, header, err);
  if (status != Status::ok) return status;
  const int64_t most = INT64_MAX / 16;
  const bool possible =
      header->parameters >= 0 && header->draws >= 1 &&
      times(header->parameters, header->draws) < most &&
      header->size == sizeof *header + doubles(header->parameters * header->draws);
  if (!possible)
    return fail(err, Status::save_corrupted,
                "buffer: it has %lld draws of %lld parameters in %llu bytes", ll(header->draws),
                ll(header->parameters), static_cast<unsigned long long>(header->size));
  if (!has_kinds(*header))
    return fail(err, Status::save_corrupted,
                "buffer: sampler = %d, posterior = %d: expected ones that exist",
                static_cast<int>(header->sampler), static_cast<int>(header->posterior));
  const unsigned char *values = static_cast<const unsigned char *>(buffer) + sizeof *header;
  for (int64_t i = 0; i < header->parameters * header->draws; ++i)
    if (!std::isfinite(saved_value<double>(values, i)))
      return fail(err, Status::save_corrupted,
                  "buffer: parameter %lld of draw %lld is %g, expected a finite number",
                  ll(i % header->parameters), ll(i / header->parameters),
                  saved_value<double>(values, i));
  return Status::ok;
}

Status check_mergeable(const DrawsHeader &first, const DrawsHeader &other, int64_t index,
                       Error *err) {
  if (other.network != first.network || other.posterior != first.posterior ||
      other.parameters != first.parameters)
    return fail(err, Status::save_other_network,
                "saves: number %lld has another network or posterior than number 0", ll(index));
  if (other.data == first.data) return Status::ok;
  return fail(err, Status::save_other_data, "saves: number %lld has other data than number 0",
              ll(index));
}

bool comes_before(const DrawsHeader &a, const DrawsHeader &b) {
  return a.number != b.number ? a.number < b.number : a.content < b.content;
}

}  // namespace nnp

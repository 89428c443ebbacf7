// Draws of separate jobs: each job saves its own, one merges them.
#include "capi/draws.hpp"

#include "capi/families.hpp"

using namespace nnp;

namespace {

Status check_count(const nnp_chain *chain, int64_t count, Error *e) {
  NNP_TRY(need_started(chain, e));
  NNP_TRY(need_size(count, 1, max_size, "count", e));
  return need_draws(count, unwrap(chain)->chain->state.net.param_count(), 1, "count", e);
}

Status check_values(const double *draws, int64_t count, Error *e) {
  NNP_TRY(need(draws, "draws", e));
  if (all_finite(draws, count)) return Status::ok;
  return fail(e, Status::not_finite, "draws: not all of them are finite, expected a chain's draws");
}

Status read_header(const nnp_saved &save, int64_t index, DrawsHeader *header, Error *e) {
  if (!save.buffer)
    return fail(e, Status::null_argument, "saves: the buffer of number %lld is NULL", ll(index));
  return read_draws(save.buffer, save.size, header, e);
}

// Copies a header that has already been checked.
DrawsHeader header_of(const nnp_saved &save) {
  DrawsHeader header;
  std::memcpy(&header, save.buffer, sizeof header);
  return header;
}

Status check_all(const nnp_saved *saves, int64_t count, int64_t each, Error *e) {
  DrawsHeader first = {}, other = {};
  for (int64_t i = 0; i < count; ++i) {
    NNP_TRY(read_header(saves[i], i, &other, e));
    if (i == 0) first = other;
    NNP_TRY(check_mergeable(first, other, i, e));
    if (other.draws < each)
      return fail(e, Status::bad_size, "draws_each = %lld: number %lld of saves has %lld draws",
                  ll(each), ll(i), ll(other.draws));
  }
  return Status::ok;
}

// How many saves come before number i; fails if two are the same.
Status find_place(const nnp_saved *saves, int64_t count, int64_t i, int64_t *place, Error *e) {
  const DrawsHeader mine = header_of(saves[i]);
  *place = 0;
  for (int64_t j = 0; j < count; ++j) {
    const DrawsHeader other = header_of(saves[j]);
    if (i != j && other.content == mine.content)
      return fail(
          e, Status::bad_value,
          "saves: numbers %lld and %lld have the same draws, expected chains of one seed to "
          "have different numbers",
          ll(std::min(i, j)), ll(std::max(i, j)));
    *place += comes_before(other, mine) ? 1 : 0;
  }
  return Status::ok;
}

}  // namespace

nnp_saved_draws nnp::saved_draws_of(const DrawsHeader &header) {
  nnp_saved_draws out = {};
  out.parameters = header.parameters;
  out.draws = header.draws;
  out.steps = header.steps;
  out.number = header.number;
  out.network = header.network;
  out.data = header.data;
  // a file may have room for draws that no chain has made yet
  if (header.sampler) out.sampler = number_of(static_cast<SamplerKind>(header.sampler));
  if (header.posterior) out.posterior = number_of(static_cast<PosteriorKind>(header.posterior));
  return out;
}

int32_t nnp_draws_save_bytes(const nnp_chain *chain, int64_t count, size_t *bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_count(chain, count, e));
    NNP_TRY(need(bytes, "bytes", e));
    *bytes = save_draws_size(unwrap(chain)->chain->state.net, count);
    return Status::ok;
  });
}

int32_t nnp_draws_save(const nnp_chain *chain, const double *draws, int64_t count, void *buffer,
                       size_t size, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_count(chain, count, e));
    const Net &net = unwrap(chain)->chain->state.net;
    NNP_TRY(check_values(draws, count * net.param_count(), e));
    NNP_TRY(need(buffer, "buffer", e));
    const size_t needed = save_draws_size(net, count);
    if (size < needed)
      return fail(e, Status::buffer_too_small, "size = %zu: expected at least %zu", size, needed);
    save_draws(*unwrap(chain)->chain, draws, count, buffer);
    return Status::ok;
  });
}

int32_t nnp_draws_saved(const void *buffer, size_t size, nnp_saved_draws *out, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    DrawsHeader header;
    NNP_TRY(need(buffer, "buffer", e));
    NNP_TRY(need(out, "out", e));
    NNP_TRY(read_draws(buffer, size, &header, e));
    *out = saved_draws_of(header);
    return Status::ok;
  });
}

int32_t nnp_draws_merge(const nnp_saved *saves, int64_t count, double *draws, int64_t draws_each,
                        nnp_saved_draws *chains, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(saves, "saves", e));
    NNP_TRY(need_index(count, 1, 1 << 20, "count", e));
    NNP_TRY(need(draws, "draws", e));
    NNP_TRY(need_size(draws_each, 1, max_size, "draws_each", e));
    NNP_TRY(check_all(saves, count, draws_each, e));
    for (int64_t i = 0; i < count; ++i) {
      int64_t place = 0;
      NNP_TRY(find_place(saves, count, i, &place, e));
    }
    for (int64_t i = 0; i < count; ++i) {
      int64_t place = 0;
      NNP_TRY(find_place(saves, count, i, &place, e));
      const DrawsHeader header = header_of(saves[i]);
      const int64_t values = header.parameters * draws_each;
      // the last ones, if there are more
      const unsigned char *from =
          static_cast<const unsigned char *>(saves[i].buffer) + sizeof header +
          static_cast<size_t>(header.parameters * (header.draws - draws_each)) * sizeof(double);
      std::memcpy(draws + place * values, from, static_cast<size_t>(values) * sizeof(double));
      if (chains) chains[place] = saved_draws_of(header);
    }
    return Status::ok;
  });
}

#include "lib/sampler/saved.hpp"

#include <cmath>

#include "lib/network/scales.hpp"

namespace nnp {

namespace {

bool is_count(int64_t value) {
  return value >= 0 && value <= max_count;
}

// Turns the message of another check into one about the buffer.
Status corrupted(const Error &why, Error *err) {
  return fail(err, Status::save_corrupted, "buffer: %s", why.message);
}

Status check_parameters(const Net &net, const unsigned char *piece, Error *err) {
  for (int64_t i = 0; i < net.param_count(); ++i) {
    const double value = saved_value<double>(piece, i);
    if (!std::isfinite(value))
      return fail(err, Status::save_corrupted,
                  "buffer: parameter %lld is %g, expected a finite number", ll(i), value);
  }
  return check_scales(
      net, [piece](int64_t i) { return saved_value<double>(piece, i); }, "buffer",
      Status::save_corrupted, err);
}

// Checks an option that the sampler does not have: it cannot have been set.
Status check_option(const Chain &chain, Option option, double value, Error *err) {
  const double initial = OptionValues(chain.sampler)[option];
  if (!has_option(chain.sampler, option)) {
    if (value == initial) return Status::ok;
    return fail(err, Status::save_corrupted,
                "buffer: option %s is %g, expected %g: sampler %s does not have it",
                option_row(option)->name, value, initial, ops_of(chain.sampler)->name);
  }
  Error why;
  Status status = option_check(option, value, &why);
  const auto check = ops_of(chain.sampler)->check_option;
  if (status == Status::ok && check)
    status = check(chain.state.net, chain.posterior, option, value, &why);
  return status == Status::ok ? status : corrupted(why, err);
}

// True if this provider can serve a chain whose option is `wanted`.
bool may_serve(Blas wanted, Provider provider) {
  if (wanted == Blas::automatic) return provider != Provider::whole;
  return provider == provider_for(wanted, Simd::best);
}

Status check_options(const Chain &chain, const unsigned char *piece, const SavedChain &saved,
                     Error *err) {
  for (int32_t i = 0; i < option_room; ++i) {
    const Option option = static_cast<Option>(i);
    const double value = saved_value<double>(piece, i);
    if (!option_row(option) && value != 0)
      return fail(err, Status::save_corrupted,
                  "buffer: option number %d is %g, expected 0: this version does not have it",
                  static_cast<int>(i), value);
    const Status status = option_row(option) ? check_option(chain, option, value, err) : Status::ok;
    if (status != Status::ok) return status;
  }
  const int32_t wanted = static_cast<int32_t>(Option::simd);
  const double simd = saved_value<double>(piece, wanted), level = static_cast<double>(saved.simd);
  if (simd != 0 && simd != level)
    return fail(err, Status::save_corrupted, "buffer: option simd is %g, saved with level %g", simd,
                level);
  const double blas = saved_value<double>(piece, static_cast<int32_t>(Option::blas));
  if (may_serve(static_cast<Blas>(static_cast<int32_t>(blas)), saved.provider)) return Status::ok;
  return fail(err, Status::save_corrupted, "buffer: option blas is %g, saved with provider %d",
              blas, static_cast<int>(saved.provider));
}

Status check_annealing(const Net &net, const unsigned char *piece, Error *err) {
  const Annealing annealing = saved_value<Annealing>(piece, 0);
  if (annealing.steps == 0 && annealing.from == 0) return Status::ok;
  if (annealing.steps < 1 || annealing.steps > max_annealing)
    return fail(err, Status::save_corrupted,
                "buffer: it anneals from %g over %lld steps, expected 1 to %lld", annealing.from,
                ll(annealing.steps), ll(max_annealing));
  Error why;
  // A learned noise may have risen above that, and the chain's noise is not the block's.
  for (int64_t k = 1; k <= net.depth; ++k)
    if (net.layer(k).learned_noise.count > 0 && annealing.from > 0 && std::isfinite(annealing.from))
      return Status::ok;
  return check_annealing(net, annealing.from, &why) == Status::ok ? Status::ok
                                                                  : corrupted(why, err);
}

Status check_moves(const Chain &chain, const unsigned char *piece, Error *err) {
  const bool has_moves = ops_of(chain.sampler)->set_moves;
  for (int32_t i = 0; i < move_room; ++i) {
    const MoveCount made = saved_value<MoveCount>(piece, i);
    const bool none = made.tried == 0 && made.moved == 0 && made.evaluations == 0;
    const bool counts = is_count(made.tried) && is_count(made.evaluations) && made.moved >= 0 &&
                        made.moved <= made.tried;
    if (none || (has_moves && counts && i < move_kinds)) continue;
    return fail(err, Status::save_corrupted,
                "buffer: %s were tried %lld times, moved %lld times and evaluated %lld times, "
                "which is impossible for a chain of sampler %s",
                move_name(static_cast<Move>(i + 1)), ll(made.tried), ll(made.moved),
                ll(made.evaluations), ops_of(chain.sampler)->name);
  }
  return Status::ok;
}

// Checks a tile. Unused rows of the last tile are ignored: restoring clears them.
Status check_tile(const State &state, int64_t k, int64_t t, ConstTile site, Error *err) {
  const HeadOps &head = *ops_of(state.net.head);
  const int64_t number = state.net.layer(k).last_number,
                first = state.tiling.first_row() + t * state.tiling.ld;
  for (int64_t j = 0; j < site.width; ++j)
    for (int64_t i = 0; i < site.rows; ++i)
      if (!std::isfinite(site.col(j)[i]))
        return fail(err, Status::save_corrupted,
                    "buffer: feature %lld of row %lld at site %lld is %g, expected a finite number",
                    ll(j), ll(first + i), ll(number), site.col(j)[i]);
  for (int64_t i = 0; i < site.rows && k == state.net.depth; ++i)
    if (!head.feasible(state.labels(t), site, i))
      return fail(err, Status::save_corrupted,
                  "buffer: the scores of row %lld contradict its label %d", ll(first + i),
                  static_cast<int>(state.labels(t)[i]));
  return Status::ok;
}

Status check_site(const State &state, int64_t k, const unsigned char *piece, Error *err) {
  const int64_t width = state.net.site_width(k), ld = state.tiling.ld;
  const size_t bytes = static_cast<size_t>(ld * width) * sizeof(double);
  double *copy = state.blocks[0].scratch[0];
  for (int64_t t = 0; t < state.tiling.tiles; ++t, piece += bytes) {
    std::memcpy(copy, piece, bytes);
    const Status status = check_tile(state, k, t, {copy, state.tiling.rows(t), width, ld}, err);
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

Status check_block_stream(int64_t block, bool first, const unsigned char *piece, SavedChain &saved,
                          Error *err) {
  const Stream stream = saved_value<Stream>(piece, 0);
  if (first) saved.chain = stream.chain();
  if (is_block_stream(stream, saved.chain, block)) return Status::ok;
  return fail(err, Status::save_corrupted,
              "buffer: the random stream of block %lld is not that of chain %llu", ll(block),
              static_cast<unsigned long long>(saved.chain));
}

Status check_layer_streams(const Net &net, const unsigned char *piece, const SavedChain &saved,
                           Error *err) {
  for (int64_t k = 1; k <= net.depth; ++k)
    if (!is_layer_stream(saved_value<Stream>(piece, k - 1), saved.chain, k))
      return fail(err, Status::save_corrupted,
                  "buffer: the random stream of layer %lld is not that of chain %llu",
                  ll(net.layer(k).first_number), static_cast<unsigned long long>(saved.chain));
  return Status::ok;
}

Status check_scale_stream(const unsigned char *piece, const SavedChain &saved, Error *err) {
  if (is_scale_stream(saved_value<Stream>(piece, 0), saved.chain)) return Status::ok;
  return fail(err, Status::save_corrupted,
              "buffer: the random stream of learned scales is not that of chain %llu",
              static_cast<unsigned long long>(saved.chain));
}

Status check_counts(int64_t block, const unsigned char *piece, Error *err) {
  const HeadCounts counts = saved_value<HeadCounts>(piece, 0);
  if (is_count(counts.exact) && is_count(counts.scanned)) return Status::ok;
  return fail(err, Status::save_corrupted,
              "buffer: block %lld has drawn the scores of %lld rows exactly and scanned those of "
              "%lld, expected 0 to %lld",
              ll(block), ll(counts.exact), ll(counts.scanned), ll(max_count));
}

}  // namespace

Status check_part(const Chain &chain, Part part, int64_t index, const unsigned char *piece,
                  SavedChain &saved, Error *err) {
  const Net &net = chain.state.net;
  switch (part) {
    case Part::parameters:
      return check_parameters(net, piece, err);
    case Part::options:
      return check_options(chain, piece, saved, err);
    case Part::annealing:
      return check_annealing(net, piece, err);
    case Part::moves:
      return check_moves(chain, piece, err);
    case Part::site:
      return check_site(chain.state, index, piece, err);
    case Part::stream:
      return check_block_stream(chain.state.tiling.block_offset + index, index == 0, piece, saved,
                                err);
    case Part::counts:
      return check_counts(index, piece, err);
    case Part::layer_streams:
      return check_layer_streams(net, piece, saved, err);
    case Part::scale_stream:
      return check_scale_stream(piece, saved, err);
    case Part::statistics:
      saved.statistics = saved_value<StepStatistics>(piece, 0);
      return Status::ok;
    case Part::sampler:
      saved.pieces[index] = piece;
      return Status::ok;
  }
  return Status::ok;
}

}  // namespace nnp

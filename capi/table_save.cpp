// The fit of a table as one block of bytes, and back: a header with sizes, model, recipe and verdicts,
// then input_mean, input_sd, input_matrix if there is one, target_mean, target_sd, weights and draws.
#include <algorithm>
#include <cmath>
#include <limits>

#include "capi/families.hpp"
#include "capi/table.hpp"
#include "lib/base/functions.hpp"
#include "lib/base/sizes.hpp"
#include "lib/diagnostics/loo.hpp"
#include "lib/network/scales.hpp"
#include "lib/sampler/block.hpp"
#include "lib/sampler/saved.hpp"

using namespace nnp;

namespace {

constexpr char magic[8] = {'n', 'n', 'p', 't', 'a', 'b', 'l', 'e'};
constexpr uint32_t format_version = 1;

struct TableHeader {
  char magic[8];
  uint32_t version, byte_order;
  uint64_t size;     // of the whole block
  uint64_t network;  // fingerprint
  int64_t rows, columns, targets, classes;
  int64_t parameters, draws, chains;
  int32_t signed_labels, stopped, weights_from, has_matrix;
  nnp_model model;
  nnp_recipe recipe;
  nnp_convergence convergence;
  nnp_loo_summary loo;
  uint64_t checksum;
};
static_assert(sizeof(TableHeader) == 8 + 8 + 16 + 7 * 8 + 16 + sizeof(nnp_model) +
                                         sizeof(nnp_recipe) + sizeof(nnp_convergence) +
                                         sizeof(nnp_loo_summary) + 8,
              "no byte of a header may be left to chance");

constexpr int piece_count = 7;
struct Piece {
  double *values;
  int64_t count;
};
struct Pieces {
  Piece all[piece_count];
};

Pieces pieces_of(const Fitted &f) {
  return {{{f.input_mean, f.columns},
           {f.input_sd, f.columns},
           {f.input_matrix, f.input_matrix ? f.columns * f.columns : 0},
           {f.target_mean, f.targets},
           {f.target_sd, f.targets},
           {f.weights, f.chains},
           {f.values, f.parameters * f.draws * f.chains}}};
}

// INT64_MAX if memory cannot address as many.
int64_t bytes_of(const FittedSizes &s) {
  const int64_t values = times(times(s.parameters, s.draws), s.chains);
  const int64_t inputs = plus(times(2, s.columns), s.matrix);
  const int64_t count = plus(plus(inputs, times(2, s.targets)), plus(s.chains, values));
  return plus(times(count, sizeof(double)), sizeof(TableHeader));
}

TableHeader header_of(const Fitted &f) {
  TableHeader header = {};
  std::memcpy(header.magic, magic, sizeof magic);
  header.version = format_version;
  header.byte_order = block_byte_order;
  const int64_t matrix = f.input_matrix ? f.columns * f.columns : 0;
  header.size = static_cast<uint64_t>(
      bytes_of({f.columns, matrix, f.targets, f.parameters, f.draws, f.chains}));
  header.network = net_fingerprint(*unwrap(f.net));
  header.rows = f.rows;
  header.columns = f.columns;
  header.targets = f.targets;
  header.classes = f.classes;
  header.parameters = f.parameters;
  header.draws = f.draws;
  header.chains = f.chains;
  header.signed_labels = f.signed_labels ? 1 : 0;
  header.stopped = f.stopped ? 1 : 0;
  header.weights_from = static_cast<int32_t>(f.weights_from);
  header.has_matrix = f.input_matrix ? 1 : 0;
  header.model = f.model;
  header.recipe = f.recipe;
  header.convergence = f.convergence;
  header.loo = f.loo;
  return header;
}

// ---- what a block says, before any of it is believed ------------------------------------------

Status corrupted(const char *what, Error *e) {
  return fail(e, Status::save_corrupted, "buffer: %s that no table can have saved", what);
}

bool is_flag(int32_t value) {
  return value == 0 || value == 1;
}

bool from_to(int64_t value, int64_t least, int64_t most) {
  return value >= least && value <= most;
}

template <class T>
bool all_zero(const T *values, int64_t count) {
  return std::all_of(values, values + count, [](T value) { return value == 0; });
}

FittedSizes sizes_of(const TableHeader &h) {
  const int64_t matrix = h.has_matrix == 1 ? times(h.columns, h.columns) : 0;
  return {h.columns, matrix, h.targets, h.parameters, h.draws, h.chains};
}

Status check_counts(const TableHeader &h, Error *e) {
  const bool possible = from_to(h.rows, 2, max_size) && h.columns >= 1 && h.targets >= 0 &&
                        h.classes >= 0 && h.classes != 1 && (h.targets == 0) == (h.classes > 0) &&
                        h.parameters >= 1 && h.draws >= 1 && h.chains >= 1 && h.classes <= h.rows &&
                        is_flag(h.signed_labels) && is_flag(h.stopped) &&
                        from_to(h.weights_from, 0, 2) && is_flag(h.has_matrix) &&
                        (h.has_matrix == 0 || (h.classes > 0 && h.model.ard == 0)) &&
                        (h.signed_labels == 0 || h.classes == 2);
  if (!possible) return corrupted("it has counts", e);
  if (h.size != static_cast<uint64_t>(bytes_of(sizes_of(h)))) return corrupted("it has a size", e);
  return Status::ok;
}

// Do head and targets of the model belong to what was fitted?
Status check_model(const TableHeader &h, Error *e) {
  HeadKind head = HeadKind::none;
  if (take(h.model.head, "head", &head, nullptr) != Status::ok)
    return corrupted("it has a head", e);
  const bool labels = ops_of(head)->target == TargetKind::labels;
  const int64_t outputs = labels ? outputs_of_classes(h.classes) : h.targets;
  const int64_t hidden = h.model.hidden_count;
  if (h.model.inputs == h.columns && h.model.targets == outputs && labels == (h.classes > 0) &&
      (!labels || head == head_of_labels(outputs)) && from_to(hidden, 0, max_hidden) &&
      all_zero(h.model.hidden + hidden, max_hidden - hidden))
    return Status::ok;
  return corrupted("it has a model", e);
}

// Lengths, and whether the fit is as long.
bool is_possible(const nnp_recipe &r, const TableHeader &h) {
  const bool complete = r.chains == h.chains && r.draws == h.draws;
  return from_to(r.chains, h.chains, most_table_chains) &&
         from_to(r.draws, h.draws, most_table_steps) && from_to(r.warmup, 0, most_table_steps) &&
         from_to(r.thin, 1, most_table_steps) && complete == (h.stopped == 0) &&
         from_to(r.option_count, 0, recipe_options) &&
         all_zero(r.options + r.option_count, recipe_options - r.option_count) &&
         all_zero(r.values + r.option_count, recipe_options - r.option_count);
}

// Options that nnp_table_option takes, each once.
bool has_own_options(const nnp_recipe &r) {
  for (int64_t i = 0; i < r.option_count; ++i)
    if (r.options[i] == NNP_OPTION_WARMUP ||
        std::find(r.options, r.options + i, r.options[i]) != r.options + i)
      return false;
  return true;
}

// A fit takes the posterior of its model or, if none was asked for, the one recommended for its
// network.
bool has_posterior(const nnp_recipe &r, const TableHeader &h, const nnp_net *net) {
  nnp_recipe recommended = {};
  if (r.posterior == h.model.posterior) return true;
  return nnp_recommend(net, h.rows, 0, &recommended, nullptr) == NNP_OK &&
         r.posterior == recommended.posterior;
}

// What settings and options of a fit have to pass.
Status check_recipe_of(const TableHeader &h, const nnp_net *net, Error *e) {
  SamplerKind sampler = SamplerKind::gibbs;
  PosteriorKind posterior = PosteriorKind::intermediate;
  Start start = Start::zero;
  const nnp_recipe &r = h.recipe;
  const bool known = take(r.sampler, "", &sampler, nullptr) == Status::ok &&
                     take(r.posterior, "", &posterior, nullptr) == Status::ok &&
                     take(r.start, "", &start, nullptr) == Status::ok;
  const bool good = known && is_possible(r, h) && has_own_options(r) && has_posterior(r, h, net) &&
                    sampler_check(*unwrap(net), sampler, posterior, nullptr) == Status::ok &&
                    check_recipe(&r, sampler, posterior, *unwrap(net), nullptr) == Status::ok;
  return good ? Status::ok : corrupted("it has a recipe", e);
}

// NaN, or a number of effective draws that so many draws can have.
bool is_effective_size(double ess, int64_t draws) {
  const double all = static_cast<double>(draws);
  return std::isnan(ess) || (ess > 0 && ess <= 1.000001 * all * std::max(fn::log10(all), 1.0));
}

Status check_convergence(const TableHeader &h, const nnp_net *net, Error *e) {
  constexpr double largest_rhat = 1e18;  // ranks of 2^63 draws differ by no less
  const nnp_convergence &c = h.convergence;
  const Net &own = *unwrap(net);
  const int64_t all = h.draws * h.chains, scales = own.param_count() - own.weight_params();
  const int64_t functions =
      1 + std::min(h.rows, judged_rows) * std::max(h.targets, h.classes) + scales;
  const double needed = effective_draws_of_chain * static_cast<double>(h.chains);
  Convergence verdict = Convergence::undecided;
  const bool known =
      take(c.verdict, "", &verdict, nullptr) == Status::ok &&
      verdict == verdict_of({verdict, c.rhat, c.ess_bulk, c.ess_tail, c.ess_needed, c.worst});
  const bool none = std::isnan(c.rhat);
  const bool possible =
      (none || (c.rhat > 0.5 && c.rhat <= largest_rhat) || c.rhat == INFINITY) &&
      is_effective_size(c.ess_bulk, all) && is_effective_size(c.ess_tail, all) &&
      (none || h.draws < 6 || !std::isnan(c.ess_bulk)) &&  // halves of three draws have one
      (c.ess_needed == needed || (none && c.ess_needed == 0)) &&
      (none ? c.worst == -1 : from_to(c.worst, 0, functions - 1)) && c.reserved_int == 0 &&
      all_zero(c.reserved, 4);
  return known && possible ? Status::ok : corrupted("it has a verdict", e);
}

// All numbers are NaN where a likelihood was not finite. A k may be infinite, and so may errors,
// which are sums of squares.
Status check_loo(const TableHeader &h, Error *e) {
  const nnp_loo_summary &l = h.loo;
  const bool none = std::isnan(l.elpd) && std::isnan(l.elpd_error) && std::isnan(l.p_loo) &&
                    std::isnan(l.p_loo_error) && std::isnan(l.largest_k) && std::isnan(l.k_limit) &&
                    l.unreliable == 0;
  const bool some =
      std::isfinite(l.elpd) && l.elpd_error >= 0 && std::isfinite(l.p_loo) && l.p_loo_error >= 0 &&
      l.largest_k > -INFINITY && l.k_limit == largest_good_k(h.draws * h.chains) &&
      from_to(l.unreliable, 0, h.rows) && (l.unreliable > 0) == (l.largest_k > l.k_limit);
  return (none || some) && all_zero(l.reserved, 4) ? Status::ok
                                                   : corrupted("it has a cross-validation", e);
}

// Equal shares, or those of stacking, which is for chains that disagree, or the caller's.
Status check_weights(const Fitted &f, Error *e) {
  double sum = 0;
  bool alike = true;
  for (int64_t c = 0; c < f.chains; ++c) {
    if (!(f.weights[c] >= 0)) return corrupted("it has a weight", e);
    alike = alike && f.weights[c] == 1 / static_cast<double>(f.chains);
    sum += f.weights[c];
  }
  const bool stacking = f.chains >= 2 && f.convergence.verdict == NNP_NOT_CONVERGED;
  const bool possible = f.weights_from == WeightsFrom::nobody     ? alike
                        : f.weights_from == WeightsFrom::stacking ? stacking
                                                                  : true;
  return possible && std::fabs(sum - 1) < 1e-6 ? Status::ok : corrupted("it has weights", e);
}

// A deviation that nnp_standard can find next to this mean, and that can be divided by.
bool is_deviation(double mean, double sd) {
  using Limits = std::numeric_limits<double>;
  return sd >= Limits::min() && sd >= std::fabs(mean) * Limits::epsilon();
}

// Lower triangular, as find_discriminant writes it: with the covariance that it shrinks, entries are
// far smaller than this.
bool is_change(const double *matrix, int64_t columns) {
  constexpr double largest = 1e9;
  for (int64_t j = 0; j < columns; ++j)
    for (int64_t i = 0; i < columns; ++i) {
      const double entry = matrix[i + j * columns];
      const bool possible = i < j    ? entry == 0
                            : i == j ? entry > 0 && entry <= largest
                                     : std::fabs(entry) <= largest;
      if (!possible) return false;
    }
  return true;
}

// Values that were copied from the block.
Status check_values(const Fitted &f, Error *e) {
  for (const Piece &piece : pieces_of(f).all)
    if (!all_finite(piece.values, piece.count)) return corrupted("it has values", e);
  for (int64_t j = 0; j < f.columns; ++j)
    if (f.input_sd[j] != 0 && !is_deviation(f.input_mean[j], f.input_sd[j]))
      return corrupted("it has a standard deviation", e);
  for (int64_t j = 0; j < f.targets; ++j)
    if (!is_deviation(f.target_mean[j], f.target_sd[j]))
      return corrupted("it has a standard deviation", e);
  if (f.input_matrix && !is_change(f.input_matrix, f.columns))
    return corrupted("it has a matrix", e);
  NNP_TRY(check_weights(f, e));
  for (int64_t i = 0; i < f.draws * f.chains; ++i)
    NNP_TRY(check_scales(
        *unwrap(f.net), [&](int64_t j) { return f.values[i * f.parameters + j]; }, "buffer",
        Status::save_corrupted, e));
  return Status::ok;
}

Status check_net(const TableHeader &h, const nnp_net *net, Error *e) {
  int64_t parameters = 0;
  NNP_TRY(call(e, nnp_net_parameters, net, &parameters));
  if (parameters == h.parameters && net_fingerprint(*unwrap(net)) == h.network) return Status::ok;
  return fail(e, Status::save_other_network,
              "buffer: its network is not the one that this version makes of its model");
}

void read_header(const TableHeader &h, Fitted &f) {
  f.rows = h.rows;
  f.classes = h.classes;
  f.signed_labels = h.signed_labels == 1;
  f.stopped = h.stopped == 1;
  f.weights_from = static_cast<WeightsFrom>(h.weights_from);
  f.model = h.model;
  f.recipe = h.recipe;
  f.convergence = h.convergence;
  f.loo = h.loo;
}

Status restore(const void *buffer, size_t size, Owned<Fitted, free_fitted> &out, Error *e) {
  TableHeader h = {};
  Owned<nnp_net, nnp_net_free> net;
  NNP_TRY(read_block({"table", magic, format_version}, buffer, size, &h, e));
  NNP_TRY(check_counts(h, e));
  NNP_TRY(check_model(h, e));
  Error why = {};
  const Status built = call(&why, nnp_net_create_model, &net.handle, &h.model);
  if (built == Status::out_of_memory) return fail(e, built, "%s", why.message);
  if (built != Status::ok) return corrupted("it has a model", e);
  NNP_TRY(check_net(h, net.handle, e));
  NNP_TRY(check_recipe_of(h, net.handle, e));
  NNP_TRY(check_convergence(h, net.handle, e));
  NNP_TRY(check_loo(h, e));
  NNP_TRY(make_fitted(sizes_of(h), &out.handle, e));
  Fitted &fitted = *out.handle;
  fitted.net = net.release();
  read_header(h, fitted);
  const unsigned char *from = static_cast<const unsigned char *>(buffer) + sizeof h;
  for (const Piece &piece : pieces_of(fitted).all) {
    const size_t bytes = static_cast<size_t>(piece.count) * sizeof(double);
    if (bytes > 0) std::memcpy(piece.values, from, bytes);
    from += bytes;
  }
  return check_values(fitted, e);
}

}  // namespace

int32_t nnp_table_save_bytes(const nnp_table *table, size_t *bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_fitted(table, e));
    NNP_TRY(need(bytes, "bytes", e));
    *bytes = header_of(*unwrap(table)->fitted).size;
    return Status::ok;
  });
}

int32_t nnp_table_save(const nnp_table *table, void *buffer, size_t size, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_fitted(table, e));
    NNP_TRY(need(buffer, "buffer", e));
    const Fitted &fitted = *unwrap(table)->fitted;
    const TableHeader header = header_of(fitted);
    if (size < header.size)
      return fail(e, Status::buffer_too_small, "size = %zu: expected at least %zu", size,
                  static_cast<size_t>(header.size));
    unsigned char *to = static_cast<unsigned char *>(buffer) + sizeof header;
    for (const Piece &piece : pieces_of(fitted).all) {
      const size_t bytes = static_cast<size_t>(piece.count) * sizeof(double);
      if (bytes > 0) std::memcpy(to, piece.values, bytes);
      to += bytes;
    }
    seal_block(header, static_cast<unsigned char *>(buffer));
    return Status::ok;
  });
}

int32_t nnp_table_restore(nnp_table *table, const void *buffer, size_t size, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    Owned<Fitted, free_fitted> made;
    NNP_TRY(need(table, "table", e));
    NNP_TRY(need(buffer, "buffer", e));
    NNP_TRY(restore(buffer, size, made, e));
    replace_fitted(*unwrap(table), made.release());
    return Status::ok;
  });
}

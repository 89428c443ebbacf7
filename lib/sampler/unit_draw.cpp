// A draw of a hidden unit's incoming weights. Given its noise e_Z, and with the sites X above it
// integrated out, the unit is a regression: U - F A ~ N(0, S), S = D_U I + D_X A'A, where its
// column of F is sigma(W x + b + e_Z). As long as no row changes its piece of sigma, the
// conditional of (W, b) is Gaussian. The proposal is the Gaussian for the current pieces; it is
// accepted or rejected because some rows do change piece. The ordinary draw given Z takes steps of
// the size of the noise of Z; this one moves at once as far as the labels allow, which is far for
// units with small weights.
#include <cmath>
#include <cstring>

#include "lib/network/columns.hpp"
#include "lib/random/variates.hpp"
#include "lib/sampler/spread.hpp"
#include "lib/sampler/unit.hpp"

namespace nnp {

namespace {

// Memory of the draw: columns over all rows; vectors and matrices over the unit's weights.
struct UnitDraw {
  double *misfit = nullptr, *value = nullptr, *z_there = nullptr;  // columns
  double *whitened = nullptr, *normals = nullptr, *step = nullptr;
  double *factor = nullptr;
  double *rows = nullptr;     // one buffer of rows per block
  int64_t *filled = nullptr;  // number of rows in each buffer
  double *block_gram = nullptr, *block_vector = nullptr, *block_gain = nullptr;
  double *spread = nullptr, *pull = nullptr, *follow = nullptr;  // of the layer above
};

// The layer above at its current weights A, from the unit's point of view.
struct Reader {
  double *pull;     // q = S^-1 a, a the unit's outgoing weights
  double *follow;   // c = D_X A q: how the other sites respond to a change of the unit's
  double strength;  // kappa = a' q
};

// State of one unit's draw.
struct Drawing {
  Mover mover;
  UnitDraw *work;
  Layer unit;  // the unit as a separate layer
  int64_t p;   // number of its weights, bias included
  Reader read;
};

double entry(const Layer &above, const double *params, int64_t i, int64_t u) {
  return above.weights(params)[u * above.in.size() + i];
}

// Computes q, c and kappa; false if S is not positive definite in double precision.
bool read_above(Drawing &d) {
  const Mover &m = d.mover;
  const Layer &above = m.above();
  const double *params = m.state().params;
  const double below = m.state().net.layer(m.k + 1).noise;
  const int64_t in = above.in.size(), units = unit_count(above);
  const Kernels &kernels = *m.state().kernels;
  double *s = d.work->spread;
  const Reading reading = {{above.weights(params), in, units, in}, below, above.noise};
  if (!factor_spread(reading, kernels, s)) return false;
  for (int64_t u = 0; u < units; ++u) d.read.pull[u] = entry(above, params, m.first, u);
  solve_spread(s, units, d.read.pull, 1, kernels);
  d.read.strength = 0;
  for (int64_t u = 0; u < units; ++u)
    d.read.strength += d.read.pull[u] * entry(above, params, m.first, u);
  for (int64_t i = 0; i < in; ++i) {
    d.read.follow[i] = 0;
    for (int64_t u = 0; u < units; ++u)
      d.read.follow[i] += below * entry(above, params, i, u) * d.read.pull[u];
  }
  return true;
}

// ---- sums over rows --------------------------------------------------------------------------

// The slopes of sigma at z, where sigma(z) = value.
void slopes_of(const Drawing &d, BlockWork &block, ConstTile z, ConstTile value, Tile slopes) {
  const State &state = d.mover.state();
  const Layer &activation = state.net.layer(d.mover.k + 1);
  const Tile ones = {block.scratch[1], z.rows, 1, z.ld};
  for (int64_t i = 0; i < z.rows; ++i) ones.data[i] = 1;
  const BackwardTile tile = {z, value, ones, slopes};
  ops_of(activation).backward(activation, state.params, tile, nullptr, *state.kernels, nullptr);
}

// The rows of a tile that contribute, with their factors.
struct PickedRows {
  int64_t count = 0;
  int64_t row[Tiling::max_rows];
  double factor[Tiling::max_rows];

  void add(int64_t i, double by) {
    row[count] = i;
    factor[count] = by;
    count += by != 0;
  }
};

// Products are much faster over many rows, so picked rows are buffered until there are enough.
constexpr int64_t buffer_rows = 256;

// The block's buffer: rows x, each ending with a one, and rows factor * x.
struct RowBuffer {
  Tile plain, scaled;
  int64_t *filled;
};

RowBuffer buffer_of(const Drawing &d, int64_t b) {
  double *memory = d.work->rows + 2 * b * buffer_rows * d.p;
  int64_t *filled = d.work->filled + b;
  return {{memory, *filled, d.p, buffer_rows},
          {memory + buffer_rows * d.p, *filled, d.p, buffer_rows},
          filled};
}

// Appends a one to the inputs of each row.
void append_ones(const RowBuffer &buffer, const PickedRows &picked, int64_t j) {
  double *plain = buffer.plain.col(j) + *buffer.filled;
  double *scaled = buffer.scaled.col(j) + *buffer.filled;
  for (int64_t c = 0; c < picked.count; ++c) {
    plain[c] = 1;
    scaled[c] = picked.factor[c];
  }
}

template <bool keep_plain>
void append(const RowBuffer &buffer, const PickedRows &picked, ConstTile x,
            const Kernels &kernels) {
  const int64_t count = picked.count;
  in_columns(x, kernels, [&](ConstTile columns, int64_t first) {
    for (int64_t j = 0; j < columns.width; ++j) {
      const double *__restrict from = columns.col(j);
      double *__restrict plain = buffer.plain.col(first + j) + *buffer.filled;
      double *__restrict scaled = buffer.scaled.col(first + j) + *buffer.filled;
      for (int64_t c = 0; c < count; ++c) {
        const double value = from[picked.row[c]];
        if (keep_plain) plain[c] = value;
        scaled[c] = picked.factor[c] * value;
      }
    }
  });
  if (buffer.scaled.width > x.width) append_ones(buffer, picked, x.width);
  *buffer.filled += count;
}

// True if the block's buffer should be emptied now.
bool is_due(const Drawing &d, int64_t b, int64_t t) {
  const bool last = t + 1 == d.mover.state().tiling.last_tile(b);
  return d.work->filled[b] > (last ? 0 : buffer_rows - Tiling::max_rows);
}

// vector += g s x
void add_vector(const Drawing &d, BlockWork &block, int64_t b, int64_t t, const double *slopes) {
  const State &state = d.mover.state();
  const ConstTile x = state.tile(d.mover.k - 1, t);
  const double *g = state.tiling.tile(d.work->misfit, 1, t).data;
  const Tile product = {block.scratch[1], x.rows, 1, x.ld};
  for (int64_t i = 0; i < x.rows; ++i) product.data[i] = slopes[i] * g[i];
  double *vector = d.work->block_vector + b * d.p;
  in_columns(x, *state.kernels, [&](ConstTile columns, int64_t first) {
    state.kernels->add_cross(columns, product, vector + first, d.p);
  });
  if (d.p > x.width) state.kernels->add_sums(product, vector + x.width);
}

// gram += s^2 x x'; rows with zero slope are skipped.
void add_gram(const Drawing &d, int64_t b, int64_t t, const double *slopes) {
  const State &state = d.mover.state();
  const ConstTile x = state.tile(d.mover.k - 1, t);
  PickedRows picked;
  for (int64_t i = 0; i < x.rows; ++i) picked.add(i, slopes[i]);
  append<false>(buffer_of(d, b), picked, x, *state.kernels);
  if (!is_due(d, b, t)) return;
  const RowBuffer buffer = buffer_of(d, b);
  state.kernels->add_gram(buffer.scaled, d.work->block_gram + b * d.p * d.p, d.p);
  *buffer.filled = 0;
}

// gram += (s'^2 - s^2) x x' for the rows whose slope has changed.
void change_gram(const Drawing &d, int64_t b, int64_t t, const double *before,
                 const double *after) {
  const State &state = d.mover.state();
  const ConstTile x = state.tile(d.mover.k - 1, t);
  PickedRows picked;
  for (int64_t i = 0; i < x.rows; ++i) picked.add(i, after[i] * after[i] - before[i] * before[i]);
  append<true>(buffer_of(d, b), picked, x, *state.kernels);
  if (!is_due(d, b, t)) return;
  const RowBuffer buffer = buffer_of(d, b);
  state.kernels->add_cross(buffer.plain, buffer.scaled, d.work->block_gram + b * d.p * d.p, d.p);
  *buffer.filled = 0;
}

void clear(double *values, int64_t count) {
  std::memset(values, 0, static_cast<size_t>(count) * sizeof(double));
}

// Computes the misfit as seen by the unit, g = (U - F A) q, and the sums at the current weights.
void look_here(State &state, void *context, int64_t b, int64_t t) {
  const Drawing &d = *static_cast<const Drawing *>(context);
  const Mover &m = d.mover;
  const Layer &activation = state.net.layer(m.k + 1), &above = m.above();
  BlockWork &block = state.blocks[b];
  const ConstTile z = state.tile(m.k, t), u = state.tile(m.k + 2, t);
  const Tile f = {block.scratch[0], z.rows, z.width, z.ld};
  const Tile mean = {block.scratch[1], z.rows, u.width, z.ld};
  ops_of(activation).forward(activation, state.params, z, f, *state.kernels);
  ops_of(above).forward(above, state.params, f, mean, *state.kernels);
  double *g = state.tiling.tile(d.work->misfit, 1, t).data;
  for (int64_t i = 0; i < z.rows; ++i) g[i] = 0;
  for (int64_t j = 0; j < u.width; ++j)
    for (int64_t i = 0; i < z.rows; ++i) g[i] += d.read.pull[j] * (u.col(j)[i] - mean.col(j)[i]);
  const Tile value = state.tiling.tile(d.work->value, 1, t);
  std::memcpy(value.data, f.col(m.first), static_cast<size_t>(z.rows) * sizeof(double));
  if (t == state.tiling.first_tile(b)) {
    clear(d.work->block_gram + b * d.p * d.p, d.p * d.p);
    clear(d.work->block_vector + b * d.p, d.p);
    d.work->filled[b] = 0;
  }
  const Tile slopes = {block.scratch[0], z.rows, 1, z.ld};
  slopes_of(d, block, own_columns(m, m.k, t), value, slopes);
  add_vector(d, block, b, t, slopes.data);
  add_gram(d, b, t, slopes.data);
}

// Computes misfit and sums at the proposed weights, and the gain in log likelihood: g (f' - f) -
// kappa (f' - f)^2 / 2.
void look_there(State &state, void *context, int64_t b, int64_t t) {
  const Drawing &d = *static_cast<const Drawing *>(context);
  const Mover &m = d.mover;
  const Layer &activation = state.net.layer(m.k + 1);
  const Tile z = state.tiling.tile(d.work->z_there, 1, t), own = own_columns(m, m.k, t);
  const Tile value = {state.blocks[b].mean, z.rows, 1, z.ld};
  ops_of(d.unit).forward(d.unit, d.work->step, state.tile(m.k - 1, t), z, *state.kernels);
  for (int64_t i = 0; i < z.rows; ++i) z.data[i] += own.data[i];
  ops_of(activation).forward(activation, state.params, z, value, *state.kernels);
  if (t == state.tiling.first_tile(b)) {
    clear(d.work->block_vector + b * d.p, d.p);
    d.work->block_gain[b] = 0;
  }
  const Tile before = {state.blocks[b].scratch[0], z.rows, 1, z.ld};
  const Tile after = {before.data + z.ld, z.rows, 1, z.ld};
  slopes_of(d, state.blocks[b], own, state.tiling.tile(d.work->value, 1, t), before);
  double *g = state.tiling.tile(d.work->misfit, 1, t).data;
  double *change = state.tiling.tile(d.work->value, 1, t).data;  // f, then f' - f
  double gain = 0;
  for (int64_t i = 0; i < z.rows; ++i) {
    const double moved = value.data[i] - change[i];
    gain += moved * (g[i] - 0.5 * d.read.strength * moved);
    g[i] -= d.read.strength * moved;
    change[i] = moved;
  }
  d.work->block_gain[b] += gain;
  slopes_of(d, state.blocks[b], z, value, after);
  add_vector(d, state.blocks[b], b, t, after.data);
  change_gram(d, b, t, before.data, after.data);
}

// Moves Z to its proposed value, and X, given its new distribution, by (f' - f) (own - c).
void go_there(State &state, void *context, int64_t, int64_t t) {
  const Drawing &d = *static_cast<const Drawing *>(context);
  const Mover &m = d.mover;
  const Tile z = own_columns(m, m.k, t), x = state.latent_tile(m.k + 1, t);
  const double *there = state.tiling.tile(d.work->z_there, 1, t).data;
  const double *change = state.tiling.tile(d.work->value, 1, t).data;
  std::memcpy(z.data, there, static_cast<size_t>(z.rows) * sizeof(double));
  for (int64_t j = 0; j < x.width; ++j) {
    const double share = (j == m.first ? 1 : 0) - d.read.follow[j];
    for (int64_t i = 0; i < x.rows; ++i) x.col(j)[i] += share * change[i];
  }
}

// ---- the Gaussian of the pieces --------------------------------------------------------------

// The step to another (W, b) has precision P = kappa gram + Lambda = L L' and mean P^-1 v,
// v = vector - Lambda (W, b). factor = L, whitened = L^-1 v.
bool gaussian_at(const Drawing &d, const double *weights, double *factor, double *whitened) {
  const State &state = d.mover.state();
  const int64_t p = d.p;
  sum_over_blocks(state, d.work->block_gram, p * p, factor);
  sum_over_blocks(state, d.work->block_vector, p, whitened);
  for (int64_t j = 0; j < p; ++j) {
    for (int64_t i = j; i < p; ++i) factor[j * p + i] *= d.read.strength;
    factor[j * p + j] += prior_precision(d.mover.layer(), j);
    whitened[j] -= prior_precision(d.mover.layer(), j) * weights[j];
  }
  if (!cholesky(factor, p, p, state.kernels)) return false;
  solve_lower(factor, p, p, whitened, 1, p, state.kernels);
  return true;
}

// Log density of a step whose deviation from the mean is L^-T z.
double log_gaussian(const double *factor, int64_t p, const double *z) {
  double square = 0;
  for (int64_t j = 0; j < p; ++j) square += z[j] * z[j];
  return 0.5 * (log_det_from_cholesky(factor, p, p) - square);
}

// step = L^-T (whitened + z), z standard normals; returns its log density.
double propose(const Drawing &d) {
  double *z = d.work->normals, *step = d.work->step;
  State &state = d.mover.state();
  state.draws->normals(state.layer_streams[d.mover.k - 1], z, d.p);
  for (int64_t j = 0; j < d.p; ++j) step[j] = d.work->whitened[j] + z[j];
  solve_lower_transposed(d.work->factor, d.p, d.p, step, 1, d.p, state.kernels);
  return log_gaussian(d.work->factor, d.p, z);
}

// Log density of the reverse step: z = -L' step - whitened, both at the proposed point.
double log_density_back(const Drawing &d) {
  const int64_t p = d.p;
  for (int64_t i = 0; i < p; ++i) {
    double sum = d.work->whitened[i];
    for (int64_t j = i; j < p; ++j) sum += d.work->factor[i * p + j] * d.work->step[j];
    d.work->normals[i] = -sum;
  }
  return log_gaussian(d.work->factor, p, d.work->normals);
}

double log_prior(const Drawing &d, const double *weights) {
  double sum = 0;
  for (int64_t j = 0; j < d.p; ++j)
    sum -= prior_precision(d.mover.layer(), j) * weights[j] * weights[j];
  return 0.5 * sum;
}

// scratch.weights: the current (W, b), then the proposed (W, b).
void take_step(const Drawing &d) {
  const Mover &m = d.mover;
  double *now = m.scratch->weights, *there = now + fan_in(m.layer()) + 1;
  for (int64_t j = 0; j < d.p; ++j) there[j] = now[j] + d.work->step[j];
}

void draw_unit(Drawing &d) {
  Mover &m = d.mover;
  State &state = m.state();
  MoveCount &count = m.chain->count(Move::draw);
  ++count.tried;
  if (!read_above(d)) return;
  read_weights(m);
  const double *now = m.scratch->weights, *there = now + fan_in(m.layer()) + 1;
  for_each_tile(state, look_here, &d);
  ++count.evaluations;
  if (!gaussian_at(d, now, d.work->factor, d.work->whitened)) return;
  const double forth = propose(d);
  take_step(d);
  for_each_tile(state, look_there, &d);
  ++count.evaluations;
  if (!gaussian_at(d, there, d.work->factor, d.work->whitened)) return;
  double gain = log_prior(d, there) - log_prior(d, now) + log_density_back(d) - forth;
  add_over_blocks(state, d.work->block_gain, gain);
  if (!(gain > -exponential(state.layer_streams[m.k - 1]))) return;
  ++count.moved;
  m.cosine = 0;
  m.sine = 1;
  for_each_tile(state, go_there, &d);
  write_weights(m);
  if (m.k == 1) input_sums_are_stale(*m.chain);
}

// ---- the row of the table --------------------------------------------------------------------

// True if both layers are plain products, the activation has slopes, and a unit has few enough
// weights for a matrix of them.
bool has_drawable_units(const Net &net, int64_t k) {
  if (!has_movable_units(net, k)) return false;
  const Layer &layer = net.layer(k), &activation = net.layer(k + 1);
  if (!ops_of(layer).is_product || !is_integrable(net, k)) return false;
  return has_slopes(activation) && has_small_units(layer);
}

Status check(const Net &net, double rate, Error *err) {
  for (int64_t k = 1; k <= net.depth; ++k)
    if (has_drawable_units(net, k)) return Status::ok;
  if (net.has_row_scales(net.depth)) return refuse_row_scales(net, "unit_draws", rate, err);
  return fail(err, Status::unsupported,
              "unit_draws = %g: expected hidden units between dense layers, with at most %lld "
              "weights each and an activation that has slopes",
              rate, static_cast<long long>(max_draw_order));
}

// Allocates enough for the largest layer.
void *layout(Arena &arena, const State &state) {
  const Net &net = state.net;
  int64_t p = 0, in = 0, m = 0;
  for (int64_t k = 1; k <= net.depth; ++k) {
    if (!has_drawable_units(net, k)) continue;
    const Layer &layer = net.layer(k), &above = net.layer(k + 2);
    p = std::max(p, fan_in(layer) + 1);
    in = std::max(in, above.in.size());
    m = std::max(m, unit_count(above));
  }
  const int64_t blocks = state.tiling.blocks;
  const int64_t rows = p > 0 ? state.tiling.tiles * state.tiling.ld : 0;
  UnitDraw *made = arena.take<UnitDraw>(1);
  UnitDraw draw;
  for (double **column : {&draw.misfit, &draw.value, &draw.z_there})
    *column = arena.take<double>(rows);
  for (double **vector : {&draw.whitened, &draw.normals, &draw.step})
    *vector = arena.take<double>(p);
  draw.factor = arena.take<double>(p, p);
  draw.rows = arena.take<double>(2 * blocks * buffer_rows, p);
  draw.filled = arena.take<int64_t>(blocks);
  draw.block_gram = arena.take<double>(blocks, p * p);
  draw.block_vector = arena.take<double>(blocks, p);
  draw.block_gain = arena.take<double>(blocks);
  draw.spread = arena.take<double>(m, m);
  draw.pull = arena.take<double>(m);
  draw.follow = arena.take<double>(in);
  if (made) *made = draw;
  return made;
}

Status make(Chain &chain, void *own, Error *) {
  const Mover m = pick_unit(chain);
  if (!has_drawable_units(chain.state.net, m.k)) return Status::ok;
  const int64_t p = fan_in(m.layer()) + (m.layer().bias ? 1 : 0);
  UnitDraw &work = *static_cast<UnitDraw *>(own);
  Drawing d = {m, &work, single_unit(m.layer()), p, {work.pull, work.follow, 0}};
  draw_unit(d);
  return Status::ok;
}

// The Gram matrix of the rows with a slope, and a few passes over the inputs.
double work_of_unit(const State &state, int64_t k) {
  if (!has_drawable_units(state.net, k)) return 0;
  const Layer &layer = state.net.layer(k);
  const double input = as_double(unit_width(layer)) * as_double(fan_in(layer));
  return input * input / 2 + 20 * input + 2 * products_of(state.net.layer(k + 2)) +
         input * input * input / (3 * as_double(state.tiling.total));
}

double work(const State &state) {
  return mean_unit_work(state, work_of_unit);
}

constexpr MoveOps row() {
  MoveOps move;
  move.option = Option::unit_draws;
  move.kinds[0] = Move::draw;
  move.names[0] = "draws of units";
  move.check = check;
  move.layout = layout;
  move.make = make;
  move.work = work;
  move.share = 0.1;
  return move;
}

}  // namespace

const MoveOps unit_draw_move = row();

}  // namespace nnp

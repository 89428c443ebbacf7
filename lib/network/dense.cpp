// The dense layer: out = W in + b. W is stored unit by unit (a unit's incoming weights are
// contiguous), which is the column-major in x out matrix W'.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "lib/linalg/cholesky.hpp"
#include "lib/linalg/eigen.hpp"
#include "lib/network/columns.hpp"
#include "lib/network/layer.hpp"
#include "lib/network/window.hpp"
#include "lib/random/variates.hpp"

namespace nnp {

namespace {

int64_t order(const Layer &layer) {
  return layer.in.size() + (layer.bias ? 1 : 0);
}

int64_t units(const Layer &layer) {
  return layer.out.size();
}

Status construct(const LayerSpec &spec, Layer &layer, Error *err) {
  const Status status = check_size("units", spec.units, err);
  if (status != Status::ok) return status;
  layer.out = {spec.units, 1, 1};
  layer.weight_count = spec.units * layer.in.size();
  layer.bias_count = spec.units;
  layer.lambda_w = layer.lambda_b = static_cast<double>(layer.in.size());
  return Status::ok;
}

double work(const Layer &layer) {
  return static_cast<double>(layer.weight_count);
}

bool is_sparse(const ConstTile &in) {
  return in.packed && in.packed->kind == StoreKind::sparse;
}

void forward(const Layer &layer, const double *params, ConstTile in, Tile out,
             const Kernels &kernels) {
  const double *w = layer.weights(params), *b = layer.biases(params);
  if (is_sparse(in)) return kernels.sparse_multiply(*in.packed, in.width, w, b, out);
  if (!in.packed) return kernels.multiply(in, w, b, out);
  for (int64_t j = 0; j < out.width; ++j) std::fill_n(out.col(j), out.rows, b ? b[j] : 0.0);
  in_columns(in, kernels, [&](ConstTile columns, int64_t first) {
    kernels.multiply_add(columns, w + first, in.width, out);
  });
}

// cross += in' out
void add_products(const ConstTile &in, const ConstTile &out, double *cross, int64_t ld,
                  const Kernels &kernels) {
  if (is_sparse(in)) return kernels.sparse_cross(*in.packed, in.width, out, cross, ld);
  in_columns(in, kernels, [&](ConstTile columns, int64_t first) {
    kernels.add_cross(columns, out, cross + first, ld);
  });
}

// Columns first … of the lower triangle of gram += in' in, for columns that have been unpacked.
void add_behind(ConstTile in, ConstTile columns, int64_t first, double *gram, int64_t p,
                const Kernels &kernels) {
  alignas(64) double values[columns_unpacked_at_once * Tiling::max_rows];
  for (int64_t next = first + columns.width; next < in.width; next += columns_unpacked_at_once) {
    const Tile more = {values, in.rows, std::min(columns_unpacked_at_once, in.width - next), in.ld};
    kernels.unpack(*in.packed, next, more);
    kernels.add_cross(more, columns, gram + next + first * p, p);
  }
}

constexpr int64_t sums_at_once = 32;

// Adds the sums of the columns, entry p - 1 of each column of `sums`: ones times columns.
void add_column_sums(ConstTile columns, double *sums, int64_t p, const Kernels &kernels) {
  for (int64_t j = 0; j < columns.width; j += sums_at_once) {
    double some[sums_at_once] = {};
    const int64_t count = std::min(sums_at_once, columns.width - j);
    kernels.add_sums({columns.col(j), columns.rows, count, columns.ld}, some);
    for (int64_t i = 0; i < count; ++i) sums[(j + i) * p + p - 1] += some[i];
  }
}

// The extended input is [in | 1]; the ones give the last row of the Gram matrix.
void add_gram(const Layer &layer, ConstTile in, double *gram, const Kernels &kernels) {
  const int64_t p = order(layer);
  in_columns(in, kernels, [&](ConstTile columns, int64_t first) {
    kernels.add_gram(columns, gram + first * (p + 1), p);
    if (in.packed) add_behind(in, columns, first, gram, p, kernels);
    if (layer.bias) add_column_sums(columns, gram + first * p, p, kernels);
  });
  if (!layer.bias) return;
  gram[p * p - 1] += static_cast<double>(in.rows);
}

void add_cross(const Layer &layer, ConstTile in, ConstTile out, double *cross,
               const Kernels &kernels) {
  const int64_t p = order(layer);
  add_products(in, out, cross, p, kernels);
  if (layer.bias) add_column_sums(out, cross, p, kernels);
}

void clear_last_row(int64_t columns, double *sums, int64_t p) {
  for (int64_t j = 0; j < columns; ++j) sums[j * p + p - 1] = 0;
}

void start_gram(const Layer &layer, ConstTile in, double *gram, const Kernels &kernels) {
  const int64_t p = order(layer);
  if (in.packed) {
    for (int64_t j = 0; j < p; ++j) std::fill_n(gram + j * (p + 1), p - j, 0.0);
    return add_gram(layer, in, gram, kernels);
  }
  kernels.set_gram(in, gram, p);
  if (!layer.bias) return;
  clear_last_row(in.width, gram, p);
  add_column_sums(in, gram, p, kernels);
  gram[p * p - 1] = static_cast<double>(in.rows);
}

void start_cross(const Layer &layer, ConstTile in, ConstTile out, double *cross,
                 const Kernels &kernels) {
  const int64_t p = order(layer);
  if (in.packed) {
    std::fill_n(cross, p * out.width, 0.0);
    return add_cross(layer, in, out, cross, kernels);
  }
  kernels.set_cross(in, out, cross, p);
  if (!layer.bias) return;
  clear_last_row(out.width, cross, p);
  add_column_sums(out, cross, p, kernels);
}

void add_columns(const Layer &layer, ConstTile in, int64_t first, int64_t count, ConstTile out,
                 double *gram, double *cross, const Kernels &kernels) {
  const int64_t p = order(layer);
  const ConstTile columns = {in.col(first), in.rows, count, in.ld};
  kernels.add_cross(in, columns, gram, p);
  kernels.add_cross(columns, out, cross, count);
  if (!layer.bias) return;
  for (int64_t j = 0; j < count; ++j) {
    const ConstTile column = {columns.col(j), in.rows, 1, in.ld};
    kernels.add_sums(column, gram + j * p + p - 1);
  }
}

OutgoingWeights scale_input(const Layer &layer, double *params, int64_t first, int64_t width,
                            double factor) {
  OutgoingWeights found = {units(layer) * width, 0};
  double *w = layer.weights(params);
  for (int64_t u = 0; u < units(layer); ++u)
    for (int64_t j = first; j < first + width; ++j) {
      double &weight = w[u * layer.in.size() + j];
      found.energy += (layer.lambda_in ? layer.lambda_in[j] : 1) * weight * weight;
      weight *= factor;
    }
  if (!layer.lambda_in) found.energy *= layer.lambda_w;
  return found;
}

// With ratio r = D_out / D_prior the input site has precision (W'W + r I) / D_out (eq. cond_X).
// With few outputs that matrix is nearly singular for small r, but WW' + r I is not, so the draw is
// made by conditioning: draw (in, out) from the prior, then correct `in` by the error of `out`.
// That takes in + out normals per row. With nearly as many outputs as inputs it is cheaper to
// factor the precision itself, if r is large enough.
enum class Form { one_output, few_outputs, many_outputs };

constexpr int64_t normal_cost = 40;  // cost of a normal in multiplications
bool precision_is_cheaper(int64_t in, int64_t out) {
  return in * in < (in + out) * out + normal_cost * out;
}

void input_layout(Arena &arena, const Layer &layer, InputFactor &input) {
  const int64_t in = layer.in.size(), out = layer.out.size();
  const int64_t side = out > 1 && precision_is_cheaper(in, out) ? in : std::min(in, out);
  input.factor = arena.take<double>(side * side);
  input.shift = arena.take<double>(in);
}

// Eigenvalues of W'W + r I lie between r and r + |W|^2; their ratio bounds the growth of errors.
Form form_of(const Layer &layer, const double *w, double ratio) {
  const int64_t in = layer.in.size(), out = layer.out.size();
  if (out == 1) return Form::one_output;
  if (out >= in) return Form::many_outputs;
  const bool harmless = squared_norm(w, in * out) < 1e4 * ratio;
  return precision_is_cheaper(in, out) && harmless ? Form::many_outputs : Form::few_outputs;
}

// Covariance D_p (I - s ww'): gain = 1/(|w|^2 + r), and z - q <z,w> w has that covariance, with q =
// (1 - 1/sqrt(1+a)) / |w|^2, a = |w|^2 / r, written so that |w| = 0 is no special case.
void factor_one_output(const double *w, int64_t n, double ratio, InputFactor &input) {
  const double norm = squared_norm(w, n);
  const double root = std::sqrt(1 + norm / ratio);
  input.scalar[0] = 1 / (norm + ratio);
  input.scalar[1] = 1 / (ratio * root * (1 + root));
}

// Lower triangle of W W' + r I (out x out).
bool factor_few_outputs(const double *w, int64_t in, int64_t out, double ratio, double *a,
                        const Kernels &kernels) {
  std::memset(a, 0, static_cast<size_t>(out * out) * sizeof(double));
  kernels.add_gram({w, in, out, in}, a, out);
  for (int64_t j = 0; j < out; ++j) a[j * out + j] += ratio;
  return cholesky(a, out, out, &kernels);
}

// Lower triangle of W'W + r I (in x in).
bool factor_many_outputs(const double *w, int64_t in, int64_t out, double ratio, double *a,
                         const Kernels &kernels) {
  constexpr int64_t panel = 64;  // columns at once; entries above the diagonal are not read
  std::memset(a, 0, static_cast<size_t>(in * in) * sizeof(double));
  for (int64_t j = 0; j < in; j += panel)
    kernels.multiply_transposed_add({w + j, in - j, out, in}, w + j, in,
                                    {a + j * (in + 1), in - j, std::min(panel, in - j), in});
  for (int64_t j = 0; j < in; ++j) a[j * in + j] += ratio;
  return cholesky(a, in, in, &kernels);
}

// shift = W' b
void shift_by_biases(const Layer &layer, const double *params, double *shift,
                     const Kernels &kernels) {
  const int64_t in = layer.in.size();
  const double *b = layer.biases(params);
  if (!b) return void(std::fill_n(shift, in, 0.0));
  kernels.multiply({layer.weights(params), in, layer.out.size(), in}, b, nullptr,
                   {shift, in, 1, in});
}

bool factor_input(const Layer &layer, const double *params, double prior_noise, InputFactor &input,
                  const Kernels &kernels) {
  const int64_t in = layer.in.size(), out = layer.out.size();
  const double *w = layer.weights(params);
  const double ratio = layer.noise / prior_noise;
  const Form form = form_of(layer, w, ratio);
  input.form = static_cast<int32_t>(form);
  switch (form) {
    case Form::one_output:
      factor_one_output(w, in, ratio, input);
      return true;
    case Form::few_outputs:
      return factor_few_outputs(w, in, out, ratio, input.factor, kernels);
    case Form::many_outputs:
      shift_by_biases(layer, params, input.shift, kernels);
      return factor_many_outputs(w, in, out, ratio, input.factor, kernels);
  }
  return false;
}

// x = mean + sqrt(D_p) (z - q <z,w> w) + gain * (above - b - <mean,w>) w
void draw_one_output(const Layer &layer, const double *params, const InputFactor &input,
                     const SiteDraw &draw, const TileWork &work) {
  const double *b = layer.biases(params);
  const Relax relax = draw.relax;
  const OneOutput one = {layer.weights(params),
                         b ? b[0] : 0,
                         relax.pull * input.scalar[0],
                         input.scalar[1],
                         relax.shake * std::sqrt(draw.prior_noise),
                         relax.keep,
                         relax.pull};
  work.draws->one_output(one, draw.mean, draw.above.data, *work.stream, work.scratch[0], draw.site);
}

// x = u + W' (WW' + r I)^-1 (above - b - W u - e), u ~ N(mean, D_p), e ~ N(0, D)
void draw_few_outputs(const Layer &layer, const double *params, const InputFactor &input,
                      const SiteDraw &draw, const TileWork &work) {
  const int64_t out = layer.out.size();
  const double *b = layer.biases(params);
  const Relax relax = draw.relax;
  const Tile u = draw.mean;
  work.draws->shake_tile(*work.stream, relax.pull, relax.shake * std::sqrt(draw.prior_noise), u);
  const Tile error = {work.scratch[0], u.rows, out, u.ld};
  work.kernels->multiply(u, layer.weights(params), nullptr, error);
  work.draws->shake_tile(*work.stream, 1, relax.shake * std::sqrt(layer.noise), error);
  for (int64_t j = 0; j < out; ++j)
    work.kernels->combine({relax.pull, -1, -relax.pull * (b ? b[j] : 0)}, draw.above.col(j),
                          error.col(j), u.rows, error.col(j));
  work.kernels->solve_lower(input.factor, out, error);
  work.kernels->solve_lower_transposed(input.factor, out, error);
  for (int64_t j = 0; u.data != draw.site.data && j < u.width; ++j)
    work.kernels->combine({relax.keep, 1, 0}, draw.site.col(j), u.col(j), u.rows, draw.site.col(j));
  work.kernels->multiply_transposed_add(error, layer.weights(params), u.width, draw.site);
}

// x = L^-T (L^-1 (r mean + W'(above - b)) + sqrt(D) z), LL' = W'W + r I
void draw_many_outputs(const Layer &layer, const double *params, const InputFactor &input,
                       const SiteDraw &draw, const TileWork &work) {
  const Relax relax = draw.relax;
  const Tile mean = draw.mean;
  const Tile u = relax.keep == 0 ? draw.site : mean;
  const double ratio = layer.noise / draw.prior_noise;
  const Tile pulled = {work.scratch[0], u.rows, u.width, u.ld};
  work.kernels->multiply_transposed(draw.above, layer.weights(params), pulled);
  for (int64_t j = 0; j < u.width; ++j)
    work.kernels->combine({ratio, 1, -input.shift[j]}, mean.col(j), pulled.col(j), u.rows,
                          u.col(j));
  work.kernels->solve_lower(input.factor, u.width, u);
  work.draws->shake_tile(*work.stream, relax.pull, relax.shake * std::sqrt(layer.noise), u);
  work.kernels->solve_lower_transposed(input.factor, u.width, u);
  for (int64_t j = 0; relax.keep != 0 && j < u.width; ++j)
    work.kernels->combine({relax.keep, 1, 0}, draw.site.col(j), u.col(j), u.rows, draw.site.col(j));
}

void draw_input(const Layer &layer, const double *params, const InputFactor &input,
                const SiteDraw &draw, const TileWork &work) {
  switch (static_cast<Form>(input.form)) {
    case Form::one_output:
      return draw_one_output(layer, params, input, draw, work);
    case Form::few_outputs:
      return draw_few_outputs(layer, params, input, draw, work);
    case Form::many_outputs:
      return draw_many_outputs(layer, params, input, draw, work);
  }
}

// dW += in' g, db += 1'g, and g W for the site below
void backward(const Layer &layer, const double *params, const BackwardTile &tile,
              double *param_gradient, const Kernels &kernels, double *) {
  double *weights = layer.weights(param_gradient);
  add_products(tile.in, tile.out_gradient, weights, layer.in.size(), kernels);
  if (layer.bias_count) kernels.add_sums(tile.out_gradient, weights + layer.weight_count);
  if (tile.in_gradient.data)
    kernels.multiply_transposed(tile.out_gradient, layer.weights(params), tile.in_gradient);
}

// Parameters in single precision are laid out like all parameters.
void single_forward(const Layer &layer, const float *params, ConstSingleTile in, SingleTile out,
                    const Kernels &kernels) {
  const float *w = params + layer.first_param;
  kernels.single->multiply(in, w, layer.bias_count ? w + layer.weight_count : nullptr, out);
}

void single_backward(const Layer &layer, const float *params, const SingleBackwardTile &tile,
                     double *param_gradient, const Kernels &kernels) {
  double *weights = layer.weights(param_gradient);
  kernels.single->add_cross(tile.in, tile.out_gradient, weights, layer.in.size());
  if (layer.bias_count) kernels.single->add_sums(tile.out_gradient, weights + layer.weight_count);
  if (tile.in_gradient.data)
    kernels.single->multiply_transposed(tile.out_gradient, params + layer.first_param,
                                        tile.in_gradient);
}

// ---- below a head with row scales: row i of the output has noise D / scales[i] ---------------

// Adds sums of rows times sqrt(scale), including the ones of the biases.
void add_scaled_sums(const Layer &layer, ConstTile in, ConstTile out, const double *scales,
                     double *gram, double *cross, double *scratch, const Kernels &kernels) {
  const int64_t p = order(layer);
  const Tile x = {scratch, in.rows, p, in.ld}, y = {scratch + in.ld * p, in.rows, out.width, in.ld};
  double roots[Tiling::max_rows];
  for (int64_t i = 0; i < in.rows; ++i) roots[i] = std::sqrt(scales[i]);
  in_columns(in, kernels, [&](ConstTile columns, int64_t first) {
    for (int64_t j = 0; j < columns.width; ++j)
      for (int64_t i = 0; i < in.rows; ++i) x.col(first + j)[i] = roots[i] * columns.col(j)[i];
  });
  if (layer.bias) std::copy_n(roots, in.rows, x.col(p - 1));
  for (int64_t j = 0; j < out.width; ++j)
    for (int64_t i = 0; i < in.rows; ++i) y.col(j)[i] = roots[i] * out.col(j)[i];
  kernels.add_gram(x, gram, p);
  kernels.add_cross(x, y, cross, p);
}

// In the basis of the eigenvectors Q of W W' (few outputs) or of W'W, the matrices that differ from
// row to row, W W' + r_i I or W'W + r_i I with r_i = D / (scale_i D_prior), are diagonal.
bool few_outputs(const Layer &layer) {
  return layer.out.size() < layer.in.size();
}

void scaled_input_layout(Arena &arena, const Layer &layer, InputFactor &input) {
  const int64_t in = layer.in.size(), side = std::min(in, layer.out.size());
  input.factor = arena.take<double>(2 * side, side);  // Q, and scratch for computing it
  input.shift = arena.take<double>(side + in);        // eigenvalues, then W' b
}

// a = W W' or W'W, both triangles
void fill_squares(const Layer &layer, const double *w, double *a) {
  const int64_t in = layer.in.size(), out = layer.out.size();
  const bool few = few_outputs(layer);
  const int64_t side = few ? out : in, length = few ? in : out;
  const int64_t next = few ? in : 1, step = few ? 1 : in;
  for (int64_t j = 0; j < side; ++j)
    for (int64_t i = j; i < side; ++i) {
      double sum = 0;
      for (int64_t k = 0; k < length; ++k) sum += w[i * next + k * step] * w[j * next + k * step];
      a[j * side + i] = a[i * side + j] = sum;
    }
}

void factor_scaled_input(const Layer &layer, const double *params, InputFactor &input,
                         const Kernels &kernels) {
  const int64_t side = std::min(layer.in.size(), layer.out.size());
  double *work = input.factor + side * side;
  fill_squares(layer, layer.weights(params), work);
  symmetric_eigen(work, side, input.shift, input.factor);
  for (int64_t l = 0; l < side; ++l) input.shift[l] = std::max(input.shift[l], 0.0);
  shift_by_biases(layer, params, input.shift + side, kernels);
}

// x = u + W' Q (Lambda + r_i I)^-1 Q' (above - b - W u - e), u ~ N(mean, D_p), e ~ N(0, D / scale)
void draw_scaled_few(const Layer &layer, const double *params, const InputFactor &input,
                     const SiteDraw &draw, const double *scales, const TileWork &work) {
  const int64_t out = layer.out.size();
  const double *b = layer.biases(params);
  const Relax relax = draw.relax;
  const Tile u = draw.mean, site = draw.site;
  work.draws->shake_tile(*work.stream, relax.pull, relax.shake * std::sqrt(draw.prior_noise), u);
  const Tile error = {work.scratch[0], u.rows, out, u.ld};
  const Tile turned = {work.scratch[1], u.rows, out, u.ld};
  work.kernels->multiply(u, layer.weights(params), nullptr, error);
  double sd[Tiling::max_rows], noise[Tiling::max_rows];
  for (int64_t i = 0; i < u.rows; ++i) sd[i] = relax.shake * std::sqrt(layer.noise / scales[i]);
  for (int64_t j = 0; j < out; ++j) {
    const double bias = b ? b[j] : 0;
    work.draws->normals(*work.stream, noise, u.rows);
    for (int64_t i = 0; i < u.rows; ++i)
      error.col(j)[i] =
          relax.pull * (draw.above.col(j)[i] - bias) - error.col(j)[i] - sd[i] * noise[i];
  }
  work.kernels->multiply(error, input.factor, nullptr, turned);
  for (int64_t l = 0; l < out; ++l)
    for (int64_t i = 0; i < u.rows; ++i)
      turned.col(l)[i] /= input.shift[l] + layer.noise / (draw.prior_noise * scales[i]);
  work.kernels->multiply_transposed(turned, input.factor, error);
  for (int64_t j = 0; j < u.width; ++j)
    work.kernels->combine({relax.keep, 1, 0}, site.col(j), u.col(j), u.rows, site.col(j));
  work.kernels->multiply_transposed_add(error, layer.weights(params), u.width, site);
}

// Q'x = (Lambda + r_i I)^-1 Q'(r_i mean + W'(above - b)) + sqrt(D / scale) (Lambda + r_i I)^-1/2 z
void draw_scaled_many(const Layer &layer, const double *params, const InputFactor &input,
                      const SiteDraw &draw, const double *scales, const TileWork &work) {
  const Relax relax = draw.relax;
  const Tile mean = draw.mean, site = draw.site;
  const Tile turned = {work.scratch[0], mean.rows, mean.width, mean.ld};
  const double *shift = input.shift + mean.width;
  double ratio[Tiling::max_rows], noise[Tiling::max_rows];
  for (int64_t i = 0; i < mean.rows; ++i) ratio[i] = layer.noise / (draw.prior_noise * scales[i]);
  work.kernels->multiply_transposed(draw.above, layer.weights(params), turned);
  for (int64_t j = 0; j < mean.width; ++j)
    for (int64_t i = 0; i < mean.rows; ++i)
      mean.col(j)[i] = ratio[i] * mean.col(j)[i] + turned.col(j)[i] - shift[j];
  work.kernels->multiply(mean, input.factor, nullptr, turned);
  for (int64_t l = 0; l < mean.width; ++l) {
    work.draws->normals(*work.stream, noise, mean.rows);
    for (int64_t i = 0; i < mean.rows; ++i) {
      const double precision = input.shift[l] + ratio[i];
      const double sd = relax.shake * std::sqrt(layer.noise / (scales[i] * precision));
      turned.col(l)[i] = relax.pull * turned.col(l)[i] / precision + sd * noise[i];
    }
  }
  work.kernels->multiply_transposed(turned, input.factor, mean);
  for (int64_t j = 0; j < mean.width; ++j)
    work.kernels->combine({relax.keep, 1, 0}, site.col(j), mean.col(j), mean.rows, site.col(j));
}

void draw_scaled_input(const Layer &layer, const double *params, const InputFactor &input,
                       const SiteDraw &draw, const double *scales, const TileWork &work) {
  const auto draw_rows = few_outputs(layer) ? draw_scaled_few : draw_scaled_many;
  draw_rows(layer, params, input, draw, scales, work);
}

constexpr RowScaledOps make_row_scaled() {
  RowScaledOps ops = {};
  ops.add_sums = add_scaled_sums;
  ops.input_layout = scaled_input_layout;
  ops.factor_input = factor_scaled_input;
  ops.draw_input = draw_scaled_input;
  return ops;
}

constexpr RowScaledOps row_scaled = make_row_scaled();

constexpr LayerOps table() {
  LayerOps ops;
  ops.name = "dense";
  ops.construct = construct;
  ops.order = order;
  ops.units = units;
  ops.work = work;
  ops.forward = forward;
  ops.backward = backward;
  ops.single_forward = single_forward;
  ops.single_backward = single_backward;
  ops.is_product = true;
  ops.add_gram = add_gram;
  ops.add_cross = add_cross;
  ops.start_gram = start_gram;
  ops.start_cross = start_cross;
  ops.add_columns = add_columns;
  ops.scale_input = scale_input;
  ops.input_layout = input_layout;
  ops.factor_input = factor_input;
  ops.draw_input = draw_input;
  ops.draws_in_place = true;
  ops.row_scaled = &row_scaled;
  return ops;
}

}  // namespace

const LayerOps dense_ops = table();

}  // namespace nnp

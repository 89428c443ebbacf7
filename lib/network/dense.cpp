// The dense layer: out = W in + b. W is kept unit by unit (a unit's incoming weights contiguous),
// which is the column-major in x out matrix W'.
#include <cmath>
#include <cstring>

#include "lib/linalg/cholesky.hpp"
#include "lib/network/layer.hpp"
#include "lib/random/variates.hpp"

namespace nnp {

namespace {

int64_t order(const Layer &layer) {
  return layer.in.size() + (layer.bias ? 1 : 0);
}

int64_t units(const Layer &layer) {
  return layer.out.size();
}

void forward(const Layer &layer, const double *params, ConstTile in, Tile out,
             const Kernels &kernels) {
  kernels.multiply(in, layer.weights(params), layer.biases(params), out);
}

// The extended input is [in | 1]: the ones give the last row of the Gram matrix.
void add_gram(const Layer &layer, ConstTile in, double *gram, const Kernels &kernels) {
  const int64_t p = order(layer);
  kernels.add_gram(in, gram, p);
  if (!layer.bias) return;
  for (int64_t j = 0; j < in.width; ++j) {
    double sum = 0;
    for (int64_t i = 0; i < in.rows; ++i) sum += in.col(j)[i];
    gram[j * p + p - 1] += sum;
  }
  gram[p * p - 1] += static_cast<double>(in.rows);
}

void add_cross(const Layer &layer, ConstTile in, ConstTile out, double *cross,
               const Kernels &kernels) {
  const int64_t p = order(layer);
  kernels.add_cross(in, out, cross, p);
  if (!layer.bias) return;
  for (int64_t j = 0; j < out.width; ++j) {
    double sum = 0;
    for (int64_t i = 0; i < out.rows; ++i) sum += out.col(j)[i];
    cross[j * p + p - 1] += sum;
  }
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
      found.square += weight * weight;
      weight *= factor;
    }
  return found;
}

// With ratio r = D_out / D_prior the input site has precision (W'W + r I) / D_out (eq. cond_X).
// Few outputs: that matrix is close to singular for small r, but WW' + r I is not, so the draw is
// made by conditioning: draw (in, out) from the prior, then move in by the error of out.
enum class Form { one_output, few_outputs, many_outputs };

Form form_of(const Layer &layer) {
  if (layer.out.size() == 1) return Form::one_output;
  return layer.out.size() < layer.in.size() ? Form::few_outputs : Form::many_outputs;
}

void input_layout(Arena &arena, const Layer &layer, InputFactor &input) {
  const int64_t side = std::min(layer.in.size(), layer.out.size());
  input.factor = arena.take<double>(side * side);
  input.shift = arena.take<double>(layer.in.size());
}

double squared_norm(const double *w, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += w[i] * w[i];
  return sum;
}

// Covariance D_p (I - s ww'): gain = 1/(|w|^2 + r), and z - q <z,w> w has it, with
// q = (1 - 1/sqrt(1+a)) / |w|^2, a = |w|^2 / r, written so that |w| = 0 is no special case.
void factor_one_output(const double *w, int64_t n, double ratio, InputFactor &input) {
  const double norm = squared_norm(w, n);
  const double root = std::sqrt(1 + norm / ratio);
  input.scalar[0] = 1 / (norm + ratio);
  input.scalar[1] = 1 / (ratio * root * (1 + root));
}

// Lower triangle of W W' + r I (out x out).
bool factor_few_outputs(const double *w, int64_t in, int64_t out, double ratio, double *a) {
  for (int64_t j = 0; j < out; ++j) {
    for (int64_t i = j; i < out; ++i) {
      double sum = i == j ? ratio : 0;
      for (int64_t k = 0; k < in; ++k) sum += w[i * in + k] * w[j * in + k];
      a[j * out + i] = sum;
    }
  }
  return cholesky(a, out, out);
}

// Lower triangle of W'W + r I (in x in).
bool factor_many_outputs(const double *w, int64_t in, int64_t out, double ratio, double *a) {
  std::memset(a, 0, static_cast<size_t>(in * in) * sizeof(double));
  for (int64_t k = 0; k < out; ++k)
    for (int64_t j = 0; j < in; ++j)
      for (int64_t i = j; i < in; ++i) a[j * in + i] += w[k * in + i] * w[k * in + j];
  for (int64_t j = 0; j < in; ++j) a[j * in + j] += ratio;
  return cholesky(a, in, in);
}

// shift = W' b
void shift_by_biases(const Layer &layer, const double *params, double *shift) {
  const int64_t in = layer.in.size();
  const double *w = layer.weights(params), *b = layer.biases(params);
  for (int64_t i = 0; i < in; ++i) shift[i] = 0;
  if (!b) return;
  for (int64_t k = 0; k < layer.out.size(); ++k)
    for (int64_t i = 0; i < in; ++i) shift[i] += b[k] * w[k * in + i];
}

bool factor_input(const Layer &layer, const double *params, double prior_noise,
                  InputFactor &input) {
  const int64_t in = layer.in.size(), out = layer.out.size();
  const double *w = layer.weights(params);
  const double ratio = layer.noise / prior_noise;
  switch (form_of(layer)) {
    case Form::one_output:
      factor_one_output(w, in, ratio, input);
      return true;
    case Form::few_outputs:
      return factor_few_outputs(w, in, out, ratio, input.factor);
    case Form::many_outputs:
      shift_by_biases(layer, params, input.shift);
      return factor_many_outputs(w, in, out, ratio, input.factor);
  }
  return false;
}

// u = pull * u + sd * normals
void scale_and_shake(Tile u, double pull, double sd, Stream &stream, double *noise) {
  for (int64_t j = 0; j < u.width; ++j) {
    double *v = u.col(j);
    fill_normal(stream, noise, u.rows);
    for (int64_t i = 0; i < u.rows; ++i) v[i] = pull * v[i] + sd * noise[i];
  }
}

// x = keep x + mean + move
void add_up(Tile x, double keep, ConstTile mean, const double *move) {
  for (int64_t j = 0; j < x.width; ++j) {
    double *s = x.col(j);
    const double *m = mean.col(j), *d = move + j * x.ld;
    for (int64_t i = 0; i < x.rows; ++i) s[i] = keep * s[i] + m[i] + d[i];
  }
}

// x = mean + sqrt(D_p) (z - q <z,w> w) + gain * (above - b - <mean,w>) w
void draw_one_output(const Layer &layer, const double *params, const InputFactor &input,
                     const SiteDraw &draw, const TileWork &work) {
  const double *w = layer.weights(params), *b = layer.biases(params);
  const Relax relax = draw.relax;
  const double gain = relax.pull * input.scalar[0], q = input.scalar[1];
  const double sd = relax.shake * std::sqrt(draw.prior_noise);
  const int64_t rows = draw.site.rows;
  double *move = work.scratch[0];
  double *along = work.scratch[0] + draw.site.ld;
  double *z = work.scratch[1];
  for (int64_t i = 0; i < rows; ++i) move[i] = along[i] = 0;
  for (int64_t j = 0; j < draw.site.width; ++j) {
    double *s = draw.site.col(j);
    const double *m = draw.mean.col(j);
    fill_normal(*work.stream, z, rows);
    for (int64_t i = 0; i < rows; ++i) {
      along[i] += z[i] * w[j];
      move[i] += m[i] * w[j];
      s[i] = relax.keep * s[i] + relax.pull * m[i] + sd * z[i];
    }
  }
  const double *y = draw.above.col(0);
  const double bias = b ? b[0] : 0;
  for (int64_t i = 0; i < rows; ++i) move[i] = gain * (y[i] - bias - move[i]) - sd * q * along[i];
  for (int64_t j = 0; j < draw.site.width; ++j) {
    double *s = draw.site.col(j);
    for (int64_t i = 0; i < rows; ++i) s[i] += w[j] * move[i];
  }
}

// x = u + W' (WW' + r I)^-1 (above - b - W u - e), u ~ N(mean, D_p), e ~ N(0, D)
void draw_few_outputs(const Layer &layer, const double *params, const InputFactor &input,
                      const SiteDraw &draw, const TileWork &work) {
  const int64_t out = layer.out.size();
  const double *b = layer.biases(params);
  const Relax relax = draw.relax;
  const Tile u = draw.mean;
  double *noise = work.scratch[1];
  scale_and_shake(u, relax.pull, relax.shake * std::sqrt(draw.prior_noise), *work.stream, noise);
  const Tile error = {work.scratch[0], u.rows, out, u.ld};
  work.kernels->multiply(u, layer.weights(params), nullptr, error);
  const double sd = relax.shake * std::sqrt(layer.noise);
  for (int64_t j = 0; j < out; ++j) {
    double *e = error.col(j);
    const double *v = draw.above.col(j);
    const double bias = b ? b[j] : 0;
    fill_normal(*work.stream, noise, u.rows);
    for (int64_t i = 0; i < u.rows; ++i) e[i] = relax.pull * (v[i] - bias) - e[i] - sd * noise[i];
  }
  work.kernels->solve_lower(input.factor, out, error);
  work.kernels->solve_lower_transposed(input.factor, out, error);
  const Tile move = {work.scratch[1], u.rows, u.width, u.ld};
  work.kernels->multiply_transposed(error, layer.weights(params), move);
  add_up(draw.site, relax.keep, u, move.data);
}

// x = L^-T (L^-1 (r mean + W'(above - b)) + sqrt(D) z), LL' = W'W + r I
void draw_many_outputs(const Layer &layer, const double *params, const InputFactor &input,
                       const SiteDraw &draw, const TileWork &work) {
  const Relax relax = draw.relax;
  const Tile u = draw.mean;
  const double ratio = layer.noise / draw.prior_noise;
  const Tile pulled = {work.scratch[0], u.rows, u.width, u.ld};
  work.kernels->multiply_transposed(draw.above, layer.weights(params), pulled);
  for (int64_t j = 0; j < u.width; ++j) {
    double *m = u.col(j);
    const double *v = pulled.col(j);
    for (int64_t i = 0; i < u.rows; ++i) m[i] = ratio * m[i] + v[i] - input.shift[j];
  }
  work.kernels->solve_lower(input.factor, u.width, u);
  scale_and_shake(u, relax.pull, relax.shake * std::sqrt(layer.noise), *work.stream,
                  work.scratch[1]);
  work.kernels->solve_lower_transposed(input.factor, u.width, u);
  for (int64_t j = 0; j < u.width; ++j) {
    double *s = draw.site.col(j);
    const double *m = u.col(j);
    for (int64_t i = 0; i < u.rows; ++i) s[i] = relax.keep * s[i] + m[i];
  }
}

void draw_input(const Layer &layer, const double *params, const InputFactor &input,
                const SiteDraw &draw, const TileWork &work) {
  switch (form_of(layer)) {
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
  kernels.add_cross(tile.in, tile.out_gradient, weights, layer.in.size());
  if (layer.bias_count) kernels.add_sums(tile.out_gradient, weights + layer.weight_count);
  if (tile.in_gradient.data)
    kernels.multiply_transposed(tile.out_gradient, layer.weights(params), tile.in_gradient);
}

}  // namespace

const LayerOps dense_ops = {"dense",      false,        order,       units,       forward,
                            add_gram,     add_cross,    add_columns, scale_input, nullptr,
                            input_layout, factor_input, draw_input,  nullptr,     nullptr,
                            nullptr,      backward};

}  // namespace nnp

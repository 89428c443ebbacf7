// What a layer is, and the table of everything that is known about each kind. A kind lives in one
// file and has one row in the table (layer.cpp); the rest of the library never asks which kind a
// layer is.
#pragma once

#include <cstdint>

#include "lib/base/arena.hpp"
#include "lib/base/status.hpp"
#include "lib/base/text.hpp"
#include "lib/base/tile.hpp"
#include "lib/linalg/kernels.hpp"
#include "lib/network/piecewise.hpp"
#include "lib/network/relax.hpp"
#include "lib/random/stream.hpp"

namespace nnp {

struct Shape {
  int64_t channels = 0, height = 1, width = 1;
  int64_t size() const { return channels * height * width; }
};

// How a convolution or a pool goes over its input: height x width pixels at a time, in steps. A
// convolution may give the means of pool_y x pool_x neighbouring outputs instead of the outputs,
// and go pad_y and pad_x pixels beyond each side of the image, where it meets zeros.
struct Window {
  int64_t height = 1, width = 1;
  int64_t step_y = 1, step_x = 1;
  int64_t pool_y = 1, pool_x = 1;
  int64_t pad_y = 0, pad_x = 0;
};

// Values are pinned: they are part of saved states.
enum class LayerKind : int32_t { dense = 1, conv2d = 2, avgpool = 3, activation = 4, maxpool = 5 };

// Values are pinned: plus a base they are the NNP_* layer properties of the C header.
enum class Property : int32_t {
  noise = 1,
  lambda_w = 2,
  lambda_b = 3,
  bias = 4,
  slope = 5,
  collapse = 6,
  padding_y = 7,
  padding_x = 8,
  ard = 9  // learned only: a lambda_w for each input
};

// What a layer is to be, before it has a place in a network. Each kind reads the fields it needs.
struct LayerSpec {
  LayerKind kind = LayerKind::dense;
  int64_t units = 0;  // of a dense layer; the filters of a convolution
  Window window;
  Activation activation = Activation::identity;
};

// The gamma hyperprior of a precision (1/D or lambda) that is learned: shape a, rate a / mean. Shape
// 0: there is none, the precision is fixed.
struct Hyperprior {
  double shape = 0, mean = 0;
};

// A noise or prior precision of a layer that may be learned: it is a parameter then.
struct LearnedScale {
  Hyperprior prior;
  int64_t first = -1;  // where its values are in the parameter vector; -1: it is fixed
  int64_t count = 0;   // of values: one, or one for each input
  bool by_input = false;
};

// Layer k maps site k-1 to the mean of site k; site k = that mean + sqrt(noise) * N(0, I).
struct Layer {
  LayerKind kind = LayerKind::dense;
  Shape in, out;
  // Read by the files of the kinds that have them, by nobody else:
  Activation activation = Activation::identity;
  Window window;
  double slope = 0.01;   // of a leaky relu
  bool collapse = true;  // a pool: the site below it may be integrated out
  // Every layer's:
  bool bias = true;
  double noise = 0.01;                // D, as it is in force
  double final_noise = 0.01;          // D of the model: another one only while a chain anneals
  bool noise_set = false;             // D was asked for: see net_classical_noise
  double lambda_w = 1, lambda_b = 1;  // prior precisions
  // One for each input feature in place of lambda_w, in the parameter vector of the object that
  // owns the layer (see take_scales); null: all have lambda_w.
  const double *lambda_in = nullptr;
  LearnedScale learned_noise, learned_w, learned_b;
  double multiple = 1;  // D is this multiple of the learned noise, which layers may share
  int64_t weight_count = 0, bias_count = 0;
  // The layers of the description it stands for: one, or several whose sites but the last are
  // integrated out.
  int64_t first_number = 0, last_number = 0;
  int64_t first_param = 0;  // where its weights start in the parameter vector; biases follow them

  int64_t param_count() const { return weight_count + bias_count; }
  // Prior precision of the weights that read input i of a unit (its ith weight).
  double weight_precision(int64_t i) const { return lambda_in ? lambda_in[i] : lambda_w; }
  bool learns_precisions() const { return learned_w.count + learned_b.count > 0; }
  const double *weights(const double *params) const { return params + first_param; }
  double *weights(double *params) const { return params + first_param; }
  // nullptr if the layer has none.
  const double *biases(const double *params) const {
    return bias_count ? params + first_param + weight_count : nullptr;
  }
};

// What the draw of a layer's input site needs to know of the layer's weights, found once a pass
// and shared by all rows. Each kind uses it as it likes.
struct InputFactor {
  double *factor = nullptr;  // a Cholesky factor
  double *shift = nullptr;   // what the biases do to the mean
  double scalar[4] = {0, 0, 0, 0};
  int32_t form = 0;  // how the draw is made, where there is a choice
};

// Everything a draw of one tile may use besides the state.
struct TileWork {
  const Kernels *kernels;
  const DrawKernels *draws;
  Stream *stream;
  double *scratch[2];  // each ld x (widest site, at least 2) doubles
};

// The site to be drawn, between its prior mean and the site above it.
struct SiteDraw {
  Tile mean;           // f_k(site k-1); may be written over
  double prior_noise;  // D_k
  ConstTile above;     // site k+1
  Tile site;           // site k: old values in, new values out
  Relax relax;
};

// Weights that read some of a layer's inputs.
struct OutgoingWeights {
  int64_t count;
  double energy;  // sum of their squares, each times its prior precision
};

// What is known about a tile when gradients of the log density are carried down through a layer.
struct BackwardTile {
  ConstTile in;            // the site below
  ConstTile out;           // f(in), as forward gave it
  ConstTile out_gradient;  // by f(in)
  Tile in_gradient;        // by the site below: written; its data is null where it is not wanted
};

// Which numbers a property takes.
enum class Values : int32_t { positive, finite, yes_or_no, whole };

// A property of a layer that can be set and asked for: those of every kind are in properties.cpp,
// others in the file of the kind that has them.
struct PropertyRow {
  Property property = Property::noise;
  const char *name = nullptr;
  Values values = Values::positive;
  // Does this layer have it? Null: every layer of the kind does.
  bool (*has)(const Layer &) = nullptr;
  double (*get)(const Layer &) = nullptr;
  void (*set)(Layer &, double value) = nullptr;
  // Is the value possible for this layer? Null: all that `values` allows are.
  Status (*check)(const Layer &, double value, Error *) = nullptr;
  bool reshapes = false;  // it changes the output's shape: set before other layers follow
};

struct PropertyRows {
  const PropertyRow *rows = nullptr;
  int64_t count = 0;
};

// The numbers that say which map a layer is, besides its kind and shapes.
struct MapFields {
  static constexpr int room = 16;
  double values[room] = {};
  int count = 0;
  void add(double value) { values[count++] = value; }
  void add(int64_t value) { add(static_cast<double>(value)); }
};

// What kinds have that need not say otherwise.
namespace plain {
inline int64_t none(const Layer &) {
  return 0;
}
inline double no_work(const Layer &) {
  return 0;
}
inline bool no(const Layer &) {
  return false;
}
inline const char *no_reason(const Layer &) {
  return nullptr;
}
inline bool never_collapses(const Layer &, const Layer &, Layer &) {
  return false;
}
inline bool no_pool(const Layer &, Window &) {
  return false;
}
inline void no_fields(const Layer &, MapFields &) {}
inline void no_layout(Arena &, const Layer &, InputFactor &) {}
inline bool nothing_to_factor(const Layer &, const double *, double, InputFactor &,
                              const Kernels &) {
  return true;
}
// "[unit,input]", both from 1
void weight_index(const Layer &layer, int64_t weight, Text &out);
}  // namespace plain

// What a layer must know to stand below a head with row scales (HeadOps::row_scales) in a Gibbs
// chain: row i of its output has noise D / scales[i].
struct RowScaledOps {
  // gram and cross of add_gram and add_cross, each row weighted by its scale. The scratch has room
  // for ld x (order + units) doubles.
  void (*add_sums)(const Layer &, ConstTile in, ConstTile out, const double *scales, double *gram,
                   double *cross, double *scratch, const Kernels &);
  // The draw of the input site, as in LayerOps.
  void (*input_layout)(Arena &, const Layer &, InputFactor &);
  void (*factor_input)(const Layer &, const double *params, InputFactor &, const Kernels &);
  void (*draw_input)(const Layer &, const double *params, const InputFactor &, const SiteDraw &,
                     const double *scales, const TileWork &);
};

// All that is known about a kind. Tables are filled by name; what a kind does not name it does not
// have, as the defaults say.
struct LayerOps {
  const char *name = nullptr;

  // ---- description
  // Checks the spec and fills in a layer whose kind and input shape are set: output shape, counts
  // of parameters, prior precisions.
  Status (*construct)(const LayerSpec &, Layer &, Error *) = nullptr;
  // Properties of its own.
  PropertyRows properties;
  // The fields of the layer that only this kind has: two layers of one kind and shape are the same
  // map, and networks the same model, if these are equal too.
  void (*map_fields)(const Layer &, MapFields &) = plain::no_fields;
  // What messages and tables call the layer. Null: the kind's name.
  const char *(*title)(const Layer &) = nullptr;
  // The indices of a weight in its name: "[3,17]".
  void (*weight_index)(const Layer &, int64_t weight, Text &) = plain::weight_index;

  // ---- what it is to others
  bool elementwise = false;  // output feature j depends on input feature j alone
  // out = W in + b with weights [input, unit], all its own: the weights can be integrated out, and
  // add_columns is there.
  bool is_product = false;
  // Is f(c x) = c f(x) for c > 0? Asked of elementwise layers.
  bool (*homogeneous)(const Layer &) = plain::no;
  // Is the layer the means over windows that touch but do not overlap, and may the site below it be
  // integrated out? Writes the window.
  bool (*as_pool)(const Layer &, Window &) = plain::no_pool;
  // Writes the layer that this one and the next make together once the site between them is
  // integrated out, if that is a layer again.
  bool (*collapse)(const Layer &, const Layer &next, Layer &collapsed) = plain::never_collapses;
  // Why the input site cannot be drawn exactly, or why there is no gradient to follow (f is not
  // differentiable almost everywhere, or its slope is zero): what was expected, the end of a
  // sentence. Null: it can, there is.
  const char *(*no_exact_draw)(const Layer &) = plain::no_reason;
  const char *(*no_gradient)(const Layer &) = plain::no_reason;

  // ---- the map
  // Order p of the precision shared by all units (fan-in, bias included), and the number of units
  // (outputs that have weights of their own); 0 and 0 for a kind without parameters.
  int64_t (*order)(const Layer &) = plain::none;
  int64_t (*units)(const Layer &) = plain::none;
  // Multiplications for a row in the products of a layer.
  double (*work)(const Layer &) = plain::no_work;
  // Mean of the output site.
  void (*forward)(const Layer &, const double *params, ConstTile in, Tile out,
                  const Kernels &) = nullptr;
  // Carries a gradient from f(in) to `in`, and adds this tile's share of the gradient by the
  // layer's parameters to param_gradient (laid out as all parameters are). The scratch has room
  // for ld x (widest site) doubles.
  void (*backward)(const Layer &, const double *params, const BackwardTile &,
                   double *param_gradient, const Kernels &, double *scratch) = nullptr;

  // ---- draws of the parameters, if it has any
  // Sums over rows that the conditional of (W, b) needs: gram (p x p, lower triangle) of the
  // extended input and cross (p x units) of it with the output site.
  void (*add_gram)(const Layer &, ConstTile in, double *gram, const Kernels &) = nullptr;
  void (*add_cross)(const Layer &, ConstTile in, ConstTile out, double *cross,
                    const Kernels &) = nullptr;
  // A product: the part of these sums that hangs on input columns first … first + count - 1: gram
  // (p x count) of the extended input with these columns, and cross (count x units).
  void (*add_columns)(const Layer &, ConstTile in, int64_t first, int64_t count, ConstTile out,
                      double *gram, double *cross, const Kernels &) = nullptr;
  // Multiplies the weights that read input features first … first + width - 1; tells what they were
  // before, or of no weights (and leaves all as it is) if these features have none of their own.
  OutgoingWeights (*scale_input)(const Layer &, double *params, int64_t first, int64_t width,
                                 double factor) = nullptr;

  // ---- draws of the input site, unless there is no exact one
  // Its conditional given its prior and the output site.
  void (*input_layout)(Arena &, const Layer &, InputFactor &) = plain::no_layout;
  bool (*factor_input)(const Layer &, const double *params, double prior_noise, InputFactor &,
                       const Kernels &) = plain::nothing_to_factor;
  void (*draw_input)(const Layer &, const double *params, const InputFactor &, const SiteDraw &,
                     const TileWork &) = nullptr;
  // Null: it cannot be the last layer below a head with row scales.
  const RowScaledOps *row_scaled = nullptr;
};

const LayerOps &ops_of(const Layer &layer);

// Outputs that have weights of their own, and the weights of each.
inline int64_t unit_count(const Layer &layer) {
  return ops_of(layer).units(layer);
}
inline int64_t fan_in(const Layer &layer) {
  return layer.weight_count / unit_count(layer);
}

// Prior precision of entry j of a unit's (W, b).
inline double prior_precision(const Layer &layer, int64_t j) {
  return j < fan_in(layer) ? layer.weight_precision(j) : layer.lambda_b;
}

inline double squared_norm(const double *values, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += values[i] * values[i];
  return sum;
}

// Sum of lambda w^2 over all weights, or over those of one unit.
inline double weight_energy(const Layer &layer, const double *weights, int64_t count) {
  if (!layer.lambda_in) return layer.lambda_w * squared_norm(weights, count);
  double sum = 0;
  for (int64_t i = 0, inputs = fan_in(layer); i < count; ++i)
    sum += layer.lambda_in[i % inputs] * weights[i] * weights[i];
  return sum;
}

// The tables of all kinds, for those who look for a property whoever has it.
int kind_count();
const LayerOps &kind_number(int index);
// What messages call the layer: its kind, or its activation.
const char *layer_name(const Layer &layer);
// Are they the same map of the same shapes, so that the parameters of one serve the other?
bool same_map(const Layer &a, const Layer &b);
// Null for values outside the enum.
const char *activation_name(Activation activation);

extern const LayerOps dense_ops;
extern const LayerOps conv2d_ops;
extern const LayerOps avgpool_ops;
extern const LayerOps activation_ops;
extern const LayerOps maxpool_ops;

}  // namespace nnp

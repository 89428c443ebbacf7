// What a layer is, and the table with everything that is known about each kind. A kind has one file
// and one row in the table (layer.cpp); the rest of the library never asks which kind a layer is.
#pragma once

#include <cstdint>

#include "lib/base/arena.hpp"
#include "lib/base/status.hpp"
#include "lib/base/text.hpp"
#include "lib/base/tile.hpp"
#include "lib/linalg/kernels.hpp"
#include "lib/network/activations.hpp"
#include "lib/network/relax.hpp"
#include "lib/random/stream.hpp"

namespace nnp {

struct Shape {
  int64_t channels = 0, height = 1, width = 1;
  int64_t size() const { return channels * height * width; }
};

// How a convolution or a pool moves over its input: height x width pixels at a time, with the given
// steps. A convolution may return the means of pool_y x pool_x neighbouring outputs instead of the
// outputs, and extend pad_y and pad_x pixels beyond each side of the image, where pixels are 0.
struct Window {
  int64_t height = 1, width = 1;
  int64_t step_y = 1, step_x = 1;
  int64_t pool_y = 1, pool_x = 1;
  int64_t pad_y = 0, pad_x = 0;
};

// Values are pinned: they are part of saved states.
enum class LayerKind : int32_t { dense = 1, conv2d = 2, avgpool = 3, activation = 4, maxpool = 5 };

// Values are pinned: adding a base gives the NNP_* layer properties of the C header.
enum class Property : int32_t {
  noise = 1,
  lambda_w = 2,
  lambda_b = 3,
  bias = 4,
  slope = 5,
  collapse = 6,
  padding_y = 7,
  padding_x = 8,
  ard = 9  // can only be learned: a lambda_w per input
};

// The description of a layer before it is added to a network. Each kind reads the fields it needs.
struct LayerSpec {
  LayerKind kind = LayerKind::dense;
  int64_t units = 0;  // of a dense layer; filters of a convolution
  Window window;
  Activation activation = Activation::identity;
};

// The gamma hyperprior of a learned precision (1/D or lambda): shape a, rate a / mean. Shape 0:
// none, the precision is fixed.
struct Hyperprior {
  double shape = 0, mean = 0;
};

// A noise or prior precision of a layer; if it is learned, it is a parameter.
struct LearnedScale {
  Hyperprior prior;
  int64_t first = -1;  // index of its values in the parameter vector; -1: it is fixed
  int64_t count = 0;   // number of values: one, or one per input
  bool by_input = false;
};

// Layer k maps site k-1 to the mean of site k; site k = that mean + sqrt(noise) * N(0, I).
struct Layer {
  LayerKind kind = LayerKind::dense;
  Shape in, out;
  // Used only by the files of the kinds that have them:
  Activation activation = Activation::identity;
  Window window;
  double slope = 0.01;   // of a leaky relu
  bool collapse = true;  // a pool: the site below it may be integrated out
  // Common to all layers:
  bool bias = true;
  double noise = 0.01;                // current D
  double final_noise = 0.01;          // D of the model; `noise` differs only while a chain anneals
  bool noise_set = false;             // the user has set D: see net_classical_noise
  double lambda_w = 1, lambda_b = 1;  // prior precisions
  // A precision per input feature instead of lambda_w, in the parameter vector of the object that
  // owns the layer (see take_scales); null: all have lambda_w.
  const double *lambda_in = nullptr;
  LearnedScale learned_noise, learned_w, learned_b;
  double multiple = 1;  // D is this multiple of the learned noise, which layers may share
  int64_t weight_count = 0, bias_count = 0;
  // The layers of the description it represents: one, or several with all sites but the last
  // integrated out.
  int64_t first_number = 0, last_number = 0;
  int64_t first_param = 0;  // index of its weights in the parameter vector; biases follow

  int64_t param_count() const { return weight_count + bias_count; }
  // Prior precision of a unit's weight i.
  double weight_precision(int64_t i) const { return lambda_in ? lambda_in[i] : lambda_w; }
  bool learns_precisions() const { return learned_w.count + learned_b.count > 0; }
  const double *weights(const double *params) const { return params + first_param; }
  double *weights(double *params) const { return params + first_param; }
  // nullptr if the layer has no biases.
  const double *biases(const double *params) const {
    return bias_count ? params + first_param + weight_count : nullptr;
  }
};

// What the draw of a layer's input site needs to know of the layer's weights, computed once per
// pass and shared by all rows. Each kind uses the fields as it needs.
struct InputFactor {
  double *factor = nullptr;  // a Cholesky factor
  double *shift = nullptr;   // contribution of the biases to the mean
  double scalar[4] = {0, 0, 0, 0};
  int32_t form = 0;  // which form of the draw is used, if there are several
};

// Everything the draw of one tile may use besides the state.
struct TileWork {
  const Kernels *kernels;
  const DrawKernels *draws;
  Stream *stream;
  double *scratch[2];  // each ld x (widest site, at least 2) doubles
};

// The site to draw, with its prior mean and the site above it.
struct SiteDraw {
  Tile mean;           // f_k(site k-1); may be overwritten
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

// The inputs for carrying gradients of the log density down through a layer, for one tile.
struct BackwardTile {
  ConstTile in;            // the site below
  ConstTile out;           // f(in), as computed by forward
  ConstTile out_gradient;  // with respect to f(in)
  Tile in_gradient;        // with respect to the site below: written, unless its data is null
};

// BackwardTile in single precision.
struct SingleBackwardTile {
  ConstSingleTile in, out, out_gradient;
  SingleTile in_gradient;
};

// Which numbers a property allows.
enum class Values : int32_t { positive, finite, yes_or_no, whole };

// A property of a layer that can be set and read. Those of every kind are in properties.cpp, others
// in the file of their kind.
struct PropertyRow {
  Property property = Property::noise;
  const char *name = nullptr;
  Values values = Values::positive;
  // True if this layer has it. Null: every layer of the kind does.
  bool (*has)(const Layer &) = nullptr;
  double (*get)(const Layer &) = nullptr;
  void (*set)(Layer &, double value) = nullptr;
  // Fails if the value is impossible for this layer. Null: everything that `values` allows is
  // possible.
  Status (*check)(const Layer &, double value, Error *) = nullptr;
  bool reshapes = false;  // changes the output's shape: must be set before other layers follow
};

struct PropertyRows {
  const PropertyRow *rows = nullptr;
  int64_t count = 0;
};

// The numbers that identify the map of a layer, besides its kind and shapes.
struct MapFields {
  static constexpr int room = 16;
  double values[room] = {};
  int count = 0;
  void add(double value) { values[count++] = value; }
  void add(int64_t value) { add(static_cast<double>(value)); }
};

// Defaults for kinds that do not override them.
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
// "[unit,input]", both counted from 1
void weight_index(const Layer &layer, int64_t weight, Text &out);
}  // namespace plain

// What a layer must provide to stand below a head with row scales (HeadOps::row_scales) in a Gibbs
// chain: row i of its output has noise D / scales[i].
struct RowScaledOps {
  // Adds gram and cross as add_gram and add_cross do, with each row weighted by its scale. The
  // scratch has room for ld x (order + units) doubles.
  void (*add_sums)(const Layer &, ConstTile in, ConstTile out, const double *scales, double *gram,
                   double *cross, double *scratch, const Kernels &);
  // The draw of the input site, as in LayerOps.
  void (*input_layout)(Arena &, const Layer &, InputFactor &);
  void (*factor_input)(const Layer &, const double *params, InputFactor &, const Kernels &);
  void (*draw_input)(const Layer &, const double *params, const InputFactor &, const SiteDraw &,
                     const double *scales, const TileWork &);
};

// Everything that is known about a kind. Tables are filled by name; fields that a kind does not set
// keep their defaults, which mean that it lacks the feature.
struct LayerOps {
  const char *name = nullptr;

  // ---- description
  // Checks the spec and fills in a layer whose kind and input shape are set: output shape, counts
  // of parameters, prior precisions.
  Status (*construct)(const LayerSpec &, Layer &, Error *) = nullptr;
  // Properties that only this kind has.
  PropertyRows properties;
  // Lists the fields of the layer that only this kind has. Two layers of one kind and shape are the
  // same map, and their networks the same model, if these fields are equal too.
  void (*map_fields)(const Layer &, MapFields &) = plain::no_fields;
  // The layer's name in messages and tables. Null: the kind's name.
  const char *(*title)(const Layer &) = nullptr;
  // The indices of a weight in its name: "[3,17]".
  void (*weight_index)(const Layer &, int64_t weight, Text &) = plain::weight_index;

  // ---- properties that other code uses
  bool elementwise = false;  // output feature j depends on input feature j alone
  // out = W in + b with separate weights [input, unit]: the weights can be integrated out, and
  // add_columns is set.
  bool is_product = false;
  // True if f(c x) = c f(x) for c > 0. Called for elementwise layers only.
  bool (*homogeneous)(const Layer &) = plain::no;
  // True if the layer averages over adjacent, non-overlapping windows and the site below it may be
  // integrated out. Writes the window.
  bool (*as_pool)(const Layer &, Window &) = plain::no_pool;
  // Writes the layer equivalent to this one and the next with the site between them integrated out,
  // if there is one.
  bool (*collapse)(const Layer &, const Layer &next, Layer &collapsed) = plain::never_collapses;
  // Why the input site cannot be drawn exactly, or why there is no gradient to follow (f is not
  // differentiable almost everywhere, or its slope is zero): what was expected, as the end of a
  // sentence. Null: no such obstacle.
  const char *(*no_exact_draw)(const Layer &) = plain::no_reason;
  const char *(*no_gradient)(const Layer &) = plain::no_reason;

  // ---- the map
  // Order p of the precision shared by all units (fan-in, bias included), and the number of units
  // (outputs with separate weights); 0 and 0 for a kind without parameters.
  int64_t (*order)(const Layer &) = plain::none;
  int64_t (*units)(const Layer &) = plain::none;
  // Multiplications per row in the products of a layer.
  double (*work)(const Layer &) = plain::no_work;
  // Computes the mean of the output site.
  void (*forward)(const Layer &, const double *params, ConstTile in, Tile out,
                  const Kernels &) = nullptr;
  // Carries a gradient from f(in) to `in`, and adds this tile's share of the gradient with respect
  // to the layer's parameters to param_gradient (laid out like all parameters). The scratch has
  // room for ld x (widest site) doubles.
  void (*backward)(const Layer &, const double *params, const BackwardTile &,
                   double *param_gradient, const Kernels &, double *scratch) = nullptr;
  // The same in single precision, for gradients that only propose. Null: this kind has no such form.
  void (*single_forward)(const Layer &, const float *params, ConstSingleTile in, SingleTile out,
                         const Kernels &) = nullptr;
  void (*single_backward)(const Layer &, const float *params, const SingleBackwardTile &,
                          double *param_gradient, const Kernels &) = nullptr;

  // ---- draws of the parameters, if it has any
  // Sums over rows that the conditional of (W, b) needs: gram (p x p, lower triangle) of the
  // extended input and cross (p x units) of it with the output site.
  void (*add_gram)(const Layer &, ConstTile in, double *gram, const Kernels &) = nullptr;
  void (*add_cross)(const Layer &, ConstTile in, ConstTile out, double *cross,
                    const Kernels &) = nullptr;
  // The same sums from zeros, whatever gram and cross hold. Null: zeros have to be filled in.
  void (*start_gram)(const Layer &, ConstTile in, double *gram, const Kernels &) = nullptr;
  void (*start_cross)(const Layer &, ConstTile in, ConstTile out, double *cross,
                      const Kernels &) = nullptr;
  // For a product: the part of these sums that depends on input columns first … first + count - 1:
  // gram (p x count) of the extended input with these columns, and cross (count x units).
  void (*add_columns)(const Layer &, ConstTile in, int64_t first, int64_t count, ConstTile out,
                      double *gram, double *cross, const Kernels &) = nullptr;
  // Multiplies the weights that read input features first … first + width - 1, and returns their
  // count and energy before. If these features share their weights with others, nothing is changed
  // and no weights are returned.
  OutgoingWeights (*scale_input)(const Layer &, double *params, int64_t first, int64_t width,
                                 double factor) = nullptr;

  // ---- draws of the input site, unless there is no exact one
  // Draws the input site from its conditional given its prior and the output site.
  void (*input_layout)(Arena &, const Layer &, InputFactor &) = plain::no_layout;
  bool (*factor_input)(const Layer &, const double *params, double prior_noise, InputFactor &,
                       const Kernels &) = plain::nothing_to_factor;
  void (*draw_input)(const Layer &, const double *params, const InputFactor &, const SiteDraw &,
                     const TileWork &) = nullptr;
  // With draw_input: without over-relaxation, `mean` may be the tile of `site`, whose old values
  // are then not there.
  bool draws_in_place = false;
  // Null: it cannot be the last layer below a head with row scales.
  const RowScaledOps *row_scaled = nullptr;
};

const LayerOps &ops_of(const Layer &layer);

// Number of outputs with separate weights, and the number of weights of each.
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

// The tables of all kinds, for finding a property of any kind.
int kind_count();
const LayerOps &kind_number(int index);
// The layer's name in messages: its kind, or its activation.
const char *layer_name(const Layer &layer);
// True if both are the same map between the same shapes, so that the parameters of one fit the
// other.
bool same_map(const Layer &a, const Layer &b);

extern const LayerOps dense_ops;
extern const LayerOps conv2d_ops;
extern const LayerOps avgpool_ops;
extern const LayerOps activation_ops;
extern const LayerOps maxpool_ops;

}  // namespace nnp

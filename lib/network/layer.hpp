// What a layer is, and the table of everything that is known about each kind. A kind lives in one
// file and has one row in the table; the rest of the library never asks which kind a layer is.
#pragma once

#include <cstdint>

#include "lib/base/arena.hpp"
#include "lib/base/status.hpp"
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
// convolution may give the means of pool_y x pool_x neighbouring outputs instead of the outputs.
struct Window {
  int64_t height = 1, width = 1;
  int64_t step_y = 1, step_x = 1;
  int64_t pool_y = 1, pool_x = 1;
};

// Values are pinned: they are part of saved states.
enum class LayerKind : int32_t { dense = 1, conv2d = 2, avgpool = 3, activation = 4 };

// Layer k maps site k-1 to the mean of site k; site k = that mean + sqrt(noise) * N(0, I).
struct Layer {
  LayerKind kind = LayerKind::dense;
  Activation activation = Activation::identity;
  Shape in, out;
  Window window;
  bool bias = true;
  double slope = 0.01;                // of a leaky relu
  double noise = 0.01;                // D, as it is in force
  double final_noise = 0.01;          // D of the model: another one only while a chain cools
  double lambda_w = 1, lambda_b = 1;  // prior precisions
  int64_t weight_count = 0, bias_count = 0;
  bool collapse = true;  // a pool: the site below it may be integrated out
  // The layers of the description it stands for: one, or several whose sites but the last are
  // integrated out.
  int64_t first_number = 0, last_number = 0;
  int64_t first_param = 0;  // where its weights start in the parameter vector; biases follow them

  int64_t param_count() const { return weight_count + bias_count; }
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
  double square;  // sum of their squares
};

// What is known about a tile when gradients of the log density are carried down through a layer.
struct BackwardTile {
  ConstTile in;            // the site below
  ConstTile out;           // f(in), as forward gave it
  ConstTile out_gradient;  // by f(in)
  Tile in_gradient;        // by the site below: written; its data is null where it is not wanted
};

struct LayerOps {
  const char *name;
  bool elementwise;  // output feature j depends on input feature j alone
  // Order p of the precision shared by all units (fan-in, bias included), and the number of units
  // (outputs that have weights of their own); 0 and 0 for a kind without parameters.
  int64_t (*order)(const Layer &);
  int64_t (*units)(const Layer &);
  // Mean of the output site.
  void (*forward)(const Layer &, const double *params, ConstTile in, Tile out, const Kernels &);
  // Sums over rows that the conditional of (W, b) needs: gram (p x p, lower triangle) of the
  // extended input and cross (p x units) of it with the output site. Null without parameters.
  void (*add_gram)(const Layer &, ConstTile in, double *gram, const Kernels &);
  void (*add_cross)(const Layer &, ConstTile in, ConstTile out, double *cross, const Kernels &);
  // The part of these sums that hangs on input columns first … first + count - 1: gram
  // (p x count) of the extended input with these columns, and cross (count x units). A layer that
  // has it is a plain product: weights [input, unit], the mean of the output linear in the input.
  // Null where the weights cannot be integrated out.
  void (*add_columns)(const Layer &, ConstTile in, int64_t first, int64_t count, ConstTile out,
                      double *gram, double *cross, const Kernels &);
  // Multiplies the weights that read input features first … first + width - 1; tells what they were
  // before, or of no weights (and leaves all as it is) if these features have none of their own.
  // Null where features never have.
  OutgoingWeights (*scale_input)(const Layer &, double *params, int64_t first, int64_t width,
                                 double factor);
  // Is f(c x) = c f(x) for c > 0? Null: no, or not a matter of activations.
  bool (*homogeneous)(const Layer &);
  // Conditional of the input site given its prior and the output site.
  void (*input_layout)(Arena &, const Layer &, InputFactor &);
  bool (*factor_input)(const Layer &, const double *params, double prior_noise, InputFactor &);
  void (*draw_input)(const Layer &, const double *params, const InputFactor &, const SiteDraw &,
                     const TileWork &);
  // Writes the layer that this one and the next make together once the site between them is
  // integrated out, if that is a layer again. Null if it never is.
  bool (*merge)(const Layer &, const Layer &next, Layer &merged);
  // Can the input site be drawn exactly; is f differentiable almost everywhere, with a slope that
  // is not zero almost everywhere? Null: yes.
  bool (*drawable)(const Layer &);
  bool (*differentiable)(const Layer &);
  // Carries a gradient from f(in) to `in`, and adds this tile's share of the gradient by the
  // layer's parameters to param_gradient (laid out as all parameters are). The scratch has room
  // for ld x (widest site) doubles.
  void (*backward)(const Layer &, const double *params, const BackwardTile &,
                   double *param_gradient, const Kernels &, double *scratch);
};

const LayerOps &ops_of(const Layer &layer);
// What messages call the layer: its kind, or its activation.
const char *layer_name(const Layer &layer);
// Null for values outside the enum.
const char *activation_name(Activation activation);

extern const LayerOps dense_ops;
extern const LayerOps conv2d_ops;
extern const LayerOps avgpool_ops;
extern const LayerOps activation_ops;

}  // namespace nnp

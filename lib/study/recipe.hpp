// Our recommendations for tables with standardized columns: the network and its learned scales, and
// how to sample it. The defaults of one-call interfaces in all languages are set here.
#pragma once

#include "lib/network/net.hpp"
#include "lib/sampler/chain.hpp"

namespace nnp {

constexpr int64_t max_hidden = 16;

// A network of dense layers for standardized data.
struct ModelPlan {
  int64_t inputs = 0;
  int64_t targets = 0;  // columns of targets; for labels, outputs of the network
  HeadKind head = HeadKind::none;
  Activation activation = Activation::tanh;
  bool classical = true;  // the intended posterior, which determines which noises are learned
  bool by_input = false;  // the first layer's weights have a precision per input
  int64_t hidden[max_hidden] = {};
  int64_t hidden_count = 0;
};

// The recommended plan for this number of inputs, targets or classes, and training rows (0:
// unknown).
ModelPlan plan_model(int64_t inputs, int64_t targets, HeadKind head, int64_t rows);
// The recommended head for targets that are numbers, with this many training rows (0: unknown,
// taken for few), and with an activation and a posterior as for choose().
HeadKind head_for_numbers(int64_t rows, const Activation *activation,
                          const PosteriorKind *posterior);
// Puts an activation and a posterior into the plan. If one of them is null, one that suits the
// other is chosen.
void choose(ModelPlan &plan, const Activation *activation, const PosteriorKind *posterior);
// Whether inputs of classes should be changed as in network/discriminant.hpp.
bool suits_discriminant(int64_t rows, int64_t columns, int64_t classes);
// Adds the layers and the head of the plan to an empty network; all scales are learned with default
// hyperpriors.
Status build_model(Net &net, const ModelPlan &plan, Error *err);

constexpr int64_t recipe_options = 8;

// Values are pinned: adding a base gives NNP_START_ZERO, … of the C header.
enum class Start : int32_t { zero = 1, prior = 2, small = 3, fit = 4 };

struct Recipe {
  SamplerKind sampler;
  PosteriorKind posterior;
  Start start;
  int64_t chains, warmup, draws, thin;
  int64_t option_count;
  Option options[recipe_options];
  double values[recipe_options];
};

// Recommends how to sample a complete network on data with this many rows: with the given
// posterior, or (null) the one that suits it. Status::unsupported if no sampler supports it.
Status recommend(const Net &net, int64_t rows, const PosteriorKind *posterior, Recipe *out,
                 Error *err);

}  // namespace nnp

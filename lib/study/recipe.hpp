// What we recommend for tables of data whose columns are standardized: the network and its learned
// scales, and how to sample it. The defaults of one-call interfaces in all languages are decided here.
#pragma once

#include "lib/network/net.hpp"
#include "lib/sampler/chain.hpp"

namespace nnp {

constexpr int64_t max_hidden = 16;

// A network of dense layers for standardized data.
struct ModelPlan {
  int64_t inputs = 0;
  int64_t targets = 0;  // columns of targets; where data are labels, outputs of the network
  HeadKind head = HeadKind::none;
  Activation activation = Activation::tanh;
  bool classical = true;  // the posterior it is meant for: it decides which noises are learned
  bool by_input = false;  // the weights of the first layer have a precision for each input
  int64_t hidden[max_hidden] = {};
  int64_t hidden_count = 0;
};

// The recommended one for so many inputs, targets or classes, and training rows (0: not known).
ModelPlan plan_model(int64_t inputs, int64_t targets, HeadKind head, int64_t rows);
// Puts your own activation and posterior into the plan, null for either: one that suits the other.
void choose(ModelPlan &plan, const Activation *activation, const PosteriorKind *posterior);
// Layers and head of the plan into an empty network, all scales learned with default hyperpriors.
Status build_model(Net &net, const ModelPlan &plan, Error *err);

constexpr int64_t recipe_options = 8;

// Values are pinned: plus a base they are NNP_START_ZERO, … of the C header.
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

// How to sample a complete network on so many rows: a posterior of your choice, or the one that suits
// it (null). Status::unsupported if no sampler takes it.
Status recommend(const Net &net, int64_t rows, const PosteriorKind *posterior, Recipe *out,
                 Error *err);

}  // namespace nnp

// Learned precisions that move together with their weights: shared by the moves of Gibbs and of the
// gradient samplers. Alternating draws of precisions given weights and of weights given precisions
// takes very small steps; these moves do not:
//
// One precision at a time, interweaved: v = w sqrt(lambda) is held, so its weights are multiplied
// by c when lambda is divided by c^2, and the prior of v does not matter.
//
// A layer against the next one, separated by an activation: (W, b) times c and the next weights
// divided by c. Learned precisions change accordingly: those of the layer divided by c^2, those of
// the next weights times c^2. If the activation is nearly linear the network's output hardly
// changes.
//
// log c is slice sampled (redraw.hpp).
#pragma once

#include <algorithm>

#include "lib/posterior/state.hpp"
#include "lib/sampler/redraw.hpp"

namespace nnp {

// A learned precision and its weights, which are evenly spaced in the layer.
struct OnePrecision {
  Hyperprior prior;
  int64_t index;  // of the precision among the parameters
  int64_t first, stride, count;
};

// At most this many precisions of inputs are moved at a time, consecutive ones starting from a
// random one: each costs some passes over the rows.
constexpr int64_t most_inputs = 3;

// Calls visit(one) for the precisions of a layer that are due, as long as it returns ok: that of
// all weights, or some of those of inputs; then that of biases.
template <class Visit>
Status for_due_precisions(const Layer &layer, Stream &stream, Visit visit) {
  const LearnedScale &w = layer.learned_w, &b = layer.learned_b;
  const int64_t due = std::min(w.count, most_inputs), first = layer.first_param;
  const double at = w.count > due ? stream.uniform() * as_double(w.count) : 0;
  Status status = Status::ok;
  for (int64_t n = 0; n < due && status == Status::ok; ++n) {
    const int64_t input = (static_cast<int64_t>(at) + n) % w.count;
    status = visit(OnePrecision{w.prior, w.first + input, first + input, w.count,
                                layer.weight_count / w.count});
  }
  if (b.count == 0 || status != Status::ok) return status;
  return visit(OnePrecision{b.prior, b.first, first + layer.weight_count, 1, layer.bias_count});
}

// The log prior, in log c, of weights multiplied by c and of the precisions that change with them,
// at the state's parameters: for one precision, and for a layer against the next.
double log_prior_of_one(const State &state, const OnePrecision &one, double c);
double log_prior_of_pair(const State &state, const Layer &below, const Layer &above, double c);

// Multiplies weights and precisions in the parameter vector; take_precisions must follow.
void scale_one(State &state, const OnePrecision &one, double c);
void scale_pair(State &state, const Layer &below, const Layer &above, double c);

}  // namespace nnp

// Learned precisions that move together with their weights: what the moves of Gibbs and of the
// gradient samplers share. Draws of precisions given the weights, and of weights given the
// precisions, take ever so small steps; these do not:
//
// One precision at a time, interweaved: v = w sqrt(lambda) is held, so that its weights are
// multiplied by c where lambda is divided by c^2, and the prior of v has no say in it.
//
// A layer against the next one, of which an activation separates it: (W, b) times c and the next
// weights divided by c; learned precisions go along, those of the layer divided by c^2, those of the
// next weights times c^2. Where the activation is about linear the network computes the same.
//
// log c is slice sampled (redraw.hpp).
#pragma once

#include <algorithm>

#include "lib/posterior/state.hpp"
#include "lib/sampler/redraw.hpp"

namespace nnp {

// A learned precision and the weights that have it: some of a layer's, evenly spaced.
struct OnePrecision {
  Hyperprior prior;
  int64_t index;  // of the precision among the parameters
  int64_t first, stride, count;
};

// Of precisions of inputs no more than this many are moved at a time, neighbours from a random one
// on: each costs some passes over the rows.
constexpr int64_t most_inputs = 3;

// Calls visit(one) for the precisions of a layer that are due, while it returns ok: that of all
// weights, or some of those of inputs; then that of biases.
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

// The log prior, in log c, of weights times c and what goes along with them, at the state's
// parameters: of one precision, and of a layer against the next.
double log_prior_of_one(const State &state, const OnePrecision &one, double c);
double log_prior_of_pair(const State &state, const Layer &below, const Layer &above, double c);

// Multiplies; the precisions are not yet put in force.
void scale_one(State &state, const OnePrecision &one, double c);
void scale_pair(State &state, const Layer &below, const Layer &above, double c);

}  // namespace nnp

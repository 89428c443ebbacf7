#include "lib/study/outlook.hpp"

#include <algorithm>
#include <cmath>

namespace nnp {

namespace {

// Cost of a step of a later phase relative to one that was measured. A descent takes one gradient
// per step and seldom all the steps it may take; a warm-up step costs about as much as a draw.
double price(int64_t later, int64_t measured) {
  constexpr double descent = 1, sampling = 60;
  return (later == 0 ? descent : sampling) / (measured == 0 ? descent : sampling);
}

}  // namespace

void look_ahead(Outlook &outlook, int64_t phase, int64_t done, double seconds) {
  if (phase > outlook.phase) {
    outlook.spent[outlook.phase] = seconds - outlook.began;
    outlook.phase = phase;
    outlook.began = seconds;
  }
  const double made = static_cast<double>(done), spent = seconds - outlook.began;
  outlook.left = NAN;
  if (!(made > 0) || !(spent > 0)) return;
  const double each = spent / made;  // seconds per step
  double left = each * std::max(static_cast<double>(outlook.steps[phase]) - made, 0.0);
  for (int64_t later = phase + 1; later < phase_count; ++later)
    left += each * price(later, phase) * static_cast<double>(outlook.steps[later]);
  outlook.left = left;
  outlook.share = std::clamp(seconds / (seconds + left), outlook.share, 1.0);
}

}  // namespace nnp

#include "lib/sampler/adaptation.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/functions.hpp"

namespace nnp {

namespace {

// The constants Stan uses.
constexpr double gamma_scale = 0.05;  // how strongly the error pulls
constexpr double delay = 10;          // t0
constexpr double forgetting = 0.75;   // kappa

constexpr double polish_gain = 3, polish_delay = 10;
constexpr int64_t least_behind = 50;

struct Plan {
  int64_t before, behind, first_window;
};

Plan plan_of(int64_t warmup) {
  if (warmup < 20) return {warmup, 0, 0};
  if (warmup >= 75 + 25 + least_behind) return {75, std::max(least_behind, warmup / 5), 25};
  const int64_t before = warmup * 15 / 100, behind = warmup / 10;
  return {before, behind, warmup - before - behind};
}

// Keeps the step positive and finite: a chain that rejects (or accepts) everything for a long time
// would drive it to 0 or infinity, and then to NaN.
double bounded(double step) {
  return std::fmin(std::fmax(step, 1e-300), 1e300);
}

}  // namespace

void begin_averaging(Adaptation &adaptation, double step) {
  step = bounded(step);
  adaptation.step = step;
  adaptation.centre = fn::log(10 * step);
  adaptation.error = adaptation.log_average = 0;
  adaptation.count = 0;
}

void average_step(Adaptation &adaptation, double acceptance, double target) {
  const double t = static_cast<double>(++adaptation.count);
  const double weight = 1 / (t + delay);
  adaptation.error += weight * (target - acceptance - adaptation.error);
  const double log_step = adaptation.centre - adaptation.error * std::sqrt(t) / gamma_scale;
  adaptation.log_average += fn::pow(t, -forgetting) * (log_step - adaptation.log_average);
  adaptation.step = bounded(fn::exp(log_step));
}

double averaged_step(const Adaptation &adaptation) {
  return adaptation.count > 0 ? fn::exp(adaptation.log_average) : adaptation.step;
}

// True for the steps after the windows, except the first 50 of them.
bool is_polished(int64_t warmup, int64_t index) {
  return index < warmup && index >= warmup - warmup / 5 + least_behind;
}

void begin_polish(Adaptation &adaptation) {
  adaptation.step = bounded(averaged_step(adaptation));
  adaptation.count = 0;
}

// log step += gain (acceptance - target)
void polish_step(Adaptation &adaptation, double acceptance, double target) {
  const double t = static_cast<double>(++adaptation.count);
  const double factor = fn::exp(polish_gain / (t + polish_delay) * (acceptance - target));
  adaptation.step = bounded(adaptation.step * factor);
}

bool in_window(int64_t warmup, int64_t index) {
  const Plan plan = plan_of(warmup);
  return index >= plan.before && index < warmup - plan.behind;
}

bool window_ends(int64_t warmup, int64_t index) {
  if (!in_window(warmup, index)) return false;
  const Plan plan = plan_of(warmup);
  const int64_t last = warmup - plan.behind;
  int64_t end = plan.before, length = plan.first_window;
  for (; end <= index; length *= 2) {  // terminates: windows are not empty and last > index
    end += length;
    if (end + 2 * length > last) end = last;  // the next would not fit: extend this one
  }
  return index + 1 == end;
}

}  // namespace nnp

// Ziggurat tables computed at compile time, and the rare branches of the inline draws.
#include "lib/random/variates.hpp"
#include "lib/base/simd.hpp"

#include <cstring>
#include <limits>

#include "lib/base/functions.hpp"
#include "lib/random/wide.hpp"

namespace nnp {
namespace {

// log x for 0 < x <= 1, at compile time: x = 2^-k m, log m = 2 artanh((m - 1)/(m + 1)).
constexpr double log_of_height(double x) {
  double halvings = 0;
  for (; x < 0.70710678118654752; x *= 2) halvings += 1;
  const double s = (x - 1) / (x + 1), s2 = s * s;
  double sum = 0;
  for (int k = 25; k > 0; k -= 2) sum = sum * s2 + 1.0 / k;
  return 2 * s * sum - halvings * 0.69314718055994531;
}

constexpr double root(double x) {
  double y = x > 1 ? x : 1;
  for (int k = 0; k < 14; ++k) y = 0.5 * (y + x / y);
  return y;
}

// Regions of equal area under a decreasing density f with f(0) = 1. Layer k is the strip from
// height f(edge[k]) to f(edge[k + 1]), edge[k] wide; layer 0 also contains the tail beyond edge[1]
// and has the width that gives it the common area. edge[256] = 0.
struct Ziggurat {
  double edge[257];
  double height[257];
};

constexpr double normal_tail = 3.6541528853610088;
constexpr double exponential_tail = 7.69711747013105;

constexpr double normal_edge(double height) {
  return root(-2 * log_of_height(height));
}
constexpr double exponential_edge(double height) {
  return -log_of_height(height);
}

constexpr Ziggurat stack(double tail, double height_at_tail, double area,
                         double (*edge_at)(double height)) {
  Ziggurat z{};
  z.edge[0] = area / height_at_tail;
  z.edge[1] = tail;
  z.height[1] = height_at_tail;
  for (int k = 2; k < 256; ++k) {
    z.height[k] = z.height[k - 1] + area / z.edge[k - 1];
    z.edge[k] = edge_at(z.height[k]);
  }
  z.height[256] = 1;
  return z;
}

constexpr Ziggurat normal_stack =
    stack(normal_tail, 0.0012602859304985975, 0.004928673233974655, normal_edge);
constexpr Ziggurat exponential_stack =
    stack(exponential_tail, 0.00045413435384149677, 0.003949659822581557, exponential_edge);

// The height of a proposal within the strip of its layer.
double random_height(const Ziggurat &z, unsigned layer, double uniform) {
  return z.height[layer] + uniform * (z.height[layer + 1] - z.height[layer]);
}

}  // namespace

namespace {

constexpr ZigguratTable layers_of(const Ziggurat &z) {
  ZigguratTable table{};
  for (int k = 0; k < 256; ++k) table.layer[k] = {z.edge[k] * 0x1p-53, z.edge[k + 1]};
  return table;
}

}  // namespace

constexpr ZigguratTable normal_table = layers_of(normal_stack);
constexpr ZigguratTable exponential_table = layers_of(exponential_stack);

// Beyond edge[1] this is the tail; otherwise the part of the strip that the density cuts through.
// Independently of any argument, 98.8 % of all proposals are returned.
double normal_outside(Stream &stream, unsigned layer, double x) {
  for (;;) {
    if (layer == 0) return std::copysign(normal_tail + truncated_excess(stream, normal_tail), x);
    if (random_height(normal_stack, layer, stream.uniform()) < fn::exp(-0.5 * x * x)) return x;
    const uint64_t word = stream.bits();
    layer = word & 255;
    x = normal_proposal(word);
    if (std::fabs(x) < normal_table.layer[layer].inside) return x;
  }
}

// The tail of an exponential is an exponential again. Nearly all proposals are returned; one in 256
// continues in the tail.
double exponential_outside(Stream &stream, unsigned layer, double x) {
  double start = 0;
  for (;;) {
    if (layer == 0)
      start += exponential_tail;
    else if (random_height(exponential_stack, layer, stream.uniform()) < fn::exp(-x))
      return start + x;
    const uint64_t word = stream.bits();
    layer = word & 255;
    x = exponential_proposal(word);
    if (x < exponential_table.layer[layer].inside) return start + x;
  }
}

// ---- The wide ziggurats (see WideTable) --------------------------------------------------------

namespace {

// Layer k is the strip from height[k] to height[k + 1]. Layer 0 also contains the tail beyond
// `tail`.
struct WideHeights {
  double tail;
  double height[WideTable::layers + 1];
};
// The heights together with the words of the table; used at compile time only.
struct WideStack {
  WideHeights heights;
  uint64_t word[WideTable::layers];
};

// A positive number given by its leading 21 bits, including the implicit one, rounded up or down.
struct Leading {
  uint64_t bits;
  int exponent;
  double value;
};

constexpr Leading leading_of(double x, bool up) {
  Leading l{0, 0, 0};
  if (x == 0) return l;
  double unit = 1;
  for (; x >= 2 * unit; unit *= 2) ++l.exponent;
  for (; x < unit; unit /= 2) --l.exponent;
  unit *= 0x1p-20;
  l.bits = static_cast<uint64_t>(x / unit);
  if (up && static_cast<double>(l.bits) * unit < x) ++l.bits;
  l.value = static_cast<double>(l.bits) * unit;
  return l;
}

// The high half of that double. (Rounding up to the next power of two carries into the exponent.)
constexpr uint64_t high_half(const Leading &l) {
  if (l.bits == 0) return 0;
  return (static_cast<uint64_t>(l.exponent + 1023) << 20) + (l.bits - (uint64_t{1} << 20));
}

// `base` is the width of layer 0, exact in 20 bits; all layers have its area.
constexpr WideStack wide_stack(double tail, double height_at_tail, double base,
                               double (*edge_at)(double height)) {
  WideStack z{};
  const double area = base * height_at_tail;
  double edge = tail;  // where the density falls to height[k]
  double *height = z.heights.height;
  z.heights.tail = tail;
  height[1] = height_at_tail;
  for (int k = 0; k < WideTable::layers; ++k) {
    const Leading width = leading_of(k == 0 ? base : edge, true);
    if (k > 0) height[k + 1] = height[k] + area / width.value;
    if (k > 0) edge = height[k + 1] < 1 ? edge_at(height[k + 1]) : 0;
    // |h| * 2 width < edge of the next layer
    const Leading scale = leading_of(2 * width.value, false);
    z.word[k] = (high_half(scale) << 32) | high_half(leading_of(0.5 * edge / width.value, false));
  }
  return z;
}

constexpr WideStack wide_normal_stack =
    wide_stack(3.8520424959528554, 0.00059967921024649854, 4.09685516357421875, normal_edge);
constexpr WideStack wide_exponential_stack =
    wide_stack(8.4817352294921875, 0.00020721881836208727, 9.4817352294921875, exponential_edge);
constexpr WideHeights wide_normal_heights = wide_normal_stack.heights;
constexpr WideHeights wide_exponential_heights = wide_exponential_stack.heights;
static_assert(wide_normal_heights.height[WideTable::layers] >= 1, "layers must reach the mode");
static_assert(wide_exponential_heights.height[WideTable::layers] >= 1,
              "layers must reach the mode");

constexpr WideTable both(const WideStack &normal, const WideStack &exponential) {
  WideTable table{};
  for (int k = 0; k < WideTable::layers; ++k) {
    table.layer[k] = normal.word[k];
    table.layer[WideTable::exponential + k] = exponential.word[k];
  }
  return table;
}

unsigned wide_layer(uint64_t word) {
  return static_cast<unsigned>(word & (WideTable::layers - 1));
}

double number_of(uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// h of wide.hpp, the proposal computed from it, and whether that needs no further test.
struct WideProposal {
  double x;
  bool inside;
};
WideProposal wide_proposal(int64_t first, uint64_t word) {
  const uint64_t entry = wide_table.layer[first + wide_layer(word)];
  const double h = static_cast<double>(static_cast<int64_t>((word >> 12) | 1)) * 0x1p-52 - 0.5;
  return {h * number_of(entry & ~uint64_t{0xffffffff}), std::fabs(h) < number_of(entry << 32)};
}

// True if the proposal falls under the density, which is `density` there.
bool wide_under(const WideHeights &z, unsigned layer, double density, Stream &stream) {
  const double low = z.height[layer], high = z.height[layer + 1];
  return low + stream.uniform() * (high - low) < density;
}

}  // namespace

constexpr WideTable wide_table = both(wide_normal_stack, wide_exponential_stack);

double wide_normal_outside(Stream &stream, uint64_t word) {
  const WideHeights &z = wide_normal_heights;
  const double x = wide_proposal(0, word).x, size = std::fabs(x);
  const unsigned layer = wide_layer(word);
  if (layer > 0) return wide_under(z, layer, fn::exp(-0.5 * x * x), stream) ? x : normal(stream);
  return size < z.tail ? x : std::copysign(z.tail + truncated_excess(stream, z.tail), x);
}

double wide_exponential_outside(Stream &stream, uint64_t word) {
  const WideHeights &z = wide_exponential_heights;
  const double x = std::fabs(wide_proposal(WideTable::exponential, word).x);
  const unsigned layer = wide_layer(word);
  if (layer > 0) return wide_under(z, layer, fn::exp(-x), stream) ? x : exponential(stream);
  return x < z.tail ? x : z.tail + exponential(stream);
}

double wide_normal(Stream &stream, uint64_t word) {
  const WideProposal proposal = wide_proposal(0, word);
  return proposal.inside ? proposal.x : wide_normal_outside(stream, word);
}

double wide_exponential(Stream &stream, uint64_t word) {
  const WideProposal proposal = wide_proposal(WideTable::exponential, word);
  return proposal.inside ? std::fabs(proposal.x) : wide_exponential_outside(stream, word);
}

namespace {

using FillNormal = void (*)(Stream &stream, double *out, int64_t n);

FillNormal best_fill() {
  switch (best_simd()) {
#if defined(NNP_HAVE_NEON)
    case Simd::neon:
      return fill_normal_neon;
#endif
#if defined(NNP_HAVE_AVX512)
    case Simd::avx512:
      return fill_normal_avx512;
#endif
#if defined(NNP_HAVE_AVX2)
    case Simd::avx2:
      return fill_normal_avx2;
#endif
    default:
      return fill_normal_portable;
  }
}

}  // namespace

void fill_normal(Stream &stream, double *out, int64_t n) {
  best_fill()(stream, out, n);
}

namespace {

// Marsaglia and Tsang: d (1 + c N)^3 with d = shape - 1/3, c = 1/sqrt(9 d), for shape >= 1. At
// least 95 % of the proposals are accepted; an infinite or NaN shape is returned as it is.
double gamma_from_one(Stream &stream, double shape) {
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal(stream), y = c * x;
    if (y <= -1) continue;
    const double cube = (1 + y) * (1 + y) * (1 + y);
    // log of the ratio of target to envelope, avoiding the cancellation in 1 - cube
    const double log_ratio = 0.5 * x * x + 3 * d * (fn::log1p(y) - y * (1 + y * (1 + y / 3)));
    if (!(exponential(stream) < -log_ratio)) return d * cube;
  }
}

}  // namespace

// Gamma(a) = Gamma(a + 1) U^(1/a)
double log_gamma_draw(Stream &stream, double shape) {
  if (!(shape < 1)) return fn::log(gamma_from_one(stream, shape));
  const double log_boost = -exponential(stream) / shape;
  return fn::log(gamma_from_one(stream, shape + 1)) + log_boost;
}

double gamma(Stream &stream, double shape) {
  if (!(shape < 1)) return gamma_from_one(stream, shape);
  const double draw = fn::exp(log_gamma_draw(stream, shape));
  return draw == 0 ? std::numeric_limits<double>::denorm_min() : draw;
}

namespace {

// Log density of log s at distance u from its mode, 0 at the mode: p = A - B, A, B >= 0.
double log_gig(double a, double b, double u) {
  return a * (u - fn::expm1(u)) - b * (u + fn::expm1(-u));
}

double log_gig_slope(double a, double b, double u) {
  return -a * fn::expm1(u) + b * fn::expm1(-u);
}

// For root >= 1e30 log s is normal to rounding, with a skewness below 1e-15, and the squares under
// the root may overflow although s does not. NaN if the mode is not a positive double.
__attribute__((noinline)) double sharp_inverse_gaussian(Stream &stream, double p, double a,
                                                        double b) {
  const double root_ab = std::sqrt(a) * std::sqrt(b), root = fn::hypot(p, 2 * root_ab);
  double mode = p > 0 ? (0.5 * p + 0.5 * root) / a : b / (0.5 * root - 0.5 * p);
  if (std::isinf(root)) mode = std::sqrt(b) / std::sqrt(a);  // p is negligible
  if (!(root > 0 && mode > 0 && std::isfinite(mode))) return std::nan("");
  return mode * fn::exp(normal(stream) / std::sqrt(root));
}

}  // namespace

// log s has a log-concave density: rejection from its tangents left and right of the mode with a
// flat top between them. If a tangent touches at r with log density -c and slope s >= c/r, its side
// of the envelope has the mass r + (1 - c)/s <= r/c for c < 1, and that of the density at least r
// (1 - e^-c)/c, so more than half is accepted. c = 0.72 is at 1.2 sd of a normal. At p = 0 the
// density is exp(-sharpness (cosh u - 1)), which for small sharpness is far from normal.
double generalized_inverse_gaussian(Stream &stream, double p, double a, double b) {
  const double root = std::sqrt(p * p + 4 * a * b);
  const double mode = p > 0 ? (p + root) / (2 * a) : 2 * b / (root - p);
  const double up = a * mode, down = b / mode;  // the two terms of the exponent at the mode
  const double sharpness = up + down;
  if (!(sharpness < 1e30 && sharpness > 0)) return sharp_inverse_gaussian(stream, p, a, b);
  const bool blunt = sharpness < 0.5;
  const double reach = blunt ? fn::acosh(1 + 0.72 / sharpness) : 1.2 / std::sqrt(sharpness);
  const double slope_low = log_gig_slope(up, down, -reach);
  const double slope_high = -log_gig_slope(up, down, reach);
  const double low = -reach - log_gig(up, down, -reach) / slope_low;
  const double high = reach + log_gig(up, down, reach) / slope_high;
  const double left = 1 / slope_low, right = 1 / slope_high, top = high - low;
  for (;;) {
    const double w = (left + top + right) * stream.uniform();
    double u, energy = 0;  // depth of the envelope below the top
    if (w < top) {
      u = low + w;
    } else {
      energy = exponential(stream);
      u = w < top + left ? low - energy * left : high + energy * right;
    }
    if (exponential(stream) >= -log_gig(up, down, u) - energy) return mode * fn::exp(u);
  }
}

// Both loops terminate, see propose_excess; alpha may even be infinite or NaN, and the width 0.
double truncated_excess(Stream &stream, double alpha) {
  double excess;
  while (!propose_excess(stream, -alpha, 0, &excess)) {
  }
  return excess;
}

namespace {

// The excess over alpha, where alpha is the end nearest to 0.
double excess_within(Stream &stream, double alpha, double width) {
  double excess;
  while (!propose_excess(stream, -alpha, 1 / width, &excess)) {
  }
  return excess;
}

}  // namespace

double truncated_between(Stream &stream, double alpha, double beta) {
  const double width = beta - alpha;
  double excess;
  if (alpha + beta >= 0)
    excess = excess_within(stream, alpha, width);
  else
    excess = width - excess_within(stream, -beta, width);
  // the draw may be within rounding of the far end
  if (excess >= width) return std::nextafter(width, 0.0);
  return excess <= 0 ? std::numeric_limits<double>::min() : excess;
}

}  // namespace nnp

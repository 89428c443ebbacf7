// Draws from the one-dimensional distributions the samplers need. All are exact up to rounding and
// keep no state besides the stream. Every rejection loop accepts at least 49 % of its proposals for
// any argument, however extreme, infinite or NaN, so all of them terminate.
#pragma once

#include <cmath>
#include <cstdint>

#include "lib/random/stream.hpp"

namespace nnp {

// A layer of a ziggurat: proposals are integer * scale; those below `inside` need no further test.
struct ZigguratLayer {
  double scale;
  double inside;
};
struct ZigguratTable {
  ZigguratLayer layer[256];
};
extern const ZigguratTable normal_table;
extern const ZigguratTable exponential_table;
double normal_outside(Stream &stream, unsigned layer, double x);
double exponential_outside(Stream &stream, unsigned layer, double x);

// The low 8 bits of a word give the layer, its high 54 bits an odd multiple of the scale.
inline double normal_proposal(uint64_t word) {
  const int64_t odd = (static_cast<int64_t>(word) >> 10) | 1;
  return static_cast<double>(odd) * normal_table.layer[word & 255].scale;
}

inline double exponential_proposal(uint64_t word) {
  const int64_t odd = static_cast<int64_t>(word >> 11) | 1;
  return static_cast<double>(odd) * exponential_table.layer[word & 255].scale;
}

// Standard normal; never 0. Uses one word of the stream in 98.8 % of all draws.
inline double normal(Stream &stream) {
  const uint64_t word = stream.bits();
  const double x = normal_proposal(word);
  if (__builtin_expect(std::fabs(x) < normal_table.layer[word & 255].inside, 1)) return x;
  Stream copy = stream;  // lets the stream of a loop stay in registers
  const double y = normal_outside(copy, word & 255, x);
  stream = copy;
  return y;
}

// Exponential with mean 1; never 0.
inline double exponential(Stream &stream) {
  const uint64_t word = stream.bits();
  const double x = exponential_proposal(word);
  if (__builtin_expect(x < exponential_table.layer[word & 255].inside, 1)) return x;
  Stream copy = stream;
  const double y = exponential_outside(copy, word & 255, x);
  stream = copy;
  return y;
}

// A whole number below count, uniform up to rounding. (The product alone may round up to count.)
inline int64_t pick_below(Stream &stream, int64_t count) {
  const int64_t picked = static_cast<int64_t>(stream.uniform() * static_cast<double>(count));
  return picked < count ? picked : count - 1;
}

// Fills an array with normals from the stream's wide generator, at the best SIMD level of the
// machine, for callers without an engine. Every level gives the same bits.
void fill_normal(Stream &stream, double *out, int64_t n);

// Gamma with the given shape > 0 and scale 1. Never 0: draws that underflow return the smallest
// double.
double gamma(Stream &stream, double shape);
// The logarithm of a gamma draw, which stays accurate for shapes so small that the draw itself
// underflows.
double log_gamma_draw(Stream &stream, double shape);

// Density proportional to s^(p-1) exp(-a s - b/s): p a multiple of 1/2, a > 0, b >= 0 (b > 0 if p
// <= 0). NaN if a or b violates this, or if the mode is outside the range of doubles.
double generalized_inverse_gaussian(Stream &stream, double p, double a, double b);

// T - alpha for T standard normal given T > alpha: always > 0, and accurate to full precision for
// any alpha from -1e300 to 1e300 (the excess itself is drawn, not a difference).
double truncated_excess(Stream &stream, double alpha);
// T - alpha for T standard normal given alpha < T < beta: always inside (0, beta - alpha).
double truncated_between(Stream &stream, double alpha, double beta);

// The mechanism of all truncated draws. A standard normal density is restricted to an interval of
// width 1/inverse_width (0 for a half-line); `depth` is how far its mode lies inside, measured from
// the near end (the end nearest to the mode): negative if the mode is outside. In terms of the
// excess e over that end the density, scaled to a maximum of 1, is
//   depth > 0: exp(-(e - depth)^2/2)        depth <= 0: exp(depth e - e^2/2).
// Each shape has an envelope of known mass: the whole normal (mass sqrt(2 pi)), the half normal
// (sqrt(pi/2)), an exponential (1/-depth) or a uniform (the width); the smallest one is used.
constexpr double inverse_normal_mass = 0.3989422804014327;  // 1/sqrt(2 pi)
constexpr double inverse_half_mass = 0.7978845608028654;    // 1/sqrt(pi/2)

inline double envelope_inverse_mass(double depth, double inverse_width) {
  const double outside = -depth > inverse_half_mass ? -depth : inverse_half_mass;
  const double open = depth > 0 ? inverse_normal_mass : outside;
  return open > inverse_width ? open : inverse_width;
}

// One proposal from that envelope: true if accepted, with the excess inside the interval. A mode
// inside lies in the near half, so at least 49 % are accepted: for the normal the mass on one side
// of 0, or within (0, 1/inverse_mass); for the others more. Comparisons with NaN accept.
inline bool propose_excess(Stream &stream, double depth, double inverse_width, double *excess) {
  double e, energy;
  if (inverse_width >= envelope_inverse_mass(depth, 0)) {
    e = stream.uniform() / inverse_width;
    energy = depth > 0 ? 0.5 * (e - depth) * (e - depth) : e * (0.5 * e - depth);
    *excess = e;
    return !(exponential(stream) < energy) && !(e * inverse_width >= 1);
  }
  if (depth > 0) {
    e = depth + normal(stream);
    *excess = e;
    return !(e <= 0) && !(e * inverse_width >= 1);
  }
  if (-depth < inverse_half_mass) {
    e = std::fabs(normal(stream));
    energy = -depth * e;
  } else {
    e = exponential(stream) / -depth;
    energy = 0.5 * e * e;
  }
  *excess = e;
  return !(exponential(stream) < energy) && !(e * inverse_width >= 1);
}

}  // namespace nnp

// The standard normal density, scaled to 1 at its mode, covered by vertical strips of equal area.
// The part beyond any bound is a run of strips, so a place picked uniformly among them is a
// proposal for a truncated normal; 99 of 100 are accepted unless the bound is far beyond the mode.
#pragma once

#include <cstdint>

#include "lib/random/stream.hpp"

namespace nnp {

// Strip k covers edge + (0, width) right of the mode, and its mirror image left of it, from 0 to
// the height area/width, which is at least the density. Edges and widths are multiples of 2^-19 and
// share a word: `edge` is its high half, `width` its low half, each the high half of a double. The
// last strip represents the tail; it is so wide that no place in it is accepted without a test. The
// first is repeated after it: a place at the very end rounds to it.
struct StripTable {
  static constexpr int strips = 512;  // on either side
  uint64_t strip[strips + 1];
};
extern const StripTable strip_table;
constexpr double strip_area = 0.0024596;             // chosen so that the tail is no larger
constexpr double tail_filled = 0.99311705490290714;  // area of the tail/strip_area

// Places are counted in strips from the mode: all of the density lies between -strips and strips.
// Beyond -depth there are this many strips, or fewer by less than one: half + depth (c0 + c1
// depth^2 + …), for |depth| <= deepest_strips.
constexpr double deepest_strips = 2;
struct StripCount {
  double half, c[4];
};
constexpr StripCount strip_count = {StripTable::strips + 0.3,
                                    {405.766, -65.0015, 8.0447, -0.48022}};

// A place is at t = edge + a fraction of the width, and a uniform height decides whether it lies
// under the density: if height < exp(-energy) * (density at the edge * width/area), where energy =
// (t^2 - edge^2)/2. If the place is picked too often, so that only the fraction `filled` of the
// picks should count, that is a further factor. All factors but the first are above 1 - 2^-10.
//
// The low bits of a word, which are not part of its 52-bit uniform, are a height in units of
// 1/heights. Whatever the remaining bits, the place is under the density if height + heights *
// energy < certain_heights = heights (1 - 2^-10) - 1.
constexpr int heights = 1 << 12;
constexpr int certain_heights = heights - heights / 1024 - 1;

// Draws from a half-line whose bound is more than deepest_strips beyond the mode, which was picked
// by the mass of the strips beyond deepest_strips as if its density had the same height at the
// bound. Returns true with the probability that corrects for this, and then the excess over the
// bound.
bool draw_deep(Stream &stream, double depth, double filled, double *excess);

// True if a place, anywhere, is under the density; t is then the draw.
bool draw_in_strip(Stream &stream, double place, uint64_t word, double filled, double *t);

// An upper bound on e^x suffices for the odds of two normals; rejection corrects the excess. For
// |x| <= most, with x log2(e) = k + f, k whole (adding to_whole leaves it in the low bits) and |f|
// <= 1/2: e^x <= 2^k (c0 + c1 f + c2 f^2 + c3 f^3) <= (1 + 2^-12.7) e^x.
struct ExponentialBound {
  double most, to_whole, log2_e, c[4];
};
constexpr ExponentialBound exponential_bound = {
    708, 0x1.8p52, 1.4426950408889634074, {1.00000296, 0.69331291, 0.24262934, 0.05517582}};
double filled_by_exponential(double x);  // e^x/bound
// Beyond this depth on both sides strips are not used: squares of depths would round too much.
constexpr double farthest_strips = 64;

}  // namespace nnp

// The standard normal density, 1 at its mode, under upright strips of equal area: what lies beyond
// any bound is a run of strips, so that a place picked evenly among them is a proposal for a
// truncated normal, accepted in 99 of 100 cases unless the bound is far beyond the mode.
#pragma once

#include <cstdint>

#include "lib/random/stream.hpp"

namespace nnp {

// Strip k covers edge + (0, width) right of the mode, and mirrored left of it, from 0 to the height
// area/width, which is not below the density. Edges and widths are multiples of 2^-19 and share a
// word: `edge` is its high half, `width` its low half, each the high half of a double. The last
// strip stands for the tail; it is so wide that no place in it is taken for certain.
struct StripTable {
  static constexpr int strips = 512;  // on either side
  uint64_t strip[strips];
};
extern const StripTable strip_table;
constexpr double strip_area = 0.0024596;             // such that the tail is no larger
constexpr double tail_filled = 0.99311705490290714;  // area of the tail/strip_area

// Places are counted in strips from the mode: all of the density lies between -strips and strips.
// Beyond -depth there are so many strips, or fewer by less than one:
// half + depth (c0 + c1 depth^2 + …), for |depth| <= deepest_strips.
constexpr double deepest_strips = 2;
struct StripCount {
  double half, c[4];
};
constexpr StripCount strip_count = {StripTable::strips + 0.3,
                                    {405.766, -65.0015, 8.0447, -0.48022}};

// A place is at t = edge + part of the width, and a uniform height says whether it lies under the
// density: if height < exp(-energy) * (density at the edge * width/area), where
// energy = (t^2 - edge^2)/2. If the place was picked too often, so that only the part `filled` of
// the picks is due, that is a further factor. All factors but the first are above 1 - 2^-10.
//
// The low bits of a word, which its 52-bit uniform leaves over, are a height in units of 1/heights:
// whatever the bits below, the place is under the density if
// height + heights * energy < certain_heights = heights (1 - 2^-10) - 1.
constexpr int heights = 1 << 12;
constexpr int certain_heights = heights - heights / 1024 - 1;

// A half-line whose bound is farther than deepest_strips beyond the mode, picked by the mass of the
// strips beyond deepest_strips as if its density had the same height at the bound: true with the
// probability that makes up for it, and an excess over the bound.
bool draw_deep(Stream &stream, double depth, double filled, double *excess);

// For any place: is it under the density? Then t is what was drawn.
bool draw_in_strip(Stream &stream, double place, uint64_t word, double filled, double *t);

// The odds of two normals need no exact exponential if what is too much is taken off again. For
// |x| <= most, with x log2(e) = k + f, k whole (to_whole, added, leaves it in the low bits) and
// |f| <= 1/2: e^x <= 2^k (c0 + c1 f + c2 f^2 + c3 f^3) <= (1 + 2^-12.7) e^x.
struct ExponentialBound {
  double most, to_whole, log2_e, c[4];
};
constexpr ExponentialBound exponential_bound = {
    708, 0x1.8p52, 1.4426950408889634074, {1.00000296, 0.69331291, 0.24262934, 0.05517582}};
double filled_by_exponential(double x);  // e^x/bound
// Beyond this depth on both sides squares of depths are left alone: they would round too much.
constexpr double farthest_strips = 64;

}  // namespace nnp

// The standard normal density, 1 at its mode, under upright strips of equal area: what lies beyond
// any bound is a run of strips, so that a place picked evenly among them is a proposal for a
// truncated normal, accepted in 99 of 100 cases at least.
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

// Places are counted in strips from the mode: all of the density lies between -strips and strips.
// Beyond -depth there are so many strips, or fewer by less than one:
// half + depth (c0 + c1 depth^2 + …), for |depth| <= deepest_strips.
constexpr double deepest_strips = 2;
struct StripCount {
  double half, c[4];
};
constexpr StripCount strip_count = {StripTable::strips + 0.3,
                                    {405.766, -65.0015, 8.0447, -0.48022}};

// A place x strips behind the edge of its strip is at t, and lies under the density if
// height < exp(-energy) * (area of the strip under its height at the edge)/area, where
// energy = (t^2 - edge^2)/2 and height is uniform. It does if height + energy < least_filled.
constexpr double least_filled = 1 - 0x1p-10;

// The low bits of a word, which its 52-bit uniform leaves over, are a height to 2^-12.
constexpr int height_bits = 12;

// A half-line whose bound is farther than deepest_strips beyond the mode, picked by the mass of the
// strips beyond deepest_strips as if its density had the same height at the bound: true with the
// probability that makes up for it, and an excess over the bound.
bool draw_deep(Stream &stream, double depth, double *excess);

// For any place: is it under the density? Then t is what was drawn.
bool draw_in_strip(Stream &stream, double place, uint64_t word, double *t);

}  // namespace nnp

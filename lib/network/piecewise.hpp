// Piecewise linear activations: their definition, and the exact draw of their input given its prior
// mean and the noisy output. One mechanism serves all of them; an activation is a table of pieces.
#pragma once

#include <cstdint>

#include "lib/network/draws.hpp"
#include "lib/random/stream.hpp"

namespace nnp {

// Values are pinned: adding a base gives the activations of the C header.
enum class Activation : int32_t {
  identity = 1,
  relu = 2,
  leaky_relu = 3,
  abs = 4,
  sign = 5,  // sign(0) = +1
  hard_tanh = 6,
  tanh = 7,  // this one and the following are smooth: see smooth.hpp
  softplus = 8,
  gelu = 9,
};

// Piece i covers [knot[i-1], knot[i]] (the ends are open): sigma(z) = slope[i] z + offset[i].
struct Pieces {
  int count;
  double knot[2];
  double slope[3];
  double offset[3];
};

// The table of an activation; `leak` is the slope of leaky relu left of 0, unused by the others.
// For a smooth activation or an unknown value the table has no pieces.
Pieces pieces_of(Activation activation, double leak);

// sigma(z); a knot belongs to the piece right of it.
inline double apply(const Pieces &pieces, double z) {
  int i = 0;
  while (i < pieces.count - 1 && z >= pieces.knot[i]) ++i;
  return pieces.slope[i] * z + pieces.offset[i];
}

// Exact draws of z from the density proportional to
//   exp(-(z - m)^2/(2 dz) - (sigma(z) - x)^2/(2 dx)),
// for dz, dx from 1e-12 to 1e12. A draw lies strictly inside the piece it was drawn for. In the
// batch version m, x and z are arrays of n; z may be the same array as m or x.
void draw_piecewise(const Pieces &pieces, const double *m, double dz, const double *x, double dx,
                    int64_t n, Stream &stream, double *z, const DrawKernels &draws);
double draw_piecewise(const Pieces &pieces, double m, double dz, double x, double dx,
                      Stream &stream);

}  // namespace nnp

// Piecewise linear functions sigma: their definition, and the exact draw of their input given its
// prior mean and the noisy output. One mechanism serves all of them; an activation (activations.hpp)
// is a table of pieces.
#pragma once

#include <cstdint>

#include "lib/network/draws.hpp"
#include "lib/random/stream.hpp"

namespace nnp {

// Piece i covers [knot[i-1], knot[i]] (the ends are open): sigma(z) = slope[i] z + offset[i].
struct Pieces {
  int count;
  double knot[2];
  double slope[3];
  double offset[3];
};

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

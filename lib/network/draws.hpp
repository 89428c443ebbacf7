// The elementwise draws of the hot loops in SIMD batches: one table per SIMD level, chosen like the
// kernels. All levels give the same bits.
#pragma once

#include <cstdint>

#include "lib/base/simd.hpp"
#include "lib/base/tile.hpp"
#include "lib/random/stream.hpp"

namespace nnp {

// Within a piece the density is normal with mean mu and variance v = dz dx/(dx + slope^2 dz).
// (mu - knot)/sqrt(v) = per_m (m - knot) + per_x (x - value), value = sigma(knot) on this piece.
struct Law {
  double slope;
  double sd;
  double per_m, per_x;
};

// By how much the exponent is lower left of a knot than right of it, where sigma jumps from value
// `left` to `right`: ((right - x)^2 - (left - x)^2)/(2 dx), as slope * (middle - x).
struct Jump {
  double slope, middle;
};

// A half-line on each side of one knot.
struct TwoPieces {
  double knot, value_left, value_right;
  Law left, right;
  Jump jump;
  // right depth -+ left depth = per_m (m - knot) + per_x (x - value), values of both sides merged
  double difference_m, difference_x, difference_0;
  double sum_m, sum_x, sum_0;
  double sd_ratio;  // right over left
};

// A half-line, an interval, a half-line (hard tanh). Its flat ends cannot both contain their mode,
// so a single chain of differences from knot to knot loses no precision.
struct ThreePieces {
  double knot[2], value[4];  // sigma left and right of the first knot, then of the second
  Law law[3];
  Jump jump[2];
  double climb_m, climb_x;    // log density gained across the middle, per (m, x) - middle
  double middle_m, middle_x;  // centre of the middle piece, and of its values
  double width;               // of the middle piece, in its sd
};

// A single piece: a plain normal.
struct OnePiece {
  double weight_m, weight_x, offset, sd;
};

// What two pieces mean for an element: depths, and odds of right over left (sd * greatest density).
struct PieceOdds {
  double left, right, odds;
};
// Picks a piece by the masses of the envelopes, each of which is 1 where its piece has its greatest
// density, and proposes a point in it; true if accepted. Each of the two needs one word: within the
// share of its piece the first uniform is uniform again, and decides on acceptance. The envelopes
// are those of propose_excess, except for modes less than sqrt(pi/2) inside the piece: there they
// are flat from the end to the mode and half a normal beyond, and accept 89 to 100 %.
bool propose_in_pieces(const TwoPieces &two, const PieceOdds &seen, uint64_t pick, uint64_t word,
                       Stream &stream, double *z);
// Picks one of three pieces and proposes a point in it; true if accepted. The middle piece is
// proposed from the end nearer to its mode as if it were a half-line, or uniformly if its width is
// smaller than the mass of that envelope.
bool propose_in_pieces(const ThreePieces &three, double m, double x, uint64_t pick, uint64_t word,
                       Stream &stream, double *z);
// z = knot + distance, guaranteed to lie on the side given by the sign of distance.
double beside(double knot, double distance);

// x = keep x + pull mean + sd z + w (gain (above - bias - <w, mean>) - sd q <w, z>) for every row,
// z standard normal.
struct OneOutput {
  const double *w;
  double bias, gain, q, sd, keep, pull;
};

// A piece in an over-relaxed draw: z becomes keep z + per_m m + per_x x + shift + sd noise if that
// lies in the piece, [low, high). Pieces are in order; entries after the last are copies of it.
struct RelaxedPieces {
  int count;
  double keep;
  double low[3], high[3];
  double per_m[3], per_x[3], shift[3], sd[3];
};

// Rows that are still waiting for scores that agree with their labels.
struct ScoreRows {
  int64_t count;
  int64_t row[Tiling::max_rows], label[Tiling::max_rows];
};

struct DrawKernels {
  const char *name;  // "avx512", "avx2", "neon", "portable"

  void (*normals)(Stream &stream, double *out, int64_t n);
  // x = pull x + sd normals
  void (*shake)(Stream &stream, double pull, double sd, double *x, int64_t n);
  // x = pull x + sd normals, for the rows of a tile.
  void (*shake_tile)(Stream &stream, double pull, double sd, Tile x);
  // Draws the input of a dense layer with one output (see OneOutput); `noise` is scratch for rows x
  // width values.
  void (*one_output)(const OneOutput &one, ConstTile mean, const double *above, Stream &stream,
                     double *noise, Tile site);
  // Draws from the conditional of a piecewise linear activation's input (see draw_piecewise).
  void (*one_piece)(const OnePiece &one, const double *m, const double *x, int64_t n,
                    Stream &stream, double *z);
  void (*two_pieces)(const TwoPieces &two, const double *m, const double *x, int64_t n,
                     Stream &stream, double *z);
  void (*three_pieces)(const ThreePieces &three, const double *m, const double *x, int64_t n,
                       Stream &stream, double *z);
  void (*relax_pieces)(const RelaxedPieces &pieces, const double *m, const double *x, int64_t n,
                       Stream &stream, double *z);
  // T - alpha for T standard normal given T > alpha, for n alphas; depth = -alpha.
  void (*excesses)(const double *depth, int64_t n, Stream &stream, double *excess);
  // Draws all scores, N(mean, sd^2), of the waiting rows once. Rows in which the label wins take
  // the draw; the others keep waiting. `attempt` is scratch for ld x width values.
  void (*try_scores)(ConstTile mean, double sd, Stream &stream, ScoreRows &waiting, double *attempt,
                     Tile site);
};

// The table of a level; nullptr if this machine or build does not have it (see simd_runs).
const DrawKernels *draws_of(Simd level);

extern const DrawKernels draw_kernels_portable;
extern const DrawKernels draw_kernels_avx2;    // only with NNP_HAVE_AVX2
extern const DrawKernels draw_kernels_avx512;  // only with NNP_HAVE_AVX512
extern const DrawKernels draw_kernels_neon;    // only with NNP_HAVE_NEON

}  // namespace nnp

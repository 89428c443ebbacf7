// The conditional of a piecewise linear activation's input: a mixture of truncated normals, drawn
// by picking a piece with the mass of its envelope, proposing inside it, and starting again on
// rejection. No piece's true mass is needed, so nothing overflows and no tail is lost. This file
// sets up the SIMD batches (see draws.hpp) and finishes rare lanes.
#include "lib/network/piecewise.hpp"

#include <cmath>
#include <limits>

#include "lib/base/functions.hpp"
#include "lib/random/variates.hpp"
#include "lib/random/wide.hpp"

namespace nnp {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Law law_of(double slope, double dz, double dx) {
  const double total = dx + slope * slope * dz;
  const double weight_m = dx / total;  // of m in mu; x - offset has the weight slope dz/total
  const double sd = std::sqrt(dz * weight_m);
  return {slope, sd, weight_m / sd, slope * dz / total / sd};
}

double at(const Jump &jump, double x) {
  return jump.slope * (jump.middle - x);
}

// log of (density just right of the knot / density just left of it)
Jump jump_of(double left, double right, double dx) {
  return {(left - right) / dx, 0.5 * (left + right)};
}

double square(double a) {
  return a * a;
}
double positive(double a) {
  return a > 0 ? a : 0;
}

TwoPieces two_pieces(const Pieces &pieces, double dz, double dx) {
  TwoPieces two{};
  const double a = pieces.slope[0], b = pieces.slope[1];
  two.knot = pieces.knot[0];
  two.value_left = a * two.knot + pieces.offset[0];
  two.value_right = b * two.knot + pieces.offset[1];
  two.left = law_of(a, dz, dx);
  two.right = law_of(b, dz, dx);
  two.jump = jump_of(two.value_left, two.value_right, dx);
  const Law &left = two.left, &right = two.right;
  two.difference_m = right.per_m + left.per_m;
  two.difference_x = right.per_x + left.per_x;
  two.difference_0 = -right.per_x * two.value_right - left.per_x * two.value_left;
  two.sum_m = right.per_m - left.per_m;
  two.sum_x = right.per_x - left.per_x;
  two.sum_0 = -right.per_x * two.value_right + left.per_x * two.value_left;
  two.sd_ratio = two.right.sd / two.left.sd;
  return two;
}

ThreePieces three_pieces(const Pieces &pieces, double dz, double dx) {
  ThreePieces three{};
  const double width = pieces.knot[1] - pieces.knot[0];
  for (int j = 0; j < 2; ++j) {
    three.knot[j] = pieces.knot[j];
    three.value[2 * j] = pieces.slope[j] * pieces.knot[j] + pieces.offset[j];
    three.value[2 * j + 1] = pieces.slope[j + 1] * pieces.knot[j] + pieces.offset[j + 1];
    three.jump[j] = jump_of(three.value[2 * j], three.value[2 * j + 1], dx);
  }
  for (int j = 0; j < 3; ++j) three.law[j] = law_of(pieces.slope[j], dz, dx);
  three.climb_m = width / dz;
  three.climb_x = pieces.slope[1] * width / dx;
  three.middle_m = 0.5 * (pieces.knot[0] + pieces.knot[1]);
  three.middle_x = 0.5 * (three.value[1] + three.value[2]);
  three.width = width / three.law[1].sd;
  return three;
}

OnePiece one_piece(const Pieces &pieces, double dz, double dx) {
  const Law law = law_of(pieces.slope[0], dz, dx);
  return {law.per_m * law.sd, law.per_x * law.sd, pieces.offset[0], law.sd};
}

}  // namespace

double beside(double knot, double distance) {
  const double z = knot + distance;
  if (z != knot) return z;
  return std::nextafter(knot, std::copysign(infinity, distance));
}

namespace {

constexpr double half_mass = 1.2533141373155001;  // sqrt(pi/2)

// |h| of wide.hpp, doubled.
double uniform_of(uint64_t word) {
  const double units = static_cast<double>(static_cast<int64_t>((word >> 12) | 1));
  return std::fabs(units * 0x1p-51 - 1);
}

// Proposal for a mode at `depth`, up to half_mass: flat before it, half a normal beyond.
bool propose_near(Stream &stream, double depth, uint64_t word, double uniform, double *excess) {
  const double reached = uniform * (depth + half_mass);
  if (!(reached < depth)) {
    *excess = depth + std::fabs(wide_normal(stream, word));
    return true;
  }
  *excess = depth * uniform_of(word);
  return reached < depth * fn::exp(-0.5 * square(*excess - depth));
}

bool propose_from_word(Stream &stream, double depth, uint64_t word, double uniform,
                       double *excess) {
  if (depth > 0 && depth <= half_mass) return propose_near(stream, depth, word, uniform, excess);
  if (depth > 0) {
    *excess = depth + wide_normal(stream, word);
    return !(*excess <= 0);
  }
  const bool deep = !(-depth < inverse_half_mass);
  const double e =
      deep ? wide_exponential(stream, word) / -depth : std::fabs(wide_normal(stream, word));
  *excess = e;
  return !(fn::exp(deep ? -0.5 * e * e : depth * e) <= uniform);
}

// A uniform on (0, 1) from the high 52 bits.
double uniform_to_pick(uint64_t word) {
  return (static_cast<double>(static_cast<int64_t>(word >> 12)) + 0.5) * 0x1p-52;
}

double envelope_mass(double depth) {
  if (depth > 0) return std::fmin(depth, half_mass) + half_mass;
  return 1 / std::fmax(-depth, inverse_half_mass);
}

}  // namespace

bool propose_in_pieces(const TwoPieces &two, const PieceOdds &seen, uint64_t pick, uint64_t word,
                       Stream &stream, double *z) {
  const double u = uniform_to_pick(pick);
  const double left = envelope_mass(seen.left), right = seen.odds * envelope_mass(seen.right);
  const double place = u * (left + right);
  const bool is_right = place <= right;
  const double uniform = is_right ? place / right : (place - right) / left;
  double excess;
  if (!propose_from_word(stream, is_right ? seen.right : seen.left, word, uniform, &excess))
    return false;
  *z = beside(two.knot, is_right ? two.right.sd * excess : -two.left.sd * excess);
  return true;
}

namespace {

// What the pieces mean for one element.
struct ThreeDepths {
  double depth[3];     // of each mode inside its piece, from the end nearest to it
  double top[3];       // log of each piece's greatest density, on a common scale
  bool nearer_second;  // which knot the middle piece is measured from
};

double rise_from_knot(const ThreePieces &three, int piece, int knot, double m, double x) {
  const double value = three.value[knot + piece];
  return three.law[piece].per_m * (m - three.knot[knot]) + three.law[piece].per_x * (x - value);
}

ThreeDepths depths_at(const ThreePieces &three, double m, double x) {
  ThreeDepths d;
  // width ((m - centre)/dz + slope (x - centre)/dx): from the first knot to the second
  const double climb = three.climb_m * (m - three.middle_m) + three.climb_x * (x - three.middle_x);
  d.nearer_second = climb > 0;
  d.depth[0] = -rise_from_knot(three, 0, 0, m, x);
  const double from_first = rise_from_knot(three, 1, 0, m, x);
  const double from_second = -rise_from_knot(three, 1, 1, m, x);
  d.depth[1] = d.nearer_second ? from_second : from_first;
  d.depth[2] = rise_from_knot(three, 2, 1, m, x);
  const double after_first = at(three.jump[0], x);
  const double before_second = after_first + climb;
  d.top[0] = 0.5 * square(positive(d.depth[0]));
  d.top[1] = (d.nearer_second ? before_second : after_first) + 0.5 * square(positive(d.depth[1]));
  d.top[2] = before_second + at(three.jump[1], x) + 0.5 * square(positive(d.depth[2]));
  return d;
}

// Proposes a point uniformly over the middle piece.
bool propose_evenly(double depth, double width, uint64_t word, double uniform, double *excess) {
  const double e = *excess = width * uniform_of(word);
  const double energy = depth > 0 ? 0.5 * square(e - depth) : e * (0.5 * e - depth);
  return !(fn::exp(-energy) <= uniform);
}

double place(const ThreePieces &three, const ThreeDepths &d, int piece, double excess) {
  const double distance = three.law[piece].sd * excess;
  const bool from_second = piece == 2 || (piece == 1 && d.nearer_second);
  const bool leftwards = piece == 0 || (piece == 1 && d.nearer_second);
  const double z = beside(three.knot[from_second], leftwards ? -distance : distance);
  if (piece != 1) return z;
  // rounding may still move a draw of the middle piece onto its far knot
  if (z >= three.knot[1]) return std::nextafter(three.knot[1], three.knot[0]);
  return z <= three.knot[0] ? std::nextafter(three.knot[0], three.knot[1]) : z;
}

}  // namespace

bool propose_in_pieces(const ThreePieces &three, double m, double x, uint64_t pick, uint64_t word,
                       Stream &stream, double *z) {
  const ThreeDepths d = depths_at(three, m, x);
  const double highest = std::fmax(d.top[0], std::fmax(d.top[1], d.top[2]));
  double share[3], excess;
  for (int j = 0; j < 3; ++j)
    share[j] = three.law[j].sd * fn::exp(d.top[j] - highest) * envelope_mass(d.depth[j]);
  const bool evenly = envelope_mass(d.depth[1]) >= three.width;
  if (evenly) share[1] = three.law[1].sd * fn::exp(d.top[1] - highest) * three.width;
  double into = uniform_to_pick(pick) * (share[0] + share[1] + share[2]);
  int j = 0;
  for (; j < 2 && !(into <= share[j]); ++j) into -= share[j];
  const double uniform = into / share[j];
  const bool accepted = j == 1 && evenly
                            ? propose_evenly(d.depth[j], three.width, word, uniform, &excess)
                            : propose_from_word(stream, d.depth[j], word, uniform, &excess);
  if (!accepted || (j == 1 && excess >= three.width)) return false;
  *z = place(three, d, j, excess);
  return true;
}

void draw_piecewise(const Pieces &pieces, const double *m, double dz, const double *x, double dx,
                    int64_t n, Stream &stream, double *z, const DrawKernels &draws) {
  if (pieces.count == 1) draws.one_piece(one_piece(pieces, dz, dx), m, x, n, stream, z);
  if (pieces.count == 2) draws.two_pieces(two_pieces(pieces, dz, dx), m, x, n, stream, z);
  if (pieces.count == 3) draws.three_pieces(three_pieces(pieces, dz, dx), m, x, n, stream, z);
}

double draw_piecewise(const Pieces &pieces, double m, double dz, double x, double dx,
                      Stream &stream) {
  double z = 0;  // replaced: there are one to three pieces
  draw_piecewise(pieces, &m, dz, &x, dx, 1, stream, &z, *draws_of(Simd::portable));
  return z;
}

}  // namespace nnp

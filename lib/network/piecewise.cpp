// The conditional of a piecewise linear activation's input: a mixture of truncated normals, drawn
// by picking a piece with the mass of its envelope, proposing inside it, and starting again on
// rejection. No piece's true mass is ever needed, so nothing overflows and no tail is lost.
#include "lib/network/piecewise.hpp"

#include <cmath>
#include <limits>

#include "lib/random/variates.hpp"

namespace nnp {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Within a piece the density is normal with mean mu and variance v = dz dx/(dx + slope^2 dz).
// (mu - knot)/sqrt(v) = per_m (m - knot) + per_x (x - value), value = sigma(knot) on this piece.
struct Law {
  double slope;
  double sd;
  double per_m, per_x;
};

Law law_of(double slope, double dz, double dx) {
  const double total = dx + slope * slope * dz;
  const double weight_m = dx / total;  // of m in mu; x - offset has the weight slope dz/total
  const double sd = std::sqrt(dz * weight_m);
  return {slope, sd, weight_m / sd, slope * dz / total / sd};
}

// How much less the exponent is left of a knot than right of it, where sigma jumps from value
// `left` to `right`: ((right - x)^2 - (left - x)^2)/(2 dx), as slope * (middle - x).
struct Jump {
  double slope, middle;
  double at(double x) const { return slope * (middle - x); }
};

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

// z = knot + distance, strictly on the side of the sign of distance.
double beside(double knot, double distance) {
  const double z = knot + distance;
  if (z != knot) return z;
  return std::nextafter(knot, std::copysign(infinity, distance));
}

// A half-line on each side of one knot.
struct TwoPieces {
  double knot, value_left, value_right;
  Law left, right;
  Jump jump;
  // right depth -+ left depth = per_m (m - knot) + per_x (x - value), values of both sides merged
  double difference_m, difference_x, difference_0;
  double sum_m, sum_x, sum_0;
  double sd_ratio;  // right over left
  double certain;   // beyond this log odds no uniform of 52 bits picks the other piece
};

constexpr double deepest_certain = -1e6;  // `certain` holds for depths above this

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
  // 36.8 > |logit u|, 14.8 > |log of the ratio of envelope masses| for depths above -1e6
  two.certain = 36.8 + 14.8 + std::fabs(std::log(two.sd_ratio));
  return two;
}

// How the pieces see one element.
struct Depths {
  double left, right;  // of each mode inside its piece, in sd
  double log_odds;     // of right over left where each density is 1 at its maximum in the piece
};

// From the knot to a mode inside its piece the exponent falls by depth^2/2. Where both modes are
// inside, the difference of squares is taken as a product: for abs it is 2 m x/(dx + dz), which may
// be of order 1 where the squares are of order 1e16.
inline Depths depths_at(const TwoPieces &two, double m, double x) {
  const double dm = m - two.knot;
  const double left = -two.left.per_m * dm - two.left.per_x * (x - two.value_left);
  const double right = two.right.per_m * dm + two.right.per_x * (x - two.value_right);
  const double difference = two.difference_m * dm + two.difference_x * x + two.difference_0;
  const double sum = two.sum_m * dm + two.sum_x * x + two.sum_0;
  const double squares = square(positive(right)) - square(positive(left));
  const bool both_inside = left > 0 && right > 0;
  const double fall = both_inside ? difference * sum : squares;
  return {left, right, two.jump.at(x) + 0.5 * fall};
}

// Picks a piece by envelope mass and proposes in it until accepted.
double draw_undecided(const TwoPieces &two, const Depths &depths, Stream &stream) {
  // u/(1 - u) < odds exp(log_odds), odds = ratio of (sd times envelope mass) of right over left
  const double weight_right =
      envelope_inverse_mass(depths.left, 0) * two.sd_ratio * std::exp(depths.log_odds);
  const double weight_left = envelope_inverse_mass(depths.right, 0);
  for (;;) {
    const double u = stream.uniform();
    const bool right = u * weight_left < (1 - u) * weight_right;
    double excess;
    if (propose_excess(stream, right ? depths.right : depths.left, 0, &excess))
      return beside(two.knot, right ? two.right.sd * excess : -two.left.sd * excess);
  }
}

inline double draw_one(const TwoPieces &two, double m, double x, Stream &stream) {
  const Depths depths = depths_at(two, m, x);
  const bool certain = std::fabs(depths.log_odds) > two.certain && depths.left > deepest_certain &&
                       depths.right > deepest_certain;
  if (!certain) return draw_undecided(two, depths, stream);
  const bool right = depths.log_odds > 0;
  const double depth = right ? depths.right : depths.left;
  double excess = depth + normal(stream);
  if (!(excess > 0)) excess = truncated_excess(stream, -depth);
  return beside(two.knot, right ? two.right.sd * excess : -two.left.sd * excess);
}

// A half-line, an interval, a half-line (hard tanh; its flat ends cannot both hold their own mode,
// so one chain of differences from knot to knot loses nothing).
struct ThreePieces {
  double knot[2], value[4];  // sigma left and right of the first knot, then of the second
  Law law[3];
  Jump jump[2];
  double climb_m, climb_x;    // log density gained across the middle, per m - and x - middle
  double middle_m, middle_x;  // centre of the middle piece, and of its values
  double inverse_width;       // of the middle piece, in its sd
};

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
  three.inverse_width = three.law[1].sd / width;
  return three;
}

double depth_right_of(const ThreePieces &three, int piece, int knot, double m, double x) {
  const double value = three.value[knot + piece];
  return three.law[piece].per_m * (m - three.knot[knot]) + three.law[piece].per_x * (x - value);
}

double draw_one(const ThreePieces &three, double m, double x, Stream &stream) {
  // (1/dz)(m - centre) + (slope/dx)(x - centre), times the width: from the first knot to the second
  const double climb = three.climb_m * (m - three.middle_m) + three.climb_x * (x - three.middle_x);
  const bool nearer_second = climb > 0;  // where the mode of the middle piece lies
  const double jump_first = three.jump[0].at(x), jump_second = three.jump[1].at(x);
  const double depth[3] = {
      -depth_right_of(three, 0, 0, m, x),
      nearer_second ? -depth_right_of(three, 1, 1, m, x) : depth_right_of(three, 1, 0, m, x),
      depth_right_of(three, 2, 1, m, x)};
  // log of each piece's greatest density, from just left of the first knot
  double top[3];
  top[0] = 0.5 * square(positive(depth[0]));
  top[1] = jump_first + (nearer_second ? climb : 0) + 0.5 * square(positive(depth[1]));
  top[2] = jump_first + climb + jump_second + 0.5 * square(positive(depth[2]));
  const double highest = std::fmax(top[0], std::fmax(top[1], top[2]));
  const double inverse_width[3] = {0, three.inverse_width, 0};
  double mass[3];
  for (int j = 0; j < 3; ++j)
    mass[j] = three.law[j].sd * std::exp(top[j] - highest) /
              envelope_inverse_mass(depth[j], inverse_width[j]);
  for (;;) {
    const double u = stream.uniform() * (mass[0] + mass[1] + mass[2]);
    const int j = u < mass[0] ? 0 : u < mass[0] + mass[1] ? 1 : 2;
    double excess;
    if (!propose_excess(stream, depth[j], inverse_width[j], &excess)) continue;
    const double distance = three.law[j].sd * excess;
    const bool from_second = j == 2 || (j == 1 && nearer_second);
    const bool leftwards = j == 0 || (j == 1 && nearer_second);
    const double z = beside(three.knot[from_second], leftwards ? -distance : distance);
    // rounding may still carry a draw of the middle piece onto its far knot
    if (j != 1 || (z > three.knot[0] && z < three.knot[1])) return z;
    return three.middle_m;
  }
}

// A single piece: plainly normal.
struct OnePiece {
  double weight_m, weight_x, offset, sd;
};

OnePiece one_piece(const Pieces &pieces, double dz, double dx) {
  const Law law = law_of(pieces.slope[0], dz, dx);
  return {law.per_m * law.sd, law.per_x * law.sd, pieces.offset[0], law.sd};
}

double draw_one(const OnePiece &one, double m, double x, Stream &stream) {
  return one.weight_m * m + one.weight_x * (x - one.offset) + one.sd * normal(stream);
}

template <class Plan>
void draw_all(const Plan &plan, const double *m, const double *x, int64_t n, Stream &stream,
              double *z) {
  Stream local = stream;  // lives in registers
  for (int64_t i = 0; i < n; ++i) z[i] = draw_one(plan, m[i], x[i], local);
  stream = local;
}

}  // namespace

Pieces pieces_of(Activation activation, double leak) {
  switch (activation) {
    case Activation::identity:
      return {1, {0, 0}, {1, 0, 0}, {0, 0, 0}};
    case Activation::relu:
      return {2, {0, 0}, {0, 1, 0}, {0, 0, 0}};
    case Activation::leaky_relu:
      return {2, {0, 0}, {leak, 1, 0}, {0, 0, 0}};
    case Activation::abs:
      return {2, {0, 0}, {-1, 1, 0}, {0, 0, 0}};
    case Activation::sign:
      return {2, {0, 0}, {0, 0, 0}, {-1, 1, 0}};
    case Activation::hard_tanh:
      return {3, {-1, 1}, {0, 1, 0}, {-1, 0, 1}};
  }
  return {};
}

void draw_piecewise(const Pieces &pieces, const double *m, double dz, const double *x, double dx,
                    int64_t n, Stream &stream, double *z) {
  if (pieces.count == 1) draw_all(one_piece(pieces, dz, dx), m, x, n, stream, z);
  if (pieces.count == 2) draw_all(two_pieces(pieces, dz, dx), m, x, n, stream, z);
  if (pieces.count == 3) draw_all(three_pieces(pieces, dz, dx), m, x, n, stream, z);
}

double draw_piecewise(const Pieces &pieces, double m, double dz, double x, double dx,
                      Stream &stream) {
  double z;
  draw_piecewise(pieces, &m, dz, &x, dx, 1, stream, &z);
  return z;
}

}  // namespace nnp

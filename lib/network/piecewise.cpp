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
  const double shallow = left < right ? left : right;
  const double fall = shallow > 0 ? difference * sum : squares;
  return {left, right, two.jump.at(x) + 0.5 * fall};
}

// Elements go through in chunks, a pass for each kind of work. The passes over all of them have no
// branches to guess; the few that need more than one proposal are listed for the last pass.
constexpr int chunk_size = 64;

struct Chunk {
  double left[chunk_size], right[chunk_size], log_odds[chunk_size];  // Depths
  double depth[chunk_size];                                          // in the piece chosen
  double step[chunk_size];  // its sd, negative to the left of the knot
  double odds[chunk_size];  // of envelope masses, right over left, where uncertain
  double draw[chunk_size];
  bool certain[chunk_size];
  int listed[chunk_size];
};

// The piece on the side of the log odds, for all; right where that is certain.
inline void choose(TwoPieces two, const double *m, const double *x, int count,
                   Chunk *__restrict chunk) {
  const double sd_left = -two.left.sd, sd_right = two.right.sd;
  for (int i = 0; i < count; ++i) {
    const Depths d = depths_at(two, m[i], x[i]);
    chunk->left[i] = d.left;
    chunk->right[i] = d.right;
    chunk->log_odds[i] = d.log_odds;
    chunk->depth[i] = d.log_odds > 0 ? d.right : d.left;
    chunk->step[i] = d.log_odds > 0 ? sd_right : sd_left;
  }
}

int list_uncertain(const TwoPieces &two, int count, Chunk *chunk) {
  int listed = 0;
  for (int i = 0; i < count; ++i) {
    const bool certain = (std::fabs(chunk->log_odds[i]) > two.certain) &
                         (chunk->left[i] > deepest_certain) & (chunk->right[i] > deepest_certain);
    chunk->certain[i] = certain;
    chunk->listed[listed] = i;
    listed += !certain;
  }
  return listed;
}

// Odds of right over left by the masses of their envelopes: sd * envelope mass * greatest density.
inline double envelope_odds(const TwoPieces &two, const Depths &d) {
  return envelope_inverse_mass(d.left, 0) / envelope_inverse_mass(d.right, 0) * two.sd_ratio *
         std::exp(d.log_odds);
}

// Right if u/(1 - u) < odds.
inline void pick(const TwoPieces &two, int i, Stream &stream, Chunk *chunk) {
  const double u = stream.uniform();
  const bool is_right = u < (1 - u) * chunk->odds[i];
  chunk->depth[i] = is_right ? chunk->right[i] : chunk->left[i];
  chunk->step[i] = is_right ? two.right.sd : -two.left.sd;
}

// A whole normal is the envelope of a mode inside the piece; lists those it does not serve.
inline int try_normals(double knot, int count, Chunk *chunk, double *z) {
  int listed = 0;
  for (int i = 0; i < count; ++i) {
    const double excess = chunk->depth[i] + chunk->draw[i];
    z[i] = knot + chunk->step[i] * excess;
    chunk->listed[listed] = i;
    listed += !((chunk->depth[i] > 0) & (excess > 0) & (z[i] != knot));
  }
  return listed;
}

// An uncertain element picks its piece anew whenever a proposal fails.
double finish(const TwoPieces &two, int i, Stream &stream, Chunk *chunk) {
  if (chunk->certain[i])
    return beside(two.knot, chunk->step[i] * truncated_excess(stream, -chunk->depth[i]));
  double excess;
  if (chunk->depth[i] > 0) pick(two, i, stream, chunk);  // else not yet proposed
  while (!propose_excess(stream, chunk->depth[i], 0, &excess)) pick(two, i, stream, chunk);
  return beside(two.knot, chunk->step[i] * excess);
}

void draw_chunk(const TwoPieces &two, const double *m, const double *x, int count, Stream &stream,
                double *z) {
  Chunk chunk;
  if (count == chunk_size)
    choose(two, m, x, chunk_size, &chunk);  // a count known to the compiler
  else
    choose(two, m, x, count, &chunk);
  const int uncertain = list_uncertain(two, count, &chunk);
  for (int k = 0; k < uncertain; ++k) {
    const int i = chunk.listed[k];
    chunk.odds[i] = envelope_odds(two, {chunk.left[i], chunk.right[i], chunk.log_odds[i]});
    pick(two, i, stream, &chunk);
  }
  fill_normal(stream, chunk.draw, count);
  const int unfinished = try_normals(two.knot, count, &chunk, z);
  for (int k = 0; k < unfinished; ++k) {
    const int i = chunk.listed[k];
    z[i] = finish(two, i, stream, &chunk);
  }
}

void draw_all(const TwoPieces &two, const double *m, const double *x, int64_t n, Stream &stream,
              double *z) {
  for (int64_t i = 0; i < n; i += chunk_size) {
    const int count = static_cast<int>(n - i < chunk_size ? n - i : chunk_size);
    draw_chunk(two, m + i, x + i, count, stream, z + i);
  }
}

// A half-line, an interval, a half-line (hard tanh; its flat ends cannot both hold their own mode,
// so one chain of differences from knot to knot loses nothing).
struct ThreePieces {
  double knot[2], value[4];  // sigma left and right of the first knot, then of the second
  Law law[3];
  Jump jump[2];
  double climb_m, climb_x;    // log density gained across the middle, per m - and x - middle
  double middle_m, middle_x;  // centre of the middle piece, and of its values
  double inverse_width[3];    // of each piece, in its sd
  double certain;             // as for two pieces
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
  three.inverse_width[1] = three.law[1].sd / width;
  three.certain = 36.8 + 14.8 + std::fabs(std::log(three.inverse_width[1]));
  for (int j = 0; j < 3; j += 2)
    three.certain += std::fabs(std::log(three.law[j].sd / three.law[1].sd));
  return three;
}

// How the pieces see one element.
struct ThreeDepths {
  double depth[3];     // of each mode inside its piece, from the end nearest to it
  double top[3];       // log of each piece's greatest density, all from one zero
  bool nearer_second;  // the knot the middle piece is seen from
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
  const double after_first = three.jump[0].at(x);
  const double before_second = after_first + climb;
  d.top[0] = 0.5 * square(positive(d.depth[0]));
  d.top[1] = (d.nearer_second ? before_second : after_first) + 0.5 * square(positive(d.depth[1]));
  d.top[2] = before_second + three.jump[1].at(x) + 0.5 * square(positive(d.depth[2]));
  return d;
}

// The piece that is certain, or -1.
int certain_piece(const ThreePieces &three, const ThreeDepths &d) {
  const int best_end = d.top[2] > d.top[0] ? 2 : 0;
  const int best = d.top[1] > d.top[best_end] ? 1 : best_end;
  bool certain = true;
  for (int j = 0; j < 3; ++j)
    certain &=
        (j == best) | ((d.top[best] - d.top[j] > three.certain) & (d.depth[j] > deepest_certain));
  return certain && d.depth[best] > deepest_certain ? best : -1;
}

double place(const ThreePieces &three, const ThreeDepths &d, int piece, double excess) {
  const double distance = three.law[piece].sd * excess;
  const bool from_second = piece == 2 || (piece == 1 && d.nearer_second);
  const bool leftwards = piece == 0 || (piece == 1 && d.nearer_second);
  const double z = beside(three.knot[from_second], leftwards ? -distance : distance);
  if (piece != 1) return z;
  // rounding may still carry a draw of the middle piece onto its far knot
  if (z >= three.knot[1]) return std::nextafter(three.knot[1], three.knot[0]);
  return z <= three.knot[0] ? std::nextafter(three.knot[0], three.knot[1]) : z;
}

// Picks a piece by the mass of its envelope and proposes in it, until accepted.
double draw_uncertain(const ThreePieces &three, const ThreeDepths &d, Stream &stream) {
  const double highest = std::fmax(d.top[0], std::fmax(d.top[1], d.top[2]));
  double mass[3];
  for (int j = 0; j < 3; ++j)
    mass[j] = three.law[j].sd * std::exp(d.top[j] - highest) /
              envelope_inverse_mass(d.depth[j], three.inverse_width[j]);
  for (;;) {
    const double u = stream.uniform() * (mass[0] + mass[1] + mass[2]);
    const int j = u < mass[0] ? 0 : u < mass[0] + mass[1] ? 1 : 2;
    double excess;
    if (propose_excess(stream, d.depth[j], three.inverse_width[j], &excess))
      return place(three, d, j, excess);
  }
}

double draw_one(const ThreePieces &three, double m, double x, Stream &stream) {
  const ThreeDepths d = depths_at(three, m, x);
  const int j = certain_piece(three, d);
  if (j < 0) return draw_uncertain(three, d, stream);
  double excess;
  while (!propose_excess(stream, d.depth[j], three.inverse_width[j], &excess)) {
  }
  return place(three, d, j, excess);
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
    case Activation::tanh:
    case Activation::softplus:
    case Activation::gelu:
      return {};
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

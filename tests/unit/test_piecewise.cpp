// Every activation's conditional against numerical integration of its density, taken in 113-bit
// arithmetic straight from the definition, over noises from 1e-12 to 1e12.
#include "lib/network/activations.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "lib/random/special.hpp"
#include "tests/support/stats.hpp"
#include "tests/support/tables.hpp"
#include "tests/support/watched.h"

extern "C" {
#include "unity.h"
}

void setUp() {}
void tearDown() {}

namespace {

using nnp::Activation;
using nnp::Pieces;
using nnp::Stream;

#if defined(__aarch64__)
typedef long double Quad;  // of 113 bits there
#else
__extension__ typedef __float128 Quad;
#endif
constexpr double infinity = std::numeric_limits<double>::infinity();

const Activation activations[] = {Activation::identity, Activation::relu, Activation::leaky_relu,
                                  Activation::abs,      Activation::sign, Activation::hard_tanh};
const double noises[] = {1e-12, 1e-6, 1e-3, 1, 1e6, 1e12};

struct Cell {
  Pieces pieces;
  double m, dz, x, dx;
};

// The exponent of the density at z, with sigma continued from the given piece.
Quad exponent(const Cell &cell, int piece, Quad z) {
  const Quad off_m = z - cell.m;
  const Quad off_x = Quad(cell.pieces.slope[piece]) * z + cell.pieces.offset[piece] - cell.x;
  return off_m * off_m / (2 * Quad(cell.dz)) + off_x * off_x / (2 * Quad(cell.dx));
}

// A stretch of a piece short enough for ten nodes.
struct Panel {
  int piece;
  Quad start;
  double width;
  double exponent, gradient, curvature;  // at the start, relative to the least exponent of all
  double mass, mass_before;
};

double panel_mass(const Panel &panel, double width) {
  static const stats::GaussLegendre<10> rule;
  double sum = 0;
  for (int k = 0; k < 10; ++k) {
    const double d = width * rule.node[k];
    sum += rule.weight[k] *
           std::exp(-panel.exponent - d * (panel.gradient + 0.5 * panel.curvature * d));
  }
  return width * sum;
}

// The distribution function of the density, by quadrature; also the mass of each piece.
class Reference {
 public:
  explicit Reference(const Cell &cell) : cell_(cell) {
    const int count = cell.pieces.count;
    Quad mode[3], least = 0;
    for (int i = 0; i < count; ++i) {
      mode[i] = mode_of(i);
      const Quad here = exponent(cell, i, mode[i]);
      if (i == 0 || here < least) least = here;
    }
    for (int i = 0; i < count; ++i)
      if (exponent(cell, i, mode[i]) - least < 40) add_piece(i, mode[i], least);
    for (Panel &panel : panels_) {
      panel.mass_before = total_;
      total_ += panel.mass;
      piece_mass_[panel.piece] += panel.mass;
    }
  }

  double piece_probability(int i) const { return piece_mass_[i] / total_; }

  double cdf(Quad z) const {
    const auto after = std::upper_bound(panels_.begin(), panels_.end(), z,
                                        [](Quad a, const Panel &b) { return a < b.start; });
    if (after == panels_.begin()) return 0;
    const Panel &panel = *(after - 1);
    const Quad into = z - panel.start;
    const double here =
        into < panel.width ? panel_mass(panel, static_cast<double>(into)) : panel.mass;
    return (panel.mass_before + here) / total_;
  }

  // Largest difference to another distribution function, at the ends of the panels.
  double distance_to(const Reference &other) const {
    double largest = 0;
    for (const Panel &panel : panels_) {
      const double here = panel.mass_before / total_;
      largest = std::max(largest, std::fabs(here - other.cdf(panel.start)));
    }
    return largest;
  }

 private:
  Quad left_end(int i) const { return i == 0 ? Quad(-infinity) : Quad(cell_.pieces.knot[i - 1]); }
  Quad right_end(int i) const {
    return i == cell_.pieces.count - 1 ? Quad(infinity) : Quad(cell_.pieces.knot[i]);
  }

  Quad mode_of(int i) const {
    const Quad a = cell_.pieces.slope[i], dz = cell_.dz, dx = cell_.dx;
    const Quad mean =
        (dx * cell_.m + a * dz * (Quad(cell_.x) - cell_.pieces.offset[i])) / (dx + a * a * dz);
    if (mean < left_end(i)) return left_end(i);
    return mean > right_end(i) ? right_end(i) : mean;
  }

  // From the mode outwards both ways, until the density has fallen by e^40.
  void add_piece(int i, Quad mode, Quad least) {
    const Quad a = cell_.pieces.slope[i];
    const double curvature = static_cast<double>(1 / Quad(cell_.dz) + a * a / Quad(cell_.dx));
    const double gradient = gradient_at(i, mode);
    std::vector<double> steps;  // distances at which the exponent has grown to each level
    for (double level : {0, 2, 5, 9, 14, 20, 28, 40})
      steps.push_back(distance(std::fabs(gradient), curvature, level));
    for (size_t k = steps.size() - 1; k > 0; --k)
      add_panel(i, mode - steps[k], mode - steps[k - 1], curvature, least);
    for (size_t k = 1; k < steps.size(); ++k)
      add_panel(i, mode + steps[k - 1], mode + steps[k], curvature, least);
  }

  double gradient_at(int i, Quad z) const {
    const Quad a = cell_.pieces.slope[i];
    return static_cast<double>((z - cell_.m) / Quad(cell_.dz) +
                               a * (a * z + cell_.pieces.offset[i] - cell_.x) / Quad(cell_.dx));
  }

  // g d + c d^2/2 = level
  static double distance(double g, double c, double level) {
    return level == 0 ? 0 : 2 * level / (g + std::sqrt(g * g + 2 * c * level));
  }

  void add_panel(int i, Quad from, Quad to, double curvature, Quad least) {
    if (from < left_end(i)) from = left_end(i);
    if (to > right_end(i)) to = right_end(i);
    if (!(from < to)) return;
    Panel panel{i, from, static_cast<double>(to - from), 0, gradient_at(i, from), curvature, 0, 0};
    panel.exponent = static_cast<double>(exponent(cell_, i, from) - least);
    panel.mass = panel_mass(panel, panel.width);
    panels_.push_back(panel);
  }

  Cell cell_;
  std::vector<Panel> panels_;
  double piece_mass_[3] = {0, 0, 0};
  double total_ = 0;
};

// The law must not hang on the last bits of its inputs, or no finite precision gets it right.
bool well_conditioned(const Cell &cell, const Reference &reference) {
  Cell moved = cell;
  moved.m *= 1 + 0x1p-50;
  if (reference.distance_to(Reference(moved)) > 2e-3) return false;
  moved = cell;
  moved.x *= 1 + 0x1p-50;
  return reference.distance_to(Reference(moved)) < 2e-3;
}

int piece_of(const Pieces &pieces, double z) {
  int i = 0;
  while (i < pieces.count - 1 && z > pieces.knot[i]) ++i;
  return i;
}

// Where z lies in its law, as a uniform. A double stands for all reals that round to it (within
// its piece), so its place among them is drawn: far tails at a knot of 1 need that.
double place(const Cell &cell, const Reference &reference, double z, Stream &stream) {
  const int i = piece_of(cell.pieces, z);
  Quad low = (Quad(z) + std::nextafter(z, -infinity)) / 2;
  Quad high = (Quad(z) + std::nextafter(z, infinity)) / 2;
  if (i > 0 && std::nextafter(z, -infinity) == cell.pieces.knot[i - 1])
    low = std::nextafter(z, -infinity);
  if (i < cell.pieces.count - 1 && std::nextafter(z, infinity) == cell.pieces.knot[i])
    high = std::nextafter(z, infinity);
  const double from = reference.cdf(low), to = reference.cdf(high);
  return from + stream.uniform() * (to - from);
}

std::vector<double> draws_of(const Cell &cell, int64_t n, Stream &stream) {
  const std::vector<double> m(static_cast<size_t>(n), cell.m), x(static_cast<size_t>(n), cell.x);
  std::vector<double> z(static_cast<size_t>(n));
  nnp::draw_piecewise(cell.pieces, m.data(), cell.dz, x.data(), cell.dx, n, stream, z.data(),
                      *nnp::best_draw_kernels());
  return z;
}

// p-value of `full` draws for `drawn` under the law of `claimed`.
double p_value(const Cell &drawn, const Cell &claimed, const Reference &reference, int64_t full,
               Stream &stream) {
  const int64_t n = shortened(full, 70);  // a batch and a little more
  std::vector<double> u;
  for (double z : draws_of(drawn, n, stream)) u.push_back(place(claimed, reference, z, stream));
  return stats::uniformity(u);
}

// All cells of a test: each must pass, and their p-values together must look uniform.
struct Verdict {
  std::vector<double> p;
  int ill_conditioned = 0;

  void add(const Cell &cell, int64_t n, Stream &stream) {
    const Reference reference(cell);
    if (!well_conditioned(cell, reference)) {
      ++ill_conditioned;
      return;
    }
    p.push_back(p_value(cell, cell, reference, n, stream));
    if (p.back() < 1e-10) report(cell);
  }

  void report(const Cell &cell) const {
    std::printf("slopes %g %g: m %.17g dz %g x %.17g dx %g: p = %g\n", cell.pieces.slope[0],
                cell.pieces.slope[1], cell.m, cell.dz, cell.x, cell.dx, p.back());
  }

  // 1e-7 spread over all cells; and no drift of the p-values as a whole.
  void check(size_t at_least) const {
    TEST_ASSERT_TRUE(p.size() >= at_least);
    for (double one : p) VERDICT(one > 1e-7 / static_cast<double>(p.size()));
    VERDICT(stats::uniformity(p) > 1e-4);
  }
};

// Means and targets from the middle of the law to hundreds of standard deviations off, with equal
// and opposite signs; the selection turns from one pair of noises to the next.
void conditionals_agree_with_quadrature(Activation activation, uint64_t seed) {
  const double off_m[] = {-300, -30, -3, -0.5, 0.2, 2.5, 40};
  const double off_x[] = {-200, -15, -1.5, 0.3, 2, 90};
  Stream stream(seed, 0, 0);
  Verdict verdict;
  size_t turn = 0;
  for (double dz : noises)
    for (double dx : noises)
      for (int k = 0; k < 7; ++k, turn += 5) {
        Cell cell{nnp::pieces_of(activation, 0.1), 0, dz, 0, dx};
        cell.m = off_m[turn % 7] * std::sqrt(dz);
        cell.x = off_x[turn % 6] * std::sqrt(dx);
        if (k >= 4) cell.x += nnp::apply(cell.pieces, cell.m + 0.7 * std::sqrt(dz));
        verdict.add(cell, 1500, stream);
      }
  verdict.check(200);
}

void identity_agrees() {
  conditionals_agree_with_quadrature(Activation::identity, 11);
}
void relu_agrees() {
  conditionals_agree_with_quadrature(Activation::relu, 12);
}
void leaky_relu_agrees() {
  conditionals_agree_with_quadrature(Activation::leaky_relu, 13);
}
void abs_agrees() {
  conditionals_agree_with_quadrature(Activation::abs, 14);
}
void sign_agrees() {
  conditionals_agree_with_quadrature(Activation::sign, 15);
}
void hard_tanh_agrees() {
  conditionals_agree_with_quadrature(Activation::hard_tanh, 16);
}

// The mean at which the first piece has the wanted probability, by bisection on a sinh scale.
double balancing_mean(Cell cell, double wanted) {
  double low = -60, high = 60;
  for (int step = 0; step < 48; ++step) {
    const double middle = 0.5 * (low + high);
    cell.m = std::sinh(middle) * std::sqrt(cell.dz);
    (Reference(cell).piece_probability(0) > wanted ? low : high) = middle;
  }
  return cell.m;
}

// The hard case: pieces of comparable mass, far from each other or far in their tails.
void balanced_pieces_agree_with_quadrature() {
  Stream stream(21, 0, 0);
  Verdict verdict;
  const double targets[] = {1, -1, 2.5, -40, 40};
  size_t turn = 0;
  for (Activation activation : activations) {
    if (activation == Activation::identity) continue;
    for (double dz : noises)
      for (double dx : noises) {
        ++turn;
        Cell cell{nnp::pieces_of(activation, 0.1), 0, dz, 0, dx};
        cell.x = targets[turn % 5] * (turn % 2 ? std::sqrt(dx) : 1);
        cell.m = balancing_mean(cell, 0.4);
        const double p = Reference(cell).piece_probability(0);
        if (p > 0.1 && p < 0.9) verdict.add(cell, 3000, stream);
      }
  }
  verdict.check(60);
}

// Tables no activation has yet: knots off 0, jumps, steep and falling pieces.
void any_table_agrees_with_quadrature() {
  const Pieces tables[] = {{2, {0.7, 0}, {0.5, -2, 0}, {0.3, 1, 0}},
                           {2, {-3, 0}, {-1, 0, 0}, {0, 2, 0}},
                           {3, {-0.5, 0.5}, {0, 0, 0}, {-1, 0, 1}},
                           {3, {-0.5, 1.5}, {1, 0.2, -1}, {0.5, 0.1, 3}},
                           {3, {1, 1.01}, {2, -30, 1}, {0, 31, 0}}};
  Stream stream(29, 0, 0);
  Verdict verdict;
  for (const Pieces &pieces : tables)
    for (double dz : {1e-3, 0.3, 20.0})
      for (double dx : {1e-3, 0.3, 20.0})
        for (double m : {-1.2, 0.6})
          for (double x : {-0.6, 0.9}) verdict.add({pieces, m, dz, x, dx}, 10000, stream);
  verdict.check(180);
}

// Many draws where the networks of interest live.
void common_cells_agree_closely() {
  Stream stream(22, 0, 0);
  Verdict verdict;
  for (Activation activation : activations)
    for (double d : {1e-3, 0.1, 1.0})
      for (double m : {-0.6, 0.05, 0.8}) {
        Cell cell{nnp::pieces_of(activation, 0.1), m, d, 0, 1.5 * d};
        cell.x = nnp::apply(cell.pieces, m) + 0.5 * std::sqrt(d);
        verdict.add(cell, 60000, stream);
      }
  verdict.check(54);
}

// Modes of relu's pieces just inside and outside of where strips serve (see strips.hpp), and near
// the knot, so that every way to a draw is taken.
void depths_at_the_ends_of_strips_agree() {
  const double depths[] = {-3.5, -2.05, -1.95, -0.6, 0.4, 1.95, 2.05, 3.2};
  const double dz = 1.3, dx = 0.9, sd = std::sqrt(dz * dx / (dz + dx));
  Stream stream(36, 0, 0);
  Verdict verdict;
  for (double left : depths)
    for (double right : depths) {
      Cell cell{nnp::pieces_of(Activation::relu, 0), -left * std::sqrt(dz), dz, 0, dx};
      cell.x = (right * sd * (dx + dz) - dx * cell.m) / dz;
      verdict.add(cell, 20000, stream);
    }
  verdict.check(64);
}

// What the tests above would say of slightly wrong laws.
void wrong_laws_are_caught() {
  Stream stream(23, 0, 0);
  for (Activation activation : activations) {
    const Cell right{nnp::pieces_of(activation, 0.1), 0.2, 1, 1.5, 1};
    Cell wrong = right;
    wrong.dx *= 1.2;
    VERDICT(p_value(right, wrong, Reference(wrong), 60000, stream) < 1e-6);
    wrong = right;
    wrong.m += 0.05;
    VERDICT(p_value(right, wrong, Reference(wrong), 60000, stream) < 1e-6);
  }
  const Cell right{nnp::pieces_of(Activation::leaky_relu, 0.1), -1, 1, -0.5, 0.3};
  Cell wrong = right;
  wrong.pieces.slope[0] = 0.2;
  VERDICT(p_value(right, wrong, Reference(wrong), 60000, stream) < 1e-6);
}

// log odds of the pieces that meet at 0 in terms of log erfcx.
double log_odds_by_erfcx(Activation activation, double m, double dz, double x, double dx) {
  const double v = dx * dz / (dx + dz), mu = (dx * m + dz * x) / (dx + dz);
  const double mirrored = (dz * x - dx * m) / (dx + dz);
  const double over_m = m / std::sqrt(2 * dz);
  if (activation == Activation::sign)
    return 2 * x / dx + nnp::log_erfcx(-over_m) - nnp::log_erfcx(over_m);
  const double right = nnp::log_erfcx(-mu / std::sqrt(2 * v));
  if (activation == Activation::abs) return right - nnp::log_erfcx(-mirrored / std::sqrt(2 * v));
  return 0.5 * std::log(dx / (dx + dz)) + right - nnp::log_erfcx(over_m);
}

void odds_by_erfcx_agree_with_quadrature() {
  for (Activation activation : {Activation::relu, Activation::abs, Activation::sign})
    for (double dz : {0.01, 1.0, 30.0})
      for (double dx : {0.02, 1.0, 50.0})
        for (double m : {-1.5, -0.1, 0.7})
          for (double x : {-0.9, 0.0, 1.1}) {
            const Cell cell{nnp::pieces_of(activation, 0), m, dz, x, dx};
            const double right = Reference(cell).piece_probability(1);
            if (right < 1e-12 || right > 1 - 1e-12) continue;
            const double want = std::log(right / Reference(cell).piece_probability(0));
            const double got = log_odds_by_erfcx(activation, m, dz, x, dx);
            TEST_ASSERT_TRUE(std::fabs(got - want) < 1e-9);
          }
}

// Whatever the inputs, a draw is finite and never lies on a knot.
void draws_lie_strictly_inside_pieces() {
  Stream stream(24, 0, 0);
  for (Activation activation : activations) {
    const Pieces pieces = nnp::pieces_of(activation, 0.1);
    for (double dz : noises)
      for (double dx : noises)
        for (double m : {-1e6, -1.0, 0.0, 1.0, 1e3})
          for (double x : {-1e3, -1.0, 0.0, 1.0, 1e6})
            for (int k = 0; k < 20; ++k) {
              const double z = nnp::draw_piecewise(pieces, m, dz, x, dx, stream);
              TEST_ASSERT_TRUE(std::fabs(z) < infinity);
              for (int i = 0; i + 1 < pieces.count; ++i) TEST_ASSERT_TRUE(z != pieces.knot[i]);
            }
  }
}

// Where one piece has all the mass, no draw leaves it: the sign follows a target of sign, of relu.
void hopeless_pieces_are_never_drawn() {
  Stream stream(25, 0, 0);
  for (double size : {1e-5, 1e-3, 1.0, 1e3}) {
    const double d = size * size / 400;  // 20 standard deviations
    for (int k = 0; k < 2000; ++k) {
      const Pieces relu = nnp::pieces_of(Activation::relu, 0);
      TEST_ASSERT_TRUE(nnp::draw_piecewise(relu, size, d, size, d, stream) > 0);
      TEST_ASSERT_TRUE(nnp::draw_piecewise(relu, -size, d, 0, d, stream) < 0);
      const Pieces sign = nnp::pieces_of(Activation::sign, 0);
      TEST_ASSERT_TRUE(nnp::draw_piecewise(sign, -size, d, 1, 1e-3 * std::fmin(d, 1), stream) > 0);
      TEST_ASSERT_TRUE(nnp::draw_piecewise(sign, size, d, -1, 1e-3 * std::fmin(d, 1), stream) < 0);
    }
  }
}

// Any batch length, in place or not: n draws written, the same ones, and nothing beyond.
void batches_of_any_length() {
  for (Activation activation : activations) {
    const Pieces pieces = nnp::pieces_of(activation, 0.1);
    for (int64_t n : {0, 1, 2, 63, 64, 65, 200}) {
      const size_t room = static_cast<size_t>(n) + 1;
      std::vector<double> m(room), x(room), z(room, 777.0);
      Stream inputs(27, 0, 0);
      for (double &one : m) one = inputs.uniform() - 0.5;
      for (double &one : x) one = inputs.uniform() - 0.5;
      std::vector<double> over_m = m, over_x = x;
      Stream first(28, 0, 0), second(28, 0, 0), third(28, 0, 0);
      const nnp::DrawKernels &draws = *nnp::best_draw_kernels();
      nnp::draw_piecewise(pieces, m.data(), 0.01, x.data(), 0.1, n, first, z.data(), draws);
      nnp::draw_piecewise(pieces, over_m.data(), 0.01, x.data(), 0.1, n, second, over_m.data(),
                          draws);
      nnp::draw_piecewise(pieces, m.data(), 0.01, over_x.data(), 0.1, n, third, over_x.data(),
                          draws);
      for (size_t i = 0; i + 1 < room; ++i) {
        TEST_ASSERT_TRUE(z[i] != 777 && std::fabs(z[i]) < 5);
        TEST_ASSERT_TRUE(z[i] == over_m[i] && z[i] == over_x[i]);
      }
      TEST_ASSERT_TRUE(z[room - 1] == 777);
    }
  }
}

// Elements of one batch that have little in common: certain and undecided ones, deep tails. Each
// must have the law of its own cell, wherever in the batch it stands.
void mixed_batches_agree_with_quadrature() {
  Stream stream(30, 0, 0), inputs(31, 0, 0);
  for (Activation activation : activations)
    for (double d : {1e-3, 1.0}) {
      std::vector<Cell> cells;
      std::vector<Reference> references;
      for (int k = 0; k < 24; ++k) {
        Cell cell{nnp::pieces_of(activation, 0.1), 4 * inputs.uniform() - 2, d, 0, 0.7 * d};
        if (k % 3 == 0) cell.m *= std::sqrt(d);
        cell.x = nnp::apply(cell.pieces, cell.m) + 3 * std::sqrt(d) * (inputs.uniform() - 0.5);
        cells.push_back(cell);
        references.emplace_back(cell);
      }
      std::vector<std::vector<double>> u(cells.size());
      for (int64_t batch = 0; batch < shortened(60, 1); ++batch) {
        constexpr size_t n = 700;
        size_t which[n];
        double m[n], x[n], z[n];
        for (size_t i = 0; i < n; ++i) {
          which[i] = static_cast<size_t>(inputs.uniform() * static_cast<double>(cells.size()));
          m[i] = cells[which[i]].m;
          x[i] = cells[which[i]].x;
        }
        nnp::draw_piecewise(cells[0].pieces, m, d, x, 0.7 * d, n, stream, z,
                            *nnp::best_draw_kernels());
        for (size_t i = 0; i < n; ++i)
          u[which[i]].push_back(place(cells[which[i]], references[which[i]], z[i], stream));
      }
      for (const std::vector<double> &one : u) VERDICT(stats::uniformity(one) > 1e-7);
    }
}

// All paths are one: the same bits for any SIMD level.
void levels_give_the_same_bits() {
  const nnp::DrawKernels &portable = *nnp::draw_kernels_named("portable");
  Stream inputs(32, 0, 0);
  for (const char *level : {"avx2", "avx512", "neon"}) {
    const nnp::DrawKernels *draws = nnp::draw_kernels_named(level);
    if (!draws) continue;
    for (Activation activation : activations) {
      const Pieces pieces = nnp::pieces_of(activation, 0.1);
      for (double dz : noises)
        for (double dx : noises)
          for (int64_t n : {1, 7, 9, 64, 300, 1000}) {
            std::vector<double> m(static_cast<size_t>(n)), x(m), want(m), z(m);
            for (double &one : m) one = std::sqrt(dz) * std::sinh(8 * inputs.uniform() - 4);
            for (double &one : x) one = std::sqrt(dx) * std::sinh(8 * inputs.uniform() - 4);
            for (size_t i = 0; i < x.size(); i += 2) x[i] += nnp::apply(pieces, m[i]);
            Stream stream(33, 0, 0), other(33, 0, 0);
            nnp::draw_piecewise(pieces, m.data(), dz, x.data(), dx, n, stream, z.data(), *draws);
            nnp::draw_piecewise(pieces, m.data(), dz, x.data(), dx, n, other, want.data(),
                                portable);
            TEST_ASSERT_TRUE(z == want);
            TEST_ASSERT_TRUE(stream.wide.state == other.wide.state);
            TEST_ASSERT_TRUE(stream.bits() == other.bits());
          }
    }
  }
}

// Every level against a plain loop over the same normals.
void relaxed_pieces_agree_with_a_plain_loop() {
  const nnp::RelaxedPieces p = {
      3,           -0.9,           {-infinity, -1, 1}, {-1, 1, infinity}, {0.7, 0.5, 0.7},
      {0, 0.4, 0}, {-0.1, 0, 0.2}, {0.3, 0.2, 0.3}};
  for (const char *level : {"portable", "avx2", "avx512", "neon"}) {
    const nnp::DrawKernels *draws = nnp::draw_kernels_named(level);
    if (!draws) continue;
    for (int64_t n : {1, 7, 64, 300}) {
      Stream inputs(34, 0, 0), stream(35, 0, 0), other(35, 0, 0);
      std::vector<double> m(static_cast<size_t>(n)), x(m), z(m), noise(m);
      for (std::vector<double> *v : {&m, &x, &z})
        for (double &one : *v) one = 4 * inputs.uniform() - 2;
      std::vector<double> want = z;
      draws->normals(other, noise.data(), n);
      int moved = 0;
      for (size_t i = 0; i < z.size(); ++i) {
        const int k = z[i] < p.high[0] ? 0 : z[i] < p.high[1] ? 1 : 2;
        const double to =
            z[i] * p.keep + m[i] * p.per_m[k] + x[i] * p.per_x[k] + p.shift[k] + noise[i] * p.sd[k];
        if (to < p.low[k] || to >= p.high[k]) continue;
        want[i] = to;
        ++moved;
      }
      draws->relax_pieces(p, m.data(), x.data(), n, stream, z.data());
      TEST_ASSERT_TRUE(z == want);
      TEST_ASSERT_TRUE(stream.bits() == other.bits());
      TEST_ASSERT_TRUE(n < 64 || (moved > n / 4 && moved < n));
    }
  }
}

void activations_are_what_they_are_called() {
  const double at[] = {-2.5, -1, -0.25, 0, 0.25, 1, 2.5};
  for (double z : at) {
    const auto value = [z](Activation a) { return nnp::apply(nnp::pieces_of(a, 0.1), z); };
    TEST_ASSERT_TRUE(value(Activation::identity) == z);
    TEST_ASSERT_TRUE(value(Activation::relu) == std::fmax(z, 0));
    TEST_ASSERT_TRUE(value(Activation::leaky_relu) == (z < 0 ? 0.1 * z : z));
    TEST_ASSERT_TRUE(value(Activation::abs) == std::fabs(z));
    TEST_ASSERT_TRUE(value(Activation::sign) == (z < 0 ? -1 : 1));
    TEST_ASSERT_TRUE(value(Activation::hard_tanh) == std::fmax(-1, std::fmin(1, z)));
  }
  TEST_ASSERT_TRUE(nnp::pieces_of(static_cast<Activation>(99), 0).count == 0);
}

// Garbage in must not hang a rejection loop.
void nan_ends_a_draw() {
  Stream stream(26, 0, 0);
  for (Activation activation : activations) {
    const Pieces pieces = nnp::pieces_of(activation, 0.1);
    TEST_ASSERT_FALSE(std::isfinite(nnp::draw_piecewise(pieces, NAN, 1, 0, 1, stream)));
    nnp::draw_piecewise(pieces, 0, 1, NAN, 1, stream);  // a target may say nothing at all
    nnp::draw_piecewise(pieces, infinity, 1, -infinity, 1, stream);
  }
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(activations_are_what_they_are_called);
  RUN_TEST(odds_by_erfcx_agree_with_quadrature);
  RUN_TEST(identity_agrees);
  RUN_TEST(relu_agrees);
  RUN_TEST(leaky_relu_agrees);
  RUN_TEST(abs_agrees);
  RUN_TEST(sign_agrees);
  RUN_TEST(hard_tanh_agrees);
  RUN_TEST(balanced_pieces_agree_with_quadrature);
  RUN_TEST(any_table_agrees_with_quadrature);
  RUN_TEST(common_cells_agree_closely);
  RUN_TEST(depths_at_the_ends_of_strips_agree);
  RUN_TEST(wrong_laws_are_caught);
  RUN_TEST(draws_lie_strictly_inside_pieces);
  RUN_TEST(hopeless_pieces_are_never_drawn);
  RUN_TEST(batches_of_any_length);
  RUN_TEST(mixed_batches_agree_with_quadrature);
  RUN_TEST(levels_give_the_same_bits);
  RUN_TEST(relaxed_pieces_agree_with_a_plain_loop);
  RUN_TEST(nan_ends_a_draw);
  return UNITY_END();
}

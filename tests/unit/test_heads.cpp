// The draws of probit scores: the right distribution given means and label, always on the label's
// side, and an honest count of how they were made.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "lib/network/head.hpp"
#include "lib/random/variates.hpp"
#include "lib/sampler/chain.hpp"
#include "tests/support/stats.hpp"
#include "tests/support/tables.hpp"
#include "unity.h"

using nnp::ConstTile;
using nnp::HeadCounts;
using nnp::Stream;
using nnp::Tile;

namespace {

// Scores of one row under argmax, by quadrature: density of score a is phi_a(u) times
//   label:  prod_{c != label} Phi_c(u)
//   other:  int_u^inf phi_label(t) prod_{c != label, a} Phi_c(t) dt,
// each over the normalizing constant. Tables of their distribution functions on a fine grid.
class ArgmaxMarginals {
 public:
  ArgmaxMarginals(const std::vector<double> &mean, double sd, size_t label)
      : mean_(mean), sd_(sd), label_(label) {
    // Where the label's score is likely given that it wins: its largest density.
    double best = -INFINITY, centre = 0;
    const double low = *std::min_element(mean.begin(), mean.end()) - 12 * sd;
    const double high = *std::max_element(mean.begin(), mean.end()) + 12 * sd;
    for (int i = 0; i <= 4000; ++i) {
      const double u = low + (high - low) * i / 4000;
      const double value = log_win_density(u);
      if (value > best) best = value, centre = u;
    }
    start_ = centre - 14 * sd, step_ = 28 * sd / cells;
    top_ = best;
    tabulate();
  }

  // P(score a < u)
  double cdf(size_t a, double u) const {
    const std::vector<double> &table = a == label_ ? label_cdf_ : other_cdf_[a];
    const double position = (u - start_) / step_;
    if (position <= 0) return 0;
    if (position >= cells) return 1;
    const size_t i = static_cast<size_t>(position);
    const double part = position - static_cast<double>(i);
    return (table[i] + part * (table[i + 1] - table[i])) / table[cells];
  }

 private:
  static constexpr int cells = 10000;

  double log_phi(size_t a, double u) const {
    const double z = (u - mean_[a]) / sd_;
    return -0.5 * z * z;
  }
  double log_Phi(size_t a, double u) const {
    const double z = (u - mean_[a]) / sd_;
    if (z > -4) return std::log(stats::normal_cdf(z));
    return -0.5 * z * z - 0.5 * std::log(2 * stats::pi) + std::log(stats::mills(-z));
  }
  double log_win_density(double u) const {
    double sum = log_phi(label_, u);
    for (size_t a = 0; a < mean_.size(); ++a)
      if (a != label_) sum += log_Phi(a, u);
    return sum;
  }
  // Cumulative sums of densities by the midpoint rule.
  void tabulate() {
    label_cdf_.assign(cells + 1, 0.0);
    for (int i = 0; i < cells; ++i) {
      const double u = start_ + (i + 0.5) * step_;
      label_cdf_[static_cast<size_t>(i) + 1] =
          label_cdf_[static_cast<size_t>(i)] + std::exp(log_win_density(u) - top_);
    }
    other_cdf_.resize(mean_.size());
    for (size_t a = 0; a < mean_.size(); ++a) {
      if (a == label_) continue;
      // P(a < u) = int phi_label(t) prod_{c != a, label} Phi_c(t) Phi_a(min(t, u)) dt
      other_cdf_[a].assign(cells + 1, 0.0);
      double below = 0, log_above = -INFINITY;  // the parts t < u, and t > u without Phi_a
      std::vector<double> log_tail(cells + 1, -INFINITY);
      for (size_t i = cells; i > 0; --i) {
        const double t = start_ + (static_cast<double>(i) - 0.5) * step_;
        const double term = log_win_density(t) - log_Phi(a, t) - top_;
        const double larger = std::max(log_above, term);
        log_above = larger + std::log(std::exp(log_above - larger) + std::exp(term - larger));
        log_tail[i - 1] = log_above;
      }
      for (size_t i = 0; i <= cells; ++i) {
        const double u = start_ + static_cast<double>(i) * step_;
        other_cdf_[a][i] = below + std::exp(log_Phi(a, u) + log_tail[i]);
        below += std::exp(log_win_density(u + 0.5 * step_) - top_);
      }
    }
  }

  std::vector<double> mean_;
  double sd_;
  size_t label_;
  double start_, step_, top_;
  std::vector<double> label_cdf_;
  std::vector<std::vector<double>> other_cdf_;
};

struct Case {
  std::vector<double> mean;
  double sd;
  int32_t label;
  const char *name;
};

// A tile of 64 rows with the same means and labels, drawn again and again.
struct Rows {
  static constexpr int64_t count = 64;
  std::vector<double> mean, site;
  std::vector<int32_t> labels;
  int64_t width;

  Rows(const std::vector<double> &means, int32_t label)
      : labels(count, label), width(static_cast<int64_t>(means.size())) {
    for (double m : means) mean.insert(mean.end(), count, m);
    site.assign(mean.size(), 0.0);
  }
  ConstTile means() const { return {mean.data(), count, width, count}; }
  Tile scores() { return {site.data(), count, width, count}; }
};

// Thinned enough that rows are independent where the scan is used: a KS test wants that.
void check_argmax(const Case &c, int sweeps, int thin) {
  Rows rows(c.mean, c.label);
  const ArgmaxMarginals exact(c.mean, c.sd, static_cast<size_t>(c.label));
  const nnp::HeadOps &head = nnp::argmax_head_ops;
  Stream stream(12, 0, 0);
  HeadCounts counts;
  std::vector<std::vector<double>> u(c.mean.size());
  head.make_feasible(rows.labels.data(), rows.scores());
  const int burn_in = 20 * thin;
  for (int s = -burn_in; s < sweeps * thin; ++s) {
    head.draw(rows.means(), c.sd * c.sd, rows.labels.data(), stream, rows.scores(), counts,
              *nnp::best_draw_kernels());
    for (int64_t i = 0; i < Rows::count; ++i)
      TEST_ASSERT_TRUE_MESSAGE(head.feasible(rows.labels.data(), rows.scores(), i), c.name);
    if (s < 0 || s % thin != 0) continue;
    for (size_t a = 0; a < u.size(); ++a)
      for (int64_t i = 0; i < Rows::count; ++i)
        u[a].push_back(exact.cdf(a, rows.scores().col(static_cast<int64_t>(a))[i]));
  }
  TEST_ASSERT_EQUAL_INT64((sweeps * thin + burn_in) * Rows::count, counts.exact + counts.scanned);
  for (size_t a = 0; a < u.size(); ++a) {
    char message[120];
    const double p = stats::uniformity(u[a]);
    std::snprintf(
        message, sizeof message, "%s: score %zu, p = %g, scanned %g", c.name, a, p,
        static_cast<double>(counts.scanned) / static_cast<double>(counts.exact + counts.scanned));
    TEST_ASSERT_TRUE_MESSAGE(p > 1e-4, message);
  }
}

void test_two_classes() {
  check_argmax({{0.3, -0.2}, 1, 0, "likely"}, 500, 1);
  check_argmax({{0.3, -0.2}, 0.5, 1, "unlikely"}, 500, 1);
  check_argmax({{5, -3}, 0.7, 1, "11 sd off"}, 500, 1);
  check_argmax({{-40, 60}, 1, 0, "100 sd off"}, 500, 1);
}

void test_three_classes() {
  check_argmax({{0.5, 0, -0.5}, 1, 0, "likely"}, 500, 2);
  check_argmax({{0.5, 0, -0.5}, 1, 2, "less likely"}, 500, 4);
  check_argmax({{2, 1, -2}, 1, 2, "unlikely"}, 500, 10);
  check_argmax({{0, 0, 0}, 1e-3, 1, "small noise"}, 500, 4);
}

void test_five_classes() {
  check_argmax({{0.5, 0, -0.5, 0.2, 0.1}, 1, 3, "of five"}, 500, 6);
  check_argmax({{1.5, 1, -1.5, 0.2, 0.1}, 1, 2, "unlikely of five"}, 500, 15);
}

// Far off the scan mixes slowly, but started from an exact draw it must stay exact: its kernel
// leaves the distribution invariant. Exact draws by plain rejection.
void test_scan_leaves_the_distribution_invariant() {
  const std::vector<double> mean = {1.2, 0.4, -1.1, 0.3};
  const int32_t label = 2;
  const double sd = 0.8;
  const ArgmaxMarginals exact(mean, sd, 2);
  const nnp::HeadOps &head = nnp::argmax_head_ops;
  Rows rows(mean, label);
  Stream stream(12, 0, 0), own(13, 0, 0);
  HeadCounts counts;
  std::vector<std::vector<double>> u(mean.size());
  for (int s = 0; s < 300; ++s) {
    for (int64_t i = 0; i < Rows::count; ++i) {
      do {
        for (int64_t a = 0; a < rows.width; ++a)
          rows.scores().col(a)[i] = mean[static_cast<size_t>(a)] + sd * nnp::normal(own);
      } while (!head.feasible(rows.labels.data(), rows.scores(), i));
    }
    for (int sweep = 0; sweep < 3; ++sweep)
      head.draw(rows.means(), sd * sd, rows.labels.data(), stream, rows.scores(), counts,
                *nnp::best_draw_kernels());
    for (size_t a = 0; a < u.size(); ++a)
      for (int64_t i = 0; i < Rows::count; ++i)
        u[a].push_back(exact.cdf(a, rows.scores().col(static_cast<int64_t>(a))[i]));
  }
  TEST_ASSERT_TRUE(counts.scanned > counts.exact);  // it is the scan that is tested
  for (const std::vector<double> &each : u) TEST_ASSERT_TRUE(stats::uniformity(each) > 1e-4);
}

// Counts tell what was done: two classes exact, hopeless labels scanned, more than 64 classes too.
void test_counts() {
  const nnp::HeadOps &head = nnp::argmax_head_ops;
  Stream stream(14, 0, 0);
  {
    Rows rows({0, 5}, 0);
    HeadCounts counts;
    head.draw(rows.means(), 1, rows.labels.data(), stream, rows.scores(), counts,
              *nnp::best_draw_kernels());
    TEST_ASSERT_EQUAL_INT64(Rows::count, counts.exact);
    TEST_ASSERT_EQUAL_INT64(0, counts.scanned);
  }
  {
    Rows rows({0, 500, 0}, 0);
    HeadCounts counts;
    head.draw(rows.means(), 1, rows.labels.data(), stream, rows.scores(), counts,
              *nnp::best_draw_kernels());
    TEST_ASSERT_EQUAL_INT64(0, counts.exact);
    TEST_ASSERT_EQUAL_INT64(Rows::count, counts.scanned);
  }
  {
    Rows rows({500, 0, 0}, 0);
    HeadCounts counts;
    head.draw(rows.means(), 1, rows.labels.data(), stream, rows.scores(), counts,
              *nnp::best_draw_kernels());
    TEST_ASSERT_EQUAL_INT64(Rows::count, counts.exact);
  }
  {
    Rows rows(std::vector<double>(100, 0.0), 99);
    HeadCounts counts;
    for (int s = 0; s < 50; ++s) {
      head.draw(rows.means(), 1, rows.labels.data(), stream, rows.scores(), counts,
                *nnp::best_draw_kernels());
      for (int64_t i = 0; i < Rows::count; ++i)
        TEST_ASSERT_TRUE(head.feasible(rows.labels.data(), rows.scores(), i));
    }
    TEST_ASSERT_EQUAL_INT64(50 * Rows::count, counts.scanned);
  }
}

// Whatever means and noise: finite, and never on the wrong side.
void test_extremes_stay_feasible() {
  const double size[] = {0, 1e-300, 1e-12, 1, 1e6, 1e12, 1e150};
  Stream stream(15, 0, 0);
  HeadCounts counts;
  for (double a : size)
    for (double b : size)
      for (double noise : {1e-12, 1.0, 1e12}) {
        Rows three({a, -b, b - a}, 1), two({-a, b}, 0), one({a - b}, -1);
        struct {
          const nnp::HeadOps *head;
          Rows *rows;
        } all[] = {{&nnp::argmax_head_ops, &three},
                   {&nnp::argmax_head_ops, &two},
                   {&nnp::sign_head_ops, &one}};
        for (auto &each : all) {
          Rows &rows = *each.rows;
          rows.site = rows.mean;
          each.head->make_feasible(rows.labels.data(), rows.scores());
          for (int s = 0; s < 3; ++s) {
            for (int64_t i = 0; i < Rows::count; ++i)
              TEST_ASSERT_TRUE(each.head->feasible(rows.labels.data(), rows.scores(), i));
            each.head->draw(rows.means(), noise, rows.labels.data(), stream, rows.scores(), counts,
                            *nnp::best_draw_kernels());
            for (double score : rows.site) TEST_ASSERT_TRUE(std::isfinite(score));
          }
          for (int64_t i = 0; i < Rows::count; ++i)
            TEST_ASSERT_TRUE(each.head->feasible(rows.labels.data(), rows.scores(), i));
        }
      }
}

// U | +1 is N(m, D) on U > 0: (U - 0)/sd is an excess over -m/sd.
void check_sign(double mean, double sd, int32_t label) {
  Rows rows({mean}, label);
  Stream stream(16, 0, 0);
  HeadCounts counts;
  std::vector<double> u;
  for (int s = 0; s < 500; ++s) {
    nnp::sign_head_ops.draw(rows.means(), sd * sd, rows.labels.data(), stream, rows.scores(),
                            counts, *nnp::best_draw_kernels());
    for (double score : rows.site) {
      TEST_ASSERT_TRUE(label * score > 0);
      u.push_back(stats::excess_cdf(-label * mean / sd, label * score / sd));
    }
  }
  TEST_ASSERT_EQUAL_INT64(500 * Rows::count, counts.exact);
  TEST_ASSERT_EQUAL_INT64(0, counts.scanned);
  TEST_ASSERT_TRUE(stats::uniformity(u) > 1e-4);
}

void test_sign() {
  for (int32_t label : {-1, 1})
    for (double mean : {0.0, 0.7, -0.7, 3.0, -3.0, -30.0, 300.0})
      for (double sd : {1.0, 0.1, 1e-3}) check_sign(mean, sd, label);
}

void test_labels_a_head_can_have() {
  const nnp::HeadOps &argmax = nnp::argmax_head_ops, &sign = nnp::sign_head_ops;
  TEST_ASSERT_TRUE(argmax.label_ok(0, 3) && argmax.label_ok(2, 3));
  TEST_ASSERT_FALSE(argmax.label_ok(3, 3) || argmax.label_ok(-1, 3));
  TEST_ASSERT_TRUE(sign.label_ok(1, 1) && sign.label_ok(-1, 1));
  TEST_ASSERT_FALSE(sign.label_ok(0, 1) || sign.label_ok(2, 1));
  TEST_ASSERT_FALSE(nnp::gaussian_head_ops.latent);
  TEST_ASSERT_TRUE(argmax.latent && sign.latent);
}

// Scores that fit are left alone; the others are changed only as far as it takes.
void test_make_feasible() {
  double scores[] = {1, 2, 3, 0.5, 9, 4};  // two rows, three classes, column-major
  const int32_t labels[] = {0, 1};
  nnp::argmax_head_ops.make_feasible(labels, {scores, 2, 3, 2});
  const double expected[] = {9, 2, 3, 4, 9, 4};
  for (int i = 0; i < 6; ++i) TEST_ASSERT_TRUE(scores[i] == expected[i]);
  double sign[] = {1, -2, 3, -4};
  const int32_t signs[] = {1, 1, -1, -1};
  nnp::sign_head_ops.make_feasible(signs, {sign, 4, 1, 4});
  TEST_ASSERT_TRUE(sign[0] == 1 && sign[1] == 2 && sign[2] == -3 && sign[3] == -4);
}

// Rows with means and labels of their own, at every SIMD level, in tiles of any length.
void test_levels_give_the_same_bits() {
  for (int64_t classes : {1, 2, 3, 10, 70})
    for (int64_t rows : {1, 9, 64, 128}) {
      const nnp::HeadOps &head = classes == 1 ? nnp::sign_head_ops : nnp::argmax_head_ops;
      Stream inputs(41, 0, 0);
      std::vector<double> mean(static_cast<size_t>(rows * classes)), want;
      std::vector<int32_t> labels(static_cast<size_t>(rows));
      for (double &m : mean) m = 3 * inputs.uniform();
      for (int32_t &label : labels)
        label = classes == 1
                    ? (inputs.uniform() < 0.5 ? -1 : 1)
                    : static_cast<int32_t>(inputs.uniform() * static_cast<double>(classes));
      for (const char *level : {"portable", "avx2", "avx512", "neon"}) {
        const nnp::DrawKernels *draws = nnp::draw_kernels_named(level);
        if (!draws) continue;
        Stream stream(42, 0, 0);
        HeadCounts counts;
        std::vector<double> site(mean.size(), 0.0);
        const Tile scores = {site.data(), rows, classes, rows};
        head.make_feasible(labels.data(), scores);
        for (int k = 0; k < 20; ++k)
          head.draw({mean.data(), rows, classes, rows}, 0.7, labels.data(), stream, scores, counts,
                    *draws);
        for (int64_t i = 0; i < rows; ++i)
          TEST_ASSERT_TRUE(head.feasible(labels.data(), scores, i));
        if (want.empty()) want = site;
        TEST_ASSERT_TRUE(site == want);
      }
    }
}

// Loops over all kinds end where the tables do.
void test_kinds_are_counted() {
  using nnp::ops_of;
  for (int32_t i = 1; i <= nnp::head_kinds; ++i)
    TEST_ASSERT_NOT_NULL(ops_of(static_cast<nnp::HeadKind>(i)));
  TEST_ASSERT_NULL(ops_of(static_cast<nnp::HeadKind>(nnp::head_kinds + 1)));
  for (int32_t i = 1; i <= nnp::sampler_kinds; ++i)
    TEST_ASSERT_NOT_NULL(ops_of(static_cast<nnp::SamplerKind>(i)));
  TEST_ASSERT_NULL(ops_of(static_cast<nnp::SamplerKind>(nnp::sampler_kinds + 1)));
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_two_classes);
  RUN_TEST(test_three_classes);
  RUN_TEST(test_five_classes);
  RUN_TEST(test_scan_leaves_the_distribution_invariant);
  RUN_TEST(test_counts);
  RUN_TEST(test_extremes_stay_feasible);
  RUN_TEST(test_sign);
  RUN_TEST(test_kinds_are_counted);
  RUN_TEST(test_labels_a_head_can_have);
  RUN_TEST(test_make_feasible);
  RUN_TEST(test_levels_give_the_same_bits);
  return UNITY_END();
}

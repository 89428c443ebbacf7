/* The diagnostics through the C API: the fixture's values, exact workspaces, layouts, and a status
 * with a sentence for every kind of bad input. */
#include <math.h>
#include <stdlib.h>

#include "capi/nnpost_diagnostics.h"
#include "tests/support/expect.h"

void setUp(void) {}
void tearDown(void) {}

static int near(double got, double want, double relative) {
  return fabs(got - want) <= relative * fabs(want);
}

/* x[t, c] = y_t + 0.02 c, y_t = 0.7 y_{t-1} + frac(t^2 c 0.618...) - 1/2, chain after chain. */
static void fixture(double *x, int n, int chains) {
  int t, c;
  for (c = 1; c <= chains; ++c) {
    double y = 0;
    for (t = 1; t <= n; ++t) {
      const double v = (double)t * t * c * 0.6180339887498949;
      y = 0.7 * y + (v - floor(v)) - 0.5;
      x[(c - 1) * n + t - 1] = y + 0.02 * c;
    }
  }
}

static double work[1 << 17];

static double statistic(const nnp_draws *draws, int32_t which) {
  double out = -1;
  OK(nnp_statistic(draws, which, 0.5, &out, work, sizeof work, &err));
  return out;
}

static void fixture_values(void) {
  static const int64_t groups[] = {1, 1, 2, 2};
  double x[404], nested;
  nnp_draws draws;
  fixture(x, 100, 4);
  OK(nnp_draws_init(&draws, x, 1, 100, 4, &err));
  TEST_ASSERT_TRUE(near(statistic(&draws, NNP_STAT_RHAT), 1.01128462239, 1e-11));
  TEST_ASSERT_TRUE(near(statistic(&draws, NNP_STAT_RHAT_BASIC), 1.01211909696, 1e-11));
  TEST_ASSERT_TRUE(near(statistic(&draws, NNP_STAT_ESS_BULK), 106.881181151, 1e-11));
  TEST_ASSERT_TRUE(near(statistic(&draws, NNP_STAT_ESS_TAIL), 184.245668264, 1e-11));
  TEST_ASSERT_TRUE(near(statistic(&draws, NNP_STAT_ESS_MEAN), 107.795381885, 1e-11));
  TEST_ASSERT_TRUE(near(statistic(&draws, NNP_STAT_MCSE_MEAN), 0.0372077287859, 1e-11));
  TEST_ASSERT_TRUE(near(statistic(&draws, NNP_STAT_MCSE_SD), 0.018822066937, 1e-10));
  OK(nnp_nested_rhat(&draws, groups, &nested, work, sizeof work, &err));
  TEST_ASSERT_TRUE(near(nested, 1.00540518895, 1e-11));
  fixture(x, 101, 4);
  OK(nnp_draws_init(&draws, x, 1, 101, 4, &err));
  TEST_ASSERT_TRUE(near(statistic(&draws, NNP_STAT_RHAT), 1.01237103092, 1e-11));
  TEST_ASSERT_TRUE(near(statistic(&draws, NNP_STAT_ESS_BULK), 107.23531205, 1e-10));
  TEST_ASSERT_TRUE(near(statistic(&draws, NNP_STAT_ESS_TAIL), 190.136799299, 1e-11));
}

/* The library's layout, quantity fastest, against the same quantities one at a time. */
static void quantities_in_one_call(void) {
  double x[2][80], both[160], out[2];
  nnp_draws draws, alone;
  int k;
  fixture(x[0], 40, 2);
  for (k = 0; k < 80; ++k) x[1][k] = x[0][k] * x[0][k];
  for (k = 0; k < 160; ++k) both[k] = x[k % 2][k / 2];
  OK(nnp_draws_init(&draws, both, 2, 40, 2, &err));
  OK(nnp_statistic(&draws, NNP_STAT_ESS_BULK, 0, out, work, sizeof work, &err));
  for (k = 0; k < 2; ++k) {
    OK(nnp_draws_init(&alone, x[k], 1, 40, 2, &err));
    TEST_ASSERT_TRUE(out[k] == statistic(&alone, NNP_STAT_ESS_BULK));
  }
}

/* Exactly the bytes asked for, at an address that is only aligned for double; nothing around it is
 * touched; one byte less is refused. */
static void workspace_is_exact(void) {
  double x[100], out;
  size_t bytes, k;
  unsigned char *block, *memory;
  nnp_draws draws;
  fixture(x, 50, 2);
  OK(nnp_draws_init(&draws, x, 1, 50, 2, &err));
  OK(nnp_statistic_bytes(&draws, &bytes, &err));
  block = malloc(bytes + 64);
  TEST_ASSERT_NOT_NULL(block);
  memset(block, 0xA5, bytes + 64);
  memory = block + 24;
  OK(nnp_statistic(&draws, NNP_STAT_RHAT, 0, &out, memory, bytes, &err));
  OK(nnp_statistic(&draws, NNP_STAT_MCSE_QUANTILE, 0.1, &out, memory, bytes, &err));
  for (k = 0; k < 24; ++k) TEST_ASSERT_EQUAL_HEX8(0xA5, block[k]);
  for (k = 24 + bytes; k < bytes + 64; ++k) TEST_ASSERT_EQUAL_HEX8(0xA5, block[k]);
  FAILS(NNP_E_MEMORY_SIZE,
        "bytes = ", nnp_statistic(&draws, NNP_STAT_RHAT, 0, &out, memory, bytes - 1, &err));
  FAILS(NNP_E_MEMORY_ALIGNMENT, "memory",
        nnp_statistic(&draws, NNP_STAT_RHAT, 0, &out, memory + 1, bytes, &err));
  free(block);
}

static void bad_samples(void) {
  static const int64_t uneven[] = {1, 1, 2};
  double x[300], out;
  nnp_draws draws;
  fixture(x, 100, 3);
  FAILS(NNP_E_NULL, "draws->values", nnp_draws_init(&draws, NULL, 1, 100, 3, &err));
  FAILS(NNP_E_SIZE, "draws->chains = 0", nnp_draws_init(&draws, x, 1, 100, 0, &err));
  FAILS(NNP_E_OVERFLOW, "draws->draws", nnp_draws_init(&draws, x, 1, INT64_MAX, 1, &err));
  OK(nnp_draws_init(&draws, x, 1, 3, 3, &err));
  FAILS(NNP_E_SIZE, "draws->draws = 3",
        nnp_statistic(&draws, NNP_STAT_RHAT, 0, &out, work, sizeof work, &err));
  OK(nnp_draws_init(&draws, x, 1, 100, 3, &err));
  FAILS(NNP_E_ENUM, "statistic = 99", nnp_statistic(&draws, 99, 0, &out, work, sizeof work, &err));
  FAILS(NNP_E_VALUE, "probability = 1",
        nnp_statistic(&draws, NNP_STAT_QUANTILE, 1, &out, work, sizeof work, &err));
  FAILS(NNP_E_SHAPE, "groups", nnp_nested_rhat(&draws, uneven, &out, work, sizeof work, &err));
  FAILS(NNP_E_NULL, "out", nnp_statistic(&draws, NNP_STAT_RHAT, 0, NULL, work, sizeof work, &err));
  x[203] = NAN;
  FAILS(NNP_E_NOT_FINITE, "NaN at draw 3 of chain 2",
        nnp_statistic(&draws, NNP_STAT_RHAT, 0, &out, work, sizeof work, &err));
  TEST_ASSERT_TRUE(out != out);
  TEST_ASSERT_EQUAL_STRING("ess_bulk", nnp_statistic_name(NNP_STAT_ESS_BULK));
  TEST_ASSERT_EQUAL_STRING("unknown", nnp_statistic_name(0));
}

/* A wave of unit spread about `level`, with a jump that decays: deterministic, quick to forget. */
static void wave(double *x, int n, double level, double jump) {
  int t;
  for (t = 0; t < n; ++t) {
    const double v = (double)(t + 1) * (t + 1) * 0.6180339887498949 + level;
    x[t] = level + jump * exp(-t / 50.0) + sqrt(12.0) * (v - floor(v) - 0.5);
  }
}

static void verdicts(void) {
  static double informed[2000], merged[2000], stuck[2000];
  nnp_series one, others[2];
  nnp_verdict out[2];
  nnp_thermalization_options options;
  char text[160];
  wave(informed, 2000, 0, -9);
  wave(merged, 2000, 0, 40);
  wave(stuck, 2000, 5, 40);
  memset(&one, 0, sizeof one);
  memset(others, 0, sizeof others);
  one.values = informed;
  others[0].values = merged;
  others[1].values = stuck;
  one.count = others[0].count = others[1].count = 2000;
  OK(nnp_thermalization(&one, others, 2, NULL, out, work, sizeof work, &err));
  TEST_ASSERT_EQUAL_INT(NNP_THERMALIZED, out[0].verdict);
  TEST_ASSERT_TRUE(out[0].time > 80 && out[0].time < 300);
  OK(nnp_verdict_text(&out[0], text, sizeof text, &err));
  TEST_ASSERT_EQUAL_INT(0, strncmp(text, "thermalized at t = ", 19));
  TEST_ASSERT_EQUAL_INT(NNP_NOT_THERMALIZED, out[1].verdict);
  TEST_ASSERT_EQUAL_INT(NNP_BECAUSE_STUCK, out[1].because);
  TEST_ASSERT_TRUE(near(out[1].distance, 5, 0.05));
  OK(nnp_verdict_text(&out[1], text, sizeof text, &err));
  TEST_ASSERT_NOT_NULL(strstr(text, "not thermalized (stuck at level 5"));
  FAILS(NNP_E_BUFFER_SIZE, "size = 10", nnp_verdict_text(&out[1], text, 10, &err));
  one.count = others[0].count = 10;
  OK(nnp_thermalization(&one, others, 1, NULL, out, work, sizeof work, &err));
  TEST_ASSERT_EQUAL_INT(NNP_BECAUSE_TOO_SHORT, out[0].because);
  OK(nnp_verdict_text(&out[0], text, sizeof text, &err));
  TEST_ASSERT_NOT_NULL(strstr(text, "undecided: run longer (too few samples)"));

  OK(nnp_thermalization_defaults(&options, &err));
  options.z = -1;
  FAILS(NNP_E_VALUE, "options->z = -1",
        nnp_thermalization(&one, others, 1, &options, out, work, sizeof work, &err));
  OK(nnp_thermalization_defaults(&options, &err));
  options.scale = NNP_SCALE_LOG;
  FAILS(NNP_E_VALUE, "logarithmic",
        nnp_thermalization(&one, others, 1, &options, out, work, sizeof work, &err));
  OK(nnp_thermalization_defaults(&options, &err));
  options.reserved[7] = 1;
  FAILS(NNP_E_VALUE, "options: reserved field 7 is 1",
        nnp_thermalization(&one, others, 1, &options, out, work, sizeof work, &err));
  others[0].reserved[3] = -1;
  FAILS(NNP_E_VALUE, "others[0]: reserved field 3 is -1",
        nnp_thermalization(&one, others, 1, NULL, out, work, sizeof work, &err));
  others[0].reserved[3] = 0;
  informed[7] = INFINITY;
  FAILS(NNP_E_NOT_FINITE, "informed: value 7",
        nnp_thermalization(&one, others, 1, NULL, out, work, sizeof work, &err));
  informed[7] = 0;
  others[0].values = NULL;
  FAILS(NNP_E_NULL, "others[0]->values",
        nnp_thermalization(&one, others, 1, NULL, out, work, sizeof work, &err));
}

static void criteria_side_by_side(void) {
  static double informed[2000], other[2000], gradient[2000], psi[8000], blocks[6 * 40], rhat[40];
  double times[40];
  nnp_criteria_series all;
  nnp_criteria_times found;
  nnp_settling settling;
  nnp_draws draws;
  int64_t count;
  size_t bytes;
  int k;
  wave(informed, 2000, 0, 0);
  wave(other, 2000, 0, 40);
  wave(gradient, 2000, 0, 8);
  for (k = 0; k < 2000; ++k) { /* two points, [point, draw, chain]; the second chain lags behind */
    psi[2 * k] = informed[k];
    psi[2 * k + 1] = 2 * informed[1999 - k];
    psi[4000 + 2 * k] = other[k];
    psi[4000 + 2 * k + 1] = 2 * informed[k];
  }
  OK(nnp_draws_init(&draws, psi, 2, 2000, 2, &err));
  OK(nnp_block_rhat_bytes(&draws, 50, &count, &bytes, &err));
  TEST_ASSERT_EQUAL_INT(40, (int)count);
  OK(nnp_block_rhat(&draws, NULL, 50, blocks, work, bytes, &err));
  for (k = 0; k < 40; ++k) {
    times[k] = blocks[6 * k];
    rhat[k] = blocks[6 * k + 1];
  }
  TEST_ASSERT_TRUE(times[1] == 74.5 && rhat[0] > 5 && rhat[39] < 1.5);
  memset(&all, 0, sizeof all);
  all.informed.values = informed;
  all.other.values = other;
  all.gradient.values = gradient;
  all.informed.count = all.other.count = all.gradient.count = 2000;
  all.rhat.times = times;
  all.rhat.values = rhat;
  all.rhat.count = 40;
  OK(nnp_criteria(&all, NULL, 2, &found, work, sizeof work, &err));
  TEST_ASSERT_EQUAL_INT(NNP_THERMALIZED, found.verdict.verdict);
  TEST_ASSERT_TRUE(found.teacher_student == found.verdict.time);
  TEST_ASSERT_TRUE(found.gradient < found.teacher_student);
  TEST_ASSERT_TRUE(found.stationarity > 80 && found.stationarity < 300);
  TEST_ASSERT_TRUE(found.rhat > 50 && found.rhat < 500);
  OK(nnp_stationarity(&all.other, NNP_SCALE_AUTO, &settling, work, sizeof work, &err));
  TEST_ASSERT_TRUE(settling.found == 1 && settling.time == found.stationarity);
  OK(nnp_gradient_settling(&all.gradient, &settling, work, sizeof work, &err));
  TEST_ASSERT_TRUE(settling.time == found.gradient);
  OK(nnp_rhat_settling(&all.rhat, 2, &settling, work, sizeof work, &err));
  TEST_ASSERT_TRUE(settling.time == found.rhat);
  FAILS(NNP_E_ENUM, "scale = 3",
        nnp_stationarity(&all.other, 3, &settling, work, sizeof work, &err));
  FAILS(NNP_E_SIZE, "length = 1", nnp_block_rhat(&draws, NULL, 1, blocks, work, bytes, &err));
  OK(nnp_thermalization_bytes(&bytes, &err));
  FAILS(NNP_E_MEMORY_SIZE,
        "bytes = ", nnp_gradient_settling(&all.gradient, &settling, work, bytes - 1, &err));
}

/* The last draw, after the last whole block, is looked at all the same. */
static void bad_blocks_of_rhat(void) {
  double psi[2 * 9 * 2], out[6 * 4], times[9];
  nnp_draws draws;
  int64_t count;
  size_t bytes;
  int k;
  for (k = 0; k < 36; ++k) psi[k] = sin(k);
  for (k = 0; k < 9; ++k) times[k] = k * k;
  OK(nnp_draws_init(&draws, psi, 2, 9, 2, &err));
  OK(nnp_block_rhat_bytes(&draws, 2, &count, &bytes, &err));
  OK(nnp_block_rhat(&draws, times, 2, out, work, bytes, &err));
  psi[18 + 2 * 3 + 1] = NAN;
  FAILS(NNP_E_NOT_FINITE, "psi: quantity 1 is nan at draw 3 of chain 1",
        nnp_block_rhat(&draws, times, 2, out, work, bytes, &err));
  psi[18 + 2 * 3 + 1] = 0;
  psi[2 * 8] = -INFINITY;
  FAILS(NNP_E_NOT_FINITE, "psi: quantity 0 is -inf at draw 8 of chain 0",
        nnp_block_rhat(&draws, times, 2, out, work, bytes, &err));
  psi[2 * 8] = 0;
  times[4] = NAN;
  FAILS(NNP_E_VALUE, "times: time 4 is nan",
        nnp_block_rhat(&draws, times, 2, out, work, bytes, &err));
  times[4] = times[3];
  FAILS(NNP_E_VALUE, "times: time 4 is 9",
        nnp_block_rhat(&draws, times, 2, out, work, bytes, &err));
  OK(nnp_draws_init(&draws, psi, 2, 9, 1, &err));
  FAILS(NNP_E_SIZE, "psi->chains = 1", nnp_block_rhat_bytes(&draws, 2, &count, &bytes, &err));
  FAILS(NNP_E_SIZE, "psi->chains = 1",
        nnp_block_rhat(&draws, NULL, 2, out, work, sizeof work, &err));
}

/* Fewer than 16 samples: nothing is found, and only the mean of the last half is known. */
static void short_series_have_a_level(void) {
  const double values[] = {100, 1, 2, 3, 4, 5, 6, 7, 8}, times[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  const double powers[] = {1, 10, 100};
  double rhat[] = {INFINITY, 4, 1};
  nnp_series one = {times, values, 9, {0}}, other = {NULL, powers, 3, {0}};
  nnp_settling settling;
  nnp_verdict verdict;
  OK(nnp_stationarity(&one, NNP_SCALE_LINEAR, &settling, work, sizeof work, &err));
  TEST_ASSERT_TRUE(settling.found == 0 && isnan(settling.time));
  TEST_ASSERT_TRUE(settling.level == 4.5); /* eight samples at least */
  TEST_ASSERT_TRUE(isnan(settling.spread) && isnan(settling.error) &&
                   isnan(settling.autocorrelation_time));
  OK(nnp_stationarity(&other, NNP_SCALE_LOG, &settling, work, sizeof work, &err));
  TEST_ASSERT_TRUE(near(settling.level, 10, 1e-14));
  OK(nnp_gradient_settling(&other, &settling, work, sizeof work, &err));
  TEST_ASSERT_TRUE(settling.found == 0 && settling.level == 37);
  other.values = rhat;
  OK(nnp_rhat_settling(&other, 2, &settling, work, sizeof work, &err));
  TEST_ASSERT_TRUE(settling.found == 0 && near(settling.level, 2, 1e-14));
  other.values = powers;
  OK(nnp_thermalization(&one, &other, 1, NULL, &verdict, work, sizeof work, &err));
  TEST_ASSERT_EQUAL_INT(NNP_SCALE_LOG, verdict.scale);
  TEST_ASSERT_EQUAL_INT(NNP_BECAUSE_TOO_SHORT, verdict.because);
  TEST_ASSERT_TRUE(near(verdict.informed_level, pow(40320, 0.125), 1e-14));
  TEST_ASSERT_TRUE(isnan(verdict.informed_spread) && isnan(verdict.informed_error));
  TEST_ASSERT_TRUE(near(verdict.level, 10, 1e-14) && isnan(verdict.distance));
}

/* The informed chain still climbs: the level of the other one is reported all the same. */
static void a_moving_informed_chain(void) {
  static double informed[400], other[400];
  nnp_series one = {NULL, informed, 400, {0}}, two = {NULL, other, 400, {0}};
  nnp_verdict verdict;
  int k;
  wave(informed, 400, 0, 0);
  wave(other, 400, 7, 0);
  for (k = 0; k < 400; ++k) informed[k] += 0.1 * k;
  OK(nnp_thermalization(&one, &two, 1, NULL, &verdict, work, sizeof work, &err));
  TEST_ASSERT_EQUAL_INT(NNP_BECAUSE_INFORMED_MOVING, verdict.because);
  TEST_ASSERT_TRUE(near(verdict.level, 7, 0.05) && verdict.independent > 50);
  TEST_ASSERT_TRUE(isnan(verdict.distance) && isnan(verdict.informed_time));
}

/* The sentence names the series that is bad, not the place it is handed on to. */
static void bad_series_are_named(void) {
  double good[20], bad[20];
  nnp_criteria_series all;
  nnp_criteria_times found;
  nnp_thermalization_options options;
  nnp_series others[2];
  nnp_verdict verdicts_of[2];
  int k;
  memset(&all, 0, sizeof all);
  for (k = 0; k < 20; ++k) good[k] = bad[k] = 2 + sin(k);
  bad[3] = -1;
  all.informed.values = good;
  all.other.values = bad;
  all.informed.count = all.other.count = 20;
  OK(nnp_thermalization_defaults(&options, &err));
  options.scale = NNP_SCALE_LOG;
  FAILS(NNP_E_VALUE, "series->other: value 3 is -1",
        nnp_criteria(&all, &options, 2, &found, work, sizeof work, &err));
  others[0] = all.informed;
  others[1] = all.other;
  FAILS(
      NNP_E_VALUE, "others[1]: value 3 is -1",
      nnp_thermalization(&all.informed, others, 2, &options, verdicts_of, work, sizeof work, &err));
  bad[3] = NAN;
  FAILS(NNP_E_NOT_FINITE, "series->other: value 3 is nan",
        nnp_criteria(&all, NULL, 2, &found, work, sizeof work, &err));
  all.other = all.informed;
  all.gradient.values = bad;
  all.gradient.count = 20;
  FAILS(NNP_E_NOT_FINITE, "series->gradient: value 3 is nan",
        nnp_criteria(&all, NULL, 2, &found, work, sizeof work, &err));
}

static void calibration(void) {
  static double x[4000];
  static int64_t ranks[2000], counts[20];
  const double truth[] = {0.25, 9}, ties[] = {0, 1};
  double mean[] = {0, 0}, second[] = {1, 1};
  double p[2], z[4], posterior[20];
  nnp_draws draws;
  size_t bytes;
  int k;
  for (k = 0; k < 20; ++k) posterior[k] = k / 20.0; /* [quantity, draw]: two interleaved */
  OK(nnp_draws_init(&draws, posterior, 2, 10, 1, &err));
  OK(nnp_sbc_ranks(truth, &draws, NULL, ranks, &err));
  TEST_ASSERT_EQUAL_INT(3, (int)ranks[0]);
  TEST_ASSERT_EQUAL_INT(10, (int)ranks[1]);
  FAILS(NNP_E_VALUE, "ties: number 1", nnp_sbc_ranks(truth, &draws, ties, ranks, &err));

  for (k = 0; k < 1000; ++k) {
    ranks[2 * k] = k % 100;                        /* uniform */
    ranks[2 * k + 1] = (k % 100) * (k % 100) / 99; /* crowded at 0 */
  }
  OK(nnp_sbc_histogram(ranks, 2, 1000, 99, 10, counts, p, &err));
  for (k = 0; k < 10; ++k) TEST_ASSERT_EQUAL_INT(100, (int)counts[k]);
  TEST_ASSERT_TRUE(p[0] == 1 && p[1] < 1e-6);
  FAILS(NNP_E_VALUE, "has rank 98", nnp_sbc_histogram(ranks, 2, 1000, 97, 10, counts, p, &err));

  draws.reserved[1] = 5;
  FAILS(NNP_E_VALUE, "posterior: reserved field 1 is 5",
        nnp_sbc_ranks(truth, &draws, NULL, ranks, &err));
  draws.reserved[1] = 0;

  wave(x, 2000, 0, 0);
  for (k = 0; k < 2000; ++k) x[2000 + k] = x[k] + 0.5;
  draws.values = x;
  draws.draws = 2000;
  draws.quantity_stride = 2000;
  draws.draw_stride = 1;
  OK(nnp_geweke_bytes(&draws, NULL, &bytes, &err));
  OK(nnp_geweke_moments(&draws, mean, second, z, p, work, bytes, &err));
  TEST_ASSERT_TRUE(fabs(z[0]) < 4 && fabs(z[1]) < 4 && z[2] > 4 && p[0] < 1e-4);
  mean[1] = NAN;
  FAILS(NNP_E_NOT_FINITE, "mean: that of quantity 1 is nan",
        nnp_geweke_moments(&draws, mean, second, z, p, work, bytes, &err));
  mean[1] = 0;
  second[0] = INFINITY;
  FAILS(NNP_E_NOT_FINITE, "second_moment: that of quantity 0 is inf",
        nnp_geweke_moments(&draws, mean, second, z, p, work, bytes, &err));
  OK(nnp_geweke_bytes(&draws, &draws, &bytes, &err));
  OK(nnp_geweke_draws(&draws, &draws, z, p, work, bytes, &err));
  TEST_ASSERT_TRUE(z[0] == 0 && z[3] == 0 && p[0] == 1);
  FAILS(NNP_E_MEMORY_SIZE,
        "bytes = ", nnp_geweke_draws(&draws, &draws, z, p, work, bytes - 1, &err));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(fixture_values);
  RUN_TEST(quantities_in_one_call);
  RUN_TEST(workspace_is_exact);
  RUN_TEST(bad_samples);
  RUN_TEST(verdicts);
  RUN_TEST(criteria_side_by_side);
  RUN_TEST(bad_blocks_of_rhat);
  RUN_TEST(short_series_have_a_level);
  RUN_TEST(a_moving_informed_chain);
  RUN_TEST(bad_series_are_named);
  RUN_TEST(calibration);
  return UNITY_END();
}

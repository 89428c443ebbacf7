/* Predictions, scores and log likelihoods on several threads: the same bits, progress, stops. */
#define _POSIX_C_SOURCE 200112L
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "capi/nnpost_diagnostics.h"
#include "tests/support/aligned.h"
#include "tests/support/expect.h"
#include "tests/support/threads.h"

enum { ROWS = 300, DRAWS = 7, LEVELS = 3, MOST = ROWS * DRAWS * LEVELS };

static double wave(int i) {
  return sin(1.7 * i * i + 0.3 * i);
}

typedef struct Fitted {
  nnp_net *net;
  nnp_data *data;
  nnp_predictor *predictor;
  double *draws;
  int64_t parameters;
} Fitted;

static Fitted make(int32_t head, int32_t posterior) {
  static double x[3 * ROWS], y[ROWS];
  static int32_t labels[ROWS];
  static const double levels[LEVELS] = {0.05, 0.5, 0.95};
  Fitted f;
  int64_t i;
  OK(nnp_net_create(&f.net, 3, &err));
  OK(nnp_net_dense(f.net, 6, &err));
  OK(nnp_net_activation(f.net, NNP_RELU, &err));
  OK(nnp_net_dense(f.net, 5, &err));
  OK(nnp_net_activation(f.net, NNP_TANH, &err));
  OK(nnp_net_dense(f.net, head == NNP_ARGMAX ? 3 : 1, &err));
  OK(nnp_net_head(f.net, head, &err));
  OK(nnp_net_parameters(f.net, &f.parameters, &err));
  for (i = 0; i < 3 * ROWS; ++i) x[i] = wave((int)i);
  for (i = 0; i < ROWS; ++i) {
    y[i] = x[3 * i] - x[3 * i + 1];
    labels[i] = head == NNP_ARGMAX ? (int32_t)(i % 3) : y[i] > 0 ? 1 : -1;
  }
  OK(nnp_data_create(&f.data, ROWS, 3, 1, &err));
  OK(nnp_data_set_inputs(f.data, x, NNP_ROW_MAJOR, &err));
  if (head == NNP_GAUSSIAN)
    OK(nnp_data_set_targets(f.data, y, NNP_ROW_MAJOR, &err));
  else
    OK(nnp_data_set_labels(f.data, labels, &err));
  f.draws = malloc((size_t)(f.parameters * DRAWS) * sizeof(double));
  for (i = 0; i < f.parameters * DRAWS; ++i) f.draws[i] = 0.5 * wave((int)i + 11);
  OK(nnp_predictor_create(&f.predictor, f.net, DRAWS, &err));
  OK(nnp_predictor_posterior(f.predictor, posterior, &err));
  OK(nnp_predictor_levels(f.predictor, levels, LEVELS, &err));
  OK(nnp_predictor_passes(f.predictor, 2, &err));
  return f;
}

static void drop(Fitted *f) {
  nnp_predictor_free(f->predictor);
  nnp_data_free(f->data);
  nnp_net_free(f->net);
  free(f->draws);
}

/* ---- the same bits ---- */

typedef struct Results {
  double predicted[6][MOST];
  double score[2], log_lik[ROWS * DRAWS], functions[64 * DRAWS];
} Results;

static void compute(const Fitted *f, int32_t head, Results *out) {
  int32_t kind;
  memset(out, 0, sizeof *out);
  for (kind = NNP_PREDICT_MEAN; kind <= NNP_PREDICT_DRAWS; ++kind)
    if ((kind != NNP_PREDICT_PROBABILITIES && kind != NNP_PREDICT_VOTES) || head != NNP_GAUSSIAN)
      OK(nnp_predict(f->predictor, f->data, f->draws, DRAWS, kind,
                     out->predicted[kind - NNP_PREDICT_MEAN], &err));
  OK(nnp_score(f->predictor, f->data, f->draws, DRAWS,
               head == NNP_GAUSSIAN ? NNP_SCORE_MSE : NNP_SCORE_ACCURACY, &out->score[0], &err));
  OK(nnp_score(f->predictor, f->data, f->draws, DRAWS, NNP_SCORE_LOG, &out->score[1], &err));
  OK(nnp_log_lik(f->predictor, f->data, f->draws, DRAWS, out->log_lik, &err));
  OK(nnp_functions(f->predictor, f->data, f->draws, DRAWS, 8, out->functions, &err));
}

static void *aligned(size_t bytes) {
  void *memory = aligned_block(bytes + 64);
  TEST_ASSERT_NOT_NULL(memory);
  return memory;
}

static void *use_threads(const Fitted *f, int64_t threads, nnp_pool **pool) {
  size_t bytes;
  void *memory;
  OK(nnp_pool_create(pool, threads_here(threads), &err));
  OK(nnp_predictor_pool_bytes(f->predictor, *pool, &bytes, &err));
  memory = aligned(bytes);
  OK(nnp_predictor_use_pool(f->predictor, *pool, memory, bytes, &err));
  return memory;
}

static void test_results_are_the_same_for_any_number_of_threads(void) {
  static const int32_t heads[] = {NNP_GAUSSIAN, NNP_ARGMAX, NNP_SIGN_HEAD};
  static const double weights[DRAWS] = {1, 0, 2, 3, 0, 1, 5};
  static Results alone, shared;
  int64_t threads;
  int h, posterior, weighted;
  for (h = 0; h < 3; ++h)
    for (posterior = NNP_INTERMEDIATE; posterior <= NNP_CLASSICAL; ++posterior)
      for (weighted = 0; weighted < 2; ++weighted) {
        Fitted f = make(heads[h], posterior);
        if (weighted) OK(nnp_predictor_weights(f.predictor, weights, DRAWS, &err));
        compute(&f, heads[h], &alone);
        for (threads = 1; threads <= 4; threads += 3) {
          nnp_pool *pool;
          void *memory = use_threads(&f, threads, &pool);
          compute(&f, heads[h], &shared);
          TEST_ASSERT_EQUAL_MEMORY(&alone, &shared, sizeof alone);
          OK(nnp_predictor_use_pool(f.predictor, NULL, NULL, 0, &err));
          nnp_pool_free(pool);
          free_aligned(memory);
        }
        drop(&f);
      }
}

/* ---- progress and stops ---- */

typedef struct Seen {
  int64_t calls, stop_at, last, all;
  int32_t inside;
  pthread_t caller;
  const Fitted *f;
} Seen;

static int32_t look(const nnp_progress *progress, void *user) {
  Seen *seen = user;
  double value;
  TEST_ASSERT_TRUE(pthread_equal(seen->caller, pthread_self()));
  TEST_ASSERT_NULL(progress->chain);
  TEST_ASSERT_TRUE(progress->step >= seen->last && progress->step <= progress->steps);
  TEST_ASSERT_TRUE(progress->seconds >= 0);
  seen->last = progress->step;
  seen->all = progress->steps;
  seen->inside = nnp_score(seen->f->predictor, seen->f->data, seen->f->draws, DRAWS, NNP_SCORE_LOG,
                           &value, NULL);
  return ++seen->calls == seen->stop_at;
}

static void watch(const Fitted *f, Seen *seen, int64_t stop_at) {
  memset(seen, 0, sizeof *seen);
  seen->stop_at = stop_at;
  seen->caller = pthread_self();
  seen->f = f;
  OK(nnp_predictor_watch(f->predictor, look, seen, &err));
}

static void test_calls_tell_how_far_they_are(void) {
  static double out[MOST];
  Fitted f = make(NNP_GAUSSIAN, NNP_INTERMEDIATE);
  const int64_t tiles = (ROWS + 127) / 128;
  Seen seen;
  watch(&f, &seen, 0);
  OK(nnp_predict(f.predictor, f.data, f.draws, DRAWS, NNP_PREDICT_QUANTILES, out, &err));
  TEST_ASSERT_EQUAL_INT64(tiles * DRAWS, seen.calls);
  TEST_ASSERT_EQUAL_INT64(seen.all, seen.last);
  TEST_ASSERT_EQUAL_INT32(NNP_E_UNSUPPORTED, seen.inside);
  watch(&f, &seen, 0);
  OK(nnp_functions(f.predictor, f.data, f.draws, DRAWS, 0, out, &err));
  TEST_ASSERT_EQUAL_INT64(DRAWS, seen.last);
  OK(nnp_predictor_watch(f.predictor, NULL, NULL, &err));
  OK(nnp_predict(f.predictor, f.data, f.draws, DRAWS, NNP_PREDICT_MEAN, out, &err));
  TEST_ASSERT_EQUAL_INT64(DRAWS, seen.calls);
  drop(&f);
}

static int32_t call(const Fitted *f, int which, double *out) {
  switch (which) {
    case 0:
      return nnp_score(f->predictor, f->data, f->draws, DRAWS, NNP_SCORE_LOG, out, &err);
    case 1:
      return nnp_log_lik(f->predictor, f->data, f->draws, DRAWS, out, &err);
    case 2:
      return nnp_functions(f->predictor, f->data, f->draws, DRAWS, 0, out, &err);
    default:
      return nnp_predict(f->predictor, f->data, f->draws, DRAWS, NNP_PREDICT_MEAN + which - 3, out,
                         &err);
  }
}

/* Wherever it comes: the call ends, and the next one is as if nothing had been. */
static void test_a_callback_stops_calls(void) {
  static double before[MOST], after[MOST];
  int which, head;
  int64_t stop_at, threads;
  for (head = 0; head < 2; ++head)
    for (threads = 1; threads <= 3; threads += 2) {
      Fitted f = make(head ? NNP_ARGMAX : NNP_GAUSSIAN, NNP_INTERMEDIATE);
      nnp_pool *pool;
      void *memory = use_threads(&f, threads, &pool);
      for (which = 0; which < 9; ++which) {
        const int kind = NNP_PREDICT_MEAN + which - 3;
        const int needs_classes = kind == NNP_PREDICT_PROBABILITIES || kind == NNP_PREDICT_VOTES;
        if (needs_classes && !head) continue;
        memset(before, 0, sizeof before);
        memset(after, 0, sizeof after);
        TEST_ASSERT_EQUAL_INT32(NNP_OK, call(&f, which, before));
        for (stop_at = 1; stop_at <= 3; stop_at += 2) {
          Seen seen;
          int32_t status;
          watch(&f, &seen, stop_at);
          status = call(&f, which, after);
          /* of several threads the others may have done all there was to do */
          TEST_ASSERT_TRUE(status == NNP_STOPPED || (threads > 1 && status == NNP_OK));
          if (threads == 1) TEST_ASSERT_EQUAL_INT64(stop_at, seen.calls);
          OK(nnp_predictor_watch(f.predictor, NULL, NULL, &err));
        }
        TEST_ASSERT_EQUAL_INT32(NNP_OK, call(&f, which, after));
        TEST_ASSERT_EQUAL_MEMORY(before, after, sizeof before);
      }
      OK(nnp_predictor_use_pool(f.predictor, NULL, NULL, 0, &err));
      nnp_pool_free(pool);
      free_aligned(memory);
      drop(&f);
    }
}

/* A stop that comes with the last part has nothing left to stop. */
static void test_a_stop_at_the_end_loses_nothing(void) {
  static double out[MOST], expected[MOST];
  Fitted f = make(NNP_GAUSSIAN, NNP_CLASSICAL);
  Seen seen;
  OK(nnp_predict(f.predictor, f.data, f.draws, DRAWS, NNP_PREDICT_QUANTILES, expected, &err));
  watch(&f, &seen, (ROWS + 127) / 128 * DRAWS);
  OK(nnp_predict(f.predictor, f.data, f.draws, DRAWS, NNP_PREDICT_QUANTILES, out, &err));
  TEST_ASSERT_EQUAL_MEMORY(expected, out, sizeof out);
  drop(&f);
}

static void test_a_throttle_begins_anew_with_every_call(void) {
  double value;
  Fitted f = make(NNP_GAUSSIAN, NNP_CLASSICAL);
  Seen seen;
  nnp_throttle throttle = {look, NULL, 1e6, 0};
  throttle.user = &seen;
  watch(&f, &seen, 0);
  OK(nnp_predictor_watch(f.predictor, nnp_throttled, &throttle, &err));
  OK(nnp_score(f.predictor, f.data, f.draws, DRAWS, NNP_SCORE_LOG, &value, &err));
  seen.last = 0;
  OK(nnp_score(f.predictor, f.data, f.draws, DRAWS, NNP_SCORE_LOG, &value, &err));
  TEST_ASSERT_EQUAL_INT64(2, seen.calls);
  throttle.callback = NULL;
  FAILS(NNP_E_NULL, "callback of this nnp_throttle",
        nnp_predictor_watch(f.predictor, nnp_throttled, &throttle, &err));
  FAILS(NNP_E_NULL, "user: it is NULL",
        nnp_predictor_watch(f.predictor, nnp_throttled, NULL, &err));
  drop(&f);
}

/* ---- failures ---- */

/* The first row that is bad is named, whoever comes to it first. */
static void test_outputs_that_overflow_are_told_alike(void) {
  static double out[MOST];
  Fitted f = make(NNP_GAUSSIAN, NNP_CLASSICAL);
  char told[sizeof err.message];
  nnp_pool *pool;
  void *memory;
  int64_t i;
  for (i = 0; i < f.parameters; ++i) f.draws[2 * f.parameters + i] = 1e308;
  TEST_ASSERT_EQUAL_INT32(NNP_E_NOT_FINITE,
                          call(&f, 3 + NNP_PREDICT_QUANTILES - NNP_PREDICT_MEAN, out));
  memcpy(told, err.message, sizeof told);
  memory = use_threads(&f, 3, &pool);
  TEST_ASSERT_EQUAL_INT32(NNP_E_NOT_FINITE,
                          call(&f, 3 + NNP_PREDICT_QUANTILES - NNP_PREDICT_MEAN, out));
  TEST_ASSERT_EQUAL_STRING(told, err.message);
  nnp_predictor_free(f.predictor);
  f.predictor = NULL;
  nnp_pool_free(pool);
  free_aligned(memory);
  drop(&f);
}

static void test_bad_memory_is_refused(void) {
  Fitted f = make(NNP_GAUSSIAN, NNP_CLASSICAL);
  nnp_pool *pool;
  size_t bytes, one;
  char *memory;
  if (threads_here(3) == 1) TEST_IGNORE_MESSAGE("this build has no threads");
  OK(nnp_pool_create(&pool, threads_here(3), &err));
  OK(nnp_predictor_pool_bytes(f.predictor, pool, &bytes, &err));
  memory = aligned(bytes);
  FAILS(NNP_E_MEMORY_SIZE,
        "bytes =", nnp_predictor_use_pool(f.predictor, pool, memory, bytes - 1, &err));
  FAILS(NNP_E_MEMORY_ALIGNMENT, "memory: it is at",
        nnp_predictor_use_pool(f.predictor, pool, memory + 8, bytes, &err));
  FAILS(NNP_E_NULL, "memory", nnp_predictor_use_pool(f.predictor, pool, NULL, bytes, &err));
  FAILS(NNP_E_NULL, "predictor", nnp_predictor_use_pool(NULL, pool, memory, bytes, &err));
  FAILS(NNP_E_NULL, "pool", nnp_predictor_pool_bytes(f.predictor, NULL, &bytes, &err));
  FAILS(NNP_E_NULL, "predictor", nnp_predictor_watch(NULL, NULL, NULL, &err));
  nnp_pool_free(pool);
  OK(nnp_pool_create(&pool, 1, &err));
  OK(nnp_predictor_pool_bytes(f.predictor, pool, &one, &err));
  TEST_ASSERT_TRUE(one < 256);
  nnp_pool_free(pool);
  free_aligned(memory);
  drop(&f);
}

void setUp(void) {}
void tearDown(void) {}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_results_are_the_same_for_any_number_of_threads);
  RUN_TEST(test_calls_tell_how_far_they_are);
  RUN_TEST(test_a_callback_stops_calls);
  RUN_TEST(test_a_stop_at_the_end_loses_nothing);
  RUN_TEST(test_a_throttle_begins_anew_with_every_call);
  RUN_TEST(test_outputs_that_overflow_are_told_alike);
  RUN_TEST(test_bad_memory_is_refused);
  return UNITY_END();
}

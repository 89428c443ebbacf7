/* Everything that ranks share out, as one rank sees it: each scenario makes its own network, data and
 * chains, runs them over a communicator and hashes all that came of it. The hashes must be the same
 * for any number of ranks and threads, and without a communicator. */
#ifndef NNPOST_TESTS_RANKS_H
#define NNPOST_TESTS_RANKS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnpost_study.h"
#include "tests/support/threads.h"

enum { RANKS_CHAINS = 5, RANKS_ROWS = 1030, RANKS_INPUTS = 3 };

typedef struct Rig {
  const nnp_comm *comm; /* NULL: none */
  nnp_pool *pool;
  nnp_net *net;
  nnp_data *data;
  nnp_chain *chains[RANKS_CHAINS];
  int32_t sampler, posterior;
  int odd;           /* something about this rank's input differs, see rig_make */
  double noise;      /* of the last layer; 0: 0.1 */
  uint64_t hash;     /* of all that came of it */
  int32_t status;    /* the first failure */
  nnp_error failure; /* and its sentence */
} Rig;

static inline void rig_hash(Rig *rig, const void *bytes, size_t size) {
  const unsigned char *p = (const unsigned char *)bytes;
  size_t i;
  for (i = 0; i < size; ++i) rig->hash = (rig->hash ^ p[i]) * 0x100000001b3u;
}

/* False after a failure, the first of which is kept. */
static inline int rig_ok(Rig *rig, int32_t status, const nnp_error *err) {
  if (rig->status == NNP_OK && status != NNP_OK) {
    rig->status = status;
    rig->failure = *err;
  }
  return rig->status == NNP_OK;
}
#define RIG(call) rig_ok(rig, (call), &err)

static inline void rig_free(Rig *rig) {
  int c;
  for (c = 0; c < RANKS_CHAINS; ++c) nnp_chain_free(rig->chains[c]);
  nnp_data_free(rig->data);
  nnp_net_free(rig->net);
  if (rig->pool) nnp_pool_free(rig->pool);
}

/* What may differ on one rank. */
enum {
  ODD_NOT = 0,
  ODD_DATA = 1,
  ODD_NETWORK = 2,
  ODD_OPTION = 3,
  ODD_SIMD = 4,
  ODD_SITES = 5,
  ODD_BLAS = 6,
  ODD_NO_BLAS = 7
};

static inline nnp_data *rig_data(Rig *rig, int64_t n, int32_t head, uint64_t seed) {
  nnp_error err;
  nnp_data *data = NULL;
  double *x = (double *)malloc(sizeof(double) * (size_t)(n * RANKS_INPUTS));
  double *y = (double *)malloc(sizeof(double) * (size_t)n);
  int32_t *labels = (int32_t *)malloc(sizeof(int32_t) * (size_t)n);
  int64_t i, j;
  for (i = 0; i < n; ++i) {
    for (j = 0; j < RANKS_INPUTS; ++j)
      x[i * RANKS_INPUTS + j] =
          4 * fmod((double)(seed + (uint64_t)(i * RANKS_INPUTS + j)) * 0.6180339887498949, 1) - 2;
    y[i] = fabs(x[i * RANKS_INPUTS]) - 0.5 * x[i * RANKS_INPUTS + 1];
    labels[i] = head == NNP_ARGMAX ? (int32_t)(y[i] > 0) + (int32_t)(y[i] > 1) : y[i] > 0 ? 1 : -1;
  }
  if (rig->odd == ODD_DATA) x[7] += 1e-9;
  RIG(nnp_data_create(&data, n, RANKS_INPUTS, 1, &err));
  RIG(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  RIG(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  RIG(nnp_data_set_labels(data, labels, &err));
  free(x);
  free(y);
  free(labels);
  return data;
}

/* Chains of 3 inputs, 4 units with relu, one output or three classes. */
static inline int rig_make(Rig *rig, int32_t head, int32_t sampler, int32_t posterior,
                           int64_t threads) {
  nnp_error err;
  int c;
  rig->sampler = sampler;
  rig->posterior = posterior;
  RIG(nnp_net_create(&rig->net, RANKS_INPUTS, &err));
  RIG(nnp_net_dense(rig->net, 4, &err));
  RIG(nnp_net_activation(rig->net, NNP_RELU, &err));
  RIG(nnp_net_dense(rig->net, head == NNP_ARGMAX ? 3 : 1, &err));
  RIG(nnp_net_head(rig->net, head, &err));
  RIG(nnp_net_set(rig->net, NNP_ALL_LAYERS, NNP_NOISE, rig->odd == ODD_NETWORK ? 0.11 : 0.1, &err));
  if (rig->noise > 0) RIG(nnp_net_set(rig->net, 3, NNP_NOISE, rig->noise, &err));
  rig->data = rig_data(rig, RANKS_ROWS, head, 1);
  if (threads > 1) RIG(nnp_pool_create(&rig->pool, threads_here(threads), &err));
  for (c = 0; c < RANKS_CHAINS && rig->status == NNP_OK; ++c) {
    RIG(nnp_chain_create(&rig->chains[c], rig->net, rig->data, sampler, posterior, &err));
    if (c == 0 && rig->pool) RIG(nnp_chain_use_pool(rig->chains[c], rig->pool, &err));
    if (c == 0 && rig->comm) RIG(nnp_chain_use_comm(rig->chains[c], rig->comm, &err));
  }
  if (rig->odd == ODD_OPTION) RIG(nnp_chain_set(rig->chains[3], NNP_OPTION_SCALE_MOVES, 0, &err));
  if (rig->odd == ODD_SIMD)
    for (c = 0; c < RANKS_CHAINS; ++c) RIG(nnp_chain_set(rig->chains[c], NNP_OPTION_SIMD, 1, &err));
  if (rig->odd == ODD_BLAS || rig->odd == ODD_NO_BLAS)
    for (c = 0; c < RANKS_CHAINS; ++c)
      RIG(nnp_chain_set(rig->chains[c], NNP_OPTION_BLAS,
                        rig->odd == ODD_BLAS ? NNP_BLAS_ALL : NNP_BLAS_NONE, &err));
  return rig->status == NNP_OK;
}

/* All that a save has of each chain. */
static inline void rig_hash_chains(Rig *rig) {
  nnp_error err;
  int c;
  for (c = 0; c < RANKS_CHAINS; ++c) {
    size_t bytes = 0;
    void *block;
    if (!RIG(nnp_chain_save_bytes(rig->chains[c], &bytes, &err))) return;
    block = malloc(bytes);
    if (RIG(nnp_chain_save(rig->chains[c], block, bytes, &err))) rig_hash(rig, block, bytes);
    free(block);
  }
}

static inline void rig_start(Rig *rig, int32_t start, uint64_t seed) {
  nnp_error err;
  RIG(nnp_chains_start(rig->chains, RANKS_CHAINS, start, seed, NULL, NULL, &err));
}

/* ---- Scenarios ---------------------------------------------------------------------------------- */

/* Steps, then draws, then more steps from where the draws ended. */
static inline void rig_sample(Rig *rig, int64_t steps, int64_t count, int64_t thin) {
  nnp_error err;
  int64_t parameters = 0;
  double *draws;
  if (rig->status != NNP_OK) return;
  RIG(nnp_net_parameters(rig->net, &parameters, &err));
  draws = (double *)calloc((size_t)(parameters * count * RANKS_CHAINS), sizeof(double));
  RIG(nnp_chains_run(rig->chains, RANKS_CHAINS, steps, NULL, NULL, &err));
  if (RIG(nnp_chains_sample(rig->chains, RANKS_CHAINS, draws, count, thin, NULL, NULL, &err)))
    rig_hash(rig, draws, (size_t)(parameters * count * RANKS_CHAINS) * sizeof(double));
  RIG(nnp_chains_run(rig->chains, RANKS_CHAINS, 3, NULL, NULL, &err));
  rig_hash_chains(rig);
  free(draws);
}

static inline void scene_gibbs(Rig *rig, int64_t threads) {
  if (!rig_make(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, threads)) return;
  rig_start(rig, NNP_START_PRIOR, 5);
  rig_sample(rig, 10, 6, 3);
}

/* Draws that nobody keeps: functions of them, with noise that goes on from call to call, and moments. */
static inline void scene_keep(Rig *rig, int64_t threads) {
  enum { DRAWS = 4, KEPT = 2 };
  nnp_error err;
  nnp_predictor *predictor = NULL;
  nnp_keeper *keeper = NULL;
  nnp_kept kept[KEPT];
  double *values = NULL, *mean = NULL;
  int64_t widths[KEPT] = {0, 0};
  int i;
  memset(kept, 0, sizeof kept);
  if (!rig_make(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, threads)) return;
  rig_start(rig, NNP_START_PRIOR, 5);
  RIG(nnp_predictor_create(&predictor, rig->net, 1, &err));
  kept[0].what = NNP_KEEP_PREDICTIONS;
  kept[0].predictor = predictor;
  kept[0].data = rig->data;
  kept[1].what = NNP_KEEP_PARAMETERS;
  kept[1].moments = 1;
  RIG(nnp_keeper_create(&keeper, rig->net, kept, KEPT, RANKS_CHAINS, &err));
  for (i = 0; i < KEPT; ++i) RIG(nnp_keeper_width(keeper, i, &widths[i], &err));
  values = (double *)calloc((size_t)(widths[0] * DRAWS * RANKS_CHAINS), sizeof(double));
  mean = (double *)calloc((size_t)(3 * widths[1]), sizeof(double));
  RIG(nnp_keeper_store(keeper, 0, values, DRAWS, &err));
  RIG(nnp_chains_keep(rig->chains, RANKS_CHAINS, keeper, 1, 2, NULL, NULL, &err));
  RIG(nnp_chains_keep(rig->chains, RANKS_CHAINS, keeper, DRAWS - 1, 2, NULL, NULL, &err));
  if (RIG(nnp_keeper_moments(keeper, 1, NNP_ALL_CHAINS, mean, mean + widths[1],
                             mean + 2 * widths[1], &err))) {
    rig_hash(rig, values, (size_t)(widths[0] * DRAWS * RANKS_CHAINS) * sizeof(double));
    rig_hash(rig, mean, (size_t)(3 * widths[1]) * sizeof(double));
  }
  rig_hash_chains(rig);
  nnp_keeper_free(keeper);
  nnp_predictor_free(predictor);
  free(values);
  free(mean);
}

/* The warm-up adapts, and is run on the rank that has the chain; records come along. */
static inline void scene_gradient(Rig *rig, int32_t sampler, int32_t posterior, int64_t threads) {
  enum { WARMUP = 30, STEPS = WARMUP + 8 };
  nnp_error err;
  double *record =
      (double *)calloc((size_t)(NNP_STEP_STATISTICS * STEPS * RANKS_CHAINS), sizeof(double));
  int64_t recorded = 0;
  int c;
  if (rig_make(rig, NNP_GAUSSIAN, sampler, posterior, threads)) {
    for (c = 0; c < RANKS_CHAINS; ++c) {
      RIG(nnp_chain_set(rig->chains[c], NNP_OPTION_WARMUP, WARMUP, &err));
      RIG(nnp_chain_record(rig->chains[c], record + c * NNP_STEP_STATISTICS * STEPS, STEPS, &err));
    }
    if (sampler == NNP_NUTS)
      for (c = 0; c < RANKS_CHAINS; ++c)
        RIG(nnp_chain_set(rig->chains[c], NNP_OPTION_MAX_DEPTH, 4, &err));
    rig_start(rig, NNP_START_SMALL, 11);
    rig_sample(rig, WARMUP, 4, 2);
    for (c = 0; c < RANKS_CHAINS; ++c) {
      RIG(nnp_chain_recorded(rig->chains[c], &recorded, &err));
      rig_hash(rig, &recorded, sizeof recorded);
    }
    rig_hash(rig, record, sizeof(double) * (size_t)(NNP_STEP_STATISTICS * STEPS * RANKS_CHAINS));
  }
  free(record);
}

static inline void scene_hmc(Rig *rig, int64_t threads) {
  scene_gradient(rig, NNP_HMC, NNP_CLASSICAL, threads);
}
static inline void scene_mala(Rig *rig, int64_t threads) {
  scene_gradient(rig, NNP_MALA, NNP_INTERMEDIATE, threads);
}
static inline void scene_nuts(Rig *rig, int64_t threads) {
  scene_gradient(rig, NNP_NUTS, NNP_CLASSICAL, threads);
}

/* Learned scales, starts that descend, and a descent on its own. */
static inline void scene_descent(Rig *rig, int64_t threads) {
  nnp_error err;
  int c;
  if (!rig_make(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, threads)) return;
  rig_start(rig, NNP_START_FIT, 3);
  RIG(nnp_chains_descend(rig->chains, RANKS_CHAINS, 20, NULL, NULL, &err));
  for (c = 0; c < RANKS_CHAINS; ++c) {
    nnp_descent made;
    if (RIG(nnp_chain_descent(rig->chains[c], &made, &err))) rig_hash(rig, &made, sizeof made);
  }
  rig_sample(rig, 2, 2, 1);
}

static inline void scene_classes(Rig *rig, int64_t threads) {
  if (!rig_make(rig, NNP_ARGMAX, NNP_GIBBS, NNP_INTERMEDIATE, threads)) return;
  rig_start(rig, NNP_START_ZERO, 9);
  rig_sample(rig, 5, 3, 2);
}

static inline void scene_multistart(Rig *rig, int64_t threads) {
  nnp_error err;
  nnp_multistart *multistart = NULL;
  int64_t best = 0;
  int c;
  if (!rig_make(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, threads)) return;
  RIG(nnp_multistart_create(&multistart, rig->chains, RANKS_CHAINS, &err));
  RIG(nnp_multistart_set(multistart, NNP_MULTISTART_STEPS, 704, &err));
  RIG(nnp_multistart_run(multistart, 21, NULL, NULL, &err));
  for (c = 0; c < RANKS_CHAINS && rig->status == NNP_OK; ++c) {
    nnp_attempt attempt;
    if (RIG(nnp_multistart_report(multistart, c, &attempt, &err)))
      rig_hash(rig, &attempt, sizeof attempt);
  }
  if (RIG(nnp_multistart_best(multistart, &best, &err))) rig_hash(rig, &best, sizeof best);
  if (rig->status == NNP_OK) rig_hash_chains(rig);
  nnp_multistart_free(multistart);
}

static inline void scene_twin(Rig *rig, int64_t threads) {
  nnp_error err;
  nnp_twin *twin = NULL;
  int which;
  if (!rig_make(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, threads)) return;
  rig_start(rig, NNP_START_ZERO, 2);
  RIG(nnp_chains_run(rig->chains, RANKS_CHAINS, 20, NULL, NULL, &err));
  RIG(nnp_twin_create(&twin, rig->chains[0], &err));
  RIG(nnp_twin_run(twin, 64, 1, 4, NULL, NULL, &err));
  for (which = 0; which < 2; ++which) {
    nnp_series series;
    if (RIG(nnp_twin_series(twin, which, &series, &err)))
      rig_hash(rig, series.values, sizeof(double) * (size_t)series.count);
  }
  if (rig->status == NNP_OK) rig_hash_chains(rig);
  nnp_twin_free(twin);
}

static inline void scene_study(Rig *rig, int64_t threads) {
  nnp_error err;
  nnp_study *study = NULL;
  nnp_data *test = NULL;
  int c, which;
  if (!rig_make(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, threads)) return;
  test = rig_data(rig, 40, NNP_GAUSSIAN, 5000);
  rig_start(rig, NNP_START_PRIOR, 13);
  RIG(nnp_study_create(&study, rig->chains, RANKS_CHAINS, test, 512, &err));
  RIG(nnp_study_set(study, NNP_STUDY_STEPS, 100, &err));
  RIG(nnp_study_set(study, NNP_STUDY_RHAT_EVERY, 2, &err));
  RIG(nnp_study_set(study, NNP_STUDY_RHAT_BLOCK, 20, &err));
  RIG(nnp_study_run(study, NULL, NULL, &err));
  RIG(nnp_study_set(study, NNP_STUDY_STEPS, 130, &err));
  RIG(nnp_study_run(study, NULL, NULL, &err));
  for (c = 0; c < RANKS_CHAINS && rig->status == NNP_OK; ++c)
    for (which = NNP_SERIES_TEST; which <= NNP_SERIES_RHAT_95; ++which) {
      nnp_series series;
      if (!RIG(nnp_study_series(study, c, which, &series, &err))) break;
      rig_hash(rig, series.times, sizeof(double) * (size_t)series.count);
      rig_hash(rig, series.values, sizeof(double) * (size_t)series.count);
    }
  if (rig->status == NNP_OK) rig_hash_chains(rig);
  nnp_study_free(study);
  nnp_data_free(test);
}

/* Rounds of tuning that change the number of levels, draws, the index process, a save. */
static inline void rig_exchange(Rig *rig, double rounds, int64_t count) {
  enum { THIN = 2, RECORDED = 64 };
  nnp_error err;
  nnp_exchange *exchange = NULL;
  nnp_exchange_summary summary;
  int32_t levels[RECORDED * RANKS_CHAINS];
  size_t bytes = 0;
  int64_t parameters = 0;
  double *draws;
  void *block;
  memset(levels, 0, sizeof levels);
  if (rig->status != NNP_OK) return;
  RIG(nnp_net_parameters(rig->net, &parameters, &err));
  draws = (double *)calloc((size_t)(parameters * count), sizeof(double));
  RIG(nnp_exchange_create(&exchange, rig->chains, RANKS_CHAINS, &err));
  RIG(nnp_exchange_set(exchange, NNP_EXCHANGE_ROUNDS, rounds, &err));
  RIG(nnp_exchange_set(exchange, NNP_EXCHANGE_FIRST_ROUND, 6, &err));
  RIG(nnp_exchange_set(exchange, NNP_EXCHANGE_REPLICAS, 4, &err));
  RIG(nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_PRIOR, 17, &err));
  RIG(nnp_exchange_tune(exchange, NULL, NULL, &err));
  RIG(nnp_exchange_set(exchange, NNP_EXCHANGE_REPLICAS, 5, &err));
  RIG(nnp_exchange_tune(exchange, NULL, NULL, &err));
  RIG(nnp_exchange_record(exchange, levels, RECORDED, &err));
  if (RIG(nnp_exchange_sample(exchange, draws, count, THIN, NULL, NULL, &err)))
    rig_hash(rig, draws, (size_t)(parameters * count) * sizeof(double));
  RIG(nnp_exchange_run(exchange, 3, NULL, NULL, &err));
  if (RIG(nnp_exchange_report(exchange, &summary, &err))) {
    rig_hash(rig, &summary, sizeof summary);
    if (summary.replicas != 5 || !(summary.least_swaps > 0.2)) rig->status = -1; /* proves little */
  }
  rig_hash(rig, levels, sizeof levels);
  if (RIG(nnp_exchange_save_bytes(exchange, &bytes, &err))) {
    block = malloc(bytes);
    if (RIG(nnp_exchange_save(exchange, block, bytes, &err))) rig_hash(rig, block, bytes);
    free(block);
  }
  nnp_exchange_free(exchange);
  free(draws);
}

/* With so much noise the data say little: neighbours swap often, on two ranks, too. Plain steps go on
 * with sums of the step before, which must be those of the variables that came. */
static inline void scene_exchange(Rig *rig, int64_t threads) {
  nnp_error err;
  int c;
  rig->noise = 300;
  if (!rig_make(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, threads)) return;
  for (c = 0; c < RANKS_CHAINS; ++c)
    RIG(nnp_chain_set(rig->chains[c], NNP_OPTION_MOVES, NNP_MOVES_PLAIN, &err));
  rig_exchange(rig, 2, 8);
}
/* Scores are integrated out along the path, and drawn anew where levels swapped. */
static inline void scene_exchange_classes(Rig *rig, int64_t threads) {
  rig->noise = 3e6;
  if (rig_make(rig, NNP_SIGN_HEAD, NNP_GIBBS, NNP_INTERMEDIATE, threads)) rig_exchange(rig, 1, 8);
}
static inline void scene_exchange_hmc(Rig *rig, int64_t threads) {
  rig->noise = 300;
  if (rig_make(rig, NNP_GAUSSIAN, NNP_HMC, NNP_CLASSICAL, threads)) rig_exchange(rig, 2, 6);
}

typedef struct Scene {
  const char *name;
  void (*play)(Rig *rig, int64_t threads);
} Scene;

static const Scene scenes[] = {
    {"gibbs", scene_gibbs},
    {"keep", scene_keep},
    {"hmc", scene_hmc},
    {"mala", scene_mala},
    {"nuts", scene_nuts},
    {"descent", scene_descent},
    {"classes", scene_classes},
    {"multistart", scene_multistart},
    {"twin", scene_twin},
    {"study", scene_study},
    {"exchange", scene_exchange},
    {"exchange_classes", scene_exchange_classes},
    {"exchange_hmc", scene_exchange_hmc},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* Plays a scene; the hash, or the failure, is in the result. */
static inline Rig rig_play(const Scene *scene, const nnp_comm *comm, int64_t threads, int odd) {
  Rig rig;
  memset(&rig, 0, sizeof rig);
  rig.comm = comm;
  rig.odd = odd;
  rig.hash = 0xcbf29ce484222325u;
  scene->play(&rig, threads);
  rig_free(&rig);
  return rig;
}

#endif

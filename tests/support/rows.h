/* Chains whose rows are spread over ranks, as one rank sees them: each scene makes a network, its part
 * of the same made rows and chains on it, and hashes all that came of it. The hashes must be the same
 * for any number of ranks and threads, however rows are cut. */
#ifndef NNPOST_TESTS_ROWS_H
#define NNPOST_TESTS_ROWS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnpost_diagnostics.h"
#include "tests/support/threads.h"

enum { ROWS_TOTAL = 1100, ROWS_BLOCKS = 9, ROWS_CHAINS = 2 /* at most */, ROWS_MOST = 96 };

/* How rows are cut: evenly, or a block for every rank but the last. */
enum { CUT_EVEN = 0, CUT_UNEVEN = 1 };
/* What is odd about this rank. */
enum {
  ODD_NOTHING = 0,
  ODD_INPUTS = 1,
  ODD_LABEL = 2,
  ODD_NOISE = 3,
  ODD_SEED = 4,
  ODD_SIMD_LEVEL = 5,
  ODD_CALLS = 6,
  ODD_START = 7,
  ODD_FEATURES = 8,
  ODD_EMPTY = 9,
  ODD_OVERLAP = 10,
  ODD_STEPS = 11,
  ODD_MOVES = 12
};

typedef struct RowsRig {
  const nnp_comm *comm; /* NULL: none */
  int64_t threads;
  int cut, odd;
  nnp_pool *pool;
  nnp_net *net;
  nnp_rows rows;
  nnp_data *data;
  nnp_chain *chains[ROWS_CHAINS];
  int64_t features, sites, widths[5]; /* of the network */
  int count;                          /* of chains */
  uint64_t hash;                      /* of what all ranks have */
  uint64_t own;                       /* of this rank's rows, in any order of them */
  int32_t status;
  nnp_error failure, err;
} RowsRig;

static inline uint64_t rows_hash(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *p = (const unsigned char *)bytes;
  size_t i;
  for (i = 0; i < size; ++i) hash = (hash ^ p[i]) * 0x100000001b3u;
  return hash;
}
static inline void rows_add(RowsRig *rig, const void *bytes, size_t size) {
  rig->hash = rows_hash(rig->hash, bytes, size);
}
static inline int rows_ok(RowsRig *rig, int32_t status) {
  if (rig->status == NNP_OK && status != NNP_OK) {
    rig->status = status;
    rig->failure = rig->err;
  }
  return rig->status == NNP_OK;
}
/* Not made after a failure. */
#define ROWS(call) rows_ok(rig, rig->status == NNP_OK ? (call) : rig->status)

static inline void rows_free(RowsRig *rig) {
  int c;
  for (c = 0; c < ROWS_CHAINS; ++c) nnp_chain_free(rig->chains[c]);
  nnp_data_free(rig->data);
  nnp_net_free(rig->net);
  if (rig->pool) nnp_pool_free(rig->pool);
}

/* Row i of the made data. */
static inline double rows_input(int64_t i, int64_t j) {
  return 4 * fmod((double)(i * 131 + j * 7 + 1) * 0.6180339887498949, 1) - 2;
}
static inline double rows_target(int64_t i) {
  return fabs(rows_input(i, 0)) - 0.5 * rows_input(i, 1) + 0.1 * sin((double)i);
}

/* Blocks of rank r of `ranks` begin here. */
static inline int64_t rows_bound(int cut, int ranks, int r) {
  if (cut == CUT_UNEVEN) return r < ranks ? r : ROWS_BLOCKS;
  return r * ROWS_BLOCKS / ranks;
}

static inline void rows_cut(RowsRig *rig) {
  const int ranks = rig->comm ? rig->comm->size : 1, rank = rig->comm ? rig->comm->rank : 0;
  int64_t first = 0, end = 0;
  if (rig->cut == CUT_EVEN) {
    ROWS(nnp_rows_split(rig->comm, ROWS_TOTAL, ROWS_BLOCKS, &rig->rows, &rig->err));
  } else {
    ROWS(nnp_rows_of_block(ROWS_TOTAL, ROWS_BLOCKS, rows_bound(rig->cut, ranks, rank), &first, NULL,
                           &rig->err));
    ROWS(nnp_rows_of_block(ROWS_TOTAL, ROWS_BLOCKS, rows_bound(rig->cut, ranks, rank + 1), &end,
                           NULL, &rig->err));
    rig->rows.total = ROWS_TOTAL;
    rig->rows.blocks = ROWS_BLOCKS;
    rig->rows.first = first;
    rig->rows.count = end - first;
  }
  if (rig->odd == ODD_EMPTY) rig->rows.count = 0;
  if (rig->odd == ODD_OVERLAP) rig->rows.first = 0;
}

static inline void rows_data(RowsRig *rig, int32_t head) {
  const int64_t n = rig->rows.count, p = rig->features;
  double *x = (double *)malloc(sizeof(double) * (size_t)(n * p + 1));
  double *y = (double *)malloc(sizeof(double) * (size_t)(n + 1));
  int32_t *labels = (int32_t *)malloc(sizeof(int32_t) * (size_t)(n + 1));
  int64_t i, j;
  for (i = 0; i < n; ++i) {
    const int64_t row = rig->rows.first + i;
    for (j = 0; j < p; ++j) x[i * p + j] = rows_input(row, j);
    y[i] = rows_target(row);
    labels[i] = head == NNP_ARGMAX ? (int32_t)(y[i] > 0) + (int32_t)(y[i] > 1) : y[i] > 0 ? 1 : -1;
  }
  if (rig->odd == ODD_INPUTS && n > 0) x[0] = NAN;
  if (rig->odd == ODD_LABEL && n > 0) labels[n - 1] = 7;
  ROWS(nnp_data_create_rows(&rig->data, &rig->rows, rig->comm, rig->odd == ODD_FEATURES ? p + 1 : p,
                            1, &rig->err));
  ROWS(nnp_data_set_inputs(rig->data, x, NNP_ROW_MAJOR, &rig->err));
  ROWS(nnp_data_set_targets(rig->data, y, NNP_ROW_MAJOR, &rig->err));
  ROWS(nnp_data_set_labels(rig->data, labels, &rig->err));
  if (rig->odd == ODD_CALLS) ROWS(nnp_data_set_labels(rig->data, labels, &rig->err));
  free(x);
  free(y);
  free(labels);
}

static inline void rows_site(RowsRig *rig, int64_t width) {
  rig->widths[rig->sites++] = width;
}
static inline void rows_hidden(RowsRig *rig, int64_t units) {
  ROWS(nnp_net_dense(rig->net, units, &rig->err));
  ROWS(nnp_net_activation(rig->net, NNP_RELU, &rig->err));
  rows_site(rig, units);
  rows_site(rig, units);
}
static inline void rows_head(RowsRig *rig, int32_t head, double noise) {
  const int64_t outputs = head == NNP_ARGMAX ? 3 : 1;
  ROWS(nnp_net_dense(rig->net, outputs, &rig->err));
  rows_site(rig, outputs);
  ROWS(nnp_net_head(rig->net, head, &rig->err));
  ROWS(nnp_net_set(rig->net, NNP_ALL_LAYERS, NNP_NOISE, rig->odd == ODD_NOISE ? 2 * noise : noise,
                   &rig->err));
}
static inline void rows_net(RowsRig *rig, int64_t features, int64_t units, int32_t head,
                            double noise) {
  rig->features = features;
  ROWS(nnp_net_create(&rig->net, features, &rig->err));
  rows_hidden(rig, units);
  rows_head(rig, head, noise);
}

static inline void rows_chains(RowsRig *rig, int32_t head, int32_t sampler, int32_t posterior) {
  int c;
  rows_cut(rig);
  rows_data(rig, head);
  if (rig->threads > 1) ROWS(nnp_pool_create(&rig->pool, threads_here(rig->threads), &rig->err));
  for (c = 0; c < rig->count && rig->status == NNP_OK; ++c) {
    ROWS(nnp_chain_create(&rig->chains[c], rig->net, rig->data, sampler, posterior, &rig->err));
    if (rig->pool) ROWS(nnp_chain_use_pool(rig->chains[c], rig->pool, &rig->err));
    if (rig->odd == ODD_SIMD_LEVEL)
      ROWS(nnp_chain_set(rig->chains[c], NNP_OPTION_SIMD, 1, &rig->err));
    if (rig->odd == ODD_MOVES) ROWS(nnp_chain_set(rig->chains[c], NNP_OPTION_MOVES, 0, &rig->err));
  }
}

/* Sites of a chain by row, whoever has it. */
static inline void rows_hash_sites(RowsRig *rig, const nnp_chain *chain) {
  double *values = (double *)malloc(sizeof(double) * (size_t)(rig->rows.count * ROWS_MOST));
  int64_t site, i;
  for (site = 1; site <= rig->sites; ++site) {
    const int64_t width = rig->widths[site - 1];
    if (nnp_chain_site(chain, site, values, &rig->err) != NNP_OK) continue; /* classical */
    for (i = 0; i < rig->rows.count; ++i) {
      const int64_t row = rig->rows.first + i;
      uint64_t hash = rows_hash(0xcbf29ce484222325u, &row, sizeof row);
      hash = rows_hash(hash, &site, sizeof site);
      rig->own ^= rows_hash(hash, values + i * width, sizeof(double) * (size_t)width);
    }
  }
  free(values);
}

static inline void rows_end(RowsRig *rig) {
  double density = 0;
  int c;
  for (c = 0; c < rig->count && rig->status == NNP_OK; ++c) {
    if (ROWS(nnp_chain_log_density(rig->chains[c], &density, &rig->err)))
      rows_add(rig, &density, sizeof density);
    if (ROWS(nnp_chain_gradient_statistic(rig->chains[c], 1, &density, &rig->err)))
      rows_add(rig, &density, sizeof density);
    rows_hash_sites(rig, rig->chains[c]);
  }
}

static inline void rows_start(RowsRig *rig, int32_t start) {
  ROWS(nnp_chains_start(rig->chains, rig->count, start, rig->odd == ODD_SEED ? 6 : 5, NULL, NULL,
                        &rig->err));
}

static inline void rows_sample(RowsRig *rig, int64_t steps, int64_t count, int64_t thin) {
  int64_t parameters = 0;
  double *draws;
  if (rig->odd == ODD_STEPS) ++steps;
  if (!ROWS(nnp_net_parameters(rig->net, &parameters, &rig->err))) return;
  draws = (double *)calloc((size_t)(parameters * count * rig->count), sizeof(double));
  ROWS(nnp_chains_run(rig->chains, rig->count, steps, NULL, NULL, &rig->err));
  if (ROWS(nnp_chains_sample(rig->chains, rig->count, draws, count, thin, NULL, NULL, &rig->err)))
    rows_add(rig, draws, (size_t)(parameters * count * rig->count) * sizeof(double));
  free(draws);
  rows_end(rig);
}

/* ---- Scenes ---------------------------------------------------------------------------------------- */

static inline void rows_gibbs(RowsRig *rig) {
  rig->count = 2;
  rows_net(rig, 3, 4, NNP_GAUSSIAN, 0.1);
  rows_chains(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE);
  rows_start(rig, NNP_START_PRIOR);
  rows_sample(rig, 10, 6, 3);
}

/* Vectors so long that each rank adds up a slice of them. */
static inline void rows_wide(RowsRig *rig) {
  rows_net(rig, 90, 30, NNP_GAUSSIAN, 0.1);
  rows_chains(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE);
  rows_start(rig, NNP_START_ZERO);
  rows_sample(rig, 2, 2, 1);
}

/* Every scale learned, with the moves that go with them, after a descent. */
static inline void rows_scales(RowsRig *rig) {
  rows_net(rig, 3, 4, NNP_GAUSSIAN, 0.1);
  ROWS(nnp_net_learn(rig->net, NNP_ALL_LAYERS, NNP_NOISE, 0, 0, &rig->err));
  ROWS(nnp_net_learn(rig->net, 1, NNP_ARD, 0, 0, &rig->err));
  ROWS(nnp_net_learn(rig->net, 3, NNP_LAMBDA_W, 0, 0, &rig->err));
  ROWS(nnp_net_learn(rig->net, NNP_ALL_LAYERS, NNP_LAMBDA_B, 0, 0, &rig->err));
  rows_chains(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE);
  rows_start(rig, NNP_START_FIT);
  rows_sample(rig, 6, 4, 1);
}

static inline void rows_classes(RowsRig *rig) {
  int c;
  rows_net(rig, 3, 4, NNP_ARGMAX, 0.5);
  rows_chains(rig, NNP_ARGMAX, NNP_GIBBS, NNP_INTERMEDIATE);
  for (c = 0; c < rig->count; ++c)
    ROWS(nnp_chain_set(rig->chains[c], NNP_OPTION_SCHEDULE, NNP_PARALLEL, &rig->err));
  rows_start(rig, NNP_START_ZERO);
  rows_sample(rig, 6, 3, 2);
}

static inline void rows_sign(RowsRig *rig) {
  int c;
  rows_net(rig, 3, 4, NNP_SIGN_HEAD, 0.5);
  rows_chains(rig, NNP_SIGN_HEAD, NNP_GIBBS, NNP_INTERMEDIATE);
  for (c = 0; c < rig->count; ++c)
    ROWS(nnp_chain_set(rig->chains[c], NNP_OPTION_SCHEDULE, NNP_BACKWARD, &rig->err));
  rows_start(rig, NNP_START_PRIOR);
  for (c = 0; c < rig->count; ++c) ROWS(nnp_chain_anneal(rig->chains[c], 2, 4, &rig->err));
  rows_sample(rig, 6, 3, 2);
}

/* Every row has a noise of its own. */
static inline void rows_heavy(RowsRig *rig) {
  rows_net(rig, 3, 4, NNP_STUDENT_T, 0.1);
  ROWS(nnp_net_learn(rig->net, 3, NNP_NOISE, 0, 0, &rig->err));
  rows_chains(rig, NNP_STUDENT_T, NNP_GIBBS, NNP_INTERMEDIATE);
  rows_start(rig, NNP_START_PRIOR);
  ROWS(nnp_chains_descend(rig->chains, rig->count, 3, NULL, NULL, &rig->err));
  rows_sample(rig, 6, 3, 2);
}

static inline void rows_deep(RowsRig *rig) {
  rig->features = 3;
  ROWS(nnp_net_create(&rig->net, 3, &rig->err));
  rows_hidden(rig, 6);
  rows_hidden(rig, 5);
  rows_head(rig, NNP_GAUSSIAN, 0.2);
  rows_chains(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE);
  rows_start(rig, NNP_START_PRIOR);
  rows_sample(rig, 5, 3, 2);
}

static inline void rows_images(RowsRig *rig) {
  rig->features = 36;
  ROWS(nnp_net_create(&rig->net, 36, &rig->err));
  ROWS(nnp_net_image(rig->net, 1, 6, 6, &rig->err));
  ROWS(nnp_net_conv2d(rig->net, 2, 3, 3, 1, 1, &rig->err));
  rows_site(rig, 2 * 4 * 4);
  ROWS(nnp_net_avgpool(rig->net, 2, 2, &rig->err));
  rows_site(rig, 2 * 2 * 2);
  ROWS(nnp_net_activation(rig->net, NNP_RELU, &rig->err));
  rows_site(rig, 2 * 2 * 2);
  rows_head(rig, NNP_ARGMAX, 0.2);
  rows_chains(rig, NNP_ARGMAX, NNP_GIBBS, NNP_INTERMEDIATE);
  rows_start(rig, NNP_START_PRIOR);
  rows_sample(rig, 3, 2, 1);
}

static inline void rows_gradient(RowsRig *rig, int32_t sampler, int32_t posterior, int learn) {
  enum { WARMUP = 12 };
  double value = 0;
  int c;
  rows_net(rig, 3, 4, NNP_GAUSSIAN, 0.1);
  if (learn) ROWS(nnp_net_learn(rig->net, 3, NNP_NOISE, 0, 0, &rig->err));
  if (learn) ROWS(nnp_net_learn(rig->net, 3, NNP_LAMBDA_W, 0, 0, &rig->err));
  rows_chains(rig, NNP_GAUSSIAN, sampler, posterior);
  for (c = 0; c < rig->count; ++c) {
    ROWS(nnp_chain_set(rig->chains[c], NNP_OPTION_WARMUP, WARMUP, &rig->err));
    if (sampler == NNP_NUTS)
      ROWS(nnp_chain_set(rig->chains[c], NNP_OPTION_MAX_DEPTH, 3, &rig->err));
  }
  rows_start(rig, NNP_START_SMALL);
  rows_sample(rig, WARMUP, 2, 2);
  for (c = 0; c < rig->count; ++c)
    if (ROWS(nnp_chain_statistic(rig->chains[c], NNP_STEP_ENERGY, &value, &rig->err)))
      rows_add(rig, &value, sizeof value);
}
static inline void rows_hmc(RowsRig *rig) {
  rows_gradient(rig, NNP_HMC, NNP_INTERMEDIATE, 0);
}
static inline void rows_hmc_classical(RowsRig *rig) {
  rows_gradient(rig, NNP_HMC, NNP_CLASSICAL, 1);
}
static inline void rows_nuts(RowsRig *rig) {
  rows_gradient(rig, NNP_NUTS, NNP_INTERMEDIATE, 0);
}
static inline void rows_mala(RowsRig *rig) {
  rows_gradient(rig, NNP_MALA, NNP_INTERMEDIATE, 1);
}

/* Weights given by the caller, a descent of them, steps. */
static inline void rows_weights(RowsRig *rig) {
  int64_t parameters = 0, i;
  int c;
  double *weights;
  rows_net(rig, 3, 4, NNP_GAUSSIAN, 0.1);
  rows_chains(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE);
  if (!ROWS(nnp_net_parameters(rig->net, &parameters, &rig->err))) return;
  weights = (double *)malloc(sizeof(double) * (size_t)parameters);
  for (i = 0; i < parameters; ++i) weights[i] = sin((double)i + 1);
  if (rig->odd == ODD_START) weights[1] += 1e-9;
  for (c = 0; c < rig->count; ++c)
    ROWS(nnp_chain_start_weights(rig->chains[c], weights, 1, 3, (uint64_t)c, &rig->err));
  free(weights);
  ROWS(nnp_chains_descend(rig->chains, rig->count, 10, NULL, NULL, &rig->err));
  rows_sample(rig, 2, 2, 1);
}

typedef struct RowsScene {
  const char *name;
  void (*play)(RowsRig *rig);
} RowsScene;

static const RowsScene rows_scenes[] = {
    {"rows_gibbs", rows_gibbs},     {"rows_wide", rows_wide},
    {"rows_scales", rows_scales},   {"rows_classes", rows_classes},
    {"rows_sign", rows_sign},       {"rows_heavy", rows_heavy},
    {"rows_hmc", rows_hmc},         {"rows_hmc_classical", rows_hmc_classical},
    {"rows_nuts", rows_nuts},       {"rows_mala", rows_mala},
    {"rows_weights", rows_weights}, {"rows_deep", rows_deep},
    {"rows_images", rows_images},
};
enum { ROWS_SCENES = sizeof rows_scenes / sizeof *rows_scenes };

/* Plays a scene; then the hash is of the rows of all ranks, too. */
static inline RowsRig rows_play(const RowsScene *scene, const nnp_comm *comm, int64_t threads,
                                int cut, int odd) {
  RowsRig rig;
  uint64_t all[64] = {0};
  int r;
  memset(&rig, 0, sizeof rig);
  rig.comm = comm;
  rig.threads = threads;
  rig.cut = cut;
  rig.odd = odd;
  rig.count = 1;
  rig.hash = 0xcbf29ce484222325u;
  scene->play(&rig);
  if (rig.status == NNP_OK) {
    all[0] = rig.own;
    if (comm && comm->size > 1 && comm->allgather(&rig.own, all, sizeof rig.own, comm->user) != 0)
      rig.status = -1;
    for (r = 1; comm && r < comm->size; ++r) all[0] ^= all[r];
    rows_add(&rig, all, sizeof *all);
  }
  rows_free(&rig);
  return rig;
}

#endif

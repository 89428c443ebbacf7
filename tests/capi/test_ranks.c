/* Chains over ranks, the ranks being threads of this process: the same bits for any number of ranks
 * and threads, whatever is run; ranks that disagree, fail or stop; checked mode; folders. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "tests/support/ranks.h"

#include <float.h>
#include <time.h>

#include "tests/support/cast.h"
#ifndef _WIN32
#include <unistd.h>
#endif

enum { MOST_RANKS = 4 };

void setUp(void) {}
void tearDown(void) {}

static void play(Actor *actor) {
  const Rig rig = rig_play((const Scene *)actor->scene, &actor->comm, actor->threads, actor->odd);
  const Outcome outcome = {rig.hash, rig.status, rig.failure};
  actor->result = outcome;
}

static nnp_team *cast(Actor *actors, int ranks, const Scene *scene, int64_t threads) {
  return cast_team(actors, ranks, play, scene, threads);
}

static const Scene *scene_of(const char *name) {
  for (int i = 0; i < SCENES; ++i)
    if (strcmp(scenes[i].name, name) == 0) return &scenes[i];
  TEST_FAIL_MESSAGE(name);
  return NULL;
}

/* What one process makes of it, without a communicator. */
static uint64_t alone(const Scene *scene) {
  const Rig rig = rig_play(scene, NULL, 1, ODD_NOT);
  TEST_ASSERT_EQUAL_INT_MESSAGE(NNP_OK, rig.status, rig.failure.message);
  return rig.hash;
}

/* ---- The same bits -------------------------------------------------------------------------------- */

/* Of 1, 2, 3, 4 ranks with 1 and 2 threads every other one; mpi/ranks_test.sh has all of them. */
static void test_the_same_bits_on_any_number_of_ranks(void) {
  Actor actors[MOST_RANKS];
  for (int i = 0; i < SCENES; ++i) {
    const uint64_t expected = alone(&scenes[i]);
    for (int ranks = only_watched() ? 3 : 1; ranks <= shortened(MOST_RANKS, 3); ++ranks) {
      nnp_team *team = cast(actors, ranks, &scenes[i], 1 + (ranks + i) % 2);
      perform(actors, ranks);
      nnp_team_free(team);
      expect_hash(scenes[i].name, actors, ranks, expected);
    }
  }
}

/* More ranks than chains: some have nothing to do. */
static void test_ranks_without_work(void) {
  enum { MANY = 7 };
  Actor actors[MANY];
  const char *names[] = {"gibbs", "exchange"};
  for (int i = 0; i < 2; ++i) {
    nnp_team *team = cast(actors, MANY, scene_of(names[i]), 1);
    perform(actors, MANY);
    nnp_team_free(team);
    expect_hash(names[i], actors, MANY, alone(scene_of(names[i])));
  }
}

static void test_checked_ranks_agree(void) {
  Actor actors[2];
  for (int i = 0; i < SCENES; ++i) {
    nnp_team *team = cast(actors, 2, &scenes[i], 1);
    for (int r = 0; r < 2; ++r) actors[r].comm.checked = 1;
    perform(actors, 2);
    nnp_team_free(team);
    expect_hash(scenes[i].name, actors, 2, alone(&scenes[i]));
  }
}

/* ---- Ranks that disagree -------------------------------------------------------------------------- */

static void test_ranks_that_disagree_are_named(void) {
  const struct {
    int odd;
    const char *text;
  } cases[] = {{ODD_DATA, "rank 2 has other data than rank 0"},
               {ODD_NETWORK, "rank 2 has another network"},
               {ODD_OPTION, "rank 2 has other options"},
               {ODD_SIMD, "rank 2 has another SIMD level or BLAS"}};
  Actor actors[3];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    if (cases[i].odd == ODD_SIMD && !has_other_levels()) continue;
    nnp_team *team = cast(actors, 3, scene_of("gibbs"), 1);
    actors[2].odd = cases[i].odd;
    perform(actors, 3);
    nnp_team_free(team);
    expect_failure(actors, 3, NNP_E_RANKS, cases[i].text);
  }
}

/* Whatever is called. */
static void test_every_call_finds_other_data(void) {
  Actor actors[2];
  for (int i = 0; i < SCENES; ++i) {
    nnp_team *team = cast(actors, 2, &scenes[i], 1);
    actors[1].odd = ODD_DATA;
    perform(actors, 2);
    nnp_team_free(team);
    expect_failure(actors, 2, NNP_E_RANKS, "rank 1 has other data than rank 0");
  }
}

static void test_another_blas_on_one_rank(void) {
  Actor actors[3];
  nnp_team *team;
  if (rig_play(scene_of("gibbs"), NULL, 1, ODD_BLAS).status == NNP_E_UNSUPPORTED)
    TEST_IGNORE_MESSAGE("this build has no BLAS");
  team = cast(actors, 3, scene_of("gibbs"), 1);
  for (int r = 0; r < 3; ++r) actors[r].odd = r == 2 ? ODD_BLAS : ODD_NO_BLAS;
  perform(actors, 3);
  nnp_team_free(team);
  expect_failure(actors, 3, NNP_E_RANKS, "rank 2 has another SIMD level or BLAS");
}

static void test_checked_on_one_rank_only(void) {
  Actor actors[3];
  nnp_team *team = cast(actors, 3, scene_of("gibbs"), 1);
  actors[1].comm.checked = 1;
  perform(actors, 3);
  nnp_team_free(team);
  expect_failure(actors, 3, NNP_E_RANKS, "rank 1 has another call, or other arguments,");
}

/* Other seeds, arguments or calls on one rank; a call that one rank refuses. */
static int mixed_kind;
enum { MIXED_SEED, MIXED_STEPS, MIXED_CALL, MIXED_REFUSED, MIXED_THIN, MIXED_START };

static void scene_mixed(Rig *rig, int64_t threads) {
  double draws[17 + 4 + 1] = {0};
  nnp_error problem;
  const int odd = rig->odd;
  nnp_multistart *multistart = NULL;
  rig->odd = ODD_NOT;
  if (!rig_make(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, threads)) return;
  if (mixed_kind == MIXED_START)
    rig_start(rig, odd ? 12345 : NNP_START_FIT, 5);
  else
    rig_start(rig, NNP_START_PRIOR, odd && mixed_kind == MIXED_SEED ? 6 : 5);
  if (odd && mixed_kind == MIXED_CALL) {
    rig_ok(rig, nnp_multistart_create(&multistart, rig->chains, RANKS_CHAINS, &problem), &problem);
    nnp_multistart_set(multistart, NNP_MULTISTART_STEPS, 1000, &problem);
    rig_ok(rig, nnp_multistart_run(multistart, 1, NULL, NULL, &problem), &problem);
    nnp_multistart_free(multistart);
  } else if (mixed_kind == MIXED_THIN) {
    rig_ok(rig, nnp_chains_sample(rig->chains, 1, draws, 1, odd ? 0 : 3, NULL, NULL, &problem),
           &problem);
  } else {
    const int64_t steps = !odd                          ? 4
                          : mixed_kind == MIXED_STEPS   ? 5
                          : mixed_kind == MIXED_REFUSED ? -1
                                                        : 4;
    rig_ok(rig, nnp_chains_run(rig->chains, RANKS_CHAINS, steps, NULL, NULL, &problem), &problem);
  }
}

static void test_different_calls_fail_on_every_rank(void) {
  const struct {
    int kind;
    int32_t status;
    const char *text;
  } cases[] = {{MIXED_SEED, NNP_E_RANKS, "another seed, start or state"},
               {MIXED_STEPS, NNP_E_RANKS, "another call, or other arguments,"},
               {MIXED_CALL, NNP_E_RANKS, "another call, or other arguments,"},
               {MIXED_REFUSED, NNP_E_SIZE, "steps = -1: expected"},
               {MIXED_THIN, NNP_E_SIZE, "thin = 0: expected"},
               {MIXED_START, NNP_E_ENUM, "start = 12345: expected"}};
  const Scene scene = {"mixed", scene_mixed};
  Actor actors[3];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    for (int odd = 0; odd < 3; odd += 2) { /* also where the first rank is the odd one */
      nnp_team *team = cast(actors, 3, &scene, 1);
      mixed_kind = cases[i].kind;
      actors[odd].odd = 1;
      perform(actors, 3);
      nnp_team_free(team);
      expect_failure(actors, 3, cases[i].status, cases[i].text);
    }
}

/* The same number of sweeps, but other draws: how many a rank keeps, and so receives, is compared. */
static int64_t mixed_draws;

static void scene_mixed_exchange(Rig *rig, int64_t threads) {
  enum { SWEEPS = 8 };
  double draws[SWEEPS * (17 + 4)] = {0};
  nnp_error problem;
  nnp_exchange *exchange = NULL;
  const int64_t count = rig->odd ? mixed_draws : SWEEPS / 2;
  rig->odd = ODD_NOT;
  if (!rig_make(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, threads)) return;
  rig_ok(rig, nnp_exchange_create(&exchange, rig->chains, RANKS_CHAINS, &problem), &problem);
  rig_ok(rig, nnp_exchange_set(exchange, NNP_EXCHANGE_REPLICAS, 4, &problem), &problem);
  rig_ok(rig, nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_PRIOR, 17, &problem), &problem);
  if (count > 0)
    rig_ok(rig, nnp_exchange_sample(exchange, draws, count, SWEEPS / count, NULL, NULL, &problem),
           &problem);
  else
    rig_ok(rig, nnp_exchange_run(exchange, SWEEPS, NULL, NULL, &problem), &problem);
  nnp_exchange_free(exchange);
}

static void test_exchanges_that_keep_other_draws(void) {
  const int64_t kept[] = {0, 2, 8};
  const Scene scene = {"mixed exchange", scene_mixed_exchange};
  Actor actors[2];
  for (size_t i = 0; i < sizeof kept / sizeof *kept; ++i) {
    nnp_team *team = cast(actors, 2, &scene, 1);
    mixed_draws = kept[i];
    actors[1].odd = 1;
    perform(actors, 2);
    nnp_team_free(team);
    expect_failure(actors, 2, NNP_E_RANKS, "rank 1 has another call, or other arguments,");
  }
}

/* Sites that one rank starts from are no part of what ranks compare beforehand. The rank that runs the
 * chain has the say; in checked mode the others find out. */
static void scene_sites(Rig *rig, int64_t threads) {
  nnp_error problem;
  int64_t parameters = 0, latents = 0;
  double *values, *sites;
  const int odd = rig->odd;
  rig->odd = ODD_NOT;
  if (!rig_make(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, threads)) return;
  rig_ok(rig, nnp_net_parameters(rig->net, &parameters, &problem), &problem);
  rig_ok(rig, nnp_net_latents(rig->net, &latents, &problem), &problem);
  values = (double *)calloc((size_t)parameters, sizeof(double));
  sites = (double *)calloc((size_t)(latents * RANKS_ROWS), sizeof(double));
  if (odd) sites[100] = 1e-6;
  for (int c = 0; c < RANKS_CHAINS; ++c)
    rig_ok(rig, nnp_chain_start_state(rig->chains[c], values, sites, 1, (uint64_t)c, &problem),
           &problem);
  rig_sample(rig, 3, 2, 1);
  free(values);
  free(sites);
}

static void test_checked_mode_finds_different_input(void) {
  const Scene scene = {"sites", scene_sites};
  Actor actors[3];
  for (int checked = 0; checked < 2; ++checked) {
    nnp_team *team = cast(actors, 3, &scene, 1);
    for (int r = 0; r < 3; ++r) actors[r].comm.checked = checked;
    actors[2].odd = ODD_SITES;
    perform(actors, 3);
    nnp_team_free(team);
    if (checked) expect_failure(actors, 3, NNP_E_RANKS, "rank 2 has different results of chain 0");
  }
  TEST_ASSERT_NOT_NULL(
      strstr(actors[0].result.failure.message, "check that all ranks have the same input"));
}

/* ---- Communicators that fail ---------------------------------------------------------------------- */

static int32_t flawed_allgather(const void *mine, void *all, int64_t bytes, void *user) {
  Flaw *flaw = (Flaw *)user;
  const int wrong = goes_wrong(flaw, FLAW_GATHER);
  unsigned char *aside = wrong ? (unsigned char *)malloc((size_t)bytes * MOST_RANKS) : NULL;
  const int32_t status = flaw->inner.allgather(mine, wrong ? aside : all, bytes, flaw->inner.user);
  free(aside);
  return status;
}

static int32_t flawed_broadcast(void *buffer, int64_t bytes, int32_t root, void *user) {
  Flaw *flaw = (Flaw *)user;
  int32_t status;
  if (goes_wrong(flaw, FLAW_FAILS)) return 77;
  if (goes_wrong(flaw, FLAW_SHORT) && root != flaw->inner.rank) {
    void *aside = malloc((size_t)bytes);
    status = flaw->inner.broadcast(aside, bytes, root, flaw->inner.user);
    memcpy(buffer, aside, (size_t)bytes / 2);
    free(aside);
    return status;
  }
  status = flaw->inner.broadcast(buffer, bytes, root, flaw->inner.user);
  if (root != flaw->inner.rank && goes_wrong(flaw, FLAW_VERSION)) ((unsigned char *)buffer)[8] ^= 1;
  if (bytes > 1000 && root != flaw->inner.rank && goes_wrong(flaw, FLAW_FLIPS))
    ((unsigned char *)buffer)[bytes / 2] ^= 1;
  return status;
}

static void give_flaw(Actor *actor, int kind, int after) {
  pass_through(&actor->comm, &actor->flaw, kind, after);
  actor->comm.allgather = flawed_allgather;
  actor->comm.broadcast = flawed_broadcast;
}

/* The first thing that ranks tell each other is their version. */
static void test_another_version_on_one_rank(void) {
  Actor actors[3];
  nnp_team *team = cast(actors, 3, scene_of("gibbs"), 1);
  give_flaw(&actors[2], FLAW_VERSION, 0);
  perform(actors, 3);
  nnp_team_free(team);
  expect_failure(actors, 3, NNP_E_RANKS, "rank 2 has another version of the library than rank 0");
}

/* Nobody waits for ever, whenever it happens; the rank that noticed says what. */
static void test_a_function_that_fails_ends_the_call_on_every_rank(void) {
  const char *names[] = {"gibbs", "exchange"};
  Actor actors[3];
  for (int i = 0; i < 2; ++i)
    for (int after = 0; after < shortened(40, 10); after += 9) {
      nnp_team *team = cast(actors, 3, scene_of(names[i]), 1);
      give_flaw(&actors[1], FLAW_FAILS, after);
      perform(actors, 3);
      nnp_team_free(team);
      expect_failure(actors, 3, NNP_E_COMM, "returned");
      TEST_ASSERT_NOT_NULL(
          strstr(actors[1].result.failure.message, "broadcast returned 77 on rank 1"));
    }
}

/* Either it did no harm, as the half that is missing was there before, or all ranks say so. */
static void test_messages_that_are_cut_short_are_noticed(void) {
  const int kinds[] = {FLAW_SHORT, FLAW_GATHER, FLAW_FLIPS};
  const uint64_t expected = alone(scene_of("gibbs"));
  Actor actors[3];
  int noticed[3] = {0};
  for (int i = 0; i < 3; ++i)
    for (int after = 0; after < 6; ++after) {
      nnp_team *team = cast(actors, 3, scene_of("gibbs"), 1);
      give_flaw(&actors[2], kinds[i], after);
      perform(actors, 3);
      nnp_team_free(team);
      noticed[i] += expect_one_end(actors, 3, expected);
      if (actors[0].result.status != NNP_OK && actors[0].result.status != NNP_E_COMM)
        TEST_ASSERT_EQUAL_INT(NNP_E_RANKS, actors[0].result.status);
    }
  TEST_ASSERT_TRUE(noticed[0] > 0);
  TEST_ASSERT_EQUAL_INT(6, noticed[1]);
  TEST_ASSERT_EQUAL_INT(6, noticed[2]);
}

static void test_messages_that_nobody_sent_are_noticed(void) {
  const char *names[] = {"gibbs", "nuts", "study", "multistart", "exchange"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    expect_foreign_messages_noticed(play, scene_of(names[i]), 0, alone(scene_of(names[i])),
                                    (int)shortened(200, 30));
}

/* Variables of levels that swapped, which only two ranks know of. */
static void test_swapped_variables_that_nobody_sent_are_noticed(void) {
  Actor actors[3];
  for (int after = 0; after < 3; ++after) {
    nnp_team *team = cast(actors, 3, scene_of("exchange"), 1);
    pass_through(&actors[2].comm, &actors[2].flaw, FLAW_TRADE, after);
    perform(actors, 3);
    nnp_team_free(team);
    expect_failure(actors, 3, NNP_E_COMM, "comm: ");
    TEST_ASSERT_NOT_NULL(
        strstr(actors[2].result.failure.message, "in exchange, rank 2 received a wrong"));
  }
}

/* Checked mode also finds what goes wrong while levels swap. */
static void test_checked_exchange_finds_flipped_bits(void) {
  Actor actors[2];
  nnp_team *team = cast(actors, 2, scene_of("exchange"), 1);
  for (int r = 0; r < 2; ++r) actors[r].comm.checked = 1;
  give_flaw(&actors[1], FLAW_FLIPS, 0);
  perform(actors, 2);
  nnp_team_free(team);
  expect_failure(actors, 2, NNP_E_RANKS, "rank 1 has different results of level");
}

/* ---- Keepers that fail ------------------------------------------------------------------------------ */

/* Predictions that overflow, on whatever rank runs the chain. `odd`: this rank gives no keeper. */
static void scene_overflow(Rig *rig, int64_t threads) {
  nnp_error problem;
  nnp_predictor *predictor = NULL;
  nnp_keeper *keeper = NULL;
  nnp_data *far = NULL;
  nnp_kept kept = {0};
  double *x = (double *)calloc(2 * RANKS_INPUTS, sizeof(double));
  const int odd = rig->odd;
  rig->odd = ODD_NOT;
  for (int j = 0; j < RANKS_INPUTS; ++j) x[RANKS_INPUTS + j] = DBL_MAX;
  if (rig_make(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, threads)) {
    rig_start(rig, NNP_START_PRIOR, 5);
    rig_ok(rig, nnp_predictor_create(&predictor, rig->net, 1, &problem), &problem);
    rig_ok(rig, nnp_data_create(&far, 2, RANKS_INPUTS, 0, &problem), &problem);
    rig_ok(rig, nnp_data_set_inputs(far, x, NNP_ROW_MAJOR, &problem), &problem);
    kept.what = NNP_KEEP_MEAN;
    kept.moments = 1;
    kept.predictor = predictor;
    kept.data = far;
    rig_ok(rig, nnp_keeper_create(&keeper, rig->net, &kept, 1, RANKS_CHAINS, &problem), &problem);
    rig_ok(
        rig,
        nnp_chains_keep(rig->chains, RANKS_CHAINS, odd ? NULL : keeper, 3, 1, NULL, NULL, &problem),
        &problem);
  }
  nnp_keeper_free(keeper);
  nnp_predictor_free(predictor);
  nnp_data_free(far);
  free(x);
}

static void test_a_keeper_that_fails_ends_the_call_on_every_rank(void) {
  const Scene scene = {"overflow", scene_overflow};
  Actor actors[MOST_RANKS];
  for (int ranks = 2; ranks <= MOST_RANKS; ++ranks)
    for (int checked = 0; checked < 2; ++checked) {
      nnp_team *team = cast(actors, ranks, &scene, 1 + ranks % 2);
      for (int r = 0; r < ranks; ++r) actors[r].comm.checked = checked;
      perform(actors, ranks);
      nnp_team_free(team);
      expect_failure(actors, ranks, NNP_E_NOT_FINITE, "keeper: mean of draw 0, chain 0: ");
    }
  for (int odd = 0; odd < 3; ++odd) {
    nnp_team *team = cast(actors, 3, &scene, 1);
    actors[odd].odd = 1;
    perform(actors, 3);
    nnp_team_free(team);
    expect_failure(actors, 3, NNP_E_NULL, "keeper: it is NULL");
  }
}

/* ---- Stops ------------------------------------------------------------------------------------------ */

static int32_t stop_after_some(const nnp_progress *progress, void *user) {
  (void)user;
  return progress->step >= 7;
}

static int32_t stop_sweeps(const nnp_exchange_progress *progress, void *user) {
  (void)user;
  return progress->done >= 5;
}

static void scene_stopped(Rig *rig, int64_t threads) {
  nnp_error problem;
  nnp_exchange *exchange = NULL;
  int64_t steps = 0;
  const int odd = rig->odd;
  int32_t status;
  rig->odd = ODD_NOT;
  if (!rig_make(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, threads)) return;
  rig_start(rig, NNP_START_PRIOR, 5);
  status = nnp_chains_run(rig->chains, RANKS_CHAINS, 1000000000, odd ? stop_after_some : NULL, NULL,
                          &problem);
  rig_hash(rig, &status, sizeof status);
  rig_hash_chains(rig);
  if (nnp_chain_steps(rig->chains[0], &steps, &problem) != NNP_OK || steps < 1) rig->status = -1;
  rig_ok(rig, nnp_exchange_create(&exchange, rig->chains, RANKS_CHAINS, &problem), &problem);
  rig_ok(rig, nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_PRIOR, 1, &problem), &problem);
  status = nnp_exchange_run(exchange, 1000000, odd ? stop_sweeps : NULL, NULL, &problem);
  rig_hash(rig, &status, sizeof status);
  if (status != NNP_STOPPED) rig_ok(rig, status, &problem);
  rig_hash_chains(rig);
  nnp_exchange_free(exchange);
}

static void test_a_stop_on_one_rank_stops_all(void) {
  const Scene scene = {"stopped", scene_stopped};
  Actor actors[3];
  nnp_team *team = cast(actors, 3, &scene, 1);
  actors[1].odd = 1;
  perform(actors, 3);
  nnp_team_free(team);
  for (int r = 0; r < 3; ++r) expect_hash(scene.name, actors, 3, actors[1].result.hash);
}

/* A callback that asks to stop when ranks have met for the last time, to say that all of them are done:
 * too late for this part of the call, on every rank, and early enough for the next. */
static struct {
  nnp_comm inner;
  int called, over, late;
} latecomer;

static int32_t late_allgather(const void *mine, void *all, int64_t bytes, void *user) {
  const uint64_t pending = 4;
  const int32_t status = latecomer.inner.allgather(mine, all, bytes, latecomer.inner.user);
  (void)user;
  if (latecomer.called && bytes == (int64_t)sizeof pending) {
    uint64_t any = 0;
    for (int r = 0; r < latecomer.inner.size; ++r) any |= ((const uint64_t *)all)[r];
    latecomer.over = latecomer.over || !(any & pending);
  }
  return status;
}
static int32_t late_broadcast(void *buffer, int64_t bytes, int32_t root, void *user) {
  (void)user;
  return latecomer.inner.broadcast(buffer, bytes, root, latecomer.inner.user);
}
static int32_t late_exchange(const void *out, void *in, int64_t bytes, int32_t peer, void *user) {
  (void)user;
  return latecomer.inner.exchange(out, in, bytes, peer, latecomer.inner.user);
}

static int32_t stop_late(const nnp_multistart_progress *state, void *user) {
  (void)user;
  latecomer.called = 1;
  latecomer.late += latecomer.over && state->best < 0;
  return latecomer.over;
}

static void scene_late(Rig *rig, int64_t threads) {
  nnp_error problem;
  nnp_multistart *multistart = NULL;
  const int odd = rig->odd;
  int32_t status;
  rig->odd = ODD_NOT;
  if (!rig_make(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, threads)) return;
  rig_ok(rig, nnp_multistart_create(&multistart, rig->chains, RANKS_CHAINS, &problem), &problem);
  nnp_multistart_set(multistart, NNP_MULTISTART_STEPS, 704, &problem);
  status = nnp_multistart_run(multistart, 21, odd ? stop_late : NULL, NULL, &problem);
  rig_hash(rig, &status, sizeof status);
  if (status != NNP_STOPPED) rig_ok(rig, status, &problem);
  rig_hash_chains(rig);
  nnp_multistart_free(multistart);
}

static void test_a_stop_that_comes_too_late_splits_no_ranks(void) {
  const Scene scene = {"late", scene_late};
  Actor actors[2];
  nnp_team *team = cast(actors, 2, &scene, 2);
  memset(&latecomer, 0, sizeof latecomer);
  latecomer.inner = actors[0].comm;
  actors[0].comm.allgather = late_allgather;
  actors[0].comm.broadcast = late_broadcast;
  actors[0].comm.exchange = late_exchange;
  actors[0].comm.abort = NULL;
  actors[0].odd = 1;
  perform(actors, 2);
  nnp_team_free(team);
  expect_hash(scene.name, actors, 2, actors[1].result.hash);
  TEST_ASSERT_TRUE(latecomer.late > 0); /* it was asked for in between */
}

/* ---- Going on with another number of ranks --------------------------------------------------------- */

static void *saved[RANKS_CHAINS];
static size_t saved_bytes[RANKS_CHAINS];

static void scene_first_half(Rig *rig, int64_t threads) {
  nnp_error problem;
  if (!rig_make(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, threads)) return;
  rig_start(rig, NNP_START_PRIOR, 5);
  rig_ok(rig, nnp_chains_run(rig->chains, RANKS_CHAINS, 9, NULL, NULL, &problem), &problem);
  for (int c = 0; c < RANKS_CHAINS && rig->comm && rig->comm->rank == 1; ++c) {
    rig_ok(rig, nnp_chain_save_bytes(rig->chains[c], &saved_bytes[c], &problem), &problem);
    saved[c] = malloc(saved_bytes[c]);
    rig_ok(rig, nnp_chain_save(rig->chains[c], saved[c], saved_bytes[c], &problem), &problem);
  }
}

static void scene_second_half(Rig *rig, int64_t threads) {
  nnp_error problem;
  if (!rig_make(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, threads)) return;
  for (int c = 0; c < RANKS_CHAINS; ++c)
    rig_ok(rig, nnp_chain_restore(rig->chains[c], saved[c], saved_bytes[c], &problem), &problem);
  rig_sample(rig, 4, 2, 2);
}

static void scene_whole(Rig *rig, int64_t threads) {
  nnp_error problem;
  if (!rig_make(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, threads)) return;
  rig_start(rig, NNP_START_PRIOR, 5);
  rig_ok(rig, nnp_chains_run(rig->chains, RANKS_CHAINS, 9, NULL, NULL, &problem), &problem);
  rig_sample(rig, 4, 2, 2);
}

static void test_saved_on_two_ranks_goes_on_with_three(void) {
  const Scene first = {"first half", scene_first_half}, second = {"second half", scene_second_half};
  const Scene whole = {"whole", scene_whole};
  Actor actors[3];
  nnp_team *team = cast(actors, 2, &first, 1);
  perform(actors, 2);
  nnp_team_free(team);
  team = cast(actors, 3, &second, 2);
  perform(actors, 3);
  nnp_team_free(team);
  expect_hash(second.name, actors, 3, alone(&whole));
  for (int c = 0; c < RANKS_CHAINS; ++c) free(saved[c]);
}

/* An exchange, likewise: saved by two ranks, restored by three that check each other. */
static void *kept_exchange;
static size_t kept_bytes;
enum { EXCHANGE_WHOLE, EXCHANGE_FIRST, EXCHANGE_SECOND };
static int exchange_part;

static void scene_exchange_part(Rig *rig, int64_t threads) {
  nnp_error problem;
  nnp_exchange *exchange = NULL;
  nnp_exchange_summary summary;
  double draws[4 * (17 + 4)] = {0};
  rig->noise = 300;
  if (!rig_make(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, threads)) return;
  rig_ok(rig, nnp_exchange_create(&exchange, rig->chains, RANKS_CHAINS, &problem), &problem);
  rig_ok(rig, nnp_exchange_set(exchange, NNP_EXCHANGE_REPLICAS, 5, &problem), &problem);
  if (exchange_part == EXCHANGE_SECOND) {
    rig_ok(rig, nnp_exchange_restore(exchange, kept_exchange, kept_bytes, &problem), &problem);
  } else {
    rig_ok(rig, nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_PRIOR, 17, &problem), &problem);
    rig_ok(rig, nnp_exchange_run(exchange, 7, NULL, NULL, &problem), &problem);
  }
  if (exchange_part == EXCHANGE_FIRST && rig->comm->rank == 1) {
    rig_ok(rig, nnp_exchange_save_bytes(exchange, &kept_bytes, &problem), &problem);
    kept_exchange = malloc(kept_bytes);
    rig_ok(rig, nnp_exchange_save(exchange, kept_exchange, kept_bytes, &problem), &problem);
  }
  if (exchange_part != EXCHANGE_FIRST) {
    rig_ok(rig, nnp_exchange_sample(exchange, draws, 4, 2, NULL, NULL, &problem), &problem);
    rig_hash(rig, draws, sizeof draws);
    rig_ok(rig, nnp_exchange_report(exchange, &summary, &problem), &problem);
    rig_hash(rig, &summary, sizeof summary);
  }
  nnp_exchange_free(exchange);
}

static void test_exchange_saved_on_two_ranks_goes_on_with_three(void) {
  const Scene scene = {"part of an exchange", scene_exchange_part};
  Actor actors[3];
  nnp_team *team = cast(actors, 2, &scene, 1);
  exchange_part = EXCHANGE_FIRST;
  perform(actors, 2);
  nnp_team_free(team);
  exchange_part = EXCHANGE_SECOND;
  team = cast(actors, 3, &scene, 2);
  for (int r = 0; r < 3; ++r) actors[r].comm.checked = 1;
  perform(actors, 3);
  nnp_team_free(team);
  exchange_part = EXCHANGE_WHOLE;
  expect_hash(scene.name, actors, 3, alone(&scene));
  free(kept_exchange);
}

/* ---- Folders ---------------------------------------------------------------------------------------- */

#ifndef _WIN32
static void test_folders_carry_messages(void) {
  const char *names[] = {"gibbs", "exchange"};
  char root[] = "/tmp/nnpost-ranks-XXXXXX", path[64], command[96];
  Actor actors[3];
  nnp_folder *folders[3];
  TEST_ASSERT_NOT_NULL(mkdtemp(root));
  for (int i = 0; i < 2; ++i) {
    snprintf(path, sizeof path, "%s/%d", root, i);
    memset(actors, 0, sizeof actors);
    for (int r = 0; r < 3; ++r) {
      OK(nnp_folder_create(&folders[r], path, r, 3, 30, &err));
      OK(nnp_folder_comm(folders[r], &actors[r].comm, &err));
      actors[r].play = play;
      actors[r].scene = scene_of(names[i]);
      actors[r].threads = 1;
    }
    perform(actors, 3);
    for (int r = 0; r < 3; ++r) nnp_folder_free(folders[r]);
    expect_hash(names[i], actors, 3, alone(scene_of(names[i])));
    FAILS(NNP_E_COMM, "expected a new folder",
          nnp_folder_create(&folders[0], path, 0, 3, 30, &err));
  }
  snprintf(command, sizeof command, "rm -r %s", root);
  TEST_ASSERT_EQUAL_INT(0, system(command));
}

static void test_folders_do_not_wait_for_ever(void) {
  char root[] = "/tmp/nnpost-ranks-XXXXXX", command[96];
  Actor actors[2];
  nnp_folder *folder;
  TEST_ASSERT_NOT_NULL(mkdtemp(root));
  memset(actors, 0, sizeof actors);
  OK(nnp_folder_create(&folder, root, 1, 2, 0.05, &err)); /* there is no rank 0 */
  OK(nnp_folder_comm(folder, &actors[0].comm, &err));
  actors[0].play = play;
  actors[0].scene = scene_of("gibbs");
  actors[0].threads = 1;
  perform(actors, 1);
  expect_failure(actors, 1, NNP_E_COMM, "broadcast returned -2 on rank 1");
  nnp_folder_free(folder);
  snprintf(command, sizeof command, "rm -r %s", root);
  TEST_ASSERT_EQUAL_INT(0, system(command));
}

/* Until there is such a file. */
static void wait_for_file(const char *path) {
  const struct timespec rest = {0, 10000000};
  for (int i = 0; i < 6000 && access(path, F_OK) != 0; ++i) nanosleep(&rest, NULL);
}

/* A folder for three ranks, of which rank 1 goes wrong; `patience` in seconds. */
static void perform_in_folder(Actor *actors, const Scene *scene, int kind, int after,
                              double patience) {
  char root[] = "/tmp/nnpost-ranks-XXXXXX", command[96], until[64];
  nnp_folder *folders[3];
  TEST_ASSERT_NOT_NULL(mkdtemp(root));
  snprintf(until, sizeof until, "%s/abort", root);
  memset(actors, 0, 3 * sizeof *actors);
  for (int r = 0; r < 3; ++r) {
    OK(nnp_folder_create(&folders[r], root, r, 3, patience, &err));
    OK(nnp_folder_comm(folders[r], &actors[r].comm, &err));
    actors[r].play = play;
    actors[r].scene = scene;
    actors[r].threads = 1;
  }
  pass_through(&actors[1].comm, &actors[1].flaw, kind, after);
  actors[1].flaw.delay = wait_for_file;
  actors[1].flaw.until = until;
  perform(actors, 3);
  for (int r = 0; r < 3; ++r) nnp_folder_free(folders[r]);
  snprintf(command, sizeof command, "rm -r %s", root);
  TEST_ASSERT_EQUAL_INT(0, system(command));
}

/* A rank that is gone, and one that comes when the others have given up. */
static void test_folders_notice_ranks_that_die_or_are_late(void) {
  const int moments[] = {0, 3, 9, 14};
  const char *names[] = {"gibbs", "exchange"};
  Actor actors[3];
  for (int i = 0; i < 2; ++i)
    for (size_t m = 0; m < sizeof moments / sizeof *moments; ++m)
      for (int kind = FLAW_DIES; kind <= FLAW_LATE; ++kind) {
        perform_in_folder(actors, scene_of(names[i]), kind, moments[m], 0.5);
        expect_failure(actors, 3, NNP_E_COMM, "returned");
      }
}

/* All messages are there when it comes for the last one. (How many there are depends on how long steps take:
 * it may have been one more when they were counted.) */
static void test_folders_notice_ranks_that_are_late_at_the_end(void) {
  Actor actors[3];
  int last = 0, attempts = 0;
  do {
    TEST_ASSERT_TRUE_MESSAGE(++attempts <= 20, "the number of messages never was the same twice");
    perform_in_folder(actors, scene_of("gibbs"), FLAW_NOT, 0, 20);
    expect_hash("gibbs", actors, 3, alone(scene_of("gibbs")));
    last = actors[1].flaw.calls - 1;
    perform_in_folder(actors, scene_of("gibbs"), FLAW_LATE, last, 0.5);
  } while (actors[1].flaw.calls <= last);
  expect_failure(actors, 3, NNP_E_COMM, "returned");
}

static void test_folders_notice_messages_that_nobody_sent(void) {
  Actor actors[3];
  for (int after = 0; after < 12; after += 3) {
    perform_in_folder(actors, scene_of("gibbs"), FLAW_FOREIGN, after, 20);
    for (int r = 0; r < 3; ++r) {
      const int32_t status = actors[r].result.status;
      TEST_ASSERT_TRUE_MESSAGE(status == NNP_E_COMM || status == NNP_E_RANKS,
                               actors[r].result.failure.message);
    }
  }
}
#else
static void test_folders_are_refused(void) {
  nnp_folder *folder = NULL;
  FAILS(NNP_E_UNSUPPORTED, "this build has no folders",
        nnp_folder_create(&folder, "folder", 0, 2, 1, &err));
  TEST_ASSERT_NULL(folder);
}
#endif

/* ---- Bad input -------------------------------------------------------------------------------------- */

static void test_bad_communicators_are_refused(void) {
  Rig whole;
  Rig *rig = &whole;
  nnp_team *team = NULL;
  nnp_folder *folder = NULL;
  nnp_comm good, comm;
  size_t bytes;
  memset(rig, 0, sizeof *rig);
  TEST_ASSERT_TRUE(rig_make(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, 1));
  if (nnp_team_create(&team, 2, &err) == NNP_E_UNSUPPORTED)
    TEST_IGNORE_MESSAGE("this build has no threads");
  OK(err.status);
  OK(nnp_team_comm(team, 1, &good, &err));
  FAILS(NNP_E_SIZE, "rank = 2", nnp_team_comm(team, 2, &comm, &err));
  FAILS(NNP_E_SIZE, "ranks = 0", nnp_team_create(&team, 0, &err));
  FAILS(NNP_E_SIZE, "ranks = 5000", nnp_team_bytes(5000, &bytes, &err));
  FAILS(NNP_E_NULL, "chain", nnp_chain_use_comm(NULL, &good, &err));
#define REFUSED(status, text, change)                                     \
  do {                                                                    \
    comm = good;                                                          \
    change;                                                               \
    FAILS(status, text, nnp_chain_use_comm(rig->chains[0], &comm, &err)); \
  } while (0)
  REFUSED(NNP_E_SIZE, "comm: size = 0", comm.size = 0);
  REFUSED(NNP_E_SIZE, "comm: size = 4097", comm.size = 4097);
  REFUSED(NNP_E_SIZE, "comm: rank = 2", comm.rank = 2);
  REFUSED(NNP_E_SIZE, "comm: rank = -1", comm.rank = -1);
  REFUSED(NNP_E_NULL, "comm: allgather is NULL", comm.allgather = NULL);
  REFUSED(NNP_E_NULL, "comm: broadcast is NULL", comm.broadcast = NULL);
  REFUSED(NNP_E_NULL, "comm: exchange is NULL", comm.exchange = NULL);
  REFUSED(NNP_E_VALUE, "comm: checked = 2", comm.checked = 2);
  REFUSED(NNP_E_VALUE, "comm: reserved", comm.reserved[2] = 1);
  FAILS(NNP_E_NULL, "path", nnp_folder_create(&folder, NULL, 0, 2, 1, &err));
  FAILS(NNP_E_SIZE, "path: it has 0", nnp_folder_create(&folder, "", 0, 2, 1, &err));
  FAILS(NNP_E_SIZE, "rank = 2", nnp_folder_create(&folder, "/tmp", 2, 2, 1, &err));
  FAILS(NNP_E_VALUE, "patience = 0", nnp_folder_create(&folder, "/tmp", 0, 2, 0, &err));
#ifndef _WIN32
  FAILS(NNP_E_COMM, "cannot be made",
        nnp_folder_create(&folder, "/nonexistent/folder", 0, 2, 1, &err));
#endif
  OK(nnp_chain_use_comm(rig->chains[0], NULL, &err));
  nnp_team_free(team);
  rig_free(rig);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_the_same_bits_on_any_number_of_ranks);
  RUN_TEST(test_ranks_without_work);
  RUN_TEST(test_checked_ranks_agree);
  RUN_TEST(test_ranks_that_disagree_are_named);
  RUN_TEST(test_every_call_finds_other_data);
  RUN_TEST(test_another_blas_on_one_rank);
  RUN_TEST(test_another_version_on_one_rank);
  RUN_TEST(test_checked_on_one_rank_only);
  RUN_TEST(test_different_calls_fail_on_every_rank);
  RUN_TEST(test_exchanges_that_keep_other_draws);
  RUN_TEST(test_checked_mode_finds_different_input);
  RUN_TEST(test_a_function_that_fails_ends_the_call_on_every_rank);
  RUN_TEST(test_messages_that_are_cut_short_are_noticed);
  RUN_TEST(test_messages_that_nobody_sent_are_noticed);
  RUN_TEST(test_swapped_variables_that_nobody_sent_are_noticed);
  RUN_TEST(test_checked_exchange_finds_flipped_bits);
  RUN_TEST(test_a_keeper_that_fails_ends_the_call_on_every_rank);
  RUN_TEST(test_a_stop_on_one_rank_stops_all);
  RUN_TEST(test_a_stop_that_comes_too_late_splits_no_ranks);
  RUN_TEST(test_saved_on_two_ranks_goes_on_with_three);
  RUN_TEST(test_exchange_saved_on_two_ranks_goes_on_with_three);
#ifndef _WIN32
  RUN_TEST(test_folders_carry_messages);
  RUN_TEST(test_folders_do_not_wait_for_ever);
  RUN_TEST(test_folders_notice_ranks_that_die_or_are_late);
  RUN_TEST(test_folders_notice_ranks_that_are_late_at_the_end);
  RUN_TEST(test_folders_notice_messages_that_nobody_sent);
#else
  RUN_TEST(test_folders_are_refused);
#endif
  RUN_TEST(test_bad_communicators_are_refused);
  return UNITY_END();
}

/* Rows over ranks, the ranks being threads of this process: the same bits for any number of ranks and
 * threads, however rows are cut; saves that go on with another number of ranks; ranks that disagree,
 * fail, stop or have no rows; checked mode. */
#include "tests/support/rows.h"

#include <float.h>

#include "tests/support/cast.h"

enum { MOST_RANKS = 5 };

void setUp(void) {}
void tearDown(void) {}

static void play(Actor *actor) {
  const RowsRig rig = rows_play((const RowsScene *)actor->scene, &actor->comm, actor->threads,
                                actor->cut, actor->odd);
  const Outcome outcome = {rig.hash, rig.status, rig.failure};
  actor->result = outcome;
}

static nnp_team *cast(Actor *actors, int ranks, const RowsScene *scene, int64_t threads, int cut) {
  nnp_team *team = cast_team(actors, ranks, play, scene, threads);
  for (int r = 0; r < ranks; ++r) actors[r].cut = cut;
  return team;
}

static const RowsScene *scene_of(const char *name) {
  for (int i = 0; i < ROWS_SCENES; ++i)
    if (strcmp(rows_scenes[i].name, name) == 0) return &rows_scenes[i];
  TEST_FAIL_MESSAGE(name);
  return NULL;
}

static uint64_t alone(const RowsScene *scene, int64_t threads) {
  const RowsRig rig = rows_play(scene, NULL, threads, CUT_EVEN, ODD_NOTHING);
  TEST_ASSERT_EQUAL_INT_MESSAGE(NNP_OK, rig.status, rig.failure.message);
  return rig.hash;
}

/* ---- The same bits -------------------------------------------------------------------------------- */

static void test_the_same_bits_however_rows_are_cut(void) {
  Actor actors[MOST_RANKS];
  for (int i = 0; i < ROWS_SCENES; ++i) {
    const RowsScene *scene = &rows_scenes[i];
    const uint64_t expected = alone(scene, 1);
    TEST_ASSERT_EQUAL_HEX64_MESSAGE(expected, alone(scene, 2), scene->name);
    for (int ranks = 2; ranks <= shortened(MOST_RANKS, 2); ++ranks) {
      nnp_team *team =
          cast(actors, ranks, scene, 1 + (ranks + i) % 2, ranks % 2 ? CUT_EVEN : CUT_UNEVEN);
      perform(actors, ranks);
      nnp_team_free(team);
      expect_hash(scene->name, actors, ranks, expected);
    }
  }
}

static void test_checked_ranks_agree(void) {
  Actor actors[3];
  const char *names[] = {"rows_gibbs", "rows_wide", "rows_nuts"};
  for (int i = 0; i < 3; ++i) {
    nnp_team *team = cast(actors, 3, scene_of(names[i]), 1, CUT_UNEVEN);
    for (int r = 0; r < 3; ++r) actors[r].comm.checked = 1;
    perform(actors, 3);
    nnp_team_free(team);
    expect_hash(names[i], actors, 3, alone(scene_of(names[i]), 1));
  }
}

/* ---- Ranks that disagree -------------------------------------------------------------------------- */

static void test_what_one_rank_has_wrong_all_are_told(void) {
  const struct {
    int odd;
    const char *scene;
    int32_t status;
    const char *text;
  } cases[] = {
      {ODD_EMPTY, "rows_gibbs", NNP_E_SIZE, "rows.count = 0: expected 1 to"},
      {ODD_OVERLAP, "rows_gibbs", NNP_E_VALUE, "rows: "},
      {ODD_FEATURES, "rows_gibbs", NNP_E_RANKS, "another call, or other arguments,"},
      {ODD_INPUTS, "rows_gibbs", NNP_E_NOT_FINITE, "x: row 0, column 0"},
      {ODD_LABEL, "rows_classes", NNP_E_LABEL, "7"},
      {ODD_NOISE, "rows_gibbs", NNP_E_RANKS, "another network"},
      {ODD_SEED, "rows_gibbs", NNP_E_RANKS, "another seed, start or state"},
      {ODD_SIMD_LEVEL, "rows_gibbs", NNP_E_RANKS, "another SIMD level or BLAS"},
      {ODD_CALLS, "rows_gibbs", NNP_E_RANKS, "rank "},
      {ODD_START, "rows_weights", NNP_E_RANKS, "another seed, start or state"},
      {ODD_STEPS, "rows_gibbs", NNP_E_RANKS, "another call, or other arguments,"},
      {ODD_MOVES, "rows_gibbs", NNP_E_RANKS, "other options"},
  };
  Actor actors[3];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    if (cases[i].odd == ODD_SIMD_LEVEL && !has_other_levels()) continue;
    nnp_team *team = cast(actors, 3, scene_of(cases[i].scene), 1, CUT_UNEVEN);
    actors[1].odd = cases[i].odd;
    perform(actors, 3);
    nnp_team_free(team);
    expect_failure(actors, 3, cases[i].status, cases[i].text);
  }
}

static void test_checked_on_one_rank_only(void) {
  Actor actors[2];
  nnp_team *team = cast(actors, 2, scene_of("rows_gibbs"), 1, CUT_EVEN);
  actors[1].comm.checked = 1;
  perform(actors, 2);
  nnp_team_free(team);
  expect_failure(actors, 2, NNP_E_RANKS, "another call, or other arguments,");
}

/* ---- Communicators that fail ---------------------------------------------------------------------- */

static int32_t flawed_allgather(const void *mine, void *all, int64_t bytes, void *user) {
  Flaw *flaw = (Flaw *)user;
  int32_t status;
  if (goes_wrong(flaw, FLAW_FAILS)) return 77;
  if (goes_wrong(flaw, FLAW_SHORT)) {
    unsigned char *aside = (unsigned char *)malloc((size_t)(bytes * flaw->inner.size));
    status = flaw->inner.allgather(mine, aside, bytes, flaw->inner.user);
    memcpy(all, aside, (size_t)(bytes * flaw->inner.size) / 2);
    free(aside);
    return status;
  }
  status = flaw->inner.allgather(mine, all, bytes, flaw->inner.user);
  if (bytes > 64 && goes_wrong(flaw, FLAW_FLIPS)) ((unsigned char *)all)[14] ^= 1;
  return status;
}

static int32_t flawed_exchange(const void *out, void *in, int64_t bytes, int32_t peer, void *user) {
  Flaw *flaw = (Flaw *)user;
  if (goes_wrong(flaw, FLAW_FAILS)) return 78;
  return flaw->inner.exchange(out, in, bytes, peer, flaw->inner.user);
}

static void give_flaw(Actor *actor, int kind, int after) {
  pass_through(&actor->comm, &actor->flaw, kind, after);
  actor->comm.allgather = flawed_allgather;
  actor->comm.exchange = flawed_exchange;
}

/* Nobody waits for ever, whenever it happens. */
static void test_a_function_that_fails_ends_the_call_on_every_rank(void) {
  const char *names[] = {"rows_gibbs", "rows_wide", "rows_hmc"};
  Actor actors[3];
  for (int i = 0; i < 3; ++i)
    for (int after = 0; after < shortened(60, 20); after += 19) {
      nnp_team *team = cast(actors, 3, scene_of(names[i]), 1, CUT_EVEN);
      give_flaw(&actors[1], FLAW_FAILS, after);
      perform(actors, 3);
      nnp_team_free(team);
      expect_failure(actors, 3, NNP_E_COMM, "returned");
      TEST_ASSERT_NOT_NULL(strstr(actors[1].result.failure.message, "returned 7"));
      TEST_ASSERT_NOT_NULL(strstr(actors[1].result.failure.message, "on rank 1"));
    }
}

static void test_messages_that_are_cut_short_are_noticed(void) {
  const uint64_t expected = alone(scene_of("rows_gibbs"), 1);
  Actor actors[3];
  int noticed = 0;
  for (int after = 0; after < 90; after += 11) {
    nnp_team *team = cast(actors, 3, scene_of("rows_gibbs"), 1, CUT_EVEN);
    give_flaw(&actors[2], FLAW_SHORT, after);
    perform(actors, 3);
    nnp_team_free(team);
    expect_one_end(actors, 3, expected);
    noticed += actors[0].result.status == NNP_E_COMM;
  }
  TEST_ASSERT_TRUE(noticed >= 7);
}

static void test_messages_that_nobody_sent_are_noticed(void) {
  const char *names[] = {"rows_gibbs", "rows_wide", "rows_nuts"};
  for (int i = 0; i < 3; ++i)
    expect_foreign_messages_noticed(play, scene_of(names[i]), CUT_UNEVEN,
                                    alone(scene_of(names[i]), 1), (int)shortened(120, 20));
}

/* A bit that flips on the way to one rank makes it draw other weights. Checked mode finds it at once. */
static void test_checked_mode_finds_flipped_bits(void) {
  Actor actors[3];
  nnp_team *team = cast(actors, 3, scene_of("rows_gibbs"), 1, CUT_EVEN);
  for (int r = 0; r < 3; ++r) actors[r].comm.checked = 1;
  give_flaw(&actors[2], FLAW_FLIPS, 5);
  perform(actors, 3);
  nnp_team_free(team);
  expect_failure(actors, 3, NNP_E_RANKS, "comm: ");
}

/* ---- Stops ------------------------------------------------------------------------------------------ */

static int32_t stop_after_some(const nnp_progress *progress, void *user) {
  ++*(int64_t *)user;
  return progress->step >= 7;
}

static void scene_stopped(RowsRig *rig) {
  int64_t calls = 0, steps = 0;
  int32_t status;
  rows_net(rig, 3, 4, NNP_GAUSSIAN, 0.1);
  rows_chains(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE);
  rows_start(rig, NNP_START_PRIOR);
  if (rig->status != NNP_OK) return;
  status = nnp_chain_run(rig->chains[0], 1000000000, rig->odd ? stop_after_some : NULL, &calls,
                         &rig->err);
  rows_add(rig, &status, sizeof status);
  ROWS(nnp_chain_steps(rig->chains[0], &steps, &rig->err));
  if (status != NNP_STOPPED || steps != 7 || calls != (rig->odd ? 7 : 0)) rig->status = -1;
  rows_end(rig);
}

static void test_a_stop_on_one_rank_stops_all(void) {
  const RowsScene scene = {"stopped", scene_stopped};
  Actor actors[3];
  nnp_team *team = cast(actors, 3, &scene, 1, CUT_EVEN);
  actors[1].odd = 99;
  perform(actors, 3);
  nnp_team_free(team);
  expect_hash(scene.name, actors, 3, actors[1].result.hash);
}

/* ---- Keepers ------------------------------------------------------------------------------------------ */

/* Every rank keeps what its own rows say: not as many on each. */
static void scene_keeping(RowsRig *rig) {
  enum { KEPT = 5 };
  nnp_predictor *predictor = NULL;
  nnp_keeper *keeper = NULL;
  nnp_kept one = {0};
  rows_net(rig, 3, 4, NNP_GAUSSIAN, 0.1);
  rows_chains(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE);
  rows_start(rig, NNP_START_PRIOR);
  ROWS(nnp_predictor_create(&predictor, rig->net, 1, &rig->err));
  one.what = NNP_KEEP_LOG_LIK;
  one.moments = 1;
  one.predictor = predictor;
  one.data = rig->data;
  ROWS(nnp_keeper_create(&keeper, rig->net, &one, 1, rig->count, &rig->err));
  ROWS(nnp_chains_keep(rig->chains, rig->count, keeper, KEPT, 2, NULL, NULL, &rig->err));
  rows_end(rig);
  nnp_keeper_free(keeper);
  nnp_predictor_free(predictor);
}

static void test_each_rank_keeps_what_its_rows_say(void) {
  const RowsScene scene = {"keeping", scene_keeping};
  const uint64_t expected = alone(&scene, 1);
  Actor actors[3];
  nnp_team *team = cast(actors, 3, &scene, 1, CUT_UNEVEN);
  perform(actors, 3);
  nnp_team_free(team);
  expect_hash(scene.name, actors, 3, expected);
}

/* What one rank has wrong about its keeper. */
enum {
  KEEPS_WELL = 0,
  KEEPS_FAR,     /* the second call: rows of this rank whose outputs overflow */
  KEEPS_NOTHING, /* no keeper */
  KEEPS_NOWHERE, /* neither moments nor room */
  KEEPS_FEW,     /* too little room */
  KEEPS_OTHERS,  /* a keeper for more chains */
  KEEPS_NO_DRAWS /* it asks for none */
};

/* Rows to predict, as many as there are to fit, all at `value`; ranks make this call together. */
static void keep_inputs(RowsRig *rig, nnp_data *data, double value) {
  const int64_t count = rig->rows.count * rig->features;
  double *x = (double *)malloc(sizeof(double) * (size_t)count);
  for (int64_t i = 0; i < count; ++i) x[i] = value;
  ROWS(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &rig->err));
  free(x);
}

/* Calls that keep two draws each: one that goes well, one that this rank may spoil, one that goes well.
 * The outcome of the second is that of the scene; what is kept is hashed, where it is all ranks'. */
static void scene_spoiled(RowsRig *rig) {
  enum { DRAWS = 2, CALLS = 3, ROOM = DRAWS * CALLS };
  nnp_predictor *predictor = NULL;
  nnp_keeper *keeper = NULL, *wrong = NULL;
  nnp_data *data = NULL;
  nnp_kept kept[2] = {{0}, {0}};
  int64_t parameters = 0, stored = 0, width = 0;
  double *values[2] = {NULL, NULL}, *mean = NULL;
  const int odd = rig->odd;
  rig->odd = ODD_NOTHING;
  rows_net(rig, 3, 4, NNP_GAUSSIAN, 0.1);
  rows_chains(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE);
  rows_start(rig, NNP_START_PRIOR);
  ROWS(nnp_net_parameters(rig->net, &parameters, &rig->err));
  ROWS(nnp_predictor_create(&predictor, rig->net, 1, &rig->err));
  ROWS(nnp_data_create_rows(&data, &rig->rows, rig->comm, rig->features, 0, &rig->err));
  keep_inputs(rig, data, 0.5);
  kept[0].what = NNP_KEEP_PARAMETERS;
  kept[1].what = NNP_KEEP_MEAN;
  kept[1].predictor = predictor;
  kept[1].data = data;
  kept[0].moments = 1;
  ROWS(nnp_keeper_create(&keeper, rig->net, kept, 2, 1, &rig->err));
  kept[0].moments = odd != KEEPS_NOWHERE;
  ROWS(nnp_keeper_create(&wrong, rig->net, kept, 2, odd == KEEPS_OTHERS ? 2 : 1, &rig->err));
  ROWS(nnp_keeper_width(keeper, 1, &width, &rig->err));
  values[0] = (double *)calloc((size_t)(parameters * ROOM * 2), sizeof(double));
  values[1] = (double *)calloc((size_t)(width * ROOM * 2), sizeof(double));
  mean = (double *)calloc((size_t)parameters, sizeof(double));
  for (int i = 0; i < 2; ++i) {
    ROWS(nnp_keeper_store(keeper, i, values[i], ROOM, &rig->err));
    if (odd != KEEPS_NOWHERE)
      ROWS(nnp_keeper_store(wrong, i, values[i], odd == KEEPS_FEW ? 1 : ROOM, &rig->err));
  }
  ROWS(nnp_chains_keep(rig->chains, 1, keeper, DRAWS, 2, NULL, NULL, &rig->err));
  if (rig->status == NNP_OK) {
    keep_inputs(rig, data, odd == KEEPS_FAR ? DBL_MAX : 0.5);
    const int own = odd != KEEPS_WELL && odd != KEEPS_FAR;
    nnp_error problem;
    const int32_t status =
        nnp_chains_keep(rig->chains, 1,
                        odd == KEEPS_NOTHING ? NULL
                        : own                ? wrong
                                             : keeper,
                        odd == KEEPS_NO_DRAWS ? 0 : DRAWS, 2, NULL, NULL, &problem);
    if (ROWS(nnp_keeper_stored(keeper, 0, 0, &stored, &rig->err)))
      rows_add(rig, &stored, sizeof stored);
    keep_inputs(rig, data, 0.5);
    ROWS(nnp_chains_keep(rig->chains, 1, keeper, DRAWS, 1, NULL, NULL, &rig->err));
    if (ROWS(nnp_keeper_moments(keeper, 0, 0, mean, NULL, NULL, &rig->err)))
      rows_add(rig, mean, (size_t)parameters * sizeof(double));
    if (ROWS(nnp_keeper_stored(keeper, 1, 0, &stored, &rig->err)))
      rows_add(rig, &stored, sizeof stored);
    rows_add(rig, values[0], (size_t)(parameters * stored) * sizeof(double));
    rows_end(rig);
    if (rig->status == NNP_OK) rig->status = status, rig->failure = problem;
  }
  nnp_keeper_free(keeper);
  nnp_keeper_free(wrong);
  nnp_predictor_free(predictor);
  nnp_data_free(data);
  free(values[0]);
  free(values[1]);
  free(mean);
}

/* A failure of one rank ends the call on all of them, with its sentence; the keepers of all ranks have
 * the same draws then, and can be used on. */
static void test_a_keeper_that_fails_on_one_rank_fails_on_all(void) {
  const struct {
    int odd;
    int32_t status;
    const char *text;
  } cases[] = {
      {KEEPS_FAR, NNP_E_NOT_FINITE, "keeper: mean of draw 2, chain 0: "},
      {KEEPS_NOTHING, NNP_E_NULL, "keeper: it is NULL"},
      {KEEPS_NOWHERE, NNP_E_VALUE, "neither moments nor memory for values"},
      {KEEPS_FEW, NNP_E_BUFFER_SIZE, "has room for 1 draws"},
      {KEEPS_OTHERS, NNP_E_SIZE, "the keeper is made for 2 chains"},
      {KEEPS_NO_DRAWS, NNP_E_SIZE, "count = 0"},
  };
  const RowsScene scene = {"spoiled", scene_spoiled};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const RowsRig one = rows_play(&scene, NULL, 1, CUT_EVEN, cases[i].odd);
    TEST_ASSERT_EQUAL_INT_MESSAGE(cases[i].status, one.status, one.failure.message);
    for (int ranks = 2; ranks <= shortened(MOST_RANKS, 3); ++ranks)
      for (int odd = 0; odd < ranks; ++odd) {
        Actor actors[MOST_RANKS];
        nnp_team *team = cast(actors, ranks, &scene, 1 + odd % 2, odd % 2 ? CUT_EVEN : CUT_UNEVEN);
        actors[odd].odd = cases[i].odd;
        perform(actors, ranks);
        nnp_team_free(team);
        expect_failure(actors, ranks, cases[i].status, cases[i].text);
        for (int r = 0; r < ranks; ++r)
          TEST_ASSERT_EQUAL_HEX64(actors[0].result.hash, actors[r].result.hash);
        TEST_ASSERT_EQUAL_HEX64(one.hash, actors[0].result.hash);
      }
  }
}

static void test_keepers_of_ranks_go_on(void) {
  const RowsScene scene = {"spoiled", scene_spoiled};
  Actor actors[3];
  nnp_team *team = cast(actors, 3, &scene, 1, CUT_UNEVEN);
  perform(actors, 3);
  nnp_team_free(team);
  expect_hash(scene.name, actors, 3, alone(&scene, 1));
}

/* ---- Saves --------------------------------------------------------------------------------------------- */

static struct {
  nnp_saved parts[MOST_RANKS];
  int count, broken;
  int nuts; /* else Gibbs with classes and a learned precision */
} kept;

static void make_saved(RowsRig *rig) {
  if (kept.nuts) {
    rows_net(rig, 3, 4, NNP_GAUSSIAN, 0.1);
    rows_chains(rig, NNP_GAUSSIAN, NNP_NUTS, NNP_INTERMEDIATE);
    ROWS(nnp_chain_set(rig->chains[0], NNP_OPTION_MAX_DEPTH, 3, &rig->err));
    ROWS(nnp_chain_set(rig->chains[0], NNP_OPTION_WARMUP, 12, &rig->err));
  } else {
    rows_net(rig, 3, 4, NNP_ARGMAX, 0.5);
    ROWS(nnp_net_learn(rig->net, 1, NNP_LAMBDA_W, 0, 0, &rig->err));
    rows_chains(rig, NNP_ARGMAX, NNP_GIBBS, NNP_INTERMEDIATE);
  }
}

static void scene_first_half(RowsRig *rig) {
  make_saved(rig);
  rows_start(rig, NNP_START_PRIOR);
  ROWS(nnp_chain_run(rig->chains[0], 14, NULL, NULL, &rig->err));
}

static void scene_whole(RowsRig *rig) {
  scene_first_half(rig);
  rows_sample(rig, 2, 3, 1);
}

static void scene_saving(RowsRig *rig) {
  const int rank = rig->comm ? rig->comm->rank : 0;
  nnp_saved *own = &kept.parts[rank];
  nnp_rows rows;
  void *block;
  scene_first_half(rig);
  if (!ROWS(nnp_chain_save_bytes(rig->chains[0], &own->size, &rig->err))) return;
  block = malloc(own->size);
  own->buffer = block;
  ROWS(nnp_chain_save(rig->chains[0], block, own->size, &rig->err));
  ROWS(nnp_saved_rows(block, own->size, &rows, &rig->err));
  if (rows.first != rig->rows.first || rows.count != rig->rows.count) rig->status = -1;
}

static void scene_going_on(RowsRig *rig) {
  make_saved(rig);
  ROWS(nnp_chain_restore_rows(rig->chains[0], kept.parts, kept.broken ? 1 : kept.count, &rig->err));
  rows_sample(rig, 2, 3, 1);
}

static void drop_saved(void) {
  for (int r = 0; r < kept.count; ++r) free((void *)(size_t)kept.parts[r].buffer);
  kept.count = 0;
}

static void test_saves_go_on_with_another_number_of_ranks(void) {
  const RowsScene whole = {"whole", scene_whole}, saving = {"saving", scene_saving},
                  going_on = {"going on", scene_going_on};
  const struct { int before, after; } cases[] = {{3, 2}, {2, 5}, {1, 3}, {4, 1}};
  for (kept.nuts = 0; kept.nuts < 2; ++kept.nuts) {
    const RowsRig expected = rows_play(&whole, NULL, 1, CUT_EVEN, ODD_NOTHING);
    TEST_ASSERT_EQUAL_INT_MESSAGE(NNP_OK, expected.status, expected.failure.message);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
      Actor actors[MOST_RANKS];
      nnp_team *team = cast(actors, cases[i].before, &saving, 1, CUT_UNEVEN);
      kept.count = cases[i].before;
      perform(actors, cases[i].before);
      nnp_team_free(team);
      for (int r = 0; r < cases[i].before; ++r)
        TEST_ASSERT_EQUAL_INT_MESSAGE(NNP_OK, actors[r].result.status,
                                      actors[r].result.failure.message);
      team = cast(actors, cases[i].after, &going_on, 1, CUT_EVEN);
      perform(actors, cases[i].after);
      nnp_team_free(team);
      expect_hash(going_on.name, actors, cases[i].after, expected.hash);
      drop_saved();
    }
  }
  kept.nuts = 0;
}

/* Too few of them, other data, bytes that changed: refused on every rank. */
static void test_saves_that_do_not_fit_are_refused(void) {
  const RowsScene saving = {"saving", scene_saving}, going_on = {"going on", scene_going_on};
  Actor actors[MOST_RANKS];
  nnp_team *team = cast(actors, 3, &saving, 1, CUT_EVEN);
  kept.count = 3;
  perform(actors, 3);
  nnp_team_free(team);
  kept.broken = 1;
  team = cast(actors, 2, &going_on, 1, CUT_EVEN);
  perform(actors, 2);
  nnp_team_free(team);
  expect_failure(actors, 2, NNP_E_VALUE, "buffers: none of 1 has rows");
  kept.broken = 0;
  unsigned char *bytes = (unsigned char *)(size_t)kept.parts[2].buffer;
  bytes[kept.parts[2].size / 2] ^= 1;
  team = cast(actors, 2, &going_on, 1, CUT_EVEN);
  perform(actors, 2);
  nnp_team_free(team);
  expect_failure(actors, 2, NNP_E_SAVE_CORRUPTED, "checksum");
  bytes[kept.parts[2].size / 2] ^= 1;
  drop_saved();
}

/* ---- The same law --------------------------------------------------------------------------------- */

/* Data of one machine in the same blocks, which adds up in another order: steps differ by rounding. */
static void test_rows_are_sampled_as_plain_data_is(void) {
  const struct {
    int32_t sampler, posterior, head;
    int learn;
  } cases[] = {{NNP_GIBBS, NNP_INTERMEDIATE, NNP_GAUSSIAN, 0},
               {NNP_GIBBS, NNP_INTERMEDIATE, NNP_GAUSSIAN, 1},
               {NNP_GIBBS, NNP_INTERMEDIATE, NNP_ARGMAX, 0},
               {NNP_HMC, NNP_INTERMEDIATE, NNP_GAUSSIAN, 1},
               {NNP_NUTS, NNP_CLASSICAL, NNP_GAUSSIAN, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    double found[2][64], density[2];
    int64_t parameters = 0;
    for (int plain = 0; plain < 2; ++plain) {
      RowsRig made, *rig = &made;
      nnp_chain *chain = NULL;
      nnp_data *data = NULL;
      static double x[ROWS_TOTAL * 3], y[ROWS_TOTAL];
      static int32_t labels[ROWS_TOTAL];
      memset(rig, 0, sizeof *rig);
      rows_net(rig, 3, 4, cases[i].head, 0.3);
      if (cases[i].learn) OK(nnp_net_learn(rig->net, 3, NNP_NOISE, 0, 0, &err));
      if (cases[i].learn) OK(nnp_net_learn(rig->net, 1, NNP_LAMBDA_W, 0, 0, &err));
      OK(nnp_net_parameters(rig->net, &parameters, &err));
      for (int64_t r = 0; r < ROWS_TOTAL; ++r) {
        for (int64_t j = 0; j < 3; ++j) x[r * 3 + j] = rows_input(r, j);
        y[r] = rows_target(r);
        labels[r] = (int32_t)(y[r] > 0) + (int32_t)(y[r] > 1);
      }
      OK(nnp_rows_split(NULL, ROWS_TOTAL, 0, &rig->rows, &err));
      if (plain)
        OK(nnp_data_create(&data, ROWS_TOTAL, 3, 1, &err));
      else
        OK(nnp_data_create_rows(&data, &rig->rows, NULL, 3, 1, &err));
      OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
      OK(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
      OK(nnp_data_set_labels(data, labels, &err));
      OK(nnp_chain_create(&chain, rig->net, data, cases[i].sampler, cases[i].posterior, &err));
      OK(nnp_chain_start(chain, NNP_START_PRIOR, 3, 1, &err));
      OK(nnp_chain_run(chain, 3, NULL, NULL, &err));
      OK(nnp_chain_parameters(chain, found[plain], &err));
      OK(nnp_chain_log_density(chain, &density[plain], &err));
      nnp_chain_free(chain);
      nnp_data_free(data);
      rows_free(rig);
    }
    TEST_ASSERT_TRUE(parameters <= 64);
    for (int64_t k = 0; k < parameters; ++k)
      TEST_ASSERT_DOUBLE_WITHIN(1e-7 * (1 + fabs(found[1][k])), found[1][k], found[0][k]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7 * fabs(density[1]), density[1], density[0]);
  }
}

/* ---- What one process sees ------------------------------------------------------------------------- */

static void test_bad_rows(void) {
  nnp_rows rows;
  nnp_data *data = NULL;
  nnp_comm many;
  size_t bytes = 0;
  int64_t first = 0, count = 0;
  memset(&rows, 0, sizeof rows);
  memset(&many, 0, sizeof many);
  many.size = 1;
  OK(nnp_rows_split(NULL, 1100, 0, &rows, &err));
  TEST_ASSERT_EQUAL_INT64(1100, rows.count);
  OK(nnp_rows_of_block(1100, 9, 8, &first, &count, &err));
  TEST_ASSERT_EQUAL_INT64(1024, first);
  TEST_ASSERT_EQUAL_INT64(9, count);
  OK(nnp_rows_of_block(1100, 0, 2, &first, &count, &err));
  TEST_ASSERT_EQUAL_INT64(1100, first);
  FAILS(NNP_E_SIZE, "block = 3: expected 0 to 2",
        nnp_rows_of_block(1100, 0, 3, &first, NULL, &err));
  FAILS(NNP_E_SIZE, "total = 0", nnp_rows_split(NULL, 0, 0, &rows, &err));
  FAILS(NNP_E_SIZE, "blocks = -1", nnp_rows_split(NULL, 10, -1, &rows, &err));
  OK(nnp_rows_split(&many, 1100, 9, &rows, &err));
  rows.count = 1000;
  FAILS(NNP_E_VALUE, "row 1000 is inside block 7, expected 896 or 1024",
        nnp_data_create_rows(&data, &rows, NULL, 3, 1, &err));
  rows.count = 1024;
  FAILS(NNP_E_VALUE, "ends with block 8 of 9",
        nnp_data_create_rows(&data, &rows, NULL, 3, 1, &err));
  rows.count = 1100;
  rows.reserved[1] = 1;
  FAILS(NNP_E_VALUE, "reserved", nnp_data_bytes_rows(&rows, NULL, 3, 1, &bytes, &err));
  rows.reserved[1] = 0;
  OK(nnp_data_bytes_rows(&rows, NULL, 3, 1, &bytes, &err));
  TEST_ASSERT_NULL(data);
}

/* More ranks than blocks: some would have no rows. */
static void test_too_few_rows_for_all_ranks(void) {
  nnp_rows rows = {100, 0, 100, 0, {0}};
  nnp_data *data = NULL;
  nnp_team *team = NULL;
  nnp_comm comm;
  if (nnp_team_create(&team, 3, &err) == NNP_E_UNSUPPORTED)
    TEST_IGNORE_MESSAGE("this build has no threads");
  OK(nnp_team_comm(team, 0, &comm, &err));
  FAILS(NNP_E_VALUE, "they make 2 blocks, expected one or more for each of 3 ranks",
        nnp_rows_split(&comm, 200, 100, &rows, &err));
  nnp_team_free(team);
  OK(nnp_team_create(&team, 1, &err));
  OK(nnp_team_comm(team, 0, &comm, &err));
  OK(nnp_data_create_rows(&data, &rows, &comm, 3, 1, &err));
  nnp_data_free(data);
  nnp_team_free(team);
}

static void test_what_rows_cannot_be_used_for(void) {
  RowsRig made, *rig = &made;
  nnp_exchange *exchange = NULL;
  nnp_multistart *multistart = NULL;
  nnp_study *study = NULL;
  nnp_twin *twin = NULL;
  nnp_team *team = NULL;
  nnp_comm comm;
  memset(rig, 0, sizeof *rig);
  rig->count = 2;
  rows_net(rig, 3, 4, NNP_GAUSSIAN, 0.1);
  rows_chains(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE);
  rows_start(rig, NNP_START_PRIOR);
  OK(rig->status);
  FAILS(NNP_E_UNSUPPORTED, "spread over ranks, which an exchange",
        nnp_exchange_create(&exchange, rig->chains, 2, &err));
  FAILS(NNP_E_UNSUPPORTED, "spread over ranks, which a multistart",
        nnp_multistart_create(&multistart, rig->chains, 2, &err));
  FAILS(NNP_E_UNSUPPORTED, "spread over ranks, which a study",
        nnp_study_create(&study, rig->chains, 2, rig->data, 512, &err));
  FAILS(NNP_E_UNSUPPORTED, "spread over ranks, which a twin",
        nnp_twin_create(&twin, rig->chains[0], &err));
  if (nnp_team_create(&team, 2, &err) == NNP_OK) {
    OK(nnp_team_comm(team, 0, &comm, &err));
    FAILS(NNP_E_UNSUPPORTED, "spread over", nnp_chain_use_comm(rig->chains[0], &comm, &err));
    nnp_team_free(team);
  }
  rows_free(rig);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_the_same_bits_however_rows_are_cut);
  RUN_TEST(test_checked_ranks_agree);
  RUN_TEST(test_what_one_rank_has_wrong_all_are_told);
  RUN_TEST(test_checked_on_one_rank_only);
  RUN_TEST(test_a_function_that_fails_ends_the_call_on_every_rank);
  RUN_TEST(test_messages_that_are_cut_short_are_noticed);
  RUN_TEST(test_messages_that_nobody_sent_are_noticed);
  RUN_TEST(test_checked_mode_finds_flipped_bits);
  RUN_TEST(test_a_stop_on_one_rank_stops_all);
  RUN_TEST(test_each_rank_keeps_what_its_rows_say);
  RUN_TEST(test_a_keeper_that_fails_on_one_rank_fails_on_all);
  RUN_TEST(test_keepers_of_ranks_go_on);
  RUN_TEST(test_saves_go_on_with_another_number_of_ranks);
  RUN_TEST(test_saves_that_do_not_fit_are_refused);
  RUN_TEST(test_rows_are_sampled_as_plain_data_is);
  RUN_TEST(test_bad_rows);
  RUN_TEST(test_too_few_rows_for_all_ranks);
  RUN_TEST(test_what_rows_cannot_be_used_for);
  return UNITY_END();
}

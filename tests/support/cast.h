/* A cast: ranks that are threads of this process, each of which plays its part of a scene; what is
 * expected of all of them together. */
#ifndef NNPOST_TESTS_CAST_H
#define NNPOST_TESTS_CAST_H

#include <nnpost_study.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/expect.h"
#include "tests/support/flaw.h"
#include "tests/support/watched.h"

/* What came of a part: a hash, or a failure. */
typedef struct Outcome {
  uint64_t hash;
  int32_t status;
  nnp_error failure;
} Outcome;

typedef struct Actor Actor;
struct Actor {
  void (*play)(Actor *actor); /* leaves the outcome in `result` */
  const void *scene;
  nnp_comm comm;
  Flaw flaw;
  int64_t threads;
  int cut, odd; /* as the scene has it */
  Outcome result;
  pthread_t thread;
};

/* Has this build, on this machine, another SIMD level than the plain one? */
static inline int has_other_levels(void) {
  char text[2048];
  OK(nnp_build_info(text, sizeof text, &err));
  return strstr(text, "\nsimd: portable") == NULL;
}

/* Ranks of a team, each with `threads` threads; free the team when they have performed. */
static inline nnp_team *cast_team(Actor *actors, int ranks, void (*play)(Actor *),
                                  const void *scene, int64_t threads) {
  nnp_team *team = NULL;
  if (nnp_team_create(&team, ranks, &err) == NNP_E_UNSUPPORTED)
    TEST_IGNORE_MESSAGE("this build has no threads");
  OK(err.status);
  memset(actors, 0, sizeof *actors * (size_t)ranks);
  for (int r = 0; r < ranks; ++r) {
    OK(nnp_team_comm(team, r, &actors[r].comm, &err));
    actors[r].play = play;
    actors[r].scene = scene;
    actors[r].threads = threads;
  }
  return team;
}

static inline void *act(void *argument) {
  Actor *actor = (Actor *)argument;
  actor->play(actor);
  return NULL;
}

static inline void perform(Actor *actors, int ranks) {
  for (int r = 0; r < ranks; ++r)
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&actors[r].thread, NULL, act, &actors[r]));
  for (int r = 0; r < ranks; ++r) pthread_join(actors[r].thread, NULL);
}

static inline void expect_hash(const char *name, const Actor *actors, int ranks,
                               uint64_t expected) {
  char text[80];
  for (int r = 0; r < ranks; ++r) {
    snprintf(text, sizeof text, "%s: rank %d of %d, cut %d", name, r, ranks, actors[r].cut);
    TEST_ASSERT_EQUAL_INT_MESSAGE(NNP_OK, actors[r].result.status,
                                  actors[r].result.failure.message);
    TEST_ASSERT_EQUAL_HEX64_MESSAGE(expected, actors[r].result.hash, text);
  }
}

static inline void expect_failure(const Actor *actors, int ranks, int32_t status,
                                  const char *text) {
  for (int r = 0; r < ranks; ++r) {
    const Outcome *outcome = &actors[r].result;
    TEST_ASSERT_EQUAL_INT_MESSAGE(status, outcome->status, outcome->failure.message);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(outcome->failure.message, text), outcome->failure.message);
  }
}

/* The same end on all ranks: the expected hash, or a failure with a sentence, then not 0. */
static inline int expect_one_end(const Actor *actors, int ranks, uint64_t expected) {
  const int failed = actors[0].result.status != NNP_OK;
  for (int r = 0; r < ranks; ++r) {
    const Outcome *outcome = &actors[r].result;
    TEST_ASSERT_EQUAL_INT_MESSAGE(actors[0].result.status, outcome->status,
                                  outcome->failure.message);
    TEST_ASSERT_TRUE(failed ? outcome->failure.message[0] != 0 : outcome->hash == expected);
  }
  return failed;
}

/* Three ranks, the last of which gets a message that nobody sent, the first or a later one up to
 * number `most`: all of them fail, but for two messages at most that were of no consequence. */
static inline void expect_foreign_messages_noticed(void (*play)(Actor *), const void *scene,
                                                   int cut, uint64_t expected, int most) {
  Actor actors[3];
  int noticed = 0, tried = 0;
  for (int after = 0; after < most; after += 1 + after / 3) {
    nnp_team *team = cast_team(actors, 3, play, scene, 1);
    for (int r = 0; r < 3; ++r) actors[r].cut = cut;
    pass_through(&actors[2].comm, &actors[2].flaw, FLAW_FOREIGN, after);
    perform(actors, 3);
    nnp_team_free(team);
    ++tried;
    noticed += expect_one_end(actors, 3, expected);
  }
  TEST_ASSERT_TRUE(noticed >= tried - 2);
}

#endif

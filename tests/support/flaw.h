/* A communicator that goes wrong on the way to another, after so many calls. */
#ifndef TESTS_SUPPORT_FLAW_H
#define TESTS_SUPPORT_FLAW_H

#include <nnpost.h>
#include <string.h>

typedef struct Flaw {
  nnp_comm inner;
  int calls;                        /* so far */
  int kind, after;                  /* so many calls of the function that goes wrong go well */
  void (*delay)(const char *until); /* FLAW_LATE: what this rank does while others wait for it */
  const char *until;
} Flaw;
enum {
  FLAW_NOT = 0,
  FLAW_FAILS = 1,
  FLAW_SHORT = 2,
  FLAW_FLIPS = 3,
  FLAW_GATHER = 4,
  FLAW_VERSION = 5, /* the other ranks are of another version */
  /* of any function: */
  FLAW_DIES = 6, /* the process is gone: nothing is sent any more, nor is anybody told */
  FLAW_LATE = 7,
  FLAW_FOREIGN = 8, /* bytes that nobody has sent */
  FLAW_TRADE = 9    /* the same, of exchanges only */
};

static inline int goes_wrong(Flaw *flaw, int kind) {
  return flaw->kind == kind && flaw->after-- == 0;
}

static inline int is_dead(const Flaw *flaw) {
  return flaw->kind == FLAW_DIES && flaw->after < 0;
}

/* Not 0: nothing is sent. */
static inline int32_t before_message(Flaw *flaw) {
  ++flaw->calls;
  if (flaw->kind == FLAW_DIES) --flaw->after;
  if (goes_wrong(flaw, FLAW_LATE)) flaw->delay(flaw->until);
  return is_dead(flaw) ? 99 : 0;
}

static inline void after_message(Flaw *flaw, void *message, int64_t bytes) {
  if (goes_wrong(flaw, FLAW_FOREIGN)) memset(message, 0xa5, (size_t)bytes);
}

static inline int32_t inner_allgather(const void *mine, void *all, int64_t bytes, void *user) {
  Flaw *flaw = (Flaw *)user;
  const int next = (flaw->inner.rank + 1) % flaw->inner.size;
  int32_t status = before_message(flaw);
  if (status == 0) status = flaw->inner.allgather(mine, all, bytes, flaw->inner.user);
  after_message(flaw, (unsigned char *)all + next * bytes, bytes);
  return status;
}

static inline int32_t inner_broadcast(void *buffer, int64_t bytes, int32_t root, void *user) {
  Flaw *flaw = (Flaw *)user;
  int32_t status = before_message(flaw);
  if (status == 0) status = flaw->inner.broadcast(buffer, bytes, root, flaw->inner.user);
  if (root != flaw->inner.rank) after_message(flaw, buffer, bytes);
  return status;
}

static inline int32_t inner_exchange(const void *out, void *in, int64_t bytes, int32_t peer,
                                     void *user) {
  Flaw *flaw = (Flaw *)user;
  int32_t status = before_message(flaw);
  if (status == 0) status = flaw->inner.exchange(out, in, bytes, peer, flaw->inner.user);
  after_message(flaw, in, bytes);
  if (bytes > 8 && goes_wrong(flaw, FLAW_TRADE)) memset(in, 0xa5, (size_t)bytes);
  return status;
}

static inline int32_t inner_abort(const char *sentence, void *user) {
  const Flaw *flaw = (const Flaw *)user;
  return is_dead(flaw) ? 0 : flaw->inner.abort(sentence, flaw->inner.user);
}

/* All calls go through the flaw; a test may put functions of its own in place. */
static inline void pass_through(nnp_comm *comm, Flaw *flaw, int kind, int after) {
  flaw->inner = *comm;
  flaw->kind = kind;
  flaw->after = after;
  comm->allgather = inner_allgather;
  comm->broadcast = inner_broadcast;
  comm->exchange = inner_exchange;
  comm->abort = inner_abort;
  comm->user = flaw;
}

#endif

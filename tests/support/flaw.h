/* A communicator that goes wrong on the way to another, after so many calls. */
#ifndef TESTS_SUPPORT_FLAW_H
#define TESTS_SUPPORT_FLAW_H

#include <nnpost.h>

typedef struct Flaw {
  nnp_comm inner;
  int kind, after; /* so many calls of the function that goes wrong go well */
} Flaw;
enum { FLAW_NOT = 0, FLAW_FAILS = 1, FLAW_SHORT = 2, FLAW_FLIPS = 3, FLAW_GATHER = 4 };

static inline int goes_wrong(Flaw *flaw, int kind) {
  return flaw->kind == kind && flaw->after-- == 0;
}

static inline int32_t inner_allgather(const void *mine, void *all, int64_t bytes, void *user) {
  const Flaw *flaw = (const Flaw *)user;
  return flaw->inner.allgather(mine, all, bytes, flaw->inner.user);
}

static inline int32_t inner_broadcast(void *buffer, int64_t bytes, int32_t root, void *user) {
  const Flaw *flaw = (const Flaw *)user;
  return flaw->inner.broadcast(buffer, bytes, root, flaw->inner.user);
}

static inline int32_t inner_exchange(const void *out, void *in, int64_t bytes, int32_t peer,
                                     void *user) {
  const Flaw *flaw = (const Flaw *)user;
  return flaw->inner.exchange(out, in, bytes, peer, flaw->inner.user);
}

static inline int32_t inner_abort(const char *sentence, void *user) {
  const Flaw *flaw = (const Flaw *)user;
  return flaw->inner.abort(sentence, flaw->inner.user);
}

/* All calls go through the flaw, none goes wrong yet: the test puts its own functions in place. */
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

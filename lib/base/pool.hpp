// A fixed team of threads that works through numbered tasks. Each thread starts with the same share
// of them in every job with the same number of tasks, since their memory is in its cache, and then
// does what others have left. So which thread does which task varies: a task may only write what
// belongs to its number.
#pragma once

#include <cstdint>

#include "lib/base/arena.hpp"
#include "lib/base/status.hpp"

namespace nnp {

using Task = void (*)(void *context, int64_t index);
// Called occasionally by the thread that waits for the others.
using Poll = void (*)(void *context);

struct Pool;

// Lays out the pool's memory; nullptr while counting.
Pool *pool_layout(Arena &arena, int64_t threads);
// Starts threads - 1 workers (the caller of pool_run is the last one).
Status pool_open(Pool *pool, int64_t threads, Error *err);
// Ends the workers. In a forked child there are none: it returns at once.
void pool_close(Pool *pool);
int64_t pool_threads(const Pool *pool);

// Runs task(context, 0 … count-1) and returns when all are done. The caller runs them itself, in
// order, if the pool is null, already has a job (from a task that uses its own pool, or from
// another thread), or belongs to the parent of a forked process. Returns false only in a child
// forked by a task of this very job: tasks that workers had started are lost to it.
bool pool_run(Pool *pool, int64_t count, Task task, void *context, Poll poll = nullptr);

// The error if pool_run returned false.
Status lost_to_fork(Error *err);

// True if this build has threads.
bool pool_has_threads();
// Processors that this process may use, 1 or more; 1 if this build has no threads.
int64_t pool_processors();

}  // namespace nnp

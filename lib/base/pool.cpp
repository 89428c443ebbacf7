#include "lib/base/pool.hpp"

#ifndef NNP_THREADS
#define NNP_THREADS 1
#endif

#if NNP_THREADS
#include <pthread.h>
#include <sched.h>
#include <time.h>
#endif

namespace nnp {

namespace {

void run_in_order(int64_t count, Task task, void *context) {
  for (int64_t i = 0; i < count; ++i) task(context, i);
}

}  // namespace

#if NNP_THREADS

struct Pool {
  int64_t workers;  // threads besides the caller
  int64_t started;
  pthread_t *threads;
  pthread_mutex_t mutex;
  pthread_cond_t wake, done;
  // The job at hand. `generation` counts jobs; it and the next three are read outside the mutex.
  uint64_t generation;
  int64_t next, active;
  int32_t quit;
  int64_t count;
  Task task;
  void *context;
};

namespace {

// Short waits are spun through: a sweep has several passes of some tens of microseconds each.
constexpr int spins = 4000;

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void claim_tasks(Pool *pool) {
  for (;;) {
    const int64_t i = __atomic_fetch_add(&pool->next, 1, __ATOMIC_RELAXED);
    if (i >= pool->count) return;
    pool->task(pool->context, i);
  }
}

// Waits until the generation is no longer `seen`; returns false when the pool closes.
bool wait_for_job(Pool *pool, uint64_t seen) {
  for (int i = 0; i < spins; ++i) {
    if (__atomic_load_n(&pool->generation, __ATOMIC_ACQUIRE) != seen) break;
    pause_briefly();
  }
  if (__atomic_load_n(&pool->generation, __ATOMIC_ACQUIRE) == seen) {
    pthread_mutex_lock(&pool->mutex);
    while (pool->generation == seen) pthread_cond_wait(&pool->wake, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
  }
  return !__atomic_load_n(&pool->quit, __ATOMIC_ACQUIRE);
}

void leave_job(Pool *pool) {
  if (__atomic_sub_fetch(&pool->active, 1, __ATOMIC_ACQ_REL) > 0) return;
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_signal(&pool->done);
  pthread_mutex_unlock(&pool->mutex);
}

void *work(void *argument) {
  Pool *pool = static_cast<Pool *>(argument);
  uint64_t seen = 0;
  while (wait_for_job(pool, seen)) {
    ++seen;
    claim_tasks(pool);
    leave_job(pool);
  }
  return nullptr;
}

void post_job(Pool *pool, int64_t count, Task task, void *context) {
  pthread_mutex_lock(&pool->mutex);
  pool->count = count;
  pool->task = task;
  pool->context = context;
  __atomic_store_n(&pool->next, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&pool->active, pool->workers, __ATOMIC_RELAXED);
  __atomic_store_n(&pool->generation, pool->generation + 1, __ATOMIC_RELEASE);
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->mutex);
}

void wait_in_slices(Pool *pool, Poll poll) {
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 20 * 1000 * 1000;
  if (until.tv_nsec >= 1000000000) {
    until.tv_nsec -= 1000000000;
    ++until.tv_sec;
  }
  pthread_mutex_lock(&pool->mutex);
  if (__atomic_load_n(&pool->active, __ATOMIC_ACQUIRE) > 0)
    pthread_cond_timedwait(&pool->done, &pool->mutex, &until);
  pthread_mutex_unlock(&pool->mutex);
  poll(pool->context);
}

void wait_for_workers(Pool *pool, Poll poll) {
  for (int i = 0; i < spins; ++i) {
    if (__atomic_load_n(&pool->active, __ATOMIC_ACQUIRE) == 0) return;
    pause_briefly();
  }
  if (poll) {
    while (__atomic_load_n(&pool->active, __ATOMIC_ACQUIRE) > 0) wait_in_slices(pool, poll);
    return;
  }
  pthread_mutex_lock(&pool->mutex);
  while (__atomic_load_n(&pool->active, __ATOMIC_ACQUIRE) > 0)
    pthread_cond_wait(&pool->done, &pool->mutex);
  pthread_mutex_unlock(&pool->mutex);
}

}  // namespace

Pool *pool_layout(Arena &arena, int64_t threads) {
  Pool *pool = arena.take<Pool>(1);
  pthread_t *handles = arena.take<pthread_t>(threads - 1);
  if (pool) {
    *pool = Pool{};
    pool->threads = handles;
  }
  return pool;
}

Status pool_open(Pool *pool, int64_t threads, Error *err) {
  pthread_mutex_init(&pool->mutex, nullptr);
  pthread_cond_init(&pool->wake, nullptr);
  pthread_cond_init(&pool->done, nullptr);
  for (pool->started = 0; pool->started < threads - 1; ++pool->started) {
    if (pthread_create(pool->threads + pool->started, nullptr, work, pool) == 0) continue;
    const long long got = static_cast<long long>(pool->started);
    pool_close(pool);
    return fail(err, Status::thread_failed,
                "threads = %lld: the system gave only %lld worker threads, expected %lld",
                static_cast<long long>(threads), got, static_cast<long long>(threads - 1));
  }
  pool->workers = pool->started;
  return Status::ok;
}

void pool_close(Pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  __atomic_store_n(&pool->quit, 1, __ATOMIC_RELEASE);
  __atomic_store_n(&pool->generation, pool->generation + 1, __ATOMIC_RELEASE);
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->mutex);
  for (int64_t i = 0; i < pool->started; ++i) pthread_join(pool->threads[i], nullptr);
  pthread_cond_destroy(&pool->done);
  pthread_cond_destroy(&pool->wake);
  pthread_mutex_destroy(&pool->mutex);
  pool->started = pool->workers = 0;
}

int64_t pool_threads(const Pool *pool) {
  return pool ? pool->workers + 1 : 1;
}

void pool_run(Pool *pool, int64_t count, Task task, void *context, Poll poll) {
  if (!pool || pool->workers == 0 || count <= 1) {
    run_in_order(count, task, context);
    return;
  }
  post_job(pool, count, task, context);
  claim_tasks(pool);
  wait_for_workers(pool, poll);
}

bool pool_has_threads() {
  return true;
}

#else  // a build without threads: the same interface, everything in order

struct Pool {
  int64_t threads;
};

Pool *pool_layout(Arena &arena, int64_t) {
  return arena.take<Pool>(1);
}

Status pool_open(Pool *pool, int64_t threads, Error *err) {
  if (threads > 1)
    return fail(err, Status::unsupported, "threads = %lld: this build has no threads, expected 1",
                static_cast<long long>(threads));
  pool->threads = 1;
  return Status::ok;
}

void pool_close(Pool *) {}

int64_t pool_threads(const Pool *) {
  return 1;
}

void pool_run(Pool *, int64_t count, Task task, void *context, Poll) {
  run_in_order(count, task, context);
}

bool pool_has_threads() {
  return false;
}

#endif

}  // namespace nnp

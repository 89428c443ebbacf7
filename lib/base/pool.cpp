#include "lib/base/pool.hpp"

#include "lib/base/threads.hpp"

#if NNP_THREADS
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <initializer_list>
#endif

namespace nnp {

namespace {

void run_in_order(int64_t count, Task task, void *context) {
  for (int64_t i = 0; i < count; ++i) task(context, i);
}

}  // namespace

Status lost_to_fork(Error *err) {
  return fail(err, Status::thread_failed,
              "callback: it forked, and this is the child: chains that other threads were working "
              "on are lost to it, expected it to end without returning");
}

#if NNP_THREADS

// A thread's share of the tasks of a job: those from `next` on that nobody has claimed yet. Each on
// a cache line of its own.
struct alignas(64) Claims {
  int64_t next, end;
};

struct Pool {
  int64_t workers;  // threads besides the caller
  int64_t started;
  pid_t process;  // the one that started them: a forked child has none
  pthread_t *threads;
  Claims *claims;    // the caller's, then those of workers
  int64_t numbered;  // workers that have taken their number
  pthread_mutex_t mutex;
  pthread_cond_t wake, done;
  // The current job. `generation` counts jobs; it and the next four are read outside the mutex.
  uint64_t generation;
  int64_t active;
  int64_t sleepers;  // workers that must be woken up for the next job
  int32_t busy;      // a job is being run
  int32_t quit;
  int64_t count;
  Task task;
  void *context;
};

namespace {

// Iterations of busy waiting: a sweep has several passes of some tens of microseconds each, so
// short waits should not sleep.
constexpr int spins = 4000;

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Does what is left of a share, and returns the number of tasks done.
int64_t claim_from(Pool *pool, Claims &share) {
  int64_t done = 0;
  // Looks first: threads that find a share empty do not contend for its cache line.
  while (__atomic_load_n(&share.next, __ATOMIC_RELAXED) < share.end) {
    const int64_t i = __atomic_fetch_add(&share.next, 1, __ATOMIC_RELAXED);
    if (i >= share.end) break;
    pool->task(pool->context, i);
    ++done;
  }
  return done;
}

// Does the thread's own share, which is the same in every job with as many tasks, so that its
// memory stays in the thread's cache; then what others have left. Returns the number of tasks done.
int64_t claim_tasks(Pool *pool, int64_t number) {
  int64_t done = 0;
  const int64_t threads = pool->workers + 1;
  for (int64_t i = 0; i < threads; ++i)
    done += claim_from(pool, pool->claims[(number + i) % threads]);
  return done;
}

// getpid is a system call, so it is called only before a thread sleeps or wakes another, which are
// system calls too.
bool in_forked_child(const Pool *pool) {
  return getpid() != pool->process;
}

// In a forked child there are no workers, and the memory shared with them must not be touched.
void forget_workers(Pool *pool) {
  pool->workers = pool->started = 0;
}

// Either a worker that counts itself as a sleeper sees the generation with which a job was posted,
// or the poster sees the sleeper: both sides write first and then read, in an order that is the
// same for all threads.
void sleep_until_job(Pool *pool, uint64_t seen) {
  pthread_mutex_lock(&pool->mutex);
  __atomic_add_fetch(&pool->sleepers, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&pool->generation, __ATOMIC_SEQ_CST) == seen)
    pthread_cond_wait(&pool->wake, &pool->mutex);
  __atomic_sub_fetch(&pool->sleepers, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&pool->mutex);
}

// Waits until the generation is no longer `seen`; returns false when the pool closes.
bool wait_for_job(Pool *pool, uint64_t seen) {
  for (int i = 0; i < spins; ++i) {
    if (__atomic_load_n(&pool->generation, __ATOMIC_ACQUIRE) != seen) break;
    pause_briefly();
  }
  if (__atomic_load_n(&pool->generation, __ATOMIC_ACQUIRE) == seen) sleep_until_job(pool, seen);
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
  const int64_t number = __atomic_add_fetch(&pool->numbered, 1, __ATOMIC_RELAXED);
  uint64_t seen = 0;
  while (wait_for_job(pool, seen)) {
    ++seen;
    claim_tasks(pool, number);
    leave_job(pool);
  }
  return nullptr;
}

// Posts the next job (or the end); fields written before are then visible to all workers.
void next_generation(Pool *pool) {
  __atomic_store_n(&pool->generation, pool->generation + 1, __ATOMIC_SEQ_CST);
}

void wake_workers(Pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->mutex);
}

void post_job(Pool *pool, int64_t count, Task task, void *context) {
  pool->count = count;
  pool->task = task;
  pool->context = context;
  const int64_t threads = pool->workers + 1;
  for (int64_t i = 0; i < threads; ++i) {
    pool->claims[i].end = (i + 1) * count / threads;
    __atomic_store_n(&pool->claims[i].next, i * count / threads, __ATOMIC_RELAXED);
  }
  __atomic_store_n(&pool->active, pool->workers, __ATOMIC_RELAXED);
  next_generation(pool);
  if (__atomic_load_n(&pool->sleepers, __ATOMIC_SEQ_CST) == 0) return;
  // A forked child does all tasks itself.
  if (!in_forked_child(pool)) wake_workers(pool);
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

// Returns false in a forked child, where there are no workers to wait for.
bool wait_for_workers(Pool *pool, Poll poll) {
  for (int i = 0; i < spins; ++i) {
    if (__atomic_load_n(&pool->active, __ATOMIC_ACQUIRE) == 0) return true;
    pause_briefly();
  }
  if (in_forked_child(pool)) return false;
  if (poll) {
    while (__atomic_load_n(&pool->active, __ATOMIC_ACQUIRE) > 0) wait_in_slices(pool, poll);
    return true;
  }
  pthread_mutex_lock(&pool->mutex);
  while (__atomic_load_n(&pool->active, __ATOMIC_ACQUIRE) > 0)
    pthread_cond_wait(&pool->done, &pool->mutex);
  pthread_mutex_unlock(&pool->mutex);
  return true;
}

// True if no other job is using this pool.
bool take_pool(Pool *pool) {
  return __atomic_exchange_n(&pool->busy, 1, __ATOMIC_ACQUIRE) == 0;
}

// Starts a worker with all signals blocked except those raised by its own faults, so that the
// host's signal handlers run on the host's threads.
int start_worker(Pool *pool, pthread_t *thread) {
#if defined(_WIN32)  // where handlers run on a separate thread
  return pthread_create(thread, nullptr, work, pool);
#else
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&blocked, fault);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  const int failed = pthread_create(thread, nullptr, work, pool);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return failed;
#endif
}

}  // namespace

Pool *pool_layout(Arena &arena, int64_t threads) {
  Pool *pool = arena.take<Pool>(1);
  pthread_t *handles = arena.take<pthread_t>(threads - 1);
  Claims *claims = arena.take<Claims>(threads);
  if (pool) {
    *pool = Pool{};
    pool->threads = handles;
    pool->claims = claims;
  }
  return pool;
}

Status pool_open(Pool *pool, int64_t threads, Error *err) {
  pool->process = getpid();
  pthread_mutex_init(&pool->mutex, nullptr);
  pthread_cond_init(&pool->wake, nullptr);
  pthread_cond_init(&pool->done, nullptr);
  for (pool->started = 0; pool->started < threads - 1; ++pool->started) {
    if (start_worker(pool, pool->threads + pool->started) == 0) continue;
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
  if (in_forked_child(pool)) return forget_workers(pool);
  __atomic_store_n(&pool->quit, 1, __ATOMIC_RELEASE);
  next_generation(pool);
  wake_workers(pool);
  for (int64_t i = 0; i < pool->started; ++i) pthread_join(pool->threads[i], nullptr);
  pthread_cond_destroy(&pool->done);
  pthread_cond_destroy(&pool->wake);
  pthread_mutex_destroy(&pool->mutex);
  pool->started = pool->workers = 0;
}

int64_t pool_threads(const Pool *pool) {
  return pool ? pool->workers + 1 : 1;
}

bool pool_run(Pool *pool, int64_t count, Task task, void *context, Poll poll) {
  if (!pool || pool->workers == 0 || count <= 1 || !take_pool(pool)) {
    run_in_order(count, task, context);
    return true;
  }
  post_job(pool, count, task, context);
  const int64_t done = claim_tasks(pool, 0);
  const bool forked = !wait_for_workers(pool, poll);
  if (forked) forget_workers(pool);
  __atomic_store_n(&pool->busy, 0, __ATOMIC_RELEASE);
  return !forked || done == count;
}

bool pool_has_threads() {
  return true;
}

int64_t pool_processors() {
#if defined(_WIN32)
  const int64_t found = pthread_num_processors_np();
#elif defined(__linux__)  // those that this process is allowed to use
  cpu_set_t allowed;
  const int64_t found = sched_getaffinity(0, sizeof allowed, &allowed) == 0
                            ? CPU_COUNT(&allowed)
                            : sysconf(_SC_NPROCESSORS_ONLN);
#else
  const int64_t found = sysconf(_SC_NPROCESSORS_ONLN);
#endif
  return found > 1 ? found : 1;
}

#else  // a build without threads: the same interface, all tasks in order

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

bool pool_run(Pool *, int64_t count, Task task, void *context, Poll) {
  run_in_order(count, task, context);
  return true;
}

bool pool_has_threads() {
  return false;
}

int64_t pool_processors() {
  return 1;
}

#endif

}  // namespace nnp

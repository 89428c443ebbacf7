// The pool: every task once, whatever the number of threads and tasks; the caller waits for all.
#include "lib/base/pool.hpp"

#include <pthread.h>
#include <time.h>

#include <atomic>
#include <new>
#include <thread>
#include <vector>

#include "tests/support/alarm.h"
#include "unity.h"
#if !defined(_WIN32)
#include <sys/wait.h>
#endif

using nnp::Pool;

namespace {

int64_t most_threads() {
  return nnp::pool_has_threads() ? 4 : 1;
}

// A pool in a block of exactly its size.
struct OwnPool {
  static constexpr std::align_val_t alignment{64};
  void *memory = nullptr;
  Pool *pool = nullptr;

  explicit OwnPool(int64_t threads) {
    nnp::Arena counter;
    TEST_ASSERT_NULL(nnp::pool_layout(counter, threads));
    memory = ::operator new(counter.used(), alignment);
    nnp::Arena carver(memory, counter.used());
    pool = nnp::pool_layout(carver, threads);
    TEST_ASSERT_NOT_NULL(pool);
    TEST_ASSERT_TRUE(carver.fits());
    nnp::Error err = {};
    TEST_ASSERT_TRUE_MESSAGE(nnp::pool_open(pool, threads, &err) == nnp::Status::ok, err.message);
    TEST_ASSERT_EQUAL_INT64(threads, nnp::pool_threads(pool));
  }
  ~OwnPool() {
    nnp::pool_close(pool);
    ::operator delete(memory, alignment);
  }
  OwnPool(const OwnPool &) = delete;
  OwnPool &operator=(const OwnPool &) = delete;
};

struct Tally {
  std::vector<std::atomic<int>> times;
  explicit Tally(size_t count) : times(count) {}
};

void count_task(void *context, int64_t index) {
  ++static_cast<Tally *>(context)->times[static_cast<size_t>(index)];
}

void check_once(Pool *pool, int64_t count) {
  Tally tally(static_cast<size_t>(count));
  nnp::pool_run(pool, count, count_task, &tally);
  for (const std::atomic<int> &times : tally.times) TEST_ASSERT_EQUAL_INT(1, times);
}

void test_every_task_once() {
  check_once(nullptr, 10);
  for (int64_t threads = 1; threads <= most_threads(); ++threads) {
    const OwnPool own(threads);
    for (int64_t count : {0, 1, 2, 3, 7, 100, 1000}) check_once(own.pool, count);
  }
}

// Many short jobs in a row: a worker may be late for one and must not take tasks of the next.
void test_many_jobs() {
  const OwnPool own(most_threads());
  for (int job = 0; job < 3000; ++job) check_once(own.pool, 1 + job % 5);
}

// Jobs after a pause: workers have gone to sleep in between.
void test_jobs_after_sleep() {
  const OwnPool own(most_threads());
  for (int job = 0; job < 20; ++job) {
    const timespec pause = {0, 2000000};
    nanosleep(&pause, nullptr);
    check_once(own.pool, 8);
  }
}

void test_without_a_pool_in_order() {
  std::vector<int64_t> order;
  const auto push = [](void *context, int64_t index) {
    static_cast<std::vector<int64_t> *>(context)->push_back(index);
  };
  nnp::pool_run(nullptr, 5, push, &order);
  TEST_ASSERT_EQUAL_INT64(1, nnp::pool_threads(nullptr));
  for (int64_t i = 0; i < 5; ++i) TEST_ASSERT_EQUAL_INT64(i, order[static_cast<size_t>(i)]);
}

// Tasks that wait for each other can only end if as many threads as promised are at work.
struct Meeting {
  int64_t expected;
  std::atomic<int64_t> arrived{0};
};

void meet(void *context, int64_t) {
  Meeting &meeting = *static_cast<Meeting *>(context);
  ++meeting.arrived;
  while (meeting.arrived < meeting.expected) sched_yield();
}

void test_tasks_run_side_by_side() {
  for (int64_t threads = 1; threads <= most_threads(); ++threads) {
    const OwnPool own(threads);
    Meeting meeting;
    meeting.expected = threads;
    nnp::pool_run(own.pool, threads, meet, &meeting);
    TEST_ASSERT_EQUAL_INT64(threads, meeting.arrived);
  }
}

// As many tasks as threads, each of which waits for the others: every thread does one, and the same
// one in every job.
struct Places {
  Meeting meeting;
  std::vector<std::thread::id> thread;
};

void meet_in_place(void *context, int64_t index) {
  Places &places = *static_cast<Places *>(context);
  places.thread[static_cast<size_t>(index)] = std::this_thread::get_id();
  meet(&places.meeting, index);
}

void test_threads_keep_their_tasks() {
  const int64_t threads = most_threads();
  const OwnPool own(threads);
  std::vector<std::thread::id> first;
  for (int job = 0; job < 100; ++job) {
    Places places;
    places.meeting.expected = threads;
    places.thread.resize(static_cast<size_t>(threads));
    nnp::pool_run(own.pool, threads, meet_in_place, &places);
    TEST_ASSERT_TRUE(places.thread[0] == std::this_thread::get_id());
    if (job == 0) first = places.thread;
    TEST_ASSERT_TRUE(places.thread == first);
  }
}

// What tasks wrote is seen by the caller after the job, and by all in the next one.
struct Relay {
  std::vector<int64_t> values;
};

void pass_on(void *context, int64_t index) {
  std::vector<int64_t> &values = static_cast<Relay *>(context)->values;
  const size_t half = values.size() / 2, i = static_cast<size_t>(index);
  values[half + i] = values[half - 1 - i] + 1;
}

void test_results_are_seen() {
  const OwnPool own(most_threads());
  constexpr size_t half = 64;
  Relay relay;
  relay.values.assign(2 * half, 0);
  for (int64_t job = 1; job <= 500; ++job) {
    nnp::pool_run(own.pool, half, pass_on, &relay);
    for (size_t i = 0; i < half; ++i) {
      TEST_ASSERT_EQUAL_INT64(job, relay.values[half + i]);
      relay.values[i] = job;
    }
  }
}

// While the caller waits it polls, from its own thread.
struct Polled {
  std::atomic<int64_t> polls{0};
  pthread_t caller;
  std::atomic<bool> elsewhere{false};
};

void wait_for_polls(void *context, int64_t) {
  Polled &polled = *static_cast<Polled *>(context);
  if (pthread_equal(polled.caller, pthread_self())) return;  // the caller must be free to poll
  while (polled.polls < 3) sched_yield();
}

void count_poll(void *context) {
  Polled &polled = *static_cast<Polled *>(context);
  if (!pthread_equal(polled.caller, pthread_self())) polled.elsewhere = true;
  ++polled.polls;
}

void test_the_waiting_caller_polls() {
  if (most_threads() < 2) return;
  const OwnPool own(2);
  Polled polled;
  polled.caller = pthread_self();
  // The worker may miss all of a short job: give it one until it has had a task.
  for (int job = 0; job < 10000 && polled.polls < 3; ++job)
    nnp::pool_run(own.pool, 2, wait_for_polls, &polled, count_poll);
  TEST_ASSERT_TRUE(polled.polls >= 3);
  TEST_ASSERT_FALSE(polled.elsewhere);
}

// Tasks that give the same pool work: it is done in order, by whoever asks.
struct Nest {
  Pool *pool;
  Tally tally;
  std::atomic<int> out_of_order{0};
  Nest(Pool *pool_, size_t count) : pool(pool_), tally(count) {}
};

struct Inner {
  Nest *nest;
  int64_t outer, last;
};

void inner_task(void *context, int64_t index) {
  Inner &inner = *static_cast<Inner *>(context);
  if (index != ++inner.last) ++inner.nest->out_of_order;
  ++inner.nest->tally.times[static_cast<size_t>(8 * inner.outer + index)];
}

void outer_task(void *context, int64_t index) {
  Nest &nest = *static_cast<Nest *>(context);
  Inner inner = {&nest, index, -1};
  nnp::pool_run(nest.pool, 8, inner_task, &inner);
}

void test_jobs_within_a_job() {
  alarm(300);
  for (int64_t threads = 1; threads <= most_threads(); ++threads) {
    const OwnPool own(threads);
    for (int job = 0; job < 100; ++job) {
      Nest nest(own.pool, 80);
      TEST_ASSERT_TRUE(nnp::pool_run(own.pool, 10, outer_task, &nest));
      for (const std::atomic<int> &times : nest.tally.times) TEST_ASSERT_EQUAL_INT(1, times);
      TEST_ASSERT_EQUAL_INT(0, nest.out_of_order);
      check_once(own.pool, 7);  // and the pool works on
    }
  }
}

#if !defined(_WIN32)
// A child forked by a task does not wait for what the parent's workers had begun, and says so.
struct Fork {
  pthread_t caller;
  std::atomic<bool> begun{false}, forked{false};
  pid_t child = -1;
};

void fork_beside_a_worker(void *context, int64_t) {
  Fork &fork = *static_cast<Fork *>(context);
  if (pthread_equal(fork.caller, pthread_self())) {
    while (!fork.begun) sched_yield();
    fork.child = ::fork();
    fork.forked = true;
  } else {
    fork.begun = true;
    while (!fork.forked) sched_yield();
  }
}

void test_a_task_that_forks() {
  if (most_threads() < 2) return;
  const OwnPool own(2);
  Fork fork;
  fork.caller = pthread_self();
  const bool all = nnp::pool_run(own.pool, 2, fork_beside_a_worker, &fork);
  if (fork.child == 0) {
    alarm(300);
    Tally tally(9);
    const bool alone = nnp::pool_run(own.pool, 9, count_task, &tally);
    bool once = true;
    for (const std::atomic<int> &times : tally.times) once = once && times == 1;
    nnp::pool_close(own.pool);
    _exit(!all && alone && once ? 0 : 1);
  }
  TEST_ASSERT_TRUE(all);
  int status = -1;
  TEST_ASSERT_TRUE(waitpid(fork.child, &status, 0) == fork.child);
  TEST_ASSERT_EQUAL_INT(0, status);
}
#endif

void test_opening_and_closing() {
  for (int i = 0; i < 50; ++i) {
    const OwnPool own(1 + i % most_threads());
    if (i % 2) check_once(own.pool, 3);
  }
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_every_task_once);
  RUN_TEST(test_many_jobs);
  RUN_TEST(test_jobs_after_sleep);
  RUN_TEST(test_without_a_pool_in_order);
  RUN_TEST(test_tasks_run_side_by_side);
  RUN_TEST(test_threads_keep_their_tasks);
  RUN_TEST(test_results_are_seen);
  RUN_TEST(test_the_waiting_caller_polls);
  RUN_TEST(test_jobs_within_a_job);
#if !defined(_WIN32)
  RUN_TEST(test_a_task_that_forks);
#endif
  RUN_TEST(test_opening_and_closing);
  return UNITY_END();
}

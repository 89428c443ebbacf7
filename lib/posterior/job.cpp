#include "lib/posterior/job.hpp"

#include <algorithm>

namespace nnp {

namespace {

template <class Visit>
void for_all(const Job &job, Visit visit) {
  visit(*job.main);
  for (int64_t i = 0; i < job.main->helper_count; ++i) visit(*job.main->helpers[i]);
}

bool stopped(const Job &job) {
  return __atomic_load_n(&job.stop, __ATOMIC_RELAXED) != 0;
}

int64_t parts_done(const Job &job) {
  return __atomic_load_n(&job.done, __ATOMIC_RELAXED);
}

void tell(Job &job) {
  const Watch &watch = job.main->watch;
  if (!watch.stops) return;
  job.told = parts_done(job);
  if (watch.stops(watch.context, job.told, job.parts))
    __atomic_store_n(&job.stop, 1, __ATOMIC_RELAXED);
}

void tell_while_waiting(void *job) {
  tell(*static_cast<Job *>(job));
}

void set_bad(Job &job, int64_t index) {
  int64_t known = __atomic_load_n(&job.bad, __ATOMIC_RELAXED);
  while (index < known && !__atomic_compare_exchange_n(&job.bad, &known, index, false,
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

// Takes items in order, so that all items before the first bad one are done.
void work(void *context, int64_t who) {
  Job &job = *static_cast<Job *>(context);
  Predictor &own = who == 0 ? *job.main : *job.main->helpers[who - 1];
  while (!stopped(job)) {
    const int64_t index = __atomic_fetch_add(&job.next, 1, __ATOMIC_RELAXED);
    if (index >= std::min(job.last, __atomic_load_n(&job.bad, __ATOMIC_RELAXED))) break;
    own.finite = true;
    own.cut_short = false;
    job.item(own, job.context, index);
    if (own.cut_short) break;
    __atomic_fetch_add(&job.finished, 1, __ATOMIC_RELAXED);
    if (!own.finite) set_bad(job, index);
  }
}

}  // namespace

void follow(Predictor &helper, const Predictor &main) {
  use_engine(helper, main);
  helper.classical = main.classical;
  helper.noise = main.noise;
  helper.seed = main.seed;
  helper.passes = main.passes;
  helper.level_count = main.level_count;
  std::copy_n(main.levels, main.level_count, helper.levels);
  helper.weights = main.weights;
  helper.weight_count = main.weight_count;
  helper.has_units = main.has_units;
  helper.unit_mean = main.unit_mean;
  helper.unit_sd = main.unit_sd;
}

void job_begin(Job &job, Predictor &main, int64_t parts) {
  job.main = &main;
  job.caller = std::this_thread::get_id();
  job.parts = parts;
  for (int64_t i = 0; i < main.helper_count; ++i) follow(*main.helpers[i], main);
  for_all(job, [&](Predictor &p) { p.job = &job; });
}

Status job_run(Job &job, int64_t first, int64_t last, Item item, void *context, Error *err) {
  job.next = first;
  job.last = last;
  job.item = item;
  job.context = context;
  job.finished = 0;
  const int64_t workers = std::min(1 + job.main->helper_count, last - first);
  if (!pool_run(job.main->pool, workers, work, &job, tell_while_waiting)) return lost_to_fork(err);
  if (job.bad < INT64_MAX || job.finished == last - first) return Status::ok;
  return fail(err, Status::stopped, "callback: it asked to stop");
}

void job_end(Job &job) {
  if (job.told < job.done && !job.stop) tell(job);
  for_all(job, [](Predictor &p) { p.job = nullptr; });
}

bool goes_on(Predictor &p) {
  p.cut_short = p.job && stopped(*p.job);
  return !p.cut_short;
}

void count_part(Predictor &p) {
  if (!p.job) return;
  __atomic_fetch_add(&p.job->done, 1, __ATOMIC_RELAXED);
  if (p.job->main->watch.stops && std::this_thread::get_id() == p.job->caller) tell(*p.job);
}

}  // namespace nnp

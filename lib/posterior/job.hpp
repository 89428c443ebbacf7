// One call on a predictor: numbered items of work, distributed among its helpers, each of which
// does an item alone. Which thread does which item varies; no result depends on it.
#pragma once

#include <cstdint>
#include <thread>

#include "lib/posterior/predict.hpp"

namespace nnp {

// An item may write the results of its number, and the scratch of the predictor that does it.
using Item = void (*)(Predictor &own, void *context, int64_t index);

struct Job {
  Predictor *main = nullptr;
  std::thread::id caller;
  int64_t parts = 0;        // of the whole call, for the watch: every item has some
  int64_t done = 0;         // parts; this and the next four are shared between threads
  int64_t finished = 0;     // items of this run
  int64_t next = 0;         // the first item not yet taken
  int64_t bad = INT64_MAX;  // the first item whose outputs are not finite
  int32_t stop = 0;
  int64_t told = 0;  // parts reported to the watch
  int64_t last = 0;  // end of this run's items
  Item item = nullptr;
  void *context = nullptr;
};

// Copies all settings of a predictor to one that works for it. Weights and units are shared, and
// only read.
void follow(Predictor &helper, const Predictor &main);

// Gives helpers the settings of the main predictor. A job lives as long as the call; its predictors
// must not be used for anything else before job_end.
void job_begin(Job &job, Predictor &main, int64_t parts);
// Does items first … last-1. Status::stopped if the watch stopped it before all of them were done.
// job.bad is set if outputs were not finite; items after that one may not have been done.
Status job_run(Job &job, int64_t first, int64_t last, Item item, void *context, Error *err);
// Reports to the watch the parts that other threads have done since its last call.
void job_end(Job &job);

// Does items 0 … count-1 as one job: item(own, index). `bad` is the first whose outputs are not
// finite, or INT64_MAX.
template <class Do>
Status share_out(Predictor &main, int64_t count, int64_t parts_each, Do item, int64_t *bad,
                 Error *err) {
  Job job;
  job_begin(job, main, count * parts_each);
  const auto call = [](Predictor &own, void *context, int64_t index) {
    (*static_cast<Do *>(context))(own, index);
  };
  const Status status = job_run(job, 0, count, call, &item, err);
  job_end(job);
  *bad = job.bad;
  return status;
}

// Called before every part of an item; false if the item should be abandoned. Counts the part and,
// on the thread that made the call, reports to the watch.
bool goes_on(Predictor &p);
void count_part(Predictor &p);

}  // namespace nnp

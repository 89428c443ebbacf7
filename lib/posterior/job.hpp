// One call on a predictor: numbered items of work, shared out among its helpers, each of which does an
// item alone. Which thread does which item is left to chance; no result depends on it.
#pragma once

#include <cstdint>
#include <thread>

#include "lib/posterior/predict.hpp"

namespace nnp {

// An item may write what belongs to its number, and the scratch of the predictor that does it.
using Item = void (*)(Predictor &own, void *context, int64_t index);

struct Job {
  Predictor *main = nullptr;
  std::thread::id caller;
  int64_t parts = 0;        // of the whole call, for the watch: every item counts some
  int64_t done = 0;         // parts; this and the next four are shared by threads
  int64_t finished = 0;     // items of this run
  int64_t next = 0;         // the first item nobody has taken yet
  int64_t bad = INT64_MAX;  // the first item whose outputs are not finite
  int32_t stop = 0;
  int64_t told = 0;  // parts that the watch knows of
  int64_t last = 0;  // items of this run end here
  Item item = nullptr;
  void *context = nullptr;
};

// All that the user asked of a predictor, for one that works in its place. Weights and units stay where
// they are, and are only read.
void follow(Predictor &helper, const Predictor &main);

// Helpers get what the user asked for. A job lives as long as the call; its predictors must not be
// used otherwise before job_end.
void job_begin(Job &job, Predictor &main, int64_t parts);
// Items first … last-1. Status::stopped if the watch said so before all of them were done. job.bad tells
// of outputs that were not finite; items after that one may not have been done.
Status job_run(Job &job, int64_t first, int64_t last, Item item, void *context, Error *err);
// Tells the watch of parts that other threads have done since it was told last.
void job_end(Job &job);

// Items 0 … count-1 as one job: item(own, index). `bad` is the first whose outputs are not finite; none
// is INT64_MAX.
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

// Asked before every part of an item, by whoever works on it: false if it is to be left as it is. A part
// that is done is counted, and the watch told, if this is the thread that made the call.
bool goes_on(Predictor &p);
void count_part(Predictor &p);

}  // namespace nnp

// The thermalization experiment in one call: chains from different starts, the first one informed,
// run side by side while a test function, the gradient statistic and R-hat are recorded; verdicts
// are reached online, and the run can stop itself.
#pragma once

#include <cstdint>

#include "lib/diagnostics/criteria.hpp"
#include "lib/posterior/predict.hpp"
#include "lib/sampler/chain.hpp"
#include "lib/study/rhat_blocks.hpp"
#include "lib/study/runner.hpp"
#include "lib/study/schedule.hpp"

namespace nnp {

// Values are pinned: plus a base they are the NNP_STUDY_* options of the C header. Count them without gaps.
enum class StudyOption : int32_t {
  steps = 1,
  seconds = 2,
  stop = 3,
  patience = 4,
  sampling = 5,
  every = 6,
  function = 7,
  gradient_layer = 8,
  rhat_every = 9,
  rhat_block = 10,
  rhat_limit = 11,
};
constexpr int32_t study_option_count = 11;

// Values are pinned: plus a base they are NNP_ENDED_* of the C header.
enum class Ended : int32_t { not_run = 0, verdicts = 1, steps = 2, seconds = 3, stopped = 4 };

// What a study needs of a chain.
struct StudyMember {
  Chain *chain = nullptr;
  Predictor *predictor = nullptr;
  double *gradient_work = nullptr;  // gradient_work_size
};

struct StudyChain {
  StudyMember member;
  Lane lane;            // its steps, over all runs of the study
  int64_t partner = 0;  // R-hat is that of this chain and its partner
  int64_t samples = 0;
  double *values = nullptr, *gradients = nullptr;
  double *outputs = nullptr;  // on the test rows, [output, row]
  PointMoments moments;
  CriteriaTimes report;
  int64_t recorded_before = 0;  // entries of the chain's record, before this run
  int64_t standing_since = 0;   // step of the decision from which on the verdict has not changed
};

// The caller's own test function, called on any thread; and the caller's progress report, called on
// the caller's thread: not 0 means stop.
struct StudyHooks {
  Status (*measure)(void *context, int64_t chain, double *value, Error *err) = nullptr;
  int32_t (*progress)(void *context) = nullptr;
  void *context = nullptr;
};

struct Study {
  int64_t chain_count = 0, capacity = 0, points = 0;
  StudyChain *chains = nullptr;
  const Data *test = nullptr;  // null: no R-hat, and a test function of the caller's
  double options[study_option_count + 1];
  ThermalizationOptions thermalization;
  bool own_function = false, with_gradient = false;
  // What the chains have been given to do.
  SampleTimes schedule;
  int64_t planned = 0;      // samples
  int64_t stretch_end = 0;  // all chains have reached it, or are on their way
  // What they have all done.
  int64_t samples = 0;
  int64_t step = 0;
  double seconds = 0;
  double *times = nullptr;
  RhatSeries rhat;
  int64_t rhat_every = 0;       // steps between measurements; 0: none
  BlockRhat *blocks = nullptr;  // one a chain
  double *point_work = nullptr;
  LevelWork level;
  int64_t counted_from =
      0;  // verdicts see what comes behind this step: warm-ups, annealings are over
  int64_t decided_at = 0, next_decision = 0;
  Ended ended = Ended::not_run;
  bool begun = false;
  bool running = false;

  double option(StudyOption which) const { return options[static_cast<int32_t>(which)]; }
};

// Null for numbers that are no option.
const OptionRow *study_option_row(StudyOption option);
Status study_set(Study &study, StudyOption option, double value, Error *err);
// Fails while the study runs: `what` cannot be set from its own callback.
Status study_check_idle(const Study &study, const char *what, Error *err);

constexpr int64_t fewest_study_samples = 512;

// May chain number `index` stand beside the first one? They need one level of equilibrium: the same
// posterior of the same data under the same head. test may be null.
Status study_check(const StudyMember &first, const StudyMember &member, int64_t index,
                   const Data *test, Error *err);
// `members` are copied (null while the arena only counts); all have so many outputs.
Study *study_layout(Arena &arena, const StudyMember *members, int64_t count, const Data *test,
                    int64_t outputs, int64_t capacity);

// Runs until the verdicts are in, the budget is used up or the caller stops it; may be called again
// to go on. Whatever it returns, the samples that all chains have are there to be read.
Status study_run(Study &study, const StudyHooks &hooks, Error *err);

// Verdicts other than undecided.
int64_t study_decided(const Study &study);
// The least number of steps done by any chain; may be asked while the study runs.
int64_t study_progress(const Study &study);

}  // namespace nnp

// The thermalization experiment in one call. Chains from different starts, the first one informed,
// run side by side while a test function, the gradient statistic and R-hat are recorded. Verdicts
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

// Values are pinned: adding a base gives the NNP_STUDY_* options of the C header. No gaps.
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

// Values are pinned: adding a base gives NNP_ENDED_* of the C header.
enum class Ended : int32_t { not_run = 0, verdicts = 1, steps = 2, seconds = 3, stopped = 4 };

// What a study needs of a chain.
struct StudyMember {
  Chain *chain = nullptr;
  Predictor *predictor = nullptr;
  double *gradient_work = nullptr;  // gradient_work_size

  // The predictor, computing with what the chain computes with.
  Predictor &predicting() const {
    use_engine(*predictor, chain->state);
    return *predictor;
  }
};

struct StudyChain {
  StudyMember member;
  Lane lane;            // its steps, over all runs of the study
  int64_t partner = 0;  // R-hat compares this chain with its partner
  int64_t samples = 0;
  double *values = nullptr, *gradients = nullptr;
  double *outputs = nullptr;  // on the test rows, [output, row]
  PointMoments moments;
  CriteriaTimes report;
  int64_t recorded_before = 0;  // entries of the chain's record, before this run
  int64_t standing_since = 0;   // step since which the verdict has not changed
};

// The caller's test function, called on any thread, and the caller's progress callback, called on
// the caller's thread; a result other than 0 stops the run.
struct StudyHooks {
  Status (*measure)(void *context, int64_t chain, double *value, Error *err) = nullptr;
  int32_t (*progress)(void *context) = nullptr;
  void *context = nullptr;
};

struct Study {
  int64_t chain_count = 0, capacity = 0, points = 0;
  StudyChain *chains = nullptr;
  const Data *test = nullptr;  // null: no R-hat, and the caller's test function is used
  double options[study_option_count + 1];
  ThermalizationOptions thermalization;
  bool own_function = false, with_gradient = false;
  // What the chains are to do.
  SampleTimes schedule;
  int64_t planned = 0;      // number of samples
  int64_t stretch_end = 0;  // the step to which all chains run in this part
  // What all of them have done.
  int64_t samples = 0;
  int64_t step = 0;
  double seconds = 0;
  double *times = nullptr;
  RhatSeries rhat;
  int64_t rhat_every = 0;       // steps between measurements; 0: no R-hat
  BlockRhat *blocks = nullptr;  // one per chain
  double *point_work = nullptr;
  LevelWork level;
  int64_t counted_from = 0;  // verdicts use later steps only: warm-up and annealing are over
  int64_t decided_at = 0, next_decision = 0;
  Ended ended = Ended::not_run;
  bool begun = false;
  bool running = false;

  double option(StudyOption which) const { return options[static_cast<int32_t>(which)]; }
};

// Null for numbers that are not options.
const OptionRow *study_option_row(StudyOption option);
Status study_set(Study &study, StudyOption option, double value, Error *err);
// Fails while the study runs: `what` cannot be set from its callback.
Status study_check_idle(const Study &study, const char *what, Error *err);

constexpr int64_t fewest_study_samples = 512;

// Fails unless chain `index` can be compared with the first one: both need the same level of
// equilibrium, that is the same posterior of the same data with the same head. test may be null.
Status study_check(const StudyMember &first, const StudyMember &member, int64_t index,
                   const Data *test, Error *err);
// `members` are copied (null while the arena only counts); all have this many outputs.
Study *study_layout(Arena &arena, const StudyMember *members, int64_t count, const Data *test,
                    int64_t outputs, int64_t capacity);

// Runs until the verdicts are in, the budget is used up or the caller stops it; may be called again
// to continue. Whatever it returns, the samples that all chains have can be read.
Status study_run(Study &study, const StudyHooks &hooks, Error *err);

// Number of verdicts other than undecided.
int64_t study_decided(const Study &study);
// The smallest number of steps done by any chain; may be called while the study runs.
int64_t study_progress(const Study &study);

}  // namespace nnp

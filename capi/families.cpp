// The table of families: maps constants of the headers to numbers inside the library.
#include "capi/families.hpp"

#include <algorithm>

#include "lib/base/text.hpp"

namespace nnp {
namespace {

#define ROW(name, inside) \
  { name, static_cast<int32_t>(inside), #name }

constexpr NamedConstant activation_rows[] = {
    ROW(NNP_IDENTITY, Activation::identity),
    ROW(NNP_RELU, Activation::relu),
    ROW(NNP_LEAKY_RELU, Activation::leaky_relu),
    ROW(NNP_ABS, Activation::abs),
    ROW(NNP_SIGN, Activation::sign),
    ROW(NNP_HARD_TANH, Activation::hard_tanh),
    ROW(NNP_TANH, Activation::tanh),
    ROW(NNP_SOFTPLUS, Activation::softplus),
    ROW(NNP_GELU, Activation::gelu),
};
constexpr NamedConstant head_kind_rows[] = {
    ROW(NNP_GAUSSIAN, HeadKind::gaussian),
    ROW(NNP_ARGMAX, HeadKind::argmax),
    ROW(NNP_SIGN_HEAD, HeadKind::sign),
    ROW(NNP_STUDENT_T, HeadKind::student_t),
    ROW(NNP_LOCATION_SCALE, HeadKind::location_scale),
};
constexpr NamedConstant property_rows[] = {
    ROW(NNP_NOISE, Property::noise),
    ROW(NNP_LAMBDA_W, Property::lambda_w),
    ROW(NNP_LAMBDA_B, Property::lambda_b),
    ROW(NNP_BIAS, Property::bias),
    ROW(NNP_SLOPE, Property::slope),
    ROW(NNP_COLLAPSE, Property::collapse),
    ROW(NNP_PADDING_Y, Property::padding_y),
    ROW(NNP_PADDING_X, Property::padding_x),
    ROW(NNP_ARD, Property::ard),
    ROW(NNP_FREEDOM, 20),
};
constexpr NamedConstant matrix_order_rows[] = {
    ROW(NNP_ROW_MAJOR, MatrixOrder::row_major),
    ROW(NNP_COLUMN_MAJOR, MatrixOrder::column_major),
};
constexpr NamedConstant store_choice_rows[] = {
    ROW(NNP_STORE_AUTO, StoreChoice::automatic),
    ROW(NNP_STORE_DOUBLES, StoreKind::doubles),
    ROW(NNP_STORE_SINGLES, StoreKind::singles),
    ROW(NNP_STORE_BYTES, StoreKind::bytes),
    ROW(NNP_STORE_SPARSE, StoreKind::sparse),
    ROW(NNP_STORE_AUTO_IMAGES, StoreChoice::automatic_images),
};
constexpr NamedConstant sampler_kind_rows[] = {
    ROW(NNP_GIBBS, SamplerKind::gibbs),
    ROW(NNP_HMC, SamplerKind::hmc),
    ROW(NNP_MALA, SamplerKind::mala),
    ROW(NNP_NUTS, SamplerKind::nuts),
};
constexpr NamedConstant posterior_kind_rows[] = {
    ROW(NNP_INTERMEDIATE, PosteriorKind::intermediate),
    ROW(NNP_CLASSICAL, PosteriorKind::classical),
};
constexpr NamedConstant start_rows[] = {
    ROW(NNP_START_ZERO, Start::zero),
    ROW(NNP_START_PRIOR, Start::prior),
    ROW(NNP_START_SMALL, Start::small),
    ROW(NNP_START_FIT, Start::fit),
};
constexpr NamedConstant option_rows[] = {
    ROW(NNP_OPTION_SCHEDULE, Option::schedule),
    ROW(NNP_OPTION_SIMD, Option::simd),
    ROW(NNP_OPTION_RELAX, Option::relax),
    ROW(NNP_OPTION_PLAIN_EVERY, Option::plain_every),
    ROW(NNP_OPTION_UNIT_MOVES, Option::unit_moves),
    ROW(NNP_OPTION_EXPANSION, Option::expansion),
    ROW(NNP_OPTION_SCALE_MOVES, Option::scale_moves),
    ROW(NNP_OPTION_STEP_SIZE, Option::step_size),
    ROW(NNP_OPTION_LEAPFROGS, Option::leapfrogs),
    ROW(NNP_OPTION_JITTER, Option::jitter),
    ROW(NNP_OPTION_TARGET, Option::target),
    ROW(NNP_OPTION_MAX_DEPTH, Option::max_depth),
    ROW(NNP_OPTION_WARMUP, Option::warmup),
    ROW(NNP_OPTION_ADAPT_STEP, Option::adapt_step),
    ROW(NNP_OPTION_ADAPT_MASS, Option::adapt_mass),
    ROW(NNP_OPTION_MOVES, Option::moves),
    ROW(NNP_OPTION_UNIT_DRAWS, Option::unit_draws),
    ROW(NNP_OPTION_LAYER_MOVES, Option::layer_moves),
    ROW(NNP_OPTION_BLAS, Option::blas),
    ROW(NNP_OPTION_NOISE_MOVES, Option::noise_moves),
    ROW(NNP_OPTION_PRECISION_MOVES, Option::precision_moves),
    ROW(NNP_OPTION_SINGLE_GRADIENTS, Option::single_gradients),
};
constexpr NamedConstant blas_rows[] = {
    ROW(NNP_BLAS_AUTOMATIC, Blas::automatic),
    ROW(NNP_BLAS_NONE, Blas::none),
    ROW(NNP_BLAS_ALL, Blas::all),
    ROW(NNP_BLAS_WHOLE, Blas::whole),
};
constexpr NamedConstant schedule_rows[] = {
    ROW(NNP_SEQUENTIAL, Schedule::sequential),
    ROW(NNP_PARALLEL, Schedule::parallel),
    ROW(NNP_BACKWARD, Schedule::backward),
};
constexpr NamedConstant phase_rows[] = {
    ROW(NNP_PHASE_START, Phase::start),
    ROW(NNP_PHASE_WARMUP, Phase::warmup),
    ROW(NNP_PHASE_SAMPLING, Phase::sampling),
};
constexpr NamedConstant descent_end_rows[] = {
    ROW(NNP_DESCENT_NONE, DescentEnd::not_yet),        ROW(NNP_DESCENT_STEPS, DescentEnd::steps),
    ROW(NNP_DESCENT_CONVERGED, DescentEnd::converged), ROW(NNP_DESCENT_FLAT, DescentEnd::flat),
    ROW(NNP_DESCENT_STOPPED, DescentEnd::stopped),
};
constexpr NamedConstant prediction_rows[] = {
    ROW(NNP_PREDICT_MEAN, Prediction::mean),
    ROW(NNP_PREDICT_SD, Prediction::sd),
    ROW(NNP_PREDICT_QUANTILES, Prediction::quantiles),
    ROW(NNP_PREDICT_PROBABILITIES, Prediction::probabilities),
    ROW(NNP_PREDICT_VOTES, Prediction::votes),
    ROW(NNP_PREDICT_DRAWS, Prediction::draws),
};
constexpr NamedConstant score_rows[] = {
    ROW(NNP_SCORE_MSE, Score::mse),
    ROW(NNP_SCORE_ACCURACY, Score::accuracy),
    ROW(NNP_SCORE_LOG, Score::log_score),
};
constexpr NamedConstant noise_rows[] = {
    ROW(NNP_FORWARD, Noise::forward),
    ROW(NNP_FITTED, Noise::fitted),
};
constexpr NamedConstant keep_rows[] = {
    ROW(NNP_KEEP_PARAMETERS, Keep::parameters),
    ROW(NNP_KEEP_SCALES, Keep::scales),
    ROW(NNP_KEEP_FUNCTIONS, Keep::functions),
    ROW(NNP_KEEP_MEAN, Keep::mean),
    ROW(NNP_KEEP_PROBABILITIES, Keep::probabilities),
    ROW(NNP_KEEP_PREDICTIONS, Keep::predictions),
    ROW(NNP_KEEP_LOG_LIK, Keep::log_lik),
};
constexpr NamedConstant move_rows[] = {
    ROW(NNP_MOVE_PLAIN, Move::plain_step), ROW(NNP_MOVE_RELAXED, Move::relaxed_step),
    ROW(NNP_MOVE_UNIT, Move::unit),        ROW(NNP_MOVE_HAAR, Move::haar_scale),
    ROW(NNP_MOVE_SCALE, Move::scale),      ROW(NNP_MOVE_EXPANSION, Move::expansion),
    ROW(NNP_MOVE_DRAW, Move::draw),        ROW(NNP_MOVE_LAYER, Move::layer),
    ROW(NNP_MOVE_NOISE, Move::noise),      ROW(NNP_MOVE_PRECISION, Move::precision),
};
constexpr NamedConstant step_statistic_rows[] = {
    ROW(NNP_STEP_LOG_DENSITY, StepStatistic::log_density),
    ROW(NNP_STEP_ENERGY, StepStatistic::energy),
    ROW(NNP_STEP_ACCEPTANCE, StepStatistic::acceptance),
    ROW(NNP_STEP_SIZE, StepStatistic::step_size),
    ROW(NNP_STEP_DEPTH, StepStatistic::depth),
    ROW(NNP_STEP_LEAPFROGS, StepStatistic::leapfrogs),
    ROW(NNP_STEP_DIVERGENT, StepStatistic::divergent),
    ROW(NNP_STEP_DIVERGENCES, StepStatistic::divergences),
};
constexpr NamedConstant statistic_rows[] = {
    ROW(NNP_STAT_RHAT, Statistic::rhat),
    ROW(NNP_STAT_RHAT_BULK, Statistic::rhat_bulk),
    ROW(NNP_STAT_RHAT_TAIL, Statistic::rhat_tail),
    ROW(NNP_STAT_RHAT_BASIC, Statistic::rhat_basic),
    ROW(NNP_STAT_ESS_BULK, Statistic::ess_bulk),
    ROW(NNP_STAT_ESS_TAIL, Statistic::ess_tail),
    ROW(NNP_STAT_ESS_MEAN, Statistic::ess_mean),
    ROW(NNP_STAT_ESS_SD, Statistic::ess_sd),
    ROW(NNP_STAT_ESS_QUANTILE, Statistic::ess_quantile),
    ROW(NNP_STAT_MCSE_MEAN, Statistic::mcse_mean),
    ROW(NNP_STAT_MCSE_SD, Statistic::mcse_sd),
    ROW(NNP_STAT_MCSE_QUANTILE, Statistic::mcse_quantile),
    ROW(NNP_STAT_TAU, Statistic::autocorrelation_time),
    ROW(NNP_STAT_ESS_SPECTRAL, Statistic::ess_spectral),
    ROW(NNP_STAT_MEAN, Statistic::mean),
    ROW(NNP_STAT_SD, Statistic::sd),
    ROW(NNP_STAT_QUANTILE, Statistic::quantile),
};
constexpr NamedConstant convergence_rows[] = {
    ROW(NNP_CONVERGENCE_UNDECIDED, Convergence::undecided),
    ROW(NNP_CONVERGED, Convergence::converged),
    ROW(NNP_FEW_DRAWS, Convergence::few_draws),
    ROW(NNP_DOUBTFUL, Convergence::doubtful),
    ROW(NNP_NOT_CONVERGED, Convergence::disagree),
};
constexpr NamedConstant scale_rows[] = {
    ROW(NNP_SCALE_AUTO, Scale::automatic),
    ROW(NNP_SCALE_LINEAR, Scale::linear),
    ROW(NNP_SCALE_LOG, Scale::logarithmic),
};
constexpr NamedConstant verdict_rows[] = {
    ROW(NNP_UNDECIDED, Verdict::undecided),
    ROW(NNP_THERMALIZED, Verdict::thermalized),
    ROW(NNP_NOT_THERMALIZED, Verdict::not_thermalized),
};
constexpr NamedConstant reason_rows[] = {
    ROW(NNP_BECAUSE_MERGED, Reason::merged),
    ROW(NNP_BECAUSE_STUCK, Reason::stuck),
    ROW(NNP_BECAUSE_TOO_SHORT, Reason::too_short),
    ROW(NNP_BECAUSE_INFORMED_MOVING, Reason::informed_moving),
    ROW(NNP_BECAUSE_STILL_MOVING, Reason::still_moving),
    ROW(NNP_BECAUSE_MERGED_LATELY, Reason::merged_recently),
    ROW(NNP_BECAUSE_TOO_FEW, Reason::too_few_independent),
};
constexpr NamedConstant study_option_rows[] = {
    ROW(NNP_STUDY_STEPS, StudyOption::steps),
    ROW(NNP_STUDY_SECONDS, StudyOption::seconds),
    ROW(NNP_STUDY_STOP, StudyOption::stop),
    ROW(NNP_STUDY_PATIENCE, StudyOption::patience),
    ROW(NNP_STUDY_SAMPLING, StudyOption::sampling),
    ROW(NNP_STUDY_EVERY, StudyOption::every),
    ROW(NNP_STUDY_FUNCTION, StudyOption::function),
    ROW(NNP_STUDY_GRADIENT_LAYER, StudyOption::gradient_layer),
    ROW(NNP_STUDY_RHAT_EVERY, StudyOption::rhat_every),
    ROW(NNP_STUDY_RHAT_BLOCK, StudyOption::rhat_block),
    ROW(NNP_STUDY_RHAT_LIMIT, StudyOption::rhat_limit),
};
constexpr NamedConstant sampling_rows[] = {
    ROW(NNP_SAMPLING_LOG, Sampling::logarithmic),
    ROW(NNP_SAMPLING_EVEN, Sampling::even),
};
constexpr NamedConstant ended_rows[] = {
    ROW(NNP_ENDED_NOT, Ended::not_run),     ROW(NNP_ENDED_VERDICTS, Ended::verdicts),
    ROW(NNP_ENDED_STEPS, Ended::steps),     ROW(NNP_ENDED_SECONDS, Ended::seconds),
    ROW(NNP_ENDED_STOPPED, Ended::stopped),
};
constexpr NamedConstant study_series_rows[] = {
    ROW(NNP_SERIES_TEST, StudySeries::test),       ROW(NNP_SERIES_GRADIENT, StudySeries::gradient),
    ROW(NNP_SERIES_RHAT, StudySeries::rhat),       ROW(NNP_SERIES_RHAT_25, StudySeries::rhat_25),
    ROW(NNP_SERIES_RHAT_50, StudySeries::rhat_50), ROW(NNP_SERIES_RHAT_75, StudySeries::rhat_75),
    ROW(NNP_SERIES_RHAT_95, StudySeries::rhat_95),
};
constexpr NamedConstant exchange_option_rows[] = {
    ROW(NNP_EXCHANGE_REPLICAS, ExchangeOption::replicas),
    ROW(NNP_EXCHANGE_ROUNDS, ExchangeOption::rounds),
    ROW(NNP_EXCHANGE_FIRST_ROUND, ExchangeOption::first_round),
    ROW(NNP_EXCHANGE_STEPS, ExchangeOption::steps),
};
constexpr NamedConstant exchange_start_rows[] = {
    ROW(NNP_EXCHANGE_FROM_PRIOR, ExchangeStart::prior),
    ROW(NNP_EXCHANGE_FROM_TARGET, ExchangeStart::target),
};
constexpr NamedConstant exchange_verdict_rows[] = {
    ROW(NNP_EXCHANGE_MIXES, ExchangeVerdict::mixes),
    ROW(NNP_EXCHANGE_RUN_LONGER, ExchangeVerdict::run_longer),
    ROW(NNP_EXCHANGE_MORE_REPLICAS, ExchangeVerdict::more_replicas),
    ROW(NNP_EXCHANGE_SLOW, ExchangeVerdict::slow),
};
constexpr NamedConstant multistart_option_rows[] = {
    ROW(NNP_MULTISTART_STEPS, MultistartOption::steps),
    ROW(NNP_MULTISTART_SHARE, MultistartOption::share),
    ROW(NNP_MULTISTART_ANNEAL_FROM, MultistartOption::anneal_from),
    ROW(NNP_MULTISTART_ZERO_STARTS, MultistartOption::zero_starts),
};
constexpr NamedConstant table_setting_rows[] = {
    ROW(NNP_TABLE_SEED, TableSetting::seed),
    ROW(NNP_TABLE_HEAD, TableSetting::head),
    ROW(NNP_TABLE_ACTIVATION, TableSetting::activation),
    ROW(NNP_TABLE_POSTERIOR, TableSetting::posterior),
    ROW(NNP_TABLE_ARD, TableSetting::ard),
    ROW(NNP_TABLE_SAMPLER, TableSetting::sampler),
    ROW(NNP_TABLE_START, TableSetting::start),
    ROW(NNP_TABLE_CHAINS, TableSetting::chains),
    ROW(NNP_TABLE_WARMUP, TableSetting::warmup),
    ROW(NNP_TABLE_DRAWS, TableSetting::draws),
    ROW(NNP_TABLE_THIN, TableSetting::thin),
    ROW(NNP_TABLE_THREADS, TableSetting::threads),
    ROW(NNP_TABLE_STACKING, TableSetting::stacking),
    ROW(NNP_TABLE_CONSTANT, TableSetting::constant),
};
#undef ROW

// The families, by their enums inside the library.
#define FAMILIES(FAMILY)                                                     \
  FAMILY(Activation, "an activation", activation_rows)                       \
  FAMILY(HeadKind, "a head", head_kind_rows)                                 \
  FAMILY(Property, "a property", property_rows)                              \
  FAMILY(MatrixOrder, "an order", matrix_order_rows)                         \
  FAMILY(StoreChoice, "a store", store_choice_rows)                          \
  FAMILY(SamplerKind, "a sampler", sampler_kind_rows)                        \
  FAMILY(PosteriorKind, "a posterior", posterior_kind_rows)                  \
  FAMILY(Start, "a start", start_rows)                                       \
  FAMILY(Option, "an option of a chain", option_rows)                        \
  FAMILY(Blas, "a value of NNP_OPTION_BLAS", blas_rows)                      \
  FAMILY(Schedule, "a value of NNP_OPTION_SCHEDULE", schedule_rows)          \
  FAMILY(Phase, "a phase", phase_rows)                                       \
  FAMILY(DescentEnd, "an end of a descent", descent_end_rows)                \
  FAMILY(Prediction, "a kind of prediction", prediction_rows)                \
  FAMILY(Score, "a score", score_rows)                                       \
  FAMILY(Noise, "a kind of noise", noise_rows)                               \
  FAMILY(Keep, "a quantity to keep", keep_rows)                              \
  FAMILY(TableSetting, "a setting of a table", table_setting_rows)           \
  FAMILY(Move, "a kind of move", move_rows)                                  \
  FAMILY(StepStatistic, "a statistic of a step", step_statistic_rows)        \
  FAMILY(Statistic, "a statistic of draws", statistic_rows)                  \
  FAMILY(Convergence, "a verdict on convergence", convergence_rows)          \
  FAMILY(Scale, "a scale", scale_rows)                                       \
  FAMILY(Verdict, "a verdict on thermalization", verdict_rows)               \
  FAMILY(Reason, "a reason", reason_rows)                                    \
  FAMILY(StudyOption, "an option of a study", study_option_rows)             \
  FAMILY(Sampling, "a value of NNP_STUDY_SAMPLING", sampling_rows)           \
  FAMILY(Ended, "an end of a study", ended_rows)                             \
  FAMILY(StudySeries, "a series of a study", study_series_rows)              \
  FAMILY(ExchangeOption, "an option of an exchange", exchange_option_rows)   \
  FAMILY(ExchangeStart, "a start of an exchange", exchange_start_rows)       \
  FAMILY(ExchangeVerdict, "a verdict on an exchange", exchange_verdict_rows) \
  FAMILY(MultistartOption, "an option of a multistart", multistart_option_rows)

#define ENTRY(type, what, rows) {what, rows, sizeof(rows) / sizeof((rows)[0])},
#define INDEX(type, what, rows) index_of_##type,
constexpr Family families[] = {FAMILIES(ENTRY)};
enum { FAMILIES(INDEX) };

// Each family has a hundred numbers starting at its base; the number inside is the constant minus
// the base.
constexpr bool families_are_apart() {
  for (const Family &family : families) {
    if (family.base() <= 0 || family.base() % 100 != 0) return false;
    for (int32_t i = 0; i < family.count; ++i)
      if (family.rows[i].number - family.rows[i].inside != family.base() ||
          family.rows[i].inside < 0 || family.rows[i].inside > 99)
        return false;
    for (const Family &other : families)
      if (&other != &family && other.base() == family.base()) return false;
  }
  return true;
}
static_assert(families_are_apart(), "constants of the headers must not overlap");

const NamedConstant *row_of(const Family &family, int32_t number) {
  for (int32_t i = 0; i < family.count; ++i)
    if (family.rows[i].number == number) return family.rows + i;
  return nullptr;
}

bool is_number(double value) {
  return value >= INT32_MIN && value <= INT32_MAX &&
         value == static_cast<double>(static_cast<int32_t>(value));
}

}  // namespace

#define FIND(type, what, rows)        \
  template <>                         \
  const Family &family_of<type>() {   \
    return families[index_of_##type]; \
  }
FAMILIES(FIND)

bool belongs_to(const Family &family, double value) {
  return is_number(value) && row_of(family, static_cast<int32_t>(value));
}

void add_names(Text &text, const Family &family) {
  constexpr int32_t few = 4;
  const int32_t last = family.count - 1;
  if (family.count > few) {
    text.add("%s, %s to %s", family.what, family.rows[0].name, family.rows[last].name);
    return;
  }
  add_names(text, family, [](int32_t) { return true; });
}

void add_names(Text &text, const Family &family, bool (*suits)(int32_t inside)) {
  const auto suitable = [&](const NamedConstant &row) { return suits(row.inside); };
  const NamedConstant *const end = family.rows + family.count;
  const int64_t count = std::count_if(family.rows, end, suitable);
  int64_t index = 0;
  for (const NamedConstant *row = family.rows; row < end; ++row)
    if (suitable(*row)) text.add_alternative(row->name, index++, count);
}

void add_meaning(Text &text, double value) {
  if (!is_number(value)) return;
  for (const Family &family : families)
    if (const NamedConstant *row = row_of(family, static_cast<int32_t>(value)))
      text.add(" (%s, %s)", row->name, family.what);
}

Status find_constant(const Family &family, int32_t number, const char *argument, int32_t *inside,
                     Error *err) {
  if (const NamedConstant *row = row_of(family, number)) {
    *inside = row->inside;
    return Status::ok;
  }
  char meaning[80] = "", names[160] = "";
  Text given = {meaning, sizeof meaning, 0}, wanted = {names, sizeof names, 0};
  add_meaning(given, number);
  add_names(wanted, family);
  return fail(err, Status::bad_enum, "%s = %d%s: expected %s", argument, static_cast<int>(number),
              meaning, names);
}

const Family *values_of(Option option) {
  if (option == Option::schedule) return &family_of<Schedule>();
  return option == Option::blas ? &family_of<Blas>() : nullptr;
}

const Family *values_of(StudyOption option) {
  if (option == StudyOption::sampling) return &family_of<Sampling>();
  return option == StudyOption::function ? &family_of<Score>() : nullptr;
}

Status take_value(const Family *family, const OptionRow &row, double value, double *inside,
                  Error *err) {
  *inside = value;
  if (!family || (value == 0 && row.low == 0 && family->rows[0].inside > 0)) return Status::ok;
  int32_t found = 0;
  Error why = {};
  const bool whole = is_number(value);
  if (whole &&
      find_constant(*family, static_cast<int32_t>(value), row.name, &found, &why) == Status::ok) {
    *inside = found;
    return Status::ok;
  }
  if (whole) return fail(err, Status::bad_value, "option %s", why.message);
  char names[160] = "";
  Text wanted = {names, sizeof names, 0};
  add_names(wanted, *family);
  return fail(err, Status::bad_value, "option %s = %g: expected %s", row.name, value, names);
}

double value_of(const Family *family, double inside) {
  const bool is_default = family && inside == 0 && family->rows[0].inside > 0;
  return family && !is_default ? family->base() + inside : inside;
}

void tell_option(const OptionRow &row, const Family *family, const char **name, double *low,
                 double *high, double *initial) {
  if (name) *name = row.name;
  if (low) *low = value_of(family, row.low);
  if (high) *high = value_of(family, row.high);
  if (initial) *initial = value_of(family, row.initial);
}

}  // namespace nnp

#include "lib/study/recipe.hpp"

#include <algorithm>

#include "lib/network/scales.hpp"

namespace nnp {

namespace {

// ---- networks ----------------------------------------------------------------------------------

// True if targets are numbers with noise of one variance D, in both posteriors.
bool has_noisy_targets(const HeadOps &head) {
  return head.noise_squares && head.classical_noise_squares;
}
bool has_classes(const HeadOps &head) {
  return head.target == TargetKind::labels;
}
bool has_numbers(const HeadOps &head) {
  return head.target == TargetKind::targets;
}
bool any_head(const HeadOps &) {
  return true;
}

struct Design {
  bool (*suits)(const HeadOps &);
  int64_t most_rows;  // largest number of training rows it is meant for
  Activation activation;
  bool classical;
  int64_t hidden[max_hidden];
  int64_t count;
};
// In order of preference. One layer of 16 units on small tables, by folds of four (log score,
// R-hat, core seconds per fit): NUTS with tanh units on Boston (one fold) -0.101, 1.23, 60, on
// ozone (two) -0.715, 1.05, 8, swiss -1.035, 1.04, 3, mtcars -1.128, 1.005, 4; Gibbs with relu
// units -0.124, 1.19, 23 and -0.681, 1.14, 7, and with little hidden noise on the others -1.093,
// 1.01, 3 and -1.085, 1.01, 5. Their predictions are equally good; Gibbs costs a third on the
// largest. Two layers with NUTS covered 76 % of Boston with 90 % intervals. As recommended here,
// four folds of Boston: -0.095, covers 90.5 %, 43 core seconds, R-hat 1.03 to 1.16.
// Classes of small tables are separated by nearly linear boundaries more often than not, and
// softplus units are half linear. Four folds of iris and wine (log score; two chains of 100 and 100
// steps): two layers of 16 tanh units cost four times one; one layer of 16 tanh units with an
// output scale of 1 -0.101 and -0.091, of 4 -0.094 and -0.087; 16 softplus units with 10 -0.086 and
// -0.078; 8 with 20 and an input scale of 0.5, layer 1 not learned, -0.077 and -0.078. Linear:
// -0.079 and -0.075. Gibbs with relu units and probit heads: -0.088 and -0.074, but R-hat 2.7 after
// 2000 steps.
// Classes of larger tables, one fold of digits (1347 rows, 64 inputs, ten classes), four chains of
// HMC in single precision (log score, R-hat, core seconds; logistic regression: -0.094): 100 and
// 100 steps of 100 leapfrogs, 16 softplus units -0.097, 2.4, 17; 32 tanh units -0.098, 1.3, 17;
// 16-16 tanh -0.098, 1.3, 16; 32-32 -0.093, 1.9, 25; four layers of 16 -0.098, 2.4, 24. 200 and 200
// steps of 200 leapfrogs: 32 tanh -0.097, 1.5, 65; 16-16 -0.094, 1.4, 56; that on all four folds, as
// recommended, -0.111 (logistic regression -0.112, random forest -0.317).
constexpr Design designs[] = {
    {has_noisy_targets, 500, Activation::relu, false, {16}, 1},
    {has_classes, 500, Activation::softplus, true, {8}, 1},
    {any_head, 500, Activation::tanh, true, {16, 16}, 2},
    {has_classes, INT64_MAX, Activation::tanh, true, {16, 16}, 2},
    {any_head, INT64_MAX, Activation::tanh, true, {16, 16, 16, 16}, 4},
};

// Up to this many rows noise has one level, beyond it may depend on the inputs. RMSE and log score
// of test rows, eight chains as recommended: airfoil (1202 rows) 0.110 and 0.97 with one level,
// 0.134 and 0.98 with a location-scale head, whose intervals were too wide (90 % covered 95 %).
// Concrete, one fold (660 rows), chains of 100 and 60 steps: 0.26 and 0.05 with one level (means of
// two chains), 0.29 and -1.6 with a location-scale head (of four): repeated rows let it claim that
// there is no noise. Bike rentals, one fold (11,123 rows), one chain: 0.223 and 0.09; 0.232 and
// 0.61. Between 1202 and 11,123 rows nothing was measured.
constexpr int64_t most_rows_of_one_noise = 3000;

// Up to this many rows the inputs of classes are changed by their discriminants (see
// network/discriminant.hpp). Log scores of four folds, two chains of 100 and 150 steps, inputs
// standardized and changed: iris -0.082 and -0.061, wine -0.075 and -0.053, crabs (200 rows) -0.093
// and -0.084, breast cancer -0.079 and -0.079, Pima -0.455 and -0.456. Inputs whitened by the
// covariance within classes instead: -0.078, -0.077, -0.097, -0.090, -0.459. Made tables without
// signal (60 to 100 rows, 20 to 80 columns), with a circle or an exclusive or did not get worse.
// Digits (1347 rows, one fold, 32 tanh units): -0.097 and -0.099.
constexpr int64_t most_rows_of_discriminant = 500;

// The default activation for each posterior: Gibbs draws pieces exactly, NUTS follows slopes.
constexpr Activation suited_to_intermediate = Activation::relu;
constexpr Activation suited_to_classical = Activation::tanh;

Layer layer_of(Activation activation) {
  Layer layer;
  layer.kind = LayerKind::activation;
  layer.activation = activation;
  return layer;
}

// ---- lengths -----------------------------------------------------------------------------------

// An option of the sampler that is not at its default, unless `value` is 0.
struct Setting {
  Option option = Option::target;
  double value = 0;
};
constexpr Setting smaller_steps{Option::target, 0.95}, over_relaxed{Option::relax, -0.9},
    many_precision_moves{Option::precision_moves, 10}, far{Option::leapfrogs, 500},
    less_far{Option::leapfrogs, 200}, single{Option::single_gradients, 1};

// How long chains of a sampler run on data with up to this many rows.
struct Length {
  bool (*suits)(const HeadOps &);
  SamplerKind sampler;
  PosteriorKind posterior;
  int64_t most_rows;
  int64_t chains, warmup, draws, thin;
  Setting first = {}, second = {};
};
// By sampler and posterior in order of preference, then by rows. Four layers of 16 tanh units on
// the classical posterior, four chains of 100 and 60 steps that start where the data are fitted:
// HMC with 500 leapfrogs in single precision predicts test rows as well as NUTS in a quarter to a
// third of the time (RMSE, log score, core seconds): airfoil (1202 rows) 0.123, 0.79, 73 and 0.123,
// 0.81, 273; concrete (824 rows) 0.235, 0.21, 48 and 0.237, 0.21, 142. Each chain stays in its own
// mode with both. Longer and more chains, eight of 400 and 400 steps: airfoil 0.110, 0.97, 243;
// concrete 0.222, 0.23, 164. Bike rentals (13,903 rows, location-scale head), eight of 100 and 200
// steps: 0.222, 0.71, 1569; four of 300 and 200: 0.221, 0.73, 1330; two of 200 and 100: 0.221,
// 0.71, 390. All report that chains disagree (R-hat 2.3 to 2.8); 90 % intervals cover 93.0, 91.7,
// 93.5, 93.2 and 92.3 %. Steps and chains both help: one fold of airfoil,
// location-scale head, two chains of 800 steps 0.143, 0.84, 67; nine of 160 steps 0.140, 0.78, 63;
// one of 2000 steps 0.146, 0.82, 84; 2000 leapfrogs a quarter as often were worse. Classes beyond
// 3000 rows have not been compared. Small data cost little and leave more uncertain: with 250
// and 500 steps mtcars and iris had an R-hat of 1.02. Scales that few rows determine poorly also
// require small steps: ozone in New York (83 rows, 3-8-8-1) had 225 divergent steps and an R-hat of
// 1.037 at a target of 0.8, 17 and 1.007 at 0.95. Gibbs on few rows is cheap, so it runs longer:
// mtcars (24 rows) has an R-hat of 1.006 after 7 core seconds.
// Over-relaxed steps, twice as many per draw, on five smooth tables (120 rows, 3 columns): 34, 52,
// 218, 66 and 99 effective draws at least became 70, 294, 359, 92 and 218, for 1.5 times the time.
// On Boston (379 rows) they were worse: R-hat 1.28 instead of 1.09.
// Trajectories of classes are long, 500 leapfrogs on iris: few of them already differ much. With
// 200 and 250 steps, three folds of iris: -0.070, R-hat 1.04 to 1.05, 22 core seconds. Precisions
// are slow there: ten moves of them per step raise the smallest effective sample size of iris from
// 185 to 319 (R-hat 1.023 to 1.005), of wine from 288 to 466, for 1.3 to 1.5 times the time.
// Since inputs of classes are changed, precisions of iris are slower and steps cheaper: with 300 and
// 750 steps R-hat is up to 1.022, the least effective sample size 328, 10 core seconds; with 500 and
// 1500 1.007, 693 and 18, all four folds converged.
constexpr Length lengths[] = {
    {has_classes, SamplerKind::nuts, PosteriorKind::classical, 200, 4, 500, 1500, 1,
     many_precision_moves},
    {has_classes, SamplerKind::nuts, PosteriorKind::classical, 500, 4, 300, 750, 1,
     many_precision_moves},
    {any_head, SamplerKind::nuts, PosteriorKind::classical, 200, 4, 500, 1000, 1, smaller_steps},
    {any_head, SamplerKind::nuts, PosteriorKind::classical, 500, 4, 250, 500, 1},
    {has_classes, SamplerKind::hmc, PosteriorKind::classical, 3000, 4, 200, 200, 1, less_far,
     single},
    {has_classes, SamplerKind::hmc, PosteriorKind::classical, INT64_MAX, 4, 100, 60, 1, less_far,
     single},
    {has_numbers, SamplerKind::hmc, PosteriorKind::classical, 3000, 8, 400, 100, 4, far, single},
    {has_numbers, SamplerKind::hmc, PosteriorKind::classical, 30000, 4, 300, 100, 2, far, single},
    {has_numbers, SamplerKind::hmc, PosteriorKind::classical, INT64_MAX, 4, 100, 60, 1, far,
     single},
    {any_head, SamplerKind::nuts, PosteriorKind::classical, INT64_MAX, 4, 100, 60, 1},
    {any_head, SamplerKind::gibbs, PosteriorKind::intermediate, 200, 4, 3000, 500, 24,
     over_relaxed},
    {any_head, SamplerKind::gibbs, PosteriorKind::intermediate, 500, 4, 3000, 500, 12},
    {any_head, SamplerKind::gibbs, PosteriorKind::intermediate, INT64_MAX, 4, 1000, 1000, 1},
    {any_head, SamplerKind::nuts, PosteriorKind::intermediate, INT64_MAX, 4, 500, 250, 1},
};

// True if hidden noise is learned; only the intermediate posterior has it.
bool learns_hidden_noise(const Net &net) {
  bool found = net.tied;
  for (int64_t k = 1; k < net.depth; ++k) found = found || net.layer(k).learned_noise.count > 0;
  return found;
}

bool has_option_for(const Net &net, const Length &row, const Setting &own) {
  const auto check = ops_of(row.sampler)->check_option;
  return own.value == 0 || !check ||
         check(net, row.posterior, own.option, own.value, nullptr) == Status::ok;
}

bool can_sample(const Net &net, const Length &row) {
  if (!row.suits(*ops_of(net.head))) return false;
  const bool classical = row.posterior == PosteriorKind::classical;
  return check_learned_noise(net, classical, nullptr) == Status::ok &&
         ops_of(row.sampler)->check(net, row.posterior, nullptr) == Status::ok &&
         has_option_for(net, row, row.first) && has_option_for(net, row, row.second);
}

void add_setting(const Setting &own, Recipe &recipe) {
  if (own.value == 0) return;
  recipe.options[recipe.option_count] = own.option;
  recipe.values[recipe.option_count++] = own.value;
}

// ---- scales ------------------------------------------------------------------------------------

// Noise of hidden layers as a multiple of the last layer's. More of it lets Gibbs chains move
// between modes, without worse predictions. Boston (379 rows, 13-16-1 relu, one fold, 1500 and 3000
// steps): 0.01 has a log score of -0.151 and an R-hat of 1.28, 0.1 -0.141 and 1.20, 0.5 -0.124 and
// 1.17, 1 -0.124 and 1.19. Ozone (83 rows, two folds): 0.01 -0.694 and 1.33, 1 -0.681 and 1.14, 3
// -0.693 and 1.02.
constexpr double hidden_multiple = 1;

Status learn_tied_noise(Net &net, Error *err) {
  double multiples[2 * max_hidden + 1];
  std::fill_n(multiples, net.depth, hidden_multiple);
  multiples[net.depth - 1] = 1;
  return net_learn_tied(net, multiples, {}, err);
}

// Learns the noise of the posterior if it is a variance.
Status learn_noise(Net &net, bool classical, Error *err) {
  const HeadOps &head = *ops_of(net.head);
  if (classical && head.classical_noise_squares)
    return net_learn(net, net.depth, Property::noise, {}, err);
  if (!classical && has_noisy_targets(head)) return learn_tied_noise(net, err);
  if (!classical && head.noise_squares) return net_learn_tied(net, nullptr, {}, err);
  return Status::ok;
}

// With fewer rows than weights, hyperpriors as broad as the default ones (shape 1 and 0.5) let NUTS
// wander between nearly linear and saturated layers, without better predictions (mtcars,
// 10-16-16-1: R-hat 1.2 and a tenth of draws divergent; with 3, 1.05 and none).
constexpr double precision_shape = 3;

// What one layer adds to the standard deviation of its outputs, in units of the default prior: of
// weights, for inputs of order 1, and of biases.
struct PriorScale {
  double weights = 1, biases = 1;
};
// Logits of separable classes are large. With a scale of 1 in all layers they were at most of order
// 1 a priori, and predictions timid. These make the logit of a new row vary with a standard
// deviation of about 5 if softplus units are nearly linear, as small inputs make them. Precisions
// must be learned: with those of layer 1 fixed, curved boundaries (scikit-learn's moons, 150 rows)
// had a log score of -0.33; learned -0.18 (a Gaussian process: -0.21).
// The scales of biases are fixed: learned, they slowed NUTS down without better predictions. One
// fold each of iris, Pima and wine, four chains of 200 and 300 steps (log score, least effective
// draws, core seconds): learned, around 1 and 20: -0.078, 74, 24; -0.450, 221, 63; -0.088, 109, 24.
// Fixed, 1 and 5: -0.078, 113, 21; -0.450, 294, 53; -0.087, 232, 22.
constexpr PriorScale first_of_classes{0.5, 1}, last_of_classes{20, 5};

PriorScale prior_scale(const Net &net, int64_t k) {
  PriorScale scale;
  if (!has_classes(*ops_of(net.head))) return scale;
  if (k == 1) scale = first_of_classes;
  if (k == net.depth) scale = {scale.weights * last_of_classes.weights, last_of_classes.biases};
  return scale;
}

Status learn_precisions(Net &net, bool classical, Error *err) {
  Status status = Status::ok;
  for (int64_t k = 1; k <= net.depth && status == Status::ok; ++k) {
    const Layer &layer = net.layer(k);
    if (layer.weight_count == 0) continue;
    Hyperprior weights, biases;  // the default ones
    if (classical) {
      const PriorScale scale = prior_scale(net, k);
      weights = {precision_shape, layer.lambda_w / (scale.weights * scale.weights)};
      biases = {precision_shape, 1 / (scale.biases * scale.biases)};
    }
    status = net_learn(net, k, Property::lambda_w, weights, err);
    if (status != Status::ok) return status;
    status = classical && has_classes(*ops_of(net.head))
                 ? net_set(net, k, Property::lambda_b, biases.mean, err)
                 : net_learn(net, k, Property::lambda_b, biases, err);
  }
  return status;
}

Status learn_scales(Net &net, const ModelPlan &plan, Error *err) {
  Status status = learn_noise(net, plan.classical, err);
  if (status == Status::ok) status = learn_precisions(net, plan.classical, err);
  if (status == Status::ok && plan.by_input) status = net_learn(net, 1, Property::ard, {}, err);
  return status;
}

Status add_dense(Net &net, int64_t units, Error *err) {
  LayerSpec spec;
  spec.kind = LayerKind::dense;
  spec.units = units;
  return net_add(net, spec, err);
}

Status add_activation(Net &net, Activation activation, Error *err) {
  LayerSpec spec;
  spec.kind = LayerKind::activation;
  spec.activation = activation;
  return net_add(net, spec, err);
}

}  // namespace

ModelPlan plan_model(int64_t inputs, int64_t targets, HeadKind head, int64_t rows) {
  ModelPlan plan;
  plan.inputs = inputs;
  plan.targets = targets;
  plan.head = head;
  const int64_t known = rows > 0 ? rows : INT64_MAX;
  const Design *row = designs;
  while (row->most_rows < known || !row->suits(*ops_of(head))) ++row;
  plan.activation = row->activation;
  plan.classical = row->classical;
  plan.hidden_count = row->count;
  std::copy_n(row->hidden, row->count, plan.hidden);
  return plan;
}

HeadKind head_for_numbers(int64_t rows, const Activation *activation,
                          const PosteriorKind *posterior) {
  const bool few = rows <= most_rows_of_one_noise;
  ModelPlan plan = plan_model(1, 1, HeadKind::location_scale, rows);
  choose(plan, activation, posterior);
  return few || !plan.classical ? HeadKind::gaussian : HeadKind::location_scale;
}

void choose(ModelPlan &plan, const Activation *activation, const PosteriorKind *posterior) {
  const bool before = plan.classical;
  if (posterior) plan.classical = *posterior == PosteriorKind::classical;
  if (activation) {
    const Layer layer = layer_of(*activation);
    const LayerOps &ops = ops_of(layer);
    plan.activation = *activation;
    if (!posterior && ops.no_exact_draw(layer)) plan.classical = true;
    if (!posterior && ops.no_gradient(layer)) plan.classical = false;
  } else if (plan.classical != before) {
    plan.activation = plan.classical ? suited_to_classical : suited_to_intermediate;
  }
}

bool suits_discriminant(int64_t rows, int64_t columns, int64_t classes) {
  return rows <= most_rows_of_discriminant && rows - classes > columns + 1;
}

Status build_model(Net &net, const ModelPlan &plan, Error *err) {
  Status status = Status::ok;
  for (int64_t i = 0; i < plan.hidden_count && status == Status::ok; ++i) {
    status = add_dense(net, plan.hidden[i], err);
    if (status == Status::ok) status = add_activation(net, plan.activation, err);
  }
  const int64_t outputs = plan.targets * ops_of(plan.head)->outputs_per_target;
  if (status == Status::ok) status = add_dense(net, outputs, err);
  if (status == Status::ok) status = net_set_head(net, plan.head, err);
  return status == Status::ok ? learn_scales(net, plan, err) : status;
}

Status recommend(const Net &net, int64_t rows, const PosteriorKind *posterior, Recipe *out,
                 Error *err) {
  for (const Length &row : lengths) {
    const bool suits =
        posterior ? row.posterior == *posterior
                  : row.posterior == PosteriorKind::intermediate || !learns_hidden_noise(net);
    if (!suits || rows > row.most_rows || !can_sample(net, row)) continue;
    *out = {row.sampler, row.posterior, Start::fit, row.chains, row.warmup,
            row.draws,   row.thin,      0,          {},         {}};
    add_setting(row.first, *out);
    add_setting(row.second, *out);
    return Status::ok;
  }
  return fail(err, Status::unsupported,
              "net: no sampler supports %s posterior of this network, expected %s",
              posterior ? "that" : "any",
              posterior ? "the other one, or layers with slopes" : "layers with slopes");
}

}  // namespace nnp

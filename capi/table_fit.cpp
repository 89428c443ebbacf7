// The fit of a table of data: columns standardized, the recommended network and chains, judged.
#include <algorithm>
#include <cmath>
#include <limits>

#include "capi/families.hpp"
#include "capi/net.hpp"
#include "capi/table.hpp"
#include "lib/network/discriminant.hpp"
#include "lib/study/recipe.hpp"

using namespace nnp;

namespace {

// What is to be fitted: y, or labels.
struct Given {
  const double *x, *y;
  const int32_t *labels;
  int64_t n, columns, targets;
  int32_t order;
};

// ---- labels ------------------------------------------------------------------------------------

Status bad_label(int64_t row, int32_t label, const char *expected, Error *e) {
  return fail(e, Status::bad_label, "labels: row %lld has %d, expected %s", ll(row),
              static_cast<int>(label), expected);
}

// There are no more classes than rows: a label >= n is refused.
Status find_classes(const int32_t *labels, int64_t n, Coding *out, Error *e) {
  const int32_t least = *std::min_element(labels, labels + n);
  const int32_t most = *std::max_element(labels, labels + n);
  if (least == most)
    return fail(e, Status::bad_label,
                "labels: all of them are %d, expected two classes or more: 0 and 1, -1 and +1, or "
                "0 to k-1",
                static_cast<int>(least));
  if (least > 0)
    return fail(e, Status::bad_label,
                "labels: the least of them is %d, expected labels that count from 0: 0 and 1, -1 "
                "and +1, or 0 to k-1",
                static_cast<int>(least));
  if (least < 0) NNP_TRY(check_signs(labels, n, e));
  for (int64_t i = 0; i < n; ++i) {
    const int32_t label = labels[i];
    if (label >= n)
      return bad_label(i, label, "classes 0, 1, 2 and so on, no more than there are rows", e);
  }
  *out = {least < 0 ? 2 : int64_t{most} + 1, least < 0};
  return Status::ok;
}

// ---- model and recipe --------------------------------------------------------------------------

// What was asked for, or what a sampler that was asked for is meant for.
int32_t asked_posterior(const TableObject &table) {
  if (table.has(TableSetting::posterior) || !table.has(TableSetting::sampler))
    return table.asked(TableSetting::posterior);
  const int32_t sampler = table.asked(TableSetting::sampler) - family_of<SamplerKind>().base();
  return number_of(ops_of(static_cast<SamplerKind>(sampler))->home);
}

Status plan_head(const TableObject &table, const Coding &coding, const Given &given, int32_t *head,
                 Error *e) {
  *head = coding.classes > 0 ? number_of(head_of_labels(outputs_of_classes(coding.classes)))
                             : table.asked(TableSetting::head);
  if (*head != 0) return Status::ok;
  return call(e, nnp_recommend_head, given.n, table.asked(TableSetting::activation),
              asked_posterior(table), head);
}

Status plan_model(const TableObject &table, const Given &given, const Coding &coding,
                  nnp_model *model, Error *e) {
  const bool labels = coding.classes > 0;
  const int64_t outputs = labels ? outputs_of_classes(coding.classes) : given.targets;
  int32_t head = 0;
  NNP_TRY(plan_head(table, coding, given, &head, e));
  NNP_TRY(call(e, nnp_model_defaults, model, given.columns, outputs, head, given.n));
  NNP_TRY(call(e, nnp_model_choose, model, table.asked(TableSetting::activation),
               asked_posterior(table)));
  model->ard = static_cast<int32_t>(table[TableSetting::ard]);
  if (table.hidden_count < 0) return Status::ok;
  model->hidden_count = table.hidden_count;
  std::fill_n(model->hidden, max_hidden, int64_t{0});
  std::copy_n(table.hidden, table.hidden_count, model->hidden);
  return Status::ok;
}

Status put_option(nnp_recipe &recipe, int32_t option, double value, Error *e) {
  const int64_t place =
      std::find(recipe.options, recipe.options + recipe.option_count, option) - recipe.options;
  if (place == recipe_options)
    return fail(e, Status::bad_option,
                "options: with those that are recommended there are more than %lld, expected fewer "
                "calls of nnp_table_option",
                ll(recipe_options));
  recipe.options[place] = option;
  recipe.values[place] = value;
  recipe.option_count = std::max(recipe.option_count, place + 1);
  return Status::ok;
}

// Recommended options are for the recommended sampler: another one may not have them.
void drop_foreign_options(nnp_recipe &recipe, SamplerKind sampler) {
  const nnp_recipe all = recipe;
  recipe.option_count = 0;
  std::fill_n(recipe.options, recipe_options, 0);
  std::fill_n(recipe.values, recipe_options, 0.0);
  for (int64_t i = 0; i < all.option_count; ++i) {
    Option option = Option::simd;
    if (take(all.options[i], "option", &option, nullptr) == Status::ok &&
        has_option(sampler, option))
      put_option(recipe, all.options[i], all.values[i], nullptr);
  }
}

// An option of yours, which the sampler must have.
Status put_own_option(nnp_recipe &recipe, SamplerKind sampler, int32_t number, double value,
                      Error *e) {
  Option option = Option::simd;
  NNP_TRY(take(number, "option", &option, e));
  if (!has_option(sampler, option))
    return fail(e, Status::bad_option,
                "option %s, set by nnp_table_option: sampler %s does not have it, expected one of "
                "its options",
                option_row(option)->name, ops_of(sampler)->name);
  return put_option(recipe, number, value, e);
}

Status plan_recipe(const TableObject &table, const nnp_net *net, int64_t n, nnp_recipe *recipe,
                   Error *e) {
  NNP_TRY(call(e, nnp_recommend, net, n, asked_posterior(table), recipe));
  const auto put = [&](TableSetting setting, auto *field) {
    if (table.has(setting)) *field = static_cast<std::decay_t<decltype(*field)>>(table[setting]);
  };
  put(TableSetting::sampler, &recipe->sampler);
  put(TableSetting::start, &recipe->start);
  put(TableSetting::chains, &recipe->chains);
  put(TableSetting::warmup, &recipe->warmup);
  put(TableSetting::draws, &recipe->draws);
  put(TableSetting::thin, &recipe->thin);
  SamplerKind sampler = SamplerKind::gibbs;
  NNP_TRY(take(recipe->sampler, "sampler", &sampler, e));
  drop_foreign_options(*recipe, sampler);
  for (int64_t i = 0; i < table.option_count; ++i)
    NNP_TRY(put_own_option(*recipe, sampler, table.options[i], table.values[i], e));
  return Status::ok;
}

// ---- chains ------------------------------------------------------------------------------------

// Chains of the network on the data, as the recipe says.
class Chains {
 public:
  Chains() = default;
  ~Chains() {
    for (int64_t c = 0; c < count_; ++c) nnp_chain_free(room_.values[c]);
  }
  Chains(const Chains &) = delete;
  Chains &operator=(const Chains &) = delete;

  Status make(const Fitted &fitted, const nnp_data *data, nnp_pool *pool, Error *e) {
    const nnp_recipe &recipe = fitted.recipe;
    NNP_TRY(room_.take(recipe.chains, 1, 1, e));
    for (int64_t c = 0; c < recipe.chains; ++c) {
      NNP_TRY(call(e, nnp_chain_create, room_.values + c, fitted.net, data, recipe.sampler,
                   recipe.posterior));
      ++count_;
      NNP_TRY(call(e, nnp_chain_use_recipe, room_.values[c], &recipe));
    }
    return call(e, nnp_chain_use_pool, room_.values[0], pool);
  }

  // Start, warm-up, draws.
  Status run(const TableObject &table, const nnp_recipe &recipe, double *values, Error *e) {
    nnp_chain *const *chains = room_.values;
    NNP_TRY(call(e, nnp_chains_start, chains, count_, recipe.start,
                 static_cast<uint64_t>(table[TableSetting::seed]), table.callback, table.user));
    if (recipe.warmup > 0)
      NNP_TRY(call(e, nnp_chains_run, chains, count_, recipe.warmup, table.callback, table.user));
    return call(e, nnp_chains_sample, chains, count_, values, recipe.draws, recipe.thin,
                table.callback, table.user);
  }

  // Draws that a chain has made.
  int64_t made(int64_t chain) const {
    int64_t draws = 0;
    nnp_chain_draws(room_.values[chain], &draws, nullptr);
    return draws;
  }

 private:
  Room<nnp_chain *> room_;
  int64_t count_ = 0;
};

// Keeps as many draws of a stopped fit as possible: the first `each` draws of all chains that have as
// many. (With fewer threads than chains, some are complete before others have begun.)
void keep_draws(const Chains &chains, Fitted &fitted) {
  int64_t each = 0, best = 0, kept = 0;
  for (int64_t c = 0; c < fitted.chains; ++c) {
    const int64_t draws = chains.made(c);
    int64_t count = 0;
    for (int64_t other = 0; other < fitted.chains; ++other)
      count += chains.made(other) >= draws ? 1 : 0;
    if (draws * count > best) {
      best = draws * count;
      each = draws;
    }
  }
  const int64_t from = fitted.parameters * fitted.draws, to = fitted.parameters * each;
  for (int64_t c = 0; c < fitted.chains && each > 0; ++c)
    if (chains.made(c) >= each)
      std::memmove(fitted.values + kept++ * to, fitted.values + c * from,
                   static_cast<size_t>(to) * sizeof(double));
  fitted.draws = each;
  fitted.chains = kept;
}

// ---- verdicts ----------------------------------------------------------------------------------

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Judges chains and weighs them, in room that is taken before they start.
class Judge {
 public:
  Status take_room(const Fitted &fitted, const nnp_data *data, const OwnedPool &pool, Error *e) {
    NNP_TRY(make_predictor(fitted, false, predictor_, e));
    NNP_TRY(share_out(predictor_.handle, pool, helpers_, e));
    NNP_TRY(call(e, nnp_functions_count, predictor_.handle, data, int64_t{0}, &functions_));
    NNP_TRY(values_.take(std::max(functions_, fitted.rows), fitted.draws, fitted.chains, e));
    nnp_draws view;
    size_t bytes[3] = {0, 0, 0};
    NNP_TRY(draws_of(fitted, functions_, &view, e));
    NNP_TRY(call(e, nnp_convergence_bytes, &view, &bytes[0]));
    NNP_TRY(draws_of(fitted, fitted.rows, &view, e));
    NNP_TRY(call(e, nnp_loo_bytes, &view, &bytes[1]));
    NNP_TRY(call(e, nnp_stack_chains_bytes, &view, &bytes[2]));
    bytes_ = *std::max_element(bytes, bytes + 3);
    return work_.take_bytes(bytes_, e);
  }

  Status judge(Fitted &fitted, const nnp_data *data, bool stacking, Error *e) {
    std::fill_n(fitted.weights, fitted.chains, 1 / static_cast<double>(fitted.chains));
    NNP_TRY(judge_convergence(fitted, data, e));
    return weigh(fitted, data, stacking, e);
  }

 private:
  Status draws_of(const Fitted &fitted, int64_t quantities, nnp_draws *view, Error *e) {
    return call(e, nnp_draws_init, view, values_.values, quantities, fitted.draws, fitted.chains);
  }

  // Without finite functions there is no verdict, but still a fit.
  Status judge_convergence(Fitted &fitted, const nnp_data *data, Error *e) {
    nnp_draws view;
    nnp_convergence &found = fitted.convergence;
    const int64_t all = fitted.draws * fitted.chains;
    Status status = call(e, nnp_functions, predictor_.handle, data, fitted.values, all, int64_t{0},
                         values_.values);
    if (status == Status::ok) status = draws_of(fitted, functions_, &view, e);
    if (status == Status::ok)
      status = call(e, nnp_convergence_of, &view, &found, work_.values, bytes_);
    if (status != Status::not_finite) return status;
    found = nnp_convergence{};
    found.verdict = NNP_CONVERGENCE_UNDECIDED;
    found.rhat = found.ess_bulk = found.ess_tail = nan;
    found.worst = -1;
    return Status::ok;
  }

  // Cross-validation; chains that disagree count by what it says of them.
  Status weigh(Fitted &fitted, const nnp_data *data, bool stacking, Error *e) {
    nnp_draws view;
    nnp_stacking_summary stacked;
    nnp_loo_summary &found = fitted.loo;
    const int64_t all = fitted.draws * fitted.chains;
    const Status status =
        call(e, nnp_log_lik, predictor_.handle, data, fitted.values, all, values_.values);
    if (status == Status::not_finite) {
      found = nnp_loo_summary{};
      found.elpd = found.elpd_error = found.p_loo = found.p_loo_error = nan;
      found.largest_k = found.k_limit = nan;
      return Status::ok;
    }
    NNP_TRY(status);
    NNP_TRY(draws_of(fitted, fitted.rows, &view, e));
    double *none = nullptr;
    NNP_TRY(call(e, nnp_loo, &view, none, none, none, &found, work_.values, bytes_));
    if (!stacking || fitted.chains < 2 || fitted.convergence.verdict != NNP_NOT_CONVERGED)
      return Status::ok;
    NNP_TRY(call(e, nnp_stack_chains, &view, fitted.weights, &stacked, work_.values, bytes_));
    fitted.weights_from = WeightsFrom::stacking;
    return Status::ok;
  }

  OwnedPredictor predictor_;
  Room<char> helpers_, work_;
  Room<double> values_;  // of functions, then of log likelihoods
  int64_t functions_ = 0;
  size_t bytes_ = 0;
};

// ---- the fit -----------------------------------------------------------------------------------

Status check(const nnp_table *table, const Given &given, Error *e) {
  MatrixOrder order = MatrixOrder::row_major;
  NNP_TRY(need(table, "table", e));
  NNP_TRY(need(given.x, "x", e));
  if (given.targets > 0) NNP_TRY(need(given.y, "y", e));
  if (given.targets == 0) NNP_TRY(need(given.labels, "labels", e));
  NNP_TRY(need_size(given.n, 2, max_size, "n", e));
  NNP_TRY(need_size(given.columns, 1, max_inputs, "columns", e));
  return take(given.order, "order", &order, e);
}

// A column whose deviation is subnormal has lost its digits, and dividing by it overflows.
Status need_spread(const Table &columns, const double *sd, Error *e) {
  constexpr double least = std::numeric_limits<double>::min();
  for (int64_t j = 0; j < columns.columns; ++j)
    if (sd[j] != 0 && sd[j] < least)
      return fail(e, Status::bad_value,
                  "%s: column %lld has the standard deviation %g, expected at least %g",
                  columns.name, ll(j), sd[j], least);
  return Status::ok;
}

// Constant columns of inputs are refused, with the setting that has them ignored, or ignored.
Status standard_of_inputs(const Table &x, bool ignore, Fitted &fitted, Error *e) {
  Error why = {};
  const Status status = find_standard(x, fitted.input_mean, fitted.input_sd, &why);
  if (status == Status::ok || (status == Status::bad_value && ignore)) return Status::ok;
  const char *remedy = status == Status::bad_value
                           ? ", or the setting constant (NNP_TABLE_CONSTANT) = 1 to ignore it"
                           : "";
  return fail(e, status, "%s%s", why.message, remedy);
}

Status standard_of(const TableObject &table, const Given &given, Fitted &fitted, Error *e) {
  Table x, y;
  NNP_TRY(take_columns(given.x, given.n, given.columns, given.order, "x", &x, e));
  NNP_TRY(standard_of_inputs(x, table[TableSetting::constant] == 1, fitted, e));
  NNP_TRY(need_spread(x, fitted.input_sd, e));
  if (given.targets == 0) return Status::ok;
  NNP_TRY(take_columns(given.y, given.n, given.targets, given.order, "y", &y, e));
  NNP_TRY(find_standard(y, fitted.target_mean, fitted.target_sd, e));
  return need_spread(y, fitted.target_sd, e);
}

// Writes the matrix that suits standardized inputs of classes, columns x columns.
Status find_matrix(const Table &z, const int32_t *labels, const Coding &coding, double *matrix,
                   Error *err) {
  DiscriminantRoom room;
  Room<char> work;
  size_t bytes = 0;
  const auto layout = [&](Arena &arena) {
    room = discriminant_layout(arena, z.columns, coding.classes);
  };
  NNP_TRY(count_bytes(layout, &bytes, err));
  NNP_TRY(work.take_bytes(bytes, err));
  NNP_TRY(build_in(work.values, bytes, layout, err));
  find_discriminant({z, labels, coding.classes, coding.with_sign}, room, matrix);
  return Status::ok;
}

// The change of standardized inputs, if there is to be one.
Status matrix_of(const Given &given, const Coding &coding, Fitted &fitted, Error *e) {
  Table x;
  Room<double> z;
  if (!fitted.input_matrix) return Status::ok;
  NNP_TRY(take_columns(given.x, given.n, given.columns, given.order, "x", &x, e));
  NNP_TRY(z.take(given.n, given.columns, 1, e));
  NNP_TRY(standardize(x, fitted.input_mean, fitted.input_sd, z.values, e));
  x.x = z.values;
  return find_matrix(x, given.labels, coding, fitted.input_matrix, e);
}

bool has_matrix(const Given &given, const Coding &coding, const nnp_model &model) {
  return coding.classes > 0 && model.ard == 0 &&
         suits_discriminant(given.n, given.columns, coding.classes);
}

using OwnedFitted = Owned<Fitted, free_fitted>;

// All but draws and verdicts.
Status prepare(const TableObject &table, const Given &given, OwnedFitted &out, Error *e) {
  Coding coding = {0, false};
  nnp_model model;
  nnp_recipe recipe;
  Owned<nnp_net, nnp_net_free> net;
  FittedSizes sizes = {given.columns, 0, given.targets, 0, 0, 0};
  if (given.targets == 0) NNP_TRY(find_classes(given.labels, given.n, &coding, e));
  NNP_TRY(plan_model(table, given, coding, &model, e));
  NNP_TRY(call(e, nnp_net_create_model, &net.handle, &model));
  NNP_TRY(plan_recipe(table, net.handle, given.n, &recipe, e));
  NNP_TRY(call(e, nnp_net_parameters, net.handle, &sizes.parameters));
  if (has_matrix(given, coding, model)) sizes.matrix = given.columns * given.columns;
  sizes.draws = recipe.draws;
  sizes.chains = recipe.chains;
  NNP_TRY(make_fitted(sizes, &out.handle, e));
  Fitted &fitted = *out.handle;
  fitted.net = net.release();
  fitted.model = model;
  fitted.recipe = recipe;
  fitted.rows = given.n;
  fitted.classes = coding.classes;
  fitted.signed_labels = coding.with_sign;
  NNP_TRY(standard_of(table, given, fitted, e));
  return matrix_of(given, coding, fitted, e);
}

// Steps of chains come last: whatever can be refused is refused before.
Status fit(TableObject &table, const Given &given, Error *e) {
  OwnedFitted fitted;
  OwnedData data;
  OwnedPool pool;
  Judge judge;
  Chains chains;
  NNP_TRY(prepare(table, given, fitted, e));
  Fitted &made = *fitted.handle;
  NNP_TRY(make_data(made, {given.x, given.y, given.labels, given.n, given.order}, data, e));
  NNP_TRY(make_pool(table, made.chains, pool, e));
  NNP_TRY(chains.make(made, data.handle, pool.handle, e));
  NNP_TRY(judge.take_room(made, data.handle, pool, e));
  const bool stacking = table[TableSetting::stacking] == 1;
  const Status status = chains.run(table, made.recipe, made.values, e);
  if (status != Status::ok && status != Status::stopped) return status;
  if (status == Status::stopped) keep_draws(chains, made);
  // a callback that stops at the very last step stops nothing
  made.stopped = made.draws < made.recipe.draws || made.chains < made.recipe.chains;
  if (made.draws == 0)
    return fail(e, Status::stopped, "callback: it stopped the fit before the first draw");
  NNP_TRY(judge.judge(made, data.handle, stacking, e));
  replace_fitted(table, fitted.release());
  if (!made.stopped) return Status::ok;
  return fail(e, Status::stopped,
              "callback: it stopped the fit, which has %lld of %lld draws of %lld chains",
              ll(made.draws), ll(made.recipe.draws), ll(made.chains));
}

}  // namespace

// ---- what the rooms of tables share ------------------------------------------------------------

// Names a row that fits neither kind of labels, if there is one.
Status nnp::check_signs(const int32_t *labels, int64_t n, Error *err) {
  const int32_t *const end = labels + n, *wrong = std::min_element(labels, end);
  if (*wrong == -1)
    wrong = std::find_if(labels, end, [](int32_t label) { return label != -1 && label != 1; });
  if (wrong == end) return Status::ok;
  return bad_label(wrong - labels, *wrong, "classes 0, 1, 2 and so on, or -1 and +1 alone", err);
}

// ---- the API -----------------------------------------------------------------------------------

int32_t nnp_table_fit(nnp_table *table, const double *x, const double *y, int64_t n,
                      int64_t columns, int64_t targets, int32_t order, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    const Given given = {x, y, nullptr, n, columns, targets, order};
    NNP_TRY(need_size(targets, 1, max_inputs, "targets", e));
    NNP_TRY(check(table, given, e));
    return fit(*unwrap(table), given, e);
  });
}

int32_t nnp_table_fit_labels(nnp_table *table, const double *x, const int32_t *labels, int64_t n,
                             int64_t columns, int32_t order, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    const Given given = {x, nullptr, labels, n, columns, 0, order};
    NNP_TRY(check(table, given, e));
    return fit(*unwrap(table), given, e);
  });
}

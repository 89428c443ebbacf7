// Predictions of a table of data: new rows in, results in the units of the table out. Also the data,
// predictors and threads that a fit needs.
#include <algorithm>

#include "capi/families.hpp"
#include "capi/table.hpp"
#include "lib/base/pool.hpp"
#include "lib/network/discriminant.hpp"

using namespace nnp;

namespace {

constexpr int64_t rows_of_tile = 128;  // fewer are not worth threads

// What one call for new rows needs, until it is over.
struct Call {
  OwnedData data;
  OwnedPool pool;
  Room<char> helpers;
  OwnedPredictor predictor;

  Status prepare(const nnp_table *table, const TableRows &given, int64_t columns, Error *e) {
    NNP_TRY(need_fitted(table, e));
    const Fitted &fitted = *unwrap(table)->fitted;
    if (columns != fitted.columns)
      return fail(e, Status::bad_shape, "columns = %lld: expected %lld, those of the fit",
                  ll(columns), ll(fitted.columns));
    NNP_TRY(make_data(fitted, given, data, e));
    NNP_TRY(make_predictor(fitted, true, predictor, e));
    NNP_TRY(make_pool(*unwrap(table), (given.rows + rows_of_tile - 1) / rows_of_tile, pool, e));
    return share_out(predictor.handle, pool, helpers, e);
  }
  Status predict(const Fitted &fitted, int32_t kind, double *out, Error *e) {
    return call(e, nnp_predict, predictor.handle, data.handle, fitted.values,
                fitted.draws * fitted.chains, kind, out);
  }
};

// Of the sign head the library tells the probability of +1 alone: both classes, in place.
void write_both_classes(double *out, int64_t rows) {
  for (int64_t i = rows - 1; i >= 0; --i) {
    const double plus = out[i];
    out[2 * i] = 1 - plus;
    out[2 * i + 1] = plus;
  }
}

Status predict_classes(Call &made, const Fitted &fitted, int64_t rows, int32_t kind, double *out,
                       Error *e) {
  NNP_TRY(made.predict(fitted, kind, out, e));
  if (fitted.classes == 2) write_both_classes(out, rows);
  return Status::ok;
}

Status need_level(double level, Error *e) {
  if (level > 0 && level < 1) return Status::ok;
  return fail(e, Status::bad_value, "level = %g: expected a number above 0 and below 1", level);
}

constexpr double usual_levels[] = {0.05, 0.5, 0.95};

}  // namespace

// ---- data, predictors and threads ---------------------------------------------------------------

Status nnp::make_pool(const TableObject &table, int64_t most, OwnedPool &pool, Error *err) {
  const int64_t asked = table.whole(TableSetting::threads);
  const int64_t threads =
      std::min(asked > 0 ? asked : pool_processors(), std::min(most, most_threads));
  if (threads < 2) return Status::ok;
  if (asked > 0) return call(err, nnp_pool_create, &pool.handle, threads);
  nnp_pool_create(&pool.handle, threads,
                  nullptr);  // the system may have none: then the caller alone
  return Status::ok;
}

Status nnp::share_out(nnp_predictor *predictor, const OwnedPool &pool, Room<char> &helpers,
                      Error *err) {
  size_t bytes = 0;
  if (!pool.handle) return Status::ok;
  NNP_TRY(call(err, nnp_predictor_pool_bytes, predictor, pool.handle, &bytes));
  NNP_TRY(helpers.take_bytes(bytes, err));
  return call(err, nnp_predictor_use_pool, predictor, pool.handle, helpers.values, bytes);
}

Status nnp::make_data(const Fitted &fitted, const TableRows &given, OwnedData &data, Error *err) {
  const int64_t outputs = given.y ? fitted.targets : 0;
  Room<double> changed;
  Table x, y;
  NNP_TRY(need(given.x, "x", err));
  NNP_TRY(need_size(given.rows, 1, max_size, "rows", err));
  NNP_TRY(take_columns(given.x, given.rows, fitted.columns, given.order, "x", &x, err));
  NNP_TRY(changed.take(given.rows, std::max(fitted.columns, outputs), 1, err));
  NNP_TRY(standardize(x, fitted.input_mean, fitted.input_sd, changed.values, err));
  x.x = changed.values;
  if (fitted.input_matrix) apply_discriminant(x, fitted.input_matrix, changed.values);
  NNP_TRY(call(err, nnp_data_create, &data.handle, given.rows, fitted.columns, outputs));
  NNP_TRY(call(err, nnp_data_set_inputs, data.handle, changed.values, given.order));
  if (given.y) {
    NNP_TRY(take_columns(given.y, given.rows, outputs, given.order, "y", &y, err));
    NNP_TRY(standardize(y, fitted.target_mean, fitted.target_sd, changed.values, err));
    NNP_TRY(call(err, nnp_data_set_targets, data.handle, changed.values, given.order));
  }
  if (!given.labels) return Status::ok;
  const bool twice = fitted.classes == 2 && !fitted.signed_labels;  // 0 and 1 become -1 and +1
  Room<int32_t> labels;
  NNP_TRY(labels.take(given.rows, 1, 1, err));
  for (int64_t i = 0; i < given.rows; ++i) {
    const int32_t label = given.labels[i];
    const bool known =
        fitted.signed_labels ? label == -1 || label == 1 : label >= 0 && label < fitted.classes;
    if (!known)
      return fail(err, Status::bad_label, "labels: row %lld has %d, expected %s %lld", ll(i),
                  static_cast<int>(label), fitted.signed_labels ? "-1 or" : "0 to",
                  ll(fitted.classes - 1));
    labels.values[i] = twice ? 2 * label - 1 : label;
  }
  return call(err, nnp_data_set_labels, data.handle, labels.values);
}

Status nnp::make_predictor(const Fitted &fitted, bool weighed, OwnedPredictor &predictor,
                           Error *err) {
  const int64_t draws = weighed ? fitted.draws * fitted.chains : 1;
  NNP_TRY(call(err, nnp_predictor_create, &predictor.handle, fitted.net, draws));
  NNP_TRY(call(err, nnp_predictor_posterior, predictor.handle, fitted.recipe.posterior));
  NNP_TRY(call(err, nnp_predictor_levels, predictor.handle, usual_levels, int64_t{3}));
  if (fitted.classes == 0)
    NNP_TRY(call(err, nnp_predictor_units, predictor.handle, fitted.target_mean, fitted.target_sd));
  if (!weighed) return Status::ok;
  Room<double> each;
  NNP_TRY(each.take(fitted.draws, fitted.chains, 1, err));
  for (int64_t c = 0; c < fitted.chains; ++c)
    std::fill_n(each.values + c * fitted.draws, fitted.draws, fitted.weights[c]);
  return call(err, nnp_predictor_weights, predictor.handle, each.values, draws);
}

// ---- the API -----------------------------------------------------------------------------------

int32_t nnp_table_predictor(const nnp_table *table, nnp_predictor **predictor, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    OwnedPredictor made;
    NNP_TRY(need_fitted(table, e));
    NNP_TRY(need(predictor, "predictor", e));
    const Fitted &fitted = *unwrap(table)->fitted;
    NNP_TRY(make_predictor(fitted, true, made, e));
    *predictor = made.release();
    return Status::ok;
  });
}

int32_t nnp_table_data(const nnp_table *table, const double *x, const double *y,
                       const int32_t *labels, int64_t rows, int32_t order, nnp_data **data,
                       nnp_error *err) {
  return guarded(err, [&](Error *e) {
    OwnedData made;
    NNP_TRY(need_fitted(table, e));
    NNP_TRY(need(data, "data", e));
    const Fitted &fitted = *unwrap(table)->fitted;
    if ((y && fitted.classes > 0) || (labels && fitted.classes == 0))
      return fail(e, Status::unsupported, "%s: the table was fitted to %s, expected NULL here",
                  y && fitted.classes > 0 ? "y" : "labels",
                  fitted.classes > 0 ? "labels" : "targets");
    NNP_TRY(make_data(fitted, {x, y, labels, rows, order}, made, e));
    *data = made.release();
    return Status::ok;
  });
}

int32_t nnp_table_predict(const nnp_table *table, const double *x, int64_t rows, int64_t columns,
                          int32_t order, int32_t kind, double *out, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    Prediction what = Prediction::mean;
    Call made;
    NNP_TRY(need_fitted(table, e));
    NNP_TRY(take(kind, "kind", &what, e));
    NNP_TRY(need(out, "out", e));
    NNP_TRY(made.prepare(table, {x, nullptr, nullptr, rows, order}, columns, e));
    const Fitted &fitted = *unwrap(table)->fitted;
    if (kind == NNP_PREDICT_PROBABILITIES || kind == NNP_PREDICT_VOTES)
      return predict_classes(made, fitted, rows, kind, out, e);
    return made.predict(fitted, kind, out, e);
  });
}

int32_t nnp_table_interval(const nnp_table *table, const double *x, int64_t rows, int64_t columns,
                           int32_t order, double level, double *ends, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    Call made;
    NNP_TRY(need_fitted(table, e));
    const Fitted &fitted = *unwrap(table)->fitted;
    if (fitted.classes > 0)
      return fail(e, Status::unsupported,
                  "table: it was fitted to labels, expected targets (nnp_table_fit)");
    NNP_TRY(need_level(level, e));
    NNP_TRY(need(ends, "ends", e));
    NNP_TRY(made.prepare(table, {x, nullptr, nullptr, rows, order}, columns, e));
    const double levels[] = {(1 - level) / 2, (1 + level) / 2};
    NNP_TRY(call(e, nnp_predictor_levels, made.predictor.handle, levels, int64_t{2}));
    return made.predict(fitted, NNP_PREDICT_QUANTILES, ends, e);
  });
}

int32_t nnp_table_classify(const nnp_table *table, const double *x, int64_t rows, int64_t columns,
                           int32_t order, int32_t *labels, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    Call made;
    Room<double> p;
    NNP_TRY(need_fitted(table, e));
    const Fitted &fitted = *unwrap(table)->fitted;
    if (fitted.classes == 0)
      return fail(e, Status::unsupported,
                  "table: it was fitted to targets, expected labels (nnp_table_fit_labels)");
    NNP_TRY(need(labels, "labels", e));
    NNP_TRY(made.prepare(table, {x, nullptr, nullptr, rows, order}, columns, e));
    NNP_TRY(p.take(fitted.classes, rows, 1, e));
    NNP_TRY(predict_classes(made, fitted, rows, NNP_PREDICT_PROBABILITIES, p.values, e));
    for (int64_t i = 0; i < rows; ++i) {
      const double *row = p.values + i * fitted.classes;
      const int64_t best = std::max_element(row, row + fitted.classes) - row;
      labels[i] = static_cast<int32_t>(fitted.signed_labels ? 2 * best - 1 : best);
    }
    return Status::ok;
  });
}

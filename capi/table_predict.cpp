// Predictions of a table of data: new rows in, results in the units of the table out.
#include <algorithm>

#include "capi/families.hpp"
#include "capi/table.hpp"

using namespace nnp;

namespace {

constexpr int64_t rows_of_tile = 128;  // fewer are not worth threads

// What one call for new rows needs, until it is over.
struct Call {
  OwnedData data;
  OwnedPool pool;
  Room<char> helpers;
  OwnedPredictor predictor;

  Status prepare(const nnp_table *table, const TableRows &given, Error *e) {
    NNP_TRY(need_fitted(table, e));
    const Fitted &fitted = *unwrap(table)->fitted;
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

}  // namespace

int32_t nnp_table_predict(const nnp_table *table, const double *x, int64_t rows, int32_t order,
                          int32_t kind, double *out, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    Prediction what = Prediction::mean;
    Call made;
    NNP_TRY(need_fitted(table, e));
    NNP_TRY(take(kind, "kind", &what, e));
    NNP_TRY(need(out, "out", e));
    NNP_TRY(made.prepare(table, {x, nullptr, nullptr, rows, order}, e));
    const Fitted &fitted = *unwrap(table)->fitted;
    if (kind == NNP_PREDICT_PROBABILITIES || kind == NNP_PREDICT_VOTES)
      return predict_classes(made, fitted, rows, kind, out, e);
    return made.predict(fitted, kind, out, e);
  });
}

int32_t nnp_table_interval(const nnp_table *table, const double *x, int64_t rows, int32_t order,
                           double level, double *low, double *high, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    Call made;
    Room<double> ends;
    NNP_TRY(need_fitted(table, e));
    const Fitted &fitted = *unwrap(table)->fitted;
    if (fitted.classes > 0)
      return fail(e, Status::unsupported,
                  "table: it was fitted to labels, expected targets (nnp_table_fit)");
    NNP_TRY(need_level(level, e));
    NNP_TRY(need(low, "low", e));
    NNP_TRY(need(high, "high", e));
    NNP_TRY(made.prepare(table, {x, nullptr, nullptr, rows, order}, e));
    NNP_TRY(ends.take(2, fitted.targets, rows, e));
    const double levels[] = {(1 - level) / 2, (1 + level) / 2};
    NNP_TRY(call(e, nnp_predictor_levels, made.predictor.handle, levels, int64_t{2}));
    NNP_TRY(made.predict(fitted, NNP_PREDICT_QUANTILES, ends.values, e));
    for (int64_t i = 0; i < fitted.targets * rows; ++i) {
      low[i] = ends.values[2 * i];
      high[i] = ends.values[2 * i + 1];
    }
    return Status::ok;
  });
}

int32_t nnp_table_classify(const nnp_table *table, const double *x, int64_t rows, int32_t order,
                           int32_t *labels, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    Call made;
    Room<double> p;
    NNP_TRY(need_fitted(table, e));
    const Fitted &fitted = *unwrap(table)->fitted;
    if (fitted.classes == 0)
      return fail(e, Status::unsupported,
                  "table: it was fitted to targets, expected labels (nnp_table_fit_labels)");
    NNP_TRY(need(labels, "labels", e));
    NNP_TRY(made.prepare(table, {x, nullptr, nullptr, rows, order}, e));
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

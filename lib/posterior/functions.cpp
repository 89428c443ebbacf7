#include <algorithm>
#include <cmath>

#include "lib/base/sizes.hpp"
#include "lib/base/text.hpp"
#include "lib/posterior/averages.hpp"
#include "lib/posterior/log_sums.hpp"

namespace nnp {

namespace {

// ---- functions of a draw ---------------------------------------------------------------------

int64_t columns_of(const Predictor &p) {
  return class_columns(p) > 0 ? class_columns(p) : p.net.targets();
}

// Row i of `count` rows spread evenly over n.
int64_t spread_row(int64_t i, int64_t count, int64_t n) {
  return count == 1 ? 0 : i * (n - 1) / (count - 1);
}

int64_t judged_count(const Data &data) {
  return std::min(data.n(), judged_rows);
}

// Number of judged rows at which predictions are evaluated.
int64_t shown_count(const Data &data, int64_t rows) {
  return std::min(judged_count(data), rows > 0 ? rows : judged_predictions);
}

double input_at(const Predictor &p, const Data &data, int64_t row, int64_t column) {
  const ConstTile tile = data.inputs(row / data.tiling.ld);
  if (!tile.packed) return tile.col(column)[row % data.tiling.ld];
  p.kernels->unpack(*tile.packed, column, {p.sites[0], tile.rows, 1, Tiling::max_rows});
  return p.sites[0][row % data.tiling.ld];
}

// Copies the judged rows to a separate tile.
const Data &copy_judged(Predictor &p, const Data &data) {
  Data &to = p.judged;
  const int64_t count = judged_count(data);
  const int64_t outputs = head_of(p).target == TargetKind::targets ? data.outputs : 0;
  to.tiling = Tiling::of(count);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = spread_row(i, count, data.n());
    for (int64_t j = 0; j < data.features; ++j)
      to.x[to.tiling.at(data.features, i, j)] = input_at(p, data, row, j);
    for (int64_t j = 0; j < outputs; ++j)
      to.y[to.tiling.at(outputs, i, j)] = data.y[data.tiling.at(outputs, row, j)];
    to.labels[i] = data.labels[row];
  }
  to.features = data.features;
  to.outputs = outputs;
  return to;
}

// A number of passes that is cheap enough; class probabilities cost more than a pass.
Passes passes_to_judge(const Predictor &p) {
  return {draws_noise(p, false) && class_columns(p) == 0 ? judged_passes : 1, false, true, false};
}

// Adds the prediction of one pass to the sums: outputs, or probabilities.
void add_prediction(const Predictor &p, ConstTile mean, Tile sum) {
  if (class_columns(p) > 0) return add_probabilities(p, mean, sum);
  for (int64_t j = 0; j < sum.width; ++j)
    for (int64_t i = 0; i < sum.rows; ++i) sum.col(j)[i] += mean.col(j)[i];
}

// Computes all functions of one draw; the tile of sums is scratch.
void judge_draw(Predictor &p, const Data &chosen, const Draws &draw, int64_t shown, double *out) {
  const int64_t rows = chosen.n();
  const Passes passes = passes_to_judge(p);
  const Tile sum = {p.values, rows, columns_of(p), Tiling::max_rows};
  LogSums logs(p, rows);
  clear(sum);
  for_each_pass(p, chosen, draw, 0, passes, [&](int64_t, ConstTile mean) {
    add_log_terms(p, chosen, 0, mean, logs);
    if (p.finite) add_prediction(p, mean, sum);
  });
  double log_lik = 0;
  for (int64_t i = 0; i < rows; ++i) log_lik += logs.log_mean(i, passes.each);
  *out++ = log_lik / static_cast<double>(rows);
  for (int64_t i = 0; i < shown; ++i)
    for (int64_t j = 0; j < sum.width; ++j)
      *out++ = sum.col(j)[spread_row(i, shown, rows)] / static_cast<double>(passes.each);
  for (int64_t k = p.net.weight_params(); k < p.net.param_count(); ++k) *out++ = p.params[k];
}

}  // namespace

int64_t function_count(const Predictor &predictor, const Data &data, int64_t rows) {
  return 1 + shown_count(data, rows) * columns_of(predictor) + predictor.net.param_count() -
         predictor.net.weight_params();
}

Status check_functions(const Predictor &predictor, const Data &data, int64_t rows, Error *err) {
  if (rows < 0 || rows > judged_rows)
    return fail(err, Status::bad_size, "rows = %lld: expected 0 to %lld", ll(rows),
                ll(judged_rows));
  Status status = net_check_inputs(predictor.net, data, err);
  if (status == Status::ok) status = net_check_targets(predictor.net, data, err);
  if (status != Status::ok || class_columns(predictor) == 0) return status;
  return check_classes(predictor, "rows", err);
}

Status functions_of(Predictor &predictor, const Data &data, const Draws &draws, int64_t rows,
                    double *out, Error *err) {
  Status status = check_functions(predictor, data, rows, err);
  if (status == Status::ok) status = check_draws(predictor, draws, err);
  if (status != Status::ok) return status;
  const Data &chosen = copy_judged(predictor, data);
  const int64_t shown = shown_count(data, rows), count = function_count(predictor, data, rows);
  int64_t bad = 0;
  status = share_out(
      predictor, draws.count, 1,
      [&](Predictor &own, int64_t s) {
        const Draws one = {draws.params + s * own.net.param_count(), 1};
        judge_draw(own, chosen, one, shown, out + s * count);
        if (!own.cut_short && !all_finite(out + s * count, count)) own.finite = false;
      },
      &bad, err);
  if (status != Status::ok) return status;
  if (bad < INT64_MAX)
    return fail(err, Status::not_finite,
                "params: draw %lld has outputs or log likelihoods that are not finite", ll(bad));
  return Status::ok;
}

size_t function_name(const Predictor &predictor, const Data &data, int64_t rows, int64_t index,
                     char *buffer, size_t size) {
  const int64_t columns = columns_of(predictor), shown = shown_count(data, rows);
  const int64_t scale = index - 1 - shown * columns;
  if (scale >= 0)
    return net_param_name(predictor.net, predictor.net.weight_params() + scale, buffer, size);
  Text out = {buffer, size, 0};
  if (index == 0) {
    out.add("log_lik");
    return out.length;
  }
  const int64_t judged = spread_row((index - 1) / columns, shown, judged_count(data));
  const int64_t row = spread_row(judged, judged_count(data), data.n());
  out.add("%c[%lld", class_columns(predictor) > 0 ? 'p' : 'f', ll(row + 1));
  if (columns > 1) out.add(",%lld", ll((index - 1) % columns + 1));
  out.add("]");
  return out.length;
}

}  // namespace nnp

#include "lib/network/standard.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnp {

namespace {

double largest_of(const Table &t, int64_t j) {
  double largest = 0;
  for (int64_t i = 0; i < t.rows; ++i) largest = std::max(largest, std::fabs(t.at(i, j)));
  return largest;
}

// Uses two passes and scales by the largest entry, so that nothing cancels or overflows.
void find_column(const Table &t, int64_t j, double *mean, double *sd) {
  const double n = static_cast<double>(t.rows), largest = largest_of(t, j);
  *mean = *sd = 0;
  if (largest == 0) return;
  double sum = 0, rest = 0, square = 0;
  for (int64_t i = 0; i < t.rows; ++i) sum += t.at(i, j) / largest;
  const double first = sum / n;
  for (int64_t i = 0; i < t.rows; ++i) {
    const double delta = t.at(i, j) / largest - first;
    rest += delta;
    square += delta * delta;
  }
  *mean = largest * (first + rest / n);
  const double spread = std::sqrt(std::max(square / n - rest / n * (rest / n), 0.0));
  // A spread that rounding of the mean alone can produce is 0.
  *sd = spread > 4 * std::numeric_limits<double>::epsilon() ? largest * spread : 0;
}

Status check_units(const Table &t, const double *mean, const double *sd, Error *err) {
  for (int64_t j = 0; j < t.columns; ++j)
    if (!std::isfinite(mean[j]) || !(sd[j] >= 0) || !std::isfinite(sd[j]))
      return fail(err, Status::bad_value,
                  "mean, sd: those of column %lld are %g and %g, expected two finite numbers, the "
                  "second not negative",
                  ll(j), mean[j], sd[j]);
  return check_entries(t, err);
}

// out(i, j) = change(x(i, j), j)
template <class Change>
void for_each_entry(const Table &t, double *out, Change change) {
  for (int64_t j = 0; j < t.columns; ++j)
    for (int64_t i = 0; i < t.rows; ++i) out[t.place(i, j)] = change(t.at(i, j), j);
}

}  // namespace

Status check_entries(const Table &t, Error *err) {
  for (int64_t j = 0; j < t.columns; ++j)
    for (int64_t i = 0; i < t.rows; ++i)
      if (!std::isfinite(t.at(i, j)))
        return fail(
            err, Status::not_finite,
            "%s: column %lld has the value %g in row %lld, counted from 0, expected finite numbers",
            t.name, ll(j), t.at(i, j), ll(i));
  return Status::ok;
}

Status find_standard(const Table &table, double *mean, double *sd, Error *err) {
  const Status status = check_entries(table, err);
  if (status != Status::ok) return status;
  int64_t constant = -1;
  for (int64_t j = 0; j < table.columns; ++j) {
    find_column(table, j, mean + j, sd + j);
    if (sd[j] == 0 && constant < 0) constant = j;
  }
  if (constant < 0) return Status::ok;
  return fail(err, Status::bad_value,
              "%s: column %lld is constant, all its values are %g, expected some that differ",
              table.name, ll(constant), mean[constant]);
}

Status standardize(const Table &table, const double *mean, const double *sd, double *out,
                   Error *err) {
  const Status status = check_units(table, mean, sd, err);
  if (status != Status::ok) return status;
  for_each_entry(table, out,
                 [&](double x, int64_t j) { return sd[j] > 0 ? (x - mean[j]) / sd[j] : 0; });
  return Status::ok;
}

Status unstandardize(const Table &table, const double *mean, const double *sd, double *out,
                     Error *err) {
  const Status status = check_units(table, mean, sd, err);
  if (status != Status::ok) return status;
  for_each_entry(table, out, [&](double x, int64_t j) { return mean[j] + sd[j] * x; });
  return Status::ok;
}

}  // namespace nnp

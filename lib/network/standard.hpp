// Standardized columns: computes means and standard deviations, and applies them to a table.
#pragma once

#include <cstdint>

#include "lib/base/status.hpp"

namespace nnp {

// A table of numbers in place: entry (i, j) is at x[i * row_stride + j * column_stride].
struct Table {
  const double *x;
  int64_t rows, columns;
  int64_t row_stride, column_stride;
  const char *name = "x";  // what messages call it

  int64_t place(int64_t i, int64_t j) const { return i * row_stride + j * column_stride; }
  double at(int64_t i, int64_t j) const { return x[place(i, j)]; }
};

// Status::not_finite, with the place of the first entry that is not finite.
Status check_entries(const Table &table, Error *err);

// Mean and standard deviation (denominator: rows) of every column. Status::not_finite, with nothing
// written, if an entry is not finite. Status::bad_value, with everything written, if a column is
// constant: its standard deviation is then 0. The message names the first such column.
Status find_standard(const Table &table, double *mean, double *sd, Error *err);

// out = (x - mean) / sd, with the strides of the table; columns whose sd is 0 become 0. out may be x.
Status standardize(const Table &table, const double *mean, const double *sd, double *out,
                   Error *err);
// out = mean + sd x
Status unstandardize(const Table &table, const double *mean, const double *sd, double *out,
                     Error *err);

}  // namespace nnp

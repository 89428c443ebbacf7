// A linear change of standardized inputs that suits classes: the directions in which they differ
// become longer, so that equal priors of all weights expect most of the differences there.
#pragma once

#include <cstdint>

#include "lib/base/arena.hpp"
#include "lib/network/standard.hpp"

namespace nnp {

// Rows of standardized columns and their classes, from 0 on, or -1 and +1.
struct ClassRows {
  Table z;
  const int32_t *labels;
  int64_t classes;
  bool signed_labels;

  int64_t class_of(int64_t row) const {
    return signed_labels ? (labels[row] + 1) / 2 : int64_t{labels[row]};
  }
};

struct DiscriminantRoom {
  double *within;   // columns x columns, column-major, lower triangle: sums, then their factor
  double *means;    // columns x classes: means of classes, then scaled ones
  double *axes;     // columns x classes: the directions
  double *between;  // classes x classes
  double *vectors;  // classes x classes
  double *values;   // [class]
  double *spread;   // [column]: within-class standard deviations
  double *tile;     // some rows, minus the means of their classes
  int64_t *counts;  // [class]: rows
};
DiscriminantRoom discriminant_layout(Arena &arena, int64_t columns, int64_t classes);

// Writes the matrix of the change, columns x columns: entry i + j * columns is what column i
// contributes to column j, 0 for i < j. Fisher's discriminants a_i are found with a covariance that
// is shrunk towards its diagonal. The ratio b_i of their variance between classes to that within
// them, less what chance explains, is about the standard deviation of the log odds that linear
// discriminant analysis would give. Adding b_i^2 to the prior variance of weights along a_i is the
// same as this change; the sum of variances of the columns stays. Where chance explains everything,
// as with few rows per column, the change is the identity.
void find_discriminant(const ClassRows &rows, const DiscriminantRoom &room, double *matrix);

// out = z matrix, with the strides of the table; out may be its entries.
void apply_discriminant(const Table &z, const double *matrix, double *out);

}  // namespace nnp

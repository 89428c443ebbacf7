// Eigenvalues and eigenvectors of small symmetric matrices.
#pragma once

#include <cstdint>

namespace nnp {

// a (n x n, both triangles) = Q diag(values) Q'; the columns of q are orthonormal. a is
// overwritten. The bits do not depend on the SIMD level.
void symmetric_eigen(double *a, int64_t n, double *values, double *q);

}  // namespace nnp

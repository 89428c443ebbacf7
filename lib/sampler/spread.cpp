#include "lib/sampler/spread.hpp"

#include <algorithm>

namespace nnp {

void spread_of(const Reading &above, const Kernels &kernels, double *s) {
  const int64_t units = above.a.width;
  std::fill_n(s, units * units, 0.0);
  kernels.add_gram(above.a, s, units);
  for (int64_t j = 0; j < units; ++j) {
    for (int64_t i = j; i < units; ++i) s[j * units + i] *= above.noise_x;
    s[j * units + j] += above.noise_u;
  }
}

bool factor_spread(const Reading &above, const Kernels &kernels, double *s) {
  spread_of(above, kernels, s);
  return cholesky(s, above.a.width, above.a.width, &kernels);
}

void solve_spread(const double *factor, int64_t units, double *b, int64_t count,
                  const Kernels &kernels) {
  solve_lower(factor, units, units, b, count, units, &kernels);
  solve_lower_transposed(factor, units, units, b, count, units, &kernels);
}

}  // namespace nnp

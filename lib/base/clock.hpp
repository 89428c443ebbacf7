// A monotonic clock, for budgets and reports; no draw depends on it.
#pragma once

#include <time.h>

namespace nnp {

inline double seconds_now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace nnp

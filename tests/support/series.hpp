// Series of numbers for tests of diagnostics: normals from a fixed seed, series in memory, those of
// the authors' figure 1, and the room that verdicts on series work in.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "lib/diagnostics/level.hpp"
#include "lib/diagnostics/rank.hpp"

namespace series {

// Unity makes a macro of isnan.
inline bool is_nan(double v) {
  return v != v;
}

class Normals {
 public:
  explicit Normals(uint64_t seed) : state_(seed) {}
  double operator()() {  // splitmix64 through the normal quantile
    uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return nnp::normal_quantile((static_cast<double>(z >> 12) + 0.5) * 0x1p-52);
  }

 private:
  uint64_t state_;
};

struct Recorded {
  std::vector<double> t, x;
  nnp::TimeSeries first(size_t n) const {
    return {t.empty() ? nullptr : t.data(), x.data(), static_cast<int64_t>(n)};
  }
  nnp::TimeSeries all() const { return first(x.size()); }
};

struct LevelMemory {
  std::vector<double> block;
  nnp::LevelWork work;
  LevelMemory() : block(nnp::level_bytes() / sizeof(double) + 1) {
    work = nnp::level_work(block.data(), nnp::level_bytes());
  }
};

// A column of a chain of the authors' figure 1 (1 is test_mse) against the first, the time; empty if
// the data are not there.
inline Recorded authors(const char *chain, int column) {
  std::string root = __FILE__;
  root.resize(root.size() - std::strlen("tests/support/series.hpp"));
  std::ifstream file(root + "../shared/data/paper/fig1_gibbs_" + chain + ".txt");
  Recorded out;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    double field = 0;
    for (int k = 0; k <= column; ++k) {
      fields >> field;
      if (k == 0) out.t.push_back(field);
    }
    out.x.push_back(field);
  }
  return out;
}

constexpr const char *no_data = "skipped: ../shared/data/paper is not there";

}  // namespace series

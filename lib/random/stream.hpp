// Independent random streams. A stream is a pcg64 whose increment holds (chain, block) word for
// word, so two streams of one seed never collide; its state starts from a hash of all three.
#pragma once

#include <cstdint>
#include <pcg_random.hpp>

namespace nnp {

class Stream {
 public:
  Stream() = default;
  Stream(uint64_t seed, uint64_t chain, uint64_t block);

  uint64_t bits() { return engine_(); }
  // Uniform on (0, 1): never 0, never 1; 52 random bits plus half a step.
  double uniform() { return (static_cast<double>(engine_() >> 12) + 0.5) * 0x1p-52; }

 private:
  pcg64 engine_;
};

}  // namespace nnp

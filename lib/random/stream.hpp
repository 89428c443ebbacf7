// Independent random streams. A stream is a pcg64 whose increment holds (chain, block) word for
// word, so two streams of one seed never collide; its state starts from a hash of all three.
// The generator's step is written out here, and tested bit for bit against pcg_random.hpp: that
// header brings run-time type information and a start-up iostream object into all that includes it.
#pragma once

#include <cstdint>
#include <type_traits>

namespace nnp {

__extension__ typedef unsigned __int128 Word128;

class Stream {
 public:
  Stream() = default;  // only to be copied over
  // Streams differ in any word of the key; of `block` the lower 63 bits count.
  Stream(uint64_t seed, uint64_t chain, uint64_t block);

  // pcg64: a 128-bit congruential step, then the halves xored and turned by the top six bits.
  uint64_t bits() {
    state_ = state_ * multiplier + increment_;
    return turned(state_);
  }
  // The next `count` words, the same as one by one. Four lanes take four steps at once,
  // state' = a^4 state + c (1 + a + a^2 + a^3), so that they need not wait for each other.
  void fill(uint64_t *words, int64_t count) {
    constexpr Word128 a = multiplier;
    const Word128 c4 = increment_ * (1 + a + a * a + a * a * a);
    Word128 lane[4] = {state_ * a + increment_};
    for (int l = 1; l < 4; ++l) lane[l] = lane[l - 1] * a + increment_;
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
      state_ = lane[3];
      for (int l = 0; l < 4; ++l) {
        words[i + l] = turned(lane[l]);
        lane[l] = lane[l] * (a * a * a * a) + c4;
      }
    }
    for (; i < count; ++i) words[i] = bits();
  }
  // Uniform on (0, 1): never 0, never 1; 52 random bits plus half a step.
  double uniform() {
    return (static_cast<double>(static_cast<int64_t>(bits() >> 12)) + 0.5) * 0x1p-52;
  }

 private:
  static uint64_t turned(Word128 state) {
    const uint64_t high = static_cast<uint64_t>(state >> 64);
    const uint64_t folded = high ^ static_cast<uint64_t>(state);
    const unsigned turn = static_cast<unsigned>(high >> 58);
    return (folded >> turn) | (folded << (-turn & 63u));
  }

  static constexpr Word128 multiplier =
      (static_cast<Word128>(0x2360ed051fc65da4u) << 64) | 0x4385df649fccf645u;

  Word128 increment_;
  Word128 state_;
};

// A chain is saved and restored by copying the bytes of its streams.
static_assert(std::is_trivially_copyable<Stream>::value, "a stream must be plain bytes");
static_assert(sizeof(Stream) == 32, "128 bits of increment and 128 bits of state, nothing else");

}  // namespace nnp

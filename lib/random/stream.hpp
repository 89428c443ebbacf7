// Independent random streams. A stream is a pcg64 whose increment contains (chain, block)
// literally, so two streams of one seed never collide; its state starts from a hash of all three. A
// second, cheaper generator of the same family serves arrays (see Wide) and is keyed likewise. The
// generators' steps are written out here, and tested bit for bit against pcg_random.hpp: that
// header brings run-time type information and a static iostream initializer into every file that
// includes it.
#pragma once

#include <cstdint>
#include <type_traits>

namespace nnp {

__extension__ typedef unsigned __int128 Word128;

// The member of the PCG family with 64 bits of state and of output (setseq, RXS-M-XS): word k comes
// from state k, and state k + 1 = a state k + increment. Steps can be combined, so SIMD lanes
// advance by several steps at once, and all levels give the same words. Increments differ between
// streams of chains below 2^32 and blocks below 2^31; states start from a hash of the key.
struct Wide {
  uint64_t increment;
  uint64_t state;

  static constexpr uint64_t multiplier = 6364136223846793005u;
  static constexpr uint64_t output_multiplier = 12605985483714917081u;
};

class Stream {
 public:
  Stream() = default;  // must be assigned before use
  // Streams differ if any word of the key does; only the lower 63 bits of `block` are used.
  Stream(uint64_t seed, uint64_t chain, uint64_t block);

  // pcg64: a 128-bit congruential step, then the xor of both halves, rotated by the top six bits.
  uint64_t bits() {
    state_ = state_ * multiplier + increment_;
    return turned(state_);
  }
  // Uniform on (0, 1), never 0 or 1; 52 random bits plus half a step.
  double uniform() {
    return (static_cast<double>(static_cast<int64_t>(bits() >> 12)) + 0.5) * 0x1p-52;
  }

  // Parts of the key, from the increments, which never change.
  uint64_t chain() const { return static_cast<uint64_t>(increment_ >> 64); }
  bool has_key(uint64_t chain, uint64_t block) const;

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

 public:
  Wide wide;
};

// A chain is saved and restored by copying the bytes of its streams.
static_assert(std::is_trivially_copyable<Stream>::value, "a stream must be plain bytes");
static_assert(sizeof(Stream) == 48, "twice an increment and a state, nothing else");

}  // namespace nnp

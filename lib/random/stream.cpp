// How a key (seed, chain, block) becomes the words of a stream.
#include "lib/random/stream.hpp"

namespace nnp {
namespace {

// A bijection of 64 bits in which every input bit affects every output bit.
uint64_t mix(uint64_t word) {
  word += 0x9e3779b97f4a7c15u;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

// If two of the words are fixed, a bijection of the third.
uint64_t hash(uint64_t salt, uint64_t seed, uint64_t chain, uint64_t block) {
  return mix(mix(mix(mix(salt) ^ seed) + chain) ^ block);
}

Word128 join(uint64_t high, uint64_t low) {
  return (static_cast<Word128>(high) << 64) | low;
}

}  // namespace

namespace {

// A bijection of 63 bits, so that different (chain, block) stay different, followed by a one bit.
uint64_t wide_increment(uint64_t chain, uint64_t block) {
  return ((((chain << 31) ^ block) * 0x9e3779b97f4a7c15u) << 1) | 1;
}

}  // namespace

// Increments must be odd. For pcg64: 64 bits of chain, 63 bits of block, and a one.
Stream::Stream(uint64_t seed, uint64_t chain, uint64_t block)
    : increment_(join(chain, block << 1) | 1),
      state_(join(hash(1, seed, chain, block), hash(2, seed, chain, block))),
      wide{wide_increment(chain, block), hash(3, seed, chain, block)} {
  state_ += increment_;
  bits();
}

bool Stream::has_key(uint64_t chain, uint64_t block) const {
  return increment_ == (join(chain, block << 1) | 1) &&
         wide.increment == wide_increment(chain, block);
}

}  // namespace nnp

// Streams: a true pcg64, apart for every word of the key, whole in 48 bytes; and the exact bits of
// the first draws of every kind, so that a saved seed means the same for ever.
#include "lib/random/stream.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <pcg_random.hpp>
#include <vector>

#include "lib/linalg/kernels.hpp"
#include "lib/random/variates.hpp"
#include "lib/random/wide.hpp"
#include "tests/support/stats.hpp"
#include "tests/support/tables.hpp"

extern "C" {
#include "unity.h"
}

void setUp() {}
void tearDown() {}

namespace {

using nnp::Stream;

uint64_t first_word(uint64_t seed, uint64_t chain, uint64_t block) {
  return Stream(seed, chain, block).bits();
}

uint64_t bits_of(double x) {
  uint64_t word;
  std::memcpy(&word, &x, sizeof word);
  return word;
}

// The engine of the pcg library, given the same two words, says the same for ever.
void generator_is_pcg64() {
  static_assert(sizeof(pcg64) == sizeof(Stream) - sizeof(nnp::Wide), "increment, then state");
  for (uint64_t key = 0; key < 20; ++key) {
    Stream stream(key * 7919, key << 40, key * key);
    pcg64 engine;
    std::memcpy(reinterpret_cast<unsigned char *>(&engine), &stream, sizeof engine);
    for (int k = 0; k < 5000; ++k) TEST_ASSERT_TRUE(stream.bits() == engine());
  }
}

void increment_holds_chain_and_block() {
  uint64_t word[6];
  const Stream stream(5, 0x0123456789abcdefu, 0x7edcba9876543210u);
  std::memcpy(word, &stream, sizeof word);
  TEST_ASSERT_TRUE(word[1] == 0x0123456789abcdefu);
  TEST_ASSERT_TRUE(word[0] == ((0x7edcba9876543210u << 1) | 1));
}

// Every single bit of the key changes the first word, in about half of its bits.
void every_bit_of_the_key_counts() {
  const uint64_t base = first_word(1, 2, 3);
  double changed = 0;
  for (int bit = 0; bit < 64; ++bit) {
    const uint64_t flip = uint64_t{1} << bit;
    const uint64_t word[3] = {first_word(1 ^ flip, 2, 3), first_word(1, 2 ^ flip, 3),
                              bit < 63 ? first_word(1, 2, 3 ^ flip) : first_word(1, 2, 4)};
    for (uint64_t one : word) {
      TEST_ASSERT_TRUE(one != base);
      changed += __builtin_popcountll(one ^ base);
    }
  }
  TEST_ASSERT_TRUE(std::fabs(stats::binomial_z(changed, 3 * 64 * 64, 0.5)) < 4);
}

// 125000 neighbouring keys: all first words and all states differ.
void neighbouring_keys_do_not_collide() {
  std::vector<uint64_t> words;
  for (uint64_t seed = 0; seed < 50; ++seed)
    for (uint64_t chain = 0; chain < 50; ++chain)
      for (uint64_t block = 0; block < 50; ++block) words.push_back(first_word(seed, chain, block));
  std::sort(words.begin(), words.end());
  TEST_ASSERT_TRUE(std::adjacent_find(words.begin(), words.end()) == words.end());
}

// Words of the key are not interchangeable.
void words_of_the_key_have_their_places() {
  TEST_ASSERT_TRUE(first_word(1, 2, 3) != first_word(2, 1, 3));
  TEST_ASSERT_TRUE(first_word(1, 2, 3) != first_word(1, 3, 2));
  TEST_ASSERT_TRUE(first_word(0, 0, 1) != first_word(0, 1, 0));
  TEST_ASSERT_TRUE(first_word(0, 0, 1) != first_word(1, 0, 0));
}

// Streams of neighbouring blocks are uncorrelated, in step and across.
void neighbouring_streams_are_uncorrelated() {
  constexpr int n = 1000000;
  Stream a(9, 0, 0), b(9, 0, 1), c(9, 1, 0), d(10, 0, 0);
  double sum[3] = {0, 0, 0};
  for (int k = 0; k < n; ++k) {
    const double u = a.uniform() - 0.5;
    sum[0] += u * (b.uniform() - 0.5);
    sum[1] += u * (c.uniform() - 0.5);
    sum[2] += u * (d.uniform() - 0.5);
  }
  for (double one : sum) TEST_ASSERT_TRUE(std::fabs(one * 12 / std::sqrt(double{n})) < 4);
}

// The first draw across blocks is as uniform as the draws within one.
void uniform_across_and_along() {
  std::vector<double> across, along;
  Stream stream(11, 0, 0);
  for (uint64_t block = 0; block < 200000; ++block) {
    across.push_back(Stream(11, 0, block).uniform());
    along.push_back(stream.uniform());
  }
  for (double u : along) TEST_ASSERT_TRUE(u > 0 && u < 1);
  TEST_ASSERT_TRUE(stats::uniformity(across) > 1e-3);
  TEST_ASSERT_TRUE(stats::uniformity(along) > 1e-3);
}

// A copy of the bytes carries on where the original was.
void bytes_restore_a_stream() {
  Stream stream(12, 3, 4);
  for (int k = 0; k < 100; ++k) nnp::normal(stream);
  unsigned char saved[sizeof(Stream)];
  std::memcpy(saved, &stream, sizeof saved);
  std::vector<uint64_t> want;
  for (int k = 0; k < 100; ++k) want.push_back(bits_of(nnp::normal(stream)));
  Stream restored;
  std::memcpy(&restored, saved, sizeof saved);
  for (uint64_t word : want) TEST_ASSERT_TRUE(bits_of(nnp::normal(restored)) == word);
}

// Six draws of one kind from the stream (2024, 1, 7), bit for bit.
template <class Draw>
void expect_golden(const uint64_t (&want)[6], Draw draw) {
  Stream stream(2024, 1, 7);
  for (uint64_t word : want) TEST_ASSERT_EQUAL_HEX64(word, draw(stream));
}

void golden_words() {
  expect_golden({0x1ae46a64c7ace610u, 0xd03bdc59186bae3cu, 0x1ee1d99e3554ab2eu, 0xf1030fa05db9797du,
                 0xcec31b278841325bu, 0xcbd941d45d2efdc8u},
                [](Stream &s) { return s.bits(); });
}

void golden_uniforms() {
  expect_golden({0x3fbae46a64c7ace8u, 0x3fea077b8b230d75u, 0x3fbee1d99e3554a8u, 0x3fee2061f40bb72fu,
                 0x3fe9d86364f10827u, 0x3fe97b283a8ba5dfu},
                [](Stream &s) { return bits_of(s.uniform()); });
}

void golden_normals() {
  expect_golden({0x3fe231316668a7a9u, 0xbfe8a5025dfbbaafu, 0x3fe1137440128acbu, 0xbfc751419eef7ddau,
                 0xbfe625f510c82557u, 0xbfdafd478548cd2au},
                [](Stream &s) { return bits_of(nnp::normal(s)); });
}

void golden_exponentials() {
  expect_golden({0x3fde1ee8efde1f06u, 0x400212f749685dd0u, 0x3fd83416d265b0c5u, 0x3ff9bb20269d6429u,
                 0x3ffc4e65b77798adu, 0x3fe604b0ac0fe9c6u},
                [](Stream &s) { return bits_of(nnp::exponential(s)); });
}

void golden_gammas() {
  expect_golden({0x4008ed3d1cdbaf4bu, 0x400868354c50f8dcu, 0x3ff4c99491401164u, 0x401378dca2d9fb6fu,
                 0x4008febc8a8dcc50u, 0x4004c8df9c566d6au},
                [](Stream &s) { return bits_of(nnp::gamma(s, 2.5)); });
}

void golden_truncated() {
  expect_golden({0x3ff11898b33453d4u, 0x3ff089ba20094566u, 0x3fd4575f30884113u, 0x3fb40ae1eadccb58u,
                 0x3ffde282cf761672u, 0x3ff95a60cd64f0feu},
                [](Stream &s) { return bits_of(nnp::truncated_excess(s, -0.5)); });
  expect_golden({0x3fe231316668a7a9u, 0x3fe1137440128acbu, 0x3fe625f510c82557u, 0x3fd1a26e721a6f28u,
                 0x3ff03f16dea99122u, 0x3ff6a57f0c0f5675u},
                [](Stream &s) { return bits_of(nnp::truncated_excess(s, 0.5)); });
  expect_golden({0x3fb4149b4a9414afu, 0x3fb022b9e1992083u, 0x3fd2deee7a4fbb1eu, 0x3fc01e300554fd21u,
                 0x3fa8a5049406b740u, 0x3f99bce6548ad20du},
                [](Stream &s) { return bits_of(nnp::truncated_excess(s, 6)); });
  expect_golden({0x3ff57a96068d47cau, 0x3ff51ad3992b0010u, 0x3fd276d5d12ce788u, 0x3feb1533d9655d49u,
                 0x3ff2ff1364f55959u, 0x3ff5dd853bd2ccd1u},
                [](Stream &s) { return bits_of(nnp::truncated_between(s, -1, 0.5)); });
}

// Rare branches too: all words of 100000 draws, folded into one.
void golden_over_many_draws() {
  Stream stream(2024, 1, 8);
  uint64_t folded = 0;
  for (int k = 0; k < 100000; ++k) {
    folded = (folded << 1 | folded >> 63) ^ bits_of(nnp::normal(stream));
    folded = (folded << 1 | folded >> 63) ^ bits_of(nnp::exponential(stream));
  }
  TEST_ASSERT_EQUAL_HEX64(0xa0faaba0d64b8b0fu, folded);
}

// The wide generator is another member of the family, and every level gives its words.
void wide_words_are_pcg_rxs_m_xs() {
  using Engine = pcg_engines::setseq_rxs_m_xs_64_64;
  static_assert(sizeof(Engine) == sizeof(nnp::Wide), "increment, then state");
  for (uint64_t key = 0; key < 20; ++key)
    for (int64_t count : {0, 1, 2, 3, 4, 5, 31, 32, 33, 64, 67, 1000}) {
      Stream stream(key * 7919, key << 20, key * key);
      Engine engine;
      std::memcpy(reinterpret_cast<unsigned char *>(&engine), &stream.wide, sizeof stream.wide);
      std::vector<uint64_t> words(static_cast<size_t>(count) + 1, 5);
      nnp::wide_words_portable(stream.wide, words.data(), count);
      TEST_ASSERT_TRUE(words.back() == 5);
      words.pop_back();
      for (uint64_t word : words) TEST_ASSERT_TRUE(word == engine());
      nnp::wide_words_portable(stream.wide, words.data(), count);
      for (uint64_t word : words) TEST_ASSERT_TRUE(word == engine());
    }
}

using WideWords = void (*)(nnp::Wide &wide, uint64_t *words, int64_t n);
struct WideLevel {
  const char *name;
  WideWords words;
};
constexpr WideLevel wide_levels[] = {
    {"portable", nnp::wide_words_portable},
#if defined(NNP_HAVE_AVX2)
    {"avx2", nnp::wide_words_avx2},
#endif
#if defined(NNP_HAVE_AVX512)
    {"avx512", nnp::wide_words_avx512},
#endif
#if defined(NNP_HAVE_NEON)
    {"neon", nnp::wide_words_neon},
#endif
};

void wide_words_are_the_same_at_every_level() {
  for (int64_t count : {0, 1, 3, 4, 5, 8, 31, 32, 33, 67, 1000}) {
    Stream stream(3, 1, 4), other(3, 1, 4);
    std::vector<uint64_t> words(static_cast<size_t>(count) + 1, 5), want(words);
    nnp::wide_words_portable(stream.wide, want.data(), count);
    for (const WideLevel &level : wide_levels) {
      if (!nnp::kernels_named(level.name)) continue;
      nnp::Wide wide = other.wide;
      level.words(wide, words.data(), count);
      TEST_ASSERT_TRUE(words == want && wide.state == stream.wide.state);
    }
  }
}

// Increments are all different; words of neighbours are not correlated, in step or one apart.
void wide_streams_are_apart() {
  std::vector<uint64_t> increments;
  for (uint64_t chain = 0; chain < 300; ++chain)
    for (uint64_t block = 0; block < 300; ++block) {
      increments.push_back(Stream(1, chain, block).wide.increment);
      TEST_ASSERT_TRUE(increments.back() % 2 == 1);
    }
  std::sort(increments.begin(), increments.end());
  TEST_ASSERT_TRUE(std::adjacent_find(increments.begin(), increments.end()) == increments.end());
  constexpr int n = 1000000;
  std::vector<uint64_t> words[4];
  Stream streams[] = {Stream(9, 0, 0), Stream(9, 0, 1), Stream(9, 1, 0), Stream(10, 0, 0)};
  for (int s = 0; s < 4; ++s) {
    words[s].resize(n);
    nnp::wide_words_portable(streams[s].wide, words[s].data(), n);
  }
  const auto centred = [](uint64_t word) {
    return static_cast<double>(word >> 11) * 0x1p-53 - 0.5;
  };
  for (int s = 0; s < 4; ++s)
    for (size_t lag : {0u, 1u, 4u, 8u, 32u}) {
      if (s == 0 && lag == 0) continue;
      double sum = 0, low = 0;  // of words, and of their low 12 bits (layers of the ziggurat)
      for (size_t k = 0; k + lag < n; ++k) {
        sum += centred(words[0][k]) * centred(words[s][k + lag]);
        low += centred(words[0][k] << 52) * centred(words[s][k + lag] << 52);
      }
      TEST_ASSERT_TRUE(std::fabs(sum * 12 / std::sqrt(double{n})) < 4);
      TEST_ASSERT_TRUE(std::fabs(low * 12 / std::sqrt(double{n})) < 4);
    }
}

void golden_wide() {
  Stream stream(2024, 1, 7), other(2024, 1, 7);
  uint64_t words[3];
  double normals[3];
  nnp::wide_words_portable(stream.wide, words, 3);
  nnp::fill_normal(other, normals, 3);
  const uint64_t want[] = {0x42cb24d071ee137au, 0x0be2bb0fc367a22au, 0x7b926e6929eadaa4u},
                 want_normals[] = {0xbfe1250433545ec5u, 0xc002ca8b8bcf8baau, 0xbfb0916cf2f1e9bau};
  for (int i = 0; i < 3; ++i) TEST_ASSERT_EQUAL_HEX64(want[i], words[i]);
  for (int i = 0; i < 3; ++i) TEST_ASSERT_EQUAL_HEX64(want_normals[i], bits_of(normals[i]));
  std::vector<double> many(100000);
  nnp::fill_normal(other, many.data(), 100000);
  uint64_t folded = 0;
  for (double x : many) folded = (folded << 1 | folded >> 63) ^ bits_of(x);
  TEST_ASSERT_EQUAL_HEX64(0x4514544356a36af8u, folded);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(wide_words_are_pcg_rxs_m_xs);
  RUN_TEST(wide_words_are_the_same_at_every_level);
  RUN_TEST(wide_streams_are_apart);
  RUN_TEST(golden_wide);
  RUN_TEST(generator_is_pcg64);
  RUN_TEST(increment_holds_chain_and_block);
  RUN_TEST(every_bit_of_the_key_counts);
  RUN_TEST(neighbouring_keys_do_not_collide);
  RUN_TEST(words_of_the_key_have_their_places);
  RUN_TEST(neighbouring_streams_are_uncorrelated);
  RUN_TEST(uniform_across_and_along);
  RUN_TEST(bytes_restore_a_stream);
  RUN_TEST(golden_words);
  RUN_TEST(golden_uniforms);
  RUN_TEST(golden_normals);
  RUN_TEST(golden_exponentials);
  RUN_TEST(golden_gammas);
  RUN_TEST(golden_truncated);
  RUN_TEST(golden_over_many_draws);
  return UNITY_END();
}

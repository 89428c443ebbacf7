// What a fuzzer's bytes are decoded to: small numbers mostly, extremes now and then. Where the bytes
// end, zeros follow.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fuzz {

class Bytes {
 public:
  Bytes(const uint8_t *data, size_t size) : at_(data), end_(data + size) {}

  bool done() const { return at_ == end_; }
  size_t left() const { return static_cast<size_t>(end_ - at_); }
  const uint8_t *rest() const { return at_; }

  // The next bytes by themselves, as many as there are.
  Bytes part(size_t size) {
    const uint8_t *begin = at_;
    at_ += size < left() ? size : left();
    return Bytes(begin, static_cast<size_t>(at_ - begin));
  }

  uint8_t byte() { return at_ < end_ ? *at_++ : uint8_t{0}; }
  uint16_t two() {
    const int low = byte();
    return static_cast<uint16_t>(low | byte() << 8);
  }
  uint64_t word() {
    uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value |= static_cast<uint64_t>(byte()) << 8 * i;
    return value;
  }
  // 0 … count-1
  int below(int count) { return byte() % count; }
  // Once in so many bytes.
  bool rarely(int often) { return byte() % often == often - 1; }

  double real() {
    constexpr double ends[] = {0,     -0.0,   1,      -1,     0.5,  2,        1e-3,      0.01,
                               100,   1e-8,   1e8,    1e12,   1e75, 1e150,    1e300,     -1e300,
                               1e-75, 1e-150, 1e-300, 5e-324, NAN,  INFINITY, -INFINITY, 1e-12};
    constexpr int count = sizeof ends / sizeof *ends;
    const int which = byte();
    if (which < 4 * count) return ends[which % count];
    if (which < 250) return static_cast<int8_t>(byte()) / 16.0;
    double value;
    const uint64_t bits = word();
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

  int64_t size() {
    constexpr int64_t ends[] = {-1,
                                INT64_MIN,
                                INT64_MAX,
                                int64_t{1} << 31,
                                (int64_t{1} << 31) - 1,
                                int64_t{1} << 40,
                                (int64_t{1} << 40) + 1,
                                int64_t{1} << 20,
                                int64_t{1} << 62,
                                INT32_MIN};
    const int which = byte();
    if (which < 200) return which % 8;
    if (which < 236) return byte();
    return ends[which % 10];
  }

  // A constant of an enum, or none.
  int32_t number() {
    constexpr int32_t ends[] = {INT32_MIN, INT32_MAX, 100, -5};
    const int which = byte();
    return which < 240 ? which % 26 - 1 : ends[which % 4];
  }
  // A constant of the family whose numbers follow this base, or none.
  int32_t constant(int32_t base) {
    const int32_t which = number();
    return which >= -1 && which < 25 ? base + which : which;
  }

 private:
  const uint8_t *at_, *end_;
};

}  // namespace fuzz

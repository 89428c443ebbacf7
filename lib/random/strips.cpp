#include "lib/random/strips.hpp"

#include <cmath>
#include <cstring>

#include "lib/base/functions.hpp"
#include "lib/random/special.hpp"
#include "lib/random/variates.hpp"

namespace nnp {
namespace {

constexpr int last = StripTable::strips - 1;
constexpr double area = strip_area;
constexpr double tail_edge = 3.097900390625;

// exp(-x^2/2), at compile time: the 64th power of exp(-x^2/128)
constexpr double density(double x) {
  const double a = -x * x / 128;
  double sum = 1;
  for (int k = 20; k > 0; --k) sum = 1 + sum * a / k;
  for (int k = 0; k < 6; ++k) sum *= sum;
  return sum;
}

constexpr double width_behind(double edge) {
  const double units = area / density(edge) * 0x1p19;
  return static_cast<double>(static_cast<int64_t>(units)) * 0x1p-19;
}

// The high half of a double that has no more than 21 leading bits.
constexpr uint64_t high_half(double x) {
  if (x == 0) return 0;
  uint64_t exponent = 1023;
  for (; x >= 2; x /= 2) ++exponent;
  for (; x < 1; x *= 2) --exponent;
  return (exponent << 20) + static_cast<uint64_t>((x - 1) * 0x1p20);
}

constexpr StripTable table_of_strips() {
  StripTable table{};
  double edge = 0;
  for (int k = 0; k < last; ++k) {
    const double width = width_behind(edge);
    table.strip[k] = (high_half(edge) << 32) | high_half(width);
    edge += width;
  }
  table.strip[last] = (high_half(edge) << 32) | high_half(0x1p600);
  table.strip[StripTable::strips] = table.strip[0];
  return table;
}

double number_of_half(uint64_t half) {
  const uint64_t bits = half << 32;
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

}  // namespace

constexpr StripTable strip_table = table_of_strips();
static_assert(strip_table.strip[last] >> 32 == high_half(tail_edge), "the tail must be the rest");

bool draw_in_strip(Stream &stream, double place, uint64_t word, double filled, double *t) {
  const double size = std::fabs(place);
  const int k = static_cast<int>(size) < last ? static_cast<int>(size) : last;
  const double low = static_cast<double>(word & (heights - 1));
  const double height = (low + stream.uniform()) / heights;
  if (k == last) {
    *t = std::copysign(tail_edge + truncated_excess(stream, tail_edge), place);
    return height < tail_filled * filled;
  }
  const uint64_t entry = strip_table.strip[k];
  const double edge = number_of_half(entry >> 32), width = number_of_half(entry);
  const double at = edge + (size - k) * width;
  *t = std::copysign(at, place);
  return height * area < fn::exp(-0.5 * at * at) * width * filled;
}

// With density 1 at the bound the mass is sqrt(pi/2) erfcx(-depth/sqrt 2).
bool draw_deep(Stream &stream, double depth, double filled, double *excess) {
  constexpr double d = deepest_strips, d2 = d * d;
  constexpr const double(&c)[4] = strip_count.c;
  constexpr double count = strip_count.half - d * (c[0] + c[1] * d2 + d2 * d2 * (c[2] + c[3] * d2));
  constexpr double mass = count * area / density(d);
  *excess = truncated_excess(stream, -depth);
  const double due = 1.2533141373155001 * erfcx(-depth * 0.70710678118654752);
  return stream.uniform() * mass < due * filled;
}

double filled_by_exponential(double x) {
  const ExponentialBound &e = exponential_bound;
  const double y = std::fmax(-e.most, std::fmin(e.most, x)) * e.log2_e;
  const double f = y - std::nearbyint(y);
  return fn::exp2(f) / (e.c[0] + f * (e.c[1] + f * (e.c[2] + f * e.c[3])));
}

}  // namespace nnp

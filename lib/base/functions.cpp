// All functions are built from two: e^x and log x as sums of two doubles, accurate to about 2^-65.
#include "lib/base/functions.hpp"

#include <cstdint>
#include <cstring>
#include <limits>

namespace nnp {
namespace own {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// high + low, where low is below half a unit in the last place of high.
struct Two {
  double high, low;
};

// a + b for |a| >= |b|, or a = 0
Two sum_of(double a, double b) {
  const double high = a + b;
  return {high, b - (high - a)};
}

// x without its last 27 bits
double leading_half(double x) {
  uint64_t word;
  std::memcpy(&word, &x, sizeof word);
  word &= ~uint64_t{0x7ffffff};
  std::memcpy(&x, &word, sizeof x);
  return x;
}

// a b = high + low: halves of 26 and 27 bits multiply exactly
Two product_of(double a, double b) {
  const double a1 = leading_half(a), b1 = leading_half(b), a2 = a - a1, b2 = b - b1;
  const double high = a * b;
  return {high, ((a1 * b1 - high) + (a1 * b2 + a2 * b1)) + a2 * b2};
}

Two product_of(Two a, double b) {
  const Two p = product_of(a.high, b);
  return sum_of(p.high, p.low + a.low * b);
}

double two_to(int k) {  // -1022 <= k <= 1023
  const uint64_t word = static_cast<uint64_t>(k + 1023) << 52;
  double x;
  std::memcpy(&x, &word, sizeof x);
  return x;
}

// x 2^k; the only possible rounding is to a subnormal number
double scaled(double x, int k) {
  if (k > 1000) return x * two_to(1000) * two_to(k - 1000);
  if (k < -1000) return x * two_to(-1000) * two_to(k + 1000);
  return x * two_to(k);
}

constexpr double ln_2 = 0x1.62e42fefa39efp-1, ln_2_low = 0x1.abc9e3b39803fp-56;

// 2^(i/64): its leading 26 bits, and the rest
constexpr Two root_of_two[64] = {{0x1p+0, 0x0p+0},
                                 {0x1.02c9a4p+0, -0x1.887f9f1190835p-28},
                                 {0x1.059b0dp+0, 0x1.8ac2ba1d73e2ap-27},
                                 {0x1.0874518p+0, 0x1.d66f20230d7c9p-30},
                                 {0x1.0b5587p+0, -0x1.833b784eb3a37p-27},
                                 {0x1.0e3ec3p+0, 0x1.69e8d10103a17p-27},
                                 {0x1.11301dp+0, 0x1.25b50a4ebbf1bp-32},
                                 {0x1.1429abp+0, -0x1.56d2204cbefe7p-28},
                                 {0x1.172b84p+0, -0x1.c15742919041cp-27},
                                 {0x1.1a35be8p+0, 0x1.b7e5ba9e5b4c8p-27},
                                 {0x1.1d4873p+0, 0x1.68b9aa7805b8p-28},
                                 {0x1.2063b88p+0, 0x1.8a3358ee3bac1p-30},
                                 {0x1.2387a7p+0, -0x1.8a9dc7993e052p-28},
                                 {0x1.26b4568p+0, -0x1.0ec1916d42cc6p-27},
                                 {0x1.29e9df8p+0, -0x1.70108f69ed175p-27},
                                 {0x1.2d285a8p+0, -0x1.1bfcf4bff6e2bp-28},
                                 {0x1.306fe08p+0, 0x1.18db8a96f46adp-27},
                                 {0x1.33c08bp+0, 0x1.320b7fa64e431p-27},
                                 {0x1.371a738p+0, -0x1.8aac6ab1d756p-29},
                                 {0x1.3a7db38p+0, -0x1.8d30048af21b7p-27},
                                 {0x1.3dea65p+0, -0x1.f6e5eee525f6fp-27},
                                 {0x1.4160a2p+0, 0x1.f72e29f84325cp-28},
                                 {0x1.44e086p+0, 0x1.8624b40c4dbdp-30},
                                 {0x1.486a2b8p+0, -0x1.1f6197f61f2e2p-27},
                                 {0x1.4bfdad8p+0, -0x1.64eaec715e343p-27},
                                 {0x1.4f9b278p+0, -0x1.62d35952cc275p-28},
                                 {0x1.5342b58p+0, -0x1.62b07e20f57c4p-28},
                                 {0x1.56f4738p+0, -0x1.4ad82599135p-28},
                                 {0x1.5ab07ep+0, -0x1.5bd5eb539b67fp-27},
                                 {0x1.5e76f18p+0, -0x1.296f5bc8b20dap-27},
                                 {0x1.6247ebp+0, 0x1.d2ac258f87d03p-31},
                                 {0x1.662388p+0, 0x1.2a91124893ecfp-27},
                                 {0x1.6a09e68p+0, -0x1.80c4336f74d05p-28},
                                 {0x1.6dfb24p+0, -0x1.cd72e886ef8eap-27},
                                 {0x1.71f75e8p+0, 0x1.d8bee7ba46e1ep-29},
                                 {0x1.75feb58p+0, -0x1.bd98374091656p-28},
                                 {0x1.7a1147p+0, 0x1.f580c36bea881p-27},
                                 {0x1.7e2f338p+0, -0x1.30b19defa2fd4p-28},
                                 {0x1.8258998p+0, 0x1.4cce128acf88bp-28},
                                 {0x1.868d998p+0, 0x1.a2497640720edp-27},
                                 {0x1.8ace54p+0, 0x1.15506dadd3e2bp-27},
                                 {0x1.8f1ae98p+0, 0x1.1577362b98274p-28},
                                 {0x1.93737bp+0, 0x1.9b8bc9e8a0388p-29},
                                 {0x1.97d82ap+0, -0x1.0d8d83a30b6f8p-31},
                                 {0x1.9c4918p+0, 0x1.51f8480e3e236p-27},
                                 {0x1.a0c6678p+0, 0x1.aef2b2594d6d4p-27},
                                 {0x1.a5503bp+0, 0x1.1f12ae45a1225p-27},
                                 {0x1.a9e6b58p+0, -0x1.4301205e0a6dep-27},
                                 {0x1.ae89f98p+0, 0x1.5ad3ad5e8734dp-28},
                                 {0x1.b33a2b8p+0, 0x1.3c57ebdaff43ap-30},
                                 {0x1.b7f76fp+0, 0x1.7daf237553d84p-27},
                                 {0x1.bcc1e9p+0, 0x1.2f074891ee83dp-30},
                                 {0x1.c199bep+0, -0x1.3d56b1eeef9a7p-27},
                                 {0x1.c67f13p+0, -0x1.a82eb4b5dec8p-28},
                                 {0x1.cb720ep+0, -0x1.8837cb757e1a1p-27},
                                 {0x1.d072d48p+0, 0x1.03c4bdc687918p-27},
                                 {0x1.d5818ep+0, -0x1.822dbc6d12fd3p-27},
                                 {0x1.da9e6p+0, 0x1.ed9942b84600dp-27},
                                 {0x1.dfc973p+0, 0x1.bdcdaf5cb4656p-27},
                                 {0x1.e502ee8p+0, -0x1.d30027630bb4p-30},
                                 {0x1.ea4afap+0, 0x1.52486cc2c7b9dp-27},
                                 {0x1.efa1bfp+0, -0x1.9ea5d888e02dep-28},
                                 {0x1.f507658p+0, 0x1.b722a033a7c26p-27},
                                 {0x1.fa7c18p+0, 0x1.9e90d82e90a7ep-28}};

struct Power {
  Two value;
  int k;
};

// e^(x + low) = value 2^k for |x| <= 746. x = (64 k + i) log(2)/64 + r, and e^r = 1 + r + q.
Power power_of_e(double x, double low) {
  constexpr double to_whole = 0x1.8p52, ln2_high = 0x1.62e42fefap-7,
                   ln2_rest = 0x1.cf79abc9e3b3ap-46;
  const double n = (x * 0x1.71547652b82fep+6 + to_whole) - to_whole;
  const double a = x - n * ln2_high, b = n * ln2_rest, r = a - b;  // a is exact
  const double r1 = leading_half(r), tail = ((a - r) - b) + low, r2 = (r - r1) + (tail + tail * r);
  const double q =
      r * r *
      (0.5 + r * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120 + r * (1.0 / 720 + r * (1.0 / 5040))))));
  const int64_t whole = static_cast<int64_t>(n);
  const Two root = root_of_two[whole & 63];
  const Two first = sum_of(root.high, root.high * r1);  // the product is exact
  const double rest = root.low + (root.high * r2 + ((root.high + root.low) * q + root.low * r));
  return {sum_of(first.high, first.low + rest), static_cast<int>(whole >> 6)};
}

// log(j/128), j = 90 .. 181: a multiple of 2^-41, and the rest
constexpr Two log_of[92] = {{-0x1.68ac83e9c6p-2, -0x1.42834c9d5bae8p-43},
                            {-0x1.5d5bddf596p-2, 0x1.a0b2a08a465dcp-47},
                            {-0x1.522ae0738ap-2, -0x1.ebe708164c759p-45},
                            {-0x1.4718dc271cp-2, -0x1.06c18fb4c14c5p-44},
                            {-0x1.3c25277334p-2, 0x1.cf895693f2854p-43},
                            {-0x1.314f1e1d36p-2, 0x1.8e27ad3213cb8p-45},
                            {-0x1.269621134ep-2, 0x1.1b61f10522625p-44},
                            {-0x1.1bf99635a6p-2, -0x1.729bb5451ef6ep-43},
                            {-0x1.1178e8227ep-2, -0x1.1ef78ce2d07f2p-44},
                            {-0x1.07138604d6p-2, 0x1.e76324e912b17p-44},
                            {-0x1.f991c6cb3cp-3, 0x1.90d04cd7cc834p-44},
                            {-0x1.e530effe7p-3, -0x1.01212276041f4p-43},
                            {-0x1.d1037f2654p-3, -0x1.e7b5818a49092p-43},
                            {-0x1.bd087383bcp-3, -0x1.8ad0ee9aafb53p-43},
                            {-0x1.a93ed3c8acp-3, -0x1.9e36f2bea77a6p-43},
                            {-0x1.95a5adcf7p-3, -0x1.7f22858a0ff6fp-47},
                            {-0x1.823c16551cp-3, 0x1.c3e448cb39c3p-43},
                            {-0x1.6f0128b758p-3, 0x1.5446379670878p-43},
                            {-0x1.5bf406b544p-3, 0x1.27023eb68981cp-46},
                            {-0x1.4913d8333cp-3, 0x1.53e43558124c4p-44},
                            {-0x1.365fcb0158p-3, -0x1.0162fa8234b73p-43},
                            {-0x1.23d712a49cp-3, -0x1.00d238fd3df5cp-46},
                            {-0x1.1178e8228p-3, 0x1.b8421cc74be04p-43},
                            {-0x1.fe89139dcp-4, 0x1.54d3593e842bfp-43},
                            {-0x1.da72763848p-4, 0x1.caed7fc0b1d1ap-43},
                            {-0x1.b6ac88dad8p-4, 0x1.27210057eed1dp-43},
                            {-0x1.9335e5d598p-4, 0x1.b3ba8f150ae0ap-43},
                            {-0x1.700d30aebp-4, 0x1.f8f85c959884bp-43},
                            {-0x1.4d3115d208p-4, 0x1.53a2582f4e1efp-48},
                            {-0x1.2aa04a447p-4, -0x1.7a48ba8b1cb41p-44},
                            {-0x1.08598b59ep-4, -0x1.d034451fecdfbp-43},
                            {-0x1.ccb73cddep-5, 0x1.34d1e48fb0501p-43},
                            {-0x1.894aa14ap-5, 0x1.32f32ba0b44dp-43},
                            {-0x1.466aed42ep-5, 0x1.c167375bdfd28p-45},
                            {-0x1.0415d89e7p-5, -0x1.1111c05cf1d75p-43},
                            {-0x1.8492528c8p-6, -0x1.957d173697cf3p-43},
                            {-0x1.020565894p-6, 0x1.4f716c1b8bdf5p-43},
                            {-0x1.010157588p-7, -0x1.bce251998b506p-44},
                            {0x0p+0, 0x0p+0},
                            {0x1.fe02a6b1p-8, 0x1.9e23f0dda40e4p-46},
                            {0x1.fc0a8b0fcp-7, 0x1.f1e7cf6d3a69cp-50},
                            {0x1.7b91b07d6p-6, -0x1.3b955b602ace4p-44},
                            {0x1.f829b0e78p-6, 0x1.980267c7e09e4p-45},
                            {0x1.39e87b9ffp-5, -0x1.0a815bfa937f5p-43},
                            {0x1.77458f633p-5, -0x1.181dce586af09p-44},
                            {0x1.b42dd7119p-5, 0x1.c6fb0a34531f6p-43},
                            {0x1.f0a30c011p-5, 0x1.8a9985f325c5cp-43},
                            {0x1.16536eea38p-4, -0x1.47c5e768fa309p-46},
                            {0x1.341d7961cp-4, -0x1.717b6b33e44f8p-43},
                            {0x1.51b073f06p-4, 0x1.83f69278e686ap-44},
                            {0x1.6f0d28ae58p-4, -0x1.4b4641b664613p-44},
                            {0x1.8c345d6318p-4, 0x1.b20f5acb42a66p-44},
                            {0x1.a926d3a4bp-4, -0x1.54e4d7a16eab2p-43},
                            {0x1.c5e548f5cp-4, -0x1.c5e7514f4083fp-43},
                            {0x1.e27076e2bp-4, -0x1.a342c2af0003cp-45},
                            {0x1.fec9131dcp-4, -0x1.54555d1ae6607p-44},
                            {0x1.0d77e7cd08p-3, 0x1.cb2cd2ee2f482p-44},
                            {0x1.1b72ad52f8p-3, -0x1.85fd6f9fb971ap-43},
                            {0x1.29552f82p-3, -0x1.5b967f4471dfcp-44},
                            {0x1.371fc201e8p-3, 0x1.ee8779b2d8abcp-44},
                            {0x1.44d2b6ccb8p-3, -0x1.70cc16135783cp-46},
                            {0x1.526e5e3a1cp-3, -0x1.790ba37fc5238p-44},
                            {0x1.5ff3070a78p-3, 0x1.3d3c873e20a07p-43},
                            {0x1.6d60fe719cp-3, 0x1.21c8d54765c4dp-43},
                            {0x1.7ab890210cp-3, 0x1.9091be36b2d6ap-43},
                            {0x1.87fa06520cp-3, 0x1.22120401202fcp-44},
                            {0x1.9525a9cf44p-3, 0x1.6b47641307539p-43},
                            {0x1.a23bc1fe2cp-3, -0x1.539cd91dc9f0bp-44},
                            {0x1.af3c94e80cp-3, -0x1.a4e633fcd9066p-52},
                            {0x1.bc286742d8p-3, 0x1.9ac53f39d121cp-44},
                            {0x1.c8ff7c79a8p-3, 0x1.a21ac25d81ef3p-43},
                            {0x1.d5c216b4fcp-3, -0x1.1ba91bbca681bp-45},
                            {0x1.e27076e2bp-3, -0x1.a342c2af0003cp-44},
                            {0x1.ef0adcbdc4p-3, 0x1.9365218de5437p-43},
                            {0x1.fb9186d5e4p-3, -0x1.d572aab993c87p-47},
                            {0x1.0402594b4ep-2, -0x1.f7e4a3b085e94p-43},
                            {0x1.0a324e273ap-2, -0x1.e39411810bfcfp-43},
                            {0x1.1058bf9ae4p-2, 0x1.5aa313f415699p-43},
                            {0x1.1675cababap-2, 0x1.8380e731f55c4p-44},
                            {0x1.1c898c169ap-2, -0x1.81410e5c62affp-44},
                            {0x1.22941fbcf8p-2, -0x1.a6976f5eb0963p-44},
                            {0x1.2895a13de8p-2, 0x1.a8d7ad24c13fp-44},
                            {0x1.2e8e2bae12p-2, -0x1.67b1e99b72bd8p-45},
                            {0x1.347dd9a988p-2, -0x1.5594dd4c58092p-45},
                            {0x1.3a64c55694p-2, 0x1.7a71cbcd735dp-44},
                            {0x1.404308686ap-2, 0x1.f8ef43049f7d3p-44},
                            {0x1.4618bc21c6p-2, -0x1.3d82f484c84ccp-46},
                            {0x1.4be5f95778p-2, -0x1.d7c92cd9ad824p-44},
                            {0x1.51aad872ep-2, -0x1.f4bd8db0a7cc1p-44},
                            {0x1.5767717456p-2, -0x1.64ead9524d7cap-44},
                            {0x1.5d1bdbf58p-2, 0x1.394a11b1c1ee4p-43},
                            {0x1.62c82f2b9cp-2, 0x1.e54bdbd7c8a98p-44}};

// log x, 0 < x < infinity. x = 2^k c (1 + f), c = j/128 nearest.
Two log_of_positive(double x) {
  constexpr double ln2_high = 0x1.62e42fefa3p-1, ln2_rest = 0x1.3de6af278ece6p-42;
  int k = 0;
  if (x < std::numeric_limits<double>::min()) x *= 0x1p54, k = -54;
  uint64_t word;
  std::memcpy(&word, &x, sizeof word);
  k += static_cast<int>(word >> 52) - 1023;
  word = (word & ((uint64_t{1} << 52) - 1)) | uint64_t{1023} << 52;
  double z;
  std::memcpy(&z, &word, sizeof z);
  if (z > 1.4140625) z *= 0.5, ++k;
  const int j = static_cast<int>(z * 128 + 0.5);
  const double c = j / 128.0, d = z - c;
  const double f = d / c, f1 = leading_half(f), f2 = f - f1;
  const double more = ((d - f1 * c) - f2 * c) / c;  // f + more = d/c
  // log(1 + f) = f - f1^2/2 - f2 (f + f1)/2 + f^3 (1/3 - f/4 + …)
  const double series =
      f * f * f *
      (1.0 / 3 -
       f * (0.25 -
            f * (0.2 - f * (1.0 / 6 - f * (1.0 / 7 - f * (0.125 - f * (1.0 / 9 - f * 0.1)))))));
  const Two c_log = log_of[j - 90];
  const double n = k;
  const Two first = sum_of(n * ln2_high + c_log.high, f);
  const Two second = sum_of(first.high, -0.5 * f1 * f1);
  const double rest = (more - f * more) - 0.5 * f2 * (f + f1) + series + (n * ln2_rest + c_log.low);
  return sum_of(second.high, first.low + second.low + rest);
}

// e^(x + low)
double exp_of(double x, double low) {
  if (!(x < 710)) return x > 0 ? infinity : x;
  if (x < -746) return 0;
  const Power p = power_of_e(x, low);
  return scaled(p.value.high, p.k);
}

bool is_zero_or_outside(double x) {
  return !(x > 0 && x < infinity);
}

double log_outside(double x) {
  if (x == 0) return -infinity;
  return x > 0 ? x : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double exp(double x) {
  return exp_of(x, 0);
}

double exp2(double x) {
  if (!(x < 1025)) return x > 0 ? infinity : x;
  if (x < -1080) return 0;
  const Two y = product_of({ln_2, ln_2_low}, x);
  return exp_of(y.high, y.low);
}

double expm1(double x) {
  if (!(x < 710)) return x > 0 ? infinity : x;
  if (x < -40) return -1;
  if (std::fabs(x) < 0x1p-9)
    return x + x * x * (0.5 + x * (1.0 / 6 + x * (1.0 / 24 + x * (1.0 / 120 + x * (1.0 / 720)))));
  const Power p = power_of_e(x, 0);
  if (p.k > 60) return scaled(p.value.high, p.k);
  const double high = scaled(p.value.high, p.k), low = scaled(p.value.low, p.k);
  const Two less = high > 1 ? sum_of(high, -1) : sum_of(-1, high);
  return less.high + (less.low + low);
}

double log(double x) {
  return is_zero_or_outside(x) ? log_outside(x) : log_of_positive(x).high;
}

// log(1 + x) = log(u) + (1 + x - u)/u with u = 1 + x rounded
double log1p(double x) {
  const double u = 1 + x;
  if (is_zero_or_outside(u)) return log_outside(u);
  if (std::fabs(x) < 0x1p-54) return x;
  const double lost = std::fabs(x) > 1 ? 1 - (u - x) : x - (u - 1);
  const Two log_u = log_of_positive(u);
  return log_u.high + (log_u.low + lost / u);
}

double log10(double x) {
  if (is_zero_or_outside(x)) return log_outside(x);
  constexpr double per_ten = 0x1.bcb7b1526e50ep-2, per_ten_low = 0x1.95355baaafad3p-57;
  const Two y = log_of_positive(x), p = product_of(y, per_ten);
  return p.high + (p.low + y.high * per_ten_low);
}

double pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (x == 0) return y > 0 ? 0 : infinity;
  if (!(x > 0) || std::isnan(y)) return std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(x) || std::isinf(y)) return (x > 1) == (y > 0) ? infinity : 0;
  const Two z = product_of(log_of_positive(x), y);
  return exp_of(z.high, z.low);
}

double tanh(double x) {
  if (std::fabs(x) > 22) return std::copysign(1.0, x);
  const double e = expm1(2 * std::fabs(x));
  return std::copysign(e / (e + 2), x) + (x != x ? x : 0);
}

double acosh(double x) {
  if (x > 1e100) return log(x) + ln_2;
  const double t = x - 1;
  return log1p(t + std::sqrt(2 * t + t * t));
}

double atanh(double x) {
  const double size = std::fabs(x);
  return std::copysign(0.5 * log1p(2 * size / (1 - size)), x);
}

double hypot(double x, double y) {
  double a = std::fabs(x), b = std::fabs(y);
  if (std::isinf(a) || std::isinf(b)) return infinity;
  if (a < b) {
    const double swapped = a;
    a = b, b = swapped;
  }
  if (b == 0 || a != a || b != b) return a + b;
  const double unit = a > 0x1p500 ? 0x1p-600 : b < 0x1p-500 ? 0x1p600 : 1;
  const double u = a * unit, v = b * unit;
  if (v < u * 0x1p-54 || std::isinf(u)) return a + b;
  const Two p = product_of(u, u), q = product_of(v, v), s = sum_of(p.high, q.high);
  const double root = std::sqrt(s.high);
  const Two squared = product_of(root, root);
  const double rest = (s.high - squared.high) - squared.low + (s.low + p.low + q.low);
  return (root + rest / (2 * root)) / unit;
}

namespace {

struct Turned {
  Two rest;
  int quarters;
};

// x = quarters pi/2 + rest, |rest| <= pi/4
Turned turned(double x) {
  constexpr double to_whole = 0x1.8p52, first = 0x1.921fb544p+0, second = 0x1.0b4611a6p-34,
                   third = 0x1.3198a2e037073p-69;
  const double n = (x * 0.63661977236758134308 + to_whole) - to_whole;
  const double a = x - n * first, b = n * second, r = a - b;  // a is exact
  const double low = ((a - r) - b) - n * third;
  return {sum_of(r, low), static_cast<int>(static_cast<int64_t>(n) & 3)};
}

// x - x^3/6 + …
double sine_near(Two x) {
  const double z = x.high * x.high;
  double sum = 0;
  for (int k = 20; k >= 2; k -= 2) sum = -z * (1 + sum) / (k * (k + 1));
  return x.high + (x.high * sum + x.low * (1 - 0.5 * z));
}

// 1 - x^2/2 + x^4/24 - …
double cosine_near(Two x) {
  const Two z = product_of(x.high, x.high);
  double sum = 0;
  for (int k = 21; k >= 3; k -= 2) sum = -z.high * (1 + sum) / (k * (k + 1));
  const double half = 0.5 * z.high;
  const Two first = sum_of(1, -half);
  return first.high + (first.low - 0.5 * z.low - half * sum - x.high * x.low);
}

}  // namespace

double sin(double x) {
  if (!(std::fabs(x) <= 1e5)) return std::numeric_limits<double>::quiet_NaN();
  const Turned t = turned(x);
  const double size = t.quarters & 1 ? cosine_near(t.rest) : sine_near(t.rest);
  return t.quarters & 2 ? -size : size;
}

double cos(double x) {
  if (!(std::fabs(x) <= 1e5)) return std::numeric_limits<double>::quiet_NaN();
  const Turned t = turned(x);
  const double size = t.quarters & 1 ? sine_near(t.rest) : cosine_near(t.rest);
  return t.quarters == 1 || t.quarters == 2 ? -size : size;
}

}  // namespace own
}  // namespace nnp

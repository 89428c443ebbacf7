// Smooth activations and their slopes, elementwise, for kernels_impl.hpp.
#pragma once

// Levels that fuse products with sums have forms of their own, made for speed. The portable level
// keeps the older ones, and with them its bits.
#if defined(NNP_AVX2) || defined(NNP_AVX512) || defined(NNP_NEON)
#define NNP_FUSES 1
#else
#define NNP_FUSES 0
#endif

// min(|x|, most); NaN stays NaN
NNP_INLINE Vec clipped_size(Vec x, double most) {
#if NNP_FUSES
  const Vec size = as_numbers(as_bits(x) & same_word(~uint64_t{0} >> 1));
#else
  const Vec size = x < Vec{} ? -x : x;
#endif
  return size > broadcast(most) ? broadcast(most) : size;
}

#if NNP_FUSES

// c0 + c1 x + c2 x^2 + …; neighbouring terms are combined first, so that sums do not wait for each
// other.
template <int count>
NNP_INLINE Vec polynomial(const double *c, Vec x) {
  if constexpr (count == 1) {
    return broadcast(c[0]);
  } else if constexpr (count == 2) {
    return add_product<false>(broadcast(c[0]), broadcast(c[1]), x);
  } else {
    const Vec square = x * x;
    Vec pair[(count + 1) / 2];
    NNP_UNROLL for (int i = 0; i < count / 2; ++i) {
      pair[i] = polynomial<2>(c + 2 * i, x);
    }
    if constexpr (count % 2 == 1) pair[count / 2] = broadcast(c[count - 1]);
    const Vec fourth = square * square;
    constexpr int pairs = (count + 1) / 2, last = pairs % 2 == 1 ? pairs - 1 : pairs - 2;
    Vec sum = pair[last];
    if constexpr (pairs % 2 == 0) sum = add_product<false>(sum, pair[last + 1], square);
    NNP_UNROLL for (int i = last - 2; i >= 0; i -= 2) {
      sum = add_product<false>(add_product<false>(pair[i], pair[i + 1], square), sum, fourth);
    }
    return sum;
  }
}

// e^(-y - more) = s (c + r) / (c - r) for 0 <= y <= 708 and a tiny `more`: s = 2^k with k the
// nearest whole number to -y log2(e), r what is left, and c = r coth(r/2), a polynomial in r^2 to
// 8e-18. Quotients that contain the exponential thus need a single division.
struct Decay {
  Vec s, c, r;

  Vec above() const { return s * (c + r); }
  Vec below() const { return c - r; }
};

NNP_INLINE Decay decay_by(Vec y, Vec more) {
  constexpr double to_whole = 0x1.8p52;  // adding it leaves the whole number in the low bits
  constexpr double log2_e = 1.4426950408889634074;
  constexpr double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;
  constexpr double c[] = {0x1.5555555555553p-3, -0x1.6c16c16c0abf9p-9, 0x1.1566ab5c1473dp-14,
                          -0x1.bbd532227cf4dp-20, 0x1.63f27409701ecp-25};
  const Vec shifted = add_product<true>(broadcast(to_whole), y, broadcast(log2_e));
  const Vec k = shifted - broadcast(to_whole);
  const Vec first = add_product<true>(-y, k, broadcast(ln2_high));
  const Vec r = add_product<true>(first, k, broadcast(ln2_low)) - more, square = r * r;
  const Words s = (as_bits(shifted) << 52) + as_bits(broadcast(1.0));
  return {as_numbers(s), add_product<false>(broadcast(2.0), polynomial<5>(c, square), square), r};
}

// tanh |x| = (1 - e^-2|x|) / (1 + e^-2|x|); near 0, where s = 1, the numerator is -2r exactly.
NNP_INLINE Vec tanh_of(Vec x) {
  const Decay e = decay_by(broadcast(2.0) * clipped_size(x, 20), Vec{});
  const Vec less = broadcast(1.0) - e.s, more = broadcast(1.0) + e.s;
  const Vec y = add_product<true>(e.c * less, e.r, more) / add_product<true>(e.c * more, e.r, less);
  return as_numbers(as_bits(y) | (as_bits(x) & same_word(uint64_t{1} << 63)));
}

// max(x, 0) + log(1 + t), t = e^(-|x|); with u = t / (2 + t) <= 1/3 the logarithm is 2 atanh(u).
NNP_INLINE Vec softplus_of(Vec x) {
  // 2 atanh(u) / u = 2 + c0 u^2 + c1 u^4 + … to 2e-17, interpolated at Chebyshev nodes
  constexpr double c[] = {0x1.5555555555555p-1, 0x1.999999999a3ddp-2, 0x1.24924923d44c6p-2,
                          0x1.c71c727143318p-3, 0x1.745cf0b0e03bdp-3, 0x1.3b18b294bebf9p-3,
                          0x1.10ac75dc602b1p-3, 0x1.eb905e8575054p-4, 0x1.687a6e7c95176p-4,
                          0x1.4b0a26c5f2aefp-3};
  const Decay e = decay_by(clipped_size(x, 700), Vec{});
  const Vec t = e.above(), u = t / add_product<false>(t, broadcast(2.0), e.below()), z = u * u;
  const Vec log = u * add_product<false>(broadcast(2.0), polynomial<10>(c, z), z);
  return (x > Vec{} ? x : x - x) + log;  // 0, or NaN
}

// 1 / (1 + e^-x)
NNP_INLINE Vec logistic_of(Vec x) {
  const Decay e = decay_by(clipped_size(x, 700), Vec{});
  const Vec t = e.above(), one = e.below();
  return (x < Vec{} ? t : one) / (one + t);
}

// Of z: Phi(-|z|), and |z| times the normal density; both are 0 beyond 37.5, where they are below
// 1e-305. With x = |z|/sqrt(2), Phi(-|z|) = e^(-x^2) erfcx(x) / 2, and (1 + 2x) erfcx(x) is a
// polynomial in (x - 4)/(x + 4): see base/erfcx.hpp.
struct NormalTail {
  Vec beyond, slope;
};

NNP_INLINE NormalTail normal_tail(Vec z) {
  const Vec size = clipped_size(z, 37.5), x = size * 0.70710678118654752440;
  const Vec square = size * size, lost = add_product<false>(-square, size, size);
  const Decay e = decay_by(broadcast(0.5) * square, broadcast(0.5) * lost);
  const Vec t = broadcast(1.0) - broadcast(8.0) / (x + broadcast(4.0));
  const Vec half_more = x + broadcast(0.5);
  const Vec scaled = e.above() / (e.below() * half_more);  // e^(-x^2) / (x + 1/2)
  const Vec density = scaled * half_more * 0.39894228040143267794;
  const Vec shown = size < broadcast(37.5) ? scaled : size - size;  // 0, or NaN
  return {broadcast(0.25) * polynomial<24>(erfcx_coefficients, t) * shown,
          size < broadcast(37.5) ? size * density : size - size};
}

// z Phi(z)
NNP_INLINE Vec gelu_of(Vec z) {
  const Vec beyond = normal_tail(z).beyond;
  return z * (z > Vec{} ? broadcast(1.0) - beyond : beyond);
}

// Phi(z) + z phi(z)
NNP_INLINE Vec gelu_slope_of(Vec z) {
  const NormalTail tail = normal_tail(z);
  const Vec left = tail.beyond - tail.slope;
  return z > Vec{} ? broadcast(1.0) - left : left;
}

NNP_INLINE Vec softplus_slope(Vec x, Vec gradient) {
  return gradient * logistic_of(x);
}

NNP_INLINE Vec gelu_slope(Vec x, Vec gradient) {
  return gradient * gelu_slope_of(x);
}

#else

// tanh |x| = -m / (2 + m) with m = e^(-2|x|) - 1
NNP_INLINE Vec tanh_of(Vec x) {
  const PowerOfE e = power_of_e(broadcast(-2.0) * clipped_size(x, 20));
  const Vec m = add_product<false>(e.two_to_k() - broadcast(1.0), e.two_to_k(), e.q);
  const Vec y = -m / (broadcast(2.0) + m);
  return x < Vec{} ? -y : y;
}

// e^(-|x|)
NNP_INLINE Vec decay(Vec x) {
  return power_of_e(-clipped_size(x, 700)).value();
}

// max(x, 0) + log(1 + t), t = e^(-|x|); with s = t / (2 + t) <= 1/3 the logarithm is
// 2 atanh(s) = 2 (s + s^3/3 + s^5/5 + …)
NNP_INLINE Vec softplus_of(Vec x) {
  const Vec t = decay(x), s = t / (broadcast(2.0) + t), square = s * s;
  Vec sum = broadcast(1.0 / 33);
  for (int odd = 31; odd >= 1; odd -= 2)
    sum = add_product<false>(broadcast(1.0 / odd), sum, square);
  const Vec positive = x > Vec{} ? x : x - x;  // 0, or NaN
  return positive + broadcast(2.0) * s * sum;
}

// 1 / (1 + e^-x)
NNP_INLINE Vec softplus_slope(Vec x, Vec gradient) {
  const Vec t = decay(x), above = x < Vec{} ? t : broadcast(1.0);
  return gradient * above / (broadcast(1.0) + t);
}

#endif

// 1 - tanh^2
NNP_INLINE Vec tanh_slope(Vec y, Vec gradient) {
  return gradient * add_product<true>(broadcast(1.0), y, y);
}

// ---- Tiles --------------------------------------------------------------------------------------

// out = f(in)
template <Vec f(Vec)>
NNP_INLINE void apply(const ConstTile &in, const Tile &out) {
  in_vectors(in.rows, in.width, [&](auto is_part, int64_t j, int64_t row, int64_t part) {
    constexpr int cut = decltype(is_part)::value;
    const Vec x = load_rows<cut>(in.data + j * in.ld + row, part);
    store_rows<cut>(out.data + j * out.ld + row, f(x), part);
  });
}

// out = f(in, gradient)
template <Vec f(Vec, Vec)>
NNP_INLINE void apply(const ConstTile &in, const ConstTile &gradient, const Tile &out) {
  in_vectors(in.rows, in.width, [&](auto is_part, int64_t j, int64_t row, int64_t part) {
    constexpr int cut = decltype(is_part)::value;
    const Vec x = load_rows<cut>(in.data + j * in.ld + row, part);
    const Vec g = load_rows<cut>(gradient.data + j * gradient.ld + row, part);
    store_rows<cut>(out.data + j * out.ld + row, f(x, g), part);
  });
}

void tanh_values(ConstTile in, Tile out) {
  apply<tanh_of>(in, out);
}

void tanh_slopes(ConstTile y, ConstTile gradient, Tile out) {
  apply<tanh_slope>(y, gradient, out);
}

void softplus_values(ConstTile in, Tile out) {
  apply<softplus_of>(in, out);
}

void softplus_slopes(ConstTile in, ConstTile gradient, Tile out) {
  apply<softplus_slope>(in, gradient, out);
}

#if NNP_FUSES
void gelu_values(ConstTile in, Tile out) {
  apply<gelu_of>(in, out);
}

void gelu_slopes(ConstTile in, ConstTile gradient, Tile out) {
  apply<gelu_slope>(in, gradient, out);
}
#endif

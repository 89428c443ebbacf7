#include "lib/diagnostics/autocovariance.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/functions.hpp"

namespace nnp {
namespace {

constexpr double pi = 3.141592653589793238462643;

int64_t padded_size(int64_t draws) {
  int64_t size = 2;
  while (size / 2 < draws && size < (int64_t{1} << 60)) size *= 2;
  return size;
}

// One stage over all pairs `half` apart: (a, b) -> (a + b, (a - b) exp(-i angle)).
void forward_stage(const FourierWork &w, int64_t half) {
  const double *cosine = w.cosine + half, *sine = w.sine + half;
  for (int64_t start = 0; start < w.size; start += 2 * half) {
    double *re = w.re + start, *im = w.im + start;
    for (int64_t j = 0; j < half; ++j) {
      const double dr = re[j] - re[j + half], di = im[j] - im[j + half];
      re[j] += re[j + half];
      im[j] += im[j + half];
      re[j + half] = dr * cosine[j] + di * sine[j];
      im[j + half] = di * cosine[j] - dr * sine[j];
    }
  }
}

// The inverse of that stage: (a, b) -> (a + b exp(i angle), a - b exp(i angle)).
void backward_stage(const FourierWork &w, int64_t half) {
  const double *cosine = w.cosine + half, *sine = w.sine + half;
  for (int64_t start = 0; start < w.size; start += 2 * half) {
    double *re = w.re + start, *im = w.im + start;
    for (int64_t j = 0; j < half; ++j) {
      const double br = re[j + half] * cosine[j] - im[j + half] * sine[j];
      const double bi = im[j + half] * cosine[j] + re[j + half] * sine[j];
      re[j + half] = re[j] - br;
      im[j + half] = im[j] - bi;
      re[j] += br;
      im[j] += bi;
    }
  }
}

void centred(const double *x, int64_t n, int64_t size, double *out) {
  const double mean = mean_of(x, n);
  for (int64_t i = 0; i < n; ++i) out[i] = x[i] - mean;
  std::fill(out + n, out + size, 0.0);
}

}  // namespace

FourierWork fourier_layout(Arena &arena, int64_t draws) {
  FourierWork w{};
  w.size = padded_size(draws);
  w.re = arena.take<double>(w.size);
  w.im = arena.take<double>(w.size);
  w.power = arena.take<double>(w.size);
  w.cosine = arena.take<double>(w.size);
  w.sine = arena.take<double>(w.size);
  return w;
}

void prepare(const FourierWork &w) {
  const int64_t top = w.size / 2;
  for (int64_t j = 0; j < top; ++j) {
    const double angle = pi * static_cast<double>(j) / static_cast<double>(top);
    w.cosine[top + j] = fn::cos(angle);
    w.sine[top + j] = fn::sin(angle);
  }
  for (int64_t h = top / 2; h > 0; h /= 2) {
    for (int64_t j = 0; j < h; ++j) {
      w.cosine[h + j] = w.cosine[2 * (h + j)];
      w.sine[h + j] = w.sine[2 * (h + j)];
    }
  }
}

void mean_autocovariance(const Chains &x, const FourierWork &room, double *out) {
  FourierWork w = room;
  w.size = padded_size(x.draws);
  std::fill_n(w.power, w.size, 0.0);
  // Two chains a, b are combined as a + ib: the real part of the autocovariance is that of a plus
  // that of b. The power spectrum may stay in permuted order, which the inverse transform undoes.
  for (int64_t c = 0; c < x.chains; c += 2) {
    centred(x.chain(c), x.draws, w.size, w.re);
    if (c + 1 < x.chains)
      centred(x.chain(c + 1), x.draws, w.size, w.im);
    else
      std::fill_n(w.im, w.size, 0.0);
    for (int64_t half = w.size / 2; half > 0; half /= 2) forward_stage(w, half);
    for (int64_t k = 0; k < w.size; ++k) w.power[k] += w.re[k] * w.re[k] + w.im[k] * w.im[k];
  }
  std::copy_n(w.power, w.size, w.re);
  std::fill_n(w.im, w.size, 0.0);
  for (int64_t half = 1; half < w.size; half *= 2) backward_stage(w, half);
  const double scale = 1.0 / (static_cast<double>(w.size) * static_cast<double>(x.size()));
  for (int64_t k = 0; k < x.draws; ++k) out[k] = w.re[k] * scale;
}

}  // namespace nnp

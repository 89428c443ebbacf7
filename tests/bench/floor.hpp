// The floor under a Gibbs step of a chain of dense layers: the products it cannot do without, each
// by the fastest routine at hand, and one plain normal a drawn variate. Nothing else: no piecewise
// draws, no factorisations, no bookkeeping.
#pragma once

#include <cblas.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "lib/base/pool.hpp"
#include "lib/base/tile.hpp"
#include "lib/linalg/kernels.hpp"
#include "lib/random/variates.hpp"
#include "tests/bench/harness.hpp"
#include "tests/support/tables.hpp"

namespace bench {

// Memory on a cache line, filled with modest numbers (never denormal).
class Buffer {
 public:
  explicit Buffer(int64_t size) : data_(static_cast<size_t>(size) + 8) {
    for (size_t i = 0; i < data_.size(); ++i) data_[i] = 0.1 + 0.01 * static_cast<double>(i % 37);
  }
  double *get() {
    const auto address = reinterpret_cast<uintptr_t>(data_.data());
    return data_.data() + (64 - address % 64) % 64 / sizeof(double);
  }

 private:
  std::vector<double> data_;
};

// What a step of a dense layer in -> out has to multiply, over n rows.
enum class Product {
  forward_and_cross,  // V = U W, then U'V, while a tile is in cache
  forward,            // V = U W
  cross,              // U'V
  gram,               // U'U
  transposed,         // U = V W'
  triangular          // U L^-1, L in x in: the coloured noise of a Gaussian site
};

// Matrices for one product, and a team to share the rows. Blocks add to sums of their own.
struct Work {
  Product product;
  nnp::Tiling tiling;
  int64_t in, out;
  Buffer u, v, weights, lower, sums;
  nnp::Pool *pool;

  Work(Product product_, int64_t n, int64_t in_, int64_t out_, nnp::Pool *pool_)
      : product(product_),
        tiling(nnp::Tiling::of(n)),
        in(in_),
        out(out_),
        u(tiling.size(in)),
        v(tiling.size(out)),
        weights(in * out),
        lower(product == Product::triangular ? in * in : 0),
        sums((pool_ ? tiling.blocks : 1) * sum_size()),
        pool(pool_) {
    // Close to the identity, so that solving again and again neither blows up nor vanishes.
    for (int64_t i = 0; product == Product::triangular && i < in * in; ++i)
      lower.get()[i] = i % (in + 1) == 0 ? 1 : 1e-9;
  }

  int64_t sum_size() const { return product == Product::gram ? in * in : in * out; }
  double *block_sums(int64_t block) { return sums.get() + (pool ? block : 0) * sum_size(); }
};

// On one tile by our kernels.
inline void by_kernels(const nnp::Kernels &k, Work &w, nnp::Tile u, nnp::Tile v, double *sums) {
  switch (w.product) {
    case Product::forward_and_cross:
      k.multiply(u, w.weights.get(), nullptr, v);
      return k.add_cross(u, v, sums, w.in);
    case Product::forward:
      return k.multiply(u, w.weights.get(), nullptr, v);
    case Product::cross:
      return k.add_cross(u, v, sums, w.in);
    case Product::gram:
      return k.add_gram(u, sums, w.in);
    case Product::transposed:
      return k.multiply_transposed(v, w.weights.get(), u);
    case Product::triangular:
      return k.solve_lower(w.lower.get(), w.in, u);
  }
}

inline int blas_int(int64_t i) {
  return static_cast<int>(i);
}

inline void blas_forward(Work &w, nnp::Tile u, nnp::Tile v) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, blas_int(u.rows), blas_int(w.out),
              blas_int(w.in), 1, u.data, blas_int(u.ld), w.weights.get(), blas_int(w.in), 0, v.data,
              blas_int(v.ld));
}

inline void blas_cross(Work &w, nnp::Tile u, nnp::Tile v, double *sums) {
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_int(w.in), blas_int(w.out),
              blas_int(u.rows), 1, u.data, blas_int(u.ld), v.data, blas_int(v.ld), 1, sums,
              blas_int(w.in));
}

// On some rows of column-major matrices by BLAS: a tile, or a share of the whole.
inline void by_blas(Work &w, nnp::Tile u, nnp::Tile v, double *sums) {
  const int rows = blas_int(u.rows), in = blas_int(w.in), out = blas_int(w.out);
  const int ldu = blas_int(u.ld), ldv = blas_int(v.ld);
  switch (w.product) {
    case Product::forward_and_cross:
      blas_forward(w, u, v);
      return blas_cross(w, u, v, sums);
    case Product::forward:
      return blas_forward(w, u, v);
    case Product::cross:
      return blas_cross(w, u, v, sums);
    case Product::gram:
      return cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, in, rows, 1, u.data, ldu, 1, sums,
                         in);
    case Product::transposed:
      return cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, rows, in, out, 1, v.data, ldv,
                         w.weights.get(), in, 0, u.data, ldu);
    case Product::triangular:
      return cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, rows, in,
                         1, w.lower.get(), in, u.data, ldu);
  }
}

// Calls body(index) for 0 … count-1 on the pool's threads (a null pool: here).
template <class Body>
void share_out(nnp::Pool *pool, int64_t count, const Body &body) {
  const nnp::Task task = [](void *context, int64_t index) {
    (*static_cast<const Body *>(context))(index);
  };
  nnp::pool_run(pool, count, task, const_cast<Body *>(&body));
}

template <class OnTile>
void over_tiles(Work &w, const OnTile &on_tile) {
  share_out(w.pool, w.tiling.blocks, [&](int64_t b) {
    for (int64_t t = w.tiling.first_tile(b); t < w.tiling.last_tile(b); ++t)
      on_tile(w.tiling.tile(w.u.get(), w.in, t), w.tiling.tile(w.v.get(), w.out, t),
              w.block_sums(b));
  });
}

// One BLAS call a thread.
inline void over_shares(Work &w) {
  const int64_t ld = w.tiling.tiles * w.tiling.ld, shares = w.pool ? pool_threads(w.pool) : 1;
  share_out(w.pool, shares, [&](int64_t s) {
    const int64_t first = s * w.tiling.n / shares, end = (s + 1) * w.tiling.n / shares;
    by_blas(w, {w.u.get() + first, end - first, w.in, ld},
            {w.v.get() + first, end - first, w.out, ld}, w.block_sums(s));
  });
}

inline void plain_normals(std::vector<nnp::Stream> &streams, nnp::Pool *pool, int64_t count) {
  const int64_t tasks = static_cast<int64_t>(streams.size());
  share_out(pool, tasks, [&](int64_t b) {
    constexpr int64_t room = 512;
    double out[room];
    nnp::Stream stream = streams[static_cast<size_t>(b)];
    for (int64_t left = (b + 1) * count / tasks - b * count / tasks; left > 0; left -= room) {
      nnp::fill_normal(stream, out, left < room ? left : room);
      keep(out);
    }
    streams[static_cast<size_t>(b)] = stream;
  });
}

// The floor's parts take part in the race of the step they lie under.
class Floor {
 public:
  Floor(Race &race, nnp::Pool *pool) : race_(race), pool_(pool) {
    for (const char *name : {"portable", "avx2", "avx512"})
      if (const nnp::Kernels *k = nnp::kernels_named(name)) levels_.push_back(k);
  }

  void add(Product product, int64_t n, int64_t in, int64_t out) {
    works_.push_back(std::make_unique<Work>(product, n, in, out, pool_));
    Work *w = works_.back().get();
    std::vector<int> routines;
    for (const nnp::Kernels *k : levels_)
      routines.push_back(race_.add([=] {
        over_tiles(*w, [=](nnp::Tile u, nnp::Tile v, double *s) { by_kernels(*k, *w, u, v, s); });
      }));
    routines.push_back(race_.add([=] {
      over_tiles(*w, [=](nnp::Tile u, nnp::Tile v, double *s) { by_blas(*w, u, v, s); });
    }));
    routines.push_back(race_.add([=] { over_shares(*w); }));
    parts_.push_back(routines);
  }

  void add_normals(int64_t count, int64_t blocks) {
    for (int64_t b = 0; b < blocks; ++b)
      streams_.emplace_back(uint64_t{1}, uint64_t{0}, static_cast<uint64_t>(b));
    normals_ = race_.add([=] { plain_normals(streams_, pool_, count); });
  }

  // Seconds, after the race: the fastest routine of every product, and the normals.
  double products() const {
    double sum = 0;
    for (const std::vector<int> &routines : parts_) {
      double best = race_.best(routines[0]);
      for (int r : routines) best = std::fmin(best, race_.best(r));
      sum += best;
    }
    return sum;
  }
  double normals() const { return race_.best(normals_); }

 private:
  Race &race_;
  nnp::Pool *pool_;
  std::vector<const nnp::Kernels *> levels_;
  std::vector<std::unique_ptr<Work>> works_;
  std::vector<std::vector<int>> parts_;
  std::vector<nnp::Stream> streams_;
  int normals_ = 0;
};

}  // namespace bench

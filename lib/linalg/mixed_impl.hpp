// The tables that share dense work with BLAS, written once and compiled with the kernels of each
// SIMD level (part of kernels_impl.hpp). choice.hpp decides who computes what.

// ---- By small calls: our kernels on the diagonal, products off it -------------------------------

constexpr int64_t panel = 64;  // columns of a triangle at a time

// x = x L^-T: every row x becomes L^-1 x.
NNP_ENTRY void solve_rows_small(const double *l, int64_t ldl, Tile x) {
  for (int64_t j = 0; j < x.width; j += panel) {
    const int64_t some = least(panel, x.width - j), next = j + some;
    const Tile now = {x.data + j * x.ld, x.rows, some, x.ld};
    solve_lower(l + j * (ldl + 1), ldl, now);
    blas_product(Calls::small, {x.rows,
                                x.width - next,
                                some,
                                -1,
                                {now.data, x.ld, false},
                                {l + next + j * ldl, ldl, true},
                                1,
                                x.data + next * x.ld,
                                x.ld});
  }
}

// x = x L^-1: every row x becomes L^-T x.
NNP_ENTRY void solve_rows_transposed_small(const double *l, int64_t ldl, Tile x) {
  for (int64_t j = (x.width - 1) / panel * panel; j >= 0; j -= panel) {
    const Tile now = {x.data + j * x.ld, x.rows, least(panel, x.width - j), x.ld};
    solve_lower_transposed(l + j * (ldl + 1), ldl, now);
    blas_product(
        Calls::small,
        {x.rows, j, now.width, -1, {now.data, x.ld, false}, {l + j, ldl, false}, 1, x.data, x.ld});
  }
}

NNP_ENTRY void solve_columns_small(const double *l, int64_t n, int64_t ldl, double *b, int64_t k,
                                   int64_t ldb) {
  for (int64_t j = 0; j < n; j += panel) {
    const int64_t some = least(panel, n - j), next = j + some;
    solve_columns(l + j * (ldl + 1), some, ldl, b + j, k, ldb);
    blas_product(Calls::small, {n - next,
                                k,
                                some,
                                -1,
                                {l + next + j * ldl, ldl, false},
                                {b + j, ldb, false},
                                1,
                                b + next,
                                ldb});
  }
}

NNP_ENTRY void solve_columns_transposed_small(const double *l, int64_t n, int64_t ldl, double *b,
                                              int64_t k, int64_t ldb) {
  for (int64_t j = (n - 1) / panel * panel; j >= 0; j -= panel) {
    const int64_t some = least(panel, n - j);
    solve_columns_transposed(l + j * (ldl + 1), some, ldl, b + j, k, ldb);
    blas_product(Calls::small,
                 {j, k, some, -1, {l + j, ldl, true}, {b + j, ldb, false}, 1, b, ldb});
  }
}

// c -= p p' on and below the diagonal of c's first `panel` columns; p has as many rows as c.
NNP_ENTRY void take_off(const double *p, int64_t ldp, int64_t rows, int64_t columns, double *c,
                        int64_t ldc) {
  double corner[panel * panel];
  const int64_t some = least(panel, rows);
  blas_product(Calls::small,
               {some, some, columns, 1, {p, ldp, false}, {p, ldp, true}, 0, corner, some});
  for (int64_t j = 0; j < some; ++j)
    for (int64_t i = j; i < some; ++i) c[i + j * ldc] -= corner[i + j * some];
  blas_product(
      Calls::small,
      {rows - some, some, columns, -1, {p + some, ldp, false}, {p, ldp, true}, 1, c + some, ldc});
}

NNP_ENTRY bool cholesky_small(double *a, int64_t n, int64_t lda) {
  for (int64_t j = 0; j < n; j += panel) {
    const int64_t some = least(panel, n - j), next = j + some;
    double *corner = a + j * (lda + 1), *below = corner + some;
    if (!cholesky(corner, some, lda)) return false;
    if (next == n) return true;
    solve_lower(corner, lda, {below, n - next, some, lda});
    for (int64_t c = next; c < n; c += panel)
      take_off(below + (c - next), lda, n - c, some, a + c * (lda + 1), lda);
  }
  return true;
}

// Lower triangle of g += u' u; the blocks on the diagonal use our kernels.
NNP_ENTRY void add_gram_small(ConstTile u, double *g, int64_t ldg) {
  for (int64_t j = 0; j < u.width; j += panel) {
    const int64_t some = least(panel, u.width - j), next = j + some;
    add_gram({u.col(j), u.rows, some, u.ld}, g + j * (ldg + 1), ldg);
    blas_product(Calls::small, {u.width - next,
                                some,
                                u.rows,
                                1,
                                {u.col(next), u.ld, true},
                                {u.col(j), u.ld, false},
                                1,
                                g + next + j * ldg,
                                ldg});
  }
}

// ---- The entries of the table -------------------------------------------------------------------

template <Share share, Calls calls>
struct Mixed {
#if defined(NNP_NEON)
  static constexpr Simd level = Simd::neon;
#else
  static constexpr Simd level = NNP_LANES == 8   ? Simd::avx512
                                : NNP_LANES == 4 ? Simd::avx2
                                                 : Simd::portable;
#endif
  static constexpr bool whole = calls == Calls::whole;

  static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
  }
  static bool by_blas(Operation operation, int64_t rows, int64_t columns, int64_t depth,
                      int64_t ld) {
    return blas_computes({operation, rows, columns, depth, ld}, level, share, calls);
  }

  static void product(ConstTile u, const double *w, const double *bias, Tile out) {
    if (!by_blas(Operation::product, u.rows, out.width, u.width,
                 larger(larger(u.ld, out.ld), u.width)))
      return multiply(u, w, bias, out);
    for (int64_t j = 0; bias && j < out.width; ++j)
      for (int64_t i = 0; i < out.rows; ++i) out.data[i + j * out.ld] = bias[j];
    blas_product(calls, {u.rows,
                         out.width,
                         u.width,
                         1,
                         {u.data, u.ld, false},
                         {w, larger(u.width, 1), false},
                         bias ? 1.0 : 0.0,
                         out.data,
                         out.ld});
  }

  static void product_add(ConstTile u, const double *w, int64_t ldw, Tile out) {
    if (!by_blas(Operation::product, u.rows, out.width, u.width, larger(larger(u.ld, out.ld), ldw)))
      return multiply_add(u, w, ldw, out);
    blas_product(calls, {u.rows,
                         out.width,
                         u.width,
                         1,
                         {u.data, u.ld, false},
                         {w, ldw, false},
                         1,
                         out.data,
                         out.ld});
  }

  static void transposed(ConstTile v, const double *w, Tile out) {
    if (!by_blas(Operation::transposed_product, v.rows, out.width, v.width,
                 larger(larger(v.ld, out.ld), out.width)))
      return multiply_transposed(v, w, out);
    blas_product(calls, {v.rows,
                         out.width,
                         v.width,
                         1,
                         {v.data, v.ld, false},
                         {w, out.width, true},
                         0,
                         out.data,
                         out.ld});
  }

  static void transposed_add(ConstTile v, const double *w, int64_t ldw, Tile out) {
    if (!by_blas(Operation::transposed_product, v.rows, out.width, v.width,
                 larger(larger(v.ld, out.ld), ldw)))
      return multiply_transposed_add(v, w, ldw, out);
    blas_product(calls, {v.rows,
                         out.width,
                         v.width,
                         1,
                         {v.data, v.ld, false},
                         {w, ldw, true},
                         1,
                         out.data,
                         out.ld});
  }

  static void cross(ConstTile u, ConstTile v, double *c, int64_t ldc) {
    if (!by_blas(Operation::cross, u.rows, u.width, v.width, larger(larger(u.ld, v.ld), ldc)))
      return nnp::add_cross(u, v, c, ldc);
    blas_product(
        calls,
        {u.width, v.width, u.rows, 1, {u.data, u.ld, true}, {v.data, v.ld, false}, 1, c, ldc});
  }

  static void gram(ConstTile u, double *g, int64_t ldg) {
    if (!by_blas(Operation::gram, u.rows, u.width, u.width, larger(u.ld, ldg)))
      return nnp::add_gram(u, g, ldg);
    if constexpr (whole)
      blas_gram(u.data, u.rows, u.width, u.ld, g, ldg);
    else
      add_gram_small(u, g, ldg);
  }

  static void fresh_cross(ConstTile u, ConstTile v, double *c, int64_t ldc) {
    if (!by_blas(Operation::cross, u.rows, u.width, v.width, larger(larger(u.ld, v.ld), ldc)))
      return set_cross(u, v, c, ldc);
    clear_sums<false>(u.width, v.width, c, ldc);
    cross(u, v, c, ldc);
  }

  static void fresh_gram(ConstTile u, double *g, int64_t ldg) {
    if (!by_blas(Operation::gram, u.rows, u.width, u.width, larger(u.ld, ldg)))
      return set_gram(u, g, ldg);
    clear_sums<true>(u.width, u.width, g, ldg);
    gram(u, g, ldg);
  }

  static void rows(const double *l, int64_t ldl, Tile x) {
    if (!by_blas(Operation::solve_rows, x.rows, x.width, x.width, larger(ldl, x.ld)))
      return solve_lower(l, ldl, x);
    if constexpr (whole)
      blas_solve({l, ldl, true, true}, x.data, x.rows, x.width, x.ld);
    else
      solve_rows_small(l, ldl, x);
  }

  static void rows_transposed(const double *l, int64_t ldl, Tile x) {
    if (!by_blas(Operation::solve_rows_transposed, x.rows, x.width, x.width, larger(ldl, x.ld)))
      return solve_lower_transposed(l, ldl, x);
    if constexpr (whole)
      blas_solve({l, ldl, true, false}, x.data, x.rows, x.width, x.ld);
    else
      solve_rows_transposed_small(l, ldl, x);
  }

  static void columns(const double *l, int64_t n, int64_t ldl, double *b, int64_t k, int64_t ldb) {
    if (!by_blas(Operation::solve_columns, k, n, n, larger(ldl, ldb)))
      return solve_columns(l, n, ldl, b, k, ldb);
    if constexpr (whole)
      blas_solve({l, ldl, false, false}, b, n, k, ldb);
    else
      solve_columns_small(l, n, ldl, b, k, ldb);
  }

  static void columns_transposed(const double *l, int64_t n, int64_t ldl, double *b, int64_t k,
                                 int64_t ldb) {
    if (!by_blas(Operation::solve_columns, k, n, n, larger(ldl, ldb)))
      return solve_columns_transposed(l, n, ldl, b, k, ldb);
    if constexpr (whole)
      blas_solve({l, ldl, false, true}, b, n, k, ldb);
    else
      solve_columns_transposed_small(l, n, ldl, b, k, ldb);
  }

  static bool factor(double *a, int64_t n, int64_t lda) {
    if (!by_blas(Operation::cholesky, n, n, n, lda)) return cholesky(a, n, lda);
    if constexpr (whole)
      return blas_cholesky(a, n, lda);
    else
      return cholesky_small(a, n, lda);
  }
};

template <Share share, Calls calls>
constexpr Kernels mixed_table(Kernels table) {
  using Entries = Mixed<share, calls>;
  table.multiply = Entries::product;
  table.multiply_add = Entries::product_add;
  table.multiply_transposed = Entries::transposed;
  table.multiply_transposed_add = Entries::transposed_add;
  table.add_cross = Entries::cross;
  table.add_gram = Entries::gram;
  table.set_cross = Entries::fresh_cross;
  table.set_gram = Entries::fresh_gram;
  table.solve_lower = Entries::rows;
  table.solve_lower_transposed = Entries::rows_transposed;
  table.solve_columns = Entries::columns;
  table.solve_columns_transposed = Entries::columns_transposed;
  table.cholesky = Entries::factor;
  return table;
}

// All tables of a level; see KernelTables.
constexpr KernelTables tables_of_level(const char *name) {
  const Kernels own = table_of_level(name);
  return {own, mixed_table<Share::faster, Calls::small>(own),
          mixed_table<Share::all, Calls::small>(own),
          mixed_table<Share::faster, Calls::whole>(own)};
}

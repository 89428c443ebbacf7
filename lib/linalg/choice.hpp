// The only place that chooses between our kernels and BLAS, by shape.
//
// Measured, best of nine by the thread's clock on a machine busy with other work (so to some 15 %),
// Gflop/s on one thread for tiles of 128 rows; bench_kernels repeats such measurements. A dash was
// not measured: crossovers of solves and factors in small calls are those of whole calls. OpenBLAS
// 0.3.21, core Zen (EPYC of family 25, AVX2): own kernel / whole call / small calls (see blas.hpp).
//
//   order                        64            256            512           1024
//   product                 39/29/26       31/37/33       37/39/33       36/39/31
//   transposed product      35/28/27       27/38/33       25/32/32       28/39/31
//   cross                   30/28/31       32/43/32       39/38/32       33/40/30
//   Gram                    36/29/ -       29/31/ -       38/37/ -       35/36/30
//   Cholesky                 4/ 4/ -       20/24/ -       21/28/ -       14/31/ -
//   solve, rows             34/22/ -       29/28/ -       25/33/ -       14/33/ -
//   solve transposed, rows  35/ 9/ -       38/25/ -       34/30/ -       26/31/ -
//   solve, columns          17/12/ -       28/28/ -       23/28/ -       19/31/ -
//
// AVX-512, core SkylakeX (Xeon of model 207, other work on the machine halted; a loop of fused
// multiplications alone reaches 88): own kernel / whole call / small calls.
//
//   order                       128            256            512           1024
//   product                 83/71/82       81/74/79       70/76/70        -
//   transposed product      83/72/80       82/74/79       65/76/65        -
//   cross                   77/59/50       80/65/50       69/68/45        -
//   Gram                    69/53/58       75/63/55       75/69/50       68/72/46
//   solve, rows             82/21/80       80/22/78       47/26/66       40/41/68
//   solve transposed, rows  84/21/83       80/22/81       70/25/66       77/41/66
//   Cholesky                23/17/18        -             42/30/ -       33/34/29
//
// AVX-512, core SkylakeX (EPYC of family 26, Zen 5, nothing else running): own kernel / whole call /
// small calls. Without that core's name OpenBLAS 0.3.21 takes the processor for a Haswell.
//
//   order                       128            256            512           1024
//   product                121/88/119     121/89/118     119/90/115         -
//   transposed product     121/86/120     123/87/119     117/82/109         -
//   cross                  119/88/69      122/97/68      120/95/65          -
//   Gram                   107/69/80      117/84/75      118/90/70      117/99/67
//   solve, rows            113/40/115     119/45/117     113/52/110      95/65/103
//   solve transposed, rows 119/40/114     127/48/119     122/59/116     110/71/113
//   Cholesky                50/28/40           -          78/54/66       63/61/75
//
// Since our kernels prefetch, on a Xeon of model 143 (70 by fused multiplications alone, for long),
// tiles coming from the third cache, before / after: order 256 product 58/62, transposed 58/63,
// cross 53/58, solves 53/62; order 1024 Gram 51/59. Crossovers were not measured again.
//
// An older processor with AVX-512 had: product 2084 x 50 -> 10 82/82; transposed product 55/78;
// Gram of order 50 50/29, 784 64/88; row solves 86/19; Cholesky 51 13/4, 785 30/17, 1025 15/17.
// With small calls, Gram matrices lose what BLAS would gain. Our portable kernels reach 8 to 15 on
// both machines of the tables; no processor without AVX2 was available.
#pragma once

#include <cstdint>

#include "lib/base/simd.hpp"
#include "lib/linalg/blas.hpp"
#include "lib/linalg/kernels.hpp"

namespace nnp {

// What the user requests. Values are pinned: adding a base gives those of NNP_OPTION_BLAS.
enum class Blas : int32_t { automatic = 0, none = 1, all = 2, whole = 3 };

// True if OpenBLAS has recognized a processor with the instructions that our level uses. False for
// another BLAS.
bool blas_suits(Simd level);
// The provider for a chain that requests `wanted` and the SIMD level `level`. A level requested by
// number uses our kernels only, unless BLAS is requested too: its draws are then the same on every
// machine. For Simd::best, BLAS shares the work if it suits the level, and does all dense work if
// we have nothing better than the portable level.
Provider provider_for(Blas wanted, Simd level);

// What a table of kernels leaves to BLAS: the shapes at which it is faster, or everything it can
// do.
enum class Share { faster, all };

enum class Operation {
  product,
  transposed_product,
  cross,
  gram,
  solve_rows,
  solve_rows_transposed,
  solve_columns,
  cholesky,
};

// True if BLAS computes it. The result is `rows` x `columns` (for a triangle or a factor, `columns`
// is its order), summed over `depth`; `ld` is the largest leading dimension. Sizes that do not fit
// BLAS's integers are left to our kernels.
struct Work {
  Operation operation;
  int64_t rows, columns, depth, ld;
};
bool blas_computes(const Work &work, Simd level, Share share, Calls calls);

}  // namespace nnp

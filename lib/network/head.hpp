// How the last site meets the data: a table of output heads, one file each row's functions.
#pragma once

#include <cstdint>

#include "lib/base/status.hpp"
#include "lib/base/tile.hpp"
#include "lib/linalg/kernels.hpp"
#include "lib/network/draws.hpp"
#include "lib/network/relax.hpp"
#include "lib/random/stream.hpp"

namespace nnp {

// Values are pinned: they are NNP_GAUSSIAN, ... of the C header and part of saved states.
enum class HeadKind : int32_t { none = 0, gaussian = 1, argmax = 2, sign = 3 };

// How the latent scores of a probit head were drawn, row by row.
struct HeadCounts {
  int64_t exact = 0;    // all scores of the row jointly, from their exact conditional
  int64_t scanned = 0;  // one score after the other
};

// A tile of outputs f and what they are compared with.
struct LossTile {
  ConstTile f;
  ConstTile targets;  // of an observed head
  const int32_t *labels;
  double scale;   // 1/(2D)
  Tile gradient;  // written: -scale * d loss / d f
};

struct HeadOps {
  const char *name;
  bool observed;  // the last site is the target itself: nothing latent
  // Number of outputs it can take; the sentence of the failure names what it needs.
  Status (*check_outputs)(int64_t outputs, Error *);
  // Is this label possible with so many outputs? Null for heads without labels.
  bool (*label_ok)(int32_t label, int64_t outputs);
  const char *label_range;
  // Scores of a tile given their means, noise and labels; `site` holds feasible old scores.
  void (*draw)(ConstTile mean, double noise, const int32_t *labels, Stream &, Tile site,
               HeadCounts &, const DrawKernels &);
  // The same conditional, over-relaxed (see Relax): coordinate by coordinate, left where it is if
  // the label would change.
  void (*relax)(ConstTile mean, double noise, const int32_t *labels, const Relax &, Stream &,
                Tile site);
  // Makes scores that agree with the labels out of any scores.
  void (*make_feasible)(const int32_t *labels, Tile site);
  bool (*feasible)(const int32_t *labels, ConstTile site, int64_t row);
  // The loss of the classical posterior, summed over the rows of a tile, and its gradient.
  double (*loss)(const LossTile &tile, const Kernels &kernels);
};

// Null for HeadKind::none and for values outside the enum.
const HeadOps *ops_of(HeadKind head);

extern const HeadOps gaussian_head_ops;
extern const HeadOps argmax_head_ops;
extern const HeadOps sign_head_ops;

}  // namespace nnp

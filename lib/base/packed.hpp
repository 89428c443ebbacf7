// A tile of inputs in less room than doubles take: singles, bytes, or the entries that differ from
// the value most of their column has.
#pragma once

#include <cstdint>

namespace nnp {

// Values are pinned: plus a base they are NNP_STORE_DOUBLES, … of the C header.
enum class StoreKind : int32_t { doubles = 1, singles = 2, bytes = 3, sparse = 4 };

// Feature j of a row is
//   singles: singles[j * ld + row]
//   bytes:   shift[j] + scale[j] * bytes[j * ld + row]
//   sparse:  shift[j] + scale[j] * entry. Features go in groups, as neighbours often differ from
//            the common value together: group g has entries starts[g] … starts[g + 1] - 1, each
//            with its row and a value for all its features (small whole numbers, or doubles); rows
//            without an entry have the value 0, and so have features the last group lacks. A group
//            has an even number of entries, the last of which may be one of zeros.
constexpr int64_t sparse_group = 4;
constexpr int64_t entries_ahead = 64;  // small ones may be read so far beyond a tile's last

struct PackedTile {
  StoreKind kind;
  int64_t ld;
  const double *scale, *shift;  // one a feature
  bool same_scale;              // and these are all the same
  const float *singles;
  const uint8_t *bytes;
  const uint32_t *starts;  // one a group, and the end
  const uint8_t *rows;     // one an entry
  const uint8_t *small;    // sparse_group an entry, or null
  const double *values;    // sparse_group an entry, or null
};

}  // namespace nnp

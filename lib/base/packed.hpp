// A tile of inputs stored in less memory than doubles take: as singles, bytes, or only the entries
// that differ from the most frequent value of their column.
#pragma once

#include <cstdint>

namespace nnp {

// Values are pinned: adding a base gives NNP_STORE_DOUBLES, … of the C header.
enum class StoreKind : int32_t { doubles = 1, singles = 2, bytes = 3, sparse = 4 };

// Feature j of a row is
//   singles: singles[j * ld + row]
//   bytes:   shift[j] + scale[j] * bytes[j * ld + row]
//   sparse:  shift[j] + scale[j] * entry. Features are grouped, since neighbours often differ from
//            the common value together: group g has entries starts[g] … starts[g + 1] - 1, each
//            with its row and a value for all its features (small whole numbers, or doubles); rows
//            without an entry have the value 0, as do features that the last group lacks. A group
//            has an even number of entries, the last of which may be all zeros.
constexpr int64_t sparse_group = 4;
constexpr int64_t entries_ahead = 64;  // small entries may be read this far beyond a tile's last

struct PackedTile {
  StoreKind kind;
  int64_t ld;
  const double *scale, *shift;  // one per feature
  bool same_scale;              // and they are all equal
  const float *singles;
  const uint8_t *bytes;
  const uint32_t *starts;  // one per group, and the end
  const uint8_t *rows;     // one per entry
  const uint8_t *small;    // sparse_group per entry, or null
  const double *values;    // sparse_group per entry, or null
};

}  // namespace nnp

#include "lib/network/store.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnp {

namespace {

// What is known about one feature: its distinct values, as long as there are few, and how often
// each occurs; only the first 256 values are counted.
struct Census {
  static constexpr int room = 256;
  double value[room];  // sorted
  int64_t times[room];
  int count = 0;
  int last = 0;             // index of the last value found
  bool overflowed = false;  // more values than room
  bool singles = true;      // all are single precision numbers

  void add(double x) {
    if (count > 0 && x == value[0]) {
      ++times[0];
      return;
    }
    singles = singles && std::fabs(x) <= std::numeric_limits<float>::max() &&
              static_cast<double>(static_cast<float>(x)) == x;
    const int at = static_cast<int>(std::lower_bound(value, value + count, x) - value);
    if (at < count && value[at] == x) {
      ++times[at];
    } else if (count < room) {
      for (int i = count; i > at; --i) {
        value[i] = value[i - 1];
        times[i] = times[i - 1];
      }
      value[at] = x;
      times[at] = 1;
      ++count;
    } else {
      overflowed = true;
    }
  }
  int most_frequent() const {
    return static_cast<int>(std::max_element(times, times + count) - times);
  }
};

// The feature as shift + scale * k, k = 0 … 255.
struct Steps {
  bool possible;
  double scale, shift;
  int64_t of(double x) const { return static_cast<int64_t>(std::nearbyint((x - shift) / scale)); }
};

// Euclid's algorithm for numbers with rounding errors. b is at least halved each time, or becomes
// NaN.
double common_measure(double a, double b, double rounding) {
  while (b > rounding) {
    const double rest = std::fabs(a - b * std::nearbyint(a / b));
    a = b;
    b = rest;
  }
  return a;
}

Steps steps_of(const Census &census) {
  if (census.overflowed) return {false, 1, 0};
  const double low = census.value[0], high = census.value[census.count - 1];
  if (census.count == 1) return {true, 1, low};
  double gap = high - low;
  for (int i = 1; i < census.count; ++i)
    gap = common_measure(gap, census.value[i] - low, 1e-9 * (high - low));
  const double steps = std::nearbyint((high - low) / gap);
  if (!(steps <= 255)) return {false, 1, 0};
  const Steps found = {true, (high - low) / steps, low};
  const double rounding = 0x1p-50 * std::fmax(std::fabs(low), std::fabs(high));
  for (int i = 0; i < census.count; ++i) {
    const double again = found.shift + found.scale * static_cast<double>(found.of(census.value[i]));
    if (!(std::fabs(again - census.value[i]) <= rounding)) return {false, 1, 0};
  }
  return found;
}

constexpr int64_t features_at_once = 8;

// Calls work(first feature, features, censuses) for all features, a few at a time.
template <class Work>
void take_census(const Source &x, int64_t n, int64_t features, Work work) {
  for (int64_t first = 0; first < features; first += features_at_once) {
    Census census[features_at_once];
    const int64_t count = std::min(features_at_once, features - first);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < count; ++j) census[j].add(x.at(i, first + j));
    work(first, count, census);
  }
}

int64_t groups_of(int64_t features) {
  return (features + sparse_group - 1) / sparse_group;
}

// True if a feature of the group differs from its shift in this row.
bool differs(const Source &x, int64_t row, int64_t group, int64_t features, const double *shift) {
  const int64_t end = std::min(features, (group + 1) * sparse_group);
  for (int64_t j = group * sparse_group; j < end; ++j)
    if (x.at(row, j) != shift[j]) return true;
  return false;
}

// Number of entries of a sparse store with these shifts.
int64_t count_entries(const Source &x, int64_t n, int64_t features, const double *shift) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t group = 0; group < groups_of(features); ++group)
      count += differs(x, i, group, features, shift);
  return count;
}

// Number of entries for a part of the features, with one shift for all or one for each.
int64_t count_entries_of(const Source &x, int64_t n, int64_t first, int64_t features,
                         const double *shift) {
  return count_entries({x.values + first * x.column_stride, x.row_stride, x.column_stride}, n,
                       features, shift);
}

}  // namespace

Source source_of(const double *values, int64_t rows, int64_t columns, MatrixOrder order) {
  if (order == MatrixOrder::row_major) return {values, columns, 1};
  return {values, 1, rows};
}

namespace {

// What is known about the inputs, feature by feature.
struct Survey {
  bool bytes = true;    // every feature has equal steps
  bool singles = true;  // all are single precision numbers
  int64_t entries = 0;  // of a sparse store that omits the most frequent value of each feature
};

Survey take_survey(const Source &x, int64_t n, int64_t features) {
  static_assert(features_at_once % sparse_group == 0, "groups must not be split");
  Survey survey;
  take_census(x, n, features, [&](int64_t first, int64_t count, const Census *census) {
    double common[features_at_once];
    for (int64_t j = 0; j < count; ++j) {
      survey.bytes = survey.bytes && steps_of(census[j]).possible;
      survey.singles = survey.singles && census[j].singles;
      common[j] = census[j].value[census[j].most_frequent()];
    }
    survey.entries += count_entries_of(x, n, first, count, common);
  });
  return survey;
}

// Steps that fit all features together.
Steps common_steps(const Source &x, int64_t n, int64_t features) {
  Census all;
  for (int64_t i = 0; i < n && !all.overflowed; ++i)
    for (int64_t j = 0; j < features; ++j) all.add(x.at(i, j));
  return steps_of(all);
}

int64_t count_common_entries(const Source &x, int64_t n, int64_t features, double shift) {
  int64_t count = 0;
  double shifts[features_at_once];
  std::fill_n(shifts, features_at_once, shift);
  for (int64_t first = 0; first < features; first += features_at_once)
    count += count_entries_of(x, n, first, std::min(features_at_once, features - first), shifts);
  return count;
}

// Sparse if it omits so many groups that it wins although an entry costs more than a row of a
// group.
StoreKind best_store(const Survey &survey, const Store &sparse, int64_t n, int64_t features) {
  const double groups = static_cast<double>(n) * static_cast<double>(groups_of(features));
  if (static_cast<double>(sparse.entries) < 0.7 * groups) return StoreKind::sparse;
  if (survey.bytes) return StoreKind::bytes;
  return survey.singles ? StoreKind::singles : StoreKind::doubles;
}

}  // namespace

namespace {

Status check_singles(const Source &x, int64_t n, int64_t features, Error *err) {
  constexpr double largest = std::numeric_limits<float>::max();
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < features; ++j)
      if (!(std::fabs(x.at(i, j)) <= largest))
        return fail(err, Status::bad_value,
                    "x: row %lld, column %lld is %g, expected at most %g for store 2 (singles)",
                    static_cast<long long>(i), static_cast<long long>(j), x.at(i, j), largest);
  return Status::ok;
}

}  // namespace

Status choose_store(int32_t wanted, const Source &x, int64_t n, int64_t features, Store *store,
                    Error *err) {
  *store = Store{};
  store->kind = static_cast<StoreKind>(wanted);
  if (store->kind == StoreKind::doubles) return Status::ok;
  if (store->kind == StoreKind::singles) return check_singles(x, n, features, err);
  const Steps common = common_steps(x, n, features);
  if (wanted == wanted_for_images && !common.possible) {
    *store = Store{};
    return Status::ok;
  }
  const Survey survey = common.possible ? Survey{} : take_survey(x, n, features);
  store->common = common.possible;
  store->scale = common.scale;
  store->shift = common.shift;
  store->entries =
      common.possible ? count_common_entries(x, n, features, common.shift) : survey.entries;
  if (wanted == wanted_for_dense) store->kind = best_store(survey, *store, n, features);
  if (wanted == wanted_for_images) store->kind = StoreKind::bytes;
  if (store->kind == StoreKind::bytes && !survey.bytes)
    return fail(err, Status::bad_value,
                "store = bytes: a feature is not of the form shift + scale * (0 ... 255), expected "
                "NNP_STORE_AUTO, which suits any inputs");
  return Status::ok;
}

void packing_layout(Arena &arena, const Tiling &tiling, int64_t features, const Store &store,
                    Packing &packing) {
  const int64_t rows = tiling.tiles * tiling.ld;
  if (store.kind == StoreKind::doubles) return;
  packing.tiles = arena.take<PackedTile>(tiling.tiles);
  if (store.kind == StoreKind::singles) {
    packing.singles = arena.take<float>(rows, features);
    return;
  }
  packing.scale = arena.take<double>(features);
  packing.shift = arena.take<double>(features);
  if (store.kind == StoreKind::bytes) {
    packing.bytes = arena.take<uint8_t>(rows, features);
    return;
  }
  packing.starts = arena.take<uint32_t>(tiling.tiles, groups_of(features) + 1);
  const int64_t entries = store.entries + tiling.tiles * groups_of(features);  // one more per group
  packing.rows = arena.take<uint8_t>(entries);
  if (store.common)
    packing.small = arena.take<uint8_t>(entries + entries_ahead + 2, sparse_group);
  else
    packing.values = arena.take<double>(entries, sparse_group);
}

namespace {

uint8_t small_number(double value, double scale, double shift);

void pack_tile(const Store &store, const Source &x, const Tiling &tiling, int64_t features,
               int64_t t, Packing &p) {
  const int64_t place = t * tiling.ld * features;
  for (int64_t j = 0; j < features; ++j)
    for (int64_t i = 0; i < tiling.rows(t); ++i) {
      const double value = x.at(t * tiling.ld + i, j);
      if (store.kind == StoreKind::singles)
        p.singles[place + j * tiling.ld + i] = static_cast<float>(value);
      else
        p.bytes[place + j * tiling.ld + i] = small_number(value, p.scale[j], p.shift[j]);
    }
}

uint8_t small_number(double value, double scale, double shift) {
  return static_cast<uint8_t>(std::nearbyint((value - shift) / scale));
}

void pack_entry(const Store &store, int64_t entry, int64_t k, double value, Packing &p) {
  if (store.common)
    p.small[sparse_group * entry + k] = small_number(value, store.scale, 0);
  else
    p.values[sparse_group * entry + k] = value;
}

// Packs one tile after the first `next` entries; returns the new number of entries.
int64_t pack_sparse_tile(const Store &store, const Source &x, const Tiling &tiling,
                         int64_t features, int64_t t, int64_t next, Packing &p) {
  uint32_t *starts = p.starts + t * (groups_of(features) + 1);
  const int64_t base = next;
  for (int64_t group = 0; group < groups_of(features); ++group) {
    starts[group] = static_cast<uint32_t>(next - base);
    for (int64_t i = 0; i < tiling.rows(t); ++i) {
      const int64_t row = t * tiling.ld + i;
      if (!differs(x, row, group, features, p.shift)) continue;
      p.rows[next] = static_cast<uint8_t>(i);
      for (int64_t k = 0; k < sparse_group; ++k) {
        const int64_t j = sparse_group * group + k;
        pack_entry(store, next, k, j < features ? x.at(row, j) - p.shift[j] : 0, p);
      }
      ++next;
    }
    if ((next - base) % 2 == 0) continue;
    p.rows[next] = 0;
    for (int64_t k = 0; k < sparse_group; ++k) pack_entry(store, next, k, 0, p);
    ++next;
  }
  starts[groups_of(features)] = static_cast<uint32_t>(next - base);
  return next;
}

}  // namespace

void pack(const Store &store, const Source &x, const Tiling &tiling, int64_t features, Packing &p) {
  if (p.scale && store.common) {
    std::fill_n(p.scale, features, store.scale);
    std::fill_n(p.shift, features, store.shift);
  } else if (p.scale) {
    const bool bytes = store.kind == StoreKind::bytes;
    take_census(x, tiling.n, features, [&](int64_t first, int64_t count, const Census *census) {
      for (int64_t j = 0; j < count; ++j) {
        const Steps steps = steps_of(census[j]);
        p.scale[first + j] = bytes ? steps.scale : 1;
        p.shift[first + j] = bytes ? steps.shift : census[j].value[census[j].most_frequent()];
      }
    });
  }
  int64_t next = 0;
  for (int64_t t = 0; t < tiling.tiles; ++t) {
    const int64_t place = t * tiling.ld * features;
    PackedTile tile = {};
    tile.kind = store.kind;
    tile.ld = tiling.ld;
    tile.scale = p.scale;
    tile.shift = p.shift;
    tile.same_scale = store.common;
    if (store.kind == StoreKind::sparse) {
      tile.starts = p.starts + t * (groups_of(features) + 1);
      tile.rows = p.rows + next;
      tile.small = store.common ? p.small + sparse_group * next : nullptr;
      tile.values = store.common ? nullptr : p.values + sparse_group * next;
      next = pack_sparse_tile(store, x, tiling, features, t, next, p);
    } else {
      tile.singles = p.singles ? p.singles + place : nullptr;
      tile.bytes = p.bytes ? p.bytes + place : nullptr;
      pack_tile(store, x, tiling, features, t, p);
    }
    p.tiles[t] = tile;
  }
}

}  // namespace nnp

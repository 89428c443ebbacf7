// A table of data and its fit, as the C API has them.
#pragma once

#include "capi/common.hpp"
#include "capi/nnpost_diagnostics.h"
#include "lib/network/standard.hpp"

namespace nnp {

// Values are pinned: plus a base they are NNP_TABLE_SEED, … of the header.
enum class TableSetting : int32_t {
  seed = 1,
  head = 2,
  activation = 3,
  posterior = 4,
  ard = 5,
  sampler = 6,
  start = 7,
  chains = 8,
  warmup = 9,
  draws = 10,
  thin = 11,
  threads = 12,
  stacking = 13,
  constant = 14,
};
constexpr int32_t table_settings = 14;
constexpr int64_t most_threads = 256;
constexpr int64_t most_table_chains = int64_t{1} << 20, most_table_steps = 1000000000000;

// Who gave chains their weights. Values are pinned: saved blocks contain them.
enum class WeightsFrom : int32_t { nobody = 0, stacking = 1, caller = 2 };  // nobody: all alike

// Outputs of a network that tells this number of classes apart: the sign of one tells two.
inline int64_t outputs_of_classes(int64_t classes) {
  return classes == 2 ? 1 : classes;
}

// What a fit has made: one block with all arrays, and a network.
struct Fitted {
  nnp_net *net;
  nnp_model model;
  nnp_recipe recipe;
  nnp_convergence convergence;
  nnp_loo_summary loo;
  int64_t rows, columns;
  int64_t targets, classes;  // one of them is 0
  int64_t parameters, draws, chains;
  bool signed_labels;  // -1 and +1 rather than 0 and 1
  bool stopped;        // it has fewer draws or chains than its recipe
  WeightsFrom weights_from;
  double *input_mean, *input_sd;    // [column]
  double *input_matrix;             // [column, column], of find_discriminant; null: none
  double *target_mean, *target_sd;  // [target]
  double *weights;                  // [chain]
  double *values;                   // [parameter, draw, chain]

  // Values of targets as the network has them.
  int64_t outputs() const { return classes == 0 ? targets : outputs_of_classes(classes); }
};

struct FittedSizes {
  int64_t columns, matrix, targets, parameters, draws, chains;
};
Status make_fitted(const FittedSizes &sizes, Fitted **out, Error *err);
void free_fitted(Fitted *fitted);

constexpr double recommended = NNP_RECOMMENDED;  // as the value of a setting

struct TableObject {
  double settings[table_settings + 1];  // by number, as the header has their values
  int64_t hidden[max_hidden];
  int64_t hidden_count;  // -1: as recommended
  int32_t options[recipe_options];
  double values[recipe_options];
  int64_t option_count;
  nnp_callback callback;
  void *user;
  Fitted *fitted;  // null before the first fit

  double operator[](TableSetting setting) const { return settings[static_cast<int32_t>(setting)]; }
  int64_t whole(TableSetting setting) const { return static_cast<int64_t>((*this)[setting]); }
  // Was it set?
  bool has(TableSetting setting) const { return (*this)[setting] != recommended; }
  // A constant, or 0 where the library is to choose.
  int32_t asked(TableSetting setting) const {
    return has(setting) ? static_cast<int32_t>((*this)[setting]) : 0;
  }
};

inline TableObject *unwrap(nnp_table *table) {
  return reinterpret_cast<TableObject *>(table);
}
inline const TableObject *unwrap(const nnp_table *table) {
  return reinterpret_cast<const TableObject *>(table);
}

// Another fit takes the place of the one that the table has.
void replace_fitted(TableObject &table, Fitted *fitted);
// The caller's matrix of n rows; messages call it `name`.
Status take_columns(const double *x, int64_t n, int64_t columns, int32_t order, const char *name,
                    Table *out, Error *err);
// Reserved fields, warm-up and options of a recipe, for a sampler of a network.
Status check_recipe(const nnp_recipe *recipe, SamplerKind sampler, PosteriorKind posterior,
                    const Net &net, Error *err);
// How many classes labels have, and whether they are -1 and +1.
struct Coding {
  int64_t classes;
  bool with_sign;
};
// Labels of which some are negative: an error unless all are -1 and +1.
Status check_signs(const int32_t *labels, int64_t n, Error *err);
// A table that was fitted.
Status need_fitted(const nnp_table *table, Error *err);

// ---- calls of the API from inside --------------------------------------------------------------

// A call of the API, its failure handed on.
template <class... P, class... A>
Status call(Error *err, int32_t (*function)(P...), A... arguments) {
  nnp_error told = {};
  const int32_t status = function(arguments..., &told);
  if (status == NNP_OK) return Status::ok;
  return fail(err, static_cast<Status>(status), "%s", told.message);
}

// An object of the API that goes when this does.
template <class T, void (*Free)(T *)>
struct Owned {
  T *handle = nullptr;

  Owned() = default;
  ~Owned() { Free(handle); }
  Owned(const Owned &) = delete;
  Owned &operator=(const Owned &) = delete;

  T *release() {
    T *given = handle;
    handle = nullptr;
    return given;
  }
};

// Room for some values that goes when this does.
template <class T>
struct Room {
  T *values = nullptr;

  Room() = default;
  ~Room() { free_block(values); }
  Room(const Room &) = delete;
  Room &operator=(const Room &) = delete;

  Status take_bytes(size_t bytes, Error *err) {
    values = static_cast<T *>(take_block(bytes > 0 ? bytes : 1));
    if (values) return Status::ok;
    return fail(err, Status::out_of_memory, "memory: the system has no block of %zu bytes", bytes);
  }
  // a * b * c values.
  Status take(int64_t a, int64_t b, int64_t c, Error *err) {
    int64_t bytes = 0;
    if (__builtin_mul_overflow(a, b, &bytes) || __builtin_mul_overflow(bytes, c, &bytes) ||
        __builtin_mul_overflow(bytes, int64_t{sizeof(T)}, &bytes))
      return fail(err, Status::size_overflow,
                  "sizes: %lld x %lld x %lld values are more bytes than memory can address", ll(a),
                  ll(b), ll(c));
    return take_bytes(static_cast<size_t>(bytes), err);
  }
};

using OwnedPredictor = Owned<nnp_predictor, nnp_predictor_free>;
using OwnedData = Owned<nnp_data, nnp_data_free>;
using OwnedPool = Owned<nnp_pool, nnp_pool_free>;

// A pool of as many threads as the table is to use for `most` pieces of work; none if that is one.
Status make_pool(const TableObject &table, int64_t most, OwnedPool &pool, Error *err);
// Has the predictor use the pool, if there is one; `helpers` is the room that its threads need.
Status share_out(nnp_predictor *predictor, const OwnedPool &pool, Room<char> &helpers, Error *err);

// Rows as the network of the fit takes them; y and labels may be null.
struct TableRows {
  const double *x, *y;
  const int32_t *labels;
  int64_t rows;
  int32_t order;
};
Status make_data(const Fitted &fitted, const TableRows &given, OwnedData &data, Error *err);
// A predictor of the fit's posterior in its units, for all its draws and with the weights of their
// chains; or, for functions that treat every draw by itself, with room for one and no weights.
Status make_predictor(const Fitted &fitted, bool weighed, OwnedPredictor &predictor, Error *err);

}  // namespace nnp

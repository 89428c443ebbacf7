// Data and thread pools of the C API.
#include "capi/common.hpp"

using namespace nnp;

namespace {

constexpr int64_t max_threads = 256;

auto data_layout_for(nnp_data **data, int64_t n, int64_t features, int64_t outputs) {
  return [=](Arena &arena) {
    Data *made = data_layout(arena, n, features, outputs);
    if (made) *data = reinterpret_cast<nnp_data *>(made);
  };
}

Status check_sizes(int64_t n, int64_t features, int64_t outputs, Error *e) {
  NNP_TRY(need_size(n, 1, max_size, "n", e));
  NNP_TRY(need_size(features, 1, max_size, "features", e));
  NNP_TRY(need_size(outputs, 0, max_size, "outputs", e));
  if (!overflows(data_layout_for(nullptr, n, features, outputs))) return Status::ok;
  return fail(e, Status::size_overflow,
              "n = %lld, features = %lld, outputs = %lld: more bytes than memory can address",
              ll(n), ll(features), ll(outputs));
}

auto pool_layout_for(nnp_pool **pool, int64_t threads) {
  return [=](Arena &arena) {
    Pool *made = pool_layout(arena, threads);
    if (made) *pool = reinterpret_cast<nnp_pool *>(made);
  };
}

Status check_order(int32_t order, Error *e) {
  if (order == NNP_ROW_MAJOR || order == NNP_COLUMN_MAJOR) return Status::ok;
  return fail(e, Status::bad_enum, "order = %d: expected NNP_ROW_MAJOR or NNP_COLUMN_MAJOR",
              static_cast<int>(order));
}

}  // namespace

int32_t nnp_data_create(nnp_data **data, int64_t n, int64_t features, int64_t outputs,
                        nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(data, "data", e));
    NNP_TRY(check_sizes(n, features, outputs, e));
    return build_on_heap(data_layout_for(data, n, features, outputs), e);
  });
}

void nnp_data_free(nnp_data *data) {
  std::free(data);
}

int32_t nnp_data_bytes(int64_t n, int64_t features, int64_t outputs, size_t *bytes,
                       nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(bytes, "bytes", e));
    NNP_TRY(check_sizes(n, features, outputs, e));
    return count_bytes(data_layout_for(nullptr, n, features, outputs), bytes, e);
  });
}

int32_t nnp_data_init(nnp_data **data, void *memory, size_t bytes, int64_t n, int64_t features,
                      int64_t outputs, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(data, "data", e));
    NNP_TRY(check_sizes(n, features, outputs, e));
    return build_in(memory, bytes, data_layout_for(data, n, features, outputs), e);
  });
}

int32_t nnp_data_set_inputs(nnp_data *data, const double *x, int32_t order, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(data, "data", e));
    NNP_TRY(need(x, "x", e));
    NNP_TRY(check_order(order, e));
    return data_set_inputs(*unwrap(data), x, static_cast<MatrixOrder>(order), e);
  });
}

int32_t nnp_data_set_targets(nnp_data *data, const double *y, int32_t order, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(data, "data", e));
    NNP_TRY(need(y, "y", e));
    NNP_TRY(check_order(order, e));
    return data_set_targets(*unwrap(data), y, static_cast<MatrixOrder>(order), e);
  });
}

int32_t nnp_data_set_labels(nnp_data *data, const int32_t *labels, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(data, "data", e));
    NNP_TRY(need(labels, "labels", e));
    return data_set_labels(*unwrap(data), labels, e);
  });
}

int32_t nnp_pool_create(nnp_pool **pool, int64_t threads, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(pool, "pool", e));
    NNP_TRY(need_index(threads, 1, max_threads, "threads", e));
    nnp_pool *made = nullptr;
    NNP_TRY(build_on_heap(pool_layout_for(&made, threads), e));
    const Status status = pool_open(unwrap(made), threads, e);
    if (status == Status::ok)
      *pool = made;
    else
      std::free(made);
    return status;
  });
}

void nnp_pool_free(nnp_pool *pool) {
  nnp_pool_close(pool);
  std::free(pool);
}

int32_t nnp_pool_bytes(int64_t threads, size_t *bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(bytes, "bytes", e));
    NNP_TRY(need_index(threads, 1, max_threads, "threads", e));
    return count_bytes(pool_layout_for(nullptr, threads), bytes, e);
  });
}

int32_t nnp_pool_init(nnp_pool **pool, void *memory, size_t bytes, int64_t threads,
                      nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(pool, "pool", e));
    NNP_TRY(need_index(threads, 1, max_threads, "threads", e));
    nnp_pool *made = nullptr;
    NNP_TRY(build_in(memory, bytes, pool_layout_for(&made, threads), e));
    NNP_TRY(pool_open(unwrap(made), threads, e));
    *pool = made;
    return Status::ok;
  });
}

void nnp_pool_close(nnp_pool *pool) {
  if (pool) pool_close(unwrap(pool));
}

// Data and thread pools of the C API.
#include "capi/common.hpp"

using namespace nnp;

namespace {

constexpr int64_t max_threads = 256;

auto data_layout_for(nnp_data **data, int64_t n, int64_t features, int64_t outputs,
                     const Store &store = Store{}) {
  return [=](Arena &arena) {
    Data *made = data_layout(arena, n, features, outputs, store);
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
    if (unwrap(data)->store.kind != StoreKind::doubles)
      return fail(e, Status::unsupported,
                  "data: its inputs are packed (store %d) and stay as they are, expected data made "
                  "by nnp_data_create",
                  static_cast<int>(unwrap(data)->store.kind));
    return data_set_inputs(*unwrap(data), x, static_cast<MatrixOrder>(order), e);
  });
}

namespace {

// Checks the inputs and finds how to keep them.
Status store_for(const nnp_inputs *inputs, int64_t outputs, Store *store, Error *e) {
  NNP_TRY(need(inputs, "inputs", e));
  NNP_TRY(need(inputs->x, "inputs.x", e));
  NNP_TRY(need_unused(inputs->reserved, 4, "inputs", e));
  NNP_TRY(check_sizes(inputs->n, inputs->features, outputs, e));
  NNP_TRY(check_order(inputs->order, e));
  if (inputs->store < NNP_STORE_AUTO || inputs->store > NNP_STORE_AUTO_IMAGES)
    return fail(e, Status::bad_enum,
                "inputs.store = %d: expected NNP_STORE_AUTO to NNP_STORE_AUTO_IMAGES",
                static_cast<int>(inputs->store));
  const MatrixOrder order = static_cast<MatrixOrder>(inputs->order);
  NNP_TRY(data_check_inputs(inputs->x, inputs->n, inputs->features, order, e));
  return choose_store(inputs->store, source_of(inputs->x, inputs->n, inputs->features, order),
                      inputs->n, inputs->features, store, e);
}

Status fill_from(nnp_data *data, const nnp_inputs *inputs, Error *e) {
  return data_set_inputs(*unwrap(data), inputs->x, static_cast<MatrixOrder>(inputs->order), e);
}

}  // namespace

int32_t nnp_data_create_from(nnp_data **data, const nnp_inputs *inputs, int64_t outputs,
                             nnp_error *err) {
  return guarded(err, [&](Error *e) {
    Store store;
    NNP_TRY(need(data, "data", e));
    NNP_TRY(store_for(inputs, outputs, &store, e));
    NNP_TRY(build_on_heap(data_layout_for(data, inputs->n, inputs->features, outputs, store), e));
    return fill_from(*data, inputs, e);
  });
}

int32_t nnp_data_bytes_from(const nnp_inputs *inputs, int64_t outputs, size_t *bytes,
                            nnp_error *err) {
  return guarded(err, [&](Error *e) {
    Store store;
    NNP_TRY(need(bytes, "bytes", e));
    NNP_TRY(store_for(inputs, outputs, &store, e));
    return count_bytes(data_layout_for(nullptr, inputs->n, inputs->features, outputs, store), bytes,
                       e);
  });
}

int32_t nnp_data_init_from(nnp_data **data, void *memory, size_t bytes, const nnp_inputs *inputs,
                           int64_t outputs, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    Store store;
    NNP_TRY(need(data, "data", e));
    NNP_TRY(store_for(inputs, outputs, &store, e));
    NNP_TRY(build_in(memory, bytes,
                     data_layout_for(data, inputs->n, inputs->features, outputs, store), e));
    return fill_from(*data, inputs, e);
  });
}

int32_t nnp_data_store(const nnp_data *data, int32_t *store, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(data, "data", e));
    NNP_TRY(need(store, "store", e));
    *store = static_cast<int32_t>(unwrap(data)->store.kind);
    return Status::ok;
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

int32_t nnp_data_targets(const nnp_data *data, double *y, int32_t order, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(data, "data", e));
    NNP_TRY(need(y, "y", e));
    NNP_TRY(check_order(order, e));
    return data_targets(*unwrap(data), y, static_cast<MatrixOrder>(order), e);
  });
}

int32_t nnp_data_labels(const nnp_data *data, int32_t *labels, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(data, "data", e));
    NNP_TRY(need(labels, "labels", e));
    return data_labels(*unwrap(data), labels, e);
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

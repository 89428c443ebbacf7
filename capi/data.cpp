// Data and thread pools of the C API.
#include "capi/families.hpp"

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
  nnp::free_block(data);
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

namespace {

// ---- rows over ranks -------------------------------------------------------------------------

Tiling tiling_of(int64_t total, int64_t blocks) {
  return blocks == 0 ? Tiling::of(total) : Tiling::in_blocks(total, blocks);
}

Status check_cut(int64_t total, int64_t blocks, Error *e) {
  NNP_TRY(need_size(total, 1, max_size, "total", e));
  return need_index(blocks, 0, max_row_blocks, "blocks", e);
}

// Finds the block that starts with this row; if there is none, the error names the nearest ones.
Status find_block(const Tiling &all, int64_t row, const char *name, int64_t *block, Error *e) {
  int64_t low = 0, high = all.all_blocks;  // row_of_block(low) <= row
  while (low < high) {
    const int64_t middle = low + (high - low + 1) / 2;
    all.row_of_block(middle) <= row ? low = middle : high = middle - 1;
  }
  *block = low;
  if (all.row_of_block(low) == row) return Status::ok;
  return fail(e, Status::bad_value,
              "rows: %s row %lld is inside block %lld, expected %lld or %lld (see nnp_rows_split)",
              name, ll(row), ll(low), ll(all.row_of_block(low)), ll(all.row_of_block(low + 1)));
}

// Finds this rank's part.
Status find_part(const nnp_rows *rows, const Comm &comm, Tiling *part, Error *e) {
  NNP_TRY(need(rows, "rows", e));
  NNP_TRY(need_unused(rows->reserved, 4, "rows", e));
  NNP_TRY(check_cut(rows->total, rows->blocks, e));
  const Tiling all = tiling_of(rows->total, rows->blocks);
  if (all.all_blocks < comm.size)
    return fail(e, Status::bad_value,
                "rows: %lld rows make %lld blocks, expected one or more for each of %d ranks",
                ll(rows->total), ll(all.all_blocks), static_cast<int>(comm.size));
  NNP_TRY(need_size(rows->count, 1, rows->total, "rows.count", e));
  NNP_TRY(need_index(rows->first, 0, rows->total - rows->count, "rows.first", e));
  int64_t first = 0, last = 0;
  NNP_TRY(find_block(all, rows->first, "the first", &first, e));
  NNP_TRY(find_block(all, rows->first + rows->count, "the one after the last, ", &last, e));
  *part = all.part(first, last - first);
  return Status::ok;
}

auto rows_layout_for(nnp_data **data, const Tiling &part, int32_t ranks, int64_t features,
                     int64_t outputs) {
  return [=](Arena &arena) {
    Data *made = data_layout(arena, part, ranks, features, outputs);
    if (made) *data = reinterpret_cast<nnp_data *>(made);
  };
}

struct RowsPlan {
  const nnp_rows *rows;
  int64_t features, outputs;
};

Status check_plan(const RowsPlan &plan, const Comm &comm, Tiling *part, Error *e) {
  NNP_TRY(find_part(plan.rows, comm, part, e));
  return check_sizes(part->n, plan.features, plan.outputs, e);
}

// Builds the object with build(part), then meets the other ranks, which are told of a failure.
template <class Build>
Status open_rows(nnp_data **data, const RowsPlan &plan, const nnp_comm *given, Build build,
                 Error *e) {
  Comm comm;
  NNP_TRY(take_comm(given, &comm, e));
  Tiling part;
  Status status = need(data, "data", e);
  if (status == Status::ok) status = check_plan(plan, comm, &part, e);
  if (status == Status::ok) status = build(part, comm);
  Common common;
  common.version = comm.version;
  for (int64_t value : {int64_t{comm.size}, int64_t{comm.checked}, plan.features, plan.outputs,
                        plan.rows ? plan.rows->total : 0, plan.rows ? plan.rows->blocks : 0})
    common.call = hash_value(common.call, value);
  if (status != Status::ok) return comm_agree(comm, common, status, e);
  return rows_open(*unwrap(*data)->rows, comm, part.block_offset, part.blocks, common, status, e);
}

}  // namespace

int32_t nnp_rows_split(const nnp_comm *comm, int64_t total, int64_t blocks, nnp_rows *rows,
                       nnp_error *err) {
  return guarded(err, [&](Error *e) {
    Comm taken;
    NNP_TRY(need(rows, "rows", e));
    NNP_TRY(take_comm(comm, &taken, e));
    NNP_TRY(check_cut(total, blocks, e));
    const Tiling all = tiling_of(total, blocks);
    if (all.all_blocks < taken.size)
      return fail(e, Status::bad_value,
                  "total = %lld, blocks = %lld: they make %lld blocks, expected one or more for "
                  "each of %d ranks",
                  ll(total), ll(blocks), ll(all.all_blocks), static_cast<int>(taken.size));
    const Portion mine = even_blocks(taken.size, taken.rank, all.all_blocks);
    const Tiling part = all.part(mine.first, mine.count());
    *rows = {total, part.first_row(), part.n, blocks, {}};
    return Status::ok;
  });
}

int32_t nnp_rows_of_block(int64_t total, int64_t blocks, int64_t block, int64_t *first,
                          int64_t *count, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_cut(total, blocks, e));
    const Tiling all = tiling_of(total, blocks);
    NNP_TRY(need_index(block, 0, all.all_blocks, "block", e));
    if (first) *first = all.row_of_block(block);
    if (count) *count = all.all_blocks;
    return Status::ok;
  });
}

int32_t nnp_data_create_rows(nnp_data **data, const nnp_rows *rows, const nnp_comm *comm,
                             int64_t features, int64_t outputs, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    nnp_data *made = nullptr;
    const auto build = [&](const Tiling &part, const Comm &taken) {
      return build_on_heap(rows_layout_for(&made, part, taken.size, features, outputs), e);
    };
    const Status given = need(data, "data", e);
    if (given != Status::ok) return given;
    const Status status = open_rows(&made, {rows, features, outputs}, comm, build, e);
    if (status == Status::ok)
      *data = made;
    else
      std::free(made);
    return status;
  });
}

int32_t nnp_data_bytes_rows(const nnp_rows *rows, const nnp_comm *comm, int64_t features,
                            int64_t outputs, size_t *bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    Comm taken;
    Tiling part;
    NNP_TRY(need(bytes, "bytes", e));
    NNP_TRY(take_comm(comm, &taken, e));
    NNP_TRY(check_plan({rows, features, outputs}, taken, &part, e));
    return count_bytes(rows_layout_for(nullptr, part, taken.size, features, outputs), bytes, e);
  });
}

int32_t nnp_data_init_rows(nnp_data **data, void *memory, size_t bytes, const nnp_rows *rows,
                           const nnp_comm *comm, int64_t features, int64_t outputs,
                           nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(data, "data", e));
    nnp_data *made = nullptr;
    const auto build = [&](const Tiling &part, const Comm &taken) {
      return build_in(memory, bytes, rows_layout_for(&made, part, taken.size, features, outputs),
                      e);
    };
    NNP_TRY(open_rows(&made, {rows, features, outputs}, comm, build, e));
    *data = made;
    return Status::ok;
  });
}

int32_t nnp_data_set_inputs(nnp_data *data, const double *x, int32_t order, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(data, "data", e));
    const auto set = [&] {
      MatrixOrder by = MatrixOrder::row_major;
      NNP_TRY(need(x, "x", e));
      NNP_TRY(take(order, "order", &by, e));
      if (unwrap(data)->store.kind != StoreKind::doubles)
        return fail(e, Status::unsupported,
                    "data: its inputs are packed and stay as they are, expected data made by "
                    "nnp_data_create");
      return data_set_inputs(*unwrap(data), x, by, e);
    };
    return rows_agree(unwrap(data)->rows, set(), e);
  });
}

namespace {

// Checks the inputs and chooses how to store them.
Status store_for(const nnp_inputs *inputs, int64_t outputs, Store *store, Error *e) {
  MatrixOrder order = MatrixOrder::row_major;
  StoreChoice choice = StoreChoice::automatic;
  NNP_TRY(need(inputs, "inputs", e));
  NNP_TRY(need(inputs->x, "inputs.x", e));
  NNP_TRY(need_unused(inputs->reserved, 4, "inputs", e));
  NNP_TRY(check_sizes(inputs->n, inputs->features, outputs, e));
  NNP_TRY(take(inputs->order, "inputs.order", &order, e));
  NNP_TRY(take(inputs->store, "inputs.store", &choice, e));
  NNP_TRY(data_check_inputs(inputs->x, inputs->n, inputs->features, order, e));
  return choose_store(static_cast<int32_t>(choice),
                      source_of(inputs->x, inputs->n, inputs->features, order), inputs->n,
                      inputs->features, store, e);
}

Status fill_from(nnp_data *data, const nnp_inputs *inputs, Error *e) {
  MatrixOrder order = MatrixOrder::row_major;
  NNP_TRY(take(inputs->order, "inputs.order", &order, e));
  return data_set_inputs(*unwrap(data), inputs->x, order, e);
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
    *store = number_of(static_cast<StoreChoice>(unwrap(data)->store.kind));
    return Status::ok;
  });
}

int32_t nnp_data_set_targets(nnp_data *data, const double *y, int32_t order, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(data, "data", e));
    const auto set = [&] {
      MatrixOrder by = MatrixOrder::row_major;
      NNP_TRY(need(y, "y", e));
      NNP_TRY(take(order, "order", &by, e));
      return data_set_targets(*unwrap(data), y, by, e);
    };
    return rows_agree(unwrap(data)->rows, set(), e);
  });
}

int32_t nnp_data_set_labels(nnp_data *data, const int32_t *labels, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(data, "data", e));
    const auto set = [&] {
      NNP_TRY(need(labels, "labels", e));
      return data_set_labels(*unwrap(data), labels, e);
    };
    return rows_agree(unwrap(data)->rows, set(), e);
  });
}

int32_t nnp_data_targets(const nnp_data *data, double *y, int32_t order, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(data, "data", e));
    NNP_TRY(need(y, "y", e));
    MatrixOrder by = MatrixOrder::row_major;
    NNP_TRY(take(order, "order", &by, e));
    return data_targets(*unwrap(data), y, by, e);
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
      nnp::free_block(made);
    return status;
  });
}

void nnp_pool_free(nnp_pool *pool) {
  nnp_pool_close(pool);
  nnp::free_block(pool);
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

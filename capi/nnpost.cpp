// Version, statuses, build information.
#include "capi/nnpost.h"

#include "capi/common.hpp"
#include "lib/base/functions.hpp"
#include "lib/linalg/blas.hpp"

namespace {

using nnp::Status;

struct StatusRow {
  Status status;
  int32_t number;
  const char *name;
};

#define ROW(status, number) \
  { Status::status, number, #number }
constexpr StatusRow rows[] = {
    ROW(ok, NNP_OK),
    ROW(null_argument, NNP_E_NULL),
    ROW(bad_size, NNP_E_SIZE),
    ROW(size_overflow, NNP_E_OVERFLOW),
    ROW(not_finite, NNP_E_NOT_FINITE),
    ROW(bad_label, NNP_E_LABEL),
    ROW(bad_value, NNP_E_VALUE),
    ROW(bad_shape, NNP_E_SHAPE),
    ROW(memory_too_small, NNP_E_MEMORY_SIZE),
    ROW(memory_misaligned, NNP_E_MEMORY_ALIGNMENT),
    ROW(head_misplaced, NNP_E_HEAD_MISPLACED),
    ROW(second_head, NNP_E_SECOND_HEAD),
    ROW(no_layers, NNP_E_NO_LAYERS),
    ROW(no_head, NNP_E_NO_HEAD),
    ROW(save_truncated, NNP_E_SAVE_TRUNCATED),
    ROW(save_corrupted, NNP_E_SAVE_CORRUPTED),
    ROW(save_version, NNP_E_SAVE_VERSION),
    ROW(save_other_network, NNP_E_SAVE_NETWORK),
    ROW(bad_option, NNP_E_OPTION),
    ROW(bad_enum, NNP_E_ENUM),
    ROW(unsupported, NNP_E_UNSUPPORTED),
    ROW(numeric, NNP_E_NUMERIC),
    ROW(not_started, NNP_E_NOT_STARTED),
    ROW(stopped, NNP_STOPPED),
    ROW(out_of_memory, NNP_E_OUT_OF_MEMORY),
    ROW(net_full, NNP_E_NET_FULL),
    ROW(buffer_too_small, NNP_E_BUFFER_SIZE),
    ROW(thread_failed, NNP_E_THREAD),
    ROW(no_targets, NNP_E_NO_DATA),
    ROW(save_other_data, NNP_E_SAVE_DATA),
    ROW(infeasible, NNP_E_INFEASIBLE),
    ROW(comm_failed, NNP_E_COMM),
    ROW(ranks_disagree, NNP_E_RANKS),
    ROW(file_failed, NNP_E_FILE),
};
#undef ROW

constexpr int32_t row_count = static_cast<int32_t>(sizeof rows / sizeof *rows);

constexpr bool header_agrees() {
  for (int32_t i = 0; i < row_count; ++i)
    if (rows[i].number != i || static_cast<int32_t>(rows[i].status) != i) return false;
  return true;
}
static_assert(header_agrees(), "the statuses of the header and of the core must be the same");
static_assert(sizeof(nnp_error) == sizeof(nnp::Error), "an error is copied as it is");

const char *built_levels() {
  if (nnp::simd_runs(nnp::Simd::neon)) return "portable neon";
  if (nnp::simd_runs(nnp::Simd::avx512)) return "portable avx2 avx512";
  return nnp::simd_runs(nnp::Simd::avx2) ? "portable avx2" : "portable";
}

// Which kernels do the dense work of a chain by default.
const char *served_by() {
  switch (nnp::default_engine().provider) {
    case nnp::Provider::shared:
      return "our kernels, BLAS where it is faster";
    case nnp::Provider::blas:
      return "BLAS";
    default:
      return "our kernels";
  }
}

}  // namespace

const char *nnp_status_name(int32_t status) {
  return status >= 0 && status < row_count ? rows[status].name : "unknown";
}

const char *nnp_version(void) {
  return NNP_VERSION;
}

int32_t nnp_abi_version(void) {
  return NNP_ABI_VERSION;
}

#if defined(__clang__)
constexpr const char *compiler = "clang " __clang_version__;
#else
constexpr const char *compiler = "gcc " __VERSION__;
#endif

int32_t nnp_build_info(char *buffer, size_t size, nnp_error *err) {
  return nnp::guarded(err, [&](nnp::Error *e) {
    NNP_TRY(nnp::need(buffer, "buffer", e));
    const int length = std::snprintf(
        buffer, size,
        "version: %s\nabi: %d\ncompiler: %s\nsimd usable: %s\nsimd: %s\nthreads: %s\n"
        "blas: %s\nblas core: %s\nblas threads: %d\ndense work: %s\nmath: %s\n",
        NNP_VERSION, NNP_ABI_VERSION, compiler, built_levels(), nnp::simd_name(nnp::Simd::best),
        nnp::pool_has_threads() ? "yes" : "no", nnp::blas_present() ? nnp::blas_config() : "none",
        nnp::blas_core_name(), nnp::blas_threads(), served_by(), nnp::fn::own() ? "own" : "libm");
    if (static_cast<size_t>(length) < size) return Status::ok;
    return nnp::fail(e, Status::buffer_too_small, "size = %zu: expected at least %d", size,
                     length + 1);
  });
}

// The possible outcomes of a library call, and the message that goes with a failure.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>

// The compiler checks messages against their arguments; on Windows, by the rules of C99.
#if defined(__MINGW32__)
#define NNP_PRINTF(sentence, first) __attribute__((format(gnu_printf, sentence, first)))
#else
#define NNP_PRINTF(sentence, first) __attribute__((format(printf, sentence, first)))
#endif

namespace nnp {

// Values are pinned: they are the NNP_* statuses of the C header, never reused.
enum class Status : int32_t {
  ok = 0,
  null_argument = 1,
  bad_size = 2,
  size_overflow = 3,
  not_finite = 4,
  bad_label = 5,
  bad_value = 6,
  bad_shape = 7,
  memory_too_small = 8,
  memory_misaligned = 9,
  head_misplaced = 10,
  second_head = 11,
  no_layers = 12,
  no_head = 13,
  save_truncated = 14,
  save_corrupted = 15,
  save_version = 16,
  save_other_network = 17,
  bad_option = 18,
  bad_enum = 19,
  unsupported = 20,
  numeric = 21,
  not_started = 22,
  stopped = 23,
  out_of_memory = 24,
  net_full = 25,
  buffer_too_small = 26,
  thread_failed = 27,
  no_targets = 28,
  save_other_data = 29,
  infeasible = 30,
  comm_failed = 31,
  ranks_disagree = 32,
  file_failed = 33,
};

struct Error {
  Status status;
  char message[252];
};

// Casts a number for %lld in a message.
inline long long ll(int64_t value) {
  return static_cast<long long>(value);
}

// Writes the message, if err is not null, and returns the status: return fail(err, ...).
NNP_PRINTF(3, 4) inline Status fail(Error *err, Status status, const char *format, ...) {
  if (err) {
    err->status = status;
    va_list args;
    va_start(args, format);
    std::vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
  }
  return status;
}

}  // namespace nnp

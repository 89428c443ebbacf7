// Text for the caller's buffer; it may be longer than the buffer.
#pragma once

#include <cstdarg>
#include <cstdio>

#include "lib/base/status.hpp"

namespace nnp {

struct Text {
  char *buffer;
  size_t size, length;

  // Counts like snprintf.
  NNP_PRINTF(2, 3) void add(const char *format, ...) {
    va_list args;
    va_start(args, format);
    const size_t room = length < size ? size - length : 0;
    const int more = std::vsnprintf(room ? buffer + length : nullptr, room, format, args);
    va_end(args);
    if (more > 0) length += static_cast<size_t>(more);
  }
  // Adds a number with `decimals` decimals; one of 1e6 or more takes 9 characters at most.
  void add_number(double value, int decimals) {
    if (value < 1e6)
      add("%.*f", decimals, value);
    else
      add("%.3g", value);
  }
  // Number `index` of `count` alternatives: "a, b or c".
  void add_alternative(const char *name, int64_t index, int64_t count) {
    add("%s%s", index == 0 ? "" : index == count - 1 ? " or " : ", ", name);
  }
  Status finish(Error *e) const {
    if (length < size) return Status::ok;
    return fail(e, Status::buffer_too_small, "size = %zu: expected at least %zu", size, length + 1);
  }
};

}  // namespace nnp

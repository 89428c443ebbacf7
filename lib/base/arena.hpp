// One block of the caller's memory, divided up in order. A layout function runs twice over the same
// code: on a counting arena it finds the size, on a carving arena it gets the pieces.
#pragma once

#include <cstddef>
#include <cstdint>

// gcc defines a macro, clang has a feature test.
#if defined(__SANITIZE_ADDRESS__)
#define NNP_RED_ZONES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NNP_RED_ZONES 1
#endif
#endif
#ifndef NNP_RED_ZONES
#define NNP_RED_ZONES 0
#endif

#if NNP_RED_ZONES
#include <sanitizer/asan_interface.h>
#endif

namespace nnp {

class Arena {
 public:
  static constexpr size_t alignment = 64;
// Under the address sanitizer there are gaps between pieces, and touching them is an error.
#if NNP_RED_ZONES
  static constexpr size_t gap = 64;
#else
  static constexpr size_t gap = 0;
#endif

  Arena() = default;  // counts only
  Arena(void *memory, size_t bytes) : base_(static_cast<unsigned char *>(memory)), size_(bytes) {
    allow(0, size_);
  }

  // Memory for `count` values of T, 64-byte aligned; nullptr while counting or when the block is
  // full.
  template <class T>
  T *take(int64_t count) {
    static_assert(alignof(T) <= alignment, "over-aligned type");
    size_t bytes = 0;
    if (count < 0 || __builtin_mul_overflow(static_cast<size_t>(count), sizeof(T), &bytes))
      return overflow<T>();
    const size_t apart = used_ == 0 ? 0 : gap;
    const size_t start = (used_ + apart + alignment - 1) / alignment * alignment;
    size_t end = 0;
    if (start < used_ || __builtin_add_overflow(start, bytes, &end)) return overflow<T>();
    const size_t before = used_;
    used_ = end;
    if (!base_ || end > size_) return nullptr;
    forbid(before, start);
    return reinterpret_cast<T *>(base_ + start);
  }

  // Memory for rows x columns values.
  template <class T>
  T *take(int64_t rows, int64_t columns) {
    int64_t count = 0;
    return take<T>(__builtin_mul_overflow(rows, columns, &count) ? -1 : count);
  }

  bool counting() const {
    return !base_;
  }
  // True if the requested sizes exceed what memory can address.
  bool overflowed() const {
    return overflowed_;
  }
  size_t used() const {
    return used_;
  }
  bool fits() const {
    return !overflowed_ && used_ <= size_;
  }

 private:
  template <class T>
  T *overflow() {
    overflowed_ = true;
    return nullptr;
  }

#if NNP_RED_ZONES
  void allow(size_t from, size_t to) {
    __asan_unpoison_memory_region(base_ + from, to - from);
  }
  void forbid(size_t from, size_t to) {
    __asan_poison_memory_region(base_ + from, to - from);
  }
#else
  void allow(size_t, size_t) {}
  void forbid(size_t, size_t) {}
#endif

  unsigned char *base_ = nullptr;
  size_t size_ = 0;
  size_t used_ = 0;
  bool overflowed_ = false;
};

}  // namespace nnp

// One block of caller's memory, carved in order. A layout function runs twice over the same code:
// on a counting arena it learns the size, on a carving arena it gets the pieces.
#pragma once

#include <cstddef>
#include <cstdint>

// gcc defines a macro, clang has a feature.
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
// Under the address sanitizer pieces lie apart, and touching what is between them is an error.
#if NNP_RED_ZONES
  static constexpr size_t gap = 64;
#else
  static constexpr size_t gap = 0;
#endif

  Arena() = default;  // counts only
  Arena(void *memory, size_t bytes) : base_(static_cast<unsigned char *>(memory)), size_(bytes) {
    allow(0, size_);
  }

  // Room for `count` values of T, 64-byte aligned; nullptr while counting or once out of room.
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

  // Room for rows x columns values.
  template <class T>
  T *take(int64_t rows, int64_t columns) {
    int64_t count = 0;
    return take<T>(__builtin_mul_overflow(rows, columns, &count) ? -1 : count);
  }

  bool counting() const {
    return !base_;
  }
  // Sizes beyond what memory can address were asked for.
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

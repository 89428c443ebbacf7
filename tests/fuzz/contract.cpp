// What the targets share: how a broken contract is told, when an input hangs, and the allocations of the library, which
// are counted and may be made to fail (the linker puts these functions in their places).
#include "tests/fuzz/contract.hpp"

#include <sys/time.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "tests/fuzz/target.hpp"

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

namespace fuzz {

const char *current_input = "";
std::atomic<int64_t> allocations{0};
int64_t fail_in = 0;

void broken(const char *format, ...) {
  std::fprintf(stderr, "BROKEN CONTRACT %s: ", current_input);
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::fputc('\n', stderr);
  std::abort();
}

namespace {

void set_timer(unsigned seconds) {
  const itimerval timer = {{0, 0}, {static_cast<time_t>(seconds), 0}};
  setitimer(ITIMER_PROF, &timer, nullptr);
}

}  // namespace

unsigned patience() {
  constexpr unsigned seconds = 20;
  static const bool checked = std::getenv("NNPOST_TEST_SHORT") != nullptr;
  return checked ? 60 * seconds : seconds;
}

Deadline::Deadline() {
  static const auto before = std::signal(
      SIGPROF, [](int) { broken("it hangs: %u seconds of processor time", patience()); });
  static_cast<void>(before);
  set_timer(patience());
}

Deadline::~Deadline() {
  set_timer(0);
}

}  // namespace fuzz

namespace {

// Is this the one that fails?
bool counted() {
  ++fuzz::allocations;
  if (fuzz::fail_in == 0 || --fuzz::fail_in > 0) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace

extern "C" {
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block);
}

// ---- large blocks ---------------------------------------------------------------------------------

namespace {

// Large blocks that were freed serve again: a sanitizer would map and unmap their pages every time, which
// took a quarter of a sequence. Until then they are poisoned.
class LargeBlocks {
 public:
  static bool are(size_t alignment, size_t size) {
    return alignment <= 64 && size > (64u << 10) && size <= (4u << 20);
  }

  void *get(size_t alignment, size_t size) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Entry found = {nullptr, 0};
    for (Entry &entry : free_)
      if (entry.block && entry.size >= size && entry.size / 2 < size) {
        found = entry;
        entry = {nullptr, 0};
        break;
      }
    if (!found.block) found = {__real_aligned_alloc(alignment, size), size};
    if (!found.block) return nullptr;
    ASAN_UNPOISON_MEMORY_REGION(found.block, size);
    ASAN_POISON_MEMORY_REGION(static_cast<char *>(found.block) + size, found.size - size);
    for (Entry &entry : used_)
      if (!entry.block) {
        entry = {hidden(found.block), found.size};
        break;
      }
    return found.block;
  }

  // False if the block is none of these.
  bool put(void *block) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const Entry &entry : free_)
      if (block && entry.block == block) fuzz::broken("a block was freed twice");
    for (Entry &entry : used_)
      if (block && entry.block == hidden(block)) {
        keep({block, entry.size});
        entry = {nullptr, 0};
        return true;
      }
    return false;
  }

 private:
  struct Entry {
    void *block;
    size_t size;
  };

  // Blocks that nobody frees are leaks: a checker must not find them here.
  static void *hidden(void *block) {
    return reinterpret_cast<void *>(~reinterpret_cast<uintptr_t>(block));
  }

  // In an empty place, if there is one: inputs that free all they allocate must leave as many blocks as
  // before, or libFuzzer runs them again to look for leaks.
  void keep(const Entry &freed) {
    Entry *empty = nullptr;
    for (Entry &entry : free_)
      if (!entry.block) empty = &entry;
    Entry &place = empty ? *empty : free_[next_++ % most_free];
    if (place.block) {
      ASAN_UNPOISON_MEMORY_REGION(place.block, place.size);
      __real_free(place.block);
    }
    place = freed;
    ASAN_POISON_MEMORY_REGION(place.block, place.size);
  }

  static constexpr size_t most_free = 12, most_used = 64;
  std::mutex mutex_;
  Entry free_[most_free] = {}, used_[most_used] = {};  // blocks that find no place go the usual way
  size_t next_ = 0;
};

LargeBlocks large_blocks;

}  // namespace

extern "C" {

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *block);

void *__wrap_malloc(size_t size) {
  return counted() ? nullptr : __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size) {
  return counted() ? nullptr : __real_calloc(count, size);
}
void *__wrap_realloc(void *block, size_t size) {
  return counted() ? nullptr : __real_realloc(block, size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  if (counted()) return nullptr;
  return LargeBlocks::are(alignment, size) ? large_blocks.get(alignment, size)
                                           : __real_aligned_alloc(alignment, size);
}
void __wrap_free(void *block) {
  ++fuzz::allocations;
  if (!large_blocks.put(block)) __real_free(block);
}
}

// What the targets share: how a broken contract is told, when an input hangs, and the allocations of the library, which
// are counted and may be made to fail (the linker puts these functions in their places).
#include "tests/fuzz/contract.hpp"

#include <sys/time.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/target.hpp"

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
  return counted() ? nullptr : __real_aligned_alloc(alignment, size);
}
void __wrap_free(void *block) {
  ++fuzz::allocations;
  __real_free(block);
}
}

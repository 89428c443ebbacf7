// Allocations of the library, counted by the functions that the linker puts in their places.
#pragma once

#include <atomic>
#include <cstdint>

namespace fuzz {

extern std::atomic<int64_t> allocations;  // malloc, free and their like
extern int64_t fail_in;                   // the allocation that fails, from now on; 0: none

}  // namespace fuzz

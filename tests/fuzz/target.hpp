// What every fuzz target has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace fuzz {

extern const char *current_input;  // what the replay is at; unknown to a fuzzer
// Inputs to begin with, by number; false behind the last one.
bool seed_input(int64_t number, std::vector<uint8_t> &bytes);
// Prints the functions a target calls, one a line.
void list_rows();

// Ends the program if an input has not ended by then: a hang. Counts processor time, so that a busy or
// halted machine raises no alarm.
struct Deadline {
  Deadline();
  Deadline(const Deadline &) = delete;
  Deadline &operator=(const Deadline &) = delete;
  ~Deadline();
};
// Processor seconds until then; many more under a memory checker.
unsigned patience();

// Ends the program: a contract was broken. The words are those of printf.
[[noreturn]] void broken(const char *format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace fuzz

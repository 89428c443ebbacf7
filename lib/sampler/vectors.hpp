// Loops over long vectors, in chunks that threads share. Sums are formed chunk by chunk in a fixed
// order, so they do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "lib/base/pool.hpp"

namespace nnp {

constexpr int64_t chunk_length = 8192;  // target length
constexpr int64_t max_chunks = 64;

// Calls work(chunk, first, last) for every chunk of 0 … size - 1.
template <class Work>
void for_chunks(Pool *pool, int64_t size, Work work) {
  struct Context {
    Work *work;
    int64_t size, chunks;
  };
  Context context = {&work, size, std::clamp<int64_t>(size / chunk_length, 1, max_chunks)};
  const Task task = [](void *argument, int64_t chunk) {
    const Context &c = *static_cast<const Context *>(argument);
    // whole cache lines
    const int64_t lines = (c.size + 7) / 8;
    const int64_t first = chunk * lines / c.chunks * 8, last = (chunk + 1) * lines / c.chunks * 8;
    (*c.work)(chunk, first, std::min(last, c.size));
  };
  if (context.chunks == 1)
    task(&context, 0);
  else
    pool_run(pool, context.chunks, task, &context);
}

// Sum of term(i) over 0 … size - 1: eight partial sums per chunk.
template <class Term>
double sum_over(Pool *pool, int64_t size, Term term) {
  double parts[max_chunks] = {};
  for_chunks(pool, size, [&](int64_t chunk, int64_t first, int64_t last) {
    double lanes[8] = {};
    int64_t i = first;
    for (; i + 8 <= last; i += 8)
      for (int64_t j = 0; j < 8; ++j) lanes[j] += term(i + j);
    for (int64_t j = 0; i < last; ++i, ++j) lanes[j] += term(i);
    parts[chunk] = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
                   ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
  });
  double sum = 0;
  for (double part : parts) sum += part;
  return sum;
}

// Calls change(i) for every i in 0 … size - 1.
template <class Change>
void for_all(Pool *pool, int64_t size, Change change) {
  for_chunks(pool, size, [&](int64_t, int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) change(i);
  });
}

}  // namespace nnp

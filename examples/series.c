#include "series.h"

#include <math.h>
#include <stdlib.h>

#include "support.h"

enum { EVEN_RECORDS = 2000 };

series series_create(int64_t chains, int64_t room) {
  series s = {NULL, NULL, chains, 0, room};
  s.step = need_memory(sizeof(double) * (size_t)room);
  s.value = need_memory(sizeof(double) * (size_t)(room * chains));
  return s;
}

void series_free(series *s) {
  free(s->step);
  free(s->value);
}

void series_add(series *s, double step, const double *values) {
  if (s->count == s->room) return;
  s->step[s->count] = step;
  for (int64_t c = 0; c < s->chains; ++c) s->value[s->count + s->room * c] = values[c];
  ++s->count;
}

int64_t series_next_step(int64_t step, int64_t steps) {
  const int64_t even = steps / EVEN_RECORDS > 1 ? steps / EVEN_RECORDS : 1;
  int64_t stride = step / 25 > 1 ? step / 25 : 1;
  if (stride > even) stride = even;
  return step + stride < steps ? step + stride : steps;
}

int64_t series_records(int64_t steps) {
  int64_t records = 0;
  for (int64_t step = 0; step < steps; step = series_next_step(step, steps)) ++records;
  return records;
}

nnp_series series_of_chain(const series *s, int64_t chain) {
  const nnp_series one = {s->step, s->value + s->room * chain, s->count};
  return one;
}

static int64_t first_of_second_half(const series *s) {
  int64_t i = 0;
  while (i < s->count && s->step[i] < 0.5 * s->step[s->count - 1]) ++i;
  return i;
}

double series_statistic(const series *s, int64_t first, int64_t second, int32_t statistic) {
  nnp_error err;
  size_t bytes;
  double found;
  const int64_t half = first_of_second_half(s);
  const nnp_draws draws = {
      .values = s->value + half + s->room * first,
      .quantities = 1,
      .draws = s->count - half,
      .chains = first == second ? 1 : 2,
      .quantity_stride = 1,
      .draw_stride = 1,
      .chain_stride = s->room * (second - first),
  };
  if (draws.draws < 4) return NAN;
  check(nnp_statistic_bytes(&draws, &bytes, &err), &err);
  void *memory = need_memory(bytes);
  check(nnp_statistic(&draws, statistic, 0.5, &found, memory, bytes, &err), &err);
  free(memory);
  return found;
}

/* The means of records [begin, end), and the step of the last. */
static void add_means(series *out, const series *s, int64_t begin, int64_t end) {
  double *means = need_memory(sizeof(double) * (size_t)s->chains);
  for (int64_t c = 0; c < s->chains; ++c) {
    double sum = 0;
    for (int64_t i = begin; i < end; ++i) sum += s->value[i + s->room * c];
    means[c] = sum / (double)(end - begin);
  }
  series_add(out, s->step[end - 1], means);
  free(means);
}

series series_thinned(const series *s, int per_decade) {
  series out = series_create(s->chains, s->count > 0 ? s->count : 1);
  for (int64_t i = 0; i < s->count;) {
    const double bin = floor(log10(s->step[i]) * per_decade);
    int64_t end = i;
    while (end < s->count && floor(log10(s->step[end]) * per_decade) <= bin) ++end;
    add_means(&out, s, i, end);
    i = end;
  }
  return out;
}

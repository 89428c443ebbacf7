#include "series.h"

#include <math.h>
#include <stdlib.h>

#include "support.h"

enum { EVEN_RECORDS = 2000, BATCHES = 10 };

series series_create(int64_t room) {
  series s = {NULL, NULL, 0, room};
  s.step = need_memory(sizeof(double) * (size_t)room);
  s.value = need_memory(sizeof(double) * (size_t)room);
  return s;
}

void series_free(series *s) {
  free(s->step);
  free(s->value);
}

void series_add(series *s, double step, double value) {
  if (s->count == s->room) return;
  s->step[s->count] = step;
  s->value[s->count++] = value;
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

static double mean_of(const double *values, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += values[i];
  return sum / (double)count;
}

static double variance_of(const double *values, int64_t count, double mean) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += (values[i] - mean) * (values[i] - mean);
  return sum / (double)(count - 1);
}

level series_level(const series *s, int64_t first, int64_t end) {
  level found = {NAN, NAN, NAN};
  const int64_t batch = (end - first) / BATCHES;
  if (end > first) found.mean = mean_of(s->value + first, end - first);
  if (batch < 1) return found;
  double means[BATCHES];
  first = end - BATCHES * batch;
  for (int b = 0; b < BATCHES; ++b) means[b] = mean_of(s->value + first + b * batch, batch);
  found.mean = mean_of(means, BATCHES);
  found.error = sqrt(variance_of(means, BATCHES, found.mean) / BATCHES);
  found.spread = sqrt(variance_of(s->value + first, BATCHES * batch, found.mean));
  return found;
}

double level_distance(level a, level b) {
  return (a.mean - b.mean) / sqrt(a.error * a.error + b.error * b.error);
}

double series_first_below(const series *s, double bound) {
  for (int64_t i = 0; i < s->count; ++i)
    if (s->value[i] <= bound) return s->step[i];
  return NAN;
}

series series_thinned(const series *s, int per_decade) {
  series out = series_create(s->count > 0 ? s->count : 1);
  for (int64_t i = 0; i < s->count;) {
    const double bin = floor(log10(s->step[i]) * per_decade);
    int64_t end = i;
    while (end < s->count && floor(log10(s->step[end]) * per_decade) <= bin) ++end;
    series_add(&out, s->step[end - 1], mean_of(s->value + i, end - i));
    i = end;
  }
  return out;
}

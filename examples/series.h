/* A quantity recorded along a chain, and what can be said of its level. */
#ifndef EXAMPLES_SERIES_H
#define EXAMPLES_SERIES_H

#include <stdint.h>

typedef struct series {
  double *step, *value;
  int64_t count, room;
} series;

series series_create(int64_t room);
void series_free(series *s);
void series_add(series *s, double step, double value);

/* When to record next in a run of that many steps: at every step to begin with, then every 4 %,
 * evenly in the end. So there are points enough for a picture on log axes and for averages. */
int64_t series_next_step(int64_t step, int64_t steps);
/* How many records that makes. */
int64_t series_records(int64_t steps);

/* The level of a stretch. The error of its mean comes from the means of a few batches: it is
 * honest as long as the chain forgets within a batch. */
typedef struct level {
  double mean, error, spread; /* spread: standard deviation of single values */
} level;

/* Of the records first … end-1. With fewer than 10 there is no error and no spread: NaN. */
level series_level(const series *s, int64_t first, int64_t end);
/* How far apart two levels are, in standard errors. */
double level_distance(level a, level b);
/* The first step whose value is at most `bound`; NaN if there is none. */
double series_first_below(const series *s, double bound);
/* A copy with at most so many points a decade of steps, each the mean of those it stands for. */
series series_thinned(const series *s, int per_decade);

#endif

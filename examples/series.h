/* A number recorded along several chains at the same steps: [record, chain]. */
#ifndef EXAMPLES_SERIES_H
#define EXAMPLES_SERIES_H

#include <nnpost.h>

typedef struct series {
  double *step;  /* of each record */
  double *value; /* value[record + room * chain] */
  int64_t chains, count, room;
} series;

series series_create(int64_t chains, int64_t room);
void series_free(series *s);
/* One value for each chain. */
void series_add(series *s, double step, const double *values);

/* When to record next in a run of that many steps: at every step to begin with, then every 4 %,
 * evenly in the end. So there are points enough for a picture on log axes and for averages. */
int64_t series_next_step(int64_t step, int64_t steps);
/* How many records that makes. */
int64_t series_records(int64_t steps);

/* One chain as the library's tests of thermalization take it. */
nnp_series series_of_chain(const series *s, int64_t chain);
/* A statistic (NNP_STAT_…) of chains `first` and `second` together (or of one chain, if they are
 * the same) over the second half of the run. NaN if it is too short. */
double series_statistic(const series *s, int64_t first, int64_t second, int32_t statistic);
/* A copy with at most so many points a decade of steps, each the mean of those it stands for. */
series series_thinned(const series *s, int per_decade);

#endif

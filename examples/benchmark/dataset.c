#include "dataset.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { LONGEST_LINE = 1 << 16 };

/* ---- Fields ----------------------------------------------------------------------------------- */

static int separates(char letter) {
  return letter == ',' || letter == ';' || letter == ' ' || letter == '\t';
}

/* Cuts the line into fields: one separator after each, and any number of blanks around it. */
static int cut(char *line, char **fields, int most) {
  int count = 0;
  char *at = line;
  line[strcspn(line, "\r\n")] = 0;
  while (*at && count < most) {
    while (*at == ' ' || *at == '\t') ++at;
    if (!*at) break;
    if (*at == '"') {
      fields[count++] = ++at;
      while (*at && *at != '"') ++at;
      if (*at) *at++ = 0;
    } else {
      fields[count++] = at;
    }
    while (*at && !separates(*at)) ++at;
    if (!*at) break;
    const char was = *at;
    *at++ = 0;
    while (*at == ' ' || *at == '\t') ++at;
    if ((was == ' ' || was == '\t') && (*at == ',' || *at == ';')) ++at;
  }
  return count;
}

static int is_number(const char *field, double *value) {
  char *end;
  *value = strtod(field, &end);
  return end != field && *end == 0 && isfinite(*value);
}

static int is_listed(const char *names, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = names; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == 0)) return 1;
  return 0;
}

/* ---- Files ------------------------------------------------------------------------------------ */

/* Which fields of a line are kept, the target last. */
typedef struct layout {
  char names[DATASET_COLUMNS][DATASET_NAME];
  int fields; /* of every line */
  int kept[DATASET_COLUMNS];
  int count;
} layout;

static int choose_columns(layout *all, const char *target, const char *dropped, char *sentence,
                          size_t size) {
  int last = -1;
  for (int f = 0; f < all->fields; ++f) {
    if (is_listed(dropped, all->names[f])) continue;
    if (target ? strcmp(target, all->names[f]) == 0 : 1) last = f;
  }
  if (last < 0) {
    snprintf(sentence, size, "there is no column '%s', the first one is '%s'",
             target ? target : "that is kept", all->names[0]);
    return -1;
  }
  for (int f = 0; f < all->fields; ++f)
    if (f != last && !is_listed(dropped, all->names[f])) all->kept[all->count++] = f;
  all->kept[all->count++] = last;
  if (all->count >= 2) return 0;
  snprintf(sentence, size, "only the target '%s' is left, expected inputs", all->names[last]);
  return -1;
}

/* The first line: names, or numbers of columns that have none. Returns whether it holds data. */
static int read_names(layout *all, char **fields, int count) {
  double value;
  int numbers = 1;
  all->fields = count;
  for (int f = 0; f < count; ++f) numbers = numbers && is_number(fields[f], &value);
  for (int f = 0; f < count; ++f)
    if (numbers)
      snprintf(all->names[f], DATASET_NAME, "%d", f + 1);
    else
      snprintf(all->names[f], DATASET_NAME, "%s", fields[f]);
  return numbers;
}

static int add_row(dataset *out, int64_t *room, const layout *all, char **fields, long line,
                   char *sentence, size_t size) {
  if (out->rows == *room) {
    *room = *room ? 2 * *room : 1024;
    double *more = realloc(out->values, sizeof(double) * (size_t)(*room * all->count));
    if (!more) {
      snprintf(sentence, size, "line %ld: there is no more memory", line);
      return -1;
    }
    out->values = more;
  }
  for (int c = 0; c < all->count; ++c) {
    const char *field = fields[all->kept[c]];
    if (!is_number(field, &out->values[out->rows * all->count + c])) {
      snprintf(sentence, size, "line %ld: column '%s' is '%.40s', expected a finite number", line,
               all->names[all->kept[c]], field);
      return -1;
    }
  }
  ++out->rows;
  return 0;
}

static int read_lines(dataset *out, FILE *file, layout *all, const char *target,
                      const char *dropped, char *sentence, size_t size) {
  static char line[LONGEST_LINE];
  static char *fields[DATASET_COLUMNS];
  int64_t room = 0;
  for (long number = 1; fgets(line, sizeof line, file); ++number) {
    const int count = cut(line, fields, DATASET_COLUMNS);
    if (count == 0) continue;
    if (all->fields == 0) {
      const int data = read_names(all, fields, count);
      if (choose_columns(all, target, dropped, sentence, size)) return -1;
      if (!data) continue;
    }
    if (count != all->fields) {
      snprintf(sentence, size, "line %ld: it has %d fields, expected %d", number, count,
               all->fields);
      return -1;
    }
    if (add_row(out, &room, all, fields, number, sentence, size)) return -1;
  }
  if (out->rows > 0) return 0;
  snprintf(sentence, size, "it has no rows");
  return -1;
}

int dataset_read(dataset *out, const char *path, const char *target, const char *dropped,
                 char *sentence, size_t size) {
  FILE *file = fopen(path, "r");
  layout *all = calloc(1, sizeof *all);
  int failed = -1;
  memset(out, 0, sizeof *out);
  if (!file || !all) {
    snprintf(sentence, size, "%s", strerror(errno));
  } else {
    failed = read_lines(out, file, all, target, dropped, sentence, size);
    out->columns = all->count;
    for (int c = 0; c < all->count; ++c)
      memcpy(out->names[c], all->names[all->kept[c]], DATASET_NAME);
  }
  if (file) fclose(file);
  free(all);
  if (failed) dataset_free(out);
  return failed;
}

void dataset_free(dataset *made) {
  free(made->values);
  made->values = NULL;
}

/* ---- The split -------------------------------------------------------------------------------- */

enum { WORDS = 624, MIDDLE = 397 };

/* The Mersenne twister MT19937 (Matsumoto and Nishimura 1998), which numpy's RandomState is. */
typedef struct twister {
  uint32_t words[WORDS];
  int next;
} twister;

static void twister_seed(twister *t, uint32_t seed) {
  t->words[0] = seed;
  for (uint32_t i = 1; i < WORDS; ++i)
    t->words[i] = 1812433253u * (t->words[i - 1] ^ (t->words[i - 1] >> 30)) + i;
  t->next = WORDS;
}

static void twist(twister *t) {
  for (int i = 0; i < WORDS; ++i) {
    const uint32_t y = (t->words[i] & 0x80000000u) | (t->words[(i + 1) % WORDS] & 0x7fffffffu);
    t->words[i] = t->words[(i + MIDDLE) % WORDS] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
  }
  t->next = 0;
}

static uint32_t twister_next(twister *t) {
  if (t->next == WORDS) twist(t);
  uint32_t y = t->words[t->next++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

/* Uniform on 0 … most, by rejection below the next power of two. */
static uint32_t twister_below(twister *t, uint32_t most) {
  uint32_t mask = most, value;
  for (int shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
  do value = twister_next(t) & mask;
  while (value > most);
  return value;
}

void dataset_shuffle(int64_t *order, int64_t rows, uint32_t seed) {
  twister random;
  twister_seed(&random, seed);
  for (int64_t i = 0; i < rows; ++i) order[i] = i;
  for (int64_t i = rows - 1; i > 0; --i) {
    const int64_t j = twister_below(&random, (uint32_t)i), kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
}

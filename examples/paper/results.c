/* Generates RESULTS.md from the files that the figures wrote: the paper's result, ours, and the
 * ratio. Writes to standard output, without dates or paths. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"

enum { FIGURES = 4, FIELDS = 5 };

typedef struct chapter {
  const char *name, *title;
} chapter;

static const chapter chapters[FIGURES] = {
    {"figure1", "Figure 1: when has a chain thermalized?"},
    {"figure2", "Figure 2: which sampler finds the posterior?"},
    {"figure3", "Figure 3: MNIST"},
    {"comparison", "Which moves make Gibbs chains thermalize?"},
};

/* Splits a line at its commas, in place; fields in quotes keep theirs. Returns the number of
 * fields. */
static int split(char *line, char *fields[FIELDS]) {
  int count = 0;
  line[strcspn(line, "\n")] = '\0';
  for (char *at = line; count < FIELDS; ++at) {
    const int quoted = *at == '"';
    fields[count++] = at += quoted;
    at += strcspn(at, quoted ? "\"" : ",");
    if (quoted && *at) *at++ = '\0';
    if (*at == '\0') break;
    *at = '\0';
  }
  return count;
}

static void print_row(char *fields[FIELDS]) {
  const double paper = *fields[2] ? strtod(fields[2], NULL) : NAN;
  const double ours = *fields[3] ? strtod(fields[3], NULL) : NAN;
  const char *unit = fields[1], *space = *unit ? " " : "";
  printf("| %s | ", fields[0]);
  if (!isnan(paper)) printf("%s%s%s", fields[2], space, unit);
  printf(" | ");
  if (!isnan(ours)) printf("%s%s%s", fields[3], space, unit);
  printf(" | ");
  if (!isnan(paper / ours) && paper > 0) printf("%.2g", ours / paper);
  printf(" | %s |\n", fields[4]);
}

/* Prints the lines at the top of a file that say how it was made. */
static void print_head(const char *out, const char *name) {
  char path[4000], line[2048];
  snprintf(path, sizeof path, "%s/%s_times.csv", out, name);
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file) && *line == '#')
    if (strncmp(line, "# nnpost", 8) == 0 || strncmp(line, "# machine", 9) == 0)
      printf("- %s", line + 2);
  if (file) fclose(file);
}

/* Prints remarks on a run whose results are included. */
static void print_notes(const char *folder, const char *name) {
  char path[4000], line[2048];
  snprintf(path, sizeof path, "%s/%s_notes.md", folder, name);
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) fputs(line, stdout);
  if (file) printf("\n");
  if (file) fclose(file);
}

/* Prints a file's rows below a heading; returns 0 if there is no such file. `pictures` is the
 * folder of its pictures relative to RESULTS.md, or NULL to show none. */
static int print_run(const char *folder, const char *pictures, const char *name,
                     const char *title) {
  char path[4000], line[2048], *fields[FIELDS];
  snprintf(path, sizeof path, "%s/%s_results.csv", folder, name);
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  printf("%s\n\n", title);
  print_head(folder, name);
  if (pictures) printf("\n![%s](%s%s.png)\n", name, pictures, name);
  printf("\n");
  if (pictures && strcmp(name, "figure1") == 0) /* the same runs */
    printf(
        "R-hat of the outputs, percentiles over the test rows (the paper's figure 4):\n\n"
        "![figure4](%sfigure4.png)\n\n",
        pictures);
  print_notes(folder, name);
  printf("| quantity | paper | ours | ratio | |\n|---|---|---|---|---|\n");
  while (fgets(line, sizeof line, file))
    if (*line == '"' && split(line, fields) == FIELDS) print_row(fields);
  printf("\n");
  fclose(file);
  return 1;
}

/* Prints our longest runs on the paper's problem, which are shipped, then the small problem. */
static void print_chapter(const figure_options *o, const chapter *c) {
  char shipped[4000], more[80];
  snprintf(shipped, sizeof shipped, "%s/full", o->paper);
  printf("## %s\n\n", c->title);
  print_run(shipped, "full/", c->name, "### The paper's problem");
  snprintf(more, sizeof more, "%s_more", c->name);
  print_run(shipped, NULL, more, "### The paper's problem, another run");
  if (!print_run(o->out, NULL, c->name, "### In small, by `make figures`"))
    printf("In small: not run.\n\n");
}

static const char help[] =
    "usage: results [--out FOLDER]\n"
    "Prints the results of the figures next to the paper's, from the files they wrote.\n";

int main(int count, char **arguments) {
  const figure_options o = figure_read_options(help, count, arguments);
  printf(
      "# Results\n\n"
      "Generated from the CSV files that the programs in this folder write. `make figures` runs "
      "their quick versions\nand draws the pictures in `out/figures`. `--full` is the paper's "
      "problem; its runs were shorter than the paper's.\nTimes are processor time, measured on a "
      "busy machine. A ratio is ours divided by the paper's.\n\n"
      "Differences: the paper gave every run 5.5 hours, ours had seconds or minutes, so plain "
      "Gibbs, HMC and MALA\noften did not thermalize where theirs did. On MNIST we compare one or "
      "two processor cores with a V100.\nOur data sets are not the paper's, and levels vary from "
      "one data set to another. The paper's numbers are\nthose its authors published with their "
      "code.\n\n");
  for (int i = 0; i < FIGURES; ++i) print_chapter(&o, &chapters[i]);
  return 0;
}

/* What the programs that redraw the paper's figures share: their command line, the files they write
 * and the call of gnuplot. */
#ifndef EXAMPLES_FIGURE_H
#define EXAMPLES_FIGURE_H

#include <stdint.h>
#include <stdio.h>

#include "campaign.h"

enum { MOST_NOISES = 16 };

/* What the command line said; 0 and NULL where it said nothing. */
typedef struct figure_options {
  int full;       /* the paper's problem, else a small one */
  int adapt;      /* warm-ups find the settings of gradient samplers, not the paper's tables */
  int64_t budget; /* steps */
  double seconds; /* of --budget 600s */
  int64_t seeds, threads;
  int64_t race, race_set; /* figure 2: steps of the race, and its data set */
  double every;           /* seconds between checkpoints */
  double noises[MOST_NOISES];
  int noise_count;
  const char *methods, *out, *data, *paper;
} figure_options;

/* Reads the command line, and creates the folder --out. Ends the program after --help and on
 * arguments it does not understand. */
figure_options figure_read_options(const char *help, int count, char **arguments);

/* Makes a campaign from the options; the caller sets settings and hooks. */
campaign figure_campaign(const char *name, const figure_options *o);

/* A file out/name, written whole or not at all: under another name until figure_close. */
typedef struct figure_file {
  FILE *file;
  char path[4000];
} figure_file;

figure_file figure_create(const char *out, const char *name);
void figure_close(figure_file *f);

/* Writes the first lines of a CSV file: its contents, and the settings it depends on. */
void figure_header(FILE *file, const char *what, const char *settings);
/* Adds the machine and the build, for a file with times. */
void figure_machine(FILE *file, int64_t threads);

/* Reads a table shipped with the examples, such as "paper_settings.csv". Words are replaced by
 * their numbers in the caller's list, if that is not NULL. Lines that begin with # and the line of
 * names are skipped. */
table figure_paper(const figure_options *o, const char *name, int64_t columns,
                   const char *const *words, int word_count);

/* Runs out/name.gp twice, with the variable kind set to "svg" and "png". Prints how to draw it if
 * there is no gnuplot. */
void figure_draw(const char *out, const char *name);
/* Writes the beginning of a script: the terminal for both kinds and the canvas size in pixels. */
void figure_canvas(FILE *file, const char *name, int width, int height);
/* Writes line styles: 1 to 8 and 10 for samplers, which differ in dashes and symbols as well as in
 * colour; 9, grey, for the paper's. */
void figure_styles(FILE *file);
/* Writes rows as a data block $name. */
void figure_block_begin(FILE *file, const char *name);
void figure_block_end(FILE *file);

/* Creates NAME_results.csv, for lines of RESULTS.md. */
figure_file figure_results_create(const char *out, const char *name, const char *settings);
/* Writes a line of results; NaN stands for a missing number. Texts must not have quotes. */
void figure_result(FILE *file, const char *quantity, const char *unit, double paper, double ours,
                   const char *remark);

#endif

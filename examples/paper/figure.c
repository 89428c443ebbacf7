#define _POSIX_C_SOURCE 200809L
#include "figure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

/* ---- The command line -------------------------------------------------------------------- */

static const char common_help[] =
    "  --quick         a small problem, less than two minutes (the default)\n"
    "  --full          the paper's problem: hours; if the run is stopped or killed, start it again "
    "to\n"
    "                  continue\n"
    "  --budget N      number of steps; 600s: stop this run after 600 seconds\n"
    "  --threads N     default 2; results do not depend on it\n"
    "  --checkpoint S  seconds between checkpoints, default 10\n"
    "  --out FOLDER    default out\n"
    "  --paper FOLDER  the paper's numbers, if they have been moved\n"
    "Ctrl-C stops early and shows the results so far.\n";

static void complain(const char *help, const char *what, const char *value) {
  fprintf(stderr, "%s %s: not understood\n\n%s%s", what, value, help, common_help);
  exit(2);
}

static int64_t whole_number(const char *help, const char *name, const char *text) {
  char *end;
  const double value = strtod(text, &end);
  if (*end || !(value >= 1) || value != floor(value) || value > 1e12) complain(help, name, text);
  return (int64_t)value;
}

static double positive(const char *help, const char *name, const char *text, const char *unit) {
  char *end;
  const double value = strtod(text, &end);
  if (end == text || strcmp(end, unit) != 0 || !(value > 0)) complain(help, name, text);
  return value;
}

static void read_noises(figure_options *o, const char *help, const char *text) {
  char *end;
  for (o->noise_count = 0;; text = end + 1) {
    const double value = strtod(text, &end);
    if (end == text || !(value > 0) || o->noise_count == MOST_NOISES)
      complain(help, "--noises", text);
    o->noises[o->noise_count++] = value;
    if (*end == 0) return;
    if (*end != ',') complain(help, "--noises", text);
  }
}

static void read_budget(figure_options *o, const char *help, const char *text) {
  if (*text && text[strlen(text) - 1] == 's')
    o->seconds = positive(help, "--budget", text, "s");
  else
    o->budget = whole_number(help, "--budget", text);
}

static void read_option(figure_options *o, const char *help, const char *name, const char *value) {
  if (strcmp(name, "--budget") == 0)
    read_budget(o, help, value);
  else if (strcmp(name, "--seeds") == 0)
    o->seeds = whole_number(help, name, value);
  else if (strcmp(name, "--race") == 0)
    o->race = strcmp(value, "0") == 0 ? -1 : whole_number(help, name, value);
  else if (strcmp(name, "--race-set") == 0)
    o->race_set = whole_number(help, name, value);
  else if (strcmp(name, "--threads") == 0)
    o->threads = whole_number(help, name, value);
  else if (strcmp(name, "--checkpoint") == 0)
    o->every = positive(help, name, value, "");
  else if (strcmp(name, "--noises") == 0)
    read_noises(o, help, value);
  else if (strcmp(name, "--methods") == 0)
    o->methods = value;
  else if (strcmp(name, "--data") == 0)
    o->data = value;
  else if (strcmp(name, "--paper") == 0)
    o->paper = value;
  else if (strcmp(name, "--out") == 0)
    o->out = value;
  else
    complain(help, name, value);
}

static void fail_on(const char *path) {
  fprintf(stderr, "%s: %s\n", path, strerror(errno));
  exit(1);
}

figure_options figure_read_options(const char *help, int count, char **arguments) {
  figure_options o;
  memset(&o, 0, sizeof o);
  o.threads = 2;
  o.every = 10;
  o.out = "out";
  o.data = "out/mnist";
  o.paper = PAPER_FOLDER; /* the build sets it to the folder of the sources */
  for (int i = 1; i < count; ++i) {
    const char *name = arguments[i];
    if (strcmp(name, "--help") == 0) {
      printf("%s%s", help, common_help);
      exit(0);
    }
    if (strcmp(name, "--quick") == 0 || strcmp(name, "--full") == 0)
      o.full = strcmp(name, "--full") == 0;
    else if (strcmp(name, "--adapt") == 0)
      o.adapt = 1;
    else if (++i == count)
      complain(help, name, "(a value is missing)");
    else
      read_option(&o, help, name, arguments[i]);
  }
  if (mkdir(o.out, 0777) != 0 && errno != EEXIST) fail_on(o.out);
  return o;
}

campaign figure_campaign(const char *name, const figure_options *o) {
  campaign c;
  memset(&c, 0, sizeof c);
  c.name = name;
  c.out = o->out;
  c.threads = o->threads;
  c.every = o->every;
  c.deadline = o->seconds;
  return c;
}

/* ---- Files ------------------------------------------------------------------------------- */

static void temporary_name(const figure_file *f, char *name, size_t size) {
  snprintf(name, size, "%s.new", f->path);
}

figure_file figure_create(const char *out, const char *name) {
  figure_file f;
  char temporary[4096];
  snprintf(f.path, sizeof f.path, "%s/%s", out, name);
  temporary_name(&f, temporary, sizeof temporary);
  f.file = fopen(temporary, "w");
  if (!f.file) fail_on(temporary);
  return f;
}

void figure_close(figure_file *f) {
  char temporary[4096];
  temporary_name(f, temporary, sizeof temporary);
  if (ferror(f->file) || fclose(f->file) != 0 || rename(temporary, f->path) != 0) fail_on(f->path);
}

void figure_header(FILE *file, const char *what, const char *settings) {
  fprintf(file, "# %s\n# nnpost %s: %s\n", what, nnp_version(), settings);
}

static void processor_name(char *name, size_t size) {
  char line[400];
  FILE *file = fopen("/proc/cpuinfo", "r");
  snprintf(name, size, "an unknown processor");
  while (file && fgets(line, sizeof line, file)) {
    if (strncmp(line, "model name", 10) != 0 || !strchr(line, ':')) continue;
    line[strcspn(line, "\n")] = '\0';
    snprintf(name, size, "%s", strchr(line, ':') + 2);
    break;
  }
  if (file) fclose(file);
}

/* Copies the value of a line "key: value" of the build info. */
static void build_fact(const char *key, char *value, size_t size) {
  nnp_error err;
  char info[2048];
  check(nnp_build_info(info, sizeof info, &err), &err);
  snprintf(value, size, "unknown");
  for (const char *line = info; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, key, strlen(key)) != 0 || line[strlen(key)] != ':') continue;
    line += strlen(key) + 2;
    snprintf(value, size, "%.*s", (int)strcspn(line, "\n"), line);
    return;
  }
}

void figure_machine(FILE *file, int64_t threads) {
  char name[400], compiler[200], simd[200];
  processor_name(name, sizeof name);
  build_fact("compiler", compiler, sizeof compiler);
  build_fact("simd", simd, sizeof simd);
  fprintf(file, "# machine: %s, SIMD %s, %s, threads %lld\n", name, simd, compiler,
          (long long)threads);
}

/* Returns a number, or the index of a word in the list. */
static double field_value(const char *text, const char *const *words, int word_count) {
  for (int w = 0; w < word_count; ++w)
    if (strcmp(text, words[w]) == 0) return w;
  char *end;
  const double value = strtod(text, &end);
  return *end || end == text ? NAN : value;
}

/* Reads the numbers and words of a line, separated by commas. */
static void read_row(char *line, int64_t columns, const char *const *words, int word_count,
                     double *row) {
  for (int64_t i = 0; i < columns; ++i) {
    const size_t length = strcspn(line, ",\n");
    const int more = line[length] == ',';
    line[length] = '\0';
    row[i] = field_value(line, words, word_count);
    line += length + (size_t)more;
  }
}

table figure_paper(const figure_options *o, const char *name, int64_t columns,
                   const char *const *words, int word_count) {
  char path[4096], line[1000];
  double row[32];
  int names_seen = 0;
  table t = {columns, 0, 0, NULL};
  snprintf(path, sizeof path, "%s/%s", o->paper, name);
  FILE *file = fopen(path, "r");
  if (!file) fail_on(path);
  while (fgets(line, sizeof line, file)) {
    if (*line == '#') continue;
    if (names_seen) {
      read_row(line, columns, words, word_count, row);
      table_add(&t, row);
    }
    names_seen = 1;
  }
  fclose(file);
  return t;
}

/* ---- Pictures ---------------------------------------------------------------------------- */

/* Runs gnuplot in the folder itself, since the script has no paths. Returns 127 if there is no
 * gnuplot. */
static int run_gnuplot(const char *out, const char *script, const char *kind) {
  char setting[40];
  int status;
  snprintf(setting, sizeof setting, "kind = '%s'", kind);
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(out) != 0) _exit(126);
    execlp("gnuplot", "gnuplot", "-e", setting, script, (char *)NULL);
    _exit(127);
  }
  if (child < 0 || waitpid(child, &status, 0) < 0) return 126;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

void figure_draw(const char *out, const char *name) {
  static const char *const kinds[2] = {"svg", "png"};
  char script[200];
  snprintf(script, sizeof script, "%s.gp", name);
  for (int k = 0; k < 2; ++k) {
    const int status = run_gnuplot(out, script, kinds[k]);
    if (status == 127) {
      printf(
          "No picture: gnuplot is not installed. The CSV files are written. To draw it later, run\n"
          "`gnuplot -e \"kind='png'\" %s` in the folder %s.\n",
          script, out);
      return;
    }
    if (status != 0) {
      fprintf(stderr, "gnuplot failed on %s/%s\n", out, script);
      return;
    }
  }
  printf("wrote %s/%s.svg, .png\n", out, name);
}

void figure_canvas(FILE *file, const char *name, int width, int height) {
  fprintf(file,
          "if (!exists('kind')) kind = 'png'\n"
          "if (kind eq 'svg') set terminal svg size %d,%d font 'DejaVu Sans,13' background "
          "'white'\n"
          "if (kind ne 'svg') set terminal pngcairo size %d,%d font 'DejaVu Sans,10'\n"
          "set output '%s.' . kind\n"
          "set encoding utf8\n"
          "set grid back linecolor rgb '#d8d8d8' linewidth 0.5\n"
          "set border linewidth 0.8\nset tics nomirror\n",
          width, height, width, height, name);
}

void figure_styles(FILE *file) {
  fputs(
      "set style line 1 linecolor rgb '#1f5fbf' linewidth 2 dashtype 2 pointtype 4 pointsize 1.2\n"
      "set style line 2 linecolor rgb '#000000' linewidth 2.8 dashtype 1 pointtype 7 pointsize "
      "1.3\n"
      "set style line 3 linecolor rgb '#d95f02' linewidth 2 dashtype 1 pointtype 8 pointsize 1.3\n"
      "set style line 4 linecolor rgb '#1b9e77' linewidth 2 dashtype 3 pointtype 6 pointsize 1.2\n"
      "set style line 5 linecolor rgb '#7b3f9d' linewidth 2 dashtype 4 pointtype 12 pointsize 1.4\n"
      "set style line 6 linecolor rgb '#a06020' linewidth 1.6 dashtype 5 pointtype 2 pointsize "
      "1.1\n"
      "set style line 7 linecolor rgb '#c0399f' linewidth 2 dashtype 6 pointtype 10 pointsize 1.3\n"
      "set style line 8 linecolor rgb '#5b8c00' linewidth 2 dashtype 7 pointtype 14 pointsize 1.3\n"
      "set style line 10 linecolor rgb '#000000' linewidth 2.8 dashtype 1 pointtype 5 pointsize "
      "1.3\n"
      "set style line 9 linecolor rgb '#909090' linewidth 4 dashtype 1 pointtype 3 pointsize 1.3\n",
      file);
}

void figure_block_begin(FILE *file, const char *name) {
  fprintf(file, "$%s << END\n", name);
}

void figure_block_end(FILE *file) {
  fputs("END\n", file);
}

/* ---- Results ----------------------------------------------------------------------------- */

static void number_or_nothing(FILE *file, double value) {
  if (!isnan(value)) fprintf(file, "%.4g", value);
  fputc(',', file);
}

figure_file figure_results_create(const char *out, const char *name, const char *settings) {
  char full[80];
  snprintf(full, sizeof full, "%s_results.csv", name);
  figure_file f = figure_create(out, full);
  figure_header(f.file, "Results next to those of the paper", settings);
  fputs("quantity,unit,paper,ours,remark\n", f.file);
  return f;
}

void figure_result(FILE *file, const char *quantity, const char *unit, double paper, double ours,
                   const char *remark) {
  fprintf(file, "\"%s\",%s,", quantity, unit);
  number_or_nothing(file, paper);
  number_or_nothing(file, ours);
  fprintf(file, "\"%s\"\n", remark);
}

#define _POSIX_C_SOURCE 200809L
#include "mnist.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "idx.h"
#include "plot.h"
#include "progress.h"
#include "support.h"

/* ---- The digits ---------------------------------------------------------------------------- */

/* Images and labels that belong together. */
typedef struct digits {
  idx images, labels;
} digits;

static void free_digits(digits *d) {
  idx_free(&d->images);
  idx_free(&d->labels);
}

static int check_digits(const digits *d, const char *folder, const char *name, char *message,
                        size_t size) {
  const int64_t count = d->images.size[0];
  if (d->images.size[1] != MNIST_SIDE || d->images.size[2] != MNIST_SIDE) {
    snprintf(message, size, "%s/%s images: they have %lld x %lld pixels, expected %d x %d", folder,
             name, (long long)d->images.size[1], (long long)d->images.size[2], MNIST_SIDE,
             MNIST_SIDE);
    return -1;
  }
  if (d->labels.size[0] != count) {
    snprintf(message, size, "%s/%s labels: there are %lld of them for %lld images", folder, name,
             (long long)d->labels.size[0], (long long)count);
    return -1;
  }
  for (int64_t i = 0; i < count; ++i)
    if (d->labels.bytes[i] >= MNIST_CLASSES) {
      snprintf(message, size, "%s/%s labels: number %lld is %d, expected 0 to %d", folder, name,
               (long long)i, d->labels.bytes[i], MNIST_CLASSES - 1);
      return -1;
    }
  return 0;
}

/* Reads images and labels; `name` is "train" or "t10k". */
static int read_digits(const char *folder, const char *name, digits *out, char *message,
                       size_t size) {
  char path[4096];
  memset(out, 0, sizeof *out);
  snprintf(path, sizeof path, "%s/%s-images-idx3-ubyte", folder, name);
  int status = idx_read(path, 3, &out->images, message, size);
  if (status == 0) {
    snprintf(path, sizeof path, "%s/%s-labels-idx1-ubyte", folder, name);
    status = idx_read(path, 1, &out->labels, message, size);
  }
  if (status == 0) status = check_digits(out, folder, name, message, size);
  if (status != 0) free_digits(out);
  return status;
}

typedef struct moments {
  double mean, sd;
} moments;

/* Returns mean and standard deviation of all pixels, divided by 255. */
static moments moments_of(const idx *images) {
  const int64_t count = images->size[0] * MNIST_PIXELS;
  double sum = 0, square = 0;
  for (int64_t i = 0; i < count; ++i) sum += images->bytes[i] / 255.0;
  const double mean = sum / (double)count;
  for (int64_t i = 0; i < count; ++i)
    square += (images->bytes[i] / 255.0 - mean) * (images->bytes[i] / 255.0 - mean);
  const moments m = {mean, sqrt(square / (double)count)};
  return m;
}

static nnp_data *make_data(const digits *d, int32_t store, int64_t rows, moments m,
                           int32_t *labels) {
  nnp_error err;
  nnp_data *data;
  double *x = need_memory(sizeof(double) * (size_t)(rows * MNIST_PIXELS));
  for (int64_t i = 0; i < rows * MNIST_PIXELS; ++i)
    x[i] = (d->images.bytes[i] / 255.0 - m.mean) / m.sd;
  for (int64_t i = 0; i < rows; ++i) labels[i] = d->labels.bytes[i];
  const nnp_inputs inputs = {x, rows, MNIST_PIXELS, NNP_ROW_MAJOR, store, {0}};
  check(nnp_data_create_from(&data, &inputs, 0, &err), &err);
  check(nnp_data_set_labels(data, labels, &err), &err);
  free(x);
  return data;
}

int mnist_load(const char *folder, int32_t store, int64_t most_test_rows, mnist *out, char *message,
               size_t size) {
  const int64_t most_rows[2] = {INT64_MAX, most_test_rows};
  return mnist_load_part(folder, store, most_rows, out, message, size);
}

int mnist_load_part(const char *folder, int32_t store, const int64_t most_rows[2], mnist *out,
                    char *message, size_t size) {
  digits train, test;
  memset(out, 0, sizeof *out);
  if (read_digits(folder, "train", &train, message, size) != 0) return -1;
  if (read_digits(folder, "t10k", &test, message, size) != 0) {
    free_digits(&train);
    return -1;
  }
  const moments m = moments_of(&train.images);
  out->train_rows = train.images.size[0] < most_rows[0] ? train.images.size[0] : most_rows[0];
  out->test_rows = test.images.size[0] < most_rows[1] ? test.images.size[0] : most_rows[1];
  int32_t *labels = need_memory(sizeof(int32_t) * (size_t)out->train_rows);
  out->test_labels = need_memory(sizeof(int32_t) * (size_t)out->test_rows);
  out->train = make_data(&train, store, out->train_rows, m, labels);
  out->test = make_data(&test, store, out->test_rows, m, out->test_labels);
  free(labels);
  free_digits(&train);
  free_digits(&test);
  return 0;
}

void mnist_free(mnist *digits_) {
  nnp_data_free(digits_->train);
  nnp_data_free(digits_->test);
  free(digits_->test_labels);
}

/* ---- The paper's networks ------------------------------------------------------------------ */

nnp_net *mnist_mlp_net(double noise) {
  nnp_error err;
  nnp_net *net;
  check(nnp_net_create(&net, MNIST_PIXELS, &err), &err);
  check(nnp_net_dense(net, 12, &err), &err); /* prior precisions: 784 and 12, the fan-in */
  check(nnp_net_activation(net, NNP_RELU, &err), &err);
  check(nnp_net_dense(net, MNIST_CLASSES, &err), &err);
  check(nnp_net_head(net, NNP_ARGMAX, &err), &err);
  check(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, noise, &err), &err);
  return net;
}

nnp_net *mnist_cnn_net(double noise) {
  nnp_error err;
  nnp_net *net;
  check(nnp_net_create_image(&net, 1, MNIST_SIDE, MNIST_SIDE, &err), &err);
  check(nnp_net_conv2d(net, 2, 4, 4, 2, 2, &err), &err); /* prior precisions: 16 and 72 */
  check(nnp_net_avgpool(net, 2, 2, &err), &err);
  check(nnp_net_activation(net, NNP_RELU, &err), &err);
  check(nnp_net_dense(net, MNIST_CLASSES, &err), &err);
  check(nnp_net_head(net, NNP_ARGMAX, &err), &err);
  check(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, noise, &err), &err);
  return net;
}

const mnist_point mnist_authors[MNIST_AUTHORS] = {
    {1, 0.1550},     {2, 0.1400},      {3, 0.1764},      {4, 0.2164},     {5, 0.2782},
    {6, 0.3504},     {7, 0.4218},      {8, 0.4794},      {10, 0.5890},    {12, 0.6668},
    {15, 0.7248},    {20, 0.7723},     {25, 0.7934},     {30, 0.8081},    {40, 0.8324},
    {50, 0.8444},    {70, 0.8580},     {100, 0.8679},    {150, 0.8753},   {200, 0.8774},
    {300, 0.8829},   {500, 0.8915},    {700, 0.8950},    {1000, 0.8988},  {1250, 0.9015},
    {2000, 0.9065},  {3000, 0.9075},   {5000, 0.9087},   {10000, 0.9117}, {20000, 0.9124},
    {50000, 0.9134}, {100000, 0.9114}, {200000, 0.9127}, {299999, 0.9114}};

/* ---- The run ------------------------------------------------------------------------------- */

enum { TEST_ROWS = 5000 }; /* as the authors have it */

typedef struct options {
  int64_t steps, threads;
  uint64_t seed;
  const char *data, *out;
} options;

/* Where the chain was, and how well it did there. */
typedef struct records {
  double *step, *seconds, *accuracy, *error;
  int64_t count;
} records;

typedef struct run {
  const mnist_study *study;
  mnist digits;
  nnp_net *net;
  nnp_pool *pool;
  nnp_chain *chain;
  double *outputs;
  int64_t done;
  double seconds; /* of sampling alone */
  records seen;
} run;

static volatile sig_atomic_t interrupted = 0;

static void on_interrupt(int number) {
  interrupted = 1;
  signal(number, SIG_DFL); /* the second one ends the program */
}

static int32_t stop_if_interrupted(const nnp_progress *now, void *user) {
  (void)now;
  (void)user;
  return interrupted;
}

/* Returns the next step to record: every step at first, then steps 4 % apart, which are enough
 * points for a picture on log axes. */
static int64_t next_record(int64_t step, int64_t steps) {
  const int64_t next = step + (step / 25 > 1 ? step / 25 : 1);
  return next < steps ? next : steps;
}

static records make_records(int64_t steps) {
  int64_t room = 0;
  for (int64_t step = 0; step < steps; step = next_record(step, steps)) ++room;
  const size_t bytes = sizeof(double) * (size_t)room;
  const records made = {need_memory(bytes), need_memory(bytes), need_memory(bytes),
                        need_memory(bytes), 0};
  return made;
}

static void add_record(run *r, double accuracy) {
  records *seen = &r->seen;
  seen->step[seen->count] = (double)r->done;
  seen->seconds[seen->count] = r->seconds;
  seen->accuracy[seen->count] = accuracy;
  seen->error[seen->count++] = 1 - accuracy;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* From zeros, as the authors. Their code draws weights before the sites below them, so the first
 * weights of each layer come from the prior; the backward schedule does the same. In the order of
 * their Algorithm 1 weights and scores of a chain from zeros wait for one another for some fifty
 * steps. */
static void start_at_zero(run *r, uint64_t seed) {
  nnp_error err;
  check(nnp_chain_set(r->chain, NNP_OPTION_SCHEDULE, NNP_BACKWARD, &err), &err);
  check(nnp_chain_start(r->chain, NNP_START_ZERO, seed, 0, &err), &err);
}

static void set_up(run *r, const options *opt) {
  nnp_error err;
  char table[2048];
  r->net = r->study->make_net();
  check(nnp_net_print(r->net, r->digits.train_rows, table, sizeof table, &err), &err);
  printf("%s\n%s\n", r->study->description, table);
  check(nnp_pool_create(&r->pool, opt->threads, &err), &err);
  check(nnp_chain_create(&r->chain, r->net, r->digits.train, NNP_GIBBS, NNP_INTERMEDIATE, &err),
        &err);
  check(nnp_chain_set(r->chain, NNP_OPTION_MOVES, NNP_MOVES_PLAIN, &err), &err);
  check(nnp_chain_use_pool(r->chain, r->pool, &err), &err);
  start_at_zero(r, opt->seed);
  r->outputs = need_memory(sizeof(double) * (size_t)(r->digits.test_rows * MNIST_CLASSES));
  r->seen = make_records(opt->steps);
}

/* Returns the test accuracy if the class of the largest output is predicted, by the current weights
 * alone and without noise. */
static double test_accuracy(run *r) {
  nnp_error err;
  int64_t hits = 0;
  check(nnp_chain_predict(r->chain, r->digits.test, r->outputs, &err), &err);
  for (int64_t i = 0; i < r->digits.test_rows; ++i) {
    const double *row = r->outputs + i * MNIST_CLASSES;
    int best = 0;
    for (int c = 1; c < MNIST_CLASSES; ++c)
      if (row[c] > row[best]) best = c;
    hits += best == r->digits.test_labels[i];
  }
  return (double)hits / (double)r->digits.test_rows;
}

double mnist_accuracy_at(const mnist_point *p, int count, double step) {
  for (int i = 0; i + 1 < count; ++i) {
    if (step < p[i].step || step > p[i + 1].step) continue;
    const double share = log(step / p[i].step) / log(p[i + 1].step / p[i].step);
    return p[i].accuracy + share * (p[i + 1].accuracy - p[i].accuracy);
  }
  return NAN;
}

static double authors_at(const mnist_study *study, double step) {
  return mnist_accuracy_at(study->authors, study->author_points, step);
}

/* Returns 1 for steps that are printed: 1, 2, 5, 10, 20, 50, … */
static int is_round(int64_t step) {
  while (step % 10 == 0) step /= 10;
  return step == 1 || step == 2 || step == 5;
}

static void print_heading(const run *r) {
  printf("%8s %10s %9s", "step", "seconds", "accuracy");
  if (r->study->author_points) printf(" %9s", "authors");
  printf("\n");
}

static void print_record(const run *r, double accuracy) {
  const double theirs = authors_at(r->study, (double)r->done);
  printf("%8lld %10.2f %9.4f", (long long)r->done, r->seconds, accuracy);
  if (!isnan(theirs)) printf(" %9.4f", theirs);
  printf("\n");
  fflush(stdout);
}

static void sample(run *r, int64_t steps) {
  nnp_error err;
  progress bar = progress_begin("sampling", steps);
  print_heading(r);
  while (r->done < steps) {
    const int64_t next = next_record(r->done, steps);
    const double begin = now();
    const int32_t status = nnp_chain_run(r->chain, next - r->done, stop_if_interrupted, NULL, &err);
    r->seconds += now() - begin;
    if (status == NNP_STOPPED) break;
    check(status, &err);
    r->done = next;
    const double accuracy = test_accuracy(r);
    add_record(r, accuracy);
    if (is_round(r->done) || r->done == steps) print_record(r, accuracy);
    char news[40];
    snprintf(news, sizeof news, "accuracy %.4f", accuracy);
    progress_update(&bar, r->done, news);
  }
  progress_end(&bar);
}

/* ---- Results -------------------------------------------------------------------------------- */

/* From this step on the start no longer affects how much chains differ. */
enum { COMPARE_FROM = 100 };

static void compare_with_authors(const run *r) {
  const records *s = &r->seen;
  double sum = 0, largest = 0;
  int64_t count = 0;
  for (int64_t i = 0; i < s->count; ++i) {
    const double theirs = authors_at(r->study, s->step[i]);
    if (s->step[i] < COMPARE_FROM || isnan(theirs)) continue;
    const double difference = s->accuracy[i] - theirs;
    sum += difference;
    if (fabs(difference) > fabs(largest)) largest = difference;
    ++count;
  }
  if (count == 0) return;
  const double mean = sum / (double)count;
  printf(
      "Accuracy minus the authors' at the same step, from step %d on: %+.4f on average, %+.4f\n"
      "at most. Theirs scatters by %.4f from step to step; the average of chains with other seeds\n"
      "scatters by %.4f (sd of eight): the curves %s.\n",
      COMPARE_FROM, mean, largest, r->study->authors_scatter, r->study->seeds_scatter,
      fabs(mean) < 2 * r->study->seeds_scatter ? "agree within two of these"
                                               : "differ by more than two of these");
}

static void print_summary(const run *r) {
  const double ms = 1e3 * r->seconds / (double)r->done;
  printf("\n%lld steps in %.1f s: %.1f ms per step. The authors' V100: %g ms; ratio %.2f.\n",
         (long long)r->done, r->seconds, ms, r->study->authors_ms, ms / r->study->authors_ms);
  if (r->study->author_points) compare_with_authors(r);
}

static void complain(const char *path) {
  fprintf(stderr, "%s: %s\n", path, strerror(errno));
  exit(1);
}

static void write_table(const run *r, const char *path) {
  const records *s = &r->seen;
  FILE *file = fopen(path, "w");
  if (!file) complain(path);
  fputs("step,seconds,test_accuracy,test_error,authors_accuracy\n", file);
  for (int64_t i = 0; i < s->count; ++i) {
    const double theirs = authors_at(r->study, s->step[i]);
    fprintf(file, "%.0f,%.6g,%.6g,%.6g,", s->step[i], s->seconds[i], s->accuracy[i], s->error[i]);
    if (isnan(theirs))
      fputs("\n", file);
    else
      fprintf(file, "%.4f\n", theirs);
  }
  if (fclose(file) != 0) complain(path);
}

/* Returns the authors' curve against time on their machine, up to twice our number of steps. */
static plot_curve authors_curve(const run *r, double *time, double *error) {
  const mnist_study *study = r->study;
  plot_curve curve = {"the authors, on a V100", time, error, 0, PLOT_REFERENCE};
  for (int i = 0; i < study->author_points; ++i) {
    if (study->authors[i].step > 2.0 * (double)r->done) break;
    time[i] = 1e-3 * study->authors_ms * study->authors[i].step;
    error[i] = 1 - study->authors[i].accuracy;
    ++curve.count;
  }
  return curve;
}

/* Writes the picture. Returns 0 if the run was too short for one. */
static int write_picture(const run *r, const char *path) {
  const records *s = &r->seen;
  const size_t bytes = sizeof(double) * (size_t)(r->study->author_points + 1);
  double *time = need_memory(bytes), *error = need_memory(bytes);
  const plot_curve curves[] = {{"nnpost", s->seconds, s->error, s->count, PLOT_FIRST},
                               authors_curve(r, time, error)};
  const plot_row row = {"test error", 380, 1, 0, NAN, 0};
  char note[80];
  snprintf(note, sizeof note, "Gibbs sampling, %lld images", (long long)r->digits.train_rows);
  const plot_panel panel = {
      .title = r->study->name,
      .note = note,
      .facets = {{curves, curves[1].count > 0 ? 2 : 1}},
  };
  const plot picture = {.rows = &row,
                        .row_count = 1,
                        .panels = &panel,
                        .panel_count = 1,
                        .x_label = "seconds",
                        .marks_label = ""};
  errno = 0;
  const int status = plot_write_svg(path, &picture);
  if (status != 0 && errno != 0) complain(path);
  free(time);
  free(error);
  return status == 0;
}

static void write_files(const run *r, const char *folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.csv", folder, r->study->name);
  write_table(r, path);
  printf("wrote %s", path);
  snprintf(path, sizeof path, "%s/%s.svg", folder, r->study->name);
  printf(write_picture(r, path) ? " and %s\n" : "; too few steps for %s\n", path);
}

static void tear_down(run *r) {
  nnp_chain_free(r->chain);
  nnp_pool_free(r->pool);
  nnp_net_free(r->net);
  free(r->seen.step);
  free(r->seen.seconds);
  free(r->seen.accuracy);
  free(r->seen.error);
  free(r->outputs);
  mnist_free(&r->digits);
}

/* ---- The command line ---------------------------------------------------------------------- */

static void print_usage(FILE *to, const char *name) {
  fprintf(to,
          "usage: %s [--data FOLDER] [--steps N] [--threads N] [--seed N] [--out FOLDER]\n"
          "Samples a network for MNIST; writes %s.csv and %s.svg. FOLDER of --data has the four\n"
          "IDX files, unpacked: train-images-idx3-ubyte and so on; `make mnist` fetches them.\n"
          "Ctrl-C ends the run early and shows the results so far.\n",
          name, name, name);
}

static int64_t whole_number(const mnist_study *study, const char *name, const char *text,
                            int64_t low) {
  char *end;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  if (errno == 0 && end != text && *end == '\0' && value >= low) return value;
  fprintf(stderr, "%s %s: expected a whole number from %lld\n", name, text, (long long)low);
  print_usage(stderr, study->name);
  exit(2);
}

static options read_options(const mnist_study *study, int argc, char **argv) {
  options opt = {study->steps, 2, 1, "out/mnist", "out"};
  for (int i = 1; i < argc; i += 2) {
    const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(name, "--help") == 0) {
      print_usage(stdout, study->name);
      exit(0);
    } else if (strcmp(name, "--steps") == 0) {
      opt.steps = whole_number(study, name, value, 1);
    } else if (strcmp(name, "--threads") == 0) {
      opt.threads = whole_number(study, name, value, 1);
    } else if (strcmp(name, "--seed") == 0) {
      opt.seed = (uint64_t)whole_number(study, name, value, 0);
    } else if (strcmp(name, "--data") == 0 && *value) {
      opt.data = value;
    } else if (strcmp(name, "--out") == 0 && *value) {
      opt.out = value;
    } else {
      fprintf(stderr, "%s: not understood\n", name);
      print_usage(stderr, study->name);
      exit(2);
    }
  }
  return opt;
}

int mnist_main(const mnist_study *study, int argc, char **argv) {
  const options opt = read_options(study, argc, argv);
  char message[512];
  run r;
  memset(&r, 0, sizeof r);
  r.study = study;
  if (mkdir(opt.out, 0777) != 0 && errno != EEXIST) complain(opt.out);
  if (mnist_load(opt.data, study->store, TEST_ROWS, &r.digits, message, sizeof message) != 0) {
    fprintf(stderr, "%s\nThe files are fetched by .ci/mnist; --data names another folder.\n",
            message);
    return 1;
  }
  signal(SIGINT, on_interrupt);
  set_up(&r, &opt);
  sample(&r, opt.steps);
  if (r.done > 0) {
    print_summary(&r);
    write_files(&r, opt.out);
  }
  tear_down(&r);
  return r.done > 0 ? 0 : 1;
}

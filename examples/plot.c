#include "plot.h"

#include <math.h>
#include <stdio.h>

/* The sheet and the frame of the axes in it, in pixels. */
enum { WIDTH = 800, HEIGHT = 540, LEFT = 84, RIGHT = 776, TOP = 90, BOTTOM = 480 };
enum { IN_ROW = 5 }; /* entries of the legend */

typedef struct style {
  const char *colour, *dash;
  double width;
} style;

/* Colours that colour-blind readers can tell apart (Okabe and Ito). */
static const style styles[] = {{"#000000", "none", 2.2},     {"#0072b2", "none", 1.6},
                               {"#d55e00", "7 4", 1.6},      {"#009e73", "2 3", 1.8},
                               {"#cc79a7", "10 3 2 3", 1.6}, {"#e69f00", "12 5", 1.6},
                               {"#56b4e9", "4 2", 1.6},      {"#666666", "10 3 2 3 2 3", 1.6}};

static const style *style_of(int curve) {
  return &styles[curve % (int)(sizeof styles / sizeof styles[0])];
}

/* Base-10 logarithms of the ends of both axes. */
typedef struct range {
  double low, high;
} range;

typedef struct axes {
  range x, y;
} axes;

static int drawable(const plot_curve *curve, int64_t i) {
  const double x = curve->x[i], y = curve->y[i];
  return x > 0 && y > 0 && isfinite(x) && isfinite(y);
}

static void stretch(range *r, double value) {
  r->low = fmin(r->low, log10(value));
  r->high = fmax(r->high, log10(value));
}

/* The data's range; at least a third of a decade, so that a flat curve has an axis too. */
static range padded(range r, double margin) {
  const double missing = fmax(0, 0.33 - (r.high - r.low));
  const double pad = margin * (r.high - r.low) + 0.5 * missing;
  range out = {r.low - pad, r.high + pad};
  return out;
}

static int find_axes(const plot *picture, axes *found) {
  axes a = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
  for (int c = 0; c < picture->curve_count; ++c) {
    const plot_curve *curve = &picture->curves[c];
    for (int64_t i = 0; i < curve->count; ++i) {
      if (!drawable(curve, i)) continue;
      stretch(&a.x, curve->x[i]);
      stretch(&a.y, curve->y[i]);
    }
  }
  if (!(a.x.low <= a.x.high)) return 0;
  found->x = padded(a.x, 0.01);
  found->y = padded(a.y, 0.06);
  return 1;
}

static double at_x(const axes *a, double log_x) {
  return LEFT + (log_x - a->x.low) / (a->x.high - a->x.low) * (RIGHT - LEFT);
}

static double at_y(const axes *a, double log_y) {
  return BOTTOM - (log_y - a->y.low) / (a->y.high - a->y.low) * (BOTTOM - TOP);
}

/* Text with the characters that mean something to XML written out. */
static void write_text(FILE *file, const char *text) {
  for (; *text; ++text) {
    if (*text == '<')
      fputs("&lt;", file);
    else if (*text == '&')
      fputs("&amp;", file);
    else
      fputc(*text, file);
  }
}

static void write_label(FILE *file, double x, double y, const char *attributes, const char *text) {
  fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
  write_text(file, text);
  fputs("</text>\n", file);
}

static void write_line(FILE *file, double x1, double y1, double x2, double y2, const char *stroke) {
  fprintf(file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x1, y1,
          x2, y2, stroke);
}

/* 10 to the power `decade`, at a place on an axis. */
static void write_power(FILE *file, double x, double y, const char *anchor, int decade) {
  fprintf(file,
          "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">10<tspan dy=\"-6\" "
          "font-size=\"10\">%s%d</tspan></text>\n",
          x, y, anchor, decade < 0 ? "\xe2\x88\x92" : "", decade < 0 ? -decade : decade);
}

/* Ticks at 1, 2 … 9 times each decade; grid and number at the decade. Where there are fewer than
 * two decades to be seen, 2 and 5 are numbered as well. */
static void write_tick(FILE *file, const axes *a, int vertical, int decade, int digit, int close) {
  const range *r = vertical ? &a->y : &a->x;
  const double place = decade + log10(digit);
  if (place < r->low - 1e-9 || place > r->high + 1e-9) return;
  const double length = digit == 1 ? 7 : 4;
  const double x = vertical ? LEFT : at_x(a, place), y = vertical ? at_y(a, place) : BOTTOM;
  if (digit == 1 && vertical) write_line(file, LEFT, y, RIGHT, y, "#e4e4e4");
  if (digit == 1 && !vertical) write_line(file, x, TOP, x, BOTTOM, "#e4e4e4");
  write_line(file, x, y, vertical ? x + length : x, vertical ? y : y - length, "#000000");
  const double text_x = vertical ? LEFT - 8 : x, text_y = vertical ? y + 5 : BOTTOM + 20;
  const char *anchor = vertical ? "end" : "middle";
  if (digit == 1) {
    write_power(file, text_x, text_y, anchor, decade);
  } else if (close && (digit == 2 || digit == 5)) {
    char number[32], attributes[40];
    snprintf(number, sizeof number, "%g", digit * pow(10, decade));
    snprintf(attributes, sizeof attributes, "text-anchor=\"%s\"", anchor);
    write_label(file, text_x, text_y, attributes, number);
  }
}

static void write_ticks(FILE *file, const axes *a, int vertical) {
  const range *r = vertical ? &a->y : &a->x;
  const int close = r->high - r->low < 1.7;
  for (int decade = (int)floor(r->low); decade <= (int)ceil(r->high); ++decade)
    for (int digit = 1; digit <= 9; ++digit) write_tick(file, a, vertical, decade, digit, close);
}

/* Entries of the legend: the curves, and one for the marks. */
static int legend_entries(const plot *picture) {
  return picture->curve_count + (picture->mark_count > 0);
}

static int legend_rows(const plot *picture) {
  return (legend_entries(picture) + IN_ROW - 1) / IN_ROW;
}

static void write_axes(FILE *file, const plot *picture, const axes *a) {
  write_ticks(file, a, 0);
  write_ticks(file, a, 1);
  fprintf(file,
          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
          "stroke=\"#000000\"/>\n",
          LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP);
  const double middle = 0.5 * (LEFT + RIGHT), centre = 0.5 * (TOP + BOTTOM);
  write_label(file, middle, TOP - 42 - 20 * (legend_rows(picture) - 1),
              "text-anchor=\"middle\" font-size=\"16\"", picture->title);
  write_label(file, middle, BOTTOM + 46, "text-anchor=\"middle\"", picture->x_label);
  char turned[80];
  snprintf(turned, sizeof turned, "text-anchor=\"middle\" transform=\"rotate(-90 26 %.1f)\"",
           centre);
  write_label(file, 26, centre, turned, picture->y_label);
}

static void write_stroke(FILE *file, int curve) {
  const style *s = style_of(curve);
  fprintf(file,
          " fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\" stroke-dasharray=\"%s\" "
          "stroke-linejoin=\"round\"/>\n",
          s->colour, s->width, s->dash);
}

static void write_curve(FILE *file, const plot *picture, const axes *a, int c) {
  const plot_curve *curve = &picture->curves[c];
  fputs("<polyline points=\"", file);
  for (int64_t i = 0; i < curve->count; ++i)
    if (drawable(curve, i))
      fprintf(file, "%.1f,%.1f ", at_x(a, log10(curve->x[i])), at_y(a, log10(curve->y[i])));
  fputc('"', file);
  write_stroke(file, c);
}

static void write_mark(FILE *file, const axes *a, const plot_mark *mark) {
  if (!(mark->x > 0) || !isfinite(mark->x)) return;
  fprintf(file,
          "<circle cx=\"%.1f\" cy=\"%d\" r=\"6\" fill=\"%s\" stroke=\"#ffffff\" "
          "stroke-width=\"1.5\"/>\n",
          at_x(a, log10(mark->x)), BOTTOM, style_of(mark->curve)->colour);
}

/* Between title and frame, where no curve can be. */
static void write_entry(FILE *file, const plot *picture, int number) {
  const int column_width = (RIGHT - LEFT) / IN_ROW, entries = legend_entries(picture);
  const int in_row = entries < IN_ROW ? entries : IN_ROW;
  const int left = (LEFT + RIGHT - in_row * column_width) / 2 + 2;
  const int x = left + number % IN_ROW * column_width;
  const int y = TOP - 16 - 20 * (legend_rows(picture) - 1 - number / IN_ROW);
  if (number < picture->curve_count) {
    fprintf(file, "<polyline points=\"%d,%d %d,%d\"", x, y, x + 44, y);
    write_stroke(file, number);
    write_label(file, x + 52, y + 5, "", picture->curves[number].label);
  } else {
    fprintf(file, "<circle cx=\"%d\" cy=\"%d\" r=\"6\" fill=\"#888888\"/>\n", x + 36, y);
    write_label(file, x + 52, y + 5, "", picture->mark_label);
  }
}

static void write_legend(FILE *file, const plot *picture) {
  for (int i = 0; i < legend_entries(picture); ++i) write_entry(file, picture, i);
}

static void write_sheet(FILE *file, const plot *picture, const axes *a) {
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
          "height=\"%d\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" "
          "font-size=\"14\">\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
          WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
  write_axes(file, picture, a);
  /* The last curve first: the first one, the reference, lies on top. */
  for (int c = picture->curve_count - 1; c >= 0; --c) write_curve(file, picture, a, c);
  for (int m = 0; m < picture->mark_count; ++m) write_mark(file, a, &picture->marks[m]);
  write_legend(file, picture);
  fputs("</svg>\n", file);
}

int plot_write_svg(const char *path, const plot *picture) {
  axes a;
  if (!find_axes(picture, &a)) return -1;
  FILE *file = fopen(path, "w");
  if (!file) return -1;
  write_sheet(file, picture, &a);
  const int failed = ferror(file);
  return fclose(file) || failed ? -1 : 0;
}

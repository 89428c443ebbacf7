#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The sheet, in pixels. */
enum {
  LEFT = 92,
  RIGHT = 18,
  TOP = 66,
  PANEL = 520,      /* width of a panel's frame */
  BETWEEN = 34,     /* panels */
  GAP = 12,         /* between facets */
  LANE = 52,        /* between the last facet and the time axis: room for circles */
  FOOT = 84,        /* below the time axis */
  RADIUS = 9,       /* of a circle */
  SMOOTH_PIXELS = 3 /* points this close are drawn as their mean */
};

typedef struct look {
  const char *colour, *dash;
  double width;
} look;

/* Colours that colour-blind readers can tell apart (Okabe and Ito). */
static const look looks[] = {{"#000000", "none", 2.6},
                             {"#0072b2", "none", 1.4},
                             {"#d55e00", "5 3", 1.5},
                             {"#5b5b5b", "none", 1.6}};

typedef struct range {
  double low, high;
} range;

/* Where one facet lies and what its axes show; the time axis in base-10 logarithms. */
typedef struct frame {
  double left, top, bottom;
  range x, y;
  int logarithmic;
} frame;

/* ---- Scales -------------------------------------------------------------------------------- */

static double scaled(double value, int logarithmic) {
  return logarithmic ? log10(value) : value;
}

static double at_x(const frame *f, double log_x) {
  return f->left + (log_x - f->x.low) / (f->x.high - f->x.low) * PANEL;
}

static double at_y(const frame *f, double y) {
  return f->bottom - (y - f->y.low) / (f->y.high - f->y.low) * (f->bottom - f->top);
}

static int drawable(const plot_curve *curve, int64_t i, int logarithmic) {
  return curve->x[i] > 0 && isfinite(curve->x[i]) && isfinite(curve->y[i]) &&
         (!logarithmic || curve->y[i] > 0);
}

static void stretch(range *r, double value) {
  r->low = fmin(r->low, value);
  r->high = fmax(r->high, value);
}

static void stretch_by_curve(const plot_curve *curve, const plot_row *row, range *x, range *y) {
  for (int64_t i = 0; i < curve->count; ++i) {
    if (!drawable(curve, i, row->logarithmic)) continue;
    stretch(x, log10(curve->x[i]));
    stretch(y, scaled(curve->y[i], row->logarithmic));
  }
}

/* Adds a margin of 6 % to a range, and gives it some height even if all values are equal. */
static range padded(range r) {
  const double size = r.high - r.low;
  const double pad = size > 0 ? 0.06 * size : fmax(0.2, 0.2 * fabs(r.low));
  const range out = {r.low - pad, r.high + pad};
  return out;
}

/* Finds the range of the time axis, common to all panels, and that of the y axis of each row.
 * Returns 0 if there is nothing to draw. */
static int find_ranges(const plot *picture, range *x, range *y) {
  const range nothing = {INFINITY, -INFINITY};
  *x = nothing;
  for (int r = 0; r < picture->row_count; ++r) {
    const plot_row *row = &picture->rows[r];
    y[r] = nothing;
    if (isfinite(row->rule)) stretch(&y[r], scaled(row->rule, row->logarithmic));
    for (int p = 0; p < picture->panel_count; ++p) {
      const plot_facet *facet = &picture->panels[p].facets[r];
      for (int c = 0; c < facet->curve_count; ++c)
        stretch_by_curve(&facet->curves[c], row, x, &y[r]);
    }
    if (!(y[r].low <= y[r].high)) y[r].low = y[r].high = 0;
    y[r] = padded(y[r]);
  }
  if (!(x->low < x->high)) return 0;
  x->high += 0.01 * (x->high - x->low);
  return 1;
}

/* ---- Elements ------------------------------------------------------------------------------ */

/* Writes a text, with characters that mean something to XML escaped. */
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

/* Writes 10 to the power `decade`. */
static void write_power(FILE *file, double x, double y, const char *anchor, int decade) {
  fprintf(file,
          "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">10<tspan dy=\"-6\" "
          "font-size=\"10\">%s%d</tspan></text>\n",
          x, y, anchor, decade < 0 ? "\xe2\x88\x92" : "", decade < 0 ? -decade : decade);
}

static void write_stroke(FILE *file, plot_style style) {
  const look *l = &looks[style];
  fprintf(file,
          " fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\" stroke-dasharray=\"%s\" "
          "stroke-linejoin=\"round\"/>\n",
          l->colour, l->width, l->dash);
}

/* ---- Axes ---------------------------------------------------------------------------------- */

static void write_tick(FILE *file, const frame *f, double y, int large, int with_grid) {
  if (with_grid) write_line(file, f->left, at_y(f, y), f->left + PANEL, at_y(f, y), "#e6e6e6");
  write_line(file, f->left, at_y(f, y), f->left + (large ? 7 : 4), at_y(f, y), "#000000");
}

/* Writes ticks at 1, 2 … 9 times each decade, and grid line and number at the decade. If there are
 * fewer than one and a half decades, 2 and 5 are numbered as well. */
static void write_log_ticks(FILE *file, const frame *f, int numbered) {
  const int close = f->y.high - f->y.low < 1.5;
  for (int decade = (int)floor(f->y.low); decade <= (int)ceil(f->y.high); ++decade)
    for (int digit = 1; digit <= 9; ++digit) {
      const double place = decade + log10(digit);
      char number[32];
      if (place < f->y.low || place > f->y.high) continue;
      write_tick(file, f, place, digit == 1, digit == 1);
      if (!numbered) continue;
      snprintf(number, sizeof number, "%g", digit * pow(10, decade));
      if (digit == 1 && !close)
        write_power(file, f->left - 8, at_y(f, place) + 5, "end", decade);
      else if (close && (digit == 1 || digit == 2 || digit == 5))
        write_label(file, f->left - 8, at_y(f, place) + 5, "text-anchor=\"end\"", number);
    }
}

/* Writes ticks at three to six round numbers. */
static void write_even_ticks(FILE *file, const frame *f, int numbered) {
  const double size = f->y.high - f->y.low, unit = pow(10, floor(log10(size / 2.5)));
  const double step = unit * (size / unit > 15 ? 5 : size / unit > 6 ? 2 : 1);
  for (double i = ceil(f->y.low / step); i * step <= f->y.high; ++i) {
    char number[32];
    write_tick(file, f, i * step, 1, 1);
    snprintf(number, sizeof number, "%g", i == 0 ? 0 : i * step); /* not -0 */
    if (numbered)
      write_label(file, f->left - 8, at_y(f, i * step) + 5, "text-anchor=\"end\"", number);
  }
}

static void write_time_axis(FILE *file, const frame *f, double axis) {
  write_line(file, f->left, axis, f->left + PANEL, axis, "#000000");
  for (int decade = (int)floor(f->x.low); decade <= (int)ceil(f->x.high); ++decade)
    for (int digit = 1; digit <= 9; ++digit) {
      const double place = decade + log10(digit), x = at_x(f, place);
      if (place < f->x.low - 1e-9 || place > f->x.high) continue;
      write_line(file, x, axis, x, axis + (digit == 1 ? 7 : 4), "#000000");
      if (digit == 1) write_power(file, x, axis + 26, "middle", decade);
    }
}

static void write_frame(FILE *file, const frame *f, const plot_row *row, int numbered) {
  for (int decade = (int)ceil(f->x.low); decade <= (int)floor(f->x.high); ++decade)
    write_line(file, at_x(f, decade), f->top, at_x(f, decade), f->bottom, "#e6e6e6");
  if (f->logarithmic)
    write_log_ticks(file, f, numbered);
  else
    write_even_ticks(file, f, numbered);
  if (isfinite(row->rule)) {
    const double y = at_y(f, scaled(row->rule, f->logarithmic));
    write_line(file, f->left, y, f->left + PANEL, y, "#000000\" stroke-dasharray=\"2 2");
  }
  fprintf(file,
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"none\" "
          "stroke=\"#000000\"/>\n",
          f->left, f->top, PANEL, f->bottom - f->top);
  if (!numbered) return;
  char turned[100];
  const double x = f->left - 66, y = 0.5 * (f->top + f->bottom);
  snprintf(turned, sizeof turned, "text-anchor=\"middle\" transform=\"rotate(-90 %.1f %.1f)\"", x,
           y);
  write_label(file, x, y, turned, row->label);
}

/* ---- Curves, circles, legends -------------------------------------------------------------- */

/* Points that share a few pixels of the time axis. */
typedef struct cluster {
  double first, x_sum, y_sum, lowest, highest;
  int64_t count;
} cluster;

/* Draws a cluster as the mean of its points, or as a stroke from one extreme to the other. */
static void write_cluster(FILE *file, const cluster *c, int smooth) {
  const double x = c->x_sum / (double)c->count;
  if (smooth || c->count == 1)
    fprintf(file, "%.1f,%.1f ", x, c->y_sum / (double)c->count);
  else
    fprintf(file, "%.1f,%.1f %.1f,%.1f ", x, c->lowest, x, c->highest);
}

static void write_points(FILE *file, const frame *f, const plot_curve *curve, int smooth) {
  const double width = smooth ? SMOOTH_PIXELS : 1;
  cluster c = {0, 0, 0, 0, 0, 0};
  for (int64_t i = 0; i < curve->count; ++i) {
    if (!drawable(curve, i, f->logarithmic)) continue;
    const double x = at_x(f, log10(curve->x[i]));
    const double y = at_y(f, scaled(curve->y[i], f->logarithmic));
    if (c.count > 0 && x - c.first >= width) {
      write_cluster(file, &c, smooth);
      c.count = 0;
    }
    if (c.count == 0) {
      const cluster fresh = {x, 0, 0, y, y, 0};
      c = fresh;
    }
    c.x_sum += x;
    c.y_sum += y;
    c.lowest = fmin(c.lowest, y);
    c.highest = fmax(c.highest, y);
    ++c.count;
  }
  if (c.count > 0) write_cluster(file, &c, smooth);
}

static void write_curve(FILE *file, const frame *f, const plot_curve *curve, int smooth) {
  fputs("<polyline points=\"", file);
  write_points(file, f, curve, smooth);
  fputc('"', file);
  write_stroke(file, curve->style);
}

static double text_width(const char *text) {
  return 7.7 * (double)strlen(text);
}

/* Writes the legend, on white, in an upper corner. */
static void write_legend(FILE *file, const frame *f, const plot_row *row, const plot_facet *facet) {
  double width = 0;
  int entries = 0;
  for (int c = 0; c < facet->curve_count; ++c) {
    if (!facet->curves[c].label) continue;
    width = fmax(width, 54 + text_width(facet->curves[c].label));
    ++entries;
  }
  if (entries == 0) return;
  const double x = row->legend_left ? f->left + 12 : f->left + PANEL - width - 4;
  double y = f->top + 17;
  fprintf(file,
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"#ffffff\" "
          "fill-opacity=\"0.85\"/>\n",
          x, f->top + 3, width, 18 * entries + 4);
  for (int c = 0; c < facet->curve_count; ++c) {
    if (!facet->curves[c].label) continue;
    fprintf(file, "<polyline points=\"%.1f,%.1f %.1f,%.1f\"", x + 6, y - 4, x + 38, y - 4);
    write_stroke(file, facet->curves[c].style);
    write_label(file, x + 45, y, "font-size=\"13\"", facet->curves[c].label);
    y += 18;
  }
}

static int placed(const plot_mark *mark) {
  return mark->x > 0 && isfinite(mark->x);
}

static void write_dotted(FILE *file, const frame *f, const plot_mark *mark) {
  const double x = at_x(f, log10(mark->x));
  char stroke[80];
  snprintf(stroke, sizeof stroke, "%s\" stroke-dasharray=\"1 3\" stroke-width=\"1.6",
           looks[mark->style].colour);
  write_line(file, x, f->top, x, f->bottom, stroke);
}

static void write_facet(FILE *file, const frame *f, const plot_row *row, const plot_panel *panel,
                        int number, int numbered) {
  const plot_facet *facet = &panel->facets[number];
  write_frame(file, f, row, numbered);
  for (int m = 0; m < panel->mark_count; ++m)
    if (panel->marks[m].row == number && placed(&panel->marks[m]))
      write_dotted(file, f, &panel->marks[m]);
  /* In reverse, so that the first curve lies on top. */
  for (int c = facet->curve_count - 1; c >= 0; --c)
    write_curve(file, f, &facet->curves[c], row->smooth);
  write_legend(file, f, row, facet);
}

/* Returns how high a circle is stacked: one that would overlap another to its left is put above
 * it. */
static int storey(const frame *f, const plot_panel *panel, int number) {
  int floors[64] = {0};
  for (int m = 0; m <= number && m < 64; ++m) {
    if (!placed(&panel->marks[m])) continue;
    for (int k = 0; k < m; ++k) {
      const double apart = at_x(f, log10(panel->marks[m].x)) - at_x(f, log10(panel->marks[k].x));
      if (placed(&panel->marks[k]) && fabs(apart) < 2 * RADIUS + 1 && floors[m] <= floors[k])
        floors[m] = floors[k] + 1;
    }
  }
  return number < 64 ? floors[number] : 0;
}

/* Draws a circle: filled, or hollow for the second style, so that they differ in black and
 * white. */
static void write_circle(FILE *file, double x, double y, plot_style style, char letter) {
  const int hollow = style == PLOT_SECOND;
  const char text[2] = {letter, '\0'};
  char attributes[120];
  fprintf(file,
          "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" stroke=\"%s\" "
          "stroke-width=\"1.5\"/>\n",
          x, y, hollow ? RADIUS - 1.0 : RADIUS, hollow ? "#ffffff" : looks[style].colour,
          hollow ? looks[style].colour : "#ffffff");
  snprintf(attributes, sizeof attributes,
           "text-anchor=\"middle\" font-size=\"12\" font-weight=\"bold\" fill=\"%s\"",
           hollow ? looks[style].colour : "#ffffff");
  write_label(file, x, y + 4.5, attributes, text);
}

static void write_mark(FILE *file, const frame *f, const plot_panel *panel, int number,
                       double axis) {
  const plot_mark *mark = &panel->marks[number];
  write_circle(file, at_x(f, log10(mark->x)), axis - storey(f, panel, number) * 2 * RADIUS,
               mark->style, mark->letter);
}

/* ---- The sheet ----------------------------------------------------------------------------- */

static void write_panel(FILE *file, const plot *picture, int number, range x, const range *y) {
  const plot_panel *panel = &picture->panels[number];
  frame f = {LEFT + number * (PANEL + BETWEEN), TOP, TOP, x, {0, 0}, 0};
  write_label(file, f.left, 26, "font-size=\"17\" font-weight=\"bold\"", panel->title);
  write_label(file, f.left, 48, "", panel->note);
  for (int r = 0; r < picture->row_count; ++r) {
    f.bottom = f.top + picture->rows[r].height;
    f.y = y[r];
    f.logarithmic = picture->rows[r].logarithmic;
    write_facet(file, &f, &picture->rows[r], panel, r, number == 0);
    f.top = f.bottom + GAP;
  }
  const double axis = f.bottom + LANE;
  write_time_axis(file, &f, axis);
  for (int m = 0; m < panel->mark_count; ++m)
    if (placed(&panel->marks[m])) write_mark(file, &f, panel, m, axis);
}

/* Writes at the foot what circles and letters mean. */
static void write_keys(FILE *file, const plot *picture, double y) {
  double x = LEFT;
  write_label(file, x, y, "font-size=\"13\"", picture->marks_label);
  x += text_width(picture->marks_label) + 18;
  for (int k = 0; k < picture->key_count; ++k) {
    write_circle(file, x, y - 4, PLOT_BOTH, picture->keys[k].letter);
    write_label(file, x + 15, y, "font-size=\"13\"", picture->keys[k].text);
    x += text_width(picture->keys[k].text) + 44;
  }
}

static void write_sheet(FILE *file, const plot *picture, range x, const range *y) {
  const int width =
      LEFT + RIGHT + picture->panel_count * PANEL + (picture->panel_count - 1) * BETWEEN;
  int height = TOP + LANE + FOOT - GAP;
  for (int r = 0; r < picture->row_count; ++r) height += picture->rows[r].height + GAP;
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
          "height=\"%d\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" "
          "font-size=\"14\">\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
          width, height, width, height, width, height);
  for (int p = 0; p < picture->panel_count; ++p) {
    write_panel(file, picture, p, x, y);
    write_label(file, LEFT + p * (PANEL + BETWEEN) + 0.5 * PANEL, height - FOOT + 46,
                "text-anchor=\"middle\"", picture->x_label);
  }
  write_keys(file, picture, height - 12);
  fputs("</svg>\n", file);
}

int plot_write_svg(const char *path, const plot *picture) {
  range x, y[PLOT_MOST_ROWS];
  if (picture->row_count > PLOT_MOST_ROWS || !find_ranges(picture, &x, y)) return -1;
  FILE *file = fopen(path, "w");
  if (!file) return -1;
  write_sheet(file, picture, x, y);
  const int failed = ferror(file);
  return fclose(file) || failed ? -1 : 0;
}

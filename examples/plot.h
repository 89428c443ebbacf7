/* Curves on log-log axes, written as an SVG file. No libraries needed. */
#ifndef EXAMPLES_PLOT_H
#define EXAMPLES_PLOT_H

#include <stdint.h>

/* Points that are not positive and finite are left out. Up to eight curves look different, by
 * colour and, in black and white, by dashes; the style goes by the number of the curve. */
typedef struct plot_curve {
  const char *label;
  const double *x, *y;
  int64_t count;
} plot_curve;

/* A dot on the x axis in the colour of a curve. */
typedef struct plot_mark {
  double x;
  int curve;
} plot_mark;

typedef struct plot {
  const char *title, *x_label, *y_label;
  const plot_curve *curves;
  int curve_count;
  const plot_mark *marks;
  int mark_count;
  const char *mark_label; /* what the marks mean; unused if there are none */
} plot;

/* 0, or -1 if the file cannot be written (errno tells why) or there is nothing to draw. */
int plot_write_svg(const char *path, const plot *picture);

#endif

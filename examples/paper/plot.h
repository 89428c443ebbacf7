/* Curves over a logarithmic time axis, written as an SVG file: panels side by side, each a stack of
 * facets, with lettered circles on the time axis. No libraries needed. */
#ifndef EXAMPLES_PLOT_H
#define EXAMPLES_PLOT_H

#include <stdint.h>

/* How curves and circles look: distinguished by colour and, without it, by width and dashes. */
typedef enum plot_style { PLOT_REFERENCE, PLOT_FIRST, PLOT_SECOND, PLOT_BOTH } plot_style;

/* Points that cannot be drawn on the axes (not positive, not finite) are left out. */
typedef struct plot_curve {
  const char *label; /* NULL: not in the legend */
  const double *x, *y;
  int64_t count;
  plot_style style;
} plot_curve;

typedef struct plot_facet {
  const plot_curve *curves;
  int curve_count;
} plot_facet;

/* A circle on the time axis, and a dotted line in the facet it belongs to. Marks that are not
 * positive and finite are left out. */
typedef struct plot_mark {
  double x;
  char letter;
  int row;
  plot_style style;
} plot_mark;

/* A row of facets, one in each panel, on a common scale. */
typedef struct plot_row {
  const char *label;
  int height;      /* in pixels */
  int logarithmic; /* the y axis */
  int smooth;      /* draw means over a few pixels, not every swing */
  double rule;     /* a thin line across at this height; NaN: none */
  int legend_left; /* the legend stands in the upper left corner, not the right one */
} plot_row;

/* What a letter means, at the foot. */
typedef struct plot_key {
  char letter;
  const char *text;
} plot_key;

enum { PLOT_MOST_ROWS = 4 };

typedef struct plot_panel {
  const char *title, *note;
  plot_facet facets[PLOT_MOST_ROWS];
  const plot_mark *marks;
  int mark_count;
} plot_panel;

typedef struct plot {
  const plot_row *rows;
  int row_count;
  const plot_panel *panels;
  int panel_count;
  const char *x_label;
  const char *marks_label; /* what the circles stand for */
  const plot_key *keys;
  int key_count;
} plot;

/* Writes the picture. Returns 0, or -1 if the file cannot be written (errno says why) or there is
 * nothing to draw. */
int plot_write_svg(const char *path, const plot *picture);

#endif

// The 2d convolution: out[f, y, x] = b[f] + sum over channels and filter of w[f, c, r, s] * in[c, y
// * step_y + r - pad_y, x * step_x + s - pad_x], where pixels outside the image are 0; or the means
// of pools of such outputs, which are the same products with pooled patches. A pixel of all rows of
// a tile is contiguous, so a patch of a tile is a matrix rows x (channels * height * width),
// gathered in cache for a few positions at a time. The rest uses the products of the dense layer.
#include <cmath>
#include <cstring>

#include "lib/linalg/cholesky.hpp"
#include "lib/network/columns.hpp"
#include "lib/network/window.hpp"
#include "lib/random/variates.hpp"

namespace nnp {

namespace {

// ---- geometry ------------------------------------------------------------------------------

// All sizes of a convolution; the layer's output may since have been given another shape.
struct Geometry {
  Shape in;
  Window window;
  int64_t filters, out_height, out_width;

  int64_t patch() const { return in.channels * window.height * window.width; }
  int64_t positions() const { return out_height * out_width; }
  int64_t outputs() const { return filters * positions(); }
  bool padded() const { return window.pad_y > 0 || window.pad_x > 0; }
  bool has(int64_t y, int64_t x) const { return y >= 0 && y < in.height && x >= 0 && x < in.width; }
};

int64_t outputs_along(int64_t pixels, int64_t pad, int64_t filter, int64_t step, int64_t pool) {
  return ((pixels + 2 * pad - filter) / step + 1) / pool;
}

Geometry geometry_of(const Layer &layer) {
  const Window &w = layer.window;
  Geometry g = {layer.in, w, 0, 0, 0};
  g.filters = layer.weight_count / g.patch();
  g.out_height = outputs_along(layer.in.height, w.pad_y, w.height, w.step_y, w.pool_y);
  g.out_width = outputs_along(layer.in.width, w.pad_x, w.width, w.step_x, w.pool_x);
  return g;
}

// The equivalent convolution without pools: larger filters with larger steps.
Geometry wide_geometry(Geometry g) {
  Window &w = g.window;
  w.height += (w.pool_y - 1) * w.step_y;
  w.width += (w.pool_x - 1) * w.step_x;
  w.step_y *= w.pool_y;
  w.step_x *= w.pool_x;
  w.pool_y = w.pool_x = 1;
  return g;
}

int64_t order(const Layer &layer) {
  return geometry_of(layer).patch() + (layer.bias ? 1 : 0);
}

int64_t units(const Layer &layer) {
  return geometry_of(layer).filters;
}

// ---- patches -------------------------------------------------------------------------------

// A few columns of the patches of a few positions, positions stacked vertically.
struct PatchBlock {
  static constexpr int64_t room = 4096;
  static constexpr int64_t most_columns = room / 8;  // a tile has room for at least 8 rows
  alignas(64) double values[room];
};

struct Part {
  int64_t position, positions;  // first and count
  int64_t column, columns;
};

// Calls work(part) for all positions and columns of the patches. Positions are stacked only if a
// tile has no padding rows, because then a site's pixels are contiguous too.
template <class Work>
void for_each_part(const Geometry &g, ConstTile in, Work work) {
  const int64_t most = PatchBlock::room / in.ld, patch = g.patch();
  const int64_t columns = std::min(patch, most);
  const int64_t together = in.rows == in.ld ? std::max<int64_t>(most / patch, 1) : 1;
  for (int64_t p = 0; p < g.positions(); p += together)
    for (int64_t k = 0; k < patch; k += columns)
      work(Part{p, std::min(together, g.positions() - p), k, std::min(columns, patch - k)});
}

// The block of a part as a matrix.
Tile block_tile(PatchBlock &block, const Part &part, ConstTile in) {
  const int64_t rows = part.positions * in.rows;
  return {block.values, rows, part.columns, rows};
}

// The site's pixels at the positions of a part: (positions x rows) x filters.
template <class AnyTile>
AnyTile at_positions(const Geometry &g, AnyTile out, const Part &part) {
  return {out.col(part.position), part.positions * out.rows, g.filters, g.positions() * out.ld};
}

// A pixel; outside the image it belongs to the padding.
struct Spot {
  int64_t channel, y, x;
};

int64_t pixel_at(const Geometry &g, const Spot &spot) {
  return (spot.channel * g.in.height + spot.y) * g.in.width + spot.x;
}

// Calls work(spot, column of the block) for the columns of a part at one position; the spot is the
// first pixel of its pool.
template <class Work>
void for_each_column(const Geometry &g, const Part &part, int64_t position, Work work) {
  const Window &w = g.window;
  const int64_t top = position / g.out_width * w.pool_y * w.step_y - w.pad_y;
  const int64_t left = position % g.out_width * w.pool_x * w.step_x - w.pad_x;
  int64_t s = part.column % w.width;
  int64_t r = part.column / w.width % w.height;
  int64_t c = part.column / w.width / w.height;
  for (int64_t k = 0; k < part.columns; ++k) {
    work(Spot{c, top + r, left + s}, k);
    if (++s < w.width) continue;
    s = 0;
    if (++r < w.height) continue;
    r = 0;
    ++c;
  }
}

// The steps from `first` on that fall on pixels 0 … pixels - 1.
struct Steps {
  int64_t begin, end;
};

Steps steps_inside(int64_t first, int64_t step, int64_t count, int64_t pixels) {
  const int64_t begin = first < 0 ? (-first + step - 1) / step : 0;
  const int64_t end = first < pixels ? (pixels - first + step - 1) / step : 0;
  return {std::min(begin, count), std::max(std::min(end, count), std::min(begin, count))};
}

// The rows and columns of the pool starting at a spot that are inside the image.
struct PoolPart {
  Steps y, x;
  int64_t size() const { return (y.end - y.begin) * (x.end - x.begin); }
};

PoolPart pool_inside(const Geometry &g, const Spot &spot) {
  const Window &w = g.window;
  if (!g.padded()) return {{0, w.pool_y}, {0, w.pool_x}};
  return {steps_inside(spot.y, w.step_y, w.pool_y, g.in.height),
          steps_inside(spot.x, w.step_x, w.pool_x, g.in.width)};
}

// out = the mean over the pool starting at a spot; pixels of the padding are 0.
void average_padded(const Geometry &g, ConstTile in, const Spot &spot, const Kernels &kernels,
                    double *out) {
  const Window &w = g.window;
  const PoolPart part = pool_inside(g, spot);
  if (part.size() == 0) {
    std::fill_n(out, in.rows, 0.0);
    return;
  }
  const Spot first = {spot.channel, spot.y + part.y.begin * w.step_y,
                      spot.x + part.x.begin * w.step_x};
  const PixelWindow inside = {part.y.end - part.y.begin, part.x.end - part.x.begin,
                              w.step_y * g.in.width, w.step_x};
  average_columns(in, pixel_at(g, first), inside, kernels, out);
  if (part.size() == w.pool_y * w.pool_x) return;
  const double share = static_cast<double>(part.size()) / static_cast<double>(w.pool_y * w.pool_x);
  for (int64_t i = 0; i < in.rows; ++i) out[i] *= share;
}

void gather(const Geometry &g, ConstTile in, const Part &part, const Kernels &kernels, Tile block) {
  const Window &w = g.window;
  const PixelWindow pool = {w.pool_y, w.pool_x, w.step_y * g.in.width, w.step_x};
  for (int64_t p = 0; p < part.positions; ++p)
    for_each_column(g, part, part.position + p, [&](const Spot &spot, int64_t k) {
      double *to = block.col(k) + p * in.rows;
      if (g.padded()) return average_padded(g, in, spot, kernels, to);
      average_columns(in, pixel_at(g, spot), pool, kernels, to);
    });
}

// The transpose of gather.
void scatter_add(const Geometry &g, ConstTile block, const Part &part, Tile in) {
  const Window &w = g.window;
  const double share = 1.0 / static_cast<double>(w.pool_y * w.pool_x);
  for (int64_t p = 0; p < part.positions; ++p)
    for_each_column(g, part, part.position + p, [&](const Spot &spot, int64_t k) {
      const double *from = block.col(k) + p * in.rows;
      const PoolPart inside = pool_inside(g, spot);
      const int64_t pixel = pixel_at(g, spot);
      for (int64_t y = inside.y.begin; y < inside.y.end; ++y)
        for (int64_t x = inside.x.begin; x < inside.x.end; ++x) {
          double *to = in.col(pixel + y * w.step_y * g.in.width + x * w.step_x);
          for (int64_t i = 0; i < in.rows; ++i) to[i] += share * from[i];
        }
    });
}

// ---- patches of bytes ----------------------------------------------------------------------

// Byte patches with few filters are not gathered: the kernels form them in registers, without the
// shift that all pixels have in common. Padding pixels do not have the shift.
bool made_in_registers(const Geometry &g, ConstTile in) {
  return !g.padded() && in.packed && in.packed->kind == StoreKind::bytes && in.packed->same_scale &&
         in.rows % pooled_rows == 0 && g.filters <= most_pooled_filters &&
         g.window.pool_y * g.window.pool_x <= most_pooled_bytes && g.patch() <= PatchBlock::room;
}

// Calls work(patches, first position) for every row of positions.
template <class Work>
void for_each_row_of_bytes(const Geometry &g, ConstTile in, Work work) {
  const Window &w = g.window;
  const int64_t ld = in.ld;
  int64_t offset[PatchBlock::room];
  for_each_column(g, {0, 1, 0, g.patch()}, 0,
                  [&](const Spot &spot, int64_t k) { offset[k] = pixel_at(g, spot) * ld; });
  const ColumnWindow pool = {w.pool_y, w.pool_x, w.step_y * g.in.width * ld, w.step_x * ld,
                             in.width * ld};
  for (int64_t y = 0; y < g.out_height; ++y) {
    const int64_t first = y * w.pool_y * w.step_y * g.in.width;
    work(PooledBytes{in.packed->bytes + first * ld, g.out_width, w.pool_x * w.step_x * ld, ld,
                     offset, g.patch(), pool, in.packed->scale[0]},
         y * g.out_width);
  }
}

void forward_bytes(const Geometry &g, const double *w, const double *b, ConstTile in, Tile out,
                   const Kernels &kernels) {
  double start[most_pooled_filters];
  for (int64_t f = 0; f < g.filters; ++f) {
    start[f] = b ? b[f] : 0.0;
    for (int64_t k = 0; k < g.patch(); ++k) start[f] += in.packed->shift[0] * w[f * g.patch() + k];
  }
  for_each_row_of_bytes(g, in, [&](const PooledBytes &patches, int64_t position) {
    const Part part = {position, 1, 0, g.patch()};
    kernels.pooled_multiply(patches, w, start, at_positions(g, out, part));
  });
}

// c += patches' out, without the shift
void add_cross_bytes(const Geometry &g, ConstTile in, ConstTile out, double *c, int64_t ldc,
                     const Kernels &kernels) {
  for_each_row_of_bytes(g, in, [&](const PooledBytes &patches, int64_t position) {
    const Part part = {position, 1, 0, g.patch()};
    kernels.pooled_cross(patches, at_positions(g, out, part), c, ldc);
  });
}

// ---- products ------------------------------------------------------------------------------

void forward(const Layer &layer, const double *params, ConstTile in, Tile out,
             const Kernels &kernels) {
  const Geometry g = geometry_of(layer);
  const double *w = layer.weights(params), *b = layer.biases(params);
  if (made_in_registers(g, in)) return forward_bytes(g, w, b, in, out, kernels);
  PatchBlock block;
  for_each_part(g, in, [&](const Part &part) {
    const Tile patches = block_tile(block, part, in), there = at_positions(g, out, part);
    gather(g, in, part, kernels, patches);
    if (part.columns == g.patch()) return kernels.multiply(patches, w, b, there);
    for (int64_t f = 0; part.column == 0 && f < g.filters; ++f)
      std::fill_n(there.col(f), there.rows, b ? b[f] : 0.0);
    kernels.multiply_add(patches, w + part.column, g.patch(), there);
  });
}

// in += A' out, for the A of out = A in + b.
void add_transposed(const Geometry &g, const double *w, ConstTile out, Tile in,
                    const Kernels &kernels) {
  PatchBlock block;
  for_each_part(g, in, [&](const Part &part) {
    const Tile patches = block_tile(block, part, in);
    std::fill_n(patches.data, patches.rows * patches.width, 0.0);
    kernels.multiply_transposed_add(at_positions(g, out, part), w + part.column, g.patch(),
                                    patches);
    scatter_add(g, patches, part, in);
  });
}

// The extended patch is [patch | 1]; the ones give the last row of the Gram matrix.
void add_sums_to_gram(ConstTile patches, int64_t column, double *gram, int64_t p,
                      const Kernels &kernels) {
  double sums[PatchBlock::most_columns] = {};
  kernels.add_sums(patches, sums);
  for (int64_t j = 0; j < patches.width; ++j) gram[(column + j) * p + p - 1] += sums[j];
}

// Products of the part's columns with all later columns.
void add_gram_behind(const Geometry &g, ConstTile in, ConstTile patches, const Part &part,
                     double *gram, int64_t p, const Kernels &kernels) {
  PatchBlock other;
  Part behind = part;
  for (behind.column += part.columns; behind.column < g.patch(); behind.column += behind.columns) {
    behind.columns = std::min(part.columns, g.patch() - behind.column);
    const Tile more = block_tile(other, behind, in);
    gather(g, in, behind, kernels, more);
    kernels.add_cross(more, patches, gram + behind.column + part.column * p, p);
  }
}

void add_gram(const Layer &layer, ConstTile in, double *gram, const Kernels &kernels) {
  const Geometry g = geometry_of(layer);
  const int64_t p = order(layer);
  PatchBlock block;
  for_each_part(g, in, [&](const Part &part) {
    const Tile patches = block_tile(block, part, in);
    gather(g, in, part, kernels, patches);
    kernels.add_gram(patches, gram + part.column * (p + 1), p);
    add_gram_behind(g, in, patches, part, gram, p, kernels);
    if (layer.bias) add_sums_to_gram(patches, part.column, gram, p, kernels);
  });
  if (layer.bias) gram[p * p - 1] += static_cast<double>(in.rows * g.positions());
}

void add_cross_gathered(const Geometry &g, ConstTile in, ConstTile out, double *c, int64_t ldc,
                        const Kernels &kernels) {
  PatchBlock block;
  for_each_part(g, in, [&](const Part &part) {
    const Tile patches = block_tile(block, part, in);
    gather(g, in, part, kernels, patches);
    kernels.add_cross(patches, at_positions(g, out, part), c + part.column, ldc);
  });
}

double sum_of_filter(const Geometry &g, ConstTile out, int64_t filter, const Kernels &kernels) {
  constexpr int64_t at_once = 64;
  double total = 0;
  for (int64_t first = 0; first < g.positions(); first += at_once) {
    const int64_t count = std::min(at_once, g.positions() - first);
    double sums[at_once] = {};
    kernels.add_sums({out.col(filter * g.positions() + first), out.rows, count, out.ld}, sums);
    for (int64_t j = 0; j < count; ++j) total += sums[j];
  }
  return total;
}

// c += patches' out, and, if there are biases, ones += 1'out. A filter's column of c has length
// ldc, its ones are ld_ones apart.
void add_products(const Geometry &g, ConstTile in, ConstTile out, double *c, int64_t ldc,
                  double *ones, int64_t ld_ones, const Kernels &kernels) {
  const bool bytes = made_in_registers(g, in);
  bytes ? add_cross_bytes(g, in, out, c, ldc, kernels)
        : add_cross_gathered(g, in, out, c, ldc, kernels);
  for (int64_t f = 0; (bytes || ones) && f < g.filters; ++f) {
    const double sum = sum_of_filter(g, out, f, kernels);
    if (ones) ones[f * ld_ones] += sum;
    for (int64_t k = 0; bytes && k < g.patch(); ++k) c[f * ldc + k] += in.packed->shift[0] * sum;
  }
}

void add_cross(const Layer &layer, ConstTile in, ConstTile out, double *cross,
               const Kernels &kernels) {
  const int64_t p = order(layer);
  add_products(geometry_of(layer), in, out, cross, p, layer.bias ? cross + p - 1 : nullptr, p,
               kernels);
}

// For features that form a channel of the input: the slices of all filters that read it. Other
// features share their weights.
OutgoingWeights scale_input(const Layer &layer, double *params, int64_t first, int64_t width,
                            double factor) {
  const Geometry g = geometry_of(layer);
  const int64_t plane = g.in.height * g.in.width, slice = g.window.height * g.window.width;
  if (first % plane != 0 || width % plane != 0) return {0, 0};
  OutgoingWeights found = {g.filters * slice * (width / plane), 0};
  double *w = layer.weights(params);
  for (int64_t f = 0; f < g.filters; ++f)
    for (int64_t i = first / plane * slice; i < (first + width) / plane * slice; ++i) {
      double &weight = w[f * g.patch() + i];
      found.energy += weight * weight;
      weight *= factor;
    }
  found.energy *= layer.lambda_w;
  return found;
}

// ---- the draw of the input site ------------------------------------------------------------

// With out = A in + b and ratio r = D_out / D_prior the input site has precision (A'A + r I) /
// D_out. Pixels interact only within a patch, so that matrix is banded if they are sorted by place;
// so is AA' + r I. As in the dense layer the smaller of the two is factored: except for special
// filters, it is the one that has full rank without r.
enum class Form { few_outputs, many_outputs };

Form form_of(const Geometry &g) {
  return g.outputs() < g.in.size() ? Form::few_outputs : Form::many_outputs;
}

// The features of a site sorted by place, channels fastest, along the shorter side of the image,
// which gives the narrower band.
struct PlaceOrder {
  int64_t channels, height, width;
  bool down_first;

  int64_t index(int64_t c, int64_t y, int64_t x) const {
    return (down_first ? x * height + y : y * width + x) * channels + c;
  }
  int64_t size() const { return channels * height * width; }
  // Largest distance between features whose places differ by at most dy and dx.
  int64_t band(int64_t dy, int64_t dx) const {
    return std::min(index(channels - 1, std::min(dy, height - 1), std::min(dx, width - 1)),
                    size() - 1);
  }
};

// A band matrix over the features of a site, and its width.
struct Band {
  PlaceOrder places;
  int64_t width;
};

Band narrower(int64_t channels, int64_t height, int64_t width, int64_t dy, int64_t dx) {
  const PlaceOrder across = {channels, height, width, false},
                   down = {channels, height, width, true};
  const int64_t a = across.band(dy, dx), d = down.band(dy, dx);
  return a <= d ? Band{across, a} : Band{down, d};
}

Band band_of(const Geometry &g) {
  const Window w = wide_geometry(g).window;
  if (form_of(g) == Form::many_outputs)
    return narrower(g.in.channels, g.in.height, g.in.width, w.height - 1, w.width - 1);
  return narrower(g.filters, g.out_height, g.out_width, (w.height - 1) / w.step_y,
                  (w.width - 1) / w.step_x);
}

void input_layout(Arena &arena, const Layer &layer, InputFactor &input) {
  const Geometry g = geometry_of(layer), wide = wide_geometry(g);
  const Band band = band_of(g);
  input.factor = arena.take<double>(band.places.size(), band_ld(band.width) + 1);
  input.shift = arena.take<double>(wide.patch(), g.filters);
}

// Filters of the wide geometry: every weight is divided among the outputs of a pool.
void widen_filters(const Geometry &g, const double *w, double *wide_filters) {
  const Geometry wide = wide_geometry(g);
  const Window &from = g.window, &to = wide.window;
  const double share = 1.0 / static_cast<double>(from.pool_y * from.pool_x);
  std::fill_n(wide_filters, wide.patch() * g.filters, 0.0);
  for (int64_t plane = 0; plane < g.filters * g.in.channels; ++plane)
    for (int64_t r = 0; r < from.height; ++r)
      for (int64_t s = 0; s < from.width; ++s)
        for (int64_t y = 0; y < from.pool_y; ++y)
          for (int64_t x = 0; x < from.pool_x; ++x)
            wide_filters[(plane * to.height + r + y * from.step_y) * to.width + s +
                         x * from.step_x] += share * w[(plane * from.height + r) * from.width + s];
}

// Rows and columns of a filter.
struct FilterPart {
  Steps y, x;
};

FilterPart whole_filter(const Geometry &wide) {
  return {{0, wide.window.height}, {0, wide.window.width}};
}

// The part of a filter that lies inside the image at output (y, x).
FilterPart filter_inside(const Geometry &wide, int64_t y, int64_t x) {
  const Window &w = wide.window;
  return {steps_inside(y * w.step_y - w.pad_y, 1, w.height, wide.in.height),
          steps_inside(x * w.step_x - w.pad_x, 1, w.width, wide.in.width)};
}

bool is_whole(const Geometry &wide, const FilterPart &part) {
  return part.y.begin == 0 && part.y.end == wide.window.height && part.x.begin == 0 &&
         part.x.end == wide.window.width;
}

// <part of filter f, filter h shifted by (dy, dx) pixels>
double overlap(const Geometry &wide, const double *f, const double *h, int64_t dy, int64_t dx,
               const FilterPart &part) {
  const Window &w = wide.window;
  const int64_t top = std::max(dy, part.y.begin), bottom = std::min(w.height + dy, part.y.end);
  const int64_t left = std::max(dx, part.x.begin), right = std::min(w.width + dx, part.x.end);
  double sum = 0;
  for (int64_t c = 0; c < wide.in.channels; ++c)
    for (int64_t r = top; r < bottom; ++r)
      for (int64_t s = left; s < right; ++s)
        sum += f[(c * w.height + r) * w.width + s] * h[(c * w.height + r - dy) * w.width + s - dx];
  return sum;
}

// Elements (i, j), i >= j, of AA' for outputs of filters f and h whose places differ by (dy, dx):
// equal everywhere except at the padding.
void add_outputs(const Geometry &wide, const Band &band, const double *filters, int64_t f,
                 int64_t h, int64_t dy, int64_t dx, double *a) {
  const int64_t ld = band_ld(band.width);
  const double *of_f = filters + f * wide.patch(), *of_h = filters + h * wide.patch();
  const int64_t move_y = dy * wide.window.step_y, move_x = dx * wide.window.step_x;
  const double value = overlap(wide, of_f, of_h, move_y, move_x, whole_filter(wide));
  for (int64_t y = std::max<int64_t>(-dy, 0); y < wide.out_height - std::max<int64_t>(dy, 0); ++y)
    for (int64_t x = std::max<int64_t>(-dx, 0); x < wide.out_width - std::max<int64_t>(dx, 0);
         ++x) {
      const int64_t i = band.places.index(h, y + dy, x + dx), j = band.places.index(f, y, x);
      if (i < j) continue;
      const FilterPart part = wide.padded() ? filter_inside(wide, y, x) : whole_filter(wide);
      a[i + j * ld] +=
          is_whole(wide, part) ? value : overlap(wide, of_f, of_h, move_y, move_x, part);
    }
}

// Lower triangle of AA', sorted by the places of the outputs.
void fill_few_outputs(const Geometry &wide, const Band &band, const double *filters, double *a) {
  const Window &w = wide.window;
  const int64_t reach_y = std::min((w.height - 1) / w.step_y, wide.out_height - 1);
  const int64_t reach_x = std::min((w.width - 1) / w.step_x, wide.out_width - 1);
  for (int64_t f = 0; f < wide.filters; ++f)
    for (int64_t h = 0; h < wide.filters; ++h)
      for (int64_t dy = -reach_y; dy <= reach_y; ++dy)
        for (int64_t dx = -reach_x; dx <= reach_x; ++dx)
          add_outputs(wide, band, filters, f, h, dy, dx, a);
}

// Lower triangle of A'A, sorted by the places of the pixels: for every filter, products of two of
// its weights at all positions.
void add_pixels(const Geometry &wide, const Band &band, const double *filters, int64_t one,
                int64_t two, double *a) {
  const Window &w = wide.window;
  const int64_t ld = band_ld(band.width), patch = wide.patch();
  const int64_t c1 = one / w.width / w.height, r1 = one / w.width % w.height, s1 = one % w.width;
  const int64_t c2 = two / w.width / w.height, r2 = two / w.width % w.height, s2 = two % w.width;
  if (band.places.index(c1, r1, s1) < band.places.index(c2, r2, s2)) return;
  double value = 0;
  for (int64_t f = 0; f < wide.filters; ++f)
    value += filters[f * patch + one] * filters[f * patch + two];
  for (int64_t y = 0; y < wide.out_height; ++y)
    for (int64_t x = 0; x < wide.out_width; ++x) {
      const int64_t top = y * w.step_y - w.pad_y, left = x * w.step_x - w.pad_x;
      if (wide.padded() && (!wide.has(top + r1, left + s1) || !wide.has(top + r2, left + s2)))
        continue;
      const int64_t i = band.places.index(c1, top + r1, left + s1);
      const int64_t j = band.places.index(c2, top + r2, left + s2);
      a[i + j * ld] += value;
    }
}

void fill_many_outputs(const Geometry &wide, const Band &band, const double *filters, double *a) {
  for (int64_t one = 0; one < wide.patch(); ++one)
    for (int64_t two = 0; two < wide.patch(); ++two) add_pixels(wide, band, filters, one, two, a);
}

bool factor_input(const Layer &layer, const double *params, double prior_noise, InputFactor &input,
                  const Kernels &kernels) {
  const Geometry g = geometry_of(layer), wide = wide_geometry(g);
  const Band band = band_of(g);
  const double ratio = layer.noise / prior_noise;
  double *a = input.factor;
  widen_filters(g, layer.weights(params), input.shift);
  std::fill_n(a, band_size(band.places.size(), band.width), 0.0);
  for (int64_t j = 0; j < band.places.size(); ++j) a[j * (band_ld(band.width) + 1)] = ratio;
  if (form_of(g) == Form::few_outputs)
    fill_few_outputs(wide, band, input.shift, a);
  else
    fill_many_outputs(wide, band, input.shift, a);
  return cholesky_band(a, band.places.size(), band.width, &kernels);
}

// Copies the columns of a site into the order of their places, or back.
void sort_by_place(const PlaceOrder &places, ConstTile site, Tile sorted) {
  int64_t j = 0;
  for (int64_t c = 0; c < places.channels; ++c)
    for (int64_t y = 0; y < places.height; ++y)
      for (int64_t x = 0; x < places.width; ++x, ++j)
        std::copy_n(site.col(j), site.rows, sorted.col(places.index(c, y, x)));
}

void unsort(const PlaceOrder &places, ConstTile sorted, Tile site) {
  int64_t j = 0;
  for (int64_t c = 0; c < places.channels; ++c)
    for (int64_t y = 0; y < places.height; ++y)
      for (int64_t x = 0; x < places.width; ++x, ++j)
        std::copy_n(sorted.col(places.index(c, y, x)), site.rows, site.col(j));
}

// u = pull * u + sd * normals
void scale_and_shake(Tile u, double pull, double sd, const TileWork &work) {
  double noise[Tiling::max_rows];
  for (int64_t j = 0; j < u.width; ++j) {
    double *v = u.col(j);
    work.draws->normals(*work.stream, noise, u.rows);
    for (int64_t i = 0; i < u.rows; ++i) v[i] = pull * v[i] + sd * noise[i];
  }
}

// x = keep x + u
void blend(Tile x, double keep, ConstTile u) {
  for (int64_t j = 0; j < x.width; ++j)
    for (int64_t i = 0; i < x.rows; ++i) x.col(j)[i] = keep * x.col(j)[i] + u.col(j)[i];
}

// out = above - b
void subtract_biases(const Geometry &g, const double *b, ConstTile above, Tile out) {
  for (int64_t j = 0; j < out.width; ++j) {
    const double bias = b ? b[j / g.positions()] : 0.0;
    for (int64_t i = 0; i < out.rows; ++i) out.col(j)[i] = above.col(j)[i] - bias;
  }
}

// x = u + A' (AA' + r I)^-1 (above - b - A u - e), u ~ N(mean, D_p), e ~ N(0, D)
void draw_few_outputs(const Layer &layer, const double *params, const InputFactor &input,
                      const SiteDraw &draw, const TileWork &work) {
  const Geometry g = geometry_of(layer);
  const Band band = band_of(g);
  const Relax relax = draw.relax;
  const Tile u = draw.mean;
  scale_and_shake(u, relax.pull, relax.shake * std::sqrt(draw.prior_noise), work);
  const Tile error = {work.scratch[0], u.rows, g.outputs(), u.ld};
  const Tile sorted = {work.scratch[1], u.rows, g.outputs(), u.ld};
  Layer unbiased = layer;
  unbiased.bias_count = 0;
  forward(unbiased, params, u, sorted, *work.kernels);
  subtract_biases(g, layer.biases(params), draw.above, error);
  scale_and_shake(error, relax.pull, relax.shake * std::sqrt(layer.noise), work);
  for (int64_t j = 0; j < error.width; ++j)
    for (int64_t i = 0; i < u.rows; ++i) error.col(j)[i] -= sorted.col(j)[i];
  sort_by_place(band.places, error, sorted);
  work.kernels->solve_band(input.factor, band.width, sorted);
  work.kernels->solve_band_transposed(input.factor, band.width, sorted);
  unsort(band.places, sorted, error);
  add_transposed(g, layer.weights(params), error, u, *work.kernels);
  blend(draw.site, relax.keep, u);
}

// x = L^-T (L^-1 (r mean + A'(above - b)) + sqrt(D) z), LL' = A'A + r I
void draw_many_outputs(const Layer &layer, const double *params, const InputFactor &input,
                       const SiteDraw &draw, const TileWork &work) {
  const Geometry g = geometry_of(layer);
  const Band band = band_of(g);
  const Relax relax = draw.relax;
  const Tile u = draw.mean;
  const double ratio = layer.noise / draw.prior_noise;
  const Tile above = {work.scratch[0], u.rows, g.outputs(), u.ld};
  subtract_biases(g, layer.biases(params), draw.above, above);
  for (int64_t j = 0; j < u.width; ++j)
    for (int64_t i = 0; i < u.rows; ++i) u.col(j)[i] *= ratio;
  add_transposed(g, layer.weights(params), above, u, *work.kernels);
  const Tile sorted = {work.scratch[1], u.rows, u.width, u.ld};
  sort_by_place(band.places, u, sorted);
  work.kernels->solve_band(input.factor, band.width, sorted);
  scale_and_shake(sorted, relax.pull, relax.shake * std::sqrt(layer.noise), work);
  work.kernels->solve_band_transposed(input.factor, band.width, sorted);
  unsort(band.places, sorted, u);
  blend(draw.site, relax.keep, u);
}

void draw_input(const Layer &layer, const double *params, const InputFactor &input,
                const SiteDraw &draw, const TileWork &work) {
  if (form_of(geometry_of(layer)) == Form::few_outputs)
    draw_few_outputs(layer, params, input, draw, work);
  else
    draw_many_outputs(layer, params, input, draw, work);
}

// dW += patches' g, db += 1'g, and A'g for the site below
void backward(const Layer &layer, const double *params, const BackwardTile &tile,
              double *param_gradient, const Kernels &kernels, double *) {
  const Geometry g = geometry_of(layer);
  const ConstTile out = tile.out_gradient;
  double *weights = layer.weights(param_gradient);
  add_products(g, tile.in, out, weights, g.patch(),
               layer.bias_count ? weights + layer.weight_count : nullptr, 1, kernels);
  if (!tile.in_gradient.data) return;
  for (int64_t j = 0; j < tile.in_gradient.width; ++j)
    std::fill_n(tile.in_gradient.col(j), out.rows, 0.0);
  add_transposed(g, layer.weights(params), out, tile.in_gradient, kernels);
}

Shape image_of(const Layer &layer) {
  const Geometry g = geometry_of(layer);
  return {g.filters, g.out_height, g.out_width};
}

// A pool above gives the same products with pooled patches.
bool collapse(const Layer &layer, const Layer &next, Layer &collapsed) {
  Window pool;
  if (!collapse_pool(layer, image_of(layer), next, collapsed, pool)) return false;
  collapsed.window.pool_y *= pool.height;
  collapsed.window.pool_x *= pool.width;
  return true;
}

// ---- the description -----------------------------------------------------------------------

Status check_output(const Shape &out, Error *err) {
  if (times(times(out.channels, out.height), out.width) <= max_width) return Status::ok;
  return fail(err, Status::size_overflow,
              "filters = %lld: an output of %lld x %lld pixels each is more than %lld features",
              ll(out.channels), ll(out.height), ll(out.width), ll(max_width));
}

Status construct(const LayerSpec &spec, Layer &layer, Error *err) {
  Status status = check_size("filters", spec.units, err);
  if (status == Status::ok) status = check_window("filter", spec.window, layer.in, err);
  if (status != Status::ok) return status;
  layer.window = spec.window;
  const int64_t patch = layer.in.channels * window_size(spec.window);
  layer.weight_count = spec.units * patch;
  layer.bias_count = spec.units;
  layer.lambda_w = layer.lambda_b = static_cast<double>(patch);
  layer.out = image_of(layer);
  return check_output(layer.out, err);
}

void pad(Layer &layer, Property side, int64_t pixels) {
  (side == Property::padding_y ? layer.window.pad_y : layer.window.pad_x) = pixels;
  layer.out = image_of(layer);
}

Status check_padding(const Layer &layer, Property side, double pixels, Error *err) {
  const bool down = side == Property::padding_y;
  const int64_t filter = down ? layer.window.height : layer.window.width;
  if (pixels >= static_cast<double>(filter))
    return fail(err, Status::bad_value,
                "padding_%c = %g: expected less than the filter's %s, %lld, or some outputs would "
                "see only zeros",
                down ? 'y' : 'x', pixels, down ? "height" : "width", ll(filter));
  Layer padded = layer;
  pad(padded, side, static_cast<int64_t>(pixels));
  return check_output(padded.out, err);
}

template <Property side>
constexpr PropertyRow padding(const char *name) {
  PropertyRow row;
  row.property = side;
  row.name = name;
  row.values = Values::whole;
  row.reshapes = true;
  row.get = [](const Layer &layer) {
    return static_cast<double>(side == Property::padding_y ? layer.window.pad_y
                                                           : layer.window.pad_x);
  };
  row.set = [](Layer &layer, double value) { pad(layer, side, static_cast<int64_t>(value)); };
  row.check = [](const Layer &layer, double value, Error *err) {
    return check_padding(layer, side, value, err);
  };
  return row;
}
constexpr PropertyRow properties[] = {padding<Property::padding_y>("padding_y"),
                                      padding<Property::padding_x>("padding_x")};

void map_fields(const Layer &layer, MapFields &fields) {
  const Window &w = layer.window;
  for (int64_t size : {w.height, w.width, w.step_y, w.step_x, w.pool_y, w.pool_x, w.pad_y, w.pad_x})
    fields.add(size);
}

// "[filter,channel,row,column]", all counted from 1
void weight_index(const Layer &layer, int64_t i, Text &out) {
  const int64_t w = layer.window.width, h = layer.window.height, c = layer.in.channels;
  out.add("[%lld,%lld,%lld,%lld]", ll(i / w / h / c + 1), ll(i / w / h % c + 1), ll(i / w % h + 1),
          ll(i % w + 1));
}

// Gathering the windows, and the products of each unit with them.
double work(const Layer &layer) {
  const Geometry g = geometry_of(layer);
  const double patches = static_cast<double>(g.positions() * g.patch());
  const double pool = static_cast<double>(g.window.pool_y * g.window.pool_x);
  return static_cast<double>(g.outputs() * g.patch()) + patches * (pool + 4);
}

constexpr LayerOps table() {
  LayerOps ops;
  ops.name = "conv2d";
  ops.construct = construct;
  ops.properties = {properties, 2};
  ops.map_fields = map_fields;
  ops.weight_index = weight_index;
  ops.collapse = collapse;
  ops.order = order;
  ops.units = units;
  ops.work = work;
  ops.forward = forward;
  ops.backward = backward;
  ops.add_gram = add_gram;
  ops.add_cross = add_cross;
  ops.scale_input = scale_input;
  ops.input_layout = input_layout;
  ops.factor_input = factor_input;
  ops.draw_input = draw_input;
  return ops;
}

}  // namespace

const LayerOps conv2d_ops = table();

}  // namespace nnp

#include "lib/posterior/passes.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/sizes.hpp"
#include "lib/random/tiles.hpp"

namespace nnp {

namespace {

bool is_finite(ConstTile tile) {
  bool finite = true;
  for (int64_t j = 0; j < tile.width; ++j) finite = finite && all_finite(tile.col(j), tile.rows);
  return finite;
}

// True if noise below the last layer is part of what is predicted.
bool hidden_noise(const Predictor &p) {
  return p.noise == Noise::fitted && !p.classical && p.net.depth > 1;
}

// u = w'(v + e) + b + N(0, D) with e ~ N(0, E I) is N(w'v + b, D + E |w|^2). So with one output and
// Gaussian noise, the noise of the site below a last dense layer is integrated out exactly.
bool joins_last_noise(const Predictor &p) {
  const Layer &last = p.net.layer(p.net.depth);
  return hidden_noise(p) && p.net.outputs() == 1 && ops_of(last).is_product &&
         head_of(p).gaussian_site;
}

// site += sd * one normal per column
void add_shared_normals(Tile site, double sd, Stream &stream) {
  alignas(64) double noise[Tiling::max_rows];
  for (int64_t first = 0; first < site.width; first += Tiling::max_rows) {
    const int64_t count = std::min(site.width - first, Tiling::max_rows);
    fill_normal(stream, noise, count);
    for (int64_t j = 0; j < count; ++j) {
      double *column = site.col(first + j);
      for (int64_t i = 0; i < site.rows; ++i) column[i] += sd * noise[j];
    }
  }
}

// True if the last site has noise in what is predicted. (Classical scores of classes have none.)
bool last_site_is_noisy(const Predictor &p) {
  return p.noise == Noise::fitted && !(p.classical && head_of(p).classical_outputs_exact);
}

// The columns of the last site that predict targets.
Tile site_of(const Predictor &p, const Tile &outputs) {
  return {outputs.data, outputs.rows, p.net.targets(), outputs.ld};
}

void copy_tile(ConstTile from, Tile to) {
  for (int64_t j = 0; j < from.width; ++j) std::copy_n(from.col(j), from.rows, to.col(j));
}

// Computes the mean of site 1 from the inputs, or reuses that of an earlier pass.
void first_site(Predictor &p, const Layer &layer, ConstTile in, Tile out, FirstSite first) {
  const bool keeps = p.first && p.drawn_sites > 0;
  const Tile kept = {p.first, out.rows, out.width, out.ld};
  if (!keeps || first != FirstSite::reused)
    ops_of(layer).forward(layer, p.params, in, out, *p.kernels);
  if (keeps && first == FirstSite::kept) copy_tile(out, kept);
  if (keeps && first == FirstSite::reused) copy_tile(kept, out);
}

int64_t passes_of_draw(const Predictor &p, int64_t draws) {
  if (p.passes > 0) return p.passes;
  return std::min((enough_passes + draws - 1) / draws, most_passes);
}

}  // namespace

void look_at(Predictor &p, ConstTile tile) {
  if (p.finite) p.finite = is_finite(tile);
}

void take_up(Predictor &p, const Draws &draws, int64_t s) {
  p.params = draws.params + s * p.net.param_count();
  take_noises(p.net, p.params);
  const Layer &last = p.net.layer(p.net.depth);
  p.last_noise = last.noise;
  p.drawn_sites = hidden_noise(p) ? p.net.depth - 1 : 0;
  if (!joins_last_noise(p)) return;
  p.last_noise +=
      p.net.layer(p.net.depth - 1).noise * squared_norm(last.weights(p.params), last.weight_count);
  --p.drawn_sites;
}

Tile forward(Predictor &p, const Data &data, int64_t t, NoiseSource &source, FirstSite first) {
  ConstTile in = data.inputs(t);
  Tile out = {};
  for (int64_t k = 1; k <= p.net.depth; ++k) {
    const Layer &layer = p.net.layer(k);
    out = {p.sites[k % 2], in.rows, layer.out.size(), in.ld};
    if (k == 1)
      first_site(p, layer, in, out, first);
    else
      ops_of(layer).forward(layer, p.params, in, out, *p.kernels);
    if (k <= p.drawn_sites)
      (source.shared ? add_shared_normals : add_normals)(out, std::sqrt(layer.noise),
                                                         source.stream);
    in = out;
  }
  return out;
}

Tile forward_site(Predictor &p, const Data &data, int64_t t, NoiseSource &source, FirstSite first) {
  const Tile out = forward(p, data, t, source, first);
  if (!last_site_is_noisy(p)) return site_of(p, out);
  const HeadOps &head = head_of(p);
  const auto add_noise = p.classical ? head.add_classical_noise : head.add_noise;
  if (!source.shared) {
    add_noise(p.net.head, p.last_noise, source.stream, out);
    return site_of(p, out);
  }
  const Stream before = source.stream;
  for (int64_t i = 0; i < out.rows; ++i) {
    source.stream = before;
    add_noise(p.net.head, p.last_noise, source.stream, {out.data + i, 1, out.width, out.ld});
  }
  return site_of(p, out);
}

NoiseSource noise_source(const Predictor &p, int64_t t, bool shared) {
  return {Stream(p.seed, ~uint64_t{0}, shared ? 0 : static_cast<uint64_t>(t)), shared};
}

bool draws_noise(const Predictor &p, bool last_noise) {
  const int64_t joined = joins_last_noise(p) ? 1 : 0;
  return (hidden_noise(p) && p.net.depth - 1 > joined) || (last_noise && last_site_is_noisy(p));
}

Passes passes_to(const Predictor &p, int64_t draws, bool last_noise) {
  return {draws_noise(p, last_noise) ? passes_of_draw(p, draws) : 1, last_noise};
}

Status check_draws(const Predictor &p, const Draws &draws, Error *err) {
  const int64_t count = p.net.param_count();
  if (draws.count < 1)
    return fail(err, Status::bad_size, "draws = %lld: expected at least 1",
                static_cast<long long>(draws.count));
  for (int64_t i = 0; i < draws.count * count; ++i)
    if (!std::isfinite(draws.params[i]))
      return fail(err, Status::not_finite,
                  "params: draw %lld, parameter %lld is %g, expected a finite number",
                  static_cast<long long>(i / count), static_cast<long long>(i % count),
                  draws.params[i]);
  Status status = Status::ok;
  for (int64_t s = 0; s < draws.count && p.net.scale_count > 0 && status == Status::ok; ++s)
    status = check_scales(
        p.net, [&](int64_t i) { return draws.params[s * count + i]; }, "params", Status::bad_value,
        err);
  return status;
}

Status check_classes(const Predictor &p, const char *name, Error *err) {
  const int64_t classes = class_columns(p), most = head_of(p).most_classes;
  if (classes <= most) return Status::ok;
  return fail(err, Status::unsupported, "%s: the head has %lld classes, expected at most %lld",
              name, static_cast<long long>(classes), static_cast<long long>(most));
}

Status check_weights(const Predictor &p, const Draws &draws, Error *err) {
  if (!is_weighted(p) || draws.count == p.weight_count) return Status::ok;
  return fail(err, Status::bad_size,
              "draws = %lld: the predictor has weights for %lld draws, expected as many",
              ll(draws.count), ll(p.weight_count));
}

Status check_comparable(const Predictor &p, const Data &data, const Draws &draws, Error *err) {
  Status status = net_check_inputs(p.net, data, err);
  if (status == Status::ok) status = net_check_targets(p.net, data, err);
  return status == Status::ok ? check_draws(p, draws, err) : status;
}

Status blame_draw(Predictor &p, const Data &data, const Draws &draws, int64_t t,
                  const Passes &passes, Error *err) {
  int64_t draw = -1, row = 0;
  double value = 0;
  for_each_pass(p, data, draws, t, passes, [&](int64_t s, ConstTile site) {
    for (int64_t i = 0; i < site.rows && draw < 0; ++i)
      for (int64_t j = 0; j < site.width && draw < 0; ++j)
        if (!std::isfinite(site.col(j)[i])) draw = s, row = i, value = site.col(j)[i];
  });
  if (draw >= 0)
    return fail(err, Status::not_finite,
                "params: draw %lld gives row %lld the output %g, expected a finite number",
                static_cast<long long>(draw), static_cast<long long>(t * data.tiling.ld + row),
                value);
  return fail(err, Status::not_finite,
              "params: their outputs are so large that sums or squares overflow, from row %lld on",
              static_cast<long long>(t * data.tiling.ld));
}

}  // namespace nnp

#include "lib/teacher/teacher.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "lib/posterior/scales.hpp"
#include "lib/random/tiles.hpp"
#include "lib/teacher/start.hpp"

namespace nnp {

namespace {

// Block words of the teacher's streams, which no chain uses (see state.cpp): for the parameters of
// layer k (learned scales: k = 0), and for tiles (fewer than 2^36) of one noise number.
constexpr uint64_t params_base = uint64_t{1} << 61;
constexpr uint64_t noise_base = uint64_t{1} << 62;

Stream noise_stream(const Teacher &teacher, int64_t noise, int64_t t) {
  const uint64_t word = (static_cast<uint64_t>(noise) << 36) + static_cast<uint64_t>(t);
  return Stream(teacher.seed, teacher.number, noise_base + word);
}

// Adds layer k's noise, if the teacher's model has it there.
void add_noise(const Teacher &teacher, int64_t k, Tile site, Stream &stream) {
  const Net &net = teacher.net;
  const double noise = net.layer(k).noise;
  if (k < net.depth) {
    if (teacher.noise_in_all) add_normals(site, std::sqrt(noise), stream);
    return;
  }
  const HeadOps &head = *ops_of(net.head);
  (teacher.noise_in_all ? head.add_noise : head.add_classical_noise)(net.head, noise, stream, site);
}

// Turns the last site into targets or labels of the data.
void write_targets(const HeadOps &head, ConstTile last, int64_t t, Data &data) {
  if (head.target == TargetKind::targets) {
    const Tile y = data.tiling.tile(data.y, data.outputs, t);
    for (int64_t j = 0; j < y.width; ++j) std::copy_n(last.col(j), last.rows, y.col(j));
    return;
  }
  int32_t *labels = data.labels + t * data.tiling.ld;
  for (int64_t i = 0; i < last.rows; ++i) labels[i] = head.label_of(last, i);
}

bool all_finite(ConstTile site) {
  for (int64_t j = 0; j < site.width; ++j)
    for (int64_t i = 0; i < site.rows; ++i)
      if (!std::isfinite(site.col(j)[i])) return false;
  return true;
}

// The generative process (eq. gen_process_intermediate_noise) for one tile; returns the last site.
// Sets *finite, if not null, to false if a site is not finite.
ConstTile generate(const Teacher &teacher, const Data &data, int64_t noise, int64_t t,
                   double *sites, bool *finite = nullptr) {
  Stream stream = noise_stream(teacher, noise, data.tiling.tile_offset + t);
  ConstTile in = data.inputs(t);
  for (int64_t k = 1; k <= teacher.net.depth; ++k) {
    const Layer &layer = teacher.net.layer(k);
    const Tile out = {teacher.sites[k % 2], in.rows, layer.out.size(), in.ld};
    ops_of(layer).forward(layer, teacher.params, in, out, *teacher.kernels);
    if (noise != 0) add_noise(teacher, k, out, stream);
    if (sites && k <= teacher.net.last_latent() && teacher.sampled.find_site(k) != 0) {
      write_rows(out, sites + t * data.tiling.ld * out.width);
      sites += data.n() * out.width;
    }
    if (finite) *finite = *finite && all_finite(out);
    in = out;
  }
  return in;
}

Status check_room(const Net &net, const Data &data, Error *err) {
  const bool with_targets = ops_of(net.head)->target == TargetKind::targets;
  if (!with_targets || data.outputs == net.targets()) return Status::ok;
  return fail(err, Status::bad_shape,
              "data: it has room for %lld targets per row, expected %lld, the network's",
              ll(data.outputs), ll(net.targets()));
}

// exp(-loss/(2D)) may be a probability for one D only.
Status check_noise(const Teacher &teacher, Error *err) {
  const double d = net_classical_noise(teacher.net);
  const double expected = ops_of(teacher.net.head)->classical_noise;
  if (teacher.noise_in_all || expected == 0 || d == expected) return Status::ok;
  return fail(err, Status::unsupported,
              "noise: the classical posterior gives labels a probability only if the noise of the "
              "last layer is %g, not %g",
              expected, d);
}

// A first pass that writes nothing, so that a failure leaves the data as it was.
Status check_finite(const Teacher &teacher, const Data &data, int64_t noise, Error *err) {
  for (int64_t t = 0; t < data.tiling.tiles; ++t) {
    bool finite = true;
    generate(teacher, data, noise, t, nullptr, &finite);
    if (!finite)
      return fail(err, Status::not_finite,
                  "teacher: its sites or outputs for rows %lld to %lld are not all finite",
                  ll(t * data.tiling.ld), ll(t * data.tiling.ld + data.tiling.rows(t) - 1));
  }
  return Status::ok;
}

}  // namespace

Teacher *teacher_layout(Arena &arena, const Net &net) {
  constexpr int64_t ld = Tiling::max_rows;
  Teacher *made = arena.take<Teacher>(1);
  Teacher teacher;
  teacher.net = net_copy(arena, net);
  teacher.sampled = net_copy(arena, net_collapsed(net));
  use_engine(teacher, default_engine());
  teacher.params = arena.take<double>(net.param_count());
  for (double *&site : teacher.sites) site = arena.take<double>(ld, net.widest_site());
  if (made) *made = teacher;
  return made;
}

void teacher_draw(Teacher &teacher, uint64_t seed, uint64_t number) {
  teacher.seed = seed;
  teacher.number = number;
  Stream scales(seed, number, params_base);
  draw_prior_scales(teacher.net, scales, teacher.params);
  take_scales(teacher.sampled, teacher.params);
  for (int64_t k = 1; k <= teacher.net.depth; ++k) {
    Stream stream(seed, number, params_base + static_cast<uint64_t>(k));
    draw_prior_params(teacher.net.layer(k), stream, teacher.params);
  }
}

void teacher_set(Teacher &teacher, const double *params) {
  std::memcpy(teacher.params, params,
              static_cast<size_t>(teacher.net.param_count()) * sizeof(double));
  take_scales(teacher.net, teacher.params);
  take_scales(teacher.sampled, teacher.params);
}

void teacher_tell(const Teacher &teacher, const Net &student, double *params) {
  const Net &net = student.depth == teacher.sampled.depth ? teacher.sampled : teacher.net;
  std::memcpy(params, teacher.params,
              static_cast<size_t>(student.weight_params()) * sizeof(double));
  for (int64_t k = 1; k <= student.depth; ++k) {
    const Layer &layer = student.layer(k), &own = net.layer(k);
    if (layer.learned_noise.count > 0)
      params[layer.learned_noise.first] = own.final_noise / layer.multiple;
    for (int64_t i = 0; i < layer.learned_w.count; ++i)
      params[layer.learned_w.first + i] = own.weight_precision(i);
    if (layer.learned_b.count > 0) params[layer.learned_b.first] = own.lambda_b;
  }
}

Status teacher_label(const Teacher &teacher, Data &data, int64_t noise, double *sites, Error *err) {
  Status status = net_check_inputs(teacher.net, data, err);
  if (status == Status::ok) status = check_room(teacher.net, data, err);
  if (status == Status::ok && noise != 0) status = check_noise(teacher, err);
  if (status == Status::ok) status = check_finite(teacher, data, noise, err);
  if (status != Status::ok) return status;
  const HeadOps &head = *ops_of(teacher.net.head);
  for (int64_t t = 0; t < data.tiling.tiles; ++t)
    write_targets(head, generate(teacher, data, noise, t, sites), t, data);
  (head.target == TargetKind::targets ? data.has_targets : data.has_labels) = true;
  ++data.version;
  return Status::ok;
}

Status teacher_check_student(const Teacher &teacher, const Net &student, bool with_sites,
                             Error *err) {
  // A student that keeps all sites can still use the weights.
  const bool as_sampled = with_sites || student.depth == teacher.sampled.depth;
  const Net &net = as_sampled ? teacher.sampled : teacher.net;
  if (student.depth != net.depth || student.head.kind != net.head.kind)
    return fail(err, Status::bad_shape,
                "teacher: it has %lld layers and head %s, the chain's network %lld and head %s",
                ll(net.depth), ops_of(net.head)->name, ll(student.depth),
                ops_of(student.head)->name);
  for (int64_t k = 1; k <= net.depth; ++k)
    if (!same_map(net.layer(k), student.layer(k)))
      return fail(err, Status::bad_shape,
                  "teacher: its layer %lld (%s, %lld to %lld) is not the chain's (%s, %lld to "
                  "%lld)",
                  ll(k), layer_name(net.layer(k)), ll(net.layer(k).in.size()),
                  ll(net.layer(k).out.size()), layer_name(student.layer(k)),
                  ll(student.layer(k).in.size()), ll(student.layer(k).out.size()));
  return Status::ok;
}

}  // namespace nnp

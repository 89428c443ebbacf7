// Teachers of the C API: drawing one, labelling data with it, starting a chain on it.
#include "lib/teacher/teacher.hpp"

#include <cmath>

#include "capi/families.hpp"
#include "lib/network/scales.hpp"

namespace nnp {

static Teacher *unwrap(nnp_teacher *teacher) {
  return reinterpret_cast<Teacher *>(teacher);
}
static const Teacher *unwrap(const nnp_teacher *teacher) {
  return reinterpret_cast<const Teacher *>(teacher);
}

}  // namespace nnp

using namespace nnp;

namespace {

Status check_new(const void *out, const char *name, const nnp_net *net, Error *e) {
  NNP_TRY(need(out, name, e));
  NNP_TRY(need(net, "net", e));
  return net_check_complete(*unwrap(net), e);
}

auto layout_for(nnp_teacher **teacher, const nnp_net *net, PosteriorKind posterior, uint64_t seed,
                uint64_t number) {
  return [=](Arena &arena) {
    Teacher *made = teacher_layout(arena, *unwrap(net));
    if (!made) return;
    made->noise_in_all = posterior == PosteriorKind::intermediate;
    teacher_draw(*made, seed, number);
    *teacher = reinterpret_cast<nnp_teacher *>(made);
  };
}

size_t bytes_of_params(const Teacher &teacher) {
  return static_cast<size_t>(teacher.net.param_count()) * sizeof(double);
}

void tell_state(const void *teacher, State &state) {
  teacher_tell(*static_cast<const Teacher *>(teacher), state.net, state.params);
}

Status check_start(const nnp_chain *chain, const nnp_teacher *teacher, const double *sites,
                   Error *e) {
  NNP_TRY(need(chain, "chain", e));
  NNP_TRY(need(teacher, "teacher", e));
  const Chain &started = *unwrap(chain)->chain;
  NNP_TRY(teacher_check_student(*unwrap(teacher), started.state.net, sites != nullptr, e));
  if (!sites || started.posterior == PosteriorKind::intermediate) return Status::ok;
  return fail(e, Status::unsupported,
              "sites: the classical posterior has none, expected NULL for this chain");
}

}  // namespace

int32_t nnp_teacher_create(nnp_teacher **teacher, const nnp_net *net, int32_t posterior,
                           uint64_t seed, uint64_t number, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_new(teacher, "teacher", net, e));
    PosteriorKind of = PosteriorKind::intermediate;
    NNP_TRY(take(posterior, "posterior", &of, e));
    return build_on_heap(layout_for(teacher, net, of, seed, number), e);
  });
}

void nnp_teacher_free(nnp_teacher *teacher) {
  nnp::free_block(teacher);
}

int32_t nnp_teacher_bytes(const nnp_net *net, size_t *bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_new(bytes, "bytes", net, e));
    return count_bytes(layout_for(nullptr, net, PosteriorKind::intermediate, 0, 0), bytes, e);
  });
}

int32_t nnp_teacher_init(nnp_teacher **teacher, void *memory, size_t bytes, const nnp_net *net,
                         int32_t posterior, uint64_t seed, uint64_t number, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_new(teacher, "teacher", net, e));
    PosteriorKind of = PosteriorKind::intermediate;
    NNP_TRY(take(posterior, "posterior", &of, e));
    return build_in(memory, bytes, layout_for(teacher, net, of, seed, number), e);
  });
}

int32_t nnp_teacher_parameters(const nnp_teacher *teacher, double *parameters, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(teacher, "teacher", e));
    NNP_TRY(need(parameters, "parameters", e));
    std::memcpy(parameters, unwrap(teacher)->params, bytes_of_params(*unwrap(teacher)));
    return Status::ok;
  });
}

int32_t nnp_teacher_set_parameters(nnp_teacher *teacher, const double *parameters, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(teacher, "teacher", e));
    NNP_TRY(need(parameters, "parameters", e));
    Teacher &set = *unwrap(teacher);
    for (int64_t i = 0; i < set.net.param_count(); ++i)
      if (!std::isfinite(parameters[i]))
        return fail(e, Status::not_finite, "parameters: entry %lld is %g, expected a finite number",
                    ll(i), parameters[i]);
    NNP_TRY(check_scales(
        set.net, [parameters](int64_t i) { return parameters[i]; }, "parameters", Status::bad_value,
        e));
    teacher_set(set, parameters);
    return Status::ok;
  });
}

int32_t nnp_teacher_label(nnp_teacher *teacher, nnp_data *data, int64_t noise, double *sites,
                          nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(teacher, "teacher", e));
    NNP_TRY(need(data, "data", e));
    NNP_TRY(need_index(noise, 0, max_noise_number, "noise", e));
    if (sites && !unwrap(teacher)->noise_in_all)
      return fail(e, Status::unsupported,
                  "sites: the classical posterior has none, expected NULL for this teacher");
    return teacher_label(*unwrap(teacher), *unwrap(data), noise, sites, e);
  });
}

int32_t nnp_chain_start_teacher(nnp_chain *chain, const nnp_teacher *teacher, const double *sites,
                                uint64_t seed, uint64_t number, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_start(chain, teacher, sites, e));
    const GivenParams given = {tell_state, unwrap(teacher)};
    if (sites) return start_from_state(chain, given, sites, seed, number, e);
    return start_from_weights(chain, given, true, seed, number, e);
  });
}

// Predictions of the C API.
#include <cmath>

#include "capi/families.hpp"
#include "lib/base/clock.hpp"

using namespace nnp;

namespace {

constexpr int64_t max_passes = int64_t{1} << 20;

auto layout_for(nnp_predictor **predictor, const nnp_net *net, int64_t max_draws) {
  return [=](Arena &arena) {
    PredictorObject *object = arena.take<PredictorObject>(1);
    Predictor *made = predictor_layout(arena, *unwrap(net), max_draws, spare_values);
    if (!object) return;
    made->noise = Noise::fitted;
    *object = PredictorObject{made, nullptr, nullptr, 0};
    *predictor = reinterpret_cast<nnp_predictor *>(object);
  };
}

Status check_new(const void *out, const char *name, const nnp_net *net, int64_t max_draws,
                 Error *e) {
  NNP_TRY(need(out, name, e));
  NNP_TRY(need(net, "net", e));
  NNP_TRY(net_check_complete(*unwrap(net), e));
  NNP_TRY(need_size(max_draws, 1, max_size, "max_draws", e));
  if (!overflows(layout_for(nullptr, net, max_draws))) return Status::ok;
  return fail(e, Status::size_overflow,
              "max_draws = %lld: with %lld outputs more bytes than memory can address",
              ll(max_draws), ll(unwrap(net)->outputs()));
}

// Fails if a call is using the predictor; its callback might try.
Status need_idle(const nnp_predictor *predictor, Error *e) {
  NNP_TRY(need(predictor, "predictor", e));
  if (!unwrap(predictor)->job) return Status::ok;
  return fail(e, Status::unsupported,
              "predictor: a call is using it, expected another predictor inside its callback");
}

bool ask_callback(void *context, int64_t done, int64_t all) {
  const PredictorObject &object = *static_cast<PredictorObject *>(context);
  const nnp_progress progress = {nullptr, 0, done, all, seconds_now() - object.began};
  return object.callback(&progress, object.user) != 0;
}

// Resets the progress of the call, and its throttle.
void begin_watch(nnp_predictor *predictor) {
  PredictorObject &object = *reinterpret_cast<PredictorObject *>(predictor);
  object.began = seconds_now();
  if (object.callback == nnp_throttled) static_cast<nnp_throttle *>(object.user)->next = 0;
}

auto helpers_for(const nnp_predictor *predictor, nnp_pool *pool, Predictor ***helpers) {
  return [=](Arena &arena) {
    *helpers = helpers_layout(arena, *unwrap(predictor), pool_threads(unwrap(pool)));
  };
}

Status check_call(const nnp_predictor *predictor, const nnp_data *data, const double *params,
                  int64_t draws, Error *e) {
  NNP_TRY(need_idle(predictor, e));
  NNP_TRY(need(data, "data", e));
  NNP_TRY(need(params, "params", e));
  return need_draws(draws, unwrap(predictor)->net.param_count(), 1, "draws", e);
}

// Sets one of a predictor's options and leaves the others unchanged.
Status predictor_set(Predictor &p, Option option, double value, Error *e) {
  const int32_t number = static_cast<int32_t>(value);
  const Simd simd = option == Option::simd ? static_cast<Simd>(number) : p.wanted_simd;
  const Blas blas = option == Option::blas ? static_cast<Blas>(number) : p.wanted_blas;
  NNP_TRY(engine_choose(p, simd, blas, e));
  p.wanted_simd = simd;
  p.wanted_blas = blas;
  return Status::ok;
}

}  // namespace

int32_t nnp_predictor_create(nnp_predictor **predictor, const nnp_net *net, int64_t max_draws,
                             nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_new(predictor, "predictor", net, max_draws, e));
    return build_on_heap(layout_for(predictor, net, max_draws), e);
  });
}

void nnp_predictor_free(nnp_predictor *predictor) {
  nnp::free_block(predictor);
}

int32_t nnp_predictor_bytes(const nnp_net *net, int64_t max_draws, size_t *bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_new(bytes, "bytes", net, max_draws, e));
    return count_bytes(layout_for(nullptr, net, max_draws), bytes, e);
  });
}

int32_t nnp_predictor_init(nnp_predictor **predictor, void *memory, size_t bytes,
                           const nnp_net *net, int64_t max_draws, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_new(predictor, "predictor", net, max_draws, e));
    return build_in(memory, bytes, layout_for(predictor, net, max_draws), e);
  });
}

int32_t nnp_predictor_noise(nnp_predictor *predictor, int32_t noise, uint64_t seed,
                            nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_idle(predictor, e));
    NNP_TRY(take(noise, "noise", &unwrap(predictor)->noise, e));
    unwrap(predictor)->seed = seed;
    return Status::ok;
  });
}

int32_t nnp_predictor_passes(nnp_predictor *predictor, int64_t passes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_idle(predictor, e));
    NNP_TRY(need_index(passes, 0, max_passes, "passes", e));
    unwrap(predictor)->passes = passes;
    return Status::ok;
  });
}

int32_t nnp_predictor_set(nnp_predictor *predictor, int32_t option, double value, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_idle(predictor, e));
    Option which = Option::simd;
    NNP_TRY(take(option, "option", &which, e));
    if (which != Option::simd && which != Option::blas)
      return fail(e, Status::bad_option, "option %s: predictors do not have it",
                  option_row(which)->name);
    NNP_TRY(take_value(values_of(which), *option_row(which), value, &value, e));
    NNP_TRY(option_check(which, value, e));
    return predictor_set(*unwrap(predictor), which, value, e);
  });
}

int32_t nnp_predictor_posterior(nnp_predictor *predictor, int32_t posterior, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_idle(predictor, e));
    PosteriorKind kind = PosteriorKind::intermediate;
    NNP_TRY(take(posterior, "posterior", &kind, e));
    unwrap(predictor)->classical = kind == PosteriorKind::classical;
    return Status::ok;
  });
}

int32_t nnp_predictor_levels(nnp_predictor *predictor, const double *levels, int64_t count,
                             nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_idle(predictor, e));
    NNP_TRY(need(levels, "levels", e));
    NNP_TRY(need_index(count, 1, max_levels, "count", e));
    for (int64_t i = 0; i < count; ++i)
      if (!(levels[i] >= 0 && levels[i] <= 1))
        return fail(e, Status::bad_value, "levels: entry %lld is %g, expected a number from 0 to 1",
                    ll(i), levels[i]);
    for (int64_t i = 0; i < count; ++i) unwrap(predictor)->levels[i] = levels[i];
    unwrap(predictor)->level_count = count;
    return Status::ok;
  });
}

int32_t nnp_predictor_weights(nnp_predictor *predictor, const double *weights, int64_t draws,
                              nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_idle(predictor, e));
    if (weights) NNP_TRY(need_index(draws, 1, unwrap(predictor)->max_draws, "draws", e));
    return set_draw_weights(*unwrap(predictor), weights, draws, e);
  });
}

int32_t nnp_predictor_units(nnp_predictor *predictor, const double *mean, const double *sd,
                            nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_idle(predictor, e));
    if (sd) NNP_TRY(need(mean, "mean", e));
    if (mean) NNP_TRY(need(sd, "sd", e));
    return set_units(*unwrap(predictor), mean, sd, e);
  });
}

int32_t nnp_predictor_pool_bytes(const nnp_predictor *predictor, nnp_pool *pool, size_t *bytes,
                                 nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(predictor, "predictor", e));
    NNP_TRY(need(pool, "pool", e));
    NNP_TRY(need(bytes, "bytes", e));
    Predictor **helpers = nullptr;
    return count_bytes(helpers_for(predictor, pool, &helpers), bytes, e);
  });
}

int32_t nnp_predictor_use_pool(nnp_predictor *predictor, nnp_pool *pool, void *memory, size_t bytes,
                               nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_idle(predictor, e));
    Predictor **helpers = nullptr;
    if (pool) NNP_TRY(build_in(memory, bytes, helpers_for(predictor, pool, &helpers), e));
    use_pool(*unwrap(predictor), unwrap(pool), helpers);
    return Status::ok;
  });
}

int32_t nnp_predictor_watch(nnp_predictor *predictor, nnp_callback callback, void *user,
                            nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_idle(predictor, e));
    NNP_TRY(check_throttle(callback, user, e));
    PredictorObject &object = *reinterpret_cast<PredictorObject *>(predictor);
    object.callback = callback;
    object.user = user;
    unwrap(predictor)->watch = callback ? Watch{ask_callback, &object} : Watch{};
    return Status::ok;
  });
}

int32_t nnp_predict(nnp_predictor *predictor, const nnp_data *data, const double *params,
                    int64_t draws, int32_t kind, double *out, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_call(predictor, data, params, draws, e));
    NNP_TRY(need(out, "out", e));
    Prediction what = Prediction::mean;
    NNP_TRY(take(kind, "kind", &what, e));
    begin_watch(predictor);
    return predict(*unwrap(predictor), *unwrap(data), {params, draws}, what, out, e);
  });
}

int32_t nnp_score(nnp_predictor *predictor, const nnp_data *data, const double *params,
                  int64_t draws, int32_t score_kind, double *value, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_call(predictor, data, params, draws, e));
    NNP_TRY(need(value, "value", e));
    Score kind = Score::mse;
    NNP_TRY(take(score_kind, "score", &kind, e));
    begin_watch(predictor);
    return score_of(*unwrap(predictor), *unwrap(data), {params, draws}, kind, value, e);
  });
}

int32_t nnp_log_lik(nnp_predictor *predictor, const nnp_data *data, const double *params,
                    int64_t draws, double *out, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_call(predictor, data, params, draws, e));
    NNP_TRY(need(out, "out", e));
    begin_watch(predictor);
    return log_lik(*unwrap(predictor), *unwrap(data), {params, draws}, out, e);
  });
}

int32_t nnp_functions_count(const nnp_predictor *predictor, const nnp_data *data, int64_t rows,
                            int64_t *count, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(predictor, "predictor", e));
    NNP_TRY(need(data, "data", e));
    NNP_TRY(need(count, "count", e));
    NNP_TRY(check_functions(*unwrap(predictor), *unwrap(data), rows, e));
    *count = function_count(*unwrap(predictor), *unwrap(data), rows);
    return Status::ok;
  });
}

int32_t nnp_functions(nnp_predictor *predictor, const nnp_data *data, const double *params,
                      int64_t draws, int64_t rows, double *out, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_call(predictor, data, params, draws, e));
    NNP_TRY(need(out, "out", e));
    begin_watch(predictor);
    return functions_of(*unwrap(predictor), *unwrap(data), {params, draws}, rows, out, e);
  });
}

int32_t nnp_function_name(const nnp_predictor *predictor, const nnp_data *data, int64_t rows,
                          int64_t function, char *buffer, size_t size, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(predictor, "predictor", e));
    NNP_TRY(need(data, "data", e));
    NNP_TRY(need(buffer, "buffer", e));
    NNP_TRY(check_functions(*unwrap(predictor), *unwrap(data), rows, e));
    const int64_t count = function_count(*unwrap(predictor), *unwrap(data), rows);
    NNP_TRY(need_index(function, 0, count - 1, "function", e));
    const size_t needed =
        function_name(*unwrap(predictor), *unwrap(data), rows, function, buffer, size);
    if (needed < size) return Status::ok;
    return fail(e, Status::buffer_too_small, "size = %zu: expected at least %zu", size, needed + 1);
  });
}

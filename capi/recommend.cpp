// Recommended settings of the C API: networks, recipes, standardized columns.
#include <algorithm>
#include <cmath>

#include "capi/families.hpp"
#include "capi/net.hpp"
#include "capi/table.hpp"
#include "lib/network/discriminant.hpp"
#include "lib/network/standard.hpp"
#include "lib/study/recipe.hpp"

using namespace nnp;

namespace {

static_assert(sizeof(nnp_model::hidden) == max_hidden * sizeof(int64_t), "room for all widths");
static_assert(sizeof(nnp_recipe::values) == recipe_options * sizeof(double), "room for options");

// ---- networks --------------------------------------------------------------------------------

// Checks a model and finds the network it describes.
Status take_model(const nnp_model *model, ModelPlan *plan, Error *e) {
  NNP_TRY(need(model, "model", e));
  NNP_TRY(need_unused(model->reserved, 4, "model", e));
  NNP_TRY(need_size(model->inputs, 1, max_inputs, "model->inputs", e));
  NNP_TRY(need_size(model->targets, 1, max_inputs, "model->targets", e));
  PosteriorKind posterior = PosteriorKind::intermediate;
  NNP_TRY(take(model->head, "model->head", &plan->head, e));
  NNP_TRY(take(model->activation, "model->activation", &plan->activation, e));
  NNP_TRY(take(model->posterior, "model->posterior", &posterior, e));
  NNP_TRY(need_flag(model->ard, "model->ard", e));
  NNP_TRY(need_index(model->hidden_count, 0, max_hidden, "model->hidden_count", e));
  plan->inputs = model->inputs;
  plan->targets = model->targets;
  plan->classical = posterior == PosteriorKind::classical;
  plan->by_input = model->ard == 1;
  plan->hidden_count = model->hidden_count;
  std::copy_n(model->hidden, model->hidden_count, plan->hidden);
  return Status::ok;
}

int32_t posterior_of(const ModelPlan &plan) {
  return plan.classical ? NNP_CLASSICAL : NNP_INTERMEDIATE;
}

// An activation and a posterior of the user's, each possibly left to the library.
struct Wanted {
  bool has_activation = false, has_posterior = false;
  Activation of_units = Activation::identity;
  PosteriorKind of_chains = PosteriorKind::intermediate;
  const Activation *activation() const { return has_activation ? &of_units : nullptr; }
  const PosteriorKind *posterior() const { return has_posterior ? &of_chains : nullptr; }
};

// 0: not set.
Status take_wanted(int32_t activation, int32_t posterior, Wanted *out, Error *e) {
  out->has_activation = activation != 0;
  out->has_posterior = posterior != 0;
  if (activation != 0) NNP_TRY(take(activation, "activation", &out->of_units, e));
  return posterior != 0 ? take(posterior, "posterior", &out->of_chains, e) : Status::ok;
}

// ---- recipes ---------------------------------------------------------------------------------

Status need_recipe(const nnp_recipe *recipe, Error *e) {
  NNP_TRY(need(recipe, "recipe", e));
  NNP_TRY(need_unused(&recipe->reserved_int, 1, "recipe", e));
  NNP_TRY(need_unused(recipe->reserved, 4, "recipe", e));
  NNP_TRY(need_index(recipe->warmup, 0, max_size, "recipe->warmup", e));
  return need_index(recipe->option_count, 0, recipe_options, "recipe->option_count", e);
}

Status need_same(const Chain &chain, const nnp_recipe &recipe, Error *e) {
  if (number_of(chain.sampler) == recipe.sampler && number_of(chain.posterior) == recipe.posterior)
    return Status::ok;
  return fail(e, Status::bad_value,
              "recipe: it is for sampler %d on posterior %d, the chain has sampler %d on posterior "
              "%d, expected the same",
              static_cast<int>(recipe.sampler), static_cast<int>(recipe.posterior),
              static_cast<int>(number_of(chain.sampler)),
              static_cast<int>(number_of(chain.posterior)));
}

// Option i of a recipe, and its value inside the library.
Status take_option(const nnp_recipe &recipe, int64_t i, Option *option, double *value, Error *e) {
  NNP_TRY(take(recipe.options[i], "recipe->options", option, e));
  return take_value(values_of(*option), *option_row(*option), recipe.values[i], value, e);
}

Status check_options(const nnp_recipe &recipe, SamplerKind sampler, PosteriorKind posterior,
                     const Net &net, Error *e) {
  const auto own_check = ops_of(sampler)->check_option;
  for (int64_t i = 0; i < recipe.option_count; ++i) {
    Option option = Option::simd;
    double value = 0;
    NNP_TRY(take_option(recipe, i, &option, &value, e));
    NNP_TRY(option_check(option, value, e));
    if (!has_option(sampler, option))
      return fail(e, Status::bad_option, "recipe: the sampler of the chain has no option %s",
                  option_row(option)->name);
    if (own_check) NNP_TRY(own_check(net, posterior, option, value, e));
  }
  if (!has_option(sampler, Option::warmup)) return Status::ok;
  return option_check(Option::warmup, static_cast<double>(recipe.warmup), e);
}

Status set_options(Chain &chain, const nnp_recipe &recipe, Error *e) {
  for (int64_t i = 0; i < recipe.option_count; ++i) {
    Option option = Option::simd;
    double value = 0;
    NNP_TRY(take_option(recipe, i, &option, &value, e));
    NNP_TRY(chain_set(chain, option, value, e));
  }
  if (!has_option(chain.sampler, Option::warmup)) return Status::ok;
  return chain_set(chain, Option::warmup, static_cast<double>(recipe.warmup), e);
}

// ---- tables ----------------------------------------------------------------------------------

using Change = Status (*)(const Table &, const double *mean, const double *sd, double *out,
                          Error *);

// Labels as nnp_recommend_transform takes them.
Status take_classes(const int32_t *labels, int64_t n, int64_t columns, Coding *out, Error *e) {
  NNP_TRY(need(labels, "labels", e));
  NNP_TRY(need_size(n, 1, max_size, "n", e));
  NNP_TRY(need_size(columns, 1, max_inputs, "columns", e));
  const int32_t least = *std::min_element(labels, labels + n);
  if (least < 0) NNP_TRY(check_signs(labels, n, e));
  const int64_t most = *std::max_element(labels, labels + n);
  *out = {least < 0 ? 2 : most + 1, least < 0};
  return Status::ok;
}

// The matrix comes first.
struct TransformRoom {
  double *matrix;
  DiscriminantRoom work;
};
auto transform_layout(TransformRoom *room, int64_t columns, int64_t classes) {
  return [=](Arena &arena) {
    room->matrix = arena.take<double>(columns, columns);
    room->work = discriminant_layout(arena, columns, classes);
  };
}

int32_t change(const double *x, int64_t n, int64_t columns, int32_t order, const double *mean,
               const double *sd, double *out, Change made, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    Table table;
    NNP_TRY(take_columns(x, n, columns, order, "x", &table, e));
    NNP_TRY(need(mean, "mean", e));
    NNP_TRY(need(sd, "sd", e));
    NNP_TRY(need(out, "out", e));
    return made(table, mean, sd, out, e);
  });
}

}  // namespace

Status nnp::take_columns(const double *x, int64_t n, int64_t columns, int32_t order,
                         const char *name, Table *out, Error *err) {
  int64_t bytes = 0;
  NNP_TRY(need(x, name, err));
  NNP_TRY(need_size(n, 1, max_size, "n", err));
  NNP_TRY(need_size(columns, 1, max_size, "columns", err));
  MatrixOrder known = MatrixOrder::row_major;
  NNP_TRY(take(order, "order", &known, err));
  if (__builtin_mul_overflow(n, columns, &bytes) ||
      __builtin_mul_overflow(bytes, int64_t{sizeof(double)}, &bytes))
    return fail(err, Status::size_overflow,
                "n = %lld, columns = %lld: more bytes than memory can address", ll(n), ll(columns));
  const bool by_row = order == NNP_ROW_MAJOR;
  *out = {x, n, columns, by_row ? columns : 1, by_row ? 1 : n, name};
  return Status::ok;
}

Status nnp::check_recipe(const nnp_recipe *recipe, SamplerKind sampler, PosteriorKind posterior,
                         const Net &net, Error *err) {
  NNP_TRY(need_recipe(recipe, err));
  return check_options(*recipe, sampler, posterior, net, err);
}

int32_t nnp_model_defaults(nnp_model *model, int64_t inputs, int64_t targets, int32_t head,
                           int64_t rows, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(model, "model", e));
    NNP_TRY(need_size(inputs, 1, max_inputs, "inputs", e));
    NNP_TRY(need_size(targets, 1, max_inputs, "targets", e));
    HeadKind kind = HeadKind::none;
    NNP_TRY(take(head, "head", &kind, e));
    NNP_TRY(need_size(rows, 0, max_size, "rows", e));
    const ModelPlan plan = plan_model(inputs, targets, kind, rows);
    *model = nnp_model{};
    model->inputs = inputs;
    model->targets = targets;
    model->head = head;
    model->activation = number_of(plan.activation);
    model->posterior = posterior_of(plan);
    model->ard = plan.by_input ? 1 : 0;
    model->hidden_count = plan.hidden_count;
    std::copy_n(plan.hidden, plan.hidden_count, model->hidden);
    return Status::ok;
  });
}

int32_t nnp_recommend_head(int64_t rows, int32_t activation, int32_t posterior, int32_t *head,
                           nnp_error *err) {
  return guarded(err, [&](Error *e) {
    Wanted wanted;
    NNP_TRY(need_size(rows, 0, max_size, "rows", e));
    NNP_TRY(take_wanted(activation, posterior, &wanted, e));
    NNP_TRY(need(head, "head", e));
    *head = number_of(head_for_numbers(rows, wanted.activation(), wanted.posterior()));
    return Status::ok;
  });
}

int32_t nnp_model_choose(nnp_model *model, int32_t activation, int32_t posterior, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    ModelPlan plan;
    Wanted wanted;
    NNP_TRY(take_model(model, &plan, e));
    NNP_TRY(take_wanted(activation, posterior, &wanted, e));
    choose(plan, wanted.activation(), wanted.posterior());
    model->activation = number_of(plan.activation);
    model->posterior = posterior_of(plan);
    return Status::ok;
  });
}

int32_t nnp_net_create_model(nnp_net **net, const nnp_model *model, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    ModelPlan plan;
    nnp_net *made = nullptr;
    NNP_TRY(need(net, "net", e));
    NNP_TRY(take_model(model, &plan, e));
    NNP_TRY(build_on_heap(net_layout_for(&made, default_layers, {model->inputs, 1, 1}), e));
    const Status status = build_model(*unwrap(made), plan, e);
    if (status != Status::ok)
      nnp::free_block(made);
    else
      *net = made;
    return status;
  });
}

int32_t nnp_net_init_model(nnp_net **net, void *memory, size_t bytes, int64_t max_layers,
                           const nnp_model *model, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    NNP_TRY(need_size(max_layers, 1, max_layers_ever, "max_layers", e));
    ModelPlan plan;
    nnp_net *made = nullptr;
    NNP_TRY(take_model(model, &plan, e));
    NNP_TRY(build_in(memory, bytes, net_layout_for(&made, max_layers, {model->inputs, 1, 1}), e));
    NNP_TRY(build_model(*unwrap(made), plan, e));
    *net = made;
    return Status::ok;
  });
}

int32_t nnp_recommend(const nnp_net *net, int64_t rows, int32_t posterior, nnp_recipe *recipe,
                      nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    NNP_TRY(net_check_complete(*unwrap(net), e));
    NNP_TRY(need_size(rows, 1, max_size, "rows", e));
    PosteriorKind wanted = PosteriorKind::intermediate;
    if (posterior != 0) NNP_TRY(take(posterior, "posterior", &wanted, e));
    NNP_TRY(need(recipe, "recipe", e));
    Recipe found;
    NNP_TRY(recommend(*unwrap(net), rows, posterior ? &wanted : nullptr, &found, e));
    *recipe = nnp_recipe{};
    recipe->sampler = number_of(found.sampler);
    recipe->posterior = number_of(found.posterior);
    recipe->start = number_of(found.start);
    recipe->chains = found.chains;
    recipe->warmup = found.warmup;
    recipe->draws = found.draws;
    recipe->thin = found.thin;
    recipe->option_count = found.option_count;
    for (int64_t i = 0; i < found.option_count; ++i) {
      recipe->options[i] = number_of(found.options[i]);
      recipe->values[i] = value_of(values_of(found.options[i]), found.values[i]);
    }
    return Status::ok;
  });
}

int32_t nnp_chain_use_recipe(nnp_chain *chain, const nnp_recipe *recipe, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_free(chain, e));
    NNP_TRY(need_recipe(recipe, e));
    Chain &own = *unwrap(chain)->chain;
    NNP_TRY(need_same(own, *recipe, e));
    NNP_TRY(check_recipe(recipe, own.sampler, own.posterior, own.state.net,
                         e));  // before the first is set
    return set_options(own, *recipe, e);
  });
}

int32_t nnp_standard(const double *x, int64_t n, int64_t columns, int32_t order, double *mean,
                     double *sd, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    Table table;
    NNP_TRY(take_columns(x, n, columns, order, "x", &table, e));
    NNP_TRY(need(mean, "mean", e));
    NNP_TRY(need(sd, "sd", e));
    return find_standard(table, mean, sd, e);
  });
}

int32_t nnp_standardize(const double *x, int64_t n, int64_t columns, int32_t order,
                        const double *mean, const double *sd, double *out, nnp_error *err) {
  return change(x, n, columns, order, mean, sd, out, standardize, err);
}

int32_t nnp_unstandardize(const double *x, int64_t n, int64_t columns, int32_t order,
                          const double *mean, const double *sd, double *out, nnp_error *err) {
  return change(x, n, columns, order, mean, sd, out, unstandardize, err);
}

int32_t nnp_recommend_transform_bytes(const int32_t *labels, int64_t n, int64_t columns,
                                      size_t *bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    Coding coding;
    NNP_TRY(take_classes(labels, n, columns, &coding, e));
    NNP_TRY(need(bytes, "bytes", e));
    size_t needed = 0;
    TransformRoom room;
    if (suits_discriminant(n, columns, coding.classes))
      NNP_TRY(count_bytes(transform_layout(&room, columns, coding.classes), &needed, e));
    *bytes = needed;
    return Status::ok;
  });
}

int32_t nnp_recommend_transform(const double *z, const int32_t *labels, int64_t n, int64_t columns,
                                int32_t order, double *matrix, size_t bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    Table table;
    Coding coding;
    NNP_TRY(take_columns(z, n, columns, order, "z", &table, e));
    NNP_TRY(take_classes(labels, n, columns, &coding, e));
    NNP_TRY(need(matrix, "matrix", e));
    if (!suits_discriminant(n, columns, coding.classes))
      return fail(e, Status::unsupported,
                  "n = %lld rows of %lld columns: expected no call, since "
                  "nnp_recommend_transform_bytes says 0",
                  ll(n), ll(columns));
    NNP_TRY(check_entries(table, e));
    size_t needed = 0;
    TransformRoom room;
    const auto layout = transform_layout(&room, columns, coding.classes);
    NNP_TRY(count_bytes(layout, &needed, e));
    if (bytes < needed)
      return fail(e, Status::memory_too_small, "bytes = %zu: expected at least %zu", bytes, needed);
    Arena arena(matrix, needed);
    layout(arena);
    find_discriminant({table, labels, coding.classes, coding.with_sign}, room.work, room.matrix);
    return Status::ok;
  });
}

int32_t nnp_transform(const double *z, int64_t n, int64_t columns, int32_t order,
                      const double *matrix, double *out, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    Table table;
    NNP_TRY(take_columns(z, n, columns, order, "z", &table, e));
    NNP_TRY(need(matrix, "matrix", e));
    NNP_TRY(need(out, "out", e));
    NNP_TRY(check_entries(table, e));
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t i = j; i < columns; ++i)
        if (!std::isfinite(matrix[i + j * columns]))
          return fail(e, Status::not_finite,
                      "matrix: entry (%lld, %lld) is %g, expected a finite number", ll(i), ll(j),
                      matrix[i + j * columns]);
    apply_discriminant(table, matrix, out);
    return Status::ok;
  });
}

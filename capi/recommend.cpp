// Recommended settings of the C API: networks, recipes, standardized columns.
#include <algorithm>

#include "capi/net.hpp"
#include "lib/network/standard.hpp"
#include "lib/study/recipe.hpp"

using namespace nnp;

namespace {

static_assert(sizeof(nnp_model::hidden) == max_hidden * sizeof(int64_t), "room for all widths");
static_assert(sizeof(nnp_recipe::values) == recipe_options * sizeof(double), "room for options");

// ---- networks --------------------------------------------------------------------------------

Status need_head(int32_t head, Error *e) {
  if (ops_of(static_cast<HeadKind>(head))) return Status::ok;
  return fail(e, Status::bad_enum, "head = %d: expected %s", static_cast<int>(head), head_names());
}

Status need_activation(int32_t activation, Error *e) {
  if (activation_name(static_cast<Activation>(activation))) return Status::ok;
  return fail(e, Status::bad_enum, "activation = %d: expected one of the activations, or 0",
              static_cast<int>(activation));
}

Status need_model(const nnp_model *model, Error *e) {
  NNP_TRY(need(model, "model", e));
  NNP_TRY(need_unused(model->reserved, 4, "model", e));
  NNP_TRY(need_size(model->inputs, 1, max_inputs, "model->inputs", e));
  NNP_TRY(need_size(model->targets, 1, max_inputs, "model->targets", e));
  NNP_TRY(need_head(model->head, e));
  NNP_TRY(need_posterior(model->posterior, e));
  NNP_TRY(need_flag(model->ard, "model->ard", e));
  return need_index(model->hidden_count, 0, max_hidden, "model->hidden_count", e);
}

ModelPlan plan_of(const nnp_model &model) {
  ModelPlan plan;
  plan.inputs = model.inputs;
  plan.targets = model.targets;
  plan.head = static_cast<HeadKind>(model.head);
  plan.activation = static_cast<Activation>(model.activation);
  plan.classical = model.posterior == NNP_CLASSICAL;
  plan.by_input = model.ard == 1;
  plan.hidden_count = model.hidden_count;
  std::copy_n(model.hidden, model.hidden_count, plan.hidden);
  return plan;
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
  if (static_cast<int32_t>(chain.sampler) == recipe.sampler &&
      static_cast<int32_t>(chain.posterior) == recipe.posterior)
    return Status::ok;
  return fail(e, Status::bad_value,
              "recipe: it is for sampler %d on posterior %d, the chain has sampler %d on posterior "
              "%d, expected the same",
              static_cast<int>(recipe.sampler), static_cast<int>(recipe.posterior),
              static_cast<int>(chain.sampler), static_cast<int>(chain.posterior));
}

// All options are looked at before the first is set.
Status check_options(const Chain &chain, const nnp_recipe &recipe, Error *e) {
  const auto own_check = ops_of(chain.sampler)->check_option;
  for (int64_t i = 0; i < recipe.option_count; ++i) {
    const Option option = static_cast<Option>(recipe.options[i]);
    NNP_TRY(option_known(option, e));
    NNP_TRY(option_check(option, recipe.values[i], e));
    if (!has_option(chain.sampler, option))
      return fail(e, Status::bad_option, "recipe: the sampler of the chain has no option %s",
                  option_row(option)->name);
    if (own_check) NNP_TRY(own_check(chain, option, recipe.values[i], e));
  }
  if (!has_option(chain.sampler, Option::warmup)) return Status::ok;
  return option_check(Option::warmup, static_cast<double>(recipe.warmup), e);
}

Status set_options(Chain &chain, const nnp_recipe &recipe, Error *e) {
  for (int64_t i = 0; i < recipe.option_count; ++i)
    NNP_TRY(chain_set(chain, static_cast<Option>(recipe.options[i]), recipe.values[i], e));
  if (!has_option(chain.sampler, Option::warmup)) return Status::ok;
  return chain_set(chain, Option::warmup, static_cast<double>(recipe.warmup), e);
}

// ---- tables ----------------------------------------------------------------------------------

Status need_table(const double *x, int64_t n, int64_t columns, int32_t order, Error *e) {
  int64_t bytes = 0;
  NNP_TRY(need(x, "x", e));
  NNP_TRY(need_size(n, 1, max_size, "n", e));
  NNP_TRY(need_size(columns, 1, max_size, "columns", e));
  if (order != NNP_ROW_MAJOR && order != NNP_COLUMN_MAJOR)
    return fail(e, Status::bad_enum, "order = %d: expected NNP_ROW_MAJOR or NNP_COLUMN_MAJOR",
                static_cast<int>(order));
  if (!__builtin_mul_overflow(n, columns, &bytes) &&
      !__builtin_mul_overflow(bytes, int64_t{sizeof(double)}, &bytes))
    return Status::ok;
  return fail(e, Status::size_overflow,
              "n = %lld, columns = %lld: more bytes than memory can address", ll(n), ll(columns));
}

Table table_of(const double *x, int64_t n, int64_t columns, int32_t order) {
  const bool by_row = order == NNP_ROW_MAJOR;
  return {x, n, columns, by_row ? columns : 1, by_row ? 1 : n};
}

using Change = Status (*)(const Table &, const double *mean, const double *sd, double *out,
                          Error *);

int32_t change(const double *x, int64_t n, int64_t columns, int32_t order, const double *mean,
               const double *sd, double *out, Change made, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_table(x, n, columns, order, e));
    NNP_TRY(need(mean, "mean", e));
    NNP_TRY(need(sd, "sd", e));
    NNP_TRY(need(out, "out", e));
    return made(table_of(x, n, columns, order), mean, sd, out, e);
  });
}

}  // namespace

int32_t nnp_model_defaults(nnp_model *model, int64_t inputs, int64_t targets, int32_t head,
                           int64_t rows, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(model, "model", e));
    NNP_TRY(need_size(inputs, 1, max_inputs, "inputs", e));
    NNP_TRY(need_size(targets, 1, max_inputs, "targets", e));
    NNP_TRY(need_head(head, e));
    NNP_TRY(need_size(rows, 0, max_size, "rows", e));
    const ModelPlan plan = plan_model(inputs, targets, static_cast<HeadKind>(head), rows);
    *model = nnp_model{};
    model->inputs = inputs;
    model->targets = targets;
    model->head = head;
    model->activation = static_cast<int32_t>(plan.activation);
    model->posterior = plan.classical ? NNP_CLASSICAL : NNP_INTERMEDIATE;
    model->ard = plan.by_input ? 1 : 0;
    model->hidden_count = plan.hidden_count;
    std::copy_n(plan.hidden, plan.hidden_count, model->hidden);
    return Status::ok;
  });
}

int32_t nnp_model_choose(nnp_model *model, int32_t activation, int32_t posterior, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_model(model, e));
    if (activation != 0) NNP_TRY(need_activation(activation, e));
    if (posterior != 0) NNP_TRY(need_posterior(posterior, e));
    const Activation wanted = static_cast<Activation>(activation);
    const PosteriorKind of = static_cast<PosteriorKind>(posterior);
    ModelPlan plan = plan_of(*model);
    choose(plan, activation ? &wanted : nullptr, posterior ? &of : nullptr);
    model->activation = static_cast<int32_t>(plan.activation);
    model->posterior = plan.classical ? NNP_CLASSICAL : NNP_INTERMEDIATE;
    return Status::ok;
  });
}

int32_t nnp_net_create_model(nnp_net **net, const nnp_model *model, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    NNP_TRY(need_model(model, e));
    nnp_net *made = nullptr;
    NNP_TRY(build_on_heap(net_layout_for(&made, default_layers, {model->inputs, 1, 1}), e));
    const Status status = build_model(*unwrap(made), plan_of(*model), e);
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
    NNP_TRY(need_model(model, e));
    nnp_net *made = nullptr;
    NNP_TRY(build_in(memory, bytes, net_layout_for(&made, max_layers, {model->inputs, 1, 1}), e));
    NNP_TRY(build_model(*unwrap(made), plan_of(*model), e));
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
    if (posterior != 0) NNP_TRY(need_posterior(posterior, e));
    NNP_TRY(need(recipe, "recipe", e));
    const PosteriorKind wanted = static_cast<PosteriorKind>(posterior);
    Recipe found;
    NNP_TRY(recommend(*unwrap(net), rows, posterior ? &wanted : nullptr, &found, e));
    *recipe = nnp_recipe{};
    recipe->sampler = static_cast<int32_t>(found.sampler);
    recipe->posterior = static_cast<int32_t>(found.posterior);
    recipe->start = static_cast<int32_t>(found.start);
    recipe->chains = found.chains;
    recipe->warmup = found.warmup;
    recipe->draws = found.draws;
    recipe->thin = found.thin;
    recipe->option_count = found.option_count;
    for (int64_t i = 0; i < found.option_count; ++i) {
      recipe->options[i] = static_cast<int32_t>(found.options[i]);
      recipe->values[i] = found.values[i];
    }
    return Status::ok;
  });
}

int32_t nnp_chain_use_recipe(nnp_chain *chain, const nnp_recipe *recipe, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_free(chain, e));
    NNP_TRY(need_recipe(recipe, e));
    NNP_TRY(need_same(*unwrap(chain)->chain, *recipe, e));
    NNP_TRY(check_options(*unwrap(chain)->chain, *recipe, e));
    return set_options(*unwrap(chain)->chain, *recipe, e);
  });
}

int32_t nnp_standard(const double *x, int64_t n, int64_t columns, int32_t order, double *mean,
                     double *sd, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_table(x, n, columns, order, e));
    NNP_TRY(need(mean, "mean", e));
    NNP_TRY(need(sd, "sd", e));
    return find_standard(table_of(x, n, columns, order), mean, sd, e);
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

// A table of data in the C API: its settings, and what is inside.
#include "capi/table.hpp"

#include <algorithm>
#include <cmath>

#include "capi/families.hpp"
#include "lib/base/sizes.hpp"
#include "lib/base/text.hpp"

using namespace nnp;

namespace {

// ---- settings --------------------------------------------------------------------------------

constexpr double most_seed = 9007199254740992.0;  // 2^53
constexpr double steps = static_cast<double>(most_table_steps);

// What a setting can be. A family's constants take the place of bounds.
struct SettingRow {
  OptionRow row;
  const Family *family;
};

SettingRow row_of(TableSetting setting) {
  const auto whole = [](const char *name, double low, double high, double initial) {
    return SettingRow{named(name).from(low).to(high).initially(initial).whole_numbers(), nullptr};
  };
  const auto constant = [](const char *name, const Family &family, double initial) {
    return SettingRow{named(name)
                          .from(family.rows[0].number)
                          .to(family.rows[family.count - 1].number)
                          .initially(initial),
                      &family};
  };
  switch (setting) {
    case TableSetting::seed:
      return whole("seed", 0, most_seed, 1);
    case TableSetting::head:
      return constant("head", family_of<HeadKind>(), NNP_RECOMMENDED);
    case TableSetting::activation:
      return constant("activation", family_of<Activation>(), NNP_RECOMMENDED);
    case TableSetting::posterior:
      return constant("posterior", family_of<PosteriorKind>(), NNP_RECOMMENDED);
    case TableSetting::ard:
      return whole("ard", 0, 1, 0);
    case TableSetting::sampler:
      return constant("sampler", family_of<SamplerKind>(), NNP_RECOMMENDED);
    case TableSetting::start:
      return constant("start", family_of<Start>(), NNP_RECOMMENDED);
    case TableSetting::chains:
      return whole("chains", 1, static_cast<double>(most_table_chains), NNP_RECOMMENDED);
    case TableSetting::warmup:
      return whole("warmup", 0, steps, NNP_RECOMMENDED);
    case TableSetting::draws:
      return whole("draws", 1, steps, NNP_RECOMMENDED);
    case TableSetting::thin:
      return whole("thin", 1, steps, NNP_RECOMMENDED);
    case TableSetting::threads:
      return whole("threads", 0, most_threads, 0);
    case TableSetting::stacking:
      return whole("stacking", 0, 1, 1);
    case TableSetting::constant:
      return whole("constant", 0, 1, 0);
  }
  return {};
}

// Heads of labels are chosen by nnp_table_fit_labels.
bool takes_targets(int32_t head) {
  return ops_of(static_cast<HeadKind>(head))->target == TargetKind::targets;
}

Status check_setting(TableSetting setting, double value, Error *e) {
  const SettingRow known = row_of(setting);
  const char *otherwise = known.row.initial == recommended ? ", or NNP_RECOMMENDED" : "";
  if (value == known.row.initial) return Status::ok;
  if (!known.family) {
    Error why = {};
    if (option_value_check(known.row, value, &why) == Status::ok) return Status::ok;
    return fail(e, Status::bad_value, "setting %s%s", why.message, otherwise);
  }
  const bool is_head = setting == TableSetting::head, known_one = belongs_to(*known.family, value);
  const bool labels =
      is_head && known_one && !takes_targets(static_cast<int32_t>(value) - known.family->base());
  if (known_one && !labels) return Status::ok;
  char meaning[80] = "", names[160] = "";
  Text given = {meaning, sizeof meaning, 0}, wanted = {names, sizeof names, 0};
  add_meaning(given, value);
  if (is_head)
    add_names(wanted, *known.family, takes_targets);
  else
    add_names(wanted, *known.family);
  if (labels) wanted.add(" (labels go to nnp_table_fit_labels)");
  return fail(e, Status::bad_value, "setting %s = %.10g%s: expected %s%s", known.row.name, value,
              meaning, names, otherwise);
}

// ---- weights and words -----------------------------------------------------------------------

Status need_weights(const double *weights, int64_t chains, double *sum, Error *e) {
  *sum = 0;
  for (int64_t c = 0; c < chains; ++c) {
    if (!(weights[c] >= 0) || !std::isfinite(weights[c]))
      return fail(e, Status::bad_value,
                  "weights: entry %lld is %g, expected a finite number that is not negative", ll(c),
                  weights[c]);
    *sum += weights[c];
  }
  if (*sum > 0 && std::isfinite(*sum)) return Status::ok;
  return fail(e, Status::bad_value, "weights: their sum is %g, expected a positive number", *sum);
}

void add_advice(Text &text, const Fitted &fitted) {
  const nnp_convergence &found = fitted.convergence;
  if (found.verdict == NNP_FEW_DRAWS) {
    const double least = std::min(found.ess_bulk, found.ess_tail);
    if (least > 0) {
      text.add("; about ");
      text.add_number(std::ceil(found.ess_needed / least), 0);
      text.add(" times as many draws will do");
    }
  }
  if (fitted.weights_from != WeightsFrom::nobody) {
    const int64_t counted = std::count_if(fitted.weights, fitted.weights + fitted.chains,
                                          [](double weight) { return weight > 0.01; });
    text.add("; %lld of %lld chains have weight, by %s", ll(counted), ll(fitted.chains),
             fitted.weights_from == WeightsFrom::stacking ? "stacking" : "your weights");
  }
  if (found.verdict == NNP_DOUBTFUL || found.verdict == NNP_NOT_CONVERGED)
    text.add("; try more warm-up and draws");
}

// The verdict on the chains, in words.
void add_verdict(Text &text, const nnp_convergence &found) {
  Convergence verdict = Convergence::undecided;
  take(found.verdict, "verdict", &verdict, nullptr);
  text.length = convergence_text(
      {verdict, found.rhat, found.ess_bulk, found.ess_tail, found.ess_needed, found.worst},
      text.buffer, text.size);
}

}  // namespace

// ---- what the rooms of tables share ------------------------------------------------------------

Status nnp::make_fitted(const FittedSizes &sizes, Fitted **out, Error *err) {
  const auto layout = [&](Arena &arena) {
    Fitted *made = arena.take<Fitted>(1);
    double *input_mean = arena.take<double>(sizes.columns);
    double *input_sd = arena.take<double>(sizes.columns);
    double *input_matrix = arena.take<double>(sizes.matrix);
    double *target_mean = arena.take<double>(sizes.targets);
    double *target_sd = arena.take<double>(sizes.targets);
    double *weights = arena.take<double>(sizes.chains);
    double *values = arena.take<double>(times(sizes.parameters, sizes.draws), sizes.chains);
    if (!made) return;
    made->columns = sizes.columns;
    made->targets = sizes.targets;
    made->parameters = sizes.parameters;
    made->draws = sizes.draws;
    made->chains = sizes.chains;
    made->input_mean = input_mean;
    made->input_sd = input_sd;
    made->input_matrix = sizes.matrix > 0 ? input_matrix : nullptr;
    made->target_mean = target_mean;
    made->target_sd = target_sd;
    made->weights = weights;
    made->values = values;
    *out = made;
  };
  return build_on_heap(layout, err);
}

void nnp::free_fitted(Fitted *fitted) {
  if (fitted) nnp_net_free(fitted->net);
  free_block(fitted);
}

void nnp::replace_fitted(TableObject &table, Fitted *fitted) {
  free_fitted(table.fitted);
  table.fitted = fitted;
}

Status nnp::need_fitted(const nnp_table *table, Error *err) {
  NNP_TRY(need(table, "table", err));
  if (unwrap(table)->fitted) return Status::ok;
  return fail(err, Status::not_started,
              "table: it was not fitted yet, expected nnp_table_fit or nnp_table_fit_labels first");
}

// ---- the API -----------------------------------------------------------------------------------

int32_t nnp_table_create(nnp_table **table, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(table, "table", e));
    return build_on_heap(
        [&](Arena &arena) {
          TableObject *made = arena.take<TableObject>(1);
          if (!made) return;
          *made = TableObject{};
          for (int32_t i = 1; i <= table_settings; ++i)
            made->settings[i] = row_of(static_cast<TableSetting>(i)).row.initial;
          made->hidden_count = -1;
          *table = reinterpret_cast<nnp_table *>(made);
        },
        e);
  });
}

void nnp_table_free(nnp_table *table) {
  if (table) free_fitted(unwrap(table)->fitted);
  nnp::free_block(table);
}

int32_t nnp_table_set(nnp_table *table, int32_t setting, double value, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(table, "table", e));
    TableSetting which = TableSetting::seed;
    NNP_TRY(take(setting, "setting", &which, e));
    NNP_TRY(check_setting(which, value, e));
    unwrap(table)->settings[static_cast<int32_t>(which)] = value;
    return Status::ok;
  });
}

int32_t nnp_table_get(const nnp_table *table, int32_t setting, double *value, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(table, "table", e));
    NNP_TRY(need(value, "value", e));
    TableSetting which = TableSetting::seed;
    NNP_TRY(take(setting, "setting", &which, e));
    *value = (*unwrap(table))[which];
    return Status::ok;
  });
}

int32_t nnp_table_setting_info(int32_t setting, const char **name, double *low, double *high,
                               double *initial, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    TableSetting which = TableSetting::seed;
    NNP_TRY(take(setting, "setting", &which, e));
    tell_option(row_of(which).row, nullptr, name, low, high, initial);
    return Status::ok;
  });
}

int32_t nnp_table_hidden(nnp_table *table, const int64_t *widths, int64_t count, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(table, "table", e));
    NNP_TRY(need_index(count, 0, max_hidden, "count", e));
    if (count > 0) NNP_TRY(need(widths, "widths", e));
    for (int64_t i = 0; i < count; ++i) NNP_TRY(need_size(widths[i], 1, max_size, "widths", e));
    for (int64_t i = 0; i < count; ++i) unwrap(table)->hidden[i] = widths[i];
    unwrap(table)->hidden_count = widths ? count : -1;
    return Status::ok;
  });
}

int32_t nnp_table_option(nnp_table *table, int32_t option, double value, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(table, "table", e));
    Option which = Option::simd;
    double inside = 0;
    NNP_TRY(take(option, "option", &which, e));
    NNP_TRY(take_value(values_of(which), *option_row(which), value, &inside, e));
    NNP_TRY(option_check(which, inside, e));
    if (which == Option::warmup)
      return fail(e, Status::bad_option, "option %s: expected the setting NNP_TABLE_WARMUP instead",
                  option_row(which)->name);
    TableObject &t = *unwrap(table);
    const int64_t place = std::find(t.options, t.options + t.option_count, option) - t.options;
    NNP_TRY(need_index(place + 1, 1, recipe_options, "options", e));
    t.options[place] = option;
    t.values[place] = value;
    t.option_count = std::max(t.option_count, place + 1);
    return Status::ok;
  });
}

int32_t nnp_table_watch(nnp_table *table, nnp_callback callback, void *user, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(table, "table", e));
    NNP_TRY(check_throttle(callback, user, e));
    unwrap(table)->callback = callback;
    unwrap(table)->user = user;
    return Status::ok;
  });
}

int32_t nnp_table_text(const nnp_table *table, char *buffer, size_t size, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_fitted(table, e));
    NNP_TRY(need(buffer, "buffer", e));
    const Fitted &fitted = *unwrap(table)->fitted;
    Text text = {buffer, size, 0};
    add_verdict(text, fitted.convergence);
    add_advice(text, fitted);
    if (fitted.stopped) text.add(" (stopped early)");
    return text.finish(e);
  });
}

int32_t nnp_table_convergence(const nnp_table *table, nnp_convergence *out, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_fitted(table, e));
    NNP_TRY(need(out, "out", e));
    *out = unwrap(table)->fitted->convergence;
    return Status::ok;
  });
}

int32_t nnp_table_loo(const nnp_table *table, nnp_loo_summary *out, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_fitted(table, e));
    NNP_TRY(need(out, "out", e));
    *out = unwrap(table)->fitted->loo;
    return Status::ok;
  });
}

int32_t nnp_table_recipe(const nnp_table *table, nnp_recipe *recipe, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_fitted(table, e));
    NNP_TRY(need(recipe, "recipe", e));
    *recipe = unwrap(table)->fitted->recipe;
    return Status::ok;
  });
}

int32_t nnp_table_inside(const nnp_table *table, nnp_inside *out, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_fitted(table, e));
    NNP_TRY(need(out, "out", e));
    const Fitted &f = *unwrap(table)->fitted;
    *out = nnp_inside{};
    out->net = f.net;
    out->draws = f.values;
    out->weights = f.weights;
    out->input_mean = f.input_mean;
    out->input_sd = f.input_sd;
    out->input_matrix = f.input_matrix;
    out->target_mean = f.classes == 0 ? f.target_mean : nullptr;
    out->target_sd = f.classes == 0 ? f.target_sd : nullptr;
    out->parameters = f.parameters;
    out->draw_count = f.draws;
    out->chains = f.chains;
    out->rows = f.rows;
    out->columns = f.columns;
    out->targets = f.targets;
    out->classes = f.classes;
    out->stopped = f.stopped ? 1 : 0;
    out->stacked = f.weights_from != WeightsFrom::nobody ? 1 : 0;
    return Status::ok;
  });
}

int32_t nnp_table_weigh(nnp_table *table, const double *weights, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_fitted(table, e));
    Fitted &fitted = *unwrap(table)->fitted;
    double sum = 0;
    if (weights) NNP_TRY(need_weights(weights, fitted.chains, &sum, e));
    for (int64_t c = 0; c < fitted.chains; ++c)
      fitted.weights[c] = weights ? weights[c] / sum : 1 / static_cast<double>(fitted.chains);
    fitted.weights_from = weights ? WeightsFrom::caller : WeightsFrom::nobody;
    return Status::ok;
  });
}

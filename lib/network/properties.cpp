// Properties of layers: those that layers of every kind have, and functions that set and read any.
#include <cmath>

#include "lib/network/net.hpp"
#include "lib/network/scales.hpp"

namespace nnp {

namespace {

bool has_params(const Layer &layer) {
  return layer.weight_count > 0;
}

constexpr PropertyRow noise() {
  PropertyRow row;
  row.property = Property::noise;
  row.name = "noise";
  row.get = [](const Layer &layer) { return layer.noise; };
  row.set = [](Layer &layer, double value) {
    layer.noise = layer.final_noise = value;
    layer.noise_set = true;
  };
  return row;
}

// A plain number that layers with parameters have.
template <double Layer::*number>
constexpr PropertyRow number_row(Property property, const char *name) {
  PropertyRow row;
  row.property = property;
  row.name = name;
  row.has = has_params;
  row.get = [](const Layer &layer) { return layer.*number; };
  row.set = [](Layer &layer, double value) { layer.*number = value; };
  return row;
}

constexpr PropertyRow bias() {
  PropertyRow row;
  row.property = Property::bias;
  row.name = "bias";
  row.values = Values::yes_or_no;
  row.has = has_params;
  row.get = [](const Layer &layer) { return layer.bias ? 1.0 : 0.0; };
  row.set = [](Layer &layer, double value) {
    layer.bias = value != 0;
    layer.bias_count = layer.bias ? ops_of(layer).units(layer) : 0;
  };
  return row;
}

constexpr PropertyRow common_rows[] = {
    noise(), number_row<&Layer::lambda_w>(Property::lambda_w, "lambda_w"),
    number_row<&Layer::lambda_b>(Property::lambda_b, "lambda_b"), bias()};
constexpr PropertyRows common = {common_rows, 4};

const PropertyRow *find(const PropertyRows &table, Property property) {
  for (int64_t i = 0; i < table.count; ++i)
    if (table.rows[i].property == property) return table.rows + i;
  return nullptr;
}

// The row of a property for this layer; null if the layer does not have it.
const PropertyRow *row_of(const Layer &layer, Property property) {
  const PropertyRow *row = find(common, property);
  if (!row) row = find(ops_of(layer).properties, property);
  return row && (!row->has || row->has(layer)) ? row : nullptr;
}

// The row of a property of any kind; null for numbers that are not properties.
const PropertyRow *row_of(Property property) {
  const PropertyRow *row = find(common, property);
  for (int kind = 0; !row && kind < kind_count(); ++kind)
    row = find(kind_number(kind).properties, property);
  return row;
}

const char *expected(Values values) {
  switch (values) {
    case Values::positive:
      return "a positive, finite number";
    case Values::finite:
      return "a finite number";
    case Values::yes_or_no:
      return "0 or 1";
    case Values::whole:
      return "a whole number from 0";
  }
  return "";
}

bool allowed(Values values, double value) {
  switch (values) {
    case Values::positive:
      return value > 0 && std::isfinite(value);
    case Values::finite:
      return std::isfinite(value);
    case Values::yes_or_no:
      return value == 0 || value == 1;
    case Values::whole:
      return value >= 0 && value <= 0x1p53 && value == std::floor(value);
  }
  return false;
}

Status check_property(const Net &net, int64_t layer, Property property, Error *err) {
  const PropertyRow *row = row_of(property);
  if (!row)
    return fail(err, Status::bad_enum,
                "property = %s: expected one of the layer properties, or layer = %lld for one of "
                "the head",
                property_name(property), ll(head_layer));
  if (layer < 0 || layer > net.depth)
    return fail(err, Status::bad_size, "layer = %lld: expected 1 to %lld, or 0 for all layers",
                ll(layer), ll(net.depth));
  if (layer == 0 || row_of(net.layer(layer), property)) return Status::ok;
  char text[160];
  Text weights = {text, sizeof text, 0};
  net_list_weights(net, weights);
  return fail(err, Status::bad_option, "layer = %lld: a layer of kind %s has no %s (%s)", ll(layer),
              layer_name(net.layer(layer)), row->name, text);
}

Status check_value(const PropertyRow &row, double value, Error *err) {
  if (allowed(row.values, value)) return Status::ok;
  return fail(err, Status::bad_value, "%s = %g: expected %s", row.name, value,
              expected(row.values));
}

Status check_for_layer(const Net &net, int64_t k, const PropertyRow &row, double value,
                       Error *err) {
  if (row.reshapes && (k != net.depth || net.head.kind != HeadKind::none))
    return fail(err, Status::bad_option,
                "%s: layer %lld is followed by %s, expected it to be set before other layers and "
                "the head are added, since it changes the shape of the output",
                row.name, ll(k), k != net.depth ? "another" : "the head");
  return row.check ? row.check(net.layer(k), value, err) : Status::ok;
}

// Finds the index of the value of a head's property.
Status find_head_property(const Net &net, Property property, int64_t *index, Error *err) {
  if (net.head.kind == HeadKind::none)
    return fail(err, Status::no_head,
                "layer = %lld: the network has no head yet, expected one of %s", ll(head_layer),
                head_names());
  if (head_property(net.head, static_cast<int32_t>(property), index)) return Status::ok;
  return fail(err, Status::bad_option, "property = %s: head %s does not have it",
              property_name(property), ops_of(net.head)->name);
}

Status set_head_property(Net &net, Property property, double value, Error *err) {
  int64_t index = 0;
  const Status status = find_head_property(net, property, &index, err);
  if (status != Status::ok) return status;
  const HeadProperty &row = ops_of(net.head)->properties[index];
  if (!allowed(row.values, value))
    return fail(err, Status::bad_value, "%s = %g: expected %s", row.name, value,
                expected(row.values));
  net.head.values[index] = value;
  return Status::ok;
}

void place_params(Net &net) {
  int64_t first = 0;
  for (int64_t k = 0; k < net.depth; ++k) {
    net.layers[k].first_param = first;
    first += net.layers[k].param_count();
  }
  net_place_scales(net);
  net_collapse_layers(net);
}

// Calls work(layer number, row) for the layers that have the property.
template <class Work>
void for_each_layer(const Net &net, int64_t layer, Property property, Work work) {
  for (int64_t k = 1; k <= net.depth; ++k) {
    const PropertyRow *row = row_of(net.layer(k), property);
    if (row && (layer == 0 || layer == k)) work(k, *row);
  }
}

}  // namespace

Status net_set(Net &net, int64_t layer, Property property, double value, Error *err) {
  if (layer == head_layer) return set_head_property(net, property, value, err);
  Status status = check_property(net, layer, property, err);
  if (status == Status::ok) status = check_value(*row_of(property), value, err);
  if (status == Status::ok) status = check_set_scale(net, layer, property, err);
  for_each_layer(net, layer, property, [&](int64_t k, const PropertyRow &row) {
    if (status == Status::ok) status = check_for_layer(net, k, row, value, err);
  });
  if (status != Status::ok) return status;
  for_each_layer(net, layer, property, [&](int64_t k, const PropertyRow &row) {
    fix_scale(net, k, property);
    row.set(net.layers[k - 1], value);
  });
  place_params(net);
  return Status::ok;
}

const char *property_name(Property property) {
  if (property == Property::ard) return "ard";
  if (const PropertyRow *row = row_of(property)) return row->name;
  for (int32_t kind = 1; const HeadOps *head = ops_of(static_cast<HeadKind>(kind)); ++kind)
    for (int64_t i = 0; i < head->property_count; ++i)
      if (head->properties[i].number == static_cast<int32_t>(property))
        return head->properties[i].name;
  return "unknown";
}

Status net_get(const Net &net, int64_t layer, Property property, double *value, Error *err) {
  if (layer == head_layer) {
    int64_t index = 0;
    const Status found = find_head_property(net, property, &index, err);
    if (found == Status::ok) *value = net.head.values[index];
    return found;
  }
  const Status status = check_property(net, layer, property, err);
  if (status != Status::ok) return status;
  if (layer == 0)
    return fail(err, Status::bad_size, "layer = 0: expected one layer, 1 to %lld", ll(net.depth));
  *value = row_of(net.layer(layer), property)->get(net.layer(layer));
  return Status::ok;
}

}  // namespace nnp

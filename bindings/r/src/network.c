/* Networks and data. */
#include <stdio.h>
#include <string.h>

#include "nnpost_r.h"

static int64_t argument(SEXP layer, int i, const char *name) {
  char message[96];
  if (TYPEOF(layer) == REALSXP && XLENGTH(layer) > i) {
    SEXP value = PROTECT(Rf_ScalarReal(REAL(layer)[i]));
    const int64_t result = whole(value, name);
    UNPROTECT(1);
    return result;
  }
  snprintf(message, sizeof message, "layer: its %s is missing", name);
  raise_status(NNP_E_VALUE, message);
}

/* The padding changes the shape of the output, so it is set before other layers come. */
static int32_t add_conv2d(nnp_net *net, SEXP layer, nnp_error *err) {
  int64_t last;
  int32_t status = nnp_net_conv2d(net, argument(layer, 1, "filters"), argument(layer, 2, "height"),
                                  argument(layer, 3, "width"), argument(layer, 4, "stride"),
                                  argument(layer, 5, "stride"), err);
  if (status == NNP_OK) status = nnp_net_layers(net, &last, err);
  for (int i = 0; i < 2 && status == NNP_OK && XLENGTH(layer) > 7; ++i)
    status = nnp_net_set(net, last, i == 0 ? NNP_PADDING_Y : NNP_PADDING_X,
                         (double)argument(layer, 6 + i, "padding"), err);
  return status;
}

/* A layer is c(code, arguments): see the codes in R/network.R. */
static int32_t add_layer(nnp_net *net, SEXP layer, nnp_error *err) {
  switch (argument(layer, 0, "kind")) {
    case 1:
      return nnp_net_dense(net, argument(layer, 1, "units"), err);
    case 2:
      return nnp_net_activation(net, (int32_t)argument(layer, 1, "activation"), err);
    case 3:
      return add_conv2d(net, layer, err);
    case 4:
      return nnp_net_avgpool(net, argument(layer, 1, "height"), argument(layer, 2, "width"), err);
    case 5:
      return nnp_net_image(net, argument(layer, 1, "channels"), argument(layer, 2, "height"),
                           argument(layer, 3, "width"), err);
    case 6:
      return nnp_net_maxpool(net, argument(layer, 1, "height"), argument(layer, 2, "width"), err);
  }
  snprintf(err->message, sizeof err->message, "layer: a kind there is not");
  return NNP_E_ENUM;
}

/* One of the steps described in R/network.R. */
static int32_t make_step(nnp_net *net, SEXP step, nnp_error *err) {
  const double *p = REAL(step);
  const R_xlen_t count = XLENGTH(step);
  const int kind = count > 0 ? (int)p[0] : 0;
  if (kind == 1 && count == 4) return nnp_net_set(net, (int64_t)p[1], (int32_t)p[2], p[3], err);
  if (kind == 2 && count == 5)
    return nnp_net_learn(net, (int64_t)p[1], (int32_t)p[2], p[3], p[4], err);
  if (kind == 3 && count >= 3)
    return nnp_net_learn_tied(net, count > 3 ? p + 3 : NULL, p[1], p[2], err);
  if (kind == 4 && count == 3) return nnp_net_fix(net, (int64_t)p[1], (int32_t)p[2], err);
  snprintf(err->message, sizeof err->message, "properties: a step there is not");
  return NNP_E_ENUM;
}

/* input: features, or channels, height and width; properties: a list of steps. */
SEXP nnr_net(SEXP input, SEXP layers, SEXP head, SEXP properties) {
  nnp_error err;
  nnp_net *net = NULL;
  SEXP handle = PROTECT(handle_new(NET, R_NilValue));
  if (XLENGTH(input) == 3)
    TRY(nnp_net_create_image(&net, argument(input, 0, "channels"), argument(input, 1, "height"),
                             argument(input, 2, "width"), &err));
  else
    TRY(nnp_net_create(&net, argument(input, 0, "inputs"), &err));
  handle_fill(handle, net);
  for (R_xlen_t i = 0; i < XLENGTH(layers); ++i) TRY(add_layer(net, VECTOR_ELT(layers, i), &err));
  if (head != R_NilValue) TRY(nnp_net_head(net, (int32_t)whole(head, "head"), &err));
  for (R_xlen_t i = 0; i < XLENGTH(properties); ++i)
    TRY(make_step(net, VECTOR_ELT(properties, i), &err));
  UNPROTECT(1);
  return handle;
}

/* Numbers about a network; latents are NA before there is a head. */
SEXP nnr_net_info(SEXP handle) {
  static const char *const names[] = {"layers", "parameters", "outputs", "latents", "shapes"};
  nnp_error err;
  const nnp_net *net = handle_get(handle, NET);
  int64_t count[4], shape[3];
  TRY(nnp_net_layers(net, &count[0], &err));
  TRY(nnp_net_parameters(net, &count[1], &err));
  TRY(nnp_net_targets(net, &count[2], &err)); /* what predictions and targets have */
  const int headed = nnp_net_latents(net, &count[3], &err) == NNP_OK;
  SEXP info = PROTECT(named_list(5, names));
  for (int i = 0; i < 4; ++i)
    SET_VECTOR_ELT(info, i, Rf_ScalarReal(i < 3 || headed ? (double)count[i] : NA_REAL));
  SEXP shapes = Rf_allocMatrix(REALSXP, 3, (int)count[0] + 1);
  SET_VECTOR_ELT(info, 4, shapes);
  for (int64_t k = 0; k <= count[0]; ++k) {
    TRY(nnp_net_shape(net, k, shape, &err));
    for (int i = 0; i < 3; ++i) REAL(shapes)[3 * k + i] = (double)shape[i];
  }
  UNPROTECT(1);
  return info;
}

SEXP nnr_net_names(SEXP handle) {
  nnp_error err;
  const nnp_net *net = handle_get(handle, NET);
  int64_t count;
  char name[128];
  TRY(nnp_net_parameters(net, &count, &err));
  SEXP names = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)count));
  for (int64_t i = 0; i < count; ++i) {
    TRY(nnp_net_parameter_name(net, i, name, sizeof name, &err));
    SET_STRING_ELT(names, (R_xlen_t)i, Rf_mkChar(name));
  }
  UNPROTECT(1);
  return names;
}

SEXP nnr_net_print(SEXP handle, SEXP n) {
  nnp_error err;
  const nnp_net *net = handle_get(handle, NET);
  int64_t layers;
  TRY(nnp_net_layers(net, &layers, &err));
  const size_t size = (size_t)(128 * layers + 512);
  char *text = R_alloc(size, 1);
  TRY(nnp_net_print(net, whole(n, "n"), text, size, &err));
  return Rf_mkString(text);
}

SEXP nnr_net_get(SEXP handle, SEXP layer, SEXP property) {
  nnp_error err;
  double value;
  TRY(nnp_net_get(handle_get(handle, NET), whole(layer, "layer"),
                  (int32_t)whole(property, "property"), &value, &err));
  return Rf_ScalarReal(value);
}

SEXP nnr_net_temperature(SEXP handle) {
  nnp_error err;
  double value;
  TRY(nnp_net_temperature(handle_get(handle, NET), &value, &err));
  return Rf_ScalarReal(value);
}

/* shape, mean, first (from 0) and count of a learned scale; NULL if the layer does not learn it. */
SEXP nnr_net_learned(SEXP handle, SEXP layer, SEXP property) {
  nnp_error err;
  double shape, mean;
  int64_t first, count;
  const int32_t status =
      nnp_net_learned(handle_get(handle, NET), whole(layer, "layer"),
                      (int32_t)whole(property, "property"), &shape, &mean, &first, &count, &err);
  if (status != NNP_OK || count == 0) return R_NilValue;
  SEXP out = PROTECT(Rf_allocVector(REALSXP, 4));
  REAL(out)[0] = shape;
  REAL(out)[1] = mean;
  REAL(out)[2] = (double)first;
  REAL(out)[3] = (double)count;
  UNPROTECT(1);
  return out;
}

SEXP nnr_net_find(SEXP handle, SEXP name) {
  nnp_error err;
  int64_t layer;
  TRY(nnp_net_find_layer(handle_get(handle, NET), CHAR(STRING_ELT(name, 0)), &layer, &err));
  return Rf_ScalarReal((double)layer);
}

/* size: rows, features, outputs. x and y are R's matrices, not copied; y or labels may be
 * NULL. */
SEXP nnr_data(SEXP size, SEXP x, SEXP y, SEXP labels) {
  nnp_error err;
  nnp_data *data = NULL;
  const int64_t n = argument(size, 0, "rows"), features = argument(size, 1, "features"),
                outputs = argument(size, 2, "outputs");
  SEXP handle = PROTECT(handle_new(DATA, R_NilValue));
  TRY(nnp_data_create(&data, n, features, outputs, &err));
  handle_fill(handle, data);
  TRY(nnp_data_set_inputs(data, doubles(x, (double)n * (double)features, "x"), NNP_COLUMN_MAJOR,
                          &err));
  if (y != R_NilValue)
    TRY(nnp_data_set_targets(data, doubles(y, (double)n * (double)outputs, "y"), NNP_COLUMN_MAJOR,
                             &err));
  if (labels != R_NilValue) {
    if (TYPEOF(labels) != INTSXP || XLENGTH(labels) != n)
      raise_status(NNP_E_SHAPE, "y: expected one label for each row of x");
    TRY(nnp_data_set_labels(data, INTEGER(labels), &err));
  }
  UNPROTECT(1);
  return handle;
}

/* Targets and labels as they were set, by R or by a teacher. */
SEXP nnr_data_targets(SEXP data, SEXP rows, SEXP outputs) {
  nnp_error err;
  SEXP out = PROTECT(Rf_allocVector(
      REALSXP, length_of(number(rows, "rows"), number(outputs, "outputs"), 1, "targets")));
  TRY(nnp_data_targets(handle_get(data, DATA), REAL(out), NNP_COLUMN_MAJOR, &err));
  UNPROTECT(1);
  return out;
}

SEXP nnr_data_labels(SEXP data, SEXP rows) {
  nnp_error err;
  SEXP out = PROTECT(Rf_allocVector(INTSXP, length_of(number(rows, "rows"), 1, 1, "labels")));
  TRY(nnp_data_labels(handle_get(data, DATA), INTEGER(out), &err));
  UNPROTECT(1);
  return out;
}

/* Whether the data of a head are labels. */
SEXP nnr_head_labels(SEXP head) {
  nnp_error err;
  int32_t labels = 0;
  TRY(nnp_head_info((int32_t)whole(head, "head"), NULL, &labels, NULL, &err));
  return Rf_ScalarLogical(labels);
}

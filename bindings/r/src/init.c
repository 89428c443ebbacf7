/* The routines R may call, registered. */
#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#include "nnpost_r.h"

void mapped_register(DllInfo *dll); /* keep.c */

SEXP nnr_versions(void) {
  static const char *const names[] = {"version", "abi"};
  SEXP out = PROTECT(named_list(2, names));
  SET_VECTOR_ELT(out, 0, Rf_mkString(nnp_version()));
  SET_VECTOR_ELT(out, 1, Rf_ScalarInteger(nnp_abi_version()));
  UNPROTECT(1);
  return out;
}

SEXP nnr_build_info(void) {
  nnp_error err;
  char text[1024];
  TRY(nnp_build_info(text, sizeof text, &err));
  return Rf_mkString(text);
}

#define ROUTINE(name, count) \
  { #name, (DL_FUNC)&name, count }
static const R_CallMethodDef routines[] = {
    ROUTINE(nnr_versions, 0),
    ROUTINE(nnr_build_info, 0),
    ROUTINE(nnr_processors, 0),
    ROUTINE(nnr_clock, 0),
    ROUTINE(nnr_live, 0),
    ROUTINE(nnr_free, 1),
    ROUTINE(nnr_net, 4),
    ROUTINE(nnr_net_info, 1),
    ROUTINE(nnr_net_names, 1),
    ROUTINE(nnr_net_print, 2),
    ROUTINE(nnr_net_get, 3),
    ROUTINE(nnr_net_learned, 3),
    ROUTINE(nnr_net_find, 2),
    ROUTINE(nnr_net_temperature, 1),
    ROUTINE(nnr_model, 5),
    ROUTINE(nnr_recommend, 3),
    ROUTINE(nnr_recommend_transform, 2),
    ROUTINE(nnr_transform, 2),
    ROUTINE(nnr_data, 4),
    ROUTINE(nnr_data_targets, 3),
    ROUTINE(nnr_data_labels, 2),
    ROUTINE(nnr_pool, 1),
    ROUTINE(nnr_chain, 5),
    ROUTINE(nnr_chain_set, 3),
    ROUTINE(nnr_chain_start, 4),
    ROUTINE(nnr_chain_start_weights, 5),
    ROUTINE(nnr_chain_start_teacher, 5),
    ROUTINE(nnr_chain_anneal, 3),
    ROUTINE(nnr_chain_restore, 2),
    ROUTINE(nnr_draws_save, 3),
    ROUTINE(nnr_draws_merge, 2),
    ROUTINE(nnr_option_info, 1),
    ROUTINE(nnr_run, 3),
    ROUTINE(nnr_start, 4),
    ROUTINE(nnr_head_labels, 1),
    ROUTINE(nnr_sample, 4),
    ROUTINE(nnr_keep, 5),
    ROUTINE(nnr_draws_advice, 3),
    ROUTINE(nnr_draws_file, 3),
    ROUTINE(nnr_predict, 7),
    ROUTINE(nnr_epred, 6),
    ROUTINE(nnr_score, 6),
    ROUTINE(nnr_log_lik, 5),
    ROUTINE(nnr_functions, 5),
    ROUTINE(nnr_statistic, 4),
    ROUTINE(nnr_convergence, 2),
    ROUTINE(nnr_stack_chains, 2),
    ROUTINE(nnr_stationarity, 3),
    ROUTINE(nnr_sbc_ranks, 4),
    ROUTINE(nnr_sbc_histogram, 4),
    ROUTINE(nnr_geweke, 5),
    ROUTINE(nnr_teacher, 4),
    ROUTINE(nnr_teacher_parameters, 2),
    ROUTINE(nnr_teacher_set_parameters, 3),
    ROUTINE(nnr_teacher_label, 4),
    ROUTINE(nnr_study, 5),
    ROUTINE(nnr_multistart, 5),
    ROUTINE(nnr_twin, 5),
    ROUTINE(nnr_exchange, 6),
    {NULL, NULL, 0},
};

attribute_visible void R_init_nnpost(DllInfo *dll) {
  R_registerRoutines(dll, NULL, routines, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
  mapped_register(dll);
}

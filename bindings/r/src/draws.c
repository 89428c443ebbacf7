/* Draws of separate workers: self-describing blocks of bytes, and merging them. */
#include <string.h>

#include "nnpost_r.h"

SEXP nnr_draws_save(SEXP chain, SEXP draws, SEXP count) {
  nnp_error err;
  size_t bytes = 0;
  const nnp_chain *from = handle_get(chain, CHAIN);
  const int64_t kept = whole(count, "draws");
  TRY(nnp_draws_save_bytes(from, kept, &bytes, &err));
  SEXP out = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)bytes));
  TRY(nnp_draws_save(from, REAL(draws), kept, RAW(out), bytes, &err));
  UNPROTECT(1);
  return out;
}

/* size: parameters, draws of each. Returns [parameter, draw, chain] as a vector. */
SEXP nnr_draws_merge(SEXP blocks, SEXP size) {
  nnp_error err;
  const R_xlen_t count = XLENGTH(blocks);
  const double parameters = REAL(size)[0], each = REAL(size)[1];
  nnp_saved *saves = (nnp_saved *)R_alloc((size_t)count, sizeof(nnp_saved));
  for (R_xlen_t i = 0; i < count; ++i) {
    saves[i].buffer = RAW(VECTOR_ELT(blocks, i));
    saves[i].size = (size_t)XLENGTH(VECTOR_ELT(blocks, i));
    nnp_saved_draws told;
    TRY(nnp_draws_saved(saves[i].buffer, saves[i].size, &told, &err));
    if (told.parameters != (int64_t)parameters)
      raise_status(NNP_E_SHAPE, "fits: they have different numbers of parameters");
  }
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)(parameters * each * (double)count)));
  TRY(nnp_draws_merge(saves, (int64_t)count, REAL(out), (int64_t)each, NULL, &err));
  UNPROTECT(1);
  return out;
}

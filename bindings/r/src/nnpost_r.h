/* Shared by the files of the glue between R and the library. */
#ifndef NNPOST_R_H
#define NNPOST_R_H

#define R_NO_REMAP
#define STRICT_R_HEADERS
#include <R.h>
#include <R_ext/Utils.h>
#include <Rinternals.h>
#include <stdint.h>

#ifdef __has_include
#if !__has_include("capi/nnpost.h")
#error "src/core is empty, as in a checkout. 'make r-package' at the top of nnpost's tree makes \
out/nnpost_*.tar.gz, which R CMD INSTALL takes."
#endif
#endif
#include "capi/nnpost_study.h"

/* ---- Handles: external pointers that free what they point to ---- */

typedef enum { NET, DATA, POOL, CHAIN, PREDICTOR, TEACHER, STUDY, MULTISTART, TWIN, EXCHANGE, KEEPER, DRAWS_FILE, KINDS } Kind;

/* An empty handle, to be filled by handle_fill: R may run out of memory here, and not later. `keep`
 * lives as long as the handle. The caller protects the result. */
SEXP handle_new(Kind kind, SEXP keep);
SEXP handle_fill(SEXP handle, void *object);
void *handle_get(SEXP handle, Kind kind);

/* ---- Errors: the library's message becomes an R condition of class <name of the status> ---- */

#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void
raise_status(int32_t status, const char *message);
/* The condition of a user who interrupted. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void
raise_interrupted(const char *message);

#define TRY(call)                                              \
  do {                                                         \
    const int32_t status_ = (call);                            \
    if (status_ != NNP_OK) raise_status(status_, err.message); \
  } while (0)

/* ---- Arguments: numbers of R are int32 or double; sizes are neither ---- */

int64_t whole(SEXP value, const char *name);
double number(SEXP value, const char *name);
uint64_t seed_of(SEXP value);
const double *doubles(SEXP value, double length, const char *name); /* of that length */
SEXP named_list(int count, const char *const *names);               /* not protected */
/* a * b * c as a length of an R vector; an error if there is no such vector */
R_xlen_t length_of(double a, double b, double c, const char *name);

/* ---- Progress and interrupts ---- */

typedef struct Watch {
  const char *label; /* NULL: no bar */
  SEXP callback;     /* R's function(chain, step, steps, seconds), TRUE to stop; or NULL */
  double began, checked, shown;
  double before, total; /* steps of all chains before this slice, and in total; total 0: unknown */
  double *plan;         /* of the run that this call is a part of, or NULL */
  int32_t phase;        /* NNP_PHASE_START, … */
  double left;          /* seconds of that run; NaN: unknown */
  int last;             /* the run ends with this call */
  int64_t chains;
  double *done; /* steps of each chain in this call */
  int brief;    /* a bar is shown only if it takes long */
  int interrupted;
} Watch;

/* A plan: steps of all chains in each of three phases, then what nnp_outlook remembers, and when the run
 * began by nnr_clock. It is changed where it lies. */
enum { PLAN_SHARE = 3, PLAN_SPENT = 4, PLAN_BEGAN = 7, PLAN_PHASE = 8, PLAN_CLOCK = 9 };
double clock_seconds(void);
/* how: list(label, callback, plan, phase), of which the first three may be NULL. total: steps of this
 * call, or 0 if nobody knows. */
void watch_begin(Watch *watch, SEXP how, int64_t chains, double total);
/* To be called often, from R's thread; not 0: the user wants to stop. Never jumps. */
int watch_share(Watch *watch, double share);
int32_t watch_steps(const nnp_progress *progress, void *watch); /* an nnp_callback */
int32_t watch_parts(const nnp_progress *progress, void *watch); /* another, for predictors */
void watch_end(Watch *watch);

/* Handles of chains as the library takes them; they live until .Call returns. */
nnp_chain **chains_of(SEXP list);
SEXP saved_chain(const nnp_chain *chain);     /* raw bytes; not protected */
/* What a Gibbs chain did since its start: [tried, moved, evaluations; move; chain]. */
SEXP moves_of(nnp_chain *const *chains, int64_t chain_count);
/* Statistics of draws, as nnr_sample has them, from those of all steps. */
SEXP kept_steps(const double *steps, int64_t draws, int64_t thin, int64_t chain_count);
SEXP series_matrix(const nnp_series *series); /* columns times and values; the same */
enum { VERDICT_NUMBERS = 7 };
void verdict_numbers(const nnp_verdict *verdict, double *out);

/* ---- Routines ---- */

SEXP nnr_versions(void);
SEXP nnr_build_info(void);
SEXP nnr_processors(void);
SEXP nnr_clock(void);
SEXP nnr_live(void);
SEXP nnr_free(SEXP handle);

SEXP nnr_net(SEXP input, SEXP layers, SEXP head, SEXP properties);
SEXP nnr_net_learned(SEXP handle, SEXP layer, SEXP property);
SEXP nnr_net_info(SEXP net);
SEXP nnr_net_names(SEXP net);
SEXP nnr_net_print(SEXP net, SEXP n);
SEXP nnr_net_get(SEXP net, SEXP layer, SEXP property);
SEXP nnr_net_find(SEXP net, SEXP name);
SEXP nnr_model(SEXP size, SEXP hidden, SEXP activation, SEXP posterior, SEXP ard);
SEXP nnr_recommend(SEXP net, SEXP rows, SEXP posterior);
SEXP nnr_recommend_transform(SEXP z, SEXP labels);
SEXP nnr_transform(SEXP z, SEXP matrix);
SEXP nnr_data(SEXP size, SEXP x, SEXP y, SEXP labels);
SEXP nnr_data_targets(SEXP data, SEXP rows, SEXP outputs);
SEXP nnr_data_labels(SEXP data, SEXP rows);

SEXP nnr_pool(SEXP threads);
SEXP nnr_chain(SEXP net, SEXP data, SEXP sampler, SEXP posterior, SEXP pool);
SEXP nnr_chain_set(SEXP chain, SEXP option, SEXP value);
SEXP nnr_chain_start(SEXP chain, SEXP start, SEXP seed, SEXP number);
SEXP nnr_chain_start_weights(SEXP chain, SEXP weights, SEXP noisy, SEXP seed, SEXP number);
SEXP nnr_chain_start_teacher(SEXP chain, SEXP teacher, SEXP sites, SEXP seed, SEXP number);
SEXP nnr_chain_anneal(SEXP chain, SEXP from, SEXP steps);
SEXP nnr_chain_restore(SEXP chain, SEXP saved);
SEXP nnr_draws_save(SEXP chain, SEXP draws, SEXP count);
SEXP nnr_draws_merge(SEXP blocks, SEXP size);
SEXP nnr_option_info(SEXP option);
SEXP nnr_run(SEXP chains, SEXP steps, SEXP how);
SEXP nnr_start(SEXP chains, SEXP start, SEXP seed, SEXP how);
SEXP nnr_head_labels(SEXP head);
SEXP nnr_sample(SEXP chains, SEXP size, SEXP recorded, SEXP how);
SEXP nnr_keep(SEXP chains, SEXP size, SEXP recorded, SEXP how, SEXP plan);
SEXP nnr_draws_advice(SEXP net, SEXP chains, SEXP draws);
SEXP nnr_draws_file(SEXP path, SEXP net, SEXP names);

SEXP nnr_predict(SEXP net, SEXP data, SEXP draws, SEXP size, SEXP kind, SEXP how, SEXP levels);
SEXP nnr_epred(SEXP net, SEXP data, SEXP draws, SEXP size, SEXP kind, SEXP how);
SEXP nnr_score(SEXP net, SEXP data, SEXP draws, SEXP count, SEXP score, SEXP how);
SEXP nnr_log_lik(SEXP net, SEXP data, SEXP draws, SEXP size, SEXP how);
SEXP nnr_functions(SEXP net, SEXP data, SEXP draws, SEXP size, SEXP how);
SEXP nnr_convergence(SEXP values, SEXP size);
SEXP nnr_stack_chains(SEXP values, SEXP size);
SEXP nnr_net_temperature(SEXP handle);

SEXP nnr_statistic(SEXP values, SEXP size, SEXP statistic, SEXP probability);
SEXP nnr_stationarity(SEXP times, SEXP values, SEXP scale);
SEXP nnr_sbc_ranks(SEXP truth, SEXP draws, SEXP size, SEXP ties);
SEXP nnr_sbc_histogram(SEXP ranks, SEXP size, SEXP max_rank, SEXP bins);
SEXP nnr_geweke(SEXP alternating, SEXP size, SEXP prior, SEXP prior_size, SEXP moments);

SEXP nnr_teacher(SEXP net, SEXP posterior, SEXP seed, SEXP number);
SEXP nnr_teacher_parameters(SEXP teacher, SEXP count);
SEXP nnr_teacher_set_parameters(SEXP teacher, SEXP parameters, SEXP count);
SEXP nnr_teacher_label(SEXP teacher, SEXP data, SEXP noise, SEXP sites);
SEXP nnr_study(SEXP chains, SEXP test, SEXP capacity, SEXP options, SEXP how);
SEXP nnr_multistart(SEXP chains, SEXP options, SEXP seed, SEXP parameters, SEXP how);
SEXP nnr_exchange(SEXP chains, SEXP options, SEXP plan, SEXP ladder, SEXP saved, SEXP how);
SEXP nnr_twin(SEXP chain, SEXP steps, SEXP noisy, SEXP seed, SEXP how);

#endif

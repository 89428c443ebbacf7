/* nnpost_diagnostics: what chains did, whether they have converged, how well they predict, and
 * whether a sampler is right. For experts; start with nnpost.h.
 *
 * Most functions here are pure functions of your arrays. None of them allocates: each takes a
 * workspace (memory, bytes) of at least X_bytes bytes, aligned for double, whose contents do not
 * matter before or after the call. Different threads may call at the same time, each with its own
 * workspace.
 *
 * Stability: functions and structs do not change between releases of the same NNP_ABI_VERSION, and
 * neither do statistics defined in the cited literature. Our own limits and rules behind verdicts
 * may be tuned, and statistics and reasons added: CHANGELOG.md says when.
 */
#ifndef NNPOST_DIAGNOSTICS_H
#define NNPOST_DIAGNOSTICS_H

#include "nnpost.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== Experts: diagnostics ================================================================== */

/* ---- Looking into a chain ------------------------------------------------------------------ */

/* Writes the terms of the log density, m of each: log N(U_k | f_k, D_k), log prior of layer k, and
 * the sum of squares |U_k - f_k(U_{k-1})|^2 (for NNP_STUDENT_T, the last entries are the t log
 * density and its loss as in NNP_CLASSICAL). If several layers are sampled as one, the last has the
 * noise term and the squares, the first the prior; the others are 0. Classical: -(1/(2D)) loss and
 * the loss in the last entries, zeros before. The hyperprior densities of learned scales, D and
 * lambda, are part of the prior terms (tied noise: the last layer's). Each pointer may be NULL.
 * NNP_E_NUMERIC if a term is NaN. */
NNP_API int32_t nnp_chain_terms(nnp_chain *chain, double *log_noise, double *log_prior,
                                double *residuals, nnp_error *err);
/* Writes the gradient statistic of a layer with weights: its noise D (NNP_CLASSICAL: that of the
 * last layer) times the mean over its weights of the gradient of the log density. It fluctuates
 * about zero once a chain samples the posterior; the paper calls this test the score method. */
NNP_API int32_t nnp_chain_gradient_statistic(nnp_chain *chain, int64_t layer, double *value,
                                             nnp_error *err);

/* Kinds of moves that a Gibbs chain counts. */
enum {
  NNP_MOVE_PLAIN = 2001,     /* steps with fresh draws */
  NNP_MOVE_RELAXED = 2002,   /* over-relaxed steps */
  NNP_MOVE_UNIT = 2003,      /* hidden units along an ellipse */
  NNP_MOVE_HAAR = 2004,      /* scales of hidden units, sites scaled too */
  NNP_MOVE_SCALE = 2005,     /* scales of hidden units, noises held */
  NNP_MOVE_EXPANSION = 2006, /* scale of probit scores */
  NNP_MOVE_DRAW = 2007,      /* incoming weights of hidden units */
  NNP_MOVE_LAYER = 2008,     /* incoming weights of all units of a hidden layer */
  NNP_MOVE_NOISE = 2009,     /* learned noises, hidden sites following */
  NNP_MOVE_PRECISION = 2010, /* learned precisions, weights scaled too */
  NNP_MOVE_KINDS = 10        /* how many there are */
};

/* Counts of one kind of move. */
typedef struct nnp_move_count {
  int64_t tried;
  int64_t moved;       /* those that changed the state */
  int64_t evaluations; /* of the density, in total; 0 if none is needed */
  int64_t reserved[5];
} nnp_move_count;

/* Writes how often a Gibbs chain has made a kind of move (NNP_MOVE_PLAIN, …) since its start.
 * NNP_E_UNSUPPORTED for other samplers. */
NNP_API int32_t nnp_chain_moves(const nnp_chain *chain, int32_t move, nnp_move_count *count,
                                nnp_error *err);
/* Writes a table of the moves of a Gibbs chain to buffer: a line with the steps made and the
 * annealing steps left, then a line for each kind of move that was made. 1024 bytes are always
 * enough. */
NNP_API int32_t nnp_chain_print(const nnp_chain *chain, char *buffer, size_t size, nnp_error *err);
/* Writes how many rows of probit scores were drawn so far: exactly (all scores of the row at once,
 * from their joint conditional) and by scanning (one score after the other). Two classes and the
 * sign head are always exact. With up to 64 classes an exact draw by rejection is tried a few times
 * before rows are scanned; with more, rows are always scanned. */
NNP_API int32_t nnp_chain_probit_draws(const nnp_chain *chain, int64_t *exact, int64_t *scanned,
                                       nnp_error *err);

/* What a gradient sampler reports about its last step; cheap to read, also from a callback. NaN
 * (and no divergences) before the first step after a start. */
enum {
  NNP_STEP_LOG_DENSITY = 2101, /* at the position after the step, see nnp_chain_log_density */
  NNP_STEP_ENERGY = 2102,      /* -log density + kinetic energy, at the point chosen */
  NNP_STEP_ACCEPTANCE = 2103,  /* probability of acceptance; NNP_NUTS: mean over its trajectory */
  NNP_STEP_SIZE = 2104,        /* jitter included */
  NNP_STEP_DEPTH = 2105,       /* NNP_NUTS: doublings of the trajectory; else 0 */
  NNP_STEP_LEAPFROGS = 2106,   /* gradients taken */
  NNP_STEP_DIVERGENT = 2107,   /* 1 if the energy error exceeded 1000, else 0 */
  NNP_STEP_DIVERGENCES = 2108, /* divergent steps so far, not counting the warm-up */
  NNP_STEP_STATISTICS = 8      /* how many there are */
};

/* Writes one statistic (NNP_STEP_ENERGY, …) of the last step of a gradient sampler.
 * NNP_E_UNSUPPORTED for NNP_GIBBS. */
NNP_API int32_t nnp_chain_statistic(const nnp_chain *chain, int32_t statistic, double *value,
                                    nnp_error *err);
/* Records all statistics of every step from the next one on: values[statistic, step], the statistic
 * fastest and in the order of the constants, NNP_STEP_STATISTICS * capacity numbers. Steps beyond
 * the capacity are not recorded. The buffer must live until it is replaced or released (values =
 * NULL). NNP_E_UNSUPPORTED for NNP_GIBBS. */
NNP_API int32_t nnp_chain_record(nnp_chain *chain, double *values, int64_t capacity,
                                 nnp_error *err);
/* Writes how many steps nnp_chain_record has recorded so far. */
NNP_API int32_t nnp_chain_recorded(const nnp_chain *chain, int64_t *steps, nnp_error *err);

/* ---- Statistics of draws ------------------------------------------------------------------- */

/* Statistics of a sample, defined as in R's package posterior (Vehtari, Gelman, Simpson, Carpenter,
 * Bürkner 2021). "Split" means that each chain is treated as two, its halves; the middle draw of an
 * odd number is left out. */
enum {
  NNP_STAT_RHAT = 2201,       /* the larger of the next two; investigate if above 1.01 */
  NNP_STAT_RHAT_BULK = 2202,  /* split, rank-normalized */
  NNP_STAT_RHAT_TAIL = 2203,  /* split, rank-normalized, of |x - median| */
  NNP_STAT_RHAT_BASIC = 2204, /* split, not transformed */
  NNP_STAT_ESS_BULK = 2205,   /* effective sample size, split, rank-normalized */
  NNP_STAT_ESS_TAIL = 2206,   /* the smaller of ESS_QUANTILE at 0.05 and 0.95 */
  NNP_STAT_ESS_MEAN = 2207,
  NNP_STAT_ESS_SD = 2208,
  NNP_STAT_ESS_QUANTILE = 2209, /* takes a probability */
  NNP_STAT_MCSE_MEAN = 2210,    /* Monte Carlo standard error */
  NNP_STAT_MCSE_SD = 2211,
  NNP_STAT_MCSE_QUANTILE = 2212, /* takes a probability */
  NNP_STAT_TAU = 2213,           /* integrated autocorrelation time: draws (after splitting) /
                                    ESS_MEAN */
  NNP_STAT_ESS_SPECTRAL = 2214,  /* autoregressive fits, chain by chain: coda effectiveSize */
  NNP_STAT_MEAN = 2215,
  NNP_STAT_SD = 2216,
  NNP_STAT_QUANTILE = 2217 /* takes a probability; R's type 7 */
};

/* Returns the name of a statistic as text, "ess_bulk" for NNP_STAT_ESS_BULK; "unknown" for any
 * other number. Never NULL. */
NNP_API const char *nnp_statistic_name(int32_t statistic);
/* Writes the bytes of workspace that nnp_statistic and nnp_nested_rhat need for these draws. */
NNP_API int32_t nnp_statistic_bytes(const nnp_draws *draws, size_t *bytes, nnp_error *err);
/* Writes one statistic (NNP_STAT_RHAT, …) of every quantity to out[quantity]. Needs at least four
 * draws and one chain; `probability` lies inside (0, 1) and is used only by the statistics that
 * take one. As in posterior a value is NaN
 * - if all draws are equal (within 2.2e-16), in the halves or after the transformation;
 * - for ESS, TAU and MCSE with fewer than six draws;
 * - with an infinite draw, except for the rank-based statistics;
 * and the R-hat of chains that are constant at different values is infinite or huge.
 * A NaN among the draws is NNP_E_NOT_FINITE: that quantity gets NaN, the others their values. */
NNP_API int32_t nnp_statistic(const nnp_draws *draws, int32_t statistic, double probability,
                              double *out, void *memory, size_t bytes, nnp_error *err);
/* Writes nested R-hat (Margossian et al. 2022) of every quantity to out[quantity], for many short
 * chains: chains of one group started from one point. groups[chain] is the group's number, which
 * can be any; there must be two groups or more, of equal size. One draw is enough. The workspace is
 * that of nnp_statistic. */
NNP_API int32_t nnp_nested_rhat(const nnp_draws *draws, const int64_t *groups, double *out,
                                void *memory, size_t bytes, nnp_error *err);

/* ---- Have the chains of a fit converged? --------------------------------------------------- */

/* Data do not determine weights: hidden units may swap places, so chains that agree about every
 * prediction may disagree about every weight. Convergence is therefore judged on functions of a
 * draw that matter:
 * - the mean log likelihood of some rows, "log_lik";
 * - predictions at some rows: the network's outputs, "f[12]" or "f[12,2]" (row, output), or for
 *   labels the probability of every class, "p[12]" or "p[12,2]" (row, class), all counted from 1;
 * - learned scales, by their names.
 * The log likelihood uses up to 32 rows of data, spread evenly; predictions are made at `rows` of
 * these, 1 … 32, or 16 for rows = 0. They use the predictor's posterior and noise; hidden noise is
 * averaged over 4 passes (1 for classes), with the same noise for every draw. */

/* Writes how many functions of a draw there are for this predictor, data and number of rows (1 …
 * 32, or 0 for 16). */
NNP_API int32_t nnp_functions_count(const nnp_predictor *predictor, const nnp_data *data,
                                    int64_t rows, int64_t *count, nnp_error *err);
/* Writes the functions of `draws` draws, params[parameter, draw], to out[function, draw]; for all
 * draws of all chains at once that is [function, draw, chain], the layout of nnp_draws_init,
 * nnp_statistic and nnp_convergence_of. */
NNP_API int32_t nnp_functions(nnp_predictor *predictor, const nnp_data *data, const double *params,
                              int64_t draws, int64_t rows, double *out, nnp_error *err);
/* Writes the name of a function (from 0) to buffer: "log_lik", "f[12]", "p[12,2]", "D", …. 128
 * bytes are always enough. */
NNP_API int32_t nnp_function_name(const nnp_predictor *predictor, const nnp_data *data,
                                  int64_t rows, int64_t function, char *buffer, size_t size,
                                  nnp_error *err);

/* Verdicts on convergence. */
enum {
  NNP_CONVERGENCE_UNDECIDED = 2300, /* fewer than 4 draws, or nothing moved */
  NNP_CONVERGED = 2301,    /* R-hat at most 1.01, and 100 effective draws or more per chain */
  NNP_FEW_DRAWS = 2302,    /* R-hat at most 1.01, but fewer: run longer */
  NNP_DOUBTFUL = 2303,     /* R-hat up to 1.05: chains (or halves of one) do not quite agree */
  NNP_NOT_CONVERGED = 2304 /* R-hat above 1.05: chains (or halves of one) disagree */
};

/* A verdict on convergence, and the numbers behind it. */
typedef struct nnp_convergence {
  int32_t verdict; /* NNP_CONVERGED, … */
  int32_t reserved_int;
  double rhat;     /* NNP_STAT_RHAT, the largest of all functions; NaN if there is none */
  double ess_bulk; /* NNP_STAT_ESS_BULK and NNP_STAT_ESS_TAIL, the smallest */
  double ess_tail;
  double ess_needed; /* 100 per chain: with fewer, R-hat and ESS themselves are uncertain */
  int64_t worst;     /* the function with the largest R-hat, from 0; -1 if there is none */
  double reserved[4];
} nnp_convergence;

/* Writes the bytes of workspace that nnp_convergence_of needs for these draws of functions. */
NNP_API int32_t nnp_convergence_bytes(const nnp_draws *functions, size_t *bytes, nnp_error *err);
/* Judges draws of functions, as nnp_functions gives them. Limits are those of Vehtari et al.
 * (2021). Functions that are constant at one value in all chains are left out. The test is
 * one-sided: chains that are all stuck in one place pass (nnp_twin_run is a stronger test). */
NNP_API int32_t nnp_convergence_of(const nnp_draws *functions, nnp_convergence *out, void *memory,
                                   size_t bytes, nnp_error *err);
/* Writes a verdict in words to buffer: "converged (R-hat up to 1.004, effective draws at least 1240
 * in bulk and 970 in tails)" and the like. 160 bytes are always enough. */
NNP_API int32_t nnp_convergence_text(const nnp_convergence *convergence, char *buffer, size_t size,
                                     nnp_error *err);
/* Tells the verdict on the chains of a table's fit. NNP_E_NOT_STARTED before the first fit. */
NNP_API int32_t nnp_table_convergence(const nnp_table *table, nnp_convergence *out, nnp_error *err);

/* ---- Leave-one-out cross-validation -------------------------------------------------------- */

/* Writes the log likelihood of every row and draw, log p(target or label of the row | draw), for
 * WAIC and PSIS-LOO: out[row + rows * draw], the row fastest. params is [parameter, draw]. Noise of
 * hidden layers is integrated by a mean of likelihoods over the passes of the draw, the last noise
 * exactly. NNP_E_NOT_FINITE: a finite draw gives a value that is not, or a likelihood below the
 * smallest double; the sentence names the draw and the row, and `out` is not complete. */
NNP_API int32_t nnp_log_lik(nnp_predictor *predictor, const nnp_data *data, const double *params,
                            int64_t draws, double *out, nnp_error *err);

/* What leave-one-out cross-validation finds. */
typedef struct nnp_loo_summary {
  double elpd;       /* expected log predictive density, the sum over rows … */
  double elpd_error; /* … and its standard error; NaN for a single row */
  double p_loo;      /* effective number of parameters: log density of the fitted rows minus elpd */
  double p_loo_error;
  double largest_k;   /* the largest Pareto k of a row: nnp_loo tells what that is */
  double k_limit;     /* min(1 - 1 / log10(draws), 0.7), draws of all chains together */
  int64_t unreliable; /* rows whose k is larger: they matter too much to be left out this way */
  double reserved[4];
} nnp_loo_summary;

/* Writes the bytes of workspace that nnp_loo needs for these log likelihoods. */
NNP_API int32_t nnp_loo_bytes(const nnp_draws *log_lik, size_t *bytes, nnp_error *err);
/* Leave-one-out cross-validation without fitting again, by Pareto smoothed importance sampling
 * (PSIS-LOO; Vehtari, Gelman, Gabry 2017), as R's package loo does it. log_lik has a quantity for
 * each row: what nnp_log_lik wrote for all draws of all chains, [row, draw, chain].
 * efficiency[row]: effective size of the row's likelihoods (not their logarithms) as a share of the
 * draws, positive; NULL: 1. elpd[row] and pareto_k[row], the shape of the tail of importance
 * weights, may be NULL. k is 0 where all weights are equal, and infinite where the tail has fewer
 * than 5 draws (up to 20 draws). */
NNP_API int32_t nnp_loo(const nnp_draws *log_lik, const double *efficiency, double *elpd,
                        double *pareto_k, nnp_loo_summary *out, void *memory, size_t bytes,
                        nnp_error *err);

/* Tells what leave-one-out cross-validation found for the rows of a table's fit, in the units of
 * its targets. All but `unreliable` is NaN if a row's likelihood is below the smallest double under
 * some draw. NNP_E_NOT_STARTED before the first fit. */
NNP_API int32_t nnp_table_loo(const nnp_table *table, nnp_loo_summary *out, nnp_error *err);

/* ---- Stacking weights of chains ------------------------------------------------------------ */

/* Results of stacking. */
typedef struct nnp_stacking_summary {
  double elpd;       /* of the mixture, the sum over rows … */
  double elpd_error; /* … and its standard error; NaN for a single row */
  double gap;        /* no weights have an elpd that is larger by more than this */
  int64_t iterations;
  double largest_k,
      k_limit;        /* nnp_stack_chains: as in nnp_loo_summary, of each chain's own draws */
  int64_t unreliable; /* rows whose k is larger in any of the chains */
  double reserved[1];
} nnp_stacking_summary;

/* Writes the bytes of workspace that nnp_stacking needs for this number of rows and models. */
NNP_API int32_t nnp_stacking_bytes(int64_t rows, int64_t models, size_t *bytes, nnp_error *err);
/* Stacking of predictive densities: writes the weights[model] whose mixture best predicts rows that
 * were left out. elpd is [row, model], the row fastest: the results of nnp_loo for every model. It
 * maximises the sum over rows of log sum_k weights[k] exp(elpd[row, k]), which is concave, by EM
 * steps with growing strides, until no weights can be better by more than 1e-9 per row, or for
 * 20000 steps (see `gap`). */
NNP_API int32_t nnp_stacking(const double *elpd, int64_t rows, int64_t models, double *weights,
                             nnp_stacking_summary *out, void *memory, size_t bytes, nnp_error *err);
/* Writes the bytes of workspace that nnp_stack_chains needs for these log likelihoods. */
NNP_API int32_t nnp_stack_chains_bytes(const nnp_draws *log_lik, size_t *bytes, nnp_error *err);
/* Writes weights[chain] for chains that are in different modes and do not leave them (Yao, Vehtari,
 * Gelman 2022). Every chain is treated as a model, with the leave-one-out densities of its own
 * draws. log_lik as for nnp_loo. Pass a chain's weight for each of its draws to
 * nnp_predictor_weights. These weights are conservative. A row that is unreliable in any chain
 * counts equally for all chains, and one pseudo-row is added in favour of each of them: the
 * function maximised is the sum over all other rows of the log mixture density, plus (1 +
 * unreliable / chains) times the sum over chains of log weights[k] (`gap` refers to this sum). So
 * chains that predict about equally well get about equal weights, and so do chains that are too
 * short, or models too flexible, to be judged by their own draws. */
NNP_API int32_t nnp_stack_chains(const nnp_draws *log_lik, double *weights,
                                 nnp_stacking_summary *out, void *memory, size_t bytes,
                                 nnp_error *err);

/* ---- Has it thermalized? ------------------------------------------------------------------- */

/* Writes the bytes of workspace that nnp_block_rhat needs, and the number of blocks of `length`
 * draws. */
NNP_API int32_t nnp_block_rhat_bytes(const nnp_draws *psi, int64_t length, int64_t *blocks,
                                     size_t *bytes, nnp_error *err);
/* R-hat of the paper's appendix A along a run, of a vector function such as the outputs on a test
 * set: draws are divided into blocks of `length`; a remainder at the end is not used. times[draw],
 * or NULL for 0, 1, 2, ... Writes out[6, block]: mean time of the block; mean over the quantities;
 * their percentiles 25, 50, 75, 95. It is a ratio of variances, without a root, and needs at least
 * two chains. A quantity that is constant at one value in all chains is left out; if the values
 * differ, it counts as infinite. NaN or infinite draws and times that do not increase are
 * refused. */
NNP_API int32_t nnp_block_rhat(const nnp_draws *psi, const double *times, int64_t length,
                               double *out, void *memory, size_t bytes, nnp_error *err);

/* One number along one chain: a test error, a gradient statistic, an R-hat. Times must increase but
 * need not be evenly spaced: logarithmic sampling is fine. times may be NULL for 0, 1, 2, ... */
typedef struct nnp_series {
  const double *times;
  const double *values;
  int64_t count;
  int64_t reserved[4]; /* 0: anything else is refused, later versions may use it */
} nnp_series;

/* The scale on which a series is judged. */
enum {
  NNP_SCALE_AUTO = 2400,   /* logarithms if values are positive and span decades */
  NNP_SCALE_LINEAR = 2401, /* the values themselves */
  NNP_SCALE_LOG = 2402     /* their logarithms; zeros are allowed before the chain has settled */
};

/* Verdicts on thermalization. */
enum { NNP_UNDECIDED = 2500, NNP_THERMALIZED = 2501, NNP_NOT_THERMALIZED = 2502 };

/* Reasons for a verdict. */
enum {
  NNP_BECAUSE_MERGED = 2601,    /* thermalized: agrees with the informed chain from `time` on */
  NNP_BECAUSE_STUCK = 2602,     /* not thermalized: stationary since `time`, at another level */
  NNP_BECAUSE_TOO_SHORT = 2603, /* undecided: fewer than 16 samples */
  NNP_BECAUSE_INFORMED_MOVING = 2604, /* undecided: the informed chain is not stationary yet */
  NNP_BECAUSE_STILL_MOVING = 2605,    /* undecided: elsewhere, and still moving */
  NNP_BECAUSE_MERGED_LATELY = 2606,   /* undecided: merged, for less than a quarter of the run */
  NNP_BECAUSE_TOO_FEW = 2607          /* undecided: too few independent values to tell */
};

/* How the verdict is reached. The values of nnp_thermalization_defaults suit nearly all cases. */
typedef struct nnp_thermalization_options {
  int32_t scale;          /* NNP_SCALE_AUTO */
  int32_t reserved_int;   /* 0: anything else is refused, later versions may use it */
  double block_tolerance; /* merged: means of blocks of time within 1 spread (sd) ... */
  double block_z;         /* ... and 3 standard errors of the informed level, to the end */
  double level_tolerance; /* levels differ if further apart than 0.5 spreads ... */
  double z;               /* ... and 3.5 standard errors */
  double resolution;      /* thermalized: a difference of 2 spreads would be visible */
  double merged_fraction; /* thermalized: 0.25 of the run comes after the merging */
  double reserved[8];     /* 0: anything else is refused, later versions may use it */
} nnp_thermalization_options;

/* The result for one chain. Levels are in units of the series (geometric means if `scale` is
 * NNP_SCALE_LOG); spreads and standard errors are on that scale. */
typedef struct nnp_verdict {
  int32_t verdict; /* NNP_UNDECIDED, NNP_THERMALIZED, NNP_NOT_THERMALIZED */
  int32_t because; /* NNP_BECAUSE_... */
  int32_t scale;   /* NNP_SCALE_LINEAR or NNP_SCALE_LOG: the one used */
  int32_t reserved_int;
  double time;            /* of merging, or of getting stuck; NaN if undecided */
  double level;           /* of this chain since then; if undecided, over its last half */
  double distance;        /* from the informed level in its spreads (sd), signed; NaN if the
                             informed chain is not stationary or a series is too short */
  double distance_error;  /* standard error of `distance` */
  double independent;     /* independent values behind `level`; NaN below 16 samples */
  double informed_time;   /* when the informed chain became stationary; NaN if it is not yet */
  double informed_level;  /* since then; if it is not stationary, over its last half */
  double informed_spread; /* this and what follows: NaN below 16 samples */
  double informed_error;  /* standard error of the informed level, autocorrelation included */
  double informed_autocorrelation_time; /* its integrated autocorrelation time, in units of time */
  double reserved[4];
} nnp_verdict;

/* Writes the bytes of workspace that the tests of this section need: nnp_thermalization,
 * nnp_stationarity, nnp_gradient_settling, nnp_rhat_settling and nnp_criteria. They do not depend
 * on the series. */
NNP_API int32_t nnp_thermalization_bytes(size_t *bytes, nnp_error *err);
/* Fills in the default options of nnp_thermalization. */
NNP_API int32_t nnp_thermalization_defaults(nnp_thermalization_options *options, nnp_error *err);
/* The teacher-student test. `informed` is the series of a chain that started on the teacher,
 * `others` those of `count` chains that did not; lengths and times may differ. Finds where the
 * informed chain is stationary, its level and spread, and for each other chain whether and when it
 * merged with it for good: out[count]. options may be NULL. It takes a few passes over the series,
 * so call it again as a run grows, say whenever it is a tenth longer. NaN or infinite values and
 * times that do not increase are refused.
 * Limits of the verdict "thermalized": levels that differ by less than `resolution` spreads (2 sd
 * by default) may not be distinguished while the series are short, and those that differ by less
 * than `level_tolerance` (0.5 sd) never are. A smaller resolution needs longer runs. */
NNP_API int32_t nnp_thermalization(const nnp_series *informed, const nnp_series *others,
                                   int64_t count, const nnp_thermalization_options *options,
                                   nnp_verdict *out, void *memory, size_t bytes, nnp_error *err);
/* Writes a verdict in words to buffer: "thermalized at t = 7.75e+04 (level 0.000164, 0.1 sd from
 * the informed one)" and the like. 160 bytes are always enough. */
NNP_API int32_t nnp_verdict_text(const nnp_verdict *verdict, char *buffer, size_t size,
                                 nnp_error *err);

/* When one series settled. */
typedef struct nnp_settling {
  int32_t found; /* 1 or 0 */
  int32_t scale; /* NNP_SCALE_LINEAR or NNP_SCALE_LOG: the one used */
  double time;   /* NaN if not found */
  double level;  /* since then; if not found, over the last half */
  double spread; /* standard deviation on the scale used; this and the next two: NaN with fewer than
                    16 samples, where only the level is known */
  double error;  /* standard error of the level on the scale used */
  double autocorrelation_time; /* integrated, in units of time */
  double reserved[2];
} nnp_settling;

/* Finds when a series became stationary, on the given scale (NNP_SCALE_AUTO, …). The workspace is
 * that of nnp_thermalization_bytes. */
NNP_API int32_t nnp_stationarity(const nnp_series *series, int32_t scale, nnp_settling *out,
                                 void *memory, size_t bytes, nnp_error *err);
/* Finds when a series of the gradient statistic started to fluctuate about zero. The workspace is
 * that of nnp_thermalization_bytes. */
NNP_API int32_t nnp_gradient_settling(const nnp_series *gradient, nnp_settling *out, void *memory,
                                      size_t bytes, nnp_error *err);
/* Finds when a series of R-hat became stationary at or below `limit`. (With blocks of few
 * independent draws it settles above 1: 2 is a sensible limit for the paper's blocks of 50.) NaN
 * and infinite values are allowed; nothing before them counts. The workspace is that of
 * nnp_thermalization_bytes. */
NNP_API int32_t nnp_rhat_settling(const nnp_series *rhat, double limit, nnp_settling *out,
                                  void *memory, size_t bytes, nnp_error *err);

/* The series nnp_criteria uses, for one chain. gradient and rhat are left out if their count is
 * 0. */
typedef struct nnp_criteria_series {
  nnp_series informed, other; /* the test function, such as the test error */
  nnp_series gradient;        /* nnp_chain_gradient_statistic of the other chain */
  nnp_series rhat;            /* between the two, or among several: second row of nnp_block_rhat */
} nnp_criteria_series;

/* When a chain thermalized, by each criterion. */
typedef struct nnp_criteria_times {
  double teacher_student, stationarity, gradient, rhat; /* NaN if not reached or left out */
  nnp_verdict verdict;                                  /* of the teacher-student criterion */
} nnp_criteria_times;

/* Applies all criteria of the paper's figure 1 to one chain. options may be NULL; rhat_limit as in
 * nnp_rhat_settling. The workspace is that of nnp_thermalization_bytes. */
NNP_API int32_t nnp_criteria(const nnp_criteria_series *series,
                             const nnp_thermalization_options *options, double rhat_limit,
                             nnp_criteria_times *out, void *memory, size_t bytes, nnp_error *err);

/* ---- Is a sampler right? ------------------------------------------------------------------- */

/* Simulation-based calibration: draw parameters from the prior, data from them, posterior draws
 * from the data; the rank of the true parameter among the draws is uniform. One call per
 * replication: truth[quantity] -> ranks[quantity], from 0 to draws * chains. The draws should be
 * thinned until nearly independent. ties[quantity], uniform in [0, 1), is the fraction of draws
 * equal to the truth that is counted (for discrete quantities); NULL counts none of them. */
NNP_API int32_t nnp_sbc_ranks(const double *truth, const nnp_draws *posterior, const double *ties,
                              int64_t *ranks, nnp_error *err);
/* Counts ranks[quantity, replication], each 0 ... max_rank, in 2 ... max_rank + 1 bins:
 * counts[bin, quantity], and the p-value of Pearson's test of uniformity for each quantity
 * (p_values may be NULL). */
NNP_API int32_t nnp_sbc_histogram(const int64_t *ranks, int64_t quantities, int64_t replications,
                                  int64_t max_rank, int64_t bins, int64_t *counts, double *p_values,
                                  nnp_error *err);

/* Writes the bytes of workspace that nnp_geweke_draws needs; prior NULL: nnp_geweke_moments. */
NNP_API int32_t nnp_geweke_bytes(const nnp_draws *alternating, const nnp_draws *prior,
                                 size_t *bytes, nnp_error *err);
/* Geweke's joint test against draws of the prior. `alternating`: draws made by alternating a
 * transition of the sampler with fresh data given all variables; they must have the moments of the
 * prior. z is [2, quantity]: of the mean and of the second moment, with standard errors from
 * effective sample sizes; |z| < 4 if the sampler is right. p_value (may be NULL) is that of the
 * largest |z|, after Bonferroni. Needs at least six draws, all finite. */
NNP_API int32_t nnp_geweke_draws(const nnp_draws *alternating, const nnp_draws *prior, double *z,
                                 double *p_value, void *memory, size_t bytes, nnp_error *err);
/* Geweke's joint test, as in nnp_geweke_draws, against known moments of the prior: mean[quantity]
 * and second_moment[quantity], all finite. */
NNP_API int32_t nnp_geweke_moments(const nnp_draws *alternating, const double *mean,
                                   const double *second_moment, double *z, double *p_value,
                                   void *memory, size_t bytes, nnp_error *err);

#ifdef __cplusplus
}
#endif

#endif /* NNPOST_DIAGNOSTICS_H */

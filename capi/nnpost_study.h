/* nnpost_study: several chains together. Teachers, thermalization studies, replica exchange with
 * the evidence, several starts, twins. For experts; start with nnpost.h.
 *
 * Stability: this header may change with a minor release, and then NNP_ABI_VERSION goes up.
 * CHANGELOG.md lists what replaces what. Results of a seed may change with any release.
 */
#ifndef NNPOST_STUDY_H
#define NNPOST_STUDY_H

#include "nnpost_diagnostics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== Experts: studies ====================================================================== */

/* ---- Teachers ------------------------------------------------------------------------------ */

/* A teacher is a network whose parameters are drawn from the prior and which labels the data. Then
 * a draw from the posterior is known (the teacher itself), and a chain that starts there shows
 * where all others should end. */
typedef struct nnp_teacher nnp_teacher;

/* Makes a teacher: parameters from the prior of the network, using (seed, number); no chain uses
 * the same random numbers. The noise of its labels is that of the posterior to be sampled: of every
 * layer (NNP_INTERMEDIATE), or of the last one only (NNP_CLASSICAL). Free it with
 * nnp_teacher_free. */
NNP_API int32_t nnp_teacher_create(nnp_teacher **teacher, const nnp_net *net, int32_t posterior,
                                   uint64_t seed, uint64_t number, nnp_error *err);
/* Frees a teacher that nnp_teacher_create made. NULL is allowed. */
NNP_API void nnp_teacher_free(nnp_teacher *teacher);
/* Writes the size of the block that nnp_teacher_init needs for this network. */
NNP_API int32_t nnp_teacher_bytes(const nnp_net *net, size_t *bytes, nnp_error *err);
/* Builds a teacher, as nnp_teacher_create does, in your own block of nnp_teacher_bytes. */
NNP_API int32_t nnp_teacher_init(nnp_teacher **teacher, void *memory, size_t bytes,
                                 const nnp_net *net, int32_t posterior, uint64_t seed,
                                 uint64_t number, nnp_error *err);
/* Copies the teacher's parameters, nnp_net_parameters numbers. */
NNP_API int32_t nnp_teacher_parameters(const nnp_teacher *teacher, double *parameters,
                                       nnp_error *err);
/* Replaces the teacher's parameters; all must be finite. */
NNP_API int32_t nnp_teacher_set_parameters(nnp_teacher *teacher, const double *parameters,
                                           nnp_error *err);
/* Has the teacher set the targets of data; for NNP_ARGMAX and NNP_SIGN_HEAD the labels (the largest
 * score, the sign), row by row. noise = 0: without noise, as usual for test data. noise = 1, 2, 3,
 * …: with noise that depends only on that number, the teacher's (seed, number) and the row. sites,
 * if not NULL, receives the latent sites that made the labels and are sampled, one after the other,
 * each [feature, row]: n times nnp_net_latents.
 * NNP_E_NOT_FINITE, with data unchanged: a site or an output overflows.
 * (With NNP_CLASSICAL there are no sites; classes are then drawn by softmax, which is a model of
 * labels only at temperature 1: noisy labels at any other temperature (see nnp_net_temperature) are
 * NNP_E_UNSUPPORTED.) */
NNP_API int32_t nnp_teacher_label(nnp_teacher *teacher, nnp_data *data, int64_t noise,
                                  double *sites, nnp_error *err);
/* Starts a chain from the teacher's parameters and, if not NULL, the sites that made the labels of
 * the chain's data: an exact draw from its posterior, the informed start. With NULL the sites are
 * drawn through the layers, with noise: use this for labels without noise, and for NNP_CLASSICAL.
 * The chain's network must have the teacher's layers; noises and priors may differ. Random streams
 * are set by (seed, number). */
NNP_API int32_t nnp_chain_start_teacher(nnp_chain *chain, const nnp_teacher *teacher,
                                        const double *sites, uint64_t seed, uint64_t number,
                                        nnp_error *err);

/* ---- A thermalization study in one call ---------------------------------------------------- */

/* Chains from different starts run side by side; a test function, the gradient statistic and R-hat
 * are recorded; verdicts are reached as the series grow, and the run can stop itself.
 *
 *     nnp_chain *chains[] = {informed, zero, random1, random2};
 *     nnp_study_create(&study, chains, 4, test, 4096, &err);
 *     nnp_study_set(study, NNP_STUDY_STEPS, 100000, &err);
 *     nnp_study_run(study, NULL, NULL, &err);
 *     nnp_study_report(study, 1, &times, &err);
 *     nnp_verdict_text(&times.verdict, text, sizeof text, &err);
 */
typedef struct nnp_study nnp_study;

/* Options of a study. A budget must be set; the first four and NNP_STUDY_RHAT_LIMIT may change
 * between runs. */
enum {
  NNP_STUDY_STEPS = 3001,    /* budget in steps of each chain; 0 (default): no such limit */
  NNP_STUDY_SECONDS = 3002,  /* budget in seconds, over all runs; 0 (default): no such limit */
  NNP_STUDY_STOP = 3003,     /* 1 (default): stop when all verdicts are in; 0: use up the budget */
  NNP_STUDY_PATIENCE = 3004, /* ... and have held while the run grew by this factor, 1.5; by its
                                eighth power if a chain is stuck, as plateaus may end */
  NNP_STUDY_SAMPLING = 3005, /* NNP_SAMPLING_LOG (default) or NNP_SAMPLING_EVEN */
  NNP_STUDY_EVERY = 3006,    /* of NNP_SAMPLING_EVEN: initial number of steps between samples; 1 */
  NNP_STUDY_FUNCTION = 3007, /* test function: NNP_SCORE_MSE; NNP_SCORE_ACCURACY: recorded as the
                                share of errors; NNP_SCORE_LOG: as minus the log score; 0 (default):
                                mse for NNP_GAUSSIAN, the share of errors for classes, minus the log
                                score for other heads */
  NNP_STUDY_GRADIENT_LAYER = 3008, /* layer of the gradient statistic U; 1; 0: none */
  NNP_STUDY_RHAT_EVERY = 3009, /* steps between measurements of R-hat, that of the outputs on the
                                  test rows; 0 (default): such that the budget gives 100 blocks */
  NNP_STUDY_RHAT_BLOCK = 3010, /* measurements per block; 50; 0: no R-hat */
  NNP_STUDY_RHAT_LIMIT = 3011  /* R-hat must settle below this; 2 */
};

/* Values of NNP_STUDY_SAMPLING. */
enum {
  NNP_SAMPLING_LOG = 3101, /* every step at first, then evenly spaced in log t */
  NNP_SAMPLING_EVEN = 3102 /* evenly spaced in t */
};

/* Why the last run of a study ended. */
enum {
  NNP_ENDED_NOT = 3200, /* it has not run, it is running, or it failed */
  NNP_ENDED_VERDICTS = 3201,
  NNP_ENDED_STEPS = 3202,
  NNP_ENDED_SECONDS = 3203,
  NNP_ENDED_STOPPED = 3204
};

/* Series that a study records. */
enum {
  NNP_SERIES_TEST = 3301,     /* the test function */
  NNP_SERIES_GRADIENT = 3302, /* the gradient statistic; empty if there is none */
  NNP_SERIES_RHAT = 3303,     /* mean over the test rows; empty if there is none */
  NNP_SERIES_RHAT_25 = 3304,
  NNP_SERIES_RHAT_50 = 3305,
  NNP_SERIES_RHAT_75 = 3306,
  NNP_SERIES_RHAT_95 = 3307 /* percentiles over the test rows */
};

/* The progress of a study. Later versions may use reserved fields. */
typedef struct nnp_study_progress {
  int64_t steps;   /* made by every chain */
  int64_t samples; /* of the test function, by every chain */
  int64_t blocks;  /* entries of the R-hat series */
  int64_t decided; /* chains with a verdict */
  double share;    /* of the budget: 0 … 1 */
  double seconds;
  int32_t ended; /* NNP_ENDED_… */
  int32_t reserved_int;
  double reserved[4];
} nnp_study_progress;

/* Your function for the progress of a study. Called on the caller's thread: after every step that
 * this thread makes, while it waits for other threads, and when they are done. Return anything but
 * 0 to stop. It may read all results so far. */
typedef int32_t (*nnp_study_callback)(const nnp_study *study, const nnp_study_progress *state,
                                      void *user);

/* Your own test function: writes its value for the current state of the chain. A result other than
 * 0 means failure and ends the run with that status. It is called on the pool's threads, for
 * several chains at the same time. */
typedef int32_t (*nnp_test_function)(nnp_chain *chain, double *value, void *user);

/* Makes a study of chain_count of your chains, with any samplers, starts and options; all must be
 * started, the first one at the teacher (nnp_chain_start_teacher). They must sample one posterior
 * (NNP_INTERMEDIATE or NNP_CLASSICAL) of the same training data with the same head, or their levels
 * could not be compared; networks, noises and priors may differ, at your own risk. Chains and data
 * must outlive the study. Series hold up to `capacity` samples (at least 512; 4096 is plenty) and
 * are thinned when they are full. test: the rows of the test function; NULL: you must set your own
 * test function, and there is no R-hat. Free it with nnp_study_free. */
NNP_API int32_t nnp_study_create(nnp_study **study, nnp_chain *const *chains, int64_t chain_count,
                                 const nnp_data *test, int64_t capacity, nnp_error *err);
/* Frees a study that nnp_study_create made. NULL is allowed. */
NNP_API void nnp_study_free(nnp_study *study);
/* Writes the size of the block that nnp_study_init needs for the same arguments. */
NNP_API int32_t nnp_study_bytes(nnp_chain *const *chains, int64_t chain_count, const nnp_data *test,
                                int64_t capacity, size_t *bytes, nnp_error *err);
/* Builds a study, as nnp_study_create does, in your own block of nnp_study_bytes. */
NNP_API int32_t nnp_study_init(nnp_study **study, void *memory, size_t bytes,
                               nnp_chain *const *chains, int64_t chain_count, const nnp_data *test,
                               int64_t capacity, nnp_error *err);
/* Sets an option (NNP_STUDY_STEPS, …) of a study. NNP_E_VALUE: the value is outside its bounds, see
 * nnp_study_option_info. */
NNP_API int32_t nnp_study_set(nnp_study *study, int32_t option, double value, nnp_error *err);
/* Reads an option of a study into *value. */
NNP_API int32_t nnp_study_get(const nnp_study *study, int32_t option, double *value,
                              nnp_error *err);
/* Writes name, bounds and default of an option of studies; each pointer may be NULL. */
NNP_API int32_t nnp_study_option_info(int32_t option, const char **name, double *low, double *high,
                                      double *initial, nnp_error *err);
/* Sets how verdicts are reached; NULL: as nnp_thermalization_defaults says. */
NNP_API int32_t nnp_study_thermalization(nnp_study *study,
                                         const nnp_thermalization_options *options, nnp_error *err);
/* Sets the partner of a chain, with which its R-hat is computed; by default the informed chain.
 * Call it before the first run. */
NNP_API int32_t nnp_study_partner(nnp_study *study, int64_t chain, int64_t partner, nnp_error *err);
/* Sets your own test function; NULL: none. Call it before the first run. */
NNP_API int32_t nnp_study_function(nnp_study *study, nnp_test_function function, void *user,
                                   nnp_error *err);
/* Runs the chains side by side on the pool of the first one; called again, it continues. Results
 * depend neither on threads nor on how the run is divided into calls, except for where a time limit
 * or a callback ends it. Samples that all chains have by then can be read, whatever is returned.
 * NNP_STOPPED: by the callback. Series record everything, but verdicts and times use only what
 * comes after the last warm-up or annealing of any chain; a budget of steps that ends before is
 * refused. */
NNP_API int32_t nnp_study_run(nnp_study *study, nnp_study_callback callback, void *user,
                              nnp_error *err);
/* Writes the current progress of the study. */
NNP_API int32_t nnp_study_state(const nnp_study *study, nnp_study_progress *state, nnp_error *err);
/* Reports on a chain (1 … chain_count-1): verdict, time and level, and its times by all
 * criteria. */
NNP_API int32_t nnp_study_report(const nnp_study *study, int64_t chain, nnp_criteria_times *out,
                                 nnp_error *err);
/* Writes the address of a series (NNP_SERIES_TEST, …) of a chain (0 … chain_count-1), valid until
 * the next run of the study. Times are steps since the start of the study. */
NNP_API int32_t nnp_study_series(const nnp_study *study, int64_t chain, int32_t which,
                                 nnp_series *out, nnp_error *err);
/* Writes the report as a table to buffer, one line per chain. 256 bytes per chain and 512 more are
 * always enough. */
NNP_API int32_t nnp_study_print(const nnp_study *study, char *buffer, size_t size, nnp_error *err);

/* ---- Replica exchange, and the evidence ---------------------------------------------------- */

/* Replica exchange keeps chains from getting stuck for good, and estimates log p(y | X). K chains
 * of one network and data form a ladder of powers 0 = beta_0 < … < beta_{K-1} = 1: level l samples
 * the prior times the likelihood to the power beta_l. Level 0 is the prior itself, redrawn at every
 * sweep; the last level is the posterior. After every sweep neighbours exchange their variables
 * with the probability that leaves the distributions of all levels invariant, alternating between
 * even and odd pairs. A draw from the prior that has moved up to the posterior is a restart: it is
 * independent of everything before it.
 *
 *     for (c = 0; c < 40; ++c)
 *       nnp_chain_create(&chains[c], net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err);
 *     nnp_exchange_create(&exchange, chains, 40, &err);
 *     nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_PRIOR, seed, &err);
 *     nnp_exchange_tune(exchange, NULL, NULL, &err);               finds the ladder, then holds it
 *     nnp_exchange_sample(exchange, draws, 1000, 10, NULL, NULL, &err);
 *     nnp_exchange_report(exchange, &summary, &err);               evidence, barrier, restarts
 *     nnp_exchange_text(exchange, text, sizeof text, &err);        and what to make of them
 *
 * The path: for observed targets the power of their likelihood (a Gaussian with noise D / beta; if
 * D is learned, including its normalization), and for classes that of the classical likelihood.
 * Scores of NNP_SIGN_HEAD and NNP_ARGMAX in the intermediate posterior have the noise D / beta
 * instead, so that at beta = 0 labels carry no information. Hidden noises and priors are the same
 * at every level. Swaps ignore variables that can be redrawn: such scores and, in Gibbs chains with
 * Gaussian targets, the site below a dense last layer; this keeps the ladder short. Evaluating
 * NNP_ARGMAX with more than two classes takes an integral per row, longer than a Gibbs step.
 *
 * Draws do not depend on the number of threads; levels run side by side on the pool of the first
 * chain. Nothing adapts after the tuning, so every later draw is from the posterior as soon as the
 * run has forgotten its start. */
typedef struct nnp_exchange nnp_exchange;

/* Options of an exchange. */
enum {
  NNP_EXCHANGE_REPLICAS = 3401, /* levels of the ladder; 0 (default): found from the barrier */
  NNP_EXCHANGE_ROUNDS = 3402,   /* of nnp_exchange_tune; 6 */
  NNP_EXCHANGE_FIRST_ROUND =
      3403,                 /* its sweeps, 20; each round has twice those of the one before */
  NNP_EXCHANGE_STEPS = 3404 /* steps of every chain between swaps; 1 */
};

/* Where an exchange starts. */
enum {
  NNP_EXCHANGE_FROM_PRIOR = 3501, /* every chain from a draw of the prior */
  NNP_EXCHANGE_FROM_TARGET = 3502 /* all from the current state of the last chain, which must be
                                     started */
};

/* Verdicts on an exchange. */
enum {
  NNP_EXCHANGE_MIXES = 3601,         /* at least 10 restarts have arrived */
  NNP_EXCHANGE_RUN_LONGER = 3602,    /* fewer, as expected after this number of sweeps */
  NNP_EXCHANGE_MORE_REPLICAS = 3603, /* fewer, and neighbours are too far apart to swap often */
  NNP_EXCHANGE_SLOW = 3604 /* fewer than swaps this frequent would bring: chains forget slowly.
                                     More NNP_EXCHANGE_STEPS, or another sampler */
};

/* The progress of a run. Later versions may use reserved fields. */
typedef struct nnp_exchange_progress {
  int64_t done, sweeps; /* of this call: made, and total */
  int64_t round;        /* of a tuning, from 1; 0: none */
  int64_t restarts;     /* that have arrived since the tuning, or since the round began */
  double seconds;
  double reserved[3];
} nnp_exchange_progress;

/* Your function for the progress of an exchange, called after every sweep. Return anything but 0 to
 * stop. The chains may be read from within. */
typedef int32_t (*nnp_exchange_callback)(const nnp_exchange_progress *state, void *user);

/* Results since the tuning. Later versions may use reserved fields. */
typedef struct nnp_exchange_summary {
  int64_t chains, replicas; /* given, and used */
  int64_t wanted;           /* replicas: 2 Lambda + 1 */
  int64_t sweeps;           /* since counting started */
  int64_t restarts;         /* replicas that went from the prior to the posterior */
  int64_t round_trips;      /* and then back to the prior */
  double expected_restarts; /* if chains forgot everything between swaps */
  double barrier;           /* Lambda; from the tuning if there were no sweeps since */
  double least_swaps;       /* the lowest mean probability of a swap */
  double mean_swaps;
  double log_evidence;   /* log p(y | X), NaN before the first sweep. For the classical posterior
                                 of classes with D other than 1/2: that of the tempered
                                 likelihood */
  double evidence_error; /* its standard error, from batches of sweeps; NaN for few sweeps, and
                                 too small while few restarts have arrived */
  int32_t verdict;       /* NNP_EXCHANGE_MIXES … */
  int32_t tuned;
  double reserved[4];
} nnp_exchange_summary;

/* One level of the ladder. */
typedef struct nnp_exchange_rung {
  double power;   /* beta */
  double swaps;   /* mean probability of a swap with the level above; NaN for the last, and before
                     any were tried */
  double barrier; /* Lambda from level 0 up to this one */
  double reserved[3];
} nnp_exchange_rung;

/* Makes an exchange of 2 to 4096 of your chains, which share network, data, sampler and posterior,
 * with any options; they must outlive the exchange. The last one is the target: it can be read like
 * any other chain, at any time. The others are ordinary chains between runs, whose variables belong
 * to another level. How many chains? At most chain_count levels are used, or 2 Lambda + 1 if that
 * is fewer; after a tuning, `wanted` of nnp_exchange_report says whether more would help. About
 * sqrt(parameters / 6) for every factor of e between the noise of the targets and their variance is
 * a good first guess of Lambda. Free it with nnp_exchange_free. */
NNP_API int32_t nnp_exchange_create(nnp_exchange **exchange, nnp_chain *const *chains,
                                    int64_t chain_count, nnp_error *err);
/* Frees an exchange that nnp_exchange_create made. NULL is allowed. */
NNP_API void nnp_exchange_free(nnp_exchange *exchange);
/* Writes the size of the block that nnp_exchange_init needs for these chains. */
NNP_API int32_t nnp_exchange_bytes(nnp_chain *const *chains, int64_t chain_count, size_t *bytes,
                                   nnp_error *err);
/* Builds an exchange, as nnp_exchange_create does, in your own block of nnp_exchange_bytes. */
NNP_API int32_t nnp_exchange_init(nnp_exchange **exchange, void *memory, size_t bytes,
                                  nnp_chain *const *chains, int64_t chain_count, nnp_error *err);
/* Sets an option (NNP_EXCHANGE_REPLICAS, …) of an exchange. NNP_E_VALUE: the value is outside its
 * bounds. */
NNP_API int32_t nnp_exchange_set(nnp_exchange *exchange, int32_t option, double value,
                                 nnp_error *err);
/* Reads an option of an exchange into *value. */
NNP_API int32_t nnp_exchange_get(const nnp_exchange *exchange, int32_t option, double *value,
                                 nnp_error *err);
/* Sets your own ladder: powers 0, …, 1, increasing, at most one per chain. nnp_exchange_start keeps
 * it, nnp_exchange_tune does not. */
NNP_API int32_t nnp_exchange_set_ladder(nnp_exchange *exchange, const double *powers, int64_t count,
                                        nnp_error *err);
/* Starts all chains, with the streams of (seed, 0), (seed, 1), …; from: NNP_EXCHANGE_FROM_PRIOR or
 * NNP_EXCHANGE_FROM_TARGET. Agreement between two exchanges from different starts is stronger
 * evidence than any number from one. */
NNP_API int32_t nnp_exchange_start(nnp_exchange *exchange, int32_t from, uint64_t seed,
                                   nnp_error *err);
/* Finds the ladder: rounds of sweeps, after each of which the powers are placed so that all
 * neighbours reject equally often, and levels are added or removed. NNP_HMC, NNP_MALA and NNP_NUTS
 * adapt during this time, each level separately: the tuning is their warm-up. NNP_STOPPED: by the
 * callback. */
NNP_API int32_t nnp_exchange_tune(nnp_exchange *exchange, nnp_exchange_callback callback,
                                  void *user, nnp_error *err);
/* Makes sweeps. Called again it continues; results do not depend on how sweeps are divided into
 * calls. After NNP_STOPPED, all sweeps made so far count. */
NNP_API int32_t nnp_exchange_run(nnp_exchange *exchange, int64_t sweeps,
                                 nnp_exchange_callback callback, void *user, nnp_error *err);
/* Samples the posterior: makes count * thin sweeps and writes the target's parameters after every
 * thin-th one to draws[parameter, draw]. After NNP_STOPPED, all sweeps made so far count, and the
 * draws completed by then are in place: (sweeps made) / thin of them. */
NNP_API int32_t nnp_exchange_sample(nnp_exchange *exchange, double *draws, int64_t count,
                                    int64_t thin, nnp_exchange_callback callback, void *user,
                                    nnp_error *err);
/* Records the index process: after each sweep from now on, the level (from 0) of each replica,
 * levels[replica + sweep * replicas], for as many sweeps as fit. A replica is one set of variables
 * as it moves between levels. Sweeps of tunings are not recorded. NULL: stop recording. */
NNP_API int32_t nnp_exchange_record(nnp_exchange *exchange, int32_t *levels, int64_t capacity,
                                    nnp_error *err);
/* Writes how many sweeps nnp_exchange_record has recorded so far. */
NNP_API int32_t nnp_exchange_recorded(const nnp_exchange *exchange, int64_t *sweeps,
                                      nnp_error *err);
/* Writes the results since the tuning: evidence, barrier, restarts, verdict. */
NNP_API int32_t nnp_exchange_report(const nnp_exchange *exchange, nnp_exchange_summary *out,
                                    nnp_error *err);
/* Writes the verdict in a few sentences to buffer. 768 bytes are always enough. */
NNP_API int32_t nnp_exchange_text(const nnp_exchange *exchange, char *buffer, size_t size,
                                  nnp_error *err);
/* Describes one level of the ladder (from 0). */
NNP_API int32_t nnp_exchange_level(const nnp_exchange *exchange, int64_t level,
                                   nnp_exchange_rung *out, nnp_error *err);
/* Writes the size of the buffer that nnp_exchange_save needs now. */
NNP_API int32_t nnp_exchange_save_bytes(const nnp_exchange *exchange, size_t *bytes,
                                        nnp_error *err);
/* Saves ladder, counts, positions of replicas and all chains, as nnp_chain_save does, into a buffer
 * of at least nnp_exchange_save_bytes bytes. */
NNP_API int32_t nnp_exchange_save(const nnp_exchange *exchange, void *buffer, size_t size,
                                  nnp_error *err);
/* Restores an exchange and its chains to a saved state; it continues bit for bit. It need not be
 * started before; chains keep their pools. A buffer that is refused leaves ladder and counts
 * unchanged. */
NNP_API int32_t nnp_exchange_restore(nnp_exchange *exchange, const void *buffer, size_t size,
                                     nnp_error *err);

/* ---- Multistart: several starts, the best continues ---------------------------------------- */

/* The mode a chain reaches is usually decided early. Several chains get a share of the budget, from
 * different starts; the one whose weights fit the training data best, in a forward pass without
 * noise, continues with the rest.
 *
 *     nnp_multistart_create(&multistart, chains, 4, &err);
 *     nnp_multistart_set(multistart, NNP_MULTISTART_STEPS, 100000, &err);
 *     nnp_multistart_run(multistart, seed, NULL, NULL, &err);
 *     nnp_multistart_best(multistart, &best, &err);    chains[best] is the one to sample from
 */
typedef struct nnp_multistart nnp_multistart;

/* Options of a multistart. */
enum {
  NNP_MULTISTART_STEPS = 3701, /* budget: steps of all chains together. It must be set */
  NNP_MULTISTART_SHARE =
      3702, /* of the budget, for all attempts together; 0.5. 1: nothing is left to continue with */
  /* Annealed chains start at this noise and anneal for three quarters of their attempt. 0
   * (default): a hundredth of the mean square of the targets; probit heads: 1. Networks whose noise
   * is no smaller are not annealed. */
  NNP_MULTISTART_ANNEAL_FROM = 3703,
  NNP_MULTISTART_ZERO_STARTS =
      3704 /* chains, from the second on, that start at zero without annealing; 1 */
};

/* The progress of a multistart: steps made so far in this call and in total, over all chains. */
typedef struct nnp_multistart_progress {
  int64_t done, steps;
  int64_t best; /* the chain that continues; -1 while all chains run */
  int64_t reserved[5];
} nnp_multistart_progress;

/* Your function for the progress of a multistart or twin. Called on the caller's thread: after
 * every step that this thread makes, while it waits for other threads, and when they are done.
 * Return anything but 0 to stop. */
typedef int32_t (*nnp_multistart_callback)(const nnp_multistart_progress *state, void *user);

/* The result of one attempt. */
typedef struct nnp_attempt {
  double error; /* training error over the last quarter of the attempt: mean squared error, or minus
                     the mean log probability of the labels; NaN if there was none */
  int64_t rank; /* 1 for the best; 0 before all attempts are over */
  int64_t steps;    /* made by the chain in total */
  int32_t annealed; /* 1, or 0: from zero */
  int32_t reserved_int;
  double reserved[4];
} nnp_attempt;

/* Makes a multistart of your chains, which share network, data, sampler and posterior, with any
 * options; they need not be started. They must outlive the multistart object. Free it with
 * nnp_multistart_free. */
NNP_API int32_t nnp_multistart_create(nnp_multistart **multistart, nnp_chain *const *chains,
                                      int64_t chain_count, nnp_error *err);
/* Frees a multistart that nnp_multistart_create made. NULL is allowed. */
NNP_API void nnp_multistart_free(nnp_multistart *multistart);
/* Writes the size of the block that nnp_multistart_init needs for these chains. */
NNP_API int32_t nnp_multistart_bytes(nnp_chain *const *chains, int64_t chain_count, size_t *bytes,
                                     nnp_error *err);
/* Builds a multistart, as nnp_multistart_create does, in your own block of nnp_multistart_bytes. */
NNP_API int32_t nnp_multistart_init(nnp_multistart **multistart, void *memory, size_t bytes,
                                    nnp_chain *const *chains, int64_t chain_count, nnp_error *err);
/* Sets an option (NNP_MULTISTART_STEPS, …) of a multistart. NNP_E_VALUE: the value is outside its
 * bounds. */
NNP_API int32_t nnp_multistart_set(nnp_multistart *multistart, int32_t option, double value,
                                   nnp_error *err);
/* Reads an option of a multistart into *value. */
NNP_API int32_t nnp_multistart_get(const nnp_multistart *multistart, int32_t option, double *value,
                                   nnp_error *err);
/* Starts all chains, by (seed, 0), (seed, 1), …, and runs them, side by side on the pool of the
 * first one; then continues with the best. Called again it starts over. NNP_STOPPED: by the
 * callback. */
NNP_API int32_t nnp_multistart_run(nnp_multistart *multistart, uint64_t seed,
                                   nnp_multistart_callback callback, void *user, nnp_error *err);
/* Writes the result of the attempt of one chain (from 0). */
NNP_API int32_t nnp_multistart_report(const nnp_multistart *multistart, int64_t chain,
                                      nnp_attempt *out, nnp_error *err);
/* Writes the number of the best chain. NNP_E_NOT_STARTED before all attempts are over. */
NNP_API int32_t nnp_multistart_best(const nnp_multistart *multistart, int64_t *chain,
                                    nnp_error *err);
/* Writes the reports of all chains as a table to buffer, the best one first. 80 bytes per chain and
 * 80 more are always enough. */
NNP_API int32_t nnp_multistart_print(const nnp_multistart *multistart, char *buffer, size_t size,
                                     nnp_error *err);

/* ---- Is a chain stuck? --------------------------------------------------------------------- */

/* For real data, without a teacher. Labels are made from the chain's current weights, and a twin is
 * started on them from the weights that made them. The twin is in equilibrium: its training error
 * (of the forward pass without noise) is what the chain's would be if it were too. A chain above
 * that level is stuck: weights exist that fit better, and the posterior is there.
 *
 *     nnp_twin_create(&twin, chain, &err);
 *     nnp_twin_run(twin, 20000, 1, seed, NULL, NULL, &err);
 *     nnp_twin_text(twin, text, sizeof text, &err);
 *
 * The test is one-sided: a chain that passes fits as well as its own weights should, but another
 * mode may fit as well or better. */
typedef struct nnp_twin nnp_twin;

/* Makes a twin of a Gibbs chain, which must outlive it. Free it with nnp_twin_free. */
NNP_API int32_t nnp_twin_create(nnp_twin **twin, nnp_chain *chain, nnp_error *err);
/* Frees a twin that nnp_twin_create made. NULL is allowed. */
NNP_API void nnp_twin_free(nnp_twin *twin);
/* Writes the size of the block that nnp_twin_init needs for this chain. */
NNP_API int32_t nnp_twin_bytes(nnp_chain *chain, size_t *bytes, nnp_error *err);
/* Builds a twin of a Gibbs chain in your own block of nnp_twin_bytes. */
NNP_API int32_t nnp_twin_init(nnp_twin **twin, void *memory, size_t bytes, nnp_chain *chain,
                              nnp_error *err);
/* Makes labels from the current state of the chain, with the model's noise (noisy = 1) or without
 * (0, if you know that the chain's own labels have none), and runs the chain and its twin for
 * `steps` steps, side by side on the chain's pool, with the same options. The chain should have
 * settled before this call. NNP_STOPPED: by the callback. */
NNP_API int32_t nnp_twin_run(nnp_twin *twin, int64_t steps, int32_t noisy, uint64_t seed,
                             nnp_multistart_callback callback, void *user, nnp_error *err);
/* Writes the verdict on the chain, with the twin as the informed one: NNP_NOT_THERMALIZED with
 * distance > 0 if it is stuck above its twin. */
NNP_API int32_t nnp_twin_report(const nnp_twin *twin, nnp_verdict *out, nnp_error *err);
/* Writes the verdict on the chain as a sentence to buffer; 256 bytes are always enough. */
NNP_API int32_t nnp_twin_text(const nnp_twin *twin, char *buffer, size_t size, nnp_error *err);
/* Writes the address of the series of training errors of the chain (which = 0) or of its twin (1),
 * valid until the twin runs again. */
NNP_API int32_t nnp_twin_series(const nnp_twin *twin, int64_t which, nnp_series *out,
                                nnp_error *err);

#ifdef __cplusplus
}
#endif

#endif /* NNPOST_STUDY_H */

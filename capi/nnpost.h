/* nnpost: exact MCMC samples from the posterior of neural networks.
 *
 * The model is a chain of noisy layers. Site 0 is the input; layer k maps site k-1 to site k,
 *
 *     U_k = f_k(U_{k-1}; W_k, b_k) + sqrt(D_k) * N(0, I),        k = 1 … m,
 *
 * with priors W_k ~ N(0, 1/lambda_w), b_k ~ N(0, 1/lambda_b). A head ties the last site to the
 * data. A chain draws weights, biases and all latent sites from their joint posterior.
 *
 * A whole program (examples/quickstart.c has it with the checks):
 *
 *     nnp_net_create(&net, 5, &err);
 *     nnp_net_dense(net, 8, &err);
 *     nnp_net_activation(net, NNP_RELU, &err);
 *     nnp_net_dense(net, 1, &err);
 *     nnp_net_head(net, NNP_GAUSSIAN, &err);
 *     nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 1e-2, &err);
 *     nnp_data_create(&data, n, 5, 1, &err);
 *     nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err);
 *     nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err);
 *     nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err);
 *     nnp_chain_start(chain, NNP_START_ZERO, seed, 0, &err);
 *     nnp_chain_run(chain, 1000, NULL, NULL, &err);
 *     nnp_chain_sample(chain, draws, 500, 10, NULL, NULL, &err);
 *     nnp_predictor_create(&predictor, net, 500, &err);
 *     nnp_predict(predictor, new_data, draws, 500, NNP_PREDICT_MEAN, mean, &err);
 *
 * Rules that hold everywhere
 * - Every function that can fail returns a status: 0 (NNP_OK) or one of the NNP_E_… below. The last
 *   argument `err` may be NULL; otherwise it receives the status and a sentence that names the
 *   argument, its value and what was expected. A call that fails leaves its object as it was,
 *   except where said. The library never prints, aborts, exits or installs signal handlers.
 * - Memory: an object lives in one block. Either X_create/X_free (one malloc), or X_bytes tells the
 *   size and X_init builds the object in your own block, 64-byte aligned and at least that long.
 *   You own the block, and nothing else is ever allocated: running a chain allocates nothing.
 *   Objects built by X_init are not freed by X_free; drop the block (a pool is closed before).
 * - Threads: an object is used by one thread at a time; different objects are independent. Networks
 *   are copied into the chains made from them; data is shared by chains and must outlive them.
 * - Numbering: layers and sites count from 1 (site 0 is the input); rows, draws, parameters and
 *   classes from 0.
 * - Draws of parameters are [parameter, draw, chain] with the parameter fastest: an array that R,
 *   Julia and Fortran take as it is. Parameters go layer by layer: the weights of unit 1, of unit
 *   2, …, then the biases. Rows of results are [feature, row] with the feature fastest.
 */
#ifndef NNPOST_H
#define NNPOST_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define NNP_API __attribute__((visibility("default")))
#else
#define NNP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Statuses ------------------------------------------------------------------------------ */

enum {
  NNP_OK = 0,
  NNP_E_NULL = 1,             /* NULL where something is needed */
  NNP_E_SIZE = 2,             /* a size or index that is zero, negative or out of range */
  NNP_E_OVERFLOW = 3,         /* sizes beyond what memory can address */
  NNP_E_NOT_FINITE = 4,       /* NaN or infinity in inputs, targets, parameters or sites */
  NNP_E_LABEL = 5,            /* a label the head cannot have */
  NNP_E_VALUE = 6,            /* a value outside its bounds, such as a noise that is not positive */
  NNP_E_SHAPE = 7,            /* shapes that do not match */
  NNP_E_MEMORY_SIZE = 8,      /* the block is smaller than X_bytes said */
  NNP_E_MEMORY_ALIGNMENT = 9, /* the block is not 64-byte aligned */
  NNP_E_HEAD_MISPLACED = 10,  /* a head before any layer, or a layer behind the head */
  NNP_E_SECOND_HEAD = 11,
  NNP_E_NO_LAYERS = 12,
  NNP_E_NO_HEAD = 13,
  NNP_E_SAVE_TRUNCATED = 14,
  NNP_E_SAVE_CORRUPTED = 15,
  NNP_E_SAVE_VERSION = 16,  /* saved by another version or byte order */
  NNP_E_SAVE_NETWORK = 17,  /* saved from another network, sampler or posterior */
  NNP_E_OPTION = 18,        /* a property or option this object does not have */
  NNP_E_ENUM = 19,          /* a number that is none of the constants */
  NNP_E_UNSUPPORTED = 20,   /* a combination that makes no sense or is not in this build */
  NNP_E_NUMERIC = 21,       /* a matrix that is not positive definite in double precision */
  NNP_E_NOT_STARTED = 22,   /* the chain has no start yet */
  NNP_STOPPED = 23,         /* your callback asked to stop: not an error, all steps done count */
  NNP_E_OUT_OF_MEMORY = 24, /* X_create only */
  NNP_E_NET_FULL = 25,      /* more layers than the network has room for */
  NNP_E_BUFFER_SIZE = 26,   /* the output buffer is too small */
  NNP_E_THREAD = 27,        /* the system gave no thread */
  NNP_E_NO_DATA = 28,       /* inputs, targets or labels were never set */
  NNP_E_SAVE_DATA = 29,     /* saved on other data */
  NNP_E_INFEASIBLE = 30     /* scores that contradict the labels */
};

typedef struct nnp_error {
  int32_t status;
  char message[252];
} nnp_error;

/* "NNP_E_SHAPE" for NNP_E_SHAPE; "unknown" for a number that is no status. Never NULL. */
NNP_API const char *nnp_status_name(int32_t status);

/* ---- Version ------------------------------------------------------------------------------- */

#define NNP_VERSION "0.1.0"
#define NNP_ABI_VERSION 0

/* The library's own, to be compared with the header's at load. */
NNP_API const char *nnp_version(void);
NNP_API int32_t nnp_abi_version(void);
/* Writes lines "key: value": version, compiler, SIMD levels built and used, threads, BLAS core.
 * OpenBLAS may take a new processor for an old one ("Prescott") and run slow; the library's hot
 * loops do not depend on it. */
NNP_API int32_t nnp_build_info(char *buffer, size_t size, nnp_error *err);

/* ---- The network --------------------------------------------------------------------------- */

typedef struct nnp_net nnp_net;

enum { NNP_ALL_LAYERS = 0 };

/* Activations, elementwise. */
enum {
  NNP_IDENTITY = 1,
  NNP_RELU = 2,
  NNP_LEAKY_RELU = 3, /* slope NNP_SLOPE below 0 */
  NNP_ABS = 4,
  NNP_SIGN = 5, /* sign(0) = +1 */
  NNP_HARD_TANH = 6,
  NNP_TANH = 7, /* smooth from here on: not for NNP_GIBBS */
  NNP_SOFTPLUS = 8,
  NNP_GELU = 9 /* z Phi(z), Phi the standard normal distribution function */
};

/* Heads. */
enum {
  NNP_GAUSSIAN = 1, /* the last site is the target y: regression, any number of outputs */
  NNP_ARGMAX = 2,   /* label = argmax of the last site: multinomial probit, 2 or more outputs */
  NNP_SIGN_HEAD = 3 /* label = sign of the last site, -1 or +1: binary probit, one output */
};

/* Properties of a layer. */
enum {
  NNP_NOISE = 1,    /* D, variance of its noise; positive, finite; 0.01 unless set */
  NNP_LAMBDA_W = 2, /* prior precision of its weights; its fan-in unless set */
  NNP_LAMBDA_B = 3, /* prior precision of its biases; its fan-in unless set */
  NNP_BIAS = 4,     /* 1 (default) with biases, 0 without */
  NNP_SLOPE = 5     /* of a leaky relu; 0.01 unless set */
};

/* A network for `inputs` features, with room for 256 layers. */
NNP_API int32_t nnp_net_create(nnp_net **net, int64_t inputs, nnp_error *err);
NNP_API void nnp_net_free(nnp_net *net);
/* The same in your own block, with room for max_layers layers. */
NNP_API int32_t nnp_net_bytes(int64_t max_layers, size_t *bytes, nnp_error *err);
NNP_API int32_t nnp_net_init(nnp_net **net, void *memory, size_t bytes, int64_t max_layers,
                             int64_t inputs, nnp_error *err);

/* Layers are added input to output; shapes are checked as they come. The head goes last, once. */
NNP_API int32_t nnp_net_dense(nnp_net *net, int64_t units, nnp_error *err);
NNP_API int32_t nnp_net_activation(nnp_net *net, int32_t activation, nnp_error *err);
NNP_API int32_t nnp_net_head(nnp_net *net, int32_t head, nnp_error *err);

/* Sets a property of one layer (1 … m), or of all layers that have it (NNP_ALL_LAYERS). */
NNP_API int32_t nnp_net_set(nnp_net *net, int64_t layer, int32_t property, double value,
                            nnp_error *err);
NNP_API int32_t nnp_net_get(const nnp_net *net, int64_t layer, int32_t property, double *value,
                            nnp_error *err);

/* m; the number of parameters; of outputs; of latent variables a row (once there is a head). */
NNP_API int32_t nnp_net_layers(const nnp_net *net, int64_t *layers, nnp_error *err);
NNP_API int32_t nnp_net_parameters(const nnp_net *net, int64_t *parameters, nnp_error *err);
NNP_API int32_t nnp_net_outputs(const nnp_net *net, int64_t *outputs, nnp_error *err);
NNP_API int32_t nnp_net_latents(const nnp_net *net, int64_t *latents, nnp_error *err);
/* Where a layer's parameters are: weights from `first`, then the biases. */
NNP_API int32_t nnp_net_layer(const nnp_net *net, int64_t layer, int64_t *first, int64_t *weights,
                              int64_t *biases, nnp_error *err);
/* channels, height, width of site k (0 … m). */
NNP_API int32_t nnp_net_shape(const nnp_net *net, int64_t site, int64_t shape[3], nnp_error *err);
/* "W1[3,17]" (layer, unit, input) or "b1[3]", counted from 1 as in R and Julia; layers without
 * parameters are not counted. */
NNP_API int32_t nnp_net_parameter_name(const nnp_net *net, int64_t parameter, char *buffer,
                                       size_t size, nnp_error *err);
/* A table of layers, shapes, parameters, latents and bytes of state for n rows. 128 bytes a layer
 * and 512 more are always enough. */
NNP_API int32_t nnp_net_print(const nnp_net *net, int64_t n, char *buffer, size_t size,
                              nnp_error *err);

/* ---- Data ---------------------------------------------------------------------------------- */

typedef struct nnp_data nnp_data;

enum {
  NNP_ROW_MAJOR = 1,   /* C: x[row * columns + column] */
  NNP_COLUMN_MAJOR = 2 /* R, Julia, Fortran: x[row + rows * column] */
};

/* Room for n rows of `features` inputs and `outputs` targets (0 if there are none), and for n
 * labels. Values are copied into it. New ones may be set between runs, not while a chain runs. */
NNP_API int32_t nnp_data_create(nnp_data **data, int64_t n, int64_t features, int64_t outputs,
                                nnp_error *err);
NNP_API void nnp_data_free(nnp_data *data);
NNP_API int32_t nnp_data_bytes(int64_t n, int64_t features, int64_t outputs, size_t *bytes,
                               nnp_error *err);
NNP_API int32_t nnp_data_init(nnp_data **data, void *memory, size_t bytes, int64_t n,
                              int64_t features, int64_t outputs, nnp_error *err);
/* n x features, all finite. */
NNP_API int32_t nnp_data_set_inputs(nnp_data *data, const double *x, int32_t order, nnp_error *err);
/* n x outputs, all finite: for NNP_GAUSSIAN. */
NNP_API int32_t nnp_data_set_targets(nnp_data *data, const double *y, int32_t order,
                                     nnp_error *err);
/* n labels: classes 0 … outputs-1 for NNP_ARGMAX, -1 or +1 for NNP_SIGN_HEAD. */
NNP_API int32_t nnp_data_set_labels(nnp_data *data, const int32_t *labels, nnp_error *err);

/* ---- A pool of threads --------------------------------------------------------------------- */

typedef struct nnp_pool nnp_pool;

/* Threads for the rows of one chain, or for several chains at once; 1 … 256, the calling thread
 * included. Draws do not depend on their number. */
NNP_API int32_t nnp_pool_create(nnp_pool **pool, int64_t threads, nnp_error *err);
NNP_API void nnp_pool_free(nnp_pool *pool);
NNP_API int32_t nnp_pool_bytes(int64_t threads, size_t *bytes, nnp_error *err);
NNP_API int32_t nnp_pool_init(nnp_pool **pool, void *memory, size_t bytes, int64_t threads,
                              nnp_error *err);
/* Ends the threads of a pool made by nnp_pool_init; then its block may go. */
NNP_API void nnp_pool_close(nnp_pool *pool);

/* ---- Chains -------------------------------------------------------------------------------- */

typedef struct nnp_chain nnp_chain;

/* Samplers. The last three follow gradients; they take every activation but NNP_SIGN, and both
 * posteriors. */
enum {
  NNP_GIBBS = 1, /* every variable from its exact conditional; nothing to tune */
  NNP_HMC = 2,   /* Hamiltonian Monte Carlo */
  NNP_MALA = 3,  /* Metropolis adjusted Langevin: x' = x + step * gradient + sqrt(2 step) * noise */
  NNP_NUTS = 4   /* the no-U-turn sampler, multinomial */
};

/* Posteriors. The classical one is exp(-(1/(2D)) loss) times the prior of the weights, where D is
 * the noise of the last layer (the other noises do not enter) and the loss, summed over rows, is
 * for NNP_GAUSSIAN  the squared error |y - f|^2,
 * for NNP_ARGMAX    the cross-entropy of the softmax, log sum_a exp(f_a) - f_y,
 * for NNP_SIGN_HEAD the cross-entropy of two classes whose scores differ by f, log(1 + exp(-y f)).
 * Gradient samplers on NNP_INTERMEDIATE move weights and sites together. Where a probit head cuts
 * scores that contradict a label off, they propose as if it did not and reject what lies behind the
 * cut: exact, but slow for many rows. */
enum {
  NNP_INTERMEDIATE = 1, /* weights and all sites: the model above */
  NNP_CLASSICAL = 2     /* weights only; not for NNP_GIBBS */
};

enum {
  NNP_START_ZERO = 1,  /* all parameters and sites zero */
  NNP_START_PRIOR = 2, /* weights from the prior, sites through the noisy layers */
  NNP_START_SMALL = 3  /* all parameters and sites independent N(0, 1e-8): the paper's for HMC */
};

/* Options of a chain; those a sampler does not have are refused with NNP_E_OPTION. */
enum {
  NNP_OPTION_SCHEDULE = 1, /* order of a Gibbs step: NNP_SEQUENTIAL (default), NNP_PARALLEL */
  NNP_OPTION_SIMD = 2,     /* 0 the best there is (default), 1 portable, 2 AVX2, 3 AVX-512 */
  /* Gradient samplers: */
  NNP_OPTION_STEP_SIZE = 3,  /* > 0 (0.01); of a leapfrog, or of NNP_MALA as above */
  NNP_OPTION_LEAPFROGS = 4,  /* of a step of NNP_HMC (10) */
  NNP_OPTION_JITTER = 5,     /* 0 (default) to 1: steps times 1 + jitter * uniform(-1, 1) */
  NNP_OPTION_TARGET = 6,     /* acceptance adaptation aims at, inside (0, 1); 0.8, MALA 0.574 */
  NNP_OPTION_MAX_DEPTH = 7,  /* NNP_NUTS makes up to 2^depth - 1 leapfrogs a step: 1 to 12 (10) */
  NNP_OPTION_WARMUP = 8,     /* steps of warm-up, counted from the start (0) */
  NNP_OPTION_ADAPT_STEP = 9, /* 1 (default): the warm-up finds the step size, 0: it stays */
  NNP_OPTION_ADAPT_MASS = 10 /* 1 (default): the warm-up finds the scale of each variable, 0: not */
};

/* Warm-up: during the first NNP_OPTION_WARMUP steps the step size is adapted by dual averaging,
 * beginning near the option's, and the variances of all variables (the diagonal of the inverse mass
 * matrix) from windows of growing length, as Stan does it; then both are frozen. A run shorter than
 * what is left of the warm-up is refused (a callback may stop it), and so are draws before its end.
 * Without warm-up step size and masses are what was set, all masses 1 by default. */

enum {
  NNP_SEQUENTIAL = 1, /* W1, then X, W, Z of each hidden layer: the paper's Algorithm 1 */
  NNP_PARALLEL = 2    /* all X, all W, all Z: its Algorithm 2; layers run side by side */
};

/* What a callback is told. Later versions may add fields at the end. */
typedef struct nnp_progress {
  const nnp_chain *chain; /* may be asked for parameters, sites, log density, scores */
  int64_t chain_index;    /* among the chains of the call */
  int64_t step;           /* steps done in this call */
  int64_t steps;          /* steps asked for in this call */
  double seconds;         /* since the call began */
} nnp_progress;

/* Called after every step, always from the thread that made the call. Not 0: stop, keeping all that
 * was done; the call then returns NNP_STOPPED. */
typedef int32_t (*nnp_callback)(const nnp_progress *progress, void *user);

NNP_API int32_t nnp_chain_create(nnp_chain **chain, const nnp_net *net, const nnp_data *data,
                                 int32_t sampler, int32_t posterior, nnp_error *err);
NNP_API void nnp_chain_free(nnp_chain *chain);
NNP_API int32_t nnp_chain_bytes(const nnp_net *net, const nnp_data *data, int32_t sampler,
                                int32_t posterior, size_t *bytes, nnp_error *err);
NNP_API int32_t nnp_chain_init(nnp_chain **chain, void *memory, size_t bytes, const nnp_net *net,
                               const nnp_data *data, int32_t sampler, int32_t posterior,
                               nnp_error *err);

NNP_API int32_t nnp_chain_set(nnp_chain *chain, int32_t option, double value, nnp_error *err);
NNP_API int32_t nnp_chain_get(const nnp_chain *chain, int32_t option, double *value,
                              nnp_error *err);
/* Name, bounds and default of an option; each pointer may be NULL. The bounds of step size and
 * target are themselves excluded. */
NNP_API int32_t nnp_option_info(int32_t option, const char **name, double *low, double *high,
                                double *initial, nnp_error *err);
/* Rows of the chain are worked by the pool's threads from now on; NULL: by the caller alone. */
NNP_API int32_t nnp_chain_use_pool(nnp_chain *chain, nnp_pool *pool, nnp_error *err);

/* A start sets parameters and sites, and the random streams by (seed, number): chains of one seed
 * take numbers 0, 1, 2, … and never share a stream. It may be repeated. */
NNP_API int32_t nnp_chain_start(nnp_chain *chain, int32_t start, uint64_t seed, uint64_t number,
                                nnp_error *err);
/* From given parameters; sites through the layers with noise (noisy = 1) or without (0). */
NNP_API int32_t nnp_chain_start_weights(nnp_chain *chain, const double *parameters, int32_t noisy,
                                        uint64_t seed, uint64_t number, nnp_error *err);
/* From given parameters and all latent sites, one behind the other, each [feature, row]. */
NNP_API int32_t nnp_chain_start_state(nnp_chain *chain, const double *parameters,
                                      const double *sites, uint64_t seed, uint64_t number,
                                      nnp_error *err);

/* Makes `steps` steps. After NNP_E_NUMERIC the chain stands in the middle of a step. */
NNP_API int32_t nnp_chain_run(nnp_chain *chain, int64_t steps, nnp_callback callback, void *user,
                              nnp_error *err);
/* count times: `thin` steps, then the parameters into draws[parameter, draw]. When stopped, the
 * draws completed by then are in place: (steps made) / thin of them. */
NNP_API int32_t nnp_chain_sample(nnp_chain *chain, double *draws, int64_t count, int64_t thin,
                                 nnp_callback callback, void *user, nnp_error *err);
/* The same for several chains, side by side on the pool of the first one. Each chain must be a
 * different one; draws is [parameter, draw, chain]. With a failing chain the others go on, and the
 * first failure is returned. */
NNP_API int32_t nnp_chains_run(nnp_chain *const *chains, int64_t chain_count, int64_t steps,
                               nnp_callback callback, void *user, nnp_error *err);
NNP_API int32_t nnp_chains_sample(nnp_chain *const *chains, int64_t chain_count, double *draws,
                                  int64_t count, int64_t thin, nnp_callback callback, void *user,
                                  nnp_error *err);

/* Reading the state. */
NNP_API int32_t nnp_chain_steps(const nnp_chain *chain, int64_t *steps, nnp_error *err);
NNP_API int32_t nnp_chain_parameters(const nnp_chain *chain, double *parameters, nnp_error *err);
/* Site k (1 … m) as [feature, row]; not for NNP_CLASSICAL. */
NNP_API int32_t nnp_chain_site(const nnp_chain *chain, int64_t site, double *values,
                               nnp_error *err);
/* The log density of the posterior up to the evidence. Intermediate: all noise and prior terms,
 * normalized. Classical: -(1/(2D)) loss and the prior terms, normalized. */
NNP_API int32_t nnp_chain_log_density(nnp_chain *chain, double *value, nnp_error *err);
/* Its terms, m of each: log N(U_k | f_k, D_k), log prior of layer k, and the sum of squares
 * |U_k - f_k(U_{k-1})|^2. Classical: -(1/(2D)) loss and the loss in the last places, zeros before.
 * Each pointer may be NULL. */
NNP_API int32_t nnp_chain_terms(nnp_chain *chain, double *log_noise, double *log_prior,
                                double *residuals, nnp_error *err);
/* Rows of probit scores drawn so far: exactly (all scores of the row at once, from their joint
 * conditional) and by scanning (one score after the other). Two classes and the sign head are
 * always exact; with more classes the exact draw is a rejection, tried a few times first. */
NNP_API int32_t nnp_chain_score_draws(const nnp_chain *chain, int64_t *exact, int64_t *scanned,
                                      nnp_error *err);
/* Outputs without noise for other rows, [output, row], from the current parameters. */
NNP_API int32_t nnp_chain_predict(nnp_chain *chain, const nnp_data *data, double *outputs,
                                  nnp_error *err);
/* Its score (NNP_SCORE_…) on rows with targets or labels, from the current parameters. */
NNP_API int32_t nnp_chain_score(nnp_chain *chain, const nnp_data *data, int32_t score,
                                double *value, nnp_error *err);

/* What a gradient sampler tells about its last step; cheap, and may be asked from a callback. */
enum {
  NNP_STAT_LOG_DENSITY = 1, /* at the position after the step, as nnp_chain_log_density has it */
  NNP_STAT_ENERGY = 2,      /* -log density + kinetic energy, of the point chosen */
  NNP_STAT_ACCEPTANCE = 3,  /* probability of acceptance; NNP_NUTS: mean over its trajectory */
  NNP_STAT_STEP_SIZE = 4,   /* jitter included */
  NNP_STAT_DEPTH = 5,       /* NNP_NUTS: doublings of the trajectory; else 0 */
  NNP_STAT_LEAPFROGS = 6,   /* gradients taken */
  NNP_STAT_DIVERGENT = 7,   /* 1 if the energy error passed 1000, else 0 */
  NNP_STAT_DIVERGENCES = 8, /* divergent steps so far, those of the warm-up not counted */
  NNP_STATISTICS = 8        /* how many there are */
};
NNP_API int32_t nnp_chain_statistic(const nnp_chain *chain, int32_t statistic, double *value,
                                    nnp_error *err);
/* From the next step on, all statistics of every step go to values[statistic - 1, step]: room for
 * NNP_STATISTICS * capacity numbers. Steps behind the last place are not kept. The buffer must live
 * until it is replaced or given up (values = NULL). */
NNP_API int32_t nnp_chain_record(nnp_chain *chain, double *values, int64_t capacity,
                                 nnp_error *err);
/* Steps in that buffer so far. */
NNP_API int32_t nnp_chain_recorded(const nnp_chain *chain, int64_t *steps, nnp_error *err);
/* Variables a gradient sampler moves: parameters and, for NNP_INTERMEDIATE, latents of all rows. */
NNP_API int32_t nnp_chain_variables(const nnp_chain *chain, int64_t *variables, nnp_error *err);
/* Their scales: the diagonal of the inverse mass matrix (variances of the variables, up to a common
 * factor), parameters first, then latent sites as nnp_chain_start_state takes them. Set: in force
 * from the next start on, and where adaptation begins; NULL for ones. Get: what is in force now. */
NNP_API int32_t nnp_chain_set_scales(nnp_chain *chain, const double *variances, nnp_error *err);
NNP_API int32_t nnp_chain_scales(const nnp_chain *chain, double *variances, nnp_error *err);

/* Saving: everything, random streams included, so that a restored chain goes on bit for bit. A
 * saved block can be restored only into a chain of the same network, sampler and data. */
NNP_API int32_t nnp_chain_save_bytes(const nnp_chain *chain, size_t *bytes, nnp_error *err);
NNP_API int32_t nnp_chain_save(const nnp_chain *chain, void *buffer, size_t size, nnp_error *err);
NNP_API int32_t nnp_chain_restore(nnp_chain *chain, const void *buffer, size_t size,
                                  nnp_error *err);

/* ---- Predictions --------------------------------------------------------------------------- */

typedef struct nnp_predictor nnp_predictor;

/* What to predict, and how the result is laid out. */
enum {
  NNP_PREDICT_MEAN = 1,          /* [output, row]: mean over draws of the last site */
  NNP_PREDICT_SD = 2,            /* [output, row]: standard deviation over draws */
  NNP_PREDICT_QUANTILES = 3,     /* [level, output, row]: R's type 7 */
  NNP_PREDICT_PROBABILITIES = 4, /* [class, row]; sign head: P(+1), one a row */
  NNP_PREDICT_VOTES = 5,         /* [class, row]: share of draws where the class wins */
  NNP_PREDICT_DRAWS = 6          /* [output, row, draw]: the last site itself */
};

enum {
  NNP_SCORE_MSE = 1,      /* of the mean prediction; NNP_GAUSSIAN */
  NNP_SCORE_ACCURACY = 2, /* of the most probable class; NNP_ARGMAX, NNP_SIGN_HEAD */
  NNP_SCORE_LOG = 3       /* mean over rows of the log predictive density of the target */
};

/* A workspace for predictions from up to max_draws draws. (Only quantiles need room for them.) */
NNP_API int32_t nnp_predictor_create(nnp_predictor **predictor, const nnp_net *net,
                                     int64_t max_draws, nnp_error *err);
NNP_API void nnp_predictor_free(nnp_predictor *predictor);
NNP_API int32_t nnp_predictor_bytes(const nnp_net *net, int64_t max_draws, size_t *bytes,
                                    nnp_error *err);
NNP_API int32_t nnp_predictor_init(nnp_predictor **predictor, void *memory, size_t bytes,
                                   const nnp_net *net, int64_t max_draws, nnp_error *err);
/* With the model's noise in every layer (noisy = 1) or without (0, the default). Noise is drawn by
 * `seed`: the same call gives the same result. Probabilities and log scores take the noise of the
 * last layer into account in both cases, exactly. */
NNP_API int32_t nnp_predictor_noise(nnp_predictor *predictor, int32_t noisy, uint64_t seed,
                                    nnp_error *err);
/* Levels of NNP_PREDICT_QUANTILES, 1 to 64 of them, each from 0 to 1. */
NNP_API int32_t nnp_predictor_levels(nnp_predictor *predictor, const double *levels, int64_t count,
                                     nnp_error *err);
/* From `draws` draws of the parameters, [parameter, draw], for all rows of data. */
NNP_API int32_t nnp_predict(nnp_predictor *predictor, const nnp_data *data, const double *params,
                            int64_t draws, int32_t kind, double *out, nnp_error *err);
NNP_API int32_t nnp_score(nnp_predictor *predictor, const nnp_data *data, const double *params,
                          int64_t draws, int32_t score, double *value, nnp_error *err);

#ifdef __cplusplus
}
#endif

#endif /* NNPOST_H */

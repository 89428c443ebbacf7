/* nnpost: exact MCMC samples from the posterior of neural networks.
 *
 * The model is a chain of noisy layers. Site 0 is the input; layer k maps site k-1 to site k,
 *
 *     U_k = f_k(U_{k-1}; W_k, b_k) + sqrt(D_k) * N(0, I),        k = 1 … m,
 *
 * with priors W_k ~ N(0, 1/lambda_w), b_k ~ N(0, 1/lambda_b). A head ties the last site to the
 * data. A chain draws weights, biases and all latent sites from their joint posterior.
 *
 * A table of data, everything as recommended (examples/regression.c has the whole program):
 *
 *     nnp_table_create(&table, &err);
 *     nnp_table_fit(table, x, y, n, columns, 1, NNP_ROW_MAJOR, &err);
 *     nnp_table_text(table, text, sizeof text, &err);                   have the chains converged?
 *     nnp_table_predict(table, x_new, rows, columns, NNP_ROW_MAJOR, NNP_PREDICT_MEAN, mean, &err);
 *     nnp_table_interval(table, x_new, rows, columns, NNP_ROW_MAJOR, 0.9, ends, &err);
 *     nnp_table_free(table);
 *
 * A network of your own (examples/quickstart.c has it with the checks):
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
 * Where to find what
 * - Simple, the first part of this header: a network, its data, a chain, predictions, settings that
 *   suit most tables of data, and nnp_table, which fits a table in one call. Most programs need
 *   nothing else.
 * - Advanced, the second part: convolutions, learned scales, options, threads, starts, your own
 *   memory, saving, draws that memory cannot hold, many machines.
 * - For experts: nnpost_diagnostics.h (has it converged, how well does it predict, is a sampler
 *   right) and nnpost_study.h (teachers, studies, replica exchange, several starts, twins). Each
 *   includes what it needs. nnpost_mpi.h brings MPI, in a library of its own.
 * Each part says at its top what will stay as it is in later releases.
 *
 * Rules that hold everywhere
 * - Every function that can fail returns a status: 0 (NNP_OK) or one of the NNP_E_… below. The last
 *   argument `err` may be NULL; otherwise it receives the status and a sentence that names the
 *   argument, its value and what was expected. A call that fails leaves its object as it was and
 *   its results unwritten, except where its comment says otherwise. The library never prints,
 *   aborts, exits or installs signal handlers.
 * - Memory: an object lives in one block. Either X_create/X_free (one malloc), or X_bytes tells the
 *   size and X_init builds the object in your own block, 64-byte aligned and at least that long.
 *   You own the block, and nothing else is ever allocated: running a chain allocates nothing.
 *   Objects built by X_init are not freed by X_free; drop the block (close a pool or team first).
 *   The exception is nnp_table, which allocates for you; its comment says when.
 * - Threads: an object is used by one thread at a time; different objects are independent. Networks
 *   are copied into the chains made from them; data is shared by chains and must outlive them.
 * - Numbering: layers and sites count from 1 (site 0 is the input); rows, draws, parameters and
 *   classes from 0.
 * - Draws of parameters are [parameter, draw, chain] with the parameter fastest: an array that R,
 *   Julia and Fortran take as it is. Parameters go layer by layer: the weights of unit 1, of unit
 *   2, …, then the biases; learned scales come last. Rows of results are [feature, row] with the
 *   feature fastest.
 * - Constants of different families have different numbers: one that is passed where another
 *   family is expected is refused with NNP_E_ENUM (as the value of an option: NNP_E_VALUE).
 */
#ifndef NNPOST_H
#define NNPOST_H

#include <stddef.h>
#include <stdint.h>

/* On Windows, define NNP_STATIC if you link the static library. */
#if defined(_WIN32) && defined(NNP_BUILDS_LIBRARY)
#define NNP_API __declspec(dllexport)
#elif defined(_WIN32) && !defined(NNP_STATIC)
#define NNP_API __declspec(dllimport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define NNP_API __attribute__((visibility("default")))
#else
#define NNP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ==== Simple ================================================================================ */

/* A network, its data, a chain, predictions, a table of data in one call: what a first program
 * needs.
 * Stability: a program that uses this part alone compiles and runs with every release from 0.2.0
 * on, unchanged. The draws that a seed gives may change between releases; CHANGELOG.md says when.
 */

/* ---- Statuses ------------------------------------------------------------------------------ */

/* Status codes. */
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
  NNP_E_HEAD_MISPLACED = 10,  /* a head before any layer, or a layer after the head */
  NNP_E_SECOND_HEAD = 11,     /* the network has a head already */
  NNP_E_NO_LAYERS = 12,       /* the network has no layers */
  NNP_E_NO_HEAD = 13,         /* the network has no head */
  NNP_E_SAVE_TRUNCATED = 14,  /* a saved block that ends too early */
  NNP_E_SAVE_CORRUPTED = 15,  /* a saved block with impossible values */
  NNP_E_SAVE_VERSION = 16,    /* saved by another version or byte order */
  NNP_E_SAVE_NETWORK = 17,    /* saved from another network, sampler or posterior */
  NNP_E_OPTION = 18,          /* a property or option this object does not have */
  NNP_E_ENUM = 19,            /* a number that is none of the constants expected there */
  NNP_E_UNSUPPORTED = 20,     /* a combination that makes no sense or is not in this build */
  NNP_E_NUMERIC = 21,         /* beyond double precision, such as a singular matrix */
  NNP_E_NOT_STARTED = 22,     /* the chain has no start yet, the table no fit */
  NNP_STOPPED = 23,           /* your callback asked to stop: not an error, steps are kept */
  NNP_E_OUT_OF_MEMORY = 24,   /* X_create and nnp_table only */
  NNP_E_NET_FULL = 25,        /* more layers than the network has room for */
  NNP_E_BUFFER_SIZE = 26,     /* the output buffer is too small */
  NNP_E_THREAD = 27,          /* the system could not create a thread */
  NNP_E_NO_DATA = 28,         /* inputs, targets or labels were never set */
  NNP_E_SAVE_DATA = 29,       /* saved on other data */
  NNP_E_INFEASIBLE = 30,      /* scores that contradict the labels */
  NNP_E_COMM = 31,            /* a function of the communicator failed; do not use it again */
  NNP_E_RANKS = 32,           /* ranks that should work together were given different things */
  NNP_E_FILE = 33             /* a file could not be created, opened, read or mapped */
};

/* What the last argument of a call receives: the status, and a sentence that is empty on
 * success. */
typedef struct nnp_error {
  int32_t status;
  char message[252];
} nnp_error;

/* Returns the name of a status as text, "NNP_E_SHAPE" for NNP_E_SHAPE; "unknown" for a number that
 * is no status. Never NULL. */
NNP_API const char *nnp_status_name(int32_t status);

/* ---- Version ------------------------------------------------------------------------------- */

/* The release that this header belongs to. */
#define NNP_VERSION "0.2.0"
/* A program works with a library that has the same number. 0: before the first release; compile
 * programs again with each version. */
#define NNP_ABI_VERSION 0

/* Returns the release of the library that is loaded, to be compared with NNP_VERSION. */
NNP_API const char *nnp_version(void);
/* Returns the ABI version of the library that is loaded. It works with this header if that is
 * NNP_ABI_VERSION. */
NNP_API int32_t nnp_abi_version(void);
/* Writes what this library was built with to buffer, which has `size` bytes, in lines of a key, a
 * colon and a value: version, compiler, SIMD levels usable and used, threads, the BLAS the library
 * is linked with, the core it took the processor for ("unknown" if it is not OpenBLAS), its thread
 * count, what does the dense work of a chain by default (our kernels, BLAS, or the faster one for
 * each shape), and whose exp and log enter draws ("libm" or "own"). NNP_E_BUFFER_SIZE tells how
 * many bytes are needed; 1024 are enough today. */
NNP_API int32_t nnp_build_info(char *buffer, size_t size, nnp_error *err);

/* ---- The network --------------------------------------------------------------------------- */

/* The description of a network: layers and a head. Chains and predictors copy it when they are
 * made, so it may change or be freed afterwards. */
typedef struct nnp_net nnp_net;

/* Numbers that stand in place of a layer's where properties are set or read. */
enum {
  NNP_ALL_LAYERS = 0, /* every layer that has the property */
  NNP_HEAD = -1       /* the head, which has properties of its own */
};

/* Activations, elementwise. */
enum {
  NNP_IDENTITY = 101,
  NNP_RELU = 102,
  NNP_LEAKY_RELU = 103, /* slope NNP_SLOPE below 0 */
  NNP_ABS = 104,
  NNP_SIGN = 105, /* sign(0) = +1 */
  NNP_HARD_TANH = 106,
  NNP_TANH = 107, /* this one and those after it are smooth: not for NNP_GIBBS */
  NNP_SOFTPLUS = 108,
  NNP_GELU = 109 /* z Phi(z), Phi the standard normal distribution function */
};

/* Heads. */
enum {
  NNP_GAUSSIAN = 201,  /* the last site is the target y: regression, any number of outputs */
  NNP_ARGMAX = 202,    /* label = argmax of the last site: multinomial probit, 2 or more outputs */
  NNP_SIGN_HEAD = 203, /* label = sign of the last site, -1 or +1: binary probit, one output */
  /* Regression with heavy tails, any number of outputs: y_i = f_i + sqrt(D / w_i) N(0, I) with
   * w_i ~ Gamma(nu/2, rate nu/2), one w per row, D the noise of the last layer, nu = NNP_FREEDOM.
   * So y is multivariate t with squared scale D; an outlier costs the logarithm of its square.
   * Gibbs draws the w_i at the beginning of every step (the last layer must be dense); log
   * densities, gradients and scores have them integrated out. */
  NNP_STUDENT_T = 204,
  /* Regression whose noise depends on the input. For p targets the network has 2p outputs, means
   * and then log standard deviations: y_j ~ N(f_j, s_j^2), log s_j = 15 tanh(f_{p+j} / 15), which
   * is f_{p+j} except for extremes (2.96 for 3), so that nothing overflows. The noise of the last
   * layer does not enter. Predictions are those of the p targets. For gradient samplers, with
   * either posterior; NNP_GIBBS refuses it. */
  NNP_LOCATION_SCALE = 205
};

/* Properties of a layer; NNP_FREEDOM is one of the head, set with layer = NNP_HEAD once there is a
 * head. */
enum {
  NNP_NOISE = 301,    /* D, variance of its noise; positive, finite; 0.01 unless set (for classes
                       with the classical posterior: 1/2 unless set, see NNP_CLASSICAL) */
  NNP_LAMBDA_W = 302, /* prior precision of its weights; its fan-in unless set */
  NNP_LAMBDA_B = 303, /* prior precision of its biases; its fan-in unless set */
  NNP_BIAS = 304,     /* 1 (default) with biases, 0 without */
  NNP_SLOPE = 305,    /* of a leaky relu; 0.01 unless set */
  NNP_COLLAPSE = 306, /* of an avgpool: 1 (default) integrates out the site below it, see
                       nnp_net_avgpool */
  /* Of a conv2d: rows of zeros above and below its input, columns to the left and right; whole
   * numbers below the filter's height and width; 0 unless set. They change the shape of the output:
   * set them before you add another layer. */
  NNP_PADDING_Y = 307,
  NNP_PADDING_X = 308,
  NNP_ARD = 309, /* learned only, see nnp_net_learn: a lambda_w for each input of a dense layer */
  NNP_FREEDOM = 320 /* of NNP_STUDENT_T: nu, degrees of freedom; positive, finite; 4 unless set */
};

/* Makes a network for `inputs` features, with room for 256 layers. Add layers from the input to the
 * output, then the head. Free it with nnp_net_free. */
NNP_API int32_t nnp_net_create(nnp_net **net, int64_t inputs, nnp_error *err);
/* Frees a network that nnp_net_create or one of its variants made. NULL is allowed. */
NNP_API void nnp_net_free(nnp_net *net);
/* Adds a dense layer of `units` units: every unit has a weight for each feature of the last site,
 * and a bias. NNP_E_HEAD_MISPLACED if the network has its head already. */
NNP_API int32_t nnp_net_dense(nnp_net *net, int64_t units, nnp_error *err);
/* Adds an activation (NNP_RELU, …), applied to every feature of the last site. */
NNP_API int32_t nnp_net_activation(nnp_net *net, int32_t activation, nnp_error *err);
/* Adds the head (NNP_GAUSSIAN, …), which ties the last site to the data. It comes last, once:
 * NNP_E_SECOND_HEAD otherwise. NNP_E_SHAPE if the last site does not have the number of outputs
 * that this head needs. */
NNP_API int32_t nnp_net_head(nnp_net *net, int32_t head, nnp_error *err);
/* Sets a property (NNP_NOISE, …) of one layer (1 … m), of all layers that have it (NNP_ALL_LAYERS)
 * or of the head (NNP_HEAD). NNP_E_OPTION: the layer does not have it; NNP_E_VALUE: the value is
 * outside its bounds. A scale that was learned is fixed at the value. */
NNP_API int32_t nnp_net_set(nnp_net *net, int64_t layer, int32_t property, double value,
                            nnp_error *err);
/* Reads a property of one layer (1 … m) or of the head (NNP_HEAD) into *value. */
NNP_API int32_t nnp_net_get(const nnp_net *net, int64_t layer, int32_t property, double *value,
                            nnp_error *err);
/* Writes the number of parameters, the length of one draw: all weights, biases and learned
 * scales. */
NNP_API int32_t nnp_net_parameters(const nnp_net *net, int64_t *parameters, nnp_error *err);

/* ---- Data ---------------------------------------------------------------------------------- */

/* Rows of inputs with their targets or labels. */
typedef struct nnp_data nnp_data;

/* How a table lies in memory. */
enum {
  NNP_ROW_MAJOR = 401,   /* C: x[row * columns + column] */
  NNP_COLUMN_MAJOR = 402 /* R, Julia, Fortran: x[row + rows * column] */
};

/* Makes room for n rows of `features` inputs and `outputs` targets (0 if there are none), and for n
 * labels. Free it with nnp_data_free, after all chains on it. */
NNP_API int32_t nnp_data_create(nnp_data **data, int64_t n, int64_t features, int64_t outputs,
                                nnp_error *err);
/* Frees data that nnp_data_create or one of its variants made. NULL is allowed. No chain may use it
 * any more. */
NNP_API void nnp_data_free(nnp_data *data);
/* Copies the inputs, n x features, all finite, from x in the given order (NNP_ROW_MAJOR, …). New
 * ones may be set between runs, not while a chain runs. NNP_E_UNSUPPORTED for data that keeps its
 * inputs packed (nnp_data_create_from). */
NNP_API int32_t nnp_data_set_inputs(nnp_data *data, const double *x, int32_t order, nnp_error *err);
/* Copies the targets, n x outputs, all finite, from y in the given order: for NNP_GAUSSIAN,
 * NNP_STUDENT_T and NNP_LOCATION_SCALE. New ones may be set between runs. */
NNP_API int32_t nnp_data_set_targets(nnp_data *data, const double *y, int32_t order,
                                     nnp_error *err);
/* Copies n labels: classes 0 … outputs-1 for NNP_ARGMAX, -1 or +1 for NNP_SIGN_HEAD. Whether they
 * suit the head is checked when they are used (NNP_E_LABEL). New ones may be set between runs. */
NNP_API int32_t nnp_data_set_labels(nnp_data *data, const int32_t *labels, nnp_error *err);

/* ---- Chains -------------------------------------------------------------------------------- */

/* A Markov chain: parameters and sites, a sampler that moves them, random streams. */
typedef struct nnp_chain nnp_chain;

/* Samplers. All but the first follow gradients; they take every activation but NNP_SIGN, and both
 * posteriors. */
enum {
  NNP_GIBBS = 501, /* every variable from its exact conditional; nothing to tune */
  NNP_HMC = 502,   /* Hamiltonian Monte Carlo */
  /* The Metropolis adjusted Langevin algorithm: x' = x + step * gradient + sqrt(2 step) * noise.
   * (If another program writes step / 2 and step instead, use half of its step sizes.) */
  NNP_MALA = 503,
  NNP_NUTS = 504 /* the no-U-turn sampler, multinomial */
};

/* Posteriors. The classical one is exp(-(1/(2D)) loss) times the prior of the weights, where D is
 * the noise of the last layer (the other noises do not enter) and the loss, summed over rows, is
 * for NNP_GAUSSIAN  the squared error |y - f|^2,
 * for NNP_ARGMAX    the cross-entropy of the softmax, log sum_a exp(f_a) - f_y,
 * for NNP_SIGN_HEAD the cross-entropy of two classes whose scores differ by f, log(1 + exp(-y f)),
 * for NNP_STUDENT_T D (nu + p) log(1 + |y - f|^2 / (nu D)) with p outputs: the t log likelihood,
 * for NNP_LOCATION_SCALE -2 D times the log likelihood, so that D cancels.
 * The cross-entropy is minus the log probability of a label, so for classes D = 1/2 is Bayes, and
 * that is D where the noise of the last layer was never set (0.01 set by hand counts as set). Any
 * other D is a temperature, T = 2D: the likelihood to the power 1/T, overconfident below 1.
 * Predictions and scores never temper: they average the probabilities of softmax over draws of the
 * posterior, whatever its temperature.
 * Gradient samplers on NNP_INTERMEDIATE move weights and sites together. Probit heads forbid scores
 * that contradict a label: proposals ignore that bound and those that cross it are rejected, which
 * is exact, but slow for many rows. */
enum {
  NNP_INTERMEDIATE = 601, /* weights and all sites: the model at the top of this header */
  NNP_CLASSICAL = 602     /* weights only; not for NNP_GIBBS */
};

/* Where a chain starts. */
enum {
  /* all parameters and sites zero; learned scales at the mean precision of their hyperprior */
  NNP_START_ZERO = 701,
  NNP_START_PRIOR = 702, /* weights from the prior, sites through the noisy layers */
  NNP_START_SMALL = 703, /* all parameters and sites independent N(0, 1e-8): the paper's for HMC */
  /* Weights from the prior, narrowed to variance 1/fan-in if they are wider, learned scales at
   * their hyperpriors' means, then nnp_chain_descend: chains begin where the data are fitted. While
   * it descends the noise falls to its own value from a tenth of the mean square of the targets,
   * where that is more. NNP_LOCATION_SCALE fits means only, as if the noise were the same for all
   * rows, and starts by predicting that noise: otherwise rows that are not fitted yet would be
   * taken for noisy ones and never fitted. Networks that cannot descend, with NNP_SIGN layers,
   * start at zero. */
  NNP_START_FIT = 704
};

/* What a callback is told. Later versions may add fields at the end. */
typedef struct nnp_progress {
  nnp_chain *chain;    /* may be asked for parameters, sites, log density, scores, a save;
                             NULL while another thread works on it */
  int64_t chain_index; /* among the chains of the call */
  int64_t step;        /* steps done in this call */
  int64_t steps;       /* steps asked for in this call */
  double seconds;      /* since the call began */
} nnp_progress;

/* Your function for progress and for stopping; NULL where you need none. It is called after every
 * step, always from the thread that made the call. With several chains it also reports, now and
 * then, on those that other threads work on, and once more when all are done. Return 0 to go on,
 * anything else to stop: all that was done stays, and the call returns NNP_STOPPED.
 * Until a run is over its chains cannot be run, started, restored, annealed or given options,
 * scales or a pool: a callback that tries to gets NNP_E_UNSUPPORTED, and the run goes on. The same
 * holds for runs of studies, multistarts, twins and exchanges. Other chains are free. Do not free
 * anything that is in use. */
typedef int32_t (*nnp_callback)(const nnp_progress *progress, void *user);

/* Makes a chain of this network on this data, which must outlive it; the network is copied.
 * sampler: NNP_GIBBS, …; posterior: NNP_INTERMEDIATE or NNP_CLASSICAL. NNP_E_SHAPE if network and
 * data do not match, NNP_E_UNSUPPORTED if the sampler cannot take the network. The chain needs a
 * start before it can run. Free it with nnp_chain_free. */
NNP_API int32_t nnp_chain_create(nnp_chain **chain, const nnp_net *net, const nnp_data *data,
                                 int32_t sampler, int32_t posterior, nnp_error *err);
/* Frees a chain that nnp_chain_create made. NULL is allowed. */
NNP_API void nnp_chain_free(nnp_chain *chain);
/* Starts a chain: sets parameters and sites as `start` (NNP_START_ZERO, …) says, steps to 0, and
 * the random streams by (seed, number). Chains of one seed take numbers 0, 1, 2, … and never share
 * a stream. A start may be repeated.
 * NNP_E_NOT_FINITE: sites overflow, because weights or inputs are large; the chain then has no
 * start, even if it had one before. Every other failure leaves the start it had. */
NNP_API int32_t nnp_chain_start(nnp_chain *chain, int32_t start, uint64_t seed, uint64_t number,
                                nnp_error *err);
/* Runs a started chain for `steps` steps; callback may be NULL, `user` is passed to it. Results do
 * not depend on how steps are divided into calls. NNP_STOPPED: by the callback; completed steps are
 * kept. After NNP_E_NUMERIC (a matrix that cannot be factored, weights or sites that overflow) the
 * chain is left in the middle of a step and needs a new start. */
NNP_API int32_t nnp_chain_run(nnp_chain *chain, int64_t steps, nnp_callback callback, void *user,
                              nnp_error *err);
/* Samples a started chain: makes count * thin steps and writes the parameters after every thin-th
 * step to draws[parameter, draw], with room for nnp_net_parameters * count numbers. Steps of
 * annealing that are left come first and are not counted; NNP_E_VALUE while a warm-up is not over.
 * NNP_STOPPED: by the callback. The draws completed by then are in place: (steps made) / thin of
 * them, as nnp_chain_draws tells. After NNP_E_NUMERIC the chain needs a new start. */
NNP_API int32_t nnp_chain_sample(nnp_chain *chain, double *draws, int64_t count, int64_t thin,
                                 nnp_callback callback, void *user, nnp_error *err);

/* ---- Predictions --------------------------------------------------------------------------- */

/* Makes predictions from draws. It has its own copy of the network and room to work in. */
typedef struct nnp_predictor nnp_predictor;

/* What to predict, and how the result is laid out, first index fastest. `target` counts the columns
 * of targets (nnp_net_targets); for heads with labels it counts the scores, which have a mean, an
 * SD, quantiles and draws, too. */
enum {
  NNP_PREDICT_MEAN = 801,          /* [target, row]: expected value of a new target */
  NNP_PREDICT_SD = 802,            /* [target, row]: standard deviation of a new target */
  NNP_PREDICT_QUANTILES = 803,     /* [level, target, row]: of a new target, R's type 7 */
  NNP_PREDICT_PROBABILITIES = 804, /* [class, row]; sign head: P(+1), one per row */
  NNP_PREDICT_VOTES = 805,         /* [class, row]: share of draws where the class wins */
  NNP_PREDICT_DRAWS = 806          /* [target, row, draw]: one new target for each draw */
};

/* How good predictions are. */
enum {
  NNP_SCORE_MSE = 901,      /* of the mean prediction, over rows and targets; not for labels */
  NNP_SCORE_ACCURACY = 902, /* of the most probable class; NNP_ARGMAX, NNP_SIGN_HEAD */
  NNP_SCORE_LOG = 903       /* mean over rows of the log predictive density of the target */
};

/* Makes a predictor of this network for up to max_draws draws in a call. (Only quantiles and
 * weights need room for them.) Free it with nnp_predictor_free. */
NNP_API int32_t nnp_predictor_create(nnp_predictor **predictor, const nnp_net *net,
                                     int64_t max_draws, nnp_error *err);
/* Frees a predictor that nnp_predictor_create made. NULL is allowed. */
NNP_API void nnp_predictor_free(nnp_predictor *predictor);
/* Sets which posterior the draws come from; NNP_INTERMEDIATE unless set. With NNP_CLASSICAL the
 * layers below the last have no noise, and classes have the probabilities of softmax; SD, quantiles
 * and draws of their scores have no noise either. */
NNP_API int32_t nnp_predictor_posterior(nnp_predictor *predictor, int32_t posterior,
                                        nnp_error *err);
/* Sets the levels of NNP_PREDICT_QUANTILES: 1 to 64 numbers from 0 to 1, such as 0.05 and 0.95 for
 * 90 % intervals of new targets. They are copied. */
NNP_API int32_t nnp_predictor_levels(nnp_predictor *predictor, const double *levels, int64_t count,
                                     nnp_error *err);
/* Predicts all rows of data and writes the result to out, laid out as `kind` (NNP_PREDICT_MEAN, …)
 * says. It uses `draws` draws of the parameters, params[parameter, draw]. NNP_E_NOT_FINITE: a
 * finite draw gives an output, mean or square that is not; the sentence names the draw and the row,
 * and `out` is not complete. */
NNP_API int32_t nnp_predict(nnp_predictor *predictor, const nnp_data *data, const double *params,
                            int64_t draws, int32_t kind, double *out, nnp_error *err);
/* Writes one score (NNP_SCORE_MSE, …) of predictions from `draws` draws, params[parameter, draw],
 * on rows with targets or labels. NNP_E_NOT_FINITE: a finite draw gives a score that is not. */
NNP_API int32_t nnp_score(nnp_predictor *predictor, const nnp_data *data, const double *params,
                          int64_t draws, int32_t score, double *value, nnp_error *err);

/* ---- Recommended settings ------------------------------------------------------------------ */

/* What we recommend for tables of data. All defaults of all languages are here. nnp_table (below)
 * does the following in one call, and so do R, Python, Julia and Fortran; write it out yourself
 * only to change a step (nnp_chains_… and nnp_predictor_… are described in the advanced part):
 *
 *     nnp_standard(x, n, p, NNP_ROW_MAJOR, x_mean, x_sd, &err);         and the same for y
 *     nnp_standardize(x, n, p, NNP_ROW_MAJOR, x_mean, x_sd, z, &err);   for nnp_data_set_inputs
 *     nnp_recommend_transform_bytes(labels, n, p, &bytes, &err);        of classes: if it is not 0
 *     nnp_recommend_transform(z, labels, n, p, NNP_ROW_MAJOR, matrix, bytes, &err);
 *     nnp_transform(z, n, p, NNP_ROW_MAJOR, matrix, z, &err);
 *     nnp_recommend_head(n, 0, 0, &head, &err);
 *     nnp_model_defaults(&model, p, 1, head, n, &err);
 *     nnp_net_create_model(&net, &model, &err);
 *     nnp_recommend(net, n, model.posterior, &recipe, &err);
 *     for (c = 0; c < recipe.chains; ++c) {
 *       nnp_chain_create(&chains[c], net, data, recipe.sampler, recipe.posterior, &err);
 *       nnp_chain_use_recipe(chains[c], &recipe, &err);
 *     }
 *     nnp_chains_start(chains, recipe.chains, recipe.start, seed, NULL, NULL, &err);
 *     nnp_chains_run(chains, recipe.chains, recipe.warmup, NULL, NULL, &err);
 *     nnp_chains_sample(chains, recipe.chains, draws, recipe.draws, recipe.thin, NULL, NULL, &err);
 *     nnp_predictor_posterior(predictor, recipe.posterior, &err);
 *     nnp_predictor_units(predictor, y_mean, y_sd, &err);               results in units of y
 */

/* A network of dense layers, each but the last followed by an activation. */
typedef struct nnp_model {
  int64_t inputs;
  int64_t targets;    /* columns of targets; NNP_ARGMAX: classes; NNP_SIGN_HEAD: 1 */
  int32_t head;       /* NNP_GAUSSIAN, NNP_LOCATION_SCALE, NNP_ARGMAX, … */
  int32_t activation; /* NNP_RELU, NNP_TANH, … */
  int32_t posterior;  /* the one it is meant for: NNP_INTERMEDIATE or NNP_CLASSICAL */
  int32_t ard;        /* 0; 1: the weights of the first layer have a precision for each input */
  int64_t hidden[16]; /* units of hidden layers, from the input on */
  int64_t hidden_count;
  int64_t reserved[4]; /* 0: anything else is refused, later versions may use it */
} nnp_model;

/* How to sample. */
typedef struct nnp_recipe {
  int32_t sampler, posterior, start;   /* NNP_NUTS, NNP_CLASSICAL, NNP_START_FIT, … */
  int32_t reserved_int;                /* 0, and the last field: anything else is refused */
  int64_t chains, warmup, draws, thin; /* warmup, draws: steps and draws of each chain */
  int64_t option_count;
  int32_t options[8]; /* options of a chain that are not at their defaults … */
  double values[8];   /* … and their values; warm-up is not among them */
  double reserved[4];
} nnp_recipe;

/* Fills in the recommended model for this number of inputs, targets (NNP_ARGMAX: classes;
 * NNP_SIGN_HEAD: 1) and training rows (0: unknown). */
NNP_API int32_t nnp_model_defaults(nnp_model *model, int64_t inputs, int64_t targets, int32_t head,
                                   int64_t rows, nnp_error *err);
/* Writes the recommended head for targets that are numbers, with this many training rows:
 * NNP_GAUSSIAN up to 3000 of them and for 0 (unknown), NNP_LOCATION_SCALE beyond, where rows are
 * enough to learn how noise depends on the inputs. If inputs repeat in many rows, NNP_GAUSSIAN is
 * safer. activation and posterior: those of nnp_model_choose, or 0; with NNP_INTERMEDIATE, and with
 * NNP_SIGN, which needs it, the head is NNP_GAUSSIAN. */
NNP_API int32_t nnp_recommend_head(int64_t rows, int32_t activation, int32_t posterior,
                                   int32_t *head, nnp_error *err);
/* Puts your own activation and posterior into a model. 0 for the activation keeps the model's,
 * unless the posterior changes and brings its own. 0 for the posterior keeps the model's, unless
 * the activation does not go with it. Activations without exact draws (NNP_TANH, …) go with
 * NNP_CLASSICAL, whose default is NNP_TANH; those without slopes (NNP_SIGN) with NNP_INTERMEDIATE,
 * whose default is NNP_RELU. */
NNP_API int32_t nnp_model_choose(nnp_model *model, int32_t activation, int32_t posterior,
                                 nnp_error *err);
/* Makes the network of a model, with room for 256 layers. Its scales are learned: precisions of
 * weights and biases layer by layer (for NNP_CLASSICAL with narrower hyperpriors than the default,
 * of shape 3; for classes with means that allow large logits, and precisions of biases fixed), and
 * the noise of the targets, if they have one; for NNP_INTERMEDIATE all layers share it (for
 * regression, with all multiples 1). It may be changed like any other network. Free it with
 * nnp_net_free. */
NNP_API int32_t nnp_net_create_model(nnp_net **net, const nnp_model *model, nnp_error *err);
/* Fills in the recommended recipe for a network and this number of training rows. posterior:
 * NNP_INTERMEDIATE, NNP_CLASSICAL, or 0 for the one that suits the network: intermediate if it
 * learns noise of hidden layers, else classical where gradients exist. */
NNP_API int32_t nnp_recommend(const nnp_net *net, int64_t rows, int32_t posterior,
                              nnp_recipe *recipe, nnp_error *err);
/* Sets the options of a chain as the recipe says, including NNP_OPTION_WARMUP if its sampler
 * adapts. NNP_E_VALUE if the chain was made with another sampler or posterior than the recipe
 * names. All options are checked before the first is set. */
NNP_API int32_t nnp_chain_use_recipe(nnp_chain *chain, const nnp_recipe *recipe, nnp_error *err);

/* Writes mean[column] and sd[column], the mean and standard deviation (denominator n) of every
 * column of an n x columns table. NNP_E_NOT_FINITE: an entry is NaN or infinite; the sentence names
 * column and row, and nothing is written. NNP_E_VALUE: a column is constant, the sentence names the
 * first; means and deviations are still written, with an sd of 0 for constant columns, so you can
 * continue. */
NNP_API int32_t nnp_standard(const double *x, int64_t n, int64_t columns, int32_t order,
                             double *mean, double *sd, nnp_error *err);
/* Writes out = (x - mean) / sd for every entry of an n x columns table, in the same order; 0 in
 * columns whose sd is 0. out may be x itself. */
NNP_API int32_t nnp_standardize(const double *x, int64_t n, int64_t columns, int32_t order,
                                const double *mean, const double *sd, double *out, nnp_error *err);
/* Writes out = mean + sd * x for every entry of an n x columns table, in the same order: undoes
 * nnp_standardize. out may be x itself. */
NNP_API int32_t nnp_unstandardize(const double *x, int64_t n, int64_t columns, int32_t order,
                                  const double *mean, const double *sd, double *out,
                                  nnp_error *err);
/* Writes the size of the block that nnp_recommend_transform needs, for n labels (0, 1, 2 and so on,
 * or -1 and +1) and this number of columns; 0 if inputs are best left alone: beyond 500 rows, and
 * with fewer than columns + classes + 2. */
NNP_API int32_t nnp_recommend_transform_bytes(const int32_t *labels, int64_t n, int64_t columns,
                                              size_t *bytes, nnp_error *err);
/* Recommends a linear change of the inputs of classes, from z, n x columns standardized inputs, and
 * their labels: directions in which the classes differ become longer, so that equal priors of all
 * weights expect most differences there. The block has nnp_recommend_transform_bytes bytes at
 * least. Its first columns x columns values become the matrix, column by column: entry
 * i + j * columns is what column i of z adds to column j; the others are work memory. Not for
 * networks with NNP_ARD, whose precisions are for the original columns. NNP_E_UNSUPPORTED if inputs
 * are best left alone. */
NNP_API int32_t nnp_recommend_transform(const double *z, const int32_t *labels, int64_t n,
                                        int64_t columns, int32_t order, double *matrix,
                                        size_t bytes, nnp_error *err);
/* Writes out = z matrix for an n x columns table, in the same order, with a matrix of
 * nnp_recommend_transform: entries above its diagonal (i < j) are not read. out may be z itself. */
NNP_API int32_t nnp_transform(const double *z, int64_t n, int64_t columns, int32_t order,
                              const double *matrix, double *out, nnp_error *err);

/* ---- A table of data in one call ----------------------------------------------------------- */

/* The model of a table of data: settings and, once it was fitted, draws. A fit standardizes columns
 * (of classes, it then changes them as nnp_recommend_transform says), builds the recommended
 * network, runs the recommended chains and judges them; predictions are in the units of your
 * columns. With the same seed and settings Python, Julia and Fortran make the same draws.
 *
 *     nnp_table_create(&table, &err);
 *     nnp_table_set(table, NNP_TABLE_SEED, 7, &err);                    optional, like all settings
 *     nnp_table_fit_labels(table, x, species, n, columns, NNP_ROW_MAJOR, &err);
 *     nnp_table_classify(table, x_new, rows, columns, NNP_ROW_MAJOR, labels, &err);
 *
 * Memory: the table allocates and frees for you. A fit takes all its memory before its chains
 * start, most of it for draws and log likelihoods: (parameters + n) * draws * chains * 8 bytes. At
 * its end it gives back all but the draws. Calls that predict take room for the rows, for one
 * predictor and for each of their threads, and give it back. NNP_E_OUT_OF_MEMORY leaves the table
 * as it was. */
typedef struct nnp_table nnp_table;

/* The value of a setting that is not set: the fit uses what nnp_recommend_head, nnp_model_defaults
 * and nnp_recommend say. */
enum { NNP_RECOMMENDED = -1 };

/* Settings of a table. */
enum {
  NNP_TABLE_SEED = 1801, /* of all random numbers: a whole number from 0 to 2^53; 1 unless set */
  NNP_TABLE_HEAD = 1802, /* of nnp_table_fit: NNP_RECOMMENDED (default, see nnp_recommend_head),
                            NNP_GAUSSIAN, NNP_STUDENT_T for outliers, or NNP_LOCATION_SCALE for
                            noise that depends on the inputs */
  /* The next two: NNP_RECOMMENDED (default), or a constant of their family. If only one of
   * activation, posterior and sampler is set, the others are chosen to suit it. */
  NNP_TABLE_ACTIVATION = 1803,
  NNP_TABLE_POSTERIOR = 1804,
  NNP_TABLE_ARD = 1805,     /* 0 (default); 1: a prior precision for each column of inputs */
  NNP_TABLE_SAMPLER = 1806, /* this and the next five: NNP_RECOMMENDED (default), or yours */
  NNP_TABLE_START = 1807,
  NNP_TABLE_CHAINS = 1808,
  NNP_TABLE_WARMUP = 1809, /* steps of each chain before its first draw */
  NNP_TABLE_DRAWS = 1810,  /* of each chain */
  NNP_TABLE_THIN = 1811,   /* steps per draw */
  /* Threads of a call: 0 (default), one per processor; or 1 to 256. A fit uses no more than it has
   * chains, predictions no more than one per 128 rows, and neither more than 256. Results do not
   * depend on it. */
  NNP_TABLE_THREADS = 1812,
  /* 1 (default): chains that disagree count by how well they predict (nnp_stack_chains); 0: all
   * chains count alike */
  NNP_TABLE_STACKING = 1813,
  NNP_TABLE_CONSTANT =
      1814 /* 0 (default): a fit refuses inputs with a constant column; 1: it ignores that column */
};

/* Makes a table with all settings at their defaults. Free it with nnp_table_free. */
NNP_API int32_t nnp_table_create(nnp_table **table, nnp_error *err);
/* Frees a table and its fit. NULL is allowed. */
NNP_API void nnp_table_free(nnp_table *table);
/* Sets a setting (NNP_TABLE_SEED, …) for the next fit. NNP_E_VALUE: the value is outside the bounds
 * that nnp_table_setting_info tells, or not a constant of the right family. */
NNP_API int32_t nnp_table_set(nnp_table *table, int32_t setting, double value, nnp_error *err);
/* Reads a setting into *value; NNP_RECOMMENDED where the fit decides. nnp_table_recipe tells what
 * the last fit decided. */
NNP_API int32_t nnp_table_get(const nnp_table *table, int32_t setting, double *value,
                              nnp_error *err);
/* Sets the hidden layers for the next fit: `count` of them, 0 to 16, with widths[k] units each,
 * from the input on. widths NULL, which requires count 0: as recommended for the number of rows. */
NNP_API int32_t nnp_table_hidden(nnp_table *table, const int64_t *widths, int64_t count,
                                 nnp_error *err);
/* Sets a callback for fits; NULL: none. It is called for the start, the warm-up and the sampling of
 * the chains, as nnp_chains_start, nnp_chains_run and nnp_chains_sample do. If it stops the fit, as
 * many draws as possible are kept, equally many of each chain; chains that have fewer are left out.
 * nnp_throttled works here too. */
NNP_API int32_t nnp_table_watch(nnp_table *table, nnp_callback callback, void *user,
                                nnp_error *err);
/* Fits a regression: x is n x columns, y is n x targets, both in the given order (NNP_ROW_MAJOR,
 * …), in any units, all finite; n is 2 or more. Nothing of yours is changed or needed afterwards.
 * NNP_E_VALUE: a column is constant (NNP_TABLE_CONSTANT allows that for columns of x).
 * NNP_E_NOT_FINITE: an entry is NaN or infinite. Sentences count columns and rows from 0.
 * NNP_STOPPED: the callback stopped the fit; the table keeps the draws made by then
 * (nnp_table_inside tells how many). A stop at the very last step is ignored. Every other failure,
 * and a stop before the first draw, leave the table as it was, with the fit that it had. */
NNP_API int32_t nnp_table_fit(nnp_table *table, const double *x, const double *y, int64_t n,
                              int64_t columns, int64_t targets, int32_t order, nnp_error *err);
/* Fits a classification: as nnp_table_fit, with n labels in place of targets. Two classes are 0 and
 * 1, or -1 and +1; k classes are 0 … k-1, where k-1 is the largest label; a class may have no rows.
 * NNP_E_LABEL: a label is negative, the least is above 0, or all are the same. */
NNP_API int32_t nnp_table_fit_labels(nnp_table *table, const double *x, const int32_t *labels,
                                     int64_t n, int64_t columns, int32_t order, nnp_error *err);
/* Predicts at `rows` new rows of x, with the `columns` of the fit and in the given order, in the
 * units of the targets. out has for each row, one row after the other, as many values as `kind`
 * says: a mean (NNP_PREDICT_MEAN) or standard deviation per target, quantiles at 0.05, 0.5 and 0.95
 * per target, the probabilities or votes of all classes, also of two, or a new target for each of
 * the draws (nnp_table_inside has their number). NNP_E_SHAPE: the fit had another
 * number of columns. NNP_E_NOT_STARTED before the first fit. */
NNP_API int32_t nnp_table_predict(const nnp_table *table, const double *x, int64_t rows,
                                  int64_t columns, int32_t order, int32_t kind, double *out,
                                  nnp_error *err);
/* Writes to ends the central intervals that hold new targets with probability `level`, such as 0.9:
 * the lower and the upper end of every target, one row after the other, 2 x targets x rows values.
 * x as in nnp_table_predict. NNP_E_UNSUPPORTED after nnp_table_fit_labels. */
NNP_API int32_t nnp_table_interval(const nnp_table *table, const double *x, int64_t rows,
                                   int64_t columns, int32_t order, double level, double *ends,
                                   nnp_error *err);
/* Writes the most probable class of each row of x (`rows` of them), numbered as the labels of the
 * fit were. NNP_E_UNSUPPORTED after nnp_table_fit. */
NNP_API int32_t nnp_table_classify(const nnp_table *table, const double *x, int64_t rows,
                                   int64_t columns, int32_t order, int32_t *labels, nnp_error *err);
/* Writes one line to buffer: have the chains converged, and if not, what helps? 512 bytes are
 * always enough. nnpost_diagnostics.h has the numbers: nnp_table_convergence and nnp_table_loo. */
NNP_API int32_t nnp_table_text(const nnp_table *table, char *buffer, size_t size, nnp_error *err);

/* ==== Advanced ============================================================================== */

/* Everything else about networks, data, chains and predictions; read the sections in any order.
 * Stability: code that uses this part compiles and runs with every release of the same
 * NNP_ABI_VERSION. A function that will be removed is announced in CHANGELOG.md, with its
 * replacement, at least one release before. */

/* ---- Images and other networks ------------------------------------------------------------- */

/* Makes a network for images, with room for 256 layers: inputs are channels x height x width
 * features, the channel slowest. Free it with nnp_net_free. */
NNP_API int32_t nnp_net_create_image(nnp_net **net, int64_t channels, int64_t height, int64_t width,
                                     nnp_error *err);
/* Gives the last site (before any layer: the input) the shape of an image. The number of features
 * must match: NNP_E_SHAPE otherwise. */
NNP_API int32_t nnp_net_image(nnp_net *net, int64_t channels, int64_t height, int64_t width,
                              nnp_error *err);
/* Adds a convolution: `filters` filters of height x width pixels and all channels, moved by the
 * strides, one bias per filter. Its weights are [filter, channel, row, column], the last one
 * fastest; its output is an image of `filters` channels. Without padding, unless NNP_PADDING_Y and
 * NNP_PADDING_X are set right after it. NNP_E_SHAPE: a filter is larger than the image. */
NNP_API int32_t nnp_net_conv2d(nnp_net *net, int64_t filters, int64_t height, int64_t width,
                               int64_t stride_y, int64_t stride_x, nnp_error *err);
/* Adds a layer of means over adjacent windows of height x width pixels, channel by channel. Windows
 * do not overlap; pixels at the end that do not fill one are left out.
 * After a conv2d or another avgpool the site between the two layers is integrated out exactly: the
 * pair is sampled as one layer with noise D_pool + D_below / (height * width). The posterior of
 * weights and other sites is the same, there are fewer latents, and chains mix faster. Layers and
 * sites keep their numbers, but that site has no values. NNP_COLLAPSE = 0 keeps it. */
NNP_API int32_t nnp_net_avgpool(nnp_net *net, int64_t height, int64_t width, nnp_error *err);
/* Adds a layer of maxima over adjacent windows of height x width pixels, channel by channel.
 * Windows do not overlap. For gradient samplers only: given their maximum the pixels of a window
 * have no simple conditional, so NNP_GIBBS refuses the network. */
NNP_API int32_t nnp_net_maxpool(nnp_net *net, int64_t height, int64_t width, nnp_error *err);
/* Makes an independent copy of a network, with room for 256 layers (or as many as it has). Free it
 * with nnp_net_free. */
NNP_API int32_t nnp_net_copy(nnp_net **copy, const nnp_net *net, nnp_error *err);
/* Describes a head: its name; whether its data are labels (1) or targets (0); the number of network
 * outputs per column of the targets. Each pointer may be NULL. */
NNP_API int32_t nnp_head_info(int32_t head, const char **name, int32_t *labels,
                              int64_t *outputs_per_target, nnp_error *err);

/* ---- Learned scales ------------------------------------------------------------------------ */

/* A noise D or a prior precision lambda need not be known: it can be learned from the data. Its
 * precision (1/D, or lambda itself) then has a gamma hyperprior with a given shape and mean, that
 * is with rate shape / mean. Small shapes are broad: the precision has the standard deviation mean
 * / sqrt(shape). Learned scales, D and lambda themselves, are parameters after all weights and
 * biases: they are part of draws, with names such as "D3" (the noise of layer 3), "lambda_w1" or
 * "lambda_b2" (of the weights W1, of the biases b2) and "lambda_w1[4]" (NNP_ARD), of starts, of
 * saves and of summaries. Predictions use each draw's own scales. NNP_GIBBS draws them from their
 * conditionals at the end of a step; the gradient samplers keep them fixed during a trajectory, and
 * draw them in the same way between steps. Noises stay fixed while a chain anneals. */

/* Makes a scale of one layer (1 … m), or of all layers that have it (NNP_ALL_LAYERS), learned, with
 * a gamma hyperprior of this shape and mean for its precision; shape = mean = 0 selects the
 * default, which suits standardized inputs and targets. Call it after the network has its head.
 * property: NNP_NOISE; NNP_LAMBDA_W; NNP_LAMBDA_B; or NNP_ARD (automatic relevance determination),
 * one precision per input of a dense layer instead of its lambda_w: weights of uninformative inputs
 * shrink together.
 * NNP_CLASSICAL has noise in the last layer only, and none at all for NNP_ARGMAX and NNP_SIGN_HEAD:
 * its chains refuse networks that learn other noises. nnp_net_set fixes the scale at a value. */
NNP_API int32_t nnp_net_learn(nnp_net *net, int64_t layer, int32_t property, double shape,
                              double mean, nnp_error *err);
/* Makes the noise of all layers learned and tied, the form to try first: there is one D ("D"), and
 * layer k has the noise D * multiples[k-1], with m positive multiples. multiples NULL: 1 for the
 * last layer and 0.01 for all others, which helps chains to move and hardly affects predictions.
 * shape and mean are those of the hyperprior of 1/D; both 0: the default. (Data determine
 * separately learned hidden noises poorly.) Call it after the network has its head. */
NNP_API int32_t nnp_net_learn_tied(nnp_net *net, const double *multiples, double shape, double mean,
                                   nnp_error *err);
/* Fixes a learned scale (NNP_NOISE, NNP_LAMBDA_W, NNP_LAMBDA_B, NNP_ARD) of a layer, or of all
 * layers (NNP_ALL_LAYERS), at the mean of its hyperprior. Tied noise is fixed for all layers at
 * once. */
NNP_API int32_t nnp_net_fix(nnp_net *net, int64_t layer, int32_t property, nnp_error *err);
/* Writes the hyperprior of a layer's scale, and the position of its values in the parameter vector:
 * `count` of them from `first`. count is 0 (first -1) if the scale is fixed. Each pointer may be
 * NULL. */
NNP_API int32_t nnp_net_learned(const nnp_net *net, int64_t layer, int32_t property, double *shape,
                                double *mean, int64_t *first, int64_t *count, nnp_error *err);

/* ---- Inspecting a network ------------------------------------------------------------------ */

/* Writes the number of layers, m, activations included. */
NNP_API int32_t nnp_net_layers(const nnp_net *net, int64_t *layers, nnp_error *err);
/* Writes the number of features of the last site. */
NNP_API int32_t nnp_net_outputs(const nnp_net *net, int64_t *outputs, nnp_error *err);
/* Writes the number of columns of targets and predictions: the number of outputs, except for
 * NNP_LOCATION_SCALE, where it is half of that. */
NNP_API int32_t nnp_net_targets(const nnp_net *net, int64_t *targets, nnp_error *err);
/* Writes the number of latent variables per row that are sampled. NNP_E_NO_HEAD before there is a
 * head. */
NNP_API int32_t nnp_net_latents(const nnp_net *net, int64_t *latents, nnp_error *err);
/* Writes where the parameters of a layer (1 … m) are in a draw: `weights` weights from `first`,
 * then `biases` biases. */
NNP_API int32_t nnp_net_layer(const nnp_net *net, int64_t layer, int64_t *first, int64_t *weights,
                              int64_t *biases, nnp_error *err);
/* Finds the layer that holds the weights or biases of this name: "W2" or "b2", as in the names of
 * parameters. Layers without parameters have numbers too: in dense, relu, dense W2 is layer 3. */
NNP_API int32_t nnp_net_find_layer(const nnp_net *net, const char *name, int64_t *layer,
                                   nnp_error *err);
/* Writes channels, height and width of site k (0 … m) to shape; height and width are 1 unless it is
 * an image. */
NNP_API int32_t nnp_net_shape(const nnp_net *net, int64_t site, int64_t shape[3], nnp_error *err);
/* Writes the name of a parameter (from 0) to buffer: "W1[3,17]" (layer, unit, input), "W1[2,1,4,3]"
 * (layer, filter, channel, row, column) or "b1[3]", counted from 1 as in R and Julia; layers
 * without parameters are not counted. Learned scales are "D3" (layer), "D" (all layers),
 * "lambda_w1", "lambda_w1[4]" (input) or "lambda_b1". 128 bytes are always enough. */
NNP_API int32_t nnp_net_parameter_name(const nnp_net *net, int64_t parameter, char *buffer,
                                       size_t size, nnp_error *err);
/* Writes a table of layers to buffer: names of weights, shapes, parameters, latents and bytes of
 * state for n rows. 128 bytes per layer and 512 more are always enough. */
NNP_API int32_t nnp_net_print(const nnp_net *net, int64_t n, char *buffer, size_t size,
                              nnp_error *err);
/* Writes the temperature of the classical posterior (see NNP_CLASSICAL): 2D for NNP_ARGMAX and
 * NNP_SIGN_HEAD, for which it is 1 unless the noise of the last layer was set; 1 for other heads,
 * whose likelihood is a density for any D. NNP_E_NO_HEAD before there is a head. */
NNP_API int32_t nnp_net_temperature(const nnp_net *net, double *temperature, nnp_error *err);

/* ---- Packed inputs, and reading data back -------------------------------------------------- */

/* How inputs are stored. Everything else is always in double precision. With a dense first layer,
 * sparse inputs make steps on large data several times faster; bytes and singles save memory, but
 * can take up to half as long again. With a convolution, bytes are the fastest, and sparse inputs
 * and singles are several times slower than doubles. */
enum {
  NNP_STORE_AUTO =
      1000, /* for a dense first layer: sparse if that pays, otherwise the smallest store that is
               lossless up to the last bits of rounding */
  NNP_STORE_DOUBLES = 1001, /* as nnp_data_create does */
  NNP_STORE_SINGLES = 1002, /* rounded to single precision */
  NNP_STORE_BYTES = 1003, /* every feature is shift + scale * (0 … 255), like pixels, standardized
                             or not */
  NNP_STORE_SPARSE = 1004, /* only entries that differ from the most frequent value, which need not
                              be 0: standardized images stay sparse. Best with a dense first layer
                              and if at most about 70 % of the groups of four neighbouring features
                              of a row have such entries */
  NNP_STORE_AUTO_IMAGES =
      1005 /* for a first layer that is a convolution: bytes if that is lossless and all pixels have
              one scale, otherwise doubles */
};

/* A table of inputs, and how to store it. */
typedef struct nnp_inputs {
  const double *x; /* n x features, all finite; copied */
  int64_t n, features;
  int32_t order;       /* NNP_ROW_MAJOR or NNP_COLUMN_MAJOR */
  int32_t store;       /* NNP_STORE_… */
  int64_t reserved[4]; /* 0: anything else is refused, later versions may use it */
} nnp_inputs;

/* Makes data with these inputs, which cannot be changed afterwards, and with memory for `outputs`
 * targets per row and for labels. Free it with nnp_data_free, after all chains on it. */
NNP_API int32_t nnp_data_create_from(nnp_data **data, const nnp_inputs *inputs, int64_t outputs,
                                     nnp_error *err);
/* Writes how the inputs are stored: NNP_STORE_DOUBLES, NNP_STORE_SINGLES, NNP_STORE_BYTES or
 * NNP_STORE_SPARSE. */
NNP_API int32_t nnp_data_store(const nnp_data *data, int32_t *store, nnp_error *err);
/* Reads the targets back into y, n x outputs in the given order, whether set by you or by a
 * teacher. NNP_E_NO_DATA if there are none. */
NNP_API int32_t nnp_data_targets(const nnp_data *data, double *y, int32_t order, nnp_error *err);
/* Reads the n labels back, whether set by you or by a teacher. NNP_E_NO_DATA if there are none. */
NNP_API int32_t nnp_data_labels(const nnp_data *data, int32_t *labels, nnp_error *err);

/* ---- Options of a chain -------------------------------------------------------------------- */

/* Options of a chain; those a sampler does not have are refused with NNP_E_OPTION. */
enum {
  NNP_OPTION_SCHEDULE = 1101, /* order of a Gibbs step, NNP_SEQUENTIAL (default) and others below */
  NNP_OPTION_SIMD = 1102,     /* 0 the best (default), 1 portable, 2 AVX2, 3 AVX-512, 4 NEON */
  /* Gibbs: exact moves against its random walk, on by default (see NNP_OPTION_MOVES).
   * Over-relaxation: every Gaussian conditional moves to mean + a (old - mean) + noise. 0 gives
   * fresh draws, -0.98 suppresses the random walk; any a inside (-1, 1) is exact. */
  NNP_OPTION_RELAX = 1103,
  NNP_OPTION_PLAIN_EVERY =
      1104, /* every Nth step uses fresh draws so units can switch linear piece */
  /* Moves of a whole hidden unit per step, on average: its incoming weights move along an ellipse,
   * with sites and weights above it integrated out. Revives units that have died. */
  NNP_OPTION_UNIT_MOVES = 1105,
  NNP_OPTION_EXPANSION =
      1106, /* 1: redraws the scale of probit scores, last weights integrated out */
  /* Moves of a hidden unit's scale per step, on average: incoming weights times c, outgoing ones
   * divided by c. For relu, leaky relu, abs and identity. */
  NNP_OPTION_SCALE_MOVES = 1107,
  /* Gradient samplers: */
  NNP_OPTION_STEP_SIZE = 1108, /* > 0 (0.01); of a leapfrog, or of NNP_MALA as above */
  NNP_OPTION_LEAPFROGS = 1109, /* of a step of NNP_HMC (10) */
  NNP_OPTION_JITTER = 1110,    /* 0 (default) to 1: steps times 1 + jitter * uniform(-1, 1) */
  NNP_OPTION_TARGET = 1111,    /* target acceptance, inside (0, 1); 0.8, MALA 0.574 */
  NNP_OPTION_MAX_DEPTH =
      1112,                 /* NNP_NUTS makes up to 2^depth - 1 leapfrogs per step: 1 to 12 (10) */
  NNP_OPTION_WARMUP = 1113, /* steps of warm-up, from the start or the end of annealing on (0) */
  NNP_OPTION_ADAPT_STEP = 1114, /* 1 (default): the warm-up finds the step size, 0: it stays */
  NNP_OPTION_ADAPT_MASS = 1115, /* 1 (default): the warm-up finds the scale of each variable */
  /* Gibbs: NNP_MOVES_PLAIN or NNP_MOVES_AUTOMATIC. Sets all options of moves at once (relaxation,
   * plain steps, expansion, all those that end in _MOVES and _DRAWS); each may be set by hand
   * afterwards. */
  NNP_OPTION_MOVES = 1116,
  /* Gibbs: draws of a hidden unit's incoming weights per step, on average, with its noise held and
   * the sites above it integrated out: they move as far as the labels allow, whereas a draw given
   * its sites moves only as far as their noise allows. Units between dense layers, up to 256
   * weights each. */
  NNP_OPTION_UNIT_DRAWS = 1117,
  /* Gibbs: moves of all units of a hidden layer at once per step, on average, by Hamiltonian Monte
   * Carlo with their noises held and the sites above them integrated out; step and masses follow
   * from the inputs and from the weights above. Layers below a dense one, up to 256 weights per
   * unit, activations with slopes. Neither these moves nor the draws of units are made in the last
   * hidden layer below NNP_STUDENT_T, which has a separate noise for each row. */
  NNP_OPTION_LAYER_MOVES = 1118,
  /* Which kernels do dense work: NNP_BLAS_AUTOMATIC (default) and others below. */
  NNP_OPTION_BLAS = 1119,
  /* Gibbs: moves of every learned noise per step, on average, in which hidden sites follow the
   * noise and the last one is integrated out. Draws given the sites alone mix slowly. */
  NNP_OPTION_NOISE_MOVES = 1120,
  /* Moves of the learned precisions of every layer per step, on average: each together with its
   * weights, and those of a layer against those of the next (Gibbs: of hidden layers, the latter
   * for relu, leaky relu, abs and identity). With NNP_ARD, three inputs at a time. 1 for Gibbs,
   * NNP_HMC and NNP_NUTS, 0.02 for NNP_MALA. If nothing is learned, Gibbs refuses the option, and
   * gradient samplers ignore it. */
  NNP_OPTION_PRECISION_MOVES = 1121,
  /* NNP_HMC, NNP_MALA and NNP_NUTS: 1 follows gradients in single precision, 0 (default) in double.
   * Energies, and so acceptance, stay in double precision: the posterior that is sampled is the
   * same. Pays for NNP_HMC with many leapfrogs, up to twice as fast; NNP_MALA and NNP_NUTS, which
   * need an energy per leapfrog, gain little. For the classical posterior of networks of dense
   * layers and activations; others refuse it (NNP_E_UNSUPPORTED). */
  NNP_OPTION_SINGLE_GRADIENTS = 1122
};

/* Values of NNP_OPTION_BLAS. The library may be linked with OpenBLAS and LAPACKE (nnp_build_info
 * says so). They run on the thread that calls them: products are divided into pieces too small for
 * OpenBLAS to use threads, so its process-wide thread count is not changed and has no effect, on
 * draws or otherwise. The library allocates nothing in a run; OpenBLAS maps a work buffer the first
 * time it is called by that many threads at once, and keeps it. */
enum {
  NNP_BLAS_AUTOMATIC = 1200, /* with NNP_OPTION_SIMD = 0: the faster one for each shape, if OpenBLAS
                                recognized the processor; BLAS for everything if SIMD has nothing
                                better than portable. With a SIMD level set by its number: as
                                NNP_BLAS_NONE, so that draws are the same on any machine */
  NNP_BLAS_NONE = 1201,      /* our kernels only */
  NNP_BLAS_ALL = 1202,       /* BLAS for all dense work it can do */
  NNP_BLAS_WHOLE = 1203      /* the faster one for each shape, in whole calls, which are at least as
                                fast: you must keep OpenBLAS at one thread (OPENBLAS_NUM_THREADS=1,
                                openblas_set_num_threads(1)), otherwise NNP_E_UNSUPPORTED here and
                                in runs */
};

/* Values of NNP_OPTION_MOVES, a switch. */
enum {
  NNP_MOVES_PLAIN = 0,    /* all off: the paper's sampler */
  NNP_MOVES_AUTOMATIC = 1 /* default: all that apply to the network, at rates derived from a count
                             of multiplications. Nothing adapts: the chain is exact from its first
                             step, and depends on its seed alone */
};

/* Values of NNP_OPTION_SCHEDULE. */
enum {
  NNP_SEQUENTIAL = 1301, /* W1, then X, W, Z of each hidden layer: the paper's Algorithm 1 */
  NNP_PARALLEL = 1302,   /* all X, all W, all Z: its Algorithm 2; layers run side by side */
  NNP_BACKWARD = 1303 /* from the labels down: each site, then the weights below it. Information of
                         the labels reaches the first layer within a step: the best order for starts
                         from zero */
};

/* Warm-up: during the first NNP_OPTION_WARMUP steps the step size is adapted by dual averaging,
 * starting near the option's value, and the variances of all variables (the diagonal of the inverse
 * mass matrix) are estimated from windows of growing length; then both are frozen. A run shorter
 * than the rest of the warm-up is refused (a callback may stop it), and so are draws before its
 * end. Without warm-up, step size and masses keep the values that were set; by default all masses
 * are 1.
 * Options may change later: a warm-up (or NNP_OPTION_ADAPT_STEP = 1) requested later starts then,
 * around a step that is tried first; one that is cut short (or NNP_OPTION_ADAPT_STEP = 0) freezes
 * the average of the steps tried so far.
 * Constants, windows and the multinomial NUTS are Stan's, with these departures. A fifth of a long
 * warm-up (not just 50 steps) comes after the last window; all but its first 50 steps polish the
 * averaged step with a gain that falls as 1/t, since the average over the swings of dual averaging
 * misses the target acceptance. Variances are shrunk towards a thousandth of their own mean, not
 * towards 1e-3, which depends on units. In the U-turn criterion, which is also checked across the
 * halves of every tree as in Stan, the two ends of a path count half. */

/* Sets an option of a chain. NNP_E_OPTION: its sampler or network does not have it; NNP_E_VALUE:
 * the value is outside its bounds, see nnp_option_info. */
NNP_API int32_t nnp_chain_set(nnp_chain *chain, int32_t option, double value, nnp_error *err);
/* Reads an option of a chain into *value. */
NNP_API int32_t nnp_chain_get(const nnp_chain *chain, int32_t option, double *value,
                              nnp_error *err);
/* Writes name, bounds and default of an option; each pointer may be NULL. The bounds of step size
 * and target themselves are excluded. */
NNP_API int32_t nnp_option_info(int32_t option, const char **name, double *low, double *high,
                                double *initial, nnp_error *err);

/* ---- Threads ------------------------------------------------------------------------------- */

/* A pool of threads, for the rows of one chain or for several chains at once. Draws do not depend
 * on their number.
 * The calling thread does all the work if the pool's threads cannot help: while they are busy (for
 * a test function or callback that uses the pool of its own run, or for a second thread of yours),
 * and in a child forked from the process that made the pool. Such a child may use and free it.
 * Threads of a pool block all signals except faults, so your handlers run on your threads. */
typedef struct nnp_pool nnp_pool;

/* Makes a pool of 1 … 256 threads, the calling thread included. NNP_E_THREAD: the system provided
 * fewer. Free it with nnp_pool_free, after everything that uses it. */
NNP_API int32_t nnp_pool_create(nnp_pool **pool, int64_t threads, nnp_error *err);
/* Ends the threads of a pool that nnp_pool_create made, and frees it. NULL is allowed. */
NNP_API void nnp_pool_free(nnp_pool *pool);
/* Lets the pool's threads work on a chain from now on; NULL: the calling thread alone. The pool
 * must outlive its use. Calls for several chains use only the pool of the first one. */
NNP_API int32_t nnp_chain_use_pool(nnp_chain *chain, nnp_pool *pool, nnp_error *err);

/* ---- Several chains ------------------------------------------------------------------------ */

/* Calls for several chains run them side by side on the pool of the first one; pools of the others
 * are ignored. Each chain may occur only once. Draws are the same as if the chains were run one by
 * one. */

/* Starts chain_count chains in the same way (NNP_START_ZERO, …), with (seed, 0), (seed, 1), …. The
 * descents of NNP_START_FIT run side by side on the pool of the first chain, and the callback
 * reports their progress. Arguments are checked before any chain is changed; if a start overflows
 * (NNP_E_NOT_FINITE), its chain has no start. */
NNP_API int32_t nnp_chains_start(nnp_chain *const *chains, int64_t chain_count, int32_t start,
                                 uint64_t seed, nnp_callback callback, void *user, nnp_error *err);
/* Runs each of chain_count started chains for `steps` steps, side by side on the pool of the first
 * one. If a chain fails the others continue, and the first failure is returned; that chain needs a
 * new start. NNP_STOPPED: by the callback; steps made so far count, see nnp_chain_steps. */
NNP_API int32_t nnp_chains_run(nnp_chain *const *chains, int64_t chain_count, int64_t steps,
                               nnp_callback callback, void *user, nnp_error *err);
/* Samples chain_count started chains, side by side on the pool of the first one: makes count * thin
 * steps of each and writes their parameters after every thin-th step to draws[parameter, draw,
 * chain]. If a chain fails the others continue, and the first failure is returned; that chain needs
 * a new start. NNP_STOPPED: by the callback; chains may then have different numbers of draws, see
 * nnp_chain_draws. */
NNP_API int32_t nnp_chains_sample(nnp_chain *const *chains, int64_t chain_count, double *draws,
                                  int64_t count, int64_t thin, nnp_callback callback, void *user,
                                  nnp_error *err);
/* Writes how many draws of this chain the last nnp_chain_sample or nnp_chains_sample has written:
 * `count`, or fewer if it was stopped or failed; 0 before the first. A call that was refused before
 * its first step does not count. (For keepers, see nnp_keeper_stored.) */
NNP_API int32_t nnp_chain_draws(const nnp_chain *chain, int64_t *draws, nnp_error *err);

/* ---- Progress ------------------------------------------------------------------------------ */

/* For callbacks that cost as much as a step, for example in another language: with nnp_throttled as
 * the callback and a throttle as its user, yours is called after the first step and whenever
 * `seconds` have passed since the last call. It may be used for one run after another, but not for
 * two at once. */
typedef struct nnp_throttle {
  nnp_callback callback;
  void *user;
  double seconds;
  double next; /* used by the library: reset to 0 by every run */
} nnp_throttle;

/* A callback that calls yours less often: pass it as the callback, and an nnp_throttle as its user.
 * Returns what your callback returned, or 0 if it was not called. A run whose throttle is NULL or
 * has no callback is refused with NNP_E_NULL; if you call it directly without one, it returns 0. */
NNP_API int32_t nnp_throttled(const nnp_progress *progress, void *throttle);

/* Phases of a fit, in their order. */
enum { NNP_PHASE_START = 1401, NNP_PHASE_WARMUP = 1402, NNP_PHASE_SAMPLING = 1403 };

/* One progress bar for a whole fit: its start (descents), warm-up and sampling. Fill in `steps`,
 * the maximum number of steps of each phase over all chains (0: none), and set everything else to
 * 0. */
typedef struct nnp_outlook {
  int64_t steps[3];    /* of the phases, in their order */
  double share;        /* of the time of the whole fit; never decreases */
  double seconds_left; /* at the measured speed; NaN before anything is measured */
  double spent[3];     /* this and the next two: used by the library */
  double began;
  int64_t phase;
  double reserved[4];
} nnp_outlook;

/* Updates share and seconds_left of an outlook. Call it from your callback with the phase of the
 * fit (NNP_PHASE_START, …), the number of steps made in this phase over all chains, and the seconds
 * since the start of the fit. Phases come in order. */
NNP_API int32_t nnp_outlook_tell(nnp_outlook *outlook, int32_t phase, int64_t done, double seconds,
                                 nnp_error *err);

/* ---- Other starts -------------------------------------------------------------------------- */

/* Starts a chain from given parameters, all finite, scales positive; sites follow through the
 * layers with noise (noisy = 1) or without (0). Random streams are set by (seed, number).
 * NNP_E_NOT_FINITE for sites that overflow leaves the chain without a start; every other failure
 * leaves the start it had. */
NNP_API int32_t nnp_chain_start_weights(nnp_chain *chain, const double *parameters, int32_t noisy,
                                        uint64_t seed, uint64_t number, nnp_error *err);
/* Starts a chain from given parameters and all latent sites that are sampled, one after the
 * other, each [feature, row]: n times nnp_net_latents numbers. sites may be NULL for
 * NNP_CLASSICAL, which has none. Random streams are set by (seed, number). NNP_E_INFEASIBLE:
 * scores contradict a label. */
NNP_API int32_t nnp_chain_start_state(nnp_chain *chain, const double *parameters,
                                      const double *sites, uint64_t seed, uint64_t number,
                                      nnp_error *err);

/* Why a descent ended. */
enum {
  NNP_DESCENT_NONE = 1500,      /* there was none */
  NNP_DESCENT_STEPS = 1501,     /* it made as many steps as it was allowed */
  NNP_DESCENT_CONVERGED = 1502, /* its last steps gained almost nothing */
  NNP_DESCENT_FLAT = 1503,      /* no direction leads up: a mode, to double precision */
  NNP_DESCENT_STOPPED = 1504    /* by the callback */
};

/* The result of a descent. */
typedef struct nnp_descent {
  double before, after; /* log density of the weights that it maximised */
  double slope;         /* largest absolute derivative at the end */
  int64_t steps;        /* made */
  int64_t evaluations;  /* of the gradient */
  int32_t ended;        /* NNP_DESCENT_… */
  int32_t reserved_int;
  double reserved[4];
} nnp_descent;

/* Moves a started chain to weights that fit the data, by L-BFGS with all rows in every gradient;
 * then the sampler takes over: the chain is at step 0, with its random streams as the start left
 * them. The function maximised is the log density of the weights without noise in hidden layers:
 * for NNP_CLASSICAL the log posterior;
 * for NNP_INTERMEDIATE log p(y | f) + log prior with the noise of the last layer; for latent
 * scores (NNP_ARGMAX, NNP_SIGN_HEAD), with the logistic function closest to their probit. Sites
 * are then computed from the weights, without noise; within a few steps samplers replace them by
 * draws. Learned scales are updated every 100 steps. The noise of the last layer (with those
 * tied to it) is set to the maximum of its conditional, counting one degree of freedom per
 * parameter, up to a quarter of all values: otherwise it would collapse for a network that
 * interpolates. Precisions are fixed at a twentieth of their hyperpriors' means during the
 * descent, and set to the maximum of their conditionals at the end: if weights and precisions
 * were optimized together, layers would shrink to nothing. Noises of hidden layers that are
 * learned separately keep their initial values. It works with every sampler, including
 * NNP_GIBBS. It stops after `steps` steps (0: 3000), when the last 10 steps together raised the
 * log density by less than 2e-4 nats per parameter (draws of the posterior lie about half a nat
 * per parameter below its mode), or when no direction leads up any more. The callback is called
 * after every step; a descent that it stops (NNP_STOPPED) keeps the weights reached so far. The
 * result does not depend on threads. NNP_E_UNSUPPORTED: a layer has no slope (NNP_SIGN), or the
 * chain anneals; NNP_E_NOT_FINITE: the start has no finite log density. */
NNP_API int32_t nnp_chain_descend(nnp_chain *chain, int64_t steps, nnp_callback callback,
                                  void *user, nnp_error *err);
/* Makes the descent of nnp_chain_descend for several chains, side by side on the pool of the first
 * one. No chain is changed unless all of them can descend. */
NNP_API int32_t nnp_chains_descend(nnp_chain *const *chains, int64_t chain_count, int64_t steps,
                                   nnp_callback callback, void *user, nnp_error *err);
/* Writes the result of the chain's last descent. */
NNP_API int32_t nnp_chain_descent(const nnp_chain *chain, nnp_descent *out, nnp_error *err);

/* Anneals a chain that was just started: over the first `steps` steps, the noise of all layers with
 * less noise falls from `from` to its own value. From then on the chain is an ordinary, exact one;
 * until then its states are not draws from the posterior, and nnp_chain_sample skips them. The step
 * of a gradient sampler scales with the root of the noise; unless NNP_OPTION_ADAPT_STEP is 0 it is
 * also adjusted towards NNP_OPTION_TARGET throughout. When the noise reaches the model's, the step
 * is that of the options again, and the warm-up starts. */
NNP_API int32_t nnp_chain_anneal(nnp_chain *chain, double from, int64_t steps, nnp_error *err);
/* Writes how many steps of annealing are left; 0 for a chain that samples its posterior. */
NNP_API int32_t nnp_chain_annealing(const nnp_chain *chain, int64_t *steps, nnp_error *err);

/* ---- The state of a chain ------------------------------------------------------------------ */

/* Writes how many steps the chain has made since its start. */
NNP_API int32_t nnp_chain_steps(const nnp_chain *chain, int64_t *steps, nnp_error *err);
/* Copies the current parameters of a started chain, nnp_net_parameters numbers. */
NNP_API int32_t nnp_chain_parameters(const nnp_chain *chain, double *parameters, nnp_error *err);
/* Copies site k (1 … m) as [feature, row]; the last one, if it is observed, as the targets [target,
 * row]. NNP_E_UNSUPPORTED if it is integrated out, and for NNP_CLASSICAL. */
NNP_API int32_t nnp_chain_site(const nnp_chain *chain, int64_t site, double *values,
                               nnp_error *err);
/* Writes the log density of the posterior up to the evidence. Intermediate: all noise and prior
 * terms, normalized. Classical: -(1/(2D)) loss (normalized too if D is learned) and the prior
 * terms, normalized. Learned scales contribute the hyperprior densities of D and lambda.
 * NNP_E_NUMERIC if it is NaN. */
NNP_API int32_t nnp_chain_log_density(nnp_chain *chain, double *value, nnp_error *err);
/* Writes the outputs of the forward pass (without noise) for all rows of data, [output, row], from
 * the current parameters; for NNP_LOCATION_SCALE the means only, nnp_net_targets per row.
 * NNP_E_NOT_FINITE if they overflow. */
NNP_API int32_t nnp_chain_predict(nnp_chain *chain, const nnp_data *data, double *outputs,
                                  nnp_error *err);
/* Writes a score (NNP_SCORE_MSE, …) of the current parameters on rows with targets or labels, in a
 * forward pass without hidden noise (NNP_FORWARD). It is cheap, and is what studies record. For
 * scores of the sampled model, see nnp_score. */
NNP_API int32_t nnp_chain_score(nnp_chain *chain, const nnp_data *data, int32_t score,
                                double *value, nnp_error *err);
/* Writes how many variables a gradient sampler moves: parameters and, for NNP_INTERMEDIATE, latents
 * of all rows. */
NNP_API int32_t nnp_chain_variables(const nnp_chain *chain, int64_t *variables, nnp_error *err);
/* Sets the scales of a gradient sampler's variables: the diagonal of the inverse mass matrix, that
 * is their variances up to a common factor, parameters first, then latent sites as
 * nnp_chain_start_state takes them. They are used from the next start on, and adaptation starts
 * from them; NULL means ones. NNP_E_UNSUPPORTED for NNP_GIBBS. */
NNP_API int32_t nnp_chain_set_scales(nnp_chain *chain, const double *variances, nnp_error *err);
/* Copies the current scales of a gradient sampler's variables, nnp_chain_variables numbers: the
 * diagonal of the inverse mass matrix. NNP_E_UNSUPPORTED for NNP_GIBBS. */
NNP_API int32_t nnp_chain_scales(const nnp_chain *chain, double *variances, nnp_error *err);

/* ---- Predictions in full ------------------------------------------------------------------- */

/* Which noise predictions and scores include. */
enum {
  NNP_FORWARD =
      1600,         /* none: the outputs f of the forward pass. SD and quantiles are those of f over
                      draws, not of targets: intervals are too short to cover them. Probabilities
                      and log scores have the noise of the last layer, not that of hidden ones */
  NNP_FITTED = 1601 /* default: the model that was fitted. Quantiles are those of new targets */
};

/* Sets which noise predictions include: NNP_FITTED (default) or NNP_FORWARD. Noise is drawn with
 * `seed` (default 1): the same call gives the same result.
 * Noise of hidden layers is integrated by Monte Carlo: several passes of each draw, each with fresh
 * noise. The noise of the last layer is integrated exactly in means, probabilities, log scores and
 * log likelihoods, and drawn in SD, quantiles, votes and draws. With one output below NNP_GAUSSIAN
 * or NNP_SIGN_HEAD, noise of the site below a last dense layer is integrated exactly too. Rows
 * share the random numbers of a pass: the prediction for a row does not depend on the other rows of
 * the call, and is smooth in the inputs. NNP_PREDICT_DRAWS are joint draws, with separate noise for
 * every row. */
NNP_API int32_t nnp_predictor_noise(nnp_predictor *predictor, int32_t noise, uint64_t seed,
                                    nnp_error *err);
/* Sets how many passes each draw makes if noise is drawn: 1 … 2^20; quantiles make fewer if only
 * max_draws (or 1024 / outputs) values fit. 0 (default): as many as make 2000 in all, at least 1
 * and at most 16 per draw; 64 of every draw for nnp_log_lik. With many draws the error is about a
 * fiftieth of a predictive standard deviation; with few it is at most a quarter of what the noise
 * adds to the error of the draws. A log likelihood has the variance v / passes, where v is the
 * relative variance of a pass's likelihood, and is too low by half of that. */
NNP_API int32_t nnp_predictor_passes(nnp_predictor *predictor, int64_t passes, nnp_error *err);
/* Sets NNP_OPTION_SIMD or NNP_OPTION_BLAS of the predictions, as nnp_chain_set does for a chain.
 * NNP_E_OPTION for all other options. */
NNP_API int32_t nnp_predictor_set(nnp_predictor *predictor, int32_t option, double value,
                                  nnp_error *err);
/* Sets weights of draws, such as those that nnp_stack_chains gives chains: from now on means, sd,
 * quantiles, probabilities, votes and scores weight draw s by weights[s], and every call needs that
 * number of draws. Weights are not negative and need not sum to 1; at most max_draws of them,
 * copied. Draws of weight 0 cost nothing. Equal weights, or NULL, have no effect.
 * NNP_PREDICT_DRAWS, nnp_log_lik and nnp_functions treat draws separately and ignore weights. */
NNP_API int32_t nnp_predictor_weights(nnp_predictor *predictor, const double *weights,
                                      int64_t draws, nnp_error *err);
/* Sets the units of results, for targets that were standardized: target j is mean[j] + sd[j]
 * times that of the data, for each of nnp_net_targets. Means, sd, quantiles, draws, squared
 * errors, log scores and log likelihoods are given in these units; data, including targets, stay
 * in theirs, and so do nnp_functions. Both NULL: the units of the data. NNP_E_UNSUPPORTED for
 * heads with labels. */
NNP_API int32_t nnp_predictor_units(nnp_predictor *predictor, const double *mean, const double *sd,
                                    nnp_error *err);
/* Writes the size of the block that nnp_predictor_use_pool needs for this pool. */
NNP_API int32_t nnp_predictor_pool_bytes(const nnp_predictor *predictor, nnp_pool *pool,
                                         size_t *bytes, nnp_error *err);
/* Lets a predictor use the threads of a pool from now on: for rows of nnp_predict, nnp_score and
 * nnp_log_lik, and draws of nnp_functions. Results have the same bits for any number of threads.
 * Each thread except yours needs its own memory, in a block that you own, 64-byte aligned and of at
 * least nnp_predictor_pool_bytes; the block and the pool must live until they are replaced. pool
 * NULL: your thread alone, and memory is ignored. */
NNP_API int32_t nnp_predictor_use_pool(nnp_predictor *predictor, nnp_pool *pool, void *memory,
                                       size_t bytes, nnp_error *err);
/* Sets a callback that nnp_predict, nnp_score, nnp_log_lik and nnp_functions call from now on, on
 * the thread that made the call: once for every draw that your thread has finished for some 128
 * rows, while it waits for others, and when they are done. `step` of `steps` parts of the work are
 * done; there is no chain. If it returns anything but 0 before all is done, the call returns
 * NNP_STOPPED soon after, and its result is incomplete. nnp_throttled can be used here as well. The
 * callback cannot use the predictor itself (NNP_E_UNSUPPORTED). NULL: none. */
NNP_API int32_t nnp_predictor_watch(nnp_predictor *predictor, nnp_callback callback, void *user,
                                    nnp_error *err);

/* ---- Inside a table of data ---------------------------------------------------------------- */

/* Access to everything inside an nnp_table. Pass a table's predictor and data to nnp_score,
 * nnp_log_lik and everything else:
 *
 *     nnp_table_inside(table, &inside, &err);
 *     nnp_table_predictor(table, &predictor, &err);
 *     nnp_table_data(table, x_test, y_test, NULL, rows, NNP_ROW_MAJOR, &data, &err);
 *     nnp_score(predictor, data, inside.draws, inside.draw_count * inside.chains, NNP_SCORE_LOG,
 *               &score, &err);
 */

/* What a fit has made. Pointers are into the table: they are valid until its next fit or restore,
 * and until it is freed. */
typedef struct nnp_inside {
  const nnp_net *net;        /* for columns standardized, and changed by input_matrix */
  const double *draws;       /* [parameter, draw, chain] */
  const double *weights;     /* [chain]: what each chain counts in predictions; their sum is 1 */
  const double *input_mean;  /* [column]; this and the next: how inputs were standardized */
  const double *input_sd;    /* 0 for constant columns */
  const double *target_mean; /* [target]; this and the next are NULL for labels */
  const double *target_sd;
  int64_t parameters;
  int64_t draw_count; /* of each chain */
  int64_t chains;     /* fewer than asked for if the fit was stopped before all had begun */
  int64_t rows;       /* that were fitted */
  int64_t columns;
  int64_t targets;            /* columns of y; 0 for labels */
  int64_t classes;            /* 0 for targets */
  int32_t stopped;            /* 1: the callback stopped the fit, which has fewer draws or chains */
  int32_t stacked;            /* 1: the weights are those of nnp_stack_chains, or yours */
  const double *input_matrix; /* for nnp_transform, after nnp_standardize; NULL: none */
  int64_t reserved[3];
} nnp_inside;

/* Describes the fit of a table: the network, its draws and their numbers. NNP_E_NOT_STARTED before
 * the first fit. */
NNP_API int32_t nnp_table_inside(const nnp_table *table, nnp_inside *out, nnp_error *err);
/* Tells how the fit of a table was sampled: what was recommended, and your settings in its
 * place. */
NNP_API int32_t nnp_table_recipe(const nnp_table *table, nnp_recipe *recipe, nnp_error *err);
/* Tells name, bounds and default of a setting (NNP_TABLE_SEED, …); each pointer may be NULL. A
 * default of NNP_RECOMMENDED lies below the lower bound. */
NNP_API int32_t nnp_table_setting_info(int32_t setting, const char **name, double *low,
                                       double *high, double *initial, nnp_error *err);
/* Sets an option (NNP_OPTION_MAX_DEPTH, …) of the chains of the next fits, up to 8 of them. A
 * fit whose sampler does not have the option fails with NNP_E_OPTION. The warm-up is
 * NNP_TABLE_WARMUP. */
NNP_API int32_t nnp_table_option(nnp_table *table, int32_t option, double value, nnp_error *err);
/* Gives weights to the chains of a fit, in place of those that it found: one per chain, not
 * negative; they need not sum to 1. NULL: equal weights. */
NNP_API int32_t nnp_table_weigh(nnp_table *table, const double *weights, nnp_error *err);
/* Makes a predictor for the draws of the fit, with posterior, units and weights set. It does not
 * depend on the table afterwards. Free it with nnp_predictor_free. */
NNP_API int32_t nnp_table_predictor(const nnp_table *table, nnp_predictor **predictor,
                                    nnp_error *err);
/* Makes data of `rows` rows for the network of the fit: inputs, and targets y or labels if they are
 * not NULL, all as nnp_table_fit and nnp_table_fit_labels take them, and standardized as those
 * were. Free it with nnp_data_free. */
NNP_API int32_t nnp_table_data(const nnp_table *table, const double *x, const double *y,
                               const int32_t *labels, int64_t rows, int32_t order, nnp_data **data,
                               nnp_error *err);
/* Writes the size of the buffer that nnp_table_save needs. NNP_E_NOT_STARTED before the first
 * fit. */
NNP_API int32_t nnp_table_save_bytes(const nnp_table *table, size_t *bytes, nnp_error *err);
/* Saves the fit of a table into a buffer of at least nnp_table_save_bytes bytes: network, draws,
 * weights, columns, verdicts. Settings are not saved. */
NNP_API int32_t nnp_table_save(const nnp_table *table, void *buffer, size_t size, nnp_error *err);
/* Puts a saved fit into a table, in place of its own; its settings stay. It predicts bit for bit
 * what the saved one did. Every value of the block is checked first; a value that no save can
 * contain is refused with NNP_E_SAVE_CORRUPTED, and a refused block leaves the table as it was. */
NNP_API int32_t nnp_table_restore(nnp_table *table, const void *buffer, size_t size,
                                  nnp_error *err);

/* ---- Your own memory ----------------------------------------------------------------------- */

/* Each object can be built in a block of yours: X_bytes gives the size for the same arguments,
 * X_init builds the object there. The block is 64-byte aligned (NNP_E_MEMORY_ALIGNMENT) and at
 * least that long (NNP_E_MEMORY_SIZE); it must live as long as the object. Do not call X_free: drop
 * the block. */

/* Writes the size of the block for a network with room for max_layers layers: for nnp_net_init,
 * nnp_net_init_copy and nnp_net_init_model. */
NNP_API int32_t nnp_net_bytes(int64_t max_layers, size_t *bytes, nnp_error *err);
/* Builds a network for `inputs` features in your own block of nnp_net_bytes(max_layers), with room
 * for max_layers layers. */
NNP_API int32_t nnp_net_init(nnp_net **net, void *memory, size_t bytes, int64_t max_layers,
                             int64_t inputs, nnp_error *err);
/* Builds a copy of a network in your own block of nnp_net_bytes(max_layers). NNP_E_NET_FULL: the
 * network has more layers. */
NNP_API int32_t nnp_net_init_copy(nnp_net **copy, void *memory, size_t bytes, int64_t max_layers,
                                  const nnp_net *net, nnp_error *err);
/* Builds the network of a model, as nnp_net_create_model does, in your own block of
 * nnp_net_bytes(max_layers). */
NNP_API int32_t nnp_net_init_model(nnp_net **net, void *memory, size_t bytes, int64_t max_layers,
                                   const nnp_model *model, nnp_error *err);
/* Writes the size of the block that nnp_data_init needs for the same n, features and outputs. */
NNP_API int32_t nnp_data_bytes(int64_t n, int64_t features, int64_t outputs, size_t *bytes,
                               nnp_error *err);
/* Builds data for n rows of `features` inputs and `outputs` targets, and n labels, in your own
 * block of nnp_data_bytes. */
NNP_API int32_t nnp_data_init(nnp_data **data, void *memory, size_t bytes, int64_t n,
                              int64_t features, int64_t outputs, nnp_error *err);
/* Writes the size of the block that nnp_data_init_from needs for these inputs. It depends on their
 * values, which determine how they are packed. */
NNP_API int32_t nnp_data_bytes_from(const nnp_inputs *inputs, int64_t outputs, size_t *bytes,
                                    nnp_error *err);
/* Builds data with these inputs, as nnp_data_create_from does, in your own block of
 * nnp_data_bytes_from. */
NNP_API int32_t nnp_data_init_from(nnp_data **data, void *memory, size_t bytes,
                                   const nnp_inputs *inputs, int64_t outputs, nnp_error *err);
/* Writes the size of the block that nnp_pool_init needs for this number of threads. */
NNP_API int32_t nnp_pool_bytes(int64_t threads, size_t *bytes, nnp_error *err);
/* Builds a pool of 1 … 256 threads, the calling thread included, in your own block of
 * nnp_pool_bytes. (The system allocates the stacks of threads.) Close it before you release the
 * block. */
NNP_API int32_t nnp_pool_init(nnp_pool **pool, void *memory, size_t bytes, int64_t threads,
                              nnp_error *err);
/* Ends the threads of a pool made by nnp_pool_init; then its block may be released. NULL is
 * allowed. */
NNP_API void nnp_pool_close(nnp_pool *pool);
/* Writes the size of the block that nnp_chain_init needs for the same arguments. */
NNP_API int32_t nnp_chain_bytes(const nnp_net *net, const nnp_data *data, int32_t sampler,
                                int32_t posterior, size_t *bytes, nnp_error *err);
/* Builds a chain, as nnp_chain_create does, in your own block of nnp_chain_bytes. */
NNP_API int32_t nnp_chain_init(nnp_chain **chain, void *memory, size_t bytes, const nnp_net *net,
                               const nnp_data *data, int32_t sampler, int32_t posterior,
                               nnp_error *err);
/* Writes the size of the block that nnp_predictor_init needs for the same network and max_draws. */
NNP_API int32_t nnp_predictor_bytes(const nnp_net *net, int64_t max_draws, size_t *bytes,
                                    nnp_error *err);
/* Builds a predictor for up to max_draws draws in your own block of nnp_predictor_bytes. */
NNP_API int32_t nnp_predictor_init(nnp_predictor **predictor, void *memory, size_t bytes,
                                   const nnp_net *net, int64_t max_draws, nnp_error *err);

/* ---- Saving -------------------------------------------------------------------------------- */

/* A saved block has the whole state of a chain, options and random streams included, so that a
 * restored chain continues bit for bit. It can be restored into a chain of the same network,
 * sampler, posterior and data, on a machine with the SIMD level and, if NNP_OPTION_BLAS used one,
 * the BLAS with which it was saved (NNP_E_UNSUPPORTED otherwise): set NNP_OPTION_SIMD to 1 for any
 * machine. Pools and communicators are not saved. A callback can save the chain that it is called
 * for. To save several chains at one moment, run them in pieces and save all between two calls:
 * results do not depend on how steps are divided.
 *
 *     for (done = 0; done < 100000; done += 1000) {
 *       nnp_chains_run(chains, 4, 1000, NULL, NULL, &err);
 *       for (c = 0; c < 4; ++c) nnp_chain_save(chains[c], blocks[c], bytes, &err);
 *     }                                     nnp_chains_keep instead: draws of all pieces together
 *
 *     for (c = 0; c < 4; ++c) {             another day, chains that were only created
 *       nnp_chain_restore(chains[c], blocks[c], bytes, &err);
 *       nnp_chain_use_pool(chains[c], pool, &err);         that of the first one counts
 *     }
 */

/* Writes the size of the buffer that nnp_chain_save needs now. */
NNP_API int32_t nnp_chain_save_bytes(const nnp_chain *chain, size_t *bytes, nnp_error *err);
/* Saves a started chain into a buffer of at least nnp_chain_save_bytes bytes. A callback may save
 * the chain that it is called for. */
NNP_API int32_t nnp_chain_save(const nnp_chain *chain, void *buffer, size_t size, nnp_error *err);
/* Restores a chain to a saved state. It need not be started before; it keeps its pool and its
 * communicator. Every value of the block is checked before any is used: a value that no chain can
 * have saved is refused with NNP_E_SAVE_CORRUPTED, and a refused block leaves the chain
 * unchanged. */
NNP_API int32_t nnp_chain_restore(nnp_chain *chain, const void *buffer, size_t size,
                                  nnp_error *err);

/* ---- Draws of separate jobs ---------------------------------------------------------------- */

/* For jobs of an array, or workers that do not communicate: each runs a chain with its own number
 * from the same seed, and saves its draws; then all blocks are merged. A block records the network,
 * posterior, data and chain of its draws.
 *
 *     nnp_chain_start(chain, NNP_START_FIT, seed, job, &err);           in job number `job`
 *     nnp_chain_sample(chain, draws, 1000, 10, NULL, NULL, &err);
 *     nnp_draws_save(chain, draws, 1000, block, bytes, &err);           ... and to a file
 *
 *     nnp_draws_merge(saves, jobs, draws, 1000, NULL, &err);           [parameter, draw, chain]
 *     nnp_draws_init(...); nnp_convergence_of(...);                   as of one process's chains */

/* A saved block, in place. */
typedef struct nnp_saved {
  const void *buffer;
  size_t size;
} nnp_saved;

/* The chain that saved draws belong to. */
typedef struct nnp_saved_draws {
  int64_t parameters, draws;
  int64_t steps;          /* that the chain had made */
  uint64_t number;        /* of the chain */
  uint64_t network, data; /* fingerprints; data 0: of rows that are spread over ranks */
  int32_t sampler, posterior;
  int64_t reserved[4];
} nnp_saved_draws;

/* Writes the size of the buffer that nnp_draws_save needs for `count` draws of this chain. */
NNP_API int32_t nnp_draws_save_bytes(const nnp_chain *chain, int64_t count, size_t *bytes,
                                     nnp_error *err);
/* Saves `count` draws of this chain, as nnp_chain_sample gave them, into a buffer of at least
 * nnp_draws_save_bytes bytes. */
NNP_API int32_t nnp_draws_save(const nnp_chain *chain, const double *draws, int64_t count,
                               void *buffer, size_t size, nnp_error *err);
/* Checks a block that nnp_draws_save wrote, and describes the chain of its draws. */
NNP_API int32_t nnp_draws_saved(const void *buffer, size_t size, nnp_saved_draws *out,
                                nnp_error *err);
/* Writes the last `draws_each` draws of each of `count` saved blocks to draws[parameter, draw,
 * chain], in the order of the chains' numbers, whatever the order of the blocks; chains[count], if
 * not NULL, receives their descriptions. Refused if networks, posteriors or data differ, if a block
 * has fewer draws, or if two chains have the same draws because a number was used twice. */
NNP_API int32_t nnp_draws_merge(const nnp_saved *saves, int64_t count, double *draws,
                                int64_t draws_each, nnp_saved_draws *chains, nnp_error *err);

/* ---- Draws in place ------------------------------------------------------------------------ */

/* Draws of one or more quantities in an array of yours: draw i of quantity q in chain c is
 * values[q * quantity_stride + i * draw_stride + c * chain_stride]. All chains are equally long. */
typedef struct nnp_draws {
  const double *values;
  int64_t quantities;
  int64_t draws; /* of each chain */
  int64_t chains;
  int64_t quantity_stride, draw_stride, chain_stride;
  int64_t reserved[4]; /* 0: anything else is refused, later versions may use it */
} nnp_draws;

/* Fills in an nnp_draws for the library's own layout, as nnp_chains_sample writes it: [quantity,
 * draw, chain] with the quantity fastest. With one quantity it is values[draw + draws * chain].
 * NNP_E_OVERFLOW, here and in all functions that read draws: the strides exceed the address
 * space. */
NNP_API int32_t nnp_draws_init(nnp_draws *draws, const double *values, int64_t quantities,
                               int64_t count, int64_t chains, nnp_error *err);

/* ---- Keeping less than all draws ----------------------------------------------------------- */

/* Draws of a wide network are large: 784-512-10 has 407,050 parameters, so that 1000 draws of 4
 * chains take 13 GB. While chains run, a keeper extracts what will be needed from every draw and
 * discards the parameters: functions of the draw, one row per draw; means and variances of them, or
 * of all parameters, which take the same memory for any number of draws; or a file.
 *
 *     nnp_kept kept[2] = {{0}};
 *     kept[0].what = NNP_KEEP_PREDICTIONS;        new targets at the rows of `test`
 *     kept[0].predictor = predictor;
 *     kept[0].data = test;
 *     kept[1].what = NNP_KEEP_PARAMETERS;
 *     kept[1].moments = 1;
 *     nnp_keeper_create(&keeper, net, kept, 2, 4, &err);
 *     nnp_keeper_store(keeper, 0, y, 1000, &err);                  room for [target, row, 1000, 4]
 *     nnp_chains_keep(chains, 4, keeper, 1000, 10, NULL, NULL, &err);
 *     nnp_keeper_moments(keeper, 1, NNP_ALL_CHAINS, mean, variance, NULL, &err);
 */

/* Extracts quantities from draws while chains run. */
typedef struct nnp_keeper nnp_keeper;

/* What to keep, and the values per draw. Values for rows use the predictor's posterior, noise,
 * passes and units, and have the same bits as nnp_predict, nnp_log_lik and nnp_functions give for
 * kept parameters. */
enum {
  NNP_KEEP_PARAMETERS = 1701,    /* [parameter]: what nnp_chains_sample keeps */
  NNP_KEEP_SCALES = 1702,        /* [scale]: learned ones, the last of the parameters */
  NNP_KEEP_FUNCTIONS = 1703,     /* [function]: nnp_functions, for nnp_convergence_of */
  NNP_KEEP_MEAN = 1704,          /* [target, row]: NNP_PREDICT_MEAN of the draw by itself */
  NNP_KEEP_PROBABILITIES = 1705, /* [class, row]: NNP_PREDICT_PROBABILITIES of the draw by itself */
  /* [target, row]: NNP_PREDICT_DRAWS, for intervals of new targets. The noise continues from draw
   * to draw: for chain c it equals that of a predictor whose seed is larger by c, in one call for
   * all draws of the chain. */
  NNP_KEEP_PREDICTIONS = 1706,
  NNP_KEEP_LOG_LIK =
      1707 /* [row]: nnp_log_lik, for scores and nnp_loo; its noise continues likewise */
};

/* In place of a chain's number in nnp_keeper_moments: all chains together. */
enum { NNP_ALL_CHAINS = -1 };

/* One quantity to keep. */
typedef struct nnp_kept {
  int32_t what;    /* NNP_KEEP_… */
  int32_t moments; /* 1: means and variances over draws are kept, too */
  /* How to predict; all its settings are copied, except weights of draws, which are ignored. NULL
   * for parameters and scales. */
  const nnp_predictor *predictor;
  const nnp_data
      *data;           /* the rows, which must outlive the keeper; NULL for parameters and scales */
  int64_t rows;        /* of NNP_KEEP_FUNCTIONS: as in nnp_functions; else 0 */
  int64_t reserved[4]; /* 0: anything else is refused, later versions may use it */
} nnp_kept;

/* Writes a sentence of advice to buffer if this number of draws and chains takes more than 2 GB:
 * "draws of 407050 parameters, 1000 of each of 4 chains, take 13.0 GB: …"; an empty text otherwise.
 * One-call interfaces use it as a warning. 256 bytes are always enough. */
NNP_API int32_t nnp_draws_advice(const nnp_net *net, int64_t chains, int64_t draws, char *buffer,
                                 size_t size, nnp_error *err);
/* Makes a keeper of 1 to 16 quantities, kept[kept_count], for `chain_count` chains of this network.
 * Free it with nnp_keeper_free. */
NNP_API int32_t nnp_keeper_create(nnp_keeper **keeper, const nnp_net *net, const nnp_kept *kept,
                                  int64_t kept_count, int64_t chain_count, nnp_error *err);
/* Frees a keeper that nnp_keeper_create made. NULL is allowed. */
NNP_API void nnp_keeper_free(nnp_keeper *keeper);
/* Writes the size of the block that nnp_keeper_init needs for the same arguments. */
NNP_API int32_t nnp_keeper_bytes(const nnp_net *net, const nnp_kept *kept, int64_t kept_count,
                                 int64_t chain_count, size_t *bytes, nnp_error *err);
/* Builds a keeper in your own block of nnp_keeper_bytes. */
NNP_API int32_t nnp_keeper_init(nnp_keeper **keeper, void *memory, size_t bytes, const nnp_net *net,
                                const nnp_kept *kept, int64_t kept_count, int64_t chain_count,
                                nnp_error *err);
/* Writes how many values one draw of a quantity has; index counts from 0, in the order given. */
NNP_API int32_t nnp_keeper_width(const nnp_keeper *keeper, int64_t index, int64_t *width,
                                 nnp_error *err);
/* Sets where values of quantity `index` are stored from now on: values[value, draw, chain] with
 * room for `capacity` draws of each chain, starting with the first. NULL: nowhere, as before the
 * first call; moments need no memory. The array must live until it is replaced. */
NNP_API int32_t nnp_keeper_store(nnp_keeper *keeper, int64_t index, double *values,
                                 int64_t capacity, nnp_error *err);
/* Writes how many draws of a chain (from 0) are in place for quantity `index`. Chains may differ
 * after NNP_STOPPED. */
NNP_API int32_t nnp_keeper_stored(const nnp_keeper *keeper, int64_t index, int64_t chain,
                                  int64_t *draws, nnp_error *err);
/* Samples chain_count started chains, side by side on the pool of the first one: makes count * thin
 * steps of each and extracts the keeper's quantities after every thin-th step. Another call
 * continues, with the same values as a single longer call. If a chain fails the others continue,
 * and the first failure is returned. NNP_STOPPED: by the callback; see nnp_keeper_stored for what
 * each chain has. NNP_E_BUFFER_SIZE: there is room for fewer than `count` draws. NNP_E_NOT_FINITE:
 * a draw has a prediction or likelihood that is not finite; its chain ends there. Over ranks, every
 * rank has all values in the end; files cannot be used for chains shared between ranks. */
NNP_API int32_t nnp_chains_keep(nnp_chain *const *chains, int64_t chain_count, nnp_keeper *keeper,
                                int64_t count, int64_t thin, nnp_callback callback, void *user,
                                nnp_error *err);
/* Writes mean and variance (denominator draws - 1; NaN for a single draw) of every value of a
 * quantity over all draws so far, of one chain or of all (NNP_ALL_CHAINS), merged in the order of
 * chains: the same bits for any number of threads. rhat, for NNP_ALL_CHAINS: R-hat of whole chains,
 * not split; NaN if nothing moves, for one chain, and if chains have different numbers of draws.
 * variance and rhat may be NULL. */
NNP_API int32_t nnp_keeper_moments(const nnp_keeper *keeper, int64_t index, int64_t chain,
                                   double *mean, double *variance, double *rhat, nnp_error *err);

/* ---- Files of draws ------------------------------------------------------------------------ */

/* Draws that do not fit into memory can be kept in a memory-mapped file: the system writes them out
 * and reads them back as needed. The file records their network, data and chains. However the
 * process ends, draws made so far can be read: each is counted once it is complete. (If the machine
 * itself crashes, the last ones may be damaged; this is detected.)
 *
 *     nnp_draws_file_create(&file, "draws.nnp", keeper, 1, 1000, &err);
 *     nnp_keeper_file(keeper, 1, file, &err);                       in place of nnp_keeper_store
 *     nnp_chains_keep(chains, 4, keeper, 1000, 10, NULL, NULL, &err);
 *     nnp_draws_file_free(file);
 *
 *     nnp_draws_file_open(&file, "draws.nnp", net, &err);           another day
 *     nnp_draws_file_view(file, &draws, &err);
 *     nnp_predict(predictor, data, draws.values, draws.draws, NNP_PREDICT_MEAN, mean, &err);
 *                                                                   by the draws of chain 0
 */

/* An open file of draws. */
typedef struct nnp_draws_file nnp_draws_file;

/* Creates a file with room for `capacity` draws of quantity `index` of every chain of the keeper.
 * All disk space is allocated now: NNP_E_FILE if there is not enough. An existing file is refused,
 * and not changed. path: UTF-8 on Windows, elsewhere in the system's encoding. Close it with
 * nnp_draws_file_free. */
NNP_API int32_t nnp_draws_file_create(nnp_draws_file **file, const char *path,
                                      const nnp_keeper *keeper, int64_t index, int64_t capacity,
                                      nnp_error *err);
/* Writes values of quantity `index` to the file from now on, after those it already has. The file
 * must have been made for this quantity, and must not be freed before the keeper's last run is
 * over. */
NNP_API int32_t nnp_keeper_file(nnp_keeper *keeper, int64_t index, nnp_draws_file *file,
                                nnp_error *err);
/* Opens a file of draws for reading. Its header, counts and all values are checked first, like
 * those of saved blocks: NNP_E_SAVE_TRUNCATED, NNP_E_SAVE_CORRUPTED, NNP_E_SAVE_VERSION;
 * NNP_E_SAVE_NETWORK if its network is not `net` (NULL: any network). Close it with
 * nnp_draws_file_free. */
NNP_API int32_t nnp_draws_file_open(nnp_draws_file **file, const char *path, const nnp_net *net,
                                    nnp_error *err);
/* Unmaps and closes a file, which stays on disk; one made by nnp_draws_file_create that has no
 * draws is removed. NULL is allowed. */
NNP_API void nnp_draws_file_free(nnp_draws_file *file);
/* Writes what is kept in the file (NNP_KEEP_…), its capacity in draws per chain, and its number of
 * chains. Each pointer may be NULL. */
NNP_API int32_t nnp_draws_file_info(const nnp_draws_file *file, int32_t *what, int64_t *capacity,
                                    int64_t *chains, nnp_error *err);
/* Describes a chain's draws in the file: `parameters` is the number of values per draw. All zero
 * before its first draw. */
NNP_API int32_t nnp_draws_file_chain(const nnp_draws_file *file, int64_t chain,
                                     nnp_saved_draws *out, nnp_error *err);
/* Describes the draws that all chains have, in place. There are gaps between chains unless the file
 * is full: chain c starts at values + c * chain_stride. Valid until the file is freed. NNP_E_SIZE:
 * none yet. */
NNP_API int32_t nnp_draws_file_view(const nnp_draws_file *file, nnp_draws *out, nnp_error *err);
/* Writes the size of the buffer that nnp_draws_file_save needs for this chain. */
NNP_API int32_t nnp_draws_file_save_bytes(const nnp_draws_file *file, int64_t chain, size_t *bytes,
                                          nnp_error *err);
/* Writes a chain's draws as the block that nnp_draws_save would have made, for nnp_draws_merge,
 * into a buffer of at least nnp_draws_file_save_bytes bytes. For files of NNP_KEEP_PARAMETERS
 * only. */
NNP_API int32_t nnp_draws_file_save(const nnp_draws_file *file, int64_t chain, void *buffer,
                                    size_t size, nnp_error *err);

/* ---- Many machines ------------------------------------------------------------------------- */

/* Ranks are processes, on one machine or on many, that run the same program: all of them make the
 * same network, data and chains and call the same functions with the same arguments. With a
 * communicator (nnp_chain_use_comm) nnp_chains_run, nnp_chains_sample, nnp_chains_descend, studies,
 * multistarts, twins and exchanges distribute their chains: each is run by one rank. When the call
 * returns, every rank has all chains, draws and results, with the same bits as a single process
 * with any number of threads. So any rank can save, predict and report, and a job that ended can be
 * continued from its saves with another number of ranks.
 *
 *     nnp_mpi_world(&comm, &err);                        nnpost_mpi.h, in a library of its own
 *     nnp_chain_use_comm(chains[0], &comm, &err);        that of the first chain counts
 *     nnp_chains_sample(chains, 64, draws, 1000, 10, NULL, NULL, &err);
 *
 * Before work starts ranks compare version, network, data, options, seeds and arguments: if they
 * differ, or if one of them refuses the call, all of them return the same failure, with the message
 * of the first rank that has one. Callbacks are called on every rank, for the chains it runs, and
 * for the others when all are done; a stop on one ends the run on all within a second. An
 * exchange's callback must not read levels of other ranks.
 * Every rank needs memory for all chains. What is sent: at the end of a call everything that
 * nnp_chain_save would write for its chains, once; during an exchange a few numbers per level after
 * every sweep, and variables when neighbours on two ranks swap. */

/* You supply four functions, which return 0 on success; any other number is a failure and appears
 * in the message. This one gathers `bytes` from every rank on every rank, in the order of ranks. */
typedef int32_t (*nnp_comm_allgather)(const void *mine, void *all, int64_t bytes, void *user);
/* Sends `bytes` from rank `root` to all. */
typedef int32_t (*nnp_comm_broadcast)(void *buffer, int64_t bytes, int32_t root, void *user);
/* Two ranks, each with the other as its peer, send `bytes` and receive as many. */
typedef int32_t (*nnp_comm_exchange)(const void *out, void *in, int64_t bytes, int32_t peer,
                                     void *user);
/* Called when this rank gives up, with the reason: ranks that wait, now or later, must not wait for
 * ever. */
typedef int32_t (*nnp_comm_abort)(const char *sentence, void *user);

/* A communicator. Everything except `abort`, `user` and `checked` is required; if size is 1 no
 * function is called. Functions are called on the thread that called the library, one at a time. */
typedef struct nnp_comm {
  int32_t rank; /* of this process: 0 … size-1 */
  int32_t size; /* 1 … 4096 */
  nnp_comm_allgather allgather;
  nnp_comm_broadcast broadcast;
  nnp_comm_exchange exchange;
  nnp_comm_abort abort; /* may be NULL; if a function then fails on one rank only, others may wait
                           for that rank for ever */
  void *user;
  /* 1: checked. Each rank also does the work of all others, one chain after the other, and compares
   * it bit for bit: a difference ends the call with NNP_E_RANKS on all of them. Slow; for
   * debugging. */
  int32_t checked;
  int32_t reserved_int;
  int64_t reserved[4]; /* 0: anything else is refused, later versions may use it */
} nnp_comm;

/* From now on, calls whose first chain this is are made by all ranks together, with the chains
 * distributed between them; NULL: this process alone. The struct is copied; what `user` points to
 * must outlive the chain's use of it. */
NNP_API int32_t nnp_chain_use_comm(nnp_chain *chain, const nnp_comm *comm, nnp_error *err);

/* Ranks that are threads of one process: 1 … 4096 of them, which you run yourself, each with its
 * own objects. */
typedef struct nnp_team nnp_team;

/* Makes a team of `ranks` ranks. Free it with nnp_team_free. */
NNP_API int32_t nnp_team_create(nnp_team **team, int64_t ranks, nnp_error *err);
/* Frees a team that nnp_team_create made. NULL is allowed. */
NNP_API void nnp_team_free(nnp_team *team);
/* Writes the size of the block that nnp_team_init needs for this number of ranks. */
NNP_API int32_t nnp_team_bytes(int64_t ranks, size_t *bytes, nnp_error *err);
/* Builds a team in your own block of nnp_team_bytes. Close it before you release the block. */
NNP_API int32_t nnp_team_init(nnp_team **team, void *memory, size_t bytes, int64_t ranks,
                              nnp_error *err);
/* Closes a team made by nnp_team_init; then its block may be released. NULL is allowed. */
NNP_API void nnp_team_close(nnp_team *team);
/* Writes the communicator of one rank of a team (from 0); the team must outlive it. */
NNP_API int32_t nnp_team_comm(nnp_team *team, int64_t rank, nnp_comm *comm, nnp_error *err);

/* Ranks that share nothing but a folder, such as jobs of an array: messages are files in it. */
typedef struct nnp_folder nnp_folder;

/* Connects rank `rank` of `size` to the others through the folder `path`. It is created if
 * necessary, must be new for every job (otherwise it is refused), and may be removed when all ranks
 * are done. A rank waits `patience` seconds for another, then the call fails with NNP_E_COMM:
 * make it longer than the slowest rank takes for its part of any call, including its wait in the
 * queue. Runs communicate every quarter of a second, so minutes are enough once all have started.
 * Free it with nnp_folder_free. */
NNP_API int32_t nnp_folder_create(nnp_folder **folder, const char *path, int64_t rank, int64_t size,
                                  double patience, nnp_error *err);
/* Frees a folder object that nnp_folder_create made; the folder itself stays. NULL is allowed. */
NNP_API void nnp_folder_free(nnp_folder *folder);
/* Writes the size of the block that nnp_folder_init needs for this number of ranks. */
NNP_API int32_t nnp_folder_bytes(int64_t size, size_t *bytes, nnp_error *err);
/* Connects a rank to the others through a folder, as nnp_folder_create does, in your own block of
 * nnp_folder_bytes. */
NNP_API int32_t nnp_folder_init(nnp_folder **folder, void *memory, size_t bytes, const char *path,
                                int64_t rank, int64_t size, double patience, nnp_error *err);
/* Writes the communicator of a folder; the folder object must outlive it. */
NNP_API int32_t nnp_folder_comm(nnp_folder *folder, nnp_comm *comm, nnp_error *err);

/* ---- Rows over ranks ----------------------------------------------------------------------- */

/* For data that do not fit on one machine: every rank has some of the rows, and its data object
 * contains only those. All ranks make the same calls with chains on it, each with its own rows;
 * every rank draws the same weights from the same stream, and only sums are sent: for a Gibbs step
 * on 784-12-10 about 75 kB per rank, for gradients one vector of parameters. Rows are divided into
 * blocks, each with its random stream, and sums over blocks use a fixed tree: the bits are the same
 * for any number of ranks and threads, and for one process that has all rows in the same number of
 * blocks.
 *
 *     nnp_rows rows = {0};
 *     nnp_rows_split(&comm, 1000000000, 1024, &rows, &err);      which rows are this rank's
 *     ... read rows.count rows from number rows.first on ...
 *     nnp_data_create_rows(&data, &rows, &comm, features, outputs, &err);
 *     nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err);         those rows
 *     nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err);
 *
 * All ranks must make the calls that set rows of data, make chains, start, run, sample, descend,
 * compute log densities and restore: what one of them refuses is refused on all, with its message.
 * Sites, predictions, scores, likelihoods, variables and saves of a rank are those of its own rows.
 * Several chains run one after the other, each with all threads. Studies, multistarts, twins,
 * exchanges and packed inputs need data on one machine. With `checked` every sum is computed twice,
 * by two routes, and compared on all ranks. Draws differ from those of nnp_data_create, which sums
 * in another order. */

/* The rows of a rank. */
typedef struct nnp_rows {
  int64_t total;       /* rows of all ranks */
  int64_t first;       /* the first of this rank among them; it must start a block */
  int64_t count;       /* of this rank, one or more: whole blocks */
  int64_t blocks;      /* 0: as in nnp_data_create, at most 32; otherwise this many, if there are
                          128 rows for each. There must be at least one per rank */
  int64_t reserved[4]; /* 0 */
} nnp_rows;

/* Fills in an even share of `total` rows in `blocks` blocks for this rank of comm (NULL: all of
 * them). Any other division between blocks is fine as well; see nnp_rows_of_block. */
NNP_API int32_t nnp_rows_split(const nnp_comm *comm, int64_t total, int64_t blocks, nnp_rows *rows,
                               nnp_error *err);
/* Writes the first row of block number `block` among all rows (`total` for the one after the last),
 * and the number of blocks. Either pointer may be NULL. */
NNP_API int32_t nnp_rows_of_block(int64_t total, int64_t blocks, int64_t block, int64_t *first,
                                  int64_t *count, nnp_error *err);
/* Makes data for the rows of one rank. All ranks must call it: if they do not agree about sizes,
 * blocks, version or who has which rows, all of them get the same failure. comm NULL: this process
 * has all rows. Free it with nnp_data_free. */
NNP_API int32_t nnp_data_create_rows(nnp_data **data, const nnp_rows *rows, const nnp_comm *comm,
                                     int64_t features, int64_t outputs, nnp_error *err);
/* Writes the size of the block that nnp_data_init_rows needs for the same arguments. */
NNP_API int32_t nnp_data_bytes_rows(const nnp_rows *rows, const nnp_comm *comm, int64_t features,
                                    int64_t outputs, size_t *bytes, nnp_error *err);
/* Builds data for the rows of one rank, as nnp_data_create_rows does, in your own block of
 * nnp_data_bytes_rows. All ranks must call it. */
NNP_API int32_t nnp_data_init_rows(nnp_data **data, void *memory, size_t bytes,
                                   const nnp_rows *rows, const nnp_comm *comm, int64_t features,
                                   int64_t outputs, nnp_error *err);
/* Restores a chain whose rows are spread over ranks, from saves of ranks: a rank saves its own
 * rows, and what all ranks share. All ranks must call it; their number and their rows may have
 * changed, but not the number of blocks. Each needs the saves that contain its rows (see
 * nnp_saved_rows), all of the same moment. A save that lacks rows or belongs to something else is
 * refused on all ranks and leaves the chain unchanged; one with values that no chain can have saved
 * leaves it without a start. */
NNP_API int32_t nnp_chain_restore_rows(nnp_chain *chain, const nnp_saved *saves, int64_t count,
                                       nnp_error *err);
/* Writes which rows a saved block contains, for a chain whose rows are spread over ranks. */
NNP_API int32_t nnp_saved_rows(const void *buffer, size_t size, nnp_rows *rows, nnp_error *err);

#ifdef __cplusplus
}
#endif

#endif /* NNPOST_H */

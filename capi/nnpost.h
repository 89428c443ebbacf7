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
 *   2, …, then the biases; learned scales come last. Rows of results are [feature, row] with the
 *   feature fastest.
 */
#ifndef NNPOST_H
#define NNPOST_H

#include <stddef.h>
#include <stdint.h>

/* On Windows, who links the static library defines NNP_STATIC. */
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
  NNP_E_NUMERIC = 21,       /* more than double precision can hold, as a matrix that is singular */
  NNP_E_NOT_STARTED = 22,   /* the chain has no start yet */
  NNP_STOPPED = 23,         /* your callback asked to stop: not an error, all steps done count */
  NNP_E_OUT_OF_MEMORY = 24, /* X_create only */
  NNP_E_NET_FULL = 25,      /* more layers than the network has room for */
  NNP_E_BUFFER_SIZE = 26,   /* the output buffer is too small */
  NNP_E_THREAD = 27,        /* the system gave no thread */
  NNP_E_NO_DATA = 28,       /* inputs, targets or labels were never set */
  NNP_E_SAVE_DATA = 29,     /* saved on other data */
  NNP_E_INFEASIBLE = 30,    /* scores that contradict the labels */
  NNP_E_COMM = 31,          /* a function of the communicator failed: it is of no use any more */
  NNP_E_RANKS = 32,         /* ranks that should work together have different things before them */
  NNP_E_FILE = 33           /* the system would not make, open, read or map a file */
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
/* Writes lines "key: value": version, compiler, SIMD levels usable and used, threads, the BLAS the
 * library is linked with, the core it took the processor for ("unknown" if it is not OpenBLAS), its
 * thread count, and who does the dense work of a chain by default: our kernels; by shape whoever is
 * faster; or BLAS; and whose exp and log enter draws, "libm" or "own" (see README.md). */
NNP_API int32_t nnp_build_info(char *buffer, size_t size, nnp_error *err);

/* ---- The network --------------------------------------------------------------------------- */

typedef struct nnp_net nnp_net;

/* In place of a layer's number, where properties are set or asked for. */
enum {
  NNP_ALL_LAYERS = 0,
  NNP_HEAD = -1 /* the head: it has properties of its own */
};

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
  NNP_GAUSSIAN = 1,  /* the last site is the target y: regression, any number of outputs */
  NNP_ARGMAX = 2,    /* label = argmax of the last site: multinomial probit, 2 or more outputs */
  NNP_SIGN_HEAD = 3, /* label = sign of the last site, -1 or +1: binary probit, one output */
  /* Regression with heavy tails, any number of outputs: y_i = f_i + sqrt(D / w_i) N(0, I) with
   * w_i ~ Gamma(nu/2, rate nu/2), one w a row, D the noise of the last layer and nu = NNP_FREEDOM.
   * So y is multivariate t with squared scale D; an outlier costs the logarithm of its square.
   * Gibbs draws the w_i at the beginning of every step (the last layer must be dense); log
   * densities, gradients and scores have them integrated out. */
  NNP_STUDENT_T = 4,
  /* Regression whose noise depends on the input. For p targets the network has 2p outputs, means
   * and then log standard deviations: y_j ~ N(f_j, s_j^2), log s_j = 15 tanh(f_{p+j} / 15), which is
   * f_{p+j} but for extremes (2.96 for 3), so that nothing overflows. The noise of the last layer
   * does not enter: the likelihood is a probability whatever that is. Predictions are those of the
   * p targets. For gradient samplers, with either posterior; NNP_GIBBS refuses it. */
  NNP_LOCATION_SCALE = 5
};
/* Name of a head; whether its data are labels (1) or targets (0); outputs of the network for each
 * column of the targets. Each pointer may be NULL. */
NNP_API int32_t nnp_head_info(int32_t head, const char **name, int32_t *labels,
                              int64_t *outputs_per_target, nnp_error *err);

/* Properties of a layer; from 20 on of a head, set with layer = NNP_HEAD once there is a head. */
enum {
  NNP_NOISE = 1,    /* D, variance of its noise; positive, finite; 0.01 unless set (of classes in
                       the classical posterior: 1/2 unless set, see NNP_CLASSICAL) */
  NNP_LAMBDA_W = 2, /* prior precision of its weights; its fan-in unless set */
  NNP_LAMBDA_B = 3, /* prior precision of its biases; its fan-in unless set */
  NNP_BIAS = 4,     /* 1 (default) with biases, 0 without */
  NNP_SLOPE = 5,    /* of a leaky relu; 0.01 unless set */
  NNP_COLLAPSE = 6, /* of an avgpool: 1 (default) integrates out the site below it, see there */
  /* Of a conv2d: rows of zeros above and below its input, columns to the left and right; whole
   * numbers below the filter's height and width; 0 unless set. They change the shape of the output:
   * to be set before anything follows the layer. */
  NNP_PADDING_Y = 7,
  NNP_PADDING_X = 8,
  NNP_ARD = 9,     /* learned only, see nnp_net_learn: a lambda_w for each input of a dense layer */
  NNP_FREEDOM = 20 /* of NNP_STUDENT_T: nu, degrees of freedom; positive, finite; 4 unless set */
};

/* A network for `inputs` features, with room for 256 layers. */
NNP_API int32_t nnp_net_create(nnp_net **net, int64_t inputs, nnp_error *err);
/* A network for images: inputs are channels x height x width features, the channel slowest. */
NNP_API int32_t nnp_net_create_image(nnp_net **net, int64_t channels, int64_t height, int64_t width,
                                     nnp_error *err);
NNP_API void nnp_net_free(nnp_net *net);
/* The same in your own block, with room for max_layers layers. */
NNP_API int32_t nnp_net_bytes(int64_t max_layers, size_t *bytes, nnp_error *err);
NNP_API int32_t nnp_net_init(nnp_net **net, void *memory, size_t bytes, int64_t max_layers,
                             int64_t inputs, nnp_error *err);

/* A copy that goes its own way: with room for 256 layers (or as many as there are), and in a block
 * of nnp_net_bytes(max_layers). */
NNP_API int32_t nnp_net_copy(nnp_net **copy, const nnp_net *net, nnp_error *err);
NNP_API int32_t nnp_net_init_copy(nnp_net **copy, void *memory, size_t bytes, int64_t max_layers,
                                  const nnp_net *net, nnp_error *err);

/* Layers are added input to output; shapes are checked as they come. The head goes last, once. */
NNP_API int32_t nnp_net_dense(nnp_net *net, int64_t units, nnp_error *err);
NNP_API int32_t nnp_net_activation(nnp_net *net, int32_t activation, nnp_error *err);
/* Convolution: `filters` filters of height x width pixels and all channels, moved by the strides,
 * one bias per filter. Its weights are [filter, channel, row, column], the last one fastest; its
 * output is an image of `filters` channels. Without padding, unless NNP_PADDING_Y and NNP_PADDING_X
 * are set right after it. */
NNP_API int32_t nnp_net_conv2d(nnp_net *net, int64_t filters, int64_t height, int64_t width,
                               int64_t stride_y, int64_t stride_x, nnp_error *err);
/* Means over windows of height x width pixels that touch but do not overlap, channel by channel;
 * pixels at the end that do not fill a window are left out.
 * Behind a conv2d or another avgpool the site between the two layers is integrated out exactly: the
 * pair is sampled as one layer with noise D_pool + D_below / (height * width), which has the same
 * posterior of weights and other sites with fewer latents and mixes faster. Layers and sites keep
 * their numbers, but that site has no values. NNP_COLLAPSE = 0 keeps it. */
NNP_API int32_t nnp_net_avgpool(nnp_net *net, int64_t height, int64_t width, nnp_error *err);
/* The largest pixel of each such window. For gradient samplers: given their maximum the pixels of a
 * window have no simple conditional, and NNP_GIBBS refuses the network. */
NNP_API int32_t nnp_net_maxpool(nnp_net *net, int64_t height, int64_t width, nnp_error *err);
/* Regards the last site (before any layer: the input) as an image of this shape; it must have as
 * many features. */
NNP_API int32_t nnp_net_image(nnp_net *net, int64_t channels, int64_t height, int64_t width,
                              nnp_error *err);
NNP_API int32_t nnp_net_head(nnp_net *net, int32_t head, nnp_error *err);

/* Sets a property of one layer (1 … m), of all layers that have it (NNP_ALL_LAYERS) or of the head
 * (NNP_HEAD). */
NNP_API int32_t nnp_net_set(nnp_net *net, int64_t layer, int32_t property, double value,
                            nnp_error *err);
NNP_API int32_t nnp_net_get(const nnp_net *net, int64_t layer, int32_t property, double *value,
                            nnp_error *err);

/* Learned scales. A noise D or a prior precision lambda need not be known: it may be learned from
 * the data. Its precision (1/D, or lambda itself) then has a gamma hyperprior of this shape and
 * mean, so of rate shape / mean; shape = mean = 0 asks for the default, which suits inputs and
 * targets that are standardized. Small shapes are broad: the precision has the standard deviation
 * mean / sqrt(shape). To be set once the network has its head.
 * Learned scales are parameters, D and lambda as they are, after all weights and biases: they are
 * part of draws, with names such as "D3" (the noise of layer 3), "lambda_w1" or "lambda_b2" (of the
 * weights W1, of the biases b2) and "lambda_w1[4]" (NNP_ARD), of starts, of saves and of summaries.
 * Every prediction uses each draw's own. NNP_GIBBS draws them from their conditionals at the end of
 * a step; the gradient samplers hold them while they follow gradients, and draw them in the same
 * way between steps. Noises are held while a chain anneals.
 *
 * layer: 1 … m, or NNP_ALL_LAYERS for all that have the scale. property: NNP_NOISE; NNP_LAMBDA_W;
 * NNP_LAMBDA_B; or NNP_ARD (automatic relevance determination), one precision for each input of a
 * dense layer in place of its lambda_w: weights of inputs that tell nothing shrink together.
 * NNP_CLASSICAL has noise in the last layer only, and for NNP_ARGMAX and NNP_SIGN_HEAD none at all:
 * a chain of it refuses networks that learn others.
 * Setting a value by nnp_net_set afterwards fixes the scale at it. */
NNP_API int32_t nnp_net_learn(nnp_net *net, int64_t layer, int32_t property, double shape,
                              double mean, nnp_error *err);
/* Tied noise, the form to begin with: one learned D ("D") for all layers, layer k has the noise
 * D * multiples[k-1], m positive numbers. NULL: 1 for the last layer and 0.01 for all others, noise
 * that helps chains to move and hardly matters in predictions. Hidden noises that are learned apart
 * from each other are poorly determined by data. */
NNP_API int32_t nnp_net_learn_tied(nnp_net *net, const double *multiples, double shape, double mean,
                                   nnp_error *err);
/* Undoes both: a scale that was learned is fixed at the mean of its hyperprior. Tied noise is fixed
 * for all layers at once. */
NNP_API int32_t nnp_net_fix(nnp_net *net, int64_t layer, int32_t property, nnp_error *err);
/* The hyperprior of a layer's scale, and where its values are in the parameter vector; count is 0
 * (first -1) if it is fixed. Each pointer may be NULL. */
NNP_API int32_t nnp_net_learned(const nnp_net *net, int64_t layer, int32_t property, double *shape,
                                double *mean, int64_t *first, int64_t *count, nnp_error *err);

/* The temperature of the classical posterior (see NNP_CLASSICAL), once there is a head: 2D for
 * NNP_ARGMAX and NNP_SIGN_HEAD, where it is 1 unless the noise of the last layer was set; 1 for
 * other heads, whose likelihood is a density for any D. */
NNP_API int32_t nnp_net_temperature(const nnp_net *net, double *temperature, nnp_error *err);

/* m; the number of parameters; of outputs; of columns of targets and predictions (as many as
 * outputs, unless the head says otherwise); of latent variables a row (once there is a head). */
NNP_API int32_t nnp_net_layers(const nnp_net *net, int64_t *layers, nnp_error *err);
NNP_API int32_t nnp_net_parameters(const nnp_net *net, int64_t *parameters, nnp_error *err);
NNP_API int32_t nnp_net_outputs(const nnp_net *net, int64_t *outputs, nnp_error *err);
NNP_API int32_t nnp_net_targets(const nnp_net *net, int64_t *targets, nnp_error *err);
NNP_API int32_t nnp_net_latents(const nnp_net *net, int64_t *latents, nnp_error *err);
/* Where a layer's parameters are: weights from `first`, then the biases. */
NNP_API int32_t nnp_net_layer(const nnp_net *net, int64_t layer, int64_t *first, int64_t *weights,
                              int64_t *biases, nnp_error *err);
/* The layer that holds the weights or biases of this name: "W2" or "b2", as in the names of
 * parameters. Layers without parameters have numbers too: in dense, relu, dense W2 is layer 3. */
NNP_API int32_t nnp_net_find_layer(const nnp_net *net, const char *name, int64_t *layer,
                                   nnp_error *err);
/* channels, height, width of site k (0 … m). */
NNP_API int32_t nnp_net_shape(const nnp_net *net, int64_t site, int64_t shape[3], nnp_error *err);
/* "W1[3,17]" (layer, unit, input), "W1[2,1,4,3]" (layer, filter, channel, row, column) or "b1[3]",
 * counted from 1 as in R and Julia; layers without parameters are not counted. Learned scales are
 * "D3" (layer), "D" (all layers), "lambda_w1", "lambda_w1[4]" (input) or "lambda_b1". */
NNP_API int32_t nnp_net_parameter_name(const nnp_net *net, int64_t parameter, char *buffer,
                                       size_t size, nnp_error *err);
/* A table of layers, names of weights, shapes, parameters, latents and bytes of state for n rows.
 * 128 bytes per layer and 512 more are always enough. */
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
/* n x features, all finite. Only where they are kept as doubles. */
NNP_API int32_t nnp_data_set_inputs(nnp_data *data, const double *x, int32_t order, nnp_error *err);
/* n x outputs, all finite: for heads that have targets (nnp_head_info). */
NNP_API int32_t nnp_data_set_targets(nnp_data *data, const double *y, int32_t order,
                                     nnp_error *err);
/* How inputs are kept. Everything else is in double precision always. Below a dense first layer
 * sparse inputs make steps on large data several times faster; bytes and singles save memory, at
 * the price of up to half as much time again. Below a convolution bytes are the fastest, and sparse
 * inputs and singles several times slower than doubles. */
enum {
  NNP_STORE_AUTO = 0, /* for a dense first layer: sparse where that pays, or else the smallest store
                         that loses nothing but the last bits of rounding */
  NNP_STORE_DOUBLES = 1, /* as nnp_data_create does */
  NNP_STORE_SINGLES = 2, /* rounded to single precision */
  NNP_STORE_BYTES = 3,  /* every feature is shift + scale * (0 … 255), as pixels are, standardized
                            or not */
  NNP_STORE_SPARSE = 4, /* entries that differ from the value most others have, which need not be
                            0: standardized images stay sparse. Best where at most some 70 % of the
                            groups of four neighbouring features of a row have any, below a dense
                            first layer */
  NNP_STORE_AUTO_IMAGES = 5 /* for a first layer that is a convolution: bytes if that loses nothing
                               and all pixels have one scale, or else doubles */
};
typedef struct nnp_inputs {
  const double *x; /* n x features, all finite; copied */
  int64_t n, features;
  int32_t order; /* NNP_ROW_MAJOR or NNP_COLUMN_MAJOR */
  int32_t store;
  int64_t reserved[4]; /* 0: anything else is refused, later versions may use it */
} nnp_inputs;
/* Data with these inputs, which stay as they are. */
NNP_API int32_t nnp_data_create_from(nnp_data **data, const nnp_inputs *inputs, int64_t outputs,
                                     nnp_error *err);
NNP_API int32_t nnp_data_bytes_from(const nnp_inputs *inputs, int64_t outputs, size_t *bytes,
                                    nnp_error *err);
NNP_API int32_t nnp_data_init_from(nnp_data **data, void *memory, size_t bytes,
                                   const nnp_inputs *inputs, int64_t outputs, nnp_error *err);
/* NNP_STORE_DOUBLES, … */
NNP_API int32_t nnp_data_store(const nnp_data *data, int32_t *store, nnp_error *err);
/* n labels: classes 0 … outputs-1 for NNP_ARGMAX, -1 or +1 for NNP_SIGN_HEAD. */
NNP_API int32_t nnp_data_set_labels(nnp_data *data, const int32_t *labels, nnp_error *err);
/* Reads them back, whoever set them, a teacher included: n x outputs targets; n labels.
 * NNP_E_NO_DATA if there are none. */
NNP_API int32_t nnp_data_targets(const nnp_data *data, double *y, int32_t order, nnp_error *err);
NNP_API int32_t nnp_data_labels(const nnp_data *data, int32_t *labels, nnp_error *err);

/* ---- A pool of threads --------------------------------------------------------------------- */

typedef struct nnp_pool nnp_pool;

/* Threads for the rows of one chain, or for several chains at once; 1 … 256, the calling thread
 * included. Draws do not depend on their number.
 * The calling thread does all the work where the pool's threads cannot help: while they have other
 * work (a test function or callback that uses the pool of its own run, a second thread of yours),
 * and in a child forked from the process that made the pool. Such a child may use and free it.
 * Threads of a pool block all signals but faults, so your handlers run on your threads. */
NNP_API int32_t nnp_pool_create(nnp_pool **pool, int64_t threads, nnp_error *err);
NNP_API void nnp_pool_free(nnp_pool *pool);
NNP_API int32_t nnp_pool_bytes(int64_t threads, size_t *bytes, nnp_error *err);
NNP_API int32_t nnp_pool_init(nnp_pool **pool, void *memory, size_t bytes, int64_t threads,
                              nnp_error *err);
/* Ends the threads of a pool made by nnp_pool_init; then its block may go. */
NNP_API void nnp_pool_close(nnp_pool *pool);

/* ---- Many machines ------------------------------------------------------------------------- */

/* Ranks are processes, on one machine or on many, that run the same program: all of them make the
 * same network, data and chains and call the same functions with the same arguments. With a
 * communicator (nnp_chain_use_comm) nnp_chains_run, nnp_chains_sample, nnp_chains_descend, studies,
 * multistarts, twins and exchanges share their chains out: each is run by one rank. When the call
 * returns, every rank has all chains, draws and results, the same bits as if one of them had been
 * alone with any number of threads. So any rank can save, predict and report, and a job that ended
 * goes on from what was saved with another number of ranks.
 *
 *     nnp_mpi_world(&comm, &err);                        nnpost_mpi.h, in a library of its own
 *     nnp_chain_use_comm(chains[0], &comm, &err);        that of the first chain counts
 *     nnp_chains_sample(chains, 64, draws, 1000, 10, NULL, NULL, &err);
 *
 * Before work begins ranks compare version, network, data, options, seeds and arguments: where they
 * differ, or where one of them refuses the call, all of them return the same failure, in the words of
 * the first that has any. Callbacks are called on every rank, with the chains it runs itself, and with
 * the others when all are done; a stop on one ends the run on all within a second. An exchange's
 * callback must not look at levels that another rank has.
 * Every rank needs memory for all chains. What travels: at the end of a call all that nnp_chain_save
 * would write of its chains, once; during an exchange a few numbers a level after every sweep, and
 * variables where neighbours on two ranks swap. */

/* The functions you supply return 0; anything else is a failure, and is named in the sentence.
 * `bytes` from every rank to every rank, in the order of ranks. */
typedef int32_t (*nnp_comm_allgather)(const void *mine, void *all, int64_t bytes, void *user);
/* `bytes` from rank `root` to all. */
typedef int32_t (*nnp_comm_broadcast)(void *buffer, int64_t bytes, int32_t root, void *user);
/* Two ranks, each with the other as its peer, send `bytes` and receive as many. */
typedef int32_t (*nnp_comm_exchange)(const void *out, void *in, int64_t bytes, int32_t peer,
                                     void *user);
/* This rank gives up, for this reason: ranks that wait, now or later, must not wait for ever. */
typedef int32_t (*nnp_comm_abort)(const char *sentence, void *user);

/* All but `abort`, `user` and `checked` is needed; where size is 1 no function is called. They are
 * called by the thread that makes the call of the library, one at a time. */
typedef struct nnp_comm {
  int32_t rank; /* of this process: 0 … size-1 */
  int32_t size; /* 1 … 4096 */
  nnp_comm_allgather allgather;
  nnp_comm_broadcast broadcast;
  nnp_comm_exchange exchange;
  nnp_comm_abort abort; /* may be NULL */
  void *user;
  /* 1: checked. Each rank also does the work of all others, one chain after the other, and compares
   * it bit for bit: a difference ends the call with NNP_E_RANKS on all of them. Slow, for doubts. */
  int32_t checked;
  int32_t reserved_int;
  int64_t reserved[4]; /* 0: anything else is refused, later versions may use it */
} nnp_comm;

/* Rows over ranks, for data that one machine cannot hold: every rank has some of the rows, and its data
 * object has no others. All ranks make the same calls with chains on it, each with its own rows; every
 * rank draws the same weights from the same stream, and only sums travel: for a step of Gibbs on
 * 784-12-10 about 75 kB a rank, for gradients one vector of parameters. Rows are cut into blocks, each
 * with its random stream, and sums over blocks are taken in a fixed tree: the bits are the same for any
 * number of ranks and threads, and for one process that has all rows in the same number of blocks.
 *
 *     nnp_rows rows = {0};
 *     nnp_rows_split(&comm, 1000000000, 1024, &rows, &err);      which rows are this rank's
 *     ... read rows.count rows from number rows.first on ...
 *     nnp_data_create_rows(&data, &rows, &comm, features, outputs, &err);
 *     nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err);         those rows
 *     nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err);
 *
 * Giving data its rows, making chains, starts, runs, draws, descents, log densities and restores are
 * calls of all ranks: what one of them refuses is refused on all, in its words. Sites, predictions,
 * scores, likelihoods, variables and saves of a rank are those of its own rows. Several chains run one
 * after the other, each with all threads. Studies, multistarts, twins, exchanges and packed inputs are for data of one
 * machine. With `checked` every sum is taken twice, by two routes, and compared on all ranks.
 * Draws are others than those of nnp_data_create, which adds up in another order. */
typedef struct nnp_rows {
  int64_t total;       /* rows of all ranks */
  int64_t first;       /* of them: the first of this rank, which begins a block */
  int64_t count;       /* of this rank, one or more: whole blocks */
  int64_t blocks;      /* 0: as nnp_data_create has, at most 32; else as many, as far as there are
                          128 rows for each. There must be one for every rank */
  int64_t reserved[4]; /* 0 */
} nnp_rows;
/* An even share of `total` rows in `blocks` blocks for this rank of comm (NULL: all of them). Any other
 * cut between blocks will do as well; nnp_rows_of_block tells where they are. */
NNP_API int32_t nnp_rows_split(const nnp_comm *comm, int64_t total, int64_t blocks, nnp_rows *rows,
                               nnp_error *err);
/* Where block number `block` begins among all rows (`total` for the one after the last), and how many
 * blocks there are. Either pointer may be NULL. */
NNP_API int32_t nnp_rows_of_block(int64_t total, int64_t blocks, int64_t block, int64_t *first,
                                  int64_t *count, nnp_error *err);
/* Data for the rows of one rank, made by all ranks together: where they do not agree about sizes,
 * blocks, version or which rows are whose, all of them get the same failure. comm NULL: this process
 * has all rows. */
NNP_API int32_t nnp_data_create_rows(nnp_data **data, const nnp_rows *rows, const nnp_comm *comm,
                                     int64_t features, int64_t outputs, nnp_error *err);
NNP_API int32_t nnp_data_bytes_rows(const nnp_rows *rows, const nnp_comm *comm, int64_t features,
                                    int64_t outputs, size_t *bytes, nnp_error *err);
NNP_API int32_t nnp_data_init_rows(nnp_data **data, void *memory, size_t bytes,
                                   const nnp_rows *rows, const nnp_comm *comm, int64_t features,
                                   int64_t outputs, nnp_error *err);

/* Ranks that are threads of one process: 1 … 4096 of them, each of which you run yourself with objects
 * of its own. */
typedef struct nnp_team nnp_team;
NNP_API int32_t nnp_team_create(nnp_team **team, int64_t ranks, nnp_error *err);
NNP_API void nnp_team_free(nnp_team *team);
NNP_API int32_t nnp_team_bytes(int64_t ranks, size_t *bytes, nnp_error *err);
NNP_API int32_t nnp_team_init(nnp_team **team, void *memory, size_t bytes, int64_t ranks,
                              nnp_error *err);
/* Before the block of a team made by nnp_team_init goes. */
NNP_API void nnp_team_close(nnp_team *team);
/* The communicator of one of its ranks; the team must outlive it. */
NNP_API int32_t nnp_team_comm(nnp_team *team, int64_t rank, nnp_comm *comm, nnp_error *err);

/* Ranks that share a folder and nothing else, as jobs of an array do: messages are files in it. The
 * folder is made where it is not there, must be a new one for every job (it is refused otherwise), and
 * may be removed when all ranks are done. A rank waits `patience` seconds for another, then the call
 * fails with NNP_E_COMM: longer than the slowest rank needs for its part of any call, and for its turn
 * in the queue. Runs meet every quarter of a second, so minutes will do once all have started. */
typedef struct nnp_folder nnp_folder;
NNP_API int32_t nnp_folder_create(nnp_folder **folder, const char *path, int64_t rank, int64_t size,
                                  double patience, nnp_error *err);
NNP_API void nnp_folder_free(nnp_folder *folder);
NNP_API int32_t nnp_folder_bytes(int64_t size, size_t *bytes, nnp_error *err);
NNP_API int32_t nnp_folder_init(nnp_folder **folder, void *memory, size_t bytes, const char *path,
                                int64_t rank, int64_t size, double patience, nnp_error *err);
/* Its communicator; the folder object must outlive it. */
NNP_API int32_t nnp_folder_comm(nnp_folder *folder, nnp_comm *comm, nnp_error *err);

/* ---- Chains -------------------------------------------------------------------------------- */

typedef struct nnp_chain nnp_chain;

/* Samplers. The last three follow gradients; they take every activation but NNP_SIGN, and both
 * posteriors. */
enum {
  NNP_GIBBS = 1, /* every variable from its exact conditional; nothing to tune */
  NNP_HMC = 2,   /* Hamiltonian Monte Carlo */
  /* The Metropolis adjusted Langevin algorithm: x' = x + step * gradient + sqrt(2 step) * noise, as
   * in the paper's listing. (TensorFlow Probability, which made the paper's runs on synthetic data,
   * writes step / 2 and step there: of the step sizes printed for those, take half.) */
  NNP_MALA = 3,
  NNP_NUTS = 4 /* the no-U-turn sampler, multinomial */
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
 * other D is a temperature, T = 2D: the likelihood to the power 1/T, too sure of itself below 1.
 * Predictions and scores never temper: they average the probabilities of softmax over draws of the
 * posterior, whatever its temperature.
 * Gradient samplers on NNP_INTERMEDIATE move weights and sites together. Where a probit head cuts
 * scores that contradict a label off, they propose as if it did not and reject what lies behind the
 * cut: exact, but slow for many rows. */
enum {
  NNP_INTERMEDIATE = 1, /* weights and all sites: the model above */
  NNP_CLASSICAL = 2     /* weights only; not for NNP_GIBBS */
};

enum {
  /* all parameters and sites zero; learned scales at the mean precision of their hyperprior */
  NNP_START_ZERO = 1,
  NNP_START_PRIOR = 2, /* weights from the prior, sites through the noisy layers */
  NNP_START_SMALL = 3, /* all parameters and sites independent N(0, 1e-8): the paper's for HMC */
  /* Weights from the prior, if need be narrowed to variance 1/fan-in, learned scales at their
   * hyperpriors' means, then nnp_chain_descend: chains begin where the data are fitted. While it
   * descends the noise falls to its own value from a tenth of the mean square of the targets, where
   * that is more. NNP_LOCATION_SCALE fits means only, as if the noise were the same for all rows, and
   * starts by predicting that noise: rows that are not fitted yet would be called noisy, and left.
   * Networks that cannot descend, with NNP_SIGN layers, start at zero. */
  NNP_START_FIT = 4
};

/* Options of a chain; those a sampler does not have are refused with NNP_E_OPTION. */
enum {
  NNP_OPTION_SCHEDULE = 1, /* order of a Gibbs step, NNP_SEQUENTIAL (default) and others below */
  NNP_OPTION_SIMD = 2,     /* 0 the best (default), 1 portable, 2 AVX2, 3 AVX-512, 4 NEON */
  /* Gibbs: exact moves against its random walk, on by default (see NNP_OPTION_MOVES).
   * Over-relaxation: every Gaussian conditional goes to mean + a (old - mean) + noise. 0 draws
   * afresh, -0.98 suppresses the random walk; any a inside (-1, 1) is exact. */
  NNP_OPTION_RELAX = 3,
  NNP_OPTION_PLAIN_EVERY = 4, /* one step in so many is plain, so that pieces can change */
  /* Moves of a whole hidden unit a step, on average: its incoming weights go around an ellipse,
   * with sites and weights above it integrated out. Frees units that have died. */
  NNP_OPTION_UNIT_MOVES = 5,
  NNP_OPTION_EXPANSION = 6, /* 1: redraws the scale of probit scores, last weights integrated out */
  /* Moves of a hidden unit's scale a step, on average: incoming weights times c, outgoing ones
   * divided by c. For relu, leaky relu, abs and identity. */
  NNP_OPTION_SCALE_MOVES = 7,
  /* Gradient samplers: */
  NNP_OPTION_STEP_SIZE = 8,   /* > 0 (0.01); of a leapfrog, or of NNP_MALA as above */
  NNP_OPTION_LEAPFROGS = 9,   /* of a step of NNP_HMC (10) */
  NNP_OPTION_JITTER = 10,     /* 0 (default) to 1: steps times 1 + jitter * uniform(-1, 1) */
  NNP_OPTION_TARGET = 11,     /* acceptance adaptation aims at, inside (0, 1); 0.8, MALA 0.574 */
  NNP_OPTION_MAX_DEPTH = 12,  /* NNP_NUTS makes up to 2^depth - 1 leapfrogs a step: 1 to 12 (10) */
  NNP_OPTION_WARMUP = 13,     /* steps of warm-up, from the start or the end of annealing on (0) */
  NNP_OPTION_ADAPT_STEP = 14, /* 1 (default): the warm-up finds the step size, 0: it stays */
  NNP_OPTION_ADAPT_MASS = 15, /* 1 (default): the warm-up finds the scale of each variable */
  /* Gibbs: sets options 3 to 7, 17, 18, 20 and 21 at once; each of them may be set by hand afterwards. */
  NNP_OPTION_MOVES = 16,
  /* Gibbs: draws of a hidden unit's incoming weights a step, on average, with its noise held and
   * the sites above it integrated out: they go as far as the labels allow, where the draw given its
   * sites goes as far as the noise of those. Units between dense layers, up to 256 weights each. */
  NNP_OPTION_UNIT_DRAWS = 17,
  /* Gibbs: moves of all units of a hidden layer at once a step, on average, by Hamiltonian Monte
   * Carlo with their noises held and the sites above them integrated out; step and masses follow
   * from the inputs and from the weights above. Layers below a dense one, up to 256 weights a unit,
   * activations with slopes. Neither these moves nor the draws of units are made in the last hidden
   * layer below NNP_STUDENT_T, whose rows have noises of their own. */
  NNP_OPTION_LAYER_MOVES = 18,
  /* Who does dense work: NNP_BLAS_AUTOMATIC (default) and others below. */
  NNP_OPTION_BLAS = 19,
  /* Gibbs: moves of every learned noise a step, on average, in which hidden sites follow the noise
   * and the last one is integrated out. Draws given the sites alone would crawl. */
  NNP_OPTION_NOISE_MOVES = 20,
  /* Moves of the learned precisions of every layer a step, on average: each together with its weights,
   * and those of a layer against those of the next (Gibbs: of hidden layers, the latter for relu, leaky
   * relu, abs and identity). Of NNP_ARD three inputs at a time. 1 for Gibbs, NNP_HMC and NNP_NUTS, 0.02
   * for NNP_MALA; where nothing is learned Gibbs refuses it, and gradient samplers have nothing to do. */
  NNP_OPTION_PRECISION_MOVES = 21
};

/* The library may be linked with OpenBLAS and LAPACKE (nnp_build_info says so). They work on the
 * thread that calls them: products are cut into pieces below the size from which on OpenBLAS uses
 * threads, so its process-wide thread count is neither changed nor felt, and draws are the same
 * whatever it is. Nothing is allocated in a run by the library; OpenBLAS maps a work buffer the
 * first time it is called by as many threads at once, and keeps it. */
enum {
  NNP_BLAS_AUTOMATIC = 0, /* with NNP_OPTION_SIMD = 0: by shape whoever was measured faster, if
                             OpenBLAS took the processor for one of its level; all by BLAS where
                             SIMD has nothing better than portable. A SIMD level asked for by its
                             number: as NNP_BLAS_NONE, so that draws are the same on any machine */
  NNP_BLAS_NONE = 1,      /* our kernels only */
  NNP_BLAS_ALL = 2,       /* BLAS for all dense work it can do */
  NNP_BLAS_WHOLE = 3      /* by shape, in whole calls, at least as fast: you keep OpenBLAS
                             at one thread (OPENBLAS_NUM_THREADS=1, openblas_set_num_threads(1)),
                             otherwise NNP_E_UNSUPPORTED here and in runs */
};

enum {
  NNP_MOVES_PLAIN = 0,    /* all off: the paper's sampler */
  NNP_MOVES_AUTOMATIC = 1 /* default: all that the network has a use for, as often as work counted
                             in multiplications makes it worth while. Nothing adapts: the chain is
                             exact from its first step, and depends on its seed alone */
};

/* Warm-up: during the first NNP_OPTION_WARMUP steps the step size is adapted by dual averaging,
 * beginning near the option's, and the variances of all variables (the diagonal of the inverse mass
 * matrix) from windows of growing length; then both are frozen. A run shorter than what is left of
 * the warm-up is refused (a callback may stop it), and so are draws before its end. Without warm-up
 * step size and masses are what was set, all masses 1 by default.
 * Options may change after steps: a warm-up (or NNP_OPTION_ADAPT_STEP = 1) asked for late begins
 * then, around a step that is tried first; one cut short (or NNP_OPTION_ADAPT_STEP = 0) freezes the
 * average of the steps tried so far.
 * Constants, windows and the multinomial NUTS are Stan's, with these departures. A fifth of a long
 * warm-up (not just 50 steps) lies behind the last window; all but its first 50 steps polish the
 * averaged step with a gain that falls as 1/t, since the average of dual averaging's swings misses
 * the acceptance aimed at. Variances are pulled towards a thousandth of their own mean, not towards
 * 1e-3, which depends on units. In the U-turn criterion, which is also asked across the halves of
 * every tree as in Stan, the two ends of a path count half. */

enum {
  NNP_SEQUENTIAL = 1, /* W1, then X, W, Z of each hidden layer: the paper's Algorithm 1 */
  NNP_PARALLEL = 2,   /* all X, all W, all Z: its Algorithm 2; layers run side by side */
  NNP_BACKWARD = 3    /* from the labels down: each site, then the weights below it. What labels say
                         reaches the first layer within a step: the best order from zeros */
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

/* Called after every step, always from the thread that made the call. Of several chains, those that
 * other threads work on are told of now and then, and once when all are done. Not 0: stop, keeping
 * all that was done; the call then returns NNP_STOPPED.
 * Until a run is over its chains cannot be run, started, restored, annealed or given options,
 * scales or a pool: a callback that tries to gets NNP_E_UNSUPPORTED, and the run goes on. The same
 * holds for runs of studies, multistarts, twins and exchanges. Other chains are free. Free nothing
 * that is in use. */
typedef int32_t (*nnp_callback)(const nnp_progress *progress, void *user);

/* For a callback that costs as much as a step, as one in another language may: with nnp_throttled
 * as the callback and a throttle as its user, yours is called after the first step and whenever
 * `seconds` have gone by since the last time. One throttle a run. A run whose throttle is NULL or
 * has no callback is refused with NNP_E_NULL. (Called by yourself without one, it returns 0.) */
typedef struct nnp_throttle {
  nnp_callback callback;
  void *user;
  double seconds;
  double next; /* 0 before the run */
} nnp_throttle;
NNP_API int32_t nnp_throttled(const nnp_progress *progress, void *throttle);

/* One bar over a whole fit: its start (descents), warm-up and sampling. Fill in `steps`, those of all
 * chains together that each phase takes at most (0: none), all else 0; then tell it in your callback how
 * many steps all chains together have made in this phase, and how many seconds have gone by since the fit
 * began. Phases come in order. */
enum { NNP_PHASE_START = 1, NNP_PHASE_WARMUP = 2, NNP_PHASE_SAMPLING = 3 };
typedef struct nnp_outlook {
  int64_t steps[3];
  double share;        /* of the time of the whole fit; it never goes back */
  double seconds_left; /* by the speed measured; NaN before anything was */
  double spent[3];     /* this and the next two: what it remembers */
  double began;
  int64_t phase;
  double reserved[4];
} nnp_outlook;
NNP_API int32_t nnp_outlook_tell(nnp_outlook *outlook, int32_t phase, int64_t done, double seconds,
                                 nnp_error *err);

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
/* Calls whose first chain this is are made by all ranks together from now on, with the chains shared
 * out among them; NULL: by this process alone. The struct is copied; `user` must stay. */
NNP_API int32_t nnp_chain_use_comm(nnp_chain *chain, const nnp_comm *comm, nnp_error *err);

/* A start sets parameters and sites, and the random streams by (seed, number): chains of one seed
 * take numbers 0, 1, 2, … and never share a stream. It may be repeated.
 * NNP_E_NOT_FINITE for sites that overflow, as weights and inputs are large: the chain then has no
 * start, also where it had one before. Every other failure leaves the start it had. */
NNP_API int32_t nnp_chain_start(nnp_chain *chain, int32_t start, uint64_t seed, uint64_t number,
                                nnp_error *err);
/* From given parameters; sites through the layers with noise (noisy = 1) or without (0). */
NNP_API int32_t nnp_chain_start_weights(nnp_chain *chain, const double *parameters, int32_t noisy,
                                        uint64_t seed, uint64_t number, nnp_error *err);
/* From given parameters and all latent sites that are sampled, one behind the other, each
 * [feature, row]. */
NNP_API int32_t nnp_chain_start_state(nnp_chain *chain, const double *parameters,
                                      const double *sites, uint64_t seed, uint64_t number,
                                      nnp_error *err);

/* The same start for several chains, by (seed, 0), (seed, 1), …; the descents of NNP_START_FIT run
 * side by side on the pool of the first chain, and the callback is told of them. */
NNP_API int32_t nnp_chains_start(nnp_chain *const *chains, int64_t chain_count, int32_t start,
                                 uint64_t seed, nnp_callback callback, void *user, nnp_error *err);

/* Starts that fit. From any start the weights climb to where the data are fitted, by L-BFGS with
 * all rows in every gradient; then the sampler takes over: the chain stands at step 0, its random
 * streams as the start left them. What is maximised is the log density of the weights with hidden
 * layers without noise:
 * for NNP_CLASSICAL the log posterior;
 * for NNP_INTERMEDIATE log p(y | f) + log prior with the noise of the last layer, where scores are
 * latent (NNP_ARGMAX, NNP_SIGN_HEAD) by the logistic function closest to their probit. Sites then
 * follow from the weights, without noise; samplers draw theirs within a few steps.
 * Learned scales follow every 100 steps. The noise of the last layer (with those tied to it) goes to
 * the maximum of its conditional, as if each parameter had used up one value, up to a quarter of
 * all: a network that interpolates would otherwise make it collapse. Precisions are held at a
 * twentieth of their hyperpriors' means while weights climb, and go to the maximum of their
 * conditionals in the end: where both climb together, layers shrink to nothing. Noises of hidden
 * layers that are learned by themselves stay at their start.
 * Every sampler takes it, NNP_GIBBS too. It stops after `steps` steps (0: 3000), when the last 10
 * steps together raised the log density by less than 2e-4 nats per parameter (draws of the posterior
 * lie about half a nat per parameter below its mode), or when no direction leads up any more. The
 * callback is called after every step; a descent that it stops keeps what it has reached. The result
 * does not depend on threads. NNP_E_UNSUPPORTED: a layer has no slope (NNP_SIGN), or the chain
 * anneals; NNP_E_NOT_FINITE: the start has no finite log density. */
NNP_API int32_t nnp_chain_descend(nnp_chain *chain, int64_t steps, nnp_callback callback,
                                  void *user, nnp_error *err);
/* Several chains, side by side on the pool of the first one. */
NNP_API int32_t nnp_chains_descend(nnp_chain *const *chains, int64_t chain_count, int64_t steps,
                                   nnp_callback callback, void *user, nnp_error *err);
/* Why a descent ended. */
enum {
  NNP_DESCENT_NONE = 0,      /* there was none */
  NNP_DESCENT_STEPS = 1,     /* it made as many steps as it was allowed */
  NNP_DESCENT_CONVERGED = 2, /* its last steps gained next to nothing */
  NNP_DESCENT_FLAT = 3,   /* no direction leads up: a mode, as far as double precision can tell */
  NNP_DESCENT_STOPPED = 4 /* by the callback */
};
typedef struct nnp_descent {
  double before, after; /* log density of the weights, as above */
  double slope;         /* largest absolute derivative at the end */
  int64_t steps;        /* made */
  int64_t evaluations;  /* of the gradient */
  int32_t ended;
  int32_t reserved_int;
  double reserved[4];
} nnp_descent;
/* What the last descent of the chain came to. */
NNP_API int32_t nnp_chain_descent(const nnp_chain *chain, nnp_descent *out, nnp_error *err);

/* After a start: the noise of all layers that have less falls from `from` to its own value over the
 * first `steps` steps. From then on the chain is an ordinary, exact one; until then its states are
 * no draws of the posterior, and nnp_chain_sample passes over them. The step of a gradient sampler
 * goes with the root of the noise; unless NNP_OPTION_ADAPT_STEP is 0 it is also led after
 * NNP_OPTION_TARGET all the way. When the noise is the model's, the step is that of the options
 * again, and the warm-up begins. */
NNP_API int32_t nnp_chain_anneal(nnp_chain *chain, double from, int64_t steps, nnp_error *err);
/* Steps of annealing left; 0 for a chain that samples its posterior. */
NNP_API int32_t nnp_chain_annealing(const nnp_chain *chain, int64_t *steps, nnp_error *err);

/* Makes `steps` steps. After NNP_E_NUMERIC (a matrix that cannot be factored, weights or sites that
 * overflow) the chain stands in the middle of a step and needs a new start. */
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
/* Site k (1 … m) as [feature, row]; the last one, where it is observed, as the targets [target, row].
 * NNP_E_UNSUPPORTED if it is integrated out, and for NNP_CLASSICAL. */
NNP_API int32_t nnp_chain_site(const nnp_chain *chain, int64_t site, double *values,
                               nnp_error *err);
/* The log density of the posterior up to the evidence; NNP_E_NUMERIC if it is NaN. Intermediate:
 * all noise and prior terms, normalized. Classical: -(1/(2D)) loss (normalized too if D is learned)
 * and the prior terms, normalized. Learned scales count with the densities of D and lambda by their
 * hyperpriors, in nnp_chain_terms among the prior terms (of tied noise: the last layer's). */
NNP_API int32_t nnp_chain_log_density(nnp_chain *chain, double *value, nnp_error *err);
/* Its terms, m of each: log N(U_k | f_k, D_k), log prior of layer k, and the sum of squares
 * |U_k - f_k(U_{k-1})|^2 (of NNP_STUDENT_T in the last places: the t log density, and its loss as
 * in NNP_CLASSICAL). Of layers sampled as one, the last has the noise term and the squares,
 * the first the prior; the others are 0. Classical: -(1/(2D)) loss and the loss in the last places,
 * zeros before. Each pointer may be NULL. */
NNP_API int32_t nnp_chain_terms(nnp_chain *chain, double *log_noise, double *log_prior,
                                double *residuals, nnp_error *err);
/* The gradient statistic of a layer with weights: its noise D (NNP_CLASSICAL: that of the last
 * layer) times the mean over its weights of the gradient of the log density. It fluctuates about
 * zero once a chain samples the posterior: the paper calls a test of that the score method. */
NNP_API int32_t nnp_chain_gradient_statistic(nnp_chain *chain, int64_t layer, double *value,
                                             nnp_error *err);
/* What a Gibbs chain did since its start, by kind of move. */
enum {
  NNP_MOVE_PLAIN = 1,      /* steps with fresh draws */
  NNP_MOVE_RELAXED = 2,    /* over-relaxed steps */
  NNP_MOVE_UNIT = 3,       /* hidden units around an ellipse */
  NNP_MOVE_HAAR = 4,       /* scales of hidden units, sites scaled along */
  NNP_MOVE_SCALE = 5,      /* scales of hidden units, noises held */
  NNP_MOVE_EXPANSION = 6,  /* scale of probit scores */
  NNP_MOVE_DRAW = 7,       /* incoming weights of hidden units */
  NNP_MOVE_LAYER = 8,      /* incoming weights of all units of a hidden layer */
  NNP_MOVE_NOISE = 9,      /* learned noises, hidden sites following */
  NNP_MOVE_PRECISION = 10, /* learned precisions, weights scaled along */
  NNP_MOVE_KINDS = 10
};
typedef struct nnp_move_count {
  int64_t tried;
  int64_t moved;       /* those that went somewhere else */
  int64_t evaluations; /* of the density, over all of them; 0 where none is needed */
  int64_t reserved[5];
} nnp_move_count;
NNP_API int32_t nnp_chain_moves(const nnp_chain *chain, int32_t move, nnp_move_count *count,
                                nnp_error *err);
/* The same as a table, a line for each kind that was made, below a line with the steps made and
 * those of annealing left. 1024 bytes are always enough. */
NNP_API int32_t nnp_chain_print(const nnp_chain *chain, char *buffer, size_t size, nnp_error *err);
/* Rows of probit scores drawn so far: exactly (all scores of the row at once, from their joint
 * conditional) and by scanning (one score after the other). Two classes and the sign head are
 * always exact; with up to 64 classes the exact draw is a rejection, tried a few times first;
 * with more, rows are scanned. */
NNP_API int32_t nnp_chain_probit_draws(const nnp_chain *chain, int64_t *exact, int64_t *scanned,
                                       nnp_error *err);
/* Outputs of the forward pass (without noise) for other rows, [output, row], from the current
 * parameters; of NNP_LOCATION_SCALE the means only: one for each of nnp_net_targets.
 * NNP_E_NOT_FINITE where they overflow. */
NNP_API int32_t nnp_chain_predict(nnp_chain *chain, const nnp_data *data, double *outputs,
                                  nnp_error *err);
/* Its score (NNP_SCORE_…) on rows with targets or labels, from the current parameters, passed
 * forward without noise of hidden layers (NNP_FORWARD): cheap, and what studies record. Scores of
 * the model that is sampled: nnp_score. */
NNP_API int32_t nnp_chain_score(nnp_chain *chain, const nnp_data *data, int32_t score,
                                double *value, nnp_error *err);

/* What a gradient sampler tells about its last step; cheap, and may be asked from a callback. NaN
 * (and no divergences) before the first step behind a start. */
enum {
  NNP_STEP_LOG_DENSITY = 1, /* at the position after the step, as nnp_chain_log_density has it */
  NNP_STEP_ENERGY = 2,      /* -log density + kinetic energy, of the point chosen */
  NNP_STEP_ACCEPTANCE = 3,  /* probability of acceptance; NNP_NUTS: mean over its trajectory */
  NNP_STEP_SIZE = 4,        /* jitter included */
  NNP_STEP_DEPTH = 5,       /* NNP_NUTS: doublings of the trajectory; else 0 */
  NNP_STEP_LEAPFROGS = 6,   /* gradients taken */
  NNP_STEP_DIVERGENT = 7,   /* 1 if the energy error passed 1000, else 0 */
  NNP_STEP_DIVERGENCES = 8, /* divergent steps so far, those of the warm-up not counted */
  NNP_STEP_STATISTICS = 8   /* how many there are */
};
NNP_API int32_t nnp_chain_statistic(const nnp_chain *chain, int32_t statistic, double *value,
                                    nnp_error *err);
/* From the next step on, all statistics of every step go to values[statistic - 1, step]: room for
 * NNP_STEP_STATISTICS * capacity numbers. Steps behind the last place are not kept. The buffer must
 * live until it is replaced or given up (values = NULL). */
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
 * saved block can be restored only into a chain of the same network, sampler and data, on a machine
 * that has the SIMD level and, if NNP_OPTION_BLAS let one serve, the BLAS in force when it was
 * saved (NNP_E_UNSUPPORTED otherwise): set NNP_OPTION_SIMD to 1 for any machine.
 * Every value of a block is checked before any is taken over: one that no chain can have saved is
 * refused with NNP_E_SAVE_CORRUPTED, and a refused block leaves the chain as it was. */
NNP_API int32_t nnp_chain_save_bytes(const nnp_chain *chain, size_t *bytes, nnp_error *err);
NNP_API int32_t nnp_chain_save(const nnp_chain *chain, void *buffer, size_t size, nnp_error *err);
NNP_API int32_t nnp_chain_restore(nnp_chain *chain, const void *buffer, size_t size,
                                  nnp_error *err);
/* Rows over ranks: a rank saves its own rows, and what all ranks have. Restoring is a call of all ranks,
 * of any number and with any rows each, in as many blocks: each needs the saves that have its rows
 * (nnp_saved_rows tells which those are), all of the same moment. A save that lacks rows or belongs to
 * something else is refused on all ranks and leaves the chain as it was; one with values that no chain
 * can have saved leaves it without a start. */
typedef struct nnp_saved {
  const void *buffer;
  size_t size;
} nnp_saved;
NNP_API int32_t nnp_chain_restore_rows(nnp_chain *chain, const nnp_saved *saves, int64_t count,
                                       nnp_error *err);
NNP_API int32_t nnp_saved_rows(const void *buffer, size_t size, nnp_rows *rows, nnp_error *err);

/* Draws of separate jobs (of a job array, of workers that know nothing of each other): each job runs a
 * chain of its own number from the same seed, and saves its draws; one that has all those blocks merges
 * them. A block tells of which network, posterior, data and chain its draws are.
 *
 *     nnp_chain_start(chain, NNP_START_FIT, seed, job, &err);           in job number `job`
 *     nnp_chain_sample(chain, draws, 1000, 10, NULL, NULL, &err);
 *     nnp_draws_save(chain, draws, 1000, block, bytes, &err);           ... and to a file
 *
 *     nnp_draws_merge(saves, jobs, draws, 1000, NULL, &err);            [parameter, draw, chain]
 *     nnp_draws_init(...); nnp_convergence_of(...);                     as of chains of one process */
typedef struct nnp_saved_draws {
  int64_t parameters, draws;
  int64_t steps;          /* that the chain had made */
  uint64_t number;        /* of the chain */
  uint64_t network, data; /* fingerprints; data 0: of rows that are spread over ranks */
  int32_t sampler, posterior;
  int64_t reserved[4];
} nnp_saved_draws;
/* Bytes that `count` draws take, saved. */
NNP_API int32_t nnp_draws_save_bytes(const nnp_chain *chain, int64_t count, size_t *bytes,
                                     nnp_error *err);
/* Draws as nnp_chain_sample gave them, of this chain. */
NNP_API int32_t nnp_draws_save(const nnp_chain *chain, const double *draws, int64_t count,
                               void *buffer, size_t size, nnp_error *err);
NNP_API int32_t nnp_draws_saved(const void *buffer, size_t size, nnp_saved_draws *out,
                                nnp_error *err);
/* The last `draws_each` draws of every save, in the order of the chains' numbers whatever order the
 * saves come in; `chains`, where not NULL, gets what each of them is. Refused where networks, posteriors
 * or data differ, where a save has fewer draws, or where two have the same: a number used twice. */
NNP_API int32_t nnp_draws_merge(const nnp_saved *saves, int64_t count, double *draws,
                                int64_t draws_each, nnp_saved_draws *chains, nnp_error *err);

/* ---- Predictions --------------------------------------------------------------------------- */

typedef struct nnp_predictor nnp_predictor;

/* What to predict, and how the result is laid out. */
enum {
  NNP_PREDICT_MEAN = 1,      /* [output, row]: mean of the last site, which is that of a target */
  NNP_PREDICT_SD = 2,        /* [output, row]: standard deviation of the last site */
  NNP_PREDICT_QUANTILES = 3, /* [level, output, row]: of the last site, R's type 7 */
  NNP_PREDICT_PROBABILITIES = 4, /* [class, row]; sign head: P(+1), one a row */
  NNP_PREDICT_VOTES = 5,         /* [class, row]: share of draws where the class wins */
  NNP_PREDICT_DRAWS = 6          /* [output, row, draw]: the last site itself, once for each draw */
};

enum {
  NNP_SCORE_MSE = 1,      /* of the mean prediction; heads that have targets */
  NNP_SCORE_ACCURACY = 2, /* of the most probable class; NNP_ARGMAX, NNP_SIGN_HEAD */
  NNP_SCORE_LOG = 3       /* mean over rows of the log predictive density of the target */
};

/* Which noise predictions and scores have. */
enum {
  NNP_FORWARD = 0, /* none: the outputs f of the forward pass. SD and quantiles are those of f over
                      draws, not of targets: intervals are too short to cover them. Probabilities
                      and log scores have the noise of the last layer, not that of hidden ones */
  NNP_FITTED = 1   /* default: the model that was fitted. Quantiles are those of new targets */
};

/* A workspace for predictions from up to max_draws draws. (Only quantiles need room for them.) */
NNP_API int32_t nnp_predictor_create(nnp_predictor **predictor, const nnp_net *net,
                                     int64_t max_draws, nnp_error *err);
NNP_API void nnp_predictor_free(nnp_predictor *predictor);
NNP_API int32_t nnp_predictor_bytes(const nnp_net *net, int64_t max_draws, size_t *bytes,
                                    nnp_error *err);
NNP_API int32_t nnp_predictor_init(nnp_predictor **predictor, void *memory, size_t bytes,
                                   const nnp_net *net, int64_t max_draws, nnp_error *err);
/* NNP_FITTED (default) or NNP_FORWARD. Noise is drawn by `seed` (1 unless set): the same call gives
 * the same result.
 * Noise of hidden layers is integrated by Monte Carlo: several passes of each draw, each with fresh
 * noise. The noise of the last layer is integrated exactly in means, probabilities, log scores and
 * log likelihoods, and drawn in SD, quantiles, votes and draws. With one output below NNP_GAUSSIAN
 * or NNP_SIGN_HEAD, noise of the site below a last dense layer is integrated exactly, too.
 * Rows share the random numbers of a pass: what is predicted for a row does not depend on the other
 * rows of the call, and is smooth in the inputs. NNP_PREDICT_DRAWS are joint draws, with noise of
 * their own for every row. */
NNP_API int32_t nnp_predictor_noise(nnp_predictor *predictor, int32_t noise, uint64_t seed,
                                    nnp_error *err);
/* Passes of each draw, wherever noise is drawn: 1 … 2^20; quantiles make fewer if there is no room
 * for more than max_draws (or 1024 / outputs) values. 0 (default): as many as make 2000 in all,
 * at least 1 and at most 16 of a draw; 64 of every draw for nnp_log_lik. Of many draws the error
 * is about a fiftieth of a predictive standard deviation; of few it is a quarter or less of what the
 * noise adds to the error of the draws. A log likelihood has the variance v / passes, where v is the
 * relative variance of a pass's likelihood, and is too low by half of that. */
NNP_API int32_t nnp_predictor_passes(nnp_predictor *predictor, int64_t passes, nnp_error *err);
/* NNP_OPTION_SIMD and NNP_OPTION_BLAS of the predictions, as nnp_chain_set sets them for a
 * chain. */
NNP_API int32_t nnp_predictor_set(nnp_predictor *predictor, int32_t option, double value,
                                  nnp_error *err);
/* The posterior the draws are of; NNP_INTERMEDIATE unless set. With NNP_CLASSICAL the layers below
 * the last have no noise, and classes have the probabilities of softmax; SD, quantiles and draws of
 * their scores have none either. */
NNP_API int32_t nnp_predictor_posterior(nnp_predictor *predictor, int32_t posterior,
                                        nnp_error *err);
/* Levels of NNP_PREDICT_QUANTILES, 1 to 64 of them, each from 0 to 1. */
NNP_API int32_t nnp_predictor_levels(nnp_predictor *predictor, const double *levels, int64_t count,
                                     nnp_error *err);
/* Weights of draws, such as nnp_stack_chains gives to chains: means, sd, quantiles, probabilities,
 * votes and scores count draw s by weights[s] from now on, and need as many draws in every call.
 * Weights are not negative and need not sum to 1; at most max_draws of them, copied. Draws of weight 0
 * cost nothing. Equal weights, or NULL, are as none. NNP_PREDICT_DRAWS, nnp_log_lik and
 * nnp_functions have every draw by itself, whatever it weighs. */
NNP_API int32_t nnp_predictor_weights(nnp_predictor *predictor, const double *weights,
                                      int64_t draws, nnp_error *err);
/* Units of results, for targets that were standardized: target j is mean[j] + sd[j] times that of the
 * data, for each of nnp_net_targets. Means, sd, quantiles, draws, squared errors, log scores and log
 * likelihoods are told in these units; data (targets too) stay in theirs, and so do nnp_functions.
 * Both NULL: the units of the data. NNP_E_UNSUPPORTED for heads with labels. */
NNP_API int32_t nnp_predictor_units(nnp_predictor *predictor, const double *mean, const double *sd,
                                    nnp_error *err);
/* Threads: rows of nnp_predict, nnp_score and nnp_log_lik, and draws of nnp_functions, are shared out
 * among the pool's threads from now on. Results are the same bits for any number. Each thread but yours
 * needs room of its own, in a block that you own, 64-byte aligned; it, and the pool, must live until
 * another takes their place. pool NULL: your thread alone, and memory is not looked at. */
NNP_API int32_t nnp_predictor_pool_bytes(const nnp_predictor *predictor, nnp_pool *pool,
                                         size_t *bytes, nnp_error *err);
NNP_API int32_t nnp_predictor_use_pool(nnp_predictor *predictor, nnp_pool *pool, void *memory,
                                       size_t bytes, nnp_error *err);
/* Progress: from now on these four calls tell the callback, on the thread that made the call, how far
 * they have come, once for every draw that your thread is done with in some 128 rows, and while it waits
 * for others, and at the end of what others did. `step` of `steps` parts of the work are done; there is
 * no chain. Not 0: stop; unless all is done, the call returns NNP_STOPPED soon after, and its result is
 * not complete. nnp_throttled serves here as well.
 * Until the call is over its predictor is of no use to the callback (NNP_E_UNSUPPORTED). NULL: none. */
NNP_API int32_t nnp_predictor_watch(nnp_predictor *predictor, nnp_callback callback, void *user,
                                    nnp_error *err);
/* From `draws` draws of the parameters, [parameter, draw], for all rows of data. NNP_E_NOT_FINITE
 * where finite draws have outputs, means, squares or log scores that are not: the sentence names
 * the draw and the row, and `out` is not complete. */
NNP_API int32_t nnp_predict(nnp_predictor *predictor, const nnp_data *data, const double *params,
                            int64_t draws, int32_t kind, double *out, nnp_error *err);
NNP_API int32_t nnp_score(nnp_predictor *predictor, const nnp_data *data, const double *params,
                          int64_t draws, int32_t score, double *value, nnp_error *err);
/* The log likelihood of every row and draw, log p(target or label of the row | draw), for WAIC and
 * PSIS-LOO: out[row + rows * draw], the row fastest. Noise of hidden layers is integrated by a mean
 * of likelihoods over the passes of the draw, the last noise exactly. NNP_E_NOT_FINITE as above, and
 * for a likelihood below the smallest double. */
NNP_API int32_t nnp_log_lik(nnp_predictor *predictor, const nnp_data *data, const double *params,
                            int64_t draws, double *out, nnp_error *err);

/* ---- Recommended settings ------------------------------------------------------------------ */

/* For tables of data, where nothing need be decided but the data. This is the one place with
 * defaults; what R, Python, Julia and Fortran do in one call is this:
 *
 *     nnp_standard(x, n, p, NNP_ROW_MAJOR, x_mean, x_sd, &err);         and the same for y
 *     nnp_standardize(x, n, p, NNP_ROW_MAJOR, x_mean, x_sd, z, &err);   z goes to nnp_data_set_inputs
 *     nnp_model_defaults(&model, p, 1, NNP_GAUSSIAN, n, &err);
 *     nnp_net_create_model(&net, &model, &err);
 *     nnp_recommend(net, n, model.posterior, &recipe, &err);
 *     for (c = 0; c < recipe.chains; ++c) {
 *       nnp_chain_create(&chains[c], net, data, recipe.sampler, recipe.posterior, &err);
 *       nnp_chain_use_recipe(chains[c], &recipe, &err);
 *     }
 *     nnp_chains_start(chains, recipe.chains, recipe.start, seed, NULL, NULL, &err);
 *     nnp_chains_run(chains, recipe.chains, recipe.warmup, NULL, NULL, &err);
 *     nnp_chains_sample(chains, recipe.chains, draws, recipe.draws, recipe.thin, NULL, NULL, &err);
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
/* The recommended one for so many inputs, targets and training rows (0: not known). */
NNP_API int32_t nnp_model_defaults(nnp_model *model, int64_t inputs, int64_t targets, int32_t head,
                                   int64_t rows, nnp_error *err);
/* Your own activation and posterior in a model. 0 for the activation: the model's, unless the posterior
 * changes, which brings its own. 0 for the posterior: the model's, unless the activation does not go with
 * it. Activations without exact draws (NNP_TANH, …) go with NNP_CLASSICAL, which has
 * NNP_TANH by itself; those without slopes (NNP_SIGN) with NNP_INTERMEDIATE, which has NNP_RELU. */
NNP_API int32_t nnp_model_choose(nnp_model *model, int32_t activation, int32_t posterior,
                                 nnp_error *err);
/* The network, with room for 256 layers or in your own block of nnp_net_bytes(max_layers). All its
 * scales are learned: precisions of weights and biases layer by layer (for NNP_CLASSICAL with narrower
 * hyperpriors than the default, of shape 3), and the noise of the targets, if they have one; for
 * NNP_INTERMEDIATE all layers share it (of numbers: with multiples of 1). It may be changed as any
 * other. */
NNP_API int32_t nnp_net_create_model(nnp_net **net, const nnp_model *model, nnp_error *err);
NNP_API int32_t nnp_net_init_model(nnp_net **net, void *memory, size_t bytes, int64_t max_layers,
                                   const nnp_model *model, nnp_error *err);

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
/* The recommended one for a network and so many training rows. posterior: NNP_INTERMEDIATE,
 * NNP_CLASSICAL, or 0 for the one that suits the network: intermediate if it learns noise of hidden
 * layers, else classical where gradients exist. */
NNP_API int32_t nnp_recommend(const nnp_net *net, int64_t rows, int32_t posterior,
                              nnp_recipe *recipe, nnp_error *err);
/* Sets the options of a chain, NNP_OPTION_WARMUP among them if its sampler adapts. The chain is of
 * the recipe's sampler and posterior. */
NNP_API int32_t nnp_chain_use_recipe(nnp_chain *chain, const nnp_recipe *recipe, nnp_error *err);

/* Mean and standard deviation (denominator n) of every column of an n x columns table.
 * NNP_E_NOT_FINITE: an entry is NaN or infinite; the sentence names column and row, and nothing is
 * written. NNP_E_VALUE: a column is constant, the sentence names the first; all is written all the
 * same, 0 for the sd of constant columns, so that you may go on. */
NNP_API int32_t nnp_standard(const double *x, int64_t n, int64_t columns, int32_t order,
                             double *mean, double *sd, nnp_error *err);
/* out = (x - mean) / sd, in the same order; 0 in columns whose sd is 0. x itself may be out. */
NNP_API int32_t nnp_standardize(const double *x, int64_t n, int64_t columns, int32_t order,
                                const double *mean, const double *sd, double *out, nnp_error *err);
/* out = mean + sd * x */
NNP_API int32_t nnp_unstandardize(const double *x, int64_t n, int64_t columns, int32_t order,
                                  const double *mean, const double *sd, double *out,
                                  nnp_error *err);

/* ---- Teachers ------------------------------------------------------------------------------ */

/* A network whose parameters were drawn from the prior labels the data; then a draw from the
 * posterior is known (the teacher itself), and a chain that starts there shows where all others
 * should end. */
typedef struct nnp_teacher nnp_teacher;

/* Parameters from the prior, by (seed, number); no chain shares a random number with them. The
 * noise of its labels is that of the posterior to be sampled: of every layer (NNP_INTERMEDIATE), or
 * of the last one only (NNP_CLASSICAL). */
NNP_API int32_t nnp_teacher_create(nnp_teacher **teacher, const nnp_net *net, int32_t posterior,
                                   uint64_t seed, uint64_t number, nnp_error *err);
NNP_API void nnp_teacher_free(nnp_teacher *teacher);
NNP_API int32_t nnp_teacher_bytes(const nnp_net *net, size_t *bytes, nnp_error *err);
NNP_API int32_t nnp_teacher_init(nnp_teacher **teacher, void *memory, size_t bytes,
                                 const nnp_net *net, int32_t posterior, uint64_t seed,
                                 uint64_t number, nnp_error *err);
/* Reads them; puts others in their place. */
NNP_API int32_t nnp_teacher_parameters(const nnp_teacher *teacher, double *parameters,
                                       nnp_error *err);
NNP_API int32_t nnp_teacher_set_parameters(nnp_teacher *teacher, const double *parameters,
                                           nnp_error *err);
/* Sets the targets of data or, for NNP_ARGMAX and NNP_SIGN_HEAD, its labels (the largest score, the
 * sign), row by row. noise 0: without noise, as usual for test data. noise 1, 2, 3, …: with noise,
 * which only depends on that number, the teacher's (seed, number) and the row. sites, if not NULL,
 * receives the latent sites that made the labels and are sampled, one behind the other, each
 * [feature, row]: n times nnp_net_latents.
 * NNP_E_NOT_FINITE, and data as it was: a site or an output overflows.
 * (With NNP_CLASSICAL there are none; classes are then drawn by softmax, which is a model of labels
 * at temperature 1 only: noisy labels at any other, see nnp_net_temperature, are
 * NNP_E_UNSUPPORTED.) */
NNP_API int32_t nnp_teacher_label(nnp_teacher *teacher, nnp_data *data, int64_t noise,
                                  double *sites, nnp_error *err);
/* The informed start: the teacher's parameters and, if not NULL, the sites that made the labels of
 * the chain's data: an exact draw from its posterior. With NULL the sites are drawn through the
 * layers, noisy: right for labels without noise, and for NNP_CLASSICAL. The chain's network has the
 * teacher's layers; noises and priors may differ. */
NNP_API int32_t nnp_chain_start_teacher(nnp_chain *chain, const nnp_teacher *teacher,
                                        const double *sites, uint64_t seed, uint64_t number,
                                        nnp_error *err);

/* ---- Diagnostics --------------------------------------------------------------------------- */

/* Pure functions on your arrays. None of them allocates: each takes a workspace (memory, bytes) of
 * at least what its X_bytes says, aligned for double, with nothing in it before or after the call.
 * Different threads may work at once, each with a workspace of its own. */

/* Draws of one or more quantities where they lie: draw i of quantity q in chain c is
 * values[q * quantity_stride + i * draw_stride + c * chain_stride]. All chains are equally long. */
typedef struct nnp_draws {
  const double *values;
  int64_t quantities;
  int64_t draws; /* of each chain */
  int64_t chains;
  int64_t quantity_stride, draw_stride, chain_stride;
  int64_t reserved[4]; /* 0: anything else is refused, later versions may use it */
} nnp_draws;

/* Fills in the strides of the library's own layout, [quantity, draw, chain] with the quantity
 * fastest: what nnp_chains_sample wrote. With one quantity it is values[draw + draws * chain].
 * NNP_E_OVERFLOW, here and wherever draws are taken: they lie further apart than memory reaches. */
NNP_API int32_t nnp_draws_init(nnp_draws *draws, const double *values, int64_t quantities,
                               int64_t count, int64_t chains, nnp_error *err);

/* Statistics of a sample, defined as in R's package posterior (Vehtari, Gelman, Simpson, Carpenter,
 * Bürkner 2021). "Split" means: each chain counts as two, its halves; the middle draw of an odd
 * number is left out. */
enum {
  NNP_STAT_RHAT = 1,       /* the larger of the next two; above 1.01 look closer */
  NNP_STAT_RHAT_BULK = 2,  /* split, rank-normalized */
  NNP_STAT_RHAT_TAIL = 3,  /* the same of |x - median| */
  NNP_STAT_RHAT_BASIC = 4, /* split, as they are */
  NNP_STAT_ESS_BULK = 5,   /* effective sample size, split, rank-normalized */
  NNP_STAT_ESS_TAIL = 6,   /* the smaller of ESS_QUANTILE at 0.05 and 0.95 */
  NNP_STAT_ESS_MEAN = 7,
  NNP_STAT_ESS_SD = 8,
  NNP_STAT_ESS_QUANTILE = 9, /* takes a probability */
  NNP_STAT_MCSE_MEAN = 10,   /* Monte Carlo standard error */
  NNP_STAT_MCSE_SD = 11,
  NNP_STAT_MCSE_QUANTILE = 12, /* takes a probability */
  NNP_STAT_TAU = 13,           /* integrated autocorrelation time: draws, as split, / ESS_MEAN */
  NNP_STAT_ESS_SPECTRAL = 14,  /* autoregressive fits, chain by chain: coda effectiveSize */
  NNP_STAT_MEAN = 15,
  NNP_STAT_SD = 16,
  NNP_STAT_QUANTILE = 17 /* takes a probability; R's type 7 */
};

/* "ess_bulk" for NNP_STAT_ESS_BULK; "unknown" for a number that is none. Never NULL. */
NNP_API const char *nnp_statistic_name(int32_t statistic);
NNP_API int32_t nnp_statistic_bytes(const nnp_draws *draws, size_t *bytes, nnp_error *err);
/* One value for each quantity. Four draws or more, one chain or more; `probability` lies inside
 * (0, 1) and is looked at only by the statistics that take one. As in posterior a value is NaN
 * - where all draws are equal (within 2.2e-16), in the halves or after the transformation;
 * - for ESS, TAU and MCSE with fewer than six draws;
 * - with an infinite draw, except for the rank-based statistics;
 * and the R-hat of chains that stand still at different values is infinite or huge.
 * A NaN among the draws is NNP_E_NOT_FINITE: that quantity gets NaN, the others their values. */
NNP_API int32_t nnp_statistic(const nnp_draws *draws, int32_t statistic, double probability,
                              double *out, void *memory, size_t bytes, nnp_error *err);
/* Nested R-hat (Margossian et al. 2022) for many short chains: chains of one group started from
 * one point. groups[chain] names the group, any number; two groups or more, equally large. One draw
 * is enough. The workspace is that of nnp_statistic. */
NNP_API int32_t nnp_nested_rhat(const nnp_draws *draws, const int64_t *groups, double *out,
                                void *memory, size_t bytes, nnp_error *err);

/* ---- Have the chains of a fit converged? ---- */

/* Weights are not determined by data: hidden units may change places, so chains that agree about
 * every prediction may disagree about every weight. Convergence is therefore judged on functions of
 * a draw that matter:
 * - the mean log likelihood of some rows, "log_lik";
 * - predictions at some rows: the mean of the last site, "f[12]" or "f[12,2]" (row, output), or the
 *   probability of every class, "p[12]" or "p[12,2]" (row, class), all counted from 1;
 * - learned scales, by their names.
 * The log likelihood is of up to 32 rows of data, spread evenly; predictions are at `rows` of these,
 * 1 … 32, or 16 for rows = 0. They are those of the predictor's posterior and noise, hidden noise by
 * 4 passes (of classes 1) with the same noise for every draw. */
NNP_API int32_t nnp_functions_count(const nnp_predictor *predictor, const nnp_data *data,
                                    int64_t rows, int64_t *count, nnp_error *err);
/* out is [function, draw], so of all draws of all chains [function, draw, chain]: for
 * nnp_draws_init, and then for nnp_statistic and nnp_convergence_of. */
NNP_API int32_t nnp_functions(nnp_predictor *predictor, const nnp_data *data, const double *params,
                              int64_t draws, int64_t rows, double *out, nnp_error *err);
NNP_API int32_t nnp_function_name(const nnp_predictor *predictor, const nnp_data *data,
                                  int64_t rows, int64_t function, char *buffer, size_t size,
                                  nnp_error *err);

enum {
  NNP_CONVERGENCE_UNDECIDED = 0, /* fewer than 4 draws, or nothing moved */
  NNP_CONVERGED = 1,             /* R-hat at most 1.01, and 100 effective draws or more a chain */
  NNP_FEW_DRAWS = 2,             /* R-hat at most 1.01, but fewer: run longer */
  NNP_DOUBTFUL = 3,              /* R-hat up to 1.05: chains do not quite agree */
  NNP_NOT_CONVERGED = 4          /* R-hat above 1.05: chains disagree */
};
typedef struct nnp_convergence {
  int32_t verdict;
  int32_t reserved_int;
  double rhat;     /* NNP_STAT_RHAT, the largest of all functions; NaN if there is none */
  double ess_bulk; /* NNP_STAT_ESS_BULK and NNP_STAT_ESS_TAIL, the smallest */
  double ess_tail;
  double ess_needed; /* 100 for each chain: with fewer R-hat and ESS themselves are uncertain */
  int64_t worst;     /* the function with the largest R-hat, from 0; -1 if there is none */
  double reserved[4];
} nnp_convergence;

/* The verdict on draws of functions. Limits are those of Vehtari et al. (2021). Functions that stand
 * still at one value in all chains are left out. It can only say no: chains that are all stuck in
 * one place pass (nnp_twin tells more). */
NNP_API int32_t nnp_convergence_bytes(const nnp_draws *functions, size_t *bytes, nnp_error *err);
NNP_API int32_t nnp_convergence_of(const nnp_draws *functions, nnp_convergence *out, void *memory,
                                   size_t bytes, nnp_error *err);
/* "converged (R-hat up to 1.004, effective draws at least 1240 in bulk and 970 in tails)" and the
 * like. 160 bytes are always enough. */
NNP_API int32_t nnp_convergence_text(const nnp_convergence *convergence, char *buffer, size_t size,
                                     nnp_error *err);

/* ---- How well will it predict? What is each chain worth? ---- */

/* Leave-one-out cross-validation without fitting again, by Pareto smoothed importance sampling
 * (PSIS-LOO; Vehtari, Gelman, Gabry 2017), as R's package loo does it. log_lik has a quantity for
 * each row: what nnp_log_lik wrote for all draws of all chains, [row, draw, chain]. */
typedef struct nnp_loo_summary {
  double elpd;       /* expected log predictive density, the sum over rows … */
  double elpd_error; /* … and its standard error; NaN for a single row */
  double p_loo;      /* effective number of parameters: what elpd loses against the fitted rows */
  double p_loo_error;
  double largest_k;
  double k_limit;     /* min(1 - 1 / log10(draws), 0.7), draws of all chains together */
  int64_t unreliable; /* rows whose k is larger: they matter too much to be left out this way */
  double reserved[4];
} nnp_loo_summary;
NNP_API int32_t nnp_loo_bytes(const nnp_draws *log_lik, size_t *bytes, nnp_error *err);
/* efficiency[row]: effective size of the row's likelihoods (not their logarithms) as a share of the
 * draws, positive; NULL: 1. elpd[row] and pareto_k[row], the shape of the tail of importance weights,
 * may be NULL. k is 0 where all weights are equal, and infinite where the tail has fewer than 5
 * draws (up to 20 draws). */
NNP_API int32_t nnp_loo(const nnp_draws *log_lik, const double *efficiency, double *elpd,
                        double *pareto_k, nnp_loo_summary *out, void *memory, size_t bytes,
                        nnp_error *err);

/* Stacking of predictive densities: weights of models whose mixture predicts rows that were left out
 * best. It maximises the sum over rows of log sum_k weights[k] exp(elpd[row, k]), which is concave, by
 * EM steps with growing strides, until no weights can be ahead by more than 1e-9 per row (or for 20000
 * steps; `gap` tells). */
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
NNP_API int32_t nnp_stacking_bytes(int64_t rows, int64_t models, size_t *bytes, nnp_error *err);
/* elpd is [row, model], the row fastest: what nnp_loo has for every model. */
NNP_API int32_t nnp_stacking(const double *elpd, int64_t rows, int64_t models, double *weights,
                             nnp_stacking_summary *out, void *memory, size_t bytes, nnp_error *err);
/* What each chain is worth, where chains are in modes that they do not leave (Yao, Vehtari, Gelman
 * 2022): every chain is a model, with the leave-one-out densities of its own draws. log_lik as for
 * nnp_loo; one weight for each chain. Give every draw of a chain its weight in
 * nnp_predictor_weights.
 * These weights are careful. A row that is unreliable in any chain speaks for all chains alike, and one
 * more row speaks for each of them: what is maximised is the sum over all other rows of the log mixture
 * density, plus (1 + unreliable / chains) times the sum over chains of log weights[k] (`gap` is that of
 * this sum). So chains that predict about the same are worth about the same, and chains that are
 * too short, or models too flexible, to be judged by their own draws count nearly alike. */
NNP_API int32_t nnp_stack_chains_bytes(const nnp_draws *log_lik, size_t *bytes, nnp_error *err);
NNP_API int32_t nnp_stack_chains(const nnp_draws *log_lik, double *weights,
                                 nnp_stacking_summary *out, void *memory, size_t bytes,
                                 nnp_error *err);

/* R-hat of the paper's appendix A along a run, of a vector function such as the outputs on a test
 * set: draws are cut in blocks of `length`; what is left at the end is not used. times[draw], or
 * NULL for 0, 1, 2, ... out is [6, block]: mean time of the block; mean over the quantities; their
 * percentiles 25, 50, 75, 95. It is a ratio of variances, without a root; two chains or more. A
 * quantity that stands still at one value in all chains is left out; at different values it counts
 * as infinite. NaN or infinite draws and times that do not increase are refused. */
NNP_API int32_t nnp_block_rhat_bytes(const nnp_draws *psi, int64_t length, int64_t *blocks,
                                     size_t *bytes, nnp_error *err);
NNP_API int32_t nnp_block_rhat(const nnp_draws *psi, const double *times, int64_t length,
                               double *out, void *memory, size_t bytes, nnp_error *err);

/* ---- Has it thermalized? ------------------------------------------------------------------- */

/* One number along one chain: a test error, a gradient statistic, an R-hat. Times increase but need
 * not be even: logarithmic sampling is fine. times may be NULL for 0, 1, 2, ... */
typedef struct nnp_series {
  const double *times;
  const double *values;
  int64_t count;
  int64_t reserved[4]; /* 0: anything else is refused, later versions may use it */
} nnp_series;

enum {
  NNP_SCALE_AUTO = 0,   /* logarithms where values are positive and span decades */
  NNP_SCALE_LINEAR = 1, /* the values themselves */
  NNP_SCALE_LOG = 2     /* their logarithms; zeros are allowed before the chain has settled */
};

/* The size of the workspace of all functions of this section; it does not depend on the series. */
NNP_API int32_t nnp_thermalization_bytes(size_t *bytes, nnp_error *err);

enum { NNP_UNDECIDED = 0, NNP_THERMALIZED = 1, NNP_NOT_THERMALIZED = 2 };

enum {
  NNP_BECAUSE_MERGED = 1,          /* thermalized: with the informed chain from `time` to the end */
  NNP_BECAUSE_STUCK = 2,           /* not thermalized: stationary since `time`, at another level */
  NNP_BECAUSE_TOO_SHORT = 3,       /* undecided: fewer than 16 samples */
  NNP_BECAUSE_INFORMED_MOVING = 4, /* undecided: the informed chain is not stationary yet */
  NNP_BECAUSE_STILL_MOVING = 5,    /* undecided: elsewhere, and still on its way */
  NNP_BECAUSE_MERGED_LATELY = 6,   /* undecided: merged, for less than a quarter of the run */
  NNP_BECAUSE_TOO_FEW = 7          /* undecided: too few independent values to tell */
};

/* How the verdict is reached. nnp_thermalization_defaults fills in what is good for nearly all
 * cases. */
typedef struct nnp_thermalization_options {
  int32_t scale;          /* NNP_SCALE_AUTO */
  int32_t reserved_int;   /* 0: anything else is refused, later versions may use it */
  double block_tolerance; /* merged: means of blocks of time within 1 spread (sd) ... */
  double block_z;         /* ... and 3 standard errors of the informed level, to the end */
  double level_tolerance; /* levels differ if further apart than 0.5 spreads ... */
  double z;               /* ... and 3.5 standard errors */
  double resolution;      /* thermalized: a difference of 2 spreads would have shown */
  double merged_fraction; /* thermalized: 0.25 of the run lies behind the merging */
  double reserved[8];     /* the same */
} nnp_thermalization_options;

NNP_API int32_t nnp_thermalization_defaults(nnp_thermalization_options *options, nnp_error *err);

/* What was found about one chain. Levels are in units of the series (geometric means if `scale` is
 * NNP_SCALE_LOG); spreads and standard errors are on that scale. */
typedef struct nnp_verdict {
  int32_t verdict; /* NNP_UNDECIDED, NNP_THERMALIZED, NNP_NOT_THERMALIZED */
  int32_t because; /* NNP_BECAUSE_... */
  int32_t scale;   /* NNP_SCALE_LINEAR or NNP_SCALE_LOG: the one used */
  int32_t reserved_int;
  double time;            /* of merging, or of getting stuck; NaN if undecided */
  double level;           /* of this chain since then; if undecided, over its last half */
  double distance;        /* of that from the informed level in its spreads (sd), signed; NaN if the
                            informed chain is not stationary or a series is too short */
  double distance_error;  /* standard error of that */
  double independent;     /* independent values behind `level`; NaN below 16 samples */
  double informed_time;   /* from which the informed chain is stationary; NaN if it is not yet */
  double informed_level;  /* since then; if it is not stationary, over its last half */
  double informed_spread; /* this and what follows: NaN below 16 samples */
  double informed_error;  /* standard error of the informed level, autocorrelation included */
  double informed_autocorrelation_time; /* its integrated autocorrelation time, in units of time */
  double reserved[4];
} nnp_verdict;

/* The teacher-student test. `informed` is the series of a chain that started on the teacher,
 * `others` those of `count` chains that did not; lengths and times may differ. Finds where the
 * informed chain is stationary, its level and spread, and for each other chain whether and when it
 * merged with it for good. options may be NULL. At most a few passes over the series: as a run
 * grows, decide again, say each time it is a tenth longer. NaN or infinite values and times that do
 * not increase are refused.
 * What thermalized cannot exclude: levels that differ by less than `resolution` spreads (2 sd by
 * default) may not be told apart while the series are short, and those that differ by less than
 * `level_tolerance` (0.5 sd) never are. A smaller resolution asks for longer runs. */
NNP_API int32_t nnp_thermalization(const nnp_series *informed, const nnp_series *others,
                                   int64_t count, const nnp_thermalization_options *options,
                                   nnp_verdict *out, void *memory, size_t bytes, nnp_error *err);
/* "thermalized at t = 7.75e+04 (level 0.000164, 0.1 sd from the informed one)" and the like. 160
 * bytes are always enough. */
NNP_API int32_t nnp_verdict_text(const nnp_verdict *verdict, char *buffer, size_t size,
                                 nnp_error *err);

/* When one series settled. */
typedef struct nnp_settling {
  int32_t found; /* 1 or 0 */
  int32_t scale; /* the one used */
  double time;   /* NaN if not found */
  double level;  /* since then; if not found, over the last half */
  double spread; /* standard deviation on the scale used; this and the next two: NaN with fewer than
                    16 samples, where only the level is known */
  double error;  /* standard error of the level on the scale used */
  double autocorrelation_time; /* integrated, in units of time */
  double reserved[2];
} nnp_settling;

/* When did it become stationary? */
NNP_API int32_t nnp_stationarity(const nnp_series *series, int32_t scale, nnp_settling *out,
                                 void *memory, size_t bytes, nnp_error *err);
/* When did the gradient statistic start to fluctuate about zero? */
NNP_API int32_t nnp_gradient_settling(const nnp_series *gradient, nnp_settling *out, void *memory,
                                      size_t bytes, nnp_error *err);
/* When did R-hat become stationary at or below `limit`? (With blocks of few independent draws it
 * settles above 1: 2 is a sensible limit for the paper's blocks of 50.) NaN and infinite values are
 * allowed; nothing before them counts. */
NNP_API int32_t nnp_rhat_settling(const nnp_series *rhat, double limit, nnp_settling *out,
                                  void *memory, size_t bytes, nnp_error *err);

/* All criteria of the paper's figure 1 for one chain. gradient and rhat may have count 0: left
 * out. */
typedef struct nnp_criteria_series {
  nnp_series informed, other; /* the test function, such as the test error */
  nnp_series gradient;        /* nnp_chain_gradient_statistic of the other chain */
  nnp_series rhat;            /* between the two, or among several: second row of nnp_block_rhat */
} nnp_criteria_series;

typedef struct nnp_criteria_times {
  double teacher_student, stationarity, gradient, rhat; /* NaN where not reached or left out */
  nnp_verdict verdict;                                  /* of the teacher-student criterion */
} nnp_criteria_times;

NNP_API int32_t nnp_criteria(const nnp_criteria_series *series,
                             const nnp_thermalization_options *options, double rhat_limit,
                             nnp_criteria_times *out, void *memory, size_t bytes, nnp_error *err);

/* ---- Keeping less than all draws ----------------------------------------------------------- */

/* Draws of a wide network are large: 784-512-10 has 407,050 parameters, so that 1000 draws of 4 chains
 * take 13 GB. A keeper takes from every draw, while chains run, what will be needed, and lets the
 * parameters go: functions of the draw, one row for each draw; means and variances of them, or of all
 * parameters, which take the same memory for any number of draws; or a file.
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
typedef struct nnp_keeper nnp_keeper;

/* What to keep, and the values of one draw. Those of rows are of the predictor's posterior, noise,
 * passes and units, and have the bits that nnp_predict, nnp_log_lik and nnp_functions give for kept
 * parameters. */
enum {
  NNP_KEEP_PARAMETERS = 1,    /* [parameter]: what nnp_chains_sample keeps */
  NNP_KEEP_SCALES = 2,        /* [scale]: learned ones, the last of the parameters */
  NNP_KEEP_FUNCTIONS = 3,     /* [function]: nnp_functions, for nnp_convergence_of */
  NNP_KEEP_MEAN = 4,          /* [target, row]: NNP_PREDICT_MEAN of the draw by itself */
  NNP_KEEP_PROBABILITIES = 5, /* [class, row]: NNP_PREDICT_PROBABILITIES of the draw by itself */
  /* [target, row]: NNP_PREDICT_DRAWS, for intervals of new targets. Noise goes on from draw to draw:
   * that of chain c is what a predictor has whose seed is larger by c, for all draws of the chain in
   * one call. */
  NNP_KEEP_PREDICTIONS = 6,
  NNP_KEEP_LOG_LIK = 7 /* [row]: nnp_log_lik, for scores and nnp_loo; its noise goes on likewise */
};
typedef struct nnp_kept {
  int32_t what;    /* NNP_KEEP_… */
  int32_t moments; /* 1: means and variances over draws are kept, too */
  /* How to predict, copied with all its settings; weights of draws do not count here. NULL for
   * parameters and scales. */
  const nnp_predictor *predictor;
  const nnp_data
      *data;           /* the rows, which must outlive the keeper; NULL for parameters and scales */
  int64_t rows;        /* of NNP_KEEP_FUNCTIONS: as in nnp_functions; else 0 */
  int64_t reserved[4]; /* 0: anything else is refused, later versions may use it */
} nnp_kept;

/* What to say of so many draws of each of so many chains, if they take more than 2 GB: "draws of 407050
 * parameters, 1000 of each of 4 chains, take 13.0 GB: …". Nothing (an empty text) if they do not. What
 * one-call interfaces warn with. 256 bytes are always enough. */
NNP_API int32_t nnp_draws_advice(const nnp_net *net, int64_t chains, int64_t draws, char *buffer,
                                 size_t size, nnp_error *err);

/* For 1 to 16 quantities of `chain_count` chains of this network. */
NNP_API int32_t nnp_keeper_create(nnp_keeper **keeper, const nnp_net *net, const nnp_kept *kept,
                                  int64_t kept_count, int64_t chain_count, nnp_error *err);
NNP_API void nnp_keeper_free(nnp_keeper *keeper);
NNP_API int32_t nnp_keeper_bytes(const nnp_net *net, const nnp_kept *kept, int64_t kept_count,
                                 int64_t chain_count, size_t *bytes, nnp_error *err);
NNP_API int32_t nnp_keeper_init(nnp_keeper **keeper, void *memory, size_t bytes, const nnp_net *net,
                                const nnp_kept *kept, int64_t kept_count, int64_t chain_count,
                                nnp_error *err);
/* Values of one draw of quantity number `index` (from 0, as they were given). */
NNP_API int32_t nnp_keeper_width(const nnp_keeper *keeper, int64_t index, int64_t *width,
                                 nnp_error *err);
/* Where values go from now on: values[value, draw, chain] with room for `capacity` draws of each
 * chain, from its first place on. NULL: nowhere, as before the first call; moments need no room. */
NNP_API int32_t nnp_keeper_store(nnp_keeper *keeper, int64_t index, double *values,
                                 int64_t capacity, nnp_error *err);
/* Draws of a chain that are in place. Chains may differ after NNP_STOPPED. */
NNP_API int32_t nnp_keeper_stored(const nnp_keeper *keeper, int64_t index, int64_t chain,
                                  int64_t *draws, nnp_error *err);

/* count times: `thin` steps of every chain, then all quantities of the keeper are taken. Like
 * nnp_chains_sample in all else. Called again it goes on: the same values as one call. NNP_E_BUFFER_SIZE:
 * fewer than `count` places are left. NNP_E_NOT_FINITE: a draw has a prediction or likelihood that is
 * not finite; its chain ends there. Over ranks every rank has all values in the end; files are for
 * chains that are not shared out. */
NNP_API int32_t nnp_chains_keep(nnp_chain *const *chains, int64_t chain_count, nnp_keeper *keeper,
                                int64_t count, int64_t thin, nnp_callback callback, void *user,
                                nnp_error *err);

enum { NNP_ALL_CHAINS = -1 };
/* Mean and variance (denominator draws - 1; NaN for a single draw) of every value of a quantity over
 * all draws so far, of one chain or of all, merged in the order of chains: the same bits for any number
 * of threads. rhat, for NNP_ALL_CHAINS: R-hat of chains as wholes, not split; NaN where nothing moves,
 * for one chain, and where chains have different numbers of draws. variance and rhat may be NULL. */
NNP_API int32_t nnp_keeper_moments(const nnp_keeper *keeper, int64_t index, int64_t chain,
                                   double *mean, double *variance, double *rhat, nnp_error *err);

/* A file that is mapped into memory takes draws which memory has no room for: the system writes them
 * out and reads them back as they are needed. It says of which network, data and chains they are.
 * Whatever ends the process, draws made by then can be read: each is counted once it is complete.
 * (Should the machine itself go down, the last ones may be damaged, which is noticed.)
 *
 *     nnp_draws_file_create(&file, "draws.nnp", keeper, 1, 1000, &err);
 *     nnp_keeper_file(keeper, 1, file, &err);                       in place of nnp_keeper_store
 *     nnp_chains_keep(chains, 4, keeper, 1000, 10, NULL, NULL, &err);
 *     nnp_draws_file_free(file);
 *
 *     nnp_draws_file_open(&file, "draws.nnp", net, &err);           another day
 *     nnp_draws_file_view(file, &draws, &err);
 *     nnp_predict(predictor, data, draws.values, draws.draws, NNP_PREDICT_MEAN, mean, &err);  chain 0
 */
typedef struct nnp_draws_file nnp_draws_file;
/* A new file, with room for `capacity` draws of quantity `index` of every chain of the keeper. All of
 * its bytes are taken from the disk now: NNP_E_FILE if there are not as many. A file that exists is
 * refused, and stays as it is. path: UTF-8 on Windows, elsewhere as the system has it. */
NNP_API int32_t nnp_draws_file_create(nnp_draws_file **file, const char *path,
                                      const nnp_keeper *keeper, int64_t index, int64_t capacity,
                                      nnp_error *err);
/* Values of the quantity go to the file from now on, after those it has. It is the one it was made
 * for, and must not be freed before the keeper has had its last run. */
NNP_API int32_t nnp_keeper_file(nnp_keeper *keeper, int64_t index, nnp_draws_file *file,
                                nnp_error *err);
/* A file of draws, to be read. Its header, counts and all values are checked first, as those of saved
 * blocks are: NNP_E_SAVE_TRUNCATED, NNP_E_SAVE_CORRUPTED, NNP_E_SAVE_VERSION; NNP_E_SAVE_NETWORK if it
 * is of another network than `net` (NULL: any will do). */
NNP_API int32_t nnp_draws_file_open(nnp_draws_file **file, const char *path, const nnp_net *net,
                                    nnp_error *err);
/* Unmaps and closes it. */
NNP_API void nnp_draws_file_free(nnp_draws_file *file);
/* What is kept in it (NNP_KEEP_…), for how many draws of each of how many chains there is room. Each
 * pointer may be NULL. */
NNP_API int32_t nnp_draws_file_info(const nnp_draws_file *file, int32_t *what, int64_t *capacity,
                                    int64_t *chains, nnp_error *err);
/* A chain's draws in it: `parameters` is the number of values of a draw. All zero before the first. */
NNP_API int32_t nnp_draws_file_chain(const nnp_draws_file *file, int64_t chain,
                                     nnp_saved_draws *out, nnp_error *err);
/* Draws that all chains have, where they lie. Chains lie apart unless the file is full: chain c
 * begins at values + c * chain_stride. Valid until the file is freed. NNP_E_SIZE: none yet. */
NNP_API int32_t nnp_draws_file_view(const nnp_draws_file *file, nnp_draws *out, nnp_error *err);
/* A chain's draws as the block that nnp_draws_save would have made, for nnp_draws_merge: of files of
 * NNP_KEEP_PARAMETERS. */
NNP_API int32_t nnp_draws_file_save_bytes(const nnp_draws_file *file, int64_t chain, size_t *bytes,
                                          nnp_error *err);
NNP_API int32_t nnp_draws_file_save(const nnp_draws_file *file, int64_t chain, void *buffer,
                                    size_t size, nnp_error *err);

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

/* The chains are yours: any samplers, starts and options; all started, the first one informed
 * (nnp_chain_start_teacher). They must sample one posterior (NNP_INTERMEDIATE or NNP_CLASSICAL) of
 * the same training data under the same head, or their levels could not be compared; networks,
 * noises and priors may differ, at your own risk. Chains and data must outlive the study. Series
 * hold up to `capacity` samples (at least 512; 4096 is plenty) and are thinned when they are full.
 * test may be NULL: then bring a test function of your own, and there is no R-hat. */
NNP_API int32_t nnp_study_create(nnp_study **study, nnp_chain *const *chains, int64_t chain_count,
                                 const nnp_data *test, int64_t capacity, nnp_error *err);
NNP_API void nnp_study_free(nnp_study *study);
NNP_API int32_t nnp_study_bytes(nnp_chain *const *chains, int64_t chain_count, const nnp_data *test,
                                int64_t capacity, size_t *bytes, nnp_error *err);
NNP_API int32_t nnp_study_init(nnp_study **study, void *memory, size_t bytes,
                               nnp_chain *const *chains, int64_t chain_count, const nnp_data *test,
                               int64_t capacity, nnp_error *err);

/* Options. A budget must be set; the first four and NNP_STUDY_RHAT_LIMIT may change between
 * runs. */
enum {
  NNP_STUDY_STEPS = 1,    /* budget in steps of each chain; 0 (default): no such limit */
  NNP_STUDY_SECONDS = 2,  /* budget in seconds, over all runs; 0 (default): no such limit */
  NNP_STUDY_STOP = 3,     /* 1 (default): stop when all verdicts are in; 0: use up the budget */
  NNP_STUDY_PATIENCE = 4, /* ... and have stood while the run grew by this factor, 1.5; by its
                                eighth power where a chain is stuck, as plateaus may end */
  NNP_STUDY_SAMPLING = 5, /* NNP_SAMPLING_LOG (default) or NNP_SAMPLING_EVEN */
  NNP_STUDY_EVERY = 6,    /* of NNP_SAMPLING_EVEN: steps between samples to begin with; 1 */
  NNP_STUDY_FUNCTION = 7, /* test function: NNP_SCORE_MSE; NNP_SCORE_ACCURACY: recorded as the
                                share of errors; NNP_SCORE_LOG: as minus the log score; 0 (default):
                                mse for NNP_GAUSSIAN, the share of errors for classes, minus the log
                                score for other heads */
  NNP_STUDY_GRADIENT_LAYER = 8, /* layer of the gradient statistic U; 1; 0: none */
  NNP_STUDY_RHAT_EVERY = 9,     /* R-hat is that of the outputs on the test rows, measured every so
                                many steps; 0 (default): so that the budget makes 100 blocks */
  NNP_STUDY_RHAT_BLOCK = 10,    /* measurements a block; 50; 0: no R-hat */
  NNP_STUDY_RHAT_LIMIT = 11     /* R-hat must settle below this; 2 */
};

enum {
  NNP_SAMPLING_LOG = 1, /* every step to begin with, then at even distances of log t */
  NNP_SAMPLING_EVEN = 2
};

NNP_API int32_t nnp_study_set(nnp_study *study, int32_t option, double value, nnp_error *err);
NNP_API int32_t nnp_study_get(const nnp_study *study, int32_t option, double *value,
                              nnp_error *err);
NNP_API int32_t nnp_study_option_info(int32_t option, const char **name, double *low, double *high,
                                      double *initial, nnp_error *err);
/* How verdicts are reached; NULL: as nnp_thermalization_defaults says. */
NNP_API int32_t nnp_study_thermalization(nnp_study *study,
                                         const nnp_thermalization_options *options, nnp_error *err);
/* R-hat of a chain is that of itself and its partner: the informed chain, unless set. Before the
 * first run. */
NNP_API int32_t nnp_study_partner(nnp_study *study, int64_t chain, int64_t partner, nnp_error *err);

/* A test function of your own: writes its value for the chain as it stands. Not 0 means failure and
 * ends the run with that status. It is called on the pool's threads, for different chains at once.
 * Before the first run; NULL: none. */
typedef int32_t (*nnp_test_function)(nnp_chain *chain, double *value, void *user);
NNP_API int32_t nnp_study_function(nnp_study *study, nnp_test_function function, void *user,
                                   nnp_error *err);

/* Why the last run ended. */
enum {
  NNP_ENDED_NOT = 0, /* it has not run, it is running, or it failed */
  NNP_ENDED_VERDICTS = 1,
  NNP_ENDED_STEPS = 2,
  NNP_ENDED_SECONDS = 3,
  NNP_ENDED_STOPPED = 4
};

/* How far a study has come. Later versions may use reserved fields. */
typedef struct nnp_study_progress {
  int64_t steps;   /* made by every chain */
  int64_t samples; /* of the test function, by every chain */
  int64_t blocks;  /* entries of the R-hat series */
  int64_t decided; /* chains with a verdict */
  double share;    /* of the budget: 0 … 1 */
  double seconds;
  int32_t ended;
  int32_t reserved_int;
  double reserved[4];
} nnp_study_progress;

/* Called on the caller's thread: after every step that this thread makes, while it waits for other
 * threads, and when they are done. Not 0: stop. All that has been found by then may be read from
 * within. */
typedef int32_t (*nnp_study_callback)(const nnp_study *study, const nnp_study_progress *state,
                                      void *user);

/* Runs, chains side by side on the pool of the first one; called again, it goes on. Results depend
 * on neither threads nor calls, except for where a time limit or a callback ends it: samples that
 * all chains have by then are there to be read, whatever is returned. NNP_STOPPED: by the callback.
 * Series record everything, but verdicts and times only see what comes behind the last warm-up or
 * annealing of any chain; a budget of steps that ends before is refused. */
NNP_API int32_t nnp_study_run(nnp_study *study, nnp_study_callback callback, void *user,
                              nnp_error *err);

/* How far the study has come by now. */
NNP_API int32_t nnp_study_state(const nnp_study *study, nnp_study_progress *state, nnp_error *err);
/* Verdict, time and level of a chain (1 … chain_count-1), and its times by all criteria. */
NNP_API int32_t nnp_study_report(const nnp_study *study, int64_t chain, nnp_criteria_times *out,
                                 nnp_error *err);

enum {
  NNP_SERIES_TEST = 1,     /* the test function */
  NNP_SERIES_GRADIENT = 2, /* the gradient statistic; empty if there is none */
  NNP_SERIES_RHAT = 3,     /* mean over the test rows; empty if there is none */
  NNP_SERIES_RHAT_25 = 4,
  NNP_SERIES_RHAT_50 = 5,
  NNP_SERIES_RHAT_75 = 6,
  NNP_SERIES_RHAT_95 = 7 /* percentiles over the test rows */
};
/* A series of a chain (0 … chain_count-1), where it lies: valid until the study runs on. Times are
 * steps since the study began. */
NNP_API int32_t nnp_study_series(const nnp_study *study, int64_t chain, int32_t which,
                                 nnp_series *out, nnp_error *err);
/* The report as a table, a line a chain. 256 bytes a chain and 512 more are always enough. */
NNP_API int32_t nnp_study_print(const nnp_study *study, char *buffer, size_t size, nnp_error *err);

/* ---- Replica exchange, and the evidence ------------------------------------------------------ */

/* Chains that cannot get stuck for good, and log p(y | X). K chains of one network and data stand on a
 * ladder of powers 0 = beta_0 < … < beta_{K-1} = 1: level l samples the prior times the likelihood to
 * the power beta_l. Level 0 is the prior itself, drawn afresh at every sweep; the last level is the
 * posterior. After every sweep neighbours exchange their variables with the probability that leaves
 * all levels as they are, even and odd pairs in turn. A draw of the prior that wanders up to the
 * posterior is a restart that has arrived: independent of all that was there before.
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
 * The path: for observed targets the power of their likelihood (a Gaussian of noise D / beta; where D
 * is learned its normalization counts), and for classes that of the classical likelihood. Scores of
 * NNP_SIGN_HEAD and NNP_ARGMAX in the intermediate posterior have the noise D / beta instead, at the
 * end of which labels say nothing. Hidden noises and priors are the same at every level. Swaps do not
 * look at variables that can be drawn afresh: such scores and, in Gibbs chains with Gaussian targets,
 * the site below a dense last layer, which keeps the ladder short. Evaluating
 * NNP_ARGMAX with more than two classes takes an integral a row, longer than a Gibbs step.
 *
 * The same draws for any number of threads; levels run side by side on the pool of the first chain.
 * Nothing adapts after the tuning, so that every draw after it is from the posterior as soon as the
 * run has forgotten its start. */
typedef struct nnp_exchange nnp_exchange;

/* The chains are yours: 2 to 4096 of one network, data, sampler and posterior, with options as you
 * like; they must outlive the exchange. The last one is the target: all that can be asked of a chain
 * can be asked of it, at any time. The others are ordinary chains too while no run has them, whose
 * variables happen to be those of another level. How many? Up to chain_count of them are used,
 * 2 Lambda + 1 if that is fewer; `wanted` of nnp_exchange_report says after a tuning whether more
 * would serve. About sqrt(parameters / 6) for every factor e from the noise of the targets to their
 * variance is a good first guess of Lambda. */
NNP_API int32_t nnp_exchange_create(nnp_exchange **exchange, nnp_chain *const *chains,
                                    int64_t chain_count, nnp_error *err);
NNP_API void nnp_exchange_free(nnp_exchange *exchange);
NNP_API int32_t nnp_exchange_bytes(nnp_chain *const *chains, int64_t chain_count, size_t *bytes,
                                   nnp_error *err);
NNP_API int32_t nnp_exchange_init(nnp_exchange **exchange, void *memory, size_t bytes,
                                  nnp_chain *const *chains, int64_t chain_count, nnp_error *err);

enum {
  NNP_EXCHANGE_REPLICAS = 1,    /* levels of the ladder; 0 (default): found from the barrier */
  NNP_EXCHANGE_ROUNDS = 2,      /* of nnp_exchange_tune; 6 */
  NNP_EXCHANGE_FIRST_ROUND = 3, /* its sweeps, 20; each round has twice those of the one before */
  NNP_EXCHANGE_STEPS = 4        /* steps of every chain between swaps; 1 */
};
NNP_API int32_t nnp_exchange_set(nnp_exchange *exchange, int32_t option, double value,
                                 nnp_error *err);
NNP_API int32_t nnp_exchange_get(const nnp_exchange *exchange, int32_t option, double *value,
                                 nnp_error *err);

/* A ladder of your own: 0, …, 1, increasing, at most one power a chain. nnp_exchange_start keeps it,
 * nnp_exchange_tune does not. */
NNP_API int32_t nnp_exchange_set_ladder(nnp_exchange *exchange, const double *powers, int64_t count,
                                        nnp_error *err);

enum {
  NNP_EXCHANGE_FROM_PRIOR = 1, /* every chain from a draw of the prior */
  NNP_EXCHANGE_FROM_TARGET = 2 /* all from where the last chain stands, which has a start */
};
/* Starts all chains, with the streams of (seed, 0), (seed, 1), … Two exchanges from different starts
 * that agree say more than any number from one. */
NNP_API int32_t nnp_exchange_start(nnp_exchange *exchange, int32_t from, uint64_t seed,
                                   nnp_error *err);

/* How far a run has come. Later versions may use reserved fields. */
typedef struct nnp_exchange_progress {
  int64_t done, sweeps; /* of this call: made, and to be made */
  int64_t round;        /* of a tuning, from 1; 0: none */
  int64_t restarts;     /* that have arrived since the tuning, or since the round began */
  double seconds;
  double reserved[3];
} nnp_exchange_progress;
/* Called after every sweep. Not 0: stop. The chains may be read from within. */
typedef int32_t (*nnp_exchange_callback)(const nnp_exchange_progress *state, void *user);

/* Rounds of sweeps, after each of which the powers are put where all neighbours reject alike, and
 * levels added or left out. NNP_HMC, NNP_MALA and NNP_NUTS adapt meanwhile, every level for itself:
 * their warm-up is this tuning. */
NNP_API int32_t nnp_exchange_tune(nnp_exchange *exchange, nnp_exchange_callback callback,
                                  void *user, nnp_error *err);
/* Makes sweeps. Called again it goes on; results do not depend on how sweeps are divided into calls.
 * After NNP_STOPPED all sweeps made count. */
NNP_API int32_t nnp_exchange_run(nnp_exchange *exchange, int64_t sweeps,
                                 nnp_exchange_callback callback, void *user, nnp_error *err);
/* The same, and the target's parameters after every thin-th sweep are kept: [parameter, draw]. */
NNP_API int32_t nnp_exchange_sample(nnp_exchange *exchange, double *draws, int64_t count,
                                    int64_t thin, nnp_exchange_callback callback, void *user,
                                    nnp_error *err);

/* The index process: after each sweep from here on, the level (from 0) at which each replica is,
 * levels[replica + sweep * replicas], for as many sweeps as there is room for. A replica is one set of
 * variables on its way. Sweeps of tunings are not kept. NULL: no more. */
NNP_API int32_t nnp_exchange_record(nnp_exchange *exchange, int32_t *levels, int64_t capacity,
                                    nnp_error *err);
/* Sweeps kept so far. */
NNP_API int32_t nnp_exchange_recorded(const nnp_exchange *exchange, int64_t *sweeps,
                                      nnp_error *err);

enum {
  NNP_EXCHANGE_MIXES = 1,         /* at least 10 restarts have arrived */
  NNP_EXCHANGE_RUN_LONGER = 2,    /* fewer, as is to be expected after so few sweeps */
  NNP_EXCHANGE_MORE_REPLICAS = 3, /* fewer, and neighbours are too far apart to swap often */
  NNP_EXCHANGE_SLOW = 4 /* fewer than swaps this frequent would bring: chains forget slowly.
                                     More NNP_EXCHANGE_STEPS, or another sampler */
};

/* What was found since the tuning. Later versions may use reserved fields. */
typedef struct nnp_exchange_summary {
  int64_t chains, replicas; /* given, and used */
  int64_t wanted;           /* replicas: 2 Lambda + 1 */
  int64_t sweeps;           /* since the counts began */
  int64_t restarts;         /* replicas that came from the prior to the posterior */
  int64_t round_trips;      /* and then back to the prior */
  double expected_restarts; /* if chains forgot all between swaps */
  double barrier;           /* Lambda; by the tuning, where no sweeps were made since */
  double least_swaps;       /* the lowest mean probability of a swap */
  double mean_swaps;
  double log_evidence;   /* log p(y | X), NaN before the first sweep. For the classical posterior
                                 of classes at another D than 1/2: that of the tempered likelihood */
  double evidence_error; /* its standard error, from batches of sweeps; NaN for few sweeps, and
                                 too small while few restarts have arrived */
  int32_t verdict;       /* NNP_EXCHANGE_MIXES … */
  int32_t tuned;
  double reserved[4];
} nnp_exchange_summary;
NNP_API int32_t nnp_exchange_report(const nnp_exchange *exchange, nnp_exchange_summary *out,
                                    nnp_error *err);
/* The verdict in a few sentences. 768 bytes are always enough. */
NNP_API int32_t nnp_exchange_text(const nnp_exchange *exchange, char *buffer, size_t size,
                                  nnp_error *err);

/* One level of the ladder. */
typedef struct nnp_exchange_rung {
  double power;   /* beta */
  double swaps;   /* mean probability of a swap with the level above; NaN for the last, and before
                     any were tried */
  double barrier; /* Lambda from level 0 up to this one */
  double reserved[3];
} nnp_exchange_rung;
NNP_API int32_t nnp_exchange_level(const nnp_exchange *exchange, int64_t level,
                                   nnp_exchange_rung *out, nnp_error *err);

/* Saving: ladder, counts, places of replicas and all chains as nnp_chain_save has them. Restored, the
 * exchange goes on bit for bit. A buffer that is refused leaves ladder and counts untouched. */
NNP_API int32_t nnp_exchange_save_bytes(const nnp_exchange *exchange, size_t *bytes,
                                        nnp_error *err);
NNP_API int32_t nnp_exchange_save(const nnp_exchange *exchange, void *buffer, size_t size,
                                  nnp_error *err);
NNP_API int32_t nnp_exchange_restore(nnp_exchange *exchange, const void *buffer, size_t size,
                                     nnp_error *err);

/* ---- Several starts, of which the best goes on --------------------------------------------- */

/* The mode a chain reaches is usually decided early. Several chains get a share of the budget, from
 * different starts; the one whose weights fit the training data best, passed forward without noise,
 * goes on with the rest.
 *
 *     nnp_multistart_create(&multistart, chains, 4, &err);
 *     nnp_multistart_set(multistart, NNP_MULTISTART_STEPS, 100000, &err);
 *     nnp_multistart_run(multistart, seed, NULL, NULL, &err);
 *     nnp_multistart_best(multistart, &best, &err);    chains[best] is the one to sample from
 */
typedef struct nnp_multistart nnp_multistart;

/* The chains are yours: of one network, data, sampler and posterior, with options as you like; they
 * need no start. They must outlive the multistart object. */
NNP_API int32_t nnp_multistart_create(nnp_multistart **multistart, nnp_chain *const *chains,
                                      int64_t chain_count, nnp_error *err);
NNP_API void nnp_multistart_free(nnp_multistart *multistart);
NNP_API int32_t nnp_multistart_bytes(nnp_chain *const *chains, int64_t chain_count, size_t *bytes,
                                     nnp_error *err);
NNP_API int32_t nnp_multistart_init(nnp_multistart **multistart, void *memory, size_t bytes,
                                    nnp_chain *const *chains, int64_t chain_count, nnp_error *err);

enum {
  NNP_MULTISTART_STEPS = 1, /* budget: steps of all chains together. It must be set */
  NNP_MULTISTART_SHARE =
      2, /* of the budget, for all attempts together; 0.5. 1: nothing is left to go on */
  /* Annealed chains start at this noise and anneal for three quarters of their attempt. 0
   * (default): a hundredth of the mean square of the targets; probit heads: 1. Networks that have
   * no less noise are not annealed. */
  NNP_MULTISTART_ANNEAL_FROM = 3,
  NNP_MULTISTART_ZERO_STARTS =
      4 /* chains, from the second on, that start at zero without annealing; 1 */
};
NNP_API int32_t nnp_multistart_set(nnp_multistart *multistart, int32_t option, double value,
                                   nnp_error *err);
NNP_API int32_t nnp_multistart_get(const nnp_multistart *multistart, int32_t option, double *value,
                                   nnp_error *err);

/* How far a multistart has come: steps made so far in this call and steps to be made, all chains
 * together. */
typedef struct nnp_multistart_progress {
  int64_t done, steps;
  int64_t best; /* the chain that goes on; -1 while all chains run */
  int64_t reserved[5];
} nnp_multistart_progress;
/* Called on the caller's thread: after every step that this thread makes, while it waits for other
 * threads, and when they are done. Not 0: stop. */
typedef int32_t (*nnp_multistart_callback)(const nnp_multistart_progress *state, void *user);

/* Starts all chains, by (seed, 0), (seed, 1), …, and runs them, side by side on the pool of the
 * first one; then goes on with the best. Called again it starts all over. */
NNP_API int32_t nnp_multistart_run(nnp_multistart *multistart, uint64_t seed,
                                   nnp_multistart_callback callback, void *user, nnp_error *err);

/* What came of one attempt. */
typedef struct nnp_attempt {
  double error; /* training error over the last quarter of the attempt: mean squared error, or minus
                     the mean log probability of the labels; NaN if there was none */
  int64_t rank; /* 1 for the best; 0 before all attempts are over */
  int64_t steps;    /* made by the chain, in all */
  int32_t annealed; /* 1, or 0: from zero */
  int32_t reserved_int;
  double reserved[4];
} nnp_attempt;
NNP_API int32_t nnp_multistart_report(const nnp_multistart *multistart, int64_t chain,
                                      nnp_attempt *out, nnp_error *err);
/* Number of the best chain. NNP_E_NOT_STARTED before all attempts are over. */
NNP_API int32_t nnp_multistart_best(const nnp_multistart *multistart, int64_t *chain,
                                    nnp_error *err);
/* The reports as a table, the best one first. 80 bytes a chain and 80 more are always enough. */
NNP_API int32_t nnp_multistart_print(const nnp_multistart *multistart, char *buffer, size_t size,
                                     nnp_error *err);

/* ---- Is a chain stuck? --------------------------------------------------------------------- */

/* For data that no teacher made. Labels are made from the chain's own weights, and a twin of it is
 * started on them from what made them. The twin is in equilibrium: its training error (of the
 * forward pass without noise) is what the chain's own would be if it were, too. A chain above that
 * is stuck: weights exist that fit better, and the posterior is there.
 *
 *     nnp_twin_create(&twin, chain, &err);
 *     nnp_twin_run(twin, 20000, 1, seed, NULL, NULL, &err);
 *     nnp_twin_text(twin, text, sizeof text, &err);
 *
 * It can only say no. A chain that passes fits as well as its own weights would have it, which the
 * weights of another mode may, too. */
typedef struct nnp_twin nnp_twin;

/* A twin of a Gibbs chain, which must outlive it. */
NNP_API int32_t nnp_twin_create(nnp_twin **twin, nnp_chain *chain, nnp_error *err);
NNP_API void nnp_twin_free(nnp_twin *twin);
NNP_API int32_t nnp_twin_bytes(nnp_chain *chain, size_t *bytes, nnp_error *err);
NNP_API int32_t nnp_twin_init(nnp_twin **twin, void *memory, size_t bytes, nnp_chain *chain,
                              nnp_error *err);

/* Makes labels from the chain as it stands, with the model's noise (noisy = 1) or without (0, where
 * you know that the chain's own labels have none), and runs the chain and its twin for `steps`
 * steps, side by side on the chain's pool, with the same options. The chain should have settled
 * before. callback as in nnp_multistart_run. */
NNP_API int32_t nnp_twin_run(nnp_twin *twin, int64_t steps, int32_t noisy, uint64_t seed,
                             nnp_multistart_callback callback, void *user, nnp_error *err);
/* The verdict on the chain, the twin in the place of the informed one: NNP_NOT_THERMALIZED with
 * distance > 0 if it is stuck above its twin. */
NNP_API int32_t nnp_twin_report(const nnp_twin *twin, nnp_verdict *out, nnp_error *err);
/* The same in a sentence; 256 bytes are always enough. */
NNP_API int32_t nnp_twin_text(const nnp_twin *twin, char *buffer, size_t size, nnp_error *err);
/* The series of training errors: of the chain (0) or of its twin (1), where it lies. */
NNP_API int32_t nnp_twin_series(const nnp_twin *twin, int64_t which, nnp_series *out,
                                nnp_error *err);

/* ---- Is a sampler right? ------------------------------------------------------------------- */

/* Simulation-based calibration: draw parameters from the prior, data from them, posterior draws
 * from the data; the rank of the true parameter among the draws is uniform. One call a replication:
 * truth[quantity] -> ranks[quantity], from 0 to draws * chains. The draws should be thinned until
 * nearly independent. ties[quantity], uniform in [0, 1), shares out draws equal to the truth (for
 * discrete quantities); NULL counts none of them. */
NNP_API int32_t nnp_sbc_ranks(const double *truth, const nnp_draws *posterior, const double *ties,
                              int64_t *ranks, nnp_error *err);
/* ranks[quantity, replication], each 0 ... max_rank -> counts[bin, quantity] and the p-value of
 * Pearson's test of uniformity for each quantity (NULL if not wanted). 2 ... max_rank + 1 bins. */
NNP_API int32_t nnp_sbc_histogram(const int64_t *ranks, int64_t quantities, int64_t replications,
                                  int64_t max_rank, int64_t bins, int64_t *counts, double *p_values,
                                  nnp_error *err);

/* Geweke's joint test: alternate a transition of the sampler with fresh data given everything; the
 * draws must have the moments of the prior. z is [2, quantity]: of the mean and of the second
 * moment, with standard errors from effective sample sizes; |z| < 4 if the sampler is right.
 * p_value (NULL if not wanted) is that of the largest |z|, Bonferroni. Six draws or more; draws and
 * moments must be finite.
 * For the bytes, prior may be NULL if moments will be given. */
NNP_API int32_t nnp_geweke_bytes(const nnp_draws *alternating, const nnp_draws *prior,
                                 size_t *bytes, nnp_error *err);
NNP_API int32_t nnp_geweke_draws(const nnp_draws *alternating, const nnp_draws *prior, double *z,
                                 double *p_value, void *memory, size_t bytes, nnp_error *err);
NNP_API int32_t nnp_geweke_moments(const nnp_draws *alternating, const double *mean,
                                   const double *second_moment, double *z, double *p_value,
                                   void *memory, size_t bytes, nnp_error *err);

#ifdef __cplusplus
}
#endif

#endif /* NNPOST_H */

"""Generated from the headers of capi/ by bindings/generate.py: do not edit."""
import ctypes as c

NNP_OK = 0
NNP_E_NULL = 1
NNP_E_SIZE = 2
NNP_E_OVERFLOW = 3
NNP_E_NOT_FINITE = 4
NNP_E_LABEL = 5
NNP_E_VALUE = 6
NNP_E_SHAPE = 7
NNP_E_MEMORY_SIZE = 8
NNP_E_MEMORY_ALIGNMENT = 9
NNP_E_HEAD_MISPLACED = 10
NNP_E_SECOND_HEAD = 11
NNP_E_NO_LAYERS = 12
NNP_E_NO_HEAD = 13
NNP_E_SAVE_TRUNCATED = 14
NNP_E_SAVE_CORRUPTED = 15
NNP_E_SAVE_VERSION = 16
NNP_E_SAVE_NETWORK = 17
NNP_E_OPTION = 18
NNP_E_ENUM = 19
NNP_E_UNSUPPORTED = 20
NNP_E_NUMERIC = 21
NNP_E_NOT_STARTED = 22
NNP_STOPPED = 23
NNP_E_OUT_OF_MEMORY = 24
NNP_E_NET_FULL = 25
NNP_E_BUFFER_SIZE = 26
NNP_E_THREAD = 27
NNP_E_NO_DATA = 28
NNP_E_SAVE_DATA = 29
NNP_E_INFEASIBLE = 30
NNP_E_COMM = 31
NNP_E_RANKS = 32
NNP_E_FILE = 33
NNP_VERSION = "0.2.0"
NNP_ABI_VERSION = 0
NNP_ALL_LAYERS = 0
NNP_HEAD = -1
NNP_IDENTITY = 101
NNP_RELU = 102
NNP_LEAKY_RELU = 103
NNP_ABS = 104
NNP_SIGN = 105
NNP_HARD_TANH = 106
NNP_TANH = 107
NNP_SOFTPLUS = 108
NNP_GELU = 109
NNP_GAUSSIAN = 201
NNP_ARGMAX = 202
NNP_SIGN_HEAD = 203
NNP_STUDENT_T = 204
NNP_LOCATION_SCALE = 205
NNP_NOISE = 301
NNP_LAMBDA_W = 302
NNP_LAMBDA_B = 303
NNP_BIAS = 304
NNP_SLOPE = 305
NNP_COLLAPSE = 306
NNP_PADDING_Y = 307
NNP_PADDING_X = 308
NNP_ARD = 309
NNP_FREEDOM = 320
NNP_ROW_MAJOR = 401
NNP_COLUMN_MAJOR = 402
NNP_GIBBS = 501
NNP_HMC = 502
NNP_MALA = 503
NNP_NUTS = 504
NNP_INTERMEDIATE = 601
NNP_CLASSICAL = 602
NNP_START_ZERO = 701
NNP_START_PRIOR = 702
NNP_START_SMALL = 703
NNP_START_FIT = 704
NNP_PREDICT_MEAN = 801
NNP_PREDICT_SD = 802
NNP_PREDICT_QUANTILES = 803
NNP_PREDICT_PROBABILITIES = 804
NNP_PREDICT_VOTES = 805
NNP_PREDICT_DRAWS = 806
NNP_SCORE_MSE = 901
NNP_SCORE_ACCURACY = 902
NNP_SCORE_LOG = 903
NNP_RECOMMENDED = -1
NNP_TABLE_SEED = 1801
NNP_TABLE_HEAD = 1802
NNP_TABLE_ACTIVATION = 1803
NNP_TABLE_POSTERIOR = 1804
NNP_TABLE_ARD = 1805
NNP_TABLE_SAMPLER = 1806
NNP_TABLE_START = 1807
NNP_TABLE_CHAINS = 1808
NNP_TABLE_WARMUP = 1809
NNP_TABLE_DRAWS = 1810
NNP_TABLE_THIN = 1811
NNP_TABLE_THREADS = 1812
NNP_TABLE_STACKING = 1813
NNP_TABLE_CONSTANT = 1814
NNP_STORE_AUTO = 1000
NNP_STORE_DOUBLES = 1001
NNP_STORE_SINGLES = 1002
NNP_STORE_BYTES = 1003
NNP_STORE_SPARSE = 1004
NNP_STORE_AUTO_IMAGES = 1005
NNP_OPTION_SCHEDULE = 1101
NNP_OPTION_SIMD = 1102
NNP_OPTION_RELAX = 1103
NNP_OPTION_PLAIN_EVERY = 1104
NNP_OPTION_UNIT_MOVES = 1105
NNP_OPTION_EXPANSION = 1106
NNP_OPTION_SCALE_MOVES = 1107
NNP_OPTION_STEP_SIZE = 1108
NNP_OPTION_LEAPFROGS = 1109
NNP_OPTION_JITTER = 1110
NNP_OPTION_TARGET = 1111
NNP_OPTION_MAX_DEPTH = 1112
NNP_OPTION_WARMUP = 1113
NNP_OPTION_ADAPT_STEP = 1114
NNP_OPTION_ADAPT_MASS = 1115
NNP_OPTION_MOVES = 1116
NNP_OPTION_UNIT_DRAWS = 1117
NNP_OPTION_LAYER_MOVES = 1118
NNP_OPTION_BLAS = 1119
NNP_OPTION_NOISE_MOVES = 1120
NNP_OPTION_PRECISION_MOVES = 1121
NNP_OPTION_SINGLE_GRADIENTS = 1122
NNP_BLAS_AUTOMATIC = 1200
NNP_BLAS_NONE = 1201
NNP_BLAS_ALL = 1202
NNP_BLAS_WHOLE = 1203
NNP_MOVES_PLAIN = 0
NNP_MOVES_AUTOMATIC = 1
NNP_SEQUENTIAL = 1301
NNP_PARALLEL = 1302
NNP_BACKWARD = 1303
NNP_PHASE_START = 1401
NNP_PHASE_WARMUP = 1402
NNP_PHASE_SAMPLING = 1403
NNP_DESCENT_NONE = 1500
NNP_DESCENT_STEPS = 1501
NNP_DESCENT_CONVERGED = 1502
NNP_DESCENT_FLAT = 1503
NNP_DESCENT_STOPPED = 1504
NNP_FORWARD = 1600
NNP_FITTED = 1601
NNP_KEEP_PARAMETERS = 1701
NNP_KEEP_SCALES = 1702
NNP_KEEP_FUNCTIONS = 1703
NNP_KEEP_MEAN = 1704
NNP_KEEP_PROBABILITIES = 1705
NNP_KEEP_PREDICTIONS = 1706
NNP_KEEP_LOG_LIK = 1707
NNP_ALL_CHAINS = -1
NNP_MOVE_PLAIN = 2001
NNP_MOVE_RELAXED = 2002
NNP_MOVE_UNIT = 2003
NNP_MOVE_HAAR = 2004
NNP_MOVE_SCALE = 2005
NNP_MOVE_EXPANSION = 2006
NNP_MOVE_DRAW = 2007
NNP_MOVE_LAYER = 2008
NNP_MOVE_NOISE = 2009
NNP_MOVE_PRECISION = 2010
NNP_MOVE_KINDS = 10
NNP_STEP_LOG_DENSITY = 2101
NNP_STEP_ENERGY = 2102
NNP_STEP_ACCEPTANCE = 2103
NNP_STEP_SIZE = 2104
NNP_STEP_DEPTH = 2105
NNP_STEP_LEAPFROGS = 2106
NNP_STEP_DIVERGENT = 2107
NNP_STEP_DIVERGENCES = 2108
NNP_STEP_STATISTICS = 8
NNP_STAT_RHAT = 2201
NNP_STAT_RHAT_BULK = 2202
NNP_STAT_RHAT_TAIL = 2203
NNP_STAT_RHAT_BASIC = 2204
NNP_STAT_ESS_BULK = 2205
NNP_STAT_ESS_TAIL = 2206
NNP_STAT_ESS_MEAN = 2207
NNP_STAT_ESS_SD = 2208
NNP_STAT_ESS_QUANTILE = 2209
NNP_STAT_MCSE_MEAN = 2210
NNP_STAT_MCSE_SD = 2211
NNP_STAT_MCSE_QUANTILE = 2212
NNP_STAT_TAU = 2213
NNP_STAT_ESS_SPECTRAL = 2214
NNP_STAT_MEAN = 2215
NNP_STAT_SD = 2216
NNP_STAT_QUANTILE = 2217
NNP_CONVERGENCE_UNDECIDED = 2300
NNP_CONVERGED = 2301
NNP_FEW_DRAWS = 2302
NNP_DOUBTFUL = 2303
NNP_NOT_CONVERGED = 2304
NNP_SCALE_AUTO = 2400
NNP_SCALE_LINEAR = 2401
NNP_SCALE_LOG = 2402
NNP_UNDECIDED = 2500
NNP_THERMALIZED = 2501
NNP_NOT_THERMALIZED = 2502
NNP_BECAUSE_MERGED = 2601
NNP_BECAUSE_STUCK = 2602
NNP_BECAUSE_TOO_SHORT = 2603
NNP_BECAUSE_INFORMED_MOVING = 2604
NNP_BECAUSE_STILL_MOVING = 2605
NNP_BECAUSE_MERGED_LATELY = 2606
NNP_BECAUSE_TOO_FEW = 2607
NNP_STUDY_STEPS = 3001
NNP_STUDY_SECONDS = 3002
NNP_STUDY_STOP = 3003
NNP_STUDY_PATIENCE = 3004
NNP_STUDY_SAMPLING = 3005
NNP_STUDY_EVERY = 3006
NNP_STUDY_FUNCTION = 3007
NNP_STUDY_GRADIENT_LAYER = 3008
NNP_STUDY_RHAT_EVERY = 3009
NNP_STUDY_RHAT_BLOCK = 3010
NNP_STUDY_RHAT_LIMIT = 3011
NNP_SAMPLING_LOG = 3101
NNP_SAMPLING_EVEN = 3102
NNP_ENDED_NOT = 3200
NNP_ENDED_VERDICTS = 3201
NNP_ENDED_STEPS = 3202
NNP_ENDED_SECONDS = 3203
NNP_ENDED_STOPPED = 3204
NNP_SERIES_TEST = 3301
NNP_SERIES_GRADIENT = 3302
NNP_SERIES_RHAT = 3303
NNP_SERIES_RHAT_25 = 3304
NNP_SERIES_RHAT_50 = 3305
NNP_SERIES_RHAT_75 = 3306
NNP_SERIES_RHAT_95 = 3307
NNP_EXCHANGE_REPLICAS = 3401
NNP_EXCHANGE_ROUNDS = 3402
NNP_EXCHANGE_FIRST_ROUND = 3403
NNP_EXCHANGE_STEPS = 3404
NNP_EXCHANGE_FROM_PRIOR = 3501
NNP_EXCHANGE_FROM_TARGET = 3502
NNP_EXCHANGE_MIXES = 3601
NNP_EXCHANGE_RUN_LONGER = 3602
NNP_EXCHANGE_MORE_REPLICAS = 3603
NNP_EXCHANGE_SLOW = 3604
NNP_MULTISTART_STEPS = 3701
NNP_MULTISTART_SHARE = 3702
NNP_MULTISTART_ANNEAL_FROM = 3703
NNP_MULTISTART_ZERO_STARTS = 3704

# The names of every enum, by its first.
GROUPS = {
    "NNP_OK": ("NNP_OK", "NNP_E_NULL", "NNP_E_SIZE", "NNP_E_OVERFLOW", "NNP_E_NOT_FINITE",
        "NNP_E_LABEL", "NNP_E_VALUE", "NNP_E_SHAPE", "NNP_E_MEMORY_SIZE",
        "NNP_E_MEMORY_ALIGNMENT", "NNP_E_HEAD_MISPLACED", "NNP_E_SECOND_HEAD", "NNP_E_NO_LAYERS",
        "NNP_E_NO_HEAD", "NNP_E_SAVE_TRUNCATED", "NNP_E_SAVE_CORRUPTED", "NNP_E_SAVE_VERSION",
        "NNP_E_SAVE_NETWORK", "NNP_E_OPTION", "NNP_E_ENUM", "NNP_E_UNSUPPORTED", "NNP_E_NUMERIC",
        "NNP_E_NOT_STARTED", "NNP_STOPPED", "NNP_E_OUT_OF_MEMORY", "NNP_E_NET_FULL",
        "NNP_E_BUFFER_SIZE", "NNP_E_THREAD", "NNP_E_NO_DATA", "NNP_E_SAVE_DATA",
        "NNP_E_INFEASIBLE", "NNP_E_COMM", "NNP_E_RANKS", "NNP_E_FILE"),
    "NNP_ALL_LAYERS": ("NNP_ALL_LAYERS", "NNP_HEAD"),
    "NNP_IDENTITY": ("NNP_IDENTITY", "NNP_RELU", "NNP_LEAKY_RELU", "NNP_ABS", "NNP_SIGN",
        "NNP_HARD_TANH", "NNP_TANH", "NNP_SOFTPLUS", "NNP_GELU"),
    "NNP_GAUSSIAN": ("NNP_GAUSSIAN", "NNP_ARGMAX", "NNP_SIGN_HEAD", "NNP_STUDENT_T",
        "NNP_LOCATION_SCALE"),
    "NNP_NOISE": ("NNP_NOISE", "NNP_LAMBDA_W", "NNP_LAMBDA_B", "NNP_BIAS", "NNP_SLOPE",
        "NNP_COLLAPSE", "NNP_PADDING_Y", "NNP_PADDING_X", "NNP_ARD", "NNP_FREEDOM"),
    "NNP_ROW_MAJOR": ("NNP_ROW_MAJOR", "NNP_COLUMN_MAJOR"),
    "NNP_GIBBS": ("NNP_GIBBS", "NNP_HMC", "NNP_MALA", "NNP_NUTS"),
    "NNP_INTERMEDIATE": ("NNP_INTERMEDIATE", "NNP_CLASSICAL"),
    "NNP_START_ZERO": ("NNP_START_ZERO", "NNP_START_PRIOR", "NNP_START_SMALL", "NNP_START_FIT"),
    "NNP_PREDICT_MEAN": ("NNP_PREDICT_MEAN", "NNP_PREDICT_SD", "NNP_PREDICT_QUANTILES",
        "NNP_PREDICT_PROBABILITIES", "NNP_PREDICT_VOTES", "NNP_PREDICT_DRAWS"),
    "NNP_SCORE_MSE": ("NNP_SCORE_MSE", "NNP_SCORE_ACCURACY", "NNP_SCORE_LOG"),
    "NNP_RECOMMENDED": ("NNP_RECOMMENDED",),
    "NNP_TABLE_SEED": ("NNP_TABLE_SEED", "NNP_TABLE_HEAD", "NNP_TABLE_ACTIVATION",
        "NNP_TABLE_POSTERIOR", "NNP_TABLE_ARD", "NNP_TABLE_SAMPLER", "NNP_TABLE_START",
        "NNP_TABLE_CHAINS", "NNP_TABLE_WARMUP", "NNP_TABLE_DRAWS", "NNP_TABLE_THIN",
        "NNP_TABLE_THREADS", "NNP_TABLE_STACKING", "NNP_TABLE_CONSTANT"),
    "NNP_STORE_AUTO": ("NNP_STORE_AUTO", "NNP_STORE_DOUBLES", "NNP_STORE_SINGLES",
        "NNP_STORE_BYTES", "NNP_STORE_SPARSE", "NNP_STORE_AUTO_IMAGES"),
    "NNP_OPTION_SCHEDULE": ("NNP_OPTION_SCHEDULE", "NNP_OPTION_SIMD", "NNP_OPTION_RELAX",
        "NNP_OPTION_PLAIN_EVERY", "NNP_OPTION_UNIT_MOVES", "NNP_OPTION_EXPANSION",
        "NNP_OPTION_SCALE_MOVES", "NNP_OPTION_STEP_SIZE", "NNP_OPTION_LEAPFROGS",
        "NNP_OPTION_JITTER", "NNP_OPTION_TARGET", "NNP_OPTION_MAX_DEPTH", "NNP_OPTION_WARMUP",
        "NNP_OPTION_ADAPT_STEP", "NNP_OPTION_ADAPT_MASS", "NNP_OPTION_MOVES",
        "NNP_OPTION_UNIT_DRAWS", "NNP_OPTION_LAYER_MOVES", "NNP_OPTION_BLAS",
        "NNP_OPTION_NOISE_MOVES", "NNP_OPTION_PRECISION_MOVES", "NNP_OPTION_SINGLE_GRADIENTS"),
    "NNP_BLAS_AUTOMATIC": ("NNP_BLAS_AUTOMATIC", "NNP_BLAS_NONE", "NNP_BLAS_ALL",
        "NNP_BLAS_WHOLE"),
    "NNP_MOVES_PLAIN": ("NNP_MOVES_PLAIN", "NNP_MOVES_AUTOMATIC"),
    "NNP_SEQUENTIAL": ("NNP_SEQUENTIAL", "NNP_PARALLEL", "NNP_BACKWARD"),
    "NNP_PHASE_START": ("NNP_PHASE_START", "NNP_PHASE_WARMUP", "NNP_PHASE_SAMPLING"),
    "NNP_DESCENT_NONE": ("NNP_DESCENT_NONE", "NNP_DESCENT_STEPS", "NNP_DESCENT_CONVERGED",
        "NNP_DESCENT_FLAT", "NNP_DESCENT_STOPPED"),
    "NNP_FORWARD": ("NNP_FORWARD", "NNP_FITTED"),
    "NNP_KEEP_PARAMETERS": ("NNP_KEEP_PARAMETERS", "NNP_KEEP_SCALES", "NNP_KEEP_FUNCTIONS",
        "NNP_KEEP_MEAN", "NNP_KEEP_PROBABILITIES", "NNP_KEEP_PREDICTIONS", "NNP_KEEP_LOG_LIK"),
    "NNP_ALL_CHAINS": ("NNP_ALL_CHAINS",),
    "NNP_MOVE_PLAIN": ("NNP_MOVE_PLAIN", "NNP_MOVE_RELAXED", "NNP_MOVE_UNIT", "NNP_MOVE_HAAR",
        "NNP_MOVE_SCALE", "NNP_MOVE_EXPANSION", "NNP_MOVE_DRAW", "NNP_MOVE_LAYER",
        "NNP_MOVE_NOISE", "NNP_MOVE_PRECISION", "NNP_MOVE_KINDS"),
    "NNP_STEP_LOG_DENSITY": ("NNP_STEP_LOG_DENSITY", "NNP_STEP_ENERGY", "NNP_STEP_ACCEPTANCE",
        "NNP_STEP_SIZE", "NNP_STEP_DEPTH", "NNP_STEP_LEAPFROGS", "NNP_STEP_DIVERGENT",
        "NNP_STEP_DIVERGENCES", "NNP_STEP_STATISTICS"),
    "NNP_STAT_RHAT": ("NNP_STAT_RHAT", "NNP_STAT_RHAT_BULK", "NNP_STAT_RHAT_TAIL",
        "NNP_STAT_RHAT_BASIC", "NNP_STAT_ESS_BULK", "NNP_STAT_ESS_TAIL", "NNP_STAT_ESS_MEAN",
        "NNP_STAT_ESS_SD", "NNP_STAT_ESS_QUANTILE", "NNP_STAT_MCSE_MEAN", "NNP_STAT_MCSE_SD",
        "NNP_STAT_MCSE_QUANTILE", "NNP_STAT_TAU", "NNP_STAT_ESS_SPECTRAL", "NNP_STAT_MEAN",
        "NNP_STAT_SD", "NNP_STAT_QUANTILE"),
    "NNP_CONVERGENCE_UNDECIDED": ("NNP_CONVERGENCE_UNDECIDED", "NNP_CONVERGED", "NNP_FEW_DRAWS",
        "NNP_DOUBTFUL", "NNP_NOT_CONVERGED"),
    "NNP_SCALE_AUTO": ("NNP_SCALE_AUTO", "NNP_SCALE_LINEAR", "NNP_SCALE_LOG"),
    "NNP_UNDECIDED": ("NNP_UNDECIDED", "NNP_THERMALIZED", "NNP_NOT_THERMALIZED"),
    "NNP_BECAUSE_MERGED": ("NNP_BECAUSE_MERGED", "NNP_BECAUSE_STUCK", "NNP_BECAUSE_TOO_SHORT",
        "NNP_BECAUSE_INFORMED_MOVING", "NNP_BECAUSE_STILL_MOVING", "NNP_BECAUSE_MERGED_LATELY",
        "NNP_BECAUSE_TOO_FEW"),
    "NNP_STUDY_STEPS": ("NNP_STUDY_STEPS", "NNP_STUDY_SECONDS", "NNP_STUDY_STOP",
        "NNP_STUDY_PATIENCE", "NNP_STUDY_SAMPLING", "NNP_STUDY_EVERY", "NNP_STUDY_FUNCTION",
        "NNP_STUDY_GRADIENT_LAYER", "NNP_STUDY_RHAT_EVERY", "NNP_STUDY_RHAT_BLOCK",
        "NNP_STUDY_RHAT_LIMIT"),
    "NNP_SAMPLING_LOG": ("NNP_SAMPLING_LOG", "NNP_SAMPLING_EVEN"),
    "NNP_ENDED_NOT": ("NNP_ENDED_NOT", "NNP_ENDED_VERDICTS", "NNP_ENDED_STEPS",
        "NNP_ENDED_SECONDS", "NNP_ENDED_STOPPED"),
    "NNP_SERIES_TEST": ("NNP_SERIES_TEST", "NNP_SERIES_GRADIENT", "NNP_SERIES_RHAT",
        "NNP_SERIES_RHAT_25", "NNP_SERIES_RHAT_50", "NNP_SERIES_RHAT_75", "NNP_SERIES_RHAT_95"),
    "NNP_EXCHANGE_REPLICAS": ("NNP_EXCHANGE_REPLICAS", "NNP_EXCHANGE_ROUNDS",
        "NNP_EXCHANGE_FIRST_ROUND", "NNP_EXCHANGE_STEPS"),
    "NNP_EXCHANGE_FROM_PRIOR": ("NNP_EXCHANGE_FROM_PRIOR", "NNP_EXCHANGE_FROM_TARGET"),
    "NNP_EXCHANGE_MIXES": ("NNP_EXCHANGE_MIXES", "NNP_EXCHANGE_RUN_LONGER",
        "NNP_EXCHANGE_MORE_REPLICAS", "NNP_EXCHANGE_SLOW"),
    "NNP_MULTISTART_STEPS": ("NNP_MULTISTART_STEPS", "NNP_MULTISTART_SHARE",
        "NNP_MULTISTART_ANNEAL_FROM", "NNP_MULTISTART_ZERO_STARTS"),
}


class nnp_error(c.Structure):
    _fields_ = [
        ("status", c.c_int32),
        ("message", c.c_char * 252),
    ]


class nnp_progress(c.Structure):
    _fields_ = [
        ("chain", c.c_void_p),
        ("chain_index", c.c_int64),
        ("step", c.c_int64),
        ("steps", c.c_int64),
        ("seconds", c.c_double),
    ]


nnp_callback = c.CFUNCTYPE(c.c_int32, c.POINTER(nnp_progress), c.c_void_p)


class nnp_model(c.Structure):
    _fields_ = [
        ("inputs", c.c_int64),
        ("targets", c.c_int64),
        ("head", c.c_int32),
        ("activation", c.c_int32),
        ("posterior", c.c_int32),
        ("ard", c.c_int32),
        ("hidden", c.c_int64 * 16),
        ("hidden_count", c.c_int64),
        ("reserved", c.c_int64 * 4),
    ]


class nnp_recipe(c.Structure):
    _fields_ = [
        ("sampler", c.c_int32),
        ("posterior", c.c_int32),
        ("start", c.c_int32),
        ("reserved_int", c.c_int32),
        ("chains", c.c_int64),
        ("warmup", c.c_int64),
        ("draws", c.c_int64),
        ("thin", c.c_int64),
        ("option_count", c.c_int64),
        ("options", c.c_int32 * 8),
        ("values", c.c_double * 8),
        ("reserved", c.c_double * 4),
    ]


class nnp_inputs(c.Structure):
    _fields_ = [
        ("x", c.c_void_p),
        ("n", c.c_int64),
        ("features", c.c_int64),
        ("order", c.c_int32),
        ("store", c.c_int32),
        ("reserved", c.c_int64 * 4),
    ]


class nnp_throttle(c.Structure):
    _fields_ = [
        ("callback", nnp_callback),
        ("user", c.c_void_p),
        ("seconds", c.c_double),
        ("next", c.c_double),
    ]


class nnp_outlook(c.Structure):
    _fields_ = [
        ("steps", c.c_int64 * 3),
        ("share", c.c_double),
        ("seconds_left", c.c_double),
        ("spent", c.c_double * 3),
        ("began", c.c_double),
        ("phase", c.c_int64),
        ("reserved", c.c_double * 4),
    ]


class nnp_descent(c.Structure):
    _fields_ = [
        ("before", c.c_double),
        ("after", c.c_double),
        ("slope", c.c_double),
        ("steps", c.c_int64),
        ("evaluations", c.c_int64),
        ("ended", c.c_int32),
        ("reserved_int", c.c_int32),
        ("reserved", c.c_double * 4),
    ]


class nnp_inside(c.Structure):
    _fields_ = [
        ("net", c.c_void_p),
        ("draws", c.c_void_p),
        ("weights", c.c_void_p),
        ("input_mean", c.c_void_p),
        ("input_sd", c.c_void_p),
        ("target_mean", c.c_void_p),
        ("target_sd", c.c_void_p),
        ("parameters", c.c_int64),
        ("draw_count", c.c_int64),
        ("chains", c.c_int64),
        ("rows", c.c_int64),
        ("columns", c.c_int64),
        ("targets", c.c_int64),
        ("classes", c.c_int64),
        ("stopped", c.c_int32),
        ("stacked", c.c_int32),
        ("input_matrix", c.c_void_p),
        ("reserved", c.c_int64 * 3),
    ]


class nnp_saved(c.Structure):
    _fields_ = [
        ("buffer", c.c_void_p),
        ("size", c.c_size_t),
    ]


class nnp_saved_draws(c.Structure):
    _fields_ = [
        ("parameters", c.c_int64),
        ("draws", c.c_int64),
        ("steps", c.c_int64),
        ("number", c.c_uint64),
        ("network", c.c_uint64),
        ("data", c.c_uint64),
        ("sampler", c.c_int32),
        ("posterior", c.c_int32),
        ("reserved", c.c_int64 * 4),
    ]


class nnp_draws(c.Structure):
    _fields_ = [
        ("values", c.c_void_p),
        ("quantities", c.c_int64),
        ("draws", c.c_int64),
        ("chains", c.c_int64),
        ("quantity_stride", c.c_int64),
        ("draw_stride", c.c_int64),
        ("chain_stride", c.c_int64),
        ("reserved", c.c_int64 * 4),
    ]


class nnp_kept(c.Structure):
    _fields_ = [
        ("what", c.c_int32),
        ("moments", c.c_int32),
        ("predictor", c.c_void_p),
        ("data", c.c_void_p),
        ("rows", c.c_int64),
        ("reserved", c.c_int64 * 4),
    ]


nnp_comm_allgather = c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_void_p, c.c_int64, c.c_void_p)

nnp_comm_broadcast = c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_int64, c.c_int32, c.c_void_p)

nnp_comm_exchange = c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_void_p, c.c_int64, c.c_int32,
    c.c_void_p)

nnp_comm_abort = c.CFUNCTYPE(c.c_int32, c.c_char_p, c.c_void_p)


class nnp_comm(c.Structure):
    _fields_ = [
        ("rank", c.c_int32),
        ("size", c.c_int32),
        ("allgather", nnp_comm_allgather),
        ("broadcast", nnp_comm_broadcast),
        ("exchange", nnp_comm_exchange),
        ("abort", nnp_comm_abort),
        ("user", c.c_void_p),
        ("checked", c.c_int32),
        ("reserved_int", c.c_int32),
        ("reserved", c.c_int64 * 4),
    ]


class nnp_rows(c.Structure):
    _fields_ = [
        ("total", c.c_int64),
        ("first", c.c_int64),
        ("count", c.c_int64),
        ("blocks", c.c_int64),
        ("reserved", c.c_int64 * 4),
    ]


class nnp_move_count(c.Structure):
    _fields_ = [
        ("tried", c.c_int64),
        ("moved", c.c_int64),
        ("evaluations", c.c_int64),
        ("reserved", c.c_int64 * 5),
    ]


class nnp_convergence(c.Structure):
    _fields_ = [
        ("verdict", c.c_int32),
        ("reserved_int", c.c_int32),
        ("rhat", c.c_double),
        ("ess_bulk", c.c_double),
        ("ess_tail", c.c_double),
        ("ess_needed", c.c_double),
        ("worst", c.c_int64),
        ("reserved", c.c_double * 4),
    ]


class nnp_loo_summary(c.Structure):
    _fields_ = [
        ("elpd", c.c_double),
        ("elpd_error", c.c_double),
        ("p_loo", c.c_double),
        ("p_loo_error", c.c_double),
        ("largest_k", c.c_double),
        ("k_limit", c.c_double),
        ("unreliable", c.c_int64),
        ("reserved", c.c_double * 4),
    ]


class nnp_stacking_summary(c.Structure):
    _fields_ = [
        ("elpd", c.c_double),
        ("elpd_error", c.c_double),
        ("gap", c.c_double),
        ("iterations", c.c_int64),
        ("largest_k", c.c_double),
        ("k_limit", c.c_double),
        ("unreliable", c.c_int64),
        ("reserved", c.c_double * 1),
    ]


class nnp_series(c.Structure):
    _fields_ = [
        ("times", c.c_void_p),
        ("values", c.c_void_p),
        ("count", c.c_int64),
        ("reserved", c.c_int64 * 4),
    ]


class nnp_thermalization_options(c.Structure):
    _fields_ = [
        ("scale", c.c_int32),
        ("reserved_int", c.c_int32),
        ("block_tolerance", c.c_double),
        ("block_z", c.c_double),
        ("level_tolerance", c.c_double),
        ("z", c.c_double),
        ("resolution", c.c_double),
        ("merged_fraction", c.c_double),
        ("reserved", c.c_double * 8),
    ]


class nnp_verdict(c.Structure):
    _fields_ = [
        ("verdict", c.c_int32),
        ("because", c.c_int32),
        ("scale", c.c_int32),
        ("reserved_int", c.c_int32),
        ("time", c.c_double),
        ("level", c.c_double),
        ("distance", c.c_double),
        ("distance_error", c.c_double),
        ("independent", c.c_double),
        ("informed_time", c.c_double),
        ("informed_level", c.c_double),
        ("informed_spread", c.c_double),
        ("informed_error", c.c_double),
        ("informed_autocorrelation_time", c.c_double),
        ("reserved", c.c_double * 4),
    ]


class nnp_settling(c.Structure):
    _fields_ = [
        ("found", c.c_int32),
        ("scale", c.c_int32),
        ("time", c.c_double),
        ("level", c.c_double),
        ("spread", c.c_double),
        ("error", c.c_double),
        ("autocorrelation_time", c.c_double),
        ("reserved", c.c_double * 2),
    ]


class nnp_criteria_series(c.Structure):
    _fields_ = [
        ("informed", nnp_series),
        ("other", nnp_series),
        ("gradient", nnp_series),
        ("rhat", nnp_series),
    ]


class nnp_criteria_times(c.Structure):
    _fields_ = [
        ("teacher_student", c.c_double),
        ("stationarity", c.c_double),
        ("gradient", c.c_double),
        ("rhat", c.c_double),
        ("verdict", nnp_verdict),
    ]


class nnp_study_progress(c.Structure):
    _fields_ = [
        ("steps", c.c_int64),
        ("samples", c.c_int64),
        ("blocks", c.c_int64),
        ("decided", c.c_int64),
        ("share", c.c_double),
        ("seconds", c.c_double),
        ("ended", c.c_int32),
        ("reserved_int", c.c_int32),
        ("reserved", c.c_double * 4),
    ]


nnp_study_callback = c.CFUNCTYPE(c.c_int32, c.c_void_p, c.POINTER(nnp_study_progress),
    c.c_void_p)

nnp_test_function = c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_void_p, c.c_void_p)


class nnp_exchange_progress(c.Structure):
    _fields_ = [
        ("done", c.c_int64),
        ("sweeps", c.c_int64),
        ("round", c.c_int64),
        ("restarts", c.c_int64),
        ("seconds", c.c_double),
        ("reserved", c.c_double * 3),
    ]


nnp_exchange_callback = c.CFUNCTYPE(c.c_int32, c.POINTER(nnp_exchange_progress), c.c_void_p)


class nnp_exchange_summary(c.Structure):
    _fields_ = [
        ("chains", c.c_int64),
        ("replicas", c.c_int64),
        ("wanted", c.c_int64),
        ("sweeps", c.c_int64),
        ("restarts", c.c_int64),
        ("round_trips", c.c_int64),
        ("expected_restarts", c.c_double),
        ("barrier", c.c_double),
        ("least_swaps", c.c_double),
        ("mean_swaps", c.c_double),
        ("log_evidence", c.c_double),
        ("evidence_error", c.c_double),
        ("verdict", c.c_int32),
        ("tuned", c.c_int32),
        ("reserved", c.c_double * 4),
    ]


class nnp_exchange_rung(c.Structure):
    _fields_ = [
        ("power", c.c_double),
        ("swaps", c.c_double),
        ("barrier", c.c_double),
        ("reserved", c.c_double * 3),
    ]


class nnp_multistart_progress(c.Structure):
    _fields_ = [
        ("done", c.c_int64),
        ("steps", c.c_int64),
        ("best", c.c_int64),
        ("reserved", c.c_int64 * 5),
    ]


nnp_multistart_callback = c.CFUNCTYPE(c.c_int32, c.POINTER(nnp_multistart_progress), c.c_void_p)


class nnp_attempt(c.Structure):
    _fields_ = [
        ("error", c.c_double),
        ("rank", c.c_int64),
        ("steps", c.c_int64),
        ("annealed", c.c_int32),
        ("reserved_int", c.c_int32),
        ("reserved", c.c_double * 4),
    ]


# Result and arguments of every function.
PROTOTYPES = {
    "nnp_status_name": (c.c_char_p, (("status", c.c_int32),)),
    "nnp_version": (c.c_char_p, ()),
    "nnp_abi_version": (c.c_int32, ()),
    "nnp_build_info": (c.c_int32, (("buffer", c.c_char_p), ("size", c.c_size_t),
        ("err", c.POINTER(nnp_error)))),
    "nnp_net_create": (c.c_int32, (("net", c.POINTER(c.c_void_p)), ("inputs", c.c_int64),
        ("err", c.POINTER(nnp_error)))),
    "nnp_net_free": (None, (("net", c.c_void_p),)),
    "nnp_net_dense": (c.c_int32, (("net", c.c_void_p), ("units", c.c_int64),
        ("err", c.POINTER(nnp_error)))),
    "nnp_net_activation": (c.c_int32, (("net", c.c_void_p), ("activation", c.c_int32),
        ("err", c.POINTER(nnp_error)))),
    "nnp_net_head": (c.c_int32, (("net", c.c_void_p), ("head", c.c_int32),
        ("err", c.POINTER(nnp_error)))),
    "nnp_net_set": (c.c_int32, (("net", c.c_void_p), ("layer", c.c_int64),
        ("property", c.c_int32), ("value", c.c_double), ("err", c.POINTER(nnp_error)))),
    "nnp_net_get": (c.c_int32, (("net", c.c_void_p), ("layer", c.c_int64),
        ("property", c.c_int32), ("value", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_net_parameters": (c.c_int32, (("net", c.c_void_p), ("parameters", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_data_create": (c.c_int32, (("data", c.POINTER(c.c_void_p)), ("n", c.c_int64),
        ("features", c.c_int64), ("outputs", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_data_free": (None, (("data", c.c_void_p),)),
    "nnp_data_set_inputs": (c.c_int32, (("data", c.c_void_p), ("x", c.c_void_p),
        ("order", c.c_int32), ("err", c.POINTER(nnp_error)))),
    "nnp_data_set_targets": (c.c_int32, (("data", c.c_void_p), ("y", c.c_void_p),
        ("order", c.c_int32), ("err", c.POINTER(nnp_error)))),
    "nnp_data_set_labels": (c.c_int32, (("data", c.c_void_p), ("labels", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_chain_create": (c.c_int32, (("chain", c.POINTER(c.c_void_p)), ("net", c.c_void_p),
        ("data", c.c_void_p), ("sampler", c.c_int32), ("posterior", c.c_int32),
        ("err", c.POINTER(nnp_error)))),
    "nnp_chain_free": (None, (("chain", c.c_void_p),)),
    "nnp_chain_start": (c.c_int32, (("chain", c.c_void_p), ("start", c.c_int32),
        ("seed", c.c_uint64), ("number", c.c_uint64), ("err", c.POINTER(nnp_error)))),
    "nnp_chain_run": (c.c_int32, (("chain", c.c_void_p), ("steps", c.c_int64),
        ("callback", nnp_callback), ("user", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_chain_sample": (c.c_int32, (("chain", c.c_void_p), ("draws", c.c_void_p),
        ("count", c.c_int64), ("thin", c.c_int64), ("callback", nnp_callback),
        ("user", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_predictor_create": (c.c_int32, (("predictor", c.POINTER(c.c_void_p)),
        ("net", c.c_void_p), ("max_draws", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_predictor_free": (None, (("predictor", c.c_void_p),)),
    "nnp_predictor_posterior": (c.c_int32, (("predictor", c.c_void_p), ("posterior", c.c_int32),
        ("err", c.POINTER(nnp_error)))),
    "nnp_predictor_levels": (c.c_int32, (("predictor", c.c_void_p), ("levels", c.c_void_p),
        ("count", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_predict": (c.c_int32, (("predictor", c.c_void_p), ("data", c.c_void_p),
        ("params", c.c_void_p), ("draws", c.c_int64), ("kind", c.c_int32), ("out", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_score": (c.c_int32, (("predictor", c.c_void_p), ("data", c.c_void_p),
        ("params", c.c_void_p), ("draws", c.c_int64), ("score", c.c_int32),
        ("value", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_model_defaults": (c.c_int32, (("model", c.POINTER(nnp_model)), ("inputs", c.c_int64),
        ("targets", c.c_int64), ("head", c.c_int32), ("rows", c.c_int64),
        ("err", c.POINTER(nnp_error)))),
    "nnp_recommend_head": (c.c_int32, (("rows", c.c_int64), ("activation", c.c_int32),
        ("posterior", c.c_int32), ("head", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_model_choose": (c.c_int32, (("model", c.POINTER(nnp_model)), ("activation", c.c_int32),
        ("posterior", c.c_int32), ("err", c.POINTER(nnp_error)))),
    "nnp_net_create_model": (c.c_int32, (("net", c.POINTER(c.c_void_p)),
        ("model", c.POINTER(nnp_model)), ("err", c.POINTER(nnp_error)))),
    "nnp_recommend": (c.c_int32, (("net", c.c_void_p), ("rows", c.c_int64),
        ("posterior", c.c_int32), ("recipe", c.POINTER(nnp_recipe)),
        ("err", c.POINTER(nnp_error)))),
    "nnp_chain_use_recipe": (c.c_int32, (("chain", c.c_void_p),
        ("recipe", c.POINTER(nnp_recipe)), ("err", c.POINTER(nnp_error)))),
    "nnp_standard": (c.c_int32, (("x", c.c_void_p), ("n", c.c_int64), ("columns", c.c_int64),
        ("order", c.c_int32), ("mean", c.c_void_p), ("sd", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_standardize": (c.c_int32, (("x", c.c_void_p), ("n", c.c_int64), ("columns", c.c_int64),
        ("order", c.c_int32), ("mean", c.c_void_p), ("sd", c.c_void_p), ("out", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_unstandardize": (c.c_int32, (("x", c.c_void_p), ("n", c.c_int64),
        ("columns", c.c_int64), ("order", c.c_int32), ("mean", c.c_void_p), ("sd", c.c_void_p),
        ("out", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_recommend_transform_bytes": (c.c_int32, (("labels", c.c_void_p), ("n", c.c_int64),
        ("columns", c.c_int64), ("bytes", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_recommend_transform": (c.c_int32, (("z", c.c_void_p), ("labels", c.c_void_p),
        ("n", c.c_int64), ("columns", c.c_int64), ("order", c.c_int32), ("matrix", c.c_void_p),
        ("bytes", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_transform": (c.c_int32, (("z", c.c_void_p), ("n", c.c_int64), ("columns", c.c_int64),
        ("order", c.c_int32), ("matrix", c.c_void_p), ("out", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_table_create": (c.c_int32, (("table", c.POINTER(c.c_void_p)),
        ("err", c.POINTER(nnp_error)))),
    "nnp_table_free": (None, (("table", c.c_void_p),)),
    "nnp_table_set": (c.c_int32, (("table", c.c_void_p), ("setting", c.c_int32),
        ("value", c.c_double), ("err", c.POINTER(nnp_error)))),
    "nnp_table_get": (c.c_int32, (("table", c.c_void_p), ("setting", c.c_int32),
        ("value", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_table_hidden": (c.c_int32, (("table", c.c_void_p), ("widths", c.c_void_p),
        ("count", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_table_watch": (c.c_int32, (("table", c.c_void_p), ("callback", nnp_callback),
        ("user", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_table_fit": (c.c_int32, (("table", c.c_void_p), ("x", c.c_void_p), ("y", c.c_void_p),
        ("n", c.c_int64), ("columns", c.c_int64), ("targets", c.c_int64), ("order", c.c_int32),
        ("err", c.POINTER(nnp_error)))),
    "nnp_table_fit_labels": (c.c_int32, (("table", c.c_void_p), ("x", c.c_void_p),
        ("labels", c.c_void_p), ("n", c.c_int64), ("columns", c.c_int64), ("order", c.c_int32),
        ("err", c.POINTER(nnp_error)))),
    "nnp_table_predict": (c.c_int32, (("table", c.c_void_p), ("x", c.c_void_p),
        ("rows", c.c_int64), ("columns", c.c_int64), ("order", c.c_int32), ("kind", c.c_int32),
        ("out", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_table_interval": (c.c_int32, (("table", c.c_void_p), ("x", c.c_void_p),
        ("rows", c.c_int64), ("columns", c.c_int64), ("order", c.c_int32), ("level", c.c_double),
        ("ends", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_table_classify": (c.c_int32, (("table", c.c_void_p), ("x", c.c_void_p),
        ("rows", c.c_int64), ("columns", c.c_int64), ("order", c.c_int32),
        ("labels", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_table_text": (c.c_int32, (("table", c.c_void_p), ("buffer", c.c_char_p),
        ("size", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_net_create_image": (c.c_int32, (("net", c.POINTER(c.c_void_p)), ("channels", c.c_int64),
        ("height", c.c_int64), ("width", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_net_image": (c.c_int32, (("net", c.c_void_p), ("channels", c.c_int64),
        ("height", c.c_int64), ("width", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_net_conv2d": (c.c_int32, (("net", c.c_void_p), ("filters", c.c_int64),
        ("height", c.c_int64), ("width", c.c_int64), ("stride_y", c.c_int64),
        ("stride_x", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_net_avgpool": (c.c_int32, (("net", c.c_void_p), ("height", c.c_int64),
        ("width", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_net_maxpool": (c.c_int32, (("net", c.c_void_p), ("height", c.c_int64),
        ("width", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_net_copy": (c.c_int32, (("copy", c.POINTER(c.c_void_p)), ("net", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_head_info": (c.c_int32, (("head", c.c_int32), ("name", c.POINTER(c.c_char_p)),
        ("labels", c.c_void_p), ("outputs_per_target", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_net_learn": (c.c_int32, (("net", c.c_void_p), ("layer", c.c_int64),
        ("property", c.c_int32), ("shape", c.c_double), ("mean", c.c_double),
        ("err", c.POINTER(nnp_error)))),
    "nnp_net_learn_tied": (c.c_int32, (("net", c.c_void_p), ("multiples", c.c_void_p),
        ("shape", c.c_double), ("mean", c.c_double), ("err", c.POINTER(nnp_error)))),
    "nnp_net_fix": (c.c_int32, (("net", c.c_void_p), ("layer", c.c_int64),
        ("property", c.c_int32), ("err", c.POINTER(nnp_error)))),
    "nnp_net_learned": (c.c_int32, (("net", c.c_void_p), ("layer", c.c_int64),
        ("property", c.c_int32), ("shape", c.c_void_p), ("mean", c.c_void_p),
        ("first", c.c_void_p), ("count", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_net_layers": (c.c_int32, (("net", c.c_void_p), ("layers", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_net_outputs": (c.c_int32, (("net", c.c_void_p), ("outputs", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_net_targets": (c.c_int32, (("net", c.c_void_p), ("targets", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_net_latents": (c.c_int32, (("net", c.c_void_p), ("latents", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_net_layer": (c.c_int32, (("net", c.c_void_p), ("layer", c.c_int64),
        ("first", c.c_void_p), ("weights", c.c_void_p), ("biases", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_net_find_layer": (c.c_int32, (("net", c.c_void_p), ("name", c.c_char_p),
        ("layer", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_net_shape": (c.c_int32, (("net", c.c_void_p), ("site", c.c_int64),
        ("shape", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_net_parameter_name": (c.c_int32, (("net", c.c_void_p), ("parameter", c.c_int64),
        ("buffer", c.c_char_p), ("size", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_net_print": (c.c_int32, (("net", c.c_void_p), ("n", c.c_int64), ("buffer", c.c_char_p),
        ("size", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_net_temperature": (c.c_int32, (("net", c.c_void_p), ("temperature", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_data_create_from": (c.c_int32, (("data", c.POINTER(c.c_void_p)),
        ("inputs", c.POINTER(nnp_inputs)), ("outputs", c.c_int64),
        ("err", c.POINTER(nnp_error)))),
    "nnp_data_store": (c.c_int32, (("data", c.c_void_p), ("store", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_data_targets": (c.c_int32, (("data", c.c_void_p), ("y", c.c_void_p),
        ("order", c.c_int32), ("err", c.POINTER(nnp_error)))),
    "nnp_data_labels": (c.c_int32, (("data", c.c_void_p), ("labels", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_chain_set": (c.c_int32, (("chain", c.c_void_p), ("option", c.c_int32),
        ("value", c.c_double), ("err", c.POINTER(nnp_error)))),
    "nnp_chain_get": (c.c_int32, (("chain", c.c_void_p), ("option", c.c_int32),
        ("value", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_option_info": (c.c_int32, (("option", c.c_int32), ("name", c.POINTER(c.c_char_p)),
        ("low", c.c_void_p), ("high", c.c_void_p), ("initial", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_pool_create": (c.c_int32, (("pool", c.POINTER(c.c_void_p)), ("threads", c.c_int64),
        ("err", c.POINTER(nnp_error)))),
    "nnp_pool_free": (None, (("pool", c.c_void_p),)),
    "nnp_chain_use_pool": (c.c_int32, (("chain", c.c_void_p), ("pool", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_chains_start": (c.c_int32, (("chains", c.POINTER(c.c_void_p)),
        ("chain_count", c.c_int64), ("start", c.c_int32), ("seed", c.c_uint64),
        ("callback", nnp_callback), ("user", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_chains_run": (c.c_int32, (("chains", c.POINTER(c.c_void_p)), ("chain_count", c.c_int64),
        ("steps", c.c_int64), ("callback", nnp_callback), ("user", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_chains_sample": (c.c_int32, (("chains", c.POINTER(c.c_void_p)),
        ("chain_count", c.c_int64), ("draws", c.c_void_p), ("count", c.c_int64),
        ("thin", c.c_int64), ("callback", nnp_callback), ("user", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_chain_draws": (c.c_int32, (("chain", c.c_void_p), ("draws", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_throttled": (c.c_int32, (("progress", c.POINTER(nnp_progress)),
        ("throttle", c.c_void_p))),
    "nnp_outlook_tell": (c.c_int32, (("outlook", c.POINTER(nnp_outlook)), ("phase", c.c_int32),
        ("done", c.c_int64), ("seconds", c.c_double), ("err", c.POINTER(nnp_error)))),
    "nnp_chain_start_weights": (c.c_int32, (("chain", c.c_void_p), ("parameters", c.c_void_p),
        ("noisy", c.c_int32), ("seed", c.c_uint64), ("number", c.c_uint64),
        ("err", c.POINTER(nnp_error)))),
    "nnp_chain_start_state": (c.c_int32, (("chain", c.c_void_p), ("parameters", c.c_void_p),
        ("sites", c.c_void_p), ("seed", c.c_uint64), ("number", c.c_uint64),
        ("err", c.POINTER(nnp_error)))),
    "nnp_chain_descend": (c.c_int32, (("chain", c.c_void_p), ("steps", c.c_int64),
        ("callback", nnp_callback), ("user", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_chains_descend": (c.c_int32, (("chains", c.POINTER(c.c_void_p)),
        ("chain_count", c.c_int64), ("steps", c.c_int64), ("callback", nnp_callback),
        ("user", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_chain_descent": (c.c_int32, (("chain", c.c_void_p), ("out", c.POINTER(nnp_descent)),
        ("err", c.POINTER(nnp_error)))),
    "nnp_chain_anneal": (c.c_int32, (("chain", c.c_void_p), ("from", c.c_double),
        ("steps", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_chain_annealing": (c.c_int32, (("chain", c.c_void_p), ("steps", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_chain_steps": (c.c_int32, (("chain", c.c_void_p), ("steps", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_chain_parameters": (c.c_int32, (("chain", c.c_void_p), ("parameters", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_chain_site": (c.c_int32, (("chain", c.c_void_p), ("site", c.c_int64),
        ("values", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_chain_log_density": (c.c_int32, (("chain", c.c_void_p), ("value", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_chain_predict": (c.c_int32, (("chain", c.c_void_p), ("data", c.c_void_p),
        ("outputs", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_chain_score": (c.c_int32, (("chain", c.c_void_p), ("data", c.c_void_p),
        ("score", c.c_int32), ("value", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_chain_variables": (c.c_int32, (("chain", c.c_void_p), ("variables", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_chain_set_scales": (c.c_int32, (("chain", c.c_void_p), ("variances", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_chain_scales": (c.c_int32, (("chain", c.c_void_p), ("variances", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_predictor_noise": (c.c_int32, (("predictor", c.c_void_p), ("noise", c.c_int32),
        ("seed", c.c_uint64), ("err", c.POINTER(nnp_error)))),
    "nnp_predictor_passes": (c.c_int32, (("predictor", c.c_void_p), ("passes", c.c_int64),
        ("err", c.POINTER(nnp_error)))),
    "nnp_predictor_set": (c.c_int32, (("predictor", c.c_void_p), ("option", c.c_int32),
        ("value", c.c_double), ("err", c.POINTER(nnp_error)))),
    "nnp_predictor_weights": (c.c_int32, (("predictor", c.c_void_p), ("weights", c.c_void_p),
        ("draws", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_predictor_units": (c.c_int32, (("predictor", c.c_void_p), ("mean", c.c_void_p),
        ("sd", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_predictor_pool_bytes": (c.c_int32, (("predictor", c.c_void_p), ("pool", c.c_void_p),
        ("bytes", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_predictor_use_pool": (c.c_int32, (("predictor", c.c_void_p), ("pool", c.c_void_p),
        ("memory", c.c_void_p), ("bytes", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_predictor_watch": (c.c_int32, (("predictor", c.c_void_p), ("callback", nnp_callback),
        ("user", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_table_inside": (c.c_int32, (("table", c.c_void_p), ("out", c.POINTER(nnp_inside)),
        ("err", c.POINTER(nnp_error)))),
    "nnp_table_recipe": (c.c_int32, (("table", c.c_void_p), ("recipe", c.POINTER(nnp_recipe)),
        ("err", c.POINTER(nnp_error)))),
    "nnp_table_setting_info": (c.c_int32, (("setting", c.c_int32),
        ("name", c.POINTER(c.c_char_p)), ("low", c.c_void_p), ("high", c.c_void_p),
        ("initial", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_table_option": (c.c_int32, (("table", c.c_void_p), ("option", c.c_int32),
        ("value", c.c_double), ("err", c.POINTER(nnp_error)))),
    "nnp_table_weigh": (c.c_int32, (("table", c.c_void_p), ("weights", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_table_predictor": (c.c_int32, (("table", c.c_void_p),
        ("predictor", c.POINTER(c.c_void_p)), ("err", c.POINTER(nnp_error)))),
    "nnp_table_data": (c.c_int32, (("table", c.c_void_p), ("x", c.c_void_p), ("y", c.c_void_p),
        ("labels", c.c_void_p), ("rows", c.c_int64), ("order", c.c_int32),
        ("data", c.POINTER(c.c_void_p)), ("err", c.POINTER(nnp_error)))),
    "nnp_table_save_bytes": (c.c_int32, (("table", c.c_void_p), ("bytes", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_table_save": (c.c_int32, (("table", c.c_void_p), ("buffer", c.c_void_p),
        ("size", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_table_restore": (c.c_int32, (("table", c.c_void_p), ("buffer", c.c_void_p),
        ("size", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_net_bytes": (c.c_int32, (("max_layers", c.c_int64), ("bytes", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_net_init": (c.c_int32, (("net", c.POINTER(c.c_void_p)), ("memory", c.c_void_p),
        ("bytes", c.c_size_t), ("max_layers", c.c_int64), ("inputs", c.c_int64),
        ("err", c.POINTER(nnp_error)))),
    "nnp_net_init_copy": (c.c_int32, (("copy", c.POINTER(c.c_void_p)), ("memory", c.c_void_p),
        ("bytes", c.c_size_t), ("max_layers", c.c_int64), ("net", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_net_init_model": (c.c_int32, (("net", c.POINTER(c.c_void_p)), ("memory", c.c_void_p),
        ("bytes", c.c_size_t), ("max_layers", c.c_int64), ("model", c.POINTER(nnp_model)),
        ("err", c.POINTER(nnp_error)))),
    "nnp_data_bytes": (c.c_int32, (("n", c.c_int64), ("features", c.c_int64),
        ("outputs", c.c_int64), ("bytes", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_data_init": (c.c_int32, (("data", c.POINTER(c.c_void_p)), ("memory", c.c_void_p),
        ("bytes", c.c_size_t), ("n", c.c_int64), ("features", c.c_int64), ("outputs", c.c_int64),
        ("err", c.POINTER(nnp_error)))),
    "nnp_data_bytes_from": (c.c_int32, (("inputs", c.POINTER(nnp_inputs)),
        ("outputs", c.c_int64), ("bytes", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_data_init_from": (c.c_int32, (("data", c.POINTER(c.c_void_p)), ("memory", c.c_void_p),
        ("bytes", c.c_size_t), ("inputs", c.POINTER(nnp_inputs)), ("outputs", c.c_int64),
        ("err", c.POINTER(nnp_error)))),
    "nnp_pool_bytes": (c.c_int32, (("threads", c.c_int64), ("bytes", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_pool_init": (c.c_int32, (("pool", c.POINTER(c.c_void_p)), ("memory", c.c_void_p),
        ("bytes", c.c_size_t), ("threads", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_pool_close": (None, (("pool", c.c_void_p),)),
    "nnp_chain_bytes": (c.c_int32, (("net", c.c_void_p), ("data", c.c_void_p),
        ("sampler", c.c_int32), ("posterior", c.c_int32), ("bytes", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_chain_init": (c.c_int32, (("chain", c.POINTER(c.c_void_p)), ("memory", c.c_void_p),
        ("bytes", c.c_size_t), ("net", c.c_void_p), ("data", c.c_void_p), ("sampler", c.c_int32),
        ("posterior", c.c_int32), ("err", c.POINTER(nnp_error)))),
    "nnp_predictor_bytes": (c.c_int32, (("net", c.c_void_p), ("max_draws", c.c_int64),
        ("bytes", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_predictor_init": (c.c_int32, (("predictor", c.POINTER(c.c_void_p)),
        ("memory", c.c_void_p), ("bytes", c.c_size_t), ("net", c.c_void_p),
        ("max_draws", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_chain_save_bytes": (c.c_int32, (("chain", c.c_void_p), ("bytes", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_chain_save": (c.c_int32, (("chain", c.c_void_p), ("buffer", c.c_void_p),
        ("size", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_chain_restore": (c.c_int32, (("chain", c.c_void_p), ("buffer", c.c_void_p),
        ("size", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_draws_save_bytes": (c.c_int32, (("chain", c.c_void_p), ("count", c.c_int64),
        ("bytes", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_draws_save": (c.c_int32, (("chain", c.c_void_p), ("draws", c.c_void_p),
        ("count", c.c_int64), ("buffer", c.c_void_p), ("size", c.c_size_t),
        ("err", c.POINTER(nnp_error)))),
    "nnp_draws_saved": (c.c_int32, (("buffer", c.c_void_p), ("size", c.c_size_t),
        ("out", c.POINTER(nnp_saved_draws)), ("err", c.POINTER(nnp_error)))),
    "nnp_draws_merge": (c.c_int32, (("saves", c.POINTER(nnp_saved)), ("count", c.c_int64),
        ("draws", c.c_void_p), ("draws_each", c.c_int64), ("chains", c.POINTER(nnp_saved_draws)),
        ("err", c.POINTER(nnp_error)))),
    "nnp_draws_init": (c.c_int32, (("draws", c.POINTER(nnp_draws)), ("values", c.c_void_p),
        ("quantities", c.c_int64), ("count", c.c_int64), ("chains", c.c_int64),
        ("err", c.POINTER(nnp_error)))),
    "nnp_draws_advice": (c.c_int32, (("net", c.c_void_p), ("chains", c.c_int64),
        ("draws", c.c_int64), ("buffer", c.c_char_p), ("size", c.c_size_t),
        ("err", c.POINTER(nnp_error)))),
    "nnp_keeper_create": (c.c_int32, (("keeper", c.POINTER(c.c_void_p)), ("net", c.c_void_p),
        ("kept", c.POINTER(nnp_kept)), ("kept_count", c.c_int64), ("chain_count", c.c_int64),
        ("err", c.POINTER(nnp_error)))),
    "nnp_keeper_free": (None, (("keeper", c.c_void_p),)),
    "nnp_keeper_bytes": (c.c_int32, (("net", c.c_void_p), ("kept", c.POINTER(nnp_kept)),
        ("kept_count", c.c_int64), ("chain_count", c.c_int64), ("bytes", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_keeper_init": (c.c_int32, (("keeper", c.POINTER(c.c_void_p)), ("memory", c.c_void_p),
        ("bytes", c.c_size_t), ("net", c.c_void_p), ("kept", c.POINTER(nnp_kept)),
        ("kept_count", c.c_int64), ("chain_count", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_keeper_width": (c.c_int32, (("keeper", c.c_void_p), ("index", c.c_int64),
        ("width", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_keeper_store": (c.c_int32, (("keeper", c.c_void_p), ("index", c.c_int64),
        ("values", c.c_void_p), ("capacity", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_keeper_stored": (c.c_int32, (("keeper", c.c_void_p), ("index", c.c_int64),
        ("chain", c.c_int64), ("draws", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_chains_keep": (c.c_int32, (("chains", c.POINTER(c.c_void_p)),
        ("chain_count", c.c_int64), ("keeper", c.c_void_p), ("count", c.c_int64),
        ("thin", c.c_int64), ("callback", nnp_callback), ("user", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_keeper_moments": (c.c_int32, (("keeper", c.c_void_p), ("index", c.c_int64),
        ("chain", c.c_int64), ("mean", c.c_void_p), ("variance", c.c_void_p),
        ("rhat", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_draws_file_create": (c.c_int32, (("file", c.POINTER(c.c_void_p)), ("path", c.c_char_p),
        ("keeper", c.c_void_p), ("index", c.c_int64), ("capacity", c.c_int64),
        ("err", c.POINTER(nnp_error)))),
    "nnp_keeper_file": (c.c_int32, (("keeper", c.c_void_p), ("index", c.c_int64),
        ("file", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_draws_file_open": (c.c_int32, (("file", c.POINTER(c.c_void_p)), ("path", c.c_char_p),
        ("net", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_draws_file_free": (None, (("file", c.c_void_p),)),
    "nnp_draws_file_info": (c.c_int32, (("file", c.c_void_p), ("what", c.c_void_p),
        ("capacity", c.c_void_p), ("chains", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_draws_file_chain": (c.c_int32, (("file", c.c_void_p), ("chain", c.c_int64),
        ("out", c.POINTER(nnp_saved_draws)), ("err", c.POINTER(nnp_error)))),
    "nnp_draws_file_view": (c.c_int32, (("file", c.c_void_p), ("out", c.POINTER(nnp_draws)),
        ("err", c.POINTER(nnp_error)))),
    "nnp_draws_file_save_bytes": (c.c_int32, (("file", c.c_void_p), ("chain", c.c_int64),
        ("bytes", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_draws_file_save": (c.c_int32, (("file", c.c_void_p), ("chain", c.c_int64),
        ("buffer", c.c_void_p), ("size", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_chain_use_comm": (c.c_int32, (("chain", c.c_void_p), ("comm", c.POINTER(nnp_comm)),
        ("err", c.POINTER(nnp_error)))),
    "nnp_team_create": (c.c_int32, (("team", c.POINTER(c.c_void_p)), ("ranks", c.c_int64),
        ("err", c.POINTER(nnp_error)))),
    "nnp_team_free": (None, (("team", c.c_void_p),)),
    "nnp_team_bytes": (c.c_int32, (("ranks", c.c_int64), ("bytes", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_team_init": (c.c_int32, (("team", c.POINTER(c.c_void_p)), ("memory", c.c_void_p),
        ("bytes", c.c_size_t), ("ranks", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_team_close": (None, (("team", c.c_void_p),)),
    "nnp_team_comm": (c.c_int32, (("team", c.c_void_p), ("rank", c.c_int64),
        ("comm", c.POINTER(nnp_comm)), ("err", c.POINTER(nnp_error)))),
    "nnp_folder_create": (c.c_int32, (("folder", c.POINTER(c.c_void_p)), ("path", c.c_char_p),
        ("rank", c.c_int64), ("size", c.c_int64), ("patience", c.c_double),
        ("err", c.POINTER(nnp_error)))),
    "nnp_folder_free": (None, (("folder", c.c_void_p),)),
    "nnp_folder_bytes": (c.c_int32, (("size", c.c_int64), ("bytes", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_folder_init": (c.c_int32, (("folder", c.POINTER(c.c_void_p)), ("memory", c.c_void_p),
        ("bytes", c.c_size_t), ("path", c.c_char_p), ("rank", c.c_int64), ("size", c.c_int64),
        ("patience", c.c_double), ("err", c.POINTER(nnp_error)))),
    "nnp_folder_comm": (c.c_int32, (("folder", c.c_void_p), ("comm", c.POINTER(nnp_comm)),
        ("err", c.POINTER(nnp_error)))),
    "nnp_rows_split": (c.c_int32, (("comm", c.POINTER(nnp_comm)), ("total", c.c_int64),
        ("blocks", c.c_int64), ("rows", c.POINTER(nnp_rows)), ("err", c.POINTER(nnp_error)))),
    "nnp_rows_of_block": (c.c_int32, (("total", c.c_int64), ("blocks", c.c_int64),
        ("block", c.c_int64), ("first", c.c_void_p), ("count", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_data_create_rows": (c.c_int32, (("data", c.POINTER(c.c_void_p)),
        ("rows", c.POINTER(nnp_rows)), ("comm", c.POINTER(nnp_comm)), ("features", c.c_int64),
        ("outputs", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_data_bytes_rows": (c.c_int32, (("rows", c.POINTER(nnp_rows)),
        ("comm", c.POINTER(nnp_comm)), ("features", c.c_int64), ("outputs", c.c_int64),
        ("bytes", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_data_init_rows": (c.c_int32, (("data", c.POINTER(c.c_void_p)), ("memory", c.c_void_p),
        ("bytes", c.c_size_t), ("rows", c.POINTER(nnp_rows)), ("comm", c.POINTER(nnp_comm)),
        ("features", c.c_int64), ("outputs", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_chain_restore_rows": (c.c_int32, (("chain", c.c_void_p),
        ("saves", c.POINTER(nnp_saved)), ("count", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_saved_rows": (c.c_int32, (("buffer", c.c_void_p), ("size", c.c_size_t),
        ("rows", c.POINTER(nnp_rows)), ("err", c.POINTER(nnp_error)))),
    "nnp_chain_terms": (c.c_int32, (("chain", c.c_void_p), ("log_noise", c.c_void_p),
        ("log_prior", c.c_void_p), ("residuals", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_chain_gradient_statistic": (c.c_int32, (("chain", c.c_void_p), ("layer", c.c_int64),
        ("value", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_chain_moves": (c.c_int32, (("chain", c.c_void_p), ("move", c.c_int32),
        ("count", c.POINTER(nnp_move_count)), ("err", c.POINTER(nnp_error)))),
    "nnp_chain_print": (c.c_int32, (("chain", c.c_void_p), ("buffer", c.c_char_p),
        ("size", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_chain_probit_draws": (c.c_int32, (("chain", c.c_void_p), ("exact", c.c_void_p),
        ("scanned", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_chain_statistic": (c.c_int32, (("chain", c.c_void_p), ("statistic", c.c_int32),
        ("value", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_chain_record": (c.c_int32, (("chain", c.c_void_p), ("values", c.c_void_p),
        ("capacity", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_chain_recorded": (c.c_int32, (("chain", c.c_void_p), ("steps", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_statistic_name": (c.c_char_p, (("statistic", c.c_int32),)),
    "nnp_statistic_bytes": (c.c_int32, (("draws", c.POINTER(nnp_draws)), ("bytes", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_statistic": (c.c_int32, (("draws", c.POINTER(nnp_draws)), ("statistic", c.c_int32),
        ("probability", c.c_double), ("out", c.c_void_p), ("memory", c.c_void_p),
        ("bytes", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_nested_rhat": (c.c_int32, (("draws", c.POINTER(nnp_draws)), ("groups", c.c_void_p),
        ("out", c.c_void_p), ("memory", c.c_void_p), ("bytes", c.c_size_t),
        ("err", c.POINTER(nnp_error)))),
    "nnp_functions_count": (c.c_int32, (("predictor", c.c_void_p), ("data", c.c_void_p),
        ("rows", c.c_int64), ("count", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_functions": (c.c_int32, (("predictor", c.c_void_p), ("data", c.c_void_p),
        ("params", c.c_void_p), ("draws", c.c_int64), ("rows", c.c_int64), ("out", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_function_name": (c.c_int32, (("predictor", c.c_void_p), ("data", c.c_void_p),
        ("rows", c.c_int64), ("function", c.c_int64), ("buffer", c.c_char_p),
        ("size", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_convergence_bytes": (c.c_int32, (("functions", c.POINTER(nnp_draws)),
        ("bytes", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_convergence_of": (c.c_int32, (("functions", c.POINTER(nnp_draws)),
        ("out", c.POINTER(nnp_convergence)), ("memory", c.c_void_p), ("bytes", c.c_size_t),
        ("err", c.POINTER(nnp_error)))),
    "nnp_convergence_text": (c.c_int32, (("convergence", c.POINTER(nnp_convergence)),
        ("buffer", c.c_char_p), ("size", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_table_convergence": (c.c_int32, (("table", c.c_void_p),
        ("out", c.POINTER(nnp_convergence)), ("err", c.POINTER(nnp_error)))),
    "nnp_log_lik": (c.c_int32, (("predictor", c.c_void_p), ("data", c.c_void_p),
        ("params", c.c_void_p), ("draws", c.c_int64), ("out", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_loo_bytes": (c.c_int32, (("log_lik", c.POINTER(nnp_draws)), ("bytes", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_loo": (c.c_int32, (("log_lik", c.POINTER(nnp_draws)), ("efficiency", c.c_void_p),
        ("elpd", c.c_void_p), ("pareto_k", c.c_void_p), ("out", c.POINTER(nnp_loo_summary)),
        ("memory", c.c_void_p), ("bytes", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_table_loo": (c.c_int32, (("table", c.c_void_p), ("out", c.POINTER(nnp_loo_summary)),
        ("err", c.POINTER(nnp_error)))),
    "nnp_stacking_bytes": (c.c_int32, (("rows", c.c_int64), ("models", c.c_int64),
        ("bytes", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_stacking": (c.c_int32, (("elpd", c.c_void_p), ("rows", c.c_int64),
        ("models", c.c_int64), ("weights", c.c_void_p), ("out", c.POINTER(nnp_stacking_summary)),
        ("memory", c.c_void_p), ("bytes", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_stack_chains_bytes": (c.c_int32, (("log_lik", c.POINTER(nnp_draws)),
        ("bytes", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_stack_chains": (c.c_int32, (("log_lik", c.POINTER(nnp_draws)), ("weights", c.c_void_p),
        ("out", c.POINTER(nnp_stacking_summary)), ("memory", c.c_void_p), ("bytes", c.c_size_t),
        ("err", c.POINTER(nnp_error)))),
    "nnp_block_rhat_bytes": (c.c_int32, (("psi", c.POINTER(nnp_draws)), ("length", c.c_int64),
        ("blocks", c.c_void_p), ("bytes", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_block_rhat": (c.c_int32, (("psi", c.POINTER(nnp_draws)), ("times", c.c_void_p),
        ("length", c.c_int64), ("out", c.c_void_p), ("memory", c.c_void_p),
        ("bytes", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_thermalization_bytes": (c.c_int32, (("bytes", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_thermalization_defaults": (c.c_int32, (
        ("options", c.POINTER(nnp_thermalization_options)), ("err", c.POINTER(nnp_error)))),
    "nnp_thermalization": (c.c_int32, (("informed", c.POINTER(nnp_series)),
        ("others", c.POINTER(nnp_series)), ("count", c.c_int64),
        ("options", c.POINTER(nnp_thermalization_options)), ("out", c.POINTER(nnp_verdict)),
        ("memory", c.c_void_p), ("bytes", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_verdict_text": (c.c_int32, (("verdict", c.POINTER(nnp_verdict)), ("buffer", c.c_char_p),
        ("size", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_stationarity": (c.c_int32, (("series", c.POINTER(nnp_series)), ("scale", c.c_int32),
        ("out", c.POINTER(nnp_settling)), ("memory", c.c_void_p), ("bytes", c.c_size_t),
        ("err", c.POINTER(nnp_error)))),
    "nnp_gradient_settling": (c.c_int32, (("gradient", c.POINTER(nnp_series)),
        ("out", c.POINTER(nnp_settling)), ("memory", c.c_void_p), ("bytes", c.c_size_t),
        ("err", c.POINTER(nnp_error)))),
    "nnp_rhat_settling": (c.c_int32, (("rhat", c.POINTER(nnp_series)), ("limit", c.c_double),
        ("out", c.POINTER(nnp_settling)), ("memory", c.c_void_p), ("bytes", c.c_size_t),
        ("err", c.POINTER(nnp_error)))),
    "nnp_criteria": (c.c_int32, (("series", c.POINTER(nnp_criteria_series)),
        ("options", c.POINTER(nnp_thermalization_options)), ("rhat_limit", c.c_double),
        ("out", c.POINTER(nnp_criteria_times)), ("memory", c.c_void_p), ("bytes", c.c_size_t),
        ("err", c.POINTER(nnp_error)))),
    "nnp_sbc_ranks": (c.c_int32, (("truth", c.c_void_p), ("posterior", c.POINTER(nnp_draws)),
        ("ties", c.c_void_p), ("ranks", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_sbc_histogram": (c.c_int32, (("ranks", c.c_void_p), ("quantities", c.c_int64),
        ("replications", c.c_int64), ("max_rank", c.c_int64), ("bins", c.c_int64),
        ("counts", c.c_void_p), ("p_values", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_geweke_bytes": (c.c_int32, (("alternating", c.POINTER(nnp_draws)),
        ("prior", c.POINTER(nnp_draws)), ("bytes", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_geweke_draws": (c.c_int32, (("alternating", c.POINTER(nnp_draws)),
        ("prior", c.POINTER(nnp_draws)), ("z", c.c_void_p), ("p_value", c.c_void_p),
        ("memory", c.c_void_p), ("bytes", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_geweke_moments": (c.c_int32, (("alternating", c.POINTER(nnp_draws)),
        ("mean", c.c_void_p), ("second_moment", c.c_void_p), ("z", c.c_void_p),
        ("p_value", c.c_void_p), ("memory", c.c_void_p), ("bytes", c.c_size_t),
        ("err", c.POINTER(nnp_error)))),
    "nnp_teacher_create": (c.c_int32, (("teacher", c.POINTER(c.c_void_p)), ("net", c.c_void_p),
        ("posterior", c.c_int32), ("seed", c.c_uint64), ("number", c.c_uint64),
        ("err", c.POINTER(nnp_error)))),
    "nnp_teacher_free": (None, (("teacher", c.c_void_p),)),
    "nnp_teacher_bytes": (c.c_int32, (("net", c.c_void_p), ("bytes", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_teacher_init": (c.c_int32, (("teacher", c.POINTER(c.c_void_p)), ("memory", c.c_void_p),
        ("bytes", c.c_size_t), ("net", c.c_void_p), ("posterior", c.c_int32),
        ("seed", c.c_uint64), ("number", c.c_uint64), ("err", c.POINTER(nnp_error)))),
    "nnp_teacher_parameters": (c.c_int32, (("teacher", c.c_void_p), ("parameters", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_teacher_set_parameters": (c.c_int32, (("teacher", c.c_void_p),
        ("parameters", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_teacher_label": (c.c_int32, (("teacher", c.c_void_p), ("data", c.c_void_p),
        ("noise", c.c_int64), ("sites", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_chain_start_teacher": (c.c_int32, (("chain", c.c_void_p), ("teacher", c.c_void_p),
        ("sites", c.c_void_p), ("seed", c.c_uint64), ("number", c.c_uint64),
        ("err", c.POINTER(nnp_error)))),
    "nnp_study_create": (c.c_int32, (("study", c.POINTER(c.c_void_p)),
        ("chains", c.POINTER(c.c_void_p)), ("chain_count", c.c_int64), ("test", c.c_void_p),
        ("capacity", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_study_free": (None, (("study", c.c_void_p),)),
    "nnp_study_bytes": (c.c_int32, (("chains", c.POINTER(c.c_void_p)),
        ("chain_count", c.c_int64), ("test", c.c_void_p), ("capacity", c.c_int64),
        ("bytes", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_study_init": (c.c_int32, (("study", c.POINTER(c.c_void_p)), ("memory", c.c_void_p),
        ("bytes", c.c_size_t), ("chains", c.POINTER(c.c_void_p)), ("chain_count", c.c_int64),
        ("test", c.c_void_p), ("capacity", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_study_set": (c.c_int32, (("study", c.c_void_p), ("option", c.c_int32),
        ("value", c.c_double), ("err", c.POINTER(nnp_error)))),
    "nnp_study_get": (c.c_int32, (("study", c.c_void_p), ("option", c.c_int32),
        ("value", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_study_option_info": (c.c_int32, (("option", c.c_int32), ("name", c.POINTER(c.c_char_p)),
        ("low", c.c_void_p), ("high", c.c_void_p), ("initial", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_study_thermalization": (c.c_int32, (("study", c.c_void_p),
        ("options", c.POINTER(nnp_thermalization_options)), ("err", c.POINTER(nnp_error)))),
    "nnp_study_partner": (c.c_int32, (("study", c.c_void_p), ("chain", c.c_int64),
        ("partner", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_study_function": (c.c_int32, (("study", c.c_void_p), ("function", nnp_test_function),
        ("user", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_study_run": (c.c_int32, (("study", c.c_void_p), ("callback", nnp_study_callback),
        ("user", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_study_state": (c.c_int32, (("study", c.c_void_p),
        ("state", c.POINTER(nnp_study_progress)), ("err", c.POINTER(nnp_error)))),
    "nnp_study_report": (c.c_int32, (("study", c.c_void_p), ("chain", c.c_int64),
        ("out", c.POINTER(nnp_criteria_times)), ("err", c.POINTER(nnp_error)))),
    "nnp_study_series": (c.c_int32, (("study", c.c_void_p), ("chain", c.c_int64),
        ("which", c.c_int32), ("out", c.POINTER(nnp_series)), ("err", c.POINTER(nnp_error)))),
    "nnp_study_print": (c.c_int32, (("study", c.c_void_p), ("buffer", c.c_char_p),
        ("size", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_exchange_create": (c.c_int32, (("exchange", c.POINTER(c.c_void_p)),
        ("chains", c.POINTER(c.c_void_p)), ("chain_count", c.c_int64),
        ("err", c.POINTER(nnp_error)))),
    "nnp_exchange_free": (None, (("exchange", c.c_void_p),)),
    "nnp_exchange_bytes": (c.c_int32, (("chains", c.POINTER(c.c_void_p)),
        ("chain_count", c.c_int64), ("bytes", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_exchange_init": (c.c_int32, (("exchange", c.POINTER(c.c_void_p)),
        ("memory", c.c_void_p), ("bytes", c.c_size_t), ("chains", c.POINTER(c.c_void_p)),
        ("chain_count", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_exchange_set": (c.c_int32, (("exchange", c.c_void_p), ("option", c.c_int32),
        ("value", c.c_double), ("err", c.POINTER(nnp_error)))),
    "nnp_exchange_get": (c.c_int32, (("exchange", c.c_void_p), ("option", c.c_int32),
        ("value", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_exchange_set_ladder": (c.c_int32, (("exchange", c.c_void_p), ("powers", c.c_void_p),
        ("count", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_exchange_start": (c.c_int32, (("exchange", c.c_void_p), ("from", c.c_int32),
        ("seed", c.c_uint64), ("err", c.POINTER(nnp_error)))),
    "nnp_exchange_tune": (c.c_int32, (("exchange", c.c_void_p),
        ("callback", nnp_exchange_callback), ("user", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_exchange_run": (c.c_int32, (("exchange", c.c_void_p), ("sweeps", c.c_int64),
        ("callback", nnp_exchange_callback), ("user", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_exchange_sample": (c.c_int32, (("exchange", c.c_void_p), ("draws", c.c_void_p),
        ("count", c.c_int64), ("thin", c.c_int64), ("callback", nnp_exchange_callback),
        ("user", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_exchange_record": (c.c_int32, (("exchange", c.c_void_p), ("levels", c.c_void_p),
        ("capacity", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_exchange_recorded": (c.c_int32, (("exchange", c.c_void_p), ("sweeps", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_exchange_report": (c.c_int32, (("exchange", c.c_void_p),
        ("out", c.POINTER(nnp_exchange_summary)), ("err", c.POINTER(nnp_error)))),
    "nnp_exchange_text": (c.c_int32, (("exchange", c.c_void_p), ("buffer", c.c_char_p),
        ("size", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_exchange_level": (c.c_int32, (("exchange", c.c_void_p), ("level", c.c_int64),
        ("out", c.POINTER(nnp_exchange_rung)), ("err", c.POINTER(nnp_error)))),
    "nnp_exchange_save_bytes": (c.c_int32, (("exchange", c.c_void_p), ("bytes", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_exchange_save": (c.c_int32, (("exchange", c.c_void_p), ("buffer", c.c_void_p),
        ("size", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_exchange_restore": (c.c_int32, (("exchange", c.c_void_p), ("buffer", c.c_void_p),
        ("size", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_multistart_create": (c.c_int32, (("multistart", c.POINTER(c.c_void_p)),
        ("chains", c.POINTER(c.c_void_p)), ("chain_count", c.c_int64),
        ("err", c.POINTER(nnp_error)))),
    "nnp_multistart_free": (None, (("multistart", c.c_void_p),)),
    "nnp_multistart_bytes": (c.c_int32, (("chains", c.POINTER(c.c_void_p)),
        ("chain_count", c.c_int64), ("bytes", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_multistart_init": (c.c_int32, (("multistart", c.POINTER(c.c_void_p)),
        ("memory", c.c_void_p), ("bytes", c.c_size_t), ("chains", c.POINTER(c.c_void_p)),
        ("chain_count", c.c_int64), ("err", c.POINTER(nnp_error)))),
    "nnp_multistart_set": (c.c_int32, (("multistart", c.c_void_p), ("option", c.c_int32),
        ("value", c.c_double), ("err", c.POINTER(nnp_error)))),
    "nnp_multistart_get": (c.c_int32, (("multistart", c.c_void_p), ("option", c.c_int32),
        ("value", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_multistart_run": (c.c_int32, (("multistart", c.c_void_p), ("seed", c.c_uint64),
        ("callback", nnp_multistart_callback), ("user", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_multistart_report": (c.c_int32, (("multistart", c.c_void_p), ("chain", c.c_int64),
        ("out", c.POINTER(nnp_attempt)), ("err", c.POINTER(nnp_error)))),
    "nnp_multistart_best": (c.c_int32, (("multistart", c.c_void_p), ("chain", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_multistart_print": (c.c_int32, (("multistart", c.c_void_p), ("buffer", c.c_char_p),
        ("size", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_twin_create": (c.c_int32, (("twin", c.POINTER(c.c_void_p)), ("chain", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_twin_free": (None, (("twin", c.c_void_p),)),
    "nnp_twin_bytes": (c.c_int32, (("chain", c.c_void_p), ("bytes", c.c_void_p),
        ("err", c.POINTER(nnp_error)))),
    "nnp_twin_init": (c.c_int32, (("twin", c.POINTER(c.c_void_p)), ("memory", c.c_void_p),
        ("bytes", c.c_size_t), ("chain", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_twin_run": (c.c_int32, (("twin", c.c_void_p), ("steps", c.c_int64),
        ("noisy", c.c_int32), ("seed", c.c_uint64), ("callback", nnp_multistart_callback),
        ("user", c.c_void_p), ("err", c.POINTER(nnp_error)))),
    "nnp_twin_report": (c.c_int32, (("twin", c.c_void_p), ("out", c.POINTER(nnp_verdict)),
        ("err", c.POINTER(nnp_error)))),
    "nnp_twin_text": (c.c_int32, (("twin", c.c_void_p), ("buffer", c.c_char_p),
        ("size", c.c_size_t), ("err", c.POINTER(nnp_error)))),
    "nnp_twin_series": (c.c_int32, (("twin", c.c_void_p), ("which", c.c_int64),
        ("out", c.POINTER(nnp_series)), ("err", c.POINTER(nnp_error)))),
}

! Generated from the headers of capi/ by bindings/generate.py: do not edit.
! The C API as it is: constants, structures and interfaces.
module nnpost_c
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer(c_int32_t), parameter :: NNP_OK = 0_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_NULL = 1_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_SIZE = 2_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_OVERFLOW = 3_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_NOT_FINITE = 4_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_LABEL = 5_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_VALUE = 6_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_SHAPE = 7_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_MEMORY_SIZE = 8_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_MEMORY_ALIGNMENT = 9_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_HEAD_MISPLACED = 10_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_SECOND_HEAD = 11_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_NO_LAYERS = 12_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_NO_HEAD = 13_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_SAVE_TRUNCATED = 14_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_SAVE_CORRUPTED = 15_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_SAVE_VERSION = 16_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_SAVE_NETWORK = 17_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_OPTION = 18_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_ENUM = 19_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_UNSUPPORTED = 20_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_NUMERIC = 21_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_NOT_STARTED = 22_c_int32_t
  integer(c_int32_t), parameter :: NNP_STOPPED = 23_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_OUT_OF_MEMORY = 24_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_NET_FULL = 25_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_BUFFER_SIZE = 26_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_THREAD = 27_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_NO_DATA = 28_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_SAVE_DATA = 29_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_INFEASIBLE = 30_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_COMM = 31_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_RANKS = 32_c_int32_t
  integer(c_int32_t), parameter :: NNP_E_FILE = 33_c_int32_t
  character(*), parameter :: NNP_VERSION = "0.2.0"
  integer(c_int32_t), parameter :: NNP_ABI_VERSION = 0_c_int32_t
  integer(c_int32_t), parameter :: NNP_ALL_LAYERS = 0_c_int32_t
  integer(c_int32_t), parameter :: NNP_HEAD = -1_c_int32_t
  integer(c_int32_t), parameter :: NNP_IDENTITY = 101_c_int32_t
  integer(c_int32_t), parameter :: NNP_RELU = 102_c_int32_t
  integer(c_int32_t), parameter :: NNP_LEAKY_RELU = 103_c_int32_t
  integer(c_int32_t), parameter :: NNP_ABS = 104_c_int32_t
  integer(c_int32_t), parameter :: NNP_SIGN = 105_c_int32_t
  integer(c_int32_t), parameter :: NNP_HARD_TANH = 106_c_int32_t
  integer(c_int32_t), parameter :: NNP_TANH = 107_c_int32_t
  integer(c_int32_t), parameter :: NNP_SOFTPLUS = 108_c_int32_t
  integer(c_int32_t), parameter :: NNP_GELU = 109_c_int32_t
  integer(c_int32_t), parameter :: NNP_GAUSSIAN = 201_c_int32_t
  integer(c_int32_t), parameter :: NNP_ARGMAX = 202_c_int32_t
  integer(c_int32_t), parameter :: NNP_SIGN_HEAD = 203_c_int32_t
  integer(c_int32_t), parameter :: NNP_STUDENT_T = 204_c_int32_t
  integer(c_int32_t), parameter :: NNP_LOCATION_SCALE = 205_c_int32_t
  integer(c_int32_t), parameter :: NNP_NOISE = 301_c_int32_t
  integer(c_int32_t), parameter :: NNP_LAMBDA_W = 302_c_int32_t
  integer(c_int32_t), parameter :: NNP_LAMBDA_B = 303_c_int32_t
  integer(c_int32_t), parameter :: NNP_BIAS = 304_c_int32_t
  integer(c_int32_t), parameter :: NNP_SLOPE = 305_c_int32_t
  integer(c_int32_t), parameter :: NNP_COLLAPSE = 306_c_int32_t
  integer(c_int32_t), parameter :: NNP_PADDING_Y = 307_c_int32_t
  integer(c_int32_t), parameter :: NNP_PADDING_X = 308_c_int32_t
  integer(c_int32_t), parameter :: NNP_ARD = 309_c_int32_t
  integer(c_int32_t), parameter :: NNP_FREEDOM = 320_c_int32_t
  integer(c_int32_t), parameter :: NNP_ROW_MAJOR = 401_c_int32_t
  integer(c_int32_t), parameter :: NNP_COLUMN_MAJOR = 402_c_int32_t
  integer(c_int32_t), parameter :: NNP_GIBBS = 501_c_int32_t
  integer(c_int32_t), parameter :: NNP_HMC = 502_c_int32_t
  integer(c_int32_t), parameter :: NNP_MALA = 503_c_int32_t
  integer(c_int32_t), parameter :: NNP_NUTS = 504_c_int32_t
  integer(c_int32_t), parameter :: NNP_INTERMEDIATE = 601_c_int32_t
  integer(c_int32_t), parameter :: NNP_CLASSICAL = 602_c_int32_t
  integer(c_int32_t), parameter :: NNP_START_ZERO = 701_c_int32_t
  integer(c_int32_t), parameter :: NNP_START_PRIOR = 702_c_int32_t
  integer(c_int32_t), parameter :: NNP_START_SMALL = 703_c_int32_t
  integer(c_int32_t), parameter :: NNP_START_FIT = 704_c_int32_t
  integer(c_int32_t), parameter :: NNP_PREDICT_MEAN = 801_c_int32_t
  integer(c_int32_t), parameter :: NNP_PREDICT_SD = 802_c_int32_t
  integer(c_int32_t), parameter :: NNP_PREDICT_QUANTILES = 803_c_int32_t
  integer(c_int32_t), parameter :: NNP_PREDICT_PROBABILITIES = 804_c_int32_t
  integer(c_int32_t), parameter :: NNP_PREDICT_VOTES = 805_c_int32_t
  integer(c_int32_t), parameter :: NNP_PREDICT_DRAWS = 806_c_int32_t
  integer(c_int32_t), parameter :: NNP_SCORE_MSE = 901_c_int32_t
  integer(c_int32_t), parameter :: NNP_SCORE_ACCURACY = 902_c_int32_t
  integer(c_int32_t), parameter :: NNP_SCORE_LOG = 903_c_int32_t
  integer(c_int32_t), parameter :: NNP_RECOMMENDED = -1_c_int32_t
  integer(c_int32_t), parameter :: NNP_TABLE_SEED = 1801_c_int32_t
  integer(c_int32_t), parameter :: NNP_TABLE_HEAD = 1802_c_int32_t
  integer(c_int32_t), parameter :: NNP_TABLE_ACTIVATION = 1803_c_int32_t
  integer(c_int32_t), parameter :: NNP_TABLE_POSTERIOR = 1804_c_int32_t
  integer(c_int32_t), parameter :: NNP_TABLE_ARD = 1805_c_int32_t
  integer(c_int32_t), parameter :: NNP_TABLE_SAMPLER = 1806_c_int32_t
  integer(c_int32_t), parameter :: NNP_TABLE_START = 1807_c_int32_t
  integer(c_int32_t), parameter :: NNP_TABLE_CHAINS = 1808_c_int32_t
  integer(c_int32_t), parameter :: NNP_TABLE_WARMUP = 1809_c_int32_t
  integer(c_int32_t), parameter :: NNP_TABLE_DRAWS = 1810_c_int32_t
  integer(c_int32_t), parameter :: NNP_TABLE_THIN = 1811_c_int32_t
  integer(c_int32_t), parameter :: NNP_TABLE_THREADS = 1812_c_int32_t
  integer(c_int32_t), parameter :: NNP_TABLE_STACKING = 1813_c_int32_t
  integer(c_int32_t), parameter :: NNP_TABLE_CONSTANT = 1814_c_int32_t
  integer(c_int32_t), parameter :: NNP_STORE_AUTO = 1000_c_int32_t
  integer(c_int32_t), parameter :: NNP_STORE_DOUBLES = 1001_c_int32_t
  integer(c_int32_t), parameter :: NNP_STORE_SINGLES = 1002_c_int32_t
  integer(c_int32_t), parameter :: NNP_STORE_BYTES = 1003_c_int32_t
  integer(c_int32_t), parameter :: NNP_STORE_SPARSE = 1004_c_int32_t
  integer(c_int32_t), parameter :: NNP_STORE_AUTO_IMAGES = 1005_c_int32_t
  integer(c_int32_t), parameter :: NNP_OPTION_SCHEDULE = 1101_c_int32_t
  integer(c_int32_t), parameter :: NNP_OPTION_SIMD = 1102_c_int32_t
  integer(c_int32_t), parameter :: NNP_OPTION_RELAX = 1103_c_int32_t
  integer(c_int32_t), parameter :: NNP_OPTION_PLAIN_EVERY = 1104_c_int32_t
  integer(c_int32_t), parameter :: NNP_OPTION_UNIT_MOVES = 1105_c_int32_t
  integer(c_int32_t), parameter :: NNP_OPTION_EXPANSION = 1106_c_int32_t
  integer(c_int32_t), parameter :: NNP_OPTION_SCALE_MOVES = 1107_c_int32_t
  integer(c_int32_t), parameter :: NNP_OPTION_STEP_SIZE = 1108_c_int32_t
  integer(c_int32_t), parameter :: NNP_OPTION_LEAPFROGS = 1109_c_int32_t
  integer(c_int32_t), parameter :: NNP_OPTION_JITTER = 1110_c_int32_t
  integer(c_int32_t), parameter :: NNP_OPTION_TARGET = 1111_c_int32_t
  integer(c_int32_t), parameter :: NNP_OPTION_MAX_DEPTH = 1112_c_int32_t
  integer(c_int32_t), parameter :: NNP_OPTION_WARMUP = 1113_c_int32_t
  integer(c_int32_t), parameter :: NNP_OPTION_ADAPT_STEP = 1114_c_int32_t
  integer(c_int32_t), parameter :: NNP_OPTION_ADAPT_MASS = 1115_c_int32_t
  integer(c_int32_t), parameter :: NNP_OPTION_MOVES = 1116_c_int32_t
  integer(c_int32_t), parameter :: NNP_OPTION_UNIT_DRAWS = 1117_c_int32_t
  integer(c_int32_t), parameter :: NNP_OPTION_LAYER_MOVES = 1118_c_int32_t
  integer(c_int32_t), parameter :: NNP_OPTION_BLAS = 1119_c_int32_t
  integer(c_int32_t), parameter :: NNP_OPTION_NOISE_MOVES = 1120_c_int32_t
  integer(c_int32_t), parameter :: NNP_OPTION_PRECISION_MOVES = 1121_c_int32_t
  integer(c_int32_t), parameter :: NNP_OPTION_SINGLE_GRADIENTS = 1122_c_int32_t
  integer(c_int32_t), parameter :: NNP_BLAS_AUTOMATIC = 1200_c_int32_t
  integer(c_int32_t), parameter :: NNP_BLAS_NONE = 1201_c_int32_t
  integer(c_int32_t), parameter :: NNP_BLAS_ALL = 1202_c_int32_t
  integer(c_int32_t), parameter :: NNP_BLAS_WHOLE = 1203_c_int32_t
  integer(c_int32_t), parameter :: NNP_MOVES_PLAIN = 0_c_int32_t
  integer(c_int32_t), parameter :: NNP_MOVES_AUTOMATIC = 1_c_int32_t
  integer(c_int32_t), parameter :: NNP_SEQUENTIAL = 1301_c_int32_t
  integer(c_int32_t), parameter :: NNP_PARALLEL = 1302_c_int32_t
  integer(c_int32_t), parameter :: NNP_BACKWARD = 1303_c_int32_t
  integer(c_int32_t), parameter :: NNP_PHASE_START = 1401_c_int32_t
  integer(c_int32_t), parameter :: NNP_PHASE_WARMUP = 1402_c_int32_t
  integer(c_int32_t), parameter :: NNP_PHASE_SAMPLING = 1403_c_int32_t
  integer(c_int32_t), parameter :: NNP_DESCENT_NONE = 1500_c_int32_t
  integer(c_int32_t), parameter :: NNP_DESCENT_STEPS = 1501_c_int32_t
  integer(c_int32_t), parameter :: NNP_DESCENT_CONVERGED = 1502_c_int32_t
  integer(c_int32_t), parameter :: NNP_DESCENT_FLAT = 1503_c_int32_t
  integer(c_int32_t), parameter :: NNP_DESCENT_STOPPED = 1504_c_int32_t
  integer(c_int32_t), parameter :: NNP_FORWARD = 1600_c_int32_t
  integer(c_int32_t), parameter :: NNP_FITTED = 1601_c_int32_t
  integer(c_int32_t), parameter :: NNP_KEEP_PARAMETERS = 1701_c_int32_t
  integer(c_int32_t), parameter :: NNP_KEEP_SCALES = 1702_c_int32_t
  integer(c_int32_t), parameter :: NNP_KEEP_FUNCTIONS = 1703_c_int32_t
  integer(c_int32_t), parameter :: NNP_KEEP_MEAN = 1704_c_int32_t
  integer(c_int32_t), parameter :: NNP_KEEP_PROBABILITIES = 1705_c_int32_t
  integer(c_int32_t), parameter :: NNP_KEEP_PREDICTIONS = 1706_c_int32_t
  integer(c_int32_t), parameter :: NNP_KEEP_LOG_LIK = 1707_c_int32_t
  integer(c_int32_t), parameter :: NNP_ALL_CHAINS = -1_c_int32_t
  integer(c_int32_t), parameter :: NNP_MOVE_PLAIN = 2001_c_int32_t
  integer(c_int32_t), parameter :: NNP_MOVE_RELAXED = 2002_c_int32_t
  integer(c_int32_t), parameter :: NNP_MOVE_UNIT = 2003_c_int32_t
  integer(c_int32_t), parameter :: NNP_MOVE_HAAR = 2004_c_int32_t
  integer(c_int32_t), parameter :: NNP_MOVE_SCALE = 2005_c_int32_t
  integer(c_int32_t), parameter :: NNP_MOVE_EXPANSION = 2006_c_int32_t
  integer(c_int32_t), parameter :: NNP_MOVE_DRAW = 2007_c_int32_t
  integer(c_int32_t), parameter :: NNP_MOVE_LAYER = 2008_c_int32_t
  integer(c_int32_t), parameter :: NNP_MOVE_NOISE = 2009_c_int32_t
  integer(c_int32_t), parameter :: NNP_MOVE_PRECISION = 2010_c_int32_t
  integer(c_int32_t), parameter :: NNP_MOVE_KINDS = 10_c_int32_t
  integer(c_int32_t), parameter :: NNP_STEP_LOG_DENSITY = 2101_c_int32_t
  integer(c_int32_t), parameter :: NNP_STEP_ENERGY = 2102_c_int32_t
  integer(c_int32_t), parameter :: NNP_STEP_ACCEPTANCE = 2103_c_int32_t
  integer(c_int32_t), parameter :: NNP_STEP_SIZE = 2104_c_int32_t
  integer(c_int32_t), parameter :: NNP_STEP_DEPTH = 2105_c_int32_t
  integer(c_int32_t), parameter :: NNP_STEP_LEAPFROGS = 2106_c_int32_t
  integer(c_int32_t), parameter :: NNP_STEP_DIVERGENT = 2107_c_int32_t
  integer(c_int32_t), parameter :: NNP_STEP_DIVERGENCES = 2108_c_int32_t
  integer(c_int32_t), parameter :: NNP_STEP_STATISTICS = 8_c_int32_t
  integer(c_int32_t), parameter :: NNP_STAT_RHAT = 2201_c_int32_t
  integer(c_int32_t), parameter :: NNP_STAT_RHAT_BULK = 2202_c_int32_t
  integer(c_int32_t), parameter :: NNP_STAT_RHAT_TAIL = 2203_c_int32_t
  integer(c_int32_t), parameter :: NNP_STAT_RHAT_BASIC = 2204_c_int32_t
  integer(c_int32_t), parameter :: NNP_STAT_ESS_BULK = 2205_c_int32_t
  integer(c_int32_t), parameter :: NNP_STAT_ESS_TAIL = 2206_c_int32_t
  integer(c_int32_t), parameter :: NNP_STAT_ESS_MEAN = 2207_c_int32_t
  integer(c_int32_t), parameter :: NNP_STAT_ESS_SD = 2208_c_int32_t
  integer(c_int32_t), parameter :: NNP_STAT_ESS_QUANTILE = 2209_c_int32_t
  integer(c_int32_t), parameter :: NNP_STAT_MCSE_MEAN = 2210_c_int32_t
  integer(c_int32_t), parameter :: NNP_STAT_MCSE_SD = 2211_c_int32_t
  integer(c_int32_t), parameter :: NNP_STAT_MCSE_QUANTILE = 2212_c_int32_t
  integer(c_int32_t), parameter :: NNP_STAT_TAU = 2213_c_int32_t
  integer(c_int32_t), parameter :: NNP_STAT_ESS_SPECTRAL = 2214_c_int32_t
  integer(c_int32_t), parameter :: NNP_STAT_MEAN = 2215_c_int32_t
  integer(c_int32_t), parameter :: NNP_STAT_SD = 2216_c_int32_t
  integer(c_int32_t), parameter :: NNP_STAT_QUANTILE = 2217_c_int32_t
  integer(c_int32_t), parameter :: NNP_CONVERGENCE_UNDECIDED = 2300_c_int32_t
  integer(c_int32_t), parameter :: NNP_CONVERGED = 2301_c_int32_t
  integer(c_int32_t), parameter :: NNP_FEW_DRAWS = 2302_c_int32_t
  integer(c_int32_t), parameter :: NNP_DOUBTFUL = 2303_c_int32_t
  integer(c_int32_t), parameter :: NNP_NOT_CONVERGED = 2304_c_int32_t
  integer(c_int32_t), parameter :: NNP_SCALE_AUTO = 2400_c_int32_t
  integer(c_int32_t), parameter :: NNP_SCALE_LINEAR = 2401_c_int32_t
  integer(c_int32_t), parameter :: NNP_SCALE_LOG = 2402_c_int32_t
  integer(c_int32_t), parameter :: NNP_UNDECIDED = 2500_c_int32_t
  integer(c_int32_t), parameter :: NNP_THERMALIZED = 2501_c_int32_t
  integer(c_int32_t), parameter :: NNP_NOT_THERMALIZED = 2502_c_int32_t
  integer(c_int32_t), parameter :: NNP_BECAUSE_MERGED = 2601_c_int32_t
  integer(c_int32_t), parameter :: NNP_BECAUSE_STUCK = 2602_c_int32_t
  integer(c_int32_t), parameter :: NNP_BECAUSE_TOO_SHORT = 2603_c_int32_t
  integer(c_int32_t), parameter :: NNP_BECAUSE_INFORMED_MOVING = 2604_c_int32_t
  integer(c_int32_t), parameter :: NNP_BECAUSE_STILL_MOVING = 2605_c_int32_t
  integer(c_int32_t), parameter :: NNP_BECAUSE_MERGED_LATELY = 2606_c_int32_t
  integer(c_int32_t), parameter :: NNP_BECAUSE_TOO_FEW = 2607_c_int32_t
  integer(c_int32_t), parameter :: NNP_STUDY_STEPS = 3001_c_int32_t
  integer(c_int32_t), parameter :: NNP_STUDY_SECONDS = 3002_c_int32_t
  integer(c_int32_t), parameter :: NNP_STUDY_STOP = 3003_c_int32_t
  integer(c_int32_t), parameter :: NNP_STUDY_PATIENCE = 3004_c_int32_t
  integer(c_int32_t), parameter :: NNP_STUDY_SAMPLING = 3005_c_int32_t
  integer(c_int32_t), parameter :: NNP_STUDY_EVERY = 3006_c_int32_t
  integer(c_int32_t), parameter :: NNP_STUDY_FUNCTION = 3007_c_int32_t
  integer(c_int32_t), parameter :: NNP_STUDY_GRADIENT_LAYER = 3008_c_int32_t
  integer(c_int32_t), parameter :: NNP_STUDY_RHAT_EVERY = 3009_c_int32_t
  integer(c_int32_t), parameter :: NNP_STUDY_RHAT_BLOCK = 3010_c_int32_t
  integer(c_int32_t), parameter :: NNP_STUDY_RHAT_LIMIT = 3011_c_int32_t
  integer(c_int32_t), parameter :: NNP_SAMPLING_LOG = 3101_c_int32_t
  integer(c_int32_t), parameter :: NNP_SAMPLING_EVEN = 3102_c_int32_t
  integer(c_int32_t), parameter :: NNP_ENDED_NOT = 3200_c_int32_t
  integer(c_int32_t), parameter :: NNP_ENDED_VERDICTS = 3201_c_int32_t
  integer(c_int32_t), parameter :: NNP_ENDED_STEPS = 3202_c_int32_t
  integer(c_int32_t), parameter :: NNP_ENDED_SECONDS = 3203_c_int32_t
  integer(c_int32_t), parameter :: NNP_ENDED_STOPPED = 3204_c_int32_t
  integer(c_int32_t), parameter :: NNP_SERIES_TEST = 3301_c_int32_t
  integer(c_int32_t), parameter :: NNP_SERIES_GRADIENT = 3302_c_int32_t
  integer(c_int32_t), parameter :: NNP_SERIES_RHAT = 3303_c_int32_t
  integer(c_int32_t), parameter :: NNP_SERIES_RHAT_25 = 3304_c_int32_t
  integer(c_int32_t), parameter :: NNP_SERIES_RHAT_50 = 3305_c_int32_t
  integer(c_int32_t), parameter :: NNP_SERIES_RHAT_75 = 3306_c_int32_t
  integer(c_int32_t), parameter :: NNP_SERIES_RHAT_95 = 3307_c_int32_t
  integer(c_int32_t), parameter :: NNP_EXCHANGE_REPLICAS = 3401_c_int32_t
  integer(c_int32_t), parameter :: NNP_EXCHANGE_ROUNDS = 3402_c_int32_t
  integer(c_int32_t), parameter :: NNP_EXCHANGE_FIRST_ROUND = 3403_c_int32_t
  integer(c_int32_t), parameter :: NNP_EXCHANGE_STEPS = 3404_c_int32_t
  integer(c_int32_t), parameter :: NNP_EXCHANGE_FROM_PRIOR = 3501_c_int32_t
  integer(c_int32_t), parameter :: NNP_EXCHANGE_FROM_TARGET = 3502_c_int32_t
  integer(c_int32_t), parameter :: NNP_EXCHANGE_MIXES = 3601_c_int32_t
  integer(c_int32_t), parameter :: NNP_EXCHANGE_RUN_LONGER = 3602_c_int32_t
  integer(c_int32_t), parameter :: NNP_EXCHANGE_MORE_REPLICAS = 3603_c_int32_t
  integer(c_int32_t), parameter :: NNP_EXCHANGE_SLOW = 3604_c_int32_t
  integer(c_int32_t), parameter :: NNP_MULTISTART_STEPS = 3701_c_int32_t
  integer(c_int32_t), parameter :: NNP_MULTISTART_SHARE = 3702_c_int32_t
  integer(c_int32_t), parameter :: NNP_MULTISTART_ANNEAL_FROM = 3703_c_int32_t
  integer(c_int32_t), parameter :: NNP_MULTISTART_ZERO_STARTS = 3704_c_int32_t

  type, bind(c) :: nnp_error
    integer(c_int32_t) :: status
    character(kind=c_char) :: message(252)
  end type

  type, bind(c) :: nnp_progress
    type(c_ptr) :: chain
    integer(c_int64_t) :: chain_index
    integer(c_int64_t) :: step
    integer(c_int64_t) :: steps
    real(c_double) :: seconds
  end type

  type, bind(c) :: nnp_model
    integer(c_int64_t) :: inputs
    integer(c_int64_t) :: targets
    integer(c_int32_t) :: head
    integer(c_int32_t) :: activation
    integer(c_int32_t) :: posterior
    integer(c_int32_t) :: ard
    integer(c_int64_t) :: hidden(16)
    integer(c_int64_t) :: hidden_count
    integer(c_int64_t) :: reserved(4) = 0
  end type

  type, bind(c) :: nnp_recipe
    integer(c_int32_t) :: sampler
    integer(c_int32_t) :: posterior
    integer(c_int32_t) :: start
    integer(c_int32_t) :: reserved_int = 0
    integer(c_int64_t) :: chains
    integer(c_int64_t) :: warmup
    integer(c_int64_t) :: draws
    integer(c_int64_t) :: thin
    integer(c_int64_t) :: option_count
    integer(c_int32_t) :: options(8)
    real(c_double) :: values(8)
    real(c_double) :: reserved(4) = 0
  end type

  type, bind(c) :: nnp_inputs
    type(c_ptr) :: x
    integer(c_int64_t) :: n
    integer(c_int64_t) :: features
    integer(c_int32_t) :: order
    integer(c_int32_t) :: store
    integer(c_int64_t) :: reserved(4) = 0
  end type

  type, bind(c) :: nnp_throttle
    type(c_funptr) :: callback
    type(c_ptr) :: user
    real(c_double) :: seconds
    real(c_double) :: next
  end type

  type, bind(c) :: nnp_outlook
    integer(c_int64_t) :: steps(3)
    real(c_double) :: share
    real(c_double) :: seconds_left
    real(c_double) :: spent(3)
    real(c_double) :: began
    integer(c_int64_t) :: phase
    real(c_double) :: reserved(4) = 0
  end type

  type, bind(c) :: nnp_descent
    real(c_double) :: before
    real(c_double) :: after
    real(c_double) :: slope
    integer(c_int64_t) :: steps
    integer(c_int64_t) :: evaluations
    integer(c_int32_t) :: ended
    integer(c_int32_t) :: reserved_int = 0
    real(c_double) :: reserved(4) = 0
  end type

  type, bind(c) :: nnp_inside
    type(c_ptr) :: net
    type(c_ptr) :: draws
    type(c_ptr) :: weights
    type(c_ptr) :: input_mean
    type(c_ptr) :: input_sd
    type(c_ptr) :: target_mean
    type(c_ptr) :: target_sd
    integer(c_int64_t) :: parameters
    integer(c_int64_t) :: draw_count
    integer(c_int64_t) :: chains
    integer(c_int64_t) :: rows
    integer(c_int64_t) :: columns
    integer(c_int64_t) :: targets
    integer(c_int64_t) :: classes
    integer(c_int32_t) :: stopped
    integer(c_int32_t) :: stacked
    type(c_ptr) :: input_matrix
    integer(c_int64_t) :: reserved(3) = 0
  end type

  type, bind(c) :: nnp_saved
    type(c_ptr) :: buffer
    integer(c_size_t) :: size
  end type

  type, bind(c) :: nnp_saved_draws
    integer(c_int64_t) :: parameters
    integer(c_int64_t) :: draws
    integer(c_int64_t) :: steps
    integer(c_int64_t) :: number
    integer(c_int64_t) :: network
    integer(c_int64_t) :: data
    integer(c_int32_t) :: sampler
    integer(c_int32_t) :: posterior
    integer(c_int64_t) :: reserved(4) = 0
  end type

  type, bind(c) :: nnp_draws
    type(c_ptr) :: values
    integer(c_int64_t) :: quantities
    integer(c_int64_t) :: draws
    integer(c_int64_t) :: chains
    integer(c_int64_t) :: quantity_stride
    integer(c_int64_t) :: draw_stride
    integer(c_int64_t) :: chain_stride
    integer(c_int64_t) :: reserved(4) = 0
  end type

  type, bind(c) :: nnp_kept
    integer(c_int32_t) :: what
    integer(c_int32_t) :: moments
    type(c_ptr) :: predictor
    type(c_ptr) :: data
    integer(c_int64_t) :: rows
    integer(c_int64_t) :: reserved(4) = 0
  end type

  type, bind(c) :: nnp_comm
    integer(c_int32_t) :: rank
    integer(c_int32_t) :: size
    type(c_funptr) :: allgather
    type(c_funptr) :: broadcast
    type(c_funptr) :: exchange
    type(c_funptr) :: abort
    type(c_ptr) :: user
    integer(c_int32_t) :: checked
    integer(c_int32_t) :: reserved_int = 0
    integer(c_int64_t) :: reserved(4) = 0
  end type

  type, bind(c) :: nnp_rows
    integer(c_int64_t) :: total
    integer(c_int64_t) :: first
    integer(c_int64_t) :: count
    integer(c_int64_t) :: blocks
    integer(c_int64_t) :: reserved(4) = 0
  end type

  type, bind(c) :: nnp_move_count
    integer(c_int64_t) :: tried
    integer(c_int64_t) :: moved
    integer(c_int64_t) :: evaluations
    integer(c_int64_t) :: reserved(5) = 0
  end type

  type, bind(c) :: nnp_convergence
    integer(c_int32_t) :: verdict
    integer(c_int32_t) :: reserved_int = 0
    real(c_double) :: rhat
    real(c_double) :: ess_bulk
    real(c_double) :: ess_tail
    real(c_double) :: ess_needed
    integer(c_int64_t) :: worst
    real(c_double) :: reserved(4) = 0
  end type

  type, bind(c) :: nnp_loo_summary
    real(c_double) :: elpd
    real(c_double) :: elpd_error
    real(c_double) :: p_loo
    real(c_double) :: p_loo_error
    real(c_double) :: largest_k
    real(c_double) :: k_limit
    integer(c_int64_t) :: unreliable
    real(c_double) :: reserved(4) = 0
  end type

  type, bind(c) :: nnp_stacking_summary
    real(c_double) :: elpd
    real(c_double) :: elpd_error
    real(c_double) :: gap
    integer(c_int64_t) :: iterations
    real(c_double) :: largest_k
    real(c_double) :: k_limit
    integer(c_int64_t) :: unreliable
    real(c_double) :: reserved(1) = 0
  end type

  type, bind(c) :: nnp_series
    type(c_ptr) :: times
    type(c_ptr) :: values
    integer(c_int64_t) :: count
    integer(c_int64_t) :: reserved(4) = 0
  end type

  type, bind(c) :: nnp_thermalization_options
    integer(c_int32_t) :: scale
    integer(c_int32_t) :: reserved_int = 0
    real(c_double) :: block_tolerance
    real(c_double) :: block_z
    real(c_double) :: level_tolerance
    real(c_double) :: z
    real(c_double) :: resolution
    real(c_double) :: merged_fraction
    real(c_double) :: reserved(8) = 0
  end type

  type, bind(c) :: nnp_verdict
    integer(c_int32_t) :: verdict
    integer(c_int32_t) :: because
    integer(c_int32_t) :: scale
    integer(c_int32_t) :: reserved_int = 0
    real(c_double) :: time
    real(c_double) :: level
    real(c_double) :: distance
    real(c_double) :: distance_error
    real(c_double) :: independent
    real(c_double) :: informed_time
    real(c_double) :: informed_level
    real(c_double) :: informed_spread
    real(c_double) :: informed_error
    real(c_double) :: informed_autocorrelation_time
    real(c_double) :: reserved(4) = 0
  end type

  type, bind(c) :: nnp_settling
    integer(c_int32_t) :: found
    integer(c_int32_t) :: scale
    real(c_double) :: time
    real(c_double) :: level
    real(c_double) :: spread
    real(c_double) :: error
    real(c_double) :: autocorrelation_time
    real(c_double) :: reserved(2) = 0
  end type

  type, bind(c) :: nnp_criteria_series
    type(nnp_series) :: informed
    type(nnp_series) :: other
    type(nnp_series) :: gradient
    type(nnp_series) :: rhat
  end type

  type, bind(c) :: nnp_criteria_times
    real(c_double) :: teacher_student
    real(c_double) :: stationarity
    real(c_double) :: gradient
    real(c_double) :: rhat
    type(nnp_verdict) :: verdict
  end type

  type, bind(c) :: nnp_study_progress
    integer(c_int64_t) :: steps
    integer(c_int64_t) :: samples
    integer(c_int64_t) :: blocks
    integer(c_int64_t) :: decided
    real(c_double) :: share
    real(c_double) :: seconds
    integer(c_int32_t) :: ended
    integer(c_int32_t) :: reserved_int = 0
    real(c_double) :: reserved(4) = 0
  end type

  type, bind(c) :: nnp_exchange_progress
    integer(c_int64_t) :: done
    integer(c_int64_t) :: sweeps
    integer(c_int64_t) :: round
    integer(c_int64_t) :: restarts
    real(c_double) :: seconds
    real(c_double) :: reserved(3) = 0
  end type

  type, bind(c) :: nnp_exchange_summary
    integer(c_int64_t) :: chains
    integer(c_int64_t) :: replicas
    integer(c_int64_t) :: wanted
    integer(c_int64_t) :: sweeps
    integer(c_int64_t) :: restarts
    integer(c_int64_t) :: round_trips
    real(c_double) :: expected_restarts
    real(c_double) :: barrier
    real(c_double) :: least_swaps
    real(c_double) :: mean_swaps
    real(c_double) :: log_evidence
    real(c_double) :: evidence_error
    integer(c_int32_t) :: verdict
    integer(c_int32_t) :: tuned
    real(c_double) :: reserved(4) = 0
  end type

  type, bind(c) :: nnp_exchange_rung
    real(c_double) :: power
    real(c_double) :: swaps
    real(c_double) :: barrier
    real(c_double) :: reserved(3) = 0
  end type

  type, bind(c) :: nnp_multistart_progress
    integer(c_int64_t) :: done
    integer(c_int64_t) :: steps
    integer(c_int64_t) :: best
    integer(c_int64_t) :: reserved(5) = 0
  end type

  type, bind(c) :: nnp_attempt
    real(c_double) :: error
    integer(c_int64_t) :: rank
    integer(c_int64_t) :: steps
    integer(c_int32_t) :: annealed
    integer(c_int32_t) :: reserved_int = 0
    real(c_double) :: reserved(4) = 0
  end type

  interface
    function nnp_status_name(status) bind(c, name="nnp_status_name") result(outcome)
      import
      integer(c_int32_t), value :: status
      type(c_ptr) :: outcome
    end function
    function nnp_version_call() bind(c, name="nnp_version") result(outcome)
      import
      type(c_ptr) :: outcome
    end function
    function nnp_abi_version_call() bind(c, name="nnp_abi_version") result(outcome)
      import
      integer(c_int32_t) :: outcome
    end function
    function nnp_build_info(buffer, size, err) bind(c, name="nnp_build_info") result(outcome)
      import
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_create(net, inputs, err) bind(c, name="nnp_net_create") result(outcome)
      import
      type(c_ptr), intent(out) :: net
      integer(c_int64_t), value :: inputs
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    subroutine nnp_net_free(net) bind(c, name="nnp_net_free")
      import
      type(c_ptr), value :: net
    end subroutine
    function nnp_net_dense(net, units, err) bind(c, name="nnp_net_dense") result(outcome)
      import
      type(c_ptr), value :: net
      integer(c_int64_t), value :: units
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_activation(net, activation, &
        err) bind(c, name="nnp_net_activation") result(outcome)
      import
      type(c_ptr), value :: net
      integer(c_int32_t), value :: activation
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_head(net, head, err) bind(c, name="nnp_net_head") result(outcome)
      import
      type(c_ptr), value :: net
      integer(c_int32_t), value :: head
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_set(net, layer, property, value, &
        err) bind(c, name="nnp_net_set") result(outcome)
      import
      type(c_ptr), value :: net
      integer(c_int64_t), value :: layer
      integer(c_int32_t), value :: property
      real(c_double), value :: value
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_get(net, layer, property, value, &
        err) bind(c, name="nnp_net_get") result(outcome)
      import
      type(c_ptr), value :: net
      integer(c_int64_t), value :: layer
      integer(c_int32_t), value :: property
      type(c_ptr), value :: value
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_parameters(net, parameters, &
        err) bind(c, name="nnp_net_parameters") result(outcome)
      import
      type(c_ptr), value :: net
      type(c_ptr), value :: parameters
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_data_create(data, n, features, outputs, &
        err) bind(c, name="nnp_data_create") result(outcome)
      import
      type(c_ptr), intent(out) :: data
      integer(c_int64_t), value :: n
      integer(c_int64_t), value :: features
      integer(c_int64_t), value :: outputs
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    subroutine nnp_data_free(data) bind(c, name="nnp_data_free")
      import
      type(c_ptr), value :: data
    end subroutine
    function nnp_data_set_inputs(data, x, order, &
        err) bind(c, name="nnp_data_set_inputs") result(outcome)
      import
      type(c_ptr), value :: data
      type(c_ptr), value :: x
      integer(c_int32_t), value :: order
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_data_set_targets(data, y, order, &
        err) bind(c, name="nnp_data_set_targets") result(outcome)
      import
      type(c_ptr), value :: data
      type(c_ptr), value :: y
      integer(c_int32_t), value :: order
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_data_set_labels(data, labels, &
        err) bind(c, name="nnp_data_set_labels") result(outcome)
      import
      type(c_ptr), value :: data
      type(c_ptr), value :: labels
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_create(chain, net, data, sampler, posterior, &
        err) bind(c, name="nnp_chain_create") result(outcome)
      import
      type(c_ptr), intent(out) :: chain
      type(c_ptr), value :: net
      type(c_ptr), value :: data
      integer(c_int32_t), value :: sampler
      integer(c_int32_t), value :: posterior
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    subroutine nnp_chain_free(chain) bind(c, name="nnp_chain_free")
      import
      type(c_ptr), value :: chain
    end subroutine
    function nnp_chain_start(chain, start, seed, number, &
        err) bind(c, name="nnp_chain_start") result(outcome)
      import
      type(c_ptr), value :: chain
      integer(c_int32_t), value :: start
      integer(c_int64_t), value :: seed
      integer(c_int64_t), value :: number
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_run(chain, steps, callback, user, &
        err) bind(c, name="nnp_chain_run") result(outcome)
      import
      type(c_ptr), value :: chain
      integer(c_int64_t), value :: steps
      type(c_funptr), value :: callback
      type(c_ptr), value :: user
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_sample(chain, draws, count, thin, callback, user, &
        err) bind(c, name="nnp_chain_sample") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: draws
      integer(c_int64_t), value :: count
      integer(c_int64_t), value :: thin
      type(c_funptr), value :: callback
      type(c_ptr), value :: user
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_predictor_create(predictor, net, max_draws, &
        err) bind(c, name="nnp_predictor_create") result(outcome)
      import
      type(c_ptr), intent(out) :: predictor
      type(c_ptr), value :: net
      integer(c_int64_t), value :: max_draws
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    subroutine nnp_predictor_free(predictor) bind(c, name="nnp_predictor_free")
      import
      type(c_ptr), value :: predictor
    end subroutine
    function nnp_predictor_posterior(predictor, posterior, &
        err) bind(c, name="nnp_predictor_posterior") result(outcome)
      import
      type(c_ptr), value :: predictor
      integer(c_int32_t), value :: posterior
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_predictor_levels(predictor, levels, count, &
        err) bind(c, name="nnp_predictor_levels") result(outcome)
      import
      type(c_ptr), value :: predictor
      type(c_ptr), value :: levels
      integer(c_int64_t), value :: count
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_predict(predictor, data, params, draws, kind, out, &
        err) bind(c, name="nnp_predict") result(outcome)
      import
      type(c_ptr), value :: predictor
      type(c_ptr), value :: data
      type(c_ptr), value :: params
      integer(c_int64_t), value :: draws
      integer(c_int32_t), value :: kind
      type(c_ptr), value :: out
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_score(predictor, data, params, draws, score, value, &
        err) bind(c, name="nnp_score") result(outcome)
      import
      type(c_ptr), value :: predictor
      type(c_ptr), value :: data
      type(c_ptr), value :: params
      integer(c_int64_t), value :: draws
      integer(c_int32_t), value :: score
      type(c_ptr), value :: value
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_model_defaults(model, inputs, targets, head, rows, &
        err) bind(c, name="nnp_model_defaults") result(outcome)
      import
      type(c_ptr), value :: model
      integer(c_int64_t), value :: inputs
      integer(c_int64_t), value :: targets
      integer(c_int32_t), value :: head
      integer(c_int64_t), value :: rows
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_recommend_head(rows, activation, posterior, head, &
        err) bind(c, name="nnp_recommend_head") result(outcome)
      import
      integer(c_int64_t), value :: rows
      integer(c_int32_t), value :: activation
      integer(c_int32_t), value :: posterior
      type(c_ptr), value :: head
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_model_choose(model, activation, posterior, &
        err) bind(c, name="nnp_model_choose") result(outcome)
      import
      type(c_ptr), value :: model
      integer(c_int32_t), value :: activation
      integer(c_int32_t), value :: posterior
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_create_model(net, model, &
        err) bind(c, name="nnp_net_create_model") result(outcome)
      import
      type(c_ptr), intent(out) :: net
      type(c_ptr), value :: model
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_recommend(net, rows, posterior, recipe, &
        err) bind(c, name="nnp_recommend") result(outcome)
      import
      type(c_ptr), value :: net
      integer(c_int64_t), value :: rows
      integer(c_int32_t), value :: posterior
      type(c_ptr), value :: recipe
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_use_recipe(chain, recipe, &
        err) bind(c, name="nnp_chain_use_recipe") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: recipe
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_standard(x, n, columns, order, mean, sd, &
        err) bind(c, name="nnp_standard") result(outcome)
      import
      type(c_ptr), value :: x
      integer(c_int64_t), value :: n
      integer(c_int64_t), value :: columns
      integer(c_int32_t), value :: order
      type(c_ptr), value :: mean
      type(c_ptr), value :: sd
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_standardize(x, n, columns, order, mean, sd, out, &
        err) bind(c, name="nnp_standardize") result(outcome)
      import
      type(c_ptr), value :: x
      integer(c_int64_t), value :: n
      integer(c_int64_t), value :: columns
      integer(c_int32_t), value :: order
      type(c_ptr), value :: mean
      type(c_ptr), value :: sd
      type(c_ptr), value :: out
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_unstandardize(x, n, columns, order, mean, sd, out, &
        err) bind(c, name="nnp_unstandardize") result(outcome)
      import
      type(c_ptr), value :: x
      integer(c_int64_t), value :: n
      integer(c_int64_t), value :: columns
      integer(c_int32_t), value :: order
      type(c_ptr), value :: mean
      type(c_ptr), value :: sd
      type(c_ptr), value :: out
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_recommend_transform_bytes(labels, n, columns, bytes, &
        err) bind(c, name="nnp_recommend_transform_bytes") result(outcome)
      import
      type(c_ptr), value :: labels
      integer(c_int64_t), value :: n
      integer(c_int64_t), value :: columns
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_recommend_transform(z, labels, n, columns, order, matrix, bytes, &
        err) bind(c, name="nnp_recommend_transform") result(outcome)
      import
      type(c_ptr), value :: z
      type(c_ptr), value :: labels
      integer(c_int64_t), value :: n
      integer(c_int64_t), value :: columns
      integer(c_int32_t), value :: order
      type(c_ptr), value :: matrix
      integer(c_size_t), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_transform(z, n, columns, order, matrix, out, &
        err) bind(c, name="nnp_transform") result(outcome)
      import
      type(c_ptr), value :: z
      integer(c_int64_t), value :: n
      integer(c_int64_t), value :: columns
      integer(c_int32_t), value :: order
      type(c_ptr), value :: matrix
      type(c_ptr), value :: out
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_table_create(table, err) bind(c, name="nnp_table_create") result(outcome)
      import
      type(c_ptr), intent(out) :: table
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    subroutine nnp_table_free(table) bind(c, name="nnp_table_free")
      import
      type(c_ptr), value :: table
    end subroutine
    function nnp_table_set(table, setting, value, &
        err) bind(c, name="nnp_table_set") result(outcome)
      import
      type(c_ptr), value :: table
      integer(c_int32_t), value :: setting
      real(c_double), value :: value
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_table_get(table, setting, value, &
        err) bind(c, name="nnp_table_get") result(outcome)
      import
      type(c_ptr), value :: table
      integer(c_int32_t), value :: setting
      type(c_ptr), value :: value
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_table_hidden(table, widths, count, &
        err) bind(c, name="nnp_table_hidden") result(outcome)
      import
      type(c_ptr), value :: table
      type(c_ptr), value :: widths
      integer(c_int64_t), value :: count
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_table_watch(table, callback, user, &
        err) bind(c, name="nnp_table_watch") result(outcome)
      import
      type(c_ptr), value :: table
      type(c_funptr), value :: callback
      type(c_ptr), value :: user
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_table_fit(table, x, y, n, columns, targets, order, &
        err) bind(c, name="nnp_table_fit") result(outcome)
      import
      type(c_ptr), value :: table
      type(c_ptr), value :: x
      type(c_ptr), value :: y
      integer(c_int64_t), value :: n
      integer(c_int64_t), value :: columns
      integer(c_int64_t), value :: targets
      integer(c_int32_t), value :: order
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_table_fit_labels(table, x, labels, n, columns, order, &
        err) bind(c, name="nnp_table_fit_labels") result(outcome)
      import
      type(c_ptr), value :: table
      type(c_ptr), value :: x
      type(c_ptr), value :: labels
      integer(c_int64_t), value :: n
      integer(c_int64_t), value :: columns
      integer(c_int32_t), value :: order
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_table_predict(table, x, rows, columns, order, kind, out, &
        err) bind(c, name="nnp_table_predict") result(outcome)
      import
      type(c_ptr), value :: table
      type(c_ptr), value :: x
      integer(c_int64_t), value :: rows
      integer(c_int64_t), value :: columns
      integer(c_int32_t), value :: order
      integer(c_int32_t), value :: kind
      type(c_ptr), value :: out
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_table_interval(table, x, rows, columns, order, level, ends, &
        err) bind(c, name="nnp_table_interval") result(outcome)
      import
      type(c_ptr), value :: table
      type(c_ptr), value :: x
      integer(c_int64_t), value :: rows
      integer(c_int64_t), value :: columns
      integer(c_int32_t), value :: order
      real(c_double), value :: level
      type(c_ptr), value :: ends
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_table_classify(table, x, rows, columns, order, labels, &
        err) bind(c, name="nnp_table_classify") result(outcome)
      import
      type(c_ptr), value :: table
      type(c_ptr), value :: x
      integer(c_int64_t), value :: rows
      integer(c_int64_t), value :: columns
      integer(c_int32_t), value :: order
      type(c_ptr), value :: labels
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_table_text(table, buffer, size, &
        err) bind(c, name="nnp_table_text") result(outcome)
      import
      type(c_ptr), value :: table
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_create_image(net, channels, height, width, &
        err) bind(c, name="nnp_net_create_image") result(outcome)
      import
      type(c_ptr), intent(out) :: net
      integer(c_int64_t), value :: channels
      integer(c_int64_t), value :: height
      integer(c_int64_t), value :: width
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_image(net, channels, height, width, &
        err) bind(c, name="nnp_net_image") result(outcome)
      import
      type(c_ptr), value :: net
      integer(c_int64_t), value :: channels
      integer(c_int64_t), value :: height
      integer(c_int64_t), value :: width
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_conv2d(net, filters, height, width, stride_y, stride_x, &
        err) bind(c, name="nnp_net_conv2d") result(outcome)
      import
      type(c_ptr), value :: net
      integer(c_int64_t), value :: filters
      integer(c_int64_t), value :: height
      integer(c_int64_t), value :: width
      integer(c_int64_t), value :: stride_y
      integer(c_int64_t), value :: stride_x
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_avgpool(net, height, width, &
        err) bind(c, name="nnp_net_avgpool") result(outcome)
      import
      type(c_ptr), value :: net
      integer(c_int64_t), value :: height
      integer(c_int64_t), value :: width
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_maxpool(net, height, width, &
        err) bind(c, name="nnp_net_maxpool") result(outcome)
      import
      type(c_ptr), value :: net
      integer(c_int64_t), value :: height
      integer(c_int64_t), value :: width
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_copy(copy, net, err) bind(c, name="nnp_net_copy") result(outcome)
      import
      type(c_ptr), intent(out) :: copy
      type(c_ptr), value :: net
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_head_info(head, name, labels, outputs_per_target, &
        err) bind(c, name="nnp_head_info") result(outcome)
      import
      integer(c_int32_t), value :: head
      type(c_ptr), value :: name
      type(c_ptr), value :: labels
      type(c_ptr), value :: outputs_per_target
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_learn(net, layer, property, shape, mean, &
        err) bind(c, name="nnp_net_learn") result(outcome)
      import
      type(c_ptr), value :: net
      integer(c_int64_t), value :: layer
      integer(c_int32_t), value :: property
      real(c_double), value :: shape
      real(c_double), value :: mean
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_learn_tied(net, multiples, shape, mean, &
        err) bind(c, name="nnp_net_learn_tied") result(outcome)
      import
      type(c_ptr), value :: net
      type(c_ptr), value :: multiples
      real(c_double), value :: shape
      real(c_double), value :: mean
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_fix(net, layer, property, err) bind(c, name="nnp_net_fix") result(outcome)
      import
      type(c_ptr), value :: net
      integer(c_int64_t), value :: layer
      integer(c_int32_t), value :: property
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_learned(net, layer, property, shape, mean, first, count, &
        err) bind(c, name="nnp_net_learned") result(outcome)
      import
      type(c_ptr), value :: net
      integer(c_int64_t), value :: layer
      integer(c_int32_t), value :: property
      type(c_ptr), value :: shape
      type(c_ptr), value :: mean
      type(c_ptr), value :: first
      type(c_ptr), value :: count
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_layers(net, layers, err) bind(c, name="nnp_net_layers") result(outcome)
      import
      type(c_ptr), value :: net
      type(c_ptr), value :: layers
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_outputs(net, outputs, err) bind(c, name="nnp_net_outputs") result(outcome)
      import
      type(c_ptr), value :: net
      type(c_ptr), value :: outputs
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_targets(net, targets, err) bind(c, name="nnp_net_targets") result(outcome)
      import
      type(c_ptr), value :: net
      type(c_ptr), value :: targets
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_latents(net, latents, err) bind(c, name="nnp_net_latents") result(outcome)
      import
      type(c_ptr), value :: net
      type(c_ptr), value :: latents
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_layer(net, layer, first, weights, biases, &
        err) bind(c, name="nnp_net_layer") result(outcome)
      import
      type(c_ptr), value :: net
      integer(c_int64_t), value :: layer
      type(c_ptr), value :: first
      type(c_ptr), value :: weights
      type(c_ptr), value :: biases
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_find_layer(net, name, layer, &
        err) bind(c, name="nnp_net_find_layer") result(outcome)
      import
      type(c_ptr), value :: net
      type(c_ptr), value :: name
      type(c_ptr), value :: layer
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_shape(net, site, shape, err) bind(c, name="nnp_net_shape") result(outcome)
      import
      type(c_ptr), value :: net
      integer(c_int64_t), value :: site
      type(c_ptr), value :: shape
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_parameter_name(net, parameter, buffer, size, &
        err) bind(c, name="nnp_net_parameter_name") result(outcome)
      import
      type(c_ptr), value :: net
      integer(c_int64_t), value :: parameter
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_print(net, n, buffer, size, &
        err) bind(c, name="nnp_net_print") result(outcome)
      import
      type(c_ptr), value :: net
      integer(c_int64_t), value :: n
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_temperature(net, temperature, &
        err) bind(c, name="nnp_net_temperature") result(outcome)
      import
      type(c_ptr), value :: net
      type(c_ptr), value :: temperature
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_data_create_from(data, inputs, outputs, &
        err) bind(c, name="nnp_data_create_from") result(outcome)
      import
      type(c_ptr), intent(out) :: data
      type(c_ptr), value :: inputs
      integer(c_int64_t), value :: outputs
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_data_store(data, store, err) bind(c, name="nnp_data_store") result(outcome)
      import
      type(c_ptr), value :: data
      type(c_ptr), value :: store
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_data_targets(data, y, order, &
        err) bind(c, name="nnp_data_targets") result(outcome)
      import
      type(c_ptr), value :: data
      type(c_ptr), value :: y
      integer(c_int32_t), value :: order
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_data_labels(data, labels, err) bind(c, name="nnp_data_labels") result(outcome)
      import
      type(c_ptr), value :: data
      type(c_ptr), value :: labels
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_set(chain, option, value, &
        err) bind(c, name="nnp_chain_set") result(outcome)
      import
      type(c_ptr), value :: chain
      integer(c_int32_t), value :: option
      real(c_double), value :: value
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_get(chain, option, value, &
        err) bind(c, name="nnp_chain_get") result(outcome)
      import
      type(c_ptr), value :: chain
      integer(c_int32_t), value :: option
      type(c_ptr), value :: value
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_option_info(option, name, low, high, initial, &
        err) bind(c, name="nnp_option_info") result(outcome)
      import
      integer(c_int32_t), value :: option
      type(c_ptr), value :: name
      type(c_ptr), value :: low
      type(c_ptr), value :: high
      type(c_ptr), value :: initial
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_pool_create(pool, threads, err) bind(c, name="nnp_pool_create") result(outcome)
      import
      type(c_ptr), intent(out) :: pool
      integer(c_int64_t), value :: threads
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    subroutine nnp_pool_free(pool) bind(c, name="nnp_pool_free")
      import
      type(c_ptr), value :: pool
    end subroutine
    function nnp_chain_use_pool(chain, pool, &
        err) bind(c, name="nnp_chain_use_pool") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: pool
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chains_start(chains, chain_count, start, seed, callback, user, &
        err) bind(c, name="nnp_chains_start") result(outcome)
      import
      type(c_ptr), value :: chains
      integer(c_int64_t), value :: chain_count
      integer(c_int32_t), value :: start
      integer(c_int64_t), value :: seed
      type(c_funptr), value :: callback
      type(c_ptr), value :: user
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chains_run(chains, chain_count, steps, callback, user, &
        err) bind(c, name="nnp_chains_run") result(outcome)
      import
      type(c_ptr), value :: chains
      integer(c_int64_t), value :: chain_count
      integer(c_int64_t), value :: steps
      type(c_funptr), value :: callback
      type(c_ptr), value :: user
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chains_sample(chains, chain_count, draws, count, thin, callback, user, &
        err) bind(c, name="nnp_chains_sample") result(outcome)
      import
      type(c_ptr), value :: chains
      integer(c_int64_t), value :: chain_count
      type(c_ptr), value :: draws
      integer(c_int64_t), value :: count
      integer(c_int64_t), value :: thin
      type(c_funptr), value :: callback
      type(c_ptr), value :: user
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_draws(chain, draws, err) bind(c, name="nnp_chain_draws") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: draws
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_throttled(progress, throttle) bind(c, name="nnp_throttled") result(outcome)
      import
      type(c_ptr), value :: progress
      type(c_ptr), value :: throttle
      integer(c_int32_t) :: outcome
    end function
    function nnp_outlook_tell(outlook, phase, done, seconds, &
        err) bind(c, name="nnp_outlook_tell") result(outcome)
      import
      type(c_ptr), value :: outlook
      integer(c_int32_t), value :: phase
      integer(c_int64_t), value :: done
      real(c_double), value :: seconds
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_start_weights(chain, parameters, noisy, seed, number, &
        err) bind(c, name="nnp_chain_start_weights") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: parameters
      integer(c_int32_t), value :: noisy
      integer(c_int64_t), value :: seed
      integer(c_int64_t), value :: number
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_start_state(chain, parameters, sites, seed, number, &
        err) bind(c, name="nnp_chain_start_state") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: parameters
      type(c_ptr), value :: sites
      integer(c_int64_t), value :: seed
      integer(c_int64_t), value :: number
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_descend(chain, steps, callback, user, &
        err) bind(c, name="nnp_chain_descend") result(outcome)
      import
      type(c_ptr), value :: chain
      integer(c_int64_t), value :: steps
      type(c_funptr), value :: callback
      type(c_ptr), value :: user
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chains_descend(chains, chain_count, steps, callback, user, &
        err) bind(c, name="nnp_chains_descend") result(outcome)
      import
      type(c_ptr), value :: chains
      integer(c_int64_t), value :: chain_count
      integer(c_int64_t), value :: steps
      type(c_funptr), value :: callback
      type(c_ptr), value :: user
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_descent(chain, out, err) bind(c, name="nnp_chain_descent") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: out
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_anneal(chain, from, steps, &
        err) bind(c, name="nnp_chain_anneal") result(outcome)
      import
      type(c_ptr), value :: chain
      real(c_double), value :: from
      integer(c_int64_t), value :: steps
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_annealing(chain, steps, &
        err) bind(c, name="nnp_chain_annealing") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: steps
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_steps(chain, steps, err) bind(c, name="nnp_chain_steps") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: steps
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_parameters(chain, parameters, &
        err) bind(c, name="nnp_chain_parameters") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: parameters
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_site(chain, site, values, &
        err) bind(c, name="nnp_chain_site") result(outcome)
      import
      type(c_ptr), value :: chain
      integer(c_int64_t), value :: site
      type(c_ptr), value :: values
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_log_density(chain, value, &
        err) bind(c, name="nnp_chain_log_density") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: value
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_predict(chain, data, outputs, &
        err) bind(c, name="nnp_chain_predict") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: data
      type(c_ptr), value :: outputs
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_score(chain, data, score, value, &
        err) bind(c, name="nnp_chain_score") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: data
      integer(c_int32_t), value :: score
      type(c_ptr), value :: value
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_variables(chain, variables, &
        err) bind(c, name="nnp_chain_variables") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: variables
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_set_scales(chain, variances, &
        err) bind(c, name="nnp_chain_set_scales") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: variances
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_scales(chain, variances, &
        err) bind(c, name="nnp_chain_scales") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: variances
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_predictor_noise(predictor, noise, seed, &
        err) bind(c, name="nnp_predictor_noise") result(outcome)
      import
      type(c_ptr), value :: predictor
      integer(c_int32_t), value :: noise
      integer(c_int64_t), value :: seed
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_predictor_passes(predictor, passes, &
        err) bind(c, name="nnp_predictor_passes") result(outcome)
      import
      type(c_ptr), value :: predictor
      integer(c_int64_t), value :: passes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_predictor_set(predictor, option, value, &
        err) bind(c, name="nnp_predictor_set") result(outcome)
      import
      type(c_ptr), value :: predictor
      integer(c_int32_t), value :: option
      real(c_double), value :: value
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_predictor_weights(predictor, weights, draws, &
        err) bind(c, name="nnp_predictor_weights") result(outcome)
      import
      type(c_ptr), value :: predictor
      type(c_ptr), value :: weights
      integer(c_int64_t), value :: draws
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_predictor_units(predictor, mean, sd, &
        err) bind(c, name="nnp_predictor_units") result(outcome)
      import
      type(c_ptr), value :: predictor
      type(c_ptr), value :: mean
      type(c_ptr), value :: sd
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_predictor_pool_bytes(predictor, pool, bytes, &
        err) bind(c, name="nnp_predictor_pool_bytes") result(outcome)
      import
      type(c_ptr), value :: predictor
      type(c_ptr), value :: pool
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_predictor_use_pool(predictor, pool, memory, bytes, &
        err) bind(c, name="nnp_predictor_use_pool") result(outcome)
      import
      type(c_ptr), value :: predictor
      type(c_ptr), value :: pool
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_predictor_watch(predictor, callback, user, &
        err) bind(c, name="nnp_predictor_watch") result(outcome)
      import
      type(c_ptr), value :: predictor
      type(c_funptr), value :: callback
      type(c_ptr), value :: user
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_table_inside(table, out, err) bind(c, name="nnp_table_inside") result(outcome)
      import
      type(c_ptr), value :: table
      type(c_ptr), value :: out
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_table_recipe(table, recipe, &
        err) bind(c, name="nnp_table_recipe") result(outcome)
      import
      type(c_ptr), value :: table
      type(c_ptr), value :: recipe
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_table_setting_info(setting, name, low, high, initial, &
        err) bind(c, name="nnp_table_setting_info") result(outcome)
      import
      integer(c_int32_t), value :: setting
      type(c_ptr), value :: name
      type(c_ptr), value :: low
      type(c_ptr), value :: high
      type(c_ptr), value :: initial
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_table_option(table, option, value, &
        err) bind(c, name="nnp_table_option") result(outcome)
      import
      type(c_ptr), value :: table
      integer(c_int32_t), value :: option
      real(c_double), value :: value
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_table_weigh(table, weights, err) bind(c, name="nnp_table_weigh") result(outcome)
      import
      type(c_ptr), value :: table
      type(c_ptr), value :: weights
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_table_predictor(table, predictor, &
        err) bind(c, name="nnp_table_predictor") result(outcome)
      import
      type(c_ptr), value :: table
      type(c_ptr), intent(out) :: predictor
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_table_data(table, x, y, labels, rows, order, data, &
        err) bind(c, name="nnp_table_data") result(outcome)
      import
      type(c_ptr), value :: table
      type(c_ptr), value :: x
      type(c_ptr), value :: y
      type(c_ptr), value :: labels
      integer(c_int64_t), value :: rows
      integer(c_int32_t), value :: order
      type(c_ptr), intent(out) :: data
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_table_save_bytes(table, bytes, &
        err) bind(c, name="nnp_table_save_bytes") result(outcome)
      import
      type(c_ptr), value :: table
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_table_save(table, buffer, size, &
        err) bind(c, name="nnp_table_save") result(outcome)
      import
      type(c_ptr), value :: table
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_table_restore(table, buffer, size, &
        err) bind(c, name="nnp_table_restore") result(outcome)
      import
      type(c_ptr), value :: table
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_bytes(max_layers, bytes, err) bind(c, name="nnp_net_bytes") result(outcome)
      import
      integer(c_int64_t), value :: max_layers
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_init(net, memory, bytes, max_layers, inputs, &
        err) bind(c, name="nnp_net_init") result(outcome)
      import
      type(c_ptr), intent(out) :: net
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      integer(c_int64_t), value :: max_layers
      integer(c_int64_t), value :: inputs
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_init_copy(copy, memory, bytes, max_layers, net, &
        err) bind(c, name="nnp_net_init_copy") result(outcome)
      import
      type(c_ptr), intent(out) :: copy
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      integer(c_int64_t), value :: max_layers
      type(c_ptr), value :: net
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_net_init_model(net, memory, bytes, max_layers, model, &
        err) bind(c, name="nnp_net_init_model") result(outcome)
      import
      type(c_ptr), intent(out) :: net
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      integer(c_int64_t), value :: max_layers
      type(c_ptr), value :: model
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_data_bytes(n, features, outputs, bytes, &
        err) bind(c, name="nnp_data_bytes") result(outcome)
      import
      integer(c_int64_t), value :: n
      integer(c_int64_t), value :: features
      integer(c_int64_t), value :: outputs
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_data_init(data, memory, bytes, n, features, outputs, &
        err) bind(c, name="nnp_data_init") result(outcome)
      import
      type(c_ptr), intent(out) :: data
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      integer(c_int64_t), value :: n
      integer(c_int64_t), value :: features
      integer(c_int64_t), value :: outputs
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_data_bytes_from(inputs, outputs, bytes, &
        err) bind(c, name="nnp_data_bytes_from") result(outcome)
      import
      type(c_ptr), value :: inputs
      integer(c_int64_t), value :: outputs
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_data_init_from(data, memory, bytes, inputs, outputs, &
        err) bind(c, name="nnp_data_init_from") result(outcome)
      import
      type(c_ptr), intent(out) :: data
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(c_ptr), value :: inputs
      integer(c_int64_t), value :: outputs
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_pool_bytes(threads, bytes, err) bind(c, name="nnp_pool_bytes") result(outcome)
      import
      integer(c_int64_t), value :: threads
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_pool_init(pool, memory, bytes, threads, &
        err) bind(c, name="nnp_pool_init") result(outcome)
      import
      type(c_ptr), intent(out) :: pool
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      integer(c_int64_t), value :: threads
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    subroutine nnp_pool_close(pool) bind(c, name="nnp_pool_close")
      import
      type(c_ptr), value :: pool
    end subroutine
    function nnp_chain_bytes(net, data, sampler, posterior, bytes, &
        err) bind(c, name="nnp_chain_bytes") result(outcome)
      import
      type(c_ptr), value :: net
      type(c_ptr), value :: data
      integer(c_int32_t), value :: sampler
      integer(c_int32_t), value :: posterior
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_init(chain, memory, bytes, net, data, sampler, posterior, &
        err) bind(c, name="nnp_chain_init") result(outcome)
      import
      type(c_ptr), intent(out) :: chain
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(c_ptr), value :: net
      type(c_ptr), value :: data
      integer(c_int32_t), value :: sampler
      integer(c_int32_t), value :: posterior
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_predictor_bytes(net, max_draws, bytes, &
        err) bind(c, name="nnp_predictor_bytes") result(outcome)
      import
      type(c_ptr), value :: net
      integer(c_int64_t), value :: max_draws
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_predictor_init(predictor, memory, bytes, net, max_draws, &
        err) bind(c, name="nnp_predictor_init") result(outcome)
      import
      type(c_ptr), intent(out) :: predictor
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(c_ptr), value :: net
      integer(c_int64_t), value :: max_draws
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_save_bytes(chain, bytes, &
        err) bind(c, name="nnp_chain_save_bytes") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_save(chain, buffer, size, &
        err) bind(c, name="nnp_chain_save") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_restore(chain, buffer, size, &
        err) bind(c, name="nnp_chain_restore") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_draws_save_bytes(chain, count, bytes, &
        err) bind(c, name="nnp_draws_save_bytes") result(outcome)
      import
      type(c_ptr), value :: chain
      integer(c_int64_t), value :: count
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_draws_save(chain, draws, count, buffer, size, &
        err) bind(c, name="nnp_draws_save") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: draws
      integer(c_int64_t), value :: count
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_draws_saved(buffer, size, out, &
        err) bind(c, name="nnp_draws_saved") result(outcome)
      import
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(c_ptr), value :: out
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_draws_merge(saves, count, draws, draws_each, chains, &
        err) bind(c, name="nnp_draws_merge") result(outcome)
      import
      type(c_ptr), value :: saves
      integer(c_int64_t), value :: count
      type(c_ptr), value :: draws
      integer(c_int64_t), value :: draws_each
      type(c_ptr), value :: chains
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_draws_init(draws, values, quantities, count, chains, &
        err) bind(c, name="nnp_draws_init") result(outcome)
      import
      type(c_ptr), value :: draws
      type(c_ptr), value :: values
      integer(c_int64_t), value :: quantities
      integer(c_int64_t), value :: count
      integer(c_int64_t), value :: chains
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_draws_advice(net, chains, draws, buffer, size, &
        err) bind(c, name="nnp_draws_advice") result(outcome)
      import
      type(c_ptr), value :: net
      integer(c_int64_t), value :: chains
      integer(c_int64_t), value :: draws
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_keeper_create(keeper, net, kept, kept_count, chain_count, &
        err) bind(c, name="nnp_keeper_create") result(outcome)
      import
      type(c_ptr), intent(out) :: keeper
      type(c_ptr), value :: net
      type(c_ptr), value :: kept
      integer(c_int64_t), value :: kept_count
      integer(c_int64_t), value :: chain_count
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    subroutine nnp_keeper_free(keeper) bind(c, name="nnp_keeper_free")
      import
      type(c_ptr), value :: keeper
    end subroutine
    function nnp_keeper_bytes(net, kept, kept_count, chain_count, bytes, &
        err) bind(c, name="nnp_keeper_bytes") result(outcome)
      import
      type(c_ptr), value :: net
      type(c_ptr), value :: kept
      integer(c_int64_t), value :: kept_count
      integer(c_int64_t), value :: chain_count
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_keeper_init(keeper, memory, bytes, net, kept, kept_count, chain_count, &
        err) bind(c, name="nnp_keeper_init") result(outcome)
      import
      type(c_ptr), intent(out) :: keeper
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(c_ptr), value :: net
      type(c_ptr), value :: kept
      integer(c_int64_t), value :: kept_count
      integer(c_int64_t), value :: chain_count
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_keeper_width(keeper, index, width, &
        err) bind(c, name="nnp_keeper_width") result(outcome)
      import
      type(c_ptr), value :: keeper
      integer(c_int64_t), value :: index
      type(c_ptr), value :: width
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_keeper_store(keeper, index, values, capacity, &
        err) bind(c, name="nnp_keeper_store") result(outcome)
      import
      type(c_ptr), value :: keeper
      integer(c_int64_t), value :: index
      type(c_ptr), value :: values
      integer(c_int64_t), value :: capacity
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_keeper_stored(keeper, index, chain, draws, &
        err) bind(c, name="nnp_keeper_stored") result(outcome)
      import
      type(c_ptr), value :: keeper
      integer(c_int64_t), value :: index
      integer(c_int64_t), value :: chain
      type(c_ptr), value :: draws
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chains_keep(chains, chain_count, keeper, count, thin, callback, user, &
        err) bind(c, name="nnp_chains_keep") result(outcome)
      import
      type(c_ptr), value :: chains
      integer(c_int64_t), value :: chain_count
      type(c_ptr), value :: keeper
      integer(c_int64_t), value :: count
      integer(c_int64_t), value :: thin
      type(c_funptr), value :: callback
      type(c_ptr), value :: user
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_keeper_moments(keeper, index, chain, mean, variance, rhat, &
        err) bind(c, name="nnp_keeper_moments") result(outcome)
      import
      type(c_ptr), value :: keeper
      integer(c_int64_t), value :: index
      integer(c_int64_t), value :: chain
      type(c_ptr), value :: mean
      type(c_ptr), value :: variance
      type(c_ptr), value :: rhat
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_draws_file_create(file, path, keeper, index, capacity, &
        err) bind(c, name="nnp_draws_file_create") result(outcome)
      import
      type(c_ptr), intent(out) :: file
      type(c_ptr), value :: path
      type(c_ptr), value :: keeper
      integer(c_int64_t), value :: index
      integer(c_int64_t), value :: capacity
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_keeper_file(keeper, index, file, &
        err) bind(c, name="nnp_keeper_file") result(outcome)
      import
      type(c_ptr), value :: keeper
      integer(c_int64_t), value :: index
      type(c_ptr), value :: file
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_draws_file_open(file, path, net, &
        err) bind(c, name="nnp_draws_file_open") result(outcome)
      import
      type(c_ptr), intent(out) :: file
      type(c_ptr), value :: path
      type(c_ptr), value :: net
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    subroutine nnp_draws_file_free(file) bind(c, name="nnp_draws_file_free")
      import
      type(c_ptr), value :: file
    end subroutine
    function nnp_draws_file_info(file, what, capacity, chains, &
        err) bind(c, name="nnp_draws_file_info") result(outcome)
      import
      type(c_ptr), value :: file
      type(c_ptr), value :: what
      type(c_ptr), value :: capacity
      type(c_ptr), value :: chains
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_draws_file_chain(file, chain, out, &
        err) bind(c, name="nnp_draws_file_chain") result(outcome)
      import
      type(c_ptr), value :: file
      integer(c_int64_t), value :: chain
      type(c_ptr), value :: out
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_draws_file_view(file, out, &
        err) bind(c, name="nnp_draws_file_view") result(outcome)
      import
      type(c_ptr), value :: file
      type(c_ptr), value :: out
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_draws_file_save_bytes(file, chain, bytes, &
        err) bind(c, name="nnp_draws_file_save_bytes") result(outcome)
      import
      type(c_ptr), value :: file
      integer(c_int64_t), value :: chain
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_draws_file_save(file, chain, buffer, size, &
        err) bind(c, name="nnp_draws_file_save") result(outcome)
      import
      type(c_ptr), value :: file
      integer(c_int64_t), value :: chain
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_use_comm(chain, comm, &
        err) bind(c, name="nnp_chain_use_comm") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: comm
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_team_create(team, ranks, err) bind(c, name="nnp_team_create") result(outcome)
      import
      type(c_ptr), intent(out) :: team
      integer(c_int64_t), value :: ranks
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    subroutine nnp_team_free(team) bind(c, name="nnp_team_free")
      import
      type(c_ptr), value :: team
    end subroutine
    function nnp_team_bytes(ranks, bytes, err) bind(c, name="nnp_team_bytes") result(outcome)
      import
      integer(c_int64_t), value :: ranks
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_team_init(team, memory, bytes, ranks, &
        err) bind(c, name="nnp_team_init") result(outcome)
      import
      type(c_ptr), intent(out) :: team
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      integer(c_int64_t), value :: ranks
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    subroutine nnp_team_close(team) bind(c, name="nnp_team_close")
      import
      type(c_ptr), value :: team
    end subroutine
    function nnp_team_comm(team, rank, comm, err) bind(c, name="nnp_team_comm") result(outcome)
      import
      type(c_ptr), value :: team
      integer(c_int64_t), value :: rank
      type(c_ptr), value :: comm
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_folder_create(folder, path, rank, size, patience, &
        err) bind(c, name="nnp_folder_create") result(outcome)
      import
      type(c_ptr), intent(out) :: folder
      type(c_ptr), value :: path
      integer(c_int64_t), value :: rank
      integer(c_int64_t), value :: size
      real(c_double), value :: patience
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    subroutine nnp_folder_free(folder) bind(c, name="nnp_folder_free")
      import
      type(c_ptr), value :: folder
    end subroutine
    function nnp_folder_bytes(size, bytes, err) bind(c, name="nnp_folder_bytes") result(outcome)
      import
      integer(c_int64_t), value :: size
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_folder_init(folder, memory, bytes, path, rank, size, patience, &
        err) bind(c, name="nnp_folder_init") result(outcome)
      import
      type(c_ptr), intent(out) :: folder
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(c_ptr), value :: path
      integer(c_int64_t), value :: rank
      integer(c_int64_t), value :: size
      real(c_double), value :: patience
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_folder_comm(folder, comm, err) bind(c, name="nnp_folder_comm") result(outcome)
      import
      type(c_ptr), value :: folder
      type(c_ptr), value :: comm
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_rows_split(comm, total, blocks, rows, &
        err) bind(c, name="nnp_rows_split") result(outcome)
      import
      type(c_ptr), value :: comm
      integer(c_int64_t), value :: total
      integer(c_int64_t), value :: blocks
      type(c_ptr), value :: rows
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_rows_of_block(total, blocks, block, first, count, &
        err) bind(c, name="nnp_rows_of_block") result(outcome)
      import
      integer(c_int64_t), value :: total
      integer(c_int64_t), value :: blocks
      integer(c_int64_t), value :: block
      type(c_ptr), value :: first
      type(c_ptr), value :: count
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_data_create_rows(data, rows, comm, features, outputs, &
        err) bind(c, name="nnp_data_create_rows") result(outcome)
      import
      type(c_ptr), intent(out) :: data
      type(c_ptr), value :: rows
      type(c_ptr), value :: comm
      integer(c_int64_t), value :: features
      integer(c_int64_t), value :: outputs
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_data_bytes_rows(rows, comm, features, outputs, bytes, &
        err) bind(c, name="nnp_data_bytes_rows") result(outcome)
      import
      type(c_ptr), value :: rows
      type(c_ptr), value :: comm
      integer(c_int64_t), value :: features
      integer(c_int64_t), value :: outputs
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_data_init_rows(data, memory, bytes, rows, comm, features, outputs, &
        err) bind(c, name="nnp_data_init_rows") result(outcome)
      import
      type(c_ptr), intent(out) :: data
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(c_ptr), value :: rows
      type(c_ptr), value :: comm
      integer(c_int64_t), value :: features
      integer(c_int64_t), value :: outputs
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_restore_rows(chain, saves, count, &
        err) bind(c, name="nnp_chain_restore_rows") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: saves
      integer(c_int64_t), value :: count
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_saved_rows(buffer, size, rows, &
        err) bind(c, name="nnp_saved_rows") result(outcome)
      import
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(c_ptr), value :: rows
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_terms(chain, log_noise, log_prior, residuals, &
        err) bind(c, name="nnp_chain_terms") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: log_noise
      type(c_ptr), value :: log_prior
      type(c_ptr), value :: residuals
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_gradient_statistic(chain, layer, value, &
        err) bind(c, name="nnp_chain_gradient_statistic") result(outcome)
      import
      type(c_ptr), value :: chain
      integer(c_int64_t), value :: layer
      type(c_ptr), value :: value
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_moves(chain, move, count, &
        err) bind(c, name="nnp_chain_moves") result(outcome)
      import
      type(c_ptr), value :: chain
      integer(c_int32_t), value :: move
      type(c_ptr), value :: count
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_print(chain, buffer, size, &
        err) bind(c, name="nnp_chain_print") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_probit_draws(chain, exact, scanned, &
        err) bind(c, name="nnp_chain_probit_draws") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: exact
      type(c_ptr), value :: scanned
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_statistic(chain, statistic, value, &
        err) bind(c, name="nnp_chain_statistic") result(outcome)
      import
      type(c_ptr), value :: chain
      integer(c_int32_t), value :: statistic
      type(c_ptr), value :: value
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_record(chain, values, capacity, &
        err) bind(c, name="nnp_chain_record") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: values
      integer(c_int64_t), value :: capacity
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_recorded(chain, steps, &
        err) bind(c, name="nnp_chain_recorded") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: steps
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_statistic_name(statistic) bind(c, name="nnp_statistic_name") result(outcome)
      import
      integer(c_int32_t), value :: statistic
      type(c_ptr) :: outcome
    end function
    function nnp_statistic_bytes(draws, bytes, &
        err) bind(c, name="nnp_statistic_bytes") result(outcome)
      import
      type(c_ptr), value :: draws
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_statistic(draws, statistic, probability, out, memory, bytes, &
        err) bind(c, name="nnp_statistic") result(outcome)
      import
      type(c_ptr), value :: draws
      integer(c_int32_t), value :: statistic
      real(c_double), value :: probability
      type(c_ptr), value :: out
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_nested_rhat(draws, groups, out, memory, bytes, &
        err) bind(c, name="nnp_nested_rhat") result(outcome)
      import
      type(c_ptr), value :: draws
      type(c_ptr), value :: groups
      type(c_ptr), value :: out
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_functions_count(predictor, data, rows, count, &
        err) bind(c, name="nnp_functions_count") result(outcome)
      import
      type(c_ptr), value :: predictor
      type(c_ptr), value :: data
      integer(c_int64_t), value :: rows
      type(c_ptr), value :: count
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_functions(predictor, data, params, draws, rows, out, &
        err) bind(c, name="nnp_functions") result(outcome)
      import
      type(c_ptr), value :: predictor
      type(c_ptr), value :: data
      type(c_ptr), value :: params
      integer(c_int64_t), value :: draws
      integer(c_int64_t), value :: rows
      type(c_ptr), value :: out
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_function_name(predictor, data, rows, function, buffer, size, &
        err) bind(c, name="nnp_function_name") result(outcome)
      import
      type(c_ptr), value :: predictor
      type(c_ptr), value :: data
      integer(c_int64_t), value :: rows
      integer(c_int64_t), value :: function
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_convergence_bytes(functions, bytes, &
        err) bind(c, name="nnp_convergence_bytes") result(outcome)
      import
      type(c_ptr), value :: functions
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_convergence_of(functions, out, memory, bytes, &
        err) bind(c, name="nnp_convergence_of") result(outcome)
      import
      type(c_ptr), value :: functions
      type(c_ptr), value :: out
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_convergence_text(convergence, buffer, size, &
        err) bind(c, name="nnp_convergence_text") result(outcome)
      import
      type(c_ptr), value :: convergence
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_table_convergence(table, out, &
        err) bind(c, name="nnp_table_convergence") result(outcome)
      import
      type(c_ptr), value :: table
      type(c_ptr), value :: out
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_log_lik(predictor, data, params, draws, out, &
        err) bind(c, name="nnp_log_lik") result(outcome)
      import
      type(c_ptr), value :: predictor
      type(c_ptr), value :: data
      type(c_ptr), value :: params
      integer(c_int64_t), value :: draws
      type(c_ptr), value :: out
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_loo_bytes(log_lik, bytes, err) bind(c, name="nnp_loo_bytes") result(outcome)
      import
      type(c_ptr), value :: log_lik
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_loo(log_lik, efficiency, elpd, pareto_k, out, memory, bytes, &
        err) bind(c, name="nnp_loo") result(outcome)
      import
      type(c_ptr), value :: log_lik
      type(c_ptr), value :: efficiency
      type(c_ptr), value :: elpd
      type(c_ptr), value :: pareto_k
      type(c_ptr), value :: out
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_table_loo(table, out, err) bind(c, name="nnp_table_loo") result(outcome)
      import
      type(c_ptr), value :: table
      type(c_ptr), value :: out
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_stacking_bytes(rows, models, bytes, &
        err) bind(c, name="nnp_stacking_bytes") result(outcome)
      import
      integer(c_int64_t), value :: rows
      integer(c_int64_t), value :: models
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_stacking(elpd, rows, models, weights, out, memory, bytes, &
        err) bind(c, name="nnp_stacking") result(outcome)
      import
      type(c_ptr), value :: elpd
      integer(c_int64_t), value :: rows
      integer(c_int64_t), value :: models
      type(c_ptr), value :: weights
      type(c_ptr), value :: out
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_stack_chains_bytes(log_lik, bytes, &
        err) bind(c, name="nnp_stack_chains_bytes") result(outcome)
      import
      type(c_ptr), value :: log_lik
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_stack_chains(log_lik, weights, out, memory, bytes, &
        err) bind(c, name="nnp_stack_chains") result(outcome)
      import
      type(c_ptr), value :: log_lik
      type(c_ptr), value :: weights
      type(c_ptr), value :: out
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_block_rhat_bytes(psi, length, blocks, bytes, &
        err) bind(c, name="nnp_block_rhat_bytes") result(outcome)
      import
      type(c_ptr), value :: psi
      integer(c_int64_t), value :: length
      type(c_ptr), value :: blocks
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_block_rhat(psi, times, length, out, memory, bytes, &
        err) bind(c, name="nnp_block_rhat") result(outcome)
      import
      type(c_ptr), value :: psi
      type(c_ptr), value :: times
      integer(c_int64_t), value :: length
      type(c_ptr), value :: out
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_thermalization_bytes(bytes, &
        err) bind(c, name="nnp_thermalization_bytes") result(outcome)
      import
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_thermalization_defaults(options, &
        err) bind(c, name="nnp_thermalization_defaults") result(outcome)
      import
      type(c_ptr), value :: options
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_thermalization(informed, others, count, options, out, memory, bytes, &
        err) bind(c, name="nnp_thermalization") result(outcome)
      import
      type(c_ptr), value :: informed
      type(c_ptr), value :: others
      integer(c_int64_t), value :: count
      type(c_ptr), value :: options
      type(c_ptr), value :: out
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_verdict_text(verdict, buffer, size, &
        err) bind(c, name="nnp_verdict_text") result(outcome)
      import
      type(c_ptr), value :: verdict
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_stationarity(series, scale, out, memory, bytes, &
        err) bind(c, name="nnp_stationarity") result(outcome)
      import
      type(c_ptr), value :: series
      integer(c_int32_t), value :: scale
      type(c_ptr), value :: out
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_gradient_settling(gradient, out, memory, bytes, &
        err) bind(c, name="nnp_gradient_settling") result(outcome)
      import
      type(c_ptr), value :: gradient
      type(c_ptr), value :: out
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_rhat_settling(rhat, limit, out, memory, bytes, &
        err) bind(c, name="nnp_rhat_settling") result(outcome)
      import
      type(c_ptr), value :: rhat
      real(c_double), value :: limit
      type(c_ptr), value :: out
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_criteria(series, options, rhat_limit, out, memory, bytes, &
        err) bind(c, name="nnp_criteria") result(outcome)
      import
      type(c_ptr), value :: series
      type(c_ptr), value :: options
      real(c_double), value :: rhat_limit
      type(c_ptr), value :: out
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_sbc_ranks(truth, posterior, ties, ranks, &
        err) bind(c, name="nnp_sbc_ranks") result(outcome)
      import
      type(c_ptr), value :: truth
      type(c_ptr), value :: posterior
      type(c_ptr), value :: ties
      type(c_ptr), value :: ranks
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_sbc_histogram(ranks, quantities, replications, max_rank, bins, counts, p_values, &
        err) bind(c, name="nnp_sbc_histogram") result(outcome)
      import
      type(c_ptr), value :: ranks
      integer(c_int64_t), value :: quantities
      integer(c_int64_t), value :: replications
      integer(c_int64_t), value :: max_rank
      integer(c_int64_t), value :: bins
      type(c_ptr), value :: counts
      type(c_ptr), value :: p_values
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_geweke_bytes(alternating, prior, bytes, &
        err) bind(c, name="nnp_geweke_bytes") result(outcome)
      import
      type(c_ptr), value :: alternating
      type(c_ptr), value :: prior
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_geweke_draws(alternating, prior, z, p_value, memory, bytes, &
        err) bind(c, name="nnp_geweke_draws") result(outcome)
      import
      type(c_ptr), value :: alternating
      type(c_ptr), value :: prior
      type(c_ptr), value :: z
      type(c_ptr), value :: p_value
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_geweke_moments(alternating, mean, second_moment, z, p_value, memory, bytes, &
        err) bind(c, name="nnp_geweke_moments") result(outcome)
      import
      type(c_ptr), value :: alternating
      type(c_ptr), value :: mean
      type(c_ptr), value :: second_moment
      type(c_ptr), value :: z
      type(c_ptr), value :: p_value
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_teacher_create(teacher, net, posterior, seed, number, &
        err) bind(c, name="nnp_teacher_create") result(outcome)
      import
      type(c_ptr), intent(out) :: teacher
      type(c_ptr), value :: net
      integer(c_int32_t), value :: posterior
      integer(c_int64_t), value :: seed
      integer(c_int64_t), value :: number
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    subroutine nnp_teacher_free(teacher) bind(c, name="nnp_teacher_free")
      import
      type(c_ptr), value :: teacher
    end subroutine
    function nnp_teacher_bytes(net, bytes, err) bind(c, name="nnp_teacher_bytes") result(outcome)
      import
      type(c_ptr), value :: net
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_teacher_init(teacher, memory, bytes, net, posterior, seed, number, &
        err) bind(c, name="nnp_teacher_init") result(outcome)
      import
      type(c_ptr), intent(out) :: teacher
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(c_ptr), value :: net
      integer(c_int32_t), value :: posterior
      integer(c_int64_t), value :: seed
      integer(c_int64_t), value :: number
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_teacher_parameters(teacher, parameters, &
        err) bind(c, name="nnp_teacher_parameters") result(outcome)
      import
      type(c_ptr), value :: teacher
      type(c_ptr), value :: parameters
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_teacher_set_parameters(teacher, parameters, &
        err) bind(c, name="nnp_teacher_set_parameters") result(outcome)
      import
      type(c_ptr), value :: teacher
      type(c_ptr), value :: parameters
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_teacher_label(teacher, data, noise, sites, &
        err) bind(c, name="nnp_teacher_label") result(outcome)
      import
      type(c_ptr), value :: teacher
      type(c_ptr), value :: data
      integer(c_int64_t), value :: noise
      type(c_ptr), value :: sites
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_chain_start_teacher(chain, teacher, sites, seed, number, &
        err) bind(c, name="nnp_chain_start_teacher") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: teacher
      type(c_ptr), value :: sites
      integer(c_int64_t), value :: seed
      integer(c_int64_t), value :: number
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_study_create(study, chains, chain_count, test, capacity, &
        err) bind(c, name="nnp_study_create") result(outcome)
      import
      type(c_ptr), intent(out) :: study
      type(c_ptr), value :: chains
      integer(c_int64_t), value :: chain_count
      type(c_ptr), value :: test
      integer(c_int64_t), value :: capacity
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    subroutine nnp_study_free(study) bind(c, name="nnp_study_free")
      import
      type(c_ptr), value :: study
    end subroutine
    function nnp_study_bytes(chains, chain_count, test, capacity, bytes, &
        err) bind(c, name="nnp_study_bytes") result(outcome)
      import
      type(c_ptr), value :: chains
      integer(c_int64_t), value :: chain_count
      type(c_ptr), value :: test
      integer(c_int64_t), value :: capacity
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_study_init(study, memory, bytes, chains, chain_count, test, capacity, &
        err) bind(c, name="nnp_study_init") result(outcome)
      import
      type(c_ptr), intent(out) :: study
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(c_ptr), value :: chains
      integer(c_int64_t), value :: chain_count
      type(c_ptr), value :: test
      integer(c_int64_t), value :: capacity
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_study_set(study, option, value, &
        err) bind(c, name="nnp_study_set") result(outcome)
      import
      type(c_ptr), value :: study
      integer(c_int32_t), value :: option
      real(c_double), value :: value
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_study_get(study, option, value, &
        err) bind(c, name="nnp_study_get") result(outcome)
      import
      type(c_ptr), value :: study
      integer(c_int32_t), value :: option
      type(c_ptr), value :: value
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_study_option_info(option, name, low, high, initial, &
        err) bind(c, name="nnp_study_option_info") result(outcome)
      import
      integer(c_int32_t), value :: option
      type(c_ptr), value :: name
      type(c_ptr), value :: low
      type(c_ptr), value :: high
      type(c_ptr), value :: initial
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_study_thermalization(study, options, &
        err) bind(c, name="nnp_study_thermalization") result(outcome)
      import
      type(c_ptr), value :: study
      type(c_ptr), value :: options
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_study_partner(study, chain, partner, &
        err) bind(c, name="nnp_study_partner") result(outcome)
      import
      type(c_ptr), value :: study
      integer(c_int64_t), value :: chain
      integer(c_int64_t), value :: partner
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_study_function_call(study, function, user, &
        err) bind(c, name="nnp_study_function") result(outcome)
      import
      type(c_ptr), value :: study
      type(c_funptr), value :: function
      type(c_ptr), value :: user
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_study_run(study, callback, user, &
        err) bind(c, name="nnp_study_run") result(outcome)
      import
      type(c_ptr), value :: study
      type(c_funptr), value :: callback
      type(c_ptr), value :: user
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_study_state(study, state, err) bind(c, name="nnp_study_state") result(outcome)
      import
      type(c_ptr), value :: study
      type(c_ptr), value :: state
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_study_report(study, chain, out, &
        err) bind(c, name="nnp_study_report") result(outcome)
      import
      type(c_ptr), value :: study
      integer(c_int64_t), value :: chain
      type(c_ptr), value :: out
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_study_series(study, chain, which, out, &
        err) bind(c, name="nnp_study_series") result(outcome)
      import
      type(c_ptr), value :: study
      integer(c_int64_t), value :: chain
      integer(c_int32_t), value :: which
      type(c_ptr), value :: out
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_study_print(study, buffer, size, &
        err) bind(c, name="nnp_study_print") result(outcome)
      import
      type(c_ptr), value :: study
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_exchange_create(exchange, chains, chain_count, &
        err) bind(c, name="nnp_exchange_create") result(outcome)
      import
      type(c_ptr), intent(out) :: exchange
      type(c_ptr), value :: chains
      integer(c_int64_t), value :: chain_count
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    subroutine nnp_exchange_free(exchange) bind(c, name="nnp_exchange_free")
      import
      type(c_ptr), value :: exchange
    end subroutine
    function nnp_exchange_bytes(chains, chain_count, bytes, &
        err) bind(c, name="nnp_exchange_bytes") result(outcome)
      import
      type(c_ptr), value :: chains
      integer(c_int64_t), value :: chain_count
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_exchange_init(exchange, memory, bytes, chains, chain_count, &
        err) bind(c, name="nnp_exchange_init") result(outcome)
      import
      type(c_ptr), intent(out) :: exchange
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(c_ptr), value :: chains
      integer(c_int64_t), value :: chain_count
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_exchange_set(exchange, option, value, &
        err) bind(c, name="nnp_exchange_set") result(outcome)
      import
      type(c_ptr), value :: exchange
      integer(c_int32_t), value :: option
      real(c_double), value :: value
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_exchange_get(exchange, option, value, &
        err) bind(c, name="nnp_exchange_get") result(outcome)
      import
      type(c_ptr), value :: exchange
      integer(c_int32_t), value :: option
      type(c_ptr), value :: value
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_exchange_set_ladder(exchange, powers, count, &
        err) bind(c, name="nnp_exchange_set_ladder") result(outcome)
      import
      type(c_ptr), value :: exchange
      type(c_ptr), value :: powers
      integer(c_int64_t), value :: count
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_exchange_start(exchange, from, seed, &
        err) bind(c, name="nnp_exchange_start") result(outcome)
      import
      type(c_ptr), value :: exchange
      integer(c_int32_t), value :: from
      integer(c_int64_t), value :: seed
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_exchange_tune(exchange, callback, user, &
        err) bind(c, name="nnp_exchange_tune") result(outcome)
      import
      type(c_ptr), value :: exchange
      type(c_funptr), value :: callback
      type(c_ptr), value :: user
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_exchange_run(exchange, sweeps, callback, user, &
        err) bind(c, name="nnp_exchange_run") result(outcome)
      import
      type(c_ptr), value :: exchange
      integer(c_int64_t), value :: sweeps
      type(c_funptr), value :: callback
      type(c_ptr), value :: user
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_exchange_sample(exchange, draws, count, thin, callback, user, &
        err) bind(c, name="nnp_exchange_sample") result(outcome)
      import
      type(c_ptr), value :: exchange
      type(c_ptr), value :: draws
      integer(c_int64_t), value :: count
      integer(c_int64_t), value :: thin
      type(c_funptr), value :: callback
      type(c_ptr), value :: user
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_exchange_record(exchange, levels, capacity, &
        err) bind(c, name="nnp_exchange_record") result(outcome)
      import
      type(c_ptr), value :: exchange
      type(c_ptr), value :: levels
      integer(c_int64_t), value :: capacity
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_exchange_recorded(exchange, sweeps, &
        err) bind(c, name="nnp_exchange_recorded") result(outcome)
      import
      type(c_ptr), value :: exchange
      type(c_ptr), value :: sweeps
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_exchange_report(exchange, out, &
        err) bind(c, name="nnp_exchange_report") result(outcome)
      import
      type(c_ptr), value :: exchange
      type(c_ptr), value :: out
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_exchange_text(exchange, buffer, size, &
        err) bind(c, name="nnp_exchange_text") result(outcome)
      import
      type(c_ptr), value :: exchange
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_exchange_level(exchange, level, out, &
        err) bind(c, name="nnp_exchange_level") result(outcome)
      import
      type(c_ptr), value :: exchange
      integer(c_int64_t), value :: level
      type(c_ptr), value :: out
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_exchange_save_bytes(exchange, bytes, &
        err) bind(c, name="nnp_exchange_save_bytes") result(outcome)
      import
      type(c_ptr), value :: exchange
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_exchange_save(exchange, buffer, size, &
        err) bind(c, name="nnp_exchange_save") result(outcome)
      import
      type(c_ptr), value :: exchange
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_exchange_restore(exchange, buffer, size, &
        err) bind(c, name="nnp_exchange_restore") result(outcome)
      import
      type(c_ptr), value :: exchange
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_multistart_create(multistart, chains, chain_count, &
        err) bind(c, name="nnp_multistart_create") result(outcome)
      import
      type(c_ptr), intent(out) :: multistart
      type(c_ptr), value :: chains
      integer(c_int64_t), value :: chain_count
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    subroutine nnp_multistart_free(multistart) bind(c, name="nnp_multistart_free")
      import
      type(c_ptr), value :: multistart
    end subroutine
    function nnp_multistart_bytes(chains, chain_count, bytes, &
        err) bind(c, name="nnp_multistart_bytes") result(outcome)
      import
      type(c_ptr), value :: chains
      integer(c_int64_t), value :: chain_count
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_multistart_init(multistart, memory, bytes, chains, chain_count, &
        err) bind(c, name="nnp_multistart_init") result(outcome)
      import
      type(c_ptr), intent(out) :: multistart
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(c_ptr), value :: chains
      integer(c_int64_t), value :: chain_count
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_multistart_set(multistart, option, value, &
        err) bind(c, name="nnp_multistart_set") result(outcome)
      import
      type(c_ptr), value :: multistart
      integer(c_int32_t), value :: option
      real(c_double), value :: value
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_multistart_get(multistart, option, value, &
        err) bind(c, name="nnp_multistart_get") result(outcome)
      import
      type(c_ptr), value :: multistart
      integer(c_int32_t), value :: option
      type(c_ptr), value :: value
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_multistart_run(multistart, seed, callback, user, &
        err) bind(c, name="nnp_multistart_run") result(outcome)
      import
      type(c_ptr), value :: multistart
      integer(c_int64_t), value :: seed
      type(c_funptr), value :: callback
      type(c_ptr), value :: user
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_multistart_report(multistart, chain, out, &
        err) bind(c, name="nnp_multistart_report") result(outcome)
      import
      type(c_ptr), value :: multistart
      integer(c_int64_t), value :: chain
      type(c_ptr), value :: out
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_multistart_best(multistart, chain, &
        err) bind(c, name="nnp_multistart_best") result(outcome)
      import
      type(c_ptr), value :: multistart
      type(c_ptr), value :: chain
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_multistart_print(multistart, buffer, size, &
        err) bind(c, name="nnp_multistart_print") result(outcome)
      import
      type(c_ptr), value :: multistart
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_twin_create(twin, chain, err) bind(c, name="nnp_twin_create") result(outcome)
      import
      type(c_ptr), intent(out) :: twin
      type(c_ptr), value :: chain
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    subroutine nnp_twin_free(twin) bind(c, name="nnp_twin_free")
      import
      type(c_ptr), value :: twin
    end subroutine
    function nnp_twin_bytes(chain, bytes, err) bind(c, name="nnp_twin_bytes") result(outcome)
      import
      type(c_ptr), value :: chain
      type(c_ptr), value :: bytes
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_twin_init(twin, memory, bytes, chain, &
        err) bind(c, name="nnp_twin_init") result(outcome)
      import
      type(c_ptr), intent(out) :: twin
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(c_ptr), value :: chain
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_twin_run(twin, steps, noisy, seed, callback, user, &
        err) bind(c, name="nnp_twin_run") result(outcome)
      import
      type(c_ptr), value :: twin
      integer(c_int64_t), value :: steps
      integer(c_int32_t), value :: noisy
      integer(c_int64_t), value :: seed
      type(c_funptr), value :: callback
      type(c_ptr), value :: user
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_twin_report(twin, out, err) bind(c, name="nnp_twin_report") result(outcome)
      import
      type(c_ptr), value :: twin
      type(c_ptr), value :: out
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_twin_text(twin, buffer, size, err) bind(c, name="nnp_twin_text") result(outcome)
      import
      type(c_ptr), value :: twin
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_twin_series(twin, which, out, &
        err) bind(c, name="nnp_twin_series") result(outcome)
      import
      type(c_ptr), value :: twin
      integer(c_int64_t), value :: which
      type(c_ptr), value :: out
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
  end interface
end module

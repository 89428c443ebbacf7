# Generated from the headers of capi/ by bindings/generate.py: do not edit.

const NNP_OK = Int32(0)
const NNP_E_NULL = Int32(1)
const NNP_E_SIZE = Int32(2)
const NNP_E_OVERFLOW = Int32(3)
const NNP_E_NOT_FINITE = Int32(4)
const NNP_E_LABEL = Int32(5)
const NNP_E_VALUE = Int32(6)
const NNP_E_SHAPE = Int32(7)
const NNP_E_MEMORY_SIZE = Int32(8)
const NNP_E_MEMORY_ALIGNMENT = Int32(9)
const NNP_E_HEAD_MISPLACED = Int32(10)
const NNP_E_SECOND_HEAD = Int32(11)
const NNP_E_NO_LAYERS = Int32(12)
const NNP_E_NO_HEAD = Int32(13)
const NNP_E_SAVE_TRUNCATED = Int32(14)
const NNP_E_SAVE_CORRUPTED = Int32(15)
const NNP_E_SAVE_VERSION = Int32(16)
const NNP_E_SAVE_NETWORK = Int32(17)
const NNP_E_OPTION = Int32(18)
const NNP_E_ENUM = Int32(19)
const NNP_E_UNSUPPORTED = Int32(20)
const NNP_E_NUMERIC = Int32(21)
const NNP_E_NOT_STARTED = Int32(22)
const NNP_STOPPED = Int32(23)
const NNP_E_OUT_OF_MEMORY = Int32(24)
const NNP_E_NET_FULL = Int32(25)
const NNP_E_BUFFER_SIZE = Int32(26)
const NNP_E_THREAD = Int32(27)
const NNP_E_NO_DATA = Int32(28)
const NNP_E_SAVE_DATA = Int32(29)
const NNP_E_INFEASIBLE = Int32(30)
const NNP_E_COMM = Int32(31)
const NNP_E_RANKS = Int32(32)
const NNP_E_FILE = Int32(33)
const NNP_VERSION = "0.2.0"
const NNP_ABI_VERSION = Int32(0)
const NNP_ALL_LAYERS = Int32(0)
const NNP_HEAD = Int32(-1)
const NNP_IDENTITY = Int32(101)
const NNP_RELU = Int32(102)
const NNP_LEAKY_RELU = Int32(103)
const NNP_ABS = Int32(104)
const NNP_SIGN = Int32(105)
const NNP_HARD_TANH = Int32(106)
const NNP_TANH = Int32(107)
const NNP_SOFTPLUS = Int32(108)
const NNP_GELU = Int32(109)
const NNP_GAUSSIAN = Int32(201)
const NNP_ARGMAX = Int32(202)
const NNP_SIGN_HEAD = Int32(203)
const NNP_STUDENT_T = Int32(204)
const NNP_LOCATION_SCALE = Int32(205)
const NNP_NOISE = Int32(301)
const NNP_LAMBDA_W = Int32(302)
const NNP_LAMBDA_B = Int32(303)
const NNP_BIAS = Int32(304)
const NNP_SLOPE = Int32(305)
const NNP_COLLAPSE = Int32(306)
const NNP_PADDING_Y = Int32(307)
const NNP_PADDING_X = Int32(308)
const NNP_ARD = Int32(309)
const NNP_FREEDOM = Int32(320)
const NNP_ROW_MAJOR = Int32(401)
const NNP_COLUMN_MAJOR = Int32(402)
const NNP_GIBBS = Int32(501)
const NNP_HMC = Int32(502)
const NNP_MALA = Int32(503)
const NNP_NUTS = Int32(504)
const NNP_INTERMEDIATE = Int32(601)
const NNP_CLASSICAL = Int32(602)
const NNP_START_ZERO = Int32(701)
const NNP_START_PRIOR = Int32(702)
const NNP_START_SMALL = Int32(703)
const NNP_START_FIT = Int32(704)
const NNP_PREDICT_MEAN = Int32(801)
const NNP_PREDICT_SD = Int32(802)
const NNP_PREDICT_QUANTILES = Int32(803)
const NNP_PREDICT_PROBABILITIES = Int32(804)
const NNP_PREDICT_VOTES = Int32(805)
const NNP_PREDICT_DRAWS = Int32(806)
const NNP_SCORE_MSE = Int32(901)
const NNP_SCORE_ACCURACY = Int32(902)
const NNP_SCORE_LOG = Int32(903)
const NNP_RECOMMENDED = Int32(-1)
const NNP_TABLE_SEED = Int32(1801)
const NNP_TABLE_HEAD = Int32(1802)
const NNP_TABLE_ACTIVATION = Int32(1803)
const NNP_TABLE_POSTERIOR = Int32(1804)
const NNP_TABLE_ARD = Int32(1805)
const NNP_TABLE_SAMPLER = Int32(1806)
const NNP_TABLE_START = Int32(1807)
const NNP_TABLE_CHAINS = Int32(1808)
const NNP_TABLE_WARMUP = Int32(1809)
const NNP_TABLE_DRAWS = Int32(1810)
const NNP_TABLE_THIN = Int32(1811)
const NNP_TABLE_THREADS = Int32(1812)
const NNP_TABLE_STACKING = Int32(1813)
const NNP_TABLE_CONSTANT = Int32(1814)
const NNP_STORE_AUTO = Int32(1000)
const NNP_STORE_DOUBLES = Int32(1001)
const NNP_STORE_SINGLES = Int32(1002)
const NNP_STORE_BYTES = Int32(1003)
const NNP_STORE_SPARSE = Int32(1004)
const NNP_STORE_AUTO_IMAGES = Int32(1005)
const NNP_OPTION_SCHEDULE = Int32(1101)
const NNP_OPTION_SIMD = Int32(1102)
const NNP_OPTION_RELAX = Int32(1103)
const NNP_OPTION_PLAIN_EVERY = Int32(1104)
const NNP_OPTION_UNIT_MOVES = Int32(1105)
const NNP_OPTION_EXPANSION = Int32(1106)
const NNP_OPTION_SCALE_MOVES = Int32(1107)
const NNP_OPTION_STEP_SIZE = Int32(1108)
const NNP_OPTION_LEAPFROGS = Int32(1109)
const NNP_OPTION_JITTER = Int32(1110)
const NNP_OPTION_TARGET = Int32(1111)
const NNP_OPTION_MAX_DEPTH = Int32(1112)
const NNP_OPTION_WARMUP = Int32(1113)
const NNP_OPTION_ADAPT_STEP = Int32(1114)
const NNP_OPTION_ADAPT_MASS = Int32(1115)
const NNP_OPTION_MOVES = Int32(1116)
const NNP_OPTION_UNIT_DRAWS = Int32(1117)
const NNP_OPTION_LAYER_MOVES = Int32(1118)
const NNP_OPTION_BLAS = Int32(1119)
const NNP_OPTION_NOISE_MOVES = Int32(1120)
const NNP_OPTION_PRECISION_MOVES = Int32(1121)
const NNP_OPTION_SINGLE_GRADIENTS = Int32(1122)
const NNP_BLAS_AUTOMATIC = Int32(1200)
const NNP_BLAS_NONE = Int32(1201)
const NNP_BLAS_ALL = Int32(1202)
const NNP_BLAS_WHOLE = Int32(1203)
const NNP_MOVES_PLAIN = Int32(0)
const NNP_MOVES_AUTOMATIC = Int32(1)
const NNP_SEQUENTIAL = Int32(1301)
const NNP_PARALLEL = Int32(1302)
const NNP_BACKWARD = Int32(1303)
const NNP_PHASE_START = Int32(1401)
const NNP_PHASE_WARMUP = Int32(1402)
const NNP_PHASE_SAMPLING = Int32(1403)
const NNP_DESCENT_NONE = Int32(1500)
const NNP_DESCENT_STEPS = Int32(1501)
const NNP_DESCENT_CONVERGED = Int32(1502)
const NNP_DESCENT_FLAT = Int32(1503)
const NNP_DESCENT_STOPPED = Int32(1504)
const NNP_FORWARD = Int32(1600)
const NNP_FITTED = Int32(1601)
const NNP_KEEP_PARAMETERS = Int32(1701)
const NNP_KEEP_SCALES = Int32(1702)
const NNP_KEEP_FUNCTIONS = Int32(1703)
const NNP_KEEP_MEAN = Int32(1704)
const NNP_KEEP_PROBABILITIES = Int32(1705)
const NNP_KEEP_PREDICTIONS = Int32(1706)
const NNP_KEEP_LOG_LIK = Int32(1707)
const NNP_ALL_CHAINS = Int32(-1)
const NNP_MOVE_PLAIN = Int32(2001)
const NNP_MOVE_RELAXED = Int32(2002)
const NNP_MOVE_UNIT = Int32(2003)
const NNP_MOVE_HAAR = Int32(2004)
const NNP_MOVE_SCALE = Int32(2005)
const NNP_MOVE_EXPANSION = Int32(2006)
const NNP_MOVE_DRAW = Int32(2007)
const NNP_MOVE_LAYER = Int32(2008)
const NNP_MOVE_NOISE = Int32(2009)
const NNP_MOVE_PRECISION = Int32(2010)
const NNP_MOVE_KINDS = Int32(10)
const NNP_STEP_LOG_DENSITY = Int32(2101)
const NNP_STEP_ENERGY = Int32(2102)
const NNP_STEP_ACCEPTANCE = Int32(2103)
const NNP_STEP_SIZE = Int32(2104)
const NNP_STEP_DEPTH = Int32(2105)
const NNP_STEP_LEAPFROGS = Int32(2106)
const NNP_STEP_DIVERGENT = Int32(2107)
const NNP_STEP_DIVERGENCES = Int32(2108)
const NNP_STEP_STATISTICS = Int32(8)
const NNP_STAT_RHAT = Int32(2201)
const NNP_STAT_RHAT_BULK = Int32(2202)
const NNP_STAT_RHAT_TAIL = Int32(2203)
const NNP_STAT_RHAT_BASIC = Int32(2204)
const NNP_STAT_ESS_BULK = Int32(2205)
const NNP_STAT_ESS_TAIL = Int32(2206)
const NNP_STAT_ESS_MEAN = Int32(2207)
const NNP_STAT_ESS_SD = Int32(2208)
const NNP_STAT_ESS_QUANTILE = Int32(2209)
const NNP_STAT_MCSE_MEAN = Int32(2210)
const NNP_STAT_MCSE_SD = Int32(2211)
const NNP_STAT_MCSE_QUANTILE = Int32(2212)
const NNP_STAT_TAU = Int32(2213)
const NNP_STAT_ESS_SPECTRAL = Int32(2214)
const NNP_STAT_MEAN = Int32(2215)
const NNP_STAT_SD = Int32(2216)
const NNP_STAT_QUANTILE = Int32(2217)
const NNP_CONVERGENCE_UNDECIDED = Int32(2300)
const NNP_CONVERGED = Int32(2301)
const NNP_FEW_DRAWS = Int32(2302)
const NNP_DOUBTFUL = Int32(2303)
const NNP_NOT_CONVERGED = Int32(2304)
const NNP_SCALE_AUTO = Int32(2400)
const NNP_SCALE_LINEAR = Int32(2401)
const NNP_SCALE_LOG = Int32(2402)
const NNP_UNDECIDED = Int32(2500)
const NNP_THERMALIZED = Int32(2501)
const NNP_NOT_THERMALIZED = Int32(2502)
const NNP_BECAUSE_MERGED = Int32(2601)
const NNP_BECAUSE_STUCK = Int32(2602)
const NNP_BECAUSE_TOO_SHORT = Int32(2603)
const NNP_BECAUSE_INFORMED_MOVING = Int32(2604)
const NNP_BECAUSE_STILL_MOVING = Int32(2605)
const NNP_BECAUSE_MERGED_LATELY = Int32(2606)
const NNP_BECAUSE_TOO_FEW = Int32(2607)
const NNP_STUDY_STEPS = Int32(3001)
const NNP_STUDY_SECONDS = Int32(3002)
const NNP_STUDY_STOP = Int32(3003)
const NNP_STUDY_PATIENCE = Int32(3004)
const NNP_STUDY_SAMPLING = Int32(3005)
const NNP_STUDY_EVERY = Int32(3006)
const NNP_STUDY_FUNCTION = Int32(3007)
const NNP_STUDY_GRADIENT_LAYER = Int32(3008)
const NNP_STUDY_RHAT_EVERY = Int32(3009)
const NNP_STUDY_RHAT_BLOCK = Int32(3010)
const NNP_STUDY_RHAT_LIMIT = Int32(3011)
const NNP_SAMPLING_LOG = Int32(3101)
const NNP_SAMPLING_EVEN = Int32(3102)
const NNP_ENDED_NOT = Int32(3200)
const NNP_ENDED_VERDICTS = Int32(3201)
const NNP_ENDED_STEPS = Int32(3202)
const NNP_ENDED_SECONDS = Int32(3203)
const NNP_ENDED_STOPPED = Int32(3204)
const NNP_SERIES_TEST = Int32(3301)
const NNP_SERIES_GRADIENT = Int32(3302)
const NNP_SERIES_RHAT = Int32(3303)
const NNP_SERIES_RHAT_25 = Int32(3304)
const NNP_SERIES_RHAT_50 = Int32(3305)
const NNP_SERIES_RHAT_75 = Int32(3306)
const NNP_SERIES_RHAT_95 = Int32(3307)
const NNP_EXCHANGE_REPLICAS = Int32(3401)
const NNP_EXCHANGE_ROUNDS = Int32(3402)
const NNP_EXCHANGE_FIRST_ROUND = Int32(3403)
const NNP_EXCHANGE_STEPS = Int32(3404)
const NNP_EXCHANGE_FROM_PRIOR = Int32(3501)
const NNP_EXCHANGE_FROM_TARGET = Int32(3502)
const NNP_EXCHANGE_MIXES = Int32(3601)
const NNP_EXCHANGE_RUN_LONGER = Int32(3602)
const NNP_EXCHANGE_MORE_REPLICAS = Int32(3603)
const NNP_EXCHANGE_SLOW = Int32(3604)
const NNP_MULTISTART_STEPS = Int32(3701)
const NNP_MULTISTART_SHARE = Int32(3702)
const NNP_MULTISTART_ANNEAL_FROM = Int32(3703)
const NNP_MULTISTART_ZERO_STARTS = Int32(3704)

# The names of every enum, by its first.
const GROUPS = Dict(
    :NNP_OK => (:NNP_OK, :NNP_E_NULL, :NNP_E_SIZE, :NNP_E_OVERFLOW, :NNP_E_NOT_FINITE,
        :NNP_E_LABEL, :NNP_E_VALUE, :NNP_E_SHAPE, :NNP_E_MEMORY_SIZE, :NNP_E_MEMORY_ALIGNMENT,
        :NNP_E_HEAD_MISPLACED, :NNP_E_SECOND_HEAD, :NNP_E_NO_LAYERS, :NNP_E_NO_HEAD,
        :NNP_E_SAVE_TRUNCATED, :NNP_E_SAVE_CORRUPTED, :NNP_E_SAVE_VERSION, :NNP_E_SAVE_NETWORK,
        :NNP_E_OPTION, :NNP_E_ENUM, :NNP_E_UNSUPPORTED, :NNP_E_NUMERIC, :NNP_E_NOT_STARTED,
        :NNP_STOPPED, :NNP_E_OUT_OF_MEMORY, :NNP_E_NET_FULL, :NNP_E_BUFFER_SIZE, :NNP_E_THREAD,
        :NNP_E_NO_DATA, :NNP_E_SAVE_DATA, :NNP_E_INFEASIBLE, :NNP_E_COMM, :NNP_E_RANKS,
        :NNP_E_FILE),
    :NNP_ALL_LAYERS => (:NNP_ALL_LAYERS, :NNP_HEAD),
    :NNP_IDENTITY => (:NNP_IDENTITY, :NNP_RELU, :NNP_LEAKY_RELU, :NNP_ABS, :NNP_SIGN,
        :NNP_HARD_TANH, :NNP_TANH, :NNP_SOFTPLUS, :NNP_GELU),
    :NNP_GAUSSIAN => (:NNP_GAUSSIAN, :NNP_ARGMAX, :NNP_SIGN_HEAD, :NNP_STUDENT_T,
        :NNP_LOCATION_SCALE),
    :NNP_NOISE => (:NNP_NOISE, :NNP_LAMBDA_W, :NNP_LAMBDA_B, :NNP_BIAS, :NNP_SLOPE,
        :NNP_COLLAPSE, :NNP_PADDING_Y, :NNP_PADDING_X, :NNP_ARD, :NNP_FREEDOM),
    :NNP_ROW_MAJOR => (:NNP_ROW_MAJOR, :NNP_COLUMN_MAJOR),
    :NNP_GIBBS => (:NNP_GIBBS, :NNP_HMC, :NNP_MALA, :NNP_NUTS),
    :NNP_INTERMEDIATE => (:NNP_INTERMEDIATE, :NNP_CLASSICAL),
    :NNP_START_ZERO => (:NNP_START_ZERO, :NNP_START_PRIOR, :NNP_START_SMALL, :NNP_START_FIT),
    :NNP_PREDICT_MEAN => (:NNP_PREDICT_MEAN, :NNP_PREDICT_SD, :NNP_PREDICT_QUANTILES,
        :NNP_PREDICT_PROBABILITIES, :NNP_PREDICT_VOTES, :NNP_PREDICT_DRAWS),
    :NNP_SCORE_MSE => (:NNP_SCORE_MSE, :NNP_SCORE_ACCURACY, :NNP_SCORE_LOG),
    :NNP_RECOMMENDED => (:NNP_RECOMMENDED,),
    :NNP_TABLE_SEED => (:NNP_TABLE_SEED, :NNP_TABLE_HEAD, :NNP_TABLE_ACTIVATION,
        :NNP_TABLE_POSTERIOR, :NNP_TABLE_ARD, :NNP_TABLE_SAMPLER, :NNP_TABLE_START,
        :NNP_TABLE_CHAINS, :NNP_TABLE_WARMUP, :NNP_TABLE_DRAWS, :NNP_TABLE_THIN,
        :NNP_TABLE_THREADS, :NNP_TABLE_STACKING, :NNP_TABLE_CONSTANT),
    :NNP_STORE_AUTO => (:NNP_STORE_AUTO, :NNP_STORE_DOUBLES, :NNP_STORE_SINGLES,
        :NNP_STORE_BYTES, :NNP_STORE_SPARSE, :NNP_STORE_AUTO_IMAGES),
    :NNP_OPTION_SCHEDULE => (:NNP_OPTION_SCHEDULE, :NNP_OPTION_SIMD, :NNP_OPTION_RELAX,
        :NNP_OPTION_PLAIN_EVERY, :NNP_OPTION_UNIT_MOVES, :NNP_OPTION_EXPANSION,
        :NNP_OPTION_SCALE_MOVES, :NNP_OPTION_STEP_SIZE, :NNP_OPTION_LEAPFROGS,
        :NNP_OPTION_JITTER, :NNP_OPTION_TARGET, :NNP_OPTION_MAX_DEPTH, :NNP_OPTION_WARMUP,
        :NNP_OPTION_ADAPT_STEP, :NNP_OPTION_ADAPT_MASS, :NNP_OPTION_MOVES,
        :NNP_OPTION_UNIT_DRAWS, :NNP_OPTION_LAYER_MOVES, :NNP_OPTION_BLAS,
        :NNP_OPTION_NOISE_MOVES, :NNP_OPTION_PRECISION_MOVES, :NNP_OPTION_SINGLE_GRADIENTS),
    :NNP_BLAS_AUTOMATIC => (:NNP_BLAS_AUTOMATIC, :NNP_BLAS_NONE, :NNP_BLAS_ALL, :NNP_BLAS_WHOLE),
    :NNP_MOVES_PLAIN => (:NNP_MOVES_PLAIN, :NNP_MOVES_AUTOMATIC),
    :NNP_SEQUENTIAL => (:NNP_SEQUENTIAL, :NNP_PARALLEL, :NNP_BACKWARD),
    :NNP_PHASE_START => (:NNP_PHASE_START, :NNP_PHASE_WARMUP, :NNP_PHASE_SAMPLING),
    :NNP_DESCENT_NONE => (:NNP_DESCENT_NONE, :NNP_DESCENT_STEPS, :NNP_DESCENT_CONVERGED,
        :NNP_DESCENT_FLAT, :NNP_DESCENT_STOPPED),
    :NNP_FORWARD => (:NNP_FORWARD, :NNP_FITTED),
    :NNP_KEEP_PARAMETERS => (:NNP_KEEP_PARAMETERS, :NNP_KEEP_SCALES, :NNP_KEEP_FUNCTIONS,
        :NNP_KEEP_MEAN, :NNP_KEEP_PROBABILITIES, :NNP_KEEP_PREDICTIONS, :NNP_KEEP_LOG_LIK),
    :NNP_ALL_CHAINS => (:NNP_ALL_CHAINS,),
    :NNP_MOVE_PLAIN => (:NNP_MOVE_PLAIN, :NNP_MOVE_RELAXED, :NNP_MOVE_UNIT, :NNP_MOVE_HAAR,
        :NNP_MOVE_SCALE, :NNP_MOVE_EXPANSION, :NNP_MOVE_DRAW, :NNP_MOVE_LAYER, :NNP_MOVE_NOISE,
        :NNP_MOVE_PRECISION, :NNP_MOVE_KINDS),
    :NNP_STEP_LOG_DENSITY => (:NNP_STEP_LOG_DENSITY, :NNP_STEP_ENERGY, :NNP_STEP_ACCEPTANCE,
        :NNP_STEP_SIZE, :NNP_STEP_DEPTH, :NNP_STEP_LEAPFROGS, :NNP_STEP_DIVERGENT,
        :NNP_STEP_DIVERGENCES, :NNP_STEP_STATISTICS),
    :NNP_STAT_RHAT => (:NNP_STAT_RHAT, :NNP_STAT_RHAT_BULK, :NNP_STAT_RHAT_TAIL,
        :NNP_STAT_RHAT_BASIC, :NNP_STAT_ESS_BULK, :NNP_STAT_ESS_TAIL, :NNP_STAT_ESS_MEAN,
        :NNP_STAT_ESS_SD, :NNP_STAT_ESS_QUANTILE, :NNP_STAT_MCSE_MEAN, :NNP_STAT_MCSE_SD,
        :NNP_STAT_MCSE_QUANTILE, :NNP_STAT_TAU, :NNP_STAT_ESS_SPECTRAL, :NNP_STAT_MEAN,
        :NNP_STAT_SD, :NNP_STAT_QUANTILE),
    :NNP_CONVERGENCE_UNDECIDED => (:NNP_CONVERGENCE_UNDECIDED, :NNP_CONVERGED, :NNP_FEW_DRAWS,
        :NNP_DOUBTFUL, :NNP_NOT_CONVERGED),
    :NNP_SCALE_AUTO => (:NNP_SCALE_AUTO, :NNP_SCALE_LINEAR, :NNP_SCALE_LOG),
    :NNP_UNDECIDED => (:NNP_UNDECIDED, :NNP_THERMALIZED, :NNP_NOT_THERMALIZED),
    :NNP_BECAUSE_MERGED => (:NNP_BECAUSE_MERGED, :NNP_BECAUSE_STUCK, :NNP_BECAUSE_TOO_SHORT,
        :NNP_BECAUSE_INFORMED_MOVING, :NNP_BECAUSE_STILL_MOVING, :NNP_BECAUSE_MERGED_LATELY,
        :NNP_BECAUSE_TOO_FEW),
    :NNP_STUDY_STEPS => (:NNP_STUDY_STEPS, :NNP_STUDY_SECONDS, :NNP_STUDY_STOP,
        :NNP_STUDY_PATIENCE, :NNP_STUDY_SAMPLING, :NNP_STUDY_EVERY, :NNP_STUDY_FUNCTION,
        :NNP_STUDY_GRADIENT_LAYER, :NNP_STUDY_RHAT_EVERY, :NNP_STUDY_RHAT_BLOCK,
        :NNP_STUDY_RHAT_LIMIT),
    :NNP_SAMPLING_LOG => (:NNP_SAMPLING_LOG, :NNP_SAMPLING_EVEN),
    :NNP_ENDED_NOT => (:NNP_ENDED_NOT, :NNP_ENDED_VERDICTS, :NNP_ENDED_STEPS, :NNP_ENDED_SECONDS,
        :NNP_ENDED_STOPPED),
    :NNP_SERIES_TEST => (:NNP_SERIES_TEST, :NNP_SERIES_GRADIENT, :NNP_SERIES_RHAT,
        :NNP_SERIES_RHAT_25, :NNP_SERIES_RHAT_50, :NNP_SERIES_RHAT_75, :NNP_SERIES_RHAT_95),
    :NNP_EXCHANGE_REPLICAS => (:NNP_EXCHANGE_REPLICAS, :NNP_EXCHANGE_ROUNDS,
        :NNP_EXCHANGE_FIRST_ROUND, :NNP_EXCHANGE_STEPS),
    :NNP_EXCHANGE_FROM_PRIOR => (:NNP_EXCHANGE_FROM_PRIOR, :NNP_EXCHANGE_FROM_TARGET),
    :NNP_EXCHANGE_MIXES => (:NNP_EXCHANGE_MIXES, :NNP_EXCHANGE_RUN_LONGER,
        :NNP_EXCHANGE_MORE_REPLICAS, :NNP_EXCHANGE_SLOW),
    :NNP_MULTISTART_STEPS => (:NNP_MULTISTART_STEPS, :NNP_MULTISTART_SHARE,
        :NNP_MULTISTART_ANNEAL_FROM, :NNP_MULTISTART_ZERO_STARTS),
)

# Handles.
struct nnp_net end
struct nnp_data end
struct nnp_chain end
struct nnp_predictor end
struct nnp_table end
struct nnp_pool end
struct nnp_keeper end
struct nnp_draws_file end
struct nnp_team end
struct nnp_folder end
struct nnp_teacher end
struct nnp_study end
struct nnp_exchange end
struct nnp_multistart end
struct nnp_twin end

# Reserved fields of structs that are passed in.
const UNUSED = (0, 0, 0, 0)

struct nnp_error
    status::Int32
    message::NTuple{252,UInt8}
end

struct nnp_progress
    chain::Ptr{nnp_chain}
    chain_index::Int64
    step::Int64
    steps::Int64
    seconds::Float64
end

struct nnp_model
    inputs::Int64
    targets::Int64
    head::Int32
    activation::Int32
    posterior::Int32
    ard::Int32
    hidden::NTuple{16,Int64}
    hidden_count::Int64
    reserved::NTuple{4,Int64}
end

struct nnp_recipe
    sampler::Int32
    posterior::Int32
    start::Int32
    reserved_int::Int32
    chains::Int64
    warmup::Int64
    draws::Int64
    thin::Int64
    option_count::Int64
    options::NTuple{8,Int32}
    values::NTuple{8,Float64}
    reserved::NTuple{4,Float64}
end

struct nnp_inputs
    x::Ptr{Float64}
    n::Int64
    features::Int64
    order::Int32
    store::Int32
    reserved::NTuple{4,Int64}
end

struct nnp_throttle
    callback::Ptr{Cvoid}
    user::Ptr{Cvoid}
    seconds::Float64
    next::Float64
end

struct nnp_outlook
    steps::NTuple{3,Int64}
    share::Float64
    seconds_left::Float64
    spent::NTuple{3,Float64}
    began::Float64
    phase::Int64
    reserved::NTuple{4,Float64}
end

struct nnp_descent
    before::Float64
    after::Float64
    slope::Float64
    steps::Int64
    evaluations::Int64
    ended::Int32
    reserved_int::Int32
    reserved::NTuple{4,Float64}
end

struct nnp_inside
    net::Ptr{nnp_net}
    draws::Ptr{Float64}
    weights::Ptr{Float64}
    input_mean::Ptr{Float64}
    input_sd::Ptr{Float64}
    target_mean::Ptr{Float64}
    target_sd::Ptr{Float64}
    parameters::Int64
    draw_count::Int64
    chains::Int64
    rows::Int64
    columns::Int64
    targets::Int64
    classes::Int64
    stopped::Int32
    stacked::Int32
    input_matrix::Ptr{Float64}
    reserved::NTuple{3,Int64}
end

struct nnp_saved
    buffer::Ptr{Cvoid}
    size::Csize_t
end

struct nnp_saved_draws
    parameters::Int64
    draws::Int64
    steps::Int64
    number::UInt64
    network::UInt64
    data::UInt64
    sampler::Int32
    posterior::Int32
    reserved::NTuple{4,Int64}
end

struct nnp_draws
    values::Ptr{Float64}
    quantities::Int64
    draws::Int64
    chains::Int64
    quantity_stride::Int64
    draw_stride::Int64
    chain_stride::Int64
    reserved::NTuple{4,Int64}
end

struct nnp_kept
    what::Int32
    moments::Int32
    predictor::Ptr{nnp_predictor}
    data::Ptr{nnp_data}
    rows::Int64
    reserved::NTuple{4,Int64}
end

struct nnp_comm
    rank::Int32
    size::Int32
    allgather::Ptr{Cvoid}
    broadcast::Ptr{Cvoid}
    exchange::Ptr{Cvoid}
    abort::Ptr{Cvoid}
    user::Ptr{Cvoid}
    checked::Int32
    reserved_int::Int32
    reserved::NTuple{4,Int64}
end

struct nnp_rows
    total::Int64
    first::Int64
    count::Int64
    blocks::Int64
    reserved::NTuple{4,Int64}
end

struct nnp_move_count
    tried::Int64
    moved::Int64
    evaluations::Int64
    reserved::NTuple{5,Int64}
end

struct nnp_convergence
    verdict::Int32
    reserved_int::Int32
    rhat::Float64
    ess_bulk::Float64
    ess_tail::Float64
    ess_needed::Float64
    worst::Int64
    reserved::NTuple{4,Float64}
end

struct nnp_loo_summary
    elpd::Float64
    elpd_error::Float64
    p_loo::Float64
    p_loo_error::Float64
    largest_k::Float64
    k_limit::Float64
    unreliable::Int64
    reserved::NTuple{4,Float64}
end

struct nnp_stacking_summary
    elpd::Float64
    elpd_error::Float64
    gap::Float64
    iterations::Int64
    largest_k::Float64
    k_limit::Float64
    unreliable::Int64
    reserved::NTuple{1,Float64}
end

struct nnp_series
    times::Ptr{Float64}
    values::Ptr{Float64}
    count::Int64
    reserved::NTuple{4,Int64}
end

struct nnp_thermalization_options
    scale::Int32
    reserved_int::Int32
    block_tolerance::Float64
    block_z::Float64
    level_tolerance::Float64
    z::Float64
    resolution::Float64
    merged_fraction::Float64
    reserved::NTuple{8,Float64}
end

struct nnp_verdict
    verdict::Int32
    because::Int32
    scale::Int32
    reserved_int::Int32
    time::Float64
    level::Float64
    distance::Float64
    distance_error::Float64
    independent::Float64
    informed_time::Float64
    informed_level::Float64
    informed_spread::Float64
    informed_error::Float64
    informed_autocorrelation_time::Float64
    reserved::NTuple{4,Float64}
end

struct nnp_settling
    found::Int32
    scale::Int32
    time::Float64
    level::Float64
    spread::Float64
    error::Float64
    autocorrelation_time::Float64
    reserved::NTuple{2,Float64}
end

struct nnp_criteria_series
    informed::nnp_series
    other::nnp_series
    gradient::nnp_series
    rhat::nnp_series
end

struct nnp_criteria_times
    teacher_student::Float64
    stationarity::Float64
    gradient::Float64
    rhat::Float64
    verdict::nnp_verdict
end

struct nnp_study_progress
    steps::Int64
    samples::Int64
    blocks::Int64
    decided::Int64
    share::Float64
    seconds::Float64
    ended::Int32
    reserved_int::Int32
    reserved::NTuple{4,Float64}
end

struct nnp_exchange_progress
    done::Int64
    sweeps::Int64
    round::Int64
    restarts::Int64
    seconds::Float64
    reserved::NTuple{3,Float64}
end

struct nnp_exchange_summary
    chains::Int64
    replicas::Int64
    wanted::Int64
    sweeps::Int64
    restarts::Int64
    round_trips::Int64
    expected_restarts::Float64
    barrier::Float64
    least_swaps::Float64
    mean_swaps::Float64
    log_evidence::Float64
    evidence_error::Float64
    verdict::Int32
    tuned::Int32
    reserved::NTuple{4,Float64}
end

struct nnp_exchange_rung
    power::Float64
    swaps::Float64
    barrier::Float64
    reserved::NTuple{3,Float64}
end

struct nnp_multistart_progress
    done::Int64
    steps::Int64
    best::Int64
    reserved::NTuple{5,Int64}
end

struct nnp_attempt
    error::Float64
    rank::Int64
    steps::Int64
    annealed::Int32
    reserved_int::Int32
    reserved::NTuple{4,Float64}
end

# Where the functions are: filled when the library is loaded.
const ADDRESSES = fill(C_NULL, 286)
const FUNCTIONS = (
    :nnp_status_name,
    :nnp_version,
    :nnp_abi_version,
    :nnp_build_info,
    :nnp_net_create,
    :nnp_net_free,
    :nnp_net_dense,
    :nnp_net_activation,
    :nnp_net_head,
    :nnp_net_set,
    :nnp_net_get,
    :nnp_net_parameters,
    :nnp_data_create,
    :nnp_data_free,
    :nnp_data_set_inputs,
    :nnp_data_set_targets,
    :nnp_data_set_labels,
    :nnp_chain_create,
    :nnp_chain_free,
    :nnp_chain_start,
    :nnp_chain_run,
    :nnp_chain_sample,
    :nnp_predictor_create,
    :nnp_predictor_free,
    :nnp_predictor_posterior,
    :nnp_predictor_levels,
    :nnp_predict,
    :nnp_score,
    :nnp_model_defaults,
    :nnp_recommend_head,
    :nnp_model_choose,
    :nnp_net_create_model,
    :nnp_recommend,
    :nnp_chain_use_recipe,
    :nnp_standard,
    :nnp_standardize,
    :nnp_unstandardize,
    :nnp_recommend_transform_bytes,
    :nnp_recommend_transform,
    :nnp_transform,
    :nnp_table_create,
    :nnp_table_free,
    :nnp_table_set,
    :nnp_table_get,
    :nnp_table_hidden,
    :nnp_table_watch,
    :nnp_table_fit,
    :nnp_table_fit_labels,
    :nnp_table_predict,
    :nnp_table_interval,
    :nnp_table_classify,
    :nnp_table_text,
    :nnp_net_create_image,
    :nnp_net_image,
    :nnp_net_conv2d,
    :nnp_net_avgpool,
    :nnp_net_maxpool,
    :nnp_net_copy,
    :nnp_head_info,
    :nnp_net_learn,
    :nnp_net_learn_tied,
    :nnp_net_fix,
    :nnp_net_learned,
    :nnp_net_layers,
    :nnp_net_outputs,
    :nnp_net_targets,
    :nnp_net_latents,
    :nnp_net_layer,
    :nnp_net_find_layer,
    :nnp_net_shape,
    :nnp_net_parameter_name,
    :nnp_net_print,
    :nnp_net_temperature,
    :nnp_data_create_from,
    :nnp_data_store,
    :nnp_data_targets,
    :nnp_data_labels,
    :nnp_chain_set,
    :nnp_chain_get,
    :nnp_option_info,
    :nnp_pool_create,
    :nnp_pool_free,
    :nnp_chain_use_pool,
    :nnp_chains_start,
    :nnp_chains_run,
    :nnp_chains_sample,
    :nnp_chain_draws,
    :nnp_throttled,
    :nnp_outlook_tell,
    :nnp_chain_start_weights,
    :nnp_chain_start_state,
    :nnp_chain_descend,
    :nnp_chains_descend,
    :nnp_chain_descent,
    :nnp_chain_anneal,
    :nnp_chain_annealing,
    :nnp_chain_steps,
    :nnp_chain_parameters,
    :nnp_chain_site,
    :nnp_chain_log_density,
    :nnp_chain_predict,
    :nnp_chain_score,
    :nnp_chain_variables,
    :nnp_chain_set_scales,
    :nnp_chain_scales,
    :nnp_predictor_noise,
    :nnp_predictor_passes,
    :nnp_predictor_set,
    :nnp_predictor_weights,
    :nnp_predictor_units,
    :nnp_predictor_pool_bytes,
    :nnp_predictor_use_pool,
    :nnp_predictor_watch,
    :nnp_table_inside,
    :nnp_table_recipe,
    :nnp_table_setting_info,
    :nnp_table_option,
    :nnp_table_weigh,
    :nnp_table_predictor,
    :nnp_table_data,
    :nnp_table_save_bytes,
    :nnp_table_save,
    :nnp_table_restore,
    :nnp_net_bytes,
    :nnp_net_init,
    :nnp_net_init_copy,
    :nnp_net_init_model,
    :nnp_data_bytes,
    :nnp_data_init,
    :nnp_data_bytes_from,
    :nnp_data_init_from,
    :nnp_pool_bytes,
    :nnp_pool_init,
    :nnp_pool_close,
    :nnp_chain_bytes,
    :nnp_chain_init,
    :nnp_predictor_bytes,
    :nnp_predictor_init,
    :nnp_chain_save_bytes,
    :nnp_chain_save,
    :nnp_chain_restore,
    :nnp_draws_save_bytes,
    :nnp_draws_save,
    :nnp_draws_saved,
    :nnp_draws_merge,
    :nnp_draws_init,
    :nnp_draws_advice,
    :nnp_keeper_create,
    :nnp_keeper_free,
    :nnp_keeper_bytes,
    :nnp_keeper_init,
    :nnp_keeper_width,
    :nnp_keeper_store,
    :nnp_keeper_stored,
    :nnp_chains_keep,
    :nnp_keeper_moments,
    :nnp_draws_file_create,
    :nnp_keeper_file,
    :nnp_draws_file_open,
    :nnp_draws_file_free,
    :nnp_draws_file_info,
    :nnp_draws_file_chain,
    :nnp_draws_file_view,
    :nnp_draws_file_save_bytes,
    :nnp_draws_file_save,
    :nnp_chain_use_comm,
    :nnp_team_create,
    :nnp_team_free,
    :nnp_team_bytes,
    :nnp_team_init,
    :nnp_team_close,
    :nnp_team_comm,
    :nnp_folder_create,
    :nnp_folder_free,
    :nnp_folder_bytes,
    :nnp_folder_init,
    :nnp_folder_comm,
    :nnp_rows_split,
    :nnp_rows_of_block,
    :nnp_data_create_rows,
    :nnp_data_bytes_rows,
    :nnp_data_init_rows,
    :nnp_chain_restore_rows,
    :nnp_saved_rows,
    :nnp_chain_terms,
    :nnp_chain_gradient_statistic,
    :nnp_chain_moves,
    :nnp_chain_print,
    :nnp_chain_probit_draws,
    :nnp_chain_statistic,
    :nnp_chain_record,
    :nnp_chain_recorded,
    :nnp_statistic_name,
    :nnp_statistic_bytes,
    :nnp_statistic,
    :nnp_nested_rhat,
    :nnp_functions_count,
    :nnp_functions,
    :nnp_function_name,
    :nnp_convergence_bytes,
    :nnp_convergence_of,
    :nnp_convergence_text,
    :nnp_table_convergence,
    :nnp_log_lik,
    :nnp_loo_bytes,
    :nnp_loo,
    :nnp_table_loo,
    :nnp_stacking_bytes,
    :nnp_stacking,
    :nnp_stack_chains_bytes,
    :nnp_stack_chains,
    :nnp_block_rhat_bytes,
    :nnp_block_rhat,
    :nnp_thermalization_bytes,
    :nnp_thermalization_defaults,
    :nnp_thermalization,
    :nnp_verdict_text,
    :nnp_stationarity,
    :nnp_gradient_settling,
    :nnp_rhat_settling,
    :nnp_criteria,
    :nnp_sbc_ranks,
    :nnp_sbc_histogram,
    :nnp_geweke_bytes,
    :nnp_geweke_draws,
    :nnp_geweke_moments,
    :nnp_teacher_create,
    :nnp_teacher_free,
    :nnp_teacher_bytes,
    :nnp_teacher_init,
    :nnp_teacher_parameters,
    :nnp_teacher_set_parameters,
    :nnp_teacher_label,
    :nnp_chain_start_teacher,
    :nnp_study_create,
    :nnp_study_free,
    :nnp_study_bytes,
    :nnp_study_init,
    :nnp_study_set,
    :nnp_study_get,
    :nnp_study_option_info,
    :nnp_study_thermalization,
    :nnp_study_partner,
    :nnp_study_function,
    :nnp_study_run,
    :nnp_study_state,
    :nnp_study_report,
    :nnp_study_series,
    :nnp_study_print,
    :nnp_exchange_create,
    :nnp_exchange_free,
    :nnp_exchange_bytes,
    :nnp_exchange_init,
    :nnp_exchange_set,
    :nnp_exchange_get,
    :nnp_exchange_set_ladder,
    :nnp_exchange_start,
    :nnp_exchange_tune,
    :nnp_exchange_run,
    :nnp_exchange_sample,
    :nnp_exchange_record,
    :nnp_exchange_recorded,
    :nnp_exchange_report,
    :nnp_exchange_text,
    :nnp_exchange_level,
    :nnp_exchange_save_bytes,
    :nnp_exchange_save,
    :nnp_exchange_restore,
    :nnp_multistart_create,
    :nnp_multistart_free,
    :nnp_multistart_bytes,
    :nnp_multistart_init,
    :nnp_multistart_set,
    :nnp_multistart_get,
    :nnp_multistart_run,
    :nnp_multistart_report,
    :nnp_multistart_best,
    :nnp_multistart_print,
    :nnp_twin_create,
    :nnp_twin_free,
    :nnp_twin_bytes,
    :nnp_twin_init,
    :nnp_twin_run,
    :nnp_twin_report,
    :nnp_twin_text,
    :nnp_twin_series,
)

nnp_status_name(status) =
    ccall(ADDRESSES[1], Ptr{UInt8}, (Int32,), status)
nnp_version() =
    ccall(ADDRESSES[2], Ptr{UInt8}, ())
nnp_abi_version() =
    ccall(ADDRESSES[3], Int32, ())
nnp_build_info(buffer, size, err) =
    ccall(ADDRESSES[4], Int32, (Ptr{UInt8}, Csize_t, Ptr{nnp_error}), buffer, size, err)
nnp_net_create(net, inputs, err) =
    ccall(ADDRESSES[5], Int32, (Ptr{Ptr{nnp_net}}, Int64, Ptr{nnp_error}), net, inputs, err)
nnp_net_free(net) =
    ccall(ADDRESSES[6], Cvoid, (Ptr{nnp_net},), net)
nnp_net_dense(net, units, err) =
    ccall(ADDRESSES[7], Int32, (Ptr{nnp_net}, Int64, Ptr{nnp_error}), net, units, err)
nnp_net_activation(net, activation, err) =
    ccall(ADDRESSES[8], Int32, (Ptr{nnp_net}, Int32, Ptr{nnp_error}), net, activation, err)
nnp_net_head(net, head, err) =
    ccall(ADDRESSES[9], Int32, (Ptr{nnp_net}, Int32, Ptr{nnp_error}), net, head, err)
nnp_net_set(net, layer, property, value, err) =
    ccall(ADDRESSES[10], Int32, (Ptr{nnp_net}, Int64, Int32, Float64, Ptr{nnp_error}), net,
          layer, property, value, err)
nnp_net_get(net, layer, property, value, err) =
    ccall(ADDRESSES[11], Int32, (Ptr{nnp_net}, Int64, Int32, Ptr{Float64}, Ptr{nnp_error}), net,
          layer, property, value, err)
nnp_net_parameters(net, parameters, err) =
    ccall(ADDRESSES[12], Int32, (Ptr{nnp_net}, Ptr{Int64}, Ptr{nnp_error}), net, parameters, err)
nnp_data_create(data, n, features, outputs, err) =
    ccall(ADDRESSES[13], Int32, (Ptr{Ptr{nnp_data}}, Int64, Int64, Int64, Ptr{nnp_error}), data,
          n, features, outputs, err)
nnp_data_free(data) =
    ccall(ADDRESSES[14], Cvoid, (Ptr{nnp_data},), data)
nnp_data_set_inputs(data, x, order, err) =
    ccall(ADDRESSES[15], Int32, (Ptr{nnp_data}, Ptr{Float64}, Int32, Ptr{nnp_error}), data, x,
          order, err)
nnp_data_set_targets(data, y, order, err) =
    ccall(ADDRESSES[16], Int32, (Ptr{nnp_data}, Ptr{Float64}, Int32, Ptr{nnp_error}), data, y,
          order, err)
nnp_data_set_labels(data, labels, err) =
    ccall(ADDRESSES[17], Int32, (Ptr{nnp_data}, Ptr{Int32}, Ptr{nnp_error}), data, labels, err)
nnp_chain_create(chain, net, data, sampler, posterior, err) =
    ccall(ADDRESSES[18], Int32, (Ptr{Ptr{nnp_chain}}, Ptr{nnp_net}, Ptr{nnp_data}, Int32, Int32,
          Ptr{nnp_error}), chain, net, data, sampler, posterior, err)
nnp_chain_free(chain) =
    ccall(ADDRESSES[19], Cvoid, (Ptr{nnp_chain},), chain)
nnp_chain_start(chain, start, seed, number, err) =
    ccall(ADDRESSES[20], Int32, (Ptr{nnp_chain}, Int32, UInt64, UInt64, Ptr{nnp_error}), chain,
          start, seed, number, err)
nnp_chain_run(chain, steps, callback, user, err) =
    ccall(ADDRESSES[21], Int32, (Ptr{nnp_chain}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{nnp_error}),
          chain, steps, callback, user, err)
nnp_chain_sample(chain, draws, count, thin, callback, user, err) =
    ccall(ADDRESSES[22], Int32, (Ptr{nnp_chain}, Ptr{Float64}, Int64, Int64, Ptr{Cvoid},
          Ptr{Cvoid}, Ptr{nnp_error}), chain, draws, count, thin, callback, user, err)
nnp_predictor_create(predictor, net, max_draws, err) =
    ccall(ADDRESSES[23], Int32, (Ptr{Ptr{nnp_predictor}}, Ptr{nnp_net}, Int64, Ptr{nnp_error}),
          predictor, net, max_draws, err)
nnp_predictor_free(predictor) =
    ccall(ADDRESSES[24], Cvoid, (Ptr{nnp_predictor},), predictor)
nnp_predictor_posterior(predictor, posterior, err) =
    ccall(ADDRESSES[25], Int32, (Ptr{nnp_predictor}, Int32, Ptr{nnp_error}), predictor,
          posterior, err)
nnp_predictor_levels(predictor, levels, count, err) =
    ccall(ADDRESSES[26], Int32, (Ptr{nnp_predictor}, Ptr{Float64}, Int64, Ptr{nnp_error}),
          predictor, levels, count, err)
nnp_predict(predictor, data, params, draws, kind, out, err) =
    ccall(ADDRESSES[27], Int32, (Ptr{nnp_predictor}, Ptr{nnp_data}, Ptr{Float64}, Int64, Int32,
          Ptr{Float64}, Ptr{nnp_error}), predictor, data, params, draws, kind, out, err)
nnp_score(predictor, data, params, draws, score, value, err) =
    ccall(ADDRESSES[28], Int32, (Ptr{nnp_predictor}, Ptr{nnp_data}, Ptr{Float64}, Int64, Int32,
          Ptr{Float64}, Ptr{nnp_error}), predictor, data, params, draws, score, value, err)
nnp_model_defaults(model, inputs, targets, head, rows, err) =
    ccall(ADDRESSES[29], Int32, (Ptr{nnp_model}, Int64, Int64, Int32, Int64, Ptr{nnp_error}),
          model, inputs, targets, head, rows, err)
nnp_recommend_head(rows, activation, posterior, head, err) =
    ccall(ADDRESSES[30], Int32, (Int64, Int32, Int32, Ptr{Int32}, Ptr{nnp_error}), rows,
          activation, posterior, head, err)
nnp_model_choose(model, activation, posterior, err) =
    ccall(ADDRESSES[31], Int32, (Ptr{nnp_model}, Int32, Int32, Ptr{nnp_error}), model,
          activation, posterior, err)
nnp_net_create_model(net, model, err) =
    ccall(ADDRESSES[32], Int32, (Ptr{Ptr{nnp_net}}, Ptr{nnp_model}, Ptr{nnp_error}), net, model,
          err)
nnp_recommend(net, rows, posterior, recipe, err) =
    ccall(ADDRESSES[33], Int32, (Ptr{nnp_net}, Int64, Int32, Ptr{nnp_recipe}, Ptr{nnp_error}),
          net, rows, posterior, recipe, err)
nnp_chain_use_recipe(chain, recipe, err) =
    ccall(ADDRESSES[34], Int32, (Ptr{nnp_chain}, Ptr{nnp_recipe}, Ptr{nnp_error}), chain, recipe,
          err)
nnp_standard(x, n, columns, order, mean, sd, err) =
    ccall(ADDRESSES[35], Int32, (Ptr{Float64}, Int64, Int64, Int32, Ptr{Float64}, Ptr{Float64},
          Ptr{nnp_error}), x, n, columns, order, mean, sd, err)
nnp_standardize(x, n, columns, order, mean, sd, out, err) =
    ccall(ADDRESSES[36], Int32, (Ptr{Float64}, Int64, Int64, Int32, Ptr{Float64}, Ptr{Float64},
          Ptr{Float64}, Ptr{nnp_error}), x, n, columns, order, mean, sd, out, err)
nnp_unstandardize(x, n, columns, order, mean, sd, out, err) =
    ccall(ADDRESSES[37], Int32, (Ptr{Float64}, Int64, Int64, Int32, Ptr{Float64}, Ptr{Float64},
          Ptr{Float64}, Ptr{nnp_error}), x, n, columns, order, mean, sd, out, err)
nnp_recommend_transform_bytes(labels, n, columns, bytes, err) =
    ccall(ADDRESSES[38], Int32, (Ptr{Int32}, Int64, Int64, Ptr{Csize_t}, Ptr{nnp_error}), labels,
          n, columns, bytes, err)
nnp_recommend_transform(z, labels, n, columns, order, matrix, bytes, err) =
    ccall(ADDRESSES[39], Int32, (Ptr{Float64}, Ptr{Int32}, Int64, Int64, Int32, Ptr{Float64},
          Csize_t, Ptr{nnp_error}), z, labels, n, columns, order, matrix, bytes, err)
nnp_transform(z, n, columns, order, matrix, out, err) =
    ccall(ADDRESSES[40], Int32, (Ptr{Float64}, Int64, Int64, Int32, Ptr{Float64}, Ptr{Float64},
          Ptr{nnp_error}), z, n, columns, order, matrix, out, err)
nnp_table_create(table, err) =
    ccall(ADDRESSES[41], Int32, (Ptr{Ptr{nnp_table}}, Ptr{nnp_error}), table, err)
nnp_table_free(table) =
    ccall(ADDRESSES[42], Cvoid, (Ptr{nnp_table},), table)
nnp_table_set(table, setting, value, err) =
    ccall(ADDRESSES[43], Int32, (Ptr{nnp_table}, Int32, Float64, Ptr{nnp_error}), table, setting,
          value, err)
nnp_table_get(table, setting, value, err) =
    ccall(ADDRESSES[44], Int32, (Ptr{nnp_table}, Int32, Ptr{Float64}, Ptr{nnp_error}), table,
          setting, value, err)
nnp_table_hidden(table, widths, count, err) =
    ccall(ADDRESSES[45], Int32, (Ptr{nnp_table}, Ptr{Int64}, Int64, Ptr{nnp_error}), table,
          widths, count, err)
nnp_table_watch(table, callback, user, err) =
    ccall(ADDRESSES[46], Int32, (Ptr{nnp_table}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{nnp_error}), table,
          callback, user, err)
nnp_table_fit(table, x, y, n, columns, targets, order, err) =
    ccall(ADDRESSES[47], Int32, (Ptr{nnp_table}, Ptr{Float64}, Ptr{Float64}, Int64, Int64, Int64,
          Int32, Ptr{nnp_error}), table, x, y, n, columns, targets, order, err)
nnp_table_fit_labels(table, x, labels, n, columns, order, err) =
    ccall(ADDRESSES[48], Int32, (Ptr{nnp_table}, Ptr{Float64}, Ptr{Int32}, Int64, Int64, Int32,
          Ptr{nnp_error}), table, x, labels, n, columns, order, err)
nnp_table_predict(table, x, rows, columns, order, kind, out, err) =
    ccall(ADDRESSES[49], Int32, (Ptr{nnp_table}, Ptr{Float64}, Int64, Int64, Int32, Int32,
          Ptr{Float64}, Ptr{nnp_error}), table, x, rows, columns, order, kind, out, err)
nnp_table_interval(table, x, rows, columns, order, level, ends, err) =
    ccall(ADDRESSES[50], Int32, (Ptr{nnp_table}, Ptr{Float64}, Int64, Int64, Int32, Float64,
          Ptr{Float64}, Ptr{nnp_error}), table, x, rows, columns, order, level, ends, err)
nnp_table_classify(table, x, rows, columns, order, labels, err) =
    ccall(ADDRESSES[51], Int32, (Ptr{nnp_table}, Ptr{Float64}, Int64, Int64, Int32, Ptr{Int32},
          Ptr{nnp_error}), table, x, rows, columns, order, labels, err)
nnp_table_text(table, buffer, size, err) =
    ccall(ADDRESSES[52], Int32, (Ptr{nnp_table}, Ptr{UInt8}, Csize_t, Ptr{nnp_error}), table,
          buffer, size, err)
nnp_net_create_image(net, channels, height, width, err) =
    ccall(ADDRESSES[53], Int32, (Ptr{Ptr{nnp_net}}, Int64, Int64, Int64, Ptr{nnp_error}), net,
          channels, height, width, err)
nnp_net_image(net, channels, height, width, err) =
    ccall(ADDRESSES[54], Int32, (Ptr{nnp_net}, Int64, Int64, Int64, Ptr{nnp_error}), net,
          channels, height, width, err)
nnp_net_conv2d(net, filters, height, width, stride_y, stride_x, err) =
    ccall(ADDRESSES[55], Int32, (Ptr{nnp_net}, Int64, Int64, Int64, Int64, Int64,
          Ptr{nnp_error}), net, filters, height, width, stride_y, stride_x, err)
nnp_net_avgpool(net, height, width, err) =
    ccall(ADDRESSES[56], Int32, (Ptr{nnp_net}, Int64, Int64, Ptr{nnp_error}), net, height, width,
          err)
nnp_net_maxpool(net, height, width, err) =
    ccall(ADDRESSES[57], Int32, (Ptr{nnp_net}, Int64, Int64, Ptr{nnp_error}), net, height, width,
          err)
nnp_net_copy(copy, net, err) =
    ccall(ADDRESSES[58], Int32, (Ptr{Ptr{nnp_net}}, Ptr{nnp_net}, Ptr{nnp_error}), copy, net,
          err)
nnp_head_info(head, name, labels, outputs_per_target, err) =
    ccall(ADDRESSES[59], Int32, (Int32, Ptr{Ptr{UInt8}}, Ptr{Int32}, Ptr{Int64}, Ptr{nnp_error}),
          head, name, labels, outputs_per_target, err)
nnp_net_learn(net, layer, property, shape, mean, err) =
    ccall(ADDRESSES[60], Int32, (Ptr{nnp_net}, Int64, Int32, Float64, Float64, Ptr{nnp_error}),
          net, layer, property, shape, mean, err)
nnp_net_learn_tied(net, multiples, shape, mean, err) =
    ccall(ADDRESSES[61], Int32, (Ptr{nnp_net}, Ptr{Float64}, Float64, Float64, Ptr{nnp_error}),
          net, multiples, shape, mean, err)
nnp_net_fix(net, layer, property, err) =
    ccall(ADDRESSES[62], Int32, (Ptr{nnp_net}, Int64, Int32, Ptr{nnp_error}), net, layer,
          property, err)
nnp_net_learned(net, layer, property, shape, mean, first, count, err) =
    ccall(ADDRESSES[63], Int32, (Ptr{nnp_net}, Int64, Int32, Ptr{Float64}, Ptr{Float64},
          Ptr{Int64}, Ptr{Int64}, Ptr{nnp_error}), net, layer, property, shape, mean, first,
          count, err)
nnp_net_layers(net, layers, err) =
    ccall(ADDRESSES[64], Int32, (Ptr{nnp_net}, Ptr{Int64}, Ptr{nnp_error}), net, layers, err)
nnp_net_outputs(net, outputs, err) =
    ccall(ADDRESSES[65], Int32, (Ptr{nnp_net}, Ptr{Int64}, Ptr{nnp_error}), net, outputs, err)
nnp_net_targets(net, targets, err) =
    ccall(ADDRESSES[66], Int32, (Ptr{nnp_net}, Ptr{Int64}, Ptr{nnp_error}), net, targets, err)
nnp_net_latents(net, latents, err) =
    ccall(ADDRESSES[67], Int32, (Ptr{nnp_net}, Ptr{Int64}, Ptr{nnp_error}), net, latents, err)
nnp_net_layer(net, layer, first, weights, biases, err) =
    ccall(ADDRESSES[68], Int32, (Ptr{nnp_net}, Int64, Ptr{Int64}, Ptr{Int64}, Ptr{Int64},
          Ptr{nnp_error}), net, layer, first, weights, biases, err)
nnp_net_find_layer(net, name, layer, err) =
    ccall(ADDRESSES[69], Int32, (Ptr{nnp_net}, Ptr{UInt8}, Ptr{Int64}, Ptr{nnp_error}), net,
          name, layer, err)
nnp_net_shape(net, site, shape, err) =
    ccall(ADDRESSES[70], Int32, (Ptr{nnp_net}, Int64, Ptr{Int64}, Ptr{nnp_error}), net, site,
          shape, err)
nnp_net_parameter_name(net, parameter, buffer, size, err) =
    ccall(ADDRESSES[71], Int32, (Ptr{nnp_net}, Int64, Ptr{UInt8}, Csize_t, Ptr{nnp_error}), net,
          parameter, buffer, size, err)
nnp_net_print(net, n, buffer, size, err) =
    ccall(ADDRESSES[72], Int32, (Ptr{nnp_net}, Int64, Ptr{UInt8}, Csize_t, Ptr{nnp_error}), net,
          n, buffer, size, err)
nnp_net_temperature(net, temperature, err) =
    ccall(ADDRESSES[73], Int32, (Ptr{nnp_net}, Ptr{Float64}, Ptr{nnp_error}), net, temperature,
          err)
nnp_data_create_from(data, inputs, outputs, err) =
    ccall(ADDRESSES[74], Int32, (Ptr{Ptr{nnp_data}}, Ptr{nnp_inputs}, Int64, Ptr{nnp_error}),
          data, inputs, outputs, err)
nnp_data_store(data, store, err) =
    ccall(ADDRESSES[75], Int32, (Ptr{nnp_data}, Ptr{Int32}, Ptr{nnp_error}), data, store, err)
nnp_data_targets(data, y, order, err) =
    ccall(ADDRESSES[76], Int32, (Ptr{nnp_data}, Ptr{Float64}, Int32, Ptr{nnp_error}), data, y,
          order, err)
nnp_data_labels(data, labels, err) =
    ccall(ADDRESSES[77], Int32, (Ptr{nnp_data}, Ptr{Int32}, Ptr{nnp_error}), data, labels, err)
nnp_chain_set(chain, option, value, err) =
    ccall(ADDRESSES[78], Int32, (Ptr{nnp_chain}, Int32, Float64, Ptr{nnp_error}), chain, option,
          value, err)
nnp_chain_get(chain, option, value, err) =
    ccall(ADDRESSES[79], Int32, (Ptr{nnp_chain}, Int32, Ptr{Float64}, Ptr{nnp_error}), chain,
          option, value, err)
nnp_option_info(option, name, low, high, initial, err) =
    ccall(ADDRESSES[80], Int32, (Int32, Ptr{Ptr{UInt8}}, Ptr{Float64}, Ptr{Float64},
          Ptr{Float64}, Ptr{nnp_error}), option, name, low, high, initial, err)
nnp_pool_create(pool, threads, err) =
    ccall(ADDRESSES[81], Int32, (Ptr{Ptr{nnp_pool}}, Int64, Ptr{nnp_error}), pool, threads, err)
nnp_pool_free(pool) =
    ccall(ADDRESSES[82], Cvoid, (Ptr{nnp_pool},), pool)
nnp_chain_use_pool(chain, pool, err) =
    ccall(ADDRESSES[83], Int32, (Ptr{nnp_chain}, Ptr{nnp_pool}, Ptr{nnp_error}), chain, pool,
          err)
nnp_chains_start(chains, chain_count, start, seed, callback, user, err) =
    ccall(ADDRESSES[84], Int32, (Ptr{Ptr{nnp_chain}}, Int64, Int32, UInt64, Ptr{Cvoid},
          Ptr{Cvoid}, Ptr{nnp_error}), chains, chain_count, start, seed, callback, user, err)
nnp_chains_run(chains, chain_count, steps, callback, user, err) =
    ccall(ADDRESSES[85], Int32, (Ptr{Ptr{nnp_chain}}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid},
          Ptr{nnp_error}), chains, chain_count, steps, callback, user, err)
nnp_chains_sample(chains, chain_count, draws, count, thin, callback, user, err) =
    ccall(ADDRESSES[86], Int32, (Ptr{Ptr{nnp_chain}}, Int64, Ptr{Float64}, Int64, Int64,
          Ptr{Cvoid}, Ptr{Cvoid}, Ptr{nnp_error}), chains, chain_count, draws, count, thin,
          callback, user, err)
nnp_chain_draws(chain, draws, err) =
    ccall(ADDRESSES[87], Int32, (Ptr{nnp_chain}, Ptr{Int64}, Ptr{nnp_error}), chain, draws, err)
nnp_throttled(progress, throttle) =
    ccall(ADDRESSES[88], Int32, (Ptr{nnp_progress}, Ptr{Cvoid}), progress, throttle)
nnp_outlook_tell(outlook, phase, done, seconds, err) =
    ccall(ADDRESSES[89], Int32, (Ptr{nnp_outlook}, Int32, Int64, Float64, Ptr{nnp_error}),
          outlook, phase, done, seconds, err)
nnp_chain_start_weights(chain, parameters, noisy, seed, number, err) =
    ccall(ADDRESSES[90], Int32, (Ptr{nnp_chain}, Ptr{Float64}, Int32, UInt64, UInt64,
          Ptr{nnp_error}), chain, parameters, noisy, seed, number, err)
nnp_chain_start_state(chain, parameters, sites, seed, number, err) =
    ccall(ADDRESSES[91], Int32, (Ptr{nnp_chain}, Ptr{Float64}, Ptr{Float64}, UInt64, UInt64,
          Ptr{nnp_error}), chain, parameters, sites, seed, number, err)
nnp_chain_descend(chain, steps, callback, user, err) =
    ccall(ADDRESSES[92], Int32, (Ptr{nnp_chain}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{nnp_error}),
          chain, steps, callback, user, err)
nnp_chains_descend(chains, chain_count, steps, callback, user, err) =
    ccall(ADDRESSES[93], Int32, (Ptr{Ptr{nnp_chain}}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid},
          Ptr{nnp_error}), chains, chain_count, steps, callback, user, err)
nnp_chain_descent(chain, out, err) =
    ccall(ADDRESSES[94], Int32, (Ptr{nnp_chain}, Ptr{nnp_descent}, Ptr{nnp_error}), chain, out,
          err)
nnp_chain_anneal(chain, from, steps, err) =
    ccall(ADDRESSES[95], Int32, (Ptr{nnp_chain}, Float64, Int64, Ptr{nnp_error}), chain, from,
          steps, err)
nnp_chain_annealing(chain, steps, err) =
    ccall(ADDRESSES[96], Int32, (Ptr{nnp_chain}, Ptr{Int64}, Ptr{nnp_error}), chain, steps, err)
nnp_chain_steps(chain, steps, err) =
    ccall(ADDRESSES[97], Int32, (Ptr{nnp_chain}, Ptr{Int64}, Ptr{nnp_error}), chain, steps, err)
nnp_chain_parameters(chain, parameters, err) =
    ccall(ADDRESSES[98], Int32, (Ptr{nnp_chain}, Ptr{Float64}, Ptr{nnp_error}), chain,
          parameters, err)
nnp_chain_site(chain, site, values, err) =
    ccall(ADDRESSES[99], Int32, (Ptr{nnp_chain}, Int64, Ptr{Float64}, Ptr{nnp_error}), chain,
          site, values, err)
nnp_chain_log_density(chain, value, err) =
    ccall(ADDRESSES[100], Int32, (Ptr{nnp_chain}, Ptr{Float64}, Ptr{nnp_error}), chain, value,
          err)
nnp_chain_predict(chain, data, outputs, err) =
    ccall(ADDRESSES[101], Int32, (Ptr{nnp_chain}, Ptr{nnp_data}, Ptr{Float64}, Ptr{nnp_error}),
          chain, data, outputs, err)
nnp_chain_score(chain, data, score, value, err) =
    ccall(ADDRESSES[102], Int32, (Ptr{nnp_chain}, Ptr{nnp_data}, Int32, Ptr{Float64},
          Ptr{nnp_error}), chain, data, score, value, err)
nnp_chain_variables(chain, variables, err) =
    ccall(ADDRESSES[103], Int32, (Ptr{nnp_chain}, Ptr{Int64}, Ptr{nnp_error}), chain, variables,
          err)
nnp_chain_set_scales(chain, variances, err) =
    ccall(ADDRESSES[104], Int32, (Ptr{nnp_chain}, Ptr{Float64}, Ptr{nnp_error}), chain,
          variances, err)
nnp_chain_scales(chain, variances, err) =
    ccall(ADDRESSES[105], Int32, (Ptr{nnp_chain}, Ptr{Float64}, Ptr{nnp_error}), chain,
          variances, err)
nnp_predictor_noise(predictor, noise, seed, err) =
    ccall(ADDRESSES[106], Int32, (Ptr{nnp_predictor}, Int32, UInt64, Ptr{nnp_error}), predictor,
          noise, seed, err)
nnp_predictor_passes(predictor, passes, err) =
    ccall(ADDRESSES[107], Int32, (Ptr{nnp_predictor}, Int64, Ptr{nnp_error}), predictor, passes,
          err)
nnp_predictor_set(predictor, option, value, err) =
    ccall(ADDRESSES[108], Int32, (Ptr{nnp_predictor}, Int32, Float64, Ptr{nnp_error}), predictor,
          option, value, err)
nnp_predictor_weights(predictor, weights, draws, err) =
    ccall(ADDRESSES[109], Int32, (Ptr{nnp_predictor}, Ptr{Float64}, Int64, Ptr{nnp_error}),
          predictor, weights, draws, err)
nnp_predictor_units(predictor, mean, sd, err) =
    ccall(ADDRESSES[110], Int32, (Ptr{nnp_predictor}, Ptr{Float64}, Ptr{Float64},
          Ptr{nnp_error}), predictor, mean, sd, err)
nnp_predictor_pool_bytes(predictor, pool, bytes, err) =
    ccall(ADDRESSES[111], Int32, (Ptr{nnp_predictor}, Ptr{nnp_pool}, Ptr{Csize_t},
          Ptr{nnp_error}), predictor, pool, bytes, err)
nnp_predictor_use_pool(predictor, pool, memory, bytes, err) =
    ccall(ADDRESSES[112], Int32, (Ptr{nnp_predictor}, Ptr{nnp_pool}, Ptr{Cvoid}, Csize_t,
          Ptr{nnp_error}), predictor, pool, memory, bytes, err)
nnp_predictor_watch(predictor, callback, user, err) =
    ccall(ADDRESSES[113], Int32, (Ptr{nnp_predictor}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{nnp_error}),
          predictor, callback, user, err)
nnp_table_inside(table, out, err) =
    ccall(ADDRESSES[114], Int32, (Ptr{nnp_table}, Ptr{nnp_inside}, Ptr{nnp_error}), table, out,
          err)
nnp_table_recipe(table, recipe, err) =
    ccall(ADDRESSES[115], Int32, (Ptr{nnp_table}, Ptr{nnp_recipe}, Ptr{nnp_error}), table,
          recipe, err)
nnp_table_setting_info(setting, name, low, high, initial, err) =
    ccall(ADDRESSES[116], Int32, (Int32, Ptr{Ptr{UInt8}}, Ptr{Float64}, Ptr{Float64},
          Ptr{Float64}, Ptr{nnp_error}), setting, name, low, high, initial, err)
nnp_table_option(table, option, value, err) =
    ccall(ADDRESSES[117], Int32, (Ptr{nnp_table}, Int32, Float64, Ptr{nnp_error}), table, option,
          value, err)
nnp_table_weigh(table, weights, err) =
    ccall(ADDRESSES[118], Int32, (Ptr{nnp_table}, Ptr{Float64}, Ptr{nnp_error}), table, weights,
          err)
nnp_table_predictor(table, predictor, err) =
    ccall(ADDRESSES[119], Int32, (Ptr{nnp_table}, Ptr{Ptr{nnp_predictor}}, Ptr{nnp_error}),
          table, predictor, err)
nnp_table_data(table, x, y, labels, rows, order, data, err) =
    ccall(ADDRESSES[120], Int32, (Ptr{nnp_table}, Ptr{Float64}, Ptr{Float64}, Ptr{Int32}, Int64,
          Int32, Ptr{Ptr{nnp_data}}, Ptr{nnp_error}), table, x, y, labels, rows, order, data,
          err)
nnp_table_save_bytes(table, bytes, err) =
    ccall(ADDRESSES[121], Int32, (Ptr{nnp_table}, Ptr{Csize_t}, Ptr{nnp_error}), table, bytes,
          err)
nnp_table_save(table, buffer, size, err) =
    ccall(ADDRESSES[122], Int32, (Ptr{nnp_table}, Ptr{Cvoid}, Csize_t, Ptr{nnp_error}), table,
          buffer, size, err)
nnp_table_restore(table, buffer, size, err) =
    ccall(ADDRESSES[123], Int32, (Ptr{nnp_table}, Ptr{Cvoid}, Csize_t, Ptr{nnp_error}), table,
          buffer, size, err)
nnp_net_bytes(max_layers, bytes, err) =
    ccall(ADDRESSES[124], Int32, (Int64, Ptr{Csize_t}, Ptr{nnp_error}), max_layers, bytes, err)
nnp_net_init(net, memory, bytes, max_layers, inputs, err) =
    ccall(ADDRESSES[125], Int32, (Ptr{Ptr{nnp_net}}, Ptr{Cvoid}, Csize_t, Int64, Int64,
          Ptr{nnp_error}), net, memory, bytes, max_layers, inputs, err)
nnp_net_init_copy(copy, memory, bytes, max_layers, net, err) =
    ccall(ADDRESSES[126], Int32, (Ptr{Ptr{nnp_net}}, Ptr{Cvoid}, Csize_t, Int64, Ptr{nnp_net},
          Ptr{nnp_error}), copy, memory, bytes, max_layers, net, err)
nnp_net_init_model(net, memory, bytes, max_layers, model, err) =
    ccall(ADDRESSES[127], Int32, (Ptr{Ptr{nnp_net}}, Ptr{Cvoid}, Csize_t, Int64, Ptr{nnp_model},
          Ptr{nnp_error}), net, memory, bytes, max_layers, model, err)
nnp_data_bytes(n, features, outputs, bytes, err) =
    ccall(ADDRESSES[128], Int32, (Int64, Int64, Int64, Ptr{Csize_t}, Ptr{nnp_error}), n,
          features, outputs, bytes, err)
nnp_data_init(data, memory, bytes, n, features, outputs, err) =
    ccall(ADDRESSES[129], Int32, (Ptr{Ptr{nnp_data}}, Ptr{Cvoid}, Csize_t, Int64, Int64, Int64,
          Ptr{nnp_error}), data, memory, bytes, n, features, outputs, err)
nnp_data_bytes_from(inputs, outputs, bytes, err) =
    ccall(ADDRESSES[130], Int32, (Ptr{nnp_inputs}, Int64, Ptr{Csize_t}, Ptr{nnp_error}), inputs,
          outputs, bytes, err)
nnp_data_init_from(data, memory, bytes, inputs, outputs, err) =
    ccall(ADDRESSES[131], Int32, (Ptr{Ptr{nnp_data}}, Ptr{Cvoid}, Csize_t, Ptr{nnp_inputs},
          Int64, Ptr{nnp_error}), data, memory, bytes, inputs, outputs, err)
nnp_pool_bytes(threads, bytes, err) =
    ccall(ADDRESSES[132], Int32, (Int64, Ptr{Csize_t}, Ptr{nnp_error}), threads, bytes, err)
nnp_pool_init(pool, memory, bytes, threads, err) =
    ccall(ADDRESSES[133], Int32, (Ptr{Ptr{nnp_pool}}, Ptr{Cvoid}, Csize_t, Int64,
          Ptr{nnp_error}), pool, memory, bytes, threads, err)
nnp_pool_close(pool) =
    ccall(ADDRESSES[134], Cvoid, (Ptr{nnp_pool},), pool)
nnp_chain_bytes(net, data, sampler, posterior, bytes, err) =
    ccall(ADDRESSES[135], Int32, (Ptr{nnp_net}, Ptr{nnp_data}, Int32, Int32, Ptr{Csize_t},
          Ptr{nnp_error}), net, data, sampler, posterior, bytes, err)
nnp_chain_init(chain, memory, bytes, net, data, sampler, posterior, err) =
    ccall(ADDRESSES[136], Int32, (Ptr{Ptr{nnp_chain}}, Ptr{Cvoid}, Csize_t, Ptr{nnp_net},
          Ptr{nnp_data}, Int32, Int32, Ptr{nnp_error}), chain, memory, bytes, net, data, sampler,
          posterior, err)
nnp_predictor_bytes(net, max_draws, bytes, err) =
    ccall(ADDRESSES[137], Int32, (Ptr{nnp_net}, Int64, Ptr{Csize_t}, Ptr{nnp_error}), net,
          max_draws, bytes, err)
nnp_predictor_init(predictor, memory, bytes, net, max_draws, err) =
    ccall(ADDRESSES[138], Int32, (Ptr{Ptr{nnp_predictor}}, Ptr{Cvoid}, Csize_t, Ptr{nnp_net},
          Int64, Ptr{nnp_error}), predictor, memory, bytes, net, max_draws, err)
nnp_chain_save_bytes(chain, bytes, err) =
    ccall(ADDRESSES[139], Int32, (Ptr{nnp_chain}, Ptr{Csize_t}, Ptr{nnp_error}), chain, bytes,
          err)
nnp_chain_save(chain, buffer, size, err) =
    ccall(ADDRESSES[140], Int32, (Ptr{nnp_chain}, Ptr{Cvoid}, Csize_t, Ptr{nnp_error}), chain,
          buffer, size, err)
nnp_chain_restore(chain, buffer, size, err) =
    ccall(ADDRESSES[141], Int32, (Ptr{nnp_chain}, Ptr{Cvoid}, Csize_t, Ptr{nnp_error}), chain,
          buffer, size, err)
nnp_draws_save_bytes(chain, count, bytes, err) =
    ccall(ADDRESSES[142], Int32, (Ptr{nnp_chain}, Int64, Ptr{Csize_t}, Ptr{nnp_error}), chain,
          count, bytes, err)
nnp_draws_save(chain, draws, count, buffer, size, err) =
    ccall(ADDRESSES[143], Int32, (Ptr{nnp_chain}, Ptr{Float64}, Int64, Ptr{Cvoid}, Csize_t,
          Ptr{nnp_error}), chain, draws, count, buffer, size, err)
nnp_draws_saved(buffer, size, out, err) =
    ccall(ADDRESSES[144], Int32, (Ptr{Cvoid}, Csize_t, Ptr{nnp_saved_draws}, Ptr{nnp_error}),
          buffer, size, out, err)
nnp_draws_merge(saves, count, draws, draws_each, chains, err) =
    ccall(ADDRESSES[145], Int32, (Ptr{nnp_saved}, Int64, Ptr{Float64}, Int64,
          Ptr{nnp_saved_draws}, Ptr{nnp_error}), saves, count, draws, draws_each, chains, err)
nnp_draws_init(draws, values, quantities, count, chains, err) =
    ccall(ADDRESSES[146], Int32, (Ptr{nnp_draws}, Ptr{Float64}, Int64, Int64, Int64,
          Ptr{nnp_error}), draws, values, quantities, count, chains, err)
nnp_draws_advice(net, chains, draws, buffer, size, err) =
    ccall(ADDRESSES[147], Int32, (Ptr{nnp_net}, Int64, Int64, Ptr{UInt8}, Csize_t,
          Ptr{nnp_error}), net, chains, draws, buffer, size, err)
nnp_keeper_create(keeper, net, kept, kept_count, chain_count, err) =
    ccall(ADDRESSES[148], Int32, (Ptr{Ptr{nnp_keeper}}, Ptr{nnp_net}, Ptr{nnp_kept}, Int64,
          Int64, Ptr{nnp_error}), keeper, net, kept, kept_count, chain_count, err)
nnp_keeper_free(keeper) =
    ccall(ADDRESSES[149], Cvoid, (Ptr{nnp_keeper},), keeper)
nnp_keeper_bytes(net, kept, kept_count, chain_count, bytes, err) =
    ccall(ADDRESSES[150], Int32, (Ptr{nnp_net}, Ptr{nnp_kept}, Int64, Int64, Ptr{Csize_t},
          Ptr{nnp_error}), net, kept, kept_count, chain_count, bytes, err)
nnp_keeper_init(keeper, memory, bytes, net, kept, kept_count, chain_count, err) =
    ccall(ADDRESSES[151], Int32, (Ptr{Ptr{nnp_keeper}}, Ptr{Cvoid}, Csize_t, Ptr{nnp_net},
          Ptr{nnp_kept}, Int64, Int64, Ptr{nnp_error}), keeper, memory, bytes, net, kept,
          kept_count, chain_count, err)
nnp_keeper_width(keeper, index, width, err) =
    ccall(ADDRESSES[152], Int32, (Ptr{nnp_keeper}, Int64, Ptr{Int64}, Ptr{nnp_error}), keeper,
          index, width, err)
nnp_keeper_store(keeper, index, values, capacity, err) =
    ccall(ADDRESSES[153], Int32, (Ptr{nnp_keeper}, Int64, Ptr{Float64}, Int64, Ptr{nnp_error}),
          keeper, index, values, capacity, err)
nnp_keeper_stored(keeper, index, chain, draws, err) =
    ccall(ADDRESSES[154], Int32, (Ptr{nnp_keeper}, Int64, Int64, Ptr{Int64}, Ptr{nnp_error}),
          keeper, index, chain, draws, err)
nnp_chains_keep(chains, chain_count, keeper, count, thin, callback, user, err) =
    ccall(ADDRESSES[155], Int32, (Ptr{Ptr{nnp_chain}}, Int64, Ptr{nnp_keeper}, Int64, Int64,
          Ptr{Cvoid}, Ptr{Cvoid}, Ptr{nnp_error}), chains, chain_count, keeper, count, thin,
          callback, user, err)
nnp_keeper_moments(keeper, index, chain, mean, variance, rhat, err) =
    ccall(ADDRESSES[156], Int32, (Ptr{nnp_keeper}, Int64, Int64, Ptr{Float64}, Ptr{Float64},
          Ptr{Float64}, Ptr{nnp_error}), keeper, index, chain, mean, variance, rhat, err)
nnp_draws_file_create(file, path, keeper, index, capacity, err) =
    ccall(ADDRESSES[157], Int32, (Ptr{Ptr{nnp_draws_file}}, Ptr{UInt8}, Ptr{nnp_keeper}, Int64,
          Int64, Ptr{nnp_error}), file, path, keeper, index, capacity, err)
nnp_keeper_file(keeper, index, file, err) =
    ccall(ADDRESSES[158], Int32, (Ptr{nnp_keeper}, Int64, Ptr{nnp_draws_file}, Ptr{nnp_error}),
          keeper, index, file, err)
nnp_draws_file_open(file, path, net, err) =
    ccall(ADDRESSES[159], Int32, (Ptr{Ptr{nnp_draws_file}}, Ptr{UInt8}, Ptr{nnp_net},
          Ptr{nnp_error}), file, path, net, err)
nnp_draws_file_free(file) =
    ccall(ADDRESSES[160], Cvoid, (Ptr{nnp_draws_file},), file)
nnp_draws_file_info(file, what, capacity, chains, err) =
    ccall(ADDRESSES[161], Int32, (Ptr{nnp_draws_file}, Ptr{Int32}, Ptr{Int64}, Ptr{Int64},
          Ptr{nnp_error}), file, what, capacity, chains, err)
nnp_draws_file_chain(file, chain, out, err) =
    ccall(ADDRESSES[162], Int32, (Ptr{nnp_draws_file}, Int64, Ptr{nnp_saved_draws},
          Ptr{nnp_error}), file, chain, out, err)
nnp_draws_file_view(file, out, err) =
    ccall(ADDRESSES[163], Int32, (Ptr{nnp_draws_file}, Ptr{nnp_draws}, Ptr{nnp_error}), file,
          out, err)
nnp_draws_file_save_bytes(file, chain, bytes, err) =
    ccall(ADDRESSES[164], Int32, (Ptr{nnp_draws_file}, Int64, Ptr{Csize_t}, Ptr{nnp_error}),
          file, chain, bytes, err)
nnp_draws_file_save(file, chain, buffer, size, err) =
    ccall(ADDRESSES[165], Int32, (Ptr{nnp_draws_file}, Int64, Ptr{Cvoid}, Csize_t,
          Ptr{nnp_error}), file, chain, buffer, size, err)
nnp_chain_use_comm(chain, comm, err) =
    ccall(ADDRESSES[166], Int32, (Ptr{nnp_chain}, Ptr{nnp_comm}, Ptr{nnp_error}), chain, comm,
          err)
nnp_team_create(team, ranks, err) =
    ccall(ADDRESSES[167], Int32, (Ptr{Ptr{nnp_team}}, Int64, Ptr{nnp_error}), team, ranks, err)
nnp_team_free(team) =
    ccall(ADDRESSES[168], Cvoid, (Ptr{nnp_team},), team)
nnp_team_bytes(ranks, bytes, err) =
    ccall(ADDRESSES[169], Int32, (Int64, Ptr{Csize_t}, Ptr{nnp_error}), ranks, bytes, err)
nnp_team_init(team, memory, bytes, ranks, err) =
    ccall(ADDRESSES[170], Int32, (Ptr{Ptr{nnp_team}}, Ptr{Cvoid}, Csize_t, Int64,
          Ptr{nnp_error}), team, memory, bytes, ranks, err)
nnp_team_close(team) =
    ccall(ADDRESSES[171], Cvoid, (Ptr{nnp_team},), team)
nnp_team_comm(team, rank, comm, err) =
    ccall(ADDRESSES[172], Int32, (Ptr{nnp_team}, Int64, Ptr{nnp_comm}, Ptr{nnp_error}), team,
          rank, comm, err)
nnp_folder_create(folder, path, rank, size, patience, err) =
    ccall(ADDRESSES[173], Int32, (Ptr{Ptr{nnp_folder}}, Ptr{UInt8}, Int64, Int64, Float64,
          Ptr{nnp_error}), folder, path, rank, size, patience, err)
nnp_folder_free(folder) =
    ccall(ADDRESSES[174], Cvoid, (Ptr{nnp_folder},), folder)
nnp_folder_bytes(size, bytes, err) =
    ccall(ADDRESSES[175], Int32, (Int64, Ptr{Csize_t}, Ptr{nnp_error}), size, bytes, err)
nnp_folder_init(folder, memory, bytes, path, rank, size, patience, err) =
    ccall(ADDRESSES[176], Int32, (Ptr{Ptr{nnp_folder}}, Ptr{Cvoid}, Csize_t, Ptr{UInt8}, Int64,
          Int64, Float64, Ptr{nnp_error}), folder, memory, bytes, path, rank, size, patience,
          err)
nnp_folder_comm(folder, comm, err) =
    ccall(ADDRESSES[177], Int32, (Ptr{nnp_folder}, Ptr{nnp_comm}, Ptr{nnp_error}), folder, comm,
          err)
nnp_rows_split(comm, total, blocks, rows, err) =
    ccall(ADDRESSES[178], Int32, (Ptr{nnp_comm}, Int64, Int64, Ptr{nnp_rows}, Ptr{nnp_error}),
          comm, total, blocks, rows, err)
nnp_rows_of_block(total, blocks, block, first, count, err) =
    ccall(ADDRESSES[179], Int32, (Int64, Int64, Int64, Ptr{Int64}, Ptr{Int64}, Ptr{nnp_error}),
          total, blocks, block, first, count, err)
nnp_data_create_rows(data, rows, comm, features, outputs, err) =
    ccall(ADDRESSES[180], Int32, (Ptr{Ptr{nnp_data}}, Ptr{nnp_rows}, Ptr{nnp_comm}, Int64, Int64,
          Ptr{nnp_error}), data, rows, comm, features, outputs, err)
nnp_data_bytes_rows(rows, comm, features, outputs, bytes, err) =
    ccall(ADDRESSES[181], Int32, (Ptr{nnp_rows}, Ptr{nnp_comm}, Int64, Int64, Ptr{Csize_t},
          Ptr{nnp_error}), rows, comm, features, outputs, bytes, err)
nnp_data_init_rows(data, memory, bytes, rows, comm, features, outputs, err) =
    ccall(ADDRESSES[182], Int32, (Ptr{Ptr{nnp_data}}, Ptr{Cvoid}, Csize_t, Ptr{nnp_rows},
          Ptr{nnp_comm}, Int64, Int64, Ptr{nnp_error}), data, memory, bytes, rows, comm,
          features, outputs, err)
nnp_chain_restore_rows(chain, saves, count, err) =
    ccall(ADDRESSES[183], Int32, (Ptr{nnp_chain}, Ptr{nnp_saved}, Int64, Ptr{nnp_error}), chain,
          saves, count, err)
nnp_saved_rows(buffer, size, rows, err) =
    ccall(ADDRESSES[184], Int32, (Ptr{Cvoid}, Csize_t, Ptr{nnp_rows}, Ptr{nnp_error}), buffer,
          size, rows, err)
nnp_chain_terms(chain, log_noise, log_prior, residuals, err) =
    ccall(ADDRESSES[185], Int32, (Ptr{nnp_chain}, Ptr{Float64}, Ptr{Float64}, Ptr{Float64},
          Ptr{nnp_error}), chain, log_noise, log_prior, residuals, err)
nnp_chain_gradient_statistic(chain, layer, value, err) =
    ccall(ADDRESSES[186], Int32, (Ptr{nnp_chain}, Int64, Ptr{Float64}, Ptr{nnp_error}), chain,
          layer, value, err)
nnp_chain_moves(chain, move, count, err) =
    ccall(ADDRESSES[187], Int32, (Ptr{nnp_chain}, Int32, Ptr{nnp_move_count}, Ptr{nnp_error}),
          chain, move, count, err)
nnp_chain_print(chain, buffer, size, err) =
    ccall(ADDRESSES[188], Int32, (Ptr{nnp_chain}, Ptr{UInt8}, Csize_t, Ptr{nnp_error}), chain,
          buffer, size, err)
nnp_chain_probit_draws(chain, exact, scanned, err) =
    ccall(ADDRESSES[189], Int32, (Ptr{nnp_chain}, Ptr{Int64}, Ptr{Int64}, Ptr{nnp_error}), chain,
          exact, scanned, err)
nnp_chain_statistic(chain, statistic, value, err) =
    ccall(ADDRESSES[190], Int32, (Ptr{nnp_chain}, Int32, Ptr{Float64}, Ptr{nnp_error}), chain,
          statistic, value, err)
nnp_chain_record(chain, values, capacity, err) =
    ccall(ADDRESSES[191], Int32, (Ptr{nnp_chain}, Ptr{Float64}, Int64, Ptr{nnp_error}), chain,
          values, capacity, err)
nnp_chain_recorded(chain, steps, err) =
    ccall(ADDRESSES[192], Int32, (Ptr{nnp_chain}, Ptr{Int64}, Ptr{nnp_error}), chain, steps, err)
nnp_statistic_name(statistic) =
    ccall(ADDRESSES[193], Ptr{UInt8}, (Int32,), statistic)
nnp_statistic_bytes(draws, bytes, err) =
    ccall(ADDRESSES[194], Int32, (Ptr{nnp_draws}, Ptr{Csize_t}, Ptr{nnp_error}), draws, bytes,
          err)
nnp_statistic(draws, statistic, probability, out, memory, bytes, err) =
    ccall(ADDRESSES[195], Int32, (Ptr{nnp_draws}, Int32, Float64, Ptr{Float64}, Ptr{Cvoid},
          Csize_t, Ptr{nnp_error}), draws, statistic, probability, out, memory, bytes, err)
nnp_nested_rhat(draws, groups, out, memory, bytes, err) =
    ccall(ADDRESSES[196], Int32, (Ptr{nnp_draws}, Ptr{Int64}, Ptr{Float64}, Ptr{Cvoid}, Csize_t,
          Ptr{nnp_error}), draws, groups, out, memory, bytes, err)
nnp_functions_count(predictor, data, rows, count, err) =
    ccall(ADDRESSES[197], Int32, (Ptr{nnp_predictor}, Ptr{nnp_data}, Int64, Ptr{Int64},
          Ptr{nnp_error}), predictor, data, rows, count, err)
nnp_functions(predictor, data, params, draws, rows, out, err) =
    ccall(ADDRESSES[198], Int32, (Ptr{nnp_predictor}, Ptr{nnp_data}, Ptr{Float64}, Int64, Int64,
          Ptr{Float64}, Ptr{nnp_error}), predictor, data, params, draws, rows, out, err)
nnp_function_name(predictor, data, rows, function_, buffer, size, err) =
    ccall(ADDRESSES[199], Int32, (Ptr{nnp_predictor}, Ptr{nnp_data}, Int64, Int64, Ptr{UInt8},
          Csize_t, Ptr{nnp_error}), predictor, data, rows, function_, buffer, size, err)
nnp_convergence_bytes(functions, bytes, err) =
    ccall(ADDRESSES[200], Int32, (Ptr{nnp_draws}, Ptr{Csize_t}, Ptr{nnp_error}), functions,
          bytes, err)
nnp_convergence_of(functions, out, memory, bytes, err) =
    ccall(ADDRESSES[201], Int32, (Ptr{nnp_draws}, Ptr{nnp_convergence}, Ptr{Cvoid}, Csize_t,
          Ptr{nnp_error}), functions, out, memory, bytes, err)
nnp_convergence_text(convergence, buffer, size, err) =
    ccall(ADDRESSES[202], Int32, (Ptr{nnp_convergence}, Ptr{UInt8}, Csize_t, Ptr{nnp_error}),
          convergence, buffer, size, err)
nnp_table_convergence(table, out, err) =
    ccall(ADDRESSES[203], Int32, (Ptr{nnp_table}, Ptr{nnp_convergence}, Ptr{nnp_error}), table,
          out, err)
nnp_log_lik(predictor, data, params, draws, out, err) =
    ccall(ADDRESSES[204], Int32, (Ptr{nnp_predictor}, Ptr{nnp_data}, Ptr{Float64}, Int64,
          Ptr{Float64}, Ptr{nnp_error}), predictor, data, params, draws, out, err)
nnp_loo_bytes(log_lik, bytes, err) =
    ccall(ADDRESSES[205], Int32, (Ptr{nnp_draws}, Ptr{Csize_t}, Ptr{nnp_error}), log_lik, bytes,
          err)
nnp_loo(log_lik, efficiency, elpd, pareto_k, out, memory, bytes, err) =
    ccall(ADDRESSES[206], Int32, (Ptr{nnp_draws}, Ptr{Float64}, Ptr{Float64}, Ptr{Float64},
          Ptr{nnp_loo_summary}, Ptr{Cvoid}, Csize_t, Ptr{nnp_error}), log_lik, efficiency, elpd,
          pareto_k, out, memory, bytes, err)
nnp_table_loo(table, out, err) =
    ccall(ADDRESSES[207], Int32, (Ptr{nnp_table}, Ptr{nnp_loo_summary}, Ptr{nnp_error}), table,
          out, err)
nnp_stacking_bytes(rows, models, bytes, err) =
    ccall(ADDRESSES[208], Int32, (Int64, Int64, Ptr{Csize_t}, Ptr{nnp_error}), rows, models,
          bytes, err)
nnp_stacking(elpd, rows, models, weights, out, memory, bytes, err) =
    ccall(ADDRESSES[209], Int32, (Ptr{Float64}, Int64, Int64, Ptr{Float64},
          Ptr{nnp_stacking_summary}, Ptr{Cvoid}, Csize_t, Ptr{nnp_error}), elpd, rows, models,
          weights, out, memory, bytes, err)
nnp_stack_chains_bytes(log_lik, bytes, err) =
    ccall(ADDRESSES[210], Int32, (Ptr{nnp_draws}, Ptr{Csize_t}, Ptr{nnp_error}), log_lik, bytes,
          err)
nnp_stack_chains(log_lik, weights, out, memory, bytes, err) =
    ccall(ADDRESSES[211], Int32, (Ptr{nnp_draws}, Ptr{Float64}, Ptr{nnp_stacking_summary},
          Ptr{Cvoid}, Csize_t, Ptr{nnp_error}), log_lik, weights, out, memory, bytes, err)
nnp_block_rhat_bytes(psi, length, blocks, bytes, err) =
    ccall(ADDRESSES[212], Int32, (Ptr{nnp_draws}, Int64, Ptr{Int64}, Ptr{Csize_t},
          Ptr{nnp_error}), psi, length, blocks, bytes, err)
nnp_block_rhat(psi, times, length, out, memory, bytes, err) =
    ccall(ADDRESSES[213], Int32, (Ptr{nnp_draws}, Ptr{Float64}, Int64, Ptr{Float64}, Ptr{Cvoid},
          Csize_t, Ptr{nnp_error}), psi, times, length, out, memory, bytes, err)
nnp_thermalization_bytes(bytes, err) =
    ccall(ADDRESSES[214], Int32, (Ptr{Csize_t}, Ptr{nnp_error}), bytes, err)
nnp_thermalization_defaults(options, err) =
    ccall(ADDRESSES[215], Int32, (Ptr{nnp_thermalization_options}, Ptr{nnp_error}), options, err)
nnp_thermalization(informed, others, count, options, out, memory, bytes, err) =
    ccall(ADDRESSES[216], Int32, (Ptr{nnp_series}, Ptr{nnp_series}, Int64,
          Ptr{nnp_thermalization_options}, Ptr{nnp_verdict}, Ptr{Cvoid}, Csize_t,
          Ptr{nnp_error}), informed, others, count, options, out, memory, bytes, err)
nnp_verdict_text(verdict, buffer, size, err) =
    ccall(ADDRESSES[217], Int32, (Ptr{nnp_verdict}, Ptr{UInt8}, Csize_t, Ptr{nnp_error}),
          verdict, buffer, size, err)
nnp_stationarity(series, scale, out, memory, bytes, err) =
    ccall(ADDRESSES[218], Int32, (Ptr{nnp_series}, Int32, Ptr{nnp_settling}, Ptr{Cvoid}, Csize_t,
          Ptr{nnp_error}), series, scale, out, memory, bytes, err)
nnp_gradient_settling(gradient, out, memory, bytes, err) =
    ccall(ADDRESSES[219], Int32, (Ptr{nnp_series}, Ptr{nnp_settling}, Ptr{Cvoid}, Csize_t,
          Ptr{nnp_error}), gradient, out, memory, bytes, err)
nnp_rhat_settling(rhat, limit, out, memory, bytes, err) =
    ccall(ADDRESSES[220], Int32, (Ptr{nnp_series}, Float64, Ptr{nnp_settling}, Ptr{Cvoid},
          Csize_t, Ptr{nnp_error}), rhat, limit, out, memory, bytes, err)
nnp_criteria(series, options, rhat_limit, out, memory, bytes, err) =
    ccall(ADDRESSES[221], Int32, (Ptr{nnp_criteria_series}, Ptr{nnp_thermalization_options},
          Float64, Ptr{nnp_criteria_times}, Ptr{Cvoid}, Csize_t, Ptr{nnp_error}), series,
          options, rhat_limit, out, memory, bytes, err)
nnp_sbc_ranks(truth, posterior, ties, ranks, err) =
    ccall(ADDRESSES[222], Int32, (Ptr{Float64}, Ptr{nnp_draws}, Ptr{Float64}, Ptr{Int64},
          Ptr{nnp_error}), truth, posterior, ties, ranks, err)
nnp_sbc_histogram(ranks, quantities, replications, max_rank, bins, counts, p_values, err) =
    ccall(ADDRESSES[223], Int32, (Ptr{Int64}, Int64, Int64, Int64, Int64, Ptr{Int64},
          Ptr{Float64}, Ptr{nnp_error}), ranks, quantities, replications, max_rank, bins, counts,
          p_values, err)
nnp_geweke_bytes(alternating, prior, bytes, err) =
    ccall(ADDRESSES[224], Int32, (Ptr{nnp_draws}, Ptr{nnp_draws}, Ptr{Csize_t}, Ptr{nnp_error}),
          alternating, prior, bytes, err)
nnp_geweke_draws(alternating, prior, z, p_value, memory, bytes, err) =
    ccall(ADDRESSES[225], Int32, (Ptr{nnp_draws}, Ptr{nnp_draws}, Ptr{Float64}, Ptr{Float64},
          Ptr{Cvoid}, Csize_t, Ptr{nnp_error}), alternating, prior, z, p_value, memory, bytes,
          err)
nnp_geweke_moments(alternating, mean, second_moment, z, p_value, memory, bytes, err) =
    ccall(ADDRESSES[226], Int32, (Ptr{nnp_draws}, Ptr{Float64}, Ptr{Float64}, Ptr{Float64},
          Ptr{Float64}, Ptr{Cvoid}, Csize_t, Ptr{nnp_error}), alternating, mean, second_moment,
          z, p_value, memory, bytes, err)
nnp_teacher_create(teacher, net, posterior, seed, number, err) =
    ccall(ADDRESSES[227], Int32, (Ptr{Ptr{nnp_teacher}}, Ptr{nnp_net}, Int32, UInt64, UInt64,
          Ptr{nnp_error}), teacher, net, posterior, seed, number, err)
nnp_teacher_free(teacher) =
    ccall(ADDRESSES[228], Cvoid, (Ptr{nnp_teacher},), teacher)
nnp_teacher_bytes(net, bytes, err) =
    ccall(ADDRESSES[229], Int32, (Ptr{nnp_net}, Ptr{Csize_t}, Ptr{nnp_error}), net, bytes, err)
nnp_teacher_init(teacher, memory, bytes, net, posterior, seed, number, err) =
    ccall(ADDRESSES[230], Int32, (Ptr{Ptr{nnp_teacher}}, Ptr{Cvoid}, Csize_t, Ptr{nnp_net},
          Int32, UInt64, UInt64, Ptr{nnp_error}), teacher, memory, bytes, net, posterior, seed,
          number, err)
nnp_teacher_parameters(teacher, parameters, err) =
    ccall(ADDRESSES[231], Int32, (Ptr{nnp_teacher}, Ptr{Float64}, Ptr{nnp_error}), teacher,
          parameters, err)
nnp_teacher_set_parameters(teacher, parameters, err) =
    ccall(ADDRESSES[232], Int32, (Ptr{nnp_teacher}, Ptr{Float64}, Ptr{nnp_error}), teacher,
          parameters, err)
nnp_teacher_label(teacher, data, noise, sites, err) =
    ccall(ADDRESSES[233], Int32, (Ptr{nnp_teacher}, Ptr{nnp_data}, Int64, Ptr{Float64},
          Ptr{nnp_error}), teacher, data, noise, sites, err)
nnp_chain_start_teacher(chain, teacher, sites, seed, number, err) =
    ccall(ADDRESSES[234], Int32, (Ptr{nnp_chain}, Ptr{nnp_teacher}, Ptr{Float64}, UInt64, UInt64,
          Ptr{nnp_error}), chain, teacher, sites, seed, number, err)
nnp_study_create(study, chains, chain_count, test, capacity, err) =
    ccall(ADDRESSES[235], Int32, (Ptr{Ptr{nnp_study}}, Ptr{Ptr{nnp_chain}}, Int64, Ptr{nnp_data},
          Int64, Ptr{nnp_error}), study, chains, chain_count, test, capacity, err)
nnp_study_free(study) =
    ccall(ADDRESSES[236], Cvoid, (Ptr{nnp_study},), study)
nnp_study_bytes(chains, chain_count, test, capacity, bytes, err) =
    ccall(ADDRESSES[237], Int32, (Ptr{Ptr{nnp_chain}}, Int64, Ptr{nnp_data}, Int64, Ptr{Csize_t},
          Ptr{nnp_error}), chains, chain_count, test, capacity, bytes, err)
nnp_study_init(study, memory, bytes, chains, chain_count, test, capacity, err) =
    ccall(ADDRESSES[238], Int32, (Ptr{Ptr{nnp_study}}, Ptr{Cvoid}, Csize_t, Ptr{Ptr{nnp_chain}},
          Int64, Ptr{nnp_data}, Int64, Ptr{nnp_error}), study, memory, bytes, chains,
          chain_count, test, capacity, err)
nnp_study_set(study, option, value, err) =
    ccall(ADDRESSES[239], Int32, (Ptr{nnp_study}, Int32, Float64, Ptr{nnp_error}), study, option,
          value, err)
nnp_study_get(study, option, value, err) =
    ccall(ADDRESSES[240], Int32, (Ptr{nnp_study}, Int32, Ptr{Float64}, Ptr{nnp_error}), study,
          option, value, err)
nnp_study_option_info(option, name, low, high, initial, err) =
    ccall(ADDRESSES[241], Int32, (Int32, Ptr{Ptr{UInt8}}, Ptr{Float64}, Ptr{Float64},
          Ptr{Float64}, Ptr{nnp_error}), option, name, low, high, initial, err)
nnp_study_thermalization(study, options, err) =
    ccall(ADDRESSES[242], Int32, (Ptr{nnp_study}, Ptr{nnp_thermalization_options},
          Ptr{nnp_error}), study, options, err)
nnp_study_partner(study, chain, partner, err) =
    ccall(ADDRESSES[243], Int32, (Ptr{nnp_study}, Int64, Int64, Ptr{nnp_error}), study, chain,
          partner, err)
nnp_study_function(study, function_, user, err) =
    ccall(ADDRESSES[244], Int32, (Ptr{nnp_study}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{nnp_error}), study,
          function_, user, err)
nnp_study_run(study, callback, user, err) =
    ccall(ADDRESSES[245], Int32, (Ptr{nnp_study}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{nnp_error}), study,
          callback, user, err)
nnp_study_state(study, state, err) =
    ccall(ADDRESSES[246], Int32, (Ptr{nnp_study}, Ptr{nnp_study_progress}, Ptr{nnp_error}),
          study, state, err)
nnp_study_report(study, chain, out, err) =
    ccall(ADDRESSES[247], Int32, (Ptr{nnp_study}, Int64, Ptr{nnp_criteria_times},
          Ptr{nnp_error}), study, chain, out, err)
nnp_study_series(study, chain, which, out, err) =
    ccall(ADDRESSES[248], Int32, (Ptr{nnp_study}, Int64, Int32, Ptr{nnp_series}, Ptr{nnp_error}),
          study, chain, which, out, err)
nnp_study_print(study, buffer, size, err) =
    ccall(ADDRESSES[249], Int32, (Ptr{nnp_study}, Ptr{UInt8}, Csize_t, Ptr{nnp_error}), study,
          buffer, size, err)
nnp_exchange_create(exchange, chains, chain_count, err) =
    ccall(ADDRESSES[250], Int32, (Ptr{Ptr{nnp_exchange}}, Ptr{Ptr{nnp_chain}}, Int64,
          Ptr{nnp_error}), exchange, chains, chain_count, err)
nnp_exchange_free(exchange) =
    ccall(ADDRESSES[251], Cvoid, (Ptr{nnp_exchange},), exchange)
nnp_exchange_bytes(chains, chain_count, bytes, err) =
    ccall(ADDRESSES[252], Int32, (Ptr{Ptr{nnp_chain}}, Int64, Ptr{Csize_t}, Ptr{nnp_error}),
          chains, chain_count, bytes, err)
nnp_exchange_init(exchange, memory, bytes, chains, chain_count, err) =
    ccall(ADDRESSES[253], Int32, (Ptr{Ptr{nnp_exchange}}, Ptr{Cvoid}, Csize_t,
          Ptr{Ptr{nnp_chain}}, Int64, Ptr{nnp_error}), exchange, memory, bytes, chains,
          chain_count, err)
nnp_exchange_set(exchange, option, value, err) =
    ccall(ADDRESSES[254], Int32, (Ptr{nnp_exchange}, Int32, Float64, Ptr{nnp_error}), exchange,
          option, value, err)
nnp_exchange_get(exchange, option, value, err) =
    ccall(ADDRESSES[255], Int32, (Ptr{nnp_exchange}, Int32, Ptr{Float64}, Ptr{nnp_error}),
          exchange, option, value, err)
nnp_exchange_set_ladder(exchange, powers, count, err) =
    ccall(ADDRESSES[256], Int32, (Ptr{nnp_exchange}, Ptr{Float64}, Int64, Ptr{nnp_error}),
          exchange, powers, count, err)
nnp_exchange_start(exchange, from, seed, err) =
    ccall(ADDRESSES[257], Int32, (Ptr{nnp_exchange}, Int32, UInt64, Ptr{nnp_error}), exchange,
          from, seed, err)
nnp_exchange_tune(exchange, callback, user, err) =
    ccall(ADDRESSES[258], Int32, (Ptr{nnp_exchange}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{nnp_error}),
          exchange, callback, user, err)
nnp_exchange_run(exchange, sweeps, callback, user, err) =
    ccall(ADDRESSES[259], Int32, (Ptr{nnp_exchange}, Int64, Ptr{Cvoid}, Ptr{Cvoid},
          Ptr{nnp_error}), exchange, sweeps, callback, user, err)
nnp_exchange_sample(exchange, draws, count, thin, callback, user, err) =
    ccall(ADDRESSES[260], Int32, (Ptr{nnp_exchange}, Ptr{Float64}, Int64, Int64, Ptr{Cvoid},
          Ptr{Cvoid}, Ptr{nnp_error}), exchange, draws, count, thin, callback, user, err)
nnp_exchange_record(exchange, levels, capacity, err) =
    ccall(ADDRESSES[261], Int32, (Ptr{nnp_exchange}, Ptr{Int32}, Int64, Ptr{nnp_error}),
          exchange, levels, capacity, err)
nnp_exchange_recorded(exchange, sweeps, err) =
    ccall(ADDRESSES[262], Int32, (Ptr{nnp_exchange}, Ptr{Int64}, Ptr{nnp_error}), exchange,
          sweeps, err)
nnp_exchange_report(exchange, out, err) =
    ccall(ADDRESSES[263], Int32, (Ptr{nnp_exchange}, Ptr{nnp_exchange_summary}, Ptr{nnp_error}),
          exchange, out, err)
nnp_exchange_text(exchange, buffer, size, err) =
    ccall(ADDRESSES[264], Int32, (Ptr{nnp_exchange}, Ptr{UInt8}, Csize_t, Ptr{nnp_error}),
          exchange, buffer, size, err)
nnp_exchange_level(exchange, level, out, err) =
    ccall(ADDRESSES[265], Int32, (Ptr{nnp_exchange}, Int64, Ptr{nnp_exchange_rung},
          Ptr{nnp_error}), exchange, level, out, err)
nnp_exchange_save_bytes(exchange, bytes, err) =
    ccall(ADDRESSES[266], Int32, (Ptr{nnp_exchange}, Ptr{Csize_t}, Ptr{nnp_error}), exchange,
          bytes, err)
nnp_exchange_save(exchange, buffer, size, err) =
    ccall(ADDRESSES[267], Int32, (Ptr{nnp_exchange}, Ptr{Cvoid}, Csize_t, Ptr{nnp_error}),
          exchange, buffer, size, err)
nnp_exchange_restore(exchange, buffer, size, err) =
    ccall(ADDRESSES[268], Int32, (Ptr{nnp_exchange}, Ptr{Cvoid}, Csize_t, Ptr{nnp_error}),
          exchange, buffer, size, err)
nnp_multistart_create(multistart, chains, chain_count, err) =
    ccall(ADDRESSES[269], Int32, (Ptr{Ptr{nnp_multistart}}, Ptr{Ptr{nnp_chain}}, Int64,
          Ptr{nnp_error}), multistart, chains, chain_count, err)
nnp_multistart_free(multistart) =
    ccall(ADDRESSES[270], Cvoid, (Ptr{nnp_multistart},), multistart)
nnp_multistart_bytes(chains, chain_count, bytes, err) =
    ccall(ADDRESSES[271], Int32, (Ptr{Ptr{nnp_chain}}, Int64, Ptr{Csize_t}, Ptr{nnp_error}),
          chains, chain_count, bytes, err)
nnp_multistart_init(multistart, memory, bytes, chains, chain_count, err) =
    ccall(ADDRESSES[272], Int32, (Ptr{Ptr{nnp_multistart}}, Ptr{Cvoid}, Csize_t,
          Ptr{Ptr{nnp_chain}}, Int64, Ptr{nnp_error}), multistart, memory, bytes, chains,
          chain_count, err)
nnp_multistart_set(multistart, option, value, err) =
    ccall(ADDRESSES[273], Int32, (Ptr{nnp_multistart}, Int32, Float64, Ptr{nnp_error}),
          multistart, option, value, err)
nnp_multistart_get(multistart, option, value, err) =
    ccall(ADDRESSES[274], Int32, (Ptr{nnp_multistart}, Int32, Ptr{Float64}, Ptr{nnp_error}),
          multistart, option, value, err)
nnp_multistart_run(multistart, seed, callback, user, err) =
    ccall(ADDRESSES[275], Int32, (Ptr{nnp_multistart}, UInt64, Ptr{Cvoid}, Ptr{Cvoid},
          Ptr{nnp_error}), multistart, seed, callback, user, err)
nnp_multistart_report(multistart, chain, out, err) =
    ccall(ADDRESSES[276], Int32, (Ptr{nnp_multistart}, Int64, Ptr{nnp_attempt}, Ptr{nnp_error}),
          multistart, chain, out, err)
nnp_multistart_best(multistart, chain, err) =
    ccall(ADDRESSES[277], Int32, (Ptr{nnp_multistart}, Ptr{Int64}, Ptr{nnp_error}), multistart,
          chain, err)
nnp_multistart_print(multistart, buffer, size, err) =
    ccall(ADDRESSES[278], Int32, (Ptr{nnp_multistart}, Ptr{UInt8}, Csize_t, Ptr{nnp_error}),
          multistart, buffer, size, err)
nnp_twin_create(twin, chain, err) =
    ccall(ADDRESSES[279], Int32, (Ptr{Ptr{nnp_twin}}, Ptr{nnp_chain}, Ptr{nnp_error}), twin,
          chain, err)
nnp_twin_free(twin) =
    ccall(ADDRESSES[280], Cvoid, (Ptr{nnp_twin},), twin)
nnp_twin_bytes(chain, bytes, err) =
    ccall(ADDRESSES[281], Int32, (Ptr{nnp_chain}, Ptr{Csize_t}, Ptr{nnp_error}), chain, bytes,
          err)
nnp_twin_init(twin, memory, bytes, chain, err) =
    ccall(ADDRESSES[282], Int32, (Ptr{Ptr{nnp_twin}}, Ptr{Cvoid}, Csize_t, Ptr{nnp_chain},
          Ptr{nnp_error}), twin, memory, bytes, chain, err)
nnp_twin_run(twin, steps, noisy, seed, callback, user, err) =
    ccall(ADDRESSES[283], Int32, (Ptr{nnp_twin}, Int64, Int32, UInt64, Ptr{Cvoid}, Ptr{Cvoid},
          Ptr{nnp_error}), twin, steps, noisy, seed, callback, user, err)
nnp_twin_report(twin, out, err) =
    ccall(ADDRESSES[284], Int32, (Ptr{nnp_twin}, Ptr{nnp_verdict}, Ptr{nnp_error}), twin, out,
          err)
nnp_twin_text(twin, buffer, size, err) =
    ccall(ADDRESSES[285], Int32, (Ptr{nnp_twin}, Ptr{UInt8}, Csize_t, Ptr{nnp_error}), twin,
          buffer, size, err)
nnp_twin_series(twin, which, out, err) =
    ccall(ADDRESSES[286], Int32, (Ptr{nnp_twin}, Int64, Ptr{nnp_series}, Ptr{nnp_error}), twin,
          which, out, err)

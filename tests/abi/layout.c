/* Sizes, offsets and constants of the C API, as programs that were built against it have them.
 * Made by `make abi` from the headers of capi/, and compared with them by tests/abi/layout.py. */
#include "capi/nnpost_study.h"

/* clang-format off */
#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), "size of " #type)
#define FIELD(type, field, at, bytes)                                              \
  _Static_assert(offsetof(type, field) == (at), "offset of " #type "." #field);    \
  _Static_assert(sizeof(((type *)0)->field) == (bytes), "size of " #type "." #field)
#define VALUE(name, value) _Static_assert((name) == (value), "value of " #name)

_Static_assert(sizeof(void *) == 8, "the numbers below are those of 64-bit machines");

SIZE(nnp_error, 256);
FIELD(nnp_error, status, 0, 4);
FIELD(nnp_error, message, 4, 252);

SIZE(nnp_progress, 40);
FIELD(nnp_progress, chain, 0, 8);
FIELD(nnp_progress, chain_index, 8, 8);
FIELD(nnp_progress, step, 16, 8);
FIELD(nnp_progress, steps, 24, 8);
FIELD(nnp_progress, seconds, 32, 8);

SIZE(nnp_model, 200);
FIELD(nnp_model, inputs, 0, 8);
FIELD(nnp_model, targets, 8, 8);
FIELD(nnp_model, head, 16, 4);
FIELD(nnp_model, activation, 20, 4);
FIELD(nnp_model, posterior, 24, 4);
FIELD(nnp_model, ard, 28, 4);
FIELD(nnp_model, hidden, 32, 128);
FIELD(nnp_model, hidden_count, 160, 8);
FIELD(nnp_model, reserved, 168, 32);

SIZE(nnp_recipe, 184);
FIELD(nnp_recipe, sampler, 0, 4);
FIELD(nnp_recipe, posterior, 4, 4);
FIELD(nnp_recipe, start, 8, 4);
FIELD(nnp_recipe, reserved_int, 12, 4);
FIELD(nnp_recipe, chains, 16, 8);
FIELD(nnp_recipe, warmup, 24, 8);
FIELD(nnp_recipe, draws, 32, 8);
FIELD(nnp_recipe, thin, 40, 8);
FIELD(nnp_recipe, option_count, 48, 8);
FIELD(nnp_recipe, options, 56, 32);
FIELD(nnp_recipe, values, 88, 64);
FIELD(nnp_recipe, reserved, 152, 32);

SIZE(nnp_inputs, 64);
FIELD(nnp_inputs, x, 0, 8);
FIELD(nnp_inputs, n, 8, 8);
FIELD(nnp_inputs, features, 16, 8);
FIELD(nnp_inputs, order, 24, 4);
FIELD(nnp_inputs, store, 28, 4);
FIELD(nnp_inputs, reserved, 32, 32);

SIZE(nnp_throttle, 32);
FIELD(nnp_throttle, callback, 0, 8);
FIELD(nnp_throttle, user, 8, 8);
FIELD(nnp_throttle, seconds, 16, 8);
FIELD(nnp_throttle, next, 24, 8);

SIZE(nnp_outlook, 112);
FIELD(nnp_outlook, steps, 0, 24);
FIELD(nnp_outlook, share, 24, 8);
FIELD(nnp_outlook, seconds_left, 32, 8);
FIELD(nnp_outlook, spent, 40, 24);
FIELD(nnp_outlook, began, 64, 8);
FIELD(nnp_outlook, phase, 72, 8);
FIELD(nnp_outlook, reserved, 80, 32);

SIZE(nnp_descent, 80);
FIELD(nnp_descent, before, 0, 8);
FIELD(nnp_descent, after, 8, 8);
FIELD(nnp_descent, slope, 16, 8);
FIELD(nnp_descent, steps, 24, 8);
FIELD(nnp_descent, evaluations, 32, 8);
FIELD(nnp_descent, ended, 40, 4);
FIELD(nnp_descent, reserved_int, 44, 4);
FIELD(nnp_descent, reserved, 48, 32);

SIZE(nnp_inside, 152);
FIELD(nnp_inside, net, 0, 8);
FIELD(nnp_inside, draws, 8, 8);
FIELD(nnp_inside, weights, 16, 8);
FIELD(nnp_inside, input_mean, 24, 8);
FIELD(nnp_inside, input_sd, 32, 8);
FIELD(nnp_inside, target_mean, 40, 8);
FIELD(nnp_inside, target_sd, 48, 8);
FIELD(nnp_inside, parameters, 56, 8);
FIELD(nnp_inside, draw_count, 64, 8);
FIELD(nnp_inside, chains, 72, 8);
FIELD(nnp_inside, rows, 80, 8);
FIELD(nnp_inside, columns, 88, 8);
FIELD(nnp_inside, targets, 96, 8);
FIELD(nnp_inside, classes, 104, 8);
FIELD(nnp_inside, stopped, 112, 4);
FIELD(nnp_inside, stacked, 116, 4);
FIELD(nnp_inside, input_matrix, 120, 8);
FIELD(nnp_inside, reserved, 128, 24);

SIZE(nnp_saved, 16);
FIELD(nnp_saved, buffer, 0, 8);
FIELD(nnp_saved, size, 8, 8);

SIZE(nnp_saved_draws, 88);
FIELD(nnp_saved_draws, parameters, 0, 8);
FIELD(nnp_saved_draws, draws, 8, 8);
FIELD(nnp_saved_draws, steps, 16, 8);
FIELD(nnp_saved_draws, number, 24, 8);
FIELD(nnp_saved_draws, network, 32, 8);
FIELD(nnp_saved_draws, data, 40, 8);
FIELD(nnp_saved_draws, sampler, 48, 4);
FIELD(nnp_saved_draws, posterior, 52, 4);
FIELD(nnp_saved_draws, reserved, 56, 32);

SIZE(nnp_draws, 88);
FIELD(nnp_draws, values, 0, 8);
FIELD(nnp_draws, quantities, 8, 8);
FIELD(nnp_draws, draws, 16, 8);
FIELD(nnp_draws, chains, 24, 8);
FIELD(nnp_draws, quantity_stride, 32, 8);
FIELD(nnp_draws, draw_stride, 40, 8);
FIELD(nnp_draws, chain_stride, 48, 8);
FIELD(nnp_draws, reserved, 56, 32);

SIZE(nnp_kept, 64);
FIELD(nnp_kept, what, 0, 4);
FIELD(nnp_kept, moments, 4, 4);
FIELD(nnp_kept, predictor, 8, 8);
FIELD(nnp_kept, data, 16, 8);
FIELD(nnp_kept, rows, 24, 8);
FIELD(nnp_kept, reserved, 32, 32);

SIZE(nnp_comm, 88);
FIELD(nnp_comm, rank, 0, 4);
FIELD(nnp_comm, size, 4, 4);
FIELD(nnp_comm, allgather, 8, 8);
FIELD(nnp_comm, broadcast, 16, 8);
FIELD(nnp_comm, exchange, 24, 8);
FIELD(nnp_comm, abort, 32, 8);
FIELD(nnp_comm, user, 40, 8);
FIELD(nnp_comm, checked, 48, 4);
FIELD(nnp_comm, reserved_int, 52, 4);
FIELD(nnp_comm, reserved, 56, 32);

SIZE(nnp_rows, 64);
FIELD(nnp_rows, total, 0, 8);
FIELD(nnp_rows, first, 8, 8);
FIELD(nnp_rows, count, 16, 8);
FIELD(nnp_rows, blocks, 24, 8);
FIELD(nnp_rows, reserved, 32, 32);

SIZE(nnp_move_count, 64);
FIELD(nnp_move_count, tried, 0, 8);
FIELD(nnp_move_count, moved, 8, 8);
FIELD(nnp_move_count, evaluations, 16, 8);
FIELD(nnp_move_count, reserved, 24, 40);

SIZE(nnp_convergence, 80);
FIELD(nnp_convergence, verdict, 0, 4);
FIELD(nnp_convergence, reserved_int, 4, 4);
FIELD(nnp_convergence, rhat, 8, 8);
FIELD(nnp_convergence, ess_bulk, 16, 8);
FIELD(nnp_convergence, ess_tail, 24, 8);
FIELD(nnp_convergence, ess_needed, 32, 8);
FIELD(nnp_convergence, worst, 40, 8);
FIELD(nnp_convergence, reserved, 48, 32);

SIZE(nnp_loo_summary, 88);
FIELD(nnp_loo_summary, elpd, 0, 8);
FIELD(nnp_loo_summary, elpd_error, 8, 8);
FIELD(nnp_loo_summary, p_loo, 16, 8);
FIELD(nnp_loo_summary, p_loo_error, 24, 8);
FIELD(nnp_loo_summary, largest_k, 32, 8);
FIELD(nnp_loo_summary, k_limit, 40, 8);
FIELD(nnp_loo_summary, unreliable, 48, 8);
FIELD(nnp_loo_summary, reserved, 56, 32);

SIZE(nnp_stacking_summary, 64);
FIELD(nnp_stacking_summary, elpd, 0, 8);
FIELD(nnp_stacking_summary, elpd_error, 8, 8);
FIELD(nnp_stacking_summary, gap, 16, 8);
FIELD(nnp_stacking_summary, iterations, 24, 8);
FIELD(nnp_stacking_summary, largest_k, 32, 8);
FIELD(nnp_stacking_summary, k_limit, 40, 8);
FIELD(nnp_stacking_summary, unreliable, 48, 8);
FIELD(nnp_stacking_summary, reserved, 56, 8);

SIZE(nnp_series, 56);
FIELD(nnp_series, times, 0, 8);
FIELD(nnp_series, values, 8, 8);
FIELD(nnp_series, count, 16, 8);
FIELD(nnp_series, reserved, 24, 32);

SIZE(nnp_thermalization_options, 120);
FIELD(nnp_thermalization_options, scale, 0, 4);
FIELD(nnp_thermalization_options, reserved_int, 4, 4);
FIELD(nnp_thermalization_options, block_tolerance, 8, 8);
FIELD(nnp_thermalization_options, block_z, 16, 8);
FIELD(nnp_thermalization_options, level_tolerance, 24, 8);
FIELD(nnp_thermalization_options, z, 32, 8);
FIELD(nnp_thermalization_options, resolution, 40, 8);
FIELD(nnp_thermalization_options, merged_fraction, 48, 8);
FIELD(nnp_thermalization_options, reserved, 56, 64);

SIZE(nnp_verdict, 128);
FIELD(nnp_verdict, verdict, 0, 4);
FIELD(nnp_verdict, because, 4, 4);
FIELD(nnp_verdict, scale, 8, 4);
FIELD(nnp_verdict, reserved_int, 12, 4);
FIELD(nnp_verdict, time, 16, 8);
FIELD(nnp_verdict, level, 24, 8);
FIELD(nnp_verdict, distance, 32, 8);
FIELD(nnp_verdict, distance_error, 40, 8);
FIELD(nnp_verdict, independent, 48, 8);
FIELD(nnp_verdict, informed_time, 56, 8);
FIELD(nnp_verdict, informed_level, 64, 8);
FIELD(nnp_verdict, informed_spread, 72, 8);
FIELD(nnp_verdict, informed_error, 80, 8);
FIELD(nnp_verdict, informed_autocorrelation_time, 88, 8);
FIELD(nnp_verdict, reserved, 96, 32);

SIZE(nnp_settling, 64);
FIELD(nnp_settling, found, 0, 4);
FIELD(nnp_settling, scale, 4, 4);
FIELD(nnp_settling, time, 8, 8);
FIELD(nnp_settling, level, 16, 8);
FIELD(nnp_settling, spread, 24, 8);
FIELD(nnp_settling, error, 32, 8);
FIELD(nnp_settling, autocorrelation_time, 40, 8);
FIELD(nnp_settling, reserved, 48, 16);

SIZE(nnp_criteria_series, 224);
FIELD(nnp_criteria_series, informed, 0, 56);
FIELD(nnp_criteria_series, other, 56, 56);
FIELD(nnp_criteria_series, gradient, 112, 56);
FIELD(nnp_criteria_series, rhat, 168, 56);

SIZE(nnp_criteria_times, 160);
FIELD(nnp_criteria_times, teacher_student, 0, 8);
FIELD(nnp_criteria_times, stationarity, 8, 8);
FIELD(nnp_criteria_times, gradient, 16, 8);
FIELD(nnp_criteria_times, rhat, 24, 8);
FIELD(nnp_criteria_times, verdict, 32, 128);

SIZE(nnp_study_progress, 88);
FIELD(nnp_study_progress, steps, 0, 8);
FIELD(nnp_study_progress, samples, 8, 8);
FIELD(nnp_study_progress, blocks, 16, 8);
FIELD(nnp_study_progress, decided, 24, 8);
FIELD(nnp_study_progress, share, 32, 8);
FIELD(nnp_study_progress, seconds, 40, 8);
FIELD(nnp_study_progress, ended, 48, 4);
FIELD(nnp_study_progress, reserved_int, 52, 4);
FIELD(nnp_study_progress, reserved, 56, 32);

SIZE(nnp_exchange_progress, 64);
FIELD(nnp_exchange_progress, done, 0, 8);
FIELD(nnp_exchange_progress, sweeps, 8, 8);
FIELD(nnp_exchange_progress, round, 16, 8);
FIELD(nnp_exchange_progress, restarts, 24, 8);
FIELD(nnp_exchange_progress, seconds, 32, 8);
FIELD(nnp_exchange_progress, reserved, 40, 24);

SIZE(nnp_exchange_summary, 136);
FIELD(nnp_exchange_summary, chains, 0, 8);
FIELD(nnp_exchange_summary, replicas, 8, 8);
FIELD(nnp_exchange_summary, wanted, 16, 8);
FIELD(nnp_exchange_summary, sweeps, 24, 8);
FIELD(nnp_exchange_summary, restarts, 32, 8);
FIELD(nnp_exchange_summary, round_trips, 40, 8);
FIELD(nnp_exchange_summary, expected_restarts, 48, 8);
FIELD(nnp_exchange_summary, barrier, 56, 8);
FIELD(nnp_exchange_summary, least_swaps, 64, 8);
FIELD(nnp_exchange_summary, mean_swaps, 72, 8);
FIELD(nnp_exchange_summary, log_evidence, 80, 8);
FIELD(nnp_exchange_summary, evidence_error, 88, 8);
FIELD(nnp_exchange_summary, verdict, 96, 4);
FIELD(nnp_exchange_summary, tuned, 100, 4);
FIELD(nnp_exchange_summary, reserved, 104, 32);

SIZE(nnp_exchange_rung, 48);
FIELD(nnp_exchange_rung, power, 0, 8);
FIELD(nnp_exchange_rung, swaps, 8, 8);
FIELD(nnp_exchange_rung, barrier, 16, 8);
FIELD(nnp_exchange_rung, reserved, 24, 24);

SIZE(nnp_multistart_progress, 64);
FIELD(nnp_multistart_progress, done, 0, 8);
FIELD(nnp_multistart_progress, steps, 8, 8);
FIELD(nnp_multistart_progress, best, 16, 8);
FIELD(nnp_multistart_progress, reserved, 24, 40);

SIZE(nnp_attempt, 64);
FIELD(nnp_attempt, error, 0, 8);
FIELD(nnp_attempt, rank, 8, 8);
FIELD(nnp_attempt, steps, 16, 8);
FIELD(nnp_attempt, annealed, 24, 4);
FIELD(nnp_attempt, reserved_int, 28, 4);
FIELD(nnp_attempt, reserved, 32, 32);

VALUE(NNP_OK, 0);
VALUE(NNP_E_NULL, 1);
VALUE(NNP_E_SIZE, 2);
VALUE(NNP_E_OVERFLOW, 3);
VALUE(NNP_E_NOT_FINITE, 4);
VALUE(NNP_E_LABEL, 5);
VALUE(NNP_E_VALUE, 6);
VALUE(NNP_E_SHAPE, 7);
VALUE(NNP_E_MEMORY_SIZE, 8);
VALUE(NNP_E_MEMORY_ALIGNMENT, 9);
VALUE(NNP_E_HEAD_MISPLACED, 10);
VALUE(NNP_E_SECOND_HEAD, 11);
VALUE(NNP_E_NO_LAYERS, 12);
VALUE(NNP_E_NO_HEAD, 13);
VALUE(NNP_E_SAVE_TRUNCATED, 14);
VALUE(NNP_E_SAVE_CORRUPTED, 15);
VALUE(NNP_E_SAVE_VERSION, 16);
VALUE(NNP_E_SAVE_NETWORK, 17);
VALUE(NNP_E_OPTION, 18);
VALUE(NNP_E_ENUM, 19);
VALUE(NNP_E_UNSUPPORTED, 20);
VALUE(NNP_E_NUMERIC, 21);
VALUE(NNP_E_NOT_STARTED, 22);
VALUE(NNP_STOPPED, 23);
VALUE(NNP_E_OUT_OF_MEMORY, 24);
VALUE(NNP_E_NET_FULL, 25);
VALUE(NNP_E_BUFFER_SIZE, 26);
VALUE(NNP_E_THREAD, 27);
VALUE(NNP_E_NO_DATA, 28);
VALUE(NNP_E_SAVE_DATA, 29);
VALUE(NNP_E_INFEASIBLE, 30);
VALUE(NNP_E_COMM, 31);
VALUE(NNP_E_RANKS, 32);
VALUE(NNP_E_FILE, 33);

VALUE(NNP_ALL_LAYERS, 0);
VALUE(NNP_HEAD, -1);

VALUE(NNP_IDENTITY, 101);
VALUE(NNP_RELU, 102);
VALUE(NNP_LEAKY_RELU, 103);
VALUE(NNP_ABS, 104);
VALUE(NNP_SIGN, 105);
VALUE(NNP_HARD_TANH, 106);
VALUE(NNP_TANH, 107);
VALUE(NNP_SOFTPLUS, 108);
VALUE(NNP_GELU, 109);

VALUE(NNP_GAUSSIAN, 201);
VALUE(NNP_ARGMAX, 202);
VALUE(NNP_SIGN_HEAD, 203);
VALUE(NNP_STUDENT_T, 204);
VALUE(NNP_LOCATION_SCALE, 205);

VALUE(NNP_NOISE, 301);
VALUE(NNP_LAMBDA_W, 302);
VALUE(NNP_LAMBDA_B, 303);
VALUE(NNP_BIAS, 304);
VALUE(NNP_SLOPE, 305);
VALUE(NNP_COLLAPSE, 306);
VALUE(NNP_PADDING_Y, 307);
VALUE(NNP_PADDING_X, 308);
VALUE(NNP_ARD, 309);
VALUE(NNP_FREEDOM, 320);

VALUE(NNP_ROW_MAJOR, 401);
VALUE(NNP_COLUMN_MAJOR, 402);

VALUE(NNP_GIBBS, 501);
VALUE(NNP_HMC, 502);
VALUE(NNP_MALA, 503);
VALUE(NNP_NUTS, 504);

VALUE(NNP_INTERMEDIATE, 601);
VALUE(NNP_CLASSICAL, 602);

VALUE(NNP_START_ZERO, 701);
VALUE(NNP_START_PRIOR, 702);
VALUE(NNP_START_SMALL, 703);
VALUE(NNP_START_FIT, 704);

VALUE(NNP_PREDICT_MEAN, 801);
VALUE(NNP_PREDICT_SD, 802);
VALUE(NNP_PREDICT_QUANTILES, 803);
VALUE(NNP_PREDICT_PROBABILITIES, 804);
VALUE(NNP_PREDICT_VOTES, 805);
VALUE(NNP_PREDICT_DRAWS, 806);

VALUE(NNP_SCORE_MSE, 901);
VALUE(NNP_SCORE_ACCURACY, 902);
VALUE(NNP_SCORE_LOG, 903);

VALUE(NNP_RECOMMENDED, -1);

VALUE(NNP_TABLE_SEED, 1801);
VALUE(NNP_TABLE_HEAD, 1802);
VALUE(NNP_TABLE_ACTIVATION, 1803);
VALUE(NNP_TABLE_POSTERIOR, 1804);
VALUE(NNP_TABLE_ARD, 1805);
VALUE(NNP_TABLE_SAMPLER, 1806);
VALUE(NNP_TABLE_START, 1807);
VALUE(NNP_TABLE_CHAINS, 1808);
VALUE(NNP_TABLE_WARMUP, 1809);
VALUE(NNP_TABLE_DRAWS, 1810);
VALUE(NNP_TABLE_THIN, 1811);
VALUE(NNP_TABLE_THREADS, 1812);
VALUE(NNP_TABLE_STACKING, 1813);
VALUE(NNP_TABLE_CONSTANT, 1814);

VALUE(NNP_STORE_AUTO, 1000);
VALUE(NNP_STORE_DOUBLES, 1001);
VALUE(NNP_STORE_SINGLES, 1002);
VALUE(NNP_STORE_BYTES, 1003);
VALUE(NNP_STORE_SPARSE, 1004);
VALUE(NNP_STORE_AUTO_IMAGES, 1005);

VALUE(NNP_OPTION_SCHEDULE, 1101);
VALUE(NNP_OPTION_SIMD, 1102);
VALUE(NNP_OPTION_RELAX, 1103);
VALUE(NNP_OPTION_PLAIN_EVERY, 1104);
VALUE(NNP_OPTION_UNIT_MOVES, 1105);
VALUE(NNP_OPTION_EXPANSION, 1106);
VALUE(NNP_OPTION_SCALE_MOVES, 1107);
VALUE(NNP_OPTION_STEP_SIZE, 1108);
VALUE(NNP_OPTION_LEAPFROGS, 1109);
VALUE(NNP_OPTION_JITTER, 1110);
VALUE(NNP_OPTION_TARGET, 1111);
VALUE(NNP_OPTION_MAX_DEPTH, 1112);
VALUE(NNP_OPTION_WARMUP, 1113);
VALUE(NNP_OPTION_ADAPT_STEP, 1114);
VALUE(NNP_OPTION_ADAPT_MASS, 1115);
VALUE(NNP_OPTION_MOVES, 1116);
VALUE(NNP_OPTION_UNIT_DRAWS, 1117);
VALUE(NNP_OPTION_LAYER_MOVES, 1118);
VALUE(NNP_OPTION_BLAS, 1119);
VALUE(NNP_OPTION_NOISE_MOVES, 1120);
VALUE(NNP_OPTION_PRECISION_MOVES, 1121);
VALUE(NNP_OPTION_SINGLE_GRADIENTS, 1122);

VALUE(NNP_BLAS_AUTOMATIC, 1200);
VALUE(NNP_BLAS_NONE, 1201);
VALUE(NNP_BLAS_ALL, 1202);
VALUE(NNP_BLAS_WHOLE, 1203);

VALUE(NNP_MOVES_PLAIN, 0);
VALUE(NNP_MOVES_AUTOMATIC, 1);

VALUE(NNP_SEQUENTIAL, 1301);
VALUE(NNP_PARALLEL, 1302);
VALUE(NNP_BACKWARD, 1303);

VALUE(NNP_PHASE_START, 1401);
VALUE(NNP_PHASE_WARMUP, 1402);
VALUE(NNP_PHASE_SAMPLING, 1403);

VALUE(NNP_DESCENT_NONE, 1500);
VALUE(NNP_DESCENT_STEPS, 1501);
VALUE(NNP_DESCENT_CONVERGED, 1502);
VALUE(NNP_DESCENT_FLAT, 1503);
VALUE(NNP_DESCENT_STOPPED, 1504);

VALUE(NNP_FORWARD, 1600);
VALUE(NNP_FITTED, 1601);

VALUE(NNP_KEEP_PARAMETERS, 1701);
VALUE(NNP_KEEP_SCALES, 1702);
VALUE(NNP_KEEP_FUNCTIONS, 1703);
VALUE(NNP_KEEP_MEAN, 1704);
VALUE(NNP_KEEP_PROBABILITIES, 1705);
VALUE(NNP_KEEP_PREDICTIONS, 1706);
VALUE(NNP_KEEP_LOG_LIK, 1707);

VALUE(NNP_ALL_CHAINS, -1);

VALUE(NNP_MOVE_PLAIN, 2001);
VALUE(NNP_MOVE_RELAXED, 2002);
VALUE(NNP_MOVE_UNIT, 2003);
VALUE(NNP_MOVE_HAAR, 2004);
VALUE(NNP_MOVE_SCALE, 2005);
VALUE(NNP_MOVE_EXPANSION, 2006);
VALUE(NNP_MOVE_DRAW, 2007);
VALUE(NNP_MOVE_LAYER, 2008);
VALUE(NNP_MOVE_NOISE, 2009);
VALUE(NNP_MOVE_PRECISION, 2010);
VALUE(NNP_MOVE_KINDS, 10);

VALUE(NNP_STEP_LOG_DENSITY, 2101);
VALUE(NNP_STEP_ENERGY, 2102);
VALUE(NNP_STEP_ACCEPTANCE, 2103);
VALUE(NNP_STEP_SIZE, 2104);
VALUE(NNP_STEP_DEPTH, 2105);
VALUE(NNP_STEP_LEAPFROGS, 2106);
VALUE(NNP_STEP_DIVERGENT, 2107);
VALUE(NNP_STEP_DIVERGENCES, 2108);
VALUE(NNP_STEP_STATISTICS, 8);

VALUE(NNP_STAT_RHAT, 2201);
VALUE(NNP_STAT_RHAT_BULK, 2202);
VALUE(NNP_STAT_RHAT_TAIL, 2203);
VALUE(NNP_STAT_RHAT_BASIC, 2204);
VALUE(NNP_STAT_ESS_BULK, 2205);
VALUE(NNP_STAT_ESS_TAIL, 2206);
VALUE(NNP_STAT_ESS_MEAN, 2207);
VALUE(NNP_STAT_ESS_SD, 2208);
VALUE(NNP_STAT_ESS_QUANTILE, 2209);
VALUE(NNP_STAT_MCSE_MEAN, 2210);
VALUE(NNP_STAT_MCSE_SD, 2211);
VALUE(NNP_STAT_MCSE_QUANTILE, 2212);
VALUE(NNP_STAT_TAU, 2213);
VALUE(NNP_STAT_ESS_SPECTRAL, 2214);
VALUE(NNP_STAT_MEAN, 2215);
VALUE(NNP_STAT_SD, 2216);
VALUE(NNP_STAT_QUANTILE, 2217);

VALUE(NNP_CONVERGENCE_UNDECIDED, 2300);
VALUE(NNP_CONVERGED, 2301);
VALUE(NNP_FEW_DRAWS, 2302);
VALUE(NNP_DOUBTFUL, 2303);
VALUE(NNP_NOT_CONVERGED, 2304);

VALUE(NNP_SCALE_AUTO, 2400);
VALUE(NNP_SCALE_LINEAR, 2401);
VALUE(NNP_SCALE_LOG, 2402);

VALUE(NNP_UNDECIDED, 2500);
VALUE(NNP_THERMALIZED, 2501);
VALUE(NNP_NOT_THERMALIZED, 2502);

VALUE(NNP_BECAUSE_MERGED, 2601);
VALUE(NNP_BECAUSE_STUCK, 2602);
VALUE(NNP_BECAUSE_TOO_SHORT, 2603);
VALUE(NNP_BECAUSE_INFORMED_MOVING, 2604);
VALUE(NNP_BECAUSE_STILL_MOVING, 2605);
VALUE(NNP_BECAUSE_MERGED_LATELY, 2606);
VALUE(NNP_BECAUSE_TOO_FEW, 2607);

VALUE(NNP_STUDY_STEPS, 3001);
VALUE(NNP_STUDY_SECONDS, 3002);
VALUE(NNP_STUDY_STOP, 3003);
VALUE(NNP_STUDY_PATIENCE, 3004);
VALUE(NNP_STUDY_SAMPLING, 3005);
VALUE(NNP_STUDY_EVERY, 3006);
VALUE(NNP_STUDY_FUNCTION, 3007);
VALUE(NNP_STUDY_GRADIENT_LAYER, 3008);
VALUE(NNP_STUDY_RHAT_EVERY, 3009);
VALUE(NNP_STUDY_RHAT_BLOCK, 3010);
VALUE(NNP_STUDY_RHAT_LIMIT, 3011);

VALUE(NNP_SAMPLING_LOG, 3101);
VALUE(NNP_SAMPLING_EVEN, 3102);

VALUE(NNP_ENDED_NOT, 3200);
VALUE(NNP_ENDED_VERDICTS, 3201);
VALUE(NNP_ENDED_STEPS, 3202);
VALUE(NNP_ENDED_SECONDS, 3203);
VALUE(NNP_ENDED_STOPPED, 3204);

VALUE(NNP_SERIES_TEST, 3301);
VALUE(NNP_SERIES_GRADIENT, 3302);
VALUE(NNP_SERIES_RHAT, 3303);
VALUE(NNP_SERIES_RHAT_25, 3304);
VALUE(NNP_SERIES_RHAT_50, 3305);
VALUE(NNP_SERIES_RHAT_75, 3306);
VALUE(NNP_SERIES_RHAT_95, 3307);

VALUE(NNP_EXCHANGE_REPLICAS, 3401);
VALUE(NNP_EXCHANGE_ROUNDS, 3402);
VALUE(NNP_EXCHANGE_FIRST_ROUND, 3403);
VALUE(NNP_EXCHANGE_STEPS, 3404);

VALUE(NNP_EXCHANGE_FROM_PRIOR, 3501);
VALUE(NNP_EXCHANGE_FROM_TARGET, 3502);

VALUE(NNP_EXCHANGE_MIXES, 3601);
VALUE(NNP_EXCHANGE_RUN_LONGER, 3602);
VALUE(NNP_EXCHANGE_MORE_REPLICAS, 3603);
VALUE(NNP_EXCHANGE_SLOW, 3604);

VALUE(NNP_MULTISTART_STEPS, 3701);
VALUE(NNP_MULTISTART_SHARE, 3702);
VALUE(NNP_MULTISTART_ANNEAL_FROM, 3703);
VALUE(NNP_MULTISTART_ZERO_STARTS, 3704);

int main(void) {
  return 0;
}

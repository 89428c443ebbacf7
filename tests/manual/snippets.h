/* What the C snippets of the manual and of the README leave undeclared. Tests compile them with it. */
#include <nnpost_mpi.h>
#include <nnpost_study.h>
#include <stdio.h>
#include <stdlib.h>

extern nnp_error err;
extern nnp_net *net;
extern nnp_data *data, *test, *train, *new_data;
extern nnp_pool *pool;
extern nnp_comm comm;
extern nnp_chain *chain, *chains[64], *informed, *zero, *random;
extern nnp_predictor *predictor;
extern nnp_teacher *teacher;
extern nnp_study *study;
extern nnp_exchange *exchange;
extern nnp_multistart *multistart;
extern nnp_twin *twin;
extern nnp_draws view;
extern nnp_convergence convergence;
extern nnp_table *table, *other;
extern double *draws, *values, *sites, x[100], y[100], x_new[100], mean[100], ends[100];
extern int64_t n, rows, columns, count, chain_count, functions, best, c;
extern uint64_t seed;
extern size_t bytes;
extern void *memory, *buffer;
extern char text[1024], report[4096];

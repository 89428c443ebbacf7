/* Inputs kept in every way: the same draws but for rounding, memory of exactly the size asked for,
 * and refusals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nnpost.h"
#include "unity.h"

enum { ROWS = 300, FEATURES = 20, STEPS = 5 };

static nnp_error err;
static double x[ROWS * FEATURES];
static int32_t labels[ROWS];

void setUp(void) {
  uint64_t state = 1;
  for (int i = 0; i < ROWS * FEATURES; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const int pixel = (state >> 33) % 4 == 0 ? (int)(state >> 40) % 256 : 0;
    x[i] = (pixel / 255.0 - 0.13) / 0.31;
  }
  for (int i = 0; i < ROWS; ++i) labels[i] = i % 3;
}
void tearDown(void) {}

static nnp_inputs inputs(int32_t store) {
  const nnp_inputs in = {x, ROWS, FEATURES, NNP_ROW_MAJOR, store, {0}};
  return in;
}

static nnp_data *data_in(int32_t store) {
  nnp_data *data = NULL;
  const nnp_inputs in = inputs(store);
  TEST_ASSERT_EQUAL_INT32(NNP_OK, nnp_data_create_from(&data, &in, 0, &err));
  TEST_ASSERT_EQUAL_INT32(NNP_OK, nnp_data_set_labels(data, labels, &err));
  return data;
}

static nnp_net *make_net(void) {
  nnp_net *net = NULL;
  nnp_net_create(&net, FEATURES, &err);
  nnp_net_dense(net, 5, &err);
  nnp_net_activation(net, NNP_RELU, &err);
  nnp_net_dense(net, 3, &err);
  nnp_net_head(net, NNP_ARGMAX, &err);
  return net;
}

/* Images of 4 x 5 pixels. */
static nnp_net *make_image_net(void) {
  nnp_net *net = NULL;
  nnp_net_create_image(&net, 1, 4, 5, &err);
  nnp_net_conv2d(net, 2, 2, 2, 1, 1, &err);
  nnp_net_avgpool(net, 1, 2, &err);
  nnp_net_activation(net, NNP_RELU, &err);
  nnp_net_dense(net, 3, &err);
  nnp_net_head(net, NNP_ARGMAX, &err);
  return net;
}

/* Parameters after a few steps; on the pool's threads, unless it is NULL. */
static void run(const nnp_net *net, const nnp_data *data, int32_t sampler, nnp_pool *pool,
                double *out) {
  nnp_chain *chain = NULL;
  const int32_t posterior = sampler == NNP_GIBBS ? NNP_INTERMEDIATE : NNP_CLASSICAL;
  TEST_ASSERT_EQUAL_INT32(NNP_OK, nnp_chain_create(&chain, net, data, sampler, posterior, &err));
  TEST_ASSERT_EQUAL_INT32(NNP_OK, nnp_chain_use_pool(chain, pool, &err));
  TEST_ASSERT_EQUAL_INT32(NNP_OK, nnp_chain_start(chain, NNP_START_PRIOR, 7, 0, &err));
  TEST_ASSERT_EQUAL_INT32(NNP_OK, nnp_chain_run(chain, STEPS, NULL, NULL, &err));
  TEST_ASSERT_EQUAL_INT32(NNP_OK, nnp_chain_parameters(chain, out, &err));
  nnp_chain_free(chain);
}

/* In every store as with doubles, and on two threads the same bits as on one. */
static void net_agrees(nnp_net *net) {
  nnp_data *plain = NULL;
  nnp_pool *pool = NULL;
  double want[200], got[200], shared[200];
  int64_t count = 0;
  TEST_ASSERT_EQUAL_INT32(NNP_OK, nnp_net_parameters(net, &count, &err));
  nnp_pool_create(&pool, 2, &err);
  nnp_data_create(&plain, ROWS, FEATURES, 0, &err);
  nnp_data_set_inputs(plain, x, NNP_ROW_MAJOR, &err);
  nnp_data_set_labels(plain, labels, &err);
  for (int32_t sampler = NNP_GIBBS; sampler <= NNP_HMC; ++sampler) {
    run(net, plain, sampler, NULL, want);
    for (int32_t store = NNP_STORE_AUTO; store <= NNP_STORE_AUTO_IMAGES; ++store) {
      nnp_data *data = data_in(store);
      run(net, data, sampler, NULL, got);
      for (int64_t i = 0; i < count; ++i)
        TEST_ASSERT_TRUE(fabs(got[i] - want[i]) < (store == NNP_STORE_SINGLES ? 1e-4 : 1e-9));
      run(net, data, sampler, pool, shared);
      TEST_ASSERT_EQUAL_MEMORY(got, shared, (size_t)count * sizeof(double));
      nnp_data_free(data);
    }
  }
  nnp_pool_free(pool);
  nnp_data_free(plain);
  nnp_net_free(net);
}

static void draws_agree(void) {
  net_agrees(make_net());
}
static void draws_of_convolutions_agree(void) {
  net_agrees(make_image_net());
}

static void the_store_is_told(void) {
  const int32_t told[] = {NNP_STORE_SPARSE, NNP_STORE_DOUBLES, NNP_STORE_SINGLES,
                          NNP_STORE_BYTES,  NNP_STORE_SPARSE,  NNP_STORE_BYTES};
  int32_t found = 0;
  for (int32_t store = NNP_STORE_AUTO; store <= NNP_STORE_AUTO_IMAGES; ++store) {
    nnp_data *data = data_in(store);
    TEST_ASSERT_EQUAL_INT32(NNP_OK, nnp_data_store(data, &found, &err));
    TEST_ASSERT_EQUAL_INT32(told[store - NNP_STORE_AUTO], found);
    nnp_data_free(data);
  }
  x[7] = 0.1234567; /* no byte any more */
  nnp_data *data = data_in(NNP_STORE_AUTO_IMAGES);
  TEST_ASSERT_EQUAL_INT32(NNP_OK, nnp_data_store(data, &found, &err));
  TEST_ASSERT_EQUAL_INT32(NNP_STORE_DOUBLES, found);
  nnp_data_free(data);
}

static void memory_is_what_was_asked_for(void) {
  for (int32_t store = NNP_STORE_AUTO; store <= NNP_STORE_AUTO_IMAGES; ++store) {
    const nnp_inputs in = inputs(store);
    size_t bytes = 0;
    nnp_data *data = NULL;
    TEST_ASSERT_EQUAL_INT32(NNP_OK, nnp_data_bytes_from(&in, 2, &bytes, &err));
    char *room = malloc(bytes + 128);
    char *block = room + (64 - (uintptr_t)room % 64) % 64;
    memset(room, 0x5a, bytes + 128);
    TEST_ASSERT_EQUAL_INT32(NNP_E_MEMORY_SIZE,
                            nnp_data_init_from(&data, block, bytes - 1, &in, 2, &err));
    TEST_ASSERT_EQUAL_INT32(NNP_OK, nnp_data_init_from(&data, block, bytes, &in, 2, &err));
    for (size_t i = 0; i < 64; ++i) TEST_ASSERT_EQUAL_INT(0x5a, block[bytes + i]);
    free(room);
  }
}

static void saved_chains_go_on(void) {
  nnp_net *net = make_net();
  nnp_data *data = data_in(NNP_STORE_SPARSE), *other = data_in(NNP_STORE_BYTES);
  nnp_chain *chain = NULL, *again = NULL, *packed = NULL;
  size_t size = 0;
  nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err);
  nnp_chain_create(&again, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err);
  nnp_chain_create(&packed, net, other, NNP_GIBBS, NNP_INTERMEDIATE, &err);
  nnp_chain_start(chain, NNP_START_PRIOR, 3, 0, &err);
  nnp_chain_run(chain, 3, NULL, NULL, &err);
  TEST_ASSERT_EQUAL_INT32(NNP_OK, nnp_chain_save_bytes(chain, &size, &err));
  void *saved = malloc(size);
  TEST_ASSERT_EQUAL_INT32(NNP_OK, nnp_chain_save(chain, saved, size, &err));
  TEST_ASSERT_EQUAL_INT32(NNP_OK, nnp_chain_restore(again, saved, size, &err));
  TEST_ASSERT_EQUAL_INT32(NNP_OK, nnp_chain_restore(packed, saved, size, &err));
  double a[200], b[200];
  nnp_chain_run(chain, 3, NULL, NULL, &err);
  nnp_chain_run(again, 3, NULL, NULL, &err);
  nnp_chain_parameters(chain, a, &err);
  nnp_chain_parameters(again, b, &err);
  int64_t count = 0;
  nnp_net_parameters(net, &count, &err);
  TEST_ASSERT_EQUAL_MEMORY(a, b, (size_t)count * sizeof(double));
  nnp_chain_run(packed, 3, NULL, NULL, &err); /* the same inputs in another store */
  nnp_chain_parameters(packed, b, &err);
  for (int64_t i = 0; i < count; ++i) TEST_ASSERT_TRUE(fabs(a[i] - b[i]) < 1e-9);
  free(saved);
  nnp_chain_free(packed);
  nnp_chain_free(chain);
  nnp_chain_free(again);
  nnp_data_free(data);
  nnp_data_free(other);
  nnp_net_free(net);
}

/* Packed inputs are the same inputs at every SIMD level and in every store, whatever instructions
 * unpack them: a chain saved at one level goes on in a chain that was made for another. */
static void saved_chains_cross_levels(void) {
  nnp_net *net = make_net();
  for (int32_t from = NNP_STORE_BYTES; from <= NNP_STORE_SPARSE; ++from)
    for (int32_t to = NNP_STORE_BYTES; to <= NNP_STORE_SPARSE; ++to)
      for (int level = 0; level <= 3; ++level) {
        nnp_data *data = data_in(from), *other = data_in(to);
        nnp_chain *chain = NULL, *again = NULL;
        size_t size = 0;
        nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err);
        nnp_chain_create(&again, net, other, NNP_GIBBS, NNP_INTERMEDIATE, &err);
        if (nnp_chain_set(again, NNP_OPTION_SIMD, level, &err) == NNP_OK) {
          TEST_ASSERT_EQUAL_INT32(NNP_OK, nnp_chain_set(chain, NNP_OPTION_SIMD, 1, &err));
          nnp_chain_start(chain, NNP_START_PRIOR, 3, 0, &err);
          TEST_ASSERT_EQUAL_INT32(NNP_OK, nnp_chain_save_bytes(chain, &size, &err));
          void *saved = malloc(size);
          TEST_ASSERT_EQUAL_INT32(NNP_OK, nnp_chain_save(chain, saved, size, &err));
          const int32_t status = nnp_chain_restore(again, saved, size, &err);
          free(saved);
          TEST_ASSERT_EQUAL_INT32_MESSAGE(NNP_OK, status, err.message);
        }
        nnp_chain_free(again);
        nnp_chain_free(chain);
        nnp_data_free(other);
        nnp_data_free(data);
      }
  nnp_net_free(net);
}

static void nonsense_is_refused(void) {
  nnp_data *data = NULL;
  nnp_inputs in = inputs(NNP_STORE_AUTO);
  int32_t store;
  TEST_ASSERT_EQUAL_INT32(NNP_E_NULL, nnp_data_create_from(NULL, &in, 0, &err));
  TEST_ASSERT_EQUAL_INT32(NNP_E_NULL, nnp_data_create_from(&data, NULL, 0, &err));
  TEST_ASSERT_EQUAL_INT32(NNP_E_NULL, nnp_data_store(NULL, &store, &err));
  in.store = 6;
  TEST_ASSERT_EQUAL_INT32(NNP_E_ENUM, nnp_data_create_from(&data, &in, 0, &err));
  in.store = -1;
  TEST_ASSERT_EQUAL_INT32(NNP_E_ENUM, nnp_data_create_from(&data, &in, 0, &err));
  in = inputs(NNP_STORE_AUTO);
  in.x = NULL;
  TEST_ASSERT_EQUAL_INT32(NNP_E_NULL, nnp_data_create_from(&data, &in, 0, &err));
  in = inputs(NNP_STORE_AUTO);
  in.order = 3;
  TEST_ASSERT_EQUAL_INT32(NNP_E_ENUM, nnp_data_create_from(&data, &in, 0, &err));
  in = inputs(NNP_STORE_AUTO);
  in.reserved[2] = 1;
  TEST_ASSERT_EQUAL_INT32(NNP_E_VALUE, nnp_data_create_from(&data, &in, 0, &err));
  in = inputs(NNP_STORE_AUTO);
  in.n = 0;
  TEST_ASSERT_EQUAL_INT32(NNP_E_SIZE, nnp_data_create_from(&data, &in, 0, &err));
  in = inputs(NNP_STORE_BYTES);
  x[7] = 0.1234567;
  TEST_ASSERT_EQUAL_INT32(NNP_E_VALUE, nnp_data_create_from(&data, &in, 0, &err));
  x[7] = NAN;
  TEST_ASSERT_EQUAL_INT32(NNP_E_NOT_FINITE, nnp_data_create_from(&data, &in, 0, &err));
  x[7] = 1e300;
  in.store = NNP_STORE_SINGLES;
  TEST_ASSERT_EQUAL_INT32(NNP_E_VALUE, nnp_data_create_from(&data, &in, 0, &err));
  setUp();
  data = data_in(NNP_STORE_SPARSE);
  TEST_ASSERT_EQUAL_INT32(NNP_E_UNSUPPORTED, nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  nnp_data_free(data);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(draws_agree);
  RUN_TEST(draws_of_convolutions_agree);
  RUN_TEST(the_store_is_told);
  RUN_TEST(memory_is_what_was_asked_for);
  RUN_TEST(saved_chains_go_on);
  RUN_TEST(saved_chains_cross_levels);
  RUN_TEST(nonsense_is_refused);
  return UNITY_END();
}

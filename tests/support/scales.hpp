// Networks whose scales are learned, for Geweke's joint test.
#pragma once

#include "tests/support/geweke.hpp"
#include "tests/support/nets.hpp"
#include "unity.h"

namespace scales {

constexpr double multiples[] = {0.5, 2, 0.7, 1.5, 1};

enum Learn : unsigned {
  last_noise = 1,
  noises = 2,
  tied = 4,
  precisions = 8,
  inputs = 16,
  tied_all = tied | precisions,
  tied_inputs = tied | inputs,
};

struct Case {
  unsigned learn;
  int hidden = 1;
  int32_t head = NNP_GAUSSIAN;
  int32_t activation = NNP_RELU;
  double shape = 3;     // of the hyperpriors
  int64_t outputs = 0;  // 0: as many as the head suggests
};

inline void learn(nnp_net *net, unsigned what, double shape) {
  nnp_error err;
  int64_t layers = 0;
  nnp_net_layers(net, &layers, nullptr);
  const auto ok = [&err](int32_t status) {
    TEST_ASSERT_EQUAL_MESSAGE(NNP_OK, status, err.message);
  };
  if (what & last_noise) ok(nnp_net_learn(net, layers, NNP_NOISE, shape, 0.9, &err));
  if (what & noises) ok(nnp_net_learn(net, NNP_ALL_LAYERS, NNP_NOISE, shape, 1.2, &err));
  if (what & tied) ok(nnp_net_learn_tied(net, multiples, shape, 1.1, &err));
  // around the values that they have in this network
  for (int64_t k = 1; k <= layers && (what & precisions); k += 2) {
    double w = 0, b = 0;
    ok(nnp_net_get(net, k, NNP_LAMBDA_W, &w, &err));
    ok(nnp_net_get(net, k, NNP_LAMBDA_B, &b, &err));
    ok(nnp_net_learn(net, k, NNP_LAMBDA_W, shape, w, &err));
    ok(nnp_net_learn(net, k, NNP_LAMBDA_B, shape + 1, b, &err));
  }
  if (what & inputs) ok(nnp_net_learn(net, NNP_ALL_LAYERS, NNP_ARD, shape, 2.5, &err));
}

inline nnp_net *make(const Case &c) {
  const bool student = c.head == NNP_STUDENT_T;
  nnp_net *net = nets::make({c.hidden, c.activation, c.head, true, c.outputs});
  if (student) nnp_net_set(net, NNP_HEAD, NNP_FREEDOM, 3, nullptr);
  learn(net, c.learn, c.shape);
  return net;
}

inline void expect_prior(const geweke::Setup &setup, const char *what, const Case &c) {
  const geweke::Result result = geweke::run(setup);
  char message[400];
  std::snprintf(message, sizeof message, "%s, learned %u, hidden %d, head %d: %s", what, c.learn,
                c.hidden, c.head, result.where.c_str());
  TEST_ASSERT_TRUE_MESSAGE(result.worst < 4, message);
}

}  // namespace scales

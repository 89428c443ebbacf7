/* The paper's dense network for MNIST, 784 -> 12 relu -> 10 with noise D = 2 everywhere, sampled by
 * Gibbs from zero. Prints test accuracy beside the authors' at the same step. */
#include "mnist.h"
#include "support.h"

static nnp_net *make_net(void) {
  nnp_error err;
  nnp_net *net;
  check(nnp_net_create(&net, MNIST_PIXELS, &err), &err);
  check(nnp_net_dense(net, 12, &err), &err); /* prior precisions: 784 and 12, the fan-in */
  check(nnp_net_activation(net, NNP_RELU, &err), &err);
  check(nnp_net_dense(net, MNIST_CLASSES, &err), &err);
  check(nnp_net_head(net, NNP_ARGMAX, &err), &err);
  check(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 2, &err), &err);
  return net;
}

/* Test accuracy of the authors' chain; from step 20 on averaged over 5 % of the steps on either
 * side. */
static const mnist_point authors[] = {
    {1, 0.1550},     {2, 0.1400},      {3, 0.1764},      {4, 0.2164},     {5, 0.2782},
    {6, 0.3504},     {7, 0.4218},      {8, 0.4794},      {10, 0.5890},    {12, 0.6668},
    {15, 0.7248},    {20, 0.7723},     {25, 0.7934},     {30, 0.8081},    {40, 0.8324},
    {50, 0.8444},    {70, 0.8580},     {100, 0.8679},    {150, 0.8753},   {200, 0.8774},
    {300, 0.8829},   {500, 0.8915},    {700, 0.8950},    {1000, 0.8988},  {1250, 0.9015},
    {2000, 0.9065},  {3000, 0.9075},   {5000, 0.9087},   {10000, 0.9117}, {20000, 0.9124},
    {50000, 0.9134}, {100000, 0.9114}, {200000, 0.9127}, {299999, 0.9114}};

int main(int argc, char **argv) {
  const mnist_study study = {
      .name = "mnist_mlp",
      .description = "MNIST by a dense network: 784 -> 12 relu -> 10, noise D = 2.",
      .make_net = make_net,
      .store = NNP_STORE_SPARSE,
      .steps = 300,
      .authors_ms = 11.9,
      .authors = authors,
      .author_points = sizeof authors / sizeof authors[0],
      .authors_scatter = 0.0015,
      .seeds_scatter = 0.0031,
  };
  return mnist_main(&study, argc, argv);
}

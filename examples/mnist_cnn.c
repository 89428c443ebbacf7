/* The paper's convolutional network for MNIST, sampled by Gibbs from zero: 2 filters of 4x4 in
 * steps of 2, means over 2x2, relu, dense; noise D = 100 everywhere. The library samples the
 * convolution and the pool as one layer: 72 latents an image instead of 338 + 72. */
#include "mnist.h"
#include "support.h"

static nnp_net *make_net(void) {
  nnp_error err;
  nnp_net *net;
  check(nnp_net_create_image(&net, 1, MNIST_SIDE, MNIST_SIDE, &err), &err);
  check(nnp_net_conv2d(net, 2, 4, 4, 2, 2, &err), &err); /* prior precisions: 16 and 72 */
  check(nnp_net_avgpool(net, 2, 2, &err), &err);
  check(nnp_net_activation(net, NNP_RELU, &err), &err);
  check(nnp_net_dense(net, MNIST_CLASSES, &err), &err);
  check(nnp_net_head(net, NNP_ARGMAX, &err), &err);
  check(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 100, &err), &err);
  return net;
}

int main(int argc, char **argv) {
  const mnist_study study = {
      .name = "mnist_cnn",
      .description =
          "MNIST by a convolutional network: conv 4x4 by 2, pool 2x2, relu, dense 72 -> "
          "10, noise D = 100.",
      .make_net = make_net,
      .store = NNP_STORE_BYTES,
      .steps = 300,
      .authors_ms = 38,
  };
  return mnist_main(&study, argc, argv);
}

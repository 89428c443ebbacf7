/* The paper's convolutional network for MNIST, sampled by Gibbs from zero: 2 filters of 4x4 in
 * steps of 2, means over 2x2, relu, dense; noise D = 100 everywhere. The library samples the
 * convolution and the pool as one layer: 72 latents per image instead of 338 + 72. */
#include "mnist.h"

static nnp_net *make_net(void) {
  return mnist_cnn_net(100);
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
      .authors_ms = mnist_cnn_ms,
  };
  return mnist_main(&study, argc, argv);
}

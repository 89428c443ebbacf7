/* The paper's dense network for MNIST, 784 -> 12 relu -> 10 with noise D = 2 everywhere, sampled by
 * Gibbs from zero. Prints test accuracy next to the authors' at the same step. */
#include "mnist.h"

static nnp_net *make_net(void) {
  return mnist_mlp_net(2);
}

int main(int argc, char **argv) {
  const mnist_study study = {
      .name = "mnist_mlp",
      .description = "MNIST by a dense network: 784 -> 12 relu -> 10, noise D = 2.",
      .make_net = make_net,
      .store = NNP_STORE_SPARSE,
      .steps = 300,
      .authors_ms = mnist_mlp_ms,
      .authors = mnist_authors,
      .author_points = MNIST_AUTHORS,
      .authors_scatter = 0.0015,
      .seeds_scatter = 0.0031,
  };
  return mnist_main(&study, argc, argv);
}

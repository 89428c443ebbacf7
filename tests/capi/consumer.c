/* A program outside the tree: prints the version of the library it was linked with, and fails if
   that is not the one its header describes. */
#include <nnpost.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  printf("%s\n", nnp_version());
  return strcmp(nnp_version(), NNP_VERSION) != 0 || nnp_abi_version() != NNP_ABI_VERSION;
}

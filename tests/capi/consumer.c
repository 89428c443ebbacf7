/* A program outside the tree: prints the version of the library it was linked with. */
#include <nnpost.h>
#include <stdio.h>

int main(void) {
  printf("%s\n", nnp_version());
  return nnp_abi_version() < 0;
}

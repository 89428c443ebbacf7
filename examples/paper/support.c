#include "support.h"

#include <stdio.h>
#include <stdlib.h>

void check(int32_t status, const nnp_error *err) {
  if (status == NNP_OK) return;
  fprintf(stderr, "%s: %s\n", nnp_status_name(status), err->message);
  exit(1);
}

void *need_memory(size_t bytes) {
  void *memory = malloc(bytes);
  if (memory) return memory;
  fprintf(stderr, "out of memory: %zu bytes\n", bytes);
  exit(1);
}

/* What every example needs: end with a sentence when a call fails. */
#ifndef EXAMPLES_SUPPORT_H
#define EXAMPLES_SUPPORT_H

#include <nnpost.h>

/* Ends the program with the library's sentence unless the call was fine. */
void check(int32_t status, const nnp_error *err);
/* malloc that ends the program rather than return NULL. */
void *need_memory(size_t bytes);

#endif

/* What every example needs: a check that ends the program with a sentence if a call fails. */
#ifndef EXAMPLES_SUPPORT_H
#define EXAMPLES_SUPPORT_H

#include <nnpost.h>

/* Ends the program with the library's sentence if a call failed. */
void check(int32_t status, const nnp_error *err);
/* Calls malloc; ends the program rather than return NULL. */
void *need_memory(size_t bytes);

#endif

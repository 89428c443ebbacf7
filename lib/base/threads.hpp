// Whether the library has threads: the build defines NNP_THREADS as 0 if it has none.
#pragma once

#ifndef NNP_THREADS
#define NNP_THREADS 1
#endif

#if NNP_THREADS
#include <pthread.h>
#endif

/* alarm() ends a test that hangs; Windows has none, and meson's own limit must do. */
#ifndef NNPOST_TESTS_ALARM_H
#define NNPOST_TESTS_ALARM_H

#ifdef _WIN32
#define alarm(seconds) ((void)(seconds))
#else
#include <unistd.h>
#endif

#endif

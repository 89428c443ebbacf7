/* Unity, compiled from wherever the build was told to find it. */
#include <unity.c>

// Exponentials, logarithms and related functions, as called everywhere in lib/: fn::exp(x).
//
// By default on Linux with glibc they are those of the C library. With -Dmath=own, and by default
// everywhere else, they are our own (functions.cpp): sums and products of doubles in a fixed order,
// never fused, so that a chain at the portable level has the same bits on every machine. The choice
// is made in chosen_functions.cpp alone.
#pragma once

#include <cmath>

namespace nnp {

namespace fn {
double exp(double x);
double exp2(double x);
double expm1(double x);
double log(double x);
double log1p(double x);
double log10(double x);
double pow(double x, double y);  // x >= 0
double tanh(double x);
double acosh(double x);
double atanh(double x);
double hypot(double x, double y);
double sin(double x);  // |x| <= 1e5
double cos(double x);
double erf(double x);
double erfc(double x);
bool own();  // true if they are ours
}  // namespace fn

// Our implementations, in every build: within 1 ulp (tanh, acosh and atanh within 3, erf and erfc
// within 8).
namespace own {
double exp(double x);
double exp2(double x);
double expm1(double x);
double log(double x);
double log1p(double x);
double log10(double x);
double pow(double x, double y);
double tanh(double x);
double acosh(double x);
double atanh(double x);
double hypot(double x, double y);
double sin(double x);  // NaN beyond 1e5
double cos(double x);
double erf(double x);
double erfc(double x);
}  // namespace own

}  // namespace nnp

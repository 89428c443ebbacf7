// Selects the functions that draws depend on: see functions.hpp.
#include "lib/base/functions.hpp"

#ifndef NNP_OWN_MATH
#define NNP_OWN_MATH 0
#endif

namespace nnp {

#if NNP_OWN_MATH
namespace chosen = own;
#else
namespace chosen = std;
#endif

namespace fn {

double exp(double x) {
  return chosen::exp(x);
}
double exp2(double x) {
  return chosen::exp2(x);
}
double expm1(double x) {
  return chosen::expm1(x);
}
double log(double x) {
  return chosen::log(x);
}
double log1p(double x) {
  return chosen::log1p(x);
}
double log10(double x) {
  return chosen::log10(x);
}
double tanh(double x) {
  return chosen::tanh(x);
}
double acosh(double x) {
  return chosen::acosh(x);
}
double atanh(double x) {
  return chosen::atanh(x);
}
double sin(double x) {
  return chosen::sin(x);
}
double cos(double x) {
  return chosen::cos(x);
}
double erf(double x) {
  return chosen::erf(x);
}
double erfc(double x) {
  return chosen::erfc(x);
}
double pow(double x, double y) {
  return chosen::pow(x, y);
}
double hypot(double x, double y) {
  return chosen::hypot(x, y);
}

bool own() {
  return NNP_OWN_MATH != 0;
}

}  // namespace fn
}  // namespace nnp

// Constants of the C API. Every family of them (activations, heads, options, …) has numbers of its own
// in the headers, so that one in the place of another is noticed. Inside the library an enum counts
// from 0 or 1: tables and saved blocks have those numbers. This is where both meet.
#pragma once

#include "capi/common.hpp"
#include "capi/nnpost_study.h"
#include "capi/table.hpp"
#include "lib/diagnostics/convergence.hpp"
#include "lib/diagnostics/statistics.hpp"
#include "lib/diagnostics/thermalization.hpp"
#include "lib/study/exchange.hpp"
#include "lib/study/keep.hpp"
#include "lib/study/multistart.hpp"
#include "lib/study/recipe.hpp"
#include "lib/study/schedule.hpp"
#include "lib/study/study.hpp"

namespace nnp {

// A constant of the headers, and its number inside.
struct NamedConstant {
  int32_t number, inside;
  const char *name;
};
struct Family {
  const char *what;  // one of them is: "an activation"
  const NamedConstant *rows;
  int32_t count;

  constexpr int32_t base() const { return rows[0].number - rows[0].inside; }
};

// Families that have no enum inside.
enum class Phase : int32_t { start = 1, warmup = 2, sampling = 3 };
enum class StoreChoice : int32_t {
  automatic = 0,
  automatic_images = 5
};  // between them: StoreKind
enum class StudySeries : int32_t {
  test = 1,
  gradient = 2,
  rhat = 3,
  rhat_25 = 4,
  rhat_50 = 5,
  rhat_75 = 6,
  rhat_95 = 7
};

template <class Enum>
const Family &family_of();

// The number inside of a constant, if it is one of the family; otherwise a sentence that says what was
// expected, and what the number stands for if it is a constant of another family.
Status find_constant(const Family &family, int32_t number, const char *argument, int32_t *inside,
                     Error *err);

template <class Enum>
Status take(int32_t number, const char *argument, Enum *out, Error *err) {
  int32_t inside = 0;
  NNP_TRY(find_constant(family_of<Enum>(), number, argument, &inside, err));
  *out = static_cast<Enum>(inside);
  return Status::ok;
}
// The number in the headers.
template <class Enum>
int32_t number_of(Enum inside) {
  return family_of<Enum>().base() + static_cast<int32_t>(inside);
}

// Options whose values are constants; null for all others.
const Family *values_of(Option option);
const Family *values_of(StudyOption option);
// Such a value from outside to inside, and back. 0, where the option has it, asks for the default.
Status take_value(const Family *family, const OptionRow &row, double value, double *inside,
                  Error *err);
double value_of(const Family *family, double inside);
// Name, bounds and default as the headers have them. Each pointer may be null.
void tell_option(const OptionRow &row, const Family *family, const char **name, double *low,
                 double *high, double *initial);

}  // namespace nnp

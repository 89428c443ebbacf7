// Constants of the C API. Every family of them (activations, heads, options, …) has separate
// numbers in the headers, so that one used in place of another is noticed. Inside the library an
// enum counts from 0 or 1: tables and saved blocks contain those numbers. This file converts
// between the two.
#pragma once

#include "capi/common.hpp"
#include "capi/nnpost_study.h"
#include "capi/table.hpp"
#include "lib/base/text.hpp"
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

// A constant of the headers, and its number inside the library.
struct NamedConstant {
  int32_t number, inside;
  const char *name;
};
struct Family {
  const char *what;  // with an article: "an activation"
  const NamedConstant *rows;
  int32_t count;

  constexpr int32_t base() const { return rows[0].number - rows[0].inside; }
};

// Families without an enum inside the library.
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

// Finds the number inside the library of a constant, if it belongs to the family; otherwise fails
// with a message that says what was expected and, if the number is a constant of another family,
// which one.
Status find_constant(const Family &family, int32_t number, const char *argument, int32_t *inside,
                     Error *err);

// Is the value one of the family's constants?
bool belongs_to(const Family &family, double value);
// Adds "NNP_A, NNP_B or NNP_C"; if there are many, the first and the last.
void add_names(Text &text, const Family &family);
// Adds all of those that `suits` accepts by their number inside the library.
void add_names(Text &text, const Family &family, bool (*suits)(int32_t inside));
// Adds " (NNP_GAUSSIAN, a head)" if the value is a constant of any family.
void add_meaning(Text &text, double value);

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

// The family of an option whose values are constants; null for other options.
const Family *values_of(Option option);
const Family *values_of(StudyOption option);
// Converts such a value to the number inside the library, and back. 0, if the option has it, means
// the default.
Status take_value(const Family *family, const OptionRow &row, double value, double *inside,
                  Error *err);
double value_of(const Family *family, double inside);
// Name, bounds and default in terms of the headers. Each pointer may be null.
void tell_option(const OptionRow &row, const Family *family, const char **name, double *low,
                 double *high, double *initial);

}  // namespace nnp

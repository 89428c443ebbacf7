#!/bin/bash
# header_test.sh HEADER: the header compiles alone, as strict C99 and as C++17.
set -euo pipefail
strict=(-pedantic -Wall -Wextra -Werror -fsyntax-only)

${CC:-cc} -std=c99 "${strict[@]}" -x c "$1"
${CXX:-c++} -std=c++17 "${strict[@]}" -x c++ "$1"

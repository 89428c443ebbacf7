#!/bin/bash
# header_test.sh HEADER...: each header compiles alone, as strict C99 and as C++17.
set -euo pipefail
strict=(-pedantic -Wall -Wextra -Werror -fsyntax-only)

for header in "$@"; do
    ${CC:-cc} -std=c99 "${strict[@]}" -x c "$header"
    ${CXX:-c++} -std=c++17 "${strict[@]}" -x c++ "$header"
done

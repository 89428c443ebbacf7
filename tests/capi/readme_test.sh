#!/bin/bash
# readme_test.sh README.md HEADER LIBRARY: the first C program of the README compiles as strict C99
# without a warning, and runs.
set -euo pipefail
readme=$1 header=$2 library=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

awk '/^```c$/ { inside = 1; next } /^```$/ && inside { exit } inside' "$readme" >"$scratch/readme.c"
if [ ! -s "$scratch/readme.c" ]; then
    echo "FAIL: no C program in $readme" >&2
    exit 1
fi
${CC:-cc} -std=c99 -pedantic -Wall -Wextra -Werror -I "$(dirname "$header")" \
    "$scratch/readme.c" -o "$scratch/readme" "$library" \
    -Wl,-rpath,"$(dirname "$(realpath "$library")")"
"$scratch/readme" | tee "$scratch/output"
grep -qE '^y\(1\) = (0\.9|1\.0)[0-9]+ \+- 0\.0[0-9]+$' "$scratch/output"

#!/bin/bash
# same_bits_test.sh PROGRAM OTHER: chains at NNP_OPTION_SIMD = 1 have the same bits in two builds.
# PROGRAM is chain_bits.c with this build's core, OTHER with that of -Dsimd=portable -Dblas=none.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$1" >"$scratch/here"
"$2" >"$scratch/portable"
[ "$(wc -l <"$scratch/here")" -ge 10 ] || { echo "FAIL: expected a line per scenario" && exit 1; }
diff -u "$scratch/here" "$scratch/portable"
cat "$scratch/here"

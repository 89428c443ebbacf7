#!/bin/bash
# same_bits_test.sh PROGRAM OTHER: PROGRAM is chain_bits.c with this build's core, OTHER with that of
# -Dsimd=portable -Dblas=none. Chains at NNP_OPTION_SIMD = 1 have the same bits in both. Chains that
# BLAS serves have the same bits for any number of its threads.
set -euo pipefail
program=$1 other=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$program" 1 >"$scratch/here"
"$other" 1 >"$scratch/portable"
[ "$(wc -l <"$scratch/here")" -ge 10 ] || { echo "FAIL: expected a line per scenario" && exit 1; }
diff -u "$scratch/here" "$scratch/portable"

for blas in 0 2; do
    for threads in 1 2 3; do
        if ! OPENBLAS_NUM_THREADS=$threads "$program" 0 $blas >"$scratch/$threads" 2>"$scratch/error"
        then
            grep 'this build has no BLAS' "$scratch/error" && exit 0
            cat "$scratch/error" && exit 1
        fi
        diff -u "$scratch/1" "$scratch/$threads"
    done
done

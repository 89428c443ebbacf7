#!/bin/bash
# same_bits_test.sh PROGRAM OTHER GOLDEN: PROGRAM is chain_bits.c with this build's core, OTHER with
# that of -Dsimd=portable -Dblas=none. Chains at NNP_OPTION_SIMD = 1 have the same bits in both, and
# their draws are those of the file GOLDEN, made before scales could be learned: what networks with
# fixed scales draw does not change. (Functions of libm enter: the file is that of x86-64 with glibc.)
# Chains that BLAS serves have the same bits for any number of its threads.
set -euo pipefail
program=$1 other=$2 golden=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$program" 1 >"$scratch/here"
"$other" 1 >"$scratch/portable"
[ "$(wc -l <"$scratch/here")" -ge 10 ] || { echo "FAIL: expected a line per scenario" && exit 1; }
diff -u "$scratch/here" "$scratch/portable"
if [ "$(uname -sm)" = "Linux x86_64" ]; then
    sed 's/ [0-9a-f]*$//' "$scratch/here" | diff -u "$golden" -
fi

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

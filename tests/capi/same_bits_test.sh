#!/bin/bash
# same_bits_test.sh PROGRAM OTHER EXACT GOLDEN EXACT_GOLDEN: PROGRAM is chain_bits.c with this build's core,
# OTHER with that of -Dsimd=portable -Dblas=none, EXACT with that and -Dmath=own. Chains at NNP_OPTION_SIMD = 1
# have the same bits in the first two; with glibc their draws are those of the file GOLDEN ("none" elsewhere),
# made before scales could be learned: what networks with fixed scales draw does not change. Those of EXACT are
# those of EXACT_GOLDEN on every system and processor. Chains that BLAS serves have the same bits for any number
# of its threads.
set -euo pipefail
program=$1 other=$2 exact=$3 golden=$4 exact_golden=$5
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Programs for another machine run in what the cross file names; those of Windows end lines with two bytes.
run() { ${MESON_EXE_WRAPPER:-} "$@" | tr -d '\r'; }
draws() { sed 's/ [0-9a-f]*$//' "$1"; }

run "$program" 1 >"$scratch/here"
run "$other" 1 >"$scratch/portable"
run "$exact" 1 >"$scratch/exact"
[ "$(wc -l <"$scratch/here")" -ge 10 ] || { echo "FAIL: expected a line per scenario" && exit 1; }
diff -u "$scratch/here" "$scratch/portable"
[ "$golden" = none ] || draws "$scratch/here" | diff -u "$golden" -
draws "$scratch/exact" | diff -u "$exact_golden" -

for blas in 0 2; do
    for threads in 1 2 3; do
        if ! OPENBLAS_NUM_THREADS=$threads run "$program" 0 $blas >"$scratch/$threads" 2>"$scratch/error"
        then
            grep 'this build has no BLAS' "$scratch/error" && exit 0
            cat "$scratch/error" && exit 1
        fi
        diff -u "$scratch/1" "$scratch/$threads"
    done
done

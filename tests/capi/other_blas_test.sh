#!/bin/bash
# other_blas_test.sh PROGRAM OTHER: PROGRAM is saved_chain.c with this build's core, OTHER with that of
# -Dsimd=portable -Dblas=none. A chain that BLAS served goes on only where the same BLAS is.
set -euo pipefail
program=$1 other=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# expect WORDS COMMAND...: COMMAND prints them
expect() {
    local output
    output=$("${@:2}")
    case $output in
        *"$1"*) ;;
        *) echo "FAIL: ${*:2}: expected '$1', got '$output'" && failed=1 ;;
    esac
}
haswell() { OPENBLAS_CORETYPE=Haswell "$@"; }
nehalem() { OPENBLAS_CORETYPE=Nehalem "$@"; }

# Ours, portable: goes on anywhere.
expect NNP_OK "$program" save "$scratch/ours" 1 0
expect NNP_OK "$program" restore "$scratch/ours"
expect NNP_OK "$other" restore "$scratch/ours"
expect 'blas = all: this build has no BLAS' "$other" save "$scratch/none" 1 2

if "$program" save "$scratch/blas" 1 2 | grep -q 'no BLAS'; then exit $failed; fi
expect NNP_OK haswell "$program" save "$scratch/blas" 1 2
expect NNP_OK haswell "$program" restore "$scratch/blas"
expect 'NNP_E_UNSUPPORTED buffer: saved with another BLAS' nehalem "$program" restore "$scratch/blas"
expect 'NNP_OPTION_BLAS = NNP_BLAS_NONE' nehalem "$program" restore "$scratch/blas"
expect 'NNP_E_UNSUPPORTED buffer: saved with dense work done by BLAS' \
    "$other" restore "$scratch/blas"

# Whole calls: one thread of OpenBLAS, or none.
expect NNP_OK env OPENBLAS_NUM_THREADS=1 "$program" save "$scratch/whole" 0 3
expect NNP_OK env OPENBLAS_NUM_THREADS=1 "$program" restore "$scratch/whole"
if [ "$(nproc)" -gt 1 ]; then
    expect 'NNP_E_UNSUPPORTED blas = whole' env OPENBLAS_NUM_THREADS=2 "$program" save "$scratch/two" 0 3
    expect 'NNP_E_UNSUPPORTED blas = whole' env OPENBLAS_NUM_THREADS=2 "$program" restore "$scratch/whole"
fi
exit $failed

#!/bin/bash
# other_blas_test.sh PROGRAM OTHER: PROGRAM is saved_chain.c with this build's core, OTHER with that of
# -Dsimd=portable -Dblas=none. A chain that BLAS served goes on only where the same BLAS is.
set -euo pipefail
program=$1 other=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
# Programs for another machine run in what the cross file names.
run() { ${MESON_EXE_WRAPPER:-} "$@"; }

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
threads() { OPENBLAS_NUM_THREADS=$1 "${@:2}"; }
nehalem() { OPENBLAS_CORETYPE=Nehalem "$@"; }

# Ours, portable: goes on anywhere.
expect NNP_OK run "$program" save "$scratch/ours" 1 0
expect NNP_OK run "$program" restore "$scratch/ours"
expect NNP_OK run "$other" restore "$scratch/ours"
expect 'blas = all: this build has no BLAS' run "$other" save "$scratch/none" 1 2

if run "$program" save "$scratch/blas" 1 2 | grep -q 'no BLAS'; then exit $failed; fi
expect NNP_OK haswell run "$program" save "$scratch/blas" 1 2
expect NNP_OK haswell run "$program" restore "$scratch/blas"
expect 'NNP_E_UNSUPPORTED buffer: saved with another BLAS' nehalem run "$program" restore "$scratch/blas"
expect 'NNP_OPTION_BLAS = NNP_BLAS_NONE' nehalem run "$program" restore "$scratch/blas"
expect 'NNP_E_UNSUPPORTED buffer: saved with dense work done by BLAS' \
    run "$other" restore "$scratch/blas"

# Whole calls: one thread of OpenBLAS, or none.
expect NNP_OK threads 1 run "$program" save "$scratch/whole" 0 3
expect NNP_OK threads 1 run "$program" restore "$scratch/whole"
if [ "$(nproc)" -gt 1 ]; then
    expect 'NNP_E_UNSUPPORTED blas = whole' threads 2 run "$program" save "$scratch/two" 0 3
    expect 'NNP_E_UNSUPPORTED blas = whole' threads 2 run "$program" restore "$scratch/whole"
fi
exit $failed

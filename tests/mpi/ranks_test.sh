#!/bin/bash
# ranks_test.sh MPIRUN PROGRAM: the same bits on 1, 2, 3, 4 ranks with 1 and 2 threads, all at once on
# this machine, as without MPI; and in checked mode.
set -euo pipefail
mpirun=$1 program=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
. "$(dirname "$0")/mpirun.sh"

"$program" >"$scratch/alone"
[ -s "$scratch/alone" ]
check() { # NAME RANKS ARGUMENTS...
    run "$2" "$program" "${@:3}" >"$scratch/$1"
    diff -u --label alone --label "$1" "$scratch/alone" "$scratch/$1"
}
for ranks in 1 2 3 4; do
    for threads in 1 2; do
        check "$ranks ranks, $threads threads" $ranks $threads
    done
done
check "3 ranks, checked" 3 1 1

#!/bin/bash
# steps.sh MPIRUN STEPS: what a step costs on one rank, with two threads and on two ranks, in turn: other
# work on the machine disturbs all of them alike.
set -euo pipefail
# shellcheck disable=SC2034
mpirun=$1
. "$(dirname "$0")/mpirun.sh"
for _ in 1 2 3 4 5; do
    run 1 "$2" 20000 20 1
    run 1 "$2" 20000 20 2
    run 2 "$2" 20000 20 1
done

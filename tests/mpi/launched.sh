#!/bin/bash
# launched.sh MPIRUN RANKS PROGRAM ARGUMENTS...: runs a program that checks itself.
set -euo pipefail
mpirun=$1
. "$(dirname "$0")/mpirun.sh"
run "${@:2}"

#!/bin/bash
# launched.sh [--without] MPIRUN RANKS PROGRAM ARGUMENTS...: runs a program that checks itself, with
# --without where the library's companion for MPI is not to be found.
set -euo pipefail
if [ "$1" = --without ]; then
    export NNPOST_MPI_LIBRARY=/nonexistent/libnnpost_mpi.so
    shift
fi
mpirun=$1
. "$(dirname "$0")/mpirun.sh"
run "${@:2}"

#!/bin/bash
# strangers_test.sh PROGRAM: processes that were started by the launcher of another MPI, and so know
# nothing of each other, say so.
set -euo pipefail
fail() {
    echo "FAIL: $*" >&2
    exit 1
}
for name in OMPI_COMM_WORLD_SIZE PMI_SIZE; do
    if said=$(env "$name=3" "$1" 2>&1); then fail "$name: it ran alone"; fi
    grep -q '3 processes were started, but this one sees no others' <<<"$said" ||
        fail "$name: $said"
done
env OMPI_COMM_WORLD_SIZE=1 "$1" >/dev/null || fail "one process of mpirun"

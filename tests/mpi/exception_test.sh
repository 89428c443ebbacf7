#!/bin/bash
# exception_test.sh MPIRUN PROGRAM ARGUMENTS...: a program one of whose ranks fails while the other waits for
# it ends soon, with a status and the message of the rank that failed.
set -uo pipefail
output=$(timeout 60 "$(dirname "$0")/launched.sh" "$1" 2 "${@:2}" 2>&1)
status=$?
if [ $status -eq 124 ]; then
    echo "FAIL: the job still ran after a minute: $output" && exit 1
elif [ $status -eq 0 ]; then
    echo "FAIL: the job succeeded: $output" && exit 1
fi
grep -q 'what rank 1 could not do' <<<"$output" || { echo "FAIL: no message: $output" && exit 1; }
echo "the job ended with status $status"

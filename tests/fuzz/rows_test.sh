#!/bin/bash
# rows_test.sh SEQUENCE SHARED: every function the library exports has a row in the sequence fuzzer.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$1" --rows | sort >"$scratch/rows"
nm -D --defined-only "$2" | awk 'NF == 3 { print $3 }' | sort -u >"$scratch/exported"
[ -s "$scratch/exported" ]
diff -u --label exported --label "rows of tests/fuzz/sequence.cpp" "$scratch/exported" \
    "$scratch/rows" || {
    echo "FAIL: enter new functions in the table of tests/fuzz/sequence.cpp" >&2
    exit 1
}

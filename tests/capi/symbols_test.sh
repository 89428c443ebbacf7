#!/bin/bash
# symbols_test.sh HEADER SHARED ARCHIVE [SIMD_ARCHIVE...]: what the header and those it includes
# declare is what the shared library exports and what the archive has as globals, no more and no less.
set -euo pipefail
header=$1 shared=$2 archive=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

names() { awk 'NF == 3 { print $3 }' | sort -u; }
compare() {
    diff -u --label header --label "$1" "$scratch/declared" "$scratch/$1" || failed=1
}

${CC:-cc} -E -P -x c "$header" | grep -oE '\bnnp_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u \
    >"$scratch/declared"
[ -s "$scratch/declared" ] || { echo "FAIL: no function found in $header" && failed=1; }
nm -D --defined-only "$shared" | names >"$scratch/shared"
nm -g --defined-only "$archive" | names >"$scratch/archive"
compare shared
compare archive

# MPI is the business of the companion library.
if readelf -d "$shared" | grep NEEDED | grep -i mpi || nm -D "$shared" | grep -E ' P?MPI_'; then
    echo "FAIL: $shared has to do with MPI"
    failed=1
fi

strip -o "$scratch/stripped.so" "$shared"
bytes=$(stat -c %s "$scratch/stripped.so")
echo "stripped shared library: $bytes bytes"
# A guard against bloat, such as code that is compiled once per SIMD level without need.
[ "$bytes" -lt 1700000 ] || { echo "FAIL: expected less than 1700000" && failed=1; }

# An inline function compiled for AVX must not become the one that all other code calls.
for simd in "${@:4}"; do
    case "$simd" in *portable*) continue ;; esac
    if nm --defined-only "$simd" | grep ' [WVu] '; then
        echo "FAIL: $simd shares the inline functions above with code for every machine"
        failed=1
    fi
done
exit $failed

#!/bin/bash
# load_test.sh HEADER COMMAND...: a binding refuses a library of another version. COMMAND gets one
# through NNPOST_LIBRARY and LD_LIBRARY_PATH that has all functions but says it is 9.9.9; it must
# fail and say so.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
header=$1
shift

${CC:-cc} -E -P -x c "$header" | grep -oE '\bnnp_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u |
    grep -vx nnp_version | sed 's/.*/int &(void) { return 99; }/' >"$scratch/other.c"
echo 'const char *nnp_version(void) { return "9.9.9"; }' >>"$scratch/other.c"
${CC:-cc} -shared -fPIC -Wl,-soname,libnnpost.so.0 "$scratch/other.c" -o "$scratch/libnnpost.so.0"
export NNPOST_LIBRARY=$scratch/libnnpost.so.0
if LD_LIBRARY_PATH=$scratch "$@" "$scratch/unused" >"$scratch/log" 2>&1; then
    echo "FAIL: it was taken"
    exit 1
fi
cat "$scratch/log"
grep -q 'has version 9\.9\.9.*expected [0-9]' "$scratch/log"

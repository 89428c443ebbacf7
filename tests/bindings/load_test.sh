#!/bin/bash
# load_test.sh HEADER LIBRARY COMMAND...: a binding refuses a library of another ABI and takes one
# of another version. COMMAND gets them through NNPOST_LIBRARY and LD_LIBRARY_PATH. The first has
# all functions of HEADER and of those it includes, and their version, but says its ABI is 99: COMMAND must fail and say so. The
# second is LIBRARY, but says it is of another version.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
header=$1
library=$2
shift 2
# value NAME: of a constant of the headers
value() { ${CC:-cc} -E -dM -x c "$header" | sed -n "s/^#define $1 \"*\([^\"]*\)\"*$/\1/p"; }
version=$(value NNP_VERSION)
abi=$(value NNP_ABI_VERSION)
name=libnnpost.so.$abi
export NNPOST_LIBRARY=$scratch/$name

run() {
    LD_LIBRARY_PATH=$scratch "$@" "$scratch/unused" >"$scratch/log" 2>&1
}

${CC:-cc} -E -P -x c "$header" | grep -oE '\bnnp_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u |
    grep -vx nnp_version | sed 's/.*/int &(void) { return 99; }/' >"$scratch/other.c"
echo "const char *nnp_version(void) { return \"$version\"; }" >>"$scratch/other.c"
${CC:-cc} -shared -fPIC "-Wl,-soname,$name" "$scratch/other.c" -o "$NNPOST_LIBRARY"
if run "$@"; then
    echo "FAIL: ABI 99 was taken"
    exit 1
fi
cat "$scratch/log"
grep -q "has ABI 99, expected $abi" "$scratch/log"

# as long as the version it replaces, so that nothing in the file moves
other=${version//[0-9]/9}
LC_ALL=C sed "s/${version//./\\.}/$other/g" "$library" >"$NNPOST_LIBRARY"
if ! grep -qaF "$other" "$NNPOST_LIBRARY" || cmp -s "$library" "$NNPOST_LIBRARY"; then
    echo "FAIL: $library does not say that it is $version"
    exit 1
fi
if ! run "$@"; then
    cat "$scratch/log"
    echo "FAIL: version $other was refused"
    exit 1
fi

#!/bin/bash
# abi_test.sh [--renew] STORED LIBRARY HEADER...: the functions of LIBRARY, which has debug information,
# are those of the description STORED, with the same arguments and structs; new ones may be added.
# --renew writes the description anew. The first header has the version.
set -euo pipefail
renew=
if [ "$1" = --renew ]; then
    renew=$1
    shift
fi
stored=$1 library=$2 header=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/headers"
cp "${@:3}" "$scratch/headers/"

command -v abidw >/dev/null || {
    echo "no abidw: install abigail-tools"
    exit 77
}
abidw --exported-interfaces-only --headers-dir "$scratch/headers" --drop-private-types --drop-undefined-syms --no-show-locs \
    --no-corpus-path --no-comp-dir-path --no-elf-needed --no-architecture \
    --type-id-style hash --out-file "$scratch/now.abi" "$library"
grep -q "name='nnp_version'" "$scratch/now.abi" || {
    echo "FAIL: abidw found no functions in $library"
    exit 1
}
if [ "$renew" = --renew ]; then
    cp "$scratch/now.abi" "$stored"
    exit
fi

abidiff "$stored" "$scratch/now.abi" >"$scratch/all" || true
cat "$scratch/all"
if ! abidiff --no-added-syms "$stored" "$scratch/now.abi" >"$scratch/broken"; then
    if [ "$(sed -n 's/^#define NNP_ABI_VERSION //p' "$header")" = 0 ]; then
        echo "FAIL: the ABI has changed. While NNP_ABI_VERSION is 0: run make abi"
    else
        echo "FAIL: programs built against the last release would break: raise NNP_ABI_VERSION"
    fi
    exit 1
fi

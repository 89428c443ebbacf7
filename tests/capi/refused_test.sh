#!/bin/bash
# refused_test.sh SOURCES: Meson refuses to set up a build for a 32-bit processor, in a sentence. (gcc -m32 can
# preprocess where it can link nothing.)
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if ! echo | gcc -m32 -E - >/dev/null 2>&1; then
    echo "skipped: no gcc -m32"
    exit 77
fi
cat >"$scratch/i386.ini" <<'INI'
[binaries]
c = ['gcc', '-m32']
cpp = ['g++', '-m32']
ar = 'ar'
[properties]
skip_sanity_check = true
needs_exe_wrapper = true
[host_machine]
system = 'linux'
cpu_family = 'x86'
cpu = 'i686'
endian = 'little'
INI
if said=$(meson setup "$scratch/build" "$1" --cross-file "$scratch/i386.ini" 2>&1); then
    echo "FAIL: a build for 32 bits was set up" && exit 1
fi
grep -q 'nnpost is for 64-bit processors.*pointers of x86 have 4 bytes' <<<"$said" || { echo "$said" && exit 1; }

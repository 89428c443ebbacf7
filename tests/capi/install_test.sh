#!/bin/bash
# install_test.sh BUILD CONSUMER.c DEBIAN: a C program outside the tree builds against the installed copy
# with nothing but pkg-config, and runs: dynamically linked, and with the static archive. Debian's packages (their
# lists are in DEBIAN) take every file that is installed, and nothing of R is.
set -euo pipefail
build=$1 consumer=$2 debian=$(realpath "$3")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

meson install -C "$build" --no-rebuild --quiet --destdir "$scratch/root"
cp "$consumer" "$scratch/consumer.c"
cd "$scratch"
PKG_CONFIG_PATH=$(dirname "$(find root -name nnpost.pc -printf "$scratch/%p")")
export PKG_CONFIG_PATH
unset LD_LIBRARY_PATH
libdir=$(pkg-config --variable=libdir nnpost)
version=$(pkg-config --modversion nnpost)

fail() {
    echo "FAIL: $*" >&2
    exit 1
}
# compile OUTPUT PKG_CONFIG_ARGUMENT...
compile() {
    local flags
    read -ra flags <<<"$(pkg-config "${@:2}" --cflags --libs nnpost)"
    ${CC:-cc} -std=c99 -Wall -Wextra -Werror consumer.c -o "$1" "${flags[@]}"
}
runs() {
    local output
    output=$("$@") || fail "$*: exit status $?"
    [ "$output" = "$version" ] || fail "$*: expected version $version, not $output"
}
needs_shared() { readelf -d "$1" | grep -q 'NEEDED.*\[libnnpost\.so\.0\]'; }

# Lists name files as they lie under /usr, by patterns; a folder stands for all in it.
prefix=$(dirname "$(dirname "$(find root -name nnpost.h)")")
find "$prefix" ! -type d -printf 'usr/%P\n' | while read -r file; do
    while read -r pattern; do
        # shellcheck disable=SC2053  # it is a pattern
        [[ $file == $pattern || $file == $pattern/* ]] && continue 2
    done < <(cat "$debian"/*.install)
    [[ $file == */python3*/* ]] || fail "$file: expected a list in .ci/debian to have it"
done
[ -z "$(find root -name 'nnpost_*.tar.gz')" ] || fail "expected no R package to be installed"

# Unless it was built without the manual.
if [ -d "$build/capi/manual" ]; then
    for page in share/man/man3/nnp_chain_run.3 share/man/man7/nnpost.7 share/doc/nnpost/html/index.html \
        share/doc/nnpost/examples/quickstart.c share/doc/nnpost/examples/trees.csv; do
        [ -n "$(find root -path "*/$page")" ] || fail "expected $page to be installed"
    done
fi

compile dynamic
needs_shared dynamic || fail "dynamic: expected to need libnnpost.so.0"
runs env LD_LIBRARY_PATH="$libdir" ./dynamic

rm "$libdir"/libnnpost.so*
compile static --static
! needs_shared static || fail "static: expected no need of libnnpost.so.0"
runs ./static

#!/bin/bash
# fortran_run.sh BUILD PROGRAM.f90: compiles a program against an installed copy of the library with
# nothing but pkg-config, and runs it. The sources installed beside it compile without a warning,
# and copy no array on their way.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
meson install -C "$1" --no-rebuild --quiet --destdir "$scratch/root" >/dev/null
pc=$(find "$scratch/root" -name nnpost-fortran.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
sources=$(pkg-config --variable=includedir nnpost-fortran)/nnpost
for level in -O0 -O2; do
    ${FC:-gfortran} -std=f2018 -Wall -Wextra -Werror $level -J "$scratch" -c -o "$scratch/object.o" \
        "$sources/nnpost_c.f90"
    ${FC:-gfortran} -std=f2018 -Wall -Wextra -Werror $level -J "$scratch" -c -o "$scratch/object.o" \
        "$sources/nnpost.f90"
done
read -ra flags <<<"$(pkg-config --cflags --libs nnpost-fortran)"
${FC:-gfortran} -std=f2018 -Wall -Wextra -Werror -J "$scratch" "$2" -o "$scratch/program" \
    "${flags[@]}"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir nnpost) "$scratch/program"
if [[ $(${FC:-gfortran} --version) == GNU* ]]; then
    ${FC:-gfortran} -fcheck=all -J "$scratch" "$sources/nnpost_c.f90" "$sources/nnpost.f90" "$2" \
        -o "$scratch/checked" "${flags[@]}"
    LD_LIBRARY_PATH=$(pkg-config --variable=libdir nnpost) "$scratch/checked" 2>"$scratch/copies" \
        >/dev/null
    if grep "nnpost.f90" "$scratch/copies"; then
        echo "FAIL: an array is copied there"
        exit 1
    fi
fi

#!/bin/bash
# fortran_run.sh BUILD PROGRAM.f90: compiles a program against an installed copy of the library with
# nothing but pkg-config, and runs it.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
meson install -C "$1" --no-rebuild --quiet --destdir "$scratch/root" >/dev/null
pc=$(find "$scratch/root" -name nnpost-fortran.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
read -ra flags <<<"$(pkg-config --cflags --libs nnpost-fortran)"
${FC:-gfortran} -std=f2018 -Wall -Wextra -Werror -J "$scratch" "$2" -o "$scratch/program" \
    "${flags[@]}"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir nnpost) "$scratch/program"

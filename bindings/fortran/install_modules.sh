#!/bin/sh
# install_modules.sh FROM TO: installs the .mod files the compiler left in FROM.
set -eu
target=$MESON_INSTALL_DESTDIR_PREFIX/$2
mkdir -p "$target"
for module in nnpost nnpost_c nnpost_mpi; do
    install -m 644 "$1/$module.mod" "$target"
done

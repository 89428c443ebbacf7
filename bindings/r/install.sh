#!/bin/sh
# install.sh TARBALL LIBRARY LOG: installs the source package as a user would, from the tarball
# alone. What R says of it is in LOG.
set -eu
mkdir -p "$2"
unset NNPOST_ARCHIVE NNPOST_LIBS
if ! MAKEFLAGS="${MAKEFLAGS:--j2}" R CMD INSTALL --no-lock --library="$2" "$1" >"$3.part" 2>&1; then
    cat "$3.part" >&2
    exit 1
fi
mv "$3.part" "$3"

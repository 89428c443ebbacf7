#!/bin/bash
# check_r.sh TARBALL LIBRARY LOG: R CMD check --as-cran of the source package, which was installed
# into LIBRARY with what is in LOG; nothing is asked of the network. Errors and warnings fail.
set -uo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tarball=$(realpath "$1")
library=$(realpath "$2")
log=$(realpath "$3")
unset NOT_CRAN
export _R_CHECK_CRAN_INCOMING_=FALSE _R_CHECK_CRAN_INCOMING_REMOTE_=FALSE _R_CHECK_SYSTEM_CLOCK_=0
export _R_CHECK_FORCE_SUGGESTS_=false R_LIBS="$library"
cd "$scratch" || exit
R CMD check --as-cran --no-manual --install="check:$log" --library="$library" "$tarball"
status=$?
for output in nnpost.Rcheck/tests/*.fail; do
    [ -f "$output" ] && tail -n 100 "$output"
done
[ $status -eq 0 ] && ! grep -E '^Status: .*(ERROR|WARNING)' nnpost.Rcheck/00check.log

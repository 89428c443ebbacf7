#!/bin/bash
# check_r.sh TARBALL ARCHIVE [LIBS]: R CMD check --as-cran of the source package; nothing is asked of
# the network. Errors and warnings fail. (It is linked with ARCHIVE and what that needs, which saves
# compiling the core: that the package compiles alone is another test's.)
set -uo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tarball=$(realpath "$1")
NNPOST_ARCHIVE=$(realpath "$2")
NNPOST_LIBS=${3:-}
unset NOT_CRAN
export NNPOST_ARCHIVE NNPOST_LIBS _R_CHECK_FORCE_SUGGESTS_=false _R_CHECK_SYSTEM_CLOCK_=0
export _R_CHECK_CRAN_INCOMING_=FALSE _R_CHECK_CRAN_INCOMING_REMOTE_=FALSE
cd "$scratch" || exit
R CMD check --as-cran --no-manual "$tarball"
status=$?
for output in nnpost.Rcheck/00install.out nnpost.Rcheck/tests/*.fail; do
    [ $status -ne 0 ] && [ -f "$output" ] && tail -n 100 "$output"
done
[ $status -eq 0 ] && ! grep -E '^Status: .*(ERROR|WARNING)' nnpost.Rcheck/00check.log

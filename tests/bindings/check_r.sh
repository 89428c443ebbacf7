#!/bin/bash
# check_r.sh TARBALL [ARCHIVE [LIBS]]: R CMD check --as-cran of the source package; nothing is asked of the network.
# Errors and warnings fail. With ARCHIVE, it is linked with that and what it needs (LIBS), which saves compiling the
# core. With CRAN=1 (`make r-check`), the manual is made, too, which needs TeX, and all notes fail but that of a new
# submission.
set -uo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tarball=$(realpath "$1")
if [ $# -gt 1 ]; then
    NNPOST_ARCHIVE=$(realpath "$2")
    NNPOST_LIBS=${3:-}
    export NNPOST_ARCHIVE NNPOST_LIBS
fi
unset NOT_CRAN
options=(--no-manual)
if [ "${CRAN:-0}" = 1 ]; then
    options=()
    # The manual's usual fonts take half a gigabyte (texlive-fonts-extra).
    export R_RD4PDF=times,hyper _R_CHECK_CRAN_INCOMING_=TRUE
    export _R_CHECK_EXAMPLE_TIMING_THRESHOLD_=60  # on the wall: other processes count, too
else
    export _R_CHECK_CRAN_INCOMING_=FALSE
fi
export _R_CHECK_FORCE_SUGGESTS_=false _R_CHECK_SYSTEM_CLOCK_=0 _R_CHECK_CRAN_INCOMING_REMOTE_=FALSE
cd "$scratch" || exit
R CMD check --as-cran "${options[@]}" "$tarball"
status=$?
for output in nnpost.Rcheck/00install.out nnpost.Rcheck/tests/*.fail; do
    [ $status -ne 0 ] && [ -f "$output" ] && tail -n 100 "$output"
done
[ $status -eq 0 ] || exit
! grep -E '^Status: .*(ERROR|WARNING)' nnpost.Rcheck/00check.log || exit 1
[ "${CRAN:-0}" = 1 ] || exit 0
notes=$(grep -E '\.\.\..* NOTE$' nnpost.Rcheck/00check.log | grep -v 'checking CRAN incoming feasibility')
[ -z "$notes" ] || { echo "FAIL: expected no note but that of a new submission: $notes" && exit 1; }

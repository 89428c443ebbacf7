#!/bin/sh
# package.sh FOLDER TARBALL ARCHIVE [LIBS]: the source package, in FOLDER. Nothing is done if nothing has
# changed. The vignette needs the package to run: it is linked with ARCHIVE and what that needs for
# that, which saves compiling the core.
set -eu
folder=$1 tarball=$2 libs=${4:-}
archive=$(realpath "$3")
changed=$("$(dirname "$0")/bundle" "$folder")
[ -n "$changed" ] || [ ! -f "$tarball" ] || exit 0
rm -f "$tarball"
options=
if ! Rscript --vanilla -e 'stopifnot(requireNamespace("knitr"), requireNamespace("markdown"))' \
    >/dev/null 2>&1; then
    echo "R has no packages knitr and markdown: the package is made without its vignette" >&2
    options=--no-build-vignettes
fi
cd "$folder"
# shellcheck disable=SC2086
NNPOST_ARCHIVE=$archive NNPOST_LIBS=$libs R CMD build $options nnpost

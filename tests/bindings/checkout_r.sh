#!/bin/bash
# checkout_r.sh FOLDER: R CMD INSTALL of the R package as it lies in a checkout, without the core,
# ends with a sentence that says what to do.
set -uo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/library"
cp -r "$1" "$scratch/r"
rm -rf "$scratch/r/src/core"
said=$(R CMD INSTALL --library="$scratch/library" "$scratch/r" 2>&1)
status=$?
[ $status -ne 0 ] && grep -q "make r-package" <<<"$said" && exit 0
echo "$said"
exit 1

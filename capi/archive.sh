#!/bin/sh
# archive.sh LD OBJCOPY AR INPUT.a OUTPUT.a: the same code as one object whose only globals are nnp_*.
set -eu
ld=$1 objcopy=$2 ar=$3 input=$4 output=$5
object=$output.o

# Groups (of inline functions) are resolved here: a later link must not merge them with another's.
"$ld" -r --force-group-allocation --whole-archive "$input" -o "$object"
"$objcopy" --wildcard --keep-global-symbol='nnp_*' "$object"
rm -f "$output"
"$ar" rcsD "$output" "$object"
rm -f "$object"

#!/bin/bash
# tabular_test.sh TABULAR: a small table is fitted, scored and drawn; results do not depend on
# threads; what is wrong with a file is named.
set -euo pipefail
tabular=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

python3 - <<'PY'
import math, random
random.seed(1)
with open("small.csv", "w") as file:
    file.write("id,a,b,y,same\n")
    for i in range(80):
        a, b = random.gauss(0, 1), random.gauss(50, 10)
        file.write(f"{i},{a},{b},{100 + 5 * math.sin(a) + 0.1 * b + random.gauss(0, 0.3)},3\n")
PY

few=(--target y --drop id --chains 2 --warmup 30 --draws 30)
"$tabular" small.csv "${few[@]}" --picture small.svg --line table.md >one 2>warned
"$tabular" small.csv "${few[@]}" --threads 2 >two 2>/dev/null
grep -q "column 2 is constant" warned
grep -q "3 inputs, target 'y', 64 training and 16 test rows" one
grep -q "R-hat" one
diff <(grep -v "core seconds" one) <(grep -v "core seconds" two)
awk '/^RMSE/ { exit !($2 < 0.5) }' one
grep -q "^| small.csv | nnpost | 64 | 0\." table.md
grep -q "</svg>" small.svg
[ "$(grep -c "<circle" small.svg)" -eq 19 ]
"$tabular" small.csv "${few[@]}" --head location_scale >/dev/null 2>&1

refused() { # WORDS, ARGUMENTS…
    if "$tabular" "${@:2}" >/dev/null 2>sentence; then
        echo "not refused: ${*:2}"
        exit 1
    fi
    grep -q -- "$1" sentence || { cat sentence && exit 1; }
}
refused "no column 'z'" small.csv --target z
refused "No such file" none.csv
refused "whole number from 1 on" small.csv --chains 0
refused "between 0 and 1" small.csv --test 1.5
refused "expected gaussian" small.csv --head argmax
"$tabular" --help | grep -q -- "--target NAME"
refused "no such option" small.csv --colour red
echo "a,b" >two.csv && echo "1,2" >>two.csv
refused "too few rows" two.csv

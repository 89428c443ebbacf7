#!/bin/bash
# figures_test.sh FIGURE1 FIGURE2 FIGURE3 RESULTS: shortened figures on a few rows of made-up digits
# write their files, the results are put together from them, and results do not depend on threads.
set -euo pipefail
figure1=$(realpath "$1") figure2=$(realpath "$2") figure3=$(realpath "$3") results=$(realpath "$4")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# Digit k has a bright square at a place of its own, and noise.
python3 - <<'PY'
import random, struct
random.seed(1)
for name, count in (("train", 200), ("t10k", 100)):
    labels = [i % 10 for i in range(count)]
    with open(f"{name}-labels-idx1-ubyte", "wb") as f:
        f.write(struct.pack(">II", 0x801, count) + bytes(labels))
    with open(f"{name}-images-idx3-ubyte", "wb") as f:
        f.write(struct.pack(">IIII", 0x803, count, 28, 28))
        for k in labels:
            top, left = 2 + 12 * (k // 5), 1 + 5 * (k % 5)
            for y in range(28):
                f.write(bytes(
                    200 if top <= y < top + 8 and left <= x < left + 4 else random.randrange(60)
                    for x in range(28)))
PY

"$figure1" --budget 600 --out out
"$figure2" --budget 200 --seeds 2 --noises 1e-2,1e-3 --out out
"$figure3" --budget 40 --data . --out out
"$results" --out out >RESULTS.md

for file in figure1.csv figure1_rhat.csv figure1_criteria.csv figure2.csv figure2_race.csv figure3.csv; do
    grep -q '^# nnpost [0-9]' "out/$file" || {
        echo "FAIL: out/$file does not say how it was made" >&2
        exit 1
    }
    [ "$(grep -vc '^#' "out/$file")" -gt 3 ] || {
        echo "FAIL: out/$file has no rows" >&2
        exit 1
    }
done
if command -v gnuplot >/dev/null; then
    for name in figure1 figure4 figure2 figure3; do
        grep -q '<svg' "out/$name.svg"
        head -c 4 "out/$name.png" | grep -q PNG
    done
else
    echo "no gnuplot: pictures are not tested"
fi
grep -q '| quantity | paper | ours | ratio |' RESULTS.md
if grep -nE '/(home|tmp|root|usr)/|20[0-9][0-9]-' RESULTS.md; then
    echo "FAIL: RESULTS.md has a path or a date" >&2
    exit 1
fi

"$figure2" --budget 200 --seeds 2 --noises 1e-2,1e-3 --threads 1 --out alone >/dev/null 2>&1
cmp out/figure2.csv alone/figure2.csv
cmp out/figure2_race.csv alone/figure2_race.csv

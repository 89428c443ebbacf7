#!/bin/bash
# steps.sh MPIRUN STEPS: how much more work two ranks do than one, with rows and with chains spread over
# them, and what a step with rows over two ranks takes beside one of two threads. In turn, the best of
# ROUNDS (3): other work on the machine disturbs all of them alike. Fails where ranks are slower than
# they should be.
set -euo pipefail
# shellcheck disable=SC2034
mpirun=$1 steps=$2
. "$(dirname "$0")/mpirun.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for _ in $(seq "${ROUNDS:-3}"); do
    for kind in rows chains; do
        for shape in "1 1" "1 2" "2 1"; do # ranks, threads
            read -r ranks threads <<<"$shape"
            run "$ranks" "$steps" $kind "$threads" | tee -a "$scratch/$kind-$ranks-$threads"
        done
    done
done
best() { sort -g "$scratch/$1" | head -n 1 | cut -d ' ' -f 1; }
verdict() { # WHAT A B at-least|at-most LIMIT: A over B
    awk -v what="$1" -v a="$2" -v b="$3" -v how="$4" -v limit="$5" 'BEGIN {
        ratio = a / b
        good = how == "at-least" ? ratio >= limit : ratio <= limit
        printf "%s: %.2f (%s %s)%s\n", what, ratio, how, limit, good ? "" : ": MISSED"
        exit !good
    }'
}
missed=0
verdict "two ranks, rows: times the work of one" "$(best rows-1-1)" "$(best rows-2-1)" at-least 1.8 || missed=1
verdict "two ranks, chains: times the work of one" "$(best chains-1-1)" "$(best chains-2-1)" at-least 1.8 || missed=1
verdict "rows on two ranks: time beside two threads" "$(best rows-2-1)" "$(best rows-1-2)" at-most 1.1 || missed=1
exit $missed

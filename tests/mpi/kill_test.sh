#!/bin/bash
# kill_test.sh MPIRUN PROGRAM: a job (chains_job or rows_job) one of whose ranks is killed
# (SIGKILL) at KILLS (three) random moments ends within seconds with a message, and continues from its
# checkpoint, each time with another number of ranks, to the draws of an undisturbed run. Every few kills the
# job is run to its end and starts anew.
set -euo pipefail
mpirun=$1 program=$(realpath "$2")
. "$(dirname "$0")/mpirun.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
RANDOM=5
draws=${DRAWS:-200}
arguments=(--chains 5 --draws "$draws")

fail() {
    echo "FAIL: $*" >&2
    exit 1
}
# Counted in naps: a machine that stops everything for a while stops them, too.
has_ended() { # JOB within 10 seconds
    for _ in $(seq 100); do
        kill -0 "$1" 2>/dev/null || return 0
        sleep 0.1
    done
    kill "$1"
    return 1
}
# Ranks of this test's own job, by the checkpoint they were given.
ranks_of() { pgrep -f -- "^$program .*--checkpoint $1\$" || true; }

begin=$(date +%s%N)
"$program" "${arguments[@]}" >"$scratch/alone"
whole=$((($(date +%s%N) - begin) / 1000)) # microseconds
kills=${KILLS:-3} killed=0 jobs=0 resumed=0 compared=0
compare() { # OUTPUT of a job that was run to its end; its checkpoint is of no more use
    cmp <(tail -n 1 "$scratch/alone") <(tail -n 1 "$1") || fail "other results: $(cat "$1")"
    compared=$((compared + 1))
    rm -f "$scratch/checkpoint"
}
to_the_end() { # RANKS: from the checkpoint
    run "$1" "$program" "${arguments[@]}" --checkpoint "$scratch/checkpoint" >"$scratch/last"
    compare "$scratch/last"
}
while [ $killed -lt "$kills" ]; do
    jobs=$((jobs + 1))
    [ $jobs -le $((4 * kills)) ] || fail "only $killed of $jobs jobs were still there to be killed"
    ranks=$((2 + jobs % 3))
    [ $((jobs % 6)) -ne 0 ] || to_the_end $((1 + jobs / 6 % 4))
    run $ranks "$program" "${arguments[@]}" --checkpoint "$scratch/checkpoint" \
        >"$scratch/out" 2>"$scratch/err" &
    job=$!
    until [ "$(ranks_of "$scratch/checkpoint" | wc -l)" -ge $ranks ] || ! kill -0 $job 2>/dev/null; do
        sleep 0.02
    done
    moment=$((RANDOM % 1000 * whole / 1500))
    sleep "$((moment / 1000000)).$(printf %06d $((moment % 1000000)))"
    victim=$(ranks_of "$scratch/checkpoint" | shuf -n 1 --random-source=<(yes $jobs))
    if [ -n "$victim" ] && kill -KILL "$victim" 2>/dev/null; then
        status=0
        has_ended $job || fail "the job went on for long without rank $victim"
        wait $job || status=$?
        if [ $status -ne 0 ]; then
            [ -s "$scratch/err" ] || grep -qv 'continues after' "$scratch/out" ||
                fail "the job ended without a message"
            killed=$((killed + 1))
            if grep -q 'continues after' "$scratch/out"; then resumed=$((resumed + 1)); fi
        else
            compare "$scratch/out"
        fi
    else
        wait $job || fail "$(cat "$scratch/err")"
        compare "$scratch/out"
    fi
done
to_the_end 3
[ "$kills" -lt 20 ] || [ $resumed -ge $((kills / 4)) ] || fail "only $resumed jobs had a checkpoint"
echo "$killed ranks killed in $jobs jobs, $resumed of them on their way from a checkpoint; $compared jobs ran to" \
    "their end, with the same results"

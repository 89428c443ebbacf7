#!/bin/bash
# resume_test.sh FIGURE2: a run killed at ten random moments and started again gives the files of an
# undisturbed one, bit for bit; one ended by Ctrl-C writes what there is and goes on.
set -euo pipefail
figure2=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
files=(figure2.csv figure2_race.csv)
RANDOM=7 # moments that do not change from run to run, as far as the machine allows

become() { # OUT: in place of the shell, so that signals to the shell's child reach it
    exec "$figure2" --budget 2000 --seeds 4 --noises 1e-2 --checkpoint 0.02 --threads 1 --out "$1"
}
run() { (become "$1"); }

begin=$(date +%s%N)
run "$scratch/whole" >"$scratch/log" 2>&1
whole=$((($(date +%s%N) - begin) / 1000)) # microseconds

killed=0
for _ in 1 2 3 4 5 6 7 8 9 10; do
    become "$scratch/killed" >>"$scratch/log" 2>&1 &
    child=$!
    # up to a sixth of the whole each, so that ten of them do not get to the end
    moment=$((RANDOM % 1000 * whole / 6000))
    sleep "$((moment / 1000000)).$(printf %06d $((moment % 1000000)))"
    if kill -KILL $child 2>/dev/null; then killed=$((killed + 1)); fi
    wait $child 2>/dev/null || true
done
[ $killed -ge 8 ] || {
    echo "FAIL: only $killed of ten runs were still there to be killed" >&2
    exit 1
}
run "$scratch/killed" >"$scratch/last" 2>&1
grep -q 'goes on behind' "$scratch/last" || {
    echo "FAIL: the last run did not go on from a checkpoint" >&2
    exit 1
}

become "$scratch/stopped" >>"$scratch/log" 2>&1 &
child=$!
sleep 0.4
kill -INT $child 2>/dev/null || true
wait $child || {
    echo "FAIL: a run that was asked to end failed" >&2
    exit 1
}
[ -s "$scratch/stopped/figure2_race.csv" ] || {
    echo "FAIL: a run that was asked to end wrote nothing" >&2
    exit 1
}
run "$scratch/stopped" >>"$scratch/log" 2>&1

for folder in killed stopped; do
    for file in "${files[@]}"; do
        cmp "$scratch/whole/$file" "$scratch/$folder/$file"
    done
done
echo "$killed runs killed, one stopped: the same files"

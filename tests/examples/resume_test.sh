#!/bin/bash
# resume_test.sh FIGURE2: a run (of BUDGET steps) killed at KILLS (eight) or a few more random moments and
# started again gives the files of an undisturbed one, bit for bit; one ended by Ctrl-C writes what there is
# and goes on; damaged checkpoints are kept aside.
set -euo pipefail
figure2=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
files=(figure2.csv figure2_race.csv)
RANDOM=7 # moments that do not change from run to run, as far as the machine allows

become() { # OUT: in place of the shell, so that signals to the shell's child reach it
    exec "$figure2" --budget "${BUDGET:-2000}" --seeds 4 --noises 1e-2 --checkpoint 0.02 --threads 1 --out "$1"
}
run() { (become "$1"); }

measure() { # OUT: a whole run there; how long it takes, in microseconds
    local begin
    begin=$(date +%s%N)
    run "$1" >"$scratch/log" 2>&1
    whole=$((($(date +%s%N) - begin) / 1000))
}
measure "$scratch/whole"

kills=${KILLS:-8} killed=0 rounds=0 slow=0 resumed=0
while :; do
    rounds=$((rounds + 1))
    rm -rf "$scratch/killed"
    left=0
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        become "$scratch/killed" >>"$scratch/log" 2>&1 &
        child=$!
        # up to a sixth of the whole each, so that ten of them do not get to the end
        moment=$((RANDOM % 1000 * whole / 6000))
        sleep "$((moment / 1000000)).$(printf %06d $((moment % 1000000)))"
        if kill -KILL $child 2>/dev/null; then left=$((left + 1)); fi
        wait $child 2>/dev/null || true
    done
    killed=$((killed + left))
    if [ $left -lt 8 ]; then # the machine was slower when the whole run was timed
        slow=$((slow + 1))
        [ $slow -le $((1 + rounds / 4)) ] || {
            echo "FAIL: only $left of ten runs were still there to be killed" >&2
            exit 1
        }
        rm -rf "$scratch/again"
        measure "$scratch/again"
    fi
    run "$scratch/killed" >"$scratch/last" 2>&1
    if grep -q 'continues after' "$scratch/last"; then resumed=$((resumed + 1)); fi
    [ $resumed -ge $(((3 * (rounds - slow) + 3) / 4)) ] || {
        echo "FAIL: in only $resumed of $rounds rounds the last run went on from a checkpoint" >&2
        exit 1
    }
    for file in "${files[@]}"; do
        cmp "$scratch/whole/$file" "$scratch/killed/$file"
    done
    [ "$killed" -lt "$kills" ] || break
done

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

for file in "${files[@]}"; do
    cmp "$scratch/whole/$file" "$scratch/stopped/$file"
done

# A checkpoint that was torn, or whose sizes are wrong, is kept aside with a word, and the run starts
# over. (The size of the results is at byte 16, in eight bytes.)
kept="$scratch/whole/figure2.checkpoint"
damage() { # NAME: damages the file on standard input
    case "$1" in
        torn) head -c 1000 ;;
        flipped) cat >"$scratch/copy" && printf '\x80' |
            dd of="$scratch/copy" bs=1 seek=22 conv=notrunc status=none && cat "$scratch/copy" ;;
        endless) cat >"$scratch/copy" && printf '\xff\xff\xff\xff\xff\xff\xff\xff' |
            dd of="$scratch/copy" bs=1 seek=16 conv=notrunc status=none && cat "$scratch/copy" ;;
    esac
}
mkdir "$scratch/damaged"
number=
for how in torn flipped endless; do
    damage $how <"$kept" >"$scratch/$how"
    cp "$scratch/$how" "$scratch/damaged/figure2.checkpoint"
    run "$scratch/damaged" >"$scratch/said" 2>&1 || {
        cat "$scratch/said" >&2
        echo "FAIL: a run beside a checkpoint that was $how failed" >&2
        exit 1
    }
    grep -q "bytes of results, the file has .* It is kept as .*figure2.checkpoint.refused$number;" \
        "$scratch/said" || {
        cat "$scratch/said" >&2
        echo "FAIL: nothing was said of a checkpoint that was $how" >&2
        exit 1
    }
    cmp "$scratch/$how" "$scratch/damaged/figure2.checkpoint.refused$number"
    for file in "${files[@]}"; do
        cmp "$scratch/whole/$file" "$scratch/damaged/$file"
    done
    number=.$((${number#.} + 1))
done
echo "$killed runs killed in $rounds rounds, $resumed of which ended from a checkpoint; one stopped, three checkpoints damaged: the same files"

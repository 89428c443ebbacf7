#!/bin/bash
# faults_test.sh FAULTS FIGURE2 [MOST]: the k-th fopen, fwrite, fflush, fsync, fclose, rename, malloc,
# aligned_alloc or pthread_create of a run with checkpoints fails, for all k up to MOST (4); the
# run ends with a word, or goes on where it can; started again in the same folder it gives the files
# of an undisturbed one. Then the same on a full disk, where one can be made.
set -euo pipefail
faults=$(realpath "$1") figure2=$(realpath "$2") most=${3:-4}
scratch=$(mktemp -d)
trap 'umount "$scratch/small" 2>/dev/null || true; rm -rf "$scratch"' EXIT
files=(figure2.csv figure2_race.csv)

run() { # OUT
    "$figure2" --budget 200 --seeds 1 --noises 1e-2 --checkpoint 0.01 --methods gibbs,hmc --threads 2 --out "$1"
}
fail() {
    cat "$scratch/said" >&2
    echo "FAIL: $*" >&2
    exit 1
}
same() { # OUT
    for file in "${files[@]}"; do cmp "$scratch/whole/$file" "$1/$file" || fail "$2"; done
}

run "$scratch/whole" >"$scratch/said" 2>&1 || fail "an undisturbed run failed"

# 0 if the fault was reached.
disturbed() { # FUNCTION NUMBER
    local out="$scratch/out" status=0
    rm -rf "$out"
    NNPOST_FAULT="$1 $2" LD_PRELOAD=$faults run "$out" >"$scratch/said" 2>&1 || status=$?
    grep -q '^fault: ' "$scratch/said" || return 1
    [ $status -le 1 ] || fail "$1 number $2 failed, and the run ended with status $status"
    if [ $status -eq 1 ]; then
        [ "$(grep -vc '^fault: ' "$scratch/said")" -gt 0 ] || fail "nothing was said of $1 number $2"
        run "$out" >"$scratch/said" 2>&1 || fail "a run after $1 number $2 had failed"
    fi
    same "$out" "after $1 number $2 had failed, the files differ"
    reached=$((reached + 1))
}

reached=0
for function in fopen fwrite fflush fsync fclose rename aligned_alloc pthread_create; do
    before=$reached
    for ((k = 1; k <= most; ++k)); do disturbed $function $k || break; done
    [ $reached -gt "$before" ] || fail "$function was never called"
done
step=$((most > 100 ? 1 : 5)) # all of them where there is time
for ((k = 1; k <= 6 * most; k += step)); do disturbed malloc $k || break; done
echo "$reached faults: the same files"

mkdir "$scratch/small"
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=8k none "$scratch/small" 2>/dev/null; then
    status=0
    run "$scratch/small/out" >"$scratch/said" 2>&1 || status=$?
    [ $status -eq 1 ] || fail "a run on a full disk ended with status $status"
    grep -qi 'no space' "$scratch/said" || fail "nothing was said of a full disk"
    mount -o remount,size=4m "$scratch/small"
    run "$scratch/small/out" >"$scratch/said" 2>&1 || fail "a run after a full disk"
    same "$scratch/small/out" "after a full disk the files differ"
    echo "a full disk: the same files"
else
    echo "no small disk can be mounted here: not tested"
fi

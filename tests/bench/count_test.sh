#!/bin/bash
# count_test.sh PLUGIN.c PROGRAM PLAIN: counts the instructions of a Gibbs step for 64-bit ARM, under qemu. PROGRAM is
# count_steps.c with this build's library; in PLAIN the portable level has no SIMD instructions, as it would be on a
# processor that has none. A step at the NEON level takes at most half of the instructions of a plain one, and at most
# the percentage below of one at the portable level of PROGRAM. Compilers make NEON instructions of that level, too,
# but none that fuse: so products take half of the instructions. Draws have the same bits at every level and may not
# fuse: random words take 65 % and normals 73 %, since NEON has neither products of 64-bit lanes nor loads from a table
# by lane.
set -euo pipefail
plugin=$1 program=$2 plain=$3
if ! qemu-aarch64 -help 2>/dev/null | grep -q -e '-plugin'; then
    echo "skipped: no qemu-aarch64 with plugins (Debian: qemu-user)"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Meson puts the other machine's assembler in front.
PATH=/usr/local/bin:/usr/bin:/bin cc -std=c99 -shared -fPIC -o "$scratch/libcount.so" "$plugin"

# instructions PROGRAM NETWORK LEVEL STEPS
instructions() {
    qemu-aarch64 -L /usr/aarch64-linux-gnu -plugin "$scratch/libcount.so" -d plugin "$@" 2>&1 |
        sed -n 's/^instructions: //p'
}
# step PROGRAM NETWORK LEVEL: by a longer and a shorter run
step() { echo $((($(instructions "$@" 15) - $(instructions "$@" 5)) / 10)); }

failed=0
for limit in paper=54 classes=46 deep=58; do
    network=${limit%=*}
    neon=$(step "$program" $network 4)
    portable=$(step "$program" $network 1)
    without=$(step "$plain" $network 1)
    echo "$network: $neon instructions a step at NEON, $portable at portable, $without without SIMD"
    [ "$neon" -gt 0 ] && [ $((2 * neon)) -le "$without" ] &&
        [ $((100 * neon)) -le $((${limit#*=} * portable)) ] || failed=1
done
[ $failed -eq 0 ] || echo "FAIL: expected at most half of the instructions without SIMD, and the percentages of portable above"
exit $failed

# core.sh COMPILER FLAGS AR: prints a makefile for the core, by which each of its files is compiled
# as it must be: those of a SIMD level with what that level needs, if the compiler knows it. The best
# level the processor has is chosen at run time.
#
#   NNPOST_SIMD       the highest level to compile in: auto (default), avx512, avx2, neon,
#                     portable
#   NNPOST_ARCHIVE    a libnnpost.a of the same version, to be linked instead of compiling the core
#   NNPOST_LIBS       the libraries that archive needs
set -eu
compiler=$1 flags=$2 ar=$3

if [ -n "${NNPOST_ARCHIVE:-}" ]; then
    printf 'libcore.a: %s\n\tcp %s $@\n' "$NNPOST_ARCHIVE" "$NNPOST_ARCHIVE"
    exit 0
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# accepts CONDITION FLAGS...: does the compiler take the flags, and does the preprocessor's condition hold?
accepts() {
    printf '#if !(%s)\n#error\n#endif\n' "$1" >"$scratch/try.cpp"
    shift
    # shellcheck disable=SC2086
    $compiler -Werror "$@" -c "$scratch/try.cpp" -o "$scratch/try.o" >/dev/null 2>&1
}

wanted=${NNPOST_SIMD:-auto}
case $wanted in
    auto | avx512 | avx2 | neon | portable) ;;
    *)
        echo "NNPOST_SIMD = $wanted: expected auto, avx512, avx2, neon or portable" >&2
        exit 1
        ;;
esac
# GCC is told of a level by pragmas: flags for processors are not portable, says R CMD check.
if accepts 'defined(__GNUC__) && !defined(__clang__)'; then
    avx2=-DNNP_TARGETS_BY_PRAGMA=1
    avx512=$avx2
else
    avx2='-mavx2 -mfma'
    avx512="$avx2 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512"
fi
# Stacks of Windows are aligned to 16 bytes, and GCC (bug 54412) takes them for more.
if accepts 'defined(_WIN32)'; then
    avx2="$avx2 -Wa,-muse-unaligned-vector-move"
    avx512="$avx512 -Wa,-muse-unaligned-vector-move"
fi
# Draws have the same bits on every machine: nothing but products may fuse (core/fused.txt).
# Debug information, which R's own flags may ask for, would be most of the package.
common='-O3 -g0 -fvisibility=hidden -fvisibility-inlines-hidden -fno-exceptions'
common="$common -fno-math-errno -fno-trapping-math -ffp-contract=off -I. -DNDEBUG -DNNP_THREADS=1 -DNNP_STATIC=1"
# BLAS and LAPACK are those of R, by their Fortran names.
common="$common -DNNP_BLAS=1 -DNNP_BLAS_FORTRAN=1"
accepts 1 -fno-gnu-unique && common="$common -fno-gnu-unique"
# glibc's functions, or else our own, which have the same bits on every machine (lib/base/functions.hpp).
printf '#include <stdlib.h>\n#ifndef __GLIBC__\n#error\n#endif\n' >"$scratch/libm.cpp"
# shellcheck disable=SC2086
$compiler -c "$scratch/libm.cpp" -o "$scratch/libm.o" >/dev/null 2>&1 ||
    common="$common -DNNP_OWN_MATH=1"
levels=portable
if [ "$wanted" != portable ] && accepts 'defined(__aarch64__)'; then
    levels="$levels neon"
    common="$common -DNNP_HAVE_NEON=1"
fi
# shellcheck disable=SC2086
if [ "$wanted" != portable ] && accepts 'defined(__x86_64__)' $avx2; then
    levels="$levels avx2"
    common="$common -DNNP_HAVE_AVX2=1"
    if [ "$wanted" != avx2 ] && accepts 'defined(__x86_64__)' $avx512; then
        levels="$levels avx512"
        common="$common -DNNP_HAVE_AVX512=1"
    fi
fi
echo "SIMD levels: $levels" >&2

# rule SOURCE FLAGS
rule() {
    object=${1%.cpp}.o
    objects="$objects $object"
    printf '%s: %s\n\t%s %s %s %s -c %s -o %s\n' "$object" "$1" "$compiler" "$flags" "$common" "$2" \
        "$1" "$object"
}
# sources PATTERN: in a fixed order
sources() {
    (cd core && find lib capi -name "$1" | LC_ALL=C sort)
}
objects=
echo 'all: libcore.a'
for source in $(sources '*.cpp' | grep -v -E '_(portable|avx2|avx512|neon)\.cpp$'); do
    rule "$source" ''
done
# Portable first: an inline function that several levels define is taken from the first.
for level in $levels; do
    case $level in
        portable) extra= ;;
        # lib/linalg/neon_impl.hpp loads in an order that leaves all sums in registers.
        neon) extra=$(accepts 1 -fno-schedule-insns && echo -fno-schedule-insns || :) ;;
        avx2) extra=$avx2 ;;
        avx512) extra=$avx512 ;;
    esac
    for source in $(sources "*_$level.cpp"); do
        fuse=
        if [ "$level" != portable ] && grep -q -x -F "${source%_"$level".cpp}" core/fused.txt; then
            fuse=-ffp-contract=fast
        fi
        rule "$source" "$extra $fuse"
    done
done
printf 'libcore.a:%s\n\trm -f $@\n\t%s -rcs $@%s\n' "$objects" "$ar" "$objects"

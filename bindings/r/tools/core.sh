# core.sh COMPILER FLAGS AR: prints a makefile for the core, by which each of its files is compiled
# as it must be: those of a SIMD level with what that level needs, if the compiler knows it. The best
# level the processor has is chosen at run time.
#
#   NNPOST_SIMD       the highest level to compile in: auto (default), avx512, avx2, portable
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
# accepts FLAGS...: does the compiler make code for x86-64 with them?
accepts() {
    printf '#ifndef __x86_64__\n#error\n#endif\n' >"$scratch/try.cpp"
    # shellcheck disable=SC2086
    $compiler -Werror "$@" -c "$scratch/try.cpp" -o "$scratch/try.o" >/dev/null 2>&1
}

wanted=${NNPOST_SIMD:-auto}
case $wanted in
    auto | avx512 | avx2 | portable) ;;
    *)
        echo "NNPOST_SIMD = $wanted: expected auto, avx512, avx2 or portable" >&2
        exit 1
        ;;
esac
avx2='-mavx2 -mfma'
avx512="$avx2 -mavx512f -mavx512dq -mavx512vl"
# Draws have the same bits on every machine: nothing but products may fuse (core/fused.txt).
# Debug information, which R's own flags may ask for, would be most of the package.
common='-O3 -g0 -fvisibility=hidden -fvisibility-inlines-hidden -fno-exceptions'
common="$common -fno-math-errno -fno-trapping-math -ffp-contract=off -I. -DNDEBUG -DNNP_THREADS=1"
# BLAS and LAPACK are those of R, by their Fortran names.
common="$common -DNNP_BLAS=1 -DNNP_BLAS_FORTRAN=1"
accepts -fno-gnu-unique && common="$common -fno-gnu-unique"
levels=portable
# shellcheck disable=SC2086
if [ "$wanted" != portable ] && accepts $avx2; then
    levels="$levels avx2"
    common="$common -DNNP_HAVE_AVX2=1"
    if [ "$wanted" != avx2 ] && accepts $avx512; then
        levels="$levels avx512"
        common="$common -DNNP_HAVE_AVX512=1"
        accepts $avx512 -mprefer-vector-width=512 && avx512="$avx512 -mprefer-vector-width=512"
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
for source in $(sources '*.cpp' | grep -v -E '_(portable|avx2|avx512)\.cpp$'); do
    rule "$source" ''
done
# Portable first: an inline function that several levels define is taken from the first.
for level in $levels; do
    case $level in
        portable) extra= ;;
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

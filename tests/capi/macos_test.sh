#!/bin/bash
# macos_test.sh [all]: do the sources keep to macOS's rules? There is no macOS here: clang parses them for it, with its
# own macros (__APPLE__, no __linux__), libc++'s headers, and of the system's headers what POSIX and BSD have in common.
# Only files that ask the system for something, and those of ARM's SIMD level, unless all are wanted.
set -euo pipefail
cd "$(dirname "$0")/../.."
headers=/usr/lib/llvm-14/include/c++/v1
if ! command -v clang++-14 >/dev/null || [ ! -d $headers ]; then
    echo "skipped: no clang-14 with libc++"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
touch "$scratch"/{Availability,AvailabilityMacros,TargetConditionals}.h  # what libc++ includes there

# parse CPU HEADERS FILE...: __nonnull is the compiler's own there, and a macro in glibc's headers.
parse() {
    local cpu=$1 system=$2
    shift 2
    printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 clang++-14 "--target=$cpu-apple-macos11" -std=c++17 -fsyntax-only \
        -nostdinc++ -isystem $headers -isystem "$scratch" -idirafter "$system" \
        -idirafter /usr/include -U__nonnull -D_XOPEN_SOURCE=700 -D_DEFAULT_SOURCE -I. -DNNP_THREADS=1 \
        -DNNP_OWN_MATH=1 -fno-exceptions -Wall -Wextra -Werror
}
if [ "${1:-}" = all ]; then
    mapfile -t files < <(find lib capi -name '*.cpp' ! -name '*_avx*' ! -name '*_neon*')
else
    mapfile -t files < <(grep -lE '^#include <(pthread|unistd|signal|time|fcntl|strings|sys/.*)\.h>' lib/*/*.cpp capi/*.cpp)
fi
parse x86_64 /usr/include/x86_64-linux-gnu "${files[@]}"
echo "x86-64: ${#files[@]} files"
[ -d /usr/aarch64-linux-gnu/include ] || exit 0
parse arm64 /usr/aarch64-linux-gnu/include lib/*/*_neon.cpp
echo "arm64: $(find lib -name '*_neon.cpp' | wc -l) files"

#!/bin/bash
# windows_r.sh [glue]: compiles R's package for Windows with the MinGW cross compiler, as its Makevars.win says, and
# links the DLL. There is no R for Windows here: headers are those of this machine's R, and import libraries have
# just what this machine's R has. With `glue` only the files of src/ are compiled, without the core.
set -euo pipefail
cd "$(dirname "$0")/../.."
what=${1:-all}
work=$PWD/out/windows-r
prefix=x86_64-w64-mingw32
mkdir -p "$work"
bindings/r/bundle "$work" >/dev/null
home=$(R RHOME)
include=$(Rscript --vanilla -e 'cat(R.home("include"))')
exported() { find "$home/lib" /usr/lib -name "$1" -exec nm -D --defined-only {} \; -quit 2>/dev/null | awk '{ print $NF }'; }

# import_library NAME SYMBOLS...
import_library() {
    { echo "LIBRARY $1.dll" && echo EXPORTS && cat; } >"$work/$1.def"
    $prefix-dlltool -d "$work/$1.def" -l "$work/lib$1.dll.a"
}
exported libR.so | grep -E '^[A-Za-z_][A-Za-z0-9_]*$' | sort -u | import_library R
printf '%s_\n' dgemm dsyrk dtrsm dtrsv dpotrf dgemv dsymv | import_library Rblas
printf '%s_\n' dpotrf dpotrs dtrtrs | import_library Rlapack

# What R's own makefiles for packages say, in short.
cat >"$work/shlib.mk" <<MK
CC = $prefix-gcc-posix
CXX = $prefix-g++-posix -std=gnu++17
AR = $prefix-ar
CFLAGS = -O1 -Wall -Werror
CXXFLAGS = -O1 -Wall
CPPFLAGS =
LAPACK_LIBS = -L$work -lRlapack
BLAS_LIBS = -lRblas
OBJECTS = $(cd bindings/r/src && echo *.c *.cpp | sed 's/\.cp*/.o/g')
SHLIB = nnpost.dll
include Makevars.win
objects: \$(OBJECTS)
%.o: %.c
	\$(CC) -I$include -DNDEBUG \$(PKG_CPPFLAGS) \$(CFLAGS) \$(PKG_CFLAGS) -c \$< -o \$@
%.o: %.cpp
	\$(CXX) -I$include -DNDEBUG \$(PKG_CPPFLAGS) \$(CXXFLAGS) -c \$< -o \$@
\$(SHLIB): \$(OBJECTS)
	\$(CXX) -shared -static-libgcc -static-libstdc++ -o \$@ \$(OBJECTS) \$(PKG_LIBS) -L$work -lR
MK
cd "$work/nnpost/src"
make -s -j "$(nproc)" -f "$work/shlib.mk" "$([ "$what" = glue ] && echo objects || echo all)"
[ "$what" = glue ] || $prefix-objdump -p nnpost.dll | sed -n 's/.*DLL Name: /needs /p'

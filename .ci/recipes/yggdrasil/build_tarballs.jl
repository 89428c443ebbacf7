# NNPost_jll for BinaryBuilder. OWNER: the address of the repository and the commit of the release.
using BinaryBuilder

name = "NNPost"
version = v"0.2.0"
sources = [GitSource("OWNER/nnpost.git", "OWNER")]

script = raw"""
cd ${WORKSPACE}/srcdir/nnpost
meson setup build --cross-file="${MESON_TARGET_TOOLCHAIN}" --buildtype=release --prefix=${prefix} \
    -Dtests=disabled -Dexamples=false -Dr=disabled -Dmpi=none -Dfortran=disabled -Dblas=none -Dwerror=false
meson install -C build
install_license LICENSE
"""

platforms = filter(p -> nbits(p) == 64 && arch(p) in ("x86_64", "aarch64"), supported_platforms())
products = [LibraryProduct("libnnpost", :libnnpost)]
build_tarballs(ARGS, name, version, sources, script, platforms, products, Dependency[];
               julia_compat = "1.6", preferred_gcc_version = v"9")

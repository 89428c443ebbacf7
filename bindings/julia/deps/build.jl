# Pkg.build("NNPost"): if no shared library can be found (see NNPost.candidates), builds it from the source tree that
# this package lies in, with Meson and a C++17 compiler, and keeps it in this folder.
using Libdl

const system = Sys.iswindows() ? "libnnpost-0.dll" : Sys.isapple() ? "libnnpost.0.dylib" : "libnnpost.so.0"
const here = joinpath(@__DIR__, system)
const root = abspath(joinpath(@__DIR__, "..", "..", ".."))

function build()
    isfile(joinpath(root, "meson.build")) || error("NNPost: no library $system found, and $root is no source tree " *
        "to build it from; install nnpost, or set NNPOST_LIBRARY to the library's path")
    folder = joinpath(@__DIR__, "build")
    isfile(joinpath(folder, "build.ninja")) || run(`meson setup $folder $root -Dtests=disabled -Dexamples=false
        -Dr=disabled -Dmpi=none -Dfortran=disabled -Dblas=none -Dwerror=false`)
    run(`meson compile -C $folder`)
    cp(realpath(joinpath(folder, "capi", system)), here; force = true)
    println("NNPost: built $here")
end

if haskey(ENV, "NNPOST_LIBRARY")
    println("NNPost: uses ", ENV["NNPOST_LIBRARY"], ", which NNPOST_LIBRARY names")
elseif isfile(here)
    println("NNPost: uses $here")
elseif Libdl.dlopen(system; throw_error = false) !== nothing
    println("NNPost: uses the installed $system")
else
    build()
end

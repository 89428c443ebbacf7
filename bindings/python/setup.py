"""Builds the core with Meson and puts it inside the package, so that a wheel needs nothing else.

Sources are those of the tree this folder is in, or, of a source distribution, the folder core/ that
`setup.py sdist` fills. Options for Meson: the environment variable NNPOST_MESON_FLAGS. With
NNPOST_LIBRARY set, that library is packed as it is."""
import os
import pathlib
import shutil
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from wheel.bdist_wheel import bdist_wheel

here = pathlib.Path(__file__).resolve().parent
tree = here.parents[1] if (here.parents[1] / "capi" / "nnpost.h").is_file() else here / "core"
# Neither OpenBLAS nor the C++ run-time is on every machine: a wheel does without.
FLAGS = ["-Dblas=none", "-Dmpi=none", "-Dexamples=false", "-Dtests=disabled", "-Dfortran=disabled",
         "-Dr=disabled", "-Ddocs=false", "-Dwerror=false"]
NAMES = {"win32": ("libnnpost-0.dll", "nnpost.dll"), "darwin": ("libnnpost.0.dylib", "libnnpost.dylib")}


def build_library(folder: pathlib.Path) -> pathlib.Path:
    given = os.environ.get("NNPOST_LIBRARY")
    if given:
        return pathlib.Path(given)
    if not (tree / "meson.build").is_file():
        raise SystemExit(f"nnpost: {tree} has no meson.build; build from a checkout or from a source "
                         "distribution, or set NNPOST_LIBRARY to a library")
    build = folder / "meson"
    more = os.environ.get("NNPOST_MESON_FLAGS", "").split()
    if not (build / "build.ninja").is_file():
        subprocess.check_call(["meson", "setup", str(build), str(tree), *FLAGS, *more])
    subprocess.check_call(["meson", "compile", "-C", str(build)])
    found = sorted((build / "capi").glob(NAMES.get(sys.platform, ("libnnpost.so.0", ""))[0]))
    return found[0]


class BuildWithCore(build_py):
    def run(self):
        super().run()
        if self.editable_mode:
            return
        library = build_library(pathlib.Path(self.get_finalized_command("build").build_temp).resolve())
        name = NAMES.get(sys.platform, ("", "libnnpost.so"))[1]
        shutil.copyfile(library.resolve(), pathlib.Path(self.build_lib) / "nnpost" / name)


class SdistWithCore(sdist):
    """With all that builds the library, in core/."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        core = pathlib.Path(base_dir) / "core"
        ignored = shutil.ignore_patterns("__pycache__", "*.o", "*.so", "*.a")
        for name in ("lib", "capi"):
            shutil.copytree(tree / name, core / name, ignore=ignored, dirs_exist_ok=True)
        for name in ("meson.build", "meson_options.txt", "LICENSE"):
            shutil.copyfile(tree / name, core / name)
        shutil.copyfile(tree / "LICENSE", pathlib.Path(base_dir) / "LICENSE")


class LibraryWheel(bdist_wheel):
    """For any Python 3, but for one platform."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class HasLibrary(Distribution):
    def has_ext_modules(self):
        return True


setup(cmdclass={"build_py": BuildWithCore, "sdist": SdistWithCore, "bdist_wheel": LibraryWheel},
      distclass=HasLibrary)

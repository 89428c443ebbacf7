#!/usr/bin/env python3
"""recipes_test.py SOURCES: packages, bindings and the citation have the project's version, and ask for options that it has."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
version = re.search(r"version: '([^']+)'", (root / "meson.build").read_text())[1]
options = set(re.findall(r"^option\('(\w+)'", (root / "meson_options.txt").read_text(), re.M))
builtin = {"optimization", "werror"}
versions = {".ci/recipes/conda/meta.yaml": r'set version = "([^"]+)"',
            ".ci/recipes/vcpkg/vcpkg.json": r'"version": "([^"]+)"',
            ".ci/recipes/yggdrasil/build_tarballs.jl": r'version = v"([^"]+)"',
            "capi/nnpost.h": r'#define NNP_VERSION "([^"]+)"',
            "bindings/r/DESCRIPTION": r"(?m)^Version: (\S+)$",
            "bindings/r/NEWS.md": r"^# nnpost (\S+)",
            "bindings/python/pyproject.toml": r'(?m)^version = "([^"]+)"',
            "bindings/julia/Project.toml": r'(?m)^version = "([^"]+)"',
            "CITATION.cff": r"(?m)^version: (\S+)$"}
wrong = []
for name, pattern in versions.items():
    found = re.search(pattern, (root / name).read_text())
    if not found or found[1] != version:
        wrong.append(f"{name}: version {found and found[1]}, expected {version}")
asking = [*(root / ".ci/recipes").rglob("*.*"), root / ".ci/debian/rules", root / ".ci/ports", root / ".ci/same-bits",
          root / "bindings/julia/deps/build.jl", root / "bindings/python/setup.py"]
for path in asking:
    for option in re.findall(r"-D([a-z]\w*)=", path.read_text()):
        if option not in options | builtin and not option.startswith("b_"):
            wrong.append(f"{path.relative_to(root)}: -D{option} is no option of the build")
print("\n".join(wrong) or f"{len(asking)} files ask for options there are")
sys.exit(bool(wrong))

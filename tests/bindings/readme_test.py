#!/usr/bin/env python3
"""readme_test.py README LANGUAGE COMMAND...: the README's example in a language does what it says.

The first block of LANGUAGE is written to a file, which COMMAND runs.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

SUFFIXES = {"python": "py", "julia": "jl", "fortran": "f90", "r": "R"}


def main(readme, language, *command):
    text = pathlib.Path(readme).read_text(encoding="utf-8")
    block = re.search(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    if not block:
        print(f"FAIL: no example in {language}")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        example = pathlib.Path(folder, "example." + SUFFIXES[language])
        example.write_text(block[1], encoding="utf-8")
        done = subprocess.run([*command, str(example)], stdout=subprocess.PIPE, text=True,
                              check=False)
    print(done.stdout, end="")
    # Other processors may round otherwise, and then the last digit may be another.
    good = re.fullmatch(r"f\(1\) = (0\.99|1\.00)\d \+- 0\.0[01]\d\n", done.stdout)
    return 0 if good and done.returncode == 0 else 1


sys.exit(main(*sys.argv[1:]))

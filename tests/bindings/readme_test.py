#!/usr/bin/env python3
"""readme_test.py README LANGUAGE COMMAND...: the README's example in a language does what it says.

The first block of LANGUAGE is written to a file, which COMMAND runs. It prints what the README says
that the program in C prints.
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
    line = r"y\(1\) = (\d\.\d{3}) \+- (\d\.\d{3})"
    wanted, found = re.search(rf"/\* {line} \*/", text), re.fullmatch(rf"{line}\n", done.stdout)
    if not wanted or not found or done.returncode:
        print(f"FAIL: status {done.returncode}, expected 'y(1) = … +- …' as the README has it")
        return 1
    # Other processors may round otherwise, and then the last digit may be another.
    near = all(abs(float(a) - float(b)) < 0.002 for a, b in zip(wanted.groups(), found.groups()))
    print("" if near else f"FAIL: the README says {wanted[0]}")
    return 0 if near else 1


sys.exit(main(*sys.argv[1:]))

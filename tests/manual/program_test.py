#!/usr/bin/env python3
"""program_test.py PAGE TOLERANCE COMMAND...: a program prints what a block of the manual's PAGE says.

Numbers may differ by TOLERANCE: processors round otherwise, and then chains go other ways.
"""
import pathlib
import re
import subprocess
import sys

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def main(page, tolerance, *command):
    text = pathlib.Path(page).read_text(encoding="utf-8")
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, end="")
    words = NUMBER.sub("#", done.stdout).split()
    blocks = [b for b in re.findall(r"^```text\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
              if NUMBER.sub("#", b).split() == words]
    if done.returncode or len(blocks) != 1:
        print(f"FAIL: status {done.returncode}, expected the words of one block of {page}")
        return 1
    far = [(a, b) for a, b in zip(NUMBER.findall(blocks[0]), NUMBER.findall(done.stdout))
           if abs(float(a) - float(b)) > float(tolerance)]
    print(f"FAIL: {far}, expected differences of at most {tolerance}" if far else "as the manual says")
    return 1 if far else 0


sys.exit(main(*sys.argv[1:]))

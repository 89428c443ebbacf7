#!/usr/bin/env python3
"""check.py REFERENCE COMMAND...: runs the scenarios of one language beside those of C.

REFERENCE is the program in C, COMMAND the one of the other language; both take a file for their
bits after all other arguments. Every scenario of scenarios.txt must be reported, and the bits of
all that have any must be those of C. Ends with `N Tests N Failures N Ignored`.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def listed():
    """Names of all scenarios, and of those that write bits."""
    text = pathlib.Path(__file__).with_name("scenarios.txt").read_text(encoding="utf-8")
    found = re.findall(r"^([a-z_]+) (\*?)", text, flags=re.MULTILINE)
    return [name for name, _ in found], [name for name, star in found if star]


def run(command, path):
    """The exit status, what was printed, and the bits by scenario; other files go beside them."""
    command = [os.path.abspath(part) if os.path.exists(part) else part for part in command]
    done = subprocess.run([*command, str(path)], stdout=subprocess.PIPE, text=True, check=False,
                          cwd=path.parent)
    lines = path.read_text(encoding="ascii").splitlines() if path.is_file() else []
    return done.returncode, done.stdout, dict(line.split(" ", 1) for line in lines if " " in line)


def difference(ours, theirs):
    """None, or where two lists of hexadecimal words part."""
    ours, theirs = ours.split(), theirs.split()
    if len(ours) != len(theirs):
        return f"{len(ours)} values, C has {len(theirs)}"
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if a != b:
            return f"value {i} is {a}, C has {b}"
    return None


def main(reference, command):
    names, with_bits = listed()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        status, printed, wanted = run([reference], scratch / "reference")
        if status or set(wanted) != set(with_bits):
            print(printed + "the scenarios in C failed")
            return 1
        status, printed, bits = run(command, scratch / "bits")
    print(re.sub(r"^\d+ Tests .*\n", "", printed, flags=re.MULTILINE), end="")
    failures, ignored = 0, 0
    for name in names:
        verdict = re.search(rf"^{name}: (PASS|FAIL|IGNORE)", printed, flags=re.MULTILINE)
        failures += verdict is None or verdict[1] == "FAIL"
        ignored += verdict is not None and verdict[1] == "IGNORE"
        if verdict is None:
            print(f"{name}: FAIL not run")
    wrong = {name: difference(bits.get(name, ""), wanted[name]) for name in with_bits}
    wrong = {name: reason for name, reason in wrong.items() if reason}
    for name, reason in wrong.items():
        print(f"{name}: other bits: {reason}")
    print("same_bits: " + ("FAIL" if wrong else "PASS"))
    failures += bool(wrong) + bool(status and not failures)
    print(f"{len(names) + 1} Tests {failures} Failures {ignored} Ignored")
    return 1 if failures else 0


sys.exit(main(sys.argv[1], sys.argv[2:]))

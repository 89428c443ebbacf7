#!/usr/bin/env python3
"""tested_test.py ROOT: every function of the headers is called by a test of the C API, and every one that
takes a constant by test_constants.c.

Tests are those of tests/ but the fuzzers', which have a test of their own (tests/fuzz/rows_test.sh). That
every function has an entry in the manual is checked by tests/manual/manual_test.py.
"""
import pathlib
import re
import sys

# Arguments that are no constants of a family: yes or no, and what is told.
PLAIN = {"status", "noisy", "checked", "labels"}


def calls_in(paths):
    found = set()
    for path in paths:
        code = re.sub(r"/\*.*?\*/|//[^\n]*", " ", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        found.update(re.findall(r"\b(nnp_\w+)\s*\(", code))
    return found


def main(root):
    root = pathlib.Path(root)
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(root / "capi"))
    import header
    functions = header.api_of(header.read_core(root / "capi")).functions
    sources = [path for folder in ("capi", "unit", "statistical", "support", "mpi")
               for path in sorted((root / "tests" / folder).glob("*")) if path.suffix in (".c", ".cpp", ".h", ".hpp")]
    called, given = calls_in(sources), calls_in([root / "tests/capi/test_constants.c"])
    failed = 0
    for function in functions:
        constants = [a.name for a in function.arguments
                     if a.type == header.Type("int32_t", 0) and a.name not in PLAIN]
        if function.name not in called:
            print(f"FAIL: {function.name} is called by no test, expected one in tests/capi")
            failed = 1
        elif constants and function.name not in given:
            print(f"FAIL: {function.name} takes a constant ({', '.join(constants)}), expected a row in "
                  "tests/capi/test_constants.c")
            failed = 1
    print(f"{len(functions)} functions, {len(sources)} files")
    return failed


sys.exit(main(*sys.argv[1:]))

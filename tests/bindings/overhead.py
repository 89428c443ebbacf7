#!/usr/bin/env python3
"""overhead.py LANGUAGE REFERENCE COMMAND...: what a binding costs on a run of 1000 steps.

REFERENCE (in C) and COMMAND print the best processor time of as many repeats as they are told. They
run in turn; the best of each counts, for other programs can only make them slower. More turns are
taken, up to ten, while the difference is not below 2 %.
"""
import subprocess
import sys

REPEATS, LEAST_TURNS, MOST_TURNS, LIMIT = 8, 3, 10, 0.02


def seconds(command):
    return float(subprocess.run([*command, str(REPEATS)], stdout=subprocess.PIPE, text=True,
                                check=True).stdout)


def main(language, reference, *command):
    best = [float("inf")] * 2
    for turn in range(MOST_TURNS):
        best = [min(old, seconds(c)) for old, c in zip(best, ([reference], command))]
        share = best[1] / best[0] - 1
        if turn + 1 >= LEAST_TURNS and share < LIMIT:
            break
    print(f"1000 steps of {language}: {1000 * best[1]:.1f} ms, of C: {1000 * best[0]:.1f} ms; "
          f"overhead {100 * share:.1f} %")
    return 0 if share < LIMIT else 1


sys.exit(main(*sys.argv[1:]))

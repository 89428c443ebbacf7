#!/bin/bash
# summary_test.sh SUMMARY MISSING: a language that is missing is skipped by name, and where all
# languages are asked for, it is a failure.
set -uo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
summary=$1 missing=$2
status=0

# entry NAME SUITE RESULT STDOUT
entry() {
    printf '{"name": "%s", "suite": ["nnpost:%s"], "result": "%s", "stdout": "%s"}\n' "$@"
}
# expect STATUS LINE...: the summary of the log ends with that status and has these lines.
expect() {
    local wanted=$1 line
    "$summary" "${options[@]}" "$scratch/log" >"$scratch/out"
    local found=$?
    [ "$found" -eq "$wanted" ] || { echo "FAIL: status $found, expected $wanted" && status=1; }
    for line in "${@:2}"; do
        grep -qxF "$line" "$scratch/out" || { echo "FAIL: no line '$line'" && status=1; }
    done
}

said=$("$missing" Julia)
[ $? -eq 77 ] || { echo "FAIL: $missing does not skip" && status=1; }
{
    entry scenarios_c bindings OK '3 Tests 0 Failures 0 Ignored'
    entry scenarios_julia bindings SKIP "$said"
    entry test_r bindings OK 'a.R: one: IGNORE no coda\n5 Tests 0 Failures 1 Ignored'
    entry test_paper statistical SKIP 'skipped: no files'
} >"$scratch/log"
options=()
expect 0 "skipped: scenarios_julia: ${said#skipped: }" 'skipped: test_r: a.R: one: no coda' \
    '7 passed, 0 failed, 3 skipped'
options=(--all-languages)
end='(tests of bindings must not be skipped here)'
expect 1 "failed: scenarios_julia: ${said#skipped: } $end" "failed: test_r: a.R: one: no coda $end" \
    'skipped: test_paper: no files' '7 passed, 2 failed, 1 skipped'
[ $status -eq 0 ] || cat "$scratch/out"
exit $status

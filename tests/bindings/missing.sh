#!/bin/sh
# missing.sh WHAT: a test that is skipped (77 to meson), and why.
echo "skipped: there is no $1; .ci/setup languages gets it"
exit 77

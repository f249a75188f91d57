#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A false expectation must be reported with its place, operands and result: test-wrong.sh PROGRAM FILE
output=$("$1" --level baseline "$2" 2>&1)
status=$?
expected='add.txt:9: add.u32 .*00000001 00000002 = ... %x is 00000003, not 00000004'
if [ $status -ne 0 ] && printf '%s\n' "$output" | grep -q "$expected"; then
    exit 0
fi
printf 'exit status %s, and no line like\n  %s\nin\n' $status "$expected"
printf '%s\n' "$output" | sed 's/^/  /'
exit 1

# SPDX-License-Identifier: Apache-2.0
# Counting of test cases over several commands; sourced by .ci/run and tools/nightly.sh.
#
#     suite NAME COMMAND...   a command whose last line is `N passed, N failed`
#     check NAME COMMAND...   a command that is one test case
#     report_suites           what broke, how long each part took, `N passed, N failed`; returns 1 if
#                             a case failed
# shellcheck shell=bash

passed=0
failed=0
broken=()
times=()
started=$SECONDS

section() {
    printf '\n== %s (%d s)\n' "$1" $((SECONDS - started))
}

# One that fails without a failed case, or prints no count, counts as one failed case.
suite() {
    local name=$1 status=0 last good=0 bad=0 begin=$SECONDS log
    shift
    section "$name"
    log=$(mktemp)
    "$@" 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    last=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)
    rm -f "$log"
    if [ -n "$last" ]; then
        good=${last%% *}
        bad=${last#*, }
        bad=${bad%% *}
    fi
    if [ "$bad" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$good" -eq 0 ]; }; then
        bad=1
    fi
    count "$name" "$begin" "$good" "$bad"
}

check() {
    local name=$1 begin=$SECONDS
    shift
    section "$name"
    if "$@"; then
        count "$name" "$begin" 1 0
    else
        count "$name" "$begin" 0 1
    fi
}

count() {
    local name=$1 begin=$2 good=$3 bad=$4
    passed=$((passed + good))
    failed=$((failed + bad))
    times+=("$(printf '%6d s  %s: %d passed, %d failed' $((SECONDS - begin)) "$name" "$good" "$bad")")
    [ "$bad" -eq 0 ] || broken+=("$name")
}

report_suites() {
    local line
    section "done"
    printf '%s\n' "${times[@]}"
    for line in "${broken[@]}"; do
        echo "broken: $line"
    done
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}

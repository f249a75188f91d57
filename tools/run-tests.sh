#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds a preset with its tests and runs them; the last line is `N passed, N failed`.
#
#     tools/run-tests.sh PRESET [CTEST OPTION ...]
#
# The whole output stays in BUILD/tests.log; what failed is shown. WARPSAGE_TARGET: what to build, all
# by default.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
folder=build-$preset
[ "$preset" = release ] && folder=build

cmake --preset "$preset" -DWARPSAGE_TESTS=ON -DWARPSAGE_VECTOR_DIR="$PWD/.cache/vectors" \
    --log-level=WARNING >/dev/null
cmake --build --preset "$preset" ${WARPSAGE_TARGET:+--target "$WARPSAGE_TARGET"}
log=$folder/tests.log
status=0
ctest --test-dir "$folder" -V -j "$(nproc)" "$@" </dev/null >"$log" 2>&1 || status=$?
grep -E '^ *[0-9]+/[0-9]+ Test +#' "$log" || true
if [ $status -ne 0 ]; then
    # The output of the programs that failed, without the others'.
    sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#([0-9]+): .*\*\*\*(Failed|Timeout|Exception|Not Run).*/\1/p' \
        "$log" | while read -r number; do
        grep -E "^$number: " "$log" | tail -n 60
    done
    echo "the whole output: $log"
fi
tools/test-summary "$log" || status=1
exit $status

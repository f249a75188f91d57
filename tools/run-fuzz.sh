#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets (tests/fuzz/fuzz_NAME.c) and runs each for SECONDS; the last line is
# `N passed, N failed`.
#
#     tools/run-fuzz.sh [SECONDS]
#
# Seeds are the repository's own files. What a target finds lies in build-fuzz/findings/.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-30}

cmake --preset fuzz --log-level=WARNING >/dev/null
cmake --build --preset fuzz --target fuzz_targets
mkdir -p build-fuzz/findings

# Seeds of a target: copies, so that nothing is added to the tree.
seeds_of() {
    case $1 in
    fuzz_ptx | fuzz_run) find examples/kernels tests -name '*.ptx' ;;
    fuzz_machine) find data/machines tests -name '*.yaml' ;;
    fuzz_profile) find tests -name '*.json' -size -64k ;;
    esac
}
fuzz() {
    local name=$1 corpus=build-fuzz/corpus/$1 number=0 file
    mkdir -p "$corpus"
    while read -r file; do
        number=$((number + 1))
        cp "$file" "$corpus/seed-$number"
    done < <(seeds_of "$name" | LC_ALL=C sort)
    "build-fuzz/$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=65536 \
        -artifact_prefix="build-fuzz/findings/$name-" -print_final_stats=1 "$corpus" \
        >"build-fuzz/$name.log" 2>&1 </dev/null
}
names=()
for source in tests/fuzz/fuzz_*.c; do
    names+=("$(basename "$source" .c)")
done

# As many at a time as there are processors.
running=0
for name in "${names[@]}"; do
    if [ $running -ge "$(nproc)" ]; then
        wait -n || true
        running=$((running - 1))
    fi
    rm -f "build-fuzz/$name.good"
    { fuzz "$name" && touch "build-fuzz/$name.good"; } &
    running=$((running + 1))
done
wait || true

passed=0
failed=0
for name in "${names[@]}"; do
    log=build-fuzz/$name.log
    if [ -e "build-fuzz/$name.good" ]; then
        passed=$((passed + 1))
        echo "$name: $(sed -nE 's/^stat::number_of_executed_units: *//p' "$log") inputs, nothing found"
    else
        failed=$((failed + 1))
        echo "$name: FAILED, the input lies in build-fuzz/findings/"
        tail -n 40 "$log"
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]

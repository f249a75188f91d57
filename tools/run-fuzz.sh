#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets (tests/fuzz/fuzz_NAME.c) and runs each for SECONDS; the last line is
# `N passed, N failed`.
#
#     tools/run-fuzz.sh [SECONDS]
#     FUZZ_SEED=0 tools/run-fuzz.sh 3600     other inputs in every run
#
# The same inputs in the same order in every run, as far as the time goes: what a change breaks is told from what
# chance finds, for which there is the night.
#
# Seeds are tests/fuzz/corpus/NAME/ and the repository's own files, words of the dictionary those that
# the sources know. An input that breaks a target is kept in build-asan/fuzz/findings/ and its path printed:
# mend the cause, then add the input to the corpus, which the ordinary tests go through, too.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-30}
findings=build-asan/fuzz/findings

cmake --preset asan -DWARPSAGE_TESTS=ON --log-level=WARNING >/dev/null
cmake --build --preset asan --target fuzz_targets
mkdir -p "$findings"
touch build-asan/fuzz/started

# Seeds of a target: copies, so that nothing is added to the tree.
seeds_of() {
    local corpus=tests/fuzz/corpus/${1#fuzz_}
    [ ! -d "$corpus" ] || find "$corpus" -type f
    case $1 in
    fuzz_ptx | fuzz_run) find examples/kernels tests/kernels tests/ptx -name '*.ptx' ;;
    fuzz_machine) find data/machines tests/machines -name '*.yaml' ;;
    fuzz_launch) find examples papers tests/cli -name '*.yaml' ;;
    fuzz_matrix) find tests -name '*.mtx' ;;
    fuzz_profile) find tests -name '*.json' -size -64k ;;
    fuzz_cubin) find tests/native tests/programs/fatbin -name '*.cubin' -o -name '*.fatbin' -o -name '*.bin' ;;
    fuzz_trace) find tests/traces -name '*.traceg*' ;;
    esac
}
# Sources whose quoted words the input of a target is made of (that of fuzz_hostile is no text).
words_of() {
    case $1 in
    fuzz_ptx | fuzz_run) ls src/isa/*.def src/decode/*.def src/decode/parse_*.c ;;
    fuzz_machine) ls src/machine/*.def src/machine/machine_read.c ;;
    fuzz_launch) ls cli/options/launchfile.c cli/options/args.c cli/options/values.c cli/options/request.c ;;
    fuzz_matrix) ls cli/options/matrix_market.c ;;
    fuzz_profile) ls src/measure/*.def src/measure/profile_read.c ;;
    fuzz_trace) ls src/isa/sass_ops.def src/replay/*.c ;;
    fuzz_energy) ls src/model/closed_form/forms_energy.c src/answer/ask_energy.c ;;
    fuzz_cubin) ls src/decode/native/cubin*.c ;;
    fuzz_findings) ls src/check/finding_*.c src/check/suppression.c src/check/check_names.c ;;
    fuzz_trace_file) ls src/measure/*.def src/measure/trace_file.c ;;
    esac
}
fuzz() {
    local name=$1 corpus=build-asan/fuzz/corpus/$1 words=build-asan/fuzz/$1.dict number=0 file
    mkdir -p "$corpus"
    while read -r file; do
        number=$((number + 1))
        cp "$file" "$corpus/seed-$number"
    done < <(seeds_of "$name" | LC_ALL=C sort)
    words_of "$name" | xargs -r grep -ohE '"[A-Za-z0-9_.:%]{2,32}"' | LC_ALL=C sort -u >"$words"
    local dictionary=()
    [ ! -s "$words" ] || dictionary=(-dict="$words")
    "build-asan/$name" -seed="${FUZZ_SEED:-1}" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=65536 \
        "${dictionary[@]}" -artifact_prefix="$findings/$name-" -print_final_stats=1 "$corpus" \
        >"build-asan/fuzz/$name.log" 2>&1 </dev/null
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
    rm -f "build-asan/fuzz/$name.good"
    { fuzz "$name" && touch "build-asan/fuzz/$name.good"; } &
    running=$((running + 1))
done
wait || true

passed=0
failed=0
for name in "${names[@]}"; do
    log=build-asan/fuzz/$name.log
    if [ -e "build-asan/fuzz/$name.good" ]; then
        passed=$((passed + 1))
        echo "$name: $(sed -nE 's/^stat::number_of_executed_units: *//p' "$log") inputs, nothing found"
    else
        failed=$((failed + 1))
        tail -n 40 "$log"
        echo "$name: FAILED; log: $PWD/$log; the input that did it:"
        find "$PWD/$findings" -name "$name-*" -newer build-asan/fuzz/started | sed 's/^/    /'
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]

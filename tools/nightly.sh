#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What takes longer than a merge may wait: the whole .ci/run with nothing left out, long fuzzing, many
# random programs, full sizes. Prints the time of each part; the last line is `N passed, N failed`.
#
#     tools/nightly.sh              every part
#     tools/nightly.sh PART ...     those parts
#     FUZZ_SECONDS=60 tools/nightly.sh ci     shorter fuzzing (3600 s a target by default)
#
# Parts, with their time on two cores:
#     ci           .ci/run with NIGHTLY=1, fuzzing included    30 min + FUZZ_SECONDS for each two targets
#     programs     100,000 random programs                     60 min
#     approximate  10 million arguments an instruction         10 min
#     sizes        the papers' kernels at full size             1 min
#     launches     every bundled launch file                    5 min
#     contradictions  all models, machines, bundled kernels     10 min
#     validate     generated kernels beside nvcc's, evidence     1 min
#     memory       4,000 allocations of each of six commands fail 10 min
set -uo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
. tools/suites.sh

random_programs() {
    local first second status=0
    first=$(mktemp)
    second=$(mktemp)
    build/test_random_programs --count 50000 --seed 1000000 >"$first" 2>&1 &
    build/test_random_programs --count 50000 --seed 2000000 >"$second" 2>&1 || status=1
    wait $! || status=1
    tail -n 5 "$first" "$second"
    rm -f "$first" "$second"
    return $status
}
bundled_launches() {
    local launch status=0
    for launch in examples/kernels/*/*.yaml papers/zhang2011/launch/*.yaml; do
        echo "-- $launch"
        build/warpsage analyze "$launch" --quiet || status=1
    done
    return $status
}

# The rows of data/evidence.yaml that come from the sets are those that the program writes.
evidence_is_current() {
    local copy status=0
    copy=$(mktemp)
    cp data/evidence.yaml "$copy"
    build/warpsage validate gv100 --write-evidence "$copy" || status=1
    diff data/evidence.yaml "$copy" || status=1
    rm -f "$copy"
    return $status
}

part() {
    case $1 in
    ci) suite "ci" env NIGHTLY=1 FUZZ_SECONDS="${FUZZ_SECONDS:-3600}" .ci/run ;;
    programs) check "random programs" random_programs ;;
    approximate) check "approximate instructions" build/test_approximate --count 10000000 ;;
    sizes) suite "papers at full size" env WARPSAGE_FULL_SIZE=1 tools/run-tests.sh release \
        -R test_kernels_zhang ;;
    launches) check "bundled launches" bundled_launches ;;
    contradictions) suite "contradictions" python3 tests/contradictions/run.py build/warpsage \
        --all ;;
    validate)
        check "generated kernels" python3 tests/validate/convolution.py build/warpsage nvcc
        check "evidence of the sets" evidence_is_current
        ;;
    memory) suite "memory" env WARPSAGE_FULL_SIZE=1 tools/run-tests.sh release -R memory_commands ;;
    *)
        echo "tools/nightly.sh: unknown part '$1': ci, programs, approximate, sizes, launches, contradictions, validate or memory" >&2
        exit 2
        ;;
    esac
}
build_all() {
    cmake --preset release -DWARPSAGE_TESTS=ON --log-level=WARNING >/dev/null &&
        cmake --build --preset release
}

[ $# -gt 0 ] || set -- ci programs approximate sizes launches contradictions validate memory
check "build" build_all
for name in "$@"; do
    part "$name"
done
report_suites

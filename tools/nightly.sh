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
#     programs     100,000 random programs, racy kernels in 300 orders  60 min
#     approximate  10 million arguments an instruction         10 min
#     sizes        the papers' kernels at full size             1 min
#     launches     every bundled launch file                    5 min
#     contradictions  all models, machines, bundled kernels     10 min
#     validate     generated kernels beside nvcc's, evidence     1 min
#     native       native code beside PTX: launch files, programs, kernel tests, random programs; needs ptxas 2 h
#     checks       programs of tests/checks, CUB and Thrust among them; needs nvcc  15 min
#     sweep        sweeps killed 20 times; with MPI, if mpirun is there  1 min
#     html         reports in a headless Chromium, if there is one  1 min
#     memory       4,000 allocations of each of six commands fail 10 min
#     python       the Python package with Triton, Numba, pandas, Jupyter; needs PyPI  3 min
#     packages     two builds of the packages compared, lintian, a fresh Debian, the static program alone; needs root 15 min
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
# By the compiled engine, on three threads, too: memory as the reference has it, profiles and traces as the interpreter.
compiled_programs() {
    local threads=$1 said status=0
    said=$(build/test_random_programs --compiled --count "$2" --seed "$3" --threads "$threads") || status=1
    printf '%s\n' "$said" | tail -n 40
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
    build/warpsage validate gv100 titanv --write-evidence "$copy" || status=1
    diff data/evidence.yaml "$copy" || status=1
    rm -f "$copy"
    return $status
}

# Random programs as native code of a target; ptxas must not contract. It makes wrong code of some random programs itself
# (tests/reference/native.c tells what is left out): one in 20 may differ, and those are for a person to read.
native_random_programs() {
    local folder status=0 differ said
    folder=$(mktemp -d)
    printf '#!/bin/sh\nexec %s --fmad false "$@"\n' "$(command -v ptxas)" >"$folder/ptxas"
    chmod +x "$folder/ptxas"
    said=$(PATH=$folder:$PATH build/test_random_programs --native "$1" --count 300 --seed "${1}000000" --level base \
        --threads 1 --failures 16) || true
    tail -n 200 <<<"$said"
    differ=$(sed -nE 's/.*running each: ([0-9]+) differ.*/\1/p' <<<"$said")
    [ -n "$differ" ] && [ "$differ" -le 15 ] || status=1
    rm -rf "$folder"
    return $status
}

native() {
    local target
    if ! command -v ptxas >/dev/null; then
        echo "native: skipped: ptxas is not in PATH"
        return
    fi
    check "launch files as native code" python3 tests/native/launches.py build/warpsage
    suite "native tests" env NIGHTLY=1 tools/run-tests.sh release -R native
    for target in 75 80 86 89 90; do
        suite "kernel tests as sm_$target" env WARPSAGE_NATIVE=$target tools/run-tests.sh release -R test_kernels
        check "random programs as sm_$target" native_random_programs $target
    done
    if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then
        check "programs without PTX" python3 tests/programs/run.py build/warpsage build/nightly-programs \
            --machine-code
    else
        echo "programs without PTX: skipped: nvcc is not in PATH"
    fi
}

checks() {
    if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then
        suite "programs under checks" python3 tests/checks/run.py build/warpsage --heavy
    else
        echo "checks: skipped: nvcc is not in PATH"
    fi
}

# In a virtual environment of its own; WARPSAGE_PYTHON names another.
python_package() {
    local folder status=0
    if [ -n "${WARPSAGE_PYTHON:-}" ]; then
        tests/python/run.sh build . || status=1
        return $status
    fi
    folder=$(mktemp -d)
    if python3 -m venv "$folder/venv" && "$folder/venv/bin/pip" install -q cffi numpy pandas triton numba-cuda nbclient ipykernel; then
        WARPSAGE_PYTHON=$folder/venv/bin/python tests/python/run.sh build . || status=1
        WARPSAGE_LIBRARY=build/libwarpsage.so "$folder/venv/bin/pip" install -q ./python || status=1
        (cd "$folder" && venv/bin/python "$OLDPWD/examples/python/saxpy.py") || status=1
    else
        echo "python: skipped: no virtual environment with packages of PyPI"
    fi
    rm -rf "$folder"
    return $status
}

packages() {
    if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null || ! command -v lintian >/dev/null; then
        echo "packages: skipped: needs root, debootstrap and lintian"
        return
    fi
    make --no-print-directory package && tests/packages/rebuild.sh . && tests/packages/install.sh . &&
        tests/packages/static.sh .
}

part() {
    case $1 in
    ci) suite "ci" env NIGHTLY=1 FUZZ_SEED=0 FUZZ_SECONDS="${FUZZ_SECONDS:-3600}" .ci/run ;;
    programs)
        check "random programs" random_programs
        check "random programs, compiled" compiled_programs 1 50000 3000000
        check "random programs, compiled, 3 threads" compiled_programs 3 5000 4000000
        check "racy kernels in 300 orders" env WARPSAGE_SCHEDULES=300 build/test_schedules
        check "random racy kernels" build/test_race_programs 5000 100000
        ;;
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
    native) native ;;
    checks) checks ;;
    sweep)
        local mpi=()
        command -v mpirun >/dev/null && [ -r build/runtime/libwarpsage_mpi.so ] && mpi=(--mpi)
        [ ${#mpi[@]} -gt 0 ] || echo "sweep: without ranks: no MPI when the program was built"
        suite "sweeps" python3 tests/sweep/run.py build/warpsage --kills 20 "${mpi[@]}"
        ;;
    html)
        if command -v chromium >/dev/null || command -v chromium-browser >/dev/null; then
            suite "reports in Chromium" python3 tests/html/browser.py build/warpsage
        else
            echo "html: skipped: chromium is not in PATH"
        fi
        ;;
    memory) suite "memory" env WARPSAGE_FULL_SIZE=1 tools/run-tests.sh release -R memory_commands ;;
    python) check "Python package" python_package ;;
    packages) check "packages" packages ;;
    *)
        echo "tools/nightly.sh: unknown part '$1': ci, programs, approximate, sizes, launches, contradictions, validate, native, checks, sweep, html, memory, python or" \
            packages >&2
        exit 2
        ;;
    esac
}
build_all() {
    cmake --preset release -DWARPSAGE_TESTS=ON --log-level=WARNING >/dev/null &&
        cmake --build --preset release
}

[ $# -gt 0 ] || set -- ci programs approximate sizes launches contradictions validate native checks sweep html memory python packages
check "build" build_all
for name in "$@"; do
    part "$name"
done
report_suites

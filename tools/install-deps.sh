#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing to build, test or check warpsage on Debian and Ubuntu.
#
#     tools/install-deps.sh build    compiler, cmake and the libraries: enough for build/warpsage
#     tools/install-deps.sh package  and what Debian's packages and the static program take
#     tools/install-deps.sh test     and cmocka, MPFR, python3 with jsonschema, yaml, cffi, numpy
#     tools/install-deps.sh all      and clang, clang-format, libclc (OpenCL C), libclang-rt (sanitizers,
#                                    libFuzzer)
#
# Nothing is downloaded if nothing is missing. A tool that is there counts, however it came there.
set -euo pipefail

group=${1:-all}
case $group in
build | package | test | all) ;;
*)
    echo "tools/install-deps.sh: unknown group '$group': build, package, test or all" >&2
    exit 2
    ;;
esac

packages=()
# need PACKAGE COMMAND...: the package is missing if the command fails.
need() {
    local package=$1
    shift
    "$@" >/dev/null 2>&1 </dev/null || packages+=("$package")
}
has() {
    command -v "$1"
}
compiles() {
    local compiler=$1
    shift
    local out
    out=$(mktemp)
    echo 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n)
          { return d && n == 99; }' | "$compiler" -x c "$@" - -o "$out"
    local status=$?
    rm -f "$out"
    return $status
}
cmake_is_new_enough() {
    local version
    version=$(cmake --version | sed -nE '1s/.* ([0-9]+)\.([0-9]+).*/\1 \2/p')
    local major=${version% *} minor=${version#* }
    [ "$major" -gt 3 ] || { [ "$major" -eq 3 ] && [ "$minor" -ge 25 ]; }
}
# All of them for one Python: that of PATH, or Debian's.
has_modules() {
    python3 -c "import $1" || /usr/bin/python3 -c "import $1"
}
library() {
    pkg-config --exists "$1"
}
has_header() {
    echo "#include <$1>" | gcc -E -
}
has_libclc() {
    test -r /usr/lib/clc/nvptx64--nvidiacl.bc
}
# The clang that `apt-get install clang` brings, e.g. 14.
clang_major() {
    if command -v clang >/dev/null; then
        clang -dumpversion | cut -d. -f1
    else
        apt-cache depends clang 2>/dev/null | sed -nE 's/.*Depends: clang-([0-9]+)$/\1/p' | head -n 1
    fi
}

find_missing() {
    packages=()
    need build-essential compiles gcc -c
    need build-essential has g++ # libFuzzer and the headers of libstdc++
    need cmake cmake_is_new_enough
    need ninja-build has ninja
    need pkg-config has pkg-config
    need libyaml-dev library yaml-0.1
    need libjansson-dev library jansson
    need libarchive-dev library libarchive # compressed traces
    need libsqlite3-dev library sqlite3 # results of sweeps
    need libhwloc-dev library hwloc # the host as a machine
    need libelf-dev library libelf # cubins and programs
    need liblz4-dev library liblz4 # both: what nvcc packs fat binaries with
    need libzstd-dev library libzstd
    need libsuitesparse-dev has_header suitesparse/cs.h
    need node-d3 test -r /usr/share/nodejs/d3/dist/d3.min.js # what a pointer can do on pages of HTML
    need libdw-dev library libdw # lines of host code in the findings of `warpsage check`
    need libcminpack-dev library cminpack # fits of `warpsage calibrate`
    [ "$group" = build ] && return
    if [ "$group" = package ]; then
        need dpkg-dev has dpkg-shlibdeps
        need file has file
        need liblzma-dev has_header lzma.h # archives that the static program is linked with
        need libbz2-dev has_header bzlib.h
        need zlib1g-dev has_header zlib.h
        need nettle-dev has_header nettle/md5.h
        return
    fi
    need libcmocka-dev library cmocka
    need libmpfr-dev library mpfr # what approximate instructions are judged by
    need python3 has python3
    need python3-jsonschema python3 -c 'import jsonschema'
    need python3-yaml python3 -c 'import yaml' # the jobs of doc/ci.md
    need python3-cffi has_modules 'cffi, numpy' # the Python package
    need python3-numpy has_modules 'cffi, numpy'
    [ "$group" = test ] && return
    need clang has clang
    need clang-format has clang-format
    need "libclc-$(clang_major)" has_libclc # OpenCL C as input
    need "libclang-rt-$(clang_major)-dev" compiles clang -fsanitize=fuzzer,address
}

find_missing
if [ ${#packages[@]} -eq 0 ]; then
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    echo "tools/install-deps.sh: missing, under Debian's names: ${packages[*]}" >&2
    echo "  This system has no apt-get: install them with its own package manager." >&2
    exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "tools/install-deps.sh: missing packages: ${packages[*]}" >&2
        echo "  Not root, and no sudo: run as root: apt-get install ${packages[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
echo "Installing ${packages[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq </dev/null >&2
find_missing # the name of libclang-rt is only known with the package lists
mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends "${packages[@]}" \
    </dev/null >/dev/null

find_missing
if [ ${#packages[@]} -gt 0 ]; then
    echo "tools/install-deps.sh: still missing after the installation: ${packages[*]}" >&2
    echo "  cmake 3.25 or newer is needed; for the rest see the output of apt-get above." >&2
    exit 1
fi

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The static program of build-static/ in a root that has nothing else: no C library, no /proc. Needs root.
#
#     tests/packages/static.sh SOURCE
set -euo pipefail
source=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "tests/packages/static.sh: $*" >&2
    exit 1
}
# expect CODE REGEX COMMAND...
expect() {
    local code=$1 regex=$2 output status=0
    shift 2
    output=$(chroot "$scratch" "$@" 2>&1) || status=$?
    [ "$status" -eq "$code" ] || fail "'$*' ended with status $status, not $code: $output"
    grep -qE -- "$regex" <<<"$output" || fail "'$*' does not print '$regex': $output"
}
tar -xJf "$(ls "$source"/build-static/warpsage-*.tar.xz)" -C "$scratch" --strip-components 1
cp "$source/tests/programs/prebuilt/reduction" "$scratch"
mkdir "$scratch/tmp"
expect 0 '^warpsage [0-9.]+$' /bin/warpsage --version
expect 0 '^v100 .* us .*bandwidth$' /bin/warpsage analyze /share/doc/warpsage/examples/kernels/saxpy/saxpy.yaml
expect 0 'hong-thesis' /bin/warpsage papers
# What it cannot do, it says.
expect 125 'linked statically' /bin/warpsage run --gpu v100 -- /reduction
expect 5 'linked statically' /bin/warpsage calibrate -o /tmp/here.yaml
echo "the static program runs in an empty root"

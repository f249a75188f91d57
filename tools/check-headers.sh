#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks that every header compiles on its own, so that the order of includes never matters.
#
#     tools/check-headers.sh [ROOT]
set -uo pipefail
cd "${1:-$(dirname "$0")/..}" || exit 1

# A header may define static functions that its file of origin does not call.
compile_header() {
    printf '#include "%s"\n' "${1#src/}" |
        "${CC:-cc}" -x c -std=c11 -Wall -Wextra -Werror -Wno-unused-function -Iinclude -Isrc \
            -fsyntax-only - || echo "$1:1: does not compile on its own" >&2
}
export -f compile_header

# base/figure_tables.h makes code of a list that is defined before it.
errors=$(find include src -name '*.h' ! -name figure_tables.h | LC_ALL=C sort |
    xargs -P "$(nproc)" -I{} bash -c 'compile_header {}' 2>&1)
[ -z "$errors" ] || { echo "$errors" >&2; exit 1; }

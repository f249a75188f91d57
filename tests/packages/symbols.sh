#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cmake/debian/libwarpsage1.symbols lists what the shared library exports, with the version that brought it:
# packages of programs depend on the newest of what they use.
#
#     tests/packages/symbols.sh LIBRARY SOURCE            compares
#     tests/packages/symbols.sh LIBRARY SOURCE --write    adds what is new, with the version of warpsage.h
set -euo pipefail
library=$1
source=$2
symbols=$source/cmake/debian/libwarpsage1.symbols
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C

# A version of symbols is one itself: WARPSAGE_1@WARPSAGE_1.
nm -D --defined-only "$library" |
    awk '{ name = $3; sub(/@@/, "@", name); if ($2 == "A") { sub(/@.*/, "", name); name = name "@" name } print name }' |
    sort -u >"$scratch/exported"
sed -nE 's/^ ([^ ]+) [^ ]+$/\1/p' "$symbols" | sort >"$scratch/listed"
comm -13 "$scratch/exported" "$scratch/listed" >"$scratch/gone"
comm -23 "$scratch/exported" "$scratch/listed" >"$scratch/new"

if [ -s "$scratch/gone" ]; then
    echo "tests/packages/symbols.sh: listed in $symbols, no longer exported:" >&2
    cat "$scratch/gone" >&2
    echo "A release that had them needs another SOVERSION without them; what no release had may leave the list." >&2
    exit 1
fi
if [ "${3:-}" = --write ]; then
    version=$(sed -nE 's/^#define WS_VERSION_STRING "(.*)"$/\1/p' "$source/include/warpsage/warpsage.h")
    {
        grep -v '^ ' "$symbols"
        { grep '^ ' "$symbols" && sed "s/.*/ & $version~/" "$scratch/new"; } | sort
    } >"$scratch/symbols"
    cp "$scratch/symbols" "$symbols"
elif [ -s "$scratch/new" ]; then
    echo "tests/packages/symbols.sh: exported, not listed in $symbols:" >&2
    cat "$scratch/new" >&2
    echo "tests/packages/symbols.sh $library $source --write lists them." >&2
    exit 1
fi
soname=$(readelf -d "$library" | sed -nE 's/.*SONAME.*\[(.*)\]$/\1/p')
[ "$(head -n 1 "$symbols")" = "$soname libwarpsage${soname##*.} #MINVER#" ] || {
    echo "tests/packages/symbols.sh: $symbols begins with '$(head -n 1 "$symbols")', the library is $soname" >&2
    exit 1
}
echo "$(wc -l <"$scratch/exported") symbols of $soname"

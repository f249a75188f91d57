#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the packages of a source folder again, from a copy in another folder, without ccache: they must be the same
# bytes as those in build-package/, which `make package` made. Prints where those that differ are left.
#
#     tests/packages/rebuild.sh SOURCE
set -euo pipefail
source=$(cd "$1" && pwd)
scratch=$(mktemp -d)
copy="$scratch/a-folder-elsewhere"
mkdir "$copy"
# Whatever is not built, as it is; the commit's time says which time the files get.
git -C "$source" ls-files -z | (cd "$source" && xargs -0 cp --parents -t "$copy")
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH CCACHE_DISABLE=1
unset CMAKE_C_COMPILER_LAUNCHER
cd "$copy"
{
    cmake --preset package && cmake --build --preset package && cpack --preset package
} >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
same=yes
for package in build-package/*.deb; do
    cmp "$package" "$source/$package" || same=
done
[ -n "$same" ] || { echo "tests/packages/rebuild.sh: two builds differ: $copy/build-package" >&2; exit 1; }
echo "$(find build-package -maxdepth 1 -name '*.deb' | wc -l) packages: two builds are the same bytes"
rm -rf "$scratch"

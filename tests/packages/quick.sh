#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What can be known of the packages in seconds, without a build for them: the list of symbols, the changelog, which
# file is in which package, and that cpack's configuration is accepted. tests/packages/install.sh does the rest.
#
#     tests/packages/quick.sh BUILD SOURCE [CMAKE]
set -euo pipefail
build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
cmake=${3:-cmake}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "tests/packages/quick.sh: $*" >&2
    exit 1
}

cd "$source"
tests/packages/symbols.sh "$build/libwarpsage.so" .

# The changelog: its versions, its times, as many entries as there are; lines as Debian wants them.
changelog=$scratch/changelog
SOURCE_DATE_EPOCH=1700000000 "$source/tools/make-debian-changelog.sh" >"$changelog"
[ "$(grep -c '^  \* ' "$changelog")" -eq "$(grep -c '^- ' CHANGELOG.md)" ] ||
    fail "CHANGELOG.md and Debian's changelog differ in their entries"
[ "$(awk '!/^ -- / && length > 80' "$changelog")" = "" ] || fail "lines of more than 80 columns in Debian's changelog"
grep -q "^warpsage ($("$source/tools/make-debian-changelog.sh" --version)) " "$changelog" || fail "$(head -n 1 "$changelog")"
if command -v dpkg-parsechangelog >/dev/null; then
    said=$(dpkg-parsechangelog -l "$changelog" --all 2>&1 >/dev/null)
    [ -z "$said" ] || fail "$said"
fi

# Each file that is installed is in one package.
DESTDIR=$scratch/all "$cmake" --install "$build" --prefix /usr >/dev/null
for component in tool lib dev data; do
    DESTDIR=$scratch/$component "$cmake" --install "$build" --prefix /usr --component "$component" >/dev/null
    (cd "$scratch/$component" && find . ! -type d) >"$scratch/$component.files"
    [ -s "$scratch/$component.files" ] || fail "nothing is in the component $component"
done
(cd "$scratch/all" && find . ! -type d) | LC_ALL=C sort >"$scratch/all.files"
cat "$scratch"/{tool,lib,dev,data}.files | LC_ALL=C sort | diff "$scratch/all.files" - ||
    fail "files that are in no package (<), or in two (>)"
has() {
    grep -qE "$2" "$scratch/$1.files" || fail "$2 is not in the component $1"
}
has tool '^\./usr/bin/warpsage$'
has tool '/warpsage/libcuda\.so\.1$'
has tool '/man1/warpsage\.1$'
has tool '/completions/warpsage$'
has lib '/libwarpsage\.so\.1$'
has dev '/libwarpsage\.so$'
has dev '/warpsage\.h$'
has data '/machines/v100\.yaml$'
has data '/examples/kernels/saxpy/saxpy\.ptx$'

# What the licences are said of is there.
sed -nE 's/^Files: ([^*].*)$/\1/p' "$source/cmake/debian/copyright" | while read -r pattern; do
    compgen -G "$source/$pattern" >/dev/null || fail "cmake/debian/copyright names $pattern, which is not there"
done

# cpack's configuration.
for preset in package static; do
    "$cmake" --preset "$preset" -B "$scratch/$preset" >"$scratch/log" 2>&1 || fail "preset $preset: $(cat "$scratch/log")"
    if grep -i 'warning' "$scratch/log"; then fail "preset $preset"; fi
done
grep -q 'CPACK_DEBIAN_LIB_PACKAGE_NAME.*libwarpsage1' "$scratch/package/CPackConfig.cmake" || fail "no package libwarpsage1"
grep -q 'CPACK_GENERATOR.*TXZ' "$scratch/static/CPackConfig.cmake" || fail "the static program is not packed as an archive"
echo "$(wc -l <"$scratch/all.files") files in four packages"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs into a temporary folder and uses what is there as a stranger would: examples/api/predict.c
# through find_package (shared and static) and through pkg-config, and the program from elsewhere.
#
#     tests/install/run.sh BUILD SOURCE [C-COMPILER [CMAKE]]
set -euo pipefail
build=$1
source=$2
compiler=${3:-cc}
cmake=${4:-cmake}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset WARPSAGE_MACHINES WARPSAGE_PAPERS
prefix=$scratch/prefix
kernel=$source/tests/cli/data/saxpy.ptx

fail() {
    echo "tests/install/run.sh: $*" >&2
    exit 1
}
# expect REGEX COMMAND...: the command ends well and prints a line that matches.
expect() {
    local regex=$1 output
    shift
    output=$("$@" 2>&1) || fail "'$*' ended with status $?: $output"
    grep -qE -- "$regex" <<<"$output" || fail "'$*' does not print '$regex': $output"
}

"$cmake" --install "$build" --prefix "$prefix" >"$scratch/install.log" ||
    fail "$(cat "$scratch/install.log")"
cd "$prefix"
for file in bin/warpsage share/man/man1/warpsage{,-analyze}.1 \
    share/bash-completion/completions/warpsage share/zsh/site-functions/_warpsage \
    share/fish/vendor_completions.d/warpsage.fish include/warpsage/warpsage.h \
    share/warpsage/machines/{v100,SOURCES}.yaml share/warpsage/evidence.yaml share/warpsage/schemas/report.schema.json \
    share/doc/warpsage/{LICENSE,README.md}; do
    [ -s "$file" ] || fail "$file is not installed"
done
libraries=$(dirname "$(find "$prefix" -name libwarpsage.a)")
shared=$libraries/libwarpsage.so
[ -L "$shared" ] || fail "libwarpsage.so is not installed beside libwarpsage.a"

# So that it shows whose machine files are read.
sed -i 's/^name: .*/name: V100 of the installation/' share/warpsage/machines/v100.yaml
from_there='V100 of the installation'

# Nothing but the public functions.
exported=$(nm -D --defined-only "$shared")
others=$(awk '$2 != "A" && $3 !~ /^ws_/ { print $3 }' <<<"$exported")
[ -z "$others" ] || fail "libwarpsage.so exports other names than ws_*: $others"
grep -q ' T ws_ask@@WARPSAGE_1$' <<<"$exported" || fail "ws_ask is not exported with its version"

# Nor does the archive: a user's program may have any other name.
archive_names=$(nm -g --defined-only "$libraries/libwarpsage.a" | awk 'NF == 3 { print $3 }')
others=$(grep -v '^ws_' <<<"$archive_names" || true)
[ -z "$others" ] || fail "libwarpsage.a exports other names than ws_*: $others"
grep -qx ws_ask <<<"$archive_names" || fail "ws_ask is not in libwarpsage.a"

# A program of 0.1 looks for another file; built anew, it fails at the link and reads nothing wrong.
readelf -d "$shared" | grep -q 'SONAME.*libwarpsage\.so\.1]' || fail "the SONAME is not libwarpsage.so.1"
cat >"$scratch/old.c" <<'EOF'
int ws_estimate_term(void *context, const char *model, const char *id, double *out);
int main(void) { double value; return ws_estimate_term(0, "teg", "n", &value); }
EOF
if "$compiler" "$scratch/old.c" -o "$scratch/old" "$shared" 2>"$scratch/old.log"; then
    fail "a program that uses functions of 0.1 links"
fi
grep -q 'ws_estimate_term' "$scratch/old.log" || fail "$(cat "$scratch/old.log")"

# The program: by its path, through a link, found through PATH; never with the folder it was built in.
cd /
expect "$from_there" "$prefix/bin/warpsage" machines show v100
mkdir "$scratch/elsewhere"
ln -s "$prefix/bin/warpsage" "$scratch/elsewhere/ws"
expect "$from_there" "$scratch/elsewhere/ws" machines show v100
expect "$from_there" env PATH="$prefix/bin:$PATH" warpsage machines show v100
expect ' 8 blocks, 64 of 64 warps' "$prefix/bin/warpsage" occupancy --gpu v100 --block 256
expect "$from_there" env WARPSAGE_MACHINES="$prefix/share/warpsage/machines" \
    "$build/warpsage" machines show v100
# shellcheck disable=SC2013
for command in $("$prefix/bin/warpsage" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    [ "$command" = help ] && continue
    [ -s "$prefix/share/man/man1/warpsage-$command.1" ] || fail "$command has no man page"
done

# find_package
mkdir "$scratch/project"
cp "$source/examples/api/predict.c" "$scratch/project"
cat >"$scratch/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(stranger LANGUAGES C)
find_package(warpsage 0.2 REQUIRED)
foreach(kind warpsage warpsage_static)
  add_executable(with_${kind} predict.c)
  target_link_libraries(with_${kind} PRIVATE warpsage::${kind})
endforeach()
if(NOT EXISTS ${WARPSAGE_MACHINE_DIR}/SOURCES.yaml)
  message(FATAL_ERROR "WARPSAGE_MACHINE_DIR is ${WARPSAGE_MACHINE_DIR}")
endif()
END
{
    "$cmake" -S "$scratch/project" -B "$scratch/out" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_COMPILER="$compiler" && "$cmake" --build "$scratch/out"
} >"$scratch/project.log" 2>&1 || fail "$(cat "$scratch/project.log")"
expect "saxpy on $from_there: [0-9.]+ us by " "$scratch/out/with_warpsage" "$kernel"
expect "saxpy on .*: [0-9.]+ us by " "$scratch/out/with_warpsage_static" "$kernel"

# pkg-config, shared and static
export PKG_CONFIG_PATH=$libraries/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
# shellcheck disable=SC2046
"$compiler" "$scratch/project/predict.c" $(pkg-config --cflags --libs warpsage) \
    -Wl,-rpath,"$libraries" -o "$scratch/with_pkg_config"
expect "saxpy on $from_there: [0-9.]+ us by " "$scratch/with_pkg_config" "$kernel"
# shellcheck disable=SC2046
"$compiler" "$scratch/project/predict.c" $(pkg-config --cflags warpsage) "$libraries/libwarpsage.a" \
    $(pkg-config --libs yaml-0.1 jansson hwloc libelf liblz4 libzstd) -lcxsparse -pthread -lm -ldl \
    -o "$scratch/with_archive"
expect "saxpy on .*: [0-9.]+ us by " "$scratch/with_archive" "$kernel"

# Moved as a whole, it still finds its files.
mv "$prefix" "$scratch/moved"
expect "$from_there" "$scratch/moved/bin/warpsage" machines show v100
expect "saxpy on $from_there: " env LD_LIBRARY_PATH="${libraries/#$prefix/$scratch/moved}" \
    "$scratch/with_pkg_config" "$kernel"

# A program that has names like those within the library, and asks for the version.
cat >"$scratch/names.c" <<'END'
#include <stdio.h>
#include <warpsage/warpsage.h>
#if WS_VERSION_NUMBER < WS_VERSION(0, 1, 0) || WS_VERSION_NUMBER != 10000 * WS_VERSION_MAJOR + \
    100 * WS_VERSION_MINOR + WS_VERSION_PATCH
#error "the numbers of the version"
#endif
int diag_error = 1, arena_alloc = 2, text_read_file = 3, machine_load = 4, profile_destroy = 5;
int main(void)
{
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", WS_VERSION_MAJOR, WS_VERSION_MINOR,
             WS_VERSION_PATCH);
    ws_context *context;
    if (ws_context_create(&context) != WS_OK) return 1;
    ws_context_destroy(context);
    printf("%d %s %s %s\n", diag_error + arena_alloc + text_read_file + machine_load +
           profile_destroy, version, ws_version(), WS_VERSION_STRING);
    return 0;
}
END
# shellcheck disable=SC2046
"$compiler" "$scratch/names.c" -I "$scratch/moved/include" "${libraries/#$prefix/$scratch/moved}/libwarpsage.a" \
    $(pkg-config --libs yaml-0.1 jansson hwloc libelf liblz4 libzstd) -lcxsparse -pthread -lm -ldl -o "$scratch/names"
expect '^15 ([0-9.]+) \1 \1$' "$scratch/names"

echo "installed, built with find_package and pkg-config, run from elsewhere"

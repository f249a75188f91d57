#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs the packages of build-package/ in a fresh Debian below a temporary folder, uses them as a stranger would,
# and removes them. Needs root, debootstrap, lintian and Debian's archive.
#
#     tests/packages/install.sh SOURCE [MIRROR]
set -euo pipefail
source=$(cd "$1" && pwd)
mirror=${2:-http://deb.debian.org/debian}
root=$(mktemp -d)/root
finish() {
    umount "$root/proc" 2>/dev/null || true
    rm -rf --one-file-system "$(dirname "$root")"
}
trap finish EXIT
fail() {
    echo "tests/packages/install.sh: $*" >&2
    exit 1
}
inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"
}
# expect REGEX COMMAND...: the command ends well and prints a line that matches.
expect() {
    local regex=$1 output
    shift
    output=$(inside "$@" 2>&1) || fail "'$*' ended with status $?: $output"
    grep -qE -- "$regex" <<<"$output" || fail "'$*' does not print '$regex': $output"
}
apt() {
    inside apt-get -y -qq -o Dpkg::Use-Pty=0 "$@" >"$root.log" 2>&1 || fail "apt-get $*: $(cat "$root.log")"
}
files() {
    inside find / -xdev \( -path /proc -o -path /var -o -path /tmp -o -path /packages \) -prune -o -print | LC_ALL=C sort
}

said=$(lintian --allow-root --fail-on error,warning "$source"/build-package/*.deb 2>&1) || fail "lintian: $said"

debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 || fail "debootstrap: $(tail "$root.log")"
mount -t proc proc "$root/proc"
apt update
# What remains of the libraries they need is not ours to judge: those are installed before.
mkdir "$root/packages"
cp "$source"/build-package/*.deb "$root/packages"
cp "$source/tests/programs/prebuilt/reduction" "$root/packages"
needs=$(for package in "$source"/build-package/*.deb; do dpkg-deb -f "$package" Depends Recommends; done |
    sed -E -e 's/^(Depends|Recommends): //' | tr ',' '\n' | sed -E -e 's/^ +//' -e 's/ .*//' | grep -v warpsage | sort -u)
# shellcheck disable=SC2086
apt install --no-install-recommends gcc libc6-dev cmake make pkg-config $needs
files >"$root.before"
mapfile -t debs < <(cd "$root" && printf '/%s\n' packages/*.deb)
apt install "${debs[@]}"

kernels=/usr/share/doc/warpsage/examples/kernels
expect '^v100 .* us .*bandwidth$' warpsage analyze $kernels/saxpy/saxpy.yaml
expect '^PASSED$' warpsage run --gpu v100 --quiet -- /packages/reduction
expect 'sum_shared .*memory latency$' warpsage run --gpu v100 --quiet -- /packages/reduction
expect 'hong-thesis' warpsage papers
expect '^-lwarpsage *$' pkg-config --cflags --libs warpsage
inside mkdir /tmp/use
cat >"$root/tmp/use/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(stranger LANGUAGES C)
find_package(warpsage 0.2 REQUIRED)
foreach(kind warpsage warpsage_static)
  add_executable(with_${kind} /usr/share/doc/warpsage/examples/api/predict.c)
  target_link_libraries(with_${kind} PRIVATE warpsage::${kind})
endforeach()
END
# shellcheck disable=SC2016
expect '' sh -c 'cd /tmp/use && cc /usr/share/doc/warpsage/examples/api/predict.c $(pkg-config --cflags --libs warpsage) -o with_pc'
expect '' sh -c 'cd /tmp/use && cmake . && cmake --build .'
for program in with_pc with_warpsage with_warpsage_static; do
    expect '^saxpy on .*: [0-9.]+ us by ' "/tmp/use/$program" $kernels/saxpy/saxpy.ptx
done
# shellcheck disable=SC2016
[ -z "$(inside dpkg-query -W -f '${Conffiles}' warpsage warpsage-data libwarpsage1 libwarpsage-dev)" ] || fail "conffiles"

apt purge warpsage warpsage-data libwarpsage1 libwarpsage-dev
files | diff "$root.before" - || fail "files are left (>), or gone (<), after a purge"
echo "installed in a fresh Debian, used, removed; lintian is quiet"

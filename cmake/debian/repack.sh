#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packs a package of cpack's again, as finish.cmake tells. Needs no root.
#
#     SOURCE_DATE_EPOCH=SECONDS cmake/debian/repack.sh PACKAGE.deb
set -euo pipefail
package=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
dpkg-deb --raw-extract "$package" "$folder/root"
control=$folder/root/DEBIAN
rm -f "$control/postinst" "$control/postrm"
multi_arch=foreign
case $(dpkg-deb --field "$package" Package) in lib*) multi_arch=same ;; esac
sed -i "/^Package:/a Multi-Arch: $multi_arch" "$control/control"
find "$folder/root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
DPKG_DEB_THREADS_MAX=1 dpkg-deb --root-owner-group -Zxz --build "$folder/root" "$folder/new.deb" >/dev/null
mv "$folder/new.deb" "$package"

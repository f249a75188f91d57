#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What compiled kernels call while their values are in vector registers uses none and calls nothing else:
# quick.sh LIBRARY OBJECT...
set -u
library=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" && ar x "$library" "$@" || exit 1
for object in "$@"; do
    missing=$(nm -u "$object" | grep -w U)
    vectors=$(objdump -d --no-show-raw-insn "$object" | grep -E '%([xyz]mm|k[0-7]|st)')
    [ -z "$missing$vectors" ] && continue
    echo "$object:"
    echo "$missing$vectors"
    exit 1
done

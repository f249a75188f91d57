#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where no memory becomes executable the interpreter executes the kernel, and one note says so:
# refused.sh REFUSE_CODE PROGRAM SOURCE_DIR
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
launch=$3/examples/kernels/saxpy/saxpy.yaml
note='the system refuses memory for machine code'
"$2" analyze "$launch" --gpu v100 --isa ptx --quiet --details all --engine interpreter >"$folder/expected" || exit 1
"$1" "$2" analyze "$launch" --gpu v100 --isa ptx --quiet --details all --engine compiled >"$folder/refused"
status=$?
[ $status = 77 ] && exit 77
[ $status = 0 ] || exit 1
grep -q 'avx512' /proc/cpuinfo || exit 77
notes=$(tr -s ' \n' '  ' <"$folder/refused" | grep -o "$note" | wc -l)
[ "$notes" = 1 ] || { echo "the note is there $notes times"; exit 1; }
sed '/^Notes/,$d' "$folder/expected" >"$folder/a"
sed '/^Notes/,$d' "$folder/refused" | cmp - "$folder/a"

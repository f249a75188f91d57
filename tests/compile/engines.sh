#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Profiles and warp traces of bundled kernels are the same by both engines, to the last byte, counted as PTX and in the
# native view, which joins accesses, of all blocks and of a sample: engines.sh PROGRAM SOURCE_DIR
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
for row in full:ptx:sgemm_tiled/sgemm_tiled_512 full:native:sgemm_tiled/sgemm_tiled_512 \
    full:native:stencil2d/stencil2d_shared full:ptx:transpose/transpose_padded full:ptx:reduce/reduce \
    10%:ptx:sgemm_tiled/sgemm_tiled_512 10%:native:reduce/reduce; do
    launch=${row#*:}
    for engine in interpreter compiled auto; do
        "$1" analyze "$2/examples/kernels/${launch#*:}.yaml" --gpu v100 --isa ptx --isa-view "${launch%:*}" --quiet \
            --effort "${row%%:*}" --engine $engine --save-trace "$folder/$engine" >"$folder/$engine.txt" || failed=1
    done
    for engine in compiled auto; do
        cmp "$folder/interpreter" "$folder/$engine" && cmp "$folder/interpreter.txt" "$folder/$engine.txt" && continue
        echo "$row: --engine $engine differs"
        failed=1
    done
done
exit $failed

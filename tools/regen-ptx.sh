#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Compiles the bundled kernels to the PTX that is committed beside them, so that no CUDA toolkit is
# needed to use or test warpsage. Needs nvcc 13.
#
#     tools/regen-ptx.sh [FILE.cu ...]     default: all under examples/kernels, papers and tests
#
# A line `// arch: sm_90` in the .cu asks for that target; else it is sm_75.
# nvcc writes absolute paths into .file; they are made relative to the .cu (CUDA's own headers:
# cuda/NAME), so that the result is the same on every machine.
set -euo pipefail
cd "$(dirname "$0")/.."
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if [ ! -x "$nvcc" ]; then
    echo "tools/regen-ptx.sh: nvcc not found: install the CUDA toolkit 13 or set NVCC" >&2
    exit 1
fi
if [ $# -eq 0 ]; then
    mapfile -t files < <(find examples/kernels papers tests -name '*.cu' | LC_ALL=C sort)
    set -- "${files[@]}"
fi
for source in "$@"; do
    folder=$(cd "$(dirname "$source")" && pwd)
    name=$(basename "$source" .cu)
    (
        cd "$folder"
        arch=$(sed -n -E 's|^// arch: (sm_[0-9a-f]+)$|\1|p' "$name.cu")
        "$nvcc" -ptx -lineinfo -arch="${arch:-sm_75}" "$name.cu" -o "$name.ptx"
        sed -i -E "s|^([[:space:]]*\.file[[:space:]]+[0-9]+ )\"$folder/|\1\"|
                   s|^([[:space:]]*\.file[[:space:]]+[0-9]+ )\"/[^\"]*/([^/\"]+)\"|\1\"cuda/\2\"|
                   1i // SPDX-License-Identifier: Apache-2.0" "$name.ptx"
    )
    echo "${source%.cu}.ptx"
done

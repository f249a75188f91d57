#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The Python package as a stranger gets it: a wheel, unpacked elsewhere, with the tests of this folder and the examples.
# Status 77: no Python here has cffi and numpy.
#
#     tests/python/run.sh BUILD SOURCE [C-COMPILER [PYTHON]]
#     WARPSAGE_PYTHON=VENV/bin/python tests/python/run.sh ...     that Python; its Triton, Numba, pandas are tested, too
set -euo pipefail
build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
export CC=${3:-cc}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

python=
for candidate in ${WARPSAGE_PYTHON:-"${4:-python3}" /usr/bin/python3}; do
    if "$candidate" -c 'import cffi, numpy' 2>"$scratch/why"; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "skipped: $(tail -n 1 "$scratch/why")"
    exit 77
fi

export WARPSAGE_LIBRARY=$build/libwarpsage.so PYTHONDONTWRITEBYTECODE=1
(cd "$source/python/backend" && "$python" -c "import warpsage_wheel; warpsage_wheel.build_wheel('$scratch')")
unset WARPSAGE_LIBRARY
mkdir "$scratch/site" "$scratch/elsewhere"
(cd "$scratch/site" && "$python" -m zipfile -e "$scratch"/warpsage-*.whl .)
export PYTHONPATH=$scratch/site WARPSAGE_SOURCE=$source WARPSAGE_PROGRAM=$build/warpsage WARPSAGE_WHEEL_FOLDER=$scratch
cd "$scratch/elsewhere"
"$python" -W error::ResourceWarning -m unittest discover -s "$source/tests/python" -t "$source/tests/python"

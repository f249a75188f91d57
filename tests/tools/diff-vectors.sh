#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the conformance vectors were at a revision and what they are now, as a unified diff.
#
#     tests/tools/diff-vectors.sh [REVISION]      default: HEAD, to review a change before its commit
set -euo pipefail
revision=${1:-HEAD}
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git archive "$revision" tests/tools | tar -x -C "$work"
python3 -B "$work/tests/tools/make-vectors.py" "$work/before"
python3 -B tests/tools/make-vectors.py "$work/now"
cd "$work"
diff -u --recursive --exclude=made-of.sha256 before now || true

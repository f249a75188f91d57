# SPDX-License-Identifier: Apache-2.0
"""edit_json.py IN OUT STATEMENT: a report `d` in which something was changed, as another tool might have."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    d = json.load(file)
kernel = d["kernels"][0]
machine = kernel["machines"][0] if kernel.get("machines") else None
exec(sys.argv[3])
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump(d, file)

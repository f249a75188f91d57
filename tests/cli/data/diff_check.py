# SPDX-License-Identifier: Apache-2.0
"""diff_check.py A.json B.json DIFF.json: what a comparison says, computed anew from the two reports.

Kernels are those of B in A under the name that DIFF says. Counters, times, the band of their ratio and the
order of changes; the gate, if DIFF has one."""
import json
import math
import sys


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def near(a, b):
    return a == b or (a is not None and b is not None and abs(a - b) <= 1e-12 * abs(b))


def expect(what, got, wanted):
    if not near(got, wanted) if isinstance(wanted, float) else got != wanted:
        raise SystemExit(f"{what}: {got}, not {wanted}")


def check_counts(kernel, before, after):
    changed, unchanged = {}, 0
    for name in before["profile"].keys() | after["profile"].keys():
        a = before["profile"].get(name, {}).get("value")
        b = after["profile"].get(name, {}).get("value")
        if a is None and b is None:
            continue
        if a == b:
            unchanged += 1
        else:
            changed[name] = (a, b)
    rows = [row for row in kernel["changes"] if not row["id"].startswith("launch/")]
    expect("changed counters", {row["id"]: (row["a"], row["b"]) for row in rows}, changed)
    for row in rows:
        if row["a"]:
            expect(row["id"], row["ratio"], row["b"] / row["a"])
            expect(row["id"], row["change"], row["b"] / row["a"] - 1)
    sizes = [abs(row["b"] - row["a"]) / max(row["a"], row["b"]) for row in rows
             if row["a"] is not None and row["b"] is not None]
    expect("order", sizes, sorted(sizes, reverse=True))
    if kernel["unchanged"] < unchanged:
        raise SystemExit(f"unchanged: {kernel['unchanged']}, not at least {unchanged}")


def check_time(machine, before, after):
    a, b, time = before["headline"], after["headline"], machine["time"]
    ratio = b["time_s"] / a["time_s"]
    up = math.sqrt(math.log(b["hi"] / b["time_s"]) ** 2 + math.log(a["time_s"] / a["lo"]) ** 2)
    down = math.sqrt(math.log(b["time_s"] / b["lo"]) ** 2 + math.log(a["hi"] / a["time_s"]) ** 2)
    low, high = ratio * math.exp(-down), ratio * math.exp(up)
    expect("ratio", time["ratio"], ratio)
    expect("low", time["ratio_lo"], low)
    expect("high", time["ratio_hi"], high)
    is_same = ratio == 1 or low <= 1 <= high
    expect("verdict", machine["verdict"], "same" if is_same else "better" if ratio < 1 else "worse")


def check_gate(gate):
    for check in gate["checks"]:
        a, b = check["a"], check["b"]
        worse = (a - b if check["more_is_better"] else b - a) / (a or math.nan)
        if a == 0:  # any change from 0 is infinitely large
            worse = math.inf if (b < 0) == check["more_is_better"] else -math.inf
        expect("worse by", check["worse_by"], float(worse) if math.isfinite(worse) else None)
        expect(check["metric"], check["result"], "failed" if worse > gate["fail_over"] else "passed")


def main():
    a, b, diff = map(load, sys.argv[1:4])
    before = {kernel["name"]: kernel for kernel in a["kernels"]}
    after = {kernel["name"]: kernel for kernel in b["kernels"]}
    for kernel in diff["kernels"]:
        sides = before[kernel["a_name"]], after[kernel["name"]]
        check_counts(kernel, *sides)
        for machine in kernel["machines"]:
            check_time(machine, *[next(m for m in side["machines"]
                                       if m["machine"] == machine["machine"]) for side in sides])
    if diff["gate"]:
        check_gate(diff["gate"])
    print("agrees")


main()

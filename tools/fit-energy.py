#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits the energies of the V100 to the watts of accuracy/power-v100, and tells the errors on rows that were left out.

    tools/fit-energy.py build/warpsage

The model is linear in its energies. Four factors are fitted, on those of the machine file: of a cycle of an SM, of all
instructions, of shared memory and L1, of the L2; constant, static and DRAM power are published and kept. A row is
fitted at the rate that was measured: launches per second, or bytes of DRAM per second where the measured time is of
several kernels. Left out are each kernel in turn, and half of the clocks. doc/models/energy-per-instruction.md.
"""
import csv
import json
import os
import statistics
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
ACCURACY = os.path.join(ROOT, "accuracy")
DRAM_BANDWIDTH = 898e9
INSTRUCTIONS = ["fp32", "fp16", "fp64", "int", "multiply", "logic", "sfu", "tensor"]
GROUPS = {"sm_cycle": None, "instructions": INSTRUCTIONS, "shared": ["shared", "l1"], "l2": ["l2"]}
BLOCKS = 128  # of a launch to execute, as the set does


def read_rows():
    with open(os.path.join(ACCURACY, "power-v100.csv")) as stream:
        return list(csv.DictReader(stream))


def effort(grid):
    blocks = 1
    for size in grid.split("x"):
        blocks *= int(size)
    return "full" if blocks <= 2 * BLOCKS else f"{100 * BLOCKS / blocks:.9g}%"


def analyze(program, rows):
    """What the model says of one launch on the machines of all its rows."""
    first = rows[0]
    command = [program, "analyze", os.path.join(ACCURACY, first["file"]), "-k", first["entry"], "-g",
               first["grid"].replace("x", ","), "-b", first["block"].replace("x", ","), "--effort", effort(first["grid"]),
               "-f", "json", "--gpu", ",".join(os.path.join(ACCURACY, row["machine"]) for row in rows)]
    for arg in first["args"].split():
        command += ["--arg", arg]
    text = subprocess.run(command, check=True, capture_output=True, text=True)
    return [machine["power"] for machine in json.loads(text.stdout)["kernels"][0]["machines"]]


def point(row, power):
    """Watts of each group, at the predicted rate and by the measured one over that."""
    terms = {term: value["value"] for term, value in power["terms"].items()}
    active, seconds = float(row["active"]), power["time_s"]
    joules = {name: sum(terms.get(f"joules.{unit}", 0) for unit in units) for name, units in GROUPS.items() if units}
    watts = {name: active * value / seconds for name, value in joules.items()}
    watts["sm_cycle"] = active * terms["const_sm_w"]
    dram = terms.get("events.dram", 0)
    faster = 1.0
    if row["seconds"]:
        faster = seconds / float(row["seconds"]) / active
    elif row["measured:dram_active"] and row["application"] != "mergeSort":
        faster = float(row["measured:dram_active"]) * DRAM_BANDWIDTH * seconds / dram / active
    return {"kernel": row["kernel"], "clock": row["instance"], "measured": float(row["watts"]), "idle": terms["idle_w"],
            "groups": watts, "dram": active * terms.get("joules.dram", 0) / seconds, "faster": faster}


def parts(one, measured_rate):
    faster = one["faster"] if measured_rate else 1.0
    groups = {name: watts if name == "sm_cycle" else watts * faster for name, watts in one["groups"].items()}
    return groups, one["idle"] + one["dram"] * faster


def fit(points):
    """Factors of least relative squares, none negative, by descent along one after the other."""
    factors = dict.fromkeys(GROUPS, 1.0)
    data = [(parts(one, True), one["measured"]) for one in points]
    for _ in range(2000):
        for name in GROUPS:
            above = below = 0.0
            for (groups, fixed), measured in data:
                rest = measured - fixed - sum(factors[other] * groups[other] for other in GROUPS if other != name)
                above += groups[name] * rest / measured**2
                below += groups[name] ** 2 / measured**2
            factors[name] = max(0.0, above / below) if below else 0.0
    return factors


def ratios(points, factors, measured_rate):
    out = []
    for one in points:
        groups, fixed = parts(one, measured_rate)
        out.append((fixed + sum(factors[name] * groups[name] for name in GROUPS)) / one["measured"])
    return out


def tell(title, values):
    errors = [abs(value - 1) for value in values]
    print(f"{title:62} mean {100 * statistics.mean(errors):5.1f} %  median {100 * statistics.median(errors):5.1f} %  "
          f"most {100 * max(errors):5.1f} %")


def main():
    program = sys.argv[1]
    rows = read_rows()
    points = []
    for kernel in dict.fromkeys(row["kernel"] for row in rows):
        own = [row for row in rows if row["kernel"] == kernel]
        points += [point(row, power) for row, power in zip(own, analyze(program, own))]
    factors = fit(points)
    print("factors on the machine file: " + ", ".join(f"{name} {value:.3f}" for name, value in factors.items()))
    one = dict.fromkeys(GROUPS, 1.0)
    tell("machine file, measured rates (all rows in view)", ratios(points, one, True))
    tell("machine file, predicted times (all rows in view)", ratios(points, one, False))
    for measured_rate, words in ((True, "measured rates"), (False, "predicted times")):
        kernels = {}
        for kernel in dict.fromkeys(p["kernel"] for p in points):
            others = fit([p for p in points if p["kernel"] != kernel])
            kernels[kernel] = ratios([p for p in points if p["kernel"] == kernel], others, measured_rate)
        tell(f"each kernel by a fit without it, {words}", sum(kernels.values(), []))
        print("    " + ", ".join(f"{statistics.geometric_mean(values):.4g}" for values in kernels.values()))
        clocks = list(dict.fromkeys(p["clock"] for p in points))
        for half in (clocks[::2], clocks[1::2]):
            factors = fit([p for p in points if p["clock"] in half])
            rest = [p for p in points if p["clock"] not in half]
            tell(f"fit on {', '.join(clock.split()[0] for clock in half)} MHz, the other clocks, {words}",
                 ratios(rest, factors, measured_rate))
    return 0


if __name__ == "__main__":
    sys.exit(main())

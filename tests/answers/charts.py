#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures of charts (analyze --charts) against counts by hand, against what other commands say, and against each other.

    tests/answers/charts.py build/warpsage

The last line is `N passed, N failed`.
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
from json_schema import check_schema  # noqa: E402
KERNELS = os.path.join(ROOT, "examples", "kernels")

# Operations of a launch, from its source, and the GPUs that are asked.
OPERATIONS = {
    "sgemm_tiled/sgemm_tiled_512": ("fp32", 2 * 512**3, "v100"),
    "saxpy/saxpy": ("fp32", 2 * 2**24, "h200"),
    "transpose/transpose_naive": ("fp32", 0, "gtx280"),
}
# Sets of `warpsage whatif` that are a change of the charts.
WHATIF = {"dram_bandwidth": "machine.dram.bandwidth=*2", "sms": "machine.sm.count=*2",
          "core_clock": "machine.clock.core=*1.1", "shared_latency": "machine.shared.latency=*0.5"}

failures, passes = [], 0


def check(what, is_right, *values):
    global passes
    passes += bool(is_right)
    if not is_right:
        failures.append(f"{what}: {' '.join(map(str, values))}")
        print("FAILED", failures[-1])


def near(a, b, relative=1e-9):
    return abs(a - b) <= relative * max(abs(a), abs(b))


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True,
                          env={**os.environ, "WARPSAGE_ISA": "ptx"})
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def check_roofline(what, machine, kernel):
    roofline = machine["charts"]["roofline"]
    time = machine["headline"]["time_s"]
    kinds = {kind["id"]: kind for kind in roofline["kinds"]}
    levels = {level["id"]: level for level in roofline["levels"]}
    check(f"{what}: time of the roofline", roofline["time_s"] == time, roofline["time_s"], time)
    kind, operations, _ = OPERATIONS[kernel]
    counted = kinds[kind]["operations"] if kind in kinds else 0
    check(f"{what}: operations", counted == operations, counted, operations)
    for level in levels.values():
        check(f"{what}: {level['id']} under its peak", level["share"] is None or level["share"] <= 1 + 1e-9,
              level["share"])
    for kind in kinds.values():
        check(f"{what}: {kind['id']} under its peak", kind["share"] <= 1 + 1e-9, kind["share"])
        for point in kind["points"]:
            level = levels[point["level"]]
            name = f"{what}: {kind['id']} at {point['level']}"
            roof = min(kind["peak"], point["intensity"] * level["bandwidth"])
            check(f"{name}: roof", near(point["roof"], roof), point["roof"], roof)
            check(f"{name}: under it", kind["rate"] <= roof * (1 + 1e-9), kind["rate"], roof)
            check(f"{name}: intensity", near(point["intensity"], kind["operations"] / level["bytes"]))


def check_warps(what, machine):
    scaling, estimates = machine["charts"]["scaling"], {e["model"]: e for e in machine["estimates"]}
    points = scaling["points"]
    here = [point for point in points if point["is_here"]]
    check(f"{what}: scaling has the launch", len(here) == 1 and here[0]["time_s"] == estimates["teg"]["time_s"], here)
    check(f"{what}: scaling ascends", all(a["warps"] < b["warps"] for a, b in zip(points, points[1:])))
    check(f"{what}: speed-up over one warp", points[0]["warps"] == points[0]["speedup"] == 1, points[0])
    check(f"{what}: times and speed-ups", all(near(p["time_s"] * p["speedup"], points[0]["time_s"]) for p in points))
    check(f"{what}: resident warps", here[0]["warps"] == machine["occupancy"]["warps_per_sm"], here)
    chart = machine["charts"]["warp_parallelism"]
    point = chart["points"][chart["here"] - 1]
    terms = estimates["mwp-cwp"]["terms"]
    check(f"{what}: MWP of the launch", near(point["mwp"], terms["mwp"]["value"]), point)
    check(f"{what}: CWP of the launch", near(point["cwp"], terms["cwp"]["value"]), point)
    check(f"{what}: time of the launch", near(point["time_s"], estimates["mwp-cwp"]["time_s"]), point)
    for point in chart["points"]:
        check(f"{what}: CWP is at most N", point["cwp"] <= point["warps"] + 1e-9, point)


def check_occupancy(what, machine):
    for over, curve in machine["charts"]["occupancy"].items():
        here = [point for point in curve["points"] if point["is_here"]]
        check(f"{what}: occupancy over {over}",
              len(here) == 1 and here[0]["warps_per_sm"] == machine["occupancy"]["warps_per_sm"], here)


def check_sensitivity(what, warpsage, profile, machine):
    sensitivity = machine["charts"]["sensitivity"]
    changes = sensitivity["changes"]
    check(f"{what}: model", sensitivity["model"] == machine["best"])
    check(f"{what}: time", sensitivity["time_s"] == machine["headline"]["time_s"])
    gains = [change["gain"] for change in changes]
    check(f"{what}: ranked", gains == sorted(gains, reverse=True), gains)
    for change in changes:
        check(f"{what}: {change['id']} says why it loses", change["gain"] >= 1 - 1e-6 or change["note"], change)
    by_id = {change["id"]: change for change in changes}
    sets = [word for name in WHATIF if name in by_id for word in ("--set", WHATIF[name])]
    answer = json.loads(run(warpsage, "whatif", "--profile", profile, "--gpu", machine["machine"], "-f", "json", *sets))
    rows = {row["change"]: row for row in answer["machines"][0]["rows"]}
    for name, change in WHATIF.items():
        row = next((row for key, row in rows.items() if change.split("=")[0] in key), None)
        if name not in by_id or not row:
            check(f"{what}: whatif has {change}", name not in by_id, list(rows))
            continue
        other = next(e["time_s"] for e in row["estimates"] if e["model"] == machine["best"])
        check(f"{what}: {name} as whatif", near(by_id[name]["time_s"], other), by_id[name], other)


def check_power(what, machine):
    power = machine["charts"]["power"]
    if not power:
        check(f"{what}: why there is no power", machine["charts"]["power_reason"])
        return
    cores = [row["cores"] for row in power["cores"]]
    sms = machine["hardware"]["sm_count"]
    check(f"{what}: SMs", cores[0] == 1 and cores[-1] == sms and len(cores) == min(32, sms) and cores == sorted(set(cores)),
          cores)
    check(f"{what}: time on all SMs", near(power["cores"][-1]["time_s"], machine["power"]["time_s"]))
    check(f"{what}: watts on all SMs", near(power["cores"][-1]["gpu_w"], machine["power"]["mean"]["value"]))
    best = min(power["cores"], key=lambda row: row["energy_j_total"])
    check(f"{what}: best", power["best"]["cores"] == best["cores"], power["best"], best)
    degrees = [point["degc"] for point in power["temperature"]]
    if not degrees:  # no temperature constants
        return
    check(f"{what}: warms and cools", degrees[0] == 57 and max(degrees) > 60 and abs(degrees[-1] - 57) < 0.3,
          degrees[0], max(degrees), degrees[-1])
    check(f"{what}: map of the die", power["thermal"]["schema"] == "warpsage.thermal/1"
          and len(power["thermal"]["cells_celsius"]) == 32)


def main(warpsage):
    warpsage = os.path.abspath(warpsage)
    with tempfile.TemporaryDirectory() as folder:
        for kernel in OPERATIONS:
            profile = os.path.join(folder, os.path.basename(kernel) + ".trace")
            run(warpsage, "analyze", os.path.join(KERNELS, kernel + ".yaml"), "--effort", "5%", "--save-trace", profile,
                "-f", "json", "-o", os.devnull)
            ask = [warpsage, "analyze", "--profile", profile, "--gpu", OPERATIONS[kernel][2], "--charts", "-f", "json"]
            text = run(*ask)
            check(f"{kernel}: schema", not check_schema("report", text), check_schema("report", text))
            if "sgemm" in kernel:
                check("the same with one thread", run(*ask, "--threads", "1") == text)
            for machine in json.loads(text)["kernels"][0]["machines"]:
                what = f"{kernel} on {machine['machine']}"
                check_roofline(what, machine, kernel)
                check_warps(what, machine)
                check_occupancy(what, machine)
                check_sensitivity(what, warpsage, profile, machine)
                check_power(what, machine)
    print(f"{passes} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

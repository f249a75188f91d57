#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A GPU is one file: every command takes it, by id and by alias, and nothing else changes.

    one_file.py PROGRAM
"""
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LAUNCH = os.path.join(ROOT, "examples", "kernels", "saxpy", "saxpy.yaml")
# Twice the DRAM bandwidth of a V100, once as a whole file and once by inheritance, which doubles what is sustained, too.
INHERITING = """name: Heir
inherits: v100
aliases: [heir-alias]
dram:
  bandwidth: {value: 1796, unit: GB/s, from: assumed}
"""
failed = passed = 0


def check(what, got, wanted):
    global failed, passed
    if got == wanted:
        passed += 1
        return
    failed += 1
    print(f"[  FAILED  ] {what}: {got}, expected {wanted}")


def run(*words, status=0):
    done = subprocess.run([sys.argv[1], *words], capture_output=True, text=True)
    check(" ".join(words), (done.returncode, done.stderr if done.returncode != status else ""),
          (status, ""))
    return done.stdout


def write_files(folder):
    shutil.copytree(os.path.join(ROOT, "data", "machines"), folder)
    with open(os.path.join(folder, "v100.yaml"), encoding="utf-8") as file:
        text = file.read()
    for pattern, new in ((r"(?m)^name: .*", "name: Newcomer"),
                         (r"(?m)^aliases: .*", "aliases: [new-alias]"),
                         (r"\b(bandwidth: \{value: )898,", r"\g<1>1796,"),
                         (r"(sustained_bandwidth: \{value: )867,", r"\g<1>1734,"),
                         (r"(mixed_bandwidth: \{value: )809,", r"\g<1>1618,")):
        text, count = re.subn(pattern, new, text)
        check(f"one '{pattern}' in v100.yaml", count, 1)
    with open(os.path.join(folder, "newcomer.yaml"), "w", encoding="utf-8") as file:
        file.write(text)
    with open(os.path.join(folder, "heir.yaml"), "w", encoding="utf-8") as file:
        file.write(INHERITING)


def machine_of(name, *words):
    report = json.loads(run("analyze", "--profile", "profile.json", "--gpu", name, "-f", "json", *words))
    return report["kernels"][0]["machines"][0]


def check_answers(machine, bundled):
    """Evidence goes by compute capability; the bound of a kernel that streams by bandwidth."""
    name = machine["machine"]
    check(f"{name}: evidence", machine["headline"]["evidence"], bundled["headline"]["evidence"])
    check(f"{name}: models", [e["model"] for e in machine["estimates"]],
          [e["model"] for e in bundled["estimates"]])
    bounds = [next(e["time_s"] for e in m["estimates"] if e["model"] == "speed-of-light")
              for m in (machine, bundled)]
    check(f"{name}: twice the bandwidth", round(bounds[1] / bounds[0], 9), 2)


def check_commands(name, alias, path):
    listed = list(csv.DictReader(io.StringIO(run("machines", "list", name, "-f", "csv"))))
    check(f"{name} is listed", [row["machine"] for row in listed], [name])
    check(f"{alias} is shown", json.loads(run("machines", "show", alias, "-f", "json"))["machine"],
          name)
    supported = list(csv.DictReader(io.StringIO(run("machines", "check", path, "-f", "csv"))))
    bundled = list(csv.DictReader(io.StringIO(run("machines", "check", os.path.join(
        os.environ["WARPSAGE_MACHINES"], "v100.yaml"), "-f", "csv"))))
    check(f"{name} has what models need", [(row["model"], row["lacks"]) for row in supported],
          [(row["model"], row["lacks"]) for row in bundled])
    difference = json.loads(run("machines", "diff", "v100", name, "-f", "json"))
    check(f"{name} differs", list(difference["values"]),
          ["dram.bandwidth", "dram.sustained_bandwidth", "dram.mixed_bandwidth"])
    run("occupancy", "--gpu", name, "--block", "256")
    run("whatif", "--profile", "profile.json", "--gpu", name, "--set", "machine.sm.count=40")
    run("throughput", "--profile", "profile.json", "--gpu", alias)
    run("split", "--profile", "profile.json", "--gpu", name, "--cpu", "e5645x2")
    run("timeline", "--profile", "trace.json", "--gpu", name, "-o", "timeline.json")
    run("power", "--profile", "profile.json", "--gpu", name)


def main():
    sys.argv[1] = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["WARPSAGE_MACHINES"] = os.path.join(folder, "machines")
        write_files("machines")
        run("analyze", LAUNCH, "--save-trace", "trace.json", "-o", "report")
        run("analyze", LAUNCH, "--save-profile", "profile.json", "-o", "report")
        bundled = machine_of("v100")
        for name, alias in (("newcomer", "new-alias"), ("heir", "heir-alias")):
            check_answers(machine_of(name), bundled)
            check_commands(name, alias, os.path.join("machines", name + ".yaml"))
        os.chdir(ROOT)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

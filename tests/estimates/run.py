#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What every model says of every bundled kernel on every machine, against estimates.csv.

    tests/estimates/run.py build/warpsage            compares, relative tolerance 1e-9
    tests/estimates/run.py build/warpsage --write    writes the table anew: `make estimates`

A change of a model, a counter or a machine file shows as a diff of the table, which someone reads.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TABLE = os.path.join(HERE, "estimates.csv")
HEADER = ["launch", "machine", "model", "time_s"]


def launches():
    folder = os.path.join(ROOT, "examples", "kernels")
    for kernel in sorted(os.listdir(folder)):
        for name in sorted(os.listdir(os.path.join(folder, kernel))):
            if name.endswith(".yaml"):
                yield name[:-5], os.path.join(folder, kernel, name)


def machines():
    """Pairs of name and the option that takes it."""
    folder = os.path.join(ROOT, "data", "machines")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".yaml") and name != "SOURCES.yaml":
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                yield name[:-5], "--cpu" if "\nkind: cpu\n" in file.read() else "--gpu"


def run(command):
    return subprocess.run(command, capture_output=True, text=True)


def forget_ptxas(profile):
    """Registers from liveness alone: the table must not depend on an installed CUDA toolkit."""
    with open(profile) as file:
        content = json.load(file)
    content["registers"] = [r for r in content["registers"] if r["from"] != "ptxas"]
    with open(profile, "w") as file:
        json.dump(content, file)


def estimates(program):
    """Each launch is executed once; a machine that it does not fit has no rows."""
    all_machines = list(machines())
    for launch, path in launches():
        with tempfile.TemporaryDirectory() as folder:
            profile = os.path.join(folder, "profile.json")
            done = run([program, "analyze", path, "--save-profile", profile, "-o", os.devnull])
            if done.returncode != 0:
                sys.exit(f"{launch}: exit {done.returncode}: {done.stderr.strip()}")
            forget_ptxas(profile)
            for name, option in all_machines:
                done = run([program, "analyze", "--profile", profile, option, name,
                            "--format", "json"])
                if done.returncode == 2 and "do not fit" in done.stderr:
                    continue
                if done.returncode != 0:
                    sys.exit(f"{launch}, {name}: exit {done.returncode}: {done.stderr.strip()}")
                machine = json.loads(done.stdout)["kernels"][0]["machines"][0]
                for estimate in machine["estimates"]:
                    yield [launch, name, estimate["model"], f"{estimate['time_s']:.9g}"]


def main():
    program = os.path.abspath(sys.argv[1])
    rows = list(estimates(program))
    if "--write" in sys.argv:
        with open(TABLE, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(HEADER)
            writer.writerows(rows)
        print(f"{len(rows)} estimates written")
        return
    with open(TABLE, newline="") as file:
        wanted = {tuple(row[:3]): float(row[3]) for row in list(csv.reader(file))[1:]}
    failed = 0
    for row in rows:
        expected = wanted.pop(tuple(row[:3]), None)
        if expected is None:
            print(f"not in the table: {','.join(row)}")
        elif abs(float(row[3]) - expected) > 2e-9 * abs(expected):
            print(f"{','.join(row)}: the table has {expected:.9g}")
        else:
            continue
        failed += 1
    for missing in wanted:
        print(f"no longer predicted: {','.join(missing)}")
        failed += 1
    print(f"{len(rows) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

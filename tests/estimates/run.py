#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What every model says of every bundled kernel on every machine, against estimates.csv.

    tests/estimates/run.py build/warpsage            compares, relative tolerance 2e-9
    tests/estimates/run.py build/warpsage --write    writes the table anew: `make estimates`

The table comes from the program itself: it shows in review which estimates a change moves, and by how
much, and does not say which are right. The models' golden cases, from papers, do that (tests/golden).

Models that replay traces (teg) answer for the machines in TRACED only, which bounds the time this takes.
Launches in NIGHTLY are compared by `make nightly` only (NIGHTLY is set): the same kernels at a smaller size
are compared always.
"""
import concurrent.futures
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TABLE = os.path.join(HERE, "estimates.csv")
HEADER = ["launch", "machine", "model", "value", "unit"]
KEY, VALUE = [0, 1, 2, 4], 3
TRACED = ["gtx280", "gtx580", "v100", "a100-sxm4-40gb"]
NIGHTLY = ["sgemm_naive_1024", "sgemm_tiled_1024"]
TOLERANCE = 2e-9  # both values are rounded to nine digits


def is_left_out(launch):
    return launch in NIGHTLY and "--write" not in sys.argv and not os.environ.get("NIGHTLY")


def launches():
    folder = os.path.join(ROOT, "examples", "kernels")
    for kernel in sorted(os.listdir(folder)):
        for name in sorted(os.listdir(os.path.join(folder, kernel))):
            if name.endswith(".yaml") and not is_left_out(name[:-5]):
                yield name[:-5], os.path.join(folder, kernel, name)


def machines():
    """Name, the option that takes it, and the view by which its instructions are counted."""
    folder = os.path.join(ROOT, "data", "machines")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".yaml") and name != "SOURCES.yaml":
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read()
                capability = re.search(r"^compute_capability: *\{value: *\"(\d+)", text, re.MULTILINE)
                is_new = capability and int(capability[1]) >= 7
                yield (name[:-5], "--cpu" if "\nkind: cpu\n" in text else "--gpu",
                       "native" if is_new else "ptx")


def without_ptxas(folder):
    """An environment in which ptxas fails: estimates must not depend on an installed CUDA toolkit."""
    shutil.copy(shutil.which("false"), os.path.join(folder, "ptxas"))
    return {**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"], "WARPSAGE_ISA": "ptx"}


def run(command, environment, launch):
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode == 2 and "do not fit" in done.stderr:
        return None
    if done.returncode != 0:
        raise SystemExit(f"{launch}: {' '.join(command)}: exit {done.returncode}: "
                         f"{done.stderr.strip()}")
    return done.stdout


def execute(program, launch, path, view, folder, environment):
    """Executes a launch; paths of its profile with the warps' traces and of one without."""
    traced, plain = (os.path.join(folder, f"{launch}-{view}{end}.json") for end in ("", "-no-trace"))
    run([program, "analyze", path, "--isa-view", view, "--save-profile", traced, "--save-trace",
         os.path.join(folder, f"{launch}-{view}.trace"), "-o", os.devnull], environment, launch)
    with open(traced) as file:
        profile = json.load(file)
    del profile["trace_file"]
    with open(plain, "w") as file:
        json.dump(profile, file)
    return traced, plain


def rows_of(launch, name, machine):
    for estimate in machine["estimates"]:
        yield [launch, name, estimate["model"], f"{estimate['time_s']:.9g}", "s"]
    power = machine["power"]
    if "model" in power:
        yield [launch, name, power["model"], f"{power['mean']['value']:.9g}", power["mean"]["unit"]]


def estimates_of(program, launch, path):
    """Each launch is executed once by each view of its instructions; a machine that it does not fit has no rows."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        environment = without_ptxas(folder)
        executed = {view: execute(program, launch, path, view, folder, environment)
                    for view in ("ptx", "native")}
        for name, option, view in machines():
            traced, plain = executed[view]
            report = run([program, "analyze", "--profile", traced if name in TRACED else plain,
                          option, name, "--format", "json"], environment, launch)
            if report:
                rows += rows_of(launch, name, json.loads(report)["kernels"][0]["machines"][0])
    return rows


def estimates(program):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda launch: estimates_of(program, *launch), list(launches()))
        return [row for rows in found for row in rows]


def key(row):
    return tuple(row[i] for i in KEY)


def compare(rows):
    with open(TABLE, newline="") as file:
        wanted = {key(row): float(row[VALUE]) for row in list(csv.reader(file))[1:]
                  if not is_left_out(row[0])}
    known = {machine for _, machine, *_ in wanted}
    added = {row[1] for row in rows} - known
    if added:
        print(f"not in the table, `make estimates` adds them: {', '.join(sorted(added))}")
    rows = [row for row in rows if row[1] in known]
    failed = 0
    for row in rows:
        expected = wanted.pop(key(row), None)
        if expected is None:
            print(f"not in the table: {','.join(row)}")
        elif abs(float(row[VALUE]) - expected) > TOLERANCE * abs(expected):
            print(f"{','.join(row)}: the table has {expected:.9g}")
        else:
            continue
        failed += 1
    for missing in wanted:
        print(f"no longer predicted: {','.join(missing)}")
        failed += 1
    print(f"{len(rows) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


def main():
    rows = estimates(os.path.abspath(sys.argv[1]))
    if "--write" not in sys.argv:
        compare(rows)
    with open(TABLE, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(rows)
    print(f"{len(rows)} estimates written")


if __name__ == "__main__":
    main()

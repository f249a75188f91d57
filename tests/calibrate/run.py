#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Closed loops: `calibrate` measures the model teg of a machine, and must find the figures of its file.

    tests/calibrate/run.py build/warpsage [MACHINE...]

A row is a machine: a file of data/machines, or one made of it by changed figures, with the benchmarks that run always
and, with NIGHTLY set, those that run then. Every figure of the file that one of GROUPS names and a chosen
benchmark lists must be found, within the group's tolerance, unless the row says why not; a figure that the
file lacks is compared with nothing.
"""
import csv
import io
import os
import re
import subprocess
import sys
import tempfile

# (figures, relative tolerance): latencies are exact, but for the rounding of the clock.
GROUPS = [
    (r"latency\..*|issue_latency\..*|issue\..*|sm\.subpartitions", 1e-3),
    (r"shared\.(latency|replay_latency|banks|bank_width|operand_latency)", 1e-3),
    # what counts, and where a cache ends
    (r"l1\.(latency|size|ways|line)|l2\.(latency|ways)|sm\.(per_cluster|max_blocks|.*_unit|register_per_block)"
     r"|dram\.(latency|fetch_bytes|channels|interleave|transfers_per_clock)|global\.(rule|.*_bytes)"
     r"|shared\.(unit|reserved)|launch\.cycles", 1e-3),
    (r"dram\..*bandwidth|l1\.bandwidth|l2\.(.*bandwidth|atomic_cycles)", 0.02),
    (r"departure_delay\..*", 0.05),
    (r"power\..*|temperature\..*", 0.05),
    (r"shared\.atomic_cycles|throughput\..*|tensor\.fma|global\.load_store_lanes", 0.02),
]
ARITHMETIC = r"^latency|^throughput|^issue|^shared|^barrier|^tensor"
POWER = r"^power|^temperature"
# What the throughputs of other classes are needed for.
UNITS = r"throughput\.(fp32\.(add|mul|fma)|fp64|int\.(add|m)|sfu\.rsqrt)"


# Caches, memory and launches; of those what takes little time where a cache is large.
MEMORY = r"^latency\.(l1|l2|dram|texture)|^cache|^size|^line|^bandwidth|^requests|^sawtooth|^rule|^channels" \
         r"|^launch|^atomics|^occupancy"
CACHES = r"^latency\.(l1|l2|dram|texture)|^size\.l1|^line|^cache|^requests|^bandwidth\.l._sm|^launch|^atomics|^occupancy"
HASHED = {"dram.channels": "addresses are hashed, and rows hide channels"}
LOCAL = {"power.max.local": "caches serve local memory", "power.spec_linear.local": "so they do"}
FERMI = {**HASHED, "shared.unit": "no more than 8 blocks fit", "launch.cycles": "too short to see"}


class Row:
    def __init__(self, name, base=None, changes=None, often="", nightly=ARITHMETIC, unknown=None,
                 jitter=0, clock="teg"):
        self.name, self.base, self.changes = name, base or name, changes or {}
        self.often, self.nightly = often, nightly
        self.unknown = unknown or {}  # figure: why it is not determined
        self.clock = clock  # the model whose times are measured
        self.jitter = jitter  # percent; then 2 % is the tolerance


WIDE = {"issue.width": "as much in twice the time"}
OPERAND = {"shared.operand_latency": "PTX has no such operand"}
ROWS = [
    Row("v100", often=ARITHMETIC),
    # Rates are those of the longest of many spans, which jitter lengthens: they are not held to it.
    Row("v100-jitter", base="v100", often=r"^latency\.(fp|int)|^shared\.latency",
        nightly=r"^latency|^shared\.latency", jitter=1),
    Row("gtx280", often=r"^latency\.(fp|int)|^issue|^shared|" + UNITS, unknown={**WIDE, **OPERAND}),
    Row("gtx580", often=r"^throughput|^latency\.fp32|^issue\.sched", unknown=WIDE),
    Row("invented-volta", base="v100", often=ARITHMETIC, changes={
        "clock.core": "1.1 GHz", "sm.subpartitions": 2, "issue.schedulers": 2,
        "latency.fp32.add": 6, "latency.fp32.mul": 7, "latency.fp32.fma": 5,
        "latency.fp64.add": 11, "latency.fp64.fma": 12.5, "latency.fp16": 9,
        "latency.int.add": 5.5, "latency.int.mul": 6.25, "latency.sfu.sin": 23,
        "latency.sfu.rsqrt": 41, "latency.barrier": 35, "throughput.fp32.fma": 32,
        "throughput.fp32.add": 32, "throughput.fp32.mul": 32, "throughput.fp64.fma": 8,
        "throughput.sfu.rsqrt": 8, "throughput.shuffle": 16, "throughput.barrier": 8,
        "shared.latency": 25, "shared.replay_latency": 3, "shared.atomic_cycles": 9,
        "global.load_store_lanes": 16, "tensor.fma": 256}),
    Row("invented-tesla", base="gtx280", often=ARITHMETIC, unknown={**WIDE, **OPERAND}, changes={
        "clock.core": "900 MHz", "latency.fp32.add": 20, "latency.fp32.fma": 30,
        "latency.int.add": 18.5, "latency.fp64.add": 61, "issue_latency.fp32.add": 10,
        "issue_latency.fp32.mul": 10, "issue_latency.fp32.fma": 10, "issue_latency.int.add": 10,
        "issue_latency.mem.global.load": 80, "throughput.fp64.add": 2, "throughput.sfu.rsqrt": 4,
        "throughput.int.mul": 4, "shared.latency": 44, "shared.replay_latency": 7.25}),
    Row("v100-memory", base="v100", often=CACHES, nightly=MEMORY, unknown=HASHED),
    Row("v100-memory-jitter", base="v100", often=r"^latency\.(l1|l2|dram)",
        nightly=CACHES, jitter=1),
    Row("gtx280-memory", base="gtx280", nightly=MEMORY),
    Row("gtx580-memory", base="gtx580", nightly=MEMORY, unknown=FERMI),
    Row("invented-caches", base="v100", often=CACHES, nightly=MEMORY, unknown=HASHED, changes={
        "sm.count": 46, "clock.core": "1.21 GHz", "l1.size": "96 KiB", "l1.latency": "41 cycle",
        "l1.bandwidth": "90 B/cycle", "l1.ways": 8, "l2.size": "3.5 MiB", "l2.latency": "251 cycle",
        "l2.bandwidth": "1500 GB/s", "l2.sm_bandwidth": "48 B/cycle", "l2.ways": 12,
        "l2.request_bandwidth": "20 B/cycle", "l2.atomic_cycles": "3 cycle",
        "dram.latency": "611 cycle", "dram.sustained_bandwidth": "610 GB/s",
        "dram.mixed_bandwidth": "520 GB/s", "dram.fetch_bytes": "32 B", "launch.cycles": "900 cycle",
        "latency.mem.texture.load": "87 cycle"}),
    Row("invented-clusters", base="gtx280", often=MEMORY, nightly=MEMORY, changes={
        "sm.count": 24, "sm.per_cluster": 2, "clock.core": "1.1 GHz", "dram.latency": "423 cycle",
        "dram.bandwidth": "88.6 GB/s", "dram.clock": "692 MHz", "dram.channels": 4,
        "global.min_segment_bytes": "64 B"}),
    Row("invented-fermi", base="gtx580", often=MEMORY, nightly=MEMORY, unknown=FERMI, changes={
        "clock.core": "1.2 GHz", "l1.size": "48 KiB", "l1.latency": "52 cycle", "l1.ways": 6,
        "l2.latency": "240 cycle", "l2.bandwidth": "300 GB/s", "dram.latency": "500 cycle"}),
    # Units that are slower than the schedulers, results that are late.
    Row("invented-kepler", base="k40c", often=r"^issue\.sched|^shared\.latency|^rule|^cache",
        nightly=r"^issue\.sched|^shared\.latency|^rule|^cache|^latency\.(fp|int)",
        unknown={"issue.cycles": "units limit each mixture", "issue.width": "units limit each mixture",
                 "latency.fp64.mul": "its unit is busy for as long",
                 "global.cached_load_bytes": "loads pass by the L1",
                 "global.initial_segment_bytes": "loads pass by the L1"},
        changes={"sm.count": 10, "clock.core": "692 MHz", "latency.fp32.add": 13,
                 "latency.fp32.mul": 7, "latency.fp32.fma": 12, "latency.fp64.add": 11,
                 "latency.fp64.mul": 8, "latency.fp64.fma": 13, "latency.int.add": 7,
                 "latency.int.mul": 11, "latency.int.mad": 7, "shared.latency": 38,
                 "l1.latency": "28 cycle", "l2.latency": "176 cycle", "dram.latency": "443 cycle",
                 "throughput.fp64.fma": 96, "throughput.fp64.add": 96, "throughput.fp64.mul": 96}),
    Row("gtx280-power", base="gtx280", often=POWER, nightly=POWER),
    Row("gtx580-power", base="gtx580", often=POWER, nightly=POWER),
    # All linear, with constant power of SMs.
    Row("invented-power", base="v100", nightly=POWER + "|^tensor", unknown=LOCAL, changes={
        "power.max.fp64": "1.3 W", "power.max.tensor": "2.1 W",
        "power.idle": "41.3 W", "power.clock": "1.53 GHz", "power.max.int": "0.45 W",
        "power.max.fp": "0.62 W", "power.max.sfu": "0.8 W", "power.max.alu": "0.38 W",
        "power.max.texture": "0.9 W", "power.max.const": "0.5 W", "power.max.shared": "1.1 W",
        "power.max.reg": "0.4 W", "power.max.fds": "0.27 W", "power.max.global": "900 W",
        "power.max.local": "850 W", "power.max.l1": "1.7 W", "power.max.l2": "210 W",
        "power.const_sm": "0.31 W", "power.activation": "22 W", "power.log_scaling": 0,
        "power.static_per_kelvin": "0.36 W/K", "temperature.idle": "38.4 degC",
        "temperature.per_watt": "0.15 K/W", "temperature.offset": "4.1 K",
        "temperature.by_intensity": "14 K", "temperature.rc_rise": "22 s",
        "temperature.rc_decay": "47 s"}),
    # Other units are spec-linear, another beta.
    Row("invented-power-log", base="gtx280", nightly=POWER, changes={
        "sm.count": 24, "clock.core": "1.1 GHz", "power.clock": "1.1 GHz", "power.idle": "61.6 W",
        "power.max.fp": "0.35 W", "power.max.int": "0.3 W", "power.max.reg": "0.25 W",
        "power.max.shared": "0.7 W", "power.max.global": "38 W", "power.max.local": "45 W",
        "power.spec_linear.fp": 0, "power.spec_linear.shared": 1, "power.log_beta": 1.7,
        "power.activation": "6 W", "power.const_sm": "1.1 W", "temperature.rc_rise": "20 s"}),
    *[Row(name + "-departure", base=name, clock="mwp-cwp", often="^departure", nightly="^departure")
      for name in ("gtx280", "8800gt")],
    Row("invented-departure", base="gtx280", clock="mwp-cwp", often="^departure", nightly="^departure",
        changes={"dram.latency": "530 cycle", "departure_delay.coalesced": "9 cycle",
                 "departure_delay.uncoalesced": "23 cycle", "clock.core": "1.45 GHz"}),
]


def answer(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def figures_of(program, machine):
    rows = csv.DictReader(io.StringIO(answer(program, "machines", "show", machine, "--format", "csv")))
    values = {}
    for row in rows:
        try:
            values[row["key"]] = float(row["value"])
        except (ValueError, TypeError):
            pass
    return values


def write_machine(row, folder):
    if not row.changes:
        return row.base
    path = os.path.join(folder, row.name + ".yaml")
    with open(path, "w") as out:
        out.write(f"inherits: {row.base}\nname: {row.name}\n")
        for section in sorted({key.split(".")[0] for key in row.changes}):
            out.write(f"{section}:\n")
            for key, value in row.changes.items():
                first, rest = key.split(".", 1)
                number, _, unit = str(value).partition(" ")
                if first != section:
                    continue
                if not unit:
                    unit = unit_of(key)
                out.write(f"  {rest}: {{value: {number}{unit and ', unit: ' + unit}, from: assumed}}\n")
    return path


def unit_of(key):
    if re.match(r"latency|issue_latency|issue\.(cycles|interval)|shared\.(latency|replay|atomic)", key):
        return "cycle"
    return "thread/cycle" if re.match(r"throughput|global\.load", key) else ""


def listed(program, only):
    text = answer(program, "calibrate", "--list", "--only", only)
    keys = set()
    for line in re.findall(r"^ *figures: (.*)$", text, re.M):
        keys.update(line.split())
    return keys


def group_of(key):
    for names, tolerance in GROUPS:
        if re.fullmatch(names, key):
            return tolerance
    return None


def compare(row, known, found, keys):
    worst, failures = {}, []
    for key in sorted(keys):
        tolerance, wanted = group_of(key), known.get(key)
        if tolerance is None or not wanted or key in row.unknown:
            continue
        if row.jitter:
            tolerance = 0.02
        if key not in found:
            failures.append(f"{row.name}: {key} is {wanted:g}, but was not determined")
            continue
        error = abs(found[key] - wanted) / wanted
        worst[key] = error
        if error > tolerance:
            failures.append(f"{row.name}: {key} is {wanted:g}, found {found[key]:g} ({error:.2%} off)")
    if not worst:
        failures.append(f"{row.name}: nothing was compared")
    return worst, failures


def loop(program, row, folder):
    only = row.nightly if os.environ.get("NIGHTLY") else row.often or row.nightly
    machine, output = write_machine(row, folder), os.path.join(folder, row.name + "-found.yaml")
    options = ["--clock-jitter", f"{row.jitter}%"] if row.jitter else []
    repeats = ["--repeats", "15"] if row.jitter else []
    power = ["--power"] if POWER in only else []
    answer(program, "run", "--gpu", machine, "--clock", row.clock, *options, "--", program, "calibrate",
           "--short", "--only", only, *power, *repeats, "-o", output)
    answer(program, "machines", "check", output)
    return compare(row, figures_of(program, machine), figures_of(program, output),
                   listed(program, only))


def main():
    program, chosen, failures = os.path.abspath(sys.argv[1]), sys.argv[2:], []
    for row in ROWS:
        if row.name not in chosen if chosen else not (row.often or os.environ.get("NIGHTLY")):
            continue
        with tempfile.TemporaryDirectory() as folder:
            worst, wrong = loop(program, row, folder)
        key = max(worst, key=worst.get, default="")
        print(f"{row.name}: {len(worst)} figures, the worst {worst.get(key, 0):.2%} off ({key})")
        failures += wrong
    for line in failures:
        print(line)
    sys.exit(1 if failures else 0)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Answers that contradict each other, searched over models, machines and bundled kernels.

    tests/contradictions/run.py build/warpsage          a fixed sample, in seconds
    tests/contradictions/run.py build/warpsage --all    every machine and kernel, minutes

Of every answer: no time is below the speed of light of the same launch, machine and effects; a worse
machine never gains and a better one never loses, unless the output says why; no share is above 100 %, no
part above its whole, no bandwidth above the peak. The last line is `N passed, N failed`.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

SAMPLE_LAUNCHES = ["saxpy", "reduce", "transpose_naive", "sgemm_naive_512", "histogram_private",
                   "nbody"]
SAMPLE_MACHINES = ["8800gt", "gtx280", "gtx580", "k40c", "v100", "h200"]
SAMPLE_TRACED = [("saxpy", "gtx280"), ("reduce", "v100")]  # executed, so that teg has its traces

# Key, change that makes the machine worse, change that makes it better.
CHANGES = [("dram.bandwidth", "*0.3", "*3"), ("dram.bandwidth", "*0.95", "*1.05"),
           ("dram.latency", "*2", "*0.5"), ("sm.count", "*0.5", "*2"), ("sm.count", "-1", "+2"),
           ("cpu.cores", "-1", "+2"), ("clock.core", "*0.7", "*1.5"), ("l1.bandwidth", "*0.5", "*2"),
           ("l2.bandwidth", "*0.5", "*2"), ("l2.latency", "*1.5", "*0.7"),
           ("shared.latency", "*2", "*0.5"), ("departure_delay.uncoalesced", "*2", "*0.5"),
           ("departure_delay.coalesced", "*2", "*0.5"), ("throughput.fp32.fma", "*0.5", "*2"),
           ("throughput.int.add", "*0.5", "*2"), ("throughput.sfu.rcp", "*0.5", "*2"),
           ("issue.cycles", "*2", "*0.5"), ("global.load_store_lanes", "*0.5", "*2"),
           ("latency.fp32.fma", "*2", "*0.5")]
# A gain by a worse machine is a reading of these models, which the output explains (doc/models): the
# sawtooth of quantitative and the share of an SM in the bandwidth; the order in which teg issues.
MAY_SURPRISE = {"quantitative": "sm.count", "mwp-cwp": "sm.count", "throughput": "sm.count", "teg": ""}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 2 and ("do not fit" in done.stderr or "does not fit" in done.stderr):
        return None  # such a launch is not possible there
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def launches():
    folder = os.path.join(ROOT, "examples", "kernels")
    return {name[:-5]: os.path.join(folder, kernel, name)
            for kernel in sorted(os.listdir(folder))
            for name in sorted(os.listdir(os.path.join(folder, kernel))) if name.endswith(".yaml")}


def machines():
    """Name to keys with their values."""
    out = {}
    for name in sorted(os.listdir(os.path.join(ROOT, "data", "machines"))):
        if name.endswith(".yaml") and name != "SOURCES.yaml":
            shown = run(PROGRAM, "machines", "show", name[:-5])
            out[name[:-5]] = dict(re.findall(r"^machine\.(\S+) +(\S+)", shown, re.M))
    return out


def is_cpu(keys):
    return "cpu.cores" in keys


# ---- what-ifs ------------------------------------------------------------------------------------

def check_row(row, change, faults):
    """change: (key, is it better); None: the launch as it is, or without an effect."""
    times = {e["model"]: e for e in row["estimates"] if e["time_s"] is not None}
    bound = times.get("speed-of-light", {"time_s": 0})["time_s"]
    for model, estimate in times.items():
        if estimate["time_s"] < bound * (1 - 1e-9):
            faults.append(f"{row['change']}: {model} {estimate['time_s']} below the bound {bound}")
        gain = estimate["gain"]
        if change is None or gain is None:
            continue
        key, better = change
        if (gain < 1 - 1e-6) if better else (gain > 1 + 1e-6):
            explained = row["note"] and model in row["note"]
            allowed = model in MAY_SURPRISE and key.startswith(MAY_SURPRISE[model])
            if not explained or not allowed:
                faults.append(f"{row['change']}: {model} {gain:.6g}x, note {row['note']}")


def check_whatif(source, machine, keys):
    sets, changes = [], []
    for key, worse, better in CHANGES:
        for change, is_better in ((worse, False), (better, True)):
            whole = keys.get(key, "0") in ("0", "1") and change.startswith(("-", "*0"))
            if key in keys and not (key.endswith("count") and whole):
                sets += ["--set", f"machine.{key}={change}"]
                changes.append((key, is_better))
    out = run(PROGRAM, "whatif", *source, "--gpu", machine, "--each", "-f", "json", *sets)
    faults = []
    if out is None:
        return faults
    rows = json.loads(out)["machines"][0]["rows"]
    plain = [row for row in rows if row["change"] != "all of these together"]
    for i, row in enumerate(plain):
        check_row(row, changes[i - 1] if 0 < i <= len(changes) else None, faults)
    return faults


# ---- reports -------------------------------------------------------------------------------------

def number(text):
    return float(text.replace(",", ""))


def check_text(text, faults):
    for share, of in re.findall(r"([\d.]+) % of (peak|the time)", text):
        if float(share) > 100:
            faults.append(f"{share} % of {of}")
    pattern = r"([\d.,]*\d) of ([\d.,]*\d) (warps|SMs|registers|lanes|blocks|threads)"
    for part, whole, what in re.findall(pattern, text):
        if number(part) > number(whole):
            faults.append(f"{part} of {whole} {what}")
    for part, whole in re.findall(r"([\d.]+)/([\d.]+) warps per SM", text):
        if float(part) > float(whole):
            faults.append(f"{part}/{whole} warps per SM")
    for share in re.findall(r" (\d+)  \|  [█·]", text):
        if int(share) > 100:
            faults.append(f"{share} % of the time")
    ratio = re.search(r"speed of light: .* = ([\d.]+)x", text)
    peak = re.search(r"^LIMIT .*?(\d+) % of peak", text, re.M)
    if ratio and float(ratio[1]) < 1:
        faults.append(f"{ratio[1]}x the speed of light")
    if ratio and peak and float(peak[1]) > 100 / float(ratio[1]) * 1.01 + 1:
        faults.append(f"{peak[1]} % of peak beside {ratio[1]}x the speed of light")


def check_estimates(report, faults):
    estimates = {e["model"]: e for e in report["estimates"]}
    bound = estimates.get("speed-of-light")
    for model, estimate in estimates.items():
        if bound and estimate["time_s"] < bound["time_s"] * (1 - 1e-9):
            faults.append(f"{model} {estimate['time_s']} below the bound {bound['time_s']}")
    best = next((e for e in report["estimates"] if e.get("best")), report["estimates"][0])
    for item in report["advice"]:
        if item["time_s"] is not None and item["time_s"] > best["time_s"] * (1 + 1e-9):
            faults.append(f"{item['code']} promises {item['time_s']}, more than {best['time_s']}")


def check_report(source, machine, keys):
    faults = []
    option = "--cpu" if is_cpu(keys) else "--gpu"
    text = run(PROGRAM, "analyze", *source, option, machine, "--details", "all")
    if text is None:
        return faults
    check_text(text, faults)
    report = json.loads(run(PROGRAM, "analyze", *source, option, machine, "-f", "json"))
    check_estimates(report["kernels"][0]["machines"][0], faults)
    return faults


def find_all(value, key):
    """Every value of `key`, however deep."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from [inner] if name == key else find_all(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from find_all(inner, key)


def check_power(source, machine, keys):
    peak = float(keys["dram.bandwidth"]) * 1e9  # shown in GB/s
    out = run(PROGRAM, "power", *source, "--gpu", machine, "-f", "json")
    moved = list(find_all(json.loads(out or "null"), "bandwidth_bytes_per_s"))
    if out and not moved:
        return ["no bandwidth in the answer"]
    return [f"{one:.4g} B/s of {peak:.4g}" for one in moved if one > peak * (1 + 1e-9)]


# ---- all of them ---------------------------------------------------------------------------------

def jobs(folder, everything):
    known = machines()
    chosen = known if everything else {name: known[name] for name in SAMPLE_MACHINES}
    for launch, path in launches().items():
        if not everything and launch not in SAMPLE_LAUNCHES:
            continue
        profile = os.path.join(folder, launch + ".json")
        run(PROGRAM, "analyze", path, "--save-profile", profile, "-o", os.devnull)
        source = ("--profile", profile)
        for machine, keys in chosen.items():
            name = f"{launch} on {machine}"
            yield f"{name}: report", check_report, source, machine, keys
            if not is_cpu(keys):
                yield f"{name}: what-ifs", check_whatif, source, machine, keys
            if machine in ("gtx280", "gtx580"):
                yield f"{name}: power", check_power, source, machine, keys
    for launch, machine in SAMPLE_TRACED:
        source = (launches()[launch],)
        yield f"{launch} on {machine}, traced: what-ifs", check_whatif, source, machine, known[machine]


def main():
    failed = passed = 0
    with tempfile.TemporaryDirectory() as folder:
        todo = list(jobs(folder, "--all" in sys.argv))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for (name, *_), faults in zip(todo, pool.map(lambda job: job[1](*job[2:]), todo)):
                for fault in faults:
                    print(f"{name}: {fault}")
                failed += bool(faults)
                passed += not faults
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


PROGRAM = os.path.abspath(sys.argv[1])
sys.exit(main())

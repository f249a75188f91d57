#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Timelines against the Trace Event Format and against what the report says: check.py PROGRAM

Reads the files as a viewer does and shares no code with their writer. A track is a (pid, tid); slices
(ph X) of a track may lie in each other but may not cross. Expected sums are those of `analyze`:
    units       t_pipe.*, t_shared, t_lsu: share of the simulated time, over all owners of the unit
    schedulers  one slice a warp instruction
    warps       the shares of the causes that warps wait for
Parts (--cycles, --events) must be the whole, cut."""
import collections
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
KERNELS = os.path.join(ROOT, "examples", "kernels")
SCHEDULERS, UNITS, WARPS, BLOCKS, MEMORY = 1, 2, 3, 4, 5
STEP = 0.001  # cycles: times are written to three digits

TERMS = {"fp32": "t_pipe.fp32", "int": "t_pipe.int", "fp64": "t_pipe.fp64", "fp16": "t_pipe.fp16",
         "sfu": "t_pipe.sfu", "tensor": "t_pipe.tensor", "shared": "t_shared", "lsu": "t_lsu"}

N = 64 * 64
SGEMM = [f"{KERNELS}/sgemm_tiled/sgemm_tiled.ptx", "-g", "4,4", "-b", "16,16", "--arg", "s32:64",
         "--arg", f"f32[{N}]=random", "--arg", f"f32[{N}]=random:2", "--arg", f"f32[{N}]"]
SAXPY = [f"{KERNELS}/saxpy/saxpy.ptx", "-g", "48", "-b", "96", "--arg", "s32:4500", "--arg", "f32:2",
         "--arg", "f32[4608]=random", "--arg", "f32[4608]=iota"]
A100 = [f"{ROOT}/tests/traces/a100_vector_add/kernelslist.g"]
WITHOUT_PARTS = ("gtx580",)  # both schedulers of an SM use the same units
CASES = [(SGEMM, "gtx280"), (SGEMM, "gtx580"), (SGEMM, "gtx680"), (SGEMM, "v100"), (SGEMM, "h200"),
         (SAXPY, "gtx280"), (SAXPY, "gtx680"), (A100, "a100")]


class Failure(Exception):
    pass


def fail(text):
    raise Failure(text)


def near(got, want, relative, absolute, what):
    if abs(got - want) > relative * abs(want) + absolute:
        fail(f"{what}: {got}, expected {want}")


def run(program, *words):
    done = subprocess.run([program, *words], capture_output=True, check=False)
    if done.returncode:
        fail(f"{words}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout, done.stderr.decode()


def no_constant(word):
    fail(f"{word} is not JSON")


def parse(text):
    document = json.loads(text, parse_constant=no_constant)
    if set(document) != {"displayTimeUnit", "otherData", "traceEvents"}:
        fail(f"top-level keys {sorted(document)}")
    return document


# ---- the format ---------------------------------------------------------------------------------


def check_event(event):
    phase = event["ph"]
    if phase not in "XiCM":
        fail(f"phase {phase}")
    if not isinstance(event["pid"], int) or not event["name"]:
        fail(f"pid or name of {event}")
    if phase == "M":
        kinds = ("process_name", "process_sort_index", "thread_name", "thread_sort_index")
        if event["name"] not in kinds:
            fail(f"metadata {event}")
        return
    if not isinstance(event["tid"], int) or not event["ts"] >= 0:
        fail(f"tid or ts of {event}")
    if phase == "X" and not event["dur"] > 0:
        fail(f"duration of {event}")
    if phase == "i" and event["s"] not in "gpt":
        fail(f"scope of {event}")
    if phase == "C" and not all(value >= 0 for value in event["args"].values()):
        fail(f"counter {event}")


def check_names(events):
    """Every track has a name, and its process too; no name is given twice."""
    processes, threads = {}, {}
    for event in events:
        if event["name"] == "process_name":
            if event["pid"] in processes:
                fail(f"process {event['pid']} is named twice")
            processes[event["pid"]] = event["args"]["name"]
        if event["name"] == "thread_name":
            key = (event["pid"], event["tid"])
            if key in threads:
                fail(f"track {key} is named twice")
            threads[key] = event["args"]["name"]
    for event in events:
        if event["ph"] == "M" or event.get("s") == "g":
            continue
        if event["pid"] not in processes:
            fail(f"process of {event} has no name")
        if event["ph"] != "C" and (event["pid"], event["tid"]) not in threads:
            fail(f"track of {event} has no name")
    return threads


def tracks_of(events):
    tracks = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            tracks[event["pid"], event["tid"]].append(event)
    return tracks


def check_nesting(tracks):
    for (pid, tid), slices in tracks.items():
        starts = [event["ts"] for event in slices]
        if starts != sorted(starts):
            fail(f"track {pid}/{tid} is not in the order of time")
        stack = []
        for event in slices:
            begin, end = event["ts"], event["ts"] + event["dur"]
            while stack and stack[-1] <= begin + STEP / 2:
                stack.pop()
            if stack and end > stack[-1] + STEP / 2:
                fail(f"{event} crosses the end of what it began in, {stack[-1]}")
            stack.append(end)
            depth = {WARPS: 2}.get(pid, 1)
            if len(stack) > depth:
                fail(f"{event} lies in another one: {len(stack)} deep")


def check_warps(tracks):
    """A warp's slice is filled by what it does and waits for, without gaps."""
    for (pid, tid), slices in tracks.items():
        if pid != WARPS:
            continue
        whole = [event for event in slices if event["name"].startswith("block ")]
        parts = [event for event in slices if not event["name"].startswith("block ")]
        near(sum(event["dur"] for event in parts), sum(event["dur"] for event in whole), 0,
             STEP * (len(parts) + 1), f"the time of warp track {tid}")


def check_format(document):
    events = document["traceEvents"]
    for event in events:
        check_event(event)
    threads = check_names(events)
    tracks = tracks_of(events)
    check_nesting(tracks)
    return threads, tracks


# ---- against the report -------------------------------------------------------------------------


def estimate_of(program, launch, gpu):
    report = json.loads(run(program, "analyze", *launch, "--gpu", gpu, "-f", "json")[0])
    for estimate in report["kernels"][0]["machines"][0]["estimates"]:
        if estimate["model"] == "teg":
            return estimate
    return fail("teg did not answer")


def value(estimate, term):
    found = estimate["terms"].get(term, 0)
    return found["value"] if isinstance(found, dict) else found


def check_sums(estimate, documents, gpu):
    """Busy units, issues and waits of all simulated SMs together."""
    busy, waits = collections.Counter(), collections.Counter()
    warp_time, issues = 0, 0
    for sm, (threads, tracks, _) in enumerate(documents):
        for (pid, tid), slices in tracks.items():
            total = sum(event["dur"] for event in slices)
            if pid == UNITS:
                busy[threads[pid, tid].split()[0]] += total
            if pid == SCHEDULERS:
                issues += len(slices)
            for event in slices if pid == WARPS else []:
                if event["name"].startswith("block "):
                    warp_time += event["dur"]
                elif "waits" in event["args"]:
                    waits[event["name"]] += event["dur"]
    head = documents[0][2]
    cycles, time, sms = head["simulated_cycles"], estimate["time_s"], head["simulated_sms"]
    near(cycles, value(estimate, "simulated_cycles"), 1e-9, 0, "simulated cycles")
    near(issues, value(estimate, "simulated_instructions"), 0, 0, "issued instructions")
    schedulers = len({(sm, tid // head_width(documents)) for sm, (_, tracks, _) in enumerate(documents)
                      for (pid, tid) in tracks if pid == SCHEDULERS})
    for unit, term in TERMS.items():
        share = value(estimate, term) / time
        shared = unit in ("shared", "lsu") or gpu in WITHOUT_PARTS
        count = sms if shared else schedulers
        near(busy[unit], share * cycles * count, 1e-5, STEP * issues, f"time of {unit}")
    for cause, share in estimate["waits"]["causes"].items():
        if cause != "selected":
            near(waits[cause], share * warp_time, 1e-5, STEP * issues, f"waiting for {cause}")


def head_width(documents):
    names = [name for threads, _, _ in documents for (pid, _), name in threads.items()
             if pid == SCHEDULERS]
    return 2 if any("pair" in name for name in names) else 1


# ---- parts --------------------------------------------------------------------------------------


def clip(events, first, last):
    """Slices and instants of [first, last), cut at its ends."""
    out = []
    for event in events:
        if event["ph"] == "X":
            begin, end = max(event["ts"], first), min(event["ts"] + event["dur"], last)
            if end - begin > STEP / 2:
                out.append((event["pid"], event["tid"], round(begin, 3), round(end - begin, 3),
                            event["name"], json.dumps(event["args"], sort_keys=True)))
        elif event["ph"] == "i" and event["s"] == "t" and first <= event["ts"] < last:
            out.append((event["pid"], event["tid"], round(event["ts"], 3), 0, event["name"],
                        json.dumps(event["args"], sort_keys=True)))
    return sorted(out)


def flights(events, at):
    """Sectors in flight at a time."""
    last = 0
    for event in events:
        if event["ph"] == "C" and event["ts"] <= at + STEP / 2:
            last = event["args"]["sectors"]
    return last


def check_window(program, launch, gpu, whole):
    end = whole["otherData"]["simulated_cycles"]
    first, last = int(end * 0.3), int(end * 0.7)
    text, _ = run(program, "timeline", *launch, "--gpu", gpu, "--cycles", f"{first}..{last}")
    part = parse(text)
    check_format(part)
    if clip(part["traceEvents"], 0, end) != clip(whole["traceEvents"], first, last):
        fail(f"cycles {first} to {last} are not what the whole has there")
    for at in (first, (first + last) // 2, last - 1):
        if flights(part["traceEvents"], at) != flights(whole["traceEvents"], at):
            fail(f"sectors in flight at {at}")


def check_limit(program, launch, gpu, whole):
    text, said = run(program, "timeline", *launch, "--gpu", gpu, "--events", "1000")
    part = parse(text)
    check_format(part)
    events = [event for event in part["traceEvents"] if event["ph"] != "M" and event.get("s") != "g"]
    note = part["otherData"]["cut"]
    all_events = [event for event in whole["traceEvents"] if event["ph"] != "M"]
    if len(all_events) <= 1000:
        return
    if not note or "truncated at cycle" not in said:
        fail("the truncation is not reported")
    if len(events) > 1000 or len(events) < 100:
        fail(f"{len(events)} events of 1000")
    last = part["otherData"]["last_cycle"]
    cut = int(last * 1000 + 1e-6) / 1000
    if clip(events, 0, cut) != clip(whole["traceEvents"], 0, cut):
        fail(f"up to the cut at {last}, not what the whole has")


# ---- all of it ----------------------------------------------------------------------------------


def check_case(program, launch, gpu, folder):
    path = os.path.join(folder, "timeline.json")
    words = ["timeline", *launch, "--gpu", gpu, "--events", "5000000"]
    run(program, *words, "-o", path)
    with open(path, "rb") as file:
        text = file.read()
    if run(program, *words)[0] != text:
        fail("another run wrote something else")
    whole = parse(text)
    if whole["otherData"]["cut"]:
        fail("cut without need")
    documents = [check_format(whole) + (whole["otherData"],)]
    check_warps(documents[0][1])
    for sm in range(1, whole["otherData"]["simulated_sms"]):
        other = parse(run(program, *words, "--sm", str(sm))[0])
        documents.append(check_format(other) + (other["otherData"],))
    estimate = estimate_of(program, launch, gpu)
    check_sums(estimate, documents, gpu)
    check_window(program, launch, gpu, whole)
    check_limit(program, launch, gpu, whole)


def main():
    program, failed = sys.argv[1], 0
    with tempfile.TemporaryDirectory() as folder:
        for launch, gpu in CASES:
            name = f"{os.path.basename(launch[0])} on {gpu}"
            try:
                check_case(program, launch, gpu, folder)
            except Failure as failure:
                failed += 1
                print(f"{name}: {failure}")
    print(f"{len(CASES) - failed} of {len(CASES)} timelines are as they should be")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

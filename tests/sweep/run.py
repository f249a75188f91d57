#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""warpsage sweep and tune: their rows against single analyses, stops at any moment, parts, MPI, bad input.

    run.py WARPSAGE [--kills N] [--mpi]
"""
import argparse
import itertools
import json
import math
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DESIGN = SOURCE / "examples/sweep/saxpy.yaml"
PTX = SOURCE / "examples/kernels/saxpy/saxpy.ptx"
passed = failed = 0


def check(what, is_right, said=""):
    global passed, failed
    passed += bool(is_right)
    failed += not is_right
    if not is_right:
        print(f"FAIL {what}{': ' if said else ''}{said}")


def run(*args, **options):
    return subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, check=False, **options)


def rows(path, sql="SELECT * FROM point ORDER BY id"):
    with sqlite3.connect(path) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute(sql)]


def dump(path):
    with sqlite3.connect(path) as database:
        return list(database.iterdump())


def design(name, **changes):
    """A small design in a file of its own; a change of None leaves a key out."""
    keys = {"launches": {"kernel_file": str(PTX), "kernel": "saxpy", "grid": ["${N / B}", 1, 1],
                         "block": ["${B}", 1, 1],
                         "args": ["u32:${N}", "f32:2", "f32[${N}]=random", "f32[${N - SHORT}]=iota"]},
            "vary": {"N": [1024, 4096], "B": [64, 256], "SHORT": [0, 1]},
            "gpu": ["v100", "gtx580"], "machine": {"sm.count": [10, 20]}}
    keys.update(changes)
    path = pathlib.Path(name)
    path.write_text(json.dumps({key: value for key, value in keys.items() if value is not None}))
    return path


# ---- what it computes -------------------------------------------------------------------------------

def single(n, block, gpu, clock):
    """The same point by `whatif`, which executes and predicts it alone."""
    done = run("whatif", PTX, "-k", "saxpy", "-g", math.ceil(n / block), "-b", block, "--arg", f"u32:{n}", "--arg",
               "f32:2", "--arg", f"f32[{n}]=random", "--arg", f"f32[{n}]=iota", "--gpu", gpu, "--set",
               f"machine.clock.core=*{clock}", "-f", "json")
    return json.loads(done.stdout)


def changed_times(answer, model):
    """Of the row with all changes, which is the last."""
    return [estimate["time_s"] for machine in answer["machines"] for estimate in machine["rows"][-1]["estimates"]
            if estimate["model"] == model]


def test_rows():
    done = run("sweep", "run", DESIGN, "-o", "saxpy.db")
    check("a sweep", done.returncode == 0 and "44 points" in done.stdout, done.stderr + done.stdout)
    points = rows("saxpy.db")
    wanted = [(n, b, gpu, clock) for n, b in itertools.product((16384, 65536, 262144), (64, 128, 256, 512))
              if n / b >= 64 for gpu in ("v100", "rtx4090") for clock in ("*1", "*0.75")]
    check("the order of points", [(p["N"], p["BLOCK"], p["gpu"], p["clock.core"]) for p in points] ==
          [(n, b, gpu, clock) for n, b, gpu, clock in wanted] and len(points) == len(wanted),
          f"{len(points)} points, {len(wanted)} wanted")
    for point in points[5::17]:
        answer = single(point["N"], point["BLOCK"], point["gpu"], point["clock.core"][1:])
        times = changed_times(answer, point["model"])
        check(f"point {point['id']} alone", times and math.isclose(times[0], point["time_s"], rel_tol=1e-12),
              f"{times} and {point['time_s']}")
    return points


def test_model():
    path = design("model.yaml", vary={"N": [4096], "B": [256], "SHORT": [0]}, model="mwp-cwp",
                  machine={"sm.count": [10, 20], "dram.bandwidth": ["*1", "*0.5", "300 GB/s"]})
    done = run("sweep", "run", path)
    check("a sweep of one model", done.returncode == 0, done.stderr)
    for point in rows("model.db"):
        answer = run("whatif", PTX, "-k", "saxpy", "-g", 16, "-b", 256, "--arg", "u32:4096", "--arg", "f32:2", "--arg",
                     "f32[4096]=random", "--arg", "f32[4096]=iota", "--gpu", point["gpu"], "--set",
                     f"machine.sm.count={point['sm.count']}", "--set",
                     f"machine.dram.bandwidth={point['dram.bandwidth']}", "-f", "json")
        times = changed_times(json.loads(answer.stdout), "mwp-cwp")
        check(f"mwp-cwp at {point['gpu']} {point['sm.count']} {point['dram.bandwidth']}",
              len(times) == 1 and math.isclose(times[0], point["time_s"], rel_tol=1e-9), f"{times} {point['time_s']}")


def test_reports(points):
    best = json.loads(run("sweep", "best", "saxpy.db", "-n", 3, "-f", "json").stdout)["rows"]
    check("best", [row["time"] for row in best] == sorted(p["time_s"] for p in points)[:3])
    front = json.loads(run("sweep", "pareto", "saxpy.db", "time", "+N", "+BLOCK", "-f", "json").stdout)["rows"]
    key = lambda p: (p["time_s"], -p["N"], -p["BLOCK"])
    beaten = lambda p: any(all(a <= b for a, b in zip(key(o), key(p))) and key(o) != key(p) for o in points)
    check("pareto", sorted(row["time"] for row in front) == sorted(p["time_s"] for p in points if not beaten(p)))
    shares = json.loads(run("sweep", "sensitivity", "saxpy.db", "-f", "json").stdout)["rows"]
    logs = [math.log(p["time_s"]) for p in points]
    for row in shares:
        groups = {}
        for point in points:
            groups.setdefault(point[row["name"]], []).append(math.log(point["time_s"]))
        mean = statistics.fmean(logs)
        share = sum(len(g) * (statistics.fmean(g) - mean) ** 2 for g in groups.values()) / len(logs) / statistics.pvariance(logs)
        check(f"share of {row['name']}", math.isclose(share, row["share"], rel_tol=1e-6, abs_tol=1e-9),
              f"{share} and {row['share']}")
    done = run("sweep", "plot", "saxpy.db", "-x", "N", "--series", "gpu", "-o", "saxpy.svg")
    text = pathlib.Path("saxpy.svg").read_text() if done.returncode == 0 else ""
    check("plot", 'xmlns="http://www.w3.org/2000/svg"' in text and "rtx4090" in text, done.stderr)
    check("--where", len(json.loads(run("sweep", "best", "saxpy.db", "--where", "gpu=v100", "--where", "N=65536", "-n", 99,
                                        "-f", "json").stdout)["rows"]) ==
          sum(p["gpu"] == "v100" and p["N"] == 65536 for p in points))


def test_entries():
    """Points of several launches say which launch they are of."""
    launches = [{"kernel_file": str(PTX), "kernel": kernel, "grid": grid, "block": 64, "args": args} for kernel, grid, args in
                (("saxpy", 4, ["u32:256", "f32:2", "f32[256]=random", "f32[256]=iota"]),
                 ("saxpy", 8, ["u32:512", "f32:2", "f32[512]=random", "f32[512]=iota"]))]
    path = design("entries", launches=launches, vary=None, where=None, defines=None, gpu=["v100"], machine=None)
    done = run("sweep", "run", path)
    check("a sweep of two entries", done.returncode == 0, done.stderr)
    best = json.loads(run("sweep", "best", "entries.db", "-f", "json").stdout)["rows"]
    check("the launches are named", sorted((r["kernel"], r["grid"], r["block"]) for r in best) ==
          [("saxpy", "4,1,1", "64,1,1"), ("saxpy", "8,1,1", "64,1,1")], best)
    one = json.loads(run("sweep", "best", "entries.db", "--where", "grid=8,1,1", "-f", "json").stdout)["rows"]
    check("--where grid", [r["grid"] for r in one] == ["8,1,1"], one)


def test_faults():
    done = run("sweep", "run", design("faults.yaml"))
    points = rows("faults.db")
    check("points that fail", done.returncode == 0 and "without an answer" in done.stdout and len(points) == 32 and
          all((p["status"] == "fault") == (p["SHORT"] == 1) for p in points) and
          all("out of bounds" in p["message"] for p in points if p["SHORT"]), done.stdout)
    done = run("sweep", "status", "faults.db", "-f", "csv")
    check("status", "done,16," in done.stdout and "fault" in done.stdout, done.stdout)


# ---- tuning -----------------------------------------------------------------------------------------

def test_tune():
    path = design("space.yaml", vary={"N": [65536], "B": [64, 128, 256, 512, 1024], "SHORT": [0, 65472]}, gpu="v100",
                  machine=None)
    done = run("tune", path, "--sample", 8, "--whole", 2, "--kernel-tuner", "cache.json", "-f", "json")
    check("tune", done.returncode == 0, done.stderr)
    ranked = json.loads(done.stdout)["rows"]
    points = rows("space.db")
    samples = {(p["B"], p["SHORT"]): p for p in points[:10]}
    best = sorted((p for p in samples.values() if p["status"] == "done"), key=lambda p: p["time_s"])[:2]
    check("the best of the samples are executed whole", {r["B"] for r in ranked} == {p["B"] for p in best} and
          [r["time"] for r in ranked] == sorted(r["time"] for r in ranked), done.stdout)
    alone = run("analyze", PTX, "-k", "saxpy", "-g", 65536 // ranked[0]["B"], "-b", int(ranked[0]["B"]), "--arg", "u32:65536",
                "--arg", "f32:2", "--arg", "f32[65536]=random", "--arg", "f32[65536]=iota", "--gpu", "v100", "-f", "json")
    headline = json.loads(alone.stdout)["kernels"][0]["machines"][0]["headline"]
    check("the best is what analyze says", math.isclose(headline["time_s"], ranked[0]["time"], rel_tol=1e-12))
    last = {p["B"]: p["time_s"] for p in points if p["status"] == "done"}
    # Kernel Tuner 1.5.0, util.py: process_cache and read_cache.
    cache = json.loads(pathlib.Path("cache.json").read_text())
    check("a cache of Kernel Tuner", cache["tune_params_keys"] == ["N", "B", "SHORT"] and
          cache["tune_params"]["B"] == [64, 128, 256, 512, 1024] and len(cache["cache"]) == 10 and
          cache["kernel_name"] == "saxpy" and {"device_name", "problem_size"} <= cache.keys())
    check("its errors and times", all(entry["time"] == "RuntimeFailedConfig" if key.endswith(",65472") else
                                      math.isclose(entry["time"], 1e3 * last[entry["B"]], rel_tol=1e-12)
                                      for key, entry in cache["cache"].items()))
    before = dump("space.db")
    again = run("tune", path, "--sample", 8, "--whole", 2, "-f", "json")
    check("again: nothing is done twice", again.stdout == done.stdout and dump("space.db") == before)
    check("two GPUs", run("tune", design("two.yaml")).returncode == 3)
    check("no configuration", run("tune", design("none.yaml", vary={"N": [65536], "B": [64], "SHORT": [65472]}, gpu="v100",
                                                 machine=None)).returncode == 4)


# ---- stops, parts, ranks ----------------------------------------------------------------------------

def test_kills(count):
    path = design("kill.yaml", vary={"N": [1024, 2048, 4096, 8192], "B": [64, 128, 256], "SHORT": [0, 1]})
    begun = time.monotonic()
    run("sweep", "run", path, "-o", "whole.db")
    took = time.monotonic() - begun
    draw = random.Random(7)
    for _ in range(count):
        process = subprocess.Popen([PROGRAM, "sweep", "run", str(path), "-o", "killed.db"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=draw.uniform(0, took / 4))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
    done = run("sweep", "run", path, "-o", "killed.db")
    check(f"killed {count} times", done.returncode == 0 and dump("killed.db") == dump("whole.db"), done.stderr)
    check("one file is left", not list(pathlib.Path().glob("killed.db-*")))


def test_parts():
    path = design("kill.yaml", vary={"N": [1024, 2048, 4096, 8192], "B": [64, 128, 256], "SHORT": [0, 1]})
    for part in (1, 2, 3):
        run("sweep", "run", path, "--shard", f"{part}/3", "-o", f"part{part}.db")
    done = run("sweep", "merge", "merged.db", "part1.db", "part2.db", "part3.db")
    check("parts", done.returncode == 0 and rows("merged.db") == rows("whole.db"), done.stderr)
    with sqlite3.connect("part2.db") as database:
        database.execute("UPDATE point SET time_s = 2 * time_s WHERE status = 'done'")
    done = run("sweep", "merge", "merged.db", "part2.db")
    check("a part that contradicts", done.returncode == 3 and "contradicts" in done.stderr, done.stderr)


def test_mpi():
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    path = design("kill.yaml", vary={"N": [1024, 2048, 4096, 8192], "B": [64, 128, 256], "SHORT": [0, 1]})
    command = ["mpirun", "--oversubscribe", "-n", "4", PROGRAM, "sweep", "run", str(path), "-o", "ranks.db"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.7)
    ranks = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False).stdout.split()
    if ranks:
        os.kill(int(ranks[-1]), signal.SIGKILL)
    process.communicate()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    check("four ranks, one of them killed", done.returncode == 0 and dump("ranks.db") == dump("whole.db"), done.stderr)


# ---- bad input --------------------------------------------------------------------------------------

def test_bad_designs():
    def refused(what, code, words, **changes):
        done = run("sweep", "run", design("bad.yaml", **changes))
        check(what, done.returncode == code and words in done.stderr, f"{done.returncode} {done.stderr}")

    refused("no launches", 3, "names `launches`", launches=None)
    refused("no gpu", 3, "names `gpu`", gpu=None)
    refused("an unknown key", 3, "unknown key 'machines'", machines={})
    refused("a wrong name", 3, "no value is named 'M'", where=["M > 1"])
    refused("nothing is left", 3, "leaves no launch", where=["N < 0"])
    refused("division by 0", 3, "division by 0", where=["N / 0"])
    refused("deep brackets", 3, "nested too deeply", where=["(" * 500 + "1" + ")" * 500])
    refused("an unknown gpu", 2, "v1000", gpu=["v1000"])
    refused("an unknown figure", 2, "unknown machine key 'sm.counts'", machine={"sm.counts": [1]})
    refused("an impossible figure", 2, "sm.count", machine={"sm.count": [0]})
    refused("a name twice", 3, "stands twice", machine={"N": [1]})
    refused("a column's name", 3, "column of every sweep", vary={"N": [64], "B": [64], "SHORT": [0], "status": [1]})
    refused("a wrong range", 3, "a range is", vary={"N": {"from": 2, "to": 1, "step": 1}})
    refused("an endless range", 3, "a million", vary={"N": {"from": 0, "to": 1, "step": 1e-12}})
    refused("too many", 3, "points: at most", machine={"sm.count": {"from": 1, "to": 900000, "step": 1},
                                                    "clock.core": {"from": 1, "to": 900000, "step": 1},
                                                    "dram.bandwidth": {"from": 1, "to": 900000, "step": 1}})
    done = run("sweep", "run", design("bad.yaml", defines=["N"]))
    check("defines without a source", "kernel_file in CUDA" in rows("bad.db")[0]["message"], done.stderr)
    refused("no kernel", 3, "cannot open", launches={"kernel_file": "nothing.ptx"})
    refused("no file", 3, "cannot open", launches="nothing.yaml")


def test_bad_files():
    path = design("faults.yaml")
    pathlib.Path("noise.db").write_bytes(bytes(random.Random(1).randrange(256) for _ in range(8192)))
    pathlib.Path("cut.db").write_bytes(pathlib.Path("whole.db").read_bytes()[:5000])
    with sqlite3.connect("foreign.db") as database:
        database.execute("CREATE TABLE point(id)")
    shutil.copy("whole.db", "newer.db")
    with sqlite3.connect("newer.db") as database:
        database.execute("PRAGMA user_version = 99")
    pathlib.Path("empty.db").write_bytes(b"")
    for name, words in (("noise.db", "not a database"), ("foreign.db", "not of a sweep"), ("newer.db", "schema version 99"),
                        ("cut.db", ""), ("missing.db", "cannot open"), ("empty.db", "empty")):
        done = run("sweep", "best", name)
        check(f"best of {name}", done.returncode == 3 and words in done.stderr, f"{done.returncode} {done.stderr}")
    for name, words in (("noise.db", "not a database"), ("foreign.db", "not of a sweep"), ("newer.db", "schema version 99"),
                        ("whole.db", "another design"), ("no/such/folder.db", "cannot write")):
        done = run("sweep", "run", path, "-o", name)
        check(f"run into {name}", done.returncode == 3 and words in done.stderr, f"{done.returncode} {done.stderr}")
    check("an unknown verb", run("sweep", "bst", "whole.db").returncode == 2)
    check("an unknown metric", "did you mean" in run("sweep", "best", "whole.db", "--by", "Ns").stderr or
          run("sweep", "best", "whole.db", "--by", "Ns").returncode == 2)
    check("--shard 4/3", run("sweep", "run", path, "--shard", "4/3").returncode == 2)


def main():
    global PROGRAM
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--mpi", action="store_true")
    options = parser.parse_args()
    PROGRAM = str(options.program.resolve())
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        points = test_rows()
        test_model()
        test_reports(points)
        test_entries()
        test_faults()
        test_tune()
        test_kills(options.kills)
        test_parts()
        if options.mpi:
            test_mpi()
        test_bad_designs()
        test_bad_files()
        os.chdir("/")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())

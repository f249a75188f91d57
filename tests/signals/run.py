#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Interrupts loops without an end: run.py PROGRAM

Each command is started, given time to work (CPU time, so that a busy computer is no matter), and sent a
signal. It must end by itself with the exit status of that signal and, where a kernel ran, with a report
of what was counted so far. How long that takes is not asserted; a minute is waited for the work to begin
and two for the end. The last line is `N passed, N failed`.
"""
import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LOOPS = os.path.join(HERE, "loops.ptx")
WORK_SECONDS = 0.3
KERNELS = ["itself", "off", "printing", "allocating", "calling", "meeting", "adding", "parting", "jumping"]


def analyze(kernel, *more, grid="2"):
    return ["analyze", LOOPS, "-k", kernel, "-g", grid, "-b", "64", "--gpu", "v100", "-f", "json", *more]


def cases():
    """name, command, signal or None, exit status, is there a partial report?"""
    for number, kernel in enumerate(KERNELS):
        sent = signal.SIGTERM if number % 2 else signal.SIGINT
        yield kernel, analyze(kernel), sent, 128 + sent, True
    yield "empty blocks", analyze("empty", "-t", "2", grid="2147483647"), signal.SIGINT, 130, True
    yield "unordered", analyze("adding", "--unordered"), signal.SIGTERM, 143, True
    yield "time limit", analyze("itself", "--timeout", "1"), None, 4, True
    yield "sampling", analyze("itself", "--effort", "50%"), signal.SIGINT, 130, True
    yield "whatif", ["whatif", LOOPS, "-k", "itself", "-g", "1", "-b", "32", "--gpu", "v100", "--set",
                     "machine.sm.count=2"], signal.SIGTERM, 143, False


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_for_work(process):
    end = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < end:
        if cpu_seconds(process.pid) >= WORK_SECONDS:
            return
        time.sleep(0.05)


def run(program, case):
    name, command, sent, status, partial = case
    with subprocess.Popen([program, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        if sent:
            reader = concurrent.futures.ThreadPoolExecutor(1)
            done = reader.submit(process.communicate, timeout=200)
            wait_for_work(process)
            process.send_signal(sent)
            out, err = done.result()
            reader.shutdown()
        else:
            out, err = process.communicate(timeout=200)
    problems = []
    if process.returncode != status:
        problems.append(f"exit status {process.returncode}, not {status}")
    words = b"--timeout" if not sent else b"terminated" if sent == signal.SIGTERM else b"interrupted"
    if words not in err:
        problems.append(f"no '{words.decode()}' on standard error: {err[-300:]!r}")
    if partial:
        try:
            report = json.loads(out)["kernels"][0]
            if not report.get("partial") or not any("PARTIAL" in note for note in report["notes"]):
                problems.append("the report is not marked as partial")
        except (ValueError, KeyError, IndexError) as error:
            problems.append(f"no report: {error}, {out[:200]!r}")
    return name, problems


def second_signal(program):
    """The end is not waited for twice: input from a pipe that nobody writes to."""
    with subprocess.Popen([program, "analyze", "-", "-g", "1", "-b", "1", "--gpu", "v100"],
                          stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as process:
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        status = process.wait(timeout=120)
    # Sent before the program listens, the signal ends it in the usual way.
    good = status in (130, -signal.SIGINT)
    return "a pipe without an end", [] if good else [f"exit status {status}, not 130"]


def main():
    program = os.path.abspath(sys.argv[1])
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(run, program, case) for case in cases()]
        jobs.append(pool.submit(second_signal, program))
        results = [job.result() for job in jobs]
    failed = 0
    for name, problems in results:
        failed += bool(problems)
        print(f"{'FAILED' if problems else 'ok':6} {name}" + "".join(f"\n    {p}" for p in problems))
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

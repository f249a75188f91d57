#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Texts of every command at 40 to 200 columns: widths.py PROGRAM

No line is wider, the four headline figures of `analyze` are there, and no word of the text at 200 columns is lost
(but bars, and what a report of a limited number of lines leaves out). The figures come from the JSON.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WIDTHS = (40, 60, 80, 96, 120, 200)
LAUNCH = ["saxpy.ptx", "-g", "64", "-b", "256", "--arg", "u32:16384", "--arg", "f32:2", "--arg",
          "f32[16384]=random", "--arg", "f32[16384]=iota"]
# Whether every word is there at each width: not where a report has a number of lines.
COMMANDS = [
    (["--help"], True), (["help", "analyze"], True), (["help", "machines"], True),
    (["analyze", "--profile", "p.json", "--gpu", "gtx580"], False),
    (["analyze", "--profile", "p.json", "--gpu", "v100,h200,8800gt"], False),
    (["analyze", "--profile", "p.json", "--gpu", "h200", "--details", "all"], False),
    (["analyze", "--profile", "p.json", "--gpu", "gtx580,h200", "-q"], False),
    (["analyze", "--profile", "p.json", "--gpu", "gtx580,h200", "--brief"], True),
    (["analyze", "--profile", "p.json", "--gpu", "h200", "--color=always"], False),
    (["whatif", "--profile", "p.json", "--gpu", "v100", "--each"], True),
    (["power", "--profile", "p.json", "--gpu", "gtx280", "--cores", "all"], True),
    (["split", "--profile", "p.json", "--gpu", "gtx580", "--cpu", "e5645x2"], True),
    (["throughput", "--profile", "p.json", "--gpu", "gtx280"], True),
    (["thermal", "--gpu", "8800gt", "--best", "4"], False),
    (["occupancy", "--gpu", "a100,h200", "--block", "256", "--regs", "40"], True),
    (["occupancy", "--gpu", "a100", "--block", "256", "--curve", "block"], False),
    (["machines"], True), (["machines", "show", "v100"], True), (["machines", "diff", "v100", "h200"], True),
    (["energy", "t0=10", "tn=4", "p0=100", "pn=150"], True), (["energy", "--series"], True),
    (["papers", "teg-t2*"], True), (["explain"], True), (["explain", "G102"], True),
    (["explain", "teg"], True), (["schema"], True), (["completion", "values", "gpu"], True),
    (["doctor", "--details", "all"], True),
]


def run(program, words, columns, folder):
    environment = {**os.environ, "COLUMNS": str(columns), "LC_ALL": "C.UTF-8", "WARPSAGE_ISA": "ptx"}
    done = subprocess.run([program, *words], cwd=folder, env=environment, capture_output=True,
                          encoding="utf-8", check=False)
    return done.stdout, done.stderr, done.returncode


def plain(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def words_of(text):
    """Letters and figures: bars and rules go."""
    return set(re.findall(r"[A-Za-z0-9_%]+", plain(text)))


def letters(text):
    return re.sub(r"[^A-Za-z0-9_%]", "", plain(text))


def headline_problems(text, report):
    """The four lines, with the figures of the report."""
    problems = []
    flat = " ".join(plain(text).split())
    for machine in report["kernels"][0]["machines"]:
        time = machine["headline"]["time_s"]
        digits = [match for match in re.finditer(r"TIME (>= )?([0-9.,]+) (n|u|m)?s", flat)]
        scale = {"n": 1e-9, "u": 1e-6, "m": 1e-3, None: 1}
        if not any(abs(float(m[2].replace(",", "")) * scale[m[3]] / time - 1) < 0.01 for m in digits):
            problems.append(f"time {time} of {machine['machine']} is missing")
        for name in ("limit", "why"):
            if " ".join(machine[name].split()) not in flat:
                problems.append(f"{name} of {machine['machine']} is missing: {machine[name]!r}")
        if "ENERGY " not in flat:
            problems.append("no ENERGY")
    return problems


def main():
    program = os.path.abspath(sys.argv[1])
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("saxpy.ptx", "saxpy.cu"):
            with open(f"{HERE}/data/{name}", "rb") as source, open(f"{folder}/{name}", "wb") as copy:
                copy.write(source.read())
        run(program, ["analyze", *LAUNCH, "--gpu", "h200", "--rules", "all", "--save-trace", "p.json"],
            96, folder)
        report = json.loads(run(program, ["analyze", "--profile", "p.json", "--gpu", "gtx580", "-f", "json"],
                                96, folder)[0])
        for words, is_whole in COMMANDS:
            wide = run(program, words, 200, folder)[0]
            for columns in WIDTHS:
                text, errors, code = run(program, words, columns, folder)
                where = f"{' '.join(words)} at {columns}"
                if code or not text:
                    failures.append(f"{where}: exit status {code}: {errors[:200]}")
                    continue
                for line in plain(text).splitlines():
                    if len(line) > columns:
                        failures.append(f"{where}: {len(line)} columns: {line!r}")
                        break
                flat = letters(text)
                lost = sorted(word for word in words_of(wide) if word not in flat)
                if is_whole and lost:
                    failures.append(f"{where}: lost {lost[:12]}")
                if words[:5] == ["analyze", "--profile", "p.json", "--gpu", "gtx580"]:
                    failures += [f"{where}: {problem}" for problem in headline_problems(text, report)]
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every word that a report prints is known to `warpsage explain`: words.py PROGRAM

Reports of a few kernels on GPUs of several generations and a CPU are made; their lines, headings,
limits, reasons to wait, codes, models, terms and effects are taken from text and JSON."""
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KERNELS = ("reduce/reduce.yaml", "saxpy/saxpy.yaml", "histogram/histogram_int.yaml")
GPUS = "gtx280,gtx580,v100,h200"


def run(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"words.py: {' '.join(words)}: {done.stderr}")
    return done.stdout


def text_words(text):
    """Labels at the start of lines, headings of tables, codes and reasons to wait."""
    words = set()
    for line in text.splitlines():
        words.update(re.findall(r"\[(W\d+)\]", line))
        label = re.match(r"([A-Z]{2,})  ", line) or re.match(r"(method|machine|Notes|Caches)  ", line)
        if label:
            words.add(label.group(1))
        if re.match(r"[A-Z][a-z].*\s{2,}\S", line) and not label:  # a heading and its columns
            columns = [c for c in re.split(r"\s{2,}|: |\|", line) if c]
            if columns[0].startswith(("Throughput", "Models", "What to do", "Hot lines")):
                words.update(columns[:1])
                words.update(c for c in columns[1:] if "(" not in c and "shared" not in c
                             and "global" not in c and "instructions" not in c and c != "share of")
        if line.startswith("Warps wait"):
            words.update(w for w in re.findall(r"([a-z_]+) \d+", line))
        if line.startswith("Occupancy"):
            words.add("Occupancy")
        words.update(re.findall(r"^\s+\d+  ([A-Z]\d{3}) ", line))
        words.update(re.findall(r"by ([a-z-]+)   speed of light", line))
    return words


def json_words(document):
    words = set()
    for kernel in document["kernels"]:
        for machine in kernel["machines"]:
            words.update(a["code"] for a in machine["advice"])
            for estimate in machine["estimates"]:
                words.update((estimate["model"], estimate["bottleneck"], estimate.get("next") or ""))
                words.update(estimate["terms"])
                words.update(estimate["without"])
        words.update(kernel["profile"])
    return words


def main():
    program = os.path.abspath(sys.argv[1])
    words = {"speed of light", "ratio", "gain", "time after", "at most"}
    for kernel in KERNELS:
        path = os.path.join(ROOT, "examples", "kernels", kernel)
        if not os.path.exists(path):
            sys.exit(f"words.py: {path} is gone: name another kernel")
        words |= text_words(run(program, "analyze", path, "--gpu", GPUS))
        for gpu in GPUS.split(",")[::2]:
            words |= text_words(run(program, "analyze", path, "--gpu", gpu))
        words |= json_words(json.loads(run(program, "analyze", path, "--gpu", GPUS, "--cpu", "e5645x2",
                                           "-f", "json")))
    words -= {"", None}
    if len(words) < 250:
        sys.exit(f"words.py: only {len(words)} words were found: the reports have another form")
    unknown = []
    for word in sorted(words):
        done = subprocess.run([program, "explain", word], capture_output=True, text=True, check=False)
        if done.returncode:
            unknown.append(word)
    if unknown:
        sys.exit("words.py: explain does not know: " + ", ".join(unknown))
    print(f"{len(words)} words explained")


if __name__ == "__main__":
    main()

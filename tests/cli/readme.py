#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The examples of README.md are what the program prints: readme.py PROGRAM [--write]

Compares, or with --write renews, what `make demo` and the examples of `warpsage run` and `--check` print, and compares
the excerpt of the launch file."""
import difflib
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
README = os.path.join(ROOT, "README.md")
sys.path.insert(0, os.path.join(ROOT, "tests"))
from host_times import without_host_times  # noqa: E402

LAUNCH = "examples/kernels/sgemm_tiled/sgemm_tiled_512.yaml"


def block_after(lines, start):
    """First and one past the last line of the first indented block behind line `start`."""
    first = next(i for i in range(start, len(lines)) if lines[i].startswith("    "))
    last = first
    while last < len(lines) and (lines[last].startswith("    ") or not lines[last]):
        last += 1
    while not lines[last - 1]:
        last -= 1
    return first, last


def demo_command():
    """What the Makefile's target `demo` runs."""
    with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as file:
        text = file.read().replace("\\\n", " ")
    return re.search(r"^demo:.*\n\tbuild/warpsage (.*)$", text, re.M).group(1).split()


def check_launch_file(lines):
    first = next(i for i, line in enumerate(lines) if line == "    # " + LAUNCH)
    with open(os.path.join(ROOT, LAUNCH), encoding="utf-8") as file:
        wanted = [line.rstrip("\n") for line in file if not line.startswith("#") and line.strip()]
    _, last = block_after(lines, first)
    got = [line[4:] for line in lines[first + 1:last] if not line.startswith("    build/")]
    missing = [line for line in got if line and line not in wanted]
    if missing:
        sys.exit(f"readme.py: {LAUNCH} has no such line: {missing}")


def indented(text):
    return ["    " + line if line else "" for line in text.rstrip("\n").split("\n")]


def output(command, status=0):
    """What a command that ends with this status prints, its report on standard error last."""
    environment = {k: v for k, v in os.environ.items()
                   if k not in ("COLUMNS", "CLICOLOR_FORCE", "WARPSAGE_MACHINES")}
    environment["LC_ALL"] = "C"
    environment["WARPSAGE_ISA"] = "ptx"  # with ptxas and without
    done = subprocess.run(command, cwd=ROOT, env=environment, text=True, capture_output=True,
                          check=False)
    if done.returncode != status:
        sys.exit(f"readme.py: {command}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout + done.stderr


def blocks(program, lines):
    """(source, first line, one past the last line, what belongs there)"""
    start = next(i for i, line in enumerate(lines) if line.startswith("`make demo` prints this"))
    yield "make demo", *block_after(lines, start), indented(output([program, *demo_command()]))
    for example, status in ("run", 0), ("analyze", 1):
        start = next(i for i, line in enumerate(lines) if line.startswith(f"    $ build/warpsage {example} "))
        command = lines[start].split()[2:]
        yield (lines[start].strip(), *block_after(lines, start),
               [lines[start], *indented(output([program, *command], status))])


def main():
    program = os.path.abspath(sys.argv[1])
    with open(README, encoding="utf-8") as file:
        lines = file.read().split("\n")
    check_launch_file(lines)
    found = list(blocks(program, lines))
    if "--write" in sys.argv:
        for _, first, last, wanted in reversed(found):
            lines[first:last] = wanted
        with open(README, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
        return
    for source, first, last, wanted in found:
        if without_host_times("\n".join(lines[first:last])) == without_host_times("\n".join(wanted)):
            continue
        print("\n".join(difflib.unified_diff(lines[first:last], wanted, "README.md", source,
                                             lineterm="")))
        sys.exit(f"readme.py: README.md is not what `{source}` prints: "
                 "tests/cli/readme.py build/warpsage --write")


if __name__ == "__main__":
    main()

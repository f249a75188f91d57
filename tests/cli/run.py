#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the cases of this folder against the program: run.py PROGRAM [CASE ...]

A case is a file NAME.case. `$ COMMAND` starts a step, `$$ COMMAND` one for `make nightly` only (NIGHTLY is
set); the lines behind it say what to expect:
    exit N            exit status, 0 if not given
    out TEXT          standard output contains TEXT
    out! TEXT         ... does not contain TEXT
    out~ REGEX        some line of standard output matches
    err, err!, err~   the same for standard error; without any of these it must be empty
    lines N           standard output has at most N lines, none longer than 96 columns
    schema NAME       standard output is JSON that schemas/NAME.schema.json accepts
    same FILE FILE    two files have the same bytes after the step
In whatever a command prints, quantities are written as such: neither `1 blocks` nor `1e+03 us`.
Every step runs in bash, in a folder of its own that starts as a copy of data/; $EXAMPLES is the
folder of the bundled kernels, $TRACES that of recorded traces. Lines that start with # are comments.
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TIMEOUT = 240

sys.path.insert(0, os.path.dirname(HERE))
from json_schema import check_schema  # noqa: E402


def read_case(path):
    steps = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if not line.strip() or line.startswith("#"):
                continue
            if line.startswith(("$ ", "$$ ")):
                mark, _, command = line.partition(" ")
                steps.append({"line": number, "command": command, "expect": [],
                              "nightly": mark == "$$"})
            elif line.startswith("> "):
                steps[-1]["command"] += "\n" + line[2:]
            else:
                word, _, rest = line.strip().partition(" ")
                steps[-1]["expect"].append((number, word, rest))
    if not steps:
        raise ValueError(f"{path}: has no step")
    return steps


def check_text(word, rest, text):
    if word.endswith("!"):
        return f"contains {rest!r}" if rest in text else ""
    if word.endswith("~"):
        found = any(re.search(rest, line) for line in text.splitlines())
        return "" if found else f"no line matches {rest!r}"
    return "" if rest in text else f"does not contain {rest!r}"


def check(word, rest, done, folder):
    """What is wrong with one expectation, '' if nothing."""
    if word == "exit":
        return "" if done.returncode == int(rest) else f"exit status {done.returncode}"
    if word.rstrip("!~") == "out":
        return check_text(word, rest, done.stdout)
    if word.rstrip("!~") == "err":
        return check_text(word, rest, done.stderr)
    if word == "lines":
        lines = done.stdout.splitlines()
        longest = max((len(line) for line in lines), default=0)
        if len(lines) > int(rest) or longest > 96:
            return f"{len(lines)} lines, the longest {longest} columns"
        return ""
    if word == "schema":
        return check_schema(rest, done.stdout)
    if word == "same":
        contents = [open(os.path.join(folder, name), "rb").read() for name in rest.split()]
        return "" if contents[0] == contents[1] else "the files differ"
    return f"unknown expectation '{word}'"


# What no text may have, whatever the command: `1 blocks`, and `1e+03 us`.
PLURALS = ("block|warp|thread|register|byte|kernel|launch|access|cycle|event|element|argument|SM|core|"
           "sector|request|transaction|instruction|assumption|call|time|line|GPU|wave")
BAD_TEXT = (re.compile(r"(?<![\w.,:x/-])1 (" + PLURALS + r")(e?s)\b"),
            re.compile(r"\de[+-]\d+ ?[mun\u00b5pkMGT]?(s|B|W|J|Hz|B/s|flop/s)(?![\w/(])"))


def check_quantities(text):
    """The first quantity of a text that is not written as one."""
    for pattern in BAD_TEXT:
        found = pattern.search(text)
        if found:
            start = text.rfind("\n", 0, found.start()) + 1
            return f"'{found.group()}' in: {text[start:].splitlines()[0]}"
    return ""


def run_step(step, folder, environment):
    done = subprocess.run(["bash", "-c", step["command"]], cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)
    done.stdout = done.stdout.decode("utf-8", "replace")
    done.stderr = done.stderr.decode("utf-8", "replace")
    expect = list(step["expect"])
    if not any(word == "exit" for _, word, _ in expect):
        expect.append((step["line"], "exit", "0"))
    problems = []
    for number, word, rest in expect:
        problem = check(word, rest, done, folder)
        if problem:
            problems.append(f"line {number}: {word} {rest}: {problem}")
    if done.stderr and not any(word.startswith("err") for _, word, _ in expect):
        problems.append(f"line {step['line']}: standard error is not empty")
    wrong = check_quantities(done.stdout) or check_quantities(done.stderr)
    if wrong:
        problems.append(f"line {step['line']}: {wrong}")
    if problems:
        problems.append(f"$ {step['command']}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return problems


def run_case(path, program):
    with tempfile.TemporaryDirectory(prefix="warpsage-cli-") as scratch:
        folder = os.path.join(scratch, "data")
        shutil.copytree(os.path.join(HERE, "data"), folder)
        environment = {key: value for key, value in os.environ.items()
                       if key not in ("NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "WARPSAGE_MACHINES")}
        environment["PATH"] = os.path.dirname(program) + ":" + environment.get("PATH", "")
        environment["EXAMPLES"] = os.path.join(ROOT, "examples", "kernels")
        environment["TRACES"] = os.path.join(ROOT, "tests", "traces")
        environment["LC_ALL"] = "C"
        environment["WARPSAGE_ISA"] = "ptx"  # with ptxas and without
        try:
            for step in read_case(path):
                if step["nightly"] and not os.environ.get("NIGHTLY"):
                    continue
                problems = run_step(step, folder, environment)
                if problems:
                    return problems
        except (subprocess.TimeoutExpired, ValueError, OSError) as error:
            return [str(error)]
    return []


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: run.py PROGRAM [CASE ...]")
    program = os.path.abspath(sys.argv[1])
    if not os.access(program, os.X_OK):
        sys.exit(f"run.py: {program}: no such program")
    names = sys.argv[2:] or sorted(n[:-5] for n in os.listdir(HERE) if n.endswith(".case"))
    paths = [os.path.join(HERE, name + ".case") for name in names]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for name, problems in zip(names, pool.map(lambda p: run_case(p, program), paths)):
            if problems:
                failed += 1
                print(f"[  FAILED  ] {name}.case")
                for problem in problems:
                    print("    " + problem.replace("\n", "\n    "))
    print(f"{len(names) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

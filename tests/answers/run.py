#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole outputs of the program against those that golden/ keeps.

    tests/answers/run.py build/warpsage [NAME ...]            compares
    tests/answers/run.py build/warpsage [NAME ...] --accept   writes golden/ anew: `make answers`

outputs.list has the commands and tells its form. NAME is that of a row (whatif_each) or of an output of
it (whatif_each.60.txt), with * and ?. A golden file is standard output as it is; if the command says
anything on standard error or fails, a line `--- exit N, standard error:` and that text follow.

Text is compared exactly. JSON has the same members, in any order, and CSV the same fields; numbers in
both may differ by 1e-12 of their size, which is what compilers and their math libraries do. JSON obeys
the schema that it names. --no-runtime leaves out CUDA programs.
"""
import collections
import concurrent.futures
import csv
import difflib
import fnmatch
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
ROOT = os.path.dirname(TESTS)
GOLDEN = os.path.join(HERE, "golden")
TOLERANCE = 1e-12
TIMEOUT = 120
MARK = "--- exit "
VERSION = re.compile(r'("version": ?")\d+\.\d+\.\d+[^"]*(")')

sys.path.insert(0, TESTS)
from host_times import without_host_times  # noqa: E402
from json_schema import check_document, has_schema, read_json  # noqa: E402

Output = collections.namedtuple("Output", "name golden command columns x86_64")


def outputs_of(row, form, command, x86_64):
    """The outputs of one form of a row."""
    if form[0].isdigit():
        widths = form.split("=")
        return [Output(f"{row}.{width}.txt", f"{row}.{widths[0]}.txt", command, width, x86_64)
                for width in widths]
    suffixes = {"text": "txt", "json": "json", "csv": "csv", "=json": "json", "=csv": "csv"}
    if form not in suffixes:
        raise ValueError(f"{row}: unknown form '{form}'")
    if form in ("json", "csv"):
        command, count = re.subn(r"\bwarpsage [a-z]+", rf"\g<0> -f {form}", command, count=1)
        if count != 1:
            raise ValueError(f"{row}: no place for -f {form}")
    name = f"{row}.{suffixes[form]}"
    return [Output(name, name, command, None, x86_64)]


def read_list():
    """The commands that make input files, and the outputs."""
    first, outputs = [], []
    with open(os.path.join(HERE, "outputs.list"), encoding="utf-8") as file:
        for line in file:
            line = line.strip()
            if line.startswith("! "):
                first.append(line[2:])
            elif line and not line.startswith("#"):
                row, forms, command = [part.strip() for part in line.split(" | ", 2)]
                forms = forms.split()
                x86_64 = forms[0] == "x86-64"
                for form in forms[x86_64:]:
                    outputs += outputs_of(row, form, command, x86_64)
    names = [output.name for output in outputs]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"outputs.list: two outputs are called {twice[0]}")
    return first, outputs


def environment_of(program, inputs):
    """Nothing of the caller's that changes an output; a ptxas that fails, and no colours."""
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith("WARPSAGE") and not key.startswith("LC_")
                   and key not in ("NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "LANG", "LANGUAGE")}
    environment["PATH"] = ":".join([os.path.join(inputs, "bin"), os.path.dirname(program),
                                    environment.get("PATH", "")])
    environment["LC_ALL"] = "C"
    environment["WARPSAGE_ISA"] = "ptx"
    return environment


def bash(command, folder, environment):
    return subprocess.run(["bash", "-c", command], cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)


def make_inputs(commands, inputs, environment):
    shutil.copytree(os.path.join(TESTS, "cli", "data"), inputs)
    for name in ("examples", "papers", "tests"):
        os.symlink(os.path.join(ROOT, name), os.path.join(inputs, name))
    for command in commands:
        done = bash(command, inputs, environment)
        if done.returncode != 0:
            sys.exit(f"$ {command}\nexit {done.returncode}: {done.stderr.decode()}")


def produce(output, inputs, environment):
    """What the command says, as a golden file has it, from a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="warpsage-answer-") as folder:
        for name in os.listdir(inputs):
            os.symlink(os.path.join(inputs, name), os.path.join(folder, name))
        if output.columns:
            environment = dict(environment, COLUMNS=output.columns)
        try:
            done = bash(output.command, folder, environment)
        except subprocess.TimeoutExpired as error:
            return f"{error}\n"
        text, said = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        if said or done.returncode != 0:
            text += f"{MARK}{done.returncode}, standard error:\n{said}"
        for path in (folder, inputs, ROOT):
            text = text.replace(path, ".")
        if "programs/prebuilt" in output.command:
            text = without_host_times(text)
        return VERSION.sub(r"\g<1>0.0.0\2", text)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def same_number(got, wanted):
    if isinstance(got, int) and isinstance(wanted, int):
        return got == wanted
    return abs(got - wanted) <= TOLERANCE * max(abs(got), abs(wanted))


def json_differences(got, wanted, path=""):
    """Where two documents differ, as RFC 6901 points to it."""
    if is_number(got) and is_number(wanted):
        if not same_number(got, wanted):
            yield f"{path}: {got}, not {wanted}"
    elif type(got) is not type(wanted):
        yield f"{path}: {json.dumps(got)[:200]}, not {json.dumps(wanted)[:200]}"
    elif isinstance(got, dict):
        for key in list(wanted) + [key for key in got if key not in wanted]:
            place = f"{path}/{key.replace('~', '~0').replace('/', '~1')}"
            if key not in got:
                yield f"{place}: is missing"
            elif key not in wanted:
                yield f"{place}: is new"
            else:
                yield from json_differences(got[key], wanted[key], place)
    elif isinstance(got, list):
        if len(got) != len(wanted):
            yield f"{path}: {len(got)} elements, not {len(wanted)}"
        for index, (one, other) in enumerate(zip(got, wanted)):
            yield from json_differences(one, other, f"{path}/{index}")
    elif got != wanted:
        yield f"{path}: {json.dumps(got)[:200]}, not {json.dumps(wanted)[:200]}"


def same_field(got, wanted):
    if got == wanted:
        return True
    try:
        return same_number(float(got), float(wanted))
    except ValueError:
        return False


def same_csv(got, wanted):
    rows, others = list(csv.reader(got.splitlines())), list(csv.reader(wanted.splitlines()))
    return len(rows) == len(others) and all(
        len(row) == len(other) and all(map(same_field, row, other))
        for row, other in zip(rows, others))


def split_answer(text):
    """Standard output, and what follows it in a golden file."""
    place = text.rfind(MARK)
    return (text, "") if place < 0 else (text[:place], text[place:])


def differences(name, got, wanted):
    """How an output differs from the golden one, by line; none if it agrees."""
    (answer, said), (golden, golden_said) = split_answer(got), split_answer(wanted)
    if name.endswith(".json") and answer and golden and said == golden_said:
        return list(json_differences(read_json(answer), read_json(golden)))
    if name.endswith(".csv") and said == golden_said and same_csv(answer, golden):
        return []
    if got == wanted:
        return []
    return list(difflib.unified_diff(wanted.splitlines(), got.splitlines(), "golden", "now",
                                     lineterm="", n=1)) or ["the ends of lines differ"]


def schema_problems(name, text):
    """What the schema that a JSON answer names says against it."""
    answer = split_answer(text)[0]
    if not name.endswith(".json") or not answer:
        return []
    try:
        document = read_json(answer)
    except ValueError as error:
        return [f"not JSON: {error}"]
    schema = document.get("schema", "") if isinstance(document, dict) else ""
    kind = re.sub(r"^warpsage\.(.*)/\d+$", r"\1", schema)
    problem = check_document(kind, document) if has_schema(kind) else ""
    return [f"schema {schema}: {problem}"] if problem else []


def problems_of(output, got):
    """What is wrong with an output."""
    path = os.path.join(GOLDEN, output.golden)
    if not os.path.exists(path):
        return schema_problems(output.name, got) + ["there is no golden file: --accept writes it"]
    with open(path, encoding="utf-8", newline="") as file:
        golden = file.read()
    try:
        return schema_problems(output.name, got) + differences(output.name, got, golden)
    except ValueError as error:
        return [str(error)]


def accept(name, text):
    os.makedirs(GOLDEN, exist_ok=True)
    with open(os.path.join(GOLDEN, name), "w", encoding="utf-8", newline="") as file:
        file.write(text)


def stale_files(outputs):
    """Golden files of no output."""
    return sorted(set(os.listdir(GOLDEN)) - {output.golden for output in outputs})


def chosen(outputs, patterns):
    """The outputs that the patterns name; all without any."""
    def fits(output, pattern):
        return any(fnmatch.fnmatchcase(name, pattern)
                   for name in (output.name, output.name.split(".")[0]))

    for pattern in patterns:
        if not any(fits(output, pattern) for output in outputs):
            sys.exit(f"run.py: outputs.list has no '{pattern}'")
    return [output for output in outputs
            if not patterns or any(fits(output, pattern) for pattern in patterns)]


def report(output, problems):
    columns = f"COLUMNS={output.columns} " if output.columns else ""
    print(f"[  FAILED  ] {output.name}\n    $ {columns}{output.command}")
    print("\n".join("    " + line for line in problems[:60]))


def compare(outputs, program, first, accepts):
    """Runs the outputs, two at a time; the number of those that are wrong."""
    failed = 0
    with tempfile.TemporaryDirectory(prefix="warpsage-answers-") as scratch:
        inputs = os.path.join(scratch, "inputs")
        environment = environment_of(program, inputs)
        make_inputs(first, inputs, environment)
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            texts = pool.map(lambda one: produce(one, inputs, environment), outputs)
            for output, got in zip(outputs, texts):
                problems = problems_of(output, got)
                # Of the same text at several widths the first is kept, the others must agree.
                if problems and accepts and output.name == output.golden:
                    accept(output.name, got)
                    problems = schema_problems(output.name, got)
                if problems:
                    failed += 1
                    report(output, problems)
    return failed


def main():
    words = [word for word in sys.argv[1:] if word not in ("--accept", "--no-runtime")]
    if not words or words[0].startswith("-"):
        sys.exit("usage: run.py PROGRAM [NAME ...] [--accept]")
    program, accepts = os.path.abspath(words[0]), "--accept" in sys.argv
    first, outputs = read_list()
    wanted = chosen(outputs, words[1:])
    if platform.machine() != "x86_64" or "--no-runtime" in sys.argv:
        print(f"not executed here: {sum(o.x86_64 for o in wanted)} outputs of CUDA programs")
        wanted = [output for output in wanted if not output.x86_64]
    failed = compare(wanted, program, first, accepts)
    stale = stale_files(outputs)
    for name in stale:
        if accepts:
            os.remove(os.path.join(GOLDEN, name))
        else:
            print(f"[  FAILED  ] golden/{name}: outputs.list has no such output")
    passed = len(wanted) - failed
    failed += 0 if accepts else len(stale)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

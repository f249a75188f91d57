#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CUDA programs with and without bugs under `warpsage check`.

    run.py WARPSAGE [--prebuilt] [--plain] [--jobs N] [NAME ...]  e.g. memory/global_tail, race, 'sync/grid*'
    run.py WARPSAGE --prebuild                              renews prebuilt/CLASS.tar.xz; needs nvcc

CLASS/NAME.cu are the programs: memory, init, race and sync have one bug each; those of correct have none. Each is
written from CUDA's documentation, not from what the checks do. The comments at their top:

    // expect: GRADES TOOL     a finding of one of GRADES (error|warning|note) of TOOL on a line marked `// BUG`,
                               at either side of a race, or in the stack of a call or of inlined functions
    // expect: none            no error
    // why: TEXT               what says so: a sentence of the documentation
    // silent: yes|no          whether a GPU lets the program pass without an error
    // missed: REASON          it is not found, and REASON is in doc/checks.md; a failure if it is found meanwhile
    // also: TOOL ...          other tools may have errors, too, which follow from the bug
    // nvcc: WORDS, gpu: ID, options: WORDS    of nvcc (default -arch=compute_75), of --gpu, of `warpsage check`
    // heavy: yes              many seconds to compile or to run: only when it is named itself, or with --heavy

An error anywhere but on lines with BUG or ALSO is a failure. Prebuilt programs are run if they are of the source at
hand; otherwise nvcc compiles them, once for each content. Without nvcc, or with --prebuilt, which CTest gives, a program
with neither fails: --prebuild renews the archives, compiling only what changed. Heavy programs are not in them.
--plain runs them under `warpsage run`: the correct ones must say PASSED.
"""
import argparse
import concurrent.futures
import fnmatch
import glob
import hashlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CLASSES = ("memory", "init", "race", "sync", "correct")
TIME_LIMIT = 300


def archive_of(group):
    return os.path.join(HERE, "prebuilt", group + ".tar.xz")


def find_nvcc():
    path = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    return path if os.access(path, os.X_OK) else None


class Program:
    """A source and what its comments say."""

    def __init__(self, name):
        self.name = name
        self.group = name.split("/")[0]
        self.path = os.path.join(HERE, name + ".cu")
        with open(self.path, encoding="utf-8") as file:
            self.lines = file.read().split("\n")
        self.words = {}
        for line in self.lines:
            match = re.match(r"// ([a-z]+): (.*)", line)
            if not match:
                if line and not line.startswith("//"):
                    break
                continue
            self.words[match[1]] = match[2]
        self.grades, self.tool = [], None
        if self.words["expect"] != "none":
            grades, self.tool = self.words["expect"].split()
            self.grades = grades.split("|")
        self.bugs = {n for n, line in enumerate(self.lines, 1) if re.search(r"// BUG", line)}
        self.allowed = self.bugs | {n for n, line in enumerate(self.lines, 1) if "// ALSO" in line}
        self.also = self.words.get("also", "").split()
        self.options = ["-O2", "-Xcompiler", "-g1", "-lineinfo", "-cudart", "shared", "-std=c++17",
                        *shlex.split(self.words.get("nvcc", "-arch=compute_75"))]

    def content(self):
        """Of the source, its headers and the compiler's options."""
        summed = hashlib.sha256(" ".join(self.options).encode())
        for path in [self.path] + sorted(glob.glob(os.path.join(HERE, "*.h"))):
            if path == self.path or re.search(r'#include "../' + os.path.basename(path), "\n".join(self.lines)) \
                    or path.endswith("/checks.h"):
                with open(path, "rb") as file:
                    summed.update(file.read())
        return summed.hexdigest()[:24]


def compile_program(program, nvcc, out):
    """The same bytes for the same source in every folder: no paths of this machine, no process's number."""
    with tempfile.TemporaryDirectory() as folder:
        new = os.path.join(folder, "program")
        paths = f"-ffile-prefix-map={folder}/=,-ffile-prefix-map={HERE}=."
        command = [nvcc, *program.options, "-Xcompiler", paths, "--keep", "--keep-dir", folder, "-o", new,
                   f"/proc/self/cwd/{program.name}.cu"]
        result = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
        if result.returncode:
            raise RuntimeError("nvcc: " + (result.stdout + result.stderr)[-1500:])
        with open(new, "rb") as file:
            write_program(out, file.read())


def write_program(path, content):
    """Whole or not at all, also if others write it at the same time."""
    new = f"{path}.{os.getpid()}.{threading.get_ident()}"
    with open(new, "wb") as file:
        file.write(content)
    os.chmod(new, 0o755)
    os.replace(new, path)


class Builder:
    """Finds or makes the programs; prebuilt ones are unpacked into the cache."""

    def __init__(self, cache, nvcc, groups=CLASSES):
        self.cache, self.nvcc = cache, nvcc
        os.makedirs(cache, exist_ok=True)
        for group in groups:
            self.unpack(archive_of(group))

    def unpack(self, archive):
        if not os.path.exists(archive):
            return
        with tarfile.open(archive) as file:
            for member in file:
                out = os.path.join(self.cache, os.path.basename(member.name))
                if member.isfile() and not os.path.exists(out):
                    write_program(out, file.extractfile(member).read())

    def path_of(self, program):
        return os.path.join(self.cache, f"{os.path.basename(program.name)}-{program.content()}")

    def get(self, program):
        path = self.path_of(program)
        if not os.path.exists(path):
            if not self.nvcc:
                raise RuntimeError("prebuilt/ has no program of this source: "
                                   "run `tests/checks/run.py WARPSAGE --prebuild` where nvcc is")
            compile_program(program, self.nvcc, path)
        return path


# ---- what was found -----------------------------------------------------------------------------------

def places_of(node):
    """Every (file, line) that a finding names, at any depth."""
    if isinstance(node, dict):
        file, line = node.get("file"), node.get("line")
        if isinstance(file, str) and isinstance(line, int):
            yield os.path.basename(file), line
        for value in node.values():
            yield from places_of(value)
    elif isinstance(node, list):
        for value in node:
            yield from places_of(value)


def judge(program, findings, status):
    """(verdict, problems): found, missed, wrong place, false errors, clean."""
    problems, good, elsewhere = [], [], []
    name = os.path.basename(program.path)
    for one in findings:
        places = {line for file, line in places_of(one) if file == name}
        is_wanted = one["grade"] in program.grades and one["tool"] == program.tool
        if is_wanted and places & program.bugs:
            good.append(one)
        elif one["grade"] == "error" and one["tool"] not in program.also and \
                not (program.grades and places & program.allowed):
            elsewhere.append(one)
    for one in elsewhere:
        problems.append(f"false error: {one['tool']} {one['code']} {one['title']} at "
                        f"{sorted(set(places_of(one)))}")
    errors = [one for one in findings if one["grade"] == "error"]
    if errors and status != 1:
        problems.append(f"exit status {status} with {len(errors)} errors")
    if not program.grades:
        return ("false error" if problems else "clean"), problems
    if good:
        verdict = "found"
    elif any(one["tool"] == program.tool and one in elsewhere for one in findings):
        verdict = "wrong place"
    else:
        verdict = "missed"
    if "missed" in program.words:
        if verdict == "found":
            problems.append("it is found: take out `// missed:` and its line in doc/checks.md")
    elif verdict != "found":
        said = [(one["grade"], one["tool"], one["code"], sorted(set(places_of(one)))) for one in findings]
        problems.insert(0, f"{verdict}: expected {program.words['expect']} at {sorted(program.bugs)}, got {said}")
    return verdict, problems


def run_checked(warpsage, program, path, folder):
    out = os.path.join(folder, "findings.json")
    command = [warpsage, "check", "-f", "json", "-o", out, "--gpu", program.words.get("gpu", "v100"),
               *shlex.split(program.words.get("options", "")), "--", path]
    result = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, check=False,
                            cwd=folder)
    if not os.path.exists(out):
        return "no report", [f"exit status {result.returncode}, no findings: {result.stderr[-800:]}"]
    with open(out, encoding="utf-8") as file:
        findings = json.load(file)["findings"]
    verdict, problems = judge(program, findings, result.returncode)
    if not program.grades or program.group == "correct":
        if "PASSED" not in result.stdout:
            problems.append(f"the program does not say PASSED: {result.stdout[-300:]}{result.stderr[-600:]}")
        if result.returncode not in (0, 1 if verdict == "false error" else 0):
            problems.append(f"exit status {result.returncode}, not the program's")
    return verdict, problems


def run_plain(warpsage, program, path, folder):
    command = [warpsage, "run", "--details", "quiet", "--timeout", "20", "--gpu", program.words.get("gpu", "v100"),
               "--", path]
    result = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, check=False,
                            cwd=folder)
    said = (result.stdout[-200:] + " | " + result.stderr[-300:]).replace("\n", " ")
    if program.group == "correct":
        good = result.returncode == 0 and "PASSED" in result.stdout
        return ("clean" if good else "false error"), [] if good else [f"{result.returncode}: {said}"]
    return f"exit {result.returncode}", [] if result.returncode >= 0 else [f"killed: {said}"]


def run_program(options, builder, program):
    begin = time.monotonic()
    try:
        path = builder.get(program)
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            how = run_plain if options.plain else run_checked
            verdict, problems = how(options.warpsage, program, path, folder)
    except subprocess.TimeoutExpired:
        verdict, problems = "hangs", [f"not done after {TIME_LIMIT} s"]
    except (RuntimeError, ValueError, KeyError) as error:
        verdict, problems = "not run", [f"{type(error).__name__}: {error}"]
    return verdict, problems, time.monotonic() - begin


# ---- all of them --------------------------------------------------------------------------------------

def chosen(names, heavy):
    every = sorted((CLASSES.index(group), f"{group}/{os.path.basename(path)[:-3]}") for group in CLASSES
                   for path in glob.glob(os.path.join(HERE, group, "*.cu")))
    programs = [Program(name) for _, name in every]
    light = [one for one in programs if heavy or "heavy" not in one.words]
    if not names:
        return light
    return [one for one in programs
            if one in light and one.group in names or any(fnmatch.fnmatch(one.name, name) for name in names)]


def write_archive(group, paths):
    """The same bytes for the same programs; an archive that is current stays."""
    with io.BytesIO() as packed:
        with tarfile.open(fileobj=packed, mode="w:xz", preset=9) as archive:
            for path in paths:
                with open(path, "rb") as file:
                    content = file.read()
                member = tarfile.TarInfo(os.path.basename(path))
                member.size, member.mode = len(content), 0o755
                archive.addfile(member, io.BytesIO(content))
        with open(archive_of(group), "wb") as file:
            file.write(packed.getvalue())


def prebuild(cache, jobs):
    """Programs of the archives are kept if they are of the source at hand; others are compiled."""
    builder, programs = Builder(cache, find_nvcc()), chosen([], False)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        paths = list(pool.map(builder.get, programs))
    os.makedirs(os.path.dirname(archive_of("")), exist_ok=True)
    for group in CLASSES:
        write_archive(group, [path for program, path in zip(programs, paths) if program.group == group])
    return 0


def print_table(results):
    columns = ["found", "missed", "wrong place", "clean", "false error", "hangs", "no report", "not run"]
    columns += sorted({verdict for _, verdict, _, _ in results} - set(columns))
    columns = [one for one in columns if any(verdict == one for _, verdict, _, _ in results)]
    print(f"\n{'class':10}" + "".join(f"{one:>13}" for one in columns) + f"{'failed':>10}")
    for group in CLASSES:
        rows = [row for row in results if row[0].group == group]
        if rows:
            counts = [sum(verdict == one for _, verdict, _, _ in rows) for one in columns]
            failed = sum(bool(problems) for _, _, problems, _ in rows)
            print(f"{group:10}" + "".join(f"{count:13}" for count in counts) + f"{failed:10}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("warpsage")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--prebuilt", action="store_true")
    parser.add_argument("--prebuild", action="store_true")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--heavy", action="store_true")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_intermixed_args()
    options.warpsage = os.path.abspath(options.warpsage)
    folder = os.path.dirname(options.warpsage)
    if options.prebuild:
        return prebuild(os.path.join(folder, "check-prebuilt"), options.jobs)
    programs, results = chosen(options.names, options.heavy), []
    builder = Builder(os.path.join(folder, "check-prebuilt" if options.prebuilt else "check-programs"),
                      None if options.prebuilt else find_nvcc(), {one.group for one in programs})
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for program, result in zip(programs, pool.map(lambda one: run_program(options, builder, one), programs)):
            results.append((program, *result))
            for problem in result[1]:
                print(f"{program.name}: {problem}", flush=True)
            if options.times:
                print(f"{result[2]:7.2f} s  {result[0]:12} {program.name}", flush=True)
    print_table(results)
    failed = sum(bool(problems) for _, _, problems, _ in results)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())

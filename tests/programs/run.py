#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the CUDA programs of this folder under `warpsage run`.

    run.py WARPSAGE FOLDER [--machine-code [--targets 80,90]] [NAME ...]

Each NAME.cu checks its own results and says PASSED. With nvcc it is compiled once into FOLDER (a
folder of the build) and linked twice, with the CUDA runtime inside and with -cudart shared; what is
newer than its source is kept. With a folder NAME/ its .cu files belong to the program, too, and all are
compiled for separate compilation (-rdc=true). Without nvcc those that lie ready in prebuilt/ are run.
NAME.expect, if there is one, has lines

    nvcc WORDS                  more options of nvcc
    args WORDS                  arguments of the program
    options WORDS               options of `warpsage run`
    exit N                      exit status, 0 if not told
    stdout TEXT, report TEXT    must occur in the program's output, in the report
    stderr TEXT                 must occur in what else is said
    every-launch PERCENT        with --every-launch each kernel takes the same time but for so much
    prints-times                the program's output has predicted times: those of machine code differ
    no-machine-code REASON      not with --machine-code
    night REASON                nvcc takes long: only with NIGHTLY in the environment, or named with --prebuild
    also NAME COMMAND           prebuilt/NAME is run as well; --prebuild makes it by COMMAND -o NAME, for a shell

run.py WARPSAGE FOLDER --prebuild NAME ... writes prebuilt/NAME anew; it needs nvcc.

With --machine-code each is also compiled for sm_75, 80, 86, 89 and 90 without PTX, and run on a GPU of each, or of
those that --targets names: it must print what the program with PTX prints on that GPU, and meet the expectations
that this meets; if not, the same holds for both compiled with -fmad=false.
"""
import glob
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

# A GPU for the machine code of each target.
GPUS = {75: "rtx2080ti", 80: "a100-sxm4-40gb", 86: "rtx3090", 89: "rtx4090", 90: "h100-sxm"}
HERE = os.path.dirname(os.path.abspath(__file__))

sys.path.insert(0, os.path.dirname(HERE))
from json_schema import check_document  # noqa: E402


def find_nvcc():
    """nvcc is seldom in PATH."""
    path = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    return path if os.access(path, os.X_OK) else None


def is_newer(path, *others):
    return os.path.exists(path) and all(
        os.path.getmtime(path) >= os.path.getmtime(one) for one in others)


def sources_of(name):
    return [os.path.join(HERE, name + ".cu")] + sorted(glob.glob(os.path.join(HERE, name, "*.cu")))


def headers_of(name):
    return glob.glob(os.path.join(HERE, name, "*.h")) + glob.glob(os.path.join(HERE, "*.h"))


def separate_options(name):
    return ["-rdc=true"] if len(sources_of(name)) > 1 else []


def build(nvcc, name, folder, options):
    """The program in both link modes."""
    headers, options = headers_of(name), separate_options(name) + options
    linked, things = [], []
    for number, source in enumerate(sources_of(name)):
        things.append(os.path.join(folder, f"{name}{number or ''}.o"))
        if not is_newer(things[-1], source, *headers):
            subprocess.run([nvcc, "-O2", "-lineinfo", "-c", *options, "-o", things[-1], source],
                           check=True)
    for mode in ("static", "shared"):
        program = os.path.join(folder, name + "_" + mode)
        if not is_newer(program, *things):
            subprocess.run([nvcc, "-cudart", mode, *options, "-o", program, *things], check=True)
        linked.append(program)
    return linked


def build_machine_code(nvcc, name, folder, options):
    """The program without PTX, and its targets: those from that of the options on."""
    sources, headers = sources_of(name), headers_of(name)
    least = max([int(one[9:]) for one in options if one.startswith("-arch=sm_")] + [75])
    targets = [target for target in GPUS if target >= least]
    others = separate_options(name) + [
        word for before, word in zip([""] + options, options)
        if not word.startswith(("-arch", "-gencode")) and before != "-gencode"]
    codes = [word for target in targets
             for word in ("-gencode", f"arch=compute_{target},code=sm_{target}")]
    program = os.path.join(folder, name + "_machine_code")
    if not is_newer(program, *sources, *headers):
        subprocess.run([nvcc, "-O2", "-lineinfo", "-cudart", "shared", *codes, *others, "-o",
                        program, *sources], check=True)
    return program, targets


def read_expectations(name):
    path = os.path.join(HERE, name + ".expect")
    expected = {"nvcc": [], "args": [], "options": [], "exit": 0, "stdout": [], "report": [],
                "stderr": [], "every-launch": None, "prints-times": False, "no-machine-code": False, "night": False,
                "also": {}}
    lines = open(path, encoding="utf-8").read().splitlines() if os.path.exists(path) else []
    for line in lines:
        key, _, value = line.partition(" ")
        if not key or key.startswith("#"):
            continue
        if key in ("nvcc", "args", "options"):
            expected[key] = shlex.split(value)
        elif key == "every-launch":
            expected[key] = float(value)
        elif key in ("prints-times", "no-machine-code", "night"):
            expected[key] = True
        elif key == "also":
            other, _, command = value.partition(" ")
            expected[key][other] = command
        elif key == "exit":
            expected[key] = int(value)
        else:
            expected[key].append(value)
    if expected["exit"] == 0 and not expected["stdout"]:
        expected["stdout"] = ["PASSED"]
    return expected


def problems_of(result, report, expected):
    problems = []
    if result.returncode != expected["exit"]:
        problems.append(f"exit status {result.returncode}, not {expected['exit']}")
    for key, text in (("stdout", result.stdout), ("report", report), ("stderr", result.stderr)):
        problems += [f"no '{one}' in {key}" for one in expected[key] if one not in text]
    return problems


def differences(folder, warpsage, program, expected, document):
    """What each launch counted on its own says, against what is estimated from some of them."""
    path = os.path.join(folder, "every.json")
    subprocess.run([warpsage, "run", "--format", "json", "-o", path, "--every-launch",
                    *expected["options"], "--", program, *expected["args"]], capture_output=True,
                   timeout=300, check=False)
    with open(path, encoding="utf-8") as file:
        every = {one["name"]: one for one in json.load(file)["kernels"]}
    problems = []
    for one in document["kernels"]:
        all_of_it = every[one["name"]]
        ratio = one["time_s"] / all_of_it["time_s"]
        if all_of_it["counted"] != one["launches"]:
            problems.append(f"--every-launch counted {all_of_it['counted']} of {one['launches']}")
        if abs(ratio - 1) > expected["every-launch"] / 100:
            problems.append(f"{one['name']}: {ratio:.3f} of the time with --every-launch")
        if one["warp_instructions"] != all_of_it["warp_instructions"]:
            problems.append(f"{one['name']}: other instructions than with --every-launch")
    return problems


def run(warpsage, program, expected):
    """Once with the text report, once with JSON."""
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for form in ("text", "json"):
            path = os.path.join(folder, "report." + form)
            command = [warpsage, "run", "--format", form, "-o", path, *expected["options"], "--",
                       program, *expected["args"]]
            result = subprocess.run(command, capture_output=True, text=True, timeout=300,
                                    check=False)
            report = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
            if form == "text":
                problems += problems_of(result, report, expected)
                problems += [f"wider than 96 columns: {line}" for line in report.splitlines()
                             if len(line) > 96]
            else:
                document = json.loads(report) if report else None
                wrong = check_document("run", document)
                problems += [f"JSON: {wrong}"] if wrong else []
                problems += [f"{one['name']}: executed without instructions or in no time"
                             for one in (document or {}).get("kernels", [])
                             if one["counted"] and not (one["warp_instructions"] and one["host_s"] > 0)]
                if expected["every-launch"] is not None and not problems:
                    problems += differences(folder, warpsage, program, expected, document)
            if problems:
                problems.append(result.stdout[-2000:] + result.stderr[-4000:])
                break
    return problems


def output_of(warpsage, program, gpu, expected):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.txt")
        options = [word for i, word in enumerate(expected["options"])
                   if word != "--gpu" and expected["options"][i - 1:i] != ["--gpu"]]
        result = subprocess.run([warpsage, "run", "--gpu", gpu, "-o", path, *options, "--", program,
                                 *expected["args"]], capture_output=True, text=True, timeout=300,
                                check=False)
        report = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
    return result, report


def run_machine_code(warpsage, folder, nvcc, name, wanted, more=()):
    """Problems by target: what the program with PTX does better on that GPU."""
    expected = read_expectations(name)
    options = expected["nvcc"] + list(more)
    with_ptx = build(nvcc, name, folder, options)[-1]
    program, targets = build_machine_code(nvcc, name, folder, options)
    problems = {}
    for target in [one for one in targets if one in wanted]:
        result, report = output_of(warpsage, program, GPUS[target], expected)
        other, other_report = output_of(warpsage, with_ptx, GPUS[target], expected)
        known = problems_of(other, other_report, expected)
        problems[target] = [problem for problem in problems_of(result, report, expected)
                            if problem not in known]
        if result.returncode != other.returncode:
            problems[target].append(f"exit status {result.returncode}, not {other.returncode}")
        if result.stdout != other.stdout and not expected["prints-times"]:
            problems[target].append(f"prints\n{result.stdout[-300:]}not\n{other.stdout[-300:]}")
        if problems[target]:
            problems[target].append(result.stderr[-1200:])
    failed = [target for target in problems if problems[target]]
    if failed and not more:  # ptxas may make one operation of a multiplication and an addition
        folder = os.path.join(folder, "fmad_false")
        os.makedirs(folder, exist_ok=True)
        problems.update(run_machine_code(warpsage, folder, nvcc, name, failed, ["-fmad=false"]))
    return problems


def main_machine_code(warpsage, folder, nvcc, names, targets):
    count, failed = dict.fromkeys(targets, 0), dict.fromkeys(targets, 0)
    for name in names:
        if not nvcc or read_expectations(name)["no-machine-code"]:
            continue
        for target, problems in run_machine_code(warpsage, folder, nvcc, name, targets).items():
            count[target] += 1
            failed[target] += bool(problems)
            for problem in problems:
                print(f"{name} sm_{target}: {problem}", flush=True)
    if not sum(count.values()):
        print("nothing to run: no nvcc")
        return 77
    for target in targets:
        print(f"sm_{target}: {count[target] - failed[target]} of {count[target]}")
    total, bad = sum(count.values()), sum(failed.values())
    print(f"{total - bad} of {total} programs of machine code passed")
    return 1 if bad else 0


def prebuild(nvcc, names):
    """Without paths of this machine."""
    for name in names:
        expected = read_expectations(name)
        sources = [os.path.relpath(one, HERE) for one in sources_of(name)]
        commands = {name: shlex.join([nvcc, "-O2", "-cudart", "shared", *separate_options(name),
                                      *expected["nvcc"], *sources]), **expected["also"]}
        for other, command in commands.items():
            program = os.path.join("prebuilt", other)
            subprocess.run(f"{command} -o {program}", check=True, cwd=HERE, shell=True)
            subprocess.run(["strip", program], check=True, cwd=HERE)
    return 0


def main():
    warpsage, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    nvcc = find_nvcc()
    names, targets = sys.argv[3:], list(GPUS)
    is_machine_code = "--machine-code" in names
    if is_machine_code:
        names.remove("--machine-code")
    if "--targets" in names:
        at = names.index("--targets")
        targets = [int(one) for one in names[at + 1].split(",")]
        del names[at:at + 2]
    if names[:1] == ["--prebuild"]:
        return prebuild(nvcc, names[1:])
    names = names or sorted(one[:-3] for one in os.listdir(HERE) if one.endswith(".cu"))
    if is_machine_code:
        os.makedirs(folder, exist_ok=True)
        return main_machine_code(warpsage, folder, nvcc, names, targets)
    failed = count = 0
    os.makedirs(folder, exist_ok=True)
    for name in names:
        expected = read_expectations(name)
        prebuilt = [os.path.join(HERE, "prebuilt", one) for one in (name, *expected["also"])]
        is_built = nvcc and (os.environ.get("NIGHTLY") or not expected["night"])
        programs = build(nvcc, name, folder, expected["nvcc"]) if is_built else []
        programs += [one for one in prebuilt if os.path.exists(one)]
        for program in programs:
            count += 1
            problems = run(warpsage, program, expected)
            failed += bool(problems)
            for problem in problems:
                print(f"{os.path.relpath(program)}: {problem}")
    if not count:
        print("nothing to run: no nvcc, or only by night, and no prebuilt programs")
        return 77
    print(f"{count - failed} of {count} programs passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

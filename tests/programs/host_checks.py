#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Findings of the host's side of `warpsage check`: the mistakes that host_checks.c makes, and none besides.

    host_checks.py WARPSAGE PROGRAM

What CUDA's driver API says of each call is in the table: the code of the finding, the function that must be in its
stack, and the status of the program that `--error-exitcode 0` passes on.
"""
import json
import subprocess
import sys
import tempfile

# case: (codes of errors, function in the stack, status)
CASES = {
    "none": ([], None, 0),
    "probes": ([], None, 0),
    "overrun": (["M20"], "copy_to_device", 0),
    "interior": (["M23"], "release", 0),
    "double": (["M24"], "release", 0),
    "stream": (["M25"], "run", 0),
    "events": (["M32"], "run", 0),
    "late": ([], None, 0),
    "fork": ([], None, 0),
    "leak": (["M30"], "allocate", 0),
    "leak_exit": (["M30"], "allocate", 7),
    "leak__exit": ([], None, 0),
    "leak_abort": ([], None, 134),
    "overrun_abort": (["M20"], "copy_to_device", 134),
}


def check(warpsage, program, case, options=()):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = [warpsage, "check", "--error-exitcode", "0", "-f", "json", "-o", file.name,
                   *options, "--", program, case]
        result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        document = json.load(open(file.name, encoding="utf-8"))
    errors = [one for one in document.get("findings", []) if one["grade"] == "error"]
    return errors, result


def problems_of(errors, result, expected):
    codes, function, status = expected
    problems = []
    if sorted(one["code"] for one in errors) != codes:
        problems.append(f"found {[(one['code'], one.get('message')) for one in errors]}, not {codes}")
    # Without libdw the functions of a program that exports none have no names.
    has_lines = any(frame.get("line") for one in errors for frame in one.get("host", []))
    if function and has_lines and not any(function in json.dumps(one.get("host", "")) for one in errors):
        problems.append(f"no {function} in the stack: {[one.get('host') for one in errors]}")
    if result.returncode != status:
        problems.append(f"status {result.returncode}, not {status}: {result.stderr[-500:]}")
    return problems


def main():
    warpsage, program = sys.argv[1:3]
    failed = 0
    for case, expected in CASES.items():
        errors, result = check(warpsage, program, case)
        problems = problems_of(errors, result, expected)
        if case == "leak":
            problems += problems_of(*check(warpsage, program, case, ["--leaks", "no"]), ([], None, 0))
        if case == "events" and errors and "3 events" not in errors[0].get("message", ""):
            problems.append(f"not 3 events: {errors[0].get('message')}")
        failed += bool(problems)
        for problem in problems:
            print(f"{case}: {problem}")
    print(f"{len(CASES) - failed} of {len(CASES)} cases passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

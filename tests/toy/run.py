#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A model that is one file and one row (toy.c, toy.def) shows in text, JSON, CSV, schema and explain.

    run.py PROGRAM      built with both
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

PROFILE = os.path.join(HERE, "..", "profiles", "two_stages.json")
failed = passed = 0


def run(*words):
    done = subprocess.run([sys.argv[1], *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    return done.stdout


def check(what, holds):
    global failed, passed
    passed += bool(holds)
    failed += not holds
    if not holds:
        print(f"[  FAILED  ] {what}")


def main():
    analyze = ("analyze", "--profile", PROFILE, "--gpu", "gtx285")
    text = run(*analyze)
    check("its time stands beside the others", "\n  toy " in text)
    check("its section has a line", "toy_density " in text)
    details = run(*analyze, "--details", "all")
    check("its finding is an advice", "T901 load less, says the toy" in details)
    check("its table is among the details", "toy_lines: loads by line" in details)
    check("its evidence is, too", "2 cycles an instruction" in details)
    document = json.loads(run(*analyze, "-f", "json"))
    machine = document["kernels"][0]["machines"][0]
    toy = next(one for one in machine["estimates"] if one["model"] == "toy")
    check("its section is in the JSON", toy["details"]["toy_density"] >= 0)
    check("its table is in the JSON", [row["toy_line"] for row in toy["details"]["toy_lines"]] == [1, 2])
    check("its finding is in the JSON", any(one["code"] == "T901" for one in machine["advice"]))
    schema = json.loads(run("schema", "analyze"))
    check("its records are in the schema", {"toy", "toy_row"} <= set(schema["$defs"]))
    try:
        import jsonschema
        jsonschema.validate(document, schema)
        check("the JSON is valid", True)
    except ImportError:
        pass
    check("it is a metric of the CSV", "gtx285/toy/toy_density" in run(*analyze, "-f", "csv"))
    check("explain knows the model", "A model for a test." in run("explain", "toy"))
    check("explain knows the figure", "loads per instruction" in run("explain", "toy_density"))
    check("explain knows the finding", "Fix: load less." in run("explain", "T901"))
    launch = os.path.join(os.path.dirname(os.path.dirname(HERE)),
                          "examples/kernels/sgemm_tiled/sgemm_tiled_512.yaml")
    full = run("analyze", launch, "--effort", "10%", "--trace-blocks", "0", "--gpu", "gtx580")
    check("a full report stays within 60 lines", len(full.splitlines()) <= 60)
    check("sections of low priority give way", "accesses with lower cost" in full and "toy_density" in full)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The schemas in schemas/ are those that the program makes.

    schemas.py PROGRAM             compares
    schemas.py PROGRAM --write     renews
"""
import os
import subprocess
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "schemas")


def run(program, *words):
    return subprocess.run([program, "schema", *words], check=True, capture_output=True,
                          text=True).stdout


def main():
    program, failed = sys.argv[1], 0
    questions = run(program).split()
    for question in questions:
        name = "report" if question == "analyze" else question
        path = os.path.join(FOLDER, name + ".schema.json")
        made = run(program, question)
        if "--write" in sys.argv:
            with open(path, "w", encoding="utf-8") as file:
                file.write(made)
        with open(path, encoding="utf-8") as file:
            if file.read() != made:
                failed += 1
                print(f"[  FAILED  ] schemas/{name}.schema.json is not what `warpsage schema "
                      f"{question}` prints: tests/answers/schemas.py PROGRAM --write renews it")
    print(f"{len(questions) - failed} passed, {failed} failed")
    sys.exit(failed != 0)


main()

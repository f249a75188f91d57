#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/vectors/MNEMONIC.txt, the conformance vectors of every instruction.

    make-vectors.py            writes the files
    make-vectors.py --check    says which files differ from what it would write; status 1 if any
"""
import collections
import importlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
FOLDER = pathlib.Path(__file__).resolve().parents[1] / "vectors"
FAMILIES = ["integers", "bits", "compare", "floats", "convert", "convert_small", "memory",
            "memory_forms", "copies", "matrices", "wmma",
            "atomics", "warp", "control", "video", "literals", "textures"]
NOT_VECTORS = {"CMakeLists.txt", "pending.txt"}


def texts():
    """The text of each file by its name."""
    forms, sources = collections.defaultdict(list), collections.defaultdict(list)
    for family in FAMILIES:
        for mnemonic, source, form in importlib.import_module("vectors." + family).forms():
            forms[mnemonic].append(form)
            if source not in sources[mnemonic]:
                sources[mnemonic].append(source)
    result = {}
    for mnemonic in forms:
        lines = ["# SPDX-License-Identifier: Apache-2.0",
                 "# Made by tests/tools/make-vectors.py. The format: vector_file.h."]
        lines += ["source: " + source for source in sources[mnemonic]]
        for form in forms[mnemonic]:
            lines.append("")
            form.write(lines)
        result[mnemonic + ".txt"] = "\n".join(lines) + "\n"
    return result


def check(made):
    present = {path.name for path in FOLDER.glob("*.txt")} - NOT_VECTORS
    wrong = [f"{name}: nothing makes it" for name in sorted(present - made.keys())]
    for name, text in sorted(made.items()):
        path = FOLDER / name
        if not path.exists() or path.read_text() != text:
            wrong.append(f"{name}: run tests/tools/make-vectors.py")
    for line in wrong:
        print("tests/vectors/" + line)
    return 1 if wrong else 0


def main():
    made = texts()
    if sys.argv[1:] == ["--check"]:
        return check(made)
    for name, text in made.items():
        (FOLDER / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

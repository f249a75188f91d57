#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every page that code, scripts and pages cite is in the tree, and has the heading
that is cited: `doc/definitions.md#stages`. Prints file:line for each that does not.

    tools/check-references.py [ROOT]
"""
import functools
import pathlib
import re
import sys

FOLDERS = ["include", "src", "cli", "runtime", "bench", "examples", "tests", "tools", "cmake", "data",
           "doc", "papers", "schemas", ".ci"]
SUFFIXES = {".c", ".h", ".def", ".py", ".sh", ".yaml", ".cu", ".cl", ".json", ".cmake", ".txt", ".md", ""}
CITED = re.compile(r"(?<![\w:/.-])((?:[\w.-]+/|\.\./)*[\w.-]+\.md)(?:#([\w-]+))?")
UNNAMED = re.compile(r"\b[A-Z]{4,},? section [0-9]")
EXEMPT = {"data/machines/SOURCES.yaml", "tests/tools/test-tools.sh"}  # pages of other projects; breaches


@functools.lru_cache(maxsize=None)
def anchors(page):
    """As web pages make them of headings: lower case, words joined by dashes."""
    headings = re.findall(r"^#+ +(.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", h.lower()).strip().replace(" ", "-") for h in headings}


def files(root):
    yield from (p for p in root.iterdir() if p.is_file() and p.suffix in SUFFIXES - {""})
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file() and "__pycache__" not in path.parts and \
                    str(path.relative_to(root)) not in EXEMPT:
                yield path


def faults(root, path):
    try:
        lines = path.read_text().split("\n")
    except UnicodeDecodeError:
        return
    for number, line in enumerate(lines, 1):
        for match in UNNAMED.finditer(line):
            yield number, f"'{match[0]}' names no page: cite a page of doc/ and its heading"
        for name, heading in CITED.findall(line):
            places = [folder / name for folder in (path.parent, root, root / "doc", root / "doc/models")]
            page = next((p for p in places if p.is_file()), None)
            if page is None:
                yield number, f"{name} is not in the tree"
            elif heading and heading not in anchors(page):
                yield number, f"{name} has no heading #{heading}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    count = 0
    for path in files(root):
        for number, fault in faults(root, path):
            print(f"{path.relative_to(root)}:{number}: {fault}", file=sys.stderr)
            count += 1
    if count:
        print(f"check-references: {count} wrong", file=sys.stderr)
    return 1 if count else 0


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every page that code, scripts and pages cite is in the tree, and has the heading
that is cited: `doc/definitions.md#stages`; that doc/papers.md lists every table and figure of the papers once, with rows
and curves that exist, and every row and curve. Prints file:line for each that does not.

    tools/check-references.py [ROOT]
"""
import fnmatch
import functools
import json
import pathlib
import re
import sys

FOLDERS = ["include", "src", "cli", "runtime", "python", "bench", "examples", "tests", "tools", "cmake",
           "data", "doc", "papers", "schemas", ".ci"]
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


# ---- the list of tables and figures -----------------------------------------------------------

PAPER = re.compile(r"### ([\w, -]+?)(?:: (\d+) tables, (\d+) figures)?$")
TOKEN = re.compile(r"`([^`]+)`")


def numbers(cell):
    """'figure 4, 6 to 9' as ('figure', 4), ('figure', 6) ..."""
    kind, _, rest = cell.partition(" ")
    for part in rest.split(","):
        ends = [int(n) for n in re.findall(r"\d+", part)]
        yield from ((kind, n) for n in range(ends[0], ends[-1] + 1) if ends)


def read_papers(root):
    """Rows' ids by paper, and curves' ids."""
    rows, curves = {}, set()
    for path in sorted(root.glob("papers/*/published*.json")):
        for row in json.loads(path.read_text()).get("rows", []):
            rows.setdefault(row["paper"], set()).add(row["id"])
    for path in sorted(root.glob("papers/*/curves.json")):
        curves |= {curve["id"] for curve in json.loads(path.read_text())["curves"]}
    return rows, curves


def line_faults(cells, ids, curves, named):
    """Of one line of a table: | number | what | rows | curves | missing |"""
    if not any(cells[2:5]):
        yield f"{cells[0]} has neither rows nor curves, nor what is missing"
    for token in TOKEN.findall(cells[2]):
        found = fnmatch.filter(ids, token)
        named |= set(found)
        if not found:
            yield f"no row of these papers is called {token}"
    for token in TOKEN.findall(cells[3]):
        named.add(token)
        if token not in curves:
            yield f"no curve is called {token}"


def list_faults(root):
    page = root / "doc/papers.md"
    rows, curves = read_papers(root)
    if not rows or not page.is_file():
        return
    named, listed, heading, ids = set(), [], None, set()

    def end_paper():
        if not heading:
            return
        tables, figures = (int(heading[2] or 0), int(heading[3] or 0))
        wanted = {("table", n + 1) for n in range(tables)} | {("figure", n + 1) for n in range(figures)}
        for kind, number in sorted(wanted ^ set(listed) | {n for n in listed if listed.count(n) > 1}):
            yield at, f"{heading[1]}: {kind} {number} is not listed once"
        for missing in sorted(ids - named):
            yield at, f"{heading[1]}: the row {missing} is not named"

    at, inside = 0, False
    for at, line in enumerate(page.read_text().split("\n"), 1):
        inside = line == "## Tables and figures" if line.startswith("## ") else inside
        if line.startswith("#"):
            yield from end_paper()
            heading, listed = (PAPER.match(line) if inside else None), []
            ids = set().union(*(rows.pop(p.strip(), set()) for p in heading[1].split(","))) if heading else set()
        cells = [c.strip() for c in line.strip("|").split("|")]
        if not heading or not line.startswith("| ") or cells[0] == "number":
            continue
        listed += numbers(cells[0]) if cells[0].split()[0] in ("table", "figure") and " " in cells[0] else []
        for fault in line_faults(cells, ids, curves, named):
            yield at, fault
    yield from end_paper()
    for paper in sorted(rows):
        yield at, f"the paper {paper} is not listed"
    for missing in sorted(curves - named):
        yield at, f"the curve {missing} is not named"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    count = 0
    for path in files(root):
        for number, fault in faults(root, path):
            print(f"{path.relative_to(root)}:{number}: {fault}", file=sys.stderr)
            count += 1
    for number, fault in list_faults(root):
        print(f"doc/papers.md:{number}: {fault}", file=sys.stderr)
        count += 1
    if count:
        print(f"check-references: {count} wrong", file=sys.stderr)
    return 1 if count else 0


sys.exit(main())

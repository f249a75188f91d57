#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reports as HTML, without a browser.

    tests/html/run.py build/warpsage

Each page is well-formed by Python's parsers, its SVG as XML; each chart has a table; ids are unique and links have
targets; nothing outside the file is referred to; it has less than 2 MB and the same bytes twice; every number
that it says to be exact is one of the JSON of the same command; names with markup, quotes and control characters
are escaped. The last line is `N passed, N failed`.
"""
import json
import os
import subprocess
import sys
import tempfile

import page

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAM = os.path.abspath(sys.argv[1])
KERNELS = os.path.join(ROOT, "examples", "kernels")
HOSTILE = "k<script>alert(1)</script>\"'&amp;\x01\u0007</title></style>é"

def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, check=True).stdout.decode()


def numbers(tree, out):
    if isinstance(tree, dict):
        for value in tree.values():
            numbers(value, out)
    elif isinstance(tree, list):
        for value in tree:
            numbers(value, out)
    elif isinstance(tree, (int, float)) and not isinstance(tree, bool):
        out.add(float(tree))
    return out


def check_figures(name, text, answer):
    """Every <data> is a number of the JSON, and each kernel's time is there."""
    known, said = numbers(answer, set()), {float(value) for value in page.parse(text).data}
    page.check(f"{name}: figures", [f"{value!r} is not in the JSON" for value in sorted(said - known)] if len(said) > 100
          else ["the page says too few"])
    times = {machine["headline"]["time_s"] for kernel in answer["kernels"] for machine in kernel["machines"]}
    page.check(f"{name}: times", [f"{time!r} is not in the page" for time in times - said])


def check_parts(name, text, parts):
    page.check(f"{name}: parts", [f"no part {part}" for part in parts if f'id="{part}"' not in text])


def check_command(name, parts, *command):
    text = run("analyze", *command, "-f", "html")
    page.check(f"{name}: page", page.check_page(text))
    check_figures(name, text, json.loads(run("analyze", *command, "-f", "json", "--code", "--charts")))
    check_parts(name, text, parts)
    return text


def check_checks(text):
    """What spoils a page is found."""
    for old, new in (("</figure>", ""), ("<details class", "<details open class=x class"), ('id="c1"', 'id="c0"'),
                     ('href="#notes"', 'href="#nots"'), ("</main>", "<img src=x.png></main>"), ("<h3", "<h5"),
                     ('<svg class="chart-bars"', '<g class="chart-bars"'), ("</caption>", "\x07</caption>"),
                     ("<main", "<main onclick=x"), ('scope="col"', ""), ("</style>", "a{b:url(x)}</style>")):
        if old in text:
            page.check(f"{new!r} for {old!r} is found", [] if page.check_page(text.replace(old, new, 1)) else ["it is not"])


def rename(tree, new):
    """Puts `new` in place of saxpy into every text of a profile; how often."""
    count = 0
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        if isinstance(value, (dict, list)):
            count += rename(value, new)
        elif isinstance(value, str) and "saxpy" in value:
            tree[key] = value.replace("saxpy", new)
            count += 1
    return count


def check_profile(folder):
    """Names of a profile that someone else wrote; a profile without a machine; the same bytes twice."""
    saved, changed = os.path.join(folder, "p.json"), os.path.join(folder, "hostile.json")
    run("analyze", os.path.join(KERNELS, "saxpy", "saxpy.yaml"), "--gpu", "v100", "--save-profile", saved, "-q")
    with open(saved, encoding="utf-8") as file:
        profile = json.load(file)
    page.check("hostile names: profile", [] if rename(profile, HOSTILE) > 1 else ["no names were changed"])
    with open(changed, "w", encoding="utf-8") as file:
        json.dump(profile, file)
    text = run("analyze", "--profile", changed, "--gpu", "v100,h200", "-f", "html")
    page.check("hostile names: page", page.check_page(text))
    page.check("hostile names: escaped", [] if "&lt;script&gt;alert(1)" in text and "<script>alert" not in text and
          "</title></style>" not in text else ["the name is not in the page, or is not escaped"])
    text = run("analyze", "--profile", saved, "-f", "html")
    page.check("no machine: page", page.check_page(text))
    check_parts("no machine", text, ["mix", "notes"])
    page.check("same bytes", [] if text == run("analyze", "--profile", saved, "-f", "html") else ["they differ"])


def check_trees():
    """Questions without a page of their own show their tree."""
    for command in (["machines", "show", "h200"], ["machines", "diff", "v100", "h200"],
                    ["occupancy", "--gpu", "v100", "-b", "256"]):
        page.check(f"{command}: page", page.check_page(run(*command, "-f", "html")))


def check_findings(folder):
    """The page of `check`: each finding with its place and text; names with markup; many of them."""
    saved = os.path.join(ROOT, "tests", "cli", "data", "check", "findings.json")
    with open(saved, encoding="utf-8") as file:
        findings = json.load(file)
    one = findings["findings"][-1]
    texts = ["use of an uninitialised value", "data race", "by 4 bytes", "check the index", "main.cu:8"]
    one["title"] = HOSTILE.replace("\x01", "").replace("\x07", "")
    many = [{**one, "here": {**one["here"], "line": line}} for line in range(1, 3001)]
    for name, list_of, told in (("findings", findings["findings"], texts + ["&lt;script&gt;alert(1)"]),
                                ("many findings", many, ["The first 1000 of 3000", "1000. k&lt;script"])):
        path = os.path.join(folder, "findings.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**findings, "findings": list_of}, file)
        done = subprocess.run([PROGRAM, "check", "--read", path, "-f", "html", "-o", path + ".html"], check=False)
        with open(path + ".html", encoding="utf-8") as file:
            text = file.read()
        page.check(f"{name}: status", [] if done.returncode == 1 else [done.returncode])
        page.check(f"{name}: page", page.check_page(text))
        page.check(f"{name}: told", [part for part in told if part not in text])
        check_parts(name, text, ["summary", "findings", "f1"])
        page.check(f"{name}: escaped", [] if "<script>alert" not in text else ["it is not"])


def check_unwritable():
    done = subprocess.run([PROGRAM, "analyze", os.path.join(KERNELS, "saxpy", "saxpy.yaml"), "--gpu", "v100", "-f",
                           "html", "-o", "/nonexistent/report.html"], capture_output=True)
    page.check("unwritable", [] if done.returncode == 3 and b"/nonexistent" in done.stderr else
          [done.returncode, done.stderr])


def main():
    text = check_command("one GPU", ["verdict", "advice", "throughput", "roofline", "components", "memory", "accesses", "waits",
                              "parallelism", "scaling", "occupancy", "hot", "code", "mix", "sensitivity", "models", "notes"],
                  os.path.join(KERNELS, "sgemm_tiled", "sgemm_tiled_512.yaml"), "--gpu", "h200")
    check_checks(text)
    check_command("several machines", ["comparison", "m1-verdict", "m2-models", "m3-throughput", "notes"],
                  os.path.join(KERNELS, "saxpy", "saxpy.yaml"), "--gpu", "v100,gtx580", "--cpu", "e5645x2")
    with tempfile.TemporaryDirectory() as folder:
        check_profile(folder)
        check_findings(folder)
    check_trees()
    check_unwritable()
    return page.finish()


sys.exit(main())

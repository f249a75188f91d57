#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reports of programs as HTML (`warpsage run -f html`), without a browser or nvcc.

    tests/html/program.py build/warpsage MANY_LAUNCHES

The checks of page.py; every exact number of the page is one of the JSON; counts of calls, launches and copies are what
the programs do by their sources. MANY_LAUNCHES is tests/programs/many_launches.c. The last line is `N passed, N failed`.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import page

HERE = os.path.dirname(os.path.abspath(__file__))
PREBUILT = os.path.join(os.path.dirname(HERE), "programs", "prebuilt")
WARPSAGE, MANY = (os.path.abspath(path) for path in sys.argv[1:3])
MARKUP = "a<script>alert(1)</script>&\"'"

def expect(name, got, wanted):
    page.check(name, [] if got == wanted else [f"{got!r}, not {wanted!r}"])


def start(*arguments):
    return subprocess.run([WARPSAGE, "run", *arguments], capture_output=True, timeout=250, check=False)


def report(folder, form, options, *program):
    path = os.path.join(folder, "report." + form)
    done = start("-f", form, "-o", path, *options, "--", *program)
    with open(path, encoding="utf-8") as file:
        return done.returncode, file.read()


def numbers(tree, out):
    for value in tree.values() if isinstance(tree, dict) else tree:
        if isinstance(value, (dict, list)):
            numbers(value, out)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            out.add(float(value))
    return out


def check_figures(name, text, answer):
    """Sums of the JSON's own numbers are none of the page's."""
    said = {float(value) for value in page.parse(text).data}
    page.check(f"{name}: figures", sorted(said - numbers(answer, set()))[:12])
    wanted = {kernel["time_s"] for kernel in answer["kernels"] if kernel["time_s"] is not None}
    wanted |= {answer["timeline"]["calls_made"], answer["totals"]["launches"]}
    page.check(f"{name}: times and counts", sorted(wanted - said))


def check_program(folder, name, options, *program):
    """Page and JSON of one program."""
    code, text = report(folder, "html", options, *program)
    expect(f"{name}: exit status", code, 0)
    page.check(f"{name}: page", page.check_page(text))
    _, answer = report(folder, "json", [*options, "--charts", "--reports", "8"], *program)
    answer = json.loads(answer)
    check_figures(name, text, answer)
    page.check(f"{name}: parts", [part for part in ("summary", "timeline", "kernels", "notes", "k1", "k1-verdict")
                             if f'id="{part}"' not in text])
    return text, answer


def sums(answer):
    return {(row["kind"], row["name"]): row["count"] for row in answer["timeline"]["sums"]}


def check_vector_add(folder):
    """By vector_add.cu."""
    text, answer = check_program(folder, "vector_add", [], os.path.join(PREBUILT, "vector_add"))
    found = sums(answer)
    expect("vector_add: launches", sum(n for (kind, _), n in found.items() if kind == "kernel"),
           answer["totals"]["launches"])
    expect("vector_add: calls", found.get(("call", "cudaLaunchKernel")), answer["totals"]["launches"])
    _, again = report(folder, "html", ["--threads", "2"], os.path.join(PREBUILT, "vector_add"))
    _, one = report(folder, "html", ["--threads", "1"], os.path.join(PREBUILT, "vector_add"))
    expect("vector_add: same bytes", (text == again, text == one), (True, True))


def check_many(folder):
    """Three rows a round would be too many: they merge, and nothing is lost."""
    rounds = 6000
    text, answer = check_program(folder, "many launches", [], MANY, str(rounds))
    timeline, found = answer["timeline"], sums(answer)
    kernels = {kernel["name"]: kernel for kernel in answer["kernels"]}
    names = sorted(kernels)
    expect("many: sums", found, {**{("kernel", name): rounds for name in names},
                                 ("copy", "host to device"): rounds / 10, ("fill", "memset"): rounds / 10,
                                 **{key: n for key, n in found.items() if key[0] == "call"}})
    expect("many: calls", [found[("call", name)] for name in ("cuLaunchKernel", "cuMemcpyHtoD_v2", "cuStreamCreate")],
           [2 * rounds, rounds / 10, 3])
    expect("many: bytes", (timeline["copied_bytes"], timeline["filled_bytes"]),
           (4096 * rounds / 10, 1024 * rounds / 10))
    rows = timeline["work"]
    page.check("many: merged", [] if timeline["step_s"] > 0 and len(rows) <= 6144 and timeline["left_out"] == 0
          else [timeline["step_s"], len(rows), timeline["left_out"]])
    streams = {}
    for row in rows:
        if row["kind"] == "kernel":
            streams[row["stream"]] = streams.get(row["stream"], 0) + row["count"]
    expect("many: streams", sorted(streams.values()), [2 * rounds / 3] * 3)
    busy = sum(row["busy_s"] for row in rows if row["kind"] == "kernel")
    total = sum(kernel["time_s"] for kernel in answer["kernels"])
    page.check("many: busy", [] if abs(busy / total - 1) < 1e-6 else [busy, total])
    page.check("many: within", [row for row in rows if not row["begin_s"] <= row["end_s"] <= timeline["end_s"] * 1.000001 or
                           row["busy_s"] > (row["end_s"] - row["begin_s"]) * 1.000001 + 1e-15])
    page.check("many: told", [] if "are one row with their count" in text else ["the page does not say that rows are merged"])
    page.check("names: escaped", [] if "&lt;char const&amp;&gt;" in text and "<char const" not in text else names)


def check_hostile(folder):
    path = os.path.join(folder, MARKUP.replace("/", "-"))
    shutil.copy(os.path.join(PREBUILT, "reduction"), path)
    code, text = report(folder, "html", ["--gpu", "v100,h200"], path, MARKUP)
    expect("hostile: exit status", code, 0)
    page.check("hostile: page", page.check_page(text))
    page.check("hostile: escaped", [] if "&lt;script&gt;alert(1)" in text and "<script>alert" not in text else ["it is not"])
    page.check("two GPUs", [part for part in ("k1-comparison", "k1-m2-verdict") if f'id="{part}"' not in text])


def check_session(folder):
    """Records that someone else wrote: many kernels and streams, markup, numbers that are none, lines that are cut."""
    session = os.path.join(folder, "session")
    os.mkdir(session)
    shape = "1,1,1\t32,1,1"
    with open(os.path.join(session, "7.table"), "w", encoding="utf-8") as file:
        for i in range(2000):
            name = f"{i}<" + MARKUP * 3 + "\x01é" + "<" * 400
            file.write(f"kernel\t1\t1\t0\t0\t0\t0\t{(2000 - i) * 1e-6}\t1e-6\t1e-6\t1e-6\t{shape}\t\tb\t5\t{name}\t0.5\t0\t0\t\t\n")
    with open(os.path.join(session, "7.work"), "w", encoding="utf-8") as file:
        file.write("step\t1e-6\t9\t \n")
        for i in range(5000):
            file.write(f"kernel\t{i % 100}\t1\t{i * 1e-6}\t{(i + 1) * 1e-6}\t1e-6\t0\t{i % 50}<{MARKUP}\t\n")
        for words in ("kernel\t0\t1\tnan\t1\t1\t0\tk", "kernel\t0\t1\t1\tinf\t1\t0\tk", "copy\t0\t1\t2\t1\t1\t0\tk",
                      "flight\t0\t1\t1\t1\t1\t0\tk", "kernel\t-1\t1\t1\t1\t1\t0\tk", "fill\t0\t1", "\t\t"):
            file.write(words + "\t\n")
    with open(os.path.join(session, "7.calls"), "w", encoding="utf-8") as file:
        file.write(f"call\t0\t{2**64 - 1}\t0\t0\t0\t0\tcudaFree\t\ncall\t0\t3\t0,5\t0,5\t0\t0\tcuFree\t\ncall\t0\t3\t0,")
    code, text = report(folder, "html", [], "/bin/sh", "-c", f'cp "{session}"/* "$WARPSAGE_RUN"')
    page.check("session: page", page.check_page(text))
    expect("session: exit status", code, 0)
    page.check("session: escaped", ["it is not"] if "<script>alert" in text else [])
    page.check("session: told", [said for said in ("7 of the lines", "of 2000 kernels", "events not shown", "1 of the lines", "cuFree")
                            if said not in text])


def check_failures(folder):
    code, text = report(folder, "html", [], "/bin/sh", "-c", "exit 3")
    expect("no kernels: exit status", code, 3)
    page.check("no kernels: page", page.check_page(text))
    page.check("no kernels: said", [] if "No kernel was launched" in text else ["it is not"])
    code, text = report(folder, "html", ["--skip", "1000"], os.path.join(PREBUILT, "vector_add"))
    page.check("nothing counted: page", page.check_page(text))
    page.check("nothing counted: why", [] if "without counters" in text and "not requested" in text else ["it is not said"])
    code, text = report(folder, "html", [], os.path.join(PREBUILT, "driver_vector_add"))
    page.check("failed launch: page", page.check_page(text))
    page.check("failed launch: said", [] if "that failed" in text else ["it is not"])
    code, text = report(folder, "html", ["--clock", "host"], "/bin/sh", "-c", "kill -9 $$")
    expect("killed: exit status", code, 128 + 9)
    page.check("killed: page", page.check_page(text))
    for path in ("/nonexistent/report.html", "/dev/full"):
        done = start("-f", "html", "-o", path, "--", os.path.join(PREBUILT, "vector_add"))
        expect(f"{path}: exit status", done.returncode, 125)
        page.check(f"{path}: said", [] if path.encode() in done.stderr else [done.stderr])
    expect("--reports 0", start("--reports", "0", "--", "/bin/true").returncode, 2)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_vector_add(folder)
        check_program(folder, "graph_capture", [], os.path.join(PREBUILT, "graph_capture"))
        check_many(folder)
        check_hostile(folder)
        check_session(folder)
        check_failures(folder)
    return page.finish()


sys.exit(main())

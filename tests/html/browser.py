#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reports as HTML in a headless Chromium with the network off; `make nightly` runs it.

    tests/html/browser.py build/warpsage [CHROMIUM]

Each page is shown with and without its scripts, 400 and 1400 pixels wide: no console message, no request, every chart
drawn with its texts inside, no page wider than its window. With scripts, plots zoom, tables sort and lines of code
light up. Dark pages are dark, and pages print. The last line is `N passed, N failed`.
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import page

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAM = os.path.abspath(sys.argv[1])
KERNELS = os.path.join(ROOT, "examples", "kernels")
BROWSER = sys.argv[2] if len(sys.argv) > 2 else shutil.which("chromium") or shutil.which("chromium-browser")
PREBUILT = os.path.join(ROOT, "tests", "programs", "prebuilt")
PAGES = {
    "one GPU": ["analyze", os.path.join(KERNELS, "sgemm_tiled", "sgemm_tiled_512.yaml"), "--gpu", "h200"],
    "power and heat": ["analyze", os.path.join(KERNELS, "sgemm_naive", "sgemm_naive_512.yaml"), "--gpu", "gtx280"],
    "findings": ["check", "--read", os.path.join(ROOT, "tests", "cli", "data", "check", "findings.json")],
    "a program": ["run", os.path.join(PREBUILT, "graph_capture")],
    "machines": ["analyze", os.path.join(KERNELS, "histogram", "histogram_private.yaml"), "--gpu", "v100,gtx580", "--cpu", "e5645x2"],
}
# Listens in each page before anything else runs.
LISTEN = """<script>window.said = [];
for (const name of ["log", "info", "warn", "error", "debug"]) console[name] = (...a) => said.push(name + ": " + a.join(" "));
addEventListener("error", e => said.push("error: " + e.message));
addEventListener("unhandledrejection", e => said.push("rejected: " + e.reason));
</script>"""
# Shows each variant in a frame of its width, and writes what it finds into the document.
HOST = """<!DOCTYPE html><title>host</title><body><script>
const variants = VARIANTS;
function look(frame, variant) {
  const page = frame.contentDocument, view = frame.contentWindow, wrong = [...view.said];
  const root = page.documentElement;
  if (root.scrollWidth > root.clientWidth) {
    wrong.push(`the page is ${root.scrollWidth} wide in a window of ${root.clientWidth}`);
  }
  const requests = view.performance.getEntriesByType("resource").filter(e => !e.name.startsWith("data:"));
  for (const request of requests) wrong.push("requests " + request.name);
  let charts = 0;
  for (const svg of page.querySelectorAll("svg")) {
    const box = svg.getBoundingClientRect(), name = svg.querySelector("title").textContent;
    charts++;
    if (!(box.width > 100 && box.height > 30)) wrong.push(`chart '${name}' is ${box.width} x ${box.height}`);
    if (![...svg.querySelectorAll("path, rect")].some(e => { const b = e.getBBox(); return b.width + b.height > 1; }))
      wrong.push(`chart '${name}' is empty`);
    for (const text of svg.querySelectorAll("text")) {
      const b = text.getBoundingClientRect();
      if (b.width && (b.left < box.left - 3 || b.right > box.right + 3 || b.top < box.top - 3 || b.bottom > box.bottom + 3))
        wrong.push(`'${text.textContent}' leaves chart '${name}'`);
    }
  }
  if (charts < variant.charts) wrong.push(`${charts} charts`);
  if (variant.scripts && charts) touch(page, view, wrong);
  wrong.push(...view.said.filter(line => !wrong.includes(line)));
  return wrong;
}
function touch(page, view, wrong) {
  const zoom = page.querySelector(".tools button"), head = page.querySelector("th .sort");
  if (!zoom || !head) { wrong.push("no buttons"); return; }
  zoom.click();
  const figure = zoom.closest("figure");
  if (!/scale/.test(figure.querySelector(".plot").getAttribute("transform"))) wrong.push("a plot does not zoom");
  if (figure.querySelectorAll(".ticks.x text").length < 2) wrong.push("a zoomed plot has no ticks");
  const texts = [...figure.querySelectorAll(".ticks text")].map(e => e.textContent);
  if (texts.some(t => /NaN|undefined/.test(t))) wrong.push("ticks are " + texts);
  figure.querySelectorAll(".tools button")[2].click();
  const number = [...page.querySelectorAll("th.n .sort")].find(e => e.closest("table").tBodies[0].rows.length > 3);
  if (number) {
    number.click();
    const table = number.closest("table"), column = number.closest("th").cellIndex;
    const values = [...table.tBodies[0].rows].map(r => { const d = r.cells[column].querySelector("data");
      return d ? +d.value : parseFloat(r.cells[column].textContent); }).filter(v => !isNaN(v));
    if (values.some((v, i) => i && v > values[i - 1])) wrong.push("a table is not sorted: " + values);
  }
  const row = page.querySelector(".listing table[data-level=p] tr[data-s]");
  if (row) {
    row.click();
    if (page.querySelectorAll(".listing tr.linked").length < 2) wrong.push("lines of code do not light up");
  }
  const mark = page.querySelector("svg .bar");
  if (mark) {
    mark.dispatchEvent(new view.PointerEvent("pointermove", {bubbles: true, clientX: 9, clientY: 9}));
    if (!page.querySelector(".tip").textContent) wrong.push("a mark does not tell its value");
  }
}
const found = {};
let left = variants.length;
for (const variant of variants) {
  const frame = document.createElement("iframe");
  frame.style.cssText = `width:${variant.width}px;height:900px;border:0`;
  frame.srcdoc = variant.text;
  frame.onload = () => setTimeout(() => {
    try { found[variant.name] = look(frame, variant); } catch (e) { found[variant.name] = [String(e)]; }
    if (!--left) {
      const out = document.createElement("pre");
      out.id = "found";
      out.textContent = JSON.stringify(found);
      document.body.innerHTML = "";
      document.body.append(out);
    }
  }, 300);
  document.body.append(frame);
}
</script>"""

def browse(path, *options):
    done = subprocess.run([BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                           "--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=1500,1000", *options,
                           "file://" + path], capture_output=True, timeout=120)
    # Chromium's own pages (chrome://resources, its address bar) speak, too, on a slow machine.
    said = [line for line in done.stderr.decode().splitlines() if ":CONSOLE" in line and "source: chrome://" not in line]
    return done.stdout.decode(), said


def look_at(name, text, folder):
    """All variants of a page in one host document."""
    listening = text.replace("<head>", "<head>" + LISTEN, 1)
    without = re.sub(r"<script>.*?</script>", lambda m: m.group() if "window.said" in m.group() else "", listening,
                     flags=re.S)
    has_scripts = "d3.zoom" in text
    variants = [{"name": f"{name}, {width} wide, {words}", "width": width, "text": variant, "scripts": scripts,
                 "charts": 0 if name == "findings" else 5}
                for width in (400, 1400)
                for words, variant, scripts in (("with scripts", listening, has_scripts), ("without", without, False))]
    host = os.path.join(folder, "host.html")
    with open(host, "w", encoding="utf-8") as file:
        file.write(HOST.replace("VARIANTS", json.dumps(variants).replace("</", "<\\/").replace("<!--", "<\\!--")))
    out, said = browse(host, "--virtual-time-budget=20000", "--dump-dom")
    match = re.search(r'<pre id="found">(.*?)</pre>', out, re.S)
    page.check(f"{name}: console", said)
    found = json.loads(html.unescape(match.group(1))) if match else {}
    for variant in variants:
        page.check(variant["name"], found.get(variant["name"], ["nothing was found out"]))


def look_dark_and_print(path, folder):
    shown = {}
    with open(path, encoding="utf-8") as file:
        text = file.read().replace("</body>", "<script>document.title = getComputedStyle(document.body).backgroundColor"
                                              "</script></body>")
    probe = os.path.join(folder, "probe.html")
    with open(probe, "w", encoding="utf-8") as file:
        file.write(text)
    for theme, options in (("light", []), ("dark", ["--force-dark-mode"])):
        out, said = browse(probe, "--dump-dom", *options)
        colour = re.search(r"<title>rgb\((\d+)", out)
        shown[theme] = int(colour.group(1)) if colour else -1
        page.check(f"{theme}: console", said)
    page.check("dark and light", [] if shown["light"] > 200 and 0 <= shown["dark"] < 60 else [shown])
    pdf = os.path.join(folder, "report.pdf")
    browse(path, f"--print-to-pdf={pdf}", "--no-pdf-header-footer")
    page.check("print", [] if os.path.exists(pdf) and os.path.getsize(pdf) > 20_000 else ["no PDF, or a small one"])


def main():
    if not BROWSER:
        print("no Chromium: apt-get install chromium\n0 passed, 1 failed")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        for name, command in PAGES.items():
            path = os.path.join(folder, "report.html")
            subprocess.run([PROGRAM, command[0], "-f", "html", "-o", path, *command[1:]],
                           check=command[0] != "check", stdout=subprocess.DEVNULL)
            with open(path, encoding="utf-8") as file:
                look_at(name, file.read(), folder)
        look_dark_and_print(path, folder)
    return page.finish()


sys.exit(main())

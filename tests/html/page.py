# SPDX-License-Identifier: Apache-2.0
"""What the tests of pages of HTML share: check_page(text) returns what is wrong with a page by Python's own parsers;
check and finish count tests."""
import collections
import html.parser
import re
import xml.etree.ElementTree

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
LIMIT = 2_000_000  # bytes
ATTRIBUTES_OF_PLACES = {"href", "src", "action", "data", "poster", "srcset", "xlink:href"}


class Page(html.parser.HTMLParser):
    """A stack of elements; nothing may be left open or closed out of order."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.wrong, self.stack, self.ids, self.links, self.headings = [], [], [], [], []
        self.refers, self.figures, self.data, self.scripts, self.tables = [], [], [], [], []
        self.words = {}

    def complain(self, text):
        self.wrong.append(f"line {self.getpos()[0]}: {text}")

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if len(values) != len(attributes):
            self.complain(f"<{tag}> has an attribute twice")
        if "id" in values:
            self.ids.append(values["id"])
        for name in ATTRIBUTES_OF_PLACES & values.keys():
            self.links.append(values[name])
        for name in ("aria-labelledby", "aria-describedby"):
            self.refers += values.get(name, "").split()
        for name, value in attributes:
            if name.startswith("on"):
                self.complain(f"<{tag}> has a handler {name}")
            if value and re.search(r"url\((?!#)", value):
                self.complain(f"<{tag}> refers to {value}")
            if value and tag not in ("data", "table") and re.search(r"(^|[ ,MLHV])-?(nan|inf)\b", value):
                self.complain(f"<{tag} {name}=\"{value[:60]}\"> is no number")
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "figure":
            self.figures.append({"svg": 0, "table": 0, "figcaption": 0})
        if tag in ("svg", "table", "figcaption") and "figure" in self.stack:
            self.figures[-1][tag] += 1
        if tag == "table":
            self.tables.append({"caption": 0, "th": 0})
        if tag == "caption":
            self.tables[-1]["caption"] += 1
        if tag == "th":
            self.tables[-1]["th"] += 1
            if values.get("scope") not in ("col", "row"):
                self.complain("<th> without scope")
        if tag == "data":
            self.data.append(values["value"])
        if tag == "script":
            self.scripts.append(values)
        if tag == "svg" and values.get("role") != "img":
            self.complain("<svg> without role")
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        if "svg" not in self.stack:
            self.complain(f"<{tag}/> outside of SVG")
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.stack.pop()

    def handle_endtag(self, tag):
        if not self.stack or self.stack[-1] != tag:
            self.complain(f"</{tag}> closes {self.stack[-1:]}")
        else:
            self.stack.pop()

    def handle_data(self, text):
        if self.stack:
            self.words[self.stack[-1]] = self.words.get(self.stack[-1], "") + text
        if re.search("[\x00-\x08\x0b-\x1f\x7f]", text):
            self.complain("control characters")


counts = collections.Counter()


def check(name, wrong):
    """Counts a test, which has passed if the list of what is wrong is empty."""
    counts["failed" if wrong else "passed"] += 1
    if wrong:
        print(f"{name}: " + "\n    ".join(str(line) for line in list(wrong)[:12]))


def finish():
    """The last line of a test, and its exit status."""
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] else 0


def check_svg(text):
    """SVG as XML: well-formed, titled, described, with something in it."""
    wrong = []
    for at, svg in enumerate(re.findall(r"<svg.*?</svg>", text, re.S)):
        try:
            root = xml.etree.ElementTree.fromstring(svg)
        except xml.etree.ElementTree.ParseError as error:
            wrong.append(f"SVG {at}: {error}")
            continue
        if root[0].tag != "title" or root[1].tag != "desc" or not root[0].text or not root[1].text:
            wrong.append(f"SVG {at}: no title or description")
        if len(list(root.iter())) < 5:
            wrong.append(f"SVG {at}: empty")
    return wrong


def parse(text):
    page = Page()
    page.feed(text)
    page.close()
    return page


def check_page(text):
    page = parse(text)
    wrong = page.wrong + check_svg(text)
    if page.stack:
        wrong.append(f"left open: {page.stack}")
    if len(text.encode()) >= LIMIT:
        wrong.append(f"{len(text.encode())} bytes")
    ids = collections.Counter(page.ids)
    wrong += [f"id {name} is not unique" for name, count in ids.items() if count > 1]
    for link in page.links:
        if link.startswith("#"):
            if link[1:] not in ids:
                wrong.append(f"{link} has no target")
        elif link != "data:,":
            wrong.append(f"refers to {link}")
    wrong += [f"aria refers to {name}" for name in page.refers if name not in ids]
    styles = page.words.get("style", "")
    if re.search(r"url\(|@import|http", styles):
        wrong.append("the style refers to something")
    wrong += [f"a script has {values}" for values in page.scripts if values]
    for before, after in zip(page.headings, page.headings[1:]):
        if after > before + 1:
            wrong.append(f"<h{after}> follows <h{before}>")
    if page.headings.count(1) != 1 or page.headings[0] != 1:
        wrong.append("not one <h1>, in front")
    for at, figure in enumerate(page.figures):
        if figure != {"svg": 1, "table": 1, "figcaption": 1}:
            wrong.append(f"figure {at} has {figure}")
    for at, table in enumerate(page.tables):
        if table["caption"] != 1 or not table["th"]:
            wrong.append(f"table {at} has {table}")
    for tag in ("main", "header", "footer"):
        if f"<{tag}" not in text:
            wrong.append(f"no <{tag}>")
    if not re.match(r"<!DOCTYPE html>\n<html lang=\"en\">", text):
        wrong.append("no doctype, or no language")
    return wrong

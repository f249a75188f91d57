# SPDX-License-Identifier: Apache-2.0
"""junit_check.py FILE: what Jenkins' schema of JUnit XML asks of a report
(https://github.com/jenkinsci/xunit-plugin, junit-10.xsd), and that its sums are those of its cases. Prints the cases."""
import sys
import xml.etree.ElementTree as tree

CHILDREN = {"testsuites": {"testsuite"}, "testsuite": {"testcase"},
            "testcase": {"failure", "error", "skipped", "system-out"}, "failure": set(), "error": set(),
            "skipped": set(), "system-out": set()}
ATTRIBUTES = {"testsuites": {"name", "time", "tests", "failures", "errors"},
              "testsuite": {"name", "tests", "failures", "errors", "time", "skipped"},
              "testcase": {"name", "classname", "time"}, "failure": {"type", "message"},
              "error": {"message"}, "skipped": {"message"}, "system-out": set()}
NEEDED = {"testsuite": {"name", "tests", "failures", "errors"}, "testcase": {"name", "classname"}}


def need(condition, what):
    if not condition:
        raise SystemExit(what)


def walk(node):
    need(node.tag in CHILDREN, f"unknown element {node.tag}")
    need(set(node.attrib) <= ATTRIBUTES[node.tag], f"{node.tag}: {set(node.attrib)}")
    need(NEEDED.get(node.tag, set()) <= set(node.attrib), f"{node.tag} lacks an attribute")
    for child in node:
        need(child.tag in CHILDREN[node.tag], f"{child.tag} in {node.tag}")
        walk(child)


def sums(node):
    cases = list(node.iter("testcase"))
    failed = [case for case in cases if case.find("failure") is not None]
    need(int(node.get("tests")) == len(cases), f"{node.tag}: tests")
    need(int(node.get("failures")) == len(failed), f"{node.tag}: failures")
    for tag, attribute in (("error", "errors"), ("skipped", "skipped")):
        marked = [case for case in cases if case.find(tag) is not None]
        need(int(node.get(attribute, len(marked))) == len(marked), f"{node.tag}: {attribute}")
        need(not set(marked) & set(failed), f"a failure that is {attribute}, too")
    need(all(len(case.findall("failure")) <= 1 for case in cases), "two failures of a case")


def main():
    root = tree.parse(sys.argv[1]).getroot()
    need(root.tag == "testsuites", "root")
    walk(root)
    sums(root)
    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    need(len(names) == len(set(names)), "a case is there twice")
    for suite in root:
        sums(suite)
        for case in suite:
            failure = next((case.find(tag) for tag in ("failure", "error", "skipped")
                            if case.find(tag) is not None), None)
            print(case.get("classname"), "|", case.get("name"), "|",
                  "passed" if failure is None else failure.get("message"))


main()

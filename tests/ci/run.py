#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The jobs of doc/ci.md as shell: run.py WARPSAGE

Takes the YAML out of the page, and runs the shell steps as a runner of GitHub or GitLab does, but those that install
warpsage, in a project that has programs of tests/checks as its tests. What they must do:

    a correct program          the job passes
    and one with a bug         it fails; JUnit and SARIF name the line that the program marks
    and one that fails         it fails; all programs run nevertheless
    the bug is suppressed      by a comment as doc/checks.md tells: it passes

nvcc is a stand-in that copies the prebuilt program of the source; a comment in the source has no effect then. In
`make nightly` (NIGHTLY is set) it is nvcc itself, where that is installed.
"""
import glob
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CHECKS = os.path.join(ROOT, "tests", "checks")
sys.path.insert(0, CHECKS)
import run as checks  # noqa: E402

CORRECT, BUG = "correct/cg_tiles", "memory/global_tail"
FAILING = "fails"
NVCC = checks.find_nvcc() if os.environ.get("NIGHTLY") else None
TIMEOUT = 300


def documented_jobs():
    """(GitHub's, GitLab's) documents: the indented blocks that begin with the name of their file."""
    with open(os.path.join(ROOT, "doc", "ci.md"), encoding="utf-8") as page:
        blocks = re.findall(r"^    # (\S+\.yml)\n((?:    .*\n|\n)*)", page.read(), re.M)
    jobs = {name: yaml.safe_load(re.sub(r"^    ", "", text, flags=re.M)) for name, text in blocks}
    return jobs[".github/workflows/checks.yml"], jobs[".gitlab-ci.yml"]


def github_steps(job):
    """(text, whether it runs after a failure): a shell each. True is what YAML reads for the key `on`."""
    if job[True] != ["push", "pull_request"] or job["permissions"]["security-events"] != "write":
        raise ValueError("the job does not start, or may not upload")
    steps = job["jobs"]["checks"]["steps"]
    uploaded = [one for one in steps if one.get("uses", "").startswith(("github/codeql-action/upload-sarif@",
                                                                      "actions/upload-artifact@"))]
    if len(uploaded) != 2 or any(one.get("if") != "always()" for one in uploaded):
        raise ValueError("reports are not uploaded after a failure")
    return [(one["run"], one.get("if") == "always()") for one in steps if "run" in one and one["name"] != "install"]


def gitlab_steps(job):
    """The lines of a script share a shell."""
    checks_job = job["checks"]
    if checks_job["artifacts"]["when"] != "always" or checks_job["artifacts"]["reports"]["junit"] != "reports/*.xml":
        raise ValueError("reports are not uploaded after a failure")
    return [("\n".join(checks_job["script"]), False), ("\n".join(checks_job["after_script"]), True)]


def run_steps(steps, folder, environment):
    """The exit status of the job as a runner sees it: of the first step that fails, without those behind it."""
    failed, said = 0, ""
    for text, always in steps:
        if failed and not always:
            continue
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text], cwd=folder,
                              env=environment, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        said += done.stdout + done.stderr
        failed = failed or done.returncode
    return failed, said


def write_executable(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)


def add_tools(folder, warpsage):
    """A folder for PATH with warpsage and nvcc."""
    os.makedirs(folder)
    os.symlink(warpsage, os.path.join(folder, "warpsage"))
    if NVCC:
        write_executable(os.path.join(folder, "nvcc"), f'#!/bin/sh\nexec {NVCC} "$@"\n')
        return
    builder = checks.Builder(os.path.join(folder, "programs"), None, {"correct", "memory"})
    for name in (CORRECT, BUG):
        os.symlink(builder.get(checks.Program(name)), os.path.join(folder, os.path.basename(name)))
    write_executable(os.path.join(folder, FAILING), "#!/bin/sh\nexit 7\n")
    write_executable(os.path.join(folder, "nvcc"), "#!/bin/sh\n"
                     'while [ "$1" != -o ]; do shift; done\n'
                     f'cp "{folder}/$(basename "$2")" "$2"\n')


def add_test(folder, name):
    shutil.copy(os.path.join(CHECKS, name + ".cu"), os.path.join(folder, "tests"))
    for header in glob.glob(os.path.join(CHECKS, "*.h")):
        shutil.copy(header, folder)


def failures(folder):
    """The failed cases of the JUnit files: (program, text)."""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "reports", "*.xml"))):
        for case in ElementTree.parse(path).iter("testcase"):
            found += [(os.path.basename(path)[:-4], one.get("message") or "") for one in case.findall("failure")]
    return found


def sarif_summary(folder):
    """What tests/cli/data/sarif_check.py says of the file, a stranger's reading of the standard."""
    path = os.path.join(folder, "reports", "checks.sarif")
    if not os.path.exists(path):
        return "no file", ""
    done = subprocess.run([sys.executable, os.path.join(ROOT, "tests", "cli", "data", "sarif_check.py"), path],
                          capture_output=True, text=True, check=False)
    with open(path, encoding="utf-8") as file:
        return done.stdout + done.stderr, file.read()


class Judge:
    def __init__(self):
        self.passed, self.failed = 0, 0

    def expect(self, what, holds, said=""):
        self.passed, self.failed = self.passed + bool(holds), self.failed + (not holds)
        if not holds:
            print(f"{what}\n{said[-3000:]}", flush=True)


def try_correct(judge, name, folder, run):
    status, said = run()
    judge.expect(f"{name}: a correct program fails", status == 0 and not failures(folder), said)
    judge.expect(f"{name}: SARIF of a correct program", sarif_summary(folder)[0].startswith("0 results"), said)


def try_bug(judge, name, folder, run):
    bug = checks.Program(BUG)
    file, line = os.path.basename(bug.path), min(bug.bugs)
    add_test(folder, BUG)
    status, said = run()
    judge.expect(f"{name}: a bug passes", status == 1, said)
    found = failures(folder)
    judge.expect(f"{name}: JUnit does not name the bug: {found}",
                 len(found) == 1 and f"{file}:{line}: error[M01]" in found[0][1], said)
    summary, text = sarif_summary(folder)
    place = re.escape(f"tests/{file}" if NVCC else f"memory/{file}")
    judge.expect(f"{name}: SARIF does not name the bug: {summary}",
                 summary.startswith("1 results") and re.search(rf'"uri": "([^"]*/)?{place}"', text), said)


def try_failing(judge, name, folder, run):
    with open(os.path.join(folder, "tests", FAILING + ".cu"), "w", encoding="utf-8") as file:
        file.write("int main() { return 7; }\n")
    status, said = run()
    judge.expect(f"{name}: a failing program passes", status == 1 and not failures(folder), said)
    judge.expect(f"{name}: not all programs ran", len(glob.glob(os.path.join(folder, "reports", "*.xml"))) == 2, said)


def try_suppressed(judge, name, folder, run):
    source = os.path.join(folder, "tests", os.path.basename(BUG) + ".cu")
    with open(source, encoding="utf-8") as file:
        text = file.read()
    with open(source, "w", encoding="utf-8") as file:
        file.write(re.sub("// BUG", "// warpsage: ignore M01 known", text))
    status, said = run()
    judge.expect(f"{name}: a suppressed bug fails", status == 0 and not failures(folder), said)


def try_job(judge, name, steps, folder, environment):
    """Each in a project of its own, a correct program always among its tests."""
    tries = [try_correct, try_bug, try_failing]
    for number, attempt in enumerate(tries):
        project = f"{folder}{number}"
        os.makedirs(os.path.join(project, "tests"))
        add_test(project, CORRECT)
        attempt(judge, name, project, lambda at=project: run_steps(steps, at, environment))
    if NVCC:
        project = folder + "1"
        for old in ("build", "findings", "reports"):
            shutil.rmtree(os.path.join(project, old))
        try_suppressed(judge, name, project, lambda: run_steps(steps, project, environment))


def main():
    warpsage, judge = os.path.abspath(sys.argv[1]), Judge()
    github, gitlab = documented_jobs()
    with tempfile.TemporaryDirectory() as folder:
        tools = os.path.join(folder, "tools")
        add_tools(tools, warpsage)
        environment = dict(os.environ, PATH=tools + os.pathsep + os.environ["PATH"],
                           GITHUB_STEP_SUMMARY=os.path.join(folder, "summary"))
        try_job(judge, "GitHub", github_steps(github), os.path.join(folder, "github"), environment)
        try_job(judge, "GitLab", gitlab_steps(gitlab), os.path.join(folder, "gitlab"), environment)
        with open(os.path.join(folder, "summary"), encoding="utf-8") as file:
            judge.expect("GitHub: the summary does not name the bug", "error[M01]" in file.read())
    print(f"{judge.passed} passed, {judge.failed} failed")
    return 1 if judge.failed else 0


if __name__ == "__main__":
    sys.exit(main())

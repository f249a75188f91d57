#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Man pages and completion have every option of the help, and work in real shells: shells.py PROGRAM

The reference is the text of `warpsage help COMMAND`, the machine files and the PTX of the tests; shells and
checkers of man pages that are not installed are skipped.
"""
import glob
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
failures = []


def expect(ok, text):
    if not ok:
        failures.append(text)


def output(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=True, **more).stdout


def help_options(program, command):
    """(letter or '', name, value or '') of every option that the help lists."""
    text = output(program, "help", command).split("\nOptions\n")[1].split("\n\n")[0]
    rows = re.findall(r"^  (?:-(\w),|   ) --([a-z0-9-]+)(?: (\S+))?(?=\s|$)", text, re.M)
    return [(letter, name, value if value and not value.islower() or "|" in value else "")
            for letter, name, value in rows]


def gpus():
    names = []
    for path in glob.glob(f"{ROOT}/data/machines/*.yaml"):
        text = open(path, encoding="utf-8").read()
        if os.path.basename(path) != "SOURCES.yaml" and not re.search(r"^kind: cpu", text, re.M):
            names.append(os.path.basename(path)[:-5])
    return sorted(names)


def check_man(program, commands, folder):
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1790000000"}
    output(program, "man", "--dir", folder, env=environment)
    for command in commands:
        page = open(f"{folder}/warpsage-{command}.1", encoding="utf-8").read().replace("\\-", "-")
        for letter, name, _ in help_options(program, command):
            expect(f"\\fB--{name}\\fR" in page, f"man page of {command} lacks --{name}")
            expect(not letter or f"\\fB-{letter}\\fR, " in page, f"man page of {command} lacks -{letter}")
    checks = [["groff", "-ww", "-man", "-Tutf8"], ["mandoc", "-Tlint", "-Wwarning"],
              ["man", "--warnings", "-l"]]
    for check in checks:
        if not shutil.which(check[0]):
            continue
        for page in sorted(os.listdir(folder)):
            environment = {**os.environ, "LC_ALL": "C.UTF-8", "MANROFFSEQ": "", "MANWIDTH": "80"}
            done = subprocess.run([*check, os.path.join(folder, page)], capture_output=True, text=True,
                                  env=environment, check=False)
            told = done.stderr + (done.stdout if check[0] == "mandoc" else "")
            expect(done.returncode == 0 and not told, f"{' '.join(check)} {page}: {told[:300]}")


def check_tables(program, commands):
    """The scripts name every option, with its letter."""
    scripts = {shell: output(program, "completion", shell) for shell in ("bash", "zsh", "fish")}
    for command in commands:
        bash = re.search(rf"^ +{command}\) echo '([^']*)'", scripts["bash"], re.M).group(1).split()
        zsh = scripts["zsh"].split(f"\n        {command})\n")[1].split(" ;;\n")[0]
        fish = [line for line in scripts["fish"].splitlines() if f"'__warpsage_is {command}'" in line]
        for letter, name, _ in help_options(program, command):
            expect(f"--{name}" in bash, f"bash: {command} lacks --{name}")
            expect(re.search(rf"'\*--{name}=?\[", zsh), f"zsh: {command} lacks --{name}")
            expect(any(f" -l {name} " in line for line in fish), f"fish: {command} lacks --{name}")
            if letter:
                expect(f"-{letter}" in bash, f"bash: {command} lacks -{letter}")
                expect(re.search(rf"'\*-{letter}\+?\[", zsh), f"zsh: {command} lacks -{letter}")
                expect(any(f" -s {letter} " in line for line in fish), f"fish: {command} lacks -{letter}")
    return scripts


class Terminal:
    """A shell behind a terminal, to which keys are sent."""

    def __init__(self, words, folder, environment):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(words[0], words, environment)

    def read(self, until, seconds=5.0):
        text, end = "", time.monotonic() + seconds
        while until not in text and time.monotonic() < end:
            if not select.select([self.fd], [], [], 0.2)[0]:
                continue
            try:
                text += os.read(self.fd, 65536).decode("utf-8", "replace")
            except OSError:
                break
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|[\r\x00\x07\x08]", "", text)

    def ask(self, line, until, tabs=1):
        os.write(self.fd, b"\x15" + line.encode() + b"\t" * tabs)
        text = self.read(until)
        os.write(self.fd, b"\x15")
        return text

    def close(self):
        os.write(self.fd, b"\x15exit\n")
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def check_typed(shell, terminal):
    """What a user sees who presses TAB."""
    h = [name for name in gpus() if name.startswith("h")]
    kernels = re.findall(r"\.entry (\w+)", open(f"{HERE}/data/two.ptx", encoding="utf-8").read())
    longest = max(kernels, key=len)
    for line, wanted, tabs in [
            ("warpsage ana", ["warpsage analyze "], 1),
            ("warpsage analyze --gpu h", h, 2),
            ("warpsage analyze --gpu=h20", ["--gpu=h200"], 1),
            ("warpsage analyze --gpu v100,h20", ["v100,h200"], 1),
            ("warpsage analyze -f ", ["text", "json", "csv"], 2),
            ("warpsage analyze --details a", ["--details all"], 1),
            ("warpsage analyze --forma", ["--format"], 1),
            ("warpsage analyze two.ptx -k " + longest[:-2], [longest], 1),
            ("warpsage analyze tw", ["two.ptx"], 1),
            ("warpsage machines di", ["machines diff"], 1),
            ("warpsage whatif --without bank", ["bank-conflicts"], 1)]:
        text = terminal.ask(line, wanted[-1], tabs)
        for word in wanted:
            expect(word in text, f"{shell}: '{line}<TAB>' gives {text[-200:]!r}, not {word}")


def check_bash(program, script, folder):
    bash = shutil.which("bash")
    environment = {**os.environ, "TERM": "dumb", "PS1": "> ", "INPUTRC": "/dev/null",
                   "PATH": os.path.dirname(program) + ":" + os.environ["PATH"]}
    terminal = Terminal([bash, "--norc", "--noprofile", "-i"], folder, environment)
    os.write(terminal.fd, f"bind 'set bell-style none'; source {script}; echo re''ady\n".encode())
    terminal.read("ready\r\n")
    check_typed("bash", terminal)
    terminal.close()


def check_zsh(program, script, folder):
    zsh = shutil.which("zsh")
    if not zsh:
        return
    environment = {**os.environ, "TERM": "vt100", "PS1": "> ", "ZDOTDIR": folder,
                   "PATH": os.path.dirname(program) + ":" + os.environ["PATH"]}
    terminal = Terminal([zsh, "-f", "-i"], folder, environment)
    setup = (f"PS1='> '; fpath=({os.path.dirname(script)} $fpath); autoload -U compinit; compinit -u -D; "
             "unsetopt menu_complete auto_menu; echo re''ady\n")
    os.write(terminal.fd, setup.encode())
    terminal.read("ready\r\n")
    check_typed("zsh", terminal)
    terminal.close()


def check_fish(program, script, folder):
    fish = shutil.which("fish")
    if not fish:
        return
    environment = {**os.environ, "HOME": folder, "XDG_CONFIG_HOME": folder,
                   "PATH": os.path.dirname(program) + ":" + os.environ["PATH"]}
    h = [name for name in gpus() if name.startswith("h")]
    kernels = re.findall(r"\.entry (\w+)", open(f"{HERE}/data/two.ptx", encoding="utf-8").read())
    for line, wanted in [
            ("warpsage ana", ["analyze"]), ("warpsage analyze --gpu h", h),
            ("warpsage analyze --gpu=h20", ["--gpu=h200"]),
            ("warpsage analyze --gpu v100,h20", ["v100,h200"]),
            ("warpsage analyze -f ", ["text", "json", "csv"]),
            ("warpsage analyze --forma", ["--format"]),
            ("warpsage analyze two.ptx -k ", kernels), ("warpsage analyze tw", ["two.ptx"]),
            ("warpsage machines di", ["diff"]),
            ("warpsage whatif --without bank", ["bank-conflicts"])]:
        text = output(fish, "--no-config", "-c", f"source {script}; complete -C \"{line}\"",
                      env=environment, cwd=folder)
        found = [row.split("\t")[0] for row in text.splitlines()]
        for word in wanted:
            expect(word in found, f"fish: '{line}<TAB>' gives {found}, not {word}")


def main():
    program = os.path.abspath(sys.argv[1])
    commands = output(program, "completion", "values", "command").split()
    with tempfile.TemporaryDirectory() as folder:
        pages, scripts = os.path.join(folder, "man"), os.path.join(folder, "scripts")
        data = os.path.join(folder, "data")
        os.mkdir(pages)
        os.mkdir(scripts)
        os.mkdir(data)
        shutil.copy(f"{HERE}/data/two.ptx", data)
        check_man(program, commands, pages)
        texts = check_tables(program, commands)
        for shell, name in (("bash", "warpsage"), ("zsh", "_warpsage"), ("fish", "warpsage.fish")):
            with open(os.path.join(scripts, name), "w", encoding="utf-8") as file:
                file.write(texts[shell])
        check_bash(program, f"{scripts}/warpsage", data)
        check_zsh(program, f"{scripts}/_warpsage", data)
        check_fish(program, f"{scripts}/warpsage.fish", data)
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Progress: on a terminal, from the first second on, with the time left, and nowhere else: progress.py PROGRAM"""
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LAUNCH = ["-b", "256", "--arg", "u32:4096", "--arg", "f32:2", "--arg", "f32[4096]=random",
          "--arg", "f32[4096]=iota", "--gpu", "v100", "--isa", "ptx", "-t", "1"]
LONG = ["analyze", "saxpy.ptx", "-g", "60000000", *LAUNCH]
SHORT = ["analyze", "saxpy.ptx", "-g", "16", *LAUNCH]


def watch(program, words, seconds, **environment):
    """What a terminal shows until there is progress with a time, or for so many seconds; when that came."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(f"{HERE}/data")
        os.environ.update(environment)
        os.execv(program, [program, *words])
    text, begun = "", time.monotonic()
    while time.monotonic() < begun + seconds and " left" not in text:
        if select.select([fd], [], [], 0.1)[0]:
            try:
                text += os.read(fd, 65536).decode("utf-8", "replace")
            except OSError:
                break
    took = time.monotonic() - begun
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    os.waitpid(pid, 0)
    os.close(fd)
    return text, took


def main():
    program = os.path.abspath(sys.argv[1])
    failures = []
    text, took = watch(program, LONG, 30, TERM="xterm")
    if not re.search(r"\r\x1b\[Kexecuting +\d+ %, (\d+ h )?(\d+ min )?(\d+ s)? ?left", text):
        failures.append(f"no progress with the time left: {text!r}")
    if took < 1:
        failures.append(f"progress after {took} s")
    for name, words, more in [("short", SHORT, {"TERM": "xterm"}), ("--quiet", [*LONG, "-q"], {"TERM": "xterm"}),
                              ("TERM=dumb", LONG, {"TERM": "dumb"})]:
        text, _ = watch(program, words, 2, **more)
        if "executing" in text:
            failures.append(f"{name}: progress: {text!r}")
    done = subprocess.run([program, *LONG, "--timeout", "1.5"], cwd=f"{HERE}/data", capture_output=True,
                          check=False)
    if b"executing" in done.stderr or b"left" in done.stderr:
        failures.append(f"not a terminal: progress: {done.stderr!r}")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

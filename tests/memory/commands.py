#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets the n-th allocation of commands fail, alone and with all that follow: the command then does its
work, or ends with status 2 and a message, and leaves no part of a file behind. 30 n of each in both
ways, half of them spread over the whole run; 4000 with WARPSAGE_FULL_SIZE in the environment.

    commands.py WARPSAGE FAIL_ALLOCATION.SO SOURCE_DIR
"""
import os
import subprocess
import sys
import tempfile

SAMPLES = 4000 if os.environ.get("WARPSAGE_FULL_SIZE") else 30

PTX = """.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .u64 %rd<3>; .reg .u32 %r<4>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd2, %rd2, %rd1;
    ld.global.u32 %r2, [%rd2];
    add.u32 %r2, %r2, 1;
    st.global.u32 [%rd2], %r2;
    ret;
}
"""


def run(command, folder, fail_at=0, fail_on=False):
    """Status, what was written to standard output, error text, files in the folder."""
    environment = dict(os.environ, LD_PRELOAD=LIBRARY, LC_ALL="C")
    environment["WARPSAGE_FAIL_COUNT"] = folder + ".count"
    if fail_at:
        environment["WARPSAGE_FAIL_AT"] = str(fail_at)
    if fail_on:
        environment["WARPSAGE_FAIL_ON"] = "1"
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=120,
                          check=False)
    files = {name: open(os.path.join(folder, name), "rb").read() for name in os.listdir(folder)}
    return done.returncode, done.stdout, done.stderr.decode(errors="replace"), files


def is_profile(name, content):
    """A whole one: the counters are saved before the predictions add what they found out."""
    if not name.startswith("profile"):
        return False
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        with open(path, "wb") as out:
            out.write(content)
        return subprocess.run([PROGRAM, "analyze", "--profile", path, "--gpu", GPU, "-q"],
                              capture_output=True, check=False).returncode == 0


def judge(result, whole, before, what):
    """None, or what is wrong."""
    status, out, text, files = result
    if status == 0:
        return None if (out, files) == (whole[1], whole[3]) else f"{what}: another result"
    if status != 2 or not text.startswith("warpsage: "):
        return f"{what}: status {status}, {text[:300]!r}"
    for name, content in files.items():
        if content not in (before.get(name), whole[3].get(name)) and not is_profile(name, content):
            return f"{what}: {name} is incomplete"
    return None


def numbers(count):
    if count <= SAMPLES:
        return list(range(1, count + 1))
    half = SAMPLES // 2 # the first ones are those of different places
    return sorted({1 + i * 3 for i in range(half)} |
                  {1 + i * (count - 1) // half for i in range(half)})


def check(name, command, inputs):
    faults = []
    with tempfile.TemporaryDirectory() as parent:
        folder = os.path.join(parent, "work")

        def fresh():
            subprocess.run(["rm", "-rf", folder], check=True)
            os.mkdir(folder)
            for file, content in inputs.items():
                with open(os.path.join(folder, file), "wb") as out:
                    out.write(content)

        fresh()
        whole = run(command, folder)
        if whole[0] != 0:
            return [f"{name}: fails with all memory: {whole[2]}"], {}
        count = int(open(folder + ".count", encoding="ascii").read())
        if not count:
            return [f"{name}: no allocation was seen: {LIBRARY} is not in its place"], {}
        for n in numbers(count):
            for on in (False, True):
                fresh()
                fault = judge(run(command, folder, n, on), whole, inputs,
                              f"{name}: allocation {n}{' and all later' if on else ''} of {count}")
                if fault:
                    faults.append(fault)
    return faults, whole[3]


PROGRAM, LIBRARY, SOURCE = (os.path.abspath(path) for path in sys.argv[1:4])
GPU = os.path.join(SOURCE, "data/machines/v100.yaml")
good = bad = 0
profile = {}


def case(name, command, inputs):
    global good, bad, profile
    faults, files = check(name, [PROGRAM, *command], inputs)
    for fault in faults[:20]:
        print(fault, file=sys.stderr)
    good += not faults
    bad += bool(faults)
    profile = {k: v for k, v in files.items() if k.startswith("profile")} or profile


case("analyze", ["analyze", "k.ptx", "--grid", "2", "--block", "64", "--arg", "u32[64]=iota",
                 "--gpu", GPU, "--save-profile", "profile.json", "-f", "json", "-o", "out.json"],
     {"k.ptx": PTX.encode()})
case("whatif", ["whatif", "--profile", "profile.json", "--gpu", GPU, "--set",
                "machine.dram.bandwidth=*2"], profile)
kept = dict(profile)
case("machines show", ["machines", "show", GPU, "-f", "json"], {})
case("traces", ["analyze", "k.ptx", "--grid", "8", "--block", "64", "--arg", "u32[64]=iota",
                "--gpu", GPU, "--save-trace", "profile.wstrace", "-q"], {"k.ptx": PTX.encode()})
case("a profile with traces", ["analyze", "--profile", "profile.wstrace", "--gpu", GPU, "-q"], profile)
case("throughput", ["throughput", "--profile", "profile.json", "--gpu", GPU, "-f", "json"],
     {k: v for k, v in profile.items() if k.endswith(".json")} or kept)
native = {}
for name in "basic.cu", "basic.sm_80.cubin", "packed.fatbin":
    with open(os.path.join(SOURCE, "tests/native", name), "rb") as content:
        native[name] = content.read()
case("disasm", ["disasm", "basic.sm_80.cubin", "-k", "exchange", "--lines", "all"], native)
case("disasm of a fat binary", ["disasm", "packed.fatbin", "-f", "json", "-o", "out.json"], native)
print(f"{good} passed, {bad} failed")
sys.exit(bad > 0)

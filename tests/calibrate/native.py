#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`calibrate --native`: native instructions are counted and compared with what was meant.

    tests/calibrate/native.py build/warpsage

With a ptxas and a disassembler of this script, which say what it likes; and, where PATH has real ones, that they
leave chains as they are.
"""
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

LISTING = """        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/                   FFMA R9, R9, R9, R9 ;
        /*0020*/                   CS2R.32 R4, SR_CLOCKLO ;
{chain}        /*0030*/              @!P0 CS2R.32 R5, SR_CLOCKLO ;
        /*0040*/                   EXIT ;
"""
LINE = "        /*0100*/              {guard} {opcode} R2, R2, R3, R4 ;\n"


def emit(program, only, gpu, path):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, "calibrate", "--emit", folder, "--short", "--native", "--gpu",
                               gpu, "--only", only], capture_output=True, text=True,
                              env={**os.environ, "PATH": path})
    if done.returncode:
        sys.exit(f"exit {done.returncode}\n{done.stderr}")
    return done.stderr


def fake_tools(folder, count, opcode="FFMA.FTZ", guard="    "):
    chain = LINE.format(guard=guard, opcode=opcode) * count
    for name, text in (("ptxas", "exit 0"), ("nvdisasm", "cat <<'END'\n" + LISTING.format(chain=chain) + "END")):
        path = os.path.join(folder, name)
        with open(path, "w") as out:
            out.write("#!/bin/sh\n" + text + "\n")
        os.chmod(path, stat.S_IRWXU)


def expect(what, said, *patterns, never=None):
    for pattern in patterns:
        if not re.search(pattern, said):
            sys.exit(f"{what}: expected /{pattern}/ in:\n{said}")
    if never and re.search(never, said):
        sys.exit(f"{what}: did not expect /{never}/ in:\n{said}")


def check_fakes(program):
    only = r"^latency\.fp32\.fma$"  # 50 and 250 steps
    with tempfile.TemporaryDirectory() as folder:
        path = folder + os.pathsep + "/usr/bin:/bin"
        fake_tools(folder, 50)
        expect("50 of them", emit(program, only, "t4", path), "chains_250_1: native code has 50 of FFMA, meant were 250",
               "of 2 kernels were counted", never="chains_50_1:")
        fake_tools(folder, 250, guard="@P3 ")
        expect("250 of them", emit(program, only, "t4", path), "chains_50_1: native code has 250 of FFMA, meant were 50",
               never="chains_250_1:")
        fake_tools(folder, 250, opcode="FADD")
        expect("others", emit(program, only, "t4", path), "has 0 of FFMA, meant were 50", "has 0 of FFMA, meant were 250")
    with tempfile.TemporaryDirectory() as folder:
        expect("no tools", emit(program, only, "t4", folder), "of 0 kernels were counted", never="native code has")


def check_real(program):
    if not shutil.which("ptxas") or not (shutil.which("nvdisasm") or shutil.which("cuobjdump")):
        print("no ptxas or no disassembler: real ones are not tried")
        return
    said = emit(program, r"^latency\.(int\.add|logic|sfu\.ex2)$", "a100-sxm4-40gb", os.environ["PATH"])
    expect("real tools", said, "of 6 kernels were counted", never="native code has")


check_fakes(os.path.abspath(sys.argv[1]))
check_real(os.path.abspath(sys.argv[1]))

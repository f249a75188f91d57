#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces that `warpsage analyze --save-trace NAME.traceg` writes, read by a reader of its own: written.py PROGRAM

Shares no code with writer or reader of the program. A native trace must come back step by step as it was
recorded; that of an execution must give, lane by lane, the counters of the execution; and the program's own
reader must agree."""
import csv
import io
import lzma
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(os.path.dirname(os.path.dirname(HERE)), "examples", "kernels")
A100 = os.path.join(HERE, "a100_vector_add", "kernel-1.traceg.xz")
N = 64 * 64
# kernel, launch, blocks
CASES = [
    ("sgemm_tiled", ["-g", "4,4", "-b", "16,16", "--arg", "s32:64", "--arg", f"f32[{N}]=random", "--arg",
                     f"f32[{N}]=random:2", "--arg", f"f32[{N}]"], 16),
    ("saxpy", ["-g", "5,1", "-b", "96", "--arg", "s32:437", "--arg", "f32:2", "--arg", "f32[480]=random", "--arg",
               "f32[480]=iota"], 5),
    ("sgemm_naive", ["-g", "2,2", "-b", "16,16", "--arg", "s32:32", "--arg", "f32[1024]=random", "--arg",
                     "f32[1024]=random:2", "--arg", "f32[1024]"], 4),
    ("transpose", ["-k", "transpose_tiled", "-g", "2,2", "-b", "32,8", "--arg", "s32:64", "--arg",
                   f"f32[{N}]=random", "--arg", f"f32[{N}]"], 4),
    ("reduce", ["-g", "3,1", "-b", "256", "--arg", "s32:1500", "--arg", "f32[1536]=random", "--arg",
                "f32[3]"], 3),
]
SPACES = {"LDG": ("global", "load"), "STG": ("global", "store"), "LDS": ("shared", "load"),
          "STS": ("shared", "store"), "LDL": ("local", "load"), "STL": ("local", "store")}


class Failure(Exception):
    pass


def run(program, *words):
    done = subprocess.run([program, *words], capture_output=True, check=False)
    if done.returncode:
        raise Failure(f"{words}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


# ---- the reader ---------------------------------------------------------------------------------


def read_text(path):
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith(".xz"):
        return lzma.decompress(data).decode()
    if path.endswith(".zst"):
        return subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout.decode()
    return data.decode()


def read_addresses(words, mask):
    """(lane, address) of the lanes of the mask; the words behind the width."""
    lanes = [lane for lane in range(32) if mask >> lane & 1]
    mode, words = words[0], words[1:]
    if mode == "0":
        return [(lane, int(word, 16)) for lane, word in zip(lanes, words)], words[len(lanes):]
    if mode == "1":
        base, stride = int(words[0], 16), int(words[1])
        if any(b - a != 1 for a, b in zip(lanes, lanes[1:])):
            raise Failure("mode 1 of lanes that do not follow each other")
        return [(lane, base + k * stride) for k, lane in enumerate(lanes)], words[2:]
    address, out = int(words[0], 16), []
    for k, lane in enumerate(lanes):
        address += int(words[k]) if k else 0
        out.append((lane, address))
    return out, words[max(len(lanes), 1):]


def read_step(line, has_lines):
    words = line.split()
    if has_lines:
        words = words[1:]
    pc, mask = int(words[0], 16), int(words[1], 16)
    count = int(words[2])
    if count > 1:
        raise Failure(f"{count} destinations: the format has one")
    opcode, words = words[3 + count], words[4 + count:]
    count = int(words[0])
    if count > 4 or not all(word[0] == "R" and int(word[1:]) <= 255 for word in words[1:1 + count]):
        raise Failure(f"sources of: {line}")
    width, words, addresses = int(words[1 + count]), words[2 + count:], []
    if width:
        addresses, words = read_addresses(words, mask)
    if len(words) != 1:
        raise Failure(f"not one immediate at the end of: {line}")
    return pc, mask, opcode, width, addresses


def read_trace(path):
    """Header and {(block, warp): steps}."""
    header, warps, left, block, warp = {}, {}, 0, None, None
    for line in read_text(path).splitlines():
        if left:
            warps[block, warp].append(read_step(line, header["enable lineinfo"] == "1"))
            left -= 1
        elif line.startswith("-"):
            key, value = line[1:].split(" = ")
            header[key] = value
        elif line.startswith("thread block = "):
            block = line.split(" = ")[1]
        elif line.startswith("warp = "):
            warp = int(line.split(" = ")[1])
        elif line.startswith("insts = "):
            left = int(line.split(" = ")[1])
            if (block, warp) in warps:
                raise Failure(f"warp {warp} of block {block} for the second time")
            warps[block, warp] = []
        elif line.startswith("#END_TB"):
            block = None
        elif line and not line.startswith("#"):
            raise Failure(f"line: {line}")
    return header, warps


# ---- counting -----------------------------------------------------------------------------------


def wavefronts(addresses, size):
    total, per_phase = 0, {1: 32, 2: 32, 4: 32, 8: 16, 16: 8}[size]
    for phase in range(0, 32, per_phase):
        banks = {}
        for lane, address in addresses:
            if phase <= lane < phase + per_phase:
                for word in range(address // 4, (address + size - 1) // 4 + 1):
                    banks.setdefault(word % 32, set()).add(word)
        total += max(map(len, banks.values()), default=0)
    return total


def count(warps):
    want = {"inst.warp": 0}
    for steps in warps.values():
        want["inst.warp"] += len(steps)
        for _, mask, opcode, size, addresses in steps:
            kind = SPACES.get(opcode.split(".")[0])
            if not size or not mask or not kind:
                continue
            name = "mem." + ".".join(kind)
            values = {"requests": 1, "bytes_requested": size * len(addresses)}
            if kind[0] == "shared":
                values["wavefronts32"] = wavefronts(addresses, size)
            if kind[0] == "global":
                values["sectors32"] = len({address // 32 for _, address in addresses})
                values["lines128"] = len({address // 128 for _, address in addresses})
            for field, value in values.items():
                want[f"{name}.{field}"] = want.get(f"{name}.{field}", 0) + value
    return want


def counters(text):
    return {row[1]: row[2] for row in csv.reader(io.StringIO(text)) if len(row) > 2}


def compare(want, got, what):
    for name, value in want.items():
        if name not in got or not got[name] or float(got[name]) != value:
            raise Failure(f"{what}: {name} is {got.get(name)}, counted from the trace {value}")


# ---- cases --------------------------------------------------------------------------------------


def check_native(program, folder):
    """What a GPU executed, through the program's memory, is what the GPU executed."""
    _, recorded = read_trace(A100)
    for name in ("n.traceg", "n.traceg.xz", "n.traceg.zst"):
        path = os.path.join(folder, name)
        run(program, "analyze", A100, "--gpu", "a100", "--trace-blocks", "196", "--save-trace", path, "-q")
        header, written = read_trace(path)
        if header["accelsim tracer version"] != "5" or header["binary version"] != "80":
            raise Failure(f"header {header}")
        if written != recorded:
            raise Failure("steps, lanes or addresses differ from those that were recorded")


def check_execution(program, folder, kernel, launch, blocks):
    path = os.path.join(folder, "kernelslist.g")
    file = os.path.join(KERNELS, kernel, kernel + ".ptx")
    executed = counters(run(program, "analyze", file, *launch, "--trace-blocks", str(blocks), "--save-trace",
                            path, "-f", "csv"))
    with open(path, encoding="utf-8") as lines:
        if lines.read() != "kernel-1.traceg\n":
            raise Failure("the list names something else")
    _, warps = read_trace(os.path.join(folder, "kernel-1.traceg"))
    want = count(warps)
    if len(want) < 6:
        raise Failure(f"only {sorted(want)}")
    compare(want, executed, "the execution")
    compare(want, counters(run(program, "analyze", path, "-f", "csv")), "the program's own reader")


def main():
    program, failed = sys.argv[1], 0
    checks = [("a100_vector_add", check_native, ())]
    checks += [(case[0], check_execution, case) for case in CASES]
    for name, check, arguments in checks:
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(program, folder, *arguments)
            except Failure as failure:
                failed += 1
                print(f"{name}: {failure}")
    print(f"{len(checks) - failed} of {len(checks)} written traces are as they should be")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random traces against `warpsage analyze`: check.py PROGRAM [FIRST_SEED COUNT]

Writes traces in Accel-Sim's format (versions 3 to 5; three address modes; plain, xz or gzip), and works
out their counters lane by lane from the definitions of the counters. Shares no code with the reader."""
import gzip
import json
import lzma
import os
import random
import subprocess
import sys
import tempfile

SHARED, LOCAL, GLOBAL = 0x7FB139000000, 0x7FB137000000, 0x7FB0FC400000
# opcode, class, registers: destinations, sources
PLAIN = [("FFMA", "fp32.fma", 1, 3), ("FADD.FTZ", "fp32.add", 1, 2), ("IMAD.WIDE", "int.mad", 1, 3),
         ("IMAD.MOV.U32", "int.mad", 1, 2), ("MUFU.RSQ", "sfu.rsqrt", 1, 1),
         ("MUFU.EX2", "sfu.ex2", 1, 1), ("DFMA.RM", "fp64.fma", 1, 3), ("HFMA2.BF16_V2", "bf16", 1, 3),
         ("HMMA.16816.F32", "tensor", 1, 3), ("LOP3.LUT", "logic", 1, 3), ("ISETP.GE.AND", "cmp", 0, 2),
         ("S2R", "move", 1, 0), ("SHFL.BFLY", "shuffle", 1, 2), ("F2F.F64.F32", "convert", 1, 1),
         ("ULDC.64", "mem.const.load", 0, 0), ("UIADD3", "int.add", 0, 0), ("SEL", "select", 1, 2)]
# opcode, class, space, operation, bytes
ACCESS = [("LDG.E", "mem.global.load", "global", "load", 4),
          ("LDG.E.U8.CONSTANT", "mem.global.load", "global", "load", 1),
          ("LDG.E.S16", "mem.global.load", "global", "load", 2),
          ("LDG.E.128.STRONG.GPU", "mem.global.load", "global", "load", 16),
          ("STG.E.64", "mem.global.store", "global", "store", 8),
          ("RED.E.ADD.STRONG.GPU", "mem.global.atomic", "global", "atomic", 4),
          ("LDS", "mem.shared.load", "shared", "load", 4),
          ("LDS.U.128", "mem.shared.load", "shared", "load", 16),
          ("STS.64", "mem.shared.store", "shared", "store", 8),
          ("LDL.LU", "mem.local.load", "local", "load", 4),
          ("LD.E", "mem.global.load", "generic", "load", 4),
          ("ST.E.64", "mem.global.store", "generic", "store", 8)]


def lanes_of(mask):
    return [lane for lane in range(32) if mask >> lane & 1]


class Trace:
    def __init__(self, rng):
        self.rng = rng
        self.version = rng.choice([3, 4, 5, 5])
        self.lineinfo = self.version == 5 and rng.random() < 0.3
        self.grid = [rng.randint(1, 4), rng.randint(1, 2), 1]
        self.block = rng.choice([[32, 1, 1], [96, 1, 1], [40, 1, 1], [16, 8, 1]])
        self.want = {}
        self.pcs = []
        self.code = self.make_code()

    def make_code(self):
        code = []
        for _ in range(self.rng.randint(3, 14)):
            kind = self.rng.choice(["plain", "plain", "access", "bar"])
            code.append((kind, self.rng.choice(ACCESS if kind == "access" else PLAIN),
                         [self.rng.randint(0, 255) for _ in range(4)]))
        return code + [("exit", None, [])]

    def add(self, counter, value=1):
        self.want[counter] = self.want.get(counter, 0) + value

    def addresses(self, space, size, lanes):
        rng = self.rng
        base = {"global": GLOBAL, "shared": 0, "local": 0xFF0000}[space] + 16 * rng.randint(0, 64)
        shape = rng.choice(["uniform", "stride", "random"])
        if shape == "uniform":
            return [base] * len(lanes)
        if shape == "stride":
            step = size * rng.choice([1, 1, 2, 3, 8, 32])
            return [base + step * k for k in range(len(lanes))]
        room = 64 if space == "local" else 4096
        return [base + size * rng.randint(0, room) for _ in lanes]

    def count_access(self, space, operation, size, addresses):
        name = f"mem.{space}.{operation}"
        self.add(name + ".requests")
        self.add(name + ".bytes_requested", size * len(addresses))
        if space == "shared":
            return
        if space == "local":  # word w of a lane lies at w * 128 + lane * 4
            touched = [word * 128 + lane * 4 for lane, address in addresses
                       for word in range(address // 4, (address + size - 1) // 4 + 1)]
        else:
            touched = [address for _, address in addresses]
        self.add(name + ".sectors32", len({a // 32 for a in touched}))
        self.add(name + ".lines128", len({a // 128 for a in touched}))

    def count_shared(self, operation, size, addresses):
        self.count_access("shared", operation, size, addresses)
        per_phase = {1: 32, 2: 32, 4: 32, 8: 16, 16: 8}[size]
        active = dict(addresses)  # cc 7.0 and later: doc/definitions.md, "two phases are one"
        if size > 4 and any(all(active[lane] == active.get(lane ^ apart, active[lane]) for lane in active)
                            for apart in (1, 2)):
            per_phase *= 2
        for phase in range(0, 32, per_phase):
            banks = {}
            for lane, address in addresses:
                if phase <= lane < phase + per_phase:
                    for word in range(address // 4, (address + size - 1) // 4 + 1):
                        banks.setdefault(word % 32, set()).add(word)
            if banks:
                self.add(f"mem.shared.{operation}.wavefronts32", max(map(len, banks.values())))

    def access_text(self, lanes, mask, addresses):
        rng = self.rng
        deltas = [b - a for a, b in zip(addresses, addresses[1:])]
        contiguous = lanes and lanes == list(range(lanes[0], lanes[-1] + 1))
        modes = [0, 2]
        if not lanes or (contiguous and len(set(deltas)) == 1):
            modes.append(1)
        mode = rng.choice(modes)
        if mode == 1:
            first, step = (addresses[0], deltas[0]) if lanes else (0, 0)
            return f"1 0x{first:x} {step}"
        if not lanes:
            return "0" if mode == 0 else "2 0x0"
        if mode == 0:
            return "0 " + " ".join(f"0x{a:016x}" for a in addresses)
        return " ".join(["2", f"0x{addresses[0]:x}"] + [str(d) for d in deltas])

    def access(self, row, mask):
        opcode, class_id, space, operation, size = row
        lanes = lanes_of(mask)
        self.add("inst.warp." + class_id)
        if space != "generic":
            values = self.addresses(space, size, lanes)
            pairs = list(zip(lanes, values))
            if not pairs:
                pass
            elif space == "shared":
                self.count_shared(operation, size, pairs)
            else:
                self.count_access(space, operation, size, pairs)
        else:
            spaces = [self.rng.choice(["global", "shared", "local"]) for _ in lanes]
            if self.rng.random() < 0.5:
                spaces = [self.rng.choice(["global", "shared", "local"])] * len(lanes)
            values, parts = [], {"global": [], "shared": [], "local": []}
            for lane, where in zip(lanes, spaces):
                offset = self.addresses(where, size, [lane])[0]
                parts[where].append((lane, offset))
                values.append(offset + {"global": 0, "shared": SHARED, "local": LOCAL}[where])
            for where, pairs in parts.items():
                if pairs and where == "shared":
                    self.count_shared(operation, size, pairs)
                elif pairs:
                    self.count_access(where, operation, size, pairs)
        registers = "1 R4" if operation == "load" else "0"
        sources = "1 R2" if operation == "load" else "2 R2 R5"
        return f"{registers} {opcode} {sources} {size} {self.access_text(lanes, mask, values)}"

    def plain(self, row, registers):
        opcode, class_id, destinations, sources = row
        self.add("inst.warp." + class_id)
        text = f"{destinations}" + f" R{registers[0]}" * destinations + f" {opcode} {sources}"
        return text + "".join(f" R{r}" for r in registers[1:1 + sources]) + " 0"

    def line(self, index, entry, active):
        kind, row, registers = entry
        mask = active
        if kind != "bar" and self.rng.random() < 0.2:
            mask &= self.rng.getrandbits(32)
        self.add("inst.warp")
        self.add("inst.thread", len(lanes_of(mask)))
        if kind == "access":
            text = self.access(row, mask)
        elif kind == "plain":
            text = self.plain(row, registers)
        else:
            self.add("inst.warp.barrier" if kind == "bar" else "inst.warp.control")
            if kind == "bar":
                self.add("barrier.warp")
            text = "0 BAR.SYNC 0 0" if kind == "bar" else "0 EXIT 0 0"
        prefix = f"{index + 7} " if self.lineinfo else ""
        tail = " 0 " if self.version == 5 else ""
        return f"{prefix}{16 * index:04x} {mask:08x} {text}{tail}"

    def warp(self, threads):
        active = (1 << threads) - 1
        lines = []
        rounds = self.rng.randint(1, 3)
        for _ in range(rounds):
            for index, entry in enumerate(self.code[:-1]):
                if entry[0] != "bar":
                    lines.append(self.line(index, entry, active))
        for index, entry in enumerate(self.code):
            if entry[0] in ("bar", "exit"):
                lines.append(self.line(index, entry, active))


        return lines

    def text(self):
        header = ["-kernel name = _Z6randomPf", "-kernel id = 1",
                  "-grid dim = (%d,%d,%d)" % tuple(self.grid),
                  "-block dim = (%d,%d,%d)" % tuple(self.block), "-shmem = 4096", "-nregs = 40",
                  "-binary version = 80", "-cuda stream id = 0", f"-shmem base_addr = 0x{SHARED:016x}",
                  f"-local mem base_addr = 0x{LOCAL:016x}", "-nvbit version = 1.5.5",
                  f"-accelsim tracer version = {self.version}",
                  f"-enable lineinfo = {int(self.lineinfo)}", "",
                  "#traces format = PC mask dest_num [reg_dests] opcode src_num ...", ""]
        threads = self.block[0] * self.block[1] * self.block[2]
        for z in range(self.grid[2]):
            for y in range(self.grid[1]):
                for x in range(self.grid[0]):
                    header += ["", "#BEGIN_TB", "", f"thread block = {x},{y},{z}"]
                    for warp in range((threads + 31) // 32):
                        lines = self.warp(min(32, threads - 32 * warp))
                        header += ["", f"warp = {warp}", f"insts = {len(lines)}"] + lines
                    header += ["", "#END_TB"]
        return "\n".join(header) + "\n"


def check(program, seed, folder):
    rng = random.Random(seed)
    trace = Trace(rng)
    text = trace.text().encode()
    writer, end = rng.choice([(open, ""), (lzma.open, ".xz"), (gzip.open, ".gz")])
    path = os.path.join(folder, "kernel-1.traceg" + end)
    with writer(path, "wb") as file:
        file.write(text)
    done = subprocess.run([program, "analyze", path, "--format", "json"], capture_output=True,
                          text=True, check=False)
    if done.returncode:
        return [f"seed {seed}: {done.stderr.strip()}"]
    profile = json.loads(done.stdout)["kernels"][0]["profile"]
    faults = []
    for counter, want in trace.want.items():
        if profile[counter]["value"] != want:
            faults.append(f"seed {seed}: {counter} is {profile[counter]['value']}, not {want}")
    for counter, entry in profile.items():
        counted = counter.startswith("inst.warp.") or counter.endswith((".requests", "load.sectors32"))
        if counted and counter not in trace.want and entry["value"]:
            faults.append(f"seed {seed}: {counter} is {entry['value']}, not 0")
    if faults:
        kept = os.path.join(tempfile.gettempdir(), f"trace-{seed}.traceg")
        with open(kept, "wb") as file:
            file.write(text)
        faults.append(f"seed {seed}: kept as {kept}")
    return faults


def main():
    program = sys.argv[1]
    first, count = (int(sys.argv[2]), int(sys.argv[3])) if len(sys.argv) > 3 else (1, 120)
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            faults += check(program, seed, folder)
    print("\n".join(faults[:40]))
    print(f"{count} traces, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generated convolutions beside what nvcc makes of convolution.cu: convolution.py PROGRAM NVCC

Both execute the same number of multiply-adds, loads and stores by kind, with the same sectors; of all warp
instructions they execute nearly the same number: nvcc negates some predicates by instructions of their own, which
ptxas folds."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH, HEIGHT, FILTER = 768, 192, 15
# block, points a thread, read-only path, pitch: with tests and without, unrolled whole and by rows, with two rests
# of a copied row.
CONFIGURATIONS = [(32, 4, 1, 3, 1, 46), (128, 2, 2, 2, 0, 0), (48, 2, 2, 1, 1, 0), (80, 1, 2, 3, 0, 0),
                  (80, 2, 4, 3, 1, 0), (48, 8, 3, 1, 0, 176), (16, 1, 4, 1, 1, 80)]
EQUAL = ("mem.global.load.requests", "mem.global.load.sectors32", "mem.global.store.requests",
         "mem.global.store.sectors32", "mem.shared.load.requests", "mem.shared.store.requests",
         "inst.warp.fp32.fma", "inst.warp.barrier",
         "inst.warp.mem.const.load", "mem.shared.load.wavefronts32")
NEARLY = 0.15


def counters(program, folder, ptx, configuration):
    bx, by, tx, ty = configuration[:4]
    grid = -(-WIDTH // (bx * tx)), -(-HEIGHT // (by * ty))
    inputs = (WIDTH + FILTER - 1) * (HEIGHT + FILTER - 1)
    done = subprocess.run(
        [program, "analyze", ptx, "-f", "json", "--trace-blocks", "0", "-g", "%d,%d" % grid, "-b", f"{bx},{by}",
         "--arg", f"f32[{WIDTH * HEIGHT}]", "--arg", f"f32[{inputs}]=iota"],
        cwd=folder, check=True, capture_output=True, text=True)
    profile = json.loads(done.stdout)["kernels"][0]["profile"]
    return {name: profile[name]["value"] for name in (*EQUAL, "inst.warp")}


def write_set(folder):
    with open(os.path.join(folder, "set.yaml"), "w", encoding="utf-8") as file:
        file.write("title: a test\nsource: none\nmachine: a100-pcie-40gb\nrows: set.csv\npurpose: ranking\n"
                   f"generator: {{id: convolution, width: {WIDTH}, height: {HEIGHT}, filter: {FILTER}}}\n")
    with open(os.path.join(folder, "set.csv"), "w", encoding="utf-8") as file:
        file.write("application,kernel,instance,role,block_x,block_y,tile_x,tile_y,read_only,pitch,seconds\n")
        for i, row in enumerate(CONFIGURATIONS):
            file.write(f"a,k,{i},build,{','.join(map(str, row))},1\n")


def main():
    program, nvcc = os.path.abspath(sys.argv[1]), sys.argv[2]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        write_set(folder)
        subprocess.run([program, "validate", "set.yaml", "--write-ptx", "."], cwd=folder, check=True)
        for i, row in enumerate(CONFIGURATIONS):
            names = ("BX", "BY", "TX", "TY", "RO", "PITCH")
            defines = [f"-D{name}={value}" for name, value in zip(names, row)]
            defines += [f"-DWIDTH={WIDTH}", f"-DHEIGHT={HEIGHT}", f"-DFILTER={FILTER}"]
            subprocess.run([nvcc, "-arch=sm_80", "-ptx", *defines, "-o", "nvcc.ptx",
                            os.path.join(HERE, "convolution.cu")], cwd=folder, check=True)
            ours, theirs = (counters(program, folder, name, row) for name in (f"{i}.ptx", "nvcc.ptx"))
            for name in EQUAL:
                if ours[name] != theirs[name]:
                    wrong += 1
                    print(f"{row}: {name}: {ours[name]}, nvcc {theirs[name]}")
            ratio = ours["inst.warp"] / theirs["inst.warp"]
            print(f"{row}: {ratio:.3f} of nvcc's warp instructions")
            wrong += abs(ratio - 1) > NEARLY
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

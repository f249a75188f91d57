#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Executes launch files as PTX and as the native code that ptxas makes of it, and compares their buffers.

    tests/native/launches.py build/warpsage [--targets 75,80,86,89,90] [LAUNCH.yaml...]

Without files: all launch files of examples/, papers/ and tests/. Needs ptxas in PATH; without it there is nothing
to do. A buffer of floats may differ within the file's tolerance where ptxas chooses approximate instructions as
PTX lets it; such a difference is told with its size.
"""
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
GPUS = {'75': 'rtx2080ti', '80': 'a100-sxm4-40gb', '86': 'rtx3090', '89': 'rtx4090', '90': 'h200'}


def launch_files():
    for folder in ('examples', 'papers', 'tests/cli/data', 'tests/validate'):
        for path in sorted((ROOT / folder).rglob('*.yaml')):
            if re.search(r'^kernel_file:', path.read_text(), re.M):
                yield path


def pointers(path):
    """Indices of the arguments that are buffers, with their element types."""
    text = path.read_text()
    args = re.search(r'^args:\s*(\[.*?\]\s*$|\n(?:\s+-.*\n?)+)', text, re.M | re.S)
    if not args:
        return []
    body = args[1]
    items = re.findall(r'-\s*(.+)', body) if not body.startswith('[') else body.strip()[1:-1].split(', ')
    found = []
    for i, item in enumerate(items):
        kind = re.match(r'["\']?(\w+)\[', item.strip())
        if kind:
            found.append((i, kind[1]))
    return found


def execute(program, path, isa, gpu, buffers, folder):
    command = [program, 'analyze', str(path), '--isa', isa, '--gpu', gpu, '--trace-blocks', '0', '-o',
               f'{folder}/report']
    for index, _ in buffers:
        command += ['--save', f'{index}={folder}/{isa}.{index}']
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


def difference(kind, left, right):
    if left == right:
        return None
    code = {'f32': 'f', 'f64': 'd'}.get(kind)
    if not code:
        return 'bytes differ'
    size = struct.calcsize(code)
    worst = 0.0
    for a, b in zip(struct.iter_unpack(code, left[:len(left) // size * size]),
                    struct.iter_unpack(code, right[:len(right) // size * size])):
        if a != b and not (a[0] != a[0] and b[0] != b[0]):
            worst = max(worst, abs(a[0] - b[0]) / max(abs(a[0]), abs(b[0]), 1e-30))
    return f'relative difference up to {worst:.2e}'


def main(arguments):
    program, targets, files = arguments[0], list(GPUS), []
    rest = arguments[1:]
    while rest:
        word = rest.pop(0)
        if word == '--targets':
            targets = rest.pop(0).split(',')
        else:
            files.append(pathlib.Path(word))
    if not shutil.which('ptxas'):
        print('skipped: ptxas is not in PATH')
        return 0
    same = other = refused = 0
    for path in files or launch_files():
        buffers = pointers(path)
        for target in targets:
            with tempfile.TemporaryDirectory() as folder:
                ptx = execute(program, path, 'ptx', GPUS[target], buffers, folder)
                if ptx.returncode:
                    continue  # not made to run, or not for this GPU
                native = execute(program, path, 'native', GPUS[target], buffers, folder)
                name = f'{path.relative_to(ROOT) if path.is_absolute() else path} sm_{target}'
                if native.returncode:
                    refused += 1
                    lines = native.stderr.strip().splitlines() or ['']
                    print(f'{name}: refused: {" | ".join(lines[:4])[:300]}')
                    continue
                faults = []
                for index, kind in buffers:
                    read = lambda isa: pathlib.Path(f'{folder}/{isa}.{index}').read_bytes()
                    fault = difference(kind, read('ptx'), read('native'))
                    if fault:
                        faults.append(f'argument {index} ({kind}): {fault}')
                other += bool(faults)
                same += not faults
                if faults:
                    print(f'{name}: {"; ".join(faults)}')
    print(f'{same} same, {other} differ, {refused} refused')
    return 1 if other or refused else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))

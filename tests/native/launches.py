#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Executes launch files as PTX and as the native code that ptxas makes of it, and compares their buffers.

    tests/native/launches.py build/warpsage [--targets 75,80,86,89,90] [LAUNCH.yaml...]

Without files: all launch files of examples/, papers/ and tests/. Needs ptxas in PATH; without it there is nothing
to do. Where buffers differ, both are executed again without what PTX leaves to ptxas: `ptxas --fmad false` contracts no
multiplication and addition to a fused one, and div.approx and div.full are written as what ptxas makes of them, rcp.approx
and a multiplication. What then agrees to the bit is counted as such; so is what differs by at most SINE_MOST in a file with
sin.approx or cos.approx: the hardware's take revolutions, and the product of the angle with 1/2pi is rounded before. All
else differs, and is told with its size. Launches that take longer than FULL_SECONDS are compared by SAMPLE of their blocks,
the same ones both ways.
"""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

# Each is off by 2^-20.5 (PTX ISA, sin), which adds up where sines are taken of sines a thousand times.
SINE_MOST = 1e-3
SECONDS_MOST = 900  # of one execution
FULL_SECONDS = 120  # of one of all blocks
SAMPLE = '1%'
LATE = 124
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


def execute(program, path, isa, gpu, buffers, folder, tools=None, effort='full'):
    command = [program, 'analyze', str(path), '--isa', isa, '--gpu', gpu, '--trace-blocks', '0', '-o',
               f'{folder}/report', '--effort', effort]
    for index, _ in buffers:
        command += ['--save', f'{index}={folder}/{isa}.{index}']
    environment = dict(os.environ, PATH=f'{tools}:{os.environ["PATH"]}') if tools else None
    seconds = FULL_SECONDS if effort == 'full' else SECONDS_MOST
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds, env=environment)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, LATE, '', f'as {isa}: took more than {seconds} s')


def execute_both(program, path, gpu, buffers, folder, tools=None):
    """As PTX and, if that was possible, as native code."""
    for effort in ('full', SAMPLE):
        both = []
        for isa in ('ptx', 'native'):
            both.append(execute(program, path, isa, gpu, buffers, folder, tools, effort))
            if both[-1].returncode:
                break
        if both[-1].returncode != LATE:
            break
    return both[0], both[-1]


def plain_ptx(text):
    """The same kernels with divisions as ptxas makes them. Of div.approx the ISA wants 2 ulp up to 2^126 in the divisor."""
    def division(match):
        guard, ftz, to, of, by = match.groups()
        return (f'{guard or ""} rcp.approx{ftz or ""}.f32 %quotient, {by}; '
                f'{guard or ""} mul.rn{ftz or ""}.f32 {to}, {of}, %quotient;')
    text = re.sub(r'(@!?%\w+\s+)?div\.(?:approx|full)(\.ftz)?\.f32\s+(\S+), (\S+), (\S+);', division, text)
    return re.sub(r'^((?:\.visible |\.weak )*\.(?:entry|func)\b[^{;]*\{)', r'\1 .reg .f32 %quotient;', text,
                  flags=re.M)


def prepare_plain(path, folder):
    """A copy of the launch file for that PTX, and a folder with such a ptxas; None: not a file of PTX."""
    text = path.read_text()
    kernel = path.parent / re.search(r'^kernel_file:\s*(\S+)', text, re.M)[1].strip('"\'')
    if kernel.suffix != '.ptx':
        return None, None
    there = pathlib.Path(folder) / 'launch'
    there.mkdir()
    for other in path.parent.iterdir():
        if other.name != path.name:
            (there / other.name).symlink_to(other.resolve())
    (pathlib.Path(folder) / 'plain.ptx').write_text(plain_ptx(kernel.read_text()))
    (there / path.name).write_text(re.sub(r'^kernel_file:.*', 'kernel_file: ../plain.ptx', text, flags=re.M))
    tools = pathlib.Path(folder) / 'tools'
    tools.mkdir()
    (tools / 'ptxas').write_text(f'#!/bin/sh\nexec {shutil.which("ptxas")} --fmad false "$@"\n')
    (tools / 'ptxas').chmod(0o755)
    return there / path.name, tools


def difference(kind, left, right):
    """The largest relative difference; of integers, or of zeros and NANs that are others: infinity."""
    if left == right:
        return 0.0
    code = {'f32': 'f', 'f64': 'd'}.get(kind)
    if not code:
        return float('inf')
    size = struct.calcsize(code)
    worst = 0.0
    for a, b in zip(struct.iter_unpack(code, left[:len(left) // size * size]),
                    struct.iter_unpack(code, right[:len(right) // size * size])):
        if a != b and not (a[0] != a[0] and b[0] != b[0]):
            worst = max(worst, abs(a[0] - b[0]) / max(abs(a[0]), abs(b[0]), 1e-30))
    return worst or float('inf')


def compare(program, path, gpu, buffers, folder, tools=None):
    """'skipped', 'refused' or 'done', with the lines that tell why or where, and the largest difference."""
    ptx, native = execute_both(program, path, gpu, buffers, folder, tools)
    if ptx.returncode not in (0, LATE):
        return 'skipped', [], 0.0  # not made to run, or not for this GPU
    if native.returncode:
        return 'refused', (native.stderr.strip().splitlines() or [''])[:4], 0.0
    faults, worst = [], 0.0
    for index, kind in buffers:
        fault = difference(kind, *(pathlib.Path(f'{folder}/{isa}.{index}').read_bytes()
                                   for isa in ('ptx', 'native')))
        if fault:
            size = 'bytes differ' if fault == float('inf') else f'relative difference up to {fault:.2e}'
            faults.append(f'argument {index} ({kind}): {size}')
            worst = max(worst, fault)
    return 'done', faults, worst


def compare_plain(program, path, gpu, buffers, folder):
    copy, tools = prepare_plain(path.resolve(), folder)
    if not copy:
        return False
    has_sines = re.search(r'\b(sin|cos)\.approx', (pathlib.Path(folder) / 'plain.ptx').read_text())
    outcome, _, worst = compare(program, copy, gpu, buffers, folder, tools)
    return outcome == 'done' and worst <= (SINE_MOST if has_sines else 0.0)


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
    same = open_ones = other = refused = 0
    for path in files or launch_files():
        buffers = pointers(path)
        for target in targets:
            with tempfile.TemporaryDirectory() as folder:
                outcome, lines, _ = compare(program, path, GPUS[target], buffers, folder)
                if outcome == 'skipped':
                    continue
                name = f'{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path} sm_{target}'
                if outcome == 'refused':
                    refused += 1
                    print(f'{name}: refused: {" | ".join(lines)[:300]}', flush=True)
                elif not lines:
                    same += 1
                elif compare_plain(program, path, GPUS[target], buffers, folder):
                    open_ones += 1
                    print(f'{name}: the same but for what PTX leaves open: {"; ".join(lines)}', flush=True)
                else:
                    other += 1
                    print(f'{name}: {"; ".join(lines)}', flush=True)
    print(f'{same} same, {open_ones} the same but for what PTX leaves open, {other} differ, {refused} refused')
    return 1 if other or refused else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))

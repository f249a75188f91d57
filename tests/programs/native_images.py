#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Machine code that programs load, without nvcc: native_images (native_images.c) under `warpsage run` with the cubins of
tests/native, alone, in fat binaries, and damaged; and `warpsage analyze` of files with several cubins. What kernels
must compute is worked out here from their source, tests/native/basic.cu.

    native_images.py WARPSAGE NATIVE_IMAGES
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
NATIVE = os.path.join(os.path.dirname(HERE), "native")
TABLE = [3, 1, 4, 1, 5, 9, 2, 6]
# choose(p, 2, 3): triangle numbers, a recursion; choose(p, 7, 3): less p[3]; exchange: the other way round, plus 1.
RUNS = [" ".join(["choose"] + [str(t * (t + 1) // 2 + TABLE[2]) for t in range(8)]),
        " ".join(["choose"] + [str(t - 3 + TABLE[7]) for t in range(8)]),
        " ".join(["exchange"] + [str(63 - t + 1) for t in range(8)])]
GPU = {75: "rtx2080ti", 80: "a100-sxm4-40gb", 86: "rtx3090", 90: "h100-sxm"}
OSABI, E_FLAGS, E_SHOFF, E_SHNUM = 7, 0x30, 0x28, 0x3c
SHT_PROGBITS, SHT_SYMTAB = 1, 2
failed = 0


def check(what, is_right, text=""):
    global failed
    if not is_right:
        failed += 1
        print(f"{what}: wrong\n{text}")


def read(name):
    with open(os.path.join(NATIVE, name), "rb") as file:
        return file.read()


def fat_binary(*cubins):
    """One of nvcc's layout (decode/native/fat_binary.h), with nothing compressed; `cubins`: (target, bytes)."""
    entries = b""
    for target, image in cubins:
        image += bytes(-len(image) % 8)
        entries += struct.pack("<HHIQIIII", 2, 0x101, 64, len(image), 0, 0, 0, target)
        entries += bytes(64 - 32) + image
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entries)) + entries


def patched(image, at, value):
    return image[:at] + bytes([value]) + image[at + 1:]


def run(warpsage, program, folder, how, image, target, *options):
    path = os.path.join(folder, "image.cubin")
    with open(path, "wb") as file:
        file.write(image)
    return subprocess.run([warpsage, "run", "-o", os.path.join(folder, "report"), "--gpu", GPU[target], *options,
                           "--", program, how, path], capture_output=True, text=True, timeout=120, check=False)


def check_loads(warpsage, program, folder):
    for target, name in ((80, "basic.sm_80.cubin"), (90, "basic.sm_90.cubin")):
        image = read(name)
        wanted = ["load CUDA_SUCCESS"] + RUNS
        for how in ("data", "path"):
            for what, bytes_ in (("cubin", image), ("fat binary", fat_binary((target, image)))):
                for options in ((), ("--isa", "native")):
                    done = run(warpsage, program, folder, how, bytes_, target, *options)
                    check(f"{what} of sm_{target} by {how}", done.stdout.splitlines() == wanted,
                          done.stdout + done.stderr)
    done = run(warpsage, program, folder, "data", read("basic.sm_80.cubin"), 86)
    check("sm_80 on cc 8.6", done.stdout.splitlines()[1:] == RUNS, done.stdout + done.stderr)
    both = fat_binary((90, read("basic.sm_90.cubin")), (80, read("basic.sm_80.cubin")))
    done = run(warpsage, program, folder, "data", both, 80)
    check("one of two", done.stdout.splitlines()[1:] == RUNS, done.stdout + done.stderr)


def check_refusals(warpsage, program, folder):
    """By the CUDA error, and words in what is said."""
    basic = read("basic.sm_80.cubin")
    for target, flags in ((61, 61), (120, 120), (100, 100)):
        other = patched(basic, E_FLAGS + 1, flags)
        for image in (other, fat_binary((target, other))):
            done = run(warpsage, program, folder, "data", image, 80)
            check(f"sm_{target}", done.stdout == "load CUDA_ERROR_NO_BINARY_FOR_GPU\n" and
                  f"machine code of sm_{target}" in done.stderr, done.stdout + done.stderr)
    for options, words in (((), "cannot execute"), (("--isa", "ptx"), "and no PTX"), (("--isa", "native"), "cannot execute")):
        done = run(warpsage, program, folder, "data", basic, 90, *options)
        check(f"sm_80 on cc 9.0 {options}", done.stdout == "load CUDA_ERROR_NO_BINARY_FOR_GPU\n" and
              words in done.stderr, done.stdout + done.stderr)
    section = struct.unpack_from("<Q", basic, E_SHOFF)[0]
    damaged = {
        "an empty file": b"",
        "nothing but the magic number": basic[:4],
        "a truncated one": basic[:len(basic) // 2],
        "the header alone": basic[:64],
        "a fat binary cut off": fat_binary((80, basic))[:5000],
        "sections beyond the end": basic[:E_SHOFF] + struct.pack("<Q", len(basic) - 8) + basic[E_SHOFF + 8:],
        "too many sections": basic[:E_SHNUM] + b"\xff\xff" + basic[E_SHNUM + 2:],
        "a section beyond the end": basic[:section + 2 * 64 + 24] + b"\xff" * 4 + basic[section + 2 * 64 + 28:],
        "no names": basic.replace(b".nv.info\0", b".nv.inno\0"),
        "no symbols": with_types(basic, SHT_SYMTAB, SHT_PROGBITS),
        "unknown format": patched(basic, OSABI, 0x11),
    }
    for what, image in damaged.items():
        for how in ("data", "path"):
            done = run(warpsage, program, folder, how, image, 80)
            lines = done.stdout.splitlines()
            if os.environ.get("SHOW"):
                print(what, how, lines, done.stderr)
            check(f"{what} by {how}", done.returncode == 0 and lines and lines[0] != "load CUDA_SUCCESS" and
                  "warpsage: " in done.stderr, f"{done.returncode} {done.stdout}{done.stderr}")


def with_types(image, old, new):
    """Sections of a type made ones of another."""
    first, = struct.unpack_from("<Q", image, E_SHOFF)
    count, = struct.unpack_from("<H", image, E_SHNUM)
    for i in range(count):
        at = first + 64 * i + 4
        if struct.unpack_from("<I", image, at)[0] == old:
            image = image[:at] + struct.pack("<I", new) + image[at + 4:]
    return image


def unknown_words(warpsage, program, folder):
    """A kernel with a word that nothing decodes is not run, with the word in the message; the others are."""
    basic = read("basic.sm_80.cubin")
    listing = subprocess.run([warpsage, "disasm", os.path.join(NATIVE, "basic.sm_80.cubin"), "-k", "exchange", "-f",
                              "json"], capture_output=True, text=True, check=True)
    words = [one["word"] for one in json.loads(listing.stdout)["functions"][0]["instructions"]]
    bits = [bytes.fromhex(one[2:])[::-1] for one in words]
    code = basic.find(b"".join(bits))
    check("the kernel's code", code > 0)
    image = patched(patched(basic, code + 48, 0xff), code + 49, 0x0f)
    done = run(warpsage, program, folder, "data", image, 80)
    lines = done.stdout.splitlines()
    check("an unknown word", lines[:3] == ["load CUDA_SUCCESS"] + RUNS[:2] and lines[3] == "exchange CUDA_ERROR_NOT_SUPPORTED"
          and "word 0x" in done.stderr, done.stdout + done.stderr)


def analyze(warpsage, folder, image, kernel, *arguments):
    path = os.path.join(folder, "several.bin")
    with open(path, "wb") as file:
        file.write(image)
    out = os.path.join(folder, "out")
    done = subprocess.run([warpsage, "analyze", path, "-k", kernel, "-g", "1", "--gpu", "a100-sxm4-40gb", "-q", *arguments,
                           "--save", f"0={out}"], capture_output=True, text=True, timeout=120, check=False)
    return done, open(out, "rb").read() if not done.returncode else b""


def check_several(warpsage, folder):
    """Fat binaries one behind the other, as programs of several .cu files have them: a kernel of any is found."""
    basic, static = read("basic.sm_80.cubin"), read("static.sm_80.cubin")
    both = fat_binary((80, basic)) + bytes(8) + fat_binary((80, static))
    numbers = ("-b", "8", "--arg", "s32[64]=iota")
    done, out = analyze(warpsage, folder, both, "choose", *numbers, "--arg", "s16:2", "--arg", "s64:3")
    check("the first cubin's kernel", out[:32] == struct.pack("<8i", *map(int, RUNS[0].split()[1:])), done.stderr)
    done, out = analyze(warpsage, folder, both, "scaled", *numbers)
    check("the second cubin's kernel", out[:32] == struct.pack("<8i", *(40 * t + 7 for t in range(8))), done.stderr)
    done, out = analyze(warpsage, folder, both, "nobody", *numbers)
    check("none of that name", done.returncode and "choose" in done.stderr and "scaled" in done.stderr, done.stderr)
    twice = both + fat_binary((80, static))
    done, out = analyze(warpsage, folder, twice, "scaled", *numbers)
    check("one that is in two files", out[:8] == struct.pack("<2i", 7, 47), done.stderr)
    done, out = analyze(warpsage, folder, twice, "own", *numbers)
    check("two of one name", done.returncode and "2 kernels are named '_Z3ownPi'" in done.stderr, done.stderr)


def check_links(warpsage, program, folder):
    """cuLink: one cubin as it is; several by nvlink, where it is found."""
    def link(*names):
        return subprocess.run([warpsage, "run", "-o", os.path.join(folder, "report"), "--gpu", GPU[80], "--", program,
                               "link", *(os.path.join(NATIVE, name) for name in names)],
                              capture_output=True, text=True, timeout=120, check=False)
    done = link("basic.sm_80.cubin")
    check("one cubin", done.stdout.splitlines()[1:] == RUNS, done.stdout + done.stderr)
    parts = ["linked_a.sm_80.cubin", "linked_b.sm_80.cubin"]
    done = link(*parts)
    if "requires nvlink" in done.stderr:
        check("no nvlink", done.stdout == "load CUDA_ERROR_NOT_SUPPORTED\n", done.stdout)
        return
    wanted = " ".join(["linked"] + [str(2 * t + 100 * (t % 4 + 1)) for t in range(8)])
    check("two cubins", done.stdout.splitlines() == ["load CUDA_SUCCESS", wanted], done.stdout + done.stderr)
    done = link(parts[0], parts[0])
    check("a function twice", done.stdout == "load CUDA_ERROR_NOT_SUPPORTED\n" and "Multiple definition" in done.stderr,
          done.stdout + done.stderr)


def main():
    warpsage, program = (os.path.abspath(one) for one in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        check_loads(warpsage, program, folder)
        check_refusals(warpsage, program, folder)
        unknown_words(warpsage, program, folder)
        check_several(warpsage, folder)
        check_links(warpsage, program, folder)
    if not failed:
        print("PASSED")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the conformance vectors of every instruction. They are 14 MB, so they are not kept: the
build makes them, and tests/vectors/digests.txt tells whether they are those that were reviewed.

    make-vectors.py FOLDER            writes FOLDER/MNEMONIC.txt, if what makes them has changed
    make-vectors.py FOLDER --check    says which files digests.txt does not know; status 1 if any
    make-vectors.py FOLDER --accept   writes digests.txt

tests/tools/diff-vectors.sh shows what a change of the definitions makes of the files.
"""
import collections
import hashlib
import importlib
import os
import pathlib
import sys

TOOLS = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(TOOLS))
DIGESTS = TOOLS.parent / "vectors" / "digests.txt"
FAMILIES = ["integers", "bits", "compare", "floats", "convert", "convert_small", "memory",
            "memory_forms", "copies", "bulk", "tensormaps", "barriers", "matrices", "matrices_narrow", "wmma",
            "atomics", "warp", "control", "video", "literals", "textures"]


def sources_digest():
    """Of everything that decides what the files hold."""
    digest = hashlib.sha256()
    for path in [TOOLS / "make-vectors.py", *sorted((TOOLS / "vectors").glob("*.py"))]:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def texts():
    """The text of each file by its name."""
    forms, sources = collections.defaultdict(list), collections.defaultdict(list)
    for family in FAMILIES:
        for mnemonic, source, form in importlib.import_module("vectors." + family).forms():
            forms[mnemonic].append(form)
            if source not in sources[mnemonic]:
                sources[mnemonic].append(source)
    result = {}
    for mnemonic in forms:
        lines = ["# SPDX-License-Identifier: Apache-2.0",
                 "# Made by tests/tools/make-vectors.py. The format: vector_file.h."]
        lines += ["source: " + source for source in sources[mnemonic]]
        for form in forms[mnemonic]:
            lines.append("")
            form.write(lines)
        result[mnemonic + ".txt"] = "\n".join(lines) + "\n"
    return result


def write_whole(path, text):
    """Whoever reads the file meanwhile sees the old or the new one."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    temporary.write_text(text)
    temporary.replace(path)


def make(folder):
    stamp, digest = folder / "made-of.sha256", sources_digest()
    if stamp.exists() and stamp.read_text() == digest:
        return
    made = texts()
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in made.items():
        write_whole(folder / name, text)
    for path in folder.glob("*.txt"):
        if path.name not in made:
            path.unlink(missing_ok=True)
    write_whole(stamp, digest)


def digest_lines(folder):
    """`NAME FORMS LINES SHA-256` of each file."""
    lines = []
    for path in sorted(folder.glob("*.txt")):
        text = path.read_text()
        digest = hashlib.sha256(text.encode()).hexdigest()[:32]
        lines.append(f"{path.name} {text.count(chr(10) + 'form ')} {text.count(chr(10))} {digest}")
    return lines


def check(folder):
    known = set(DIGESTS.read_text().splitlines())
    wrong = sorted({line.split()[0] for line in known ^ set(digest_lines(folder))})
    for name in wrong:
        print(f"{name} is not what tests/vectors/digests.txt says: "
              "see tests/tools/diff-vectors.sh, then make-vectors.py --accept")
    return 1 if wrong else 0


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(arguments[0])
    make(folder)
    if arguments[1:] == ["--check"]:
        return check(folder)
    if arguments[1:] == ["--accept"]:
        DIGESTS.write_text("\n".join(digest_lines(folder)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

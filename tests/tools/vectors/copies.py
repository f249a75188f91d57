# SPDX-License-Identifier: Apache-2.0
"""cp.async: bytes of global memory arrive in shared memory, those beyond the source's size as zeros; a
thread sees its own copies after it waited for them."""
from .form import Form, Numbers
from .memory import PIECE, take

SOURCE = "PTX ISA, cp.async: bytes in little-endian memory, zeros beyond src-size"
PATTERN = 0xE7E6E5E4E3E2E1E0
PREPARE = [("decl", f".shared .align 16 .b8 piece[{32 * PIECE}];"),
           ("decl", ".reg .b32 %sa; .reg .b64 %pattern;"), ("do", "mov.u32 %sa, piece;"),
           ("do", f"mad.lo.u32 %sa, %lane, {PIECE}, %sa;"),
           ("do", f"mov.b64 %pattern, {PATTERN:#x};")]
PREPARE += [("do", f"st.shared.b64 [%sa+{8 * i}], %pattern;") for i in range(6)]
SEEN = [("do", f"ld.shared.b64 %x{i}, [%sa+{8 * i}];") for i in range(6)]
INS = [("%a", "b128"), ("%b", "b128")]
OUTS = [(f"%x{i}", "b64") for i in range(6)]
WAIT_ALL = ["cp.async.wait_all;"]
WAIT_GROUP = ["cp.async.commit_group;", "cp.async.wait_group 0;"]


def copies(name, parts, statements, registers=()):
    """`parts` are (to, from, size, given); the source is the thread's row, 48 bytes are seen."""
    numbers = Numbers(name)
    rows = []
    for _ in range(4):
        row = [numbers.bits(128) for _ in range(2)]
        source = b"".join(word.to_bytes(16, "little") for word in row)
        data = bytearray(PATTERN.to_bytes(8, "little")) * 6
        for to, start, size, given in parts:
            data[to:to + size] = source[start:start + given].ljust(size, b"\0")
        rows.append((row, [take(data, 8 * i, 8) for i in range(6)]))
    return "cp.async", SOURCE, Form(name, INS, OUTS, PREPARE + [("decl", one) for one in registers]
                                    + [("do", s) for s in statements] + SEEN, rows)


def one(full, size, to, start, given=None, wait=WAIT_ALL):
    last = "" if given is None else f", {given}"
    text = f"{full} [%sa+{to}], [%in+{start}], {size}{last};"
    name = f"{text[:-1]} by {wait[-1][9:-1]}"
    return copies(name, [(to, start, size, size if given is None else given)], [text, *wait])


def sized(full, size, given):
    """The number of bytes that are read is in a register."""
    return copies(f"{full} of {given} of {size} by register", [(16, 16, size, given)], [
        f"mov.b32 %size, {given};", f"{full} [%sa+16], [%in+16], {size}, %size;", *WAIT_ALL],
        [".reg .b32 %size;"])


def ignored(full, size, ignores):
    """A predicate tells to ignore the source."""
    return copies(f"{full} of {size}{' ignored' if ignores else ''} by predicate", [(16, 16, size, 0 if ignores else size)], [
        f"setp.{'ge' if ignores else 'lt'}.s32 %ignores, %lane, 0;",
        f"{full} [%sa+16], [%in+16], {size}, %ignores;", *WAIT_ALL], [".reg .pred %ignores;"])


def forms():
    for space in (".shared.global", ".shared::cta.global"):
        for level, sizes in ((".ca", (4, 8, 16)), (".cg", (16,))):
            for hint in ("", ".L2::64B", ".L2::128B", ".L2::256B"):
                for size in sizes:
                    yield one(f"cp.async{level}{space}{hint}", size, 16, 0)
    for level, size in ((".ca", 4), (".ca", 8), (".ca", 16), (".cg", 16)):
        for given in range(size + 1):
            yield one(f"cp.async{level}.shared.global", size, 16, 16, given, WAIT_GROUP)
    for level, size in ((".ca", 4), (".ca", 8), (".ca", 16), (".cg", 16)):
        for given in range(size + 1):
            yield sized(f"cp.async{level}.shared.global", size, given)
        for ignores in (False, True):
            yield ignored(f"cp.async{level}.shared.global", size, ignores)
    for to, start, size in ((20, 12, 4), (24, 24, 8), (0, 16, 16), (32, 0, 16)):
        yield one("cp.async.ca.shared.global", size, to, start, None, WAIT_GROUP)
    # Two groups, the older waited for first; an empty one; a group of two copies.
    parts = [(0, 0, 16, 16), (16, 16, 8, 8), (24, 28, 4, 4), (40, 20, 4, 3)]
    texts = [f"cp.async.ca.shared.global [%sa+{to}], [%in+{start}], {size}, {given};"
             for to, start, size, given in parts]
    yield copies("cp.async in groups", parts, [
        texts[0], "cp.async.commit_group;", texts[1], texts[2], "cp.async.commit_group;",
        "cp.async.commit_group;", "cp.async.wait_group 2;", texts[3], "cp.async.commit_group;",
        "cp.async.wait_group 0;"])
    # After the older group was waited for, its bytes are there; the younger one does not touch them.
    yield copies("cp.async.wait_group 1", [(0, 0, 16, 16), (32, 0, 16, 16)], [
        texts[0], "cp.async.commit_group;",
        "cp.async.cg.shared.global [%sa+16], [%in+16], 16;", "cp.async.commit_group;",
        "cp.async.wait_group 1;", "ld.shared.b64 %x0, [%sa];", "ld.shared.b64 %x1, [%sa+8];",
        "st.shared.b64 [%sa+32], %x0;", "st.shared.b64 [%sa+40], %x1;", "cp.async.wait_all;",
        "st.shared.b64 [%sa+16], %pattern;", "st.shared.b64 [%sa+24], %pattern;"])

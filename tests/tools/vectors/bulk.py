# SPDX-License-Identifier: Apache-2.0
"""Copies in bulk and asynchronous stores: each thread has a piece of shared memory and an mbarrier object of its own,
and sees what has arrived once the object has counted all bytes, or its groups are done."""
from .form import Form, Numbers
from .memory import take

SOURCE = "PTX ISA, cp.async.bulk, cp.reduce.async.bulk, st.async, red.async: little-endian memory"
PIECE = 64
PREPARE = [("decl", f".shared .align 16 .b8 piece[{32 * PIECE}];"),
           ("decl", ".shared .align 8 .b64 objects[32];"),
           ("decl", ".reg .b32 %sa, %object; .reg .b64 %state; .reg .pred %done;"),
           ("do", "mov.u32 %sa, piece;"), ("do", f"mad.lo.u32 %sa, %lane, {PIECE}, %sa;"),
           ("do", "mov.u32 %object, objects;"), ("do", "mad.lo.u32 %object, %lane, 8, %object;"),
           ("do", "mbarrier.init.shared.b64 [%object], 1;")]
INS = [("%a", "b128"), ("%b", "b128")]
OUTS = [(f"%x{i}", "b64") for i in range(4)]
SIGNALS = "mbarrier::complete_tx::bytes"


def to_shared(at, name):
    return ("do", f"st.shared.b64 [%sa+{at}], {name};")


def copied_in(at=0):
    """The row's operands to shared memory."""
    return [("decl", ".reg .b64 %v;")] + [
        line for i in range(4) for line in (("do", f"ld.global.b64 %v, [%in+{8 * i}];"),
                                            to_shared(at + 8 * i, "%v"))]


def waited(size):
    return [("do", f"mbarrier.arrive.expect_tx.shared.b64 %state, [%object], {size};"),
            ("raw", "WAIT: mbarrier.try_wait.shared.b64 %done, [%object], %state;"),
            ("raw", "@!%done bra WAIT;")]


def seen(place):
    return [("do", f"ld.{place}.b64 %x{i}, [%{'sa' if place == 'shared' else 'scratch'}+{8 * i}];")
            for i in range(4)]


def rows_of(name, result):
    """`result` makes 32 bytes of the row's 32."""
    numbers, rows = Numbers(name), []
    for _ in range(4):
        row = [numbers.bits(128) for _ in range(2)]
        data = result(b"".join(word.to_bytes(16, "little") for word in row))
        rows.append((row, [take(data, 8 * i, 8) for i in range(4)]))
    return rows


def loads():
    for space in (".shared::cluster.global", ".shared::cta.global"):
        for to, start, size in ((0, 0, 32), (16, 0, 16), (0, 16, 16)):
            def result(source, to=to, start=start, size=size):
                data = bytearray(32)
                data[to:to + size] = source[start:start + size]
                return data
            full = f"cp.async.bulk{space}.{SIGNALS} [%sa+{to}], [%in+{start}], {size}"
            lines = PREPARE + [to_shared(8 * i, "0") for i in range(4)]
            lines += [("do", full + ", [%object];")] + waited(size) + seen("shared")
            yield "cp.async.bulk", Form(full, INS, OUTS, lines, rows_of(full, result))
    full = f"cp.async.bulk.shared::cluster.shared::cta.{SIGNALS}"
    lines = PREPARE + copied_in(32) + [("do", full + " [%sa], [%sa+32], 32, [%object];")]
    yield "cp.async.bulk", Form(full, INS, OUTS, lines + waited(32) + seen("shared"),
                                rows_of(full, bytes))


def stores():
    for wait in ("", ".read"):
        full = f"cp.async.bulk.global.shared::cta.bulk_group by wait_group{wait}"
        lines = PREPARE + copied_in()
        lines += [("do", "cp.async.bulk.global.shared::cta.bulk_group [%scratch], [%sa], 32;"),
                  ("do", "cp.async.bulk.commit_group;"), ("do", f"cp.async.bulk.wait_group{wait} 0;")]
        for row in ("global", "commit_group", "wait_group"):
            yield f"cp.async.bulk.{row}", Form(f"{full} of {row}", INS, OUTS,
                                               lines + seen("global"), rows_of(full, bytes))
    full = "cp.async.bulk.prefetch.L2.global"
    lines = PREPARE + copied_in() + [("do", full + " [%in], 32;")]
    yield "cp.async.bulk.prefetch", Form(full, INS, OUTS, lines + seen("shared"),
                                         rows_of(full, bytes))


def combined(operation, kind, old, value):
    bits = int(kind[1:])
    limit, sign = 1 << bits, 1 << (bits - 1)

    def key(v):
        return v - limit if kind[0] == "s" and v & sign else v
    return {"add": lambda: (old + value) % limit, "and": lambda: old & value, "or": lambda: old | value,
            "xor": lambda: old ^ value, "min": lambda: min(old, value, key=key),
            "max": lambda: max(old, value, key=key), "inc": lambda: 0 if old >= value else old + 1,
            "dec": lambda: value if old == 0 or old > value else old - 1}[operation]()


GLOBAL = [("add", ("u32", "s32", "u64")), ("min", ("u32", "s32", "u64", "s64")),
          ("max", ("u32", "s32", "u64", "s64")), ("inc", ("u32",)), ("dec", ("u32",)),
          ("and", ("b32", "b64")), ("or", ("b32", "b64")), ("xor", ("b32", "b64"))]


def halves(operation, kind):
    """The second half of the row is combined with the first."""
    size = int(kind[1:]) // 8

    def result(source):
        data = bytearray(32)
        for at in range(0, 16, size):
            old, value = take(source, at, size), take(source, 16 + at, size)
            data[at:at + size] = combined(operation, kind, old, value).to_bytes(size, "little")
        data[16:] = source[16:]
        return data
    return result


def reductions():
    for operation, kinds in GLOBAL:
        for kind in kinds:
            full = f"cp.reduce.async.bulk.global.shared::cta.bulk_group.{operation}.{kind}"
            lines = PREPARE + copied_in()
            lines += [line for i in range(4) for line in
                      (("do", f"ld.shared.b64 %v, [%sa+{8 * i}];"),
                       ("do", f"st.global.b64 [%scratch+{8 * i}], %v;"))]
            lines += [("do", full + " [%scratch], [%sa+16], 16;"), ("do", "cp.async.bulk.commit_group;"),
                      ("do", "cp.async.bulk.wait_group 0;")]
            yield "cp.reduce.async.bulk", Form(full, INS, OUTS, lines + seen("global"),
                                               rows_of(full, halves(operation, kind)))
            full = f"cp.reduce.async.bulk.shared::cluster.shared::cta.{SIGNALS}.{operation}.{kind}"
            lines = PREPARE + copied_in() + [("do", full + " [%sa], [%sa+16], 16, [%object];")]
            yield "cp.reduce.async.bulk", Form(full, INS, OUTS, lines + waited(16) + seen("shared"),
                                               rows_of(full, halves(operation, kind)))


def from_registers():
    for kind in ("b32", "u32", "s32", "b64", "u64", "s64"):
        size = int(kind[1:]) // 8
        for count in (1, 2, 4) if size == 4 else (1, 2):
            vector = "" if count == 1 else f".v{count}"
            for space in ("", ".weak"):
                full = f"st.async{space}.shared::cluster.{SIGNALS}{vector}.{kind}"
                names = [f"%w{i}" for i in range(count)]
                values = names[0] if count == 1 else "{" + ", ".join(names) + "}"
                lines = PREPARE + copied_in() + [("decl", f".reg .b{8 * size} {', '.join(names)};")]
                lines += [("do", f"ld.global.b{8 * size} {n}, [%in+{16 + size * i}];")
                          for i, n in enumerate(names)]
                lines += [("do", f"{full} [%sa], {values}, [%object];")]

                def result(source, bytes_=size * count):
                    return source[16:16 + bytes_] + source[bytes_:]
                yield "st.async", Form(full, INS, OUTS, lines + waited(size * count) + seen("shared"),
                                       rows_of(full, result))
    for operation, kinds in GLOBAL:
        for kind in kinds:
            size = int(kind[1:]) // 8
            if size == 8 and operation != "add":
                continue
            full = f"red.async.relaxed.cluster.shared::cluster.{SIGNALS}.{operation}.{kind}"
            lines = PREPARE + copied_in() + [("decl", f".reg .b{8 * size} %w;")]
            lines += [("do", f"ld.global.b{8 * size} %w, [%in+16];"),
                      ("do", full + " [%sa], %w, [%object];")]

            def change(source, operation=operation, kind=kind, size=size):
                value = combined(operation, kind, take(source, 0, size), take(source, 16, size))
                return value.to_bytes(size, "little") + source[size:]
            yield "red.async", Form(full, INS, OUTS, lines + waited(size) + seen("shared"),
                                    rows_of(full, change))


def forms():
    for group in (loads, stores, reductions, from_registers):
        for mnemonic, form in group():
            yield mnemonic, SOURCE, form

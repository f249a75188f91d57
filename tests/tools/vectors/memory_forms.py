# SPDX-License-Identifier: Apache-2.0
"""Loads and stores of every type and vector with every modifier: modifiers change no value. All
types of one width share a form's rows."""
from .form import Form, Numbers
from .memory import (SOURCE, braced, holder, load, load_values, named, place, spelled, store,
                     take)

BY_WIDTH = {8: ["b8", "u8", "s8"], 16: ["b16", "u16", "s16"], 32: ["b32", "u32", "s32", "f32"],
            64: ["b64", "u64", "s64", "f64"]}
SHAPES = [(width, vector) for width in BY_WIDTH for vector in (1, 2, 4) if width * vector <= 128]


def full_name(mnemonic, modifiers, kind, vector):
    return f"{mnemonic}{modifiers}{f'.v{vector}' if vector > 1 else ''}.{kind}"


def group_name(mnemonic, modifiers, width, vector, space):
    name = full_name(mnemonic, modifiers, f"({','.join(BY_WIDTH[width])})", vector)
    return name + (f" ({space})" if space.startswith("generic to") else "")


def loaded_groups(mnemonic, modifiers, address, width, vector):
    """Statements that load each type of a width, and their registers."""
    lines, outs = [], []
    for k, kind in enumerate(BY_WIDTH[width]):
        registers = named(vector, f"x{k}_")
        lines.append(("do", f"{full_name(mnemonic, modifiers, kind, vector)} {braced(registers)},"
                      f" [{address}];"))
        outs += [(r, holder(kind)) for r in registers]
    return lines, outs


def expected_groups(data, width, vector):
    return [x for kind in BY_WIDTH[width]
            for x in load_values(data, kind, vector, max(16, width))]


def sample_rows(numbers, words, count=2):
    """Words with set and with clear sign bits."""
    rows = [[numbers.bits(64) for _ in range(words)] for _ in range(count)]
    return [[w | 0x8080808080808080 for w in rows[0]], *rows[1:]]


def load_form(modifiers, space, width, vector, from_input=False, mnemonic="ld"):
    """Words go to memory, or lie there as the row's operands (for memory that no one writes)."""
    prepare, address, suffix = place(space)
    words = max(1, width * vector // 64)
    numbers = Numbers("load forms", modifiers, space, width, vector)
    ins = [(a, "b64") for a in named(words, "a")]
    lines, outs = loaded_groups(mnemonic, modifiers, "%in" if from_input else address, width,
                                vector)
    if not from_input:
        lines = prepare + [("do", f"st{suffix}.b64 [{address}+{8 * i}], {a};")
                           for i, (a, _) in enumerate(ins)] + lines
    rows = []
    for row in sample_rows(numbers, words):
        gap = bytes(8) if from_input else b""  # operands lie 16 bytes apart
        data = b"".join(w.to_bytes(8, "little") + gap for w in row)
        rows.append((row, expected_groups(data, width, vector)))
    return mnemonic, Form(group_name(mnemonic, modifiers, width, vector, space), ins, outs, lines,
                          rows)


def store_form(modifiers, space, width, vector):
    prepare, address, suffix = place(space)
    numbers = Numbers("store forms", modifiers, space, width, vector)
    register, ins = f"b{max(16, width)}", named(vector, "a")
    size = width // 8 * vector
    step = max(8, size)
    lines, outs = list(prepare), []
    for k, kind in enumerate(BY_WIDTH[width]):
        lines += [("do", f"st{suffix}.b64 [{address}+{k * step + i}], 0;")
                  for i in range(0, step, 8)]
        lines.append(("do", f"{full_name('st', modifiers, kind, vector)} [{address}+{k * step}],"
                      f" {braced(ins)};"))
        for i in range(0, step, 8):
            outs.append((f"%x{k}_{i}", "b64"))
            lines.append(("do", f"ld{suffix}.b64 %x{k}_{i}, [{address}+{k * step + i}];"))
    rows = []
    for _ in range(2):
        row = [numbers.bits(max(16, width)) for _ in ins]
        data = b"".join(x.to_bytes(8, "little")[:width // 8] for x in row).ljust(step, b"\0")
        rows.append((row, [take(data, i, 8) for i in range(0, step, 8)] * len(BY_WIDTH[width])))
    return "st", Form(group_name("st", modifiers, width, vector, space),
                      [(a, register) for a in ins], outs, lines, rows)


def modified():
    for space in ("global", "shared", "generic", "generic to shared"):
        s = spelled(space)
        for before in (".volatile", ".weak", ".relaxed.gpu"):
            for width, vector in SHAPES:
                yield load_form(before + s, space, width, vector)
                yield store_form(before + s, space, width, vector)
        for width, vector in SHAPES:
            yield load_form(".acquire.sys" + s, space, width, vector)
            yield store_form(".release.sys" + s, space, width, vector)
        for scope in (".cta", ".cluster", ".gpu", ".sys"):
            for width in BY_WIDTH:
                if scope != ".gpu":
                    yield load_form(".relaxed" + scope + s, space, width, 1)
                    yield store_form(".relaxed" + scope + s, space, width, 1)
                if scope != ".sys":
                    yield load_form(".acquire" + scope + s, space, width, 1)
                    yield store_form(".release" + scope + s, space, width, 1)
    for space in ("global", "generic"):
        for width, vector in SHAPES:
            for operator in (".ca", ".cg", ".cs", ".lu", ".cv"):
                yield load_form(spelled(space) + operator, space, width, vector)
            for operator in (".wb", ".cg", ".cs", ".wt"):
                yield store_form(spelled(space) + operator, space, width, vector)
    for width, vector in SHAPES:
        for operator in (".nc", ".ca.nc", ".cg.nc", ".cs.nc"):
            yield load_form(".global" + operator, "global", width, vector, from_input=True)
        for space in (".global", ""):
            yield load_form(space, "global", width, vector, True, "ldu")


def in_clusters_and_with_priorities():
    for width, vector in SHAPES:
        for name in (".shared::cta", ".shared::cluster"):
            yield load_form(name, "shared", width, vector)
            yield store_form(name, "shared", width, vector)
        for priority in (".L1::evict_normal", ".L1::evict_unchanged", ".L1::evict_first",
                         ".L1::evict_last", ".L1::no_allocate"):
            yield load_form(".global" + priority, "global", width, vector)
            yield store_form(".global" + priority, "global", width, vector)
        for prefetch in (".L2::64B", ".L2::128B", ".L1::evict_last.L2::256B"):
            yield load_form(".global" + prefetch, "global", width, vector)
    for width in BY_WIDTH:
        yield load_form(".mmio.relaxed.sys.global", "global", width, 1)
        yield store_form(".mmio.relaxed.sys.global", "global", width, 1)
    for priority in (".L2::evict_normal", ".L2::evict_first", ".L2::evict_last"):
        for kind, vector in (("b32", 8), ("f32", 8), ("b64", 4), ("f64", 4)):
            yield load(f"ld.global{priority}.v{vector}.{kind}", "global", kind, vector, count=3,
                       target="sm_100a")
            yield store(f"st.global{priority}.v{vector}.{kind}", "global", kind, vector, count=3,
                        target="sm_100a")


def moves_of_vectors():
    for width, vector in SHAPES:
        if vector == 1 or width == 8:
            continue
        numbers = Numbers("mov vectors", width, vector)
        ins, lines, outs = named(vector, "a"), [], []
        for k, kind in enumerate(BY_WIDTH[width]):
            results = named(vector, f"x{k}_")
            lines.append(("do", f"mov.v{vector}.{kind} {braced(results)}, {braced(ins)};"))
            outs += [(r, f"b{width}") for r in results]
        rows = [[numbers.bits(width) for _ in ins] for _ in range(3)]
        yield "mov", Form(group_name("mov", "", width, vector, ""), [(a, f"b{width}") for a in ins],
                          outs, lines, [(row, row * len(BY_WIDTH[width])) for row in rows])


def constants():
    numbers = Numbers("constants")
    table = [numbers.bits(64) | 0x8000800080008080, numbers.bits(64)]
    data = b"".join(word.to_bytes(8, "little") for word in table)
    module = [("global", ".const .align 16 .b64 table[2] = {%s};" % ", ".join(map(hex, table)))]
    for width, vector in SHAPES:
        lines, outs = loaded_groups("ld", ".const", "table", width, vector)
        yield "ld", Form(group_name("ld", ".const", width, vector, "const"), [], outs,
                         module + lines, [((), expected_groups(data, width, vector))])


PASS = (".func (.param .align 16 .b8 r[16]) pass(.param .align 16 .b8 v[16]) { .reg .b64 %s, %t;"
        " ld.param.b64 %s, [v]; ld.param.b64 %t, [v+8]; st.param.b64 [r], %s;"
        " st.param.b64 [r+8], %t; ret; }")


def parameters():
    """Arguments of a function that hands them back; what is stored and loaded has one type."""
    for width, vector in SHAPES:
        register, ins = f"b{max(16, width)}", named(vector, "a")
        lines, outs = [("global", PASS)], []
        for k, kind in enumerate(BY_WIDTH[width]):
            results = named(vector, f"x{k}_")
            lines += [("raw", text) for text in (
                "{ .param .align 16 .b8 i[16]; .param .align 16 .b8 o[16];",
                f"{full_name('st', '.param', kind, vector)} [i], {braced(ins)};",
                "call (o), pass, (i);",
                f"{full_name('ld', '.param', kind, vector)} {braced(results)}, [o]; }}")]
            outs += [(r, register) for r in results]
        numbers = Numbers("parameters", width, vector)
        rows = []
        for row in ([numbers.bits(max(16, width)) | 0x80 for _ in ins],
                    [numbers.bits(max(16, width)) for _ in ins]):
            data = b"".join(x.to_bytes(8, "little")[:width // 8] for x in row)
            rows.append((row, expected_groups(data, width, vector)))
        for mnemonic in ("ld", "st"):
            yield mnemonic, Form(group_name(mnemonic, ".param", width, vector, "param"),
                                 [(a, register) for a in ins], outs, lines, rows)


def forms():
    for group in (modified, in_clusters_and_with_priorities, moves_of_vectors, constants,
                  parameters):
        for mnemonic, form in group():
            yield mnemonic, SOURCE, form

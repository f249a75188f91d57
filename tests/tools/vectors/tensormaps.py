# SPDX-License-Identifier: Apache-2.0
"""Changes of tensor maps. Where a field lies: the words that the code of ptxas 13.0 for sm_90a loads, changes and stores."""
from .form import Form, Numbers

SOURCE = "PTX ISA, tensormap.replace, tensormap.cp_fenceproxy; places of fields: code of ptxas 13.0"
# word, shift, bits, less one
FIELDS = {"rank": [(8, 4, 3, False)],
          "box_dim": [(52, 24, 8, True)] + [(56, 8 * k, 8, True) for k in range(4)],
          "global_dim": [(32 + 4 * k, 0, 32, True) for k in range(5)],
          "element_stride": [(52, 3 * k, 3, True) for k in range(5)]}
CONSTANTS = {"elemtype": [(v, [(7, 4, v)]) for v in (0, 1, 2, 3, 4, 5, 6, 7, 9, 10)] +
             [(11, [(7, 4, 7), (16, 1, 1)])],
             "interleave_layout": [(0, [(11, 2, 0)])],
             "swizzle_mode": [(v, [(13, 2, v), (22, 1, 0)]) for v in range(4)],
             "fill_mode": [(v, [(15, 1, v)]) for v in range(2)]}
WORD, MODES = 0xffffffff, 8
SHARED = [("decl", ".shared .align 128 .b8 maps[4096];"), ("decl", ".reg .b32 %map;"),
          ("do", "mov.u32 %map, maps;"), ("do", "mad.lo.u32 %map, %lane, 128, %map;")]
SPACES = {".global": ([], "%scratch", "global"), "": ([], "%scratch", "global"),
          ".shared::cta": (SHARED, "%map", "shared")}


def inserted(word, value, shift, bits):
    mask = (1 << bits) - 1
    return word & ~(mask << shift) & WORD | (value & mask) << shift


def replaced(name, space, words, statement, ins, rows):
    """The words of the map become %a, %b ..., then those are seen."""
    setup, base, where = SPACES[space]
    outs = [(f"%x{i}", "b32") for i in range(len(words))]
    lines = setup + [("do", f"st.{where}.b32 [{base}+{word}], %{'ab'[i]};") for i, word in enumerate(words)]
    lines += [("do", statement.replace("MAP", base))]
    lines += [("do", f"ld.{where}.b32 %x{i}, [{base}+{word}];") for i, word in enumerate(words)]
    return Form(name, ins, outs, lines, rows, target="sm_90a")


def numbers(name, *bits):
    source = Numbers(name)
    return [[source.bits(b) for b in bits] for _ in range(4)]


def values(space):
    for field, places in FIELDS.items():
        for k, (word, shift, bits, less) in enumerate(places):
            full = f"tensormap.replace.tile.{field}{space}.b1024.b32"
            ordinal = "" if len(places) == 1 else f"{k}, "
            rows = [([old, value], [inserted(old, value - less, shift, bits)])
                    for old, value in numbers(f"{full} {k}", 32, 32)]
            yield replaced(f"{full} {k}", space, [word], f"{full} [MAP], {ordinal}%v;",
                           [("%a", "b32"), ("%v", "b32")], rows)
    full = f"tensormap.replace.tile.global_address{space}.b1024.b64"
    rows = [([a, b, v], [v & WORD, v >> 32]) for a, b, v in numbers(full, 32, 32, 64)]
    yield replaced(full, space, [0, 4], f"{full} [MAP], %v;",
                   [("%a", "b32"), ("%b", "b32"), ("%v", "b64")], rows)
    full = f"tensormap.replace.tile.global_stride{space}.b1024.b64"
    for k in range(4):
        rows = [([a, b, v], [v >> 4 & WORD, inserted(b, v >> 36, 4 * k, 4)])
                for a, b, v in numbers(f"{full} {k}", 32, 32, 64)]
        yield replaced(f"{full} {k}", space, [12 + 4 * k, 28], f"{full} [MAP], {k}, %v;",
                       [("%a", "b32"), ("%b", "b32"), ("%v", "b64")], rows)


def constants(space):
    for field, choices in CONSTANTS.items():
        for constant, parts in choices:
            full = f"tensormap.replace.tile.{field}{space}.b1024.b32"
            rows = []
            for (old,) in numbers(f"{full} {constant}", 32):
                new = old
                for shift, bits, value in parts:
                    new = inserted(new, value, shift, bits)
                rows.append(([old], [new]))
            yield replaced(f"{full} {constant}", space, [MODES], f"{full} [MAP], {constant};",
                           [("%a", "b32")], rows)


def copies():
    """Each lane copies one word, to its own scratch memory."""
    for scope in ("cta", "cluster", "gpu", "sys"):
        full = f"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.{scope}.sync.aligned"
        lines = [("decl", ".shared .align 128 .b8 map[128];"), ("decl", ".reg .b32 %map, %off;"),
                 ("decl", ".reg .b64 %wide;"), ("do", "mov.u32 %map, map;"), ("do", "shl.b32 %off, %lane, 2;"),
                 ("do", "cvt.u64.u32 %wide, %off;"), ("do", "add.u64 %wide, %wide, %scratch;"),
                 ("do", "add.u32 %off, %off, %map;"), ("do", "st.shared.b32 [%off], %a;"),
                 ("do", full + " [%scratch], [%map], 128;"), ("do", "ld.global.b32 %x, [%wide];")]
        rows = [(row, row) for row in numbers(full, 32)]
        yield Form(full, [("%a", "b32")], [("%x", "b32")], lines, rows)


def forms():
    for space in SPACES:
        for group in (values, constants):
            for form in group(space):
                yield "tensormap.replace", SOURCE, form
    for form in copies():
        yield "tensormap.cp_fenceproxy", SOURCE, form

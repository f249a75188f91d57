# SPDX-License-Identifier: Apache-2.0
"""mma and ldmatrix: rows of a form are the lanes of warps, operands the registers of their fragments."""
from .form import ANY_NAN, Form, Numbers
from .matrix_sums import WIDTH, multiply, operands

SOURCE_MMA = "PTX ISA, mma: figures of the fragments; sums are exact and rounded once (QUIRKS.md)"
SOURCE_LDMATRIX = "PTX ISA, ldmatrix: figure of the fragment of an 8x8 matrix"
LANES = range(32)
WARP = {"lanes": "ffffffff"}


# ---- fragments: the places of each register's elements, the lowest first ---------------------
# In all figures a register of A or B has neighbours along k, four lanes the next ones; lane / 4 is the
# row of A and column of B. The registers of A go on by 8 rows, then in depth; those of B in depth.

def places_a(m, k, per, lane):
    return [[(lane // 4 + 8 * block, deep + lane % 4 * per + e) for e in range(per)]
            for deep in range(0, k, 4 * per) for block in range(m // 8)]


def places_b(k, per, lane):
    return [[(deep + lane % 4 * per + e, lane // 4) for e in range(per)]
            for deep in range(0, k, 4 * per)]


def places_c(m, kind, lane):
    pairs = [[(lane // 4 + 8 * block, lane % 4 * 2 + e) for e in range(2)]
             for block in range(m // 8)]
    return pairs if kind == "f16" else [[place] for pair in pairs for place in pair]


def per_register(kind):
    return max(1, 32 // WIDTH[kind])


def packed(elements, places, kind):
    """The registers; of one element that may be any NaN."""
    words = []
    for register in places:
        values = [elements[row][column] for row, column in register]
        if values == [ANY_NAN]:
            words.append(ANY_NAN)
        else:
            words.append(sum(v << WIDTH[kind] * i for i, v in enumerate(values)))
    return words


def registers(letter, words, kind):
    return [(f"%{letter}{i}", "b64" if kind == "f64" else "b32") for i in range(len(words))]


def braced(names):
    return "{" + ", ".join(name for name, _ in names) + "}"


# ---- mma -------------------------------------------------------------------------------------

def mma(shape, kinds, style, modifier=""):
    m, n, k = shape
    d, a, b, c = kinds
    assert n == 8
    full = f"mma.sync.aligned.m{m}n8k{k}.row.col{modifier}.{d}.{a}.{b}.{c}"
    numbers = Numbers(full, style)
    ma, mb, mc = operands(numbers, shape, kinds, style)
    md = multiply(shape, kinds, ma, mb, mc, modifier == ".satfinite")
    rows = []
    for lane in LANES:
        fa = packed(ma, places_a(m, k, per_register(a), lane), a)
        fb = packed(mb, places_b(k, per_register(b), lane), b)
        fc = packed(mc, places_c(m, c, lane), c)
        fd = packed(md, places_c(m, d, lane), d)
        rows.append((fa + fb + fc, fd))
    ra, rb = registers("a", fa, a), registers("b", fb, b)
    rc, rd = registers("c", fc, c), registers("d", fd, d)
    return "mma", Form(f"{full} of {style} numbers", ra + rb + rc, rd,
                       [("do", f"{full} {', '.join(map(braced, (rd, ra, rb, rc)))};")], rows, **WARP)


def float_products():
    for k in (8, 16):
        for sums in (("f16", "f16"), ("f32", "f32")):
            for style in ("whole", "wide", "tiny"):
                yield mma((16, 8, k), (sums[0], "f16", "f16", sums[1]), style)
        for style in ("whole", "wide", "tiny"):
            yield mma((16, 8, k), ("f32", "bf16", "bf16", "f32"), style)
        for kind in ("f16", "bf16"):
            yield mma((16, 8, k), ("f32", kind, kind, "f32"), "special")
    for k in (4, 8):
        for style in ("whole", "wide", "tiny", "special"):
            yield mma((16, 8, k), ("f32", "tf32", "tf32", "f32"), style)
    for shape in ((8, 8, 4), (16, 8, 4), (16, 8, 8), (16, 8, 16)):
        for style in ("whole", "special"):
            yield mma(shape, ("f64",) * 4, style)
        yield mma(shape, ("f64",) * 4, "whole", ".rn")


def integer_products():
    for shape in ((8, 8, 16), (16, 8, 16), (16, 8, 32)):
        for a in ("s8", "u8"):
            for b in ("s8", "u8"):
                for style, modifier in (("small", ""), ("large", ""), ("large", ".satfinite")):
                    yield mma(shape, ("s32", a, b, "s32"), style, modifier)


def saturated():
    """All sums beyond an end of s32, by one lane's share and by all."""
    for modifier in ("", ".satfinite"):
        full = f"mma.sync.aligned.m8n8k16.row.col{modifier}.s32.s8.s8.s32"
        rows = []
        for lane in LANES:
            c = 0x7FFFFF00 if lane < 16 else 0x80000100
            factor = 0x10101010 if lane < 16 else 0xF0F0F0F0  # 16 or -16, by rows of A
            share = 16 * 16 * 16 if lane < 16 else -16 * 16 * 16
            end = 0x7FFFFFFF if lane < 16 else 0x80000000
            result = end if modifier else c + share & 0xFFFFFFFF
            rows.append(((factor, 0x10101010, c, c), (result, result)))
        yield "mma", Form(full + " beyond the ends", [("%a0", "b32"), ("%b0", "b32"), ("%c0", "b32"),
                                                       ("%c1", "b32")],
                          [("%d0", "b32"), ("%d1", "b32")],
                          [("do", f"{full} {{%d0, %d1}}, {{%a0}}, {{%b0}}, {{%c0, %c1}};")], rows,
                          **WARP)


def in_place():
    """D in the registers of C, as loops write it."""
    full = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
    shape, kinds = (16, 8, 16), ("f32", "f16", "f16", "f32")
    ma, mb, mc = operands(Numbers("in place"), shape, kinds, "whole")
    md = multiply(shape, kinds, ma, mb, multiply(shape, kinds, ma, mb, mc))
    rows = []
    for lane in LANES:
        fa = packed(ma, places_a(16, 16, 2, lane), "f16")
        fb = packed(mb, places_b(16, 2, lane), "f16")
        rows.append((fa + fb + packed(mc, places_c(16, "f32", lane), "f32"),
                     packed(md, places_c(16, "f32", lane), "f32")))
    ra, rb = registers("a", fa, "f16"), registers("b", fb, "f16")
    rc, rd = [(f"%c{i}", "b32") for i in range(4)], [(f"%d{i}", "b32") for i in range(4)]
    lines = [("do", f"mov.b32 {d[0]}, {c[0]};") for d, c in zip(rd, rc)]
    lines += 2 * [("do", f"{full} {', '.join(map(braced, (rd, ra, rb, rd)))};")]
    yield "mma", Form(full + " twice into its sums", ra + rb + rc, rd, lines, rows, **WARP)


def by_half_a_warp():
    """All lanes must execute it."""
    for mnemonic, full, words, decl in (
            ("mma", "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32",
             "{%x0, %x1}, {%x0}, {%x1}, {%x0, %x1}", []),
            ("ldmatrix", "ldmatrix.sync.aligned.m8n8.x2.shared.b16", "{%x0, %x1}, [tile]",
             [("decl", ".shared .align 16 .b8 tile[128];")])):
        yield mnemonic, Form(full + " by half a warp", [], [("%x0", "b32"), ("%x1", "b32")],
                             decl + [("do", f"{full} {words};")], [((), ("-", "-"))] * 32,
                             lanes="0000ffff", fault="not executed by all lanes")


# ---- ldmatrix --------------------------------------------------------------------------------

def ldmatrix(count, trans, space):
    """Lane i tells row i % 8 of matrix i / 8; the rows lie in any order."""
    where, operand, convert = {
        "shared": (".shared", "%sa", []), "shared::cta": (".shared::cta", "%sa", []),
        "generic": ("", "%ga", ["cvt.u64.u32 %ga, %sa;", "cvta.shared.u64 %ga, %ga;"])}[space]
    full = f"ldmatrix.sync.aligned.m8n8.x{count}{trans}{where}.b16"
    numbers = Numbers(full)
    stored = [[numbers.bits(16) for _ in range(8)] for _ in LANES]
    order = list(LANES)
    for i in reversed(LANES):  # Fisher and Yates
        j = numbers.below(i + 1)
        order[i], order[j] = order[j], order[i]
    rows = []
    for lane in LANES:
        words = []
        for which in range(count):
            m = [stored[order[8 * which + r]] for r in range(8)]
            pairs = [(lane // 4, lane % 4 * 2 + e) for e in range(2)]
            words.append(sum((m[c][r] if trans else m[r][c]) << 16 * e
                             for e, (r, c) in enumerate(pairs)))
        content = sum(v << 16 * i for i, v in enumerate(stored[lane]))
        rows.append(((content, order[lane]), words))
    outs = [(f"%x{i}", "b32") for i in range(count)]
    lines = [("decl", ".shared .align 16 .b8 tile[512];"), ("decl", ".reg .b32 %sa;"),
             ("decl", ".reg .b64 %ga;"), ("do", "mov.u32 %sa, tile;"),
             ("do", "mad.lo.u32 %sa, %lane, 16, %sa;"), ("do", "st.shared.b128 [%sa], %a;"),
             ("do", "bar.warp.sync -1;"), ("do", "mov.u32 %sa, tile;"),
             ("do", "mad.lo.u32 %sa, %b, 16, %sa;")]
    lines += [("do", text) for text in convert]
    lines += [("do", f"{full} {braced(outs)}, [{operand}];")]
    return "ldmatrix", Form(full, [("%a", "b128"), ("%b", "b32")], outs, lines, rows, **WARP)


def forms():
    for group in (float_products, integer_products, saturated, in_place):
        for mnemonic, form in group():
            yield mnemonic, SOURCE_MMA, form
    for count in (1, 2, 4):
        for trans in ("", ".trans"):
            for space in ("shared", "shared::cta", "generic"):
                mnemonic, form = ldmatrix(count, trans, space)
                yield mnemonic, SOURCE_LDMATRIX, form
    for mnemonic, form in by_half_a_warp():
        yield mnemonic, SOURCE_MMA if mnemonic == "mma" else SOURCE_LDMATRIX, form

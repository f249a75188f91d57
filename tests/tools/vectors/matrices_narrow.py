# SPDX-License-Identifier: Apache-2.0
"""mma of elements of fewer than 16 bits, Volta's m8n8k4, sparse and scaled products; stmatrix and movmatrix. Numbers are
finite and such that all sums are exact; a form's rows are the lanes of a warp."""
import itertools
from fractions import Fraction

from .convert_small import E2M1, E2M3, E3M2, E4M3, E5M2
from .exact import BF16, F16, F32, power_of_two
from .form import ANY_NAN, Form, Numbers
from .matrices import braced, places_a, places_b, places_c

SOURCE = "PTX ISA 9.7.14: figures of the fragments, of metadata and scales; sums are exact (QUIRKS.md)"
SOURCE_GROUP = "PTX ISA 9.7.15.5: fragments of a warp, canonical layouts without swizzling"
SOURCE_MATRIX = "PTX ISA, stmatrix, movmatrix: figure of the fragment of an 8x8 matrix"
LANES = range(32)
WARP = {"lanes": "ffffffff"}
FORMATS = {"e4m3": E4M3, "e5m2": E5M2, "e2m3": E2M3, "e3m2": E3M2, "e2m1": E2M1, "f16": F16,
           "bf16": BF16, "tf32": F32, "f32": F32}
BITS = {"b1": 1, "s4": 4, "u4": 4, "s8": 8, "u8": 8, "e4m3": 8, "e5m2": 8, "e2m3": 8, "e3m2": 8,
        "e2m1": 4, "f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "s32": 32}
FP8, FP864 = ("e4m3", "e5m2"), ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1")


# ---- elements: their bits and their values ---------------------------------------------------

def draw(kind, numbers):
    """An element: (bits, value)."""
    if kind in ("e5m2", "bf16", "tf32", "f16", "f32"):  # few places, so that sums are exact
        value = Fraction(numbers.below(65) - 32, 8 if kind != "f32" else 1)
        bits = FORMATS[kind].round(value)
        return bits, FORMATS[kind].value(bits)
    if kind in FORMATS:
        f = FORMATS[kind]
        bits = numbers.bits(f.bits)
        return (bits & ~3 if kind == "e4m3" and bits & 0x7F == 0x7F else bits, None)
    bits = numbers.bits(BITS[kind])
    signed = kind[0] == "s"
    return bits, bits - (1 << BITS[kind]) if signed and bits >> (BITS[kind] - 1) else bits


def element(kind, numbers):
    bits, value = draw(kind, numbers)
    return bits, FORMATS[kind].value(bits) if value is None else value


def table(rows, columns, kind, numbers):
    return [[element(kind, numbers) for _ in range(columns)] for _ in range(rows)]


def result(kind, value, saturates=False):
    if kind == "s32":
        if saturates:
            value = min(max(value, -1 << 31), (1 << 31) - 1)
        return int(value) & 0xFFFFFFFF
    return FORMATS[kind].round(value)


def term(kind, numbers, wide=False):
    if kind == "s32":
        bits = numbers.bits(32) if wide else numbers.below(4001) - 2000 & 0xFFFFFFFF
        return bits, bits - (1 << 32) if bits >> 31 else bits
    return element(kind, numbers)


def packed(matrix, places, bits):
    """The registers of a lane, from the bits of the elements at these places."""
    return [sum(matrix[row][column][0] << bits * i for i, (row, column) in enumerate(register))
            for register in places]


def registers(letter, words):
    return [(f"%{letter}{i}", "b32") for i in range(len(words))]


def sums(a, b, c, pair=lambda x, y: x * y):
    """Values of A B + C; a row of A: (depth, value) of its elements."""
    return [[sum(pair(x, b[depth][j][1]) for depth, x in row) + c[i][j][1]
             for j in range(len(c[0]))] for i, row in enumerate(a)]


def dense(a):
    return [[(depth, value) for depth, (_, value) in enumerate(row)] for row in a]


# ---- forms -----------------------------------------------------------------------------------

class Product:
    """m x n x k; registers of a lane, results, and what the instruction names behind C."""

    def __init__(self, full, shape, kinds, numbers, in_bytes=False, wide=False):
        self.full, self.shape, self.kinds, self.numbers = full, shape, kinds, numbers
        m, n, k = shape
        d, a, b, c = kinds
        self.bits = {kind: 8 if in_bytes else BITS[kind] for kind in (a, b)}
        self.in_bytes = in_bytes
        self.a, self.b = table(m, k, a, numbers), table(k, n, b, numbers)
        self.c = [[term(c, numbers, wide) for _ in range(n)] for _ in range(m)]

    def held(self, kind, matrix):
        """As registers hold it: of .kind::f8f6f4 an e2m1 lies in bits 2 to 5 of its byte."""
        shift = 2 if self.in_bytes and kind == "e2m1" else 0
        return [[(bits << shift, value) for bits, value in row] for row in matrix]

    def form(self, stored, values, more="", extra=(), inputs=lambda lane: (), modifier=False):
        m, _, k = self.shape
        d, a, b, c = self.kinds
        rows = []
        md = [[(result(d, value, modifier), 0) for value in row] for row in values]
        held_a, held_b = self.held(a, stored), self.held(b, self.b)
        depth = len(stored[0])
        for lane in LANES:
            fa = packed(held_a, places_a(m, depth, 32 // self.bits[a], lane), self.bits[a])
            fb = packed(held_b, places_b(k, 32 // self.bits[b], lane), self.bits[b])
            fc = packed(self.c, places_c(m, c, lane), BITS[c])
            fd = packed(md, places_c(m, d, lane), BITS[d])
            rows.append((fa + fb + fc + list(inputs(lane)), fd))
        ra, rb = registers("a", fa), registers("b", fb)
        rc, rd = registers("c", fc), registers("d", fd)
        text = f"{self.full} {', '.join(map(braced, (rd, ra, rb, rc)))}{more};"
        return "mma", Form(self.full + (f" of{more}" if more else ""), ra + rb + rc + list(extra),
                           rd, [("do", text)], rows, **WARP)


def name(shape, kinds, modifier="", variant="", end=""):
    m, n, k = shape
    return (f"mma{variant}.sync.aligned.m{m}n{n}k{k}.row.col{modifier}."
            f"{'.'.join(kinds)}{end}")


def plain(shape, kinds, modifier="", in_bytes=False, wide=False):
    full = name(shape, kinds, modifier)
    p = Product(full, shape, kinds, Numbers(full), in_bytes, wide)
    return p.form(p.a, sums(dense(p.a), p.b, p.c), modifier=modifier == ".satfinite")


def nibbles():
    for shape in ((8, 8, 32), (16, 8, 32), (16, 8, 64)):
        for a, b in itertools.product(("s4", "u4"), repeat=2):
            yield plain(shape, ("s32", a, b, "s32"))
            yield plain(shape, ("s32", a, b, "s32"), ".satfinite", wide=True)


def bits():
    for shape in ((8, 8, 128), (16, 8, 128), (16, 8, 256)):
        for end, pair in ((".and.popc", lambda x, y: x & y), (".xor.popc", lambda x, y: x ^ y)):
            full = name(shape, ("s32", "b1", "b1", "s32"), end=end)
            p = Product(full, shape, ("s32", "b1", "b1", "s32"), Numbers(full))
            yield p.form(p.a, sums(dense(p.a), p.b, p.c, pair))


def bytes_of_floats():
    for k in (16, 32):
        for a, b, d in itertools.product(FP8, FP8, ("f16", "f32")):
            yield plain((16, 8, k), (d, a, b, d))
    for a, b in itertools.product(FP864, repeat=2):
        yield plain((16, 8, 32), ("f32", a, b, "f32"), ".kind::f8f6f4", True)
    yield plain((16, 8, 32), ("f16", "e3m2", "e2m1", "f16"), ".kind::f8f6f4", True)


def special_bytes():
    """A NaN of e4m3 in row 3 of A; an infinity of e5m2 in column 2 of B, which zeros make a NaN."""
    kinds, shape = ("f32", "e4m3", "e5m2", "f32"), (16, 8, 32)
    full = name(shape, kinds)
    p = Product(full, shape, kinds, Numbers(full, "special"))
    values = sums(dense(p.a), p.b, p.c)
    expected = [[result("f32", v) for v in row] for row in values]
    for i in range(16):
        x = p.a[i][7][1]
        expected[i][2] = ANY_NAN if x == 0 else F32.infinity | (F32.sign_bit if x < 0 else 0)
    expected[3] = [ANY_NAN] * 8
    p.a[3][5], p.b[7][2] = (0xFF, 0), (0x7C, 0)
    rows = []
    for lane in LANES:
        fa = packed(p.a, places_a(16, 32, 4, lane), 8)
        fb = packed(p.b, places_b(32, 4, lane), 8)
        places = [places[0] for places in places_c(16, "f32", lane)]
        rows.append((fa + fb + [p.c[i][j][0] for i, j in places], [expected[i][j] for i, j in places]))
    ra, rb = registers("a", fa), registers("b", fb)
    rc, rd = registers("c", places), registers("d", places)
    yield "mma", Form(full + " of special numbers", ra + rb + rc, rd,
                      [("do", f"{full} {', '.join(map(braced, (rd, ra, rb, rc)))};")], rows, **WARP)


# ---- Volta: lanes i to i + 3 and i + 16 to i + 19 have a product of their own -----------------

def volta_places(letter, kind, layout, lane):
    """Of the elements of a lane, in pairs to a register."""
    member, high = lane % 4, 4 * (lane // 16)
    if letter == "c" and kind == "f32":
        return [[((lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1))] for i in range(8)]
    if letter == "c":
        places = [(member + high, i) for i in range(8)]
    elif letter == "a":
        places = [(member + high, i) if layout == "row" else (i + high, member) for i in range(4)]
    else:
        places = [(member, i + high) if layout == "row" else (i, member + high) for i in range(4)]
    return [places[i:i + 2] for i in range(0, len(places), 2)]


def volta():
    for (d, c), la, lb in itertools.product((("f16", "f16"), ("f32", "f16"), ("f32", "f32")),
                                            ("row", "col"), ("row", "col")):
        full = f"mma.sync.aligned.m8n8k4.{la}.{lb}.{d}.f16.f16.{c}"
        products = [Product(full, (8, 8, 4), (d, "f16", "f16", c), Numbers(full, i))
                    for i in range(4)]
        results = [[[(result(d, v), 0) for v in row] for row in sums(dense(p.a), p.b, p.c)]
                   for p in products]
        rows = []
        for lane in LANES:
            which = lane % 16 // 4
            p = products[which]
            fa = packed(p.a, volta_places("a", "f16", la, lane), 16)
            fb = packed(p.b, volta_places("b", "f16", lb, lane), 16)
            fc = packed(p.c, volta_places("c", c, "", lane), BITS[c])
            fd = packed(results[which], volta_places("c", d, "", lane), BITS[d])
            rows.append((fa + fb + fc, fd))
        ra, rb = registers("a", fa), registers("b", fb)
        rc, rd = registers("c", fc), registers("d", fd)
        yield "mma", Form(full, ra + rb + rc, rd,
                          [("do", f"{full} {', '.join(map(braced, (rd, ra, rb, rc)))};")], rows,
                          **WARP)


# ---- sparse ----------------------------------------------------------------------------------

class Sparsity:
    """Half of each row: two of four elements, of 4-bit ones two of four pairs, of tf32 one of two."""

    def __init__(self, kind, k, bits, numbers, rows=16):
        self.pairs, self.halves = bits == 4, kind == "tf32"
        self.index_bits = 4 if self.halves else 2
        chosen = {True: [(0b0100, (0,)), (0b1110, (1,))],
                  False: [(i | j << 2, (i, j)) for i in range(4) for j in range(i + 1, 4)]}
        self.rows = []  # of each row: its metadata, where its stored elements lie in depth
        step = 2 if self.halves else 8 if self.pairs else 4
        width = 4
        for _ in range(rows):
            word, depths = 0, []
            for chunk in range(k // step):
                code, places = numbers.choice(chosen[self.halves])
                word |= code << width * chunk
                for place in places:
                    if self.pairs:
                        depths += [step * chunk + 2 * place, step * chunk + 2 * place + 1]
                    else:
                        depths.append(step * chunk + place)
            self.rows.append((word, depths))
        self.length = width * (k // step)
        self.by_halves = bits >= 16

    def word(self, lane, selector):
        """What the lane's register holds, as the figures of the metadata show it; None: not read."""
        group, member = lane // 4, lane % 4
        above, below = self.rows[group][0], self.rows[group + 8][0]
        if self.length == 16:
            return above | below << 16 if member == selector else None
        if self.length == 64:
            return (below if member % 2 else above) >> 32 * (member // 2) & 0xFFFFFFFF
        if member // 2 != selector:
            return None
        if self.by_halves:
            at = 16 * (member % 2)
            return (above >> at & 0xFFFF) | (below >> at & 0xFFFF) << 16
        return below if member % 2 else above


def sparse(shape, kinds, selector, variant=".sp", modifier="", in_bytes=False):
    m, _, k = shape
    full = name(shape, kinds, modifier, variant)
    numbers = Numbers(full, selector)
    p = Product(full, shape, kinds, numbers, in_bytes)
    s = Sparsity(kinds[1], k, p.bits[kinds[1]], numbers)
    stored = [[p.a[i][depth] for depth in s.rows[i][1]] for i in range(m)]
    picked = [[(depth, p.a[i][depth][1]) for depth in s.rows[i][1]] for i in range(m)]
    junk = [numbers.bits(32) for _ in LANES]

    def metadata(lane):
        word = s.word(lane, selector)
        return [junk[lane] if word is None else word]
    return p.form(stored, sums(picked, p.b, p.c), f", %e, {selector}", [("%e", "b32")], metadata,
                  modifier == ".satfinite")


def sparse_products():
    for variant in (".sp", ".sp::ordered_metadata"):
        for d in ("f16", "f32"):
            for selector in range(4):
                yield sparse((16, 8, 16), (d, "f16", "f16", d), selector, variant)
            for selector in range(2):
                yield sparse((16, 8, 32), (d, "f16", "f16", d), selector, variant)
        for kind, shape, count in (("bf16", (16, 8, 16), 4), ("bf16", (16, 8, 32), 2),
                                   ("tf32", (16, 8, 8), 4), ("tf32", (16, 8, 16), 2)):
            for selector in range(count):
                yield sparse(shape, ("f32", kind, kind, "f32"), selector, variant)
    for a, b in itertools.product(("s8", "u8"), repeat=2):
        for shape, count in (((16, 8, 32), 2), ((16, 8, 64), 1)):
            for selector in range(count):
                yield sparse(shape, ("s32", a, b, "s32"), selector)
        yield sparse((16, 8, 64), ("s32", a, b, "s32"), 0, modifier=".satfinite")
    for a, b in itertools.product(("s4", "u4"), repeat=2):
        for shape, count in (((16, 8, 64), 2), ((16, 8, 128), 1)):
            for selector in range(count):
                yield sparse(shape, ("s32", a, b, "s32"), selector)
    for a, b in itertools.product(FP8, repeat=2):
        yield sparse((16, 8, 64), ("f32", a, b, "f32"), 0)
    for a, b in itertools.product(FP864, repeat=2):
        yield sparse((16, 8, 64), ("f32", a, b, "f32"), 0, ".sp::ordered_metadata",
                     ".kind::f8f6f4", True)


# ---- scaled by blocks ------------------------------------------------------------------------

def scale_value(kind, bits):
    return power_of_two(bits - 127) if kind == "ue8m0" else E4M3.value(bits)


def scale(kind, numbers):
    return 124 + numbers.below(8) if kind == "ue8m0" else 0x30 + numbers.below(0x18)


def scaled(shape, kinds, modifier, kind, count, where, in_bytes):
    """`count` scales in depth, from byte `where[i][0]` of lane `where[i][1]` of four on: of A the lanes of two
    rows, of B that of a column."""
    m, n, k = shape
    full = name(shape, kinds, modifier, end="." + kind)
    numbers = Numbers(full, *where)
    p = Product(full, shape, kinds, numbers, in_bytes)
    sa = [[scale(kind, numbers) for _ in range(count)] for _ in range(m)]
    sb = [[scale(kind, numbers) for _ in range(count)] for _ in range(n)]
    block = k // count
    a = [[(depth, x * scale_value(kind, sa[i][depth // block]))
          for depth, (_, x) in enumerate(row)] for i, row in enumerate(p.a)]
    b = [[(0, x * scale_value(kind, sb[j][depth // block])) for j, (_, x) in enumerate(row)]
         for depth, row in enumerate(p.b)]
    junk = [(numbers.bits(32), numbers.bits(32)) for _ in LANES]

    def word(scales, byte, others):
        for i, s in enumerate(scales):
            others = others & ~(0xFF << 8 * (byte + i)) | s << 8 * (byte + i)
        return others

    def inputs(lane):
        (byte_a, thread_a), (byte_b, thread_b) = where
        words = list(junk[lane])
        if lane % 4 // 2 == thread_a:
            words[0] = word(sa[lane // 4 + 8 * (lane % 2)], byte_a, words[0])
        if lane % 4 == thread_b:
            words[1] = word(sb[lane // 4], byte_b, words[1])
        return words
    more = ", %e, {{{}, {}}}, %f, {{{}, {}}}".format(*where[0], *where[1])
    return p.form(p.a, sums(a, b, p.c), more, [("%e", "b32"), ("%f", "b32")], inputs)


def scaled_products():
    for i, (a, b) in enumerate(itertools.product(FP864, repeat=2)):
        yield scaled((16, 8, 32), ("f32", a, b, "f32"), ".kind::mxf8f6f4.block_scale", "ue8m0", 1,
                     ((i % 4, i % 2), ((i + 1) % 4, i % 4)), True)
    fp4 = ("f32", "e2m1", "e2m1", "f32")
    for where in (((0, 0), (2, 3)), ((2, 1), (0, 0))):
        yield scaled((16, 8, 64), fp4, ".kind::mxf4.block_scale.scale_vec::2X", "ue8m0", 2, where,
                     False)
        yield scaled((16, 8, 64), fp4, ".kind::mxf4nvf4.block_scale.scale_vec::2X", "ue8m0", 2,
                     where, False)
    for where in (((0, 0), (0, 3)), ((0, 1), (0, 0))):
        yield scaled((16, 8, 64), fp4, ".kind::mxf4nvf4.block_scale.scale_vec::4X", "ue4m3", 4,
                     where, False)


# ---- wgmma: what the first warp does of m64n8k..; tests/programs/wgmma_forms.cu has the rest ------------

def group(kinds, k, adds, sign=1):
    """B lies in shared memory, 16 bytes in depth together, 8 columns, then the next 16 bytes."""
    d, a, b, _ = kinds
    full = f"wgmma.mma_async.sync.aligned.m64n8k{k}.{d}.{a}.{b}"
    numbers = Numbers(full, adds, sign)
    p = Product(full, (16, 8, k), kinds, numbers)
    zero = [[(0, 0)] * 8 for _ in range(16)]
    negated = [[(depth, sign * x) for depth, (_, x) in enumerate(row)] for row in p.a]
    values = sums(negated, p.b, p.c if adds else zero)
    md = [[(result(d, value), 0) for value in row] for row in values]
    wide = BITS[b]
    tile = bytearray(256)
    for depth in range(k):
        for column in range(8):
            at = (depth * wide // 128) * 128 + column * 16 + depth * wide // 8 % 16
            tile[at:at + wide // 8] = p.b[depth][column][0].to_bytes(wide // 8, "little")
    rows = []
    for lane in LANES:
        fa = packed(p.a, places_a(16, k, 32 // p.bits[a], lane), p.bits[a])
        fc = packed(p.c, places_c(16, d, lane), BITS[d])
        fd = packed(md, places_c(16, d, lane), BITS[d])
        rows.append((fa + fc + [int.from_bytes(tile[8 * lane:8 * lane + 8], "little")], fd))
    ra, rc, rd = registers("a", fa), registers("c", fc), registers("d", fd)
    more = "" if d == "s32" else f", {sign}, 1" + (", 0" if a in ("f16", "bf16") else "")
    lines = [("decl", ".shared .align 128 .b8 tile[256];"), ("decl", ".reg .b32 %so;"),
             ("decl", ".reg .b64 %desc;"), ("decl", ".reg .pred %p;"), ("do", "mov.u32 %so, tile;"),
             ("do", "cvt.u64.u32 %desc, %so;"), ("do", "shr.u64 %desc, %desc, 4;"),
             ("do", "or.b64 %desc, %desc, 0x0000001000080000;"),  # LBO 128, SBO 256
             ("do", "mad.lo.u32 %so, %lane, 8, %so;"), ("do", "st.shared.b64 [%so], %t;"),
             ("do", f"setp.eq.u32 %p, 1, {int(adds)};")]
    lines += [("do", f"mov.b32 {x}, {y};") for (x, _), (y, _) in zip(rd, rc)]
    lines += [("do", "bar.warp.sync -1;"),
              ("do", f"{full} {braced(rd)}, {braced(ra)}, %desc, %p{more};")]
    title = full + (" added" if adds else " alone") + (" negated" if sign < 0 else "")
    return "wgmma.mma_async", Form(title, ra + rc + [("%t", "b64")], rd, lines, rows,
                                   target="sm_90a", **WARP)


def groups():
    for adds in (True, False):
        for d, a, k in (("f32", "f16", 16), ("f16", "f16", 16), ("f32", "bf16", 16),
                        ("f32", "tf32", 8)):
            yield group((d, a, a, d), k, adds)
        for a, b in itertools.product(FP8, repeat=2):
            yield group(("f32", a, b, "f32"), 32, adds)
        for a, b in itertools.product(("s8", "u8"), repeat=2):
            yield group(("s32", a, b, "s32"), 32, adds)
    yield group(("f32", "f16", "f16", "f32"), 16, True, -1)


# ---- 8 x 8 halves ----------------------------------------------------------------------------

def stmatrix(count, trans, space):
    """Lane i tells where row i % 8 of matrix i / 8 goes, in any order; each lane then reads 16 bytes."""
    where, operand, convert = {
        "shared": (".shared", "%sa", []), "shared::cta": (".shared::cta", "%sa", []),
        "generic": ("", "%ga", ["cvt.u64.u32 %ga, %sa;", "cvta.shared.u64 %ga, %ga;"])}[space]
    full = f"stmatrix.sync.aligned.m8n8.x{count}{trans}{where}.b16"
    numbers = Numbers(full)
    matrices = [[[numbers.bits(16) for _ in range(8)] for _ in range(8)] for _ in range(count)]
    order = list(LANES)
    for i in reversed(LANES):  # Fisher and Yates
        j = numbers.below(i + 1)
        order[i], order[j] = order[j], order[i]
    lines = [0] * 32
    for which, matrix in enumerate(matrices):
        for r in range(8):
            lines[order[8 * which + r]] = sum(v << 16 * i for i, v in enumerate(matrix[r]))
    rows = []
    for lane in LANES:
        words = []
        for m in matrices:
            pairs = [(lane // 4, lane % 4 * 2 + e) for e in range(2)]
            words.append(sum((m[c][r] if trans else m[r][c]) << 16 * e
                             for e, (r, c) in enumerate(pairs)))
        rows.append((words + [order[lane]], (lines[lane],)))
    ins = [(f"%a{i}", "b32") for i in range(count)]
    text = [("decl", ".shared .align 16 .b8 tile[512];"), ("decl", ".reg .b32 %sa, %so;"),
            ("decl", ".reg .b64 %ga, %z;"), ("do", "mov.u32 %so, tile;"),
            ("do", "mad.lo.u32 %sa, %b, 16, %so;"), ("do", "mad.lo.u32 %so, %lane, 16, %so;"),
            ("do", "mov.b64 %z, 0;"), ("do", "st.shared.v2.b64 [%so], {%z, %z};"),
            ("do", "bar.warp.sync -1;")]
    text += [("do", one) for one in convert]
    text += [("do", f"{full} [{operand}], {braced(ins)};"), ("do", "bar.warp.sync -1;"),
             ("do", "ld.shared.b128 %x, [%so];")]
    return "stmatrix", Form(full, ins + [("%b", "b32")], [("%x", "b128")], text, rows, **WARP)


def movmatrix():
    full = "movmatrix.sync.aligned.m8n8.trans.b16"
    numbers = Numbers(full)
    m = [[numbers.bits(16) for _ in range(8)] for _ in range(8)]
    rows = []
    for lane in LANES:
        r, c = lane // 4, lane % 4 * 2
        rows.append(((m[r][c] | m[r][c + 1] << 16,), (m[c][r] | m[c + 1][r] << 16,)))
    for line, title in ((f"{full} %x, %a;", full),):
        yield "movmatrix", Form(title, [("%a", "b32")], [("%x", "b32")], [("do", line)], rows,
                                **WARP)
    yield "movmatrix", Form(full + " into its source", [("%a", "b32")], [("%x", "b32")],
                            [("do", "mov.b32 %x, %a;"), ("do", f"{full} %x, %x;")], rows, **WARP)


def forms():
    for group in (nibbles, bits, bytes_of_floats, special_bytes, volta, sparse_products, scaled_products):
        for mnemonic, form in group():
            yield mnemonic, SOURCE, form
    for mnemonic, form in groups():
        yield mnemonic, SOURCE_GROUP, form
    for count in (1, 2, 4):
        for trans in ("", ".trans"):
            for space in ("shared", "shared::cta", "generic"):
                yield (stmatrix(count, trans, space)[0], SOURCE_MATRIX,
                       stmatrix(count, trans, space)[1])
    for mnemonic, form in movmatrix():
        yield mnemonic, SOURCE_MATRIX, form

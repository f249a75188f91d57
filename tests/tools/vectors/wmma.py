# SPDX-License-Identifier: Apache-2.0
"""wmma from memory to memory: where the elements of a fragment lie is left open by the PTX ISA, so the
rows are the bytes of the matrices before and after, 16 a lane and register. A few forms look at the
registers, which QUIRKS.md promises."""
from .form import ANY_NAN, Form, Numbers
from .matrices import packed, per_register, places_a, places_b, places_c
from .matrix_sums import FLOATS, WIDTH, matrix, multiply, operands, term

SOURCE = "PTX ISA, wmma: matrices in memory; sums are exact and rounded once (QUIRKS.md)"
LANES = range(32)
CHUNK = 16 * len(LANES)  # bytes that one register of each lane holds
REGIONS = {"a": 0, "b": 2048, "c": 4096, "d": 6144}
FILL = 0xE7E6E5E4E3E2E1E0
LAYOUTS = ("row", "col")
SHAPES_OF_16 = ((16, 16, 16), (32, 8, 16), (8, 32, 16))
# the suffix of wmma, its base address; the suffix of the lanes' own accesses, their address
SPACES = {"shared": (".shared", "%sa", ".shared", "%so"),
          "shared::cta": (".shared::cta", "%sa", ".shared", "%so"),
          "global": (".global", "%ga", ".global", "%go"),
          "generic": ("", "%ga", ".global", "%go"),
          "generic to shared": ("", "%gs", ".shared", "%so")}
PREPARE = [("decl", ".shared .align 128 .b8 tile[8192];"),
           ("decl", ".reg .b32 %sa, %so, %stride; .reg .b64 %ga, %go, %gs, %fill;"),
           ("do", "mov.u32 %sa, tile;"), ("do", "mad.lo.u32 %so, %lane, 16, %sa;"),
           ("do", "cvt.u64.u32 %gs, %sa;"), ("do", "cvta.shared.u64 %gs, %gs;"),
           # the scratch bytes of a warp's lanes follow each other
           ("do", "mul.wide.u32 %ga, %lane, 256;"), ("do", "sub.u64 %ga, %scratch, %ga;"),
           ("do", "mad.wide.u32 %go, %lane, 16, %ga;"), ("do", f"mov.b64 %fill, {FILL:#x};")]


# ---- matrices in memory ----------------------------------------------------------------------

class Stored:
    """A matrix in a space: rows or columns, `padding` elements between them."""

    def __init__(self, role, shape, kind, layout="row", space="shared", padded=False):
        m, n, k = shape
        self.role, self.shape, self.kind, self.layout = role, shape, kind, layout
        self.suffix, self.base, self.own_suffix, self.own = SPACES[space]
        self.space, self.padded = space, padded
        self.rows, self.columns = k if role == "b" else m, k if role == "a" else n
        self.size = WIDTH[kind] // 8
        self.lines, length = ((self.rows, self.columns) if layout == "row" else
                              (self.columns, self.rows))
        self.stride = length + (16 // self.size if padded else 0)
        self.chunks = -(-self.lines * self.stride * self.size // CHUNK)

    def place(self, i, j):
        return (i * self.stride + j if self.layout == "row" else j * self.stride + i) * self.size

    def put(self, elements, data):
        """Writes the elements into the bytes. Returns these, and the places of elements that are any
        NaN."""
        nans = set()
        for i, row in enumerate(elements):
            for j, element in enumerate(row):
                at = self.place(i, j)
                if element is ANY_NAN:
                    nans.add(at)
                else:
                    data[at:at + self.size] = element.to_bytes(self.size, "little")
        return data, nans

    def registers(self):
        """As many as the PTX ISA says: of f16 always 8 for a factor, some of which repeat others."""
        bits = 64 if self.kind == "f64" else 32
        count = self.rows * self.columns * WIDTH[self.kind] // (len(LANES) * bits)
        if self.kind == "f16" and self.role in "ab":
            count = 8
        return bits, [f"%{self.role}{i}" for i in range(count)]

    def declaration(self):
        bits, names = self.registers()
        return [("decl", f".reg .b{bits} {', '.join(names)};")]

    def access(self):
        """load of A, B, C; store of D"""
        fragment = "{" + ", ".join(self.registers()[1]) + "}"
        address = f"[{self.base}+{REGIONS[self.role]}]"
        values = (fragment, address) if self.role != "d" else (address, fragment)
        stride = (f", {'%stride' if self.space == 'global' else self.stride}" if self.padded
                  else "")
        return [("do", f"mov.u32 %stride, {self.stride};"),
                ("do", f"{self.name()} {', '.join(values)}{stride};")]

    def name(self):
        m, n, k = self.shape
        return (f"wmma.{'store' if self.role == 'd' else 'load'}.{self.role}.sync.aligned."
                f"{self.layout}.m{m}n{n}k{k}{self.suffix}.{self.kind}")

    def title(self):
        return (self.name() + (" to shared" if self.space == "generic to shared" else "")
                + (f", stride {self.stride}" if self.padded else ""))


def lanes_of(data, size=16):
    """Each lane's words of its 16 bytes of each chunk."""
    return [[(c + 16 * lane + at, int.from_bytes(data[c + 16 * lane + at:][:size], "little"))
             for c in range(0, len(data), CHUNK) for at in range(0, 16, size)] for lane in LANES]


# ---- forms -----------------------------------------------------------------------------------

def written(sources, contents, numbers):
    """Registers that hold the matrices amid junk, each lane's values, statements that write them."""
    lines, ins, rows = [], [], [[] for _ in LANES]
    for stored, elements in zip(sources, contents):
        data, _ = stored.put(elements, bytearray(
            numbers.below(256) for _ in range(stored.chunks * CHUNK)))
        lines += stored.declaration()
        for c in range(stored.chunks):
            ins.append((f"%in{stored.role}{c}", "b128"))
            lines.append(("do", f"st{stored.own_suffix}.b128 [{stored.own}+"
                          f"{REGIONS[stored.role] + c * CHUNK}], {ins[-1][0]};"))
        for row, words in zip(rows, lanes_of(data)):
            row += [word for _, word in words]
    return ins, rows, lines


def through_memory(mnemonic, name, sources, contents, target, result, middle):
    """`sources` are written to memory and loaded; `middle`; `target` is stored over a pattern."""
    ins, rows, lines = written(sources, contents, Numbers(name, "between"))
    own = range(REGIONS["d"], REGIONS["d"] + target.chunks * CHUNK, CHUNK)
    lines = PREPARE + lines + target.declaration()
    lines += [("do", f"st{target.own_suffix}.v2.b64 [{target.own}+{at}], {{%fill, %fill}};")
              for at in own] + [("do", "bar.warp.sync -1;")]
    for stored in sources:
        lines += stored.access()
    lines += [("do", text) for text in middle] + target.access() + [("do", "bar.warp.sync -1;")]
    data, nans = target.put(result, bytearray(FILL.to_bytes(8, "little")) * (target.chunks * 64))
    size = target.size if nans else 16
    outs = [(f"%x{i}", f"b{8 * size}") for i in range(len(lanes_of(data, size)[0]))]
    places = [at + i for at in own for i in range(0, 16, size)]
    lines += [("do", f"ld{target.own_suffix}.b{8 * size} {x}, [{target.own}+{at}];")
              for (x, _), at in zip(outs, places)]
    expected = [[ANY_NAN if at in nans else word for at, word in words]
                for words in lanes_of(data, size)]
    return mnemonic, SOURCE, Form(name, ins, outs, lines, list(zip(rows, expected)),
                                  lanes="ffffffff")


def mma_name(shape, kinds, layouts, modifier):
    m, n, k = shape
    d, a, b, c = kinds
    types = f".{d}.{c}" if a == "f16" else f".{d}.{a}.{b}.{c}"
    end = modifier + types if modifier == ".rn" else types + modifier
    return f"wmma.mma.sync.aligned.{layouts[0]}.{layouts[1]}.m{m}n{n}k{k}{end}"


def product(mnemonic, name, shape, kinds, stored, style="whole", modifier=""):
    """`stored`: A, B, C and D in memory."""
    a, b, c = operands(Numbers(name), shape, kinds, style)
    result = multiply(shape, kinds, a, b, c, modifier == ".satfinite")
    fragments = ["{" + ", ".join(stored[i].registers()[1]) + "}" for i in (3, 0, 1, 2)]
    full = mma_name(shape, kinds, (stored[0].layout, stored[1].layout), modifier)
    return through_memory(mnemonic, name, stored[:3], (a, b, c), stored[3], result,
                          [f"{full} {', '.join(fragments)};"])


def multiplied(shape, kinds, layouts, style="whole", modifier=""):
    d, a, b, c = kinds
    stored = (Stored("a", shape, a, layouts[0]), Stored("b", shape, b, layouts[1]),
              Stored("c", shape, c), Stored("d", shape, d))
    name = f"{mma_name(shape, kinds, layouts, modifier)} of {style} numbers"
    return product("wmma.mma", name, shape, kinds, stored, style, modifier)


def products():
    pairs = [(a, b) for a in LAYOUTS for b in LAYOUTS]
    for shape in SHAPES_OF_16:
        for layouts in pairs:
            for d in ("f16", "f32"):
                for c in ("f16", "f32"):
                    yield multiplied(shape, (d, "f16", "f16", c), layouts)
            yield multiplied(shape, ("f32", "bf16", "bf16", "f32"), layouts)
            for kind in ("s8", "u8"):
                for modifier in ("", ".satfinite"):
                    yield multiplied(shape, ("s32", kind, kind, "s32"), layouts, "large", modifier)
        for style in ("wide", "tiny"):
            for d in ("f16", "f32"):
                yield multiplied(shape, (d, "f16", "f16", d), LAYOUTS, style)
        for kind in ("f16", "bf16"):
            for style in ("wide", "tiny", "special"):
                if (kind, style) not in (("f16", "wide"), ("f16", "tiny")):
                    yield multiplied(shape, ("f32", kind, kind, "f32"), LAYOUTS, style)
    for layouts in pairs:
        yield multiplied((16, 16, 8), ("f32", "tf32", "tf32", "f32"), layouts)
        yield multiplied((8, 8, 4), ("f64",) * 4, layouts)
    for style in ("wide", "tiny", "special"):
        yield multiplied((16, 16, 8), ("f32", "tf32", "tf32", "f32"), LAYOUTS, style)
    yield multiplied((8, 8, 4), ("f64",) * 4, LAYOUTS, "special")
    yield multiplied((8, 8, 4), ("f64",) * 4, LAYOUTS, "whole", ".rn")


def forms_of_access(kind):
    """Shapes of a factor's type, and the type of its sums."""
    sums = {"f16": "f32", "bf16": "f32", "tf32": "f32", "f64": "f64"}.get(kind, "s32")
    return {"tf32": ((16, 16, 8),), "f64": ((8, 8, 4),)}.get(kind, SHAPES_OF_16), sums


def ways(shape):
    """Layout, space and padding of one matrix: all spaces for a square, two for other shapes."""
    few = [("shared", False), ("global", True)]
    if shape[0] == shape[1]:
        few += [("shared", True), ("shared::cta", False), ("generic", True),
                ("generic to shared", False)]
    return [(layout, *way) for layout in LAYOUTS for way in few]


def loaded_factors():
    """Seen through their product."""
    for kind in ("f16", "bf16", "tf32", "f64", "s8", "u8"):
        shapes, sums = forms_of_access(kind)
        style = "whole" if kind in FLOATS else "small"
        for shape in shapes:
            for role in "ab":
                for how in ways(shape):
                    stored = [Stored("a", shape, kind), Stored("b", shape, kind, "col"),
                              Stored("c", shape, sums), Stored("d", shape, sums)]
                    tested = stored["ab".index(role)] = Stored(role, shape, kind, *how)
                    yield product("wmma.load", tested.title(), shape, (sums, kind, kind, sums),
                                  stored, style)


def sums_moved(mnemonic, shape, kind, load, store):
    """C is loaded and stored as D: its registers are those of D."""
    source, target = Stored("c", shape, kind, *load), Stored("d", shape, kind, *store)
    name = (source if mnemonic == "wmma.load" else target).title()
    numbers = Numbers(mnemonic, name)
    style = "wide" if kind in FLOATS else "large"
    elements = matrix(source.rows, source.columns, lambda: term(kind, numbers, style))
    copies = [f"mov.b{source.registers()[0]} {d}, {c};"
              for d, c in zip(target.registers()[1], source.registers()[1])]
    return through_memory(mnemonic, name, [source], [elements], target, elements, copies)


def moved():
    shapes = {"f16": SHAPES_OF_16, "s32": SHAPES_OF_16, "f32": SHAPES_OF_16 + ((16, 16, 8),),
              "f64": ((8, 8, 4),)}
    for kind in shapes:
        for shape in shapes[kind]:
            for how in ways(shape):
                yield sums_moved("wmma.load", shape, kind, how, ())
                yield sums_moved("wmma.store", shape, kind, (), how)


def registers_of(role, kind, lane):
    """The places of a fragment of m16n16k16, of the mma that make it: QUIRKS.md."""
    if role == "a":
        return places_a(16, 16, per_register(kind), lane)
    tile = places_b(16, per_register(kind), lane) if role == "b" else places_c(16, kind, lane)
    return [[(i, j + right) for i, j in register] for right in (0, 8) for register in tile]


def as_fragments_of_mma():
    """Loaded registers are those of mma; B and C are two of them beside each other."""
    for role, kind in (("a", "f16"), ("a", "bf16"), ("b", "f16"), ("b", "bf16"), ("c", "f16"),
                       ("c", "f32"), ("c", "s32")):
        stored = Stored(role, (16, 16, 16), kind)
        name = stored.title() + " in registers"
        numbers = Numbers(name)
        elements = matrix(16, 16, lambda: numbers.bits(WIDTH[kind]))
        data, _ = stored.put(elements, bytearray(stored.chunks * CHUNK))
        places = [registers_of(role, kind, lane) for lane in LANES]
        names = stored.registers()[1]
        count = len(places[0])  # f16 may have more, which repeat these
        ins = [(f"%in{c}", "b128") for c in range(stored.chunks)]
        lines = PREPARE + [("do", f"st.shared.b128 [%so+{REGIONS[role] + c * CHUNK}], %in{c};")
                           for c in range(stored.chunks)]
        if names[count:]:
            lines.append(("decl", f".reg .b32 {', '.join(names[count:])};"))
        lines += [("do", "bar.warp.sync -1;")] + stored.access()
        rows = [([word for _, word in words], packed(elements, places[lane], kind))
                for lane, words in enumerate(lanes_of(data))]
        yield "wmma.load", SOURCE, Form(name, ins, [(x, "b32") for x in names[:count]], lines, rows,
                                        lanes="ffffffff")


def forms():
    for group in (products, loaded_factors, moved, as_fragments_of_mma):
        yield from group()

# SPDX-License-Identifier: Apache-2.0
"""Moves, loads, stores, addresses and hints. Memory is little-endian; a thread has a piece of its
own in each space."""
from .form import Form, Numbers, registers, simple

SOURCE = "PTX ISA, Data Movement and Conversion Instructions: bytes in little-endian memory"
PIECE = 128  # bytes of a thread in shared memory
ELEMENTS = [k + str(n) for n in (8, 16, 32, 64) for k in "bus"] + ["f32", "f64"]


def bits_of(kind):
    return int(kind[1:])


def holder(kind):
    return f"b{max(16, bits_of(kind))}"


def place(space):
    """Module lines, declarations, statements that make the address, the address, the space's name
    in instructions."""
    shared = [("decl", f".shared .align 32 .b8 piece[{32 * PIECE}];"),
              ("decl", ".reg .b32 %sa; .reg .b64 %ga;"), ("do", "mov.u32 %sa, piece;"),
              ("do", f"mad.lo.u32 %sa, %lane, {PIECE}, %sa;")]
    local = [("decl", f".local .align 32 .b8 piece[{PIECE}];"), ("decl", ".reg .b64 %ga;"),
             ("do", "mov.u64 %ga, piece;")]
    return {
        "global": ([], "%scratch", ".global"),
        "shared": (shared, "%sa", ".shared"),
        "local": (local, "%ga", ".local"),
        "generic": ([], "%scratch", ""),
        "generic to shared": (shared + [("do", "cvt.u64.u32 %ga, %sa;"),
                                        ("do", "cvta.shared.u64 %ga, %ga;")], "%ga", ""),
        "generic to local": (local + [("do", "cvta.local.u64 %ga, %ga;")], "%ga", ""),
    }[space]


def take(data, at, size):
    return int.from_bytes(data[at:at + size], "little")


def braced(names):
    return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"


def named(count, letter):
    return [f"%{letter}{i}" for i in range(count)]


def words_needed(size):
    return (size + 7) // 8


def load_values(data, kind, vector, register_bits):
    """The registers after a load: bytes and halves extended to them."""
    size, values = bits_of(kind) // 8, []
    for i in range(vector):
        value = take(data, i * size, size)
        if kind[0] == "s" and value >> bits_of(kind) - 1:
            value += (1 << register_bits) - (1 << bits_of(kind))
        values.append(value)
    return values


def load(full, space, kind, vector=1, register=None, count=6, more=(), operand="", **extra):
    """Words are put into memory, then loaded as the type says."""
    prepare, address, suffix = place(space)
    register = register or holder(kind)
    words = words_needed(bits_of(kind) // 8 * vector)
    numbers = Numbers("load", full, space, register)
    lines = list(prepare) + [("do", f"st{suffix}.b64 [{address}+{8 * i}], %a{i};")
                             for i in range(words)]
    outs = named(vector, "x")
    lines += [*more, ("do", f"{full} {braced(outs)}, [{address}]{operand};")]
    rows = []
    for i in range(count):
        row = [numbers.bits(64) | (0x8080808080808080 if i == 0 else 0) for _ in range(words)]
        data = b"".join(word.to_bytes(8, "little") for word in row)
        rows.append((row, load_values(data, kind, vector, bits_of(register))))
    name = full + (f" to {register}" if register != holder(kind) else "") + (
        f" ({space})" if space.startswith("generic to") else "")
    return "ld", Form(name, [(a, "b64") for a in named(words, "a")],
                      [(x, register) for x in outs], lines, rows, **extra)


def store(full, space, kind, vector=1, register=None, count=6, more=(), operand="", **extra):
    """A pattern is put into memory, the value stored amid it, and all read back."""
    prepare, address, suffix = place(space)
    register = register or holder(kind)
    size = bits_of(kind) // 8 * vector
    words = words_needed(3 * size)
    numbers = Numbers("store", full, space, register)
    lines = list(prepare) + [("decl", ".reg .b64 %pattern;"),
                             ("do", "mov.b64 %pattern, 0xe7e6e5e4e3e2e1e0;")]
    lines += [("do", f"st{suffix}.b64 [{address}+{8 * i}], %pattern;") for i in range(words)]
    ins = named(vector, "a")
    lines += [*more, ("do", f"{full} [{address}+{size}], {braced(ins)}{operand};")]
    lines += [("do", f"ld{suffix}.b64 %x{i}, [{address}+{8 * i}];") for i in range(words)]
    rows = []
    for _ in range(count):
        row = [numbers.bits(bits_of(register)) for _ in range(vector)]
        data = bytearray(range(0xE0, 0xE8)) * words
        for i, value in enumerate(row):
            step = bits_of(kind) // 8
            data[size + i * step:size + (i + 1) * step] = value.to_bytes(16, "little")[:step]
        rows.append((row, [take(data, 8 * i, 8) for i in range(words)]))
    name = full + (f" of {register}" if register != holder(kind) else "") + (
        f" ({space})" if space.startswith("generic to") else "")
    return "st", Form(name, [(a, register) for a in ins],
                      [(x, "b64") for x in named(words, "x")], lines, rows, **extra)


# ---- mov -------------------------------------------------------------------------------------

def moves():
    for kind in ("b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64"):
        n = bits_of(kind)
        numbers = Numbers("mov", kind)
        rows = [(numbers.bits(n),) for _ in range(4)] + [(0,), ((1 << n) - 1,)]
        yield "mov", simple(f"mov.{kind}", [f"b{n}"], [f"b{n}"], rows, lambda a: a)
    yield "mov", simple("mov.pred", ["pred"], ["pred"], [(0,), (1,)], lambda a: a)
    numbers = Numbers("mov.b128")
    yield "mov", simple("mov.b128", ["b128"], ["b128"], [(numbers.bits(128),) for _ in range(4)],
                        lambda a: a)


def packing():
    """Vectors of registers to one and back; the first element is the lowest."""
    for whole, parts in ((16, 2), (32, 2), (32, 4), (64, 2), (64, 4), (128, 2), (128, 4)):
        n = whole // parts
        numbers = Numbers("pack", whole, parts)
        values = [numbers.bits(whole) for _ in range(5)]
        split = [tuple(v >> n * i & ((1 << n) - 1) for i in range(parts)) for v in values]
        part, names = f"b{n}", named(parts, "p")
        lines = [] if n > 8 else [("decl", f".reg .b8 {', '.join(named(parts, 'q'))};")]
        inner = names if n > 8 else named(parts, "q")
        copies_in = [] if n > 8 else [("do", f"cvt.u8.u16 {q}, {p};") for p, q in zip(names, inner)]
        copies_out = [] if n > 8 else [("do", f"cvt.u16.u8 {p}, {q};") for p, q in zip(names,
                                                                                     inner)]
        held = part if n > 8 else "b16"
        label = "{" + ", ".join([f".{part}"] * parts) + "}"
        yield "mov", Form(f"mov.b{whole} from {label}", [(p, held) for p in names],
                          [("%x", f"b{whole}")],
                          lines + copies_in + [("do", f"mov.b{whole} %x, {braced(inner)};")],
                          [(row, (v,)) for row, v in zip(split, values)])
        yield "mov", Form(f"mov.b{whole} to {label}", [("%a", f"b{whole}")],
                          [(p, held) for p in names],
                          lines + [("do", f"mov.b{whole} {braced(inner)}, %a;")] + copies_out,
                          [((v,), row) for row, v in zip(split, values)])
    yield "mov", simple("mov.b64 to {_, .b32}", ["b64"], ["b32"], [(0x0123456789ABCDEF,)],
                        lambda a: a >> 32, ["mov.b64 {_, %x}, %a;"])


def special_registers():
    """Of a block of 64 threads in x."""
    rows = []
    for thread in range(64):
        lane = thread % 32
        rows.append(((), (lane, 1 << lane, (2 << lane) - 1, (1 << lane) - 1,
                          0xFFFFFFFF & ~((1 << lane) - 1), 0xFFFFFFFF & ~((2 << lane) - 1),
                          thread, 64, 0, 1, 1, 32)))
    sources = ["laneid", "lanemask_eq", "lanemask_le", "lanemask_lt", "lanemask_ge", "lanemask_gt",
               "tid.x", "ntid.x", "ctaid.x", "nctaid.x", "ntid.z"]
    lines = [("do", f"mov.u32 %x{i}, %{s};") for i, s in enumerate(sources)]
    lines += [("do", f"mov.u32 %x{len(sources)}, WARP_SZ;")]
    yield "mov", Form("mov.u32 of special registers", [],
                      [(f"%x{i}", "b32") for i in range(len(sources) + 1)], lines, rows,
                      threads=64)


# ---- ld, st ----------------------------------------------------------------------------------

SPACES = ["global", "shared", "local", "generic", "generic to shared", "generic to local"]


def spelled(space):
    return "" if space.startswith("generic") else "." + space


def plain_accesses():
    for space in SPACES:
        s = spelled(space)
        for kind in ELEMENTS:
            for vector in (1, 2, 4):
                if bits_of(kind) * vector > 128:
                    continue
                v = f".v{vector}" if vector > 1 else ""
                yield load(f"ld{s}{v}.{kind}", space, kind, vector)
                yield store(f"st{s}{v}.{kind}", space, kind, vector)
        yield load(f"ld{s}.b128", space, "b128")
        yield store(f"st{s}.b128", space, "b128")
    for kind, register in ((k, r) for k in ELEMENTS if k[0] in "us" for r in ("b32", "b64")):
        if bits_of(kind) < bits_of(register):
            yield load(f"ld.global.{kind}", "global", kind, register=register)
            yield store(f"st.global.{kind}", "global", kind, register=register)
    for kind, vector in (("b32", 8), ("f32", 8), ("b64", 4), ("s64", 4), ("f64", 4)):
        yield load(f"ld.global.v{vector}.{kind}", "global", kind, vector, target="sm_100a")
        yield store(f"st.global.v{vector}.{kind}", "global", kind, vector, target="sm_100a")


def hinted_accesses():
    """Hints change no value."""
    for more in (".nc.L1::no_allocate", ".nc.L1::evict_last.L2::128B", ".nc.L2::256B",
                 ".L1::evict_first", ".L2::64B"):
        # Read-only data: written by no one in the kernel, so a row's input is loaded.
        yield "ld", Form(f"ld.global{more}.u32", [("%a", "b32")], [("%x", "b32")],
                         [("do", f"ld.global{more}.u32 %x, [%in];")],
                         [((x,), (x,)) for x in (0, 0x12345678, 0xFFFFFFFF)])
    policy = [("decl", ".reg .b64 %policy;"),
              ("do", "createpolicy.fractional.L2::evict_last.b64 %policy, 1.0;")]
    yield load("ld.global.L2::cache_hint.u32", "global", "u32", more=policy, operand=", %policy")
    yield store("st.global.L2::cache_hint.u32", "global", "u32", more=policy, operand=", %policy")
    yield load("ld.relaxed.gpu.global.L1::no_allocate.u64", "global", "u64", count=2)


def constants_and_parameters():
    table = [0x03020100, 0x87868584, 0xFFFFFFFF, 0x00000080]
    lines = [("global", ".const .align 16 .b32 table[4] = {%s};" % ", ".join(map(hex, table))),
             ("decl", ".reg .b64 %t;"), ("do", "mov.u64 %t, table;"),
             ("do", "ld.const.u32 %x, [%t+8];"), ("do", "cvta.const.u64 %t, %t;"),
             ("do", "ld.u32 %y, [%t+4];")]
    yield "ld", Form("ld.const.u32 through a register", [], [("%x", "b32"), ("%y", "b32")], lines,
                     [((), (table[2], table[1]))])
    # The kernel's fifth parameter is the number of rows.
    yield "ld", Form("ld.param.u32", [], [("%x", "b32"), ("%y", "b16")],
                     [("do", "ld.param.u32 %x, [rows];"), ("do", "ld.param.u8 %y, [rows];")],
                     [((), (3, 3))] * 3)
    numbers = Numbers("ldu.b128")
    values = [numbers.bits(128) for _ in range(3)]
    yield "ldu", Form("ldu.global.b128", [("%a", "b128")], [("%x", "b128")],
                      [("do", "ldu.global.b128 %x, [%in];")], [((v,), (v,)) for v in values])


# ---- addresses -------------------------------------------------------------------------------

SHARED = [("decl", f".shared .align 16 .b8 piece[{32 * 16}];"),
          ("decl", ".reg .b32 %sa; .reg .b64 %ga, %la, %ba;"),
          ("do", "mov.u32 %sa, piece;"), ("do", "mad.lo.u32 %sa, %lane, 16, %sa;"),
          ("do", "cvt.u64.u32 %ba, %sa;")]
LOCAL = [("decl", ".local .align 16 .b8 own[16];"), ("do", "mov.u64 %la, own;")]
VALUES = [((x,), (x,)) for x in (0x12345678, 0x9ABCDEF0)]


def addresses():
    """A word written through an address of its space is read through the generic one, and back."""
    for space, address, prepare in (("global", "%scratch", [("decl", ".reg .b64 %ga;")]),
                                    ("shared", "%ba", SHARED), ("local", "%la", SHARED + LOCAL)):
        narrow = "%sa" if space == "shared" else address
        yield "cvta", Form(
            f"cvta.{space}.u64", [("%a", "b32")], [("%x", "b32")],
            prepare + [("do", f"st.{space}.b32 [{narrow}], %a;"),
                       ("do", f"cvta.{space}.u64 %ga, {address};"), ("do", "ld.b32 %x, [%ga];")],
            VALUES)
        yield "cvta", Form(
            f"cvta.to.{space}.u64", [("%a", "b32")], [("%x", "b32"), ("%same", "pred")],
            prepare + [("decl", ".reg .b64 %back;"), ("do", f"cvta.{space}.u64 %ga, {address};"),
                       ("do", "st.b32 [%ga], %a;"), ("do", f"cvta.to.{space}.u64 %back, %ga;"),
                       ("do", f"setp.eq.u64 %same, %back, {address};"),
                       ("do", f"ld.{space}.b32 %x, [%back];")],
            [(row, (*out, 1)) for row, out in VALUES])
    spaces = ["global", "shared", "local", "const", "param", "param::entry", "shared::cta",
              "shared::cluster"]
    module = [("global", ".const .b32 number = 1;")]
    for i, (own, make) in enumerate((("global", "cvta.global.u64 %ga, %scratch;"),
                                     ("shared", "cvta.shared.u64 %ga, %ba;"),
                                     ("local", "cvta.local.u64 %ga, %la;"),
                                     ("const", "cvta.const.u64 %ga, %ca;"))):
        lines = module + SHARED + LOCAL + [("decl", ".reg .b64 %ca;"),
                                           ("do", "mov.u64 %ca, number;"), ("do", make)]
        lines += [("do", f"isspacep.{s} %p{k}, %ga;") for k, s in enumerate(spaces)]
        expected = [int(s.split("::")[0] == own) for s in spaces]
        # Constant memory is in no other window; whether it is global, too, is not said.
        outs = ["-" if own == "const" and s == "global" else e for s, e in zip(spaces, expected)]
        yield "isspacep", Form(f"isspacep.({','.join(spaces)}) of {own}", [],
                               [(p, "pred") for p in named(len(spaces), "p")], lines, [((), outs)])
    yield "cvta", Form("cvta.param.u64", [], [("%x", "b32"), ("%same", "pred")],
                       [("decl", ".reg .b64 %p, %q, %r;"), ("do", "mov.b64 %p, rows;"),
                        ("do", "cvta.param.u64 %q, %p;"), ("do", "ld.b32 %x, [%q];"),
                        ("do", "cvta.to.param.u64 %r, %q;"),
                        ("do", "setp.eq.u64 %same, %p, %r;")], [((), (2, 1))] * 2)
    for kind, name in (("u32", "%sa"), ("u64", "%ba")):
        n = bits_of(kind)
        yield "mapa", Form(f"mapa.shared::cluster.{kind}", [], [("%same", "pred")],
                           SHARED + [("decl", f".reg .b{n} %to;"),
                                     ("do", f"mapa.shared::cluster.{kind} %to, {name}, 0;"),
                                     ("do", f"setp.eq.{kind} %same, %to, {name};")], [((), (1,))])
        yield "getctarank", Form(f"getctarank.shared::cluster.{kind}", [], [("%x", "b32")],
                                 SHARED + [("do",
                                            f"getctarank.shared::cluster.{kind} %x, {name};")],
                                 [((), (0,))])
    yield "mapa", Form("mapa.u64", [("%a", "b32")], [("%x", "b32")],
                       SHARED + [("do", "st.shared.b32 [%sa], %a;"),
                                 ("do", "cvta.shared.u64 %ga, %ba;"),
                                 ("do", "mapa.u64 %ga, %ga, 0;"), ("do", "ld.b32 %x, [%ga];")],
                       VALUES)
    yield "getctarank", Form("getctarank.u64", [], [("%x", "b32")],
                             SHARED + [("do", "cvta.shared.u64 %ga, %ba;"),
                                       ("do", "getctarank.u64 %x, %ga;")], [((), (0,))])


# ---- the stack -------------------------------------------------------------------------------

def stack():
    """Two pieces do not overlap; what follows a restore starts where the saved top was."""
    two_pieces = [("decl", ".reg .b64 %p, %q, %top, %again; .reg .b32 %size;"),
                  ("do", "stacksave.u64 %top;"), ("do", "alloca.u64 %p, 16;"),
                  ("do", "add.u32 %size, %lane, 8;"), ("do", "alloca.u64 %q, 64, 16;"),
                  ("do", "st.local.b32 [%p], %a;"), ("do", "st.local.b32 [%p+12], %b;"),
                  ("do", "st.local.b32 [%q], %b;"), ("do", "st.local.b32 [%q+60], %a;"),
                  ("do", "ld.local.b32 %x, [%p];"), ("do", "ld.local.b32 %y, [%p+12];"),
                  ("do", "ld.local.b32 %z, [%q+60];")]
    restore = [("do", "stackrestore.u64 %top;"), ("do", "alloca.u64 %again, 16;"),
               ("do", "setp.eq.u64 %same, %again, %p;")]
    numbers = Numbers("stack")
    rows = [(numbers.bits(32), numbers.bits(32)) for _ in range(5)]
    for mnemonic, name in (("alloca", "alloca.u64"), ("stacksave", "stacksave.u64"),
                           ("stackrestore", "stackrestore.u64")):
        yield mnemonic, Form(name, registers(["b32", "b32"], "ab"),
                             [("%x", "b32"), ("%y", "b32"), ("%z", "b32"), ("%same", "pred")],
                             two_pieces + restore, [((a, b), (a, b, a, 1)) for a, b in rows])


# ---- hints -----------------------------------------------------------------------------------

def around(mnemonic, name, statements, decl=(), **extra):
    """Instructions without a result: the registers around them stay as they are."""
    lines = [("decl", d) for d in decl] + [("do", "not.b32 %x, %a;")]
    lines += [("do", s) for s in statements] + [("do", "not.b32 %y, %x;")]
    rows = [((x,), (x ^ 0xFFFFFFFF, x)) for x in (0, 0xDEADBEEF)]
    return mnemonic, Form(name, [("%a", "b32")], [("%x", "b32"), ("%y", "b32")], lines, rows,
                          **extra)


def hints():
    for what in (".global.L1", ".global.L2", ".L1", ".L2", ".global.L2::evict_last",
                 ".global.L2::evict_normal"):
        yield around("prefetch", f"prefetch{what}", [f"prefetch{what} [%scratch];"])
    local = [".local .align 4 .b8 own[4];", ".reg .b64 %la;"]
    for level in ("L1", "L2"):
        yield around("prefetch", f"prefetch.local.{level}",
                     ["mov.b64 %la, own;", f"prefetch.local.{level} [%la];"], local)
    yield around("prefetchu", "prefetchu.L1", ["prefetchu.L1 [%scratch];"])
    yield around("discard", "discard.global.L2", ["discard.global.L2 [%scratch], 128;"])
    yield around("discard", "discard.L2", ["discard.L2 [%scratch], 128;"])
    yield around("applypriority", "applypriority.global.L2::evict_normal",
                 ["applypriority.global.L2::evict_normal [%scratch], 128;"])
    policies = [("fractional.L2::evict_first.b64", "0.5"), ("fractional.L2::evict_last.b64", "1.0"),
                ("fractional.L2::evict_normal.b64", "1.0"),
                ("fractional.L2::evict_last.L2::evict_unchanged.b64", "0.25"),
                ("range.global.L2::evict_last.L2::evict_unchanged.b64", "[%scratch], 64, 128")]
    for full, operands in policies:
        text = f"createpolicy.{full} %policy, {operands};"
        yield "createpolicy", Form(
            f"createpolicy.{full}", [("%a", "b32")], [("%x", "b32")],
            [("decl", ".reg .b64 %policy;"), ("do", text),
             ("do", "st.global.L2::cache_hint.b32 [%scratch], %a, %policy;"),
             ("do", "ld.global.L2::cache_hint.b32 %x, [%scratch], %policy;")], VALUES)


def forms():
    for group in (moves, packing, special_registers, plain_accesses, hinted_accesses,
                  constants_and_parameters, addresses, stack, hints):
        for mnemonic, form in group():
            yield mnemonic, SOURCE, form

# SPDX-License-Identifier: Apache-2.0
"""Logic, shifts, bit fields, bytes."""
from .form import Numbers, crossed, picked, simple
from .integers import pairs, random_operands, register, signed, singles, specials, width, wrap

SOURCE = "PTX ISA, Logic and Shift Instructions and bit instructions of Integer Arithmetic"
BOTH = [(0, 0), (0, 1), (1, 0), (1, 1)]


def ones(n):
    return (1 << n) - 1


# ---- logic -----------------------------------------------------------------------------------

def logic():
    operations = [("and", lambda a, b: a & b), ("or", lambda a, b: a | b),
                  ("xor", lambda a, b: a ^ b)]
    for mnemonic, function in operations:
        yield mnemonic, simple(f"{mnemonic}.pred", ["pred", "pred"], ["pred"], BOTH, function)
        for n in (16, 32, 64):
            yield mnemonic, simple(f"{mnemonic}.b{n}", [f"b{n}"] * 2, [f"b{n}"], pairs(n, "logic"),
                                   function)
    yield "not", simple("not.pred", ["pred"], ["pred"], [(0,), (1,)], lambda a: 1 - a)
    for n in (16, 32, 64):
        yield "not", simple(f"not.b{n}", [f"b{n}"], [f"b{n}"], singles(n),
                            lambda a, n=n: ones(n) - a)
        yield "cnot", simple(f"cnot.b{n}", [f"b{n}"], [f"b{n}"], singles(n),
                             lambda a: 1 if a == 0 else 0)


def lop3():
    """Bit i of the table is the result for a, b, c = bits 2, 1, 0 of i."""
    numbers = Numbers("lop3")
    rows = [(0xF0F0F0F0, 0xCCCCCCCC, 0xAAAAAAAA)] + [
        tuple(numbers.bits(32) for _ in range(3)) for _ in range(3)]

    def look_up(table, a, b, c):
        return sum((table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i
                   for i in range(32))
    for first in range(0, 256, 16):
        tables = range(first, first + 16)
        names = [f"%x{t}" for t in tables]
        form = simple(f"lop3.b32 with tables {first} to {first + 15}", ["b32"] * 3, [], rows,
                      lambda a, b, c, tables=tables: tuple(look_up(t, a, b, c) for t in tables),
                      [f"lop3.b32 {x}, %a, %b, %c, {t};" for x, t in zip(names, tables)])
        form.outs = [(x, "b32") for x in names]
        yield "lop3", form
    pool = [0, ones(32), 0x0000FFFF, 1]
    for operation in ("or", "and"):
        def with_predicate(a, b, c, q, operation=operation):
            d = look_up(0x96, a, b, c)
            p = bool(d)
            results = [p or q, p or not q] if operation == "or" else [p and q, p and not q]
            return (d, *[1 if r else 0 for r in results])
        yield "lop3", simple(
            f"lop3.{operation}.b32", ["b32"] * 3 + ["pred"], ["b32", "pred", "pred"],
            crossed(pool, pool, pool[:2], [0, 1]), with_predicate,
            [f"lop3.{operation}.b32 %x|%y, %a, %b, %c, 0x96, %d;",
             f"lop3.{operation}.b32 _|%z, %a, %b, %c, 0x96, !%d;"])


# ---- shifts ----------------------------------------------------------------------------------

def shift_counts(n):
    return [0, 1, n - 1, n, n + 1, 255, 256, 1 << 31, ones(32)]


def shifts():
    """Counts are unsigned words, clamped to the width."""
    for kind in ("b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64"):
        n, r = width(kind), register(kind)
        numbers = Numbers("shift", n)
        rows = crossed(specials(n), shift_counts(n)) + [
            (random_operands(numbers, n), numbers.below(n)) for _ in range(39)]
        if kind[0] == "b":
            yield "shl", simple(f"shl.{kind}", [r, "b32"], [r], rows,
                                lambda a, b, n=n: wrap(a << min(b, n), n))
        if kind[0] == "s":
            yield "shr", simple(f"shr.{kind}", [r, "b32"], [r], rows,
                                lambda a, b, n=n: wrap(signed(a, n) >> min(b, n), n))
        else:
            yield "shr", simple(f"shr.{kind}", [r, "b32"], [r], rows,
                                lambda a, b, n=n: a >> min(b, n))


def funnel_shifts():
    numbers = Numbers("shf")
    pool = [0, 1, ones(32), 1 << 31, 0x12345678]
    rows = crossed(pool[1:4], pool[2:5], shift_counts(32)) + [
        (numbers.bits(32), numbers.bits(32), numbers.below(64)) for _ in range(30)]
    for mode in ("clamp", "wrap"):
        def count(c, mode=mode):
            return min(c, 32) if mode == "clamp" else c & 31
        yield "shf", simple(f"shf.l.{mode}.b32", ["b32"] * 3, ["b32"], rows,
                            lambda a, b, c, f=count: wrap((b << 32 | a) << f(c) >> 32, 32))
        yield "shf", simple(f"shf.r.{mode}.b32", ["b32"] * 3, ["b32"], rows,
                            lambda a, b, c, f=count: wrap((b << 32 | a) >> f(c), 32))


# ---- fields ----------------------------------------------------------------------------------

def extract(a, b, c, n, is_signed):
    """bfe. Position and length are the low bytes of b and c."""
    position, length = b & 255, c & 255
    sign = 0
    if is_signed and length:
        sign = a >> min(position + length - 1, n - 1) & 1
    bits = [a >> position + i & 1 if i < length and position + i < n else sign for i in range(n)]
    return sum(bit << i for i, bit in enumerate(bits))


def insert(a, b, c, d, n):
    """bfi: the low bits of a into b."""
    position, length = c & 255, d & 255
    for i in range(length):
        if position + i < n:
            b = b & ~(1 << position + i) | (a >> i & 1) << position + i
    return b


def field_places(n):
    """Positions and lengths, beyond the width and beyond a byte."""
    values = [0, 1, 8, n - 1, n, n + 1, 255, 256, 0x80000005]
    return crossed(values, values)


def bit_fields():
    for kind in ("u32", "s32", "u64", "s64"):
        n, r = width(kind), register(kind)
        numbers = Numbers("bfe", n)
        rows = [(a, p, q) for a in (0x5A5A5A5A5A5A5A5A & ones(n), ones(n)) for p, q in
                field_places(n)] + [(numbers.bits(n), numbers.below(n), numbers.below(n + 1))
                                    for _ in range(30)]
        yield "bfe", simple(f"bfe.{kind}", [r, "b32", "b32"], [r], rows,
                            lambda a, b, c, n=n, k=kind: extract(a, b, c, n, k[0] == "s"))
    for n in (32, 64):
        numbers = Numbers("bfi", n)
        rows = [(numbers.bits(n), numbers.bits(n), p, q) for p, q in field_places(n)] + [
            (numbers.bits(n), numbers.bits(n), numbers.below(n), numbers.below(n + 1))
            for _ in range(30)]
        yield "bfi", simple(f"bfi.b{n}", [f"b{n}", f"b{n}", "b32", "b32"], [f"b{n}"], rows,
                            lambda a, b, c, d, n=n: insert(a, b, c, d, n))


def extend(a, b, clamps, is_signed):
    """szext: the low b bits, sign- or zero-extended. No bits: 0."""
    if clamps and b >= 32:
        return a
    count = b & 31
    low = a & ones(count)
    sign = is_signed and count and a >> (count - 1) & 1
    return low | (ones(32) ^ ones(count) if sign else 0)


def bit_mask(a, b, clamps):
    """bmsk: b ones from bit a upwards."""
    if clamps:
        a, b = min(a, 32), min(b, 32)
    else:
        a, b = a & 31, b & 31
    return wrap(ones(b) << a, 32)


def masks():
    counts = [0, 1, 2, 8, 31, 32, 33, 64, 255, 1 << 31, ones(32)]
    for mode in ("clamp", "wrap"):
        yield "bmsk", simple(f"bmsk.{mode}.b32", ["b32", "b32"], ["b32"], crossed(counts, counts),
                             lambda a, b, m=mode: bit_mask(a, b, m == "clamp"))
        for kind in ("u32", "s32"):
            yield "szext", simple(f"szext.{mode}.{kind}", ["b32", "b32"], ["b32"],
                                  crossed(specials(32) + [0xA5A5A5A5, 0x5A5A5A5A], counts),
                                  lambda a, b, m=mode, k=kind: extend(a, b, m == "clamp",
                                                                      k == "s32"))


# ---- bytes -----------------------------------------------------------------------------------

# Source bytes of d from its highest to its lowest byte, by the two low bits of c.
PERMUTATIONS = {
    "f4e": ("3210", "4321", "5432", "6543"),
    "b4e": ("5670", "6701", "7012", "0123"),
    "rc8": ("0000", "1111", "2222", "3333"),
    "ecl": ("3210", "3211", "3222", "3333"),
    "ecr": ("0000", "1110", "2210", "3210"),
    "rc16": ("1010", "3232", "1010", "3232"),
}


def permute(a, b, selectors):
    """Selectors of the bytes of d, lowest first; bit 3 replicates the sign of the byte."""
    source, result = a | b << 32, 0
    for i, selector in enumerate(selectors):
        byte = source >> 8 * (selector & 7) & 255
        if selector & 8:
            byte = 255 if byte & 128 else 0
        result |= byte << 8 * i
    return result


def permutations():
    numbers = Numbers("prmt")
    words = [(0x83020100, 0x87060584)] + [(numbers.bits(32), numbers.bits(32)) for _ in range(2)]
    rows = [(a, b, 0x1111 * s) for a, b in words for s in range(16)] + [
        (numbers.bits(32), numbers.bits(32), numbers.bits(32)) for _ in range(40)]
    yield "prmt", simple("prmt.b32", ["b32"] * 3, ["b32"], rows,
                         lambda a, b, c: permute(a, b, [c >> 4 * i & 15 for i in range(4)]))
    counts = [0, 1, 2, 3, 4, 7, 0xFFFFFFFE]
    for mode, table in PERMUTATIONS.items():
        yield "prmt", simple(f"prmt.b32.{mode}", ["b32"] * 3, ["b32"],
                             [(a, b, c) for a, b in words for c in counts],
                             lambda a, b, c, t=table: permute(a, b, [int(x) for x in
                                                                     reversed(t[c & 3])]))


# ---- counts and places of bits ---------------------------------------------------------------

def find_bit(a, n, is_signed):
    """bfind: the highest bit that differs from the sign (0 for unsigned), or all ones."""
    if is_signed and a >> (n - 1):
        a = ones(n) - a
    return a.bit_length() - 1 if a else ones(32)


def counting():
    for n in (32, 64):
        rows = singles(n) + [(1 << i,) for i in range(n)] + [(ones(n) << i & ones(n),)
                                                             for i in range(n)]
        operations = [("popc", lambda a, n: bin(a).count("1"), "b32"),
                      ("clz", lambda a, n: n - a.bit_length(), "b32"),
                      ("brev", lambda a, n: int(f"{a:0{n}b}"[::-1], 2), f"b{n}")]
        for mnemonic, function, result in operations:
            yield mnemonic, simple(f"{mnemonic}.b{n}", [f"b{n}"], [result], rows,
                                   lambda a, n=n, f=function: f(a, n))
        for kind in (f"u{n}", f"s{n}"):
            yield "bfind", simple(f"bfind.{kind}", [f"b{n}"], ["b32"], rows,
                                  lambda a, n=n, k=kind: find_bit(a, n, k[0] == "s"))

            def amount(a, n=n, k=kind):
                place = find_bit(a, n, k[0] == "s")
                return place if place == ones(32) else n - 1 - place
            yield "bfind", simple(f"bfind.shiftamt.{kind}", [f"b{n}"], ["b32"], rows, amount)


def find_nth(mask, base, offset):
    """fns, as the ISA's pseudocode has it."""
    offset = signed(offset, 32)
    if offset == 0:
        return base if mask >> base & 1 else ones(32)
    position, count, step = base, abs(offset) - 1, 1 if offset > 0 else -1
    while 0 <= position < 32:
        if mask >> position & 1:
            if count == 0:
                return position
            count -= 1
        position += step
    return ones(32)


def nth_bits():
    numbers = Numbers("fns")
    masks_ = [0, 1, 1 << 31, ones(32), 0x55555555, 0x80000001]
    rows = crossed(masks_, [0, 1, 15, 31], [0, 1, wrap(-1, 32), 3, wrap(-16, 32), 32])
    rows += [(numbers.bits(32), numbers.below(32), wrap(numbers.below(41) - 20, 32))
             for _ in range(40)]
    rows += picked(numbers, 6, masks_, [3], [0x80000000, 0x7FFFFFFF])
    yield "fns", simple("fns.b32", ["b32"] * 3, ["b32"], rows, find_nth)


def forms():
    for group in (logic, lop3, shifts, funnel_shifts, bit_fields, masks, permutations, counting,
                  nth_bits):
        for mnemonic, form in group():
            yield mnemonic, SOURCE, form

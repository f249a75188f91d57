# SPDX-License-Identifier: Apache-2.0
"""Integer arithmetic. Numbers are taken as the type says, results modulo 2^n."""
from .form import Form, Numbers, crossed, picked, simple

SOURCE = "PTX ISA, Integer Arithmetic Instructions; exact integers modulo 2^n"
ALL = ["u16", "u32", "u64", "s16", "s32", "s64"]


def width(kind):
    return int(kind.lstrip("busfx"))


def register(kind):
    return f"b{width(kind)}"


def is_signed(kind):
    return kind[0] == "s"


def wrap(value, bits):
    return value & ((1 << bits) - 1)


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def number(bits_value, kind):
    """The integer that the bits mean."""
    return signed(bits_value, width(kind)) if is_signed(kind) else bits_value


def limits(kind):
    n = width(kind)
    return (-(1 << (n - 1)), (1 << (n - 1)) - 1) if is_signed(kind) else (0, (1 << n) - 1)


def clamp(value, kind):
    low, high = limits(kind)
    return wrap(min(max(value, low), high), width(kind))


def specials(bits):
    top = 1 << (bits - 1)
    return [0, 1, 2, wrap(-1, bits), wrap(-2, bits), top - 1, top, top + 1, 0x5A % top + 7]


def random_operands(numbers, bits):
    """Of all magnitudes, both signs."""
    value = numbers.bits(bits) >> numbers.below(bits)
    return wrap(-value, bits) if numbers.bits(1) else value


def pairs(bits, *key):
    numbers = Numbers("pairs", bits, *key)
    return crossed(specials(bits), specials(bits)) + [
        (random_operands(numbers, bits), random_operands(numbers, bits)) for _ in range(39)]


def triples(bits, wide=None, count=90):
    """The third operand may be wider."""
    numbers = Numbers("triples", bits, wide)
    pools = [specials(bits), specials(bits), specials(wide or bits)]
    return picked(numbers, count, *pools) + [
        (random_operands(numbers, bits), random_operands(numbers, bits),
         random_operands(numbers, wide or bits)) for _ in range(count // 3)]


def singles(bits):
    numbers = Numbers("singles", bits)
    return [(x,) for x in specials(bits)] + [(random_operands(numbers, bits),) for _ in range(30)]


def binary(mnemonic, name, kind, function, **extra):
    """function(a, b) of integers, result modulo 2^n."""
    n, r = width(kind), register(kind)
    return mnemonic, simple(name, [r, r], [r], pairs(n), lambda a, b: wrap(
        function(number(a, kind), number(b, kind)), n), **extra)


def ternary(mnemonic, name, kind, function, result=None, **extra):
    """function(a, b, c); c and the result may be twice as wide (result=2n bits)."""
    n, r = width(kind), register(kind)
    m = result or n
    wide_kind = kind[0] + str(m)
    return mnemonic, simple(name, [r, r, f"b{m}"], [f"b{m}"], triples(n, m), lambda a, b, c: wrap(
        function(number(a, kind), number(b, kind), number(c, wide_kind)), m), **extra)


# ---- add, sub, mul, mad ----------------------------------------------------------------------

def sums():
    for kind in ALL:
        yield binary("add", f"add.{kind}", kind, lambda a, b: a + b)
        yield binary("sub", f"sub.{kind}", kind, lambda a, b: a - b)
    yield binary("add", "add.sat.s32", "s32", lambda a, b: clamp(a + b, "s32"))
    yield binary("sub", "sub.sat.s32", "s32", lambda a, b: clamp(a - b, "s32"))


def products():
    for kind in ALL:
        n = width(kind)
        yield binary("mul", f"mul.lo.{kind}", kind, lambda a, b: a * b)
        yield binary("mul", f"mul.hi.{kind}", kind, lambda a, b, n=n: a * b >> n)
        yield ternary("mad", f"mad.lo.{kind}", kind, lambda a, b, c: a * b + c)
        yield ternary("mad", f"mad.hi.{kind}", kind, lambda a, b, c, n=n: (a * b >> n) + c)
        if n < 64:
            r = register(kind)
            yield "mul", simple(f"mul.wide.{kind}", [r, r], [f"b{2 * n}"], pairs(n),
                                lambda a, b, k=kind, n=n: wrap(number(a, k) * number(b, k), 2 * n))
            yield ternary("mad", f"mad.wide.{kind}", kind, lambda a, b, c: a * b + c, 2 * n)
    yield ternary("mad", "mad.hi.sat.s32", "s32",
                  lambda a, b, c: clamp((a * b >> 32) + c, "s32"))


def products24():
    """The low 24 bits of each factor; .hi is bits 16 to 47 of the product."""
    for kind in ("u32", "s32"):
        def factor(x, kind=kind):
            x = wrap(x, 24)
            return signed(x, 24) if is_signed(kind) else x
        for part, shift in (("lo", 0), ("hi", 16)):
            yield binary("mul24", f"mul24.{part}.{kind}", kind,
                         lambda a, b, f=factor, s=shift: f(a) * f(b) >> s)
            yield ternary("mad24", f"mad24.{part}.{kind}", kind,
                          lambda a, b, c, f=factor, s=shift: (f(a) * f(b) >> s) + c)
    yield ternary("mad24", "mad24.hi.sat.s32", "s32",
                  lambda a, b, c: clamp((signed(wrap(a, 24), 24) * signed(wrap(b, 24), 24) >> 16)
                                        + c, "s32"))


def quotients():
    """Division truncates towards zero. Division by zero is unspecified; documented choice of this
    project (QUIRKS.md, sem_int.h): all ones, remainder the dividend."""
    def quotient(a, b):
        if b == 0:
            return -1
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)

    def remainder(a, b):
        return a if b == 0 else a - quotient(a, b) * b

    for kind in ALL:
        yield binary("div", f"div.{kind}", kind, quotient)
        yield binary("rem", f"rem.{kind}", kind, remainder)


def others():
    for kind in ALL:
        yield ternary("sad", f"sad.{kind}", kind, lambda a, b, c: abs(a - b) + c)
        yield binary("min", f"min.{kind}", kind, min)
        yield binary("max", f"max.{kind}", kind, max)
        if is_signed(kind):
            n, r = width(kind), register(kind)
            yield "abs", simple(f"abs.{kind}", [r], [r], singles(n),
                                lambda a, k=kind, n=n: wrap(abs(number(a, k)), n))
            yield "neg", simple(f"neg.{kind}", [r], [r], singles(n),
                                lambda a, k=kind, n=n: wrap(-number(a, k), n))
    yield binary("min", "min.relu.s32", "s32", lambda a, b: max(0, min(a, b)))
    yield binary("max", "max.relu.s32", "s32", lambda a, b: max(0, max(a, b)))


# ---- two halves in a register ----------------------------------------------------------------

def by_halves(function, half_kind):
    def both(a, b):
        parts = [wrap(function(number(a >> s & 0xFFFF, half_kind), number(b >> s & 0xFFFF,
                                                                          half_kind)), 16)
                 for s in (0, 16)]
        return parts[0] | parts[1] << 16
    return both


def half_pairs():
    numbers = Numbers("half pairs")
    pool = specials(16)
    rows = [(a | numbers.choice(pool) << 16, b | numbers.choice(pool) << 16)
            for a, b in crossed(pool, pool)]
    return rows + [(numbers.bits(32), numbers.bits(32)) for _ in range(20)]


def packed():
    operations = [("add", "add", lambda a, b: a + b), ("min", "min", min), ("max", "max", max)]
    for half in ("u16", "s16"):
        for mnemonic, name, function in operations:
            yield mnemonic, simple(f"{name}.{half}x2", ["b32", "b32"], ["b32"], half_pairs(),
                                   by_halves(function, half))
    for mnemonic, function in (("min", min), ("max", max)):
        yield mnemonic, simple(f"{mnemonic}.relu.s16x2", ["b32", "b32"], ["b32"], half_pairs(),
                               by_halves(lambda a, b, f=function: max(0, f(a, b)), "s16"))


# ---- carry chains ----------------------------------------------------------------------------

def chain_operands(n):
    """Low words, high words."""
    numbers = Numbers("chain", n)
    return picked(numbers, 80, *[specials(n)] * 4) + [
        tuple(random_operands(numbers, n) for _ in range(4)) for _ in range(20)]


def sum_chains():
    """Three words: x in, carry in, carry in and out. The last word shows the carry."""
    for kind in ("u32", "s32", "u64", "s64"):
        n, r = width(kind), register(kind)
        for first, later, sign in (("add", "addc", 1), ("sub", "subc", -1)):
            def wide(al, ah, bl, bh, n=n, sign=sign):
                total = (al | ah << n) + sign * (bl | bh << n)
                return (wrap(total, n), wrap(total >> n, n), wrap(total >> 2 * n, n))
            statements = [f"{first}.cc.{kind} %x, %a, %c;", f"{later}.cc.{kind} %y, %b, %d;",
                          f"{later}.{kind} %z, 0, 0;"]
            for mnemonic, name in ((first, f"{first}.cc.{kind}"), (later, f"{later}.cc.{kind}")):
                yield mnemonic, simple(f"{name}, {later}.{kind}" if mnemonic == later else name,
                                       [r] * 4, [r] * 3, chain_operands(n), wide, statements)


def product_chains():
    """n x n bits plus 2n bits from the low word on, and a chain that starts with a high word."""
    for kind in ("u32", "s32", "u64", "s64"):
        n, r = width(kind), register(kind)

        def high_word(a, b, n=n, kind=kind):
            return wrap(number(a, kind) * number(b, kind) >> n, n)

        def upwards(a, b, cl, ch, n=n, high_word=high_word):
            low = wrap(a * b, n) + cl
            high = high_word(a, b) + ch + (low >> n)
            return wrap(low, n), wrap(high, n), high >> n

        def downwards(a, b, c, d, n=n, high_word=high_word):
            first = high_word(a, b) + c
            second = wrap(a * b, n) + d + (first >> n)
            third = high_word(a, b) + (second >> n)
            return wrap(first, n), wrap(second, n), wrap(third, n)

        low_first = [f"mad.lo.cc.{kind} %x, %a, %b, %c;", f"madc.hi.cc.{kind} %y, %a, %b, %d;",
                     f"addc.{kind} %z, 0, 0;"]
        high_first = [f"mad.hi.cc.{kind} %x, %a, %b, %c;", f"madc.lo.cc.{kind} %y, %a, %b, %d;",
                      f"madc.hi.{kind} %z, %a, %b, 0;"]
        for mnemonic, name, function, statements in (
                ("mad", "mad.lo.cc", upwards, low_first),
                ("mad", "mad.hi.cc", downwards, high_first),
                ("madc", "madc.hi.cc", upwards, low_first),
                ("madc", "madc.lo.cc, madc.hi", downwards, high_first)):
            yield mnemonic, simple(f"{name}.{kind}", [r] * 4, [r] * 3, chain_operands(n), function,
                                   statements)
        yield "madc", simple(f"madc.lo.{kind}", [r] * 4, [r] * 2, chain_operands(n),
                             lambda a, b, c, d, n=n: (wrap(a + b, n),
                                                      wrap(c * d + (a + b >> n), n)),
                             [f"add.cc.{kind} %x, %a, %b;", f"madc.lo.{kind} %y, %c, %d, 0;"])


# Every operation works on one carry: that out of the top bit. A difference is a + ~b + 1, so that a
# borrow leaves 0, and subc takes one off where the carry is 0. The ISA's words (borrow-out, a - (b +
# CC.CF)) leave that open; ptxas 13.0 says it by the code of IADD3.X and by what it folds:
FOLDED = [  # carry-out instruction, its operands, carry-in instruction, its operands, result
    ("sub.cc", (2, 1), "addc", (0, 0), 1),
    ("sub.cc", (1, 2), "addc", (0, 0), 0),
    ("add.cc", (1, 2), "subc", (16, 0), 15),
    ("add.cc", (0xFFFFFFFF, 2), "subc", (16, 0), 16),
    ("sub.cc", (2, 2), "madc.lo", (3, 3, 0x200), 0x20A),
    ("mad.lo.cc", (0xFFFFFFFF, 1, 5), "subc", (0x300, 0), 0x300)]


def folded_chains():
    for producer, first, consumer, second, result in FOLDED:
        statements = [f"{producer}.u32 %x, {', '.join(map(str, first))};",
                      f"{consumer}.u32 %x, {', '.join(map(str, second))};"]
        name = f"{producer}.u32, {consumer}.u32 as ptxas folds {first} {second}"
        yield consumer.split(".")[0], simple(name, [], ["b32"], [()], lambda r=result: r, statements)


def terms(operation, a, b, c, kind):
    """What an operation adds up, and the carry into it where it reads none."""
    n = width(kind)
    if operation.startswith("sub"):
        return a, wrap(~b, n), 1
    if operation.startswith("mad"):
        product = number(a, kind) * number(b, kind)
        return wrap(product >> n if operation.endswith(".hi") else product, n), c, 0
    return a, b, 0


def step(operation, a, b, c, carry, kind):
    """Result and carry-out."""
    first, second, alone = terms(operation, a, b, c, kind)
    total = first + second + (carry if "c" in operation else alone)
    return wrap(total, width(kind)), total >> width(kind)


PRODUCERS = ["add", "sub", "mad.lo", "mad.hi", "addc", "subc", "madc.lo", "madc.hi"]
CONSUMERS = ["addc", "subc", "madc.lo", "madc.hi"]


def operands_of(operation, names):
    return ", ".join(names[:3 if operation.startswith("mad") else 2])


def chain_of(producer, consumer, kind, consumer_kind):
    """A carry from the start, through the producer, into the consumer."""
    n, m = width(kind), width(consumer_kind)

    def run(a, b, c, d, e, f):
        _, carry = step("sub", c, a, 0, 0, kind)
        x, carry = step(producer, a, b, c, carry, kind)
        y, _ = step(consumer, d, e, f, carry, consumer_kind)
        return x, y
    statements = [f"sub.cc.{kind} %x, %c, %a;",
                  f"{producer}.cc.{kind} %x, {operands_of(producer, ['%a', '%b', '%c'])};",
                  f"{consumer}.{consumer_kind} %y, {operands_of(consumer, ['%d', '%e', '%f'])};"]
    numbers = Numbers("mixed chain", producer, consumer, kind, consumer_kind)
    rows = picked(numbers, 16, *[specials(n)] * 3, *[specials(m)] * 3) + [
        tuple(random_operands(numbers, w) for w in [n] * 3 + [m] * 3) for _ in range(8)]
    return consumer.split(".")[0], simple(
        f"sub.cc, {producer}.cc.{kind}, {consumer}.{consumer_kind}", [f"b{n}"] * 3 + [f"b{m}"] * 3,
        [f"b{n}", f"b{m}"], rows, run, statements)


def mixed_chains():
    for producer in PRODUCERS:
        for consumer in CONSUMERS:
            for kind in ("u32", "s32", "u64", "s64"):
                yield chain_of(producer, consumer, kind, kind)
            yield chain_of(producer, consumer, "u32", "s64")
            yield chain_of(producer, consumer, "s64", "u32")


def guarded_chains():
    """A lane whose guard is false leaves the carry of the instruction before."""
    for first, second in (("add", "sub"), ("sub", "add")):
        def run(a, b, c, d, p, first=first, second=second):
            x, carry = step(first, a, b, 0, 0, "u32")
            if p:
                x, carry = step(second, c, d, 0, 0, "u32")
            return x, carry
        lines = [("raw", f"{first}.cc.u32 %x, %a, %b;"), ("raw", f"@%p {second}.cc.u32 %x, %c, %d;"),
                 ("raw", "addc.u32 %y, 0, 0;")]
        rows = [(*row, i & 1) for i, row in enumerate(chain_operands(32))]
        yield "addc", Form(f"{first}.cc.u32, {second}.cc.u32 under a guard",
                           [(r, "b32") for r in ("%a", "%b", "%c", "%d")] + [("%p", "pred")],
                           [("%x", "b32"), ("%y", "b32")], lines, [(row, run(*row)) for row in rows])


# ---- dot products ----------------------------------------------------------------------------

def fields(value, bits, count, kind, first=0):
    parts = [value >> bits * (first + i) & ((1 << bits) - 1) for i in range(count)]
    return [signed(p, bits) if is_signed(kind) else p for p in parts]


def dot_products():
    numbers = Numbers("dot")
    pool = [0, 0x01010101, 0x7F7F7F7F, 0x80808080, 0xFFFFFFFF, 0x7FFF8000, 0x80FF7F01]
    rows = picked(numbers, 60, pool, pool, specials(32)) + [
        (numbers.bits(32), numbers.bits(32), numbers.bits(32)) for _ in range(30)]
    for a_kind in ("u32", "s32"):
        for b_kind in ("u32", "s32"):
            yield "dp4a", simple(
                f"dp4a.{a_kind}.{b_kind}", ["b32"] * 3, ["b32"], rows,
                lambda a, b, c, p=a_kind, q=b_kind: wrap(c + sum(
                    x * y for x, y in zip(fields(a, 8, 4, p), fields(b, 8, 4, q))), 32))
            for part, first in (("lo", 0), ("hi", 2)):
                yield "dp2a", simple(
                    f"dp2a.{part}.{a_kind}.{b_kind}", ["b32"] * 3, ["b32"], rows,
                    lambda a, b, c, p=a_kind, q=b_kind, first=first: wrap(c + sum(
                        x * y for x, y in zip(fields(a, 16, 2, p), fields(b, 8, 2, q, first))),
                        32))


def forms():
    for group in (sums, products, products24, quotients, others, packed, sum_chains,
                  product_chains, folded_chains, mixed_chains, guarded_chains, dot_products):
        for mnemonic, form in group():
            yield mnemonic, SOURCE, form

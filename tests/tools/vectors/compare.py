# SPDX-License-Identifier: Apache-2.0
"""Comparison and selection."""
from . import exact
from .form import Form, Numbers, crossed, registers, simple
from .integers import number, random_operands, specials
from .operands import FORMATS, few, many, packed, quiet_nan, random_number, signalling_nan, two

SOURCE = "PTX ISA, Comparison and Selection Instructions (with those of half precision)"
SIGNED = ["eq", "ne", "lt", "le", "gt", "ge"]
UNSIGNED = SIGNED + ["lo", "ls", "hi", "hs"]
FLOATS = SIGNED + ["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]
ORDERS = {"eq": (0,), "ne": (-1, 1), "lt": (-1,), "le": (-1, 0), "gt": (1,), "ge": (0, 1),
          "lo": (-1,), "ls": (-1, 0), "hi": (1,), "hs": (0, 1)}
BOOLEANS = {"and": lambda t, c: t & c, "or": lambda t, c: t | c, "xor": lambda t, c: t ^ c}


def operators(kind):
    if kind[0] == "b" and kind[1] != "f":
        return ["eq", "ne"]
    return {"u": UNSIGNED, "s": SIGNED}.get(kind[0], FLOATS)


def holds(operator, order):
    """order: -1, 0, 1, or None for unordered."""
    if operator in ("num", "nan"):
        return int((order is None) == (operator == "nan"))
    if order is None:
        return int(operator.endswith("u"))
    name = operator[:2] if operator in FLOATS else operator
    return int(order in ORDERS[name])


def order_of(kind, ftz):
    """A function that orders two operands of a type."""
    if kind in FORMATS:
        f = FORMATS[kind]
        flush = f.flush if ftz else (lambda x: x)
        return lambda a, b: exact.compare(f, flush(a), flush(b))
    as_number = (lambda x: x) if kind[0] == "b" else (lambda x: number(x, kind))
    return lambda a, b: (as_number(a) > as_number(b)) - (as_number(a) < as_number(b))


def width(kind):
    return FORMATS[kind].bits if kind in FORMATS else int(kind[1:])


def comparison_pairs(kind, dense=True):
    numbers = Numbers("compare", kind)
    if kind in FORMATS:
        f = FORMATS[kind]
        pool = few(f)
        some = [x for x in pool if x not in (f.smallest_normal, f.largest)]
        rows = crossed(some, some) if dense else [(x, pool[(3 * i + j) % len(pool)]) for i, x in
                                                  enumerate(pool) for j in (0, 5)]
        rows += [(signalling_nan(f), f.one), (f.one, signalling_nan(f)),
                 (quiet_nan(f), quiet_nan(f))]
        rows += [(x, x) for x in (f.one, f.largest, f.infinity)]
        rows += [(random_number(f, numbers), random_number(f, numbers)) for _ in range(8)]
        return rows
    n = width(kind)
    pool = specials(n)
    rows = crossed(pool, pool) if dense else [(x, pool[(i + j) % len(pool)]) for i, x in
                                              enumerate(pool) for j in (0, 1, 4)]
    return rows + [(random_operands(numbers, n), random_operands(numbers, n)) for _ in range(10)]


def with_predicate(rows):
    """A third operand, true in half of the rows."""
    numbers = Numbers("third", len(rows))
    return [(*row, numbers.bits(1)) for row in rows]


# ---- setp ------------------------------------------------------------------------------------

def setp(operator, kind, ftz=""):
    """Plain, then with each Boolean operation; q gets the inverse comparison. Floats of 16 bits
    have no q."""
    order = order_of(kind, ftz)
    full = f"{ftz}.{kind}"
    has_q = kind not in ("f16", "bf16")
    statements, functions = [f"setp.{operator}{full} %x, %a, %b;"], [lambda t, c: t]
    for i, (name, boolean) in enumerate(BOOLEANS.items()):
        negate = "!" if name == "xor" else ""
        flip = 1 if negate else 0
        target = f"%p{i}|%q{i}" if has_q else f"%p{i}"
        statements.append(f"setp.{operator}.{name}{full} {target}, %a, %b, {negate}%c;")
        functions.append(lambda t, c, f=boolean, flip=flip: f(t, c ^ flip))
        if has_q:
            functions.append(lambda t, c, f=boolean, flip=flip: f(1 - t, c ^ flip))
    outs = ["%x"] + [f"%{letter}{i}" for i in range(3) for letter in ("pq" if has_q else "p")]

    def row(a, b, c):
        t = holds(operator, order(a, b))
        return tuple(f(t, c) for f in functions)
    rows = with_predicate(comparison_pairs(kind))
    kinds = [f"b{width(kind)}"] * 2 + ["pred"]
    return Form(f"setp.{operator}{full}", registers(kinds, "abc"), [(o, "pred") for o in outs],
                [("do", s) for s in statements], [(r, row(*r)) for r in rows])


def setp_packed(operator, kind, ftz=""):
    """p is for the lower half, q for the upper."""
    order = order_of(kind, ftz)
    full = f"{ftz}.{kind}x2"
    statements = [f"setp.{operator}{full} %x|%y, %a, %b;",
                  f"setp.{operator}.and{full} %z|%w, %a, %b, %c;",
                  f"setp.{operator}.or{full} %p|%q, %a, %b, !%c;",
                  f"setp.{operator}.xor{full} %r|%s, %a, %b, %c;"]

    def row(a, b, c):
        t = [holds(operator, order(x, y)) for x, y in zip(two(a, 16), two(b, 16))]
        return (*t, t[0] & c, t[1] & c, t[0] | 1 - c, t[1] | 1 - c, t[0] ^ c, t[1] ^ c)
    rows = with_predicate(packed(comparison_pairs(kind), 16))
    return Form(f"setp.{operator}{full}", registers(["b32", "b32", "pred"], "abc"),
                [("%" + o, "pred") for o in "xyzwpqrs"], [("do", s) for s in statements],
                [(r, row(*r)) for r in rows])


def setps():
    for kind in ("b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64",
                 "f16", "bf16"):
        for operator in operators(kind):
            for ftz in ("", ".ftz") if kind in ("f32", "f16") else ("",):
                yield "setp", setp(operator, kind, ftz)
    for kind, ftz in (("f16", ""), ("f16", ".ftz"), ("bf16", "")):
        for operator in FLOATS:
            yield "setp", setp_packed(operator, kind, ftz)


# ---- set -------------------------------------------------------------------------------------

TRUE = {"u32": 0xFFFFFFFF, "s32": 0xFFFFFFFF, "f32": 0x3F800000, "u16": 0xFFFF, "s16": 0xFFFF,
        "f16": 0x3C00, "bf16": 0x3F80}


def destinations(kind, ftz):
    """Result types of set. Only floating-point operands take .ftz."""
    if kind == "f16":
        return ["u16", "s16", "u32", "s32", "f16"]
    if kind == "bf16":
        return ["u16", "s16", "u32", "s32", "bf16"]
    return ["u32", "s32", "f32", "f16"] + ([] if ftz else ["bf16"])


def set_form(operator, kind, ftz=""):
    order = order_of(kind, ftz)
    results = destinations(kind, ftz)
    statements, outs, functions = [], [], []
    for i, result in enumerate(results):
        full = f"{ftz}.{result}.{kind}"
        statements.append(f"set.{operator}{full} %x{i}, %a, %b;")
        functions.append(lambda t, c, true=TRUE[result]: true if t else 0)
        name = list(BOOLEANS)[i % 3]
        statements.append(f"set.{operator}.{name}{full} %y{i}, %a, %b, {'!' * (i & 1)}%c;")
        functions.append(lambda t, c, true=TRUE[result], f=BOOLEANS[name], flip=i & 1:
                         true if f(t, c ^ flip) else 0)
        bits = 16 if result.endswith("16") else 32
        outs += [(f"%x{i}", f"b{bits}"), (f"%y{i}", f"b{bits}")]

    def row(a, b, c):
        t = holds(operator, order(a, b))
        return tuple(f(t, c) for f in functions)
    rows = with_predicate(comparison_pairs(kind, dense=False))
    kinds = [f"b{width(kind)}"] * 2 + ["pred"]
    return Form(f"set.{operator}{ftz}.({','.join(results)}).{kind}", registers(kinds, "abc"), outs,
                [("do", s) for s in statements], [(r, row(*r)) for r in rows])


def set_packed(operator, kind, ftz=""):
    """Each half of the result stands for a half of the operands."""
    order = order_of(kind, ftz)
    statements, outs = [], []
    results = [(f"{kind}x2", TRUE[kind]), ("u32", 0xFFFF), ("s32", 0xFFFF)]
    for i, (result, _) in enumerate(results):
        full = f"{ftz}.{result}.{kind}x2"
        name = list(BOOLEANS)[i]
        statements += [f"set.{operator}{full} %x{i}, %a, %b;",
                       f"set.{operator}.{name}{full} %y{i}, %a, %b, %c;"]
        outs += [(f"%x{i}", "b32"), (f"%y{i}", "b32")]

    def row(a, b, c):
        t = [holds(operator, order(x, y)) for x, y in zip(two(a, 16), two(b, 16))]
        words = []
        for (_, true), boolean in zip(results, BOOLEANS.values()):
            words.append((true if t[0] else 0) | (true if t[1] else 0) << 16)
            low, high = boolean(t[0], c), boolean(t[1], c)
            words.append((true if low else 0) | (true if high else 0) << 16)
        return tuple(words)
    rows = with_predicate(packed(comparison_pairs(kind, dense=False), 16))
    return Form(f"set.{operator}{ftz}.({kind}x2,u32,s32).{kind}x2",
                registers(["b32", "b32", "pred"], "abc"), outs, [("do", s) for s in statements],
                [(r, row(*r)) for r in rows])


def sets():
    for kind in ("b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64",
                 "f16", "bf16"):
        for operator in operators(kind):
            for ftz in ("", ".ftz") if kind in ("f32", "f16") else ("",):
                yield "set", set_form(operator, kind, ftz)
    for kind, ftz in (("f16", ""), ("f16", ".ftz"), ("bf16", "")):
        for operator in FLOATS:
            yield "set", set_packed(operator, kind, ftz)


# ---- selection -------------------------------------------------------------------------------

ANY_TYPE = ["b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64"]


def selections():
    for kind in ANY_TYPE:
        n = int(kind[1:])
        numbers = Numbers("select", kind)
        values = [(numbers.bits(n), numbers.bits(n)) for _ in range(8)]
        yield "selp", simple(f"selp.{kind}", [f"b{n}"] * 2 + ["pred"], [f"b{n}"] * 2,
                             [(a, b, p) for a, b in values for p in (0, 1)],
                             lambda a, b, p: (a, b) if p else (b, a),
                             [f"selp.{kind} %x, %a, %b, %c;", f"selp.{kind} %y, %a, %b, !%c;"])
        thirds = {"s32": specials(32), "f32": many(exact.F32)}
        for third, ftz in (("s32", ""), ("f32", ""), ("f32", ".ftz")):
            def select(a, b, c, third=third, ftz=ftz):
                order = order_of(third, ftz)(c, 0)
                return a if holds("ge", order) else b
            rows = [(*numbers.choice(values), c) for c in thirds[third]]
            yield "slct", simple(f"slct{ftz}.{kind}.{third}", [f"b{n}", f"b{n}", "b32"], [f"b{n}"],
                                 rows, select)


def classes(f, x):
    """The answers of testp; zeros count as normal."""
    special = f.is_inf(x) or f.is_nan(x)
    return {"finite": not special, "infinite": f.is_inf(x), "number": not f.is_nan(x),
            "notanumber": f.is_nan(x), "normal": not special and not f.is_subnormal(x),
            "subnormal": f.is_subnormal(x)}


def tests_of_numbers():
    for kind in ("f32", "f64"):
        f, r = FORMATS[kind], f"b{FORMATS[kind].bits}"
        for question in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            yield "testp", simple(f"testp.{question}.{kind}", [r], ["pred"],
                                  [(x,) for x in many(f)],
                                  lambda a, f=f, q=question: int(classes(f, a)[q]))
        yield "copysign", simple(f"copysign.{kind}", [r, r], [r], crossed(many(f)[::3], many(f)),
                                 lambda a, b, f=f: a & f.sign_bit | f.magnitude(b))


def forms():
    for group in (setps, sets, selections, tests_of_numbers):
        for mnemonic, form in group():
            yield mnemonic, SOURCE, form

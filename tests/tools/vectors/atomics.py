# SPDX-License-Identifier: Apache-2.0
"""atom and red: the memory before, the operands, the memory after, and the old value."""
from . import exact
from .exact import BF16, F16, F32, F64
from .floats import extreme
from .form import Form, Numbers, crossed
from .integers import number, random_operands, specials, wrap
from .memory import braced, named, place
from .operands import few, random_number

SOURCE = "PTX ISA, atom and red; arithmetic as in the instructions of the same names"
FLOATS = {"f16": (F16, 1), "f16x2": (F16, 2), "bf16": (BF16, 1), "bf16x2": (BF16, 2),
          "f32": (F32, 1), "f64": (F64, 1)}
SPACES = ("global", "shared", "generic")


def width(kind):
    if kind in FLOATS:
        f, lanes = FLOATS[kind]
        return f.bits * lanes
    return int(kind[1:])


def float_sum(f, flushes):
    """f32 in global memory flushes subnormal operands and results, says the ISA."""
    def add(old, b):
        if flushes:
            old, b = f.flush(old), f.flush(b)
        result = exact.add(f, old, b)
        return f.flush(result) if flushes else result
    return add


def in_halves(function):
    return lambda old, b: (function(old & 0xFFFF, b & 0xFFFF)
                           | function(old >> 16, b >> 16) << 16)


def operation(name, kind, space):
    """new value = f(old, b)."""
    n = width(kind)
    if kind in FLOATS:
        f, lanes = FLOATS[kind]
        if name == "add":
            function = float_sum(f, kind == "f32" and space != "shared")
        else:
            function = extreme(f, name == "min")
        return in_halves(function) if lanes == 2 else function
    return {
        "and": lambda old, b: old & b, "or": lambda old, b: old | b, "xor": lambda old, b: old ^ b,
        "exch": lambda old, b: b, "add": lambda old, b: wrap(old + b, n),
        "inc": lambda old, b: 0 if old >= b else old + 1,
        "dec": lambda old, b: b if old == 0 or old > b else old - 1,
        "min": lambda old, b: min(old, b, key=lambda x: number(x, kind)),
        "max": lambda old, b: max(old, b, key=lambda x: number(x, kind)),
    }[name]


def pairs(kind, count):
    n = width(kind)
    numbers = Numbers("atomic", kind)
    if kind in FLOATS:
        f, lanes = FLOATS[kind]
        rows = crossed(few(f), few(f)) + [(random_number(f, numbers, -4, 4),
                                           random_number(f, numbers, -4, 4)) for _ in range(20)]
        if lanes == 2:
            rows = [(a | numbers.choice(rows)[0] << 16, b | numbers.choice(rows)[1] << 16)
                    for a, b in rows]
    else:
        pool = specials(n)
        rows = crossed(pool, pool) + [(random_operands(numbers, n), random_operands(numbers, n))
                                      for _ in range(19)]
    step = max(1, len(rows) // count)
    return rows[::step]


def spelled(space):
    return "" if space == "generic" else "." + space


def atomic(mnemonic, full, name, kind, space, count=40, operand="", more=(), **extra):
    """One element: %a before, %b operand, %x after, %y what atom returns."""
    prepare, address, suffix = place(space)
    r = f"b{width(kind)}"
    function = operation(name, kind, space)
    result = "" if mnemonic == "red" else "%y, "
    lines = prepare + list(more) + [
        ("do", f"st{suffix}.{r} [{address}], %a;"),
        ("do", f"{full} {result}[{address}], %b{operand};"),
        ("do", f"ld{suffix}.{r} %x, [{address}];")]
    outs = [("%x", r)] + ([] if mnemonic == "red" else [("%y", r)])
    rows = [((a, b), (function(a, b), a)[:len(outs)]) for a, b in pairs(kind, count)]
    return mnemonic, Form(full, [("%a", r), ("%b", r)], outs, lines, rows, **extra)


INTEGER = [(op, kind) for op in ("min", "max") for kind in ("u32", "s32", "u64", "s64")] + [
    ("add", kind) for kind in ("u32", "s32", "u64")] + [("inc", "u32"), ("dec", "u32")] + [
    (op, kind) for op in ("and", "or", "xor") for kind in ("b32", "b64")]


def single_elements():
    floats = [("add", kind) for kind in FLOATS]
    for mnemonic in ("atom", "red"):
        exchange = [] if mnemonic == "red" else [("exch", "b32"), ("exch", "b64"),
                                                 ("exch", "b128")]
        for space in SPACES:
            for op, kind in INTEGER + floats + exchange:
                noftz = ".noftz" if kind in FLOATS and kind not in ("f32", "f64") else ""
                yield atomic(mnemonic, f"{mnemonic}{spelled(space)}.{op}{noftz}.{kind}", op, kind,
                             space)


def orders_and_scopes():
    for mnemonic in ("atom", "red"):
        orders = (".relaxed", ".release") if mnemonic == "red" else (
            ".relaxed", ".acquire", ".release", ".acq_rel")
        for order in orders:
            for scope in (".cta", ".cluster", ".gpu", ".sys"):
                yield atomic(mnemonic, f"{mnemonic}{order}{scope}.global.add.u32", "add", "u32",
                             "global", 4)
        for name in (".shared::cta", ".shared::cluster"):
            for op, kind in (("add", "u32"), ("min", "s64"), ("add", "f32")):
                yield atomic(mnemonic, f"{mnemonic}{name}.{op}.{kind}", op, kind, "shared", 8)
        for order in orders:  # as nvcc writes it: the operation first
            for scope in (".cta", ".gpu", ".sys"):
                yield atomic(mnemonic, f"{mnemonic}.add{order}{scope}.u32", "add", "u32",
                             "generic", 4)
        for kind in ("u32", "f32", "f64"):
            for scope in (".cta", ".gpu", ".sys"):
                yield atomic(mnemonic, f"{mnemonic}.global{scope}.add.{kind}", "add", kind,
                             "global", 8)
        for scope in (".cta", ".gpu", ".sys"):
            yield atomic(mnemonic, f"{mnemonic}.shared{scope}.max.s32", "max", "s32", "shared", 4)
        policy = [("decl", ".reg .b64 %policy;"),
                  ("do", "createpolicy.fractional.L2::evict_first.b64 %policy, 1.0;")]
        yield atomic(mnemonic, f"{mnemonic}.global.add.L2::cache_hint.u32", "add", "u32", "global",
                     4, ", %policy", policy)


def compare_and_swap():
    for space in SPACES:
        for n in (16, 32, 64, 128):
            prepare, address, suffix = place(space)
            full, r = f"atom{spelled(space)}.cas.b{n}", f"b{n}"
            numbers = Numbers("cas", n)
            values = [0, 1, (1 << n) - 1, 1 << n - 1, numbers.bits(n)]
            rows = [((old, expected, new), (new if old == expected else old, old))
                    for old in values for expected in values for new in (values[4] ^ 1, 0)]
            lines = prepare + [("do", f"st{suffix}.{r} [{address}], %a;"),
                               ("do", f"{full} %y, [{address}], %b, %c;"),
                               ("do", f"ld{suffix}.{r} %x, [{address}];")]
            yield "atom", Form(full, [("%a", r), ("%b", r), ("%c", r)], [("%x", r), ("%y", r)],
                               lines, rows)


def vectors():
    """Elements change one by one."""
    shapes = [("add", "f32", v, "") for v in (2, 4)]
    shapes += [(op, kind, v, ".noftz") for op in ("add", "min", "max")
               for kind, counts in (("f16", (2, 4, 8)), ("bf16", (2, 4, 8)), ("f16x2", (2, 4)),
                                    ("bf16x2", (2, 4))) for v in counts]
    for mnemonic in ("atom", "red"):
        for op, kind, count, noftz in shapes:
            function, r = operation(op, kind, "global"), f"b{width(kind)}"
            full = f"{mnemonic}.global.{op}{noftz}.v{count}.{kind}"
            before, operands = named(count, "a"), named(count, "b")
            after, old = named(count, "x"), named(count, "y")
            step = width(kind) // 8
            lines = [("do", f"st.global.{r} [%scratch+{i * step}], {a};")
                     for i, a in enumerate(before)]
            result = "" if mnemonic == "red" else braced(old) + ", "
            lines += [("do", f"{full} {result}[%scratch], {braced(operands)};")]
            lines += [("do", f"ld.global.{r} {x}, [%scratch+{i * step}];")
                      for i, x in enumerate(after)]
            numbers, pool = Numbers("vector atomic", kind), pairs(kind, 60)
            rows = []
            for _ in range(12):
                chosen = [numbers.choice(pool) for _ in range(count)]
                row = [a for a, _ in chosen] + [b for _, b in chosen]
                outs = [function(a, b) for a, b in chosen]
                rows.append((row, outs + ([] if mnemonic == "red" else [a for a, _ in chosen])))
            yield mnemonic, Form(full, [(x, r) for x in before + operands],
                                 [(x, r) for x in after + ([] if mnemonic == "red" else old)],
                                 lines, rows)


def one_address():
    """All lanes of a warp at one address: nothing is lost."""
    numbers = Numbers("one address")
    values = [numbers.bits(32) for _ in range(32)]
    for mask in (0xFFFFFFFF, 0x0F0F0F0F):
        active = [i for i in range(32) if mask >> i & 1]
        chosen = [values[i] for i in active]
        results = {"add.u32": wrap(sum(chosen), 32), "max.u32": max(chosen),
                   "inc.u32": len(chosen)}
        for mnemonic in ("atom", "red"):
            for operation_, expected in results.items():
                operand = "1000" if operation_ == "inc.u32" else "%a"
                target = "%y, " if mnemonic == "atom" else ""
                lines = [("decl", ".reg .b32 %y;"),
                         ("do", f"{mnemonic}.global.{operation_} {target}[%common], {operand};"),
                         ("do", f"bar.warp.sync {mask:#x};"),
                         ("do", "ld.volatile.global.b32 %x, [%common];")]
                rows = [((values[i],), (expected if i in active else "-",)) for i in range(32)]
                yield mnemonic, Form(
                    f"{mnemonic}.global.{operation_} of {len(active)} lanes at one address",
                    [("%a", "b32")], [("%x", "b32")], lines, rows, lanes=f"{mask:08x}")


def forms():
    for group in (single_elements, orders_and_scopes, compare_and_swap, vectors, one_address):
        for mnemonic, form in group():
            yield mnemonic, SOURCE, form

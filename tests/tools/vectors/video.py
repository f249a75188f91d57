# SPDX-License-Identifier: Apache-2.0
"""Scalar and SIMD video instructions, from the pseudocode of the PTX ISA."""
from .compare import ORDERS
from .form import Numbers, simple
from .integers import is_signed, signed, specials, wrap

SCALAR = "PTX ISA, Scalar Video Instructions: the pseudocode on unbounded integers"
SIMD = "PTX ISA, SIMD Video Instructions: the pseudocode on unbounded integers"
TYPES = ("u32", "s32")
OPERATIONS = {"vadd": lambda a, b: a + b, "vsub": lambda a, b: a - b,
              "vabsdiff": lambda a, b: abs(a - b), "vmin": min, "vmax": max}


def part(value, kind, selector):
    """A byte, half or word (selector ""), extended as the type says."""
    n = {"b": 8, "h": 16}.get(selector[1:2], 32)
    at = n * int(selector[2:] or 0)
    field = value >> at & ((1 << n) - 1)
    return signed(field, n) if is_signed(kind) else field


def clamped(value, kind, n):
    low, high = (-(1 << n - 1), (1 << n - 1) - 1) if is_signed(kind) else (0, (1 << n) - 1)
    return min(max(value, low), high)


def merged(value, selector, c):
    """Into a part of c."""
    n = {"b": 8, "h": 16}.get(selector[1:2], 32)
    at = n * int(selector[2:] or 0)
    mask = (1 << n) - 1 << at
    return value << at & mask | c & ~mask & 0xFFFFFFFF


def second(name, value, c, kind):
    c = signed(c, 32) if is_signed(kind) else c
    return {".add": value + c, ".min": min(value, c), ".max": max(value, c)}[name]


def operands(*key):
    numbers = Numbers("video", *key)
    pool = specials(32) + [0x80FF7F01, 0x7FFF8000]
    rows = [(a, b, numbers.choice(pool)) for a in pool[:8] for b in pool[3:]]
    return rows[::3] + [tuple(numbers.bits(32) for _ in range(3)) for _ in range(16)]


def fits(value, kind):
    return clamped(value, kind, 32) == value


def scalar_forms(mnemonic, compute, suffixes, dtype, atype, btype, selections):
    """A plain form, one with each secondary operation and one that merges. `compute` maps the
    parts to a number; `suffixes` are those before and after .sat."""
    kinds = ".".join(k for k in (dtype, atype, btype) if k)
    result_kind = dtype or "u32"
    before, after = suffixes
    for i, sat in enumerate(("", ".sat") if dtype else ("",)):
        asel, bsel, dsel = selections[i]
        full = f"{mnemonic}.{kinds}{before}{sat}{after}"

        def value(a, b, n=32, asel=asel, bsel=bsel, sat=sat):
            result = compute(part(a, atype, asel), part(b, btype, bsel))
            return clamped(result, result_kind, n) if sat else result
        rows = operands(full)
        yield simple(f"{full}, %a{asel}, %b{bsel}", ["b32"] * 3, ["b32"], rows,
                     lambda a, b, c, v=value: wrap(v(a, b), 32),
                     [f"{full} %x, %a{asel}, %b{bsel};"])
        # Of what does not fit into 32 bits the ISA does not say how it compares.
        inside = [row for row in rows if fits(value(*row[:2]), result_kind)]
        for op2 in (".add", ".min", ".max"):
            yield simple(f"{full}{op2}, %a{asel}, %b{bsel}", ["b32"] * 3, ["b32"],
                         rows if op2 == ".add" else inside,
                         lambda a, b, c, v=value, op2=op2: wrap(second(op2, v(a, b), c,
                                                                       result_kind), 32),
                         [f"{full}{op2} %x, %a{asel}, %b{bsel}, %c;"])
        n = 8 if dsel[1] == "b" else 16
        yield simple(f"{full} into {dsel}, %a{asel}, %b{bsel}", ["b32"] * 3, ["b32"], rows,
                     lambda a, b, c, v=value, dsel=dsel, n=n: merged(v(a, b, n), dsel, c),
                     [f"{full} %x{dsel}, %a{asel}, %b{bsel}, %c;"])


SELECTIONS = [("", ".b1", ".b0"), (".h1", "", ".h1"), (".b0", ".h0", ".b3"), (".b3", ".b2", ".h0"),
              ("", "", ".b1"), (".b2", "", ".b2"), (".h0", ".h1", ".h1"), ("", ".b3", ".b1")]


def scalar():
    at = 0

    def next_selections():
        nonlocal at
        at += 2
        return [SELECTIONS[at % 8], SELECTIONS[(at + 1) % 8]] if at % 3 else [
            ("", "", ".b0"), ("", "", ".h1")]
    for mnemonic, function in OPERATIONS.items():
        for dtype in TYPES:
            for atype in TYPES:
                for btype in TYPES:
                    for form in scalar_forms(mnemonic, function, ("", ""), dtype, atype, btype,
                                             next_selections()):
                        yield mnemonic, form
    for mnemonic in ("vshl", "vshr"):
        for dtype in TYPES:
            for atype in TYPES:
                for mode in (".clamp", ".wrap"):
                    def shift(a, b, mnemonic=mnemonic, mode=mode):
                        count = min(b, 32) if mode == ".clamp" else b & 31
                        return a << count if mnemonic == "vshl" else a >> count
                    for form in scalar_forms(mnemonic, shift, ("", mode), dtype, atype, "u32",
                                             next_selections()):
                        yield mnemonic, form
    for operator in ("eq", "ne", "lt", "le", "gt", "ge"):
        for atype in TYPES:
            for btype in TYPES:
                def compare(a, b, operator=operator):
                    return int((a > b) - (a < b) in ORDERS[operator])
                for form in scalar_forms("vset", compare, ("." + operator, ""), "", atype, btype,
                                         next_selections()):
                    yield "vset", form


def multiply_adds():
    """vmad: the product may be negated, or c; .po adds one."""
    signs = [("", "", ""), ("-", "", ""), ("", "-", ""), ("", "", "-")]
    at = 0
    for dtype in TYPES:
        for atype in TYPES:
            for btype in TYPES:
                for plus in ("", ".po"):
                    for scale in ("", ".shr7", ".shr15"):
                        for sat in ("", ".sat"):
                            at += 1
                            minus = ("", "", "") if plus else signs[at % 4]
                            selectors = SELECTIONS[at * 5 % 8][:2]
                            yield "vmad", multiply_add(dtype, atype, btype, plus, scale, sat,
                                                       minus, selectors)


def multiply_add(dtype, atype, btype, plus, scale, sat, minus, selectors):
    negated = minus[0] != minus[1]
    is_signed_result = is_signed(atype) or is_signed(btype) or negated or minus[2] == "-"

    def run(a, b, c):
        product = part(a, atype, selectors[0]) * part(b, btype, selectors[1])
        if negated:
            product = -product
        c = ~c & 0xFFFFFFFF if minus[2] else c
        c = signed(c, 32) if is_signed_result else c
        value = product + c + (1 if plus or minus[2] else 0)
        value >>= int(scale[4:] or 0)
        if sat:
            value = clamped(value, "s32" if is_signed_result else "u32", 32)
        return wrap(value, 32)
    full = f"vmad.{dtype}.{atype}.{btype}{plus}{sat}{scale}"
    text = f"{minus[0]}%a{selectors[0]}, {minus[1]}%b{selectors[1]}, {minus[2]}%c"
    return simple(f"{full}, {text}", ["b32"] * 3, ["b32"], operands(full), run,
                  [f"{full} %x, {text};"])


# ---- two halves, four bytes ------------------------------------------------------------------

def average(a, b):
    return a + b + 1 >> 1 if a + b >= 0 else a + b >> 1


SIMD_OPERATIONS = {**OPERATIONS, "vavrg": average}


def simd_form(mnemonic, function, lanes, kinds, modifiers, selection):
    """`modifiers` in the order written; `selection`: (mask, asel, bsel), "" is the default."""
    n = 32 // lanes
    defaults = (("h10", "h10", "h32") if lanes == 2 else ("b3210", "b3210", "b7654"))
    mask, asel, bsel = (given[1:] or default for given, default in zip(selection, defaults))
    dtype, atype, btype = kinds[0], kinds[-2], kinds[-1]
    enabled = [int(x) for x in mask[1:]]

    def pick(a, b, selectors, kind):
        fields = [(a | b << 32) >> n * int(x) & ((1 << n) - 1) for x in reversed(selectors[1:])]
        return [signed(x, n) if is_signed(kind) else x for x in fields]

    def run(a, b, c):
        results = [function(x, y) for x, y in zip(pick(a, b, asel, atype), pick(a, b, bsel, btype))]
        if ".sat" in modifiers:
            results = [clamped(x, dtype, n) for x in results]
        if ".add" in modifiers:
            return wrap(c + sum(results[i] for i in enabled), 32)
        for i in range(lanes):
            if i in enabled:
                field = ((1 << n) - 1) << n * i
                c = c & ~field | results[i] << n * i & field
        return wrap(c, 32)
    full = f"{mnemonic}{lanes}.{'.'.join(kinds)}{modifiers}"
    text = f"%x{selection[0]}, %a{selection[1]}, %b{selection[2]}, %c"
    return simple(f"{full} {text}", ["b32"] * 3, ["b32"], simd_operands(full, n), run,
                  [f"{full} {text};"])


def simd_operands(full, n):
    numbers = Numbers("simd", full)
    pool = specials(n)

    def word():
        return sum(numbers.choice(pool) << at for at in range(0, 32, n))
    return [(word(), word(), numbers.bits(32)) for _ in range(24)] + [
        tuple(numbers.bits(32) for _ in range(3)) for _ in range(8)]


SIMD_SELECTIONS = {2: [("", "", ""), (".h10", ".h32", ".h10"), (".h0", ".h13", ".h22"),
                       (".h1", "", ".h01")],
                   4: [("", "", ""), (".b3210", ".b7531", ".b0246"), (".b20", "", ".b4444"),
                       (".b3", ".b0123", "")]}


def simd():
    at = 0
    for lanes in (2, 4):
        choices = SIMD_SELECTIONS[lanes]
        for name, function in SIMD_OPERATIONS.items():
            for dtype in TYPES:
                for atype in TYPES:
                    for btype in TYPES:
                        for modifiers in ("", ".sat", ".add"):
                            at += 1
                            yield f"{name}{lanes}", simd_form(name, function, lanes,
                                                              (dtype, atype, btype), modifiers,
                                                              choices[at % 4])
        for operator in ("eq", "ne", "lt", "le", "gt", "ge"):
            def compare(a, b, operator=operator):
                return int((a > b) - (a < b) in ORDERS[operator])
            for atype in TYPES:
                for btype in TYPES:
                    for add in ("", ".add"):
                        at += 1
                        yield f"vset{lanes}", simd_form("vset", compare, lanes, (atype, btype),
                                                        f".{operator}{add}", choices[at % 4])


def forms():
    for group, source in ((scalar, SCALAR), (multiply_adds, SCALAR), (simd, SIMD)):
        for mnemonic, form in group():
            yield mnemonic, source, form

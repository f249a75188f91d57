# SPDX-License-Identifier: Apache-2.0
"""Floating-point arithmetic of all widths, scalar and packed. The approximate functions are here
with their special cases only."""
from . import exact
from .exact import BF16, F16, F32, F64
from .form import Numbers, crossed, simple
from .operands import (few, fused, many, nan_rows, packed, products, quotients, random_number, singles, sums,
                       two)

SOURCE = ("PTX ISA, Floating Point Instructions (single, half and mixed precision); "
          "exact rational arithmetic rounded once")
APPROXIMATE = "PTX ISA, tables of special inputs of the approximate functions"
ROUNDINGS = ["", ".rn", ".rz", ".rm", ".rp"]


def mode_of(rounding):
    return rounding[1:] or "rn"


class Kind:
    """A type: its format, what holds a number, and how many a register holds."""

    def __init__(self, name, form, lanes=1, target=None):
        self.name, self.format, self.lanes = name, form, lanes
        self.register = f"b{form.bits * lanes}"
        self.extra = {"target": target} if target else {}

    def rows(self, rows):
        return packed(rows, self.format.bits)[::2] if self.lanes == 2 else rows

    def each(self, function):
        """`function` on every number of a register."""
        if self.lanes == 1:
            return function
        bits = self.format.bits

        def both(*operands):
            low, high = (function(*part) for part in zip(*(two(x, bits) for x in operands)))
            return low | high << bits
        return both

    def form(self, name, rows, function):
        count = len(rows[0])
        return simple(name, [self.register] * count, [self.register], self.rows(rows),
                      self.each(function), **self.extra)


KIND_F32, KIND_F64 = Kind("f32", F32), Kind("f64", F64)
KIND_F32X2 = Kind("f32x2", F32, 2, "sm_100a")
F16_KINDS = [Kind("f16", F16), Kind("f16x2", F16, 2)]
BF16_KINDS = [Kind("bf16", BF16), Kind("bf16x2", BF16, 2)]


def arithmetic(f, function, rounding="", ftz="", sat="", relu=""):
    """An operation of exact.py with the modifiers around it."""
    def run(*operands):
        if ftz:
            operands = [f.flush(x) for x in operands]
        result = function(f, *operands, mode_of(rounding))
        if ftz:
            result = f.flush(result)
        if sat:
            result = exact.saturate(f, result)
        if relu and not f.is_nan(result) and f.negative(result):
            result = 0
        return result
    return run


def used(rows, rounding):
    """Without a rounding it is rn: a third of the rows will do."""
    return rows if rounding else rows[::3]


def variants(roundings, flushes, saturations):
    return [(r, z, s) for r in roundings for z in flushes for s in saturations]


# ---- add, sub, mul, mad, fma -----------------------------------------------------------------

ADDITIVE = [("add", exact.add, sums), ("sub", exact.sub, sums), ("mul", exact.mul, products)]


def binary_forms(mnemonic, function, rows, kind, modifiers):
    """One form for each (rounding, ftz, sat)."""
    f = kind.format
    for rounding, ftz, sat in modifiers:
        yield mnemonic, kind.form(f"{mnemonic}{rounding}{ftz}{sat}.{kind.name}",
                                  used(rows(f), rounding),
                                  arithmetic(f, function, rounding, ftz, sat))


def binary_operations():
    on_off, nearest = ("", ".ftz"), ("", ".rn")
    shapes = [(KIND_F32, variants(ROUNDINGS, on_off, ("", ".sat"))),
              (KIND_F64, variants(ROUNDINGS, ("",), ("",))),
              (KIND_F32X2, variants(ROUNDINGS, on_off, ("",)))]
    shapes += [(kind, variants(nearest, on_off, ("", ".sat"))) for kind in F16_KINDS]
    shapes += [(kind, variants(nearest, ("",), ("",))) for kind in BF16_KINDS]
    for mnemonic, function, rows in ADDITIVE:
        for kind, modifiers in shapes:
            yield from binary_forms(mnemonic, function, rows, kind, modifiers)


def fused_operations():
    for mnemonic in ("fma", "mad"):
        for rounding, ftz, sat in variants(ROUNDINGS[1:], ("", ".ftz"), ("", ".sat")):
            yield mnemonic, KIND_F32.form(f"{mnemonic}{rounding}{ftz}{sat}.f32", fused(F32),
                                          arithmetic(F32, exact.fma, rounding, ftz, sat))
        for rounding in ROUNDINGS[1:]:
            yield mnemonic, KIND_F64.form(f"{mnemonic}{rounding}.f64", fused(F64),
                                          arithmetic(F64, exact.fma, rounding))
    for rounding, ftz, _ in variants(ROUNDINGS[1:], ("", ".ftz"), ("",)):
        yield "fma", KIND_F32X2.form(f"fma{rounding}{ftz}.f32x2", fused(F32),
                                     arithmetic(F32, exact.fma, rounding, ftz))
    for kind in F16_KINDS:
        for ftz in ("", ".ftz"):
            for last in ("", ".sat", ".relu"):
                yield "fma", kind.form(f"fma.rn{ftz}{last}.{kind.name}", fused(F16),
                                       arithmetic(F16, exact.fma, "", ftz, last == ".sat",
                                                  last == ".relu"))
    for kind in BF16_KINDS:
        for relu in ("", ".relu"):
            yield "fma", kind.form(f"fma.rn{relu}.{kind.name}", fused(BF16),
                                   arithmetic(BF16, exact.fma, relu=relu))
    # The NaN that stands for "out of bounds" is no public number: only finite operands here.
    for kind in F16_KINDS + BF16_KINDS:
        for relu in ("", ".relu"):
            f = kind.format
            rows = [row for row in fused(f) if not any(f.is_nan(x) for x in row)]
            yield "fma", kind.form(f"fma.rn.oob{relu}.{kind.name}", rows,
                                   arithmetic(f, exact.fma, relu=relu))


def mixed_precision():
    """f32 with operands of 16 bits, widened exactly."""
    for narrow_kind, f in (("f16", F16), ("bf16", BF16)):
        def widen(x, f=f):
            return F32.nan if f.is_nan(x) else exact.convert(f, F32, x)
        numbers = Numbers("mixed", narrow_kind)
        pairs = crossed(few(f), few(F32)) + [
            (random_number(f, numbers, -6, 6), random_number(F32, numbers, -30, 8))
            for _ in range(40)]
        triples = [(numbers.choice(few(f)), numbers.choice(few(f)), numbers.choice(few(F32)))
                   for _ in range(80)] + [
            (random_number(f, numbers, -6, 6), random_number(f, numbers, -6, 6),
             random_number(F32, numbers, -30, 10)) for _ in range(60)]
        for rounding, _, sat in variants(ROUNDINGS, ("",), ("", ".sat")):
            for mnemonic, function in (("add", exact.add), ("sub", exact.sub)):
                run = arithmetic(F32, function, rounding, "", sat)
                yield mnemonic, simple(f"{mnemonic}{rounding}{sat}.f32.{narrow_kind}",
                                       ["b16", "b32"], ["b32"], pairs,
                                       lambda a, c, run=run, w=widen: run(w(a), c),
                                       target="sm_100a")
            if rounding:
                run = arithmetic(F32, exact.fma, rounding, "", sat)
                yield "fma", simple(f"fma{rounding}{sat}.f32.{narrow_kind}", ["b16", "b16", "b32"],
                                    ["b32"], triples,
                                    lambda a, b, c, run=run, w=widen: run(w(a), w(b), c),
                                    target="sm_100a")


# ---- div, rcp, sqrt --------------------------------------------------------------------------

def quotients_and_roots():
    operations = [("div", exact.div, quotients), ("rcp", exact.rcp, singles),
                  ("sqrt", exact.sqrt, singles)]
    for mnemonic, function, rows in operations:
        for rounding, ftz, _ in variants(ROUNDINGS[1:], ("", ".ftz"), ("",)):
            yield mnemonic, KIND_F32.form(f"{mnemonic}{rounding}{ftz}.f32", rows(F32),
                                          arithmetic(F32, function, rounding, ftz))
        for rounding in ROUNDINGS[1:]:
            yield mnemonic, KIND_F64.form(f"{mnemonic}{rounding}.f64", rows(F64),
                                          arithmetic(F64, function, rounding))


# ---- abs, neg, min, max ----------------------------------------------------------------------

def sign_of_nan(f, x):
    """abs and neg: the canonical NaN; f64 passes unchanged (CUDA C++ Programming Guide,
    Floating-Point Standard)."""
    return x if f.keeps_nan else f.nan


def magnitude(f, x):
    return sign_of_nan(f, x) if f.is_nan(x) else f.magnitude(x)


def negation(f, x):
    return sign_of_nan(f, x) if f.is_nan(x) else x ^ f.sign_bit


def signs():
    kinds = [(KIND_F32, ("", ".ftz")), (KIND_F64, ("",))] + [
        (kind, ("", ".ftz")) for kind in F16_KINDS] + [(kind, ("",)) for kind in BF16_KINDS]
    for mnemonic, function in (("abs", magnitude), ("neg", negation)):
        for kind, flushes in kinds:
            for ftz in flushes:
                f = kind.format
                flush = f.flush if ftz else (lambda x: x)
                yield mnemonic, kind.form(f"{mnemonic}{ftz}.{kind.name}", singles(f),
                                          lambda x, f=f, flush=flush, g=function: g(f, flush(x)))


def extreme(f, is_min, nan="", xorsign="", absolute="", ftz=""):
    """min and max: a NaN loses against a number unless .NaN; -0 lies below +0."""
    def run(*operands):
        operands = [f.flush(x) if ftz else x for x in operands]
        sign = 0
        for x in operands:
            sign ^= x & f.sign_bit
        if xorsign or absolute:
            operands = [f.magnitude(x) for x in operands]
        present = [x for x in operands if not f.is_nan(x)]
        if not present or (nan and len(present) < len(operands)):
            return f.nan_of(*operands)
        # With -0 one step below +0.
        def key(x):
            return -f.magnitude(x) - 1 if f.negative(x) else x
        result = (min if is_min else max)(present, key=key)
        return result & f.sign_bit - 1 | sign if xorsign else result
    return run


def extremes():
    for mnemonic in ("min", "max"):
        is_min = mnemonic == "min"
        yield mnemonic, KIND_F64.form(f"{mnemonic}.f64",
                                      crossed(few(F64), many(F64)[::2]) + nan_rows(F64, 2),
                                      extreme(F64, is_min))
        kinds = [(KIND_F32, ("", ".ftz"))] + [(kind, ("", ".ftz")) for kind in F16_KINDS] + [
            (kind, ("",)) for kind in BF16_KINDS]
        for kind, flushes in kinds:
            f = kind.format
            for ftz in flushes:
                for nan in ("", ".NaN"):
                    for xorsign in ("", ".xorsign.abs"):
                        yield mnemonic, kind.form(
                            f"{mnemonic}{ftz}{nan}{xorsign}.{kind.name}",
                            crossed(few(f), few(f) + [few(f)[2] ^ f.sign_bit]),
                            extreme(f, is_min, nan, xorsign, "", ftz))
        yield from extremes_of_three(mnemonic, is_min)


def extremes_of_three(mnemonic, is_min):
    numbers = Numbers("three")
    rows = [tuple(numbers.choice(many(F32)) for _ in range(3)) for _ in range(100)]
    for ftz in ("", ".ftz"):
        for nan in ("", ".NaN"):
            for absolute in ("", ".abs"):
                yield mnemonic, simple(f"{mnemonic}{ftz}{nan}{absolute}.f32 of three",
                                       ["b32"] * 3, ["b32"], rows,
                                       extreme(F32, is_min, nan, "", absolute, ftz),
                                       [f"{mnemonic}{ftz}{nan}{absolute}.f32 %x, %a, %b, %c;"],
                                       target="sm_100a")


# ---- approximate functions: special cases ----------------------------------------------------

S32, INF32, NAN32 = F32.sign_bit, F32.infinity, F32.nan
SUB32 = 0x00000007
# name: {input: result}; subnormal inputs are those of .ftz.
SPECIAL_F32 = {
    "rcp": ({0: INF32, S32: S32 | INF32, INF32: 0, S32 | INF32: S32},
            {SUB32: INF32, S32 | SUB32: S32 | INF32}),
    "sqrt": ({0: 0, S32: S32, INF32: INF32, S32 | INF32: NAN32, S32 | F32.one: NAN32,
              S32 | F32.largest: NAN32}, {SUB32: 0, S32 | SUB32: S32}),
    "rsqrt": ({0: INF32, S32: S32 | INF32, INF32: 0, S32 | INF32: NAN32, S32 | F32.one: NAN32},
              {SUB32: INF32, S32 | SUB32: S32 | INF32}),
    "sin": ({0: 0, S32: S32, INF32: NAN32, S32 | INF32: NAN32}, {SUB32: 0, S32 | SUB32: S32}),
    "cos": ({0: F32.one, S32: F32.one, INF32: NAN32, S32 | INF32: NAN32},
            {SUB32: F32.one, S32 | SUB32: F32.one}),
    "lg2": ({0: S32 | INF32, S32: S32 | INF32, INF32: INF32, S32 | INF32: NAN32,
             S32 | F32.one: NAN32}, {SUB32: S32 | INF32, S32 | SUB32: S32 | INF32}),
    "ex2": ({0: F32.one, S32: F32.one, INF32: INF32, S32 | INF32: 0},
            {SUB32: F32.one, S32 | SUB32: F32.one}),
    "tanh": ({0: 0, S32: S32, INF32: F32.one, S32 | INF32: S32 | F32.one}, None),
}


def special_cases():
    for mnemonic, (table, flushed) in SPECIAL_F32.items():
        nans = {x: NAN32 for x in many(F32) if F32.is_nan(x)}
        plain = {**table, **nans}
        yield mnemonic, simple(f"{mnemonic}.approx.f32", ["b32"], ["b32"],
                               [(x,) for x in plain], plain.__getitem__)
        if flushed:
            all_cases = {**plain, **flushed}
            yield mnemonic, simple(f"{mnemonic}.approx.ftz.f32", ["b32"], ["b32"],
                                   [(x,) for x in all_cases], all_cases.__getitem__)


def special_cases_of_halves():
    """tanh and ex2 of 16-bit floats."""
    for mnemonic, ftz, kinds in (("tanh", "", F16_KINDS + BF16_KINDS), ("ex2", "", F16_KINDS),
                                 ("ex2", ".ftz", BF16_KINDS)):
        for kind in kinds:
            f, s = kind.format, kind.format.sign_bit
            table = {x: f.nan for x in many(f) if f.is_nan(x)}
            if mnemonic == "tanh":
                table.update({0: 0, s: s, f.infinity: f.one, s | f.infinity: s | f.one})
            else:
                table.update({0: f.one, s: f.one, f.infinity: f.infinity, s | f.infinity: 0})
            yield mnemonic, kind.form(f"{mnemonic}.approx{ftz}.{kind.name}",
                                      [(x,) for x in table], table.__getitem__)


def special_cases_of_f64():
    s, inf = F64.sign_bit, F64.infinity
    subnormal = F64.smallest_normal >> 1
    nans = [s | inf, s | F64.one, 0x7FF8000000000000, 0xFFF8000000000001, 0x7FF4000000000002]
    upper = 0x7FFFFFFF00000000  # of the forms that see and give the upper half only
    rcp = {0: inf, s: s | inf, inf: 0, subnormal: inf, s | subnormal: s | inf,
           **{x: upper for x in nans[2:]}, s | inf: s}
    rsqrt = {0: inf, s: s | inf, inf: 0, **{x: F64.nan_of(x) for x in nans}}
    flushed = {**rsqrt, subnormal: inf, s | subnormal: s | inf, **{x: upper for x in nans}}
    for mnemonic, name, table in (("rcp", "rcp.approx.ftz.f64", rcp),
                                  ("rsqrt", "rsqrt.approx.f64", rsqrt),
                                  ("rsqrt", "rsqrt.approx.ftz.f64", flushed)):
        yield mnemonic, simple(name, ["b64"], ["b64"], [(x,) for x in table], table.__getitem__)


def special_quotients():
    """div.full and div.approx: zeros, infinities, NaN. A divisor in (2^126, 2^128) gives 0 of
    finite numbers, NaN of infinities with .approx."""
    pool = [0, S32, F32.one, S32 | F32.one, INF32, S32 | INF32, NAN32, S32 | INF32 | 9]

    def quotient(a, b):
        return exact.div(F32, a, b)
    rows = [(a, b) for a, b in crossed(pool, pool)
            if not (F32.magnitude(a) == F32.magnitude(b) == F32.one)]
    huge = [F32.round(2 ** 127), F32.largest, S32 | F32.round(3 * 2 ** 126)]

    def approximate(a, b):
        if b in huge:
            if F32.is_nan(a) or F32.is_inf(a):
                return NAN32
            return (a ^ b) & S32
        return quotient(a, b)
    for ftz in ("", ".ftz"):
        flushed = [(a, S32 | SUB32) for a in pool] + [(SUB32, b) for b in pool[4:]] if ftz else []
        for form, function, more in (("full", quotient, []),
                                     ("approx", approximate, crossed(pool, huge))):
            def run(a, b, function=function, ftz=ftz):
                return function(F32.flush(a), F32.flush(b)) if ftz else function(a, b)
            yield "div", simple(f"div.{form}{ftz}.f32", ["b32", "b32"], ["b32"],
                                rows + more + flushed, run)


def forms():
    for group in (binary_operations, fused_operations, mixed_precision, quotients_and_roots, signs,
                  extremes):
        for mnemonic, form in group():
            yield mnemonic, SOURCE, form
    for group in (special_cases, special_cases_of_halves, special_cases_of_f64, special_quotients):
        for mnemonic, form in group():
            yield mnemonic, APPROXIMATE, form

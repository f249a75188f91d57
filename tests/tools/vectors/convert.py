# SPDX-License-Identifier: Apache-2.0
"""cvt between integers, f16, bf16, f32 and f64, and cvt.pack."""
from . import exact
from .exact import BF16, F16, F32, F64
from .form import ANYTHING, Numbers, simple
from .integers import (clamp, is_signed, limits, number, random_operands, signed, specials, width,
                       wrap)
from .operands import FORMATS, many, random_number

SOURCE = "PTX ISA, cvt and cvt.pack; exact rational arithmetic rounded once"
INTEGERS = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]
TO_INTEGER = {".rni": "rn", ".rzi": "rz", ".rmi": "rm", ".rpi": "rp"}
TO_FLOAT = [".rn", ".rz", ".rm", ".rp"]


def holder(kind):
    """The register of a type; bytes live in 16 bits."""
    return f"b{max(16, FORMATS[kind].bits if kind in FORMATS else width(kind))}"


def extended(value, kind):
    """Bits of a byte-wide result in its wider register."""
    n = width(kind)
    return wrap(signed(value, n), 16) if n == 8 and is_signed(kind) else value


def integer_rows(kind):
    """Registers whose upper bits must not matter."""
    n = width(kind)
    numbers = Numbers("cvt", kind)
    values = specials(n) + [wrap(x, n) for x in (127, 128, 255, 256, 32767, 32768, 65535, 65536,
                                                 -128, -129, -32768, -32769)]
    values += [random_operands(numbers, n) for _ in range(16)]
    if n == 8:
        values = [x | numbers.bits(8) << 8 for x in values]
    return [(x,) for x in dict.fromkeys(values)]


# ---- integers --------------------------------------------------------------------------------

def between_integers():
    for source in INTEGERS:
        for target in INTEGERS:
            inner, outer = limits(source), limits(target)
            fits = outer[0] <= inner[0] and inner[1] <= outer[1]
            for sat in ("",) if fits else ("", ".sat"):
                def convert(a, source=source, target=target, sat=sat):
                    value = number(wrap(a, width(source)), source)
                    result = clamp(value, target) if sat else wrap(value, width(target))
                    return extended(result, target)
                yield "cvt", simple(f"cvt{sat}.{target}.{source}", [holder(source)],
                                    [holder(target)], integer_rows(source), convert)


def fractions_near_integers(f, kind):
    """Numbers about the limits of an integer type and half-way between integers."""
    numbers = Numbers("to integer", f.name, kind)
    low, high = limits(kind)
    values = [f.round(x) for x in (low, high, high + 1, low - 1, 2 * high) if x]
    values = [x + d for x in values for d in (-1, 0, 1) if f.magnitude(x + d) < f.infinity]
    halves = [f.round(exact.Fraction(x, 2)) for x in (1, 3, 5, 7, 9, 255, 257)]
    halves += [x + d for x in halves[:3] for d in (-1, 1)]
    rows = values + [x | s for x in halves for s in (0, f.sign_bit)] + many(f)
    rows += [random_number(f, numbers, -3, min(66, f.bias)) for _ in range(24)]
    return [(x,) for x in dict.fromkeys(rows)]


def to_integer(f, kind, rounding, ftz):
    """Clamped to the range. A NaN is 0, but for f64 and 64-bit results 2^(n-1)."""
    n = width(kind)

    def convert(a):
        if ftz:
            a = f.flush(a)
        if f.is_nan(a):
            result = 1 << n - 1 if f is F64 or n == 64 else 0
        elif f.is_inf(a):
            low, high = limits(kind)
            result = wrap(low if f.negative(a) else high, n)
        else:
            result = clamp(exact.round_integer(f.value(a), TO_INTEGER[rounding]), kind)
        return extended(result, kind)
    return convert


def floats_to_integers():
    for source, f in FORMATS.items():
        for target in INTEGERS:
            if source == "bf16" and width(target) == 8:
                continue
            for rounding in TO_INTEGER:
                for ftz in ("", ".ftz") if source == "f32" else ("",):
                    for sat in ("", ".sat") if source != "bf16" else ("",):
                        yield "cvt", simple(f"cvt{rounding}{ftz}{sat}.{target}.{source}",
                                            [holder(source)], [holder(target)],
                                            fractions_near_integers(f, target),
                                            to_integer(f, target, rounding, ftz))


def integers_for_floats(kind, f):
    """Integers that lie half-way between numbers of the format, and beyond its range."""
    n = width(kind)
    values = []
    for shift in range(f.mantissa_bits + 1, n, 3):
        top = 1 << shift
        half = 1 << shift - f.mantissa_bits - 1
        values += [top + half, top + half + 1, top + 3 * half, -top - half, top - 1]
    values = [wrap(v, n) for v in values if abs(v) < 1 << n]
    return integer_rows(kind) + [(x,) for x in dict.fromkeys(values)]


def integers_to_floats():
    for target, f in FORMATS.items():
        for source in INTEGERS:
            if target == "bf16" and width(source) == 8:
                continue
            for rounding in TO_FLOAT:
                for sat in ("", ".sat") if target != "bf16" else ("",):
                    def convert(a, f=f, source=source, mode=rounding[1:], sat=sat):
                        value = number(wrap(a, width(source)), source)
                        result = f.round(exact.Fraction(value), mode)
                        return exact.saturate(f, result) if sat else result
                    yield "cvt", simple(f"cvt{rounding}{sat}.{target}.{source}",
                                        [holder(source)], [holder(target)],
                                        integers_for_floats(source, f), convert)


# ---- floats ----------------------------------------------------------------------------------

def bounds(source, target):
    """Numbers of a wider format about those of a narrower one: ties, overflow, subnormals."""
    numbers = Numbers("narrow", source.name, target.name)
    unit = source.mantissa_bits - target.mantissa_bits
    rows = many(source)
    anchors = [0, 1, 2, target.smallest_normal - 1, target.smallest_normal, target.one,
               target.largest - 1, target.largest]
    anchors += [target.one + numbers.bits(target.mantissa_bits) for _ in range(4)]
    for x in anchors:
        value = target.value(x)
        step = target.value(x + 1 if x < target.largest else x) - target.value(
            x if x < target.largest else x - 1)
        for quarter in (1, 2, 3, 4):
            wide = source.round(value + step * quarter / 4)
            for d in (-1, 0, 1) if unit > 0 and quarter == 2 and wide else (0,):
                rows += [wide + d, wide + d | source.sign_bit]
    rows += [random_number(source, numbers, -20, 20) for _ in range(12)]
    return [(x,) for x in dict.fromkeys(rows)]


def finite_limit(f, x, satfinite):
    """.satfinite: an infinite result is the largest number of its sign."""
    return x & f.sign_bit | f.largest if satfinite and f.is_inf(x) else x


def rounds_up_to_normal(s, t, a, result):
    """The ISA does not say whether .ftz looks at a number before or after it is rounded."""
    return (t.magnitude(result) == t.smallest_normal
            and abs(s.value(a)) < t.value(t.smallest_normal))


def widened_nan(s, x):
    """Sign and payload of a NaN in f64, quiet."""
    sign = F64.sign_bit if s.negative(x) else 0
    payload = (x & s.smallest_normal - 1) << 52 - s.mantissa_bits
    return sign | F64.nan & ~F64.sign_bit | payload


def float_conversion(s, t, mode="rn", ftz="", sat=""):
    """ftz concerns f32 only, on either side. Of a NaN the ISA says that it is 0 with .sat and, for
    some forms, canonical; so it is for all here, but in f64 it keeps sign and payload, unless .ftz
    made it the canonical one of f32. For cvt.ftz.f16.f32 ptxas emits the instruction without .ftz,
    so subnormals count, which .rp and .rm show (QUIRKS.md)."""
    def convert(a):
        if ftz and s is F32 and t is not F16:
            a = s.flush(a)
        if s.is_nan(a):
            if t is F64 and not sat:
                return widened_nan(s, F32.nan if ftz else a)
            return 0 if sat else t.nan
        result = exact.convert(s, t, a, mode)
        if ftz and t is F32:
            if not s.is_inf(a) and rounds_up_to_normal(s, t, a, result):
                return ANYTHING
            result = t.flush(result)
        return exact.saturate(t, result) if sat else result
    return convert


def limited_conversion(s, t, mode, relu, satfinite):
    """With .relu and .satfinite. A NaN is that of ones, says the ISA."""
    plain = float_conversion(s, t, mode)

    def convert(a):
        result = finite_limit(t, plain(a), satfinite)
        return 0 if relu and t.negative(result) else result
    return convert


def flushes(source, target):
    return ("", ".ftz") if "f32" in (source, target) else ("",)


def between_floats():
    for source, s in FORMATS.items():
        for target, t in FORMATS.items():
            if s is t:
                continue
            exact_always = s.mantissa_bits < t.mantissa_bits and s.emin >= t.emin
            for rounding in ("",) if exact_always else TO_FLOAT:
                for ftz in flushes(source, target):
                    for sat in ("", ".sat") if "bf16" not in (source, target) else ("",):
                        yield "cvt", simple(
                            f"cvt{rounding}{ftz}{sat}.{target}.{source}", [holder(source)],
                            [holder(target)],
                            bounds(s, t) if not exact_always else [(x,) for x in many(s)],
                            float_conversion(s, t, rounding[1:] or "rn", ftz, sat))


def to_whole_numbers():
    """Rounding to an integer within a format; a zero keeps the sign."""
    for kind, f in FORMATS.items():
        rows = fractions_near_integers(f, "s32")
        for rounding in ("", *TO_INTEGER):
            for ftz in ("", ".ftz") if kind == "f32" else ("",):
                for sat in ("", ".sat") if kind != "bf16" else ("",):
                    def convert(a, f=f, rounding=rounding, ftz=ftz, sat=sat):
                        if ftz:
                            a = f.flush(a)
                        if f.is_nan(a):
                            result = f.nan_of(a)
                        elif f.is_inf(a) or not rounding:
                            result = a
                        else:
                            whole = exact.round_integer(f.value(a), TO_INTEGER[rounding])
                            result = f.round(exact.Fraction(whole), "rn", f.negative(a))
                        return exact.saturate(f, result) if sat else result
                    name = f"cvt{rounding}{ftz}{sat}.{kind}.{kind}"
                    if name in ("cvt.f16.f16", "cvt.bf16.bf16", "cvt.f32.f32", "cvt.f64.f64"):
                        continue  # moves: what they make of a NaN is not said
                    yield "cvt", simple(name, [holder(kind)], [holder(kind)], rows, convert)


def narrowing_with_relu():
    """f32 to f16 and bf16 with .relu and .satfinite; two of them to a pair, the first above."""
    for kind, t in (("f16", F16), ("bf16", BF16)):
        single = bounds(F32, t)
        pairs = [(a, single[(7 * i + 3) % len(single)][0]) for i, (a,) in enumerate(single)]
        for rounding in (".rn", ".rz"):
            for relu in ("", ".relu"):
                for satfinite in ("", ".satfinite"):
                    one = limited_conversion(F32, t, rounding[1:], relu, satfinite)
                    if relu or satfinite:
                        yield "cvt", simple(f"cvt{rounding}{relu}{satfinite}.{kind}.f32", ["b32"],
                                            ["b16"], single, one)
                    yield "cvt", simple(f"cvt{rounding}{relu}{satfinite}.{kind}x2.f32",
                                        ["b32", "b32"], ["b32"], pairs,
                                        lambda a, b, one=one: one(a) << 16 | one(b))


# ---- cvt.pack --------------------------------------------------------------------------------

def packs():
    """Saturated values of two words: a above b, the rest from the low bits of c."""
    pool = [0, 1, 7, 8, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 1 << 31, (1 << 31) - 1,
            wrap(-1, 32), wrap(-2, 32), wrap(-8, 32), wrap(-9, 32), wrap(-129, 32),
            wrap(-32769, 32)]
    numbers = Numbers("pack")
    for kind in ("u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"):
        n = width(kind)

        def pack(a, b, c=0, n=n, kind=kind):
            low = clamp(signed(a, 32), kind) << n | clamp(signed(b, 32), kind)
            return wrap(c << 2 * n | low, 32)
        pairs = [(a, numbers.choice(pool)) for a in pool + pool]
        if n == 16:
            yield "cvt", simple(f"cvt.pack.sat.{kind}.s32", ["b32"] * 2, ["b32"], pairs, pack)
        else:
            rows = [(a, b, numbers.bits(32)) for a, b in pairs]
            yield "cvt", simple(f"cvt.pack.sat.{kind}.s32.b32", ["b32"] * 3, ["b32"], rows, pack)


def forms():
    for group in (between_integers, floats_to_integers, integers_to_floats, between_floats,
                  to_whole_numbers, narrowing_with_relu, packs):
        for mnemonic, form in group():
            yield mnemonic, SOURCE, form

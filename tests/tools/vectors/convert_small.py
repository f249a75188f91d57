# SPDX-License-Identifier: Apache-2.0
"""cvt to and from formats of 8 bits and fewer, and tf32. Stochastic rounding (.rs) is not here: how
its random bits are laid out has no text to test against."""
from .convert import bounds
from .exact import BF16, F16, F32, Format, Fraction, convert, power_of_two
from .form import registers, simple
from .operands import many, two

SOURCE = ("PTX ISA, cvt: alternate floating-point formats; OCP MX and FP8 formats; "
          "exact rational arithmetic rounded once")


class Small(Format):
    """Without infinities: always .satfinite. `nan` is what a NaN becomes."""

    def __init__(self, name, exponent_bits, mantissa_bits, largest, nan):
        super().__init__(name, exponent_bits, mantissa_bits, nan)
        self.largest, self.nan = largest, nan

    def from_format(self, source, x, relu=""):
        if source.is_nan(x):
            return self.nan
        if relu and source.negative(x):
            return 0
        sign = self.sign_bit if source.negative(x) else 0
        if source.is_inf(x):
            return sign | self.largest
        value = abs(source.value(x))
        return sign | (min(self.code(value, "rn"), self.largest) if value else 0)


E4M3 = Small("e4m3", 4, 3, 0x7E, 0x7F)
E5M2 = Small("e5m2", 5, 2, 0x7B, 0x7F)
E2M3 = Small("e2m3", 2, 3, 0x1F, 0x1F)
E3M2 = Small("e3m2", 3, 2, 0x1F, 0x1F)
E2M1 = Small("e2m1", 2, 1, 0x07, 0x07)
TF32 = Format("tf32", 8, 10, 0x3FFFF)


def pairs_of(rows):
    return [(a, rows[(7 * i + 3) % len(rows)][0]) for i, (a,) in enumerate(rows)]


def wide_numbers(source, small):
    """Numbers of a wider format about those of a small one."""
    rows = [x for x in many(source)]
    codes = range(small.largest + 1) if small.bits <= 6 else list(range(10)) + [
        small.largest - i for i in range(4)] + list(range(20, small.largest, 9))
    for code in codes:
        exponent, mantissa = code >> small.mantissa_bits, code & (1 << small.mantissa_bits) - 1
        scale = max(exponent, 1) - small.bias - small.mantissa_bits
        units = mantissa + (1 << small.mantissa_bits if exponent else 0)
        middle = source.round((units + Fraction(1, 2)) * power_of_two(scale))
        exactly = source.round(units * power_of_two(scale))
        sign = source.sign_bit if code & 1 else 0
        rows += [sign | x for x in (exactly, middle, middle + 1, max(middle - 1, 0))]
    return [(x,) for x in dict.fromkeys(rows)]


# ---- into small formats ----------------------------------------------------------------------

def narrowing():
    for small in (E4M3, E5M2, E2M3, E3M2, E2M1):
        target = "sm_90" if small.bits == 8 else "sm_100a"
        place = 4 if small is E2M1 else 8
        for relu in ("", ".relu"):
            def both(a, b, small=small, relu=relu, place=place):
                return small.from_format(F32, a, relu) << place | small.from_format(F32, b, relu)
            yield narrow_form(f"cvt.rn.satfinite{relu}.{small.name}x2.f32", small, ["b32", "b32"],
                              pairs_of(wide_numbers(F32, small)), both, target)
            if small.bits == 8:
                def halves(a, small=small, relu=relu):
                    low, high = two(a, 16)
                    return small.from_format(F16, high, relu) << 8 | small.from_format(F16, low,
                                                                                      relu)
                rows = [(a | b << 16,) for a, b in pairs_of(wide_numbers(F16, small))]
                yield narrow_form(f"cvt.rn.satfinite{relu}.{small.name}x2.f16x2", small, ["b32"],
                                  rows, halves, target)


def narrow_form(name, small, ins, rows, function, target):
    """Pairs of e2m1 live in 8 bits."""
    inputs = ", ".join(r for r, _ in registers(ins, "ab"))
    if small is not E2M1:
        return simple(name, ins, ["b16"], rows, function, target=target)
    return simple(name, ins, ["b16"], rows, function,
                  [f"{name} %byte, {inputs};", "cvt.u16.u8 %x, %byte;"],
                  decl=[".reg .b8 %byte;"], target=target)


# ---- out of small formats --------------------------------------------------------------------

def small_value(small, code):
    exponent = (code & small.sign_bit - 1) >> small.mantissa_bits
    mantissa = code & (1 << small.mantissa_bits) - 1
    units = mantissa + (1 << small.mantissa_bits if exponent else 0)
    return units * power_of_two(max(exponent, 1) - small.bias - small.mantissa_bits)


def to_half(small, code, relu):
    magnitude = code & small.sign_bit - 1
    if small is E5M2 and magnitude == 0x7C:
        result = F16.infinity
    elif small.bits == 8 and magnitude > (0x7C if small is E5M2 else 0x7E):
        return F16.nan
    else:
        result = F16.round(small_value(small, code))
    if code & small.sign_bit:
        return 0 if relu else result | F16.sign_bit
    return result


def widening():
    """All codes."""
    for small in (E4M3, E5M2, E2M3, E3M2, E2M1):
        target = "sm_90" if small.bits == 8 else "sm_100a"
        place, count = (4, 16) if small is E2M1 else (8, 1 << small.bits)
        rows = [(code | (code * 5 + 3) % count << place,) for code in range(count)]
        for relu in ("", ".relu"):
            def both(a, small=small, relu=relu, place=place):
                low, high = a & (1 << place) - 1, a >> place
                return to_half(small, low, relu) | to_half(small, high, relu) << 16
            name = f"cvt.rn{relu}.f16x2.{small.name}x2"
            if small is E2M1:
                yield simple(name, ["b16"], ["b32"], rows, both,
                             ["cvt.u8.u16 %byte, %a;", f"{name} %x, %byte;"],
                             decl=[".reg .b8 %byte;"], target=target)
            else:
                yield simple(name, ["b16"], ["b32"], rows, both, target=target)


# ---- powers of two ---------------------------------------------------------------------------

def to_power(f, x, mode, satfinite):
    """ue8m0: the exponent of |x|, towards zero or away from it."""
    largest = 0xFE if satfinite else 0xFF
    if f.is_nan(x):
        return 0xFF
    if f.is_inf(x):
        return largest
    value = abs(f.value(x))
    if not value:
        return 0
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if value < power_of_two(exponent):
        exponent -= 1
    if mode == ".rp" and value != power_of_two(exponent):
        exponent += 1
    return min(max(exponent + 127, 0), largest)


def powers():
    for mode in (".rz", ".rp"):
        for satfinite in ("", ".satfinite"):
            yield simple(f"cvt{mode}{satfinite}.ue8m0x2.f32", ["b32", "b32"], ["b16"],
                         pairs_of(bounds(F32, BF16)),
                         lambda a, b, m=mode, s=satfinite: to_power(F32, a, m, s) << 8
                         | to_power(F32, b, m, s), target="sm_100a")
            rows = [(a | b << 16,) for a, b in pairs_of([(x,) for x in many(BF16)] + [
                (x,) for x in (0x0040, 0x0041, 0x003F, 0x0060, 0x4049, 0x7F00, 0xBF81)])]
            yield simple(f"cvt{mode}{satfinite}.ue8m0x2.bf16x2", ["b32"], ["b16"], rows,
                         lambda a, m=mode, s=satfinite: to_power(BF16, a >> 16, m, s) << 8
                         | to_power(BF16, a & 0xFFFF, m, s), target="sm_100a")

    def widen(code):
        return BF16.nan if code == 0xFF else BF16.round(power_of_two(code - 127))
    yield simple("cvt.rn.bf16x2.ue8m0x2", ["b16"], ["b32"],
                 [(c | (c * 7 + 1) % 256 << 8,) for c in range(256)],
                 lambda a: widen(a & 255) | widen(a >> 8) << 16, target="sm_100a")


# ---- tf32 ------------------------------------------------------------------------------------

def tf32():
    """19 bits at the top of a word. What NaN becomes is not said: the canonical one here, but with
    .rna not even a NaN."""
    rows = bounds(F32, TF32)
    for rounding in (".rn", ".rz", ".rna"):
        for relu in ("",) if rounding == ".rna" else ("", ".relu"):
            for satfinite in ("", ".satfinite"):
                def run(a, mode=rounding[1:], relu=relu, satfinite=satfinite):
                    if F32.is_nan(a):
                        return TF32.nan << 13
                    result = convert(F32, TF32, a, mode)
                    if satfinite and TF32.is_inf(result):
                        result = result & TF32.sign_bit | TF32.largest
                    return 0 if relu and TF32.negative(result) else result << 13
                used = [row for row in rows if not (rounding == ".rna" and F32.is_nan(row[0]))]
                extra = {"target": "sm_100a"} if satfinite and rounding != ".rna" else {}
                yield simple(f"cvt{rounding}{relu}{satfinite}.tf32.f32", ["b32"], ["b32"], used,
                             run, **extra)


def forms():
    for group in (narrowing, widening, powers, tf32):
        for form in group():
            yield "cvt", SOURCE, form

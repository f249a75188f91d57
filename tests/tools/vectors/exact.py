# SPDX-License-Identifier: Apache-2.0
"""Binary floating-point formats and exact arithmetic on them: a value is a fraction, a result is
rounded once. Numbers travel as their bits."""
from fractions import Fraction
from math import isqrt


class Format:
    """sign, exponent, mantissa, as IEEE 754 lays them out."""

    def __init__(self, name, exponent_bits, mantissa_bits, canonical_nan, keeps_nan=False):
        self.name = name
        self.exponent_bits = exponent_bits
        self.mantissa_bits = mantissa_bits
        self.bits = 1 + exponent_bits + mantissa_bits
        self.bias = (1 << (exponent_bits - 1)) - 1
        self.emin = 1 - self.bias
        self.infinity = ((1 << exponent_bits) - 1) << mantissa_bits
        self.largest = self.infinity - 1
        self.smallest_normal = 1 << mantissa_bits
        self.sign_bit = 1 << (self.bits - 1)
        self.one = self.bias << mantissa_bits
        self.nan = canonical_nan  # what arithmetic returns
        self.keeps_nan = keeps_nan  # unless an operand is one (QUIRKS.md)

    def magnitude(self, x):
        return x & (self.sign_bit - 1)

    def negative(self, x):
        return bool(x & self.sign_bit)

    def is_nan(self, x):
        return self.magnitude(x) > self.infinity

    def nan_of(self, *operands):
        """A NaN result of these: the first NaN among them, made quiet, or the canonical one."""
        for x in operands:
            if self.keeps_nan and self.is_nan(x):
                return x | self.smallest_normal >> 1
        return self.nan

    def is_inf(self, x):
        return self.magnitude(x) == self.infinity

    def is_zero(self, x):
        return self.magnitude(x) == 0

    def is_subnormal(self, x):
        return 0 < self.magnitude(x) < self.smallest_normal

    def value(self, x):
        """The exact value of a finite number."""
        magnitude = self.magnitude(x)
        exponent = magnitude >> self.mantissa_bits
        mantissa = magnitude & (self.smallest_normal - 1)
        if exponent:
            mantissa |= self.smallest_normal
        scale = max(exponent, 1) - self.bias - self.mantissa_bits
        result = Fraction(mantissa << scale) if scale >= 0 else Fraction(mantissa, 1 << -scale)
        return -result if self.negative(x) else result

    def flush(self, x):
        """.ftz: a subnormal number becomes a zero of its sign."""
        return x & self.sign_bit if self.is_subnormal(x) else x

    def code(self, value, mode, negative=False):
        """Code of a magnitude > 0 if exponents had no upper end."""
        exponent = value.numerator.bit_length() - value.denominator.bit_length()
        if value < power_of_two(exponent):
            exponent -= 1
        exponent = max(exponent, self.emin)
        units = round_magnitude(value / power_of_two(exponent - self.mantissa_bits), mode, negative)
        return (exponent - self.emin << self.mantissa_bits) + units

    def round(self, value, mode="rn", zero_sign=0):
        """Bits of the fraction `value`, rounded rn, rz, rm, rp or rna (ties away from zero). An
        exact zero gets the sign bit `zero_sign`."""
        if value == 0:
            return zero_sign * self.sign_bit
        sign = self.sign_bit if value < 0 else 0
        bits = self.code(abs(value), mode, bool(sign))
        if bits >= self.infinity:
            bits = self.infinity if rounds_to_infinity(mode, bool(sign)) else self.largest
        return sign | bits


def power_of_two(exponent):
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def round_magnitude(value, mode, negative):
    """A fraction >= 0 to an integer; rm and rp look at the sign of the whole."""
    whole, rest = divmod(value.numerator, value.denominator)
    if rest == 0:
        return whole
    twice = 2 * rest - value.denominator
    if mode == "rn":
        up = twice > 0 or (twice == 0 and whole & 1)
    elif mode == "rna":
        up = twice >= 0
    elif mode == "rm":
        up = negative
    elif mode == "rp":
        up = not negative
    else:
        assert mode == "rz"
        up = False
    return whole + (1 if up else 0)


def round_integer(value, mode):
    magnitude = round_magnitude(abs(value), mode, value < 0)
    return -magnitude if value < 0 else magnitude


def rounds_to_infinity(mode, negative):
    return mode in ("rn", "rna") or (mode == "rm" and negative) or (mode == "rp" and not negative)


F16 = Format("f16", 5, 10, 0x7FFF)
BF16 = Format("bf16", 8, 7, 0x7FFF)
F32 = Format("f32", 8, 23, 0x7FFFFFFF)
F64 = Format("f64", 11, 52, 0xFFF8000000000000, True)


# ---- IEEE 754 operations: bits in, bits out -----------------------------------------------------

def zero_sum_sign(mode):
    """Sign of an exact sum of zero of terms that are not all -0."""
    return 1 if mode == "rm" else 0


def add(f, a, b, mode="rn"):
    if f.is_nan(a) or f.is_nan(b):
        return f.nan_of(a, b)
    if f.is_inf(a) or f.is_inf(b):
        if f.is_inf(a) and f.is_inf(b) and a != b:
            return f.nan
        return a if f.is_inf(a) else b
    if a == b == f.sign_bit:
        return a
    if f.is_zero(a) and f.is_zero(b) and a == b:
        return a
    return f.round(f.value(a) + f.value(b), mode, zero_sum_sign(mode))


def sub(f, a, b, mode="rn"):
    return f.nan_of(a, b) if f.is_nan(b) else add(f, a, b ^ f.sign_bit, mode)


def mul(f, a, b, mode="rn"):
    sign = (a ^ b) & f.sign_bit
    if f.is_nan(a) or f.is_nan(b):
        return f.nan_of(a, b)
    if f.is_inf(a) or f.is_inf(b):
        return f.nan if f.is_zero(a) or f.is_zero(b) else sign | f.infinity
    return f.round(f.value(a) * f.value(b), mode, 1 if sign else 0)


def fma(f, a, b, c, mode="rn"):
    sign = (a ^ b) & f.sign_bit
    if f.is_nan(a) or f.is_nan(b) or f.is_nan(c):
        return f.nan_of(a, b, c)
    if f.is_inf(a) or f.is_inf(b):
        if f.is_zero(a) or f.is_zero(b):
            return f.nan
        return f.nan if f.is_inf(c) and (c & f.sign_bit) != sign else sign | f.infinity
    if f.is_inf(c):
        return c
    product = f.value(a) * f.value(b)
    if product == 0 and f.is_zero(c) and sign == (c & f.sign_bit):
        return c
    return f.round(product + f.value(c), mode, zero_sum_sign(mode))


def div(f, a, b, mode="rn"):
    sign = (a ^ b) & f.sign_bit
    if f.is_nan(a) or f.is_nan(b):
        return f.nan_of(a, b)
    if f.is_inf(a) or f.is_zero(b):
        if f.is_inf(b) or (f.is_zero(a) and f.is_zero(b)):
            return f.nan
        return sign | f.infinity
    if f.is_inf(b):
        return sign
    return f.round(f.value(a) / f.value(b), mode, 1 if sign else 0)


def rcp(f, a, mode="rn"):
    return div(f, f.one, a, mode)


def sqrt(f, a, mode="rn"):
    if f.is_nan(a):
        return f.nan_of(a)
    if f.is_zero(a):
        return a
    if f.negative(a):
        return f.nan
    if f.is_inf(a):
        return a
    # The integer root of the value times 4^shift, with a last bit that says whether it is exact:
    # far finer than the format, so that rounding sees on which side the root lies.
    value, shift = f.value(a), f.mantissa_bits + 4 + max(0, 2 - f.emin)
    scaled = value * (1 << (2 * shift))
    root = isqrt(scaled.numerator // scaled.denominator)
    inexact = root * root != scaled
    return f.round(Fraction(2 * root + (1 if inexact else 0), 1 << (shift + 1)), mode)


def saturate(f, x):
    """.sat: clamped to [0, 1]; NaN becomes +0."""
    if f.is_nan(x) or f.negative(x):
        return 0
    return min(x, f.one)


def compare(f, a, b):
    """-1, 0, 1, or None if they are unordered."""
    if f.is_nan(a) or f.is_nan(b):
        return None
    x, y = ordered_key(f, a), ordered_key(f, b)
    return (x > y) - (x < y)


def ordered_key(f, x):
    return -f.magnitude(x) if f.negative(x) else f.magnitude(x)


def convert(source, target, x, mode="rn"):
    """From one format to another; the caller handles NaN."""
    sign = target.sign_bit if source.negative(x) else 0
    if source.is_inf(x):
        return sign | target.infinity
    return target.round(source.value(x), mode, 1 if sign else 0)

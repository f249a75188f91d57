# SPDX-License-Identifier: Apache-2.0
"""Small matrices as rows of bits, and D = A B + C of them. Sums of floats are exact in fractions and
rounded once; the operands keep them within the 53 bits of a double, whatever the order."""
import functools
import operator
from fractions import Fraction

from .exact import BF16, F16, F32, F64
from .form import ANY_NAN
from .integers import number, wrap
from .operands import quiet_nan, random_number

WIDTH = {"s8": 8, "u8": 8, "f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "s32": 32, "f64": 64}
# tf32: a float whose last 13 bits are zero
FLOATS = {"f16": F16, "bf16": BF16, "tf32": F32, "f32": F32, "f64": F64}
TF32_BITS = 0xFFFFE000
INFINITE, NAN = "infinite", "nan"


# ---- elements --------------------------------------------------------------------------------

def whole(kind, numbers, limit):
    return FLOATS[kind].round(Fraction(numbers.below(2 * limit + 1) - limit))


def factor(kind, numbers, style):
    """An element of A or B; `style` of floats: whole, wide, tiny, special."""
    if kind not in FLOATS:
        return numbers.bits(8)
    f = FLOATS[kind]
    kept = TF32_BITS if kind == "tf32" else -1
    if style == "wide":
        return random_number(f, numbers, -6, 6) & kept
    if style == "tiny":
        return (numbers.bits(1) * f.sign_bit | numbers.bits(f.mantissa_bits)) & kept
    if style == "special" and numbers.below(40) == 0:
        return numbers.choice([f.infinity, f.sign_bit | f.infinity, quiet_nan(f)]) & kept
    return whole(kind, numbers, 1 << 20 if kind == "f64" else 4)


def term(kind, numbers, style):
    """An element of C."""
    if kind not in FLOATS:
        return numbers.bits(32) if style == "large" else wrap(numbers.below(2001) - 1000, 32)
    f = FLOATS[kind]
    if style == "wide":
        return random_number(f, numbers, -6, 6)
    if style == "tiny":
        return 0
    if style == "special" and numbers.below(12) == 0:
        return numbers.choice([f.infinity, f.sign_bit | f.infinity, quiet_nan(f)])
    return whole(kind, numbers, 100)


def matrix(rows, columns, element):
    return [[element() for _ in range(columns)] for _ in range(rows)]


def operands(numbers, shape, kinds, style):
    """A, B and C; of tiny factors the others are whole numbers."""
    (m, n, k), (_, a, b, c) = shape, kinds
    style_b = "whole" if style == "tiny" else style
    return (matrix(m, k, lambda: factor(a, numbers, style)),
            matrix(k, n, lambda: factor(b, numbers, style_b)),
            matrix(m, n, lambda: term(c, numbers, style)))


# ---- sums ------------------------------------------------------------------------------------

def real(kind, bits):
    """The number; infinities are pairs with their sign."""
    if kind not in FLOATS:
        return number(bits, kind)
    f = FLOATS[kind]
    if f.is_nan(bits):
        return NAN
    return (INFINITE, -1 if f.negative(bits) else 1) if f.is_inf(bits) else f.value(bits)


def product(x, y):
    if x is NAN or y is NAN:
        return NAN
    if isinstance(x, tuple) or isinstance(y, tuple):
        signs = [v[1] if isinstance(v, tuple) else (v > 0) - (v < 0) for v in (x, y)]
        return (INFINITE, signs[0] * signs[1]) if all(signs) else NAN
    return x * y


def finite(x):
    return x is not NAN and not isinstance(x, tuple)


def total(kind, terms, unit, satfinite=False):
    """The bits of the sum, counted in 1 / unit, in the type of D; None is a NaN."""
    if kind == "s32":
        value = sum(terms)
        return wrap(min(max(value, -1 << 31), (1 << 31) - 1) if satfinite else value, 32)
    f = FLOATS[kind]
    infinite = {t for t in terms if isinstance(t, tuple)}
    if NAN in terms or len(infinite) == 2:
        return ANY_NAN
    if infinite:
        return f.infinity | (f.sign_bit if infinite.pop()[1] < 0 else 0)
    bits = functools.reduce(operator.or_, map(abs, terms))
    assert sum(map(abs, terms)) < (bits & -bits or 1) << 53  # exact in any order
    return f.round(Fraction(sum(terms), unit))


def scaled(kind, rows):
    """The numbers as integers, and the unit that they count."""
    reals = [[real(kind, x) for x in row] for row in rows]
    unit = max((x.denominator for row in reals for x in row if finite(x)), default=1)
    return [[int(x * unit) if finite(x) else x for x in row] for row in reals], unit


def multiply(shape, kinds, a, b, c, satfinite=False):
    (m, n, k), (kind_d, kind_a, kind_b, kind_c) = shape, kinds
    (left, left_unit), (right, right_unit) = scaled(kind_a, a), scaled(kind_b, b)
    added, added_unit = scaled(kind_c, c)
    unit = max(left_unit * right_unit, added_unit)
    factor = unit // (left_unit * right_unit)
    left = [[x * factor if finite(x) else x for x in row] for row in left]
    added = [[x * (unit // added_unit) if finite(x) else x for x in row] for row in added]
    return [[total(kind_d, [product(left[i][s], right[s][j]) for s in range(k)] + [added[i][j]],
                   unit, satfinite)
             for j in range(n)] for i in range(m)]

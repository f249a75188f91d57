# SPDX-License-Identifier: Apache-2.0
"""Operands of floating-point instructions: special numbers and places where rounding decides."""
from .exact import BF16, F16, F32, F64
from .form import Numbers, crossed

FORMATS = {"f16": F16, "bf16": BF16, "f32": F32, "f64": F64}


def quiet_nan(f):
    return f.infinity | 1 << (f.mantissa_bits - 1) | 5


def signalling_nan(f):
    return f.infinity | 1


def few(f):
    """Eleven numbers that cross into all special cases."""
    s = f.sign_bit
    return [0, s, 3, s | f.smallest_normal - 1, f.smallest_normal, f.one, s | f.one + 1, f.largest,
            f.infinity, s | f.infinity, quiet_nan(f)]


def nans(f):
    """NaNs that differ in sign, payload and quietness, by which a result tells its operand."""
    quiet = f.infinity | 1 << (f.mantissa_bits - 1)
    return [quiet | 1, f.sign_bit | quiet | 2, f.infinity | 3, f.sign_bit | f.infinity | 4]


def nan_rows(f, count):
    """Every place of the first NaN, with every NaN and with numbers behind and before it."""
    pool = nans(f) + [f.one, f.infinity, 0]
    return [row for row in crossed(*[pool] * count) if any(f.is_nan(x) for x in row)]


def many(f):
    """Every kind of number with both signs."""
    magnitudes = [0, 1, 2, f.smallest_normal - 1, f.smallest_normal, f.smallest_normal + 1,
                  f.one - 1, f.one, f.one + 1, f.one + (3 << f.mantissa_bits - 1), f.largest - 1,
                  f.largest, f.infinity, signalling_nan(f), quiet_nan(f), f.infinity | f.infinity
                  - 1 & f.smallest_normal - 1]
    return [x | s for x in magnitudes for s in (0, f.sign_bit)]


def random_number(f, numbers, low=None, high=None):
    """A number with a binary exponent in [low, high], of any value of the mantissa or of a short
    one, so that results often lie half-way."""
    low = f.emin if low is None else low
    high = f.bias if high is None else high
    exponent = low + numbers.below(high - low + 1)
    mantissa = numbers.bits(f.mantissa_bits)
    if numbers.bits(1):
        mantissa &= -1 << f.mantissa_bits // 2 + 1
    exponent_field = min(max(exponent + f.bias, 0), 2 * f.bias)
    return numbers.bits(1) * f.sign_bit | exponent_field << f.mantissa_bits | mantissa


def singles(f, count=40):
    numbers = Numbers("float singles", f.name)
    return [(x,) for x in many(f)] + [(random_number(f, numbers),) for _ in range(count)]


def sums(f):
    """Pairs for additions."""
    numbers = Numbers("float sums", f.name)
    rows = crossed(few(f), few(f)) + [(signalling_nan(f), f.one)]
    m = f.mantissa_bits
    for _ in range(30):  # the second is about half a unit of the first
        a = random_number(f, numbers, f.emin + m + 2)
        exponent = ((a & ~f.sign_bit) >> m) - m - 1
        b = numbers.bits(1) * f.sign_bit | exponent << m
        rows.append((a, b + numbers.below(3) - (1 if b & f.smallest_normal else 0)))
    for _ in range(12):  # cancellation
        a = random_number(f, numbers)
        rows.append((a, a ^ f.sign_bit ^ numbers.below(4)))
    for _ in range(6):  # overflow by half a unit
        half = f.largest - (m + 1 << m) & f.infinity
        rows.append((f.largest, half + numbers.below(3) - 1))
    rows += [(random_number(f, numbers, -8, 8), random_number(f, numbers, -8, 8))
             for _ in range(20)]
    return rows + (nan_rows(f, 2) if f.keeps_nan else [])


def products(f):
    """Pairs for multiplications and divisions."""
    numbers = Numbers("float products", f.name)
    rows = crossed(few(f), few(f)) + [(f.one, signalling_nan(f))]
    for target in (f.emin, f.emin - f.mantissa_bits, f.bias, 0):
        for _ in range(15):  # the exponents add up to about the target
            a = random_number(f, numbers, max(f.emin, target - f.bias), min(f.bias, target -
                                                                             f.emin))
            e = (a & f.infinity) >> f.mantissa_bits
            b = target - (e - f.bias) + numbers.below(5) - 2
            rows.append((a, random_number(f, numbers, b, b)))
    return rows + (nan_rows(f, 2) if f.keeps_nan else [])


def quotients(f):
    return [(a, b) if i < 121 else (a, reciprocal_exponent(f, b))
            for i, (a, b) in enumerate(products(f))]


def reciprocal_exponent(f, x):
    """About 1/x: products near a bound become quotients near it."""
    if f.is_nan(x) or f.is_inf(x) or f.is_zero(x):
        return x
    exponent = min(max(2 * f.bias - (f.magnitude(x) >> f.mantissa_bits), 1), 2 * f.bias)
    return x & (f.sign_bit | f.smallest_normal - 1) | exponent << f.mantissa_bits


def fused(f):
    """Triples for fused multiply-add."""
    numbers = Numbers("float fused", f.name)
    rows = [tuple(numbers.choice(few(f)) for _ in range(3)) for _ in range(90)]
    rows += [(f.infinity, 0, f.one), (f.infinity, f.one, f.sign_bit | f.infinity),
             (f.sign_bit, f.one, f.sign_bit), (f.sign_bit, f.one, 0), (f.one, f.one,
                                                                      f.sign_bit | f.one),
             (signalling_nan(f), 0, 0), (0, f.infinity, quiet_nan(f))]
    for a, b in products(f)[122:182]:  # a third that meets the product's last bits
        e = ((a & f.infinity) + (b & f.infinity) >> f.mantissa_bits) - 2 * f.bias
        shift = numbers.choice([-f.mantissa_bits - 1, -1, 0, 1, f.mantissa_bits])
        c = min(max(e + shift, f.emin - 1), f.bias)
        rows.append((a, b, random_number(f, numbers, c, c)))
    for _ in range(10):  # the sum cancels but for the product's tail
        a, b = (random_number(f, numbers, -4, 4) for _ in range(2))
        c = f.round(f.value(a) * f.value(b)) ^ f.sign_bit
        rows.append((a, b, c))
    return rows + (nan_rows(f, 3)[::2] if f.keeps_nan else [])


def packed(rows, bits):
    """Two rows a register: row i below, some other row above."""
    step = len(rows) // 2 + 3
    return [tuple(x | y << bits for x, y in zip(row, rows[(i * 7 + step) % len(rows)]))
            for i, row in enumerate(rows)]


def two(x, bits):
    """The halves of a packed register."""
    return x & ((1 << bits) - 1), x >> bits

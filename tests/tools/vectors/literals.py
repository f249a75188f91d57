# SPDX-License-Identifier: Apache-2.0
"""Instructions with constants for operands: PTX constants are 64-bit integers, cut to the type, or
doubles, rounded to it."""
from . import exact
from .exact import F32, F64
from .floats import arithmetic
from .form import Numbers, simple
from .integers import clamp, number, wrap

SOURCE = "PTX ISA, Constants and Constant Expressions"
# What is written, and its value.
INTEGERS = [("42", 42), ("-1", -1), ("0x7f", 0x7F), ("010", 8), ("0b101", 5), ("7U", 7),
            ("-0x10", -16), ("(3+4)*2", 14), ("~5", -6), ("1<<5", 32), ("!0", 1), ("7/2", 3),
            ("-7 % 3", -1), ("3>2?5:6", 5), ("6&3|8", 10), ("6^3", 5), ("100-58==42", 1)]
WIDE = [("0xffffffff", 0xFFFFFFFF), ("-2147483648", -2147483648), ("4294967295", 4294967295)]
FLOATS = [("0f3f800000", F32.value(0x3F800000)), ("0fBF000000", F32.value(0xBF000000)),
          ("1.5", exact.Fraction(3, 2)), ("-0.1", F64.value(0xBFB999999999999A)),
          ("1e3", exact.Fraction(1000)), ("0d3FD5555555555555", F64.value(0x3FD5555555555555))]
OPERATIONS = {
    "add": ("add", lambda a, b: a + b), "sub": ("sub", lambda a, b: a - b),
    "mul": ("mul.lo", lambda a, b: a * b), "min": ("min", min), "max": ("max", max),
}


def several(mnemonic, name, bits, literals, statement, function):
    """A result for each literal."""
    numbers = Numbers("literal", name)
    form = simple(f"{name} with constants", [f"b{bits}"], [], [(numbers.bits(bits),)
                                                               for _ in range(4)] + [(1,)],
                  lambda a: tuple(function(a, value) for _, value in literals),
                  [statement.format(x=f"%x{i}", literal=text) for i, (text, _) in
                   enumerate(literals)])
    form.outs = [(f"%x{i}", f"b{bits}") for i in range(len(literals))]
    return mnemonic, form


def integers():
    for kind in ("u16", "s16", "u32", "s32", "u64", "s64"):
        bits = int(kind[1:])
        literals = INTEGERS + (WIDE if bits > 16 else [])
        for mnemonic, (full, function) in OPERATIONS.items():
            yield several(mnemonic, f"{full}.{kind}", bits, literals,
                          f"{full}.{kind} {{x}}, %a, {{literal}};",
                          lambda a, b, f=function, k=kind, n=bits: wrap(
                              f(number(a, k), number(wrap(b, n), k)), n))
    for bits in (16, 32, 64):
        literals = INTEGERS + (WIDE if bits > 16 else [])
        for mnemonic, function in (("and", lambda a, b: a & b), ("or", lambda a, b: a | b),
                                   ("xor", lambda a, b: a ^ b)):
            yield several(mnemonic, f"{mnemonic}.b{bits}", bits, literals,
                          f"{mnemonic}.b{bits} {{x}}, %a, {{literal}};",
                          lambda a, b, f=function, n=bits: f(a, wrap(b, n)))
        yield several("mov", f"mov.b{bits}", bits, literals, f"mov.b{bits} {{x}}, {{literal}};",
                      lambda a, b, n=bits: wrap(b, n))
    yield several("add", "add.sat.s32", 32, INTEGERS, "add.sat.s32 {x}, {literal}, %a;",
                  lambda a, b: clamp(number(a, "s32") + b, "s32"))


def floats():
    for f in (F32, F64):
        literals = [(text, f.round(value)) for text, value in FLOATS
                    if f is F64 or not text.startswith("0d")]
        literals = [(t, b) for t, b in literals if f is F32 or not t.startswith("0f")]
        for mnemonic, function in (("add", exact.add), ("mul", exact.mul)):
            run = arithmetic(f, function)
            name = f"{mnemonic}.rn.{f.name}"
            numbers = Numbers("float literal", name)
            rows = [(f.round(exact.Fraction(numbers.below(2000) - 1000, 7)),) for _ in range(5)]
            form = simple(f"{name} with constants", [f"b{f.bits}"], [], rows,
                          lambda a, run=run, literals=literals: tuple(run(a, b)
                                                                      for _, b in literals),
                          [f"{name} %x{i}, {text}, %a;" for i, (text, _) in enumerate(literals)])
            form.outs = [(f"%x{i}", f"b{f.bits}") for i in range(len(literals))]
            yield mnemonic, form


def forms():
    for group in (integers, floats):
        for mnemonic, form in group():
            yield mnemonic, SOURCE, form

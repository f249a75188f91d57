# SPDX-License-Identifier: Apache-2.0
"""A form of an instruction with its rows, as tests/vectors/vector_file.h describes the file."""
import hashlib
import itertools

BITS = {"pred": 1, "b8": 8, "b16": 16, "b32": 32, "b64": 64, "b128": 128}
ANY_NAN = None  # an expected value: any NaN of f16, f32 or f64
ANYTHING = "-"  # an expected value: not compared


class Form:
    def __init__(self, name, ins, outs, lines, rows, **extra):
        self.name = name
        self.ins = ins  # [("%a", "b32")]
        self.outs = outs
        self.lines = lines  # [("do", "add.u32 %x, %a, %b;")]
        self.rows = rows  # [(inputs, outputs)]
        self.extra = extra  # target, lanes, threads, fault, deadlock

    def write(self, out):
        out.append("form " + self.name)
        for key, value in self.extra.items():
            out.append(f"{key} {value}")
        if self.ins:
            out.append("in " + " ".join(f"{n}.{t}" for n, t in self.ins))
        if self.outs:
            out.append("out " + " ".join(f"{n}.{t}" for n, t in self.outs))
        for kind, text in self.lines:
            out.append(f"{kind} {text}")
        for inputs, outputs in self.rows:
            assert len(inputs) == len(self.ins) and len(outputs) == len(self.outs), self.name
            words = [hexadecimal(v, t) for v, (_, t) in zip(inputs, self.ins)] + ["="]
            words += [hexadecimal(v, t) for v, (_, t) in zip(outputs, self.outs)]
            out.append(" ".join(words))


def hexadecimal(value, kind):
    bits = BITS[kind]
    if value is ANY_NAN:
        assert bits in (16, 32, 64)
        return "nan"
    if value == ANYTHING:
        return value
    value = int(value)
    assert 0 <= value < 1 << bits, (value, kind)
    return f"{value:0{max(1, bits // 4)}x}"


def registers(kinds, letters):
    return [("%" + letters[i], kind) for i, kind in enumerate(kinds)]


def simple(name, ins, outs, operands, function, statements=None, decl=(), **extra):
    """Registers %a %b %c ... in, %x %y %z out. `function` maps a row's operands to its result, or
    to a tuple of results. Without `statements`: the instruction `name` with all of them."""
    if statements is None:
        names = [r for r, _ in registers(outs, "xyzw") + registers(ins, "abcdefgh")]
        statements = [f"{name} {', '.join(names)};"]
    rows = []
    for row in operands:
        result = function(*row)
        rows.append((row, result if isinstance(result, tuple) else (result,)))
    lines = [("decl", line) for line in decl] + [("do", line) for line in statements]
    return Form(name, registers(ins, "abcdefgh"), registers(outs, "xyzw"), lines, rows, **extra)


class Numbers:
    """SplitMix64 (Steele, Lea, Flood 2014), started by the purpose: the same on every Python."""

    def __init__(self, *key):
        digest = hashlib.sha256("/".join(str(k) for k in key).encode()).digest()
        self.state = int.from_bytes(digest[:8], "little")

    def word(self):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return z ^ (z >> 31)

    def bits(self, count):
        value = 0
        for at in range(0, count, 64):
            value |= self.word() << at
        return value & ((1 << count) - 1)

    def below(self, limit):
        return self.word() % limit

    def choice(self, items):
        return items[self.below(len(items))]


def crossed(*pools):
    """All combinations."""
    return list(itertools.product(*pools))


def picked(numbers, count, *pools):
    """`count` random combinations."""
    return [tuple(numbers.choice(pool) for pool in pools) for _ in range(count)]

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""native-integer.py FOLDER writes integer.ptx and integer_90.ptx: integer instructions of PTX in all types and
modifiers, on lanes of edge values, immediates and uniform values (tests/unit/test_native_execution.c runs them).

An instruction is written with $d $D $p (results of 32 and 64 bits and predicates), $a $b $c and $A $B $C (lanes of
32 and 64 bits), $h $i (16 bits). Each is written once for every way to take sources: from lanes, as an immediate, as
a uniform value."""
import pathlib
import re
import sys

WORDS = 420  # of a kernel; OUT_WORDS of the test
STRIDE = 4 * 768  # bytes between words of a thread: THREADS of the test
EDGES = [0, 1, 5, 31, 32, 33, 64, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0x12345678,
         0x80ff7f01, 0xfffffff0, 0x40000000]
SOURCES = "abcABChi"


class File:
    def __init__(self, name, target, version):
        self.name, self.head = name, f".version {version}\n.target {target}\n.address_size 64\n"
        self.kernels, self.lines, self.word, self.seed, self.group = [], [], 0, 1, name

    def random(self, n):
        self.seed = (self.seed * 1103515245 + 12345) & 0x7fffffff
        return (self.seed >> 8) % n

    def begin(self, group):
        self.flush()
        self.group = group

    def flush(self):
        if self.lines:
            name = f"{self.group}_{sum(k[0] == self.group for k in self.kernels)}"
            self.kernels.append((self.group, name, self.lines))
        self.lines, self.word = [], 0

    def source(self, letter, kind):
        bits = 64 if letter in "ABC" else 16 if letter in "hi" else 32
        if kind == "v":
            return f"%{letter}" if bits != 64 else f"%{letter}{letter}"
        if kind == "u":
            return f"%u{bits}_{self.random(4)}"
        value = EDGES[self.random(len(EDGES))]
        if bits == 64:
            value |= EDGES[self.random(len(EDGES))] << 32
        value &= (1 << bits) - 1
        if value >> (bits - 1):
            value -= 1 << bits
        return str(value)

    def one(self, text, kinds):
        results = []

        def replace(match):
            letter = match.group(1)
            if letter in SOURCES:
                return self.source(letter, kinds.get(letter, "v"))
            name = {"d": "%r", "D": "%l", "p": "%q"}[letter] + str(len(results))
            results.append((letter, name))
            return name
        line = re.sub(r"\$([a-zA-Z])", replace, text)
        self.lines.append("    " + line + (";" if line[-1] not in ";}" else ""))
        for letter, name in results:
            if letter == "p":
                self.lines.append(f"    selp.u32 %t, 1, 2, {name};")
                name = "%t"
            bits = 64 if letter == "D" else 32
            at = self.word * STRIDE
            if letter == "D":
                self.lines.append(f"    mov.b64 {{%t, %s}}, {name};")
                self.lines.append(f"    st.global.u32 [%out+{at}], %t;")
                self.lines.append(f"    st.global.u32 [%out+{at + STRIDE}], %s;")
            else:
                self.lines.append(f"    st.global.u32 [%out+{at}], {name};")
            self.word += bits // 32
        if self.word > WORDS:
            self.flush()

    def op(self, text, immediates=True, all_kinds=True):
        letters = sorted({x for x in re.findall(r"\$([a-zA-Z])", text) if x in SOURCES})
        combinations = ["v" * len(letters)]
        if all_kinds:
            for kind in "ku" if immediates else "u":
                for k in range(len(letters)):
                    if len(letters) > 1 or kind == "u":
                        combinations.append("v" * k + kind + "v" * (len(letters) - k - 1))
            combinations.append("u" * len(letters))
            for k in range(1, len(letters) if immediates else 0):
                combinations.append("u" * k + "k" + "u" * (len(letters) - k - 1))
        for combination in dict.fromkeys(combinations):
            self.one(text, dict(zip(letters, combination)))

    def write(self, folder):
        self.flush()
        out = ["// SPDX-License-Identifier: Apache-2.0", "// Written by tests/tools/native-integer.py.", self.head]
        out.append(".const .align 8 .u64 uniform_values[4] = {0x12345678000000ff, 0x80000000fffffff1, 31, "
                   "0x7fffffff80007fff};\n")
        for _, name, lines in self.kernels:
            out.append(f""".visible .entry {name}(.param .u64 p_out, .param .u64 p_in, .param .u32 p_n)
{{
    .reg .b16 %h, %i, %u16_<4>, %g<4>;
    .reg .b32 %a, %b, %c, %t, %s, %n, %r<8>, %u32_<4>, %x<8>;
    .reg .b64 %out, %in, %AA, %BB, %CC, %l<8>, %u64_<4>, %y<8>;
    .reg .pred %q<8>, %k<8>, %left;
    ld.param.u64 %out, [p_out];
    ld.param.u64 %in, [p_in];
    ld.param.u32 %n, [p_n];
    mov.u32 %t, %tid.x;
    mov.u32 %s, %ntid.x;
    mov.u32 %r0, %ctaid.x;
    mad.lo.u32 %t, %r0, %s, %t;
    setp.ge.u32 %left, %t, %n;
    @%left ret;
    mad.wide.u32 %in, %t, 24, %in;
    mad.wide.u32 %out, %t, 4, %out;
    cvta.to.global.u64 %in, %in;
    cvta.to.global.u64 %out, %out;
    ld.global.u64 %AA, [%in];
    ld.global.u64 %BB, [%in+8];
    ld.global.u64 %CC, [%in+16];
    cvt.u32.u64 %a, %AA;
    cvt.u32.u64 %b, %BB;
    cvt.u32.u64 %c, %CC;
    cvt.u16.u64 %h, %AA;
    cvt.u16.u64 %i, %BB;""")
            for k in range(4):
                out.append(f"    ld.const.u64 %u64_{k}, [uniform_values+{8 * k}];\n    cvt.u32.u64 %u32_{k}, %u64_{k};\n"
                           f"    cvt.u16.u64 %u16_{k}, %u64_{k};")
            out += lines + ["    ret;", "}"]
        (folder / f"{self.name}.ptx").write_text("\n".join(out) + "\n")


def sums(f):
    f.begin("sums")
    for t in "s32", "u32":
        for op in "add", "sub":
            f.op(f"{op}.{t} $d, $a, $b")
    for op in "add.sat.s32", "sub.sat.s32":
        f.op(f"{op} $d, $a, $b")
    for op in "add.s64", "sub.u64":
        f.op(f"{op} $D, $A, $B")
    for op in "add.s16", "sub.u16":
        f.op(f"{{ {op} %g0, $h, $i; cvt.u32.u16 $d, %g0; }}")
    f.op("{ add.s32 %x0, $a, $b; add.s32 $d, %x0, $c; }")
    f.op("{ sub.s32 %x0, $a, $b; sub.s32 $d, %x0, $c; }")
    f.op("{ not.b32 %x0, $a; add.s32 %x0, %x0, $b; sub.s32 $d, %x0, $c; }")
    f.op("neg.s32 $d, $a")
    f.op("neg.s64 $D, $A")
    f.op("abs.s32 $d, $a")
    f.op("abs.s64 $D, $A")
    f.op("{ neg.s16 %g0, $h; abs.s16 %g1, $h; mov.b32 $d, {%g0, %g1}; }")
    f.op("{ add.cc.u32 $d, $a, $b; addc.u32 $d, $c, 0; }")
    f.op("{ sub.cc.u32 $d, $a, $b; subc.u32 $d, $c, 0; }")
    f.op("{ add.cc.u32 $d, $a, $b; addc.cc.u32 $d, $b, $c; addc.cc.u32 $d, $a, $c; addc.u32 $d, 0, 0; }")
    f.op("{ sub.cc.u32 $d, $a, $b; subc.cc.u32 $d, $b, $c; subc.cc.u32 $d, $a, $c; subc.u32 $d, 0, 0; }")
    f.op("{ add.cc.u64 $D, $A, $B; addc.cc.u64 $D, $B, $C; addc.u64 $D, $A, $C; }")
    f.op("{ sub.cc.u64 $D, $A, $B; subc.cc.u64 $D, $B, $C; subc.u64 $D, $A, $C; }")
    f.op("{ mad.lo.cc.u32 $d, $a, $b, $c; madc.hi.u32 $d, $a, $b, $c; }")
    f.op("{ mad.lo.cc.s32 $d, $a, $b, $c; madc.hi.cc.s32 $d, $a, $b, 1; addc.u32 $d, $a, 0; }")
    f.op("{ mad.hi.cc.u32 $d, $a, $b, $c; madc.lo.cc.u32 $d, $a, $c, $b; madc.hi.s32 $d, $b, $c, $a; }")
    f.op("{ mad.lo.cc.u64 $D, $A, $B, $C; madc.hi.u64 $D, $A, $B, $C; }", all_kinds=False)
    f.op("{ mad.lo.cc.s64 $D, $A, $B, $C; madc.hi.s64 $D, $A, $B, 0; }", all_kinds=False)
    # shifted sums: LEA in its forms
    for n in 1, 5, 31:
        f.op(f"{{ shl.b32 %x0, $a, {n}; add.s32 $d, %x0, $b; }}")
        f.op(f"{{ shl.b32 %x0, $a, {n}; sub.s32 $d, $b, %x0; }}")
        f.op(f"{{ shl.b64 %y0, $A, {n}; add.s64 $D, %y0, $B; }}")
        f.op(f"{{ shl.b64 %y0, $A, {n}; sub.s64 $D, $B, %y0; }}")
        f.op(f"{{ cvt.s64.s32 %y0, $a; shl.b64 %y0, %y0, {n}; add.s64 $D, %y0, $B; }}")
        f.op(f"{{ cvt.u64.u32 %y0, $a; shl.b64 %y0, %y0, {n}; add.s64 $D, %y0, $B; }}")
        f.op(f"{{ shr.u32 %x0, $a, {n}; add.s32 $d, %x0, $b; }}")
        f.op(f"{{ shr.s32 %x0, $a, {n}; add.s32 $d, %x0, $b; }}")


def products(f):
    f.begin("products")
    for t in "s32", "u32":
        f.op(f"mul.lo.{t} $d, $a, $b")
        f.op(f"mul.hi.{t} $d, $a, $b")
        f.op(f"mul.wide.{t} $D, $a, $b")
        f.op(f"mad.lo.{t} $d, $a, $b, $c")
        f.op(f"mad.hi.{t} $d, $a, $b, $c")
        f.op(f"mad.wide.{t} $D, $a, $b, $C")
        f.op(f"mul24.lo.{t} $d, $a, $b")
        f.op(f"mul24.hi.{t} $d, $a, $b")
        f.op(f"mad24.lo.{t} $d, $a, $b, $c")
        f.op(f"mad24.hi.{t} $d, $a, $b, $c")
        f.op(f"sad.{t} $d, $a, $b, $c")
        f.op(f"{{ mul.lo.{t} %x0, $a, $b; sub.{t} $d, $c, %x0; }}")
        f.op(f"{{ mul.lo.{t} %x0, $a, $b; sub.{t} $d, %x0, $c; }}")
        f.op(f"{{ mul.wide.{t} %y0, $a, $b; sub.s64 $D, %y0, $C; }}")
        f.op(f"{{ mul.wide.{t} %y0, $a, $b; sub.s64 $D, $C, %y0; }}")
    f.op("mad.hi.sat.s32 $d, $a, $b, $c")
    f.op("mad24.hi.sat.s32 $d, $a, $b, $c")
    for t in "s16", "u16":
        f.op(f"{{ mul.lo.{t} %g0, $h, $i; mul.hi.{t} %g1, $h, $i; mov.b32 $d, {{%g0, %g1}}; }}")
        f.op(f"mul.wide.{t} $d, $h, $i")
        f.op(f"mad.wide.{t} $d, $h, $i, $c")
        f.op(f"{{ mad.lo.{t} %g0, $h, $i, $h; mad.hi.{t} %g1, $h, $i, $h; mov.b32 $d, {{%g0, %g1}}; }}", all_kinds=False)
        f.op(f"{{ sad.{t} %g0, $h, $i, $h; cvt.u32.{t} $d, %g0; }}")
    for t in "s64", "u64":
        f.op(f"mul.lo.{t} $D, $A, $B")
        f.op(f"mul.hi.{t} $D, $A, $B")
        f.op(f"mad.lo.{t} $D, $A, $B, $C")
        f.op(f"mad.hi.{t} $D, $A, $B, $C", all_kinds=False)
        f.op(f"sad.{t} $D, $A, $B, $C", all_kinds=False)
    for t in "u32", "s32":
        for v in "u32", "s32":
            f.op(f"dp4a.{t}.{v} $d, $a, $b, $c")
            f.op(f"dp2a.lo.{t}.{v} $d, $a, $b, $c")
            f.op(f"dp2a.hi.{t}.{v} $d, $a, $b, $c")
    f.begin("quotients")
    for t in "s32", "u32":
        # of division by zero the ISA says nothing
        f.op(f"{{ setp.eq.u32 %k0, $b, 0; selp.b32 %x0, 13, $b, %k0; div.{t} $d, $a, %x0; rem.{t} $d, $a, %x0; }}",
             immediates=False)
        for n in 1, 100, 0x12345678:
            f.op(f"{{ add.{t} %x0, $b, {n}; setp.eq.u32 %k0, %x0, 0; selp.b32 %x0, 13, %x0, %k0; div.{t} $d, {n}, %x0; "
                 f"rem.{t} $d, -1, %x0; }}" if t == "s32" else f"rem.{t} $d, $a, {n}")
    for t in "s64", "u64":
        f.op(f"{{ setp.eq.u64 %k0, $B, 0; selp.b64 %y0, 13, $B, %k0; div.{t} $D, $A, %y0; rem.{t} $D, $A, %y0; }}",
             all_kinds=False)
    for t in "s16", "u16":
        f.op(f"{{ setp.eq.u16 %k0, $i, 0; selp.b16 %g2, 13, $i, %k0; div.{t} %g0, $h, %g2; rem.{t} %g1, $h, %g2; "
             "mov.b32 $d, {%g0, %g1}; }", all_kinds=False)
    for n in 3, 7, 10, 641, -5, 0x7fffffff:
        f.op(f"div.s32 $d, $a, {n}")
        f.op(f"rem.s32 $d, $a, {n}")
        f.op(f"div.u32 $d, $a, {n & 0xffffffff}")
        f.op(f"rem.u32 $d, $a, {n & 0xffffffff}")
        f.op(f"div.s64 $D, $A, {n}")
        f.op(f"rem.u64 $D, $A, {abs(n)}")


def bits(f):
    f.begin("bits")
    for op in "and", "or", "xor":
        f.op(f"{op}.b32 $d, $a, $b")
        f.op(f"{op}.b64 $D, $A, $B")
        f.op(f"{{ {op}.b16 %g0, $h, $i; cvt.u32.u16 $d, %g0; }}")
    f.op("not.b32 $d, $a")
    f.op("not.b64 $D, $A")
    f.op("cnot.b32 $d, $a")
    f.op("cnot.b64 $D, $A")
    for table in 0x01, 0x1b, 0x80, 0x96, 0xca, 0xe8, 0xfe, 0x3c, 0x0f:
        f.op(f"lop3.b32 $d, $a, $b, $c, {table}")
    f.op("{ and.b32 %x0, $a, $b; setp.ne.u32 $p, %x0, 0; }")
    f.op("{ setp.lt.s32 %k0, $a, $b; and.b32 %x0, $a, $c; setp.ne.and.u32 $p, %x0, 0, %k0; }")
    f.op("{ setp.lt.s32 %k0, $a, $b; xor.b32 %x0, $a, $c; setp.ne.or.u32 $p, %x0, 0, %k0; }")
    f.op("{ setp.lt.s32 %k0, $a, $b; lop3.or.b32 $d|$p, $a, $b, $c, 0x2e, %k0; }")
    f.op("{ setp.lt.s32 %k0, $a, $b; lop3.and.b32 $d|$p, $a, $b, $c, 0x2e, !%k0; }")
    for t in "b32", "u32", "s32", "b64", "u64", "s64", "b16", "u16", "s16":
        for op in ("shl", "shr") if t[0] == "b" else ("shr",):
            if t[1:] == "16":
                f.op(f"{{ {op}.{t} %g0, $h, $b; cvt.u32.u16 $d, %g0; }}", immediates=False)
                for n in 0, 7, 15, 16, 17, 40:
                    f.op(f"{{ {op}.{t} %g0, $h, {n}; cvt.u32.u16 $d, %g0; }}")
            else:
                d, a = ("D", "A") if t[1:] == "64" else ("d", "a")
                f.op(f"{op}.{t} ${d}, ${a}, $b")
                f.op(f"{{ and.b32 %x0, $b, {63 if d == 'D' else 31}; {op}.{t} ${d}, ${a}, %x0; }}")
                for n in 0, 1, 8, 31, 32, 33, 63, 64, 100:
                    f.op(f"{op}.{t} ${d}, ${a}, {n}")
    for side in "l", "r":
        for how in "wrap", "clamp":
            f.op(f"shf.{side}.{how}.b32 $d, $a, $b, $c")
            for n in 0, 7, 31, 32, 40:
                f.op(f"shf.{side}.{how}.b32 $d, $a, $b, {n}")
    for t in "u32", "s32":
        f.op(f"bfe.{t} $d, $a, $b, $c", immediates=False)
        f.op(f"bfind.{t} $d, $a")
        f.op(f"bfind.shiftamt.{t} $d, $a")
        for start, length in (0, 8), (8, 8), (3, 17), (31, 1), (24, 16), (0, 0), (0, 32), (16, 16):
            f.op(f"bfe.{t} $d, $a, {start}, {length}")
    for t in "u64", "s64":
        f.op(f"{{ and.b32 %x0, $b, 63; and.b32 %x1, $c, 127; bfe.{t} $D, $A, %x0, %x1; }}", immediates=False)
        f.op(f"bfind.{t} $d, $A")
        f.op(f"bfind.shiftamt.{t} $d, $A")
        for start, length in (0, 8), (8, 40), (3, 17), (63, 1), (24, 60), (40, 0):
            f.op(f"bfe.{t} $D, $A, {start}, {length}")
    f.op("bfi.b32 $d, $a, $b, $c, 9", immediates=False)
    f.op("bfi.b32 $d, $a, $b, 5, $c", immediates=False)
    f.op("{ and.b32 %x0, $c, 63; bfi.b64 $D, $A, $B, %x0, 19; }", immediates=False)
    f.op("{ and.b32 %x0, $c, 127; bfi.b64 $D, $A, $B, 25, %x0; }", immediates=False)
    for start, length in (0, 8), (8, 8), (3, 17), (31, 1), (24, 16), (0, 0), (0, 32), (16, 16):
        f.op(f"bfi.b32 $d, $a, $b, {start}, {length}")
        f.op(f"bfi.b64 $D, $A, $B, {start + 7}, {length + 11}")
    for op in "clz", "popc":
        f.op(f"{op}.b32 $d, $a")
        f.op(f"{op}.b64 $d, $A")
    f.op("{ not.b32 %x0, $a; popc.b32 $d, %x0; }")
    f.op("{ not.b32 %x0, $a; clz.b32 $d, %x0; }")
    f.op("{ not.b32 %x0, $a; bfind.u32 $d, %x0; }")
    f.op("{ bfind.u32 %x0, $a; setp.eq.u32 $p, %x0, 0xffffffff; mov.u32 $d, %x0; }")
    f.op("brev.b32 $d, $a")
    f.op("brev.b64 $D, $A")
    f.op("{ brev.b32 %x0, $a; clz.b32 $d, %x0; }")
    f.op("{ shr.s32 %x0, $c, 20; and.b32 %x1, $b, 31; fns.b32 $d, $a, %x1, %x0; fns.b32 $d, $a, $b, 2; }", all_kinds=False)
    f.op("fns.b32 $d, $a, 3, 2", all_kinds=False)
    f.op("fns.b32 $d, $a, 17, -2", all_kinds=False)
    f.begin("permutations")
    f.op("prmt.b32 $d, $a, $b, $c")
    for mode in "f4e", "b4e", "rc8", "ecl", "ecr", "rc16":
        f.op(f"prmt.b32.{mode} $d, $a, $b, $c")
        for n in range(4):
            f.op(f"prmt.b32.{mode} $d, $a, $b, {n}")
    for selector in 0x0123, 0x7654, 0x5410, 0x8888, 0xfedc, 0x4440, 0x9921, 0x3210:
        f.op(f"prmt.b32 $d, $a, $b, {selector}")
    for start, length in (0, 8), (16, 16), (30, 5):
        f.op(f"{{ mov.b64 %y0, {{$a, $b}}; shr.u64 $D, %y0, {start + length}; }}")
    if f.name != "integer":
        return
    for how in "clamp", "wrap":
        f.op(f"bmsk.{how}.b32 $d, $a, $b")
        for t in "s32", "u32":  # ptxas 13.0 reads counts from the wrong bank of constants
            f.op(f"szext.{how}.{t} $d, $a, $b", all_kinds=False)
        for n in 0, 1, 8, 16, 31, 32, 40:
            f.op(f"bmsk.{how}.b32 $d, $a, {n}")
            f.op(f"bmsk.{how}.b32 $d, {n}, $a")
            f.op(f"szext.{how}.s32 $d, $a, {n}")
            f.op(f"szext.{how}.u32 $d, $a, {n}")


def comparisons(f):
    f.begin("comparisons")
    for t in "s32", "u32", "s64", "u64", "s16", "u16":
        x, y = {"32": ("a", "b"), "64": ("A", "B"), "16": ("h", "i")}[t[1:]]
        for how in ("lt", "le", "gt", "ge", "eq", "ne") + (("lo", "ls", "hi", "hs") if t[0] == "u" else ()):
            f.op(f"setp.{how}.{t} $p, ${x}, ${y}")
            if t == "s32" or (t == "u64" and how == "lt"):
                for combine in "and", "or", "xor":
                    f.op(f"{{ setp.eq.u32 %k0, $c, 31; setp.{how}.{combine}.{t} $p|$p, ${x}, ${y}, !%k0; }}")
            f.op(f"setp.{how}.{t} $p|$p, ${x}, ${y}", all_kinds=False)
        f.op(f"setp.eq.{t} $p, ${x}, 0")
        f.op(f"setp.gt.{t} $p, ${x}, -1" if t[0] == "s" else f"setp.gt.{t} $p, ${x}, 1")
    for t in "s32", "u32", "s64", "u64":
        x, y = ("A", "B") if t[1:] == "64" else ("a", "b")
        f.op(f"set.lt.u32.{t} $d, ${x}, ${y}")
        f.op(f"set.ge.f32.{t} $d, ${x}, ${y}")
        f.op(f"{{ setp.ne.u32 %k0, $c, 0; set.eq.xor.s32.{t} $d, ${x}, ${y}, %k0; }}")
    f.begin("choices")
    for t in "s32", "u32":
        f.op(f"min.{t} $d, $a, $b")
        f.op(f"max.{t} $d, $a, $b")
        f.op(f"slct.{t}.s32 $d, $a, $b, $c", immediates=False)
        f.op(f"{{ min.{t} %x0, $a, $b; max.{t} $d, %x0, $c; }}")
        f.op(f"{{ max.{t} %x0, $a, $b; max.{t} $d, %x0, $c; }}")
        f.op(f"{{ setp.lt.{t} %k0, $a, $b; selp.{t} $d, $a, $b, %k0; selp.{t} $d, $b, $c, %k0; }}")
    for t in "s64", "u64":
        f.op(f"min.{t} $D, $A, $B")
        f.op(f"max.{t} $D, $A, $B")
        f.op(f"slct.{t}.s32 $D, $A, $B, $c", immediates=False)
        f.op(f"{{ setp.lt.{t} %k0, $A, $C; selp.{t} $D, $A, $B, %k0; }}")
    for t in "s16", "u16":
        f.op(f"{{ min.{t} %g0, $h, $i; max.{t} %g1, $h, $i; mov.b32 $d, {{%g0, %g1}}; }}")
    f.op("slct.b32.s32 $d, $a, $b, -3")
    # predicates among themselves
    f.op("{ setp.lt.s32 %k0, $a, $b; setp.gt.u32 %k1, $b, $c; setp.eq.s32 %k2, $a, 0; and.pred %k3, %k0, %k1; "
         "or.pred $p, %k3, %k2; xor.pred $p, %k3, %k0; not.pred $p, %k3; }")
    f.op("{ setp.lt.s32 %k0, $a, 0; setp.lt.s32 %k1, $b, 0; setp.lt.s32 %k2, $c, 0; and.pred %k3, %k0, %k1; "
         "xor.pred $p, %k3, %k2; }")
    f.op("{ setp.lt.s32 %k0, $a, 0; setp.ge.s32 %k1, $b, 0; or.pred $p, %k0, %k1; xor.pred $p, %k0, %k1; }")
    f.op("{ setp.lt.s32 %k0, $a, $b; setp.lt.s32 %k1, $b, 0; and.pred $p, %k0, %k1; or.pred $p, %k0, %k1; }")
    # bits of a register as many predicates, predicates kept in registers
    for at in 0, 3, 8, 16, 24:
        for count in 4, 8:
            tests = " ".join(f"and.b32 %x0, $a, {1 << at + k}; setp.ne.u32 %k{k}, %x0, 0;" for k in range(count))
            uses = " ".join(f"@%k{k} add.u32 %x1, %x1, {3 ** k}; @!%k{k} xor.b32 %x1, %x1, %b;" for k in range(count))
            f.op(f"{{ {tests} mov.u32 %x1, $c; {uses} mov.u32 $d, %x1; {uses} mov.u32 $d, %x1; }}")
    # branches on uniform values and on lanes
    f.op("{ .reg .pred k; setp.lt.s32 k, $b, 100; mov.u32 %x0, $a; @!k bra L; mad.lo.s32 %x0, $a, $c, 3; xor.b32 %x0, "
         "%x0, $b;\nL: add.u32 $d, %x0, 1; }")
    f.op("{ mov.u32 %x0, $a; mov.u32 %x1, 0;\nL: add.u32 %x0, %x0, $b; shr.u32 %x0, %x0, 1; add.u32 %x1, %x1, 1; "
         "setp.lt.u32 %k0, %x1, 9; @%k0 bra L; add.u32 $d, %x0, %x1; }")


def conversions(f):
    f.begin("conversions")
    types = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]
    for to in types:
        for source in types:
            ranges = [(-(1 << int(t[1:]) - 1), (1 << int(t[1:]) - 1) - 1) if t[0] == "s" else (0, (1 << int(t[1:])) - 1)
                      for t in (to, source)]
            holds_all = ranges[0][0] <= ranges[1][0] and ranges[0][1] >= ranges[1][1]
            for sat in ("",) if holds_all else ("", ".sat"):
                a = {"8": "$a", "16": "$h", "32": "$a", "64": "$A"}[source[1:]]
                if source[1:] == "8":
                    text = f"cvt.u16.u32 %g0, $a; cvt{sat}.{to}.{source} %s, %g0;"
                else:
                    text = f"cvt{sat}.{to}.{source} %s, {a};"
                d = {"8": "%g1", "16": "%g1", "32": "$d", "64": "$D"}[to[1:]]
                text = text.replace("%s", d)
                if to[1:] in ("8", "16"):
                    text += f" cvt.{to[0]}32.{to[0]}16 $d, %g1;"
                f.op(f"{{ {text} }}")
    f.op("{ mov.b32 {%g0, %g1}, $a; mov.b32 $d, {%g1, %g0}; }")
    f.op("{ mov.b64 {%x0, %x1}, $A; mov.b64 $D, {%x1, $b}; }")
    for t in "u16", "s16":
        for v in ("s32",):
            f.op(f"cvt.pack.sat.{t}.{v} $d, $a, $b")
    for t in "u8", "s8":
        f.op(f"cvt.pack.sat.{t}.s32.b32 $d, $a, $b, $c")
    for t in "u4", "s4", "u2", "s2":
        f.op(f"cvt.pack.sat.{t}.s32.b32 $d, $a, $b, $c")


def video(f):
    """Without what ptxas 13.0 does in another way than the ISA says: .h1 of results, second operations on more
    than 32 bits, lost bits of vshl.sat."""
    f.begin("video")
    kinds = ["u32", "s32"]
    for op in "vadd", "vsub", "vabsdiff", "vmin", "vmax":
        for d in kinds:
            for a in kinds:
                for b in kinds:
                    f.op(f"{op}.{d}.{a}.{b} $d, $a, $b", all_kinds=False)
                    f.op(f"{op}.{d}.{a}.{b}.sat $d, $a.b1, $b.h1", all_kinds=False)
                    f.op(f"{op}.{d}.{a}.{b}.add $d, $a.b3, $b.b0, $c", all_kinds=False)
                f.op(f"{op}.{d}.{a}.u32 $d.b2, $a, $b, $c", all_kinds=False)
    for op in "vshl", "vshr":
        for how in "clamp", "wrap":
            for d in kinds:
                for a in kinds:
                    f.op(f"{op}.{d}.{a}.u32.{how} $d, $a, $b", all_kinds=False)
                    if op == "vshr":
                        f.op(f"{op}.{d}.{a}.u32.sat.{how} $d, $a.h1, $b.b1", all_kinds=False)
    for a in kinds:
        for b in kinds:
            for how in "lt", "ge", "eq":
                f.op(f"vset.{a}.{b}.{how} $d, $a, $b", all_kinds=False)
                f.op(f"vset.{a}.{b}.{how} $d, $a.b1, $b.h0", all_kinds=False)
    for a in kinds:
        for b in kinds:
            d = "s32" if "s32" in (a, b) else "u32"
            f.op(f"vmad.{d}.{a}.{b} $d, $a, $b, $c", all_kinds=False)
            if d == "u32":  # ptxas extends the sign of c
                continue
            f.op(f"vmad.{d}.{a}.{b}.sat $d, $a.h1, $b.b2, $c", all_kinds=False)
            f.op(f"vmad.{d}.{a}.{b}.shr7 $d, $a.h1, $b.b2, $c", all_kinds=False)
    for op in "vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2", "vadd4", "vsub4", "vavrg4", "vabsdiff4", \
            "vmin4", "vmax4":
        for d in kinds:
            for a in kinds:
                f.op(f"{op}.{d}.{a}.{a} $d, $a, $b, $c", all_kinds=False)
                f.op(f"{op}.{d}.{a}.{a}.add $d, $a, $b, $c", all_kinds=False)
                f.op(f"{op}.{d}.{a}.{a}.sat $d, $a, $b, $c", all_kinds=False)
            f.op(f"{op}.{d}.s32.u32 $d, $a, $b, $c", all_kinds=False)
    for op in "vset2", "vset4":
        for how in "lt", "ne", "ge":
            f.op(f"{op}.u32.u32.{how} $d, $a, $b, $c", all_kinds=False)
            f.op(f"{op}.s32.s32.{how} $d, $a, $b, $c", all_kinds=False)
            f.op(f"{op}.s32.s32.{how}.add $d, $a, $b, $c", all_kinds=False)


def packed(f):
    """sm_90: dynamic programming, pairs of halves."""
    f.begin("packed")
    negate = "mov.b32 {%h, %i}, $b; neg.s16 %h, %h; neg.s16 %i, %i; mov.b32 %x0, {%h, %i};"
    for t in "u16x2", "s16x2":
        f.op(f"add.{t} $d, $a, $b", immediates=False)
        f.op(f"{{ {negate} add.{t} $d, $a, %x0; }}", immediates=False)
        f.op(f"{{ {negate} add.{t} %x0, $a, %x0; max.{t} $d, %x0, $c; }}", immediates=False)
        f.op(f"min.{t} $d, $a, $b", immediates=False)
        f.op(f"max.{t} $d, $a, $b", immediates=False)
        f.op(f"{{ max.{t} %x0, $a, $b; max.{t} $d, %x0, $c; }}", immediates=False)
        f.op(f"{{ min.{t} %x0, $a, $b; min.{t} $d, %x0, $c; }}", immediates=False)
        f.op(f"{{ add.{t} %x0, $a, $b; max.{t} $d, %x0, $c; }}", immediates=False)
        f.op(f"{{ add.{t} %x0, $a, $b; min.{t} $d, %x0, $c; }}", immediates=False)
    for op in "min", "max":
        f.op(f"{op}.relu.s16x2 $d, $a, $b", immediates=False)
        f.op(f"{op}.relu.s32 $d, $a, $b")
        f.op(f"{{ {op}.s16x2 %x0, $a, $b; {op}.relu.s16x2 $d, %x0, $c; }}", immediates=False)
        f.op(f"{{ {op}.s32 %x0, $a, $b; {op}.relu.s32 $d, %x0, $c; }}")
        f.op(f"{{ add.s16x2 %x0, $a, $b; {op}.relu.s16x2 $d, %x0, $c; }}", immediates=False)
        f.op(f"{{ add.s32 %x0, $a, $b; {op}.relu.s32 $d, %x0, $c; }}")
        f.op(f"{{ sub.s32 %x0, $b, $a; {op}.relu.s32 $d, %x0, $c; }}")
        for t in "s32", "u32":
            f.op(f"{{ add.{t} %x0, $a, $b; {op}.{t} $d, %x0, $c; }}", immediates=False)
            f.op(f"{{ {op}.{t} $d, $a, $b; setp.le.{t} $p, $a, $b; }}", immediates=False)
            f.op(f"{{ setp.ge.{t} %k0, $a, $b; selp.{t} $d, $a, $b, %k0; selp.u32 $d, 1, 2, %k0; }}", immediates=False)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    f = File("integer", "sm_75", "8.2")
    for part in sums, products, bits, comparisons, conversions, video:
        part(f)
    f.write(folder)
    f = File("integer_90", "sm_90", "8.2")
    packed(f)
    f.write(folder)


main()

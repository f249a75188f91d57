#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""native-forms.py FORMS FOLDER writes forms.ptx, forms_80.ptx and forms_90.ptx: kernels of the forms of a list
(tests/native/forms.txt), those that sm_75, sm_80 or sm_90 are the first to have. tests/unit/test_native_execution.c
runs them: out, in, n; three numbers of 64 bits a thread; word w of thread t at out[t + n w]."""
import pathlib
import re
import sys

THREADS, BLOCK = 768, 96  # of the test
WORDS = 400  # of a kernel, below the test's OUT_WORDS
TYPES = {"8": "b16", "16": "b16", "32": "b32", "64": "b64", "128": "b128", "p": "pred", "f": "f32", "g": "f64"}
TOKEN = re.compile(r"@(d\d+|d[pfg]|s\d+|s[pfg]|u32|GC|SC|XG|XS|XL|LANE|TID|[GSLWI]\b)(=\w)?")
PLACES = {"G": "%g", "I": "%in", "XG": "%g", "S": "%s", "XS": "%xs", "L": "%l", "XL": "%xl", "GC": "%gc", "SC": "%sc", "W": "%w",
          "LANE": "%lane", "TID": "%me"}
HEAD = """
.const .align 16 .b8 table[64] = {0, 1, 2, 3, 127, 128, 129, 130, 250, 251, 252, 253, 254, 255, 17, 18, 33, 66, 99, 132,
    165, 198, 231, 8};
.global .align 128 .b8 scratch[%d];
.global .align 128 .b8 contended[1024];
.func (.param .b32 r) helper(.param .b32 a)
{ .reg .b32 %%a; ld.param.b32 %%a, [a]; mad.lo.u32 %%a, %%a, %%a, 5; st.param.b32 [r], %%a; ret; }
""" % (64 * THREADS)
BEGIN = """
.visible .entry %s(.param .u64 out, .param .u64 in, .param .u32 n)
{
.reg .b32 %%me, %%lane, %%t, %%x, %%y, %%n, %%s, %%sc, %%w;
.reg .b64 %%out, %%in, %%o, %%g, %%gc, %%xs, %%l, %%xl, %%a, %%b, %%c, %%d;
.local .align 16 .b8 local[32];
.shared .align 128 .b8 shared[%d];
ld.param.u64 %%out, [out]; ld.param.u64 %%in, [in]; ld.param.u32 %%n, [n];
mov.u32 %%me, %%tid.x; mov.u32 %%lane, %%laneid; mov.u32 %%x, %%ctaid.x; mad.lo.u32 %%t, %%x, %d, %%me;
mul.wide.u32 %%a, %%t, 24; add.u64 %%in, %%in, %%a; mul.wide.u32 %%a, %%t, 4; add.u64 %%o, %%out, %%a;
mul.wide.u32 %%a, %%t, 64; mov.u64 %%g, scratch; add.u64 %%g, %%g, %%a; cvta.global.u64 %%g, %%g;
and.b32 %%y, %%me, 7; shl.b32 %%y, %%y, 4; mul.wide.u32 %%a, %%x, 128; cvt.u64.u32 %%b, %%y; add.u64 %%a, %%a, %%b;
mov.u64 %%gc, contended; add.u64 %%gc, %%gc, %%a; cvta.global.u64 %%gc, %%gc;
mov.u32 %%w, shared; mad.lo.u32 %%s, %%me, 32, %%w; add.u32 %%sc, %%w, %%y; add.u32 %%sc, %%sc, %d;
cvt.u64.u32 %%xs, %%s; cvta.shared.u64 %%xs, %%xs; mov.u64 %%l, local; cvta.local.u64 %%xl, %%l;
"""
FILL = """ld.global.b64 %a, [%in]; ld.global.b64 %b, [%in+8]; ld.global.b64 %c, [%in+16]; xor.b64 %d, %a, %c;
st.global.b64 [%g], %a; st.global.b64 [%g+8], %b; st.global.b64 [%g+16], %c; st.global.b64 [%g+24], %d;
st.global.b64 [%g+32], %b; st.global.b64 [%g+40], %d; st.global.b64 [%g+48], %a; st.global.b64 [%g+56], %c;"""
FILL_SHARED = "st.shared.b64 [%s], %d; st.shared.b64 [%s+8], %a; st.shared.b64 [%s+16], %b; st.shared.b64 [%s+24], %c;"
FILL_LOCAL = "st.local.b64 [%l], %c; st.local.b64 [%l+8], %b; st.local.b64 [%l+16], %d; st.local.b64 [%l+24], %a;"


def expand(text):
    found = re.search(r"\{\{([^{}]*)\}\}", text)
    if not found:
        return [text]
    return [one for part in found[1].split("|")
            for one in expand(text[:found.start()] + part.replace("¦", "|") + text[found.end():])]


class Form:
    """One form as text with its operands loaded before and its results stored behind it."""

    def __init__(self, text, first_word):
        self.declared, self.before, self.after, self.named = [], [], [], {}
        self.word, self.sources = first_word, 0
        body = TOKEN.sub(self.operand, text)
        if not text.startswith("{ "):
            body += ";"
        uses = set(name for name, _ in TOKEN.findall(text))
        fill, show = [FILL], []
        if uses & {"S", "XS", "SC", "W"}:
            fill += [FILL_SHARED]
            show += [("shared", "%s", k) for k in (0, 4, 8, 12)]
        if uses & {"G", "XG"}:
            show += [("global", "%g", k) for k in (0, 4, 8, 12)]
        if uses & {"L", "XL"}:
            fill += [FILL_LOCAL]
            show += [("local", "%l", k) for k in (0, 4, 8)]
        if "SC" in uses:
            fill += ["st.shared.b32 [%sc], 5;"]
            show += [("shared", "%sc", 0)]
        if "GC" in uses:
            fill += ["st.global.b32 [%gc], 5;"]
            show += [("global", "%gc", 0)]
        shares = uses & {"S", "XS", "SC", "GC", "W"}
        for space, base, offset in show:
            self.after.append(f"ld.{space}.b32 %x, [{base}+{offset}];")
            self.store("%x")
        meet = ["bar.sync 0;"] if shares else []
        count = len(self.after) - 2 * len(show)
        self.text = "\n".join(["{"] + self.declared + fill + self.before + meet + [body] + self.after[:count] + meet +
                              self.after[count:] + meet + ["}"])

    def store(self, value):
        self.after.append(f"st.global.b32 [%o+{4 * THREADS * self.word}], {value};")
        self.word += 1

    def declare(self, kind):
        name = f"%v{len(self.declared)}"
        self.declared.append(f".reg .{TYPES[kind]} {name};")
        return name

    def result(self, kind):
        name = self.declare(kind)
        zero = {"p": f"setp.ne.u32 {name}, %t, %t;", "f": f"mov.f32 {name}, 0f00000000;",
                "g": f"mov.f64 {name}, 0d0000000000000000;", "128": f"mov.b128 {name}, {{%in, %in}};"}
        self.before.append(zero.get(kind, f"mov.{TYPES[kind]} {name}, 0;"))
        if kind == "p":
            self.after.append(f"selp.b32 %x, 1, 0, {name};")
            self.store("%x")
        elif kind in ("8", "16"):
            self.after.append(f"cvt.u32.u16 %x, {name};")
            self.store("%x")
        elif kind == "128":
            self.after.append(f"mov.b128 {{%a, %b}}, {name};")
            for half in "%a", "%b":
                self.after.append(f"mov.b64 {{%x, %y}}, {half};")
                self.store("%x")
                self.store("%y")
        elif kind in ("64", "g"):
            self.after.append(f"mov.b64 {{%x, %y}}, {name};")
            self.store("%x")
            self.store("%y")
        else:
            self.store(name)
        return name

    def source(self, kind):
        name = self.declare(kind)
        at = 8 * self.sources % 64
        self.sources += 1
        if kind == "p":
            self.before.append(f"ld.global.b32 %x, [%g+{at}]; and.b32 %x, %x, 1; setp.ne.b32 {name}, %x, 0;")
        elif kind == "128":
            self.before.append(f"ld.global.v2.b64 {{%a, %b}}, [%g+{at // 16 * 16}]; mov.b128 {name}, {{%a, %b}};")
        else:
            self.before.append(f"ld.global.{TYPES[kind]} {name}, [%g+{at}];")
        return name

    def operand(self, match):
        name = match[1]
        if name in PLACES:
            return PLACES[name]
        if match[2] and match[0] in self.named:
            return self.named[match[0]]
        made = "%n" if name == "u32" else self.result(name[1:]) if name[0] == "d" else self.source(name[1:])
        self.named[match[0]] = made
        return made


def write_file(path, target, version, forms):
    kernels, body, word = [], [], 0

    def flush():
        nonlocal body, word
        if body:
            begin = BEGIN % (f"forms_{target}_{len(kernels)}", 32 * BLOCK + 128, BLOCK, 32 * BLOCK)
            kernels.append(begin + "\n".join(body) + "\nret;\n}\n")
        body, word = [], 0

    for text, is_alone in forms:
        form = Form(text, word)
        if is_alone or form.word > WORDS:
            flush()
            form = Form(text, 0)
        body.append(f"// {text}\n{form.text}")
        word = form.word
        if is_alone:
            flush()
    flush()
    head = f".version {version}\n.target sm_{target}\n.address_size 64\n"
    path.write_text(head + HEAD + "".join(kernels))


def main(source, folder):
    by_target = {75: [], 80: [], 90: []}
    for line in pathlib.Path(source).read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        since, text = line.split(" ", 1)
        is_alone = text.startswith("alone ")
        for one in expand(text.removeprefix("alone ")):
            by_target[int(since)].append((one, is_alone))
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for target, forms in by_target.items():
        write_file(folder / ("forms.ptx" if target == 75 else f"forms_{target}.ptx"), target, "8.6", forms)


if __name__ == "__main__":
    main(*sys.argv[1:])

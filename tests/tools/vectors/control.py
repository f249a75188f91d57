# SPDX-License-Identifier: Apache-2.0
"""Control flow. A thread's path shows in what it writes."""
from .form import Form, Numbers
from .integers import wrap
from .memory import around

SOURCE = "PTX ISA, Control Flow Instructions and Miscellaneous Instructions; the function in Python"


def flow(mnemonic, name, lines, function, values, outs=1, **extra):
    """%a in, %x (and %y) out."""
    registers = [("%x", "b32"), ("%y", "b32")][:outs]
    rows = []
    for value in values:
        result = function(value)
        rows.append(((value,), result if isinstance(result, tuple) else (result,)))
    return mnemonic, Form(name, [("%a", "b32")], registers, lines, rows, **extra)


def raw(*texts):
    return [("raw", text) for text in texts]


def numbers_of(name, count=40, limit=1 << 32):
    numbers = Numbers("control", name)
    return [numbers.below(limit) for _ in range(count)]


def collatz(value):
    steps = 0
    while value != 1:
        value = value // 2 if value % 2 == 0 else 3 * value + 1
        steps += 1
    return steps


def branches():
    for uni in ("", ".uni"):
        yield flow("bra", f"bra{uni} over code",
                   raw("mov.b32 %x, 1;", f"bra{uni} OVER;", "mov.b32 %x, 2;", "OVER:",
                       "add.u32 %x, %x, %a;"), lambda a: wrap(a + 1, 32), numbers_of("over", 8))
    yield flow("bra", "bra, two ways",
               [("decl", ".reg .pred %odd; .reg .b32 %t;")]
               + raw("and.b32 %t, %a, 1;", "setp.ne.u32 %odd, %t, 0;", "@%odd bra ODD;",
                     "shr.u32 %x, %a, 1;", "bra DONE;", "ODD: mul.lo.u32 %x, %a, 3;", "DONE:"),
               lambda a: wrap(3 * a, 32) if a & 1 else a >> 1, numbers_of("ways"))
    yield flow("bra", "bra backwards, own number of rounds",
               [("decl", ".reg .pred %odd, %one; .reg .b32 %n, %t;")]
               + raw("mov.b32 %x, 0;", "mov.b32 %n, %a;", "LOOP: setp.eq.u32 %one, %n, 1;",
                     "@%one bra DONE;", "add.u32 %x, %x, 1;", "and.b32 %t, %n, 1;",
                     "setp.ne.u32 %odd, %t, 0;", "@%odd bra ODD;", "shr.u32 %n, %n, 1;",
                     "bra LOOP;", "ODD: mad.lo.u32 %n, %n, 3, 1;", "bra LOOP;", "DONE:"),
               collatz, [1 + x for x in numbers_of("collatz", 64, 100)])


def indexed_branches():
    for uni in ("", ".uni"):
        values = numbers_of("brx", 64, 4) if not uni else [2] * 32
        yield flow("brx", f"brx.idx{uni}",
                   [("decl", "TABLE: .branchtargets L0, L1, L2, L1;")]
                   + raw(f"brx.idx{uni} %a, TABLE;", "L0: mov.b32 %x, 100;", "bra DONE;",
                         "L1: add.u32 %x, %a, 200;", "bra DONE;", "L2: mov.b32 %x, 300;", "DONE:"),
                   lambda a: [100, 201, 300, 203][a], values)


FUNCTIONS = [
    ".func (.param .b32 r) twice(.param .b32 v) { .reg .b32 %t; ld.param.b32 %t, [v];"
    " add.u32 %t, %t, %t; st.param.b32 [r], %t; ret; }",
    ".func (.param .b32 r) square(.param .b32 v) { .reg .b32 %t; ld.param.b32 %t, [v];"
    " mul.lo.u32 %t, %t, %t; st.param.b32 [r], %t; ret; }",
    ".func (.reg .b32 r) smaller(.reg .b32 v, .reg .b32 w) { .reg .pred %p;"
    " setp.lt.u32 %p, v, w; @%p bra FIRST; mov.b32 r, w; ret; FIRST: mov.b32 r, v; ret; }",
    ".func (.param .b32 r) fibonacci(.param .b32 v) { .reg .b32 %n, %m, %s; .reg .pred %p;"
    " ld.param.b32 %n, [v]; setp.gt.u32 %p, %n, 1; @%p bra DEEPER; st.param.b32 [r], %n; ret;"
    " DEEPER: sub.u32 %m, %n, 1; { .param .b32 i; .param .b32 o; st.param.b32 [i], %m;"
    " call (o), fibonacci, (i); ld.param.b32 %s, [o]; } sub.u32 %m, %n, 2;"
    " { .param .b32 i; .param .b32 o; st.param.b32 [i], %m; call (o), fibonacci, (i);"
    " ld.param.b32 %m, [o]; } add.u32 %s, %s, %m; st.param.b32 [r], %s; ret; }",
    ".func halve(.param .b64 place) { .reg .b64 %p; .reg .b32 %t; ld.param.b64 %p, [place];"
    " ld.b32 %t, [%p]; shr.u32 %t, %t, 1; st.b32 [%p], %t; ret; }",
    ".func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 v[16]) { .reg .b64 %s, %t;"
    " ld.param.b64 %s, [v]; ld.param.b64 %t, [v+8]; st.param.b64 [r], %t; st.param.b64 [r+8], %s;"
    " ret; }",
]
ALL_FUNCTIONS = [("global", text) for text in FUNCTIONS]


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def calls():
    for uni in ("", ".uni"):
        yield flow("call", f"call{uni} with parameters",
                   ALL_FUNCTIONS[:1] + raw("{ .param .b32 i; .param .b32 o;",
                                           "st.param.b32 [i], %a;", f"call{uni} (o), twice, (i);",
                                           "ld.param.b32 %x, [o]; }"),
                   lambda a: wrap(2 * a, 32), numbers_of("twice"))
    yield flow("call", "call with registers", ALL_FUNCTIONS[2:3]
               + [("do", "call (%x), smaller, (%a, 0x80000000);")],
               lambda a: min(a, 0x80000000), numbers_of("smaller"))
    yield flow("call", "call, recursive", ALL_FUNCTIONS[3:4]
               + raw("{ .param .b32 i; .param .b32 o;", "st.param.b32 [i], %a;",
                     "call (o), fibonacci, (i);", "ld.param.b32 %x, [o]; }"),
               fibonacci, [x % 10 for x in range(40)])
    yield flow("call", "call without results", ALL_FUNCTIONS[4:5]
               + raw("{ .param .b64 i;", "st.global.b32 [%scratch], %a;",
                     "st.param.b64 [i], %scratch;", "call halve, (i);",
                     "ld.global.b32 %x, [%scratch]; }"), lambda a: a >> 1, numbers_of("halve"))
    yield flow("call", "call with a structure", ALL_FUNCTIONS[5:6]
               + [("decl", ".reg .b64 %s, %t;")]
               + raw("{ .param .align 8 .b8 i[16]; .param .align 8 .b8 o[16];",
                     "cvt.u64.u32 %s, %a;", "not.b64 %t, %s;", "st.param.b64 [i], %s;",
                     "st.param.b64 [i+8], %t;", "call (o), swap, (i);",
                     "ld.param.b32 %x, [o];", "ld.param.b32 %y, [o+8]; }"),
               lambda a: (a ^ 0xFFFFFFFF, a), numbers_of("swap"), outs=2)
    yield flow("call", "call through a register",
               ALL_FUNCTIONS[:2] + [("decl", ".reg .b64 %f, %g; .reg .pred %p;"),
                                    ("decl", "SHAPE: .callprototype (.param .b32 _) _ (.param .b32"
                                     " _);")]
               + raw("mov.u64 %f, twice;", "mov.u64 %g, square;", "setp.gt.u32 %p, %a, 0x7fffffff;",
                     "selp.b64 %f, %f, %g, %p;", "{ .param .b32 i; .param .b32 o;",
                     "st.param.b32 [i], %a;", "call (o), %f, (i), SHAPE;",
                     "ld.param.b32 %x, [o]; }"),
               lambda a: wrap(2 * a if a > 0x7FFFFFFF else a * a, 32), numbers_of("pointer"))
    table = [("global", ".global .u64 functions[2] = {twice, square};")]
    yield flow("call", "call through a table",
               ALL_FUNCTIONS[:2] + table
               + [("decl", ".reg .b64 %f; .reg .b32 %k;"),
                  ("decl", "SHAPE: .callprototype (.param .b32 _) _ (.param .b32 _);")]
               + raw("and.b32 %k, %a, 1;", "mov.u64 %f, functions;",
                     "mad.wide.u32 %f, %k, 8, %f;", "ld.global.b64 %f, [%f];",
                     "{ .param .b32 i; .param .b32 o;", "st.param.b32 [i], %a;",
                     "call (o), %f, (i), SHAPE;", "ld.param.b32 %x, [o]; }"),
               lambda a: wrap(a * a if a & 1 else 2 * a, 32), numbers_of("table"))


def ends():
    """ret and exit: what follows is not executed. Results of threads that have left are zeros."""
    for uni in ("", ".uni"):
        yield flow("ret", f"ret{uni} of a function", ALL_FUNCTIONS[:1]
                   + raw("{ .param .b32 i; .param .b32 o;", "st.param.b32 [i], %a;",
                         "call (o), twice, (i);", "ld.param.b32 %x, [o]; }")
                   if not uni else
                   [("global", ALL_FUNCTIONS[0][1].replace("ret;", "ret.uni;"))]
                   + raw("{ .param .b32 i; .param .b32 o;", "st.param.b32 [i], %a;",
                         "call (o), twice, (i);", "ld.param.b32 %x, [o]; }"),
                   lambda a: wrap(2 * a, 32), numbers_of("ret", 8))
    yield flow("ret", "ret of some lanes", ALL_FUNCTIONS[2:3]
               + [("do", "call (%x), smaller, (%a, 1000);")], lambda a: min(a, 1000),
               [x * 63 for x in range(40)])
    for mnemonic in ("ret", "exit"):
        yield flow(mnemonic, f"{mnemonic} of a kernel, some lanes",
                   [("decl", ".reg .pred %p;")]
                   + raw("setp.lt.u32 %p, %a, 5;", f"@%p {mnemonic};", "mov.b32 %x, %a;"),
                   lambda a: 0 if a < 5 else a, [x % 11 for x in range(64)],
                   lanes="ffffffff")
    leave = [("global", ".func leave(.reg .b32 v) { .reg .pred %p; setp.lt.u32 %p, v, 5;"
              " @%p exit; ret; }")]
    yield flow("exit", "exit in a function", leave + raw("call leave, (%a);", "mov.b32 %x, %a;"),
               lambda a: 0 if a < 5 else a, [x % 11 for x in range(64)], lanes="ffffffff")


def faults():
    for mnemonic in ("trap", "brkpt"):
        yield flow(mnemonic, mnemonic,
                   [("decl", ".reg .pred %p;")]
                   + raw("setp.eq.u32 %p, %a, 17;", f"@%p {mnemonic};", "mov.b32 %x, %a;"),
                   lambda a: "-", list(range(32)), fault="the kernel executed a trap")
        yield flow(mnemonic, f"{mnemonic} that no lane reaches",
                   [("decl", ".reg .pred %p;")]
                   + raw("setp.eq.u32 %p, %a, 17;", f"@%p {mnemonic};", "mov.b32 %x, %a;"),
                   lambda a: a, [x for x in range(32) if x != 17])


def without_results():
    yield around("pmevent", "pmevent", ["pmevent 7;"])
    yield around("pmevent", "pmevent.mask", ["pmevent.mask 0xff;"])
    yield around("nanosleep", "nanosleep.u32", ["nanosleep.u32 100;", "nanosleep.u32 %a;"])
    yield around("griddepcontrol", "griddepcontrol.launch_dependents",
                 ["griddepcontrol.launch_dependents;"])
    yield around("griddepcontrol", "griddepcontrol.wait", ["griddepcontrol.wait;"])
    for direction in ("inc", "dec"):
        yield around("setmaxnreg", f"setmaxnreg.{direction}.sync.aligned.u32",
                     [f"setmaxnreg.{direction}.sync.aligned.u32 64;"], target="sm_90a")
    for name in ("fence", "commit_group"):
        yield around(f"wgmma.{name}", f"wgmma.{name}.sync.aligned",
                     [f"wgmma.{name}.sync.aligned;"], target="sm_90a")
    yield around("wgmma.wait_group", "wgmma.wait_group.sync.aligned",
                 ["wgmma.wait_group.sync.aligned 0;"], target="sm_90a")


def forms():
    for group in (branches, indexed_branches, calls, ends, faults, without_results):
        for mnemonic, form in group():
            yield mnemonic, SOURCE, form

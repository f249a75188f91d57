# SPDX-License-Identifier: Apache-2.0
"""Texture fetches: every form through a handle that no texture has is a fault of its own (what textures
give is in tests/unit/test_texture.c, as a vector's kernel cannot make one), and harmless in lanes that
do not execute it."""
from .form import Form

SOURCE = "PTX ISA, Texture Instructions: tex; a handle that is no texture is a fault here"
COORDINATES = {"1d": "{%c}", "2d": "{%c, %c}", "3d": "{%c, %c, %c, %c}", "a1d": "{%layer, %c}",
               "a2d": "{%layer, %c, %c, %c}"}
DERIVATIVES = {"1d": "{%c}", "2d": "{%c, %c}", "3d": "{%c, %c, %c, %c}", "a1d": "{%c}",
               "a2d": "{%c, %c}"}


def modes(geometry, coordinate):
    yield "", ""
    yield ".base", ""
    yield ".level", ", %c"
    if coordinate == "f32":
        yield ".grad", f", {DERIVATIVES[geometry]}, {DERIVATIVES[geometry]}"


def fetch(mode, rest, geometry, kind, coordinate, reached):
    name = f"tex{mode}.{geometry}.v4.{kind}.{coordinate}"
    lines = [("decl", f".reg .{kind} %t<4>;"), ("decl", f".reg .{coordinate} %c;"),
             ("decl", ".reg .u32 %layer;"), ("decl", ".reg .u64 %texture;"),
             ("decl", ".reg .pred %p;"), ("raw", "setp.eq.u32 %p, %a, 17;"),
             ("raw", "mov.u32 %layer, 0;"), ("raw", "mov.b32 %c, 0;"),
             ("raw", "mov.u64 %texture, 0x100000001;"),
             ("raw", f"@%p {name} {{%t0, %t1, %t2, %t3}}, [%texture, {COORDINATES[geometry]}]{rest};"),
             ("raw", "mov.b32 %x, %a;")]
    numbers = [a for a in range(32) if reached or a != 17]
    rows = [((a,), ("-" if reached else a,)) for a in numbers]
    extra = {"fault": "no texture object has this handle"} if reached else {}
    return "tex", Form(name + ("" if reached else " that no lane reaches"), [("%a", "b32")],
                       [("%x", "b32")], lines, rows, **extra)


def forms():
    for geometry in COORDINATES:
        for coordinate in ("s32", "f32"):
            for mode, rest in modes(geometry, coordinate):
                for kind in ("f32", "s32", "u32"):
                    for reached in (True, False):
                        mnemonic, form = fetch(mode, rest, geometry, kind, coordinate, reached)
                        yield mnemonic, SOURCE, form

# SPDX-License-Identifier: Apache-2.0
"""Texture fetches and surfaces: every form through a handle that no texture has is a fault of its own (what textures
give is in tests/unit/test_texture.c, as a vector's kernel cannot make one), and harmless in lanes that
do not execute it."""
from .form import Form

SOURCE = "PTX ISA, Texture Instructions: tex, tld4; a handle that is no texture is a fault here"
SOURCE_SURFACE = "PTX ISA, Surface Instructions: suld, sust; a handle that is none is a fault here"
SOURCE_QUERY = "PTX ISA, txq, suq; a handle that no texture has is a fault here"
COORDINATES = {"1d": "{%c}", "2d": "{%c, %c}", "3d": "{%c, %c, %c, %c}", "a1d": "{%layer, %c}",
               "a2d": "{%layer, %c, %c, %c}", "cube": "{%c, %c, %c, %c}",
               "acube": "{%layer, %c, %c, %c}"}
DERIVATIVES = {"1d": "{%c}", "2d": "{%c, %c}", "3d": "{%c, %c, %c, %c}", "a1d": "{%c}",
               "a2d": "{%c, %c}", "cube": "{%c, %c, %c, %c}", "acube": "{%c, %c, %c, %c}"}


def modes(geometry, coordinate):
    yield "", ""
    yield ".base", ""
    yield ".level", ", %c"
    if coordinate == "f32":
        yield ".grad", f", {DERIVATIVES[geometry]}, {DERIVATIVES[geometry]}"


def fetch(mode, rest, geometry, kind, coordinate, reached, mnemonic="tex"):
    name = f"{mnemonic}{mode}.{geometry}.v4.{kind}.{coordinate}"
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
    return mnemonic, Form(name + ("" if reached else " that no lane reaches"), [("%a", "b32")],
                          [("%x", "b32")], lines, rows, **extra)


def surface(mnemonic, geometry, vector, kind, bounds, reached):
    name = f"{mnemonic}.{geometry}{vector}.{kind}.{bounds}"
    width = {"b8": 16}.get(kind, int(kind[1:]))
    data = ", ".join(f"%t{i}" for i in range(int(vector[2:] or 1)))
    place = f"[%surface, {COORDINATES[geometry.split('.')[0]].replace('%layer', '%c')}]"
    operands = {"suld.b": f"{{{data}}}, {place}", "sust.b": f"{place}, {{{data}}}"}.get(
        mnemonic, f"{place}, {data}")
    lines = [("decl", f".reg .b{width} %t<4>;"), ("decl", ".reg .s32 %c;"),
             ("decl", ".reg .u64 %surface;"), ("decl", ".reg .pred %p;"),
             ("raw", "setp.eq.u32 %p, %a, 17;"), ("raw", "mov.b32 %c, 0;"),
             ("raw", "mov.u64 %surface, 0x100000001;")]
    lines += [("raw", f"mov.b{width} {name}, 0;") for name in data.split(", ")]
    lines += [("raw", f"@%p {name} {operands};"), ("raw", "mov.b32 %x, %a;")]
    numbers = [a for a in range(32) if reached or a != 17]
    rows = [((a,), ("-" if reached else a,)) for a in numbers]
    extra = {"fault": "no texture object has this handle"} if reached else {}
    return mnemonic, Form(name + ("" if reached else " that no lane reaches"), [("%a", "b32")],
                          [("%x", "b32")], lines, rows, **extra)


def gathers():
    for channel in "rgba":
        for geometry in ("2d", "a2d", "cube", "acube"):
            for kind in ("f32", "s32", "u32"):
                for reached in (True, False):
                    yield fetch("." + channel, "", geometry, kind, "f32", reached, "tld4")


def surfaces():
    for mnemonic in ("suld.b", "sust.b"):
        for geometry in ("1d", "2d", "3d", "a1d", "a2d"):
            for bounds in ("trap", "clamp", "zero"):
                for vector, kind in (("", "b8"), ("", "b16"), ("", "b32"), ("", "b64"), (".v2", "b8"),
                                     (".v4", "b8"), (".v2", "b16"), (".v4", "b16"), (".v2", "b32"),
                                     (".v4", "b32"), (".v2", "b64")):
                    for reached in (True, False):
                        yield surface(mnemonic, geometry, vector, kind, bounds, reached)


def reductions():
    types = {"add": ("u32", "s32", "u64"), "min": ("u32", "s32", "u64", "s64"),
             "max": ("u32", "s32", "u64", "s64"), "and": ("b32",), "or": ("b32",)}
    for operation, kinds in types.items():
        for kind in kinds:
            for geometry in ("1d", "2d", "3d"):
                for bounds in ("trap", "clamp", "zero"):
                    for reached in (True, False):
                        yield surface("sured.b", f"{geometry}.{operation}", "", kind, bounds, reached)


QUERIES = {"txq": ("width", "height", "depth", "array_size", "normalized_coords", "num_mipmap_levels",
                   "num_samples", "filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2",
                   "level.width", "level.height", "level.depth"),
           "suq": ("width", "height", "depth", "array_size", "memory_layout")}


def query(mnemonic, attribute, reached):
    name = f"{mnemonic}.{attribute}.b32"
    level = ", %a" if attribute.startswith("level") else ""
    lines = [("decl", ".reg .b32 %d;"), ("decl", ".reg .u64 %object;"), ("decl", ".reg .pred %p;"),
             ("raw", "setp.eq.u32 %p, %a, 17;"), ("raw", "mov.u64 %object, 0x100000001;"),
             ("raw", f"@%p {name} %d, [%object]{level};"), ("raw", "mov.b32 %x, %a;")]
    numbers = [a for a in range(32) if reached or a != 17]
    rows = [((a,), ("-" if reached else a,)) for a in numbers]
    extra = {"fault": "no texture object has this handle"} if reached else {}
    return Form(name + ("" if reached else " that no lane reaches"), [("%a", "b32")],
                [("%x", "b32")], lines, rows, **extra)


def forms():
    for mnemonic, attributes in QUERIES.items():
        for attribute in attributes:
            for reached in (True, False):
                yield mnemonic, SOURCE_QUERY, query(mnemonic, attribute, reached)
    for mnemonic, form in reductions():
        yield mnemonic, SOURCE_SURFACE, form
    for mnemonic, form in gathers():
        yield mnemonic, SOURCE, form
    for mnemonic, form in surfaces():
        yield mnemonic, SOURCE_SURFACE, form
    for geometry in COORDINATES:
        for coordinate in ("s32", "f32") if "cube" not in geometry else ("f32",):
            for mode, rest in modes(geometry, coordinate):
                for kind in ("f32", "s32", "u32"):
                    for reached in (True, False):
                        mnemonic, form = fetch(mode, rest, geometry, kind, coordinate, reached)
                        yield mnemonic, SOURCE, form

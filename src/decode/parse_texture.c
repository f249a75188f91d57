// SPDX-License-Identifier: Apache-2.0
/* tex.2d.v4.f32.f32 {r, g, b, a}, [texture, {x, y}]; further operands of .level and .grad.
 * The sources are the handle, the coordinates and, of .grad, the derivatives.
 * suld.b.2d.b32.trap {r}, [surface, {x, y}] and sust.b.2d.b32.trap [surface, {x, y}], {r}: the values come last.
 * txq.width.b32 d, [texture]. */
#include "decode/parser.h"

/* Elements as they are written: three dimensions and layers of two take four, the last of which is not
 * read (ISA: tex). */
static unsigned coordinates(const struct insn *insn)
{
    switch (insn->sub_op) {
    case SUB_1D:
        return 1;
    case SUB_2D:
    case SUB_1D_LAYERED:
        return 2;
    default:
        return 4;
    }
}

/* One element may stand without its braces. */
static ws_status parse_elements(struct parser *parser, struct insn *insn, enum ptx_type type,
                                unsigned count)
{
    const unsigned accept = ACCEPT_REGISTER | ACCEPT_IMMEDIATE;
    if (count > 1 || at_punct(parser, '{'))
        return parse_vector(parser, insn, false, type, accept, count);
    return parse_operand(parser, type, accept, &insn->operands[insn->ndst + insn->nsrc++]);
}

/* {layer, x}: an integer before the coordinates, and a fourth element that is not read. */
static ws_status parse_layered(struct parser *parser, struct insn *insn)
{
    const unsigned accept = ACCEPT_REGISTER | ACCEPT_IMMEDIATE;
    unsigned count = coordinates(insn);
    TRY(parser_expect(parser, '{', "before the layer"));
    TRY(parse_operand(parser, TYPE_U32, accept, &insn->operands[insn->ndst + insn->nsrc++]));
    for (unsigned k = 1; k < count; k++) {
        TRY(parser_expect(parser, ',', "between coordinates"));
        TRY(parse_operand(parser, insn->type2, accept, &insn->operands[insn->ndst + insn->nsrc++]));
    }
    return parser_expect(parser, '}', "after the coordinates");
}

/* A register, or what refers to a texture at module scope (.texref, of programs before CUDA 12): a variable that holds the
 * handle. */
static ws_status parse_handle(struct parser *parser, struct insn *insn)
{
    return parse_operand(parser, TYPE_B64, ACCEPT_REGISTER | ACCEPT_SYMBOL,
                         &insn->operands[insn->ndst + insn->nsrc++]);
}

/* A sampler of its own behind the texture: the independent mode, which CUDA does not use. */
static void refuse_sampler(struct parser *parser, const struct insn *insn)
{
    struct lexer before = parser->lexer;
    if (current(parser)->kind != TOKEN_NAME) return;
    advance(parser);
    if (!parser_take(parser, ',')) {
        parser->lexer = before;
        return;
    }
    parser->body.is_foreign = true;
    parser->body.foreign_what =
        arena_format(parser->arena, "'%s' with a sampler of its own", insn->text);
}

static ws_status parse_place(struct parser *parser, struct insn *insn)
{
    bool layered = insn->sub_op == SUB_1D_LAYERED || insn->sub_op == SUB_2D_LAYERED ||
                   insn->sub_op == SUB_CUBE_LAYERED;
    TRY(parser_expect(parser, '[', "before the texture"));
    TRY(parse_handle(parser, insn));
    TRY(parser_expect(parser, ',', "before the coordinates"));
    refuse_sampler(parser, insn);
    TRY(layered ? parse_layered(parser, insn)
                : parse_elements(parser, insn, insn->type2, coordinates(insn)));
    return parser_expect(parser, ']', "after the coordinates");
}

/* Derivatives have the dimensions of the coordinates, without the layer. */
static unsigned derivatives(const struct insn *insn)
{
    return insn->sub_op == SUB_2D_LAYERED     ? 2
           : insn->sub_op == SUB_1D_LAYERED   ? 1
           : insn->sub_op == SUB_CUBE_LAYERED ? 4
                                              : coordinates(insn);
}

ws_status parse_texture(struct parser *parser, struct insn *insn)
{
    TRY(parse_vector(parser, insn, true, insn->type, ACCEPT_DESTINATION, insn->vector));
    TRY(parser_expect(parser, ',', "between operands"));
    TRY(parse_place(parser, insn));
    if (insn->flags & INSN_LEVEL) {
        TRY(parser_expect(parser, ',', "before the level"));
        TRY(parse_elements(parser, insn, insn->type2, 1));
    }
    for (unsigned k = 0; k < 2 && insn->flags & INSN_GRADIENTS; k++) {
        TRY(parser_expect(parser, ',', "before the derivatives"));
        TRY(parse_elements(parser, insn, TYPE_F32, derivatives(insn)));
    }
    if (!at_punct(parser, ',')) return WS_OK;
    /* an offset or a reference to compare with */
    parser->body.is_foreign = true;
    parser->body.foreign_what =
        arena_format(parser->arena, "'%s' with an offset or a depth to compare with", insn->text);
    while (!at_punct(parser, ';') && current(parser)->kind != TOKEN_END)
        advance(parser);
    return WS_OK;
}

/* The layer of a layered surface comes first, as of a texture; x counts bytes. */
static ws_status parse_surface_place(struct parser *parser, struct insn *insn)
{
    TRY(parser_expect(parser, '[', "before the surface"));
    TRY(parse_handle(parser, insn));
    TRY(parser_expect(parser, ',', "before the coordinates"));
    TRY(parse_elements(parser, insn, TYPE_S32, coordinates(insn)));
    return parser_expect(parser, ']', "after the coordinates");
}

/* One element may stand without its braces. */
static ws_status parse_surface_data(struct parser *parser, struct insn *insn, bool is_dst)
{
    const unsigned accept = is_dst ? ACCEPT_DESTINATION | ACCEPT_WIDER
                                   : ACCEPT_REGISTER | ACCEPT_IMMEDIATE | ACCEPT_WIDER;
    if (insn->vector > 1 || at_punct(parser, '{'))
        return parse_vector(parser, insn, is_dst, insn->type, accept, insn->vector);
    struct operand *operand =
        is_dst ? &insn->operands[insn->ndst++] : &insn->operands[insn->ndst + insn->nsrc++];
    return parse_operand(parser, insn->type, accept, operand);
}

ws_status parse_surface(struct parser *parser, struct insn *insn)
{
    bool loads = insn->op == OP_SULD;
    if (loads) TRY(parse_surface_data(parser, insn, true));
    if (loads) TRY(parser_expect(parser, ',', "between operands"));
    TRY(parse_surface_place(parser, insn));
    if (loads) return WS_OK;
    TRY(parser_expect(parser, ',', "between operands"));
    return parse_surface_data(parser, insn, false);
}

ws_status parse_query(struct parser *parser, struct insn *insn)
{
    TRY(parse_operand(parser, TYPE_B32, ACCEPT_DESTINATION, &insn->operands[insn->ndst++]));
    TRY(parser_expect(parser, ',', "between operands"));
    TRY(parser_expect(parser, '[', "before the texture or surface"));
    TRY(parse_handle(parser, insn));
    TRY(parser_expect(parser, ']', "after the texture or surface"));
    if (!(insn->flags & INSN_LEVEL)) return WS_OK;
    TRY(parser_expect(parser, ',', "before the level"));
    return parse_elements(parser, insn, TYPE_B32, 1);
}

// SPDX-License-Identifier: Apache-2.0
/* One instruction: guard, mnemonic, and the operands its form asks for. */
#include <stdlib.h>
#include <string.h>

#include "decode/parser.h"

int32_t body_add_register(struct parser *parser, const char *name, enum ptx_type type)
{
    struct body *body = &parser->body;
    GROW(body->vregs, body->vreg_count, body->vreg_capacity);
    body->vregs[body->vreg_count] = (struct vreg){.name = name, .type = (uint8_t)type};
    return (int32_t)body->vreg_count++;
}

static struct insn *add_copy(struct parser *parser, const struct token *token,
                             const struct insn *like)
{
    struct body *body = &parser->body;
    GROW(body->insns, body->insn_count, body->insn_capacity);
    struct insn *insn = &body->insns[body->insn_count++];
    *insn = *like;
    insn->line = token->line;
    insn->column = token->column;
    insn->source_file = body->source_file;
    insn->source_line = body->source_line;
    insn->place = body->place;
    if (body->is_not_unrolled) insn->flags |= INSN_NO_UNROLL;
    body->is_not_unrolled = false;
    return insn;
}

struct insn *body_add_insn(struct parser *parser, const struct token *token)
{
    static const struct insn none = {.guard = -1, .target = -1, .vector = 1};
    return add_copy(parser, token, &none);
}

void body_add_unsupported(struct parser *parser, uint32_t line, const char *what)
{
    struct body *body = &parser->body;
    GROW(body->unsupported, body->unsupported_count, body->unsupported_capacity);
    body->unsupported[body->unsupported_count++] = (struct unsupported){.what = what, .line = line};
}

/* ---- operands by signature ------------------------------------------------------------------- */

static ws_status next_operand(struct parser *parser, const struct insn *insn)
{
    if (insn->ndst + insn->nsrc == 0) return WS_OK;
    return parser_expect(parser, ',', "between operands");
}

static struct operand *add_source(struct insn *insn)
{
    return &insn->operands[insn->ndst + insn->nsrc++];
}

static struct operand *add_destination(struct insn *insn)
{
    return &insn->operands[insn->ndst++];
}

/* p|q: the second destination is a predicate. */
static ws_status parse_second_destination(struct parser *parser, struct insn *insn)
{
    struct token bar = *current(parser);
    if (!parser_take(parser, '|')) return WS_OK;
    if (insn->op == OP_SETP && (insn->type == TYPE_F16 || insn->type == TYPE_BF16))
        return parser_error(parser, WS_ERR_INPUT, &bar, "'%s' takes one destination", insn->text);
    return parse_operand(parser, TYPE_PRED, ACCEPT_DESTINATION, add_destination(insn));
}

static enum ptx_type wide_type(const struct insn *insn)
{
    if (insn->mul_part != MUL_WIDE) return insn->type;
    switch (insn->type) {
    case TYPE_U16:
        return TYPE_U32;
    case TYPE_S16:
        return TYPE_S32;
    case TYPE_U32:
        return TYPE_U64;
    default:
        return TYPE_S64;
    }
}

static ws_status parse_typed(struct parser *parser, struct insn *insn, bool is_destination,
                             enum ptx_type type, unsigned accept)
{
    if (is_destination) return parse_operand(parser, type, accept, add_destination(insn));
    if (type == TYPE_PRED && at_punct(parser, '!')) /* and.pred p, !q, r: not in the manual */
        return parse_predicate(parser, true, add_source(insn));
    return parse_operand(parser, type, accept, add_source(insn));
}

/* The letters of a signature. Left of the bar are destinations:
 *   t the type            2 the second type      w the type, doubled by .wide
 *   n the type, or the half type of a mixed-precision operation
 *   T, S like t, 2, but the register may be wider
 *   u 32 bits             i a constant           p predicate
 *   d like t, or _        b predicate, or _      Q optional |q
 *   a address             A register or symbol   x register of 32 or 64 bits
 *   q predicate, if the instruction combines     m member mask, if it is .sync */
static ws_status parse_letter(struct parser *parser, struct insn *insn, char letter, bool is_dst)
{
    unsigned plain = is_dst ? ACCEPT_REGISTER : ACCEPT_SOURCE;
    switch (letter) {
    case 't':
        return parse_typed(parser, insn, is_dst, insn->type, plain);
    case 'n':
        return parse_typed(parser, insn, is_dst, insn_narrow_type(insn), plain);
    case '2':
        return parse_typed(parser, insn, is_dst, insn->type2, plain);
    case 'w':
        return parse_typed(parser, insn, is_dst, wide_type(insn), plain);
    case 'T':
        return parse_typed(parser, insn, is_dst, insn->type, plain | ACCEPT_WIDER);
    case 'S':
        return parse_typed(parser, insn, is_dst, insn->type2, plain | ACCEPT_WIDER);
    case 'u':
    case 'm':
        return parse_typed(parser, insn, is_dst, TYPE_B32, plain);
    case 'i':
        return parse_typed(parser, insn, is_dst, TYPE_U32, ACCEPT_IMMEDIATE);
    case 'd':
        return parse_typed(parser, insn, is_dst, insn->type, ACCEPT_DESTINATION);
    case 'b':
        return parse_typed(parser, insn, is_dst, TYPE_PRED, ACCEPT_DESTINATION);
    case 'A':
        return parse_typed(parser, insn, is_dst, insn->type, plain | ACCEPT_SYMBOL);
    case 'Q':
        return parse_second_destination(parser, insn);
    case 'a':
        return parse_address(parser, add_source(insn));
    case 'x': {
        int32_t reg;
        bool known = parser_find_register(parser, current(parser), &reg);
        bool wide = known && type_infos[parser->body.vregs[reg].type].bits == 64;
        return parse_typed(parser, insn, false, wide ? TYPE_B64 : TYPE_B32,
                           ACCEPT_REGISTER | ACCEPT_SYMBOL);
    }
    default:
        if (is_dst) return parse_typed(parser, insn, true, TYPE_PRED, ACCEPT_REGISTER);
        return parse_predicate(parser, true, add_source(insn));
    }
}

static bool is_present(const struct insn *insn, char letter)
{
    switch (letter) {
    case 'q':
        return insn->combine != COMBINE_NONE;
    case 'Q':
        return insn->op != OP_LOP3 || insn->combine != COMBINE_NONE;
    case 'm':
        return insn->flags & INSN_SYNC;
    default:
        return true;
    }
}

static ws_status parse_signature(struct parser *parser, struct insn *insn, const char *signature)
{
    bool is_dst = true;
    for (const char *letter = signature; *letter; letter++) {
        if (*letter == '|') {
            is_dst = false;
            continue;
        }
        if (!is_present(insn, *letter)) continue;
        if (*letter != 'Q') TRY(next_operand(parser, insn));
        TRY(parse_letter(parser, insn, *letter, is_dst));
    }
    return WS_OK;
}

/* ---- forms of their own ---------------------------------------------------------------------- */

/* %v of `.reg .v4 .f32 %v` for {%v.x, %v.y, %v.z, %v.w} */
static bool at_vector(struct parser *parser)
{
    const struct token *token = current(parser);
    if (token->kind != TOKEN_NAME) return false;
    const struct symbol *symbol = names_find(&parser->names, token->start, token->length);
    return symbol && symbol->kind == SYMBOL_VECTOR;
}

/* The same, and no element of it: `%v`, not `%v.x`. */
static bool at_whole_vector(struct parser *parser)
{
    if (!at_vector(parser)) return false;
    struct lexer before = parser->lexer;
    advance(parser);
    bool is_element = current(parser)->kind == TOKEN_DIRECTIVE;
    parser->lexer = before;
    return !is_element;
}

static uint32_t vector_elements(const struct parser *parser, const struct token *name)
{
    return names_find(&parser->names, name->start, name->length)->value;
}

static ws_status parse_whole_vector(struct parser *parser, struct insn *insn, bool is_dst,
                                    enum ptx_type type, unsigned accept, unsigned count)
{
    struct token name = *current(parser);
    if (vector_elements(parser, &name) != count)
        return parser_error(parser, WS_ERR_INPUT, &name, "the vector must have %u elements", count);
    advance(parser);
    for (unsigned k = 0; k < count; k++)
        TRY(parse_element(parser, &name, "xyzw"[k], type, accept,
                          is_dst ? add_destination(insn) : add_source(insn)));
    return WS_OK;
}

ws_status parse_vector(struct parser *parser, struct insn *insn, bool is_dst, enum ptx_type type,
                       unsigned accept, unsigned count)
{
    struct token open = *current(parser);
    unsigned seen = 0;
    if (at_vector(parser)) return parse_whole_vector(parser, insn, is_dst, type, accept, count);
    TRY(parser_expect(parser, '{', "before the elements of the vector"));
    do {
        if (seen == 8 || (count && seen == count)) {
            seen++;
            break;
        }
        TRY(parse_typed(parser, insn, is_dst, type, accept));
        seen++;
    } while (parser_take(parser, ','));
    if (count && seen != count)
        return parser_error(parser, WS_ERR_INPUT, &open, "the vector must have %u elements", count);
    return parser_expect(parser, '}', "after the elements of the vector");
}

/* What moves between registers and memory; special registers must be copied first. */
static ws_status parse_data(struct parser *parser, struct insn *insn, bool is_dst, unsigned wider)
{
    unsigned value = ACCEPT_REGISTER | ACCEPT_IMMEDIATE;
    unsigned accept = (is_dst ? ACCEPT_DESTINATION : value) | wider;
    if (insn->vector > 1)
        return parse_vector(parser, insn, is_dst, insn->type, accept, insn->vector);
    if (at_punct(parser, '{')) return parse_vector(parser, insn, is_dst, insn->type, accept, 1);
    return parse_typed(parser, insn, is_dst, insn->type, accept);
}

/* An access without space to a variable means the variable's space; one with another is wrong. */
static ws_status settle_space(struct parser *parser, const struct token *token, struct insn *insn,
                              const struct operand *address)
{
    if (address->symbol < 0) return WS_OK;
    unsigned space = parser->variables[address->symbol].space;
    if (insn->space == SPACE_GENERIC) {
        insn->space = (uint8_t)space;
        insn->class_id = (uint8_t)insn_classify(insn);
        insn->units = insn_units(insn);
    }
    if (insn->space != space)
        return parser_error(parser, WS_ERR_INPUT, token, "%s is in .%s, not in .%s",
                            parser->variables[address->symbol].name, space_names[space],
                            space_names[insn->space]);
    return WS_OK;
}

ws_status parse_memory_operand(struct parser *parser, struct insn *insn)
{
    struct token token = *current(parser);
    struct operand *address = add_source(insn);
    TRY(parse_address(parser, address));
    return settle_space(parser, &token, insn, address);
}

static ws_status parse_load(struct parser *parser, struct insn *insn)
{
    TRY(parse_data(parser, insn, true, ACCEPT_WIDER));
    TRY(parser_expect(parser, ',', "between operands"));
    return parse_memory_operand(parser, insn);
}

static ws_status parse_store(struct parser *parser, struct insn *insn)
{
    struct token token = *current(parser);
    TRY(parse_memory_operand(parser, insn));
    int32_t symbol = insn_source(insn, 0)->symbol;
    if (insn->space == SPACE_PARAM && symbol >= 0 && body_is_input(&parser->body, (uint32_t)symbol))
        return parser_error(parser, WS_ERR_INPUT, &token, "%s is a parameter: it is read-only",
                            parser->variables[symbol].name);
    TRY(parser_expect(parser, ',', "between operands"));
    return parse_data(parser, insn, false, ACCEPT_WIDER);
}

/* A vector whose old value is not used is written `_`. */
static ws_status parse_old_value(struct parser *parser, struct insn *insn)
{
    const struct token *token = current(parser);
    bool is_sink = token->kind == TOKEN_NAME && token->length == 1 && *token->start == '_';
    if (insn->vector <= 1 || !is_sink) return parse_data(parser, insn, true, 0);
    return parse_typed(parser, insn, true, insn->type, ACCEPT_SINK);
}

static ws_status parse_atomic(struct parser *parser, struct insn *insn)
{
    if (insn->op == OP_ATOM) {
        TRY(parse_old_value(parser, insn));
        TRY(parser_expect(parser, ',', "between operands"));
    }
    TRY(parse_memory_operand(parser, insn));
    TRY(parser_expect(parser, ',', "between operands"));
    TRY(parse_data(parser, insn, false, 0));
    if (insn->atom_op != ATOM_CAS) return WS_OK;
    TRY(parser_expect(parser, ',', "between operands"));
    return parse_data(parser, insn, false, 0);
}

static ws_status parse_size(struct parser *parser)
{
    uint64_t size;
    TRY(parser_expect(parser, ',', "between operands"));
    return parse_count(parser, "a size in bytes", UINT32_MAX, &size);
}

static ws_status parse_prefetch(struct parser *parser, struct insn *insn)
{
    TRY(parse_address(parser, add_source(insn)));
    return insn->op == OP_DISCARD || insn->op == OP_APPLYPRIORITY ? parse_size(parser) : WS_OK;
}

/* The fence of the tensor maps names what was written. */
static ws_status parse_fence(struct parser *parser, struct insn *insn)
{
    if (!at_punct(parser, '[')) return WS_OK;
    TRY(parse_address(parser, add_source(insn)));
    return parse_size(parser);
}

static ws_status parse_policy(struct parser *parser, struct insn *insn)
{
    TRY(parse_typed(parser, insn, true, TYPE_B64, ACCEPT_REGISTER));
    if (insn->sub_op == SUB_FRACTIONAL && !at_punct(parser, ',')) return WS_OK;
    TRY(parser_expect(parser, ',', "between operands"));
    if (insn->sub_op == SUB_FRACTIONAL)
        return parse_typed(parser, insn, false, TYPE_F32, ACCEPT_REGISTER | ACCEPT_IMMEDIATE);
    if (insn->sub_op == SUB_CVT)
        return parse_typed(parser, insn, false, TYPE_B64, ACCEPT_REGISTER | ACCEPT_IMMEDIATE);
    TRY(parse_address(parser, add_source(insn)));
    for (unsigned i = 0; i < 2; i++) {
        TRY(parser_expect(parser, ',', "between operands"));
        TRY(parse_typed(parser, insn, false, TYPE_B32, ACCEPT_REGISTER | ACCEPT_IMMEDIATE));
    }
    return WS_OK;
}

/* alloca d, size{, alignment} */
static ws_status parse_alloca(struct parser *parser, struct insn *insn)
{
    TRY(parse_signature(parser, insn, "t|t"));
    struct operand *alignment = add_source(insn);
    *alignment = (struct operand){.kind = OPERAND_IMMEDIATE, .reg = -1, .symbol = -1, .imm = 8};
    if (!parser_take(parser, ',')) return WS_OK;
    struct token token = *current(parser);
    TRY(parse_operand(parser, TYPE_U32, ACCEPT_IMMEDIATE, alignment));
    uint64_t bytes = (uint64_t)alignment->imm;
    if (bytes >= 1 && bytes <= ALLOCA_ALIGNMENT_MAX && !(bytes & (bytes - 1))) return WS_OK;
    return parser_error(parser, WS_ERR_INPUT, &token,
                        "the alignment must be a power of two up to %d", ALLOCA_ALIGNMENT_MAX);
}

static enum ptx_type element_type(enum ptx_type whole, unsigned count)
{
    switch (type_infos[whole].bits / count) {
    case 8:
        return TYPE_B8;
    case 16:
        return TYPE_B16;
    case 32:
        return TYPE_B32;
    case 64:
        return TYPE_B64;
    default:
        return TYPE_NONE;
    }
}

/* How many elements stand between the braces. */
static unsigned count_elements(struct parser *parser)
{
    struct lexer before = parser->lexer;
    unsigned count = 1;
    while (!at_punct(parser, '}') && !at_punct(parser, ';') && current(parser)->kind != TOKEN_END) {
        if (at_punct(parser, ',')) count++;
        advance(parser);
    }
    parser->lexer = before;
    return count;
}

static ws_status parse_moved_vector(struct parser *parser, struct insn *insn, bool is_dst)
{
    unsigned count =
        at_vector(parser) ? vector_elements(parser, current(parser)) : count_elements(parser);
    enum ptx_type type = count <= 4 ? element_type(insn->type, count) : TYPE_NONE;
    if (type == TYPE_NONE || count == 1 || type_infos[insn->type].kind != KIND_BITS)
        return parser_error(parser, WS_ERR_INPUT, current(parser),
                            "'%s' does not support %u elements", insn->text, count);
    insn->vector = (uint8_t)count;
    return parse_vector(parser, insn, is_dst, type, is_dst ? ACCEPT_DESTINATION : ACCEPT_SOURCE,
                        count);
}

/* %tid for {%tid.x, %tid.y, %tid.z, %tid.w} */
static ws_status parse_special_vector(struct parser *parser, struct insn *insn)
{
    struct token token;
    TRY(parser_expect_name(parser, "a vector", &token));
    for (const char *component = "xyzw"; *component; component++) {
        const char *name =
            arena_format(parser->arena, "%s.%c", parser_copy(parser, &token), *component);
        const struct symbol *symbol = names_find(&parser->names, name, (uint32_t)strlen(name));
        if (!symbol || symbol->kind != SYMBOL_SPECIAL || insn->vector != 4)
            return parser_error(parser, WS_ERR_INPUT, &token, "%s is not a vector of %u elements",
                                parser_token_text(parser, &token), insn->vector);
        *add_source(insn) =
            (struct operand){.kind = OPERAND_SPECIAL, .reg = (int32_t)symbol->value, .symbol = -1};
    }
    return WS_OK;
}

/* mov.v4.u32 {a, b, c, d}, {e, f, g, h} */
static ws_status parse_vector_move(struct parser *parser, struct insn *insn)
{
    if (insn->vector > 4 || type_infos[insn->type].bits > 64 || insn->type == TYPE_PRED)
        return parser_error(parser, WS_ERR_INPUT, current(parser), "unknown instruction '%s'",
                            insn->text);
    TRY(parse_vector(parser, insn, true, insn->type, ACCEPT_DESTINATION, insn->vector));
    TRY(parser_expect(parser, ',', "between operands"));
    if (!at_punct(parser, '{') && !at_vector(parser)) return parse_special_vector(parser, insn);
    return parse_vector(parser, insn, false, insn->type, ACCEPT_SOURCE, insn->vector);
}

static ws_status parse_mov(struct parser *parser, struct insn *insn)
{
    if (insn->vector > 1) return parse_vector_move(parser, insn);
    bool unpacks = at_punct(parser, '{') || at_whole_vector(parser);
    if (unpacks)
        TRY(parse_moved_vector(parser, insn, true));
    else
        TRY(parse_typed(parser, insn, true, insn->type, ACCEPT_REGISTER));
    TRY(parser_expect(parser, ',', "between operands"));
    if (!unpacks && (at_punct(parser, '{') || at_whole_vector(parser)))
        return parse_moved_vector(parser, insn, false);
    return parse_typed(parser, insn, false, insn->type, ACCEPT_SOURCE | ACCEPT_SYMBOL);
}

/* Of two numbers .abs comes with .xorsign, of three without. */
static ws_status parse_min_max(struct parser *parser, struct insn *insn)
{
    struct token token = *current(parser);
    bool xorsign = insn->flags & INSN_XORSIGN;
    TRY(parse_signature(parser, insn, "t|tt"));
    if (insn->type == TYPE_F32 && at_punct(parser, ',')) {
        TRY(parse_signature(parser, insn, "|t"));
        if (!xorsign) return WS_OK;
        return parser_error(parser, WS_ERR_INPUT, &token, "'.xorsign' takes no third operand");
    }
    if (!(insn->flags & INSN_ABS) || xorsign) return WS_OK;
    return parser_error(parser, WS_ERR_INPUT, &token,
                        "'.abs' with two operands requires '.xorsign'");
}

/* The registers of .bf16, .tf32 and packed numbers must be as wide as they are (ISA: cvt). */
static unsigned width_of_conversion(enum ptx_type type)
{
    bool exact = type == TYPE_BF16 || type == TYPE_TF32 || type_elements(type) > 1;
    return exact ? 0 : ACCEPT_WIDER;
}

static ws_status parse_cvt(struct parser *parser, struct insn *insn)
{
    if (insn->sub_op == SUB_PACK)
        return parse_signature(parser, insn, insn->type3 ? "u|uuu" : "u|uu");
    unsigned elements = type_elements(insn->type), wide = width_of_conversion(insn->type2);
    TRY(parse_typed(parser, insn, true, insn->type,
                    ACCEPT_REGISTER | width_of_conversion(insn->type)));
    TRY(parser_expect(parser, ',', "between operands"));
    if (elements == 4)
        TRY(parse_vector(parser, insn, false, insn->type2, ACCEPT_SOURCE, elements));
    else
        TRY(parse_typed(parser, insn, false, insn->type2, ACCEPT_SOURCE | wide));
    if (elements == 2 && insn->type2 == TYPE_F32) TRY(parse_signature(parser, insn, "|2"));
    return insn->rounding == ROUND_RS ? parse_signature(parser, insn, "|u") : WS_OK;
}

/* bar.red d, a, [b,] p: the sources are always a, b, p; b is OPERAND_NONE if it is left out. */
static ws_status parse_bar_red(struct parser *parser, struct insn *insn)
{
    bool counts = insn->sub_op == SUB_RED_POPC;
    TRY(parse_signature(parser, insn, counts ? "u|u" : "p|u"));
    TRY(parser_expect(parser, ',', "between operands"));
    int32_t reg;
    bool is_predicate =
        at_punct(parser, '!') || (parser_find_register(parser, current(parser), &reg) &&
                                  parser->body.vregs[reg].type == TYPE_PRED);
    struct operand *threads = add_source(insn);
    *threads = (struct operand){.kind = OPERAND_NONE, .reg = -1, .symbol = -1};
    if (!is_predicate) {
        TRY(parse_operand(parser, TYPE_B32, ACCEPT_SOURCE, threads));
        TRY(parser_expect(parser, ',', "between operands"));
    }
    return parse_predicate(parser, true, add_source(insn));
}

static ws_status parse_bar(struct parser *parser, struct insn *insn)
{
    switch (insn->sub_op) {
    case SUB_WARP_SYNC:
        return parse_signature(parser, insn, "|u");
    case SUB_ARRIVE:
        return parse_signature(parser, insn, "|uu");
    case SUB_SYNC:
        TRY(parse_signature(parser, insn, "|u"));
        if (!at_punct(parser, ',')) return WS_OK;
        return parse_signature(parser, insn, "|u");
    default:
        return parse_bar_red(parser, insn);
    }
}

/* setmaxnreg: 24 to 256 registers in steps of 8 (PTX ISA 9.7.19.5). */
static ws_status parse_constant_alone(struct parser *parser, struct insn *insn)
{
    struct token token = *current(parser);
    TRY(parse_signature(parser, insn, "|i"));
    int64_t value = insn_source(insn, 0)->imm;
    if (insn->op != OP_SETMAXNREG || (value >= 24 && value <= 256 && value % 8 == 0)) return WS_OK;
    return parser_error(parser, WS_ERR_INPUT, &token,
                        "the number of registers must be a multiple of 8 from 24 to 256");
}

/* ---- the table of forms ---------------------------------------------------------------------- */

struct form {
    const char *signature; /* or */
    ws_status (*parse)(struct parser *parser, struct insn *insn);
};
static const struct form forms[] = {
    [FORM_NONE] = {"", NULL},
    [FORM_A] = {"|u", NULL},
    [FORM_D] = {"t|", NULL},
    [FORM_D_A] = {"t|t", NULL},
    [FORM_D32_A] = {"u|t", NULL},
    [FORM_D_AB] = {"w|nt", NULL},
    [FORM_MINMAX] = {NULL, parse_min_max},
    [FORM_D_AB32] = {"t|tu", NULL},
    [FORM_D_ABC] = {"w|nnw", NULL},
    [FORM_D_ABCI] = {"dQ|tttiq", NULL},
    [FORM_D_ABC_BITFIELD] = {"t|tuu", NULL},
    [FORM_D_ABCD_BITFIELD] = {"t|ttuu", NULL},
    [FORM_D_ABP] = {"t|ttp", NULL},
    [FORM_D_ABC_SLCT] = {"t|tt2", NULL},
    [FORM_SETP] = {"bQ|ttq", NULL},
    [FORM_SET] = {"t|22q", NULL},
    [FORM_TESTP] = {"p|t", NULL},
    [FORM_MOV] = {NULL, parse_mov},
    [FORM_CVT] = {NULL, parse_cvt},
    [FORM_VIDEO] = {NULL, parse_video},
    [FORM_CVTA] = {"t|A", NULL},
    [FORM_ISSPACEP] = {"p|x", NULL},
    [FORM_LD] = {NULL, parse_load},
    [FORM_ST] = {NULL, parse_store},
    [FORM_ATOM] = {NULL, parse_atomic},
    [FORM_RED] = {NULL, parse_atomic},
    [FORM_PREFETCH] = {NULL, parse_prefetch},
    [FORM_POLICY] = {NULL, parse_policy},
    [FORM_TEX] = {NULL, parse_texture},
    [FORM_SURFACE] = {NULL, parse_surface},
    [FORM_QUERY] = {NULL, parse_query},
    [FORM_COPY] = {NULL, parse_copy},
    [FORM_BULK] = {NULL, parse_bulk},
    [FORM_TENSORMAP] = {NULL, parse_tensormap},
    [FORM_MBARRIER] = {NULL, parse_mbarrier},
    [FORM_MATRIX] = {NULL, parse_matrix},
    [FORM_MAPA] = {"t|Au", NULL},
    [FORM_GETCTARANK] = {"u|A", NULL},
    [FORM_ALLOCA] = {NULL, parse_alloca},
    [FORM_STACKRESTORE] = {"|t", NULL},
    [FORM_ELECT] = {"dQ|m", NULL},
    [FORM_FENCE] = {NULL, parse_fence},
    [FORM_I] = {NULL, parse_constant_alone},
    [FORM_BRA] = {NULL, parse_branch},
    [FORM_BRX] = {NULL, parse_branch_indexed},
    [FORM_CALL] = {NULL, parse_call},
    [FORM_BAR] = {NULL, parse_bar},
    [FORM_SHFL] = {"dQ|tuum", NULL},
    [FORM_VOTE] = {"t|pm", NULL},
    [FORM_MATCH] = {"dQ|tm", NULL},
    [FORM_REDUX] = {"t|tm", NULL},
};

/* @p or @!p */
static ws_status parse_guard(struct parser *parser, struct operand *guard)
{
    *guard = (struct operand){.reg = -1};
    if (!parser_take(parser, '@')) return WS_OK;
    guard->negate = parser_take(parser, '!');
    bool negate = guard->negate;
    TRY(parse_operand(parser, TYPE_PRED, ACCEPT_REGISTER, guard));
    guard->negate = negate;
    return WS_OK;
}

/* The place stays a trap, so that nothing runs on silently past what was not executed. */
static void make_trap(struct parser *parser, struct insn *insn, const char *what)
{
    insn->op = OP_TRAP;
    insn->ndst = insn->nsrc = 0;
    insn->flags &= INSN_NEG_GUARD;
    insn->type = insn->type2 = TYPE_NONE;
    insn->space = SPACE_NONE;
    insn->class_id = (uint8_t)insn_classify(insn);
    insn->units = insn_units(insn);
    body_add_unsupported(parser, insn->line, what);
}

static ws_status parse_operands(struct parser *parser, struct insn *insn,
                                const struct mnemonic *mnemonic)
{
    const struct form *form = &forms[op_infos[insn->op].form];
    bool has_policy = mnemonic->has_cache_policy;
    parser->body.is_foreign = false;
    if (insn->op == OP_MATCH && insn->type == TYPE_B64) {
        TRY(parse_operand(parser, TYPE_B32, ACCEPT_DESTINATION, add_destination(insn)));
        TRY(parse_signature(parser, insn, "Q|tm"));
    } else if (form->parse) {
        TRY(form->parse(parser, insn));
    } else {
        TRY(parse_signature(parser, insn, form->signature));
    }
    if (has_policy && parser_take(parser, ',')) {
        struct operand policy;
        TRY(parse_operand(parser, TYPE_B64, ACCEPT_REGISTER, &policy));
    }
    return WS_OK;
}

/* PTX 1.x: results that live in registers are handed over where the function returns. */
static void return_registers(struct parser *parser, const struct operand *guard)
{
    struct insn like = {.guard = guard->reg,
                        .flags = guard->negate ? INSN_NEG_GUARD : 0,
                        .line = current(parser)->line,
                        .column = current(parser)->column,
                        .source_file = parser->body.source_file,
                        .source_line = parser->body.source_line,
                        .place = parser->body.place};
    for (uint32_t i = 0; i < parser->body.return_count; i++) {
        const struct register_parameter *result = &parser->body.register_returns[i];
        struct operand value = {.kind = OPERAND_REGISTER, .reg = result->reg, .symbol = -1};
        body_add_parameter_move(parser, &like, false, &value, result->elements, result->variable);
    }
}

/* The sums that operands name go before instruction `index`. */
static void insert_sums(struct parser *parser, uint32_t index)
{
    struct body *body = &parser->body;
    uint32_t first = body->insn_count, count = body->sum_count;
    struct token token = {.line = body->insns[index].line, .column = body->insns[index].column};
    for (uint32_t i = 0; i < count; i++) { /* at the end, first: the array may move */
        const struct register_sum *sum = &body->sums[i];
        unsigned bits = type_infos[body->vregs[sum->reg].type].bits;
        struct insn *insn = body_add_insn(parser, &token);
        insn->op = OP_ADD;
        insn->type = bits == 16 ? TYPE_S16 : bits == 32 ? TYPE_S32 : TYPE_S64;
        insn->text = bits == 16 ? "add.s16" : bits == 32 ? "add.s32" : "add.s64";
        insn->ndst = 1;
        insn->nsrc = 2;
        insn->operands[0] =
            (struct operand){.kind = OPERAND_REGISTER, .reg = sum->sum, .symbol = -1};
        insn->operands[1] =
            (struct operand){.kind = OPERAND_REGISTER, .reg = sum->reg, .symbol = -1};
        insn->operands[2] = (struct operand){
            .kind = OPERAND_IMMEDIATE, .reg = -1, .symbol = -1, .imm = sum->addend};
        insn->class_id = (uint8_t)insn_classify(insn);
        insn->units = insn_units(insn);
    }
    size_t moved = first - index; /* the instruction, and what it became */
    struct insn *copy = mem_alloc(moved * sizeof *copy);
    memcpy(copy, &body->insns[index], moved * sizeof *copy);
    memmove(&body->insns[index], &body->insns[first], count * sizeof *copy);
    memcpy(&body->insns[index + count], copy, moved * sizeof *copy);
    mem_free(copy);
}

ws_status parse_instruction(struct parser *parser)
{
    struct operand guard;
    struct mnemonic *mnemonic;
    parser->body.sum_count = 0;
    TRY(parse_guard(parser, &guard));
    if (current(parser)->kind != TOKEN_NAME)
        return parser_error(parser, WS_ERR_INPUT, current(parser),
                            "expected an instruction, found %s",
                            parser_token_text(parser, current(parser)));
    lexer_take_mnemonic(&parser->lexer);
    struct token token = *current(parser);
    TRY(mnemonic_find(parser, &token, &mnemonic));
    if (mnemonic->insn.op == OP_RET && !mnemonic->unsupported) return_registers(parser, &guard);
    uint32_t index = parser->body.insn_count;
    struct insn *insn = add_copy(parser, &token, &mnemonic->insn);
    insn->guard = guard.reg;
    if (guard.negate) insn->flags |= INSN_NEG_GUARD;
    advance(parser);
    if (mnemonic->unsupported) {
        make_trap(parser, insn, arena_format(parser->arena, "instruction '%s'", insn->text));
        return parser_skip_past(parser, ';', "after the instruction");
    }
    TRY(parse_operands(parser, insn, mnemonic));
    if (parser->body.is_foreign)
        make_trap(parser, &parser->body.insns[index], parser->body.foreign_what);
    if (parser->body.sum_count) insert_sums(parser, index);
    return parser_expect(parser, ';', "after the instruction");
}

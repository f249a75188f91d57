// SPDX-License-Identifier: Apache-2.0
/* One operand: register, constant, special register, symbol, address. */
#include <string.h>

#include "decode/parser.h"

static const char *const foreign_specials[] = {
#define OPCODE(name)
#define SUFFIX(name)
#define SPECIAL(name) name,
#include "decode/foreign.def"
#undef OPCODE
#undef SUFFIX
#undef SPECIAL
};

void parser_declare_specials(struct parser *parser)
{
    for (uint32_t i = 0; i < SREG_COUNT; i++) {
        const char *name = sreg_infos[i].name;
        names_declare(&parser->names, names_intern(&parser->names, name, (uint32_t)strlen(name)),
                      SYMBOL_SPECIAL, i);
    }
    for (uint32_t i = 0; i < sizeof foreign_specials / sizeof *foreign_specials; i++) {
        const char *name = foreign_specials[i];
        names_declare(&parser->names, names_intern(&parser->names, name, (uint32_t)strlen(name)),
                      SYMBOL_FOREIGN, i);
    }
}

/* ---- registers ------------------------------------------------------------------------------- */

/* The number behind a prefix as ranges spell it: no leading zeros. */
static bool split_number(const struct token *token, uint32_t *prefix, uint32_t *number)
{
    enum { DIGITS_MAX = 8 };
    uint32_t at = token->length;
    while (at > 1 && token->start[at - 1] >= '0' && token->start[at - 1] <= '9')
        at--;
    uint32_t digits = token->length - at;
    if (digits == 0 || digits > DIGITS_MAX || (digits > 1 && token->start[at] == '0')) return false;
    *prefix = at;
    *number = 0;
    for (uint32_t i = at; i < token->length; i++)
        *number = *number * 10 + (uint32_t)(token->start[i] - '0');
    return true;
}

/* Registers of a range come into being when they are first named, so that a range may be large. */
bool parser_find_register(struct parser *parser, const struct token *token, int32_t *out)
{
    struct body *body = &parser->body;
    const struct symbol *symbol = names_find(&parser->names, token->start, token->length);
    uint32_t prefix, number, known;
    if (symbol) {
        *out = (int32_t)symbol->value;
        return symbol->kind == SYMBOL_REGISTER;
    }
    if (!split_number(token, &prefix, &number)) return false;
    symbol = names_find(&parser->names, token->start, prefix);
    if (!symbol || symbol->kind != SYMBOL_RANGE) return false;
    const struct register_range *range = &body->ranges[symbol->value];
    if (number >= range->count) return false;
    uint64_t key = (uint64_t)(symbol->value + 1) << 32 | number;
    if (!map_get(&parser->registers, key, &known)) {
        known = (uint32_t)body_add_register(parser, parser_copy(parser, token), range->type);
        map_set(&parser->registers, key, known);
    }
    *out = (int32_t)known;
    return true;
}

/* PTX ISA 9.2: same size, and the same kind unless one side is untyped bits. Types of floats that
 * are equally large (f32, f16x2, bf16x2) differ; packed integers live in bits only. */
static bool fits(enum ptx_type wanted, enum ptx_type declared, bool may_be_wider)
{
    const struct type_info *want = &type_infos[wanted], *have = &type_infos[declared];
    if (want->kind == KIND_PRED || have->kind == KIND_PRED) return want->kind == have->kind;
    if (may_be_wider ? have->bits < want->bits : have->bits != want->bits) return false;
    if (want->kind == KIND_BITS || have->kind == KIND_BITS || may_be_wider) return true;
    if (want->kind == KIND_FLOAT || have->kind == KIND_FLOAT) return wanted == declared;
    return wanted != TYPE_U16X2 && wanted != TYPE_S16X2;
}

static ws_status use_register(struct parser *parser, const struct token *token, int32_t reg,
                              enum ptx_type type, unsigned accept, struct operand *out)
{
    enum ptx_type declared = parser->body.vregs[reg].type;
    if (!(accept & ACCEPT_REGISTER))
        return parser_error(parser, WS_ERR_INPUT, token, "expected a constant, found register %s",
                            parser_token_text(parser, token));
    if (!fits(type, declared, accept & ACCEPT_WIDER))
        return parser_error(
            parser, WS_ERR_INPUT, token, "register %s is .%s, but .%s is required here",
            parser_token_text(parser, token), type_infos[declared].suffix, type_infos[type].suffix);
    *out = (struct operand){.kind = OPERAND_REGISTER, .reg = reg, .symbol = -1};
    return WS_OK;
}

ws_status parse_element(struct parser *parser, const struct token *vector, char element,
                        enum ptx_type type, unsigned accept, struct operand *out)
{
    const char *name = arena_format(parser->arena, "%s.%c", parser_copy(parser, vector), element);
    const struct symbol *symbol = names_find(&parser->names, name, (uint32_t)strlen(name));
    if (!symbol || symbol->kind != SYMBOL_REGISTER)
        return parser_error(parser, WS_ERR_INPUT, vector, "%s has no element .%c",
                            parser_token_text(parser, vector), element);
    return use_register(parser, vector, (int32_t)symbol->value, type, accept, out);
}

/* `.x` behind the name of a vector of registers; .r .g .b .a are other names. */
static ws_status parse_named_element(struct parser *parser, const struct token *vector,
                                     enum ptx_type type, unsigned accept, struct operand *out)
{
    static const char names[] = "xyzwrgba";
    const struct token *suffix = current(parser);
    const char *found = suffix->kind == TOKEN_DIRECTIVE && suffix->length == 2
                            ? strchr(names, suffix->start[1])
                            : NULL;
    if (!found)
        return parser_error(parser, WS_ERR_INPUT, vector,
                            "%s is a vector: use an element such as %s.x",
                            parser_token_text(parser, vector), parser_copy(parser, vector));
    advance(parser);
    return parse_element(parser, vector, names[(found - names) % 4], type, accept, out);
}

/* ---- constants ------------------------------------------------------------------------------- */

/* Halves and packed types have no constants. */
static bool takes_constants(enum ptx_type type)
{
    return !((TS_F16 | TS_F32X2 | TS_I16X2) >> type & 1);
}

static ws_status use_constant(struct parser *parser, enum ptx_type type, unsigned accept,
                              struct operand *out)
{
    struct token token = *current(parser);
    struct constant constant;
    TRY(parse_constant(parser, &constant));
    unsigned kind = type_infos[type].kind;
    bool is_float = constant.kind == CONSTANT_FLOAT;
    if (!(accept & ACCEPT_IMMEDIATE))
        return parser_error(parser, WS_ERR_INPUT, &token, "expected a register, found a constant");
    if (!takes_constants(type))
        return parser_error(parser, WS_ERR_INPUT, &token,
                            "expected a register of type .%s, found a constant",
                            type_infos[type].suffix);
    if (is_float && (kind == KIND_SIGNED || kind == KIND_UNSIGNED || kind == KIND_PRED))
        return parser_error(parser, WS_ERR_INPUT, &token, "expected .%s, found a float",
                            type_infos[type].suffix);
    if (!is_float && kind == KIND_FLOAT)
        return parser_error(parser, WS_ERR_INPUT, &token,
                            "expected .%s, found an integer: use a float such as 1.0 or 0f3F800000",
                            type_infos[type].suffix);
    *out = (struct operand){.kind = OPERAND_IMMEDIATE,
                            .reg = -1,
                            .symbol = -1,
                            .imm = (int64_t)constant_to_bits(&constant, type)};
    return WS_OK;
}

/* +4, -4, +-4 behind a symbol or register. */
static ws_status parse_offset(struct parser *parser, int64_t *offset)
{
    *offset = 0;
    if (!at_punct(parser, '+') && !at_punct(parser, '-')) return WS_OK;
    struct token token = *current(parser);
    struct constant constant;
    TRY(parse_constant(parser, &constant));
    if (constant.kind == CONSTANT_FLOAT)
        return parser_error(parser, WS_ERR_INPUT, &token, "an offset must be an integer");
    *offset = (int64_t)constant.integer;
    return WS_OK;
}

/* name, name+4, name[3] (element 3) */
static ws_status use_variable(struct parser *parser, uint32_t index, struct operand *out)
{
    *out = (struct operand){.kind = OPERAND_SYMBOL, .reg = -1, .symbol = (int32_t)index};
    if (parser_take(parser, '[')) {
        uint64_t element;
        TRY(parse_count(parser, "an index", UINT32_MAX, &element));
        TRY(parser_expect(parser, ']', "after the index"));
        out->imm = (int64_t)(element * type_infos[parser->variables[index].type].bits / 8u);
        return WS_OK;
    }
    return parse_offset(parser, &out->imm);
}

/* ---- operands -------------------------------------------------------------------------------- */

static ws_status use_symbol(struct parser *parser, const struct token *token,
                            const struct symbol *symbol, enum ptx_type type, unsigned accept,
                            struct operand *out)
{
    bool accepted = (symbol->kind == SYMBOL_VARIABLE || symbol->kind == SYMBOL_FUNCTION)
                        ? accept & ACCEPT_SYMBOL
                    : symbol->kind == SYMBOL_SPECIAL || symbol->kind == SYMBOL_FOREIGN
                        ? accept & ACCEPT_SPECIAL
                        : 0;
    if (!accepted)
        return parser_error(parser, WS_ERR_INPUT, token, "%s is not allowed here: %s",
                            parser_token_text(parser, token),
                            accept & ACCEPT_IMMEDIATE ? "expected a register or a constant"
                                                      : "expected a register");
    *out = (struct operand){.kind = OPERAND_IMMEDIATE, .reg = -1, .symbol = -1};
    switch (symbol->kind) {
    case SYMBOL_VARIABLE:
        if (parser->variables[symbol->value].space == SPACE_PARAM &&
            (symbol->value < parser->body.formals_begin ||
             symbol->value >= parser->body.formals_end))
            return parser_error(parser, WS_ERR_INPUT, token,
                                "%s is a variable of a call: it has no address",
                                parser_token_text(parser, token));
        return use_variable(parser, symbol->value, out);
    case SYMBOL_FUNCTION:
        out->kind = OPERAND_FUNCTION;
        out->symbol = (int32_t)symbol->value;
        return WS_OK;
    case SYMBOL_SPECIAL:
        /* Old code reads 32-bit special registers as 16 bits; the kind must fit all the same. */
        if (type_infos[type].kind == KIND_FLOAT ||
            (type_infos[type].kind == KIND_PRED) != (sreg_infos[symbol->value].bits == 1))
            return parser_error(parser, WS_ERR_INPUT, token, "%s is an integer, not .%s",
                                parser_token_text(parser, token), type_infos[type].suffix);
        out->kind = OPERAND_SPECIAL;
        out->reg = (int32_t)symbol->value;
        return WS_OK;
    default:
        parser->body.is_foreign = true;
        parser->body.foreign_what =
            arena_format(parser->arena, "special register '%s'", parser_copy(parser, token));
        return WS_OK;
    }
}

static bool begins_constant(const struct parser *parser)
{
    const struct token *token = &parser->lexer.token;
    if (token->kind == TOKEN_INTEGER || token->kind == TOKEN_FLOAT) return true;
    if (token->kind == TOKEN_NAME) return token->length == 7 && !memcmp(token->start, "WARP_SZ", 7);
    return token->kind == TOKEN_PUNCT &&
           (token->punct == '-' || token->punct == '+' || token->punct == '(' ||
            token->punct == '~' || token->punct == '!');
}

/* A sum of the register's width takes its place. */
static ws_status add_sum(struct parser *parser, struct operand *out, int64_t addend)
{
    struct body *body = &parser->body;
    struct register_sum sum = {.reg = out->reg, .addend = addend};
    sum.sum = out->reg = body_add_register(parser, "", body->vregs[out->reg].type);
    GROW(body->sums, body->sum_count, body->sum_capacity);
    body->sums[body->sum_count++] = sum;
    return WS_OK;
}

/* `+4` behind a register that is read. */
static ws_status parse_sum(struct parser *parser, const struct token *token, struct operand *out)
{
    enum ptx_type declared = parser->body.vregs[out->reg].type;
    unsigned bits = type_infos[declared].bits;
    int64_t addend;
    if (type_infos[declared].kind == KIND_FLOAT || (bits != 16 && bits != 32 && bits != 64))
        return parser_error(parser, WS_ERR_INPUT, token,
                            "register %s is .%s: only integers support an offset",
                            parser_token_text(parser, token), type_infos[declared].suffix);
    TRY(parse_offset(parser, &addend));
    return add_sum(parser, out, addend);
}

ws_status parse_operand(struct parser *parser, enum ptx_type type, unsigned accept,
                        struct operand *out)
{
    if (begins_constant(parser)) return use_constant(parser, type, accept, out);
    struct token token;
    TRY(parser_expect_name(parser, "an operand", &token));
    bool is_sink = token.length == 1 && *token.start == '_';
    if (is_sink && accept & ACCEPT_SINK) {
        *out = (struct operand){.kind = OPERAND_NONE, .reg = -1, .symbol = -1};
        return WS_OK;
    }
    int32_t reg;
    if (parser_find_register(parser, &token, &reg)) {
        TRY(use_register(parser, &token, reg, type, accept, out));
        bool is_sum = accept & ACCEPT_IMMEDIATE && at_punct(parser, '+');
        return is_sum ? parse_sum(parser, &token, out) : WS_OK;
    }
    const struct symbol *symbol = names_find(&parser->names, token.start, token.length);
    if (symbol && symbol->kind == SYMBOL_VECTOR)
        return parse_named_element(parser, &token, type, accept, out);
    if (symbol) return use_symbol(parser, &token, symbol, type, accept, out);
    bool takes_symbol = accept & ACCEPT_SYMBOL && *token.start != '%';
    unsigned kinds = KINDS(REGISTER) | KINDS(RANGE);
    if (accept & ACCEPT_SPECIAL) kinds |= KINDS(SPECIAL) | KINDS(FOREIGN);
    if (takes_symbol) kinds |= KINDS(VARIABLE) | KINDS(FUNCTION);
    return parser_unknown(parser, &token, takes_symbol ? "name" : "register", kinds);
}

ws_status parse_predicate(struct parser *parser, bool may_negate, struct operand *out)
{
    bool negate = may_negate && parser_take(parser, '!');
    TRY(parse_operand(parser, TYPE_PRED, ACCEPT_REGISTER | ACCEPT_IMMEDIATE, out));
    out->negate = negate;
    return WS_OK;
}

static ws_status parse_base(struct parser *parser, struct operand *out)
{
    struct token token;
    int32_t reg;
    TRY(parser_expect_name(parser, "an address", &token));
    if (parser_find_register(parser, &token, &reg)) {
        const struct type_info *type = &type_infos[parser->body.vregs[reg].type];
        if (type->kind == KIND_FLOAT || type->kind == KIND_PRED || type->bits < 32 ||
            type->bits > 64)
            return parser_error(parser, WS_ERR_INPUT, &token,
                                "register %s is .%s: an address must have 32 or 64 bits",
                                parser_token_text(parser, &token), type->suffix);
        out->reg = reg;
        return parse_offset(parser, &out->imm);
    }
    const struct symbol *symbol = names_find(&parser->names, token.start, token.length);
    if (!symbol || symbol->kind != SYMBOL_VARIABLE)
        return parser_unknown(parser, &token, "address",
                              KINDS(REGISTER) | KINDS(RANGE) | KINDS(VARIABLE));
    struct operand variable;
    TRY(use_variable(parser, symbol->value, &variable));
    out->symbol = variable.symbol;
    out->imm = variable.imm;
    return WS_OK;
}

ws_status parse_open_address(struct parser *parser, struct operand *out)
{
    *out = (struct operand){.kind = OPERAND_ADDRESS, .reg = -1, .symbol = -1};
    TRY(parser_expect(parser, '[', "before the address"));
    if (!begins_constant(parser)) return parse_base(parser, out);
    struct constant constant;
    struct token token = *current(parser);
    TRY(parse_constant(parser, &constant));
    if (constant.kind == CONSTANT_FLOAT)
        return parser_error(parser, WS_ERR_INPUT, &token, "an address must be an integer");
    out->imm = (int64_t)constant.integer;
    return WS_OK;
}

ws_status parse_address(struct parser *parser, struct operand *out)
{
    TRY(parse_open_address(parser, out));
    TRY(parser_expect(parser, ']', "after the address"));
    if (parser_at_directive(parser, ".unified")) advance(parser);
    return WS_OK;
}

ws_status address_to_value(struct parser *parser, struct operand *operand)
{
    int64_t addend = operand->imm;
    if (operand->reg < 0) {
        operand->kind = operand->symbol < 0 ? OPERAND_IMMEDIATE : OPERAND_SYMBOL;
        return WS_OK;
    }
    operand->kind = OPERAND_REGISTER;
    operand->imm = 0;
    return addend ? add_sum(parser, operand, addend) : WS_OK;
}

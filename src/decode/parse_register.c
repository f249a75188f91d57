// SPDX-License-Identifier: Apache-2.0
/* .reg: registers, ranges and vectors of them, in a function or before all functions. */
#include <string.h>

#include "decode/parser.h"

enum {
    VERSION_OF_ABI = 3,
    PRIVATE_COPIES_MAX = 1 << 22, /* declarations of the module, repeated in its kernels */
};

/* ---- .reg ------------------------------------------------------------------------------------ */

/* The name of a register that is not known in this scope. */
static ws_status parse_new_name(struct parser *parser, struct token *token)
{
    const struct body *body = &parser->body;
    TRY(parser_expect_name(parser, "the name of a register", token));
    const struct symbol *old = names_find(&parser->names, token->start, token->length);
    if (old && old >= parser->names.symbols + body->marks[body->depth - 1])
        return parser_error(parser, WS_ERR_INPUT, token, "duplicate declaration of %s",
                            parser_token_text(parser, token));
    return WS_OK;
}

/* N of `%r<N>`. `<` and `>` are brackets here, not comparisons: the count is a plain number. */
static ws_status parse_range_count(struct parser *parser, uint32_t most, uint32_t *out)
{
    struct token number = *current(parser);
    if (number.kind != TOKEN_INTEGER || number.value.integer > most)
        return parser_error(parser, WS_ERR_INPUT, &number,
                            "expected the number of registers, at most %u, found %s", most,
                            parser_token_text(parser, &number));
    *out = (uint32_t)number.value.integer;
    advance(parser);
    return parser_expect(parser, '>', "after the number of registers");
}

static void declare_register(struct parser *parser, const char *name, enum ptx_type type)
{
    int32_t reg = body_add_register(parser, name, type);
    names_declare(&parser->names, names_intern(&parser->names, name, (uint32_t)strlen(name)),
                  SYMBOL_REGISTER, (uint32_t)reg);
}

ws_status parse_register_name(struct parser *parser, enum ptx_type type)
{
    struct body *body = &parser->body;
    struct token token;
    TRY(parse_new_name(parser, &token));
    if (!parser_take(parser, '<')) {
        declare_register(parser, parser_copy(parser, &token), type);
        return WS_OK;
    }
    struct register_range range = {.name = names_intern(&parser->names, token.start, token.length),
                                   .type = (uint8_t)type};
    names_declare(&parser->names, range.name, SYMBOL_RANGE, body->range_count);
    TRY(parse_range_count(parser, RANGE_MAX, &range.count));
    GROW(body->ranges, body->range_count, body->range_capacity);
    body->ranges[body->range_count++] = range;
    return WS_OK;
}

ws_status parse_register_type(struct parser *parser, enum ptx_type *out)
{
    struct token token = *current(parser);
    *out = token.kind == TOKEN_DIRECTIVE ? parser_type_of(token.start, token.length) : TYPE_NONE;
    if (*out == TYPE_NONE)
        return parser_error(parser, WS_ERR_INPUT, &token, "expected a type such as .b32, found %s",
                            parser_token_text(parser, &token));
    advance(parser);
    return WS_OK;
}

/* ---- vectors of registers: .reg .v4 .f32 %v; ------------------------------------------------- */

static void declare_vector(struct parser *parser, const char *name, enum ptx_type type,
                           unsigned elements)
{
    for (unsigned k = 0; k < elements; k++)
        declare_register(parser, arena_format(parser->arena, "%s.%c", name, "xyzw"[k]), type);
    names_declare(&parser->names, names_intern(&parser->names, name, (uint32_t)strlen(name)),
                  SYMBOL_VECTOR, elements);
}

ws_status parse_vector_name(struct parser *parser, enum ptx_type type, unsigned elements)
{
    enum { VECTORS_MAX = 4096 };
    struct token token;
    uint32_t count = 0;
    TRY(parse_new_name(parser, &token));
    const char *name = parser_copy(parser, &token);
    bool is_range = parser_take(parser, '<');
    if (is_range) TRY(parse_range_count(parser, VECTORS_MAX, &count));
    parser->vector_registers += is_range ? count * elements : elements;
    if (parser->vector_registers > VECTOR_REGISTERS_MAX)
        return parser_error(parser, WS_ERR_UNSUPPORTED, &token,
                            "with %s, vectors have more than %d registers: declare fewer",
                            parser_token_text(parser, &token), VECTOR_REGISTERS_MAX);
    if (!is_range) declare_vector(parser, name, type, elements);
    for (uint32_t i = 0; i < count; i++)
        declare_vector(parser, arena_format(parser->arena, "%s%u", name, i), type, elements);
    return WS_OK;
}

/* .v2 or .v4; 1: neither. */
unsigned parse_vector_length(struct parser *parser)
{
    unsigned elements = parser_at_directive(parser, ".v2")   ? 2
                        : parser_at_directive(parser, ".v4") ? 4
                                                             : 1;
    if (elements > 1) advance(parser);
    return elements;
}

ws_status parse_registers(struct parser *parser)
{
    enum ptx_type type;
    unsigned elements = parse_vector_length(parser);
    TRY(parse_register_type(parser, &type));
    do {
        if (elements > 1)
            TRY(parse_vector_name(parser, type, elements));
        else
            TRY(parse_register_name(parser, type));
    } while (parser_take(parser, ','));
    return parser_expect(parser, ';', "after the registers");
}

/* ---- registers and local memory of the module ------------------------------------------------ */

/* Every kernel that runs has its own, so they are declared again in each. A function that is called
 * would share its caller's: there they stay unknown. */
static ws_status keep_for_kernels(struct parser *parser, bool is_local)
{
    GROW(parser->module_privates, parser->module_private_count, parser->module_private_capacity);
    parser->module_privates[parser->module_private_count++] =
        (struct module_private){.lexer = parser->lexer, .is_local = is_local};
    return parser_skip_past(parser, ';', is_local ? "after the variable" : "after the registers");
}

ws_status parse_module_reg(struct parser *parser)
{
    if (parser->module->version_major >= VERSION_OF_ABI)
        return parser_error(
            parser, WS_ERR_INPUT, current(parser),
            "registers outside functions require PTX 2.3 or earlier: declare them in the function");
    return keep_for_kernels(parser, false);
}

ws_status parse_module_local(struct parser *parser)
{
    struct linkage linkage = {0};
    if (parser->module->version_major >= VERSION_OF_ABI)
        return parse_variable(parser, SPACE_LOCAL, &linkage); /* says what is wrong */
    return keep_for_kernels(parser, true);
}

ws_status parse_module_privates(struct parser *parser)
{
    struct lexer here = parser->lexer;
    struct linkage linkage = {0};
    for (uint32_t i = 0; i < parser->module_private_count; i++) {
        parser->lexer = parser->module_privates[i].lexer;
        if (parser->module_privates[i].is_local)
            TRY(parse_variable(parser, SPACE_LOCAL, &linkage));
        else
            TRY(parse_registers(parser));
    }
    parser->lexer = here;
    if (!parser->module_private_count) return WS_OK;
    parser->private_copies +=
        parser->module_private_count + parser->body.vreg_count + parser->body.range_count;
    if (parser->private_copies <= PRIVATE_COPIES_MAX) return WS_OK;
    return parser_error(
        parser, WS_ERR_UNSUPPORTED, &here.token,
        "too many registers outside functions for this number of kernels: declare them in "
        "the kernels that use them");
}

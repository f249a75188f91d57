// SPDX-License-Identifier: Apache-2.0
/* Initial values: numbers, nested arrays, addresses of variables and functions. */
#include <string.h>

#include "decode/parser.h"

static ws_status make_room(struct parser *parser, uint64_t end)
{
    if (end <= parser->init_size) return WS_OK;
    if (end + parser->initialiser_bytes > INITIALISERS_MAX)
        return parser_error(parser, WS_ERR_UNSUPPORTED, current(parser),
                            "the initial values of this file exceed %llu MiB",
                            (unsigned long long)(INITIALISERS_MAX >> 20));
    if (end > parser->init_capacity) {
        parser->init_capacity = end * 2;
        parser->init = mem_realloc(parser->init, parser->init_capacity);
    }
    memset(parser->init + parser->init_size, 0, end - parser->init_size);
    parser->init_size = end;
    return WS_OK;
}

static ws_status add_relocation(struct parser *parser, const struct token *token,
                                const struct relocation *relocation, bool is_masked)
{
    bool is_byte = relocation->bytes == 1 && is_masked;
    if (!is_byte && relocation->bytes != 4 && relocation->bytes != 8)
        return parser_error(parser, WS_ERR_INPUT, token,
                            "an address requires an element of 32 or 64 bits");
    GROW(parser->relocations, parser->relocation_count, parser->relocation_capacity);
    parser->relocations[parser->relocation_count++] = *relocation;
    return WS_OK;
}

/* symbol, symbol+4, generic(symbol)+4 */
static ws_status parse_symbol_value(struct parser *parser, struct relocation *relocation)
{
    struct token token;
    TRY(parser_expect_name(parser, "a variable or function", &token));
    if (token.length == 7 && !memcmp(token.start, "generic", 7) && at_punct(parser, '(')) {
        advance(parser);
        relocation->generic = true;
        TRY(parser_expect_name(parser, "a variable", &token));
        TRY(parser_expect(parser, ')', "after generic("));
    }
    const struct symbol *symbol = names_find(&parser->names, token.start, token.length);
    if (!symbol || (symbol->kind != SYMBOL_VARIABLE && symbol->kind != SYMBOL_FUNCTION))
        return parser_unknown(parser, &token, "variable or function",
                              KINDS(VARIABLE) | KINDS(FUNCTION));
    relocation->symbol = (int32_t)symbol->value;
    relocation->is_function = symbol->kind == SYMBOL_FUNCTION;
    if (at_punct(parser, '+') || at_punct(parser, '-')) {
        struct constant addend;
        struct token at = *current(parser);
        TRY(parse_constant(parser, &addend));
        if (addend.kind == CONSTANT_FLOAT)
            return parser_error(parser, WS_ERR_INPUT, &at, "an offset must be an integer");
        relocation->addend = (int64_t)addend.integer;
    }
    return WS_OK;
}

/* 0xFF00(symbol): one byte of an address, as an integer (PTX ISA 5.5.4). */
static ws_status parse_masked(struct parser *parser, enum ptx_type type, uint64_t offset)
{
    struct token token = *current(parser);
    struct relocation relocation = {.offset = offset, .bytes = 1};
    uint64_t mask = token.value.integer;
    relocation.shift = mask ? (uint8_t)(__builtin_ctzll(mask) & ~7) : 0;
    if (mask != UINT64_C(0xff) << relocation.shift)
        return parser_error(parser, WS_ERR_INPUT, &token,
                            "a mask of an address must be 0xff, shifted by whole bytes");
    if (type_infos[type].kind == KIND_FLOAT)
        return parser_error(parser, WS_ERR_INPUT, &token,
                            "a byte of an address requires an integer, not .%s",
                            type_infos[type].suffix);
    advance(parser);
    TRY(parser_expect(parser, '(', "after the mask"));
    TRY(parse_symbol_value(parser, &relocation));
    TRY(parser_expect(parser, ')', "after the masked symbol"));
    return add_relocation(parser, &token, &relocation, true);
}

static ws_status parse_scalar(struct parser *parser, enum ptx_type type, uint64_t offset)
{
    unsigned bytes = type_infos[type].bits / 8u;
    TRY(make_room(parser, offset + bytes));
    struct token token = *current(parser);
    bool is_name = token.kind == TOKEN_NAME;
    if (token.kind == TOKEN_INTEGER && lexer_followed_by(&parser->lexer, '('))
        return parse_masked(parser, type, offset);
    if (is_name && !(token.length == 7 && !memcmp(token.start, "WARP_SZ", 7))) {
        struct relocation relocation = {.offset = offset, .bytes = (uint8_t)bytes};
        TRY(parse_symbol_value(parser, &relocation));
        return add_relocation(parser, &token, &relocation, false);
    }
    struct constant constant;
    TRY(parse_constant(parser, &constant));
    uint64_t bits = constant_to_bits(&constant, type);
    memcpy(parser->init + offset, &bits, bytes < 8 ? bytes : 8);
    return WS_OK;
}

/* One brace: elements of dimension `level`, each `stride` bytes. */
static ws_status parse_level(struct parser *parser, const struct shape *shape, enum ptx_type type,
                             unsigned level, uint64_t offset)
{
    uint64_t stride = type_infos[type].bits / 8u, filled = 0;
    for (unsigned i = level + 1; i < shape->count; i++)
        stride *= shape->sizes[i];
    bool is_open = level == 0 && shape->sizes[0] == 0;
    uint64_t whole = stride * shape->sizes[level], element = type_infos[type].bits / 8u;
    TRY(parser_expect(parser, '{', "before the values"));
    while (!at_punct(parser, '}')) {
        bool nested = at_punct(parser, '{');
        uint64_t step = nested ? stride : element;
        if (nested && level + 1 >= shape->count)
            return parser_error(parser, WS_ERR_INPUT, current(parser),
                                "too many braces for the dimensions of the variable");
        if (nested && filled % stride != 0) filled += stride - filled % stride;
        if (!is_open && filled + step > whole)
            return parser_error(parser, WS_ERR_INPUT, current(parser),
                                "too many values for the array");
        if (nested)
            TRY(parse_level(parser, shape, type, level + 1, offset + filled));
        else
            TRY(parse_scalar(parser, type, offset + filled));
        filled += step;
        if (!parser_take(parser, ',')) break;
    }
    return parser_expect(parser, '}', "after the values");
}

/* Opaque textures: {addr_mode_0 = wrap, ...} */
static bool is_opaque_value(struct parser *parser)
{
    struct lexer before = parser->lexer;
    advance(parser);
    bool opaque = current(parser)->kind == TOKEN_NAME && lexer_followed_by(&parser->lexer, '=');
    parser->lexer = before;
    return opaque;
}

ws_status parse_initialiser(struct parser *parser, const struct shape *shape,
                            struct variable *variable)
{
    parser->init_size = 0;
    parser->relocation_count = 0;
    if (at_punct(parser, '{') && is_opaque_value(parser)) {
        advance(parser);
        return parser_skip_past(parser, '}', "after the values");
    }
    if (shape->count == 0 && parser_take(parser, '{')) {
        TRY(parse_scalar(parser, variable->type, 0));
        TRY(parser_expect(parser, '}', "after the value"));
    } else if (shape->count > 0) {
        TRY(parse_level(parser, shape, variable->type, 0, 0));
    } else {
        TRY(parse_scalar(parser, variable->type, 0));
    }
    if (shape->count > 0 && shape->sizes[0] == 0) variable->bytes = parser->init_size;
    if (variable->bytes == 0) return WS_OK;
    TRY(make_room(parser, variable->bytes));
    uint8_t *init = arena_alloc(parser->arena, variable->bytes);
    memcpy(init, parser->init, variable->bytes);
    variable->init = init;
    parser->initialiser_bytes += variable->bytes;
    struct relocation *copy =
        ARENA_ARRAY(parser->arena, struct relocation, parser->relocation_count);
    if (parser->relocation_count)
        memcpy(copy, parser->relocations, parser->relocation_count * sizeof *copy);
    variable->relocations = copy;
    variable->relocation_count = parser->relocation_count;
    return WS_OK;
}

// SPDX-License-Identifier: Apache-2.0
/* Declarations: .global .align 4 .b8 name[16] = {...};  .reg is in parse_function.c. */
#include <string.h>

#include "decode/parser.h"

enum ptx_type parser_type_of(const char *text, size_t length)
{
    for (unsigned i = TYPE_PRED; i < TYPE_COUNT; i++) {
        const char *suffix = type_infos[i].suffix;
        if (TS_NIBBLES >> i & 1) continue; /* no register or variable is so small */
        if (length == strlen(suffix) + 1 && !memcmp(text + 1, suffix, length - 1))
            return (enum ptx_type)i;
    }
    return TYPE_NONE;
}

/* What stands between the space and the name. */
struct specifier {
    uint8_t type;
    unsigned vector;
    uint32_t alignment;
};

static bool is_opaque(const struct parser *parser)
{
    return parser_at_directive(parser, ".texref") || parser_at_directive(parser, ".samplerref") ||
           parser_at_directive(parser, ".surfref");
}

static ws_status parse_alignment(struct parser *parser, uint32_t *out)
{
    struct token token = *current(parser);
    uint64_t value;
    TRY(parse_count(parser, "an alignment", 1 << 16, &value));
    if (value == 0 || (value & (value - 1)) != 0)
        return parser_error(parser, WS_ERR_INPUT, &token, "an alignment must be a power of two");
    *out = (uint32_t)value;
    return WS_OK;
}

/* .ptr [.global] [.align N] of a kernel parameter: a hint about what it points to. */
static ws_status parse_pointer_attribute(struct parser *parser)
{
    static const char *const spaces[] = {".global", ".const", ".shared", ".local", ".generic"};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (!parser_at_directive(parser, spaces[i])) continue;
        advance(parser);
        break;
    }
    uint32_t ignored;
    if (!parser_at_directive(parser, ".align")) return WS_OK;
    advance(parser);
    return parse_alignment(parser, &ignored);
}

static ws_status parse_one_specifier(struct parser *parser, struct specifier *specifier)
{
    struct token token = *current(parser);
    advance(parser);
    bool is_vector = token.length == 3 && token.start[1] == 'v';
    if (token.length == 6 && !memcmp(token.start, ".align", 6))
        return parse_alignment(parser, &specifier->alignment);
    if (token.length == 4 && !memcmp(token.start, ".ptr", 4))
        return parse_pointer_attribute(parser);
    if (token.length == 10 && !memcmp(token.start, ".attribute", 10)) {
        TRY(parser_expect(parser, '(', "after .attribute"));
        return parser_skip_past(parser, ')', "after .attribute");
    }
    if (is_vector && (token.start[2] == '2' || token.start[2] == '4' || token.start[2] == '8')) {
        specifier->vector = (unsigned)(token.start[2] - '0');
        return WS_OK;
    }
    specifier->type = (uint8_t)parser_type_of(token.start, token.length);
    if (specifier->type == TYPE_NONE || specifier->type == TYPE_PRED)
        return parser_error(parser, WS_ERR_INPUT, &token, "%s is not a variable type",
                            parser_token_text(parser, &token));
    return WS_OK;
}

static ws_status parse_specifiers(struct parser *parser, struct specifier *out)
{
    *out = (struct specifier){.vector = 1};
    while (current(parser)->kind == TOKEN_DIRECTIVE) {
        if (is_opaque(parser)) {
            out->type = TYPE_B64;
            advance(parser);
        } else {
            TRY(parse_one_specifier(parser, out));
        }
    }
    if (out->type == TYPE_NONE)
        return parser_error(parser, WS_ERR_INPUT, current(parser),
                            "expected a type such as .f32, found %s",
                            parser_token_text(parser, current(parser)));
    return WS_OK;
}

/* [4][8] or [] */
static ws_status parse_shape(struct parser *parser, struct shape *shape)
{
    while (parser_take(parser, '[')) {
        uint64_t size = 0;
        bool open = at_punct(parser, ']');
        if (shape->count == DIMENSIONS_MAX - 1)
            return parser_error(parser, WS_ERR_INPUT, current(parser), "too many dimensions");
        if (open && shape->count > 0)
            return parser_error(parser, WS_ERR_INPUT, current(parser),
                                "only the first dimension may be empty");
        if (!open) TRY(parse_count(parser, "the size of an array", VARIABLE_BYTES_MAX, &size));
        shape->sizes[shape->count++] = size;
        TRY(parser_expect(parser, ']', "after the size of the array"));
    }
    return WS_OK;
}

static ws_status shape_bytes(struct parser *parser, const struct token *name,
                             const struct shape *shape, unsigned element, uint64_t *out)
{
    uint64_t bytes = element;
    for (unsigned i = 0; i < shape->count; i++) {
        if (__builtin_mul_overflow(bytes, shape->sizes[i], &bytes) || bytes > VARIABLE_BYTES_MAX)
            return parser_error(parser, WS_ERR_INPUT, name, "%s is larger than 1 TiB",
                                parser_token_text(parser, name));
    }
    *out = bytes;
    return WS_OK;
}

/* Name, dimensions; size and alignment follow from the specifiers. */
static ws_status parse_declarator(struct parser *parser, const struct specifier *specifier,
                                  struct token *name, struct shape *shape,
                                  struct variable *variable)
{
    unsigned element = type_infos[specifier->type].bits / 8u;
    *shape = (struct shape){0};
    TRY(parser_expect_name(parser, "a name", name));
    TRY(parse_shape(parser, shape));
    if (specifier->vector > 1) shape->sizes[shape->count++] = specifier->vector;
    variable->type = specifier->type;
    variable->line = name->line;
    variable->alignment = specifier->alignment ? specifier->alignment : element * specifier->vector;
    return shape_bytes(parser, name, shape, element, &variable->bytes);
}

static bool is_declared_here(const struct parser *parser, const struct symbol *symbol)
{
    const struct body *body = &parser->body;
    uint32_t mark = body->depth ? body->marks[body->depth - 1] : 0;
    return symbol >= parser->names.symbols + mark;
}

/* A definition stands above a declaration, one that is not weak above one that is. */
static void replace_variable(struct variable *old, const struct variable *variable)
{
    uint32_t alignment = old->alignment;
    bool both_extern = old->is_extern && variable->is_extern;
    bool is_stronger = old->is_weak && !variable->is_weak && !variable->is_extern;
    if (old->is_extern || is_stronger) *old = *variable;
    if (both_extern && alignment > old->alignment) old->alignment = alignment;
}

/* A second declaration in one scope is only right if one of the two is extern or weak. */
static ws_status add_variable(struct parser *parser, const struct token *name,
                              const struct linkage *linkage, struct variable *variable,
                              int32_t *out)
{
    const struct symbol *symbol = names_find(&parser->names, name->start, name->length);
    variable->name = parser_copy(parser, name);
    if (symbol && is_declared_here(parser, symbol)) {
        struct variable *old =
            symbol->kind == SYMBOL_VARIABLE ? &parser->variables[symbol->value] : NULL;
        bool may_repeat =
            old && variable->function < 0 && old->space == variable->space &&
            (old->is_extern || old->is_weak || variable->is_extern || variable->is_weak);
        if (!may_repeat)
            return parser_error(parser, WS_ERR_INPUT, name, "duplicate declaration of %s%s%s",
                                parser_token_text(parser, name), old ? ": first at line " : "",
                                old ? arena_format(parser->arena, "%u", old->line) : "");
        replace_variable(old, variable);
        if (is_linked(linkage)) names_link(&parser->names, symbol->name);
        *out = (int32_t)symbol->value;
        return WS_OK;
    }
    uint32_t interned = names_intern(&parser->names, name->start, name->length);
    GROW(parser->variables, parser->variable_count, parser->variable_capacity);
    names_declare(&parser->names, interned, SYMBOL_VARIABLE, parser->variable_count);
    if (is_linked(linkage)) names_link(&parser->names, interned);
    *out = (int32_t)parser->variable_count;
    parser->variables[parser->variable_count++] = *variable;
    return WS_OK;
}

static uint64_t place_after(uint64_t *end, const struct variable *variable)
{
    uint64_t at = (*end + variable->alignment - 1) & ~(uint64_t)(variable->alignment - 1);
    *end = at + variable->bytes;
    return at;
}

static ws_status check_place(struct parser *parser, const struct token *name,
                             const struct variable *variable)
{
    bool in_function = variable->function >= 0;
    if (variable->space == SPACE_PARAM && !in_function)
        return parser_error(parser, WS_ERR_INPUT, name,
                            "a .param variable must be declared in a function");
    if (variable->space == SPACE_LOCAL && !in_function)
        return parser_error(parser, WS_ERR_INPUT, name,
                            "a .local variable must be declared in a function");
    enum { FRAME_MAX = 1 << 20, LOCAL_MAX = 1 << 24 }; /* CUDA's own: 32764 bytes and 512 KiB */
    uint64_t end = variable->bytes;
    if (variable->space == SPACE_PARAM) end += parser->body.parameter_bytes;
    if (variable->space == SPACE_LOCAL) end += parser->body.local_bytes;
    if (end > (variable->space == SPACE_PARAM ? FRAME_MAX
               : variable->space == SPACE_LOCAL || variable->space == SPACE_SHARED
                   ? LOCAL_MAX
                   : VARIABLE_BYTES_MAX))
        return parser_error(parser, WS_ERR_INPUT, name,
                            "%s exceeds the size limit of the .%s variables",
                            parser_token_text(parser, name), space_names[variable->space]);
    return WS_OK;
}

static void add_parameter(struct parser *parser, int32_t variable)
{
    struct body *body = &parser->body;
    GROW(body->parameters, body->parameter_count, body->parameter_capacity);
    body->parameters[body->parameter_count++] = variable;
    parser->functions[body->function].parameter_bytes = body->parameter_bytes;
    body->formals_end = (uint32_t)variable + 1;
}

ws_status parse_variable(struct parser *parser, enum mem_space space, const struct linkage *linkage)
{
    struct specifier specifier;
    TRY(parse_specifiers(parser, &specifier));
    do {
        struct token name;
        struct shape shape;
        struct variable variable = {.space = (uint8_t)space, .function = parser->body.function};
        TRY(parse_declarator(parser, &specifier, &name, &shape, &variable));
        variable.is_extern = linkage->is_extern;
        variable.is_weak = linkage->is_weak;
        TRY(check_place(parser, &name, &variable));
        bool takes_value = space == SPACE_GLOBAL || space == SPACE_CONST;
        if (at_punct(parser, '=') && !takes_value)
            return parser_error(parser, WS_ERR_INPUT, current(parser),
                                "a .%s variable cannot have an initial value", space_names[space]);
        if (parser_take(parser, '=')) TRY(parse_initialiser(parser, &shape, &variable));
        if (space == SPACE_PARAM)
            variable.offset = place_after(&parser->body.parameter_bytes, &variable);
        if (space == SPACE_LOCAL)
            variable.offset = place_after(&parser->body.local_bytes, &variable);
        int32_t index;
        TRY(add_variable(parser, &name, linkage, &variable, &index));
        if (space == SPACE_PARAM && parser->body.takes_parameters) add_parameter(parser, index);
    } while (parser_take(parser, ','));
    return parser_expect(parser, ';', "after the declaration");
}

ws_status parse_parameter(struct parser *parser, bool is_kernel, int32_t *out)
{
    struct specifier specifier;
    struct token name;
    struct shape shape;
    struct linkage linkage = {0};
    struct variable variable = {.space = SPACE_PARAM, .function = parser->body.function};
    if (!parser_at_directive(parser, ".param"))
        return parser_error(parser, WS_ERR_INPUT, current(parser), "expected .param, found %s",
                            parser_token_text(parser, current(parser)));
    advance(parser);
    TRY(parse_specifiers(parser, &specifier));
    TRY(parse_declarator(parser, &specifier, &name, &shape, &variable));
    TRY(check_place(parser, &name, &variable));
    enum { PARAMETERS_MAX = 32764 }; /* bytes: PTX 8.1, sm_70 */
    if (is_kernel && parser->body.parameter_bytes + variable.bytes > PARAMETERS_MAX)
        return parser_error(parser, WS_ERR_INPUT, &name,
                            "the parameters of a kernel exceed the limit of %d bytes",
                            PARAMETERS_MAX);
    variable.offset = place_after(&parser->body.parameter_bytes, &variable);
    if (name.length == 1 && *name.start == '_') { /* nameless, in a prototype */
        GROW(parser->variables, parser->variable_count, parser->variable_capacity);
        variable.name = "_";
        *out = (int32_t)parser->variable_count;
        parser->variables[parser->variable_count++] = variable;
        return WS_OK;
    }
    return add_variable(parser, &name, &linkage, &variable, out);
}

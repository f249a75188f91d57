// SPDX-License-Identifier: Apache-2.0
/* What a call through a pointer passes: .callprototype and .calltargets. */
#include "decode/parser.h"

static void declare_prototype(struct parser *parser, const struct token *label,
                              const struct function *prototype)
{
    names_declare(&parser->names, names_intern(&parser->names, label->start, label->length),
                  SYMBOL_PROTOTYPE, parser->prototype_count);
    GROW(parser->prototypes, parser->prototype_count, parser->prototype_capacity);
    parser->prototypes[parser->prototype_count++] = *prototype;
}

static ws_status parse_signature(struct parser *parser, struct function *out)
{
    struct token name;
    if (at_punct(parser, '('))
        TRY(parse_parameters(parser, false, true, &out->return_count, &out->returns));
    TRY(parser_expect_name(parser, "'_' for the name of the function", &name));
    if (at_punct(parser, '('))
        TRY(parse_parameters(parser, false, false, &out->parameter_count, &out->parameters));
    return parser_skip_past(parser, ';', "after the prototype");
}

/* name: .callprototype (results) _ (parameters); Its names mean nothing outside; its variables belong
 * to no function, so that they take no place. */
ws_status parse_prototype(struct parser *parser, const struct token *label)
{
    struct body *body = &parser->body;
    struct function prototype = {.name = parser_copy(parser, label), .line = label->line};
    uint64_t parameter_bytes = body->parameter_bytes;
    uint32_t first = parser->variable_count, insns = body->insn_count;
    uint32_t returns = body->return_count;
    TRY(body_open_scope(parser));
    TRY(parse_signature(parser, &prototype));
    body_close_scope(parser);
    for (uint32_t v = first; v < parser->variable_count; v++)
        parser->variables[v].function = -1;
    body->parameter_bytes = parameter_bytes;
    body->insn_count = insns; /* registers of the prototype are not loaded */
    body->return_count = returns;
    declare_prototype(parser, label, &prototype);
    return WS_OK;
}

/* name: .calltargets f, g; All have one signature. */
ws_status parse_call_targets(struct parser *parser, const struct token *label)
{
    struct function prototype = {0};
    do {
        struct token token;
        TRY(parser_expect_name(parser, "a function", &token));
        const struct symbol *symbol = names_find(&parser->names, token.start, token.length);
        if (!symbol || symbol->kind != SYMBOL_FUNCTION)
            return parser_unknown(parser, &token, "function", KINDS(FUNCTION));
        prototype = parser->functions[symbol->value];
    } while (parser_take(parser, ','));
    declare_prototype(parser, label, &prototype);
    return parser_expect(parser, ';', "after the targets of the call");
}

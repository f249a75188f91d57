// SPDX-License-Identifier: Apache-2.0
/* .alias name, meant; Both are declared as functions before, the alias has no body. */
#include <string.h>

#include "decode/parser.h"

static ws_status parse_aliased(struct parser *parser, uint32_t *out)
{
    struct token token;
    TRY(parser_expect_name(parser, "a function", &token));
    const struct symbol *symbol = names_find(&parser->names, token.start, token.length);
    if (!symbol || symbol->kind != SYMBOL_FUNCTION)
        return parser_unknown(parser, &token, "function", KINDS(FUNCTION));
    if (parser->functions[symbol->value].is_entry)
        return parser_error(parser, WS_ERR_INPUT, &token,
                            "%s is a kernel: an alias must refer to a .func",
                            parser_token_text(parser, &token));
    *out = symbol->value;
    return WS_OK;
}

ws_status parse_alias(struct parser *parser)
{
    struct alias alias = {.token = *current(parser)};
    TRY(parse_aliased(parser, &alias.function));
    TRY(parser_expect(parser, ',', "between the alias and its function"));
    TRY(parse_aliased(parser, &alias.meant));
    TRY(parser_expect(parser, ';', "after the alias"));
    TRY(parser_check_signature(parser, &parser->functions[alias.meant],
                               &parser->functions[alias.function], &alias.token));
    GROW(parser->aliases, parser->alias_count, parser->alias_capacity);
    parser->aliases[parser->alias_count++] = alias;
    return WS_OK;
}

static ws_status check_alias(struct parser *parser, const struct alias *alias)
{
    const struct function *function = &parser->functions[alias->function];
    const struct function *meant = &parser->functions[alias->meant];
    if (function->is_defined)
        return parser_error(parser, WS_ERR_INPUT, &alias->token,
                            "'%s' has a body: an alias must only be declared", function->name);
    if (!meant->is_defined)
        return parser_error(
            parser, WS_ERR_INPUT, &alias->token,
            "'%s' is not defined in this file: an alias requires a defined function", meant->name);
    return WS_OK;
}

static void rename_in(struct function *function, const int32_t *meant)
{
    struct insn *insns = (struct insn *)(uintptr_t)function->insns;
    for (uint32_t i = 0; i < function->insn_count; i++) {
        struct insn *insn = &insns[i];
        struct call_info *call = (struct call_info *)(uintptr_t)insn->call;
        if (call && call->function >= 0) call->function = meant[call->function];
        for (unsigned k = 0; k < (unsigned)insn->ndst + insn->nsrc && k < OPERANDS_USUAL; k++)
            if (insn->operands[k].kind == OPERAND_FUNCTION)
                insn->operands[k].symbol = meant[insn->operands[k].symbol];
    }
}

ws_status parser_resolve_aliases(struct parser *parser)
{
    if (!parser->alias_count) return WS_OK;
    int32_t *meant = ARENA_ARRAY(parser->arena, int32_t, parser->function_count);
    for (uint32_t f = 0; f < parser->function_count; f++)
        meant[f] = (int32_t)f;
    for (uint32_t a = 0; a < parser->alias_count; a++) {
        TRY(check_alias(parser, &parser->aliases[a]));
        meant[parser->aliases[a].function] = (int32_t)parser->aliases[a].meant;
    }
    for (uint32_t f = 0; f < parser->function_count; f++)
        rename_in(&parser->functions[f], meant);
    for (uint32_t v = 0; v < parser->variable_count; v++) {
        struct variable *variable = &parser->variables[v];
        struct relocation *relocations = (struct relocation *)(uintptr_t)variable->relocations;
        for (uint32_t r = 0; r < variable->relocation_count; r++)
            if (relocations[r].is_function) relocations[r].symbol = meant[relocations[r].symbol];
    }
    return WS_OK;
}

// SPDX-License-Identifier: Apache-2.0
/* Branches, their labels and tables. */
#include "base/text.h"
#include "decode/parser.h"

static uint64_t label_key(uint32_t scope, uint32_t name)
{
    return (uint64_t)scope << 32 | (name + 1);
}

ws_status parser_declare_label(struct parser *parser, const struct token *label)
{
    struct body *body = &parser->body;
    uint32_t name = names_intern(&parser->names, label->start, label->length), old;
    uint64_t key = label_key(body->scopes[body->depth - 1], name);
    if (map_get(&parser->labels, key, &old))
        return parser_error(parser, WS_ERR_INPUT, label, "duplicate label %s",
                            parser_token_text(parser, label));
    map_set(&parser->labels, key, body->insn_count);
    body->block_begin = body->insn_count;
    GROW(body->label_names, body->label_count, body->label_capacity);
    body->label_names[body->label_count++] = name;
    return WS_OK;
}

static ws_status use_label(struct parser *parser, struct label_use *use)
{
    struct body *body = &parser->body;
    TRY(parser_expect_name(parser, "a label", &use->token));
    use->name = names_intern(&parser->names, use->token.start, use->token.length);
    use->scope = body->scopes[body->depth - 1];
    GROW(body->uses, body->use_count, body->use_capacity);
    body->uses[body->use_count++] = *use;
    return WS_OK;
}

ws_status parse_branch(struct parser *parser, struct insn *insn)
{
    struct label_use use = {.insn = (int32_t)(insn - parser->body.insns)};
    return use_label(parser, &use);
}

ws_status parse_branch_indexed(struct parser *parser, struct insn *insn)
{
    struct token token;
    TRY(parse_operand(parser, TYPE_U32, ACCEPT_REGISTER, &insn->operands[0]));
    insn->nsrc = 1;
    TRY(parser_expect(parser, ',', "between operands"));
    TRY(parser_expect_name(parser, "a list of branch targets", &token));
    const struct symbol *symbol = names_find(&parser->names, token.start, token.length);
    if (!symbol || symbol->kind != SYMBOL_TARGETS)
        return parser_unknown(parser, &token, "list of branch targets", KINDS(TARGETS));
    insn->target_count = parser->body.lists[symbol->value].count;
    insn->targets = parser->body.lists[symbol->value].targets;
    return WS_OK;
}

static ws_status parse_branch_targets(struct parser *parser, const struct token *label)
{
    struct body *body = &parser->body;
    uint32_t first = body->use_count, list = body->list_count;
    do {
        struct label_use use = {.insn = -1, .list = list, .slot = body->use_count - first};
        TRY(use_label(parser, &use));
    } while (parser_take(parser, ','));
    GROW(body->lists, body->list_count, body->list_capacity);
    uint32_t count = body->use_count - first;
    body->lists[body->list_count++] =
        (struct target_list){.count = count, .targets = ARENA_ARRAY(parser->arena, int32_t, count)};
    names_declare(&parser->names, names_intern(&parser->names, label->start, label->length),
                  SYMBOL_TARGETS, list);
    return parser_expect(parser, ';', "after the branch targets");
}

/* name: .branchtargets ...;  name: .calltargets ...;  name: .callprototype ...; */
ws_status parse_label_directive(struct parser *parser, const struct token *label)
{
    bool is_prototype = parser_at_directive(parser, ".callprototype");
    bool is_targets = parser_at_directive(parser, ".calltargets");
    bool is_table = parser_at_directive(parser, ".branchtargets");
    if (!is_prototype && !is_targets && !is_table) return parser_declare_label(parser, label);
    advance(parser);
    return is_prototype ? parse_prototype(parser, label)
           : is_targets ? parse_call_targets(parser, label)
                        : parse_branch_targets(parser, label);
}

static ws_status unknown_label(struct parser *parser, const struct label_use *use)
{
    enum { COMPARED_MAX = 1024 };
    const char *names[COMPARED_MAX];
    struct body *body = &parser->body;
    uint32_t count = body->label_count < COMPARED_MAX ? body->label_count : COMPARED_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const struct name *name = &parser->names.items[body->label_names[i]];
        names[i] = arena_copy_n(parser->arena, name->text, name->length);
    }
    const char *near = text_hint(parser->arena, parser_copy(parser, &use->token), names, count);
    return parser_error(parser, WS_ERR_INPUT, &use->token, "unknown label %s%s",
                        parser_token_text(parser, &use->token), near);
}

ws_status parser_resolve_labels(struct parser *parser)
{
    struct body *body = &parser->body;
    for (uint32_t i = 0; i < body->use_count; i++) {
        const struct label_use *use = &body->uses[i];
        uint32_t scope = use->scope, at = 0;
        while (scope && !map_get(&parser->labels, label_key(scope, use->name), &at))
            scope = parser->scope_parents[scope - 1];
        if (!scope) return unknown_label(parser, use);
        if (at == body->insn_count) body->end_is_target = true;
        if (use->insn >= 0)
            body->insns[use->insn].target = (int32_t)at;
        else
            body->lists[use->list].targets[use->slot] = (int32_t)at;
    }
    return WS_OK;
}

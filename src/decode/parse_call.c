// SPDX-License-Identifier: Apache-2.0
/* Calls with their parameters, branches and their labels. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "decode/parser.h"

/* ---- calls ----------------------------------------------------------------------------------- */

/* One value of a call: a variable of space PARAM, or (PTX 1.x) a register or constant. */
struct passed {
    int32_t variable; /* -1: in `operand` */
    uint8_t type;
    struct operand operand;
};
enum { PASSED_MAX = 256 };
struct passed_list {
    unsigned count;
    struct passed items[PASSED_MAX];
};

/* Of a value that is passed in a register; a predicate takes one. */
static uint32_t parameter_bytes_of(enum ptx_type type)
{
    return type_infos[type].bits >= 8 ? type_infos[type].bits / 8u : 1;
}

static enum ptx_type type_of_parameter(const struct parser *parser, const struct function *callee,
                                       bool is_return, unsigned at)
{
    if (!callee) return TYPE_B32;
    unsigned count = is_return ? callee->return_count : callee->parameter_count;
    const int32_t *list = is_return ? callee->returns : callee->parameters;
    return at < count ? parser->variables[list[at]].type : TYPE_B32;
}

static ws_status parse_passed(struct parser *parser, const struct function *callee, bool is_return,
                              unsigned at, struct passed *out)
{
    struct token token = *current(parser);
    int32_t reg;
    *out = (struct passed){.variable = -1};
    const struct symbol *symbol =
        token.kind == TOKEN_NAME ? names_find(&parser->names, token.start, token.length) : NULL;
    if (symbol && symbol->kind == SYMBOL_VARIABLE &&
        parser->variables[symbol->value].space == SPACE_PARAM) {
        out->variable = (int32_t)symbol->value;
        advance(parser);
        if (!is_return || !body_is_input(&parser->body, symbol->value)) return WS_OK;
        return parser_error(parser, WS_ERR_INPUT, &token,
                            "%s is a parameter: it is read-only and cannot take a result",
                            parser_token_text(parser, &token));
    }
    if (parser_find_register(parser, &token, &reg)) {
        out->type = parser->body.vregs[reg].type;
        out->operand = (struct operand){.kind = OPERAND_REGISTER, .reg = reg, .symbol = -1};
        advance(parser);
        return WS_OK;
    }
    if (token.kind == TOKEN_NAME)
        return parser_unknown(parser, &token, "parameter",
                              KINDS(VARIABLE) | KINDS(REGISTER) | KINDS(RANGE));
    out->type = (uint8_t)type_of_parameter(parser, callee, is_return, at);
    return parse_operand(parser, out->type, is_return ? ACCEPT_REGISTER : ACCEPT_IMMEDIATE,
                         &out->operand);
}

static ws_status parse_list(struct parser *parser, const struct function *callee, bool is_return,
                            struct passed_list *list)
{
    TRY(parser_expect(parser, '(', "before the parameters of the call"));
    while (!at_punct(parser, ')')) {
        if (list->count == PASSED_MAX)
            return parser_error(parser, WS_ERR_UNSUPPORTED, current(parser),
                                "a call with more than %d parameters", PASSED_MAX);
        TRY(parse_passed(parser, callee, is_return, list->count, &list->items[list->count]));
        list->count++;
        if (!parser_take(parser, ',')) break;
    }
    return parser_expect(parser, ')', "after the parameters of the call");
}

static ws_status parse_callee(struct parser *parser, struct insn *insn, struct token *token,
                              int32_t *function)
{
    int32_t reg;
    *function = -1;
    TRY(parser_expect_name(parser, "the function to call", token));
    const struct symbol *symbol = names_find(&parser->names, token->start, token->length);
    if (symbol && symbol->kind == SYMBOL_FUNCTION) {
        *function = (int32_t)symbol->value;
        if (!parser->functions[*function].is_entry) return WS_OK;
        return parser_error(parser, WS_ERR_INPUT, token,
                            "%s is a kernel: only a .func can be called",
                            parser_token_text(parser, token));
    }
    if (!parser_find_register(parser, token, &reg))
        return parser_unknown(parser, token, "function", KINDS(FUNCTION));
    const struct type_info *type = &type_infos[parser->body.vregs[reg].type];
    bool holds_address = type->kind != KIND_FLOAT && (type->bits == 32 || type->bits == 64);
    if (!holds_address)
        return parser_error(parser, WS_ERR_INPUT, token,
                            "register %s is .%s: the address of a function has 32 or 64 bits",
                            parser_token_text(parser, token), type->suffix);
    insn->operands[0] = (struct operand){.kind = OPERAND_REGISTER, .reg = reg, .symbol = -1};
    insn->nsrc = 1;
    return WS_OK;
}

/* A call copies what the callee declares: its values must be as large. */
static ws_status check_sizes(struct parser *parser, const struct token *token,
                             const struct function *callee, const struct passed_list *list,
                             const int32_t *formals, const char *what)
{
    for (unsigned i = 0; i < list->count; i++) {
        const struct passed *passed = &list->items[i];
        uint64_t wanted = parser->variables[formals[i]].bytes;
        uint64_t given = passed->variable >= 0 ? parser->variables[passed->variable].bytes
                                               : parameter_bytes_of(passed->type);
        if (wanted == given) continue;
        return parser_error(parser, WS_ERR_INPUT, token,
                            "%s %u of '%s' has %llu bytes, the call gives %llu", what, i + 1,
                            callee->name, (unsigned long long)wanted, (unsigned long long)given);
    }
    return WS_OK;
}

static ws_status check_call(struct parser *parser, const struct token *token,
                            const struct function *callee, const struct passed_list *returns,
                            const struct passed_list *arguments)
{
    if (returns->count != callee->return_count || arguments->count != callee->parameter_count)
        return parser_error(parser, WS_ERR_INPUT, token,
                            "%s takes %u parameters and returns %u, the call gives %u and takes %u",
                            callee->name, callee->parameter_count, callee->return_count,
                            arguments->count, returns->count);
    TRY(check_sizes(parser, token, callee, returns, callee->returns, "result"));
    return check_sizes(parser, token, callee, arguments, callee->parameters, "parameter");
}

/* The text of the returns comes before the callee, whose types they take; so it is read twice. */
static ws_status parse_call_parts(struct parser *parser, struct insn *insn, int32_t *function,
                                  struct passed_list *returns, struct passed_list *arguments)
{
    struct lexer start = parser->lexer;
    struct token token;
    bool has_returns = at_punct(parser, '(');
    if (has_returns) {
        advance(parser);
        TRY(parser_skip_past(parser, ')', "after the results of the call"));
        TRY(parser_expect(parser, ',', "after the results of the call"));
    }
    TRY(parse_callee(parser, insn, &token, function));
    const struct function *callee = *function >= 0 ? &parser->functions[*function] : NULL;
    if (has_returns) {
        struct lexer after = parser->lexer;
        parser->lexer = start;
        TRY(parse_list(parser, callee, true, returns));
        parser->lexer = after;
    }
    if (parser_take(parser, ',') && at_punct(parser, '(')) {
        TRY(parse_list(parser, callee, false, arguments));
        parser_take(parser, ',');
    }
    if (current(parser)->kind == TOKEN_NAME) advance(parser); /* prototype or list of targets */
    return callee ? check_call(parser, &token, callee, returns, arguments) : WS_OK;
}

int32_t body_add_parameter(struct parser *parser, enum ptx_type type)
{
    struct body *body = &parser->body;
    uint32_t bytes = parameter_bytes_of(type);
    uint64_t offset = (body->parameter_bytes + bytes - 1) & ~(uint64_t)(bytes - 1);
    body->parameter_bytes = offset + bytes;
    GROW(parser->variables, parser->variable_count, parser->variable_capacity);
    parser->variables[parser->variable_count] = (struct variable){.name = "_",
                                                                  .space = SPACE_PARAM,
                                                                  .type = (uint8_t)type,
                                                                  .function = body->function,
                                                                  .alignment = bytes,
                                                                  .bytes = bytes,
                                                                  .offset = offset};
    return (int32_t)parser->variable_count++;
}

void body_add_parameter_move(struct parser *parser, const struct insn *like, bool is_load,
                             const struct operand *operand, int32_t variable)
{
    struct token token = {.line = like->line, .column = like->column};
    struct insn *insn = body_add_insn(parser, &token);
    struct operand address = {.kind = OPERAND_ADDRESS, .reg = -1, .symbol = variable};
    enum ptx_type type = parser->variables[variable].type;
    insn->op = is_load ? OP_LD : OP_ST;
    insn->type = (uint8_t)type;
    insn->space = SPACE_PARAM;
    insn->guard = like->guard;
    insn->flags = like->flags & INSN_NEG_GUARD;
    insn->source_file = like->source_file;
    insn->source_line = like->source_line;
    insn->ndst = is_load ? 1 : 0;
    insn->nsrc = is_load ? 1 : 2;
    insn->operands[0] = is_load ? *operand : address;
    insn->operands[1] = is_load ? address : *operand;
    insn->class_id = (uint8_t)insn_classify(insn);
    insn->units = insn_units(insn);
    insn->text =
        arena_format(parser->arena, "%s.param.%s", is_load ? "ld" : "st", type_infos[type].suffix);
}

static int32_t *settle_list(struct parser *parser, struct passed_list *list)
{
    int32_t *variables = ARENA_ARRAY(parser->arena, int32_t, list->count);
    for (unsigned i = 0; i < list->count; i++) {
        struct passed *passed = &list->items[i];
        if (passed->variable < 0) {
            variables[i] = body_add_parameter(parser, passed->type);
            continue;
        }
        variables[i] = passed->variable;
    }
    return variables;
}

static void move_registers(struct parser *parser, const struct insn *call, bool is_load,
                           const struct passed_list *list, const int32_t *variables)
{
    for (unsigned i = 0; i < list->count; i++)
        if (list->items[i].variable < 0)
            body_add_parameter_move(parser, call, is_load, &list->items[i].operand, variables[i]);
}

static void finish_call(struct parser *parser, struct insn *insn, int32_t function,
                        struct passed_list *returns, struct passed_list *arguments)
{
    struct call_info *info = arena_alloc(parser->arena, sizeof *info);
    info->function = function;
    info->returns = settle_list(parser, returns);
    info->arguments = settle_list(parser, arguments);
    info->return_count = (uint16_t)returns->count;
    info->argument_count = (uint16_t)arguments->count;
    insn->call = info;
    struct insn call = *insn;
    parser->body.insn_count--; /* the stores of register arguments come first */
    move_registers(parser, &call, false, arguments, info->arguments);
    struct token token = {.line = call.line, .column = call.column};
    *body_add_insn(parser, &token) = call;
    move_registers(parser, &call, true, returns, info->returns);
}

ws_status parse_call(struct parser *parser, struct insn *insn)
{
    struct passed_list *lists = mem_zalloc(2, sizeof *lists);
    int32_t function;
    ws_status status = parse_call_parts(parser, insn, &function, &lists[0], &lists[1]);
    if (status == WS_OK) finish_call(parser, insn, function, &lists[0], &lists[1]);
    mem_free(lists);
    return status;
}

/* ---- labels ---------------------------------------------------------------------------------- */

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
        return parser_error(parser, WS_ERR_INPUT, label, "label %s is declared twice",
                            parser_token_text(parser, label));
    map_set(&parser->labels, key, body->insn_count);
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
    bool is_targets = parser_at_directive(parser, ".branchtargets");
    bool is_prototype = parser_at_directive(parser, ".callprototype") ||
                        parser_at_directive(parser, ".calltargets");
    if (!is_targets && !is_prototype) return parser_declare_label(parser, label);
    advance(parser);
    if (is_targets) return parse_branch_targets(parser, label);
    names_declare(&parser->names, names_intern(&parser->names, label->start, label->length),
                  SYMBOL_PROTOTYPE, 0);
    return parser_skip_past(parser, ';', "after the prototype");
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
    const char *near = text_nearest(parser->arena, parser_copy(parser, &use->token), names, count);
    return parser_error(parser, WS_ERR_INPUT, &use->token, "unknown label %s%s%s",
                        parser_token_text(parser, &use->token), *near ? ": did you mean " : "",
                        near);
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

// SPDX-License-Identifier: Apache-2.0
/* Calls with their parameters. */
#include <stdlib.h>
#include <string.h>

#include "decode/parser.h"

/* One value of a call: a variable of space PARAM, or (PTX 1.x) a register or constant. */
struct passed {
    int32_t variable; /* -1: in `operand` */
    uint8_t type;
    uint8_t elements;       /* of a vector of registers */
    struct operand operand; /* its first register */
};
enum { PASSED_MAX = 256 };
struct passed_list {
    unsigned count;
    struct passed items[PASSED_MAX];
};

/* Of a value that is passed in a register; a predicate goes as a word. */
static uint32_t parameter_bytes_of(enum ptx_type type)
{
    return type_infos[type].kind == KIND_PRED ? 4 : type_infos[type].bits / 8u;
}

static enum ptx_type type_of_parameter(const struct parser *parser, const struct function *callee,
                                       bool is_return, unsigned at)
{
    unsigned count = is_return ? callee->return_count : callee->parameter_count;
    const int32_t *list = is_return ? callee->returns : callee->parameters;
    return at < count ? parser->variables[list[at]].type : TYPE_B32;
}

/* %v of `.reg .v2 .u32 %v`: its registers follow each other. */
static ws_status parse_passed_vector(struct parser *parser, const struct token *token,
                                     struct passed *out)
{
    int32_t first;
    out->elements = (uint8_t)names_find(&parser->names, token->start, token->length)->value;
    const char *name = arena_format(parser->arena, "%s.x", parser_copy(parser, token));
    struct token element = {.start = name, .length = token->length + 2};
    if (!parser_find_register(parser, &element, &first))
        return parser_unknown(parser, token, "parameter", KINDS(REGISTER));
    out->type = parser->body.vregs[first].type;
    out->operand = (struct operand){.kind = OPERAND_REGISTER, .reg = first, .symbol = -1};
    advance(parser);
    return WS_OK;
}

static ws_status parse_passed(struct parser *parser, const struct function *callee, bool is_return,
                              unsigned at, struct passed *out)
{
    struct token token = *current(parser);
    int32_t reg;
    *out = (struct passed){.variable = -1, .elements = 1};
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
    if (symbol && symbol->kind == SYMBOL_VECTOR) return parse_passed_vector(parser, &token, out);
    bool is_sink = is_return && token.length == 1 && *token.start == '_';
    if (token.kind == TOKEN_NAME && !is_sink)
        return parser_unknown(parser, &token, "parameter",
                              KINDS(VARIABLE) | KINDS(REGISTER) | KINDS(RANGE));
    out->type = (uint8_t)type_of_parameter(parser, callee, is_return, at);
    return parse_operand(parser, out->type, is_return ? ACCEPT_SINK : ACCEPT_IMMEDIATE,
                         &out->operand);
}

static ws_status parse_list(struct parser *parser, const struct function *callee, bool is_return,
                            struct passed_list *list)
{
    TRY(parser_expect(parser, '(', "before the parameters of the call"));
    while (!at_punct(parser, ')')) {
        if (list->count == PASSED_MAX)
            return parser_error(parser, WS_ERR_UNSUPPORTED, current(parser),
                                "too many call parameters: at most %d", PASSED_MAX);
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
                            "register %s is .%s: the address of a function must have 32 or 64 bits",
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
        uint64_t given = passed->variable >= 0
                             ? parser->variables[passed->variable].bytes
                             : passed->elements * parameter_bytes_of(passed->type);
        if (wanted == given) continue;
        return parser_error(parser, WS_ERR_INPUT, token,
                            "%s %u of '%s' has %llu bytes, the call passes %llu", what, i + 1,
                            callee->name, (unsigned long long)wanted, (unsigned long long)given);
    }
    return WS_OK;
}

static ws_status check_call(struct parser *parser, const struct token *token,
                            const struct function *callee, const struct passed_list *returns,
                            const struct passed_list *arguments)
{
    if (returns->count != callee->return_count || arguments->count != callee->parameter_count)
        return parser_error(
            parser, WS_ERR_INPUT, token,
            "%s takes %u parameters and returns %u, the call passes %u and expects %u",
            callee->name, callee->parameter_count, callee->return_count, arguments->count,
            returns->count);
    TRY(check_sizes(parser, token, callee, returns, callee->returns, "result"));
    return check_sizes(parser, token, callee, arguments, callee->parameters, "parameter");
}

/* What a call through a pointer passes is told by the name behind its arguments. */
static ws_status find_prototype(struct parser *parser, const struct token *callee,
                                const struct function **out)
{
    struct lexer before = parser->lexer;
    if (parser_take(parser, ',') && parser_take(parser, '(')) {
        TRY(parser_skip_past(parser, ')', "after the parameters of the call"));
        parser_take(parser, ',');
    }
    struct token name = *current(parser);
    parser->lexer = before;
    if (name.kind != TOKEN_NAME)
        return parser_error(
            parser, WS_ERR_INPUT, callee,
            "a call through a pointer requires a .callprototype after its arguments");
    const struct symbol *symbol = names_find(&parser->names, name.start, name.length);
    if (!symbol || symbol->kind != SYMBOL_PROTOTYPE)
        return parser_unknown(parser, &name, "prototype", KINDS(PROTOTYPE));
    *out = &parser->prototypes[symbol->value];
    return WS_OK;
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
    const struct function *callee = NULL;
    if (*function >= 0)
        callee = &parser->functions[*function];
    else
        TRY(find_prototype(parser, &token, &callee));
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
    return check_call(parser, &token, callee, returns, arguments);
}

int32_t body_add_parameter(struct parser *parser, enum ptx_type type, unsigned elements)
{
    struct body *body = &parser->body;
    uint32_t bytes = elements * parameter_bytes_of(type);
    uint64_t offset = (body->parameter_bytes + bytes - 1) & ~(uint64_t)(bytes - 1);
    body->parameter_bytes = offset + bytes;
    GROW(parser->variables, parser->variable_count, parser->variable_capacity);
    parser->variables[parser->variable_count] =
        (struct variable){.name = "_",
                          .space = SPACE_PARAM,
                          .type = type_infos[type].kind == KIND_PRED ? TYPE_U32 : (uint8_t)type,
                          .function = body->function,
                          .alignment = bytes,
                          .bytes = bytes,
                          .offset = offset};
    return (int32_t)parser->variable_count++;
}

/* An instruction that the text does not hold, under the guard and at the place of `like`. */
static struct insn *add_like(struct parser *parser, const struct insn *like, enum ptx_op op,
                             enum ptx_type type)
{
    struct token token = {.line = like->line, .column = like->column};
    struct insn *insn = body_add_insn(parser, &token);
    insn->op = (uint16_t)op;
    insn->type = (uint8_t)type;
    insn->guard = like->guard;
    insn->flags = like->flags & INSN_NEG_GUARD;
    insn->source_file = like->source_file;
    insn->source_line = like->source_line;
    insn->place = like->place;
    return insn;
}

static struct operand register_operand(int32_t reg)
{
    return (struct operand){.kind = OPERAND_REGISTER, .reg = reg, .symbol = -1};
}
static struct operand constant_operand(int64_t value)
{
    return (struct operand){.kind = OPERAND_IMMEDIATE, .reg = -1, .symbol = -1, .imm = value};
}

static void finish_insn(struct insn *insn, const char *text)
{
    insn->class_id = (uint8_t)insn_classify(insn);
    insn->units = insn_units(insn);
    insn->text = text;
}

/* selp.u32 word, 1, 0, p */
static struct operand word_of_predicate(struct parser *parser, const struct insn *like,
                                        const struct operand *predicate)
{
    if (predicate->kind == OPERAND_IMMEDIATE) return constant_operand(predicate->imm != 0);
    struct operand word = register_operand(body_add_register(parser, "", TYPE_U32));
    struct insn *insn = add_like(parser, like, OP_SELP, TYPE_U32);
    insn->ndst = 1;
    insn->nsrc = 3;
    insn->operands[0] = word;
    insn->operands[1] = constant_operand(1);
    insn->operands[2] = constant_operand(0);
    insn->operands[3] = *predicate;
    finish_insn(insn, "selp.u32");
    return word;
}

/* setp.ne.u32 p, word, 0 */
static void predicate_of_word(struct parser *parser, const struct insn *like,
                              const struct operand *predicate, const struct operand *word)
{
    struct insn *insn = add_like(parser, like, OP_SETP, TYPE_U32);
    insn->compare = CMP_NE;
    insn->ndst = 1;
    insn->nsrc = 2;
    insn->operands[0] = *predicate;
    insn->operands[1] = *word;
    insn->operands[2] = constant_operand(0);
    finish_insn(insn, "setp.ne.u32");
}

static bool is_predicate(const struct parser *parser, const struct operand *operand)
{
    return operand->kind == OPERAND_REGISTER && parser->body.vregs[operand->reg].type == TYPE_PRED;
}

void body_add_parameter_move(struct parser *parser, const struct insn *like, bool is_load,
                             const struct operand *operand, unsigned elements, int32_t variable)
{
    bool of_predicate = is_predicate(parser, operand);
    struct operand address = {.kind = OPERAND_ADDRESS, .reg = -1, .symbol = variable};
    struct operand value = *operand;
    if (of_predicate)
        value = is_load ? register_operand(body_add_register(parser, "", TYPE_U32))
                        : word_of_predicate(parser, like, operand);
    enum ptx_type type = parser->variables[variable].type;
    struct insn *insn = add_like(parser, like, is_load ? OP_LD : OP_ST, type);
    insn->space = SPACE_PARAM;
    insn->vector = (uint8_t)elements;
    insn->ndst = is_load ? (uint8_t)elements : 0;
    insn->nsrc = is_load ? 1 : (uint8_t)(1 + elements);
    insn->operands[is_load ? elements : 0] = address;
    for (unsigned k = 0; k < elements; k++) {
        struct operand *element = &insn->operands[is_load ? k : 1 + k];
        *element = value;
        if (elements > 1) element->reg = value.reg + (int32_t)k;
    }
    finish_insn(insn, arena_format(parser->arena, "%s.param%s.%s", is_load ? "ld" : "st",
                                   elements == 4   ? ".v4"
                                   : elements == 2 ? ".v2"
                                                   : "",
                                   type_infos[type].suffix));
    if (of_predicate && is_load) predicate_of_word(parser, like, operand, &value);
}

static int32_t *settle_list(struct parser *parser, struct passed_list *list)
{
    int32_t *variables = ARENA_ARRAY(parser->arena, int32_t, list->count);
    for (unsigned i = 0; i < list->count; i++) {
        struct passed *passed = &list->items[i];
        if (passed->variable < 0) {
            variables[i] = body_add_parameter(parser, passed->type, passed->elements);
            continue;
        }
        variables[i] = passed->variable;
    }
    return variables;
}

static void move_registers(struct parser *parser, const struct insn *call, bool is_load,
                           const struct passed_list *list, const int32_t *variables)
{
    for (unsigned i = 0; i < list->count; i++) {
        const struct passed *passed = &list->items[i];
        if (passed->variable < 0 && passed->operand.kind != OPERAND_NONE)
            body_add_parameter_move(parser, call, is_load, &passed->operand, passed->elements,
                                    variables[i]);
    }
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

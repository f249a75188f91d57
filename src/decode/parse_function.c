// SPDX-License-Identifier: Apache-2.0
/* Functions: header, parameters, performance directives, the statements of the body. */
#include <string.h>

#include "decode/parser.h"

/* ---- scopes ---------------------------------------------------------------------------------- */

/* Scopes are numbered from 1 through the file; 0 is none. */
uint32_t parser_open_scope(struct parser *parser, uint32_t parent)
{
    GROW(parser->scope_parents, parser->scope_count, parser->scope_capacity);
    parser->scope_parents[parser->scope_count++] = parent;
    return parser->scope_count;
}

ws_status body_open_scope(struct parser *parser)
{
    struct body *body = &parser->body;
    if (body->depth == SCOPES_MAX)
        return parser_error(parser, WS_ERR_INPUT, current(parser),
                            "braces nested too deeply: at most %d levels", SCOPES_MAX);
    uint32_t parent = body->depth ? body->scopes[body->depth - 1] : 0;
    body->marks[body->depth] = parser->names.symbol_count;
    body->scopes[body->depth++] = parser_open_scope(parser, parent);
    return WS_OK;
}

void body_close_scope(struct parser *parser)
{
    struct body *body = &parser->body;
    names_close(&parser->names, body->marks[--body->depth]);
}

static void body_begin(struct parser *parser, int32_t function)
{
    struct body *body = &parser->body;
    map_reset(&parser->registers);
    map_reset(&parser->labels);
    body->function = function;
    body->vreg_count = body->insn_count = body->range_count = body->use_count = 0;
    body->list_count = body->unsupported_count = body->label_count = body->return_count = 0;
    body->parameter_bytes = body->local_bytes = 0;
    body->source_file = body->source_line = body->place = 0;
    map_reset(&parser->place_of);
    body->end_is_target = body->takes_parameters = false;
    body->parameter_count = 0;
    body->depth = 0;
}

/* ---- parameters ------------------------------------------------------------------------------ */

enum { PARAMETERS_MAX = 4096 };

/* .reg .u32 %a: PTX 1.x. The value passes through a .param all the same. */
static ws_status parse_register_parameter(struct parser *parser, bool is_return, int32_t *out)
{
    struct body *body = &parser->body;
    enum ptx_type type;
    advance(parser);
    unsigned elements = parse_vector_length(parser);
    TRY(parse_register_type(parser, &type));
    uint32_t reg = body->vreg_count;
    struct token name = *current(parser);
    bool is_nameless = name.kind == TOKEN_NAME && name.length == 1 && *name.start == '_';
    if (is_nameless) {
        advance(parser);
        *out = body_add_parameter(parser, type, elements);
        return WS_OK;
    }
    TRY(elements > 1 ? parse_vector_name(parser, type, elements)
                     : parse_register_name(parser, type));
    if (body->vreg_count != reg + elements)
        return parser_error(parser, WS_ERR_INPUT, &name,
                            "a parameter must be one register or one vector of registers");
    *out = body_add_parameter(parser, type, elements);
    struct operand value = {.kind = OPERAND_REGISTER, .reg = (int32_t)reg, .symbol = -1};
    struct insn like = {.guard = -1, .line = current(parser)->line};
    if (!is_return) {
        body_add_parameter_move(parser, &like, true, &value, elements, *out);
        return WS_OK;
    }
    GROW(body->register_returns, body->return_count, body->return_capacity);
    body->register_returns[body->return_count++] =
        (struct register_parameter){.reg = (int32_t)reg, .variable = *out, .elements = elements};
    return WS_OK;
}

ws_status parse_parameters(struct parser *parser, bool is_entry, bool is_return,
                           uint32_t *out_count, int32_t **out)
{
    int32_t list[PARAMETERS_MAX];
    uint32_t count = 0;
    TRY(parser_expect(parser, '(', "before the parameters"));
    while (!at_punct(parser, ')')) {
        if (count == PARAMETERS_MAX)
            return parser_error(parser, WS_ERR_INPUT, current(parser), "too many parameters");
        if (parser_at_directive(parser, ".reg") && !is_entry)
            TRY(parse_register_parameter(parser, is_return, &list[count]));
        else
            TRY(parse_parameter(parser, is_entry, &list[count]));
        count++;
        if (!parser_take(parser, ',')) break;
    }
    *out_count = count;
    *out = ARENA_ARRAY(parser->arena, int32_t, count);
    if (count) memcpy(*out, list, count * sizeof *list);
    return parser_expect(parser, ')', "after the parameters");
}

/* ---- header ---------------------------------------------------------------------------------- */

static ws_status parse_dimensions(struct parser *parser, uint32_t out[3])
{
    uint64_t value;
    out[0] = out[1] = out[2] = 1;
    for (unsigned i = 0; i < 3; i++) {
        TRY(parse_count(parser, "a number of threads", UINT32_MAX, &value));
        out[i] = (uint32_t)value;
        if (i == 2 || !parser_take(parser, ',')) break;
    }
    return WS_OK;
}

/* Directives between header and body. Those that only steer the compiler are read past. */
static ws_status parse_performance(struct parser *parser, struct function *function)
{
    static const char *const numbered[] = {".maxnreg", ".maxnctapersm", ".maxclusterrank"};
    static const char *const plain[] = {".noreturn", ".explicitcluster", ".unique"};
    uint32_t ignored[3];
    uint64_t count;
    if (parser_at_directive(parser, ".maxntid")) {
        advance(parser);
        return parse_dimensions(parser, function->max_threads);
    }
    if (parser_at_directive(parser, ".reqntid")) {
        advance(parser);
        return parse_dimensions(parser, function->required_threads);
    }
    if (parser_at_directive(parser, ".reqnctapercluster")) {
        advance(parser);
        return parse_dimensions(parser, function->required_cluster);
    }
    if (parser_at_directive(parser, ".blocksareclusters")) {
        advance(parser);
        function->grid_of_clusters = true;
        return WS_OK;
    }
    if (parser_at_directive(parser, ".minnctapersm")) {
        advance(parser);
        TRY(parse_count(parser, "the number of blocks", UINT32_MAX, &count));
        function->min_blocks_per_sm = (uint32_t)count;
        return WS_OK;
    }
    if (parser_at_directive(parser, ".pragma"))
        return parser_skip_past(parser, ';', "after .pragma");
    if (parser_at_directive(parser, ".attribute"))
        return parser_skip_past(parser, ')', "after .attribute");
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++) {
        if (!parser_at_directive(parser, numbered[i])) continue;
        advance(parser);
        return parse_dimensions(parser, ignored);
    }
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (!parser_at_directive(parser, plain[i])) continue;
        advance(parser);
        return WS_OK;
    }
    return parser_error(parser, WS_ERR_INPUT, current(parser),
                        "expected '{', ';' or a directive such as .maxntid, found %s",
                        parser_token_text(parser, current(parser)));
}

/* A function may be declared before it is defined: both are one. */
static ws_status find_or_add(struct parser *parser, const struct token *token, bool is_entry,
                             const struct linkage *linkage, int32_t *out)
{
    const struct symbol *symbol = names_find(&parser->names, token->start, token->length);
    if (symbol && symbol->kind == SYMBOL_FUNCTION &&
        parser->functions[symbol->value].is_entry == is_entry) {
        *out = (int32_t)symbol->value;
        if (is_linked(linkage)) names_link(&parser->names, symbol->name);
        return WS_OK;
    }
    if (symbol)
        return parser_error(parser, WS_ERR_INPUT, token, "duplicate declaration of %s",
                            parser_token_text(parser, token));
    uint32_t name = names_intern(&parser->names, token->start, token->length);
    GROW(parser->functions, parser->function_count, parser->function_capacity);
    names_declare(&parser->names, name, SYMBOL_FUNCTION, parser->function_count);
    struct function *function = &parser->functions[parser->function_count];
    *function = (struct function){.name = parser_copy(parser, token),
                                  .is_entry = is_entry,
                                  .line = token->line,
                                  .column = token->column};
    if (is_linked(linkage)) names_link(&parser->names, name);
    function->display_name = demangle_kernel(parser->arena, function->name);
    *out = (int32_t)parser->function_count++;
    return WS_OK;
}

/* The name stands behind the results; they belong to it, so it is read first. */
static ws_status parse_name_first(struct parser *parser, bool is_entry,
                                  const struct linkage *linkage, int32_t *out)
{
    struct lexer before = parser->lexer;
    struct token token;
    if (!is_entry && parser_take(parser, '('))
        TRY(parser_skip_past(parser, ')', "after the results"));
    TRY(parser_expect_name(parser, "the name of the function", &token));
    parser->lexer = before;
    return find_or_add(parser, &token, is_entry, linkage, out);
}

static bool is_before_1_4(const struct module *module)
{
    return module->version_major == 1 && module->version_minor < 4;
}

static ws_status parse_header(struct parser *parser, bool is_entry, struct function *function)
{
    struct token name;
    parser->body.formals_begin = parser->variable_count;
    if (!is_entry && at_punct(parser, '('))
        TRY(parse_parameters(parser, false, true, &function->return_count, &function->returns));
    else
        function->return_count = 0;
    TRY(parser_expect_name(parser, "the name of the function", &name));
    function->line = name.line;
    function->column = name.column;
    function->parameter_count = 0;
    parser->body.inputs_begin = parser->variable_count;
    if (at_punct(parser, '('))
        TRY(parse_parameters(parser, is_entry, false, &function->parameter_count,
                             &function->parameters));
    else
        parser->body.takes_parameters = is_entry && is_before_1_4(parser->module);
    parser->body.formals_end = parser->variable_count;
    function->parameter_bytes = parser->body.parameter_bytes;
    while (!at_punct(parser, '{') && !at_punct(parser, ';') && !parser_at_declaration(parser))
        TRY(parse_performance(parser, function));
    return WS_OK;
}

/* ---- body ------------------------------------------------------------------------------------ */

static ws_status parse_body_variable(struct parser *parser, bool *found)
{
    static const struct {
        const char *text;
        uint8_t space;
    } spaces[] = {{".param", SPACE_PARAM},
                  {".local", SPACE_LOCAL},
                  {".shared", SPACE_SHARED},
                  {".global", SPACE_GLOBAL},
                  {".const", SPACE_CONST}};
    struct linkage linkage = {0};
    *found = true;
    if (parser_at_directive(parser, ".extern")) {
        linkage.is_extern = true;
        advance(parser);
    }
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (!parser_at_directive(parser, spaces[i].text)) continue;
        advance(parser);
        return parse_variable(parser, spaces[i].space, &linkage);
    }
    *found = false;
    return WS_OK;
}

static ws_status parse_pragma(struct parser *parser)
{
    static const char no_unroll[] = "\"nounroll\"";
    advance(parser);
    const struct token *text = current(parser);
    if (text->length == strlen(no_unroll) && !strncmp(text->start, no_unroll, text->length))
        parser->body.is_not_unrolled = true;
    return parser_skip_past(parser, ';', "after .pragma");
}

static ws_status parse_body_directive(struct parser *parser)
{
    bool found;
    if (parser_at_directive(parser, ".reg")) {
        advance(parser);
        return parse_registers(parser);
    }
    if (parser_at_directive(parser, ".loc")) {
        advance(parser);
        return parse_loc(parser);
    }
    if (parser_at_directive(parser, ".pragma")) return parse_pragma(parser);
    TRY(parse_body_variable(parser, &found));
    if (found) return WS_OK;
    return parser_error(parser, WS_ERR_INPUT, current(parser),
                        "%s is not allowed in a function: expected .reg, .param, .local, .shared, "
                        ".loc or .pragma",
                        parser_token_text(parser, current(parser)));
}

static ws_status parse_statement(struct parser *parser)
{
    struct token token = *current(parser);
    if (parser_take(parser, ';')) return WS_OK;
    if (token.kind == TOKEN_DIRECTIVE) return parse_body_directive(parser);
    if (at_punct(parser, '@') && *parser->lexer.at == '@') { /* @@DWARF of old compilers */
        lexer_skip_line(&parser->lexer);
        return WS_OK;
    }
    if (token.kind == TOKEN_NAME && lexer_followed_by(&parser->lexer, ':')) {
        advance(parser);
        advance(parser);
        return parse_label_directive(parser, &token);
    }
    return parse_instruction(parser);
}

static ws_status parse_statements(struct parser *parser, const struct token *open)
{
    for (;;) {
        if (current(parser)->kind == TOKEN_END)
            return parser_error(parser, WS_ERR_INPUT, open,
                                "missing '}' at the end of the function: truncated file");
        if (at_punct(parser, '{')) {
            TRY(body_open_scope(parser));
            advance(parser);
        } else if (at_punct(parser, '}')) {
            if (parser->body.depth == 2) return WS_OK; /* 1: the parameters */
            body_close_scope(parser);
            advance(parser);
        } else {
            TRY(parse_statement(parser));
        }
    }
}

/* Falling off the end returns (PTX ISA 9.7.13.5 asks for a ret; old files leave it out). */
static void close_end(struct parser *parser)
{
    struct body *body = &parser->body;
    const struct insn *last = body->insn_count ? &body->insns[body->insn_count - 1] : NULL;
    bool leaves = last && last->guard < 0 &&
                  (last->op == OP_RET || last->op == OP_EXIT || last->op == OP_BRA ||
                   last->op == OP_BRX || last->op == OP_TRAP);
    if (leaves && !body->end_is_target) return;
    struct insn *insn = body_add_insn(parser, current(parser));
    insn->op = OP_RET;
    insn->text = "ret";
    insn->class_id = (uint8_t)insn_classify(insn);
    insn->units = insn_units(insn);
}

static void *copy_array(struct parser *parser, const void *items, size_t bytes)
{
    void *copy = arena_alloc(parser->arena, bytes);
    if (bytes) memcpy(copy, items, bytes);
    return copy;
}

static ws_status finish_body(struct parser *parser, struct function *function)
{
    struct body *body = &parser->body;
    TRY(parser_resolve_labels(parser));
    close_end(parser);
    function->insn_count = body->insn_count;
    function->insns = copy_array(parser, body->insns, body->insn_count * sizeof *body->insns);
    function->vreg_count = body->vreg_count;
    function->vregs = copy_array(parser, body->vregs, body->vreg_count * sizeof *body->vregs);
    function->unsupported_count = body->unsupported_count;
    function->unsupported =
        copy_array(parser, body->unsupported, body->unsupported_count * sizeof *body->unsupported);
    function->local_bytes = body->local_bytes;
    if (!function->is_entry) function->parameter_bytes = body->parameter_bytes;
    if (body->takes_parameters) {
        function->parameter_count = body->parameter_count;
        function->parameters =
            copy_array(parser, body->parameters, body->parameter_count * sizeof *body->parameters);
    }
    function->is_defined = true;
    flow_build(parser->arena, function);
    struct flow_graph graph;
    flow_graph_init(&graph, function);
    flow_post_dominators(&graph, function);
    bool fits = flow_liveness(parser->arena, &graph, function);
    flow_graph_clear(&graph);
    if (fits) return WS_OK;
    struct token name = {.line = function->line, .column = function->column};
    return parser_error(parser, WS_ERR_UNSUPPORTED, &name,
                        "'%s' has %u basic blocks and %u registers live across them: their product "
                        "must be at most %llu; split the function",
                        function->name, function->block_count, function->crossing_count,
                        (unsigned long long)LIVE_BITS_MAX);
}

static ws_status parse_body(struct parser *parser, struct function *function)
{
    struct token open = *current(parser);
    if (function->is_defined)
        return parser_error(parser, WS_ERR_INPUT, &open, "duplicate definition of function '%s'",
                            function->name);
    if (function->is_entry) TRY(parse_module_privates(parser));
    TRY(body_open_scope(parser));
    advance(parser);
    TRY(parse_statements(parser, &open));
    TRY(finish_body(parser, function));
    body_close_scope(parser);
    advance(parser);
    return WS_OK;
}

/* Calls pass what the declaration says; a definition elsewhere must take the same. */
ws_status parser_check_signature(struct parser *parser, const struct function *declared,
                                 const struct function *header, const struct token *at)
{
    bool same = declared->parameter_count == header->parameter_count &&
                declared->return_count == header->return_count;
    for (uint32_t i = 0; same && i < header->parameter_count; i++)
        same = parser->variables[declared->parameters[i]].bytes ==
               parser->variables[header->parameters[i]].bytes;
    for (uint32_t i = 0; same && i < header->return_count; i++)
        same = parser->variables[declared->returns[i]].bytes ==
               parser->variables[header->returns[i]].bytes;
    if (same) return WS_OK;
    return parser_error(parser, WS_ERR_INPUT, at,
                        "'%s' is declared with other parameters or results at line %u",
                        header->name, declared->line);
}

/* Of weak definitions the first counts, if no other is there. */
static ws_status parse_definition(struct parser *parser, const struct linkage *linkage,
                                  struct function *function, const struct function *header)
{
    if (function->is_defined && linkage->is_weak) {
        advance(parser);
        return parser_skip_past(parser, '}', "to close the function");
    }
    bool replaces = function->is_weak && !linkage->is_weak;
    bool was_defined = function->is_defined;
    *function = *header;
    function->is_defined = was_defined && !replaces;
    function->is_weak = linkage->is_weak;
    return parse_body(parser, function);
}

ws_status parse_function(struct parser *parser, bool is_entry, const struct linkage *linkage)
{
    int32_t index = -1;
    struct token first = *current(parser);
    uint32_t known = parser->function_count;
    TRY(parse_name_first(parser, is_entry, linkage, &index));
    body_begin(parser, index);
    TRY(body_open_scope(parser));
    struct function *function = &parser->functions[index], header = *function;
    TRY(parse_header(parser, is_entry, &header));
    if ((uint32_t)index < known) TRY(parser_check_signature(parser, function, &header, &first));
    if (at_punct(parser, '{')) {
        TRY(parse_definition(parser, linkage, function, &header));
    } else {
        if (!function->is_defined) *function = header;
        parser_take(parser, ';'); /* ptxas does without */
    }
    body_close_scope(parser);
    parser->body.function = -1;
    return WS_OK;
}

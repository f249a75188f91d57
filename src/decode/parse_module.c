// SPDX-License-Identifier: Apache-2.0
/* Directives of the file, and what all parsers share: expectations and errors. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "decode/parser.h"

/* ---- tokens ---------------------------------------------------------------------------------- */

static bool token_is(const struct token *token, const char *text)
{
    return token->length == strlen(text) && !memcmp(token->start, text, token->length);
}

bool parser_at_directive(const struct parser *parser, const char *text)
{
    return parser->lexer.token.kind == TOKEN_DIRECTIVE && token_is(&parser->lexer.token, text);
}

bool parser_take(struct parser *parser, char punct)
{
    if (!at_punct(parser, punct)) return false;
    advance(parser);
    return true;
}

const char *parser_token_text(struct parser *parser, const struct token *token)
{
    enum { SHOWN = 60 };
    if (token->kind == TOKEN_END) return "the end of the file";
    int length = token->length > SHOWN ? SHOWN : (int)token->length;
    unsigned char first = (unsigned char)*token->start;
    if (token->kind == TOKEN_BAD && (first < 32 || first > 126))
        return arena_format(parser->arena, "the byte 0x%02x", first);
    return arena_format(parser->arena, "'%.*s'%s", length, token->start,
                        token->length > SHOWN ? "..." : "");
}

ws_status parser_error(struct parser *parser, ws_status status, const struct token *token,
                       const char *format, ...)
{
    struct source_place place = {.file = parser->module->path,
                                 .text = parser->module->ptx,
                                 .size = parser->module->ptx_size,
                                 .line = token->line,
                                 .column = token->column,
                                 .length = token->length ? token->length : 1};
    va_list list;
    va_start(list, format);
    diag_verror_at(parser->diag, status, &place, NULL, format, list);
    va_end(list);
    return status;
}

ws_status parser_expect(struct parser *parser, char punct, const char *where)
{
    if (parser_take(parser, punct)) return WS_OK;
    return parser_error(parser, WS_ERR_INPUT, current(parser), "expected '%c' %s, found %s", punct,
                        where, parser_token_text(parser, current(parser)));
}

ws_status parser_expect_name(struct parser *parser, const char *what, struct token *out)
{
    if (current(parser)->kind != TOKEN_NAME)
        return parser_error(parser, WS_ERR_INPUT, current(parser), "expected %s, found %s", what,
                            parser_token_text(parser, current(parser)));
    *out = *current(parser);
    advance(parser);
    return WS_OK;
}

const char *parser_copy(struct parser *parser, const struct token *token)
{
    return arena_copy_n(parser->arena, token->start, token->length);
}

/* "%r64" beyond .reg %r<45> deserves a word of its own. */
static const char *beyond_range(struct parser *parser, const struct token *token)
{
    uint32_t digits = 0;
    while (digits < token->length && token->start[token->length - 1 - digits] >= '0' &&
           token->start[token->length - 1 - digits] <= '9')
        digits++;
    const struct symbol *symbol =
        digits ? names_find(&parser->names, token->start, token->length - digits) : NULL;
    if (!symbol || symbol->kind != SYMBOL_RANGE) return NULL;
    const struct name *name = &parser->names.items[symbol->name];
    return arena_format(parser->arena, "only %.*s0 to %.*s%u are declared", (int)name->length,
                        name->text, (int)name->length, name->text,
                        parser->body.ranges[symbol->value].count - 1);
}

ws_status parser_unknown(struct parser *parser, const struct token *token, const char *what,
                         unsigned symbol_kinds)
{
    enum { COMPARED_MAX = 4096 };
    const char *names[COMPARED_MAX];
    uint32_t count = 0;
    const char *range = symbol_kinds & KINDS(RANGE) ? beyond_range(parser, token) : NULL;
    for (uint32_t i = parser->names.symbol_count; i-- > 0 && count < COMPARED_MAX;) {
        const struct symbol *symbol = &parser->names.symbols[i];
        const struct name *name = &parser->names.items[symbol->name];
        if (!(symbol_kinds >> symbol->kind & 1)) continue;
        names[count++] = symbol->kind == SYMBOL_RANGE
                             ? arena_format(parser->arena, "%.*s<%u>", (int)name->length,
                                            name->text, parser->body.ranges[symbol->value].count)
                             : arena_copy_n(parser->arena, name->text, name->length);
    }
    const char *wanted = parser_copy(parser, token);
    const char *near = range ? "" : text_hint(parser->arena, wanted, names, count);
    return parser_error(parser, WS_ERR_INPUT, token, "unknown %s %s%s%s%s", what,
                        parser_token_text(parser, token), range ? ": " : "", range ? range : "",
                        near);
}

ws_status parser_skip_past(struct parser *parser, char end, const char *where)
{
    struct token first = *current(parser);
    unsigned depth = 0;
    for (;; advance(parser)) {
        if (current(parser)->kind == TOKEN_END)
            return parser_error(parser, WS_ERR_INPUT, &first,
                                "no '%c' %s before the end of the file", end, where);
        if (depth == 0 && at_punct(parser, end)) break;
        if (at_punct(parser, '{')) depth++;
        if (at_punct(parser, '}') && depth > 0) depth--;
    }
    advance(parser);
    return WS_OK;
}

/* ---- directives ------------------------------------------------------------------------------ */

/* Several modules in one file are linked as nvlink does it: what is .visible, .weak or .extern has one
 * meaning in all, every other name is the part's own. */
static ws_status begin_part(struct parser *parser)
{
    enum { PARTS_MAX = 4096 }; /* .cu files of one program */
    if (parser->parts > PARTS_MAX)
        return parser_error(parser, WS_ERR_INPUT, current(parser),
                            "too many modules in one file: at most %d", PARTS_MAX);
    map_reset(&parser->file_numbers);
    parser->module_private_count = 0;
    names_close_part(&parser->names, parser->special_mark);
    return WS_OK;
}

static ws_status parse_version(struct parser *parser)
{
    struct token token = *current(parser);
    unsigned major = 0, minor = 0;
    char text[16] = "";
    if (token.kind == TOKEN_FLOAT && token.length < sizeof text)
        memcpy(text, token.start, token.length);
    if (sscanf(text, "%3u.%3u", &major, &minor) != 2)
        return parser_error(parser, WS_ERR_INPUT, &token,
                            "expected the version, such as 7.5, found %s",
                            parser_token_text(parser, &token));
    if (major < 1 || major > 9)
        return parser_error(parser, WS_ERR_UNSUPPORTED, &token,
                            "unsupported PTX version %u.%u: expected 1.0 to 9.x", major, minor);
    if (parser->parts++) TRY(begin_part(parser));
    parser->module->version_major = major;
    parser->module->version_minor = minor;
    advance(parser);
    return WS_OK;
}

/* .target sm_75, texmode_independent, debug */
static ws_status parse_target(struct parser *parser)
{
    do {
        struct token token;
        TRY(parser_expect_name(parser, "a target such as sm_75", &token));
        if (token.length < 3 || memcmp(token.start, "sm_", 3) != 0) continue;
        unsigned target = 0;
        uint32_t i = 3;
        for (; i < token.length && token.start[i] >= '0' && token.start[i] <= '9' && i < 6; i++)
            target = target * 10 + (unsigned)(token.start[i] - '0');
        bool is_variant = i + 1 == token.length && (token.start[i] == 'a' || token.start[i] == 'f');
        if (target < 10 || target > 200 || (i != token.length && !is_variant))
            return parser_error(
                parser, WS_ERR_INPUT, &token,
                "unknown target %s: expected sm_10 to sm_121, optionally with 'a' or 'f'",
                parser_token_text(parser, &token));
        if (target < parser->module->target) continue; /* of linked parts the newest counts */
        parser->module->target = target;
        parser->module->target_name = parser_copy(parser, &token);
    } while (parser_take(parser, ','));
    return WS_OK;
}

static ws_status parse_address_size(struct parser *parser)
{
    struct token token = *current(parser);
    uint64_t bits;
    TRY(parse_count(parser, "the address size", 64, &bits));
    if (bits != 32 && bits != 64)
        return parser_error(parser, WS_ERR_INPUT, &token, "the address size must be 32 or 64");
    if (parser->parts > 1 && bits != parser->module->address_bits)
        return parser_error(parser, WS_ERR_INPUT, &token,
                            "modules of %u and %u bits cannot be linked", (unsigned)bits,
                            parser->module->address_bits);
    parser->module->address_bits = (unsigned)bits;
    return WS_OK;
}

static ws_status parse_pragma(struct parser *parser)
{
    return parser_skip_past(parser, ';', "after .pragma");
}

struct directive {
    const char *text;
    ws_status (*parse)(struct parser *parser);
};
static const struct directive directives[] = {
    {".version", parse_version},
    {".target", parse_target},
    {".address_size", parse_address_size},
    {".file", parse_file_directive},
    {".loc", parse_loc},
    {".section", parse_section},
    {".pragma", parse_pragma},
    {".alias", parse_alias},
    {".reg", parse_module_reg},
    {".local", parse_module_local},
};
static const struct {
    const char *text;
    uint8_t space;
} variable_directives[] = {
    {".global", SPACE_GLOBAL}, {".const", SPACE_CONST}, {".shared", SPACE_SHARED},
    {".local", SPACE_LOCAL},   {".tex", SPACE_GLOBAL},  {".param", SPACE_PARAM},
};

bool parser_at_declaration(const struct parser *parser)
{
    static const char *const others[] = {".extern", ".weak",  ".visible",
                                         ".common", ".entry", ".func"};
    if (parser->lexer.token.kind == TOKEN_END || at_punct(parser, '@')) return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (parser_at_directive(parser, others[i])) return true;
    for (size_t i = 0; i < sizeof variable_directives / sizeof *variable_directives; i++)
        if (parser_at_directive(parser, variable_directives[i].text)) return true;
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (directives[i].parse != parse_pragma && parser_at_directive(parser, directives[i].text))
            return true;
    return false;
}

static bool parse_linkage(struct parser *parser, struct linkage *linkage)
{
    if (parser_at_directive(parser, ".extern"))
        linkage->is_extern = true;
    else if (parser_at_directive(parser, ".weak"))
        linkage->is_weak = true;
    else if (parser_at_directive(parser, ".visible") || parser_at_directive(parser, ".common"))
        linkage->is_visible = true;
    else
        return false;
    return true;
}

static ws_status unknown_directive(struct parser *parser)
{
    static const char *const names[] = {
        ".version", ".target", ".address_size", ".file",   ".section", ".pragma",
        ".global",  ".const",  ".shared",       ".tex",    ".entry",   ".func",
        ".extern",  ".weak",   ".visible",      ".common", ".alias"};
    const char *text = parser_copy(parser, current(parser));
    const char *near = text_hint(parser->arena, text, names, sizeof names / sizeof *names);
    return parser_error(parser, WS_ERR_INPUT, current(parser),
                        "expected a directive such as .entry, found %s%s",
                        parser_token_text(parser, current(parser)), near);
}

static ws_status parse_declaration(struct parser *parser)
{
    struct linkage linkage = {0};
    while (parse_linkage(parser, &linkage))
        advance(parser);
    bool is_entry = parser_at_directive(parser, ".entry");
    if (is_entry || parser_at_directive(parser, ".func")) {
        advance(parser);
        return parse_function(parser, is_entry, &linkage);
    }
    for (size_t i = 0; i < sizeof variable_directives / sizeof *variable_directives; i++) {
        if (!parser_at_directive(parser, variable_directives[i].text)) continue;
        advance(parser);
        return parse_variable(parser, variable_directives[i].space, &linkage);
    }
    return unknown_directive(parser);
}

static ws_status parse_top(struct parser *parser)
{
    if (at_punct(parser, '@')) { /* @@DWARF of old compilers */
        lexer_skip_line(&parser->lexer);
        return WS_OK;
    }
    if (parser_take(parser, ';')) return WS_OK;
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++) {
        if (!parser_at_directive(parser, directives[i].text)) continue;
        advance(parser);
        return directives[i].parse(parser);
    }
    return parse_declaration(parser);
}

ws_status parser_file(struct parser *parser)
{
    struct token *token = current(parser);
    if (token->kind == TOKEN_END)
        return diag_error(parser->diag, WS_ERR_INPUT,
                          "%s: contains no PTX: it is empty or comments only",
                          parser->module->path);
    if (parser->module->ptx_size >= 4 && !memcmp(parser->module->ptx,
                                                 "\x7f"
                                                 "ELF",
                                                 4))
        return diag_error(parser->diag, WS_ERR_UNSUPPORTED,
                          "%s: is a binary; extract its PTX first: cuobjdump -ptx %s > kernel.ptx",
                          parser->module->path, parser->module->path);
    if (!parser_at_directive(parser, ".version"))
        return parser_error(parser, WS_ERR_INPUT, token,
                            "not PTX: the first directive must be .version, found %s",
                            parser_token_text(parser, token));
    while (token->kind != TOKEN_END) {
        TRY(parse_top(parser));
        if (parser->module->target == 0 && parser->function_count > 0)
            return parser_error(parser, WS_ERR_INPUT, token,
                                "missing .target before the first function: PTX must start with "
                                ".version and .target");
    }
    return parser_resolve_aliases(parser);
}

void parser_clear(struct parser *parser)
{
    struct body *body = &parser->body;
    names_clear(&parser->names);
    map_clear(&parser->registers);
    map_clear(&parser->labels);
    map_clear(&parser->file_numbers);
    mem_free(parser->mnemonics);
    mem_free(parser->variables);
    mem_free(parser->functions);
    mem_free(parser->files);
    sources_clear(parser);
    mem_free(parser->scope_parents);
    mem_free(parser->init);
    mem_free(parser->relocations);
    mem_free(body->vregs);
    mem_free(body->insns);
    mem_free(body->ranges);
    mem_free(body->uses);
    mem_free(body->lists);
    mem_free(body->label_names);
    mem_free(body->parameters);
    mem_free(body->register_returns);
    mem_free(body->unsupported);
    mem_free(body->sums);
    mem_free(parser->prototypes);
    mem_free(parser->aliases);
    mem_free(parser->module_privates);
}

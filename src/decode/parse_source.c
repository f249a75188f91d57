// SPDX-License-Identifier: Apache-2.0
/* Where instructions come from: .file, .loc, and the names of inlined functions in .debug_str. */
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "decode/parser.h"

/* ---- files ----------------------------------------------------------------------------------- */

static void add_file(struct parser *parser)
{
    GROW(parser->files, parser->file_count, parser->file_capacity);
    parser->files[parser->file_count++] = NULL;
}

/* Numbers are the part's own and may be far apart; .loc may stand before its .file. */
uint32_t parser_source_file(struct parser *parser, uint64_t number)
{
    uint32_t index;
    if (!number) return 0;
    if (map_get(&parser->file_numbers, number, &index)) return index;
    if (!parser->file_count) add_file(parser);
    index = parser->file_count;
    map_set(&parser->file_numbers, number, index);
    add_file(parser);
    return index;
}

/* .file 1 "name" [, time, size] */
ws_status parse_file_directive(struct parser *parser)
{
    enum { FILES_MAX = 1 << 16 };
    uint64_t number;
    TRY(parse_count(parser, "the number of the file", FILES_MAX, &number));
    struct token token = *current(parser);
    if (token.kind != TOKEN_STRING)
        return parser_error(parser, WS_ERR_INPUT, &token,
                            "expected a file name in quotes, found %s",
                            parser_token_text(parser, &token));
    advance(parser);
    uint32_t file = parser_source_file(parser, number);
    if (file) parser->files[file] = arena_copy_n(parser->arena, token.start + 1, token.length - 2);
    while (parser_take(parser, ',')) {
        uint64_t ignored;
        TRY(parse_count(parser, "a time or size", UINT64_MAX, &ignored));
    }
    return WS_OK;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* A function_name whose section may follow. */
struct source_name {
    uint32_t place, part;
    const char *label;
    uint32_t length;
    uint64_t offset;
};

/* A label of a .debug_str. */
struct source_label {
    uint32_t part, length;
    const char *text;
    size_t at;               /* byte of its section */
    const char *bytes, *end; /* from there to the end of the section, in the arena */
};

static uint64_t place_key(uint32_t file, const uint64_t at[3])
{
    uint64_t key = (uint64_t)file << 48 ^ at[1] << 20 ^ at[2];
    return key ? key : 1;
}

/* The latest .loc of the function at that place, which names what the function there was inlined into. */
static uint32_t find_place(const struct parser *parser, uint32_t file, const uint64_t at[3])
{
    uint32_t index;
    if (!map_get(&parser->place_of, place_key(file, at), &index)) return 0;
    const struct code_place *place = &parser->places[index];
    bool is_it = place->file == file && place->line == at[1] && place->column == at[2];
    return is_it ? index : 0;
}

static uint32_t add_place(struct parser *parser, const struct code_place *place)
{
    static const struct code_place none;
    if (!parser->place_count) {
        GROW(parser->places, parser->place_count, parser->place_capacity);
        parser->places[parser->place_count++] = none;
    }
    GROW(parser->places, parser->place_count, parser->place_capacity);
    parser->places[parser->place_count] = *place;
    return parser->place_count++;
}

static void add_name(struct parser *parser, uint32_t place, const struct token *label,
                     uint64_t offset)
{
    GROW(parser->source_names, parser->source_name_count, parser->source_name_capacity);
    parser->source_names[parser->source_name_count++] =
        (struct source_name){place, parser->parts, label->start, label->length, offset};
}

/* A place that was inlined at `called`. If the PTX has no .loc there, it has one now. */
static uint32_t caller_of(struct parser *parser, const uint64_t called[3])
{
    uint32_t file = parser_source_file(parser, called[0]), found = find_place(parser, file, called);
    if (found) return found;
    return add_place(parser, &(struct code_place){.file = file,
                                                  .line = (uint32_t)called[1],
                                                  .column = (uint32_t)called[2]});
}

/* .loc file line column [, function_name name[+n], inlined_at file line column]
 * Code inlined from another file (CUDA's headers, mostly) counts for the line that called it. */
ws_status parse_loc(struct parser *parser)
{
    uint64_t at[3], called[3], offset = 0;
    struct token name = {0};
    bool is_inlined = false;
    for (unsigned i = 0; i < 3; i++)
        TRY(parse_count(parser, "a number of .loc", UINT32_MAX, &at[i]));
    while (parser_take(parser, ',')) {
        struct token word;
        TRY(parser_expect_name(parser, "function_name or inlined_at", &word));
        if (word.length == 13 && !memcmp(word.start, "function_name", 13)) {
            TRY(parser_expect_name(parser, "the name of the function", &name));
            if (parser_take(parser, '+'))
                TRY(parse_count(parser, "an offset", UINT32_MAX, &offset));
            continue;
        }
        for (unsigned i = 0; i < 3; i++)
            TRY(parse_count(parser, "a number of .loc", UINT32_MAX, &called[i]));
        is_inlined = true;
    }
    struct code_place place = {.file = parser_source_file(parser, at[0]),
                               .line = (uint32_t)at[1],
                               .column = (uint32_t)at[2]};
    if (is_inlined) place.caller = caller_of(parser, called);
    parser->body.place = add_place(parser, &place);
    map_set(&parser->place_of, place_key(place.file, at), parser->body.place);
    if (name.length) add_name(parser, parser->body.place, &name, offset);
    if (is_inlined && called[0] != at[0]) memcpy(at, called, sizeof at);
    parser->body.source_file = parser_source_file(parser, at[0]);
    parser->body.source_line = (uint32_t)at[1];
    return WS_OK;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Labels and the bytes of .b8; other sections, and what else may stand there, are of no use here. */
static void read_strings(struct parser *parser, struct token before, struct strbuf *bytes)
{
    struct token *token = current(parser);
    if (before.kind == TOKEN_NAME && at_punct(parser, ':')) {
        GROW(parser->source_labels, parser->source_label_count, parser->source_label_capacity);
        parser->source_labels[parser->source_label_count++] =
            (struct source_label){.part = parser->parts,
                                  .length = before.length,
                                  .text = before.start,
                                  .at = bytes->length};
    }
    if (token->kind == TOKEN_INTEGER) strbuf_putc(bytes, (char)token->value.integer);
}

/* .section .debug_str { label: .b8 102,0 } */
ws_status parse_section(struct parser *parser)
{
    struct token first = *current(parser), before = {0};
    struct strbuf bytes = {0};
    uint32_t labels = parser->source_label_count;
    bool is_strings = parser_at_directive(parser, ".debug_str");
    advance(parser);
    if (current(parser)->kind == TOKEN_STRING) advance(parser);
    TRY(parser_expect(parser, '{', "to open the section"));
    if (!is_strings) return parser_skip_past(parser, '}', "to close the section");
    for (; !at_punct(parser, '}') && current(parser)->kind != TOKEN_END; advance(parser)) {
        read_strings(parser, before, &bytes);
        before = *current(parser);
    }
    const char *kept = arena_copy_n(parser->arena, bytes.data ? bytes.data : "", bytes.length);
    for (uint32_t i = labels; i < parser->source_label_count; i++) {
        struct source_label *label = &parser->source_labels[i];
        label->bytes = kept + label->at;
        label->end = kept + bytes.length;
    }
    strbuf_clear(&bytes);
    if (current(parser)->kind == TOKEN_END)
        return parser_error(parser, WS_ERR_INPUT, &first,
                            "no '}' to close the section before the end of the file");
    advance(parser);
    return WS_OK;
}

static int compare_labels(const void *left, const void *right)
{
    const struct source_label *a = left, *b = right;
    if (a->part != b->part) return a->part < b->part ? -1 : 1;
    if (a->length != b->length) return a->length < b->length ? -1 : 1;
    return memcmp(a->text, b->text, a->length);
}

static void settle_names(struct parser *parser)
{
    struct source_label *labels = parser->source_labels;
    if (!parser->source_label_count) return;
    qsort(labels, parser->source_label_count, sizeof *labels, compare_labels);
    for (uint32_t i = 0; i < parser->source_name_count; i++) {
        const struct source_name *name = &parser->source_names[i];
        const struct source_label wanted = {
            .part = name->part, .length = name->length, .text = name->label};
        const struct source_label *label =
            bsearch(&wanted, labels, parser->source_label_count, sizeof *labels, compare_labels);
        if (label && name->offset < (uint64_t)(label->end - label->bytes))
            parser->places[name->place].function = label->bytes + name->offset;
    }
}

void parser_settle_sources(struct parser *parser)
{
    if (!parser->file_count) add_file(parser);
    parser->files[0] = "";
    for (uint32_t f = 0; f < parser->function_count; f++) {
        struct insn *insns = (struct insn *)(uintptr_t)parser->functions[f].insns;
        for (uint32_t i = 0; i < parser->functions[f].insn_count; i++)
            if (!parser->files[insns[i].source_file])
                insns[i].source_file = insns[i].source_line = 0;
    }
    for (uint32_t i = 1; i < parser->place_count; i++)
        if (!parser->files[parser->places[i].file])
            parser->places[i].file = parser->places[i].line = parser->places[i].column = 0;
    settle_names(parser);
    for (uint32_t i = 0; i < parser->file_count; i++)
        if (!parser->files[i]) parser->files[i] = "";
}

void sources_clear(struct parser *parser)
{
    map_clear(&parser->place_of);
    mem_free(parser->places);
    mem_free(parser->source_names);
    mem_free(parser->source_labels);
}

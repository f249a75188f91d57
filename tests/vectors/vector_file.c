// SPDX-License-Identifier: Apache-2.0
#include "vector_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct reader {
    struct diag *diag;
    struct vector_file *file;
    struct vector_form *form; /* NULL before the first */
    unsigned line;
    bool has_source;
};

static ws_status bad_line(const struct reader *r, const char *what)
{
    return diag_error(r->diag, WS_ERR_INPUT, "%s:%u: %s", r->file->path, r->line, what);
}

/* The next word of *at, or NULL. */
static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " ");
    if (*word == '\0') return NULL;
    char *end = word + strcspn(word, " ");
    *at = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

/* ---- operands -------------------------------------------------------------------------------- */

static unsigned type_bits(const char *type)
{
    static const struct {
        const char *name;
        unsigned bits;
    } types[] = {{"pred", 1}, {"b8", 8}, {"b16", 16}, {"b32", 32}, {"b64", 64}, {"b128", 128}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(type, types[i].name)) return types[i].bits;
    return 0;
}

static ws_status read_operands(struct reader *r, char *text, bool outputs)
{
    struct vector_form *form = r->form;
    if (!outputs && form->output_count) return bad_line(r, "'in' must stand before 'out'");
    for (char *word; (word = next_word(&text));) {
        unsigned count = form->input_count + form->output_count;
        char *dot = strrchr(word, '.');
        if (count == VECTOR_OPERANDS_MAX) return bad_line(r, "too many operands");
        if (word[0] != '%' || !dot) return bad_line(r, "an operand is written %name.type");
        *dot = '\0';
        form->operands[count] = (struct vector_operand){word, dot + 1, type_bits(dot + 1)};
        if (!form->operands[count].bits) return bad_line(r, "unknown type of an operand");
        *(outputs ? &form->output_count : &form->input_count) += 1;
    }
    return WS_OK;
}

/* As many hexadecimal digits as the operand is wide. */
static bool read_bits(const char *word, unsigned bits, struct operand_bits *out)
{
    size_t digits = bits == 1 ? 1 : bits / 4;
    if (strlen(word) != digits || strspn(word, "0123456789abcdef") != digits) return false;
    if (bits == 1 && word[0] > '1') return false;
    char high[17] = "0";
    size_t upper = digits > 16 ? digits - 16 : 0;
    memcpy(high, word, upper);
    out->high = upper ? strtoull(high, NULL, 16) : 0;
    out->low = strtoull(word + upper, NULL, 16);
    return true;
}

static ws_status read_expected(const struct reader *r, const char *word,
                               const struct vector_operand *operand, struct operand_bits *value,
                               uint8_t *expectation)
{
    *expectation = EXPECT_BITS;
    if (!strcmp(word, "-"))
        *expectation = EXPECT_NOTHING;
    else if (!strcmp(word, "nan") && operand->bits >= 16 && operand->bits <= 64)
        *expectation = EXPECT_NAN;
    else if (!read_bits(word, operand->bits, value))
        return bad_line(r, "an expected value is not as wide as its register");
    return WS_OK;
}

static ws_status read_row(struct reader *r, char *text)
{
    struct vector_form *form = r->form;
    GROW(form->rows, form->row_count, form->row_room);
    struct vector_row *row = &form->rows[form->row_count++];
    *row = (struct vector_row){.line = r->line};
    for (unsigned i = 0; i < form->input_count; i++) {
        char *word = next_word(&text);
        if (!word || !read_bits(word, form->operands[i].bits, &row->values[i]))
            return bad_line(r, "an operand is missing, or not as wide as its register");
    }
    char *equals = next_word(&text);
    if (!equals || strcmp(equals, "=") != 0) return bad_line(r, "expected '=' after the operands");
    for (unsigned i = 0; i < form->output_count; i++) {
        unsigned k = form->input_count + i;
        char *word = next_word(&text);
        if (!word) return bad_line(r, "an expected value is missing");
        TRY(read_expected(r, word, &form->operands[k], &row->values[k], &row->expectations[i]));
    }
    return next_word(&text) ? bad_line(r, "more values than operands") : WS_OK;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void add_snippet_line(struct reader *r, enum line_kind kind, const char *text)
{
    struct vector_form *form = r->form;
    if (kind == LINE_RAW) form->takes_guard = false;
    GROW(form->lines, form->line_count, form->line_room);
    form->lines[form->line_count++] = (struct snippet_line){kind, text};
}

static ws_status finish_form(const struct reader *r)
{
    const struct vector_form *form = r->form;
    if (!form) return WS_OK;
    if (!form->line_count) return bad_line(r, "the form above has no statement");
    if (!form->row_count) return bad_line(r, "the form above has no rows");
    if (form->row_count % (form->whole_warps ? 32 : form->threads))
        return bad_line(r, "the rows of the form above do not fill whole warps or blocks");
    return WS_OK;
}

static ws_status start_form(struct reader *r, const char *name)
{
    struct vector_file *file = r->file;
    TRY(finish_form(r));
    if (!r->has_source) return bad_line(r, "no 'source:' line before the first form");
    for (size_t i = 0; i < file->form_count; i++)
        if (!strcmp(file->forms[i].name, name)) return bad_line(r, "a second form of this name");
    GROW(file->forms, file->form_count, file->form_room);
    r->form = &file->forms[file->form_count++];
    *r->form = (struct vector_form){
        .name = name, .target = "sm_90", .line = r->line, .threads = 1, .takes_guard = true};
    return WS_OK;
}

/* What follows the keyword, or NULL if the line starts with another word. */
static char *after(char *line, const char *keyword)
{
    size_t length = strlen(keyword);
    return !strncmp(line, keyword, length) && line[length] == ' ' ? line + length + 1 : NULL;
}

/* Keywords of the snippet and of its end. *known: the line was one of them. */
static void read_snippet(struct reader *r, char *line, bool *known)
{
    static const char *const kinds[] = {
        [LINE_GLOBAL] = "global", [LINE_DECL] = "decl", [LINE_DO] = "do", [LINE_RAW] = "raw"};
    static const struct {
        const char *word;
        ws_status status;
    } ends[] = {{"fault", WS_ERR_FAULT}, {"deadlock", WS_ERR_DEADLOCK}};
    const char *rest;
    *known = true;
    for (unsigned kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        if ((rest = after(line, kinds[kind]))) {
            add_snippet_line(r, (enum line_kind)kind, rest);
            return;
        }
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
        if ((rest = after(line, ends[i].word))) {
            r->form->status = ends[i].status;
            r->form->message = rest;
            return;
        }
    *known = false;
}

static ws_status read_form_line(struct reader *r, char *line)
{
    struct vector_form *form = r->form;
    char *rest;
    bool known;
    read_snippet(r, line, &known);
    if (known) return WS_OK;
    if ((rest = after(line, "in"))) return read_operands(r, rest, false);
    if ((rest = after(line, "out"))) return read_operands(r, rest, true);
    if ((rest = after(line, "target"))) {
        form->target = rest;
    } else if ((rest = after(line, "lanes"))) {
        form->whole_warps = true;
        form->lanes = (uint32_t)strtoul(rest, NULL, 16);
    } else if ((rest = after(line, "threads"))) {
        form->threads = (unsigned)strtoul(rest, NULL, 10);
        if (!form->threads) return bad_line(r, "a block has at least one thread");
    } else {
        return read_row(r, line);
    }
    return WS_OK;
}

static ws_status read_line(struct reader *r, char *line)
{
    char *name = after(line, "form");
    if (line[0] == '#' || line[0] == '\0') return WS_OK;
    if (name) return start_form(r, name);
    if (after(line, "source:"))
        r->has_source = true;
    else if (r->form)
        return read_form_line(r, line);
    else
        return bad_line(r, "expected 'source:' or 'form'");
    return WS_OK;
}

ws_status vector_file_load(struct diag *diag, const char *path, struct vector_file *out)
{
    char *text;
    size_t size;
    *out = (struct vector_file){.path = path};
    struct reader r = {.diag = diag, .file = out};
    ws_status status = text_read_file(diag, &out->arena, path, &text, &size);
    const char *end = text + size;
    /* Not strchr: a sanitizer that checks strings would go through the rest of the file at each line. */
    for (char *rest; status == WS_OK && text; text = rest) {
        rest = memchr(text, '\n', (size_t)(end - text));
        if (rest) *rest++ = '\0';
        r.line++;
        status = read_line(&r, text);
    }
    if (status == WS_OK) status = finish_form(&r);
    if (status == WS_OK && !out->form_count) status = bad_line(&r, "no form");
    if (status != WS_OK) vector_file_clear(out);
    return status;
}

void vector_file_clear(struct vector_file *file)
{
    for (size_t i = 0; i < file->form_count; i++) {
        mem_free(file->forms[i].lines);
        mem_free(file->forms[i].rows);
    }
    mem_free(file->forms);
    arena_clear(&file->arena);
    *file = (struct vector_file){0};
}

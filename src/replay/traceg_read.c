// SPDX-License-Identifier: Apache-2.0
/* The body of a .traceg:
 *
 *     #BEGIN_TB
 *     thread block = x,y,z
 *     warp = w
 *     insts = n
 *     (n lines)
 *     ...
 *     #END_TB
 */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "replay/traceg.h"

ws_status traceg_fail(struct diag *diag, const struct traceg *traceg, const char *at,
                      const char *format, ...)
{
    struct source_place place = {.file = traceg->source.path, .line = traceg->source.line};
    if (at && traceg->line) place.column = (uint32_t)(at - traceg->line) + 1;
    va_list list;
    va_start(list, format);
    diag_verror_at(diag, WS_ERR_INPUT, &place, NULL, format, list);
    va_end(list);
    if (traceg->line && *traceg->line) diag_add(diag, "    %.90s", traceg->line);
    if (traceg->source.is_cut)
        diag_add(diag, "    The file ends within this line: it is truncated.");
    return WS_ERR_INPUT;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void skip_blanks(const char **at)
{
    while (**at == ' ' || **at == '\t')
        ++*at;
}

static bool ends_number(char c)
{
    return c == '\0' || c == ' ' || c == '\t' || c == ',' || c == ')';
}

bool traceg_decimal(const char **at, uint64_t *out)
{
    const char *c = *at;
    uint64_t value = 0;
    if (*c < '0' || *c > '9') return false;
    for (; *c >= '0' && *c <= '9'; c++) {
        if (value > (UINT64_MAX - 9) / 10) return false;
        value = 10 * value + (uint64_t)(*c - '0');
    }
    if (!ends_number(*c)) return false;
    *out = value;
    *at = c;
    skip_blanks(at);
    return true;
}

bool traceg_signed(const char **at, int64_t *out)
{
    const char *c = *at;
    bool negative = *c == '-';
    uint64_t value;
    if (negative) c++;
    if (!traceg_decimal(&c, &value) || value > INT64_MAX) return false;
    *out = negative ? -(int64_t)value : (int64_t)value;
    *at = c;
    return true;
}

static const uint8_t hex_digits[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16};

bool traceg_hex(const char **at, uint64_t *out)
{
    const char *c = *at;
    if (c[0] == '0' && (c[1] == 'x' || c[1] == 'X')) c += 2;
    uint64_t value = 0;
    unsigned digit = hex_digits[(unsigned char)*c];
    if (!digit) return false;
    for (; digit; digit = hex_digits[(unsigned char)*++c]) {
        if (value >> 60) return false;
        value = value << 4 | (digit - 1);
    }
    if (!ends_number(*c)) return false;
    *out = value;
    *at = c;
    skip_blanks(at);
    return true;
}

bool traceg_triple(const char **at, uint32_t out[3])
{
    const char *c = *at;
    bool in_brackets = *c == '(';
    if (in_brackets) c++;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t value;
        if (i && *c++ != ',') return false;
        skip_blanks(&c);
        if (!traceg_decimal(&c, &value) || value > UINT32_MAX) return false;
        out[i] = (uint32_t)value;
    }
    if (in_brackets && *c++ != ')') return false;
    skip_blanks(&c);
    *at = c;
    return true;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* "word = value": *out_value behind the equals sign. */
static bool is_setting(const char *line, const char *word, const char **out_value)
{
    size_t length = strlen(word);
    if (strncmp(line, word, length) != 0) return false;
    const char *at = line + length;
    skip_blanks(&at);
    if (*at++ != '=') return false;
    skip_blanks(&at);
    *out_value = at;
    return true;
}

static ws_status read_block(struct diag *diag, struct traceg *t, const char *value)
{
    uint32_t at[3];
    const char *end = value;
    if (!traceg_triple(&end, at) || *end)
        return traceg_fail(diag, t, value, "expected a thread block 'x,y,z'");
    for (unsigned i = 0; i < 3; i++)
        if (at[i] >= t->header.grid[i])
            return traceg_fail(diag, t, value, "outside the grid (%u,%u,%u)", t->header.grid[0],
                               t->header.grid[1], t->header.grid[2]);
    const uint32_t *grid = t->header.grid;
    t->block = ((uint64_t)at[2] * grid[1] + at[1]) * grid[0] + at[0];
    t->has_index = true;
    t->warps_seen = 0;
    return WS_OK;
}

static ws_status read_warp(struct diag *diag, struct traceg *t, const char *value)
{
    uint64_t warp;
    const char *end = value;
    if (!t->has_index) return traceg_fail(diag, t, NULL, "'warp' before 'thread block = x,y,z'");
    if (!traceg_decimal(&end, &warp) || *end)
        return traceg_fail(diag, t, value, "expected a warp index, a whole number from 0");
    if (warp >= t->warps_per_block)
        return traceg_fail(diag, t, value, "a block of (%u,%u,%u) threads has %u warps",
                           t->header.block[0], t->header.block[1], t->header.block[2],
                           t->warps_per_block);
    if (t->warps_seen >> warp & 1)
        return traceg_fail(diag, t, value, "duplicate warp %u in this block", (unsigned)warp);
    t->warps_seen |= UINT32_C(1) << warp;
    t->warp = (uint32_t)warp;
    t->has_warp = true;
    return WS_OK;
}

static ws_status read_count(struct diag *diag, struct traceg *t, const char *value)
{
    const char *end = value;
    if (!t->has_warp) return traceg_fail(diag, t, NULL, "'insts' before 'warp = w'");
    if (!traceg_decimal(&end, &t->left) || *end)
        return traceg_fail(diag, t, value, "expected a number of instructions");
    t->has_warp = false;
    return WS_OK;
}

static ws_status read_mask(struct diag *diag, struct traceg *t, const char *at)
{
    enum { DIGITS = sizeof t->mask_text };
    const char *start = at;
    uint64_t number;
    size_t room = t->length - (size_t)(at - t->line);
    if (room > DIGITS && at[DIGITS] == ' ' && !memcmp(at, t->mask_text, DIGITS)) {
        t->insn.rest = at + DIGITS + 1;
        return WS_OK;
    }
    if (!traceg_hex(&at, &number) || number > UINT32_MAX)
        return traceg_fail(diag, t, start, "expected a mask of 32 lanes");
    if (at - start == DIGITS + 1) memcpy(t->mask_text, start, DIGITS);
    t->mask = (uint32_t)number;
    t->insn.rest = at;
    return WS_OK;
}

/* [line] PC mask rest */
static ws_status read_insn(struct diag *diag, struct traceg *t)
{
    struct traceg_insn *insn = &t->insn;
    const char *at = t->line;
    uint64_t number = 0;
    if (!t->left)
        return traceg_fail(diag, t, NULL,
                           t->in_block ? "more instructions than 'insts' declares"
                                       : "outside a thread block; process the tracer's raw .trace "
                                         "with post-traces-processing first and use the .traceg");
    if (t->header.has_lines) {
        if (!traceg_decimal(&at, &number) || number > UINT32_MAX)
            return traceg_fail(diag, t, at, "expected a source line number");
        insn->source_line = (uint32_t)number;
    }
    if (!traceg_hex(&at, &insn->pc))
        return traceg_fail(diag, t, at, "expected an instruction address");
    TRY(read_mask(diag, t, at));
    insn->mask = t->mask;
    t->left--;
    return WS_OK;
}

static ws_status check_complete(struct diag *diag, const struct traceg *t)
{
    if (!t->left) return WS_OK;
    return traceg_fail(diag, t, NULL, "warp %u: too few instructions: %llu missing", t->warp,
                       (unsigned long long)t->left);
}

static ws_status end_file(struct diag *diag, const struct traceg *t)
{
    if (!t->in_block) return WS_OK;
    return diag_error(diag, WS_ERR_INPUT,
                      "%s:%u: error: unexpected end of file within a thread block: truncated; copy "
                      "or record it again",
                      t->source.path, t->source.line);
}

static ws_status begin_block(struct diag *diag, struct traceg *t)
{
    if (t->in_block) return traceg_fail(diag, t, NULL, "missing #END_TB of the previous block");
    t->in_block = true;
    t->has_index = t->has_warp = false;
    return WS_OK;
}

/* Lines that start with #. *out_done: a part that callers see. */
static ws_status read_mark(struct diag *diag, struct traceg *t, bool *out_ends)
{
    *out_ends = false;
    TRY(check_complete(diag, t));
    if (!strncmp(t->line, "#BEGIN_TB", 9)) return begin_block(diag, t);
    if (strncmp(t->line, "#END_TB", 7) != 0) return WS_OK; /* a comment */
    if (!t->in_block || !t->has_index)
        return traceg_fail(diag, t, NULL,
                           t->in_block ? "missing 'thread block = x,y,z' in the block"
                                       : "missing #BEGIN_TB before it");
    t->in_block = false;
    *out_ends = true;
    return WS_OK;
}

/* Words of a block; *out_part stays TRACEG_END if callers need not see it. */
static ws_status read_words(struct diag *diag, struct traceg *t, enum traceg_part *out_part)
{
    const char *value;
    TRY(check_complete(diag, t));
    if (!t->in_block) return read_insn(diag, t); /* refuses it */
    if (is_setting(t->line, "thread block", &value)) {
        if (t->has_index)
            return traceg_fail(diag, t, NULL, "duplicate 'thread block' in this block");
        *out_part = TRACEG_BLOCK;
        return read_block(diag, t, value);
    }
    if (is_setting(t->line, "warp", &value)) return read_warp(diag, t, value);
    if (is_setting(t->line, "insts", &value)) {
        *out_part = TRACEG_WARP;
        return read_count(diag, t, value);
    }
    if (!strncmp(t->line, "cluster ", 8)) return WS_OK;
    return read_insn(diag, t);
}

ws_status traceg_next(struct diag *diag, struct traceg *t, enum traceg_part *out)
{
    char *line;
    *out = TRACEG_END;
    if (t->begun) {
        t->begun = false;
        TRY(begin_block(diag, t));
    }
    while (*out == TRACEG_END) {
        TRY(line_source_next(diag, &t->source, &line, &t->length));
        t->line = line;
        if (!line) return end_file(diag, t);
        if (t->left && hex_digits[(unsigned char)*line]) {
            *out = TRACEG_INSN;
            return read_insn(diag, t);
        }
        if (!line[strspn(line, " \t")]) continue;
        bool ends = false;
        if (*line == '#')
            TRY(read_mark(diag, t, &ends));
        else
            TRY(read_words(diag, t, out));
        if (ends) *out = TRACEG_BLOCK_ENDS;
    }
    return WS_OK;
}

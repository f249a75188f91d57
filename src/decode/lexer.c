// SPDX-License-Identifier: Apache-2.0
#include "decode/lexer.h"

#include <stdlib.h>
#include <string.h>

enum { IS_START = 1, IS_FOLLOW = 2, IS_DIGIT = 4 };

/* [A-Za-z] and _ $ % start a name; letters, digits, _ and $ go on (PTX ISA 4.4). */
static unsigned class_of(char c)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$')
        return IS_START | IS_FOLLOW;
    if (c >= '0' && c <= '9') return IS_FOLLOW | IS_DIGIT;
    return c == '%' ? IS_START : 0;
}

static bool follows(char c)
{
    return (class_of(c) & IS_FOLLOW) != 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

void lexer_init(struct lexer *lexer, const char *text, size_t size)
{
    *lexer = (struct lexer){.at = text, .end = text + size, .line_start = text, .line = 1};
    lexer_next(lexer);
}

static void new_line(struct lexer *lexer)
{
    lexer->at++;
    lexer->line++;
    lexer->line_start = lexer->at;
}

static void skip_comment(struct lexer *lexer)
{
    lexer->at += 2;
    while (lexer->at < lexer->end) {
        if (lexer->at[0] == '*' && lexer->at[1] == '/') {
            lexer->at += 2;
            return;
        }
        if (*lexer->at == '\n')
            new_line(lexer);
        else
            lexer->at++;
    }
}

static void to_line_end(struct lexer *lexer)
{
    const char *newline = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
    lexer->at = newline ? newline : lexer->end;
}

/* Blanks, comments, and lines of the preprocessor. The text ends with a NUL, so looking one
 * character ahead is safe. */
static void skip_blanks(struct lexer *lexer)
{
    for (;;) {
        char c = *lexer->at;
        if (c == '\n')
            new_line(lexer);
        else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v')
            lexer->at++;
        else if (c == '/' && lexer->at[1] == '/')
            to_line_end(lexer);
        else if (c == '/' && lexer->at[1] == '*')
            skip_comment(lexer);
        else if (c == '#' && lexer->at == lexer->line_start)
            to_line_end(lexer);
        else
            return;
        if (lexer->at >= lexer->end) return;
    }
}

static int hex_value(char c)
{
    if (is_digit(c)) return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void lex_exact_float(struct token *token, const char *digits, unsigned count)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < count; i++) {
        int value = hex_value(digits[i]);
        if (value < 0) {
            token->kind = TOKEN_BAD;
            return;
        }
        bits = bits << 4 | (uint64_t)value;
    }
    token->kind = follows(digits[count]) ? TOKEN_BAD : TOKEN_FLOAT;
    token->float_bits = (uint8_t)(count * 4);
    token->value.integer = bits;
    token->length = count + 2;
}

static void lex_decimal_float(struct token *token, const char *end)
{
    char digits[64];
    size_t length = (size_t)(end - token->start);
    token->length = (uint32_t)length;
    token->kind = TOKEN_BAD;
    if (length >= sizeof digits) return;
    memcpy(digits, token->start, length);
    digits[length] = '\0';
    char *stop;
    token->value.real = strtod(digits, &stop);
    if (*stop == '\0') token->kind = TOKEN_FLOAT;
}

static void lex_integer(struct token *token)
{
    const char *at = token->start;
    unsigned base = 10;
    if (at[0] == '0' && (at[1] | 0x20) == 'x')
        base = 16, at += 2;
    else if (at[0] == '0' && (at[1] | 0x20) == 'b')
        base = 2, at += 2;
    else if (at[0] == '0')
        base = 8;
    uint64_t value = 0;
    const char *first = at;
    bool overflow = false;
    for (;; at++) {
        int digit = hex_value(*at);
        if (digit < 0 || (unsigned)digit >= base) break;
        overflow |= __builtin_mul_overflow(value, base, &value);
        overflow |= __builtin_add_overflow(value, (uint64_t)digit, &value);
    }
    token->is_unsigned = value > INT64_MAX;
    bool empty = at == first;
    if (*at == 'U' || *at == 'u') token->is_unsigned = true, at++;
    token->kind = empty || overflow || follows(*at) ? TOKEN_BAD : TOKEN_INTEGER;
    while (follows(*at))
        at++;
    token->length = (uint32_t)(at - token->start);
    token->value.integer = value;
}

static void lex_number(struct token *token)
{
    const char *at = token->start;
    char second = (char)(at[1] | 0x20);
    if (at[0] == '0' && second == 'f') {
        lex_exact_float(token, at + 2, 8);
        return;
    }
    if (at[0] == '0' && second == 'd') {
        lex_exact_float(token, at + 2, 16);
        return;
    }
    if (at[0] == '0' && (second == 'x' || second == 'b')) {
        lex_integer(token);
        return;
    }
    while (is_digit(*at))
        at++;
    bool is_real = *at == '.' || (*at | 0x20) == 'e';
    if (!is_real) {
        lex_integer(token);
        return;
    }
    if (*at == '.') at++;
    while (is_digit(*at))
        at++;
    if ((*at | 0x20) == 'e') {
        at++;
        if (*at == '+' || *at == '-') at++;
        while (is_digit(*at))
            at++;
    }
    lex_decimal_float(token, at);
}

static const char *suffix_end(const char *at)
{
    while (follows(*at) || (at[0] == ':' && at[1] == ':' && follows(at[2])))
        at += *at == ':' ? 2 : 1;
    return at;
}

/* Special registers carry their component: %tid.x is one name. */
static const char *name_end(const char *start)
{
    const char *at = start + 1;
    while (follows(*at))
        at++;
    bool has_component = *start == '%' && at[0] == '.' && at[1] >= 'w' && at[1] <= 'z' &&
                         !follows(at[2]) && at[2] != '.' && at[2] != ':';
    return has_component ? at + 2 : at;
}

static void lex_string(struct lexer *lexer, struct token *token)
{
    const char *at = token->start + 1;
    while (at < lexer->end && *at != '"' && *at != '\n')
        at += at[0] == '\\' && at[1] != '\n' && at + 1 < lexer->end ? 2 : 1;
    bool closed = at < lexer->end && *at == '"';
    token->kind = closed ? TOKEN_STRING : TOKEN_BAD;
    token->length = (uint32_t)(at - token->start + (closed ? 1 : 0));
}

static void lex_punct(struct token *token)
{
    const char *at = token->start;
    char c = *at;
    token->kind = c && strchr("{}()[],;:@!|<>=+-*/%&^~?", c) ? TOKEN_PUNCT : TOKEN_BAD;
    token->punct = c;
    token->length = 1;
    bool doubled = (strchr("&|=<>", c) && at[1] == c) || (strchr("!<>", c) && at[1] == '=');
    if (!c || !doubled) return;
    token->length = 2;
    /* <= and >= need codes that differ from << and >> */
    token->punct = at[1] != '=' || c == '=' ? PUNCT_DOUBLE(c)
                   : c == '!'               ? PUNCT_DOUBLE('!')
                   : c == '<'               ? PUNCT_DOUBLE('l')
                                            : PUNCT_DOUBLE('g');
}

void lexer_next(struct lexer *lexer)
{
    skip_blanks(lexer);
    struct token *token = &lexer->token;
    const char *start = lexer->at;
    *token = (struct token){
        .start = start, .line = lexer->line, .column = (uint32_t)(start - lexer->line_start) + 1};
    if (start >= lexer->end) return;
    char c = *start;
    unsigned kind = class_of(c);
    if (kind & IS_START && (c != '%' || follows(start[1]))) {
        token->kind = TOKEN_NAME;
        token->length = (uint32_t)(name_end(start) - start);
    } else if (kind & IS_DIGIT) {
        lex_number(token);
    } else if (c == '.' && follows(start[1])) {
        token->kind = TOKEN_DIRECTIVE;
        token->length = (uint32_t)(suffix_end(start + 1) - start);
    } else if (c == '"') {
        lex_string(lexer, token);
    } else {
        lex_punct(token);
    }
    if (token->length == 0) token->length = 1;
    lexer->at = start + token->length;
}

void lexer_take_mnemonic(struct lexer *lexer)
{
    const char *at = lexer->at;
    while (at[0] == '.' && follows(at[1]))
        at = suffix_end(at + 1);
    lexer->at = at;
    lexer->token.length = (uint32_t)(at - lexer->token.start);
}

bool lexer_followed_by(const struct lexer *lexer, char c)
{
    const char *at = lexer->at;
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')
        at++;
    return at[0] == c && at[1] != c;
}

void lexer_skip_line(struct lexer *lexer)
{
    lexer->at = lexer->token.start;
    to_line_end(lexer);
    lexer_next(lexer);
}

// SPDX-License-Identifier: Apache-2.0
/* PTX text as tokens, one at a time. Tokens point into the text. */
#ifndef DECODE_LEXER_H
#define DECODE_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,      /* add  %r7  $L__BB0_1  %tid.x */
    TOKEN_DIRECTIVE, /* .reg  .b32  .param::entry */
    TOKEN_INTEGER,
    TOKEN_FLOAT,
    TOKEN_STRING, /* with its quotes */
    TOKEN_PUNCT,  /* one character, or && || == != <= >= << >> */
    TOKEN_BAD,    /* no token begins here */
};

struct token {
    uint8_t kind;
    char punct;         /* TOKEN_PUNCT; a double one is its first character + 128 */
    bool is_unsigned;   /* TOKEN_INTEGER with U, or beyond the range of .s64 */
    uint8_t float_bits; /* TOKEN_FLOAT: 32 for 0f…, 64 for 0d…, 0 for decimals */
    uint32_t length, line, column;
    const char *start;
    union {
        uint64_t integer;
        double real; /* decimals; exact bits of 0f and 0d are in `integer` */
    } value;
};

struct lexer {
    const char *at, *end, *line_start;
    uint32_t line;
    struct token token; /* the current one */
};

#define PUNCT_DOUBLE(c) ((char)((c) | 0x80))

void lexer_init(struct lexer *lexer, const char *text, size_t size);
/* Moves to the next token. */
void lexer_next(struct lexer *lexer);
/* Extends the current name by the dotted suffixes that follow it: `ld` to `ld.global.f32`. */
void lexer_take_mnemonic(struct lexer *lexer);
/* True if the text after the current token goes on with `c` but not with two of it. */
bool lexer_followed_by(const struct lexer *lexer, char c);
/* Continues at the next line. */
void lexer_skip_line(struct lexer *lexer);

#endif

// SPDX-License-Identifier: Apache-2.0
/* Constant expressions (PTX ISA 4.5): 64-bit integers, signed or unsigned, and floats. */
#include <string.h>

#include "base/half.h"
#include "decode/parser.h"

static ws_status parse_ternary(struct parser *parser, struct constant *out);

static struct constant of_signed(int64_t value)
{
    return (struct constant){.kind = CONSTANT_SIGNED, .integer = (uint64_t)value};
}

/* The value of a float constant whatever its spelling. */
static double as_double(const struct constant *constant)
{
    if (constant->kind == CONSTANT_SIGNED) return (double)(int64_t)constant->integer;
    if (constant->kind == CONSTANT_UNSIGNED) return (double)constant->integer;
    if (constant->float_bits == 32) {
        uint32_t bits = (uint32_t)constant->integer;
        float value;
        memcpy(&value, &bits, sizeof value);
        return (double)value;
    }
    if (constant->float_bits == 64) {
        double value;
        memcpy(&value, &constant->integer, sizeof value);
        return value;
    }
    return constant->real;
}

static bool is_true(const struct constant *constant)
{
    return constant->kind == CONSTANT_FLOAT ? as_double(constant) != 0.0 : constant->integer != 0;
}

static ws_status parse_nested(struct parser *parser, struct constant *out)
{
    struct token open = *current(parser);
    if (parser->nesting >= NESTING_MAX)
        return parser_error(parser, WS_ERR_INPUT, &open,
                            "expression nested too deeply: at most %d levels", NESTING_MAX);
    advance(parser);
    parser->nesting++;
    TRY(parse_ternary(parser, out));
    parser->nesting--;
    return parser_expect(parser, ')', "to close the expression");
}

/* (.s64) or (.u64) in front of a value. */
static ws_status parse_cast(struct parser *parser, bool *is_cast, uint8_t *kind)
{
    struct lexer before = parser->lexer;
    *is_cast = false;
    if (!at_punct(parser, '(')) return WS_OK;
    advance(parser);
    bool to_signed = parser_at_directive(parser, ".s64");
    if (!to_signed && !parser_at_directive(parser, ".u64")) {
        parser->lexer = before;
        return WS_OK;
    }
    advance(parser);
    *is_cast = true;
    *kind = to_signed ? CONSTANT_SIGNED : CONSTANT_UNSIGNED;
    return parser_expect(parser, ')', "after the type of the cast");
}

static ws_status parse_primary(struct parser *parser, struct constant *out)
{
    struct token token = *current(parser);
    if (at_punct(parser, '(')) return parse_nested(parser, out);
    switch (token.kind) {
    case TOKEN_INTEGER:
        *out = (struct constant){.kind = token.is_unsigned ? CONSTANT_UNSIGNED : CONSTANT_SIGNED,
                                 .integer = token.value.integer};
        break;
    case TOKEN_FLOAT:
        *out = (struct constant){.kind = CONSTANT_FLOAT, .float_bits = token.float_bits};
        if (token.float_bits)
            out->integer = token.value.integer;
        else
            out->real = token.value.real;
        break;
    default:
        if (token.kind == TOKEN_NAME && token.length == 7 && !memcmp(token.start, "WARP_SZ", 7)) {
            *out = of_signed(32);
            break;
        }
        return parser_error(parser, WS_ERR_INPUT, &token, "expected a constant, found %s",
                            parser_token_text(parser, &token));
    }
    advance(parser);
    return WS_OK;
}

static ws_status apply_unary(struct parser *parser, const struct token *at, char op,
                             struct constant *value)
{
    if (value->kind == CONSTANT_FLOAT && op == '-') {
        if (value->float_bits)
            value->integer ^= UINT64_C(1) << (value->float_bits - 1);
        else
            value->real = -value->real;
        return WS_OK;
    }
    if (op == '!') {
        *value = of_signed(!is_true(value));
        return WS_OK;
    }
    if (value->kind == CONSTANT_FLOAT && op == '~')
        return parser_error(parser, WS_ERR_INPUT, at, "'~' requires an integer");
    if (op == '-') value->integer = 0 - value->integer;
    if (op == '~') value->integer = ~value->integer;
    return WS_OK;
}

static ws_status parse_unary(struct parser *parser, struct constant *out)
{
    enum { SIGNS_MAX = 16 };
    struct token signs[SIGNS_MAX];
    unsigned count = 0;
    bool is_cast;
    uint8_t kind = 0;
    while (at_punct(parser, '-') || at_punct(parser, '+') || at_punct(parser, '!') ||
           at_punct(parser, '~')) {
        if (count == SIGNS_MAX)
            return parser_error(parser, WS_ERR_INPUT, current(parser), "too many signs in a row");
        signs[count++] = *current(parser);
        advance(parser);
    }
    TRY(parse_cast(parser, &is_cast, &kind));
    TRY(parse_primary(parser, out));
    if (is_cast && out->kind == CONSTANT_FLOAT)
        return parser_error(parser, WS_ERR_INPUT, current(parser),
                            "a cast to an integer type requires an integer");
    if (is_cast) out->kind = kind;
    while (count > 0) {
        count--;
        TRY(apply_unary(parser, &signs[count], signs[count].punct, out));
    }
    return WS_OK;
}

enum { LE = (char)('l' | 0x80), GE = (char)('g' | 0x80) };

/* Precedence as in C; 0: no binary operator. */
static unsigned precedence(const struct token *token)
{
    if (token->kind != TOKEN_PUNCT) return 0;
    switch (token->punct) {
    case PUNCT_DOUBLE('|'):
        return 1;
    case PUNCT_DOUBLE('&'):
        return 2;
    case '|':
        return 3;
    case '^':
        return 4;
    case '&':
        return 5;
    case PUNCT_DOUBLE('='):
    case PUNCT_DOUBLE('!'):
        return 6;
    case '<':
    case '>':
    case LE:
    case GE:
        return 7;
    case PUNCT_DOUBLE('<'):
    case PUNCT_DOUBLE('>'):
        return 8;
    case '+':
    case '-':
        return 9;
    case '*':
    case '/':
    case '%':
        return 10;
    default:
        return 0;
    }
}

static bool apply_float(char op, double a, double b, struct constant *out)
{
    double result;
    switch (op) {
    case '+':
        result = a + b;
        break;
    case '-':
        result = a - b;
        break;
    case '*':
        result = a * b;
        break;
    case '/':
        result = a / b;
        break;
    case '<':
        *out = of_signed(a < b);
        return true;
    case '>':
        *out = of_signed(a > b);
        return true;
    case LE:
        *out = of_signed(a <= b);
        return true;
    case GE:
        *out = of_signed(a >= b);
        return true;
    case PUNCT_DOUBLE('='):
        *out = of_signed(a == b);
        return true;
    case PUNCT_DOUBLE('!'):
        *out = of_signed(a != b);
        return true;
    default:
        return false;
    }
    *out = (struct constant){.kind = CONSTANT_FLOAT, .real = result};
    return true;
}

static uint64_t divide(char op, uint64_t a, uint64_t b, bool is_signed)
{
    if (!is_signed) return op == '/' ? a / b : a % b;
    if (b == UINT64_MAX) return op == '/' ? 0 - a : 0; /* INT64_MIN / -1 would trap */
    return (uint64_t)(op == '/' ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
}

static bool compare(char op, uint64_t a, uint64_t b, bool is_signed)
{
    bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;
    switch (op) {
    case '<':
        return less;
    case '>':
        return !less && a != b;
    case LE:
        return less || a == b;
    case GE:
        return !less;
    case PUNCT_DOUBLE('='):
        return a == b;
    default:
        return a != b;
    }
}

static uint64_t shift(char op, uint64_t a, uint64_t b, bool is_signed)
{
    if (b > 63) b = 63;
    if (op == PUNCT_DOUBLE('<')) return a << b;
    return is_signed ? (uint64_t)((int64_t)a >> b) : a >> b;
}

static ws_status apply_binary(struct parser *parser, const struct token *op, struct constant *a,
                              const struct constant *b)
{
    char c = op->punct;
    if (c == PUNCT_DOUBLE('|') || c == PUNCT_DOUBLE('&')) {
        bool both = is_true(a) && is_true(b), any = is_true(a) || is_true(b);
        *a = of_signed(c == PUNCT_DOUBLE('|') ? any : both);
        return WS_OK;
    }
    if (a->kind == CONSTANT_FLOAT || b->kind == CONSTANT_FLOAT) {
        if (apply_float(c, as_double(a), as_double(b), a)) return WS_OK;
        return parser_error(parser, WS_ERR_INPUT, op, "this operator requires integers");
    }
    bool is_signed =
        a->kind == CONSTANT_SIGNED && (b->kind == CONSTANT_SIGNED || precedence(op) == 8);
    uint64_t x = a->integer, y = b->integer;
    if ((c == '/' || c == '%') && y == 0)
        return parser_error(parser, WS_ERR_INPUT, op, "division by zero in a constant");
    if (precedence(op) == 6 || precedence(op) == 7) {
        *a = of_signed(compare(c, x, y, is_signed));
        return WS_OK;
    }
    switch (c) {
    case '|':
        x |= y;
        break;
    case '^':
        x ^= y;
        break;
    case '&':
        x &= y;
        break;
    case '+':
        x += y;
        break;
    case '-':
        x -= y;
        break;
    case '*':
        x *= y;
        break;
    case '/':
    case '%':
        x = divide(c, x, y, is_signed);
        break;
    default:
        x = shift(c, x, y, is_signed);
        break;
    }
    *a = (struct constant){.kind = is_signed ? CONSTANT_SIGNED : CONSTANT_UNSIGNED, .integer = x};
    return WS_OK;
}

static ws_status parse_binary(struct parser *parser, unsigned least, struct constant *out)
{
    TRY(parse_unary(parser, out));
    for (;;) {
        struct token op = *current(parser);
        unsigned level = precedence(&op);
        if (level < least || level == 0) return WS_OK;
        advance(parser);
        struct constant right;
        TRY(parse_binary(parser, level + 1, &right));
        TRY(apply_binary(parser, &op, out, &right));
    }
}

static ws_status parse_ternary(struct parser *parser, struct constant *out)
{
    TRY(parse_binary(parser, 1, out));
    if (!at_punct(parser, '?')) return WS_OK;
    struct constant yes, no;
    if (parser->nesting >= NESTING_MAX)
        return parser_error(parser, WS_ERR_INPUT, current(parser),
                            "expression nested too deeply: at most %d levels", NESTING_MAX);
    advance(parser);
    parser->nesting++;
    TRY(parse_ternary(parser, &yes));
    TRY(parser_expect(parser, ':', "between the two values of '?'"));
    TRY(parse_ternary(parser, &no));
    parser->nesting--;
    *out = is_true(out) ? yes : no;
    return WS_OK;
}

ws_status parse_constant(struct parser *parser, struct constant *out)
{
    return parse_ternary(parser, out);
}

ws_status parse_count(struct parser *parser, const char *what, uint64_t most, uint64_t *out)
{
    struct token token = *current(parser);
    struct constant constant;
    TRY(parse_constant(parser, &constant));
    bool negative = constant.kind == CONSTANT_SIGNED && (int64_t)constant.integer < 0;
    if (constant.kind == CONSTANT_FLOAT || negative || constant.integer > most)
        return parser_error(parser, WS_ERR_INPUT, &token, "%s must be an integer from 0 to %llu",
                            what, (unsigned long long)most);
    *out = constant.integer;
    return WS_OK;
}

static uint64_t float_to_bits(const struct constant *constant, unsigned bits)
{
    if (constant->float_bits == bits) return constant->integer;
    double value = as_double(constant);
    if (bits == 64) {
        uint64_t wide;
        memcpy(&wide, &value, sizeof wide);
        return wide;
    }
    float single = (float)value;
    uint32_t narrow;
    memcpy(&narrow, &single, sizeof narrow);
    return bits == 16 ? half_from_float(single, 0) : narrow;
}

uint64_t constant_to_bits(const struct constant *constant, enum ptx_type type)
{
    const struct type_info *info = &type_infos[type];
    if (info->kind == KIND_PRED) return is_true(constant) ? UINT64_MAX : 0;
    if (constant->kind == CONSTANT_FLOAT) return float_to_bits(constant, info->bits);
    if (info->kind == KIND_FLOAT) { /* only in initialisers: .f32 x = 1 */
        struct constant real = {.kind = CONSTANT_FLOAT, .real = as_double(constant)};
        return float_to_bits(&real, info->bits);
    }
    if (info->bits >= 64) return constant->integer;
    unsigned unused = 64u - info->bits;
    return (uint64_t)((int64_t)(constant->integer << unused) >> unused);
}

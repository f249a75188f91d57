// SPDX-License-Identifier: Apache-2.0
/* Matrix instructions: wmma, mma, ldmatrix. Their suffixes have an order of their own:
 *
 *     wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {..}, [p], stride
 *     wmma.store.d.sync.aligned.row.m16n16k16.f32 [p], {..}, stride
 *     wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {d}, {a}, {b}, {c}     f16: types of d and c
 *     mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d}, {a}, {b}, {c}
 *     ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {..}, [p]
 *
 * Where each lane's elements lie is told in emulate/sem_matrix.h. A form that is PTX, but not executed
 * here (sparse, scaled, of less than 8 bits, Volta's m8n8k4), is refused where it is reached. */
#include <string.h>

#include "decode/parser.h"

enum { WORDS_MAX = 16, WORD_MAX = 24, TYPES_MAX = 4 };

/* The suffixes of one mnemonic. */
struct words {
    char items[WORDS_MAX][WORD_MAX];
    unsigned count, at;
};

static bool split_words(const struct token *token, struct words *out)
{
    const char *at = token->start, *end = token->start + token->length;
    *out = (struct words){0};
    while (at < end) {
        const char *dot = memchr(at, '.', (size_t)(end - at));
        size_t length = (size_t)((dot ? dot : end) - at);
        if (out->count == WORDS_MAX || length >= WORD_MAX) return false;
        memcpy(out->items[out->count++], at, length);
        at = dot ? dot + 1 : end;
    }
    return true;
}

static const char *word(const struct words *words)
{
    return words->at < words->count ? words->items[words->at] : "";
}

static bool take(struct words *words, const char *text)
{
    if (strcmp(word(words), text) != 0) return false;
    words->at++;
    return true;
}

/* row or col */
static bool take_layout(struct words *words, bool *out_columns)
{
    *out_columns = take(words, "col");
    return *out_columns || take(words, "row");
}

static unsigned take_number(const char **at, char letter)
{
    unsigned value = 0;
    if (**at != letter) return 0;
    for (++*at; **at >= '0' && **at <= '9' && value < 1000; ++*at)
        value = value * 10 + (unsigned)(**at - '0');
    return value;
}

/* m16n8k16; of ldmatrix without k */
static bool take_shape(struct words *words, struct matrix_form *form)
{
    const char *at = word(words);
    unsigned m = take_number(&at, 'm'), n = take_number(&at, 'n'), k = take_number(&at, 'k');
    if (*at || !m || !n || m > 64 || n > 64 || k > 256) return false;
    form->m = (uint8_t)m;
    form->n = (uint8_t)n;
    form->k = (uint8_t)k;
    words->at++;
    return true;
}

static enum mem_space take_space(struct words *words)
{
    if (take(words, "global")) return SPACE_GLOBAL;
    return take(words, "shared") || take(words, "shared::cta") ? SPACE_SHARED : SPACE_GENERIC;
}

static unsigned take_types(struct words *words, enum ptx_type types[TYPES_MAX])
{
    unsigned count = 0;
    while (count < TYPES_MAX) {
        unsigned type = TYPE_NONE + 1;
        while (type < TYPE_COUNT && strcmp(type_infos[type].suffix, word(words)) != 0)
            type++;
        if (type == TYPE_COUNT) break;
        types[count++] = (enum ptx_type)type;
        words->at++;
    }
    return count;
}

/* ---- what is executed ------------------------------------------------------------------------ */

static bool is_byte(unsigned type)
{
    return type == TYPE_S8 || type == TYPE_U8;
}

/* The type of the sums that go with factors of these types. */
static bool types_fit(const struct matrix_form *form)
{
    unsigned a = form->types[MATRIX_A], b = form->types[MATRIX_B];
    unsigned c = form->types[MATRIX_C], d = form->types[MATRIX_D];
    if (is_byte(a) && is_byte(b)) return c == TYPE_S32 && d == TYPE_S32;
    if (a != b) return false;
    if (a == TYPE_F16) return (c == TYPE_F16 || c == TYPE_F32) && (d == TYPE_F16 || d == TYPE_F32);
    if (a == TYPE_BF16 || a == TYPE_TF32) return c == TYPE_F32 && d == TYPE_F32;
    return a == TYPE_F64 && c == TYPE_F64 && d == TYPE_F64;
}

static bool is_element(unsigned role, unsigned type)
{
    bool sums = role >= MATRIX_C;
    if (type == TYPE_F16 || type == TYPE_F64) return true;
    return sums ? type == TYPE_F32 || type == TYPE_S32
                : is_byte(type) || type == TYPE_BF16 || type == TYPE_TF32;
}

/* Tiles of 8 rows, 8 columns and four registers' elements in depth fill the shape. */
static bool shape_fits(const struct matrix_form *form, unsigned factor)
{
    unsigned depth = 4 * matrix_elements(factor);
    return form->m % 8 == 0 && form->n % 8 == 0 && form->k && form->k % depth == 0 &&
           form->m * form->n <= MATRIX_ELEMENTS_MAX && form->m * form->k <= MATRIX_ELEMENTS_MAX &&
           form->n * form->k <= MATRIX_ELEMENTS_MAX;
}

/* ---- mnemonics ------------------------------------------------------------------------------- */

static bool read_access(struct words *words, struct insn *insn, struct matrix_form *form)
{
    enum ptx_type types[TYPES_MAX];
    bool stores = insn->op == OP_WMMA_STORE;
    form->role = take(words, "a") ? MATRIX_A : take(words, "b") ? MATRIX_B : MATRIX_C;
    if (form->role == MATRIX_C && !take(words, stores ? "d" : "c")) return false;
    if (stores && form->role != MATRIX_C) return false;
    if (!take(words, "sync") || !take(words, "aligned") || !take_layout(words, &form->columns) ||
        !take_shape(words, form))
        return false;
    insn->space = (uint8_t)take_space(words);
    if (take_types(words, types) != 1 || !is_element(form->role, types[0])) return false;
    insn->type = (uint8_t)types[0];
    form->types[form->role] = (uint8_t)types[0];
    /* The depth of sums does not matter; that of factors must be whole. */
    return form->role == MATRIX_C ? form->m % 8 == 0 && form->n % 8 == 0
                                  : shape_fits(form, types[0]);
}

static bool read_multiply(struct words *words, struct insn *insn, struct matrix_form *form)
{
    enum ptx_type types[TYPES_MAX];
    bool ignored, is_wmma = insn->op == OP_WMMA_MMA;
    if (!take(words, "sync") || !take(words, "aligned")) return false;
    if (!is_wmma && !take_shape(words, form)) return false;
    if (!take_layout(words, &ignored) || !take_layout(words, &ignored)) return false;
    if (is_wmma && !take_shape(words, form)) return false;
    take(words, "rn");
    form->saturates = take(words, "satfinite");
    unsigned count = take_types(words, types);
    form->saturates = take(words, "satfinite") || form->saturates;
    take(words, "rn"); /* wmma has both behind the types */
    if (count != 4 && !(is_wmma && count == 2)) return false;
    form->types[MATRIX_D] = (uint8_t)types[0];
    form->types[MATRIX_A] = count == 4 ? (uint8_t)types[1] : TYPE_F16;
    form->types[MATRIX_B] = count == 4 ? (uint8_t)types[2] : TYPE_F16;
    form->types[MATRIX_C] = (uint8_t)types[count - 1];
    insn->type = form->types[MATRIX_D];
    return types_fit(form) && shape_fits(form, form->types[MATRIX_A]);
}

static bool read_rows(struct words *words, struct insn *insn, struct matrix_form *form)
{
    if (!take(words, "sync") || !take(words, "aligned") || !take_shape(words, form)) return false;
    insn->vector = take(words, "x1") ? 1 : take(words, "x2") ? 2 : take(words, "x4") ? 4 : 0;
    form->columns = take(words, "trans");
    insn->space = (uint8_t)take_space(words);
    insn->type = TYPE_B32;
    return insn->vector && form->m == 8 && form->n == 8 && !form->k && take(words, "b16") &&
           insn->space != SPACE_GLOBAL;
}

bool mnemonic_matrix(struct parser *parser, const struct token *token, struct insn *insn)
{
    struct words words;
    struct matrix_form *form = ARENA_ARRAY(parser->arena, struct matrix_form, 1);
    if (!split_words(token, &words)) return false;
    bool known = false, is_wmma = take(&words, "wmma");
    if (is_wmma && take(&words, "load")) {
        insn->op = OP_WMMA_LOAD;
        known = read_access(&words, insn, form);
    } else if (is_wmma && take(&words, "store")) {
        insn->op = OP_WMMA_STORE;
        known = read_access(&words, insn, form);
    } else if (take(&words, "mma")) {
        insn->op = is_wmma ? OP_WMMA_MMA : OP_MMA;
        known = read_multiply(&words, insn, form);
    } else if (take(&words, "ldmatrix")) {
        insn->op = OP_LDMATRIX;
        known = read_rows(&words, insn, form);
    }
    insn->matrix = form;
    insn->class_id = (uint8_t)insn_classify(insn);
    insn->units = insn_units(insn);
    return known && words.at == words.count;
}

/* ---- operands -------------------------------------------------------------------------------- */

/* {r0, r1, ..}: the first `most` become operands; wmma has more registers than f16 needs. */
static ws_status parse_fragment(struct parser *parser, struct insn *insn, bool is_dst,
                                unsigned element, unsigned most)
{
    enum ptx_type type = element == TYPE_F64 ? TYPE_B64 : TYPE_B32;
    struct token open = *current(parser);
    unsigned seen = 0;
    TRY(parser_expect(parser, '{', "before the registers of the fragment"));
    do {
        struct operand operand;
        TRY(parse_operand(parser, type, is_dst ? ACCEPT_DESTINATION : ACCEPT_REGISTER, &operand));
        if (seen++ < most)
            insn->operands[is_dst ? insn->ndst++ : insn->ndst + insn->nsrc++] = operand;
    } while (parser_take(parser, ','));
    if (seen < most)
        return parser_error(parser, WS_ERR_INPUT, &open,
                            "a fragment of '%s' has %u registers, not %u", insn->text, most, seen);
    return parser_expect(parser, '}', "after the registers of the fragment");
}

static ws_status parse_stride(struct parser *parser, struct insn *insn)
{
    const unsigned accept = ACCEPT_REGISTER | ACCEPT_IMMEDIATE;
    struct operand *stride = &insn->operands[insn->ndst + insn->nsrc++];
    if (parser_take(parser, ',')) return parse_operand(parser, TYPE_U32, accept, stride);
    const struct matrix_form *f = insn->matrix; /* as long as a row or column of the matrix */
    unsigned rows = f->role == MATRIX_B ? f->k : f->m, columns = f->role == MATRIX_A ? f->k : f->n;
    *stride = (struct operand){
        .kind = OPERAND_IMMEDIATE, .reg = -1, .symbol = -1, .imm = f->columns ? rows : columns};
    return WS_OK;
}

static ws_status parse_access(struct parser *parser, struct insn *insn)
{
    const struct matrix_form *form = insn->matrix;
    unsigned count = matrix_registers(form, form->role);
    if (insn->op == OP_WMMA_LOAD) {
        /* Registers beyond those needed repeat the first ones. */
        TRY(parse_fragment(parser, insn, true, insn->type, count));
        TRY(parser_expect(parser, ',', "between operands"));
        TRY(parse_address(parser, &insn->operands[insn->ndst + insn->nsrc++]));
    } else {
        TRY(parse_address(parser, &insn->operands[insn->nsrc++]));
        TRY(parser_expect(parser, ',', "between operands"));
        TRY(parse_fragment(parser, insn, false, insn->type, count));
    }
    return parse_stride(parser, insn);
}

ws_status parse_matrix(struct parser *parser, struct insn *insn)
{
    static const uint8_t order[] = {MATRIX_D, MATRIX_A, MATRIX_B, MATRIX_C};
    const struct matrix_form *form = insn->matrix;
    if (insn->op == OP_WMMA_LOAD || insn->op == OP_WMMA_STORE) return parse_access(parser, insn);
    if (insn->op == OP_LDMATRIX) {
        TRY(parse_fragment(parser, insn, true, TYPE_B32, insn->vector));
        TRY(parser_expect(parser, ',', "between operands"));
        return parse_address(parser, &insn->operands[insn->ndst + insn->nsrc++]);
    }
    for (unsigned k = 0; k < sizeof order; k++) {
        if (k) TRY(parser_expect(parser, ',', "between operands"));
        TRY(parse_fragment(parser, insn, !k, form->types[order[k]],
                           matrix_registers(form, order[k])));
    }
    return WS_OK;
}

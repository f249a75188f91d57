// SPDX-License-Identifier: Apache-2.0
/* Mnemonics of matrix instructions. Their suffixes have an order of their own:
 *
 *     wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {..}, [p], stride
 *     wmma.store.d.sync.aligned.row.m16n16k16.f32 [p], {..}, stride
 *     wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {d}, {a}, {b}, {c}     f16: types of d and c
 *     mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d}, {a}, {b}, {c}
 *     mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {d}, {a}, {b}, {c}, metadata, selector
 *     mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e2m1.f32.ue8m0
 *         {d}, {a}, {b}, {c}, scales of a, {byte, thread}, scales of b, {byte, thread}
 *     wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {d}, a, b, p, 1, 1, 0, 0
 *     ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {..}, [p]
 *
 * Where each lane's elements lie is told in emulate/matrix_layout.h. */
#include <string.h>

#include "decode/parse_matrix.h"

enum { WORDS_MAX = 20, WORD_MAX = 24, TYPES_MAX = 4 };

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
    if (*at || !m || !n) return false;
    form->m = (uint16_t)m;
    form->n = (uint16_t)n;
    form->k = (uint16_t)k;
    words->at++;
    return true;
}

static enum mem_space take_space(struct words *words)
{
    if (take(words, "global")) return SPACE_GLOBAL;
    return take(words, "shared") || take(words, "shared::cta") ? SPACE_SHARED : SPACE_GENERIC;
}

static unsigned take_types(struct words *words, unsigned most, enum ptx_type types[TYPES_MAX])
{
    unsigned count = 0;
    while (count < most) {
        unsigned type = TYPE_NONE + 1;
        while (type < TYPE_COUNT && strcmp(type_infos[type].suffix, word(words)) != 0)
            type++;
        if (type == TYPE_COUNT) break;
        types[count++] = (enum ptx_type)type;
        words->at++;
    }
    return count;
}

/* and.popc, xor.popc */
static void take_joining(struct words *words, struct matrix_form *form,
                         struct matrix_suffixes *with)
{
    bool joins = !strcmp(word(words), "and");
    if (!joins && strcmp(word(words), "xor") != 0) return;
    words->at++;
    form->joins = joins;
    with->joins = take(words, "popc");
}

/* ---- products -------------------------------------------------------------------------------- */

static void take_kind(struct words *words, struct matrix_form *form, struct matrix_suffixes *with)
{
    bool is_mxf8 = take(words, "kind::mxf8f6f4");
    bool is_f8 = !is_mxf8 && take(words, "kind::f8f6f4");
    bool is_mxf4 = take(words, "kind::mxf4");
    with->is_nvf4 = !is_mxf4 && take(words, "kind::mxf4nvf4");
    with->is_scaled = take(words, "block_scale");
    form->in_bytes = is_f8 || is_mxf8;
    if (take(words, "scale_vec::1X")) form->scales = 1;
    if (take(words, "scale_vec::2X")) form->scales = 2;
    if (take(words, "scale_vec::4X")) form->scales = 4;
    if (is_f8) with->family = form->is_sparse ? MATRIX_SP_F8F6F4 : MATRIX_KIND_F8F6F4;
    if (is_mxf8) with->family = form->is_sparse ? MATRIX_SP_MXF8F6F4 : MATRIX_KIND_MXF8F6F4;
    if (is_mxf4 || with->is_nvf4)
        with->family = form->is_sparse ? MATRIX_SP_MXF4 : MATRIX_KIND_MXF4;
    /* Of nvf4 the number of scales must be told. */
    if (with->is_scaled && !form->scales && !with->is_nvf4) form->scales = is_mxf8 ? 1 : 2;
}

/* d a b c; of wmma also d c, of halves; of wgmma d a b */
static bool read_types(struct words *words, struct matrix_form *form, bool is_wmma)
{
    enum ptx_type types[TYPES_MAX];
    unsigned expected = form->by_group ? 3 : 4, count = take_types(words, expected, types);
    bool is_short = is_wmma && count == 2;
    if (count != expected && !is_short) return false;
    form->types[MATRIX_D] = (uint8_t)types[0];
    form->types[MATRIX_A] = is_short ? TYPE_F16 : (uint8_t)types[1];
    form->types[MATRIX_B] = is_short ? TYPE_F16 : (uint8_t)types[2];
    form->types[MATRIX_C] = form->by_group ? (uint8_t)types[0] : (uint8_t)types[count - 1];
    return true;
}

static bool read_multiply(struct words *words, struct insn *insn, struct matrix_form *form,
                          struct matrix_suffixes *with)
{
    bool is_wmma = insn->op == OP_WMMA_MMA, *columns = form->columns_of;
    enum ptx_type scale[TYPES_MAX];
    with->family = is_wmma ? MATRIX_WMMA : MATRIX_MMA;
    if (is_wmma) take_joining(words, form, with);
    form->is_sparse = !is_wmma && (take(words, "sp") || take(words, "sp::ordered_metadata"));
    if (form->is_sparse) with->family = MATRIX_MMA_SP;
    if (!take(words, "sync") || !take(words, "aligned")) return false;
    if (!is_wmma && !take_shape(words, form)) return false;
    if (!take_layout(words, &columns[0]) || !take_layout(words, &columns[1])) return false;
    if (is_wmma && !take_shape(words, form)) return false;
    if (!is_wmma) take_kind(words, form, with);
    take(words, "rn");
    form->saturates = take(words, "satfinite");
    if (!read_types(words, form, is_wmma)) return false;
    form->saturates = take(words, "satfinite") || form->saturates;
    take(words, "rn"); /* wmma has both behind the types */
    if (!is_wmma) take_joining(words, form, with);
    if (take_types(words, 1, scale)) form->scale_type = (uint8_t)scale[0];
    insn->type = form->types[MATRIX_D];
    form->in_quads = with->family == MATRIX_MMA && form->m == 8 && form->k == 4 &&
                     form->types[MATRIX_A] == TYPE_F16;
    return true;
}

/* Each of the four warps has a quarter of the rows. */
static bool read_group(struct words *words, struct insn *insn, struct matrix_form *form,
                       struct matrix_suffixes *with)
{
    form->by_group = true;
    form->is_sparse = take(words, "sp");
    with->family = form->is_sparse ? MATRIX_WGMMA_SP : MATRIX_WGMMA;
    if (!take(words, "sync") || !take(words, "aligned") || !take_shape(words, form)) return false;
    form->saturates = take(words, "satfinite");
    if (!read_types(words, form, false)) return false;
    form->saturates = take(words, "satfinite") || form->saturates;
    take_joining(words, form, with);
    insn->type = form->types[MATRIX_D];
    return true;
}

/* ---- fragments in memory --------------------------------------------------------------------- */

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
    if (take_types(words, 1, types) != 1) return false;
    insn->type = (uint8_t)types[0];
    form->types[form->role] = (uint8_t)types[0];
    return true;
}

/* Elements of fewer than eight bits are stored along the depth only. */
static const char *access_fault(const struct matrix_form *form)
{
    if (!matrix_is_fragment(form)) return "illegal shape or type of the fragment";
    bool is_narrow = matrix_bits(form, form->role) < 8;
    if (is_narrow && form->columns != (form->role == MATRIX_B))
        return form->role == MATRIX_A ? "the layout must be .row" : "the layout must be .col";
    return NULL;
}

/* ldmatrix and stmatrix of 8 x 8 halves */
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

static bool read_transposition(struct words *words, struct insn *insn, struct matrix_form *form)
{
    insn->type = TYPE_B32;
    return take(words, "sync") && take(words, "aligned") && take_shape(words, form) &&
           take(words, "trans") && take(words, "b16") && form->m == 8 && form->n == 8 && !form->k;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool read_words(struct words *words, struct insn *insn, struct matrix_form *form,
                       const char **out_fault)
{
    struct matrix_suffixes with = {.family = MATRIX_MMA};
    bool known, multiplies = false;
    if (take(words, "wmma") && !take(words, "mma")) {
        insn->op = take(words, "load") ? OP_WMMA_LOAD : OP_WMMA_STORE;
        if (insn->op == OP_WMMA_STORE && !take(words, "store")) return false;
        known = read_access(words, insn, form);
        *out_fault = known ? access_fault(form) : NULL;
    } else if (words->at || take(words, "mma")) {
        insn->op = words->at == 2 ? OP_WMMA_MMA : OP_MMA;
        multiplies = known = read_multiply(words, insn, form, &with);
    } else if (take(words, "wgmma")) {
        insn->op = OP_WGMMA;
        multiplies = known = take(words, "mma_async") && read_group(words, insn, form, &with);
    } else if (take(words, "movmatrix")) {
        insn->op = OP_MOVMATRIX;
        known = read_transposition(words, insn, form);
    } else {
        insn->op = take(words, "stmatrix") ? OP_STMATRIX : OP_LDMATRIX;
        if (insn->op == OP_LDMATRIX) take(words, "ldmatrix");
        known = read_rows(words, insn, form);
    }
    known = known && words->at == words->count;
    if (known && multiplies) *out_fault = matrix_fault(form, &with);
    return known;
}

ws_status mnemonic_matrix(struct parser *parser, const struct token *token, struct insn *insn,
                          bool *out_known)
{
    struct words words;
    struct matrix_form *form = ARENA_ARRAY(parser->arena, struct matrix_form, 1);
    const char *fault = NULL;
    *out_known = split_words(token, &words) && read_words(&words, insn, form, &fault);
    if (*out_known && fault)
        return parser_error(parser, WS_ERR_INPUT, token, "%s: %s", parser_token_text(parser, token),
                            fault);
    if (form->by_group) form->m /= 4;
    insn->matrix = form;
    insn->class_id = (uint8_t)insn_classify(insn);
    insn->units = insn_units(insn);
    return WS_OK;
}

// SPDX-License-Identifier: Apache-2.0
/* Products of matrices by a warp: mma, wmma.mma, wgmma.mma_async (of four warps; each has 16 rows and works on its own).
 * Products and sums are exact or in double precision and are rounded once; the ISA leaves order and precision of
 * floating-point sums open, f64 is fused step by step. wgmma is done at once: waits for its groups are for the other warps of
 * the warpgroup (warpgroup.c). */
#ifndef EMULATE_SEM_PRODUCT_H
#define EMULATE_SEM_PRODUCT_H

#include "base/half.h"
#include "emulate/sem_double.h"
#include "emulate/sem_float.h"
#include "emulate/sem_matrix.h"

enum { STRIP = 8 }; /* columns of B that are worked on together */

/* A, row after row, and where each of its elements lies in depth; a strip of B, by depth; all sums. Of Volta's m8n8k4 four
 * matrices below each other. */
struct product {
    const struct matrix_form *form;
    double a[MATRIX_FACTOR_MAX];
    uint8_t depth[MATRIX_ROWS_MAX][MATRIX_DEPTH_MAX];
    double b[MATRIX_DEPTH_MAX * STRIP];
    double c[MATRIX_SUMS_MAX];
};

/* ---- numbers --------------------------------------------------------------------------------- */

/* Formats of 4 to 8 bits: bits of exponent and mantissa; those of fp8 have NaN. */
static inline double small_float(unsigned type, unsigned bits)
{
    unsigned e = type == TYPE_E5M2                         ? 5
                 : type == TYPE_E4M3 || type == TYPE_UE4M3 ? 4
                 : type == TYPE_E3M2                       ? 3
                                                           : 2;
    unsigned m = type == TYPE_E2M1 ? 1 : type == TYPE_E5M2 || type == TYPE_E3M2 ? 2 : 3;
    unsigned mantissa = bits & ((1u << m) - 1), exponent = bits >> m & ((1u << e) - 1);
    double sign = bits >> (e + m) & 1 ? -1 : 1;
    if (type == TYPE_E5M2 && exponent == 31) return mantissa ? (double)NAN : sign * INFINITY;
    if ((type == TYPE_E4M3 || type == TYPE_UE4M3) && (bits & 0x7f) == 0x7f) return (double)NAN;
    int bias = (1 << (e - 1)) - 1;
    unsigned whole = exponent ? 1u << m | mantissa : mantissa;
    return sign * ldexp(whole, (int)(exponent ? exponent : 1) - bias - (int)m);
}

static inline int sign_extended(uint64_t bits, unsigned width)
{
    int sign = 1 << (width - 1);
    return ((int)(bits & ((UINT64_C(1) << width) - 1)) ^ sign) - sign;
}

static inline double matrix_value(unsigned type, uint64_t bits)
{
    float single;
    double value;
    uint32_t word = (uint32_t)bits;
    switch (type) {
    case TYPE_F16:
        return half_to_float((uint16_t)bits);
    case TYPE_BF16:
        return bf16_to_float((uint16_t)bits);
    case TYPE_TF32:
        word &= UINT32_C(0xffffe000); /* the lower 13 bits are not read */
        memcpy(&single, &word, sizeof single);
        return single;
    case TYPE_F32:
        memcpy(&single, &word, sizeof single);
        return single;
    case TYPE_B1:
        return word & 1;
    case TYPE_S4:
        return sign_extended(bits, 4);
    case TYPE_U4:
        return word & 15;
    case TYPE_S8:
        return (int8_t)bits;
    case TYPE_U8:
        return (uint8_t)bits;
    case TYPE_S32:
        return (int32_t)word;
    case TYPE_F64:
        memcpy(&value, &bits, sizeof value);
        return value;
    default:
        return small_float(type, (unsigned)bits & 0xff);
    }
}

/* An element of a factor as its register or memory has it. Of .kind::f8f6f4 an e2m1 lies in bits 2 to 5 of its byte. */
static inline double factor_value(const struct matrix_form *form, unsigned role, uint64_t bits)
{
    bool is_shifted = form->in_bytes && form->types[role] == TYPE_E2M1;
    double value = matrix_value(form->types[role], is_shifted ? bits >> 2 : bits);
    return form->is_negated[role] ? -value : value;
}

static inline uint64_t matrix_result(const struct matrix_form *form, double value)
{
    float single = canon((float)value);
    uint32_t word;
    uint64_t bits;
    switch (form->types[MATRIX_D]) {
    case TYPE_F16:
        return half_from_float(single, 0);
    case TYPE_F32:
        memcpy(&word, &single, sizeof word);
        return word;
    case TYPE_S32:
        if (form->saturates)
            value = value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value;
        return (uint32_t)(int64_t)value;
    default:
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
}

/* ---- registers ------------------------------------------------------------------------------- */

/* Of native code a pair of registers has 64 bits. */
static bool has_pairs(const struct uop *u)
{
    return u->insn->operands[0].width == WIDTH_PAIR;
}

static uint64_t register_of(const struct exec *x, const struct uop *u, operand_ref ref,
                            unsigned type, unsigned lane)
{
    const uint32_t *words = PLACE(ref);
    if (has_pairs(u)) return words[lane] | (uint64_t)words[WARP_LANES + lane] << 32;
    if (type == TYPE_F64) return ((const uint64_t *)PLACE(ref))[lane];
    return ((const uint32_t *)PLACE(ref))[lane];
}

/* Which of Volta's four products a lane works on. */
static inline unsigned product_of(const struct matrix_form *form, unsigned lane)
{
    return form->in_quads ? lane % 16 / 4 : 0;
}

static void read_a(const struct exec *x, const struct uop *u, const operand_ref *refs,
                   struct product *p)
{
    const struct matrix_form *form = p->form;
    unsigned bits = matrix_bits(form, MATRIX_A), stored = matrix_stored(form);
    for (unsigned reg = 0; reg < matrix_registers(form, MATRIX_A); reg++)
        for (unsigned part = 0; part < matrix_elements(form, MATRIX_A); part++) {
            struct element origin = matrix_element(form, MATRIX_A, reg, part, 0);
            LANES
            {
                struct element e = matrix_beside(form, MATRIX_A, origin, reg, part, i);
                uint64_t word = register_of(x, u, refs[reg], form->types[MATRIX_A], i);
                unsigned row = product_of(form, i) * form->m + e.row;
                p->a[row * stored + e.column] = factor_value(form, MATRIX_A, word >> (part * bits));
            }
        }
}

/* Columns from `first` on, and, of Volta's, those of product `which`. */
static void read_b(const struct exec *x, const struct uop *u, const operand_ref *refs,
                   struct product *p, unsigned first, unsigned which)
{
    const struct matrix_form *form = p->form;
    unsigned bits = matrix_bits(form, MATRIX_B), count = matrix_registers(form, MATRIX_B);
    unsigned per_strip = count / (form->n / STRIP), from = first / STRIP * per_strip;
    for (unsigned reg = from; reg < from + per_strip; reg++)
        for (unsigned part = 0; part < matrix_elements(form, MATRIX_B); part++) {
            struct element origin = matrix_element(form, MATRIX_B, reg, part, 0);
            LANES
            {
                struct element e = matrix_beside(form, MATRIX_B, origin, reg, part, i);
                uint64_t word = register_of(x, u, refs[reg], form->types[MATRIX_B], i);
                if (product_of(form, i) != which) continue;
                p->b[e.row * STRIP + e.column - first] =
                    factor_value(form, MATRIX_B, word >> (part * bits));
            }
        }
}

static void read_c(const struct exec *x, const struct uop *u, const operand_ref *refs,
                   struct product *p)
{
    const struct matrix_form *form = p->form;
    unsigned type = form->types[MATRIX_C], bits = matrix_bits(form, MATRIX_C);
    for (unsigned reg = 0; reg < matrix_registers(form, MATRIX_C); reg++)
        for (unsigned part = 0; part < matrix_elements(form, MATRIX_C); part++) {
            struct element origin = matrix_element(form, MATRIX_C, reg, part, 0);
            LANES
            {
                struct element e = matrix_beside(form, MATRIX_C, origin, reg, part, i);
                uint64_t word = register_of(x, u, refs[reg], type, i);
                unsigned row = product_of(form, i) * form->m + e.row;
                p->c[row * form->n + e.column] =
                    matrix_value(type, bits < 32 ? word >> (part * bits) : word);
            }
        }
}

static void write_lane(const struct uop *u, void *to, uint64_t word, unsigned lane)
{
    if (has_pairs(u)) {
        ((uint32_t *)to)[lane] = (uint32_t)word;
        ((uint32_t *)to)[WARP_LANES + lane] = (uint32_t)(word >> 32);
    } else if (u->insn->type == TYPE_F64)
        ((uint64_t *)to)[lane] = word;
    else
        ((uint32_t *)to)[lane] = (uint32_t)word;
}

static void write_d(struct exec *x, const struct uop *u, const struct product *p)
{
    const struct matrix_form *form = p->form;
    unsigned per = matrix_elements(form, MATRIX_D), bits = matrix_bits(form, MATRIX_D);
    for (unsigned reg = 0; reg < u->insn->ndst; reg++) {
        uint64_t words[WARP_LANES] = {0};
        if (u->elements[reg] == REF_NONE) continue;
        for (unsigned part = 0; part < per; part++) {
            struct element origin = matrix_element(form, MATRIX_D, reg, part, 0);
            LANES
            {
                struct element e = matrix_beside(form, MATRIX_D, origin, reg, part, i);
                unsigned row = product_of(form, i) * form->m + e.row;
                words[i] |= matrix_result(form, p->c[row * form->n + e.column]) << (part * bits);
            }
        }
        void *to = PLACE(u->elements[reg]);
        LANES if ((x->mask >> i) & 1) write_lane(u, to, words[i], i);
    }
}

/* ---- where elements of A lie in depth, and scales -------------------------------------------- */

static void set_depths(const struct exec *x, const operand_ref *metadata, struct product *p)
{
    const struct matrix_form *form = p->form;
    for (unsigned row = 0; row < form->m; row++) {
        uint64_t bits = form->is_sparse ? matrix_metadata(form, PLACE(*metadata), row) : 0;
        for (unsigned s = 0; s < matrix_stored(form); s++)
            p->depth[row][s] = (uint8_t)(form->is_sparse ? matrix_place(form, bits, s) : s);
    }
}

/* A number of 16 bits: the same in all lanes, that of lane 0. */
static unsigned selector_of(const struct exec *x, const struct uop *u, unsigned source,
                            const operand_ref *ref)
{
    const struct operand *operand = insn_source(u->insn, source);
    if (operand->kind == OPERAND_IMMEDIATE) return (unsigned)operand->imm;
    return *(const uint16_t *)PLACE(*ref);
}

static double scale_value(const struct matrix_form *form, unsigned bits)
{
    if (form->scale_type == TYPE_UE4M3) return small_float(TYPE_UE4M3, bits & 0x7f);
    return bits == 0xff ? (double)NAN : ldexp(1, (int)bits - 127);
}

/* Scales of a line: of a row of A in one of two lanes of four, those of the rows 8 below in the other; of a column of B in
 * one of four lanes. `refs`: register, byte, thread; `source`: which source the first is. */
static void read_scales(const struct exec *x, const struct uop *u, unsigned role, unsigned source,
                        double out[][4])
{
    const struct matrix_form *form = u->insn->matrix;
    const operand_ref *refs = u->elements + u->insn->ndst + source;
    unsigned byte = selector_of(x, u, source + 1, &refs[1]) & 3;
    unsigned thread = selector_of(x, u, source + 2, &refs[2]) & 3;
    const uint32_t *words = PLACE(refs[0]);
    for (unsigned line = 0; line < (role == MATRIX_A ? form->m : form->n); line++) {
        unsigned lane =
            role == MATRIX_A ? 4 * (line % 8) + 2 * (thread & 1) + line / 8 : 4 * line + thread;
        for (unsigned s = 0; s < form->scales; s++)
            out[line][s] = scale_value(form, words[lane] >> (8 * ((byte + s) & 3)) & 0xff);
    }
}

static void scale_factors(const struct exec *x, const struct uop *u, struct product *p,
                          unsigned source)
{
    const struct matrix_form *form = p->form;
    double a[16][4], b[STRIP][4];
    unsigned block = form->k / form->scales, stored = matrix_stored(form);
    read_scales(x, u, MATRIX_A, source, a);
    read_scales(x, u, MATRIX_B, source + 3, b);
    for (unsigned row = 0; row < form->m; row++)
        for (unsigned s = 0; s < stored; s++)
            p->a[row * stored + s] *= a[row][p->depth[row][s] / block];
    for (unsigned k = 0; k < form->k; k++)
        for (unsigned column = 0; column < STRIP; column++)
            p->b[k * STRIP + column] *= b[column][k / block];
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* a times a line of the strip, or how often bits differ. */
static inline void add_line(double sums[STRIP], double a, const double *b, bool differs)
{
    if (differs)
        for (unsigned column = 0; column < STRIP; column++)
            sums[column] += a != b[column];
    else
        VECTOR for (unsigned column = 0; column < STRIP; column++) sums[column] += a * b[column];
}

/* Rows from `from` on times the strip. */
static void multiply_strip(struct product *p, unsigned from, unsigned first)
{
    const struct matrix_form *form = p->form;
    unsigned stored = matrix_stored(form);
    bool is_bits = form->types[MATRIX_A] == TYPE_B1, differs = is_bits && !form->joins;
    for (unsigned row = 0; row < form->m; row++) {
        const double *a = p->a + (from + row) * stored;
        double *c = p->c + (from + row) * form->n + first, sums[STRIP] = {0};
        for (unsigned s = 0; s < stored; s++)
            add_line(sums, a[s], p->b + p->depth[row][s] * STRIP, differs);
        for (unsigned column = 0; column < STRIP; column++)
            c[column] = sums[column] + c[column];
    }
}

static void multiply_doubles(struct product *p, unsigned first)
{
    const struct matrix_form *form = p->form;
    for (unsigned row = 0; row < form->m; row++)
        for (unsigned column = 0; column < STRIP; column++) {
            const double *a = p->a + row * form->k, *b = p->b + column;
            double *c = p->c + row * form->n + first + column;
            for (unsigned k = 0; k < form->k; k++)
                *c = ruled3(fma(a[k], b[k * STRIP], *c), a[k], b[k * STRIP], *c);
        }
}

static void mma_any(struct exec *x, const struct uop *u)
{
    struct product p;
    const struct matrix_form *form = p.form = u->insn->matrix;
    struct matrix_sources at = matrix_sources_of(form);
    const operand_ref *refs = u->elements + u->insn->ndst;
    if (x->fault.kind || !x->mask || !warp_is_whole(x, u)) return;
    read_a(x, u, refs + at.a, &p);
    read_c(x, u, refs + at.c, &p);
    set_depths(x, refs + at.others, &p);
    for (unsigned which = 0; which < (form->in_quads ? 4 : 1); which++)
        for (unsigned first = 0; first < form->n; first += STRIP) {
            read_b(x, u, refs + at.b, &p, first, which);
            if (form->scales) scale_factors(x, u, &p, at.others + (form->is_sparse ? 1u : 0u));
            if (form->types[MATRIX_A] == TYPE_F64)
                multiply_doubles(&p, first);
            else
                multiply_strip(&p, which * form->m, first);
        }
    write_d(x, u, &p);
}

SELECT_ONE(mma, SAME(mma_any))

/* ---- wgmma ----------------------------------------------------------------------------------- */

/* 16 bytes each of lines `first` to `first` + `lines` of a factor in memory, as one access of the warp. False: a fault. The
 * tensor cores read them, not the warp's loads: checks see it, counters do not. */
static bool read_chunks(struct exec *x, const struct uop *u, const struct matrix_descriptor *d,
                        bool transposed, unsigned line, unsigned lines, unsigned chunk,
                        unsigned chunks, unsigned char out[][16])
{
    struct uop one = *u;
    struct place p;
    const struct observer_ops *observe = x->observe;
    uint32_t mask = (uint32_t)((UINT64_C(1) << (lines * chunks)) - 1);
    one.bytes = 16;
    one.space = SPACE_SHARED;
    LANES p.a[i] = matrix_chunk(d, transposed, line + i / chunks % lines, chunk + i % chunks);
    x->observe = NULL;
    bool moves = locate(x, &one, &p, SPACE_SHARED, mask, READS);
    x->observe = observe;
    if (!moves) return !x->fault.kind;
    for (uint32_t left = p.access.mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        memcpy(out[i], lane_host(&p, i), sizeof out[i]);
    }
    return true;
}

static inline uint64_t chunk_element(const unsigned char chunk[16], unsigned at, unsigned bits)
{
    uint32_t word;
    memcpy(&word, chunk + at * bits / 32 * 4, sizeof word);
    return word >> (at * bits % 32);
}

/* `lines` rows or columns of a factor that begin at `first`; element (line, depth) to out[line * by_line + depth * by_depth].
 * Both of a stored row's chunks of 16 bytes are read at once; transposed, those of 8 lines, in halves. */
static bool read_factor(struct exec *x, const struct uop *u, unsigned role, uint64_t descriptor,
                        unsigned first, unsigned lines, double *out, unsigned by_line,
                        unsigned by_depth)
{
    const struct matrix_form *form = u->insn->matrix;
    const struct matrix_descriptor d = matrix_descriptor_of(descriptor);
    unsigned bits = matrix_bits(form, role), per = 128 / bits;
    unsigned depth = role == MATRIX_A ? matrix_stored(form) : form->k;
    bool transposed = form->is_transposed[role];
    for (unsigned from = 0; from < depth; from += transposed ? 16 : 2 * per) {
        unsigned char chunks[WARP_LANES][16] = {{0}};
        unsigned count = transposed ? lines / per : 2, rows = transposed ? 16 : lines;
        if (!read_chunks(x, u, &d, transposed, transposed ? from : first, rows,
                         transposed ? first / per : from / per, count, chunks))
            return false;
        for (unsigned i = 0; i < rows * count; i++)
            for (unsigned e = 0; e < per; e++) {
                unsigned along = i % count * per + e, across = i / count;
                unsigned line = transposed ? along : across,
                         k = from + (transposed ? across : along);
                out[line * by_line + k * by_depth] =
                    factor_value(form, role, chunk_element(chunks[i], e, bits));
            }
    }
    return true;
}

static void wgmma_any(struct exec *x, const struct uop *u)
{
    struct product p;
    const struct matrix_form *form = p.form = u->insn->matrix;
    struct matrix_sources at = matrix_sources_of(form);
    const operand_ref *refs = u->elements + u->insn->ndst;
    if (x->fault.kind || !x->mask || !warp_is_whole(x, u)) return;
    unsigned lane = (unsigned)__builtin_ctz(x->mask), row = x->warp->index % 4 * form->m;
    if (!form->is_in_memory)
        read_a(x, u, refs + at.a, &p);
    else if (!read_factor(x, u, MATRIX_A, ((const uint64_t *)PLACE(refs[at.a]))[lane], row, form->m,
                          p.a, matrix_stored(form), 1))
        return;
    if (matrix_adds_sums(x, u))
        read_c(x, u, refs + at.c, &p);
    else
        memset(p.c, 0, sizeof *p.c * form->m * form->n);
    set_depths(x, refs + at.others, &p);
    uint64_t b = ((const uint64_t *)PLACE(refs[at.b]))[lane];
    for (unsigned first = 0; first < form->n; first += STRIP) {
        if (!read_factor(x, u, MATRIX_B, b, first, STRIP, p.b, 1, STRIP)) return;
        multiply_strip(&p, 0, first);
    }
    write_d(x, u, &p);
    product_done(x);
}

SELECT_ONE(wgmma, SAME(wgmma_any))

#endif

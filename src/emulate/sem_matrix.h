// SPDX-License-Identifier: Apache-2.0
/* wmma, mma and ldmatrix. A warp holds a matrix in tiles: of a factor 8 rows (of B: columns) by as
 * many elements in depth as four registers have, of a sum 8 rows by 8 columns. Lane 4 g + t has
 *
 *     A   row g, the elements of register t in depth          tiles: down, then in depth
 *     B   column g, the elements of register t in depth       tiles: in depth, then to the right
 *     C D row g, columns 2 t and 2 t + 1                      tiles: down, then to the right
 *
 * which are the fragments of the PTX ISA for mma from sm_75 on; the PTX ISA leaves those of wmma open
 * there, and the same here. Products and sums are exact or in double precision and are rounded once; the ISA
 * leaves order and precision of floating-point sums open, f64 is fused step by step. */
#ifndef EMULATE_SEM_MATRIX_H
#define EMULATE_SEM_MATRIX_H

#include "base/half.h"
#include "emulate/sem_double.h"
#include "emulate/sem_float.h"
#include "emulate/sem_memory.h"
#include "emulate/sem_select.h"

struct element {
    unsigned row, column;
};

static struct element element_of(const struct matrix_form *form, unsigned role, unsigned reg,
                                 unsigned part, unsigned lane)
{
    unsigned group = lane / 4, member = lane % 4, per = matrix_elements(form->types[role]);
    unsigned rows = form->m / 8, depth = 4 * per, e = reg * per + part;
    if (role == MATRIX_A)
        return (struct element){reg % rows * 8 + group, reg / rows * depth + member * per + part};
    if (role == MATRIX_B) {
        unsigned depths = form->k / depth;
        return (struct element){reg % depths * depth + member * per + part,
                                reg / depths * 8 + group};
    }
    return (struct element){e / 2 % rows * 8 + group, e / 2 / rows * 8 + 2 * member + e % 2};
}

/* All lanes that live take part, together (.sync.aligned). */
static bool warp_is_whole(struct exec *x, const struct uop *u)
{
    if ((x->mask | x->warp->dead) == UINT32_MAX) return true;
    fault_at(x, FAULT_MATRIX, u->insn, x->mask);
    return false;
}

/* ---- to and from memory ----------------------------------------------------------------------- */

/* One access of `bytes` by the lanes of the mask at these addresses, lane i's bytes at data + step * i. */
static bool matrix_access(struct exec *x, const struct uop *u, const uint64_t *addresses,
                          uint32_t lanes, unsigned bytes, unsigned what, unsigned char *data,
                          size_t step)
{
    struct uop one = *u;
    one.bytes = (uint8_t)bytes;
    for (uint32_t left = lanes; left;) {
        struct place p;
        unsigned space =
            u->space == SPACE_GENERIC ? window_of(addresses[__builtin_ctz(left)]) : u->space;
        uint32_t mask = 0;
        LANES
        {
            bool same = u->space != SPACE_GENERIC || window_of(addresses[i]) == space;
            mask |= (uint32_t)((left >> i) & 1 && same) << i;
            p.a[i] = u->space == SPACE_GENERIC ? window_offset(addresses[i], space) : addresses[i];
        }
        left &= ~mask;
        if (!locate(x, &one, &p, space, mask, what)) {
            if (x->fault.kind) return false;
            continue;
        }
        for (uint32_t on = p.access.mask; on; on &= on - 1) {
            unsigned i = (unsigned)__builtin_ctz(on);
            unsigned char *host = lane_host(&p, i);
            if (what == READS)
                memcpy(data + step * i, host, bytes);
            else
                memcpy(host, data + step * i, bytes);
        }
    }
    return true;
}

/* Where the lanes say that the matrix begins, and how far its rows or columns are apart. A copy: the
 * registers may be those of the result. */
struct matrix_memory {
    uint64_t base[WARP_LANES];
    uint32_t stride[WARP_LANES];
};

static void matrix_begin(struct exec *x, const struct uop *u, struct matrix_memory *out)
{
    operand_ref stride = u->elements[u->insn->ndst + u->insn->nsrc - 1];
    lane_addresses(x, u, out->base);
    memcpy(out->stride, PLACE(stride), sizeof out->stride);
}

/* Elements of one register, in one access where they are neighbours in memory. */
static bool matrix_register(struct exec *x, const struct uop *u, const struct matrix_memory *memory,
                            unsigned reg, unsigned what, unsigned char *data, size_t step)
{
    const struct matrix_form *form = u->insn->matrix;
    unsigned type = u->insn->type, per = matrix_elements(type), bytes = type_infos[type].bits / 8;
    bool in_columns = form->role == MATRIX_B, together = per > 1 && form->columns == in_columns;
    uint64_t a[WARP_LANES];
    for (unsigned part = 0; part < (together ? 1 : per); part++) {
        LANES
        {
            struct element e = element_of(form, form->role, reg, part, i);
            uint64_t line = form->columns ? e.column : e.row;
            uint64_t along = form->columns ? e.row : e.column;
            a[i] = memory->base[i] + (line * memory->stride[i] + along) * bytes;
        }
        unsigned width = together ? per * bytes : bytes;
        if (!matrix_access(x, u, a, x->mask, width, what, data + (size_t)part * bytes, step))
            return false;
    }
    return true;
}

static void wmma_load_any(struct exec *x, const struct uop *u)
{
    const struct insn *insn = u->insn;
    struct matrix_memory memory;
    if (x->fault.kind || !x->mask || !warp_is_whole(x, u)) return;
    size_t step = insn->type == TYPE_F64 ? 8 : 4;
    matrix_begin(x, u, &memory);
    for (unsigned reg = 0; reg < insn->ndst; reg++) {
        unsigned char values[8 * WARP_LANES] = {0};
        if (!matrix_register(x, u, &memory, reg, READS, values, step)) return;
        if (u->elements[reg] == REF_NONE) continue;
        unsigned char *to = PLACE(u->elements[reg]);
        LANES if ((x->mask >> i) & 1) memcpy(to + step * i, values + step * i, step);
    }
}

static void wmma_store_any(struct exec *x, const struct uop *u)
{
    const struct insn *insn = u->insn;
    struct matrix_memory memory;
    if (x->fault.kind || !x->mask || !warp_is_whole(x, u)) return;
    size_t step = insn->type == TYPE_F64 ? 8 : 4;
    matrix_begin(x, u, &memory);
    for (unsigned reg = 0; reg + 2 < insn->nsrc; reg++) /* between address and stride */
        if (!matrix_register(x, u, &memory, reg, WRITES, PLACE(u->elements[1 + reg]), step)) return;
}

/* Matrix i of 8 x 8 halves: lane 8 i + r tells where row r lies; lane 4 g + t gets elements 2 t and
 * 2 t + 1 of row g, transposed of column g. */
static void ldmatrix_any(struct exec *x, const struct uop *u)
{
    const struct insn *insn = u->insn;
    if (x->fault.kind || !x->mask || !warp_is_whole(x, u)) return;
    uint64_t a[WARP_LANES];
    uint32_t results[4][WARP_LANES];
    lane_addresses(x, u, a);
    for (unsigned matrix = 0; matrix < insn->vector; matrix++) {
        uint16_t rows[WARP_LANES][8] = {{0}};
        uint32_t lanes = (UINT32_C(0xff) << (8 * matrix)) & x->mask;
        if (lanes && !matrix_access(x, u, a, lanes, sizeof rows[0], READS, (unsigned char *)rows,
                                    sizeof rows[0]))
            return;
        LANES
        {
            unsigned group = i / 4, first = i % 4 * 2;
            uint32_t low = insn->matrix->columns ? rows[8 * matrix + first][group]
                                                 : rows[8 * matrix + group][first];
            uint32_t high = insn->matrix->columns ? rows[8 * matrix + first + 1][group]
                                                  : rows[8 * matrix + group][first + 1];
            results[matrix][i] = low | high << 16;
        }
    }
    for (unsigned matrix = 0; matrix < insn->vector; matrix++) {
        if (u->elements[matrix] == REF_NONE) continue;
        uint32_t *d = PLACE(u->elements[matrix]);
        LANES if ((x->mask >> i) & 1) d[i] = results[matrix][i];
    }
}

/* ---- products -------------------------------------------------------------------------------- */

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
    case TYPE_S8:
        return (int8_t)bits;
    case TYPE_U8:
        return (uint8_t)bits;
    case TYPE_S32:
        return (int32_t)word;
    default:
        memcpy(&value, &bits, sizeof value);
        return value;
    }
}

static inline uint64_t matrix_bits(const struct matrix_form *form, double value)
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

/* All elements of a fragment, row after row; B column after column. */
static void read_fragment(const struct exec *x, const struct uop *u, unsigned role,
                          const operand_ref *refs, double *out)
{
    const struct matrix_form *form = u->insn->matrix;
    unsigned type = form->types[role], per = matrix_elements(type), bits = type_infos[type].bits;
    for (unsigned reg = 0; reg < matrix_registers(form, role); reg++)
        for (unsigned part = 0; part < per; part++)
            LANES
            {
                struct element e = element_of(form, role, reg, part, i);
                uint64_t word = register_of(x, u, refs[reg], type, i);
                unsigned at = role == MATRIX_A   ? e.row * form->k + e.column
                              : role == MATRIX_B ? e.column * form->k + e.row
                                                 : e.row * form->n + e.column;
                out[at] = matrix_value(type, per > 1 ? word >> (part * bits) : word);
            }
}

static void multiply(const struct matrix_form *form, const double *a, const double *b, double *c)
{
    bool fused = form->types[MATRIX_A] == TYPE_F64;
    for (unsigned row = 0; row < form->m; row++)
        for (unsigned column = 0; column < form->n; column++) {
            const double *p = a + row * form->k, *q = b + column * form->k;
            double sum = fused ? c[row * form->n + column] : 0;
            for (unsigned k = 0; k < form->k; k++)
                sum = fused ? ruled3(fma(p[k], q[k], sum), p[k], q[k], sum) : sum + p[k] * q[k];
            c[row * form->n + column] = fused ? sum : sum + c[row * form->n + column];
        }
}

static void mma_any(struct exec *x, const struct uop *u)
{
    const struct matrix_form *form = u->insn->matrix;
    double a[MATRIX_ELEMENTS_MAX], b[MATRIX_ELEMENTS_MAX], c[MATRIX_ELEMENTS_MAX];
    if (x->fault.kind || !x->mask || !warp_is_whole(x, u)) return;
    const operand_ref *refs = u->elements + u->insn->ndst;
    read_fragment(x, u, MATRIX_A, refs, a);
    refs += matrix_registers(form, MATRIX_A);
    read_fragment(x, u, MATRIX_B, refs, b);
    refs += matrix_registers(form, MATRIX_B);
    read_fragment(x, u, MATRIX_C, refs, c);
    multiply(form, a, b, c);
    unsigned type = form->types[MATRIX_D], per = matrix_elements(type),
             bits = type_infos[type].bits;
    for (unsigned reg = 0; reg < u->insn->ndst; reg++) {
        if (u->elements[reg] == REF_NONE) continue;
        void *to = PLACE(u->elements[reg]);
        LANES
        {
            uint64_t word = 0;
            for (unsigned part = 0; part < per; part++) {
                struct element e = element_of(form, MATRIX_D, reg, part, i);
                uint64_t value = matrix_bits(form, c[e.row * form->n + e.column]);
                word |= per > 1 ? value << (part * bits) : value;
            }
            if (!((x->mask >> i) & 1)) continue;
            if (has_pairs(u)) {
                ((uint32_t *)to)[i] = (uint32_t)word;
                ((uint32_t *)to)[WARP_LANES + i] = (uint32_t)(word >> 32);
            } else if (type == TYPE_F64)
                ((uint64_t *)to)[i] = word;
            else
                ((uint32_t *)to)[i] = (uint32_t)word;
        }
    }
}

SELECT_ONE(wmma_load, SAME(wmma_load_any))
SELECT_ONE(wmma_store, SAME(wmma_store_any))
SELECT_ONE(mma, SAME(mma_any))
SELECT_ONE(ldmatrix, SAME(ldmatrix_any))

#endif

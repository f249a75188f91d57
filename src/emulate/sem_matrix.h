// SPDX-License-Identifier: Apache-2.0
/* Fragments of matrices to and from memory, and between lanes: wmma.load, wmma.store, ldmatrix, stmatrix, movmatrix. */
#ifndef EMULATE_SEM_MATRIX_H
#define EMULATE_SEM_MATRIX_H

#include "emulate/matrix_layout.h"
#include "emulate/sem_scattered.h"
#include "emulate/sem_select.h"

/* All lanes that live take part, together (.sync.aligned). */
static bool warp_is_whole(struct exec *x, const struct uop *u)
{
    if ((x->mask | x->warp->dead) == UINT32_MAX) return true;
    fault_at(x, FAULT_MATRIX, u->insn, x->mask);
    return false;
}

/* ---- to and from memory ----------------------------------------------------------------------- */

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
    unsigned per = matrix_elements(form, form->role), bits = type_infos[u->insn->type].bits;
    bool in_columns = form->role == MATRIX_B, together = per > 1 && form->columns == in_columns;
    uint64_t a[WARP_LANES];
    for (unsigned part = 0; part < (together ? 1 : per); part++) {
        LANES
        {
            struct element e = matrix_element(form, form->role, reg, part, i);
            uint64_t line = form->columns ? e.column : e.row;
            uint64_t along = form->columns ? e.row : e.column;
            a[i] = memory->base[i] + (line * memory->stride[i] + along) * bits / 8;
        }
        unsigned width = (together ? per * bits : bits) / 8;
        if (!scattered_access(x, u, a, x->mask, width, what, data + (size_t)part * width, step))
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
        if (lanes && !scattered_access(x, u, a, lanes, sizeof rows[0], READS, (unsigned char *)rows,
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

/* Registers of the lanes' rows of 8 halves: stmatrix is ldmatrix backwards. */
static void stmatrix_any(struct exec *x, const struct uop *u)
{
    const struct insn *insn = u->insn;
    if (x->fault.kind || !x->mask || !warp_is_whole(x, u)) return;
    uint64_t a[WARP_LANES];
    uint16_t rows[WARP_LANES][8];
    lane_addresses(x, u, a);
    for (unsigned matrix = 0; matrix < insn->vector; matrix++) {
        const uint32_t *words = PLACE(u->elements[1 + matrix]);
        LANES
        {
            for (unsigned half = 0; half < 2; half++) {
                unsigned row = i / 4, column = i % 4 * 2 + half;
                uint16_t value = (uint16_t)(words[i] >> (16 * half));
                if (insn->matrix->columns)
                    rows[8 * matrix + column][row] = value;
                else
                    rows[8 * matrix + row][column] = value;
            }
        }
    }
    uint32_t lanes = (uint32_t)((UINT64_C(1) << (8 * insn->vector)) - 1) & x->mask;
    if (lanes)
        scattered_access(x, u, a, lanes, sizeof rows[0], WRITES, (unsigned char *)rows,
                         sizeof rows[0]);
}

/* Lane 4 g + t gets elements 2 t and 2 t + 1 of column g. */
static void movmatrix_any(struct exec *x, const struct uop *u)
{
    if (x->fault.kind || !x->mask || !warp_is_whole(x, u)) return;
    const uint32_t *from = PLACE(u->elements[1]);
    uint32_t results[WARP_LANES], *to = PLACE(u->elements[0]);
    LANES
    {
        unsigned column = i / 4, lane = i % 4 * 8 + column / 2, shift = 16 * (column % 2);
        results[i] = (from[lane] >> shift & 0xffff) | (from[lane + 4] >> shift & 0xffff) << 16;
    }
    LANES if ((x->mask >> i) & 1) to[i] = results[i];
}

SELECT_ONE(wmma_load, SAME(wmma_load_any))
SELECT_ONE(wmma_store, SAME(wmma_store_any))
SELECT_ONE(ldmatrix, SAME(ldmatrix_any))
SELECT_ONE(stmatrix, SAME(stmatrix_any))
SELECT_ONE(movmatrix, SAME(movmatrix_any))

#endif

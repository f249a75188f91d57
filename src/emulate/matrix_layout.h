// SPDX-License-Identifier: Apache-2.0
/* Where the elements of matrices lie: in the registers of a warp, in the metadata of a sparse A, in the shared memory that
 * wgmma's descriptors tell of.
 *
 * A warp holds a matrix in tiles: of a factor 8 rows (of B: columns) by as many elements in depth as four registers
 * have, of a sum 8 rows by 8 columns. Lane 4 g + t has
 *
 *     A   row g, the elements of register t in depth          tiles: down, then in depth
 *     B   column g, the elements of register t in depth       tiles: in depth, then to the right
 *     C D row g, columns 2 t and 2 t + 1                      tiles: down, then to the right
 *
 * which are the fragments of the PTX ISA for mma from sm_75 on, and those of wgmma for the 16 rows of each warp. Of a
 * sparse A the depth counts stored elements. The PTX ISA leaves the fragments of wmma open; here they are the same. */
#ifndef EMULATE_MATRIX_LAYOUT_H
#define EMULATE_MATRIX_LAYOUT_H

#include <string.h>

#include "emulate/exec.h"
#include "isa/matrix.h"

struct element {
    unsigned row, column;
};

/* Volta's m8n8k4: lanes i and i + 16 of four each work on a product of their own (PTX ISA 9.7.14.5.1). `part` counts the
 * lane's elements. */
static inline struct element quad_element(const struct matrix_form *form, unsigned role,
                                          unsigned part, unsigned lane)
{
    unsigned member = lane % 4, high = lane < 16 ? 0 : 4;
    if (role == MATRIX_A)
        return form->columns_of[0] ? (struct element){part % 4 + high, member}
                                   : (struct element){member + high, part};
    if (role == MATRIX_B)
        return form->columns_of[1] ? (struct element){part, member + high}
                                   : (struct element){member, part + high};
    if (form->types[role] == TYPE_F16) return (struct element){member + high, part};
    return (struct element){(lane & 1) + (part & 2) + high, (part & 4) + (lane & 2) + (part & 1)};
}

/* Row and column of part `part` of register `reg` of a lane. */
static inline struct element matrix_element(const struct matrix_form *form, unsigned role,
                                            unsigned reg, unsigned part, unsigned lane)
{
    unsigned group = lane / 4, member = lane % 4, per = matrix_elements(form, role);
    unsigned rows = form->m / 8u, depth = 4 * per, e = reg * per + part;
    if (form->in_quads) return quad_element(form, role, e, lane);
    if (role == MATRIX_A)
        return (struct element){reg % rows * 8 + group, reg / rows * depth + member * per + part};
    if (role == MATRIX_B) {
        unsigned depths = form->k / depth;
        return (struct element){reg % depths * depth + member * per + part,
                                reg / depths * 8 + group};
    }
    return (struct element){e / 2 % rows * 8 + group, e / 2 / rows * 8 + 2 * member + e % 2};
}

/* The same for a lane, from that of lane 0: without divisions, for loops over lanes. */
static inline struct element matrix_beside(const struct matrix_form *form, unsigned role,
                                           struct element first, unsigned reg, unsigned part,
                                           unsigned lane)
{
    unsigned group = lane / 4, member = lane % 4, per = matrix_elements(form, role);
    if (form->in_quads) return quad_element(form, role, reg * per + part, lane);
    if (role == MATRIX_A) return (struct element){first.row + group, first.column + member * per};
    if (role == MATRIX_B) return (struct element){first.row + member * per, first.column + group};
    return (struct element){first.row + group, first.column + 2 * member};
}

/* ---- metadata of a sparse A ------------------------------------------------------------------ */

/* Metadata of a row: 16 bits in one lane of four, those of the row 8 below in its upper half; 32 bits in halves, of two
 * lanes, or of bytes and less in one, the row below in the next; or 64 bits, in lanes of two (PTX ISA 9.7.14.6.2, its
 * figures; `metadata` by lane). */
static inline uint64_t matrix_metadata(const struct matrix_form *form, const uint32_t *metadata,
                                       unsigned row)
{
    unsigned bits = matrix_stored(form) * matrix_index_bits(form) / matrix_index_elements(form);
    unsigned first = 4 * (row % 8), below = row / 8, selector = form->selector;
    bool in_halves = matrix_bits(form, MATRIX_A) >= 16;
    if (bits == 16) return metadata[first + selector] >> (16 * below) & 0xffff;
    if (bits == 64) return metadata[first + below] | (uint64_t)metadata[first + 2 + below] << 32;
    first += 2 * selector;
    if (!in_halves) return metadata[first + below];
    uint32_t low = metadata[first] >> (16 * below) & 0xffff;
    return low | (metadata[first + 1] >> (16 * below) & 0xffff) << 16;
}

/* Where stored element s of a row with these metadata lies in depth: an index says its place among four, of pairs of 4-bit
 * elements among four pairs; of tf32 it says which halves, 0b0100 or 0b1110. */
static inline unsigned matrix_place(const struct matrix_form *form, uint64_t metadata, unsigned s)
{
    unsigned bits = matrix_index_bits(form), per = matrix_index_elements(form), at = s / per;
    unsigned index = (unsigned)(metadata >> (bits * at)) & ((1u << bits) - 1);
    if (bits == 4) return 2 * s + (index >> 3);
    return at / 2 * 4 * per + index * per + s % per;
}

/* ---- descriptors of wgmma -------------------------------------------------------------------- */

/* A matrix in shared memory (PTX ISA 9.7.15.5.1.2). */
struct matrix_descriptor {
    uint64_t start, leading, stride; /* in bytes */
    unsigned base, width; /* where swizzling begins; bytes within which 16 change places */
};

static inline struct matrix_descriptor matrix_descriptor_of(uint64_t bits)
{
    static const uint8_t widths[] = {16, 128, 64, 32};
    return (struct matrix_descriptor){.start = (bits & 0x3fff) << 4,
                                      .leading = (bits >> 16 & 0x3fff) << 4,
                                      .stride = (bits >> 32 & 0x3fff) << 4,
                                      .base = (unsigned)(bits >> 49) & 7,
                                      .width = widths[bits >> 62]};
}

/* Address of 16 bytes: those at depth `chunk` of a row, or, transposed, those of rows from 8 chunk on at depth `row`. The
 * canonical layouts of the ISA: lines of `width` bytes, eight below each other. */
static inline uint64_t matrix_chunk(const struct matrix_descriptor *d, bool transposed,
                                    unsigned row, unsigned chunk)
{
    unsigned per_line = d->width / 16;
    uint64_t at = d->start + row % 8 * d->width + chunk % per_line * 16;
    if (!transposed)
        at += row / 8 * d->stride + chunk / per_line * d->leading;
    else if (per_line == 1)
        at += chunk * d->stride + row / 8 * d->leading;
    else
        at += row / 8 * d->stride + chunk / per_line * d->leading;
    return (at ^ (((at >> 7) - d->base) & (per_line - 1)) << 4) & 0x3ffff;
}

/* The last source of wgmma, a predicate, tells whether sums are added: that of the first active lane, as it is the same
 * in all. */
static inline bool matrix_adds_sums(const struct exec *x, const struct uop *u)
{
    unsigned last = u->insn->nsrc - 1u;
    const struct operand *operand = insn_source(u->insn, last);
    if (operand->kind == OPERAND_IMMEDIATE) return operand->imm != 0;
    operand_ref ref = u->elements[u->insn->ndst + last];
    uint32_t lanes;
    memcpy(&lanes, x->base[ref >> 30] + (ref & 0x3fffffff), sizeof lanes);
    return (lanes >> __builtin_ctz(x->mask) & 1) != operand->negate;
}

#endif

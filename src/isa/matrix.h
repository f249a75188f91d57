// SPDX-License-Identifier: Apache-2.0
/* What the instructions of FORM_MATRIX work on: D = A B + C, A of m x k elements, B of k x n.
 *
 *     wmma.load wmma.store wmma.mma    fragments of a warp, to and from memory
 *     mma                              a product by a warp; sparse, of groups of eight lanes, scaled by blocks
 *     wgmma.mma_async                  a product by four warps: each has 16 rows of A, C and D; B lies in shared memory
 *     ldmatrix stmatrix movmatrix      8 x 8 halves to, from and between lanes */
#ifndef ISA_MATRIX_H
#define ISA_MATRIX_H

#include "isa/insn.h"

enum matrix_role { MATRIX_A, MATRIX_B, MATRIX_C, MATRIX_D, MATRIX_ROLES };
/* Of a warp: D of wgmma..m64n256, of which it has 16 rows; A of mma..m16n8k256; rows of m32n8k16. */
enum {
    MATRIX_SUMS_MAX = 16 * 256,
    MATRIX_FACTOR_MAX = 16 * 256,
    MATRIX_ROWS_MAX = 32,
    MATRIX_DEPTH_MAX = 256
};

struct matrix_form {
    uint16_t m, n, k;            /* of wgmma m is that of a warp: 16 */
    uint8_t role;                /* of wmma.load and wmma.store, where C stands for D, too */
    uint8_t types[MATRIX_ROLES]; /* of the elements */
    bool columns;                /* in memory column after column; ldmatrix.trans */
    bool saturates;
    bool joins;            /* of .b1: pairs of bits are joined by and; else by xor */
    bool in_bytes;         /* .kind::f8f6f4: every factor takes eight bits of a register */
    bool is_sparse;        /* A has k / 2 elements in depth; metadata tell which */
    bool in_quads;         /* Volta's m8n8k4: four products, by eight lanes each */
    bool columns_of[2];    /* of these: is A, is B in columns? */
    uint8_t selector;      /* of those that are sparse: which lanes have the metadata */
    uint8_t scales;        /* scaled by blocks: scales in depth (1, 2, 4); 0: not scaled */
    uint8_t scale_type;    /* TYPE_UE8M0, TYPE_UE4M3 */
    bool by_group;         /* wgmma */
    bool is_in_memory;     /* wgmma: A, too, is told by a descriptor */
    bool is_negated[2];    /* wgmma: A, B */
    bool is_transposed[2]; /* wgmma: A, B in memory have rows of m, n elements, not of k */
};

/* Bits that an element of a factor or sum takes in its register. */
static inline unsigned matrix_bits(const struct matrix_form *form, unsigned role)
{
    return form->in_bytes && role <= MATRIX_B ? 8u : type_infos[form->types[role]].bits;
}

/* Elements in one register. */
static inline unsigned matrix_elements(const struct matrix_form *form, unsigned role)
{
    unsigned bits = matrix_bits(form, role);
    return bits < 32 ? 32u / bits : 1u;
}

/* Elements of a row of A that are stored. */
static inline unsigned matrix_stored(const struct matrix_form *form)
{
    return form->is_sparse ? form->k / 2u : form->k;
}

/* Of wgmma: what a warp has of the bytes that four read from shared memory, B once for all, their own rows of A each. */
static inline unsigned matrix_shared_bytes(const struct matrix_form *form)
{
    enum { GROUP_WARPS = 4 };
    unsigned a = form->m * matrix_stored(form) * matrix_bits(form, MATRIX_A) / 8;
    unsigned b = (unsigned)form->n * form->k * matrix_bits(form, MATRIX_B) / 8;
    return b / GROUP_WARPS + (form->is_in_memory ? a : 0);
}

/* Registers of a lane that hold one of the matrices. */
static inline unsigned matrix_registers(const struct matrix_form *form, unsigned role)
{
    unsigned elements = role == MATRIX_A   ? form->m * matrix_stored(form)
                        : role == MATRIX_B ? form->k * form->n
                                           : form->m * form->n;
    unsigned lanes = form->in_quads ? 8 : 32;
    return elements / (lanes * matrix_elements(form, role));
}

/* Metadata of a sparse A: an index of so many bits for so many elements, its place among four such places (two of tf32). */
static inline unsigned matrix_index_bits(const struct matrix_form *form)
{
    return form->types[MATRIX_A] == TYPE_TF32 ? 4 : 2;
}
static inline unsigned matrix_index_elements(const struct matrix_form *form)
{
    return matrix_bits(form, MATRIX_A) == 4 ? 2 : 1;
}

/* Does the first source tell an address? */
static inline bool matrix_has_address(const struct insn *insn)
{
    return insn->op == OP_WMMA_LOAD || insn->op == OP_WMMA_STORE || insn->op == OP_LDMATRIX ||
           insn->op == OP_STMATRIX;
}

/* Where the sources of a product begin: those of C, A, B, and whatever follows. */
struct matrix_sources {
    uint16_t a, b, c, others; /* others: metadata, then scales or wgmma's predicate */
};
static inline struct matrix_sources matrix_sources_of(const struct matrix_form *form)
{
    unsigned c = matrix_registers(form, MATRIX_C), a = matrix_registers(form, MATRIX_A);
    unsigned b = matrix_registers(form, MATRIX_B);
    if (!form->by_group)
        return (struct matrix_sources){0, (uint16_t)a, (uint16_t)(a + b), (uint16_t)(a + b + c)};
    unsigned first = form->is_in_memory ? 1 : a;
    return (struct matrix_sources){(uint16_t)c, (uint16_t)(c + first), 0,
                                   (uint16_t)(c + first + 1)};
}

#endif

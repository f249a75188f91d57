// SPDX-License-Identifier: Apache-2.0
/* Undefined bits in products of matrices (defined.h): an element of the result is undefined if any of its row of A, its
 * column of B or its element of C is. Fragments as in sem_matrix.h. */
#include <string.h>

#include "emulate/defined.h"

enum { SIDE_MAX = 32 };

struct product {
    bool rows[SIDE_MAX], columns[SIDE_MAX];
    bool sums[MATRIX_ELEMENTS_MAX];
    uint32_t origin;
    bool is_any;
};

static unsigned bytes_of(unsigned type)
{
    return type == TYPE_F64 ? 8 : 4;
}

/* Row and column of part `part` of a register of C or D. */
static unsigned element_at(const struct matrix_form *form, unsigned type, unsigned reg,
                           unsigned part, unsigned lane)
{
    unsigned e = reg * matrix_elements(type) + part, rows = form->m / 8u;
    unsigned row = e / 2 % rows * 8 + lane / 4, column = e / 2 / rows * 8 + 2 * (lane % 4) + e % 2;
    return row * form->n + column;
}

static void note_factor(const struct exec *x, const struct matrix_form *form, unsigned role,
                        const operand_ref *refs, struct product *out)
{
    unsigned type = form->types[role], per = matrix_elements(type);
    unsigned rows = form->m / 8u, depths = form->k / (4 * per);
    for (unsigned reg = 0; reg < matrix_registers(form, role); reg++) {
        uint32_t lanes = undefined_lanes(x, refs[reg], bytes_of(type));
        if (lanes && !out->is_any) out->origin = *origin_of(x, refs[reg]);
        for (uint32_t left = lanes; left; left &= left - 1) {
            unsigned group = (unsigned)__builtin_ctz(left) / 4;
            if (role == MATRIX_A)
                out->rows[(reg % rows * 8 + group) % SIDE_MAX] = true;
            else
                out->columns[(reg / (depths ? depths : 1) * 8 + group) % SIDE_MAX] = true;
            out->is_any = true;
        }
    }
}

static void note_sums(const struct exec *x, const struct matrix_form *form, const operand_ref *refs,
                      struct product *out)
{
    unsigned type = form->types[MATRIX_C], per = matrix_elements(type), bytes = bytes_of(type);
    for (unsigned reg = 0; reg < matrix_registers(form, MATRIX_C); reg++) {
        uint32_t lanes = undefined_lanes(x, refs[reg], bytes);
        if (lanes && !out->is_any) out->origin = *origin_of(x, refs[reg]);
        for (uint32_t left = lanes; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left), bits = 8 * bytes / per;
            uint64_t undefined = get_lane(undefined_bits(x, refs[reg]), bytes, lane);
            for (unsigned part = 0; part < per; part++)
                if (undefined >> (part * bits) &
                    (bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1))
                    out->sums[element_at(form, type, reg, part, lane)] = true;
            out->is_any = true;
        }
    }
}

void defined_product(struct exec *x, const struct uop *u)
{
    const struct insn *insn = u->insn;
    const struct matrix_form *form = insn->matrix;
    const operand_ref *refs = u->elements + insn->ndst;
    struct product product = {.origin = 0};
    note_factor(x, form, MATRIX_A, refs, &product);
    refs += matrix_registers(form, MATRIX_A);
    note_factor(x, form, MATRIX_B, refs, &product);
    refs += matrix_registers(form, MATRIX_B);
    note_sums(x, form, refs, &product);
    unsigned type = form->types[MATRIX_D], per = matrix_elements(type), bytes = bytes_of(type);
    for (unsigned reg = 0; reg < insn->ndst; reg++) {
        operand_ref ref = u->elements[reg];
        if (ref == REF_NONE) continue;
        define_lanes(x, ref, bytes, UINT32_MAX);
        if (!product.is_any) continue;
        *origin_of(x, ref) = product.origin | ORIGIN_COMPUTED;
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            uint64_t undefined = 0;
            unsigned bits = 8 * bytes / per;
            for (unsigned part = 0; part < per; part++) {
                unsigned at = element_at(form, type, reg, part, lane);
                if (product.rows[at / form->n] || product.columns[at % form->n] || product.sums[at])
                    undefined |= (bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1)
                                 << (part * bits);
            }
            set_lane(undefined_bits(x, ref), bytes, lane, undefined);
            if (undefined) x->warp->defined->is_dirty = true;
        }
    }
}

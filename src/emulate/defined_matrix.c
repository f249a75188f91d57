// SPDX-License-Identifier: Apache-2.0
/* Undefined bits in products of matrices (defined.h): an element of the result is undefined if any of its row of A, its
 * column of B or its element of C is. Where rows have metadata or scales, and in Volta's four products at once, all elements
 * are if any of A, B or these is. */
#include "emulate/defined.h"
#include "emulate/matrix_layout.h"

struct product {
    bool rows[MATRIX_ROWS_MAX], columns[MATRIX_DEPTH_MAX];
    bool sums[MATRIX_SUMS_MAX];
    uint32_t origin;
    bool is_any, is_all;
};

static unsigned bytes_of(unsigned type)
{
    return type == TYPE_F64 ? 8 : 4;
}

static void note_origin(const struct exec *x, operand_ref ref, struct product *out)
{
    if (!out->is_any) out->origin = *origin_of(x, ref);
    out->is_any = true;
}

static void note_factor(const struct exec *x, const struct matrix_form *form, unsigned role,
                        const operand_ref *refs, struct product *out)
{
    for (unsigned reg = 0; reg < matrix_registers(form, role); reg++) {
        uint32_t lanes = undefined_lanes(x, refs[reg], bytes_of(form->types[role]));
        if (lanes) note_origin(x, refs[reg], out);
        for (uint32_t left = lanes; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            struct element e = matrix_element(form, role, reg, 0, lane);
            if (role == MATRIX_A)
                out->rows[e.row] = true;
            else
                out->columns[e.column] = true;
            out->is_all |= form->in_quads;
        }
    }
}

static void note_sums(const struct exec *x, const struct matrix_form *form, const operand_ref *refs,
                      struct product *out)
{
    unsigned per = matrix_elements(form, MATRIX_C), bytes = bytes_of(form->types[MATRIX_C]);
    for (unsigned reg = 0; reg < matrix_registers(form, MATRIX_C); reg++) {
        uint32_t lanes = undefined_lanes(x, refs[reg], bytes);
        if (lanes) note_origin(x, refs[reg], out);
        for (uint32_t left = lanes; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left), bits = 8 * bytes / per;
            uint64_t undefined = get_lane(undefined_bits(x, refs[reg]), bytes, lane);
            for (unsigned part = 0; part < per; part++) {
                struct element e = matrix_element(form, MATRIX_C, reg, part, lane);
                if (undefined >> (part * bits) & low_bits(bits))
                    out->sums[e.row * form->n + e.column] = true;
            }
            out->is_all |= form->in_quads;
        }
    }
}

/* Metadata, scales, descriptors, the predicate of wgmma. */
static void note_others(const struct exec *x, const struct insn *insn, const operand_ref *refs,
                        unsigned from, struct product *out)
{
    for (unsigned k = from; k < insn->nsrc; k++) {
        bool is_predicate = insn->matrix->by_group && k + 1u == insn->nsrc;
        if (insn_source(insn, k)->kind != OPERAND_REGISTER || insn->matrix->scales) continue;
        if (!undefined_lanes(x, refs[k], is_predicate ? 1 : 4)) continue;
        note_origin(x, refs[k], out);
        out->is_all = true;
    }
}

static void note_sources(const struct exec *x, const struct uop *u, struct product *out)
{
    const struct matrix_form *form = u->insn->matrix;
    const operand_ref *refs = u->elements + u->insn->ndst;
    struct matrix_sources at = matrix_sources_of(form);
    if (!form->is_in_memory) note_factor(x, form, MATRIX_A, refs + at.a, out);
    if (!form->by_group) note_factor(x, form, MATRIX_B, refs + at.b, out);
    note_others(x, u->insn, refs, at.others, out);
    if (form->by_group && !matrix_adds_sums(x, u)) return;
    note_sums(x, form, refs + at.c, out);
}

static bool is_undefined(const struct product *p, const struct matrix_form *form, struct element e)
{
    return p->is_all || p->rows[e.row] || p->columns[e.column] ||
           p->sums[e.row * form->n + e.column];
}

/* movmatrix: halves come from other lanes, so all are undefined if any is. */
static void transpose(struct exec *x, const struct uop *u)
{
    operand_ref to = u->elements[0], from = u->elements[1];
    uint32_t origin = *origin_of(x, from);
    bool is_any = undefined_lanes(x, from, 4);
    define_lanes(x, to, 4, UINT32_MAX);
    if (!is_any) return;
    undefine_lanes(x, to, 4, UINT32_MAX);
    *origin_of(x, to) = origin;
}

void defined_product(struct exec *x, const struct uop *u)
{
    if (u->insn->op == OP_MOVMATRIX) {
        transpose(x, u);
        return;
    }
    const struct insn *insn = u->insn;
    const struct matrix_form *form = insn->matrix;
    struct product product = {.origin = 0};
    note_sources(x, u, &product);
    unsigned per = matrix_elements(form, MATRIX_D), bytes = bytes_of(form->types[MATRIX_D]);
    for (unsigned reg = 0; reg < insn->ndst; reg++) {
        operand_ref ref = u->elements[reg];
        if (ref == REF_NONE) continue;
        define_lanes(x, ref, bytes, UINT32_MAX);
        if (!product.is_any) continue;
        *origin_of(x, ref) = product.origin | ORIGIN_COMPUTED;
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            uint64_t undefined = 0;
            unsigned bits = 8 * bytes / per;
            for (unsigned part = 0; part < per; part++)
                if (is_undefined(&product, form, matrix_element(form, MATRIX_D, reg, part, lane)))
                    undefined |= low_bits(bits) << (part * bits);
            set_lane(undefined_bits(x, ref), bytes, lane, undefined);
            if (undefined) x->warp->defined->is_dirty = true;
        }
    }
}

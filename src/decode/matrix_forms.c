// SPDX-License-Identifier: Apache-2.0
/* Which shapes, types and suffixes of products of matrices go together. */
#include "decode/parse_matrix.h"

struct products {
    uint8_t family;
    uint16_t m, n, k;
    uint64_t factors, sums;
    bool mixes;
};

enum { EVEN = 1 };

static const struct products products[] = {
#define PRODUCTS(family, m, n, k, factors, sums, mixes)                                            \
    {MATRIX_##family, m, n, k, factors, sums, mixes},
#include "isa/matrix_forms.def"
#undef PRODUCTS
};

static bool shape_fits(const struct products *row, const struct matrix_form *form)
{
    if (row->m != form->m || row->k != form->k) return false;
    if (row->n > EVEN) return row->n == form->n;
    bool is_step = form->n % (row->n == EVEN && form->n > 32 ? 16 : 8) == 0;
    return form->n >= 8 && form->n <= 256 && is_step;
}

static bool factors_fit(const struct products *row, const struct matrix_form *form)
{
    unsigned a = form->types[MATRIX_A], b = form->types[MATRIX_B];
    return row->factors >> a & 1 && row->factors >> b & 1 && (row->mixes || a == b);
}

static bool sums_fit(const struct products *row, const struct matrix_form *form)
{
    unsigned c = form->types[MATRIX_C], d = form->types[MATRIX_D];
    if (!(row->sums >> c & 1) || !(row->sums >> d & 1)) return false;
    return c == d || row->family == MATRIX_WMMA || (form->in_quads && d == TYPE_F32);
}

/* Do these suffixes belong to the types? */
static const char *suffix_fault(const struct matrix_form *form, const struct matrix_suffixes *with)
{
    bool is_integer = form->types[MATRIX_D] == TYPE_S32;
    bool is_bits = form->types[MATRIX_A] == TYPE_B1;
    if (form->saturates && (!is_integer || is_bits)) return "'.satfinite' requires integers";
    if (with->joins != is_bits) return is_bits ? "lacks '.and.popc'" : "'.popc' requires .b1";
    if (is_bits && form->by_group && !form->joins) return "'.xor' is unknown to wgmma";
    bool is_fixed = !form->in_quads && with->family != MATRIX_WMMA && !form->by_group;
    bool is_narrow = with->family == MATRIX_WMMA && matrix_bits(form, MATRIX_A) < 8;
    if ((is_fixed || is_narrow) && (form->columns_of[0] || !form->columns_of[1]))
        return "the layouts must be .row.col";
    return NULL;
}

/* mxf8f6f4: a scale in depth; mxf4: two; nvf4: two or, of ue4m3, four. */
static const char *scale_fault(const struct matrix_form *form, const struct matrix_suffixes *with)
{
    if (!with->is_scaled) return form->scales || form->scale_type ? "lacks '.block_scale'" : NULL;
    bool is_wide = with->family == MATRIX_KIND_MXF8F6F4 || with->family == MATRIX_SP_MXF8F6F4;
    bool of_four = form->scale_type == TYPE_UE4M3;
    if (form->scale_type != TYPE_UE8M0 && !(of_four && with->is_nvf4))
        return "wrong type of the scales";
    unsigned expected = is_wide ? 1 : of_four ? 4 : 2;
    return form->scales == expected ? NULL : "wrong or missing '.scale_vec'";
}

const char *matrix_fault(const struct matrix_form *form, const struct matrix_suffixes *with)
{
    bool has_shape = false, has_factors = false;
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        const struct products *row = &products[i];
        if (row->family != with->family) continue;
        has_shape |= shape_fits(row, form);
        if (!shape_fits(row, form) || !factors_fit(row, form)) continue;
        has_factors = true;
        if (!sums_fit(row, form)) continue;
        const char *fault = suffix_fault(form, with);
        return fault ? fault : scale_fault(form, with);
    }
    return !has_shape     ? "illegal shape"
           : !has_factors ? "illegal types of the factors for this shape"
                          : "illegal types of the sums for these factors";
}

/* A fragment in memory is one of some product. */
bool matrix_is_fragment(const struct matrix_form *form)
{
    unsigned type = form->types[form->role];
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        const struct products *row = &products[i];
        if (row->family != MATRIX_WMMA || !shape_fits(row, form)) continue;
        if ((form->role == MATRIX_C ? row->sums : row->factors) >> type & 1) return true;
    }
    return false;
}

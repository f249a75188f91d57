// SPDX-License-Identifier: Apache-2.0
/* Between the files that read matrix instructions: parse_matrix.c (mnemonics), matrix_forms.c (what goes together),
 * parse_fragments.c (operands). */
#ifndef DECODE_PARSE_MATRIX_H
#define DECODE_PARSE_MATRIX_H

#include "decode/parser.h"
#include "isa/matrix.h"

/* Rows of isa/matrix_forms.def. */
enum matrix_family {
    MATRIX_WMMA,
    MATRIX_MMA,
    MATRIX_KIND_F8F6F4,
    MATRIX_KIND_MXF8F6F4,
    MATRIX_KIND_MXF4,
    MATRIX_MMA_SP,
    MATRIX_SP_F8F6F4,
    MATRIX_SP_MXF8F6F4,
    MATRIX_SP_MXF4,
    MATRIX_WGMMA,
    MATRIX_WGMMA_SP
};

/* What a mnemonic told beside the form. */
struct matrix_suffixes {
    enum matrix_family family;
    bool joins;     /* .and.popc or .xor.popc */
    bool is_scaled; /* .block_scale */
    bool is_nvf4;   /* .kind::mxf4nvf4 */
};

/* What is wrong with a product; NULL: nothing. */
const char *matrix_fault(const struct matrix_form *form, const struct matrix_suffixes *with);
/* Does wmma have fragments of this shape and type? */
bool matrix_is_fragment(const struct matrix_form *form);

#endif

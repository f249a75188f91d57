// SPDX-License-Identifier: Apache-2.0
/* Instructions on packed types do to each element what the instruction of the element does. */
#include "reference/scalar.h"

unsigned scalar_element_type(unsigned type)
{
    switch (type) {
    case TYPE_F16X2:
        return TYPE_F16;
    case TYPE_BF16X2:
        return TYPE_BF16;
    case TYPE_F32X2:
        return TYPE_F32;
    case TYPE_U16X2:
        return TYPE_U16;
    case TYPE_S16X2:
        return TYPE_S16;
    default:
        return TYPE_NONE;
    }
}

/* setp gives a predicate for each element, the others a packed result. */
bool scalar_packed(const struct insn *insn, const uint64_t *a, uint64_t *d)
{
    unsigned packed = insn->op == OP_SET ? insn->type2 : insn->type;
    struct insn one = *insn;
    one.type = (uint8_t)scalar_element_type(insn->type);
    one.type2 = (uint8_t)scalar_element_type(insn->type2);
    if (insn->op == OP_CVT || !scalar_element_type(packed)) return false;
    unsigned width = type_infos[packed].bits / 2u;
    d[0] = 0;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t elements[3], result[2] = {0};
        for (unsigned k = 0; k < 3; k++) {
            bool is_predicate = k == 2 && (insn->op == OP_SET || insn->op == OP_SETP);
            elements[k] = is_predicate ? a[k] : low_bits(a[k] >> (width * i), width);
        }
        bool carry;
        if (!scalar_float(&one, elements, result) && !scalar_select(&one, elements, result) &&
            !scalar_integer(&one, elements, &carry, result))
            return false;
        if (insn->op == OP_SETP)
            d[i] = result[0];
        else
            d[0] |= low_bits(result[0], width) << (width * i);
    }
    return true;
}

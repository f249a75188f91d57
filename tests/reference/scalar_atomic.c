// SPDX-License-Identifier: Apache-2.0
/* The operations of atom and red: PTX ISA 9.7.13. */
#include "reference/scalar.h"

/* add, min and max are those of the instructions of these names. f32 in global memory is flushed before
 * and after the addition, in shared memory not (atom.add.f32). */
static uint64_t arithmetic(const struct insn *insn, enum ptx_op op, uint64_t old, uint64_t b)
{
    bool flushes = insn->type == TYPE_F32 && insn->space == SPACE_GLOBAL;
    struct insn same = {
        .op = (uint16_t)op, .type = insn->type, .nsrc = 2, .flags = flushes ? INSN_FTZ : 0};
    uint64_t a[3] = {old, b}, d = 0;
    bool carry;
    if (!scalar_packed(&same, a, &d) && !scalar_float(&same, a, &d))
        scalar_integer(&same, a, &carry, &d);
    return d;
}

uint64_t scalar_atomic(const struct insn *insn, uint64_t old, const uint64_t *a)
{
    switch (insn->atom_op) {
    case ATOM_ADD:
        return arithmetic(insn, OP_ADD, old, a[0]);
    case ATOM_MIN:
        return arithmetic(insn, OP_MIN, old, a[0]);
    case ATOM_MAX:
        return arithmetic(insn, OP_MAX, old, a[0]);
    case ATOM_INC:
        return old >= a[0] ? 0 : old + 1;
    case ATOM_DEC:
        return old == 0 || old > a[0] ? a[0] : old - 1;
    case ATOM_AND:
        return old & a[0];
    case ATOM_OR:
        return old | a[0];
    case ATOM_XOR:
        return old ^ a[0];
    case ATOM_EXCH:
        return a[0];
    default: /* cas */
        return old == a[0] ? a[1] : old;
    }
}

// SPDX-License-Identifier: Apache-2.0
/* Scalar and SIMD video instructions: PTX ISA 9.7.17 and 9.7.18, after its pseudo code. */
#include "reference/scalar.h"

static bool is_set(const struct insn *insn)
{
    return insn->op == OP_VSET || insn->op == OP_VSET2 || insn->op == OP_VSET4;
}

/* vset has no type of the destination. */
static unsigned operand_type(const struct insn *insn, unsigned k)
{
    if (is_set(insn)) return k == 0 ? insn->type : insn->type2;
    return k == 0 ? insn->type2 : insn->type3;
}

static bool result_is_signed(const struct insn *insn)
{
    return !is_set(insn) && insn->type == TYPE_S32;
}

static int64_t extended(unsigned type, uint64_t value, unsigned bits)
{
    return type == TYPE_S32 ? signed_value(value, bits) : (int64_t)low_bits(value, bits);
}

static int64_t clamped(int64_t value, bool is_signed, unsigned bits)
{
    int64_t most = (INT64_C(1) << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    return value > most ? most : value < least ? least : value;
}

static bool holds(const struct insn *insn, int64_t a, int64_t b)
{
    switch (insn->compare) {
    case CMP_EQ:
        return a == b;
    case CMP_NE:
        return a != b;
    case CMP_LT:
        return a < b;
    case CMP_LE:
        return a <= b;
    case CMP_GT:
        return a > b;
    default:
        return a >= b;
    }
}

static int64_t average(int64_t sum)
{
    return sum >= 0 ? (sum + 1) >> 1 : sum >> 1;
}

/* With all bits of the result. */
static int64_t operated(const struct insn *insn, int64_t a, int64_t b)
{
    switch (insn->op) {
    case OP_VADD:
    case OP_VADD2:
    case OP_VADD4:
        return a + b;
    case OP_VSUB:
    case OP_VSUB2:
    case OP_VSUB4:
        return a - b;
    case OP_VABSDIFF:
    case OP_VABSDIFF2:
    case OP_VABSDIFF4:
        return a < b ? b - a : a - b;
    case OP_VMIN:
    case OP_VMIN2:
    case OP_VMIN4:
        return a < b ? a : b;
    case OP_VMAX:
    case OP_VMAX2:
    case OP_VMAX4:
        return a > b ? a : b;
    case OP_VAVRG2:
    case OP_VAVRG4:
        return average(a + b);
    case OP_VSHL:
    case OP_VSHR:
        b = insn->flags & INSN_WRAP ? b & 31 : b > 32 ? 32 : b;
        return insn->op == OP_VSHR ? a >> b : (int64_t)((uint64_t)a << b);
    default:
        return holds(insn, a, b);
    }
}

/* ---- scalar ---------------------------------------------------------------------------------- */

static unsigned part_bits(uint16_t select)
{
    return !select_count(select) ? 32 : select & SELECT_HALVES ? 16 : 8;
}

static int64_t part(const struct insn *insn, const uint64_t *a, unsigned k)
{
    uint16_t select = insn_source(insn, k)->select;
    unsigned bits = part_bits(select);
    return extended(operand_type(insn, k), a[k] >> (bits * select_digit(select, 0) % 32), bits);
}

static uint64_t second_operation(const struct insn *insn, int64_t value, uint64_t c)
{
    int64_t third = result_is_signed(insn) ? signed_value(c, 32) : (int64_t)c;
    switch (insn->atom_op) {
    case ATOM_ADD:
        return (uint64_t)(value + third);
    case ATOM_MIN:
        return (uint64_t)(value < third ? value : third);
    case ATOM_MAX:
        return (uint64_t)(value > third ? value : third);
    default:
        return (uint64_t)value;
    }
}

static uint64_t scalar_video_result(const struct insn *insn, const uint64_t *a)
{
    uint16_t select = insn->operands[0].select;
    unsigned bits = part_bits(select), at = bits * select_digit(select, 0);
    int64_t value = operated(insn, part(insn, a, 0), part(insn, a, 1));
    if (insn->flags & INSN_SAT) value = clamped(value, result_is_signed(insn), bits);
    if (bits == 32) return second_operation(insn, value, a[2]);
    uint64_t mask = low_bits(UINT64_MAX, bits) << at;
    return (a[2] & ~mask) | ((uint64_t)value << at & mask);
}

static uint64_t multiply_add(const struct insn *insn, const uint64_t *a)
{
    bool negates = insn_source(insn, 0)->negate != insn_source(insn, 1)->negate;
    bool negates_sum = insn_source(insn, 2)->negate;
    bool is_signed = insn->type2 == TYPE_S32 || insn->type3 == TYPE_S32 || negates || negates_sum;
    __extension__ typedef __int128 int128;
    int128 product = (int128)part(insn, a, 0) * part(insn, a, 1);
    int128 third = is_signed ? signed_value(a[2], 32) : (int64_t)a[2];
    if (negates) product = -product;
    if (negates_sum) third = -third;
    int128 sum = product + third + (insn->flags & INSN_PLUS_ONE ? 1 : 0);
    sum >>= insn->sub_op == SUB_SHR7 ? 7 : insn->sub_op == SUB_SHR15 ? 15 : 0;
    int128 most = is_signed ? INT32_MAX : UINT32_MAX, least = is_signed ? INT32_MIN : 0;
    if (insn->flags & INSN_SAT) sum = sum > most ? most : sum < least ? least : sum;
    return (uint64_t)sum;
}

/* ---- SIMD ------------------------------------------------------------------------------------ */

/* Lane i of an operand: any of the parts of a and b together. By default a's own, or b's own. */
static int64_t lane(const struct insn *insn, const uint64_t *a, unsigned k, unsigned i,
                    unsigned lanes)
{
    uint16_t select = insn_source(insn, k)->select;
    unsigned from = select_count(select) ? select_digit(select, i) : i + (k ? lanes : 0);
    uint64_t both = a[1] << 32 | a[0];
    return extended(operand_type(insn, k), both >> (32 / lanes * from), 32 / lanes);
}

static bool is_enabled(uint16_t select, unsigned i)
{
    bool enabled = select_count(select) == 0;
    for (unsigned k = 0; k < select_count(select); k++)
        enabled = enabled || select_digit(select, k) == i;
    return enabled;
}

/* Each lane goes to its place, or with .add all are added to c. */
static uint64_t vector_result(const struct insn *insn, const uint64_t *a, unsigned lanes)
{
    unsigned bits = 32 / lanes;
    uint64_t d = a[2];
    for (unsigned i = 0; i < lanes; i++) {
        if (!is_enabled(insn->operands[0].select, i)) continue;
        int64_t value = operated(insn, lane(insn, a, 0, i, lanes), lane(insn, a, 1, i, lanes));
        if (insn->flags & INSN_SAT) value = clamped(value, result_is_signed(insn), bits);
        uint64_t mask = low_bits(UINT64_MAX, bits) << (bits * i);
        if (insn->atom_op == ATOM_ADD)
            d += (uint64_t)value;
        else
            d = (d & ~mask) | ((uint64_t)value << (bits * i) & mask);
    }
    return d;
}

bool scalar_video(const struct insn *insn, const uint64_t *a, uint64_t *d)
{
    if (op_infos[insn->op].form != FORM_VIDEO) return false;
    if (insn->op == OP_VMAD)
        *d = multiply_add(insn, a);
    else if (insn->op < OP_VADD2)
        *d = scalar_video_result(insn, a);
    else
        *d = vector_result(insn, a, insn->op < OP_VADD4 ? 2 : 4);
    return true;
}

// SPDX-License-Identifier: Apache-2.0
/* Logic, shifts and bit fields (PTX ISA 9.7.1, 9.7.8), bit by bit as the ISA's pseudo code has them. */
#include "reference/scalar.h"

static bool bit_of(uint64_t value, unsigned at)
{
    return value >> at & 1;
}

static uint64_t with_bit(uint64_t value, unsigned at, bool bit)
{
    uint64_t mask = UINT64_C(1) << at;
    return bit ? value | mask : value & ~mask;
}

static uint64_t lookup3(const uint64_t *a)
{
    uint64_t d = 0;
    for (unsigned i = 0; i < 32; i++) {
        unsigned row = (unsigned)(bit_of(a[0], i) << 2 | bit_of(a[1], i) << 1 | bit_of(a[2], i));
        d = with_bit(d, i, bit_of(a[3], row));
    }
    return d;
}

/* Bits shifted in are zeros, or the sign for shr of signed types; amounts beyond the width clamp. */
static uint64_t shifted(const struct insn *insn, uint64_t a, uint64_t amount)
{
    unsigned width = type_infos[insn->type].bits;
    bool sign = is_kind(insn->type, KIND_SIGNED) && bit_of(a, width - 1);
    uint64_t d = 0;
    for (unsigned i = 0; i < width; i++) {
        uint64_t from = insn->op == OP_SHL ? i - amount : i + amount;
        bool inside = insn->op == OP_SHL ? amount <= i : from < width;
        bool fill = insn->op == OP_SHR && sign;
        d = with_bit(d, i, inside ? bit_of(a, (unsigned)from) : fill);
    }
    return d;
}

static uint64_t funnel(const struct insn *insn, const uint64_t *a)
{
    unsigned n = (unsigned)(insn->flags & INSN_WRAP ? a[2] & 31 : a[2] > 32 ? 32 : a[2]);
    uint64_t both = a[1] << 32 | a[0];
    return insn->sub_op == SUB_LEFT ? (uint64_t)(both << n) >> 32 : both >> n;
}

static uint64_t extracted(const struct insn *insn, const uint64_t *a)
{
    unsigned msb = type_infos[insn->type].bits - 1u;
    unsigned pos = a[1] & 0xff, len = a[2] & 0xff, last = pos + len - 1;
    bool is_unsigned = is_kind(insn->type, KIND_UNSIGNED);
    bool sign = is_unsigned || len == 0 ? false : bit_of(a[0], last < msb ? last : msb);
    uint64_t d = 0;
    for (unsigned i = 0; i <= msb; i++)
        d = with_bit(d, i, i < len && pos + i <= msb ? bit_of(a[0], pos + i) : sign);
    return d;
}

static uint64_t inserted(const struct insn *insn, const uint64_t *a)
{
    unsigned msb = type_infos[insn->type].bits - 1u, pos = a[2] & 0xff, len = a[3] & 0xff;
    uint64_t f = a[1];
    for (unsigned i = 0; i < len && pos + i <= msb; i++)
        f = with_bit(f, pos + i, bit_of(a[0], i));
    return f;
}

/* Ones at positions start .. start + width - 1. */
static uint64_t bit_mask(const struct insn *insn, uint64_t start, uint64_t width)
{
    bool wraps = insn->flags & INSN_WRAP;
    if (wraps) start &= 31, width &= 31;
    uint64_t d = 0;
    for (uint64_t i = start; i < 32 && i - start < width; i++)
        d = with_bit(d, (unsigned)i, true);
    return d;
}

/* The lowest n bits, sign- or zero-extended (PTX ISA, szext). */
static uint64_t extended(const struct insn *insn, uint64_t a, uint64_t n)
{
    if (insn->flags & INSN_WRAP) n &= 31;
    if (n >= 32) return a;
    uint64_t low = low_bits(a, (unsigned)n);
    bool sign = insn->type == TYPE_S32 && n > 0 && bit_of(a, (unsigned)n - 1);
    return sign ? low | UINT64_MAX << n : low;
}

static unsigned byte_selected(const struct insn *insn, unsigned i, uint64_t c)
{
    unsigned n = c & 3;
    switch (insn->sub_op) {
    case SUB_F4E:
        return n + i;
    case SUB_B4E:
        return (n - i) & 7;
    case SUB_RC8:
        return n;
    case SUB_ECL:
        return i > n ? i : n;
    case SUB_ECR:
        return i < n ? i : n;
    case SUB_RC16:
        return (n & 1) * 2 + (i & 1);
    default:
        return (unsigned)(c >> (4 * i)) & 15;
    }
}

static uint64_t permuted(const struct insn *insn, const uint64_t *a)
{
    uint64_t bytes = a[1] << 32 | a[0], d = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned selected = byte_selected(insn, i, a[2]);
        uint64_t byte = bytes >> (8 * (selected & 7)) & 0xff;
        if (selected & 8) byte = byte & 0x80 ? 0xff : 0; /* its sign, replicated */
        d |= byte << (8 * i);
    }
    return d;
}

static uint64_t bits_set(uint64_t a)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < 64; i++)
        count += bit_of(a, i);
    return count;
}

static uint64_t leading_zeros(uint64_t a, unsigned width)
{
    unsigned count = 0;
    while (count < width && !bit_of(a, width - 1 - count))
        count++;
    return count;
}

static uint64_t reversed(uint64_t a, unsigned width)
{
    uint64_t d = 0;
    for (unsigned i = 0; i < width; i++)
        d = with_bit(d, i, bit_of(a, width - 1 - i));
    return d;
}

static uint64_t highest_found(const struct insn *insn, uint64_t a)
{
    unsigned width = type_infos[insn->type].bits;
    if (is_kind(insn->type, KIND_SIGNED) && signed_value(a, width) < 0) a = low_bits(~a, width);
    uint64_t zeros = leading_zeros(a, width);
    if (zeros == width) return UINT32_MAX;
    return insn->flags & INSN_SHIFTAMT ? zeros : width - 1 - zeros;
}

/* The n-th bit that is set, from bit `base` on; upwards or downwards by the sign of n. */
static uint64_t nth_set(const uint64_t *a)
{
    int64_t base = (int64_t)a[1], offset = signed_value(a[2], 32);
    if (offset == 0) return bit_of(a[0], (unsigned)base) ? (uint64_t)base : UINT32_MAX;
    int64_t count = offset < 0 ? -offset : offset;
    for (int64_t at = base; at >= 0 && at<32; at += offset> 0 ? 1 : -1)
        if (bit_of(a[0], (unsigned)at) && --count == 0) return (uint64_t)at;
    return UINT32_MAX;
}

static bool logic(const struct insn *insn, const uint64_t *a, uint64_t *d)
{
    switch (insn->op) {
    case OP_AND:
        *d = a[0] & a[1];
        return true;
    case OP_OR:
        *d = a[0] | a[1];
        return true;
    case OP_XOR:
        *d = a[0] ^ a[1];
        return true;
    case OP_NOT:
        *d = ~a[0];
        return true;
    case OP_CNOT:
        *d = a[0] == 0;
        return true;
    case OP_LOP3:
        *d = lookup3(a);
        if (insn->combine == COMBINE_AND) d[1] = *d != 0 && a[4];
        if (insn->combine == COMBINE_OR) d[1] = *d != 0 || a[4];
        return true;
    default:
        return false;
    }
}

bool scalar_bits(const struct insn *insn, const uint64_t *a, uint64_t *d)
{
    unsigned width = type_infos[insn->type].bits;
    switch (insn->op) {
    case OP_SHL:
    case OP_SHR:
        *d = shifted(insn, a[0], a[1]);
        return true;
    case OP_SHF:
        *d = funnel(insn, a);
        return true;
    case OP_BFE:
        *d = extracted(insn, a);
        return true;
    case OP_BFI:
        *d = inserted(insn, a);
        return true;
    case OP_SZEXT:
        *d = extended(insn, a[0], a[1]);
        return true;
    case OP_BMSK:
        *d = bit_mask(insn, a[0], a[1]);
        return true;
    case OP_PRMT:
        *d = permuted(insn, a);
        return true;
    case OP_POPC:
        *d = bits_set(a[0]);
        return true;
    case OP_CLZ:
        *d = leading_zeros(a[0], width);
        return true;
    case OP_BREV:
        *d = reversed(a[0], width);
        return true;
    case OP_BFIND:
        *d = highest_found(insn, a[0]);
        return true;
    case OP_FNS:
        *d = nth_set(a);
        return true;
    default:
        return logic(insn, a, d);
    }
}

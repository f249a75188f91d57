// SPDX-License-Identifier: Apache-2.0
/* What one instruction makes of the operands of one thread, written from the PTX ISA alone. Operands
 * are bits, zero-extended from the type that the instruction reads them in. Each function answers
 * false for an instruction that is not of its family. */
#ifndef REFERENCE_SCALAR_H
#define REFERENCE_SCALAR_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/insn.h"

/* carry: CC.CF, read and written by the extended-precision forms. */
bool scalar_integer(const struct insn *insn, const uint64_t *a, bool *carry, uint64_t *d);
bool scalar_bits(const struct insn *insn, const uint64_t *a, uint64_t *d);
bool scalar_float(const struct insn *insn, const uint64_t *a, uint64_t *d);
bool scalar_packed(const struct insn *insn, const uint64_t *a, uint64_t *d);
/* Of which a packed type consists; TYPE_NONE for the others. */
unsigned scalar_element_type(unsigned type);
/* setp gives two results. */
bool scalar_select(const struct insn *insn, const uint64_t *a, uint64_t *d);
bool scalar_narrow(const struct insn *insn, const uint64_t *a, uint64_t *d);
bool scalar_video(const struct insn *insn, const uint64_t *a, uint64_t *d);
bool scalar_convert(const struct insn *insn, const uint64_t *a, uint64_t *d);
/* The new value of an atomically accessed word. */
uint64_t scalar_atomic(const struct insn *insn, uint64_t old, const uint64_t *a);

static inline uint64_t low_bits(uint64_t value, unsigned bits)
{
    return bits >= 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

static inline int64_t signed_value(uint64_t value, unsigned bits)
{
    uint64_t sign = UINT64_C(1) << (bits - 1);
    return (int64_t)((low_bits(value, bits) ^ sign) - sign);
}

static inline bool is_kind(unsigned type, enum type_kind kind)
{
    return type_infos[type].kind == kind;
}

/* Pieces that several families share. */
uint64_t float_flush(unsigned type, uint64_t value);
uint64_t float_saturate(unsigned type, uint64_t value);

#endif

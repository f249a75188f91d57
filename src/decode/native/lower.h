// SPDX-License-Identifier: Apache-2.0
/* From what a native word says (word.h) to what the engine executes (isa/insn.h): PTX's operation where it
 * has one, else one of isa/native_ops.def. lower.def has a row a base opcode; the functions, by topic,
 * are in lower_*.c. They read the text of the opcode and the operands, never bits. */
#ifndef DECODE_NATIVE_LOWER_H
#define DECODE_NATIVE_LOWER_H

#include "base/arena.h"
#include "decode/native/word.h"
#include "isa/insn.h"
#include "isa/native_modifiers.h"
#include "isa/sass.h"

struct lowering {
    const struct native_insn *in;
    struct insn *out;
    struct arena *arena; /* of the module */
    unsigned target;
    uint64_t pc; /* address of the instruction in the space of code (module.h: code_range) */
    /* The word's relocation names data: what an immediate operand is part of; -1: none. */
    int32_t symbol;
    int64_t addend;
    unsigned symbol_shift;
    bool reads_lanes; /* out: what goes to a uniform register depends on the active lanes */
    /* Sections of constants, as variables, by bank; -1: none. */
    const int32_t *banks;
};

/* False: what the instruction asks for is not executed; the instruction is then refused when it is reached. */
typedef bool lower_fn(struct lowering *l);

enum { NATIVE_BANKS = 32 };

/* Lowers by lower.def; *out has its guard, text and places already. */
bool native_lower(struct lowering *l);

/* What the core is told of its issue. */
struct insn_control native_insn_control(const struct native_insn *in);

/* ---- for lower_*.c --------------------------------------------------------------------------- */

static inline bool has(const struct lowering *l, const char *modifier)
{
    return sass_has_modifier(l->in->opcode, modifier);
}
/* Operand i in the order of the text, hidden ones too; NULL: beyond the last. */
const struct native_operand *lower_operand(const struct lowering *l, unsigned i);
/* The k-th operand that is (or is not) a predicate, of either kind; operand_count: beyond the last. */
unsigned lower_find(const struct lowering *l, bool is_predicate, unsigned k);
/* Of the operand's suffix: ".H1" of R2.H1_H1 */
bool operand_has(const struct native_operand *operand, const char *suffix);

static inline void lower_to(struct lowering *l, enum ptx_op op, enum ptx_type type)
{
    l->out->op = (uint16_t)op;
    l->out->type = (uint8_t)type;
}

/* Destinations, to be given before all sources. RZ and PT drop the result. */
void to_register(struct lowering *l, unsigned i);
void to_pair(struct lowering *l, unsigned i);
void to_registers(struct lowering *l, unsigned i, unsigned count);
void to_predicate(struct lowering *l, unsigned i);
void to_nowhere(struct lowering *l); /* a 32-bit result that is not wanted */
void to_no_predicate(struct lowering *l);
void to_vreg(struct lowering *l, int32_t vreg); /* a hidden register: VREG_BARRIER_TRUE */

/* Sources: operand i as 32 bits (register, uniform register, constant, immediate), as a pair, as a
 * predicate (with its !), as `count` registers one after the other. Signs (-, | |) go along and are
 * applied if the operation is PTX's; those of native operations are given in insn.modifiers. */
void from_value(struct lowering *l, unsigned i);
void from_pair(struct lowering *l, unsigned i);
void from_predicate(struct lowering *l, unsigned i);
void from_registers(struct lowering *l, unsigned i, unsigned count);
void from_number(struct lowering *l, uint64_t value);
void from_wide_number(struct lowering *l, uint64_t value); /* of 64 bits, as a pair */
void from_true(struct lowering *l, bool value);
void from_nothing(struct lowering *l);
void from_vreg(struct lowering *l, int32_t vreg, enum operand_width width);
void from_bank(struct lowering *l, unsigned bank, uint64_t offset); /* 32 bits of a constant */
void from_special(struct lowering *l, enum special_register special);
/* [register + uniform + offset] of operand i, for OP_LD, OP_ST, OP_ATOM, OP_RED and their like. */
void from_address(struct lowering *l, unsigned i);
/* c[bank][register + offset] as an address; false: no such bank. Sets insn.space. */
bool from_constant_address(struct lowering *l, unsigned i);

/* NM_ flags: is source i of the text negated or inverted? */
static inline int64_t inverted(const struct lowering *l, unsigned i, int64_t flag)
{
    const struct native_operand *operand = lower_operand(l, i);
    return operand && (operand->negate || operand->invert) ? flag : 0;
}

/* Is operand i a predicate other than PT? */
static inline bool names_predicate(const struct lowering *l, unsigned i)
{
    const struct native_operand *operand = lower_operand(l, i);
    return operand && operand->number != NATIVE_PT;
}
/* A number for insn.modifiers, from bit NM_VALUE_AT on. */
static inline int64_t value_bits(int64_t value)
{
    return (int64_t)((uint64_t)value << NM_VALUE_AT);
}
/* Is a source negated, inverted or absolute, which PTX's operation would not know? */
bool has_signs(const struct lowering *l);
/* Operation: d, then the sources in the order of the text, predicates left out; false: too few. */
bool lower_as(struct lowering *l, enum ptx_op op, enum ptx_type type, unsigned sources);

#define LOWER(text, function) bool lower_##function(struct lowering *l);
#include "decode/native/lower.def"
#undef LOWER

#endif

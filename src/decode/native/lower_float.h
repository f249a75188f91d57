// SPDX-License-Identifier: Apache-2.0
/* What the lowering of floating-point instructions shares. */
#ifndef DECODE_NATIVE_LOWER_FLOAT_H
#define DECODE_NATIVE_LOWER_FLOAT_H

#include "decode/native/lower.h"

/* .RM, .FTZ, .SAT, .RELU, .NAN ... to insn.rounding and insn.flags */
void set_float_modifiers(struct lowering *l);
/* The first word of the opcode that is a comparison of floats; CMP_NONE: PTX lacks it. */
enum compare float_compare(const struct lowering *l);
enum combine float_combine(const struct lowering *l);
/* The operand that was given last: its signs are applied although the operation is native. */
void apply_signs(struct lowering *l);
/* More VALUE_ flags of the operand that was given last. */
void change_value(struct lowering *l, unsigned flags);
/* NM_NEGATED_AT and NM_ABSOLUTE_AT of the sources first, first + 1 .. of the text. */
int64_t sign_bits(const struct lowering *l, unsigned first, unsigned count);
/* PT or !PT, so that the choice between least and greatest is known. */
bool is_constant_predicate(const struct native_operand *operand);

#endif

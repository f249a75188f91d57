// SPDX-License-Identifier: Apache-2.0
/* What insn.modifiers says to the operations of native_ops.def. */
#ifndef ISA_NATIVE_MODIFIERS_H
#define ISA_NATIVE_MODIFIERS_H

enum native_modifiers {
    /* -a or, of .X, ~a: bit k for source k; carries out of and into sums are predicates */
    NM_INVERT_A = 1,
    NM_INVERT_B = 2,
    NM_INVERT_C = 4,
    NM_X = 8, /* carries come in */
    NM_SIGNED = 16,
    NM_HIGH = 32,
    NM_RIGHT = 64, /* SHF */
    NM_WRAP = 128, /* SHF.W */
    NM_SX32 = 256, /* LEA.HI.SX32 */
    NM_WIDE = 512, /* SHF.S64, .U64 */
    NM_NOT_RESULT = 1024,
    NM_EX = 2048,    /* ISETP.EX */
    NM_VALUE_AT = 16 /* from this bit on: a shift, a table, a comparison and how it is combined */
};

#endif

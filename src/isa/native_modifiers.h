// SPDX-License-Identifier: Apache-2.0
/* What insn.modifiers says to the operations of native_ops.def. */
#ifndef ISA_NATIVE_MODIFIERS_H
#define ISA_NATIVE_MODIFIERS_H

#include <stdint.h>

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
    NM_EX = 2048,         /* ISETP.EX */
    NM_FILL = 4096,       /* LDGSTS.ZFILL */
    NM_LOW_HANDLE = 8192, /* TEX: the handle is its lower 32 bits */
    NM_ACCUMULATE = 4096, /* VABSDIFF4.ACC */
    NM_HALVES = 8192,     /* two numbers of 16 bits */
    NM_RELU = 16384,
    NM_EXCLUSIVE = 1, /* WARPSYNC */
    NM_SERVED =
        1, /* SYNCS.ARRIVE.TMASK: below the state's upper half, the lanes served together: one */
    NM_VALUE_AT = 16, /* from this bit on: a shift, a table, a comparison and how it is combined */
    FMUL_SCALE_MOST = 3, /* FMUL.M8, and the other way .D8 */
    /* floating point: from this bit on, one for each source, those that are negated or absolute */
    NM_NEGATED_AT = 32,
    NM_ABSOLUTE_AT = 36,
    NM_HIGH_HALF_AT = 40,   /* HADD2.F32: the upper halves of those; HFMA2: in both places */
    NM_LOW_HALF_AT = 44,    /* HFMA2: the lower halves of those in both places */
    NM_SECOND_ALONE = 32768 /* HADD2.F32: the first source adds nothing */
};

/* Code of sm_90 makes a generic address of an offset in shared memory and SR_SWINHI, its upper 32 bits: a
 * window above the memory of all devices, with the same bytes as the other one (devmem.h). */
#define SHARED_WINDOW_HIGH (UINT64_C(1) << 45)
/* Functions that the engine has itself (builtins.def) lie above that, 16 bytes apart. */
#define NATIVE_BUILTINS (SHARED_WINDOW_HIGH + (UINT64_C(1) << 32))
static inline uint64_t native_builtin_address(unsigned builtin)
{
    return NATIVE_BUILTINS + 16u * builtin;
}

#endif

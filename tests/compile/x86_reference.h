// SPDX-License-Identifier: Apache-2.0
/* What each form of compile/x86_forms.def computes, in plain C after the Intel manual, volume 2. */
#ifndef TESTS_X86_REFERENCE_H
#define TESTS_X86_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "compile/x86.h"

union vector {
    uint8_t u8[64];
    int8_t s8[64];
    uint16_t u16[32];
    int16_t s16[32];
    uint32_t u32[16];
    int32_t s32[16];
    uint64_t u64[8];
    int64_t s64[8];
    float f32[16];
    double f64[8];
} __attribute__((aligned(64)));

/* Operands: `second` and `last` as x86_vector names them, `result` what the result has before. */
struct given {
    union vector second, last, result;
    int imm;
};

enum place_of_result {
    RESULT_FIRST,  /* the first operand is the result, */
    RESULT_SECOND, /* the second, of shifts by a constant, */
    RESULT_LAST,   /* the last, the first being the source, */
    RESULT_MASK    /* or a mask */
};

struct reference {
    void (*compute)(const struct given *given,
                    union vector *out); /* out: zeros before; a mask in u32[0] */
    uint8_t place, lanes, lane_bytes;   /* of the result; of a mask the lanes only */
    uint8_t spread; /* bytes of an element that may stand for the last operand; 0: none */
    bool has_second;
    bool rounds;                          /* takes a rounding mode; then the C environment has it */
    bool is_from_general, is_memory_only; /* the last operand: a general register; in memory only */
    bool is_approximate;                  /* within 2^-14 */
    bool is_register_only;                /* it has no mask, either */
    bool is_blend;                        /* without the mask it takes the second operand */
    int imms[4];                          /* ends with -1 */
    void (*prepare)(struct given *given);
};
extern const struct reference x86_references[X86_FORMS];

#endif

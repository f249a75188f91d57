// SPDX-License-Identifier: Apache-2.0
/* Native instructions (SASS) of sm_75 and later: a word of 128 bits, what it says, and its text as
 * NVIDIA's disassembler writes it. rows.def has a row a variant; picture.h tells how rows are read. */
#ifndef DECODE_NATIVE_WORD_H
#define DECODE_NATIVE_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

struct native_word {
    uint64_t low, high;
};

enum { NATIVE_WORD_BYTES = 16 };
enum { NATIVE_RZ = 255, NATIVE_URZ = 63, NATIVE_PT = 7 };

enum native_kind {
    NATIVE_REGISTER,          /* number: R5; NATIVE_RZ reads as zero */
    NATIVE_UNIFORM,           /* UR5; NATIVE_URZ */
    NATIVE_PREDICATE,         /* P2; NATIVE_PT is true */
    NATIVE_UNIFORM_PREDICATE, /* UP2 */
    NATIVE_BARRIER,           /* B0: of convergence */
    NATIVE_SCOREBOARD,        /* SB0 */
    NATIVE_SPECIAL,           /* SR_TID.X: value is its number */
    NATIVE_INTEGER,           /* value */
    NATIVE_F32,               /* value: bits of the number */
    NATIVE_F64,               /* value: the upper 32 bits */
    NATIVE_HALVES,            /* value: bits of two, the first written one in the upper half */
    NATIVE_BF16_HALVES,       /* the same of bfloat16 */
    NATIVE_HALF,              /* value: bits of one, in the lower half */
    NATIVE_BF16,              /* the same of bfloat16 */
    NATIVE_CONSTANT,          /* c[bank][R number + UR uniform + value]; number NATIVE_RZ: none */
    NATIVE_BINDLESS,          /* cx[UR uniform][value] */
    NATIVE_DESCRIPTOR,        /* gdesc[UR number]: of a matrix in shared memory */
    NATIVE_ADDRESS,           /* [R number + UR uniform + value] */
    NATIVE_TARGET,            /* value: address of code */
    NATIVE_SET,               /* value: a bit for each element: {5,0} */
    NATIVE_WORDS,             /* text: a choice of words, such as the kind of a texture */
};

enum { NATIVE_NO_SLOT = 3, NATIVE_REUSE_AT = 122 };

struct native_operand {
    uint8_t kind;
    char role; /* the letter of its token (picture.h): 'd', 'a', 'b', .. */
    bool negate, absolute, invert, reuse; /* invert: !P0, or ~R3 */
    uint8_t slot;                         /* of the operand cache: 0 to 2; NATIVE_NO_SLOT */
    bool is_hidden;                       /* has the value that is not written */
    bool is_before_blank;                 /* a blank follows, no comma */
    bool has_register, has_uniform, has_descriptor; /* of an address */
    uint16_t number, uniform, bank;
    int64_t value;
    const char *suffix;  /* ".64", ".H0_H0", several in a row; "" */
    uint16_t descriptor; /* uniform register */
    const char *name;    /* of a special register; NULL: unknown */
    const char *label;   /* written instead of the value of an integer or a target; NULL */
};

/* Bits 105 to 125 (doc/native.md). */
struct native_control {
    uint8_t stall;         /* cycles until the warp may issue again */
    bool yield;            /* bit 109 as it stands */
    uint8_t write_counter; /* counts up now, down when the result is there; 7: none */
    uint8_t read_counter;  /* down when the sources are read; 7: none */
    uint8_t awaited;       /* set of counters that must be 0 first */
    uint8_t reuse;         /* bit i: the register of slot i stays in the operand cache */
};

enum { NATIVE_OPERANDS_MAX = 10, NATIVE_OPCODE_MAX = 80, NATIVE_SUFFIX_MAX = 24 };

struct native_insn {
    char opcode[NATIVE_OPCODE_MAX]; /* "IMAD.WIDE.U32" */
    uint8_t guard;                  /* NATIVE_PT: none */
    bool guard_inverted, guard_uniform;
    uint8_t operand_count;
    struct native_operand operands[NATIVE_OPERANDS_MAX];
    char suffixes[NATIVE_OPERANDS_MAX][NATIVE_SUFFIX_MAX];
    struct native_control control;
};

static inline uint64_t native_bits(struct native_word word, unsigned at, unsigned width)
{
    uint64_t value = at >= 64  ? word.high >> (at - 64)
                     : at == 0 ? word.low
                               : word.low >> at | word.high << 1 << (63 - at);
    return width >= 64 ? value : value & ((UINT64_C(1) << width) - 1);
}

struct native_control native_control_of(struct native_word word);

/* What the word at address `pc` says to sm_`target`; false: no row has this word. */
bool native_decode(unsigned target, struct native_word word, uint64_t pc, struct native_insn *out);
/* Its text without the guard, e.g. "IADD3 R2, R2, 0x1, RZ". */
void native_print(const struct native_insn *insn, struct strbuf *out);
/* "@!P0 " or "". */
void native_print_guard(const struct native_insn *insn, struct strbuf *out);
/* "SR_TID.X"; NULL: unknown. */
const char *native_special_name(unsigned target, unsigned number);
/* What rows.def says wrongly, as text; NULL: nothing. For tests. */
const char *native_rows_fault(void);

#endif

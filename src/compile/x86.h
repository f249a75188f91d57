// SPDX-License-Identifier: Apache-2.0
/* Writes machine code of x86-64 with AVX-512 (x86-64-v4): a table of forms, encoded by one function for each
 * encoding. Displacements of vector instructions always have four bytes: no form then has to say how they scale. */
#ifndef COMPILE_X86_H
#define COMPILE_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct assembler {
    unsigned char *bytes;
    uint32_t used, room;
};

enum gpr { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

/* An operand: a register of any kind, or memory at base + offset, and perhaps index << scale. */
struct x86_place {
    bool is_memory, is_element; /* element: one of 32 or 64 bits, for all lanes */
    uint8_t reg;                /* the register, or the base */
    int32_t offset;
    uint8_t rounding; /* enum x86_rounding, of a register that is the last operand */
    bool has_index;
    uint8_t index, scale; /* a general register; of gathers and scatters a vector of addresses */
};
static inline struct x86_place x86_reg(unsigned reg)
{
    return (struct x86_place){.reg = (uint8_t)reg};
}
static inline struct x86_place x86_at(unsigned base, int32_t offset)
{
    return (struct x86_place){.is_memory = true, .reg = (uint8_t)base, .offset = offset};
}
static inline struct x86_place x86_element(unsigned base, int32_t offset)
{
    return (struct x86_place){
        .is_memory = true, .is_element = true, .reg = (uint8_t)base, .offset = offset};
}
enum x86_rounding {
    X86_ROUND_DEFAULT,
    X86_ROUND_NEAREST,
    X86_ROUND_DOWN,
    X86_ROUND_UP,
    X86_ROUND_ZERO,
};
static inline struct x86_place x86_rounded(unsigned reg, enum x86_rounding rounding)
{
    return (struct x86_place){.reg = (uint8_t)reg, .rounding = (uint8_t)rounding};
}
static inline struct x86_place x86_indexed(unsigned base, int32_t offset, unsigned index,
                                           unsigned scale)
{
    return (struct x86_place){.is_memory = true,
                              .reg = (uint8_t)base,
                              .offset = offset,
                              .has_index = true,
                              .index = (uint8_t)index,
                              .scale = (uint8_t)scale};
}

enum x86_form {
#define FORM(name, map, prefix, w, opcode, extension) X86_##name,
#include "compile/x86_forms.def"
#undef FORM
    X86_FORMS
};

/* EVEX: reg is the first operand, second the one in vvvv (0: none), rm the last; k: the mask, 0: none.
 * imm: -1: none. Of a form with an extension `second` is the result. */
void x86_vector(struct assembler *a, enum x86_form form, unsigned reg, unsigned second,
                struct x86_place rm, unsigned k, int imm);

/* Masks. */
void x86_mask_load(struct assembler *a, unsigned k, struct x86_place from);     /* kmovd k, m32 */
void x86_mask_of_gpr(struct assembler *a, unsigned k, unsigned gpr);            /* kmovd k, r32 */
void x86_mask_to_gpr(struct assembler *a, unsigned gpr, unsigned k);            /* kmovd r32, k */
void x86_mask_shift(struct assembler *a, unsigned to, unsigned k, unsigned by); /* kshiftrd */
void x86_mask_join(struct assembler *a, unsigned to, unsigned high, unsigned low,
                   bool is_word); /* kunpckwd, kunpckbw */
void x86_mask_or(struct assembler *a, unsigned to, unsigned k, unsigned other); /* kord */
void x86_mask_not(struct assembler *a, unsigned to, unsigned k);                /* knotd */
void x86_mask_test(struct assembler *a, unsigned k, unsigned other);            /* kortestw */

/* Integer instructions: opcode of one byte, or 0x0f and one; reg: an operand, or /n. */
void x86_scalar(struct assembler *a, bool is_wide, unsigned opcode, unsigned reg,
                struct x86_place rm);
enum {
    X86_ADD = 0x03,
    X86_OR = 0x0b,
    X86_AND = 0x23,
    X86_SUB = 0x2b,
    X86_XOR = 0x33,
    X86_CMP = 0x3b,
    X86_STORE = 0x89,
    X86_LOAD = 0x8b,
    X86_LEA = 0x8d,
    X86_TEST = 0x85,
    X86_MUL = 0x0faf,
    X86_STORE_BYTE = 0x88,
    X86_CMOV = 0x0f40, /* | condition */
};
/* lock cmpxchg: the word becomes `gpr` if it is as rax, else rax what it is. */
void x86_compare_swap(struct assembler *a, bool is_wide, unsigned gpr, struct x86_place at);
void x86_store_word(struct assembler *a, unsigned gpr, struct x86_place to); /* 16 bits */
void x86_low_word(struct assembler *a, unsigned gpr, unsigned vector);       /* vmovq r64, xmm */
void x86_first_bit(struct assembler *a, unsigned to, unsigned from);         /* tzcnt, 32 bits */
void x86_deposit(struct assembler *a, unsigned to, unsigned bits,
                 unsigned mask);                                     /* pdep, 32 bits */
void x86_shift_right(struct assembler *a, unsigned gpr, uint8_t by); /* 32 bits */
void x86_shift_right_64(struct assembler *a, unsigned gpr, uint8_t by);
void x86_divide(struct assembler *a, unsigned gpr); /* cqo, idiv: rax by it; changes rdx */
/* 64 bits. */
enum x86_arithmetic { X86_ADD_IMM = 0, X86_AND_IMM = 4, X86_SUB_IMM = 5, X86_CMP_IMM = 7 };
void x86_imm(struct assembler *a, enum x86_arithmetic what, unsigned gpr, int32_t imm);
void x86_add_at(struct assembler *a, struct x86_place to, int8_t imm);     /* 64 bits */
void x86_store_imm(struct assembler *a, struct x86_place to, int32_t imm); /* 32 bits */
void x86_store_imm_64(struct assembler *a, struct x86_place to, int32_t imm);
void x86_cmp_imm(struct assembler *a, struct x86_place at, int8_t imm); /* 32 bits */
void x86_test_byte(struct assembler *a, struct x86_place at, uint8_t imm);
void x86_not(struct assembler *a, unsigned gpr); /* 32 bits */
void x86_load_imm(struct assembler *a, unsigned gpr, uint64_t imm);
void x86_push(struct assembler *a, unsigned gpr);
void x86_pop(struct assembler *a, unsigned gpr);
void x86_call(struct assembler *a, const void *function); /* through rax */
void x86_return(struct assembler *a);
void x86_clear_upper(struct assembler *a); /* vzeroupper */

/* Conditions of jumps and moves, as they are encoded. */
enum x86_condition {
    X86_CARRY = 2,
    X86_BELOW = 2,
    X86_ABOVE_EQUAL = 3,
    X86_EQUAL = 4,
    X86_NOT_EQUAL = 5,
    X86_BELOW_EQUAL = 6,
    X86_ABOVE = 7,
    X86_LESS = 12,
    X86_GREATER = 15,
    X86_ALWAYS = 16
};
/* A jump to a place that x86_land or x86_land_at tells; its number. */
uint32_t x86_jump(struct assembler *a, enum x86_condition condition);
void x86_land_at(struct assembler *a, uint32_t jump, uint32_t target);
static inline void x86_land(struct assembler *a, uint32_t jump)
{
    x86_land_at(a, jump, a->used);
}
/* A call of code at a place of the assembler's. */
void x86_call_at(struct assembler *a, uint32_t target);

#endif

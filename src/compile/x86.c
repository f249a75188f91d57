// SPDX-License-Identifier: Apache-2.0
/* Encodings: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2. */
#include "compile/x86.h"

#include <string.h>

#include "base/memory.h"

static const struct {
    uint8_t map, prefix, w, opcode;
    int8_t extension;
} forms[X86_FORMS] = {
#define FORM(name, map, prefix, w, opcode, extension) {map, prefix, w, opcode, extension},
#include "compile/x86_forms.def"
#undef FORM
};

enum { INSTRUCTION_BYTES_MAX = 15 };

static void put(struct assembler *a, unsigned byte)
{
    if (a->room - a->used < INSTRUCTION_BYTES_MAX) {
        a->room = a->room ? 2 * a->room : 4096;
        a->bytes = mem_realloc(a->bytes, a->room);
    }
    a->bytes[a->used++] = (unsigned char)byte;
}

static void put_word(struct assembler *a, uint32_t word)
{
    for (unsigned k = 0; k < 4; k++)
        put(a, word >> (8 * k) & 0xff);
}

/* ModRM, SIB and displacement. Bases rsp and r12 need a SIB byte. */
static void put_operand(struct assembler *a, unsigned reg, struct x86_place rm)
{
    unsigned field = (reg & 7) << 3 | (rm.reg & 7);
    if (!rm.is_memory) {
        put(a, 0xc0 | field);
        return;
    }
    if (rm.has_index) {
        put(a, 0x80 | (reg & 7) << 3 | 4);
        put(a, (unsigned)rm.scale << 6 | (rm.index & 7u) << 3 | (rm.reg & 7u));
        put_word(a, (uint32_t)rm.offset);
        return;
    }
    put(a, 0x80 | field);
    if ((rm.reg & 7) == RSP) put(a, 0x24);
    put_word(a, (uint32_t)rm.offset);
}

/* ---- vectors --------------------------------------------------------------------------------- */

void x86_vector(struct assembler *a, enum x86_form form, unsigned reg, unsigned second,
                struct x86_place rm, unsigned k, int imm)
{
    enum { LENGTH_512 = 2 << 5 };
    if (forms[form].extension >= 0) reg = (unsigned)forms[form].extension;
    unsigned x = rm.is_memory ? 0 : rm.reg >> 4; /* the fifth bit of a register */
    if (rm.has_index) {                          /* a vector: its fourth and fifth bit */
        x = rm.index >> 3 & 1u;
        second |= rm.index & 16u;
    }
    unsigned high = (reg >> 3 & 1) << 7 | x << 6 | (rm.reg >> 3 & 1u) << 5 | (reg >> 4 & 1) << 4;
    put(a, 0x62);
    put(a, (high ^ 0xf0) | forms[form].map);
    put(a, (unsigned)forms[form].w << 7 | (~second & 15) << 3 | 4 | forms[form].prefix);
    bool spreads = rm.is_element && form != X86_BROADCAST_32 && form != X86_BROADCAST_64;
    unsigned length = rm.rounding ? (rm.rounding - 1u) << 5 | 0x10 : LENGTH_512;
    put(a, length | (spreads ? 0x10 : 0) | (~second >> 4 & 1) << 3 | k);
    put(a, forms[form].opcode);
    put_operand(a, reg, rm);
    if (imm >= 0) put(a, (unsigned)imm);
}

void x86_low_word(struct assembler *a, unsigned gpr, unsigned vector)
{
    unsigned high = (vector >> 3 & 1) << 7 | (gpr >> 3 & 1) << 5 | (vector >> 4 & 1) << 4;
    put(a, 0x62);
    put(a, (high ^ 0xf0) | 1);
    put(a, 0xfd);
    put(a, 0x08);
    put(a, 0x7e);
    put_operand(a, vector, x86_reg(gpr));
}

/* ---- masks: VEX ------------------------------------------------------------------------------ */

enum { VEX_128 = 0, VEX_256 = 4 };

static void vex(struct assembler *a, unsigned map, unsigned bits, unsigned opcode, unsigned reg,
                unsigned second, struct x86_place rm)
{
    unsigned high = (reg >> 3 & 1) << 7 | (rm.reg >> 3 & 1u) << 5;
    put(a, 0xc4);
    put(a, (high ^ 0xe0) | map);
    put(a, bits | (~second & 15) << 3);
    put(a, opcode);
    put_operand(a, reg, rm);
}

enum { W1 = 0x80, PREFIX_66 = 1, PREFIX_F2 = 3 };

void x86_mask_load(struct assembler *a, unsigned k, struct x86_place from)
{
    vex(a, 1, W1 | VEX_128 | PREFIX_66, 0x90, k, 0, from);
}

void x86_mask_of_gpr(struct assembler *a, unsigned k, unsigned gpr)
{
    vex(a, 1, VEX_128 | PREFIX_F2, 0x92, k, 0, x86_reg(gpr));
}

void x86_mask_to_gpr(struct assembler *a, unsigned gpr, unsigned k)
{
    vex(a, 1, VEX_128 | PREFIX_F2, 0x93, gpr, 0, x86_reg(k));
}

void x86_mask_shift(struct assembler *a, unsigned to, unsigned k, unsigned by)
{
    vex(a, 3, VEX_128 | PREFIX_66, 0x31, to, 0, x86_reg(k));
    put(a, by);
}

void x86_mask_join(struct assembler *a, unsigned to, unsigned high, unsigned low, bool is_word)
{
    vex(a, 1, VEX_256 | (is_word ? 0 : PREFIX_66), 0x4b, to, high, x86_reg(low));
}

void x86_mask_or(struct assembler *a, unsigned to, unsigned k, unsigned other)
{
    vex(a, 1, W1 | VEX_256 | PREFIX_66, 0x45, to, k, x86_reg(other));
}

void x86_mask_not(struct assembler *a, unsigned to, unsigned k)
{
    vex(a, 1, W1 | VEX_128 | PREFIX_66, 0x44, to, 0, x86_reg(k));
}

void x86_mask_test(struct assembler *a, unsigned k, unsigned other)
{
    vex(a, 1, VEX_128, 0x98, k, 0, x86_reg(other));
}

void x86_clear_upper(struct assembler *a)
{
    put(a, 0xc5), put(a, 0xf8), put(a, 0x77);
}

/* ---- integers -------------------------------------------------------------------------------- */

void x86_scalar(struct assembler *a, bool is_wide, unsigned opcode, unsigned reg,
                struct x86_place rm)
{
    unsigned x = rm.has_index ? rm.index >> 3 & 1u : 0;
    put(a, 0x40 | (is_wide ? 8u : 0) | (reg >> 3 & 1) << 2 | x << 1 | (rm.reg >> 3 & 1u));
    if (opcode > 0xff) put(a, 0x0f);
    put(a, opcode & 0xff);
    put_operand(a, reg, rm);
}

void x86_compare_swap(struct assembler *a, bool is_wide, unsigned gpr, struct x86_place at)
{
    put(a, 0xf0);
    x86_scalar(a, is_wide, 0x0fb1, gpr, at);
}

void x86_store_word(struct assembler *a, unsigned gpr, struct x86_place to)
{
    put(a, 0x66);
    x86_scalar(a, false, X86_STORE, gpr, to);
}

void x86_first_bit(struct assembler *a, unsigned to, unsigned from)
{
    put(a, 0xf3);
    x86_scalar(a, false, 0x0fbc, to, x86_reg(from));
}

void x86_deposit(struct assembler *a, unsigned to, unsigned bits, unsigned mask)
{
    vex(a, 2, VEX_128 | PREFIX_F2, 0xf5, to, bits, x86_reg(mask));
}

void x86_shift_right(struct assembler *a, unsigned gpr, uint8_t by)
{
    x86_scalar(a, false, 0xc1, 5, x86_reg(gpr));
    put(a, by);
}

void x86_shift_right_64(struct assembler *a, unsigned gpr, uint8_t by)
{
    x86_scalar(a, true, 0xc1, 5, x86_reg(gpr));
    put(a, by);
}

void x86_divide(struct assembler *a, unsigned gpr)
{
    put(a, 0x48), put(a, 0x99);
    x86_scalar(a, true, 0xf7, 7, x86_reg(gpr));
}

void x86_imm(struct assembler *a, enum x86_arithmetic what, unsigned gpr, int32_t imm)
{
    x86_scalar(a, true, 0x81, what, x86_reg(gpr));
    put_word(a, (uint32_t)imm);
}

void x86_add_at(struct assembler *a, struct x86_place to, int8_t imm)
{
    x86_scalar(a, true, 0x83, 0, to);
    put(a, (uint8_t)imm);
}

void x86_store_imm(struct assembler *a, struct x86_place to, int32_t imm)
{
    x86_scalar(a, false, 0xc7, 0, to);
    put_word(a, (uint32_t)imm);
}

void x86_store_imm_64(struct assembler *a, struct x86_place to, int32_t imm)
{
    x86_scalar(a, true, 0xc7, 0, to);
    put_word(a, (uint32_t)imm);
}

void x86_cmp_imm(struct assembler *a, struct x86_place at, int8_t imm)
{
    x86_scalar(a, false, 0x83, 7, at);
    put(a, (uint8_t)imm);
}

void x86_test_byte(struct assembler *a, struct x86_place at, uint8_t imm)
{
    x86_scalar(a, false, 0xf6, 0, at);
    put(a, imm);
}

void x86_not(struct assembler *a, unsigned gpr)
{
    x86_scalar(a, false, 0xf7, 2, x86_reg(gpr));
}

void x86_load_imm(struct assembler *a, unsigned gpr, uint64_t imm)
{
    bool is_wide = imm >> 32 != 0;
    put(a, 0x40 | (is_wide ? 8u : 0) | (gpr >> 3));
    put(a, 0xb8 | (gpr & 7));
    put_word(a, (uint32_t)imm);
    if (is_wide) put_word(a, (uint32_t)(imm >> 32));
}

void x86_push(struct assembler *a, unsigned gpr)
{
    put(a, 0x40 | gpr >> 3), put(a, 0x50 | (gpr & 7));
}

void x86_pop(struct assembler *a, unsigned gpr)
{
    put(a, 0x40 | gpr >> 3), put(a, 0x58 | (gpr & 7));
}

void x86_call(struct assembler *a, const void *function)
{
    x86_load_imm(a, RAX, (uintptr_t)function);
    x86_scalar(a, false, 0xff, 2, x86_reg(RAX));
}

void x86_return(struct assembler *a)
{
    put(a, 0xc3);
}

/* ---- jumps ----------------------------------------------------------------------------------- */

uint32_t x86_jump(struct assembler *a, enum x86_condition condition)
{
    if (condition == X86_ALWAYS) {
        put(a, 0xe9);
    } else {
        put(a, 0x0f);
        put(a, 0x80u | condition);
    }
    put_word(a, 0);
    return a->used;
}

void x86_land_at(struct assembler *a, uint32_t jump, uint32_t target)
{
    int32_t distance = (int32_t)(target - jump);
    memcpy(a->bytes + jump - 4, &distance, sizeof distance);
}

void x86_call_at(struct assembler *a, uint32_t target)
{
    put(a, 0xe8);
    put_word(a, 0);
    x86_land_at(a, a->used, target);
}

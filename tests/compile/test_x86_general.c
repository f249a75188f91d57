// SPDX-License-Identifier: Apache-2.0
/* Instructions of compile/x86.h on general registers and masks, executed and compared with C: with every register, and
 * with places in memory through every kind of base. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "compile/code_memory.h"
#include "compile/x86.h"
#include "emulate/emulate.h"

enum { LEVELS_WITH_V4 = 3 };
static void skip_without_v4(void)
{
    if (device_isa_levels() < LEVELS_WITH_V4) skip();
}

/* ---- functions of two numbers ------------------------------------------------------------------ */

/* What the code may read and write: at rdi at first. */
struct state {
    uint64_t a, b, memory[4];
};
#define AT(field) ((int32_t)offsetof(struct state, field))

static const uint8_t saved[] = {RBX, RBP, R12, R13, R14, R15};

static void begin(struct assembler *a)
{
    for (unsigned i = 0; i < sizeof saved; i++)
        x86_push(a, saved[i]);
}

static uint64_t end(struct assembler *a, struct state *state)
{
    for (unsigned i = sizeof saved; i-- > 0;)
        x86_pop(a, saved[i]);
    x86_return(a);
    struct code_memory memory = code_memory_make(a->bytes, a->used);
    assert_non_null(memory.bytes);
    uint64_t (*function)(struct state *) = (uint64_t(*)(struct state *))(uintptr_t)memory.bytes;
    uint64_t result = function(state);
    code_memory_free(&memory);
    mem_free(a->bytes);
    *a = (struct assembler){0};
    return result;
}

static const uint64_t numbers[] = {0,          1,
                                   2,          31,
                                   0x7fffffff, 0x80000000,
                                   0xffffffff, UINT64_C(0x123456789abcdef0),
                                   INT64_MAX,  UINT64_C(1) << 63,
                                   UINT64_MAX};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

/* ---- arithmetic -------------------------------------------------------------------------------- */

static uint64_t computed(unsigned opcode, uint64_t a, uint64_t b)
{
    switch (opcode) {
    case X86_ADD:
        return a + b;
    case X86_OR:
        return a | b;
    case X86_AND:
        return a & b;
    case X86_SUB:
        return a - b;
    case X86_XOR:
        return a ^ b;
    case X86_MUL:
        return a * b;
    default: /* X86_LOAD */
        return b;
    }
}

static void check_arithmetic(unsigned opcode, bool is_wide, unsigned x, unsigned y, uint64_t a,
                             uint64_t b)
{
    struct assembler code = {0};
    struct state state = {.a = a, .b = b};
    uint64_t wanted = computed(opcode, a, b);
    begin(&code);
    x86_load_imm(&code, x, a);
    x86_load_imm(&code, y, b);
    x86_scalar(&code, is_wide, opcode, x, x86_reg(y));
    x86_scalar(&code, true, X86_LOAD, RAX, x86_reg(x));
    assert_int_equal(end(&code, &state), is_wide ? wanted : (uint32_t)wanted);
    if (x == y) return;
    begin(&code); /* from memory */
    x86_load_imm(&code, y, (uintptr_t)&state - 40);
    x86_load_imm(&code, x, a);
    x86_scalar(&code, is_wide, opcode, x, x86_at(y, 40 + AT(b)));
    x86_scalar(&code, true, X86_LOAD, RAX, x86_reg(x));
    assert_int_equal(end(&code, &state), is_wide ? wanted : (uint32_t)wanted);
}

static void test_arithmetic(void **unused)
{
    static const uint16_t opcodes[] = {X86_ADD, X86_OR,  X86_AND, X86_SUB,
                                       X86_XOR, X86_MUL, X86_LOAD};
    (void)unused;
    skip_without_v4();
    for (unsigned i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        for (unsigned x = RAX; x <= R15; x++)
            for (unsigned y = RAX; y <= R15; y++) {
                if (x == RSP || y == RSP || x == y) continue;
                uint64_t a = numbers[(x + i) % NUMBERS], b = numbers[(3 * y + x) % NUMBERS];
                check_arithmetic(opcodes[i], true, x, y, a, b);
                check_arithmetic(opcodes[i], false, x, y, a, b);
            }
}

/* ---- conditions -------------------------------------------------------------------------------- */

static bool holds(enum x86_condition condition, uint64_t a, uint64_t b)
{
    switch (condition) {
    case X86_BELOW:
        return a < b;
    case X86_ABOVE_EQUAL:
        return a >= b;
    case X86_EQUAL:
        return a == b;
    case X86_NOT_EQUAL:
        return a != b;
    case X86_BELOW_EQUAL:
        return a <= b;
    case X86_LESS:
        return (int64_t)a < (int64_t)b;
    case X86_GREATER:
        return (int64_t)a > (int64_t)b;
    default: /* X86_ABOVE */
        return a > b;
    }
}

/* By a jump, a move and, where it fits, a comparison with a constant and one of memory. */
static void check_condition(enum x86_condition condition, uint64_t a, uint64_t b)
{
    struct assembler code = {0};
    struct state state = {.a = a, .b = b, .memory = {a}};
    begin(&code);
    x86_scalar(&code, true, X86_LOAD, RSI, x86_at(RDI, AT(b)));
    x86_scalar(&code, true, X86_LOAD, RDX, x86_at(RDI, AT(a)));
    x86_load_imm(&code, RAX, 1);
    x86_load_imm(&code, RCX, 2);
    x86_load_imm(&code, R8, 0);
    x86_scalar(&code, true, X86_CMP, RDX, x86_reg(RSI));
    uint32_t jump = x86_jump(&code, condition);
    x86_load_imm(&code, RAX, 0);
    x86_land(&code, jump);
    x86_scalar(&code, true, X86_CMP, RDX, x86_at(RDI, AT(b)));
    x86_scalar(&code, true, X86_CMOV | condition, R8, x86_reg(RCX));
    x86_scalar(&code, true, X86_ADD, RAX, x86_reg(R8));
    assert_int_equal(end(&code, &state), holds(condition, a, b) ? 3 : 0);
    if (b > INT8_MAX) return;
    begin(&code);
    x86_scalar(&code, true, X86_LOAD, R9, x86_at(RDI, AT(a)));
    x86_load_imm(&code, RAX, 1);
    x86_imm(&code, X86_CMP_IMM, R9, (int32_t)b);
    jump = x86_jump(&code, condition);
    x86_load_imm(&code, RAX, 0);
    x86_land(&code, jump);
    x86_cmp_imm(&code, x86_at(RDI, AT(memory)), (int8_t)b); /* 32 bits */
    jump = x86_jump(&code, condition);
    x86_imm(&code, X86_ADD_IMM, RAX, 2);
    x86_land(&code, jump);
    bool is_signed = condition == X86_LESS || condition == X86_GREATER;
    uint64_t word = is_signed ? (uint64_t)(int32_t)a : (uint32_t)a;
    int wanted = holds(condition, a, b) + (holds(condition, word, b) ? 0 : 2);
    assert_int_equal(end(&code, &state), wanted);
}

static void test_conditions(void **unused)
{
    static const uint8_t conditions[] = {X86_BELOW,       X86_ABOVE_EQUAL, X86_EQUAL, X86_NOT_EQUAL,
                                         X86_BELOW_EQUAL, X86_ABOVE,       X86_LESS,  X86_GREATER};
    (void)unused;
    skip_without_v4();
    for (unsigned i = 0; i < sizeof conditions; i++)
        for (unsigned k = 0; k < NUMBERS * NUMBERS; k++)
            check_condition((enum x86_condition)conditions[i], numbers[k / NUMBERS],
                            numbers[k % NUMBERS]);
}

/* ---- others ------------------------------------------------------------------------------------ */

static uint32_t deposited(uint32_t bits, uint32_t mask)
{
    uint32_t out = 0;
    for (unsigned i = 0, k = 0; i < 32; i++)
        if (mask >> i & 1) out |= (bits >> k++ & 1) << i;
    return out;
}

static void check_single(uint64_t a, uint64_t b)
{
    struct assembler code = {0};
    struct state state = {.a = a, .b = b};
    begin(&code);
    x86_scalar(&code, true, X86_LOAD, R9, x86_at(RDI, AT(a)));
    x86_first_bit(&code, R12, R9);
    x86_scalar(&code, true, X86_LOAD, RAX, x86_reg(R12));
    assert_int_equal(end(&code, &state), (uint32_t)a ? __builtin_ctz((uint32_t)a) : 32);
    begin(&code);
    x86_load_imm(&code, R14, a);
    x86_load_imm(&code, RBX, b);
    x86_deposit(&code, R10, R14, RBX);
    x86_scalar(&code, true, X86_LOAD, RAX, x86_reg(R10));
    assert_int_equal(end(&code, &state), deposited((uint32_t)a, (uint32_t)b));
    begin(&code);
    x86_load_imm(&code, R11, a);
    x86_shift_right(&code, R11, 7);
    x86_not(&code, R11);
    x86_scalar(&code, true, X86_LOAD, RAX, x86_reg(R11));
    assert_int_equal(end(&code, &state), ~((uint32_t)a >> 7));
    begin(&code);
    x86_load_imm(&code, R9, a);
    x86_shift_right_64(&code, R9, 3);
    x86_scalar(&code, true, X86_LOAD, RAX, x86_reg(R9));
    assert_int_equal(end(&code, &state), a >> 3);
    begin(&code);
    x86_load_imm(&code, RAX, a);
    x86_imm(&code, X86_AND_IMM, RAX, -64);
    x86_imm(&code, X86_SUB_IMM, RAX, 77);
    assert_int_equal(end(&code, &state), (a & ~UINT64_C(63)) - 77);
    bool overflows = b == UINT64_MAX && a == UINT64_C(1) << 63;
    if (!b || overflows) return;
    begin(&code);
    x86_load_imm(&code, RAX, a);
    x86_load_imm(&code, R13, b);
    x86_divide(&code, R13);
    x86_load_imm(&code, RCX, 16);
    x86_scalar(&code, true, X86_MUL, RDX, x86_reg(RCX));
    x86_scalar(&code, true, X86_ADD, RAX, x86_reg(RDX));
    uint64_t quotient = (uint64_t)((int64_t)a / (int64_t)b);
    assert_int_equal(end(&code, &state), quotient + 16 * (uint64_t)((int64_t)a % (int64_t)b));
}

static void check_stores(uint64_t a, unsigned base)
{
    struct assembler code = {0};
    struct state state = {.a = a, .memory = {1, 2, 3, 4}}, wanted = state;
    unsigned from = base == RBX ? R15 : RBX;
    begin(&code);
    x86_load_imm(&code, base, (uintptr_t)&state);
    x86_load_imm(&code, R8, 2);
    x86_load_imm(&code, from, a);
    x86_scalar(&code, true, X86_STORE, from, x86_at(base, AT(memory[0])));
    x86_scalar(&code, false, X86_STORE, from, x86_indexed(base, AT(memory[0]), R8, 2));
    x86_scalar(&code, false, X86_STORE_BYTE, from, x86_at(base, AT(memory[1]) + 5));
    x86_store_word(&code, from, x86_at(base, AT(memory[1]) + 6));
    x86_store_imm_64(&code, x86_at(base, AT(b)), -6);
    x86_store_imm(&code, x86_at(base, AT(memory[2])), -5);
    x86_add_at(&code, x86_at(base, AT(memory[3])), -9);
    x86_test_byte(&code, x86_at(base, AT(a)), 0x18);
    x86_load_imm(&code, RAX, 1);
    uint32_t jump = x86_jump(&code, X86_NOT_EQUAL);
    x86_load_imm(&code, RAX, 0);
    x86_land(&code, jump);
    x86_scalar(&code, true, X86_LEA, RCX, x86_indexed(R8, 3, R8, 3));
    x86_scalar(&code, true, X86_ADD, RAX, x86_reg(RCX));
    assert_int_equal(end(&code, &state), ((a & 0x18) != 0) + 3 + 2 + 2 * 8);
    memcpy(&wanted.memory[0], &a, 8);
    memcpy((char *)&wanted.memory[0] + 8, &a, 4);
    memcpy((char *)&wanted.memory[1] + 5, &a, 1);
    memcpy((char *)&wanted.memory[1] + 6, &a, 2);
    wanted.b = UINT64_C(0) - 6;
    wanted.memory[2] = 0xfffffffb;
    wanted.memory[3] = 4 - UINT64_C(9);
    assert_memory_equal(&state, &wanted, sizeof state);
}

static void check_compare_swap(uint64_t a, uint64_t b, bool is_wide, unsigned next)
{
    struct assembler code = {0};
    struct state state = {.a = a, .memory = {7, b}}, wanted = state;
    uint64_t given = is_wide ? a : (uint32_t)a, held = is_wide ? b : (uint32_t)b;
    uint64_t put = given == held ? 42 : b;
    begin(&code);
    x86_load_imm(&code, R10, 1);
    x86_scalar(&code, is_wide, X86_LOAD, RAX, x86_at(RDI, AT(a)));
    x86_load_imm(&code, next, 42);
    x86_compare_swap(&code, is_wide, next, x86_indexed(RDI, AT(memory[0]), R10, 3));
    assert_int_equal(end(&code, &state), held);
    memcpy(&wanted.memory[1], &put, is_wide ? 8 : 4);
    assert_memory_equal(&state, &wanted, sizeof state);
}

static void test_compare_swap(void **unused)
{
    static const uint8_t nexts[] = {RCX, R8, R15};
    (void)unused;
    skip_without_v4();
    for (unsigned k = 0; k < NUMBERS * NUMBERS; k++)
        for (unsigned i = 0; i < 2 * sizeof nexts; i++)
            check_compare_swap(numbers[k / NUMBERS], numbers[k % NUMBERS], i % 2, nexts[i / 2]);
}

/* The first word of a vector. */
static void check_low_word(uint64_t a, unsigned vector, unsigned gpr)
{
    struct assembler code = {0};
    struct state state = {.a = a};
    begin(&code);
    x86_vector(&code, X86_BROADCAST_64, vector, 0, x86_at(RDI, AT(a)), 0, -1);
    x86_low_word(&code, gpr, vector);
    x86_scalar(&code, true, X86_LOAD, RAX, x86_reg(gpr));
    x86_clear_upper(&code);
    assert_int_equal(end(&code, &state), a);
}

static void test_low_word(void **unused)
{
    static const uint8_t general[] = {RAX, RSI, R9, R13};
    (void)unused;
    skip_without_v4();
    for (unsigned vector = 0; vector < 32; vector++)
        for (unsigned i = 0; i < sizeof general; i++)
            check_low_word(numbers[(vector + i) % NUMBERS], vector, general[i]);
}

static void test_others(void **unused)
{
    static const uint8_t bases[] = {RDI, RBP, R12, R13, RBX, R9};
    (void)unused;
    skip_without_v4();
    for (unsigned k = 0; k < NUMBERS * NUMBERS; k++)
        check_single(numbers[k / NUMBERS], numbers[k % NUMBERS]);
    for (unsigned k = 0; k < NUMBERS * sizeof bases; k++)
        check_stores(numbers[k % NUMBERS], bases[k / NUMBERS]);
}

/* ---- masks ------------------------------------------------------------------------------------- */

/* A function of two masks, which are in k4 and k5; the result is in k3. */
static uint64_t run_masks(struct assembler *code, uint32_t a, uint32_t b)
{
    struct state state = {.a = a, .b = b};
    x86_mask_to_gpr(code, R9, 3);
    x86_scalar(code, true, X86_LOAD, RAX, x86_reg(R9));
    return end(code, &state);
}
static void begin_masks(struct assembler *code)
{
    begin(code);
    x86_mask_load(code, 4, x86_at(RDI, AT(a)));
    x86_scalar(code, false, X86_LOAD, R13, x86_at(RDI, AT(b)));
    x86_mask_of_gpr(code, 5, R13);
}

static void check_masks(uint32_t a, uint32_t b)
{
    struct assembler code = {0};
    for (unsigned by = 0; by < 32; by += 8) {
        begin_masks(&code);
        x86_mask_shift(&code, 3, 4, by);
        assert_int_equal(run_masks(&code, a, b), a >> by);
    }
    begin_masks(&code);
    x86_mask_join(&code, 3, 4, 5, true);
    assert_int_equal(run_masks(&code, a, b), a << 16 | (b & 0xffff));
    begin_masks(&code);
    x86_mask_join(&code, 3, 4, 5, false);
    assert_int_equal(run_masks(&code, a, b), (a & 0xff) << 8 | (b & 0xff));
    begin_masks(&code);
    x86_mask_or(&code, 3, 4, 5);
    assert_int_equal(run_masks(&code, a, b), a | b);
    begin_masks(&code);
    x86_mask_not(&code, 3, 5);
    assert_int_equal(run_masks(&code, a, b), ~b);
    begin_masks(&code);
    x86_load_imm(&code, R8, 1);
    x86_mask_test(&code, 4, 5);
    uint32_t jump = x86_jump(&code, X86_EQUAL);
    x86_load_imm(&code, R8, 0);
    x86_land(&code, jump);
    x86_mask_of_gpr(&code, 3, R8);
    assert_int_equal(run_masks(&code, a, b), !((a | b) & 0xffff));
}

static void test_masks(void **unused)
{
    (void)unused;
    skip_without_v4();
    for (unsigned k = 0; k < NUMBERS * NUMBERS; k++)
        check_masks((uint32_t)(numbers[k / NUMBERS] * 2654435761u), (uint32_t)numbers[k % NUMBERS]);
}

/* ---- calls ------------------------------------------------------------------------------------- */

static uint64_t twice(uint64_t v)
{
    return 2 * v;
}

static void test_calls(void **unused)
{
    struct assembler code = {0};
    struct state state = {.a = 21};
    (void)unused;
    begin(&code);
    uint32_t over = x86_jump(&code, X86_ALWAYS), function = code.used;
    x86_imm(&code, X86_ADD_IMM, RAX, 1);
    x86_return(&code);
    x86_land(&code, over);
    x86_scalar(&code, true, X86_LOAD, RDI, x86_at(RDI, AT(a)));
    x86_push(&code, RDI); /* aligns the stack */
    x86_call(&code, (const void *)(uintptr_t)twice);
    x86_pop(&code, R12);
    x86_call_at(&code, function);
    x86_scalar(&code, true, X86_ADD, RAX, x86_reg(R12));
    assert_int_equal(end(&code, &state), 42 + 1 + 21);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic),  cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_others),      cmocka_unit_test(test_low_word),
        cmocka_unit_test(test_masks),       cmocka_unit_test(test_calls),
        cmocka_unit_test(test_compare_swap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

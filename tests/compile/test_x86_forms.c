// SPDX-License-Identifier: Apache-2.0
/* Every form of compile/x86_forms.def is encoded, executed and compared with C: with registers of every kind, operands in
 * memory through every kind of base, elements that are spread, masks and rounding modes. Where libzydis is found, it
 * decodes what was encoded to one instruction. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "compile/code_memory.h"
#include "compile/x86_reference.h"
#include "emulate/emulate.h"
#ifdef WARPSAGE_ZYDIS
#include <Zydis/Zydis.h>
#endif

static const char *const names[X86_FORMS] = {
#define FORM(name, map, prefix, w, opcode, extension) #name,
#include "compile/x86_forms.def"
#undef FORM
};
static unsigned executed;

enum { LEVELS_WITH_V4 = 3 };
static void skip_without_v4(void)
{
    if (device_isa_levels() < LEVELS_WITH_V4) skip();
}

/* ---- code -------------------------------------------------------------------------------------- */

/* Operands of one execution: of memory, `last_at` says where. */
struct variant {
    uint8_t first, second, last, mask; /* registers */
    struct x86_place place;            /* of the last operand */
    unsigned rounding;
};

/* What the code reads and writes, at rdi. */
struct state {
    union vector second, last, result, out;
    uint32_t mask, mask_out;
    uint64_t general;
};
#define STATE(field) x86_at(RDI, (int32_t)offsetof(struct state, field))

static void execute(const struct assembler *a, struct state *state)
{
    struct code_memory memory = code_memory_make(a->bytes, a->used);
    assert_non_null(memory.bytes);
    void (*function)(struct state *) = (void (*)(struct state *))(uintptr_t)memory.bytes;
    function(state);
    code_memory_free(&memory);
    executed++;
}

static void check_decoded(const struct assembler *a, uint32_t begin, unsigned form)
{
#ifdef WARPSAGE_ZYDIS
    ZydisDisassembledInstruction one;
    ZyanStatus status = ZydisDisassembleIntel(ZYDIS_MACHINE_MODE_LONG_64, 0, a->bytes + begin,
                                              a->used - begin, &one);
    if (!ZYAN_SUCCESS(status) || one.info.length != a->used - begin)
        fail_msg("%s: libzydis reads %u of %u bytes", names[form],
                 ZYAN_SUCCESS(status) ? one.info.length : 0u, a->used - begin);
#else
    (void)a, (void)begin, (void)form;
#endif
}

static void load(struct assembler *a, unsigned reg, struct x86_place from)
{
    x86_vector(a, X86_MOVE, reg, 0, from, 0, -1);
}

/* Which bases a memory operand is reached by. */
static const uint8_t bases[] = {RSI, RBP, R12, R13, RSP, R9};
enum { BASES = sizeof bases, SAVED_RSP = R11, INDEX = R10 };

static void write_code(struct assembler *a, unsigned form, const struct variant *v, int imm)
{
    const struct reference *reference = &x86_references[form];
    static const uint8_t saved[] = {RBX, RBP, R12, R13};
    for (unsigned i = 0; i < sizeof saved; i++)
        x86_push(a, saved[i]);
    x86_scalar(a, true, X86_LOAD, SAVED_RSP, x86_reg(RSP));
    x86_load_imm(a, INDEX, 16);
    if (v->place.is_memory && reference->place == RESULT_LAST)
        x86_scalar(a, true, X86_LEA, v->place.reg, STATE(out));
    else if (v->place.is_memory)
        x86_scalar(a, true, X86_LEA, v->place.reg, STATE(last));
    else if (reference->is_from_general)
        x86_scalar(a, true, X86_LOAD, v->place.reg, STATE(general));
    bool first_is_source = reference->place == RESULT_LAST;
    if (reference->place != RESULT_MASK)
        load(a, v->first, first_is_source ? STATE(last) : STATE(result));
    if (reference->has_second) load(a, v->second, STATE(second));
    if (reference->place == RESULT_SECOND) load(a, v->second, STATE(result));
    if (!v->place.is_memory && !reference->is_from_general)
        load(a, v->last, first_is_source ? STATE(result) : STATE(last));
    if (v->mask) x86_mask_load(a, v->mask, STATE(mask));
    uint32_t begin = a->used;
    unsigned first = reference->place == RESULT_MASK ? 1 : v->first;
    bool has_second = reference->has_second || reference->place == RESULT_SECOND;
    x86_vector(a, (enum x86_form)form, first, has_second ? v->second : 0, v->place, v->mask, imm);
    check_decoded(a, begin, form);
    x86_scalar(a, true, X86_LOAD, RSP, x86_reg(SAVED_RSP));
    if (reference->place == RESULT_MASK) {
        x86_mask_to_gpr(a, RAX, 1);
        x86_scalar(a, false, X86_STORE, RAX, STATE(mask_out));
    } else if (!(v->place.is_memory && reference->place == RESULT_LAST)) {
        unsigned result = reference->place == RESULT_FIRST    ? v->first
                          : reference->place == RESULT_SECOND ? v->second
                                                              : v->last;
        x86_vector(a, X86_MOVE_OUT, result, 0, STATE(out), 0, -1);
    }
    for (unsigned i = sizeof saved; i-- > 0;)
        x86_pop(a, saved[i]);
    x86_clear_upper(a);
    x86_return(a);
}

/* ---- operands ---------------------------------------------------------------------------------- */

static uint64_t random_state = 17;
static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

/* Random bits, with numbers at the edges among them: of f32 where `single`, else of f64. */
static union vector random_vector(bool single)
{
    static const float floats[] = {0.0f, -0.0f,     1.0f,      -1.5f,  0x1p31f, -0x1p31f,
                                   3e9f, INFINITY,  -INFINITY, 1e-40f, 0x1p63f, 0x1.fffffep127f,
                                   2.5f, -65519.0f, 0x1p-25f,  6.1e-5f};
    union vector v;
    for (unsigned i = 0; i < 8; i++)
        v.u64[i] = next_random();
    for (unsigned k = 0; k < 6; k++) {
        float f = floats[next_random() % 16];
        uint64_t lane = next_random();
        if (single)
            v.f32[lane % 16] = f;
        else
            v.f64[lane % 8] = k < 2 ? (double)f : (double)f * 1.0000000001;
    }
    if (next_random() % 4 == 0) v.u64[next_random() % 8] = 0;
    if (next_random() % 4 == 0) v.u64[next_random() % 8] = UINT64_MAX;
    return v;
}

static struct given make_given(const struct reference *reference, int imm)
{
    bool single = next_random() % 2;
    struct given given = {random_vector(single), random_vector(single), random_vector(single), imm};
    if (next_random() % 2) given.second.u64[3] = given.last.u64[3]; /* some are equal */
    if (reference->prepare) reference->prepare(&given);
    return given;
}

/* ---- results ----------------------------------------------------------------------------------- */

static void merge(union vector *out, const union vector *computed, const union vector *old,
                  unsigned lanes, unsigned bytes, uint64_t mask)
{
    for (unsigned i = 0; i < lanes; i++) {
        const union vector *from = mask >> i & 1 ? computed : old;
        memcpy(out->u8 + i * bytes, from->u8 + i * bytes, bytes);
    }
}

static bool is_nan_lane(const union vector *v, unsigned lane, unsigned bytes)
{
    return bytes == 4 ? v->f32[lane] != v->f32[lane] : bytes == 8 && v->f64[lane] != v->f64[lane];
}

/* The same bytes; NaNs of sums may have any payload in C. */
static bool is_same(const struct reference *reference, const union vector *got,
                    const union vector *wanted)
{
    unsigned bytes = reference->lane_bytes;
    bool is_float = reference->rounds || reference->is_approximate;
    for (unsigned i = 0; i < sizeof *got / bytes; i++) {
        if (!memcmp(got->u8 + i * bytes, wanted->u8 + i * bytes, bytes)) continue;
        bool both_nan = is_nan_lane(got, i, bytes) && is_nan_lane(wanted, i, bytes);
        if (both_nan && (is_float || i < reference->lanes)) continue;
        if (reference->is_approximate && fabs(got->f64[i] / wanted->f64[i] - 1.0) <= 0x1p-14)
            continue;
        return false;
    }
    return true;
}

static void set_rounding(unsigned rounding)
{
    static const int modes[] = {[X86_ROUND_DEFAULT] = FE_TONEAREST,
                                [X86_ROUND_NEAREST] = FE_TONEAREST,
                                [X86_ROUND_DOWN] = FE_DOWNWARD,
                                [X86_ROUND_UP] = FE_UPWARD,
                                [X86_ROUND_ZERO] = FE_TOWARDZERO};
    fesetround(modes[rounding]);
}

static union vector wanted_result(const struct reference *reference, const struct variant *v,
                                  const struct given *given, uint64_t mask)
{
    union vector computed = {{0}}, wanted = {{0}};
    struct given seen = *given;
    if (v->place.is_element)
        for (unsigned i = reference->spread; i < sizeof seen.last; i++)
            seen.last.u8[i] = seen.last.u8[i - reference->spread];
    set_rounding(v->rounding);
    reference->compute(&seen, &computed);
    set_rounding(X86_ROUND_DEFAULT);
    if (reference->place == RESULT_MASK) {
        wanted.u32[0] = computed.u32[0] & (uint32_t)mask;
        return wanted;
    }
    bool is_stored = v->place.is_memory && reference->place == RESULT_LAST;
    if (is_stored) wanted = given->result;
    merge(&wanted, &computed, reference->is_blend ? &given->second : &given->result,
          reference->lanes, reference->lane_bytes, mask);
    return wanted;
}

static void check(unsigned form, const struct variant *v, int imm)
{
    const struct reference *reference = &x86_references[form];
    struct given given = make_given(reference, imm);
    struct state state = {
        given.second,     given.last, given.result, given.result, (uint32_t)next_random(), 0,
        given.last.u64[0]};
    uint64_t mask = v->mask ? state.mask : UINT64_MAX;
    struct assembler a = {0};
    write_code(&a, form, v, imm);
    execute(&a, &state);
    mem_free(a.bytes);
    union vector wanted = wanted_result(reference, v, &given, mask);
    bool same = reference->place == RESULT_MASK ? state.mask_out == wanted.u32[0]
                                                : is_same(reference, &state.out, &wanted);
    if (same) return;
    for (unsigned i = 0; i < 8; i++)
        print_error("  %u: %016llx %016llx %016llx -> %016llx, not %016llx\n", i,
                    (unsigned long long)given.second.u64[i], (unsigned long long)given.last.u64[i],
                    (unsigned long long)given.result.u64[i], (unsigned long long)state.out.u64[i],
                    (unsigned long long)wanted.u64[i]);
    fail_msg(
        "%s: registers %u, %u, %u, mask k%u = %x, %s, immediate %d, rounding %u: mask %x, not %x",
        names[form], v->first, v->second, v->last, v->mask, state.mask,
        v->place.is_element  ? "an element"
        : v->place.is_memory ? "memory"
                             : "registers",
        imm, v->rounding, state.mask_out, wanted.u32[0]);
}

/* ---- all variants of a form -------------------------------------------------------------------- */

static void check_imms(unsigned form, const struct variant *v)
{
    const struct reference *reference = &x86_references[form];
    for (unsigned i = 0; i < 4; i++) {
        if (i && (reference->imms[0] < 0 || reference->imms[i] < 0)) return;
        check(form, v, reference->imms[i]);
    }
}

static void check_registers(unsigned form)
{
    static const uint8_t sets[][3] = {
        {1, 2, 3}, {9, 12, 15}, {17, 20, 23}, {31, 30, 29}, {4, 13, 28}};
    static const uint8_t generals[] = {RAX, RDX, R8, R13, RSI};
    const struct reference *reference = &x86_references[form];
    if (reference->is_memory_only) return;
    for (unsigned i = 0; i < 10; i++) {
        const uint8_t *set = sets[i / 2];
        struct variant v = {set[0],          set[1], set[2], (uint8_t)(i % 2 ? 2 + i / 2 : 0),
                            x86_reg(set[2]), 0};
        if (reference->is_register_only) v.mask = 0;
        if (reference->is_from_general) v.place = x86_reg(generals[i / 2]);
        check_imms(form, &v);
        for (v.rounding = X86_ROUND_NEAREST; reference->rounds && v.rounding <= X86_ROUND_ZERO;
             v.rounding++) {
            v.place = x86_rounded(set[2], (enum x86_rounding)v.rounding);
            check_imms(form, &v);
        }
    }
}

static void check_memory(unsigned form)
{
    const struct reference *reference = &x86_references[form];
    if (reference->is_from_general || reference->is_register_only) return;
    for (unsigned i = 0; i < 2 * BASES; i++) {
        uint8_t base = bases[i / 2];
        struct variant v = {(uint8_t)(3 + i),
                            (uint8_t)(30 - i),
                            1,
                            (uint8_t)(i % 2 ? 1 + i / 2 : 0),
                            x86_at(base, 0),
                            0};
        check_imms(form, &v);
        if (base != RSP) {
            v.place = x86_indexed(base, -64, INDEX, 2); /* 16 << 2 */
            check_imms(form, &v);
        }
        if (!reference->spread) continue;
        v.place = x86_element(base, 0);
        check_imms(form, &v);
    }
}

/* Those that x86_references does not have. */
static bool is_of_lanes(unsigned form)
{
    return form == X86_GATHER_32 || form == X86_GATHER_64 || form == X86_SCATTER_32 ||
           form == X86_SCATTER_64;
}

static void test_every_form(void **state)
{
    (void)state;
    skip_without_v4();
    for (unsigned form = 0; form < X86_FORMS; form++) {
        if (is_of_lanes(form)) continue;
        if (!x86_references[form].compute) fail_msg("%s has no reference", names[form]);
        for (unsigned round = 0; round < 2; round++) {
            check_registers(form);
            check_memory(form);
        }
    }
    print_message("%u forms, executed %u times%s\n", X86_FORMS, executed,
#ifdef WARPSAGE_ZYDIS
                  ", decoded by libzydis"
#else
                  ""
#endif
    );
}

/* ---- gathers and scatters ---------------------------------------------------------------------- */

/* Lane i moves between element i of the result and byte 8 * (37 i mod 24) of the table. */
static void check_lanes(unsigned form, unsigned addresses, unsigned data, unsigned base)
{
    bool is_wide = form == X86_GATHER_64 || form == X86_SCATTER_64;
    bool gathers = form == X86_GATHER_32 || form == X86_GATHER_64;
    uint64_t table[24], before[24];
    struct state state = {
        random_vector(true), random_vector(true), random_vector(true), {{0}}, 0, 0, 0};
    for (unsigned i = 0; i < 24; i++)
        before[i] = table[i] = next_random();
    for (unsigned i = 0; i < 8; i++)
        state.second.u64[i] = 8 * (37 * i % 24);
    state.mask = (uint32_t)next_random() & 0xff;
    struct assembler a = {0};
    static const uint8_t saved[] = {RBP, R12, R13};
    for (unsigned i = 0; i < sizeof saved; i++)
        x86_push(&a, saved[i]);
    x86_load_imm(&a, base, (uintptr_t)table - 256);
    load(&a, addresses, STATE(second));
    load(&a, data, STATE(result));
    x86_mask_load(&a, 5, STATE(mask));
    uint32_t begin = a.used;
    x86_vector(&a, (enum x86_form)form, data, 0, x86_indexed(base, 256, addresses, 0), 5, -1);
    check_decoded(&a, begin, form);
    x86_vector(&a, X86_MOVE_OUT, data, 0, STATE(out), 0, -1);
    for (unsigned i = sizeof saved; i-- > 0;)
        x86_pop(&a, saved[i]);
    x86_return(&a);
    execute(&a, &state);
    mem_free(a.bytes);
    for (unsigned i = 0; i < 8; i++) {
        uint64_t *at = &before[37 * i % 24],
                 old = is_wide ? state.result.u64[i] : state.result.u32[i];
        bool moves = state.mask >> i & 1;
        if (gathers) {
            uint64_t wanted = moves ? is_wide ? *at : (uint32_t)*at : old;
            assert_int_equal(is_wide ? state.out.u64[i] : state.out.u32[i], wanted);
        } else if (moves) {
            *at = is_wide ? old : (*at & ~(uint64_t)UINT32_MAX) | old;
        }
    }
    assert_memory_equal(table, before, sizeof table);
}

static void test_gathers(void **state)
{
    static const uint8_t forms[] = {X86_GATHER_32, X86_GATHER_64, X86_SCATTER_32, X86_SCATTER_64};
    (void)state;
    skip_without_v4();
    for (unsigned i = 0; i < sizeof forms; i++)
        for (unsigned k = 0; k < 16; k++) {
            static const uint8_t general[] = {RSI, R12, R13, RBP};
            check_lanes(forms[i], 1 + 2 * k % 32, (18 + 6 * k) % 32, general[k % 4]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_form),
                                       cmocka_unit_test(test_gathers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

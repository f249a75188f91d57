// SPDX-License-Identifier: Apache-2.0
/* add, sub, mul, fma of f16, bf16, their pairs, f32x2 and mixed precision with every modifier against
 * exact integer arithmetic; on every instruction-set level of the host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emulate/emulate.h"
#include "support/exact_float.h"
#include "support/instruction_run.h"
#include "support/kernel_run.h"

enum { COUNT = 30000, ELEMENTS_MAX = 2 * COUNT };
enum { FTZ = 1, SAT = 2, RELU = 4, OOB = 8 };
enum operation { ADD, SUB, MUL, FMA };
static const char *const names[] = {"add", "sub", "mul", "fma"};
static const char *const roundings[] = {".rn", ".rz", ".rm", ".rp"};

struct type {
    const char *name;
    const struct exact_format *format;
    unsigned bits, parts; /* of a register; values in it */
};
static const struct type f16 = {"f16", &exact_f16, 16, 1}, f16x2 = {"f16x2", &exact_f16, 32, 2},
                         bf16 = {"bf16", &exact_bf16, 16, 1},
                         bf16x2 = {"bf16x2", &exact_bf16, 32, 2}, f32 = {"f32", &exact_f32, 32, 1},
                         f32x2 = {"f32x2", &exact_f32, 64, 2};

/* A form of an instruction. The first `narrow` sources are of type `second` where there is one. */
struct form {
    enum operation operation;
    const struct type *type, *second;
    enum exact_rounding rounding;
    unsigned modifiers;
};

/* ---- operands -------------------------------------------------------------------------------- */

/* Arrays of elements of 16 or 32 bits. */
static uint32_t element_get(const void *array, size_t i, unsigned bits)
{
    return bits == 16 ? ((const uint16_t *)array)[i] : ((const uint32_t *)array)[i];
}
static void element_set(void *array, size_t i, unsigned bits, uint32_t value)
{
    if (bits == 16)
        ((uint16_t *)array)[i] = (uint16_t)value;
    else
        ((uint32_t *)array)[i] = value;
}

/* The corners of a format: zeros, the subnormal range's ends, ones, the largest, infinities, NaNs. */
static uint32_t corner(const struct exact_format *format, unsigned which)
{
    unsigned stored = format->precision - 1;
    uint32_t sign = exact_sign_bit(format), infinity = ((1u << format->exponent_bits) - 1)
                                                       << stored;
    uint32_t one = ((1u << (format->exponent_bits - 1)) - 1) << stored, least = 1u << stored;
    const uint32_t values[] = {0,          1,        least - 1, least,        least + 1,
                               one - 1,    one,      one + 1,   2 * least,    infinity - 1,
                               infinity,   sign - 1, 0x7ff7u,   infinity | 1, one + least,
                               one - least};
    uint32_t value = values[which % 16] & (sign - 1);
    return which & 16 ? value | sign : value;
}

static uint32_t operand(const struct exact_format *format, uint64_t *seed)
{
    uint32_t r = random_u32(seed);
    uint32_t mask = 2 * exact_sign_bit(format) - 1;
    return r % 8 == 0 ? corner(format, r >> 8) : random_u32(seed) & mask;
}

/* c near -(a * b), so that the rounding of a sum of near and far terms is met often. */
static uint32_t near_operand(struct exact product, const struct exact_format *format,
                             uint64_t *seed)
{
    uint32_t bits = exact_bits(exact_negate(product), format, EXACT_RZ);
    uint32_t r = random_u32(seed), far = (r >> 8) % 40 << (format->precision - 1);
    return (r & 1 ? bits + (r >> 1) % 5 - 2 : bits ^ (r & 2 ? far : 0)) &
           (2 * exact_sign_bit(format) - 1);
}

/* ---- expectations ---------------------------------------------------------------------------- */

static bool is_zero_or_below(uint32_t bits, const struct exact_format *format)
{
    return bits == 0 || bits & exact_sign_bit(format);
}

static uint32_t finish(uint32_t bits, const struct exact_format *format, unsigned modifiers)
{
    uint32_t one = ((1u << (format->exponent_bits - 1)) - 1) << (format->precision - 1);
    bool nan = exact_is_nan(bits, format);
    if (modifiers & FTZ) bits = exact_flush(bits, format);
    if (modifiers & SAT) return nan || is_zero_or_below(bits, format) ? 0 : bits < one ? bits : one;
    if (modifiers & RELU && !nan && is_zero_or_below(bits, format)) return 0;
    return bits;
}

static uint32_t expected(const struct form *form, const uint32_t source[INSTRUCTION_SOURCES])
{
    const struct exact_format *format = form->type->format;
    const struct exact_format *narrow = form->second ? form->second->format : format;
    struct exact a[INSTRUCTION_SOURCES];
    for (unsigned k = 0; k < INSTRUCTION_SOURCES; k++) {
        bool is_last = k == (form->operation == FMA ? 2 : 1);
        const struct exact_format *own = is_last ? format : narrow;
        a[k] = exact_read(form->modifiers & FTZ ? exact_flush(source[k], own) : source[k], own);
    }
    uint32_t bits;
    switch (form->operation) {
    case ADD:
        bits = exact_sum_bits(a[0], a[1], format, form->rounding);
        break;
    case SUB:
        bits = exact_sum_bits(a[0], exact_negate(a[1]), format, form->rounding);
        break;
    case MUL:
        bits = exact_bits(exact_product(a[0], a[1]), format, form->rounding);
        break;
    default:
        bits = exact_sum_bits(exact_product(a[0], a[1]), a[2], format, form->rounding);
        break;
    }
    if (form->modifiers & OOB && (source[0] == 0x7ff7 || source[1] == 0x7ff7)) return 0;
    return finish(bits, format, form->modifiers);
}

/* ---- one form -------------------------------------------------------------------------------- */

static void form_text(const struct form *form, char text[128])
{
    snprintf(text, 128, "%s%s%s%s%s%s.%s%s%s %%d, %%a, %%b%s;", names[form->operation],
             roundings[form->rounding], form->modifiers & OOB ? ".oob" : "",
             form->modifiers & FTZ ? ".ftz" : "", form->modifiers & SAT ? ".sat" : "",
             form->modifiers & RELU ? ".relu" : "", form->type->name, form->second ? "." : "",
             form->second ? form->second->name : "", form->operation == FMA ? ", %c" : "");
}

struct data {
    void *sources[INSTRUCTION_SOURCES], *result;
    unsigned bits[INSTRUCTION_SOURCES]; /* of one value */
};

static void data_make(struct data *data, const struct form *form, size_t values)
{
    uint64_t seed = 4711 + form->operation * 16 + form->modifiers;
    unsigned own = form->type->bits / form->type->parts;
    unsigned last = form->operation == FMA ? 2 : 1;
    const struct exact_format *narrow = (form->second ? form->second : form->type)->format;
    for (unsigned k = 0; k < INSTRUCTION_SOURCES; k++) {
        data->bits[k] = k < last && form->second ? 16 : own;
        data->sources[k] = calloc(values, data->bits[k] / 8);
    }
    data->result = calloc(values, own / 8);
    for (size_t i = 0; i < values; i++) {
        uint32_t a = operand(narrow, &seed), b = operand(narrow, &seed);
        struct exact near = exact_read(a, narrow);
        if (last == 2) near = exact_product(near, exact_read(b, narrow));
        element_set(data->sources[0], i, data->bits[0], a);
        element_set(data->sources[1], i, data->bits[1], b);
        uint32_t c = i % 2 ? operand(form->type->format, &seed)
                           : near_operand(near, form->type->format, &seed);
        element_set(data->sources[last], i, own, c);
    }
}

static void data_free(struct data *data)
{
    for (unsigned k = 0; k < INSTRUCTION_SOURCES; k++)
        free(data->sources[k]);
    free(data->result);
}

static void check_result(const struct form *form, const struct data *data, size_t values,
                         bool guarded, const char *text, int level)
{
    unsigned own = form->type->bits / form->type->parts;
    for (size_t i = 0; i < values; i++) {
        uint32_t source[INSTRUCTION_SOURCES];
        for (unsigned k = 0; k < INSTRUCTION_SOURCES; k++)
            source[k] = element_get(data->sources[k], i, data->bits[k]);
        uint32_t got = element_get(data->result, i, own), want = expected(form, source);
        if (guarded && i / form->type->parts % 4 == 3) want = own == 16 ? 0x5a5a : 0x5a5a5a5a;
        bool both_nan = exact_is_nan(got, form->type->format) &&
                        exact_is_nan(want, form->type->format) && own == 32;
        if (got != want && !both_nan)
            fail_msg("%s (%s): %#x, %#x, %#x gives %#x, not %#x", text, device_isa_name(level),
                     source[0], source[1], source[2], got, want);
    }
}

static void check_form(const struct form *form)
{
    char text[128];
    form_text(form, text);
    struct data data;
    size_t values = (size_t)COUNT * form->type->parts;
    data_make(&data, form, values);
    bool fused = form->operation == FMA;
    unsigned narrow = form->second ? form->second->bits : form->type->bits, own = form->type->bits;
    struct instruction instruction = {text, own, {narrow, fused ? narrow : own, fused ? own : 0}};
    for (int level = 0; level < device_isa_levels(); level++)
        for (unsigned guarded = 0; guarded < 2; guarded++) {
            const void *sources[] = {data.sources[0], data.sources[1], data.sources[2]};
            instruction_run(&instruction, level, guarded, sources, COUNT, data.result);
            check_result(form, &data, values, guarded, text, level);
        }
    data_free(&data);
}

/* ---- the forms of the ISA -------------------------------------------------------------------- */

static void halves(void **state)
{
    (void)state;
    const struct type *types[] = {&f16, &f16x2, &bf16, &bf16x2};
    for (unsigned operation = ADD; operation <= FMA; operation++)
        for (unsigned t = 0; t < 4; t++)
            for (unsigned modifiers = 0; modifiers < (t < 2 ? 4 : 1); modifiers++)
                check_form(&(struct form){operation, types[t], NULL, EXACT_RN, modifiers});
}

static void fused_modifiers(void **state)
{
    (void)state;
    const unsigned of_f16[] = {RELU, RELU | FTZ, OOB, OOB | RELU, OOB | SAT};
    const unsigned of_bf16[] = {RELU, OOB, OOB | RELU};
    for (unsigned i = 0; i < 5; i++) {
        check_form(&(struct form){FMA, &f16, NULL, EXACT_RN, of_f16[i]});
        check_form(&(struct form){FMA, &f16x2, NULL, EXACT_RN, of_f16[i]});
    }
    for (unsigned i = 0; i < 3; i++) {
        check_form(&(struct form){FMA, &bf16, NULL, EXACT_RN, of_bf16[i]});
        check_form(&(struct form){FMA, &bf16x2, NULL, EXACT_RN, of_bf16[i]});
    }
}

static void mixed_precision(void **state)
{
    (void)state;
    const enum operation operations[] = {ADD, SUB, FMA};
    for (unsigned o = 0; o < 3; o++)
        for (unsigned rounding = EXACT_RN; rounding <= EXACT_RP; rounding++)
            for (unsigned sat = 0; sat <= SAT; sat += SAT) {
                check_form(&(struct form){operations[o], &f32, &f16, rounding, sat});
                check_form(&(struct form){operations[o], &f32, &bf16, rounding, sat});
            }
}

static void singles_and_pairs(void **state)
{
    (void)state;
    for (unsigned operation = ADD; operation <= FMA; operation++)
        for (unsigned rounding = EXACT_RN; rounding <= EXACT_RP; rounding++)
            for (unsigned modifiers = 0; modifiers < 4; modifiers++) {
                check_form(&(struct form){operation, &f32, NULL, rounding, modifiers});
                if (modifiers & SAT) continue;
                check_form(&(struct form){operation, &f32x2, NULL, rounding, modifiers});
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves),
        cmocka_unit_test(fused_modifiers),
        cmocka_unit_test(mixed_precision),
        cmocka_unit_test(singles_and_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
/* neg, abs, min, max, setp, set, ex2, tanh of f16, bf16 and their pairs, and add, min, max of 16-bit
 * pairs, on every instruction-set level of the host. Signs, order and comparison are done on the
 * bits or in double, which holds every half; bounds of ex2 and tanh are the ISA's. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/half.h"
#include "emulate/emulate.h"
#include "support/exact_float.h"
#include "support/instruction_run.h"
#include "support/kernel_run.h"

enum { ALL = 0x10000 };

struct half_type {
    const char *name;
    const struct exact_format *format;
    unsigned parts;
    bool has_ftz;
};
static const struct half_type types[] = {
    {"f16", &exact_f16, 1, true},
    {"f16x2", &exact_f16, 2, true},
    {"bf16", &exact_bf16, 1, false},
    {"bf16x2", &exact_bf16, 2, false},
};
enum { TYPES = 4 };

static double value_of(uint16_t half, const struct exact_format *format)
{
    struct exact v = exact_read(half, format);
    if (v.nan) return NAN;
    double magnitude = v.infinite ? INFINITY : ldexp((double)v.significand, v.exponent);
    return v.negative ? -magnitude : magnitude;
}

/* ---- exhaustive: one source ------------------------------------------------------------------ */

typedef void check_fn(const struct half_type *type, const char *text, uint16_t a, uint16_t got);

static void check_all(const char *operation, const struct half_type *type, check_fn *check)
{
    uint16_t *in = malloc(ALL * sizeof *in), *out = malloc(ALL * sizeof *out);
    for (uint32_t i = 0; i < ALL; i++)
        in[i] = (uint16_t)i;
    char text[80];
    snprintf(text, sizeof text, "%s.%s %%d, %%a;", operation, type->name);
    unsigned bits = 16 * type->parts;
    struct instruction instruction = {text, bits, {bits, 0, 0}};
    const void *sources[INSTRUCTION_SOURCES] = {in};
    for (int level = 0; level < device_isa_levels(); level++) {
        instruction_run(&instruction, level, false, sources, ALL / type->parts, out);
        for (uint32_t i = 0; i < ALL; i++)
            check(type, text, in[i], out[i]);
    }
    free(in);
    free(out);
}

static void expect_half(const char *text, uint16_t a, uint16_t got, uint16_t want)
{
    if (got != want) fail_msg("%s %#x gives %#x, not %#x", text, a, got, want);
}

static void check_negated(const struct half_type *type, const char *text, uint16_t a, uint16_t got)
{
    uint16_t want = exact_is_nan(a, type->format) ? 0x7fff : a ^ 0x8000;
    if (strstr(text, ".ftz")) want = (uint16_t)exact_flush(want, type->format);
    expect_half(text, a, got, want);
}
static void check_absolute(const struct half_type *type, const char *text, uint16_t a, uint16_t got)
{
    uint16_t want = exact_is_nan(a, type->format) ? 0x7fff : a & 0x7fff;
    if (strstr(text, ".ftz")) want = (uint16_t)exact_flush(want, type->format);
    expect_half(text, a, got, want);
}

static void signs(void **state)
{
    (void)state;
    for (unsigned t = 0; t < TYPES; t++) {
        check_all("neg", &types[t], check_negated);
        check_all("abs", &types[t], check_absolute);
        if (!types[t].has_ftz) continue;
        check_all("neg.ftz", &types[t], check_negated);
        check_all("abs.ftz", &types[t], check_absolute);
    }
}

static double worst; /* error as a part of its bound, over one check_all */

static void note_error(const char *text, uint16_t a, uint16_t got, double error, double bound)
{
    if (error / bound > worst) worst = error / bound;
    if (error > bound) fail_msg("%s %#x gives %#x: error %g, bound %g", text, a, got, error, bound);
}

/* Relative error 2^-9.9 (f16) or 2^-7 (bf16); subnormal results to one unit. */
static void check_exponential(const struct half_type *type, const char *text, uint16_t a,
                              uint16_t got)
{
    bool bf16 = type->format == &exact_bf16;
    double x = value_of(a, type->format), want = exp2(x), result = value_of(got, type->format);
    double least_normal = bf16 ? 0x1p-126 : 0x1p-14, largest = bf16 ? 0x1.ffp127 : 65520.0;
    if (isnan(x)) {
        expect_half(text, a, got, 0x7fff);
    } else if (want >= largest) {
        expect_half(text, a, got, bf16 ? 0x7f80 : 0x7c00);
    } else if (want < least_normal * (1 - 0x1p-9)) {
        if (bf16)
            expect_half(text, a, got, 0);
        else
            note_error(text, a, got, fabs(result - want) / 0x1p-24, 1.0);
    } else {
        note_error(text, a, got, fabs(result - want) / want, bf16 ? 0x1p-7 : exp2(-9.9));
    }
    if (x == 0 || exact_is_subnormal(a, type->format))
        expect_half(text, a, got, bf16 ? 0x3f80 : 0x3c00);
}

/* Absolute error 2^-10.987 (f16) or 2^-8 (bf16). */
static void check_tangent(const struct half_type *type, const char *text, uint16_t a, uint16_t got)
{
    bool bf16 = type->format == &exact_bf16;
    double x = value_of(a, type->format);
    uint16_t one = bf16 ? 0x3f80 : 0x3c00, sign = a & 0x8000;
    if (isnan(x))
        expect_half(text, a, got, 0x7fff);
    else if (isinf(x) || x == 0)
        expect_half(text, a, got, x == 0 ? sign : (uint16_t)(sign | one));
    else
        note_error(text, a, got, fabs(value_of(got, type->format) - tanh(x)),
                   bf16 ? 0x1p-8 : exp2(-10.987));
}

static void approximations(void **state)
{
    (void)state;
    for (unsigned t = 0; t < TYPES; t++) {
        worst = 0;
        check_all(types[t].has_ftz ? "ex2.approx" : "ex2.approx.ftz", &types[t], check_exponential);
        print_message("ex2.%s: largest error %.3f of the bound\n", types[t].name, worst);
        worst = 0;
        check_all("tanh.approx", &types[t], check_tangent);
        print_message("tanh.%s: largest error %.3f of the bound\n", types[t].name, worst);
    }
}

/* ---- pairs of operands ----------------------------------------------------------------------- */

enum { PAIRS = 40000 };
struct operands {
    uint16_t a[2 * PAIRS], b[2 * PAIRS];
    uint32_t out[2 * PAIRS]; /* room for 16 or 32 bits an element */
};

static struct operands *operands_make(const struct exact_format *format)
{
    static const uint16_t corners[] = {0,      1,      0x8000, 0x8001, 0x3c00, 0xbc00, 0x7c00,
                                       0xfc00, 0x7c01, 0x7fff, 0xffff, 0x3f80, 0x7f80, 0xff80,
                                       0x7f81, 0x3ff,  0x400,  0x7f,   0x80,   0x83ff};
    enum { CORNERS = sizeof corners / sizeof *corners };
    struct operands *operands = calloc(1, sizeof *operands);
    uint64_t seed = format->precision;
    for (size_t i = 0; i < 2 * PAIRS; i++) {
        uint32_t r = random_u32(&seed);
        operands->a[i] = (uint16_t)(r & 0x30000 ? r : corners[r % CORNERS]);
        operands->b[i] = (uint16_t)(r & 0xc0000 ? r >> 8 : corners[(r >> 8) % CORNERS]);
        if (r % 16 == 3) operands->b[i] = operands->a[i];
        if (r % 16 == 4) operands->b[i] = operands->a[i] ^ 0x8000;
    }
    return operands;
}

/* ISA 9.7.4.7, on the bits. */
static uint16_t expected_extreme(uint16_t a, uint16_t b, const struct exact_format *format,
                                 const char *text)
{
    bool maximum = text[1] == 'a', xorsign = strstr(text, ".xorsign");
    uint16_t sign = (a ^ b) & 0x8000, r;
    if (strstr(text, ".ftz")) {
        a = (uint16_t)exact_flush(a, format);
        b = (uint16_t)exact_flush(b, format);
    }
    if (xorsign) a &= 0x7fff, b &= 0x7fff;
    bool a_is_nan = exact_is_nan(a, format), b_is_nan = exact_is_nan(b, format);
    if ((a_is_nan && b_is_nan) || (strstr(text, ".NaN") && (a_is_nan || b_is_nan))) return 0x7fff;
    if (a_is_nan || b_is_nan) {
        r = a_is_nan ? b : a;
    } else {
        double x = value_of(a, format), y = value_of(b, format);
        bool a_is_less = x < y || (x == y && a & 0x8000);
        r = a_is_less == !maximum ? a : b;
    }
    return xorsign ? (uint16_t)((r & 0x7fff) | sign) : r;
}

static void check_extreme(const char *modifiers, const char *name, const struct half_type *type,
                          struct operands *operands)
{
    char text[96];
    snprintf(text, sizeof text, "%s%s.%s %%d, %%a, %%b;", name, modifiers, type->name);
    unsigned bits = 16 * type->parts;
    struct instruction instruction = {text, bits, {bits, bits, 0}};
    const void *sources[INSTRUCTION_SOURCES] = {operands->a, operands->b};
    const uint16_t *out = (const uint16_t *)operands->out;
    for (int level = 0; level < device_isa_levels(); level++)
        for (unsigned guarded = 0; guarded < 2; guarded++) {
            instruction_run(&instruction, level, guarded, sources, PAIRS, operands->out);
            for (size_t i = 0; i < PAIRS * type->parts; i++) {
                uint16_t want =
                    expected_extreme(operands->a[i], operands->b[i], type->format, text);
                if (guarded && i / type->parts % 4 == 3) want = 0x5a5a;
                if (out[i] != want)
                    fail_msg("%s %#x, %#x gives %#x, not %#x", text, operands->a[i], operands->b[i],
                             out[i], want);
            }
        }
}

static void extremes(void **state)
{
    (void)state;
    static const char *const modifiers[] = {
        "",     ".NaN",     ".xorsign.abs",     ".NaN.xorsign.abs",
        ".ftz", ".ftz.NaN", ".ftz.xorsign.abs", ".ftz.NaN.xorsign.abs"};
    for (unsigned t = 0; t < TYPES; t++) {
        struct operands *operands = operands_make(types[t].format);
        for (unsigned m = 0; m < (types[t].has_ftz ? 8 : 4); m++) {
            check_extreme(modifiers[m], "min", &types[t], operands);
            check_extreme(modifiers[m], "max", &types[t], operands);
        }
        free(operands);
    }
}

/* ---- comparisons ----------------------------------------------------------------------------- */

static const char *const comparisons[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                          "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
enum { COMPARISONS = 14 };

static bool compare(unsigned which, double a, double b)
{
    bool unordered = isnan(a) || isnan(b);
    switch (which) {
    case 0:
        return a == b;
    case 1:
        return !unordered && a != b;
    case 2:
        return a < b;
    case 3:
        return a <= b;
    case 4:
        return a > b;
    case 5:
        return a >= b;
    case 12:
        return !unordered;
    case 13:
        return unordered;
    default:
        return unordered || compare(which - 6, a, b);
    }
}

static bool combine(const char *operation, bool t, bool c)
{
    if (!*operation) return t;
    return !strcmp(operation, ".and") ? t && c : !strcmp(operation, ".or") ? t || c : t != c;
}

struct comparison {
    unsigned which;
    const char *combination; /* "" or ".and" ... with %p, or its negation */
    bool negated, ftz;
};

static bool expected_truth(const struct comparison *comparison, const struct half_type *type,
                           const struct operands *operands, size_t i)
{
    uint16_t a = operands->a[i], b = operands->b[i];
    if (comparison->ftz) {
        a = (uint16_t)exact_flush(a, type->format);
        b = (uint16_t)exact_flush(b, type->format);
    }
    bool t = compare(comparison->which, value_of(a, type->format), value_of(b, type->format));
    bool p = i / type->parts % 3 == 0;
    return combine(comparison->combination, t, p != comparison->negated);
}

static void third_source(const struct comparison *comparison, char text[8])
{
    snprintf(text, 8, "%s%s", *comparison->combination ? comparison->negated ? ", !" : ", " : "",
             *comparison->combination ? "%p" : "");
}

/* The predicates as bits 0 and 1 of the result; the second one of a pair goes to %q. */
static void check_setp(const struct comparison *comparison, const struct half_type *type,
                       struct operands *operands)
{
    char text[200], third[8];
    third_source(comparison, third);
    snprintf(text, sizeof text, "setp.%s%s%s.%s %%p%s, %%a, %%b%s; selp.b32 %%d, 1, 0, %%p;%s",
             comparisons[comparison->which], comparison->combination, comparison->ftz ? ".ftz" : "",
             type->name, type->parts == 2 ? "|%q" : "", third,
             type->parts == 2 ? " @%q or.b32 %d, %d, 2;" : "");
    unsigned bits = 16 * type->parts;
    struct instruction instruction = {text, 32, {bits, bits, 0}};
    const void *sources[INSTRUCTION_SOURCES] = {operands->a, operands->b};
    for (int level = 0; level < device_isa_levels(); level++) {
        instruction_run(&instruction, level, false, sources, PAIRS, operands->out);
        for (size_t i = 0; i < PAIRS; i++) {
            uint32_t want = 0;
            for (unsigned part = 0; part < type->parts; part++)
                want |= (uint32_t)expected_truth(comparison, type, operands, type->parts * i + part)
                        << part;
            if (operands->out[i] != want)
                fail_msg("%s element %zu (%#x, %#x ...) gives %u, not %u", text, i,
                         operands->a[type->parts * i], operands->b[type->parts * i],
                         operands->out[i], want);
        }
    }
}

static void predicates(void **state)
{
    (void)state;
    static const char *const combinations[] = {"", ".and", ".or", ".xor"};
    for (unsigned t = 0; t < TYPES; t++) {
        struct operands *operands = operands_make(types[t].format);
        for (unsigned which = 0; which < COMPARISONS; which++) {
            check_setp(&(struct comparison){which, "", false, false}, &types[t], operands);
            const char *combination = combinations[1 + which % 3];
            bool ftz = types[t].has_ftz;
            check_setp(&(struct comparison){which, combination, which % 2, ftz}, &types[t],
                       operands);
        }
        free(operands);
    }
}

struct destination {
    const char *name;
    unsigned bits;
    uint32_t yes; /* what a true half of a pair or a true comparison gives */
};

static void check_set(const struct comparison *comparison, const struct half_type *type,
                      const struct destination *destination, struct operands *operands)
{
    char text[128], third[8];
    third_source(comparison, third);
    snprintf(text, sizeof text, "set.%s%s%s.%s.%s %%d, %%a, %%b%s;", comparisons[comparison->which],
             comparison->combination, comparison->ftz ? ".ftz" : "", destination->name, type->name,
             third);
    unsigned bits = 16 * type->parts;
    struct instruction instruction = {text, destination->bits, {bits, bits, 0}};
    const void *sources[INSTRUCTION_SOURCES] = {operands->a, operands->b};
    for (int level = 0; level < device_isa_levels(); level++) {
        instruction_run(&instruction, level, false, sources, PAIRS, operands->out);
        for (size_t i = 0; i < PAIRS; i++) {
            uint32_t want = 0, got = destination->bits == 16 ? ((uint16_t *)operands->out)[i]
                                                             : operands->out[i];
            for (unsigned part = 0; part < type->parts; part++)
                if (expected_truth(comparison, type, operands, type->parts * i + part))
                    want |= destination->yes << (16 * part);
            if (got != want) fail_msg("%s element %zu gives %#x, not %#x", text, i, got, want);
        }
    }
}

static void sets(void **state)
{
    (void)state;
    static const struct destination of_one[] = {{"u16", 16, 0xffff},     {"s16", 16, 0xffff},
                                                {"u32", 32, 0xffffffff}, {"s32", 32, 0xffffffff},
                                                {"bf16", 16, 0x3f80},    {"f16", 16, 0x3c00}};
    static const struct destination of_f16x2[] = {{"u32", 32, 0xffff}, {"f16x2", 32, 0x3c00}},
                                    of_bf16x2[] = {{"s32", 32, 0xffff}, {"bf16x2", 32, 0x3f80}};
    for (unsigned t = 0; t < TYPES; t++) {
        struct operands *operands = operands_make(types[t].format);
        bool pairs = types[t].parts == 2;
        const struct destination *destinations = !pairs             ? of_one
                                                 : types[t].has_ftz ? of_f16x2
                                                                    : of_bf16x2;
        unsigned count = pairs ? 2 : types[t].has_ftz ? 6 : 5;
        for (unsigned which = 0; which < COMPARISONS; which++) {
            const struct destination *destination = &destinations[which % count];
            check_set(&(struct comparison){which, "", false, types[t].has_ftz}, &types[t],
                      destination, operands);
            check_set(&(struct comparison){which, ".xor", which % 2, false}, &types[t], destination,
                      operands);
        }
        free(operands);
    }
}

/* ---- 16-bit pairs ---------------------------------------------------------------------------- */

static uint16_t expected_pair(const char *text, uint16_t a, uint16_t b)
{
    if (!strncmp(text, "add", 3)) return (uint16_t)(a + b);
    bool is_signed = strstr(text, ".s16x2"), maximum = text[1] == 'a';
    int32_t x = is_signed ? (int16_t)a : a, y = is_signed ? (int16_t)b : b;
    int32_t r = (x < y) == maximum ? y : x;
    return (uint16_t)(strstr(text, ".relu") && r < 0 ? 0 : r);
}

static void integer_pairs(void **state)
{
    (void)state;
    static const char *const texts[] = {"add.u16x2",      "add.s16x2",     "min.u16x2",
                                        "max.u16x2",      "min.s16x2",     "max.s16x2",
                                        "min.relu.s16x2", "max.relu.s16x2"};
    struct operands *operands = operands_make(&exact_f16);
    const uint16_t *out = (const uint16_t *)operands->out;
    const void *sources[INSTRUCTION_SOURCES] = {operands->a, operands->b};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        for (int level = 0; level < device_isa_levels(); level++)
            for (unsigned guarded = 0; guarded < 2; guarded++) {
                char text[64];
                snprintf(text, sizeof text, "%s %%d, %%a, %%b;", texts[k]);
                struct instruction instruction = {text, 32, {32, 32, 0}};
                instruction_run(&instruction, level, guarded, sources, PAIRS, operands->out);
                for (size_t i = 0; i < 2 * PAIRS; i++) {
                    uint16_t want = expected_pair(text, operands->a[i], operands->b[i]);
                    if (guarded && i / 2 % 4 == 3) want = 0x5a5a;
                    if (out[i] != want)
                        fail_msg("%s %#x, %#x gives %#x, not %#x", text, operands->a[i],
                                 operands->b[i], out[i], want);
                }
            }
    free(operands);
}

/* ---- base/half.h ----------------------------------------------------------------------------- */

static void single_values(void **state)
{
    (void)state;
    struct operands *f16 = operands_make(&exact_f16), *bf16 = operands_make(&exact_bf16);
    for (size_t i = 0; i < 2 * PAIRS; i++) {
        uint16_t a = f16->a[i], b = f16->b[i], c = bf16->a[i], d = bf16->b[i];
        assert_int_equal(half_add(a, b),
                         exact_sum_bits(exact_read(a, &exact_f16), exact_read(b, &exact_f16),
                                        &exact_f16, EXACT_RN));
        assert_int_equal(bf16_add(c, d),
                         exact_sum_bits(exact_read(c, &exact_bf16), exact_read(d, &exact_bf16),
                                        &exact_bf16, EXACT_RN));
        assert_int_equal(half_min(a, b), expected_extreme(a, b, &exact_f16, "min"));
        assert_int_equal(half_max(a, b), expected_extreme(a, b, &exact_f16, "max"));
        assert_int_equal(bf16_min(c, d), expected_extreme(c, d, &exact_bf16, "min"));
        assert_int_equal(bf16_max(c, d), expected_extreme(c, d, &exact_bf16, "max"));
    }
    free(f16);
    free(bf16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs),         cmocka_unit_test(approximations),
        cmocka_unit_test(extremes),      cmocka_unit_test(predicates),
        cmocka_unit_test(sets),          cmocka_unit_test(integer_pairs),
        cmocka_unit_test(single_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

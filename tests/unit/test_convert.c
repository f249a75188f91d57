// SPDX-License-Identifier: Apache-2.0
/* Conversions to and from narrow floats, at every boundary of every format: the numbers of a format
 * come from its definition (sign, exponent, mantissa), the result from looking up the two between
 * which the operand lies. How .rs pairs its random bits with elements is measured, not documented:
 * QUIRKS.md. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emulate/emulate.h"
#include "support/instruction_run.h"
#include "support/kernel_run.h"

enum mode { RN, RZ, RM, RP, RS };

struct narrow {
    unsigned exponent_bits, mantissa_bits;
    unsigned largest;      /* code of the largest number */
    double largest_number; /* as published: IEEE 754, OCP FP8 and MX */
    bool has_infinity;
    uint32_t nan; /* what a NaN becomes */
};
static const struct narrow f16 = {5, 10, 0x7bff, 65504.0, true, 0x7fff};
static const struct narrow bf16 = {8, 7, 0x7f7f, 0x1.fep127, true, 0x7fff};
static const struct narrow e4m3 = {4, 3, 0x7e, 448.0, false, 0x7f};
static const struct narrow e5m2 = {5, 2, 0x7b, 57344.0, true, 0x7f};
static const struct narrow e2m3 = {2, 3, 0x1f, 7.5, false, 0x1f};
static const struct narrow e3m2 = {3, 2, 0x1f, 28.0, false, 0x1f};
static const struct narrow e2m1 = {2, 1, 0x7, 6.0, false, 0x7};

static double number_of(const struct narrow *f, unsigned code)
{
    int bias = (1 << (f->exponent_bits - 1)) - 1;
    unsigned exponent = code >> f->mantissa_bits, mantissa = code & ((1u << f->mantissa_bits) - 1);
    double fraction = ldexp(mantissa, -(int)f->mantissa_bits);
    return exponent ? ldexp(1.0 + fraction, (int)exponent - bias) : ldexp(fraction, 1 - bias);
}

/* One place further than the largest number: where infinity would begin. */
static double next_number(const struct narrow *f, unsigned code)
{
    if (code < f->largest) return number_of(f, code + 1);
    return 2.0 * number_of(f, code) - number_of(f, code - 1);
}

static unsigned code_below(const struct narrow *f, double magnitude)
{
    unsigned low = 0, high = f->largest;
    while (low < high) {
        unsigned middle = (low + high + 1) / 2;
        if (number_of(f, middle) <= magnitude)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* `random` is a fraction of one: .rs rounds up if it and the cut-off part make one. */
static uint32_t narrowed(const struct narrow *f, float x, enum mode mode, bool satfinite, bool relu,
                         double random)
{
    if (isnan(x)) return f->nan;
    bool negative = signbit(x);
    if (negative && relu) return 0;
    double magnitude = fabs((double)x);
    unsigned code = f->largest + 1;
    if (!isinf(x)) {
        unsigned below = code_below(f, magnitude);
        double rest =
            (magnitude - number_of(f, below)) / (next_number(f, below) - number_of(f, below));
        bool up = mode == RN   ? rest > 0.5 || (rest == 0.5 && below & 1)
                  : mode == RM ? negative && rest > 0.0
                  : mode == RP ? !negative && rest > 0.0
                  : mode == RS ? rest >= 1.0 - random
                               : false;
        code = below + up;
    }
    if (code > f->largest && (satfinite || !f->has_infinity)) code = f->largest;
    return code | (uint32_t)negative << (f->exponent_bits + f->mantissa_bits);
}

/* ---- operands: every number, every middle, and their neighbours ------------------------------- */

static size_t add_both(float *operands, size_t count, double value)
{
    float near[3] = {nextafterf((float)value, 0.0f), (float)value,
                     nextafterf((float)value, INFINITY)};
    for (unsigned k = 0; k < 6; k++)
        operands[count++] = k < 3 ? near[k] : -near[k - 3];
    return count;
}

static float *make_operands(const struct narrow *f, size_t *count)
{
    float *operands = malloc((12 * (size_t)(f->largest + 1) + 8) * sizeof *operands);
    assert_non_null(operands);
    size_t n = 0;
    for (unsigned code = 0; code <= f->largest; code++) {
        double here = number_of(f, code);
        n = add_both(operands, n, here);
        n = add_both(operands, n, (here + next_number(f, code)) / 2.0);
    }
    const float special[8] = {INFINITY, -INFINITY, NAN, -NAN, 3e38f, -3e38f, 1e-45f, -1e-45f};
    memcpy(operands + n, special, sizeof special);
    *count = n + 8;
    return operands;
}

static uint32_t *make_random(size_t count)
{
    uint64_t state = 7;
    uint32_t *words = malloc(count * sizeof *words);
    assert_non_null(words);
    for (size_t i = 0; i < count; i++)
        words[i] = random_u32(&state);
    return words;
}

/* ---- one rounding ---------------------------------------------------------------------------- */

static void check_scalar(const char *text, const struct narrow *f, enum mode mode, bool satfinite,
                         bool relu)
{
    size_t count;
    float *operands = make_operands(f, &count);
    uint16_t *got = malloc(count * sizeof *got);
    assert_non_null(got);
    const struct instruction instruction = {text, 16, {32, 0, 0}};
    for (int level = 0; level < device_isa_levels(); level++) {
        instruction_run(&instruction, level, false, (const void *[]){operands, NULL, NULL}, count,
                        got);
        for (size_t i = 0; i < count; i++) {
            uint32_t expected = narrowed(f, operands[i], mode, satfinite, relu, 0.0);
            if (got[i] != expected)
                fail_msg("%s of %a: %#x, not %#x", text, (double)operands[i], got[i], expected);
        }
    }
    free(operands);
    free(got);
}

static void test_halves(void **state)
{
    (void)state;
    check_scalar("cvt.rn.f16.f32 %d, %a;", &f16, RN, false, false);
    check_scalar("cvt.rz.f16.f32 %d, %a;", &f16, RZ, false, false);
    check_scalar("cvt.rm.f16.f32 %d, %a;", &f16, RM, false, false);
    check_scalar("cvt.rp.f16.f32 %d, %a;", &f16, RP, false, false);
    check_scalar("cvt.rn.satfinite.f16.f32 %d, %a;", &f16, RN, true, false);
    check_scalar("cvt.rz.relu.f16.f32 %d, %a;", &f16, RZ, false, true);
    check_scalar("cvt.rn.bf16.f32 %d, %a;", &bf16, RN, false, false);
    check_scalar("cvt.rz.bf16.f32 %d, %a;", &bf16, RZ, false, false);
    check_scalar("cvt.rm.bf16.f32 %d, %a;", &bf16, RM, false, false);
    check_scalar("cvt.rp.bf16.f32 %d, %a;", &bf16, RP, false, false);
    check_scalar("cvt.rn.relu.satfinite.bf16.f32 %d, %a;", &bf16, RN, true, true);
}

/* a goes to the upper field, b to the lower; `field` is its width. */
static void check_pair(const char *text, const struct narrow *f, unsigned bits, unsigned field,
                       enum mode mode, bool satfinite, unsigned random_bits)
{
    size_t count;
    float *a = make_operands(f, &count), *b = malloc(count * sizeof *b);
    uint32_t *random = make_random(count), *got = calloc(count, sizeof *got);
    assert_true(b && got);
    for (size_t i = 0; i < count; i++)
        b[i] = a[(i * 7919 + 5) % count];
    const struct instruction instruction = {text, bits, {32, 32, mode == RS ? 32 : 0}};
    unsigned bytes = bits / 8;
    for (int level = 0; level < device_isa_levels(); level++) {
        instruction_run(&instruction, level, false, (const void *[]){a, b, random}, count, got);
        for (size_t i = 0; i < count; i++) {
            uint32_t mask = (1u << random_bits) - 1, word = 0;
            double high = ldexp(random[i] >> 16 & mask, -(int)random_bits);
            double low = ldexp(random[i] & mask, -(int)random_bits);
            uint32_t expected = narrowed(f, a[i], mode, satfinite, false, high) << field |
                                narrowed(f, b[i], mode, satfinite, false, low);
            memcpy(&word, (const char *)got + i * bytes, bytes);
            if (word != expected)
                fail_msg("%s of %a, %a, %#x: %#x, not %#x", text, (double)a[i], (double)b[i],
                         random[i], word, expected);
        }
    }
    free(a);
    free(b);
    free(random);
    free(got);
}

static void test_pairs(void **state)
{
    (void)state;
    check_pair("cvt.rn.f16x2.f32 %d, %a, %b;", &f16, 32, 16, RN, false, 0);
    check_pair("cvt.rz.satfinite.f16x2.f32 %d, %a, %b;", &f16, 32, 16, RZ, true, 0);
    check_pair("cvt.rn.bf16x2.f32 %d, %a, %b;", &bf16, 32, 16, RN, false, 0);
    check_pair("cvt.rs.f16x2.f32 %d, %a, %b, %c;", &f16, 32, 16, RS, false, 13);
    check_pair("cvt.rs.satfinite.bf16x2.f32 %d, %a, %b, %c;", &bf16, 32, 16, RS, true, 16);
    check_pair("cvt.rn.satfinite.e4m3x2.f32 %d, %a, %b;", &e4m3, 16, 8, RN, true, 0);
    check_pair("cvt.rn.satfinite.e5m2x2.f32 %d, %a, %b;", &e5m2, 16, 8, RN, true, 0);
    check_pair("cvt.rn.satfinite.e2m3x2.f32 %d, %a, %b;", &e2m3, 16, 8, RN, true, 0);
    check_pair("cvt.rn.satfinite.e3m2x2.f32 %d, %a, %b;", &e3m2, 16, 8, RN, true, 0);
}

/* ---- four at once, stochastically ------------------------------------------------------------- */

static uint32_t reversed(uint32_t half)
{
    uint32_t result = 0;
    for (unsigned k = 0; k < 16; k++)
        result |= (half >> k & 1) << (15 - k);
    return result;
}

/* {a, b, a, b}: the first of two that share random bits reads them backwards. */
static void check_four(const char *text, const struct narrow *f, unsigned field)
{
    size_t count;
    float *a = make_operands(f, &count), *b = malloc(count * sizeof *b);
    uint32_t *random = make_random(count), *got = calloc(count, sizeof *got);
    assert_true(b && got);
    for (size_t i = 0; i < count; i++)
        b[i] = a[(i * 7919 + 5) % count];
    unsigned bytes = field / 2;
    const struct instruction instruction = {text, 4 * field, {32, 32, 32}};
    instruction_run(&instruction, -1, false, (const void *[]){a, b, random}, count, got);
    for (size_t i = 0; i < count; i++) {
        uint32_t r = random[i], high = r >> 16, low = r & 0xffff, word = 0;
        if (field == 4) {
            high = (r >> 8 & 0xff) | (r >> 16 & 0xff00);
            low = (r & 0xff) | (r >> 8 & 0xff00);
        }
        const uint32_t shares[4] = {reversed(high), high, reversed(low), low};
        uint32_t expected = 0;
        for (unsigned k = 0; k < 4; k++)
            expected = expected << field |
                       narrowed(f, k & 1 ? b[i] : a[i], RS, true, false, ldexp(shares[k], -16));
        memcpy(&word, (const char *)got + i * bytes, bytes);
        if (word != expected)
            fail_msg("%s of %a, %a, %#x: %#x, not %#x", text, (double)a[i], (double)b[i], r, word,
                     expected);
    }
    free(a);
    free(b);
    free(random);
    free(got);
}

static void test_fours(void **state)
{
    (void)state;
    check_four("cvt.rs.satfinite.e4m3x4.f32 %d, {%a, %b, %a, %b}, %c;", &e4m3, 8);
    check_four("cvt.rs.satfinite.e5m2x4.f32 %d, {%a, %b, %a, %b}, %c;", &e5m2, 8);
    check_four("cvt.rs.satfinite.e2m3x4.f32 %d, {%a, %b, %a, %b}, %c;", &e2m3, 8);
    check_four("cvt.rs.satfinite.e3m2x4.f32 %d, {%a, %b, %a, %b}, %c;", &e3m2, 8);
    check_four("cvt.rs.satfinite.e2m1x4.f32 %d, {%a, %b, %a, %b}, %c;", &e2m1, 4);
}

/* ---- wider ----------------------------------------------------------------------------------- */

/* Every code; what is no number becomes 0x7fff, an infinity stays one. */
static void check_widening(const char *text, const struct narrow *f)
{
    enum { CODES = 256 };
    unsigned width = f->exponent_bits + f->mantissa_bits;
    uint16_t codes[CODES];
    uint32_t got[CODES];
    for (unsigned i = 0; i < CODES; i++)
        codes[i] = (uint16_t)((i << 8 | i) & ((2u << width) - 1) * 0x101u);
    const struct instruction instruction = {text, 32, {16, 0, 0}};
    instruction_run(&instruction, -1, false, (const void *[]){codes, NULL, NULL}, CODES, got);
    for (unsigned i = 0; i < CODES; i++) {
        unsigned code = codes[i] & ((1u << width) - 1), negative = codes[i] >> width & 1;
        float number = (float)number_of(f, code);
        bool infinite = f->has_infinity && code == f->largest + 1;
        uint32_t half = code > f->largest && !infinite
                            ? 0x7fff
                            : narrowed(&f16, infinite ? INFINITY : number, RN, false, false, 0.0) |
                                  negative << 15;
        assert_int_equal(got[i], half << 16 | half);
    }
}

static void test_widening(void **state)
{
    (void)state;
    check_widening("cvt.rn.f16x2.e4m3x2 %d, %a;", &e4m3);
    check_widening("cvt.rn.f16x2.e5m2x2 %d, %a;", &e5m2);
    check_widening("cvt.rn.f16x2.e2m3x2 %d, %a;", &e2m3);
    check_widening("cvt.rn.f16x2.e3m2x2 %d, %a;", &e3m2);
}

static void test_published_limits(void **state)
{
    (void)state;
    const struct narrow *const formats[] = {&f16, &bf16, &e4m3, &e5m2, &e2m3, &e3m2, &e2m1};
    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++)
        assert_true(number_of(formats[i], formats[i]->largest) == formats[i]->largest_number);
}

/* ---- vectors of registers --------------------------------------------------------------------- */

static void test_vector_moves(void **state)
{
    (void)state;
    const uint32_t a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40};
    uint32_t got[4];
    const struct instruction swapped = {
        "mov.v2.b32 {%a, %b}, {%b, %a};\nsub.u32 %d, %a, %b;", 32, {32, 32, 0}};
    instruction_run(&swapped, -1, false, (const void *[]){a, b, NULL}, 4, got);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(got[i], b[i] - a[i]);
    const struct instruction special = {".reg .b32 %s<4>;\nmov.v4.u32 {%s0, %s1, %s2, _}, %ntid;\n"
                                        "mad.lo.u32 %d, %s0, %s1, %s2;\n"
                                        "mov.v4.u32 {%s0, _, _, %s3}, %tid;\n"
                                        "add.u32 %d, %d, %s0;\nadd.u32 %d, %d, %s3;",
                                        32,
                                        {0, 0, 0}};
    instruction_run(&special, -1, false, (const void *[]){NULL, NULL, NULL}, 4, got);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(got[i], 96 * 1 + 1 + i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_limits),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_fours),
        cmocka_unit_test(test_widening),
        cmocka_unit_test(test_vector_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

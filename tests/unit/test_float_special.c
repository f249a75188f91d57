// SPDX-License-Identifier: Apache-2.0
/* f32 and f64 where the ISA names the result: the tables of special values of the approximate
 * functions, .ftz of inputs and results, .NaN and three operands of min and max, testp, copysign,
 * the upper-half approximations of f64, .relu of s32. On every instruction-set level of the host. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emulate/emulate.h"
#include "support/instruction_run.h"

#define INF 0x7f800000
#define NAN_BITS 0x7fffffff /* any NaN of f32 */
#define SIGN 0x80000000
#define ONE 0x3f800000
#define LEAST_NORMAL 0x00800000

static bool is_nan(uint32_t bits)
{
    return (bits & ~SIGN) > INF;
}

struct row {
    uint32_t a, b, c, want;
};

static void expect_rows(const char *text, unsigned sources, const struct row *rows, size_t count)
{
    uint32_t in[INSTRUCTION_SOURCES][64], out[64];
    assert_true(count <= 64);
    for (size_t i = 0; i < count; i++) {
        in[0][i] = rows[i].a;
        in[1][i] = rows[i].b;
        in[2][i] = rows[i].c;
    }
    struct instruction instruction = {text, 32, {32, sources > 1 ? 32 : 0, sources > 2 ? 32 : 0}};
    const void *arrays[INSTRUCTION_SOURCES] = {in[0], in[1], in[2]};
    for (int level = 0; level <= device_isa_levels(); level++) {
        bool is_compiled = level == device_isa_levels();
        instruction_run(&instruction, is_compiled ? INSTRUCTION_COMPILED : level, false, arrays,
                        count, out);
        for (size_t i = 0; i < count; i++)
            if (out[i] != rows[i].want && !(is_nan(out[i]) && is_nan(rows[i].want)))
                fail_msg("%s %#x, %#x, %#x gives %#x, not %#x", text, rows[i].a, rows[i].b,
                         rows[i].c, out[i], rows[i].want);
    }
}
#define EXPECT(text, sources, ...)                                                                 \
    do {                                                                                           \
        const struct row rows[] = {__VA_ARGS__};                                                   \
        expect_rows(text, sources, rows, sizeof rows / sizeof *rows);                              \
    } while (0)
#define ROW1(a, want)                                                                              \
    {                                                                                              \
        a, 0, 0, want                                                                              \
    }
#define ROW2(a, b, want)                                                                           \
    {                                                                                              \
        a, b, 0, want                                                                              \
    }

/* ISA 9.7.3.13 to 9.7.3.22. */
static void tables_of_functions(void **state)
{
    (void)state;
    EXPECT("rcp.approx.f32 %d, %a;", 1, ROW1(INF | SIGN, SIGN), ROW1(SIGN, INF | SIGN),
           ROW1(0, INF), ROW1(INF, 0), ROW1(NAN_BITS, NAN_BITS), ROW1(ONE, ONE));
    EXPECT("sqrt.approx.f32 %d, %a;", 1, ROW1(INF | SIGN, NAN_BITS), ROW1(ONE | SIGN, NAN_BITS),
           ROW1(SIGN, SIGN), ROW1(0, 0), ROW1(INF, INF), ROW1(NAN_BITS, NAN_BITS), ROW1(ONE, ONE));
    EXPECT("rsqrt.approx.f32 %d, %a;", 1, ROW1(INF | SIGN, NAN_BITS), ROW1(ONE | SIGN, NAN_BITS),
           ROW1(SIGN, INF | SIGN), ROW1(0, INF), ROW1(INF, 0), ROW1(NAN_BITS, NAN_BITS));
    EXPECT("sin.approx.f32 %d, %a;", 1, ROW1(INF | SIGN, NAN_BITS), ROW1(SIGN, SIGN), ROW1(0, 0),
           ROW1(INF, NAN_BITS), ROW1(NAN_BITS, NAN_BITS));
    EXPECT("cos.approx.f32 %d, %a;", 1, ROW1(INF | SIGN, NAN_BITS), ROW1(SIGN, ONE), ROW1(0, ONE),
           ROW1(INF, NAN_BITS), ROW1(NAN_BITS, NAN_BITS));
    EXPECT("lg2.approx.f32 %d, %a;", 1, ROW1(INF | SIGN, NAN_BITS), ROW1(ONE | SIGN, NAN_BITS),
           ROW1(SIGN, INF | SIGN), ROW1(0, INF | SIGN), ROW1(INF, INF), ROW1(NAN_BITS, NAN_BITS));
    EXPECT("ex2.approx.f32 %d, %a;", 1, ROW1(INF | SIGN, 0), ROW1(SIGN, ONE), ROW1(0, ONE),
           ROW1(INF, INF), ROW1(NAN_BITS, NAN_BITS));
    EXPECT("tanh.approx.f32 %d, %a;", 1, ROW1(INF | SIGN, ONE | SIGN), ROW1(SIGN, SIGN), ROW1(0, 0),
           ROW1(INF, ONE), ROW1(NAN_BITS, NAN_BITS), ROW1(1, 1), ROW1(1 | SIGN, 1 | SIGN));
}

/* A subnormal argument counts as zero, a subnormal result becomes one. 2^127 is 0x7f000000, -127 is
 * 0xc2fe0000. */
static void flushed_functions(void **state)
{
    (void)state;
    EXPECT("rcp.approx.ftz.f32 %d, %a;", 1, ROW1(1, INF), ROW1(1 | SIGN, INF | SIGN),
           ROW1(0x7f000000, 0), ROW1(0xff000000, SIGN));
    EXPECT("rcp.approx.f32 %d, %a;", 1, ROW1(0x7f000000, 0x00400000));
    EXPECT("sqrt.approx.ftz.f32 %d, %a;", 1, ROW1(1, 0), ROW1(1 | SIGN, SIGN));
    EXPECT("rsqrt.approx.ftz.f32 %d, %a;", 1, ROW1(1, INF), ROW1(1 | SIGN, INF | SIGN));
    EXPECT("lg2.approx.ftz.f32 %d, %a;", 1, ROW1(1, INF | SIGN), ROW1(1 | SIGN, INF | SIGN));
    EXPECT("ex2.approx.ftz.f32 %d, %a;", 1, ROW1(1, ONE), ROW1(0xc2fe0000, 0));
    EXPECT("ex2.approx.f32 %d, %a;", 1, ROW1(0xc2fe0000, 0x00400000));
    EXPECT("sin.approx.ftz.f32 %d, %a;", 1, ROW1(1, 0), ROW1(1 | SIGN, SIGN));
    EXPECT("cos.approx.ftz.f32 %d, %a;", 1, ROW1(1, ONE));
    EXPECT("neg.ftz.f32 %d, %a;", 1, ROW1(1, SIGN), ROW1(1 | SIGN, 0));
    EXPECT("abs.ftz.f32 %d, %a;", 1, ROW1(1 | SIGN, 0), ROW1(LEAST_NORMAL | SIGN, LEAST_NORMAL));
}

/* Beyond 2^126 (0x7e800000) div.approx gives zero, of an infinity NaN; div.full does not. */
static void divisions(void **state)
{
    (void)state;
    EXPECT("div.approx.f32 %d, %a, %b;", 2, ROW2(0x7f000000, 0x7e800001, 0),
           ROW2(0x7f000000, 0xfe800001, SIGN), ROW2(INF, 0x7e800001, NAN_BITS),
           ROW2(0x7e800000, 0x7e800000, ONE), ROW2(ONE, 0, INF), ROW2(0, 0, NAN_BITS),
           ROW2(ONE, INF, 0));
    EXPECT("div.full.f32 %d, %a, %b;", 2, ROW2(0x7f000000, 0x7f000000, ONE),
           ROW2(INF, 0x7e800001, INF), ROW2(INF, INF, NAN_BITS));
    EXPECT("div.full.ftz.f32 %d, %a, %b;", 2, ROW2(1, ONE, 0), ROW2(ONE, 1, INF),
           ROW2(LEAST_NORMAL, 0x40000000, 0));
}

/* Directed results at the ends of the range; saturation of NaN and of -0. */
static void ends_of_the_range(void **state)
{
    (void)state;
    enum { LARGEST = 0x7f7fffff, TWO_127 = 0x7f000000 };
    EXPECT("add.rz.f32 %d, %a, %b;", 2, ROW2(LARGEST, LARGEST, LARGEST), ROW2(INF, ONE, INF));
    EXPECT("mul.rp.f32 %d, %a, %b;", 2, ROW2(TWO_127, 0x40000000, INF), ROW2(1, 1, 1),
           ROW2(1, 1 | SIGN, SIGN), ROW2(TWO_127 | SIGN, 0x40000000, LARGEST | SIGN));
    EXPECT("mul.rm.f32 %d, %a, %b;", 2, ROW2(TWO_127, 0x40000000, LARGEST), ROW2(1, 1, 0),
           ROW2(1, 1 | SIGN, 1 | SIGN));
    EXPECT("mul.rp.ftz.f32 %d, %a, %b;", 2, ROW2(LEAST_NORMAL, LEAST_NORMAL, 0));
    EXPECT("sub.rm.f32 %d, %a, %b;", 2, ROW2(ONE, ONE, SIGN), ROW2(0, 0, SIGN));
    EXPECT("sub.rn.f32 %d, %a, %b;", 2, ROW2(ONE, ONE, 0), ROW2(SIGN, 0, SIGN));
    EXPECT("add.sat.f32 %d, %a, %b;", 2, ROW2(NAN_BITS, ONE, 0), ROW2(INF, INF | SIGN, 0),
           ROW2(SIGN, SIGN, 0), ROW2(ONE, ONE, ONE), ROW2(ONE | SIGN, 0, 0));
}

static void minima_and_maxima(void **state)
{
    (void)state;
    enum { TWO = 0x40000000 };
    EXPECT("min.f32 %d, %a, %b;", 2, ROW2(NAN_BITS, ONE, ONE), ROW2(ONE, NAN_BITS, ONE),
           ROW2(NAN_BITS, NAN_BITS, NAN_BITS), ROW2(0, SIGN, SIGN), ROW2(SIGN, 0, SIGN));
    EXPECT("max.f32 %d, %a, %b;", 2, ROW2(0, SIGN, 0), ROW2(SIGN, 0, 0), ROW2(ONE, TWO, TWO));
    EXPECT("min.NaN.f32 %d, %a, %b;", 2, ROW2(NAN_BITS, ONE, NAN_BITS), ROW2(ONE, 0, 0),
           ROW2(ONE, NAN_BITS, NAN_BITS));
    EXPECT("max.xorsign.abs.f32 %d, %a, %b;", 2, ROW2(ONE | SIGN, TWO, TWO | SIGN),
           ROW2(TWO | SIGN, ONE | SIGN, TWO), ROW2(NAN_BITS | SIGN, ONE, ONE | SIGN),
           ROW2(NAN_BITS, NAN_BITS | SIGN, NAN_BITS));
    EXPECT("min.ftz.f32 %d, %a, %b;", 2, ROW2(1, ONE, 0), ROW2(1 | SIGN, ONE, SIGN));
    EXPECT("min.f32 %d, %a, %b, %c;", 3, {TWO, ONE, INF, ONE}, {NAN_BITS, TWO, ONE, ONE},
           {NAN_BITS, NAN_BITS, TWO, TWO}, {ONE, TWO, ONE | SIGN, ONE | SIGN});
    EXPECT("max.NaN.abs.f32 %d, %a, %b, %c;", 3, {TWO | SIGN, ONE, ONE, TWO},
           {ONE, NAN_BITS, TWO, NAN_BITS}, {ONE, ONE, NAN_BITS, NAN_BITS});
    EXPECT("max.ftz.abs.f32 %d, %a, %b, %c;", 3, {1, 1 | SIGN, 1, 0}, {ONE, 1, TWO | SIGN, TWO});
    EXPECT("min.relu.s32 %d, %a, %b;", 2, ROW2(5, 7, 5), ROW2(5, UINT32_MAX, 0));
    EXPECT("max.relu.s32 %d, %a, %b;", 2, ROW2(5, UINT32_MAX, 5), ROW2(SIGN, UINT32_MAX, 0));
}

/* Zeros count as normal numbers. */
static void properties(void **state)
{
    (void)state;
    static const struct {
        const char *property;
        uint32_t holds[8]; /* for 0, least subnormal, -subnormal, least normal, 1, inf, -inf, NaN */
    } table[] = {
        {"finite", {1, 1, 1, 1, 1, 0, 0, 0}}, {"infinite", {0, 0, 0, 0, 0, 1, 1, 0}},
        {"number", {1, 1, 1, 1, 1, 1, 1, 0}}, {"notanumber", {0, 0, 0, 0, 0, 0, 0, 1}},
        {"normal", {1, 0, 0, 1, 1, 0, 0, 0}}, {"subnormal", {0, 1, 1, 0, 0, 0, 0, 0}},
    };
    const uint32_t singles[8] = {0,   1,   SIGN | 0x7fffff, LEAST_NORMAL,
                                 ONE, INF, INF | SIGN,      NAN_BITS};
    uint64_t doubles[8] = {0,
                           1,
                           UINT64_C(0x800fffffffffffff),
                           UINT64_C(0x0010000000000000),
                           UINT64_C(0x3ff0000000000000),
                           UINT64_C(0x7ff0000000000000),
                           UINT64_C(0xfff0000000000000),
                           UINT64_C(0x7ff0000000000001)};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        for (unsigned bits = 32; bits <= 64; bits += 32)
            for (int level = 0; level < device_isa_levels(); level++) {
                char text[96];
                uint32_t out[8];
                snprintf(text, sizeof text, "testp.%s.f%u %%p, %%a; selp.b32 %%d, 1, 0, %%p;",
                         table[k].property, bits);
                struct instruction instruction = {text, 32, {bits, 0, 0}};
                const void *sources[INSTRUCTION_SOURCES] = {bits == 32 ? (const void *)singles
                                                                       : doubles};
                instruction_run(&instruction, level, false, sources, 8, out);
                for (size_t i = 0; i < 8; i++)
                    if (out[i] != table[k].holds[i])
                        fail_msg("%s of value %zu is %u", text, i, out[i]);
            }
    EXPECT("copysign.f32 %d, %a, %b;", 2, ROW2(SIGN, ONE, ONE | SIGN),
           ROW2(0, NAN_BITS | SIGN, NAN_BITS), ROW2(ONE, 1 | SIGN, 1));
}

/* ---- f64 ------------------------------------------------------------------------------------- */

static void expect_doubles(const char *text, const uint64_t (*rows)[2], size_t count)
{
    uint64_t in[16], out[16];
    for (size_t i = 0; i < count; i++)
        in[i] = rows[i][0];
    struct instruction instruction = {text, 64, {64, 0, 0}};
    const void *sources[INSTRUCTION_SOURCES] = {in};
    for (int level = 0; level < device_isa_levels(); level++) {
        instruction_run(&instruction, level, false, sources, count, out);
        for (size_t i = 0; i < count; i++)
            if (out[i] != rows[i][1])
                fail_msg("%s %#llx gives %#llx, not %#llx", text, (unsigned long long)in[i],
                         (unsigned long long)out[i], (unsigned long long)rows[i][1]);
    }
}

/* ISA 9.7.3.14 and 9.7.3.17: the lower half is neither read nor written. */
static void upper_halves(void **state)
{
    (void)state;
    const uint64_t sign = UINT64_C(1) << 63, inf = UINT64_C(0x7ff0000000000000);
    const uint64_t nan = UINT64_C(0x7fffffff00000000);
    const uint64_t reciprocals[][2] = {
        {inf | sign, sign},
        {sign | 1, inf | sign},
        {sign | UINT64_C(0x000fffff00000000), inf | sign},
        {sign, inf | sign},
        {0, inf},
        {UINT64_C(0x000fffffffffffff), inf},
        {inf, 0},
        {inf | UINT64_C(1) << 40, nan},
        {UINT64_C(0x40000000ffffffff), UINT64_C(0x3fe0000000000000)}, /* 2 */
        {UINT64_C(0x7fe0000000000000), 0},                            /* 2^1023: subnormal */
    };
    const uint64_t roots[][2] = {
        {inf | sign, nan},
        {sign | 1, inf | sign},
        {sign, inf | sign},
        {0, inf},
        {UINT64_C(0x000fffffffffffff), inf},
        {inf, 0},
        {inf | UINT64_C(1) << 40, nan},
        {UINT64_C(0x40100000ffffffff), UINT64_C(0x3fe0000000000000)}, /* 4 */
    };
    expect_doubles("rcp.approx.ftz.f64 %d, %a;", reciprocals, 10);
    expect_doubles("rsqrt.approx.ftz.f64 %d, %a;", roots, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_functions), cmocka_unit_test(flushed_functions),
        cmocka_unit_test(divisions),           cmocka_unit_test(ends_of_the_range),
        cmocka_unit_test(minima_and_maxima),   cmocka_unit_test(properties),
        cmocka_unit_test(upper_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
/* Floating-point instructions of tests/kernels/float_math.cu against plain C: bit by bit where IEEE
 * 754 defines the result (the rounding modes through fesetround), within the bound of the PTX ISA
 * where it is approximate. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_run.h"

#define MATH "tests/kernels/float_math.ptx"

enum { COUNT = 1500 };

/* Evaluated at run time under a rounding mode: volatile keeps the compiler from folding. */
#define ROUNDED(name, type, mode, expression)                                                      \
    static type name(type a, type b)                                                               \
    {                                                                                              \
        volatile type x = a, y = b, r;                                                             \
        (void)x, (void)y;                                                                          \
        fesetround(mode);                                                                          \
        r = expression;                                                                            \
        fesetround(FE_TONEAREST);                                                                  \
        return r;                                                                                  \
    }
#define F(name, expression) ROUNDED(name, float, FE_TONEAREST, expression)
#define D(name, expression) ROUNDED(name, double, FE_TONEAREST, expression)

static float bits_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ---- float ----------------------------------------------------------------------------------- */

static float flush(float x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0.0f, x) : x;
}

/* [0, 1], NaN becomes +0. */
static float saturate(float x)
{
    return !(x > 0.0f) ? 0.0f : x < 1.0f ? x : 1.0f;
}

F(single_add, x + y)
ROUNDED(single_add_rz, float, FE_TOWARDZERO, x + y)
ROUNDED(single_add_ru, float, FE_UPWARD, x + y)
ROUNDED(single_add_rd, float, FE_DOWNWARD, x + y)
F(single_sub, x - y)
F(single_mul, x *y)
ROUNDED(single_mul_rz, float, FE_TOWARDZERO, x *y)
ROUNDED(single_mul_ru, float, FE_UPWARD, x *y)
ROUNDED(single_mul_rd, float, FE_DOWNWARD, x *y)
F(single_fma, fmaf(x, y, x))
ROUNDED(single_fma_rz, float, FE_TOWARDZERO, fmaf(x, y, x))
ROUNDED(single_fma_ru, float, FE_UPWARD, fmaf(x, y, x))
ROUNDED(single_fma_rd, float, FE_DOWNWARD, fmaf(x, y, x))
F(single_quotient, x / y)
ROUNDED(single_quotient_rz, float, FE_TOWARDZERO, x / y)
ROUNDED(single_quotient_ru, float, FE_UPWARD, x / y)
ROUNDED(single_quotient_rd, float, FE_DOWNWARD, x / y)
F(single_rcp, 1.0f / y)
F(single_root, sqrtf(fabsf(x)))
ROUNDED(single_root_rz, float, FE_TOWARDZERO, sqrtf(fabsf(x)))
ROUNDED(single_root_ru, float, FE_UPWARD, sqrtf(fabsf(x)))
F(single_minimum, isnan(x) ? y : isnan(y) ? x : x < y || (x == y && signbit(x)) ? x : y)
F(single_maximum, isnan(x) ? y : isnan(y) ? x : x > y || (x == y && signbit(y)) ? x : y)
F(single_absolute, fabsf(x))
F(single_negate, -x)
F(single_copysign, copysignf(x, y))
F(single_saturate, saturate(x))
F(single_floor, floorf(x))
F(single_ceil, ceilf(x))
F(single_trunc, truncf(x))
F(single_rint, rintf(x))
F(single_less, x < y ? 1.0f : 0.0f)
F(single_not_greater, !(x >= y) ? 1.0f : 0.0f)
F(single_equal, x == y ? 1.0f : 0.0f)
F(single_nan, isnan(x * 0.0f) ? 1.0f : 0.0f)
F(single_add_ftz, flush(flush(x) + flush(y)))
F(single_mul_ftz, flush(flush(x) * flush(y)))
F(single_fma_ftz_sat, saturate(flush(fmaf(flush(x), flush(y), flush(x)))))

typedef float float_function(float, float);
static float_function *const float_functions[] = {
    single_add,         single_add_rz,      single_add_ru,      single_add_rd,   single_sub,
    single_mul,         single_mul_rz,      single_mul_ru,      single_mul_rd,   single_fma,
    single_fma_rz,      single_fma_ru,      single_fma_rd,      single_quotient, single_quotient_rz,
    single_quotient_ru, single_quotient_rd, single_rcp,         single_root,     single_root_rz,
    single_root_ru,     single_minimum,     single_maximum,     single_absolute, single_negate,
    single_copysign,    single_saturate,    single_floor,       single_ceil,     single_trunc,
    single_rint,        single_less,        single_not_greater, single_equal,    single_nan,
    single_add_ftz,     single_mul_ftz,     single_fma_ftz_sat,
};
enum { FLOAT_FUNCTIONS = sizeof float_functions / sizeof *float_functions };

static const uint32_t float_corners[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0x3fc00000, 0x40200000,
    0xc0200000, 0x7f800000, 0xff800000, 0x7fc00000, 0x00000001, 0x80000001, 0x007fffff,
    0x00800000, 0x807fffff, 0x7f7fffff, 0xff7fffff, 0x3f7fffff, 0x3f800001, 0x4b000000,
    0x4b000001, 0x4affffff, 0xcb7fffff, 0x5f000000, 0x34000000, 0x00ffffff, 0x3effffff,
};

/* Every corner against every other one, then all bit patterns, then numbers of like size. */
static void float_arguments(float x[COUNT], float y[COUNT])
{
    enum { N = sizeof float_corners / sizeof *float_corners };
    uint64_t seed = 7;
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = bits_float(random_u32(&seed));
        y[i] = bits_float(random_u32(&seed));
        if (i < N * N) {
            x[i] = bits_float(float_corners[i / N]);
            y[i] = bits_float(float_corners[i % N]);
        } else if (i % 2) {
            x[i] = random_float(&seed);
            y[i] = random_float(&seed) * 3.0f;
        }
    }
}

static void float_setup(struct run *run)
{
    float x[COUNT], y[COUNT];
    float_arguments(x, y);
    run_shape(run, (COUNT + 127) / 128, 128);
    run_int(run, COUNT);
    run_input(run, x, sizeof x);
    run_input(run, y, sizeof y);
    run_output(run, sizeof x * FLOAT_FUNCTIONS);
}

/* Equal bits; the payload of a NaN is not defined. */
static bool same_float(float a, float b)
{
    return (isnan(a) && isnan(b)) || float_bits(a) == float_bits(b);
}

static void float_check(struct run *run)
{
    float x[COUNT], y[COUNT], *got = run_read(run, 2);
    float_arguments(x, y);
    for (size_t f = 0; f < FLOAT_FUNCTIONS; f++)
        for (size_t i = 0; i < COUNT; i++) {
            float expected = float_functions[f](x[i], y[i]);
            if (!same_float(got[f * COUNT + i], expected))
                fail_msg("function %zu of %a, %a: %a, not %a", f, (double)x[i], (double)y[i],
                         (double)got[f * COUNT + i], (double)expected);
        }
    free(got);
}

static void test_float_math(void **state)
{
    (void)state;
    run_kernel(MATH, "float_math", float_setup, float_check);
}

/* ---- double ---------------------------------------------------------------------------------- */

static double narrow(double x, int mode)
{
    volatile double wide = x;
    volatile float result;
    fesetround(mode);
    result = (float)wide;
    fesetround(FE_TONEAREST);
    return (double)result;
}

D(double_add, x + y)
ROUNDED(double_add_rz, double, FE_TOWARDZERO, x + y)
ROUNDED(double_add_ru, double, FE_UPWARD, x + y)
ROUNDED(double_add_rd, double, FE_DOWNWARD, x + y)
D(double_sub, x - y)
D(double_mul, x *y)
ROUNDED(double_mul_rz, double, FE_TOWARDZERO, x *y)
D(double_fma, fma(x, y, x))
ROUNDED(double_fma_ru, double, FE_UPWARD, fma(x, y, x))
D(double_quotient, x / y)
ROUNDED(double_quotient_rd, double, FE_DOWNWARD, x / y)
D(double_rcp, 1.0 / y)
D(double_root, sqrt(fabs(x)))
D(double_minimum, isnan(x) ? y : isnan(y) ? x : x < y || (x == y && signbit(x)) ? x : y)
D(double_maximum, isnan(x) ? y : isnan(y) ? x : x > y || (x == y && signbit(y)) ? x : y)
D(double_absolute, fabs(x))
D(double_negate, -x)
D(double_floor, floor(x))
D(double_rint, rint(x))
D(double_narrow, narrow(x, FE_TONEAREST))
D(double_narrow_rz, narrow(x, FE_TOWARDZERO))
D(double_select, x < y ? x : y + 1.0)

typedef double double_function(double, double);
static double_function *const double_functions[] = {
    double_add,         double_add_rz, double_add_ru, double_add_rd,  double_sub,
    double_mul,         double_mul_rz, double_fma,    double_fma_ru,  double_quotient,
    double_quotient_rd, double_rcp,    double_root,   double_minimum, double_maximum,
    double_absolute,    double_negate, double_floor,  double_rint,    double_narrow,
    double_narrow_rz,   double_select,
};
enum { DOUBLE_FUNCTIONS = sizeof double_functions / sizeof *double_functions };

static const double double_corners[] = {
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1.5,
    2.5,
    -2.5,
    INFINITY,
    -INFINITY,
    NAN,
    0x1p-1074,
    -0x1p-1074,
    0x1p-1022,
    0x1.fffffffffffffp1023,
    0x1p52,
    0x1.fffffep127,
    0x1.ffffffp127,
    0x1p-149,
    0x1.8p-150,
    0x1p-126,
    0x1.fffffffp-127,
    3.0,
};

static void double_arguments(double x[COUNT], double y[COUNT])
{
    enum { N = sizeof double_corners / sizeof *double_corners };
    uint64_t seed = 8;
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = ldexp(random_float(&seed) + random_float(&seed) * 0x1p-29,
                     (int)(random_u32(&seed) % 400) - 200);
        y[i] = ldexp(random_float(&seed) + random_float(&seed) * 0x1p-29,
                     (int)(random_u32(&seed) % 400) - 200);
        if (i < N * N) {
            x[i] = double_corners[i / N];
            y[i] = double_corners[i % N];
        }
    }
}

static void double_setup(struct run *run)
{
    double x[COUNT], y[COUNT];
    double_arguments(x, y);
    run_shape(run, (COUNT + 127) / 128, 128);
    run_int(run, COUNT);
    run_input(run, x, sizeof x);
    run_input(run, y, sizeof y);
    run_output(run, sizeof x * DOUBLE_FUNCTIONS);
}

static void double_check(struct run *run)
{
    double x[COUNT], y[COUNT], *got = run_read(run, 2);
    double_arguments(x, y);
    for (size_t f = 0; f < DOUBLE_FUNCTIONS; f++)
        for (size_t i = 0; i < COUNT; i++) {
            double expected = double_functions[f](x[i], y[i]), value = got[f * COUNT + i];
            if (!(isnan(expected) && isnan(value)) && memcmp(&expected, &value, sizeof value) != 0)
                fail_msg("function %zu of %a, %a: %a, not %a", f, x[i], y[i], value, expected);
        }
    free(got);
}

static void test_double_math(void **state)
{
    (void)state;
    run_kernel(MATH, "double_math", double_setup, double_check);
}

/* ---- conversions ----------------------------------------------------------------------------- */

/* x rounded to an integer by `mode`, then clamped: what PTX makes of numbers out of range. (Not rint
 * under fesetround: gcc replaces it by additions that are right for the nearest mode alone.) */
static int64_t to_integer(double x, int mode, double low, double high)
{
    double rounded = mode == FE_UPWARD       ? ceil(x)
                     : mode == FE_DOWNWARD   ? floor(x)
                     : mode == FE_TOWARDZERO ? trunc(x)
                                             : rint(x);
    if (rounded < low) rounded = low;
    return rounded > high ? (int64_t)high : (int64_t)rounded;
}

static int64_t to_s32(double x, int mode)
{
    return to_integer(x, mode, -0x1p31, 0x1p31 - 1);
}

/* The bits of an integer as a float, rounded by `mode`. */
static int64_t int_to_float(int64_t value, int mode)
{
    volatile int64_t from = value;
    volatile float to;
    fesetround(mode);
    to = (float)from;
    fesetround(FE_TONEAREST);
    return (int32_t)float_bits(to);
}

static int64_t int_to_double(int64_t value, int mode)
{
    volatile int64_t from = value;
    volatile double to;
    double result;
    int64_t bits;
    fesetround(mode);
    to = (double)from;
    fesetround(FE_TONEAREST);
    result = to;
    memcpy(&bits, &result, sizeof bits);
    return bits;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Nearest half: the quantum of x's binade (2^-24 for subnormals), ties to even by rint. */
static float to_half(float x)
{
    if (fabsf(x) >= 65520.0f) return copysignf(INFINITY, x);
    int exponent = x == 0.0f ? -14 : ilogbf(x);
    float quantum = ldexpf(1.0f, (exponent < -14 ? -14 : exponent) - 10);
    return rintf(x / quantum) * quantum;
}

static uint16_t half_bits(float half)
{
    uint16_t sign = signbit(half) ? 0x8000 : 0;
    float size = fabsf(half);
    if (isinf(half)) return (uint16_t)(sign | 0x7c00);
    if (size < 0x1p-14f) return (uint16_t)(sign | (uint16_t)(size * 0x1p24f));
    int exponent = ilogbf(size);
    return (uint16_t)(sign | (exponent + 15) << 10 | (int)(ldexpf(size, 10 - exponent) - 1024.0f));
}

static uint64_t double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

enum { CONVERSIONS = 23 };

static void conversions(float x, int32_t y, int64_t out[CONVERSIONS])
{
    size_t k = 0;
    double d = (double)x;
    out[k++] = to_s32(d, FE_TONEAREST);
    out[k++] = to_s32(d, FE_TOWARDZERO);
    out[k++] = to_s32(d, FE_UPWARD);
    out[k++] = to_s32(d, FE_DOWNWARD);
    out[k++] = to_integer(d, FE_TOWARDZERO, 0, 0x1p32 - 1);
    out[k++] = to_integer(d, FE_TONEAREST, -0x1p62, 0x1p62);
    out[k++] = to_integer(d, FE_DOWNWARD, -0x1p62, 0x1p62);
    out[k++] = to_s32(2.5 * d, FE_TOWARDZERO);
    out[k++] = to_integer(0.5 * d, FE_TONEAREST, -0x1p62, 0x1p62);
    out[k++] = int_to_float(y, FE_TONEAREST);
    out[k++] = int_to_float(y, FE_TOWARDZERO);
    out[k++] = int_to_float((int64_t)(uint32_t)y, FE_UPWARD);
    out[k++] = int_to_float((int64_t)y * 1000003, FE_TONEAREST);
    out[k++] = int_to_float((int64_t)((uint64_t)(uint32_t)y << 20 | 1), FE_TOWARDZERO);
    out[k++] = int_to_double(y, FE_TONEAREST);
    out[k++] = int_to_double((int64_t)((uint64_t)(int64_t)y << 29 | 1), FE_TONEAREST);
    out[k++] = int_to_double((int64_t)((uint64_t)(int64_t)y << 29 | 3), FE_TOWARDZERO);
    out[k++] = (int64_t)double_bits(d);
    out[k++] = clamp(y, -128, 127);
    out[k++] = clamp(y, 0, 65535);
    out[k++] = to_integer(d, FE_TOWARDZERO, 0, 255);
    out[k++] = half_bits(to_half(x));
    out[k++] = (int32_t)float_bits(to_half(x));
    assert_int_equal(k, CONVERSIONS);
}

static void conversion_arguments(float x[COUNT], int32_t y[COUNT])
{
    static const float special[] = {0.0f,     -0.0f,   0.5f,         1.5f,        2.5f,  -0.5f,
                                    -2.5f,    0x1p31f, -0x1p31f,     0x1p32f,     -1.0f, 0x1p-24f,
                                    0x1p-25f, 65504.f, 65519.996f,   65520.0f,    1e-7f, 0x1p60f,
                                    255.5f,   256.0f,  0x1.ffcp-15f, 0x1.002p10f, -3e9f, 0x1p-15f};
    uint64_t seed = 9;
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = random_float(&seed) * ldexpf(1.0f, (int)(random_u32(&seed) % 64) - 20);
        y[i] = (int32_t)(random_u32(&seed) >> (random_u32(&seed) & 31));
        if (i < sizeof special / sizeof *special) x[i] = special[i];
        if (i % 2) y[i] = (int32_t)(0 - (uint32_t)y[i]);
    }
    y[0] = INT32_MIN;
    y[1] = INT32_MAX;
}

static void conversion_setup(struct run *run)
{
    float x[COUNT];
    int32_t y[COUNT];
    conversion_arguments(x, y);
    run_shape(run, (COUNT + 127) / 128, 128);
    run_int(run, COUNT);
    run_input(run, x, sizeof x);
    run_input(run, y, sizeof y);
    run_output(run, sizeof(int64_t) * COUNT * CONVERSIONS);
}

static void conversion_check(struct run *run)
{
    float x[COUNT];
    int32_t y[COUNT];
    int64_t expected[CONVERSIONS], *got = run_read(run, 2);
    conversion_arguments(x, y);
    for (size_t i = 0; i < COUNT; i++) {
        conversions(x[i], y[i], expected);
        for (size_t k = 0; k < CONVERSIONS; k++)
            if (got[k * COUNT + i] != expected[k])
                fail_msg("conversion %zu of %a, %d: %#llx, not %#llx", k, (double)x[i], y[i],
                         (unsigned long long)got[k * COUNT + i], (unsigned long long)expected[k]);
    }
    free(got);
}

static void test_convert(void **state)
{
    (void)state;
    run_kernel(MATH, "convert", conversion_setup, conversion_check);
}

/* ---- approximations: bounds of the PTX ISA --------------------------------------------------- */

enum { APPROXIMATIONS = 12 };

static void approx_arguments(float x[COUNT], float y[COUNT])
{
    uint64_t seed = 10;
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = ldexpf(1.5f + 0.49f * random_float(&seed), (int)(random_u32(&seed) % 40) - 20);
        y[i] = ldexpf(1.5f + 0.49f * random_float(&seed), (int)(random_u32(&seed) % 40) - 20);
    }
}

static void approx_setup(struct run *run)
{
    float x[COUNT], y[COUNT];
    approx_arguments(x, y);
    run_shape(run, (COUNT + 127) / 128, 128);
    run_int(run, COUNT);
    run_input(run, x, sizeof x);
    run_input(run, y, sizeof y);
    run_output(run, sizeof x * APPROXIMATIONS);
}

static void expect_near(const char *what, double argument, float got, double exact, double absolute,
                        double relative)
{
    if (!(fabs((double)got - exact) <= absolute + relative * fabs(exact)))
        fail_msg("%s(%a): %a, exact %a", what, argument, (double)got, exact);
}

static void approx_check(struct run *run)
{
    float x[COUNT], y[COUNT], *got = run_read(run, 2);
    approx_arguments(x, y);
    for (size_t i = 0; i < COUNT; i++) {
        double a = (double)x[i], b = (double)y[i];
        const float *r = got + i;
        expect_near("rcp", a, r[0], 1.0 / a, 0, 0x1p-23);      /* 1 ulp */
        expect_near("sqrt", a, r[COUNT], sqrt(a), 0, 0x1p-22); /* 2^-23 and rounding */
        expect_near("rsqrt", a, r[2 * COUNT], 1.0 / sqrt(a), 0, 0x1p-22);
        expect_near("lg2", a, r[3 * COUNT], log2(a), 0x1p-22, 0x1p-22);
        expect_near("div.approx", a, r[4 * COUNT], a / b, 0, 0x1p-22); /* 2 ulp */
        expect_near("div.full", a, r[5 * COUNT], a / b, 0, 0x1p-22);
        double c = (double)r[6 * COUNT], e = (double)r[8 * COUNT]; /* as the kernel has them */
        expect_near("log2f", a, r[6 * COUNT], log2(a), 0x1p-22, 0x1p-22);
        expect_near("ex2", c, r[7 * COUNT], exp2(c), 0, 0x1p-22);
        expect_near("sin", e, r[9 * COUNT], sin(e), 0x1p-20, 0);
        expect_near("cos", e, r[10 * COUNT], cos(e), 0x1p-20, 0);
        expect_near("tanh", e, r[11 * COUNT], tanh(e), 0, 0x1p-10); /* 2^-10.987 */
    }
    free(got);
}

static void test_approx(void **state)
{
    (void)state;
    run_kernel(MATH, "approx", approx_setup, approx_check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_float_math),
        cmocka_unit_test(test_double_math),
        cmocka_unit_test(test_convert),
        cmocka_unit_test(test_approx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

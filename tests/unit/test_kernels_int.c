// SPDX-License-Identifier: Apache-2.0
/* Integer instructions of tests/kernels/int_math.cu against plain C, bit by bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_run.h"

/* ---- 32 bits --------------------------------------------------------------------------------- */

typedef uint32_t function32(uint32_t x, uint32_t y);
#define F32(name, expression)                                                                      \
    static uint32_t name(uint32_t x, uint32_t y)                                                   \
    {                                                                                              \
        int32_t sx = (int32_t)x, sy = (int32_t)y;                                                  \
        (void)sx, (void)sy, (void)x, (void)y;                                                      \
        return (uint32_t)(expression);                                                             \
    }

static uint32_t shift_right_signed(uint32_t x, unsigned n)
{
    uint32_t sign = x >> 31 ? UINT32_MAX : 0;
    return n > 31 ? sign : n == 0 ? x : x >> n | sign << (32 - n);
}

static uint32_t reverse_bits(uint32_t x)
{
    uint32_t r = 0;
    for (int i = 0; i < 32; i++)
        r |= (x >> i & 1) << (31 - i);
    return r;
}

static uint32_t count_bits(uint64_t x)
{
    uint32_t n = 0;
    for (; x != 0; x &= x - 1)
        n++;
    return n;
}

static uint32_t leading_zeros(uint32_t x)
{
    uint32_t n = 0;
    while (n < 32 && !(x >> (31 - n) & 1))
        n++;
    return n;
}

static uint32_t first_set(uint64_t x)
{
    uint32_t n = 1;
    if (x == 0) return 0;
    for (; !(x & 1); x >>= 1)
        n++;
    return n;
}

/* Bytes 1, 4, 3, 5 of {y, x}: selector 0x5341 from the lowest nibble. */
static uint32_t permute(uint32_t x, uint32_t y)
{
    uint64_t bytes = (uint64_t)y << 32 | x;
    uint32_t r = 0;
    for (int i = 0; i < 4; i++)
        r |= (uint32_t)(bytes >> (8 * (0x5341 >> 4 * i & 7)) & 0xff) << 8 * i;
    return r;
}

static uint32_t funnel_left(uint32_t low, uint32_t high, unsigned n)
{
    return (uint32_t)(((uint64_t)high << 32 | low) << n >> 32);
}

static uint32_t funnel_right(uint32_t low, uint32_t high, unsigned n)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> n);
}

static int32_t sign24(uint32_t x)
{
    return (int32_t)(x & 0xffffff) - (x & 0x800000 ? 1 << 24 : 0);
}

static uint32_t dot4(uint32_t x, uint32_t y, uint32_t sum)
{
    for (int i = 0; i < 4; i++)
        sum += (uint32_t)((int8_t)(x >> 8 * i) * (int8_t)(y >> 8 * i));
    return sum;
}

/* bfe as the PTX ISA has it: `length` bits from `position`, the sign bit above the last one. */
static uint32_t extract(uint32_t x, unsigned position, unsigned length, bool is_signed)
{
    unsigned last = position + length - 1 > 31 ? 31 : position + length - 1;
    uint32_t sign = is_signed && length > 0 ? x >> last & 1 : 0, r = 0;
    for (unsigned i = 0; i < 32; i++) {
        bool in_field = i < length && position + i <= 31;
        r |= (in_field ? x >> (position + i) & 1 : sign) << i;
    }
    return r;
}

static uint32_t insert(uint32_t from, uint32_t into, unsigned position, unsigned length)
{
    for (unsigned i = 0; i < length && position + i <= 31; i++) {
        into &= ~(UINT32_C(1) << (position + i));
        into |= (from >> i & 1) << (position + i);
    }
    return into;
}

/* Place of the highest set bit of x, which is not 0. */
static uint32_t find_bit(uint32_t x)
{
    return 31 - leading_zeros(x);
}

F32(add, x + y)
F32(sub, x - y)
F32(mul, x *y)
F32(mulhi, ((int64_t)sx * sy) >> 32)
F32(umulhi, (uint64_t)x *y >> 32)
F32(divide, sx / sy)
F32(rest, sx % sy)
F32(udivide, x / y)
F32(urest, x % y)
F32(minimum, sx < sy ? sx : sy)
F32(maximum, sx > sy ? sx : sy)
F32(uminimum, x < y ? x : y)
F32(umaximum, x > y ? x : y)
F32(absolute, sx < 0 ? 0 - x : x)
F32(negate, 0 - x)
F32(bit_and, x &y)
F32(bit_or, x | y)
F32(bit_xor, x ^ y)
F32(bit_not, ~x)
F32(shift_left, x << (y & 31))
F32(shift_right, shift_right_signed(x, y & 31))
F32(ushift_right, x >> (y & 31))
F32(popc, count_bits(x))
F32(clz, leading_zeros(x))
F32(brev, reverse_bits(x))
F32(ffs32, first_set(x))
F32(prmt, permute(x, y))
F32(shf_left, funnel_left(x, y, y & 31))
F32(shf_right, funnel_right(x, y, y & 31))
F32(shf_left_clamp, (y & 63) > 31 ? x : funnel_left(x, y, y & 63))
F32(mul24, (int64_t)sign24(x) * sign24(y))
F32(choose, sx < sy ? x : ~y)
F32(compare, x < y)
F32(sad, x + (sx > sy ? x - y : y - x))
F32(dp4a, dot4(x, y, x))
F32(shl_clamp, (y & 63) > 31 ? 0 : x << (y & 31))
F32(shr_clamp, shift_right_signed(x, y & 63))
F32(ushr_clamp, (y & 63) > 31 ? 0 : x >> (y & 31))
F32(bfe, extract(x, y & 31, y >> 5 & 31, true))
F32(ubfe, extract(x, y & 31, y >> 5 & 31, false))
F32(bfi, insert(x, y, y & 31, y >> 5 & 31))
F32(ubfind, x == 0 ? UINT32_MAX : find_bit(x))
F32(bfind, x == 0 || ~x == 0 ? UINT32_MAX : find_bit(sx < 0 ? ~x : x))
F32(cnot, (x & y & 1) == 0)
F32(majority, (x & y) | (x & UINT32_C(0x1234567)) | (y & UINT32_C(0x1234567)))
F32(add_high, y + x + (x + y < x))
F32(sub_high, y - x - (x < y))
F32(narrow_add, (int8_t)x + (int16_t)y)
F32(narrow_mul, (uint8_t)x *(uint16_t)y)

static function32 *const functions32[] = {
    add,        sub,     mul,     mulhi,      umulhi,      divide,         rest,     udivide,
    urest,      minimum, maximum, uminimum,   umaximum,    absolute,       negate,   bit_and,
    bit_or,     bit_xor, bit_not, shift_left, shift_right, ushift_right,   popc,     clz,
    brev,       ffs32,   prmt,    shf_left,   shf_right,   shf_left_clamp, mul24,    choose,
    compare,    sad,     dp4a,    shl_clamp,  shr_clamp,   ushr_clamp,     bfe,      ubfe,
    bfi,        ubfind,  bfind,   cnot,       majority,    add_high,       sub_high, narrow_add,
    narrow_mul,
};

/* ---- 64 bits --------------------------------------------------------------------------------- */

typedef uint64_t function64(uint64_t x, uint64_t y);
#define F64(name, expression)                                                                      \
    static uint64_t name(uint64_t x, uint64_t y)                                                   \
    {                                                                                              \
        int64_t sx = (int64_t)x, sy = (int64_t)y;                                                  \
        (void)sx, (void)sy, (void)x, (void)y;                                                      \
        return (uint64_t)(expression);                                                             \
    }

/* Upper half by schoolbook multiplication of 32-bit digits. */
static uint64_t high_product(uint64_t x, uint64_t y)
{
    uint64_t x0 = (uint32_t)x, x1 = x >> 32, y0 = (uint32_t)y, y1 = y >> 32;
    uint64_t middle = x1 * y0 + (x0 * y0 >> 32);
    uint64_t other = x0 * y1 + (uint32_t)middle;
    return x1 * y1 + (middle >> 32) + (other >> 32);
}

static uint64_t shift_right_signed_long(uint64_t x, unsigned n)
{
    uint64_t sign = x >> 63 ? UINT64_MAX : 0;
    return n == 0 ? x : x >> n | sign << (64 - n);
}

static uint64_t reverse_bits_long(uint64_t x)
{
    return (uint64_t)reverse_bits((uint32_t)x) << 32 | reverse_bits((uint32_t)(x >> 32));
}

F64(ladd, x + y)
F64(lsub, x - y)
F64(lmul, x *y)
F64(lmulhi, high_product(x, y) - (sx < 0 ? y : 0) - (sy < 0 ? x : 0))
F64(lumulhi, high_product(x, y))
F64(ldivide, sx / sy)
F64(lrest, sx % sy)
F64(ludivide, x / y)
F64(lurest, x % y)
F64(lminimum, sx < sy ? sx : sy)
F64(lmaximum, sx > sy ? sx : sy)
F64(luminimum, x < y ? x : y)
F64(lumaximum, x > y ? x : y)
F64(labsolute, sx < 0 ? 0 - x : x)
F64(lnegate, 0 - x)
F64(land, x &y)
F64(lor, x | y)
F64(lxor, x ^ y)
F64(lnot, ~x)
F64(lshift_left, x << (y & 63))
F64(lshift_right, shift_right_signed_long(x, y & 63))
F64(lushift_right, x >> (y & 63))
F64(lpopc, count_bits(x))
F64(lclz, x >> 32 ? leading_zeros((uint32_t)(x >> 32)) : 32 + leading_zeros((uint32_t)x))
F64(lbrev, reverse_bits_long(x))
F64(lffs, first_set(x))
F64(mul_wide, (int64_t)(int32_t)x *(int32_t)y)
F64(umul_wide, (uint64_t)(uint32_t)x *(uint32_t)y)
F64(lselect, sx < sy ? y : x + 1)
F64(to_int, (int32_t)x)
F64(to_unsigned, (uint32_t)x)
F64(to_short, (int16_t)x)
F64(to_byte, (uint8_t)x)

static function64 *const functions64[] = {
    ladd,          lsub,   lmul,        lmulhi,   lumulhi,   ldivide,     lrest,
    ludivide,      lurest, lminimum,    lmaximum, luminimum, lumaximum,   labsolute,
    lnegate,       land,   lor,         lxor,     lnot,      lshift_left, lshift_right,
    lushift_right, lpopc,  lclz,        lbrev,    lffs,      mul_wide,    umul_wide,
    lselect,       to_int, to_unsigned, to_short, to_byte,
};

/* ---- arguments: corner cases against each other, then random numbers of all lengths ---------- */

enum {
    COUNT = 1000,
    FUNCTIONS32 = sizeof functions32 / sizeof *functions32,
    FUNCTIONS64 = sizeof functions64 / sizeof *functions64
};

static const uint64_t corners[] = {
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    63,
    64,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x800000,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xffffffff,
    UINT64_C(0x7fffffffffffffff),
    UINT64_C(0x8000000000000000),
    UINT64_C(0x8000000000000001),
    UINT64_MAX,
    UINT64_MAX - 1,
};

static void arguments(uint64_t a[COUNT], uint64_t b[COUNT])
{
    enum { N = sizeof corners / sizeof *corners };
    uint64_t seed = 6;
    for (size_t i = 0; i < COUNT; i++) {
        unsigned shift_a = random_u32(&seed) & 63, shift_b = random_u32(&seed) & 63;
        a[i] = ((uint64_t)random_u32(&seed) << 32 | random_u32(&seed)) >> shift_a;
        b[i] = ((uint64_t)random_u32(&seed) << 32 | random_u32(&seed)) >> shift_b;
        if (i < N * N) {
            a[i] = corners[i / N];
            b[i] = corners[i % N];
        }
    }
}

/* The quotient of the smallest number and -1 does not exist: such pairs get another divisor. */
static void arguments32(uint32_t x[COUNT], uint32_t y[COUNT])
{
    uint64_t a[COUNT], b[COUNT];
    arguments(a, b);
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = (uint32_t)a[i];
        y[i] = (uint32_t)b[i];
        if (y[i] == 0 || (x[i] == UINT32_C(0x80000000) && y[i] == UINT32_MAX)) y[i] = 5;
    }
}

static void arguments64(uint64_t x[COUNT], uint64_t y[COUNT])
{
    arguments(x, y);
    for (size_t i = 0; i < COUNT; i++)
        if (y[i] == 0 || (x[i] == UINT64_C(1) << 63 && y[i] == UINT64_MAX)) y[i] = 5;
}

static void setup32(struct run *run)
{
    uint32_t x[COUNT], y[COUNT];
    arguments32(x, y);
    run_shape(run, (COUNT + 127) / 128, 128);
    run_int(run, COUNT);
    run_input(run, x, sizeof x);
    run_input(run, y, sizeof y);
    run_output(run, sizeof x * FUNCTIONS32);
}

static void check32(struct run *run)
{
    uint32_t x[COUNT], y[COUNT], *got = run_read(run, 2);
    arguments32(x, y);
    for (size_t f = 0; f < FUNCTIONS32; f++)
        for (size_t i = 0; i < COUNT; i++)
            if (got[f * COUNT + i] != functions32[f](x[i], y[i]))
                fail_msg("function %zu of %#x, %#x: %#x, not %#x", f, x[i], y[i],
                         got[f * COUNT + i], functions32[f](x[i], y[i]));
    free(got);
}

static void test_int_math(void **state)
{
    (void)state;
    run_kernel("tests/kernels/int_math.ptx", "int_math", setup32, check32);
}

static void setup64(struct run *run)
{
    uint64_t x[COUNT], y[COUNT];
    arguments64(x, y);
    run_shape(run, (COUNT + 127) / 128, 128);
    run_int(run, COUNT);
    run_input(run, x, sizeof x);
    run_input(run, y, sizeof y);
    run_output(run, sizeof x * FUNCTIONS64);
}

static void check64(struct run *run)
{
    uint64_t x[COUNT], y[COUNT], *got = run_read(run, 2);
    arguments64(x, y);
    for (size_t f = 0; f < FUNCTIONS64; f++)
        for (size_t i = 0; i < COUNT; i++)
            if (got[f * COUNT + i] != functions64[f](x[i], y[i]))
                fail_msg("function %zu of %#llx, %#llx: %#llx, not %#llx", f,
                         (unsigned long long)x[i], (unsigned long long)y[i],
                         (unsigned long long)got[f * COUNT + i],
                         (unsigned long long)functions64[f](x[i], y[i]));
    free(got);
}

static void test_long_math(void **state)
{
    (void)state;
    run_kernel("tests/kernels/int_math.ptx", "long_math", setup64, check64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_int_math),
        cmocka_unit_test(test_long_math),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

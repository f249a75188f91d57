// SPDX-License-Identifier: Apache-2.0
/* Compiled code at the edges of its operations: every combination of special operands, with and without a guard, next to
 * plain C that is written from the PTX ISA. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "compile/compile.h"
#include "emulate/emulate.h"

typedef uint64_t expected_fn(uint64_t a, uint64_t b, uint64_t c);
/* r: result, a, b, c: sources, as `%r1`; w: registers of 64 bits. */
struct row {
    const char *text;
    char types[5]; /* of r, a, b, c: w, d, or - */
    expected_fn *expected;
};

/* ---- what the ISA says ----------------------------------------------------------------------- */

#define EXPECT(name, expr)                                                                         \
    static uint64_t name(uint64_t a, uint64_t b, uint64_t c)                                       \
    {                                                                                              \
        (void)a, (void)b, (void)c;                                                                 \
        return (uint64_t)(expr);                                                                   \
    }
#define A32 ((uint32_t)a)
#define B32 ((uint32_t)b)
#define C32 ((uint32_t)c)

EXPECT(shl_32, B32 > 31 ? 0 : A32 << B32)
EXPECT(shr_u32, B32 > 31 ? 0 : A32 >> B32)
EXPECT(shr_s32, (uint32_t)((int32_t)A32 >> (B32 > 31 ? 31 : B32)))
EXPECT(shl_64, B32 > 63 ? 0 : a << B32)
EXPECT(shr_s64, (int64_t)a >> (B32 > 63 ? 63 : B32))
EXPECT(div_u32, B32 == 0 ? UINT32_MAX : A32 / B32)
EXPECT(rem_u32, B32 == 0 ? A32 : A32 % B32)
EXPECT(div_s32, B32 == 0            ? UINT32_MAX
                : B32 == UINT32_MAX ? 0u - A32
                                    : (uint32_t)((int32_t)A32 / (int32_t)B32))
EXPECT(rem_s32, B32 == 0 ? A32 : B32 == UINT32_MAX ? 0 : (uint32_t)((int32_t)A32 % (int32_t)B32))

/* Bit by bit, as the ISA has it. */
static uint64_t field_of(uint64_t a, uint32_t pos, uint32_t len, unsigned width, bool is_signed)
{
    uint64_t d = 0;
    pos &= 0xff, len &= 0xff;
    unsigned top = pos + len - 1 < width - 1 ? pos + len - 1 : width - 1;
    unsigned sign = !is_signed || len == 0 ? 0 : a >> top & 1;
    for (unsigned i = 0; i < width; i++)
        d |= (uint64_t)(i < len && pos + i < width ? a >> (pos + i) & 1 : sign) << i;
    return d;
}
EXPECT(bfe_u32, field_of(A32, B32, C32, 32, false))
EXPECT(bfe_s32, field_of(A32, B32, C32, 32, true))
EXPECT(bfe_u64, field_of(a, B32, C32, 64, false))
EXPECT(bfe_s64, field_of(a, B32, C32, 64, true))
static uint64_t inserted(uint64_t a, uint64_t b, uint32_t pos, uint32_t len, unsigned width)
{
    pos &= 0xff, len &= 0xff;
    for (unsigned i = 0; i < len && pos + i < width; i++)
        b = (b & ~(UINT64_C(1) << (pos + i))) | (a >> i & 1) << (pos + i);
    return b;
}
EXPECT(bfi_b32, inserted(A32, 0xf0f0f0f0, B32, C32, 32))
EXPECT(bfi_b64, inserted(a, UINT64_C(0xf0f0f0f0a5a5a5a5), B32, C32, 64))

static uint64_t bits_of(uint32_t v, bool reversed)
{
    uint32_t count = 0, other = 0;
    for (unsigned i = 0; i < 32; i++) {
        count += v >> i & 1;
        other |= (v >> i & 1) << (31 - i);
    }
    return reversed ? other : count;
}
EXPECT(popc, bits_of(A32, false))
EXPECT(brev, bits_of(A32, true))
static uint64_t highest(uint32_t v)
{
    for (unsigned i = 32; i-- > 0;)
        if (v >> i & 1) return i;
    return UINT32_MAX;
}
EXPECT(bfind_u32, highest(A32))
EXPECT(bfind_s32, highest((int32_t)A32 < 0 ? ~A32 : A32))
EXPECT(clz_64, a >> 32       ? 31 - highest((uint32_t)(a >> 32))
               : (uint32_t)a ? 63 - highest((uint32_t)a)
                             : 64)
EXPECT(sad_s32, C32 + ((int32_t)A32 > (int32_t)B32 ? A32 - B32 : B32 - A32))
EXPECT(prmt, (A32 >> 24 & 0xff) | (B32 & 0xff) << 8 | (A32 & 0xff) << 16 | (B32 >> 16 & 0xff) << 24)

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 signed_wide;
EXPECT(mul_hi_u64, (wide)a *b >> 64)
EXPECT(mul_hi_s64, (signed_wide)(int64_t)a *(int64_t)b >> 64)
/* a + b, then the carry of a + b added to c. */
EXPECT(carry_32, C32 + (((uint64_t)A32 + B32) >> 32))
EXPECT(borrow_32, C32 - (A32 < B32))
EXPECT(carry_64, c + (uint64_t)(((wide)a + b) >> 64))
EXPECT(twice_32, /* the carry of a + b + carry of a + a */
       ((uint64_t)A32 + B32 + ((uint64_t)A32 + A32 > UINT32_MAX)) >> 32)

EXPECT(cvt_s8, (uint32_t)(int8_t)A32)
EXPECT(cvt_u16_s8, (uint32_t)(uint16_t)(int8_t)A32)
EXPECT(cvt_s64_s16, (int64_t)(int16_t)A32)

static float f32(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}
static uint32_t of_f32(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return v != v ? 0x7fffffff : bits;
}
static double f64(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}
static uint64_t of_f64(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
static float flush(float v)
{
    return fpclassify(v) == FP_SUBNORMAL ? copysignf(0, v) : v;
}
static float sum_rounded(float a, float b, int direction)
{
    volatile float x = a, y = b;
    fesetround(direction);
    volatile float sum = x + y;
    fesetround(FE_TONEAREST);
    return sum;
}
static float saturated(float v)
{
    return v > 0 ? v < 1 ? v : 1 : 0;
}
EXPECT(add_f32_rm, of_f32(sum_rounded(f32(A32), f32(B32), FE_DOWNWARD)))
EXPECT(add_f32_rp, of_f32(sum_rounded(f32(A32), f32(B32), FE_UPWARD)))
EXPECT(add_f32_rz, of_f32(sum_rounded(f32(A32), f32(B32), FE_TOWARDZERO)))
EXPECT(add_f32_sat, of_f32(saturated(f32(A32) + f32(B32))))
EXPECT(mul_f32_ftz, of_f32(flush(flush(f32(A32)) * flush(f32(B32)))))
static float least(float a, float b)
{
    if (a != a) return b;
    if (b != b) return a;
    return a < b || (a == b && signbit(a)) ? a : b;
}
EXPECT(min_f32, of_f32(least(f32(A32), f32(B32))))
EXPECT(max_f32, of_f32(-least(-f32(A32), -f32(B32))))
EXPECT(min_f32_ftz, of_f32(least(flush(f32(A32)), flush(f32(B32)))))
static uint64_t to_s32(double v, uint32_t of_nan)
{
    return v != v         ? of_nan
           : v >= 0x1p31  ? INT32_MAX
           : v <= -0x1p31 ? 0x80000000
                          : (uint32_t)(int32_t)v;
}
EXPECT(cvt_rzi_s32_f32, to_s32(trunc((double)f32(A32)), 0))
EXPECT(cvt_rmi_s32_f32, to_s32(floor((double)f32(A32)), 0))
EXPECT(cvt_rpi_u32_f32, f32(A32) != f32(A32)   ? 0
                        : f32(A32) >= 0x1p32f  ? UINT32_MAX
                        : ceilf(f32(A32)) <= 0 ? 0
                                               : (uint32_t)ceilf(f32(A32)))
EXPECT(cvt_rni_s32_f64, to_s32(rint(f64(a)), 0x80000000))
EXPECT(slct_f32, flush(f32(C32)) >= 0 ? A32 : B32)
EXPECT(set_ltu, f32(A32) >= f32(B32) ? 0 : UINT32_MAX)
/* The first operand that is a NaN, made quiet; without one that of the processor. */
static uint64_t ruled(double r, uint64_t a, uint64_t b)
{
    const uint64_t quiet = UINT64_C(1) << 51;
    return r == r             ? of_f64(r)
           : f64(a) != f64(a) ? a | quiet
           : f64(b) != f64(b) ? b | quiet
                              : UINT64_C(0xfff8000000000000);
}
EXPECT(add_f64, ruled(f64(a) + f64(b), a, b))
EXPECT(mul_f64, ruled(f64(a) * f64(b), a, b))
EXPECT(div_f64, ruled(f64(a) / f64(b), a, b))
EXPECT(abs_f64, f64(a) != f64(a) ? a : a & ~(UINT64_C(1) << 63))

static const struct row rows[] = {
    {"shl.b32 r, a, b;", "www-", shl_32},
    {"shr.u32 r, a, b;", "www-", shr_u32},
    {"shr.s32 r, a, b;", "www-", shr_s32},
    {"shl.b64 r, a, b;", "ddw-", shl_64},
    {"shr.s64 r, a, b;", "ddw-", shr_s64},
    {"div.u32 r, a, b;", "www-", div_u32},
    {"rem.u32 r, a, b;", "www-", rem_u32},
    {"div.s32 r, a, b;", "www-", div_s32},
    {"rem.s32 r, a, b;", "www-", rem_s32},
    {"bfe.u32 r, a, b, c;", "wwww", bfe_u32},
    {"bfe.s32 r, a, b, c;", "wwww", bfe_s32},
    {"bfe.u64 r, a, b, c;", "ddww", bfe_u64},
    {"bfe.s64 r, a, b, c;", "ddww", bfe_s64},
    {"bfi.b32 r, a, 0xf0f0f0f0, b, c;", "wwww", bfi_b32},
    {"bfi.b64 r, a, 0xf0f0f0f0a5a5a5a5, b, c;", "ddww", bfi_b64},
    {"popc.b32 r, a;", "ww--", popc},
    {"brev.b32 r, a;", "ww--", brev},
    {"bfind.u32 r, a;", "ww--", bfind_u32},
    {"bfind.s32 r, a;", "ww--", bfind_s32},
    {"clz.b64 r, a;", "wd--", clz_64},
    {"sad.s32 r, a, b, c;", "wwww", sad_s32},
    {"prmt.b32 r, a, b, 0x6043;", "www-", prmt},
    {"mul.hi.u64 r, a, b;", "ddd-", mul_hi_u64},
    {"mul.hi.s64 r, a, b;", "ddd-", mul_hi_s64},
    {"add.cc.u32 %t1, a, b; @q addc.u32 r, c, 0;", "wwww", carry_32},
    {"sub.cc.u32 %t1, a, b; @q subc.u32 r, c, 0;", "wwww", borrow_32},
    {"add.cc.u64 %tl1, a, b; @q addc.u64 r, c, 0;", "dddd", carry_64},
    {"add.cc.u32 %t1, a, a; @q addc.cc.u32 %t1, a, b; @q addc.u32 r, 0, 0;", "www-", twice_32},
    {"cvt.s8.s32 r, a;", "ww--", cvt_s8},
    {"cvt.s8.s32 %t1, a; @q cvt.u16.s8 r, %t1;", "ww--", cvt_u16_s8},
    {"cvt.s64.s16 r, a;", "dw--", cvt_s64_s16},
    {"add.rm.f32 r, a, b;", "www-", add_f32_rm},
    {"add.rp.f32 r, a, b;", "www-", add_f32_rp},
    {"add.rz.f32 r, a, b;", "www-", add_f32_rz},
    {"add.sat.f32 r, a, b;", "www-", add_f32_sat},
    {"mul.ftz.f32 r, a, b;", "www-", mul_f32_ftz},
    {"min.f32 r, a, b;", "www-", min_f32},
    {"max.f32 r, a, b;", "www-", max_f32},
    {"min.ftz.f32 r, a, b;", "www-", min_f32_ftz},
    {"cvt.rzi.s32.f32 r, a;", "ww--", cvt_rzi_s32_f32},
    {"cvt.rmi.s32.f32 r, a;", "ww--", cvt_rmi_s32_f32},
    {"cvt.rpi.u32.f32 r, a;", "ww--", cvt_rpi_u32_f32},
    {"cvt.rni.s32.f64 r, a;", "wd--", cvt_rni_s32_f64},
    {"slct.ftz.b32.f32 r, a, b, c;", "wwww", slct_f32},
    {"set.ltu.u32.f32 r, a, b;", "www-", set_ltu},
    {"add.f64 r, a, b;", "ddd-", add_f64},
    {"mul.f64 r, a, b;", "ddd-", mul_f64},
    {"div.rn.f64 r, a, b;", "ddd-", div_f64},
    {"abs.f64 r, a;", "dd--", abs_f64},
};

/* ---- operands -------------------------------------------------------------------------------- */

/* Integers around powers of two, amounts of bits beyond them, and as f32 zeros, subnormals, limits, infinities, NaNs. */
static const uint32_t words[] = {
    0,          1,          7,          31,         32,         33,         63,
    64,         255,        256,        0x105,      0x7fffffff, 0x80000000, 0xffffffff,
    0x12345678, 0x00400000, 0x80000001, 0x3f800000, 0xbf000000, 0x4effffff, 0x4f000000,
    0xcf000000, 0x4f800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00123, 0xff800001};
static const uint64_t longs[] = {0,
                                 1,
                                 64,
                                 UINT32_MAX,
                                 UINT64_C(1) << 32,
                                 INT64_MAX,
                                 UINT64_C(1) << 63,
                                 UINT64_MAX,
                                 UINT64_C(0x123456789abcdef0),
                                 UINT64_C(0x3ff0000000000000),
                                 UINT64_C(0xc1e0000000000000), /* -2^31 */
                                 UINT64_C(0x41dfffffffe00000), /* 2^31 - 0.5 */
                                 UINT64_C(0x7ff0000000000000),
                                 UINT64_C(0x7ff0000000000123), /* signalling */
                                 UINT64_C(0xfff8000000000456)};
enum { WORDS = sizeof words / sizeof *words, LONGS = sizeof longs / sizeof *longs };

static uint64_t operand(char type, unsigned *at)
{
    unsigned count = type == 'd' ? LONGS : type == 'w' ? WORDS : 1, i = *at % count;
    *at /= count;
    return type == 'd' ? longs[i] : type == 'w' ? words[i] : 0;
}

static unsigned combinations(const struct row *row)
{
    unsigned count = 1;
    for (unsigned k = 1; k < 4; k++)
        count *= row->types[k] == 'd' ? LONGS : row->types[k] == 'w' ? WORDS : 1;
    return count;
}

/* ---- running --------------------------------------------------------------------------------- */

enum { BLOCK = 64, LANE_BYTES = 32, KEPT = 0x5a5a5a5a, FIRST_ACCESSES = 8 };

/* The text of a row, in which a letter alone is a register and @q the guard, if there is one. */
static void put_operation(char *out, size_t size, const struct row *row, bool is_guarded)
{
    size_t used = (size_t)snprintf(out, size, "%s", is_guarded ? "@%q " : "");
    for (const char *c = row->text; *c; c++) {
        bool is_alone = c[1] && c != row->text && c[-1] == ' ' && strchr(",;", c[1]);
        char put[8] = {*c};
        if (is_alone && strchr("rabc", *c)) {
            unsigned k = *c == 'r' ? 0 : (unsigned)(*c - 'a' + 1);
            snprintf(put, sizeof put, "%%%c%u", row->types[k], k);
        } else if (*c == '@') {
            snprintf(put, sizeof put, "%s", is_guarded ? "@%q" : "");
            c++;
        }
        used += (size_t)snprintf(out + used, size - used, "%s", put);
    }
}

static void put_kernel(char *out, size_t size, const struct row *row, bool is_guarded)
{
    char operation[512];
    put_operation(operation, sizeof operation, row, is_guarded);
    snprintf(
        out, size,
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 p)\n{\n"
        ".reg .b32 %%w<4>, %%t<4>, %%i<4>; .reg .b64 %%d<4>, %%tl<2>, %%l<4>; .reg .pred %%q;\n"
        "ld.param.u64 %%l0, [p]; mov.u32 %%i0, %%tid.x; mov.u32 %%i1, %%ctaid.x;\n"
        "mad.lo.u32 %%i0, %%i1, %d, %%i0; mad.wide.u32 %%l0, %%i0, %d, %%l0;\n"
        "and.b32 %%i1, %%i0, 1; setp.eq.u32 %%q, %%i1, 1;\n"
        "ld.global.b32 %%w1, [%%l0+8]; ld.global.b64 %%d1, [%%l0+8];\n"
        "ld.global.b32 %%w2, [%%l0+16]; ld.global.b64 %%d2, [%%l0+16];\n"
        "ld.global.b32 %%w3, [%%l0+24]; ld.global.b64 %%d3, [%%l0+24];\n"
        "mov.b32 %%w0, 0x5a5a5a5a; mov.b64 %%d0, 0x5a5a5a5a;\n"
        "%s\n"
        "%s\nret;\n}\n",
        BLOCK, LANE_BYTES, operation,
        row->types[0] == 'd' ? "st.global.b64 [%l0], %d0;"
                             : "cvt.u64.u32 %l1, %w0; st.global.b64 [%l0], %l1;");
}

static void run(const char *ptx, uint64_t *lanes, unsigned blocks)
{
    struct diag diag = {0};
    struct module *module;
    struct device *device;
    struct launch_result result;
    uint64_t address;
    size_t bytes = (size_t)blocks * BLOCK * LANE_BYTES;
    const struct device_options options = {
        .threads = 1, .isa_level = -1, .engine = compile_engine()};
    struct launch_options launch = {.grid = {blocks, 1, 1},
                                    .block = {BLOCK, 1, 1},
                                    .parameters = &address,
                                    .parameter_bytes = sizeof address};
    if (module_load_memory(&diag, "k.ptx", ptx, strlen(ptx), &module) != WS_OK)
        fail_msg("%s\n%s", diag.text, ptx);
    assert_int_equal(device_create(&diag, &options, &device), WS_OK);
    assert_int_equal(device_alloc(&diag, device, bytes, &address), WS_OK);
    assert_int_equal(device_copy_in(&diag, device, address, lanes, bytes), WS_OK);
    assert_int_equal(module_find_entry(&diag, module, "k", &launch.entry), WS_OK);
    assert_int_equal(device_launch(&diag, device, module, &launch, &result), WS_OK);
    assert_int_equal(device_copy_out(&diag, device, lanes, address, bytes), WS_OK);
    /* All but ret, and the accesses of the first warp to memory that it does not know yet. */
    uint64_t warps = 2 * blocks, left = result.warp_instructions - result.compiled_instructions;
    if (device_isa_levels() == 3 && left > warps + FIRST_ACCESSES)
        fail_msg("%llu of %llu instructions are interpreted:\n%s", (unsigned long long)left,
                 (unsigned long long)result.warp_instructions, ptx);
    device_destroy(device);
    module_destroy(module);
}

static void check_row(const struct row *row, bool is_guarded)
{
    char ptx[2048];
    unsigned count = combinations(row), blocks = (count + BLOCK - 1) / BLOCK;
    uint64_t *lanes = mem_zalloc(blocks * BLOCK, LANE_BYTES);
    for (unsigned i = 0; i < blocks * BLOCK; i++)
        for (unsigned k = 1, at = i; k < 4; k++)
            lanes[4 * i + k] = operand(row->types[k], &at);
    put_kernel(ptx, sizeof ptx, row, is_guarded);
    run(ptx, lanes, blocks);
    for (unsigned i = 0; i < count; i++) {
        const uint64_t *lane = lanes + 4 * i;
        uint64_t expected =
            is_guarded && i % 2 == 0 ? KEPT : row->expected(lane[1], lane[2], lane[3]);
        if (row->types[0] == 'w') expected = (uint32_t)expected;
        if (lane[0] != expected)
            fail_msg("%s%s of %llx, %llx, %llx: %llx, not %llx", is_guarded ? "@q " : "", row->text,
                     (unsigned long long)lane[1], (unsigned long long)lane[2],
                     (unsigned long long)lane[3], (unsigned long long)lane[0],
                     (unsigned long long)expected);
    }
    mem_free(lanes);
}

static void test_plain(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(&rows[i], false);
}

static void test_guarded(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(&rows[i], true);
}

/* Registers of 128 bits that only lanes with an odd number write, in a branch of their own. */
static void test_wide_in_part(void **state)
{
    (void)state;
    static const char ptx[] =
        ".version 8.3\n.target sm_70\n.address_size 64\n"
        ".visible .entry k(.param .u64 p)\n{\n"
        ".reg .b32 %i<4>; .reg .b64 %d<8>; .reg .b128 %w; .reg .pred %q;\n"
        "ld.param.u64 %d0, [p]; mov.u32 %i0, %tid.x; mad.wide.u32 %d0, %i0, 32, %d0;\n"
        "and.b32 %i1, %i0, 1; setp.eq.u32 %q, %i1, 0; mov.u64 %d1, 7; mov.u64 %d2, 9;\n"
        "ld.global.b64 %d3, [%d0+8]; ld.global.b64 %d4, [%d0+16];\n"
        "mov.b128 %w, {%d1, %d2};\n"
        "@%q bra OVER;\nmov.b128 %w, {%d3, %d4}; add.u64 %d3, %d3, 1;\n"
        "OVER: mov.b128 {%d5, %d6}, %w; st.global.b64 [%d0], %d5; st.global.b64 [%d0+24], %d6;\n"
        "ret;\n}\n";
    uint64_t lanes[BLOCK * 4], expected;
    for (unsigned i = 0; i < BLOCK * 4; i++)
        lanes[i] = 1000 + i;
    run(ptx, lanes, 1);
    for (unsigned i = 0; i < BLOCK; i++) {
        expected = i % 2 ? 1000 + 4 * i + 1 : 7;
        assert_int_equal(lanes[4 * i], expected);
        expected = i % 2 ? 1000 + 4 * i + 2 : 9;
        assert_int_equal(lanes[4 * i + 3], expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain), cmocka_unit_test(test_guarded),
                                       cmocka_unit_test(test_wide_in_part)};
    return cmocka_run_group_tests_name("compile_edges", tests, NULL, NULL);
}

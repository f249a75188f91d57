// SPDX-License-Identifier: Apache-2.0
#include "compile/x86_reference.h"
#include <math.h>
#include <string.h>

#include "base/half.h"

/* ---- lane by lane ---------------------------------------------------------------------------- */

typedef uint8_t type_u8;
typedef int8_t type_s8;
typedef uint16_t type_u16;
typedef int16_t type_s16;
typedef uint32_t type_u32;
typedef int32_t type_s32;
typedef uint64_t type_u64;
typedef int64_t type_s64;
typedef float type_f32;
typedef double type_f64;
__extension__ typedef unsigned __int128 u128;

/* Operands a (the second), b (the last), d (the old result); volatile: at the rounding of the moment. */
#define LANE_FORMS(F)                                                                              \
    F(ADD_16, u16, u16, a + b)                                                                     \
    F(SUB_16, u16, u16, a - b)                                                                     \
    F(MUL_16, u16, u16, (uint32_t)a *b)                                                            \
    F(MIN_S16, s16, s16, a < b ? a : b)                                                            \
    F(MIN_U16, u16, u16, a < b ? a : b)                                                            \
    F(MAX_S16, s16, s16, a > b ? a : b)                                                            \
    F(MAX_U16, u16, u16, a > b ? a : b)                                                            \
    F(ADD_32, u32, u32, a + b)                                                                     \
    F(ADD_64, u64, u64, a + b)                                                                     \
    F(SUB_32, u32, u32, a - b)                                                                     \
    F(SUB_64, u64, u64, a - b)                                                                     \
    F(MUL_32, u32, u32, a *b)                                                                      \
    F(MUL_64, u64, u64, a *b)                                                                      \
    F(MUL_WIDE_U32, u64, u64, (a & UINT32_MAX) * (b & UINT32_MAX))                                 \
    F(MUL_WIDE_S32, s64, s64, (int64_t)(int32_t)a *(int32_t)b)                                     \
    F(MIN_S32, s32, s32, a < b ? a : b)                                                            \
    F(MIN_S64, s64, s64, a < b ? a : b)                                                            \
    F(MIN_U32, u32, u32, a < b ? a : b)                                                            \
    F(MIN_U64, u64, u64, a < b ? a : b)                                                            \
    F(MAX_S32, s32, s32, a > b ? a : b)                                                            \
    F(MAX_S64, s64, s64, a > b ? a : b)                                                            \
    F(MAX_U32, u32, u32, a > b ? a : b)                                                            \
    F(MAX_U64, u64, u64, a > b ? a : b)                                                            \
    F(AND_32, u32, u32, a &b)                                                                      \
    F(AND_64, u64, u64, a &b)                                                                      \
    F(OR_32, u32, u32, a | b)                                                                      \
    F(OR_64, u64, u64, a | b)                                                                      \
    F(XOR_32, u32, u32, a ^ b)                                                                     \
    F(XOR_64, u64, u64, a ^ b)                                                                     \
    F(SHL_32, u32, u32, b < 32 ? a << b : 0)                                                       \
    F(SHL_64, u64, u64, b < 64 ? a << b : 0)                                                       \
    F(SHR_U32, u32, u32, b < 32 ? a >> b : 0)                                                      \
    F(SHR_U64, u64, u64, b < 64 ? a >> b : 0)                                                      \
    F(SHR_S32, s32, s32, a >> ((uint32_t)b < 32 ? b : 31))                                         \
    F(SHR_S64, s64, s64, a >> ((uint64_t)b < 64 ? b : 63))                                         \
    F(ROTATE_LEFT_32, u32, u32, (uint32_t)(((uint64_t)a << 32 | a) << (b & 31) >> 32))             \
    F(ROTATE_RIGHT_32, u32, u32, (uint32_t)(((uint64_t)a << 32 | a) >> (b & 31)))                  \
    F(MIN_F32, f32, f32, a < b ? a : b)                                                            \
    F(MAX_F32, f32, f32, a > b ? a : b)                                                            \
    F(MIN_F64, f64, f64, a < b ? a : b)                                                            \
    F(MAX_F64, f64, f64, a > b ? a : b)
#define ROUNDED_FORMS(F)                                                                           \
    F(ADD_F32, f32, a + b)                                                                         \
    F(ADD_F64, f64, a + b)                                                                         \
    F(SUB_F32, f32, a - b)                                                                         \
    F(SUB_F64, f64, a - b)                                                                         \
    F(MUL_F32, f32, a *b)                                                                          \
    F(MUL_F64, f64, a *b)                                                                          \
    F(DIV_F32, f32, a / b)                                                                         \
    F(DIV_F64, f64, a / b)                                                                         \
    F(FMA_F32, f32, fmaf(a, b, d))                                                                 \
    F(FMA_F64, f64, fma(d, b, a))                                                                  \
    F(FMA_ADD_F64, f64, fma(a, b, d))                                                              \
    F(FMA_MUL_F64, f64, fma(a, d, b))                                                              \
    F(FNMA_F64, f64, fma(-a, b, d))
#define ONE_FORMS(F)                                                                               \
    F(ABS_16, u16, u16, b & 0x8000 ? 0u - b : b)                                                   \
    F(ABS_32, u32, u32, b >> 31 ? 0u - b : b)                                                      \
    F(ABS_64, u64, u64, b >> 63 ? 0 - b : b)                                                       \
    F(CLZ_32, u32, u32, b ? (uint32_t)__builtin_clz(b) : 32)                                       \
    F(CLZ_64, u64, u64, b ? (uint64_t)__builtin_clzll(b) : 64)                                     \
    F(MOVE, u32, u32, b)                                                                           \
    F(MOVE_64, u64, u64, b)                                                                        \
    F(MOVE_16, u16, u16, b)                                                                        \
    F(S32_OF_F32, s32, f32, b >= -0x1p31f && b < 0x1p31f ? (int32_t)b : INT32_MIN)                 \
    F(U32_OF_F32, u32, f32, b > -1.0f && b < 0x1p32f ? (uint32_t)b : UINT32_MAX)                   \
    F(S64_OF_F64, s64, f64, b >= -0x1p63 && b < 0x1p63 ? (int64_t)b : INT64_MIN)                   \
    F(U64_OF_F64, u64, f64, b > -1.0 && b < 0x1p64 ? (uint64_t)b : UINT64_MAX)                     \
    F(RSQRT14_F64, f64, f64, 1.0 / sqrt(b))
/* The result has as many lanes as the wider of both types. */
#define RESIZED_FORMS(F)                                                                           \
    F(WIDEN_S8_16, s16, s8, 32, b)                                                                 \
    F(WIDEN_S8_32, s32, s8, 16, b)                                                                 \
    F(WIDEN_S8_64, s64, s8, 8, b)                                                                  \
    F(WIDEN_S16_32, s32, s16, 16, b)                                                               \
    F(WIDEN_S16_64, s64, s16, 8, b)                                                                \
    F(WIDEN_U8_16, u16, u8, 32, b)                                                                 \
    F(WIDEN_U8_32, u32, u8, 16, b)                                                                 \
    F(WIDEN_U8_64, u64, u8, 8, b)                                                                  \
    F(WIDEN_U16_32, u32, u16, 16, b)                                                               \
    F(WIDEN_U16_64, u64, u16, 8, b)                                                                \
    F(WIDEN_S32, s64, s32, 8, b)                                                                   \
    F(WIDEN_U32, u64, u32, 8, b)                                                                   \
    F(F32_OF_F16, f32, u16, 16, half_to_float(b))                                                  \
    F(F64_OF_S32, f64, s32, 8, b)                                                                  \
    F(F64_OF_U32, f64, u32, 8, b)                                                                  \
    F(F64_OF_F32, f64, f32, 8, (double)b)                                                          \
    F(S32_OF_F64, s32, f64, 8, b > -0x1p31 - 1.0 && b < 0x1p31 ? (int32_t)b : INT32_MIN)           \
    F(U32_OF_F64, u32, f64, 8, b > -1.0 && b < 0x1p32 ? (uint32_t)b : UINT32_MAX)
/* At the rounding of the moment. */
#define CONVERTED_FORMS(F)                                                                         \
    F(F32_OF_S32, f32, s32, 16, (float)b)                                                          \
    F(F32_OF_U32, f32, u32, 16, (float)b)                                                          \
    F(F64_OF_S64, f64, s64, 8, (double)b)                                                          \
    F(F64_OF_U64, f64, u64, 8, double_of(b))                                                       \
    F(F32_OF_S64, f32, s64, 8, (float)b)                                                           \
    F(F32_OF_U64, f32, u64, 8, float_of(b))                                                        \
    F(F32_OF_F64, f32, f64, 8, (float)b)                                                           \
    F(SQRT_F32, f32, f32, 16, sqrtf(b))                                                            \
    F(SQRT_F64, f64, f64, 8, sqrt(b))
#define STORED_FORMS(F)                                                                            \
    F(MOVE_OUT, u32, u32, 16)                                                                      \
    F(MOVE_OUT_16, u16, u16, 32)                                                                   \
    F(MOVE_OUT_64, u64, u64, 8)                                                                    \
    F(NARROW_16_8, u8, u16, 32)                                                                    \
    F(NARROW_32_8, u8, u32, 16)                                                                    \
    F(NARROW_64_8, u8, u64, 8)                                                                     \
    F(NARROW_32_16, u16, u32, 16)                                                                  \
    F(NARROW_64_16, u16, u64, 8)                                                                   \
    F(NARROW_64, u32, u64, 8)
#define SHIFT_FORMS(F)                                                                             \
    F(SHL_16_BY, u16, k < 16 ? b << k : 0)                                                         \
    F(SHL_32_BY, u32, k < 32 ? b << k : 0)                                                         \
    F(SHL_64_BY, u64, k < 64 ? b << k : 0)                                                         \
    F(SHR_U16_BY, u16, k < 16 ? b >> k : 0)                                                        \
    F(SHR_U32_BY, u32, k < 32 ? b >> k : 0)                                                        \
    F(SHR_U64_BY, u64, k < 64 ? b >> k : 0)                                                        \
    F(SHR_S16_BY, s16, b >> (k < 16 ? k : 15))                                                     \
    F(SHR_S32_BY, s32, b >> (k < 32 ? k : 31))                                                     \
    F(SHR_S64_BY, s64, b >> (k < 64 ? k : 63))
#define COMPARE_FORMS(F)                                                                           \
    F(COMPARE_S16, s16, holds)                                                                     \
    F(COMPARE_U16, u16, holds)                                                                     \
    F(COMPARE_S32, s32, holds)                                                                     \
    F(COMPARE_U32, u32, holds)                                                                     \
    F(COMPARE_S64, s64, holds)                                                                     \
    F(COMPARE_U64, u64, holds)                                                                     \
    F(COMPARE_F32, f32, holds_float)                                                               \
    F(COMPARE_F64, f64, holds_float)

/* gcc converts in two steps, which round twice unless the first is exact: keep one bit for all that goes. */
static float float_of(uint64_t v)
{
    return v >> 40 ? ldexpf((float)((int64_t)(v >> 20) | ((v & 0xfffff) != 0)), 20) : (float)v;
}
static double double_of(uint64_t v)
{
    return v >> 63 ? ldexp((double)((int64_t)(v >> 1) | (int64_t)(v & 1)), 1) : (double)(int64_t)v;
}

/* Predicates as vpcmp and vcmpps number them; those of floats beyond 15 differ in signals only. */
static bool holds(int predicate, bool less, bool equal, bool greater)
{
    (void)greater;
    bool positive = (predicate & 3) == 0   ? equal
                    : (predicate & 3) == 1 ? less
                    : (predicate & 3) == 2 ? less || equal
                                           : false;
    return positive != (predicate >= 4);
}
static bool holds_float(int predicate, bool less, bool equal, bool greater)
{
    enum { L = 1, E = 2, G = 4, U = 8 };
    static const uint8_t sets[] = {
        E,     L,     L | E,     U, L | G | U, E | G | U, G | U, L | E | G,
        E | U, L | U, L | E | U, 0, L | G,     G | E,     G,     L | E | G | U};
    unsigned relation = less ? L : equal ? E : greater ? G : U;
    return sets[predicate & 15] & relation;
}

#define COUNT(T) (64 / sizeof(type_##T))
#define FUNCTION(name) static void compute_##name(const struct given *g, union vector *out)
#define THREE(name, TR, T, expr)                                                                   \
    FUNCTION(name)                                                                                 \
    {                                                                                              \
        for (unsigned i = 0; i < COUNT(T); i++) {                                                  \
            const type_##T a = g->second.T[i], b = g->last.T[i];                                   \
            out->TR[i] = (type_##TR)(expr);                                                        \
        }                                                                                          \
    }
LANE_FORMS(THREE)
#define ROUNDED(name, T, expr)                                                                     \
    FUNCTION(name)                                                                                 \
    {                                                                                              \
        for (unsigned i = 0; i < COUNT(T); i++) {                                                  \
            const volatile type_##T a = g->second.T[i], b = g->last.T[i], d = g->result.T[i];      \
            (void)d;                                                                               \
            out->T[i] = expr;                                                                      \
        }                                                                                          \
    }
ROUNDED_FORMS(ROUNDED)
#define RESIZED(name, TR, T, count, expr)                                                          \
    FUNCTION(name)                                                                                 \
    {                                                                                              \
        for (unsigned i = 0; i < count; i++) {                                                     \
            const volatile type_##T b = g->last.T[i];                                              \
            out->TR[i] = (type_##TR)(expr);                                                        \
        }                                                                                          \
    }
#define ONE(name, TR, T, expr) RESIZED(name, TR, T, COUNT(T), expr)
ONE_FORMS(ONE)
RESIZED_FORMS(RESIZED)
CONVERTED_FORMS(RESIZED)
#define STORED(name, TR, T, count) RESIZED(name, TR, T, count, b)
STORED_FORMS(STORED)
#define SHIFT(name, T, expr)                                                                       \
    FUNCTION(name)                                                                                 \
    {                                                                                              \
        const int k = g->imm;                                                                      \
        for (unsigned i = 0; i < COUNT(T); i++) {                                                  \
            const type_##T b = g->last.T[i];                                                       \
            out->T[i] = (type_##T)(expr);                                                          \
        }                                                                                          \
    }
SHIFT_FORMS(SHIFT)
#define COMPARE(name, T, holds)                                                                    \
    FUNCTION(name)                                                                                 \
    {                                                                                              \
        for (unsigned i = 0; i < COUNT(T); i++) {                                                  \
            const type_##T a = g->second.T[i], b = g->last.T[i];                                   \
            out->u32[0] |= (uint32_t)holds(g->imm, a<b, a == b, a> b) << i;                        \
        }                                                                                          \
    }
COMPARE_FORMS(COMPARE)

/* ---- others ---------------------------------------------------------------------------------- */

FUNCTION(TERNARY_32)
{
    for (unsigned bit = 0; bit < 512; bit++) {
        unsigned at = bit / 32, by = bit % 32;
        unsigned row = (g->result.u32[at] >> by & 1) << 2 | (g->second.u32[at] >> by & 1) << 1 |
                       (g->last.u32[at] >> by & 1);
        out->u32[at] |= ((unsigned)g->imm >> row & 1) << by;
    }
}
FUNCTION(BROADCAST_32)
{
    for (unsigned i = 0; i < 16; i++)
        out->u32[i] = g->last.u32[0];
}
FUNCTION(BROADCAST_64)
{
    for (unsigned i = 0; i < 8; i++)
        out->u64[i] = g->last.u64[0];
}
/* Blends take the last operand where the mask has a one, else the second: without a mask the last. */
FUNCTION(BLEND)
{
    *out = g->last;
}
FUNCTION(SIGNS_32)
{
    for (unsigned i = 0; i < 16; i++)
        out->u32[0] |= (g->last.u32[i] >> 31) << i;
}
FUNCTION(SHUFFLE_BYTES)
{
    for (unsigned i = 0; i < 64; i++)
        out->u8[i] = g->last.u8[i] & 0x80 ? 0 : g->second.u8[i / 16 * 16 + (g->last.u8[i] & 15)];
}
FUNCTION(PICK_32)
{
    for (unsigned i = 0; i < 16; i++)
        out->u32[i] = (g->result.u32[i] & 16 ? g->last : g->second).u32[g->result.u32[i] & 15];
}
FUNCTION(PICK_64)
{
    for (unsigned i = 0; i < 8; i++)
        out->u64[i] = (g->result.u64[i] & 8 ? g->last : g->second).u64[g->result.u64[i] & 7];
}
FUNCTION(SHUFFLE_QUARTERS)
{
    for (unsigned i = 0; i < 4; i++)
        memcpy(out->u8 + 16 * i, (i < 2 ? g->second : g->last).u8 + 16 * (g->imm >> (2 * i) & 3),
               16);
}
FUNCTION(SHUFFLE_WORDS)
{
    for (unsigned i = 0; i < 16; i++)
        out->u32[i] = g->last.u32[i / 4 * 4 + (unsigned)(g->imm >> (2 * (i % 4)) & 3)];
}
FUNCTION(JOIN_QUARTERS)
{
    *out = g->second;
    memcpy(out->u8 + 16 * (g->imm & 3), g->last.u8, 16);
}
FUNCTION(JOIN_HALVES)
{
    *out = g->second;
    memcpy(out->u8 + 32 * (g->imm & 1), g->last.u8, 32);
}
FUNCTION(UPPER_HALF)
{
    memcpy(out->u8, g->last.u8 + 32 * (g->imm & 1), 32);
}
FUNCTION(QUARTER)
{
    memcpy(out->u8, g->last.u8 + 16 * (g->imm & 3), 16);
}
static double integral(double v, int mode)
{
    return (mode & 3) == 0   ? rint(v)
           : (mode & 3) == 1 ? floor(v)
           : (mode & 3) == 2 ? ceil(v)
                             : trunc(v);
}
FUNCTION(ROUND_F32)
{
    for (unsigned i = 0; i < 16; i++)
        out->f32[i] = (float)integral((double)g->last.f32[i], g->imm);
}
FUNCTION(ROUND_F64)
{
    for (unsigned i = 0; i < 8; i++)
        out->f64[i] = integral(g->last.f64[i], g->imm);
}
FUNCTION(F16_OF_F32)
{
    for (unsigned i = 0; i < 16; i++) {
        float v = g->last.f32[i];
        uint16_t cut = half_from_float(v, 1);
        bool is_cut = half_to_float(cut) != v, is_negative = signbit(v);
        bool steps =
            is_cut && ((g->imm & 3) == 1 ? is_negative : (g->imm & 3) == 2 && !is_negative);
        out->u16[i] = (g->imm & 3) == 0 ? half_from_float(v, 0) : (uint16_t)(cut + steps);
    }
}
static unsigned class_of(double v, bool is_quiet, bool is_subnormal)
{
    if (v != v) return is_quiet ? 0x01 : 0x80;
    unsigned set = v == 0.0 ? signbit(v) ? 0x04 : 0x02 : 0;
    if (isinf(v)) set |= v < 0.0 ? 0x10 : 0x08;
    if (is_subnormal) set |= 0x20;
    return v < 0.0 && !isinf(v) ? set | 0x40 : set;
}
FUNCTION(CLASS_F32)
{
    for (unsigned i = 0; i < 16; i++) {
        uint32_t bits = g->last.u32[i];
        bool is_subnormal = !(bits & 0x7f800000) && bits & 0x7fffff;
        bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
        unsigned set =
            class_of(is_nan ? NAN : (double)g->last.f32[i], bits & 0x400000, is_subnormal);
        out->u32[0] |= (uint32_t)((set & (unsigned)g->imm) != 0) << i;
    }
}
FUNCTION(CLASS_F64)
{
    for (unsigned i = 0; i < 8; i++) {
        uint64_t bits = g->last.u64[i], fraction = bits & (UINT64_MAX >> 12);
        bool is_subnormal = !(bits >> 52 & 0x7ff) && fraction;
        unsigned set = class_of(g->last.f64[i], bits >> 51 & 1, is_subnormal);
        out->u32[0] |= (uint32_t)((set & (unsigned)g->imm) != 0) << i;
    }
}
/* Those answers of vfixupimm that the tables below have. */
FUNCTION(FIX_F32)
{
    for (unsigned i = 0; i < 16; i++) {
        float v = g->second.f32[i];
        bool is_quiet = g->second.u32[i] & 0x400000;
        unsigned token = v != v     ? is_quiet ? 0 : 1
                         : v == 0   ? 2
                         : v == 1   ? 3
                         : isinf(v) ? v < 0 ? 4 : 5
                         : v < 0    ? 6
                                    : 7;
        unsigned answer = g->last.u32[i] >> (4 * token) & 15;
        out->u32[i] = answer == 3   ? 0xffc00000
                      : answer == 6 ? (g->second.u32[i] & 0x80000000) | 0x7f800000
                      : answer == 8 ? 0
                                    : g->result.u32[i];
    }
}

/* ---- operands that a form needs -------------------------------------------------------------- */

static void prepare_table(struct given *g)
{
    for (unsigned i = 0; i < 16; i++)
        g->last.u32[i] = 0x03830600;
}
static void prepare_numbers(struct given *g) /* NaNs have payloads that C does not tell */
{
    for (unsigned i = 0; i < 16; i++)
        if (g->last.f32[i] != g->last.f32[i]) g->last.f32[i] = 1.5f;
}
static void prepare_halves(struct given *g)
{
    for (unsigned i = 0; i < 32; i++)
        if ((g->last.u16[i] & 0x7fff) > 0x7c00) g->last.u16[i] = 0x3e01;
}
static void prepare_positive(struct given *g)
{
    for (unsigned i = 0; i < 8; i++)
        g->last.u64[i] = (g->last.u64[i] & ~(UINT64_C(3) << 62)) | UINT64_C(1) << 60;
}
static void prepare_counts(struct given *g)
{
    for (unsigned i = 0; i < 16; i++)
        g->last.u32[i] = i % 8 == 7 ? g->last.u32[i] : i % 2 ? 0 : g->last.u32[i] & 0x7f;
}

#define NO_IMM                                                                                     \
    {                                                                                              \
        -1                                                                                         \
    }
#define SPREAD(T) (sizeof(type_##T) >= 4 ? sizeof(type_##T) : 0)
#define OTHER_ROW(name, function, at, count, bytes, ...)                                           \
    [X86_##name] = {.compute = compute_##function,                                                 \
                    .place = at,                                                                   \
                    .lanes = count,                                                                \
                    .lane_bytes = bytes,                                                           \
                    __VA_ARGS__}
#define ROW(name, at, count, bytes, ...) OTHER_ROW(name, name, at, count, bytes, __VA_ARGS__)
#define THREE_ROW(name, TR, T, expr)                                                               \
    ROW(name, RESULT_FIRST, COUNT(T), sizeof(type_##TR), .has_second = true, .spread = SPREAD(T),  \
        .imms = NO_IMM, .prepare = IS_SHIFT(X86_##name) ? prepare_counts : NULL),
#define IS_SHIFT(form) ((form) >= X86_SHL_32 && (form) <= X86_SHR_S64)
#define ROUNDED_ROW(name, T, expr)                                                                 \
    ROW(name, RESULT_FIRST, COUNT(T), sizeof(type_##T), .has_second = true, .spread = SPREAD(T),   \
        .imms = NO_IMM, .rounds = true),
#define RESIZED_ROW(name, TR, T, count, expr)                                                      \
    ROW(name, RESULT_FIRST, count, sizeof(type_##TR), .imms = NO_IMM,                              \
        .prepare = X86_##name == X86_F32_OF_F16 ? prepare_halves : NULL),
#define CONVERTED_ROW(name, TR, T, count, expr)                                                    \
    ROW(name, RESULT_FIRST, count, sizeof(type_##TR), .imms = NO_IMM, .rounds = true,              \
        .spread = SPREAD(T)),
#define ONE_ROW(name, TR, T, expr)                                                                 \
    ROW(name, RESULT_FIRST, COUNT(T), sizeof(type_##TR), .imms = NO_IMM,                           \
        .spread = X86_##name == X86_MOVE || X86_##name == X86_MOVE_64 ? 0 : SPREAD(T),             \
        .is_approximate = X86_##name == X86_RSQRT14_F64,                                           \
        .prepare = X86_##name == X86_RSQRT14_F64 ? prepare_positive : NULL),
#define STORED_ROW(name, TR, T, count)                                                             \
    ROW(name, RESULT_LAST, count, sizeof(type_##TR), .imms = NO_IMM),
#define SHIFT_ROW(name, T, expr)                                                                   \
    ROW(name, RESULT_SECOND, COUNT(T), sizeof(type_##T), .spread = SPREAD(T),                      \
        .imms = {0, 5, 8 * sizeof(type_##T) - 1, 200}),
#define IS_OF_FLOATS(form) ((form) >= X86_COMPARE_F32)
#define COMPARE_ROW(name, T, holds)                                                                \
    ROW(name, RESULT_MASK, COUNT(T), 0, .has_second = true, .spread = SPREAD(T),                   \
        .imms = {0, 1, IS_OF_FLOATS(X86_##name) ? 0x1d : 2, IS_OF_FLOATS(X86_##name) ? 3 : 6}),

const struct reference x86_references[X86_FORMS] = {
    LANE_FORMS(THREE_ROW) ROUNDED_FORMS(ROUNDED_ROW) ONE_FORMS(ONE_ROW) RESIZED_FORMS(RESIZED_ROW)
        CONVERTED_FORMS(CONVERTED_ROW) STORED_FORMS(STORED_ROW) SHIFT_FORMS(SHIFT_ROW)
            COMPARE_FORMS(COMPARE_ROW)
    /* others */
    ROW(TERNARY_32, RESULT_FIRST, 16, 4, .has_second = true, .spread = 4,
        .imms = {0xca, 0x55, 0x18, 0xe1}),
    ROW(BROADCAST_32, RESULT_FIRST, 16, 4, .is_memory_only = true, .imms = NO_IMM),
    ROW(BROADCAST_64, RESULT_FIRST, 8, 8, .is_memory_only = true, .imms = NO_IMM),
    OTHER_ROW(SPREAD_32, BROADCAST_32, RESULT_FIRST, 16, 4, .is_from_general = true,
              .imms = NO_IMM),
    OTHER_ROW(SPREAD_64, BROADCAST_64, RESULT_FIRST, 8, 8, .is_from_general = true, .imms = NO_IMM),
    OTHER_ROW(BLEND_16, BLEND, RESULT_FIRST, 32, 2, .has_second = true, .is_blend = true,
              .imms = NO_IMM),
    OTHER_ROW(BLEND_32, BLEND, RESULT_FIRST, 16, 4, .has_second = true, .is_blend = true,
              .spread = 4, .imms = NO_IMM),
    OTHER_ROW(BLEND_64, BLEND, RESULT_FIRST, 8, 8, .has_second = true, .is_blend = true,
              .spread = 8, .imms = NO_IMM),
    ROW(SIGNS_32, RESULT_MASK, 16, 0, .is_register_only = true, .imms = NO_IMM),
    ROW(SHUFFLE_BYTES, RESULT_FIRST, 64, 1, .has_second = true, .imms = NO_IMM),
    ROW(PICK_32, RESULT_FIRST, 16, 4, .has_second = true, .spread = 4, .imms = NO_IMM),
    ROW(PICK_64, RESULT_FIRST, 8, 8, .has_second = true, .spread = 8, .imms = NO_IMM),
    ROW(SHUFFLE_QUARTERS, RESULT_FIRST, 8, 8, .has_second = true, .spread = 8,
        .imms = {0x4e, 0xe4, 0x1b, -1}),
    ROW(SHUFFLE_WORDS, RESULT_FIRST, 16, 4, .spread = 4, .imms = {0xb1, 0xf5, 0xa0, -1}),
    ROW(JOIN_QUARTERS, RESULT_FIRST, 16, 4, .has_second = true, .imms = {0, 1, 2, 3}),
    ROW(JOIN_HALVES, RESULT_FIRST, 8, 8, .has_second = true, .imms = {0, 1, -1}),
    ROW(UPPER_HALF, RESULT_LAST, 4, 8, .imms = {0, 1, -1}),
    ROW(QUARTER, RESULT_LAST, 4, 4, .imms = {0, 1, 2, 3}),
    ROW(ROUND_F32, RESULT_FIRST, 16, 4, .spread = 4, .imms = {8, 9, 10, 11}),
    ROW(ROUND_F64, RESULT_FIRST, 8, 8, .spread = 8, .imms = {8, 9, 10, 11}),
    ROW(F16_OF_F32, RESULT_LAST, 16, 2, .imms = {0, 1, 2, 3}, .prepare = prepare_numbers),
    ROW(CLASS_F32, RESULT_MASK, 16, 0, .spread = 4, .imms = {0x81, 0x18, 0x20, 0x46}),
    ROW(CLASS_F64, RESULT_MASK, 8, 0, .spread = 8, .imms = {0x81, 0x18, 0x20, 0x46}),
    ROW(FIX_F32, RESULT_FIRST, 16, 4, .has_second = true, .spread = 4, .imms = {0, -1},
        .prepare = prepare_table),
};

// SPDX-License-Identifier: Apache-2.0
/* Conversions. What occurs often is a lane loop; everything else goes through convert.c. */
#ifndef EMULATE_SEM_CONVERT_H
#define EMULATE_SEM_CONVERT_H

#include "emulate/convert.h"
#include "emulate/sem_bits.h"
#include "emulate/sem_double.h"
#include "emulate/sem_float.h"
#include "emulate/sem_half.h"
#include "emulate/sem_move.h"
#include "emulate/sem_pairs.h"
#include "emulate/sem_select.h"

/* ---- integers -------------------------------------------------------------------------------- */

OP1(cvt_64_s32, int64_t, int32_t, A)
OP1(cvt_64_u32, uint64_t, uint32_t, A)
OP1(cvt_32_64, uint32_t, uint64_t, A)

/* Cuts a value to its type and extends it to its register, for source and destination: keeping the
 * bits of `mask`, then (v ^ top) - top, where top is the sign bit of a signed type, else 0. */
struct resize {
    uint64_t from_mask, from_top, to_mask, to_top;
};
static inline struct resize resize_of(const struct insn *insn)
{
    const struct type_info *from = &type_infos[insn->type2], *to = &type_infos[insn->type];
    struct resize r = {~UINT64_C(0) >> (64 - from->bits), 0, ~UINT64_C(0) >> (64 - to->bits), 0};
    if (from->kind == KIND_SIGNED) r.from_top = UINT64_C(1) << (from->bits - 1);
    if (to->kind == KIND_SIGNED) r.to_top = UINT64_C(1) << (to->bits - 1);
    return r;
}
#define RESIZE(to, from, TD, TA, W)                                                                \
    OP_FORMS(resize_##to##_##from, TD, const TA *a = SRC(TA, 0);                                   \
             const struct resize cut = resize_of(u->insn); const W from_mask = (W)cut.from_mask;   \
             const W from_top = (W)cut.from_top; const W to_mask = (W)cut.to_mask;                 \
             const W to_top = (W)cut.to_top,                                                       \
             const W v = (((W)a[i] & from_mask) ^ from_top) - from_top,                            \
             ((v & to_mask) ^ to_top) - to_top)
RESIZE(16, 16, uint16_t, uint16_t, uint32_t)
RESIZE(16, 32, uint16_t, uint32_t, uint32_t)
RESIZE(16, 64, uint16_t, uint64_t, uint64_t)
RESIZE(32, 16, uint32_t, uint16_t, uint32_t)
RESIZE(32, 32, uint32_t, uint32_t, uint32_t)
RESIZE(32, 64, uint32_t, uint64_t, uint64_t)
RESIZE(64, 16, uint64_t, uint16_t, uint64_t)
RESIZE(64, 32, uint64_t, uint32_t, uint64_t)
RESIZE(64, 64, uint64_t, uint64_t, uint64_t)

/* ---- floats ---------------------------------------------------------------------------------- */

OP1(cvt_f32_s32, float, int32_t, A)
OP1(cvt_f32_u32, float, uint32_t, A)
OP1(cvt_f64_s32, double, int32_t, A)
OP1(cvt_f64_u32, double, uint32_t, A)
OP1(cvt_f64_f32, double, float, A) /* sign and payload of a NaN stay */
OP1(cvt_f32_f64, float, double, canon((float)A))
OP1(cvt_f32_f32, float, float, finish(ftz_in(A, u->imm), u->imm))

static inline int32_t s32_of_f32(float v)
{
    return v != v ? 0 : v >= 0x1p31f ? INT32_MAX : v < -0x1p31f ? INT32_MIN : (int32_t)v;
}
static inline uint32_t u32_of_f32(float v)
{
    return v >= 0x1p32f ? UINT32_MAX : v > 0.0f ? (uint32_t)v : 0;
}
/* From f64 a NaN gives the top bit alone (ISA). */
static inline int32_t s32_of_f64(double v)
{
    return v >= 0x1p31 ? INT32_MAX : v > -0x1p31 ? (int32_t)v : INT32_MIN;
}
#define INTEGRAL(mode, function)                                                                   \
    OP1(cvt_s32_f32_##mode, int32_t, float, s32_of_f32(function##f(ftz_in(A, u->imm))))            \
    OP1(cvt_u32_f32_##mode, uint32_t, float, u32_of_f32(function##f(ftz_in(A, u->imm))))           \
    OP1(cvt_s32_f64_##mode, int32_t, double, s32_of_f64(function(A)))                              \
    OP1(cvt_f32_f32_##mode, float, float, finish(function##f(ftz_in(A, u->imm)), u->imm))          \
    OP1(cvt_f64_f64_##mode, double, double, A != A ? quiet(A) : function(A))
INTEGRAL(rni, rint)
INTEGRAL(rzi, trunc)
INTEGRAL(rmi, floor)
INTEGRAL(rpi, ceil)

/* ---- pairs of native registers --------------------------------------------------------------- */

#define FROM_PAIR(name, TD, expr)                                                                  \
    OP_FORMS(name, TD, const uint32_t *a = SRC(uint32_t, 0),                                       \
             const double A = double_of_bits(pair_lane(a, i)), expr)
#if defined(__AVX512F__)
static inline void cvt_f32_pair(struct exec *x, const struct uop *u, bool whole)
{
    const uint32_t *a = SRC(uint32_t, 0);
    uint32_t *d = DST(uint32_t, 0);
    EACH_WORDS
    {
        struct longs v = join_ordered(a, i);
        __m512 low = _mm512_castps256_ps512(_mm512_cvtpd_ps(AS_DOUBLES(v.a)));
        __m512 both = _mm512_insertf32x8(low, _mm512_cvtpd_ps(AS_DOUBLES(v.b)), 1);
        write_words_of(x, d, i, _mm512_castps_si512(canon_floats(both)), whole);
    }
}
WHOLE_FORMS(cvt_f32_pair)
#else
FROM_PAIR(cvt_f32_pair, float, canon((float)A))
#endif
FROM_PAIR(cvt_s32_pair_rni, int32_t, s32_of_f64(rint(A)))
FROM_PAIR(cvt_s32_pair_rzi, int32_t, s32_of_f64(trunc(A)))
FROM_PAIR(cvt_s32_pair_rmi, int32_t, s32_of_f64(floor(A)))
FROM_PAIR(cvt_s32_pair_rpi, int32_t, s32_of_f64(ceil(A)))

#define TO_PAIR(name, TA)                                                                          \
    static void name##_full(struct exec *x, const struct uop *u)                                   \
    {                                                                                              \
        const TA *a = SRC(TA, 0);                                                                  \
        uint32_t *low = DST(uint32_t, 0), *high = low + WARP_LANES;                                \
        VECTOR LANES                                                                               \
        {                                                                                          \
            const uint64_t bits = bits_of_double((double)a[i]);                                    \
            low[i] = (uint32_t)bits;                                                               \
            high[i] = (uint32_t)(bits >> 32);                                                      \
        }                                                                                          \
    }                                                                                              \
    static void name##_part(struct exec *x, const struct uop *u)                                   \
    {                                                                                              \
        const TA *a = SRC(TA, 0);                                                                  \
        uint32_t *low = DST(uint32_t, 0), *high = low + WARP_LANES;                                \
        const int32_t *m = x->lane_mask;                                                           \
        VECTOR LANES                                                                               \
        {                                                                                          \
            const uint64_t bits = bits_of_double((double)a[i]);                                    \
            low[i] = m[i] ? (uint32_t)bits : low[i];                                               \
            high[i] = m[i] ? (uint32_t)(bits >> 32) : high[i];                                     \
        }                                                                                          \
    }
TO_PAIR(cvt_pair_f32, float)
TO_PAIR(cvt_pair_s32, int32_t)
TO_PAIR(cvt_pair_u32, uint32_t)

/* ---- halves ---------------------------------------------------------------------------------- */

static inline void canonical_floats(float *floats)
{
    VECTOR LANES floats[i] = canon(floats[i]);
}
#define HALF_LOOPS(format)                                                                         \
    static void cvt_f32_##format##_full(struct exec *x, const struct uop *u)                       \
    {                                                                                              \
        widen_##format(SRC(uint16_t, 0), DST(float, 0), WARP_LANES);                               \
        canonical_floats(DST(float, 0));                                                           \
    }                                                                                              \
    static void cvt_f32_##format##_part(struct exec *x, const struct uop *u)                       \
    {                                                                                              \
        FLOAT_BUFFER(result);                                                                      \
        float *d = DST(float, 0);                                                                  \
        const int32_t *m = x->lane_mask;                                                           \
        widen_##format(SRC(uint16_t, 0), result, WARP_LANES);                                      \
        canonical_floats(result);                                                                  \
        VECTOR LANES d[i] = m[i] ? result[i] : d[i];                                               \
    }                                                                                              \
    static void cvt_##format##_f32_full(struct exec *x, const struct uop *u)                       \
    {                                                                                              \
        narrow_##format(SRC(float, 0), DST(uint16_t, 0), WARP_LANES);                              \
    }                                                                                              \
    static void cvt_##format##_f32_part(struct exec *x, const struct uop *u)                       \
    {                                                                                              \
        uint16_t result[WARP_LANES] __attribute__((aligned(64))), *d = DST(uint16_t, 0);           \
        narrow_##format(SRC(float, 0), result, WARP_LANES);                                        \
        LANES d[i] = (x->mask >> i) & 1 ? result[i] : d[i];                                        \
    }
HALF_LOOPS(f16)
HALF_LOOPS(bf16)
/* a gives the upper half, b the lower */
#if defined(__AVX512F__)
static void cvt_f16x2_f32(struct exec *x, const struct uop *u)
{
    const float *a = SRC(float, 0), *b = SRC(float, 1);
    uint32_t *d = DST(uint32_t, 0);
    EACH_WORDS
    {
        word_vector high = _mm512_cvtepu16_epi32(narrow_floats(_mm512_load_ps(a + i)));
        word_vector low = _mm512_cvtepu16_epi32(narrow_floats(_mm512_load_ps(b + i)));
        write_words_of(x, d, i, _mm512_or_si512(_mm512_slli_epi32(high, 16), low), false);
    }
}
#endif
#define HALVES_OF(format)                                                                          \
    static void cvt_##format##x2_f32(struct exec *x, const struct uop *u)                          \
    {                                                                                              \
        uint16_t a[WARP_LANES] __attribute__((aligned(64)));                                       \
        uint16_t b[WARP_LANES] __attribute__((aligned(64)));                                       \
        uint32_t *d = DST(uint32_t, 0);                                                            \
        const int32_t *m = x->lane_mask;                                                           \
        narrow_##format(SRC(float, 0), a, WARP_LANES);                                             \
        narrow_##format(SRC(float, 1), b, WARP_LANES);                                             \
        VECTOR LANES d[i] = m[i] ? (uint32_t)a[i] << 16 | b[i] : d[i];                             \
    }
#if !defined(__AVX512F__)
HALVES_OF(f16)
#endif
HALVES_OF(bf16)

/* ---- any conversion, lane by lane ------------------------------------------------------------ */

static inline struct conversion conversion_of(const struct insn *insn)
{
    return (struct conversion){.to = insn->type,
                               .from = insn->type2,
                               .rounding = insn->rounding,
                               .ftz = insn->flags & INSN_FTZ,
                               .sat = insn->flags & INSN_SAT,
                               .satfinite = insn->flags & INSN_SATFINITE,
                               .relu = insn->flags & INSN_RELU,
                               .random_bits = insn->type == TYPE_F16X2 ? 13 : 16};
}

static void cvt_scalar(struct exec *x, const struct uop *u)
{
    const struct conversion c = conversion_of(u->insn);
    LANES if ((x->mask >> i) & 1)
    {
        uint64_t from = read_bits(x, u->src[0], 8u * u->element, i);
        write_bits(x, u->dst[0], u->dst_bits, convert_value(&c, from, 0), 0, i);
    }
}

/* Source element k of a packed conversion, the most significant first. */
static inline uint64_t packed_source(const struct exec *x, const struct uop *u, unsigned k,
                                     unsigned lane)
{
    enum ptx_type from = u->insn->type2;
    if (type_elements(from) == 1) return SRC(uint32_t, k)[lane];
    unsigned bits = convert_field_bits(from);
    return read_bits(x, u->src[0], 8u * u->element, lane) >> (bits * (1 - k)) & ((1u << bits) - 1);
}

static inline uint32_t reverse_16(uint32_t v)
{
    return (uint32_t)(reverse_bits(v) >> 48);
}
/* The random bits of element k. Pairs take a half of `random` each; of four elements two share one,
 * which the first reads backwards (QUIRKS.md); .e2m1x4 finds its halves in alternate bytes. */
static inline uint32_t random_bits(const struct insn *insn, uint32_t random, unsigned k)
{
    if (type_elements(insn->type) == 2) {
        uint32_t half = k == 0 ? random >> 16 : random & 0xffff;
        return insn->type == TYPE_F16X2 ? half & 0x1fff : half;
    }
    uint32_t half = k < 2 ? random >> 16 : random & 0xffff;
    if (insn->type == TYPE_E2M1X4) {
        uint32_t bytes = k < 2 ? random >> 8 : random;
        half = (bytes & 0xff) | (bytes >> 8 & 0xff00);
    }
    return k & 1 ? half : reverse_16(half);
}

static void cvt_packed(struct exec *x, const struct uop *u)
{
    const struct insn *insn = u->insn;
    const struct conversion c = conversion_of(insn);
    unsigned elements = type_elements(insn->type), bits = convert_field_bits(insn->type);
    bool random = insn->rounding == ROUND_RS;
    LANES
    {
        if (!((x->mask >> i) & 1)) continue;
        uint32_t rbits = random ? SRC(uint32_t, elements)[i] : 0;
        uint64_t packed = 0;
        for (unsigned k = 0; k < elements; k++)
            packed = packed << bits | convert_value(&c, packed_source(x, u, k, i),
                                                    random ? random_bits(insn, rbits, k) : 0);
        write_bits(x, u->dst[0], u->dst_bits, packed, 0, i);
    }
}

static inline uint32_t clamp_to(int32_t v, const struct type_info *type)
{
    bool is_signed = type->kind == KIND_SIGNED;
    int32_t most = (int32_t)((1u << (type->bits - is_signed)) - 1),
            least = is_signed ? -most - 1 : 0;
    int32_t clamped = v < least ? least : v > most ? most : v;
    return (uint32_t)clamped & ((1u << type->bits) - 1);
}
/* d = c, a, b from the top: a and b clamped, c moved up to make room. */
static void cvt_pack(struct exec *x, const struct uop *u)
{
    const struct type_info *type = &type_infos[u->insn->type];
    const int32_t *a = SRC(int32_t, 0), *b = SRC(int32_t, 1);
    bool has_rest = u->insn->nsrc > 2;
    LANES
    {
        if (!((x->mask >> i) & 1)) continue;
        uint32_t rest = has_rest ? SRC(uint32_t, 2)[i] << (2 * type->bits) : 0;
        DST(uint32_t, 0)[i] = rest | clamp_to(a[i], type) << type->bits | clamp_to(b[i], type);
    }
}

/* ---- selection ------------------------------------------------------------------------------- */

static unsigned register_bits(const struct insn *insn, const struct function *function, unsigned at)
{
    const struct operand *operand = &insn->operands[at];
    if (operand->width == WIDTH_PAIR) return 64;
    if (operand->kind != OPERAND_REGISTER) return function->native_code ? 32 : 0;
    unsigned bits = type_infos[function->vregs[operand->reg].type].bits;
    return bits == 8 ? 16 : bits;
}

static struct uop_pair select_resize(unsigned to, unsigned from)
{
#define FROM(to)                                                                                   \
    (from == 16   ? PAIR(resize_##to##_16)                                                         \
     : from == 32 ? PAIR(resize_##to##_32)                                                         \
                  : PAIR(resize_##to##_64))
    return to == 16 ? FROM(16) : to == 32 ? FROM(32) : FROM(64);
#undef FROM
}

#define BY_MODE(name, mode)                                                                        \
    (mode == ROUND_RNI   ? PAIR(name##_rni)                                                        \
     : mode == ROUND_RZI ? PAIR(name##_rzi)                                                        \
     : mode == ROUND_RMI ? PAIR(name##_rmi)                                                        \
                         : PAIR(name##_rpi))
static bool is_plain(const struct insn *insn)
{
    return !(insn->flags & (INSN_SAT | INSN_FTZ | INSN_RELU | INSN_SATFINITE));
}

/* Conversions that occur often have a loop of their own, if the registers are as wide as the types. */
static struct uop_pair select_cvt_common(const struct insn *insn)
{
    bool plain = is_plain(insn), integral = insn->rounding >= ROUND_RNI;
    unsigned to = insn->type, from = insn->type2, mode = insn->rounding;
#define IS(t, f) (to == TYPE_##t && from == TYPE_##f)
    if (IS(F32, F32)) return integral ? BY_MODE(cvt_f32_f32, mode) : PAIR(cvt_f32_f32);
    if (IS(S32, F32) && integral) return BY_MODE(cvt_s32_f32, mode);
    if (IS(U32, F32) && integral) return BY_MODE(cvt_u32_f32, mode);
    if (!plain) return NOT_SUPPORTED;
    if (IS(S32, F64) && integral) return BY_MODE(cvt_s32_f64, mode);
    if (IS(F64, F64)) return integral ? BY_MODE(cvt_f64_f64, mode) : PAIR(mov_64);
    if (IS(S64, S32) || IS(U64, S32)) return PAIR(cvt_64_s32);
    if (IS(U64, U32) || IS(S64, U32)) return PAIR(cvt_64_u32);
    if (IS(U32, U64) || IS(U32, S64) || IS(S32, U64) || IS(S32, S64)) return PAIR(cvt_32_64);
    if (IS(F64, F32)) return PAIR(cvt_f64_f32);
    if (IS(F32, F16)) return PAIR(cvt_f32_f16);
    if (IS(F32, BF16)) return PAIR(cvt_f32_bf16);
    if (mode != ROUND_RN) return NOT_SUPPORTED;
    if (IS(F32, S32)) return PAIR(cvt_f32_s32);
    if (IS(F32, U32)) return PAIR(cvt_f32_u32);
    if (IS(F64, S32)) return PAIR(cvt_f64_s32);
    if (IS(F64, U32)) return PAIR(cvt_f64_u32);
    if (IS(F32, F64)) return PAIR(cvt_f32_f64);
    if (IS(F16, F32)) return PAIR(cvt_f16_f32);
    if (IS(BF16, F32)) return PAIR(cvt_bf16_f32);
#undef IS
    return NOT_SUPPORTED;
}

static struct uop_pair select_cvt_pair(const struct insn *insn)
{
    if (insn->type == TYPE_S32) return BY_MODE(cvt_s32_pair, insn->rounding);
    if (insn->type == TYPE_F32) return PAIR(cvt_f32_pair);
    return insn->type2 == TYPE_F32   ? PAIR(cvt_pair_f32)
           : insn->type2 == TYPE_S32 ? PAIR(cvt_pair_s32)
                                     : PAIR(cvt_pair_u32);
}

/* Bits of the register that operand `at` is in; of a constant those of its type. */
static unsigned operand_width(const struct insn *insn, const struct function *function, unsigned at,
                              enum ptx_type type)
{
    unsigned bits = register_bits(insn, function, at), typed = type_infos[type].bits;
    return bits ? bits : typed < 16 ? 16 : typed;
}

static struct uop_pair select_packed(const struct insn *insn)
{
    bool common = is_plain(insn) && insn->type2 == TYPE_F32 && insn->rounding == ROUND_RN;
    if (common && insn->type == TYPE_F16X2) return SAME(cvt_f16x2_f32);
    if (common && insn->type == TYPE_BF16X2) return SAME(cvt_bf16x2_f32);
    return SAME(cvt_packed);
}

static struct uop_pair select_cvt(const struct insn *insn, const struct function *function)
{
    if (insn->sub_op == SUB_PACK) return SAME(cvt_pack);
    if (type_elements(insn->type) > 1) return select_packed(insn);
    if (function->native_code && keeps_pairs(insn)) return select_cvt_pair(insn);
    unsigned to = operand_width(insn, function, 0, insn->type);
    unsigned from = operand_width(insn, function, insn->ndst, insn->type2);
    bool exact = to == type_infos[insn->type].bits && from == type_infos[insn->type2].bits;
    struct uop_pair common = exact ? select_cvt_common(insn) : NOT_SUPPORTED;
    if (common.full) return common;
    bool integers = TS_INT8 >> insn->type & TS_INT8 >> insn->type2 & 1;
    if (integers && !(insn->flags & INSN_SAT)) return select_resize(to, from);
    return SAME(cvt_scalar);
}

#endif

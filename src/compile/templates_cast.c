// SPDX-License-Identifier: Apache-2.0
/* Conversions of any single types and modifiers (emulate/convert.c says what they mean), in lanes of 64 bits, eight at a
 * time: rarer ones than those of templates_convert.c. */
#include <string.h>

#include "compile/body.h"

enum { LANE = SCRATCH, OTHER, MORE };
enum { NOT_A_NUMBER = 1, TOO_LARGE = 2, UNORDERED = 3, GREATER_EQUAL = 0x1d };

struct cast {
    const struct insn *insn;
    const struct type_info *from, *to;
    bool from_float, to_float, from_signed, to_signed;
    unsigned source_bytes;            /* of a lane of `source` */
    struct source source;             /* halves are f32 or integers of 32 bits here */
    struct result temporary, singles; /* singles: f32 that are to become halves */
};

static void emit_number(struct body *b, unsigned to, uint64_t bits)
{
    x86_load_imm(b->a, RAX, bits);
    emit2(b, X86_SPREAD_64, to, x86_reg(RAX));
}

static uint64_t double_bits(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* ---- sources --------------------------------------------------------------------------------- */

/* Halves become lanes of 32 bits, subnormals that are flushed zeros. */
static void prepare_source(struct body *b, const struct uop *u, struct cast *cast)
{
    const struct source source = value_source(b, u->src[0], cast->source_bytes);
    bool is_half = cast->source_bytes == 2;
    bool flushes = cast->insn->flags & INSN_FTZ && cast->insn->type2 == TYPE_F32 &&
                   cast->insn->type != TYPE_F16; /* QUIRKS.md, conversions */
    cast->source = source;
    cast->temporary = value_begin(b, 4);
    for (unsigned c = 0; (is_half || flushes) && c < 2; c++) {
        unsigned to = cast->temporary.regs[c];
        if (!is_half)
            emit_flushed(b, source.chunks[c], true, to);
        else if (cast->from_float)
            emit_half_widened(b, cast->insn->type2, to, &source, c);
        else
            emit_widened(b, X86_WIDEN_U16_32, to, &source, c);
        if (flushes) emit_canonical(b, to);
        cast->source.chunks[c] = x86_reg(to);
    }
    if (is_half) cast->source_bytes = 4;
}

/* Eight lanes of 64 bits: f64 or an integer. */
static void emit_lanes_64(struct body *b, const struct cast *cast, unsigned c)
{
    if (cast->source_bytes == 8)
        emit2(b, X86_MOVE, LANE, cast->source.chunks[c]);
    else
        emit_widened(b, cast->from_float ? X86_F64_OF_F32 : X86_WIDEN_U32, LANE, &cast->source, c);
    if (!cast->from_float) emit_kept_bits(b, LANE, 8, cast->from->bits, cast->from_signed);
}

/* ---- integers -------------------------------------------------------------------------------- */

static uint64_t limit_of(const struct cast *cast)
{
    return UINT64_MAX >> (64 - cast->to->bits + cast->to_signed);
}

/* Of integers: what lies outside of the type becomes its limit. */
static void emit_clamped(struct body *b, const struct cast *cast)
{
    bool lacks_upper = cast->from_signed && cast->to->bits == 64; /* nothing is too large */
    if (cast->from_signed) {
        emit_number(b, OTHER, cast->to_signed ? ~limit_of(cast) : 0);
        emit3(b, X86_MAX_S64, LANE, LANE, x86_reg(OTHER));
    }
    if (lacks_upper) return;
    emit_number(b, OTHER, limit_of(cast));
    emit3(b, cast->from_signed ? X86_MIN_S64 : X86_MIN_U64, LANE, LANE, x86_reg(OTHER));
}

/* A NaN of f64, or to 64 bits, gives the top bit alone, else 0. */
static uint64_t integer_of_nan(const struct cast *cast)
{
    uint64_t top = UINT64_C(1) << (cast->to->bits - 1);
    if (cast->insn->type2 != TYPE_F64 && cast->to->bits != 64) return 0;
    return cast->to_signed ? 0 - top : top;
}

/* f64 to an integer; the processor gives the least or the greatest for what is too small for 64 bits. */
static void emit_integral(struct body *b, const struct cast *cast)
{
    x86_vector(b->a, X86_ROUND_F64, LANE, 0, x86_reg(LANE), 0, integral_mode(cast->insn));
    x86_vector(b->a, X86_COMPARE_F64, NOT_A_NUMBER, LANE, x86_reg(LANE), 0, UNORDERED);
    if (cast->to->bits < 64) {
        emit_number(b, OTHER, double_bits(cast->to_signed ? -(double)limit_of(cast) - 1.0 : 0.0));
        emit3(b, X86_MAX_F64, LANE, LANE, x86_reg(OTHER));
        emit_number(b, OTHER, double_bits((double)limit_of(cast)));
        emit3(b, X86_MIN_F64, LANE, LANE, x86_reg(OTHER));
        emit2(b, X86_S64_OF_F64, LANE, x86_reg(LANE));
    } else if (cast->to_signed) {
        emit_number(b, OTHER, double_bits(0x1p63));
        x86_vector(b->a, X86_COMPARE_F64, TOO_LARGE, LANE, x86_reg(OTHER), 0, GREATER_EQUAL);
        emit2(b, X86_S64_OF_F64, LANE, x86_reg(LANE));
        x86_vector(b->a, X86_BROADCAST_64, LANE, 0, CONSTANT(no_sign_64), TOO_LARGE, -1);
    } else {
        emit3(b, X86_XOR_32, OTHER, OTHER, x86_reg(OTHER));
        emit3(b, X86_MAX_F64, LANE, LANE, x86_reg(OTHER));
        emit2(b, X86_U64_OF_F64, LANE, x86_reg(LANE));
    }
    emit_number(b, OTHER, integer_of_nan(cast));
    x86_vector(b->a, X86_MOVE_64, LANE, 0, x86_reg(OTHER), NOT_A_NUMBER, -1);
}

static void emit_to_integer(struct body *b, const struct uop *u, const struct cast *cast,
                            const struct result *result, unsigned c)
{
    if (cast->from_float)
        emit_integral(b, cast);
    else
        emit_clamped(b, cast);
    if (u->result_width[0] == 8)
        emit2(b, X86_MOVE, result->regs[c], x86_reg(LANE));
    else
        emit_narrowed(b, result, LANE, 8, u->result_width[0], c);
}

/* ---- floats ---------------------------------------------------------------------------------- */

static bool is_integral(const struct insn *insn)
{
    return insn->rounding >= ROUND_RNI && insn->rounding <= ROUND_RPI;
}

static void emit_to_f64(struct body *b, const struct uop *u, const struct cast *cast,
                        const struct result *result, unsigned c)
{
    unsigned to = result->regs[c];
    if (cast->from_float)
        emit2(b, X86_MOVE, to, x86_reg(LANE));
    else
        emit2(b, cast->from_signed ? X86_F64_OF_S64 : X86_F64_OF_U64, to,
              emit_rounded(b, u, x86_reg(LANE), LANE));
    if (!(u->insn->flags & INSN_SAT)) return; /* a NaN becomes 0 */
    emit3(b, X86_XOR_32, OTHER, OTHER, x86_reg(OTHER));
    emit3(b, X86_MAX_F64, to, to, x86_reg(OTHER));
    emit_number(b, OTHER, double_bits(1.0));
    emit3(b, X86_MIN_F64, to, to, x86_reg(OTHER));
}

static enum x86_form form_to_f32(const struct cast *cast)
{
    return cast->from_float ? X86_F32_OF_F64 : cast->from_signed ? X86_F32_OF_S64 : X86_F32_OF_U64;
}

/* Half a vector of f32 becomes one of a result's registers with the half before. */
static void emit_joined(struct body *b, const struct result *result, unsigned from, unsigned c)
{
    unsigned to = result->regs[c / 2];
    if (c % 2)
        x86_vector(b->a, X86_JOIN_HALVES, to, to, x86_reg(from), 0, 1);
    else
        emit2(b, X86_MOVE, to, x86_reg(from));
}

/* Cut off and made odd if something is: what it is rounded to next is right (sem_half.h). */
static void emit_odd_single(struct body *b, const struct cast *cast, unsigned c)
{
    enum { NOT_EQUAL = 0x0c, INEXACT = 6 };
    enum x86_form form = form_to_f32(cast);
    emit2(b, form, OTHER, x86_rounded(LANE, X86_ROUND_DOWN));
    emit2(b, form, MORE, x86_rounded(LANE, X86_ROUND_UP));
    emit2(b, form, LANE, x86_rounded(LANE, X86_ROUND_ZERO));
    x86_vector(b->a, X86_COMPARE_F32, INEXACT, OTHER, x86_reg(MORE), 0, NOT_EQUAL);
    x86_vector(b->a, X86_OR_32, LANE, LANE, CONSTANT(one), INEXACT, -1);
    emit_joined(b, &cast->singles, LANE, c);
}

static void emit_to_float(struct body *b, const struct uop *u, const struct cast *cast,
                          const struct result *result, unsigned c)
{
    if (is_integral(u->insn))
        x86_vector(b->a, X86_ROUND_F64, LANE, 0, x86_reg(LANE), 0, integral_mode(u->insn));
    if (u->insn->type == TYPE_F64) {
        emit_to_f64(b, u, cast, result, c);
    } else if (u->insn->type == TYPE_F32) {
        emit2(b, form_to_f32(cast), OTHER, emit_rounded(b, u, x86_reg(LANE), LANE));
        emit_joined(b, result, OTHER, c);
        if (c % 2) emit_finished(b, u, result->regs[c / 2]);
    } else {
        emit_odd_single(b, cast, c);
        if (c % 2 == 0) return;
        emit_limits(b, u->insn, cast->singles.regs[c / 2], OTHER);
        emit_half_narrowed(b, u->insn, result, cast->singles.regs[c / 2], OTHER, c / 2);
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool is_single(unsigned type)
{
    bool is_integer =
        (type >= TYPE_U8 && type <= TYPE_U64) || (type >= TYPE_S8 && type <= TYPE_S64);
    return is_integer || type == TYPE_F16 || type == TYPE_BF16 || type == TYPE_F32 ||
           type == TYPE_F64;
}

/* The same bits, NaNs, too. */
static bool copies(const struct insn *insn)
{
    return insn->type == insn->type2 && insn->type != TYPE_F32 && !insn->rounding &&
           !(insn->flags & (INSN_FTZ | INSN_SAT)) && type_infos[insn->type].kind == KIND_FLOAT;
}

static bool template_cast_of(struct body *b, const struct uop *u)
{
    const struct insn *insn = u->insn;
    const struct type_info *from = &type_infos[insn->type2], *to = &type_infos[insn->type];
    struct cast cast = {.insn = insn,
                        .from = from,
                        .to = to,
                        .from_float = from->kind == KIND_FLOAT,
                        .to_float = to->kind == KIND_FLOAT,
                        .from_signed = from->kind == KIND_SIGNED,
                        .to_signed = to->kind == KIND_SIGNED,
                        .source_bytes = u->source_width[0]};
    unsigned bytes = u->result_width[0];
    if (!has_value_width(bytes) || !has_value_width(cast.source_bytes) || u->src[0] == REF_NONE ||
        u->dst[0] == REF_NONE)
        return false;
    prepare_source(b, u, &cast);
    cast.singles = value_begin(b, 4);
    struct result result = value_begin(b, bytes);
    for (unsigned c = 0; c < 4; c++) {
        emit_lanes_64(b, &cast, c);
        (cast.to_float ? emit_to_float : emit_to_integer)(b, u, &cast, &result, c);
    }
    value_release(b, &cast.temporary, 4);
    value_release(b, &cast.singles, 4);
    value_finish(b, 0, &result, bytes, insn->type == TYPE_F32);
    return true;
}

bool template_cast(struct body *b, const struct uop *u)
{
    const struct insn *insn = u->insn;
    bool is_plain = insn->op == OP_CVT && !insn->sub_op && insn->ndst == 1 && insn->nsrc == 1 &&
                    insn->rounding <= ROUND_RPI && insn->rounding != ROUND_RNA;
    if (!is_plain || !is_single(insn->type) || !is_single(insn->type2)) return false;
    return copies(insn) ? template_copy(b, u) : template_cast_of(b, u);
}

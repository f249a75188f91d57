// SPDX-License-Identifier: Apache-2.0
/* 2^x and log2 x of f32: the steps of emulate/powers.h, for eight lanes of f64 at a time. */
#include "compile/body.h"

#define COEFFICIENT(field, n)                                                                      \
    x86_element(RBP, (int32_t)(offsetof(struct body_constants, field) + (n) * sizeof(double)))

/* A function of eight lanes of f64 in `to`, where its result comes; it uses `other` and all scratch registers but the
 * first. */
typedef void eight_fn(struct body *b, unsigned to, unsigned other);

static void emit_exp2(struct body *b, unsigned to, unsigned p)
{
    enum { SHIFTED = SCRATCH + 1, WHOLE, LIMIT = WHOLE };
    emit2(b, X86_BROADCAST_64, LIMIT, CONSTANT(exp2_least));
    emit3(b, X86_MAX_F64, to, LIMIT, x86_reg(to)); /* of a NaN the last operand */
    emit2(b, X86_BROADCAST_64, LIMIT, CONSTANT(exp2_most));
    emit3(b, X86_MIN_F64, to, LIMIT, x86_reg(to));
    emit3(b, X86_ADD_F64, SHIFTED, to, CONSTANT(rounding_shift));
    emit3(b, X86_SUB_F64, WHOLE, SHIFTED, CONSTANT(rounding_shift));
    emit3(b, X86_SUB_F64, to, to, x86_reg(WHOLE));
    emit2(b, X86_BROADCAST_64, p, COEFFICIENT(exp2, EXP2_DEGREE));
    for (unsigned k = EXP2_DEGREE; k-- > 0;)
        emit3(b, X86_FMA_MUL_F64, p, to, COEFFICIENT(exp2, k));
    emit3(b, X86_FMA_MUL_F64, p, to, CONSTANT(float_one_64));
    x86_vector(b->a, X86_SHL_64_BY, 0, SHIFTED, x86_reg(SHIFTED), 0, DOUBLE_FRACTION);
    emit3(b, X86_ADD_64, to, p, x86_reg(SHIFTED));
}

static void emit_log2(struct body *b, unsigned to, unsigned p)
{
    enum { WHOLE = SCRATCH + 1, SQUARE = WHOLE, SUM = WHOLE, EXPONENT, REST };
    emit3(b, X86_SUB_64, WHOLE, to, CONSTANT(log2_least));
    x86_vector(b->a, X86_SHR_S64_BY, 0, WHOLE, x86_reg(WHOLE), 0, DOUBLE_FRACTION);
    emit2(b, X86_F64_OF_S64, EXPONENT, x86_reg(WHOLE));
    x86_vector(b->a, X86_SHL_64_BY, 0, WHOLE, x86_reg(WHOLE), 0, DOUBLE_FRACTION);
    emit3(b, X86_SUB_64, to, to, x86_reg(WHOLE));
    emit3(b, X86_SUB_F64, to, to, CONSTANT(float_one_64));
    emit2(b, X86_BROADCAST_64, p, COEFFICIENT(log2, LOG2_DEGREE));
    for (unsigned k = LOG2_DEGREE; k-- > 0;)
        emit3(b, X86_FMA_MUL_F64, p, to, COEFFICIENT(log2, k));
    emit3(b, X86_MUL_F64, SQUARE, to, x86_reg(to));
    emit3(b, X86_MUL_F64, REST, to, CONSTANT(log2_e_low));
    emit3(b, X86_FMA_MUL_F64, p, SQUARE, x86_reg(REST));
    emit3(b, X86_MUL_F64, to, to, CONSTANT(log2_e_high));
    emit3(b, X86_ADD_F64, SUM, EXPONENT, x86_reg(to));
    emit3(b, X86_SUB_F64, EXPONENT, SUM, x86_reg(EXPONENT));
    emit3(b, X86_SUB_F64, to, to, x86_reg(EXPONENT));
    emit3(b, X86_ADD_F64, to, to, x86_reg(p));
    emit3(b, X86_ADD_F64, to, SUM, x86_reg(to));
}

/* Sixteen lanes of f32: x, which stays as it is. */
static void emit_by_eights(struct body *b, eight_fn *function, unsigned to, unsigned x,
                           unsigned other)
{
    emit2(b, X86_F64_OF_F32, to, x86_reg(x));
    function(b, to, other);
    emit2(b, X86_F32_OF_F64, to, x86_reg(to));
    x86_vector(b->a, X86_UPPER_HALF, x, 0, x86_reg(SCRATCH), 0, 1);
    emit2(b, X86_F64_OF_F32, SCRATCH, x86_reg(SCRATCH));
    function(b, SCRATCH, other);
    emit2(b, X86_F32_OF_F64, SCRATCH, x86_reg(SCRATCH));
    x86_vector(b->a, X86_JOIN_HALVES, to, to, x86_reg(SCRATCH), 0, 1);
}

bool template_powers(struct body *b, const struct uop *u)
{
    bool is_log = u->insn->op == OP_LG2, flushes = u->insn->flags & INSN_FTZ;
    if ((!is_log && u->insn->op != OP_EX2) || u->insn->type != TYPE_F32) return false;
    if (!has_widths(u, 4, 4, 0, 0)) return false;
    struct source source = value_raw_source(b, u->src[0], 4);
    struct result result = value_begin(b, 4), temporary = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++) {
        unsigned other = temporary.regs[0], x = temporary.regs[1], to = result.regs[c];
        emit2(b, X86_MOVE, x, emit_flushed(b, source.chunks[c], flushes, SCRATCH));
        emit_by_eights(b, is_log ? emit_log2 : emit_exp2, to, x, other);
        if (is_log) /* of zeros -infinity, of infinity itself, of what is negative a NaN */
            x86_vector(b->a, X86_FIX_F32, to, x, CONSTANT(lg2_classes), 0, 0);
        emit_finished(b, u, to);
    }
    value_release(b, &temporary, 4);
    value_finish(b, 0, &result, 4, true);
    return true;
}

// SPDX-License-Identifier: Apache-2.0
/* mov between one register and several narrower ones, and registers of 128 bits, which stay in memory: lane by lane
 * their low words, then their high ones. */
#include "compile/body.h"

#define INDEX(field) x86_at(RBP, (int32_t)offsetof(struct body_constants, field))
#define LANE_NUMBER(n) x86_element(RBP, (int32_t)(offsetof(struct body_constants, lanes) + 8 * (n)))

/* ---- registers of 16 to 64 bits -------------------------------------------------------------- */

static enum x86_form widening_to(unsigned part, unsigned whole)
{
    if (part == 4) return X86_WIDEN_U32;
    return whole == 4 ? X86_WIDEN_U16_32 : X86_WIDEN_U16_64;
}

static bool template_join(struct body *b, const struct uop *u, unsigned whole)
{
    unsigned count = u->insn->nsrc, part = whole / count;
    for (unsigned k = 0; k < count; k++)
        if (u->source_width[k] != part || u->src[k] == REF_NONE) return false;
    if (part < 2 || !has_widths(u, whole, part, part, 0)) return false;
    struct source sources[UOP_SOURCES];
    for (unsigned k = 0; k < count; k++)
        sources[k] = value_source(b, u->src[k], part);
    struct result result = value_begin(b, whole);
    for (unsigned c = 0; c < whole / 2; c++)
        for (unsigned k = 0; k < count; k++) {
            unsigned to = k ? SCRATCH : result.regs[c];
            emit_widened(b, widening_to(part, whole), to, &sources[k], c);
            if (k == 0) continue;
            x86_vector(b->a, whole == 8 ? X86_SHL_64_BY : X86_SHL_32_BY, 0, to, x86_reg(to), 0,
                       (int)(8 * part * k));
            emit3(b, X86_OR_32, result.regs[c], result.regs[c], x86_reg(to));
        }
    value_finish(b, 0, &result, whole, false);
    return true;
}

static bool template_split(struct body *b, const struct uop *u, unsigned whole)
{
    unsigned count = u->insn->ndst, part = whole / count;
    struct result results[UOP_DESTINATIONS];
    if (part < 2 || u->source_width[0] != whole) return false;
    for (unsigned k = 0; k < count; k++)
        if (u->dst[k] != REF_NONE && u->result_width[k] != part) return false;
    struct source source = value_source(b, u->src[0], whole);
    for (unsigned k = 0; k < count; k++) {
        if (u->dst[k] == REF_NONE) continue;
        results[k] = value_begin(b, part);
        for (unsigned c = 0; c < whole / 2; c++) {
            unsigned from = value_in_register(b, source.chunks[c], SCRATCH);
            if (k)
                x86_vector(b->a, whole == 8 ? X86_SHR_U64_BY : X86_SHR_U32_BY, 0, SCRATCH,
                           x86_reg(from), 0, (int)(8 * part * k));
            emit_narrowed(b, &results[k], k ? SCRATCH : from, whole, part, c);
        }
    }
    for (unsigned k = 0; k < count; k++)
        if (u->dst[k] != REF_NONE) value_finish(b, k, &results[k], part, false);
    return true;
}

/* ---- registers of 128 bits ------------------------------------------------------------------- */

/* k3 and k4: each lane of the warp twice, for its two words. */
static void emit_double_lanes(struct body *b)
{
    x86_load_imm(b->a, RDX, 0x55555555);
    x86_scalar(b->a, false, X86_LOAD, RAX, emit_lanes(b));
    for (unsigned half = 0; half < 2; half++) {
        x86_deposit(b->a, RCX, RAX, RDX);
        x86_scalar(b->a, false, X86_LEA, RCX, x86_indexed(RCX, 0, RCX, 1));
        x86_mask_of_gpr(b->a, 3 + half, RCX);
        if (!half) x86_shift_right(b->a, RAX, 16);
    }
}

static bool template_join_128(struct body *b, const struct uop *u)
{
    enum { LANES = 5, LANES_OF_VECTOR = 8 };
    bool is_masked = b->is_part || b->is_guarded;
    if (u->source_width[0] != 8 || u->source_width[1] != 8 || u->dst[0] == REF_NONE) return false;
    struct source low = value_source(b, u->src[0], 8), high = value_source(b, u->src[1], 8);
    if (is_masked) emit_double_lanes(b);
    for (unsigned n = 0; n < 8; n++) {
        unsigned x = value_in_register(b, low.chunks[n / 2], SCRATCH), to = SCRATCH + 1;
        emit2(b, X86_MOVE, to, INDEX(join_pairs_64));
        if (n % 2) emit3(b, X86_ADD_64, to, to, LANE_NUMBER(4));
        emit3(b, X86_PICK_64, to, x, high.chunks[n / 2]);
        if (is_masked) x86_mask_shift(b->a, LANES, 3 + n / 4, LANES_OF_VECTOR * (n % 4));
        x86_vector(b->a, X86_MOVE_OUT_64, to, 0, value_slot(u->dst[0], n), is_masked ? LANES : 0,
                   -1);
    }
    value_forget(b, u->dst[0]);
    return true;
}

static bool template_split_128(struct body *b, const struct uop *u)
{
    struct result results[2];
    if (u->source_width[0] != 16 || u->dst[0] == REF_NONE || u->dst[1] == REF_NONE) return false;
    if (u->result_width[0] != 8 || u->result_width[1] != 8) return false;
    for (unsigned k = 0; k < 2; k++) {
        results[k] = value_begin(b, 8);
        for (unsigned c = 0; c < 4; c++) {
            unsigned to = results[k].regs[c];
            emit2(b, X86_MOVE, to, INDEX(pairs_64));
            if (k) emit3(b, X86_ADD_64, to, to, LANE_NUMBER(1));
            emit2(b, X86_MOVE, SCRATCH, value_slot(u->src[0], 2 * c));
            emit3(b, X86_PICK_64, to, SCRATCH, value_slot(u->src[0], 2 * c + 1));
        }
    }
    for (unsigned k = 0; k < 2; k++)
        value_finish(b, k, &results[k], 8, false);
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

bool template_pack(struct body *b, const struct uop *u)
{
    const struct insn *insn = u->insn;
    unsigned whole = type_infos[insn->type].bits / 8;
    if (insn->op != OP_MOV) return false;
    bool joins = insn->ndst == 1 && insn->nsrc > 1, splits = insn->ndst > 1 && insn->nsrc == 1;
    if (whole == 16 && joins && insn->nsrc == 2) return template_join_128(b, u);
    if (whole == 16 && splits && insn->ndst == 2) return template_split_128(b, u);
    if (whole != 4 && whole != 8) return false;
    return (joins && template_join(b, u, whole)) || (splits && template_split(b, u, whole));
}

bool template_local_address(struct body *b, const struct uop *u)
{
    unsigned bytes = u->dst_bits / 8u;
    if (u->full != semantics_v4.local_address || (bytes != 4 && bytes != 8)) return false;
    struct result result = value_begin(b, bytes);
    x86_scalar(b->a, true, X86_LOAD, RAX, x86_at(RBX, (int32_t)offsetof(struct exec, frame)));
    x86_scalar(b->a, false, X86_LOAD, RAX, x86_at(RAX, (int32_t)offsetof(struct frame, locals)));
    x86_load_imm(b->a, RCX, (uint64_t)u->imm);
    x86_scalar(b->a, true, X86_ADD, RCX, x86_reg(RAX));
    for (unsigned c = 0; c < bytes / 2; c++)
        emit2(b, bytes == 8 ? X86_SPREAD_64 : X86_SPREAD_32, result.regs[c], x86_reg(RCX));
    value_finish(b, 0, &result, bytes, false);
    return true;
}

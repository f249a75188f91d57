// SPDX-License-Identifier: Apache-2.0
/* Values that shuffles read from lanes that do not take part. They are undefined, which is harmless where they are
 * discarded, as correct programs do. So they are followed through the registers of their warp, an error being told where
 * one decides something: an address, a branch, a value that is stored. While a warp has none, nothing is done. */
#include "emulate/check_sync.h"

static struct sync_warp *state_of(const struct exec *x)
{
    return &x->block->sync->warps[x->warp->index];
}

/* Registers of the frame at hand; other places hold no such values. */
static struct sync_taint *find(const struct exec *x, operand_ref ref)
{
    struct sync_warp *state = state_of(x);
    if (ref >> 30 != BASE_FRAME) return NULL;
    uint32_t at = x->frame->registers + (ref & 0x3fffffff);
    for (uint32_t i = 0; i < state->taint_count; i++)
        if (state->taints[i].at == at) return &state->taints[i];
    return NULL;
}

static uint32_t lanes_of(const struct exec *x, operand_ref ref)
{
    const struct sync_taint *taint = find(x, ref);
    return taint ? taint->lanes : 0;
}

/* Of `written` lanes, `lanes` are undefined now. */
static void set(struct exec *x, operand_ref ref, uint32_t written, uint32_t lanes,
                const struct check_place *origin)
{
    struct sync_warp *state = state_of(x);
    struct sync_taint *taint = find(x, ref);
    if (ref >> 30 != BASE_FRAME || (!taint && !lanes)) return;
    if (!taint) {
        if (state->taint_count == SYNC_TAINTS_MAX) return;
        taint = &state->taints[state->taint_count++];
        *taint = (struct sync_taint){.at = x->frame->registers + (ref & 0x3fffffff)};
    }
    taint->lanes = (taint->lanes & ~written) | lanes;
    if (lanes) taint->origin = *origin;
    if (!taint->lanes) *taint = state->taints[--state->taint_count];
}

static void tell(struct exec *x, operand_ref ref, const struct insn *insn, uint32_t lanes,
                 const char *detail)
{
    const struct sync_taint *taint = find(x, ref);
    if (!taint) return;
    struct check_report report = {
        .code = CHECK_CODE_SHUFFLE_INACTIVE,
        .grade = GRADE_ERROR,
        .here = taint->origin,
        .has_other = true,
        .other = {insn, x->block->index, x->warp->index, (uint32_t)__builtin_ctz(lanes)},
        .detail = detail};
    sync_send(x, &report);
    set(x, ref, lanes, 0, NULL);
}

static uint32_t guarded_lanes(const struct exec *x, const struct uop *u)
{
    if (u->guard == REF_NONE) return x->mask;
    uint32_t p = *operand_words(x, u->guard);
    return x->mask & (u->guard_negated ? ~p : p);
}

static uint32_t predicate(const struct exec *x, const struct uop *u, unsigned k)
{
    uint32_t p = *operand_words(x, u->src[k]);
    return (u->negate >> k) & 1 ? ~p : p;
}

static bool is_predicate_logic(const struct insn *insn)
{
    return (insn->op == OP_AND || insn->op == OP_OR) && insn->type == TYPE_PRED;
}

/* Lanes whose result is undefined, from the sources before the operation. */
static uint32_t result_lanes(const struct exec *x, const struct uop *u)
{
    uint32_t a = lanes_of(x, u->src[0]), b = lanes_of(x, u->src[1]);
    if (u->insn->op == OP_SELP) {
        uint32_t p = predicate(x, u, 2);
        return (a & p) | (b & ~p) | lanes_of(x, u->src[2]);
    }
    if (is_predicate_logic(u->insn)) {
        bool is_and = u->insn->op == OP_AND;
        uint32_t p = predicate(x, u, 0), q = predicate(x, u, 1);
        /* false and anything, true or anything */
        uint32_t p_decides = (is_and ? ~p : p) & ~a, q_decides = (is_and ? ~q : q) & ~b;
        return (a | b) & ~p_decides & ~q_decides;
    }
    uint32_t lanes = 0;
    unsigned count = u->insn->nsrc < UOP_SOURCES ? u->insn->nsrc : UOP_SOURCES;
    for (unsigned k = 0; k < count; k++)
        lanes |= lanes_of(x, u->src[k]);
    return lanes;
}

/* One of the sources that has such values in these lanes. */
static const struct sync_taint *first_source(const struct exec *x, const struct uop *u,
                                             uint32_t lanes)
{
    for (unsigned k = 0; k < UOP_SOURCES; k++) {
        const struct sync_taint *taint = find(x, u->src[k]);
        if (taint && taint->lanes & lanes) return taint;
    }
    return NULL;
}

static bool is_access(const struct insn *insn)
{
    return insn->class_id >= CLASS_MEM_GLOBAL_LOAD;
}

/* Addresses, and values that leave the registers. */
static void check_access(struct exec *x, const struct uop *u, uint32_t on)
{
    bool is_load = u->insn->op == OP_LD || u->insn->op == OP_LDU;
    bool is_kept = u->space == SPACE_LOCAL || u->space == SPACE_PARAM || u->space >= SPACE_COUNT;
    for (unsigned k = 0; k < UOP_SOURCES; k++) {
        uint32_t lanes = lanes_of(x, u->src[k]) & on;
        if (!lanes || (k && is_kept)) continue;
        bool is_address = k == 0 && u->has_address;
        tell(x, u->src[k], u->insn, lanes,
             is_address || is_load ? "the value becomes an address"
                                   : "the value is written to memory");
    }
}

static void run_one(struct exec *x, const struct code *code, const struct uop *u, bool is_whole)
{
    uint32_t on = guarded_lanes(x, u);
    if (is_access(u->insn)) check_access(x, u, on);
    uint32_t lanes = is_access(u->insn) ? 0 : result_lanes(x, u) & on;
    const struct sync_taint *source = lanes ? first_source(x, u, lanes) : NULL;
    struct check_place origin = source ? source->origin : (struct check_place){0};
    if (!source) lanes = 0;
    struct code one = *code;
    one.uops = u;
    one.uop_count = 1;
    warp_run_body(x, &one, is_whole);
    for (unsigned k = 0; k < UOP_DESTINATIONS; k++)
        if (u->dst[k] != REF_NONE) set(x, u->dst[k], on, lanes, &origin);
}

void sync_taint_body(struct exec *x, const struct code *code, bool is_whole)
{
    for (uint32_t i = 0; i < code->uop_count; i++)
        run_one(x, code, &code->uops[i], is_whole);
    if (code->guard == REF_NONE) return;
    uint32_t lanes = lanes_of(x, code->guard) & x->mask;
    if (lanes) tell(x, code->guard, code->last, lanes, "the value decides a branch");
}

/* Results of a shuffle for `on`; `bad` read lanes that do not take part, lane i reads lane sources[i]. */
void sync_taint_shuffle(struct exec *x, const struct warp *warp, const struct uop *u, uint32_t on,
                        uint32_t bad, const uint32_t *sources)
{
    const struct sync_taint *old = find(x, u->src[0]);
    struct check_place origin = {u->insn, x->block->index, warp->index,
                                 bad ? (uint32_t)__builtin_ctz(bad) : 0};
    uint32_t lanes = bad;
    for (uint32_t left = old ? on & ~bad : 0; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint32_t from = sources[lane] < WARP_LANES ? sources[lane] : lane;
        lanes |= ((old->lanes >> from) & 1) << lane;
    }
    if (!bad && old) origin = old->origin;
    if (u->dst[0] != REF_NONE) set(x, u->dst[0], on, lanes, &origin);
}

/* Other operations between lanes: all see what any of them gives. */
void sync_taint_join(struct exec *x, const struct uop *u, uint32_t on)
{
    const struct sync_taint *old = find(x, u->src[0]);
    struct check_place origin = old ? old->origin : (struct check_place){0};
    uint32_t lanes = old && old->lanes & on ? on : 0;
    for (unsigned k = 0; k < UOP_DESTINATIONS; k++)
        if (u->dst[k] != REF_NONE) set(x, u->dst[k], on, lanes, &origin);
}

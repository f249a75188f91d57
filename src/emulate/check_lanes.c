// SPDX-License-Identifier: Apache-2.0
/* Operations between the lanes of a warp: member masks, and the lanes that shuffles read. */
#include <stdio.h>

#include "emulate/check_sync.h"

static void tell(struct exec *x, const struct warp *warp, enum check_code code,
                 const struct insn *insn, uint32_t lane, const char *detail)
{
    struct check_report report = sync_report_at(x, code, insn, warp->index, lane);
    report.detail = detail;
    sync_send(x, &report);
}

/* The lane that `lane` reads, or 32: none, it keeps its own value (PTX ISA, shfl.sync). */
static uint32_t shuffle_source(const struct exec *x, const struct uop *u, uint32_t lane)
{
    uint32_t b = operand_words(x, u->src[1])[lane] & 31, c = operand_words(x, u->src[2])[lane];
    uint32_t clamp = c & 31, segment = (c >> 8) & 31;
    uint32_t max = (lane & segment) | (clamp & ~segment), from;
    switch (u->insn->sub_op) {
    case SUB_UP:
        from = lane - b;
        return (int32_t)from >= (int32_t)max ? from : WARP_LANES;
    case SUB_DOWN:
        from = lane + b;
        break;
    case SUB_BFLY:
        from = lane ^ b;
        break;
    default:
        from = (lane & segment) | (b & ~segment);
        break;
    }
    return from <= max ? from & 31 : WARP_LANES;
}

static void check_shuffle(struct exec *x, const struct warp *warp, const struct uop *u, uint32_t on)
{
    uint32_t bad = 0, source = 0, sources[WARP_LANES];
    for (uint32_t left = on; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), from = shuffle_source(x, u, lane);
        sources[lane] = from;
        if (from >= WARP_LANES || (on >> from) & 1) continue;
        if (!bad) source = from;
        bad |= 1u << lane;
    }
    if (bad || sync_has_taints(x)) sync_taint_shuffle(x, warp, u, on, bad, sources);
    if (!bad) return;
    char detail[160];
    bool has_left = (warp->dead >> source) & 1;
    bool exists = (warp->threads >> source) & 1;
    snprintf(detail, sizeof detail, "lanes 0x%08x read lanes that do not take part: lane %u %s",
             bad, source,
             !exists    ? "does not exist in this block"
             : has_left ? "has left the kernel"
                        : "is elsewhere in the code");
    tell(x, warp, CHECK_CODE_SHUFFLE_INACTIVE, u->insn, (uint32_t)__builtin_ctz(bad), detail);
}

void sync_operate(struct exec *x, const struct warp *warp, const struct uop *u, uint32_t on,
                  uint32_t members)
{
    struct sync_warp *state = &x->block->sync->warps[warp->index];
    uint32_t outside = on & ~members;
    if (on == UINT32_MAX && members == UINT32_MAX && !state->taint_count) return;
    bool is_whole = (on | warp->dead) == UINT32_MAX; /* so nobody is elsewhere */
    for (uint32_t left = is_whole ? 0 : on; left; left &= left - 1) {
        state->met_at[__builtin_ctz(left)] = warp->stamp;
        state->met_with[__builtin_ctz(left)] = members;
    }
    if (outside) {
        char detail[160];
        snprintf(detail, sizeof detail,
                 "lanes 0x%08x execute it with the mask 0x%08x, which leaves out 0x%08x", on,
                 members, outside);
        tell(x, warp, CHECK_CODE_MASK_EXCLUDES, u->insn, (uint32_t)__builtin_ctz(outside), detail);
    }
    if (u->insn->op == OP_SHFL)
        check_shuffle(x, warp, u, on);
    else if (sync_has_taints(x))
        sync_taint_join(x, u, on);
}

void sync_differ(struct exec *x, const struct warp *warp, const struct uop *u, uint32_t on,
                 uint32_t rest)
{
    const uint32_t *masks = operand_words(x, u->src[u->insn->nsrc - 1]);
    uint32_t members = masks[__builtin_ctz(on)];
    if (!(members & rest)) return;
    uint32_t other = masks[__builtin_ctz(members & rest)];
    char detail[160];
    snprintf(detail, sizeof detail,
             "lanes 0x%08x give the mask 0x%08x, lane %u, which it names, gives 0x%08x", on,
             members, (unsigned)__builtin_ctz(members & rest), other);
    tell(x, warp, CHECK_CODE_MASK_DIFFERS, u->insn, (uint32_t)__builtin_ctz(on), detail);
}

void sync_wait(struct exec *x, const struct warp *warp, const struct split *split, uint32_t members)
{
    struct sync_warp *state = &x->block->sync->warps[warp->index];
    if (state->wait_block == split->block) return;
    state->wait_block = split->block;
    state->wait_alive = members & ~warp->dead & ~split->mask;
    state->wait_moved = 0;
}

static void tell_absent(struct exec *x, const struct warp *warp, const struct insn *insn,
                        uint32_t on, uint32_t members, uint32_t missing, uint8_t grade,
                        const struct insn *beyond, const char *what)
{
    char detail[200];
    snprintf(detail, sizeof detail, "lanes 0x%08x give the mask 0x%08x; lanes 0x%08x %s", on,
             members, missing, what);
    struct check_report report =
        sync_report_at(x, CHECK_CODE_MASK_ABSENT, insn, warp->index, (uint32_t)__builtin_ctz(on));
    report.grade = grade;
    report.has_other = beyond != NULL;
    report.other = (struct check_place){beyond, x->block->index, warp->index,
                                        (uint32_t)__builtin_ctz(missing)};
    report.detail = detail;
    sync_send(x, &report);
}

void sync_met(struct exec *x, const struct warp *warp, const struct split *split,
              const struct insn *insn, uint32_t on, uint32_t members)
{
    struct sync_warp *state = &x->block->sync->warps[warp->index];
    struct sync_skip *skip = &state->skip;
    bool has_waited = state->wait_block == split->block;
    if (!has_waited) state->wait_moved |= on;
    if (skip->block != split->block && !has_waited) return;
    uint32_t gone = members & warp->dead;
    uint32_t missing = skip->block == split->block ? gone & skip->lanes : 0;
    uint32_t moved = has_waited ? gone & state->wait_alive & state->wait_moved : 0;
    if (missing)
        tell_absent(x, warp, insn, on, members, missing, skip->grade, skip->beyond,
                    "went past the branch that holds the operation, and left without it");
    else if (moved)
        tell_absent(x, warp, insn, on, members, moved, GRADE_DEFAULT, NULL,
                    "executed an operation with another mask meanwhile, and left without it");
    if (has_waited) state->wait_block = CODE_END;
    if (skip->block == split->block) *skip = (struct sync_skip){.block = CODE_END};
}

void sync_apart(struct exec *x, const struct warp *warp, const struct insn *insn,
                const struct insn *other, uint32_t lane, uint32_t other_lane)
{
    if (x->launch->program->module->target >= 70 || insn == other) return;
    struct check_report report =
        sync_report_at(x, CHECK_CODE_NOT_CONVERGED, insn, warp->index, lane);
    report.has_other = true;
    report.other = (struct check_place){other, x->block->index, warp->index, other_lane};
    sync_send(x, &report);
}

// SPDX-License-Identifier: Apache-2.0
/* Barriers of a block: what the threads that take part must agree on, and who does not take part.
 *
 * Threads that have left the kernel need not come (sm_70 and later), so an early return is correct. What is an error is
 * to go past a barrier that others wait at: to reach the end of the branch or loop that holds it. Inside a warp, that
 * is a reconvergence node whose lanes wait for those at the barrier. Between warps, it is a post-dominator of the
 * barrier that the one warp has visited since the last barrier, and the other not. */
#include <stdio.h>
#include <string.h>

#include "emulate/check_sync.h"

/* ---- state ----------------------------------------------------------------------------------- */

struct sync_state *sync_begin(struct sync_state *state, const struct launch *launch)
{
    uint32_t warps = launch->warps_per_block, codes = launch->program->code_count;
    if (!state) {
        state = mem_zalloc(1, sizeof *state);
        state->warps = mem_zalloc(warps, sizeof *state->warps);
        state->warp_count = warps;
        state->code_count = codes;
        for (uint32_t w = 0; w < warps; w++)
            state->warps[w].visited = mem_zalloc(codes + 1, sizeof *state->warps[w].visited);
    }
    state->generation++;
    for (uint32_t w = 0; w < warps; w++) {
        memset(state->warps[w].met_at, 0, sizeof state->warps[w].met_at);
        state->warps[w].skip = state->warps[w].barrier = (struct sync_skip){.block = CODE_END};
        state->warps[w].left_at = state->warps[w].taint_count = 0;
        state->warps[w].wait_block = CODE_END;
    }
    for (uint32_t id = 0; id < BARRIERS; id++)
        state->arrivals[id] = (struct sync_arrival){0};
    state->cycle.of = state->spin.of = NULL;
    sync_mbarriers_reset(state);
    return state;
}

void sync_destroy(struct sync_state *state)
{
    if (!state) return;
    for (uint32_t w = 0; w < state->warp_count; w++)
        mem_free(state->warps[w].visited);
    mem_free(state->warps);
    hash_table_clear(&state->objects);
    mem_free(state->cycle.saved);
    mem_free(state->spin.saved);
    mem_free(state);
}

/* ---- reports --------------------------------------------------------------------------------- */

struct check_report sync_report_at(const struct exec *x, enum check_code code,
                                   const struct insn *insn, uint32_t warp, uint32_t lane)
{
    return (struct check_report){.code = code, .here = {insn, x->block->index, warp, lane}};
}

void sync_send(const struct exec *x, const struct check_report *report)
{
    x->check->ops->report(x->check->self, report);
}

static struct check_place place_of(const struct exec *x, const struct insn *insn, uint32_t warp,
                                   uint32_t lane)
{
    return (struct check_place){insn, x->block->index, warp, lane};
}

/* ---- what lies beyond a branch --------------------------------------------------------------- */

enum beyond {
    BEYOND_NOTHING, /* the kernel ends: as an early return */
    BEYOND_JOINED, /* stores of values that both sides compute: compilers make it of early returns, too */
    BEYOND_WORK,
};

static bool reads(unsigned class_id)
{
    bool is_memory = class_id >= CLASS_MEM_GLOBAL_LOAD;
    return (is_memory && class_id != CLASS_MEM_GLOBAL_STORE && class_id != CLASS_MEM_SHARED_STORE &&
            class_id != CLASS_MEM_LOCAL_STORE && class_id != CLASS_MEM_PARAM_LOAD) ||
           class_id == CLASS_SHUFFLE || class_id == CLASS_VOTE || class_id == CLASS_TENSOR;
}

static bool stores(unsigned class_id)
{
    return class_id == CLASS_MEM_GLOBAL_STORE || class_id == CLASS_MEM_SHARED_STORE;
}

static bool is_defined_twice(const struct function *function, int32_t reg)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < function->insn_count && count < 2; i++)
        for (unsigned k = 0; k < function->insns[i].ndst; k++)
            count += insn_operand(&function->insns[i], k)->kind == OPERAND_REGISTER &&
                     insn_operand(&function->insns[i], k)->reg == reg;
    return count > 1;
}

static bool reads_joined(const struct function *function, const struct insn *insn)
{
    for (unsigned k = 0; k < insn->ndst + (unsigned)insn->nsrc; k++) {
        const struct operand *operand = insn_operand(insn, k);
        bool is_read = operand->kind == OPERAND_ADDRESS ||
                       (operand->kind == OPERAND_REGISTER && k >= insn->ndst);
        if (is_read && operand->reg >= 0 && is_defined_twice(function, operand->reg)) return true;
    }
    return false;
}

/* Of the instructions of a code block before its end. */
static enum beyond look_at(const struct launch_view *view, uint32_t at, bool *joined)
{
    const struct code_block *block = &view->code_blocks[at];
    enum beyond found = BEYOND_NOTHING;
    for (uint32_t i = 0; i < block->count; i++) {
        const struct insn *insn = view->insns[block->first + i];
        if (reads(insn->class_id)) return BEYOND_WORK;
        *joined = *joined || reads_joined(block->function, insn);
        if (stores(insn->class_id)) found = BEYOND_JOINED;
    }
    return found;
}

/* What lanes do from a code block on until the kernel ends. */
static enum beyond look_beyond(const struct exec *x, const struct frame *frame, uint32_t at)
{
    enum { STEPS_MAX = 64 };
    const struct program *program = x->launch->program;
    enum beyond found = BEYOND_NOTHING;
    bool joined = false;
    for (unsigned step = 0; step < STEPS_MAX; step++) {
        if (at == CODE_END) {
            if (!frame->parent) return found && !joined ? BEYOND_WORK : found;
            at = frame->return_block;
            frame = frame->parent;
            continue;
        }
        const struct code *code = &program->code[at];
        enum beyond here = look_at(&program->view, at, &joined);
        bool is_guarded = code->guard != REF_NONE;
        if (here == BEYOND_WORK) return BEYOND_WORK;
        if (here > found) found = here;
        switch (code->terminator) {
        case TERM_FALL:
        case TERM_PRODUCTS_WAIT:
            at = code->next;
            break;
        case TERM_BRANCH:
            if (is_guarded) return BEYOND_WORK;
            at = code->target;
            break;
        case TERM_EXIT:
            if (is_guarded) return BEYOND_WORK;
            return found && !joined ? BEYOND_WORK : found;
        case TERM_RET:
            if (is_guarded) return BEYOND_WORK;
            at = CODE_END;
            break;
        default:
            return BEYOND_WORK;
        }
    }
    return BEYOND_WORK;
}

/* The first instruction of a code block, or the one that the caller goes on with. */
static const struct insn *first_insn(const struct exec *x, uint32_t at)
{
    const struct launch_view *view = &x->launch->program->view;
    if (at == CODE_END || !view->code_blocks[at].count) return NULL;
    return view->insns[view->code_blocks[at].first];
}

/* ---- lanes of one warp ------------------------------------------------------------------------ */

static bool is_aligned(const struct insn *insn)
{
    return insn->op == OP_BAR || insn->flags & INSN_ALIGNED;
}

static bool is_below(const struct warp *warp, int32_t node, int32_t above)
{
    while (node >= 0 && node != above)
        node = warp->nodes[node].parent;
    return node >= 0;
}

static void tell_diverged(struct exec *x, const struct warp *warp, const struct split *split,
                          const struct node *node, enum beyond beyond)
{
    const struct insn *insn = x->launch->program->code[split->block].last;
    char detail[160];
    snprintf(detail, sizeof detail,
             "lanes 0x%08x of warp %u wait at the barrier; lanes 0x%08x went past the end of the "
             "branch that holds it",
             split->mask, warp->index, node->arrived);
    struct check_report report = sync_report_at(x, CHECK_CODE_BARRIER_DIVERGED, insn, warp->index,
                                                (uint32_t)__builtin_ctz(split->mask));
    report.grade = beyond == BEYOND_JOINED ? GRADE_WARNING : GRADE_DEFAULT;
    report.has_other = true;
    report.other = place_of(x, first_insn(x, node->block), warp->index,
                            (uint32_t)__builtin_ctz(node->arrived));
    report.detail = detail;
    sync_send(x, &report);
}

static void note_skip(const struct exec *x, struct sync_skip *skip, const struct node *node,
                      uint32_t block, uint32_t lanes, enum beyond beyond)
{
    if (skip->block != block) *skip = (struct sync_skip){.block = block};
    skip->lanes |= lanes;
    skip->grade = beyond == BEYOND_JOINED ? GRADE_WARNING : GRADE_DEFAULT;
    skip->beyond = first_insn(x, node->block);
}

/* Those of `lanes` that have met without the split since it parted from them: by stamps, which grow. */
static uint32_t met_elsewhere(const struct sync_warp *state, const struct split *split,
                              uint32_t lanes)
{
    uint32_t met = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (state->met_at[lane] >= split->stamp && !(state->met_with[lane] & split->mask))
            met |= 1u << lane;
    }
    return met;
}

/* Splits that wait below a node at which others do. */
static void check_node(struct exec *x, struct warp *warp, int32_t at)
{
    const struct node *node = &warp->nodes[at];
    struct sync_warp *state = &x->block->sync->warps[warp->index];
    enum beyond beyond = BEYOND_NOTHING;
    bool is_known = false;
    for (uint32_t i = 0; i < warp->split_count; i++) {
        const struct split *split = &warp->splits[i];
        if (split->state == SPLIT_READY || !is_below(warp, split->node, at)) continue;
        if (!is_known) beyond = look_beyond(x, node->frame, node->block);
        is_known = true;
        if (split->state == SPLIT_AT_SYNC) {
            uint32_t named = meet_members(x, warp, i) & node->arrived;
            if (!beyond) named = met_elsewhere(state, split, named);
            if (named) note_skip(x, &state->skip, node, split->block, named, beyond);
        } else if (!beyond) {
            continue;
        } else if (is_aligned(x->launch->program->code[split->block].last)) {
            tell_diverged(x, warp, split, node, beyond);
        } else {
            note_skip(x, &state->barrier, node, split->block, node->arrived, beyond);
        }
    }
}

void sync_release(struct exec *x, struct warp *warp, int32_t node)
{
    x->base[BASE_WARP] = (unsigned char *)x->launch->warp_specials[warp->index];
    check_node(x, warp, node);
}

/* ---- warps of one block ----------------------------------------------------------------------- */

static bool is_reduction(const struct insn *insn)
{
    return insn->sub_op >= SUB_RED_POPC && insn->sub_op <= SUB_RED_OR;
}

/* Compilers may duplicate an instruction: then both have one line of the source. */
static bool is_same_place(const struct insn *a, const struct insn *b)
{
    return a == b ||
           (a->source_line && a->source_line == b->source_line && a->source_file == b->source_file);
}

static void tell_pair(const struct exec *x, enum check_code code, const struct check_place *here,
                      const struct sync_arrival *first, const char *detail)
{
    struct check_report report = {.code = code,
                                  .here = *here,
                                  .has_other = true,
                                  .other = place_of(x, first->insn, first->warp, first->lane),
                                  .detail = detail};
    sync_send(x, &report);
}

/* One who arrives, and the first of the generation. */
static void compare(const struct exec *x, const struct check_place *here,
                    const struct sync_arrival *first, const struct sync_arrival *mine)
{
    char detail[160];
    uint32_t all = (x->launch->threads_per_block + WARP_LANES - 1) / WARP_LANES * WARP_LANES;
    uint32_t count = mine->counted ? mine->count : all;
    uint32_t other = first->counted ? first->count : all;
    const struct insn *a = mine->insn, *b = first->insn;
    if (count != other) {
        snprintf(detail, sizeof detail, "the barrier is for %u threads here and for %u there",
                 count, other);
        tell_pair(x, CHECK_CODE_BARRIER_MISMATCH, here, first, detail);
        return;
    }
    if (is_reduction(a) != is_reduction(b) || (is_reduction(a) && a->sub_op != b->sub_op)) {
        snprintf(detail, sizeof detail, "'%s' here and '%s' there complete one barrier", a->text,
                 b->text);
        tell_pair(x, CHECK_CODE_BARRIER_MISMATCH, here, first, detail);
        return;
    }
    if (is_same_place(a, b) || !is_aligned(a) || !is_aligned(b)) return;
    if (mine->warp == first->warp)
        tell_pair(x, CHECK_CODE_BARRIER_DIVERGED, here, first,
                  "lanes of one warp wait at different barrier instructions");
    else if (!mine->counted && !first->counted)
        tell_pair(x, CHECK_CODE_BARRIER_UNEQUAL, here, first, NULL);
}

static void check_count(const struct exec *x, const struct check_place *here, uint32_t count,
                        bool waits)
{
    char detail[160];
    uint32_t threads = x->launch->threads_per_block;
    uint32_t all = (threads + WARP_LANES - 1) / WARP_LANES * WARP_LANES;
    if (count % WARP_LANES)
        snprintf(detail, sizeof detail, "%u threads is not a multiple of the warp size, 32", count);
    else if (count > all)
        snprintf(detail, sizeof detail, "the barrier is for %u threads, the block has %u", count,
                 threads);
    else if (!count && !waits)
        snprintf(detail, sizeof detail, "an arrival must say how many threads take part");
    else
        return;
    struct check_report report =
        sync_report_at(x, CHECK_CODE_BARRIER_COUNT, here->insn, here->warp, here->lane);
    report.detail = detail;
    sync_send(x, &report);
}

void sync_arrive(struct exec *x, const struct warp *warp, const struct insn *insn, uint32_t lanes,
                 uint32_t id, bool counted, uint32_t count)
{
    struct sync_arrival *first = &x->block->sync->arrivals[id];
    struct sync_arrival mine = {.insn = insn,
                                .warp = warp->index,
                                .lane = (uint32_t)__builtin_ctz(lanes),
                                .count = count,
                                .counted = counted};
    struct check_place here = place_of(x, insn, mine.warp, mine.lane);
    if (counted) check_count(x, &here, count, insn->sub_op != SUB_ARRIVE);
    if (!first->insn)
        *first = mine;
    else if (first->insn != insn || first->counted != counted || first->count != count)
        compare(x, &here, first, &mine);
}

/* Has a warp that has left gone past the barrier at which the split waits? */
static void check_left(struct exec *x, uint32_t gone, const struct warp *warp,
                       const struct split *split)
{
    const struct sync_state *state = x->block->sync;
    const struct program *program = x->launch->program;
    const uint32_t *visited = state->warps[gone].visited, *mine = state->warps[warp->index].visited;
    const struct frame *frame = split->frame;
    uint32_t now = state->generation + 1, at = program->code[split->block].reconverge;
    for (;;) {
        if (at == CODE_END) {
            if (!frame->parent) return;
            at = frame->return_block;
            frame = frame->parent;
        } else {
            if (visited[at] == now && mine[at] != now) break;
            at = program->code[at].reconverge;
        }
    }
    enum beyond beyond = look_beyond(x, frame, at);
    if (!beyond) return;
    char detail[160];
    snprintf(detail, sizeof detail,
             "warp %u waits at the barrier; warp %u went past it to the end of the kernel",
             warp->index, gone);
    struct check_report report =
        sync_report_at(x, CHECK_CODE_BARRIER_SKIPPED, program->code[split->block].last, warp->index,
                       (uint32_t)__builtin_ctz(split->mask));
    report.grade = beyond == BEYOND_JOINED ? GRADE_WARNING : GRADE_DEFAULT;
    report.has_other = true;
    report.other = place_of(x, first_insn(x, at), gone, 0);
    report.detail = detail;
    sync_send(x, &report);
}

/* Lanes that went past the barrier at which others of their warp wait, and have left. */
static void tell_skipped(struct exec *x, const struct warp *warp, uint32_t id)
{
    struct sync_skip *skip = &x->block->sync->warps[warp->index].barrier;
    uint32_t missing = skip->lanes & warp->dead;
    for (uint32_t i = 0; i < warp->split_count && missing; i++) {
        const struct split *split = &warp->splits[i];
        if (split->state != SPLIT_AT_BARRIER || split->barrier != id || split->block != skip->block)
            continue;
        char detail[160];
        snprintf(detail, sizeof detail,
                 "lanes 0x%08x of warp %u wait at the barrier; lanes 0x%08x went past it to the "
                 "end of the kernel",
                 split->mask, warp->index, missing);
        struct check_report report = sync_report_at(
            x, CHECK_CODE_BARRIER_SKIPPED, x->launch->program->code[split->block].last, warp->index,
            (uint32_t)__builtin_ctz(split->mask));
        report.grade = skip->grade;
        report.has_other = true;
        report.other = place_of(x, skip->beyond, warp->index, (uint32_t)__builtin_ctz(missing));
        report.detail = detail;
        sync_send(x, &report);
        break;
    }
    *skip = (struct sync_skip){.block = CODE_END};
}

/* The first split of the block that waits at the barrier. */
static const struct split *first_waiting(const struct block *block, uint32_t id,
                                         const struct warp **out_warp)
{
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint32_t i = 0; i < block->warps[w].split_count; i++) {
            const struct split *split = &block->warps[w].splits[i];
            *out_warp = &block->warps[w];
            if (split->state == SPLIT_AT_BARRIER && split->barrier == id) return split;
        }
    return NULL;
}

void sync_complete(struct exec *x, struct block *block, uint32_t id)
{
    struct sync_state *state = block->sync;
    const struct warp *warp;
    const struct split *split = first_waiting(block, id, &warp);
    bool is_for_all = !state->arrivals[id].counted;
    state->arrivals[id] = (struct sync_arrival){0};
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint32_t n = 0; n < block->warps[w].nodes_used; n++)
            if (block->warps[w].nodes[n].used && block->warps[w].nodes[n].arrived)
                check_node(x, &block->warps[w], (int32_t)n);
    if (!is_for_all) return;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        tell_skipped(x, &block->warps[w], id);
        if (split && state->warps[w].left_at == state->generation + 1)
            check_left(x, w, warp, split);
    }
    state->generation++;
}

void sync_cluster_done(const struct cluster *cluster)
{
    for (uint32_t rank = 0; rank < (cluster->size ? cluster->size : 1); rank++)
        cluster->blocks[rank]->sync->generation++;
}

void sync_leave(struct exec *x, const struct warp *warp)
{
    struct sync_state *state = x->block->sync;
    state->warps[warp->index].left_at = state->generation + 1;
}

void sync_end(struct exec *x, struct block *block)
{
    for (uint32_t id = 0; id < BARRIERS; id++) {
        const struct sync_arrival *first = &block->sync->arrivals[id];
        if (!first->insn) continue;
        char detail[160];
        snprintf(detail, sizeof detail, "barrier %u has %u of %u threads when the block ends", id,
                 block->barriers[id].arrived, block->barriers[id].expected);
        struct check_report report =
            sync_report_at(x, CHECK_CODE_BARRIER_UNFINISHED, first->insn, first->warp, first->lane);
        report.detail = detail;
        sync_send(x, &report);
    }
}

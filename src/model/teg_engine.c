// SPDX-License-Identifier: Apache-2.0
/* One event is one decision of one scheduler. Everything that an instruction needs is timed when it
 * issues, so that the next time at which a warp may issue is known; only barriers are open. */
#include "model/teg_state.h"

#include <stdlib.h>
#include <string.h>

const struct teg_stall_info teg_stall_infos[TEG_STALL_COUNT] = {
#define STALL(name, id, text) {id, text},
    TEG_STALLS(STALL)
#undef STALL
};

/* ---- schedulers ------------------------------------------------------------------------------ */

/* One stretch of places. Returns at the first ready one if that is all that is asked. */
static inline int select_from(const struct teg_scheduler *s, unsigned first, unsigned end,
                              bool first_only, teg_time now, teg_time *soonest, int best)
{
    for (unsigned place = first; place < end; place++) {
        teg_time at = later(s->ready[place], s->unit_ready[s->units[place]]);
        if (at > now) {
            if (at < *soonest) *soonest = at;
            continue;
        }
        if (first_only) return (int)place;
        if (best < 0 || s->warps[place].age < s->warps[best].age) best = (int)place;
    }
    return best;
}

/* The warp that issues at `now`; if there is none, *out_next is when one can. */
static int select_warp(const struct teg_scheduler *s, enum teg_policy policy, teg_time now,
                       teg_time *out_next)
{
    bool in_turn = policy == TEG_ROUND_ROBIN;
    unsigned last = s->last;
    int best = -1;
    *out_next = TEG_NEVER;
    if (policy == TEG_GREEDY_OLDEST && s->ready[last] <= now &&
        s->unit_ready[s->units[last]] <= now)
        return (int)last;
    best = select_from(s, last + 1, s->count, in_turn, now, out_next, best);
    if (in_turn && best >= 0) return best;
    return select_from(s, 0, last + 1, in_turn, now, out_next, best);
}

/* One decision. Pairs of independent instructions of one warp issue together where the GPU can. */
static void decide(struct teg_engine *e, struct teg_scheduler *s)
{
    teg_time now = *s->next, next = TEG_NEVER;
    int place = select_warp(s, e->machine->policy, now, &next);
    if (place < 0) {
        *s->next = next;
        return;
    }
    unsigned chosen = (unsigned)place;
    const struct teg_warp *warp = &s->warps[chosen];
    uint64_t age = warp->age;
    s->last = chosen;
    s->slot = now + e->machine->interval;
    teg_issue(e, s, chosen, now);
    for (unsigned more = 1; more < e->machine->width; more++) {
        if (warp->age != age || s->ready[chosen] == TEG_NEVER || warp->operands > now ||
            warp->again > s->slot || s->unit_ready[s->units[chosen]] > now)
            break;
        teg_issue(e, s, chosen, now);
    }
    *s->next = s->slot;
}
/* ---- building -------------------------------------------------------------------------------- */

static void build_scheduler(struct teg_engine *e, struct teg_scheduler *s)
{
    unsigned warps = e->setup->blocks_per_sm * e->warps_per_block;
    size_t registers = e->trace->register_count + 1u;
    s->count = (warps + e->machine->schedulers - 1) / e->machine->schedulers;
    s->ready = mem_alloc((s->count + 1) * sizeof *s->ready);
    s->units = mem_zalloc(s->count + 1, 1);
    s->warps = mem_zalloc(s->count + 1, sizeof *s->warps);
    for (unsigned i = 0; i < s->count; i++) {
        s->ready[i] = TEG_NEVER;
        s->warps[i].registers = mem_zalloc(registers, sizeof(teg_time));
        s->warps[i].causes = mem_zalloc(registers, 1);
    }
    *s->next = TEG_NEVER;
    s->last = s->count - 1;
}

static void build_sm(struct teg_engine *e, struct teg_sm *sm, unsigned index)
{
    sm->index = index;
    sm->schedulers = mem_zalloc(e->machine->schedulers, sizeof *sm->schedulers);
    sm->blocks = mem_zalloc(e->setup->blocks_per_sm, sizeof *sm->blocks);
    for (unsigned i = 0; i < e->machine->schedulers; i++) {
        sm->schedulers[i].next = &e->nexts[index * e->machine->schedulers + i];
        build_scheduler(e, &sm->schedulers[i]);
    }
    for (unsigned b = 0; b < e->setup->blocks_per_sm; b++) {
        struct teg_block *block = &sm->blocks[b];
        block->sm = sm;
        block->warps = mem_zalloc(e->warps_per_block, sizeof *block->warps);
        for (uint32_t w = 0; w < e->warps_per_block; w++) {
            unsigned place;
            struct teg_scheduler *s = teg_place(e, sm, b, w, &place);
            block->warps[w] = &s->warps[place];
            block->warps[w]->block = block;
            block->warps[w]->index = w;
        }
    }
}

static void clear_sm(struct teg_engine *e, struct teg_sm *sm)
{
    for (unsigned i = 0; i < e->machine->schedulers; i++) {
        struct teg_scheduler *s = &sm->schedulers[i];
        for (unsigned k = 0; k < s->count; k++) {
            if (s->warps[k].cursor.trace) trace_cursor_clear(&s->warps[k].cursor);
            free(s->warps[k].registers);
            free(s->warps[k].causes);
        }
        free(s->ready);
        free(s->units);
        free(s->warps);
    }
    for (unsigned b = 0; b < e->setup->blocks_per_sm; b++)
        free(sm->blocks[b].warps);
    free(sm->schedulers);
    free(sm->blocks);
}

static void build(struct teg_engine *e)
{
    const struct trace *trace = e->trace;
    e->ops = mem_alloc((trace->insn_count + 1) * sizeof *e->ops);
    for (uint32_t i = 0; i < trace->insn_count; i++)
        teg_price(e, &trace->insns[i], &e->ops[i]);
    e->sms = mem_zalloc(e->setup->sms, sizeof *e->sms);
    e->nexts = mem_zalloc((size_t)e->setup->sms * e->machine->schedulers, sizeof *e->nexts);
    for (unsigned i = 0; i < e->setup->sms; i++)
        build_sm(e, &e->sms[i], i);
    teg_memory_init(&e->memory, e->machine, e->machine->cluster_sms, e->setup->dram_share);
    e->memory.observer = e->setup->observer;
    teg_access_init(&e->accesses, trace, e->machine);
    e->out->block_ends = mem_zalloc(e->setup->block_count + 1, sizeof *e->out->block_ends);
    e->out->insn_stalls =
        mem_zalloc((size_t)(trace->insn_count + 1) * TEG_STALL_COUNT, sizeof(teg_time));
}

static void clear(struct teg_engine *e)
{
    for (unsigned i = 0; i < e->setup->sms; i++)
        clear_sm(e, &e->sms[i]);
    teg_memory_clear(&e->memory);
    teg_access_clear(&e->accesses);
    free(e->sms);
    free(e->nexts);
    free(e->ops);
}

/* ---- running --------------------------------------------------------------------------------- */

static struct teg_scheduler *soonest(const struct teg_engine *e)
{
    unsigned best = 0, count = e->setup->sms * e->machine->schedulers;
    for (unsigned i = 1; i < count; i++)
        if (e->nexts[i] < e->nexts[best]) best = i;
    return &e->sms[best / e->machine->schedulers].schedulers[best % e->machine->schedulers];
}

/* Part of a block may wait for warps that are not there: then they do not wait. */
static bool release_all(struct teg_engine *e, teg_time now)
{
    bool any = false;
    for (unsigned i = 0; i < e->setup->sms; i++)
        for (unsigned b = 0; b < e->setup->blocks_per_sm; b++)
            for (unsigned id = 0; id < TEG_BARRIERS; id++) {
                struct teg_block *block = &e->sms[i].blocks[b];
                if (!block->used || !block->barriers[id].open) continue;
                teg_release_barrier(e, block, id, now);
                any = true;
            }
    return any;
}

static ws_status deadlock(struct diag *diag, const struct teg_engine *e)
{
    for (unsigned i = 0; i < e->setup->sms; i++)
        for (unsigned b = 0; b < e->setup->blocks_per_sm; b++) {
            const struct teg_block *block = &e->sms[i].blocks[b];
            for (uint32_t w = 0; block->used && w < e->warps_per_block; w++)
                if (block->warps[w]->alive && block->warps[w]->waiting_for)
                    return diag_error(
                        diag, WS_ERR_NO_MODEL,
                        "teg: deadlock: warp %u of block %llu waits at barrier %u, which its block "
                        "never fills",
                        w,
                        (unsigned long long)e->trace->blocks[block->index % e->trace->block_count]
                            .index,
                        block->warps[w]->waiting_for - 1u);
        }
    return diag_error(diag, WS_ERR_NO_MODEL, "teg: warps wait for each other for ever");
}

static ws_status run(struct diag *diag, struct teg_engine *e)
{
    teg_time now = 0;
    for (unsigned round = 0; round < e->setup->blocks_per_sm; round++)
        for (unsigned i = 0; i < e->setup->sms; i++)
            (void)teg_launch_block(e, &e->sms[i], 0);
    while (e->running) {
        struct teg_scheduler *s = soonest(e);
        if (*s->next == TEG_NEVER) {
            if (e->setup->warps_per_sm && release_all(e, now)) continue;
            return deadlock(diag, e);
        }
        now = *s->next;
        decide(e, s);
    }
    return WS_OK;
}

ws_status teg_run(struct diag *diag, const struct teg_setup *setup, struct teg_result *out)
{
    struct teg_engine e = {
        .setup = setup,
        .machine = setup->machine,
        .trace = setup->trace,
        .out = out,
        .warps_per_block = setup->trace->head.warps_per_block,
    };
    *out = (struct teg_result){0};
    if (!setup->trace->step_count || !setup->sms || !setup->blocks_per_sm || !setup->block_count)
        return diag_error(diag, WS_ERR_NO_MODEL,
                          "teg: the trace has no warp that executes anything");
    build(&e);
    if (setup->observer && setup->observer->begin)
        setup->observer->begin(setup->observer->self, setup);
    ws_status status = run(diag, &e);
    out->end = later(out->retired, later(e.memory.dram_free, e.memory.l2_free));
    out->memory = e.memory.counts;
    for (size_t i = 0; i < (size_t)setup->trace->insn_count * TEG_STALL_COUNT; i++)
        out->stalls[i % TEG_STALL_COUNT] += out->insn_stalls[i];
    clear(&e);
    if (status != WS_OK) teg_result_clear(out);
    return status;
}

void teg_result_clear(struct teg_result *result)
{
    free(result->block_ends);
    free(result->insn_stalls);
    *result = (struct teg_result){0};
}

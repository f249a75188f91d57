// SPDX-License-Identifier: Apache-2.0
/* One event is one decision of one scheduler. Everything that an instruction needs is timed when it
 * issues, so that the next time at which a warp may issue is known; only barriers are open. */
#include "model/teg/teg_state.h"

#include <stdlib.h>
#include <string.h>

const struct teg_stall_info teg_stall_infos[TEG_STALL_COUNT] = {
#define STALL(name, id, text, component) {id, text, COMPONENT_##component},
#include "model/teg/stalls.def"
#undef STALL
};

/* ---- building -------------------------------------------------------------------------------- */

static void build_scheduler(struct teg_engine *e, struct teg_sm *sm, struct teg_scheduler *s)
{
    size_t units = (size_t)e->machine->parts * TEG_UNIT_COUNT;
    s->sm = sm;
    unsigned warps = e->setup->blocks_per_sm * e->warps_per_block;
    s->count = (warps + e->machine->schedulers - 1) / e->machine->schedulers;
    s->sleepers = mem_alloc((s->count + 1) * sizeof *s->sleepers);
    s->sleepers[0].ready = TEG_NEVER;
    s->units = mem_zalloc(s->count + 1, 1);
    s->states = sm->units;
    s->words = (s->count + 63) / 64 + !s->count;
    s->awake = mem_zalloc((units + 2) * s->words, sizeof *s->awake);
    s->younger = mem_zalloc(s->count + 1, sizeof *s->younger);
    s->left = s->awake + s->words;
    s->by_unit = s->left + s->words;
    for (unsigned i = 0; i < s->count; i++)
        s->by_unit[i / 64] |= UINT64_C(1) << i % 64; /* unit index 0 */
    s->warps = mem_zalloc(s->count + 1, sizeof *s->warps);
    for (unsigned i = 0; i < s->count; i++) {
        s->warps[i].registers = mem_zalloc(e->warp_registers + 1, sizeof(teg_end));
    }
    s->last = s->count - 1;
}

static void build_sm(struct teg_engine *e, struct teg_sm *sm, unsigned index)
{
    sm->index = index;
    sm->schedulers = e->schedulers + index * e->machine->schedulers;
    sm->blocks = mem_zalloc(e->setup->blocks_per_sm, sizeof *sm->blocks);
    sm->units = mem_zalloc((size_t)e->machine->parts * TEG_UNIT_COUNT, sizeof *sm->units);
    sm->next_leaves = &e->leaves[index];
    *sm->next_leaves = TEG_NEVER;
    sm->leaving =
        mem_zalloc(e->setup->blocks_per_sm * e->warps_per_block + 1u, sizeof *sm->leaving);
    for (unsigned i = 0; i < e->machine->schedulers; i++) {
        build_scheduler(e, sm, &sm->schedulers[i]);
    }
    for (unsigned b = 0; b < e->setup->blocks_per_sm; b++) {
        struct teg_block *block = &sm->blocks[b];
        block->sm = sm;
        block->warps = mem_zalloc(e->warps_per_block, sizeof *block->warps);
        block->shifts = mem_zalloc(teg_deal_stride_count(&e->deal), sizeof *block->shifts);
        for (uint32_t w = 0; w < e->warps_per_block; w++) {
            unsigned place;
            struct teg_scheduler *s = teg_place(e, sm, b, w, &place);
            block->warps[w] = &s->warps[place];
            block->warps[w]->block = block;
            block->warps[w]->index = w;
            block->warps[w]->place = place;
            block->warps[w]->word = place / 64;
            block->warps[w]->bit = UINT64_C(1) << place % 64;
            unsigned part = (b * e->warps_per_block + w) % e->machine->parts;
            block->warps[w]->first_unit = (uint8_t)(part * TEG_UNIT_COUNT);
        }
    }
}

static void clear_sm(struct teg_engine *e, struct teg_sm *sm)
{
    for (unsigned i = 0; i < e->machine->schedulers; i++) {
        struct teg_scheduler *s = &sm->schedulers[i];
        for (unsigned k = 0; k < s->count; k++) {
            step_cursor_clear(&s->warps[k].steps);
            mem_free(s->warps[k].registers);
        }
        mem_free(s->sleepers);
        mem_free(s->units);
        mem_free(s->awake);
        mem_free(s->younger);
        mem_free(s->warps);
    }
    for (unsigned b = 0; b < e->setup->blocks_per_sm; b++) {
        mem_free(sm->blocks[b].warps);
        mem_free(sm->blocks[b].shifts);
        hash_table_clear(&sm->blocks[b].phases);
    }
    teg_fetch_clear(&sm->fetch);
    mem_free(sm->leaving);
    mem_free(sm->units);
    mem_free(sm->blocks);
}

static void build(struct teg_engine *e)
{
    const struct trace *trace = e->trace;
    e->out->insn_stalls =
        mem_zalloc((size_t)(trace->insn_count + 1) * TEG_STALL_COUNT, sizeof(teg_time));
    teg_price_forwarding(e);
    e->ops = mem_alloc((trace->insn_count + 1) * sizeof *e->ops);
    for (uint32_t i = 0; i < trace->insn_count; i++)
        teg_price(e, &trace->insns[i], &e->ops[i]);
    teg_words_init(e);
    e->is_watched = e->setup->observer && e->setup->observer->span;
    e->is_plain = !e->setup->observer && !e->words && !e->machine->merges;
    step_table_init(&e->steps, trace, e->words ? 0 : e->setup->native_registers);
    e->warp_registers = (size_t)trace->register_count * (e->steps.is_native ? NATIVE_COPIES : 1);
    e->sms = mem_zalloc(e->setup->sms, sizeof *e->sms);
    e->scheduler_count = e->setup->sms * e->machine->schedulers;
    e->schedulers = mem_zalloc(e->scheduler_count, sizeof *e->schedulers);
    e->turns = mem_alloc(e->scheduler_count * sizeof *e->turns);
    for (unsigned i = 0; i < e->scheduler_count; i++) {
        e->turns[i] = (struct teg_turn){TEG_NEVER, &e->schedulers[i]};
        e->schedulers[i].issued = ++e->issues; /* the first has the first turn */
    }
    e->leaves = mem_alloc(e->setup->sms * sizeof *e->leaves);
    e->first_leaves = e->now = TEG_NEVER;
    e->deal = e->setup->deal;
    e->deal.trace = trace;
    teg_deal_begin(&e->deal);
    uint32_t instructions = e->machine->fetch.is_used ? teg_lay_out_code(e) : 0;
    for (unsigned i = 0; i < e->setup->sms; i++) {
        build_sm(e, &e->sms[i], i);
        if (instructions)
            teg_fetch_init(&e->sms[i].fetch, e->machine, instructions, e->setup->has_l2_code);
    }
    teg_memory_init(&e->memory, e->machine, e->machine->cluster_sms, e->setup->dram_share,
                    e->setup->written_share);
    e->memory.observer = e->setup->observer;
    teg_access_init(&e->accesses, trace, e->machine);
    teg_atomics_init(&e->atomics, trace, e->machine);
    e->out->block_ends = mem_zalloc(e->setup->block_count + 1, sizeof *e->out->block_ends);
    e->out->block_issued = mem_zalloc(e->setup->block_count + 1, sizeof *e->out->block_issued);
}

static void clear(struct teg_engine *e)
{
    for (unsigned i = 0; i < e->setup->sms; i++)
        clear_sm(e, &e->sms[i]);
    teg_memory_clear(&e->memory);
    teg_access_clear(&e->accesses);
    step_table_clear(&e->steps);
    teg_atomics_clear(&e->atomics);
    mem_free(e->sms);
    mem_free(e->turns);
    mem_free(e->leaves);
    teg_deal_end(&e->deal);
    mem_free(e->schedulers);
    mem_free(e->ops);
    mem_free(e->words);
}

/* ---- running --------------------------------------------------------------------------------- */

static teg_time first_event(const struct teg_engine *e)
{
    return sooner(e->turns->next, e->first_leaves);
}

static void leave(struct teg_engine *e, teg_time now)
{
    e->first_leaves = TEG_NEVER;
    for (unsigned i = 0; i < e->setup->sms; i++) {
        if (e->leaves[i] == now) teg_leave(e, &e->sms[i], now);
        e->first_leaves = sooner(e->first_leaves, e->leaves[i]);
    }
}

static bool release_phases(struct teg_engine *e, const struct teg_block *block, teg_time now)
{
    bool any = false;
    for (uint32_t w = 0; block->used && w < e->warps_per_block; w++) {
        struct teg_warp *warp = block->warps[w];
        if (!warp->alive || warp->waiting_for != TEG_PHASE) continue;
        teg_release_phase(e, warp, now);
        any = true;
    }
    return any;
}

/* Part of a block may wait for warps that are not there: then they do not wait. */
static bool release_all(struct teg_engine *e, teg_time now)
{
    bool any = false;
    for (unsigned i = 0; i < e->setup->sms; i++)
        for (unsigned b = 0; b < e->setup->blocks_per_sm; b++)
            any |= release_phases(e, &e->sms[i].blocks[b], now);
    for (unsigned i = 0; i < e->setup->sms; i++)
        for (unsigned b = 0; b < e->setup->blocks_per_sm; b++)
            for (unsigned id = 0; id < TEG_BARRIERS; id++) {
                struct teg_block *block = &e->sms[i].blocks[b];
                if (!block->used || !(block->open >> id & 1)) continue;
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
                        "teg: deadlock: warp %u of block %llu waits at %s %u, which its block "
                        "never fills",
                        w, (unsigned long long)block->traced->index,
                        block->warps[w]->waiting_for == TEG_PHASE ? "an mbarrier object, phase"
                                                                  : "barrier",
                        block->warps[w]->waiting_for == TEG_PHASE
                            ? (unsigned)(block->warps[w]->phase >> 32)
                            : block->warps[w]->waiting_for - 1u);
        }
    return diag_error(diag, WS_ERR_NO_MODEL, "teg: deadlock: warps wait for each other");
}

static ws_status run(struct diag *diag, struct teg_engine *e)
{
    teg_time now = 0;
    for (unsigned round = 0; round < e->setup->blocks_per_sm; round++)
        for (unsigned i = 0; i < e->setup->sms; i++)
            (void)teg_launch_block(e, &e->sms[i], 0);
    for (teg_time next = first_event(e); e->running;) {
        if (next == TEG_NEVER) {
            if (!e->setup->warps_per_sm || !release_all(e, now)) return deadlock(diag, e);
            next = first_event(e);
            continue;
        }
        now = next;
        if (e->first_leaves == now) leave(e, now); /* before anyone issues */
        next = teg_take_turns(e, now);
    }
    return WS_OK;
}

ws_status teg_run(struct diag *diag, const struct teg_setup *setup, struct teg_result *out)
{
    struct teg_engine e = {
        .setup = setup,
        .machine = setup->machine,
        .trace = setup->trace,
        .interval = setup->machine->interval,
        .out = out,
        .warps_per_block = setup->trace->head.warps_per_block,
    };
    *out = (struct teg_result){0};
    if (!setup->trace->step_count || !setup->sms || !setup->blocks_per_sm || !setup->block_count)
        return diag_error(diag, WS_ERR_NO_MODEL,
                          "teg: the trace contains no executed instructions");
    build(&e);
    if (setup->observer && setup->observer->begin)
        setup->observer->begin(setup->observer->self, setup);
    ws_status status = run(diag, &e);
    out->end = later(out->retired, teg_memory_end(&e.memory));
    out->end = later(out->end, teg_atomics_end(&e.atomics));
    out->atomics_busy = teg_atomics_busy(&e.atomics);
    out->memory = e.memory.counts;
    for (size_t i = 0; i < (size_t)setup->trace->insn_count * TEG_STALL_COUNT; i++)
        out->stalls[i % TEG_STALL_COUNT] += out->insn_stalls[i];
    clear(&e);
    if (status != WS_OK) teg_result_clear(out);
    return status;
}

void teg_result_clear(struct teg_result *result)
{
    mem_free(result->block_ends);
    mem_free(result->block_issued);
    mem_free(result->insn_stalls);
    *result = (struct teg_result){0};
}

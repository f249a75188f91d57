// SPDX-License-Identifier: Apache-2.0
#include "measure/load_group.h"

#include <stdlib.h>

#include "measure/register_use.h"

struct builder {
    struct load_plan *plan;
    const struct launch_view *launch;
    uint32_t event_count, event_capacity;
    uint32_t *bit_of; /* by register: bit + 1, 0: no load writes it */
};

static bool is_load(const struct insn *insn)
{
    return insn->class_id == CLASS_MEM_GLOBAL_LOAD || insn->class_id == CLASS_MEM_LOCAL_LOAD;
}

static uint32_t number_results(struct builder *b)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < b->launch->code_block_count; i++) {
        const struct code_block *code = &b->launch->code_blocks[i];
        for (uint32_t k = 0; k < code->count; k++) {
            const struct insn *insn = b->launch->insns[code->first + k];
            uint32_t writes[OPERANDS_MAX];
            unsigned count = is_load(insn) ? insn_writes(insn, writes) : 0;
            for (unsigned n = 0; n < count; n++) {
                uint32_t *bit = &b->bit_of[writes[n] + code->vreg_base];
                if (!*bit) *bit = ++bits;
            }
        }
    }
    return bits;
}

/* Registers of one instruction in one word of the bit set make one event. */
static void add_event(struct builder *b, struct load_block *block, enum load_event_what what,
                      uint32_t reg)
{
    uint32_t bit = b->bit_of[reg];
    if (!bit) return;
    uint32_t word = (bit - 1) / 64;
    uint64_t mask = UINT64_C(1) << (bit - 1) % 64;
    GROW(b->plan->events, b->event_count, b->event_capacity);
    b->plan->events[b->event_count++] = (struct load_event){what, word, mask};
    block->event_count++;
}

/* Joins neighbouring reads (or kills) of the same word: their order does not matter. */
static void join_events(struct builder *b, struct load_block *block, uint32_t from)
{
    uint32_t kept = from;
    for (uint32_t i = from; i < b->event_count; i++) {
        struct load_event *event = &b->plan->events[i];
        struct load_event *last = kept > from ? &b->plan->events[kept - 1] : NULL;
        if (last && last->what == event->what && last->word == event->word)
            last->mask |= event->mask;
        else
            b->plan->events[kept++] = *event;
    }
    block->event_count -= b->event_count - kept;
    b->event_count = kept;
}

static void plan_insn(struct builder *b, struct load_block *block, const struct insn *insn,
                      uint32_t base)
{
    uint32_t registers[READS_MAX], from = b->event_count;
    bool load = is_load(insn);
    unsigned count = insn_reads(insn, registers);
    for (unsigned i = 0; i < count; i++)
        add_event(b, block, LOAD_READS, registers[i] + base);
    count = insn_writes(insn, registers);
    for (unsigned i = 0; i < count; i++)
        add_event(b, block, load ? LOAD_OPENS : LOAD_KILLS, registers[i] + base);
    if (load && !count) { /* a load into '_' still is a request */
        GROW(b->plan->events, b->event_count, b->event_capacity);
        b->plan->events[b->event_count++] = (struct load_event){LOAD_OPENS, 0, 0};
        block->event_count++;
    }
    join_events(b, block, from);
    block->loads += load;
    if (load) block->open_event_count = block->event_count;
}

uint32_t load_play(const struct load_plan *plan, const struct load_block *block,
                   struct load_warp *warp)
{
    uint32_t groups = 0;
    const struct load_event *first = plan->events + block->first_event;
    const struct load_event *last_load = first + block->open_event_count;
    for (const struct load_event *event = first; event < first + block->event_count; event++) {
        uint64_t *results = &warp->results[event->word];
        if (event->what == LOAD_OPENS) {
            if (!warp->open) {
                memset(warp->results, 0, plan->word_count * sizeof *warp->results);
                groups++;
            }
            warp->open = true;
            *results |= event->mask;
        } else if (event->what == LOAD_KILLS) {
            *results &= ~event->mask;
        } else if (warp->open && (*results & event->mask)) {
            warp->open = false;
        }
        if (!warp->open && event + 1 >= last_load) break; /* nothing more can happen */
    }
    return groups;
}

/* What the block does when it is entered without an open group. */
static void plan_closed_entry(struct load_plan *plan, struct load_block *block, uint32_t set)
{
    struct load_warp warp = {.results = plan->sets + set};
    block->end_set = set;
    if (block->loads) block->groups = load_play(plan, block, &warp);
    block->open_at_end = warp.open;
}

void load_plan_init(struct load_plan *plan, const struct launch_view *launch)
{
    *plan = (struct load_plan){0};
    struct builder b = {.plan = plan, .launch = launch};
    b.bit_of = mem_zalloc(launch_register_count(launch), sizeof *b.bit_of);
    plan->word_count = number_results(&b) / 64 + 1;
    plan->blocks = mem_zalloc(launch->code_block_count, sizeof *plan->blocks);
    plan->sets =
        mem_zalloc((size_t)launch->code_block_count * plan->word_count, sizeof *plan->sets);
    for (uint32_t i = 0; i < launch->code_block_count; i++) {
        const struct code_block *code = &launch->code_blocks[i];
        struct load_block *block = &plan->blocks[i];
        block->first_event = b.event_count;
        for (uint32_t k = 0; k < code->count; k++)
            plan_insn(&b, block, launch->insns[code->first + k], code->vreg_base);
        plan_closed_entry(plan, block, i * plan->word_count);
    }
    mem_free(b.bit_of);
}

void load_plan_clear(struct load_plan *plan)
{
    mem_free(plan->blocks);
    mem_free(plan->events);
    mem_free(plan->sets);
}

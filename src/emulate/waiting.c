// SPDX-License-Identifier: Apache-2.0
/* Who waits, and where: what is told of a deadlock. */
#include "emulate/waiting.h"

#include <string.h>

#include "emulate/mbarrier.h"
#include "emulate/splits.h"

enum { SHOWN = 12, BLOCKS_SHOWN = 4, STEPS_MAX = 32 };

/* Of a split at a .sync operation: the lanes that it names. */
static void describe_members(struct exec *x, struct warp *warp, uint32_t at, struct strbuf *text)
{
    uint32_t members = meet_members(x, warp, at);
    if (!members) return;
    strbuf_printf(text, ": for the lanes 0x%08x", members);
    if (warp->splits[at].mask & ~members) strbuf_puts(text, ", which do not include them");
}

static void describe_barrier(const struct block *block, const struct split *split,
                             struct strbuf *text)
{
    const struct barrier_state *barrier = &block->barriers[split->barrier];
    uint32_t need = barrier->expected ? barrier->expected : block->threads_alive;
    strbuf_printf(text, ": barrier %u has %u of %u threads", split->barrier, barrier->arrived,
                  need);
}

/* The polling access that a split goes round with, if its loop is plain: from the code block on, by first successors. */
static const struct uop *find_poll(const struct program *program, uint32_t at)
{
    for (unsigned step = 0; step < STEPS_MAX && at != CODE_END; step++) {
        const struct code *code = &program->code[at];
        for (uint32_t i = 0; i < code->uop_count; i++)
            if (code->uops[i].poll) return &code->uops[i];
        at = code->terminator == TERM_BRANCH && (code->backward || code->guard == REF_NONE)
                 ? code->target
                 : code->next;
    }
    return NULL;
}

static uint64_t poll_address(const struct uop *u, const unsigned char *frame, uint32_t lane)
{
    uint64_t address = (uint64_t)u->imm;
    if (!u->has_address) return address;
    const unsigned char *base = frame + (u->src[0] & 0x3fffffff);
    return address + (u->address64 ? ((const uint64_t *)(const void *)base)[lane]
                                   : ((const uint32_t *)(const void *)base)[lane]);
}

/* The value there now; the address is of its space. */
static bool value_at(const struct exec *x, const struct block *block, unsigned space,
                     uint64_t address, unsigned bytes, uint64_t *out)
{
    const unsigned char *from = NULL;
    if (space == SPACE_GENERIC || space == SPACE_NONE) {
        space = window_of(address);
        address = window_offset(address, space);
    }
    if (space == SPACE_SHARED && address + bytes <= x->launch->shared_end)
        from = block->shared + address;
    const struct allocation *allocation =
        space == SPACE_GLOBAL ? devmem_find(x->launch->memory, address) : NULL;
    if (allocation && !allocation->rule &&
        address + bytes <= allocation->address + allocation->bytes)
        from = devmem_host(x->launch->memory, address);
    *out = 0;
    if (!from || bytes > sizeof *out) return false;
    memcpy(out, from, bytes);
    return true;
}

static void describe_mbarrier(uint64_t bits, struct strbuf *text)
{
    struct mbarrier object = mbarrier_of(bits);
    strbuf_printf(text, ": its phase of parity %d lacks %u of %u arrivals", object.phase,
                  object.pending, object.expected);
    if (object.bytes) strbuf_printf(text, " and %d bytes", object.bytes);
}

/* False: none is known. */
static bool describe_poll(struct exec *x, const struct block *block, const struct warp *warp,
                          const struct split *split, struct strbuf *text)
{
    const struct uop *u = find_poll(x->launch->program, split->block);
    bool is_plain = u && !u->has_parts && (!u->has_address || u->src[0] >> 30 == BASE_FRAME);
    if (!is_plain) return false;
    uint64_t value, address = poll_address(u, warp->registers + split->frame->registers,
                                           (uint32_t)__builtin_ctz(split->mask));
    strbuf_printf(text, ": %s with '%s', PTX line %u, address 0x%llx",
                  insn_is_mbarrier_wait(u->insn) ? "wait" : "poll", u->insn->text, u->insn->line,
                  (unsigned long long)address);
    if (!value_at(x, block, u->space, address, u->bytes, &value)) return true;
    if (insn_is_mbarrier_wait(u->insn))
        describe_mbarrier(value, text);
    else
        strbuf_printf(text, ", which holds 0x%llx", (unsigned long long)value);
    return true;
}

/* ---- conditions of loops ---------------------------------------------------------------------- */

/* Has the register of a function a value at the beginning of its basic block? Its slot is another's elsewhere. */
static bool is_live(const struct function *function, uint32_t block, int32_t reg)
{
    for (uint32_t k = 0; k < function->crossing_count; k++)
        if (function->crossing[k] == (uint32_t)reg)
            return (function->blocks[block].live_in[k / 64] >> (k % 64)) & 1;
    return false;
}

/* The operation of the code block that computes the predicate of its branch. */
static const struct uop *find_condition(const struct code *code)
{
    const struct uop *found = NULL;
    for (uint32_t i = 0; i < code->uop_count; i++)
        if (code->uops[i].insn->op == OP_SETP && code->uops[i].dst[0] == code->guard)
            found = &code->uops[i];
    return found;
}

static void describe_source(const struct exec *x, const struct warp *warp,
                            const struct split *split, const struct uop *u, unsigned k,
                            struct strbuf *text)
{
    const struct program_function *of = &x->launch->program->functions[split->frame->function];
    const struct operand *operand = insn_source(u->insn, k);
    uint32_t lane = (uint32_t)__builtin_ctz(split->mask), block = split->block - of->first_block;
    uint64_t value;
    bool is_wide = register_bytes((enum ptx_type)u->insn->type) == 8 * WARP_LANES;
    bool is_word = register_bytes((enum ptx_type)u->insn->type) == 4 * WARP_LANES;
    if (operand->kind == OPERAND_IMMEDIATE) {
        strbuf_printf(text, "%s%lld", k ? ", " : " ", (long long)operand->imm);
        return;
    }
    if (operand->kind != OPERAND_REGISTER) return;
    strbuf_printf(text, "%s%s", k ? ", " : " ", of->function->vregs[operand->reg].name);
    if (!is_live(of->function, block, operand->reg) || u->src[k] >> 30 != BASE_FRAME ||
        (!is_wide && !is_word))
        return;
    const unsigned char *at = warp->registers + split->frame->registers + (u->src[k] & 0x3fffffff);
    value = is_wide ? ((const uint64_t *)(const void *)at)[lane]
                    : ((const uint32_t *)(const void *)at)[lane];
    strbuf_printf(text, " = 0x%llx", (unsigned long long)value);
}

/* The first condition that a split meets from the beginning of its code block on. */
static void describe_condition(const struct exec *x, const struct warp *warp,
                               const struct split *split, struct strbuf *text)
{
    const struct program *program = x->launch->program;
    uint32_t at = split->block;
    for (unsigned step = 0; step < STEPS_MAX && at != CODE_END; step++) {
        const struct code *code = &program->code[at];
        bool is_branch = code->terminator == TERM_BRANCH;
        const struct uop *u = is_branch && code->guard != REF_NONE ? find_condition(code) : NULL;
        if (u) {
            strbuf_printf(text, ": in a loop with the condition '%s', PTX line %u:", u->insn->text,
                          u->insn->line);
            for (unsigned k = 0; k < 2; k++)
                describe_source(x, warp, split, u, k, text);
            return;
        }
        if (is_branch && code->guard != REF_NONE) return;
        at = is_branch ? code->target : code->next;
    }
}

/* ---- groups ----------------------------------------------------------------------------------- */

/* Do they wait at one place for the same? */
static bool is_like(const struct split *a, const struct split *b)
{
    return a->block == b->block && a->state == b->state && a->mask == b->mask &&
           a->barrier == b->barrier;
}

static const struct split *like(const struct warp *warp, const struct split *split)
{
    for (uint32_t i = 0; i < warp->split_count; i++)
        if (is_like(&warp->splits[i], split)) return &warp->splits[i];
    return NULL;
}

/* The warps from w on whose lanes wait as split i of warp w does; 0: an earlier warp's words hold for it. */
static uint32_t count_alike(const struct block *block, uint32_t w, uint32_t i)
{
    const struct split *split = &block->warps[w].splits[i];
    uint32_t count = 1;
    if (split->state == SPLIT_AT_SYNC) return 1;
    if (w && like(&block->warps[w - 1], split)) return 0;
    while (w + count < block->warp_count && like(&block->warps[w + count], split))
        count++;
    return count;
}

static void describe_split(struct exec *x, struct block *block, uint32_t w, uint32_t i,
                           uint32_t count, struct strbuf *text)
{
    struct warp *warp = &block->warps[w];
    const struct split *split = &warp->splits[i];
    const struct insn *last = x->launch->program->code[split->block].last;
    strbuf_printf(text, "%s  warp", text->length ? "\n" : "");
    strbuf_printf(text, count > 1 ? "s %u-%u" : " %u", w, w + count - 1);
    bool waits = split->state != SPLIT_READY || find_poll(x->launch->program, split->block);
    strbuf_printf(text, ", lanes 0x%08x %s at '%s', PTX line %u", split->mask,
                  waits ? "wait" : "are", last->text, last->line);
    if (last->source_line) strbuf_printf(text, " (source line %u)", last->source_line);
    if (split->state == SPLIT_AT_SYNC) describe_members(x, warp, i, text);
    if (split->state == SPLIT_AT_BARRIER) describe_barrier(block, split, text);
    if (split->state == SPLIT_AT_CLUSTER)
        strbuf_printf(text, ": the cluster's barrier has %u of %u threads", block->cluster->arrived,
                      block->cluster->threads_alive);
    if (split->state == SPLIT_AT_PRODUCTS)
        strbuf_printf(text, ": the product lacks %u of the 4 warps of its warpgroup",
                      products_lagging(block, warp));
    if (split->state == SPLIT_READY && !describe_poll(x, block, warp, split, text))
        describe_condition(x, warp, split, text);
}

/* The first place at which the block waits. */
static const struct split *first_of(const struct block *block)
{
    for (uint32_t w = 0; w < block->warp_count; w++)
        if (block->warps[w].split_count) return &block->warps[w].splits[0];
    return NULL;
}

static bool is_block_like(const struct block *a, const struct block *b)
{
    const struct split *x = first_of(a), *y = first_of(b);
    return x && y && x->block == y->block && x->state == y->state;
}

void waiting_describe_blocks(struct exec *x, struct block *blocks, struct strbuf *text)
{
    unsigned shown = 0;
    for (struct block *block = blocks, *end; block && shown < BLOCKS_SHOWN; block = end, shown++) {
        uint64_t more = 0;
        for (end = block->next; end && is_block_like(block, end); end = end->next)
            more++;
        strbuf_printf(text, "%sblock %llu", text->length ? "\n" : "",
                      (unsigned long long)block->index);
        if (more) strbuf_printf(text, ", as do %llu other blocks", (unsigned long long)more);
        strbuf_puts(text, ":");
        x->shared = block->shared;
        waiting_describe(x, block, text);
    }
}

void waiting_describe(struct exec *x, struct block *block, struct strbuf *text)
{
    unsigned shown = 0, more = 0;
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint32_t i = 0; i < block->warps[w].split_count; i++) {
            uint32_t count = count_alike(block, w, i);
            if (!count) continue;
            if (shown++ < SHOWN)
                describe_split(x, block, w, i, count, text);
            else
                more++;
        }
    if (more) strbuf_printf(text, "\n  and %u more", more);
}

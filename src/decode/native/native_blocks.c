// SPDX-License-Identifier: Apache-2.0
/* Where blocks of native code begin and end, and where they go. */
#include "decode/native/native_filling.h"
#include "decode/parser.h"

bool native_is_jump(const struct insn *insn)
{
    return insn->op == OP_BRA || insn->op == OP_N_BRANCH || insn->op == OP_N_BRANCH_DIV ||
           insn->op == OP_N_BRANCH_CONV || insn->op == OP_N_BRANCH_ANY;
}

static bool ends_block(const struct insn *insn)
{
    switch (insn->op) {
    case OP_BRA:
    case OP_N_BRANCH:
    case OP_N_BRANCH_DIV:
    case OP_N_BRANCH_CONV:
    case OP_N_BRANCH_ANY:
    case OP_N_COLLECTIVE:
    case OP_N_JUMP:
    case OP_EXIT:
    case OP_N_EXIT:
    case OP_N_BSYNC:
    case OP_TRAP:
    case OP_BRKPT:
    case OP_BAR:
    case OP_BARRIER:
        return true;
    default:
        return insn->flags & INSN_SYNC;
    }
}

/* UINT32_MAX: no code of the kernel. */
static uint32_t insn_at(const struct kernel *k, uint64_t address)
{
    const struct code_range *range = code_range_find(k->ranges, k->range_count, address);
    if (!range) return UINT32_MAX;
    return range->first_insn + (uint32_t)((address - range->address) / NATIVE_WORD_BYTES);
}

void kernel_find_leaders(const struct filling *f, struct kernel *k)
{
    for (uint32_t i = 0; i < k->insn_count; i++) {
        uint32_t target = k->targets[i] == UINT64_MAX ? UINT32_MAX : insn_at(k, k->targets[i]);
        if (target != UINT32_MAX) k->leads[target] = true;
        if (ends_block(&k->insns[i])) k->leads[i + 1] = true;
        if (native_is_jump(&k->insns[i])) k->insns[i].target = (int32_t)target;
    }
    for (uint32_t n = 0; n < f->cubin->function_count; n++) {
        const struct cubin_function *function = &f->cubin->functions[n];
        if (function->section < 0) continue;
        uint64_t base = f->code_address[function->section];
        uint32_t first = insn_at(k, base + function->offset);
        if (first != UINT32_MAX) k->leads[first] = true;
        for (uint32_t t = 0; t < function->branch_target_count; t++) {
            uint32_t to = insn_at(k, base + function->branch_targets[t]);
            if (to != UINT32_MAX) k->leads[to] = true;
        }
    }
}

static bool goes_on(const struct insn *insn)
{
    bool leaves = insn->op == OP_BRA || insn->op == OP_N_JUMP || insn->op == OP_EXIT;
    return !leaves || insn->guard >= 0;
}

void kernel_make_blocks(const struct filling *f, const struct kernel *k, struct function *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < k->insn_count; i++)
        count += k->leads[i];
    struct basic_block *blocks = ARENA_ARRAY(f->arena, struct basic_block, count + 1);
    uint32_t *block_of = ARENA_ARRAY(f->arena, uint32_t, k->insn_count + 1);
    uint32_t b = 0;
    for (uint32_t i = 0; i < k->insn_count; i++) {
        if (k->leads[i]) blocks[b++] = (struct basic_block){.first = i, .post_dominator = -1};
        blocks[b - 1].count++;
        block_of[i] = b - 1;
    }
    for (b = 0; b < count; b++) {
        struct basic_block *block = &blocks[b];
        const struct insn *last = &k->insns[block->first + block->count - 1];
        if (goes_on(last) && b + 1 < count) block->successors[block->successor_count++] = b + 1;
        if (native_is_jump(last))
            block->successors[block->successor_count++] = block_of[last->target];
    }
    out->block_count = count;
    out->blocks = blocks;
    out->block_of = block_of;
    uint32_t *numbers = mem_zalloc(2 * (size_t)NATIVE_VREGS, sizeof *numbers);
    for (b = 0; b < count; b++)
        blocks[b].critical_path = function_critical_path(out, b, numbers, numbers + NATIVE_VREGS);
    mem_free(numbers);
}

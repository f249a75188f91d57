// SPDX-License-Identifier: Apache-2.0
/* From who follows whom to basic blocks in the order of their addresses, and to a module that
 * observers can read. */
#include <stdlib.h>
#include <string.h>

#include "replay/sass_code.h"

/* Does `insn` go on in the block of the one before it? */
static bool continues(const struct sass_code *code, const struct code_insn *insn)
{
    if (insn->previous >= code->count) return false;
    const struct code_insn *before = &code->insns[insn->previous];
    return before->next == (uint32_t)(insn - code->insns) && before->flow == SASS_FLOW_STRAIGHT;
}

struct leader {
    uint64_t pc;
    uint32_t insn;
};

static int compare_leaders(const void *a, const void *b)
{
    const struct leader *left = a, *right = b;
    if (left->pc != right->pc) return left->pc < right->pc ? -1 : 1;
    return left->insn < right->insn ? -1 : left->insn > right->insn;
}

static struct leader *find_leaders(struct sass_code *code, uint32_t *out_count)
{
    struct leader *leaders = mem_alloc((code->count + 1) * sizeof *leaders);
    uint32_t count = 0;
    for (uint32_t i = 0; i < code->count; i++) {
        struct code_insn *insn = &code->insns[i];
        insn->is_first = !continues(code, insn);
        if (insn->is_first) leaders[count++] = (struct leader){insn->pc, i};
    }
    qsort(leaders, count, sizeof *leaders, compare_leaders);
    *out_count = count;
    return leaders;
}

/* The instructions of a block in a row; returns how many. */
static uint32_t place_block(struct sass_code *code, uint32_t block, uint32_t leader, uint32_t first,
                            struct insn *insns)
{
    uint32_t count = 0;
    for (uint32_t at = leader;;) {
        struct code_insn *insn = &code->insns[at];
        insn->index = first + count;
        insn->block = block;
        insns[first + count++] = insn->insn;
        if (insn->next >= code->count || code->insns[insn->next].is_first) return count;
        at = insn->next;
    }
}

static struct basic_block *place_blocks(struct sass_code *code, struct insn *insns)
{
    struct leader *leaders = find_leaders(code, &code->block_count);
    struct basic_block *blocks = ARENA_ARRAY(&code->arena, struct basic_block, code->block_count);
    code->code_blocks = ARENA_ARRAY(&code->arena, struct code_block, code->block_count);
    uint32_t first = 0;
    for (uint32_t i = 0; i < code->block_count; i++) {
        uint32_t count = place_block(code, i, leaders[i].insn, first, insns);
        blocks[i] = (struct basic_block){.first = first, .count = count, .post_dominator = -1};
        code->code_blocks[i] = (struct code_block){
            .first = first, .count = count, .function = &code->function, .block = &blocks[i]};
        first += count;
    }
    mem_free(leaders);
    return blocks;
}

static void find_critical_paths(struct sass_code *code, struct basic_block *blocks)
{
    uint32_t numbers[2][SASS_VREGS] = {0};
    for (uint32_t i = 0; i < code->block_count; i++)
        blocks[i].critical_path =
            function_critical_path(&code->function, i, numbers[0], numbers[1]);
}

static void fill_module(struct sass_code *code, const char *path,
                        const struct replay_header *header)
{
    struct arena *arena = &code->arena;
    code->module = (struct module){
        .path = arena_copy(arena, path),
        .target = header->target,
        .target_name = arena_format(arena, "sm_%u", header->target),
        .native = arena_format(arena, "sass sm_%u, %strace version %u", header->target,
                               header->is_ours ? "our " : "", header->version),
        .address_bits = 64,
        .function_count = 1,
        .functions = &code->function,
    };
}

void sass_code_layout(struct sass_code *code, const char *path, const struct replay_header *header)
{
    struct arena *arena = &code->arena;
    struct insn *insns = ARENA_ARRAY(arena, struct insn, code->count);
    struct vreg *vregs = ARENA_ARRAY(arena, struct vreg, SASS_VREGS);
    for (unsigned i = 0; i < SASS_VREGS; i++)
        vregs[i] =
            (struct vreg){i ? arena_format(arena, "R%u", i - 1) : "P?", i ? TYPE_B32 : TYPE_PRED};
    struct basic_block *blocks = place_blocks(code, insns);
    code->order = ARENA_ARRAY(arena, const struct insn *, code->count);
    uint32_t *block_of = ARENA_ARRAY(arena, uint32_t, code->count);
    for (uint32_t i = 0; i < code->count; i++) {
        code->order[i] = &insns[i];
        block_of[code->insns[i].index] = code->insns[i].block;
    }
    code->function = (struct function){
        .name = arena_copy(arena, header->name),
        .display_name = arena_copy(arena, header->display_name),
        .is_entry = true,
        .is_defined = true,
        .vreg_count = SASS_VREGS,
        .vregs = vregs,
        .insn_count = code->count,
        .insns = insns,
        .block_count = code->block_count,
        .blocks = blocks,
        .block_of = block_of,
    };
    find_critical_paths(code, blocks);
    fill_module(code, path, header);
}

// SPDX-License-Identifier: Apache-2.0
#include "measure/dependence.h"

#include <stdlib.h>
#include <string.h>

#include "measure/register_use.h"

/* What is collected while the plan is made. Registers are numbered through the launch. */
struct builder {
    struct dep_plan *plan;
    const struct launch_view *launch;
    uint32_t group_count, group_capacity, write_count, write_capacity;
    uint32_t register_count, register_capacity, table_capacity;
    uint32_t *written_in, *written_at; /* by register: code block + 1, position of the last write */
    uint32_t *slot_of;                 /* by register: slot + 1, 0: lives in no group */
    uint32_t *newest, bucket_mask;     /* by hash of what is read: group + 1 */
    uint32_t *older, older_capacity;   /* by group: the one before it of the same hash, + 1 */
};

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static bool same_registers(const struct builder *b, const struct dep_group *group,
                           const uint32_t *reads, unsigned count)
{
    if (group->register_count != count) return false;
    return !memcmp(b->plan->registers + group->first_register, reads, count * sizeof *reads);
}

static uint32_t hash_registers(const uint32_t *reads, unsigned count)
{
    uint64_t hash = count;
    for (unsigned i = 0; i < count; i++) {
        hash = (hash ^ reads[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

/* Buckets for as many groups as the largest block may have. */
static void make_buckets(struct builder *b)
{
    uint32_t most = 1, buckets = 1;
    for (uint32_t i = 0; i < b->launch->code_block_count; i++)
        if (b->launch->code_blocks[i].count > most) most = b->launch->code_blocks[i].count;
    while (buckets < most && buckets < UINT32_C(1) << 31)
        buckets *= 2;
    b->newest = mem_zalloc(buckets, sizeof *b->newest);
    b->bucket_mask = buckets - 1;
}

/* The group of this block that reads exactly these registers (in this order). Groups of blocks before
 * it stand behind its own in each list. */
static struct dep_group *find_group(struct builder *b, struct dep_block *block,
                                    const uint32_t *reads, unsigned count, uint32_t position)
{
    struct dep_plan *plan = b->plan;
    uint32_t *newest = &b->newest[hash_registers(reads, count) & b->bucket_mask];
    for (uint32_t i = *newest; i > block->first_group; i = b->older[i - 1])
        if (same_registers(b, &plan->groups[i - 1], reads, count)) return &plan->groups[i - 1];
    GROW(b->older, b->group_count, b->older_capacity);
    b->older[b->group_count] = *newest;
    *newest = b->group_count + 1;
    GROW(plan->groups, b->group_count, b->group_capacity);
    GROW(plan->tables, b->group_count, b->table_capacity);
    memset(plan->tables[b->group_count], 0, sizeof *plan->tables);
    struct dep_group *group = &plan->groups[b->group_count++];
    *group = (struct dep_group){b->register_count, count, 0, position};
    for (unsigned i = 0; i < count; i++) {
        GROW(plan->registers, b->register_count, b->register_capacity);
        plan->registers[b->register_count++] = reads[i];
    }
    block->group_count++;
    return group;
}

static void add_to_group(struct builder *b, struct dep_block *block, const uint32_t *reads,
                         unsigned count, uint32_t position)
{
    struct dep_group *group = find_group(b, block, reads, count, position);
    group->insn_count++;
    uint32_t *table = b->plan->tables[group - b->plan->groups];
    for (uint32_t distance = 1; distance < DISTANCE_MAX; distance++)
        table[distance] += least(DISTANCE_MAX, distance + position);
    for (unsigned i = 0; i < count; i++) {
        if (!b->slot_of[reads[i]]) b->slot_of[reads[i]] = ++b->plan->slot_count;
    }
}

/* A producer in the block is nearer than any before it. */
static void plan_insn(struct builder *b, uint32_t code_block, uint32_t position)
{
    const struct code_block *code = &b->launch->code_blocks[code_block];
    struct dep_block *block = &b->plan->blocks[code_block];
    const struct insn *insn = b->launch->insns[code->first + position];
    uint32_t reads[READS_MAX], nearest = UINT32_MAX;
    unsigned count = insn_reads(insn, reads);
    for (unsigned i = 0; i < count; i++) {
        reads[i] += code->vreg_base;
        if (b->written_in[reads[i]] == code_block + 1)
            nearest = least(nearest, position - b->written_at[reads[i]]);
    }
    if (nearest != UINT32_MAX) {
        block->distance += least(DISTANCE_MAX, nearest);
        block->consumers++;
    } else if (count) {
        add_to_group(b, block, reads, count, position);
    }
    uint32_t writes[OPERANDS_MAX];
    unsigned write_count = insn_writes(insn, writes);
    for (unsigned i = 0; i < write_count; i++) {
        b->written_in[writes[i] + code->vreg_base] = code_block + 1;
        b->written_at[writes[i] + code->vreg_base] = position;
    }
}

/* Last writes of the block to registers that some group reads; found from its end. */
static void plan_writes(struct builder *b, uint32_t code_block)
{
    const struct code_block *code = &b->launch->code_blocks[code_block];
    struct dep_block *block = &b->plan->blocks[code_block];
    block->first_write = b->write_count;
    for (uint32_t position = code->count; position-- > 0;) {
        uint32_t writes[OPERANDS_MAX];
        unsigned count = insn_writes(b->launch->insns[code->first + position], writes);
        for (unsigned i = 0; i < count; i++) {
            uint32_t reg = writes[i] + code->vreg_base;
            if (!b->slot_of[reg] || b->written_in[reg] == code_block + 1) continue;
            b->written_in[reg] = code_block + 1;
            GROW(b->plan->writes, b->write_count, b->write_capacity);
            b->plan->writes[b->write_count++] = (struct dep_write){b->slot_of[reg] - 1, position};
        }
    }
    block->write_count = b->write_count - block->first_write;
}

void dep_plan_init(struct dep_plan *plan, const struct launch_view *launch)
{
    *plan = (struct dep_plan){0};
    uint32_t registers = launch_register_count(launch);
    struct builder b = {.plan = plan, .launch = launch};
    b.written_in = mem_zalloc(registers, sizeof *b.written_in);
    b.written_at = mem_zalloc(registers, sizeof *b.written_at);
    b.slot_of = mem_zalloc(registers, sizeof *b.slot_of);
    plan->blocks = mem_zalloc(launch->code_block_count, sizeof *plan->blocks);
    make_buckets(&b);
    for (uint32_t i = 0; i < launch->code_block_count; i++) {
        plan->blocks[i].insn_count = launch->code_blocks[i].count;
        plan->blocks[i].first_group = b.group_count;
        for (uint32_t k = 0; k < launch->code_blocks[i].count; k++)
            plan_insn(&b, i, k);
    }
    memset(b.written_in, 0, registers * sizeof *b.written_in);
    for (uint32_t i = 0; i < launch->code_block_count; i++)
        plan_writes(&b, i);
    for (uint32_t i = 0; i < b.register_count; i++)
        plan->registers[i] = b.slot_of[plan->registers[i]] - 1;
    /* A kernel without registers has empty arrays, not none: null plus 0 is not defined. */
    GROW(plan->groups, b.group_count, b.group_capacity);
    GROW(plan->writes, b.write_count, b.write_capacity);
    mem_free(b.written_in);
    mem_free(b.written_at);
    mem_free(b.slot_of);
    mem_free(b.newest);
    mem_free(b.older);
}

void dep_plan_clear(struct dep_plan *plan)
{
    mem_free(plan->blocks);
    mem_free(plan->groups);
    mem_free(plan->writes);
    mem_free(plan->registers);
    mem_free(plan->tables);
}

void dep_warp_rebase(const struct dep_plan *plan, struct dep_warp *warp)
{
    uint32_t shift = warp->now - 2 * DISTANCE_MAX;
    for (uint32_t i = 0; i < plan->slot_count; i++) {
        if (warp->last[i]) warp->last[i] = warp->last[i] > shift ? warp->last[i] - shift : 1;
    }
    warp->now -= shift;
}

// SPDX-License-Identifier: Apache-2.0
#include "measure/native_plan.h"

#include "base/memory.h"
#include "measure/register_use.h"

static void count_uses(struct planner *p, bool writes_down)
{
    for (uint32_t i = 0; i < p->launch->code_block_count; i++) {
        const struct code_block *code = &p->launch->code_blocks[i];
        for (uint32_t pc = code->first; pc < code->first + code->count; pc++) {
            uint32_t reads[READS_MAX], writes[OPERANDS_MAX];
            unsigned read_count = insn_reads(insn_at(p, pc), reads);
            unsigned write_count = insn_writes(insn_at(p, pc), writes);
            p->block_of[pc] = i;
            for (unsigned k = 0; k < read_count; k++) {
                struct usage *usage = &p->usages[code->vreg_base + reads[k]];
                if (writes_down) p->readers[usage->first_reader + usage->reader_count] = pc;
                usage->reader_count++;
            }
            for (unsigned k = 0; k < write_count && !writes_down; k++) {
                struct usage *usage = &p->usages[code->vreg_base + writes[k]];
                usage->writes++;
                usage->definition = pc;
            }
        }
    }
}

static void find_uses(struct planner *p)
{
    count_uses(p, false);
    uint32_t all = 0;
    for (uint32_t i = 0; i < p->register_count; i++) {
        p->usages[i].first_reader = all;
        all += p->usages[i].reader_count;
        p->usages[i].reader_count = 0;
    }
    p->readers = mem_alloc((all + 1) * sizeof *p->readers);
    count_uses(p, true);
}

/* Does it make values that differ between lanes, of whatever it reads? */
static bool parts_lanes(const struct insn *insn)
{
    unsigned family = op_infos[insn->op].family;
    for (unsigned i = 0; i < insn->nsrc; i++) {
        const struct operand *source = insn_source(insn, i);
        bool is_of_block = source->reg >= SREG_NTID_X && source->reg <= SREG_NCTAID_W;
        if (source->kind == OPERAND_SPECIAL && !is_of_block) return true;
    }
    bool is_volatile_load = family == FAMILY_LOAD && insn->semantics != MEM_WEAK;
    bool is_local = insn->space == SPACE_LOCAL || insn->space == SPACE_GENERIC;
    return is_volatile_load || (family == FAMILY_LOAD && is_local) || family == FAMILY_ATOMIC ||
           family == FAMILY_SHUFFLE || family == FAMILY_TENSOR || insn->op == OP_CALL;
}

/* What loops carry, and what all lanes load from one address, does not differ for that alone. */
static bool *find_varying(const struct planner *p)
{
    bool *varying = mem_zalloc(p->register_count + (size_t)1, sizeof *varying);
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t pc = 0; pc < p->launch->insn_count; pc++) {
            uint32_t reads[READS_MAX], writes[OPERANDS_MAX], base = base_of(p, pc);
            unsigned read_count = insn_reads(insn_at(p, pc), reads);
            unsigned write_count = insn_writes(insn_at(p, pc), writes);
            bool varies = parts_lanes(insn_at(p, pc));
            for (unsigned i = 0; i < read_count; i++)
                varies |= varying[base + reads[i]];
            for (unsigned i = 0; i < write_count && varies; i++) {
                changes |= !varying[base + writes[i]];
                varying[base + writes[i]] = true;
            }
        }
    }
    return varying;
}

void native_plan_init(struct planner *p, const struct launch_view *launch, struct insn_view *views)
{
    uint32_t registers = launch_register_count(launch);
    *p = (struct planner){.launch = launch,
                          .views = views,
                          .block_of = mem_zalloc(launch->insn_count + 1, sizeof *p->block_of),
                          .register_count = registers,
                          .usages = mem_zalloc(registers + 1, sizeof *p->usages),
                          .is_merged = mem_zalloc(launch->insn_count + 1, sizeof *p->is_merged)};
    find_uses(p);
    p->varying = find_varying(p);
}

void native_plan_clear(struct planner *p)
{
    mem_free(p->block_of);
    mem_free(p->usages);
    mem_free(p->readers);
    mem_free(p->is_merged);
    mem_free(p->varying);
}

unsigned uses_as_value(const struct insn *insn, int32_t reg)
{
    unsigned count = insn->guard == reg;
    for (unsigned i = 0; i < insn->nsrc; i++)
        count += insn_source(insn, i)->kind == OPERAND_REGISTER && insn_source(insn, i)->reg == reg;
    return count;
}

bool every_reader(const struct planner *p, uint32_t pc, reader_test *test)
{
    const struct usage *result = result_of(p, pc);
    for (uint32_t i = 0; i < result->reader_count; i++)
        if (!test(p, p->readers[result->first_reader + i], result_register(p, pc))) return false;
    return true;
}

enum { DEEPEST = 4 };

static bool is_address_within(const struct planner *p, uint32_t pc, unsigned depth);

static bool leads_to_address(const struct planner *p, uint32_t reader, int32_t reg, unsigned depth)
{
    const struct insn *insn = insn_at(p, reader);
    if (uses_as_value(insn, reg) == 0) return true;
    bool is_added = insn->op == OP_ADD && (is_sum(insn, 32) || is_sum(insn, 64));
    return is_added && depth < DEEPEST && is_value(p, reader) &&
           is_address_within(p, reader, depth + 1);
}

/* Is it read as the base of accesses only, or in additions that make such bases? A constant in it can then be one
 * of the accesses. */
static bool is_address_within(const struct planner *p, uint32_t pc, unsigned depth)
{
    const struct usage *result = result_of(p, pc);
    for (uint32_t i = 0; i < result->reader_count; i++)
        if (!leads_to_address(p, p->readers[result->first_reader + i], result_register(p, pc),
                              depth))
            return false;
    return true;
}

bool is_address(const struct planner *p, uint32_t reader, int32_t reg)
{
    return leads_to_address(p, reader, reg, 0);
}

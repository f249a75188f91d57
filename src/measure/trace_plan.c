// SPDX-License-Identifier: Apache-2.0
#include "measure/trace_plan.h"

#include <stdlib.h>
#include <string.h>

#include "isa/matrix.h"
#include "isa/sass.h"
#include "measure/isa_view.h"
#include "measure/register_use.h"
#include "measure/uniform.h"

enum { REGISTERS_MAX = READS_MAX + OPERANDS_MAX + 2 };
#define NO_REGISTER UINT32_MAX
#define NOT_FOLDED UINT32_MAX

struct planner {
    struct trace_plan *plan;
    const struct launch_view *launch;
    struct trace_builder *builder;
    struct insn_view *views; /* by launch instruction; NULL: no view */
    uint32_t register_count; /* of the launch, the carry not counted */
    uint32_t *dense;         /* by register of the launch; the last is the carry */
    uint32_t dense_count;
    uint32_t
        *folded_by; /* by register: the instruction that would write it and folds, or NOT_FOLDED */
    bool *uniform;  /* by register: uniform.h; NULL until an atomic asks */
    uint32_t item_capacity;
};

/* An instruction and the registers of it, as numbers of the trace. */
struct draft {
    struct trace_insn insn;
    uint32_t reads[REGISTERS_MAX], writes[REGISTERS_MAX];
    unsigned read_count, write_count;
};

/* ---- registers ------------------------------------------------------------------------------- */

static void add_once(uint32_t *list, unsigned *count, uint32_t reg)
{
    for (unsigned i = 0; i < *count; i++)
        if (list[i] == reg) return;
    if (*count < REGISTERS_MAX) list[(*count)++] = reg;
}

static uint32_t dense_register(struct planner *p, uint32_t reg)
{
    if (p->dense[reg] == NO_REGISTER) p->dense[reg] = p->dense_count++;
    return p->dense[reg];
}

/* A register, or what is read instead of it where the instruction that makes it folds. Each of those is written
 * once, but the code may go round in a circle of them: deeper than any expression it stops. */
static void draft_read(struct planner *p, const struct code_block *code, uint32_t reg,
                       unsigned depth, struct draft *draft)
{
    enum { DEEPEST = 16 };
    uint32_t folded = p->folded_by[reg], reads[READS_MAX];
    if (folded == NOT_FOLDED) {
        add_once(draft->reads, &draft->read_count, dense_register(p, reg));
        return;
    }
    if (depth == DEEPEST) return;
    unsigned count = insn_reads(p->launch->insns[folded], reads);
    if (p->launch->insns[folded]->class_id == CLASS_MEM_PARAM_LOAD)
        draft->insn.reads_parameters = true;
    for (unsigned i = 0; i < count; i++)
        draft_read(p, code, code->vreg_base + reads[i], depth + 1, draft);
}

/* Reads of an instruction; the value of a folded load stands for that load's address. Returns the
 * launch instruction of that load, or NOT_FOLDED. */
static uint32_t draft_reads(struct planner *p, const struct code_block *code,
                            const struct insn *insn, struct draft *draft)
{
    uint32_t reads[READS_MAX], load = NOT_FOLDED;
    unsigned count = insn_reads(insn, reads);
    for (unsigned i = 0; i < count; i++) {
        uint32_t reg = code->vreg_base + reads[i], folded = p->folded_by[reg];
        bool is_load = folded != NOT_FOLDED && p->views[folded].fold == VIEW_SHARED_LOAD;
        if (is_load) load = folded;
        draft_read(p, code, reg, 0, draft);
    }
    bool reads_carry = insn->op == OP_ADDC || insn->op == OP_SUBC || insn->op == OP_MADC;
    if (reads_carry)
        add_once(draft->reads, &draft->read_count, dense_register(p, p->register_count));
    return load;
}

static void draft_writes(struct planner *p, const struct code_block *code, const struct insn *insn,
                         struct draft *draft)
{
    uint32_t writes[OPERANDS_MAX];
    unsigned count = insn_writes(insn, writes);
    for (unsigned i = 0; i < count; i++)
        add_once(draft->writes, &draft->write_count,
                 dense_register(p, code->vreg_base + writes[i]));
    if (insn->flags & INSN_CC)
        add_once(draft->writes, &draft->write_count, dense_register(p, p->register_count));
}

/* ---- one instruction ------------------------------------------------------------------------- */

/* A texture fetch has none: which texels it reads is up to the texture. Nor has what moves a constant that its own word
 * names (ULDC), or a load that is never executed (@!PT LDS, behind LDGSTS). */
static bool is_access(const struct insn *insn)
{
    return insn->op != OP_MOV && insn->op != OP_N_NOP &&
           op_infos[insn->op].family != FAMILY_TEXTURE && insn->class_id >= CLASS_MEM_GLOBAL_LOAD &&
           insn->class_id <= CLASS_MEM_SURFACE_ATOMIC;
}

/* That of a cluster is as a barrier of its block, apart from the others. */
static void draft_barrier(const struct insn *insn, struct trace_insn *out)
{
    enum { CLUSTER_BARRIER = 15 };
    if (insn->op == OP_CLUSTER_WAIT) {
        out->barrier = TRACE_BARRIER_SYNC;
        out->barrier_id = CLUSTER_BARRIER;
    }
    if (insn->op != OP_BAR && insn->op != OP_BARRIER) return;
    out->barrier = insn->sub_op == SUB_WARP_SYNC ? TRACE_BARRIER_WARP
                   : insn->sub_op == SUB_ARRIVE  ? TRACE_BARRIER_ARRIVE
                                                 : TRACE_BARRIER_SYNC;
    if (out->barrier == TRACE_BARRIER_WARP) return;
    const struct operand *id = insn_source(insn, 0);
    bool constant = id->kind == OPERAND_IMMEDIATE && id->imm >= 0 && id->imm < 16;
    out->barrier_id = constant ? (uint8_t)id->imm : TRACE_BARRIER_ID_UNKNOWN;
    /* bar.red's last source is its predicate. */
    bool reduces = insn->sub_op >= SUB_RED_POPC && insn->sub_op <= SUB_RED_OR;
    if (insn->nsrc < 2u + reduces) return;
    const struct operand *threads = insn_source(insn, 1);
    if (threads->kind == OPERAND_NONE) return;
    constant = threads->kind == OPERAND_IMMEDIATE && threads->imm >= 0 && threads->imm <= 1024;
    out->barrier_threads = constant ? (uint16_t)threads->imm : TRACE_BARRIER_UNKNOWN;
}

/* Native code's asynchronous copies, told by their names. */
static void draft_copy(const struct insn *insn, struct trace_insn *out)
{
    const struct sass_op *op = sass_find(insn->text);
    if (!op) return;
    if (!strcmp(op->name, "LDGSTS")) out->flags |= TRACE_TO_SHARED;
    if (!strcmp(op->name, "LDGDEPBAR")) out->flags |= TRACE_COPY_COMMIT;
    if (strcmp(op->name, "DEPBAR") != 0) return;
    out->flags |= TRACE_COPY_WAIT;
    const struct operand *open = insn_source(insn, 0);
    bool is_told = open->kind == OPERAND_IMMEDIATE && open->imm >= 0 && open->imm < UINT8_MAX;
    out->barrier_id = is_told ? (uint8_t)open->imm : 0;
}

static void draft_async(const struct insn *insn, struct trace_insn *out)
{
    bool is_object = op_infos[insn->op].form == FORM_MBARRIER && insn->op != OP_MBARRIER_INIT &&
                     insn->op != OP_MBARRIER_INVAL;
    if (insn->bulk && out->operation != TRACE_NO_ACCESS) out->async = TRACE_BULK;
    if (is_object) out->async = insn_is_mbarrier_wait(insn) ? TRACE_PHASE_WAIT : TRACE_PHASE;
    if (out->async == TRACE_PHASE_WAIT) out->operation = TRACE_LOAD;
    if (insn->op == OP_WGMMA) {
        out->async = TRACE_PRODUCT;
        out->product_bytes = (uint16_t)matrix_shared_bytes(insn->matrix);
    }
    if (insn->op == OP_BULK_COMMIT || insn->op == OP_WGMMA_COMMIT) out->flags |= TRACE_COPY_COMMIT;
    if (insn->op != OP_BULK_WAIT && insn->op != OP_WGMMA_WAIT) return;
    uint64_t open = insn->op == OP_BULK_WAIT ? insn->groups : (uint64_t)insn_source(insn, 0)->imm;
    out->flags |= TRACE_COPY_WAIT;
    out->barrier_id = open < UINT8_MAX ? (uint8_t)open : UINT8_MAX;
}

/* Native code reads parameters where it needs them. */
static bool reads_bank(const struct insn *insn)
{
    for (unsigned i = 0; i < insn->nsrc; i++)
        if (insn_source(insn, i)->kind == OPERAND_BANK) return true;
    return false;
}

static void draft_insn(const struct planner *p, uint32_t pc, struct trace_insn *out)
{
    const struct insn *insn = p->launch->insns[pc];
    const struct module *module = p->launch->module;
    *out = (struct trace_insn){.pc = pc,
                               .access_pc = pc,
                               .line = insn->line,
                               .source_line = insn->source_line,
                               .op = insn->text,
                               .class_id = insn->class_id,
                               .guarded = insn->guard >= 0,
                               .reads_parameters = insn->control.is_set && reads_bank(insn),
                               .control = insn->control,
                               .clock_reads = (uint8_t)insn_clock_reads(insn)};
    if (insn->source_file && insn->source_file < module->file_count)
        out->file = module->files[insn->source_file];
    if (is_access(insn)) {
        out->operation = (uint8_t)(TRACE_LOAD + (insn->class_id - CLASS_MEM_GLOBAL_LOAD) % 3);
        out->space = insn->space;
        out->bytes = (uint8_t)insn_access_bytes(insn);
        out->cache_op = insn->cache_op;
        out->semantics = insn->semantics;
        if (insn->flags & INSN_NC) out->flags |= TRACE_READ_ONLY;
    }
    if (insn->op == OP_EXIT || insn->op == OP_RET) out->flags |= TRACE_EXIT;
    if (insn->op == OP_BRA || insn->op == OP_BRX) out->flags |= TRACE_BRANCH;
    draft_barrier(insn, out);
    draft_copy(insn, out);
    draft_async(insn, out);
}

/* The access of a load that became an operand. */
static void add_shared_operand(struct trace_insn *out, const struct insn *load, uint32_t load_pc)
{
    out->operation = TRACE_LOAD;
    out->space = SPACE_SHARED;
    out->bytes = (uint8_t)insn_access_bytes(load);
    out->access_pc = load_pc;
    out->flags |= TRACE_SHARED_OPERAND;
}

static uint32_t add_draft(struct planner *p, const struct draft *draft)
{
    return trace_builder_add_insn(p->builder, &draft->insn, draft->reads, draft->read_count,
                                  draft->writes, draft->write_count);
}

static void add_item(struct planner *p, const struct trace_insn *insn, uint32_t pc, uint32_t load)
{
    struct trace_plan *plan = p->plan;
    bool accesses = insn->operation != TRACE_NO_ACCESS;
    if (!insn->guarded && !accesses) return;
    GROW(plan->items, plan->item_count, p->item_capacity);
    uint32_t site = accesses ? plan->site_count++ : TRACE_NO_SITE;
    plan->items[plan->item_count] =
        (struct trace_item){insn->guarded, trace_accesses_most(insn), site};
    if (insn->guarded) plan->guard_items[pc] = plan->item_count;
    if (accesses) plan->access_items[load == NOT_FOLDED ? pc : load] = plan->item_count;
    plan->item_count++;
}

/* Several instructions instead of one, each of which waits for the one before: a product of words
 * is put together from products of halves (isa_view.def). */
static void add_sequence(struct planner *p, uint32_t pc, struct draft *draft, uint32_t load)
{
    const struct view_part *parts = p->views[pc].parts;
    unsigned reads = draft->read_count;
    bool first = true;
    for (unsigned i = 0; i < VIEW_PARTS; i++) {
        for (unsigned k = 0; k < parts[i].count; k++) {
            draft->insn.class_id = parts[i].class_id;
            add_draft(p, draft);
            if (first) add_item(p, &draft->insn, pc, load);
            first = false;
            draft->insn.operation = TRACE_NO_ACCESS;
            draft->insn.flags &= (uint8_t) ~(TRACE_SHARED_OPERAND | TRACE_BRANCH);
            draft->insn.guarded = false;
            draft->insn.clock_reads = 0;
            draft->read_count = reads;
            for (unsigned r = 0; r < draft->write_count; r++)
                add_once(draft->reads, &draft->read_count, draft->writes[r]);
        }
    }
}

/* An access that others became part of has their values, too. */
static void draft_merged(struct planner *p, const struct code_block *code, uint32_t pc,
                         struct draft *draft)
{
    draft->insn.bytes = p->views[pc].merged_bytes;
    for (uint32_t next = p->views[pc].merged_next; next; next = p->views[next - 1].merged_next) {
        const struct insn *insn = p->launch->insns[next - 1];
        for (unsigned i = 1; i < insn->nsrc; i++) {
            const struct operand *source = insn_source(insn, i);
            if (source->kind == OPERAND_REGISTER && source->reg >= 0)
                draft_read(p, code, code->vreg_base + (uint32_t)source->reg, 0, draft);
        }
        draft_writes(p, code, insn, draft);
    }
}

static bool is_added_up(struct planner *p, const struct code_block *code, const struct insn *insn)
{
    if (counts_lanes(insn)) return true;
    if (insn->class_id != CLASS_MEM_GLOBAL_ATOMIC) return false;
    if (!p->uniform) p->uniform = uniform_registers(p->launch, p->register_count);
    return uniform_atomic(p->uniform, code, insn);
}

static void plan_insn(struct planner *p, const struct code_block *code, uint32_t pc)
{
    const struct insn_view *view = p->views ? &p->views[pc] : NULL;
    struct draft draft = {0};
    if (view && view->fold != VIEW_PLAIN) return;
    const struct insn *insn = p->launch->insns[pc];
    draft_insn(p, pc, &draft.insn);
    if (view && view->guard_branch) draft.insn.guarded = true;
    if (is_added_up(p, code, insn)) draft.insn.flags |= TRACE_ADDED_UP;
    /* Whoever uses sums of wgmma waits for its group: those that it adds to need not be there. */
    bool is_product = draft.insn.async == TRACE_PRODUCT;
    uint32_t load = is_product ? NOT_FOLDED : draft_reads(p, code, insn, &draft);
    if (view && view->guard_branch)
        draft_read(p, code,
                   code->vreg_base + (uint32_t)p->launch->insns[view->guard_branch - 1]->guard, 0,
                   &draft);
    if (!is_product) draft_writes(p, code, insn, &draft);
    if (view && view->merged_bytes) draft_merged(p, code, pc, &draft);
    if (load != NOT_FOLDED) add_shared_operand(&draft.insn, p->launch->insns[load], load);
    if (view) draft.insn.every = view->every;
    if (view && view->is_sequence && insn->class_id == CLASS_MEM_PARAM_LOAD)
        draft.insn.operation = TRACE_NO_ACCESS; /* it became a move */
    if (view && view->is_sequence) {
        add_sequence(p, pc, &draft, load);
        return;
    }
    add_draft(p, &draft);
    add_item(p, &draft.insn, pc, load);
}

/* ---- the launch ------------------------------------------------------------------------------ */

/* What folds, by the register that it would have written. */
static void find_folds(struct planner *p)
{
    for (uint32_t i = 0; i <= p->register_count; i++) {
        p->dense[i] = NO_REGISTER;
        p->folded_by[i] = NOT_FOLDED;
    }
    for (uint32_t i = 0; p->views && i < p->launch->code_block_count; i++) {
        const struct code_block *code = &p->launch->code_blocks[i];
        for (uint32_t pc = code->first; pc < code->first + code->count; pc++) {
            uint32_t writes[OPERANDS_MAX];
            unsigned count = insn_writes(p->launch->insns[pc], writes);
            unsigned fold = p->views[pc].fold;
            for (unsigned k = 0; k < count && fold != VIEW_PLAIN && fold != VIEW_MERGED; k++)
                p->folded_by[code->vreg_base + writes[k]] = pc;
        }
    }
}

/* Of the code block with the branch around it: the one in front of it, or, of the second side, before that. */
static void add_follower(struct planner *p, uint32_t index)
{
    const struct insn_view *view = &p->views[p->launch->code_blocks[index].first];
    uint32_t leader = index - 1;
    if (view->guard_branch)
        while (view->guard_branch - 1 < p->launch->code_blocks[leader].first)
            leader--;
    struct trace_plan_block *of = &p->plan->blocks[leader];
    of->followers[of->follower_count++] = index;
    p->plan->blocks[index].is_guarded = view->guard_branch != 0;
    p->plan->has_followers = true;
}

static void plan_block(struct planner *p, uint32_t index, uint32_t *next_insn)
{
    const struct code_block *code = &p->launch->code_blocks[index];
    struct trace_plan_block *block = &p->plan->blocks[index];
    block->first = *next_insn;
    block->first_item = p->plan->item_count;
    for (uint32_t pc = code->first; pc < code->first + code->count; pc++) {
        const struct insn_view *view = p->views ? &p->views[pc] : NULL;
        plan_insn(p, code, pc);
        block->reorders |= view && view->fold == VIEW_SHARED_LOAD;
        *next_insn += isa_view_issued(view);
    }
    if (p->views && p->views[code->first].issued_with) add_follower(p, index);
    block->count = *next_insn - block->first;
    block->item_count = p->plan->item_count - block->first_item;
}

void trace_plan_init(struct trace_plan *plan, const struct launch_view *launch, enum isa_view view,
                     struct trace_builder *builder)
{
    uint32_t registers = launch_register_count(launch), next_insn = 0;
    struct planner p = {.plan = plan,
                        .launch = launch,
                        .builder = builder,
                        .views = isa_view_plan(view, launch),
                        .register_count = registers,
                        .dense = mem_alloc((registers + 1) * sizeof *p.dense),
                        .folded_by = mem_alloc((registers + 1) * sizeof *p.folded_by)};
    *plan = (struct trace_plan){
        .blocks = mem_zalloc(launch->code_block_count + 1, sizeof *plan->blocks),
        .guard_items = mem_alloc((launch->insn_count + 1) * sizeof *plan->guard_items),
        .access_items = mem_alloc((launch->insn_count + 1) * sizeof *plan->access_items)};
    for (uint32_t i = 0; i < launch->insn_count; i++)
        plan->guard_items[i] = plan->access_items[i] = TRACE_NO_ITEM;
    find_folds(&p);
    for (uint32_t i = 0; i < launch->code_block_count; i++)
        plan_block(&p, i, &next_insn);
    mem_free(p.views);
    mem_free(p.dense);
    mem_free(p.folded_by);
    mem_free(p.uniform);
}

void trace_plan_clear(struct trace_plan *plan)
{
    mem_free(plan->blocks);
    mem_free(plan->items);
    mem_free(plan->guard_items);
    mem_free(plan->access_items);
    *plan = (struct trace_plan){0};
}

// SPDX-License-Identifier: Apache-2.0
/* Branches over a few instructions: ptxas guards these and has no branch (doc/models/native.md). */
#include "base/memory.h"
#include "measure/native_plan.h"
#include "measure/register_use.h"

/* Most instructions that ptxas 13.0 guards on one side of a branch: where lanes may part, which spares them the meeting;
 * where all go the same way; and where a side loads from global memory, whose latency the instructions around
 * can then hide. Most of a further condition, its test included, that it evaluates for lanes that need not. */
enum { GUARDED_APART = 8, GUARDED_TOGETHER = 6, GUARDED_LOAD = 20, EVALUATED_MAX = 5 };
/* Least instructions that can be issued while guarded loads are under way, unless other loads are, too; with
 * fewer ptxas keeps the branch. */
enum { OTHER_WORK_LEAST = 3 };

struct guarder {
    struct planner *p;
    uint32_t *entries; /* by code block: ways into it */
    bool *
        after_loads; /* by code block: guarded instructions in front of it load from global memory */
    bool *marks;     /* by register, all false between uses */
};

struct side {
    unsigned count; /* native instructions */
    bool loads;
};

static const struct code_block *block_at(const struct guarder *g, uint32_t block)
{
    return &g->p->launch->code_blocks[block];
}

static uint32_t successor(const struct guarder *g, uint32_t block, unsigned which)
{
    const struct code_block *code = block_at(g, block);
    return block - (uint32_t)(code->block - code->function->blocks) +
           code->block->successors[which];
}

static uint32_t last_of(const struct guarder *g, uint32_t block)
{
    return block_at(g, block)->first + block_at(g, block)->count - 1;
}

/* A branch that some lanes may take. */
static bool is_test(const struct guarder *g, uint32_t block)
{
    uint32_t last = last_of(g, block);
    const struct insn *insn = insn_at(g->p, last);
    return insn->op == OP_BRA && insn->guard >= 0 && g->p->views[last].fold == VIEW_PLAIN &&
           block_at(g, block)->block->successor_count == 2;
}

/* The code behind ends the kernel or function: lanes that skip to it leave at once. */
static bool ends(const struct guarder *g, uint32_t block)
{
    const struct insn *insn = insn_at(g->p, block_at(g, block)->first);
    return insn->op == OP_RET || insn->op == OP_EXIT;
}

static bool is_far_load(const struct insn *insn)
{
    return insn->op == OP_LD && (insn->space == SPACE_GLOBAL || insn->space == SPACE_GENERIC);
}

static bool has_slow_path(const struct insn_view *view)
{
    for (unsigned i = 0; view->is_sequence && i < VIEW_PARTS; i++)
        if (view->parts[i].count && view->parts[i].class_id == CLASS_CONTROL) return true;
    return false;
}

static bool can_guard(const struct guarder *g, uint32_t pc)
{
    const struct insn *insn = insn_at(g->p, pc);
    bool is_access = insn->op == OP_LD || insn->op == OP_ST;
    return (op_infos[insn->op].family <= FAMILY_SFU_TANH || is_access) &&
           !has_slow_path(&g->p->views[pc]) && !insn_clock_reads(insn);
}

static bool is_skip(const struct insn *insn)
{
    return insn->op == OP_BRA && insn->guard < 0;
}

/* Adds the instructions of a block; the branch at its end, if any, is one. */
static bool add_side(const struct guarder *g, uint32_t block, struct side *side)
{
    const struct code_block *code = block_at(g, block);
    *side = (struct side){0};
    for (uint32_t pc = code->first; pc < code->first + code->count; pc++) {
        const struct insn *insn = insn_at(g->p, pc);
        side->count += isa_view_issued(&g->p->views[pc]);
        if (pc == last_of(g, block) && is_skip(insn)) return true;
        if (!can_guard(g, pc)) return false;
        side->loads |= is_far_load(insn);
    }
    return true;
}

/* ---- what a load can be under way with -------------------------------------------------------- */

static bool any_marked(const struct guarder *g, uint32_t pc, bool written)
{
    uint32_t registers[READS_MAX + OPERANDS_MAX];
    const struct insn *insn = insn_at(g->p, pc);
    unsigned count = written ? insn_writes(insn, registers) : insn_reads(insn, registers);
    for (unsigned i = 0; i < count; i++)
        if (g->marks[base_of(g->p, pc) + registers[i]]) return true;
    return false;
}

static void mark(struct guarder *g, uint32_t pc, bool written, bool value)
{
    uint32_t registers[READS_MAX + OPERANDS_MAX];
    const struct insn *insn = insn_at(g->p, pc);
    unsigned count = written ? insn_writes(insn, registers) : insn_reads(insn, registers);
    for (unsigned i = 0; i < count; i++)
        g->marks[base_of(g->p, pc) + registers[i]] = value;
}

static void clear_marks(struct guarder *g, uint32_t block)
{
    const struct code_block *code = block_at(g, block);
    for (uint32_t pc = code->first; pc < code->first + code->count; pc++) {
        mark(g, pc, false, false);
        mark(g, pc, true, false);
    }
}

/* What is left to do in front of the branch at the end of the block, and can be done behind it: instructions that neither
 * the condition, a store nor the marked registers need. *out_load: a load is among them. */
static unsigned count_left(struct guarder *g, uint32_t block, bool *out_load)
{
    const struct code_block *code = block_at(g, block);
    unsigned left = 0;
    *out_load = g->after_loads[block];
    for (uint32_t pc = code->first + code->count; pc-- > code->first;) {
        const struct insn *insn = insn_at(g->p, pc);
        unsigned family = op_infos[insn->op].family;
        bool waits = pc == last_of(g, block) || family == FAMILY_STORE || family == FAMILY_ATOMIC;
        if (family == FAMILY_BARRIER) break;
        if (waits || any_marked(g, pc, true)) {
            mark(g, pc, false, true);
        } else {
            left += isa_view_issued(&g->p->views[pc]);
            *out_load |= is_far_load(insn);
        }
    }
    clear_marks(g, block);
    return left;
}

static bool begins_with_load(const struct guarder *g, uint32_t block)
{
    const struct code_block *code = block_at(g, block);
    for (uint32_t pc = code->first; pc < code->first + code->count; pc++) {
        if (op_infos[insn_at(g->p, pc)->op].family == FAMILY_BARRIER) return false;
        if (is_far_load(insn_at(g->p, pc))) return true;
    }
    return false;
}

/* Marks what the block makes of its own far loads and of what is marked already. Returns how many instructions need none
 * of it. Arithmetic may move to the front of a barrier, accesses may not. */
static unsigned mark_waiting(struct guarder *g, uint32_t block)
{
    const struct code_block *code = block_at(g, block);
    unsigned others = 0;
    bool is_behind = false;
    for (uint32_t pc = code->first; pc < code->first + code->count; pc++) {
        const struct insn *insn = insn_at(g->p, pc);
        bool computes = op_infos[insn->op].family <= FAMILY_SFU_TANH;
        is_behind |= op_infos[insn->op].family == FAMILY_BARRIER;
        if (is_far_load(insn) || any_marked(g, pc, false) || (is_behind && !computes))
            mark(g, pc, true, true);
        else
            others += isa_view_issued(&g->p->views[pc]) > 0;
    }
    return others;
}

static void mark_reads(struct guarder *g, uint32_t block)
{
    const struct code_block *code = block_at(g, block);
    for (uint32_t pc = code->first; pc < code->first + code->count; pc++)
        mark(g, pc, false, true);
}

/* While the loads of a side are under way, is there another load, or enough that needs nothing of them, in front of the
 * branch or where lanes meet? */
static bool has_other_work(struct guarder *g, uint32_t test, uint32_t side, uint32_t join)
{
    bool loads;
    if (begins_with_load(g, join)) return true;
    if (is_test(g, join) && successor(g, join, 0) == join + 1 && g->entries[join + 1] == 1 &&
        begins_with_load(g, join + 1))
        return true;
    (void)count_left(g, test, &loads);
    if (loads) return true;
    mark_reads(g, side);
    unsigned others = count_left(g, test, &loads);
    clear_marks(g, side);
    (void)mark_waiting(g, side);
    others += mark_waiting(g, join);
    clear_marks(g, side);
    clear_marks(g, join);
    return others >= OTHER_WORK_LEAST;
}

/* ---- sides ------------------------------------------------------------------------------------ */

/* Is what the block computes, apart from the guard of its branch, read in it alone and without any access? */
static bool can_evaluate(const struct guarder *g, uint32_t block)
{
    const struct planner *p = g->p;
    unsigned count = 0;
    for (uint32_t pc = block_at(g, block)->first; pc < last_of(g, block); pc++) {
        uint32_t writes[OPERANDS_MAX];
        unsigned written = insn_writes(insn_at(p, pc), writes);
        unsigned family = op_infos[insn_at(p, pc)->op].family;
        count += isa_view_issued(&p->views[pc]);
        if (family > FAMILY_SFU_TANH || has_slow_path(&p->views[pc]) ||
            insn_clock_reads(insn_at(p, pc)))
            return false;
        for (unsigned i = 0; i < written; i++) {
            const struct usage *usage = &p->usages[base_of(p, pc) + writes[i]];
            if (usage->writes != 1) return false;
            for (uint32_t k = 0; k < usage->reader_count; k++)
                if (p->block_of[p->readers[usage->first_reader + k]] != block) return false;
        }
    }
    return count <= EVALUATED_MAX;
}

/* Its instructions are issued whenever `test` is; `branch` + 1 has their guard, 0: they have none. */
static void issue_with(struct guarder *g, uint32_t block, uint32_t test, uint32_t branch)
{
    const struct code_block *code = block_at(g, block);
    uint32_t with = g->p->views[block_at(g, test)->first].issued_with;
    for (uint32_t pc = code->first; pc < code->first + code->count; pc++) {
        g->p->views[pc].issued_with = with ? with : test + 1;
        g->p->views[pc].guard_branch = branch;
    }
}

/* The block is the side of a branch; lanes that part there have it as their only way in. */
static bool is_side(const struct guarder *g, uint32_t block, uint32_t join)
{
    return g->entries[block] == 1 && block_at(g, block)->block->successor_count == 1 &&
           successor(g, block, 0) == join;
}

/* How many of the sides, the first first, are guarded. The skip of the second side counts with the first. */
static unsigned guarded_count(const struct guarder *g, uint32_t test, const uint32_t *sides,
                              unsigned count)
{
    const struct planner *p = g->p;
    uint32_t branch = last_of(g, test), reg = (uint32_t)insn_at(p, branch)->guard;
    unsigned most = p->varying[base_of(p, branch) + reg] ? GUARDED_APART : GUARDED_TOGETHER;
    struct side of[2] = {{0}};
    bool is_able[2] = {false};
    for (unsigned i = 0; i < count; i++)
        is_able[i] = add_side(g, sides[i], &of[i]);
    if (!is_able[0]) return 0;
    bool loads = of[0].loads || of[1].loads, both_load = of[0].loads && of[1].loads;
    unsigned first = of[0].loads ? GUARDED_LOAD : most;
    bool fits_first = of[0].count <= first, fits_second = of[1].count <= most;
    if (loads && count == 2 && !both_load) {
        fits_second = of[0].count + of[1].count <= GUARDED_LOAD;
        fits_first |= fits_second;
    } else if (both_load) {
        fits_second = of[1].count <= GUARDED_LOAD;
    }
    if (!fits_first) return 0;
    return count == 2 && is_able[1] && fits_second ? 2 : 1;
}

static void guard_sides(struct guarder *g, uint32_t test, const uint32_t *sides, unsigned count)
{
    struct planner *p = g->p;
    uint32_t branch = last_of(g, test), join = successor(g, sides[0], 0);
    unsigned guarded = guarded_count(g, test, sides, count);
    bool loads = false;
    for (unsigned i = 0; i < guarded; i++)
        loads |= begins_with_load(g, sides[i]);
    if (loads && count == 1 && !has_other_work(g, test, sides[0], join)) return;
    if (guarded && guarded == count) g->after_loads[join] |= loads;
    if (guarded && guarded == count) p->views[branch].fold = VIEW_GUARD;
    for (unsigned i = 0; i < guarded; i++) {
        uint32_t last = last_of(g, sides[i]);
        issue_with(g, sides[i], test, branch + 1);
        if (is_skip(insn_at(p, last))) p->views[last].fold = VIEW_GUARD;
    }
}

static void guard_block(struct guarder *g, uint32_t test)
{
    if (!is_test(g, test)) return;
    uint32_t near = successor(g, test, 0), far = successor(g, test, 1);
    if (near != test + 1 || far <= near || g->entries[near] != 1 || ends(g, far)) return;
    if (is_test(g, near) && successor(g, near, 1) == far && can_evaluate(g, near)) {
        g->p->views[last_of(g, test)].fold = VIEW_GUARD; /* the next test has both conditions */
        issue_with(g, near, test, 0);
        (void)count_left(g, test, &g->after_loads[near]);
        return;
    }
    uint32_t sides[2] = {near, far};
    if (is_side(g, near, far)) {
        guard_sides(g, test, sides, 1);
        return;
    }
    if (far != near + 1 || block_at(g, near)->block->successor_count != 1) return;
    uint32_t join = successor(g, near, 0);
    if (join > far && is_side(g, far, join) && !ends(g, join)) guard_sides(g, test, sides, 2);
}

void native_plan_guards(struct planner *p)
{
    uint32_t count = p->launch->code_block_count;
    for (uint32_t pc = 0; pc < p->launch->insn_count; pc++)
        if (insn_at(p, pc)->op == OP_BRX) return; /* it may lead anywhere */
    struct guarder g = {.p = p,
                        .entries = mem_zalloc(count + 1, sizeof *g.entries),
                        .after_loads = mem_zalloc(count + 1, sizeof *g.after_loads),
                        .marks = mem_zalloc(p->register_count + (size_t)1, sizeof *g.marks)};
    for (uint32_t i = 0; i < count; i++)
        for (unsigned k = 0; k < block_at(&g, i)->block->successor_count && k < 2; k++)
            g.entries[successor(&g, i, k)]++;
    for (uint32_t i = 0; i < count; i++)
        guard_block(&g, i);
    mem_free(g.entries);
    mem_free(g.after_loads);
    mem_free(g.marks);
}

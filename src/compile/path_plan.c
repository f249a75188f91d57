// SPDX-License-Identifier: Apache-2.0
/* A path follows branches as long as it is in one loop, and stops at the next loop if that has a path of its own that
 * returns to its head. Through other loops, those with a barrier for one, it goes on. Where both ways of a branch soon
 * meet again it forks: both are arms of it, and it goes on behind them. */
#include "compile/path_plan.h"

#include <string.h>

enum {
    LEVEL_V4 = 2,
    PATH_UOPS_MAX = 512,
    LOOP_BLOCKS_MAX = 64,
    TURNS_MAX = 2,
    ARM_STEPS_MAX = 3,
    ARM_UOPS_MAX = 64
};

/* ---- facts ----------------------------------------------------------------------------------- */

/* Polls decide whose turn it is after each code block, clocks read how many instructions were executed. */
static bool is_barred(const struct code *code)
{
    uop_fn *clock = semantics_at(LEVEL_V4)->clock_value;
    for (uint32_t i = 0; i < code->uop_count; i++) {
        const struct uop *u = &code->uops[i];
        if (u->poll || u->full == clock || u->inner_full == clock) return true;
        if (u->is_whole_insn && op_infos[u->insn->op].family > FAMILY_ATOMIC) return true;
    }
    return false;
}

static void note_code(struct path_facts *facts, uint32_t index)
{
    const struct code *code = &facts->program->code[index];
    bool goes_by_itself = code->terminator == TERM_FALL || code->terminator == TERM_BRANCH;
    facts->is_barred[index] = is_barred(code);
    if (code->terminator == TERM_BRANCH && code->target <= index)
        facts->is_loop_head[code->target] = true;
    uint32_t to[2];
    code_successors(code, to);
    bool is_fixed = goes_by_itself && (to[0] == CODE_END || to[1] == CODE_END);
    if (code->reconverge != CODE_END && !is_fixed) facts->meetings[code->reconverge]++;
    if (!goes_by_itself && code->next != CODE_END) facts->is_begin[code->next] = true;
    for (uint32_t i = 0; code->terminator == TERM_BRANCH_INDEXED && i < code->last->target_count;
         i++)
        facts->is_begin[code->targets[i]] = true;
}

bool code_may_meet(const struct program *program, const struct code *code)
{
    if (code->terminator != TERM_SYNC || code->guard != REF_NONE) return false;
    const struct uop *u = &code->uops[code->uop_count];
    unsigned family = op_infos[u->insn->op].family;
    bool is_plain = family == FAMILY_SHUFFLE || family == FAMILY_VOTE || family == FAMILY_BARRIER;
    operand_ref members = u->src[u->insn->nsrc - 1];
    uint32_t lanes;
    if (!is_plain || u->elements || members == REF_NONE) return false;
    if (members >> 30 != BASE_POOL) return true;
    memcpy(&lanes, program->pool + (members & 0x3fffffff), sizeof lanes);
    return lanes == UINT32_MAX;
}

void path_facts_init(struct path_facts *facts, const struct program *program)
{
    uint32_t room = program->code_count + 1;
    facts->program = program;
    facts->is_loop_head = mem_zalloc(room, sizeof(bool));
    facts->is_closed = mem_zalloc(room, sizeof(bool));
    facts->meetings = mem_zalloc(room, sizeof *facts->meetings);
    facts->is_begin = mem_zalloc(room, sizeof(bool));
    facts->is_barred = mem_zalloc(room, sizeof(bool));
    facts->inside = mem_zalloc(room, sizeof(bool));
    for (uint32_t i = 0; i < program->code_count; i++)
        note_code(facts, i);
    for (uint32_t f = 0; f < program->function_count; f++)
        facts->is_begin[program->functions[f].first_block] = true;
    memcpy(facts->is_closed, facts->is_loop_head, room * sizeof(bool));
    for (uint32_t i = 0; i < program->code_count; i++) {
        struct path_plan plan;
        if (facts->is_loop_head[i])
            facts->is_closed[i] = path_plan(facts, i, false, &plan) && plan.returns;
    }
}

void path_facts_clear(struct path_facts *facts)
{
    mem_free(facts->is_loop_head);
    mem_free(facts->is_closed);
    mem_free(facts->meetings);
    mem_free(facts->is_begin);
    mem_free(facts->is_barred);
    mem_free(facts->inside);
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Marks the code blocks that lead back to the head without leaving its loop; returns the last that does so itself,
 * CODE_END: it is in no loop, or in a large one. */
static uint32_t mark_loop(const struct path_facts *facts, uint32_t head)
{
    const struct code *codes = facts->program->code;
    uint32_t latch = CODE_END, count = facts->program->code_count;
    if (!facts->is_loop_head[head]) return CODE_END;
    for (uint32_t i = head; i < count && i < head + LOOP_BLOCKS_MAX; i++)
        if (codes[i].terminator == TERM_BRANCH && codes[i].target == head) latch = i;
    if (latch == CODE_END) return CODE_END;
    for (uint32_t i = head; i <= latch; i++)
        facts->inside[i] = false;
    for (bool grows = true; grows;) {
        grows = false;
        for (uint32_t i = latch + 1; i-- > head;) {
            uint32_t to[2];
            code_successors(&codes[i], to);
            for (unsigned k = 0; k < 2 && !facts->inside[i]; k++) {
                bool leads =
                    to[k] == head || (to[k] > head && to[k] <= latch && facts->inside[to[k]]);
                facts->inside[i] = leads;
                grows = grows || leads;
            }
        }
    }
    return latch;
}

/* The way that stays in the loop or begins another turn of one, else the one without a jump. */
static uint32_t choose_way(const struct path_facts *facts, const struct code *code, uint32_t head,
                           uint32_t latch)
{
    uint32_t to[2];
    code_successors(code, to);
    if (to[0] == CODE_END || to[1] == CODE_END) return to[0] == CODE_END ? to[1] : to[0];
    for (unsigned k = 0; k < 2 && latch != CODE_END; k++)
        if (to[k] == head || (to[k] > head && to[k] <= latch && facts->inside[to[k]])) return to[k];
    return code->backward ? to[1] : to[0];
}

/* A path in the making. */
struct following {
    const struct path_facts *facts;
    bool is_part;
    uint32_t head, latch, uops;
    uint32_t most_meetings; /* at a code block that it may come to */
    struct path_plan *plan;
};

static bool may_follow(const struct following *f, uint32_t to, uint32_t steps, uint32_t meetings)
{
    const struct path_facts *facts = f->facts;
    if (to == CODE_END || f->plan->count + steps >= PATH_STEPS_MAX || facts->is_barred[to])
        return false;
    return !facts->is_closed[to] && facts->meetings[to] <= f->most_meetings + meetings;
}

static void add_step(struct following *f, uint32_t at, bool is_taken)
{
    const struct code *code = &f->facts->program->code[at];
    struct path_plan *plan = f->plan;
    bool branches = code->terminator == TERM_BRANCH;
    plan->steps[plan->count++] =
        (struct path_step){at, branches ? code->last_index : NO_BRANCH, branches && is_taken};
    f->uops += code->uop_count;
}

/* ---- forks ----------------------------------------------------------------------------------- */

static bool is_inside(const struct following *f, uint32_t block)
{
    return f->latch == CODE_END ||
           (block > f->head && block <= f->latch && f->facts->inside[block]);
}

/* Code blocks from `first` on, each of which leads to the next one whatever happens, up to the meeting; NO_ARM: none such
 * lead there, or too many. */
#define NO_ARM UINT32_MAX
static uint32_t find_arm(const struct following *f, uint32_t first, uint32_t meeting,
                         uint32_t blocks[ARM_STEPS_MAX])
{
    const struct path_facts *facts = f->facts;
    uint32_t count = 0, uops = 0;
    for (uint32_t at = first; at != meeting;) {
        const struct code *code = &facts->program->code[at];
        uint32_t to[2];
        if (count == ARM_STEPS_MAX || !is_inside(f, at) || facts->is_barred[at] ||
            facts->is_loop_head[at] || facts->meetings[at])
            return NO_ARM;
        blocks[count++] = at;
        code_successors(code, to);
        uops += code->uop_count;
        bool is_fixed = (to[0] == CODE_END) != (to[1] == CODE_END);
        if (!is_fixed || code->terminator == TERM_SYNC || code->backward || uops > ARM_UOPS_MAX)
            return NO_ARM;
        at = to[0] == CODE_END ? to[1] : to[0];
    }
    return count;
}

/* The branch of the code block, with its arms, becomes part of the path. Returns where it goes on; CODE_END: the branch is
 * none whose lanes soon meet again. */
static uint32_t fork(struct following *f, uint32_t at)
{
    const struct code *code = &f->facts->program->code[at];
    struct path_plan *plan = f->plan;
    uint32_t arms[2][ARM_STEPS_MAX], steps[2], to[2], meeting = code->reconverge;
    code_successors(code, to);
    if (to[0] == CODE_END || to[1] == CODE_END || to[0] == to[1] || meeting == CODE_END ||
        code->backward || code->condition != REF_NONE || code->takes_all ||
        code->tests_divergence || plan->fork_count == PATH_FORKS_MAX || !is_inside(f, meeting))
        return CODE_END;
    for (unsigned k = 0; k < 2; k++) {
        steps[k] = find_arm(f, to[k], meeting, arms[k]);
        if (steps[k] == NO_ARM) return CODE_END;
    }
    if (!may_follow(f, meeting, 1 + steps[0] + steps[1], 1)) return CODE_END;
    plan->forks[plan->fork_count++] = (struct path_fork){plan->count, {steps[0], steps[1]}};
    add_step(f, at, false);
    for (unsigned k = 0; k < 2; k++)
        for (uint32_t i = 0; i < steps[k]; i++)
            add_step(f, arms[k][i], f->facts->program->code[arms[k][i]].terminator == TERM_BRANCH);
    return meeting;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void follow(struct following *f)
{
    const struct path_facts *facts = f->facts;
    struct path_plan *plan = f->plan;
    uint32_t at = f->head, turns = 0;
    *plan = (struct path_plan){.count = 0};
    for (f->uops = 0;;) {
        const struct code *code = &facts->program->code[at];
        uint32_t first = plan->count, to = fork(f, at);
        bool forks = to != CODE_END;
        if (!forks) {
            to = choose_way(facts, code, f->head, f->latch);
            add_step(f, at, to == code->target);
        }
        for (uint32_t i = first; i < plan->count; i++)
            plan->turns[i] = turns;
        at = to;
        if (forks) continue;
        turns += code->backward;
        plan->returns = code->backward && to == f->head;
        if (plan->returns || f->uops > PATH_UOPS_MAX) return;
        if (code->backward && (f->latch != CODE_END || turns > TURNS_MAX)) return;
        bool meets = code->terminator == TERM_SYNC;
        if (meets && (f->is_part || !code_may_meet(facts->program, code))) return;
        if (!may_follow(f, to, 0, 0)) return;
        plan->meets = plan->meets || meets;
    }
}

bool path_plan(const struct path_facts *facts, uint32_t head, bool is_part, struct path_plan *out)
{
    if (facts->is_barred[head]) return false;
    struct following f = {.facts = facts,
                          .is_part = is_part,
                          .head = head,
                          .latch = mark_loop(facts, head),
                          .most_meetings = UINT32_MAX / 2,
                          .plan = out};
    follow(&f);
    f.most_meetings = 0;
    if (is_part && !out->returns) follow(&f);
    return true;
}

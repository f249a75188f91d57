// SPDX-License-Identifier: Apache-2.0
/* A path follows branches as long as it is in one loop, and stops at the next loop if that has a path of its own that
 * returns to its head. Through other loops, those with a barrier for one, it goes on. */
#include "compile/path_plan.h"

#include <string.h>

enum { LEVEL_V4 = 2, PATH_UOPS_MAX = 512, LOOP_BLOCKS_MAX = 64, TURNS_MAX = 2 };

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
    if (code->reconverge != CODE_END) facts->is_meeting[code->reconverge] = true;
    if (!goes_by_itself && code->next != CODE_END) facts->is_begin[code->next] = true;
    for (uint32_t i = 0; code->terminator == TERM_BRANCH_INDEXED && i < code->last->target_count;
         i++)
        facts->is_begin[code->targets[i]] = true;
}

void path_facts_init(struct path_facts *facts, const struct program *program)
{
    uint32_t room = program->code_count + 1;
    facts->program = program;
    facts->is_loop_head = mem_zalloc(room, sizeof(bool));
    facts->is_closed = mem_zalloc(room, sizeof(bool));
    facts->is_meeting = mem_zalloc(room, sizeof(bool));
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
    mem_free(facts->is_meeting);
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

static bool may_follow(const struct path_facts *facts, const struct path_plan *plan, uint32_t to,
                       bool stops_at_meetings)
{
    if (to == CODE_END || plan->count == PATH_STEPS_MAX || facts->is_barred[to]) return false;
    return !facts->is_closed[to] && !(stops_at_meetings && facts->is_meeting[to]);
}

static void follow(const struct path_facts *facts, uint32_t head, uint32_t latch,
                   bool stops_at_meetings, struct path_plan *out)
{
    const struct code *codes = facts->program->code;
    uint32_t at = head, uops = 0, turns = 0;
    *out = (struct path_plan){.count = 0};
    for (;;) {
        const struct code *code = &codes[at];
        uint32_t to = choose_way(facts, code, head, latch);
        bool branches = code->terminator == TERM_BRANCH;
        out->turns[out->count] = turns;
        turns += code->backward;
        out->steps[out->count++] = (struct path_step){at, branches ? code->last_index : NO_BRANCH,
                                                      branches && to == code->target};
        uops += code->uop_count;
        out->returns = code->backward && to == head;
        if (out->returns || uops > PATH_UOPS_MAX) return;
        if (code->backward && (latch != CODE_END || turns > TURNS_MAX)) return;
        if (!may_follow(facts, out, to, stops_at_meetings)) return;
        at = to;
    }
}

bool path_plan(const struct path_facts *facts, uint32_t head, bool is_part, struct path_plan *out)
{
    if (facts->is_barred[head]) return false;
    uint32_t latch = mark_loop(facts, head);
    follow(facts, head, latch, false, out);
    if (is_part && !out->returns) follow(facts, head, latch, true, out);
    return true;
}

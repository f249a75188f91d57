// SPDX-License-Identifier: Apache-2.0
#include "answer/code_answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *place_of(struct arena *arena, enum code_level level, const struct code_row *row)
{
    /* Of the row's own level: an instruction_profile knows them all. */
    struct instruction_profile at = {.line = row->line, .is_native = level == CODE_NATIVE};
    char place[200];
    if (level == CODE_SOURCE) at = *row->insn;
    if (!row->line && level != CODE_NATIVE)
        return level == CODE_SOURCE ? "no source line" : "no PTX";
    instruction_place(place, sizeof place, &at);
    return arena_copy(arena, place);
}

static struct code_node node_of(struct arena *arena, const struct code_table *table,
                                enum code_level level, const struct code_row *row)
{
    return (struct code_node){
        .row = row, .place = place_of(arena, level, row), .machine_count = table->machine_count};
}

/* Why a level is empty. */
static const char *reason_of(const struct profile *profile, enum code_level level)
{
    bool is_native = profile->instructions[0].is_native;
    if (level == CODE_NATIVE)
        return "PTX was executed: --isa native executes what ptxas makes of it";
    if (level == CODE_PTX)
        return "the native code does not name lines of PTX: compile with -lineinfo";
    return is_native ? "the native code names no source lines: compile with -lineinfo"
                     : "the PTX names no source lines (.loc): compile with -lineinfo";
}

static void mark_hottest(const struct code_table *table, enum code_level level,
                         struct code_node *nodes)
{
    const struct code_row *rows[HOT_CODE_LINES];
    size_t machine = table->machine_count ? 0 : CODE_NO_ROW;
    size_t count = code_hottest(table, level, machine, HOT_CODE_LINES, rows);
    for (size_t i = 0; i < count; i++)
        nodes[rows[i] - table->rows[level]].is_hot = true;
}

const struct code_answer *code_answer_make(struct arena *arena, const struct profile *profile,
                                           struct code_table *table, size_t machine_count)
{
    struct code_answer *out = ARENA_ARRAY(arena, struct code_answer, 1);
    code_table_read_source(arena, profile, table);
    out->table = table;
    out->time_reason = machine_count ? "no model that simulates warps has an answer"
                                     : "no GPU given: no time is predicted";
    for (int level = 0; level < CODE_LEVELS; level++) {
        size_t count = table->counts[level];
        out->reasons[level] = reason_of(profile, (enum code_level)level);
        out->levels[level] = ARENA_ARRAY(arena, struct code_node, count + 1);
        for (size_t i = 0; i < count; i++)
            out->levels[level][i] =
                node_of(arena, table, (enum code_level)level, &table->rows[level][i]);
        mark_hottest(table, (enum code_level)level, out->levels[level]);
    }
    return out;
}

/* ---- the hottest ------------------------------------------------------------------------------- */

static double share_of(double part, double all)
{
    return all > 0 ? part / all : 0;
}

/* A line of the PTX may be that of native code: its mnemonic begins the text. */
static const char *op_of(struct arena *arena, enum code_level level, const struct code_row *row)
{
    const char *text = row->text;
    if (level == CODE_SOURCE) return NULL;
    if (level == CODE_NATIVE || !row->insn->is_native || !text) return row->insn->op;
    if (*text == '@') text += strcspn(text, " ");
    text += strspn(text, " ");
    return arena_copy_n(arena, text, strcspn(text, " ;"));
}

static struct hot_code_node hot_node(struct arena *arena, const struct code_table *table,
                                     enum code_level level, const struct code_row *row,
                                     size_t machine)
{
    const struct code_cost *all = &table->all;
    const struct code_time *time = machine == CODE_NO_ROW ? NULL : &row->times[machine];
    const struct code_cost *cost = &row->cost;
    return (struct hot_code_node){
        .node = node_of(arena, table, level, row),
        .op = op_of(arena, level, row),
        .share = code_share(table, row, machine),
        .time = time ? time->share : NAN,
        .stall = time ? time->stall : NULL,
        .instructions = share_of(cost->warp_instructions, all->warp_instructions),
        .sectors = share_of(cost->accesses.sectors, all->accesses.sectors),
        .wavefronts = share_of(cost->accesses.wavefronts, all->accesses.wavefronts),
    };
}

const struct hot_code *hot_code_find(struct arena *arena, const struct code_table *table,
                                     size_t machine)
{
    struct hot_code *out = ARENA_ARRAY(arena, struct hot_code, 1);
    out->by_time = machine != CODE_NO_ROW;
    for (int i = 0; i < CODE_LEVELS; i++) {
        enum code_level level = (enum code_level)i;
        const struct code_row *rows[HOT_CODE_LINES];
        out->counts[level] = code_hottest(table, level, machine, HOT_CODE_LINES, rows);
        out->lines[level] = ARENA_ARRAY(arena, struct hot_code_node, HOT_CODE_LINES);
        for (size_t k = 0; k < out->counts[level]; k++)
            out->lines[level][k] = hot_node(arena, table, level, rows[k], machine);
    }
    return out;
}

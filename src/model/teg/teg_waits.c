// SPDX-License-Identifier: Apache-2.0
#include "model/teg/teg_waits.h"

#include <stdlib.h>
#include <string.h>

/* One source line while it is added up. */
struct line {
    const char *file;
    uint32_t line;
    teg_time stalls[TEG_STALL_COUNT], all;
};

static bool is_line(const struct line *line, const char *file, uint32_t number)
{
    bool same_file = line->file == file || (line->file && file && !strcmp(line->file, file));
    return same_file && line->line == number;
}

static uint32_t hash_line(const char *file, uint32_t number)
{
    uint64_t hash = number;
    for (const char *at = file; at && *at; at++)
        hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(hash >> 32);
}

/* Lines by what they are: a hash table of their index + 1. */
struct line_table {
    uint32_t *slots, mask;
};

static void line_table_init(struct line_table *table, uint32_t insn_count)
{
    size_t slots = 2;
    while (slots / 2 < insn_count && slots < (size_t)1 << 32)
        slots *= 2;
    table->slots = mem_zalloc(slots, sizeof *table->slots);
    table->mask = (uint32_t)(slots - 1);
}

/* The line's index, `count` if it is new. */
static size_t find_line(struct line_table *table, const struct line *lines, size_t count,
                        const char *file, uint32_t number)
{
    uint32_t at = hash_line(file, number) & table->mask;
    while (table->slots[at] && !is_line(&lines[table->slots[at] - 1], file, number))
        at = (at + 1) & table->mask;
    if (!table->slots[at]) table->slots[at] = (uint32_t)count + 1;
    return table->slots[at] - 1;
}

static size_t add_up(const struct trace *trace, const struct teg_result *result, struct line *lines)
{
    size_t count = 0;
    struct line_table table;
    line_table_init(&table, trace->insn_count);
    for (uint32_t i = 0; i < trace->insn_count; i++) {
        const struct trace_insn *insn = &trace->insns[i];
        bool has_source = insn->file && insn->source_line;
        const char *file = has_source ? insn->file : NULL;
        uint32_t number = has_source ? insn->source_line : insn->line;
        size_t at = find_line(&table, lines, count, file, number);
        if (at == count) lines[count++] = (struct line){.file = file, .line = number};
        for (unsigned k = 0; k < TEG_STALL_COUNT; k++) {
            teg_time time = result->insn_stalls[(size_t)i * TEG_STALL_COUNT + k];
            lines[at].stalls[k] += time;
            lines[at].all += time;
        }
    }
    mem_free(table.slots);
    return count;
}

static int by_time(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->all != y->all) return x->all > y->all ? -1 : 1;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return strcmp(x->file ? x->file : "", y->file ? y->file : "");
}

static unsigned greatest(const teg_time *stalls)
{
    unsigned best = TEG_STALL_WAIT;
    for (unsigned i = 0; i < TEG_STALL_COUNT; i++)
        if (i != TEG_STALL_SELECTED && stalls[i] > stalls[best]) best = i;
    return best;
}

/* By instruction of the profile. */
static const double *add_by_pc(struct arena *arena, const struct trace *trace,
                               const struct teg_result *result, size_t pc_count, double all)
{
    double *shares = ARENA_ARRAY(arena, double, (pc_count + 1) * TEG_STALL_COUNT);
    for (uint32_t i = 0; i < trace->insn_count; i++) {
        size_t pc = trace->insns[i].pc;
        const teg_time *stalls = result->insn_stalls + (size_t)i * TEG_STALL_COUNT;
        double *to = shares + (pc < pc_count ? pc : pc_count) * TEG_STALL_COUNT;
        for (unsigned k = 0; k < TEG_STALL_COUNT; k++)
            to[k] += (double)stalls[k] / all;
    }
    return shares;
}

struct warp_waits *teg_waits(struct arena *arena, const struct trace *trace,
                             const struct teg_result *result, size_t pc_count)
{
    struct warp_waits *out = ARENA_ARRAY(arena, struct warp_waits, 1);
    struct wait_cause *causes = ARENA_ARRAY(arena, struct wait_cause, TEG_STALL_COUNT);
    struct line *lines = mem_zalloc(trace->insn_count + 1, sizeof *lines);
    double all = (double)(result->warp_time ? result->warp_time : 1);
    for (unsigned i = 0; i < TEG_STALL_COUNT; i++)
        causes[i] =
            (struct wait_cause){teg_stall_infos[i].id, teg_stall_infos[i].text,
                                teg_stall_infos[i].component, (double)result->stalls[i] / all};
    size_t count = add_up(trace, result, lines);
    qsort(lines, count, sizeof *lines, by_time);
    while (count && !lines[count - 1].all)
        count--;
    struct wait_line *rows = ARENA_ARRAY(arena, struct wait_line, count + 1);
    for (size_t i = 0; i < count; i++) {
        unsigned cause = greatest(lines[i].stalls);
        rows[i] = (struct wait_line){
            .file = lines[i].file,
            .line = lines[i].line,
            .share = (double)lines[i].all / all,
            .cause = &causes[cause],
            .cause_share = (double)lines[i].stalls[cause] / (double)lines[i].all,
        };
    }
    mem_free(lines);
    *out = (struct warp_waits){
        .cause_count = TEG_STALL_COUNT,
        .causes = causes,
        .line_count = count,
        .lines = rows,
        .pc_count = pc_count,
        .pc_shares = add_by_pc(arena, trace, result, pc_count, all),
    };
    return out;
}

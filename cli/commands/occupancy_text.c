// SPDX-License-Identifier: Apache-2.0
/* Occupancy for people: one GPU as a page, several as a table, a curve as bars. */
#include <limits.h>
#include <string.h>

#include "cli/commands/occupancy.h"

#define MORE "\nMore warps with one of these, all else unchanged\n"

static void put_bar(const struct occupancy_text *text, unsigned filled, unsigned columns)
{
    for (unsigned i = 0; i < columns; i++)
        fputs(i < filled ? text->utf8 ? "\u2588" : "#" : text->utf8 ? "\u00b7" : ".", text->out);
}

static unsigned columns_of(unsigned value, unsigned most, unsigned columns)
{
    if (!most) return 0;
    unsigned filled = (unsigned)(((uint64_t)value * columns * 2 + most) / (2 * (uint64_t)most));
    return value && !filled ? 1 : filled; /* a little is not nothing */
}

/* The least limits have a star. */
static void put_number(FILE *out, int columns, unsigned limit, bool is_limiter)
{
    char text[32];
    snprintf(text, sizeof text, "%s%u", is_limiter ? "*" : "", limit);
    fprintf(out, "%*s", columns, limit == UINT_MAX ? "-" : text);
}

static void put_launch(const struct occupancy_text *text, const ws_occupancy_query *query)
{
    fprintf(text->out, "Launch      ");
    if (query->threads_per_block)
        fprintf(text->out, "%s a block, ",
                cli_count(text->cli, query->threads_per_block, "thread"));
    if (query->registers_per_thread)
        fprintf(text->out, "%s a thread, ",
                cli_count(text->cli, query->registers_per_thread, "register"));
    else
        fputs("registers not given, ", text->out);
    fprintf(text->out, "%s of shared memory",
            cli_count(text->cli, (double)query->shared_bytes, "byte"));
    if (query->barriers > 1) fprintf(text->out, ", %u barriers", query->barriers);
    fputc('\n', text->out);
    if (query->no_granularity)
        fputs("            plain division: no allocation units, nothing reserved\n", text->out);
    if (query->partitioned_caching)
        fputs("            partitioned caching where the GPU has it\n", text->out);
}

/* "at most 32 registers a thread: 8 blocks, 64 warps, 100 %" */
static void put_next(const struct occupancy_text *text, const struct occupancy_next *next)
{
    FILE *out = text->out;
    const char *bytes = cli_count(text->cli, (double)next->query.shared_bytes, "byte");
    if (next->vary == WS_VARY_BLOCK)
        fprintf(out, "blocks of %s", cli_count(text->cli, next->query.threads_per_block, "thread"));
    else if (next->vary == WS_VARY_REGISTERS)
        fprintf(out, "at most %s a thread",
                cli_count(text->cli, next->query.registers_per_thread, "register"));
    else if (next->vary == WS_VARY_SHARED)
        fprintf(out, "at most %s of shared memory", bytes);
    else
        fprintf(out, "at most %s and %s",
                cli_count(text->cli, next->query.registers_per_thread, "register"), bytes);
    fprintf(
        out, ": %s, %s, %.0f %%\n", cli_count(text->cli, next->occupancy.blocks_per_sm, "block"),
        cli_count(text->cli, next->occupancy.warps_per_sm, "warp"), 100 * next->occupancy.fraction);
}

/* ---- one GPU ----------------------------------------------------------------------------------- */

static void put_limit(const struct occupancy_text *text, const char *name, unsigned limit,
                      bool is_limiter)
{
    fprintf(text->out, "  %-24s ", name);
    put_number(text->out, 6, limit, is_limiter);
    fputc('\n', text->out);
}

static void put_page(const struct occupancy_text *text, const struct occupancy_answer *answer)
{
    enum { BAR = 20 };
    const ws_occupancy *occupancy = &answer->occupancy;
    unsigned limiters = occupancy->limiters;
    if (occupancy->blocks_per_sm) {
        fprintf(text->out, "Occupancy   %3.0f %%  ", 100 * occupancy->fraction);
        put_bar(text, columns_of(occupancy->warps_per_sm, occupancy->max_warps_per_sm, BAR), BAR);
        fprintf(text->out, "  %s, %u of %s per SM\n",
                cli_count(text->cli, occupancy->blocks_per_sm, "block"), occupancy->warps_per_sm,
                cli_count(text->cli, occupancy->max_warps_per_sm, "warp"));
        fputs("Limiter     ", text->out);
        occupancy_put_limiters(text->out, limiters, ", ");
        fprintf(text->out, "\n\nBlocks per SM by each limit alone (* the least)\n");
        put_limit(text, "Block Limit SM", occupancy->limit_sm, limiters & WS_LIMIT_SM);
        put_limit(text, "Block Limit Registers", occupancy->limit_registers,
                  limiters & WS_LIMIT_REGISTERS);
        put_limit(text, "Block Limit Shared Mem", occupancy->limit_shared,
                  limiters & WS_LIMIT_SHARED);
        put_limit(text, "Block Limit Warps", occupancy->limit_warps, limiters & WS_LIMIT_WARPS);
        if (occupancy->limit_barriers != UINT_MAX)
            put_limit(text, "Block Limit Barriers", occupancy->limit_barriers,
                      limiters & WS_LIMIT_BARRIERS);
    } else {
        fputs("Occupancy   no block fits\n", text->out);
    }
    if (answer->next_count) fputs(MORE, text->out);
    for (size_t i = 0; i < answer->next_count; i++) {
        fputs("  ", text->out);
        put_next(text, &answer->next[i]);
    }
    if (!answer->next_count && occupancy->blocks_per_sm &&
        occupancy->warps_per_sm < occupancy->max_warps_per_sm)
        fputs("\nNo lower figure and no other block size puts more warps on an SM.\n", text->out);
}

/* ---- several GPUs ------------------------------------------------------------------------------ */

static void put_row(const struct occupancy_text *text, const struct occupancy_answer *answer,
                    bool has_barriers)
{
    const ws_occupancy *occupancy = &answer->occupancy;
    unsigned limiters = occupancy->limiters;
    fprintf(text->out, "%-18s ", ws_machine_id(answer->machine));
    if (!occupancy->blocks_per_sm) {
        fputs("no block fits\n", text->out);
        return;
    }
    fprintf(text->out, "%6u %3u/%-3u %3.0f %%", occupancy->blocks_per_sm, occupancy->warps_per_sm,
            occupancy->max_warps_per_sm, 100 * occupancy->fraction);
    put_number(text->out, 10, occupancy->limit_sm, limiters & WS_LIMIT_SM);
    put_number(text->out, 11, occupancy->limit_registers, limiters & WS_LIMIT_REGISTERS);
    put_number(text->out, 12, occupancy->limit_shared, limiters & WS_LIMIT_SHARED);
    put_number(text->out, 7, occupancy->limit_warps, limiters & WS_LIMIT_WARPS);
    if (has_barriers)
        put_number(text->out, 10, occupancy->limit_barriers, limiters & WS_LIMIT_BARRIERS);
    fputc('\n', text->out);
}

static void put_table(const struct occupancy_text *text, const struct occupancy_answer *answers,
                      size_t count, bool has_barriers)
{
    size_t changes = 0;
    fprintf(text->out, "%-18s %6s %7s %5s%10s%11s%12s%7s%s\n", "", "blocks", "warps", "", "SM",
            "Registers", "Shared Mem", "Warps", has_barriers ? "  Barriers" : "");
    fprintf(text->out, "%-18s %6s %7s %5s   %s\n", "GPU", "per SM", "per SM", "",
            "Block Limit: blocks by each alone, * the least");
    for (size_t i = 0; i < count; i++) {
        put_row(text, &answers[i], has_barriers);
        changes += answers[i].next_count;
    }
    if (changes) fputs(MORE, text->out);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < answers[i].next_count; k++) {
            fprintf(text->out, "  %-18s ", k ? "" : ws_machine_id(answers[i].machine));
            put_next(text, &answers[i].next[k]);
        }
}

/* ---- curves ------------------------------------------------------------------------------------ */

static void put_point(const struct occupancy_text *text, const struct occupancy_request *request,
                      const struct occupancy_answer *answer, size_t i, unsigned most,
                      unsigned columns)
{
    const ws_occupancy_point *point = &answer->points[i];
    int cliff = occupancy_cliff(answer, i);
    char range[48];
    snprintf(range, sizeof range, "%llu-%llu", (unsigned long long)point->first,
             (unsigned long long)point->last);
    fprintf(text->out, "%c %14s %7u %6u  ", occupancy_is_here(request, point) ? '>' : ' ', range,
            point->blocks_per_sm, point->warps_per_sm);
    put_bar(text, columns_of(point->warps_per_sm, most, columns), columns);
    if (cliff > 0)
        fprintf(text->out, " -%-3d ", cliff);
    else
        fputs("      ", text->out);
    if (point->blocks_per_sm)
        occupancy_put_limiters(text->out, point->limiters, ",");
    else
        fputs("does not fit", text->out);
    fputc('\n', text->out);
}

static void put_curve(const struct occupancy_text *text, const struct occupancy_request *request,
                      const struct occupancy_answer *answer)
{
    enum { FIXED = 34, TAIL = 32, LEAST = 8 };
    const char *head = request->curve == WS_VARY_BLOCK       ? "threads"
                       : request->curve == WS_VARY_REGISTERS ? "registers"
                                                             : "shared bytes";
    unsigned most = answer->max_warps_per_sm;
    unsigned room = text->width > FIXED + TAIL ? text->width - FIXED - TAIL : 0;
    unsigned columns = room < LEAST ? LEAST : room > most && most >= LEAST ? most : room;
    fprintf(text->out, "\n%s: warps per SM over %s\n", ws_machine_id(answer->machine),
            request->curve == WS_VARY_BLOCK       ? "the threads of a block"
            : request->curve == WS_VARY_REGISTERS ? "the registers of a thread"
                                                  : "the shared memory of a block");
    fprintf(text->out, "  %14s %7s %6s  %-*s %-5s%s\n", head, "blocks", "warps", (int)columns, "",
            "cliff", " limiter");
    for (size_t i = 0; i < answer->point_count; i++)
        put_point(text, request, answer, i, most, columns);
    fputs("> this launch   cliff: warps that one more costs\n", text->out);
}

/* ---- all --------------------------------------------------------------------------------------- */

void occupancy_write_text(const struct occupancy_text *text,
                          const struct occupancy_request *request,
                          const struct occupancy_answer *answers, size_t count)
{
    bool is_asked = request->query.threads_per_block != 0;
    if (count == 1)
        fprintf(text->out, "GPU         %s (%s), compute capability %u.%u\n",
                ws_machine_id(answers->machine), ws_machine_name(answers->machine),
                ws_machine_target(answers->machine) / 10, ws_machine_target(answers->machine) % 10);
    put_launch(text, &request->query);
    if (is_asked && count == 1) put_page(text, answers);
    if (is_asked && count > 1) fputc('\n', text->out);
    if (is_asked && count > 1) put_table(text, answers, count, request->query.barriers > 1);
    for (size_t i = 0; i < count; i++)
        if (answers[i].point_count) put_curve(text, request, &answers[i]);
}

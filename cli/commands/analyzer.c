// SPDX-License-Identifier: Apache-2.0
/* --format analyzer: the counts of one warp, in the layout of the analyser that fed the first
 * MWP-CWP predictions (Hong's thesis, section 3.8.2, figure 57). Means over the executed warps. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/request.h"

struct analyzer {
    ws_profile *profile;
    FILE *out;
    const char *rule; /* suffix of the counters of the coalescing rule */
    double warps;
};

/* 0 if it was not counted. */
static double count(const struct analyzer *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static double count(const struct analyzer *a, const char *format, ...)
{
    char id[96];
    double value;
    va_list list;
    va_start(list, format);
    vsnprintf(id, sizeof id, format, list);
    va_end(list);
    return ws_profile_get(a->profile, id, &value) == WS_OK ? value : 0;
}

static void stars(const struct analyzer *a)
{
    fputs("*****\n", a->out);
}

/* A mean of one warp; whole numbers without decimals. */
static void line(const struct analyzer *a, const char *name, double total)
{
    fprintf(a->out, "%-24s %.6g\n", name, total / a->warps);
}

static double memory(const struct analyzer *a, const char *what, const char *rule)
{
    static const char *const spaces[] = {"global", "local"};
    static const char *const operations[] = {"load", "store", "atomic"};
    double sum = 0;
    for (size_t s = 0; s < 2; s++)
        for (size_t o = 0; o < 3; o++)
            sum += count(a, "mem.%s.%s.%s_%s", spaces[s], operations[o], what, rule);
    return sum;
}

static double space(const struct analyzer *a, const char *name)
{
    return count(a, "inst.warp.mem.%s.load", name) + count(a, "inst.warp.mem.%s.store", name) +
           count(a, "inst.warp.mem.%s.atomic", name);
}

static void print_memory(const struct analyzer *a)
{
    bool is_sector = !strcmp(a->rule, "sector32");
    double transactions = is_sector ? 0 : memory(a, "transactions", a->rule);
    if (is_sector)
        for (size_t i = 0; i < 6; i++)
            transactions += count(a, "mem.%s.%s.sectors32", i < 3 ? "global" : "local",
                                  i % 3 == 0   ? "load"
                                  : i % 3 == 1 ? "store"
                                               : "atomic");
    double uncoalesced = memory(a, "uncoalesced_transactions", a->rule);
    stars(a);
    line(a, "Memory_shared", space(a, "shared"));
    line(a, "Memory_local", space(a, "local"));
    line(a, "Memory_const", space(a, "const"));
    stars(a);
    fprintf(a->out, "%-24s %s\n", "Rule", a->rule);
    line(a, "CoalMem", memory(a, "coalesced", a->rule));
    line(a, "UncoalMem", memory(a, "uncoalesced", a->rule));
    line(a, "Coal_transactions", transactions - uncoalesced);
    line(a, "Uncoal_transactions", uncoalesced);
}

/* Classes instead of the opcodes of the figure, with the type where the class has one. */
static void print_classes(const struct analyzer *a)
{
    static const char prefix[] = "inst.warp.";
    stars(a);
    for (size_t i = 0; i < ws_counter_count(); i++) {
        const char *id = ws_counter_describe(i).id;
        if (strncmp(id, prefix, sizeof prefix - 1) != 0) continue;
        const char *class = id + sizeof prefix - 1;
        double total = count(a, "%s", id) / a->warps;
        bool is_float =
            !strncmp(class, "fp", 2) || !strncmp(class, "bf", 2) || !strncmp(class, "sfu", 3);
        bool is_int =
            !strncmp(class, "int", 3) || !strcmp(class, "logic") || !strcmp(class, "shift");
        if (!strncmp(class, "mem.", 4) || total == 0) continue;
        fprintf(a->out, "%-24s %-10.6g fp %-10.6g int %.6g\n", class, total, is_float ? total : 0,
                is_int ? total : 0);
    }
}

static void print_spaces(const struct analyzer *a)
{
    static const struct {
        const char *name, *space;
    } spaces[] = {{"Global", "global"}, {"Local", "local"}, {"Shared", "shared"}};
    stars(a);
    line(a, "Param", space(a, "param"));
    line(a, "Texture", space(a, "texture"));
    stars(a);
    for (size_t k = 0; k < 3; k++) {
        static const char *const operations[] = {"load", "store", "atomic"};
        static const char *const short_names[] = {"LD", "ST", "ATOM"};
        for (size_t i = 0; i < 3; i++) {
            char name[32];
            double total = count(a, "inst.warp.mem.%s.%s", spaces[k].space, operations[i]);
            if (i == 2 && total == 0) continue;
            snprintf(name, sizeof name, "%s_%s", spaces[k].name, short_names[i]);
            line(a, name, total);
        }
    }
    stars(a);
}

int analyzer_write(struct cli *cli, ws_profile *profile, const char *rule, const char *output)
{
    uint32_t grid[3], block[3];
    struct cli_text text;
    struct analyzer a = {.profile = profile, .rule = rule};
    a.warps = count(&a, "warps.executed");
    if (!(a.warps > 0))
        return cli_error(cli, EXIT_INPUT,
                         "--format analyzer requires the number of executed warps "
                         "(warps.executed), which the profile lacks");
    int exit_code = cli_text_open(cli, &text);
    if (exit_code != EXIT_DONE) return exit_code;
    a.out = text.out;
    ws_profile_shape(profile, grid, block);
    stars(&a);
    fprintf(a.out, "%-24s %llu\n", "Threads", (unsigned long long)block[0] * block[1] * block[2]);
    fprintf(a.out, "%-24s %llu\n", "Blocks", (unsigned long long)grid[0] * grid[1] * grid[2]);
    stars(&a);
    line(&a, "Total", count(&a, "inst.warp"));
    print_memory(&a);
    print_classes(&a);
    print_spaces(&a);
    return cli_text_close(cli, &text, output);
}

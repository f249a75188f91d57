// SPDX-License-Identifier: Apache-2.0
#include "answer/access_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Which counters hold what for one space and operation. */
struct access_kind {
    const char *name;
    bool is_shared;
    enum counter requests, bytes;
    enum counter sectors, uncoalesced_sector;
    enum counter cc10, uncoalesced_cc10, cc12, uncoalesced_cc12;
    enum counter wavefronts32, conflicts32, wavefronts16, conflicts16;
};

#define GLOBAL_KIND(name_, SPACE, OP)                                                              \
    {                                                                                              \
        .name = name_, .requests = COUNTER_MEM_##SPACE##_##OP##_REQUESTS,                          \
        .bytes = COUNTER_MEM_##SPACE##_##OP##_BYTES_REQUESTED,                                     \
        .sectors = COUNTER_MEM_##SPACE##_##OP##_SECTORS32,                                         \
        .uncoalesced_sector = COUNTER_MEM_##SPACE##_##OP##_UNCOALESCED_SECTOR,                     \
        .cc10 = COUNTER_MEM_##SPACE##_##OP##_TRANSACTIONS_CC10,                                    \
        .uncoalesced_cc10 = COUNTER_MEM_##SPACE##_##OP##_UNCOALESCED_CC10,                         \
        .cc12 = COUNTER_MEM_##SPACE##_##OP##_TRANSACTIONS_CC12,                                    \
        .uncoalesced_cc12 = COUNTER_MEM_##SPACE##_##OP##_UNCOALESCED_CC12,                         \
    }
#define SHARED_KIND(name_, OP)                                                                     \
    {                                                                                              \
        .name = name_, .is_shared = true, .requests = COUNTER_MEM_SHARED_##OP##_REQUESTS,          \
        .bytes = COUNTER_MEM_SHARED_##OP##_BYTES_REQUESTED,                                        \
        .wavefronts32 = COUNTER_MEM_SHARED_##OP##_WAVEFRONTS32,                                    \
        .conflicts32 = COUNTER_MEM_SHARED_##OP##_CONFLICTS32,                                      \
        .wavefronts16 = COUNTER_MEM_SHARED_##OP##_WAVEFRONTS16,                                    \
        .conflicts16 = COUNTER_MEM_SHARED_##OP##_CONFLICTS16,                                      \
    }

static const struct access_kind kinds[] = {
    GLOBAL_KIND("global load", GLOBAL, LOAD),     GLOBAL_KIND("global store", GLOBAL, STORE),
    GLOBAL_KIND("global atomic", GLOBAL, ATOMIC), GLOBAL_KIND("local load", LOCAL, LOAD),
    GLOBAL_KIND("local store", LOCAL, STORE),     SHARED_KIND("shared load", LOAD),
    SHARED_KIND("shared store", STORE),           SHARED_KIND("shared atomic", ATOMIC),
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

/* A counter of one instruction, or of the launch if there is none. An instruction keeps only
 * counters that are not zero, so the launch says whether it was counted at all. */
static bool counted(const struct profile *profile, const struct instruction_profile *insn,
                    enum counter counter, double *out)
{
    if (!profile_has(profile, counter)) return false;
    *out = insn ? instruction_counter(insn, counter) : profile_get(profile, counter);
    return true;
}

/* Fewest that the requests could need: what they need if none is worse than the fewest, else from
 * their mean width: sectors of 32 bytes, or a transaction for each half-warp. */
static double ideal_count(const struct access_row *row, double uncoalesced,
                          const struct access_rule *rule)
{
    if (uncoalesced == 0) return row->served;
    double bytes = row->bytes_per_request;
    double each = rule->global == RULE_IS_SECTOR ? ceil(bytes / 32) : bytes > 256 ? 4 : 2;
    double ideal = fmax(each, 1) * row->requests;
    return fmin(ideal, row->served);
}

static void fill_global(struct access_row *row, const struct profile *profile,
                        const struct access_kind *kind, const struct access_rule *rule)
{
    enum counter served = rule->global == RULE_IS_CC10   ? kind->cc10
                          : rule->global == RULE_IS_CC12 ? kind->cc12
                                                         : kind->sectors;
    enum counter beyond = rule->global == RULE_IS_CC10   ? kind->uncoalesced_cc10
                          : rule->global == RULE_IS_CC12 ? kind->uncoalesced_cc12
                                                         : kind->uncoalesced_sector;
    double uncoalesced;
    if (!counted(profile, row->insn, served, &row->served)) return;
    if (counted(profile, row->insn, beyond, &uncoalesced))
        row->ideal = ideal_count(row, uncoalesced, rule);
}

static void fill_shared(struct access_row *row, const struct profile *profile,
                        const struct access_kind *kind, const struct access_rule *rule)
{
    bool has16 = rule->is_half_warp && profile_has(profile, kind->wavefronts16);
    enum counter served = has16 ? kind->wavefronts16 : kind->wavefronts32;
    enum counter beyond = has16 ? kind->conflicts16 : kind->conflicts32;
    if (rule->is_half_warp && !has16) return;
    if (!counted(profile, row->insn, served, &row->served)) return;
    if (counted(profile, row->insn, beyond, &row->conflicts))
        row->ideal = row->served - row->conflicts;
}

static bool make_row(const struct profile *profile, const struct instruction_profile *insn,
                     const struct access_kind *kind, const struct access_rule *rule,
                     struct access_row *out)
{
    double bytes = 0;
    *out = (struct access_row){
        .insn = insn, .copies = 1, .is_shared = kind->is_shared, .served = -1, .ideal = -1};
    out->name = insn && insn->op ? insn->op : kind->name;
    if (!counted(profile, insn, kind->requests, &out->requests) || out->requests <= 0) return false;
    if (counted(profile, insn, kind->bytes, &bytes)) out->bytes_per_request = bytes / out->requests;
    (kind->is_shared ? fill_shared : fill_global)(out, profile, kind, rule);
    return true;
}

/* Sectors of the whole request count four times a wavefront's share of the SM's time at most; the
 * order only has to put the costly and the wasteful first. */
static double row_weight(const struct access_row *row)
{
    double served = row->served >= 0 ? row->served : row->requests;
    double waste = row->ideal >= 0 ? served - row->ideal : 0;
    return (row->is_shared ? 1 : 4) * (served + waste);
}

static int compare_rows(const void *a, const void *b)
{
    const struct access_row *x = a, *y = b;
    double wx = row_weight(x), wy = row_weight(y);
    if (wx != wy) return wx < wy ? 1 : -1;
    if (x->insn && y->insn && x->insn->pc != y->insn->pc) return x->insn->pc < y->insn->pc ? -1 : 1;
    return strcmp(x->name, y->name);
}

static bool same_access(const struct access_row *a, const struct access_row *b)
{
    if (!a->insn || !b->insn || !a->insn->source_line || !a->insn->file || !b->insn->file)
        return false;
    return a->insn->source_line == b->insn->source_line && a->is_shared == b->is_shared &&
           !strcmp(a->name, b->name) && !strcmp(a->insn->file, b->insn->file);
}

/* Sums stay missing if one part is. */
static double add_known(double a, double b)
{
    return a < 0 || b < 0 ? -1 : a + b;
}

static void merge_row(struct access_row *into, const struct access_row *row)
{
    double bytes =
        into->bytes_per_request * into->requests + row->bytes_per_request * row->requests;
    into->copies += row->copies;
    into->requests += row->requests;
    into->bytes_per_request = bytes / into->requests;
    into->served = add_known(into->served, row->served);
    into->ideal = add_known(into->ideal, row->ideal);
    into->conflicts += row->conflicts;
}

struct access_row *access_table(const struct profile *profile, const struct access_rule *rule,
                                size_t *out_count)
{
    size_t count = 0, capacity = 0;
    struct access_row *rows = NULL, row;
    uint32_t sources = profile->instruction_count ? profile->instruction_count : 1;
    for (uint32_t i = 0; i < sources; i++) {
        const struct instruction_profile *insn =
            profile->instruction_count ? &profile->instructions[i] : NULL;
        for (size_t k = 0; k < KIND_COUNT; k++) {
            size_t same = 0;
            if (!make_row(profile, insn, &kinds[k], rule, &row)) continue;
            while (same < count && !same_access(&rows[same], &row))
                same++;
            if (same < count) {
                merge_row(&rows[same], &row);
                continue;
            }
            GROW(rows, count, capacity);
            rows[count++] = row;
        }
    }
    if (count) qsort(rows, count, sizeof *rows, compare_rows);
    *out_count = count;
    return rows;
}

/* ---- hot lines ------------------------------------------------------------------------------- */

/* Traces tell lines, but not of which file: it is then the same for all. */
static bool has_source(const struct instruction_profile *insn)
{
    return insn->source_line && (insn->file || insn->is_native);
}

static bool on_same_line(const struct instruction_profile *a, const struct instruction_profile *b)
{
    if (has_source(a) != has_source(b)) return false;
    if (!has_source(a)) return a->line == b->line;
    if (a->source_line != b->source_line) return false;
    return a->file == b->file || (a->file && b->file && !strcmp(a->file, b->file));
}

static double largest_share(const struct hot_line *line)
{
    return fmax(line->instructions, fmax(line->sectors, line->wavefronts));
}

static uint32_t line_number(const struct instruction_profile *insn)
{
    return has_source(insn) ? insn->source_line : insn->line;
}

static int compare_places(const struct instruction_profile *x, const struct instruction_profile *y)
{
    return x < y ? -1 : x > y;
}

static int compare_lines(const void *a, const void *b)
{
    const struct hot_line *x = a, *y = b;
    double sx = largest_share(x), sy = largest_share(y);
    if (sx != sy) return sx < sy ? 1 : -1;
    uint32_t a_line = line_number(x->insn), b_line = line_number(y->insn);
    if (a_line != b_line) return a_line < b_line ? -1 : 1;
    return compare_places(x->insn, y->insn);
}

/* Instructions of one line follow each other, in their order. */
static int compare_sources(const void *a, const void *b)
{
    const struct instruction_profile *x = ((const struct hot_line *)a)->insn;
    const struct instruction_profile *y = ((const struct hot_line *)b)->insn;
    if (has_source(x) != has_source(y)) return has_source(x) ? 1 : -1;
    uint32_t a_line = line_number(x), b_line = line_number(y);
    if (a_line != b_line) return a_line < b_line ? -1 : 1;
    int order = has_source(x) ? strcmp(x->file ? x->file : "", y->file ? y->file : "") : 0;
    return order ? order : compare_places(x, y);
}

void access_sums_add(struct access_sums *sums, const struct instruction_profile *insn)
{
    for (size_t k = 0; k < KIND_COUNT; k++) {
        double requests = instruction_counter(insn, kinds[k].requests);
        if (kinds[k].is_shared) {
            sums->shared_requests += requests;
            sums->wavefronts += instruction_counter(insn, kinds[k].wavefronts32);
        } else {
            sums->requests += requests;
            sums->sectors += instruction_counter(insn, kinds[k].sectors);
        }
    }
}

static struct hot_line costs_of(const struct instruction_profile *insn)
{
    struct access_sums sums = {0};
    access_sums_add(&sums, insn);
    return (struct hot_line){.insn = insn,
                             .instructions = instruction_counter(insn, COUNTER_INST_WARP),
                             .sectors = sums.sectors,
                             .wavefronts = sums.wavefronts};
}

static void add_costs(struct hot_line *to, const struct hot_line *costs)
{
    to->instructions += costs->instructions;
    to->sectors += costs->sectors;
    to->wavefronts += costs->wavefronts;
}

struct hot_line *hot_lines(const struct profile *profile, size_t *out_count)
{
    size_t count = profile->instruction_count;
    struct hot_line *lines = mem_zalloc(count + 1, sizeof *lines), all = {0};
    for (size_t i = 0; i < count; i++) {
        lines[i] = costs_of(&profile->instructions[i]);
        add_costs(&all, &lines[i]);
    }
    qsort(lines, count, sizeof *lines, compare_sources);
    *out_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (*out_count && on_same_line(lines[*out_count - 1].insn, lines[i].insn))
            add_costs(&lines[*out_count - 1], &lines[i]);
        else
            lines[(*out_count)++] = lines[i];
    }
    for (size_t i = 0; i < *out_count; i++) {
        lines[i].instructions /= all.instructions > 0 ? all.instructions : 1;
        lines[i].sectors /= all.sectors > 0 ? all.sectors : 1;
        lines[i].wavefronts /= all.wavefronts > 0 ? all.wavefronts : 1;
    }
    if (*out_count) qsort(lines, *out_count, sizeof *lines, compare_lines);
    return lines;
}

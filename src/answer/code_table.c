// SPDX-License-Identifier: Apache-2.0
#include "answer/code_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/source_files.h"

/* Where an instruction belongs. Files are numbered as they come; what has no source line is the last. */
struct place {
    uint32_t file, source_line, ptx_line, index;
    size_t rows[CODE_LEVELS];
};
#define NO_FILE UINT32_MAX

struct making {
    struct arena *arena;
    const struct profile *profile;
    const struct code_machine *machines;
    struct code_table *table;
    struct place *places; /* by instruction */
    const char **files;
    uint32_t file_count, file_room;
};

/* ---- places ------------------------------------------------------------------------------------ */

/* Traces tell lines of a file without a name. */
static uint32_t file_number(struct making *m, const struct instruction_profile *insn)
{
    const char *name = insn->file ? insn->file : "";
    if (!insn->source_line) return NO_FILE;
    for (uint32_t i = m->file_count; i-- > 0;)
        if (!strcmp(m->files[i], name)) return i;
    GROW(m->files, m->file_count, m->file_room);
    m->files[m->file_count] = name;
    return m->file_count++;
}

static void find_places(struct making *m)
{
    for (uint32_t i = 0; i < m->profile->instruction_count; i++) {
        const struct instruction_profile *insn = &m->profile->instructions[i];
        m->places[i] = (struct place){.file = file_number(m, insn),
                                      .source_line = insn->source_line,
                                      .ptx_line = instruction_ptx_line(insn),
                                      .index = i};
    }
}

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int by_source(const void *a, const void *b)
{
    const struct place *x = *(struct place *const *)a, *y = *(struct place *const *)b;
    int order = compare_numbers(x->file, y->file);
    if (!order) order = compare_numbers(x->source_line, y->source_line);
    return order ? order : compare_numbers(x->index, y->index);
}

/* What has no line of PTX last. A line whose instructions are of several source lines has a row for each. */
static int by_ptx(const void *a, const void *b)
{
    const struct place *x = *(struct place *const *)a, *y = *(struct place *const *)b;
    int order = compare_numbers(x->ptx_line - 1, y->ptx_line - 1);
    return order ? order : by_source(a, b);
}

/* Native code in the order of its addresses, which is that of the profile unless that was written by hand. */
static int by_index(const void *a, const void *b)
{
    const struct place *x = *(struct place *const *)a, *y = *(struct place *const *)b;
    return compare_numbers(x->index, y->index);
}

static bool same_source(const struct place *a, const struct place *b)
{
    return a->file == b->file && a->source_line == b->source_line;
}

static bool same_row(enum code_level level, const struct place *a, const struct place *b)
{
    if (level == CODE_NATIVE) return false;
    return same_source(a, b) && (level == CODE_SOURCE || a->ptx_line == b->ptx_line);
}

/* Is anything known at the level? */
static bool has_level(const struct making *m, enum code_level level)
{
    bool is_known = false;
    for (uint32_t i = 0; i < m->profile->instruction_count && !is_known; i++)
        is_known = level == CODE_SOURCE ? m->places[i].source_line != 0
                   : level == CODE_PTX  ? m->places[i].ptx_line != 0
                                        : m->profile->instructions[i].is_native;
    return is_known;
}

/* ---- rows -------------------------------------------------------------------------------------- */

static const char *ptx_text(const struct profile *profile, uint32_t line)
{
    size_t low = 0, high = profile->ptx_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (profile->ptx[middle].line < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low < profile->ptx_count && profile->ptx[low].line == line ? profile->ptx[low].text
                                                                      : NULL;
}

static void begin_row(const struct making *m, enum code_level level, const struct place *place,
                      struct code_row *row)
{
    const struct instruction_profile *insn = &m->profile->instructions[place->index];
    const char *own = insn->text ? insn->text : insn->op;
    *row = (struct code_row){.insn = insn, .source = CODE_NO_ROW, .ptx = CODE_NO_ROW};
    row->times = ARENA_ARRAY(m->arena, struct code_time, m->table->machine_count + 1);
    if (level > CODE_SOURCE && m->table->counts[CODE_SOURCE])
        row->source = place->rows[CODE_SOURCE];
    if (level > CODE_PTX && m->table->counts[CODE_PTX]) row->ptx = place->rows[CODE_PTX];
    if (level == CODE_SOURCE) {
        row->line = insn->source_line;
    } else if (level == CODE_NATIVE) {
        row->line = insn->line;
        row->text = own;
    } else {
        row->line = place->ptx_line;
        row->text = insn->is_native ? ptx_text(m->profile, row->line) : own;
    }
}

/* Several statements of one line of PTX. */
static void add_text(const struct making *m, enum code_level level, const struct place *place,
                     struct code_row *row)
{
    const struct instruction_profile *insn = &m->profile->instructions[place->index];
    if (level != CODE_PTX || insn->is_native || !insn->text || !row->text) return;
    row->text = arena_format(m->arena, "%s; %s", row->text, insn->text);
}

static void add_cost(struct code_cost *cost, const struct instruction_profile *insn)
{
    cost->warp_instructions += instruction_counter(insn, COUNTER_INST_WARP);
    cost->thread_instructions += instruction_counter(insn, COUNTER_INST_THREAD);
    access_sums_add(&cost->accesses, insn);
}

/* An instruction's shares by cause; NULL: unknown. */
static const double *shares_of(const struct making *m, size_t machine, uint32_t index)
{
    const struct warp_waits *waits = m->machines[machine].waits;
    if (index >= waits->pc_count || m->profile->instructions[index].pc != index) return NULL;
    return waits->pc_shares + index * waits->cause_count;
}

static bool is_stall(const struct wait_cause *cause)
{
    return strcmp(cause->id, "selected") != 0;
}

/* The time of the instructions of a row. */
static void set_time(const struct making *m, size_t machine, struct place *const *of, size_t count,
                     struct code_time *out)
{
    const struct warp_waits *waits = m->machines[machine].waits;
    double most = 0;
    *out = (struct code_time){.machine = m->machines[machine].id};
    for (size_t k = 0; k < waits->cause_count; k++) {
        double sum = 0;
        for (size_t i = 0; i < count; i++) {
            const double *shares = shares_of(m, machine, of[i]->index);
            sum += shares ? shares[k] : 0;
        }
        out->share += sum;
        if (!is_stall(&waits->causes[k]) || !(sum > most)) continue;
        most = sum;
        out->stall = waits->causes[k].id;
    }
    if (out->stall) out->stall_share = most / out->share;
}

static void make_level(const struct making *m, enum code_level level, struct place **sorted)
{
    static int (*const orders[CODE_LEVELS])(const void *, const void *) = {
        [CODE_SOURCE] = by_source, [CODE_PTX] = by_ptx, [CODE_NATIVE] = by_index};
    size_t count = m->profile->instruction_count, rows = 0;
    if (!has_level(m, level)) return;
    qsort(sorted, count, sizeof(struct place *), orders[level]);
    struct code_row *out = ARENA_ARRAY(m->arena, struct code_row, count + 1);
    for (size_t first = 0, end; first < count; first = end) {
        struct code_row *row = &out[rows];
        begin_row(m, level, sorted[first], row);
        for (end = first;
             end < count && (end == first || same_row(level, sorted[first], sorted[end])); end++) {
            if (end > first) add_text(m, level, sorted[end], row);
            add_cost(&row->cost, &m->profile->instructions[sorted[end]->index]);
            sorted[end]->rows[level] = rows;
        }
        for (size_t k = 0; k < m->table->machine_count; k++)
            set_time(m, k, sorted + first, end - first, &row->times[k]);
        rows++;
    }
    m->table->rows[level] = out;
    m->table->counts[level] = rows;
}

struct code_table *code_table_make(struct arena *arena, const struct profile *profile,
                                   const struct code_machine *machines, size_t machine_count)
{
    struct code_table *table = ARENA_ARRAY(arena, struct code_table, 1);
    size_t count = profile->instruction_count;
    struct making m = {.arena = arena, .profile = profile, .machines = machines, .table = table};
    table->machine_count = machine_count;
    m.places = mem_zalloc(count + 1, sizeof *m.places);
    struct place **sorted = mem_zalloc(count + 1, sizeof *sorted);
    find_places(&m);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &m.places[i];
        add_cost(&table->all, &profile->instructions[i]);
    }
    for (int level = 0; level < CODE_LEVELS; level++)
        make_level(&m, (enum code_level)level, sorted);
    mem_free(sorted);
    mem_free(m.places);
    mem_free(m.files);
    return table;
}

/* ---- source ------------------------------------------------------------------------------------ */

void code_table_read_source(struct arena *arena, const struct profile *profile,
                            struct code_table *table)
{
    struct source_files files = {0};
    const char *path = profile->source_path ? profile->source_path : "";
    const char *slash = strrchr(path, '/');
    const char *folder = slash ? arena_copy_n(arena, path, (size_t)(slash - path)) : NULL;
    for (size_t i = 0; i < table->counts[CODE_SOURCE]; i++) {
        struct code_row *row = &table->rows[CODE_SOURCE][i];
        size_t size;
        if (!row->line || !row->insn->file) continue;
        const char *text = source_files_line(&files, folder, row->insn->file, row->line, &size);
        if (text) row->text = arena_copy_n(arena, text, size);
    }
    source_files_clear(&files);
}

/* ---- the hottest ------------------------------------------------------------------------------- */

static double part_of(double part, double all)
{
    return all > 0 ? part / all : 0;
}

double code_share(const struct code_table *table, const struct code_row *row, size_t machine)
{
    const struct code_cost *cost = &row->cost, *all = &table->all;
    if (machine != CODE_NO_ROW) return row->times[machine].share;
    return fmax(part_of(cost->warp_instructions, all->warp_instructions),
                fmax(part_of(cost->accesses.sectors, all->accesses.sectors),
                     part_of(cost->accesses.wavefronts, all->accesses.wavefronts)));
}

size_t code_hottest(const struct code_table *table, enum code_level level, size_t machine,
                    size_t most, const struct code_row **out)
{
    size_t count = 0;
    for (size_t i = 0; i < table->counts[level]; i++) {
        const struct code_row *row = &table->rows[level][i];
        size_t at = count;
        if (!(code_share(table, row, machine) > 0)) continue;
        while (at > 0 && code_share(table, out[at - 1], machine) < code_share(table, row, machine))
            at--;
        if (at == most) continue;
        if (count < most) count++;
        memmove(out + at + 1, out + at, (count - at - 1) * sizeof *out);
        out[at] = row;
    }
    return count;
}

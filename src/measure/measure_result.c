// SPDX-License-Identifier: Apache-2.0
/* From the sums of a launch to its profile: everything by instruction, class and unit follows from
 * the executions of the code blocks. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isa/matrix.h"
#include "measure/isa_view.h"
#include "measure/l2_history.h"
#include "measure/measure_state.h"

struct measure *measure_begin(struct counting_rules rules)
{
    struct measure *m = mem_zalloc(1, sizeof *m);
    m->rules = rules;
    m->origin = ORIGIN_EMULATED;
    m->observer = (struct observer){&measure_ops, m};
    return m;
}

void measure_set_view(struct measure *measure, enum isa_view view)
{
    measure->view = view;
}

void measure_record_first(struct measure *measure)
{
    measure->records_first = true;
}

void measure_record(struct measure *measure, uint32_t blocks, uint64_t max_bytes)
{
    measure->record_blocks = blocks;
    measure->record_bytes = max_bytes;
}

void measure_set_origin(struct measure *measure, enum origin origin)
{
    measure->origin = origin;
}

struct observer *measure_observer(struct measure *measure)
{
    return &measure->observer;
}

struct stage_sums *stage_sums_create(const struct measure *measure)
{
    struct stage_sums *sums = mem_zalloc(1, sizeof *sums);
    sums->cells = mem_zalloc(measure->launch.code_block_count, sizeof *sums->cells);
    return sums;
}

void stage_sums_destroy(struct stage_sums *sums)
{
    if (!sums) return;
    mem_free(sums->cells);
    mem_free(sums);
}

void stage_sums_add(struct stage_sums *to, const struct stage_sums *from, uint32_t code_blocks)
{
    for (uint32_t i = 0; i < code_blocks; i++) {
        to->cells[i].executions += from->cells[i].executions;
        to->cells[i].lanes += from->cells[i].lanes;
    }
    to->lanes_off += from->lanes_off;
    to->divergent += from->divergent;
    for (unsigned kind = 0; kind < MEMORY_KIND_COUNT; kind++)
        for (unsigned i = 0; i < COST_FIELDS; i++)
            to->kinds[kind][i] += from->kinds[kind][i];
}

void stage_sums_add_tally(struct stage_sums *sums, const struct pattern_table *patterns,
                          const struct tally *tally)
{
    for (uint32_t i = 0; i < tally->size && i < patterns->cost_count; i++) {
        const struct cost *cost = &patterns->costs[i];
        if (!tally->counts[i]) continue;
        for (unsigned k = 0; k < COST_FIELDS; k++)
            sums->kinds[cost->kind][k] += cost->fields[k] * tally->counts[i];
    }
}

void measure_cancel(struct measure *m)
{
    if (!m) return;
    for (uint32_t i = 0; i < STAGE_COUNT; i++)
        stage_sums_destroy(m->stages[i]);
    trace_recorder_destroy(m->recorder);
    dep_plan_clear(&m->dep);
    load_plan_clear(&m->loads);
    mem_free((void *)(uintptr_t)m->launch.insns);
    mem_free((void *)(uintptr_t)m->launch.code_blocks);
    mem_free(m->site_of);
    mem_free(m->site_insns);
    mem_free(m->is_texture);
    mem_free(m->is_exit);
    mem_free(m->ends_in_exit);
    mem_free(m->lanes_off);
    mem_free(m->divergent);
    mem_free(m->sites);
    mem_free(m->views);
    sample_clear(&m->sample);
    grid_work_clear(&m->work);
    footprint_clear(&m->read);
    footprint_clear(&m->written);
    footprint_clear(&m->texture);
    mem_free(m);
}

/* ---- counters of instructions ---------------------------------------------------------------- */

struct result {
    const struct measure *measure;
    struct profile *profile;
    struct cell *cells; /* by code block, over all stages */
    enum origin origin;
    double scale; /* blocks of the grid / blocks executed */
};

static const struct insn_view *view_of(const struct measure *m, uint32_t pc)
{
    return m->views ? &m->views[pc] : NULL;
}

static bool is_branch(const struct insn *insn)
{
    return insn->op == OP_BRA || insn->op == OP_BRX;
}

static bool is_barrier(const struct insn *insn)
{
    if (insn->op == OP_CLUSTER_WAIT) return true;
    return (insn->op == OP_BAR || insn->op == OP_BARRIER) && insn->sub_op != SUB_WARP_SYNC;
}

/* Multiply-adds of a product by a warp, as many as tensor cores do of fp16 in that time: their rate is inverse to the bits
 * of the factors (tf32 counts as 32), but f64 has a sixteenth of it (A100: 19.5 of 312 Tflop/s, NVIDIA's table of it).
 * Narrower types have at most the rate that follows; those that are sparse count what is stored. */
static uint64_t tensor_work(const struct insn *insn)
{
    enum { FP16_BITS = 16, F64_FACTOR = 16, QUADS = 4 };
    const struct matrix_form *form = insn->matrix;
    if (insn->class_id != CLASS_TENSOR || !form) return 0;
    uint64_t products = (uint64_t)form->m * form->n * matrix_stored(form);
    unsigned bits = matrix_bits(form, MATRIX_A);
    if (form->in_quads) products *= QUADS;
    return bits == 64 ? products * F64_FACTOR : products * bits / FP16_BITS;
}

/* What tensor cores read from shared memory, as loads without requests, at the width of the banks: 128 bytes a cycle (a guess:
 * products of n below 64 are then bound by it). */
static void add_product(uint64_t *counts, const struct insn *insn, uint64_t executions)
{
    enum { WAVEFRONT_BYTES = 128 };
    if (insn->op != OP_WGMMA) return;
    uint64_t bytes = executions * matrix_shared_bytes(insn->matrix);
    counts[COUNTER_MEM_SHARED_LOAD_BYTES_REQUESTED] += bytes;
    counts[COUNTER_MEM_SHARED_LOAD_WAVEFRONTS32] += bytes / WAVEFRONT_BYTES;
    counts[COUNTER_MEM_SHARED_LOAD_WAVEFRONTS16] += bytes / (WAVEFRONT_BYTES / 2);
}

static uint64_t once_in(const struct insn_view *view)
{
    return view && view->every ? view->every : 1;
}

/* Executions of the code block with which the instruction of `cell` is issued. */
static const struct cell *issuing_cell(const struct insn_view *view, const struct cell *cells,
                                       const struct cell *cell)
{
    return view && view->issued_with ? &cells[view->issued_with - 1] : cell;
}

/* `counts` has COUNTER_COUNT elements. Guards and divergence are added by the callers. `view` NULL:
 * as it stands in PTX. `with` is issuing_cell's. */
static void add_insn(uint64_t *counts, const struct insn *insn, const struct insn_view *view,
                     const struct cell *cell, const struct cell *with)
{
    uint64_t issued = isa_view_issued(view), every = once_in(view);
    uint64_t on = view && view->guard_branch ? cell->lanes : with->lanes;
    counts[COUNTER_INST_WARP] += with->executions * issued / every;
    counts[COUNTER_INST_THREAD] += on * issued / every;
    counts[COUNTER_INST_THREAD_ACTIVE] += with->lanes * issued / every;
    if (is_branch(insn)) counts[COUNTER_BRANCH_WARP] += cell->executions;
    if (is_barrier(insn)) counts[COUNTER_BARRIER_WARP] += cell->executions;
    counts[COUNTER_TENSOR_FMA] += cell->executions * tensor_work(insn);
    add_product(counts, insn, cell->executions);
    if (!view) return;
    counts[COUNTER_INST_PTX_WARP] += cell->executions;
    if (view->fold == VIEW_SHARED_LOAD) counts[COUNTER_VIEW_FOLDED_SHARED] += cell->executions;
    if (view->fold == VIEW_ADDRESS || view->fold == VIEW_MERGED || view->fold == VIEW_GUARD)
        counts[COUNTER_VIEW_FOLDED_ADDRESS] += cell->executions;
    if (view->fold == VIEW_NEGATION) counts[COUNTER_VIEW_FOLDED_NEGATION] += cell->executions;
    if (view->is_sequence) counts[COUNTER_VIEW_EXPANDED] += cell->executions;
    if (view->reads_shared) counts[isa_view_shared_counter(insn->class_id)] += cell->executions;
}

/* Lanes with a false guard among the thread instructions that add_insn counts; of a sequence the first has the
 * guard. */
static uint64_t lanes_off(const struct measure *m, uint32_t pc)
{
    const struct insn_view *view = view_of(m, pc);
    return isa_view_issued(view) ? m->lanes_off[pc] / once_in(view) : 0;
}

static void add_class(uint64_t *counts, const struct insn *insn, const struct insn_view *view,
                      const struct cell *cell)
{
    uint64_t issued = isa_view_issued(view), every = once_in(view);
    bool is_sequence = view && view->is_sequence && issued;
    for (unsigned i = 0; is_sequence && i < VIEW_PARTS; i++)
        counts[COUNTER_INST_WARP_FIRST + view->parts[i].class_id] +=
            cell->executions * view->parts[i].count / every;
    bool is_texture = view && view->is_texture;
    unsigned class_id = is_texture ? CLASS_MEM_TEXTURE_LOAD : insn->class_id;
    if (!is_sequence)
        counts[COUNTER_INST_WARP_FIRST + class_id] += cell->executions * issued / every;
    for (int unit = 0; unit < UNIT_COUNT; unit++) {
        if (!(insn->units >> unit & 1) || (is_texture && unit == UNIT_GLOBAL)) continue;
        /* A load that folds into arithmetic keeps shared memory busy all the same. */
        bool is_merged = view && view->fold == VIEW_MERGED;
        uint64_t used = unit == UNIT_SHARED && !is_merged ? every : issued;
        counts[COUNTER_INST_UNIT_FIRST + unit] += cell->executions * used / every;
    }
    if (is_texture) counts[COUNTER_INST_UNIT_FIRST + UNIT_TEXTURE] += cell->executions;
}

static void add_kind(uint64_t *counts, enum memory_kind kind, const uint64_t *sums)
{
    for (unsigned i = 0; i < memory_kind_fields[kind]; i++)
        counts[memory_kind_counters[kind] + i] += sums[i];
}

static void expand_stage(const struct measure *m, const struct stage_sums *sums, uint64_t *counts)
{
    for (uint32_t i = 0; i < m->launch.code_block_count; i++) {
        const struct code_block *code = &m->launch.code_blocks[i];
        const struct insn_view *first = view_of(m, code->first);
        if (!issuing_cell(first, sums->cells, &sums->cells[i])->executions) continue;
        for (uint32_t k = 0; k < code->count; k++) {
            const struct insn *insn = m->launch.insns[code->first + k];
            const struct insn_view *view = view_of(m, code->first + k);
            const struct cell *cell = &sums->cells[i];
            const struct cell *with = issuing_cell(view, sums->cells, cell);
            add_insn(counts, insn, view, cell, with);
            add_class(counts, insn, view, with);
        }
    }
    for (int kind = 0; kind < MEMORY_KIND_COUNT; kind++)
        add_kind(counts, (enum memory_kind)kind, sums->kinds[kind]);
    counts[COUNTER_INST_THREAD] -= sums->lanes_off;
    counts[COUNTER_BRANCH_DIVERGENT] += sums->divergent;
}

/* ---- the launch ------------------------------------------------------------------------------ */

/* A sampled count is scaled to the whole grid and rounded. */
static double scaled(const struct result *r, uint64_t count)
{
    return r->scale > 1 ? nearbyint((double)count * r->scale) : (double)count;
}

static void set_missing(struct profile *profile, enum counter counter, const char *reason)
{
    profile->counters[counter] = (struct counter_value){.reason = reason};
}

static void set_counts(const struct result *r, const uint64_t *counts)
{
    for (int i = 0; i < COUNTER_COUNT; i++) {
        unsigned rule = counter_rule((enum counter)i);
        if (isa_view_has((enum counter)i) && !r->measure->views)
            set_missing(r->profile, (enum counter)i, "no --isa-view requested");
        else if (rule && !(rule & r->measure->rules.set))
            set_missing(r->profile, (enum counter)i, "rule not requested");
        else
            profile_set(r->profile, (enum counter)i, scaled(r, counts[i]), r->origin);
    }
}

static void set_mean(const struct result *r, enum counter counter, uint64_t sum, uint64_t count,
                     const char *reason)
{
    if (count)
        profile_set(r->profile, counter, (double)sum / (double)count, r->origin);
    else
        set_missing(r->profile, counter, reason);
}

static void set_dependences(const struct result *r, uint64_t loads)
{
    const struct measure *m = r->measure;
    uint64_t insns = 0, paths = 0;
    for (uint32_t i = 0; i < m->launch.code_block_count; i++) {
        const struct code_block *code = &m->launch.code_blocks[i];
        insns += r->cells[i].executions * code->count;
        paths += r->cells[i].executions * code->block->critical_path;
    }
    set_mean(r, COUNTER_DEP_DISTANCE, m->dep_sums.distance, m->dep_sums.consumers,
             "no instruction reads a previously written register");
    set_mean(r, COUNTER_DEP_ILP, insns, paths, "no instruction was executed");
    set_mean(r, COUNTER_MEM_MSTR, loads, m->load_groups, "no load from global or local memory");
}

/* A trace shows lanes with true guard. Which others are active is inferred: those of the other
 * instructions of the basic block. */
static void mark_inferred(struct profile *profile)
{
    profile->counters[COUNTER_INST_THREAD_ACTIVE].origin = ORIGIN_MODELLED;
    profile->counters[COUNTER_BRANCH_DIVERGENT].origin = ORIGIN_MODELLED;
}

void measure_ranges(const struct measure *measure, struct l2_ranges *read,
                    struct l2_ranges *written, struct l2_ranges *texture)
{
    l2_ranges_take(read, &measure->read);
    l2_ranges_take(written, &measure->written);
    l2_ranges_take(texture, &measure->texture);
}

static void set_footprint(struct result *r)
{
    const struct measure *m = r->measure;
    const struct {
        enum counter counter;
        const struct footprint *footprint;
    } sides[TOUCH_COUNT] = {[TOUCH_READ] = {COUNTER_MEM_GLOBAL_READ_FOOTPRINT, &m->read},
                            [TOUCH_WRITTEN] = {COUNTER_MEM_GLOBAL_WRITTEN_FOOTPRINT, &m->written},
                            [TOUCH_TEXTURE] = {COUNTER_MEM_TEXTURE_READ_FOOTPRINT, &m->texture}};
    for (unsigned i = 0; i < TOUCH_COUNT; i++) {
        struct counter_value *value = &r->profile->counters[sides[i].counter];
        if (r->origin != ORIGIN_SAMPLED)
            profile_set(r->profile, sides[i].counter, (double)footprint_sectors(sides[i].footprint),
                        r->origin);
        else if (m->sample.run_count)
            sample_footprint(m, i, value);
        else
            *value = (struct counter_value){.reason = "only some of the blocks were executed"};
    }
}

/* Loads that do not look into L1: .cg and .cv, and those that must see what others wrote, as L1
 * caches are not coherent (volatile, relaxed, acquire). */
static bool is_past_l1(const struct insn *insn)
{
    bool is_load = insn_operation(insn) == MEMORY_LOAD;
    return is_load && (insn->cache_op == CACHE_CG || insn->cache_op == CACHE_CV ||
                       insn->semantics != MEM_WEAK);
}

bool measure_is_past_l1(const struct measure *m, uint32_t site)
{
    return is_past_l1(m->launch.insns[m->site_insns[site]]);
}

static void add_past_l1(const struct measure *m, uint64_t *counts)
{
    for (uint32_t i = 0; i < m->site_count; i++) {
        const uint64_t *sums = m->sites[i].spaces[SITE_GLOBAL];
        if (!measure_is_past_l1(m, i)) continue;
        counts[COUNTER_MEM_GLOBAL_PAST_L1_SECTORS32] += sums[COST_SECTORS32];
        counts[COUNTER_MEM_GLOBAL_PAST_L1_LINES128] += sums[COST_LINES128];
    }
}

void measure_expand(const struct measure *m, const struct stage_sums *all, uint64_t blocks,
                    uint64_t load_groups, uint64_t counts[COUNTER_COUNT])
{
    uint64_t loads = 0;
    expand_stage(m, all, counts);
    for (uint32_t i = 0; i < m->launch.code_block_count; i++)
        loads += all->cells[i].executions * m->loads.blocks[i].loads;
    counts[COUNTER_WARPS_EXECUTED] = blocks * m->launch.warps_per_block;
    counts[COUNTER_MEM_LOADS] = loads;
    counts[COUNTER_MEM_GROUPS] = load_groups;
    counts[COUNTER_MEM_INDEPENDENT] = loads - load_groups;
}

static void set_launch_counters(struct result *r)
{
    const struct measure *m = r->measure;
    uint64_t *counts = mem_zalloc(COUNTER_COUNT, sizeof *counts);
    struct stage_sums *all = stage_sums_create(m);
    for (uint32_t i = 0; i < STAGE_COUNT; i++)
        if (m->stages[i]) stage_sums_add(all, m->stages[i], m->launch.code_block_count);
    all->lanes_off = 0;
    for (uint32_t pc = 0; pc < m->launch.insn_count; pc++)
        all->lanes_off += lanes_off(m, pc);
    measure_expand(m, all, m->blocks, m->load_groups, counts);
    stage_sums_destroy(all);
    add_past_l1(m, counts);
    set_counts(r, counts);
    /* Not scaled: it says how many really ran. */
    profile_set(r->profile, COUNTER_BLOCKS_EXECUTED, (double)m->blocks, m->origin);
    if (m->launch.module->native) mark_inferred(r->profile);
    set_dependences(r, counts[COUNTER_MEM_LOADS]);
    set_footprint(r);
    if (r->origin == ORIGIN_SAMPLED && m->sample.run_count) sample_intervals(m, r->profile);
    mem_free(counts);
}

/* Σ static part of the distances, by executions. */
static void add_static_distances(struct measure *m, const struct cell *cells)
{
    for (uint32_t i = 0; i < m->launch.code_block_count; i++) {
        m->dep_sums.distance += cells[i].executions * m->dep.blocks[i].distance;
        m->dep_sums.consumers += cells[i].executions * m->dep.blocks[i].consumers;
    }
}

/* ---- instructions and stages ----------------------------------------------------------------- */

/* The statement as written, with its guard, up to the semicolon; white space is one blank. */
static const char *statement_text(struct arena *arena, const struct module *module,
                                  const char *const *lines, uint32_t line_count,
                                  const struct insn *insn)
{
    char text[160];
    size_t length = 0;
    if (!insn->line || insn->line > line_count) return NULL;
    const char *line = lines[insn->line - 1], *end = module->ptx + module->ptx_size, *from = line;
    size_t skipped = insn->column ? insn->column - 1 : 0, room = (size_t)(end - line);
    from += skipped < room ? skipped : room;
    while (from > line && !strchr(";{}:", from[-1]))
        from--;
    for (; from < end && *from != ';' && length < sizeof text; from++) {
        bool blank = isspace((unsigned char)*from);
        if (!blank)
            text[length++] = *from;
        else if (length && text[length - 1] != ' ')
            text[length++] = ' ';
    }
    while (length && text[length - 1] == ' ')
        length--;
    return arena_copy_n(arena, text, length);
}

static const char **find_lines(const struct module *module, uint32_t *out_count)
{
    const char **lines = NULL;
    uint32_t count = 0, capacity = 0;
    *out_count = 0;
    if (!module->ptx) return NULL;
    const char *at = module->ptx, *end = at + module->ptx_size;
    while (at && at < end) {
        GROW(lines, count, capacity);
        lines[count++] = at;
        at = memchr(at, '\n', (size_t)(end - at));
        if (at) at++;
    }
    *out_count = count;
    return lines;
}

/* Text and line of PTX of native code: all that a kernel may reach is in its own list. */
static void set_native_texts(struct result *r)
{
    const struct launch_view *launch = &r->measure->launch;
    const struct function *entry = &launch->module->functions[launch->entry];
    struct profile *profile = r->profile;
    if (!entry->native_code) return; /* PTX, or a trace */
    const struct native_texts *texts = module_native_texts(launch->module, entry);
    for (uint32_t pc = 0; pc < profile->instruction_count; pc++) {
        ptrdiff_t index = launch->insns[pc] - entry->insns;
        profile->instructions[pc].ptx_line = entry->native_code->places[index].ptx_line;
        profile->instructions[pc].text = arena_copy(&profile->arena, texts->insns[index]);
    }
    profile->ptx = ARENA_ARRAY(&profile->arena, struct ptx_text, texts->ptx_count + 1);
    profile->ptx_count = texts->ptx_count;
    for (uint32_t i = 0; i < texts->ptx_count; i++)
        profile->ptx[i] =
            (struct ptx_text){texts->ptx[i].line, arena_copy(&profile->arena, texts->ptx[i].text)};
}

static void set_instruction_counters(const struct result *r, struct instruction_profile *out,
                                     const uint64_t *counts)
{
    struct arena *arena = &r->profile->arena;
    for (int i = 0; i < COUNTER_COUNT; i++)
        out->counter_count += counts[i] != 0;
    uint16_t *ids = ARENA_ARRAY(arena, uint16_t, out->counter_count);
    double *values = ARENA_ARRAY(arena, double, out->counter_count);
    uint32_t at = 0;
    for (int i = 0; i < COUNTER_COUNT; i++) {
        if (!counts[i]) continue;
        ids[at] = (uint16_t)i;
        values[at++] = scaled(r, counts[i]);
    }
    out->counters = ids;
    out->values = values;
}

static void count_instruction(const struct result *r, uint32_t pc, const struct cell *cell,
                              uint64_t *counts)
{
    const struct measure *m = r->measure;
    const struct insn *insn = m->launch.insns[pc];
    const struct insn_view *view = view_of(m, pc);
    add_insn(counts, insn, view, cell, issuing_cell(view, r->cells, cell));
    counts[COUNTER_INST_THREAD] -= lanes_off(m, pc);
    counts[COUNTER_BRANCH_DIVERGENT] += m->divergent[pc];
    if (m->site_of[pc] == NO_SITE) return;
    const struct site_sums *site = &m->sites[m->site_of[pc]];
    static const enum mem_space spaces[SITE_SPACES] = {SPACE_GLOBAL, SPACE_LOCAL, SPACE_SHARED};
    for (int i = 0; i < SITE_SPACES; i++) {
        enum memory_kind kind = memory_kind(spaces[i], insn_operation_in(insn, spaces[i]));
        if (kind != MEMORY_KIND_NONE) add_kind(counts, kind, site->spaces[i]);
    }
}

static void set_instructions(struct result *r)
{
    const struct measure *m = r->measure;
    const struct module *module = m->launch.module;
    struct profile *profile = r->profile;
    uint32_t line_count;
    const char **lines = find_lines(module, &line_count);
    profile->instruction_count = m->launch.insn_count;
    profile->instructions =
        ARENA_ARRAY(&profile->arena, struct instruction_profile, m->launch.insn_count);
    for (uint32_t i = 0; i < m->launch.code_block_count; i++) {
        const struct code_block *code = &m->launch.code_blocks[i];
        for (uint32_t pc = code->first; pc < code->first + code->count; pc++) {
            const struct insn *insn = m->launch.insns[pc];
            struct instruction_profile *out = &profile->instructions[pc];
            uint64_t counts[COUNTER_COUNT] = {0};
            out->pc = pc;
            out->line = insn->line;
            out->is_native = module->native != NULL;
            out->source_line = insn->source_line;
            if (insn->source_file && insn->source_file < module->file_count)
                out->file = arena_copy(&profile->arena, module->files[insn->source_file]);
            out->op = arena_copy(&profile->arena, insn->text ? insn->text : "");
            if (!out->is_native)
                out->text = statement_text(&profile->arena, module, lines, line_count, insn);
            out->class_id = insn->class_id;
            out->control = insn->control;
            count_instruction(r, pc, &r->cells[i], counts);
            set_instruction_counters(r, out, counts);
        }
    }
    mem_free(lines);
    set_native_texts(r);
}

static double fixed_mean(measure_u128 sum, uint64_t blocks)
{
    return blocks ? ldexp((double)sum, -RATIO_BITS) / (double)blocks : 0;
}

static void set_stages(struct result *r)
{
    const struct measure *m = r->measure;
    struct profile *profile = r->profile;
    for (uint32_t i = 0; i < STAGE_COUNT; i++)
        profile->stage_count += m->stages[i] && m->stages[i]->blocks;
    profile->stages = ARENA_ARRAY(&profile->arena, struct stage_profile, profile->stage_count);
    struct stage_profile *out = profile->stages;
    for (uint32_t i = 0; i < STAGE_COUNT; i++) {
        const struct stage_sums *sums = m->stages[i];
        if (!sums || !sums->blocks) continue;
        uint64_t counts[COUNTER_COUNT] = {0};
        expand_stage(m, sums, counts);
        out->index = i;
        out->warps_working = fixed_mean(sums->warps_working, sums->blocks);
        out->threads_working = fixed_mean(sums->threads_working, sums->blocks);
        out->shared_warps_working = fixed_mean(sums->shared_warps_working, sums->shared_blocks);
        for (int k = 0; k < COUNTER_COUNT; k++) {
            if (counter_infos[k].staged) out->counters[k] = scaled(r, counts[k]);
        }
        out++;
    }
}

/* ---- identity -------------------------------------------------------------------------------- */

/* Registers of the entry, and of the hungriest function it may call, which saves what it uses. */
static unsigned liveness_registers(const struct measure *m, uint64_t *out_local_bytes)
{
    const struct function *entry = &m->launch.module->functions[m->launch.entry], *last = NULL;
    unsigned most = 0;
    *out_local_bytes = 0;
    for (uint32_t i = 0; i < m->launch.code_block_count; i++) {
        const struct function *function = m->launch.code_blocks[i].function;
        if (function == last) continue; /* code blocks of a function follow each other */
        last = function;
        *out_local_bytes += function->local_bytes;
        if (function != entry && function->max_live_registers > most)
            most = function->max_live_registers;
    }
    return entry->max_live_registers + most;
}

static void set_identity(struct profile *profile, const struct measure *m)
{
    const struct launch_view *launch = &m->launch;
    const struct module *module = launch->module;
    const struct function *entry = &module->functions[launch->entry];
    struct arena *arena = &profile->arena;
    const char *display = entry->display_name ? entry->display_name : entry->name;
    profile->kernel = arena_copy(arena, display ? display : "");
    profile->mangled = entry->name ? arena_copy(arena, entry->name) : NULL;
    const char *target = module->target_name ? module->target_name : "";
    profile->isa = module->native ? arena_copy(arena, module->native)
                   : m->view == ISA_VIEW_NONE
                       ? arena_format(arena, "ptx %u.%u %s", module->version_major,
                                      module->version_minor, target)
                       : arena_format(arena, "ptx %u.%u %s as %s", module->version_major,
                                      module->version_minor, target, isa_view_names[m->view]);
    if (module->language)
        profile->isa = arena_format(arena, "%s from %s", profile->isa, module->language);
    profile->source_path = module->path ? arena_copy(arena, module->path) : NULL;
    memcpy(profile->grid, launch->grid, sizeof profile->grid);
    memcpy(profile->block, launch->block, sizeof profile->block);
    profile->static_shared_bytes = launch->static_shared_bytes;
    profile->dynamic_shared_bytes = launch->dynamic_shared_bytes;
    profile->ordered = entry->ordered;
    unsigned registers = liveness_registers(m, &profile->local_bytes_per_thread);
    if (!registers) return;
    profile->register_count = 1;
    profile->registers[0] =
        (struct register_count){.target = module->target, .value = registers, .from = "liveness"};
}

static struct cell *add_cells(const struct measure *m)
{
    struct cell *cells = mem_zalloc(m->launch.code_block_count, sizeof *cells);
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++) {
        for (uint32_t i = 0; m->stages[stage] && i < m->launch.code_block_count; i++) {
            cells[i].executions += m->stages[stage]->cells[i].executions;
            cells[i].lanes += m->stages[stage]->cells[i].lanes;
        }
    }
    return cells;
}

struct profile *measure_end(struct measure *m, double sampled_fraction)
{
    if (m->sample.run_count) sampled_fraction = (double)m->blocks / (double)m->launch.block_count;
    bool sampled = sampled_fraction > 0 && sampled_fraction < 1 && m->blocks;
    struct result r = {
        .measure = m,
        .profile = profile_create(),
        .origin = sampled ? ORIGIN_SAMPLED : m->origin,
        .scale = sampled ? (double)m->launch.block_count / (double)m->blocks : 1,
    };
    r.profile->sampled_fraction = sampled ? sampled_fraction : 1;
    if (m->rules.set & RULE_CC12) {
        r.profile->cc12_initial_segment = m->rules.segments.initial;
        r.profile->cc12_min_segment = m->rules.segments.least;
    }
    if (m->rules.set & RULE_BANK16) r.profile->half_warp_banks = m->rules.banks;
    if (m->launch.module) {
        r.cells = add_cells(m);
        add_static_distances(m, r.cells);
        set_identity(r.profile, m);
        set_launch_counters(&r);
        set_instructions(&r);
        set_stages(&r);
        r.profile->trace_reason = "not recorded";
        if (m->recorder)
            r.profile->trace =
                trace_recorder_finish(m->recorder, &m->work, r.profile, &r.profile->trace_reason);
        m->recorder = NULL;
        mem_free(r.cells);
    }
    measure_cancel(m);
    return r.profile;
}

/* Warps of the traced blocks stand anywhere: a model that follows them would wait for ever. */
struct profile *measure_end_partial(struct measure *m)
{
    trace_recorder_destroy(m->recorder);
    m->recorder = NULL;
    struct profile *profile = measure_end(m, 1);
    profile->partial = true;
    profile->trace_reason = "interrupted";
    return profile;
}

// SPDX-License-Identifier: Apache-2.0
#include "recommend/what_if.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recommend/hot_line.h"

/* A copy shares texts, instructions and stages with the original: it is changed in its counters and
 * launch only, and freed, never destroyed. */
static struct profile *copy_profile(const struct prediction *prediction)
{
    struct profile *copy = mem_alloc(sizeof *copy);
    profile_copy_fields(copy, prediction->profile);
    return copy;
}

/* What became of a counter of the launch becomes of it in every stage: which stages a change meets is
 * not known. */
static void change_stages(const struct profile *now, struct profile *changed, struct arena *arena)
{
    if (!now->stage_count) return;
    changed->stages = ARENA_ARRAY(arena, struct stage_profile, now->stage_count);
    memcpy(changed->stages, now->stages, now->stage_count * sizeof *now->stages);
    for (unsigned i = 0; i < COUNTER_COUNT; i++) {
        double before = now->counters[i].value, after = changed->counters[i].value;
        if (!counter_infos[i].staged || !(before > 0) || before == after) continue;
        for (uint32_t k = 0; k < now->stage_count; k++)
            changed->stages[k].counters[i] *= after / before;
    }
}

static double predict_gain_anew(const struct prediction *prediction, struct profile *changed)
{
    struct arena arena = {0};
    change_stages(prediction->profile, changed, &arena);
    struct diag diag = {0};
    struct prediction *after = NULL;
    const struct estimate *now = &prediction->estimates[prediction->best];
    struct predict_options options = prediction->options;
    double gain = NAN;
    options.only = now->model;
    options.without_details = true;
    if (model_predict(&diag, changed, prediction->machine, &options, &after) == WS_OK) {
        const struct estimate *then = prediction_find(after, now->model);
        if (then && then->time_seconds > 0) gain = now->time_seconds / then->time_seconds;
    }
    prediction_destroy(after);
    diag_clear(&diag);
    arena_clear(&arena);
    mem_free(changed);
    return gain;
}

static double predict_gain(const struct prediction *prediction, struct profile *changed)
{
    const struct estimate *best = &prediction->estimates[prediction->best];
    if (!models[best->id]->needs_trace) return predict_gain_anew(prediction, changed);
    mem_free(changed); /* of counters: what it follows is the trace */
    return NAN;
}

static void add(struct profile *profile, enum counter counter, double value)
{
    struct counter_value *slot = &profile->counters[counter];
    if (slot->origin != ORIGIN_NONE) slot->value = fmax(0, slot->value + value);
}

static void coalesce(struct profile *changed, const struct instruction_profile *instruction,
                     enum coalescing_rule rule)
{
    enum access_op op;
    struct accesses now;
    if (!accesses_of_instruction(instruction, rule, &op, &now)) return;
    double moved = now.parts[ACCESS_BYTES_MOVED] - accesses_ideal_bytes(&now);
    double requests = now.parts[ACCESS_UNCOALESCED];
    add(changed, access_counter(op, ACCESS_COALESCED, rule), requests);
    add(changed, access_counter(op, ACCESS_UNCOALESCED, rule), -requests);
    add(changed, access_counter(op, ACCESS_UNCOALESCED_TRANSACTIONS, rule),
        -now.parts[ACCESS_UNCOALESCED_TRANSACTIONS]);
    /* By rule 32 bytes moved are the sectors' counter. */
    add(changed, access_counter(op, ACCESS_BYTES_MOVED, rule),
        rule == RULE_IS_SECTOR ? -moved / 32 : -moved);
}

double what_if_coalesced(const struct prediction *prediction,
                         const struct instruction_profile *instruction)
{
    const struct profile *profile = prediction->profile;
    struct profile *changed = copy_profile(prediction);
    for (uint32_t i = 0; i < profile->instruction_count; i++) {
        const struct instruction_profile *other = &profile->instructions[i];
        if (other->class_id == instruction->class_id && hot_same_line(other, instruction))
            coalesce(changed, other, coalescing_rule_of(prediction->machine));
    }
    return predict_gain(prediction, changed);
}

static void scale(struct profile *profile, enum counter counter, double factor)
{
    profile->counters[counter].value *= factor;
}

static const enum insn_class op_classes[ACCESS_OP_COUNT] = {
    [ACCESS_GLOBAL_LOAD] = CLASS_MEM_GLOBAL_LOAD,
    [ACCESS_GLOBAL_STORE] = CLASS_MEM_GLOBAL_STORE,
    [ACCESS_GLOBAL_ATOMIC] = CLASS_MEM_GLOBAL_ATOMIC,
    [ACCESS_LOCAL_LOAD] = CLASS_MEM_LOCAL_LOAD,
    [ACCESS_LOCAL_STORE] = CLASS_MEM_LOCAL_STORE};

double what_if_fewer_accesses(const struct prediction *prediction, unsigned ops, double share,
                              bool drop_instructions)
{
    struct profile *changed = copy_profile(prediction);
    enum coalescing_rule rule = coalescing_rule_of(prediction->machine);
    for (unsigned op = 0; op < ACCESS_OP_COUNT; op++) {
        if (!(ops & 1u << op)) continue;
        enum counter class_counter = (enum counter)(COUNTER_INST_WARP_FIRST + op_classes[op]);
        double requests = profile_get(changed, access_counter(op, ACCESS_REQUESTS, rule)) * share;
        if (drop_instructions) {
            add(changed, COUNTER_INST_WARP, -requests);
            add(changed, class_counter, -requests);
        }
        for (unsigned part = 0; part < ACCESS_PART_COUNT; part++) {
            if (part == ACCESS_BYTES_MOVED && rule == RULE_IS_SECTOR) continue;
            scale(changed, access_counter(op, part, rule), 1 - share);
        }
    }
    return predict_gain(prediction, changed);
}

double what_if_fewer_shared_loads(const struct prediction *prediction, double share)
{
    struct profile *changed = copy_profile(prediction);
    double requests = profile_get(changed, COUNTER_MEM_SHARED_LOAD_REQUESTS) * share;
    add(changed, COUNTER_INST_WARP, -requests);
    add(changed, COUNTER_INST_WARP_MEM_SHARED_LOAD, -requests);
    for (unsigned part = 0; part < SHARED_PART_COUNT; part++)
        for (unsigned half_warp = 0; half_warp < (part == SHARED_REQUESTS ? 1 : 2); half_warp++)
            scale(changed, shared_counter(0, part, half_warp), 1 - share);
    return predict_gain(prediction, changed);
}

double what_if_nothing_unused(const struct prediction *prediction)
{
    struct profile *changed = copy_profile(prediction);
    enum coalescing_rule rule = coalescing_rule_of(prediction->machine);
    for (unsigned op = 0; op < ACCESS_OP_COUNT; op++) {
        struct accesses one = accesses_read(changed, op, rule);
        double moved = one.parts[ACCESS_BYTES_MOVED], asked = one.parts[ACCESS_BYTES_REQUESTED];
        if (moved > asked)
            scale(changed, access_counter(op, ACCESS_BYTES_MOVED, rule), asked / moved);
    }
    return predict_gain(prediction, changed);
}

double what_if_only_floating_point(const struct prediction *prediction)
{
    struct profile *changed = copy_profile(prediction);
    double kept = 0;
    for (unsigned i = 0; i < CLASS_COUNT; i++) {
        enum counter counter = (enum counter)(COUNTER_INST_WARP_FIRST + i);
        if (class_is_float(i))
            kept += profile_get(changed, counter);
        else
            scale(changed, counter, 0);
    }
    if (changed->counters[COUNTER_INST_WARP].origin != ORIGIN_NONE)
        changed->counters[COUNTER_INST_WARP].value = kept;
    return predict_gain(prediction, changed);
}

double what_if_paired_loads(const struct prediction *prediction)
{
    const struct profile *profile = prediction->profile;
    if (!profile_has(profile, COUNTER_MEM_LOADS) || !profile_has(profile, COUNTER_MEM_INDEPENDENT))
        return NAN;
    double loads = profile_get(profile, COUNTER_MEM_LOADS);
    double groups = loads - profile_get(profile, COUNTER_MEM_INDEPENDENT);
    struct profile *changed = copy_profile(prediction);
    changed->counters[COUNTER_MEM_INDEPENDENT].value = loads - groups / 2;
    changed->counters[COUNTER_MEM_MSTR].value *= 2;
    return predict_gain(prediction, changed);
}

/* ---- occupancy ------------------------------------------------------------------------------- */

static bool occupancy_of(const struct prediction *prediction, unsigned registers, uint64_t shared,
                         unsigned *out_blocks)
{
    struct diag diag = {0};
    struct occupancy occupancy = {0};
    struct occupancy_query query = {
        .threads_per_block = profile_threads_per_block(prediction->profile),
        .registers_per_thread = registers,
        .shared_bytes = shared,
    };
    bool fits = machine_occupancy(&diag, prediction->machine, &query, &occupancy) == WS_OK;
    diag_clear(&diag);
    *out_blocks = occupancy.blocks_per_sm;
    return fits;
}

/* Below half of what it uses now a kernel would be another kernel. */
unsigned what_if_find_registers(const struct prediction *prediction, unsigned *out_blocks)
{
    unsigned now = prediction->registers;
    for (unsigned registers = now; registers > 8 && registers > now / 2; registers--)
        if (occupancy_of(prediction, registers, profile_shared_bytes(prediction->profile),
                         out_blocks) &&
            *out_blocks > prediction->occupancy.blocks_per_sm)
            return registers;
    return 0;
}

uint64_t what_if_find_shared(const struct prediction *prediction, unsigned *out_blocks)
{
    enum { STEP = 64 }; /* bytes; units of allocation are multiples of it */
    uint64_t now = profile_shared_bytes(prediction->profile);
    for (uint64_t bytes = now / STEP * STEP; bytes > now / 2; bytes -= STEP)
        if (occupancy_of(prediction, prediction->registers, bytes, out_blocks) &&
            *out_blocks > prediction->occupancy.blocks_per_sm)
            return bytes;
    return 0;
}

double what_if_registers(const struct prediction *prediction, unsigned registers)
{
    struct profile *changed = copy_profile(prediction);
    changed->register_count = 1;
    /* With fewer of them no less is spilled. */
    const struct machine *machine = prediction->machine;
    const struct register_count *now =
        profile_register_entry(prediction->profile, machine->cc_major * 10 + machine->cc_minor);
    struct register_count fewer = now ? *now : (struct register_count){0};
    fewer.target = 0;
    fewer.value = registers;
    fewer.from = "user";
    changed->registers[0] = fewer;
    return predict_gain_anew(prediction, changed);
}

double what_if_shared(const struct prediction *prediction, uint64_t bytes)
{
    struct profile *changed = copy_profile(prediction);
    changed->static_shared_bytes = 0;
    changed->dynamic_shared_bytes = bytes;
    return predict_gain_anew(prediction, changed);
}

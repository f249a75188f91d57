// SPDX-License-Identifier: Apache-2.0
/* The file to read first: how a launch becomes a profile. What is said of it are answers
 * (api_answer.c). Everything else behind warpsage.h only wraps one stage. */
#include "api/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "answer/question.h"
#include "api/l2_log.h"
#include "base/float_state.h"
#include "base/quantity.h"
#include "base/text.h"
#include "measure/cache_section.h"

/* Blocks whose warps are traced if the caller does not say (doc/warp-traces.md), and the memory that
 * they may take: about 80 million accesses. A guess at an acceptable size. */
enum { TRACE_BLOCKS = 32, TRACE_BYTES = 128 << 20 };

/* ---- launch: module -> emulate -> measure -> profile ----------------------------------------- */

ws_status pipeline_rules(struct diag *diag, struct counting_rules *rules)
{
    const struct counting_rules usual = counting_rules_of(rules->set);
    if (!rules->banks) rules->banks = usual.banks;
    if (!rules->segments.initial) rules->segments.initial = usual.segments.initial;
    if (!rules->segments.least) rules->segments.least = usual.segments.least;
    if (rules->banks > BANKS_MAX)
        return diag_error(diag, WS_ERR_ARGUMENT, "%u banks are out of range: expected 1 to %d",
                          rules->banks, BANKS_MAX);
    if (!segments_valid(rules->segments))
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "invalid segment sizes %u to %u bytes: expected powers of two, the "
                          "initial one from 4 to 256, the smallest from 4 to the initial one",
                          rules->segments.initial, rules->segments.least);
    return WS_OK;
}

static uint32_t traced_blocks(uint32_t asked)
{
    return asked == WS_TRACE_NONE ? 0 : asked ? asked : TRACE_BLOCKS;
}

void pipeline_record(struct measure *measure, uint32_t blocks, uint64_t bytes)
{
    if (blocks != WS_TRACE_NONE)
        measure_record(measure, traced_blocks(blocks), bytes ? bytes : TRACE_BYTES);
}

/* Members up to `effort` are the first version of ws_launch; callers compiled against it give no
 * rules and no register targets. */
static ws_status complete_launch(struct diag *diag, const ws_launch *given, ws_launch *out,
                                 struct counting_rules *out_rules)
{
    TRY(handle_check_size(diag, "ws_launch", given->size, offsetof(ws_launch, rules)));
    *out = (ws_launch){0};
    memcpy(out, given, given->size < sizeof *out ? given->size : sizeof *out);
    *out_rules = (struct counting_rules){out->all_rules ? RULES_ALL : out->rules & RULES_ALL,
                                         out->shared_banks,
                                         {out->initial_segment_bytes, out->min_segment_bytes},
                                         false};
    return pipeline_rules(diag, out_rules);
}

/* Native code is what it is. */
static ws_status find_view(struct diag *diag, const ws_module *module, const ws_launch *launch,
                           enum isa_view *out)
{
    *out = ISA_VIEW_NONE;
    if (module->module->native) return WS_OK;
    if (!launch->isa_view || !*launch->isa_view || !strcmp(launch->isa_view, "ptx")) return WS_OK;
    int view = isa_view_find(launch->isa_view);
    if (view < 0) {
        struct arena arena = {0};
        const char *near =
            text_hint(&arena, launch->isa_view, isa_view_names + 1, ISA_VIEW_COUNT - 1);
        diag_error(diag, WS_ERR_ARGUMENT, "unknown ISA view '%s'%s: expected ptx, native or gt200",
                   launch->isa_view, near);
        arena_clear(&arena);
        return WS_ERR_ARGUMENT;
    }
    *out = (enum isa_view)view;
    return WS_OK;
}

static ws_status check_kernel(struct diag *diag, const ws_module *module, const ws_launch *launch)
{
    if (launch->kernel >= module->entry_count)
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "kernel index %zu is out of range: %s has %zu kernels", launch->kernel,
                          module->module->path, module->entry_count);
    const struct function *function = &module->module->functions[module->entries[launch->kernel]];
    if (launch->parameter_bytes < function->parameter_bytes ||
        (function->parameter_bytes && !launch->parameters))
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "%s requires a parameter block of %llu bytes (got %zu)",
                          function->display_name, (unsigned long long)function->parameter_bytes,
                          launch->parameters ? launch->parameter_bytes : 0);
    if (launch->effort < 0 || launch->effort > 1)
        return diag_error(diag, WS_ERR_ARGUMENT, "effort %g is out of range: expected 0 to 1",
                          launch->effort);
    return WS_OK;
}

static const struct register_answer *ask_ptxas(const ws_module *module, uint32_t entry,
                                               unsigned wanted)
{
    struct register_cache *cache = module->registers;
    for (size_t i = 0; i < cache->count; i++)
        if (cache->answers[i].entry == entry && cache->answers[i].wanted == wanted)
            return &cache->answers[i];
    struct register_answer answer = {.entry = entry, .wanted = wanted};
    struct diag ignored = {0}; /* without ptxas, liveness answers and the report says so */
    answer.known = module_ptxas_registers(&ignored, module->module, entry, wanted, &answer.target,
                                          &answer.registers) == WS_OK;
    diag_clear(&ignored);
    GROW(cache->answers, cache->count, cache->capacity);
    mem_keep(cache->answers);
    cache->answers[cache->count++] = answer;
    return &cache->answers[cache->count - 1];
}

static void add_registers(struct profile *profile, unsigned target,
                          struct ptxas_registers registers, const char *from)
{
    for (uint32_t i = 0; i < profile->register_count; i++)
        if (profile->registers[i].target == target && !strcmp(profile->registers[i].from, from))
            return;
    if (profile->register_count == sizeof profile->registers / sizeof *profile->registers) return;
    profile->registers[profile->register_count++] =
        (struct register_count){.target = target,
                                .value = registers.count,
                                .from = from,
                                .spill_store_bytes = registers.spill_store_bytes,
                                .spill_load_bytes = registers.spill_load_bytes};
}

/* Liveness first: the list is short, and this entry must not be the one that is left out. */
static void find_registers(struct profile *profile, const ws_module *module, uint32_t entry,
                           const ws_launch *launch, bool may_ask)
{
    const struct function *function = &module->module->functions[entry];
    profile->register_count = 0;
    if (function->native_code) { /* the file tells it */
        add_registers(profile, module->module->target,
                      (struct ptxas_registers){.count = function->max_live_registers}, "ptxas");
        return;
    }
    if (function->max_live_registers)
        add_registers(profile, 0, (struct ptxas_registers){.count = function->max_live_registers},
                      "liveness");
    unsigned own = module->module->target;
    const unsigned *targets = launch->register_targets ? launch->register_targets : &own;
    size_t count = launch->register_targets ? launch->register_target_count : 1;
    if (!may_ask) return; /* interrupted: ptxas is not started */
    for (size_t i = 0; i < count; i++) {
        const struct register_answer *answer = ask_ptxas(module, entry, targets[i]);
        if (answer->known) add_registers(profile, answer->target, answer->registers, "ptxas");
    }
}

/* Hands the texts over, or frees them. */
static void give_result(const ws_launch *launch, struct launch_result *result)
{
    ws_launch_result *out = launch->result;
    bool takes_undefined = out && out->size > offsetof(ws_launch_result, undefined);
    if (out) {
        out->blocks = result->blocks_executed;
        out->warp_instructions = result->warp_instructions;
        out->fault = result->fault;
        out->tolerated = result->tolerated;
    } else {
        mem_free(result->tolerated);
    }
    if (takes_undefined)
        out->undefined = result->undefined;
    else
        mem_free(result->undefined);
    result->tolerated = result->undefined = NULL;
}

static bool keep_printed(void *user, const char *bytes, size_t size)
{
    strbuf_append(user, bytes, size);
    return true;
}

ws_status pipeline_execute(ws_device *device, const ws_module *module, const ws_launch *launch,
                           const struct execution *how, struct observer *observer,
                           struct launch_result *result)
{
    ws_context *context = device->context;
    struct launch_options options = {
        .entry = module->entries[launch->kernel],
        .dynamic_shared_bytes = launch->dynamic_shared_bytes,
        .parameters = launch->parameters,
        .parameter_bytes = launch->parameter_bytes,
        .max_instructions = launch->max_instructions,
        .grid_workspace = launch->grid_workspace,
        .resident_blocks = launch->resident_blocks,
        .unordered = launch->unordered,
        .effort = launch->effort,
        .seed = launch->seed,
        .traced_blocks = observer ? traced_blocks(launch->trace_blocks) : 0,
        .observer = observer,
        .progress = context->progress,
        .progress_user = context->progress_user,
        .cancel = context->cancel,
        .cancel_user = context->cancel_user,
        .clocks = how->clocks,
        .undo = how->undo,
        .print = how->printed ? keep_printed : context->print,
        .print_user = how->printed ? how->printed : context->print_user,
    };
    memcpy(options.grid, launch->grid, sizeof options.grid);
    memcpy(options.block, launch->block, sizeof options.block);
    memcpy(options.cluster, launch->cluster, sizeof options.cluster);
    return device_launch(&context->diag, device->device, module->module, &options, result);
}

static double executed_fraction(const ws_launch *launch, const struct launch_result *result)
{
    double blocks = (double)launch->grid[0] * launch->grid[1] * launch->grid[2];
    return blocks > 0 ? (double)result->blocks_executed / blocks : 1;
}

static void describe_origin(struct profile *profile, const ws_module *module, uint32_t entry,
                            const ws_launch *launch)
{
    const struct function *function = &module->module->functions[entry];
    struct arena *arena = &profile->arena;
    if (!profile->kernel) profile->kernel = arena_copy(arena, function->display_name);
    if (!profile->mangled) profile->mangled = arena_copy(arena, function->name);
    if (!profile->source_path) profile->source_path = arena_copy(arena, module->module->path);
    profile->ordered = function->ordered && !launch->unordered;
    profile->unordered_by_user = function->ordered && launch->unordered;
}

/* What was counted until the user stopped the launch. */
static struct profile *partial_profile(struct measure *measure, const struct launch_result *result)
{
    struct profile *profile = measure_end_partial(measure);
    uint64_t blocks = profile_blocks(profile);
    profile_add_note(profile,
                     "PARTIAL: the launch was interrupted after %s of %s. Counts and times cover "
                     "that part only.",
                     quantity_count((double)result->blocks_executed).text,
                     quantity_of((double)blocks, "block").text);
    return profile;
}

static void profile_copy_l2(struct profile *to, const struct profile *from)
{
    size_t bytes = from->l2_reuse_count * sizeof *from->l2_reuse;
    to->has_l2_reuse = from->has_l2_reuse;
    to->l2_reuse_count = from->l2_reuse_count;
    to->l2_reuse = arena_alloc(&to->arena, bytes + 1);
    if (bytes) memcpy(to->l2_reuse, from->l2_reuse, bytes);
    to->has_l2_code = from->has_l2_code;
    to->l2_code_bytes = from->l2_code_bytes;
}

static bool tells_repeatable(const ws_launch *launch)
{
    return launch->result && launch->result->size > offsetof(ws_launch_result, is_repeatable);
}

ws_status pipeline_count(ws_device *device, const ws_module *module, const ws_launch *launch,
                         const struct counting_rules *rules, enum isa_view view,
                         const struct execution *how, struct launch_result *result,
                         ws_profile **out)
{
    uint32_t entry = module->entries[launch->kernel];
    struct counting_rules all_rules = *rules;
    all_rules.joins_phases =
        view == ISA_VIEW_NATIVE || module->module->native; /* of cc 7.0 and later */
    struct measure *measure = measure_begin(all_rules);
    measure_set_view(measure, view);
    pipeline_record(measure, launch->trace_blocks, launch->trace_bytes);
    if (how->undo) measure_record_first(measure);
    ws_status status =
        pipeline_execute(device, module, launch, how, measure_observer(measure), result);
    if (status != WS_OK && status != WS_ERR_CANCELLED) {
        measure_cancel(measure);
        return status;
    }
    bool whole = status == WS_OK;
    struct l2_touched *touched =
        how->again ? NULL : l2_log_measured(device, module, launch, measure);
    if (whole && tells_repeatable(launch))
        launch->result->is_repeatable =
            launch_is_repeatable(device, module, launch, measure, result);
    struct profile *profile = whole ? measure_end(measure, executed_fraction(launch, result))
                                    : partial_profile(measure, result);
    describe_origin(profile, module, entry, launch);
    find_registers(profile, module, entry, launch, whole);
    if (result->code_is_refused)
        profile_add_note(profile, "the system refuses memory for machine code: the kernel was "
                                  "interpreted");
    if (module_copies_in_bulk(module->module, entry))
        profile_add_note(profile,
                         "Copies in bulk count as accesses of 512 bytes each, to global and to "
                         "shared memory.");
    if (result->undefined) profile_add_note(profile, "%s", result->undefined);
    l2_log_note(device, launch, touched, profile);
    if (how->again) profile_copy_l2(profile, how->again);
    *out = mem_zalloc(1, sizeof **out);
    **out = (ws_profile){.context = device->context, .profile = profile};
    return status;
}

static ws_status launch_without_memory(ws_device *device, const ws_launch *launch,
                                       ws_profile **out_profile, size_t wanted)
{
    if (out_profile) *out_profile = NULL;
    if (launch->size >= offsetof(ws_launch, result) + sizeof launch->result && launch->result) {
        size_t size = launch->result->size;
        const ws_launch_result none = {.size = size};
        if (size <= sizeof none) memcpy(launch->result, &none, size);
    }
    return diag_out_of_memory(&device->context->diag, wanted);
}

ws_status ws_device_launch(ws_device *device, const ws_module *module, const ws_launch *given,
                           ws_profile **out_profile)
{
    STANDARD_FLOATS;
    API_CALL_OR(return launch_without_memory(device, given, out_profile, point_.wanted))
    struct diag *diag = &device->context->diag;
    struct launch_result result = {0};
    enum isa_view view;
    struct counting_rules rules;
    ws_launch launch;
    if (out_profile) *out_profile = NULL;
    TRY(complete_launch(diag, given, &launch, &rules));
    if (launch.result)
        TRY(handle_check_size(diag, "ws_launch_result", launch.result->size,
                              offsetof(ws_launch_result, undefined)));
    if (launch.counters && !out_profile)
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "counters are requested, but out_profile is NULL: pass out_profile");
    TRY(check_kernel(diag, module, &launch));
    TRY(find_view(diag, module, &launch, &view));
    if (tells_repeatable(&launch)) launch.result->is_repeatable = false;
    device->changes++;
    const struct execution plain = {0};
    ws_status status =
        launch.clock ? clocked_launch(device, module, &launch, &rules, view, &result, out_profile)
        : launch.counters
            ? pipeline_count(device, module, &launch, &rules, view, &plain, &result, out_profile)
            : pipeline_execute(device, module, &launch, &plain, NULL, &result);
    if (!launch.counters && status == WS_OK) l2_log_like(device, module, &launch);
    give_result(&launch, &result);
    return status;
}

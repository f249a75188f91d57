// SPDX-License-Identifier: Apache-2.0
/* Recorded traces: trace -> replay -> measure -> profile. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "api/pipeline.h"
#include "base/float_state.h"

#define UNKNOWN_SHARE 0.01 /* guess: what cannot move a prediction beyond the models' own error */

bool ws_trace_recognises(const char *path)
{
    API_CALL_OR(return false)
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (!strncmp(name, "kernelslist", 11) || strstr(name, ".traceg")) return true;
    return replay_is_trace(path);
}

ws_status ws_trace_open(ws_context *context, const char *path, ws_trace **out)
{
    STANDARD_FLOATS;
    API_CALL_OUT(context, out)
    struct replay_list *list;
    TRY(replay_list_read(&context->diag, path, &list));
    *out = mem_zalloc(1, sizeof **out);
    **out = (ws_trace){.context = context, .list = list};
    return WS_OK;
}

void ws_trace_destroy(ws_trace *trace)
{
    if (!trace) return;
    replay_list_destroy(trace->list);
    mem_free(trace);
}

size_t ws_trace_kernel_count(const ws_trace *trace)
{
    return trace->list->count;
}

static ws_status check_index(const ws_trace *trace, size_t index)
{
    if (index < trace->list->count) return WS_OK;
    return diag_error(&trace->context->diag, WS_ERR_ARGUMENT,
                      "kernel index %zu is out of range: %s has %zu kernels", index,
                      trace->list->path, trace->list->count);
}

ws_status ws_trace_describe(const ws_trace *trace, size_t index, ws_trace_kernel *out)
{
    STANDARD_FLOATS;
    API_CALL(trace->context)
    *out = (ws_trace_kernel){0};
    TRY(check_index(trace, index));
    const struct replay_item *item = &trace->list->items[index];
    const struct replay_header *header = &item->header;
    *out = (ws_trace_kernel){.name = header->display_name,
                             .mangled = header->name,
                             .path = item->path,
                             .target = header->target,
                             .registers = header->registers,
                             .shared_bytes = header->shared_bytes};
    memcpy(out->grid, header->grid, sizeof out->grid);
    memcpy(out->block, header->block, sizeof out->block);
    return WS_OK;
}

/* ---- replay ---------------------------------------------------------------------------------- */

static ws_status complete_options(struct diag *diag, const ws_replay_options *given,
                                  ws_replay_options *out, struct counting_rules *out_rules)
{
    *out = (ws_replay_options){.size = sizeof *out, .unknown_share = -1};
    /* Callers of the first version give no traces. */
    if (given)
        TRY(handle_check_size(diag, "ws_replay_options", given->size,
                              offsetof(ws_replay_options, trace_blocks)));
    if (given) memcpy(out, given, given->size < sizeof *out ? given->size : sizeof *out);
    if (!(out->unknown_share >= 0)) out->unknown_share = UNKNOWN_SHARE;
    *out_rules = (struct counting_rules){out->rules & RULES_ALL,
                                         out->shared_banks,
                                         {out->initial_segment_bytes, out->min_segment_bytes},
                                         false};
    return pipeline_rules(diag, out_rules);
}

static void note_opcodes(struct profile *profile, const struct replay *replay)
{
    const struct replay_opcode *opcodes;
    size_t count = replay_opcodes(replay, &opcodes);
    double all = profile_get(profile, COUNTER_INST_WARP);
    for (size_t i = 0; i < count; i++)
        profile_add_note(profile, "%s opcode %s counts as %s: %llu warp instructions, %.3g %%.",
                         opcodes[i].is_mapped ? "Mapped" : "Unknown", opcodes[i].opcode,
                         class_ids[opcodes[i].class_id], (unsigned long long)opcodes[i].executions,
                         100 * (double)opcodes[i].executions / all);
}

static void note_trace(struct profile *profile, const struct replay *replay)
{
    const struct replay_header *header = replay_header(replay);
    uint64_t blocks = profile_blocks(profile), recorded = replay_blocks(replay);
    if (recorded < blocks)
        profile_add_note(profile,
                         "The trace contains %llu of %llu blocks; the format omits blocks that do "
                         "nothing, so the others are assumed to do nothing.",
                         (unsigned long long)recorded, (unsigned long long)blocks);
    profile_add_note(profile, "Basic blocks, active lanes and divergence are inferred from the "
                              "order and the masks of the trace; predicates are not recorded, so "
                              "dependences through them are not counted.");
    if (profile_get(profile, COUNTER_INST_WARP_FIRST + CLASS_TENSOR) > 0)
        profile_add_note(profile, "Tensor instructions record only the first register of each "
                                  "operand; the number of registers is derived from their shape.");
    note_opcodes(profile, replay);
    if (header->registers)
        profile->registers[profile->register_count++] = (struct register_count){
            .target = header->target, .value = header->registers, .from = "trace"};
}

static ws_status count_trace(struct diag *diag, struct replay *replay, struct counting_rules rules,
                             const ws_replay_options *options, struct profile **out)
{
    rules.joins_phases = !replay_header(replay)->is_ours && replay_header(replay)->target >= 70;
    struct measure *measure = measure_begin(rules);
    bool is_ours = replay_header(replay)->is_ours;
    measure_set_origin(measure, is_ours ? ORIGIN_EMULATED : ORIGIN_MEASURED);
    pipeline_record(measure, options->trace_blocks, options->trace_bytes);
    ws_status status = replay_run(diag, replay, measure_observer(measure));
    if (status != WS_OK) {
        measure_cancel(measure);
        return status;
    }
    *out = measure_end(measure, 1);
    note_trace(*out, replay);
    return WS_OK;
}

ws_status ws_trace_replay(const ws_trace *trace, size_t index, const ws_replay_options *given,
                          ws_profile **out)
{
    STANDARD_FLOATS;
    API_CALL_OUT(trace->context, out)
    ws_context *context = trace->context;
    struct diag *diag = &context->diag;
    struct opcode_map *map = NULL;
    struct replay *replay = NULL;
    struct profile *profile = NULL;
    ws_replay_options options;
    struct counting_rules rules;
    TRY(check_index(trace, index));
    TRY(complete_options(diag, given, &options, &rules));
    if (options.opcode_map) TRY(opcode_map_read(diag, options.opcode_map, &map));
    struct replay_options how = {.map = map,
                                 .unknown_share = options.unknown_share,
                                 .isa_level = device_isa_levels() - 1,
                                 .progress = context->progress,
                                 .progress_user = context->progress_user,
                                 .cancel = context->cancel,
                                 .cancel_user = context->cancel_user};
    ws_status status = replay_open(diag, trace->list->items[index].path, &how, &replay);
    if (status == WS_OK) status = count_trace(diag, replay, rules, &options, &profile);
    replay_destroy(replay);
    opcode_map_destroy(map);
    if (status != WS_OK) return status;
    *out = mem_zalloc(1, sizeof **out);
    **out = (ws_profile){.context = context, .profile = profile};
    return WS_OK;
}

ws_status ws_machine_check_native(const ws_machine *machine, unsigned target)
{
    STANDARD_FLOATS;
    API_CALL(machine->context)
    const struct machine *inner = machine->machine;
    if (target / 10 == inner->cc_major && target % 10 <= inner->cc_minor) return WS_OK;
    if (inner->kind == MACHINE_IS_CPU)
        return diag_error(&machine->context->diag, WS_ERR_ARGUMENT,
                          "the trace is of native code for cc %u.%u, which does not run on %s, a "
                          "CPU: choose a GPU, or override the check with --force-arch",
                          target / 10, target % 10, inner->id);
    return diag_error(
        &machine->context->diag, WS_ERR_ARGUMENT,
        "the trace is of native code for cc %u.%u, which does not run on %s (cc "
        "%u.%u): use a GPU of cc %u.%u or a later %u.x, or override the check with --force-arch",
        target / 10, target % 10, inner->id, inner->cc_major, inner->cc_minor, target / 10,
        target % 10, target / 10);
}

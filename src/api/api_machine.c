// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/handles.h"
#include "base/float_state.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "host/host.h"

ws_status ws_machine_load(ws_context *context, const char *name, ws_machine **out)
{
    STANDARD_FLOATS;
    API_CALL_OUT(context, out)
    struct machine *machine;
    TRY(machine_load(&context->diag, context_machine_dir(context), name, &machine));
    *out = mem_zalloc(1, sizeof **out);
    **out = (ws_machine){.context = context, .machine = machine};
    return WS_OK;
}

ws_status ws_machine_measure_host(ws_context *context, ws_machine **out)
{
    STANDARD_FLOATS;
    API_CALL_OUT(context, out)
    struct machine *machine;
    TRY(host_measure(&context->diag, &machine));
    *out = mem_zalloc(1, sizeof **out);
    **out = (ws_machine){.context = context, .machine = machine};
    return WS_OK;
}

ws_status ws_machine_save(const ws_machine *machine, const char *path)
{
    STANDARD_FLOATS;
    API_CALL(machine->context)
    struct diag *diag = &machine->context->diag;
    if (machine->machine->kind != MACHINE_IS_CPU)
        return diag_error(diag, WS_ERR_ARGUMENT, "%s is a GPU: only CPUs can be saved",
                          machine->machine->id);
    return machine_save_cpu(diag, machine->machine, path);
}

void ws_machine_destroy(ws_machine *machine)
{
    if (!machine) return;
    machine_destroy(machine->machine);
    mem_free(machine);
}

const char *ws_machine_id(const ws_machine *machine)
{
    return machine->machine->id;
}

const char *ws_machine_name(const ws_machine *machine)
{
    return machine->machine->name;
}

bool ws_machine_is_cpu(const ws_machine *machine)
{
    return machine->machine->kind == MACHINE_IS_CPU;
}

unsigned ws_machine_target(const ws_machine *machine)
{
    return machine->machine->cc_major * 10 + machine->machine->cc_minor;
}

unsigned ws_machine_rules(const ws_machine *machine)
{
    unsigned rules = 0;
    double rule = machine_get(machine->machine, MACHINE_GLOBAL_RULE, 32);
    if (rule == 10) rules |= WS_RULE_CC10;
    if (rule == 12) rules |= WS_RULE_CC12;
    if (shared_is_half_warp(machine->machine)) rules |= WS_RULE_BANK16;
    return rules;
}

/* One launch counts with one number of banks. */
static ws_status prepare_banks(const ws_machine *machine, ws_launch *launch)
{
    enum { WARP_BANKS = 32 };
    struct diag *diag = &machine->context->diag;
    const struct machine *inner = machine->machine;
    if (!machine_has(inner, MACHINE_SHARED_BANKS)) return WS_OK;
    unsigned banks = (unsigned)inner->values[MACHINE_SHARED_BANKS].value;
    if (!shared_is_half_warp(inner)) {
        if (banks == WARP_BANKS) return WS_OK;
        return diag_error(
            diag, WS_ERR_COMPARE,
            "%s: shared memory passes of whole warps are counted for %d banks only (got %u)",
            inner->id, WARP_BANKS, banks);
    }
    if (launch->shared_banks && launch->shared_banks != banks)
        return diag_error(diag, WS_ERR_COMPARE,
                          "%s has %u banks of shared memory, another GPU of this run has %u: "
                          "analyse them in separate runs",
                          inner->id, banks, launch->shared_banks);
    launch->shared_banks = banks;
    return WS_OK;
}

ws_status ws_machine_set(ws_machine *machine, const char *key, const char *change)
{
    STANDARD_FLOATS;
    API_CALL(machine->context)
    machine->machine = machine_own(machine->machine);
    mem_keep(machine->machine);
    return machine_set(&machine->context->diag, machine->machine, key, change);
}

/* One launch counts by one view: that of native code as soon as one machine has it. It is nearer to the code of the
 * others, too, than PTX. */
static void prepare_view(const struct machine *machine, ws_launch *launch)
{
    const size_t needed = offsetof(ws_launch, isa_view) + sizeof launch->isa_view;
    if (launch->size < needed) return;
    if (machine->kind == MACHINE_IS_CPU) return;
    if (machine->cc_major >= 7 && !launch->isa_view) launch->isa_view = "native";
}

ws_status ws_machine_prepare_launch(const ws_machine *machine, ws_launch *launch)
{
    STANDARD_FLOATS;
    API_CALL(machine->context)
    const struct machine *inner = machine->machine;
    unsigned rules = ws_machine_rules(machine);
    launch->rules |= rules;
    prepare_view(inner, launch);
    TRY(prepare_banks(machine, launch));
    if (!(rules & WS_RULE_CC12)) return WS_OK;
    struct segments usual = counting_rules_of(RULE_CC12).segments;
    unsigned initial = (unsigned)machine_get(inner, MACHINE_GLOBAL_INITIAL_SEGMENT, usual.initial);
    unsigned least = (unsigned)machine_get(inner, MACHINE_GLOBAL_MIN_SEGMENT, usual.least);
    bool is_other = launch->initial_segment_bytes && (launch->initial_segment_bytes != initial ||
                                                      launch->min_segment_bytes != least);
    if (is_other)
        return diag_error(&machine->context->diag, WS_ERR_COMPARE,
                          "%s uses segments of %u to %u bytes, another GPU of this run %u to %u: "
                          "analyse them in separate runs",
                          inner->id, initial, least, launch->initial_segment_bytes,
                          launch->min_segment_bytes);
    launch->initial_segment_bytes = initial;
    launch->min_segment_bytes = least;
    return WS_OK;
}

static ws_status unknown_key(struct diag *diag, const char *key)
{
    const char *names[MACHINE_KEY_COUNT];
    struct arena arena = {0};
    for (size_t i = 0; i < MACHINE_KEY_COUNT; i++)
        names[i] = machine_key_infos[i].path;
    const char *near = text_hint(&arena, key, names, MACHINE_KEY_COUNT);
    diag_error(diag, WS_ERR_ARGUMENT, "unknown machine key '%s'%s", key, near);
    arena_clear(&arena);
    return WS_ERR_ARGUMENT;
}

ws_status ws_machine_get(const ws_machine *machine, const char *path, double *out_value)
{
    STANDARD_FLOATS;
    API_CALL(machine->context)
    struct diag *diag = &machine->context->diag;
    const char *bare = !strncmp(path, "machine.", 8) ? path + 8 : path;
    int key = machine_key_find(bare);
    *out_value = 0;
    if (key < 0) return unknown_key(diag, bare);
    if (!machine_has(machine->machine, (enum machine_key)key))
        return diag_error(diag, WS_ERR_COMPARE, "%s does not define %s", machine->machine->id,
                          bare);
    *out_value = machine->machine->values[key].value;
    return WS_OK;
}

ws_status ws_machine_list(ws_context *context, char **out)
{
    STANDARD_FLOATS;
    API_CALL_OUT(context, out)
    struct arena arena = {0};
    struct strbuf text = {0};
    const char *const *ids;
    size_t count;
    ws_status status =
        machine_list(&context->diag, &arena, context_machine_dir(context), &ids, &count);
    if (status == WS_OK) {
        for (size_t i = 0; i < count; i++)
            strbuf_printf(&text, "%s%s", i ? "\n" : "", ids[i]);
        *out = strbuf_take(&text);
    }
    arena_clear(&arena);
    return status;
}

ws_status ws_machine_check_launch(const ws_machine *machine, const ws_launch *launch)
{
    STANDARD_FLOATS;
    API_CALL(machine->context)
    return machine_check_launch(&machine->context->diag, machine->machine, launch->grid,
                                launch->block, launch->dynamic_shared_bytes);
}

bool ws_machine_matches(const ws_machine *handle, const char *word)
{
    const struct machine *machine = handle->machine;
    char target[32] = "cpu";
    if (machine->kind == MACHINE_IS_GPU)
        snprintf(target, sizeof target, "gpu cc %u.%u sm_%u%u", machine->cc_major,
                 machine->cc_minor, machine->cc_major, machine->cc_minor);
    if (strcasestr(machine->id, word) || strcasestr(machine->name, word)) return true;
    if (strcasestr(target, word)) return true;
    if (machine->chip && strcasestr(machine->chip, word)) return true;
    for (size_t i = 0; i < machine->alias_count; i++)
        if (strcasestr(machine->aliases[i], word)) return true;
    return false;
}

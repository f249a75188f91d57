// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "base/float_state.h"
#include "base/text.h"
#include "measure/trace_file.h"
#include "measure/traceg_write.h"

ws_status ws_profile_load(ws_context *context, const char *path, ws_profile **out)
{
    STANDARD_FLOATS;
    API_CALL_OUT(context, out)
    struct profile *profile;
    TRY(profile_load(&context->diag, path, &profile));
    *out = mem_zalloc(1, sizeof **out);
    **out = (ws_profile){.context = context, .profile = profile};
    return WS_OK;
}

ws_status ws_profile_save(const ws_profile *profile, const char *path)
{
    STANDARD_FLOATS;
    API_CALL(profile->context)
    return profile_save(&profile->context->diag, profile->profile, path);
}

/* The profile for a change: answers and copies that share it keep the old one. */
static struct profile *own(ws_profile *profile)
{
    profile->profile = profile_own(profile->profile);
    mem_keep(profile->profile);
    return profile->profile;
}

ws_status ws_profile_save_trace(ws_profile *profile, const char *path)
{
    STANDARD_FLOATS;
    API_CALL(profile->context)
    struct diag *diag = &profile->context->diag;
    struct profile *inner = own(profile);
    if (!inner->trace)
        return diag_error(diag, WS_ERR_NO_MODEL, "no warp traces to save: %s",
                          inner->trace_reason ? inner->trace_reason : "not in this profile");
    if (traceg_is_name(path)) return traceg_write(diag, inner, path);
    TRY(trace_file_save(diag, inner, path));
    inner->trace_path = arena_copy(&inner->arena, path);
    return WS_OK;
}

uint64_t ws_profile_traced_blocks(const ws_profile *profile)
{
    return profile->profile->trace ? profile->profile->trace->block_count : 0;
}

bool ws_profile_is_trace(const char *path)
{
    char start[8];
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    size_t got = fread(start, 1, sizeof start, file);
    fclose(file);
    return trace_file_recognises(start, got);
}

void ws_profile_destroy(ws_profile *profile)
{
    if (!profile) return;
    profile_destroy(profile->profile);
    mem_free(profile);
}

const char *ws_profile_kernel(const ws_profile *profile)
{
    return profile->profile->kernel ? profile->profile->kernel : "";
}

void ws_profile_shape(const ws_profile *profile, uint32_t out_grid[3], uint32_t out_block[3])
{
    memcpy(out_grid, profile->profile->grid, 3 * sizeof *out_grid);
    memcpy(out_block, profile->profile->block, 3 * sizeof *out_block);
}

static ws_status unknown_counter(struct diag *diag, const char *id)
{
    const char *names[COUNTER_COUNT];
    struct arena arena = {0};
    for (size_t i = 0; i < COUNTER_COUNT; i++)
        names[i] = counter_infos[i].id;
    const char *near = text_hint(&arena, id, names, COUNTER_COUNT);
    diag_error(diag, WS_ERR_ARGUMENT, "unknown counter '%s'%s", id, near);
    arena_clear(&arena);
    return WS_ERR_ARGUMENT;
}

/* A counter that was counted. */
static ws_status find_counted(const ws_profile *profile, const char *id, int *out)
{
    struct diag *diag = &profile->context->diag;
    *out = counter_find(id);
    if (*out < 0) return unknown_counter(diag, id);
    const struct counter_value *value = &profile->profile->counters[*out];
    if (value->origin != ORIGIN_NONE) return WS_OK;
    return diag_error(diag, WS_ERR_COMPARE, "%s was not counted: %s", id,
                      value->reason ? value->reason : "reason unknown");
}

ws_status ws_profile_get(const ws_profile *profile, const char *id, double *out_value)
{
    STANDARD_FLOATS;
    API_CALL(profile->context)
    int counter;
    *out_value = 0;
    TRY(find_counted(profile, id, &counter));
    *out_value = profile->profile->counters[counter].value;
    return WS_OK;
}

ws_status ws_profile_get_stage(const ws_profile *profile, size_t stage, const char *id,
                               double *out_value)
{
    STANDARD_FLOATS;
    API_CALL(profile->context)
    const struct profile *inner = profile->profile;
    struct diag *diag = &profile->context->diag;
    int counter;
    *out_value = 0;
    TRY(find_counted(profile, id, &counter));
    if (!counter_infos[counter].staged)
        return diag_error(diag, WS_ERR_COMPARE, "%s is not recorded per stage", id);
    if (stage >= inner->stage_count)
        return diag_error(diag, WS_ERR_COMPARE,
                          "stage %zu is out of range: the profile has %u stages", stage,
                          inner->stage_count);
    *out_value = inner->stages[stage].counters[counter];
    return WS_OK;
}

ws_status ws_profile_set_registers(ws_profile *profile, unsigned registers)
{
    API_CALL(profile->context)
    if (registers == 0 || registers > 1024)
        return diag_error(&profile->context->diag, WS_ERR_ARGUMENT,
                          "%u registers per thread are out of range: expected 1 to 1024",
                          registers);
    struct profile *inner = own(profile);
    size_t room = sizeof inner->registers / sizeof *inner->registers;
    uint32_t at = 0;
    while (at < inner->register_count && strcmp(inner->registers[at].from, "user") != 0)
        at++;
    if (at == room) at--; /* the user's word replaces the last of a full list */
    inner->registers[at] = (struct register_count){.target = 0, .value = registers, .from = "user"};
    if (at == inner->register_count) inner->register_count++;
    return WS_OK;
}

ws_status ws_profile_set_arguments(ws_profile *profile, const char *const *texts, size_t count)
{
    API_CALL(profile->context)
    enum { MOST = 1024 };
    if (count > MOST)
        return diag_error(&profile->context->diag, WS_ERR_ARGUMENT,
                          "%zu arguments are out of range: expected at most %d", count, MOST);
    struct profile *inner = own(profile);
    const char **copies = ARENA_ARRAY(&inner->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        copies[i] = arena_copy(&inner->arena, texts[i]);
    inner->arguments = copies;
    inner->argument_count = (uint32_t)count;
    return WS_OK;
}

ws_status ws_profile_set_spills(ws_profile *profile, unsigned store_bytes, unsigned load_bytes)
{
    API_CALL(profile->context)
    struct diag *diag = &profile->context->diag;
    if (store_bytes > SPILL_BYTES_MAX || load_bytes > SPILL_BYTES_MAX)
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "%u and %u spilled bytes are out of range: expected at most %d",
                          store_bytes, load_bytes, SPILL_BYTES_MAX);
    struct profile *inner = own(profile);
    for (uint32_t i = 0; i < inner->register_count; i++) {
        struct register_count *entry = &inner->registers[i];
        if (strcmp(entry->from, "user") != 0) continue;
        entry->spill_store_bytes = store_bytes;
        entry->spill_load_bytes = load_bytes;
        return WS_OK;
    }
    return diag_error(diag, WS_ERR_ARGUMENT,
                      "spilled bytes belong to a register count: set that first");
}

ws_status ws_profile_copy(const ws_profile *profile, ws_profile **out)
{
    API_CALL_OUT(profile->context, out)
    *out = mem_zalloc(1, sizeof **out);
    **out = (ws_profile){.context = profile->context, .profile = profile_keep(profile->profile)};
    return WS_OK;
}

uint64_t ws_profile_shared(const ws_profile *profile)
{
    return profile_shared_bytes(profile->profile);
}

ws_status ws_profile_set_shared(ws_profile *profile, uint64_t bytes)
{
    STANDARD_FLOATS;
    API_CALL(profile->context)
    struct profile *inner = own(profile);
    inner->static_shared_bytes = 0;
    inner->dynamic_shared_bytes = bytes;
    return WS_OK;
}

unsigned ws_profile_registers(const ws_profile *profile, const ws_machine *machine)
{
    unsigned registers = 0, made_for;
    const char *from;
    if (!profile_registers(profile->profile, ws_machine_target(machine), &registers, &from,
                           &made_for))
        return 0;
    return registers;
}

size_t ws_counter_count(void)
{
    return COUNTER_COUNT;
}

ws_counter_info ws_counter_describe(size_t index)
{
    if (index >= COUNTER_COUNT) return (ws_counter_info){0};
    const struct counter_info *info = &counter_infos[index];
    return (ws_counter_info){info->id, info->unit, info->text, info->ncu};
}

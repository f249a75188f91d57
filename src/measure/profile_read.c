// SPDX-License-Identifier: Apache-2.0
/* Reads a profile from JSON. Strict: an unknown key, a wrong type or a number out of range is an
 * error that names the path of the offending key ("counters.inst.warp"). */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "measure/cache_section.h"
#include "measure/profile.h"

struct reader {
    struct diag *diag;
    const char *name;
    struct profile *profile;
};

static ws_status fail(const struct reader *r, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static ws_status fail(const struct reader *r, const char *path, const char *format, ...)
{
    struct strbuf text = {0};
    va_list list;
    va_start(list, format);
    strbuf_vprintf(&text, format, list);
    va_end(list);
    ws_status status = diag_error(r->diag, WS_ERR_INPUT, "%s: error: %s: %s", r->name, path,
                                  text.data ? text.data : "");
    strbuf_clear(&text);
    return status;
}

static const char *type_name(const json_t *json)
{
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a text";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_NULL:
        return "null";
    default:
        return "true or false";
    }
}

/* Every key of `object` must be one of `keys`; `path` is "" for the whole profile. */
static ws_status check_keys(const struct reader *r, json_t *object, const char *path,
                            const char *const *keys, size_t count)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        bool found = false;
        for (size_t i = 0; i < count && !found; i++)
            found = !strcmp(keys[i], key);
        if (found) continue;
        const char *near = text_hint(&r->profile->arena, key, keys, count);
        const char *whole = arena_format(&r->profile->arena, "%s%s%s", path, *path ? "." : "", key);
        return fail(r, whole, "unknown key%s", near);
    }
    return WS_OK;
}
#define CHECK_KEYS(r, object, path, keys)                                                          \
    TRY(check_keys((r), (object), (path), (keys), sizeof(keys) / sizeof *(keys)))

static ws_status need_object(const struct reader *r, const json_t *json, const char *path)
{
    if (json_is_object(json)) return WS_OK;
    return fail(r, path, "must be an object {...} (got %s)", type_name(json));
}

static ws_status need_array(const struct reader *r, const json_t *json, const char *path)
{
    if (json_is_array(json)) return WS_OK;
    return fail(r, path, "must be a list [...] (got %s)", type_name(json));
}

/* A finite number that is not negative. */
static ws_status read_number(const struct reader *r, const json_t *json, const char *path,
                             double *out)
{
    if (!json_is_number(json)) return fail(r, path, "must be a number (got %s)", type_name(json));
    *out = json_number_value(json);
    if (!isfinite(*out) || *out < 0) return fail(r, path, "must be at least 0 (got %g)", *out);
    return WS_OK;
}

static ws_status read_whole(const struct reader *r, const json_t *json, const char *path,
                            uint64_t least, uint64_t most, uint64_t *out)
{
    if (!json_is_integer(json))
        return fail(r, path, "must be a whole number (got %s)",
                    json_is_real(json) ? "a fraction" : type_name(json));
    json_int_t value = json_integer_value(json);
    if (value < 0 || (uint64_t)value < least || (uint64_t)value > most)
        return fail(r, path, "must be a whole number from %llu to %llu (got %lld)",
                    (unsigned long long)least, (unsigned long long)most, (long long)value);
    *out = (uint64_t)value;
    return WS_OK;
}

/* A missing key leaves *out as it is; null makes it NULL. */
static ws_status read_text(const struct reader *r, json_t *object, const char *key, char **out)
{
    json_t *json = json_object_get(object, key);
    if (!json) return WS_OK;
    *out = NULL;
    if (json_is_null(json)) return WS_OK;
    if (!json_is_string(json)) return fail(r, key, "must be a string (got %s)", type_name(json));
    *out = arena_copy(&r->profile->arena, json_string_value(json));
    return WS_OK;
}

static ws_status read_bool(const struct reader *r, json_t *object, const char *key, bool *out)
{
    json_t *json = json_object_get(object, key);
    if (!json) return WS_OK;
    if (!json_is_boolean(json))
        return fail(r, key, "must be true or false (got %s)", type_name(json));
    *out = json_is_true(json);
    return WS_OK;
}

/* ---- launch and registers -------------------------------------------------------------------- */

/* [x], [x, y] or [x, y, z], or a bare x. */
static ws_status read_triple(const struct reader *r, json_t *launch, const char *key,
                             const uint32_t most[3], uint32_t out[3])
{
    const char *path = arena_format(&r->profile->arena, "launch.%s", key);
    json_t *json = json_object_get(launch, key);
    if (!json) return fail(r, path, "is missing: expected [x, y, z]");
    size_t count = json_is_array(json) ? json_array_size(json) : 1;
    if (count < 1 || count > 3) return fail(r, path, "must have 1 to 3 numbers (got %zu)", count);
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_is_array(json) ? json_array_get(json, i) : json;
        uint64_t value = 0;
        path = arena_format(&r->profile->arena, "launch.%s[%zu]", key, i);
        TRY(read_whole(r, item, path, 1, most[i], &value));
        out[i] = (uint32_t)value;
    }
    return WS_OK;
}

static ws_status read_bytes(const struct reader *r, json_t *launch, const char *key, uint64_t *out)
{
    const char *path = arena_format(&r->profile->arena, "launch.%s", key);
    json_t *json = json_object_get(launch, key);
    return json ? read_whole(r, json, path, 0, UINT64_C(1) << 40, out) : WS_OK;
}

static ws_status read_launch(const struct reader *r, json_t *root)
{
    static const char *const keys[] = {"grid", "block", "static_shared_bytes",
                                       "dynamic_shared_bytes", "local_bytes_per_thread"};
    static const uint32_t grid_most[3] = {INT32_MAX, 65535, 65535};
    static const uint32_t block_most[3] = {1024, 1024, 1024};
    struct profile *profile = r->profile;
    json_t *launch = json_object_get(root, "launch");
    if (!launch)
        return fail(r, "launch",
                    "is missing: expected {\"grid\": [x, y, z], \"block\": [x, y, z]}");
    TRY(need_object(r, launch, "launch"));
    CHECK_KEYS(r, launch, "launch", keys);
    TRY(read_triple(r, launch, "grid", grid_most, profile->grid));
    TRY(read_triple(r, launch, "block", block_most, profile->block));
    if (profile_threads_per_block(profile) > 1024)
        return fail(r, "launch.block", "has %u threads: the limit is 1024",
                    profile_threads_per_block(profile));
    TRY(read_bytes(r, launch, "static_shared_bytes", &profile->static_shared_bytes));
    TRY(read_bytes(r, launch, "dynamic_shared_bytes", &profile->dynamic_shared_bytes));
    return read_bytes(r, launch, "local_bytes_per_thread", &profile->local_bytes_per_thread);
}

static ws_status read_register_entry(const struct reader *r, json_t *item, const char *path,
                                     struct register_count *out)
{
    static const char *const keys[] = {"target", "value", "from", "spill_store_bytes",
                                       "spill_load_bytes"};
    static const char *const origins[] = {"ptxas", "liveness", "user", "assumed", "trace"};
    uint64_t value = 0, target = 0, stores = 0, loads = 0;
    TRY(need_object(r, item, path));
    CHECK_KEYS(r, item, path, keys);
    if (!json_object_get(item, "value")) return fail(r, path, "has no \"value\"");
    TRY(read_whole(r, json_object_get(item, "value"), path, 1, 255, &value));
    if (json_object_get(item, "target"))
        TRY(read_whole(r, json_object_get(item, "target"), path, 0, 999, &target));
    if (json_object_get(item, "spill_store_bytes"))
        TRY(read_whole(r, json_object_get(item, "spill_store_bytes"), path, 0, SPILL_BYTES_MAX,
                       &stores));
    if (json_object_get(item, "spill_load_bytes"))
        TRY(read_whole(r, json_object_get(item, "spill_load_bytes"), path, 0, SPILL_BYTES_MAX,
                       &loads));
    *out = (struct register_count){(unsigned)target, (unsigned)value, "assumed", (uint32_t)stores,
                                   (uint32_t)loads};
    json_t *from = json_object_get(item, "from");
    if (!from) return WS_OK;
    for (size_t i = 0; json_is_string(from) && i < sizeof origins / sizeof *origins; i++) {
        if (strcmp(json_string_value(from), origins[i])) continue;
        out->from = origins[i];
        return WS_OK;
    }
    return fail(r, path,
                "\"from\" must be \"ptxas\", \"liveness\", \"user\", \"trace\" or \"assumed\"");
}

/* A bare number, or the list of {target, value, from}. */
static ws_status read_registers(const struct reader *r, json_t *root)
{
    struct profile *profile = r->profile;
    json_t *list = json_object_get(root, "registers");
    if (!list || json_is_null(list)) return WS_OK;
    if (json_is_number(list)) {
        uint64_t value = 0;
        TRY(read_whole(r, list, "registers", 1, 255, &value));
        profile->registers[0] =
            (struct register_count){.value = (unsigned)value, .from = "assumed"};
        profile->register_count = 1;
        return WS_OK;
    }
    TRY(need_array(r, list, "registers"));
    size_t most = sizeof profile->registers / sizeof *profile->registers;
    if (json_array_size(list) > most)
        return fail(r, "registers", "has %zu entries: the limit is %zu", json_array_size(list),
                    most);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *path = arena_format(&r->profile->arena, "registers[%zu]", i);
        TRY(read_register_entry(r, json_array_get(list, i), path, &profile->registers[i]));
        profile->register_count++;
    }
    return WS_OK;
}

/* ---- counters -------------------------------------------------------------------------------- */

static ws_status find_counter(const struct reader *r, const char *path, const char *id, int *out)
{
    *out = counter_find(id);
    if (*out >= 0) return WS_OK;
    const char *names[COUNTER_COUNT];
    for (int i = 0; i < COUNTER_COUNT; i++)
        names[i] = counter_infos[i].id;
    const char *near = text_hint(&r->profile->arena, id, names, COUNTER_COUNT);
    const char *whole = arena_format(&r->profile->arena, "%s.%s", path, id);
    return fail(r, whole, "unknown counter%s", near);
}

static ws_status read_origin(const struct reader *r, json_t *item, const char *path, uint8_t *out)
{
    json_t *from = json_object_get(item, "from");
    *out = ORIGIN_ASSUMED;
    if (!from) return WS_OK;
    for (int i = ORIGIN_NONE + 1; json_is_string(from) && i < ORIGIN_COUNT; i++) {
        if (strcmp(json_string_value(from), origin_infos[i].id)) continue;
        *out = (uint8_t)i;
        return WS_OK;
    }
    return fail(r, path,
                "\"from\" must be decoded, emulated, sampled, modelled, calibrated, "
                "measured, assumed or published");
}

static ws_status read_missing(const struct reader *r, json_t *item, const char *path,
                              struct counter_value *out)
{
    json_t *reason = json_is_object(item) ? json_object_get(item, "reason") : NULL;
    if (reason && !json_is_string(reason))
        return fail(r, path, "\"reason\" must be a string (got %s)", type_name(reason));
    const char *text = reason ? json_string_value(reason) : "null in this profile";
    *out = (struct counter_value){.reason = arena_copy(&r->profile->arena, text)};
    return WS_OK;
}

static ws_status read_counter(const struct reader *r, json_t *item, const char *path,
                              const struct counter_info *info, struct counter_value *out)
{
    static const char *const keys[] = {"value", "unit", "from", "lo", "hi", "reason"};
    if (json_is_null(item)) return read_missing(r, item, path, out);
    *out = (struct counter_value){.origin = ORIGIN_ASSUMED};
    if (json_is_number(item)) {
        TRY(read_number(r, item, path, &out->value));
        out->lo = out->hi = out->value;
        return WS_OK;
    }
    if (!json_is_object(item))
        return fail(r, path, "must be a number or {\"value\": ...} (got %s)", type_name(item));
    CHECK_KEYS(r, item, path, keys);
    json_t *value = json_object_get(item, "value"), *unit = json_object_get(item, "unit");
    if (!value) return fail(r, path, "has no \"value\"; use null if unknown");
    if (unit && (!json_is_string(unit) || strcmp(json_string_value(unit), info->unit)))
        return fail(r, path, "\"unit\" must be \"%s\"", info->unit);
    if (json_is_null(value)) return read_missing(r, item, path, out);
    TRY(read_number(r, value, path, &out->value));
    TRY(read_origin(r, item, path, &out->origin));
    out->lo = out->hi = out->value;
    if (json_object_get(item, "lo"))
        TRY(read_number(r, json_object_get(item, "lo"), path, &out->lo));
    if (json_object_get(item, "hi"))
        TRY(read_number(r, json_object_get(item, "hi"), path, &out->hi));
    if (out->lo > out->value || out->hi < out->value)
        return fail(r, path, "\"lo\" and \"hi\" must enclose the value");
    return WS_OK;
}

static ws_status read_counters(const struct reader *r, json_t *root)
{
    json_t *counters = json_object_get(root, "counters"), *item;
    const char *id;
    if (!counters) return fail(r, "counters", "is missing: expected {\"inst.warp\": 1000, ...}");
    TRY(need_object(r, counters, "counters"));
    json_object_foreach(counters, id, item)
    {
        int counter = -1;
        TRY(find_counter(r, "counters", id, &counter));
        const char *path = arena_format(&r->profile->arena, "counters.%s", id);
        TRY(read_counter(r, item, path, &counter_infos[counter], &r->profile->counters[counter]));
    }
    return WS_OK;
}

/* ---- instructions and stages ----------------------------------------------------------------- */

static ws_status read_instruction_counters(const struct reader *r, json_t *counters,
                                           const char *path, struct instruction_profile *out)
{
    struct arena *arena = &r->profile->arena;
    const char *whole = arena_format(&r->profile->arena, "%s.counters", path);
    TRY(need_object(r, counters, whole));
    uint16_t *ids = ARENA_ARRAY(arena, uint16_t, json_object_size(counters));
    double *values = ARENA_ARRAY(arena, double, json_object_size(counters));
    const char *id;
    json_t *item;
    json_object_foreach(counters, id, item)
    {
        int counter = -1;
        TRY(find_counter(r, whole, id, &counter));
        TRY(read_number(r, item, whole, &values[out->counter_count]));
        ids[out->counter_count++] = (uint16_t)counter;
    }
    out->counters = ids;
    out->values = values;
    return WS_OK;
}

static ws_status read_class(const struct reader *r, json_t *item, const char *path, uint8_t *out)
{
    json_t *json = json_object_get(item, "class");
    for (int i = 0; json_is_string(json) && i < CLASS_COUNT; i++) {
        if (strcmp(json_string_value(json), class_ids[i])) continue;
        *out = (uint8_t)i;
        return WS_OK;
    }
    return fail(r, path, "\"class\" must be an instruction class such as \"fp32.fma\"");
}

static ws_status read_optional_u32(const struct reader *r, json_t *item, const char *path,
                                   const char *key, uint32_t most, uint32_t *out)
{
    json_t *json = json_object_get(item, key);
    uint64_t value = 0;
    if (!json || json_is_null(json)) return WS_OK;
    TRY(read_whole(r, json, path, 0, most, &value));
    *out = (uint32_t)value;
    return WS_OK;
}

/* Optional: native code's word of control. */
static ws_status read_control(const struct reader *r, json_t *item, const char *path,
                              struct insn_control *out)
{
    static const char *const keys[] = {"stall", "stays", "writes", "reads", "awaits", "reuse"};
    enum { STALL_MAX = 15, REUSE_MAX = 15 };
    json_t *json = json_object_get(item, "control"), *stays;
    uint32_t stall = 0, writes = CONTROL_NO_COUNTER, reads = CONTROL_NO_COUNTER, awaits = 0,
             reuse = 0;
    if (!json) return WS_OK;
    TRY(need_object(r, json, path));
    CHECK_KEYS(r, json, path, keys);
    TRY(read_optional_u32(r, json, path, "stall", STALL_MAX, &stall));
    TRY(read_optional_u32(r, json, path, "writes", CONTROL_COUNTERS - 1, &writes));
    TRY(read_optional_u32(r, json, path, "reads", CONTROL_COUNTERS - 1, &reads));
    TRY(read_optional_u32(r, json, path, "awaits", (1 << CONTROL_COUNTERS) - 1, &awaits));
    TRY(read_optional_u32(r, json, path, "reuse", REUSE_MAX, &reuse));
    stays = json_object_get(json, "stays");
    *out = (struct insn_control){
        .is_set = true,
        .stays = json_is_true(stays),
        .stall = (uint8_t)stall,
        .writes = (uint8_t)writes,
        .reads = (uint8_t)reads,
        .awaited = (uint8_t)awaits,
        .reuse = (uint8_t)reuse,
        .slots = {CONTROL_NO_REGISTER, CONTROL_NO_REGISTER, CONTROL_NO_REGISTER},
    };
    return WS_OK;
}

static ws_status read_instruction(const struct reader *r, json_t *item, const char *path,
                                  struct instruction_profile *out)
{
    static const char *const keys[] = {"pc", "ptx_line", "address", "file",     "line",
                                       "op", "text",     "class",   "counters", "control"};
    char *file = NULL, *op = NULL, *text = NULL;
    TRY(need_object(r, item, path));
    CHECK_KEYS(r, item, path, keys);
    TRY(read_optional_u32(r, item, path, "pc", UINT32_MAX, &out->pc));
    out->is_native = json_object_get(item, "address") != NULL;
    TRY(read_optional_u32(r, item, path, "ptx_line", UINT32_MAX,
                          out->is_native ? &out->ptx_line : &out->line));
    TRY(read_optional_u32(r, item, path, "address", UINT32_MAX, &out->line));
    TRY(read_optional_u32(r, item, path, "line", UINT32_MAX, &out->source_line));
    TRY(read_text(r, item, "file", &file));
    TRY(read_text(r, item, "op", &op));
    TRY(read_text(r, item, "text", &text));
    TRY(read_class(r, item, path, &out->class_id));
    TRY(read_control(r, item, path, &out->control));
    out->file = file;
    out->op = op ? op : "";
    out->text = text;
    json_t *counters = json_object_get(item, "counters");
    return counters ? read_instruction_counters(r, counters, path, out) : WS_OK;
}

static ws_status read_instructions(const struct reader *r, json_t *root)
{
    struct profile *profile = r->profile;
    json_t *list = json_object_get(root, "instructions");
    if (!list) return WS_OK;
    TRY(need_array(r, list, "instructions"));
    size_t count = json_array_size(list);
    profile->instructions = ARENA_ARRAY(&profile->arena, struct instruction_profile, count);
    for (size_t i = 0; i < count; i++) {
        const char *path = arena_format(&r->profile->arena, "instructions[%zu]", i);
        TRY(read_instruction(r, json_array_get(list, i), path, &profile->instructions[i]));
        profile->instruction_count++;
    }
    return WS_OK;
}

static ws_status read_notes(const struct reader *r, json_t *root)
{
    json_t *list = json_object_get(root, "notes");
    if (!list) return WS_OK;
    TRY(need_array(r, list, "notes"));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (!text) return fail(r, "notes", "must be strings");
        profile_add_note(r->profile, "%s", text);
    }
    return WS_OK;
}

static ws_status read_arguments(const struct reader *r, json_t *root)
{
    struct profile *profile = r->profile;
    json_t *list = json_object_get(root, "arguments");
    if (!list) return WS_OK;
    TRY(need_array(r, list, "arguments"));
    const char **texts = ARENA_ARRAY(&profile->arena, const char *, json_array_size(list) + 1);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (!text) return fail(r, "arguments", "must be strings");
        texts[i] = arena_copy(&profile->arena, text);
    }
    profile->arguments = texts;
    profile->argument_count = (uint32_t)json_array_size(list);
    return WS_OK;
}

static ws_status read_stage(const struct reader *r, json_t *item, const char *path,
                            struct stage_profile *out)
{
    static const char *const keys[] = {"index", "warps_working", "threads_working",
                                       "shared_warps_working", "counters"};
    TRY(need_object(r, item, path));
    CHECK_KEYS(r, item, path, keys);
    TRY(read_optional_u32(r, item, path, "index", 1024, &out->index));
    json_t *warps = json_object_get(item, "warps_working");
    json_t *threads = json_object_get(item, "threads_working");
    json_t *shared = json_object_get(item, "shared_warps_working");
    if (warps) TRY(read_number(r, warps, path, &out->warps_working));
    if (threads) TRY(read_number(r, threads, path, &out->threads_working));
    if (shared) TRY(read_number(r, shared, path, &out->shared_warps_working));
    json_t *counters = json_object_get(item, "counters"), *value;
    const char *id;
    if (!counters) return WS_OK;
    const char *whole = arena_format(&r->profile->arena, "%s.counters", path);
    TRY(need_object(r, counters, whole));
    json_object_foreach(counters, id, value)
    {
        int counter = -1;
        TRY(find_counter(r, whole, id, &counter));
        if (!counter_infos[counter].staged)
            return fail(r, whole, "%s is only recorded for the whole launch", id);
        TRY(read_number(r, value, whole, &out->counters[counter]));
    }
    return WS_OK;
}

static ws_status read_stages(const struct reader *r, json_t *root)
{
    struct profile *profile = r->profile;
    json_t *list = json_object_get(root, "stages");
    if (!list) return WS_OK;
    TRY(need_array(r, list, "stages"));
    size_t count = json_array_size(list);
    if (count > 1025) return fail(r, "stages", "has %zu entries: the limit is 1025", count);
    profile->stages = ARENA_ARRAY(&profile->arena, struct stage_profile, count);
    for (size_t i = 0; i < count; i++) {
        const char *path = arena_format(&r->profile->arena, "stages[%zu]", i);
        TRY(read_stage(r, json_array_get(list, i), path, &profile->stages[i]));
        profile->stage_count++;
    }
    return WS_OK;
}

/* ---- caches ---------------------------------------------------------------------------------- */

static ws_status need_whole(const struct reader *r, json_t *object, const char *path,
                            const char *key, uint64_t least, uint64_t most, uint64_t *out)
{
    const char *whole = arena_format(&r->profile->arena, "%s.%s", path, key);
    json_t *value = json_object_get(object, key);
    if (!value) return fail(r, whole, "is missing");
    return read_whole(r, value, whole, least, most, out);
}

static ws_status need_member(const struct reader *r, json_t *object, const char *path,
                             const char *key, const char **out_path, json_t **out)
{
    *out_path = arena_format(&r->profile->arena, "%s.%s", path, key);
    *out = json_object_get(object, key);
    if (!*out) return fail(r, *out_path, "is missing");
    return need_object(r, *out, *out_path);
}

static ws_status read_geometry(const struct reader *r, json_t *item, const char *path,
                               struct cache_geometry *out)
{
    const char *keys[CACHE_GEOMETRY_COUNT];
    for (unsigned i = 0; i < CACHE_GEOMETRY_COUNT; i++) {
        const struct cache_geometry_number *number = &cache_geometry_numbers[i];
        uint64_t value;
        keys[i] = number->id;
        value = 0; /* of a number that earlier versions did not have */
        if (number->least || json_object_get(item, number->id))
            TRY(need_whole(r, item, path, number->id, number->least, number->most, &value));
        cache_geometry_set(out, i, value);
    }
    CHECK_KEYS(r, item, path, keys);
    return WS_OK;
}

static ws_status read_cache_section(const struct reader *r, json_t *item, const char *path)
{
    static const char *const keys[] = {"geometry", "blocks", "sms", "sectors"};
    const char *counts[CACHE_COUNT_COUNT], *inner;
    struct cache_section section = {0};
    uint64_t blocks, sms;
    json_t *member;
    TRY(need_object(r, item, path));
    if (json_object_get(item, "is_cut")) return WS_OK; /* of version 0.1, by another model */
    CHECK_KEYS(r, item, path, keys);
    TRY(need_whole(r, item, path, "blocks", 1, UINT32_MAX, &blocks));
    TRY(need_whole(r, item, path, "sms", 1, UINT32_MAX, &sms));
    section.blocks = (uint32_t)blocks;
    section.sms = (uint32_t)sms;
    TRY(need_member(r, item, path, "geometry", &inner, &member));
    TRY(read_geometry(r, member, inner, &section.geometry));
    TRY(need_member(r, item, path, "sectors", &inner, &member));
    for (unsigned i = 0; i < CACHE_COUNT_COUNT; i++) {
        counts[i] = cache_count_infos[i].id;
        TRY(need_whole(r, member, inner, counts[i], 0, UINT64_C(1) << 53, &section.counts[i]));
    }
    CHECK_KEYS(r, member, inner, counts);
    profile_add_caches(r->profile, &section);
    return WS_OK;
}

static ws_status read_caches(const struct reader *r, json_t *root)
{
    json_t *list = json_object_get(root, "caches");
    if (!list) return WS_OK;
    TRY(need_array(r, list, "caches"));
    if (json_array_size(list) > 1000)
        return fail(r, "caches", "has too many entries: the limit is 1000");
    for (size_t i = 0; i < json_array_size(list); i++)
        TRY(read_cache_section(r, json_array_get(list, i),
                               arena_format(&r->profile->arena, "caches[%zu]", i)));
    return WS_OK;
}

static ws_status read_l2_reuse(const struct reader *r, json_t *root)
{
    static const char *const keys[] = {"bytes", "sectors"};
    struct profile *profile = r->profile;
    json_t *list = json_object_get(root, "l2_reuse");
    if (!list) return WS_OK;
    TRY(need_array(r, list, "l2_reuse"));
    size_t count = json_array_size(list);
    if (count > L2_REUSE_MAX)
        return fail(r, "l2_reuse", "has too many entries: the limit is %d", L2_REUSE_MAX);
    profile->l2_reuse = ARENA_ARRAY(&profile->arena, struct l2_reuse, count + 1);
    for (size_t i = 0; i < count; i++) {
        json_t *item = json_array_get(list, i);
        const char *path = arena_format(&profile->arena, "l2_reuse[%zu]", i);
        struct l2_reuse *one = &profile->l2_reuse[i];
        TRY(need_object(r, item, path));
        CHECK_KEYS(r, item, path, keys);
        TRY(need_whole(r, item, path, "bytes", 0, UINT64_C(1) << 53, &one->bytes));
        TRY(need_whole(r, item, path, "sectors", 0, UINT64_C(1) << 53, &one->sectors));
    }
    profile->l2_reuse_count = (uint32_t)count;
    profile->has_l2_reuse = true;
    return WS_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static ws_status read_schema(const struct reader *r, json_t *root)
{
    json_t *schema = json_object_get(root, "schema");
    if (!json_is_string(schema))
        return fail(r, "schema",
                    "is missing: a profile starts with \"schema\": "
                    "\"warpsage.profile/1\"");
    if (strcmp(json_string_value(schema), "warpsage.profile/1"))
        return fail(r, "schema", "unsupported schema \"%s\": expected \"warpsage.profile/1\"",
                    json_string_value(schema));
    return WS_OK;
}

/* Bytes; without them the cc12 counters count for every machine. */
static ws_status read_segments(const struct reader *r, json_t *root)
{
    static const char *const keys[] = {"initial", "min"};
    struct profile *profile = r->profile;
    json_t *item = json_object_get(root, "cc12_segments");
    uint64_t initial = 0, least = 0;
    if (!item) return WS_OK;
    TRY(need_object(r, item, "cc12_segments"));
    CHECK_KEYS(r, item, "cc12_segments", keys);
    TRY(read_bytes(r, item, "initial", &initial));
    TRY(read_bytes(r, item, "min", &least));
    struct segments segments = {(unsigned)(initial & 0x1ff), (unsigned)(least & 0x1ff)};
    if (initial > 256 || least > 256 || !segments_valid(segments))
        return fail(r, "cc12_segments",
                    "must be powers of two: initial 4 to 256, min 4 to initial");
    profile->cc12_initial_segment = segments.initial;
    profile->cc12_min_segment = segments.least;
    return WS_OK;
}

static ws_status read_banks(const struct reader *r, json_t *root)
{
    uint64_t banks = 0;
    if (!json_object_get(root, "half_warp_banks")) return WS_OK;
    TRY(read_bytes(r, root, "half_warp_banks", &banks));
    if (!banks || banks > BANKS_MAX)
        return fail(r, "half_warp_banks", "must be 1 to %d", BANKS_MAX);
    r->profile->half_warp_banks = (unsigned)banks;
    return WS_OK;
}

static ws_status read_ptx(const struct reader *r, json_t *root)
{
    static const char *const keys[] = {"line", "text"};
    struct profile *profile = r->profile;
    json_t *list = json_object_get(root, "ptx");
    if (!list) return WS_OK;
    TRY(need_array(r, list, "ptx"));
    size_t count = json_array_size(list);
    profile->ptx = ARENA_ARRAY(&profile->arena, struct ptx_text, count + 1);
    for (size_t i = 0; i < count; i++) {
        const char *path = arena_format(&profile->arena, "ptx[%zu]", i);
        json_t *item = json_array_get(list, i);
        uint64_t line;
        char *text = NULL;
        TRY(need_object(r, item, path));
        CHECK_KEYS(r, item, path, keys);
        TRY(need_whole(r, item, path, "line", i ? profile->ptx[i - 1].line + UINT64_C(1) : 1,
                       UINT32_MAX, &line));
        TRY(read_text(r, item, "text", &text));
        profile->ptx[profile->ptx_count++] = (struct ptx_text){(uint32_t)line, text ? text : ""};
    }
    return WS_OK;
}

static ws_status read_root(const struct reader *r, json_t *root)
{
    static const char *const keys[] = {"schema",           "kernel",
                                       "mangled",          "isa",
                                       "launch",           "source_path",
                                       "trace_file",       "registers",
                                       "ordered",          "unordered_by_user",
                                       "sampled_fraction", "cc12_segments",
                                       "half_warp_banks",  "counters",
                                       "instructions",     "notes",
                                       "stages",           "caches",
                                       "partial",          "l2_reuse",
                                       "l2_code_bytes",    "ptx",
                                       "arguments"};
    struct profile *profile = r->profile;
    TRY(need_object(r, root, "the profile"));
    TRY(read_schema(r, root));
    CHECK_KEYS(r, root, "", keys);
    TRY(read_text(r, root, "kernel", &profile->kernel));
    if (!profile->kernel) return fail(r, "kernel", "is missing: add the kernel name");
    profile->isa = arena_copy(&profile->arena, "hand-written");
    TRY(read_text(r, root, "mangled", &profile->mangled));
    TRY(read_text(r, root, "isa", &profile->isa));
    TRY(read_text(r, root, "source_path", &profile->source_path));
    TRY(read_text(r, root, "trace_file", &profile->trace_path));
    TRY(read_launch(r, root));
    TRY(read_arguments(r, root));
    TRY(read_registers(r, root));
    TRY(read_bool(r, root, "ordered", &profile->ordered));
    TRY(read_bool(r, root, "unordered_by_user", &profile->unordered_by_user));
    TRY(read_bool(r, root, "partial", &profile->partial));
    json_t *fraction = json_object_get(root, "sampled_fraction");
    if (fraction) TRY(read_number(r, fraction, "sampled_fraction", &profile->sampled_fraction));
    if (profile->sampled_fraction <= 0 || profile->sampled_fraction > 1)
        return fail(r, "sampled_fraction", "must be greater than 0 and at most 1");
    TRY(read_segments(r, root));
    TRY(read_banks(r, root));
    TRY(read_counters(r, root));
    TRY(read_instructions(r, root));
    TRY(read_ptx(r, root));
    TRY(read_notes(r, root));
    TRY(read_stages(r, root));
    TRY(read_l2_reuse(r, root));
    profile->has_l2_code = json_object_get(root, "l2_code_bytes") != NULL;
    if (profile->has_l2_code)
        TRY(need_whole(r, root, "", "l2_code_bytes", 0, UINT64_C(1) << 53,
                       &profile->l2_code_bytes));
    return read_caches(r, root);
}

static void drop_json(void *json)
{
    json_decref(json);
}

ws_status profile_load_memory(struct diag *diag, const char *name, const void *bytes, size_t size,
                              struct profile **out)
{
    *out = NULL;
    json_error_t error;
    errno = 0; /* Jansson takes some failures of memory for mistakes in the text, others for none */
    json_t *root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &error);
    if (errno == ENOMEM) json_decref(root);
    mem_check_errno();
    if (!root) {
        struct source_place place = {.file = name,
                                     .text = bytes,
                                     .size = size,
                                     .line = error.line > 0 ? (uint32_t)error.line : 1,
                                     .column = error.column > 0 ? (uint32_t)error.column : 1,
                                     .length = 1};
        return diag_error_at(diag, WS_ERR_INPUT, &place, "not valid JSON: %s", error.text);
    }
    struct mem_guard guard;
    mem_guard_begin(&guard, drop_json, root);
    struct reader r = {diag, name, profile_create()};
    ws_status status = read_root(&r, root);
    mem_guard_end(&guard);
    json_decref(root);
    if (status == WS_OK)
        *out = r.profile;
    else
        profile_destroy(r.profile);
    return status;
}

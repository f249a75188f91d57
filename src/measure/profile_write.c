// SPDX-License-Identifier: Apache-2.0
/* A profile as JSON (schema warpsage.profile/1, schemas/profile.schema.json). */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "measure/cache_section.h"
#include "measure/profile.h"

/* Jansson frees what it is given in any case; if memory ran out for a part, nothing is written. */
struct writer {
    bool failed;
};

static void put(struct writer *w, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0) w->failed = true;
}

static void append(struct writer *w, json_t *list, json_t *value)
{
    if (json_array_append_new(list, value) != 0) w->failed = true;
}

/* Whole numbers are written as such: exact up to 2^53. */
static json_t *number(double value)
{
    if (!isfinite(value)) return json_null();
    if (value == floor(value) && fabs(value) < 9007199254740992.0)
        return json_integer((json_int_t)value);
    return json_real(value);
}

static json_t *unsigned_number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

/* Names from a PTX file may hold any byte; what is no UTF-8 becomes '?'. */
static json_t *text_or_null(const char *text)
{
    if (!text) return json_null();
    json_t *json = json_string(text);
    if (json) return json;
    char *copy = mem_try_alloc(strlen(text) + 1);
    if (!copy) return NULL;
    size_t length = 0;
    for (; text[length]; length++)
        copy[length] = (unsigned char)text[length] < 128 ? text[length] : '?';
    copy[length] = '\0';
    json = json_string(copy);
    mem_free(copy);
    return json;
}

static json_t *triple(struct writer *w, const uint32_t values[3])
{
    json_t *list = json_array();
    for (int i = 0; i < 3; i++)
        append(w, list, unsigned_number(values[i]));
    return list;
}

static json_t *launch_json(struct writer *w, const struct profile *profile)
{
    json_t *launch = json_object();
    put(w, launch, "grid", triple(w, profile->grid));
    put(w, launch, "block", triple(w, profile->block));
    put(w, launch, "static_shared_bytes", unsigned_number(profile->static_shared_bytes));
    put(w, launch, "dynamic_shared_bytes", unsigned_number(profile->dynamic_shared_bytes));
    put(w, launch, "local_bytes_per_thread", unsigned_number(profile->local_bytes_per_thread));
    return launch;
}

static json_t *registers_json(struct writer *w, const struct profile *profile)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < profile->register_count; i++) {
        const struct register_count *entry = &profile->registers[i];
        json_t *item = json_object();
        put(w, item, "target", unsigned_number(entry->target));
        put(w, item, "value", unsigned_number(entry->value));
        put(w, item, "from", text_or_null(entry->from));
        if (entry->spill_store_bytes || entry->spill_load_bytes) {
            put(w, item, "spill_store_bytes", unsigned_number(entry->spill_store_bytes));
            put(w, item, "spill_load_bytes", unsigned_number(entry->spill_load_bytes));
        }
        append(w, list, item);
    }
    return list;
}

static json_t *counter_json(struct writer *w, const struct counter_value *value,
                            const struct counter_info *info)
{
    json_t *item = json_object();
    bool known = value->origin != ORIGIN_NONE;
    put(w, item, "value", known ? number(value->value) : json_null());
    put(w, item, "unit", json_string(info->unit));
    if (!known) {
        put(w, item, "reason", text_or_null(value->reason ? value->reason : ""));
        return item;
    }
    put(w, item, "from", json_string(origin_infos[value->origin].id));
    if (value->lo < value->value || value->hi > value->value) {
        put(w, item, "lo", number(value->lo));
        put(w, item, "hi", number(value->hi));
    }
    return item;
}

static json_t *counters_json(struct writer *w, const struct profile *profile)
{
    json_t *counters = json_object();
    for (int i = 0; i < COUNTER_COUNT; i++) {
        put(w, counters, counter_infos[i].id,
            counter_json(w, &profile->counters[i], &counter_infos[i]));
    }
    return counters;
}

static json_t *counter_or_null(unsigned counter)
{
    return counter < CONTROL_COUNTERS ? unsigned_number(counter) : json_null();
}

static json_t *control_json(struct writer *w, const struct insn_control *control)
{
    json_t *item = json_object();
    put(w, item, "stall", unsigned_number(control->stall));
    put(w, item, "stays", json_boolean(control->stays));
    put(w, item, "writes", counter_or_null(control->writes));
    put(w, item, "reads", counter_or_null(control->reads));
    put(w, item, "awaits", unsigned_number(control->awaited));
    put(w, item, "reuse", unsigned_number(control->reuse));
    return item;
}

static json_t *instruction_json(struct writer *w, const struct instruction_profile *insn)
{
    json_t *item = json_object(), *counters = json_object();
    for (uint32_t i = 0; i < insn->counter_count; i++) {
        put(w, counters, counter_infos[insn->counters[i]].id, number(insn->values[i]));
    }
    put(w, item, "pc", unsigned_number(insn->pc));
    if (insn->is_native) put(w, item, "address", unsigned_number(insn->line));
    if (insn->is_native && insn->ptx_line)
        put(w, item, "ptx_line", unsigned_number(insn->ptx_line));
    else if (!insn->is_native)
        put(w, item, "ptx_line", insn->line ? unsigned_number(insn->line) : json_null());
    put(w, item, "file", text_or_null(insn->file));
    put(w, item, "line", insn->source_line ? unsigned_number(insn->source_line) : json_null());
    put(w, item, "op", text_or_null(insn->op ? insn->op : ""));
    put(w, item, "text", text_or_null(insn->text));
    put(w, item, "class", json_string(class_ids[insn->class_id]));
    if (insn->control.is_set) put(w, item, "control", control_json(w, &insn->control));
    put(w, item, "counters", counters);
    return item;
}

static json_t *ptx_json(struct writer *w, const struct profile *profile)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < profile->ptx_count; i++) {
        json_t *item = json_object();
        put(w, item, "line", unsigned_number(profile->ptx[i].line));
        put(w, item, "text", text_or_null(profile->ptx[i].text));
        append(w, list, item);
    }
    return list;
}

static json_t *stage_json(struct writer *w, const struct stage_profile *stage)
{
    json_t *item = json_object(), *counters = json_object();
    for (int i = 0; i < COUNTER_COUNT; i++) {
        if (stage->counters[i] == 0) continue;
        put(w, counters, counter_infos[i].id, number(stage->counters[i]));
    }
    put(w, item, "index", unsigned_number(stage->index));
    put(w, item, "warps_working", number(stage->warps_working));
    put(w, item, "threads_working", number(stage->threads_working));
    put(w, item, "shared_warps_working", number(stage->shared_warps_working));
    put(w, item, "counters", counters);
    return item;
}

static json_t *texts_json(struct writer *w, const char *const *texts, size_t count)
{
    json_t *out = json_array();
    for (size_t i = 0; i < count; i++)
        append(w, out, text_or_null(texts[i]));
    return out;
}

static json_t *caches_json(struct writer *w, const struct cache_section *section)
{
    json_t *item = json_object(), *geometry = json_object(), *counts = json_object();
    for (unsigned i = 0; i < CACHE_GEOMETRY_COUNT; i++)
        put(w, geometry, cache_geometry_numbers[i].id,
            unsigned_number(cache_geometry_get(&section->geometry, i)));
    for (unsigned i = 0; i < CACHE_COUNT_COUNT; i++)
        put(w, counts, cache_count_infos[i].id, unsigned_number(section->counts[i]));
    put(w, item, "geometry", geometry);
    put(w, item, "blocks", unsigned_number(section->blocks));
    put(w, item, "sms", unsigned_number(section->sms));
    put(w, item, "sectors", counts);
    return item;
}

static json_t *l2_reuse_json(struct writer *w, const struct profile *profile)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < profile->l2_reuse_count; i++) {
        json_t *item = json_object();
        put(w, item, "bytes", unsigned_number(profile->l2_reuse[i].bytes));
        put(w, item, "sectors", unsigned_number(profile->l2_reuse[i].sectors));
        append(w, list, item);
    }
    return list;
}

static int keep(const char *bytes, size_t size, void *text)
{
    return strbuf_try_append(text, bytes, size) ? 0 : -1;
}

static char *to_json(const struct profile *profile, const char *trace_name, size_t form)
{
    struct writer all = {0}, *w = &all;
    errno = 0;
    json_t *root = json_object(), *instructions = json_array(), *stages = json_array();
    for (uint32_t i = 0; i < profile->instruction_count; i++)
        append(w, instructions, instruction_json(w, &profile->instructions[i]));
    for (uint32_t i = 0; i < profile->stage_count; i++)
        append(w, stages, stage_json(w, &profile->stages[i]));
    put(w, root, "schema", json_string("warpsage.profile/1"));
    put(w, root, "kernel", text_or_null(profile->kernel ? profile->kernel : ""));
    put(w, root, "mangled", text_or_null(profile->mangled));
    put(w, root, "isa", text_or_null(profile->isa ? profile->isa : "hand-written"));
    put(w, root, "source_path", text_or_null(profile->source_path));
    if (trace_name) put(w, root, "trace_file", text_or_null(trace_name));
    put(w, root, "launch", launch_json(w, profile));
    if (profile->argument_count)
        put(w, root, "arguments", texts_json(w, profile->arguments, profile->argument_count));
    put(w, root, "registers", registers_json(w, profile));
    put(w, root, "ordered", json_boolean(profile->ordered));
    put(w, root, "unordered_by_user", json_boolean(profile->unordered_by_user));
    if (profile->partial) put(w, root, "partial", json_true());
    put(w, root, "sampled_fraction", number(profile->sampled_fraction));
    if (profile->cc12_initial_segment) {
        json_t *segments = json_object();
        put(w, segments, "initial", unsigned_number(profile->cc12_initial_segment));
        put(w, segments, "min", unsigned_number(profile->cc12_min_segment));
        put(w, root, "cc12_segments", segments);
    }
    if (profile->half_warp_banks)
        put(w, root, "half_warp_banks", unsigned_number(profile->half_warp_banks));
    put(w, root, "counters", counters_json(w, profile));
    put(w, root, "notes", texts_json(w, profile->notes, profile->note_count));
    put(w, root, "instructions", instructions);
    if (profile->ptx_count) put(w, root, "ptx", ptx_json(w, profile));
    put(w, root, "stages", stages);
    json_t *caches = json_array();
    for (const struct cache_section *section = profile_next_caches(profile, NULL); section;
         section = profile_next_caches(profile, section))
        append(w, caches, caches_json(w, section));
    put(w, root, "caches", caches);
    if (profile->has_l2_reuse) put(w, root, "l2_reuse", l2_reuse_json(w, profile));
    if (profile->has_l2_code)
        put(w, root, "l2_code_bytes", unsigned_number(profile->l2_code_bytes));
    /* 17 digits give every double back. */
    struct strbuf text = {0};
    bool done =
        !all.failed && json_dump_callback(root, keep, &text, form | JSON_REAL_PRECISION(17)) == 0;
    json_decref(root);
    mem_check_errno();                 /* what Jansson left out without a word */
    if (!done) mem_raise(text.length); /* every value above is valid */
    return strbuf_take(&text);
}

char *profile_to_json_with(const struct profile *profile, const char *trace_name)
{
    return to_json(profile, trace_name, JSON_INDENT(1));
}

char *profile_to_json(const struct profile *profile)
{
    return to_json(profile, NULL, JSON_COMPACT);
}

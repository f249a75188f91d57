// SPDX-License-Identifier: Apache-2.0
/* A profile as JSON (schema warpsage.profile/1, schemas/profile.schema.json). */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "measure/cache_replay.h"
#include "measure/profile.h"

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
    char *copy = mem_alloc(strlen(text) + 1);
    size_t length = 0;
    for (; text[length]; length++)
        copy[length] = (unsigned char)text[length] < 128 ? text[length] : '?';
    copy[length] = '\0';
    json = json_string(copy);
    free(copy);
    return json;
}

static json_t *triple(const uint32_t values[3])
{
    json_t *list = json_array();
    for (int i = 0; i < 3; i++)
        json_array_append_new(list, unsigned_number(values[i]));
    return list;
}

static json_t *launch_json(const struct profile *profile)
{
    json_t *launch = json_object();
    json_object_set_new(launch, "grid", triple(profile->grid));
    json_object_set_new(launch, "block", triple(profile->block));
    json_object_set_new(launch, "static_shared_bytes",
                        unsigned_number(profile->static_shared_bytes));
    json_object_set_new(launch, "dynamic_shared_bytes",
                        unsigned_number(profile->dynamic_shared_bytes));
    json_object_set_new(launch, "local_bytes_per_thread",
                        unsigned_number(profile->local_bytes_per_thread));
    return launch;
}

static json_t *registers_json(const struct profile *profile)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < profile->register_count; i++) {
        const struct register_count *entry = &profile->registers[i];
        json_t *item = json_object();
        json_object_set_new(item, "target", unsigned_number(entry->target));
        json_object_set_new(item, "value", unsigned_number(entry->value));
        json_object_set_new(item, "from", text_or_null(entry->from));
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *counter_json(const struct counter_value *value, const struct counter_info *info)
{
    json_t *item = json_object();
    bool known = value->origin != ORIGIN_NONE;
    json_object_set_new(item, "value", known ? number(value->value) : json_null());
    json_object_set_new(item, "unit", json_string(info->unit));
    if (!known) {
        json_object_set_new(item, "reason", text_or_null(value->reason ? value->reason : ""));
        return item;
    }
    json_object_set_new(item, "from", json_string(origin_ids[value->origin]));
    if (value->lo < value->value || value->hi > value->value) {
        json_object_set_new(item, "lo", number(value->lo));
        json_object_set_new(item, "hi", number(value->hi));
    }
    return item;
}

static json_t *counters_json(const struct profile *profile)
{
    json_t *counters = json_object();
    for (int i = 0; i < COUNTER_COUNT; i++) {
        json_object_set_new(counters, counter_infos[i].id,
                            counter_json(&profile->counters[i], &counter_infos[i]));
    }
    return counters;
}

static json_t *instruction_json(const struct instruction_profile *insn)
{
    json_t *item = json_object(), *counters = json_object();
    for (uint32_t i = 0; i < insn->counter_count; i++) {
        json_object_set_new(counters, counter_infos[insn->counters[i]].id, number(insn->values[i]));
    }
    json_object_set_new(item, "pc", unsigned_number(insn->pc));
    if (insn->is_native)
        json_object_set_new(item, "address", unsigned_number(insn->line));
    else
        json_object_set_new(item, "ptx_line",
                            insn->line ? unsigned_number(insn->line) : json_null());
    json_object_set_new(item, "file", text_or_null(insn->file));
    json_object_set_new(item, "line",
                        insn->source_line ? unsigned_number(insn->source_line) : json_null());
    json_object_set_new(item, "op", text_or_null(insn->op ? insn->op : ""));
    json_object_set_new(item, "text", text_or_null(insn->text));
    json_object_set_new(item, "class", json_string(class_ids[insn->class_id]));
    json_object_set_new(item, "counters", counters);
    return item;
}

static json_t *stage_json(const struct stage_profile *stage)
{
    json_t *item = json_object(), *counters = json_object();
    for (int i = 0; i < COUNTER_COUNT; i++) {
        if (stage->counters[i] == 0) continue;
        json_object_set_new(counters, counter_infos[i].id, number(stage->counters[i]));
    }
    json_object_set_new(item, "index", unsigned_number(stage->index));
    json_object_set_new(item, "warps_working", number(stage->warps_working));
    json_object_set_new(item, "threads_working", number(stage->threads_working));
    json_object_set_new(item, "shared_warps_working", number(stage->shared_warps_working));
    json_object_set_new(item, "counters", counters);
    return item;
}

static json_t *notes_json(const struct profile *profile)
{
    json_t *notes = json_array();
    for (uint32_t i = 0; i < profile->note_count; i++)
        json_array_append_new(notes, json_string(profile->notes[i]));
    return notes;
}

static json_t *caches_json(const struct cache_section *section)
{
    json_t *item = json_object(), *geometry = json_object(), *counts = json_object();
    for (unsigned i = 0; i < CACHE_GEOMETRY_COUNT; i++)
        json_object_set_new(geometry, cache_geometry_numbers[i].id,
                            unsigned_number(cache_geometry_get(&section->geometry, i)));
    for (unsigned i = 0; i < CACHE_COUNT_COUNT; i++)
        json_object_set_new(counts, cache_count_infos[i].id, unsigned_number(section->counts[i]));
    json_object_set_new(item, "geometry", geometry);
    json_object_set_new(item, "blocks", unsigned_number(section->blocks));
    json_object_set_new(item, "sms", unsigned_number(section->sms));
    json_object_set_new(item, "is_cut", json_boolean(section->is_cut));
    json_object_set_new(item, "sectors", counts);
    return item;
}

char *profile_to_json_with(const struct profile *profile, const char *trace_name)
{
    json_t *root = json_object(), *instructions = json_array(), *stages = json_array();
    for (uint32_t i = 0; i < profile->instruction_count; i++)
        json_array_append_new(instructions, instruction_json(&profile->instructions[i]));
    for (uint32_t i = 0; i < profile->stage_count; i++)
        json_array_append_new(stages, stage_json(&profile->stages[i]));
    json_object_set_new(root, "schema", json_string("warpsage.profile/1"));
    json_object_set_new(root, "kernel", text_or_null(profile->kernel ? profile->kernel : ""));
    json_object_set_new(root, "mangled", text_or_null(profile->mangled));
    json_object_set_new(root, "isa", text_or_null(profile->isa ? profile->isa : "hand-written"));
    json_object_set_new(root, "source_path", text_or_null(profile->source_path));
    if (trace_name) json_object_set_new(root, "trace_file", text_or_null(trace_name));
    json_object_set_new(root, "launch", launch_json(profile));
    json_object_set_new(root, "registers", registers_json(profile));
    json_object_set_new(root, "ordered", json_boolean(profile->ordered));
    json_object_set_new(root, "unordered_by_user", json_boolean(profile->unordered_by_user));
    json_object_set_new(root, "sampled_fraction", number(profile->sampled_fraction));
    if (profile->cc12_initial_segment) {
        json_t *segments = json_object();
        json_object_set_new(segments, "initial", unsigned_number(profile->cc12_initial_segment));
        json_object_set_new(segments, "min", unsigned_number(profile->cc12_min_segment));
        json_object_set_new(root, "cc12_segments", segments);
    }
    if (profile->half_warp_banks)
        json_object_set_new(root, "half_warp_banks", unsigned_number(profile->half_warp_banks));
    json_object_set_new(root, "counters", counters_json(profile));
    json_object_set_new(root, "notes", notes_json(profile));
    json_object_set_new(root, "instructions", instructions);
    json_object_set_new(root, "stages", stages);
    json_t *caches = json_array();
    for (uint32_t i = 0; i < profile->cache_count; i++)
        json_array_append_new(caches, caches_json(&profile->caches[i]));
    json_object_set_new(root, "caches", caches);
    /* 17 digits give every double back. */
    char *text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    json_decref(root);
    if (!text) abort(); /* out of memory: every value above is valid */
    return text;
}

char *profile_to_json(const struct profile *profile)
{
    return profile_to_json_with(profile, NULL);
}

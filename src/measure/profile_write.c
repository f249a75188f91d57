// SPDX-License-Identifier: Apache-2.0
/* A profile as JSON (schema warpsage.profile/1, schemas/profile.schema.json). */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "measure/cache_section.h"
#include "measure/profile.h"

/* Puts members one after the other: indented by a space, in the order written, as Jansson writes them, whose
 * form profiles have had from the first on. `key` is NULL inside a list. */
struct writer {
    struct strbuf text;
    unsigned depth;
    bool has_items; /* the object or list that is open */
};

static void begin_line(struct writer *w)
{
    static const char spaces[] = "\n        ";
    assert(w->depth + 1 < sizeof spaces);
    strbuf_append(&w->text, spaces, w->depth + 1);
}

static void begin_item(struct writer *w, const char *key)
{
    if (w->has_items) strbuf_putc(&w->text, ',');
    if (w->depth) begin_line(w);
    w->has_items = true;
    if (!key) return;
    strbuf_putc(&w->text, '"');
    strbuf_puts(&w->text, key);
    strbuf_puts(&w->text, "\": ");
}

static void open_item(struct writer *w, const char *key, char bracket)
{
    begin_item(w, key);
    strbuf_putc(&w->text, bracket);
    w->depth++;
    w->has_items = false;
}

static void close_item(struct writer *w, char bracket)
{
    w->depth--;
    if (w->has_items) begin_line(w);
    strbuf_putc(&w->text, bracket);
    w->has_items = true;
}

static void put_word(struct writer *w, const char *key, const char *word)
{
    begin_item(w, key);
    strbuf_puts(&w->text, word);
}

static void put_bool(struct writer *w, const char *key, bool value)
{
    put_word(w, key, value ? "true" : "false");
}

static void put_count(struct writer *w, const char *key, uint64_t value)
{
    char digits[24], *at = digits + sizeof digits;
    uint64_t left = value;
    begin_item(w, key);
    do
        *--at = (char)('0' + left % 10);
    while (left /= 10);
    strbuf_append(&w->text, at, (size_t)(digits + sizeof digits - at));
}

/* With the 17 digits that give every double back; the exponent without plus and leading zeros. */
static void put_real(struct writer *w, double value)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.17g", value);
    for (char *c = digits; *c; c++)
        if (*c == ',') *c = '.'; /* a caller may have set a locale */
    char *exponent = strchr(digits, 'e');
    if (!exponent) {
        strbuf_puts(&w->text, digits);
        if (!strchr(digits, '.')) strbuf_puts(&w->text, ".0");
        return;
    }
    const char *number = exponent + 2;
    while (*number == '0')
        number++;
    strbuf_append(&w->text, digits, (size_t)(exponent + 1 - digits));
    if (exponent[1] == '-') strbuf_putc(&w->text, '-');
    strbuf_puts(&w->text, number);
}

/* Whole numbers are written as such: exact up to 2^53. */
static void put_number(struct writer *w, const char *key, double value)
{
    if (!isfinite(value)) {
        put_word(w, key, "null");
    } else if (value == floor(value) && fabs(value) < 9007199254740992.0 && value >= 0) {
        put_count(w, key, (uint64_t)value);
    } else if (value == floor(value) && fabs(value) < 9007199254740992.0) {
        begin_item(w, key);
        strbuf_printf(&w->text, "%lld", (long long)value);
    } else {
        begin_item(w, key);
        put_real(w, value);
    }
}

static void put_escaped(struct writer *w, unsigned char c)
{
    static const char names[] = "bfnrt\"\\", meanings[] = "\b\f\n\r\t\"\\";
    const char *found = c ? strchr(meanings, c) : NULL;
    if (found)
        strbuf_append(&w->text, (char[]){'\\', names[found - meanings]}, 2);
    else
        strbuf_printf(&w->text, "\\u%04X", c);
}

/* Names from a PTX file may hold any byte; in what is no UTF-8 each beyond ASCII becomes '?'. */
static void put_text(struct writer *w, const char *key, const char *text)
{
    if (!text) {
        put_word(w, key, "null");
        return;
    }
    bool is_utf8 = text_is_utf8(text);
    begin_item(w, key);
    strbuf_putc(&w->text, '"');
    for (const char *from = text, *at = text;; at++) {
        unsigned char c = (unsigned char)*at;
        bool is_plain = c >= 0x20 && c != '"' && c != '\\' && (is_utf8 || c < 0x80);
        if (is_plain) continue;
        strbuf_append(&w->text, from, (size_t)(at - from));
        from = at + 1;
        if (!c) break;
        if (c < 0x80)
            put_escaped(w, c);
        else
            strbuf_putc(&w->text, '?');
    }
    strbuf_putc(&w->text, '"');
}

/* ---- parts of a profile ---------------------------------------------------------------------- */

static void put_triple(struct writer *w, const char *key, const uint32_t values[3])
{
    open_item(w, key, '[');
    for (int i = 0; i < 3; i++)
        put_count(w, NULL, values[i]);
    close_item(w, ']');
}

static void put_launch(struct writer *w, const struct profile *profile)
{
    open_item(w, "launch", '{');
    put_triple(w, "grid", profile->grid);
    put_triple(w, "block", profile->block);
    put_count(w, "static_shared_bytes", profile->static_shared_bytes);
    put_count(w, "dynamic_shared_bytes", profile->dynamic_shared_bytes);
    put_count(w, "local_bytes_per_thread", profile->local_bytes_per_thread);
    close_item(w, '}');
}

static void put_registers(struct writer *w, const struct profile *profile)
{
    open_item(w, "registers", '[');
    for (uint32_t i = 0; i < profile->register_count; i++) {
        const struct register_count *entry = &profile->registers[i];
        open_item(w, NULL, '{');
        put_count(w, "target", entry->target);
        put_count(w, "value", entry->value);
        put_text(w, "from", entry->from);
        if (entry->spill_store_bytes || entry->spill_load_bytes) {
            put_count(w, "spill_store_bytes", entry->spill_store_bytes);
            put_count(w, "spill_load_bytes", entry->spill_load_bytes);
        }
        close_item(w, '}');
    }
    close_item(w, ']');
}

static void put_counter(struct writer *w, const struct counter_value *value,
                        const struct counter_info *info)
{
    bool known = value->origin != ORIGIN_NONE;
    open_item(w, info->id, '{');
    put_number(w, "value", known ? value->value : NAN);
    put_text(w, "unit", info->unit);
    if (!known) {
        put_text(w, "reason", value->reason ? value->reason : "");
    } else {
        put_text(w, "from", origin_infos[value->origin].id);
        if (value->lo < value->value || value->hi > value->value) {
            put_number(w, "lo", value->lo);
            put_number(w, "hi", value->hi);
        }
    }
    close_item(w, '}');
}

static void put_counters(struct writer *w, const struct profile *profile)
{
    open_item(w, "counters", '{');
    for (int i = 0; i < COUNTER_COUNT; i++)
        put_counter(w, &profile->counters[i], &counter_infos[i]);
    close_item(w, '}');
}

static void put_scoreboard(struct writer *w, const char *key, unsigned counter)
{
    if (counter < CONTROL_COUNTERS)
        put_count(w, key, counter);
    else
        put_word(w, key, "null");
}

static void put_control(struct writer *w, const struct insn_control *control)
{
    open_item(w, "control", '{');
    put_count(w, "stall", control->stall);
    put_bool(w, "stays", control->stays);
    put_scoreboard(w, "writes", control->writes);
    put_scoreboard(w, "reads", control->reads);
    put_count(w, "awaits", control->awaited);
    put_count(w, "reuse", control->reuse);
    close_item(w, '}');
}

/* A line of a file, which begins at 1. */
static void put_line(struct writer *w, const char *key, uint32_t line)
{
    if (line)
        put_count(w, key, line);
    else
        put_word(w, key, "null");
}

static void put_instruction(struct writer *w, const struct instruction_profile *insn)
{
    open_item(w, NULL, '{');
    put_count(w, "pc", insn->pc);
    if (insn->is_native) put_count(w, "address", insn->line);
    if (insn->is_native && insn->ptx_line)
        put_count(w, "ptx_line", insn->ptx_line);
    else if (!insn->is_native)
        put_line(w, "ptx_line", insn->line);
    put_text(w, "file", insn->file);
    put_line(w, "line", insn->source_line);
    put_text(w, "op", insn->op ? insn->op : "");
    put_text(w, "text", insn->text);
    put_text(w, "class", class_ids[insn->class_id]);
    if (insn->control.is_set) put_control(w, &insn->control);
    open_item(w, "counters", '{');
    for (uint32_t i = 0; i < insn->counter_count; i++)
        put_number(w, counter_infos[insn->counters[i]].id, insn->values[i]);
    close_item(w, '}');
    close_item(w, '}');
}

static void put_instructions(struct writer *w, const struct profile *profile)
{
    open_item(w, "instructions", '[');
    for (uint32_t i = 0; i < profile->instruction_count; i++)
        put_instruction(w, &profile->instructions[i]);
    close_item(w, ']');
}

static void put_ptx(struct writer *w, const struct profile *profile)
{
    open_item(w, "ptx", '[');
    for (uint32_t i = 0; i < profile->ptx_count; i++) {
        open_item(w, NULL, '{');
        put_count(w, "line", profile->ptx[i].line);
        put_text(w, "text", profile->ptx[i].text);
        close_item(w, '}');
    }
    close_item(w, ']');
}

static void put_stage(struct writer *w, const struct stage_profile *stage)
{
    open_item(w, NULL, '{');
    put_count(w, "index", stage->index);
    put_number(w, "warps_working", stage->warps_working);
    put_number(w, "threads_working", stage->threads_working);
    put_number(w, "shared_warps_working", stage->shared_warps_working);
    open_item(w, "counters", '{');
    for (int i = 0; i < COUNTER_COUNT; i++)
        if (stage->counters[i] != 0) put_number(w, counter_infos[i].id, stage->counters[i]);
    close_item(w, '}');
    close_item(w, '}');
}

static void put_stages(struct writer *w, const struct profile *profile)
{
    open_item(w, "stages", '[');
    for (uint32_t i = 0; i < profile->stage_count; i++)
        put_stage(w, &profile->stages[i]);
    close_item(w, ']');
}

static void put_texts(struct writer *w, const char *key, const char *const *texts, size_t count)
{
    open_item(w, key, '[');
    for (size_t i = 0; i < count; i++)
        put_text(w, NULL, texts[i]);
    close_item(w, ']');
}

static void put_cache_section(struct writer *w, const struct cache_section *section)
{
    open_item(w, NULL, '{');
    open_item(w, "geometry", '{');
    for (unsigned i = 0; i < CACHE_GEOMETRY_COUNT; i++)
        put_count(w, cache_geometry_numbers[i].id, cache_geometry_get(&section->geometry, i));
    close_item(w, '}');
    put_count(w, "blocks", section->blocks);
    put_count(w, "sms", section->sms);
    open_item(w, "sectors", '{');
    for (unsigned i = 0; i < CACHE_COUNT_COUNT; i++)
        put_count(w, cache_count_infos[i].id, section->counts[i]);
    close_item(w, '}');
    close_item(w, '}');
}

static void put_caches(struct writer *w, const struct profile *profile)
{
    const struct cache_section *section = NULL;
    open_item(w, "caches", '[');
    while ((section = profile_next_caches(profile, section)))
        put_cache_section(w, section);
    close_item(w, ']');
}

static void put_l2_reuse(struct writer *w, const struct profile *profile)
{
    open_item(w, "l2_reuse", '[');
    for (uint32_t i = 0; i < profile->l2_reuse_count; i++) {
        open_item(w, NULL, '{');
        put_count(w, "bytes", profile->l2_reuse[i].bytes);
        put_count(w, "sectors", profile->l2_reuse[i].sectors);
        close_item(w, '}');
    }
    close_item(w, ']');
}

static void put_segments(struct writer *w, const struct profile *profile)
{
    open_item(w, "cc12_segments", '{');
    put_count(w, "initial", profile->cc12_initial_segment);
    put_count(w, "min", profile->cc12_min_segment);
    close_item(w, '}');
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void put_head(struct writer *w, const struct profile *profile, const char *trace_name)
{
    put_text(w, "schema", "warpsage.profile/1");
    put_text(w, "kernel", profile->kernel ? profile->kernel : "");
    put_text(w, "mangled", profile->mangled);
    put_text(w, "isa", profile->isa ? profile->isa : "hand-written");
    put_text(w, "source_path", profile->source_path);
    if (trace_name) put_text(w, "trace_file", trace_name);
    put_launch(w, profile);
    if (profile->argument_count)
        put_texts(w, "arguments", profile->arguments, profile->argument_count);
    put_registers(w, profile);
    put_bool(w, "ordered", profile->ordered);
    put_bool(w, "unordered_by_user", profile->unordered_by_user);
    if (profile->partial) put_bool(w, "partial", true);
    put_number(w, "sampled_fraction", profile->sampled_fraction);
    if (profile->cc12_initial_segment) put_segments(w, profile);
    if (profile->half_warp_banks) put_count(w, "half_warp_banks", profile->half_warp_banks);
}

char *profile_to_json_with(const struct profile *profile, const char *trace_name)
{
    struct writer all = {0}, *w = &all;
    open_item(w, NULL, '{');
    put_head(w, profile, trace_name);
    put_counters(w, profile);
    put_texts(w, "notes", profile->notes, profile->note_count);
    put_instructions(w, profile);
    if (profile->ptx_count) put_ptx(w, profile);
    put_stages(w, profile);
    put_caches(w, profile);
    if (profile->has_l2_reuse) put_l2_reuse(w, profile);
    if (profile->has_l2_code) put_count(w, "l2_code_bytes", profile->l2_code_bytes);
    close_item(w, '}');
    return strbuf_take(&all.text);
}

char *profile_to_json(const struct profile *profile)
{
    return profile_to_json_with(profile, NULL);
}

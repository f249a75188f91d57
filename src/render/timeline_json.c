// SPDX-License-Identifier: Apache-2.0
#include "render/timeline_json.h"

#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "render/json_out.h"

/* Tracks are threads of a few processes, in this order. */
enum group { GROUP_SCHEDULERS, GROUP_UNITS, GROUP_WARPS, GROUP_BLOCKS, GROUP_MEMORY, GROUP_COUNT };
enum { TRACK_L2, TRACK_DRAM, TRACK_CHANNELS };
enum { FLUSH_BYTES = 1 << 16 };

struct writer {
    const struct timeline_view *view;
    const struct timeline *timeline;
    ws_write_fn *write;
    void *user;
    struct strbuf out;
    struct arena arena;
    bool has_items, failed;
    uint64_t events;
    const char **texts; /* statements by instruction of the trace; NULL: the profile has none */
};

static void flush(struct writer *w, size_t beyond)
{
    if (w->out.length <= beyond) return;
    if (!w->failed && !w->write(w->user, w->out.data, w->out.length)) w->failed = true;
    w->out.length = 0;
}

static void begin_event(struct writer *w)
{
    flush(w, FLUSH_BYTES);
    strbuf_puts(&w->out, w->has_items ? ",\n" : "\n");
    w->has_items = true;
}

/* Thousandths of a cycle: 15360 ticks are 1000 of them. */
static void put_time(struct writer *w, const char *key, teg_time t)
{
    long long milli = (long long)(t * 25 / 384);
    strbuf_printf(&w->out, ",\"%s\":%lld.%03lld", key, milli / 1000, milli % 1000);
}
_Static_assert(TEG_CYCLE * 25 == 384 * 1000, "ticks to thousandths of a cycle");

static teg_time cut_to_thousandths(teg_time t)
{
    return t * 25 / 384;
}

static void put_duration(struct writer *w, teg_time begin, teg_time end)
{
    long long milli = (long long)(cut_to_thousandths(end) - cut_to_thousandths(begin));
    strbuf_printf(&w->out, ",\"dur\":%lld.%03lld", milli / 1000, milli % 1000);
}

/* ---- tracks ---------------------------------------------------------------------------------- */

static enum group group_of(uint8_t kind)
{
    switch ((enum timeline_kind)kind) {
    case TIMELINE_ISSUE:
        return GROUP_SCHEDULERS;
    case TIMELINE_UNIT:
        return GROUP_UNITS;
    case TIMELINE_BLOCK:
    case TIMELINE_BARRIER:
        return GROUP_BLOCKS;
    case TIMELINE_WARP:
    case TIMELINE_RUN:
    case TIMELINE_WAIT:
        return GROUP_WARPS;
    default:
        return GROUP_MEMORY;
    }
}

static uint32_t track_of(const struct timeline_record *record)
{
    switch ((enum timeline_kind)record->kind) {
    case TIMELINE_L2:
        return TRACK_L2;
    case TIMELINE_DRAM:
        return TRACK_DRAM;
    case TIMELINE_CHANNEL:
        return TRACK_CHANNELS + record->track;
    default:
        return record->track;
    }
}

static uint32_t track_count(const struct timeline *t, enum group group)
{
    const uint32_t counts[GROUP_COUNT] = {
        [GROUP_SCHEDULERS] = t->schedulers * t->width,
        [GROUP_UNITS] = (t->schedulers + 1) * TEG_UNIT_COUNT,
        [GROUP_WARPS] = t->blocks_per_sm * t->warps_per_block,
        [GROUP_BLOCKS] = t->blocks_per_sm,
        [GROUP_MEMORY] = TRACK_CHANNELS + t->channels,
    };
    return counts[group];
}

static const char *track_name(struct writer *w, enum group group, uint32_t track)
{
    static const char *const levels[] = {"L2", "DRAM"};
    const struct timeline *t = w->timeline;
    struct arena *arena = &w->arena;
    uint32_t owner = track / TEG_UNIT_COUNT;
    const char *unit = teg_unit_infos[track % TEG_UNIT_COUNT].name;
    switch (group) {
    case GROUP_SCHEDULERS:
        return arena_format(arena,
                            track % t->width ? "scheduler %u, second of a pair" : "scheduler %u",
                            track / t->width);
    case GROUP_UNITS:
        return owner ? arena_format(arena, "%s of scheduler %u", unit, owner - 1) : unit;
    case GROUP_WARPS:
        return arena_format(arena, "block place %u, warp %u", track / t->warps_per_block,
                            track % t->warps_per_block);
    case GROUP_BLOCKS:
        return arena_format(arena, "block place %u", track);
    default:
        return track < TRACK_CHANNELS ? levels[track]
                                      : arena_format(arena, "channel %u", track - TRACK_CHANNELS);
    }
}

static void put_meta(struct writer *w, enum group group, const uint32_t *track, const char *what,
                     const char *name, uint32_t index)
{
    begin_event(w);
    strbuf_printf(&w->out, "{\"ph\":\"M\",\"pid\":%u", group + 1);
    if (track) strbuf_printf(&w->out, ",\"tid\":%u", *track);
    strbuf_printf(&w->out, ",\"name\":\"%s_%s\",\"args\":{", what, name ? "name" : "sort_index");
    if (name) {
        strbuf_puts(&w->out, "\"name\":");
        json_out_quote(&w->out, name);
    } else {
        strbuf_printf(&w->out, "\"sort_index\":%u", index);
    }
    strbuf_puts(&w->out, "}}");
}

static void put_group(struct writer *w, enum group group, const bool *is_used)
{
    static const char *const names[GROUP_COUNT] = {
        "schedulers: issued instructions", "units: executing instructions",
        "warps: activity and stalls", "blocks", "memory"};
    const struct timeline *t = w->timeline;
    bool is_any = group == GROUP_MEMORY;
    for (uint32_t i = 0; i < track_count(t, group); i++)
        is_any |= is_used[i];
    if (!is_any) return;
    const char *text = group == GROUP_MEMORY && t->sms > 1
                           ? arena_format(&w->arena, "memory of %u SMs", t->sms)
                           : arena_format(&w->arena, "SM %u %s", t->query.sm, names[group]);
    put_meta(w, group, NULL, "process", text, 0);
    put_meta(w, group, NULL, "process", NULL, group);
    for (uint32_t i = 0; i < track_count(t, group); i++) {
        if (!is_used[i]) continue;
        put_meta(w, group, &i, "thread", track_name(w, group, i), 0);
        put_meta(w, group, &i, "thread", NULL, i);
    }
}

static void put_tracks(struct writer *w)
{
    const struct timeline *t = w->timeline;
    for (unsigned group = 0; group < GROUP_COUNT; group++) {
        bool *is_used = mem_zalloc(track_count(t, group) + 1, sizeof *is_used);
        for (size_t i = 0; i < t->count; i++) {
            const struct timeline_record *record = &t->records[i];
            if (record->kind != TIMELINE_FLIGHT && group_of(record->kind) == group)
                is_used[track_of(record)] = true;
        }
        put_group(w, group, is_used);
        mem_free(is_used);
    }
}

/* ---- events ---------------------------------------------------------------------------------- */

static int by_pc(const void *a, const void *b)
{
    const struct instruction_profile *const *x = a, *const *y = b;
    return (*x)->pc < (*y)->pc ? -1 : (*x)->pc > (*y)->pc;
}

static void find_texts(struct writer *w)
{
    const struct profile *profile = w->view->profile;
    const struct trace *trace = w->timeline->trace;
    uint32_t count = profile->instruction_count;
    const struct instruction_profile **sorted = mem_alloc((count + 1u) * sizeof *sorted);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = &profile->instructions[i];
    qsort(sorted, count, sizeof *sorted, by_pc);
    w->texts = ARENA_ARRAY(&w->arena, const char *, trace->insn_count + 1u);
    for (uint32_t i = 0; i < trace->insn_count; i++) {
        struct instruction_profile wanted = {.pc = trace->insns[i].pc}, *key = &wanted;
        const struct instruction_profile **found =
            bsearch(&key, sorted, count, sizeof *sorted, by_pc);
        if (found) w->texts[i] = (*found)->text;
    }
    mem_free(sorted);
}

/* Source line and text of an instruction. */
static void put_instruction(struct writer *w, uint32_t number)
{
    const struct trace_insn *insn = &w->timeline->trace->insns[number];
    struct instruction_profile own = {.line = insn->line,
                                      .is_native = profile_is_native(w->view->profile),
                                      .file = insn->file,
                                      .source_line = insn->source_line};
    char place[256];
    instruction_place(place, sizeof place, &own);
    strbuf_puts(&w->out, "\"at\":");
    json_out_quote(&w->out, place);
    strbuf_puts(&w->out, ",\"insn\":");
    json_out_quote(&w->out, w->texts[number] ? w->texts[number] : insn->op);
}

static void put_owner(struct writer *w, const struct timeline_record *record)
{
    strbuf_printf(&w->out, ",\"block\":%llu,\"warp\":%u", (unsigned long long)record->block,
                  record->warp);
}

static void put_request(struct writer *w, const struct timeline_record *record)
{
    if (!record->sectors) return;
    strbuf_printf(&w->out, ",\"sectors\":%d,\"l1_hits\":%u,\"l2_hits\":%u,\"dram\":%u",
                  record->sectors, record->l1_hits, record->l2_hits, record->dram);
}

static void put_name(struct writer *w, const struct timeline_record *record)
{
    const char *op = w->timeline->trace->insns[record->insn].op;
    strbuf_puts(&w->out, ",\"name\":");
    switch ((enum timeline_kind)record->kind) {
    case TIMELINE_WAIT:
        json_out_quote(&w->out, teg_stall_infos[record->cause].id);
        return;
    case TIMELINE_BLOCK:
        strbuf_printf(&w->out, "\"block %llu\"", (unsigned long long)record->block);
        return;
    case TIMELINE_BARRIER:
        strbuf_printf(&w->out, "\"barrier %u opens\"", record->number);
        return;
    case TIMELINE_WARP:
        strbuf_printf(&w->out, "\"block %llu, warp %u\"", (unsigned long long)record->block,
                      record->warp);
        return;
    case TIMELINE_L2:
    case TIMELINE_DRAM:
    case TIMELINE_CHANNEL:
        strbuf_printf(&w->out, "\"%d B\"", record->sectors * TEG_SECTOR);
        return;
    default:
        json_out_quote(&w->out, op);
    }
}

static void put_args(struct writer *w, const struct timeline_record *record)
{
    strbuf_puts(&w->out, ",\"args\":{");
    switch ((enum timeline_kind)record->kind) {
    case TIMELINE_ISSUE:
        put_instruction(w, record->insn);
        put_owner(w, record);
        strbuf_printf(&w->out, ",\"lanes\":\"%08x\"", record->on);
        break;
    case TIMELINE_UNIT:
        put_instruction(w, record->insn);
        put_owner(w, record);
        put_request(w, record);
        break;
    case TIMELINE_RUN:
        put_instruction(w, record->insn);
        break;
    case TIMELINE_WAIT:
        put_instruction(w, record->insn);
        strbuf_puts(&w->out, ",\"waits\":");
        json_out_quote(&w->out, teg_stall_infos[record->cause].text);
        break;
    case TIMELINE_BLOCK:
    case TIMELINE_BARRIER:
        strbuf_printf(&w->out, "\"block\":%llu", (unsigned long long)record->block);
        break;
    default:
        break;
    }
    strbuf_putc(&w->out, '}');
}

/* What of the record lies in the window. */
static void put_record(struct writer *w, const struct timeline_record *record)
{
    const struct timeline *t = w->timeline;
    teg_time last = timeline_last(w->view);
    teg_time begin = record->begin > t->query.first ? record->begin : t->query.first;
    teg_time end = record->end < last ? record->end : last;
    bool is_instant = record->kind == TIMELINE_BARRIER;
    if (begin >= last && !is_instant) return; /* what the memory does behind the last warp */
    if (!is_instant && cut_to_thousandths(begin) == cut_to_thousandths(end)) return;
    begin_event(w);
    strbuf_printf(&w->out, "{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u", is_instant ? "i" : "X",
                  group_of(record->kind) + 1, track_of(record));
    if (is_instant) strbuf_puts(&w->out, ",\"s\":\"t\"");
    put_time(w, "ts", begin);
    if (!is_instant) put_duration(w, begin, end);
    put_name(w, record);
    put_args(w, record);
    strbuf_putc(&w->out, '}');
    w->events++;
}

static void put_in_flight(struct writer *w, teg_time at, int64_t sectors)
{
    begin_event(w);
    strbuf_printf(&w->out, "{\"ph\":\"C\",\"pid\":%u,\"tid\":0", GROUP_MEMORY + 1);
    put_time(w, "ts", at);
    strbuf_printf(&w->out, ",\"name\":\"SM %u: sectors in flight\",\"args\":{\"sectors\":%lld}}",
                  w->timeline->query.sm, (long long)sectors);
    w->events++;
}

/* One sample an instant, however many accesses begin and end there. */
static void put_flights(struct writer *w)
{
    const struct timeline *t = w->timeline;
    int64_t sectors = t->first_in_flight;
    teg_time at = t->query.first;
    bool is_new = sectors != 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct timeline_record *record = &t->records[i];
        if (record->kind != TIMELINE_FLIGHT) continue;
        if (record->begin >= timeline_last(w->view)) break;
        if (is_new && cut_to_thousandths(record->begin) != cut_to_thousandths(at))
            put_in_flight(w, at, sectors);
        at = record->begin;
        sectors += record->sectors;
        is_new = true;
    }
    if (is_new) put_in_flight(w, at, sectors);
}

/* ---- the file -------------------------------------------------------------------------------- */

teg_time timeline_last(const struct timeline_view *view)
{
    const struct timeline *t = view->timeline;
    teg_time last = t->query.last < view->end ? t->query.last : view->end;
    return t->cut < last ? t->cut : last;
}

const char *timeline_cut_note(struct arena *arena, const struct timeline_view *view)
{
    const struct timeline *t = view->timeline;
    teg_time wanted = t->query.last < view->end ? t->query.last : view->end;
    if (t->cut >= wanted) return "";
    return arena_format(arena,
                        "truncated at cycle %.0f of %.0f: more than %zu events; select a part with "
                        "--cycles A..B, or raise --events N",
                        (double)t->cut / (double)TEG_CYCLE, (double)wanted / (double)TEG_CYCLE,
                        t->query.most);
}

static void put_cut(struct writer *w, const char *note)
{
    if (!*note) return;
    begin_event(w);
    strbuf_puts(&w->out, "{\"ph\":\"i\",\"s\":\"g\",\"pid\":1,\"tid\":0");
    put_time(w, "ts", timeline_last(w->view));
    strbuf_puts(&w->out, ",\"name\":");
    json_out_quote(&w->out, note);
    strbuf_putc(&w->out, '}');
}

static void put_number(struct writer *w, const char *key, double value)
{
    char text[NUMBER_TEXT];
    number_exact(text, value);
    strbuf_printf(&w->out, ",\n \"%s\": %s", key, text);
}

/* What the axis means, and what is shown. */
static void put_head(struct writer *w, const char *note)
{
    const struct timeline_view *view = w->view;
    const struct timeline *t = w->timeline;
    double clock = machine_get(view->machine, MACHINE_CLOCK_CORE, 1), cycle = (double)TEG_CYCLE;
    strbuf_puts(&w->out, "{\"displayTimeUnit\":\"ns\",\n\"otherData\":{\n \"schema\": "
                         "\"warpsage.timeline/1\",\n \"kernel\": ");
    json_out_quote(&w->out, view->profile->kernel ? view->profile->kernel : "");
    strbuf_puts(&w->out, ",\n \"machine\": ");
    json_out_quote(&w->out, view->machine->id);
    strbuf_puts(&w->out, ",\n \"axis\": \"1 us of the axis is 1 core cycle\"");
    put_number(w, "core_clock_hz", clock);
    put_number(w, "microseconds_per_cycle", 1e6 / clock);
    put_number(w, "sm", t->query.sm);
    put_number(w, "simulated_sms", t->sms);
    put_number(w, "simulated_cycles", (double)view->end / cycle);
    put_number(w, "first_cycle", (double)t->query.first / cycle);
    put_number(w, "last_cycle", (double)timeline_last(view) / cycle);
    strbuf_puts(&w->out, ",\n \"cut\": ");
    if (*note)
        json_out_quote(&w->out, note);
    else
        strbuf_puts(&w->out, "null");
    strbuf_puts(&w->out, "},\n\"traceEvents\":[");
}

ws_status timeline_write_json(struct diag *diag, const struct timeline_view *view,
                              ws_write_fn *write, void *user, uint64_t *out_events)
{
    struct writer w = {.view = view, .timeline = view->timeline, .write = write, .user = user};
    const char *note = timeline_cut_note(&w.arena, view);
    find_texts(&w);
    put_head(&w, note);
    put_tracks(&w);
    for (size_t i = 0; i < w.timeline->count; i++)
        if (w.timeline->records[i].kind != TIMELINE_FLIGHT) put_record(&w, &w.timeline->records[i]);
    put_flights(&w);
    put_cut(&w, note);
    strbuf_puts(&w.out, "\n]}\n");
    flush(&w, 0);
    strbuf_clear(&w.out);
    arena_clear(&w.arena);
    *out_events = w.events;
    if (w.failed) return diag_error(diag, WS_ERR_IO, "cannot write the timeline");
    return WS_OK;
}

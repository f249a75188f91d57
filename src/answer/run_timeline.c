// SPDX-License-Identifier: Apache-2.0
#include "answer/run_timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

enum { EVENT_FIELDS = 8, HEAD_FIELDS = 3 };
enum { KIND_CALL, KIND_KERNEL, KIND_COPY, KIND_FILL, KINDS };
static const char *const kinds[KINDS] = {"call", "kernel", "copy", "fill"};

/* ---- lines ----------------------------------------------------------------------------------- */

/* As run_session.c reads its own: the program may have set a locale whose decimal point is a comma. */
static bool read_time(char *text, double *out)
{
    char *comma = strchr(text, ',');
    if (comma) *comma = '.';
    return text_to_double(text, out) && isfinite(*out) && *out >= 0;
}

static bool read_head(struct run_timeline *timeline, char *const *f)
{
    uint64_t left_out;
    double step;
    if (!read_time(f[1], &step) || !text_to_u64(f[2], &left_out)) return false;
    timeline->step = fmax(timeline->step, step);
    timeline->left_out += left_out;
    return true;
}

static bool read_event(struct run_timeline *timeline, struct arena *arena, uint64_t process,
                       char *const *f)
{
    struct run_event event = {.process = process};
    for (unsigned i = 0; i < KINDS; i++)
        if (!strcmp(f[0], kinds[i])) event.kind = kinds[i];
    if (!event.kind || !text_to_u64(f[1], &event.stream) || !text_to_u64(f[2], &event.count) ||
        !read_time(f[3], &event.begin) || !read_time(f[4], &event.end) ||
        !read_time(f[5], &event.busy) || !text_to_u64(f[6], &event.bytes) ||
        event.end < event.begin)
        return false;
    event.name = arena_copy(arena, f[7]);
    if (event.kind == kinds[KIND_CALL]) {
        GROW(timeline->calls, timeline->call_count, timeline->call_room);
        timeline->calls[timeline->call_count++] = event;
    } else {
        GROW(timeline->work, timeline->work_count, timeline->work_room);
        timeline->work[timeline->work_count++] = event;
    }
    return true;
}

bool run_timeline_read(struct run_timeline *timeline, struct arena *arena, uint64_t process,
                       char *line)
{
    char *fields[EVENT_FIELDS], *rest = line, *field;
    size_t count = 0;
    while (count < EVENT_FIELDS && (field = strsep(&rest, "\t")) != NULL)
        fields[count++] = field;
    if (count >= HEAD_FIELDS && !strcmp(fields[0], "step")) return read_head(timeline, fields);
    return count == EVENT_FIELDS && read_event(timeline, arena, process, fields);
}

/* ---- sums ------------------------------------------------------------------------------------ */

static unsigned kind_index(const char *kind)
{
    unsigned i = 0;
    while (i < KINDS - 1 && strcmp(kinds[i], kind) != 0)
        i++;
    return i;
}

static int by_name(const void *left, const void *right)
{
    const struct run_event *a = left, *b = right;
    unsigned x = kind_index(a->kind), y = kind_index(b->kind);
    return x != y ? (x < y ? -1 : 1) : strcmp(a->name, b->name);
}

static int busiest_first(const void *left, const void *right)
{
    const struct run_sum *a = left, *b = right;
    unsigned x = kind_index(a->kind), y = kind_index(b->kind);
    if (x != y) return x < y ? -1 : 1;
    if (a->busy != b->busy) return a->busy > b->busy ? -1 : 1;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void add_total(struct run_timeline *timeline, const struct run_event *event)
{
    uint64_t *const counts[KINDS] = {&timeline->calls_made, &timeline->launches, &timeline->copies,
                                     &timeline->fills};
    unsigned kind = kind_index(event->kind);
    *counts[kind] += event->count;
    if (kind == KIND_COPY) timeline->copied_bytes += event->bytes;
    if (kind == KIND_FILL) timeline->filled_bytes += event->bytes;
    timeline->end = fmax(timeline->end, event->end);
}

static void sum_up(struct run_timeline *timeline, struct arena *arena)
{
    size_t count = timeline->call_count + timeline->work_count;
    struct run_event *all = ARENA_ARRAY(arena, struct run_event, count + 1);
    timeline->sums = ARENA_ARRAY(arena, struct run_sum, count + 1);
    if (timeline->call_count) memcpy(all, timeline->calls, timeline->call_count * sizeof *all);
    if (timeline->work_count)
        memcpy(all + timeline->call_count, timeline->work, timeline->work_count * sizeof *all);
    if (count) qsort(all, count, sizeof *all, by_name);
    for (size_t i = 0; i < count; i++) {
        if (!i || by_name(&all[i - 1], &all[i]) != 0)
            timeline->sums[timeline->sum_count++] =
                (struct run_sum){.kind = all[i].kind, .name = all[i].name};
        struct run_sum *sum = &timeline->sums[timeline->sum_count - 1];
        sum->count += all[i].count;
        sum->bytes += all[i].bytes;
        sum->busy += all[i].busy;
        add_total(timeline, &all[i]);
    }
    if (timeline->sum_count)
        qsort(timeline->sums, timeline->sum_count, sizeof *timeline->sums, busiest_first);
}

static struct run_event *move(struct arena *arena, struct run_event *events, size_t count)
{
    struct run_event *kept = ARENA_ARRAY(arena, struct run_event, count + 1);
    if (count) memcpy(kept, events, count * sizeof *events);
    mem_free(events);
    return kept;
}

void run_timeline_end(struct run_timeline *timeline, struct arena *arena)
{
    timeline->calls = move(arena, timeline->calls, timeline->call_count);
    timeline->work = move(arena, timeline->work, timeline->work_count);
    sum_up(timeline, arena);
}

// SPDX-License-Identifier: Apache-2.0
/* PID.calls and PID.work in the folder of the session, if the option `timeline` is set: rows of text like those of
 * session.c, mapped into memory so that they outlive a program that is killed:
 *
 *     step TAB seconds TAB events left out         the first row; 0: every event has a row
 *     KIND TAB stream TAB count TAB begin TAB end TAB busy TAB bytes TAB name */
#include "event_log.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "stream_order.h"

enum { EVENTS = 6144, LINE_BYTES = 768, NAME_BYTES = 600, NAMES = 512 };

struct line {
    char text[LINE_BYTES];
};

struct event_row {
    enum event_kind kind;
    unsigned long long stream;
    const char *name; /* of `names` */
    uint64_t count, bytes;
    double begin, end, busy;
};

struct event_list {
    const char *suffix;
    struct event_row *events;
    struct line *lines; /* the first is about the list */
    unsigned count;
    double step; /* 0: nothing has been merged */
    uint64_t left_out;
};

static struct {
    struct event_list calls, work;
    char *names[NAMES];
    unsigned name_count;
    unsigned long long stream;
    double latest; /* end of what is listed */
    pid_t owner;   /* a child after fork keeps lists of its own */
} event_log = {.calls.suffix = "calls", .work.suffix = "work"};

/* ---- rows ------------------------------------------------------------------------------------ */

static void set_line(struct line *line, int length)
{
    if (length < 0 || length > LINE_BYTES - 2) length = LINE_BYTES - 2;
    memset(line->text + length, ' ', (size_t)(LINE_BYTES - 1 - length));
    line->text[LINE_BYTES - 1] = '\n';
}

static void write_head(struct event_list *list)
{
    struct line *line = list->lines;
    set_line(line, snprintf(line->text, LINE_BYTES - 1, "step\t%.9g\t%llu\t", list->step,
                            (unsigned long long)list->left_out));
}

static void write_event(struct event_list *list, const struct event_row *event)
{
    static const char *const kinds[] = {"call", "kernel", "copy", "fill"};
    struct line *line = &list->lines[event - list->events + 1];
    set_line(line,
             snprintf(line->text, LINE_BYTES - 1, "%s\t%llu\t%llu\t%.15g\t%.15g\t%.15g\t%llu\t%s\t",
                      kinds[event->kind], event->stream, (unsigned long long)event->count,
                      event->begin, event->end, event->busy, (unsigned long long)event->bytes,
                      event->name));
}

static struct line *map_lines(const char *suffix)
{
    char name[32];
    snprintf(name, sizeof name, "%ld.%s", (long)getpid(), suffix);
    char *path = session_path(name);
    int file = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    free(path);
    size_t bytes = (size_t)(EVENTS + 1) * LINE_BYTES;
    void *map = MAP_FAILED;
    if (file >= 0 && ftruncate(file, (off_t)bytes) == 0)
        map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0) close(file);
    return map == MAP_FAILED ? NULL : map;
}

static void begin_list(struct event_list *list)
{
    if (!list->events) list->events = calloc(EVENTS, sizeof *list->events);
    list->lines = list->events ? map_lines(list->suffix) : NULL;
    list->count = 0;
    list->step = 0;
    list->left_out = 0;
    if (list->lines) write_head(list);
}

static bool is_logging(void)
{
    if (!runtime.options.timeline) return false;
    if (event_log.owner != getpid()) {
        event_log.owner = getpid();
        begin_list(&event_log.calls);
        begin_list(&event_log.work);
    }
    return true;
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* A module may go, and the names of its kernels with it. The last one used comes first. */
static const char *keep_name(const char *name)
{
    char **names = event_log.names;
    unsigned i = 0;
    while (i < event_log.name_count && strncmp(names[i], name, NAME_BYTES - 1) != 0)
        i++;
    if (i == NAMES) return "(others)";
    if (i == event_log.name_count) {
        names[i] = strndup(name, NAME_BYTES - 1);
        if (!names[i]) out_of_memory(NAME_BYTES);
        event_log.name_count++;
    }
    char *found = names[i];
    memmove(names + 1, names, i * sizeof *names);
    return names[0] = found;
}

/* Events are in the order of their begins: those of one step are neighbours. */
static struct event_row *find_alike(const struct event_list *list, const struct event_row *event)
{
    double step = floor(event->begin / list->step);
    for (unsigned i = list->count; list->step > 0 && i-- > 0;) {
        struct event_row *one = &list->events[i];
        if (floor(one->begin / list->step) != step) return NULL;
        if (one->kind == event->kind && one->stream == event->stream && one->name == event->name)
            return one;
    }
    return NULL;
}

static struct event_row *merge(const struct event_list *list, const struct event_row *event)
{
    struct event_row *there = find_alike(list, event);
    if (!there) return NULL;
    there->count += event->count;
    there->bytes += event->bytes;
    there->busy += event->busy;
    if (event->end > there->end) there->end = event->end;
    return there;
}

/* Coarser steps until half of the list is free, or all events share one step. */
static void make_room(struct event_list *list)
{
    const double least = 1e-12; /* of a program that has taken no time yet */
    while (list->count > EVENTS / 2 && !(list->step > event_log.latest && list->step > least)) {
        unsigned before = list->count;
        list->step = list->step > 0 ? 2 * list->step : fmax(event_log.latest / EVENTS, least);
        list->count = 0;
        for (unsigned i = 0; i < before; i++) {
            const struct event_row event = list->events[i];
            if (!merge(list, &event)) list->events[list->count++] = event;
        }
    }
    memset(&list->lines[1], 0, (size_t)EVENTS * sizeof *list->lines);
    for (unsigned i = 0; i < list->count; i++)
        write_event(list, &list->events[i]);
}

static void add(struct event_list *list, const struct event_row *event)
{
    if (!list->lines) return;
    struct event_row *there = merge(list, event);
    if (there) {
        write_event(list, there);
        return;
    }
    if (list->count == EVENTS) {
        make_room(list);
        if (list->count == EVENTS) list->left_out += event->count;
        write_head(list);
    }
    if (list->count == EVENTS) return;
    list->events[list->count] = *event;
    write_event(list, &list->events[list->count++]);
}

/* ---- events ---------------------------------------------------------------------------------- */

void event_log_work(enum event_kind kind, const char *name, double begin, uint64_t bytes)
{
    if (!is_logging()) return;
    double end = order_ready();
    event_log.latest = fmax(event_log.latest, end);
    const struct event_row event = {.kind = kind,
                                    .stream = event_log.stream,
                                    .name = keep_name(name),
                                    .count = 1,
                                    .bytes = bytes,
                                    .begin = begin,
                                    .end = end,
                                    .busy = end - begin};
    add(&event_log.work, &event);
}

unsigned long long event_log_stream(unsigned long long stream)
{
    unsigned long long before = event_log.stream;
    event_log.stream = stream;
    return before;
}

static _Thread_local struct {
    const char *name;
    bool is_told;
    const char *current;
} call;

const char *api_current(void)
{
    return call.current ? call.current : "";
}

const char *api_enter(const char *name)
{
    const char *before = call.name;
    if (!before) {
        call.name = name;
        call.is_told = false;
    }
    return before;
}

void api_leave(const char **before)
{
    call.name = *before;
}

void api_called(const char *name)
{
    call.current = call.name ? call.name : name;
    if (call.name && call.is_told) return;
    call.is_told = call.name != NULL;
    if (!is_logging()) return;
    event_log.latest = fmax(event_log.latest, runtime.now);
    const struct event_row event = {.kind = EVENT_CALL,
                                    .name = keep_name(call.name ? call.name : name),
                                    .count = 1,
                                    .begin = runtime.now,
                                    .end = runtime.now};
    add(&event_log.calls, &event);
}

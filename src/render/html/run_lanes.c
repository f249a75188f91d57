// SPDX-License-Identifier: Apache-2.0
/* The timeline of a run as a chart, a lane for API calls and two for each stream; sums by name. */
#include <string.h>

#include "render/html/run_parts.h"

enum { LANES_MOST = 32, KERNEL_COLOURS = 6, COPY_COLOUR = 7, CALL_COLOUR = 8, NAME_BYTES = 599 };
enum lane_kind { LANE_CALLS, LANE_KERNELS, LANE_COPIES };

struct lane {
    uint64_t process, stream;
    enum lane_kind kind;
};

struct drawn {
    struct arena arena;
    const struct node *run;
    struct lane lanes[LANES_MOST];
    size_t lane_count, left_out; /* events of lanes for which there is no room */
    struct chart_event *events;
    size_t event_count;
};

static enum lane_kind kind_of(const char *kind)
{
    return !strcmp(kind, "call")     ? LANE_CALLS
           : !strcmp(kind, "kernel") ? LANE_KERNELS
                                     : LANE_COPIES;
}

static int lane_order(const struct lane *a, const struct lane *b)
{
    uint64_t x[] = {a->process, a->kind != LANE_CALLS, a->stream, a->kind},
             y[] = {b->process, b->kind != LANE_CALLS, b->stream, b->kind};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* Inserts it in order, unless it is there. */
static void add_lane(struct drawn *d, const struct lane *lane)
{
    size_t at = 0;
    while (at < d->lane_count && lane_order(&d->lanes[at], lane) < 0)
        at++;
    if (at < d->lane_count && lane_order(&d->lanes[at], lane) == 0) return;
    if (d->lane_count == LANES_MOST) return;
    memmove(&d->lanes[at + 1], &d->lanes[at], (d->lane_count - at) * sizeof *lane);
    d->lanes[at] = *lane;
    d->lane_count++;
}

static struct lane lane_of(const struct node *row)
{
    enum lane_kind kind = kind_of(node_word(row, "kind"));
    return (struct lane){.process = node_count(row, "process"),
                         .stream = kind == LANE_CALLS ? 0 : node_count(row, "stream"),
                         .kind = kind};
}

static void find_lanes(struct drawn *d, const struct node *table)
{
    for (size_t i = 0; i < table->value.item_count; i++) {
        struct node row = node_row(table, i, &d->arena);
        const struct lane lane = lane_of(&row);
        add_lane(d, &lane);
    }
}

/* Of the heaviest kernels; others are grey. The timeline has the begins of long names. */
static unsigned colour_of(const struct drawn *d, const struct node *row, enum lane_kind kind)
{
    const struct node *kernels = node_child(d->run, "kernels");
    if (kind == LANE_CALLS) return CALL_COLOUR;
    if (kind == LANE_COPIES) return COPY_COLOUR;
    for (unsigned i = 0; i < KERNEL_COLOURS && i < kernels->child_count; i++)
        if (!strncmp(node_word(&kernels->children[i], "name"), node_word(row, "name"), NAME_BYTES))
            return i + 1;
    return CHART_GREY;
}

static void add_events(struct drawn *d, const struct node *table)
{
    for (size_t i = 0; i < table->value.item_count; i++) {
        struct node row = node_row(table, i, &d->arena);
        const struct lane lane = lane_of(&row);
        size_t at = 0;
        while (at < d->lane_count && lane_order(&d->lanes[at], &lane) != 0)
            at++;
        if (at == d->lane_count) {
            d->left_out += (size_t)node_count(&row, "count");
            continue;
        }
        d->events[d->event_count++] =
            (struct chart_event){.lane = at,
                                 .begin = node_number(&row, "begin_s"),
                                 .end = node_number(&row, "end_s"),
                                 .busy = node_number(&row, "busy_s"),
                                 .count = (size_t)node_count(&row, "count"),
                                 .colour = colour_of(d, &row, lane.kind),
                                 .name = node_word(&row, "name")};
    }
}

static const char **name_lanes(struct drawn *d)
{
    const char **names = ARENA_ARRAY(&d->arena, const char *, LANES_MOST);
    bool has_many = d->lane_count && d->lanes[d->lane_count - 1].process != d->lanes[0].process;
    for (size_t i = 0; i < d->lane_count; i++) {
        const struct lane *lane = &d->lanes[i];
        const char *process =
            has_many ? arena_format(&d->arena, "%llu: ", (unsigned long long)lane->process) : "";
        names[i] = lane->kind == LANE_CALLS
                       ? arena_format(&d->arena, "%sAPI calls", process)
                       : arena_format(&d->arena, "%sstream %llu %s", process,
                                      (unsigned long long)lane->stream,
                                      lane->kind == LANE_KERNELS ? "kernels" : "copies");
    }
    return names;
}

static size_t name_parts(const struct drawn *d, struct arena *arena, struct chart_part *parts)
{
    const struct node *kernels = node_child(d->run, "kernels");
    size_t count = 0;
    for (unsigned i = 0; i < KERNEL_COLOURS && i < kernels->child_count; i++) {
        struct strbuf name = {0};
        const char *whole = node_word(&kernels->children[i], "name");
        strbuf_printf(&name, "%.*s%s", 40, whole, strlen(whole) > 40 ? "..." : "");
        parts[count++] = (struct chart_part){arena_copy(arena, name.data), i + 1};
        strbuf_clear(&name);
    }
    if (kernels->child_count > KERNEL_COLOURS)
        parts[count++] = (struct chart_part){"other kernels", CHART_GREY};
    parts[count++] = (struct chart_part){"copies and memsets", COPY_COLOUR};
    parts[count++] = (struct chart_part){"API calls", CALL_COLOUR};
    return count;
}

static void put_explanation(struct html *html, const struct drawn *d, const struct node *timeline)
{
    double step = node_number(timeline, "step_s");
    uint64_t left_out = node_count(timeline, "left_out") + d->left_out;
    html_p(html, NULL,
           "Virtual time, which launches, copies within the GPU and memsets take one after the "
           "other. API "
           "calls and copies from or to the host take none: strokes where they happen. Events "
           "narrower than "
           "a column of the chart share it; its height is the part of its time that is busy.");
    if (step > 0)
        html_p(html, NULL,
               "The program did more than the timeline has rows for: events of a name and stream "
               "that begin "
               "within %s are one row with their count and their busy time.",
               quantity_format(step, "s").text);
    if (left_out)
        html_p(html, NULL, "%s not shown: more streams or names than there is room for.",
               quantity_of((double)left_out, "event").text);
}

static void put_sums(struct html *html, const struct node *sums)
{
    enum { MOST = 200 };
    static const struct html_column columns[] = {{.title = "name", .is_code = true},
                                                 {.title = "kind"},
                                                 {.title = "count", .is_number = true},
                                                 {.title = "busy", .is_number = true},
                                                 {.title = "bytes", .is_number = true}};
    struct arena arena = {0};
    html_raw(html, "<details class=\"values\"><summary>Sums by name</summary>\n");
    if (sums->value.item_count > MOST)
        html_p(html, NULL, "The first %d of %zu names.", MOST, sums->value.item_count);
    struct html_table table =
        html_open_table(html, "API calls, launches, copies and memsets by name", columns, 5);
    for (size_t i = 0; i < sums->value.item_count && i < MOST; i++) {
        struct node row = node_row(sums, i, &arena);
        html_row(&table, NULL);
        html_open_cell(&table);
        markup_text_cut(html->out, node_word(&row, "name"), 160);
        html_close_cell(&table);
        html_cell(&table, node_word(&row, "kind"));
        html_cell_count(&table, node_count(&row, "count"));
        html_cell_number(&table, node_number(&row, "busy_s"), "s");
        html_cell_value(&table, node_child(&row, "bytes"));
    }
    html_close_table(&table);
    html_raw(html, "</details>\n");
    arena_clear(&arena);
}

void html_run_timeline(struct html *html, const struct node *run)
{
    const struct node *timeline = node_child(run, "timeline");
    if (!timeline) return;
    const struct node *calls = node_child(timeline, "calls"), *work = node_child(timeline, "work");
    struct drawn d = {.run = run};
    struct chart_part parts[KERNEL_COLOURS + 3];
    size_t count = calls->value.item_count + work->value.item_count;
    if (!count) return;
    find_lanes(&d, work);
    find_lanes(&d, calls);
    d.events = ARENA_ARRAY(&d.arena, struct chart_event, count);
    add_events(&d, work);
    add_events(&d, calls);
    put_explanation(html, &d, timeline);
    html_lanes(html,
               &(struct chart_lanes){
                   .title = "Timeline of API calls, copies and kernels",
                   .text =
                       "A lane for API calls, and for the kernels and the copies of each stream, "
                       "over virtual time.",
                   .unit = "s",
                   .lane_names = name_lanes(&d),
                   .lane_count = d.lane_count,
                   .events = d.events,
                   .event_count = d.event_count,
                   .part_count = name_parts(&d, &d.arena, parts),
                   .parts = parts,
                   .end = node_number(timeline, "end_s")});
    put_sums(html, node_child(timeline, "sums"));
    arena_clear(&d.arena);
}

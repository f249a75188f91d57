// SPDX-License-Identifier: Apache-2.0
#include "stream_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host_check.h"
#include "stream.h"

/* A guess: more are not followed. */
enum { TIMELINES_MOST = 4096, NON_BLOCKING = 1 };

static struct {
    bool is_on;
    struct order_place now; /* what is done goes behind `base`, in `timeline` */
    struct clock host, legacy;
    struct clock last;  /* of every timeline */
    uint32_t timelines; /* 0 is that of the legacy stream */
} order;

/* ---- clocks ---------------------------------------------------------------------------------- */

static void grow(struct clock *clock, size_t count)
{
    if (clock->count >= count) return;
    clock->seen = realloc(clock->seen, count * sizeof *clock->seen);
    if (!clock->seen) out_of_memory(count * sizeof *clock->seen);
    memset(clock->seen + clock->count, 0, (count - clock->count) * sizeof *clock->seen);
    clock->count = count;
}

static void join(struct clock *clock, const struct clock *other)
{
    clock->done = fmax(clock->done, other->done);
    grow(clock, other->count);
    for (size_t i = 0; i < other->count; i++)
        if (other->seen[i] > clock->seen[i]) clock->seen[i] = other->seen[i];
}

static void copy(struct clock *clock, const struct clock *other)
{
    if (clock->count) memset(clock->seen, 0, clock->count * sizeof *clock->seen);
    clock->done = 0;
    join(clock, other);
}

void clock_clear(struct clock *clock)
{
    free(clock->seen);
    *clock = (struct clock){0};
}

static bool is_on(void)
{
    return order.is_on;
}

static uint32_t new_timeline(void)
{
    if (order.timelines + 1 < TIMELINES_MOST) return ++order.timelines;
    order.is_on = false;
    if (ws_check_note(runtime.check,
                      "race: too many streams and branches of graphs: their order is "
                      "not followed any more") != WS_OK)
        tell("%s", ws_context_error(runtime.context));
    return 0;
}

/* ---- streams --------------------------------------------------------------------------------- */

void order_follow(void)
{
    order.is_on |= check_is_on() && order.timelines + 1 < TIMELINES_MOST;
}

/* What it was asked for goes on; the legacy stream waits for it as ever. */
void order_stream_gone(struct stream *stream)
{
    if (!(stream->flags & NON_BLOCKING)) join(&order.legacy, &stream->clock);
    clock_clear(&stream->clock);
}

static void join_blocking(struct clock *clock)
{
    join(clock, &stream_of((cudaStream_t)2)->clock);
    for (const struct stream *one = streams; one; one = one->next)
        if (!(one->flags & NON_BLOCKING)) join(clock, &one->clock);
}

void order_enter(cudaStream_t handle)
{
    struct stream *stream = stream_of(handle);
    struct clock *base = &order.now.base;
    order.host.done = runtime.now;
    copy(base, &order.host);
    order.now.in_graph = false;
    if (!stream) {
        join(base, &order.legacy);
        join_blocking(base);
        order.now.timeline = 0;
        return;
    }
    if (is_on() && !stream->timeline) stream->timeline = new_timeline();
    order.now.timeline = stream->timeline;
    join(base, &stream->clock);
    if (!(stream->flags & NON_BLOCKING)) join(base, &order.legacy);
}

void order_leave(cudaStream_t handle)
{
    if (!stream_is_valid(handle)) return;
    struct stream *stream = stream_of(handle);
    join(stream ? &stream->clock : &order.legacy, &order.now.base);
}

void order_operation(const char *what)
{
    if (!is_on()) return;
    uint32_t timeline = order.now.timeline;
    check_enter_work();
    grow(&order.last, timeline + 1);
    const ws_check_operation operation = {.size = sizeof operation,
                                          .timeline = timeline,
                                          .index = ++order.last.seen[timeline],
                                          .seen = order.now.base.seen,
                                          .seen_count = order.now.base.count,
                                          .done = order.host.seen,
                                          .done_count = order.host.count,
                                          .what = what};
    if (ws_check_begin(runtime.check, &operation) != WS_OK)
        tell("%s", ws_context_error(runtime.context));
    grow(&order.now.base, timeline + 1);
    order.now.base.seen[timeline] = operation.index;
}

double order_ready(void)
{
    return order.now.base.done;
}

void order_set_ready(double at)
{
    order.now.base.done = at;
}

bool order_on_device(bool is_on)
{
    bool was_on = order.now.in_graph;
    order.now.in_graph = is_on;
    return was_on;
}

double order_spend(enum gpu_engine engine, double seconds, struct grid_demand demand)
{
    struct clock *base = &order.now.base;
    struct gpu_span span = engine_run(engine, base->done, seconds, demand);
    base->done = span.end;
    order.last.done = fmax(order.last.done, base->done);
    return span.begin;
}

void order_bytes(const void *pointer, uint64_t bytes, bool is_write)
{
    ws_device_range range;
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    if (!is_on() || !ws_device_find(runtime.device, address, &range)) return;
    if (ws_check_access(runtime.check, address, bytes, is_write) != WS_OK)
        tell("%s", ws_context_error(runtime.context));
}

/* ---- waits ----------------------------------------------------------------------------------- */

static void wait_until(const struct clock *clock)
{
    join(&order.host, clock);
    runtime.now = fmax(runtime.now, clock->done);
}

void order_host_waits(void)
{
    if (!order.now.in_graph) wait_until(&order.now.base);
}

void order_wait_all(void)
{
    wait_until(&order.last);
}

void order_wait_stream(cudaStream_t handle)
{
    const struct stream *stream = stream_of(handle);
    wait_until(stream ? &stream->clock : &order.last);
}

void order_wait_event(const struct event *event)
{
    wait_until(&event->clock);
}

void order_record(struct event *event)
{
    copy(&event->clock, &order.now.base);
}

void order_stream_waits(cudaStream_t handle, const struct event *event)
{
    struct stream *stream = stream_of(handle);
    join(stream ? &stream->clock : &order.legacy, &event->clock);
}

void order_node_waits(const struct event *event)
{
    join(&order.now.base, &event->clock);
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* A launch waits for the last one of the same graph. */
void order_graph_begin(struct graph *graph, struct order_place *before)
{
    *before = order.now;
    order.now = (struct order_place){.in_graph = true};
    copy(&graph->start, &before->base);
    join(&graph->start, &graph->clock);
}

/* Nodes that come one after the other share a timeline. */
static void set_timeline(struct node *node)
{
    for (size_t i = 0; i < node->need_count && !node->timeline; i++) {
        struct node *need = node->needs[i];
        if (!need->timeline || need->is_extended) continue;
        need->is_extended = true;
        node->timeline = need->timeline;
    }
    if (!node->timeline) node->timeline = new_timeline();
}

void order_node_begin(const struct graph *graph, struct node *node)
{
    if (is_on() && !node->timeline) set_timeline(node);
    copy(&order.now.base, &graph->start);
    for (size_t i = 0; i < node->need_count; i++)
        join(&order.now.base, &node->needs[i]->clock);
    order.now.timeline = node->timeline;
    order.now.in_graph = true;
}

void order_node_end(struct node *node)
{
    copy(&node->clock, &order.now.base);
}

void order_graph_end(struct graph *graph, struct order_place *before)
{
    clock_clear(&order.now.base);
    order.now = *before;
    for (const struct node *node = graph->first; node; node = node->next)
        join(&order.now.base, &node->clock);
    copy(&graph->clock, &order.now.base);
}

void order_pause(struct order_place *out)
{
    join(&order.host,
         &order.now.base); /* another thread of the host: this one's time goes on as it was */
    *out = order.now;
    order.now = (struct order_place){.in_graph = false};
}

void order_resume(struct order_place *in)
{
    clock_clear(&order.now.base);
    order.now = *in;
}

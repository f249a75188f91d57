// SPDX-License-Identifier: Apache-2.0
/* Which operations are ordered before which: when they begin in virtual time, and, for the tool race of `warpsage check`,
 * vector clocks of streams, events, nodes of graphs and the host, once the program has made a stream or a graph. The rules are those of the CUDA programming guide
 * (streams, events, default streams, graphs). All threads of the host count as one: what orders them is not seen. With
 * the lock. */
#ifndef RUNTIME_STREAM_ORDER_H
#define RUNTIME_STREAM_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda_abi.h"
#include "gpu_engines.h"

struct node;
struct graph;
struct event;
struct stream;

/* What is known to be done before: in virtual time, and of each timeline the last operation. */
struct clock {
    double done;
    uint64_t *seen;
    size_t count;
};
void clock_clear(struct clock *clock);

/* A stream or graph was made: from here on order is followed. */
void order_follow(void);
/* A stream goes. */
void order_stream_gone(struct stream *stream);
/* Around the work that a stream is asked for. */
void order_enter(cudaStream_t stream);
void order_leave(cudaStream_t stream);
/* A launch (NULL), copy or fill begins. */
void order_operation(const char *what);
/* It takes so long in virtual time on an engine that it has alone (gpu_engines.h). Returns when it begins. */
double order_spend(enum gpu_engine engine, double seconds, struct grid_demand demand);
/* When it may begin, and when what comes before it is done. */
double order_ready(void);
void order_set_ready(double at);
/* From here on no host waits for what is done. Returns what held before. */
bool order_on_device(bool is_on);
/* Bytes that it reads or writes, if the device has them. */
void order_bytes(const void *pointer, uint64_t bytes, bool is_write);
/* The host waits for the operation; for a stream (the default one: for all); for an event; for all. */
void order_host_waits(void);
void order_wait_stream(cudaStream_t stream);
void order_wait_event(const struct event *event);
void order_wait_all(void);
/* The event stands for what the stream was asked for; a stream waits for it. */
void order_record(struct event *event);
void order_stream_waits(cudaStream_t stream, const struct event *event);
void order_node_waits(const struct event *event);
/* Around a graph and each of its nodes; `before` keeps what is outside. */
struct order_place {
    struct clock base;
    uint32_t timeline;
    bool in_graph;
};
void order_graph_begin(struct graph *graph, struct order_place *before);
void order_node_begin(const struct graph *graph, struct node *node);
void order_node_end(struct node *node);
void order_graph_end(struct graph *graph, struct order_place *before);
/* The lock is given up for a function of the host that the stream calls. */
void order_pause(struct order_place *out);
void order_resume(struct order_place *in);

#endif

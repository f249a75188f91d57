// SPDX-License-Identifier: Apache-2.0
/* What a stream is asked to do: done at once, or kept as a node while the stream is captured. */
#ifndef RUNTIME_WORK_H
#define RUNTIME_WORK_H

#include "runtime.h"

/* Numbers of cudaGraphNodeType. */
enum work_kind {
    WORK_KERNEL = 0,
    WORK_COPY = 1,
    WORK_FILL = 2,
    WORK_HOST = 3,
    WORK_GRAPH = 4,
    WORK_EMPTY = 5,
    WORK_WAIT = 6, /* for an event of another stream: done, since work is done in order */
    WORK_RECORD = 7,
    WORK_ALLOC = 10, /* memory that was given when the node was made */
    WORK_FREE = 11,
    WORK_CONDITION = 13,
};

/* Bytes of rows: from one to the next, and where the first of them begins. */
struct rows {
    unsigned char *begin;
    size_t pitch, slice;
};

struct copy_work {
    struct rows to, from;
    size_t width, height, depth; /* bytes, rows, slices */
    int kind;
};
struct fill_work {
    struct rows to;
    unsigned value, element_bytes; /* 1, 2 or 4 */
    size_t width, height, depth;   /* bytes, rows, slices */
};
struct host_work {
    void (*function)(void *user);
    void *user;
};
struct condition_work {
    unsigned long long handle;
    int type; /* cudaGraphConditionalNodeType */
    unsigned count;
    struct graph **bodies;
};

struct work {
    enum work_kind kind;
    union {
        struct kernel_work kernel;
        struct copy_work copy;
        struct fill_work fill;
        struct host_work host;
        struct condition_work condition;
        struct graph *graph;
        struct event *event;
        void *memory;
    };
};

/* Does it, or adds it to the graph that the stream is captured into. Takes the work over in any case. */
cudaError_t stream_do(cudaStream_t stream, struct work *work);
/* Does it. Function calls of the host are made without the lock, which is held before and after. */
cudaError_t work_run(const struct work *work);
/* What it owns: parameters of a kernel, graphs. */
cudaError_t work_copy(struct work *out, const struct work *work);
void work_clear(struct work *work);

/* Fills and copies of one row. */
struct work copy_of(void *to, const void *from, size_t bytes, int kind);
struct work fill_of(void *to, unsigned value, unsigned element_bytes, size_t bytes);
/* cudart_pitched.c */
cudaError_t copy_of_3d(const struct cudaMemcpy3DParms *copy, struct work *out);

#endif

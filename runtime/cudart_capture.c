// SPDX-License-Identifier: Apache-2.0
/* Capture of streams: what they are asked for becomes nodes of a graph. A stream joins a capture when it
 * waits for an event of it. */
#include <stdlib.h>
#include <string.h>

#include "stream.h"

struct capture {
    struct graph *graph;
    bool owns_graph; /* else the program gave it */
    bool failed;
    unsigned long long id;
    struct stream *origin;
    size_t given; /* nodes that were there before */
};

static struct stream per_thread = {.id = 2};

struct stream *stream_of(cudaStream_t stream)
{
    uintptr_t number = (uintptr_t)stream;
    return number < 2 ? NULL : number == 2 ? &per_thread : stream;
}

bool stream_is_valid(cudaStream_t stream)
{
    return (uintptr_t)stream <= 2 || handle_is(HANDLE_STREAM, stream);
}

struct capture *stream_capture(cudaStream_t stream)
{
    const struct stream *one = stream_is_valid(stream) ? stream_of(stream) : NULL;
    return one ? one->capture : NULL;
}

/* ---- tails ----------------------------------------------------------------------------------- */

cudaError_t tail_add(struct tail *tail, struct node *node)
{
    for (size_t i = 0; i < tail->count; i++)
        if (tail->nodes[i] == node) return cudaSuccess;
    if (tail->count == tail->capacity) {
        size_t capacity = 2 * tail->capacity + 4;
        struct node **grown = realloc(tail->nodes, capacity * sizeof *grown);
        if (!grown) return cudaErrorMemoryAllocation;
        tail->nodes = grown;
        tail->capacity = capacity;
    }
    tail->nodes[tail->count++] = node;
    return cudaSuccess;
}

void tail_clear(struct tail *tail)
{
    free(tail->nodes);
    *tail = (struct tail){0};
}

static cudaError_t add_all(struct tail *tail, const struct tail *from)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < from->count && !error; i++)
        error = tail_add(tail, from->nodes[i]);
    return error;
}

/* ---- what a capture forbids ------------------------------------------------------------------ */

enum { NON_BLOCKING = 1 };

/* A stream of a live capture; of the one with this id, if it is not 0. */
static struct stream *find_captured(unsigned long long id, bool only_blocking)
{
    if (per_thread.capture && (!id || per_thread.capture->id == id)) return &per_thread;
    struct stream *one = streams;
    while (one && (!one->capture || (id && one->capture->id != id) ||
                   (only_blocking && (one->flags & NON_BLOCKING))))
        one = one->next;
    return one;
}

static cudaError_t fail_capture(struct capture *capture, cudaError_t error)
{
    capture->failed = true;
    return error;
}

cudaError_t stream_check(cudaStream_t stream)
{
    if (!stream_is_valid(stream)) return cudaErrorInvalidResourceHandle;
    struct stream *one = stream_of(stream);
    if (one && one->capture && !handle_is(HANDLE_GRAPH, one->capture->graph))
        one->capture->failed = true; /* the program destroyed it */
    if (one && one->capture)
        return one->capture->failed ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    struct stream *disturbed = one ? NULL : find_captured(0, true);
    return disturbed ? fail_capture(disturbed->capture, cudaErrorStreamCaptureImplicit)
                     : cudaSuccess;
}

cudaError_t stream_check_wait(const struct stream *stream)
{
    if (!stream) stream = find_captured(0, false);
    return stream && stream->capture
               ? fail_capture(stream->capture, cudaErrorStreamCaptureUnsupported)
               : cudaSuccess;
}

/* ---- what it gathers ------------------------------------------------------------------------- */

cudaError_t capture_add(cudaStream_t stream, struct work *work)
{
    struct stream *one = stream_of(stream);
    struct node *node;
    cudaError_t error =
        graph_add(one->capture->graph, one->tail.nodes, one->tail.count, work, &node);
    if (error) return fail_capture(one->capture, error);
    one->tail.count = 0;
    return tail_add(&one->tail, node);
}

cudaError_t capture_record(cudaStream_t stream, struct event *event)
{
    const struct stream *one = stream_of(stream);
    event->capture = one->capture->id;
    event->recorded = false;
    event->tail.count = 0;
    return add_all(&event->tail, &one->tail);
}

cudaError_t capture_wait(cudaStream_t stream, struct event *event)
{
    struct stream *one = stream_of(stream);
    struct stream *source = event->capture ? find_captured(event->capture, false) : NULL;
    if (!source) {
        if (!one || !one->capture || !event->recorded) return cudaSuccess;
        return fail_capture(one->capture, cudaErrorStreamCaptureIsolation);
    }
    if (!one) return fail_capture(source->capture, cudaErrorStreamCaptureImplicit);
    if (one->capture && one->capture != source->capture) {
        one->capture->failed = true;
        return fail_capture(source->capture, cudaErrorStreamCaptureMerge);
    }
    one->capture = source->capture;
    return add_all(&one->tail, &event->tail);
}

void capture_forget(struct stream *stream)
{
    /* What another stream of the capture was asked for stays in the graph; it must be joined as ever. */
    if (stream->capture && stream->capture->origin == stream) {
        stream->capture->failed = true;
        stream->capture->origin = NULL;
    }
    tail_clear(&stream->tail);
}

/* ---- begin and end --------------------------------------------------------------------------- */

CUDART cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode);
CUDART cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, struct graph *graph,
                                                 struct node *const *needs, const void *edges,
                                                 size_t count, int mode);
CUDART cudaError_t cudaStreamEndCapture(cudaStream_t stream, struct graph **out);
CUDART cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *out);
CUDART cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, int *out_status,
                                            unsigned long long *out_id, struct graph **out_graph,
                                            struct node ***out_needs, void *fifth, void *sixth);
CUDART cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, int *out_status,
                                               unsigned long long *out_id, struct graph **out_graph,
                                               struct node ***out_needs, size_t *out_count);
CUDART cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, struct node **needs,
                                                       uintptr_t third, uintptr_t fourth,
                                                       unsigned fifth);
CUDART cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode);

static cudaError_t begin(struct stream *stream, struct graph *graph, struct node *const *needs,
                         size_t count)
{
    static unsigned long long captures;
    if (!stream) return cudaErrorStreamCaptureUnsupported;
    if (stream->capture) return cudaErrorIllegalState;
    struct capture *capture = calloc(1, sizeof *capture);
    if (!capture) return cudaErrorMemoryAllocation;
    *capture = (struct capture){.graph = graph ? graph : graph_create(),
                                .owns_graph = !graph,
                                .id = ++captures,
                                .origin = stream};
    if (!capture->graph) {
        free(capture);
        return cudaErrorMemoryAllocation;
    }
    capture->given = capture->graph->count;
    stream->capture = capture;
    stream->tail.count = 0;
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < count && !error; i++)
        error = tail_add(&stream->tail, needs[i]);
    return error;
}

/* Which calls of other threads a capture forbids is not looked at: the mode changes nothing. */
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode)
{
    cudaError_t error = api_begin();
    if (!error && !stream_is_valid(stream)) error = cudaErrorInvalidResourceHandle;
    if (!error && (mode < 0 || mode > 2)) error = cudaErrorInvalidValue;
    return api_end(error ? error : begin(stream_of(stream), NULL, NULL, 0));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, struct graph *graph,
                                          struct node *const *needs, const void *edges,
                                          size_t count, int mode)
{
    (void)edges, (void)mode;
    cudaError_t error = api_begin();
    if (!error && !stream_is_valid(stream)) error = cudaErrorInvalidResourceHandle;
    if (!error && !handle_is(HANDLE_GRAPH, graph)) error = cudaErrorInvalidValue;
    for (size_t i = 0; !error && i < count; i++)
        if (!needs || !handle_is(HANDLE_NODE, needs[i])) error = cudaErrorInvalidValue;
    return api_end(error ? error : begin(stream_of(stream), graph, needs, count));
}

/* Must all that was captured be done before what comes next in the stream? */
static bool is_joined(const struct capture *capture, const struct stream *stream)
{
    struct tail open = {0};
    size_t number = 0;
    for (struct node *node = capture->graph->first; node; node = node->next)
        node->marked = number++ < capture->given;
    bool complete = add_all(&open, &stream->tail) == cudaSuccess;
    while (complete && open.count) {
        struct node *node = open.nodes[--open.count];
        complete = handle_is(HANDLE_NODE, node); /* else the program destroyed it */
        if (!complete || node->marked) continue;
        node->marked = true;
        for (size_t i = 0; i < node->need_count && complete; i++)
            complete = tail_add(&open, node->needs[i]) == cudaSuccess;
    }
    for (const struct node *node = capture->graph->first; node; node = node->next)
        complete &= node->marked;
    tail_clear(&open);
    return complete;
}

static void release(struct capture *capture)
{
    if (per_thread.capture == capture) per_thread.capture = NULL;
    for (struct stream *one = streams; one; one = one->next)
        if (one->capture == capture) {
            one->capture = NULL;
            one->tail.count = 0;
        }
    free(capture);
}

static cudaError_t end(struct stream *stream, struct graph **out)
{
    struct capture *capture = stream ? stream->capture : NULL;
    if (out) *out = NULL;
    if (!capture) return cudaErrorIllegalState;
    if (!out && capture->owns_graph) return cudaErrorInvalidValue;
    if (capture->origin && capture->origin != stream)
        return fail_capture(capture, cudaErrorStreamCaptureUnmatched);
    bool lives = handle_is(HANDLE_GRAPH, capture->graph);
    if (!lives) capture->failed = true; /* the program destroyed it */
    cudaError_t error = capture->failed              ? cudaErrorStreamCaptureInvalidated
                        : is_joined(capture, stream) ? cudaSuccess
                                                     : cudaErrorStreamCaptureUnjoined;
    if (!error && out) *out = capture->graph;
    if (error && capture->owns_graph && lives) graph_destroy(capture->graph);
    release(capture);
    return error;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, struct graph **out)
{
    cudaError_t error = api_begin();
    if (!error && !stream_is_valid(stream)) error = cudaErrorInvalidResourceHandle;
    return api_end(error ? error : end(stream_of(stream), out));
}

/* ---- questions ------------------------------------------------------------------------------- */

static int status_of(const struct capture *capture)
{
    return !capture ? 0 : capture->failed ? 2 : 1; /* cudaStreamCaptureStatus */
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *out)
{
    cudaError_t error = api_begin();
    if (!error && !stream_is_valid(stream)) error = cudaErrorInvalidResourceHandle;
    *out = error ? 0 : status_of(stream_capture(stream));
    return api_end(error);
}

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, int *out_status,
                                        unsigned long long *out_id, struct graph **out_graph,
                                        struct node ***out_needs, size_t *out_count)
{
    cudaError_t error = api_begin();
    if (!error && !stream_is_valid(stream)) error = cudaErrorInvalidResourceHandle;
    if (error) return api_end(error);
    struct stream *one = stream_of(stream);
    struct capture *capture = one ? one->capture : NULL;
    *out_status = status_of(capture);
    if (capture && out_id) *out_id = capture->id;
    if (capture && out_graph) *out_graph = capture->graph;
    if (capture && out_needs) *out_needs = one->tail.nodes;
    if (capture && out_count) *out_count = one->tail.count;
    return api_end(cudaSuccess);
}

/* Up to CUDA 12 the first three only; CUDA 13 added kinds of edges before the count. */
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, int *out_status,
                                     unsigned long long *out_id, struct graph **out_graph,
                                     struct node ***out_needs, void *fifth, void *sixth)
{
    API_CALL;
    if (runtime_version() < 13)
        return cudaStreamGetCaptureInfo_v2(stream, out_status, out_id, NULL, NULL, NULL);
    if (fifth) *(const void **)fifth = NULL; /* all edges are plain ones */
    return cudaStreamGetCaptureInfo_v2(stream, out_status, out_id, out_graph, out_needs, sixth);
}

/* CUDA 13 has kinds of edges before the count. */
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, struct node **needs,
                                                uintptr_t third, uintptr_t fourth, unsigned fifth)
{
    enum { SET = 1 };
    bool is_new = runtime_version() >= 13;
    size_t count = is_new ? fourth : third;
    unsigned flags = is_new ? fifth : (unsigned)fourth;
    struct stream *one = stream_of(stream);
    cudaError_t error = api_begin();
    if (!error && !stream_is_valid(stream)) error = cudaErrorInvalidResourceHandle;
    for (size_t i = 0; i < count && !error; i++)
        if (!needs || !handle_is(HANDLE_NODE, needs[i])) error = cudaErrorInvalidValue;
    if (!error && (!one || !one->capture)) error = cudaErrorIllegalState;
    if (!error && (flags & SET)) one->tail.count = 0;
    for (size_t i = 0; i < count && !error; i++)
        error = tail_add(&one->tail, needs[i]);
    return api_end(error);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode)
{
    static _Thread_local int current;
    cudaError_t error = api_begin();
    int before = current;
    if (!error) current = *mode;
    if (!error) *mode = before;
    return api_end(error);
}

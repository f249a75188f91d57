// SPDX-License-Identifier: Apache-2.0
/* Streams and events, and the capture of what streams are asked for. */
#ifndef RUNTIME_STREAM_H
#define RUNTIME_STREAM_H

#include "graph.h"

/* Nodes that come last: what follows depends on them. */
struct tail {
    struct node **nodes;
    size_t count, capacity;
};

/* cudaLaunchAttributeValue by cudaLaunchAttributeID. */
enum { STREAM_ATTRIBUTES = 16 };
struct stream_attribute {
    unsigned char value[64];
};

struct stream {
    unsigned flags;
    int priority;
    unsigned long long id;
    struct capture *capture; /* NULL: work is done at once */
    struct tail tail;
    struct clock clock;                  /* stream_order.c */
    uint32_t timeline;                   /* 0: none yet */
    struct stream_attribute *attributes; /* that were set; NULL: none */
    struct stream *next;
};

struct event {
    unsigned flags;
    bool recorded;
    double seconds;
    unsigned long long capture; /* the last record was captured; 0: it was not */
    struct tail tail;           /* what it stands for there */
    struct clock clock;         /* stream_order.c */
};

/* Streams 0, 1 and 2 of the API are the default streams. */
struct stream *stream_of(cudaStream_t stream);
/* A default stream, or one that lives; nothing else may be given to the others here. */
bool stream_is_valid(cudaStream_t stream);
struct capture *stream_capture(cudaStream_t stream);
/* What comes before it is done: in order_enter. */
void event_record(struct event *event);

/* May it be asked for work? A capture that failed, or one that the legacy stream would disturb: no. */
cudaError_t stream_check(cudaStream_t stream);
/* May the host wait for it (NULL: for the device)? Not while it is captured: the capture fails. */
cudaError_t stream_check_wait(const struct stream *stream);
/* Adds the work to the graph; takes it over. */
cudaError_t capture_add(cudaStream_t stream, struct work *work);
cudaError_t capture_record(cudaStream_t stream, struct event *event);
/* The stream goes on after what the event stands for. */
cudaError_t capture_wait(cudaStream_t stream, struct event *event);
/* A stream or event goes. */
void capture_forget(struct stream *stream);
void tail_clear(struct tail *tail);
cudaError_t tail_add(struct tail *tail, struct node *node);

/* Functions of the runtime API that the driver API is made of, too. */
CUDART cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *), void *user);
CUDART cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority);
CUDART cudaError_t cudaStreamDestroy(cudaStream_t stream);
CUDART cudaError_t cudaStreamSynchronize(cudaStream_t stream);
CUDART cudaError_t cudaStreamQuery(cudaStream_t stream);
CUDART cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
CUDART cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *out);
CUDART cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *out);
CUDART cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *out);
CUDART cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                         void (*callback)(cudaStream_t, cudaError_t, void *),
                                         void *user, unsigned flags);
CUDART cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags);
CUDART cudaError_t cudaEventDestroy(cudaEvent_t event);
CUDART cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags);
CUDART cudaError_t cudaEventSynchronize(cudaEvent_t event);
CUDART cudaError_t cudaEventQuery(cudaEvent_t event);
CUDART cudaError_t cudaEventElapsedTime(float *out_milliseconds, cudaEvent_t begin,
                                        cudaEvent_t end);

CUDART cudaError_t cudaStreamSetAttribute(cudaStream_t stream, int attribute,
                                          const struct stream_attribute *value);
CUDART cudaError_t cudaStreamGetAttribute(cudaStream_t stream, int attribute,
                                          struct stream_attribute *out);
CUDART cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);

/* All streams that the program made. */
extern struct stream *streams;

#endif

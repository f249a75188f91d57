// SPDX-License-Identifier: Apache-2.0
/* Streams and events. Work is done when it is asked for, so nothing is ever pending; when it begins and ends in virtual time
 * is what stream_order.c works out. */
#include <stdlib.h>
#include <string.h>

#include "stream.h"
#include "virtual_time.h"

struct stream *streams;

/* For calls that only ask. */
static cudaError_t begin_with_stream(cudaStream_t stream)
{
    cudaError_t error = api_begin();
    return error ? error : stream_is_valid(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static bool is_event(const struct event *event)
{
    return handle_is(HANDLE_EVENT, event);
}

static cudaError_t begin_with(cudaStream_t stream, const struct event *event)
{
    cudaError_t error = begin_with_stream(stream);
    return error ? error : is_event(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

/* For calls that wait: nothing is pending, but for what is captured. */
static cudaError_t wait_for(cudaStream_t stream)
{
    cudaError_t error = api_begin();
    if (!error && !stream_is_valid(stream)) error = cudaErrorInvalidResourceHandle;
    if (!error) error = stream_check_wait(stream_of(stream));
    if (!error) order_wait_stream(stream);
    return api_end(error);
}

/* ---- streams --------------------------------------------------------------------------------- */

/* Flags of events; of records and waits: a node of the graph, not a dependence of the capture. */
enum { EVENT_DISABLE_TIMING = 2, EVENT_EXTERNAL = 1 };

CUDART cudaError_t cudaStreamCreate(cudaStream_t *out);
CUDART cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags);
CUDART cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *out);
CUDART cudaError_t cudaDeviceSynchronize(void);
CUDART cudaError_t cudaThreadSynchronize(void);

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority)
{
    static unsigned long long created;
    cudaError_t error = api_begin();
    if (error) return api_end(error);
    *out = handle_create(HANDLE_STREAM, sizeof **out);
    if (!*out) return api_end(cudaErrorMemoryAllocation);
    /* 1 and 2: the default streams */
    **out =
        (struct stream){.flags = flags, .priority = priority, .id = ++created + 2, .next = streams};
    streams = *out;
    order_follow();
    return api_end(cudaSuccess);
}

cudaError_t cudaStreamCreate(cudaStream_t *out)
{
    API_CALL;
    return cudaStreamCreateWithPriority(out, 0, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    API_CALL;
    return cudaStreamCreateWithPriority(out, flags, 0);
}

/* 0, 1 and 2 are the default streams. */
static bool is_default(cudaStream_t stream)
{
    return (uintptr_t)stream <= 2;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    cudaError_t error = api_begin();
    struct stream **place = &streams;
    if (!error && !handle_is(HANDLE_STREAM, stream)) error = cudaErrorInvalidResourceHandle;
    if (error) return api_end(error);
    while (*place != stream)
        place = &(*place)->next;
    capture_forget(stream);
    order_stream_gone(stream);
    free(stream->attributes);
    *place = stream->next;
    handle_destroy(HANDLE_STREAM, stream);
    return api_end(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    API_CALL;
    return wait_for(stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    API_CALL;
    return wait_for(stream);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    API_CALL;
    cudaError_t error = begin_with(stream, event);
    if (error) return api_end(error);
    if (!(flags & EVENT_EXTERNAL)) {
        error = capture_wait(stream, event);
        if (!error && !stream_capture(stream)) order_stream_waits(stream, event);
        return api_end(error);
    }
    return api_end(stream_do(stream, &(struct work){.kind = WORK_WAIT, .event = event}));
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *out)
{
    API_CALL;
    cudaError_t error = begin_with_stream(stream);
    *out = error || is_default(stream) ? 0 : stream->flags;
    return api_end(error);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *out)
{
    API_CALL;
    cudaError_t error = begin_with_stream(stream);
    *out = error || is_default(stream) ? 0 : stream->priority;
    return api_end(error);
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *out)
{
    API_CALL;
    cudaError_t error = begin_with_stream(stream);
    *out = error || is_default(stream) ? 1 : stream->id;
    return api_end(error);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *out)
{
    API_CALL;
    *out = 0;
    return api_end(begin_with_stream(stream));
}

/* What was set is told again and changes nothing else. */
static cudaError_t begin_with_attributes(cudaStream_t handle, int attribute,
                                         struct stream_attribute **out)
{
    static struct stream legacy;
    struct stream *stream = &legacy;
    cudaError_t error = begin_with_stream(handle);
    if (!error && (attribute < 1 || attribute >= STREAM_ATTRIBUTES)) error = cudaErrorInvalidValue;
    if (!error && stream_of(handle)) stream = stream_of(handle);
    if (!error && !stream->attributes)
        stream->attributes = calloc(STREAM_ATTRIBUTES, sizeof *stream->attributes);
    *out = stream->attributes;
    return error || *out ? error : cudaErrorMemoryAllocation;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, int attribute,
                                   const struct stream_attribute *value)
{
    API_CALL;
    struct stream_attribute *all;
    cudaError_t error = begin_with_attributes(stream, attribute, &all);
    if (!error && !value) error = cudaErrorInvalidValue;
    if (!error) all[attribute] = *value;
    return api_end(error);
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, int attribute, struct stream_attribute *out)
{
    enum { PRIORITY = 8 };
    API_CALL;
    struct stream_attribute *all;
    cudaError_t error = begin_with_attributes(stream, attribute, &all);
    if (!error && !out) error = cudaErrorInvalidValue;
    if (error) return api_end(error);
    *out = all[attribute];
    if (attribute == PRIORITY && stream_of(stream))
        memcpy(out->value, &stream_of(stream)->priority, sizeof(int));
    return api_end(cudaSuccess);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    API_CALL;
    struct stream_attribute *source, *target;
    cudaError_t error = begin_with_attributes(from, 1, &source);
    api_end(error);
    if (error) return error;
    error = begin_with_attributes(to, 1, &target);
    if (!error && source != target) memcpy(target, source, STREAM_ATTRIBUTES * sizeof *target);
    return api_end(error);
}

/* What comes before it in the stream is done, so it is called at once; without the lock, because
 * it may wait for other threads of the program. */
cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                  void (*callback)(cudaStream_t, cudaError_t, void *), void *user,
                                  unsigned flags)
{
    API_CALL;
    (void)flags;
    cudaError_t error = wait_for(stream);
    if (error == cudaErrorInvalidResourceHandle) return error;
    callback(stream, error, user);
    return error;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *), void *user)
{
    struct work work = {.kind = WORK_HOST, .host = {function, user}};
    cudaError_t error = api_begin();
    if (!error && !function) error = cudaErrorInvalidValue;
    return api_end(error ? error : stream_do(stream, &work));
}

cudaError_t cudaDeviceSynchronize(void)
{
    API_CALL;
    return wait_for(NULL);
}

cudaError_t cudaThreadSynchronize(void)
{
    API_CALL;
    return wait_for(NULL);
}

/* ---- events ---------------------------------------------------------------------------------- */

CUDART cudaError_t cudaEventCreate(cudaEvent_t *out);
CUDART cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
CUDART cudaError_t cudaEventElapsedTime_v2(float *out_milliseconds, cudaEvent_t begin,
                                           cudaEvent_t end);

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    cudaError_t error = api_begin();
    if (error) return api_end(error);
    *out = handle_create(HANDLE_EVENT, sizeof **out);
    if (!*out) return api_end(cudaErrorMemoryAllocation);
    (*out)->flags = flags;
    return api_end(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *out)
{
    API_CALL;
    return cudaEventCreateWithFlags(out, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    cudaError_t error = api_begin();
    if (!error && !is_event(event)) error = cudaErrorInvalidResourceHandle;
    if (!error) tail_clear(&event->tail);
    if (!error) clock_clear(&event->clock);
    if (!error) handle_destroy(HANDLE_EVENT, event);
    return api_end(error);
}

void event_record(struct event *event)
{
    event->recorded = true;
    event->seconds = timer_read(order_ready());
    event->capture = 0;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    API_CALL;
    cudaError_t error = begin_with(stream, event);
    if (error) return api_end(error);
    if (stream_capture(stream) && !(flags & EVENT_EXTERNAL))
        return api_end(capture_record(stream, event));
    return api_end(stream_do(stream, &(struct work){.kind = WORK_RECORD, .event = event}));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    API_CALL;
    return cudaEventRecordWithFlags(event, stream, 0);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    cudaError_t error = api_begin();
    if (!error && !is_event(event)) error = cudaErrorInvalidResourceHandle;
    if (!error && event->capture) error = cudaErrorCapturedEvent;
    if (!error) order_wait_event(event);
    return api_end(error);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    API_CALL;
    return cudaEventSynchronize(event);
}

static void tell_clock(void)
{
    const struct options *options = &runtime.options;
    if (options->clock == CLOCK_HOST)
        note("CUDA events report the time of this host (--clock host).");
    else if (options->clock == CLOCK_PREDICTED)
        note("CUDA events report the predicted time of the GPU, not that of this host.");
    else
        note("CUDA events report the time of the model %s (--clock).", options->model);
}

cudaError_t cudaEventElapsedTime(float *out_milliseconds, cudaEvent_t begin, cudaEvent_t end)
{
    cudaError_t error = api_begin();
    if (error) return api_end(error);
    if (!out_milliseconds) return api_end(cudaErrorInvalidValue);
    if (!is_event(begin) || !is_event(end) || !begin->recorded || !end->recorded ||
        ((begin->flags | end->flags) & EVENT_DISABLE_TIMING))
        return api_end(cudaErrorInvalidResourceHandle);
    order_wait_event(begin);
    order_wait_event(end);
    tell_clock();
    *out_milliseconds = (float)(1e3 * (end->seconds - begin->seconds));
    return api_end(cudaSuccess);
}

cudaError_t cudaEventElapsedTime_v2(float *out_milliseconds, cudaEvent_t begin, cudaEvent_t end)
{
    API_CALL;
    return cudaEventElapsedTime(out_milliseconds, begin, end);
}

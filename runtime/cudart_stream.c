// SPDX-License-Identifier: Apache-2.0
/* Streams and events. Work is done when it is asked for, so nothing is ever pending; what streams would
 * overlap runs one after the other, in virtual time, too. */
#include <stdlib.h>
#include <time.h>

#include "runtime.h"

struct stream {
    unsigned flags;
    int priority;
    unsigned long long id;
};

struct event {
    unsigned flags;
    bool recorded;
    double seconds;
};

static double clock_now(void)
{
    if (runtime.options.clock == CLOCK_PREDICTED) return runtime.now;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* For calls that only wait. */
static cudaError_t wait_for_all(void)
{
    return api_end(api_begin());
}

/* ---- streams --------------------------------------------------------------------------------- */

CUDART cudaError_t cudaStreamCreate(cudaStream_t *out);
CUDART cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags);
CUDART cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority);
CUDART cudaError_t cudaStreamDestroy(cudaStream_t stream);
CUDART cudaError_t cudaStreamSynchronize(cudaStream_t stream);
CUDART cudaError_t cudaStreamQuery(cudaStream_t stream);
CUDART cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
CUDART cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *out);
CUDART cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *out);
CUDART cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *out);
CUDART cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *out);
CUDART cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *out);
CUDART cudaError_t cudaStreamSetAttribute(cudaStream_t stream, int attribute, const void *value);
CUDART cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                         void (*callback)(cudaStream_t, cudaError_t, void *),
                                         void *user, unsigned flags);
CUDART cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *), void *user);
CUDART cudaError_t cudaDeviceSynchronize(void);
CUDART cudaError_t cudaThreadSynchronize(void);

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority)
{
    static unsigned long long created;
    cudaError_t error = api_begin();
    if (error) return api_end(error);
    *out = calloc(1, sizeof **out);
    if (!*out) return api_end(cudaErrorMemoryAllocation);
    **out = (struct stream){flags, priority, ++created + 2}; /* 1 and 2: the default streams */
    return api_end(cudaSuccess);
}

cudaError_t cudaStreamCreate(cudaStream_t *out)
{
    return cudaStreamCreateWithPriority(out, 0, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
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
    if (!error && is_default(stream)) error = cudaErrorInvalidResourceHandle;
    if (!error) free(stream);
    return api_end(error);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return wait_for_all();
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    (void)stream;
    return wait_for_all();
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)stream, (void)flags;
    cudaError_t error = api_begin();
    if (!error && !event) error = cudaErrorInvalidResourceHandle;
    return api_end(error);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *out)
{
    cudaError_t error = api_begin();
    *out = is_default(stream) ? 0 : stream->flags;
    return api_end(error);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *out)
{
    cudaError_t error = api_begin();
    *out = is_default(stream) ? 0 : stream->priority;
    return api_end(error);
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *out)
{
    cudaError_t error = api_begin();
    *out = is_default(stream) ? 1 : stream->id;
    return api_end(error);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *out)
{
    (void)stream;
    *out = 0;
    return wait_for_all();
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *out)
{
    (void)stream;
    *out = 0;
    return wait_for_all();
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, int attribute, const void *value)
{
    (void)stream, (void)attribute, (void)value;
    return wait_for_all();
}

/* What comes before it in the stream is done, so it is called at once; without the lock, because
 * it may wait for other threads of the program. */
cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                  void (*callback)(cudaStream_t, cudaError_t, void *), void *user,
                                  unsigned flags)
{
    (void)flags;
    cudaError_t error = wait_for_all();
    callback(stream, error, user);
    return error;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *), void *user)
{
    (void)stream;
    cudaError_t error = wait_for_all();
    if (!error) function(user);
    return error;
}

cudaError_t cudaDeviceSynchronize(void)
{
    return wait_for_all();
}

cudaError_t cudaThreadSynchronize(void)
{
    return wait_for_all();
}

/* ---- events ---------------------------------------------------------------------------------- */

CUDART cudaError_t cudaEventCreate(cudaEvent_t *out);
CUDART cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags);
CUDART cudaError_t cudaEventDestroy(cudaEvent_t event);
CUDART cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
CUDART cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags);
CUDART cudaError_t cudaEventSynchronize(cudaEvent_t event);
CUDART cudaError_t cudaEventQuery(cudaEvent_t event);
CUDART cudaError_t cudaEventElapsedTime(float *out_milliseconds, cudaEvent_t begin,
                                        cudaEvent_t end);
CUDART cudaError_t cudaEventElapsedTime_v2(float *out_milliseconds, cudaEvent_t begin,
                                           cudaEvent_t end);

enum { EVENT_DISABLE_TIMING = 2 };

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    cudaError_t error = api_begin();
    if (error) return api_end(error);
    *out = calloc(1, sizeof **out);
    if (!*out) return api_end(cudaErrorMemoryAllocation);
    (*out)->flags = flags;
    return api_end(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *out)
{
    return cudaEventCreateWithFlags(out, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    cudaError_t error = api_begin();
    if (!error && !event) error = cudaErrorInvalidResourceHandle;
    if (!error) free(event);
    return api_end(error);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    (void)stream, (void)flags;
    cudaError_t error = api_begin();
    if (!error && !event) error = cudaErrorInvalidResourceHandle;
    if (error) return api_end(error);
    event->recorded = true;
    event->seconds = clock_now();
    return api_end(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, 0);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    cudaError_t error = api_begin();
    if (!error && !event) error = cudaErrorInvalidResourceHandle;
    return api_end(error);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return cudaEventSynchronize(event);
}

cudaError_t cudaEventElapsedTime(float *out_milliseconds, cudaEvent_t begin, cudaEvent_t end)
{
    cudaError_t error = api_begin();
    if (error) return api_end(error);
    if (!out_milliseconds) return api_end(cudaErrorInvalidValue);
    if (!begin || !end || !begin->recorded || !end->recorded ||
        ((begin->flags | end->flags) & EVENT_DISABLE_TIMING))
        return api_end(cudaErrorInvalidResourceHandle);
    *out_milliseconds = (float)(1e3 * (end->seconds - begin->seconds));
    return api_end(cudaSuccess);
}

cudaError_t cudaEventElapsedTime_v2(float *out_milliseconds, cudaEvent_t begin, cudaEvent_t end)
{
    return cudaEventElapsedTime(out_milliseconds, begin, end);
}

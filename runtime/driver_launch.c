// SPDX-License-Identifier: Apache-2.0
/* Launches, streams, events, graphs and occupancy of the driver API. */
#include "driver.h"
#include "launch_cluster.h"
#include "stream.h"

CUDART cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *out);
CUDART cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode);
CUDART cudaError_t cudaStreamEndCapture(cudaStream_t stream, struct graph **out);
CUDART cudaError_t cudaGraphCreate(struct graph **out, unsigned flags);
CUDART cudaError_t cudaGraphDestroy(struct graph *graph);
CUDART cudaError_t cudaGraphInstantiateWithFlags(struct graph **out, struct graph *graph,
                                                 unsigned long long flags);
CUDART cudaError_t cudaGraphExecDestroy(struct graph *exec);
CUDART cudaError_t cudaGraphLaunch(struct graph *exec, cudaStream_t stream);
CUDART cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *out, const void *host,
                                                                 int threads, size_t shared);
CUDART cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *out, const void *host,
                                                             int blocks, int threads);
CUDART cudaError_t cudaDeviceGetAttribute(int *out, int attribute, int device);

/* ---- launches -------------------------------------------------------------------------------- */

static cudaError_t launch_one(struct kernel *kernel, dim3 grid, dim3 block, unsigned shared,
                              bool cooperative, cudaStream_t stream, void **arguments, void **extra)
{
    struct kernel_work work = {.kernel = kernel_find(kernel),
                               .grid = grid,
                               .block = block,
                               .shared = shared,
                               .cooperative = cooperative};
    cudaError_t error = api_begin();
    return api_end(error ? error : launch(stream, &work, arguments, extra));
}

struct cudaLaunchConfig launch_configuration(const struct driver_launch *given)
{
    return (struct cudaLaunchConfig){given->grid,   given->block,      given->shared,
                                     given->stream, given->attributes, given->attribute_count};
}

static cudaError_t launch_configured(const struct driver_launch *given, struct kernel *kernel,
                                     void **arguments, void **extra)
{
    struct cudaLaunchConfig configuration = launch_configuration(given);
    cudaError_t error = api_begin();
    return api_end(error ? error : launch_with(&configuration, kernel, arguments, extra));
}

DRIVER(cuLaunchKernel,
       (struct kernel * kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
        unsigned block_y, unsigned block_z, unsigned shared, cudaStream_t stream, void **arguments,
        void **extra),
       launch_one(kernel, (dim3){grid_x, grid_y, grid_z}, (dim3){block_x, block_y, block_z}, shared,
                  false, stream, arguments, extra))
DRIVER(cuLaunchCooperativeKernel,
       (struct kernel * kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
        unsigned block_y, unsigned block_z, unsigned shared, cudaStream_t stream, void **arguments),
       launch_one(kernel, (dim3){grid_x, grid_y, grid_z}, (dim3){block_x, block_y, block_z}, shared,
                  true, stream, arguments, NULL))
DRIVER(cuLaunchKernelEx,
       (const struct driver_launch *given, struct kernel *kernel, void **arguments, void **extra),
       launch_configured(given, kernel, arguments, extra))
DRIVER(cuLaunchHostFunc, (cudaStream_t stream, void (*function)(void *), void *user),
       cudaLaunchHostFunc(stream, function, user))

/* ---- streams and events ---------------------------------------------------------------------- */

DRIVER(cuStreamCreate, (cudaStream_t * out, unsigned flags),
       cudaStreamCreateWithPriority(out, flags, 0))
DRIVER(cuStreamCreateWithPriority, (cudaStream_t * out, unsigned flags, int priority),
       cudaStreamCreateWithPriority(out, flags, priority))
DRIVER(cuStreamDestroy_v2, (cudaStream_t stream), cudaStreamDestroy(stream))
DRIVER(cuStreamSynchronize, (cudaStream_t stream), cudaStreamSynchronize(stream))
DRIVER(cuStreamQuery, (cudaStream_t stream), cudaStreamQuery(stream))
DRIVER(cuStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
       cudaStreamWaitEvent(stream, event, flags))
DRIVER(cuStreamSetAttribute,
       (cudaStream_t stream, int attribute, const struct stream_attribute *value),
       cudaStreamSetAttribute(stream, attribute, value))
DRIVER(cuStreamGetAttribute, (cudaStream_t stream, int attribute, struct stream_attribute *out),
       cudaStreamGetAttribute(stream, attribute, out))
DRIVER(cuStreamCopyAttributes, (cudaStream_t to, cudaStream_t from),
       cudaStreamCopyAttributes(to, from))
DRIVER(cuStreamGetFlags, (cudaStream_t stream, unsigned *out), cudaStreamGetFlags(stream, out))
DRIVER(cuStreamGetPriority, (cudaStream_t stream, int *out), cudaStreamGetPriority(stream, out))
DRIVER(cuStreamGetId, (cudaStream_t stream, unsigned long long *out), cudaStreamGetId(stream, out))
DRIVER(cuStreamAddCallback,
       (cudaStream_t stream, void (*callback)(cudaStream_t, cudaError_t, void *), void *user,
        unsigned flags),
       cudaStreamAddCallback(stream, callback, user, flags))
DRIVER(cuStreamIsCapturing, (cudaStream_t stream, int *out), cudaStreamIsCapturing(stream, out))
DRIVER(cuStreamBeginCapture_v2, (cudaStream_t stream, int mode),
       cudaStreamBeginCapture(stream, mode))
DRIVER(cuStreamEndCapture, (cudaStream_t stream, struct graph **out),
       cudaStreamEndCapture(stream, out))

DRIVER(cuEventCreate, (cudaEvent_t * out, unsigned flags), cudaEventCreateWithFlags(out, flags))
DRIVER(cuEventDestroy_v2, (cudaEvent_t event), cudaEventDestroy(event))
DRIVER(cuEventRecord, (cudaEvent_t event, cudaStream_t stream),
       cudaEventRecordWithFlags(event, stream, 0))
DRIVER(cuEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags),
       cudaEventRecordWithFlags(event, stream, flags))
DRIVER(cuEventSynchronize, (cudaEvent_t event), cudaEventSynchronize(event))
DRIVER(cuEventQuery, (cudaEvent_t event), cudaEventQuery(event))
DRIVER(cuEventElapsedTime, (float *out_milliseconds, cudaEvent_t begin, cudaEvent_t end),
       cudaEventElapsedTime(out_milliseconds, begin, end))
DRIVER(cuEventElapsedTime_v2, (float *out_milliseconds, cudaEvent_t begin, cudaEvent_t end),
       cudaEventElapsedTime(out_milliseconds, begin, end))

/* ---- graphs of captured streams ---------------------------------------------------------------- */

DRIVER(cuGraphCreate, (struct graph * *out, unsigned flags), cudaGraphCreate(out, flags))
DRIVER(cuGraphDestroy, (struct graph * graph), cudaGraphDestroy(graph))
DRIVER(cuGraphInstantiateWithFlags,
       (struct graph * *out, struct graph *graph, unsigned long long flags),
       cudaGraphInstantiateWithFlags(out, graph, flags))
DRIVER(cuGraphLaunch, (struct graph * exec, cudaStream_t stream), cudaGraphLaunch(exec, stream))
DRIVER(cuGraphExecDestroy, (struct graph * exec), cudaGraphExecDestroy(exec))

/* ---- occupancy ------------------------------------------------------------------------------- */

typedef size_t shared_of_block(int threads);

/* The block, in whole warps, with which most threads are on an SM at once; of equal ones the largest. */
static cudaError_t best_block(int *out_grid, int *out_block, struct kernel *kernel,
                              shared_of_block *shared_of, size_t shared, int limit)
{
    enum { WARP = 32, MOST_THREADS = 1, MULTIPROCESSORS = 16 };
    int most = 0, processors = 0, best = 0;
    cudaError_t error = cudaDeviceGetAttribute(&most, MOST_THREADS, 0);
    if (!error) error = cudaDeviceGetAttribute(&processors, MULTIPROCESSORS, 0);
    if (!error && kernel_find(kernel) && kernel->info.max_threads_per_block)
        most = (int)kernel->info.max_threads_per_block;
    if (limit > 0 && limit < most) most = limit;
    *out_grid = *out_block = 0;
    for (int threads = (most + WARP - 1) / WARP * WARP; threads > 0 && !error; threads -= WARP) {
        int blocks = 0, used = threads < most ? threads : most;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, used,
                                                              shared_of ? shared_of(used) : shared);
        if (blocks * used <= best) continue;
        best = blocks * used;
        *out_block = used;
        *out_grid = blocks * processors;
    }
    return error;
}

DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor,
       (int *out, struct kernel *kernel, int threads, size_t shared),
       cudaOccupancyMaxActiveBlocksPerMultiprocessor(out, kernel, threads, shared))
DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
       (int *out, struct kernel *kernel, int threads, size_t shared, unsigned flags),
       ((void)flags, cudaOccupancyMaxActiveBlocksPerMultiprocessor(out, kernel, threads, shared)))
DRIVER(cuOccupancyAvailableDynamicSMemPerBlock,
       (size_t * out, struct kernel *kernel, int blocks, int threads),
       cudaOccupancyAvailableDynamicSMemPerBlock(out, kernel, blocks, threads))
DRIVER(cuOccupancyMaxPotentialBlockSize,
       (int *out_grid, int *out_block, struct kernel *kernel, shared_of_block *shared_of,
        size_t shared, int limit),
       best_block(out_grid, out_block, kernel, shared_of, shared, limit))
DRIVER(cuOccupancyMaxPotentialBlockSizeWithFlags,
       (int *out_grid, int *out_block, struct kernel *kernel, shared_of_block *shared_of,
        size_t shared, int limit, unsigned flags),
       ((void)flags, best_block(out_grid, out_block, kernel, shared_of, shared, limit)))

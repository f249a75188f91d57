// SPDX-License-Identifier: Apache-2.0
/* Launches: checks, parameters, execution; what is known of a kernel. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_runtime.h"
#include "host_check.h"
#include "launch_cluster.h"
#include "repeat.h"
#include "stream.h"
#include "tally.h"
#include "texture_reference.h"

/* Shared memory of a block without cudaFuncSetAttribute (CUDA programming guide, 48 KB). */
#define SHARED_DEFAULT UINT64_C(49152)

static const char *display_name(const struct kernel *kernel)
{
    const char *name = ws_module_kernel_display_name(kernel->binary->module, kernel->index);
    return name ? name : kernel->name;
}

/* In words for the program's user, and as a finding. */
__attribute__((format(printf, 3, 4))) static cudaError_t
refuse(const struct kernel *kernel, cudaError_t error, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tell("%s: %s", kernel->name, text);
    check_found("M27", "%s: %s", display_name(kernel), text);
    return error;
}

static uint64_t resident_blocks(struct kernel *kernel, const ws_launch *given)
{
    uint64_t threads = (uint64_t)given->block[0] * given->block[1] * given->block[2];
    return kernel_resident_blocks(kernel, threads, given->dynamic_shared_bytes);
}

static cudaError_t check_cluster(struct kernel *kernel, const ws_launch *launch)
{
    cudaError_t error;
    const char *why = cluster_fault(kernel, launch, resident_blocks(kernel, launch), &error);
    if (!why) return cudaSuccess;
    return refuse(kernel, error, "clusters of %ux%ux%u blocks: %s", launch->cluster[0],
                  launch->cluster[1], launch->cluster[2], why);
}

static cudaError_t check_new_shape(struct kernel *kernel, const ws_launch *launch)
{
    for (unsigned k = 0; k < 3; k++)
        if (!launch->grid[k] || !launch->block[k]) {
            check_found("M27", "%s: a grid of %ux%ux%u blocks of %ux%ux%u threads is empty",
                        display_name(kernel), launch->grid[0], launch->grid[1], launch->grid[2],
                        launch->block[0], launch->block[1], launch->block[2]);
            return cudaErrorInvalidConfiguration;
        }
    uint64_t shared = ws_kernel_shared_bytes(&kernel->info, launch->dynamic_shared_bytes);
    if (launch->dynamic_shared_bytes > kernel->max_dynamic_shared && shared > SHARED_DEFAULT) {
        return refuse(kernel, cudaErrorInvalidValue,
                      "%llu bytes of shared memory per block require "
                      "cudaFuncSetAttribute(MaxDynamicSharedMemorySize)",
                      (unsigned long long)shared);
    }
    unsigned most = kernel->info.max_threads_per_block;
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    if (most && threads > most)
        return refuse(kernel, cudaErrorLaunchOutOfResources,
                      "a block of %llu threads, but the kernel was compiled for at most %u "
                      "(__launch_bounds__)",
                      (unsigned long long)threads, most);
    ws_status status = ws_machine_check_launch(runtime.machine, launch);
    if (status == WS_OK) return check_cluster(kernel, launch);
    return refuse(kernel, cudaErrorInvalidConfiguration, "%s", ws_context_error(runtime.context));
}

static cudaError_t check_shape(struct kernel *kernel, const ws_launch *launch)
{
    if (!memcmp(kernel->fitting.grid, launch->grid, sizeof launch->grid) &&
        !memcmp(kernel->fitting.block, launch->block, sizeof launch->block) &&
        !memcmp(kernel->fitting.cluster, launch->cluster, sizeof launch->cluster) &&
        kernel->fitting.shared == launch->dynamic_shared_bytes && launch->block[0])
        return cudaSuccess;
    cudaError_t error = check_new_shape(kernel, launch);
    if (error) return error;
    memcpy(kernel->fitting.grid, launch->grid, sizeof launch->grid);
    memcpy(kernel->fitting.block, launch->block, sizeof launch->block);
    memcpy(kernel->fitting.cluster, launch->cluster, sizeof launch->cluster);
    kernel->fitting.shared = launch->dynamic_shared_bytes;
    return cudaSuccess;
}

/* From pointers to them, or from `extra`: keys and values, among them all packed and its size. */
static cudaError_t pack_arguments(struct kernel_work *work, void **arguments, void **extra)
{
    enum { KEY_END = 0, KEY_BUFFER = 1, KEY_SIZE = 2 };
    const struct kernel *kernel = work->kernel;
    const void *buffer = NULL;
    size_t bytes = 0;
    for (; extra && !arguments && (uintptr_t)extra[0] != KEY_END; extra += 2) {
        if ((uintptr_t)extra[0] == KEY_BUFFER) buffer = extra[1];
        if ((uintptr_t)extra[0] == KEY_SIZE) bytes = *(const size_t *)extra[1];
    }
    if (kernel->parameter_count && !arguments && (!buffer || bytes < kernel->parameter_bytes))
        return cudaErrorInvalidValue;
    work->parameters = calloc(1, kernel->parameter_bytes + 8);
    if (!work->parameters) return cudaErrorMemoryAllocation;
    if (buffer) memcpy(work->parameters, buffer, kernel->parameter_bytes);
    for (size_t i = 0; arguments && i < kernel->parameter_count; i++) {
        const ws_parameter *one = &kernel->parameters[i];
        if (one->size) memcpy(work->parameters + one->offset, arguments[i], one->size);
    }
    return cudaSuccess;
}

/* A fault is told at once, and becomes an error for the program with its next call that waits. */
static cudaError_t take_fault(const struct kernel *kernel, ws_status status,
                              const ws_launch_result *result)
{
    static const cudaError_t errors[] = {
        [WS_FAULT_NONE] = cudaErrorLaunchFailure,
        [WS_FAULT_ADDRESS] = cudaErrorIllegalAddress,
        [WS_FAULT_MISALIGNED] = cudaErrorMisalignedAddress,
        [WS_FAULT_ASSERT] = cudaErrorAssert,
        [WS_FAULT_STACK] = cudaErrorHardwareStackError,
        [WS_FAULT_OTHER] = cudaErrorLaunchFailure,
    };
    if (status != WS_ERR_FAULT && status != WS_ERR_DEADLOCK && status != WS_ERR_LIMIT &&
        status != WS_ERR_CANCELLED) {
        check_unchecked(display_name(kernel), ws_context_error(runtime.context));
        return fail(status);
    }
    tell("%s", ws_context_error(runtime.context));
    runtime.pending = status == WS_ERR_FAULT ? errors[result->fault] : cudaErrorLaunchTimeout;
    return cudaSuccess;
}

/* Eight bytes of zeros for the blocks of a cooperative launch to wait through. */
static cudaError_t make_workspace(ws_launch *given)
{
    static uint64_t workspace;
    static const uint64_t zeros;
    if (!workspace) {
        ws_status status = ws_device_alloc_host(runtime.device, sizeof zeros, &workspace);
        if (status != WS_OK) return fail(status);
    }
    given->grid_workspace = workspace;
    return fail(ws_device_copy_in(runtime.device, workspace, &zeros, sizeof zeros));
}

/* All its blocks must be on the GPU at once. */
static cudaError_t check_cooperative(struct kernel *kernel, const ws_launch *given)
{
    uint64_t blocks = (uint64_t)given->grid[0] * given->grid[1] * given->grid[2];
    uint64_t most = resident_blocks(kernel, given);
    if (blocks <= most) return cudaSuccess;
    return refuse(kernel, cudaErrorCooperativeLaunchTooLarge,
                  "a cooperative launch of %llu blocks, but at most %llu are resident on this GPU",
                  (unsigned long long)blocks, (unsigned long long)most);
}

/* Warp traces that a counted launch keeps for the report: enough for the blocks of an SM, and little
 * beside what a launch costs. A guess. */
#define TRACE_BYTES (UINT64_C(8) << 20)

/* Kernels read the time of the model, whose traces are larger than those of reports. */
static void set_clock(ws_launch *given, ws_launch_clock *clock)
{
    static uint64_t launches;
    *clock = (ws_launch_clock){.size = sizeof *clock,
                               .machine = runtime.machine,
                               .model = runtime.options.model,
                               .l2 = runtime.options.l2,
                               .begin_seconds = engine_free(ENGINE_KERNELS, order_ready()),
                               .jitter = runtime.options.jitter,
                               .seed = ++launches};
    given->clock = clock;
    if (given->counters) given->trace_blocks = 0;
}

static cudaError_t execute(const struct kernel_work *work, ws_launch *given)
{
    struct kernel *kernel = work->kernel;
    ws_launch_result result = {.size = sizeof result};
    ws_profile *profile = NULL;
    ws_launch_clock clock;
    struct launch_class *one = tally_class(kernel, given);
    given->counters = !check_is_on() && launch_class_wants_counters(one);
    check_enter_work();
    order_operation(NULL);
    given->result = &result;
    given->trace_blocks = given->counters && runtime.options.traces ? 0 : WS_TRACE_NONE;
    given->trace_bytes = TRACE_BYTES;
    given->l2_class = (uint64_t)(uintptr_t)one;
    if (runtime.options.clock == CLOCK_MODEL) set_clock(given, &clock);
    given->register_targets = kernel->binary->target_count ? kernel->binary->targets : NULL;
    given->register_target_count = kernel->binary->target_count;
    if (check_is_on()) given->resident_blocks = resident_blocks(kernel, given);
    cudaError_t unplaced = device_runtime_begin(kernel);
    if (unplaced) return unplaced;
    tally_running(kernel);
    ws_status status = ws_device_launch(runtime.device, kernel->binary->module, given, &profile);
    tally_running(NULL);
    if (status != WS_OK) {
        ws_profile_destroy(profile); /* a part, if the launch was interrupted */
        if (status == WS_ERR_CANCELLED)
            note("Kernel %s was interrupted: that launch is not counted.",
                 ws_module_kernel_display_name(kernel->binary->module, kernel->index));
        tally_failed(kernel);
        device_runtime_end(given, false);
        return take_fault(kernel, status, &result);
    }
    tally_add(kernel, one, given, &result, profile);
    device_runtime_end(given, true);
    repeat_learn(work, given, one, &result);
    ws_profile_destroy(profile);
    if (result.tolerated) note("usually passes on hardware, but is invalid: %s", result.tolerated);
    if (result.undefined) note("%s", result.undefined);
    ws_free(result.tolerated);
    ws_free(result.undefined);
    return cudaSuccess;
}

static ws_launch describe(const struct kernel_work *work)
{
    ws_launch given = runtime.prepared;
    given.size = sizeof given;
    given.max_instructions = runtime.options.max_instructions;
    given.kernel = work->kernel->index;
    memcpy(given.grid, &work->grid, sizeof given.grid);
    memcpy(given.block, &work->block, sizeof given.block);
    memcpy(given.cluster, work->cluster[0] ? work->cluster : work->kernel->info.required_cluster,
           sizeof given.cluster);
    given.dynamic_shared_bytes = work->shared;
    given.parameters = work->parameters;
    given.parameter_bytes = work->kernel->parameter_bytes;
    return given;
}

cudaError_t launch_prepare(struct kernel_work *work, void **arguments, void **extra)
{
    struct kernel *kernel = work->kernel;
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    cudaError_t error = kernel_resolve(kernel);
    ws_launch given = describe(work);
    if (error && error != cudaErrorInvalidResourceHandle)
        check_unchecked(kernel->name, "its code could not be loaded; standard error says why");
    if (!error) error = check_shape(kernel, &given);
    if (!error && work->cooperative) error = check_cooperative(kernel, &given);
    if (error) {
        tally_failed(kernel);
        return error;
    }
    return pack_arguments(work, arguments, extra);
}

cudaError_t launch_check(const struct kernel_work *work)
{
    ws_launch given = describe(work);
    cudaError_t error = kernel_resolve(work->kernel);
    return error ? error : check_shape(work->kernel, &given);
}

cudaError_t launch_run(const struct kernel_work *work)
{
    if (work->kernel->failure) return work->kernel->failure; /* its module was unloaded */
    ws_launch given = describe(work);
    cudaError_t unsettled = texture_references_settle();
    if (unsettled) return unsettled;
    if (repeat_try(work, &given)) return cudaSuccess;
    cudaError_t error = work->cooperative ? make_workspace(&given) : cudaSuccess;
    if (error) tally_failed(work->kernel);
    if (!error) error = execute(work, &given);
    device_runtime_run();
    return error;
}

cudaError_t launch(cudaStream_t stream, struct kernel_work *work, void **arguments, void **extra)
{
    struct work all = {.kind = WORK_KERNEL};
    cudaError_t error = launch_prepare(work, arguments, extra);
    all.kernel = *work;
    return error ? error : stream_do(stream, &all);
}

/* ---- kernel<<<grid, block, shared, stream>>> --------------------------------------------------- */

struct configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
};
enum { NESTING_MAX = 64 };
static _Thread_local struct configuration pushed[NESTING_MAX];
static _Thread_local unsigned pushed_count;

CUDART unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                            cudaStream_t stream);
CUDART cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                              cudaStream_t *stream);
CUDART cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *host);
CUDART cudaError_t cudaGetKernel(cudaKernel_t *out, const void *host);
CUDART cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                                      size_t shared, cudaStream_t stream);
CUDART cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block, void **arguments,
                                    size_t shared, cudaStream_t stream);
CUDART cudaError_t cudaLaunchCooperativeKernel(const void *host, dim3 grid, dim3 block,
                                               void **arguments, size_t shared,
                                               cudaStream_t stream);
CUDART cudaError_t cudaLaunchKernelExC(const struct cudaLaunchConfig *configuration,
                                       const void *host, void **arguments);

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    if (pushed_count == NESTING_MAX) return 1;
    pushed[pushed_count++] = (struct configuration){grid, block, shared, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                       cudaStream_t *stream)
{
    if (!pushed_count) return cudaErrorMissingConfiguration;
    const struct configuration *top = &pushed[--pushed_count];
    *grid = top->grid;
    *block = top->block;
    *shared = top->shared;
    *stream = top->stream;
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *host)
{
    api_lock();
    *out = kernel_find(host);
    return api_end(*out ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaGetKernel(cudaKernel_t *out, const void *host)
{
    return __cudaGetKernel(out, host);
}

cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t stream)
{
    cudaError_t error = api_begin();
    struct kernel_work work = {
        .kernel = kernel_find(host), .grid = grid, .block = block, .shared = shared};
    return api_end(error ? error : launch(stream, &work, arguments, NULL));
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared, cudaStream_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *host, dim3 grid, dim3 block, void **arguments,
                                        size_t shared, cudaStream_t stream)
{
    cudaError_t error = api_begin();
    struct kernel_work work = {.kernel = kernel_find(host),
                               .grid = grid,
                               .block = block,
                               .shared = shared,
                               .cooperative = true};
    return api_end(error ? error : launch(stream, &work, arguments, NULL));
}

/* cudaLaunchAttributeID: those that change what a launch does. */
enum { ATTRIBUTE_COOPERATIVE = 2, ATTRIBUTE_CLUSTER = 4 };

void launch_read_cluster(const struct cudaLaunchConfig *configuration, uint32_t out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (unsigned i = 0; i < configuration->numAttrs; i++)
        if (configuration->attributes[i].id == ATTRIBUTE_CLUSTER)
            memcpy(out, configuration->attributes[i].value, 3 * sizeof *out);
}

static bool is_cooperative(const struct cudaLaunchConfig *configuration)
{
    bool is_asked = false;
    for (unsigned i = 0; i < configuration->numAttrs; i++)
        if (configuration->attributes[i].id == ATTRIBUTE_COOPERATIVE)
            is_asked = configuration->attributes[i].value[0] != 0;
    return is_asked;
}

cudaError_t launch_with(const struct cudaLaunchConfig *configuration, const void *host,
                        void **arguments, void **extra)
{
    struct kernel_work work = {.kernel = kernel_find(host),
                               .grid = configuration->gridDim,
                               .block = configuration->blockDim,
                               .shared = configuration->dynamicSmemBytes,
                               .cooperative = is_cooperative(configuration)};
    launch_read_cluster(configuration, work.cluster);
    return launch(configuration->stream, &work, arguments, extra);
}

cudaError_t cudaLaunchKernelExC(const struct cudaLaunchConfig *configuration, const void *host,
                                void **arguments)
{
    cudaError_t error = api_begin();
    return api_end(error ? error : launch_with(configuration, host, arguments, NULL));
}

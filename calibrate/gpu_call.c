// SPDX-License-Identifier: Apache-2.0
/* Kernels of others, timed as they are: for `validate --gpu-here`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calibrate/gpu_state.h"
#include "calibrate/nvml.h"

/* What is on the GPU for a call. */
struct placed {
    struct gpu *gpu;
    struct gpu_call *call;
    driver_handle module, function;
    driver_address *buffers;
    driver_address scratch; /* to push everything else out of the L2 */
    size_t scratch_bytes;
};

static bool place_buffers(struct placed *placed)
{
    struct gpu *gpu = placed->gpu;
    for (unsigned i = 0; i < placed->call->buffer_count; i++) {
        const struct gpu_buffer *buffer = &placed->call->buffers[i];
        int error = gpu->api.allocate(&placed->buffers[i], buffer->bytes ? buffer->bytes : 1);
        if (gpu_failed(gpu, error, "memory of the GPU")) return false;
        memcpy(placed->call->parameters + buffer->place, &placed->buffers[i],
               sizeof(driver_address));
    }
    for (unsigned i = 0; i < placed->call->same_count; i++)
        memcpy(placed->call->parameters + placed->call->same[i].place,
               &placed->buffers[placed->call->same[i].buffer], sizeof(driver_address));
    return true;
}

static bool place(struct placed *placed)
{
    struct gpu *gpu = placed->gpu;
    const struct gpu_call *call = placed->call;
    placed->buffers = calibrate_alloc((call->buffer_count + 1) * sizeof *placed->buffers);
    if (!gpu_load_text(gpu, call->ptx, call->kernel, &placed->module, &placed->function))
        return false;
    if (call->shared > 48 * 1024 &&
        gpu_failed(gpu,
                   gpu->api.function_set(placed->function, FUNCTION_MAX_SHARED, (int)call->shared),
                   call->kernel))
        return false;
    placed->scratch_bytes = 2 * (size_t)gpu->facts.l2_bytes;
    return place_buffers(placed) &&
           (!placed->scratch_bytes ||
            !gpu_failed(gpu, gpu->api.allocate(&placed->scratch, placed->scratch_bytes),
                        "memory of the GPU"));
}

static void take_away(struct placed *placed)
{
    struct gpu *gpu = placed->gpu;
    for (unsigned i = 0; placed->buffers && i < placed->call->buffer_count; i++)
        if (placed->buffers[i]) gpu->api.release(placed->buffers[i]);
    if (placed->scratch) gpu->api.release(placed->scratch);
    if (placed->function) gpu->api.module_unload(placed->module);
    free(placed->buffers);
}

/* Arguments as they were, and nothing of them in the L2. */
static bool reset(struct placed *placed)
{
    struct gpu *gpu = placed->gpu;
    for (unsigned i = 0; i < placed->call->buffer_count; i++) {
        const struct gpu_buffer *buffer = &placed->call->buffers[i];
        if (gpu_failed(gpu, gpu->api.to_device(placed->buffers[i], buffer->content, buffer->bytes),
                       "a copy to the GPU"))
            return false;
    }
    return !placed->scratch ||
           !gpu_failed(gpu, gpu->api.fill(placed->scratch, 0, placed->scratch_bytes / 4),
                       "a fill of the GPU's memory");
}

static double run(struct placed *placed, unsigned launches)
{
    struct gpu *gpu = placed->gpu;
    const struct gpu_call *call = placed->call;
    size_t bytes = call->parameter_bytes;
    void *extra[] = {(void *)1, call->parameters, (void *)2, &bytes, NULL};
    float milliseconds;
    bool is_done = !gpu_failed(gpu, gpu->api.event_record(gpu->begin, NULL), "an event");
    for (unsigned i = 0; is_done && i < launches; i++)
        is_done = !gpu_failed(gpu,
                              gpu->api.launch(placed->function, call->grid[0], call->grid[1],
                                              call->grid[2], call->block[0], call->block[1],
                                              call->block[2], call->shared, NULL, NULL, extra),
                              call->kernel);
    if (!is_done || gpu_failed(gpu, gpu->api.event_record(gpu->end, NULL), "an event") ||
        gpu_failed(gpu, gpu->api.event_wait(gpu->end), call->kernel) ||
        gpu_failed(gpu, gpu->api.event_elapsed(&milliseconds, gpu->begin, gpu->end), "an event"))
        return NAN;
    return 1e-3 * (double)milliseconds;
}

static double wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Mean of what NVML tells while the launch is repeated, once its average holds nothing of what was before. A GPU that
 * is executed on a CPU may need longer than anyone waits: then NAN. */
static double watts_of(struct placed *placed)
{
    const double batch = 0.1, settled = 0.5, whole = 2, patience = 10; /* seconds */
    char why[256];
    struct nvml *nvml =
        nvml_open(&placed->gpu->facts, placed->gpu->calibration->gpu, why, sizeof why);
    double done = 0, sum = 0, begun = wall_clock();
    unsigned count = 0, launches = 1;
    bool is_told = nvml && !nvml_no_power(nvml);
    while (is_told && done < whole && wall_clock() - begun < patience) {
        double taken = run(placed, launches);
        if (isnan(taken)) break;
        done += taken;
        if (taken < batch) launches *= 2;
        if (done < settled) continue;
        sum += nvml_watts(nvml);
        count++;
    }
    nvml_close(nvml);
    return count && done >= whole ? sum / count : NAN;
}

/* The first launch, which loads the code, does not count. */
bool gpu_time_call(struct gpu *gpu, struct gpu_call *call, unsigned repeats, struct gpu_times *out)
{
    struct placed placed = {.gpu = gpu, .call = call};
    double seconds[RAW_REPEATS];
    unsigned count = repeats < RAW_REPEATS ? repeats : RAW_REPEATS;
    bool is_done = place(&placed);
    for (unsigned i = 0; is_done && i <= count; i++) {
        is_done = reset(&placed);
        double one = is_done ? run(&placed, 1) : NAN;
        is_done &= !isnan(one);
        if (i) seconds[i - 1] = one;
    }
    *out = (struct gpu_times){.watts = NAN};
    if (is_done) {
        int registers = 0;
        out->seconds = middle(seconds, count, NULL);
        out->watts = watts_of(&placed);
        if (gpu->api.function_get(&registers, FUNCTION_REGISTERS, placed.function) == 0)
            out->registers = (unsigned)registers;
    }
    take_away(&placed);
    return is_done;
}

// SPDX-License-Identifier: Apache-2.0
#include "model/throughput/split_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/throughput/throughput.h"

/* What programs reach of the line: 6.0 of 8 GB/s on PCI Express 2 x16 (NVIDIA's FAQ on CUDA, as copied by
 * experts123.com); assumed of the others. */
static const double REACHED = 6.0 / 8;
/* About 10 us for any short cudaMemcpy, PCI Express 2 and a GTX 280 (M. Boyer, University of Virginia,
 * www.cs.virginia.edu/~mwb7w/cuda_support/memory_transfer_overhead.html); assumed of the others. */
static const double TRANSFER_SECONDS = 10e-6;

static const struct {
    const char *name;
    double lane_bytes_per_second;
    const char *words;
} links[] = {
#define LINK(name, rate, words) {name, rate, words},
#include "model/throughput/links.def"
#undef LINK
};
static const unsigned widths[] = {1, 2, 4, 8, 16};

ws_status split_link_find(struct diag *diag, const char *name, struct split_link *out)
{
    char known[32];
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        for (size_t k = 0; k < sizeof widths / sizeof widths[0]; k++) {
            snprintf(known, sizeof known, "%sx%u", links[i].name, widths[k]);
            if (strcmp(known, name) != 0) continue;
            *out = (struct split_link){
                .words = links[i].words,
                .lanes = widths[k],
                .bytes_per_second = links[i].lane_bytes_per_second * widths[k] * REACHED,
                .latency_seconds = TRANSFER_SECONDS,
            };
            return WS_OK;
        }
    diag_error(diag, WS_ERR_ARGUMENT, "unknown link '%s': expected pcieGxN, with", name);
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        diag_add(diag, "  %s  %s, %.3g GB/s a lane; x1, x2, x4, x8 or x16", links[i].name,
                 links[i].words, links[i].lane_bytes_per_second / 1e9);
    return WS_ERR_ARGUMENT;
}

/* One transfer each way, if there is anything to move. */
static double latency_of(const struct split_input *input)
{
    if (!(input->link.bytes_per_second > 0)) return 0;
    return input->link.latency_seconds * ((input->bytes_in > 0) + (input->bytes_out > 0));
}

/* Of all the work, without latency. */
static double move_of(const struct split_input *input)
{
    if (!(input->link.bytes_per_second > 0)) return 0;
    return (input->bytes_in + input->bytes_out) / input->link.bytes_per_second;
}

struct split_times split_at(const struct split_input *input, double gpu_share)
{
    struct split_times times = {.gpu_share = gpu_share};
    if (gpu_share > 0) {
        times.gpu_seconds = gpu_share * input->gpu_seconds;
        times.transfer_seconds = latency_of(input) + gpu_share * move_of(input);
    }
    times.cpu_seconds = (1 - gpu_share) * input->cpu_seconds;
    times.seconds = fmax(times.gpu_seconds + times.transfer_seconds, times.cpu_seconds);
    return times;
}

/* The number of blocks beside `share` that is done first, no block or all of them included. */
static struct split_times best_blocks(const struct split_input *input, double share)
{
    double blocks = input->blocks;
    const double tries[] = {floor(share * blocks), ceil(share * blocks), 0, blocks};
    struct split_times best = split_at(input, tries[0] / blocks);
    for (size_t i = 1; i < sizeof tries / sizeof tries[0]; i++) {
        struct split_times times = split_at(input, tries[i] / blocks);
        if (times.seconds < best.seconds) best = times;
    }
    return best;
}

/* gpu(s) = latency + s (kernel + move), cpu(s) = (1 - s) cpu: equal at s; the larger of the two, (113),
 * has its least there or where the GPU gets nothing. */
struct split_plan split_plan(const struct split_input *input)
{
    double all = input->gpu_seconds + move_of(input) + input->cpu_seconds;
    double share = (input->cpu_seconds - latency_of(input)) / all;
    struct split_plan plan = {
        .printed_share = tp_split(1 / input->cpu_seconds, 1 / input->gpu_seconds).gpu,
        .exact_share = fmin(1, fmax(0, share)),
        .gpu_alone = split_at(input, 1),
        .cpu_alone = split_at(input, 0),
    };
    plan.best = input->blocks > 0 ? best_blocks(input, plan.exact_share)
                                  : split_at(input, plan.exact_share);
    if (plan.cpu_alone.seconds <= plan.best.seconds) plan.best = plan.cpu_alone;
    return plan;
}

double split_energy(const struct split_power *power, const struct split_times *times)
{
    return (power->gpu_idle_watts + power->cpu_idle_watts) * times->seconds +
           power->gpu_runtime_watts * times->gpu_seconds +
           power->cpu_runtime_watts * times->cpu_seconds;
}

double split_mean_error(const double *manual, const double *model, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fabs(manual[i] - model[i]) / manual[i];
    return sum / (double)count;
}

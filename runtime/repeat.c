// SPDX-License-Identifier: Apache-2.0
#include "repeat.h"

#include <stdlib.h>
#include <string.h>

#include "tally.h"

static struct {
    struct kernel *kernel; /* NULL: there was none */
    bool is_repeatable;
    dim3 grid, block;
    uint32_t cluster[3];
    uint64_t shared;
    unsigned char *parameters;
    size_t room;
    const struct launch_class *one;
    uint64_t changes;      /* of the device, behind it */
    uint64_t instructions; /* of warps */
    unsigned executed;     /* in a row */
    bool is_settled;       /* the last two took the same time: so do those that follow */
    struct class_estimate time;
} last;

static bool is_same(const struct kernel_work *work)
{
    return last.kernel == work->kernel && !memcmp(&last.grid, &work->grid, sizeof last.grid) &&
           !memcmp(&last.block, &work->block, sizeof last.block) && last.shared == work->shared &&
           !work->cooperative && !memcmp(last.cluster, work->cluster, sizeof last.cluster) &&
           !memcmp(last.parameters, work->parameters, work->kernel->parameter_bytes);
}

/* In a model's time the second finds the code of the first. */
static bool may_skip(void)
{
    unsigned least = runtime.options.clock == CLOCK_MODEL ? 2 : 1;
    return last.executed >= least && !runtime.options.every_launch;
}

bool repeat_try(const struct kernel_work *work, const ws_launch *launch)
{
    if (runtime.check || !last.is_repeatable || runtime.has_managed ||
        last.changes != ws_device_changes(runtime.device) || !is_same(work) || !may_skip() ||
        !tally_repeats(work->kernel, launch, last.one))
        return false;
    struct class_estimate before = last.time;
    if (!last.is_settled) ws_device_repeat(runtime.device, work->kernel->binary->module, launch);
    tally_repeat(work->kernel, launch, last.instructions, last.is_settled, &last.time);
    last.is_settled =
        before.number && before.table == last.time.table && before.clock == last.time.clock;
    return true;
}

static void keep(const struct kernel_work *work)
{
    size_t bytes = work->kernel->parameter_bytes;
    if (bytes + 1 > last.room) {
        free(last.parameters);
        last.parameters = malloc(last.room = bytes + 64);
        if (!last.parameters) out_of_memory(bytes + 64);
    }
    memcpy(last.parameters, work->parameters, bytes);
    last.kernel = work->kernel;
    last.grid = work->grid;
    last.block = work->block;
    last.shared = work->shared;
    memcpy(last.cluster, work->cluster, sizeof last.cluster);
}

void repeat_learn(const struct kernel_work *work, const ws_launch *launch,
                  const struct launch_class *one, const ws_launch_result *result)
{
    bool same = last.kernel && is_same(work) && last.one == one;
    bool again = same && last.changes + 1 == ws_device_changes(runtime.device);
    /* Without counters: where data decide nothing, it touches what it did before. */
    bool is_known = last.is_repeatable && same && (again || !work->kernel->info.follows_data);
    if (!same) keep(work);
    last.is_repeatable = one && !work->cooperative && !runtime.has_managed &&
                         (launch->counters ? result->is_repeatable : is_known);
    last.one = one;
    last.changes = ws_device_changes(runtime.device);
    last.instructions = result->warp_instructions;
    last.executed = again ? last.executed + 1 : 1;
    last.is_settled = false;
    last.time = (struct class_estimate){0};
}

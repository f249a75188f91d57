// SPDX-License-Identifier: Apache-2.0
/* The model speed-of-light on CPUs: the roofline of instruction issue, floating-point units and
 * memory bandwidth (Williams et al., CACM 2009). */
#include <math.h>

#include "base/quantity.h"
#include "model/core/cpu_counts.h"

enum { SECTOR_BYTES = 32 };

struct roof {
    const char *id;
    enum component component;
    double seconds;
};

/* Every distinct sector comes from memory once, and every written one goes back. */
static double memory_seconds(const struct model_input *input)
{
    const struct profile *profile = input->profile;
    double bandwidth = machine_get(input->machine, MACHINE_DRAM_BANDWIDTH, 0);
    if (!(bandwidth > 0) || model_without(input, EFFECT_BANDWIDTH) ||
        model_without(input, EFFECT_CACHE_MISSES))
        return 0;
    return (profile_get(profile, COUNTER_MEM_GLOBAL_READ_FOOTPRINT) +
            profile_get(profile, COUNTER_MEM_GLOBAL_WRITTEN_FOOTPRINT)) *
           SECTOR_BYTES / bandwidth;
}

/* The longest is the bound, the second longest follows. */
static void take_longest(const struct roof *roofs, size_t count, struct estimate *out)
{
    double second = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(roofs[i].seconds > 0)) continue;
        estimate_add_busy(out, roofs[i].id, roofs[i].component, roofs[i].seconds);
        if (roofs[i].seconds > out->time_seconds) {
            second = out->time_seconds;
            out->next = out->bottleneck;
            out->time_seconds = roofs[i].seconds;
            out->bottleneck = roofs[i].component;
        } else if (roofs[i].seconds > second) {
            second = roofs[i].seconds;
            out->next = roofs[i].component;
        }
    }
}

static ws_status predict(struct diag *diag, const struct model_input *input, struct estimate *out)
{
    const struct machine *machine = input->machine;
    struct cpu_counts counts = cpu_counts_read(input, true);
    double freq = machine_get(machine, MACHINE_CLOCK_CORE, 0);
    double groups = counts.groups / counts.cores / freq; /* seconds of a core, one cycle a group */
    struct roof roofs[] = {
        {"t_issue", COMPONENT_ISSUE,
         groups * cpu_counts_all(&counts) /
             machine_get(machine, MACHINE_CPU_ISSUE_WIDTH, INFINITY)},
        {"t_fp", COMPONENT_FLOATING_POINT_UNITS,
         groups * cpu_counts_useful(&counts) / counts.fp_units},
        {"t_dram", COMPONENT_CPU_BANDWIDTH, memory_seconds(input)},
    };
    if (!(counts.groups > 0) || !(cpu_counts_all(&counts) > 0))
        return diag_error(diag, WS_ERR_NO_MODEL,
                          "speed-of-light: the launch has no blocks or executes no instructions");
    take_longest(roofs, sizeof roofs / sizeof roofs[0], out);
    if (!(out->time_seconds > 0))
        return diag_error(diag, WS_ERR_NO_MODEL,
                          "speed-of-light: %s defines neither an issue width nor another rate that "
                          "this kernel uses",
                          machine->id);
    out->cycles = out->time_seconds * freq;
    estimate_assume(out, input->arena,
                    "the CPU is assumed to execute as many instructions as the PTX, %s per "
                    "vector instruction",
                    quantity_of(counts.lanes, "thread").text);
    return WS_OK;
}

static const enum machine_key needs_machine[] = {MACHINE_CPU_CORES, MACHINE_CPU_VECTOR_UNITS,
                                                 MACHINE_CPU_VECTOR_WIDTH, MACHINE_CLOCK_CORE,
                                                 MACHINE_KEY_COUNT};
static const enum counter needs_counters[] = {COUNTER_INST_WARP, COUNTER_COUNT};

const struct model model_speed_of_light_cpu = {
    .name = "speed-of-light",
    .needs_machine = needs_machine,
    .needs_counters = needs_counters,
    .effects = 1u << EFFECT_DIVERGENCE | 1u << EFFECT_BANDWIDTH | 1u << EFFECT_CACHE_MISSES,
    .predict = predict,
};

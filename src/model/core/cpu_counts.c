// SPDX-License-Identifier: Apache-2.0
#include "model/core/cpu_counts.h"

#include <math.h>

#include "model/core/class_mix.h"

enum { LINE_BYTES = 128, SECTOR_BYTES = 32, LANE_BYTES = 4 };

/* Distinct lines of each warp's requests, summed. Warps were counted by lines of 128 and sectors of
 * 32 bytes: what lies between is at most so many. Lines that the threads of a warp share come once:
 * they run on one core, one after the other. */
static double count_lines(const struct model_input *input, double line_bytes)
{
    enum {
        GLOBAL = 1 << ACCESS_GLOBAL_LOAD | 1 << ACCESS_GLOBAL_STORE | 1 << ACCESS_GLOBAL_ATOMIC
    };
    struct accesses all = accesses_sum(input->profile, GLOBAL, RULE_IS_SECTOR);
    double sectors = all.parts[ACCESS_BYTES_MOVED] / SECTOR_BYTES;
    double lines = all.parts[ACCESS_LINES128] * fmax(1, LINE_BYTES / line_bytes);
    if (model_without(input, EFFECT_UNCOALESCED))
        return ceil(all.parts[ACCESS_BYTES_REQUESTED] / line_bytes);
    return lines > 0 ? fmin(lines, sectors) : sectors;
}

/* Half as many lanes of 8 bytes fit in a vector: two instructions. */
static double instructions_of(enum insn_class id, bool vectorised)
{
    return vectorised && id >= CLASS_FP64_ADD && id <= CLASS_FP64_DIV ? 2 : 1;
}

/* x86-64 has instructions for reciprocals and square roots. A sine is a sequence: what glibc 2.36's vector functions for
 * four lanes execute (libmvec: _ZGVbN4v_sinf, cosf, log2f, exp2f, tanhf), counted by callgrind at arguments
 * from 0.1 to 2.9. */
static double software_instructions(enum insn_class id)
{
    switch (id) {
    case CLASS_SFU_SIN:
        return 51;
    case CLASS_SFU_COS:
        return 49;
    case CLASS_SFU_LG2:
        return 45;
    case CLASS_SFU_EX2:
        return 32;
    case CLASS_SFU_TANH:
        return 64;
    default:
        return 1;
    }
}

static void read_mix(const struct model_input *input, bool vectorised, struct cpu_counts *out)
{
    double warps = executed_warps(input->profile), counted = 0;
    double total = profile_get(input->profile, COUNTER_INST_WARP) / warps;
    double share = model_without(input, EFFECT_DIVERGENCE) ? active_lane_share(input->profile) : 1;
    for (unsigned i = 0; i < CLASS_COUNT; i++) {
        enum counter counter = (enum counter)(COUNTER_INST_WARP_FIRST + i);
        double count = profile_get(input->profile, counter) / warps;
        double flops = class_flops(i);
        counted += count;
        out->flops += flops * count * share;
        count *= share;
        if (flops > 1)
            out->fp_fused += count * instructions_of(i, vectorised);
        else if (flops > 0)
            out->fp += count * instructions_of(i, vectorised);
        else if (class_is_integer(i))
            out->integer += count;
        else if (class_is_memory(i))
            out->mem += count;
        else
            out->br_misc += count;
        if (!model_without(input, EFFECT_LONG_INSTRUCTIONS))
            out->software += count * (software_instructions(i) - 1);
    }
    out->br_misc += fmax(0, total - counted) * share;
}

struct cpu_counts cpu_counts_read(const struct model_input *input, bool vectorised)
{
    const struct machine *machine = input->machine;
    double block = profile_threads_per_block(input->profile);
    double blocks = (double)profile_blocks(input->profile);
    double lanes = machine_get(machine, MACHINE_CPU_VECTOR_WIDTH, LANE_BYTES) / LANE_BYTES;
    vectorised = vectorised && lanes > 1 && block > 1;
    struct cpu_counts counts = {
        .lanes = vectorised ? fmin(lanes, block) : 1,
        .threads = blocks * block,
        .cores = fmin(blocks, machine_get(machine, MACHINE_CPU_CORES, 1)),
        .fp_units =
            machine_get(machine, vectorised ? MACHINE_CPU_VECTOR_UNITS : MACHINE_CPU_FP_UNITS, 1),
        .line_bytes = machine_get(machine, MACHINE_CPU_LINE, 64),
        .fma = machine_get(machine, MACHINE_CPU_FMA, 0) > 0,
    };
    counts.groups = blocks * ceil(block / counts.lanes);
    read_mix(input, vectorised, &counts);
    counts.lines = count_lines(input, counts.line_bytes) / counts.groups;
    return counts;
}

double cpu_counts_useful(const struct cpu_counts *counts)
{
    return counts->fp + counts->fp_fused * (counts->fma ? 1 : 2);
}

double cpu_counts_all(const struct cpu_counts *counts)
{
    return cpu_counts_useful(counts) + counts->integer + counts->br_misc + counts->mem;
}

double cpu_counts_peak(const struct cpu_counts *counts, double freq_hz)
{
    double useful = cpu_counts_useful(counts);
    if (!(useful > 0)) return 0;
    return freq_hz * counts->cores * counts->fp_units * counts->lanes * counts->flops / useful;
}

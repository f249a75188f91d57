// SPDX-License-Identifier: Apache-2.0
#include "model/quantitative.h"

#include <math.h>

const double zo_units[ZO_TABLES][ZO_TYPES] = {
    [ZO_TABLE_ZHANG_OWENS] = {10, 8, 4, 1},
    [ZO_TABLE_WANG] = {10, 8, 2, 1},
    [ZO_TABLE_TEG] = {16, 8, 2, 1},
};

enum { WARP_THREADS = 32 };

double zo_curve_warps(enum zo_type_curve reading, double warps, double reference_units,
                      double units)
{
    return reading == ZO_CURVE_OWN ? warps * reference_units / units : warps;
}

/* ---- peaks and the paper's curves ------------------------------------------------------------ */

double zo_instruction_peak(double units, double clock_hz, double sms)
{
    return units * clock_hz * sms / WARP_THREADS;
}

double zo_shared_peak(double cores_per_sm, double clock_hz, double sms)
{
    enum { WORD_BYTES = 4 };
    return cores_per_sm * sms * clock_hz * WORD_BYTES;
}

double zo_global_peak(double memory_clock_hz, double bus_bits)
{
    return memory_clock_hz * bus_bits / 8;
}

static double at(const double values[3], double warps)
{
    static const double measured_at[] = {6, 16, 32};
    const struct machine_curve curve = {.count = 3, .axes = {measured_at}, .values = values};
    return machine_curve_at(&curve, warps);
}

double zo_paper_instructions(double warps)
{
    static const double values[] = {8.39e9, 9.05e9, 9.33e9};
    return at(values, warps);
}

double zo_paper_shared(double warps)
{
    static const double values[] = {870e9, 1112e9, 1165e9};
    return at(values, warps);
}

double zo_paper_type(enum zo_table table, enum zo_type_curve reading, enum zo_type type,
                     double warps)
{
    double units = zo_units[table][type], reference = zo_units[table][ZO_TYPE_II];
    double at_warps = zo_curve_warps(reading, warps, reference, units);
    return zo_paper_instructions(at_warps) * units / reference;
}

struct zo_ell_bytes zo_ell_bytes(double block, double vector_bytes)
{
    enum { WORD_BYTES = 4 };
    struct zo_ell_bytes bytes = {
        .entry = WORD_BYTES, .index = WORD_BYTES / (block * block), .vector = vector_bytes / block};
    bytes.total = bytes.entry + bytes.index + bytes.vector;
    return bytes;
}

/* ---- global memory --------------------------------------------------------------------------- */

double zo_global_sawtooth(const struct zo_global *global)
{
    return machine_curve_sawtooth(global->blocks, global->clusters);
}

double zo_global_fill(const struct zo_global *global)
{
    double sawtooth = zo_global_sawtooth(global);
    if (!(global->bytes > 0) || !isfinite(global->peak)) return 1;
    if (global->measured) {
        const double launch[CURVE_AXES] = {global->blocks, global->threads, global->transactions};
        const double full[CURVE_AXES] = {INFINITY, INFINITY, INFINITY};
        double share = machine_curve_envelope(global->measured, global->full ? full : launch,
                                              global->clusters);
        return fmin(share, 1 / sawtooth);
    }
    double rounds = global->bytes / sawtooth; /* as if every cluster had as much as the busiest */
    return rounds / (rounds + global->peak * global->latency_seconds);
}

double zo_global_bandwidth(const struct zo_global *global)
{
    return global->peak * zo_global_fill(global) * zo_global_sawtooth(global);
}

double zo_global_seconds(const struct zo_global *global, double bytes, double waits)
{
    if (!(bytes > 0)) return 0;
    double streaming =
        isfinite(global->peak) ? bytes / zo_global_bandwidth(global) : global->latency_seconds;
    return fmax(streaming, waits * global->latency_seconds);
}

/* ---- stages ---------------------------------------------------------------------------------- */

/* The longest that is not `other`; ZO_NONE if nothing takes time. */
static enum zo_component longest(const double seconds[ZO_COMPONENTS], enum zo_component other)
{
    enum zo_component found = ZO_NONE;
    for (unsigned i = 0; i < ZO_COMPONENTS; i++)
        if (i != other && seconds[i] > (found == ZO_NONE ? 0 : seconds[found]))
            found = (enum zo_component)i;
    return found;
}

void zo_rank(struct zo_stage *stage)
{
    stage->bottleneck = longest(stage->seconds, ZO_NONE);
    stage->next = longest(stage->seconds, stage->bottleneck);
}

struct zo_stage zo_paper_stage(const struct zo_counts *counts, enum zo_table table,
                               enum zo_type_curve reading)
{
    enum { TRANSACTION_BYTES = 64 };
    const double bandwidth = zo_global_peak(2.484e9, 512);
    struct zo_stage stage = {.seconds = {[ZO_GLOBAL] = counts->global_bytes / bandwidth}};
    for (unsigned type = 0; type < ZO_TYPES; type++)
        stage.seconds[ZO_INSTRUCTION] +=
            counts->instructions[type] /
            zo_paper_type(table, reading, (enum zo_type)type, counts->warps);
    stage.seconds[ZO_SHARED] =
        counts->shared_transactions * TRANSACTION_BYTES / zo_paper_shared(counts->warps);
    zo_rank(&stage);
    return stage;
}

/* Serial: the component that decides for the longest time, and the one that would if that took
 * none. */
static void rank_serial(const struct zo_stage *stages, size_t count, struct zo_stage *program)
{
    double now[ZO_COMPONENTS] = {0}, then[ZO_COMPONENTS] = {0};
    for (size_t i = 0; i < count; i++)
        if (stages[i].bottleneck != ZO_NONE)
            now[stages[i].bottleneck] += stages[i].seconds[stages[i].bottleneck];
    program->bottleneck = longest(now, ZO_NONE);
    for (size_t i = 0; i < count; i++) {
        enum zo_component left = longest(stages[i].seconds, program->bottleneck);
        if (left != ZO_NONE) then[left] += stages[i].seconds[left];
    }
    program->next = longest(then, program->bottleneck);
}

struct zo_program zo_combine(struct zo_stage *stages, size_t count, int serial)
{
    struct zo_program program = {0};
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        zo_rank(&stages[i]);
        for (unsigned k = 0; k < ZO_COMPONENTS; k++)
            program.components.seconds[k] += stages[i].seconds[k];
        if (stages[i].bottleneck != ZO_NONE) sum += stages[i].seconds[stages[i].bottleneck];
    }
    zo_rank(&program.components);
    enum zo_component most = program.components.bottleneck;
    program.seconds = most == ZO_NONE ? 0 : program.components.seconds[most];
    if (!serial) return program;
    program.seconds = sum;
    rank_serial(stages, count, &program.components);
    return program;
}

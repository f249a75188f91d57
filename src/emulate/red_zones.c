// SPDX-License-Identifier: Apache-2.0
/* With the tool memory: gaps between arrays of shared memory and between local variables, so that an access that leaves
 * one meets no other. Places are shifted by multiples of a unit, so that they keep their low bits: bank conflicts,
 * swizzles and alignments stay as they are. What a kernel is told of sizes stays, too. */
#include <stdlib.h>
#include <string.h>

#include "emulate/program.h"

/* Guesses: swizzles of shared memory go by 1024 bytes; a gap need not be larger than the array before it, nor more than
 * what clearing it costs. */
enum {
    SHARED_UNIT = 1024,
    SHARED_ZONE_MAX = 16384,
    LOCAL_UNIT = 256,
    LOCAL_ZONE_MAX = 4096,
    LOCAL_END = 1024
};

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static uint64_t zone_of(uint64_t bytes, uint64_t unit, uint64_t most)
{
    uint64_t zone = round_up(bytes ? bytes : 1, unit);
    return zone > most ? round_up(most, unit) : zone;
}

static bool checks_memory(const struct device *device)
{
    return device->check && device->check->tools & CHECK_MEMORY;
}

/* ---- shared memory --------------------------------------------------------------------------- */

/* Does it compute where its arrays end? */
static bool asks_total_shared(const struct builder *b)
{
    for (uint32_t f = 0; f < b->function_count; f++) {
        const struct function *function = &b->module->functions[b->functions[f].module_index];
        for (uint32_t i = 0; i < function->insn_count; i++)
            if (program_reads_special(&function->insns[i], SREG_TOTAL_SMEM_SIZE,
                                      SREG_TOTAL_SMEM_SIZE) ||
                program_reads_special(&function->insns[i], SREG_AGGR_SMEM_SIZE,
                                      SREG_AGGR_SMEM_SIZE))
                return true;
    }
    return false;
}

static bool is_static_shared(const struct builder *b, uint32_t v)
{
    const struct variable *variable = &b->module->variables[v];
    return variable->space == SPACE_SHARED && !variable->is_extern &&
           b->shared_offsets[v] != UINT64_MAX;
}

static uint64_t shared_unit(const struct builder *b)
{
    uint64_t unit = SHARED_UNIT;
    for (uint32_t v = 0; v < b->module->variable_count; v++)
        if (is_static_shared(b, v) && b->module->variables[v].alignment > unit)
            unit = b->module->variables[v].alignment;
    return unit;
}

void red_zones_shared(struct builder *b, const struct device *device)
{
    struct program *program = b->program;
    uint64_t shift = 0, unit = shared_unit(b);
    if (!checks_memory(device)) return;
    if (asks_total_shared(b)) {
        device->check->ops->note(device->check->self,
                                 "memory: a kernel reads %total_smem_size; its arrays of shared "
                                 "memory have no red zones between them");
        return;
    }
    struct guarded *arrays =
        ARENA_ARRAY(&program->arena, struct guarded, b->module->variable_count + 1);
    for (uint32_t v = 0; v < b->module->variable_count; v++) { /* in the order of their places */
        const struct variable *variable = &b->module->variables[v];
        if (!is_static_shared(b, v)) continue;
        b->shared_offsets[v] += shift;
        program->static_shift = shift;
        arrays[program->shared_count++] =
            (struct guarded){.begin = b->shared_offsets[v],
                             .end = b->shared_offsets[v] + variable->bytes,
                             .shift = shift,
                             .name = demangle_variable(&program->arena, variable->name)};
        shift += zone_of(variable->bytes, unit, SHARED_ZONE_MAX);
    }
    program->dynamic_shift = shift;
    program->shared_arrays = arrays;
    program->guards_shared = true;
}

/* ---- local memory ---------------------------------------------------------------------------- */

/* Of the functions at hand. Local variables of the module are of none. */
static bool is_local(const struct builder *b, uint32_t v, uint32_t f)
{
    const struct variable *variable = &b->module->variables[v];
    bool is_mine = variable->function >= 0 && b->function_of[variable->function] == f + 1;
    return is_mine && (variable->space == SPACE_LOCAL ||
                       (variable->space == SPACE_PARAM && b->parameter_homes[v] == HOME_LOCAL));
}

static bool has_module_locals(const struct module *module)
{
    for (uint32_t v = 0; v < module->variable_count; v++)
        if (module->variables[v].space == SPACE_LOCAL && module->variables[v].function < 0)
            return true;
    return false;
}

static uint64_t place_of(const struct builder *b, uint32_t v)
{
    return b->module->variables[v].space == SPACE_PARAM ? b->parameter_offsets[v]
                                                        : b->module->variables[v].offset;
}

/* Parameters lie behind the variables, both in the order of the module. */
static void guard_function(struct builder *b, uint32_t f, struct guarded *arrays)
{
    static const uint8_t spaces[] = {SPACE_LOCAL, SPACE_PARAM};
    struct function_build *build = &b->functions[f];
    uint64_t shift = LOCAL_UNIT;
    build->arrays = arrays;
    for (unsigned k = 0; k < sizeof spaces; k++)
        for (uint32_t v = 0; v < b->module->variable_count; v++) {
            const struct variable *variable = &b->module->variables[v];
            if (!is_local(b, v, f) || variable->space != spaces[k]) continue;
            uint64_t begin = place_of(b, v) + shift;
            arrays[build->array_count++] =
                (struct guarded){.begin = begin,
                                 .end = begin + variable->bytes,
                                 .shift = shift,
                                 .name = demangle_variable(&b->program->arena, variable->name)};
            b->local_shifts[v] = (uint32_t)shift;
            shift += zone_of(variable->bytes, LOCAL_UNIT, LOCAL_ZONE_MAX);
        }
    build->plain_local_bytes = build->local_bytes;
    if (f == 0) shift += LOCAL_END;
    if (build->array_count) build->local_bytes += shift;
}

void red_zones_local(struct builder *b, const struct device *device)
{
    const struct module *module = b->module;
    bool guards = checks_memory(device) && !b->program->native_code && !has_module_locals(module);
    if (!guards) return;
    b->program->guards_local = true;
    for (uint32_t f = 0; f < b->function_count; f++) {
        uint32_t count = 0;
        for (uint32_t v = 0; v < module->variable_count; v++)
            count += is_local(b, v, f);
        guard_function(b, f, ARENA_ARRAY(&b->program->arena, struct guarded, count + 1));
    }
}

uint64_t red_zones_growth(const struct builder *b)
{
    uint64_t most = 1;
    for (uint32_t f = 0; f < b->function_count; f++) {
        const struct function_build *build = &b->functions[f];
        if (!build->array_count) continue;
        uint64_t plain = build->plain_local_bytes ? build->plain_local_bytes : 1;
        uint64_t times = (build->local_bytes + plain - 1) / plain;
        if (times > most) most = times;
    }
    return most;
}

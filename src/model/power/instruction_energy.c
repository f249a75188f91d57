// SPDX-License-Identifier: Apache-2.0
#include "model/power/instruction_energy.h"

#include <math.h>

#include "model/core/accesses.h"
#include "model/power/clock_scaling.h"

#define DIM_IS_JOULE false
#define DIM_IS_JOULE_PER_BYTE true
const struct energy_unit_info energy_unit_infos[ENERGY_UNIT_COUNT] = {
#define ENERGY_UNIT(name, id, dimension, place, text)                                              \
    {id, text, POWER_UNIT_##place, DIM_IS_##dimension},
#include "machine/energy_units.def"
#undef ENERGY_UNIT
};

enum { SECTOR = 32, PASS = 128 };

/* ---- events ---------------------------------------------------------------------------------- */

/* What prices a warp instruction of a class; ENERGY_UNIT_COUNT: its bytes or its multiply-adds do. */
static enum energy_unit unit_of(enum insn_class id)
{
    if (id >= CLASS_FP32_ADD && id <= CLASS_FP32_DIV) return ENERGY_UNIT_FP32;
    if (id >= CLASS_FP64_ADD && id <= CLASS_FP64_DIV) return ENERGY_UNIT_FP64;
    if (id == CLASS_FP16 || id == CLASS_BF16) return ENERGY_UNIT_FP16;
    if (id == CLASS_INT_ADD || id == CLASS_INT_MINMAX) return ENERGY_UNIT_INT;
    if (id >= CLASS_INT_MUL24 && id <= CLASS_INT_DIV) return ENERGY_UNIT_MULTIPLY;
    if (id >= CLASS_SFU_RCP && id <= CLASS_SFU_TANH) return ENERGY_UNIT_SFU;
    if (id == CLASS_TENSOR) return ENERGY_UNIT_TENSOR;
    bool moves_bytes = id >= CLASS_MEM_GLOBAL_LOAD && id <= CLASS_MEM_LOCAL_ATOMIC;
    return moves_bytes ? ENERGY_UNIT_COUNT : ENERGY_UNIT_LOGIC;
}

static void count_instructions(const struct profile *profile, struct energy_events *out)
{
    double all = profile_get(profile, COUNTER_INST_WARP);
    double threads = profile_get(profile, COUNTER_INST_THREAD);
    bool is_known = all > 0 && profile_has(profile, COUNTER_INST_THREAD);
    out->lanes = is_known ? fmin(WARP_LANES, threads / all) : WARP_LANES;
    for (unsigned id = 0; id < CLASS_COUNT; id++) {
        enum energy_unit unit = unit_of((enum insn_class)id);
        double warps = profile_get(profile, (enum counter)(COUNTER_INST_WARP_FIRST + id));
        if (unit == ENERGY_UNIT_COUNT) continue;
        out->warps[unit] += warps;
        out->counts[unit] += warps * out->lanes;
    }
    if (profile_has(profile, COUNTER_TENSOR_FMA))
        out->counts[ENERGY_UNIT_TENSOR] = profile_get(profile, COUNTER_TENSOR_FMA);
}

static void set_bytes(struct energy_events *out, enum energy_unit unit, double bytes)
{
    out->counts[unit] = bytes;
    out->warps[unit] = bytes / PASS;
}

/* Nothing is known of what the caches hit: what is moved comes from DRAM. */
static void count_without_caches(const struct model_input *input, struct energy_events *out)
{
    struct accesses all =
        accesses_sum(input->profile, ACCESS_ALL, coalescing_rule_of(input->machine));
    double bytes = all.parts[ACCESS_BYTES_MOVED];
    if (!(bytes > 0)) bytes = all.parts[ACCESS_BYTES_REQUESTED];
    bool has_l1 = machine_get(input->machine, MACHINE_L1_SIZE, 0) > 0;
    bool has_l2 = machine_get(input->machine, MACHINE_L2_SIZE, 0) > 0;
    set_bytes(out, ENERGY_UNIT_L1, has_l1 ? bytes : 0);
    set_bytes(out, ENERGY_UNIT_L2, has_l2 ? bytes : 0);
    set_bytes(out, ENERGY_UNIT_DRAM, bytes);
}

static void count_cached(const uint64_t counts[CACHE_COUNT_COUNT], struct energy_events *out)
{
    double written = (double)(counts[CACHE_COUNT_STORES] + counts[CACHE_COUNT_ATOMICS]);
    double dram = (double)(counts[CACHE_COUNT_DRAM_READ] + counts[CACHE_COUNT_DRAM_WRITTEN]);
    set_bytes(out, ENERGY_UNIT_L1, SECTOR * ((double)counts[CACHE_COUNT_LOADS] + written));
    set_bytes(out, ENERGY_UNIT_L2, SECTOR * ((double)counts[CACHE_COUNT_L2_LOADS] + written));
    set_bytes(out, ENERGY_UNIT_DRAM, SECTOR * dram);
}

void energy_events_count(const struct model_input *input, struct energy_events *out)
{
    bool half_warp = shared_is_half_warp(input->machine);
    *out = (struct energy_events){.has_caches = input->caches != NULL};
    count_instructions(input->profile, out);
    set_bytes(out, ENERGY_UNIT_SHARED,
              shared_sum(input->profile, SHARED_WAVEFRONTS, half_warp) *
                  (half_warp ? PASS / 2 : PASS));
    if (input->caches)
        count_cached(input->caches->counts, out);
    else
        count_without_caches(input, out);
}

/* ---- prices ---------------------------------------------------------------------------------- */

/* Leakage is exponential between two temperatures: 16.00 uA a gate at 60 degC, 23.44 at 100 degC (65 nm, 0.95 V:
 * Liao, He and Lepak, IEEE TCAD 24(7), 2005). */
double energy_leakage_ratio(double celsius)
{
    const double cool = 60, warm = 100, growth = 23.44 / 16.00;
    return pow(growth, (celsius - ENERGY_CELSIUS) / (warm - cool));
}

void energy_prices_read(const struct machine *machine, double whole_sms, double celsius,
                        struct energy_prices *out)
{
    double idle_sm = machine_get(machine, MACHINE_ENERGY_IDLE_SM, 0);
    double volts_squared = clock_volts_squared(machine);
    *out = (struct energy_prices){
        .volts_squared = volts_squared,
        .constant_watts = machine_get(machine, MACHINE_ENERGY_CONSTANT, 0),
        .static_watts = idle_sm * whole_sms * volts_squared * energy_leakage_ratio(celsius),
        .sm_cycle_joules = machine_get(machine, MACHINE_ENERGY_SM_CYCLE, 0) * volts_squared,
    };
    for (unsigned i = 0; i < ENERGY_UNIT_COUNT; i++) {
        /* DRAM has a supply of its own. */
        double scale = i == ENERGY_UNIT_DRAM ? 1 : volts_squared;
        enum machine_key key = (enum machine_key)(MACHINE_ENERGY_FP32 + i);
        out->joules[i] = machine_get(machine, key, 0) * scale;
    }
}

// SPDX-License-Identifier: Apache-2.0
/* From a machine file to the engine's figures. doc/models/teg.md has the rules for what a file does
 * not say; each one that was needed is told as an assumption. */
#include "model/teg/teg_machine.h"

#include <math.h>

#include "base/strbuf.h"

const struct teg_unit_info teg_unit_infos[TEG_UNIT_COUNT] = {
#define TEG_UNIT(name, id, of_sm, component, term) {id, term, of_sm, COMPONENT_##component},
    TEG_UNITS(TEG_UNIT)
#undef TEG_UNIT
};

enum { SECTOR = 32, TAGS = 4 };

static teg_time ticks(double cycles)
{
    return teg_round(cycles * (double)TEG_CYCLE);
}

double teg_cmem(double bandwidth, double latency_cycles, double clusters, double element_bytes,
                double clock_hz)
{
    return bandwidth * latency_cycles / (clusters * WARP_LANES * element_bytes * clock_hz);
}

teg_time teg_sector_ticks(const struct teg_machine *teg, const struct teg_level *level,
                          uint64_t all, uint64_t own)
{
    teg_time share = teg_round(level->whole * (double)all / (double)own);
    return share > teg->port ? share : teg->port;
}

/* ---- classes --------------------------------------------------------------------------------- */

static const uint8_t units[CLASS_COUNT] = {
    [CLASS_FP32_ADD] = TEG_MAIN,
    [CLASS_FP32_MUL] = TEG_MAIN,
    [CLASS_FP32_FMA] = TEG_MAIN,
    [CLASS_FP32_MINMAX] = TEG_INTEGER,
    [CLASS_FP32_DIV] = TEG_SPECIAL,
    [CLASS_FP64_ADD] = TEG_FP64,
    [CLASS_FP64_MUL] = TEG_FP64,
    [CLASS_FP64_FMA] = TEG_FP64,
    [CLASS_FP64_MINMAX] = TEG_FP64,
    [CLASS_FP64_DIV] = TEG_FP64,
    [CLASS_FP16] = TEG_FP16,
    [CLASS_BF16] = TEG_FP16,
    [CLASS_INT_ADD] = TEG_INTEGER,
    [CLASS_INT_MUL24] = TEG_INTEGER,
    [CLASS_INT_MUL] = TEG_INTEGER,
    [CLASS_INT_MAD] = TEG_INTEGER,
    [CLASS_INT_DIV] = TEG_INTEGER,
    [CLASS_INT_MINMAX] = TEG_INTEGER,
    [CLASS_LOGIC] = TEG_INTEGER,
    [CLASS_SHIFT] = TEG_INTEGER,
    [CLASS_CMP] = TEG_INTEGER,
    [CLASS_SELECT] = TEG_INTEGER,
    [CLASS_MOVE] = TEG_INTEGER,
    [CLASS_CONVERT] = TEG_SPECIAL,
    [CLASS_CONVERT_INT] = TEG_SPECIAL,
    [CLASS_SFU_RCP] = TEG_SPECIAL,
    [CLASS_SFU_SQRT] = TEG_SPECIAL,
    [CLASS_SFU_RSQRT] = TEG_SPECIAL,
    [CLASS_SFU_SIN] = TEG_SPECIAL,
    [CLASS_SFU_COS] = TEG_SPECIAL,
    [CLASS_SFU_LG2] = TEG_SPECIAL,
    [CLASS_SFU_EX2] = TEG_SPECIAL,
    [CLASS_SFU_TANH] = TEG_SPECIAL,
    [CLASS_CONTROL] = TEG_BRANCH,
    [CLASS_BARRIER] = TEG_BRANCH,
    [CLASS_SHUFFLE] = TEG_SHARED,
    [CLASS_VOTE] = TEG_INTEGER,
    [CLASS_FENCE] = TEG_NONE,
    [CLASS_TENSOR] = TEG_TENSOR,
    [CLASS_OTHER] = TEG_SPECIAL,
    [CLASS_MEM_CONST_LOAD] = TEG_INTEGER,
    [CLASS_MEM_PARAM_LOAD] = TEG_INTEGER,
    [CLASS_MEM_PARAM_STORE] = TEG_INTEGER,
};

/* A routine of many instructions stands for a division: 30 additions (Hong, table 6: the M_Factor of
 * integer division). */
enum { DIVISION_FACTOR = 30 };

/* From cc 7.0 on, where the file does not say: a B300 takes 22 cycles for a barrier and 2 more for each warp, the 16
 * threads a cycle that the programming guide has from 7.0 to 8.6 (SOURCES.yaml, B300). */
enum { BARRIER_LANES = 16, BARRIER_LATENCY = 22 };

/* Lanes that serve a class in an SM; 0: the GPU does not have it. Constants and parameters are read
 * from a cache that never misses, like a move. */
static double class_lanes(struct teg_machine *teg, enum insn_class id)
{
    double lanes = 0;
    const struct machine *machine = teg->machine;
    if (id == CLASS_MEM_CONST_LOAD || id == CLASS_MEM_PARAM_LOAD || id == CLASS_MEM_PARAM_STORE)
        id = CLASS_MOVE;
    if (machine_throughput(machine, id, &lanes)) return lanes;
    if (id == CLASS_BARRIER && machine->cc_major >= 7) return BARRIER_LANES;
    teg->guessed |= UINT64_C(1) << id;
    bool is_double = id == CLASS_FP64_DIV;
    if (!machine_throughput(machine, is_double ? CLASS_FP64_FMA : CLASS_FP32_FMA, &lanes)) return 0;
    if (id == CLASS_FP64_DIV || id == CLASS_INT_DIV) lanes /= DIVISION_FACTOR;
    return lanes;
}

/* Integers multiply on the fp32 pipe. Where that has more lanes than they take, they take its heavy half, and so does
 * fp16 (SOURCES.yaml, NVPIPES). */
static enum teg_unit multiplier(const struct machine *machine, double lanes)
{
    double fma = 0;
    if (machine->cc_major < 7) return TEG_INTEGER;
    (void)machine_throughput(machine, CLASS_FP32_FMA, &fma);
    return lanes < fma ? TEG_FP16 : TEG_MAIN;
}

static void set_class(struct teg_machine *teg, enum insn_class id)
{
    struct teg_class *out = &teg->classes[id];
    const struct machine *machine = teg->machine;
    double lanes = class_lanes(teg, id), add = 0, latency = 0, base = 0, same = 0;
    bool shares = machine->cc_major < 7;
    out->unit = units[id];
    if (!(lanes > 0)) {
        teg->lacking |= UINT64_C(1) << id;
        return;
    }
    (void)machine_throughput(machine, CLASS_INT_ADD, &add);
    bool may_be_simple = id == CLASS_CONVERT || id == CLASS_CONVERT_INT || id == CLASS_OTHER;
    if (may_be_simple && lanes >= add) out->unit = TEG_INTEGER;
    bool multiplies = id == CLASS_INT_MUL24 || id == CLASS_INT_MUL || id == CLASS_INT_MAD;
    if (multiplies) out->unit = (uint8_t)multiplier(machine, lanes);
    if (shares && out->unit == TEG_INTEGER) out->unit = TEG_MAIN;
    double owners = out->unit == TEG_FP64 && teg->shares_fp64 ? 1 : teg->parts;
    out->busy = ticks(WARP_LANES * (out->unit == TEG_SHARED ? 1 : owners) / lanes);
    if (!machine_latency(machine, id, &latency)) {
        double fma = 1;
        (void)machine_latency(machine, CLASS_FP32_FMA, &base);
        (void)machine_throughput(machine, CLASS_FP32_FMA, &fma);
        latency = base + fmax(0, WARP_LANES * (owners / lanes - teg->parts / fma));
        /* Through the crossbar of the shared memory: 25 cycles on Ada, a load 27 (SOURCES.yaml, ADASASS). */
        if (id == CLASS_BARRIER && machine->cc_major >= 7)
            latency = BARRIER_LATENCY + WARP_LANES * teg->parts / lanes;
        if (id == CLASS_SHUFFLE)
            latency = fmax(latency, machine_get(machine, MACHINE_SHARED_LATENCY, 0));
    }
    out->latency = ticks(latency);
    bool known = machine_issue_latency(machine, id, &same);
    if (!known) known = machine_issue_latency(machine, CLASS_FP32_ADD, &same);
    out->same_warp = known ? ticks(same) : teg->interval;
}

static void set_memory_class(struct teg_machine *teg, enum insn_class id, enum teg_unit unit)
{
    struct teg_class *out = &teg->classes[id];
    double same = 0;
    bool known = machine_issue_latency(teg->machine, id, &same);
    if (!known && unit == TEG_SHARED)
        known = machine_issue_latency(teg->machine, CLASS_FP32_ADD, &same);
    if (!known && unit == TEG_GLOBAL)
        known = machine_issue_latency(teg->machine, CLASS_MEM_GLOBAL_LOAD, &same);
    out->unit = (uint8_t)unit;
    out->same_warp = known ? ticks(same) : teg->interval;
    /* Others wait for what their accesses find. */
    double latency = 0;
    if (id == CLASS_MEM_TEXTURE_LOAD && machine_latency(teg->machine, id, &latency))
        out->latency = ticks(latency);
}

static bool off(const struct teg_machine *teg, enum effect effect)
{
    return teg->effects_off >> effect & 1;
}

/* By what the compiler leaves between a matrix instruction and one that needs its result: 14 and 22 cycles on
 * Turing, 13 and 17 on Ampere for m16n8k8 and m16n8k16 of fp16, whose multiply-adds take 8 and 16, and 4
 * and 8 (Mesa, sm75_ and sm80_instr_latencies.rs). */
enum { TENSOR_PIPE_TURING = 6, TENSOR_PIPE_LATER = 9 };

/* The matrix instructions of a launch are as long as their mean; without their shapes, or the figure of the GPU,
 * they stay a guess. */
static void set_tensor(struct teg_machine *teg, const struct profile *profile)
{
    struct teg_class *out = &teg->classes[CLASS_TENSOR];
    double rate = machine_get(teg->machine, MACHINE_TENSOR_FMA, 0) / teg->parts;
    double work = profile_get(profile, COUNTER_TENSOR_FMA);
    double count = profile_get(profile, (enum counter)(COUNTER_INST_WARP_FIRST + CLASS_TENSOR));
    bool is_turing = teg->machine->cc_major == 7;
    if (!(rate > 0 && work > 0 && count > 0)) return;
    teg->guessed &= ~(UINT64_C(1) << CLASS_TENSOR);
    out->busy = ticks(work / count / rate);
    out->latency = out->busy + ticks(is_turing ? TENSOR_PIPE_TURING : TENSOR_PIPE_LATER);
}

/* Fewer lanes than parts are one unit of the SM: two FP64 cores on gaming parts since Turing (NVIDIA's white papers;
 * Huerta et al. 2025 have it shared, too). */
static bool has_one_fp64(const struct teg_machine *teg)
{
    double lanes = 0;
    return machine_throughput(teg->machine, CLASS_FP64_FMA, &lanes) && lanes > 0 &&
           lanes < teg->parts;
}

static void set_classes(struct teg_machine *teg, const struct profile *profile)
{
    teg->shares_fp64 = has_one_fp64(teg);
    for (unsigned i = 0; i < CLASS_MEM_GLOBAL_LOAD; i++)
        set_class(teg, (enum insn_class)i);
    set_tensor(teg, profile);
    set_class(teg, CLASS_MEM_CONST_LOAD);
    set_class(teg, CLASS_MEM_PARAM_LOAD);
    set_class(teg, CLASS_MEM_PARAM_STORE);
    for (unsigned i = 0; i < 3; i++) {
        set_memory_class(teg, (enum insn_class)(CLASS_MEM_GLOBAL_LOAD + i), TEG_GLOBAL);
        set_memory_class(teg, (enum insn_class)(CLASS_MEM_LOCAL_LOAD + i), TEG_GLOBAL);
        set_memory_class(teg, (enum insn_class)(CLASS_MEM_SHARED_LOAD + i), TEG_SHARED);
        set_memory_class(teg, (enum insn_class)(CLASS_MEM_TEXTURE_LOAD + i), TEG_GLOBAL);
        set_memory_class(teg, (enum insn_class)(CLASS_MEM_SURFACE_LOAD + i), TEG_GLOBAL);
    }
    const struct teg_class add = teg->classes[CLASS_FP32_ADD];
    for (unsigned i = 0; i < CLASS_COUNT; i++) {
        struct teg_class *out = &teg->classes[i];
        bool memory = out->unit == TEG_GLOBAL || (out->unit == TEG_SHARED && i != CLASS_SHUFFLE);
        if (off(teg, EFFECT_LONG_INSTRUCTIONS) && !memory) {
            if (add.busy < out->busy) out->busy = add.busy;
            if (add.latency < out->latency) out->latency = add.latency;
            if (add.same_warp < out->same_warp) out->same_warp = add.same_warp;
        }
        bool fetches = i == CLASS_MEM_TEXTURE_LOAD;
        if (off(teg, EFFECT_INST_LATENCY) && !fetches) out->latency = 0;
        if (off(teg, EFFECT_MEM_LATENCY) && fetches && out->latency > TEG_CYCLE)
            out->latency = TEG_CYCLE;
    }
}

/* ---- shared memory --------------------------------------------------------------------------- */

/* Of a TITAN V, by the time of a histogram whose values all fall into one bin (accuracy/titanv.csv); no figure is
 * known of others, for which a turn is a pass through the banks. */
static const double TURN_OF_CC7 = 6.7;

static void set_shared_atomics(struct teg_machine *teg)
{
    const struct machine *machine = teg->machine;
    double turn = machine_get(machine, MACHINE_SHARED_ATOMIC_CYCLES,
                              machine->cc_major == 7 ? TURN_OF_CC7 : 0);
    teg->shared_turn = turn > 0 ? ticks(turn) : teg->pass;
    teg->counts_lanes = machine->cc_major >= 8;
}

static void set_shared(struct teg_machine *teg, const struct model_input *input,
                       struct estimate *out)
{
    const struct machine *machine = teg->machine;
    double lanes = machine_get(machine, MACHINE_GLOBAL_LOAD_STORE_LANES, 0);
    double latency = machine_get(machine, MACHINE_SHARED_LATENCY, 0), fma = 0;
    (void)machine_latency(machine, CLASS_FP32_FMA, &fma);
    teg->banks = (unsigned)machine_get(machine, MACHINE_SHARED_BANKS, 32);
    teg->half_warps = shared_is_half_warp(machine);
    teg->joins_phases = machine->cc_major >= 7;
    double group = teg->half_warps ? WARP_LANES / 2.0 : WARP_LANES;
    teg->pass = ticks(lanes > 0 ? fmax(1, group / lanes) : 1);
    if (!(latency > 0)) {
        latency = machine->cc_major < 2 ? 38 : machine_get(machine, MACHINE_L1_LATENCY, 30);
        estimate_assume(out, input->arena, "shared memory latency unknown: %.3g cycles assumed",
                        latency);
    }
    double operand = machine_get(machine, MACHINE_SHARED_OPERAND_LATENCY, latency + fma);
    double replay = machine_get(machine, MACHINE_SHARED_REPLAY_LATENCY, -1);
    teg->shared_latency = ticks(latency);
    teg->operand_latency = ticks(operand);
    teg->replay = replay >= 0 ? ticks(replay) : teg->pass;
    set_shared_atomics(teg);
    if (off(teg, EFFECT_INST_LATENCY)) teg->shared_latency = teg->operand_latency = teg->replay = 0;
}

/* ---- global memory --------------------------------------------------------------------------- */

/* An SM takes at most so many bytes a cycle of L2 and DRAM where the file does not say (guess: two
 * sectors). */
enum { PORT_BYTES = 64 };

static teg_time sector_ticks(const struct teg_machine *teg, double bytes_per_cycle)
{
    if (!(bytes_per_cycle > 0) || off(teg, EFFECT_BANDWIDTH)) return 0;
    return ticks(SECTOR / bytes_per_cycle);
}

/* Of L2 and DRAM, when `active_sms` share the bandwidth of the GPU evenly. */
static struct teg_level shared_level(const struct teg_machine *teg, double bandwidth,
                                     teg_time latency)
{
    bool limits = bandwidth > 0 && !off(teg, EFFECT_BANDWIDTH);
    struct teg_level level = {.latency = latency};
    if (limits) level.whole = SECTOR / bandwidth * (double)TEG_CYCLE;
    level.sector = teg_sector_ticks(teg, &level, teg->active_sms, 1);
    return level;
}

static teg_time memory_ticks(const struct teg_machine *teg, double cycles)
{
    return off(teg, EFFECT_MEM_LATENCY) ? TEG_CYCLE : ticks(cycles);
}

/* What may be under way to the DRAM, and wait as long again, as time at the full bandwidth: the latency of
 * GT200 (Hong: 450 cycles) makes Cmem of the paper (3.2.4). Buffers do not shrink with the latency. */
enum { QUEUE_CYCLES = 450 };

/* cc 1.x: every transaction goes through the pipeline of its cluster, which has its share of the
 * peak whether the other clusters work or not (001, section 3.1). */
static void set_uncached(struct teg_machine *teg, double clock)
{
    const struct machine *machine = teg->machine;
    double bandwidth = machine_get(machine, MACHINE_DRAM_BANDWIDTH, 0) / clock;
    teg->cluster_sms = (unsigned)fmax(1, machine_get(machine, MACHINE_SM_PER_CLUSTER, 1));
    double sms = machine_get(machine, MACHINE_SM_COUNT, 1);
    teg->clusters = (unsigned)fmax(1, ceil(sms / teg->cluster_sms));
    teg->dram = (struct teg_level){
        .latency = memory_ticks(teg, machine_get(machine, MACHINE_DRAM_LATENCY, 0)),
        .sector = sector_ticks(teg, bandwidth / teg->clusters),
    };
    teg->in_flight = ticks(QUEUE_CYCLES);
}

/* More of them than this are no channels or banks that wait for each other. */
enum { CHANNELS_MAX = 1 << 10, CHANNEL_BANKS_MAX = 1 << 10 };

/* Channels and the rows of their banks, where the file has all figures of them. */
static void set_channels(struct teg_machine *teg, double clock)
{
    const struct machine *machine = teg->machine;
    double channels = machine_get(machine, MACHINE_DRAM_CHANNELS, 0);
    double banks = machine_get(machine, MACHINE_DRAM_BANKS, 0);
    double row = machine_get(machine, MACHINE_DRAM_ROW_SIZE, 0);
    double cycle = machine_get(machine, MACHINE_DRAM_ROW_CYCLE, 0);
    teg->interleave = (unsigned)machine_get(machine, MACHINE_DRAM_INTERLEAVE, 256);
    if (off(teg, EFFECT_CHANNEL_SKEW) || off(teg, EFFECT_BANDWIDTH)) return;
    teg->channels = (unsigned)fmin(channels, CHANNELS_MAX);
    if (!(channels > 0 && banks > 0 && row > 0 && cycle > 0)) return;
    teg->banks_of_channel = (unsigned)fmin(banks, CHANNEL_BANKS_MAX);
    teg->row_bytes = (uint64_t)fmin(row, UINT32_MAX);
    teg->row_cycle = cycle * clock * (double)TEG_CYCLE;
}

/* Shares of the peak that DRAM sustains where the file does not say: refresh takes the rest, and turning the bus
 * round once something is written. Medians of six GPUs by RRZE's gpu-stream, from a V100 to an H100: reading gets
 * 96 % of the peak, and as much writing as reading 92.7 % of that. */
static const double SUSTAINED = 0.96, MIXED = 0.927;

/* A figure above the peak belongs to another memory. */
static double sustained_bandwidth(const struct machine *machine)
{
    double peak = machine_get(machine, MACHINE_DRAM_BANDWIDTH, 0);
    double told = machine_get(machine, MACHINE_DRAM_SUSTAINED_BANDWIDTH, 0);
    return told > 0 && told <= peak ? told : SUSTAINED * peak;
}

/* How much longer than a read sector a written one keeps the bus: if half of the bytes are written, the mean of
 * both. */
static double write_cost(const struct machine *machine)
{
    double reading = sustained_bandwidth(machine);
    double told = machine_get(machine, MACHINE_DRAM_MIXED_BANDWIDTH, 0);
    double mixed = told > 0 && told <= reading ? told : MIXED * reading;
    return 2 * reading / mixed - 1;
}

/* Of the L2 for a lane whose address others wait for, where the file does not say (guess). */
enum { ATOMIC_CYCLES = 1 };

/* Packets of a cluster's SMs to the L2 share one way (Ahn et al., MICRO 2021: writes of the two SMs of a TPC
 * take twice as long together). Blocks come to all clusters before a cluster has two. The width is a guess:
 * a sector a cycle, and the header of a packet as much. */
enum { REQUEST_BYTES = 32, FETCH_BYTES = 64 };

static void set_requests(struct teg_machine *teg)
{
    const struct machine *machine = teg->machine;
    bool is_modern = machine->cc_major >= 7;
    double sms = machine_get(machine, MACHINE_SM_COUNT, 1);
    double of_cluster = fmax(1, machine_get(machine, MACHINE_SM_PER_CLUSTER, 1));
    double bytes =
        machine_get(machine, MACHINE_L2_REQUEST_BANDWIDTH, is_modern ? REQUEST_BYTES : 0);
    double active = fmin(of_cluster, fmax(1, teg->active_sms * of_cluster / sms));
    double fetch = machine_get(machine, MACHINE_DRAM_FETCH, is_modern ? FETCH_BYTES : SECTOR);
    teg->packet = sector_ticks(teg, bytes / active);
    teg->fetch_sectors = fetch >= 4 * SECTOR ? 4 : fetch >= 2 * SECTOR ? 2 : 1;
}

static void set_cached(struct teg_machine *teg, double clock)
{
    const struct machine *machine = teg->machine;
    double sms = machine_get(machine, MACHINE_SM_COUNT, 1);
    double dram = sustained_bandwidth(machine) / clock;
    double l2 = machine_get(machine, MACHINE_L2_BANDWIDTH, 0) / clock;
    double l1 = machine_get(machine, MACHINE_L1_BANDWIDTH, 0);
    double latency = machine_get(machine, MACHINE_DRAM_LATENCY, 0);
    double l2_latency = machine_get(machine, MACHINE_L2_LATENCY, latency);
    teg->in_flight = ticks(QUEUE_CYCLES);
    teg->cluster_sms = 1;
    teg->clusters = (unsigned)sms;
    teg->l1 = (struct teg_level){
        .latency = memory_ticks(teg, machine_get(machine, MACHINE_L1_LATENCY, l2_latency)),
        .sector = sector_ticks(teg, l1),
        .bytes = (uint64_t)machine_get(machine, MACHINE_L1_SIZE, 0),
        .ways = (unsigned)machine_get(machine, MACHINE_L1_WAYS, 4),
    };
    teg->port = sector_ticks(teg, machine_get(machine, MACHINE_L2_SM_BANDWIDTH, PORT_BYTES));
    set_requests(teg);
    teg->l2 = shared_level(teg, l2, memory_ticks(teg, l2_latency));
    teg->l2.bytes = (uint64_t)machine_get(machine, MACHINE_L2_SIZE, 0);
    teg->l2.ways = (unsigned)machine_get(machine, MACHINE_L2_WAYS, 16);
    teg->dram = shared_level(teg, dram, memory_ticks(teg, latency));
    teg->write_cost = write_cost(machine);
    double atomic = machine_get(machine, MACHINE_L2_ATOMIC_CYCLES, ATOMIC_CYCLES);
    teg->atomic = off(teg, EFFECT_BANDWIDTH) ? 0 : ticks(atomic);
    /* Kepler and the first Maxwell keep plain global loads out of the L1 (doc/caches.md). */
    unsigned cc = machine->cc_major * 10 + machine->cc_minor;
    teg->fills_lines = machine_get(machine, MACHINE_GLOBAL_CACHED_LOAD, SECTOR) >= 4 * SECTOR;
    teg->l1_keeps_stores = cc >= 70;
    teg->tags = cc >= 70 ? TAGS : 0;
    teg->l1_loads = cc < 30 || cc >= 60;
}

static void set_global(struct teg_machine *teg, const struct model_input *input)
{
    const struct machine *machine = teg->machine;
    double clock = machine_get(machine, MACHINE_CLOCK_CORE, 1);
    double lanes = machine_get(machine, MACHINE_GLOBAL_LOAD_STORE_LANES, WARP_LANES);
    teg->rule = coalescing_rule_of(machine);
    teg->min_segment = (unsigned)machine_get(machine, MACHINE_GLOBAL_MIN_SEGMENT, 32);
    teg->initial_segment = (unsigned)machine_get(machine, MACHINE_GLOBAL_INITIAL_SEGMENT, 128);
    teg->request = ticks(WARP_LANES / fmax(1, lanes));
    double sms = machine_get(machine, MACHINE_SM_COUNT, 1);
    teg->active_sms = (unsigned)fmax(1, fmin((double)profile_blocks(input->profile), sms));
    if (teg->rule == RULE_IS_SECTOR) {
        teg->line = teg->fill = off(teg, EFFECT_BANDWIDTH) ? 0 : TEG_CYCLE;
        set_cached(teg, clock);
    } else {
        set_uncached(teg, clock);
    }
    set_channels(teg, clock);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void tell_guesses(const struct teg_machine *teg, const struct model_input *input,
                         struct estimate *out)
{
    struct strbuf names = {0};
    for (unsigned i = 0; i < CLASS_COUNT; i++) {
        bool used = profile_get(input->profile, (enum counter)(COUNTER_INST_WARP_FIRST + i)) > 0;
        if (used && teg->guessed >> i & 1 && i != CLASS_FENCE)
            strbuf_printf(&names, "%s%s", names.length ? ", " : "", class_ids[i]);
    }
    if (names.length)
        estimate_assume(out, input->arena,
                        "throughput of %s unknown: assumed as fp32.fma; divisions as %d fp32.fma",
                        names.data, DIVISION_FACTOR);
    strbuf_clear(&names);
}

static void tell_atomics(const struct model_input *input, struct estimate *out)
{
    const enum counter atomics = COUNTER_INST_WARP_FIRST + CLASS_MEM_GLOBAL_ATOMIC;
    if (machine_has(input->machine, MACHINE_L2_ATOMIC_CYCLES)) return;
    if (!(profile_get(input->profile, atomics) > 0)) return;
    if (coalescing_rule_of(input->machine) == RULE_IS_SECTOR)
        estimate_assume(out, input->arena,
                        "atomics on one address serialise in the L2: %d cycle per lane assumed",
                        ATOMIC_CYCLES);
}

/* From cc 7.0 on, where the file does not say: cycles of a one-block launch on a Quadro GV100 in which no SM is
 * active, 1,300 to 1,540 (accuracy/gv100.csv). An empty kernel takes 2,300 to 2,600 there: the rest is its
 * cold fetch. */
enum { LAUNCH_CYCLES = 1400 };

/* An SM is dealt at most one block a cycle (Accel-Sim: one a core and cycle). */
enum { DEAL_CYCLES = 1 };

static void set_launch(struct teg_machine *teg, const struct model_input *input,
                       struct estimate *out)
{
    const struct machine *machine = teg->machine;
    bool is_told = machine_has(machine, MACHINE_LAUNCH_CYCLES);
    double otherwise = machine->cc_major < 7 ? 0 : LAUNCH_CYCLES;
    if (off(teg, EFFECT_LAUNCH)) return;
    if (machine->cc_major >= 7) teg->deal = ticks(DEAL_CYCLES);
    teg->launch = ticks(machine_get(machine, MACHINE_LAUNCH_CYCLES, otherwise));
    if (!is_told && otherwise > 0)
        estimate_assume(out, input->arena, "launch overhead unknown: %.0f cycles of a Quadro GV100",
                        otherwise);
}

/* Volta: Jia et al. 2018; Turing: the same 2019; later and the SM's cache: Huerta et al. 2025, who measured that a
 * constant which the SM's cache has, but not that of the part, delays an issue by 79 cycles. */
enum { FETCH_KIB_VOLTA = 12, FETCH_KIB_TURING = 16, FETCH_KIB_LATER = 32, FETCH_KIB_SM = 128 };
static const double FETCH_MISS_CYCLES = 79;

static void set_fetch(struct teg_machine *teg)
{
    unsigned cc = teg->machine->cc_major * 10 + teg->machine->cc_minor;
    unsigned kib = cc < 75 ? FETCH_KIB_VOLTA : cc < 80 ? FETCH_KIB_TURING : FETCH_KIB_LATER;
    teg->fetch = (struct teg_fetch_machine){
        .is_used = cc >= 70 && teg->rule == RULE_IS_SECTOR && !off(teg, EFFECT_FETCH),
        .hop = ticks(FETCH_MISS_CYCLES / 2),
        .l0_bytes = kib * UINT64_C(1024),
        .l1_bytes = FETCH_KIB_SM * UINT64_C(1024),
    };
}

/* Huerta et al. 2025, table 1, an A6000: the address unit of a part takes a memory instruction in four cycles, the
 * path of the SM one in two, with 16 load/store units. Volta, A100 and Hopper have 32 (NVIDIA's white
 * papers). */
enum { ADDRESS_CYCLES = 4, LOAD_STORE_UNITS = 16 };

static void set_path(struct teg_machine *teg)
{
    const struct machine *machine = teg->machine;
    unsigned cc = machine->cc_major * 10 + machine->cc_minor;
    bool has_half = cc == 75 || (cc > 80 && cc < 90) || cc >= 110;
    double lanes = machine_get(machine, MACHINE_GLOBAL_LOAD_STORE_LANES,
                               has_half ? LOAD_STORE_UNITS : WARP_LANES);
    teg->path = (struct teg_path_machine){
        .is_used = machine->cc_major >= 7,
        .address = ticks(ADDRESS_CYCLES),
        .shared = ticks(WARP_LANES / fmax(1, lanes)),
    };
}

/* What ptxas 13.0 leaves between dependent instructions, for cc 7.5 and for 8.0 to 12.0: 4 cycles in a pipe and
 * 5 from one to the other; 6 or 4 to special functions; 8 or 5 to memory; 12 or 13 from a compare to a
 * guard. Huerta et al. (MICRO 2025, listing 3) have the 5 to an address, too. */
static const struct {
    unsigned cross, special, memory, guard, control;
} distances[] = {{1, 2, 4, 8, 5}, {1, 0, 1, 9, 5}};

static void set_distances(struct teg_machine *teg)
{
    unsigned later = teg->machine->cc_major >= 8;
    if (teg->machine->cc_major < 7 || off(teg, EFFECT_INST_LATENCY)) return;
    teg->distances = (struct teg_distances){
        .cross = ticks(distances[later].cross),
        .special = ticks(distances[later].special),
        .memory = ticks(distances[later].memory),
        .guard = ticks(distances[later].guard),
        .control = ticks(distances[later].control),
    };
}

/* Huerta et al., MICRO 2025: a stall of 0 that yields is 46 cycles (their configurations). The others: until an
 * instruction that overwrites a source may issue (table 2, WAR, an RTX A6000; addresses in regular registers), for stores of
 * one word, and 2 more for each word more. Of special functions and conversions it is not told (guess). */
enum {
    ASLEEP_CYCLES = 46,
    READ_LOAD_CYCLES = 11,
    READ_SHARED_LOAD_CYCLES = 9,
    READ_CONSTANT_CYCLES = 29,
    READ_STORE_CYCLES = 14,
    READ_SHARED_STORE_CYCLES = 12,
    READ_WORD_CYCLES = 2,
    READ_COPY_CYCLES = 13,
    READ_OTHER_CYCLES = 4
};

static void set_words(struct teg_machine *teg)
{
    bool is_off = off(teg, EFFECT_INST_LATENCY);
    teg->words = (struct teg_words_machine){
        .is_used = teg->machine->cc_major >= 7,
        .has_banks = teg->machine->cc_major >= 7,
        .asleep = is_off ? TEG_CYCLE : ticks(ASLEEP_CYCLES),
        .read_load = is_off ? 0 : ticks(READ_LOAD_CYCLES),
        .read_shared_load = is_off ? 0 : ticks(READ_SHARED_LOAD_CYCLES),
        .read_constant = is_off ? 0 : ticks(READ_CONSTANT_CYCLES),
        .read_copy = is_off ? 0 : ticks(READ_COPY_CYCLES),
        .read_store = is_off ? 0 : ticks(READ_STORE_CYCLES),
        .read_shared_store = is_off ? 0 : ticks(READ_SHARED_STORE_CYCLES),
        .read_word = is_off ? 0 : ticks(READ_WORD_CYCLES),
        .read_other = is_off ? 0 : ticks(READ_OTHER_CYCLES),
    };
}

enum { PARTS_MAX = UINT8_MAX / TEG_UNIT_COUNT };

ws_status teg_machine_read(struct diag *diag, const struct model_input *input, struct estimate *out,
                           struct teg_machine *teg)
{
    const struct machine *machine = input->machine;
    double latency;
    *teg = (struct teg_machine){
        .machine = machine, .effects_off = input->effects_off, .write_cost = 1};
    if (!machine_latency(machine, CLASS_FP32_FMA, &latency))
        return diag_error(diag, WS_ERR_NO_MODEL, "teg: %s does not define the latency of fp32.fma",
                          machine->id);
    teg->policy = machine->cc_major < 7 ? TEG_ROUND_ROBIN : TEG_GREEDY_YOUNGEST;
    teg->schedulers = (unsigned)fmax(1, machine_get(machine, MACHINE_ISSUE_SCHEDULERS, 1));
    teg->width = (unsigned)fmax(1, machine_get(machine, MACHINE_ISSUE_WIDTH, 1));
    teg->parts = (unsigned)fmin(machine_get(machine, MACHINE_SM_SUBPARTITIONS, 1), PARTS_MAX);
    double cycles = machine_get(machine, MACHINE_ISSUE_CYCLES, 1);
    teg->interval = ticks(machine_get(machine, MACHINE_ISSUE_INTERVAL, cycles));
    set_launch(teg, input, out);
    teg->scoreboard = (enum teg_scoreboard)machine_get(machine, MACHINE_ISSUE_SCOREBOARD,
                                                       TEG_SCOREBOARD_REGISTERS);
    teg->merges = off(teg, EFFECT_DIVERGENCE);
    set_classes(teg, input->profile);
    set_shared(teg, input, out);
    set_global(teg, input);
    set_fetch(teg);
    set_path(teg);
    set_distances(teg);
    set_words(teg);
    tell_guesses(teg, input, out);
    tell_atomics(input, out);
    return WS_OK;
}

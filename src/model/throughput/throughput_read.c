// SPDX-License-Identifier: Apache-2.0
/* Cases of the throughput model from a profile, or from inputs by hand. What counts as what:
 * doc/models/throughput.md. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/core/accesses.h"
#include "model/core/class_mix.h"
#include "model/core/estimate.h"
#include "model/core/prices.h"
#include "model/throughput/throughput_case.h"

/* ---- instructions ---------------------------------------------------------------------------- */

static enum tp_kind kind_of(enum insn_class id)
{
    double flops = class_flops(id);
    return flops > 1              ? TP_KIND_FUSED
           : flops > 0            ? TP_KIND_FP
           : class_is_integer(id) ? TP_KIND_INTEGER
           : class_is_memory(id)  ? TP_KIND_MEMORY
                                  : TP_KIND_MISC;
}

/* Cycles of an SM that a warp instruction takes. The thesis has one, with 32 lanes an SM and every
 * class at full rate; here the class's own throughput, never faster than the SM issues. */
static double class_cycles(const struct model_input *input, enum insn_class id)
{
    double lanes, issue = price_issue_cycles(input->machine);
    if (model_without(input, EFFECT_LONG_INSTRUCTIONS)) id = CLASS_FP32_ADD;
    bool priced = price_by_throughput(id) && machine_throughput(input->machine, id, &lanes);
    return priced && lanes > 0 ? fmax(issue, WARP_LANES / lanes) : issue;
}

static void read_kinds(const struct model_input *input, double warps, struct tp_case *c)
{
    double counted = 0, total = profile_get(input->profile, COUNTER_INST_WARP) / warps;
    for (unsigned i = 0; i < CLASS_COUNT; i++) {
        double count =
            profile_get(input->profile, (enum counter)(COUNTER_INST_WARP_FIRST + i)) / warps;
        counted += count;
        c->kind_insts[kind_of(i)] += count;
        c->kind_cycles[kind_of(i)] += count * class_cycles(input, i);
    }
    double rest = fmax(0, total - counted);
    c->kind_insts[TP_KIND_MISC] += rest;
    c->kind_cycles[TP_KIND_MISC] += rest * price_issue_cycles(input->machine);
    if (!model_without(input, EFFECT_DIVERGENCE)) return;
    for (unsigned i = 0; i < TP_KINDS; i++)
        c->kind_cycles[i] *= active_lane_share(input->profile);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Terms of mwp-cwp for the same pair: N, waves, Mem_L, MWP_Proc. */
static double prior_term(const struct model_input *input, const char *id, double otherwise)
{
    const struct estimate *mwp = estimate_of(input->prior, input->prior_count, MODEL_MWP_CWP);
    const struct term *term = mwp ? estimate_term(mwp, id) : NULL;
    return term ? term->value : otherwise;
}

/* Latency and bytes of an access go together (section 5.3.8): what u transactions take, and move. */
static void read_memory(const struct model_input *input, double warps, struct tp_case *c)
{
    struct accesses all =
        accesses_sum(input->profile, ACCESS_ALL, coalescing_rule_of(input->machine));
    double requests = all.parts[ACCESS_REQUESTS];
    c->program.mem = requests / warps;
    c->program.mstr = fmax(1, profile_get(input->profile, COUNTER_MEM_MSTR));
    if (!(requests > 0)) return;
    c->program.bytes_per_warp = all.parts[ACCESS_BYTES_MOVED] / requests;
    c->device.mem_latency = prior_term(input, "mem_l", 0);
    c->device.mwp_proc = prior_term(input, "mwp_without_bw_full", 0);
    if (model_without(input, EFFECT_UNCOALESCED)) {
        c->program.bytes_per_warp = accesses_ideal_bytes(&all) / requests;
        c->device.mem_latency = prior_term(input, "mem_l_coal", c->device.mem_latency);
        c->device.mwp_proc = c->device.mem_latency / prior_term(input, "dep_coal", 1);
    }
    if (model_without(input, EFFECT_MEM_LATENCY)) c->device.mem_latency = 1;
}

/* Where nothing is known of caches all accesses go to DRAM, but for the loads of what is in the L2 before. */
static void read_found(const struct model_input *input, struct tp_case *c)
{
    double loads = profile_get(input->profile, COUNTER_MEM_GLOBAL_LOAD_SECTORS32);
    double stores = profile_get(input->profile, COUNTER_MEM_GLOBAL_STORE_SECTORS32);
    if (!(input->l2.share * loads > 0)) return;
    c->has_caches = true;
    c->l1_hits = 0;
    c->l2_hits = input->l2.share * loads / (loads + stores);
    c->dram_share = 1 - c->l2_hits;
    c->l2_latency = machine_get(input->machine, MACHINE_L2_LATENCY, c->device.mem_latency);
    if (model_without(input, EFFECT_MEM_LATENCY)) c->l2_latency = 1;
}

static void read_caches(const struct model_input *input, struct tp_case *c)
{
    const struct cache_section *caches = input->caches;
    if (!caches) {
        read_found(input, c);
        return;
    }
    const uint64_t *counts = caches->counts;
    double all = (double)(counts[CACHE_COUNT_LOADS] + counts[CACHE_COUNT_STORES] +
                          counts[CACHE_COUNT_ATOMICS]);
    if (!(all > 0)) return;
    double to_l2 = (double)(counts[CACHE_COUNT_L2_LOADS] + counts[CACHE_COUNT_STORES] +
                            counts[CACHE_COUNT_ATOMICS]);
    double read = (double)counts[CACHE_COUNT_DRAM_READ];
    c->has_caches = true;
    c->l1_hits = (double)counts[CACHE_COUNT_L1_HITS] / all;
    c->l2_hits = to_l2 > 0 ? fmax(0, 1 - read / to_l2) : 0;
    c->dram_share = fmin(1, (read + (double)counts[CACHE_COUNT_DRAM_WRITTEN]) / all);
    c->l2_latency = machine_get(input->machine, MACHINE_L2_LATENCY, c->device.mem_latency);
    if (model_without(input, EFFECT_MEM_LATENCY)) c->l2_latency = 1;
}

/* ---- by hand --------------------------------------------------------------------------------- */

static bool is_given(const struct model_input *input, enum tp_input which, double *out)
{
    char key[64];
    snprintf(key, sizeof key, "tp.%s", tp_input_infos[which].id);
    *out = model_option_number(input, key, NAN);
    return !isnan(*out);
}

/* A number of instructions of a kind, at the kind's price: that of its instructions so far, else that of
 * its plainest class. */
static void set_kind(const struct model_input *input, struct tp_case *c, enum tp_kind kind,
                     double count)
{
    static const enum insn_class plainest[TP_KINDS] = {
        [TP_KIND_FP] = CLASS_FP32_ADD,     [TP_KIND_FUSED] = CLASS_FP32_FMA,
        [TP_KIND_INTEGER] = CLASS_INT_ADD, [TP_KIND_MEMORY] = CLASS_MEM_GLOBAL_LOAD,
        [TP_KIND_MISC] = CLASS_CONTROL,
    };
    double price = c->kind_insts[kind] > 0 ? c->kind_cycles[kind] / c->kind_insts[kind]
                                           : class_cycles(input, plainest[kind]);
    c->kind_insts[kind] = count;
    c->kind_cycles[kind] = count * price;
}

static void set_instructions(const struct model_input *input, struct tp_case *c)
{
    struct tp_program *p = &c->program;
    const struct {
        enum tp_input input;
        double *to;
    } counts[] = {{TP_INPUT_FP, &p->fp},           {TP_INPUT_FP_FUSED, &p->fp_fused},
                  {TP_INPUT_FP_VEC, &p->fp_vec},   {TP_INPUT_FP_VEC_FUSED, &p->fp_vec_fused},
                  {TP_INPUT_INTEGER, &p->integer}, {TP_INPUT_BR_MISC, &p->br_misc},
                  {TP_INPUT_MEM, &p->mem},         {TP_INPUT_MSTR, &p->mstr},
                  {TP_INPUT_ILP, &p->ilp},         {TP_INPUT_SSE_ILP, &p->sse_ilp},
                  {TP_INPUT_DEP, &p->dep},         {TP_INPUT_N, &p->n}};
    bool changed[TP_INPUT_COUNT] = {0};
    double value, waves = c->waves * p->n; /* the work stays */
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (!is_given(input, counts[i].input, &value)) continue;
        *counts[i].to = value;
        changed[counts[i].input] = true;
    }
    if (c->waves > 0 && changed[TP_INPUT_N]) c->waves = waves / p->n;
    if (changed[TP_INPUT_FP] || changed[TP_INPUT_FP_VEC])
        set_kind(input, c, TP_KIND_FP, p->fp + p->fp_vec);
    if (changed[TP_INPUT_FP_FUSED] || changed[TP_INPUT_FP_VEC_FUSED])
        set_kind(input, c, TP_KIND_FUSED, p->fp_fused + p->fp_vec_fused);
    if (changed[TP_INPUT_INTEGER]) set_kind(input, c, TP_KIND_INTEGER, p->integer);
    if (changed[TP_INPUT_MEM]) set_kind(input, c, TP_KIND_MEMORY, p->mem);
    if (changed[TP_INPUT_BR_MISC]) set_kind(input, c, TP_KIND_MISC, p->br_misc);
}

/* Pieces of `unit` bytes that a warp touches whose lanes are `distance` bytes apart. */
static double pieces(double bytes, double distance, double unit)
{
    double count = 0, reached = -1; /* the last piece that was touched */
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        double first = floor(lane * distance / unit);
        double last = floor((lane * distance + bytes - 1) / unit);
        count += fmax(0, last - fmax(first - 1, reached));
        reached = fmax(reached, last);
    }
    return count;
}

/* Bytes_per_thread and DistanceMemBytes: what an access of a warp moves and how long it takes, (10) to
 * (16) of chapter II. */
static void set_access(const struct model_input *input, struct tp_case *c)
{
    const struct machine *machine = input->machine;
    bool bytes = is_given(input, TP_INPUT_BYTES, &c->bytes_per_thread);
    bool distance = is_given(input, TP_INPUT_DISTANCE, &c->distance_bytes);
    if (!bytes && !distance) {
        c->bytes_per_thread = c->distance_bytes = 0;
        return;
    }
    if (!bytes) c->bytes_per_thread = 4;
    if (!distance) c->distance_bytes = c->bytes_per_thread;
    bool sectors = coalescing_rule_of(machine) == RULE_IS_SECTOR;
    double line = machine_get(machine, MACHINE_GLOBAL_INITIAL_SEGMENT, 128);
    double least = sectors ? machine_get(machine, MACHINE_GLOBAL_MIN_SEGMENT, 32) : line;
    double lines = pieces(c->bytes_per_thread, c->distance_bytes, line);
    double coalesced = ceil(WARP_LANES * c->bytes_per_thread / line);
    bool scattered = lines > coalesced;
    double delay = machine_get(machine, MACHINE_DEPARTURE_COALESCED, 0), u = scattered ? lines : 1;
    if (scattered) delay = machine_get(machine, MACHINE_DEPARTURE_UNCOALESCED, 0);
    c->program.bytes_per_warp = least * pieces(c->bytes_per_thread, c->distance_bytes, least);
    c->device.mem_latency = machine_get(machine, MACHINE_DRAM_LATENCY, 0) + (u - 1) * delay;
    c->device.mwp_proc = delay > 0 ? c->device.mem_latency / (delay * u) : 0;
}

static ws_status contradicts(struct diag *diag, const char *what, const char *why)
{
    return diag_error(diag, WS_ERR_ARGUMENT, "%s: %s", what, why);
}

static ws_status check_case(struct diag *diag, const struct model_input *input,
                            const struct tp_case *c)
{
    double most = machine_get(input->machine, MACHINE_SM_MAX_WARPS, INFINITY), n = c->program.n;
    double insts = 0, given;
    if (is_given(input, TP_INPUT_N, &given) && n > most)
        return diag_error(diag, WS_ERR_ARGUMENT, "n: an SM of %s holds at most %g warps (got %g)",
                          input->machine->name, most, n);
    for (unsigned i = 0; i < TP_KINDS; i++)
        insts += c->kind_insts[i];
    if (!(insts > 0))
        return diag_error(diag, WS_ERR_NO_MODEL, "throughput: no instructions%s",
                          input->profile ? "" : ": set fp_insts, int_insts, mem_insts ...");
    if (is_given(input, TP_INPUT_MSTR, &given) && c->program.mem > 0 && given > c->program.mem)
        return contradicts(diag, "mem_indep_strength", "exceeds mem_insts");
    if (is_given(input, TP_INPUT_MSTR, &given) && given > 1 && !(c->program.mem > 0))
        return contradicts(diag, "mem_indep_strength", "greater than 1, but mem_insts is 0");
    if (c->program.mem > 0 && !(c->program.bytes_per_warp > 0) && c->cache != TP_CACHE_L1)
        return contradicts(diag, "mem_insts", "requires bytes_per_thread, the bytes of an access");
    return WS_OK;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void read_device(const struct model_input *input, struct tp_case *c)
{
    const struct machine *machine = input->machine;
    c->device.freq_hz = machine_get(machine, MACHINE_CLOCK_CORE, 0);
    c->device.mem_bandwidth = machine_get(machine, MACHINE_DRAM_BANDWIDTH, 0);
    if (model_without(input, EFFECT_BANDWIDTH)) c->device.mem_bandwidth = INFINITY;
    if (!machine_latency(machine, CLASS_FP32_FMA, &c->device.inst_latency))
        c->device.inst_latency = 1;
    if (model_without(input, EFFECT_INST_LATENCY)) c->device.inst_latency = 1;
    c->program.ilp = c->program.sse_ilp = 1; /* a warp issues in order, one at a time */
}

ws_status tp_case_read(struct diag *diag, const struct model_input *input, struct tp_case *out)
{
    double warps = executed_warps(input->profile);
    read_device(input, out);
    out->device.cores = price_active_sms(input);
    /* SMs with fewer blocks than others ask for less: reading A-14 of mwp-cwp. */
    out->device.mem_bandwidth *=
        out->device.cores / prior_term(input, "sharing_sms", out->device.cores);
    out->program.n = prior_term(input, "n", 1);
    out->program.dep = fmax(1, profile_get(input->profile, COUNTER_DEP_DISTANCE));
    out->waves = prior_term(input, "rep", 1);
    read_kinds(input, warps, out);
    out->program.fp = out->kind_insts[TP_KIND_FP];
    out->program.fp_fused = out->kind_insts[TP_KIND_FUSED];
    out->program.integer = out->kind_insts[TP_KIND_INTEGER];
    out->program.br_misc = out->kind_insts[TP_KIND_MISC];
    read_memory(input, warps, out);
    read_caches(input, out);
    set_instructions(input, out);
    set_access(input, out);
    return check_case(diag, input, out);
}

ws_status tp_case_by_hand(struct diag *diag, const struct model_input *input, struct tp_case *out)
{
    static const enum machine_key needs[] = {MACHINE_SM_COUNT, MACHINE_CLOCK_CORE,
                                             MACHINE_DRAM_BANDWIDTH, MACHINE_DRAM_LATENCY};
    double n;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (!machine_has(input->machine, needs[i]))
            return diag_error(diag, WS_ERR_NO_MODEL,
                              "throughput: requires machine %s, which %s does not define",
                              machine_key_infos[needs[i]].path, input->machine->name);
    if (!is_given(input, TP_INPUT_N, &n))
        return contradicts(diag, "n", "is required without a kernel: the warps per SM");
    read_device(input, out);
    out->device.cores = machine_get(input->machine, MACHINE_SM_COUNT, 0);
    out->program.mstr = out->program.dep = 1;
    set_instructions(input, out);
    set_access(input, out);
    return check_case(diag, input, out);
}

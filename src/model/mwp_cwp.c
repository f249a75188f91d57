// SPDX-License-Identifier: Apache-2.0
/* The model mwp-cwp: from profile and machine to the closed form of mwp_cwp_equations.c. What
 * counts as what: doc/models/mwp-cwp.md. */
#include "model/mwp_cwp.h"
#include "base/quantity.h"

#include <math.h>

#include "model/core/accesses.h"
#include "model/core/estimate.h"
#include "model/core/prices.h"
#include "model/warp_parallelism.h"

extern const struct model model_mwp_cwp;

/* ---- instructions ---------------------------------------------------------------------------- */

/* M of a class: issue slots that one warp instruction takes. Table 6 of the thesis is 8 lanes over
 * the class's throughput with 8 lanes busy in every issue cycle; written with the issue rate it
 * also holds where the widest pipe is narrower than the issue (64 lanes, 4 schedulers: M = 2). */
static double class_m_factor(const struct machine *machine, enum insn_class id, bool *known)
{
    double lanes;
    *known = machine_throughput(machine, id, &lanes) && lanes > 0;
    return *known ? fmax(1, WARP_LANES / lanes / price_issue_cycles(machine)) : 1;
}

/* Mean M over all instructions: Σ M_i I_i / Σ I_i (thesis 2.6.6, M_Factor). */
static double mean_m_factor(const struct model_input *input, struct estimate *out)
{
    const struct profile *profile = input->profile;
    double total = profile_get(profile, COUNTER_INST_WARP), slots = 0, counted = 0;
    bool known;
    double add = class_m_factor(input->machine, CLASS_FP32_ADD, &known);
    for (unsigned i = 0; i < CLASS_COUNT; i++) {
        double count = profile_get(profile, (enum counter)(COUNTER_INST_WARP_FIRST + i));
        if (!(count > 0)) continue;
        double m = 1;
        if (price_by_throughput(i)) {
            m = class_m_factor(input->machine, i, &known);
            if (!known)
                estimate_assume(out, input->arena,
                                "%s: throughput unknown on this GPU, one issue slot assumed",
                                class_ids[i]);
        }
        if (model_without(input, EFFECT_LONG_INSTRUCTIONS)) m = fmin(m, add);
        slots += m * count;
        counted += count;
    }
    if (!(counted > 0))
        estimate_assume(
            out, input->arena,
            "the profile has no counts by class: one issue slot per instruction assumed");
    if (counted < total) slots += total - counted;
    return slots / fmax(total, counted);
}

/* ---- delays ---------------------------------------------------------------------------------- */

/* Published departure delays, else modelled ones (doc/models/mwp-cwp.md#inputs). */
static void read_delays(const struct model_input *input, struct mwp_cwp_input *in,
                        struct estimate *out)
{
    const struct machine *machine = input->machine;
    in->mem_ld = machine_get(machine, MACHINE_DRAM_LATENCY, 0);
    double lanes = machine_get(machine, MACHINE_GLOBAL_LOAD_STORE_LANES, WARP_LANES);
    in->dep_coal = machine_get(machine, MACHINE_DEPARTURE_COALESCED, WARP_LANES / lanes);
    if (!machine_has(machine, MACHINE_DEPARTURE_COALESCED)) {
        bool known = machine_has(machine, MACHINE_GLOBAL_LOAD_STORE_LANES);
        estimate_assume(out, input->arena,
                        "Departure_del_coal modelled: 32 / %.0f load-store lanes%s = %s", lanes,
                        known ? "" : " (assumed)", quantity_of(in->dep_coal, "cycle").text);
    }
    if (machine_has(machine, MACHINE_DEPARTURE_UNCOALESCED)) {
        in->dep_uncoal = machine_get(machine, MACHINE_DEPARTURE_UNCOALESCED, 0);
    } else {
        double sms = machine_get(machine, MACHINE_SM_COUNT, 1); /* 32 B at an SM's share */
        if (in->readings.joined) sms = mwp_cwp_sharing_sms(in);
        in->dep_uncoal = fmax(in->dep_coal, 32 * in->freq_hz * sms / in->mem_bandwidth);
        estimate_assume(out, input->arena,
                        "Departure_del_uncoal modelled: 32 B at an SM's share of the bandwidth = "
                        "%s",
                        quantity_of(in->dep_uncoal, "cycle").text);
    }
    if (model_without(input, EFFECT_MEM_LATENCY)) in->mem_ld = 1;
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* Bytes of all accesses (reading A-8): what the machine's transactions move; those that the lanes ask
 * for, each its own, in the paper's reading or where a profile by hand does not tell more. */
static double access_bytes(const struct model_input *input, struct estimate *out)
{
    enum { MOVED };
    double bytes = 0, moved = 0, requested = 0;
    enum coalescing_rule rule = coalescing_rule_of(input->machine);
    bool as_moved = model_option_get(&model_mwp_cwp, input, "bytes") == MOVED;
    for (unsigned op = 0; op < ACCESS_OP_COUNT; op++) {
        enum counter counter = access_counter(op, ACCESS_BYTES_MOVED, rule);
        struct accesses one = accesses_read(input->profile, op, rule);
        double asked = one.parts[ACCESS_BYTES_REQUESTED];
        moved += one.parts[ACCESS_BYTES_MOVED];
        requested += asked;
        if (as_moved && asked > 0 && !profile_has(input->profile, counter))
            estimate_assume(
                out, input->arena,
                "%s is not in the profile: bytes requested by lanes used as bytes moved",
                counter_infos[counter].id);
        if (!as_moved || !profile_has(input->profile, counter))
            bytes += asked;
        else if (model_without(input, EFFECT_UNCOALESCED))
            bytes += accesses_ideal_bytes(&one);
        else
            bytes += one.parts[ACCESS_BYTES_MOVED];
    }
    if (!as_moved && moved > 0 && moved < 0.9 * requested)
        estimate_assume(out, input->arena,
                        "lanes that read the same word count separately: %s requested, %s moved "
                        "(reading A-8)",
                        quantity_format(requested, "B").text, quantity_format(moved, "B").text);
    return bytes;
}

/* Ic, Imc, Imu, u and bytes per access, with the accesses as the machine coalesces them. */
static void read_accesses(const struct model_input *input, double warps, struct mwp_cwp_input *in,
                          struct estimate *out)
{
    struct accesses all =
        accesses_sum(input->profile, ACCESS_ALL, coalescing_rule_of(input->machine));
    const double *parts = all.parts;
    double requests = parts[ACCESS_REQUESTS], uncoalesced = parts[ACCESS_UNCOALESCED];
    in->uncoal_mem_insts = uncoalesced / warps;
    in->coal_mem_insts = (requests - uncoalesced) / warps;
    in->uncoal_per_mw = uncoalesced > 0 ? parts[ACCESS_UNCOALESCED_TRANSACTIONS] / uncoalesced : 1;
    in->load_bytes_per_warp = requests > 0 ? access_bytes(input, out) / requests : 0;
    if (model_without(input, EFFECT_UNCOALESCED)) {
        in->coal_mem_insts += in->uncoal_mem_insts;
        in->uncoal_mem_insts = 0;
        in->uncoal_per_mw = 1;
    }
}

static void read_counts(const struct model_input *input, struct mwp_cwp_input *in,
                        struct estimate *out)
{
    const struct profile *profile = input->profile;
    double warps = executed_warps(profile);
    in->total_insts = profile_get(profile, COUNTER_INST_WARP) / warps;
    in->synch_insts = profile_get(profile, COUNTER_BARRIER_WARP) / warps;
    in->mem_req = profile_get(profile, COUNTER_MEM_LOADS);
    in->ind_mem_req = profile_get(profile, COUNTER_MEM_INDEPENDENT);
    read_accesses(input, warps, in, out);
    if (!profile_has(profile, COUNTER_BARRIER_WARP))
        estimate_assume(out, input->arena, "barrier.warp is not in the profile: assumed 0");
    if (!profile_has(profile, COUNTER_MEM_INDEPENDENT))
        estimate_assume(
            out, input->arena,
            "mem.independent is not in the profile: loads assumed dependent, one after another");
    if (model_without(input, EFFECT_SYNC)) in->synch_insts = 0;
    if (model_without(input, EFFECT_DIVERGENCE)) {
        /* Full warps: fewer instructions, the same transactions and bytes. */
        double share = active_lane_share(profile);
        in->total_insts *= share;
        in->coal_mem_insts *= share;
        in->uncoal_mem_insts *= share;
        in->uncoal_per_mw /= share;
        in->load_bytes_per_warp /= share;
    }
}

/* ---- the answer ------------------------------------------------------------------------------ */

static struct mwp_cwp_readings read_options(const struct model_input *input)
{
    const struct model *self = &model_mwp_cwp;
    return (struct mwp_cwp_readings){
        .mem_l_coal = (enum mwp_mem_l_coal)model_option_get(self, input, "mem_l_coal"),
        .case_policy = (enum mwp_case_policy)model_option_get(self, input, "case_policy"),
        .npw = (enum mwp_npw)model_option_get(self, input, "npw"),
        .rep = (enum mwp_rep)model_option_get(self, input, "rep"),
        .joined = model_option_get(self, input, "cases") == 0,
    };
}

/* Of an SM. A scheduler serves its own warps only: fewer warps than schedulers leave some idle. */
static double issue_cycles(const struct machine *machine, double warps)
{
    double schedulers = machine_get(machine, MACHINE_ISSUE_SCHEDULERS, 1);
    return machine_get(machine, MACHINE_ISSUE_CYCLES, 1) / fmax(1, fmin(schedulers, warps));
}

static void read_input(const struct model_input *input, struct mwp_cwp_input *in,
                       struct estimate *out)
{
    const struct machine *machine = input->machine;
    double blocks = (double)profile_blocks(input->profile);
    *in = (struct mwp_cwp_input){
        .freq_hz = machine_get(machine, MACHINE_CLOCK_CORE, 0),
        .mem_bandwidth = machine_get(machine, MACHINE_DRAM_BANDWIDTH, 0),
        .active_sms = price_active_sms(input),
        .warp_size = machine_get(machine, MACHINE_SM_WARP_SIZE, WARP_LANES),
        .threads_per_block = profile_threads_per_block(input->profile),
        .blocks = blocks,
        .active_blocks_per_sm = input->occupancy.blocks_per_sm,
        .readings = read_options(input),
    };
    if (model_without(input, EFFECT_BANDWIDTH)) in->mem_bandwidth = INFINITY;
    read_delays(input, in, out);
    read_counts(input, in, out);
    in->m_factor = mean_m_factor(input, out);
    double schedulers = machine_get(machine, MACHINE_ISSUE_SCHEDULERS, 1);
    double resident = fmin(in->active_blocks_per_sm, ceil(blocks / in->active_sms));
    in->issue_cycles =
        issue_cycles(machine, resident * ceil(in->threads_per_block / in->warp_size));
    if (schedulers > 1)
        estimate_assume(
            out, input->arena,
            "the paper assumes one scheduler per SM; here %s, so %s per warp instruction",
            quantity_of(schedulers, "scheduler").text, quantity_of(in->issue_cycles, "cycle").text);
}

static void write_terms(const struct mwp_cwp_input *in, const struct mwp_cwp_terms *t,
                        struct estimate *out)
{
#define TERM(id, value, unit, text) estimate_add_term(out, id, value, unit, text)
    bool memory = in->coal_mem_insts + in->uncoal_mem_insts > 0;
    TERM("mwp", t->mwp, "1", "MWP (5), (29)");
    TERM("cwp", t->cwp, "1", "CWP (9)");
    TERM("n", t->n, "1", "N, active warps per SM");
    TERM("case", t->case_number, "1", "case (21)-(23)");
    TERM("rep", t->rep, "1", "#Rep (20)");
    TERM("active_sms", in->active_sms, "1", "ASM, active SMs");
    TERM("sharing_sms", mwp_cwp_sharing_sms(in), "1", "SMs that share the bandwidth, A-14");
    TERM("active_blocks_per_sm", t->active_blocks, "1", "ABS, resident blocks per SM");
    if (memory) {
        TERM("mwp_without_bw_full", t->mwp_without_bw_full, "1", "MWP_Without_BW_full (16)");
        TERM("mwp_without_bw", t->mwp_without_bw, "1", "MWP_Without_BW (17)");
        TERM("mwp_peak_bw", t->mwp_peak_bw, "1", "MWP_peak_BW (6)");
        TERM("npw", t->npw, "1", "N_pw (28), reading A-6");
        TERM("cwp_full", t->cwp_full, "1", "CWP_full (8)");
        TERM("mem_l_uncoal", t->mem_l_uncoal, "cycle", "Mem_L_Uncoal (12)");
        TERM("mem_l_coal", t->mem_l_coal, "cycle", "Mem_L_Coal (13)");
        TERM("mem_l", t->mem_l, "cycle", "Mem_L (14)");
        TERM("departure_delay", t->departure_delay, "cycle", "Departure_delay (15)");
        TERM("dep_uncoal", in->dep_uncoal, "cycle", "Departure_del_uncoal");
        TERM("dep_coal", in->dep_coal, "cycle", "Departure_del_coal");
        TERM("uncoal_per_mw", in->uncoal_per_mw, "1", "#Uncoal_per_mw");
        TERM("load_bytes_per_warp", in->load_bytes_per_warp, "B", "Load_bytes_per_warp");
        TERM("bw_per_warp", t->bw_per_warp, "B/s", "BW_per_warp (7)");
    }
    TERM("comp_cycles", t->comp_cycles, "cycle", "Comp_cycles of a warp (18)");
    TERM("mem_cycles", t->mem_cycles, "cycle", "Mem_cycles of a warp (19)");
    TERM("total_insts", in->total_insts, "1", "instructions per warp");
    TERM("coal_mem_insts", in->coal_mem_insts, "1", "coalesced accesses per warp");
    TERM("uncoal_mem_insts", in->uncoal_mem_insts, "1", "uncoalesced accesses per warp");
    TERM("synch_insts", in->synch_insts, "1", "barriers per warp");
    TERM("issue_cycles", in->issue_cycles, "cycle", "Issue_cycles of an SM");
    TERM("m_factor", in->m_factor, "1", "M_Factor, mean over the instructions (30)");
    TERM("cpi", t->cpi, "cycle", "CPI (24)");
    TERM("exec_cycles", t->exec_cycles, "cycle", "Exec_cycles_app (21)-(23)");
    TERM("synch_cost", t->synch_cost, "cycle", "Synch_cost (25)");
    TERM("exec_cycles_synch", t->exec_cycles_synch, "cycle", "Exec_cycles with barriers (27)");
#undef TERM
}

/* What each resource alone would take. The longest is the bottleneck: that of the case, but for the
 * few kernels where the cases do not meet. */
static void name_bottleneck(const struct mwp_cwp_input *in, const struct mwp_cwp_terms *t,
                            struct estimate *out)
{
    enum { ISSUE, BANDWIDTH, DEPARTURE, LATENCY, SYNC, PARTS };
    bool uncoalesced = in->uncoal_mem_insts > 0;
    const enum component parts[PARTS] = {COMPONENT_ISSUE, COMPONENT_GLOBAL_BANDWIDTH,
                                         uncoalesced ? COMPONENT_UNCOALESCED
                                                     : COMPONENT_MEMORY_PORT,
                                         COMPONENT_MEMORY_LATENCY, COMPONENT_BARRIERS};
    static const char *const ids[PARTS] = {"t_issue", "t_bandwidth", "t_departure", "t_latency",
                                           "t_sync"};
    double cycles[PARTS] = {t->comp_cycles * t->n * t->rep, 0, 0, 0, t->synch_cost};
    if (t->mem_cycles > 0) {
        cycles[BANDWIDTH] = t->mem_cycles * t->n / t->mwp_peak_bw * t->rep;
        cycles[DEPARTURE] = t->mem_cycles * t->n / t->mwp_without_bw_full * t->rep;
        cycles[LATENCY] = t->mem_cycles * t->n / fmax(t->npw, t->n) * t->rep;
    }
    unsigned limit = ISSUE, next = PARTS;
    for (unsigned i = 0; i < PARTS; i++) {
        estimate_add_busy(out, ids[i], parts[i], cycles[i] / in->freq_hz);
        if (cycles[i] > cycles[limit]) limit = i;
    }
    for (unsigned i = 0; i < PARTS; i++)
        if (i != limit && (next == PARTS || cycles[i] > cycles[next])) next = i;
    out->bottleneck = parts[limit];
    out->next = cycles[next] > 0 ? parts[next] : COMPONENT_NONE;
}

/* MWP and CWP against the warps of an SM. */
static ws_status find_curve(struct diag *diag, const struct model_input *input,
                            const struct mwp_cwp_input *in, const struct mwp_cwp_terms *now,
                            struct estimate *out)
{
    struct warp_parallelism *curve = ARENA_ARRAY(input->arena, struct warp_parallelism, 1);
    double most = fmax(now->n, machine_get(input->machine, MACHINE_SM_MAX_WARPS, now->n));
    most = fmin(most, now->warps_per_block * ceil(in->blocks / in->active_sms));
    struct parallelism_point *points =
        ARENA_ARRAY(input->arena, struct parallelism_point, (size_t)most);
    for (double warps = 1; warps <= most; warps++) {
        struct mwp_cwp_input other = mwp_cwp_with_warps(in, warps);
        struct mwp_cwp_terms terms;
        other.issue_cycles = issue_cycles(input->machine, warps);
        TRY(mwp_cwp_predict(diag, &other, &terms));
        points[curve->count++] =
            (struct parallelism_point){.warps = (unsigned)warps,
                                       .mwp = terms.mwp,
                                       .cwp = terms.cwp,
                                       .seconds = terms.exec_cycles_synch / in->freq_hz,
                                       .case_number = terms.case_number};
    }
    curve->points = points;
    curve->here = (unsigned)now->n;
    out->details = curve;
    return WS_OK;
}

static ws_status predict(struct diag *diag, const struct model_input *input, struct estimate *out)
{
    struct mwp_cwp_input in;
    struct mwp_cwp_terms terms;
    read_input(input, &in, out);
    TRY(mwp_cwp_predict(diag, &in, &terms));
    out->cycles = terms.exec_cycles_synch;
    out->time_seconds = out->cycles / in.freq_hz;
    write_terms(&in, &terms, out);
    name_bottleneck(&in, &terms, out);
    if (coalescing_rule_of(input->machine) == RULE_IS_SECTOR)
        estimate_assume(out, input->arena,
                        "[W604] no caches modelled: all global and local accesses go to DRAM");
    if (terms.mem_cycles > 0 && terms.mwp < 1)
        estimate_assume(out, input->arena,
                        "MWP is below 1: one access needs more than an SM's share of the memory "
                        "system, a case that the paper leaves open (reading A-9)");
    if (!(terms.mem_cycles > 0) || input->effects_off || input->without_details) return WS_OK;
    return find_curve(diag, input, &in, &terms, out);
}

static const enum machine_key needs_machine[] = {
    MACHINE_SM_COUNT,     MACHINE_CLOCK_CORE,       MACHINE_DRAM_BANDWIDTH, MACHINE_DRAM_LATENCY,
    MACHINE_ISSUE_CYCLES, MACHINE_ISSUE_SCHEDULERS, MACHINE_GLOBAL_RULE,    MACHINE_KEY_COUNT};
static const enum counter needs_counters[] = {COUNTER_INST_WARP, COUNTER_COUNT};

static const struct model_option_info options[] = {
    {"mem_l_coal", (const char *const[]){"thesis", "slides", NULL},
     "Mem_L_Coal = Mem_LD + Departure_del_coal (thesis), or Mem_LD (slides)"},
    {"cases", (const char *const[]){"joined", "printed", NULL},
     "the longest of the three cases, or the one that (21)-(23) choose, which are discontinuous"},
    {"case_policy", (const char *const[]){"figure8", "printed", NULL},
     "case 2 only if Comp_cycles <= Mem_cycles (figure 8), or as (22) is printed"},
    {"npw", (const char *const[]){"ratio", "printed", NULL},
     "N_pw = N Mem_req / (Mem_req - Ind), or N Ind / (Mem_req - Ind) as (28) is printed"},
    {"rep", (const char *const[]){"fraction", "ceil", NULL}, "#Rep as a fraction, or whole waves"},
    {"bytes", (const char *const[]){"moved", "requested", NULL},
     "Load_bytes_per_warp: bytes moved by transactions, or bytes requested by lanes, as printed"},
};

const struct model model_mwp_cwp = {
    .name = "mwp-cwp",
    .reference = "S. Hong, PhD thesis, Georgia Tech 2012, chapter II; Hong and Kim, ISCA 2009",
    .about = "Overlap of memory requests across the warps of an SM (MWP) and of memory with "
             "computation (CWP). Made for GPUs without caches for global memory.",
    .needs_machine = needs_machine,
    .needs_counters = needs_counters,
    .needs_occupancy = true,
    .needs_accesses = true,
    .effects = 1u << EFFECT_UNCOALESCED | 1u << EFFECT_DIVERGENCE | 1u << EFFECT_SYNC |
               1u << EFFECT_LONG_INSTRUCTIONS | 1u << EFFECT_MEM_LATENCY | 1u << EFFECT_BANDWIDTH,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .predict = predict,
};

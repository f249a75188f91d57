// SPDX-License-Identifier: Apache-2.0
/* The equations of MWP-CWP, one function a step. Numbers in parentheses: Hong's thesis. */
#include "model/mwp_cwp.h"

#include <math.h>
#include <string.h>

/* MWP = N is decided on values that min() returned: equal up to rounding (reading A-3). */
static const double equal_tolerance = 1e-9;

static bool reaches(double value, double limit)
{
    return value >= limit * (1 - equal_tolerance);
}

void mwp_cwp_memory(const struct mwp_cwp_input *in, struct mwp_cwp_terms *out)
{
    double requests = in->uncoal_mem_insts + in->coal_mem_insts;
    out->mem_l_uncoal = in->mem_ld + (in->uncoal_per_mw - 1) * in->dep_uncoal;        /* (12) */
    out->mem_l_coal = in->mem_ld;                                                     /* slides */
    if (in->readings.mem_l_coal == MWP_MEM_L_THESIS) out->mem_l_coal += in->dep_coal; /* (13) */
    if (!(requests > 0)) return; /* no memory: Mem_L and the departure delay mean nothing */
    double wu = in->uncoal_mem_insts / requests,
           wc = in->coal_mem_insts / requests;                  /* (10), (11) */
    out->mem_l = out->mem_l_uncoal * wu + out->mem_l_coal * wc; /* (14) */
    out->departure_delay = in->dep_uncoal * in->uncoal_per_mw * wu + in->dep_coal * wc; /* (15) */
    out->mwp_without_bw_full = out->mem_l / out->departure_delay;                       /* (16) */
}

static double peak_bw(const struct mwp_cwp_input *in, double mem_l, double sms)
{
    double bw_per_warp = in->freq_hz * in->load_bytes_per_warp / mem_l; /* (7) */
    return in->mem_bandwidth / (bw_per_warp * sms);                     /* (6) */
}

double mwp_cwp_peak_bw(const struct mwp_cwp_input *in, double mem_l)
{
    return peak_bw(in, mem_l, in->active_sms);
}

double mwp_cwp_sharing_sms(const struct mwp_cwp_input *in)
{
    double resident = fmin(in->active_blocks_per_sm, ceil(in->blocks / in->active_sms));
    return in->readings.joined ? fmin(in->active_sms, in->blocks / resident) : in->active_sms;
}

double mwp_cwp_npw(enum mwp_npw reading, double n, double mem_req, double ind_mem_req)
{
    if (!(mem_req > 0)) return n;
    double dependent = fmax(mem_req - ind_mem_req, 1);
    if (reading == MWP_NPW_PRINTED) return n * ind_mem_req / dependent; /* (28) */
    return n * mem_req / dependent;
}

/* Blocks and warps of an SM, and how often it repeats (20): a grid that does not fill the GPU has
 * neither the warps of a full SM nor a fraction of a wave. */
static void place(const struct mwp_cwp_input *in, struct mwp_cwp_terms *out)
{
    out->warps_per_block = ceil(in->threads_per_block / in->warp_size);
    out->active_blocks = fmin(in->active_blocks_per_sm, ceil(in->blocks / in->active_sms));
    out->n = out->active_blocks * out->warps_per_block;
    out->rep = in->blocks / (out->active_blocks * in->active_sms);
    if (in->readings.rep == MWP_REP_CEIL) out->rep = ceil(out->rep);
    out->rep = fmax(1, out->rep);
}

struct mwp_cwp_input mwp_cwp_with_warps(const struct mwp_cwp_input *in, double warps)
{
    struct mwp_cwp_input out = *in;
    out.active_blocks_per_sm = warps / ceil(in->threads_per_block / in->warp_size);
    return out;
}

/* MWP (5), (17), (29) and CWP (8), (9). N_pw only replaces N in MWP (reading A-6). */
static void parallelism(const struct mwp_cwp_input *in, struct mwp_cwp_terms *out)
{
    double memory = in->coal_mem_insts + in->uncoal_mem_insts;
    out->comp_cycles = in->issue_cycles * in->m_factor * in->total_insts; /* (18), (30) */
    out->mem_cycles =
        out->mem_l_uncoal * in->uncoal_mem_insts + out->mem_l_coal * in->coal_mem_insts; /* (19) */
    out->npw = out->n;
    if (!(memory > 0)) {
        out->mwp = out->n;
        out->cwp = out->cwp_full = 1;
        return;
    }
    if (in->mem_req > 0 && in->ind_mem_req > 0)
        out->npw = mwp_cwp_npw(in->readings.npw, out->n, in->mem_req, in->ind_mem_req);
    out->comp_p = out->comp_cycles / memory; /* (2) */
    out->bw_per_warp = in->freq_hz * in->load_bytes_per_warp / out->mem_l;
    out->mwp_peak_bw = peak_bw(in, out->mem_l, mwp_cwp_sharing_sms(in));
    out->mwp_without_bw = fmin(out->mwp_without_bw_full, out->n);
    out->mwp = fmin(fmin(out->mwp_without_bw_full, out->mwp_peak_bw), out->npw);
    out->cwp_full = (out->mem_cycles + out->comp_cycles) / out->comp_cycles;
    out->cwp = fmin(out->cwp_full, out->n);
}

/* Which of the three pictures holds (reading A-2): they always cover everything. */
static int find_case(const struct mwp_cwp_input *in, const struct mwp_cwp_terms *terms)
{
    bool computes_longer = terms->comp_cycles > terms->mem_cycles;
    if (reaches(terms->mwp, terms->n) && reaches(terms->cwp, terms->n)) return 1;
    if (in->readings.case_policy == MWP_CASE_PRINTED)
        return terms->cwp >= terms->mwp || computes_longer ? 2 : 3;
    return terms->cwp >= terms->mwp && !computes_longer ? 2 : 3;
}

/* (21), (22), (23). The ramp Comp_p (MWP - 1) is held at 0 below one warp (reading A-9). */
static double all_overlap(const struct mwp_cwp_terms *terms, double mwp)
{
    return terms->mem_cycles * terms->n / mwp + terms->comp_cycles +
           terms->comp_p * fmax(0, fmin(mwp, terms->n) - 1);
}

static double memory_bound(const struct mwp_cwp_terms *terms, double most)
{
    return terms->mem_cycles * terms->n / terms->mwp +
           terms->comp_p * fmax(0, fmin(terms->mwp, most) - 1);
}

static double computation_bound(const struct mwp_cwp_terms *terms)
{
    return terms->mem_l + terms->comp_cycles * terms->n;
}

static double execution(const struct mwp_cwp_terms *terms)
{
    switch (terms->case_number) {
    case 1:
        return all_overlap(terms, terms->mwp);
    case 2:
        return memory_bound(terms, INFINITY);
    default:
        return computation_bound(terms);
    }
}

/* Each case is what some resource takes at least: the memory at MWP warps, the issue of N warps, one
 * warp's own latency behind the others' first computation, where nothing limits MWP but the warps.
 * The longest is continuous where one case turns into another, and grows with each delay; the case
 * that (21)-(23) choose may answer less with less bandwidth (reading A-14). */
static double joined_execution(struct mwp_cwp_terms *terms)
{
    double most = fmax(terms->npw, terms->n);
    double exposed = fmin(terms->mem_l, terms->mem_cycles * terms->n / most);
    double longest[] = {all_overlap(terms, most), memory_bound(terms, terms->n),
                        exposed + terms->comp_cycles * terms->n};
    terms->case_number = 1;
    for (int i = 1; i < 3; i++)
        if (longest[i] > longest[terms->case_number - 1]) terms->case_number = i + 1;
    return longest[terms->case_number - 1];
}

ws_status mwp_cwp_predict(struct diag *diag, const struct mwp_cwp_input *in,
                          struct mwp_cwp_terms *out)
{
    memset(out, 0, sizeof *out);
    if (!(in->total_insts > 0))
        return diag_error(diag, WS_ERR_NO_MODEL,
                          "mwp-cwp: the kernel executes no instructions, so it has no time");
    if (!(in->blocks > 0 && in->threads_per_block > 0 && in->active_blocks_per_sm > 0))
        return diag_error(diag, WS_ERR_NO_MODEL,
                          "mwp-cwp: the launch has no blocks, threads or resident blocks");
    place(in, out);
    mwp_cwp_memory(in, out);
    parallelism(in, out);
    bool memory = in->coal_mem_insts + in->uncoal_mem_insts > 0;
    out->case_number = memory ? find_case(in, out) : 3;
    bool joined = in->readings.joined && memory;
    out->exec_cycles = (joined ? joined_execution(out) : execution(out)) * out->rep;
    out->cpi = out->exec_cycles /
               (in->total_insts * out->warps_per_block * (in->blocks / in->active_sms)); /* (24) */
    double waiting = out->mwp; /* less bandwidth must not make barriers cheaper: A-14 */
    if (joined) waiting = fmin(out->mwp_without_bw_full, out->npw);
    out->npwb = fmin(waiting, out->warps_per_block); /* (26) */
    out->synch_cost = out->departure_delay * fmax(0, out->npwb - 1) * in->synch_insts *
                      out->active_blocks * out->rep;             /* (25); 0 below one warp */
    out->exec_cycles_synch = out->exec_cycles + out->synch_cost; /* (27) */
    return WS_OK;
}

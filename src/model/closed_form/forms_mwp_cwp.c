// SPDX-License-Identifier: Apache-2.0
/* The closed forms of MWP-CWP, and the peak of a machine. */
#include <math.h>

#include "model/closed_form/closed_form.h"
#include "model/closed_form/mwp_cwp_form.h"

static const char *const mem_l_words[] = {"thesis", "slides", NULL};
static const char *const case_words[] = {"figure8", "printed", NULL};
static const char *const npw_words[] = {"ratio", "printed", NULL};
static const char *const rep_words[] = {"fraction", "ceil", NULL};

static const struct input_row mwp_cwp_rows[] = {
    MWP_CWP_LAUNCH_ROWS,
    {"active_sms", NAN, NULL},
    {"total_insts", 0, NULL}, /* 0: the three above */
    {"synch_insts", 0, NULL},
    {"ind_mem_req", 0, NULL},
    {"mem_req", 0, NULL},      /* 0: the memory instructions */
    {"m_factor", 1, NULL},     /* mean over the instructions */
    {"issue_cycles", 4, NULL}, /* thesis, table 1 */
    {"warp_size", 32, NULL},
    {"mem_l_coal", 0, mem_l_words},
    {"case_policy", 0, case_words},
    {"npw", 0, npw_words},
    {"rep", 0, rep_words},
    {0},
};

struct mwp_cwp_input mwp_cwp_read_launch(const struct evaluation *e)
{
    double coalesced = evaluation_get(e, "coal_mem_insts");
    double memory = coalesced + evaluation_get(e, "uncoal_mem_insts");
    return (struct mwp_cwp_input){
        .freq_hz = evaluation_get(e, "freq_ghz") * 1e9,
        .mem_bandwidth = evaluation_get(e, "mem_bw_gbs") * 1e9,
        .mem_ld = evaluation_get(e, "mem_ld"),
        .dep_uncoal = evaluation_get(e, "dep_uncoal"),
        .dep_coal = evaluation_get(e, "dep_coal"),
        .uncoal_per_mw = evaluation_get(e, "uncoal_per_mw"),
        .load_bytes_per_warp = evaluation_get(e, "load_bytes_per_warp"),
        .warp_size = 32,
        .threads_per_block = evaluation_get(e, "threads_per_block"),
        .blocks = evaluation_get(e, "blocks"),
        .active_blocks_per_sm = evaluation_get(e, "active_blocks_per_sm"),
        .issue_cycles = 4,
        .m_factor = 1,
        .total_insts = evaluation_get(e, "comp_insts") + memory,
        .coal_mem_insts = coalesced,
        .uncoal_mem_insts = evaluation_get(e, "uncoal_mem_insts"),
        .mem_req = memory,
    };
}

static struct mwp_cwp_input read_mwp_cwp(const struct evaluation *e)
{
    struct mwp_cwp_input in = mwp_cwp_read_launch(e);
    double total = evaluation_get(e, "total_insts"), requests = evaluation_get(e, "mem_req");
    in.active_sms = evaluation_get(e, "active_sms");
    in.warp_size = evaluation_get(e, "warp_size");
    in.issue_cycles = evaluation_get(e, "issue_cycles");
    in.m_factor = evaluation_get(e, "m_factor");
    if (total > 0) in.total_insts = total;
    if (requests > 0) in.mem_req = requests;
    in.synch_insts = evaluation_get(e, "synch_insts");
    in.ind_mem_req = evaluation_get(e, "ind_mem_req");
    in.readings.mem_l_coal = (enum mwp_mem_l_coal)evaluation_get(e, "mem_l_coal");
    in.readings.case_policy = (enum mwp_case_policy)evaluation_get(e, "case_policy");
    in.readings.npw = (enum mwp_npw)evaluation_get(e, "npw");
    in.readings.rep = (enum mwp_rep)evaluation_get(e, "rep");
    return in;
}

static ws_status run_mwp_cwp(struct evaluation *e)
{
    struct mwp_cwp_input in = read_mwp_cwp(e);
    struct mwp_cwp_terms t;
    TRY(mwp_cwp_predict(e->diag, &in, &t));
    evaluation_put(e, "mwp", t.mwp);
    evaluation_put(e, "cwp", t.cwp);
    evaluation_put(e, "cpi", t.cpi);
    evaluation_put(e, "case", t.case_number);
    evaluation_put(e, "n", t.n);
    evaluation_put(e, "rep", t.rep);
    evaluation_put(e, "exec_cycles", t.exec_cycles);
    evaluation_put(e, "synch_cost", t.synch_cost);
    evaluation_put(e, "exec_cycles_synch", t.exec_cycles_synch);
    evaluation_put(e, "time_seconds", t.exec_cycles_synch / in.freq_hz);
    evaluation_put(e, "comp_cycles", t.comp_cycles);
    evaluation_put(e, "mem_cycles", t.mem_cycles);
    evaluation_put(e, "npwb", t.npwb);
    if (!(in.coal_mem_insts + in.uncoal_mem_insts > 0)) return WS_OK;
    evaluation_put(e, "mwp_without_bw_full", t.mwp_without_bw_full);
    evaluation_put(e, "mwp_without_bw", t.mwp_without_bw);
    evaluation_put(e, "mwp_peak_bw", t.mwp_peak_bw);
    evaluation_put(e, "npw", t.npw);
    evaluation_put(e, "cwp_full", t.cwp_full);
    evaluation_put(e, "mem_l", t.mem_l);
    evaluation_put(e, "mem_l_coal", t.mem_l_coal);
    evaluation_put(e, "mem_l_uncoal", t.mem_l_uncoal);
    evaluation_put(e, "departure_delay", t.departure_delay);
    evaluation_put(e, "comp_p", t.comp_p);
    return WS_OK;
}

static const struct input_row mem_params_rows[] = {
    {"mem_ld", NAN, NULL},          {"dep_uncoal", NAN, NULL},
    {"dep_coal", NAN, NULL},        {"uncoal_per_mw", 1, NULL},
    {"coal_mem_insts", 0, NULL},    {"uncoal_mem_insts", 0, NULL},
    {"mem_l_coal", 0, mem_l_words}, {0},
};

static ws_status run_mem_params(struct evaluation *e)
{
    struct mwp_cwp_terms t = {0};
    struct mwp_cwp_input in = {
        .mem_ld = evaluation_get(e, "mem_ld"),
        .dep_uncoal = evaluation_get(e, "dep_uncoal"),
        .dep_coal = evaluation_get(e, "dep_coal"),
        .uncoal_per_mw = evaluation_get(e, "uncoal_per_mw"),
        .coal_mem_insts = evaluation_get(e, "coal_mem_insts"),
        .uncoal_mem_insts = evaluation_get(e, "uncoal_mem_insts"),
        .readings.mem_l_coal = (enum mwp_mem_l_coal)evaluation_get(e, "mem_l_coal"),
    };
    if (!(in.coal_mem_insts + in.uncoal_mem_insts > 0))
        return diag_error(e->diag, WS_ERR_ARGUMENT,
                          "mem_params: no memory instruction, so no mean latency: set "
                          "coal_mem_insts or uncoal_mem_insts");
    mwp_cwp_memory(&in, &t);
    evaluation_put(e, "mem_l", t.mem_l);
    evaluation_put(e, "mem_l_coal", t.mem_l_coal);
    evaluation_put(e, "mem_l_uncoal", t.mem_l_uncoal);
    evaluation_put(e, "departure_delay", t.departure_delay);
    evaluation_put(e, "mwp_without_bw_full", t.mwp_without_bw_full);
    return WS_OK;
}

static const struct input_row peak_bw_rows[] = {
    {"freq_ghz", NAN, NULL},   {"mem_bw_gbs", NAN, NULL},
    {"active_sms", NAN, NULL}, {"load_bytes_per_warp", NAN, NULL},
    {"mem_l", NAN, NULL},      {0},
};

static ws_status run_peak_bw(struct evaluation *e)
{
    struct mwp_cwp_input in = {
        .freq_hz = evaluation_get(e, "freq_ghz") * 1e9,
        .mem_bandwidth = evaluation_get(e, "mem_bw_gbs") * 1e9,
        .active_sms = evaluation_get(e, "active_sms"),
        .load_bytes_per_warp = evaluation_get(e, "load_bytes_per_warp"),
    };
    evaluation_put(e, "mwp_peak_bw", mwp_cwp_peak_bw(&in, evaluation_get(e, "mem_l")));
    return WS_OK;
}

static const struct input_row npw_rows[] = {
    {"n", NAN, NULL}, {"mem_req", NAN, NULL}, {"ind_mem_req", 0, NULL}, {"npw", 0, npw_words}, {0},
};

static ws_status run_npw(struct evaluation *e)
{
    enum mwp_npw reading = (enum mwp_npw)evaluation_get(e, "npw");
    evaluation_put(e, "npw",
                   mwp_cwp_npw(reading, evaluation_get(e, "n"), evaluation_get(e, "mem_req"),
                               evaluation_get(e, "ind_mem_req")));
    return WS_OK;
}

/* Zhang & Owens, section 4.1: units x clock x SMs, a multiply-add counts two operations; GT200's
 * special function units multiply beside it, which makes three (thesis, table 2: 933 Gflop/s). */
static const struct input_row gflops_rows[] = {
    {"units", NAN, NULL},
    {"freq_ghz", NAN, NULL},
    {"num_sm", NAN, NULL},
    {"flops_per_inst", 2, NULL},
    {0},
};

static ws_status run_gflops(struct evaluation *e)
{
    evaluation_put(e, "gflops",
                   evaluation_get(e, "units") * evaluation_get(e, "flops_per_inst") *
                       evaluation_get(e, "freq_ghz") * evaluation_get(e, "num_sm"));
    return WS_OK;
}

const struct closed_form forms_mwp_cwp[] = {
    {"mwp_cwp", mwp_cwp_rows, run_mwp_cwp},     {"mem_params", mem_params_rows, run_mem_params},
    {"mwp_peak_bw", peak_bw_rows, run_peak_bw}, {"npw", npw_rows, run_npw},
    {"gflops_peak", gflops_rows, run_gflops},   {0},
};

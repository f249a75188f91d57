// SPDX-License-Identifier: Apache-2.0
/* The closed forms of Lai and Seznec (INRIA RR-7804): the engine itself is none. */
#include <math.h>

#include "model/closed_form/closed_form.h"
#include "model/teg/teg_machine.h"

static const struct input_row cmem_rows[] = {
    {"bpeak_gbs", NAN, NULL}, {"mem_latency", NAN, NULL}, {"n_tpc", NAN, NULL},
    {"ele_size", NAN, NULL},  {"clk_ghz", NAN, NULL},     {0},
};

/* Section 3.2.4: accesses of 32 elements that a cluster may have in flight. */
static ws_status run_cmem(struct evaluation *e)
{
    TRY(EVALUATION_POSITIVE(e, "n_tpc", "ele_size", "clk_ghz"));
    evaluation_put(e, "cmem",
                   teg_cmem(evaluation_get(e, "bpeak_gbs") * 1e9, evaluation_get(e, "mem_latency"),
                            evaluation_get(e, "n_tpc"), evaluation_get(e, "ele_size"),
                            evaluation_get(e, "clk_ghz") * 1e9));
    return WS_OK;
}

static const struct input_row issue_rows[] = {{"ops_per_clock", NAN, NULL}, {0}};

/* Section 3.2.1: the issue latency with many warps. */
static ws_status run_issue(struct evaluation *e)
{
    TRY(EVALUATION_POSITIVE(e, "ops_per_clock"));
    evaluation_put(e, "issue_latency", WARP_LANES / evaluation_get(e, "ops_per_clock"));
    return WS_OK;
}

static const struct input_row latency_rows[] = {
    {"measured", NAN, NULL},
    {"s2r_shl", NAN, NULL},
    {"issue_same_warp", NAN, NULL},
    {"count", NAN, NULL},
    {0},
};

/* Section 3.2.1: what a chain of `count` dependent instructions between two clocks tells. */
static ws_status run_latency(struct evaluation *e)
{
    double count = evaluation_get(e, "count");
    if (!(count > 1))
        return diag_error(e->diag, WS_ERR_ARGUMENT, "teg_latency: count must be greater than 1");
    evaluation_put(e, "latency",
                   (evaluation_get(e, "measured") - evaluation_get(e, "s2r_shl") -
                    evaluation_get(e, "issue_same_warp")) /
                       (count - 1));
    return WS_OK;
}

/* The printed errors are relative to the prediction. */
static const char *const base_words[] = {"pred", "meas", NULL};
static const struct input_row error_rows[] = {
    {"measured", NAN, NULL}, {"predicted", NAN, NULL}, {"base", 0, base_words}, {0}};

static ws_status run_error(struct evaluation *e)
{
    TRY(EVALUATION_POSITIVE(e, "measured", "predicted"));
    double measured = evaluation_get(e, "measured"), predicted = evaluation_get(e, "predicted");
    double base = evaluation_get(e, "base") > 0 ? measured : predicted;
    evaluation_put(e, "error_pct", 100 * (predicted - measured) / base);
    return WS_OK;
}

static const struct input_row waste_rows[] = {
    {"useful", NAN, NULL}, {"transaction", NAN, NULL}, {0}};

/* Section 3.3.4: bytes of a transaction that no lane asked for. */
static ws_status run_waste(struct evaluation *e)
{
    TRY(EVALUATION_POSITIVE(e, "transaction"));
    evaluation_put(e, "wasted", 1 - evaluation_get(e, "useful") / evaluation_get(e, "transaction"));
    return WS_OK;
}

const struct closed_form forms_teg[] = {
    {"teg_cmem", cmem_rows, run_cmem},          {"teg_issue", issue_rows, run_issue},
    {"teg_latency", latency_rows, run_latency}, {"teg_error", error_rows, run_error},
    {"waste", waste_rows, run_waste},           {0},
};

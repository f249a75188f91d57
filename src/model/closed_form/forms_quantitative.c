// SPDX-License-Identifier: Apache-2.0
/* The closed forms of Zhang and Owens. */
#include <math.h>

#include "model/closed_form/closed_form.h"
#include "model/quantitative.h"

static const struct input_row inst_peak_rows[] = {
    {"units", NAN, NULL}, {"freq_ghz", NAN, NULL}, {"num_sm", NAN, NULL}, {0}};

static ws_status run_inst_peak(struct evaluation *e)
{
    evaluation_put(e, "ginst_s",
                   zo_instruction_peak(evaluation_get(e, "units"), evaluation_get(e, "freq_ghz"),
                                       evaluation_get(e, "num_sm")));
    return WS_OK;
}

static const struct input_row smem_peak_rows[] = {
    {"sp_per_sm", NAN, NULL}, {"freq_ghz", NAN, NULL}, {"num_sm", NAN, NULL}, {0}};

static ws_status run_smem_peak(struct evaluation *e)
{
    evaluation_put(e, "gbs",
                   zo_shared_peak(evaluation_get(e, "sp_per_sm"), evaluation_get(e, "freq_ghz"),
                                  evaluation_get(e, "num_sm")));
    return WS_OK;
}

static const struct input_row gmem_peak_rows[] = {
    {"mem_freq_ghz", NAN, NULL}, {"bus_bits", NAN, NULL}, {0}};

static ws_status run_gmem_peak(struct evaluation *e)
{
    evaluation_put(
        e, "gbs", zo_global_peak(evaluation_get(e, "mem_freq_ghz"), evaluation_get(e, "bus_bits")));
    return WS_OK;
}

/* Defaults are those of the GTX 285: section 4.3, and 440 cycles (Lai and Seznec) of 1.48 GHz. */
static const struct input_row zo_gmem_rows[] = {
    {"blocks", NAN, NULL},       {"threads", NAN, NULL},
    {"transactions", NAN, NULL}, {"bytes", 4, NULL},
    {"peak_gbs", 158.976, NULL}, {"latency_ns", 440 / 1.48, NULL},
    {"clusters", 10, NULL},      {0},
};

static ws_status run_zo_gmem(struct evaluation *e)
{
    double threads = evaluation_get(e, "threads"), transactions = evaluation_get(e, "transactions");
    struct zo_global global = {
        .peak = evaluation_get(e, "peak_gbs") * 1e9,
        .latency_seconds = evaluation_get(e, "latency_ns") * 1e-9,
        .clusters = evaluation_get(e, "clusters"),
        .blocks = evaluation_get(e, "blocks"),
        .threads = threads,
        .transactions = transactions,
    };
    global.bytes = global.blocks * threads * transactions * evaluation_get(e, "bytes");
    if (!(global.bytes > 0) || !(global.peak > 0) || !(global.latency_seconds >= 0) ||
        !(global.clusters >= 1))
        return diag_error(e->diag, WS_ERR_ARGUMENT,
                          "zo_gmem: blocks, threads, transactions, bytes and peak_gbs must be "
                          "greater than 0, clusters at least 1, latency_ns at least 0");
    evaluation_put(e, "gbs", zo_global_bandwidth(&global) / 1e9);
    evaluation_put(e, "fill", zo_global_fill(&global));
    evaluation_put(e, "sawtooth", zo_global_sawtooth(&global));
    return WS_OK;
}

/* Types without a printed curve go with that of the multiply-adds unless another reading is asked
 * for: doc/models/quantitative.md, reading Q-1. */
static const char *const type_curve_words[] = {"same", "own", NULL};
static const char *const table1_words[] = {"zhang-owens", "wang", "teg", NULL};

static const struct input_row zo_throughput_rows[] = {
    {"warps", NAN, NULL}, {"type_curve", 0, type_curve_words}, {"table1", 0, table1_words}, {0}};

static ws_status run_zo_throughput(struct evaluation *e)
{
    static const char *const types[] = {"type_i", "type_ii", "type_iii", "type_iv"};
    enum zo_table table = (enum zo_table)evaluation_get(e, "table1");
    enum zo_type_curve reading = evaluation_get(e, "type_curve") > 0 ? ZO_CURVE_OWN : ZO_CURVE_SAME;
    double warps = evaluation_get(e, "warps");
    evaluation_put(e, "ginst_s", zo_paper_instructions(warps) / 1e9);
    evaluation_put(e, "smem_gbs", zo_paper_shared(warps) / 1e9);
    for (unsigned i = 0; i < ZO_TYPES; i++)
        evaluation_put(e, types[i], zo_paper_type(table, reading, (enum zo_type)i, warps) / 1e9);
    return WS_OK;
}

static const struct input_row zo_times_rows[] = {
    {"warps", NAN, NULL},        {"counts_i", 0, NULL},
    {"counts_ii", 0, NULL},      {"counts_iii", 0, NULL},
    {"counts_iv", 0, NULL},      {"smem_trans", 0, NULL},
    {"gmem_bytes", 0, NULL},     {"type_curve", 0, type_curve_words},
    {"table1", 0, table1_words}, {0},
};

static ws_status run_zo_times(struct evaluation *e)
{
    const struct zo_counts counts = {
        .instructions = {evaluation_get(e, "counts_i"), evaluation_get(e, "counts_ii"),
                         evaluation_get(e, "counts_iii"), evaluation_get(e, "counts_iv")},
        .shared_transactions = evaluation_get(e, "smem_trans"),
        .global_bytes = evaluation_get(e, "gmem_bytes"),
        .warps = evaluation_get(e, "warps"),
    };
    TRY(EVALUATION_POSITIVE(e, "warps"));
    struct zo_stage stage =
        zo_paper_stage(&counts, (enum zo_table)evaluation_get(e, "table1"),
                       evaluation_get(e, "type_curve") > 0 ? ZO_CURVE_OWN : ZO_CURVE_SAME);
    struct zo_program program = zo_combine(&stage, 1, 1);
    evaluation_put(e, "t_inst", stage.seconds[ZO_INSTRUCTION]);
    evaluation_put(e, "t_smem", stage.seconds[ZO_SHARED]);
    evaluation_put(e, "t_gmem", stage.seconds[ZO_GLOBAL]);
    evaluation_put(e, "total", program.seconds);
    evaluation_put(e, "bottleneck", stage.bottleneck); /* 0 inst, 1 smem, 2 gmem, 3 none */
    evaluation_put(e, "next", stage.next);
    return WS_OK;
}

static const struct input_row spmv_ell_rows[] = {
    {"block", 1, NULL}, {"vector_bytes", NAN, NULL}, {0}};

static ws_status run_spmv_ell(struct evaluation *e)
{
    TRY(EVALUATION_POSITIVE(e, "block"));
    struct zo_ell_bytes bytes =
        zo_ell_bytes(evaluation_get(e, "block"), evaluation_get(e, "vector_bytes"));
    evaluation_put(e, "matrix", bytes.entry);
    evaluation_put(e, "index", bytes.index);
    evaluation_put(e, "vector", bytes.vector);
    evaluation_put(e, "total", bytes.total);
    return WS_OK;
}

const struct closed_form forms_quantitative[] = {
    {"inst_peak", inst_peak_rows, run_inst_peak},
    {"smem_peak", smem_peak_rows, run_smem_peak},
    {"gmem_peak", gmem_peak_rows, run_gmem_peak},
    {"zo_gmem", zo_gmem_rows, run_zo_gmem},
    {"zo_throughput", zo_throughput_rows, run_zo_throughput},
    {"zo_times", zo_times_rows, run_zo_times},
    {"spmv_ell_bytes", spmv_ell_rows, run_spmv_ell},
    {0},
};

// SPDX-License-Identifier: Apache-2.0
/* The closed forms of the throughput model. */
#include <math.h>

#include "model/closed_form/closed_form.h"
#include "model/throughput/throughput.h"

static const char *const kind_words[] = {"gpu", "cpu", NULL};
static const char *const period_words[] = {"access", "group", NULL};
static const char *const overlap_words[] = {"n", "n-1", NULL};
/* T-9: by the kind of the device unless it is said. */
static const char *const hide_words[] = {"device", "warps", "none", NULL};

static const struct input_row throughput_rows[] = {
    {"kind", 0, kind_words},
    {"freq_ghz", NAN, NULL},
    {"cores", NAN, NULL},
    {"fp_units", NAN, NULL},
    {"vec_units", 0, NULL},
    {"simd", 1, NULL},
    {"fma", 0, NULL},        /* 1: a CPU with multiply-add instructions */
    {"mem_bw_gbs", 0, NULL}, /* needed where there are memory instructions */
    {"mem_latency", 0, NULL},
    {"bytes_per_warp", 0, NULL},
    {"latency", 1, NULL}, /* of an instruction */
    {"mwp_proc", 0, NULL},
    {"fp", 0, NULL},
    {"fp_fused", 0, NULL},
    {"fp_vec", 0, NULL},
    {"fp_vec_fused", 0, NULL},
    {"int", 0, NULL},
    {"br_misc", 0, NULL},
    {"mem", 0, NULL},
    {"mstr", 1, NULL},
    {"ilp", 1, NULL},
    {"sse_ilp", 1, NULL},
    {"dep", 1, NULL},
    {"n", NAN, NULL},
    {"no_memory", 0, NULL},
    {"period", 0, period_words},
    {"overlap", 0, overlap_words},
    {"tail_periods", 1, NULL},
    {"hide_by_warps", 0, hide_words},
    {0},
};

static struct tp_readings read_readings(const struct evaluation *e)
{
    return (struct tp_readings){
        .overlap_n1 = evaluation_get(e, "overlap") > 0,
        .tail_periods = evaluation_get(e, "tail_periods"),
    };
}

static struct tp_device read_device(const struct evaluation *e)
{
    return (struct tp_device){
        .cpu = evaluation_get(e, "kind") > 0,
        .fma = evaluation_get(e, "fma") > 0,
        .freq_hz = evaluation_get(e, "freq_ghz") * 1e9,
        .cores = evaluation_get(e, "cores"),
        .fp_units = evaluation_get(e, "fp_units"),
        .vec_units = evaluation_get(e, "vec_units"),
        .simd = evaluation_get(e, "simd"),
        .mem_bandwidth = evaluation_get(e, "mem_bw_gbs") * 1e9,
        .mem_latency = evaluation_get(e, "mem_latency"),
        .inst_latency = evaluation_get(e, "latency"),
        .mwp_proc = evaluation_get(e, "mwp_proc"),
    };
}

static struct tp_program read_program(const struct evaluation *e)
{
    return (struct tp_program){
        .fp = evaluation_get(e, "fp"),
        .fp_fused = evaluation_get(e, "fp_fused"),
        .fp_vec = evaluation_get(e, "fp_vec"),
        .fp_vec_fused = evaluation_get(e, "fp_vec_fused"),
        .integer = evaluation_get(e, "int"),
        .br_misc = evaluation_get(e, "br_misc"),
        .mem = evaluation_get(e, "mem"),
        .mstr = evaluation_get(e, "mstr"),
        .ilp = evaluation_get(e, "ilp"),
        .sse_ilp = evaluation_get(e, "sse_ilp"),
        .dep = evaluation_get(e, "dep"),
        .bytes_per_warp = evaluation_get(e, "bytes_per_warp"),
        .n = evaluation_get(e, "n"),
    };
}

static ws_status run_throughput(struct evaluation *e)
{
    static const char *const always[] = {"freq_ghz", "cores", "fp_units",     "n", "mstr", "ilp",
                                         "sse_ilp",  "dep",   "tail_periods", NULL};
    static const char *const for_memory[] = {"mem_bw_gbs", "mem_latency", "bytes_per_warp", NULL};
    struct tp_device device = read_device(e);
    struct tp_program program = read_program(e);
    struct tp_readings readings = read_readings(e);
    double hide = evaluation_get(e, "hide_by_warps");
    readings.period_is_group = evaluation_get(e, "period") > 0;
    readings.warps_hide_dep = hide > 0 ? hide < 2 : !device.cpu;
    readings.without_memory = evaluation_get(e, "no_memory") > 0;
    bool memory = program.mem > 0 && !readings.without_memory;
    TRY(evaluation_check_positive(e, always));
    if (memory) TRY(evaluation_check_positive(e, for_memory));
    struct tp_terms t = {0};
    tp_computation(&device, &program, &readings, &t);
    tp_memory(&device, &program, &readings, &t);
    evaluation_put(e, "peak_achi", t.peak_achi / 1e9);
    evaluation_put(e, "perf_cycles", t.perf_cycles);
    evaluation_put(e, "total_cycles", t.total_cycles);
    evaluation_put(e, "eff_ratio_comp", t.eff_ratio_comp);
    evaluation_put(e, "dep_effect", t.dep_effect);
    evaluation_put(e, "eff_ratio", t.eff_ratio);
    evaluation_put(e, "perf", t.perf / 1e9);
    if (!memory) return WS_OK;
    evaluation_put(e, "mwp_app_infin", t.mwp_app_infin);
    evaluation_put(e, "mwp_app", t.mwp_app);
    evaluation_put(e, "mwp_bw", t.mwp_bw);
    evaluation_put(e, "mwp", t.mwp);
    evaluation_put(e, "idle", t.idle);
    evaluation_put(e, "hidden", t.hidden);
    evaluation_put(e, "category", t.category);
    return WS_OK;
}

static const struct input_row idle_rows[] = {
    {"eff_mem", NAN, NULL},    {"eff_comp", NAN, NULL},
    {"eff_perf", NAN, NULL},   {"n", NAN, NULL},
    {"mwp", NAN, NULL},        {"overlap", 0, overlap_words},
    {"tail_periods", 1, NULL}, {0},
};

static ws_status run_idle(struct evaluation *e)
{
    static const char *const positive[] = {"eff_comp", "n", "mwp", "tail_periods", NULL};
    TRY(evaluation_check_positive(e, positive));
    struct tp_readings readings = read_readings(e);
    struct tp_terms t = {
        .eff_mem = evaluation_get(e, "eff_mem"),
        .eff_comp = evaluation_get(e, "eff_comp"),
        .eff_perf = evaluation_get(e, "eff_perf"),
        .mwp = evaluation_get(e, "mwp"),
    };
    tp_idle(evaluation_get(e, "n"), &readings, &t);
    evaluation_put(e, "mem_serial_n", t.mem_serial_n);
    evaluation_put(e, "mem_divided_n", t.mem_divided_n);
    evaluation_put(e, "mem_n", t.mem_n);
    evaluation_put(e, "comp_n", t.comp_n);
    evaluation_put(e, "idle", t.idle);
    evaluation_put(e, "eff_ratio", t.eff_ratio);
    return WS_OK;
}

static const struct input_row mwp_app_rows[] = {
    {"eff_mem", NAN, NULL}, {"eff_comp", NAN, NULL}, {"n", NAN, NULL}, {"mstr", 1, NULL}, {0}};

static ws_status run_mwp_app(struct evaluation *e)
{
    static const char *const positive[] = {"eff_comp", "n", "mstr", NULL};
    TRY(evaluation_check_positive(e, positive));
    struct tp_terms t = {.eff_mem = evaluation_get(e, "eff_mem"),
                         .eff_comp = evaluation_get(e, "eff_comp")};
    tp_mwp_app(evaluation_get(e, "n"), evaluation_get(e, "mstr"), &t);
    evaluation_put(e, "mwp_app_infin", t.mwp_app_infin);
    evaluation_put(e, "mwp_app", t.mwp_app);
    return WS_OK;
}

static const struct input_row mwp_final_rows[] = {{"mwp_app", NAN, NULL},
                                                  {"mwp_bw", NAN, NULL},
                                                  {"mwp_proc", INFINITY, NULL},
                                                  {"n", NAN, NULL},
                                                  {0}};

static ws_status run_mwp_final(struct evaluation *e)
{
    evaluation_put(e, "mwp",
                   fmin(fmin(evaluation_get(e, "mwp_app"), evaluation_get(e, "mwp_bw")),
                        fmin(evaluation_get(e, "mwp_proc"), evaluation_get(e, "n"))));
    return WS_OK;
}

static const struct input_row category_rows[] = {
    {"mwp_app_infin", NAN, NULL}, {"mwp_app", NAN, NULL}, {"mwp_bw", NAN, NULL},
    {"mwp_proc", 0, NULL},        {"n", NAN, NULL},       {0}};

static ws_status run_category(struct evaluation *e)
{
    struct tp_terms t = {
        .mwp_app_infin = evaluation_get(e, "mwp_app_infin"),
        .mwp_app = evaluation_get(e, "mwp_app"),
        .mwp_bw = evaluation_get(e, "mwp_bw"),
        .mwp_proc = evaluation_get(e, "mwp_proc"),
    };
    evaluation_put(e, "category", tp_category(evaluation_get(e, "n"), &t));
    return WS_OK;
}

static const struct input_row suggestion_rows[] = {{"mwp_app", NAN, NULL},
                                                   {"mwp_bw", NAN, NULL},
                                                   {"mwp_app_infin", 1, NULL},
                                                   {"active_sms", NAN, NULL},
                                                   {"n", NAN, NULL},
                                                   {"mstr", 1, NULL},
                                                   {0}};

static ws_status run_suggestions(struct evaluation *e)
{
    static const char *const positive[] = {"mwp_app", "mwp_bw", "active_sms", "n", NULL};
    TRY(evaluation_check_positive(e, positive));
    struct tp_terms t = {
        .mwp_app_infin = evaluation_get(e, "mwp_app_infin"),
        .mwp_app = evaluation_get(e, "mwp_app"),
        .mwp_bw = evaluation_get(e, "mwp_bw"),
    };
    struct tp_suggestion s =
        tp_suggest(&t, evaluation_get(e, "active_sms"), evaluation_get(e, "n"));
    evaluation_put(e, "alpha_bw", s.alpha_bw);
    evaluation_put(e, "cores_exact", s.cores_exact);
    evaluation_put(e, "cores", s.cores);
    evaluation_put(e, "alpha_n", s.alpha_n);
    evaluation_put(e, "n_exact", s.n_exact);
    evaluation_put(e, "n", s.n);
    evaluation_put(e, "freq_factor", s.freq_factor);
    return WS_OK;
}

static const struct input_row dep_rows[] = {
    {"latency", NAN, NULL}, {"dep", NAN, NULL}, {"between", 1, NULL}, {0}};

static ws_status run_dep_effect(struct evaluation *e)
{
    static const char *const positive[] = {"dep", "between", NULL};
    TRY(evaluation_check_positive(e, positive));
    evaluation_put(e, "dep_effect",
                   tp_dep_effect(evaluation_get(e, "latency"), evaluation_get(e, "dep"),
                                 evaluation_get(e, "between")));
    return WS_OK;
}

static const struct input_row schedule_rows[] = {
    {"perf_cpu", NAN, NULL}, {"perf_gpu", NAN, NULL}, {0}};

static ws_status run_schedule(struct evaluation *e)
{
    if (!(evaluation_get(e, "perf_cpu") + evaluation_get(e, "perf_gpu") > 0))
        return diag_error(e->diag, WS_ERR_ARGUMENT,
                          "schedule_ratio: perf_cpu or perf_gpu must be greater than 0");
    struct tp_shares shares =
        tp_split(evaluation_get(e, "perf_cpu"), evaluation_get(e, "perf_gpu"));
    evaluation_put(e, "cpu", shares.cpu);
    evaluation_put(e, "gpu", shares.gpu);
    return WS_OK;
}

const struct closed_form forms_throughput[] = {
    {"throughput", throughput_rows, run_throughput},
    {"idle_cycles", idle_rows, run_idle},
    {"mwp_app", mwp_app_rows, run_mwp_app},
    {"mwp_final", mwp_final_rows, run_mwp_final},
    {"category", category_rows, run_category},
    {"suggestions", suggestion_rows, run_suggestions},
    {"dep_effect", dep_rows, run_dep_effect},
    {"schedule_ratio", schedule_rows, run_schedule},
    {0},
};

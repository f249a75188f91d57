// SPDX-License-Identifier: Apache-2.0
/* The models' closed forms by name: named numbers in, named terms out (ws_model_evaluate). No
 * profile and no machine, so that a published table can be put in as it is printed. One row in
 * `functions` a function; names of inputs and terms are those of models and reports. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "model/estimate.h"
#include "model/mwp_cwp.h"
#include "model/quantitative.h"

enum { INPUTS_MAX = 40 };

/* What a function reads. `otherwise` NAN: it must be given. */
struct input_row {
    const char *name;
    double otherwise;
    const char *const *words; /* readings, the first is the default; NULL: a number */
};

struct evaluation {
    struct diag *diag;
    const struct input_row *rows;
    double values[INPUTS_MAX]; /* as the rows; of a reading: the index of its word */
    ws_term *out;
    size_t capacity, count;
};

struct closed_form {
    const char *name;
    const struct input_row *rows; /* ends with a NULL name */
    ws_status (*run)(struct evaluation *e);
};

/* ---- reading and writing by name ------------------------------------------------------------- */

static size_t find_row(const struct input_row *rows, const char *name)
{
    size_t i = 0;
    while (rows[i].name && strcmp(rows[i].name, name))
        i++;
    return i;
}

static double get(const struct evaluation *e, const char *name)
{
    return e->values[find_row(e->rows, name)];
}

/* What does not apply (no memory access, say) is left out. */
static void put(struct evaluation *e, const char *name, double value)
{
    if (!isfinite(value)) return;
    if (e->count < e->capacity) e->out[e->count] = (ws_term){name, value};
    e->count++;
}

/* ---- MWP-CWP --------------------------------------------------------------------------------- */

static const char *const mem_l_words[] = {"thesis", "slides", NULL};
static const char *const case_words[] = {"figure8", "printed", NULL};
static const char *const npw_words[] = {"ratio", "printed", NULL};
static const char *const rep_words[] = {"fraction", "ceil", NULL};

static const struct input_row mwp_cwp_rows[] = {
    {"freq_ghz", NAN, NULL},
    {"mem_bw_gbs", NAN, NULL},
    {"active_sms", NAN, NULL},
    {"mem_ld", NAN, NULL},
    {"dep_uncoal", NAN, NULL},
    {"dep_coal", NAN, NULL},
    {"uncoal_per_mw", 1, NULL},
    {"load_bytes_per_warp", NAN, NULL},
    {"threads_per_block", NAN, NULL},
    {"blocks", NAN, NULL},
    {"active_blocks_per_sm", NAN, NULL},
    {"comp_insts", 0, NULL},
    {"coal_mem_insts", 0, NULL},
    {"uncoal_mem_insts", 0, NULL},
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

static struct mwp_cwp_input read_mwp_cwp(const struct evaluation *e)
{
    double coalesced = get(e, "coal_mem_insts"), uncoalesced = get(e, "uncoal_mem_insts");
    double memory = coalesced + uncoalesced;
    double total = get(e, "total_insts"), requests = get(e, "mem_req");
    return (struct mwp_cwp_input){
        .freq_hz = get(e, "freq_ghz") * 1e9,
        .mem_bandwidth = get(e, "mem_bw_gbs") * 1e9,
        .active_sms = get(e, "active_sms"),
        .mem_ld = get(e, "mem_ld"),
        .dep_uncoal = get(e, "dep_uncoal"),
        .dep_coal = get(e, "dep_coal"),
        .uncoal_per_mw = get(e, "uncoal_per_mw"),
        .load_bytes_per_warp = get(e, "load_bytes_per_warp"),
        .warp_size = get(e, "warp_size"),
        .threads_per_block = get(e, "threads_per_block"),
        .blocks = get(e, "blocks"),
        .active_blocks_per_sm = get(e, "active_blocks_per_sm"),
        .issue_cycles = get(e, "issue_cycles"),
        .m_factor = get(e, "m_factor"),
        .total_insts = total > 0 ? total : get(e, "comp_insts") + memory,
        .coal_mem_insts = coalesced,
        .uncoal_mem_insts = uncoalesced,
        .synch_insts = get(e, "synch_insts"),
        .mem_req = requests > 0 ? requests : memory,
        .ind_mem_req = get(e, "ind_mem_req"),
        .readings = {.mem_l_coal = (enum mwp_mem_l_coal)get(e, "mem_l_coal"),
                     .case_policy = (enum mwp_case_policy)get(e, "case_policy"),
                     .npw = (enum mwp_npw)get(e, "npw"),
                     .rep = (enum mwp_rep)get(e, "rep")},
    };
}

static ws_status run_mwp_cwp(struct evaluation *e)
{
    struct mwp_cwp_input in = read_mwp_cwp(e);
    struct mwp_cwp_terms t;
    TRY(mwp_cwp_predict(e->diag, &in, &t));
    put(e, "mwp", t.mwp);
    put(e, "cwp", t.cwp);
    put(e, "cpi", t.cpi);
    put(e, "case", t.case_number);
    put(e, "n", t.n);
    put(e, "rep", t.rep);
    put(e, "exec_cycles", t.exec_cycles);
    put(e, "synch_cost", t.synch_cost);
    put(e, "exec_cycles_synch", t.exec_cycles_synch);
    put(e, "time_seconds", t.exec_cycles_synch / in.freq_hz);
    put(e, "comp_cycles", t.comp_cycles);
    put(e, "mem_cycles", t.mem_cycles);
    put(e, "npwb", t.npwb);
    if (!(in.coal_mem_insts + in.uncoal_mem_insts > 0)) return WS_OK;
    put(e, "mwp_without_bw_full", t.mwp_without_bw_full);
    put(e, "mwp_without_bw", t.mwp_without_bw);
    put(e, "mwp_peak_bw", t.mwp_peak_bw);
    put(e, "npw", t.npw);
    put(e, "cwp_full", t.cwp_full);
    put(e, "mem_l", t.mem_l);
    put(e, "mem_l_coal", t.mem_l_coal);
    put(e, "mem_l_uncoal", t.mem_l_uncoal);
    put(e, "departure_delay", t.departure_delay);
    put(e, "comp_p", t.comp_p);
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
        .mem_ld = get(e, "mem_ld"),
        .dep_uncoal = get(e, "dep_uncoal"),
        .dep_coal = get(e, "dep_coal"),
        .uncoal_per_mw = get(e, "uncoal_per_mw"),
        .coal_mem_insts = get(e, "coal_mem_insts"),
        .uncoal_mem_insts = get(e, "uncoal_mem_insts"),
        .readings.mem_l_coal = (enum mwp_mem_l_coal)get(e, "mem_l_coal"),
    };
    if (!(in.coal_mem_insts + in.uncoal_mem_insts > 0))
        return diag_error(e->diag, WS_ERR_ARGUMENT,
                          "mem_params: no memory instruction, so no mean latency: give "
                          "coal_mem_insts or uncoal_mem_insts");
    mwp_cwp_memory(&in, &t);
    put(e, "mem_l", t.mem_l);
    put(e, "mem_l_coal", t.mem_l_coal);
    put(e, "mem_l_uncoal", t.mem_l_uncoal);
    put(e, "departure_delay", t.departure_delay);
    put(e, "mwp_without_bw_full", t.mwp_without_bw_full);
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
        .freq_hz = get(e, "freq_ghz") * 1e9,
        .mem_bandwidth = get(e, "mem_bw_gbs") * 1e9,
        .active_sms = get(e, "active_sms"),
        .load_bytes_per_warp = get(e, "load_bytes_per_warp"),
    };
    put(e, "mwp_peak_bw", mwp_cwp_peak_bw(&in, get(e, "mem_l")));
    return WS_OK;
}

static const struct input_row npw_rows[] = {
    {"n", NAN, NULL}, {"mem_req", NAN, NULL}, {"ind_mem_req", 0, NULL}, {"npw", 0, npw_words}, {0},
};

static ws_status run_npw(struct evaluation *e)
{
    enum mwp_npw reading = (enum mwp_npw)get(e, "npw");
    put(e, "npw", mwp_cwp_npw(reading, get(e, "n"), get(e, "mem_req"), get(e, "ind_mem_req")));
    return WS_OK;
}

/* ---- peak ------------------------------------------------------------------------------------ */

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
    put(e, "gflops",
        get(e, "units") * get(e, "flops_per_inst") * get(e, "freq_ghz") * get(e, "num_sm"));
    return WS_OK;
}

/* ---- quantitative ---------------------------------------------------------------------------- */

static const struct input_row inst_peak_rows[] = {
    {"units", NAN, NULL}, {"freq_ghz", NAN, NULL}, {"num_sm", NAN, NULL}, {0}};

static ws_status run_inst_peak(struct evaluation *e)
{
    put(e, "ginst_s", zo_instruction_peak(get(e, "units"), get(e, "freq_ghz"), get(e, "num_sm")));
    return WS_OK;
}

static const struct input_row smem_peak_rows[] = {
    {"sp_per_sm", NAN, NULL}, {"freq_ghz", NAN, NULL}, {"num_sm", NAN, NULL}, {0}};

static ws_status run_smem_peak(struct evaluation *e)
{
    put(e, "gbs", zo_shared_peak(get(e, "sp_per_sm"), get(e, "freq_ghz"), get(e, "num_sm")));
    return WS_OK;
}

static const struct input_row gmem_peak_rows[] = {
    {"mem_freq_ghz", NAN, NULL}, {"bus_bits", NAN, NULL}, {0}};

static ws_status run_gmem_peak(struct evaluation *e)
{
    put(e, "gbs", zo_global_peak(get(e, "mem_freq_ghz"), get(e, "bus_bits")));
    return WS_OK;
}

static const struct input_row zo_throughput_rows[] = {{"warps", NAN, NULL}, {0}};

static ws_status run_zo_throughput(struct evaluation *e)
{
    put(e, "ginst_s", zo_paper_instructions(get(e, "warps")) / 1e9);
    put(e, "smem_gbs", zo_paper_shared(get(e, "warps")) / 1e9);
    return WS_OK;
}

/* Types without a printed curve go with that of the multiply-adds unless another reading is asked
 * for: doc/models/quantitative.md, reading Q-1. */
static const char *const type_curve_words[] = {"same", "own", NULL};
static const char *const table1_words[] = {"zhang-owens", "wang", "teg", NULL};

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
        .instructions = {get(e, "counts_i"), get(e, "counts_ii"), get(e, "counts_iii"),
                         get(e, "counts_iv")},
        .shared_transactions = get(e, "smem_trans"),
        .global_bytes = get(e, "gmem_bytes"),
        .warps = get(e, "warps"),
    };
    if (!(counts.warps > 0))
        return diag_error(e->diag, WS_ERR_ARGUMENT, "zo_times: warps must be above 0");
    struct zo_stage stage = zo_paper_stage(&counts, (enum zo_table)get(e, "table1"),
                                           get(e, "type_curve") > 0 ? ZO_CURVE_OWN : ZO_CURVE_SAME);
    struct zo_program program = zo_combine(&stage, 1, 1);
    put(e, "t_inst", stage.seconds[ZO_INSTRUCTION]);
    put(e, "t_smem", stage.seconds[ZO_SHARED]);
    put(e, "t_gmem", stage.seconds[ZO_GLOBAL]);
    put(e, "total", program.seconds);
    put(e, "bottleneck", stage.bottleneck); /* 0 inst, 1 smem, 2 gmem, 3 none */
    put(e, "next", stage.next);
    return WS_OK;
}

static const struct input_row spmv_ell_rows[] = {
    {"block", 1, NULL}, {"vector_bytes", NAN, NULL}, {0}};

static ws_status run_spmv_ell(struct evaluation *e)
{
    if (!(get(e, "block") > 0))
        return diag_error(e->diag, WS_ERR_ARGUMENT, "spmv_ell_bytes: block must be above 0");
    struct zo_ell_bytes bytes = zo_ell_bytes(get(e, "block"), get(e, "vector_bytes"));
    put(e, "matrix", bytes.entry);
    put(e, "index", bytes.index);
    put(e, "vector", bytes.vector);
    put(e, "total", bytes.total);
    return WS_OK;
}

/* ---- the call -------------------------------------------------------------------------------- */

static const struct closed_form functions[] = {
    {"mwp_cwp", mwp_cwp_rows, run_mwp_cwp},
    {"mem_params", mem_params_rows, run_mem_params},
    {"mwp_peak_bw", peak_bw_rows, run_peak_bw},
    {"npw", npw_rows, run_npw},
    {"gflops_peak", gflops_rows, run_gflops},
    {"inst_peak", inst_peak_rows, run_inst_peak},
    {"smem_peak", smem_peak_rows, run_smem_peak},
    {"gmem_peak", gmem_peak_rows, run_gmem_peak},
    {"zo_throughput", zo_throughput_rows, run_zo_throughput},
    {"zo_times", zo_times_rows, run_zo_times},
    {"spmv_ell_bytes", spmv_ell_rows, run_spmv_ell},
};
enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

static ws_status unknown(struct diag *diag, const char *what, const char *name,
                         const char *const *names, size_t count)
{
    struct arena arena = {0};
    const char *near = text_nearest(&arena, name, names, count);
    diag_error(diag, WS_ERR_ARGUMENT, "no %s is called '%s'%s%s", what, name,
               *near ? ": perhaps " : "", near);
    if (!*near)
        for (size_t i = 0; i < count; i++)
            diag_add(diag, "  %s", names[i]);
    arena_clear(&arena);
    return WS_ERR_ARGUMENT;
}

static ws_status find_function(struct diag *diag, const char *name, const struct closed_form **out)
{
    const char *names[FUNCTION_COUNT];
    for (size_t i = 0; i < FUNCTION_COUNT; i++) {
        *out = &functions[i];
        if (!strcmp(functions[i].name, name)) return WS_OK;
        names[i] = functions[i].name;
    }
    return unknown(diag, "closed form", name, names, FUNCTION_COUNT);
}

static ws_status read_input(struct evaluation *e, const ws_input *input)
{
    const char *names[INPUTS_MAX];
    size_t row = find_row(e->rows, input->name);
    if (!e->rows[row].name) {
        for (size_t i = 0; i < row; i++)
            names[i] = e->rows[i].name;
        return unknown(e->diag, "input", input->name, names, row);
    }
    const char *const *words = e->rows[row].words;
    if (!words != !input->word)
        return diag_error(e->diag, WS_ERR_ARGUMENT, "input %s is %s", input->name,
                          words ? "a reading: give it as a word" : "a number, not a word");
    if (!words && !isfinite(input->value))
        return diag_error(e->diag, WS_ERR_ARGUMENT, "input %s is no finite number", input->name);
    e->values[row] = input->value;
    for (size_t i = 0; words; i++) {
        if (!words[i]) return unknown(e->diag, "reading", input->word, words, i);
        e->values[row] = (double)i;
        if (!strcmp(words[i], input->word)) break;
    }
    return WS_OK;
}

ws_status model_evaluate(struct diag *diag, const char *function, const ws_input *inputs,
                         size_t input_count, ws_term *out, size_t capacity, size_t *out_count)
{
    const struct closed_form *form;
    *out_count = 0;
    TRY(find_function(diag, function, &form));
    struct evaluation e = {.diag = diag, .rows = form->rows, .out = out, .capacity = capacity};
    for (size_t i = 0; form->rows[i].name; i++)
        e.values[i] = form->rows[i].otherwise;
    for (size_t i = 0; i < input_count; i++)
        TRY(read_input(&e, &inputs[i]));
    for (size_t i = 0; form->rows[i].name; i++)
        if (isnan(e.values[i]))
            return diag_error(diag, WS_ERR_ARGUMENT, "%s needs the input %s", function,
                              form->rows[i].name);
    TRY(form->run(&e));
    *out_count = e.count;
    return WS_OK;
}

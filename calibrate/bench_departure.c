// SPDX-License-Identifier: Apache-2.0
/* Hong's micro-benchmarks (thesis, 2.4.2, table 3) and the memory parameters of his model: Mem_LD and the departure delays, which
 * are those with which the model mwp-cwp gives the measured times (2.5.1, table 5). Times are those between events:
 * they are all that a model without an execution has. */
#include <math.h>
#include <string.h>

#include "calibrate/chase.h"
#include "calibrate/fit_curve.h"

/* Loads and floating-point instructions of a round. */
static const struct mb {
    unsigned loads, flops;
} mbs[] = {{0, 20}, {1, 8}, {1, 20}, {2, 12}, {2, 20}, {4, 20}, {6, 20}};
enum { MBS = sizeof mbs / sizeof *mbs };

/* The two kernels of the fit: loads alone, and as many multiply-adds. */
enum { LOADS = 16, FEW = 4, MANY = 12, WARP = 32, WARPS = 8, ELEMENT = 8, LINE = 256 };
enum pattern { PATTERN_NONE, PATTERN_COALESCED, PATTERN_UNCOALESCED, PATTERNS };

static char *mb_text(const struct plan *plan, const char *name, unsigned loads, unsigned flops)
{
    struct kernel_writer writer;
    kernel_begin(&writer, plan->gpu, name, 0);
    put(&writer, "    mul.lo.u32 %%r1, %%thread, %%b;\n    cvt.u64.u32 %%l1, %%r1;\n"
                 "    add.u64 %%l2, %%data, %%l1;\n    mov.b32 %%f0, %%c;\n    mov.b32 %%f1, %%d;\n"
                 "    mov.u64 %%l0, %%l2;\n");
    kernel_clock_passes(&writer, 1);
    put(&writer, "    mov.u32 %%r2, %%a;\nround:\n");
    for (unsigned i = 0; i < loads; i++)
        put(&writer, "    ld.global.cg.u64 %%l2, [%%l2];\n");
    for (unsigned i = 0; i < flops; i++)
        put(&writer, "    fma.rn.f32 %%f0, %%f0, %%f1, %%f1;\n");
    put(&writer,
        "    sub.u32 %%r2, %%r2, 1;\n    setp.ne.u32 %%p0, %%r2, 0;\n    @%%p0 bra round;\n"
        "    sub.u64 %%l3, %%l2, %%l0;\n    cvt.u32.u64 %%result, %%l3;\n"
        "    mov.b32 %%r3, %%f0;\n    or.b32 %%result, %%result, %%r3;\n");
    return kernel_end(&writer);
}

/* Lanes of a warp 8 bytes or 256 bytes apart; each load leads all of them a line further, round and round. */
static void add_point(struct plan *plan, unsigned kernel, unsigned loads, const double *x)
{
    bool apart = x[0] == PATTERN_UNCOALESCED;
    unsigned warps = (unsigned)x[1], rounds = (unsigned)x[2], stride = apart ? LINE : ELEMENT;
    uint64_t count = (uint64_t)warps * WARP * 2, moved = (uint64_t)loads * rounds * WARP;
    struct point point = {.kernel = kernel,
                          .grid = 1,
                          .block = warps * WARP,
                          .args = {rounds, stride, 0, 0},
                          .x = {x[0], x[1], x[2]},
                          .data_bytes = count * stride,
                          .stride = stride,
                          .fill = FILL_CHASE,
                          .jump = WARP,
                          .is_checked = true,
                          .expected = (uint32_t)(moved % count * stride)};
    plan_point(plan, &point);
}

enum { WARP_COUNTS = 3 };

/* One, some, and as many as a block has. */
static unsigned warps_of(const struct gpu_facts *gpu, unsigned i)
{
    unsigned most = gpu->max_threads / WARP;
    return i == 0 ? 1 : i == 1 ? WARPS : most > 2 * WARPS ? most : 2 * WARPS;
}

static bool plan_departure(const struct bench *bench, struct plan *plan, const char **why)
{
    (void)bench;
    *why = "";
    unsigned loads = plan_kernel(plan, "loads", mb_text(plan, "loads", LOADS, 0));
    unsigned flops = plan_kernel(plan, "flops", mb_text(plan, "flops", 0, LOADS));
    for (unsigned pattern = 0; pattern < PATTERNS; pattern++)
        for (unsigned i = 0; i < WARP_COUNTS; i++)
            for (unsigned rounds = FEW; rounds <= MANY; rounds += MANY - FEW)
                add_point(plan, pattern ? loads : flops, pattern ? LOADS : 0,
                          (double[]){pattern, warps_of(plan->gpu, i), rounds});
    return true;
}

/* Cycles that a load (or multiply-add) adds to the launch. */
static double load_cycles(const struct fit *fit, unsigned pattern, unsigned warps)
{
    double seconds[2];
    for (unsigned i = 0; i < 2; i++) {
        const double x[BENCH_AXES] = {pattern, warps, i ? MANY : FEW};
        const struct raw_point *point = raw_find(fit->raw, "departure", x);
        if (!point || !point->is_checked) return NAN;
        seconds[i] = middle(point->seconds, point->count, NULL);
    }
    return (seconds[1] - seconds[0]) * fit->raw->gpu.clock / (LOADS * (MANY - FEW));
}

/* ---- the model --------------------------------------------------------------------------------- */

enum { MEM_LD, COALESCED, UNCOALESCED, ISSUE, PARAMETERS };
struct problem {
    const struct fit *fit;
    double cycles[PATTERNS][WARP_COUNTS];
};

/* Of a load and its share of the loop, by the closed form: what a load more adds to many. */
static bool model_cycles(const struct problem *problem, const double *parameters, unsigned pattern,
                         unsigned warps, double *out)
{
    enum { INSTS = 4096 };
    double cycles[2] = {0};
    for (unsigned i = 0; i < 2; i++) {
        double count = INSTS * (1 + i), mem = pattern == PATTERN_NONE ? 0 : count;
        ws_term terms[64];
        size_t found;
        const ws_input inputs[] = {
            {"freq_ghz", problem->fit->raw->gpu.clock / 1e9, NULL},
            {"mem_bw_gbs", 1e6, NULL}, /* one SM does not reach it */
            {"active_sms", 1, NULL},
            {"mem_ld", parameters[MEM_LD], NULL},
            {"dep_uncoal", parameters[UNCOALESCED], NULL},
            {"dep_coal", parameters[COALESCED], NULL},
            {"load_bytes_per_warp", WARP * ELEMENT, NULL},
            {"threads_per_block", warps * WARP, NULL},
            {"blocks", 1, NULL},
            {"active_blocks_per_sm", 1, NULL},
            {"uncoal_per_mw", WARP, NULL},
            {"comp_insts", count - mem, NULL},
            {"coal_mem_insts", pattern == PATTERN_COALESCED ? mem : 0, NULL},
            {"uncoal_mem_insts", pattern == PATTERN_UNCOALESCED ? mem : 0, NULL},
            {"issue_cycles", parameters[ISSUE], NULL},
        };
        if (ws_model_evaluate(problem->fit->calibration->context, "mwp_cwp", inputs,
                              sizeof inputs / sizeof *inputs, terms, 64, &found) != WS_OK)
            return false;
        for (size_t k = 0; k < found && k < 64; k++)
            if (!strcmp(terms[k].name, "exec_cycles")) cycles[i] = terms[k].value;
    }
    *out = (cycles[1] - cycles[0]) / INSTS;
    return true;
}

static bool formula(void *user, const double *parameters, double *out)
{
    const struct problem *problem = user;
    for (unsigned pattern = 0; pattern < PATTERNS; pattern++)
        for (unsigned i = 0; i < WARP_COUNTS; i++) {
            double cycles, measured = problem->cycles[pattern][i];
            /* How several schedulers share the issue of several warps is not the model's. */
            bool counts = pattern == PATTERN_UNCOALESCED || i == 0;
            if (!model_cycles(problem, parameters, pattern, warps_of(&problem->fit->raw->gpu, i),
                              &cycles))
                return false;
            *out++ = counts ? cycles / measured - 1 : 0;
        }
    return true;
}

/* Where it begins: one warp waits Mem_LD and the delay of what follows its first transaction; many wait for the delays. */
static void begin(const struct problem *problem, double *parameters)
{
    double coalesced = problem->cycles[PATTERN_COALESCED][0],
           apart = problem->cycles[PATTERN_UNCOALESCED][0];
    unsigned most = warps_of(&problem->fit->raw->gpu, WARP_COUNTS - 1);
    parameters[ISSUE] = problem->cycles[PATTERN_NONE][0];
    parameters[UNCOALESCED] = problem->cycles[PATTERN_UNCOALESCED][WARP_COUNTS - 1] / (WARP * most);
    parameters[MEM_LD] = apart - (WARP - 1) * parameters[UNCOALESCED] - parameters[ISSUE];
    parameters[COALESCED] = coalesced - parameters[MEM_LD] - parameters[ISSUE];
}

static void unknown(const struct bench *bench, struct fit *fit, const char *why)
{
    fit_unknown(fit, bench, "departure_delay.coalesced", "%s", why);
    fit_unknown(fit, bench, "departure_delay.uncoalesced", "%s", why);
}

static void put_parameters(const struct bench *bench, struct fit *fit, const double *value,
                           const double *half)
{
    static const struct {
        const char *key;
        unsigned parameter;
    } rows[] = {{"departure_delay.coalesced", COALESCED},
                {"departure_delay.uncoalesced", UNCOALESCED},
                {"dram.latency", MEM_LD}};
    for (unsigned i = 0; i < 3; i++) {
        double found = value[rows[i].parameter], error = half[rows[i].parameter];
        if (rows[i].parameter == MEM_LD && fit_known(fit, "dram.latency")) continue;
        if (found > error)
            fit_figure(fit, bench, rows[i].key, "cycle", found, found - error, found + error);
        else
            fit_unknown(fit, bench, rows[i].key, "%.3g cycles: not above the scatter", found);
    }
}

static void fit_departure(const struct bench *bench, struct fit *fit)
{
    struct problem problem = {.fit = fit};
    double parameters[PARAMETERS], half[PARAMETERS];
    const struct figure *dram = fit_known(fit, "dram.latency");
    const char *why;
    for (unsigned pattern = 0; pattern < PATTERNS; pattern++)
        for (unsigned i = 0; i < WARP_COUNTS; i++) {
            problem.cycles[pattern][i] = load_cycles(fit, pattern, warps_of(&fit->raw->gpu, i));
            if (!(problem.cycles[pattern][i] > 0)) return;
        }
    begin(&problem, parameters);
    if (dram && parameters[MEM_LD] < 0.7 * dram->value) {
        unknown(bench, fit, "caches serve these loads, and the model has none");
        return;
    }
    if (formula_fit(formula, &problem, parameters, half, PARAMETERS, PATTERNS * WARP_COUNTS, &why))
        put_parameters(bench, fit, parameters, half);
    else
        unknown(bench, fit, why);
}

/* ---- Mb1 to Mb7 -------------------------------------------------------------------------------- */

static bool plan_mb(const struct bench *bench, struct plan *plan, const char **why)
{
    const struct mb *mb = &mbs[bench->parameter];
    unsigned kernel = plan_kernel(plan, "mb", mb_text(plan, "mb", mb->loads, mb->flops));
    *why = "";
    for (unsigned pattern = mb->loads ? 1 : PATTERNS - 1; pattern < PATTERNS; pattern++)
        for (unsigned warps = 1; warps <= WARPS; warps *= WARPS)
            add_point(plan, kernel, mb->loads, (double[]){pattern, warps, FEW});
    return true;
}

/* Measured and modelled cycles of all that were measured. */
static void fit_mb(const struct bench *bench, struct fit *fit)
{
    enum { ROOM = 64 };
    double x[ROOM], y[ROOM];
    unsigned count = 0;
    for (unsigned i = 0; i < MBS; i++) {
        char id[8];
        const struct raw_point *points[4];
        snprintf(id, sizeof id, "mb%u", i + 1);
        unsigned found = fit_points(fit, id, points, 4);
        for (unsigned k = 0; k < found; k++) {
            x[count] = i + 1;
            y[count++] =
                middle(points[k]->seconds, points[k]->count, NULL) * fit->raw->gpu.clock / FEW;
        }
    }
    (void)bench;
    fit_picture(fit, "mb", "Hong's micro-benchmarks Mb1 to Mb7", "number", "cycles a round", x, y,
                NULL, count, false);
}

#define MB(number, words)                                                                          \
    {                                                                                              \
        .id = "mb" #number, .figures = "", .axes = "pattern warps rounds",                         \
        .paper = "Hong 2.4.2, table 3: Mb" #number,                                                \
        .text = "A loop of " words ", coalesced and uncoalesced.", .parameter = (number)-1,        \
        .plan = plan_mb, .fit = (number) == MBS ? fit_mb : NULL                                    \
    }

const struct bench bench_departure[] = {
    {.id = "departure",
     .figures = "departure_delay.coalesced departure_delay.uncoalesced dram.latency",
     .axes = "pattern warps rounds",
     .paper = "Hong 2.4.2, 2.5.1, table 5; 2.7",
     .text = "Coalesced and uncoalesced loads of one warp to those of a block, from which the "
             "model mwp-cwp is fitted.",
     .plan = plan_departure,
     .fit = fit_departure},
    MB(1, "20 floating-point instructions"),
    MB(2, "a load and 8 floating-point instructions"),
    MB(3, "a load and 20 floating-point instructions"),
    MB(4, "2 loads and 12 floating-point instructions"),
    MB(5, "2 loads and 20 floating-point instructions"),
    MB(6, "4 loads and 20 floating-point instructions"),
    MB(7, "6 loads and 20 floating-point instructions"),
    {0},
};

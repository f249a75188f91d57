// SPDX-License-Identifier: Apache-2.0
/* The question `power`: watts by unit, temperature, and how many SMs, which and at what clock take the
 * least energy. */
#include <math.h>
#include <string.h>

#include "answer/kernel_heat.h"
#include "answer/question.h"
#include "answer/words.h"
#include "base/quantity.h"
#include "model/power/clock_sweep.h"
#include "model/power/power_estimate.h"

struct power_unit_row {
    const char *id, *text;
    double access_rate, effective_rate, max_watts, watts, share;
    const char *reason; /* why there are no watts; NULL: there are */
};

struct power_sum {
    const char *id;
    double watts, share;
};
enum { SUMS = 4 };

struct power_best {
    const struct core_sweep_point *point;
    double saving, time_change;
};

struct power_clock_choice {
    const struct core_sweep_point *with;
    double clock_hz, saving;
};

struct power_machine {
    const struct machine *machine;
    const struct prediction *whole;
    const struct power_estimate *power;
    struct power_unit_row units[POWER_UNIT_COUNT];
    struct power_sum sums[SUMS];
    const struct core_sweep *cores;
    struct power_best best[POWER_METRIC_COUNT];
    const char *cores_advice, *jumps;
    const struct clock_sweep *clocks; /* NULL: not asked for */
    struct power_clock_choice best_clock, best_pair, edp, ed2p, limit;
    const char *clocks_advice;
    struct kernel_place place;
    size_t curve_count;
    const struct ipp_curve_point *curve;
    bool lists_cores, lists_clocks;
};

struct power_answer {
    const char *kernel;
    size_t count;
    struct power_machine *machines;
};

/* ---- figures --------------------------------------------------------------------------------- */

static double joules(const struct core_sweep_point *point, enum power_metric metric)
{
    return core_point_joules(&point->point, metric);
}

static double per_watt(const struct core_sweep_point *point, enum power_metric metric)
{
    return point->inst_per_second / core_point_watts(&point->point, metric);
}

#define FIGURE_FILE "answer/figures/power.def"
#include "base/figure_tables.h"

/* ---- inputs ---------------------------------------------------------------------------------- */

static const struct input_info inputs[] = {
    PREDICT_INPUTS,
    {"cores_first", INPUT_COUNT, "SM", "lowest SM count to try; default 1"},
    {"cores_last", INPUT_COUNT, "SM", "highest SM count to try; default: all SMs"},
    {"list_cores", INPUT_FLAG, "", "list every SM count in text and CSV"},
    {"clock_least", INPUT_NUMBER, "Hz",
     "lowest clock to try; default: ten steps from clock.least to clock.most of the machine, or "
     "from half of clock.core to clock.core"},
    {"clock_most", INPUT_NUMBER, "Hz", "highest clock; default: the lowest one"},
    {"clock_step", INPUT_NUMBER, "Hz", "clock step; default: a tenth of the range"},
    {"list_clocks", INPUT_FLAG, "", "list every clock in text and CSV"},
    {"no_clocks", INPUT_FLAG, "", "skip the search for clock and SM placement, which takes time"},
    {"run_s", INPUT_NUMBER, "s",
     "temperature over time: duration for which the kernel runs repeatedly"},
    {"cool_s", INPUT_NUMBER, "s", "duration of cooling down after that, with the GPU idle"},
    {"step_s", INPUT_NUMBER, "s", "time step; default: a 60th of the whole, at most 3.5 s"},
    {"start_degc", INPUT_NUMBER, "degC", "initial temperature; default: that of the idle chip"},
    {"uncoupled", INPUT_FLAG, "", "ignore the extra static power of the warmer chip"},
};

struct power_query {
    struct predict_options options;
    uint64_t first, last; /* 0: all SMs */
    struct clock_range clocks;
    struct ipp_curve_input curve; /* times, start and coupling */
    bool lists_cores, lists_clocks, has_clocks, has_curve;
};

static void read_clocks(const struct asked *asked, struct clock_range *out)
{
    *out = (struct clock_range){0};
    if (!asked_has(asked, "clock_least")) return;
    out->least_hz = asked_number(asked, "clock_least", 0);
    out->most_hz = asked_number(asked, "clock_most", out->least_hz);
    double step = (out->most_hz - out->least_hz) / 10;
    out->step_hz = asked_number(asked, "clock_step", step > 0 ? step : out->most_hz);
}

static void read_curve(const struct asked *asked, struct power_query *out)
{
    static const char *const names[] = {"run_s", "cool_s", "step_s", "start_degc", "uncoupled"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        out->has_curve |= asked_has(asked, names[i]);
    double run = asked_number(asked, "run_s", 0), cool = asked_number(asked, "cool_s", 0);
    /* Not longer than a tenth of the shortest time constant of a known GPU. */
    double step = fmin(3.5, (run + cool) / 60);
    out->curve = (struct ipp_curve_input){
        .run_seconds = run,
        .cool_seconds = cool,
        .step_seconds = asked_number(asked, "step_s", step),
        .start_celsius = asked_number(asked, "start_degc", NAN),
        .coupling = asked_flag(asked, "uncoupled") ? IPP_PRINTED : IPP_COUPLED,
    };
}

/* mwp-cwp alone is asked where it gives the times: the closed form (63) rests on it, too. A measured time needs
 * none of this. */
static void choose_model(struct predict_options *options)
{
    const char *name = models[MODEL_MWP_CWP]->name;
    bool is_time = false;
    for (size_t i = 0; i < options->option_count; i++) {
        const struct model_option *option = &options->options[i];
        if (!strcmp(option->key, "power_time_s")) return;
        if (!strcmp(option->key, "power_time")) is_time = !strcmp(option->value, name);
    }
    if (is_time) options->only = name;
}

static ws_status read_query(const struct asked *asked, struct power_query *out)
{
    *out = (struct power_query){0};
    if (asked->profile_count != 1 || !asked->machine_count)
        return diag_error(asked->diag, WS_ERR_ARGUMENT,
                          "the question 'power' requires one profile and at least one GPU");
    TRY(asked_predict_options(asked, &out->options));
    out->options.without_gains = out->options.without_details = true;
    choose_model(&out->options);
    TRY(asked_count(asked, "cores_first", 0, UINT32_MAX, 1, &out->first));
    TRY(asked_count(asked, "cores_last", 0, UINT32_MAX, UINT32_MAX, &out->last));
    read_clocks(asked, &out->clocks);
    read_curve(asked, out);
    out->lists_cores = asked_flag(asked, "list_cores");
    out->lists_clocks = asked_flag(asked, "list_clocks");
    out->has_clocks = !asked_flag(asked, "no_clocks");
    return WS_OK;
}

/* ---- watts ----------------------------------------------------------------------------------- */

static void fill_units(struct power_machine *out)
{
    const struct power_estimate *power = out->power;
    const struct ipp_watts *watts = &power->watts;
    for (size_t i = 0; i < POWER_UNIT_COUNT; i++)
        out->units[i] = (struct power_unit_row){
            .id = power_unit_infos[i].id,
            .text = power_unit_infos[i].text,
            .access_rate = power->rates[i],
            .effective_rate = watts->effective[i],
            .max_watts = power->max_watts[i],
            .watts = watts->units[i],
            .share = watts->units[i] / watts->gpu_watts,
            .reason = power->unit_reasons[i],
        };
    const struct power_sum sums[SUMS] = {{"const_sm", watts->const_sm_watts, 0},
                                         {"activation", watts->activation_watts, 0},
                                         {"idle", watts->idle_watts, 0},
                                         {"total", watts->gpu_watts, 0}};
    memcpy(out->sums, sums, sizeof sums);
    for (size_t i = 0; i < SUMS; i++)
        out->sums[i].share = sums[i].watts / watts->gpu_watts;
}

static ws_status find_power(const struct asked *asked, const struct power_query *query,
                            struct power_machine *out)
{
    const struct prediction *prediction;
    TRY(asked_predict(asked, asked->profiles[0], out->machine, &query->options, &prediction));
    if (!prediction->power) return core_sweep_no_power(asked->diag, prediction);
    out->whole = prediction;
    out->power = prediction->power;
    fill_units(out);
    return WS_OK;
}

/* ---- number of SMs --------------------------------------------------------------------------- */

static double time_change(const struct core_sweep_point *point, const struct core_sweep_point *than)
{
    return point->point.seconds / than->point.seconds - 1;
}

static const char *limit_of(const struct core_sweep_point *point)
{
    const char *words = component_words(point->bottleneck);
    return *words ? words : "a bottleneck that the model does not name";
}

/* How many SMs, and why: one sentence. */
static const char *advise_cores(const struct power_machine *at, struct arena *arena)
{
    const struct power_best *best = &at->best[POWER_METRIC_TOTAL];
    unsigned cores = (unsigned)best->point->point.cores;
    unsigned all = (unsigned)at->cores->all.point.cores;
    unsigned busy = (unsigned)at->power->active_sms; /* no other has a block */
    if (cores >= busy && busy < all)
        return arena_format(arena,
                            "the %u of %u SMs that have a block: fewer SMs would prolong the run "
                            "and with it the idle power",
                            busy, all);
    if (cores == all)
        return arena_format(arena,
                            "all %u SMs: fewer SMs save no energy, because the idle power of %.0f "
                            "W accrues for the whole run",
                            all, at->power->watts.idle_watts);
    return arena_format(
        arena, "%u of %u SMs: %.1f %% less energy, time %+.1f %%; limited there by %s", cores, all,
        100 * best->saving, 100 * best->time_change, limit_of(best->point));
}

static void release_cores(void *what)
{
    core_sweep_destroy(what);
}

static ws_status find_cores(const struct asked *asked, const struct power_query *query,
                            struct power_machine *out)
{
    struct core_sweep *sweep;
    unsigned sms = (unsigned)machine_get(out->machine, MACHINE_SM_COUNT, 0);
    unsigned last = query->last == UINT32_MAX ? sms : (unsigned)query->last;
    TRY(core_sweep_run(asked->diag, out->whole, (unsigned)query->first, last, &sweep));
    answer_own(asked->answer, release_cores, sweep);
    out->cores = sweep;
    for (size_t i = 0; i < POWER_METRIC_COUNT; i++) {
        const struct core_sweep_point *point = &sweep->points[sweep->best[i]];
        out->best[i] = (struct power_best){
            point, core_point_saving(&point->point, &sweep->all.point, (enum power_metric)i),
            time_change(point, &sweep->all)};
    }
    out->cores_advice = advise_cores(out, &asked->answer->arena);
    return WS_OK;
}

/* ---- clock ----------------------------------------------------------------------------------- */

static const char *gigahertz(struct arena *arena, double hz)
{
    return arena_format(arena, "%.4g GHz", hz / 1e9);
}

/* What a lower clock trades: watts of the SMs against a longer time, in which idle power is paid. */
static const char *clock_reason(const struct power_machine *at, struct arena *arena)
{
    const struct core_sweep_point *best = at->best_pair.with, *now = &at->clocks->now;
    if (at->best_pair.clock_hz >= at->clocks->now_hz)
        return arena_format(
            arena,
            "a lower clock prolongs the run, and the idle power of %.0f W accrues throughout",
            at->power->watts.idle_watts);
    return arena_format(arena, "the SMs draw %.1f W less, and the time is bound by %s",
                        now->sms_watts - best->sms_watts, limit_of(best));
}

/* Which clock, on how many SMs, and why: one sentence. */
static const char *advise_clock(const struct power_machine *at, struct arena *arena)
{
    const struct clock_sweep *clocks = at->clocks;
    const struct core_sweep_point *now = &clocks->now, *best = at->best_pair.with;
    unsigned all = (unsigned)now->point.cores, cores = (unsigned)best->point.cores;
    const char *others = "", *volts = "", *clock = gigahertz(arena, at->best_pair.clock_hz);
    const char *reason = clock_reason(at, arena);
    if (isnan(clocks->points[clocks->best].volts))
        volts = "; the voltage is unknown, so it is assumed constant over clocks";
    if (isfinite(clocks->divided_hz) && clocks->divided_hz < clocks->now_hz * (1 - 1e-9))
        others = arena_format(arena, "; (93) gives %s", gigahertz(arena, clocks->divided_hz));
    if (at->best_pair.clock_hz == clocks->now_hz && cores == all)
        return arena_format(arena, "%s with %s SMs, unchanged: %s%s%s", clock,
                            at->power->active_sms < all
                                ? arena_format(arena, "the %.0f active", at->power->active_sms)
                                : arena_format(arena, "all %u", all),
                            reason, others, volts);
    return arena_format(
        arena, "%s with %u of %u SMs: %.1f %% less energy than all at %s, time %+.1f %%: %s%s%s",
        clock, cores, all, 100 * at->best_pair.saving, gigahertz(arena, clocks->now_hz),
        100 * time_change(best, now), reason, others, volts);
}

static struct power_clock_choice choose_clock(const struct clock_sweep *sweep,
                                              const struct core_sweep_point *point, double clock_hz)
{
    return (struct power_clock_choice){
        point, clock_hz, core_point_saving(&point->point, &sweep->now.point, POWER_METRIC_TOTAL)};
}

static void release_clocks(void *what)
{
    clock_sweep_destroy(what);
}

static ws_status find_clocks(const struct asked *asked, const struct power_query *query,
                             struct power_machine *out)
{
    struct clock_sweep *sweep;
    TRY(clock_sweep_run(asked->diag, out->whole, out->cores, &query->clocks, &sweep));
    answer_own(asked->answer, release_clocks, sweep);
    const struct clock_sweep_point *all = &sweep->points[sweep->best_all];
    const struct clock_sweep_point *pair = &sweep->points[sweep->best];
    out->clocks = sweep;
    out->best_clock = choose_clock(sweep, &all->all, all->clock_hz);
    out->best_pair = choose_clock(sweep, &pair->best, pair->clock_hz);
    const struct clock_sweep_point *edp = &sweep->points[sweep->best_edp];
    const struct clock_sweep_point *ed2p = &sweep->points[sweep->best_ed2p];
    out->edp = choose_clock(sweep, &edp->all, edp->clock_hz);
    out->ed2p = choose_clock(sweep, &ed2p->all, ed2p->clock_hz);
    out->limit = choose_clock(sweep, &sweep->limit, sweep->limit_hz);
    out->clocks_advice = advise_clock(out, &asked->answer->arena);
    heat_place(asked, out->machine, &pair->best, &out->place);
    return WS_OK;
}

/* ---- jumps ----------------------------------------------------------------------------------- */

static const char *add_jump(struct arena *arena, const char *text, const char *step,
                            const struct core_sweep_point *before,
                            const struct core_sweep_point *after)
{
    if (!before->case_number || before->case_number == after->case_number) return text;
    return arena_format(arena, "%s%sfrom %s mwp-cwp passes from case %u to case %u: time %+.1f %%",
                        text, *text ? "; " : "", step, before->case_number, after->case_number,
                        100 * time_change(after, before));
}

static const char *find_jumps(const struct power_machine *at, struct arena *arena)
{
    const char *text = "";
    for (size_t i = 1; i < at->cores->count; i++) {
        const struct core_sweep_point *after = &at->cores->points[i], *before = after - 1;
        const char *step =
            arena_format(arena, "%.0f to %.0f SMs", before->point.cores, after->point.cores);
        text = add_jump(arena, text, step, before, after);
    }
    for (size_t i = 1; at->clocks && i < at->clocks->count; i++) {
        const struct clock_sweep_point *after = &at->clocks->points[i], *before = after - 1;
        const char *step = arena_format(arena, "%.4g to %.4g GHz with all SMs",
                                        before->clock_hz / 1e9, after->clock_hz / 1e9);
        text = add_jump(arena, text, step, &before->all, &after->all);
    }
    return text;
}

/* ---- temperature ----------------------------------------------------------------------------- */

static ws_status find_curve(const struct asked *asked, const struct power_query *query,
                            struct power_machine *out)
{
    struct ipp_curve_input in = query->curve;
    const struct machine *machine = out->machine;
    if (!ipp_read_thermal(machine, &in.thermal))
        return diag_error(asked->diag, WS_ERR_NO_MODEL,
                          "%s: the machine file lacks temperature.* or power.static_per_kelvin: "
                          "temperature is not modelled without measurements",
                          machine->name);
    in.idle_watts = out->power->watts.idle_watts;
    in.runtime_watts = out->power->watts.runtime_watts;
    in.intensity = out->power->intensity;
    if (isnan(in.start_celsius)) in.start_celsius = in.thermal.idle_celsius;
    TRY(ipp_curve_check(asked->diag, &in));
    out->curve_count = ipp_curve_count(&in);
    struct ipp_curve_point *points =
        ARENA_ARRAY(&asked->answer->arena, struct ipp_curve_point, out->curve_count);
    ipp_curve(&in, points);
    out->curve = points;
    return WS_OK;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static ws_status ask_machine(const struct asked *asked, const struct power_query *query,
                             struct power_machine *out)
{
    TRY(find_power(asked, query, out));
    TRY(find_cores(asked, query, out));
    if (query->has_clocks) TRY(find_clocks(asked, query, out));
    out->jumps = find_jumps(out, &asked->answer->arena);
    out->lists_cores = query->lists_cores;
    out->lists_clocks = query->lists_clocks;
    return query->has_curve ? find_curve(asked, query, out) : WS_OK;
}

static ws_status ask(struct asked *asked, const void **out)
{
    struct power_query query;
    struct power_answer *answer = ARENA_ARRAY(&asked->answer->arena, struct power_answer, 1);
    TRY(read_query(asked, &query));
    const char *kernel = asked->profiles[0]->kernel;
    answer->kernel = kernel ? kernel : "";
    answer->count = asked->machine_count;
    answer->machines =
        ARENA_ARRAY(&asked->answer->arena, struct power_machine, asked->machine_count);
    for (size_t i = 0; i < asked->machine_count; i++) {
        answer->machines[i].machine = asked->machines[i];
        TRY(ask_machine(asked, &query, &answer->machines[i]));
    }
    *out = answer;
    return WS_OK;
}

const struct question question_power = {
    .name = "power",
    .schema = "warpsage.power/1",
    .text = "How much power and energy does a kernel use, and which SMs and clock minimise it?",
    .record = &record_power,
    .inputs = inputs,
    .input_count = sizeof inputs / sizeof *inputs,
    .takes_profiles = true,
    .ask = ask,
};

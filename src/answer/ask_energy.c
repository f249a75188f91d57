// SPDX-License-Identifier: Apache-2.0
/* The question `energy`: does a faster run take less energy? Appendix A of Hong's thesis, from numbers
 * alone. */
#include <math.h>
#include <string.h>

#include "answer/question.h"
#include "model/closed_form/closed_form.h"
#include "model/closed_form/energy_form.h"

struct energy_row {
    double swept; /* value of what is swept; NAN: nothing is */
    double share; /* of the data that the GPU gets, 0 to 1; NAN: one device */
    double seconds, watts, speedup, efficiency;
};

/* Corners of the plane of speed-up and efficiency; AS_BEFORE: as the baseline in one of them. */
#define QUADRANTS(QUADRANT)                                                                        \
    QUADRANT(WORSE, slower_more_energy, "slower, more energy")                                     \
    QUADRANT(BETTER, faster_less_energy, "faster, less energy")                                    \
    QUADRANT(FASTER, faster_more_energy, "faster, more energy")                                    \
    QUADRANT(THRIFTY, slower_less_energy, "slower, less energy")                                   \
    QUADRANT(AS_BEFORE, as_before, "as before")
enum energy_quadrant {
#define QUADRANT(name, id, words) QUADRANT_##name,
    QUADRANTS(QUADRANT)
#undef QUADRANT
        QUADRANT_COUNT
};

struct energy_curve {
    const char *name;
    struct energy_row *rows;
    size_t count;
    const struct energy_row *best;
    double curvature; /* 0: a straight line */
    uint64_t quadrants[QUADRANT_COUNT];
};

struct energy_answer {
    const char *swept, *note; /* NULL: none */
    bool series;
    size_t count;
    struct energy_curve *curves;
};

/* ---- figures --------------------------------------------------------------------------------- */

static const char *const quadrant_words[] = {
#define QUADRANT(name, id, words) words,
    QUADRANTS(QUADRANT)
#undef QUADRANT
};

/* Within rounding of the baseline is the baseline. */
static int side_of(double ratio)
{
    return ratio > 1 + 1e-9 ? 1 : ratio < 1 - 1e-9 ? -1 : 0;
}

static enum energy_quadrant quadrant_of(const struct energy_row *row)
{
    int faster = side_of(row->speedup), less = side_of(row->efficiency);
    if (!faster || !less) return QUADRANT_AS_BEFORE;
    if (faster > 0) return less > 0 ? QUADRANT_BETTER : QUADRANT_FASTER;
    return less > 0 ? QUADRANT_THRIFTY : QUADRANT_WORSE;
}

#define FIGURE_FILE "answer/figures/energy.def"
#include "base/figure_tables.h"

/* ---- inputs ---------------------------------------------------------------------------------- */

#define DEVICE_INPUTS(device, words)                                                               \
    {device ".C", INPUT_NUMBER, "", "cores of " words},                                            \
        {device ".F", INPUT_NUMBER, "", "frequency of " words},                                    \
        {device ".lam", INPUT_NUMBER, "", "power weight of " words},                               \
        {device ".zeta", INPUT_NUMBER, "", "throughput of a core of " words "; default 1"},        \
        {device ".phi", INPUT_NUMBER, "", "slowdown of the benchmark on " words "; default 1"},    \
    {                                                                                              \
        device ".D", INPUT_NUMBER, "", "data of " words                                            \
    }

static const struct input_info inputs[] = {
    {"t0", INPUT_NUMBER, "", "time of the baseline"},
    {"tn", INPUT_NUMBER, "", "time of the run"},
    {"p0", INPUT_NUMBER, "", "power of the baseline"},
    {"pn", INPUT_NUMBER, "", "power of the run"},
    DEVICE_INPUTS("o", "the baseline"),
    {"o.B", INPUT_NUMBER, "", "idle power of the baseline; default 0"},
    DEVICE_INPUTS("n", "the device after"),
    {"n.B", INPUT_NUMBER, "", "idle power of the run; default 0"},
    DEVICE_INPUTS("cpu", "the CPU"),
    DEVICE_INPUTS("gpu", "the GPU"),
    {"B0", INPUT_NUMBER, "", "idle power of CPU and GPU together; default 0"},
    {"data", INPUT_NUMBER, "", "total data of CPU and GPU; default 100"},
    {"combined", INPUT_NUMBER, "1",
     "share of the smaller dynamic power that adds to the larger; default 1"},
    {"idle_device", INPUT_WORD, "", "on, or off: a device without data draws no power"},
    {"transfer", INPUT_NUMBER, "", "transfer time of the GPU data; default 0"},
    {"share", INPUT_NUMBER, "1",
     "share of the data processed on the GPU; default: 0 to 1 in steps of 0.1"},
    {"sweep", INPUT_WORD, "", "input to sweep"},
    {"sweep_first", INPUT_NUMBER, "", "first value of the sweep"},
    {"sweep_last", INPUT_NUMBER, "", "last value of the sweep"},
    {"sweep_step", INPUT_NUMBER, "", "step of the sweep; default 1"},
    {"series", INPUT_FLAG, "", "the sixteen series of table 16 in four configurations"},
    {"series.slow", INPUT_NUMBER, "", "phi of a slow device; default 4 (assumed)"},
    {"series.fast", INPUT_NUMBER, "", "phi of a fast device; default 1 (assumed)"},
    {"series.low", INPUT_NUMBER, "", "power weight of a low-power device; default 1 (assumed)"},
    {"series.high", INPUT_NUMBER, "", "power weight of a high-power device; default 4 (assumed)"},
    {"series.less", INPUT_NUMBER, "",
     "factor on throughput and power weight in the configurations; default 0.5 (assumed)"},
};
enum { VALUES = sizeof inputs / sizeof *inputs + 1, TERMS = 16, POINTS_MAX = 10000, SHARES = 11 };

/* Inputs of the closed forms, each name once: those of the question, and what is swept. */
struct values {
    ws_input items[VALUES];
    size_t count;
};

static const ws_input *find_value(const struct values *values, const char *name)
{
    for (size_t i = 0; i < values->count; i++)
        if (!strcmp(values->items[i].name, name)) return &values->items[i];
    return NULL;
}

static double number_of(const struct values *values, const char *name, double otherwise)
{
    const ws_input *found = find_value(values, name);
    return found ? found->value : otherwise;
}

static bool has_any(const struct values *values, const char *prefix)
{
    for (size_t i = 0; i < values->count; i++)
        if (!strncmp(values->items[i].name, prefix, strlen(prefix))) return true;
    return false;
}

static void put_value(struct values *values, ws_input value)
{
    size_t i = 0;
    while (i < values->count && strcmp(values->items[i].name, value.name) != 0)
        i++;
    values->items[i] = value;
    if (i == values->count) values->count++;
}

static void put_number(struct values *values, const char *name, double number)
{
    put_value(values, (ws_input){.name = name, .value = number});
}

static void put_default(struct values *values, const char *name, double number)
{
    if (!find_value(values, name)) put_number(values, name, number);
}

struct energy_query {
    struct diag *diag;
    struct arena *arena;
    struct values given;
    const char *sweep; /* NULL: nothing is swept */
    double first, step;
    size_t sweep_count;
    double share; /* NAN: 0 to 1 */
};

static ws_status read_sweep(const struct asked *asked, struct energy_query *out)
{
    out->sweep = asked_word(asked, "sweep");
    if (!out->sweep) return WS_OK;
    double last = asked_number(asked, "sweep_last", NAN);
    out->first = asked_number(asked, "sweep_first", NAN);
    out->step = asked_number(asked, "sweep_step", 1);
    if (!(out->step > 0) || !(last >= out->first))
        return diag_error(asked->diag, WS_ERR_ARGUMENT,
                          "invalid range of %s, from %g to %g in steps of %g: it must be ascending "
                          "with a step greater than 0",
                          out->sweep, out->first, last, out->step);
    if (!((last - out->first) / out->step <= POINTS_MAX))
        return diag_error(
            asked->diag, WS_ERR_ARGUMENT,
            "range of %s too long: from %g to %g in steps of %g has more than %d values",
            out->sweep, out->first, last, out->step, POINTS_MAX);
    while (out->first + (double)out->sweep_count * out->step <= last * (1 + 1e-12))
        out->sweep_count++;
    return WS_OK;
}

static ws_status read_query(struct asked *asked, struct energy_query *out)
{
    static const char *const own[] = {"share",      "sweep",      "sweep_first",
                                      "sweep_last", "sweep_step", "series"};
    *out = (struct energy_query){.diag = asked->diag, .arena = &asked->answer->arena};
    for (size_t i = 0; i < asked->input_count; i++) {
        size_t k = 0;
        while (k < sizeof own / sizeof *own && strcmp(own[k], asked->inputs[i].name) != 0)
            k++;
        if (k == sizeof own / sizeof *own) put_value(&out->given, asked->inputs[i]);
    }
    out->share = asked_number(asked, "share", NAN);
    if (!isnan(out->share) && !(out->share >= 0 && out->share <= 1))
        return diag_error(asked->diag, WS_ERR_ARGUMENT,
                          "invalid share %g %%: expected 0 to 100 percent of the data for the GPU",
                          100 * out->share);
    return read_sweep(asked, out);
}

/* ---- one row --------------------------------------------------------------------------------- */

/* What is not finite stays NAN. */
static ws_status evaluate(const struct energy_query *query, const char *function,
                          const struct values *values, struct energy_row *out)
{
    ws_term terms[TERMS];
    size_t found;
    TRY(model_evaluate(query->diag, function, values->items, values->count, terms, TERMS, &found));
    const struct {
        const char *name;
        double *to;
    } wanted[] = {{"tn", &out->seconds},
                  {"pn", &out->watts},
                  {"speedup", &out->speedup},
                  {"energy_efficiency", &out->efficiency}};
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++)
        *wanted[k].to = NAN;
    for (size_t i = 0; i < found && i < TERMS; i++)
        for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++)
            if (!strcmp(terms[i].name, wanted[k].name)) *wanted[k].to = terms[i].value;
    return WS_OK;
}

/* The baseline is the CPU alone with all data (112), unless o.* says otherwise. */
static void share_out(struct values *values, double share)
{
    static const char *const keys[][2] = {{"cpu.phi", "o.phi"},
                                          {"cpu.C", "o.C"},
                                          {"cpu.zeta", "o.zeta"},
                                          {"cpu.F", "o.F"},
                                          {"cpu.lam", "o.lam"}};
    double data = number_of(values, "data", 100);
    struct values out = {0};
    for (size_t i = 0; i < values->count; i++)
        if (strcmp(values->items[i].name, "data") != 0) put_value(&out, values->items[i]);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const ws_input *cpu = find_value(values, keys[i][0]);
        if (cpu) put_default(&out, keys[i][1], cpu->value);
    }
    put_default(&out, "o.D", data);
    put_number(&out, "cpu.D", data * (1 - share));
    put_number(&out, "gpu.D", data * share);
    *values = out;
}

/* row->swept and row->share say which; what the baseline shares with the CPU stays as it was. */
static ws_status find_row(const struct energy_query *query, const struct values *given,
                          struct energy_row *row)
{
    struct values values = *given;
    bool is_shared = isfinite(row->share);
    if (is_shared) share_out(&values, row->share);
    if (isfinite(row->swept)) put_number(&values, query->sweep, row->swept);
    return evaluate(query, is_shared ? "appA_hetero" : "appA_eff", &values, row);
}

/* ---- curves ---------------------------------------------------------------------------------- */

static void begin_curve(const struct energy_query *query, const char *name, size_t count,
                        struct energy_curve *out)
{
    out->name = name;
    out->count = count;
    out->rows = ARENA_ARRAY(query->arena, struct energy_row, count);
}

static void end_curve(const struct energy_query *query, struct energy_curve *curve)
{
    double *speedups = ARENA_ARRAY(query->arena, double, curve->count + 1);
    double *efficiencies = ARENA_ARRAY(query->arena, double, curve->count + 1);
    curve->best = curve->rows;
    for (size_t i = 0; i < curve->count; i++) {
        const struct energy_row *row = &curve->rows[i];
        size_t at = i; /* sorted by speed-up */
        for (; at && speedups[at - 1] > row->speedup; at--) {
            speedups[at] = speedups[at - 1];
            efficiencies[at] = efficiencies[at - 1];
        }
        speedups[at] = row->speedup;
        efficiencies[at] = row->efficiency;
        curve->quadrants[quadrant_of(row)]++;
        if (row->efficiency > curve->best->efficiency) curve->best = row;
    }
    curve->curvature = energy_curvature(speedups, efficiencies, curve->count);
}

static ws_status find_shares(const struct energy_query *query, const struct values *given,
                             double swept, const char *name, struct energy_curve *out)
{
    begin_curve(query, name, SHARES, out);
    for (size_t i = 0; i < SHARES; i++) {
        out->rows[i] = (struct energy_row){.swept = swept, .share = (double)i / 10};
        TRY(find_row(query, given, &out->rows[i]));
    }
    end_curve(query, out);
    return WS_OK;
}

static double swept_value(const struct energy_query *query, size_t i)
{
    return query->first + (double)i * query->step;
}

static ws_status find_sweep(const struct energy_query *query, double share,
                            struct energy_curve *out)
{
    begin_curve(query, query->sweep, query->sweep_count, out);
    for (size_t i = 0; i < out->count; i++) {
        out->rows[i] = (struct energy_row){.swept = swept_value(query, i), .share = share};
        TRY(find_row(query, &query->given, &out->rows[i]));
    }
    end_curve(query, out);
    return WS_OK;
}

/* A curve over the shares for each value that is swept. */
static ws_status find_swept_shares(const struct energy_query *query, struct energy_answer *out)
{
    out->count = query->sweep_count;
    out->curves = ARENA_ARRAY(query->arena, struct energy_curve, out->count);
    for (size_t i = 0; i < out->count; i++) {
        double value = swept_value(query, i);
        const char *name = arena_format(query->arena, "%s = %g", query->sweep, value);
        TRY(find_shares(query, &query->given, value, name, &out->curves[i]));
    }
    return WS_OK;
}

/* ---- table 16 -------------------------------------------------------------------------------- */

enum { CONFIGURATIONS = 4, SERIES = 16 };

static void scale(struct values *values, const char *zeta, const char *lambda, double factor)
{
    put_number(values, zeta, factor * number_of(values, zeta, 1));
    put_number(values, lambda, factor * number_of(values, lambda, 1));
}

/* Series 1 to 16: the CPU slow in 1 to 8, the GPU slow in 1 to 4 and 9 to 12 (A-A1); power low low,
 * low high, high low, high high. Configurations: as given, less CPU, less GPU, less of both. The thesis
 * prints no values: the defaults are guesses. */
static ws_status find_series(const struct energy_query *query, unsigned configuration,
                             unsigned series, struct energy_curve *out)
{
    static const char *const ones[] = {"cpu.C", "cpu.F", "gpu.C", "gpu.F", "B0"};
    const struct values *given = &query->given;
    double slow = number_of(given, "series.slow", 4), fast = number_of(given, "series.fast", 1);
    double low = number_of(given, "series.low", 1), high = number_of(given, "series.high", 4);
    double less = number_of(given, "series.less", 0.5);
    bool cpu_slow = series < 8, gpu_slow = !(series & 4);
    bool cpu_high = series & 2, gpu_high = series & 1;
    struct values values = {0};
    for (size_t i = 0; i < given->count; i++)
        if (strncmp(given->items[i].name, "series.", 7) != 0) put_value(&values, given->items[i]);
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        put_default(&values, ones[i], 1);
    put_number(&values, "cpu.phi", cpu_slow ? slow : fast);
    put_number(&values, "gpu.phi", gpu_slow ? slow : fast);
    put_number(&values, "cpu.lam", cpu_high ? high : low);
    put_number(&values, "gpu.lam", gpu_high ? high : low);
    if (configuration & 1) scale(&values, "cpu.zeta", "cpu.lam", less);
    if (configuration & 2) scale(&values, "gpu.zeta", "gpu.lam", less);
    const char *name =
        arena_format(query->arena, "%u.%u %s %s %s %s", configuration + 1, series + 1,
                     cpu_slow ? "slow" : "fast", gpu_slow ? "slow" : "fast",
                     cpu_high ? "high" : "low", gpu_high ? "high" : "low");
    return find_shares(query, &values, NAN, name, out);
}

static ws_status find_all_series(const struct energy_query *query, struct energy_answer *out)
{
    out->series = true;
    out->note = "Values of slow, fast, low and high are assumed: the thesis does not print them.";
    out->count = CONFIGURATIONS * SERIES;
    out->curves = ARENA_ARRAY(query->arena, struct energy_curve, out->count);
    for (unsigned i = 0; i < out->count; i++)
        TRY(find_series(query, i / SERIES, i % SERIES, &out->curves[i]));
    return WS_OK;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static ws_status find_one(const struct energy_query *query, const char *function, const char *name,
                          struct energy_curve *out)
{
    begin_curve(query, name, 1, out);
    struct energy_row *row = &out->rows[0];
    *row = (struct energy_row){.swept = NAN, .share = function ? (double)NAN : query->share};
    TRY(function ? evaluate(query, function, &query->given, row)
                 : find_row(query, &query->given, row));
    if (isnan(row->seconds)) row->seconds = number_of(&query->given, "tn", NAN);
    if (isnan(row->watts)) row->watts = number_of(&query->given, "pn", NAN);
    end_curve(query, out);
    return WS_OK;
}

static ws_status find_curves(const struct energy_query *query, struct energy_answer *out)
{
    const struct values *given = &query->given;
    bool has_gpu = has_any(given, "gpu."), has_new = has_any(given, "n.");
    bool has_share = isfinite(query->share), has_times = find_value(given, "t0") != NULL;
    if (!has_times && has_gpu && query->sweep && !has_share) return find_swept_shares(query, out);
    struct energy_curve *curve = ARENA_ARRAY(query->arena, struct energy_curve, 1);
    out->curves = curve;
    out->count = 1;
    if (has_times) return find_one(query, "energy_eff", "new against old", curve);
    if (has_gpu && query->sweep) return find_sweep(query, query->share, curve);
    if (has_gpu && !has_share) return find_shares(query, given, NAN, "CPU to GPU", curve);
    if (has_new && query->sweep) return find_sweep(query, NAN, curve);
    if (has_new) return find_one(query, "appA_eff", "new against old", curve);
    if (has_gpu) return find_one(query, NULL, "CPU and GPU", curve);
    return diag_error(query->diag, WS_ERR_ARGUMENT,
                      "no inputs given: use t0 tn p0 pn, a device before and after (o.* and n.*), "
                      "or cpu.* and gpu.*, as NAME=VALUE or in a .yaml file; or --series");
}

static ws_status ask(struct asked *asked, const void **out)
{
    struct energy_query query;
    struct energy_answer *answer = ARENA_ARRAY(&asked->answer->arena, struct energy_answer, 1);
    TRY(read_query(asked, &query));
    if (query.sweep) answer->swept = arena_copy(query.arena, query.sweep);
    query.sweep = answer->swept;
    TRY(asked_flag(asked, "series") ? find_all_series(&query, answer)
                                    : find_curves(&query, answer));
    *out = answer;
    return WS_OK;
}

const struct question question_energy = {
    .name = "energy",
    .schema = "warpsage.energy/1",
    .text = "Does a faster run use less energy?",
    .record = &record_energy,
    .inputs = inputs,
    .input_count = sizeof inputs / sizeof *inputs,
    .ask = ask,
};

// SPDX-License-Identifier: Apache-2.0
/* Coefficients of power and temperature, fitted to readings that a known model makes: whole watts and degrees. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calibrate/power.h"

#define NEAR(got, want, part)                                                                      \
    do {                                                                                           \
        double got_ = (got), want_ = (want);                                                       \
        if (!(fabs(got_ - want_) <= (part)*fabs(want_)))                                           \
            fail_msg("%s is %.6g, expected %.6g within %g %%", #got, got_, want_, 100 * (part));   \
    } while (0)

enum { INT, FP, SFU, ALU, TEXTURE, CONST, SHARED, REG, FDS, GLOBAL, LOCAL, L1, L2, ROWS = 200 };

struct rows {
    ws_context *context;
    const char *function; /* of the model */
    double sms, idle;
    unsigned count;
    struct power_row list[ROWS];
};

static double runtime_of(const struct rows *rows, const struct power_row *row)
{
    ws_input inputs[POWER_UNITS + 1];
    char names[POWER_UNITS][32];
    ws_term terms[16];
    size_t count = 0;
    for (unsigned i = 0; i < POWER_UNITS; i++) {
        snprintf(names[i], sizeof names[i], "rates.%s", power_unit_ids[i]);
        double part = !strcmp(rows->function, "power_gtx580") && power_unit_is_shared(i)
                          ? row->sms / rows->sms
                          : 1;
        inputs[i] = (ws_input){.name = names[i], .value = row->rates[i] * part};
    }
    inputs[POWER_UNITS] = (ws_input){.name = "active_sms", .value = row->sms};
    ws_status status = ws_model_evaluate(rows->context, rows->function, inputs, POWER_UNITS + 1,
                                         terms, 16, &count);
    if (status != WS_OK) fail_msg("%s", ws_context_error(rows->context));
    for (size_t i = 0; i < count; i++)
        if (!strcmp(terms[i].name, "runtime_w")) return terms[i].value;
    fail_msg("no runtime_w");
    return NAN;
}

/* As the campaign reads them: six readings, with pauses that lower the mean by up to a watt. */
static void add(struct rows *rows, const struct power_row *given)
{
    enum { READINGS = 6 };
    struct power_row row = *given;
    assert_true(rows->count < ROWS);
    double runtime = row.sms > 0 ? runtime_of(rows, &row) : 0;
    for (unsigned i = 0; i < READINGS; i++) {
        double share = row.sms > 0 ? 1 - (i + 0.5) / READINGS * fmin(0.75, 1 / runtime) : 0;
        row.watts += floor(rows->idle + share * runtime + 0.5) / READINGS;
        row.share += share / READINGS;
    }
    row.spread = row.sms > 0 ? 0.29 / READINGS : 0.29;
    rows->list[rows->count++] = row;
}

/* One unit at a rate, among multiply-adds at another; every instruction is fetched, and uses registers. */
static void add_mix(struct rows *rows, unsigned unit, double rate, double fp, double sms)
{
    struct power_row row = {.sms = sms};
    row.rates[unit] += rate;
    row.rates[FP] += fp;
    row.rates[CONST] += 0.001;
    row.rates[REG] = unit == FDS ? fp + 0.001 : rate + fp + 0.001;
    row.rates[FDS] = rate + fp + 0.001;
    add(rows, &row);
}

static void add_units(struct rows *rows)
{
    static const unsigned units[] = {INT, FP, SFU, ALU, CONST, SHARED, FDS};
    add(rows, &(struct power_row){.sms = 0});
    for (unsigned i = 0; i < sizeof units / sizeof *units; i++) {
        double most = units[i] == SFU ? 0.25 : 0.98;
        add_mix(rows, units[i], most, 0, rows->sms);
        add_mix(rows, units[i], 0.4 * most, 0, rows->sms);
        add_mix(rows, units[i], 0.1 * most, 0, rows->sms);
        add_mix(rows, units[i], 0.45 * most, 0.45, rows->sms);
        add_mix(rows, units[i], 0.05 * most, 0.9, rows->sms);
    }
    for (double sms = 1; sms <= rows->sms; sms += 3)
        add_mix(rows, FP, 0.9, 0, sms);
}

static void add_memory(struct rows *rows, double most)
{
    for (unsigned i = 1; i <= 5; i++) {
        double rate = most * i / 5;
        struct power_row row = {.sms = rows->sms};
        row.rates[REG] = row.rates[FDS] = rate;
        row.rates[GLOBAL] = rate;
        add(rows, &row);
    }
}

static struct rows begin(const char *function, double sms, double idle)
{
    struct rows rows = {.function = function, .sms = sms, .idle = idle};
    assert_int_equal(ws_context_create(&rows.context), WS_OK);
    return rows;
}

static void logarithmic_gpu_is_recovered(void **state)
{
    (void)state;
    struct rows rows = begin("power_gtx280", 30, 83);
    struct power_solution got;
    double fitted[ROWS];
    add_units(&rows);
    add_memory(&rows, 0.05);
    assert_true(power_solve(rows.context, rows.list, rows.count, 30, &got, fitted));
    assert_true(got.log_scales && got.scaling_is_known);
    NEAR(got.log_beta.value, 1.1, 0.05);
    NEAR(got.idle.value, 83, 0.01);
    NEAR(got.const_sm.value, 0.813, 0.05);
    assert_true(got.activation.value < 0.5);
    static const struct {
        unsigned unit;
        double watts;
        bool is_spec;
    } wanted[] = {{FP, 0.2, true},    {REG, 0.3, true},   {ALU, 0.2, false},
                  {SFU, 0.5, false},  {INT, 0.25, true},  {FDS, 0.5, true},
                  {SHARED, 1, false}, {CONST, 0.4, true}, {GLOBAL, 52, true}};
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const struct power_value *value = &got.max[wanted[i].unit];
        assert_true(value->is_known);
        NEAR(value->value, wanted[i].watts, 0.05);
        assert_int_equal(got.spec_linear[wanted[i].unit], wanted[i].is_spec);
    }
    assert_false(got.max[TEXTURE].is_known); /* no kernel used it */
    ws_context_destroy(rows.context);
}

/* Loads that end at different levels: the only ones that tell registers apart where all is linear. */
static void add_levels(struct rows *rows)
{
    for (unsigned i = 1; i <= 8; i++) {
        double rate = 0.05 * i;
        struct power_row hit = {.sms = 16}, miss, past;
        hit.rates[REG] = hit.rates[FDS] = rate;
        past = hit;
        hit.rates[L1] = rate;
        past.rates[L2] = rate;
        miss = hit;
        miss.rates[L2] = rate;
        add(rows, &hit);
        add(rows, &past);
        add(rows, &miss);
    }
}

/* The GTX 580 of the thesis has no coefficient of the ALU: add_units cannot ask for it. */
static void add_without_alu(struct rows *rows)
{
    static const unsigned units[] = {INT, FP, SFU, CONST, SHARED, FDS};
    add(rows, &(struct power_row){.sms = 0});
    for (unsigned i = 0; i < sizeof units / sizeof *units; i++)
        for (unsigned k = 1; k <= 5; k++)
            add_mix(rows, units[i], k * (units[i] == SFU ? 0.05 : 0.19), k % 2 ? 0 : 0.04 * k, 16);
    for (double sms = 1; sms <= 16; sms += 3)
        add_mix(rows, FP, 0.9, 0, sms);
}

static void linear_gpu_is_recovered(void **state)
{
    (void)state;
    struct rows rows = begin("power_gtx580", 16, 27);
    struct power_solution got;
    double fitted[ROWS];
    add_without_alu(&rows);
    add_memory(&rows, 0.18);
    add_levels(&rows);
    assert_true(power_solve(rows.context, rows.list, rows.count, 16, &got, fitted));
    assert_false(got.log_scales);
    NEAR(got.idle.value, 27, 0.02);
    NEAR(got.activation.value, 64, 0.02);
    assert_true(got.const_sm.value < 0.02);
    static const struct {
        unsigned unit;
        double watts;
    } wanted[] = {{FP, 1.1},  {INT, 1.1}, {REG, 0.8}, {FDS, 0.6},     {SHARED, 1.4},
                  {CONST, 1}, {SFU, 0.6}, {L1, 1.6},  {GLOBAL, 28.0}, {L2, 12}};
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        NEAR(got.max[wanted[i].unit].value, wanted[i].watts, 0.05);
        assert_true(got.max[wanted[i].unit].low <= wanted[i].watts * 1.02);
        assert_true(got.max[wanted[i].unit].high >= wanted[i].watts * 0.98);
    }
    ws_context_destroy(rows.context);
}

/* Without loads that end at several levels, registers of a linear GPU are part of every unit. */
static void registers_are_told_to_be_unknown(void **state)
{
    (void)state;
    struct rows rows = begin("power_gtx580", 16, 27);
    struct power_solution got;
    double fitted[ROWS];
    add_without_alu(&rows);
    assert_true(power_solve(rows.context, rows.list, rows.count, 16, &got, fitted));
    assert_false(got.max[REG].is_known);
    assert_false(got.max[GLOBAL].is_known);
    assert_true(got.max[FDS].is_known);
    ws_context_destroy(rows.context);
}

/* ---- temperature ------------------------------------------------------------------------------- */

enum { READINGS = 4000 };

/* (49), (50), (53) and (56), coupled; table 9. */
static unsigned heat(double watts, double intensity, struct reading *out)
{
    const double mu = 0.12, lambda = 5.5, rho = 21.505, sigma = 10.0 / 22, step = 0.2;
    double feedback = 1 - mu * sigma, rise = 0;
    double target = (mu * watts + lambda + rho * intensity) / feedback;
    unsigned count = 0;
    for (double t = step; t < 250; t += step) {
        rise += (target - rise) * -expm1(-step * feedback / 35);
        out[count++] = (struct reading){t, floor(83 + watts + sigma * rise + 0.5),
                                        floor(57.3 + rise + 0.5), 1};
    }
    for (double t = 250; t < 550; t += step) {
        rise *= exp(-step / 60);
        out[count++] =
            (struct reading){t + step, floor(83 + sigma * rise + 0.5), floor(57.3 + rise + 0.5), 0};
    }
    assert_true(count < READINGS);
    return count;
}

static void curves_are_recovered(void **state)
{
    (void)state;
    static const double watts[] = {12.3, 38.6, 61.2, 25.1, 58.7};
    static const double intensity[] = {0, 0, 0.19, 0.33, 0};
    struct power_curve curves[5];
    struct power_thermal got;
    for (unsigned i = 0; i < 5; i++) {
        struct reading *readings = calloc(READINGS, sizeof *readings);
        curves[i] =
            (struct power_curve){readings, heat(watts[i], intensity[i], readings), intensity[i]};
    }
    power_thermal_solve(curves, 5, 83, &got);
    assert_null(got.why);
    NEAR(got.idle.value, 57.3, 0.005);
    NEAR(got.per_watt.value, 0.12, 0.05);
    NEAR(got.offset.value, 5.5, 0.05);
    NEAR(got.by_intensity.value, 21.505, 0.05);
    NEAR(got.rc_rise.value, 35, 0.03);
    NEAR(got.rc_decay.value, 60, 0.03);
    NEAR(got.static_per_kelvin.value, 10.0 / 22, 0.05);
    for (unsigned i = 0; i < 5; i++)
        free((void *)(uintptr_t)curves[i].readings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithmic_gpu_is_recovered),
        cmocka_unit_test(linear_gpu_is_recovered),
        cmocka_unit_test(registers_are_told_to_be_unknown),
        cmocka_unit_test(curves_are_recovered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

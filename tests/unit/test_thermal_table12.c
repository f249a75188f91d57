// SPDX-License-Identifier: Apache-2.0
/* The constants of the 8800 GT that are marked HONGFIT, fitted again: table 12 of Hong's thesis, rows 1
 * and 9 only. The power model is wall = computer + (4 SM + n TPC + static) / 0.8. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "thermal_fixture.h"

static const double SUPPLY = 0.8;
static const unsigned ROW_1[] = {0, 7, 1, 8}, ROW_9[] = {0, 1, 2, 3};
static const double WATTS_1 = 253.68, WATTS_9 = 262.53, CELSIUS_1 = 76.99, CELSIUS_9 = 80.41;

struct pair {
    struct thermal_state one, nine;
};

static void set(ws_machine *machine, ws_context *context, const char *key, double value)
{
    char change[64];
    snprintf(change, sizeof change, "=%.17g", value);
    if (ws_machine_set(machine, key, change) != WS_OK) fail_msg("%s", ws_context_error(context));
}

static struct thermal_state solve(const struct fixture *f, const unsigned *sms)
{
    struct thermal_load load = {sms, 4, NAN, NAN, NAN, NULL};
    struct thermal_state state = {0};
    if (thermal_steady(fixture_diag(f), f->thermal, &load, &state, NULL, NULL) != WS_OK)
        fail_msg("%s", ws_context_error(f->context));
    return state;
}

static struct pair solve_pair(ws_context *context, ws_machine *machine)
{
    struct fixture f = {.context = context, .machine = machine};
    if (fixture_build(&f, THERMAL_CELLS, false) != WS_OK) fail_msg("%s", ws_context_error(context));
    struct pair pair = {solve(&f, ROW_1), solve(&f, ROW_9)};
    thermal_destroy(f.thermal);
    return pair;
}

static double get(const ws_machine *machine, const char *key)
{
    double value;
    assert_int_equal(ws_machine_get(machine, key, &value), WS_OK);
    return value;
}

static void check(const char *what, double fitted, double in_file)
{
    if (fabs(fitted - in_file) > 2e-6 * fabs(fitted))
        fail_msg("%s: fitted %.10g, in the file %.10g", what, fitted, in_file);
}

static void test_fit(void **state)
{
    (void)state;
    ws_context *context;
    ws_machine *machine;
    assert_int_equal(ws_context_create(&context), WS_OK);
    assert_int_equal(ws_machine_load(context, "8800gt", &machine), WS_OK);
    double tpc = get(machine, "power.active_tpc"), ambient = get(machine, "thermal.ambient");
    double resistance = get(machine, "thermal.sink.resistance");
    double growth = get(machine, "power.static_per_kelvin");
    /* Two TPCs more, and static power by the degrees measured: closed. */
    double fitted_tpc = ((WATTS_9 - WATTS_1) * SUPPLY - growth * (CELSIUS_9 - CELSIUS_1)) / 2;
    check("power.active_tpc", fitted_tpc, tpc);
    /* The rise from row 1 to row 9 grows with the resistance: by halving, from a wide range. */
    set(machine, context, "power.active_tpc", fitted_tpc);
    set(machine, context, "thermal.ambient", 35);
    double low = 0.05, high = 2;
    struct pair pair;
    for (unsigned i = 0; i < 34; i++) {
        double middle = (low + high) / 2;
        set(machine, context, "thermal.sink.resistance", middle);
        pair = solve_pair(context, machine);
        if (pair.nine.mean_celsius - pair.one.mean_celsius < CELSIUS_9 - CELSIUS_1)
            low = middle;
        else
            high = middle;
    }
    check("thermal.sink.resistance", low, resistance);
    check("thermal.ambient", 35 + CELSIUS_1 - pair.one.mean_celsius, ambient);
    /* The computer itself; papers/hong2012/published-thermal.json has it as system_watts. */
    double system = WATTS_1 - (pair.one.dynamic_watts + pair.one.static_watts) / SUPPLY;
    check("system_watts", system, 231.163686);
    ws_machine_destroy(machine);
    ws_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

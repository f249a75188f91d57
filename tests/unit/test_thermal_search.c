// SPDX-License-Identifier: Apache-2.0
/* The choice of SMs against every set of them, each solved by itself; the bound of large searches. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "thermal_fixture.h"

enum { CELLS = 16, MOST = 256 };

static struct fixture open_machine(const char *name, bool grid, unsigned cells)
{
    struct fixture f = {0};
    assert_int_equal(ws_context_create(&f.context), WS_OK);
    if (ws_machine_load(f.context, name, &f.machine) != WS_OK ||
        fixture_build(&f, cells, grid) != WS_OK)
        fail_msg("%s", ws_context_error(f.context));
    return f;
}

static struct thermal_load load_of(double sm, double tpc)
{
    return (struct thermal_load){NULL, 0, sm, tpc, 30, NULL};
}

static struct thermal_state solve(const struct fixture *f, struct thermal_load load,
                                  const unsigned *sms, size_t count)
{
    struct thermal_state state = {0};
    load.active_sms = sms;
    load.active_count = count;
    if (thermal_steady(fixture_diag(f), f->thermal, &load, &state, NULL, NULL) != WS_OK)
        fail_msg("%s", ws_context_error(f->context));
    return state;
}

/* Next set in lexicographic order; false after the last. */
static bool next_set(unsigned *sms, unsigned count, unsigned n)
{
    for (unsigned i = count; i-- > 0;) {
        if (sms[i] == n - count + i) continue;
        sms[i]++;
        for (unsigned j = i + 1; j < count; j++)
            sms[j] = sms[j - 1] + 1;
        return true;
    }
    return false;
}

static void check_all_sets(const struct fixture *f, double sm, double tpc, unsigned count)
{
    struct thermal_load load = load_of(sm, tpc);
    struct thermal_choice choice = {0};
    unsigned sms[MOST], best[MOST], chosen[MOST], sets = 0;
    double watts = INFINITY, peak = INFINITY;
    for (unsigned i = 0; i < count; i++)
        sms[i] = i;
    do {
        struct thermal_state state = solve(f, load, sms, count);
        sets++;
        bool less = state.dynamic_watts < watts - 1e-9;
        bool same = state.dynamic_watts < watts + 1e-9;
        if (!less && !(same && state.peak_celsius < peak - 1e-7)) continue;
        watts = state.dynamic_watts;
        peak = state.peak_celsius;
        memcpy(best, sms, sizeof best);
    } while (next_set(sms, count, f->plan->sm_count));
    if (thermal_best(fixture_diag(f), f->thermal, &load, count, &choice, chosen) != WS_OK)
        fail_msg("%s", ws_context_error(f->context));
    assert_true(choice.exact && choice.sets == sets);
    if (fabs(choice.peak_celsius - peak) > 1e-6 || fabs(choice.dynamic_watts - watts) > 1e-9)
        fail_msg("%u SMs: %.9g degC, %.9g W; of all sets %.9g degC, %.9g W", count,
                 choice.peak_celsius, choice.dynamic_watts, peak, watts);
    assert_true(choice.bound_celsius == choice.peak_celsius);
    struct thermal_state again = solve(f, load, chosen, count);
    assert_true(fabs(again.peak_celsius - choice.peak_celsius) < 1e-7);
    assert_int_equal(again.active_tpcs, choice.active_tpcs);
    for (unsigned i = 1; i < count; i++)
        assert_true(chosen[i] > chosen[i - 1]);
}

static void test_all_sets(void **state)
{
    (void)state;
    struct fixture f = open_machine("8800gt", false, CELLS);
    static const unsigned counts[] = {1, 2, 3, 4, 7, 13, 14};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        check_all_sets(&f, 2.4, 3, counts[i]);
        check_all_sets(&f, 2.4, 0, counts[i]); /* a TPC that costs nothing: any sets */
    }
    close_fixture(&f);
}

/* 30 SMs in TPCs of three: 14 million sets of nine, but only 120 in three TPCs. */
static void test_bound(void **state)
{
    (void)state;
    struct fixture f = open_machine("gtx280", true, CELLS);
    struct thermal_load load = load_of(2, 3);
    struct thermal_choice choice = {0};
    unsigned tpcs[] = {0, 1, 2}, chosen[9];
    double peak = INFINITY;
    assert_int_equal(f.plan->sm_count, 30);
    assert_int_equal(f.plan->tpc_count, 10);
    do {
        unsigned sms[9];
        for (unsigned i = 0; i < 9; i++)
            sms[i] = 3 * tpcs[i / 3] + i % 3;
        peak = fmin(peak, solve(&f, load, sms, 9).peak_celsius);
    } while (next_set(tpcs, 3, 10));
    assert_int_equal(thermal_best(fixture_diag(&f), f.thermal, &load, 9, &choice, chosen), WS_OK);
    assert_false(choice.exact);
    assert_true(choice.sets == 14307150);
    assert_int_equal(choice.active_tpcs, 3);
    assert_true(fabs(choice.peak_celsius - peak) < 1e-6);
    assert_true(choice.bound_celsius <= peak + 1e-9);
    /* The bound says something: above the chip at rest by most of the rise. */
    double rest = solve(&f, load, NULL, 0).peak_celsius;
    assert_true(choice.bound_celsius - rest > 0.5 * (peak - rest));
    close_fixture(&f);
}

static void check_large(const struct fixture *f, double sm, double tpc, unsigned count)
{
    struct thermal_load load = load_of(sm, tpc);
    struct thermal_choice choice = {0};
    unsigned sms[MOST];
    if (thermal_best(fixture_diag(f), f->thermal, &load, count, &choice, sms) != WS_OK)
        fail_msg("%s", ws_context_error(f->context));
    struct thermal_state state = solve(f, load, sms, count);
    assert_true(fabs(state.peak_celsius - choice.peak_celsius) < 1e-7);
    assert_true(fabs(state.dynamic_watts - choice.dynamic_watts) < 1e-9);
    assert_true(choice.bound_celsius <= choice.peak_celsius + 1e-9);
    assert_true(choice.bound_celsius > state.rest_celsius);
    if (tpc > 0) assert_int_equal(choice.active_tpcs, (count + 1) / 2);
    for (unsigned i = 1; i < count; i++)
        assert_true(sms[i] > sms[i - 1]);
}

static void test_large(void **state)
{
    (void)state;
    struct fixture f = open_machine("h200", true, CELLS);
    check_large(&f, 3, 1, 66);
    check_large(&f, 3, 1, 65); /* one TPC is half at work */
    check_large(&f, 3, 0, 20);
    check_large(&f, 3, 1, 128);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_sets),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

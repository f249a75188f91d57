// SPDX-License-Identifier: Apache-2.0
/* The thermal network against what is known exactly: series of resistances, a fin, a lump, reciprocity,
 * the balance of energy. tests/thermal/slab.yaml has the slab's figures. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "thermal_fixture.h"

#define SLAB TESTS_DIR "/thermal/slab.yaml"
enum { CELLS = 64, MOST_CELLS = 128 };

static const double SIDE = 0.01; /* of the slab, m */

#define assert_near(got, wanted, tolerance) check_near((got), (wanted), (tolerance), #got, __LINE__)
static void check_near(double got, double wanted, double tolerance, const char *what, int line)
{
    if (!(fabs(got - wanted) <= tolerance))
        fail_msg("line %d: %s is %.12g, not %.12g", line, what, got, wanted);
}

static struct fixture open_machine(const char *name)
{
    struct fixture f = {0};
    assert_int_equal(ws_context_create(&f.context), WS_OK);
    if (strchr(name, '/'))
        assert_int_equal(ws_context_set_machine_dir(f.context, TESTS_DIR "/machines/good"), WS_OK);
    if (ws_machine_load(f.context, name, &f.machine) != WS_OK)
        fail_msg("%s", ws_context_error(f.context));
    return f;
}

static void set(struct fixture *f, const char *key, const char *change)
{
    if (ws_machine_set(f->machine, key, change) != WS_OK)
        fail_msg("%s", ws_context_error(f->context));
}

static void build(struct fixture *f, unsigned cells, bool grid)
{
    if (fixture_build(f, cells, grid) != WS_OK) fail_msg("%s", ws_context_error(f->context));
}

static struct fixture open_slab(unsigned cells)
{
    struct fixture f = open_machine(SLAB);
    build(&f, cells, false);
    return f;
}

static struct thermal_load load_of(const unsigned *sms, size_t count)
{
    return (struct thermal_load){sms, count, NAN, NAN, NAN, NULL};
}

static struct thermal_state solve(struct fixture *f, const struct thermal_load *load, double *cells,
                                  struct thermal_heat *blocks)
{
    struct thermal_state state = {0};
    if (thermal_steady(fixture_diag(f), f->thermal, load, &state, cells, blocks) != WS_OK)
        fail_msg("%s", ws_context_error(f->context));
    return state;
}

/* ---- steady ---------------------------------------------------------------------------------- */

/* Four SMs of 5 W on 1 cm2: q = 2e5 W/m2 through die 0.5 mm / 100, paste 4 mm2 K/W, spreader 2 mm / 400,
 * paste 6, sink 5 mm / 200, and 0.8 K/W of air x 1e-4 m2. */
static void test_slab_in_series(void **state)
{
    (void)state;
    static const unsigned all[] = {0, 1, 2, 3};
    static double cells[CELLS * CELLS];
    double q = 20 / (SIDE * SIDE);
    double die = 5e-4 / 100 + 4e-6, spreader = 2e-3 / 400 + 6e-6, sink = 5e-3 / 200;
    double air = 0.8 * SIDE * SIDE;
    struct fixture f = open_slab(CELLS);
    struct thermal_load load = load_of(all, 4);
    struct thermal_state found = solve(&f, &load, cells, NULL);
    double wanted = 25 + q * (die + spreader + sink + air);
    for (size_t i = 0; i < CELLS * CELLS; i++)
        assert_near(cells[i], wanted, 1e-9 * wanted);
    assert_near(found.peak_celsius, wanted, 1e-9 * wanted);
    assert_near(found.sink_celsius, 25 + q * (sink / 2 + air), 1e-9 * wanted);
    assert_near(found.spreader_celsius, 25 + q * (1e-3 / 400 + 6e-6 + sink + air), 1e-9 * wanted);
    close_fixture(&f);
}

/* A die whose left half is heated, on a spreader that conducts so well that it has one temperature: the
 * excess obeys k t T'' = T / r - q, no heat through the edges. With m = 1 / sqrt(k t r):
 *     left   q r (1 - cosh(m x) sinh(m (L - a)) / sinh(m L))
 *     right  q r sinh(m a) cosh(m (L - x)) / sinh(m L) */
static double fin(double x)
{
    double q = 10 / (SIDE * SIDE / 2), a = SIDE / 2, r = 5e-4 / 100 + 1e-3 / 1e9 + 4e-6;
    double m = 1 / sqrt(100 * 5e-4 * r);
    if (x < a) return q * r * (1 - cosh(m * x) * sinh(m * (SIDE - a)) / sinh(m * SIDE));
    return q * r * sinh(m * a) * cosh(m * (SIDE - x)) / sinh(m * SIDE);
}

static double fin_error(unsigned cells)
{
    static const unsigned left[] = {0, 2};
    static double found[MOST_CELLS * MOST_CELLS];
    struct fixture f = open_machine(SLAB);
    double worst = 0;
    set(&f, "machine.thermal.spreader.conductivity", "=1e9");
    build(&f, cells, false);
    struct thermal_load load = load_of(left, 2);
    struct thermal_state state = solve(&f, &load, found, NULL);
    for (unsigned i = 0; i < cells; i++) {
        double x = (i + 0.5) * SIDE / cells;
        double excess = found[(size_t)cells / 3 * cells + i] - state.spreader_celsius;
        worst = fmax(worst, fabs(excess - fin(x)));
    }
    close_fixture(&f);
    return worst;
}

static void test_fin(void **state)
{
    (void)state;
    double coarse = fin_error(32), usual = fin_error(64), fine = fin_error(128);
    /* The second difference is off by h^2 m^2 / 12, m^2 = 1 / (100 x 0.5 mm x 9 mm2 K/W). */
    double h = SIDE / 64, m2 = 1 / (100 * 5e-4 * 9e-6);
    assert_true(usual < h * h * m2 / 12 * fin(0));
    /* Second order: half the cell, a quarter of the error. */
    assert_in_range((int)(10 * coarse / usual), 33, 47);
    assert_in_range((int)(10 * usual / fine), 33, 47);
}

static void test_symmetry(void **state)
{
    (void)state;
    static const unsigned first[] = {0}, second[] = {1};
    static double a[CELLS * CELLS], b[CELLS * CELLS];
    struct fixture f = open_slab(CELLS);
    struct thermal_load load = load_of(first, 1), mirrored = load_of(second, 1);
    solve(&f, &load, a, NULL);
    solve(&f, &mirrored, b, NULL);
    assert_true(a[0] > a[CELLS - 1] + 1);
    for (unsigned y = 0; y < CELLS; y++)
        for (unsigned x = 0; x < CELLS; x++) {
            assert_near(a[y * CELLS + x], b[y * CELLS + CELLS - 1 - x], 1e-9);
            assert_near(a[y * CELLS + x], a[x * CELLS + y], 1e-9); /* the diagonal */
        }
    close_fixture(&f);
}

/* What an SM adds to another is what the other adds to it, for blocks of different sizes that cut
 * through cells; and sets add up. */
static void test_reciprocity_and_superposition(void **state)
{
    (void)state;
    static const unsigned several[] = {3, 9, 12};
    struct fixture f = open_machine("8800gt");
    static struct thermal_heat base[64], one[14][64], all[64];
    size_t block_of[14] = {0};
    build(&f, CELLS, false);
    size_t block_count = f.plan->block_count;
    assert_true(block_count < 64 && f.plan->sm_count == 14 && f.plan->tpc_count == 7);
    for (size_t i = 0; i < block_count; i++) {
        const struct floorplan_block *block = &f.plan->blocks[i];
        if (block->kind != FLOORPLAN_SM) continue;
        block_of[block->sm] = i;
        assert_int_equal(block->tpc, block->sm % 7);
    }
    struct thermal_load load = load_of(NULL, 0);
    load.watts_per_tpc = 0;
    solve(&f, &load, NULL, base);
    for (unsigned sm = 0; sm < 14; sm++) {
        load.active_sms = &sm;
        load.active_count = 1;
        solve(&f, &load, NULL, one[sm]);
    }
    for (unsigned i = 0; i < 14; i++)
        for (unsigned j = 0; j < i; j++) {
            double ij = one[i][block_of[j]].mean_celsius - base[block_of[j]].mean_celsius;
            double ji = one[j][block_of[i]].mean_celsius - base[block_of[i]].mean_celsius;
            assert_true(ij > 0);
            assert_near(ij, ji, 1e-9 * ij);
        }
    load.active_sms = several;
    load.active_count = 3;
    solve(&f, &load, NULL, all);
    for (size_t b = 0; b < block_count; b++) {
        double sum = base[b].mean_celsius;
        for (size_t k = 0; k < 3; k++)
            sum += one[several[k]][b].mean_celsius - base[b].mean_celsius;
        assert_near(all[b].mean_celsius, sum, 1e-9 * sum);
    }
    close_fixture(&f);
}

static void check_balance(struct fixture *f, const struct thermal_load *load)
{
    static struct thermal_heat blocks[2048];
    assert_true(f->plan->block_count <= 2048);
    struct thermal_state state = solve(f, load, NULL, blocks);
    double in = state.idle_watts + state.dynamic_watts + state.static_watts, sum = 0;
    assert_near(state.sink_watts, in, 1e-9 * in);
    for (size_t i = 0; i < f->plan->block_count; i++)
        sum += blocks[i].watts;
    assert_near(sum, in, 1e-9 * in);
}

static void test_energy_balance(void **state)
{
    (void)state;
    static const unsigned few[] = {0, 3, 7, 11};
    static double further[64];
    struct fixture f = open_machine("8800gt");
    build(&f, CELLS, false);
    struct thermal_load load = load_of(few, 4);
    check_balance(&f, &load);
    further[1] = 3.25;
    further[20] = 0.5;
    load.block_watts = further;
    check_balance(&f, &load);
    close_fixture(&f);
    f = open_machine("h200");
    build(&f, CELLS, true);
    load = load_of(few, 4);
    load.watts_per_sm = 4;
    load.watts_per_tpc = 1;
    load.idle_watts = 80;
    check_balance(&f, &load);
    assert_non_null(thermal_assumption(f.thermal, 0));
    close_fixture(&f);
}

/* ---- a lump: everything conducts so well that there is one temperature ------------------------- */

static struct fixture open_lump(const char *conductivity, const char *growth)
{
    static const char *const layers[] = {"die", "spreader", "sink"};
    struct fixture f = open_machine(SLAB);
    for (size_t i = 0; i < 3; i++) {
        char key[64];
        snprintf(key, sizeof key, "machine.thermal.%s.conductivity", layers[i]);
        set(&f, key, conductivity);
    }
    set(&f, "machine.thermal.interface", "=0");
    set(&f, "machine.thermal.bond", "=0");
    set(&f, "machine.power.static_per_kelvin", growth);
    build(&f, 8, false);
    return f;
}

/* Capacity of the lump: 1.6e6 x 0.5 mm + 3.5e6 x 2 mm + 2.5e6 x 5 mm, x 1 cm2, + 10 J/K. */
static const double LUMP = (1.6e6 * 5e-4 + 3.5e6 * 2e-3 + 2.5e6 * 5e-3) * 1e-4 + 10;

static void test_static_power(void **state)
{
    (void)state;
    static const unsigned one[] = {2};
    struct fixture f = open_lump("=1e6", "=0.5");
    struct thermal_load load = load_of(one, 1);
    load.idle_watts = 12;
    struct thermal_state found = solve(&f, &load, NULL, NULL);
    double r = 0.8 + (5e-4 + 2e-3 + 5e-3) / 1e6 / 1e-4;  /* air, and what is left of the layers */
    double rest = 25 + r * 12, rise = 5 / (1 / r - 0.5); /* (G - S) T = P */
    assert_near(found.rest_celsius, rest, 1e-7);
    assert_near(found.mean_celsius, rest + rise, 1e-7);
    assert_near(found.static_watts, 0.5 * rise, 1e-7);
    close_fixture(&f);
    /* Beyond half of what the sink takes the fixed point does not converge; the state is still there. */
    f = open_lump("=1e6", "=1.2");
    found = solve(&f, &load, NULL, NULL);
    assert_near(found.rest_celsius, rest, 1e-6);
    assert_near(found.mean_celsius, rest + 5 / (1 / r - 1.2), 1e-5);
    close_fixture(&f);
    f = open_machine(SLAB);
    set(&f, "machine.power.static_per_kelvin", "=1.3"); /* 1 / 0.8 = 1.25 */
    assert_int_equal(fixture_build(&f, 8, false), WS_ERR_COMPARE);
    assert_non_null(strstr(ws_context_error(f.context), "no steady temperature"));
    close_fixture(&f);
}

static double lump_error(double step, bool cold)
{
    static const unsigned all[] = {0, 1, 2, 3};
    static struct thermal_point points[600];
    struct fixture f = open_lump("=1e8", "=0");
    const struct thermal_run run = {60, step, cold};
    struct thermal_load load = load_of(all, 4);
    size_t count;
    double tau = 0.8 * LUMP, worst = 0;
    load.idle_watts = 10;
    double start = cold ? 25 : 25 + 0.8 * 10, end = 25 + 0.8 * 30;
    if (thermal_transient(fixture_diag(&f), f.thermal, &load, &run, points, 600, &count) != WS_OK)
        fail_msg("%s", ws_context_error(f.context));
    assert_true(count <= 600 && count == (size_t)ceil(60 / step) + 1);
    for (size_t i = 0; i < count; i++) {
        double t = points[i].seconds, wanted = end + (start - end) * exp(-t / tau);
        worst = fmax(worst, fabs(points[i].mean_celsius - wanted));
        assert_near(points[i].watts, 30, 1e-9);
        assert_near(points[i].joules, 30 * t, 1e-7);
    }
    assert_near(points[count - 1].seconds, 60, 1e-9);
    close_fixture(&f);
    return worst;
}

static void test_transient_of_a_lump(void **state)
{
    (void)state;
    double coarse = lump_error(2, false), fine = lump_error(1, false),
           finer = lump_error(0.5, false);
    assert_true(fine < 4e-3);                           /* of 16 K */
    assert_in_range((int)(10 * coarse / fine), 33, 47); /* second order */
    assert_in_range((int)(10 * fine / finer), 33, 47);
    assert_true(lump_error(0.5, true) < 2e-3);
}

static void test_transient_ends_steady(void **state)
{
    (void)state;
    static const unsigned few[] = {0, 1, 7, 8};
    static struct thermal_point points[2000];
    struct fixture f = open_machine("8800gt");
    build(&f, 32, false);
    struct thermal_load load = load_of(few, 4);
    const struct thermal_run run = {5000, 10, false};
    size_t count;
    struct thermal_state end = solve(&f, &load, NULL, NULL);
    assert_int_equal(
        thermal_transient(fixture_diag(&f), f.thermal, &load, &run, points, 2000, &count), WS_OK);
    assert_int_equal(count, 501);
    assert_near(points[0].mean_celsius, end.rest_celsius, 1e-9 * end.rest_celsius);
    assert_near(points[500].peak_celsius, end.peak_celsius, 1e-8);
    assert_near(points[500].watts, end.sink_watts, 1e-8);
    for (size_t i = 1; i < count; i++) {
        double mean = (points[i].watts + points[i - 1].watts) / 2;
        assert_true(points[i].peak_celsius >= points[i - 1].peak_celsius - 1e-9);
        assert_near(points[i].joules - points[i - 1].joules,
                    mean * (points[i].seconds - points[i - 1].seconds), 1e-6);
    }
    close_fixture(&f);
}

/* ---- bad input ------------------------------------------------------------------------------- */

static void expect(struct fixture *f, ws_status got, ws_status wanted, const char *words)
{
    if (got != wanted || !strstr(ws_context_error(f->context), words))
        fail_msg("status %d: %s", (int)got, ws_context_error(f->context));
}

static void test_bad_loads(void **state)
{
    (void)state;
    static const unsigned twice[] = {1, 2, 1}, far[] = {4}, good[] = {1};
    static const double negative[] = {0, 0, -1, 0};
    struct fixture f = open_slab(8);
    struct thermal_state out = {0};
    struct thermal_load load = load_of(twice, 3);
    expect(&f, thermal_steady(fixture_diag(&f), f.thermal, &load, &out, NULL, NULL),
           WS_ERR_ARGUMENT, "duplicate SM 1");
    load = load_of(far, 1);
    expect(&f, thermal_steady(fixture_diag(&f), f.thermal, &load, &out, NULL, NULL),
           WS_ERR_ARGUMENT, "SM 4 is out of range: slab has 4 SMs, 0 to 3");
    load = load_of(good, 1);
    load.watts_per_sm = -2;
    expect(&f, thermal_steady(fixture_diag(&f), f.thermal, &load, &out, NULL, NULL),
           WS_ERR_ARGUMENT, "at least 0 W");
    load.watts_per_sm = INFINITY;
    expect(&f, thermal_steady(fixture_diag(&f), f.thermal, &load, &out, NULL, NULL),
           WS_ERR_ARGUMENT, "power must be finite");
    load = load_of(good, 1);
    load.block_watts = negative;
    expect(&f, thermal_steady(fixture_diag(&f), f.thermal, &load, &out, NULL, NULL),
           WS_ERR_ARGUMENT, "block 'sm2': power must be finite and at least 0 W (got -1 W)");
    close_fixture(&f);
}

static void test_bad_runs(void **state)
{
    (void)state;
    static const unsigned good[] = {1};
    struct fixture f = open_slab(8);
    struct thermal_load load = load_of(good, 1);
    size_t count;
    static const struct {
        double seconds, step;
        const char *words;
    } cases[] = {{-1, 0, "must be greater than 0"},
                 {10, 20, "exceeds the transient"},
                 {1000, 6, "too large"},
                 {1000, 1e-6, "too many"},
                 {10, -1, "at least 0 s"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct thermal_run run = {cases[i].seconds, cases[i].step, false};
        expect(&f, thermal_transient(fixture_diag(&f), f.thermal, &load, &run, NULL, 0, &count),
               WS_ERR_ARGUMENT, cases[i].words);
    }
    close_fixture(&f);
}

static ws_status ask(struct fixture *f, const ws_input *inputs, size_t input_count)
{
    const ws_machine *machines[] = {f->machine};
    const ws_question question = {.size = sizeof question,
                                  .name = "thermal",
                                  .machines = machines,
                                  .machine_count = 1,
                                  .inputs = inputs,
                                  .input_count = input_count};
    ws_answer *answer;
    ws_status status = ws_ask(f->context, &question, &answer);
    ws_answer_destroy(answer);
    return status;
}

static void test_bad_machines(void **state)
{
    (void)state;
    static const ws_input grid[] = {{.name = "cells", .value = 8},
                                    {.name = "grid_floorplan", .value = 1},
                                    {.name = "active_sms", .value = 0}};
    static const ws_input coarse[] = {{.name = "cells", .value = 1}};
    static const ws_input unknown[] = {{.name = "block", .word = "mc9"},
                                       {.name = "block_watts", .value = 1}};
    struct fixture f = open_machine("v100");
    expect(&f, ask(&f, grid, 1), WS_ERR_NO_MODEL, "has no floorplan");
    expect(&f, ask(&f, grid, 2), WS_ERR_NO_MODEL, "die.area");
    set(&f, "machine.die.area", "=815mm2");
    expect(&f, ask(&f, grid, 3), WS_ERR_NO_MODEL, "power.active_sm");
    close_fixture(&f);
    f = open_machine(SLAB);
    expect(&f, ask(&f, coarse, 1), WS_ERR_ARGUMENT, "2 to 128");
    expect(&f, ask(&f, unknown, 1), WS_ERR_ARGUMENT, "expected one 'block_watts'");
    expect(&f, ask(&f, unknown, 2), WS_ERR_ARGUMENT, "unknown block 'mc9'");
    set(&f, "machine.sm.count", "=5");
    expect(&f, fixture_build(&f, 8, false), WS_ERR_COMPARE, "has 5 SMs, but its floorplan has 4");
    close_fixture(&f);
    f = open_machine(SLAB);
    set(&f, "machine.thermal.spreader.width", "=5mm");
    expect(&f, fixture_build(&f, 8, false), WS_ERR_ARGUMENT, "does not cover the die");
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slab_in_series),
        cmocka_unit_test(test_fin),
        cmocka_unit_test(test_symmetry),
        cmocka_unit_test(test_reciprocity_and_superposition),
        cmocka_unit_test(test_energy_balance),
        cmocka_unit_test(test_static_power),
        cmocka_unit_test(test_transient_of_a_lump),
        cmocka_unit_test(test_transient_ends_steady),
        cmocka_unit_test(test_bad_loads),
        cmocka_unit_test(test_bad_runs),
        cmocka_unit_test(test_bad_machines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
/* The throughput model's questions, on inputs by hand whose answers are worked out beside them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <warpsage/warpsage.h>

struct world {
    ws_context *context;
    ws_machine *machine;
};

static int set_up(void **state)
{
    static struct world world;
    assert_int_equal(ws_context_create(&world.context), WS_OK);
    assert_int_equal(ws_machine_load(world.context, "gtx580", &world.machine), WS_OK);
    /* Table 14, with reading T-1; no limit by the memory port. */
    const struct {
        const char *key, *value;
    } figures[] = {{"dram.bandwidth", "=150GB/s"},
                   {"dram.latency", "=450cycle"},
                   {"departure_delay.coalesced", "=1cycle"},
                   {"departure_delay.uncoalesced", "=10cycle"}};
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        if (ws_machine_set(world.machine, figures[i].key, figures[i].value) != WS_OK)
            fail_msg("%s", ws_context_error(world.context));
    *state = &world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;
    ws_machine_destroy(world->machine);
    ws_context_destroy(world->context);
    return 0;
}

static void expect_close(double got, double want, double within)
{
    if (!(fabs(got - want) <= within * fabs(want))) fail_msg("%.12g, expected %.12g", got, want);
}

static ws_throughput ask(struct world *world, const char *inputs)
{
    ws_predict_options options = {.size = sizeof options, .model_options = inputs};
    ws_throughput out = {.size = sizeof out};
    if (ws_throughput_predict(world->context, NULL, world->machine, &options, &out) != WS_OK)
        fail_msg("%s", ws_context_error(world->context));
    return out;
}

static const char inputs[] = "tp.fp_fused_insts=48,tp.int_insts=10,tp.mem_insts=2,"
                             "tp.mem_indep_strength=2,tp.bytes_per_thread=4,tp.n=32,tp.dep=4";

/* 60 instructions, one a cycle; EffComp 30, EffMem 450. MWP_App min(450/30, 32) 2 = 30. MWP_BW: 150e9
 * / (1.544e9 128 / 450 x 16) = 21.347. MWP 21.347, idle 450 32 / 21.347 + 30 (20.347) - 30 32. */
static void by_hand(void **state)
{
    ws_throughput t = ask(*state, inputs);
    double bw = 150e9 / (1.544e9 * 128 / 450 * 16);
    double idle = 450 * 32 / bw + 30 * (bw - 1) - 30 * 32, ratio = 24 * 32 / (30 * 32 + idle);
    expect_close(t.eff_comp_cycles, 30, 1e-12);
    expect_close(t.eff_mem_cycles, 450, 1e-12);
    expect_close(t.mwp_app, 30, 1e-12);
    expect_close(t.mwp_bw, bw, 1e-12);
    expect_close(t.idle_cycles, idle, 1e-9);
    expect_close(t.eff_ratio, ratio, 1e-9);
    expect_close(t.perf_flops, 1.544e9 * 32 * 16 * 2 * ratio, 1e-9);
    /* 32 warps a core in 960 cycles of computation and two periods' idle ones. */
    expect_close(t.warp_rate, 1.544e9 * 16 * 32 / (60 * 32 + 2 * idle), 1e-9);
    assert_int_equal(t.category, 8); /* N >= 15, 21.3 < 0.85 x 30 */
    expect_close(t.cores_exact, 16 * bw / 30, 1e-12);
    assert_int_equal(t.cores_suggested, 12); /* 11.4, up */
    assert_int_equal(t.n_suggested, 22);     /* 22.8, down */
}

/* Warps per second of 16 cores and this MWP: by the readings for predictions, the ramp is paid once in
 * the two periods, and a warp does not hide its own access. */
static double rate(double cores, double mwp)
{
    double idle = fmax(0, 450 * 32 / mwp + 30 * (mwp - 1) / 2 - 30 * 31);
    return cores * 32 / (60 * 32 + 2 * idle);
}

static void gains(void **state)
{
    ws_throughput t = ask(*state, inputs);
    double bw = 150e9 / (1.544e9 * 128 / 450 * 16), now = rate(16, bw);
    expect_close(t.gain_bandwidth, rate(16, 1.1 * bw) / now, 1e-9);
    expect_close(t.gain_cores, rate(1.1 * 16, bw / 1.1) / now, 1e-9);
    expect_close(t.gain_core, rate(17, bw * 16 / 17) / now, 1e-9);
    assert_true(t.gain_bandwidth >= 1 && t.gain_cores >= 1);
}

/* All in L1: 60 instructions, 48 of them useful. */
static void bounds(void **state)
{
    ws_throughput t = ask(*state, inputs);
    assert_int_equal(t.bound_count, 3);
    assert_string_equal(t.bounds[0].name, "l1");
    expect_close(t.bounds[0].perf_flops, 1.544e9 * 32 * 16 * 2 * 48 / 60, 1e-9);
    assert_string_equal(t.bounds[2].name, "dram");
    expect_close(t.bounds[2].perf_flops, t.perf_flops, 1e-12);
    assert_true(t.bounds[1].perf_flops < t.bounds[0].perf_flops);
    assert_true(t.bounds[1].perf_flops > t.bounds[2].perf_flops);
}

/* Lanes 128 bytes apart: 32 lines, 450 + 31 x 10 cycles, 32 x 128 bytes (cc 2.0 moves lines). */
static void distance(void **state)
{
    ws_throughput t =
        ask(*state, "tp.int_insts=100,tp.mem_insts=1,tp.distance_mem_bytes=128,tp.n=8");
    expect_close(t.eff_mem_cycles, 450 + 31 * 10, 1e-12);
    assert_true(!t.has_flops && t.has_memory);
}

static void points(void **state)
{
    struct world *world = *state;
    ws_throughput t = ask(world, inputs);
    ws_throughput_point list[2] = {{.cores = 16, .n = 32}, {.cores = 8, .n = 16}};
    assert_int_equal(ws_throughput_points(world->context, list, 2), WS_OK);
    expect_close(list[0].warp_rate, t.warp_rate, 1e-12);
    assert_int_equal(list[0].category, 8);
    /* Half the cores: MWP_BW 42.7; N = 16: MWP 16, no idle cycles but the ramp's. */
    double idle = 450 + 30 * 15 - 30 * 16;
    expect_close(list[1].warp_rate, 1.544e9 * 8 * 16 / (60 * 16 + 2 * idle), 1e-9);
    assert_int_equal(list[1].category, 10);
    list[1].n = 0;
    assert_int_equal(ws_throughput_points(world->context, list, 2), WS_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(by_hand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(gains, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bounds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(distance, set_up, tear_down),
        cmocka_unit_test_setup_teardown(points, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
/* The throughput model's questions, on inputs by hand whose answers are worked out beside them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
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

/* Inputs of the question, NAME=VALUE with commas between them. */
static ws_question question_of(const struct world *world, const char *words)
{
    static ws_input inputs[16];
    static char text[256];
    static const ws_machine *machines[1];
    ws_question question = {.size = sizeof question,
                            .name = "throughput",
                            .machines = machines,
                            .machine_count = 1,
                            .inputs = inputs};
    char *rest = NULL;
    machines[0] = world->machine;
    strcpy(text, words);
    for (char *one = strtok_r(text, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(one, '=');
        *equals = '\0';
        inputs[question.input_count++] = (ws_input){.name = one, .value = strtod(equals + 1, NULL)};
    }
    return question;
}

static ws_answer *ask(const struct world *world, const char *words)
{
    ws_question question = question_of(world, words);
    ws_answer *answer;
    if (ws_ask(world->context, &question, &answer) != WS_OK)
        fail_msg("%s", ws_context_error(world->context));
    return answer;
}

static double get(const ws_answer *answer, const char *path)
{
    char whole[128] = "machines/gtx580/";
    return ws_answer_number(answer, strcat(whole, path));
}

static const char inputs[] = "fp_fused_insts=48,int_insts=10,mem_insts=2,mem_indep_strength=2,"
                             "bytes_per_thread=4,n=32,dep=4";

/* 60 instructions, one a cycle; EffComp 30, EffMem 450. MWP_App min(450/30, 32) 2 = 30. MWP_BW: 150e9
 * / (1.544e9 128 / 450 x 16) = 21.347. MWP 21.347, idle 450 32 / 21.347 + 30 (20.347) - 30 32. */
static void by_hand(void **state)
{
    ws_answer *t = ask(*state, inputs);
    double bw = 150e9 / (1.544e9 * 128 / 450 * 16);
    double idle = 450 * 32 / bw + 30 * (bw - 1) - 30 * 32, ratio = 24 * 32 / (30 * 32 + idle);
    expect_close(get(t, "memory/eff_comp_cycles"), 30, 1e-12);
    expect_close(get(t, "memory/eff_mem_cycles"), 450, 1e-12);
    expect_close(get(t, "memory/mwp_app"), 30, 1e-12);
    expect_close(get(t, "memory/mwp_bw"), bw, 1e-12);
    expect_close(get(t, "memory/idle_cycles"), idle, 1e-9);
    expect_close(get(t, "eff_ratio"), ratio, 1e-9);
    expect_close(get(t, "perf_flop_per_s"), 1.544e9 * 32 * 16 * 2 * ratio, 1e-9);
    /* 32 warps a core in 960 cycles of computation and two periods' idle ones. */
    expect_close(get(t, "warps_per_s"), 1.544e9 * 16 * 32 / (60 * 32 + 2 * idle), 1e-9);
    assert_true(get(t, "memory/category") == 8); /* N >= 15, 21.3 < 0.85 x 30 */
    expect_close(get(t, "memory/cores_exact"), 16 * bw / 30, 1e-12);
    assert_true(get(t, "memory/cores") == 12); /* 11.4, up */
    assert_true(get(t, "memory/n") == 22);     /* 22.8, down */
    ws_answer_destroy(t);
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
    ws_answer *t = ask(*state, inputs);
    double bw = 150e9 / (1.544e9 * 128 / 450 * 16), now = rate(16, bw);
    expect_close(get(t, "gains/bandwidth_10_percent"), rate(16, 1.1 * bw) / now, 1e-9);
    expect_close(get(t, "gains/sms_10_percent"), rate(1.1 * 16, bw / 1.1) / now, 1e-9);
    expect_close(get(t, "gains/one_more_sm"), rate(17, bw * 16 / 17) / now, 1e-9);
    assert_true(get(t, "gains/bandwidth_10_percent") >= 1 && get(t, "gains/sms_10_percent") >= 1);
    ws_answer_destroy(t);
}

/* All in L1: 60 instructions, 48 of them useful. */
static void bounds(void **state)
{
    ws_answer *t = ask(*state, inputs);
    double l1 = get(t, "bounds/l1/perf_flop_per_s"), dram = get(t, "bounds/dram/perf_flop_per_s");
    assert_int_equal(ws_node_count(ws_node_find(ws_answer_root(t), "machines/0/bounds")), 3);
    expect_close(l1, 1.544e9 * 32 * 16 * 2 * 48 / 60, 1e-9);
    assert_true(l1 == get(t, "bounds/0/perf_flop_per_s"));
    expect_close(dram, get(t, "perf_flop_per_s"), 1e-12);
    assert_true(get(t, "bounds/1/perf_flop_per_s") < l1);
    assert_true(get(t, "bounds/1/perf_flop_per_s") > dram);
    ws_answer_destroy(t);
}

/* Lanes 128 bytes apart: 32 lines, 450 + 31 x 10 cycles, 32 x 128 bytes (cc 2.0 moves lines). */
static void distance(void **state)
{
    ws_answer *t = ask(*state, "int_insts=100,mem_insts=1,distance_mem_bytes=128,n=8");
    expect_close(get(t, "memory/eff_mem_cycles"), 450 + 31 * 10, 1e-12);
    assert_true(isnan(get(t, "perf_flop_per_s")));
    ws_answer_destroy(t);
}

static void points(void **state)
{
    struct world *world = *state;
    static const char *const varied[] = {"sms", "n"};
    static const char *const figures[] = {"category", "warps_per_s"};
    static const char *const unknown[] = {"categories"};
    double in[] = {16, 32, 8, 16}, out[4];
    ws_question question = question_of(world, inputs);
    ws_answer *t = ask(world, inputs);
    assert_int_equal(ws_ask_points(world->context, &question, varied, 2, in, figures, 2, out, 2),
                     WS_OK);
    expect_close(out[1], get(t, "warps_per_s"), 1e-12);
    assert_true(out[0] == 8);
    /* Half the cores: MWP_BW 42.7; N = 16: MWP 16, no idle cycles but the ramp's. */
    double idle = 450 + 30 * 15 - 30 * 16;
    expect_close(out[3], 1.544e9 * 8 * 16 / (60 * 16 + 2 * idle), 1e-9);
    assert_true(out[2] == 10);
    in[3] = 0;
    assert_int_equal(ws_ask_points(world->context, &question, varied, 2, in, figures, 2, out, 2),
                     WS_ERR_ARGUMENT);
    assert_int_equal(ws_ask_points(world->context, &question, varied, 2, in, unknown, 1, out, 1),
                     WS_ERR_ARGUMENT);
    assert_non_null(strstr(ws_context_error(world->context), "did you mean 'category'"));
    ws_answer_destroy(t);
}

/* The same program on one SM, then two: rows by warps, then by SMs. */
static void sweep(void **state)
{
    ws_answer *t = ask(*state, "int_insts=100,n=4,sweep=4,sweep=8");
    ws_node table = ws_node_find(ws_answer_root(t), "machines/gtx580/sweep");
    double sms[32], n[32];
    assert_int_equal(ws_node_count(table), 32);
    assert_int_equal(ws_table_numbers(table, 0, 0, sms, 32), 32);
    assert_int_equal(ws_table_numbers(table, 1, 0, n, 32), 32);
    assert_true(sms[0] == 1 && sms[15] == 16 && sms[16] == 1 && n[15] == 4 && n[16] == 8);
    ws_answer_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(by_hand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(gains, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bounds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(distance, set_up, tear_down),
        cmocka_unit_test_setup_teardown(points, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sweep, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

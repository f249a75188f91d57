// SPDX-License-Identifier: Apache-2.0
/* What-ifs on machines, and which class prices which. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "machine/machine.h"

static struct machine *load(const char *name)
{
    struct diag diag = {0};
    struct machine *machine;
    if (machine_load(&diag, SOURCE_DIR "/data/machines", name, &machine) != WS_OK)
        fail_msg("%s", diag.text);
    return machine;
}

/* ---- what-ifs -------------------------------------------------------------------------------- */

/* From the gtx280's 30 SMs, 1.3 GHz, 141.7 GB/s, 16 KiB, 65 nm. */
static const struct {
    const char *path, *change;
    double value;
} changes[] = {
    {"sm.count", "=60", 60},
    {"machine.sm.count", "=*2", 60},
    {"sm.count", "=+1", 31},
    {"sm.count", "=-1", 29},
    {"sm.count", "=+50%", 45},
    {"sm.count", "=+25%", 37}, /* whole SMs */
    {"sm.count", "=-10%", 27},
    {"sm.count", "=*0.5", 15},
    {"clock.core", "=2e9", 2e9},
    {"clock.core", "=2GHz", 2e9},
    {"clock.core", "=+700MHz", 2e9},
    {"clock.core", "=-300MHz", 1e9},
    {"clock.core", "=+1e8", 1.4e9},
    {"dram.bandwidth", "=900GB/s", 900e9},
    {"dram.bandwidth", "=4.8TB/s", 4.8e12},
    {"dram.bandwidth", "=*2", 283.4e9},
    {"shared.per_sm", "=48KiB", 49152},
    {"shared.per_sm", "=+16KiB", 32768},
    {"process", "=5nm", 5e-9},
    {"l2.size", "=6MiB", 6291456},
    {"l2.latency", "=200cycle", 200}, /* the file does not know it */
    {"throughput.fp64.fma", "=32thread/cycle", 32},
};

static void test_changes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct machine *machine = load("gtx280");
        struct diag diag = {0};
        if (machine_set(&diag, machine, changes[i].path, changes[i].change) != WS_OK)
            fail_msg("%s", diag.text);
        const char *bare =
            strncmp(changes[i].path, "machine.", 8) ? changes[i].path : changes[i].path + 8;
        int key = machine_key_find(bare);
        assert_true(key >= 0);
        const struct machine_value *value = &machine->values[key];
        if (!value->known || fabs(value->value - changes[i].value) > 1e-12 * changes[i].value)
            fail_msg("%s %s gives %.17g", changes[i].path, changes[i].change, value->value);
        assert_string_equal(value->source, "what-if");
        assert_int_equal(value->line, 0);
        machine_destroy(machine);
    }
}

static const struct {
    const char *path, *change, *words;
} mistakes[] = {
    {"sm.coutn", "=60", "did you mean 'sm.count'"},
    {"machine.clock", "=60", "unknown machine key 'clock'"},
    {"sm.count", "60", "invalid change '60': expected =V"},
    {"sm.count", "=", "invalid change '"},
    {"sm.count", "=*", "invalid change '"},
    {"sm.count", "=many", "invalid change '"},
    {"sm.count", "=nan", "invalid change '"},
    {"sm.count", "=--1", "invalid change '"},
    {"sm.count", "=50%", "invalid change '"},
    {"sm.count", "=*50%", "invalid change '"},
    {"sm.count", "=60B", "is a count: remove 'B'"},
    {"sm.count", "=*2GHz", "remove 'GHz'"},
    {"sm.count", "=8x", "remove 'x'"},
    {"sm.count", "=30.5", "must be a whole number"},
    {"sm.count", "=0", "cannot be 0"},
    {"sm.count", "=-31", "cannot be negative"},
    {"sm.count", "=-100%", "cannot be 0"},
    {"sm.count", "=*1e300", "is too large"},
    {"clock.core", "=1e999", "invalid change '"},
    {"clock.core", "=*1e308", "must be a finite number"},
    {"clock.core", "=900GB/s", "unknown unit 'GB/s', expected one of Hz, kHz, MHz, GHz"},
    {"l2.latency", "=*2", "does not define machine.l2.latency: use =V"},
};

static void test_mistakes(void **state)
{
    (void)state;
    struct machine *machine = load("gtx280");
    struct diag diag = {0};
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        ws_status status = machine_set(&diag, machine, mistakes[i].path, mistakes[i].change);
        if (status != WS_ERR_ARGUMENT)
            fail_msg("%s %s: status %d", mistakes[i].path, mistakes[i].change, (int)status);
        if (!strstr(diag.text, mistakes[i].words))
            fail_msg("%s %s: does not say \"%s\": %s", mistakes[i].path, mistakes[i].change,
                     mistakes[i].words, diag.text);
    }
    assert_true(machine_get(machine, MACHINE_SM_COUNT, 0) == 30); /* nothing was changed */
    assert_false(machine_has(machine, MACHINE_L2_LATENCY));
    machine_destroy(machine);
    diag_clear(&diag);
}

/* Threads and warps are one limit with two names. */
static void test_resident_warps_and_threads_go_together(void **state)
{
    (void)state;
    struct machine *machine = load("v100");
    struct diag diag = {0};
    assert_int_equal(machine_set(&diag, machine, "sm.max_warps", "=*2"), WS_OK);
    assert_true(machine_get(machine, MACHINE_SM_MAX_THREADS, 0) == 4096);
    assert_int_equal(machine_set(&diag, machine, "sm.max_threads", "=1024"), WS_OK);
    assert_true(machine_get(machine, MACHINE_SM_MAX_WARPS, 0) == 32);
    machine_destroy(machine);
}

/* A curve by warps is of a pipe: with twice the lanes it is twice as high. */
static void test_curves_follow_their_pipe(void **state)
{
    (void)state;
    struct machine *machine = load("gtx285");
    struct diag diag = {0};
    const struct machine_curve *curves = machine->curves;
    double multiply_adds = machine_curve_at(&curves[CURVE_INSTRUCTION], 6);
    double shared = machine_curve_at(&curves[CURVE_SHARED], 6);
    assert_int_equal(machine_set(&diag, machine, "throughput.fp32.fma", "=*0.5"), WS_OK);
    assert_true(machine_curve_at(&curves[CURVE_INSTRUCTION], 6) == multiply_adds / 2);
    assert_true(machine_curve_at(&curves[CURVE_SHARED], 6) == shared / 2); /* 4 B a lane */
    assert_int_equal(machine_set(&diag, machine, "throughput.fp32.fma", "=*2"), WS_OK);
    assert_true(machine_curve_at(&curves[CURVE_INSTRUCTION], 6) == multiply_adds);
    machine_destroy(machine);
}

static void test_what_the_file_says_is_remembered(void **state)
{
    (void)state;
    struct machine *machine = load("gtx280");
    struct diag diag = {0};
    assert_int_equal(machine_set(&diag, machine, "sm.count", "=*2"), WS_OK);
    assert_int_equal(machine_set(&diag, machine, "sm.count", "=+1"), WS_OK);
    assert_int_equal(machine_set(&diag, machine, "l2.latency", "=200"), WS_OK);
    struct machine *loaded = machine_as_loaded(machine);
    assert_true(machine_get(machine, MACHINE_SM_COUNT, 0) == 61);
    assert_true(machine_get(loaded, MACHINE_SM_COUNT, 0) == 30);
    assert_false(machine_has(loaded, MACHINE_L2_LATENCY));
    mem_free(loaded);
    machine_destroy(machine);
}

/* ---- prices ---------------------------------------------------------------------------------- */

static void forget_prices(struct machine *machine)
{
    for (size_t key = MACHINE_THROUGHPUT_FIRST; key < MACHINE_KEY_COUNT; key++)
        machine->values[key].known = false;
}

static void know(struct machine *machine, unsigned first, enum insn_class id, double value)
{
    machine->values[first + id] = (struct machine_value){.value = value, .known = true};
}

static void test_prices_fall_back(void **state)
{
    (void)state;
    static const struct {
        enum insn_class id;
        double value; /* -1: not known */
    } expected[] = {
        {CLASS_FP32_ADD, 64},   {CLASS_FP32_MUL, 64},        {CLASS_FP32_FMA, 64},
        {CLASS_FP32_DIV, 16},   {CLASS_SFU_SQRT, 16},        {CLASS_SFU_EX2, 16},
        {CLASS_SFU_TANH, 16},   {CLASS_INT_ADD, 32},         {CLASS_LOGIC, 32},
        {CLASS_MOVE, 32},       {CLASS_SELECT, 32},          {CLASS_CMP, 32},
        {CLASS_INT_MINMAX, 32}, {CLASS_SHIFT, 32},           {CLASS_CONTROL, 32},
        {CLASS_INT_MUL24, 8},   {CLASS_INT_MUL, 8},          {CLASS_INT_MAD, 8},
        {CLASS_FP64_FMA, -1},   {CLASS_FP64_DIV, -1},        {CLASS_INT_DIV, -1},
        {CLASS_CONVERT, -1},    {CLASS_CONVERT_INT, -1},     {CLASS_TENSOR, -1},
        {CLASS_OTHER, 16},      {CLASS_MEM_GLOBAL_LOAD, -1}, {CLASS_BF16, 0},
    };
    struct machine *machine = load("v100");
    forget_prices(machine);
    know(machine, MACHINE_THROUGHPUT_FIRST, CLASS_FP32_MUL, 64);
    know(machine, MACHINE_THROUGHPUT_FIRST, CLASS_SFU_LG2, 16);
    know(machine, MACHINE_THROUGHPUT_FIRST, CLASS_INT_ADD, 32);
    know(machine, MACHINE_THROUGHPUT_FIRST, CLASS_INT_MAD, 8);
    know(machine, MACHINE_THROUGHPUT_FIRST, CLASS_FP16, 0);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        double value = -1;
        bool known = machine_throughput(machine, expected[i].id, &value);
        if (known != (expected[i].value >= 0) || (known && value != expected[i].value))
            fail_msg("%s: %g, not %g", class_ids[expected[i].id], value, expected[i].value);
    }
    machine_destroy(machine);
}

/* Special functions' rate for the bit counts of cc 7.0 and later; from 8.6 on integers become floats (I2FP)
 * at the rate of additions. Latencies are not theirs. */
static void test_prices_by_generation(void **state)
{
    (void)state;
    static const struct {
        const char *machine;
        double other, from_int, convert;
    } expected[] = {{"gtx680", 160, 32, 32}, {"v100", 16, 16, 16},    {"a100", 16, 16, 16},
                    {"rtx3090", 16, 64, 16}, {"rtx4090", 16, 64, 16}, {"h100", 16, 64, 16}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct machine *machine = load(expected[i].machine);
        double other = 0, from_int = 0, convert = 0;
        assert_true(machine_throughput(machine, CLASS_OTHER, &other));
        assert_true(machine_throughput(machine, CLASS_CONVERT_INT, &from_int));
        assert_true(machine_throughput(machine, CLASS_CONVERT, &convert));
        assert_true(other == expected[i].other && from_int == expected[i].from_int &&
                    convert == expected[i].convert);
        machine_destroy(machine);
    }
    double latency;
    struct machine *machine = load("v100");
    assert_false(machine_latency(machine, CLASS_OTHER, &latency));
    machine_destroy(machine);
}

/* A class's own figure wins; latencies have their own. */
static void test_own_prices_win(void **state)
{
    (void)state;
    struct machine *machine = load("v100");
    double value;
    assert_true(machine_throughput(machine, CLASS_FP32_MINMAX, &value) && value == 64);
    assert_true(machine_latency(machine, CLASS_FP64_FMA, &value) && value == 8);
    assert_true(machine_latency(machine, CLASS_CMP, &value) && value == 4); /* int.add's */
    assert_true(machine_latency(machine, CLASS_SFU_RSQRT, &value) && value == 31);
    assert_false(machine_latency(machine, CLASS_SHUFFLE, &value));
    machine_destroy(machine);
    machine = load("gtx285");
    assert_true(machine_throughput(machine, CLASS_FP32_MUL, &value) && value == 10);
    assert_true(machine_throughput(machine, CLASS_FP32_FMA, &value) && value == 8);
    machine_destroy(machine);
}

/* Hong, thesis, table 6: M_Factor = 8 lanes over the throughput. */
static void test_m_factors_of_the_thesis(void **state)
{
    (void)state;
    static const struct {
        enum insn_class id;
        double m;
    } table[] = {{CLASS_FP32_ADD, 1}, {CLASS_FP32_MUL, 1}, {CLASS_FP32_FMA, 1}, {CLASS_INT_ADD, 1},
                 {CLASS_FP32_DIV, 4}, {CLASS_INT_MUL, 4},  {CLASS_INT_DIV, 30}};
    struct machine *machine = load("gtx280");
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        double lanes;
        assert_true(machine_throughput(machine, table[i].id, &lanes));
        assert_true(fabs(8 / lanes - table[i].m) < 1e-3);
    }
    machine_destroy(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_resident_warps_and_threads_go_together),
        cmocka_unit_test(test_curves_follow_their_pipe),
        cmocka_unit_test(test_what_the_file_says_is_remembered),
        cmocka_unit_test(test_prices_fall_back),
        cmocka_unit_test(test_prices_by_generation),
        cmocka_unit_test(test_own_prices_win),
        cmocka_unit_test(test_m_factors_of_the_thesis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

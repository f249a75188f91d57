// SPDX-License-Identifier: Apache-2.0
/* Reading machine files: conversions, inheritance, aliases, and that nothing broken breaks it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "machine/machine.h"
#include "machine/machine_read.h"

#define MACHINES SOURCE_DIR "/data/machines"
#define GOOD TESTS_DIR "/machines/good"

static struct machine *load(const char *dir, const char *name)
{
    struct diag diag = {0};
    struct machine *machine;
    if (machine_load(&diag, dir, name, &machine) != WS_OK) fail_msg("%s", diag.text);
    diag_clear(&diag);
    return machine;
}

struct given_figure {
    enum machine_key key;
    double value;
};

static void check_figures(const struct machine *machine, const struct given_figure *figures,
                          size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct machine_value *value = &machine->values[figures[i].key];
        if (!value->known || fabs(value->value - figures[i].value) > 1e-12 * figures[i].value)
            fail_msg("%s: %s is %.17g, not %.17g", machine->id,
                     machine_key_infos[figures[i].key].path, value->value, figures[i].value);
    }
}
#define CHECK_FIGURES(machine, figures)                                                            \
    check_figures((machine), (figures), sizeof(figures) / sizeof((figures)[0]))

/* ---- the table of keys ----------------------------------------------------------------------- */

static void test_keys_are_found(void **state)
{
    (void)state;
    for (int key = 0; key < MACHINE_KEY_COUNT; key++) {
        assert_int_equal(machine_key_find(machine_key_infos[key].path), key);
        assert_true(machine_key_infos[key].dimension < DIMENSION_COUNT);
        assert_true(strlen(machine_key_infos[key].text) > 0);
    }
    assert_int_equal(machine_key_find("sm.coun"), -1);
    assert_int_equal(machine_key_find(""), -1);
    assert_string_equal(dimension_unit(DIM_BYTES_PER_SECOND), "B/s");
    assert_string_equal(dimension_unit(DIM_COUNT), "");
    assert_string_equal(machine_key_infos[MACHINE_THROUGHPUT_FIRST + CLASS_SFU_SIN].path,
                        "throughput.sfu.sin");
}

/* ---- conversions and structure --------------------------------------------------------------- */

static void test_units_become_si(void **state)
{
    (void)state;
    static const struct given_figure figures[] = {
        {MACHINE_SM_COUNT, 100},
        {MACHINE_CLOCK_CORE, 1296500000},
        {MACHINE_DRAM_BANDWIDTH, 4800000000000},
        {MACHINE_DRAM_SIZE, 141000000000},
        {MACHINE_DRAM_LATENCY, 450},
        {MACHINE_DRAM_BUS_WIDTH, 512},
        {MACHINE_SHARED_PER_SM, 101888}, /* 99.5 * 1024 */
        {MACHINE_SHARED_PER_BLOCK, 48000},
        {MACHINE_L1_SIZE, 0},
        {MACHINE_L1_BANDWIDTH, 126},
        {MACHINE_L2_SIZE, 1572864}, /* 1.5 * 1024 * 1024 */
        {MACHINE_L2_BANDWIDTH, 958000000},
        {MACHINE_POWER_TDP, 300},
        {MACHINE_POWER_IDLE, 82.5},
        {MACHINE_PROCESS, 65e-9},
        {MACHINE_THROUGHPUT_FIRST + CLASS_INT_DIV, 0.25},
    };
    struct machine *machine = load(GOOD, "units");
    CHECK_FIGURES(machine, figures);
    assert_string_equal(machine->name, "Grüße von der Einheit");
    assert_int_equal(machine->cc_major, 12);
    assert_int_equal(machine->cc_minor, 1);
    assert_string_equal(machine->cc_source, "assumed");
    assert_int_equal(machine->values[MACHINE_SM_COUNT].line, 4);
    assert_int_equal(machine->values[MACHINE_CLOCK_CORE].line, 5);
    assert_string_equal(machine->values[MACHINE_DRAM_BANDWIDTH].source, "PAPER");
    assert_false(machine_has(machine, MACHINE_L1_LATENCY));
    assert_true(machine_get(machine, MACHINE_L1_LATENCY, 7) == 7);
    machine_destroy(machine);
}

static void test_inheritance_is_leaf_by_leaf(void **state)
{
    (void)state;
    static const struct given_figure figures[] = {
        {MACHINE_SM_COUNT, 20},
        {MACHINE_SM_MAX_WARPS, 64},
        {MACHINE_CLOCK_CORE, 1.5e9},
        {MACHINE_DRAM_BANDWIDTH, 100e9},
        {MACHINE_THROUGHPUT_FIRST + CLASS_FP32_FMA, 64},
        {MACHINE_THROUGHPUT_FIRST + CLASS_FP64_FMA, 2},
        {MACHINE_THROUGHPUT_FIRST + CLASS_FP64_MUL, 0},
    };
    struct machine *machine = load(GOOD, "little.one");
    CHECK_FIGURES(machine, figures);
    assert_string_equal(machine->id, "child");
    assert_string_equal(machine->name, "The child");
    assert_string_equal(machine->inherits, "base");
    assert_string_equal(machine->vendor, "Somebody");
    assert_string_equal(machine->chip, "B1");
    assert_int_equal(machine->cc_major * 10 + machine->cc_minor, 70);
    assert_string_equal(machine->values[MACHINE_SM_COUNT].source, "PAPER");
    assert_int_equal(machine->values[MACHINE_SM_COUNT].line, 6);
    assert_string_equal(machine->values[MACHINE_CLOCK_CORE].source, "BOOK");
    assert_int_equal(machine->values[MACHINE_CLOCK_CORE].line, 0);
    assert_true(machine->values[MACHINE_DRAM_BANDWIDTH].assumed);
    assert_false(machine->values[MACHINE_CLOCK_CORE].assumed);
    /* What belongs to the base alone. */
    assert_int_equal(machine->alias_count, 2);
    assert_int_equal(machine->note_count, 0);
    assert_false(machine_has(machine, MACHINE_DRAM_SIZE));
    machine_destroy(machine);
}

/* Twice the DRAM sustains twice as much; the L2 has twice the SMs at twice the clock, and the time beyond it is twice
 * as many cycles. */
static void test_inherited_bandwidths_follow(void **state)
{
    (void)state;
    static const struct given_figure figures[] = {
        {MACHINE_DRAM_SUSTAINED_BANDWIDTH, 190e9}, {MACHINE_DRAM_MIXED_BANDWIDTH, 160e9},
        {MACHINE_L2_BANDWIDTH, 300e9 * 2 * 2},     {MACHINE_L2_LATENCY, 200},
        {MACHINE_DRAM_LATENCY, 200 + 300 * 2},
    };
    struct machine *machine = load(GOOD, "faster");
    CHECK_FIGURES(machine, figures);
    assert_true(machine->values[MACHINE_L2_BANDWIDTH].assumed);
    machine_destroy(machine);
}

static void test_list_is_sorted_and_without_sources(void **state)
{
    (void)state;
    static const char *const expected[] = {"base", "child", "faster", "units"};
    struct diag diag = {0};
    struct arena arena = {0};
    const char *const *ids;
    size_t count;
    assert_int_equal(machine_list(&diag, &arena, GOOD, &ids, &count), WS_OK);
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(ids[i], expected[i]);
    assert_int_equal(machine_list(&diag, &arena, GOOD "/none", &ids, &count), WS_ERR_IO);
    assert_non_null(strstr(diag.text, GOOD "/none"));
    arena_clear(&arena);
    diag_clear(&diag);
}

/* ---- the files that are shipped -------------------------------------------------------------- */

/* Hong, thesis 2012, tables 2, 5 and 6; issue 4 cycles: table 1. */
static void test_gtx280_is_hongs(void **state)
{
    (void)state;
    static const struct given_figure figures[] = {
        {MACHINE_SM_COUNT, 30},
        {MACHINE_CLOCK_CORE, 1.3e9},
        {MACHINE_DRAM_BANDWIDTH, 141.7e9},
        {MACHINE_DRAM_LATENCY, 450},
        {MACHINE_DEPARTURE_COALESCED, 4},
        {MACHINE_DEPARTURE_UNCOALESCED, 40},
        {MACHINE_ISSUE_CYCLES, 4},
        {MACHINE_GLOBAL_RULE, 12},
        {MACHINE_SHARED_BANKS, 16},
        {MACHINE_THROUGHPUT_FIRST + CLASS_FP32_DIV, 2},
        {MACHINE_THROUGHPUT_FIRST + CLASS_INT_MUL, 2},
    };
    struct machine *machine = load(MACHINES, "gtx280");
    CHECK_FIGURES(machine, figures);
    assert_string_equal(machine->cc_source, "GPUDB");
    machine_destroy(machine);
}

/* Zhang & Owens, HPCA 2011, section 4 and table 1. */
static void test_gtx285_is_zhang_and_owens(void **state)
{
    (void)state;
    static const struct given_figure figures[] = {
        {MACHINE_SM_COUNT, 30},
        {MACHINE_SM_PER_CLUSTER, 3},
        {MACHINE_CLOCK_CORE, 1.48e9},
        {MACHINE_DRAM_BANDWIDTH, 2.484e9 * 512 / 8},
        {MACHINE_SM_REGISTERS, 16384},
        {MACHINE_SHARED_PER_SM, 16384},
        {MACHINE_THROUGHPUT_FIRST + CLASS_FP32_MUL, 10},
        {MACHINE_THROUGHPUT_FIRST + CLASS_FP32_FMA, 8},
        {MACHINE_THROUGHPUT_FIRST + CLASS_SFU_SIN, 4},
        {MACHINE_THROUGHPUT_FIRST + CLASS_FP64_FMA, 1},
    };
    struct machine *machine = load(MACHINES, "gtx285");
    CHECK_FIGURES(machine, figures);
    /* 8 lanes x 4 B x 30 SMs x 1.48 GHz = 1420 GB/s of shared memory (section 4.2): half of the
     * banks' width, as the lanes set the pace. */
    double lanes = machine->values[MACHINE_THROUGHPUT_FIRST + CLASS_FP32_ADD].value;
    assert_true(fabs(lanes * 4 * 30 * 1.48 - 1420) < 1);
    machine_destroy(machine);
}

/* NVIDIA's data sheets: 15.7 Tflop/s of fp32 and 7.8 of fp64 (V100 SXM2); 67 and 34 (H200 SXM). */
static void check_peak(const char *name, enum insn_class id, double tera, double tolerance)
{
    struct machine *machine = load(MACHINES, name);
    double lanes;
    assert_true(machine_throughput(machine, id, &lanes));
    double flops = 2 * lanes * machine_get(machine, MACHINE_SM_COUNT, 0) *
                   machine_get(machine, MACHINE_CLOCK_CORE, 0);
    if (fabs(flops / 1e12 - tera) > tolerance) fail_msg("%s: %g Tflop/s", name, flops / 1e12);
    machine_destroy(machine);
}

static void test_peaks_match_data_sheets(void **state)
{
    (void)state;
    check_peak("v100", CLASS_FP32_FMA, 15.7, 0.05);
    check_peak("v100", CLASS_FP64_FMA, 7.8, 0.05);
    check_peak("h200", CLASS_FP32_FMA, 67, 0.5);
    check_peak("h200", CLASS_FP64_FMA, 34, 0.6);
    check_peak("gtx285", CLASS_FP32_FMA, 0.7104, 0.0001); /* Zhang & Owens, section 4.1 */
}

static void test_aliases_load_their_machine(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct arena arena = {0};
    const char *const *ids;
    size_t count;
    assert_int_equal(machine_list(&diag, &arena, MACHINES, &ids, &count), WS_OK);
    assert_true(count >= 4);
    for (size_t i = 0; i < count; i++) {
        struct machine *machine = load(MACHINES, ids[i]);
        assert_string_equal(machine->id, ids[i]);
        for (size_t j = 0; j < machine->alias_count; j++) {
            struct machine *same = load(MACHINES, machine->aliases[j]);
            assert_string_equal(same->id, ids[i]);
            machine_destroy(same);
        }
        machine_destroy(machine);
    }
    arena_clear(&arena);
    diag_clear(&diag);
}

static void test_path_loads_a_file_from_anywhere(void **state)
{
    (void)state;
    struct machine *machine = load(MACHINES, MACHINES "/h200.yaml");
    assert_string_equal(machine->id, "h200");
    assert_string_equal(machine->path, MACHINES "/h200.yaml");
    machine_destroy(machine);
    machine_destroy(NULL);
}

/* ---- broken input ---------------------------------------------------------------------------- */

/* Every beginning of a good file is read or refused with a message; never anything else. */
static void test_truncated_files(void **state)
{
    (void)state;
    static const char *tags[] = {"HONG"};
    const struct source_list sources = {1, tags};
    struct diag diag = {0};
    const struct machine_reader reader = {&diag, &sources, NULL};
    struct arena arena = {0};
    char *text;
    size_t size, refused = 0;
    assert_int_equal(text_read_file(&diag, &arena, MACHINES "/gtx280.yaml", &text, &size), WS_OK);
    for (size_t length = 0; length < size; length += 3) {
        struct machine *machine;
        char *copy = mem_alloc(length);
        memcpy(copy, text, length);
        if (machine_read(&reader, "cut", "cut.yaml", copy, length, &machine) != WS_OK) {
            assert_null(machine);
            assert_true(!strncmp(diag.text, "cut.yaml:", 9));
            refused++;
        }
        machine_destroy(machine);
        mem_free(copy);
    }
    assert_true(refused > size / 6);
    arena_clear(&arena);
    diag_clear(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_are_found),
        cmocka_unit_test(test_units_become_si),
        cmocka_unit_test(test_inheritance_is_leaf_by_leaf),
        cmocka_unit_test(test_inherited_bandwidths_follow),
        cmocka_unit_test(test_list_is_sorted_and_without_sources),
        cmocka_unit_test(test_gtx280_is_hongs),
        cmocka_unit_test(test_gtx285_is_zhang_and_owens),
        cmocka_unit_test(test_peaks_match_data_sheets),
        cmocka_unit_test(test_aliases_load_their_machine),
        cmocka_unit_test(test_path_loads_a_file_from_anywhere),
        cmocka_unit_test(test_truncated_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

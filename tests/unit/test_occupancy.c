// SPDX-License-Identifier: Apache-2.0
/* Occupancy against NVIDIA's own header (tests/machines/occupancy_sample.csv), printed tables and
 * examples from books. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "machine/machine.h"

static struct machine *load(const char *name)
{
    struct diag diag = {0};
    struct machine *machine;
    if (machine_load(&diag, SOURCE_DIR "/data/machines", name, &machine) != WS_OK)
        fail_msg("%s", diag.text);
    return machine;
}

static void put(struct machine *machine, enum machine_key key, double value)
{
    machine->values[key] =
        (struct machine_value){.value = value, .known = true, .source = "a test"};
}

/* ---- the sample ------------------------------------------------------------------------------ */

enum { COLUMNS = 13 };

/* cc, max_threads, registers, registers_per_block, shared, shared_per_block, threads,
 * registers_per_thread, shared_bytes, blocks, limit_warps, limit_registers, limit_shared, limit_sm */
struct row {
    unsigned cc_major, cc_minor;
    uint64_t columns[COLUMNS];
};

static struct row read_row(const char *line)
{
    struct row row;
    int end = 0;
    if (sscanf(line, "%u.%u%n", &row.cc_major, &row.cc_minor, &end) != 2)
        fail_msg("not a row: %.60s", line);
    for (size_t i = 0; i < COLUMNS; i++) {
        line += end;
        assert_int_equal(*line, ',');
        end = (int)strcspn(line + 1, ",\n") + 1;
        row.columns[i] =
            strncmp(line + 1, "none", 4) ? strtoull(line + 1, NULL, 10) : (uint64_t)UINT_MAX;
    }
    return row;
}

/* A machine of which only the capacities are known: the rules come from its compute capability. */
static void machine_of_row(struct machine *machine, const struct row *row)
{
    *machine = (struct machine){.id = "sample", .path = "sample"};
    machine->cc_major = row->cc_major;
    machine->cc_minor = row->cc_minor;
    put(machine, MACHINE_SM_MAX_THREADS, (double)row->columns[0]);
    put(machine, MACHINE_SM_REGISTERS, (double)row->columns[1]);
    put(machine, MACHINE_SM_MAX_REGISTERS_PER_BLOCK, (double)row->columns[2]);
    put(machine, MACHINE_SHARED_PER_SM, (double)row->columns[3]);
    put(machine, MACHINE_SHARED_PER_BLOCK, (double)row->columns[4]);
}

static void check_row(const struct machine *machine, const struct row *row)
{
    const uint64_t *wanted = row->columns + 8;
    const struct occupancy_query query = {.threads_per_block = (unsigned)row->columns[5],
                                          .registers_per_thread = (unsigned)row->columns[6],
                                          .shared_bytes = row->columns[7]};
    struct diag diag = {0};
    struct occupancy got;
    ws_status status = machine_occupancy(&diag, machine, &query, &got);
    if (got.blocks_per_sm != wanted[0] || got.limit_warps != wanted[1] ||
        got.limit_registers != wanted[2] || got.limit_shared != wanted[3] ||
        got.limit_sm != wanted[4])
        fail_msg("%s cc %u.%u, %u threads, %u registers, %llu bytes: %u blocks (%u %u %u %u), not "
                 "%llu",
                 machine->id, row->cc_major, row->cc_minor, query.threads_per_block,
                 query.registers_per_thread, (unsigned long long)query.shared_bytes,
                 got.blocks_per_sm, got.limit_warps, got.limit_registers, got.limit_shared,
                 got.limit_sm, (unsigned long long)wanted[0]);
    assert_int_equal(status, wanted[0] ? WS_OK : WS_ERR_LAUNCH);
    if (!wanted[0]) assert_non_null(diag.text);
    diag_clear(&diag);
}

static void test_sample_of_nvidias_header(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct arena arena = {0};
    struct machine *v100 = load("v100"), *h200 = load("h200");
    char *text;
    size_t size, rows = 0, refused = 0, shipped = 0;
    assert_int_equal(
        text_read_file(&diag, &arena, TESTS_DIR "/machines/occupancy_sample.csv", &text, &size),
        WS_OK);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] == '#' || line[0] == 'c') continue;
        struct row row = read_row(line);
        struct machine machine;
        machine_of_row(&machine, &row);
        check_row(&machine, &row);
        bool volta = row.cc_major == 7 && row.cc_minor == 0;
        bool hopper = row.cc_major == 9 && row.cc_minor == 0;
        if (volta || hopper) check_row(volta ? v100 : h200, &row);
        shipped += volta || hopper;
        refused += row.columns[8] == 0;
        rows++;
    }
    assert_int_equal(rows, 5000);
    assert_true(refused > 300 && refused < 2000);
    assert_true(shipped > 300);
    machine_destroy(v100);
    machine_destroy(h200);
    arena_clear(&arena);
}

/* ---- printed tables -------------------------------------------------------------------------- */

static struct occupancy ask(const struct machine *machine, unsigned threads, unsigned registers,
                            uint64_t shared)
{
    const struct occupancy_query query = {.threads_per_block = threads,
                                          .registers_per_thread = registers,
                                          .shared_bytes = shared};
    struct diag diag = {0};
    struct occupancy out;
    if (machine_occupancy(&diag, machine, &query, &out) != WS_OK) fail_msg("%s", diag.text);
    return out;
}

/* Zhang & Owens, HPCA 2011, table 2: matrix multiply on the GTX 285, 64 threads a block. */
static void test_table_2_of_zhang_and_owens(void **state)
{
    (void)state;
    static const struct {
        unsigned registers;
        uint64_t shared;
        unsigned blocks, warps;
        const char *limiter;
    } table[] = {
        {16, 348, 8, 16, "sm"}, {30, 1088, 8, 16, "registers"}, {58, 4284, 3, 6, "shared"}};
    struct machine *machine = load("gtx285");
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct occupancy out = ask(machine, 64, table[i].registers, table[i].shared);
        assert_int_equal(out.blocks_per_sm, table[i].blocks);
        assert_int_equal(out.warps_per_sm, table[i].warps);
        assert_int_equal(out.warps_per_block, 2);
        assert_int_equal(out.limit_sm, 8);
        assert_string_equal(out.limiter, table[i].limiter);
        assert_true(fabs(out.fraction - table[i].warps / 32.0) < 1e-12);
    }
    machine_destroy(machine);
}

/* Kirk & Hwu, "Programming Massively Parallel Processors", chapter 6: on the G80 three blocks of
 * 256 threads fit with 10 registers a thread, and two with 11. */
static void test_registers_of_the_g80(void **state)
{
    (void)state;
    struct machine g80 = {.id = "g80", .path = "g80", .cc_major = 1, .cc_minor = 0};
    put(&g80, MACHINE_SM_MAX_THREADS, 768);
    put(&g80, MACHINE_SM_REGISTERS, 8192);
    put(&g80, MACHINE_SHARED_PER_SM, 16384);
    struct occupancy out = ask(&g80, 256, 10, 4096);
    assert_int_equal(out.blocks_per_sm, 3);
    assert_true(out.fraction == 1);
    out = ask(&g80, 256, 11, 4096);
    assert_int_equal(out.blocks_per_sm, 2);
    assert_string_equal(out.limiter, "registers");
    out = ask(&g80, 256, 10, 8192);
    assert_int_equal(out.blocks_per_sm, 2);
    assert_string_equal(out.limiter, "shared");
}

/* cc 1.x counts the warps of a block in pairs: three warps take the registers of four.
 * 4 x 32 x 20 = 2560 registers, of 16384: 6 blocks (with three warps it would be 8). */
static void test_warps_in_pairs(void **state)
{
    (void)state;
    struct machine *machine = load("gtx280");
    struct occupancy out = ask(machine, 96, 20, 0);
    assert_int_equal(out.limit_registers, 6);
    assert_int_equal(out.warps_per_sm, 18);
    machine_destroy(machine);
}

/* cc 2.0: registers in units of 64 a warp, warps in pairs. 33 registers: 1056 -> 1088 a warp;
 * 32768 / 1088 = 30.1, of which 30 come in pairs: 10 blocks of 3 warps, beyond the 8 of an SM.
 * 63 registers: 2016 -> 2048, 16 warps: 2 blocks of 7. */
static void test_fermi(void **state)
{
    (void)state;
    struct machine fermi = {.id = "fermi", .path = "fermi", .cc_major = 2, .cc_minor = 0};
    put(&fermi, MACHINE_SM_MAX_WARPS, 48);
    put(&fermi, MACHINE_SM_REGISTERS, 32768);
    put(&fermi, MACHINE_SHARED_PER_SM, 49152);
    struct occupancy out = ask(&fermi, 96, 33, 0);
    assert_int_equal(out.limit_registers, 10);
    assert_int_equal(out.blocks_per_sm, 8);
    out = ask(&fermi, 224, 63, 1);
    assert_int_equal(out.limit_registers, 2);
    assert_int_equal(out.limit_shared, 384); /* 128 bytes each */
    assert_int_equal(out.limit_warps, 6);
}

/* The file's figures go before the rules of the compute capability. */
static void test_figures_go_before_rules(void **state)
{
    (void)state;
    struct machine *machine = load("v100");
    assert_int_equal(ask(machine, 256, 32, 0).blocks_per_sm, 8);
    put(machine, MACHINE_SM_MAX_BLOCKS, 5);
    struct occupancy out = ask(machine, 256, 32, 0);
    assert_int_equal(out.blocks_per_sm, 5);
    assert_string_equal(out.limiter, "sm");
    put(machine, MACHINE_SHARED_UNIT, 32768);
    assert_int_equal(ask(machine, 256, 32, 1).limit_shared, 3);
    put(machine, MACHINE_SM_REGISTER_UNIT, 8192);
    assert_int_equal(ask(machine, 32, 32, 0).limit_registers, 8);
    machine_destroy(machine);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void check_refused(const struct machine *machine, unsigned threads, unsigned registers,
                          uint64_t shared, ws_status wanted, const char *words)
{
    const struct occupancy_query query = {.threads_per_block = threads,
                                          .registers_per_thread = registers,
                                          .shared_bytes = shared};
    struct diag diag = {0};
    struct occupancy out;
    assert_int_equal(machine_occupancy(&diag, machine, &query, &out), wanted);
    if (!strstr(diag.text, words)) fail_msg("does not say \"%s\": %s", words, diag.text);
    diag_clear(&diag);
}

static void test_refusals_say_why(void **state)
{
    (void)state;
    struct machine *machine = load("h200");
    check_refused(machine, 0, 32, 0, WS_ERR_LAUNCH, "no threads");
    check_refused(machine, 1025, 32, 0, WS_ERR_LAUNCH, "at most 1024 are allowed");
    check_refused(machine, 1024, 65, 0, WS_ERR_LAUNCH, "65 registers a thread");
    check_refused(machine, 32, 256, 0, WS_ERR_LAUNCH, "256 registers a thread");
    check_refused(machine, 32, 32, 232449, WS_ERR_LAUNCH, "at most 232448 are available");
    assert_int_equal(ask(machine, 32, 32, 232448).blocks_per_sm, 1);
    assert_int_equal(ask(machine, 1024, 64, 0).blocks_per_sm, 1);
    machine->values[MACHINE_SM_REGISTERS].known = false;
    check_refused(machine, 32, 32, 0, WS_ERR_NO_MODEL, "sm.registers");
    assert_int_equal(ask(machine, 64, 0, 0).limit_registers, UINT_MAX);
    machine->values[MACHINE_SM_MAX_WARPS].known = false;
    machine->values[MACHINE_SM_MAX_THREADS].known = false;
    check_refused(machine, 32, 0, 0, WS_ERR_NO_MODEL, "sm.max_warps");
    machine_destroy(machine);
}

/* No rule is known for a compute capability from the future: the file must bring all figures. */
static void test_unseen_capability(void **state)
{
    (void)state;
    struct machine future = {.id = "future", .path = "future.yaml", .cc_major = 15};
    put(&future, MACHINE_SM_MAX_WARPS, 64);
    put(&future, MACHINE_SM_REGISTERS, 65536);
    check_refused(&future, 32, 32, 0, WS_ERR_NO_MODEL, "sm.max_blocks");
    put(&future, MACHINE_SM_MAX_BLOCKS, 32);
    check_refused(&future, 32, 32, 0, WS_ERR_NO_MODEL, "sm.register_unit");
    put(&future, MACHINE_SM_REGISTER_UNIT, 256);
    check_refused(&future, 32, 32, 0, WS_ERR_NO_MODEL, "sm.subpartitions");
    put(&future, MACHINE_SM_SUBPARTITIONS, 4);
    assert_int_equal(ask(&future, 256, 64, 0).blocks_per_sm, 4);
    check_refused(&future, 32, 32, 1, WS_ERR_NO_MODEL, "shared.per_sm");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample_of_nvidias_header),
        cmocka_unit_test(test_table_2_of_zhang_and_owens),
        cmocka_unit_test(test_registers_of_the_g80),
        cmocka_unit_test(test_warps_in_pairs),
        cmocka_unit_test(test_fermi),
        cmocka_unit_test(test_figures_go_before_rules),
        cmocka_unit_test(test_refusals_say_why),
        cmocka_unit_test(test_unseen_capability),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

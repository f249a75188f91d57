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

static void check_refused_query(const struct machine *machine, const struct occupancy_query *query,
                                ws_status wanted, const char *words)
{
    struct diag diag = {0};
    struct occupancy out;
    assert_int_equal(machine_occupancy(&diag, machine, query, &out), wanted);
    if (!strstr(diag.text, words)) fail_msg("does not say \"%s\": %s", words, diag.text);
    diag_clear(&diag);
}

/* ---- printed tables -------------------------------------------------------------------------- */

static struct occupancy ask(const struct machine *machine, unsigned threads, unsigned registers,
                            uint64_t shared)
{
    const struct occupancy_query query = {
        .threads_per_block = threads, .registers_per_thread = registers, .shared_bytes = shared};
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
        enum occupancy_limit limiter;
    } table[] = {{16, 348, 8, 16, OCCUPANCY_SM},
                 {30, 1088, 8, 16, OCCUPANCY_REGISTERS},
                 {58, 4284, 3, 6, OCCUPANCY_SHARED}};
    struct machine *machine = load("gtx285");
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct occupancy out = ask(machine, 64, table[i].registers, table[i].shared);
        assert_int_equal(out.blocks_per_sm, table[i].blocks);
        assert_int_equal(out.warps_per_sm, table[i].warps);
        assert_int_equal(out.warps_per_block, 2);
        assert_int_equal(out.limit_sm, 8);
        assert_int_equal(out.limiter, table[i].limiter);
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
    assert_int_equal(out.limiter, OCCUPANCY_REGISTERS);
    out = ask(&g80, 256, 10, 8192);
    assert_int_equal(out.blocks_per_sm, 2);
    assert_int_equal(out.limiter, OCCUPANCY_SHARED);
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

/* cc 2.x by hand, as above: 32768 registers in units of 64 a warp, an even number of warps; 49152
 * bytes in units of 128; 48 warps, 8 blocks. 20 registers: 640, 51 -> 50 warps. 21: 672 -> 704,
 * 46 warps. 63: 2048, 16 warps. 26: 832, 39 -> 38. 6145 bytes: 6272, 7 blocks. */
static void test_table_of_fermi(void **state)
{
    (void)state;
    static const struct {
        unsigned threads, registers, shared, blocks, limit_registers, limit_shared, limit_warps;
        unsigned limiters;
    } rows[] = {
        {192, 20, 0, 8, 8, UINT_MAX, 8, OCCUPANCY_SM | OCCUPANCY_REGISTERS | OCCUPANCY_WARPS},
        {192, 21, 0, 7, 7, UINT_MAX, 8, OCCUPANCY_REGISTERS},
        {256, 20, 0, 6, 6, UINT_MAX, 6, OCCUPANCY_REGISTERS | OCCUPANCY_WARPS},
        {256, 21, 0, 5, 5, UINT_MAX, 6, OCCUPANCY_REGISTERS},
        {256, 26, 0, 4, 4, UINT_MAX, 6, OCCUPANCY_REGISTERS},
        {512, 63, 0, 1, 1, UINT_MAX, 3, OCCUPANCY_REGISTERS},
        {1024, 32, 0, 1, 1, UINT_MAX, 1, OCCUPANCY_REGISTERS | OCCUPANCY_WARPS},
        {64, 16, 6145, 7, 32, 7, 24, OCCUPANCY_SHARED},
        {64, 16, 6144, 8, 32, 8, 24, OCCUPANCY_SM | OCCUPANCY_SHARED},
        {33, 16, 49152, 1, 32, 1, 24, OCCUPANCY_SHARED},
    };
    struct machine fermi = {.id = "fermi", .path = "fermi", .cc_major = 2, .cc_minor = 1};
    put(&fermi, MACHINE_SM_MAX_WARPS, 48);
    put(&fermi, MACHINE_SM_REGISTERS, 32768);
    put(&fermi, MACHINE_SHARED_PER_SM, 49152);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct occupancy out = ask(&fermi, rows[i].threads, rows[i].registers, rows[i].shared);
        assert_int_equal(out.limit_sm, 8);
        assert_int_equal(out.limit_registers, rows[i].limit_registers);
        assert_int_equal(out.limit_shared, rows[i].limit_shared);
        assert_int_equal(out.limit_warps, rows[i].limit_warps);
        assert_int_equal(out.blocks_per_sm, rows[i].blocks);
        assert_int_equal(out.limiters, rows[i].limiters);
    }
}

/* Without units: 16384 / (96 * 21) = 8.1 registers (a block of cc 1.x takes 4 * 32 * 21 = 2688 ->
 * 3072 otherwise: 5), 16384 / 700 = 23 (1024 otherwise: 16). */
static void test_plain_division(void **state)
{
    (void)state;
    struct machine *machine = load("gtx285");
    struct occupancy_query query = {
        .threads_per_block = 96, .registers_per_thread = 21, .shared_bytes = 700};
    struct occupancy out = machine_count_blocks(machine, &query);
    assert_int_equal(out.limit_registers, 5);
    assert_int_equal(out.limit_shared, 16);
    query.no_granularity = true;
    out = machine_count_blocks(machine, &query);
    assert_int_equal(out.limit_registers, 8);
    assert_int_equal(out.limit_shared, 23);
    machine_destroy(machine);
}

/* NVIDIA's header: from cc 9.0 on twice as many named barriers as blocks, as many on cc 12.0. */
static void test_named_barriers(void **state)
{
    (void)state;
    struct machine *machine = load("h200");
    struct occupancy_query query = {.threads_per_block = 32, .barriers = 1};
    assert_int_equal(machine_count_blocks(machine, &query).limit_barriers, UINT_MAX);
    query.barriers = 3;
    struct occupancy out = machine_count_blocks(machine, &query);
    assert_int_equal(out.limit_barriers, 21); /* 64 / 3 */
    assert_int_equal(out.limiter, OCCUPANCY_BARRIERS);
    assert_int_equal(out.limiters, OCCUPANCY_BARRIERS);
    query.barriers = 65;
    check_refused_query(machine, &query, WS_ERR_LAUNCH, "65 named barriers");
    machine->cc_major = 12;
    query.barriers = 4;
    assert_int_equal(machine_count_blocks(machine, &query).limit_barriers, 8);
    machine->cc_major = 8;
    assert_int_equal(machine_count_blocks(machine, &query).limit_barriers, UINT_MAX);
    machine_destroy(machine);
}

/* Partitioned caching, cc 5.2: a block of 7 warps fits 32 warps of a half 4 times, so 8 times in
 * all; the whole SM holds 64 / 7 = 9. With 40 registers: 1280 a warp, 12 warps a part, 24 a half: 3
 * and 3. A block of 32 warps with 64 registers needs more than a half: caching is off, one block. */
static void test_partitioned_caching(void **state)
{
    (void)state;
    struct machine maxwell = {.id = "m", .path = "m", .cc_major = 5, .cc_minor = 2};
    put(&maxwell, MACHINE_SM_MAX_WARPS, 64);
    put(&maxwell, MACHINE_SM_REGISTERS, 65536);
    struct occupancy_query query = {.threads_per_block = 224, .registers_per_thread = 16};
    assert_int_equal(machine_count_blocks(&maxwell, &query).limit_warps, 9);
    query.partitioned_caching = true;
    assert_int_equal(machine_count_blocks(&maxwell, &query).limit_warps, 8);
    query.registers_per_thread = 40;
    assert_int_equal(machine_count_blocks(&maxwell, &query).limit_registers, 6);
    query.threads_per_block = 1024;
    query.registers_per_thread = 64;
    struct occupancy out = machine_count_blocks(&maxwell, &query);
    assert_int_equal(out.blocks_per_sm, 1);
    assert_int_equal(out.limit_warps, 2);
    maxwell.cc_major = 6;
    maxwell.cc_minor = 0; /* has no halves */
    query.threads_per_block = 224;
    query.registers_per_thread = 16;
    assert_int_equal(machine_count_blocks(&maxwell, &query).limit_warps, 9);
}

/* ---- curves and the next higher occupancy ------------------------------------------------------ */

enum { POINTS = 2048 };

/* Every value of a curve is in one point, and both of its ends are what a single question says. */
static void check_curve(const struct machine *machine, struct occupancy_query query,
                        enum occupancy_vary vary, uint64_t first, uint64_t last)
{
    static ws_occupancy_point points[POINTS];
    struct diag diag = {0};
    size_t count, few;
    assert_int_equal(machine_occupancy_curve(&diag, machine, &query, vary, points, POINTS, &count),
                     WS_OK);
    assert_in_range(count, 2, POINTS);
    assert_int_equal(points[0].first, first);
    assert_int_equal(points[count - 1].last, last);
    for (size_t i = 0; i < count; i++) {
        if (i) assert_int_equal(points[i].first, points[i - 1].last + 1);
        for (int end = 0; end < 2; end++) {
            uint64_t value = end ? points[i].last : points[i].first;
            if (vary == VARY_BLOCK) query.threads_per_block = (unsigned)value;
            if (vary == VARY_REGISTERS) query.registers_per_thread = (unsigned)value;
            if (vary == VARY_SHARED) query.shared_bytes = value;
            struct occupancy at = machine_count_blocks(machine, &query);
            assert_int_equal(at.blocks_per_sm, points[i].blocks_per_sm);
            assert_int_equal(at.warps_per_sm, points[i].warps_per_sm);
            assert_int_equal(at.limiters, points[i].limiters);
        }
    }
    assert_int_equal(machine_occupancy_curve(&diag, machine, &query, vary, NULL, 0, &few), WS_OK);
    assert_int_equal(few, count);
    diag_clear(&diag);
}

static void test_curves(void **state)
{
    (void)state;
    struct machine *h200 = load("h200"), *gtx285 = load("gtx285");
    struct occupancy_query query = {
        .threads_per_block = 192, .registers_per_thread = 33, .shared_bytes = 5000};
    check_curve(h200, query, VARY_BLOCK, 1, 1024);
    check_curve(h200, query, VARY_REGISTERS, 1, 255);
    check_curve(h200, query, VARY_SHARED, 0, 232448);
    check_curve(gtx285, query, VARY_BLOCK, 1, 512);
    check_curve(gtx285, query, VARY_REGISTERS, 1, 124);
    query.no_granularity = true;
    check_curve(gtx285, query, VARY_SHARED, 0, 16384);
    check_curve(gtx285, query, VARY_BLOCK, 1, 512);
    struct diag diag = {0};
    struct machine future = {.id = "future", .path = "future.yaml", .cc_major = 15};
    size_t count;
    assert_int_equal(machine_occupancy_curve(&diag, &future, &query, VARY_BLOCK, NULL, 0, &count),
                     WS_ERR_NO_MODEL);
    diag_clear(&diag);
    machine_destroy(h200);
    machine_destroy(gtx285);
}

/* The least change, found by trying all. */
static void check_next(const struct machine *machine, struct occupancy_query query,
                       enum occupancy_vary vary)
{
    struct occupancy_query next;
    struct occupancy after, now = machine_count_blocks(machine, &query);
    bool found = machine_occupancy_next(machine, &query, vary, &next, &after);
    struct occupancy_query best = query;
    struct occupancy other = now;
    while (other.warps_per_sm <= now.warps_per_sm &&
           (vary == VARY_REGISTERS ? best.registers_per_thread > 1 : best.shared_bytes > 0)) {
        if (vary == VARY_REGISTERS) best.registers_per_thread--;
        if (vary == VARY_SHARED) best.shared_bytes--;
        other = machine_count_blocks(machine, &best);
    }
    assert_int_equal(found, other.warps_per_sm > now.warps_per_sm);
    if (!found) return;
    assert_int_equal(next.registers_per_thread, best.registers_per_thread);
    assert_int_equal(next.shared_bytes, best.shared_bytes);
    assert_int_equal(after.warps_per_sm, other.warps_per_sm);
}

static void test_next(void **state)
{
    (void)state;
    struct machine *h200 = load("h200"), *gtx285 = load("gtx285");
    for (unsigned threads = 32; threads <= 512; threads += 96)
        for (unsigned registers = 5; registers < 124; registers += 17)
            for (unsigned shared = 0; shared < 16384; shared += 3333) {
                struct occupancy_query query = {.threads_per_block = threads,
                                                .registers_per_thread = registers,
                                                .shared_bytes = shared};
                check_next(h200, query, VARY_REGISTERS);
                check_next(h200, query, VARY_SHARED);
                check_next(gtx285, query, VARY_REGISTERS);
                check_next(gtx285, query, VARY_SHARED);
            }
    struct occupancy_query next, query = {.threads_per_block = 736};
    struct occupancy out;
    /* 23 warps: 2 blocks, 46 warps. 24: 48, and 22: 44; 21: 63 of 64. The nearest is 24. */
    assert_true(machine_occupancy_next(h200, &query, VARY_BLOCK, &next, &out));
    assert_int_equal(next.threads_per_block, 768);
    assert_int_equal(out.warps_per_sm, 48);
    query.threads_per_block = 4000000000;
    assert_true(machine_occupancy_next(h200, &query, VARY_BLOCK, &next, &out));
    assert_int_equal(next.threads_per_block, 1024);
    machine_destroy(h200);
    machine_destroy(gtx285);
}

static void check_public_refusals(const ws_context *context, const ws_machine *machine)
{
    ws_occupancy_query query = {.size = sizeof query, .threads_per_block = 1025};
    ws_occupancy out = {.size = sizeof out, .blocks_per_sm = 9};
    size_t count;
    assert_int_equal(ws_machine_occupancy(machine, &query, &out), WS_ERR_LAUNCH);
    assert_int_equal(out.blocks_per_sm, 0);
    assert_int_equal(ws_machine_occupancy_curve(machine, &query, (ws_vary)6, NULL, 0, &count),
                     WS_ERR_ARGUMENT);
    out.size = 0;
    assert_int_equal(ws_machine_occupancy(machine, &query, &out), WS_ERR_ARGUMENT);
    assert_non_null(strstr(ws_context_error(context), "sizeof(ws_occupancy)"));
    query.size = 8;
    out.size = sizeof out;
    assert_int_equal(ws_machine_occupancy(machine, &query, &out), WS_ERR_ARGUMENT);
}

/* The public functions hand everything through, and check what callers may get wrong. */
static void test_public_functions(void **state)
{
    (void)state;
    ws_context *context;
    ws_machine *machine;
    ws_occupancy_query query = {.size = sizeof query,
                                .threads_per_block = 256,
                                .registers_per_thread = 40,
                                .shared_bytes = 16384};
    ws_occupancy_query next = {.size = sizeof next};
    ws_occupancy out = {.size = sizeof out};
    ws_occupancy_point points[4];
    size_t count;
    assert_int_equal(ws_context_create(&context), WS_OK);
    assert_int_equal(ws_context_set_machine_dir(context, SOURCE_DIR "/data/machines"), WS_OK);
    assert_string_equal(ws_context_machine_dir(context), SOURCE_DIR "/data/machines");
    assert_int_equal(ws_machine_load(context, "v100", &machine), WS_OK);
    assert_int_equal(ws_machine_occupancy(machine, &query, &out), WS_OK);
    assert_int_equal(out.blocks_per_sm,
                     6); /* 65536 / 4 / 1280 = 12 warps: 48 / 8; 96 KiB / 16 KiB */
    assert_int_equal(out.limiters, WS_LIMIT_REGISTERS | WS_LIMIT_SHARED);
    assert_int_equal(out.max_warps_per_sm, 64);
    assert_int_equal(ws_machine_occupancy_next(machine, &query, WS_VARY_REGISTERS, &next, &out),
                     WS_ERR_COMPARE);
    assert_int_equal(
        ws_machine_occupancy_next(machine, &query, WS_VARY_REGISTERS | WS_VARY_SHARED, &next, &out),
        WS_OK);
    assert_int_equal(next.registers_per_thread, 32);
    assert_int_equal(next.shared_bytes, 13824); /* 98304 / 7 in units of 256 */
    assert_int_equal(out.blocks_per_sm, 7);
    assert_int_equal(
        ws_machine_occupancy_curve(machine, &query, WS_VARY_REGISTERS, points, 4, &count), WS_OK);
    assert_true(count > 4);
    assert_int_equal(points[0].first, 1);
    check_public_refusals(context, machine);
    ws_machine_destroy(machine);
    ws_context_destroy(context);
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
    assert_int_equal(out.limiter, OCCUPANCY_SM);
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
    const struct occupancy_query query = {
        .threads_per_block = threads, .registers_per_thread = registers, .shared_bytes = shared};
    check_refused_query(machine, &query, wanted, words);
}

static void test_refusals_say_why(void **state)
{
    (void)state;
    struct machine *machine = load("h200");
    check_refused(machine, 0, 32, 0, WS_ERR_LAUNCH, "at least 1 thread");
    check_refused(machine, 1025, 32, 0, WS_ERR_LAUNCH, "exceeds the limit of 1024");
    check_refused(machine, 1024, 65, 0, WS_ERR_LAUNCH, "65 registers per thread");
    check_refused(machine, 32, 256, 0, WS_ERR_LAUNCH, "exceed the limit of 255");
    check_refused(machine, 32, 32, 232449, WS_ERR_LAUNCH, "exceed the limit of 232448");
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
        cmocka_unit_test(test_table_of_fermi),
        cmocka_unit_test(test_plain_division),
        cmocka_unit_test(test_named_barriers),
        cmocka_unit_test(test_partitioned_caching),
        cmocka_unit_test(test_curves),
        cmocka_unit_test(test_next),
        cmocka_unit_test(test_public_functions),
        cmocka_unit_test(test_figures_go_before_rules),
        cmocka_unit_test(test_refusals_say_why),
        cmocka_unit_test(test_unseen_capability),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

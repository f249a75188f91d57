// SPDX-License-Identifier: Apache-2.0
/* The micro-benchmarks of papers/hong2009 against plain C and against the instruction counts that
 * table 3 of Hong's thesis prints: Mb1 to Mb7, dependent and independent loads; the table of all
 * kernels there. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_check.h"

#define HONG(name) "papers/hong2009/" name ".ptx"

/* ---- Mb1 to Mb7: 2 blocks of 64 threads are 4 warps ----------------------------------- */

enum { MB_ELEMENTS = 4096, MB_THREADS = 128, MB_WARPS = 4, MB_ITERATIONS = 3 };

static const struct mb_row {
    const char *kernel;
    unsigned memory, comp, fp; /* table 3: instructions per loop */
} mb_rows[] = {
    {"mb1", 0, 23, 20}, {"mb2", 1, 17, 8},  {"mb3", 1, 29, 20}, {"mb4", 2, 27, 12},
    {"mb5", 2, 35, 20}, {"mb6", 4, 47, 20}, {"mb7", 6, 59, 20},
};

static const struct mb_row *mb_row;
static unsigned mb_stride;
static int mb_iterations;

static void mb_setup(struct run *run)
{
    unsigned mask = MB_ELEMENTS - 1;
    float scale = 0.75f;
    run_shape(run, MB_THREADS / 64, 64);
    run_int(run, mb_iterations);
    run_value(run, &mb_stride, sizeof mb_stride);
    run_value(run, &mask, sizeof mask);
    run_value(run, &scale, sizeof scale);
    input_floats(run, MB_ELEMENTS, 1);
    run_output(run, MB_THREADS * sizeof(float));
}

static float mb_thread(const float *in, unsigned thread)
{
    float sum = (float)(thread % 64);
    unsigned p = 0;
    for (int i = 0; i < mb_iterations; i++) {
        for (unsigned load = 0; load < mb_row->memory; load++) {
            p = (p + 64 * (2 * load + 1)) ^ (64 * (5 * load + 3));
            sum = fmaf(sum, 0.75f, in[(p + thread * mb_stride) % MB_ELEMENTS]);
        }
        for (unsigned fma = mb_row->memory; fma < mb_row->fp; fma++)
            sum = fmaf(sum, 0.75f, 0.75f);
    }
    return sum;
}

static void mb_check(struct run *run)
{
    float *in = random_floats(MB_ELEMENTS, 1), expected[MB_THREADS];
    for (unsigned thread = 0; thread < MB_THREADS; thread++)
        expected[thread] = mb_thread(in, thread);
    free(in);
    expect_floats(run, 1, expected, MB_THREADS);
    /* A warp's 32 elements are one line of 128 bytes, or lie in 32 lines. */
    uint64_t loads = (uint64_t)MB_WARPS * MB_ITERATIONS * mb_row->memory;
    bool coalesced = mb_stride == 1;
    expect_counter(run, "mem.global.load.requests", loads);
    expect_counter(run, "mem.global.load.sectors32", loads * (coalesced ? 4 : 32));
    expect_counter(run, "mem.global.load.lines128", loads * (coalesced ? 1 : 32));
    expect_counter(run, "mem.global.load.transactions_cc10", loads * (coalesced ? 2 : 32));
    expect_counter(run, "mem.global.load.transactions_cc12", loads * (coalesced ? 2 : 32));
    expect_counter(run, "mem.global.load.coalesced_cc10", coalesced ? loads : 0);
    expect_counter(run, "mem.global.load.uncoalesced_cc12", coalesced ? 0 : loads);
    expect_counter(run, "mem.global.store.transactions_cc12", 2 * MB_WARPS);
    expect_counter(run, "branch.warp", MB_WARPS * (1 + MB_ITERATIONS));
    expect_counter(run, "branch.divergent", 0);
    /* Each load's value is needed before the next load. */
    expect_counter(run, "mem.independent", 0);
}

/* What four more rounds of the loop add to a counter, for one round of one warp. */
static void mb_expect_per_round(const char *id, unsigned expected)
{
    mb_iterations = 1;
    uint64_t one = launch_counter(HONG("mb"), mb_row->kernel, mb_setup, id);
    mb_iterations = 5;
    uint64_t five = launch_counter(HONG("mb"), mb_row->kernel, mb_setup, id);
    assert_int_equal(five - one, 4 * MB_WARPS * expected);
}

static void test_mb(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mb_rows / sizeof *mb_rows; i++) {
        mb_row = &mb_rows[i];
        for (mb_stride = 1; mb_stride <= 32; mb_stride += 31) {
            mb_iterations = MB_ITERATIONS;
            run_kernel(HONG("mb"), mb_row->kernel, mb_setup, mb_check);
        }
        mb_stride = 1;
        mb_expect_per_round("inst.warp", mb_row->memory + mb_row->comp);
        mb_expect_per_round("inst.warp.fp32.fma", mb_row->fp);
        mb_expect_per_round("inst.warp.mem.global.load", mb_row->memory);
    }
}

/* ---- dependent and independent loads -------------------------------------------------- */

enum { DEP_ELEMENTS = 2048, DEP_THREADS = 128, DEP_WARPS = 4, DEP_STEP = 96 };

static bool dependent;
static int dep_iterations;

/* Distances for the lanes' next loads: equal in a warp's 32 elements. */
static void dep_fill(unsigned in[DEP_ELEMENTS])
{
    for (unsigned i = 0; i < DEP_ELEMENTS; i++)
        in[i] = 32 * (1 + (i / 32) * 7 % 11);
}

static void dep_setup(struct run *run)
{
    unsigned step = DEP_STEP, mask = DEP_ELEMENTS - 1, in[DEP_ELEMENTS];
    dep_fill(in);
    run_shape(run, 1, DEP_THREADS);
    run_int(run, dep_iterations);
    run_value(run, &step, sizeof step);
    run_value(run, &mask, sizeof mask);
    run_input(run, in, sizeof in);
    run_output(run, DEP_THREADS * sizeof(unsigned));
}

static unsigned dep_thread(const unsigned *in, unsigned thread)
{
    unsigned at = thread, sum = 0, distance = DEP_STEP;
    for (int i = 0; i < dep_iterations; i++) {
        unsigned first = in[(at + distance) % DEP_ELEMENTS];
        at += distance + (dependent ? first : DEP_STEP);
        unsigned second = in[at % DEP_ELEMENTS];
        if (dependent) distance = second;
        sum += first ^ second;
    }
    return sum;
}

static void dep_check(struct run *run)
{
    unsigned in[DEP_ELEMENTS], expected[DEP_THREADS];
    dep_fill(in);
    for (unsigned thread = 0; thread < DEP_THREADS; thread++)
        expected[thread] = dep_thread(in, thread);
    expect_bytes(run, 1, expected, sizeof expected);
    uint64_t loads = (uint64_t)DEP_WARPS * 2 * (uint64_t)dep_iterations;
    expect_counter(run, "mem.global.load.requests", loads);
    expect_counter(run, "mem.global.load.transactions_cc10", 2 * loads);
    expect_counter(run, "mem.global.load.transactions_cc12", 2 * loads);
    expect_counter(run, "mem.loads", loads);
    expect_counter(run, "mem.independent", dependent ? 0 : loads / 2);
}

static uint64_t dep_count(const char *id, int iterations)
{
    dep_iterations = iterations;
    return launch_counter(HONG("dep"), dependent ? "dep" : "indep", dep_setup, id);
}

static void test_dep(void **state)
{
    (void)state;
    uint64_t round[2], integer[2];
    for (int i = 0; i < 2; i++) {
        dependent = i == 0;
        dep_iterations = 6;
        run_kernel(HONG("dep"), dependent ? "dep" : "indep", dep_setup, dep_check);
        round[i] = dep_count("inst.warp", 5) - dep_count("inst.warp", 1);
        integer[i] = dep_count("inst.warp.int.add", 5) - dep_count("inst.warp.int.add", 1);
    }
    /* "Both cases have the same number of instructions and instruction mixtures": 15 a round. */
    assert_int_equal(round[0], DEP_WARPS * 4 * 15);
    assert_int_equal(round[1], round[0]);
    assert_int_equal(integer[1], integer[0]);
}

/* ---- kernels.csv: rows name kernels that there are, an argument a parameter --------------- */

static size_t count_words(const char *text)
{
    size_t words = 0;
    for (; *text; text++)
        words += *text != ' ' && (text[1] == ' ' || text[1] == '\0');
    return words;
}

/* Columns id,file,entry,work_x,work_per,work_y,block,shared_bytes_per_thread,args,... */
static void check_row(char *line)
{
    enum { COLUMNS = 11 };
    char *columns[COLUMNS] = {line}, path[4096];
    size_t n = 1;
    for (char *c = line; *c; c++) {
        if (*c != ',' && *c != '\n') continue;
        if (*c == ',' && n < COLUMNS) columns[n++] = c + 1;
        *c = '\0';
    }
    assert_int_equal(n, COLUMNS);
    snprintf(path, sizeof path, "papers/hong2009/%s", columns[1]);
    struct run run;
    run_begin(&run, path, columns[2], 1);
    assert_int_equal(count_words(columns[8]),
                     ws_module_parameter_count(run.module, run.launch.kernel));
    run_end(&run);
    snprintf(path, sizeof path, "%s/papers/hong2009/launch/%s.yaml", SOURCE_DIR, columns[0]);
    FILE *launch = fopen(path, "r");
    if (!launch) fail_msg("%s: no launch file", path);
    fclose(launch);
}

static void test_table(void **state)
{
    (void)state;
    FILE *file = fopen(SOURCE_DIR "/papers/hong2009/kernels.csv", "r");
    assert_non_null(file);
    char line[2048];
    size_t rows = 0;
    for (; fgets(line, sizeof line, file); rows++)
        if (rows > 0) check_row(line);
    fclose(file);
    assert_true(rows > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mb),
        cmocka_unit_test(test_dep),
        cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
/* Sparse matrix times vector of papers/zhang2011 against sums over the entries, and bytes moved by
 * transactions of fixed size against segments counted here. WARPSAGE_FULL_SIZE in the environment:
 * a lattice of 8 x 8 x 8 x 8 sites. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/options/sparse.h"
#include "support/kernel_check.h"

#define SPMV "papers/zhang2011/spmv.ptx"

enum { HALF_WARP = 16, THREADS = 128 };

static const struct kernel {
    const char *name;
    uint32_t block; /* rows of a thread */
    bool is_interleaved;
} kernels[] = {
    {"ell", 1, false},      {"ell_cached", 1, false},
    {"bell_im", 3, false},  {"bell_im_cached", 3, false},
    {"bell_imiv", 3, true}, {"bell_imiv_cached", 3, true},
};
static const struct kernel *kernel;
static struct sparse matrix;
static struct sparse_ell ell;
static unsigned segment; /* bytes of a transaction */

/* Place of element i of a vector. */
static uint32_t place(uint32_t i)
{
    return kernel->is_interleaved ? i % 3 * ell.block_rows + i / 3 : i;
}

static float *vector(void)
{
    float *random = random_floats(matrix.columns, 5);
    float *x = malloc(matrix.columns * sizeof *x);
    assert_non_null(x);
    for (uint32_t i = 0; i < matrix.columns; i++)
        x[place(i)] = random[i];
    free(random);
    return x;
}

static void input_values(struct run *run)
{
    size_t count = sparse_ell_values(&ell);
    float *values = malloc(count * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < count; i++)
        values[i] = (float)ell.values[i];
    run_input(run, values, count * sizeof *values);
    free(values);
}

static void setup(struct run *run)
{
    float *x = vector();
    run_shape(run, (ell.block_rows + THREADS - 1) / THREADS, THREADS);
    run->launch.initial_segment_bytes = segment < 32 ? 32 : segment;
    run->launch.min_segment_bytes = segment;
    run_int(run, (int)ell.block_rows);
    run_int(run, (int)ell.pitch);
    run_int(run, (int)ell.width);
    input_values(run);
    run_input(run, ell.columns, sparse_ell_columns(&ell) * sizeof *ell.columns);
    run_input(run, x, matrix.columns * sizeof *x);
    run_output(run, (size_t)ell.block_rows * ell.block * sizeof *x);
    free(x);
}

/* Entries come in the order of the columns, as in the kernels; filled-up zeros change nothing. */
static void check_product(struct run *run)
{
    size_t count = (size_t)ell.block_rows * ell.block;
    float *x = random_floats(matrix.columns, 5), *y = calloc(count, sizeof *y);
    assert_non_null(y);
    for (size_t i = 0; i < matrix.count; i++) {
        const struct sparse_entry *entry = &matrix.entries[i];
        float *sum = &y[place(entry->row)];
        *sum = fmaf((float)entry->value, x[entry->column], *sum);
    }
    expect_floats(run, 3, y, count);
    free(x);
    free(y);
}

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Bytes of the segments that 16 neighbouring threads touch, which read element i of the vector's
 * part for entry e. */
static uint64_t half_warp_bytes(uint32_t first, uint32_t e, uint32_t i)
{
    uint64_t segments[HALF_WARP], bytes = 0;
    size_t lanes = 0;
    for (uint32_t r = first; r < first + HALF_WARP && r < ell.block_rows; r++) {
        uint32_t element = ell.columns[(size_t)e * ell.pitch + r] * ell.block + i;
        segments[lanes++] = (uint64_t)place(element) * sizeof(float) / segment;
    }
    qsort(segments, lanes, sizeof *segments, compare);
    for (size_t lane = 0; lane < lanes; lane++)
        bytes += lane == 0 || segments[lane] != segments[lane - 1] ? segment : 0;
    return bytes;
}

static uint64_t vector_bytes(void)
{
    uint64_t bytes = 0;
    for (uint32_t first = 0; first < ell.block_rows; first += HALF_WARP)
        for (uint32_t e = 0; e < ell.width; e++)
            for (uint32_t i = 0; i < ell.block; i++)
                bytes += half_warp_bytes(first, e, i);
    return bytes;
}

static void check(struct run *run)
{
    check_product(run);
    /* Warps that have rows: they read a column and block * block values an entry, side by side. */
    uint64_t entries = (uint64_t)ell.width * ell.block_rows, square = ell.block * ell.block;
    uint64_t warps = (ell.block_rows + 31) / 32;
    expect_counter(run, "inst.warp.fp32.fma", warps * ell.width * square);
    expect_counter(run, "mem.global.load.requests", warps * ell.width * (1 + square + ell.block));
    expect_counter(run, "mem.global.load.bytes_requested", 4 * entries * (1 + square + ell.block));
    if (ell.block_rows % 32 == 0)
        expect_counter(run, "mem.global.load.bytes_cc12",
                       4 * entries * (1 + square) + vector_bytes());
}

static void check_all(void)
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        kernel = &kernels[i];
        assert_true(sparse_ell_make(&matrix, kernel->block, &ell));
        for (segment = 16; segment <= 32; segment *= 2)
            run_kernel(SPMV, kernel->name, setup, check);
        sparse_ell_clear(&ell);
    }
}

static void make_lattice(uint32_t extent)
{
    struct sparse_problem problem;
    const uint32_t extents[4] = {extent, extent, extent, extent};
    assert_true(sparse_wilson(extents, &matrix, &problem));
}

static void test_lattice(void **state)
{
    (void)state;
    make_lattice(getenv("WARPSAGE_FULL_SIZE") ? 8 : 4);
    check_all();
    sparse_clear(&matrix);
}

/* 99 rows that are filled up: row r has entries at r, and at every (r % 7 + 2)th column. */
static void test_ragged(void **state)
{
    (void)state;
    enum { ROWS = 99 };
    uint64_t seed = 9;
    matrix = (struct sparse){ROWS, ROWS, 0, malloc(ROWS * ROWS * sizeof(struct sparse_entry))};
    assert_non_null(matrix.entries);
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t column = 0; column < ROWS; column++)
            if (column == row || column % (row % 7 + 2) == 0)
                matrix.entries[matrix.count++] =
                    (struct sparse_entry){row, column, (double)random_float(&seed)};
    check_all();
    sparse_clear(&matrix);
}

/* "For the BELL format, because 3 x 3 = 9 entries share a single column index, the bytes per column
 * index is reduced to 1/9", and the vector's to 1/3, before coalescing: 12 bytes an entry of the
 * matrix in ELL. */
static void test_bytes_of_an_entry(void **state)
{
    (void)state;
    static const char id[] = "mem.global.load.bytes_requested";
    make_lattice(4);
    segment = 32;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        kernel = &kernels[i];
        assert_true(sparse_ell_make(&matrix, kernel->block, &ell));
        uint64_t bytes = launch_counter(SPMV, kernel->name, setup, id);
        double wanted = kernel->block == 1 ? 4 + 4 + 4 : 4 + 4.0 / 9 + 4.0 / 3;
        assert_true(fabs((double)bytes / (double)matrix.count - wanted) < 1e-12);
        sparse_ell_clear(&ell);
    }
    sparse_clear(&matrix);
}

/* "This results in a memory access requirement of 6.69 bytes per vector entry", and 4.55 with 16 bytes:
 * in the matrix QCD, whose pattern the lattice has, with transactions that are not larger at first. */
static void test_published_bytes(void **state)
{
    (void)state;
    static const char id[] = "mem.global.load.bytes_cc12";
    make_lattice(8);
    kernel = &kernels[0];
    assert_true(sparse_ell_make(&matrix, kernel->block, &ell));
    for (segment = 16; segment <= 32; segment *= 2) {
        double bytes = (double)launch_counter(SPMV, kernel->name, setup, id);
        double of_vector = bytes / (double)matrix.count - 4 - 4;
        double published = segment == 32 ? 6.69 : 4.55;
        assert_true(fabs(of_vector - published) < 0.005);
    }
    sparse_ell_clear(&ell);
    sparse_clear(&matrix);
}

/* The vector through the texture cache, as the view gt200 sees it: fetches are no global requests any
 * more, and touch each sector of the vector, which all of the matrix's columns make up. */
static void expect_fetches(struct run *run, bool cached)
{
    uint64_t executions = (uint64_t)ell.width * ((ell.block_rows + 31) / 32);
    uint64_t square = ell.block * ell.block, fetches = executions * ell.block;
    expect_counter(run, "inst.warp.mem.texture.load", cached ? fetches : 0);
    expect_counter(run, "inst.unit.texture", cached ? fetches : 0);
    expect_counter(run, "mem.texture.read.footprint_sectors32", cached ? matrix.columns / 8 : 0);
    expect_counter(run, "mem.global.load.requests",
                   executions * (1 + square) + (cached ? 0 : fetches));
    expect_counter(run, "mem.loads", executions * (1 + square + ell.block));
}

static void test_fetches_of_the_view(void **state)
{
    (void)state;
    make_lattice(4);
    segment = 32;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        struct run run;
        kernel = &kernels[i];
        assert_true(sparse_ell_make(&matrix, kernel->block, &ell));
        run_begin(&run, SPMV, kernel->name, 1);
        setup(&run);
        run.launch.isa_view = "gt200";
        run_launch(&run);
        check_product(&run);
        expect_fetches(&run, strstr(kernel->name, "_cached"));
        run_end(&run);
        sparse_ell_clear(&ell);
    }
    sparse_clear(&matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lattice),
        cmocka_unit_test(test_ragged),
        cmocka_unit_test(test_bytes_of_an_entry),
        cmocka_unit_test(test_published_bytes),
        cmocka_unit_test(test_fetches_of_the_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

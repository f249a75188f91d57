// SPDX-License-Identifier: Apache-2.0
/* Warps, barriers, special registers and the stack (tests/kernels/system.ptx): what the PTX ISA says
 * of a launch without clusters. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_check.h"

#define SYSTEM "tests/kernels/system.ptx"

/* ---- elect ----------------------------------------------------------------------------------- */

static void elects_setup(struct run *run)
{
    run_shape(run, 1, 32);
    run_output(run, 64 * sizeof(uint32_t));
}

static void elects_check(struct run *run)
{
    uint32_t expected[32][2];
    for (uint32_t i = 0; i < 32; i++) {
        expected[i][0] = i % 2 ? 1 : 77; /* the others do not ask who leads */
        expected[i][1] = i == 1 || i == 4;
    }
    expect_bytes(run, 0, expected, sizeof expected);
}

static void test_elects(void **state)
{
    (void)state;
    run_kernel(SYSTEM, "elects", elects_setup, elects_check);
}

/* ---- redux of floats ------------------------------------------------------------------------- */

/* Warp 0 has numbers of both signs, both zeros and an infinity; warp 1 a NaN among them; warp 2
 * nothing but NaNs; warp 3 zeros. */
static void redux_inputs(float in[128])
{
    uint64_t seed = 12;
    for (size_t i = 0; i < 128; i++)
        in[i] = random_float(&seed);
    in[3] = -0.0f;
    in[20] = 0.0f;
    in[9] = -INFINITY;
    in[40] = NAN;
    for (size_t i = 64; i < 128; i++)
        in[i] = i < 96 ? NAN : i % 2 ? -0.0f : 0.0f;
}

static void redux_setup(struct run *run)
{
    float in[128];
    redux_inputs(in);
    run_shape(run, 1, 128);
    run_input(run, in, sizeof in);
    run_output(run, 128 * 32);
}

/* The order of the numbers with -0 below +0, by their bits. */
static int32_t order(float v)
{
    int32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits < 0 ? INT32_MIN - bits - 1 : bits;
}

static float extreme(const float *in, size_t n, bool max, bool absolute, bool nan_wins)
{
    bool any_nan = false, any = false;
    float best = 0;
    for (size_t i = 0; i < n; i++) {
        float v = absolute ? fabsf(in[i]) : in[i];
        any_nan = any_nan || isnan(v);
        if (isnan(v)) continue;
        if (!any || (max ? order(v) > order(best) : order(v) < order(best))) best = v;
        any = true;
    }
    return !any || (any_nan && nan_wins) ? NAN : best;
}

/* The canonical NaN is 7fffffff. */
static uint32_t bits_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return isnan(v) ? 0x7fffffff : bits;
}

static void redux_check(struct run *run)
{
    float in[128];
    uint32_t expected[128][8];
    redux_inputs(in);
    for (size_t i = 0; i < 128; i++) {
        const float *w = in + i / 32 * 32;
        size_t half = i % 32 / 16 * 16, first = i / 32 * 32 + half;
        expected[i][0] = bits_of(extreme(w, 32, false, false, false));
        expected[i][1] = bits_of(extreme(w, 32, true, false, false));
        expected[i][2] = bits_of(extreme(w, 32, false, true, false));
        expected[i][3] = bits_of(extreme(w, 32, true, false, true));
        expected[i][4] = bits_of(extreme(w, 32, true, true, true));
        expected[i][5] = bits_of(extreme(w + half, 16, false, false, false));
        expected[i][6] = (uint32_t)first + 15;
        expected[i][7] = 0; /* the exclusive or of 16 numbers in a row that begin at a multiple */
    }
    expect_bytes(run, 1, expected, sizeof expected);
}

static void test_redux_floats(void **state)
{
    (void)state;
    run_kernel(SYSTEM, "redux_floats", redux_setup, redux_check);
}

/* ---- tiles ------------------------------------------------------------------------------------ */

/* Tile 0: odd numbers only; tile 1: even ones; the others mixed, with pairs that are equal. */
static void tile_inputs(uint32_t in[32])
{
    for (uint32_t i = 0; i < 32; i++)
        in[i] = i < 8 ? 2 * i + 1 : i < 16 ? 2 * i : i * i % 11;
}

static void tiles_setup(struct run *run)
{
    uint32_t in[32];
    tile_inputs(in);
    run_shape(run, 1, 32);
    run_input(run, in, sizeof in);
    run_output(run, 32 * 32);
}

static void tile_of(const uint32_t in[32], uint32_t lane, uint32_t out[8])
{
    uint32_t first = lane / 8 * 8, odd = 0, equal = 0, sum = 0, most = 0;
    for (uint32_t i = first; i < first + 8; i++) {
        odd |= (in[i] & 1) << i;
        equal |= (uint32_t)(in[i] == in[lane]) << i;
        sum += in[i];
        most = in[i] > most ? in[i] : most;
    }
    const uint32_t words[8] = {
        odd, (odd >> first == 255) + 2u * (odd != 0), equal, sum, first, in[first + 3], odd, most};
    memcpy(out, words, sizeof words);
}

static void tiles_check(struct run *run)
{
    uint32_t in[32], expected[32][8];
    tile_inputs(in);
    for (uint32_t i = 0; i < 32; i++)
        tile_of(in, i, expected[i]);
    expect_bytes(run, 1, expected, sizeof expected);
}

static void test_tiles(void **state)
{
    (void)state;
    run_kernel(SYSTEM, "tiles", tiles_setup, tiles_check);
}

/* ---- barriers -------------------------------------------------------------------------------- */

static void barriers_setup(struct run *run)
{
    static const uint32_t untouched[128 * 4];
    run_shape(run, 1, 128);
    run_input(run, untouched, sizeof untouched);
    run_int(run, 9);
}

static void barriers_check(struct run *run)
{
    uint32_t expected[128][4] = {{0}};
    for (uint32_t i = 0; i < 128; i++) {
        uint32_t from = i < 64 ? i : (i - 64) ^ 1;
        expected[i][0] = from * from + 7;
        expected[i][1] = i < 32 ? 8 : 72; /* every fourth of 32; the others of 96 */
        expected[i][2] = i < 32 ? 1 : 2;  /* all of warp 0 below 64, none above; some of 96 */
    }
    expect_bytes(run, 0, expected, sizeof expected);
}

static void test_named_barriers(void **state)
{
    (void)state;
    run_kernel(SYSTEM, "named_barriers", barriers_setup, barriers_check);
}

/* The same name twice at once, and a name beyond 15. */
static void test_bad_barrier(void **state)
{
    (void)state;
    struct run run;
    run_begin(&run, SYSTEM, "named_barriers", 1);
    barriers_setup(&run);
    static const int name = 16;
    memcpy(run.parameters + 8, &name, sizeof name);
    assert_int_equal(run_try(&run), WS_ERR_FAULT);
    assert_non_null(strstr(ws_context_error(run.context), "barrier number out of range (0 to 15)"));
    run_end(&run);
}

/* ---- special registers ----------------------------------------------------------------------- */

static void specials_setup(struct run *run)
{
    run_shape(run, 2, 6);
    run_output(run, 2 * 96);
}

static void specials_check(struct run *run)
{
    uint32_t expected[2][24] = {{0}};
    for (uint32_t block = 0; block < 2; block++) {
        const uint32_t words[24] = {
            block, 2,     0, 1,     /* cluster's index, their number, block in it, blocks in it */
            0,     1,     0, 1024,  /* rank, ranks, explicit, reserved shared memory */
            0,     1024,  1, 0,     /* its offsets, clusters in y, fourth component */
            0,     0,     0, 0,     /* graph, environment */
            0,     block, 0, block, /* mapa and getctarank of the own block */
            1,     1,     1, 1,     /* clocks run, and smid is below nsmid */
        };
        memcpy(expected[block], words, sizeof words);
    }
    expect_bytes(run, 0, expected, sizeof expected);
}

/* PTX ISA, special registers: 300 bytes in units of 128 are 384; a kibibyte is reserved from sm_80 on (CUDA C++
 * Programming Guide, compute capabilities). */
static void reserved_setup(struct run *run)
{
    run_shape(run, 1, 32);
    run_output(run, 160);
}

static void reserved_check(struct run *run)
{
    uint32_t expected[40] = {
        [32] = 1024, 1024,       /* end - begin, cap */
        1,           1,    1,    /* region 0 and 1 lie within, the user's bytes without */
        384,         0,    1408, /* total, dynamic, aggregated */
    };
    for (uint32_t i = 0; i < 32; i++)
        expected[i] = i;
    expect_bytes(run, 0, expected, sizeof expected);
}

static void test_reserved_shared(void **state)
{
    (void)state;
    run_kernel(SYSTEM, "reserved_shared", reserved_setup, reserved_check);
}

static void test_specials(void **state)
{
    (void)state;
    run_kernel(SYSTEM, "specials", specials_setup, specials_check);
}

/* ---- the stack ------------------------------------------------------------------------------- */

enum { STACK_BLOCKS = 2, STACKS = 40, ROUNDS = 100 };

static void stacks_setup(struct run *run)
{
    run_shape(run, STACK_BLOCKS, STACKS);
    run_output(run, STACK_BLOCKS * STACKS * 12);
    run_int(run, ROUNDS);
}

static void stacks_check(struct run *run)
{
    uint32_t expected[STACK_BLOCKS * STACKS][3];
    for (uint32_t t = 0; t < STACK_BLOCKS * STACKS; t++) {
        uint32_t i = t % STACKS;
        expected[t][0] = i * (i + 1) / 2;
        expected[t][1] = ROUNDS * (ROUNDS - 1) / 2 + ROUNDS * i;
        expected[t][2] = 1;
    }
    expect_bytes(run, 0, expected, sizeof expected);
}

static void test_stacks(void **state)
{
    (void)state;
    run_kernel(SYSTEM, "stacks", stacks_setup, stacks_check);
}

static ws_status try_overflow(uint64_t bytes)
{
    struct run run;
    run_begin(&run, SYSTEM, "stack_overflow", 1);
    run_value(&run, &bytes, sizeof bytes);
    ws_status status = run_try(&run);
    if (status != WS_OK) assert_non_null(strstr(ws_context_error(run.context), "stack overflow"));
    run_end(&run);
    return status;
}

static void test_stack_overflow(void **state)
{
    (void)state;
    assert_int_equal(try_overflow(16), WS_OK);
    assert_int_equal(try_overflow(1 << 20), WS_ERR_FAULT);
    assert_int_equal(try_overflow(UINT64_MAX), WS_ERR_FAULT);
}

/* ---- functions of the device runtime --------------------------------------------------------- */

static bool keep_first(void *user, const char *bytes, size_t size)
{
    char *text = user;
    memcpy(text, bytes, size < 15 ? size : 15);
    return true;
}

/* vprintf reads its arguments like any load: at the end of a buffer it faults. */
static void test_print_reads(void **state)
{
    (void)state;
    static const int32_t numbers[2] = {5, -6};
    for (unsigned beyond = 0; beyond <= 4; beyond += 4) {
        char text[16] = "";
        struct run run;
        run_begin(&run, SYSTEM, "print_from", 1);
        ws_context_set_print(run.context, keep_first, text);
        uint64_t address = run_input(&run, numbers, sizeof numbers) + 4 + beyond;
        memcpy(run.parameters, &address, sizeof address);
        assert_int_equal(run_try(&run), beyond ? WS_ERR_FAULT : WS_OK);
        assert_string_equal(text, beyond ? "" : "-6\n");
        if (beyond) assert_non_null(strstr(ws_context_error(run.context), "load of 4 bytes"));
        run_end(&run);
    }
}

static void test_other_functions(void **state)
{
    (void)state;
    struct run run;
    run_begin(&run, SYSTEM, "needs_library", 1);
    assert_int_equal(run_try(&run), WS_ERR_UNSUPPORTED);
    assert_non_null(strstr(ws_context_error(run.context), "vendor_pool: called, but not defined"));
    run_end(&run);
}

/* A kernel that requires clusters gets them, and its grid must be made of them. */
static void test_clusters(void **state)
{
    (void)state;
    struct run run;
    run_begin(&run, SYSTEM, "paired", 1);
    run_shape(&run, 3, 32);
    assert_int_equal(run_try(&run), WS_ERR_LAUNCH);
    assert_non_null(strstr(ws_context_error(run.context), "are not a multiple of the cluster"));
    run_end(&run);
    run_begin(&run, SYSTEM, "paired", 1);
    run_shape(&run, 2, 32);
    run_launch(&run);
    run_end(&run);
    run_begin(&run, SYSTEM, "single", 1);
    run_shape(&run, 2, 32);
    run_launch(&run);
    run_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elects),          cmocka_unit_test(test_redux_floats),
        cmocka_unit_test(test_named_barriers),  cmocka_unit_test(test_bad_barrier),
        cmocka_unit_test(test_reserved_shared), cmocka_unit_test(test_specials),
        cmocka_unit_test(test_stacks),          cmocka_unit_test(test_stack_overflow),
        cmocka_unit_test(test_print_reads),     cmocka_unit_test(test_other_functions),
        cmocka_unit_test(test_tiles),           cmocka_unit_test(test_clusters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
/* --isa-view native: neighbouring accesses that become one. Expected is what another program made of the same text:
 * ptxas 13.0 (V13.0.88) -arch=sm_75, listed by nvdisasm; sm_80, 86 and 89 are alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/native_run.h"

#define KERNELS "tests/kernels/native_accesses.ptx"

enum { WARPS = 2, TRIPS = 8 };

/* By thread: instructions, and the bytes that they move. */
static const struct {
    const char *kernel;
    unsigned loads, load_bytes, stores, store_bytes, global_loads, global_bytes;
    unsigned trips; /* of the loads */
} cases[] = {
    {"of_tid_16", 1, 16, 1, 4, 1, 4, 1},
    {"of_tid_8", 2, 16, 1, 4, 1, 4, 1},
    {"of_tid_4", 4, 16, 1, 4, 1, 4, 1},
    {"of_tid_48", 1, 16, 1, 4, 1, 4, 1},
    {"mad_16", 1, 16, 1, 4, 1, 4, 1},
    {"shifted_product", 1, 16, 1, 4, 1, 4, 1},
    {"masked", 1, 16, 1, 4, 1, 4, 1},
    {"either", 1, 16, 1, 4, 1, 4, 1},
    {"of_parameter", 4, 16, 1, 4, 1, 4, 1},
    {"or_4", 2, 20, 1, 4, 1, 4, 1},
    {"three", 1, 16, 1, 4, 1, 4, 1},
    {"gap", 1, 16, 1, 4, 1, 4, 1},
    {"low_pair", 1, 8, 1, 4, 1, 4, 1},
    {"middle", 2, 8, 1, 4, 1, 4, 1},
    {"ends", 2, 8, 1, 4, 1, 4, 1},
    {"reversed", 1, 16, 1, 4, 1, 4, 1},
    {"below", 1, 16, 1, 4, 1, 4, 1},
    {"six", 2, 24, 1, 4, 1, 4, 1},
    {"shifted_six", 2, 32, 1, 4, 1, 4, 1},
    {"dynamic_array", 1, 16, 1, 4, 1, 4, 1},
    {"behind_odd", 3, 24, 3, 12, 1, 4, 1},
    {"store_between", 2, 8, 2, 8, 1, 4, 1},
    {"global_store_between", 1, 8, 1, 4, 1, 4, 1},
    {"barrier_between", 2, 8, 1, 4, 1, 4, 1},
    {"division_between", 2, 8, 1, 4, 1, 4, 1},
    {"volatile_pair", 2, 8, 1, 4, 1, 4, 1},
    {"doubles", 1, 16, 1, 4, 1, 4, 1},
    {"mixed", 2, 12, 1, 4, 1, 4, 1},
    {"vectors", 1, 16, 1, 4, 1, 4, 1},
    {"halves", 1, 8, 1, 4, 1, 4, 1},
    {"bytes", 2, 2, 1, 4, 1, 4, 1},
    {"two_sums", 1, 8, 1, 4, 1, 4, 1},
    {"store_four", 1, 4, 2, 20, 5, 20, 1},
    {"store_mixed_order", 1, 4, 2, 20, 5, 20, 1},
    {"store_three", 1, 4, 3, 16, 4, 16, 1},
    {"store_two_pairs", 1, 4, 3, 20, 5, 20, 1},
    {"store_in_turn", 1, 4, 5, 20, 5, 20, 1},
    {"store_middle", 1, 4, 3, 12, 3, 12, 1},
    {"load_between_stores", 1, 4, 3, 12, 3, 12, 1},
    {"moving_by_16", 1, 16, 1, 4, 1, 4, TRIPS},
    {"moving_by_8", 2, 16, 1, 4, 1, 4, TRIPS},
    {"moving_by_4", 4, 16, 1, 4, 1, 4, TRIPS},
    {"global_unproved", 0, 0, 1, 4, 5, 20, 1},
    {"global_masked", 0, 0, 1, 4, 2, 20, 1},
    {"constant_words", 0, 0, 1, 4, 1, 4, 1},
    {"copies", 1, 4, 1, 4, 1, 4, 1},
    {"read_only_copies", 0, 0, 1, 4, 2, 8, 1},
    {"copied_pair", 1, 8, 1, 4, 1, 4, 1},
};

static unsigned wrong;

static void start(struct run *run, const char *kernel, const char *view)
{
    const struct native_launch launch = {.ptx = KERNELS,
                                         .kernel = kernel,
                                         .view = view,
                                         .threads = 32 * WARPS,
                                         .dynamic_shared_bytes = 1024,
                                         .value = TRIPS};
    native_run(run, &launch);
}

static void check(struct run *run, const char *kernel, const char *id, uint64_t expected)
{
    wrong += native_wrong(run, kernel, id, expected);
}

static void test_accesses_are_those_of_native_code(void **state)
{
    (void)state;
    wrong = 0;
    enum { LANES = 32 * WARPS };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run run;
        const char *kernel = cases[i].kernel;
        start(&run, kernel, "native");
        uint64_t loads = (uint64_t)cases[i].loads * cases[i].trips;
        uint64_t bytes = (uint64_t)cases[i].load_bytes * cases[i].trips;
        check(&run, kernel, "mem.shared.load.requests", loads * WARPS);
        check(&run, kernel, "inst.warp.mem.shared.load", loads * WARPS);
        check(&run, kernel, "mem.shared.load.bytes_requested", bytes * LANES);
        check(&run, kernel, "mem.shared.store.requests", (uint64_t)cases[i].stores * WARPS);
        check(&run, kernel, "inst.warp.mem.shared.store", (uint64_t)cases[i].stores * WARPS);
        check(&run, kernel, "mem.shared.store.bytes_requested",
              (uint64_t)cases[i].store_bytes * LANES);
        check(&run, kernel, "mem.global.load.requests", (uint64_t)cases[i].global_loads * WARPS);
        check(&run, kernel, "mem.global.load.bytes_requested",
              (uint64_t)cases[i].global_bytes * LANES);
        run_end(&run);
    }
    assert_int_equal(wrong, 0);
}

static void test_constants_come_by_two(void **state)
{
    (void)state;
    wrong = 0;
    struct run run;
    start(&run, "constant_words", "native");
    check(&run, "constant_words", "inst.warp.mem.const.load", 2 * WARPS);
    run_end(&run);
    assert_int_equal(wrong, 0);
}

/* Words of 16 bytes that lanes read in pairs take two passes, one by half-warp; else four. */
static void test_pairs_of_lanes_share_passes(void **state)
{
    (void)state;
    wrong = 0;
    static const struct {
        const char *kernel, *view;
        unsigned passes;
    } of[] = {{"uniform", "native", 2},  {"uniform", "ptx", 4},  {"pairs", "native", 2},
              {"pairs", "ptx", 4},       {"apart", "native", 4}, {"apart", "ptx", 4},
              {"far_pairs", "native", 4}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct run run;
        start(&run, of[i].kernel, of[i].view);
        check(&run, of[i].kernel, "mem.shared.load.wavefronts32", (uint64_t)of[i].passes * WARPS);
        run_end(&run);
    }
    assert_int_equal(wrong, 0);
}

/* Without the view accesses are as they are written, and results are the same. */
static void test_results_are_as_before(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run native, ptx;
        start(&native, cases[i].kernel, "native");
        start(&ptx, cases[i].kernel, "ptx");
        uint32_t *a = run_read(&native, 0), *b = run_read(&ptx, 0);
        assert_memory_equal(a, b, NATIVE_WORDS * sizeof *a);
        free(a);
        free(b);
        run_end(&native);
        run_end(&ptx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accesses_are_those_of_native_code),
        cmocka_unit_test(test_constants_come_by_two),
        cmocka_unit_test(test_pairs_of_lanes_share_passes),
        cmocka_unit_test(test_results_are_as_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
/* The engine on hand-written PTX: progress of lanes and warps, reconvergence, barriers, calls,
 * faults. Every program runs on every instruction-set level that the host has and with 1 and 2
 * threads; expectations are plain C or arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emulate/emulate.h"

#define HEADER ".version 7.0\n.target sm_70\n.address_size 64\n"

struct run {
    const char *ptx;
    uint32_t grid, block;
    uint32_t words;        /* of the one buffer, zeros at start */
    const uint32_t *input; /* or NULL */
    uint64_t max_instructions;
};

/* Runs kernel `k(.param .u64 out)` and hands back the buffer. */
static ws_status execute(const struct run *run, int level, unsigned threads, uint32_t *out,
                         char **message)
{
    struct diag diag = {0};
    struct module *module = NULL;
    struct device *device = NULL;
    uint64_t address = 0;
    ws_status status = module_load_memory(&diag, "test.ptx", run->ptx, strlen(run->ptx), &module);
    if (status == WS_OK) {
        struct device_options options = {.threads = threads, .isa_level = level};
        assert_int_equal(device_create(&diag, &options, &device), WS_OK);
        size_t bytes = run->words * sizeof(uint32_t);
        assert_int_equal(device_alloc(&diag, device, bytes, &address), WS_OK);
        if (run->input)
            assert_int_equal(device_copy_in(&diag, device, address, run->input, bytes), WS_OK);
        else
            assert_int_equal(device_fill(&diag, device, address, 0, bytes), WS_OK);
        uint32_t entry = 0;
        assert_int_equal(module_find_entry(&diag, module, "k", &entry), WS_OK);
        struct launch_options launch = {.entry = entry,
                                        .grid = {run->grid, 1, 1},
                                        .block = {run->block, 1, 1},
                                        .parameters = &address,
                                        .parameter_bytes = sizeof address,
                                        .max_instructions = run->max_instructions};
        status = device_launch(&diag, device, module, &launch, NULL);
        if (out) assert_int_equal(device_copy_out(&diag, device, out, address, bytes), WS_OK);
    }
    if (message) *message = strdup(diag.text ? diag.text : "");
    if (!message && status != WS_OK) fail_msg("%s", diag.text);
    device_destroy(device);
    module_destroy(module);
    diag_clear(&diag);
    return status;
}

static void expect_words(const struct run *run, const uint32_t *expected)
{
    uint32_t *out = calloc(run->words, sizeof *out);
    for (int level = 0; level < device_isa_levels(); level++)
        for (unsigned threads = 1; threads <= 2; threads++) {
            assert_int_equal(execute(run, level, threads, out, NULL), WS_OK);
            assert_memory_equal(out, expected, run->words * sizeof *out);
        }
    free(out);
}

static void expect_fault(const struct run *run, ws_status status, const char *const *fragments)
{
    for (unsigned threads = 1; threads <= 2; threads++) {
        char *message;
        assert_int_equal(execute(run, -1, threads, NULL, &message), status);
        for (; *fragments && threads == 2; fragments++)
            if (!strstr(message, *fragments)) fail_msg("'%s' is not in: %s", *fragments, message);
        free(message);
    }
}

#define KERNEL(regs, body)                                                                         \
    HEADER ".visible .entry k(.param .u64 out)\n{\n" regs ".reg .b64 %out;\n"                      \
           "ld.param.u64 %out, [out];\n" body "ret;\n}\n"

/* ---- progress -------------------------------------------------------------------------------- */

/* Each lane takes a lock with while(atomicCAS(...)), adds to a plain counter, releases. */
static const char spin_lock[] =
    KERNEL(".reg .b32 %r<8>; .reg .pred %p;\n", "L: atom.global.cas.b32 %r1, [%out], 0, 1;\n"
                                                "setp.ne.u32 %p, %r1, 0;\n"
                                                "@%p bra L;\n"
                                                "ld.volatile.global.u32 %r2, [%out+4];\n"
                                                "add.u32 %r2, %r2, 1;\n"
                                                "st.volatile.global.u32 [%out+4], %r2;\n"
                                                "membar.gl;\n"
                                                "atom.global.exch.b32 %r3, [%out], 0;\n");

static void lanes_take_a_lock(void **state)
{
    (void)state;
    const uint32_t expected[2] = {0, 3 * 100};
    expect_words(&(struct run){spin_lock, 3, 100, 2, NULL, 0}, expected);
}

/* Odd lanes wait for a flag that lane 0 of the same warp raises later in program order. */
static void lanes_wait_for_a_lane(void **state)
{
    (void)state;
    static const char ptx[] = KERNEL(".reg .b32 %r<8>; .reg .pred %p<4>; .reg .b64 %a;\n",
                                     "mov.u32 %r1, %tid.x;\n"
                                     "setp.eq.u32 %p0, %r1, 0;\n"
                                     "@%p0 bra RAISE;\n"
                                     "W: ld.volatile.global.u32 %r2, [%out];\n"
                                     "setp.eq.u32 %p1, %r2, 0;\n"
                                     "@%p1 bra W;\n"
                                     "bra DONE;\n"
                                     "RAISE: st.volatile.global.u32 [%out], 7;\n"
                                     "mov.u32 %r2, 7;\n"
                                     "DONE: mul.wide.u32 %a, %r1, 4;\n"
                                     "add.u64 %a, %a, %out;\n"
                                     "st.global.u32 [%a+4], %r2;\n");
    uint32_t expected[41];
    for (unsigned i = 0; i < 41; i++)
        expected[i] = 7;
    expect_words(&(struct run){ptx, 1, 40, 41, NULL, 0}, expected);
}

/* Warp 0 waits in shared memory for the last warp. */
static void warps_wait_for_a_warp(void **state)
{
    (void)state;
    static const char ptx[] = HEADER ".visible .entry k(.param .u64 out)\n{\n"
                                     ".shared .align 4 .b32 flag;\n"
                                     ".reg .b64 %out; .reg .b32 %r<8>; .reg .pred %p<4>;\n"
                                     "ld.param.u64 %out, [out];\n"
                                     "mov.u32 %r1, %tid.x;\n"
                                     "setp.ge.u32 %p0, %r1, 96;\n"
                                     "@%p0 bra LAST;\n"
                                     "W: ld.volatile.shared.u32 %r2, [flag];\n"
                                     "setp.eq.u32 %p1, %r2, 0;\n"
                                     "@%p1 bra W;\n"
                                     "atom.global.add.u32 %r3, [%out], %r2;\n"
                                     "ret;\n"
                                     "LAST: st.volatile.shared.u32 [flag], 5;\n"
                                     "ret;\n}\n";
    const uint32_t expected[1] = {96 * 5 * 2};
    expect_words(&(struct run){ptx, 2, 128, 1, NULL, 0}, expected);
}

/* A grid-wide barrier: every block waits until all have come. Ordered, blocks take turns. */
static void blocks_wait_for_blocks(void **state)
{
    (void)state;
    static const char ptx[] =
        KERNEL(".reg .b32 %r<8>; .reg .pred %p<4>;\n", "atom.global.add.u32 %r1, [%out], 1;\n"
                                                       "W: ld.volatile.global.u32 %r2, [%out];\n"
                                                       "setp.lt.u32 %p0, %r2, 640;\n"
                                                       "@%p0 bra W;\n"
                                                       "red.global.add.u32 [%out+4], 1;\n");
    const uint32_t expected[2] = {640, 640};
    expect_words(&(struct run){ptx, 20, 32, 2, NULL, 0}, expected);
}

/* ---- divergence ------------------------------------------------------------------------------ */

/* Lanes that did something together in one arm of a branch meet the others behind it. */
static void lanes_meet_after_a_sync(void **state)
{
    (void)state;
    static const char ptx[] = KERNEL(".reg .b32 %r<8>; .reg .pred %p; .reg .b64 %a;\n",
                                     "mov.u32 %r1, %tid.x;\n"
                                     "setp.lt.u32 %p, %r1, 5;\n"
                                     "@!%p bra MEET;\n"
                                     "vote.sync.ballot.b32 %r2, %p, 0x1f;\n"
                                     "MEET: activemask.b32 %r3;\n"
                                     "mul.wide.u32 %a, %r1, 4;\n"
                                     "add.u64 %a, %a, %out;\n"
                                     "st.global.u32 [%a], %r3;\n");
    uint32_t expected[32];
    for (unsigned i = 0; i < 32; i++)
        expected[i] = UINT32_MAX;
    expect_words(&(struct run){ptx, 1, 32, 32, NULL, 0}, expected);
}

/* Collatz steps of tid + 1: loops of unequal length; the active mask at the end is whole again. */
static void loops_reconverge(void **state)
{
    (void)state;
    static const char ptx[] = KERNEL(".reg .b32 %r<8>; .reg .pred %p<4>; .reg .b64 %a;\n",
                                     "mov.u32 %r1, %tid.x;\n"
                                     "add.u32 %r2, %r1, 1;\n"
                                     "mov.u32 %r3, 0;\n"
                                     "T: setp.eq.u32 %p0, %r2, 1;\n"
                                     "@%p0 bra DONE;\n"
                                     "and.b32 %r4, %r2, 1;\n"
                                     "setp.eq.u32 %p1, %r4, 0;\n"
                                     "@%p1 bra EVEN;\n"
                                     "mad.lo.u32 %r2, %r2, 3, 1;\n"
                                     "bra NEXT;\n"
                                     "EVEN: shr.u32 %r2, %r2, 1;\n"
                                     "NEXT: add.u32 %r3, %r3, 1;\n"
                                     "bra T;\n"
                                     "DONE: activemask.b32 %r5;\n"
                                     "mul.wide.u32 %a, %r1, 8;\n"
                                     "add.u64 %a, %a, %out;\n"
                                     "st.global.v2.u32 [%a], {%r3, %r5};\n");
    uint32_t expected[2 * 80];
    for (uint32_t i = 0; i < 80; i++) {
        uint32_t steps = 0;
        for (uint32_t v = i + 1; v != 1; v = v & 1 ? 3 * v + 1 : v / 2)
            steps++;
        expected[2 * i] = steps;
        expected[2 * i + 1] = i < 64 ? 0xffffffff : 0xffff;
    }
    expect_words(&(struct run){ptx, 1, 80, 160, NULL, 0}, expected);
}

/* A used atomic before loops of unequal length is no polling: the warp stays whole. Lane l goes 40 l
 * times round the loop. */
static void one_atomic_is_no_poll(void **state)
{
    (void)state;
    static const char ptx[] = KERNEL(".reg .b32 %r<8>; .reg .pred %p<4>; .reg .b64 %a;\n",
                                     "mov.u32 %r1, %tid.x;\n"
                                     "atom.global.add.u32 %r2, [%out], 1;\n"
                                     "mul.lo.u32 %r3, %r1, 40;\n"
                                     "and.b32 %r2, %r2, 0;\n"
                                     "T: setp.ge.u32 %p0, %r2, %r3;\n"
                                     "@%p0 bra DONE;\n"
                                     "add.u32 %r2, %r2, 1;\n"
                                     "bra T;\n"
                                     "DONE: activemask.b32 %r5;\n"
                                     "mul.wide.u32 %a, %r1, 4;\n"
                                     "add.u64 %a, %a, %out;\n"
                                     "st.global.u32 [%a+4], %r5;\n");
    uint32_t expected[33] = {32};
    for (unsigned i = 1; i <= 32; i++)
        expected[i] = UINT32_MAX;
    expect_words(&(struct run){ptx, 1, 32, 33, NULL, 0}, expected);
}

/* Lane l goes 2 l + 1 times round a loop with an atomic whose result nobody uses, and clears one more bit each time. Only
 * the first block that gets there changes the word; the warps of both stay whole. */
static void others_decide_no_turns(void **state)
{
    (void)state;
    static const char ptx[] =
        KERNEL(".reg .b32 %r<6>; .reg .b64 %d<4>; .reg .pred %p; .reg .b64 %a;\n",
               "mov.u32 %r1, %tid.x;\n"
               "shl.b32 %r2, %r1, 1;\n"
               "mov.u32 %r3, 0;\n"
               "mov.u64 %d1, 1;\n"
               "L: not.b64 %d2, %d1;\n"
               "atom.global.and.b64 %d3, [%out], %d2;\n"
               "shl.b64 %d1, %d1, 1;\n"
               "add.u32 %r3, %r3, 1;\n"
               "setp.le.u32 %p, %r3, %r2;\n"
               "@%p bra L;\n"
               "activemask.b32 %r4;\n"
               "mov.u32 %r5, %ctaid.x;\n"
               "mad.lo.u32 %r1, %r5, 32, %r1;\n"
               "mul.wide.u32 %a, %r1, 4;\n"
               "add.u64 %a, %a, %out;\n"
               "st.global.u32 [%a+8], %r4;\n");
    uint32_t input[66] = {UINT32_MAX, UINT32_MAX};
    uint32_t expected[66] = {0, 1u << 31}; /* 63 bits are cleared */
    for (unsigned i = 2; i < 66; i++)
        expected[i] = UINT32_MAX;
    expect_words(&(struct run){ptx, 2, 32, 66, input, 0}, expected);
}

/* Each of three blocks polls half as often as is taken for a deadlock, then gives up: together they are none, either, where
 * one thread runs them. */
static void blocks_give_up_one_by_one(void **state)
{
    (void)state;
    static const char ptx[] = KERNEL(".shared .u32 flag; .reg .b32 %r<3>; .reg .pred %p;\n",
                                     "mov.u32 %r1, 0;\n"
                                     "L: ld.volatile.shared.u32 %r2, [flag];\n"
                                     "add.u32 %r1, %r1, 1;\n"
                                     "setp.lt.u32 %p, %r1, 1000000;\n"
                                     "@%p bra L;\n");
    expect_words(&(struct run){ptx, 3, 32, 1, NULL, 0}, (const uint32_t[]){0});
}

/* The two halves of a warp reach one shfl.sync by different ways and exchange values there. */
static void shuffle_waits_for_its_lanes(void **state)
{
    (void)state;
    static const char ptx[] = KERNEL(".reg .b32 %r<8>; .reg .pred %p<4>; .reg .b64 %a;\n",
                                     "mov.u32 %r1, %tid.x;\n"
                                     "setp.lt.u32 %p0, %r1, 16;\n"
                                     "@%p0 bra LOW;\n"
                                     "add.u32 %r2, %r1, 100;\n"
                                     "bra MEET;\n"
                                     "LOW: mul.lo.u32 %r2, %r1, 2;\n"
                                     "MEET: shfl.sync.bfly.b32 %r3|%p1, %r2, 16, 31, -1;\n"
                                     "mul.wide.u32 %a, %r1, 4;\n"
                                     "add.u64 %a, %a, %out;\n"
                                     "st.global.u32 [%a], %r3;\n");
    uint32_t expected[32];
    for (uint32_t i = 0; i < 32; i++)
        expected[i] = i < 16 ? i + 16 + 100 : 2 * (i - 16);
    expect_words(&(struct run){ptx, 1, 32, 32, NULL, 0}, expected);
}

/* Lanes leave early; those that remain vote among themselves. */
static void early_exit(void **state)
{
    (void)state;
    static const char ptx[] = KERNEL(".reg .b32 %r<8>; .reg .pred %p<4>; .reg .b64 %a;\n",
                                     "mov.u32 %r1, %tid.x;\n"
                                     "rem.u32 %r2, %r1, 3;\n"
                                     "setp.eq.u32 %p0, %r2, 0;\n"
                                     "@%p0 exit;\n"
                                     "setp.gt.u32 %p1, %r1, 9;\n"
                                     "vote.sync.ballot.b32 %r3, %p1, -1;\n"
                                     "mul.wide.u32 %a, %r1, 4;\n"
                                     "add.u64 %a, %a, %out;\n"
                                     "st.global.u32 [%a], %r3;\n"
                                     "bar.sync 0;\n");
    uint32_t expected[32], ballot = 0;
    for (uint32_t i = 0; i < 32; i++)
        if (i % 3 && i > 9) ballot |= 1u << i;
    for (uint32_t i = 0; i < 32; i++)
        expected[i] = i % 3 ? ballot : 0;
    expect_words(&(struct run){ptx, 1, 32, 32, NULL, 0}, expected);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Lanes call with different arguments and depths: factorial by recursion, in odd lanes only. */
static void divergent_recursion(void **state)
{
    (void)state;
    static const char ptx[] = HEADER ".func (.param .b32 result) factorial(.param .b32 n)\n{\n"
                                     ".reg .b32 %r<6>; .reg .pred %p;\n"
                                     "ld.param.u32 %r1, [n];\n"
                                     "mov.u32 %r3, 1;\n"
                                     "setp.le.u32 %p, %r1, 1;\n"
                                     "@%p bra OUT;\n"
                                     "sub.u32 %r2, %r1, 1;\n"
                                     "{ .param .b32 a; .param .b32 b;\n"
                                     "st.param.b32 [a], %r2;\n"
                                     "call.uni (b), factorial, (a);\n"
                                     "ld.param.b32 %r4, [b]; }\n"
                                     "mul.lo.u32 %r3, %r1, %r4;\n"
                                     "OUT: st.param.b32 [result], %r3;\n"
                                     "ret;\n}\n"
                                     ".visible .entry k(.param .u64 out)\n{\n"
                                     ".reg .b64 %out, %a; .reg .b32 %r<6>; .reg .pred %p;\n"
                                     "ld.param.u64 %out, [out];\n"
                                     "mov.u32 %r1, %tid.x;\n"
                                     "mov.u32 %r3, 5;\n"
                                     "and.b32 %r2, %r1, 1;\n"
                                     "setp.eq.u32 %p, %r2, 0;\n"
                                     "@%p bra SKIP;\n"
                                     "rem.u32 %r2, %r1, 13;\n"
                                     "{ .param .b32 a; .param .b32 b;\n"
                                     "st.param.b32 [a], %r2;\n"
                                     "call.uni (b), factorial, (a);\n"
                                     "ld.param.b32 %r3, [b]; }\n"
                                     "SKIP: mul.wide.u32 %a, %r1, 4;\n"
                                     "add.u64 %a, %a, %out;\n"
                                     "st.global.u32 [%a], %r3;\n"
                                     "ret;\n}\n";
    uint32_t expected[48];
    for (uint32_t i = 0; i < 48; i++) {
        uint32_t product = 1;
        for (uint32_t v = 2; v <= i % 13; v++)
            product *= v;
        expected[i] = i & 1 ? product : 5;
    }
    expect_words(&(struct run){ptx, 1, 48, 48, NULL, 0}, expected);
}

/* ---- barriers -------------------------------------------------------------------------------- */

static void barrier_reduction(void **state)
{
    (void)state;
    static const char ptx[] = KERNEL(".reg .b32 %r<8>; .reg .pred %p<6>; .reg .b64 %a;\n",
                                     "mov.u32 %r1, %tid.x;\n"
                                     "setp.lt.u32 %p0, %r1, 37;\n"
                                     "bar.red.popc.u32 %r2, 0, %p0;\n"
                                     "bar.red.or.pred %p1, 0, %p0;\n"
                                     "bar.red.and.pred %p2, 0, !%p0;\n"
                                     "selp.u32 %r3, 100, 0, %p1;\n"
                                     "selp.u32 %r4, 1000, 0, %p2;\n"
                                     "add.u32 %r2, %r2, %r3;\n"
                                     "add.u32 %r2, %r2, %r4;\n"
                                     "mul.wide.u32 %a, %r1, 4;\n"
                                     "add.u64 %a, %a, %out;\n"
                                     "st.global.u32 [%a], %r2;\n");
    uint32_t expected[70];
    for (uint32_t i = 0; i < 70; i++)
        expected[i] = 137;
    expect_words(&(struct run){ptx, 1, 70, 70, NULL, 0}, expected);
}

/* Producer warps arrive, the consumer warp waits: a named barrier with a count. */
static void named_barrier(void **state)
{
    (void)state;
    static const char ptx[] = HEADER ".visible .entry k(.param .u64 out)\n{\n"
                                     ".shared .align 4 .b8 box[256];\n"
                                     ".reg .b64 %out, %a; .reg .b32 %r<8>; .reg .pred %p<4>;\n"
                                     "ld.param.u64 %out, [out];\n"
                                     "mov.u32 %r1, %tid.x;\n"
                                     "mov.u32 %r4, box;\n"
                                     "setp.lt.u32 %p0, %r1, 32;\n"
                                     "@%p0 bra CONSUME;\n"
                                     "shl.b32 %r2, %r1, 2;\n"
                                     "add.u32 %r2, %r2, %r4;\n"
                                     "mad.lo.u32 %r3, %r1, %r1, 3;\n"
                                     "st.shared.u32 [%r2+-128], %r3;\n"
                                     "bar.arrive 3, 64;\n"
                                     "ret;\n"
                                     "CONSUME: bar.sync 3, 64;\n"
                                     "shl.b32 %r2, %r1, 2;\n"
                                     "add.u32 %r2, %r2, %r4;\n"
                                     "ld.shared.u32 %r3, [%r2];\n"
                                     "mul.wide.u32 %a, %r1, 4;\n"
                                     "add.u64 %a, %a, %out;\n"
                                     "st.global.u32 [%a], %r3;\n"
                                     "ret;\n}\n";
    uint32_t expected[32];
    for (uint32_t i = 0; i < 32; i++)
        expected[i] = (i + 32) * (i + 32) + 3;
    expect_words(&(struct run){ptx, 1, 64, 32, NULL, 0}, expected);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static void fault_out_of_bounds(void **state)
{
    (void)state;
    static const char ptx[] =
        KERNEL(".reg .b32 %r<4>; .reg .b64 %a;\n", "mov.u32 %r1, %ctaid.x;\n"
                                                   "mov.u32 %r2, %ntid.x;\n"
                                                   "mov.u32 %r3, %tid.x;\n"
                                                   "mad.lo.u32 %r1, %r1, %r2, %r3;\n"
                                                   "mul.wide.u32 %a, %r1, 4;\n"
                                                   "add.u64 %a, %a, %out;\n"
                                                   "st.global.u32 [%a], %r1;\n");
    expect_fault(&(struct run){ptx, 40, 31, 100, NULL, 0}, WS_ERR_FAULT,
                 (const char *[]){"global store of 4 bytes out of bounds",
                                  "kernel k, block (3,0,0), thread (7,0,0), warp 0 lane 7",
                                  "st.global.u32", "test.ptx:15", "400 bytes",
                                  "0 bytes past its end", NULL});
}

static void fault_misaligned(void **state)
{
    (void)state;
    static const char ptx[] = KERNEL(".reg .b32 %r<4>;\n", "ld.global.u32 %r1, [%out+2];\n");
    expect_fault(&(struct run){ptx, 1, 1, 4, NULL, 0}, WS_ERR_FAULT,
                 (const char *[]){"global load of 4 bytes at a misaligned address", NULL});
}

/* After a valid access of the same instruction, one whose end wraps to address 0. */
static void fault_wraps(void **state)
{
    (void)state;
    static const char ptx[] =
        KERNEL(".reg .b32 %r<4>; .reg .pred %p;\n", "mov.u32 %r2, 0;\n"
                                                    "L: ld.global.u32 %r1, [%out];\n"
                                                    "mov.u64 %out, -4;\n"
                                                    "add.u32 %r2, %r2, 1;\n"
                                                    "setp.lt.u32 %p, %r2, 2;\n"
                                                    "@%p bra L;\n");
    expect_fault(&(struct run){ptx, 1, 32, 4, NULL, 0}, WS_ERR_FAULT,
                 (const char *[]){"out of bounds: address 0xfffffffffffffffc", NULL});
}

static void fault_deadlock(void **state)
{
    (void)state;
    static const char ptx[] =
        KERNEL(".reg .b32 %r<4>; .reg .pred %p;\n", "mov.u32 %r1, %tid.x;\n"
                                                    "setp.lt.u32 %p, %r1, 32;\n"
                                                    "@%p bra A;\n"
                                                    "bar.sync 1;\n"
                                                    "ret;\n"
                                                    "A: bar.sync 2;\n");
    expect_fault(
        &(struct run){ptx, 1, 64, 4, NULL, 0}, WS_ERR_DEADLOCK,
        (const char *[]){"deadlock", "barrier 2 has 32 of 64", "barrier 1 has 32 of 64", NULL});
}

static void fault_endless(void **state)
{
    (void)state;
    static const char ptx[] = KERNEL("", "L: bra L;\n");
    expect_fault(&(struct run){ptx, 1, 64, 4, NULL, 5000000}, WS_ERR_LIMIT,
                 (const char *[]){"instruction limit", "5000000", NULL});
}

static void fault_trap(void **state)
{
    (void)state;
    static const char ptx[] = KERNEL("", "trap;\n");
    expect_fault(&(struct run){ptx, 1, 64, 4, NULL, 0}, WS_ERR_FAULT,
                 (const char *[]){"trap", "kernel k", NULL});
}

/* ---- device memory --------------------------------------------------------------------------- */

static void device_memory(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct device *device;
    assert_int_equal(device_create(&diag, &(struct device_options){.isa_level = -1}, &device),
                     WS_OK);
    uint64_t a, b;
    assert_int_equal(device_alloc(&diag, device, 1000, &a), WS_OK);
    assert_int_equal(device_alloc(&diag, device, 1, &b), WS_OK);
    assert_int_equal(a % 512, 0);
    assert_int_equal(b % 512, 0);
    assert_true(b >= a + 1000 + 1);
    char data[1000], back[1000];
    for (unsigned i = 0; i < sizeof data; i++)
        data[i] = (char)(i * 7);
    assert_int_equal(device_copy_in(&diag, device, a, data, sizeof data), WS_OK);
    assert_int_equal(device_copy_out(&diag, device, back, a, sizeof back), WS_OK);
    assert_memory_equal(data, back, sizeof data);
    assert_int_equal(device_copy_in(&diag, device, a + 1, data, sizeof data), WS_ERR_ARGUMENT);
    assert_int_equal(device_copy_out(&diag, device, back, b + 600, 1), WS_ERR_ARGUMENT);
    assert_int_equal(device_free(&diag, device, a + 8), WS_ERR_ARGUMENT);
    assert_int_equal(device_free(&diag, device, a), WS_OK);
    assert_int_equal(device_free(&diag, device, a), WS_ERR_ARGUMENT);
    assert_int_equal(device_copy_out(&diag, device, back, a, 1), WS_ERR_ARGUMENT);
    device_destroy(device);
    diag_clear(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_take_a_lock),
        cmocka_unit_test(lanes_wait_for_a_lane),
        cmocka_unit_test(warps_wait_for_a_warp),
        cmocka_unit_test(blocks_wait_for_blocks),
        cmocka_unit_test(lanes_meet_after_a_sync),
        cmocka_unit_test(loops_reconverge),
        cmocka_unit_test(one_atomic_is_no_poll),
        cmocka_unit_test(others_decide_no_turns),
        cmocka_unit_test(blocks_give_up_one_by_one),
        cmocka_unit_test(shuffle_waits_for_its_lanes),
        cmocka_unit_test(early_exit),
        cmocka_unit_test(divergent_recursion),
        cmocka_unit_test(barrier_reduction),
        cmocka_unit_test(named_barrier),
        cmocka_unit_test(fault_out_of_bounds),
        cmocka_unit_test(fault_misaligned),
        cmocka_unit_test(fault_wraps),
        cmocka_unit_test(fault_deadlock),
        cmocka_unit_test(fault_endless),
        cmocka_unit_test(fault_trap),
        cmocka_unit_test(device_memory),
    };
    return cmocka_run_group_tests_name("emulate", tests, NULL, NULL);
}

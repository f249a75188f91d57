// SPDX-License-Identifier: Apache-2.0
/* The recorder: the steps of a kernel small enough to be followed by hand, the view of instructions,
 * which blocks are recorded. That traces agree with the counters of every kernel of the tests is
 * checked in run_kernel (support/kernel_run.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/handles.h"
#include "support/kernel_run.h"
#include "support/trace_check.h"

static const struct trace *start(struct run *run, uint32_t grid, uint32_t block)
{
    run_begin(run, "tests/kernels/trace.ptx", "steps", 1);
    run_shape(run, grid, block);
    run_input(run, (const uint32_t[1]){0}, 4);
    run_launch(run);
    return run->profile->profile->trace;
}

struct hand_step {
    uint32_t line; /* in trace.ptx */
    uint32_t active, on;
    int lanes; /* of the access; -1: none */
};

#define ALL UINT32_MAX
#define LOW 0x0000ffffu

/* The lower half takes the branch, the upper half adds, and they meet at the barrier. */
static void test_steps_by_hand(void **state)
{
    (void)state;
    struct run run;
    const struct trace *trace = start(&run, 2, 64);
    assert_non_null(trace);
    assert_true(check_trace(run.profile->profile));
    assert_int_equal(trace->head.target, 70);
    assert_string_equal(trace->head.kernel, "steps");
    assert_int_equal(trace->head.warps_per_block, 2);
    assert_int_equal(trace->block_count, 2);
    static const struct hand_step steps[] = {
        {9, ALL, ALL, 1},   {10, ALL, ALL, -1}, {11, ALL, ALL, -1},   {12, ALL, ALL, -1},
        {13, ALL, ALL, -1}, {14, ALL, ALL, -1}, {15, ALL, LOW, 16},   {16, ALL, ALL, -1},
        {17, ALL, ALL, -1}, {18, ALL, LOW, -1}, {19, ~LOW, ~LOW, -1}, {21, ALL, ALL, -1},
        {22, ALL, ALL, 32}, {23, ALL, ALL, -1}};
    struct trace_cursor cursor;
    trace_cursor_init(&cursor, trace, &trace->blocks[1], 1);
    struct trace_step step;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert_true(trace_cursor_next(&cursor, &step));
        assert_int_equal(trace->insns[step.insn].line, steps[i].line);
        assert_int_equal(step.active, steps[i].active);
        assert_int_equal(step.on, steps[i].on);
        assert_int_equal(step.access_count, steps[i].lanes >= 0);
        if (steps[i].lanes < 0) continue;
        uint32_t mask = trace->patterns[step.accesses[0].pattern].mask;
        assert_int_equal(__builtin_popcount(mask), steps[i].lanes == 1 ? 32 : steps[i].lanes);
    }
    assert_false(trace_cursor_next(&cursor, &step));
    trace_cursor_clear(&cursor);
    run_end(&run);
}

static const struct trace_insn *insn_at(const struct trace *trace, uint32_t line)
{
    for (uint32_t i = 0; i < trace->insn_count; i++)
        if (trace->insns[i].line == line) return &trace->insns[i];
    fail_msg("no instruction of line %u", line);
    return NULL;
}

static bool depends(const struct trace *trace, uint32_t reader, uint32_t writer)
{
    const struct trace_insn *r = insn_at(trace, reader), *w = insn_at(trace, writer);
    for (unsigned i = 0; i < r->read_count; i++)
        for (unsigned k = 0; k < w->write_count; k++)
            if (trace_reads(trace, r)[i] == trace_writes(trace, w)[k]) return true;
    return false;
}

static void test_instructions(void **state)
{
    (void)state;
    struct run run;
    const struct trace *trace = start(&run, 1, 64);
    assert_true(depends(trace, 12, 10) && depends(trace, 13, 12) && depends(trace, 14, 10));
    assert_true(depends(trace, 15, 14)); /* the guard */
    assert_true(depends(trace, 15, 13)); /* the address */
    assert_true(depends(trace, 17, 16)); /* the carry */
    assert_false(depends(trace, 12, 11));
    const struct trace_insn *store = insn_at(trace, 15), *sync = insn_at(trace, 21);
    assert_int_equal(store->operation, TRACE_STORE);
    assert_int_equal(store->space, SPACE_SHARED);
    assert_int_equal(store->bytes, 4);
    assert_true(store->guarded);
    assert_int_equal(sync->barrier, TRACE_BARRIER_SYNC);
    assert_int_equal(sync->barrier_id, 3);
    assert_int_equal(sync->barrier_threads, 64);
    const struct trace_insn *last = insn_at(trace, 22);
    assert_int_equal(last->cache_op, CACHE_CG);
    assert_int_equal(insn_at(trace, 18)->flags, TRACE_BRANCH);
    assert_int_equal(insn_at(trace, 23)->flags, TRACE_EXIT);
    run_end(&run);
}

/* isa_view.ptx: what folds is gone, and its user has the access and its address. */
static void test_view(void **state)
{
    (void)state;
    struct run run;
    run_begin(&run, "tests/kernels/isa_view.ptx", "folds", 1);
    run_shape(&run, 1, 64);
    run_output(&run, 4096);
    run.launch.isa_view = "gt200";
    run_launch(&run);
    const struct trace *trace = run.profile->profile->trace;
    assert_true(check_trace(run.profile->profile));
    unsigned operands = 0;
    for (uint32_t i = 0; i < trace->insn_count; i++) {
        const struct trace_insn *insn = &trace->insns[i];
        if (!(insn->flags & TRACE_SHARED_OPERAND)) continue;
        operands++;
        assert_int_equal(insn->space, SPACE_SHARED);
        assert_int_equal(insn->operation, TRACE_LOAD);
        assert_true(insn->access_pc < insn->pc);
    }
    assert_int_equal(operands, 2);
    run_end(&run);
}

static void launch_blocks(struct run *run, uint32_t blocks, uint64_t bytes, double effort)
{
    run_begin(run, "tests/kernels/trace.ptx", "steps", 3);
    run_shape(run, 100, 64);
    run_input(run, (const uint32_t[1]){0}, 4);
    run->launch.trace_blocks = blocks;
    run->launch.trace_bytes = bytes;
    run->launch.effort = effort;
    run_launch(run);
}

static void test_which_blocks(void **state)
{
    (void)state;
    struct run run;
    launch_blocks(&run, 0, 0, 0);
    assert_int_equal(run.profile->profile->trace->block_count, 32);
    assert_int_equal(run.profile->profile->note_count, 0);
    uint64_t bytes = run.profile->profile->trace->bytes;
    run_end(&run);

    launch_blocks(&run, 5, 0, 0.1); /* one of each of five parts, beside the ten of the sample */
    const struct trace *trace = run.profile->profile->trace;
    assert_int_equal(trace->block_count, 5);
    for (unsigned i = 0; i < 5; i++)
        assert_in_range(trace->blocks[i].index, 20 * i, 20 * i + 19);
    assert_int_equal(run_counter(&run, "blocks.executed"), 10);
    run_end(&run);

    launch_blocks(&run, WS_TRACE_NONE, 0, 0);
    assert_null(run.profile->profile->trace);
    assert_string_equal(run.profile->profile->trace_reason, "not recorded");
    run_end(&run);

    launch_blocks(&run, 32, bytes / 2, 0); /* all blocks are alike */
    assert_int_equal(run.profile->profile->trace->block_count, 16);
    assert_int_equal(run.profile->profile->note_count, 1);
    assert_non_null(strstr(run.profile->profile->notes[0], "16 blocks instead of 32"));
    run_end(&run);

    launch_blocks(&run, 32, 10, 0);
    assert_null(run.profile->profile->trace);
    assert_non_null(strstr(run.profile->profile->trace_reason, "trace of one block"));
    run_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_by_hand),
        cmocka_unit_test(test_instructions),
        cmocka_unit_test(test_view),
        cmocka_unit_test(test_which_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
/* tests/kernels/scheduling.cu: threads that wait for each other, at every instruction-set level and
 * with one to three host threads. What comes out follows from the protocols, not from the order in
 * which warps run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/handles.h"
#include "support/kernel_check.h"

#define SCHEDULING "tests/kernels/scheduling.ptx"

/* The public API always takes the best level. */
static void set_level(struct run *run, int level)
{
    const struct device_options options = {.threads = run->threads, .isa_level = level};
    device_destroy(run->device->device);
    assert_int_equal(device_create(&run->context->diag, &options, &run->device->device), WS_OK);
}

static void run_everywhere(const char *kernel, run_step *setup, run_step *check)
{
    run_kernel(SCHEDULING, kernel, setup, check);
    for (int level = 0; level < device_isa_levels(); level++) {
        struct run run;
        run_begin(&run, SCHEDULING, kernel, 1);
        set_level(&run, level);
        setup(&run);
        run_launch(&run);
        check(&run);
        run_end(&run);
    }
}

static uint32_t *read_words(struct run *run, size_t buffer)
{
    return run_read(run, buffer);
}

static void zeros(struct run *run, size_t words)
{
    uint32_t *values = calloc(words, sizeof *values);
    run_input(run, values, words * sizeof *values);
    free(values);
}

static void expect_words(struct run *run, size_t buffer, const uint32_t *expected, size_t count)
{
    expect_bytes(run, buffer, expected, count * sizeof *expected);
}

/* ---- locks ----------------------------------------------------------------------------------- */

enum { LOCKERS = 3 * 80 };

static void ticket_setup(struct run *run)
{
    run_shape(run, 3, 80);
    zeros(run, 1);
    zeros(run, 1);
    zeros(run, 1);
    run_output(run, LOCKERS * sizeof(uint32_t));
}

/* Everybody was in once: had two been in at the same time, one entry would be missing. */
static void ticket_check(struct run *run)
{
    const uint32_t all = LOCKERS;
    bool seen[LOCKERS] = {false};
    for (size_t buffer = 0; buffer < 3; buffer++)
        expect_words(run, buffer, &all, 1);
    uint32_t *order = read_words(run, 3);
    for (size_t i = 0; i < LOCKERS; i++) {
        assert_true(order[i] < LOCKERS && !seen[order[i]]);
        seen[order[i]] = true;
    }
    free(order);
}

static void test_ticket_lock(void **state)
{
    (void)state;
    run_everywhere("ticket_lock", ticket_setup, ticket_check);
}

enum { ACCOUNTS = 5, TRADERS = 2 * 48, TRADES = 3 };

static void accounts_setup(struct run *run)
{
    run_shape(run, 2, 48);
    zeros(run, ACCOUNTS);
    zeros(run, ACCOUNTS);
    run_int(run, ACCOUNTS);
    run_int(run, TRADES);
}

static void accounts_check(struct run *run)
{
    uint32_t expected[ACCOUNTS] = {0};
    for (uint32_t thread = 0; thread < TRADERS; thread++) {
        uint32_t state = thread + 1;
        for (int i = 0; i < TRADES; i++) {
            state = state * 1664525u + 1013904223u;
            uint32_t from = (state >> 16) % ACCOUNTS;
            expected[from]--;
            expected[(from + 1 + (state >> 24) % (ACCOUNTS - 1)) % ACCOUNTS]++;
        }
    }
    expect_words(run, 1, expected, ACCOUNTS);
}

static void test_two_locks(void **state)
{
    (void)state;
    run_everywhere("two_locks", accounts_setup, accounts_check);
}

static void lane_chain_setup(struct run *run)
{
    run_shape(run, 1, 32);
    run_output(run, 32 * sizeof(uint32_t));
}

static void lane_chain_check(struct run *run)
{
    uint32_t expected[32], sum = 1;
    for (uint32_t lane = 32; lane-- > 0;)
        expected[lane] = sum += lane;
    expect_words(run, 0, expected, 32);
}

static void test_lane_chain(void **state)
{
    (void)state;
    run_everywhere("lane_chain", lane_chain_setup, lane_chain_check);
}

/* ---- producers and consumers ----------------------------------------------------------------- */

enum { MAILS = 20 };

static void mailbox_setup(struct run *run)
{
    run_shape(run, 1, 32);
    run_int(run, MAILS);
    run_output(run, 32 * sizeof(uint32_t));
}

static void mailbox_check(struct run *run)
{
    uint32_t expected[32];
    for (uint32_t pair = 0; pair < 16; pair++) {
        uint32_t sum = 0;
        for (uint32_t i = 1; i <= MAILS; i++)
            sum = sum * 3 + i * (pair + 1);
        expected[2 * pair] = MAILS * (MAILS + 1) / 2;
        expected[2 * pair + 1] = sum;
    }
    expect_words(run, 0, expected, 32);
}

static void test_lane_mailbox(void **state)
{
    (void)state;
    run_everywhere("lane_mailbox", mailbox_setup, mailbox_check);
}

enum { RELAY_WARPS = 6 };

static void relay_setup(struct run *run)
{
    run_shape(run, 1, RELAY_WARPS * 32);
    zeros(run, RELAY_WARPS);
    run_output(run, RELAY_WARPS * 32 * sizeof(uint32_t));
}

static void relay_check(struct run *run)
{
    uint32_t flags[RELAY_WARPS], out[RELAY_WARPS * 32], seen = 0;
    for (uint32_t warp = RELAY_WARPS; warp-- > 0;) {
        for (uint32_t lane = 0; lane < 32; lane++)
            out[warp * 32 + lane] = seen * 2 + lane;
        flags[warp] = seen += warp + 1;
    }
    expect_words(run, 0, flags, RELAY_WARPS);
    expect_words(run, 1, out, RELAY_WARPS * 32);
}

static void test_warp_relay(void **state)
{
    (void)state;
    run_everywhere("warp_relay", relay_setup, relay_check);
}

enum { RALLIES = 40 };

static void ping_pong_setup(struct run *run)
{
    run_shape(run, 4, 32);
    run_int(run, RALLIES);
    zeros(run, 1);
    zeros(run, 1);
}

static void ping_pong_check(struct run *run)
{
    uint32_t value = 0, hits = 2 * RALLIES;
    for (uint32_t i = 0; i < hits; i++)
        value = value * 3 + i % 2 + 1;
    expect_words(run, 0, &hits, 1);
    expect_words(run, 1, &value, 1);
}

static void test_ping_pong(void **state)
{
    (void)state;
    run_everywhere("ping_pong", ping_pong_setup, ping_pong_check);
}

enum { CHAIN_BLOCKS = 12, CHAIN_THREADS = 64 };

static void block_chain_setup(struct run *run)
{
    run_shape(run, CHAIN_BLOCKS, CHAIN_THREADS);
    zeros(run, CHAIN_BLOCKS);
}

static void block_chain_check(struct run *run)
{
    uint32_t expected[CHAIN_BLOCKS], sum = 0;
    for (uint32_t block = CHAIN_BLOCKS; block-- > 0;)
        expected[block] = sum += (CHAIN_THREADS - 1) / (block + 2) + 1;
    expect_words(run, 0, expected, CHAIN_BLOCKS);
}

static void test_block_chain(void **state)
{
    (void)state;
    run_everywhere("block_chain", block_chain_setup, block_chain_check);
}

static void block_votes_setup(struct run *run)
{
    run_shape(run, CHAIN_BLOCKS, CHAIN_THREADS);
    zeros(run, CHAIN_BLOCKS);
}

static void block_votes_check(struct run *run)
{
    uint32_t expected[CHAIN_BLOCKS];
    for (uint32_t block = 0; block < CHAIN_BLOCKS; block++)
        expected[block] = CHAIN_BLOCKS - block;
    expect_words(run, 0, expected, CHAIN_BLOCKS);
}

static void test_block_votes(void **state)
{
    (void)state;
    run_everywhere("block_votes", block_votes_setup, block_votes_check);
}

/* ---- queues ---------------------------------------------------------------------------------- */

enum { QUEUE_SIZE = 8, PRODUCERS = 2 * 64, ROUNDS = 5, ITEMS = PRODUCERS * ROUNDS };

static void bounded_setup(struct run *run)
{
    uint32_t places[QUEUE_SIZE][2];
    for (uint32_t i = 0; i < QUEUE_SIZE; i++)
        places[i][0] = i, places[i][1] = 0;
    run_shape(run, 2, 128);
    run_input(run, places, sizeof places);
    run_int(run, QUEUE_SIZE);
    zeros(run, 2);
    run_int(run, ROUNDS);
    run_output(run, ITEMS * sizeof(uint32_t));
}

/* Each item once, and those of one producer in its order: the queue is first in, first out. */
static void bounded_check(struct run *run)
{
    uint32_t *taken = read_words(run, 2), rounds[256] = {0}, count = 0;
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t thread = taken[i] >> 8;
        assert_true(thread < 256 && thread / 32 % 2 == 0);
        assert_int_equal(taken[i] & 255, rounds[thread]++);
    }
    for (uint32_t thread = 0; thread < 256; thread++)
        count += rounds[thread] == ROUNDS;
    assert_int_equal(count, PRODUCERS);
    free(taken);
}

static void test_bounded_queue(void **state)
{
    (void)state;
    run_everywhere("bounded_queue", bounded_setup, bounded_check);
}

enum { LINKERS = 3 * 40, LINKS = 4, NODES = LINKERS * LINKS + 1 };

struct node {
    uint32_t item, unused;
    uint64_t next;
};

static void linked_setup(struct run *run)
{
    struct node *nodes = calloc(NODES, sizeof *nodes);
    const uint64_t ends[2] = {0, 0};
    nodes[0].next = UINT32_MAX;
    run_shape(run, 3, 40);
    run_input(run, nodes, NODES * sizeof *nodes);
    run_input(run, ends, sizeof ends);
    run_int(run, LINKS);
    zeros(run, NODES - 1);
    free(nodes);
}

static void linked_check(struct run *run)
{
    uint32_t expected[NODES - 1];
    for (size_t i = 0; i < NODES - 1; i++)
        expected[i] = 1;
    expect_words(run, 2, expected, NODES - 1);
}

static void test_linked_queue(void **state)
{
    (void)state;
    run_everywhere("linked_queue", linked_setup, linked_check);
}

/* ---- what cannot end ------------------------------------------------------------------------- */

/* With as many threads as blocks. */
static void expect_deadlock(const char *kernel, unsigned blocks, uint32_t words)
{
    struct run run;
    run_begin(&run, SCHEDULING, kernel, blocks);
    run_shape(&run, blocks, 64);
    zeros(&run, words);
    assert_int_equal(run_try(&run), WS_ERR_DEADLOCK);
    if (!strstr(ws_context_error(run.context), "wait at"))
        fail_msg("%s", ws_context_error(run.context));
    run_end(&run);
}

static void test_deadly_embrace(void **state)
{
    (void)state;
    expect_deadlock("deadly_embrace", 2, 2);
}

static void test_waits_for_nobody(void **state)
{
    (void)state;
    expect_deadlock("waits_for_nobody", 1, 1);
    expect_deadlock("nobody_answers", 1, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticket_lock),    cmocka_unit_test(test_two_locks),
        cmocka_unit_test(test_lane_chain),     cmocka_unit_test(test_lane_mailbox),
        cmocka_unit_test(test_warp_relay),     cmocka_unit_test(test_ping_pong),
        cmocka_unit_test(test_block_chain),    cmocka_unit_test(test_block_votes),
        cmocka_unit_test(test_bounded_queue),  cmocka_unit_test(test_linked_queue),
        cmocka_unit_test(test_deadly_embrace), cmocka_unit_test(test_waits_for_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

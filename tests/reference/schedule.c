// SPDX-License-Identifier: Apache-2.0
/* Orders of threads, by a seed. A thread is drawn from all blocks and runs for a while, from one instruction to some
 * thousands, by the schedule: short turns mix accesses, long ones let a thread run far ahead of others. Threads that wait
 * for a value of memory use up their turn, so that all get one. */
#include "reference/thread.h"

#include <stddef.h>

#include "base/arena.h"

enum { TURN_BITS = 4, TURNS = 4, RARELY = 8 };

struct schedule {
    uint64_t random;
    struct thread **threads; /* that have not ended */
    uint32_t count;
    uint32_t turn; /* instructions, on average */
};

/* xorshift64*: Vigna, An experimental exploration of Marsaglia's xorshift generators, scrambled, 2016. */
static uint32_t draw(struct schedule *schedule, uint32_t below)
{
    uint64_t x = schedule->random;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    schedule->random = x;
    return (uint32_t)((x * UINT64_C(2685821657736338717)) >> 32) % below;
}

static void take_turn(struct schedule *schedule, struct thread *thread)
{
    uint32_t left = 1 + draw(schedule, 2 * schedule->turn);
    while (left-- && thread->state == THREAD_RUNS && !thread->block->state->fault) {
        thread_step(thread);
        if (thread->copy_count && !draw(schedule, RARELY))
            thread_copies_do(thread, 1 + draw(schedule, thread->copy_count));
    }
}

static bool release_any(struct block *blocks, uint32_t count)
{
    bool any = false;
    for (uint32_t i = 0; i < count; i++)
        any |= block_release(&blocks[i]);
    return any;
}

static bool is_any_running(const struct schedule *schedule)
{
    for (uint32_t i = 0; i < schedule->count; i++)
        if (schedule->threads[i]->state == THREAD_RUNS) return true;
    return false;
}

/* Where a drawn thread waits its block may go on; that takes a look at all of its threads, so not each time. */
static void run_turn(struct schedule *schedule)
{
    uint32_t index = draw(schedule, schedule->count);
    struct thread *thread = schedule->threads[index];
    take_turn(schedule, thread);
    if (thread->state == THREAD_RUNS) return;
    if (thread->copy_count) /* others may wait for what it has told a barrier of */
        thread_copies_do(thread, draw(schedule, 1 + thread->copy_count));
    if (thread->state == THREAD_DONE) {
        thread_copies_do(thread, thread->copy_count);
        schedule->threads[index] = schedule->threads[--schedule->count];
    }
    if (!draw(schedule, 1 + thread->block->thread_count / 4)) block_release(thread->block);
}

void schedule_run(struct state *state, struct block *blocks, uint32_t count)
{
    uint64_t seed = state->launch->schedule;
    struct schedule schedule = {.random = seed * UINT64_C(0x9e3779b97f4a7c15),
                                .turn = UINT32_C(1) << (TURN_BITS * (seed % TURNS))};
    for (uint32_t i = 0; i < count; i++)
        schedule.count += blocks[i].thread_count;
    schedule.threads = mem_zalloc(schedule.count, sizeof(struct thread *));
    for (uint32_t i = 0, k = 0; i < count; i++)
        for (uint32_t t = 0; t < blocks[i].thread_count; t++)
            schedule.threads[k++] = &blocks[i].threads[t];
    bool goes_on = true;
    while (schedule.count && goes_on && !state->fault) {
        for (uint32_t i = 0; i < RARELY * count && schedule.count; i++)
            run_turn(&schedule);
        goes_on = is_any_running(&schedule) || release_any(blocks, count);
    }
    mem_free(schedule.threads);
}

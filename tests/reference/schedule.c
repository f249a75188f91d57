// SPDX-License-Identifier: Apache-2.0
/* Orders of threads, by a seed. A thread is drawn from all blocks and runs for a while, from one instruction to some
 * thousands, by the schedule: short turns mix accesses, long ones let a thread run far ahead of others. Half of the
 * blocks, warps or threads, again by the schedule, are slow for a time: they seldom get a turn. Threads that wait for a value
 * of memory use up their turn, so that all get one. */
#include "reference/thread.h"

#include <stddef.h>

#include "base/arena.h"

enum { TURN_BITS = 4, TURNS = 4, RARELY = 8, PACE_TURNS = 1 << 14 };
enum slow { SLOW_NONE, SLOW_BLOCKS, SLOW_WARPS, SLOW_THREADS, SLOWS };

struct schedule {
    uint64_t random;
    struct thread **threads; /* that have not ended */
    uint32_t count;
    uint32_t turn; /* instructions, on average */
    enum slow slow;
    uint64_t pace; /* which are slow now */
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

static bool is_slow(const struct schedule *schedule, const struct thread *thread)
{
    uint64_t block = 1 + thread->block->id[0], warp = 1 + thread->index / REFERENCE_WARP;
    uint64_t what = schedule->slow == SLOW_BLOCKS    ? block
                    : schedule->slow == SLOW_WARPS   ? block << 16 | warp
                    : schedule->slow == SLOW_THREADS ? block << 16 | (thread->index + 1)
                                                     : 0;
    return what && (((what ^ schedule->pace) * UINT64_C(0x9e3779b97f4a7c15)) >> 63);
}

static void take_turn(struct schedule *schedule, struct thread *thread)
{
    uint32_t left = 1 + draw(schedule, 2 * schedule->turn);
    thread->yields = false;
    while (left-- && thread->state == THREAD_RUNS && !thread->yields &&
           !thread->block->state->fault) {
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
    if (!draw(schedule, PACE_TURNS)) schedule->pace = schedule->random;
    if (is_slow(schedule, thread) && draw(schedule, RARELY)) return;
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
                                .turn = UINT32_C(1) << (TURN_BITS * (seed % TURNS)),
                                .slow = (enum slow)(seed / TURNS % SLOWS)};
    schedule.pace = schedule.random;
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

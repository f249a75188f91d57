// SPDX-License-Identifier: Apache-2.0
/* Blocks that take turns: those of ordered kernels, and those of a cluster. */
#include <string.h>

#include "base/strbuf.h"
#include "emulate/check_sync.h"
#include "emulate/cluster.h"
#include "emulate/waiting.h"
#include "emulate/worker.h"

/* Warp instructions that a polling block may spend before another gets a turn. A guess: a thousand
 * blocks at a grid-wide barrier then cost a few tenths of a second. */
enum { ORDERED_QUANTUM = 1 << 15 };
enum { RESIDENT_MAX = 1 << 16 };

/* Who has the next turn, and who the last. */
struct queue {
    struct block *head, *tail;
};

static void push(struct queue *queue, struct block *block)
{
    if (queue->tail)
        queue->tail->next = block;
    else
        queue->head = block;
    while (block->next)
        block = block->next;
    queue->tail = block;
}

static struct block *pop(struct queue *queue)
{
    struct block *block = queue->head;
    queue->head = block->next;
    if (!queue->head) queue->tail = NULL;
    block->next = NULL;
    return block;
}

/* False: none is left, or one before it has failed. */
static bool begin_next(struct worker *worker, struct queue *queue)
{
    struct launch *launch = worker->launch;
    uint32_t size = launch->cluster_blocks ? launch->cluster_blocks : 1;
    uint64_t unit = take_unit(launch);
    uint64_t least = __atomic_load_n(&launch->fault_block, __ATOMIC_RELAXED);
    if (unit >= launch->units || unit * size >= least) return false;
    struct block *first;
    if (launch->cluster_blocks) {
        first = cluster_start(worker, unit);
    } else {
        first = block_take(worker);
        block_start(worker, first, launch_block_index(&launch->view, unit));
    }
    worker->resident += size;
    push(queue, first);
    return true;
}

/* A block has had its turn. With the tool sync: does the state of all that have begun repeat, and can no other begin?
 * Then that is the fault. */
static bool all_repeat(struct worker *worker, struct block *block, bool may_begin)
{
    struct exec *x = &worker->exec;
    if (!(x->checks & CHECK_SYNC)) return false;
    if (!block->sync->repeats || worker->changes != x->changes || may_begin) {
        worker->repeating = 0;
        worker->changes = x->changes;
        return false;
    }
    if (++worker->repeating <= worker->resident) return false;
    x->warp = &block->warps[0];
    fault_at(x, FAULT_DEADLOCK, x->last, 1);
    return true;
}

/* The same for blocks of clusters that wait for each other: was each of all that have begun stuck in its last turn? */
static bool all_stuck(struct worker *worker, struct block *block, bool may_begin)
{
    struct exec *x = &worker->exec;
    worker->stuck = block->is_stuck && !may_begin ? worker->stuck + 1 : 0;
    if (worker->stuck <= worker->resident) return false;
    block_deadlock(x, block);
    return true;
}

/* Blocks that are not begun while others have not ended: those beyond what the GPU holds, if the caller said so and
 * wants to know (doc/checks.md#sync). */
static uint64_t resident_most(const struct worker *worker)
{
    uint64_t most = worker->launch->options->resident_blocks;
    bool is_limited = worker->exec.checks & CHECK_SYNC && most && most < RESIDENT_MAX;
    return is_limited ? most : RESIDENT_MAX;
}

/* Of a block that waits for ever: where the others wait. */
static void tell_others(struct worker *worker, struct block *others)
{
    struct fault *fault = &worker->exec.fault;
    bool is_stuck = fault->kind == FAULT_DEADLOCK || fault->kind == FAULT_ENDLESS;
    if (!is_stuck || !others) return;
    struct strbuf text = {0};
    if (fault->detail) strbuf_puts(&text, fault->detail);
    waiting_describe_blocks(&worker->exec, others, &text);
    mem_free(fault->detail);
    fault->detail = strbuf_take(&text);
}

/* The launch ends with the fault of a block. */
static void fail(struct worker *worker, struct block *block, struct block *others)
{
    tell_others(worker, others);
    keep_fault(worker, block);
    keep_printed(worker->launch, block, true);
    cluster_leave(worker, block);
}

/* No block that has begun can go on. */
static void tell_stuck(struct worker *worker, struct block *block)
{
    struct launch *launch = worker->launch;
    struct strbuf text = {0};
    uint64_t waiting = launch->units - launch->next_unit;
    if (waiting)
        strbuf_printf(&text,
                      "  %llu blocks fill the GPU and wait; %llu more cannot begin until one of "
                      "them ends\n",
                      (unsigned long long)worker->resident, (unsigned long long)waiting);
    waiting_describe(&worker->exec, block, &text);
    worker->exec.fault.detail = strbuf_take(&text);
}

static void end_block(struct worker *worker, struct block *block)
{
    keep_printed(worker->launch, block, false);
    cluster_leave(worker, block);
    worker->resident--;
    worker->stuck = 0;
    __atomic_fetch_add(&worker->launch->finished, 1, __ATOMIC_RELAXED);
    if (worker->first) show_progress(worker->launch);
}

/* Before every other, whichever block had its turn. */
static void cancel(struct worker *worker, struct block *block)
{
    fault_at(&worker->exec, FAULT_CANCELLED, NULL, 1);
    worker->exec.fault.order = block->order = 0;
}

/* The first block of the queue has its turn. False: the launch ends. */
static bool turn(struct worker *worker, struct queue *queue, bool overlaps)
{
    struct launch *launch = worker->launch;
    struct block *block = pop(queue);
    enum block_stop stop = block_run(worker, block, ORDERED_QUANTUM);
    if (stop != BLOCK_FAULT && launch_cancelled(launch)) {
        cancel(worker, block);
        stop = BLOCK_FAULT;
    }
    if (stop == BLOCK_FAULT) {
        fail(worker, block, queue->head);
        return false;
    }
    if (stop == BLOCK_DONE) {
        end_block(worker, block);
        return true;
    }
    bool may_begin =
        overlaps && worker->resident < resident_most(worker) && launch->next_unit < launch->units;
    bool repeat = all_repeat(worker, block, may_begin);
    if (repeat) tell_stuck(worker, block);
    if (repeat || all_stuck(worker, block, may_begin)) {
        fail(worker, block, queue->head);
        return false;
    }
    /* It waits: to the end of the queue, behind new blocks if there are some. */
    if (may_begin) begin_next(worker, queue);
    push(queue, block);
    return true;
}

void run_in_turns(struct worker *worker, bool overlaps)
{
    struct queue queue = {NULL, NULL};
    bool goes_on = true;
    worker->resident = 0;
    while (goes_on && (queue.head || begin_next(worker, &queue)))
        goes_on = turn(worker, &queue, overlaps);
    while (queue.head) {
        struct block *block = pop(&queue);
        keep_printed(worker->launch, block, false); /* up to the failed block they are delivered */
        cluster_leave(worker, block);
    }
}

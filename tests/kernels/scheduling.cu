// SPDX-License-Identifier: Apache-2.0
// arch: sm_90
// What threads may rely on since sm_70: every one goes on, however the others spin. Locks and queues
// between lanes of a warp, warps of a block and blocks.
#include <cuda/atomic>

typedef unsigned int u32;
typedef unsigned long long u64;
template <typename T> using shared_word = cuda::atomic_ref<T, cuda::thread_scope_device>;

// ---- locks ----------------------------------------------------------------------------------------

// Whoever draws ticket k is the k-th in the critical section; its lanes come in any order.
extern "C" __global__ void ticket_lock(u32 *next, u32 *serving, u32 *counter, u32 *order)
{
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
    u32 ticket = atomicAdd(next, 1);
    shared_word<u32> turn(*serving);
    while (turn.load(cuda::memory_order_acquire) != ticket)
        ;
    order[*counter] = thread;
    *counter += 1;
    turn.store(ticket + 1, cuda::memory_order_release);
}

// Old style: volatile and fences. Every thread moves money between two accounts, each with a lock of
// its own, taken in ascending order.
extern "C" __global__ void two_locks(u32 *locks, int *accounts, int count, int rounds)
{
    u32 state = blockIdx.x * blockDim.x + threadIdx.x + 1;
    for (int i = 0; i < rounds; i++) {
        state = state * 1664525u + 1013904223u;
        int from = (state >> 16) % count, to = (from + 1 + (state >> 24) % (count - 1)) % count;
        int first = min(from, to), second = max(from, to);
        bool done = false;
        while (!done) {
            if (atomicCAS(&locks[first], 0, 1) == 0) {
                if (atomicCAS(&locks[second], 0, 1) == 0) {
                    __threadfence();
                    ((volatile int *)accounts)[from] -= 1;
                    ((volatile int *)accounts)[to] += 1;
                    __threadfence();
                    atomicExch(&locks[second], 0);
                    done = true;
                }
                atomicExch(&locks[first], 0);
            }
        }
    }
}

// Each lane waits for the one above it, so the last must run although all others spin before it.
extern "C" __global__ void lane_chain(u32 *out)
{
    __shared__ volatile u32 ready[33];
    u32 lane = threadIdx.x;
    if (lane == 0) ready[32] = 1;
    ready[lane] = 0;
    __syncwarp();
    while (ready[lane + 1] == 0)
        ;
    u32 sum = ready[lane + 1] + lane;
    __threadfence_block();
    ready[lane] = sum;
    out[lane] = sum;
}

// ---- producers and consumers ----------------------------------------------------------------------

// Even lanes send `rounds` numbers through a mailbox of one place to the odd lane beside them.
extern "C" __global__ void lane_mailbox(int rounds, u32 *sums)
{
    __shared__ volatile u32 full[16], box[16];
    u32 pair = threadIdx.x / 2, sum = 0;
    if (threadIdx.x % 2) full[pair] = 0;
    __syncwarp();
    if (threadIdx.x % 2 == 0) {
        for (int i = 1; i <= rounds; i++) {
            while (full[pair])
                ;
            box[pair] = i * (pair + 1);
            __threadfence_block();
            full[pair] = 1;
            sum += i;
        }
    } else {
        for (int i = 1; i <= rounds; i++) {
            while (!full[pair])
                ;
            sum = sum * 3 + box[pair];
            __threadfence_block();
            full[pair] = 0;
        }
    }
    sums[threadIdx.x] = sum;
}

// One lane polls for its warp and tells the others: how libraries wait. Warp 0 waits for the last warp,
// each other one for the one before it.
extern "C" __global__ void warp_relay(u32 *flags, u32 *out)
{
    u32 warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32, seen = 0;
    if (warp != warps - 1) {
        u32 *flag = &flags[warp + 1];
        do {
            if (lane == 0) seen = shared_word<u32>(*flag).load(cuda::memory_order_acquire);
            seen = __shfl_sync(0xffffffff, seen, 0);
        } while (seen == 0);
    }
    out[threadIdx.x] = seen * 2 + lane;
    __syncwarp();
    if (lane == 0) shared_word<u32>(flags[warp]).store(seen + warp + 1, cuda::memory_order_release);
}

// Blocks 0 and 1 in turns; the other blocks of the grid end at once.
extern "C" __global__ void ping_pong(int rounds, u32 *ball, u32 *value)
{
    if (threadIdx.x != 0 || blockIdx.x > 1) return;
    shared_word<u32> at(*ball);
    for (int i = 0; i < rounds; i++) {
        while (at.load(cuda::memory_order_acquire) % 2 != blockIdx.x)
            ;
        *value = *value * 3 + blockIdx.x + 1;
        at.fetch_add(1, cuda::memory_order_release);
    }
}

// Each block waits for the next one: the first to begin is the last to go on.
extern "C" __global__ void block_chain(u32 *sums)
{
    __shared__ u32 next;
    if (threadIdx.x == 0) {
        next = 0;
        if (blockIdx.x + 1 < gridDim.x) {
            shared_word<u32> flag(sums[blockIdx.x + 1]);
            while ((next = flag.load(cuda::memory_order_acquire)) == 0)
                ;
        }
    }
    __syncthreads();
    u32 total = __syncthreads_count(threadIdx.x % (blockIdx.x + 2) == 0);
    if (threadIdx.x == 0) shared_word<u32>(sums[blockIdx.x]).store(next + total, cuda::memory_order_release);
}

// The same with the whole block asking again and again, a barrier in each round.
extern "C" __global__ void block_votes(u32 *flags)
{
    __shared__ u32 seen;
    do {
        __syncthreads();
        if (threadIdx.x == 0)
            seen = blockIdx.x + 1 == gridDim.x
                       ? 0
                       : shared_word<u32>(flags[blockIdx.x + 1]).load(cuda::memory_order_acquire);
        __syncthreads();
    } while (seen == 0 && blockIdx.x + 1 != gridDim.x);
    if (threadIdx.x == 0) shared_word<u32>(flags[blockIdx.x]).store(seen + 1, cuda::memory_order_release);
}

// ---- queues ---------------------------------------------------------------------------------------

// Vyukov's bounded queue of many producers and consumers: a place is free for ticket t if its number
// is t, full for it if its number is t + 1.
struct place {
    u32 number, item;
};

__device__ void queue_put(place *places, u32 size, u32 *tail, u32 item)
{
    u32 ticket = atomicAdd(tail, 1);
    place *at = &places[ticket % size];
    shared_word<u32> number(at->number);
    while (number.load(cuda::memory_order_acquire) != ticket)
        ;
    at->item = item;
    number.store(ticket + 1, cuda::memory_order_release);
}

__device__ u32 queue_take(place *places, u32 size, u32 *head, u32 *out_ticket)
{
    u32 ticket = atomicAdd(head, 1);
    place *at = &places[ticket % size];
    shared_word<u32> number(at->number);
    while (number.load(cuda::memory_order_acquire) != ticket + 1)
        ;
    u32 item = at->item;
    number.store(ticket + size, cuda::memory_order_release);
    *out_ticket = ticket;
    return item;
}

// Even warps of the grid put, odd ones take. Item: thread and round of the producer.
extern "C" __global__ void bounded_queue(place *places, u32 size, u32 *ends, int rounds,
                                         u32 *taken)
{
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < rounds; i++) {
        if (thread / 32 % 2 == 0) {
            queue_put(places, size, &ends[0], thread << 8 | i);
        } else {
            u32 ticket, item = queue_take(places, size, &ends[1], &ticket);
            taken[ticket] = item;
        }
    }
}

// Michael and Scott's lock-free queue (PODC 1996). A pointer is a node's index and a count that keeps
// compare-and-swap from mistaking an old value; nodes are not used again.
struct node {
    u32 item;
    u64 next; // index | count << 32; index 0xffffffff: none
};
#define NO_NODE 0xffffffffu

__device__ u64 load_pointer(u64 *from)
{
    return shared_word<u64>(*from).load(cuda::memory_order_acquire);
}

__device__ bool swing(u64 *pointer, u64 expected, u32 index)
{
    u64 wanted = ((expected >> 32) + 1) << 32 | index;
    return shared_word<u64>(*pointer).compare_exchange_strong(expected, wanted,
                                                              cuda::memory_order_acq_rel);
}

__device__ void list_put(node *nodes, u64 *tail, u32 index, u32 item)
{
    nodes[index].item = item;
    nodes[index].next = NO_NODE;
    for (;;) {
        u64 last = load_pointer(tail), next = load_pointer(&nodes[(u32)last].next);
        if (last != load_pointer(tail)) continue;
        if ((u32)next == NO_NODE) {
            if (swing(&nodes[(u32)last].next, next, index)) {
                swing(tail, last, index);
                return;
            }
        } else {
            swing(tail, last, (u32)next);
        }
    }
}

// False if the queue is empty.
__device__ bool list_take(node *nodes, u64 *head, u64 *tail, u32 *out)
{
    for (;;) {
        u64 first = load_pointer(head), last = load_pointer(tail);
        u64 next = load_pointer(&nodes[(u32)first].next);
        if (first != load_pointer(head)) continue;
        if ((u32)first == (u32)last) {
            if ((u32)next == NO_NODE) return false;
            swing(tail, last, (u32)next);
        } else {
            *out = nodes[(u32)next].item;
            if (swing(head, first, (u32)next)) return true;
        }
    }
}

// Every thread puts `rounds` items and takes as many; times[item] counts who took it.
extern "C" __global__ void linked_queue(node *nodes, u64 *ends, int rounds, u32 *times)
{
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x, item;
    for (int i = 0; i < rounds; i++) {
        u32 index = thread * rounds + i;
        list_put(nodes, &ends[1], index + 1, index); // node 0 is the first dummy
        if (i % 2 == 0) continue;
        for (int k = 0; k < 2; k++) {
            while (!list_take(nodes, &ends[0], &ends[1], &item))
                ;
            atomicAdd(&times[item], 1);
        }
    }
}

// ---- what cannot end ------------------------------------------------------------------------------

// Two threads take two locks in opposite order, and neither gives back what it has.
extern "C" __global__ void deadly_embrace(u32 *locks)
{
    u32 first = threadIdx.x % 2, second = 1 - first;
    if (threadIdx.x > 1) return;
    while (atomicCAS(&locks[first], 0, 1) != 0)
        ;
    while (atomicCAS(&locks[second], 0, 1) != 0)
        ;
    locks[first] = locks[second] = 0;
}

// Waits for a block that does not exist.
extern "C" __global__ void waits_for_nobody(u32 *flag)
{
    while (shared_word<u32>(*flag).load(cuda::memory_order_acquire) == 0)
        __syncthreads();
}

// The same with a vote of the warp in each round.
extern "C" __global__ void nobody_answers(u32 *flag)
{
    while (!__any_sync(0xffffffff, *(volatile u32 *)flag))
        ;
}

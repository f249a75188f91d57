// SPDX-License-Identifier: Apache-2.0
/* Atomics that a warp does once for all of its lanes: by votes and shuffles, by coalesced groups, and by groups of lanes with
 * equal keys. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

/* A place for each active lane behind *counter. */
__device__ int take_by_votes(int *counter)
{
    unsigned active = __activemask();
    int lane = threadIdx.x % 32, leader = __ffs(active) - 1, first = 0;
    if (lane == leader) first = atomicAdd(counter, __popc(active));
    return __shfl_sync(active, first, leader) + __popc(active & ((1u << lane) - 1));
}

__device__ int take_by_group(int *counter)
{
    cg::coalesced_group group = cg::coalesced_threads();
    int first = 0;
    if (group.thread_rank() == 0) first = atomicAdd(counter, group.size());
    return group.shfl(first, 0) + group.thread_rank();
}

__global__ void select_odd(const int *x, int n, int *by_votes, int *by_group, int *counters)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || x[i] % 2 == 0) return;
    by_votes[take_by_votes(&counters[0])] = x[i];
    by_group[take_by_group(&counters[1])] = x[i];
}

__global__ void histogram(const int *x, int n, int *by_match, int *by_label, int *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int key = x[i] % 5;
    unsigned peers = __match_any_sync(__activemask(), key);
    if (__ffs(peers) - 1 == threadIdx.x % 32) atomicAdd(&by_match[key], __popc(peers));
    auto group = cg::labeled_partition(cg::coalesced_threads(), key);
    int sum = cg::reduce(group, x[i], cg::plus<int>());
    if (group.thread_rank() == 0) {
        atomicAdd(&by_label[key], group.size());
        atomicAdd(&sums[key], sum);
    }
}

int main()
{
    const int n = 5000;
    unsigned state = 3;
    int *x, *selected[2], *counters, *counts;
    CHECK(cudaMallocManaged(&x, n * sizeof(int)));
    CHECK(cudaMallocManaged(&selected[0], n * sizeof(int)));
    CHECK(cudaMallocManaged(&selected[1], n * sizeof(int)));
    CHECK(cudaMallocManaged(&counters, 2 * sizeof(int)));
    CHECK(cudaMallocManaged(&counts, 15 * sizeof(int)));
    int expected[10] = {}, odd = 0;
    long long odd_sum = 0;
    for (int i = 0; i < n; i++) {
        x[i] = next_random(&state) % 1000;
        expected[x[i] % 5]++;
        expected[5 + x[i] % 5] += x[i];
        odd += x[i] % 2;
        odd_sum += x[i] % 2 * static_cast<long long>(x[i]) * x[i];
    }
    select_odd<<<(n + 255) / 256, 256>>>(x, n, selected[0], selected[1], counters);
    histogram<<<(n + 255) / 256, 256>>>(x, n, counts, counts + 5, counts + 10);
    CHECK(cudaDeviceSynchronize());
    bool ok = true;
    for (int way = 0; way < 2; way++) {
        long long sum = 0;
        for (int i = 0; i < odd; i++)
            sum += static_cast<long long>(selected[way][i]) * selected[way][i];
        ok &= counters[way] == odd && sum == odd_sum;
    }
    for (int key = 0; key < 5; key++)
        ok &= counts[key] == expected[key] && counts[5 + key] == expected[key] && counts[10 + key] == expected[5 + key];
    return verdict(ok);
}

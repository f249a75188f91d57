// SPDX-License-Identifier: Apache-2.0
/* A prefix sum in one pass: each block waits for what the blocks before it publish, with fences and volatile words only. */
#include "check.h"

enum { THREADS = 128, PER_THREAD = 4, TILE = THREADS * PER_THREAD };
enum state : unsigned { NOTHING, SUM, PREFIX };

struct tile {
    volatile unsigned state;
    volatile int sum, prefix;
};

__device__ unsigned next_tile;

__device__ int look_back(tile *tiles, int at)
{
    int before = 0;
    for (int i = at - 1; i >= 0; i--) {
        unsigned state;
        while ((state = tiles[i].state) == NOTHING) {
        }
        __threadfence();
        if (state == PREFIX) return before + tiles[i].prefix;
        before += tiles[i].sum;
    }
    return before;
}

__device__ void publish(tile *one, volatile int *where, int value, state now)
{
    *where = value;
    __threadfence();
    one->state = now;
}

__global__ void scan(const int *in, int *out, int n, tile *tiles)
{
    __shared__ int sums[THREADS], number, before;
    if (threadIdx.x == 0) number = atomicAdd(&next_tile, 1); /* in the order in which blocks begin */
    __syncthreads();
    int own[PER_THREAD], sum = 0, first = number * TILE + threadIdx.x * PER_THREAD;
    for (int k = 0; k < PER_THREAD; k++)
        sum += own[k] = first + k < n ? in[first + k] : 0;
    sums[threadIdx.x] = sum;
    for (int step = 1; step < THREADS; step *= 2) {
        __syncthreads();
        int left = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
        __syncthreads();
        sums[threadIdx.x] += left;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        tile *mine = &tiles[number];
        publish(mine, &mine->sum, sums[THREADS - 1], SUM);
        before = look_back(tiles, number);
        publish(mine, &mine->prefix, before + sums[THREADS - 1], PREFIX);
    }
    __syncthreads();
    int total = before + sums[threadIdx.x] - sum;
    for (int k = 0; k < PER_THREAD; k++)
        if (first + k < n) out[first + k] = total += own[k];
}

int main()
{
    const int n = 100003, count = (n + TILE - 1) / TILE;
    std::vector<int> in(n), out(n);
    unsigned state = 41;
    for (int &x : in)
        x = static_cast<int>(next_random(&state) % 2001) - 1000;
    int *device_in, *device_out;
    tile *tiles;
    CHECK(cudaMalloc(&device_in, n * sizeof(int)));
    CHECK(cudaMalloc(&device_out, n * sizeof(int)));
    CHECK(cudaMalloc(&tiles, count * sizeof(tile)));
    CHECK(cudaMemset(tiles, 0, count * sizeof(tile)));
    CHECK(cudaMemcpy(device_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    scan<<<count, THREADS>>>(device_in, device_out, n, tiles);
    CHECK(cudaMemcpy(out.data(), device_out, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0, sum = 0; i < n; i++)
        ok &= out[i] == (sum += in[i]);
    return verdict(ok);
}

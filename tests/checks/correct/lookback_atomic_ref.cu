// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: decoupled look-back with relaxed cuda::atomic_ref words that hold flag and value, tiles by an atomic counter
#include "../array.h"
#include <cuda/atomic>
typedef unsigned long long word;
typedef cuda::atomic_ref<word, cuda::thread_scope_device> state;

__global__ void scan(const int *in, int *out, int n, word *words, int *next)
{
    __shared__ int tile, sums[4], before;
    if (threadIdx.x == 0) tile = atomicAdd(next, 1);
    __syncthreads();
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = tile * 128 + threadIdx.x;
    int sum = i < n ? in[i] : 0;
    for (int k = 1; k < 32; k *= 2) {
        int other = __shfl_up_sync(~0u, sum, k);
        if (lane >= k) sum += other;
    }
    if (lane == 31) sums[warp] = sum;
    __syncthreads();
    int all = 0;
    for (int w = 0; w < 4; w++) {
        if (w < warp) sum += sums[w];
        all += sums[w];
    }
    if (warp == 0) {
        if (lane == 0) state(words[tile]).store((word)(tile ? 1 : 2) << 32 | (unsigned)all, cuda::memory_order_relaxed);
        int prefix = 0;
        for (int last = tile - 1; tile > 0; last -= 32) {
            int at = last - lane;
            word seen = 2ull << 32;
            if (at >= 0)
                do seen = state(words[at]).load(cuda::memory_order_relaxed);
                while (seen >> 32 == 0);
            unsigned full = __ballot_sync(~0u, seen >> 32 == 2);
            int part = full && lane > __ffs(full) - 1 ? 0 : (int)seen;
            for (int k = 16; k > 0; k /= 2) part += __shfl_xor_sync(~0u, part, k);
            prefix += part;
            if (full) break;
        }
        if (lane == 0) {
            state(words[tile]).store(2ull << 32 | (unsigned)(prefix + all), cuda::memory_order_relaxed);
            before = prefix;
        }
    }
    __syncthreads();
    if (i < n) out[i] = before + sum;
}

int main()
{
    const int n = 5000, tiles = (n + 127) / 128;
    std::vector<int> host = random_ints(n, 9);
    array<int> in(host), out(n), next(1);
    array<word> words(tiles);
    words.zero(), next.zero();
    scan<<<tiles, 128>>>(in, out, n, words, next);
    for (int i = 1; i < n; i++) host[i] += host[i - 1];
    return verdict(out.get() == host);
}

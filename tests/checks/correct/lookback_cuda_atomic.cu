// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: a single-pass scan with decoupled look-back: status words of release and acquire
#include "../array.h"
#include <cuda/atomic>

__device__ int next_tile;

__global__ void scan(const int *in, int *out, unsigned long long *states, int n)
{
    __shared__ int tile, before, s[128];
    int t = threadIdx.x;
    if (t == 0) tile = atomicAdd(&next_tile, 1);
    __syncthreads();
    int at = tile * 128 + t;
    s[t] = at < n ? in[at] : 0;
    __syncthreads();
    for (int k = 1; k < 128; k *= 2) {
        int more = t >= k ? s[t - k] : 0;
        __syncthreads();
        s[t] += more;
        __syncthreads();
    }
    if (t == 0) {
        cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> mine(states[tile]);
        mine.store(1ull << 32 | (unsigned)s[127], cuda::memory_order_release);
        int sum = 0;
        for (int k = tile - 1; k >= 0; k--) {
            cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> other(states[k]);
            unsigned long long word;
            while ((word = other.load(cuda::memory_order_acquire)) >> 32 == 0) {
            }
            sum += (int)(unsigned)word;
            if (word >> 32 == 2) break;
        }
        mine.store(2ull << 32 | (unsigned)(sum + s[127]), cuda::memory_order_release);
        before = sum;
    }
    __syncthreads();
    if (at < n) out[at] = before + s[t];
}

int main()
{
    const int n = 1500;
    std::vector<int> host = random_ints(n, 10);
    array<int> in(host), out(n);
    array<unsigned long long> states(12);
    states.zero();
    scan<<<12, 128>>>(in, out, states, n);
    std::vector<int> found = out.get();
    bool ok = true;
    for (int i = 0, sum = 0; i < n; i++) ok = ok && found[i] == (sum += host[i]);
    return verdict(ok);
}

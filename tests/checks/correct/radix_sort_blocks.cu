// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: a radix sort of one's own: histograms per block, scan, ranks by ballot, scatter
#include "../array.h"
#include <algorithm>

__global__ void count(const unsigned *in, unsigned *counts, int n, int shift)
{
    __shared__ unsigned bins[16];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (t < 16) bins[t] = 0;
    __syncthreads();
    if (i < n) atomicAdd(&bins[in[i] >> shift & 15], 1u);
    __syncthreads();
    if (t < 16) counts[t * gridDim.x + blockIdx.x] = bins[t];
}

__global__ void scan(unsigned *counts, int n)
{
    if (threadIdx.x == 0)
        for (unsigned i = 0, sum = 0; i < (unsigned)n; i++) {
            unsigned now = counts[i];
            counts[i] = sum;
            sum += now;
        }
}

__global__ void scatter(const unsigned *in, unsigned *out, const unsigned *offsets, int n, int shift)
{
    __shared__ unsigned per_warp[4][16];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, i = blockIdx.x * 128 + t;
    for (int k = t; k < 64; k += 128) per_warp[k / 16][k % 16] = 0;
    __syncthreads();
    unsigned value = i < n ? in[i] : 0, digit = value >> shift & 15, valid = __ballot_sync(~0u, i < n), rank = 0;
    if (i < n) {
        unsigned same = __match_any_sync(valid, digit);
        rank = __popc(same & ((1u << lane) - 1));
        if (rank == 0) per_warp[warp][digit] = __popc(same);
    }
    __syncthreads();
    if (i < n) {
        for (int w = 0; w < warp; w++) rank += per_warp[w][digit];
        out[offsets[digit * gridDim.x + blockIdx.x] + rank] = value;
    }
}

int main()
{
    const int n = 700, blocks = (n + 127) / 128;
    std::vector<unsigned> host(n);
    unsigned state = 8;
    for (unsigned &one : host) one = next_random(&state) & 0xffff;
    array<unsigned> a(host), b(n), counts(16 * blocks);
    unsigned *from = a, *to = b;
    for (int shift = 0; shift < 16; shift += 4) {
        count<<<blocks, 128>>>(from, counts, n, shift);
        scan<<<1, 32>>>(counts, 16 * blocks);
        scatter<<<blocks, 128>>>(from, to, counts, n, shift);
        std::swap(from, to);
    }
    std::sort(host.begin(), host.end());
    return verdict(a.get() == host);
}
